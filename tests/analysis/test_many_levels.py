"""Factors of many levels, and which level a person met first."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from negstats.analysis import run
from negstats.analysis.first_levels import first_levels
from negstats.analysis.plan.parse import parse
from negstats.studies.provenance import Provenance
from negstats.studies.study import Study
from negstats.tables import conform

AGENTS = [f"agent {place}" for place in range(12)]  # whose order as text is another one: 0, 1, 10, 11, 2, ...


@pytest.fixture(scope="module")
def seats() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    pairs = [(first, second) for first in AGENTS for second in AGENTS if first < second]
    rows = []
    for place, pair in enumerate(pairs * 2):
        shared = rng.normal()
        rows += [
            {"game_id": f"g{place}", "player": seat, "agent": agent, "points": shared + rng.normal() + index / 5}
            for seat, agent in zip("AB", pair, strict=True)
            for index in [AGENTS.index(agent)]
        ]
    return pd.DataFrame(rows)


def answer(seats: pd.DataFrame, levels: list[str]) -> dict[str, dict[str, float]]:
    """Return the F test, and the difference of each two levels, by what they are called."""
    ids = list(dict.fromkeys(seats["game_id"]))
    study = Study(
        games=conform("games", {"game_id": ids, "ended": ["agreement"] * len(ids)}),
        players=conform("players", seats.assign(kind="agent")),
        provenance=Provenance("by hand", "1"),
    )
    quoted = ", ".join(f'"{level}"' for level in levels)
    plan = parse(
        f'title = "x"\n[data]\npath = "x"\n[factors.agent]\nlevels = [{quoted}]\n'
        '[questions.H1]\nasks = "Do agents differ?"\nmeasure = "points"\nby = "agent"\n'
    )
    (question,) = run(plan, study).results["questions"]
    tests = {test["address"].removeprefix("H1").removeprefix("#"): test for test in question["tests"]}
    pairs = {name: one["estimate"]["value"] for name, one in tests.items() if " - " in name and one["estimate"]}
    return {"F": {"statistic": tests[""]["statistic"], "p": tests[""]["p"]}, "pairs": pairs}


@pytest.mark.slow
def test_differences_are_those_of_statsmodels(seats: pd.DataFrame) -> None:
    pairs = answer(seats, AGENTS)["pairs"]
    assert len(pairs) == 66
    fit = smf.mixedlm("points ~ C(agent)", seats, groups="game_id").fit(reml=True)
    worth = {level: 0.0 if level == AGENTS[0] else fit.params[f"C(agent)[T.{level}]"] for level in AGENTS}
    for name, value in pairs.items():
        first, second = name.split(" - ")
        assert value == pytest.approx(worth[first] - worth[second], abs=1e-4)


@pytest.mark.slow
def test_the_order_of_levels_changes_signs_only(seats: pd.DataFrame) -> None:
    one, other = answer(seats, AGENTS), answer(seats, AGENTS[::-1])
    assert one["F"] == pytest.approx(other["F"], rel=1e-8)
    turned = {" - ".join(name.split(" - ")[::-1]): -value for name, value in other["pairs"].items()}
    assert one["pairs"] == pytest.approx(turned, abs=1e-8)


PLAN = parse('[questions]\nH1 = { asks = "a?", measure = "points", by = "condition" }')
ENTRIES = [{"design": {"factors": [{"name": "condition", "lies": "within", "levels": ["a", "b"]}]}}]


def _study(people: list[str], conditions: list[str], **columns: list[object]) -> Study:
    ids = [f"g{place}" for place in range(len(people))]
    games = conform("games", {"game_id": ids, "ended": ["agreement"] * len(ids), "condition": conditions, **columns})
    players = conform(
        "players", {"game_id": ids, "player": ["p"] * len(ids), "kind": ["human"] * len(ids), "participant_id": people}
    )
    return Study(games=games, players=players, provenance=Provenance("by hand", "1"))


def _counts(study: Study) -> list[dict[str, object]]:
    return [
        {"by": row["by"], **{one["level"]: one["n"] for one in row["levels"]}}
        for row in first_levels(PLAN, study, ENTRIES)
    ]


PEOPLE, CONDITIONS = ["x", "x", "y", "y", "z", "z"], ["a", "b", "b", "a", "a", "b"]


def test_numbers_inside_names_are_in_their_own_order() -> None:
    sessions: list[object] = ["s 2", "s 10", "s 2", "s 10", "s 10", "s 2"]
    assert _counts(_study(PEOPLE, CONDITIONS, session=sessions)) == [{"by": "session", "a": 1, "b": 2}]


def test_times_give_an_order() -> None:
    times: list[object] = list(pd.date_range("2024-01-01", periods=6, tz="UTC"))
    assert _counts(_study(PEOPLE, CONDITIONS, started_at=times)) == [{"by": "started_at", "a": 2, "b": 1}]


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"place": [1, 2, 1, 2, 1, 2]},  # a column that is called otherwise says nothing of an order
        {"session": [1, 1, 1, 2, 1, 2]},  # x has two first games
        {"session": [1, None, 1, 2, 1, 2]},
    ],
)
def test_without_an_order_of_everybody_nothing_is_counted(columns: dict[str, list[object]]) -> None:
    assert _counts(_study(PEOPLE, CONDITIONS, **columns)) == []


def test_a_factor_between_persons_has_no_order() -> None:
    session: list[object] = [1, 2, 1, 2, 1, 2]
    assert _counts(_study(PEOPLE, ["a", "a", "b", "b", "a", "b"], session=session)) == []


def test_games_of_each_person_at_a_level_are_counted_where_all_have_the_same() -> None:
    session: list[object] = [1, 2, 3, 1, 2, 3]
    alike = _study(["x", "x", "x", "y", "y", "y"], ["a", "b", "b", "b", "a", "b"], session=session)
    unlike = _study(["x", "x", "x", "y", "y", "y"], ["a", "b", "b", "b", "a", "a"], session=session)
    each = [[one.get("each") for one in row["levels"]] for study in (alike, unlike)
            for row in first_levels(PLAN, study, ENTRIES)]  # fmt: skip
    assert each == [[1, 2], [None, None]]
