"""Rows of a study's tables as they come, and the tables that they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import pandas as pd

from negstats.loaders.files.literals import is_number
from negstats.loaders.files.tabular import cell_text
from negstats.tables import TABLES, conform

Rows: TypeAlias = dict[str, list[dict[str, Any]]]  # by table
_LARGEST = 2**53


# Tables whose rows are numbered within their game, each with the column that holds the number.
_NUMBERED = {"offers": "offer", "messages": "message", "moves": "move"}


class Gathered:
    """Rows by table.

    Examples
    --------
    >>> rows = Gathered()
    >>> rows.add("games", game_id="g", ended="unknown")
    >>> _ = rows.add_offer("g", ("seller", "buyer"), values={"buyer": 3.0}, options={"price": "low"})
    >>> tables = rows.tables()
    >>> tables["offers"][["proposer", "value_responder"]].to_numpy().tolist(), tables["items"]["option"].tolist()
    ([['seller', 3.0]], ['low'])
    """

    def __init__(self) -> None:
        self._rows: Rows = {"games": []}
        self._numbers: Counter[tuple[str, str]] = Counter()

    def add(self, table: str, /, **cells: Any) -> None:
        """Take a row of a table. Columns that it does not name are missing."""
        self._rows.setdefault(table, []).append(cells)

    def add_next(self, table: str, game: str, /, **cells: Any) -> int:
        """Take the next offer, message or move of a game, and return its number."""
        self._numbers[table, game] += 1
        number = self._numbers[table, game]
        self.add(table, game_id=game, **{_NUMBERED[table]: number}, **cells)
        return number

    def add_offer(
        self,
        game: str,
        seats: tuple[str, str | None],
        *,
        values: Mapping[str, float | None] = {},
        units: Mapping[str, float | None] = {},
        options: Mapping[str, str | None] = {},
        shares: Mapping[str, Mapping[str, float]] = {},
        **cells: Any,
    ) -> dict[str, Any]:
        """Take the next offer of a game with its items, and return its row, to which a response may come later.

        Parameters
        ----------
        game
            The game.
        seats
            Who proposes, and to whom; None where that is several or nobody knows.
        values, units
            What the offer is worth to each seat, and the units that each would get.
        options, shares
            The option of each issue; the quantity of each item that each receiver would get.
        cells
            The other columns of the offer.
        """
        for side, seat in zip(("proposer", "responder"), seats, strict=True):
            cells[side] = seat
            if seat is not None:
                cells |= {f"units_to_{side}": units.get(seat), f"value_{side}": values.get(seat)}
        key: dict[str, Any] = {"game_id": game, "offer": self.add_next("offers", game, **cells)}
        row = self._rows["offers"][-1]
        for issue, option in options.items():
            self.add("items", **key, item=issue, option=option)
        for receiver, quantities in shares.items():
            for item, quantity in quantities.items():
                self.add("items", **key, item=item, receiver=receiver, quantity=quantity)
        return row

    def add_values(self, game: str, player: str, options: Mapping[tuple[str, str], float]) -> None:
        """Take what each option of each issue is worth to a seat."""
        for (issue, option), value in options.items():
            self.add("values", game_id=game, player=player, item=issue, option=option, value=value)

    def add_unit_values(
        self, game: str, player: str, items: Mapping[str, float], available: Mapping[str, float | None]
    ) -> None:
        """Take what a unit of each item is worth to a seat, and how many units there are."""
        for item, value in items.items():
            self.add("values", game_id=game, player=player, item=item, available=available.get(item), value=value)

    def add_all(self, other: Gathered) -> None:
        """Take the rows of another unit, such as a game."""
        for name, of_table in other._rows.items():
            self._rows.setdefault(name, []).extend(of_table)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return the rows of a table so far."""
        return self._rows.get(table, [])

    def tables(self, *, one_kind: bool = True) -> dict[str, pd.DataFrame]:
        """Return the table of games, and those that have rows; with `one_kind` see `of_one_kind` for the factors."""
        games = of_one_kind(self.rows("games")) if one_kind else self.rows("games")
        return {name: conformed(name, rows) for name, rows in (self._rows | {"games": games}).items()}


def game_factors(factors: Mapping[str, Any], prefix: str, *others: str) -> dict[str, Any]:
    """Return factors of games, with a prefix where a column of every study, or one of `others`, has the name.

    Examples
    --------
    >>> game_factors({"rounds": 3, "pie": 10}, "global")
    {'global_rounds': 3, 'pie': 10}
    """
    known_columns = {*TABLES["games"].names, *others}
    return {f"{prefix}_{name}" if name in known_columns else name: value for name, value in factors.items()}


def conformed(name: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the rows of a study's table as `negstats.tables` describes it; what a row lacks is missing."""
    columns = dict.fromkeys(chain.from_iterable(rows))
    return conform(name, {column: [row.get(column) for row in rows] for column in columns})


def of_one_kind(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows of games whose factors are numbers where all of a factor's values are, else text.

    A factor that no row has a value of is dropped.

    Examples
    --------
    >>> of_one_kind([{"pie": 100, "power": "equal", "who": None}, {"pie": 90.5, "power": True}, {"pie": None}])
    [{'pie': 100.0, 'power': 'equal'}, {'pie': 90.5, 'power': 'True'}, {'pie': None}]
    """
    game_columns = TABLES["games"].names
    cells: dict[str, list[object]] = {}
    for row in rows:
        for name, value in row.items():
            if value is not None and name not in game_columns:
                cells.setdefault(name, []).append(value)
    spell = {
        name: float if all(is_number(value, _LARGEST) for value in of) else cell_text for name, of in cells.items()
    }
    return [
        {
            name: spell[name](value) if name in spell and value is not None else value
            for name, value in row.items()
            if name in spell or name in game_columns
        }
        for row in rows
    ]
