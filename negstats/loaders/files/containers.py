"""Files that hold several tables: workbooks, databases, archives, and z-Tree's text (`ztree`).

Each table has a name: a sheet, a table of SQLite, a file of a zip archive, or z-Tree's own (globals, subjects, ...).
Nothing in a file is executed: a database is opened in memory and its tables are selected, nothing else.
"""

from __future__ import annotations

import io
import sqlite3
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from negstats.errors import LogError, shown
from negstats.loaders.files.intake import sheet_names
from negstats.loaders.files.tabular import Form, Table, text_table
from negstats.loaders.files.workbook import refuse_bomb
from negstats.loaders.files.ztree import is_ztree, ztree_names

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
