"""Any log that is a table, by the file's ending: text, workbooks, statistics programs, databases, archives.

Blocks of one table may stand below each other: the names of the columns again, and above them perhaps a title.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from negstats.errors import LogError
from negstats.loaders.files.columns import Texts
from negstats.loaders.files.containers import is_ztree, member, read_database, read_ztree, table_names
from negstats.loaders.files.delimited import read_delimited
from negstats.loaders.files.lists import paths, unlisted
from negstats.loaders.files.long_tables import widened
from negstats.loaders.files.objects import read_json, read_json_lines
from negstats.loaders.files.stacks import (
    blank,
    find_names_again,
    has_gaps,
    picked,
    source_name,
    stacked_table,
    text_at,
    without_endings,
    without_footer,
    without_sums,
)
from negstats.loaders.files.tabular import (
    UNNAMED,
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

NAMES_AGAIN, TITLE = "the names of the columns again", "a title above the names of the columns"


def join_blocks(
    table: Table,
    columns: Collection[str] | None,
    read_whole: Callable[[], Table],
    read_below: Callable[[int], Table],
    header: int,
) -> Table:
    r"""Return a table without the rows that repeat the names of its columns, as files put together have them.

    Where a title stands above each of these rows, it is what the block below it differs in from the others: the column
    ``source`` holds the title of each row's block.

    Parameters
    ----------
    table
        The table with the columns that are read.
    columns
        Their names; None for all.
    read_whole
        Returns the table with all columns, if some rows repeat the names of those that are read.
    read_below
        Returns the table whose names stand in some row of the file.
    header
        The row of the names.

    Examples
    --------
    >>> from pathlib import Path
    >>> from negstats.loaders.files.any_table import Form, read_table
    >>> lines = b"pair,price\n1,5\npair,price\n2,7\n"
    >>> read_table(lines, Path("log.csv")).unread
    ((3, 'the names of the columns again'),)
    >>> lines = b"Control,\npair,price\n1,5\nFeedback,\npair,price\n1,7\n"
    >>> blocks = read_table(lines, Path("log.csv"), Form(header=2))
    >>> blocks.column("price").tolist(), blocks.column("source").tolist()
    (['5', '7'], ['Control', 'Feedback'])
    """
    is_source_read = columns is not None and source_name(table.names) in columns
    if not (is_source_read or find_names_again(table).any()):
        return table
    whole = read_whole()
    are_again = np.flatnonzero(find_names_again(whole) & (len(whole.cells) > 1))
    titles = {int(place): _find_title(whole, int(place)) for place in are_again}
    numbers = np.asarray(whole.rows)
    left_out = {int(numbers[place]): NAMES_AGAIN for place in are_again}
    are_titled = bool(titles) and all(title is not None for title in titles.values())
    if are_titled:
        left_out |= {int(numbers[title]): TITLE for title in titles.values() if title is not None}
    is_kept = np.array([int(row) not in left_out for row in table.rows], dtype=bool)
    own_rows = set(map(int, table.rows))
    table = picked(
        table, np.flatnonzero(is_kept), tuple((row, why) for row, why in sorted(left_out.items()) if row in own_rows)
    )
    if not are_titled:
        return table
    starts = [header, *(int(numbers[place]) for place in are_again)]
    words = [_first_title(read_below, header), *(_words_at(whole, title) for title in titles.values())]
    return _with_source(table, starts, words, columns)


def _with_source(table: Table, starts: Sequence[int], titles: Sequence[str], columns: Collection[str] | None) -> Table:
    """Return a table with the title of each row's block, which begins below one of the rows `starts`."""
    source = source_name(table.names)
    blocks = np.searchsorted(np.asarray(starts), np.asarray(table.rows)) - 1
    cells = dict(table.cells)
    if columns is None or source in columns:
        cells[source] = pa.array([titles[block] for block in blocks], pa.large_string())
    note = f"{len(titles)} blocks with a title each were put below each other; {source} is the title of each"
    return replace(table, names=[*table.names, source], cells=cells, source=source, notes=(*table.notes, note))


def _find_title(whole: Table, place: int) -> int | None:
    """Return the place of the title above a row of names: one cell alone is filled in it; None if there is none."""
    for above in range(place - 1, -1, -1):
        filled = sum(not blank(column.slice(above, 1))[0] for column in whole.cells.values())
        if filled:
            return above if filled == 1 else None
    return None


def _words_at(whole: Table, place: int | None) -> str:
    """Return the one text in a row."""
    return "" if place is None else next(filter(None, (text_at(column, place) for column in whole.cells.values())))


def _first_title(read_below: Callable[[int], Table], header: int) -> str:
    """Return the title above the names of the first block; "1" if there is none."""
    for row in range(header - 1, 0, -1):
        try:
            names = read_below(row).names
        except LogError:
            continue  # a row without a cell
        words = [name for name in names if UNNAMED.fullmatch(name) is None]
        if words:
            return words[0] if len(words) == 1 else "1"
    return "1"


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
