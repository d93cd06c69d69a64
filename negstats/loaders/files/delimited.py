"""CSV and TSV as columns of text: read by Arrow where a file is plainly laid out, else by Python's reader.

Both give the same cells. Arrow's is some twenty times faster and forgives what Python's names with its row, so it is
asked only where nothing is to be forgiven: each quoted cell is quoted from end to end, no line is blank.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from negstats.errors import LogError, shown
from negstats.loaders.files.columns import Texts
from negstats.loaders.files.stacks import find_names_again
from negstats.loaders.files.tabular import Form, Header, Table, text_column, wording

LONGEST_CELL = 2**24  # characters
_DELIMITERS = (",", ";", "\t", "|")
_SEPARATOR = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)  # a first line by which spreadsheet programs know the delimiter
_BLANK = (b"\n\n", b"\n\r\n")


def read_delimited(data: bytes, file: Path, form: Form, columns: Collection[str] | None) -> Table:
    """Read a text file whose cells stand between delimiters."""
    plain = utf8(data, file, form.encoding)
    head = plain[:_HEAD].decode(errors="ignore")
    delimiter, start = _layout(head, file, form)
    plain = plain[start:]
    table = _read_fast(plain, file, form, delimiter, columns) if delimiter.isascii() else None
    return table or _read_slowly(plain.decode(), file, form, delimiter, columns)


class MixedError(Exception):
    """A file cannot be told into records where it is cut into pieces; it must be read as a whole."""


def delimited_pieces(
    blocks: Iterable[bytes], file: Path, form: Form, columns: Collection[str] | None
) -> Iterator[Table]:
    """Yield a text file, which comes as blocks of whole lines, as tables of some of its records.

    Raises
    ------
    MixedError
        If quotes stand where they leave it open which lines begin a record.
    LogError
        As `read_delimited`.
    """
    header, rest, records_before = b"", b"", 0
    for block in blocks:
        data = rest + (block if header else utf8(block, file, form.encoding))
        if not header:
            delimiter, skip = _layout(data[:_HEAD].decode(errors="ignore"), file, form)
            header_lines = _read_above(data[skip:], form, delimiter) if delimiter.isascii() else None
            if header_lines is None:
                raise MixedError
            header, data = data[: skip + header_lines[1]], data[skip + header_lines[1] :]
        rest = b""
        if data.count(b'"') % 2:
            rest = data
            if len(rest) > _LONGEST_RECORD:
                raise MixedError
            continue
        table, records = _piece(header, data, file, form, columns, records_before)
        records_before += records
        yield table
    if rest or not header:
        raise MixedError


_LONGEST_RECORD = 2**26  # bytes in which a quote is closed


def _piece(
    header: bytes, data: bytes, file: Path, form: Form, columns: Collection[str] | None, records_before: int
) -> tuple[Table, int]:
    """Return some records as a table, their rows counted on from those `records_before`, and how many they are."""
    has_quotes = b'"' in data
    whole = header + data
    if data.count(b"\r") != data.count(b"\r\n"):
        raise MixedError
    if records_before:
        utf8_later(data, file, form.start + records_before)
    if has_quotes:
        delimiter, start = _layout(whole[:_HEAD].decode(errors="ignore"), file, form)
        table = _read_fast(whole[start:], file, form, delimiter, columns)
        if table is None:
            raise MixedError
        records = len(table.rows)
    else:
        records = data.count(b"\n")
        try:
            table = read_delimited(whole, file, form, columns)
        except LogError as error:
            row = error.row
            if row is None or row < form.start or not records_before:
                raise
            raise LogError(error.reason, file=file, row=row + records_before, column=error.column) from None
    if find_names_again(table).any():
        raise MixedError  # a row may repeat the names of all columns, or only of those that are read
    return replace(table, rows=(np.asarray(table.rows) + records_before).tolist()), records


def layout(head: str, header: int = 1) -> tuple[str, int]:
    r"""Return what stands between the cells of a text that begins with `head`, and where its records begin.

    A first line such as ``sep=;`` names the delimiter; else it is what the header has most of, outside quotes, and a
    comma where it has none.

    Examples
    --------
    >>> layout('a;"b,c,d"\n'), layout("sep=|\na|b\n")
    ((';', 0), ('|', 6))
    """
    if separator_line := _SEPARATOR.match(head):
        return separator_line[1], separator_line.end()
    lines = head.split("\n", header)
    unquoted_text = "".join(lines[header - 1].split('"')[::2]) if len(lines) >= header else ""
    return max(_DELIMITERS, key=unquoted_text.count), 0


def _layout(head: str, file: Path, form: Form) -> tuple[str, int]:
    """Return the delimiter, as the file or its form has it, and where the records begin."""
    delimiter, start = layout(head, form.header)
    if not start:
        tabs = file.suffix.lower() in (".tsv", ".tab")
        return form.delimiter or ("\t" if tabs else delimiter), 0
    if form.delimiter not in (None, delimiter):
        reason = f"its first line names the delimiter {shown(delimiter)}, the mapping {shown(form.delimiter)}"
        raise LogError(reason, file=file, row=1)
    return delimiter, start


_HEAD = 2**20  # bytes in which the header stands


def utf8_later(data: bytes, file: Path, row: int) -> bytes:
    """Return a later piece of UTF-8 text, whose first line is `row`; raises LogError with the row of what is none."""
    try:
        return utf8(data, file, "utf-8")
    except LogError as error:
        raise LogError(error.reason, file=file, row=(error.row or 1) + row - 1) from None


def utf8(data: bytes, file: Path, encoding: str) -> bytes:
    """Return text as UTF-8 without a mark at its beginning; raises LogError with the row of what is not text."""
    name = codecs.lookup(encoding).name
    if name == "utf-8":
        data = data.removeprefix(codecs.BOM_UTF8)
        if data.isascii() and b"\0" not in data:
            return data
    text = decoded(data, file, encoding)
    return data if name == "utf-8" else text.encode()


def decoded(data: bytes, file: Path, encoding: str) -> str:
    """Return a file's text; raises LogError with the row of what is none."""
    name = codecs.lookup(encoding).name
    try:
        text = data.decode("utf-8-sig" if name == "utf-8" else name)
    except UnicodeDecodeError as error:
        hint = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "cp1252"
        reason = f"byte 0x{data[error.start]:02x} is not {encoding}; name the file's encoding in the mapping"
        row = _row_at_end(data[: error.start].decode(name, errors="replace"))
        raise LogError(f'{reason} (encoding = "{hint}"?)', file=file, row=row) from None
    except UnicodeError as error:  # no mark at the beginning where one is needed
        raise LogError(f"is not {encoding}: {error}; name the file's encoding in the mapping", file=file) from None
    if "\0" in text:
        reason = 'has a NUL character: no text, or another encoding (encoding = "utf-16" in the mapping?)'
        raise LogError(reason, file=file, row=_row_at_end(text[: text.index("\0")]))
    if name != "utf-8":
        try:
            text.encode()
        except UnicodeEncodeError as error:
            reason = "holds half a character"
            raise LogError(reason, file=file, row=_row_at_end(text[: error.start])) from None
    return text


def _row_at_end(text: str) -> int:
    """Return the row in which `text` ends, as a spreadsheet counts: line breaks in quotes do not."""
    return 1 + sum(len(re.findall(r"\r\n|\n|\r", unquoted_text)) for unquoted_text in text.split('"')[::2])


def _read_fast(data: bytes, file: Path, form: Form, delimiter: str, columns: Collection[str] | None) -> Table | None:
    """Read a file that is plainly laid out; None if it is not, or if anything is wrong with it."""
    header_lines = _read_above(data, form, delimiter)
    if header_lines is None:
        return None
    lines, start = header_lines
    body = memoryview(data)[start:]
    end = len(body)
    while end and body[end - 1] in b"\r\n":
        end -= 1
    if not end or not _plainly_laid_out(data, start, start + end, delimiter):
        return None
    groups = None if form.group_row is None else lines[form.group_row - 1]
    header = Header.of(lines[form.header - 1], file, form.header, groups)
    names, selected_names = header.names, list(header.kept(columns))
    if not selected_names:
        return None
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(body),
            read_options=pyarrow.csv.ReadOptions(column_names=names, block_size=_BLOCK, use_threads=False),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=b'"' in data, ignore_empty_lines=False
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                strings_can_be_null=False,
                include_columns=selected_names,
                check_utf8=not data.isascii(),
            ),
        )
    except pa.ArrowException:
        return None
    if _has_blank_line(data, start, start + end, table[selected_names[0]]):
        return None
    cells = {name: table[name] for name in selected_names}
    rows = range(form.start, form.start + table.num_rows)
    return header.table(file, cells, rows, data.endswith((b"\n", b"\r")), wording(names, lines, form))


_BLOCK = 2**20  # bytes that are parsed at once; a longer row is left to Python


def _read_above(data: bytes, form: Form, delimiter: str) -> tuple[list[list[str]], int] | None:
    """Return the records above the data and the byte at which the data begin."""
    head = io.TextIOWrapper(io.BytesIO(data[:_HEAD]), encoding="utf-8", errors="ignore", newline="")  # in small pieces
    reader = csv.reader(head, delimiter=delimiter, strict=True)
    try:
        lines = list(islice(reader, form.start - 1))
    except csv.Error:
        return None
    if len(lines) < form.start - 1 or not lines[form.header - 1]:
        return None
    start = 0
    for _ in range(reader.line_num):
        start = data.find(b"\n", start) + 1
        if not start:
            return None
    return lines, start


def _has_blank_line(data: bytes, start: int, end: int, first_column: Texts) -> bool:
    """Whether a line is blank; only where a cell of the first column is empty is there one to look for."""
    if not first_column.null_count and pc.min(pc.binary_length(first_column)).as_py():
        return False
    return any(data.find(blank, max(0, start - 1), end) >= 0 for blank in _BLANK)


def _plainly_laid_out(data: bytes, start: int, end: int, delimiter: str) -> bool:
    """Whether lines end alike, and quotes stand at both ends of a cell or twice in it."""
    if data.find(b"\r") >= 0 and data.count(b"\r") != data.count(b"\r\n"):
        return False
    if data.find(b'"', start, end) < 0:
        return True
    codes = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(codes[start:end] == ord('"')) + start
    if len(quotes) % 2:
        return False
    edges = np.array([ord(delimiter), ord("\n"), ord("\r"), ord('"')], dtype=np.uint8)
    opening, closing = quotes[::2], quotes[1::2]
    # A quote that opens has a quote before it only where a cell holds one, which is written twice.
    code_before, code_after = codes[np.maximum(opening - 1, 0)], np.append(codes, ord("\n"))[closing + 1]
    doubled = np.zeros(len(opening), dtype=bool)
    doubled[1:] = opening[1:] == closing[:-1] + 1
    begins = (opening == 0) | (np.isin(code_before, edges[:3])) | doubled
    ends = np.isin(code_after, edges)
    return bool(begins.all() and ends.all())


def _read_slowly(text: str, file: Path, form: Form, delimiter: str, columns: Collection[str] | None) -> Table:
    row = 0
    names: list[str] = []
    header_lines: list[list[str]] = []
    lines: list[list[str]] = []
    rows: list[int] = []
    try:
        with long_cells():
            records = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
            for row, fields in enumerate(records, start=1):
                if row < form.start:
                    header_lines.append(fields)
                if not fields or row < form.header:
                    continue
                if not names:
                    groups = None if form.group_row is None else header_lines[form.group_row - 1]
                    header = Header.of(fields, file, row, groups)
                    names = header.names
                elif row >= form.start or len(fields) != len(names):
                    is_short = len(fields) < len(names) and row >= form.start
                    if not is_short and len(fields) != len(names) and [*fields[: len(names)], ""] != fields:
                        raise LogError(_ragged(fields, names), file=file, row=row)
                    lines.append(fields)
                    rows.append(row)
    except csv.Error as error:
        raise LogError(f"is not a table in text: {error}; is the file cut?", file=file, row=row + 1) from None
    if not names:
        raise LogError(f"has no row {form.header} with the names of the columns", file=file)
    is_complete = text.endswith(("\n", "\r"))
    notes = _lengthened(lines, rows, names, file, is_complete=is_complete)
    cells: dict[str, Texts] = {
        name: text_column([line[place] for line in lines], file, rows, name)
        for name, place in header.kept(columns).items()
    }
    return header.table(file, cells, rows, is_complete, wording(names, header_lines, form), notes=notes)


def _lengthened(
    lines: list[list[str]], rows: list[int], names: list[str], file: Path, *, is_complete: bool
) -> tuple[str, ...]:
    """Make rows as long as their names where a program wrote them otherwise, and return notes on it.

    A program may end each row with a delimiter; in some rows only, a cell has been lost or has come in. It may also
    leave out the last cells of rows where they are empty: then it does so in several rows, and no row ends in one.

    Raises
    ------
    LogError
        If a row has more or fewer cells for another reason.
    """
    longer = [place for place, line in enumerate(lines) if len(line) > len(names)]
    shorter = [place for place, line in enumerate(lines) if len(line) < len(names)]
    are_left_out = len(shorter) >= _FEWEST_SHORT and all(line[-1] for line in lines) and _are_in_place(lines, names)
    is_cut = bool(shorter) and shorter[-1] == len(lines) - 1 and not is_complete
    if (longer and len(longer) < len(lines)) or (shorter and (is_cut or not are_left_out)):
        first = min([*longer, *shorter])
        raise LogError(_ragged(lines[first], names), file=file, row=rows[first])
    for place in shorter:
        lines[place] = [*lines[place], *[""] * (len(names) - len(lines[place]))]
    if shorter:
        return (f"{len(shorter)} rows end before the last column; the cells that they lack are empty",)
    return ("each row ends in a delimiter that the row of names has not; nothing follows it",) if longer else ()


_FEWEST_SHORT = 3  # rows that lack their last cells
_NUMBER = re.compile(r"[-+]?[0-9.,]+([eE][-+]?[0-9]+)?")


def _are_in_place(lines: list[list[str]], names: list[str]) -> bool:
    """Whether rows that lack cells have numbers where all whole rows have some, and no cell can have been lost before.

    Wherever one was lost, the last cell of the row is one of the last column: it must not look like these.
    """
    whole = [line for line in lines if len(line) == len(names)]
    places = [place for place in range(len(names)) if all(map(_NUMBER.fullmatch, (line[place] for line in whole)))]
    cells = (line[place] for line in lines for place in places if place < len(line))
    has_numbers_last = len(names) - 1 in places
    may_be_moved = (
        bool(_NUMBER.fullmatch(line[-1])) == has_numbers_last for line in lines if len(line) == len(names) - 1
    )
    return bool(whole) and all(map(_NUMBER.fullmatch, filter(None, cells))) and not any(may_be_moved)


def _ragged(fields: list[str], names: list[str]) -> str:
    return f"has {len(fields)} cells, the header has {len(names)}; is the file cut, or a cell not quoted?"


@contextmanager
def long_cells() -> Iterator[None]:
    """Let Python's reader take cells as long as Arrow's does."""
    limit_before = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(limit_before)
