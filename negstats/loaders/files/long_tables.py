"""Tables with a row for each measure of a person: one column names the measure, another holds its value."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from negstats.errors import LogError, shown
from negstats.loaders.files.columns import Texts
from negstats.loaders.files.tabular import Long, Table, joined

Codes: TypeAlias = npt.NDArray[np.int64]
_NO_NAME = "no measure: the column that names it is empty"


def widened(table: Table, long: Long, columns: Collection[str] | None = None) -> Table:
    r"""Return a table with a row for all measures of a person, each of which is a column.

    Parameters
    ----------
    table
        With a row for each measure.
    long
        The columns that name the measure, hold its value, and name whose it is.
    columns
        Those to keep; None keeps all.

    Raises
    ------
    LogError
        If one of these columns is not there, or somebody has two values of one measure.

    Examples
    --------
    >>> from pathlib import Path
    >>> from negstats.loaders.files.delimited import read_delimited
    >>> from negstats.loaders.files.tabular import Form
    >>> lines = b"who,what,value\na,age,30\na,mood,good\nb,age,40\n"
    >>> wide = widened(read_delimited(lines, Path("log.csv"), Form(), None), Long("what", "value", ("who",)))
    >>> wide.names, wide.column("age").tolist(), wide.column("mood").tolist()
    (['who', 'age', 'mood'], ['30', '40'], ['good', nan])
    """
    for name in (long.measure, long.value, *long.by):
        if name not in table.cells:
            raise LogError("has no such column, by which its rows are put together", file=table.file, column=name)
    measure = table.column(long.measure).str.strip()
    table, measure = _named_rows(table, measure)
    units = pd.DataFrame({name: table.column(name).fillna("") for name in long.by})
    codes, firsts = _coded(units)
    _refuse_two_values(table, long, pd.Series(codes), measure)
    carried = {name: cells for name, cells in table.cells.items() if name not in (long.measure, long.value)}
    differing = [name for name in carried if name not in long.by and _varies(codes, table.column(name))]
    first_places = pa.array(firsts)
    cells = {
        name: joined([column], numbers=True).take(first_places)
        for name, column in carried.items()
        if name not in differing
    }
    values: Texts = joined([table.cells[long.value]], numbers=True)
    for word in measure.unique():
        place = np.full(len(firsts), -1)
        own = np.flatnonzero(measure == word)
        place[codes[own]] = own
        name = str(word) if word not in cells else f"{long.measure}.{word}"
        cells[name] = values.take(pa.array(place, mask=place < 0))
    notes = (f"{name} differs between the rows of one {', '.join(long.by)} and is not read" for name in differing)
    names = list(cells)
    own_cells = cells if columns is None else {name: column for name, column in cells.items() if name in columns}
    rows = np.asarray(table.rows)[firsts].tolist()
    return replace(table, names=names, cells=own_cells, rows=rows, notes=(*table.notes, *notes))


def _named_rows(table: Table, measure: pd.Series[str]) -> tuple[Table, pd.Series[str]]:
    """Return the rows that name a measure; the others are left out."""
    is_named = measure.notna().to_numpy()
    if is_named.all():
        return table, measure
    places = np.flatnonzero(is_named)
    rows = np.asarray(table.rows)
    unread = (*table.unread, *((int(row), _NO_NAME) for row in rows[~is_named]))
    cells = {name: column.take(pa.array(places)) for name, column in table.cells.items()}
    named_table = replace(table, cells=cells, rows=rows[places].tolist(), unread=unread)
    return named_table, measure[is_named].reset_index(drop=True)


def _coded(units: pd.DataFrame) -> tuple[Codes, list[int]]:
    """Return codes of units in the order in which they come, and the first row of each."""
    codes: Codes = units.groupby(list(units.columns), sort=False).ngroup().to_numpy().astype(np.int64)
    return codes, (~pd.Series(codes).duplicated()).to_numpy().nonzero()[0].tolist()


def _varies(codes: Codes, column: pd.Series[str]) -> bool:
    """Whether a column says two things of one unit."""
    return bool((column.fillna("").groupby(codes).nunique() > 1).any())


def _refuse_two_values(table: Table, long: Long, codes: pd.Series[int], measure: pd.Series[str]) -> None:
    """Raise LogError if a unit has two rows of one measure."""
    doubled = pd.DataFrame({"unit": codes, "measure": measure}).duplicated().to_numpy()
    if doubled.any():
        at = int(doubled.argmax())
        whose = " and ".join(long.by)
        reason = f"has {shown(measure[at])} again for one {whose}; a row for each measure has each once"
        raise LogError(reason, file=table.file, row=int(table.rows[at]), column=long.measure)
