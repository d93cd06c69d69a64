"""Rows of tables that a program wrote of itself, with its words for nothing and its literals; small Parquet files too.

For logs of a few thousand rows a file; who reads millions takes whole columns.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from negstats.errors import LogError, meant, shown
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.cells import Row, rows_of
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.literals import python_value
from negstats.loaders.files.tabular import Form

_PLAIN = Form()
_MISSING = frozenset({"", "nan", "NaN", "None", "null", "NULL", "N/A"})
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.ASCII | re.IGNORECASE)


@dataclass(slots=True)
class Line(Row):
    """One row of a program's own log: words for nothing are missing, infinite numbers and literals are read."""

    def told(self, column: str) -> str | None:
        """Return a cell's text without the space around it; None too for the words that programs write for nothing."""
        cell = self.cells.get(column)
        return None if cell is None or cell.strip() in _MISSING else cell.strip()

    def text(self, column: str) -> str:
        """Return a cell's text; raises LogError if there is none."""
        cell_text = self.told(column)
        if cell_text is None:
            raise self.fault("is empty", column)
        return cell_text

    def number(self, column: str, *, decimal: str = ".") -> float | None:
        """Return a number, infinite ones too; None where there is none."""
        cell = self.told(column)
        if cell is None:
            return None
        plain = cell.replace(decimal, ".") if decimal != "." else cell
        if not _NUMBER.fullmatch(plain):
            raise self.fault(f"{shown(cell)} is not a number", column)
        return float(plain)

    def finite(self, column: str, *, decimal: str = ".") -> float | None:
        """Return a finite number; None where there is none."""
        number = self.number(column, decimal=decimal)
        if number is not None and not math.isfinite(number):
            raise self.fault(f"{shown(self.told(column))} is not a finite number", column)
        return number

    def whole(self, column: str) -> int | None:
        """Return a whole number of at least 0; None where there is none."""
        number = self.number(column)
        if number is None:
            return None
        if not (0 <= number < 2**31 and number.is_integer()):
            raise self.fault(f"{shown(self.told(column))} is not a whole number of at least 0", column)
        return int(number)

    def value(self, column: str) -> Any:
        """Return a Python literal; None where there is none."""
        cell = self.told(column)
        return None if cell is None else python_value(cell, file=self.file, row=self.row, column=column)

    def several(self, column: str, most: int = 1000) -> Sequence[Any]:
        """Return a list or tuple; none where the cell is empty."""
        values = self.value(column)
        if values is None:
            return ()
        if not isinstance(values, (list, tuple)) or len(values) > most:
            raise self.fault(f"{shown(self.told(column))} is not a list of at most {most:,} values", column)
        return values

    def pairs(self, column: str) -> dict[str, Any]:
        """Return a dict of words to anything; empty where the cell is."""
        values_by_name = self.value(column)
        if values_by_name is None:
            return {}
        if not isinstance(values_by_name, dict) or not all(
            isinstance(key, str) and key.strip() for key in values_by_name
        ):
            raise self.fault(f"{shown(self.told(column))} is not a dict of names such as {{'rent': '$500'}}", column)
        return values_by_name


def need_columns(names: Collection[str], needed: Iterable[str], file: Path) -> None:
    """Raise LogError if a table lacks one of the columns."""
    for column in needed:
        if column not in names:
            raise LogError(f"there is no such column; {meant(column, names)}", file=file, column=column)


def read_lines(
    file: Path, intake: Intake, needed: Iterable[str] = (), form: Form = _PLAIN
) -> tuple[list[str], list[Line]]:
    """Read a table through an intake and return its columns and its rows.

    Raises
    ------
    LogError
        If it cannot be read as a table, lacks one of the columns that are needed, or has one twice with other cells.
    """
    data = intake.read(file)
    if file.suffix.lower() == ".parquet":
        _refuse_large(data, file)
    table = read_table(data, file, form)
    need_columns(table.names, needed, file)
    intake.add(file, data, len(table.rows))
    intake.note_table(table)
    return table.names, rows_of(table, Line)


def _refuse_large(data: bytes, file: Path) -> None:
    """Raise LogError if a Parquet file claims more cells than a program's own log has; it may be small all the same."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        about = pq.read_metadata(io.BytesIO(data))
    except (pa.ArrowException, OSError):  # reading it tells why
        return
    if about.num_rows * max(1, about.num_columns) > _MOST_CELLS:
        raise LogError(f"holds more than {_MOST_CELLS:,} cells; load it with a mapping", file=file)


_MOST_CELLS = 10_000_000
