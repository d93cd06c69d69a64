"""Tables below each other: equal sheets are stacked."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path, PurePosixPath

import pyarrow as pa

from negstats.loaders.files.columns import Texts
from negstats.loaders.files.tabular import Table, of_one_type

SOURCE = "source"  # the column that says from which table a row comes


def stacked_table(tables: Sequence[Table], names: Sequence[str], file: Path, columns: Collection[str] | None) -> Table:
    """Return tables with their rows below each other, and the column ``source`` with the name of each row's table.

    Rows are numbered on from table to table. A column that some tables lack is empty there.
    """
    all_names = list(dict.fromkeys(name for table in tables for name in table.names))
    cells: dict[str, Texts] = {}
    for name in all_names:
        if columns is None or name in columns:
            pieces: list[Texts] = []
            for table in tables:
                column = table.cells.get(name)
                column = pa.nulls(len(table.rows), pa.large_string()) if column is None else column
                pieces += column.chunks if isinstance(column, pa.ChunkedArray) else [column]
            cells[name] = of_one_type(pieces)
    source = SOURCE
    while source in all_names:
        source += "_"
    if columns is None or source in columns:
        words = [name for name, table in zip(names, tables, strict=True) for _ in range(len(table.rows))]
        cells[source] = pa.array(words, pa.large_string())
    rows: list[int] = []
    unread: list[tuple[int, str]] = []
    for table in tables:
        last = max([*rows[-1:], *(row for row, _ in unread[-1:])], default=0)
        rows += [last + int(row) for row in table.rows]
        unread += [(last + row, reason) for row, reason in table.unread]
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    stacked = f"the tables {', '.join(names[:6])}{', ...' if len(names) > 6 else ''} were put below each other"
    return Table(
        file,
        [*all_names, source],
        cells,
        rows,
        all(table.complete for table in tables),
        next((table.wording for table in tables if table.wording), None),
        unread=tuple(unread),
        notes=(*notes, f"{stacked}; {source} is the name of each"),
        doubled={name: places for table in tables for name, places in table.doubled.items()},
    )


def without_endings(names: Sequence[str]) -> list[str]:
    """Return names of tables without the endings of files, where all names have one.

    Examples
    --------
    >>> without_endings(["a/one.csv", "two.csv"]), without_endings(["day 1.5", "day 2"])
    (['a/one', 'two'], ['day 1.5', 'day 2'])
    """
    paths = [PurePosixPath(name) for name in names]
    have_endings = all(re.fullmatch(r"\.[a-z]+\d?", path.suffix.lower()) for path in paths)
    return [str(path.with_suffix("")) for path in paths] if have_endings else list(names)
