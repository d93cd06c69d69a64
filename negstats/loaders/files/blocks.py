"""Blocks of one table below each other: the names of the columns stand again, and above them perhaps a title."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from negstats.errors import LogError
from negstats.loaders.files.stacks import blank, find_names_again, picked, source_name, text_at
from negstats.loaders.files.tabular import UNNAMED, Table

NAMES_AGAIN, TITLE = "the names of the columns again", "a title above the names of the columns"


def join_blocks(
    table: Table,
    columns: Collection[str] | None,
    read_whole: Callable[[], Table],
    read_below: Callable[[int], Table],
    header: int,
) -> Table:
    r"""Return a table without the rows that repeat the names of its columns, as files put together have them.

    Where a title stands above each of these rows, it is what the block below it differs in from the others: the column
    ``source`` holds the title of each row's block.

    Parameters
    ----------
    table
        The table with the columns that are read.
    columns
        Their names; None for all.
    read_whole
        Returns the table with all columns, if some rows repeat the names of those that are read.
    read_below
        Returns the table whose names stand in some row of the file.
    header
        The row of the names.

    Examples
    --------
    >>> from pathlib import Path
    >>> from negstats.loaders.files.any_table import Form, read_table
    >>> lines = b"pair,price\n1,5\npair,price\n2,7\n"
    >>> read_table(lines, Path("log.csv")).unread
    ((3, 'the names of the columns again'),)
    >>> lines = b"Control,\npair,price\n1,5\nFeedback,\npair,price\n1,7\n"
    >>> blocks = read_table(lines, Path("log.csv"), Form(header=2))
    >>> blocks.column("price").tolist(), blocks.column("source").tolist()
    (['5', '7'], ['Control', 'Feedback'])
    """
    is_source_read = columns is not None and source_name(table.names) in columns
    if not (is_source_read or find_names_again(table).any()):
        return table
    whole = read_whole()
    are_again = np.flatnonzero(find_names_again(whole) & (len(whole.cells) > 1))
    titles = {int(place): _find_title(whole, int(place)) for place in are_again}
    numbers = np.asarray(whole.rows)
    left_out = {int(numbers[place]): NAMES_AGAIN for place in are_again}
    are_titled = bool(titles) and all(title is not None for title in titles.values())
    if are_titled:
        left_out |= {int(numbers[title]): TITLE for title in titles.values() if title is not None}
    is_kept = np.array([int(row) not in left_out for row in table.rows], dtype=bool)
    own_rows = set(map(int, table.rows))
    table = picked(
        table, np.flatnonzero(is_kept), tuple((row, why) for row, why in sorted(left_out.items()) if row in own_rows)
    )
    if not are_titled:
        return table
    starts = [header, *(int(numbers[place]) for place in are_again)]
    words = [_first_title(read_below, header), *(_words_at(whole, title) for title in titles.values())]
    return _with_source(table, starts, words, columns)


def _with_source(table: Table, starts: Sequence[int], titles: Sequence[str], columns: Collection[str] | None) -> Table:
    """Return a table with the title of each row's block, which begins below one of the rows `starts`."""
    source = source_name(table.names)
    blocks = np.searchsorted(np.asarray(starts), np.asarray(table.rows)) - 1
    cells = dict(table.cells)
    if columns is None or source in columns:
        cells[source] = pa.array([titles[block] for block in blocks], pa.large_string())
    note = f"{len(titles)} blocks with a title each were put below each other; {source} is the title of each"
    return replace(table, names=[*table.names, source], cells=cells, source=source, notes=(*table.notes, note))


def _find_title(whole: Table, place: int) -> int | None:
    """Return the place of the title above a row of names: one cell alone is filled in it; None if there is none."""
    for above in range(place - 1, -1, -1):
        filled = sum(not blank(column.slice(above, 1))[0] for column in whole.cells.values())
        if filled:
            return above if filled == 1 else None
    return None


def _words_at(whole: Table, place: int | None) -> str:
    """Return the one text in a row."""
    return "" if place is None else next(filter(None, (text_at(column, place) for column in whole.cells.values())))


def _first_title(read_below: Callable[[int], Table], header: int) -> str:
    """Return the title above the names of the first block; "1" if there is none."""
    for row in range(header - 1, 0, -1):
        try:
            names = read_below(row).names
        except LogError:
            continue  # a row without a cell
        words = [name for name in names if UNNAMED.fullmatch(name) is None]
        if words:
            return words[0] if len(words) == 1 else "1"
    return "1"
