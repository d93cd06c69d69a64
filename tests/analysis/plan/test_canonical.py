"""The canonical form: one text and one SHA-256 for one meaning."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.analysis.plan import canonical, parse, read, sha256
from negstats.analysis.plan.canonical import json_text
from negstats.analysis.plan.parse import plan_of
from tests.analysis.plan.plans import FOLDER, SMALLEST, WHOLE, Table, plans, spelled
from tests.conftest import runs

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
