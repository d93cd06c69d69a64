"""What is suspicious about a study's tables: each fault is found where it is, with its count, and no sound value is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats.studies import Provenance, Study
from negstats.studies.records import Record
from negstats.studies.suspicions import share_missing, suspicions
from negstats.tables import conform

N = 25  # games; a side has each of 3 to 7 points in five of them: quartiles 4 and 6
GAMES = [f"g{game}" for game in range(N)]
POINTS = [float(3 + game % 5) for game in range(N)]
REST = [10 - one for one in POINTS]


def study_of(
    points: Sequence[float] = (),
    ids: Sequence[str | None] = (),
    roles: Sequence[str] = ("buyer", "seller"),
    more_offers: Sequence[dict[str, Any]] = (),
    times: Sequence[float] = (),
    observers: Sequence[str] = (),
    records: Sequence[Record] = (),
    **columns: Any,
) -> Study:
    """Return 25 sound games of two, each with one accepted offer that is worth what the seats got, but for changes.

    The first points and ids are those given, and so are whole columns of games (condition, ended, scenario) and offers.
    """
    got = [*points, *POINTS[len(points) : N], *REST][: 2 * N]
    seats = {"game_id": GAMES * 2, "player": ["A"] * N + ["B"] * N, "points": got, "kind": ["human"] * 2 * N}
    people = [*ids, *(f"person {seat}" for seat in range(len(ids), 2 * N))]
    players = pd.DataFrame(seats | {"role": np.repeat(roles, 2 * N // len(roles)), "participant_id": people})
    observed = pd.DataFrame({"game_id": observers, "player": "C", "kind": "human"})
    games = {"game_id": GAMES, "ended": ["agreement"] * N, "condition": ["a", "b"] * 12 + ["a"]}
    offers = {
        "game_id": GAMES, "offer": [1] * N, "proposer": ["A"] * N, "responder": ["B"] * N, "response": ["accepted"] * N,
        "units_to_proposer": POINTS, "units_to_responder": REST,
        "value_proposer": got[:N], "value_responder": got[N:],
    }  # fmt: skip
    offers |= {name: values for name, values in columns.items() if name in ("response", "time_s", "time_share")}
    offers |= {name: values for name, values in columns.items() if name.startswith(("units_", "value_"))}
    games |= {name: values for name, values in columns.items() if name not in offers}
    said = {"game_id": ["g7"] * len(times), "message": range(1, len(times) + 1), "time_s": times}
    return Study(
        games=conform("games", games),
        players=conform("players", pd.concat([players, observed], ignore_index=True) if len(observers) else players),
        offers=conform("offers", pd.concat([pd.DataFrame(offers), pd.DataFrame(more_offers)], ignore_index=True)),
        messages=conform("messages", said | {"sender": ["A"] * len(times), "text": ["yes"] * len(times)}),
        provenance=Provenance("by hand", "1", records=tuple(records)),
    )


def first(values: Sequence[Any], rest: Any) -> list[Any]:
    """Return the first values of 25 games, and one for all others."""
    return [*values, *[rest] * (N - len(values))]


def second_offer(game: str, response: str = "accepted", **values: Any) -> dict[str, Any]:
    return {"game_id": game, "offer": 2, "proposer": "A", "responder": "B", "response": response, **values}


def far(value: float) -> Record:
    return Record("points_far", "players.points", 1, 2 * N, (value, "A", "g0"))


def code(value: int, count: int, low: float = 3.0, high: float = 7.0) -> Record:
    return Record("missing_code", "players.points", count, 2 * N, (value, low, high, "points"))


def lone(level: str) -> Record:
    return Record("lone_level", "condition", 1, N, (level,))


def damaged(kind: str, count: int) -> Record:
    return Record(f"damaged_{kind}", "", count, 40)


def at_offer(kind: str, count: int, game: str, order: int = 1, of: int = N, place: str = "") -> Record:
    return Record(kind, place, count, of, (game, order, "offer"))


FAULTS: dict[str, tuple[dict[str, Any], list[Record]]] = {
    "sound": ({}, []),
    "one game in twenty is damaged": ({"records": [damaged("games", 2)]}, []),
    "more are": ({"records": [damaged("games", 3)]}, [Record("many_damaged", "games", 3, 40)]),
    "files are": ({"records": [damaged("files", 40)]}, [Record("many_damaged", "files", 40, 40)]),
    "a third seat": ({"observers": ["g4"]}, [Record("seats_differ")]),
    "three seats": ({"observers": GAMES}, []),
    "a person plays twice": ({"ids": ["x", "y", "x"]}, []),
    "a person has two seats": (
        {"ids": ["x", "y", *map(str, range(23)), "x", "y"]}, [Record("seats_of_one", "", 2, N, ("g0",))]),
    "nobody is known": ({"ids": [None] * 50}, []),
    "roles": (
        {"roles": ["Buyer", "buyer ", "seller", "owner", "buyer"]},
        [Record("roles_spelled", "role", 3, values=("Buyer", "buyer ", "buyer"))],
    ),
    "people": ({"ids": ["P01", "p01", "Q 2", "q  2"]}, [Record("people_spelled", "", 2, values=("P01", "p01"))]),
    "people of one game": ({"ids": ["P01", *map(str, range(24)), "p01"]}, []),
    "codes of any letters": ({"ids": ["aBc", "abc"]}, []),
    "levels": (
        {"condition": first(["Chat", "chat"] * 2, "video")},
        [Record("levels_spelled", "condition", 2, values=("Chat", "chat"))],
    ),
    "one game of a level": ({"condition": first("c", "a")}, [lone("c")]),
    "one level": ({"condition": first([], "a")}, []),
    "six levels": ({"condition": first("uvwwxxyy", "a")}, [lone("u"), lone("v")]),
    "seven levels": ({"condition": first("tuvwwxxyy", "a")}, []),
    "two numbers": ({"condition": first("1", "2")}, [lone("1")]),
    "three numbers": ({"condition": first("13", "2")}, []),
    "a single value": (
        {"points": [5.0] * 50, "value_proposer": [5.0] * N}, [Record("points_single", "", 50)]),
    "a single row of points": ({"points": [5.0, *[np.nan] * 49]}, []),
    "ten ranges above": ({"points": [26.0]}, []),
    "beyond them": ({"points": [26.5]}, [far(26.5)]),
    "ten ranges below": ({"points": [-16.0]}, []),
    "beyond them, too": ({"points": [-16.5]}, [far(-16.5)]),
    "two far away": ({"points": [-16.5, 26.5]}, []),
    "half without a range": ({"points": [*[5.0] * 49, 8.0]}, []),
    "infinite": ({"points": [np.inf, -np.inf]}, [Record("points_infinite", "players.points", 2, 50)]),
    "-1 twice": ({"points": [-1.0, -1.0]}, [code(-1, 2)]),
    "-1 once": ({"points": [-1.0]}, []),
    "-1 among losses": ({"points": [-1.0, -1.0, -2.0]}, []),
    "-9 beside a zero": ({"points": [-9.0, -9.0, 0.0]}, [code(-9, 2, 0.0)]),
    "99 far away": ({"points": [99.0, 99.0]}, [code(99, 2)]),
    "999 and 9999": ({"points": [9999.0, 9999.0, -999.0, -999.0]}, [code(9999, 2, -999.0, 7.0)]),
    "-99": ({"points": [-99.0, -99.0]}, [code(-99, 2)]),
    "-999": ({"points": [-999.0, -999.0]}, [code(-999, 2)]),
    "999": ({"points": [999.0, 999.0]}, [code(999, 2)]),
    "100 and 1000": ({"points": [100.0, 100.0, 1000.0, 1000.0]}, []),
    "99 within a range": ({"points": [99.0, 98.0, 0.0]}, []),
    "99 as far as the others": ({"points": [99.0, 51.0]}, []),
    "99 farther": ({"points": [99.0, 50.9]}, [code(99, 1, 3.0, 50.9)]),
    "two acceptances": (
        {"more_offers": [second_offer("g3"), second_offer("g2", "rejected")]},
        [Record("several_accepted", "offers.response", 1, N, ("g3",))],
    ),
    "two acceptances on the way": (
        {"more_offers": [second_offer("g3")], "ended": first(["goal"] * 4, "agreement")}, []),
    "no acceptance": (
        {"response": first(["accepted", "rejected", "superseded"], "accepted")},
        [Record("none_accepted", "offers.response", 2, N, ("g1",))],
    ),
    "no answer": ({"response": first(["none"], "accepted")}, []),
    "no agreement": ({"response": first(["rejected"], "accepted"), "ended": first(["timeout"], "agreement")}, []),
    "less than nothing": (
        {"units_to_proposer": [-0.5, *POINTS[1:]]}, [at_offer("units_negative", 1, "g0")]),
    "more than all": (
        {"units_to_proposer": [10.5, 10.0, *POINTS[2:]],
         "units_to_responder": [-0.5, 0.0, *REST[2:]]},
        [at_offer("units_negative", 1, "g0"), at_offer("units_above_total", 1, "g0")],
    ),
    "nothing at all": (
        {"units_to_proposer": [3.0, 0.0, 0.0, *POINTS[3:]],
         "units_to_responder": [7.0, 0.0, 0.0, *REST[3:]]},
        [at_offer("nothing_divided", 2, "g1")],
    ),
    "nothing anywhere": ({"units_to_proposer": [0.0] * N, "units_to_responder": [0.0] * N}, []),
    "one side's units": ({"units_to_responder": [np.nan] * N}, []),
    "values": (
        {"value_proposer": [3.0, 4.5, 5.5, *POINTS[3:]]}, [at_offer("values_not_points", 2, "g1")]),
    "values of the other side": (
        {"value_responder": [*REST[:-1], 0.0]}, [at_offer("values_not_points", 1, "g24")]),
    "values of no agreement": (
        {"value_proposer": [9.0, *POINTS[1:]], "ended": first(["timeout"], "agreement")}, []),
    "values on the way": (
        {"value_proposer": [9.0, *POINTS[1:]], "ended": first(["goal"], "agreement"),
         "more_offers": [second_offer("g0")]},
        [],
    ),
    "shares of time": ({"time_share": first([0.0, 1.0, -0.5, 1.5], 0.5)}, [at_offer("time_share_outside", 2, "g2")]),
    "times": (
        {"time_s": first([0.0, -2.0, 5.0], 5.0),
         "more_offers": [second_offer(game, "rejected", time_s=time) for game, time in (("g2", 4.0), ("g4", 5.0))]},
        [at_offer("time_before_game", 1, "g1", of=N + 2, place="offers"),
         at_offer("time_runs_back", 1, "g2", 2, N + 2, "offers")],
    ),
    "times of messages": (
        {"times": [3.0, 3.0, 2.0, -1.0]},
        [
            Record("time_before_game", "messages", 1, 4, ("g7", 4, "message")),
            Record("time_runs_back", "messages", 2, 4, ("g7", 3, "message")),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_found_with_its_count_and_place(name: str) -> None:
    changes, records = FAULTS[name]
    assert list(suspicions(study_of(**changes))) == records


@pytest.mark.parametrize(
    ("totals", "differ"),
    [
        ([1.0, 10.0], True),
        ([1.0, 100.0], True),
        ([10.0, 50.0], False),
        ([1.0, 9.0], False),
        ([3.0, 10.0, 30.0], False),  # neighbours alone are compared
        ([1.0, 10.0, 12.0, 13.0, 14.0], True),
    ],
)
def test_totals_that_differ_by_powers_of_ten_are_a_slip_of_the_scale(totals: list[float], differ: bool) -> None:
    each = [totals[place * len(totals) // N] for place in range(N)]
    units: dict[str, Any] = {
        "units_to_proposer": [one / 4 for one in each],
        "units_to_responder": [one * 3 / 4 for one in each],
    }
    record = Record("totals_differ", "offers.units", N, N, tuple(totals))
    assert list(suspicions(study_of(**units))) == [record] * differ


def test_pies_that_vary_from_offer_to_offer_are_no_slip_of_the_scale() -> None:
    """Where six totals or fewer occur together one may be a slip; seven are a pie that varies."""
    totals = np.repeat([1.0, 10.0, 12.0, 13.0, 14.0], 5)
    for last in (15.0, 16.0):
        units = {"units_to_proposer": last / 2, "units_to_responder": last / 2}
        more = [second_offer(game, "rejected", **units) for game in GAMES[:5]]
        more += [second_offer(game, "rejected", units_to_proposer=7.5, units_to_responder=7.5) for game in GAMES[5:10]]
        found = suspicions(study_of(units_to_proposer=totals / 4, units_to_responder=totals * 3 / 4, more_offers=more))
        assert [record.kind for record in found] == ["totals_differ"] * (last == 15.0)


@pytest.mark.parametrize(("few", "scenarios"), [(4, 1), (12, 2)])
def test_few_offers_and_totals_of_two_scenarios_are_no_slip(few: int, scenarios: int) -> None:
    """Each total stands in five offers at least, and all in one scenario."""
    each = np.repeat([1.0, 10.0], [N - few, few])
    scenario = [f"{one if scenarios > 1 else 1}" for one in each]
    assert not suspicions(study_of(units_to_proposer=each / 4, units_to_responder=each * 3 / 4, scenario=scenario))


@pytest.mark.parametrize(("missing", "share"), [((6, 6, 6, 6, 6, 7, 7), 0.5), ((6, 6, 6, 6, 7, 7, 7), 45 / 88)])
def test_more_than_half_of_the_cells_in_use_are_missing(missing: tuple[int, ...], share: float) -> None:
    """Of eight games with two columns and eight seats with nine: one that holds nothing at all is not in use."""
    ids = [f"g{game}" for game in range(8)]
    filled = {"role": "x", "kind": "human", "agent": "y", "participant_id": "z", "points": 1.0, "batna": 0.0}
    columns = {
        name: [value] * (8 - count) + [None] * count
        for (name, value), count in zip([*filled.items(), ("reached_goal", True)], missing, strict=True)
    }
    study = Study(
        games=conform("games", {"game_id": ids, "ended": ["agreement"] * 8}),
        players=conform("players", {"game_id": ids, "player": ["A"] * 8, **columns}),
        provenance=Provenance("by hand", "1"),
    )
    assert share_missing(study) == share
    assert (Record("mostly_missing") in suspicions(study)) == (share > 0.5)
    empty = replace(study, games=conform("games", {"game_id": []}), players=conform("players", {"game_id": []}))
    assert share_missing(empty) == 0
    assert not suspicions(empty)
