"""Tables below each other, and what stands below the data of one: empty rows, notes, means, a row of sums."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from negstats.errors import shown
from negstats.loaders.files.columns import Texts
from negstats.loaders.files.damaged import rows_left_out
from negstats.loaders.files.tabular import Table, joined, of_one_type

SOURCE = "source"  # the column that says from which table a row comes


def stacked_table(tables: Sequence[Table], names: Sequence[str], file: Path, columns: Collection[str] | None) -> Table:
    """Return tables with their rows below each other, and the column ``source`` with the name of each row's table.

    Rows are numbered on from table to table. A column that some tables lack is empty there.
    """
    all_names = list(dict.fromkeys(name for table in tables for name in table.names))
    cells: dict[str, Texts] = {}
    names_to_read = [name for name in all_names if columns is None or name in columns]
    whole = [padded(table, names_to_read) for table in tables]
    for name in names_to_read:
        pieces: list[Texts] = []
        for column in (table.cells[name] for table in whole):
            pieces += column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        cells[name] = of_one_type(pieces)
    source = source_name(all_names)
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
        source=source,
    )


def source_name(names: Collection[str]) -> str:
    """Return what the column that says from which table a row comes is called beside others."""
    source = SOURCE
    while source in names:
        source += "_"
    return source


def padded(table: Table, names: Iterable[str]) -> Table:
    """Return a table with an empty column for each of these names that it lacks."""
    lacking = {name: pa.nulls(len(table.rows), pa.large_string()) for name in names if name not in table.cells}
    return replace(table, names=list(dict.fromkeys([*table.names, *lacking])), cells=table.cells | lacking)


def find_parts(tables: Sequence[Table]) -> list[int]:
    """Return the places of tables all of whose rows stand in longer ones: their rows are no further cases.

    A table with columns of its own is none, but the longer ones may have more columns. What stands in a column that is
    mostly empty is a note, which a part may have without them. A table of few rows is no part, for these may be alike
    by chance, and neither is one as long as its like: the same may have happened twice.
    """
    hashes: dict[tuple[str, ...], list[npt.NDArray[np.uint64]]] = {}
    parts: list[int] = []
    if len(tables) == 1:
        return parts
    for place, table in enumerate(tables):
        names = _telling_columns(table)
        if names not in hashes:
            hashes[names] = [_hash_rows(other, names) for other in tables]
        of_tables, own = hashes[names], hashes[names][place]
        longer = [rows for rows in of_tables if len(rows) > len(own)]
        if len(own) >= _FEWEST_COPIED and longer and np.isin(own[:1], np.concatenate(longer)).all():
            parts += [place] if np.isin(own, np.concatenate(longer)).all() else []
    return parts


def _telling_columns(table: Table) -> tuple[str, ...]:
    """Return the columns of a table without those that are mostly empty, if some are left that tell rows apart."""
    filled = [name for name, cells in table.cells.items() if cells.null_count <= _MOST_EMPTY * len(cells)]
    return tuple(sorted(filled if len(filled) >= _FEWEST_TELLING else table.cells))


def are_same_rows(one: Table, other: Table) -> bool:
    """Return whether two tables with different columns tell of the same rows: these belong beside each other.

    A column that names each row has the same names in both, and what else both have mostly agrees. Who answers the same
    questions twice has other answers.
    """
    names = [name for name in one.cells if name in other.cells]
    if set(one.cells) == set(other.cells):
        return False
    tables = [pl.DataFrame({name: pl.Series(joined([of.cells[name]])) for name in names}) for of in (one, other)]
    keys = (name for name in names if all(of[name].is_unique().all() for of in tables))
    for key in keys:
        both = tables[0].join(tables[1], on=key, suffix=_OF_OTHER, maintain_order="none")
        if len(both) < max(_SHARED * min(map(len, tables)), _FEWEST_COPIED):
            continue
        varying = [name for name in names if name != key and both[name].n_unique() > 1]
        alike = [int(both[name].eq_missing(both[name + _OF_OTHER]).sum()) > _SHARED * len(both) for name in varying]
        if varying and np.mean(alike) > _SHARED_COLUMNS:
            return True
    return False


def _hash_rows(table: Table, names: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Return the different hashes of rows' cells as text, none where a column is not there.

    By chance two rows in 2 ** 64 have the same.
    """
    if not names or not table.cells.keys() >= set(names):
        return np.zeros(0, np.uint64)
    cells = {name: pl.Series(joined([table.cells[name]])).cast(pl.String) for name in names}
    return np.unique(pl.DataFrame(cells).hash_rows().to_numpy())


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


EMPTY = "an empty row"
_SUMS = re.compile(r"(grand )?(mean|total|sum|average|mittelwert|mittel|summe|gesamt|n|sd|std)\b.*", re.IGNORECASE)
_MOST_EMPTY, _FEWEST_TELLING = 0.5, 4  # of the cells of a column of notes not, and columns that tell rows apart
_FEWEST_COPIED = 10  # rows that differ from each other: fewer may be alike by chance
_SHARED, _SHARED_COLUMNS, _OF_OTHER = 0.8, 0.5, "\0other"  # of the rows of tables that tell of the same, and columns
_MOSTLY_EMPTY = 0.6  # of the usual number of filled cells, in a row of sums right below the data
_LOOKED = 200  # rows that tell what is usual
_FEWEST = 5  # rows of data above a footer, which has at most one row to so many of them
_QUOTED = 3  # rows of a footer


def without_footer(table: Table, whole: Table) -> Table:
    r"""Return a table without empty rows, and without what stands below its data.

    Behind an empty row these rows have no value in a column that each row above it fills.

    Parameters
    ----------
    table, whole
        The table with the columns that are read, and with all.

    Examples
    --------
    >>> from negstats.loaders.files.delimited import read_delimited
    >>> lines = b"pair,price\n1,5\n2,7\n3,6\n4,8\n5,7\n,\nby Ann,\n"
    >>> from negstats.loaders.files.tabular import Form
    >>> sheet = read_delimited(lines, Path("log.csv"), Form(), None)
    >>> without_footer(sheet, sheet).unread
    ((7, 'an empty row'), (8, "below the data, behind an empty row: 'by Ann'"))
    """
    filled = ~np.column_stack([blank(column) for column in whole.cells.values()])
    is_empty = ~filled.any(axis=1)
    at = np.flatnonzero(~is_empty)
    size = _find_end(filled[at], _count_missing(table.file, np.asarray(whole.rows)[at]))
    below = at[size:]
    quoted = [_first_words(whole, int(place)) for place in below[:_QUOTED]]
    reason = f"below the data, behind an empty row: {', '.join(map(shown, quoted))}"
    reason += ", ..." if len(below) > _QUOTED else ""
    left_out = sorted([*((place, EMPTY) for place in np.flatnonzero(is_empty)), *((place, reason) for place in below)])
    table = _with_note(table, int(_count_missing(table.file, np.asarray(whole.rows)).sum()))
    return picked(table, at[:size], tuple((int(table.rows[place]), why) for place, why in left_out))


def find_names_again(table: Table) -> npt.NDArray[np.bool_]:
    """Return for each row whether all its cells are the names of their columns."""
    is_again = np.full(len(table.rows), bool(table.cells))
    for name, column in table.cells.items():
        if not is_again.any():
            break
        own = re.sub(r"_\d+$", "", name)  # without the number of a second column of this name
        cells = pc.utf8_trim_whitespace(joined([column]))
        is_name = pc.is_in(cells, pa.array([name, own, *([""] if name.startswith("column ") else [])], cells.type))
        is_again &= np.asarray(pc.fill_null(is_name, name.startswith("column ")))
    return is_again


def has_gaps(table: Table) -> bool:
    """Return whether a row is empty in all columns that were read, or missing between two others."""
    if not len(table.rows):
        return False
    if table.rows[-1] - table.rows[0] != len(table.rows) - 1:
        return True
    are_blank = np.ones(len(table.rows), dtype=bool)
    for column in table.cells.values():
        are_blank &= blank(column)
        if not are_blank.any():
            return False
    return True


def blank(column: Texts) -> npt.NDArray[np.bool_]:
    """Return for each cell whether nothing is in it but white space."""
    lengths = pc.binary_length(pc.utf8_trim_whitespace(joined([column])))
    return np.asarray(pc.fill_null(pc.equal(lengths, 0), True))


def _find_end(filled: npt.NDArray[np.bool_], missing: npt.NDArray[np.int64]) -> int:
    """Return how many of the rows, none of which is empty, are data: up to a gap behind which all are a footer."""
    ends = np.flatnonzero(missing) + 1
    ends = ends[ends >= _FEWEST * (len(filled) - ends)]
    always = np.logical_and.accumulate(filled, axis=0)[ends - 1]  # which columns each row above fills
    candidates = [len(filled)]
    for columns in np.unique(always, axis=0):  # from end to end columns only go, so these are few
        last_whole = np.flatnonzero(filled[:, columns].all(axis=1))[-1]
        candidates += ends[(always == columns).all(axis=1) & (ends > last_whole)].tolist()
    return min(candidates)


def _count_missing(file: Path, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return how many rows are missing between each row and the next, but for those of damaged games."""
    damaged = np.array(sorted(rows_left_out(file)), dtype=np.int64)
    return np.diff(rows) - 1 - np.diff(np.searchsorted(damaged, rows))


def _with_note(table: Table, missing: int) -> Table:
    """Return a table with a note of the empty rows that its reader passed over."""
    if not missing:
        return table
    rows = "1 empty row was" if missing == 1 else f"{missing} empty rows were"
    return replace(table, notes=(*table.notes, f"{rows} passed over between the others"))


def picked(table: Table, places: npt.NDArray[np.int64], unread: tuple[tuple[int, str], ...]) -> Table:
    """Return some rows of a table, and why the others are left out."""
    if not unread:
        return table
    cells = {name: column.take(pa.array(places)) for name, column in table.cells.items()}
    rows = np.asarray(table.rows)[places].tolist()
    return replace(table, cells=cells, rows=rows, unread=(*table.unread, *unread))


def without_sums(table: Table) -> Table:
    """Return a table without a last row that is mostly empty and begins with a word such as Mean or Total."""
    last = len(table.rows) - 1
    if last < _FEWEST or table.names[0] not in table.cells:
        return table
    first_cell = text_at(table.cells[table.names[0]], last)
    if not _SUMS.fullmatch(first_cell):
        return table
    start = max(0, last - _LOOKED)
    filled = np.column_stack([~blank(column[start:]) for column in table.cells.values()]).sum(axis=1)
    if filled[-1] >= _MOSTLY_EMPTY * np.median(filled[:-1]):
        return table
    reason = f"a row of sums below the data, which begins with {first_cell[:40]}"
    return picked(table, np.arange(last), ((int(table.rows[last]), reason),))


def _first_words(table: Table, place: int) -> str:
    """Return the first cell of a row in which there is something."""
    return next(filter(None, (text_at(column, place) for column in table.cells.values())))[:40]


def text_at(column: Texts, place: int) -> str:
    """Return the text in a cell without outer space, "" where there is none."""
    return str(column[place]).strip() if column[place].is_valid else ""
