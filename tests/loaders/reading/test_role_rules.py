"""Each rule of what a column is, on a small table of its own: a column of which it holds, and one of which not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from negstats.loaders.reading.column_facts import ColumnFacts
from negstats.loaders.reading.columns import build_column, text_cells
from negstats.loaders.reading.facts import build_facts
from negstats.loaders.reading.hypotheses import Hypothesis, Kind
from negstats.loaders.reading.role_rules import AGAINST, KINDS, RULES, KindRule, is_never_likely, kind_of, score
from negstats.loaders.reading.row_facts import RowFacts
from negstats.loaders.reading.words import roles_of

Cells = Sequence[object]


@dataclass(frozen=True)
class Case:
    """A table whose rows are known, a column of which a rule holds, and one of which it does not."""

    table: dict[str, Cells]
    column: str
    other: str
    kind: Kind = "alone"
    person: str = ""
    game: tuple[str, ...] = ()
    order: str = ""
    sources: tuple[str, ...] = ()
    run: str = ""
    seat: str = ""

    def look_at(self, name: str) -> ColumnFacts:
        """Return what can be said of a column."""
        columns = {
            each: build_column(each, text_cells("" if cell is None else str(cell) for cell in cells))
            for each, cells in self.table.items()
            if each not in self.sources
        }
        for each in self.sources:
            columns[each] = build_column(each, text_cells(map(str, self.table[each])), is_source=True)
        if self.run:
            columns[self.run] = replace(columns[self.run], begins="turn")
        facts = build_facts(columns.values())
        there = {each.name: each for each in facts.columns}
        game = tuple(there[each] for each in self.game)
        person = there.get(self.person)
        row = Hypothesis(self.kind, person=person, game=game, seat=there.get(self.seat), order=there.get(self.order))
        return ColumnFacts(there[name], RowFacts(facts, row))


def drawn(levels: Sequence[object], rows: int, seed: int, p: Sequence[float] | None = None) -> list[object]:
    """Return levels that are drawn for each row."""
    return [levels[place] for place in np.random.default_rng(seed).choice(len(levels), rows, p=p)]


N = 96  # 12 people with 8 trials, or lone cases
PERSON, TRIAL = [f"P{row // 8}" for row in range(N)], [row % 8 + 1 for row in range(N)]
NUMBER = [row // 8 + 1 for row in range(N)]
AMOUNT = [round(float(each), 2) for each in np.random.default_rng(1).normal(50, 9, N)]
ARM = ["chat" if row // 8 % 2 else "voice" for row in range(N)]
SEX = ["w" if row // 8 < 8 else "m" for row in range(N)]
TASTE = drawn([0, 1], N, 5, [0.5, 0.5])[:8] * 8 + [1] * 20 + [0] * 12  # some people always do, some never
PEOPLE: dict[str, Cells] = {"uid": PERSON, "trial": TRIAL, "sum": AMOUNT, "way": ARM, "sex": SEX}
LONE: dict[str, Cells] = {"sum": AMOUNT, "way": ["chat", "voice"] * 48, "shift": ["day"] * 60 + ["night"] * 36}

# A choice of one of three alternatives, four times.
CHOICES: dict[str, Cells] = {
    "uid": [f"P{row // 12}" for row in range(N)],
    "task": [row // 3 % 4 + 1 for row in range(N)],
    "place": [row % 3 + 1 for row in range(N)],
    "taken": [int(row % 3 == (row // 3) ** 2 % 3) for row in range(N)],
    "colour": drawn(["red", "blue"], N, 3),
    "way": ["chat" if row // 12 % 2 else "voice" for row in range(N)],
}
LEFT_RIGHT: dict[str, Cells] = {
    f"{side}_{what}": drawn(range(1, 5), N, place)
    for place, (side, what) in enumerate([(side, what) for side in ("left", "right") for what in ("pay", "wait")])
} | {"picked": ["left"] * 60 + ["right"] * 36}
# Many people with pictures, each of which has a size.
PICTURES: dict[str, Cells] = {
    "uid": [f"P{row // 12}" for row in range(24 * 12)],
    "pic": [row % 12 + 1 for row in range(24 * 12)],
    "size": [31 + min(row % 12, 9) for row in range(24 * 12)],
    "sum": drawn(range(11, 40), 24 * 12, 8),
}
WORDS: dict[str, Cells] = {
    "uid": [f"P{row // 5}" for row in range(200)],
    "word": [f"word{'abcdefghij'[(row + row // 5) % 10]}" for row in range(200)],
    "mood": drawn([f"mood{letter}" for letter in "abcdefghij"], 200, 4),
}
GAMES: dict[str, Cells] = {
    "dyad": [row // 8 + 1 for row in range(N)],
    "message": drawn(["hello", "deal?", "no", "well", "fine"], N, 2),
    "sum": AMOUNT,
    "speaker": ["A", "B"] * 48,
    "way": ARM,
}
SENTENCES = [f"I would like to have {row} apples from this basket" for row in drawn(range(5000), N, 6)]
RULES_TOLD = " ".join(f"With choice{place} you lose {place}.5 points unless rule{place} holds." for place in range(12))
FORMS = [f"{RULES_TOLD} So far you have won {row} points." for row in drawn(range(5000), N, 7)]
BUNDLES = [f"{row % 4} hats, {row // 3 % 5} books" for row in range(N)]
RUNS = [row // 6 for row in range(N)]
YES_OR_NO = ["yes"] * 60 + ["no"] * 36
SESSIONS: dict[str, Cells] = {
    "uid": [f"P{row // 4}" for row in range(N)],
    "where": [f"lab {'abcdef'[row // 16]}" for row in range(N)],
    "fee": [5 + row // 16 % 3 for row in range(N)],
    "way": ["chat" if row // 16 % 2 else "voice" for row in range(N)],
    "sum": AMOUNT,
}
THREE: dict[str, Cells] = {
    "uid": [f"P{row // 32}" for row in range(N)],
    "trial": [row % 32 for row in range(N)],
    "sold": [21 if row < 32 else 5 for row in range(N)],
    "way": ["chat" if row < 64 else "voice" for row in range(N)],
    "sum": AMOUNT,
}
# A design of three factors, of which one has unequal levels that stand as often with those of the others.
CROSSED: dict[str, Cells] = {
    "a": ["high", "low"] * 50,
    "b": ["warm", "warm", "cold", "cold"] * 25,
    "c": ["plain"] * 60 + ["rich"] * 40,
    "sum": drawn(range(30, 60), 100, 9),
}
DEALS: dict[str, Cells] = {
    "deal": [int(row % 3 > 0) for row in range(N)],
    "price": [row % 7 + 1 if row % 3 else None for row in range(N)],
    "way": ["chat", "voice"] * 48,
}
# Four groups of four in each of two sessions play three rounds; groups have a number that begins anew.
GROUPS: dict[str, Cells] = {
    "lab": [row // 48 + 1 for row in range(N)],
    "team": [row // 12 % 4 + 1 for row in range(N)],
    "round": [row // 4 % 3 + 1 for row in range(N)],
    "nr": [row % 4 + 1 for row in range(N)],
    "uid": [f"P{row // 12 * 4 + row % 4}" for row in range(N)],
    "sum": AMOUNT,
}
# A prize of one of ten sizes, of which columns say whether it is a small, a middle or a large one.
PRIZES = [(3, 4, 5, 6, 20, 21, 22, 90, 95, 99)[row * 7 % 10] for row in range(N)]
DUMMIES: dict[str, Cells] = {
    "prize": PRIZES,
    "prize_1": [int(prize < 10) for prize in PRIZES],
    "prize_2": [int(9 < prize < 50) for prize in PRIZES],
    "prize_3": [int(prize > 50) for prize in PRIZES],
    "sum": AMOUNT,
    "way": ["chat", "voice"] * 48,
}
SCALE = [f"agree {word}" for word in ("not", "somewhat", "fully")]

KIND_CASES = {
    "it says what was taken": Case(CHOICES, "taken", "way", "repeated", "uid"),
    "describes one of two things side by side, of which one is taken": Case(LEFT_RIGHT, "left_pay", "picked"),
    "it numbers alternatives": Case(CHOICES, "place", "task", "repeated", "uid"),
    "it is a run of rows": Case({**GAMES, "run": RUNS}, "run", "way", "events", game=("dyad",), run="run"),
    "it holds moments": Case(
        {**LONE, "when": [f"2024-03-{row % 28 + 1:02} 10:{row % 60:02}:00" for row in range(N)]}, "when", "sum"
    ),
    "it numbers each row behind its person or game": Case(
        {"nr": NUMBER, "trial": TRIAL, "row": [f"{n}.{t}" for n, t in zip(NUMBER, TRIAL, strict=True)], "sum": AMOUNT},
        "row", "sum", "repeated", "nr",
    ),
    "it names whom people met": Case(
        {"nr": NUMBER, "met": [(n + t) % 12 + 1 for n, t in zip(NUMBER, TRIAL, strict=True)], "sum": AMOUNT},
        "met", "sum", "repeated", "nr",
    ),
    "it numbers the seats of each game": Case(GROUPS, "nr", "sum", "seats", "uid", game=("lab", "team", "round")),
    "it runs on from row to row of each game, as a clock does": Case(
        {**GAMES, "at": [round(row % 8 * 7.5 + AMOUNT[row] / 9, 1) if row % 8 else 1.5 for row in range(N)]},
        "at", "sum", "events", game=("dyad",),
    ),
    "it is what another column was in the row before": Case(
        {**PEOPLE, "last": [None if row % 8 == 0 else AMOUNT[row - 1] for row in range(N)]},
        "last", "sum", "repeated", "uid", order="trial",
    ),
    "it tells what is offered": Case({**GAMES, "sum": BUNDLES}, "sum", "way", "events", game=("dyad",)),
    "it holds forms that were filled in": Case({**LONE, "told": FORMS}, "told", "way"),
    "it holds sentences": Case({**LONE, "why": SENTENCES}, "why", "way"),
    "it is called as talk is": Case(GAMES, "message", "speaker", "events", game=("dyad",)),
    "it is called as an order, or a part of one": Case(PEOPLE, "trial", "sum", "repeated", "uid"),
    "it is another one in each row": Case({**LONE, "code": [f"x{row}y" for row in range(N)]}, "code", "way"),
    "it has few levels": Case(PEOPLE, "way", "sum", "repeated", "uid"),
    "it counts": Case({**LONE, "k": [row % 12 + 1 for row in range(N)]}, "k", "sum"),
    "it was set for each item": Case(PICTURES, "size", "sum", "repeated", "uid"),
    "it is a number": Case(LONE, "sum", "way"),
    "no person has one of its words twice": Case(WORDS, "word", "mood", "repeated", "uid"),
    "each person has each of its words as often": Case(
        {
            **WORDS,
            "uid": [f"P{row // 20}" for row in range(200)],
            "kind": [f"kind {'abcdefghij'[(3 * row + row // 10) % 10]}" for row in range(200)],
        },
        "kind", "mood", "repeated", "uid",
    ),
    "few words": Case({**LONE, "town": drawn([f"town {k}" for k in "abcdefghij"], N, 7)}, "town", "way"),
    "it has many words": Case({**LONE, "job": drawn([f"job {chr(97 + k)}" for k in range(24)], N, 7)}, "job", "way"),
}  # fmt: skip

# Eight people who meet the same six others twice, each of whom is of the own or of another team; what they give varies.
MET: dict[str, Cells] = {
    "uid": [f"P{row // 12}" for row in range(N)],
    "whom": [f"other {row % 6}" for row in range(N)],
    "gave": TASTE,
}

POINT_CASES = {
    "empty cells": Case({**LONE, "gap": [None, "x", "y", "y"] * 24}, "gap", "way"),
    "given equally often": Case(LONE, "way", "shift"),
    "drawn": Case(CROSSED, "c", "a"),
    "given unequally": Case({**LONE, "odd": ["x"] * 90 + ["y"] * 6}, "odd", "shift"),
    "one in each unit": Case(PEOPLE, "sex", "way", "repeated", "uid"),
    "one in each case": Case(LONE, "shift", "way"),
    "set within units": Case(
        {**PEOPLE, "foe": ["man" if row % 2 else "machine" for row in range(N)]}, "foe", "sex", "repeated", "uid"
    ),
    "alternatives": Case(CHOICES, "colour", "way", "repeated", "uid"),
    "rare alternatives": Case(
        {**CHOICES, "rare": ["yes" if row % 5 == 0 else "no" for row in range(N)]}, "rare", "colour", "repeated", "uid"
    ),
    "by chance": Case({**PEOPLE, "coin": drawn(["x", "y"], N, 11), "taste": TASTE}, "coin", "taste", "repeated", "uid"),
    "of items": Case(
        {**MET, "team": ["own" if row % 6 <= row // 12 % 5 else "other" for row in range(N)]},
        "team",
        "gave",
        "repeated",
        "uid",
    ),
    "freely": Case({**PEOPLE, "coin": drawn(["x", "y"], N, 11), "taste": TASTE}, "taste", "coin", "repeated", "uid"),
    "drawn with others": Case(CROSSED, "c", "sum"),
    "lone number": Case(THREE, "sold", "way", "repeated", "uid"),
    "words": Case({**LONE, "yes": [0, 0, 1, 1] * 24}, "way", "yes"),
    "numbers within": Case(
        {**CHOICES, "stake": [(row + row // 12) % 3 * 5 for row in range(N)]}, "stake", "way", "repeated", "uid"
    ),
    "yes or no": Case({**LONE, "yes": [0, 0, 1, 1] * 24}, "yes", "way"),
    "scale": Case({**LONE, "mood": drawn(range(1, 8), N, 3), "yes": [0, 0, 1, 1] * 24}, "mood", "yes"),
    "spelled out": Case(DUMMIES, "prize", "way"),
    "missing": Case({**LONE, "yes": [1, 0] * 48, "tone": ["warm", None, "cold", None] * 24}, "tone", "way"),
    "others missing": Case(DEALS, "deal", "way"),
    "others fixed": Case({**LONE, "over": YES_OR_NO, "sum": [*AMOUNT[:60], *[0] * 36]}, "over", "way"),
    "number of sessions": Case(SESSIONS, "fee", "way", "repeated", "uid"),
    "label of sessions": Case(SESSIONS, "way", "fee", "repeated", "uid"),
    "number of a game": Case(GROUPS, "team", "nr", "seats", "uid", game=("lab", "team", "round")),
    "source": Case({**LONE, "{file}": [f"log{row % 4}" for row in range(N)]}, "{file}", "way", sources=("{file}",)),
    "name of a condition": Case({**LONE, "treatment": ["x"] * 40 + ["y"] * 56}, "treatment", "way"),
    "name of a result": Case({**LONE, "accepted": [0, 1, 1] * 32}, "accepted", "way"),
    "name of a time": Case({**LONE, "duration": [1, 2, 3] * 32}, "duration", "way"),
    "name of a flag": Case({**LONE, "practice": ["yes"] * 20 + ["no"] * 76}, "practice", "way"),
    "order of people": Case(
        {**PEOPLE, "order": [1 + row // 8 % 4 // 2 for row in range(N)]}, "order", "sex", "repeated", "uid"
    ),
    "blocks": Case(
        {**LONE, "nr": range(1, N + 1), "lab": [1 + row // 24 for row in range(N)], "yes": [0, 0, 1, 1] * 24},
        "lab",
        "yes",
    ),
}

AGAINST_CASES = {
    "it is called an outcome": Case({**LONE, "accepted": [0, 0, 1, 1] * 24}, "accepted", "way"),
    "its words accept or reject": Case({**LONE, "over": ["accepted", "rejected", "rejected"] * 32}, "over", "way"),
    "it says how games ended": Case(
        {
            **GAMES, "came": [("x", "y")[row // 16 % 2] for row in range(N)],
            "mark": ["yes" if row % 8 == 7 and row // 16 % 2 else "no" for row in range(N)],
        },
        "came", "way", "events", game=("dyad",),
    ),
    "it names one of those who act": Case(
        {**GAMES, "first": [["A", "B"][row // 16 % 2] for row in range(N)]}, "first", "way", "events", game=("dyad",),
        seat="speaker",
    ),
    "it is an answer of a scale": Case(
        {**LONE} | {f"q{place}": drawn(SCALE, N, place) for place in range(4)}, "q1", "way"
    ),
    "it tells the members of a group apart in their names": Case(
        {
            "uid": [f"team{row // 16}-{row // 8 % 2}" for row in range(N)], "trial": TRIAL, "sum": AMOUNT,
            "team": [f"team{row // 16}" for row in range(N)], "m": [row // 8 % 2 for row in range(N)], "sex": SEX,
        },
        "m", "sex", "repeated", "uid",
    ),
    "it numbers the members of each group": Case(
        {
            "uid": [f"P{row // 6}" for row in range(108)], "trial": [row % 6 + 1 for row in range(108)],
            "team": [f"team{row // 18}" for row in range(108)], "m": [row // 6 % 3 + 1 for row in range(108)],
            "sum": AMOUNT + AMOUNT[:12], "sex": ["w"] * 60 + ["m"] * 48,
        },
        "m", "sex", "repeated", "uid",
    ),
    "it is called a person": Case({**LONE, "worker": ["ann", "ben", "cy"] * 32}, "worker", "way"),
    "it is called a game": Case({**LONE, "pair": [1, 2, 3] * 32}, "pair", "way"),
    "it is called a seat": Case(GAMES, "speaker", "way", "events", game=("dyad",)),
    "its levels are codes that a program made": Case(
        {**LONE, "hit": ["35VN5BQM8VGHCME7JEF72KMW", "3PUN5J88E7Q1F6QW4EKD7X76", "3PUN5J88E7Q1F6QW4EKD7X76"] * 32},
        "hit", "way",
    ),
    "it counts sessions": Case({**LONE, "session": [1, 2, 3] * 32}, "session", "way"),
    "it numbers blocks": Case(
        {**PEOPLE, "blk": [row % 8 // 4 + 1 for row in range(N)], "t": [row % 4 + 1 for row in range(N)]},
        "blk", "sex", "repeated", "uid",
    ),
}  # fmt: skip


OF_GROUPS = {
    "group.buyers": set(),
    "group.treatment": {"condition"},
    "group.total_offer": {"amount"},
    "group": {"condition"},
}


@pytest.mark.parametrize(("name", "roles"), OF_GROUPS.items())
def test_that_a_value_is_of_a_group_does_not_say_what_it_is(name: str, roles: set[str]) -> None:
    assert roles_of(name) == roles


def test_each_rule_has_a_case() -> None:
    assert [rule.reason for rule in KINDS] == [*KIND_CASES]
    assert [rule.aspect for rule in RULES] == [*POINT_CASES]
    assert [reason for reason, _ in AGAINST] == [*AGAINST_CASES]


@pytest.mark.parametrize("rule", KINDS, ids=lambda rule: rule.reason)
def test_a_column_is_what_the_first_rule_says(rule: KindRule) -> None:
    case = KIND_CASES[rule.reason]
    assert kind_of(case.look_at(case.column)) is rule
    assert kind_of(case.look_at(case.other)) is not rule


@pytest.mark.parametrize("place", range(len(RULES)), ids=[rule.aspect for rule in RULES])
def test_points_are_given_for_what_is_there(place: int) -> None:
    rule = RULES[place]
    case = POINT_CASES[rule.aspect]
    own, other = case.look_at(case.column), case.look_at(case.other)
    assert rule.holds(own)
    assert not rule.holds(other)
    points, words = score(own)
    assert points == pytest.approx(sum(each.points for each in RULES if each.holds(own)))
    assert any(text.startswith(rule.reason.format(of=own)) for text in words)


@pytest.mark.parametrize("place", range(len(AGAINST)), ids=[reason for reason, _ in AGAINST])
def test_some_columns_are_never_likely(place: int) -> None:
    reason, holds = AGAINST[place]
    case = AGAINST_CASES[reason]
    own, other = case.look_at(case.column), case.look_at(case.other)
    assert holds(own)
    assert is_never_likely(own)
    assert not holds(other)


def test_what_is_called_a_condition_may_be_one_though_it_is_called_a_seat_too() -> None:
    case = Case(
        {**GAMES, "speaker_condition": ["A", "A", "B", "B"] * 24}, "speaker_condition", "way", "events", game=("dyad",)
    )
    assert not is_never_likely(case.look_at("speaker_condition"))


def test_reasons_that_cancel_out_are_not_told() -> None:
    case = Case({**LONE, "offer_condition": ["x"] * 40 + ["y"] * 56}, "offer_condition", "way")
    own = case.look_at("offer_condition")
    assert {rule.aspect for rule in RULES if rule.holds(own)} >= {"name of a condition", "name of a result"}
    assert not [text for text in score(own)[1] if text.startswith("its name")]


def test_what_was_set_for_each_item_is_no_outcome_whatever_it_is_called() -> None:
    assert not Case({**LONE, "share": [1, 3, 5] * 32}, "share", "way").look_at("share").is_of_items
    few = Case({**PICTURES, "share": [row % 12 % 3 for row in range(24 * 12)]}, "share", "sum", "repeated", "uid")
    assert few.look_at("share").is_of_items
    assert not is_never_likely(few.look_at("share"))
