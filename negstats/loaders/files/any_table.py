"""Any log that is a table, by the file's ending: text, workbooks, statistics programs, databases, archives."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from negstats.errors import LogError
from negstats.loaders.files.blocks import join_blocks
from negstats.loaders.files.columns import Texts
from negstats.loaders.files.containers import is_ztree, member, read_database, read_ztree, table_names
from negstats.loaders.files.delimited import read_delimited
from negstats.loaders.files.lists import paths, unlisted
from negstats.loaders.files.long_tables import widened
from negstats.loaders.files.objects import read_json, read_json_lines
from negstats.loaders.files.stacks import (
    has_gaps,
    stacked_table,
    without_endings,
    without_footer,
    without_sums,
)
from negstats.loaders.files.tabular import (
    Form,
    Header,
    Table,
    as_text,
    cell_text,
    joined,
    read_sheet,
    refusal,
    text_column,
)
from negstats.loaders.files.transcripts import is_transcript, read_transcript

_INDEX = "__index_level_"  # how pandas calls the index of a frame that it saves


def read_labelled(data: bytes, file: Path, form: Form, columns: Collection[str] | None) -> Table:  # noqa: ARG001
    """Read an SPSS or Stata file: labels in place of codes, nothing in place of declared missing codes."""
    import pyreadstat

    suffix = file.suffix.lower()
    with tempfile.TemporaryDirectory() as folder:  # the library reads from a path alone
        place = Path(folder) / f"data{suffix}"
        place.write_bytes(data)
        try:
            if suffix == ".dta":
                frame, about = pyreadstat.read_dta(str(place))
            else:
                frame, about = pyreadstat.read_sav(str(place), user_missing=True)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise LogError(f"cannot be read as {suffix[1:]}: {reason}; is the file cut?", file=file) from None
    header = Header.of(list(frame.columns), file)
    notes: tuple[str, ...] = ()
    rows = range(1, len(frame) + 1)
    cells: dict[str, Texts] = {}
    for name, at in header.kept(columns).items():
        values: list[Any] = frame.iloc[:, at].tolist()
        texts = [_text_of(value) for value in values]
        declared: list[Any] = list((about.missing_ranges or {}).get(name, []))
        missing = [(limits["lo"], limits["hi"]) for limits in declared]
        is_missing = [_is_within(value, missing) for value in values] if missing else []
        if any(is_missing):
            codes = sorted({text for text, gone in zip(texts, is_missing, strict=True) if gone and text is not None})
            notes = (*notes, f"{name}: {sum(is_missing)} cells with {', '.join(codes)} are declared missing")
            texts = [None if gone else text for text, gone in zip(texts, is_missing, strict=True)]
        labels = {_text_of(code): str(label) for code, label in about.variable_value_labels.get(name, {}).items()}
        if labels:
            texts = [text if text is None else labels.get(text, text) for text in texts]
        cells[name] = text_column(texts, file, rows, name)
    wording = {name: label for name, label in about.column_names_to_labels.items() if label and label != name}
    return header.table(file, cells, rows, wording=wording or None, notes=notes)


def _is_within(value: Any, ranges: list[tuple[Any, Any]]) -> bool:
    """Whether a value is one of the declared missing codes."""
    for low, high in ranges:
        try:
            if low <= value <= high:
                return True
        except TypeError:  # a text beside numbers
            if value == low:
                return True
    return False


def _text_of(value: Any) -> str | None:
    text = cell_text(value)
    return text if text is None or text.strip() else None


def read_arrow(data: bytes, file: Path, form: Form, columns: Collection[str] | None) -> Table:  # noqa: ARG001
    """Read a Parquet or Feather file."""
    import pyarrow.feather as feather
    import pyarrow.parquet as parquet

    try:
        whole = (
            parquet.read_table(io.BytesIO(data))
            if file.suffix.lower() == ".parquet"
            else feather.read_table(io.BytesIO(data))
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        reason = " ".join(str(error).split())
        raise LogError(f"cannot be read as {file.suffix[1:]}: {reason[:200]}; is the file cut?", file=file) from None
    places = [place for place, name in enumerate(whole.column_names) if not name.startswith(_INDEX)]
    header, rows = Header.of([whole.column_names[place] for place in places], file), range(1, whole.num_rows + 1)
    cells = {
        name: _texts_of(whole.column(places[place]), file, rows, name) for name, place in header.kept(columns).items()
    }
    return header.table(file, cells, rows)


def _texts_of(column: Any, file: Path, rows: range, name: str) -> Texts:
    """Return a typed column as text: categories by their words, whole numbers without a fraction."""
    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], column.type.value_type)
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return joined([column])
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return as_text(column.combine_chunks() if column.num_chunks != 1 else column.chunk(0))
    return text_column([_text_of(value) for value in column.to_pylist()], file, rows, name)


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
    if form.long is not None:
        return widened(read_table(data, file, replace(form, long=None)), form.long, columns)
    data, file, sheet = member(data, file, form.sheet)
    form = form if sheet == form.sheet else replace(form, sheet=sheet)
    by_content = read_ztree if is_ztree(data, file) else read_transcript if is_transcript(data, file) else None
    reader = by_content or READERS.get(file.suffix.lower())
    if reader is None:
        raise LogError(refusal([file]), file=file)
    if not data or data.isspace():
        raise LogError("is empty", file=file)
    if not form.rows:
        table = reader(data, file, form, columns)
        if reader in _TYPED:
            whole = table

            def read_whole() -> Table:
                return whole if columns is None else reader(data, file, form, None)

            table = without_footer(table, read_whole()) if has_gaps(table) else table
            table = join_blocks(
                table, columns, read_whole, lambda row: reader(data, file, replace(form, header=row), None), form.header
            )
        return without_sums(table)
    wanted_columns = None if columns is None else {*columns, *paths(form.rows), *form.rows_once}
    return unlisted(reader(data, file, form, wanted_columns), form.rows, columns, once=form.rows_once)
