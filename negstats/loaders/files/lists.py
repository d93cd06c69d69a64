"""Lists inside rows, such as the turns of a dialogue: each element becomes a row, beside what its row says besides."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from negstats.errors import LogError, meant, shown
from negstats.loaders.files.literals import python_value
from negstats.loaders.files.objects import table_of_objects
from negstats.loaders.files.tabular import Table, joined

__all__ = ["lists_in", "unlisted"]

NUMBER = "#"  # the column with an element's place in its list, as turns.#
_LOOKED = 20  # rows that are looked at for lists
_LONGEST = 2**20  # elements of one list, and characters of one that Python printed


def unlisted(table: Table, column: str, columns: Collection[str] | None) -> Table:
    """Return a table with a row for each element of the lists in a column.

    An element's values stand in columns called after the list, ``turns.speaker``; an element that is no object stands
    in ``turns`` itself, the elements of a list of lists in ``turns.1``, ``turns.2``. ``turns.#`` is its place, from 1.
    A row whose list is empty is no row.

    Parameters
    ----------
    table
        With the lists as JSON, or as Python prints them.
    column
        The column with the lists.
    columns
        The columns to keep; None keeps all.

    Raises
    ------
    LogError
        If there is no such column, or a cell of it is no list.
    """
    if column not in table.cells:
        reason = f"there is no column with lists called {shown(column)}; {meant(column, table.names, 'it has')}"
        raise LogError(reason, file=table.file, column=column)
    elements: list[dict[str, Any]] = []
    of: list[int] = []
    for place, cell in enumerate(table.column(column).astype(object)):
        if not isinstance(cell, str):
            continue
        for number, element in enumerate(_list(cell, table, place, column), start=1):
            elements.append({f"{column}.{NUMBER}": number} | _named(element, column))
            of.append(place)
    if not elements:
        raise LogError("all lists are empty", file=table.file, column=column)
    numbers = [int(table.rows[place]) for place in of]
    inner = table_of_objects(elements, numbers, table.file, columns)
    rows = pa.array(np.array(of, dtype=np.int64))
    outer = {
        name: joined([cells], numbers=True).take(rows)
        for name, cells in table.cells.items()
        if name != column and name not in inner.names and (columns is None or name in columns)
    }
    names = [name for name in table.names if name != column and name not in inner.names]
    return replace(table, names=[*names, *inner.names], cells=outer | inner.cells, rows=numbers)


def lists_in(table: Table) -> Iterator[str]:
    """Yield the columns whose cells are lists of several elements."""
    for name in table.names:
        if name not in table.cells:
            continue
        cells = [cell for cell in table.column(name).head(_LOOKED).astype(object) if isinstance(cell, str)]
        parsed_cells = [_parsed(cell) for cell in cells if cell.lstrip().startswith("[")]
        lists = [value for value in parsed_cells if isinstance(value, list)]
        has_longer_lists = len(lists) == len(cells) > 0 and max(map(len, lists)) > 1
        if has_longer_lists and any(isinstance(one, (dict, list, str)) for value in lists for one in value):
            yield name


def _named(element: Any, column: str) -> dict[str, Any]:
    """Return an element's values under the names of their columns."""
    match element:
        case dict():
            return {f"{column}.{key}": value for key, value in element.items()}
        case list():
            return {f"{column}.{place}": value for place, value in enumerate(element, start=1)}
    return {column: element}


def _list(cell: str, table: Table, place: int, column: str) -> list[Any]:
    values = _parsed(cell)
    if isinstance(values, list) and len(values) <= _LONGEST:
        return values
    raise LogError(f"{shown(cell)} is no list", file=table.file, row=int(table.rows[place]), column=column)


def _parsed(cell: str) -> Any:
    """Return what a cell says as JSON, or as Python prints lists; None if it is neither."""
    try:
        return orjson.loads(cell)
    except orjson.JSONDecodeError:
        pass
    try:
        return python_value(cell, file=Path(), row=None, column="", longest=_LONGEST)
    except LogError:
        return None
