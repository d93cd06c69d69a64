"""A plan's text is changed as records are, its comments stay, and what was looked at is written down."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from negstats.analysis.plan import editing, parse
from negstats.errors import UsageError
from tests.conftest import ROOT
from tests.shell import Shell

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
