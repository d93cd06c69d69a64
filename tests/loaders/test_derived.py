"""What follows from a log: totals, worths of offers, points; nothing that the log says is replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import negstats
from negstats import metrics
from negstats.loaders import load_to
from negstats.loaders.derived import derived
from negstats.tables import TABLES, conform, empty

SEATS = ("A", "B")


def tables(**given: dict[str, list[Any]]) -> dict[str, pd.DataFrame]:
    """One agreed game g of two seats and one accepted offer of A; `given` adds and replaces columns."""
    base: dict[str, dict[str, list[Any]]] = {
        "games": {"game_id": ["g"], "ended": ["agreement"]},
        "players": {"game_id": ["g"] * 2, "player": [*SEATS]},
        "offers": {"game_id": ["g"], "offer": [1], "proposer": ["A"], "responder": ["B"], "response": ["accepted"]},
    }
    names = {*base, *given}
    tables = {name: conform(name, base.get(name, {}) | given.get(name, {})) for name in names}
    return {name: tables.get(name, empty(name)) for name in TABLES}


def units(quantities: dict[str, tuple[float | None, float | None]], offer: int = 1) -> dict[str, list[Any]]:
    rows = [
        (item, seat, quantity)
        for item, pair in quantities.items()
        for seat, quantity in zip(SEATS, pair, strict=True)
        if quantity is not None
    ]
    columns: dict[str, list[Any]] = {"game_id": ["g"] * len(rows), "offer": [offer] * len(rows)}
    return columns | {
        name: list(column)
        for name, column in zip(("item", "receiver", "quantity"), zip(*rows, strict=True), strict=True)
    }


def worths(given: dict[str, tuple[float, float]], available: dict[str, float] | None = None) -> dict[str, list[Any]]:
    rows = [(seat, item, value) for item, pair in given.items() for seat, value in zip(SEATS, pair, strict=True)]
    columns: dict[str, list[Any]] = {"game_id": ["g"] * len(rows)}
    columns |= {
        name: list(column) for name, column in zip(("player", "item", "value"), zip(*rows, strict=True), strict=True)
    }
    return columns | ({"available": [available.get(item) for _, item, _ in rows]} if available else {})


def test_points_are_what_the_deal_is_worth() -> None:
    result, notes = derived(
        tables(items=units({"apple": (3, 1), "pear": (0, 2)}), values=worths({"apple": (2, 5), "pear": (1, 4)}))
    )
    assert result["offers"][["value_proposer", "value_responder"]].to_numpy().tolist() == [[6, 13]]
    assert result["players"]["points"].tolist() == [6, 13]
    assert result["values"]["available"].tolist() == [4, 4, 2, 2]
    assert notes == [
        "4 of 4 available are derived: what both sides get of the item together in all offers of the game",
        "1 of 1 value_proposer are derived: items times their values to the seat",
        "1 of 1 value_responder are derived: items times their values to the seat",
        "2 of 2 points are derived: the value of the accepted offer to the seat",
    ]


@pytest.mark.slow
def test_one_side_and_the_total_make_the_other() -> None:
    result, _ = derived(tables(items=units({"apple": (3, None)}), values=worths({"apple": (2, 5)}, {"apple": 4})))
    assert result["players"]["points"].tolist() == [6, 5]
    open_, _ = derived(tables(items=units({"apple": (3, None)}), values=worths({"apple": (2, 5)})))
    assert open_["offers"]["value_proposer"].tolist() == [6]
    assert open_["offers"]["value_responder"].isna().all()


NOTHING_FOLLOWS: dict[str, dict[str, dict[str, list[Any]]]] = {
    "an item left open": {
        "items": units({"apple": (3, 1)}),
        "values": worths({"apple": (2, 5), "pear": (1, 4)}),
    },
    "an item without a value": {"items": units({"apple": (3, 1), "plum": (1, 1)}), "values": worths({"apple": (2, 5)})},
    "an option without a value": {
        "items": {"game_id": ["g"], "offer": [1], "item": ["price"], "option": ["low"]},
        "values": {
            "game_id": ["g"] * 2,
            "player": [*SEATS],
            "item": ["price"] * 2,
            "option": ["high"] * 2,
            "value": [1, 0],
        },
    },
    "no values": {"items": units({"apple": (3, 1)})},
}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("case", NOTHING_FOLLOWS)
def test_nothing_is_made_up(case: str) -> None:
    result, _ = derived(tables(**NOTHING_FOLLOWS[case]))
    assert result["offers"][["value_proposer", "value_responder"]].isna().all(axis=None)
    assert result["players"]["points"].isna().all()


@pytest.mark.parametrize(
    ("receivers", "quantities", "option", "worth"),
    [
        (["A", "B"], [1, 0], None, [None, 5]),
        (["A", "B"], [0, 2], None, [6, 19]),
        ([None], [None], "ripe", [None, 12]),
    ],
)
def test_what_a_seat_gets_without_a_value_to_it_is_worth_nobody_knows_what(
    receivers: list[str | None], quantities: list[int | None], option: str | None, worth: list[float | None]
) -> None:
    """Plums are worth 7 to B alone; none of them are worth nothing to whomever, and B's take nothing from A."""
    count = 2 + len(receivers)
    items: dict[str, list[Any]] = {
        "game_id": ["g"] * count, "offer": [1] * count, "item": [*["apple"] * 2, *["plum"] * len(receivers)],
    }  # fmt: skip
    items |= {
        "receiver": [*SEATS, *receivers],
        "quantity": [3, 1, *quantities],
        "option": [None, None, option, option][:count],
    }
    values: dict[str, list[Any]] = {"game_id": ["g"] * 3, "player": ["A", "B", "B"], "option": [None, None, option]}
    values |= {"item": ["apple", "apple", "plum"], "value": [2, 5, 7]}
    result, _ = derived(tables(items=items, values=values))
    assert result["offers"][["value_proposer", "value_responder"]].iloc[0].replace({np.nan: None}).tolist() == worth


def test_options_and_units_add_up() -> None:
    items: dict[str, list[Any]] = {"game_id": ["g"] * 3, "offer": [1] * 3, "item": ["apple", "apple", "price"]}
    items |= {"receiver": ["A", "B", None], "quantity": [3, 1, None], "option": [None, None, "high"]}
    values: dict[str, list[Any]] = {
        "game_id": ["g"] * 6,
        "player": ["A", "B"] * 3,
        "item": ["apple"] * 2 + ["price"] * 4,
    }
    values |= {"option": [None, None, "high", "high", "low", "low"], "value": [2, 5, 10, 1, 0, 7]}
    result, _ = derived(tables(items=items, values=values))
    assert result["players"]["points"].tolist() == [16, 6]


def test_what_the_log_says_is_kept_and_a_difference_counted() -> None:
    result = tables(
        players={"game_id": ["g"] * 2, "player": [*SEATS], "points": [7, None]},
        items=units({"apple": (3, 1)}),
        values=worths({"apple": (2, 5)}),
    )
    derived_tables, notes = derived(result)
    assert derived_tables["players"]["points"].tolist()[0] == 7
    assert derived_tables["players"]["points"].isna().tolist() == [
        False,
        True,
    ]  # its points are another thing than the deal's worth
    assert any(note.startswith("points of the log follow another rule") for note in notes)


def test_a_slip_among_many_is_counted() -> None:
    count = 20
    games = [f"g{number}" for number in range(count)]
    seats: dict[str, list[Any]] = {"game_id": [game for game in games for _ in SEATS], "player": [*SEATS] * count}
    each: dict[str, list[Any]] = {"game_id": seats["game_id"], "item": ["apple"] * 2 * count}
    log = tables(
        games={"game_id": games, "ended": ["agreement"] * count},
        players=seats | {"points": [9.0, 5, *[6.0, 5] * (count - 2), np.nan, np.nan]},
        offers={
            "game_id": games,
            "offer": [1] * count,
            "proposer": ["A"] * count,
            "responder": ["B"] * count,
            "response": ["accepted"] * count,
        },
        items=each | {"offer": [1] * 2 * count, "receiver": seats["player"], "quantity": [3, 1] * count},
        values=each | {"player": seats["player"], "value": [2, 5] * count},
    )
    result, notes = derived(log)
    assert result["players"]["points"].tolist() == [9, 5, *[6, 5] * (count - 1)]
    assert "1 of 38 points are not the value of the accepted offer; the log's are kept" in notes
    assert "2 of 40 points are derived: the value of the accepted offer to the seat" in notes


def test_units_of_one_side_follow_from_the_games_total() -> None:
    offers: dict[str, list[Any]] = {
        "game_id": ["g"] * 3,
        "offer": [1, 2, 3],
        "proposer": ["A", "B", "A"],
        "responder": ["B", "A", "B"],
        "units_to_proposer": [6, 7, None],
        "units_to_responder": [4, 3, 5],
        "response": ["superseded", "superseded", "accepted"],
    }
    result, notes = derived(tables(offers=offers))
    assert result["offers"]["units_to_proposer"].tolist() == [6, 7, 5]
    assert notes == ["1 of 3 units_to_proposer are derived: the game's total less the other"]
    varied, notes = derived(tables(offers=offers | {"units_to_proposer": [6, 8, None]}))
    assert varied["offers"]["units_to_proposer"].isna().tolist() == [False, False, True]
    assert notes == []


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=4
    )
)
def test_points_are_the_sums_by_hand(rows: list[tuple[int, int, int, int]]) -> None:
    quantities: dict[str, tuple[float | None, float | None]] = {f"i{n}": (row[0], row[1]) for n, row in enumerate(rows)}
    result, _ = derived(
        tables(items=units(quantities), values=worths({f"i{n}": (row[2], row[3]) for n, row in enumerate(rows)}))
    )
    assert result["players"]["points"].tolist() == [
        sum(a * v for a, _, v, _ in rows),
        sum(b * w for _, b, _, w in rows),
    ]
    again, notes = derived(result)
    assert notes == []
    assert all(again[name].equals(result[name]) for name in result)


LOG = "dyad,turn,who,apple_me,apple_you,pear_me,pear_you,answer\n" + "".join(
    f"{dyad},1,A,3,1,0,2,no\n{dyad},2,B,2,2,1,1,yes\n" for dyad in range(1, 60)
)
MAPPING = """
row = "offer"
games.game_id = "dyad"
players.player = "who"
offers = { round = "turn", response = "answer" }
items.apple = { to_proposer = "apple_me", to_responder = "apple_you" }
items.pear = { to_proposer = "pear_me", to_responder = "pear_you" }
values.A = { apple = 5, pear = 1 }
values.B = { apple = 2, pear = 4 }
levels.response = { accepted = ["yes"], rejected = ["no"] }
"""


@pytest.mark.slow
def test_a_wide_table_gets_points_and_joint_value(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(LOG)
    (tmp_path / "mapping.toml").write_text(MAPPING)
    study = negstats.load(tmp_path / "log.csv", mapping=tmp_path / "mapping.toml")
    assert study.players.groupby("player")["points"].unique().map(list).to_dict() == {"A": [11.0], "B": [8.0]}
    assert metrics.joint_value(study.players)["joint_value"].unique().tolist() == [19]
    pieces = load_to(tmp_path / "log.csv", tmp_path / "out", mapping=tmp_path / "mapping.toml", stream=True)
    streamed = negstats.open_study(pieces)
    assert streamed.players["points"].equals(study.players["points"])
    assert set(streamed.provenance.notes) == set(study.provenance.notes)


ROUND_TABLE = ("A", "B", "C")
GOODS = ("apple", "pear")


def worth_by_hand(log: dict[str, pd.DataFrame], offer: int, seat: str) -> float:
    """What an offer is worth to a seat, item by item; NaN where that is not known.

    An offer that shares out nothing is worth what its options are, and the other way round.
    """
    items, values = log["items"], log["values"]
    rows, worths = items[items["offer"] == offer], values[values["player"] == seat]
    given, settled = rows[rows["receiver"].notna() & rows["quantity"].notna()], rows[rows["receiver"].isna()]
    parts = []
    for item in worths["item"].unique():
        of_item = worths[worths["item"] == item].set_index("option")
        if of_item.index.notna().any() and len(settled):
            option = settled.loc[settled["item"] == item, "option"]
            parts.append(of_item["value"].get(option.iloc[0], np.nan) if len(option) else np.nan)
        elif of_item.index.isna().all() and len(given):
            own = given.loc[(given["item"] == item) & (given["receiver"] == seat), "quantity"]
            others = given.loc[(given["item"] == item) & (given["receiver"] != seat), "quantity"]
            left = of_item["available"].iloc[0] - others.sum() if len(others) else np.nan
            units = own.iloc[0] if len(own) else left if left >= 0 else np.nan
            parts.append(units * of_item["value"].iloc[0])
    gets = rows[(rows["receiver"] == seat) & (rows["quantity"] != 0) | rows["option"].notna()]
    return float(sum(parts)) if parts and set(gets["item"]) <= set(worths["item"]) else np.nan


@st.composite
def round_tables(draw: st.DrawFn) -> dict[str, pd.DataFrame]:
    """A game of three seats: offers to share goods and to settle a price, with gaps, their rows in any order."""
    n_offers = draw(st.integers(1, 4))
    pairs = [draw(st.permutations(ROUND_TABLE)) for _ in range(n_offers)]
    shares = [
        (offer, good, seat, draw(st.one_of(st.none(), st.integers(0, 4))), None)
        for offer in range(1, n_offers + 1)
        for good in (*GOODS, "plum")
        for seat in ROUND_TABLE
        if draw(st.booleans())
    ]
    prices = [
        (offer, "price", None, None, draw(st.sampled_from(["low", "high", "odd"])))
        for offer in range(1, n_offers + 1)
        if draw(st.booleans())
    ]
    available = draw(st.integers(3, 9))
    goods = [(seat, good, None, available, draw(st.integers(1, 5))) for seat in ROUND_TABLE for good in GOODS]
    options = [(seat, "price", name, None, draw(st.integers(1, 9))) for seat in ROUND_TABLE for name in ("low", "high")]
    without = draw(st.sets(st.tuples(st.sampled_from(ROUND_TABLE), st.sampled_from(["apple", "price"]))))
    values = [row for row in (*goods, *options) if row[:2] not in without]
    items = draw(st.permutations([*shares, *prices]))
    columns = {
        "items": ("offer", "item", "receiver", "quantity", "option"),
        "values": ("player", "item", "option", "available", "value"),
    }
    frames = {
        name: pd.DataFrame(rows, columns=columns[name]).assign(game_id="g")
        for name, rows in (("items", items), ("values", draw(st.permutations(values))))
    }
    log = tables(
        players={"game_id": ["g"] * 3, "player": [*ROUND_TABLE]},
        offers={
            "game_id": ["g"] * n_offers,
            "offer": list(range(1, n_offers + 1)),
            "proposer": [pair[0] for pair in pairs],
            "responder": [draw(st.sampled_from([pair[1], None])) for pair in pairs],
            "response": ["rejected"] * n_offers,
        },
    )
    return log | {name: conform(name, frame) for name, frame in frames.items()}


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(round_tables())
def test_worths_are_those_by_hand_whatever_the_order_of_rows(log: dict[str, pd.DataFrame]) -> None:
    offers = derived(log)[0]["offers"]
    if log["items"].empty or log["values"].empty:
        assert offers[["value_proposer", "value_responder"]].isna().all(axis=None)
        return
    columns = ["offer", "proposer", "responder", "value_proposer", "value_responder"]
    for offer, proposer, responder, *worth in offers[columns].to_numpy(dtype=object).tolist():
        for seat, value in zip((proposer, responder), worth, strict=True):
            expected = worth_by_hand(log, offer, seat) if isinstance(seat, str) else np.nan
            assert value == pytest.approx(expected, nan_ok=True)
