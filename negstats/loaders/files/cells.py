"""Rows of a table one by one, whose cells are read as what they should be, or refused with file, row and column."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

from negstats.errors import LogError, shown
from negstats.loaders.files.literals import read_moment
from negstats.loaders.files.objects import parsed
from negstats.loaders.files.tabular import Table, joined

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TRUTH = {"0": False, "1": True, "false": False, "true": True}
_LARGEST = 2**53


@lru_cache(maxsize=1 << 16)
def _read_number(text: str) -> float | None:
    """Return the number that a cell holds, None where it says that there is none, infinity where it is none.

    Seats, groups and rounds are the same few texts in every row, which need no reading anew.
    """
    text = text.strip()
    if not text or text.lower() == "nan":
        return None
    return float(text) if _NUMBER.fullmatch(text) else float("inf")


@dataclass(slots=True)
class Row:
    """A row: where it stands, and its cells that hold something, by column."""

    file: Path
    row: int
    cells: dict[str, str]

    def text(self, column: str) -> str | None:
        """Return a cell as it was written; None if there is nothing in it."""
        return self.cells.get(column)

    def told(self, column: str) -> str | None:
        """Return a cell's text without the space around it; None where the cell is empty or says NaN."""
        text = self.cells.get(column, "").strip()
        return None if not text or text.lower() == "nan" else text

    def number(self, column: str) -> float | None:
        """Return a finite number; None where the cell is empty or says NaN."""
        text = self.cells.get(column)
        value = None if text is None else _read_number(text)
        if value is not None and not isfinite(value):
            raise self.fault(f"{shown((text or '').strip())} is not a number", column)
        return value

    def whole(self, column: str) -> int | None:
        """Return a whole number, 3.0 too."""
        value = self.number(column)
        if value is not None and (not value.is_integer() or abs(value) > _LARGEST):
            raise self.fault(f"{shown(self.cells[column])} is not a whole number", column)
        return None if value is None else int(value)

    def truth(self, column: str) -> bool | None:
        """Return true or false, written 0, 1, true or false."""
        text = self.told(column)
        if text is None:
            return None
        if text.lower() not in _TRUTH:
            raise self.fault(f"{shown(text)} is not true or false (0, 1, true, false)", column)
        return _TRUTH[text.lower()]

    def time(self, column: str) -> datetime | None:
        """Return a time with the year first, in UTC, also where it says no zone."""
        text = self.cells.get(column, "").strip()
        if not text:
            return None
        try:
            return read_moment(text)
        except ValueError:
            raise self.fault(f"{shown(text)} is not a time such as 2026-03-01 10:00:00", column) from None

    def nested(self, column: str) -> Any:
        """Return what the JSON in a cell says; None where the cell is empty."""
        text = self.cells.get(column)
        if text is None:
            return None
        try:
            return parsed(text, self.file, self.row)
        except LogError:
            raise self.fault(f"{shown(text)} is not JSON, or has a key twice in an object", column) from None

    def fault(self, reason: str, column: str) -> LogError:
        """Return the error for a fault in a cell."""
        return LogError(reason, file=self.file, row=self.row, column=column)


_AnyRow = TypeVar("_AnyRow", bound=Row)


def rows_of(table: Table, kind: type[_AnyRow]) -> list[_AnyRow]:
    """Return the rows of a table, as rows of a kind."""
    cells = cells_of(table, {name: name for name in table.names})
    return [kind(table.file, int(row), of) for row, of in zip(table.rows, cells, strict=True)]


def cells_of(table: Table, names: Mapping[str, str]) -> list[dict[str, str]]:
    """Return for each row of a table the cells that hold something, by the names of some columns that `names` has."""
    known_columns = {column: name for column, name in names.items() if column in table.cells}
    if not known_columns:
        return [{} for _ in table.rows]
    columns = [joined([table.cells[column]]).to_numpy(zero_copy_only=False).tolist() for column in known_columns]
    return [
        {name: text for name, text in zip(known_columns.values(), texts, strict=True) if text and not text.isspace()}
        for texts in zip(*columns, strict=True)
    ]


_PERSONAL = re.compile(
    r"(.*[_. ])?(ip|ip_?address|e_?mail(_?address)?|(first|last|full|sur|family|user|nick)_?name|latitude|longitude"
    r"|location_?(latitude|longitude)|phone(_?number)?|postcode|zip_?code|address|home_?path)|name",
    re.IGNORECASE,
)


def personal(name: str) -> bool:
    """Whether a column or question of this name says who or where somebody is: such are not read.

    Examples
    --------
    >>> [name for name in ("age", "email", "player.first_name", "IPAddress", "village_size") if personal(name)]
    ['email', 'player.first_name', 'IPAddress']
    """
    return _PERSONAL.fullmatch(name.strip()) is not None


class Except(Collection[str]):
    """All columns but those whose names fit a pattern: these are not read at all.

    Examples
    --------
    >>> wanted = Except(r"(?i).*ip_?address")
    >>> "points" in wanted, "player.IPAddress" in wanted
    (True, False)
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = re.compile(pattern)

    def __contains__(self, name: object) -> bool:
        """Whether a column is read."""
        return not self._pattern.fullmatch(str(name))

    def __iter__(self) -> Iterator[str]:
        """Which columns there are is not known."""
        raise TypeError("all columns but some cannot be listed")

    def __len__(self) -> int:
        """How many columns there are is not known."""
        raise TypeError("all columns but some cannot be counted")
