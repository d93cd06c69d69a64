"""Which level each person met first: where an order is known, and only there."""

from __future__ import annotations

import pandas as pd
import pytest

from negstats.analysis.first_levels import first_levels
from negstats.analysis.plan.parse import parse
from negstats.studies import Provenance, Study
from negstats.tables import conform

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
