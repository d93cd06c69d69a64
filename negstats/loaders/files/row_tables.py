"""Rows of a study's tables as they come, and the tables that they make."""

from __future__ import annotations

from typing import Any

import pandas as pd

from negstats.loaders.files.cells import one_kind
from negstats.tables import TABLES, conform


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
        self._columns: dict[str, dict[str, list[Any]]] = {"games": {}}
        self._sizes: dict[str, int] = {"games": 0}

    def add(self, table: str, /, **cells: Any) -> None:
        """Take a row of a table. Columns that it does not name are missing."""
        columns, size = self._columns.setdefault(table, {}), self._sizes.get(table, 0)
        for name, value in cells.items():
            column = columns.setdefault(name, [])
            if len(column) < size:
                column += [None] * (size - len(column))
            column.append(value)
        self._sizes[table] = size + 1

    def count(self, table: str) -> int:
        """Return how many rows a table has so far."""
        return self._sizes.get(table, 0)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the table of games, and those that have rows; factors that are empty throughout are dropped."""
        return {name: conform(name, self._whole(name)) for name in self._columns}

    def _whole(self, table: str) -> dict[str, list[Any]]:
        size = self._sizes[table]
        columns: dict[str, list[Any]] = {}
        for name, cells in self._columns[table].items():
            columns[name] = [*cells, *[None] * (size - len(cells))]
        if table != "games":
            return columns
        game_columns = TABLES["games"].names
        filled_columns = {name for name, cells in columns.items() if any(cell is not None for cell in cells)}
        return {
            name: cells if name in game_columns else one_kind(cells)
            for name, cells in columns.items()
            if name in game_columns or name in filled_columns
        }
