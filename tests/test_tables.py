"""The check of the tables: every fault is refused with table, column, row and value; conform brings frames to form."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.errors import SchemaError
from negstats.tables import TABLES, check, conform, empty

Tables = dict[str, pd.DataFrame]


def study() -> Tables:
    tables = {name: empty(name) for name in TABLES}
    tables["games"] = conform(
        "games", {"game_id": ["g1", "g2"], "ended": ["agreement", "walkaway"], "rounds": [3, None]}
    )
    tables["players"] = conform("players", {"game_id": ["g1", "g1", "g2", "g2"], "player": ["A", "B"] * 2})
    tables["offers"] = conform(
        "offers",
        {
            "game_id": ["g1", "g1", "g2"],
            "offer": [1, 2, 1],
            "proposer": ["A", "B", "A"],
            "responder": ["B", None, "B"],
            "response": ["rejected", "accepted", "none"],
        },
    )
    tables["items"] = conform(
        "items",
        {"game_id": ["g1", "g1"], "offer": [1, 1], "item": ["hat", "hat"], "receiver": ["A", "B"], "quantity": [1, 2]},
    )
    return tables


def test_a_sound_study_passes() -> None:
    check(study())


def set_value(table: str, column: str, row: int, value: str | int | None) -> Callable[[Tables], None]:
    def change(tables: Tables) -> None:
        frame = tables[table].copy()
        frame.loc[row, column] = value
        tables[table] = frame

    return change


FAULTS: dict[str, tuple[Callable[[Tables], object], str]] = {
    "a table is not there": (lambda t: t.pop("moves"), "'moves': the table is missing"),
    "a table too many": (lambda t: t.update(chat=empty("messages")), "'chat': no such table; a study has games"),
    "a column is not there": (
        lambda t: t.update(games=t["games"].drop(columns="rounds")),
        "table 'games', column 'rounds': the column is not there",
    ),
    "a column too many": (
        lambda t: t.update(players=t["players"].assign(age=3)),
        "table 'players', column 'age': no such column",
    ),
    "another type": (
        lambda t: t.update(players=t["players"].assign(points=["x"] * 4)),
        "table 'players', column 'points': holds str, not float64",
    ),
    "missing where none may be": (
        set_value("offers", "proposer", 1, None),
        "table 'offers', column 'proposer', row 1: a value is missing",
    ),
    "a value outside its levels": (
        set_value("games", "ended", 1, "ended well"),
        "table 'games', column 'ended', row 1: 'ended well' is not one of agreement",
    ),
    "one key twice": (
        set_value("players", "player", 1, "A"),
        "table 'players', column 'player', row 1: game_id 'g1', player 'A' is in an earlier row too",
    ),
    "one key twice, of four columns": (
        set_value("items", "receiver", 1, "A"),
        "table 'items', column 'receiver', row 1: .* is in an earlier row too",
    ),
    "an offer in a game that does not exist": (
        set_value("offers", "game_id", 2, "g3"),
        "table 'offers', column 'game_id', row 2: {'game_id': 'g3'} is not in the table 'games'",
    ),
    "a seat that the game does not have": (
        set_value("offers", "proposer", 2, "C"),
        "table 'offers', column 'proposer', row 2: .*'C'.* is not in the table 'players'",
    ),
    "an item of an offer that does not exist": (
        set_value("items", "offer", 0, 7),
        "table 'items', column 'offer', row 0: .*7.* is not in the table 'offers'",
    ),
    "an order that starts with 0": (
        set_value("offers", "offer", 0, 0),
        "table 'offers', column 'offer', row 0: 0 is not a position in an order",
    ),
}


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_named(fault: str) -> None:
    change, message = FAULTS[fault]
    tables = study()
    change(tables)
    with pytest.raises(SchemaError, match=message.replace("{", r"\{")):
        check(tables)


def test_conform_names_the_value_that_does_not_fit() -> None:
    with pytest.raises(SchemaError, match="table 'games', column 'rounds', row 1: 'three' is not a whole number"):
        conform("games", {"game_id": ["g", "h"], "ended": ["goal", "goal"], "rounds": [1, "three"]})


def test_conform_refuses_a_column_that_a_closed_table_does_not_have() -> None:
    with pytest.raises(SchemaError, match="table 'moves', column 'speed': no such column; the table has game_id"):
        conform("moves", {"game_id": ["g"], "speed": [1]})


def test_factors_follow_the_columns_of_games() -> None:
    frame = conform("games", {"country": ["IL"], "game_id": ["g"], "ended": ["goal"]})
    assert list(frame.columns) == [*TABLES["games"].names, "country"]


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4)), max_size=12))
def test_a_key_is_refused_exactly_when_it_repeats(keys: list[tuple[str, int]]) -> None:
    tables = study()
    tables["games"] = conform("games", {"game_id": ["a", "b", "c"], "ended": ["goal"] * 3})
    tables["players"] = conform("players", {"game_id": ["a", "b", "c"], "player": ["A"] * 3})
    tables["items"] = empty("items")
    tables["offers"] = conform(
        "offers",
        {
            "game_id": [game for game, _ in keys],
            "offer": [offer for _, offer in keys],
            "proposer": ["A"] * len(keys),
            "response": ["none"] * len(keys),
        },
    )
    if len(set(keys)) == len(keys):
        check(tables)
    else:
        with pytest.raises(SchemaError, match="earlier row"):
            check(tables)


@pytest.mark.parametrize("name", TABLES)
def test_every_column_says_what_it_means(name: str) -> None:
    for column in TABLES[name].columns:
        assert column.meaning
        assert column.missing is None or column.missing
