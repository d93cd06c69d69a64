"""A second table for things that a log's rows name, such as one row for each person where a row is a decision.

`beside = { files = "participants.csv", by = "pid" }` lets a mapping name the columns of participants.csv as if they
stood in the log: each row gets those of the row with the same ``pid``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from negstats.errors import LogError, shown
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.tabular import Form, Table, joined


@dataclass(frozen=True, slots=True)
class Beside:
    """Where the second table stands, and what names its rows.

    Attributes
    ----------
    files : tuple of str
        Patterns that find the file in the folder; empty: the log's own file, of which it is another sheet.
    form : Form
        How it is written.
    by : tuple of (str, str)
        Columns of the log, and those of the table that hold the same names.
    prefix : str
        With what the names of the table's columns begin in the log: each of two people in a row has columns of theirs.
    """

    files: tuple[str, ...]
    form: Form
    by: tuple[tuple[str, str], ...]
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Joined:
    """A log with the columns of the second table, and how many rows of either found none in the other."""

    table: Table
    without: int
    unused: int


def join_columns(log: Table, other: Table, by: Mapping[str, str], prefix: str = "") -> Joined:
    r"""Return a log with the columns of another table, taken from the row with the same names.

    Parameters
    ----------
    log, other
        The tables. A column that both have stays the log's.
    by
        For columns of the log those of the other table that hold the same names.
    prefix
        With what the names of the other table's columns begin in the log.

    Raises
    ------
    LogError
        If a column is not there, or two rows of the other table have the same names.

    Examples
    --------
    >>> from negstats.loaders.files.delimited import read_delimited
    >>> trials = read_delimited(b"pid,offer\na,1\nb,2\na,3\n", Path("trials.csv"), Form(), None)
    >>> people = read_delimited(b"pid,age\na,30\nc,40\n", Path("people.csv"), Form(), None)
    >>> joined = join_columns(trials, people, {"pid": "pid"})
    >>> joined.table.column("age").tolist(), joined.without, joined.unused
    (['30', nan, '30'], 1, 1)
    """
    keys, names = _names(log, list(by)), _names(other, list(by.values()))
    names = names[(names != "").all(axis=1)]  # a row with a blank names nobody
    if (repeats := names.duplicated()).any():
        name = names.iloc[int(repeats.to_numpy().argmax())]
        first, again = (int(other.rows[place]) for place in names.index[(names == name).all(axis=1)][:2])
        reason = (
            f"{shown(', '.join(name))} is also in row {first}; a table that belongs to a log has one row for each name"
        )
        raise LogError(reason, file=other.file, row=again, column=next(iter(by.values())))
    found = pd.MultiIndex.from_frame(names).get_indexer(pd.MultiIndex.from_frame(keys))
    is_found = found >= 0
    places = pa.array(names.index.to_numpy()[found] if len(names) else found, mask=~is_found)
    names_there = {f"{prefix}{name}": name for name in other.names if name in other.cells}
    own = [name for name in names_there if name not in log.names]
    cells = {name: joined([other.cells[names_there[name]]], numbers=True).take(places) for name in own}
    table = replace(log, names=[*log.names, *own], cells=log.cells | cells)
    return Joined(table, int((~is_found).sum()), len(names) - len(np.unique(found[is_found])))


def widen(
    tables: Sequence[Table], beside: Beside, columns: Sequence[str], files: Sequence[Path], intake: Intake
) -> list[Table]:
    """Return the tables of a part with the columns of the table beside them.

    Parameters
    ----------
    tables
        The part's tables.
    beside
        What stands beside them.
    columns
        The columns that the part reads, of the log or of the table beside it.
    files
        The file of the second table, which must be one.
    intake
        Reads the file, and takes notes of rows that found none.
    """
    if len(files) != 1:
        names = ", ".join(intake.name(file) for file in files[:3])
        raise LogError(
            f"a log needs exactly one such file in its folder, and {len(files)} were found: {names}", file=intake.root
        )
    data = intake.read(files[0])
    other = read_table(data, files[0], beside.form)
    intake.add(files[0], data, len(other.rows))
    of_other = (name.removeprefix(beside.prefix) for name in columns if name.startswith(beside.prefix))
    intake.note_table(other, {*of_other, *(name for _, name in beside.by)})
    of_tables = [join_columns(table, other, dict(beside.by), beside.prefix) for table in tables]
    where = beside.form.sheet or intake.name(files[0])
    rows, without = sum(len(table.rows) for table in tables), sum(of_table.without for of_table in of_tables)
    intake.count(f"{{0}} of {{1}} rows have no counterpart in {where}", without, rows)
    if len(tables) == 1 and not beside.prefix:  # whom one seat does not name another may
        intake.count(f"{{0}} of {{1}} rows of {where} name nothing in the log", of_tables[0].unused, len(other.rows))
    return [of_table.table for of_table in of_tables]


def _names(table: Table, columns: Sequence[str]) -> pd.DataFrame:
    """Return what names each row of a table, without outer blanks; an empty cell is an empty text."""
    for name in columns:
        if name not in table.cells:
            raise LogError("has no such column, which would link it to the log", file=table.file, column=name)
    return pd.DataFrame({place: table.column(name).fillna("").str.strip() for place, name in enumerate(columns)})
