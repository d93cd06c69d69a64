"""Deals against their outcome spaces: by hand, against a plain search, and on the Deal or No Deal dialogues."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pytest

from negstats import metrics
from negstats.metrics import spaces
from tests.metrics import sample

Amounts: TypeAlias = Mapping[str, Mapping[str, float]]  # by seat and item


def game(worth: Amounts, counts: Mapping[str, float], deal: Amounts | None) -> dict[str, pd.DataFrame]:
    """Tables of one game of divisible items: worth and deal by seat and item."""
    name = "g"
    values = [(name, seat, item, None, counts[item], value) for seat, by in worth.items() for item, value in by.items()]
    items = [(name, 2, item, seat, units, None) for seat, by in (deal or {}).items() for item, units in by.items()]
    return {
        "values": pd.DataFrame(values, columns=["game_id", "player", "item", "option", "available", "value"]),
        "offers": pd.DataFrame({"game_id": name, "offer": [1, 2], "response": ["rejected", "accepted"]}),
        "items": pd.DataFrame(items, columns=["game_id", "offer", "item", "receiver", "quantity", "option"]),
        "players": pd.DataFrame({"game_id": name, "player": [*worth], "batna": 0.0}),
    }


WORTH = {"A": {"book": 4, "hat": 3}, "B": {"book": 0, "hat": 5}}
COUNTS = {"book": 1.0, "hat": 2.0}


def of(compute: Any, tables: dict[str, pd.DataFrame], **options: Any) -> list[float]:
    names = ["values", "offers", "items", *(["players"] if compute is metrics.distance_to_nash else [])]
    result: pd.DataFrame = compute(*(tables[name] for name in names), **options)
    return [float(value) for value in result.iloc[:, -1]]


@pytest.mark.parametrize(
    ("a", "b", "optimal", "frontier", "nash"),
    [
        # Outcomes: (0,10) (3,5) (6,0) (4,10) (7,5) (10,0); frontier the last three; Nash point (4,10), 40 against 35.
        ({"book": 1, "hat": 0}, {"book": 0, "hat": 2}, 1, 0, 0),
        ({"book": 1, "hat": 1}, {"book": 0, "hat": 1}, 1, 0, np.hypot(3, 5)),
        ({"book": 0, "hat": 1}, {"book": 1, "hat": 1}, 0, 4, np.hypot(1, 5)),
        ({"book": 0, "hat": 2}, {"book": 1, "hat": 0}, 0, 4, np.hypot(2, 10)),
        # A hat is given to nobody: (4, 5), which is not a full division, and 3 from (7, 5).
        ({"book": 1, "hat": 0}, {"book": 0, "hat": 1}, 0, 3, 5),
    ],
)
def test_deals_by_hand(a: dict[str, float], b: dict[str, float], optimal: int, frontier: float, nash: float) -> None:
    tables = game(WORTH, COUNTS, {"A": a, "B": b})
    assert of(metrics.pareto_optimal, tables) == [optimal]
    assert of(metrics.distance_to_frontier, tables) == [pytest.approx(frontier)]
    assert of(metrics.distance_to_nash, tables) == [pytest.approx(nash)]


def test_scaled_distances() -> None:
    # Ranges 10 and 10: everything a tenth.
    tables = game(WORTH, COUNTS, {"A": {"book": 0, "hat": 1}, "B": {"book": 1, "hat": 1}})
    assert of(metrics.distance_to_frontier, tables, scale="range") == [pytest.approx(0.4)]
    assert of(metrics.distance_to_nash, tables, scale="range") == [pytest.approx(np.hypot(0.1, 0.5))]
    indifferent = game({"A": {"hat": 1}, "B": {"hat": 0}}, {"hat": 2.0}, {"A": {"hat": 1}, "B": {"hat": 1}})
    assert of(metrics.distance_to_frontier, indifferent) == [1]
    assert np.isnan(of(metrics.distance_to_frontier, indifferent, scale="range")).all()


def test_the_weaker_form_of_mell2015() -> None:
    # (6, 0) gives B nothing, but no outcome gives both more than 6 and 0 except (7, 5).
    tables = game(WORTH, COUNTS, {"A": {"book": 0, "hat": 0}, "B": {"book": 1, "hat": 2}})  # (0, 10)
    assert of(metrics.pareto_optimal, tables) == [0]  # (4, 10) is as good for B
    assert of(metrics.pareto_optimal, tables, weak=True) == [1]  # but gives B no more


@pytest.mark.parametrize(
    "deal",
    [
        None,  # no items told
        {"A": {"book": 1, "hat": 0}},  # what B gets is not told
        {"A": {"book": 1, "hat": 2}, "B": {"book": 0, "hat": 1}},  # three hats of two
        {"A": {"book": 1, "hat": -1}, "B": {"book": 0, "hat": 2}},
        {"A": {"book": 1, "hat": np.nan}, "B": {"book": 0, "hat": 2}},
    ],
)
@pytest.mark.parametrize("compute", [metrics.pareto_optimal, metrics.distance_to_frontier, metrics.distance_to_nash])
def test_deals_that_are_not_known(compute: Any, deal: Any) -> None:
    assert np.isnan(of(compute, game(WORTH, COUNTS, deal))).all()


def test_each_game_has_the_values_of_its_own_deal() -> None:
    deals = [{"A": {"book": 1, "hat": hats}, "B": {"book": 0, "hat": 2 - hats}} for hats in (0, 1, 2)]
    games = [game(WORTH, COUNTS, deal) for deal in deals]
    values, offers, items = (
        pd.concat([one[name].assign(game_id=f"g{i}") for i, one in enumerate(games)])
        for name in ("values", "offers", "items")
    )
    assert metrics.deal_values(values, offers, items)["deal_value"].tolist() == [4, 10, 7, 5, 10, 0]


def test_without_an_accepted_offer_there_is_no_deal() -> None:
    tables = game(WORTH, COUNTS, {"A": {"book": 1, "hat": 0}, "B": {"book": 0, "hat": 2}})
    tables["offers"]["response"] = "rejected"
    assert np.isnan(of(metrics.pareto_optimal, tables)).all()
    assert metrics.deal_values(tables["values"], tables["offers"], tables["items"])["deal_value"].isna().all()


def test_the_last_accepted_offer_is_the_deal() -> None:
    tables = game(WORTH, COUNTS, {"A": {"book": 1, "hat": 0}, "B": {"book": 0, "hat": 2}})
    earlier = tables["items"].assign(offer=1, quantity=[0, 0, 1, 2])
    tables["items"] = pd.concat([earlier, tables["items"]])
    tables["offers"]["response"] = "accepted"
    deal = metrics.deal_values(tables["values"], tables["offers"], tables["items"])
    assert deal["deal_value"].tolist() == [4, 10]


def test_games_without_an_outcome_space() -> None:
    deal = {"A": {"book": 1, "hat": 0}, "B": {"book": 0, "hat": 2}}
    unknown_count = game(WORTH, COUNTS | {"hat": np.nan}, deal)
    one_sided = game({"A": {"book": 4, "hat": 3}, "B": {"hat": 5}}, COUNTS, deal)
    no_value = game({"A": {"book": 4, "hat": np.nan}, "B": {"book": 0, "hat": 5}}, COUNTS, deal)
    for tables in (unknown_count, one_sided, no_value):
        assert np.isnan(of(metrics.pareto_optimal, tables)).all()


def test_nash_needs_the_batna_and_something_above_it() -> None:
    tables = game(WORTH, COUNTS, {"A": {"book": 1, "hat": 0}, "B": {"book": 0, "hat": 2}})
    for batna in ([0, None], [10, 10]):
        tables["players"]["batna"] = pd.Series(batna, dtype="float64")
        assert np.isnan(of(metrics.distance_to_nash, tables)).all()
    tables["players"]["batna"] = [5.0, 0.0]  # now (7, 5) is the Nash point: 10 against -10 and 0
    assert of(metrics.distance_to_nash, tables) == [pytest.approx(np.hypot(3, 5))]


def test_categorical_issues() -> None:
    """solver_cl's kind of game: a season and a place, each option worth points to both."""
    worth = {
        ("A", "season", "summer"): 3,
        ("A", "season", "winter"): 1,
        ("A", "place", "beach"): 2,
        ("A", "place", "city"): 0,
        ("B", "season", "summer"): 0,
        ("B", "season", "winter"): 4,
        ("B", "place", "beach"): 1,
        ("B", "place", "city"): 1,
    }
    values = pd.DataFrame(
        [("g", seat, item, option, np.nan, float(value)) for (seat, item, option), value in worth.items()],
        columns=["game_id", "player", "item", "option", "available", "value"],
    )
    offers = pd.DataFrame({"game_id": ["g"], "offer": [1], "response": ["accepted"]})

    def settled(season: str, place: str) -> list[float]:
        items = pd.DataFrame({"game_id": "g", "offer": 1, "item": ["season", "place"], "option": [season, place]})
        items = items.assign(receiver=pd.Series([None, None], dtype="str"), quantity=np.nan)
        return of(metrics.pareto_optimal, {"values": values, "offers": offers, "items": items})

    # Outcomes: summer beach (5,1), summer city (3,1), winter beach (3,5), winter city (1,5).
    assert settled("summer", "beach") == [1]
    assert settled("winter", "beach") == [1]
    assert settled("summer", "city") == [0]
    assert settled("winter", "city") == [0]
    assert np.isnan(settled("autumn", "city")).all()  # nobody values autumn


@pytest.mark.slow
def test_against_a_plain_search() -> None:
    """Mixed games of two and three seats: every outcome listed by loops, compared by loops."""
    tables = sample.tables(seed=11)
    optimal = metrics.pareto_optimal(tables["values"], tables["offers"], tables["items"])
    weak = metrics.pareto_optimal(tables["values"], tables["offers"], tables["items"], weak=True)
    deals = metrics.deal_values(tables["values"], tables["offers"], tables["items"])
    checked = 0
    for name, values in tables["values"].groupby("game_id"):
        mine = deals[deals["game_id"] == name]["deal_value"].to_numpy()
        result = optimal.loc[optimal["game_id"] == name, "pareto_optimal"].item()
        if np.isnan(mine).any():
            assert np.isnan(result)
            continue
        outcomes = plain_outcomes(values)
        beaten = [all(b >= a for a, b in zip(mine, o, strict=True)) and any(o > mine) for o in outcomes]
        beaten_by_all = [all(o > mine) for o in outcomes]
        assert result == (not any(beaten))
        assert weak.loc[weak["game_id"] == name, "pareto_optimal"].item() == (not any(beaten_by_all))
        checked += 1
    assert checked >= 15


def plain_outcomes(values: pd.DataFrame) -> list[Any]:
    worth: Any = {(row.player, row.item, row.option): row.value for row in values.fillna({"option": ""}).itertuples()}
    seats = sorted(values["player"].unique())
    counts = values.dropna(subset=["available"]).groupby("item")["available"].first().astype(int).to_dict()
    divided = [
        [split for split in itertools.product(range(count + 1), repeat=len(seats)) if sum(split) == count]
        for count in counts.values()
    ]
    outcomes = []
    for option in values["option"].dropna().unique():
        for splits in itertools.product(*divided):
            utility = [worth[seat, "place", option] for seat in seats]
            for item, split in zip(counts, splits, strict=True):
                utility = [u + n * worth[s, item, ""] for u, n, s in zip(utility, split, seats, strict=True)]
            outcomes.append(np.array(utility))
    return outcomes


def test_small_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = sample.tables()
    whole = metrics.distance_to_frontier(tables["values"], tables["offers"], tables["items"])
    monkeypatch.setattr(spaces, "ROOM", 50)
    parts = metrics.distance_to_frontier(tables["values"], tables["offers"], tables["items"])
    pd.testing.assert_frame_equal(whole, parts)


def test_bargaining_points_by_hand() -> None:
    tables = game(WORTH, COUNTS, None)
    points = metrics.bargaining_points(tables["values"], tables["players"])
    expected_distances = {
        name: rows.pivot_table(index="tie", columns="player", values="utility").to_numpy().tolist()
        for name, rows in points.groupby("solution")
    }
    assert expected_distances == {
        "nash": [[4, 10]],
        "utilitarian": [[4, 10]],
        "egalitarian": [[7, 5]],
        "kalai_smorodinsky": [[7, 5]],  # shares (.7, .5) against (.4, 1)
    }
    genius = metrics.bargaining_points(tables["values"], tables["players"], compat="genius")
    assert genius["solution"].unique().tolist() == ["nash", "kalai_smorodinsky"]


def test_bargaining_points_that_cannot_be_estimated() -> None:
    tables = game(WORTH, COUNTS, None)
    tables["players"]["batna"] = [10.0, 10.0]
    points = metrics.bargaining_points(tables["values"], tables["players"]).set_index("solution")["utility"]
    assert points["nash"].isna().all()
    assert len(points["nash"]) == 2  # one tie, a row a seat
    assert points["kalai_smorodinsky"].isna().all()
    assert points["egalitarian"].notna().all()
