"""A log that is a table, as columns of text, and how it is written; sheets of workbooks.

`negstats.loaders.files.any_table` takes any table by its file's ending. Cells are text (a sheet's 3.0 is "3"); whether
a text is a number is decided by who asks, with the row at hand if it is none. Rows are numbered as a spreadsheet
program shows them: the header is row 1, and a record with a line break inside its quotes is one row. In JSON Lines a
row is a line; in JSON it is the place in the list, from 1.

Damaged files raise `LogError`: nothing is padded, shifted, guessed or executed.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from negstats.errors import LogError, shown
from negstats.loaders.files.columns import Texts
from negstats.loaders.files.intake import sheet_rows

MOST_COLUMNS = 2**14  # as in a sheet
UNNAMED = re.compile(r"column [0-9]+")  # what a column is called whose cell in the header is empty
LONGEST_NAME = 10_000  # characters; the wording of a question has fewer


@dataclass(frozen=True, slots=True)
class Long:
    """The columns of a table with a row for each measure: they name it, hold its value, and name whose it is."""

    measure: str
    value: str
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """How a file is written, where the file itself does not say.

    Attributes
    ----------
    sheet : str or None
        The sheet of a workbook, the table of a database, the file of an archive, or the key of a JSON object under
        which the list of rows stands. None: the only one.
    sheets : tuple of str
        Several of these with the same columns, whose rows are read below each other; their names are the column
        ``source``. ("*",) are all.
    encoding : str
        Of a text file. UTF-8 may begin with a byte order mark.
    delimiter : str or None
        Of a text file. None: a tab in .tsv and .tab, else the one that the header has most of.
    header, first_row : int, int or None
        The row with the names of the columns, and the first row of data (None: the one after the header).
    header_rows : int or None
        How many rows stand above the data, the one with the names among them, in place of `first_row`.
    group_row : int or None
        A row above the one with the names that has titles of groups of columns, each over the first of its group.
    rows : tuple of str
        Columns with lists, such as the turns of a dialogue: each element is a row, and elements of several columns at
        one place are one row. ``turns.acts`` are lists inside those of ``turns``. Empty: each row is one.
    rows_once : tuple of str
        Columns whose rows, where they agree on all of them, have one list between them, which stands on each.
    long : Long or None
        Columns by which rows of one measure each are put together to rows of all measures.
    """

    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    encoding: str = "utf-8"
    delimiter: str | None = None
    header: int = 1
    first_row: int | None = None
    header_rows: int | None = None
    group_row: int | None = None
    rows: tuple[str, ...] = ()
    rows_once: tuple[str, ...] = ()
    long: Long | None = None

    @property
    def start(self) -> int:
        """The first row of data."""
        if self.header_rows is not None:
            return self.header_rows + 1
        return self.header + 1 if self.first_row is None else self.first_row


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text.

    Attributes
    ----------
    file : pathlib.Path
        Where it was read.
    names : list of str
        Its columns, in order. One without a name is called ``column 3`` after its place.
    cells : dict of str to pyarrow array
        For each column that was kept its cells: text, or missing where there is none. JSON's numbers stay numbers
        where a column holds nothing else.
    rows : sequence of int
        For each row its number in the file.
    complete : bool
        False for a text file that does not end with a line break: its last value may be cut.
    wording : dict of str to str
        For each column what a second row of a header says of it.
    misspelt : tuple of (str, str)
        Of objects: keys that stand only where a column that was asked for does not, and that column, if they are alike.
    unread : tuple of (int, str)
        Rows that are left out, each with the reason: what should be a list and is none, or sums below the data.
    notes : tuple of str
        What was done to names and cells: names that stand twice are numbered, declared missing codes are empty.
    doubled : dict of str to dict of int to str
        Names that stand several times in the header over cells that differ, as in `Header`.
    source : str or None
        The column that says from which of several tables below each other a row comes.
    """

    file: Path
    names: list[str]
    cells: dict[str, Texts]
    rows: Sequence[int]
    complete: bool = True
    wording: dict[str, str] | None = None
    misspelt: tuple[tuple[str, str], ...] = ()
    unread: tuple[tuple[int, str], ...] = ()
    notes: tuple[str, ...] = ()
    doubled: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    source: str | None = None

    def column(self, name: str) -> pd.Series:
        """Return a column as text, missing where the cell is empty or white space."""
        cells = joined([self.cells[name]])
        blank = pc.equal(pc.binary_length(pc.utf8_trim_whitespace(cells)), 0)
        return pd.Series(pd.array(pc.if_else(blank, pa.scalar(None, cells.type), cells), dtype="str"))

    def words(self, name: str) -> Texts:
        """Return the texts of a column without white space around them, and without cells that hold nothing else."""
        trimmed = pc.utf8_trim_whitespace(joined([self.cells[name]]))
        return trimmed.filter(pc.greater(pc.binary_length(trimmed), 0))

    def first_cells(self, name: str, count: int) -> list[str]:
        """Return the texts in the first rows of a column, without those that are empty or white space."""
        return [cell for cell in joined([self.cells[name].slice(0, count)]).to_pylist() if cell and cell.strip()]


def joined(several: Sequence[Texts], *, numbers: bool = False) -> Texts:
    """Return columns below each other as one array of text, or of numbers if they may stay that."""
    pieces = [
        piece for column in several for piece in (column.chunks if isinstance(column, pa.ChunkedArray) else [column])
    ]
    whole = of_one_type([spelled(piece) if is_coded(piece) else piece for piece in pieces])
    if whole.type == pa.string() and whole.nbytes >= _MOST_SMALL:
        whole = whole.cast(pa.large_string())
    combined = whole.combine_chunks()
    return combined if numbers else as_text(combined)


def with_categories(table: Table) -> Table:
    """Return a table whose columns of few texts are held as codes and these texts, as a category is."""
    return replace(table, cells={name: _categories(column) for name, column in table.cells.items()})


def _categories(column: Texts) -> Texts:
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    if not is_text or not len(column):
        return column
    coded = column.dictionary_encode()
    coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    if len(coded.dictionary) > _MOST_WORDS * len(column):
        return column
    indices = coded.indices.cast(pa.from_numpy_dtype(np.min_scalar_type(-1 - len(coded.dictionary))))
    return pa.DictionaryArray.from_arrays(indices, coded.dictionary.cast(pa.large_string()))


_MOST_WORDS = 0.5  # of the rows; a column in which hardly any text stands again gains nothing


def is_coded(column: Texts) -> bool:
    """Whether a column is held as codes and the texts that they stand for."""
    return isinstance(column, pa.DictionaryArray)


def spelled(column: Texts) -> Texts:
    """Return a column that is held as codes as text."""
    return column.dictionary.take(column.indices)


def of_one_type(chunks: Sequence[Texts]) -> Texts:
    """Return pieces of a column as one: numbers if all of them are of one kind, else text."""
    kinds = {chunk.type for chunk in chunks if len(chunk)} or {pa.large_string()}
    if len(kinds) == 1:
        (kind,) = kinds
        return pa.chunked_array([chunk for chunk in chunks if chunk.type == kind], kind)
    return pa.chunked_array([as_text(chunk).cast(pa.large_string()) for chunk in chunks], pa.large_string())


def as_text(column: Texts) -> Texts:
    """Return a column of text or numbers as text: a whole number without a fraction."""
    if pa.types.is_floating(column.type):
        coded_column = column.dictionary_encode()
        words = [cell_text(value) for value in coded_column.dictionary.to_pylist()]
        return pa.array(words, pa.large_string()).take(coded_column.indices)
    return column if pa.types.is_string(column.type) else column.cast(pa.large_string())


_MOST_SMALL = 2**31 - 1  # bytes that a column of plain strings can hold


def text_column(values: Sequence[str | None], file: Path, rows: Sequence[int], name: str) -> Texts:
    """Return cells as a column.

    Raises
    ------
    LogError
        If a cell holds half a character (an unpaired surrogate, which JSON can spell).
    """
    try:
        return pa.array(values, pa.large_string())
    except UnicodeEncodeError:
        at = next(place for place, text in enumerate(values) if text and not _encodes(text))
        reason = f"{shown(values[at])} holds half a character"
        raise LogError(reason, file=file, row=int(rows[at]), column=name) from None


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_NEVER = frozenset({".yaml", ".yml", ".pkl", ".pickle", ".p", ".joblib", ".npy", ".npz", ".py"})
_OF_R = frozenset({".rds", ".rdata", ".rda"})
_RESAVE = frozenset({".xlsb", ".ods"})
KNOWN_TABLES = (
    "CSV, TSV, Excel (.xlsx), SPSS (.sav), Stata (.dta), Parquet, Feather, SQLite, JSON and JSON Lines, and zip "
    "archives of these"
)


def refusal(files: Sequence[Path]) -> str:
    """Return in one line why none of `files` can be read as a table, and what could be.

    Examples
    --------
    >>> refusal([Path("run.log")]).partition(";")[0]
    'no table to read (1 x .log)'
    """
    endings = Counter(file.suffix.lower() or "without an ending" for file in files)
    ending_counts = ", ".join(f"{count} x {ending}" for ending, count in endings.most_common(5)) or "no files"
    reason = f"no table to read ({ending_counts}); negstats reads {KNOWN_TABLES}"
    if not endings.keys().isdisjoint(_NEVER):
        reason += (
            "; YAML and pickles are not opened, for nothing in a log is ever unpickled or executed: export a table"
        )
    if not endings.keys().isdisjoint(_OF_R):
        reason += "; of R's own files write a table in R: write.csv(readRDS('FILE.rds'), 'FILE.csv', row.names = FALSE)"
    if not endings.keys().isdisjoint(_RESAVE):
        reason += "; save the workbook as .xlsx"
    return reason


def grouped_names(names: Sequence[object], groups: Sequence[object]) -> list[str]:
    """Return names that begin with the title of their group, which stands over the first of its columns.

    Examples
    --------
    >>> grouped_names(["id", "offer", "answer", ""], ["", "Round 1", "", "Age"])
    ['id', 'Round 1 offer', 'Round 1 answer', 'Age']
    """
    title, full_names = "", []
    for place, name in enumerate(names):
        group_title = (cell_text(groups[place]) or "").strip() if place < len(groups) else ""
        own = (cell_text(name) or "").strip()
        title = group_title or title
        full_names.append(f"{title} {own}".strip() if own else group_title)
    return full_names


@dataclass(frozen=True, slots=True)
class Header:
    """The names of a table's columns: each once, for a later column of a name that stands there already has a number.

    Attributes
    ----------
    names : list of str
        The names, in order; a column without a name is called after its place.
    doubled : dict of str to dict of int to str
        For each name that stands several times the places of its columns, from 1, with the names that they were given.

    Examples
    --------
    >>> Header.of(["id", "Q14", "Q14", "Q14_2"], Path("log.csv"))
    Header(names=['id', 'Q14', 'Q14_3', 'Q14_2'], doubled={'Q14': {2: 'Q14', 3: 'Q14_3'}})
    """

    names: list[str]
    doubled: dict[str, dict[int, str]]

    @classmethod
    def of(
        cls, cells: Sequence[object], file: Path, row: int | None = None, groups: Sequence[object] | None = None
    ) -> Self:
        """Return the header of these cells, below titles of groups: of a row of the file, or beside its rows."""
        cells = cells if groups is None else grouped_names(cells, groups)
        names = [(cell_text(cell) or "").strip() or f"column {place}" for place, cell in enumerate(cells, start=1)]
        if len(names) > MOST_COLUMNS:
            raise LogError(f"has {len(names):,} columns; the limit is {MOST_COLUMNS:,}", file=file, row=row)
        if (longest := max(map(len, names), default=0)) > LONGEST_NAME:
            reason = f"a name of a column has {longest:,} characters; the limit is {LONGEST_NAME:,}; is this a table?"
            raise LogError(reason, file=file, row=row)
        if len(set(names)) == len(names):
            return cls(names, {})
        numbered, places = _numbered(names), pd.Series(range(1, len(names) + 1)).groupby(names).agg(list)
        twice = {name: places[name] for name in dict.fromkeys(names) if len(places[name]) > 1}
        return cls(numbered, {name: {place: numbered[place - 1] for place in of} for name, of in twice.items()})

    def kept(self, columns: Collection[str] | None) -> dict[str, int]:
        """Return the columns to read, each with its place from 0: with a name that stands twice all that have it."""
        places = range(len(self.names))
        if columns is None:
            return dict(zip(self.names, places, strict=True))
        twins = {twin for name, of in self.doubled.items() if name in columns for twin in of.values()}
        return {name: place for name, place in zip(self.names, places, strict=True) if name in columns or name in twins}

    def table(self, file: Path, cells: dict[str, Texts], rows: Sequence[int], *others: Any, **more: Any) -> Table:
        """Return the table with these cells; it tells of the columns of one name whose cells differ."""
        table = Table(file, self.names, cells, rows, *others, **more)
        if not self.doubled:
            return table
        names = ", ".join(map(shown, list(self.doubled)[:6]))
        note = f"column names that occur several times were numbered: {names}"
        differ = {name: of for name, of in self.doubled.items() if name in cells and not _are_equal(table, of.values())}
        return replace(table, doubled=differ, notes=(note, *table.notes))


def _are_equal(table: Table, names: Iterable[str]) -> bool:
    """Whether columns have the same cells in every row."""
    first, *others = map(table.column, names)
    return all(first.equals(other) for other in others)


def _numbered(names: Sequence[str]) -> list[str]:
    """Return names of which each later one that stands there already has a number: Q14, Q14_2."""
    known = set(names)
    numbered: dict[str, None] = {}
    for name in names:
        number, new = 2, name
        while new in numbered or (new != name and new in known):
            new, number = f"{name}_{number}", number + 1
        numbered[new] = None
    return list(numbered)


def read_sheet(data: bytes, file: Path, form: Form, columns: Collection[str] | None) -> Table:
    """Read a sheet of an Excel workbook."""
    lines = sheet_rows(data, file, form.sheet)
    if len(lines) < form.header or not any(cell_text(cell) for cell in lines[form.header - 1]):
        raise LogError(f"has no row {form.header} with the names of the columns", file=file)
    header = lines[form.header - 1]
    rows = [at for at in range(form.start, len(lines) + 1) if any(cell != "" for cell in lines[at - 1])]
    width = max(place for at in [form.header, *rows] for place, cell in enumerate(lines[at - 1], 1) if cell != "")
    groups = None if form.group_row is None else lines[form.group_row - 1][:width]
    top = Header.of(header[:width], file, form.header, groups)
    cells = {
        name: text_column([cell_text(lines[at - 1][place]) for at in rows], file, rows, name)
        for name, place in top.kept(columns).items()
    }
    return top.table(file, cells, rows, wording=wording(top.names, lines[: form.start - 1], form))


def wording(names: list[str], lines: Sequence[Iterable[object]], form: Form) -> dict[str, str] | None:
    """Return what the record after the one of the names says of each column, if it belongs to the header."""
    if form.header_rows is None or form.header >= len(lines):
        return None
    question_texts = (cell_text(cell) for cell in lines[form.header])
    return {name: text for name, text in zip(names, question_texts, strict=False) if text}


def cell_text(value: object) -> str | None:
    """Return a cell as text: whole numbers without a fraction, dates in ISO form, JSON for what is nested."""
    match value:
        case None | "":
            return None
        case str():
            return value
        case bool() | int():
            return str(value)
        case float():
            return (
                None if value != value else str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
            )
        case dt.datetime():
            return value.isoformat(sep=" ")
        case dt.date() | dt.time():
            return value.isoformat()
        case dt.timedelta():
            return repr(value.total_seconds())
        case bytes():  # words that a program wrote without saying that they are words, or what is none
            try:
                return value.decode()
            except UnicodeDecodeError:
                return f"0x{value.hex()}"
        case _:
            return json.dumps(value, ensure_ascii=False, default=cell_text)


def text_table(
    header: list[str],
    rows: Sequence[Sequence[object]],
    file: Path,
    columns: Collection[str] | None,
    numbers: Sequence[int] | None = None,
) -> Table:
    """Return rows of any cells below names as a table of text; without `numbers` they are counted from 1."""
    top, numbers = Header.of(header, file), range(1, len(rows) + 1) if numbers is None else numbers
    cells = {
        name: text_column([cell_text(row[place]) for row in rows], file, numbers, name)
        for name, place in top.kept(columns).items()
    }
    return top.table(file, cells, numbers)
