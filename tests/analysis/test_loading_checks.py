"""The ten lines of the sanity check: each flag where it belongs, and none on sound studies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.analysis import describe
from negstats.analysis.loading_checks import LoadingCheck, check_loading
from negstats.loaders.mapping import read, read_mapping
from negstats.studies import LeftOut, Provenance, Source, Study
from negstats.studies.records import Record
from negstats.tables import conform
from tests.conftest import DataFolder

ABOUT = ["source", "games", "seats", "kind", "factors", "points", "offers", "units and values", "time", "excluded"]


def study(**changes: dict[str, list[Any]]) -> Study:
    """Four ultimatum games, one of them rejected; `changes` replaces columns of the tables."""
    games = [f"g{number}" for number in range(1, 5)]
    tables: dict[str, dict[str, list[Any]]] = {
        "games": {
            "game_id": games,
            "ended": ["agreement"] * 3 + ["walkaway"],
            "condition": ["one", "one", "two", "two"],
        },
        "players": {
            "game_id": [game for game in games for _ in range(2)],
            "player": ["A", "B"] * 4,
            "kind": ["human"] * 8,
            "participant_id": [f"p{number}" for number in range(8)],
            "points": [6, 4, 5, 5, 7, 3, 0, 0],
        },
        "offers": {
            "game_id": games,
            "offer": [1] * 4,
            "proposer": ["A"] * 4,
            "responder": ["B"] * 4,
            "units_to_proposer": [6, 5, 7, 9],
            "units_to_responder": [4, 5, 3, 1],
            "value_proposer": [6, 5, 7, 9],
            "value_responder": [4, 5, 3, 1],
            "time_s": [1.0, 2.0, 3.0, 4.0],
            "response": ["accepted"] * 3 + ["rejected"],
        },
    }
    frames = {name: conform(name, columns | changes.get(name, {})) for name, columns in tables.items()}
    provenance = Provenance("mapping", "1", (Source("log.csv", "0" * 64, 9),), (LeftOut("log.csv", 9, "where a"),))
    return Study(provenance=provenance, **frames)


def lines(**changes: dict[str, list[Any]]) -> dict[str, LoadingCheck]:
    return {line.about: line for line in check_loading(study(**changes))}


def test_a_sound_study_has_ten_lines_and_no_doubts() -> None:
    assert [str(line) for line in check_loading(study())] == [
        "  source: mapping, 1 files, 9 rows read",
        "  games: 4; agreement 3, walkaway 1",
        "  seats: 2 a game; 8 people, 1 game each",
        "  kind: human 8",
        "  factors: condition (one 2, two 2)",
        "  points: n 8, 0% missing, 0 to 7, median 4.5",
        "  offers: 4; 1 a game; accepted 3, rejected 1",
        "  units and values: units 1 to 9, median 5; both sides always 10; "
        "value 1 to 9, median 5; both sides always 10",
        "  time: offers 1 to 4 s",
        "  excluded: 1 × where a; 0 messages, 0 answers; 0% of cells missing",
    ]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("about", "doubt", "changes"),
    [
        ("factors", "condition two has one game", {"games": {"condition": ["one", "one", "one", "two"]}}),
        ("points", "a single value", {"players": {"points": [5] * 8}}),
        (
            "points",
            "9999 of B in g2 is far from all others",
            {"players": {"points": [6, 4, 5, 9999, 7, 3, 0, 0]}},
        ),
        (
            "offers",
            "1 agreed games without an accepted offer, the first is g2",
            {"offers": {"response": ["accepted", "rejected", "accepted", "rejected"]}},
        ),
        (
            "units and values",
            "1 offers with negative units, the first is offer 1 of g3",
            {"offers": {"units_to_proposer": [6, 5, -1, 9]}},
        ),
        (
            "units and values",
            "2 offers above the total, the first is offer 1 of g2",
            {"offers": {"units_to_proposer": [6, 50, 70, 9], "units_to_responder": [4, None, None, 1]}},
        ),
        (
            "units and values",
            "1 accepted offers whose values are not the points, the first is offer 1 of g1",
            {"offers": {"value_responder": [3, 5, 3, 1]}},
        ),
        ("time", "1 offers before the game, the first is offer 1 of g1", {"offers": {"time_s": [-1.0, 2, 3, 4]}}),
        (
            "time",
            "1 shares of time outside 0 to 1, the first is offer 1 of g4",
            {"offers": {"time_share": [0, 0.5, 1, 1.5]}},
        ),
    ],
)
def test_each_flag(about: str, doubt: str, changes: dict[str, dict[str, list[Any]]]) -> None:
    found = lines(**changes)
    assert doubt in found[about].suspicious
    assert str(found[about]).startswith("! ")
    others = {"units and values"} if about == "points" else set()  # a deal is then worth something else
    assert {name for name, line in found.items() if line.suspicious} == {about} | others


def test_two_deals_in_a_game_and_time_that_runs_back() -> None:
    base = study()
    again = base.offers.iloc[[0]].assign(offer=2, time_s=0.5)
    offers = pd.concat([base.offers, again], ignore_index=True)
    found = {
        line.about: line
        for line in check_loading(
            Study(games=base.games, players=base.players, offers=offers, provenance=base.provenance)
        )
    }
    assert found["offers"].suspicious == ("1 games with several accepted offers, the first is g1",)
    assert found["time"].suspicious == ("1 offers earlier than the one before, the first is offer 2 of g1",)


def test_a_seat_too_few() -> None:
    base = study()
    fewer = Study(
        games=base.games, players=base.players.iloc[:7], offers=base.offers.iloc[:3], provenance=base.provenance
    )
    seats = next(line for line in check_loading(fewer) if line.about == "seats")
    assert seats.text == "1-2-2 a game; 7 people, 1 game each"
    assert seats.suspicious == ("not the same number in each game",)


def test_an_empty_study() -> None:
    empty = Study(games=conform("games", {"game_id": []}), provenance=Provenance("by hand", "1"))
    found = check_loading(empty)
    assert [line.about for line in found] == ABOUT
    assert not any(line.suspicious for line in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["otree/all_apps_wide.csv", "otree_dyads/all_apps_wide.csv", "empirica_v2", "jspsych", "qualtrics", "solver_cl"],
)
def test_sound_logs_raise_no_doubt(name: str, real_data: DataFolder) -> None:
    folder, _, file = name.partition("/")
    found = check_loading(negstats.load(real_data(folder) / file))
    assert [line.about for line in found] == ABOUT
    assert [str(line) for line in found if line.suspicious] == []


def many(choices: list[str], units: list[float], total: float | list[float] = 10) -> Study:
    """A study with one offer a game: what the responder gets, and the answer."""
    games = [f"g{number}" for number in range(len(choices))]
    totals = total if isinstance(total, list) else [total] * len(games)
    frames = {
        "games": conform("games", {"game_id": games, "ended": ["unknown"] * len(games)}),
        "players": conform(
            "players",
            {"game_id": [game for game in games for _ in "AB"], "player": [*"AB"] * len(games)},
        ),
        "offers": conform(
            "offers",
            {
                "game_id": games,
                "offer": [1] * len(games),
                "proposer": ["A"] * len(games),
                "responder": ["B"] * len(games),
                "units_to_proposer": [whole - part for whole, part in zip(totals, units, strict=True)],
                "units_to_responder": units,
                "response": choices,
            },
        ),
    }
    return Study(provenance=Provenance("mapping", "1"), **frames)


def doubts(study: Study, about: str) -> str:
    return " ".join(next(line for line in check_loading(study) if line.about == about).suspicious)


ANSWERS = ["rejected"] * 10 + ["accepted"] * 2 + ["rejected"] * 2 + ["accepted"] * 10
AMOUNTS = [float(amount) for amount in (1, 1, 1, 2, 2, 2, 2, 1, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 4, 5, 5, 5)]
OTHER = {"accepted": "rejected", "rejected": "accepted"}


@pytest.mark.slow
def test_acceptance_that_falls_with_what_the_responder_gets() -> None:
    assert "coded" not in doubts(many(ANSWERS, AMOUNTS), "offers")
    turned = many([OTHER[answer] for answer in ANSWERS], AMOUNTS)
    assert "acceptance falls with what the responder gets: on average 2.17 where accepted, 4.75" in doubts(
        turned, "offers"
    )
    # Of the proposer's side alone it rises; a few answers, or none that differ, prove nothing.
    alone = turned.offers.assign(units_to_responder=float("nan"))
    one_side = Study(games=turned.games, players=turned.players, offers=alone, provenance=turned.provenance)
    assert "acceptance rises with what the proposer keeps" in doubts(one_side, "offers")
    assert not doubts(many(["rejected", "accepted"] * 4, [5, 1] * 4), "offers")


def log_that_changes(cut: int, seed: int = 1, n: int = 200) -> Study:
    """A study whose answers are coded the other way round from a game on."""
    draw = np.random.default_rng(seed)
    units = draw.integers(0, 7, n).astype(float)
    accepts = draw.random(n) < 1 / (1 + np.exp(2.5 - units))
    turned = np.where(np.arange(n) >= cut, ~accepts, accepts)
    return many(["accepted" if one else "rejected" for one in turned], units.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("cut", [60, 100, 140])
def test_a_coding_that_changes_midway_is_named_with_its_game(cut: int) -> None:
    doubt = doubts(log_that_changes(cut), "offers")
    assert f"up to about game g{cut - 1} acceptance rises with what the responder gets, and after it it falls" in doubt
    turned = log_that_changes(cut)
    other = turned.offers.assign(response=turned.offers["response"].map(OTHER))
    study = Study(games=turned.games, players=turned.players, offers=other, provenance=turned.provenance)
    assert f"up to about game g{cut - 1} acceptance falls with what the responder gets, and after it it rises" in (
        doubts(study, "offers")
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_sound_log_and_answers_by_chance_change_nowhere(seed: int) -> None:
    assert not doubts(log_that_changes(200, seed), "offers")
    draw = np.random.default_rng(seed)
    chance = many(draw.choice(["accepted", "rejected"], 200).tolist(), draw.integers(0, 7, 200).astype(float).tolist())
    assert "change" not in doubts(chance, "offers")


def test_pies_of_two_sizes_are_compared_within_their_size() -> None:
    """A large amount of a large pie is a small share: accepted less, and no sign of a wrong coding."""
    small = [answer for answer, amount in zip(ANSWERS, AMOUNTS, strict=True) if amount]
    both = many([*small, *["rejected"] * 24], [*AMOUNTS, *[6.0, 7.0] * 12], [*[10.0] * 24, *[30.0] * 24])
    assert "coded" not in doubts(both, "offers")


@pytest.mark.slow
def test_totals_of_other_orders_and_of_nothing() -> None:
    both = many(ANSWERS * 2, [*AMOUNTS, *(100 * amount for amount in AMOUNTS)], [10.0] * 24 + [1000.0] * 24)
    assert "totals of 10, 1000 occur together" in doubts(both, "units and values")
    assert "totals" not in doubts(many(ANSWERS * 2, AMOUNTS * 2, [10.0] * 24 + [20.0] * 24), "units and values")
    zero = many(["accepted", "rejected"], [0, 5], [0, 10])
    assert "1 offer divides nothing, the first is offer 1 of g0" in doubts(zero, "units and values")


def test_codes_for_missing_in_numbers_of_the_study(tmp_path: Path) -> None:
    log, mapping = tmp_path / "log.csv", tmp_path / "log.toml"
    log.write_text("game,score\n" + "".join(f"g{place},{(1, 7, 4, -99)[place % 4]}\n" for place in range(8)))
    mapping.write_text('row = "game"\ngames.game_id = "game"\nmeasures.score = "score"\n')
    measured = read(log, read_mapping(mapping))
    assert doubts(measured, "points") == "2 of 8 values of score are -99, the others 1 to 7: missing?"


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(
    ("column", "values", "doubt"),
    [
        # Codes for what is missing.
        ("points", [-99, 4, 5, 5, 7, 3, 0, 59], "1 of 8 points are -99, the others 0 to 59: missing?"),
        ("points", [-1, -1, 5, 5, 7, 3, 0, 0], "2 of 8 points are -1"),
        ("points", [99, 98, 97, 5, 7, 3, 0, 0], ""),
        ("points", [-1, -2, 5, 5, 7, 3, 0, 0], ""),
        ("points", [float("inf"), 4, 5, 5, 7, 3, 0, 0], "1 are infinite"),
        # Ids that differ in case alone.
        (
            "seats",
            ["P01", "x", "p01", "y", "P02", "z", "p3", "w"],
            "1 person may count as several: 'P01' and 'p01' differ in",
        ),
        (
            "seats",
            ["Anna", "x", "anna ", "y", "ANNA", "z", "b", "w"],
            "1 person may count as several: 'Anna' and 'anna ' and",
        ),
        ("seats", ["P01", "p01", "P02", "p02", "a", "b", "c", "d"], ""),  # both in one game: two people
        ("seats", ["xK3", "a", "Xk3", "b", "c", "d", "e", "f"], ""),  # codes that mix both at random
        ("seats", ["1", "2", "01", "3", "4", "5", "6", "7"], ""),
    ],
)
def test_codes_of_points_and_ids_of_people(column: str, values: list[Any], doubt: str) -> None:
    line = lines(players={{"seats": "participant_id"}.get(column, column): values})[column]
    assert doubt in " ".join(line.suspicious)
    assert bool(line.suspicious) == bool(doubt)


def test_one_person_in_both_seats() -> None:
    line = lines(players={"participant_id": ["p0", "p0", "p1", "p2", "p3", "p4", "p5", "p6"]})["seats"]
    assert line.suspicious == ("one person in several seats of 1 game, the first is g1",)


@pytest.mark.slow
def test_many_damaged_games() -> None:
    base = study()
    for number, doubtful in ((1, True), (0, False)):
        records = (Record("damaged_games", count=number, of=5),) if number else ()
        whole = Study(**base.tables, provenance=Provenance("mapping", "1", records=records))
        assert bool(doubts(whole, "games")) == doubtful


@pytest.mark.slow
def test_levels_that_differ_in_case_alone() -> None:
    factors = lines(games={"condition": ["one", "one", "Two", "two "]})["factors"]
    assert "condition: 'Two' and 'two ' differ in case or blanks alone" in factors.suspicious
    roles = lines(players={"role": ["buyer", "seller"] * 3 + ["Buyer", "seller"]})["seats"]
    assert roles.suspicious == ("role: 'buyer' and 'Buyer' differ in case or blanks alone",)
    assert not lines(players={"role": ["buyer", "seller"] * 4})["seats"].suspicious


def test_games_without_a_level_of_a_factor_are_counted() -> None:
    description = describe(study(games={"condition": ["one", None, "two", "two"]}))
    assert "1 game of 4 has no level of condition and is in no comparison by it" in description.notes
    assert ["condition", "(missing)", 1] in description.factors.to_numpy().tolist()
    assert not any("no level" in note for note in describe(study()).notes)
