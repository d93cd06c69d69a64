"""Plans to test with: the smallest one, those beside the tests, and any plan, drawn and spelled at random."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

FOLDER = Path(__file__).resolve().parents[2] / "plans"
NAMES = ("robot", "casino", "contract", "dealornodeal", "otree_dyads")

SMALLEST = """\
[questions.H1]
asks = "Does the agent earn more in CL than in FC?"
measure = "points"
who = "agent"
by = "condition"
"""

Table = dict[str, Any]

words = st.text(st.sampled_from("abcXYZ éß漢"), min_size=1, max_size=12).map(lambda text: f"w{text.strip()}")
names = st.sampled_from(["a", "b", "CL", "FC", "HvsH", "x y", "ü", "a.b", 'q"t', "#", "名"])
ids = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,6}", fullmatch=True)
positive = st.sampled_from([0.05, 0.3, 1.0, 2.5, 1e-7, 3.0, 40.0])
numbers = st.sampled_from([-1.5, 0.0, 0.1, 7.0, 1e-7, 123456.789, -3.0])


def some(of: st.SearchStrategy[Any], least: int = 1, most: int = 3) -> st.SearchStrategy[list[Any]]:
    return st.lists(of, min_size=least, max_size=most, unique=True)


def maybe(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Table]:
    return st.fixed_dictionaries({}, optional=fields)


@st.composite
def questions(draw: st.DrawFn) -> Table:
    """A question whose parts fit each other."""
    made: Table = {"asks": draw(words), "measure": draw(st.sampled_from(["points", "rounds", "agreed"]))}
    made |= draw(maybe(who=names, explore=st.booleans(), note=words, covariates=st.just(["utterances"])))
    by = draw(some(names.filter(lambda name: ":" not in name), 0, 2))
    if by:
        made["by"] = by
        made |= draw(
            st.sampled_from(
                [
                    {},
                    {"effect": [by[0]]},
                    {"equivalent": 0.05},
                    {"equivalent": [-0.1, 0.2]},
                    {"equivalent": {"sd": 0.3}},
                    {"contrasts": [{"name": "c", "weights": {"CL": 1, "FC": -1}}]},
                    {"only": {by[0]: ["CL", "FC"]}},
                    {
                        "expect": {
                            "cells": [{by[0]: "CL", "mean": 1.5}, {by[0]: "FC", "mean": 2.0}],
                            "sd": 0.7,
                            "r": 0.2,
                        }
                    },
                ]
            )
        )
    else:
        made |= draw(
            st.sampled_from(
                [
                    {},
                    {"with": ["offers"]},
                    {"with": ["offers"], "predicts": "negative"},
                    {"against": 0.5},
                    {"against": 2.0, "direction": "above"},
                    {"against": 2.0, "predicts": "below"},
                ]
            )
        )
    return made


@st.composite
def fitting(draw: st.DrawFn) -> Table:
    """A plan that may fit the made-up study of `studies.robot`, with the item "liking", or not."""
    by = draw(st.sampled_from([[], ["condition"], ["session"], ["kind"], ["condition", "session"], ["rounds", "kind"]]))
    measure = draw(st.sampled_from(["points", "rounds", "agreed", "item", "gain"]))
    made: Table = {"asks": "a", "measure": measure, "by": by}
    if measure in ("points", "gain") and "kind" not in by:
        made["who"] = draw(st.sampled_from(["human", "agent", "Human"]))
    made |= draw(
        maybe(
            **{
                "with": st.sampled_from([[], [], ["joint_value"], ["item", "rounds"]]),
                "covariates": st.sampled_from([[], [], ["joint_value"]]),
                "test": st.sampled_from(["auto", "auto", "welch", "fisher", "pearson", "anova", "mixed", "logistic"]),
                "only": st.sampled_from([{}, {}, {"condition": ["CL"]}, {"session": ["Demo", "Session_1"]}]),
            }
        )
    )
    made |= draw(st.sampled_from([{}, {}, {"equivalent": 0.5}, {"against": 0.5} if not by else {}]))
    value = draw(st.sampled_from(["Demo", 0.7, True, "no"]))
    rule = {"column": draw(st.sampled_from(["games.session", "players.points", "answers.liking"])), "reason": "r"}
    return {
        "questions": {"H1": made},
        "measures": {
            "item": {"answer": "liking", **draw(st.sampled_from([{}, {"scale": ["no", "yes"]}, {"kind": "nominal"}]))},
            "gain": {"measure": "points", "without_agreement": draw(st.sampled_from(["batna", 0.5, "leave out"]))},
        },
        "factors": {
            "condition": draw(
                st.sampled_from(
                    [
                        {},
                        {"levels": ["FC", "CL"]},
                        {"within": True},
                        {"column": "answers.liking"},
                        {"merge": {"z": ["CL"]}},
                    ]
                )
            )
        },
        "leave_out": draw(
            st.sampled_from([[], [{**rule, "value": value, "takes": "person"}], [{**rule, "value": value}]])
        ),
        "data": {"unit": draw(st.sampled_from(["game", "independent"]))},
    }


rules = st.sampled_from(
    [
        {"column": "games.session", "value": "Demo", "reason": "practice"},
        {"column": "answers.age", "relation": "<", "value": 18, "reason": "minors"},
        {"column": "games.country", "relation": "in", "value": ["IL", "US"], "reason": "elsewhere"},
        {"column": "players.points", "relation": "missing", "reason": "not scored", "takes": "game"},
        {"column": "messages.text", "relation": "!=", "value": "", "reason": "said", "takes": "person"},
    ]
)
factors = maybe(
    column=st.sampled_from(["games.arm", "players.role", "answers.svo"]),
    labels=st.dictionaries(st.sampled_from(["CL", "FC"]), words, max_size=2),
    levels=st.permutations(["CL", "FC", "x"]),
    merge=st.sampled_from([{}, {"CL": ["c1", "c2"]}, {"CL": ["c1"], "FC": ["f1", "f2"]}]),
    within=st.booleans(),
)
measures = st.one_of(
    maybe(who=names, kind=st.sampled_from(["interval", "count"]), without_agreement=st.sampled_from(["batna", 0.5])),
    st.fixed_dictionaries({"answer": names}, optional={"scale": some(names, 2), "who": names}),
)


@st.composite
def plans(draw: st.DrawFn) -> Table:
    """The content of a plan's file, as tomllib would read it."""
    made: Table = draw(
        maybe(
            title=words,
            known=words,
            stop=words,
            authors=some(words),
            alpha=st.sampled_from([0.05, 0.01, 0.005]),
            resamples=st.sampled_from([10_000, 2000]),
            seed=st.integers(0, 2**53 - 1),
            data=maybe(path=names, unit=st.sampled_from(["independent", "game"])),
            factors=st.dictionaries(names, factors, max_size=2),
            measures=st.dictionaries(st.sampled_from(["points", "offers"]), measures, max_size=2),
            power=maybe(
                n=some(st.integers(2, 500)),
                wished=st.sampled_from([0.8, 0.9]),
                studies=st.sampled_from([1000, 500]),
                simulate=st.just({"game": "contract", "games": 2000}),
            ),
        )
    )
    rule = draw(st.lists(rules, max_size=2, unique_by=json.dumps))
    if rule:
        made["leave_out"] = rule
    made["questions"] = draw(st.dictionaries(ids, questions(), min_size=1, max_size=3).filter(unlike_in_lower_case))
    expected = [cell for one in made["questions"].values() for cell in one.get("expect", {}).get("cells", [])]
    for name in {name for cell in expected for name in cell}:  # cells that are expected cover all levels
        made.get("factors", {}).get(name, {}).pop("levels", None)
    same: list[str] = [name for name, question in made["questions"].items() if not question.get("explore")]
    together: bool = draw(st.booleans())
    if same and together:
        made["families"] = {"main": {"questions": same, **draw(maybe(correction=st.sampled_from(["holm", "bh"])))}}
    return made


def unlike_in_lower_case(found: Table) -> bool:
    return len({name.lower() for name in found}) == len(found)


# What is a set in a plan, by the last keys of its place; all other lists are lists.
SETS = {"by", "with", "covariates", "effect", "contrasts", "leave_out", "only", "merge", "cells", "questions", "value"}


def spelled(content: Table, draw: Any) -> str:
    """Write a plan as TOML in one of the many ways in which it can be: orders, blanks, comments, quotes, numbers."""
    lines: list[str] = []
    _section((), content, draw, lines)
    return "\n".join(lines) + str(draw(st.sampled_from(["", "\n", "  # the end"])))


def _section(path: tuple[str, ...], table: Table, draw: Any, lines: list[str]) -> None:
    """Write a table's own values first, then its tables under headers of their own or inline."""
    keys = draw(st.permutations(list(table)))
    later = [key for key in keys if isinstance(table[key], dict) and draw(st.booleans())]
    rules = [key for key in keys if key == "leave_out" and draw(st.booleans())]
    for key in keys:
        if key not in (*later, *rules):
            lines.append(
                f"{_key(key, draw)}{_gap(draw)}={_gap(draw)}{_value((*path, key), table[key], draw)}{_note(draw)}"
            )
            lines.extend(draw(st.sampled_from([[], [""], ["# by = 1", ""]])))
    for key in rules:
        for rule in draw(st.permutations(table[key])):
            lines.append("[[leave_out]]")
            lines.extend(f"{_key(name, draw)} = {_value((*path, key, name), rule[name], draw)}" for name in rule)
    for key in later:
        lines.append(f"[{_gap(draw)}{'.'.join(_key(step, draw) for step in (*path, key))}{_gap(draw)}]{_note(draw)}")
        _section((*path, key), table[key], draw, lines)


def _gap(draw: Any) -> str:
    return str(draw(st.sampled_from(["", " ", "\t "])))


def _note(draw: Any) -> str:
    return str(draw(st.sampled_from(["", " # [x]", "\t# \"'{"])))


def _key(key: str, draw: Any) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare and draw(st.booleans()) else _text(key, draw)


def _text(text: str, draw: Any, *, sentence: bool = False) -> str:
    ways = [json.dumps(text), json.dumps(text, ensure_ascii=False)]
    if "'" not in text:
        ways.append(f"'{text}'")
    if sentence:
        ways += [f'"""\n{text}\n"""', json.dumps(text.replace(" ", " \t\n "))]
    return str(draw(st.sampled_from([way for way in ways if "\\ud" not in way])))


def _value(path: tuple[str, ...], value: Any, draw: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _text(value, draw, sentence=path[-1] in {"title", "known", "stop", "asks", "note", "reason"})
    if isinstance(value, (int, float)):
        return _number(value, draw)
    if isinstance(value, dict):
        keys = draw(st.permutations(list(value)))
        return "{ " + ", ".join(f"{_key(key, draw)} = {_value((*path, key), value[key], draw)}" for key in keys) + " }"
    unordered = path[-1] in SETS or (len(path) > 1 and path[-2] in {"only", "merge"})
    items = draw(st.permutations(value)) if unordered else value
    lone: bool = path[-1] in {"by", "with", "covariates", "effect"} and len(items) == 1 and draw(st.booleans())
    if lone:
        return _value((*path, "0"), items[0], draw)
    gap: str = draw(st.sampled_from([" ", "\n  ", " # [\n"]))
    return "[" + ",".join(f"{gap}{_value((*path, '0'), item, draw)}" for item in items) + gap + "]"


def _number(value: float, draw: Any) -> str:
    ways = [repr(value)]
    if value == int(value) and abs(value) < 2**53:
        ways += [f"{int(value)}", f"{int(value):_}", f"{int(value)}.0", f"{int(value)}.00e0"]
    else:
        ways += [f"{value!r}e0"] if "e" not in repr(value) else []
    return str(draw(st.sampled_from(ways)))


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


def plans_with_faults(file: Path) -> dict[str, tuple[str, str]]:
    """Return the plans of a file by name, each with the line that is said of it."""
    cases = {}
    for case in file.read_text(encoding="utf-8").split("\n== ")[1:]:
        name, _, rest = case.partition("\n")
        text, _, expected = rest.partition("⇒ ")
        cases[name] = text.replace("...\n", SMALLEST), expected.strip()
    return cases
