"""A table's Parquet file, written as its rows come.

The file is always made of groups of as many rows: its bytes do not tell whether the rows came at once or a few at a
time, and no more than one group is held back.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from negstats import files
from negstats import tables as schema
from negstats.errors import SchemaError, one_line

GROUP = 2**17  # rows


class RowGroups:
    """The file of one table while it is written.

    Parameters
    ----------
    folder
        Where it is to stand.
    name
        The table's.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.name, self.file, self.rows = name, folder / f"{name}.parquet", 0
        self._held: list[pa.Table] = []
        self._waiting = 0
        self._writer: Any = None

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Let go of the file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def add(self, frame: pd.DataFrame) -> None:
        """Take further rows, of the same columns and types.

        Raises
        ------
        SchemaError
            If a column's values are of a kind that Parquet cannot hold, or of another kind than in the rows before.
        """
        rows = self._arrow(frame)
        if self._writer is None:
            self.begin(frame)
        self.rows += len(rows)
        self._held.append(rows)
        self._waiting += len(rows)
        if self._waiting >= GROUP:
            self._write(self._waiting - self._waiting % GROUP)

    def begin(self, like: pd.DataFrame) -> None:
        """Say which columns the rows will have; the values of `like` show their types and are not written."""
        self._writer = pq.ParquetWriter(self.file, self._arrow(like).schema)

    def _arrow(self, frame: pd.DataFrame) -> pa.Table:
        return arrow_rows(frame, self.name, None if self._writer is None else self._writer.schema)

    def _write(self, count: int) -> None:
        waiting = pa.concat_tables(self._held)
        for start in range(0, count, GROUP):
            self._writer.write_table(waiting.slice(start, min(GROUP, count - start)).combine_chunks(), GROUP)
        self._held, self._waiting = [waiting.slice(count).combine_chunks()], self._waiting - count

    def finished(self) -> dict[str, Any]:
        """Write what is left, and return what a card says of the table: its SHA-256 and its rows."""
        if self._writer is None:
            self.add(schema.empty(self.name))
        if self._waiting:
            self._write(self._waiting)
        self.__exit__(None, None, None)
        files.flushed(self.file)
        with self.file.open("rb") as stream:
            return {"sha256": hashlib.file_digest(stream, "sha256").hexdigest(), "rows": self.rows}


def arrow_rows(frame: pd.DataFrame, table: str, columns: pa.Schema | None = None) -> pa.Table:
    """Return the rows of a table as Arrow holds them, in given columns where there are some.

    Raises
    ------
    SchemaError
        If a column's values are of a kind that Arrow and Parquet cannot hold, or not of its column's.
    """
    without_attrs = frame.copy(deep=False)
    without_attrs.attrs = {}  # of whoever made the frame; they need not be such as can be saved
    try:
        rows = pa.Table.from_pandas(without_attrs, preserve_index=False)
        return rows if columns is None or rows.schema.equals(columns) else rows.cast(columns)
    except OSError:
        raise
    except Exception as error:
        raise SchemaError(f"Parquet cannot hold a column: {one_line(error)}", table=table) from None
