"""The text of a plan: its canonical form, and how questions are added to it."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.analysis.plan import canonical, editing, parse, read, sha256
from negstats.analysis.plan.canonical import json_text
from negstats.analysis.plan.parse import plan_of
from negstats.errors import UsageError
from tests.analysis.plan.plans import FOLDER, SMALLEST, WHOLE, Table, plans, spelled
from tests.conftest import ROOT, runs
from tests.shell import Shell

SAME = "f22897914a24dbfc2ca3b8fdb0873acfacd2a63ad7c868d86deaa2232c77b81c"
DIRECTED = "bf813554d34876a6febaad845b8d6cebe703aacc54319127aae6c9923fc00c25"
PREDICTED = "bc2fb121ee0a9944598d8f1c62c26ecea03a9f7372da3e24055534d1512f6de3"

SPELLED_OTHERWISE = """
# what is asked
seed = 1
alpha = 5e-2
[questions.H1]   # the only one
by = [ 'condition', ]
explore = false
test = "auto"
who = 'agent'
measure = 'points'
asks = \"\"\"
Does the agent  earn more
   in CL than in FC?\"\"\"
"""


def with_line(line: str) -> str:
    return SMALLEST + line + "\n"


# Plans as written, and the SHA-256 of their meaning: a plan that was registered keeps its hash for good.
VECTORS = {
    "as it is": (SMALLEST, SAME),
    "spelled otherwise": (SPELLED_OTHERWISE, SAME),
    "where the data lie": (SMALLEST + '[data]\npath = "elsewhere"\n', SAME),
    "direction": (with_line('direction = "CL > FC"'), DIRECTED),
    "direction, turned round": (with_line('direction = "FC < CL"'), DIRECTED),
    "predicts": (with_line('predicts = "CL > FC"'), PREDICTED),
    "predicts, turned round": (with_line('predicts = "FC<CL"'), PREDICTED),
}


@pytest.mark.parametrize("name", VECTORS)
def test_vectors(name: str) -> None:
    text, expected = VECTORS[name]
    assert sha256(parse(text)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("robot", "a0ce9a2b3104de1b42490406d9d87fcabd001611e502f29277ef22bc2af43364"),
        ("casino", "153d1b0ee725302c320e04e6a86e5eddcd1716aa5e1d76d44f809271b4c31f2c"),
        ("contract", "755524ed5aa23c1d0490c9c33bba008ce978025f3ab6958acf4165a648d8b895"),
    ],
)
def test_whole_plans(name: str, expected: str) -> None:
    assert sha256(read(FOLDER / f"{name}.toml")) == expected


def test_a_plan_with_every_field_keeps_its_hash() -> None:
    expected = "d8f2e8e91b6de7228e14e5c3cc7449ee1565c6859f40e4880a3891d1f9d6d4f8"
    assert sha256(plan_of(WHOLE, "plan.toml")) == expected


def test_the_smallest_plan_as_text() -> None:
    assert json_text(canonical(parse(SMALLEST))) == (
        '{"plan":1,"questions":{"H1":{"asks":"Does the agent earn more in CL than in FC?","by":["condition"],'
        '"measure":"points","who":"agent"}}}'
    )


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_json_cannot_say_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not representable"):
        json_text(number)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=runs(300, 40))
def test_only_meaning_counts(data: st.DataObject) -> None:
    content = data.draw(plans())
    one, other = spelled(content, data.draw), spelled(written_out(content, data), data.draw)
    assert sha256(parse(one)) == sha256(parse(other))
    assert parse(one) == parse(other)


DEFAULTS: Table = {"plan": 1, "title": "", "authors": [], "alpha": 0.05, "resamples": 10_000, "seed": 1}
OF_QUESTIONS: Table = {"test": "auto", "explore": False, "note": "", "covariates": [], "with": []}


def written_out(content: Table, data: st.DataObject) -> Table:
    """Return the same plan with some of its defaults written out."""
    whole: Table = copy.deepcopy(content)
    for name in data.draw(st.lists(st.sampled_from(list(DEFAULTS)), unique=True)):
        whole.setdefault(name, DEFAULTS[name])
    for question in whole["questions"].values():
        for name in data.draw(st.lists(st.sampled_from(list(OF_QUESTIONS)), unique=True)):
            question.setdefault(name, OF_QUESTIONS[name])
    for name, factor in whole.get("factors", {}).items():
        factor.setdefault("column", f"games.{name}")
    for rule in whole.get("leave_out", []):
        rule.setdefault("takes", "person" if rule["column"].startswith("answers.") else "row")
    for family in whole.get("families", {}).values():
        family.setdefault("correction", "holm")
    return whole


def test_a_mapping_is_hashed_by_what_it_says(tmp_path: Any) -> None:
    def hashed(mapping: str, name: str = "map.toml") -> str:
        (tmp_path / name).write_text(mapping, encoding="utf-8")
        plan = tmp_path / "plan.toml"
        plan.write_text(SMALLEST + f'[data]\nmapping = "{name}"\n', encoding="utf-8")
        return sha256(read(plan))

    known = hashed('row = "game"\n[games]\ngame_id = "id"\n')
    assert hashed('# ours\n[games]\ngame_id = "id"\n', "x.toml") != known
    assert hashed('# ours\nrow = "game"\n[games]\n"game_id" = \'id\'\n', "other.toml") == known != SAME


PLAN = '# Mine.\ntitle = "Pilot"  # the first\n\n[data]\npath = "study"\n'
QUESTION = '[questions.H1]\nasks = "Who earns more?"\nmeasure = "points"\nwho = "agent"\nby = "condition"\n'


def test_questions_are_added_and_removed_with_their_family() -> None:
    text, first = editing.add_question(PLAN, QUESTION, is_hypothesis=True)
    text, second = editing.add_question(text, QUESTION, is_hypothesis=True)
    text, third = editing.add_question(text, QUESTION, is_hypothesis=False)
    assert (first, second, third) == ("H1", "H2", "E1")
    plan = parse(text)
    assert plan.families["main"].questions == ("H1", "H2")
    assert plan.questions["E1"].explore
    assert "# the first" in text
    assert parse(editing.set_correction(text, "bh")).families["main"].correction == "bh"
    assert not parse(editing.remove_question(text, "H1")).families


def test_a_factor_is_described_once() -> None:
    one = '[factors.arm]\ncolumn = "games.arm"\n\n' + QUESTION.replace("condition", "arm")
    text, _ = editing.add_question(PLAN, one, is_hypothesis=True)
    assert list(parse(editing.add_question(text, one, is_hypothesis=True)[0]).factors) == ["arm"]
    with pytest.raises(UsageError, match="arm"):
        editing.add_question(text, one.replace("games.arm", "answers.arm"), is_hypothesis=True)


def test_exclusions_and_expectations_are_written_and_taken_back() -> None:
    text, _ = editing.add_question(PLAN, QUESTION, is_hypothesis=True)
    excluded = editing.add_exclusion(text, "games.session", "Demo", "practice")
    assert parse(excluded).leave_out[0].value == "Demo"
    assert not parse(editing.remove_exclusion(excluded, 0)).leave_out
    expected = editing.set_expectation(text, "H1", ["CL", "FC"], "condition", 0.35)
    assert parse(expected).questions["H1"].expect["cells"][0]["mean"] == 0.35  # type: ignore[index]


@pytest.mark.parametrize(
    "begin", [PLAN, f'known = "The pilot."\n{PLAN}', '[questions.H1]\nasks = "?"\nmeasure = "agreed"\n']
)
def test_each_look_stands_once_in_what_is_known(begin: str) -> None:
    fields = tomllib.loads(QUESTION)["questions"]["H1"]
    text = editing.note_look(editing.note_look(begin, fields), fields)
    text = editing.note_look(text, {"measure": "rounds", "with": ["points"]})
    assert len(editing.looked_at(text)) == 2
    known = parse(text if "[questions" in text else text + QUESTION).known
    looks = "points of the agent by condition; rounds with points."
    assert known.endswith(f"The results of 2 questions were looked at before registration: {looks}")
    assert ("The pilot." in known) == ("The pilot." in begin)


@pytest.mark.slow
def test_compare_notes_what_was_looked_at_beside_a_plan_that_is_not_registered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    (tmp_path / "study").symlink_to(ROOT / "datasets" / "robot" / "study")
    file = tmp_path / "plan.toml"
    file.write_text(PLAN + QUESTION, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    words = ("compare", "study", "points", "--by", "condition", "--who", "agent")
    code, out, _ = shell(*words)
    assert code == 0
    assert "plan.toml is not registered" in out
    assert editing.looked_at(file.read_text(encoding="utf-8")) == [
        {"looked_at": "points", "who": "agent", "by": ["condition"]}
    ]
    assert "plan.toml" not in shell(*words)[1]  # it stands there already
    assert shell("plan", "--register", "plan.toml")[0] == 0
    before = file.read_bytes()
    shell("compare", "study", "rounds", "--by", "condition")
    assert file.read_bytes() == before
