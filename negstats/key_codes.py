"""Whole numbers in place of the values of key columns, by which rows are looked up and compared."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

SPAN = 1 << 31  # more games, seats or offers in a game than a code can count do not fit in memory
UNKNOWN = -2  # a code: there is a value, but not among those referred to
OFFSET = 1 - UNKNOWN  # from the highest of some codes to how many there can be


def arrow(values: pd.Series) -> pa.Array:
    """Return a column of a table as one Arrow array."""
    column = pa.array(values.array)
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def run_starts(column: pa.Array) -> npt.NDArray[np.int64] | None:
    """Return where each run of equal values of an Arrow array begins; None where runs are short, or one is missing."""
    if len(column) < 1000 or column.null_count:
        return None
    turns = pc.not_equal(column[1:], column[:-1])
    if turns.true_count * 2 > len(column):
        return None
    return np.concatenate([[0], np.flatnonzero(turns.to_numpy(zero_copy_only=False)) + 1])


# Half as large as the whole numbers of NumPy; what is made of several codes is an int64.
Codes: TypeAlias = npt.NDArray[np.int32 | np.int64]


def _index_in(column: pa.Array, names: pa.Array) -> Codes:
    """Return the place of each value among the known ones, `UNKNOWN` where it is none."""
    if not len(column):  # no dictionary of all games for a table without rows
        return np.zeros(0, dtype=np.int32)
    places: Codes = pc.index_in(column, names).fill_null(UNKNOWN).to_numpy().astype(np.int32)
    return places


def places_in(column: pa.Array, names: pa.Array) -> Codes:
    """Return the place of each text among names, each of which is there once: -1 if missing, -2 if it is none of them.

    Examples
    --------
    >>> places_in(pa.array(["b", "c", None]), pa.array(["a", "b"])).tolist()
    [1, -2, -1]
    """
    starts = run_starts(column)  # rows of one game stand together as a rule: look each game up once
    short = column if starts is None else column.take(pa.array(starts))
    # Often every game has rows, in the order of games.
    places = np.arange(len(names), dtype=np.int32) if short.equals(names) else _index_in(short, names)
    if short.null_count:
        places[short.is_null().to_numpy(zero_copy_only=False)] = -1
    return places if starts is None else np.repeat(places, np.diff(starts, append=len(column)))


def _distinct(column: pa.Array) -> Codes:
    """Return the place of each text among the distinct ones in the order in which they first stand, -1 if missing."""
    starts = run_starts(column)
    short = column if starts is None else column.take(pa.array(starts))
    indices = short.dictionary_encode().indices
    codes: Codes = indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    return codes if starts is None else np.repeat(codes, np.diff(starts, append=len(column)))


class KeyCodes:
    """Whole-number codes of key columns: equal codes mean equal values, -1 a missing one.

    Games are coded by their first place in ``games`` and seats by one dictionary, so that a reference is a comparison
    of integers, made once for each column that tables refer by, however many checks use it.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame], references: Collection[str]) -> None:
        self.tables = tables
        self.references = references
        self.games = arrow(tables["games"]["game_id"])
        self.seats = arrow(tables["players"]["player"]).unique()
        self._known: dict[tuple[str, str], Codes] = {}

    def column(self, table: str, name: str) -> Codes:
        """Return the codes of a column."""
        if (table, name) in self._known:
            return self._known[table, name]
        codes = self._code(self.tables[table][name], name)
        if name in self.references:  # the others are needed once, and those of a long survey are large
            self._known[table, name] = codes
        return codes

    def _code(self, values: pd.Series, name: str) -> Codes:
        if name == "game_id":
            return places_in(arrow(values), self.games)
        if name in {"player", "proposer", "responder", "receiver", "sender"}:
            return places_in(arrow(values), self.seats)
        if isinstance(values.dtype, pd.Int64Dtype):  # an order within a game, see _check_order
            return values.to_numpy(dtype=np.int64, na_value=-1)
        return _distinct(arrow(values))

    def row(self, table: str, names: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return codes of the rows of several columns together."""
        total: npt.NDArray[np.int64] = self.column(table, names[0]).astype(np.int64)
        size = int(total.max()) + OFFSET
        for name in names[1:]:
            codes = self.column(table, name)
            width = int(codes.max()) + OFFSET
            if size * width >= 1 << 62:  # more than an integer holds
                total = pd.factorize(total)[0].astype(np.int64)
                size = int(total.max()) + OFFSET
            total *= width
            total += codes
            size *= width
        return total
