"""Any log that is a table, by the file's ending: text, workbooks, statistics programs, databases, archives."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from negstats.errors import LogError
from negstats.loaders.files.containers import member, read_database, table_names
from negstats.loaders.files.delimited import read_delimited
from negstats.loaders.files.footers import has_gaps, without_footer, without_sums
from negstats.loaders.files.lists import paths, unlisted
from negstats.loaders.files.objects import read_json, read_json_lines
from negstats.loaders.files.stacks import stacked_table, without_endings
from negstats.loaders.files.tabular import Form, Table, read_sheet, refusal
from negstats.loaders.files.typed import read_arrow, read_labelled
from negstats.loaders.files.ztree import is_ztree, read_ztree

READERS: dict[str, Callable[[bytes, Path, Form, Collection[str] | None], Table]] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".tab": read_delimited,
    ".txt": read_delimited,
    ".xlsx": read_sheet,
    ".xlsm": read_sheet,
    ".json": read_json,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".sav": read_labelled,
    ".zsav": read_labelled,
    ".dta": read_labelled,
    ".parquet": read_arrow,
    ".feather": read_arrow,
    ".sqlite": read_database,
    ".sqlite3": read_database,
    ".db": read_database,
    ".xls": read_ztree,
}
_TYPED = (read_delimited, read_sheet)  # what people type into, a blank row and what stands below the data too
TABLES = (*READERS, ".zip")
_PLAIN = Form()


def read_table(data: bytes, file: Path, form: Form = _PLAIN, columns: Collection[str] | None = None) -> Table:
    """Read a file's content as a table.

    Parameters
    ----------
    data
        The content.
    file
        Its path: the ending says what it is, and errors name it.
    form
        How it is written.
    columns
        The columns to keep; None keeps all. Those that the table lacks are passed over.

    Raises
    ------
    LogError
        If the file is not a table, is cut or ragged, is not in its encoding, or has two columns of one name.
    """
    if form.sheets:
        names = list(form.sheets) if form.sheets != ("*",) else table_names(data, file)
        parts = [read_table(data, file, replace(form, sheet=name, sheets=()), columns) for name in names]
        return stacked_table(parts, without_endings(names), file, columns)
    data, file, sheet = member(data, file, form.sheet)
    form = form if sheet == form.sheet else replace(form, sheet=sheet)
    reader = read_ztree if is_ztree(data, file) else READERS.get(file.suffix.lower())
    if reader is None:
        raise LogError(refusal([file]), file=file)
    if not data or data.isspace():
        raise LogError("is empty", file=file)
    if not form.rows:
        table = reader(data, file, form, columns)
        if reader in _TYPED and has_gaps(table):
            table = without_footer(table, table if columns is None else reader(data, file, form, None))
        return without_sums(table)
    wanted_columns = None if columns is None else {*columns, *paths(form.rows), *form.rows_once}
    return unlisted(reader(data, file, form, wanted_columns), form.rows, columns, once=form.rows_once)
