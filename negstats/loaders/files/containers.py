"""Files that hold several tables: workbooks, databases, archives, and the text that z-Tree writes below an `.xls`.

Each table has a name: a sheet, a table of SQLite, a file of a zip archive, or z-Tree's own (globals, subjects, ...).
Nothing in a file is executed: a database is opened in memory and its tables are selected, nothing else.
"""

from __future__ import annotations

import io
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from negstats.errors import LogError, shown
from negstats.loaders.files.intake import sheet_names
from negstats.loaders.files.tabular import Form, Header, Table, cell_text, text_column
from negstats.loaders.files.workbook import refuse_bomb

WORKBOOKS = (".xlsx", ".xlsm")
DATABASES = (".sqlite", ".sqlite3", ".db")
ARCHIVES = (".zip",)
_OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"  # how a binary .xls begins, which z-Tree's is not
_ZTREE = re.compile(rb"\d{6}_\d{4}\t\d+\t\w+\tPeriod\t")  # its first line: a session by its time, a treatment, a table
_PLACE_CELLS = 3  # of z-Tree: session, treatment and the name of the table stand first in each line


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
        with _archive(data, file) as archive:
            names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
        return sorted(name for name in names if not _is_hidden(name))
    if suffix == ".xls" or is_ztree(data, file):
        return list(dict.fromkeys(cells[2] for cells in _ztree_lines(data, file)))
    return []


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
    with _archive(data, file) as archive:
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
    return _table_of(header, rows, file, columns)


def read_ztree(data: bytes, file: Path, form: Form, columns: Collection[str] | None) -> Table:
    """Read one of the tables that z-Tree writes below each other, each with a row of names for each treatment."""
    names = table_names(data, file)
    name = form.sheet or ("subjects" if "subjects" in names else None)
    if name not in names:
        raise LogError(f"has the tables {', '.join(names)}; name one", file=file)
    header: list[str] = []
    everything: dict[str, None] = {}
    records: list[dict[str, str]] = []
    for cells in _ztree_lines(data, file):
        if cells[2] != name:
            continue
        values = cells[_PLACE_CELLS:]
        if values[:1] == ["Period"]:
            header = ["session", "treatment", *values]
            everything |= dict.fromkeys(header)
        elif header:
            records.append(dict(zip(header, [cells[0], cells[1], *values], strict=False)))
    rows = [tuple(record.get(column) for column in everything) for record in records]
    return _table_of(list(everything), rows, file, columns)


def is_ztree(data: bytes, file: Path) -> bool:
    """Whether a text is z-Tree's, saved with another ending."""
    return file.suffix.lower() in (".txt", ".tsv", ".tab") and _ZTREE.match(data[:200]) is not None


def _ztree_lines(data: bytes, file: Path) -> Iterator[list[str]]:
    """Yield the lines of z-Tree's text as cells."""
    if data.startswith(_OLD_WORKBOOK):
        raise LogError("is a workbook of an old Excel: save it as .xlsx", file=file)
    lines = data.decode("latin-1").splitlines()
    cells = [line.split("\t") for line in lines if line.strip()]
    if not cells or any(len(cell) <= _PLACE_CELLS or not cell[1].isdecimal() for cell in cells):
        raise LogError("is neither a workbook nor a text of z-Tree: save it as .xlsx", file=file)
    yield from cells


def _table_of(
    header: list[str], rows: Sequence[tuple[object, ...]], file: Path, columns: Collection[str] | None
) -> Table:
    top, numbers = Header.of(header, file, 1), range(1, len(rows) + 1)
    cells = {
        name: text_column([cell_text(row[place]) for row in rows], file, numbers, name)
        for name, place in top.kept(columns).items()
    }
    return top.table(file, cells, numbers)


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
def _archive(data: bytes, file: Path) -> Iterator[zipfile.ZipFile]:
    refuse_bomb(data, file)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise LogError(f"is not a readable archive: {error}; is the file cut?", file=file) from None


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)
