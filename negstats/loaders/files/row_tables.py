"""Rows of a study's tables as they come, and the tables that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import pandas as pd

from negstats.loaders.files.tabular import cell_text
from negstats.tables import TABLES, conform

Rows: TypeAlias = dict[str, list[dict[str, Any]]]  # by table
_LARGEST = 2**53


class Gathered:
    """Rows by table.

    Examples
    --------
    >>> rows = Gathered()
    >>> rows.add("games", game_id="g", ended="unknown")
    >>> rows.tables()["games"]["ended"].tolist()
    ['unknown']
    """

    def __init__(self) -> None:
        self._rows: Rows = {"games": []}

    def add(self, table: str, /, **cells: Any) -> None:
        """Take a row of a table. Columns that it does not name are missing."""
        self._rows.setdefault(table, []).append(cells)

    def add_all(self, rows: Rows) -> None:
        """Take rows of several tables."""
        for name, of_table in rows.items():
            self._rows.setdefault(name, []).extend(of_table)

    def count(self, table: str) -> int:
        """Return how many rows a table has so far."""
        return len(self._rows.get(table, ()))

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the table of games, and those that have rows; each factor is of one kind, see `of_one_kind`."""
        return {
            name: conformed(name, of_one_kind(rows) if name == "games" else rows) for name, rows in self._rows.items()
        }


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
    spell = {name: float if all(map(_is_number, of)) else cell_text for name, of in cells.items()}
    return [
        {
            name: spell[name](value) if name in spell and value is not None else value
            for name, value in row.items()
            if name in spell or name in game_columns
        }
        for row in rows
    ]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= _LARGEST
