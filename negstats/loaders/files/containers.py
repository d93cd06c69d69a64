"""Files that hold several tables: workbooks, databases, archives, and the text that z-Tree writes below an `.xls`."""

from __future__ import annotations

import io
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from negstats.errors import LogError, shown
from negstats.loaders.files.intake import sheet_names
from negstats.loaders.files.objects import list_names
from negstats.loaders.files.tabular import Form, Table, text_table
from negstats.loaders.files.workbook import refuse_bomb
from negstats.sanitize import counted

_OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"  # how a binary .xls begins, which z-Tree's is not
_FIRST_LINE = re.compile(rb"\d{6}_\d{4}\t\d+\t\w+\tPeriod\t")  # a session by its time, a treatment, a table
_PLACE_CELLS = 3  # session, treatment and the name of the table stand first in each line
_PLACE = ("session", "treatment", "Period", "Subject")  # a line of names begins with one of them
_OWN = frozenset({*_PLACE, "Group", "Profit", "TotalProfit", "Participate"})  # z-Tree's, in each table of subjects
_MAIN = "subjects"
_ALIKE = 0.5  # of the columns of two treatments that are one table, and of the rows beside which others stand
_KEYS: tuple[tuple[str, ...], ...] = (  # a file may hold several sessions, each of which begins anew
    ("session", "treatment", "Period", "Subject"),
    ("session", "treatment", "Period"),
    ("session", "treatment", "Subject"),
    ("session", "Subject"),
)


@dataclass
class _Part:
    """Rows of one table, from treatments with the same columns."""

    name: str
    columns: dict[str, None]
    treatments: list[str] = field(default_factory=list)
    rows: list[dict[str, str]] = field(default_factory=list)

    def own(self) -> set[str]:
        """Return the columns that z-Tree does not write in each table."""
        return self.columns.keys() - _OWN


def is_ztree(data: bytes, file: Path) -> bool:
    """Whether a file holds z-Tree's text, or can hold nothing else."""
    ending = file.suffix.lower()
    return ending == ".xls" or (ending in (".txt", ".tsv", ".tab") and _FIRST_LINE.match(data[:200]) is not None)


def ztree_names(data: bytes, file: Path) -> list[str]:
    """Return the names of the tables of a z-Tree file, without those that stand beside `subjects`."""
    parts, _ = _read_parts(data, file)
    joined = {part.name for part, _ in _select_beside(parts)}
    return [name for name in parts if name not in joined]


def read_ztree(data: bytes, file: Path, form: Form, columns: Collection[str] | None) -> Table:
    """Read one of the tables that z-Tree writes below each other.

    Raises
    ------
    LogError
        If the file is no text of z-Tree, or has no such table.
    """
    parts, notes = _read_parts(data, file)
    name = form.sheet or (_MAIN if _MAIN in parts else None)
    if name not in parts:
        raise LogError(f"has the tables {', '.join(parts)}; name one", file=file)
    part = parts[name]
    header = list(part.columns)
    rows = [[row.get(column) for column in header] for row in part.rows]
    beside = _select_beside(parts) if name == _MAIN else []
    for other, key in beside:
        new = [one for one in other.columns if one not in _PLACE and (one not in header or _varies(other, one))]
        by_key = {_key_of(row, key): row for row in other.rows}
        matches = [by_key.get(_key_of(row, key), {}) for row in part.rows]
        header += [f"{other.name}.{one}" if one in header else one for one in new]
        rows = [[*row, *map(match.get, new)] for row, match in zip(rows, matches, strict=True)]
    if beside:
        named = ", ".join(f"{other.name} (by {' and '.join(key[1:])})" for other, key in beside)
        notes.append(f"each row has the columns of {named} too")
    table = text_table(header, rows, file, columns)
    return replace(table, notes=(*table.notes, *notes))


def _read_parts(data: bytes, file: Path) -> tuple[dict[str, _Part], list[str]]:
    """Return the tables of a file by their names, and notes of what stands below no name.

    The longest of several tables of one name, with other columns, has the name alone.
    """
    tables: dict[str, list[_Part]] = {}
    part: _Part | None = None
    nameless_cells, nameless_lines = list[str](), list[str]()  # each as a note shows it, with its line
    for line, (session, treatment, name, *values) in _split_lines(data, file):
        if values[0] in _PLACE:
            part = _find_part(tables.setdefault(name, []), name, values)
            part.treatments.append(treatment)
            header = values
        elif part is not None and part.name == name:
            cells = list(zip(header, values, strict=False))
            nameless = [value for column, value in cells if not column] + values[len(header) :]
            nameless_cells += [f"{shown(value)} in line {line}" for value in nameless if value.strip()]
            part.rows.append({"session": session, "treatment": treatment, **dict(cells)})
        else:
            nameless_lines.append(f"line {line}, of {name}")
    notes = [
        f"{counted(len(several), noun)} below no name of a column {verb} not read; the first is {several[0]}"
        for several, noun in ((nameless_cells, "cell"), (nameless_lines, "line"))
        if several and (verb := "is" if len(several) == 1 else "are")
    ]
    parts: dict[str, _Part] = {}
    for name, several in tables.items():
        longest = max(several, key=lambda one: len(one.rows))
        for one in several:
            one.name = name if one is longest else f"{name} {'+'.join(dict.fromkeys(one.treatments))}"
            parts[one.name] = one
    return parts, notes


def _find_part(several: list[_Part], name: str, header: Sequence[str]) -> _Part:
    """Return the part whose columns a treatment shares, or a new one."""
    names = {"session": None, "treatment": None, **dict.fromkeys(one for one in header if one)}
    new = _Part(name, names)
    for part in several:
        most = max(len(part.own()), len(new.own()))
        if len(part.own() & new.own()) >= _ALIKE * most:
            part.columns |= names
            return part
    several.append(new)
    return new


def _select_beside(parts: dict[str, _Part]) -> list[tuple[_Part, tuple[str, ...]]]:
    """Return the tables that stand beside `subjects`, each with the columns by which it has one row for its rows."""
    main = parts.get(_MAIN)
    if main is None:
        return []
    beside = []
    for part in parts.values():
        if part is main or not part.own():
            continue
        n_matched = {key: _count_matched(main, part, key) for key in _KEYS}
        key = max(_KEYS, key=lambda one: n_matched[one])
        if n_matched[key] > 0 and n_matched[key] >= _ALIKE * len(main.rows):
            beside.append((part, key))
    return beside


def _count_matched(main: _Part, other: _Part, key: tuple[str, ...]) -> int:
    """Return beside how many rows a row of another table stands; 0 where a key names several of its rows."""
    if not other.columns.keys() >= set(key):
        return 0
    names = {_key_of(row, key) for row in other.rows}
    if len(names) < len(other.rows):
        return 0
    return sum(_key_of(row, key) in names for row in main.rows)


def _key_of(row: dict[str, str], key: tuple[str, ...]) -> tuple[str | None, ...]:
    return tuple(map(row.get, key))


def _varies(part: _Part, name: str) -> bool:
    return len({row.get(name) for row in part.rows}) > 1


def _split_lines(data: bytes, file: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of z-Tree's text as cells, each with its number in the file."""
    if data.startswith(_OLD_WORKBOOK):
        raise LogError("is a workbook of an old Excel: save it as .xlsx", file=file)
    lines = enumerate(data.splitlines(), 1)  # of bytes: as text, an ellipsis of Windows would end a line too
    cells = [(number, line.decode("latin-1").split("\t")) for number, line in lines if line.strip()]
    if not cells or any(len(cell) <= _PLACE_CELLS or not cell[1].isdecimal() for _, cell in cells):
        raise LogError("is neither a workbook nor a text of z-Tree: save it as .xlsx", file=file)
    yield from cells


WORKBOOKS = (".xlsx", ".xlsm")
DATABASES = (".sqlite", ".sqlite3", ".db")
ARCHIVES = (".zip",)


def table_names(data: bytes, file: Path) -> list[str]:
    """Return the names of the tables in a file that may hold several; none for a file that is one table.

    Raises
    ------
    LogError
        If the file is damaged.
    """
    suffix = file.suffix.lower()
    if suffix in WORKBOOKS:
        return sheet_names(data, file)
    if suffix in DATABASES:
        with _database(data, file) as database:
            query = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name"
            return [str(name) for (name,) in database.execute(query)]
    if suffix in ARCHIVES:
        with opened_archive(data, file) as archive:
            names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
        return sorted(name for name in names if not _is_hidden(name))
    if suffix == ".json":
        return list_names(data)
    return ztree_names(data, file) if is_ztree(data, file) else []


def member(data: bytes, file: Path, name: str | None) -> tuple[bytes, Path, str | None]:
    """Return what stands behind a table's name: the file of an archive, or the file itself with the name.

    Raises
    ------
    LogError
        If an archive has no such file, or several and none is named.
    """
    if file.suffix.lower() not in ARCHIVES:
        return data, file, name
    known = table_names(data, file)
    if name is None and len(known) != 1:
        raise LogError(f"has the files {', '.join(known[:12])}; name one", file=file)
    if name is not None and name not in known:
        raise LogError(f"has no file {shown(name)}; it has {', '.join(known[:12])}", file=file)
    with opened_archive(data, file) as archive:
        inner = name or known[0]
        return archive.read(inner), file / inner, None


def read_database(data: bytes, file: Path, form: Form, columns: Collection[str] | None) -> Table:
    """Read a table of a SQLite database."""
    names = table_names(data, file)
    name = form.sheet or (names[0] if len(names) == 1 else None)
    if name not in names:
        what = f"has no table {shown(name)}" if name else "has several tables"
        raise LogError(f"{what}; it has {', '.join(names)}", file=file)
    with _database(data, file) as database:
        quoted = name.replace('"', '""')
        cursor = database.execute(f'select * from "{quoted}"')  # noqa: S608 - a name of the database's own, quoted
        header = [str(column[0]) for column in cursor.description]
        rows = cursor.fetchall()
    return text_table(header, rows, file, columns)


@contextmanager
def _database(data: bytes, file: Path) -> Iterator[sqlite3.Connection]:
    database = sqlite3.connect(":memory:")
    try:
        database.deserialize(data)
        database.execute("pragma query_only = on")
        yield database
    except sqlite3.Error as error:
        raise LogError(f"is not a readable SQLite database: {error}; is the file cut?", file=file) from None
    finally:
        database.close()


@contextmanager
def opened_archive(data: bytes, file: Path) -> Iterator[zipfile.ZipFile]:
    """Open a ZIP archive to read; raises LogError if it is none, is damaged, or unpacks to gigabytes."""
    refuse_bomb(data, file)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive
    except LogError:
        raise
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError) as error:
        raise LogError(f"is not a readable archive: {error}; is the file cut?", file=file) from None


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)
