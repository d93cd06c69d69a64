"""The canonical form: one text and one SHA-256 for one meaning."""

from __future__ import annotations

import copy
import json
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.analysis.plan import canonical, parse, read, sha256
from negstats.analysis.plan.canonical import json_text
from negstats.analysis.plan.parse import plan_of
from negstats.errors import PlanError
from tests.analysis.plan.plans import FOLDER, SMALLEST, Table, plans, spelled
from tests.conftest import runs

SAME = "f22897914a24dbfc2ca3b8fdb0873acfacd2a63ad7c868d86deaa2232c77b81c"

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


# One change to the smallest plan, and the SHA-256 of its meaning.
VECTORS = {
    "as it is": (SMALLEST, SAME),
    "spelled otherwise": (SPELLED_OTHERWISE, SAME),
    "where the data lie": (SMALLEST + '[data]\npath = "elsewhere"\n', SAME),
    "who": (SMALLEST.replace('"agent"', '"human"'), "c2c497d1cd47ea1e43126582ca3ed19aa13dcc7d4c331f7a8fc00108b6a062f9"),
    "measure": (
        SMALLEST.replace('"points"', '"joint_value"'),
        "15223a310aa6f0efccdf0a175df26c4ac547e56045865645450a17f0f8d46f82",
    ),
    "direction": (
        with_line('direction = "CL > FC"'),
        "bf813554d34876a6febaad845b8d6cebe703aacc54319127aae6c9923fc00c25",
    ),
    "predicts": (with_line('predicts = "CL > FC"'), "bc2fb121ee0a9944598d8f1c62c26ecea03a9f7372da3e24055534d1512f6de3"),
    "predicts, turned round": (
        with_line('predicts = "FC<CL"'),
        "bc2fb121ee0a9944598d8f1c62c26ecea03a9f7372da3e24055534d1512f6de3",
    ),
    "direction, turned round": (
        with_line('direction = "FC < CL"'),
        "bf813554d34876a6febaad845b8d6cebe703aacc54319127aae6c9923fc00c25",
    ),
    "alpha": ("alpha = 0.01\n" + SMALLEST, "5490910706a9786d2a9d19753e43a6daf1c9bbcb6e437127dafea89975ca7d85"),
    "a word": (SMALLEST.replace("more", "less"), "b9c10ee7e32c3d29b7d58607a3566541f8992178922b685172bb26d1fb14d62d"),
    "a rule": (
        SMALLEST + '[[leave_out]]\ncolumn = "games.session"\nvalue = "Demo"\nreason = "practice"\n',
        "42b4eca55445350854ff308ac4a09d1741c10cd4fe701abb77da1ba3671d00e3",
    ),
    "levels": (
        SMALLEST + '[factors.condition]\nlevels = ["CL", "FC"]\n',
        "50895c52d3ed564d01fe9a0ef00692eb28639670d6ef58d20820f01a49d3aa9f",
    ),
    "levels turned round": (
        SMALLEST + '[factors.condition]\nlevels = ["FC", "CL"]\n',
        "f6c98e07e565c633d8331b8715bdfa106d116588cfdd80ac63c6627af29424a6",
    ),
    "explored": (with_line("explore = true"), "c10586d517e7f16305e2a0e3d60988a448a70b9d02ab64de350fe89b5c507eb3"),
    "unit": (
        SMALLEST + '[data]\nunit = "game"\n',
        "a5367025581cdfdcd238de25a5b97f586798ef4e421baba6d092c9c5dad1d62b",
    ),
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


def test_the_smallest_plan_as_text() -> None:
    assert json_text(canonical(parse(SMALLEST))) == (
        '{"plan":1,"questions":{"H1":{"asks":"Does the agent earn more in CL than in FC?","by":["condition"],'
        '"measure":"points","who":"agent"}}}'
    )


# RFC 8785, appendix B: the bits of a double and how it is written.
NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}


@pytest.mark.parametrize("bits", NUMBERS)
def test_numbers_as_the_rfc_writes_them(bits: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert json_text(number) == NUMBERS[bits]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back(number: float) -> None:
    assert float(json_text(number)) == number


def test_keys_go_by_their_utf_16_code_units() -> None:
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    expected = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]  # RFC 8785, section 3.2.3
    assert list(json.loads(json_text(dict.fromkeys(keys, 0)))) == expected


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.booleans() | st.text() | st.integers(-(2**53), 2**53),
        lambda it: st.lists(it) | st.dictionaries(st.text(), it),
    )
)
@settings(max_examples=50)
def test_text_is_json_without_blanks(value: Any) -> None:
    text = json_text(value)
    assert json.loads(text) == value
    if not isinstance(value, str):
        assert text == text.strip()


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


# For each field what it becomes; the plan that they are made in holds every field of the schema.
WHOLE: Table = {
    "title": "t",
    "authors": ["a", "b"],
    "known": "k",
    "stop": "s",
    "alpha": 0.01,
    "resamples": 2000,
    "seed": 7,
    "data": {"unit": "game"},
    "leave_out": [
        {"column": "games.session", "relation": "!=", "value": "Demo", "reason": "r", "takes": "person"},
        {"column": "answers.age", "relation": "in", "value": [17, 18], "reason": "q", "takes": "row"},
    ],
    "factors": {
        "g": {
            "column": "games.arm",
            "levels": ["CL", "FC"],
            "labels": {"CL": "one"},
            "merge": {"CL": ["c1", "c2"]},
            "within": True,
        }
    },
    "measures": {
        "m": {"measure": "points", "who": "agent", "kind": "interval", "without_agreement": 0.5},
        "n": {"answer": "liking", "scale": ["no", "yes"], "kind": "ordered"},
    },
    "questions": {
        "H1": {
            "asks": "a",
            "measure": "m",
            "who": "human",
            "by": ["g", "h"],
            "covariates": ["utterances"],
            "only": {"h": ["x", "y"]},
            "effect": ["g", "h"],
            "direction": "CL > FC",
            "note": "n",
            "test": "welch",
            "expect": {"cells": [{"g": "CL", "mean": 1.0}, {"g": "FC", "mean": 2.0, "n": 2}], "sd": 0.5, "r": 0.1},
        },
        "H2": {"asks": "b", "measure": "n", "with": ["points"], "direction": "positive", "explore": True},
        "H3": {"asks": "c", "measure": "m", "by": ["g"], "equivalent": 0.1},
        "H4": {
            "asks": "d",
            "measure": "m",
            "by": ["g"],
            "contrasts": [{"name": "c", "weights": {"CL": 1, "FC": -1}}],
            "predicts": "CL > FC",
        },
        "H5": {"asks": "e", "measure": "rounds", "against": 3, "direction": "above"},
    },
    "families": {"f": {"questions": ["H1", "H3"], "correction": "bh"}},
    "power": {"n": [20, 40], "wished": 0.9, "studies": 500, "simulate": {"game": "contract", "games": 2000}},
}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the places of all values, whole lists and whole tables in a plan's content."""
    inside = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    return [path, *(place for key, item in inside for place in leaves(item, (*path, key)))]


def meanings_changed(value: Any) -> list[Any]:
    match value:
        case bool():
            return [not value]
        case str():
            return [value + "x"]
        case int() | float():
            return [value * 2 + 1, -value]
        case list():
            return [value[:-1], value[1:] if len(value) > 1 else value, [*value, "zz"], value[::-1]]
    return []


CHANGES = [(path, place) for path in leaves(WHOLE) for place in range(4) if path]


def changed(path: tuple[Any, ...], place: int) -> Table | None:
    """Return the whole plan with one field changed; None where there is no such change."""
    content = copy.deepcopy(WHOLE)
    holder: Any = content
    for step in path[:-1]:
        holder = holder[step]
    ways = meanings_changed(holder[path[-1]])
    if place >= len(ways) or ways[place] == holder[path[-1]]:
        return None
    unordered = {"by", "with", "covariates", "effect", "contrasts", "leave_out", "cells", "questions", "value"}
    lists_are_sets = path[-1] in unordered or path[-2:-1] in [("only",), ("merge",)]
    if place == 3 and lists_are_sets:
        return None  # another order of a set is no other meaning
    holder[path[-1]] = ways[place]
    return content


@pytest.mark.slow
def test_any_other_meaning_has_another_hash() -> None:
    known = sha256(plan_of(WHOLE, "plan.toml"))
    seen: dict[str, tuple[Any, ...]] = {known: ()}
    tried = 0
    for path, place in CHANGES:
        content = changed(path, place)
        if content is None:
            continue
        try:
            made = sha256(plan_of(content, "plan.toml"))
        except PlanError:
            continue  # no plan at all
        tried += 1
        assert made not in seen, f"{path} and {seen[made]} are the same plan"
        seen[made] = path
    assert tried > 60


@pytest.mark.slow
@given(plans())
@settings(max_examples=runs(300, 60))
def test_the_canonical_object_is_the_plan_again(content: Table) -> None:
    plan = plan_of(content, "plan.toml")
    again = plan_of(json.loads(json_text(canonical(plan))), "plan.lock")
    assert canonical(again) == canonical(plan)


def test_a_mapping_is_hashed_by_what_it_says(tmp_path: Any) -> None:
    def hashed(mapping: str, name: str = "map.toml") -> str:
        (tmp_path / name).write_text(mapping, encoding="utf-8")
        plan = tmp_path / "plan.toml"
        plan.write_text(SMALLEST + f'[data]\nmapping = "{name}"\n', encoding="utf-8")
        return sha256(read(plan))

    known = hashed('row = "game"\n[games]\ngame_id = "id"\n')
    assert hashed('# ours\n[games]\ngame_id = "id"\n', "x.toml") != known
    assert hashed('# ours\nrow = "game"\n[games]\n"game_id" = \'id\'\n', "other.toml") == known != SAME
