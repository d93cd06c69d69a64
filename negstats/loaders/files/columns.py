"""Whole columns at once, for loaders that read many rows: text straight into Arrow, without a Python object a cell.

`negstats.tables.conform` takes these arrays as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from negstats.tables import text_array

Texts: TypeAlias = Any  # pyarrow.LargeStringArray; pyarrow ships no types


def chosen(names: Sequence[str] | Texts, places: npt.ArrayLike) -> Texts:
    """Return the column that has ``names[places[i]]`` in row i, missing where the place is negative.

    Examples
    --------
    >>> chosen(["agreement", "walkaway"], [1, 0, -1]).to_pylist()
    ['walkaway', 'agreement', None]
    """
    names = names if isinstance(names, pa.Array) else text_array(names)
    rows = np.asarray(places, dtype=np.int64)
    absent = rows < 0
    return names.take(pa.array(rows, mask=absent) if absent.any() else pa.array(rows))


def unfolded(blocks: Sequence[tuple[npt.ArrayLike, Sequence[Texts]]]) -> tuple[Places, Places, Texts]:
    """Return the cells in which something is, row by row and, in a row, column by column.

    Parameters
    ----------
    blocks
        Columns of the same rows: for each of their rows its rank among those of all blocks, and the columns.

    Returns
    -------
    tuple
        For each cell its row, counted on through the blocks, its column, counted so too, and its text.

    Examples
    --------
    >>> rows, columns, cells = unfolded([([1, 0], [text_array(["a", "b"]), text_array(["c", " "])])])
    >>> rows.tolist(), columns.tolist(), cells.to_pylist()
    ([1, 0, 0], [0, 0, 1], ['b', 'a', 'c'])
    """
    ranks = [np.asarray(rows, dtype=np.int64) for rows, _ in blocks]
    n_columns = np.repeat(np.array([len(columns) for _, columns in blocks], dtype=np.int64), list(map(len, ranks)))
    order = np.argsort(np.concatenate([_NO_PLACES, *ranks]))
    starts = np.zeros(len(order), dtype=np.int64)
    starts[order] = np.cumsum(n_columns[order]) - n_columns[order]
    # All cells stand one column below the other; each takes its place in the order that is due.
    in_order = np.empty(int(n_columns.sum()), dtype=np.int64)
    row_of_cell, column_of_cell, cells = [_NO_PLACES], [_NO_PLACES], list[Texts]()
    n_rows, n_cells = 0, 0
    for own_ranks, (_, columns) in zip(ranks, blocks, strict=True):
        rows = np.arange(n_rows, n_rows + len(own_ranks), dtype=np.int32)
        n_rows += len(rows)
        for number, column in enumerate(columns):
            in_order[starts[rows] + number] = np.arange(n_cells, n_cells + len(rows))
            n_cells += len(rows)
            row_of_cell.append(rows)
            column_of_cell.append(np.full(len(rows), len(cells), dtype=np.int32))
            cells.append(column)
    whole = joined_texts(cells)
    is_filled = pc.fill_null(pc.match_substring_regex(whole, r"\S"), False).to_numpy(zero_copy_only=False)
    in_order = in_order[is_filled[in_order]]
    return (
        np.concatenate(row_of_cell)[in_order],
        np.concatenate(column_of_cell)[in_order],
        whole.take(pa.array(in_order)),
    )


def joined_texts(columns: Sequence[Texts]) -> Texts:
    """Return columns of text below each other as one array."""
    pieces = [piece for column in columns for piece in getattr(column, "chunks", [column])]
    if len(pieces) == 1:
        return pieces[0].cast(pa.large_string())
    return pa.chunked_array([piece.cast(pa.large_string()) for piece in pieces], pa.large_string()).combine_chunks()


Places: TypeAlias = npt.NDArray[np.int32]
_NO_PLACES: Places = np.zeros(0, dtype=np.int32)
