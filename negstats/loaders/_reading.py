"""Reading files that may be damaged or hostile: bounded, never executing, with one clear error.

A loader keeps an `Intake`: it reads each file through it and tells it what it leaves out, and the intake becomes the
study's provenance.
"""

from __future__ import annotations

import ast
import hashlib
import io
import os
import re
import string
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.parsers import expat

import orjson

from negstats.errors import LogError, shown
from negstats.study import LeftOut, Provenance, Source

__all__ = ["Intake", "literal", "parse_json", "sheet_names", "sheet_rows"]

LARGEST_FILE = 2**31  # bytes; larger logs belong in Parquet or a database
LARGEST_UNPACKED = 2**28  # bytes; 256 MiB of XML is more than a million rows
DEFLATE_RATIO = 1032  # no deflate stream unpacks to more than this many times its size
LARGEST_SHEET = 2**24  # cells, empty ones too: Excel's million rows of 16 columns
LONGEST_LITERAL = 10_000  # characters; a cell with one offer holds less


@dataclass(slots=True)
class Intake:
    """What has been read so far: the files with their hashes and row counts, and the rows that were left out.

    Parameters
    ----------
    root
        The folder (or file) that was asked for; paths in the provenance are relative to it.
    """

    root: Path
    sources: list[Source] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def name(self, file: Path) -> str:
        """Return the path of `file` as the provenance shows it."""
        inside = str(file).removeprefix(f"{self.root}{os.sep}")  # pathlib takes as long as hashing a small file
        return file.name if inside == str(file) else inside.replace(os.sep, "/")

    def read(self, file: Path) -> bytes:
        """Read a file whole; raises LogError if it cannot be, or is larger than `LARGEST_FILE`."""
        try:
            size = file.stat().st_size
            if size > LARGEST_FILE:
                raise LogError(f"has {size:,} bytes; the limit is {LARGEST_FILE:,}", file=file)
            return file.read_bytes()
        except OSError as error:
            raise LogError(f"cannot be read: {error.strerror}", file=file) from None

    def add(self, file: Path, data: bytes, rows: int) -> None:
        """Note that `file` with the content `data` was read and held `rows` rows."""
        self.sources.append(Source(self.name(file), hashlib.sha256(data).hexdigest(), rows))

    def leave_out(self, file: Path, row: int, reason: str) -> None:
        """Note that a row is not kept. Give the same reason in the same words, so that it can be counted."""
        self.left_out.append(LeftOut(self.name(file), row, reason))

    def reasons(self) -> dict[str, int]:
        """How many rows are left out so far for each reason."""
        return dict(Counter(row.reason for row in self.left_out))

    def provenance(self, loader: str, version: str) -> Provenance:
        """Return what is noted so far as a study's provenance."""
        return Provenance(loader, version, tuple(self.sources), tuple(self.left_out), tuple(self.notes))


def parse_json(data: bytes, file: Path) -> Any:
    """Parse JSON; raises LogError with the row of the first fault."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise LogError(f"is no JSON: {error.msg}; is the file cut?", file=file, row=error.lineno) from None


def sheet_rows(data: bytes, file: Path, sheet: str | None = None, *, trust_dimension: bool = False) -> list[list[Any]]:
    """Return the rows of one sheet of an Excel workbook, the header first.

    Parameters
    ----------
    data
        The file's content.
    file
        Its path, for errors.
    sheet
        The sheet's name; None takes the only one.
    trust_dimension
        See `refuse_far_cells`; for the logs of a known program, where there are many and small ones.

    Raises
    ------
    LogError
        If the file is no workbook, unpacks to more than `LARGEST_UNPACKED`, claims more than `LARGEST_SHEET` cells, or
        has no such sheet.
    """
    refuse_bomb(data, file)
    refuse_far_cells(data, file, trust_dimension=trust_dimension)
    with _calamine(data, file) as book:
        names = book.sheet_names
        if sheet is None and len(names) != 1:
            raise LogError(f"has the sheets {', '.join(names)}; name one", file=file)
        if sheet is not None and sheet not in names:
            raise LogError(f"has no sheet {shown(sheet)}; it has {', '.join(names)}", file=file)
        rows: list[list[Any]] = book.get_sheet_by_name(sheet or names[0]).to_python(skip_empty_area=False)
    return rows


def sheet_names(data: bytes, file: Path) -> list[str]:
    """Return the names of the sheets of an Excel workbook; raises LogError as `sheet_rows` does."""
    refuse_bomb(data, file)
    refuse_far_cells(data, file)
    with _calamine(data, file) as book:
        return list(book.sheet_names)


@contextmanager
def _calamine(data: bytes, file: Path) -> Iterator[Any]:
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        yield CalamineWorkbook.from_filelike(io.BytesIO(data))
    except CalamineError as error:
        reason = " ".join(str(error).split())
        raise LogError(f"is no Excel workbook: {reason}; is the file cut?", file=file) from None


def refuse_bomb(data: bytes, file: Path) -> None:
    """Raise LogError if the archive `data` unpacks to more than `LARGEST_UNPACKED` bytes.

    A small archive cannot, whatever its directory claims. A larger one is unpacked and counted, nothing is kept.
    """
    if len(data) * DEFLATE_RATIO <= LARGEST_UNPACKED:
        return
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                with archive.open(entry) as stream:
                    while piece := stream.read(1 << 20):
                        total += len(piece)
                        if total > LARGEST_UNPACKED:
                            raise LogError(f"unpacks to more than {LARGEST_UNPACKED:,} bytes; refused", file=file)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise LogError(f"is no readable archive: {error}; is the file cut?", file=file) from None


def refuse_far_cells(data: bytes, file: Path, *, trust_dimension: bool = False) -> None:
    """Raise LogError if a sheet of the workbook `data` claims more than `LARGEST_SHEET` cells.

    The workbook reader makes room for every cell between the first and the last, so one cell at XFD1048576 would have
    it ask for 17 billion; that ends the interpreter, not the call. So every reference is looked at: by one search where
    all are plain and near, as nearly always; else one by one.

    Parameters
    ----------
    data, file
        The workbook, and its path for the error.
    trust_dimension
        Take a sheet's word that it is small where it gives it: a tenth of the time that unpacking the sheet once more
        takes. A stray far cell is still found; a forged workbook that lies about its size is not.
    """
    try:
        for name, part in _parts(data):
            if trust_dimension and (not name.startswith(b"xl/worksheets/") or _says_near(part)):
                continue
            if _without_far_cells(part) if len(part) <= _SMALL_PART else _near(part):
                continue
            row, column = _extent(_unpacked(part))
            if row * column > LARGEST_SHEET:
                raise LogError(
                    f"claims a cell in row {row:,}, column {column:,}: more than {LARGEST_SHEET:,} cells; refused",
                    file=file,
                )
    except LogError:
        raise
    except (struct.error, zlib.error, expat.ExpatError, ValueError) as error:
        raise LogError(
            f"is no readable workbook: {error}; is the file cut? Else save it anew with a spreadsheet program",
            file=file,
        ) from None


_SMALL_PART = 2**14  # bytes, packed
_STORED, _DEFLATED = 0, 8
_ENTRY = struct.Struct("<4s6xH8xI4xHHH8xI")  # of the directory: signature, method, packed size, 3 lengths, place


def _parts(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield each part of a ZIP archive: its name, and one byte for the method before the packed bytes.

    zipfile needs a tenth of the time in which a small workbook is read. An archive that is not laid out plainly (a
    comment, bytes before or after, ZIP64) is no workbook that any program writes.
    """
    end = len(data) - 22
    if end < 0 or data[end : end + 4] != b"PK\5\6":
        raise ValueError("its directory is not at its end")
    count, size, at = struct.unpack_from("<HII", data, end + 10)
    if at + size != end:
        raise ValueError("its directory is not where it says")
    left = len(data)
    for _ in range(count):
        signature, method, packed, name, extra, comment, start = _ENTRY.unpack_from(data, at)
        if signature != b"PK\1\2" or method not in (_STORED, _DEFLATED):
            raise ValueError(f"a part is packed by method {method}")
        left -= packed
        if left < 0:  # then the whole may unpack to more than DEFLATE_RATIO times its size
            raise ValueError("its parts overlap")
        start += 30 + sum(struct.unpack_from("<HH", data, start + 26))
        at += _ENTRY.size
        yield data[at : at + name], bytes((method,)) + data[start : start + packed]
        at += name + extra + comment


def _unpacked(part: bytes) -> bytes:
    return part[1:] if part[0] == _STORED else zlib.decompress(part[1:], -zlib.MAX_WBITS)


_NEAR = rb"[A-Z]{1,2}\d{1,4}"  # of 702 columns and 9,999 rows at most
_DIMENSION = re.compile(rb'<dimension ref="(?:' + _NEAR + rb":)?" + _NEAR + rb'"')
_NOT_NEAR = re.compile(rb'<(?:c|row)(?=[\s/>])(?! r="(?:' + _NEAR + rb'|\d{1,4})")')  # or not written plainly
_PREFIXED = re.compile(rb":(?:c|row)[\s/>]")


def _says_near(part: bytes) -> bool:
    head = part[1:1025] if part[0] == _STORED else zlib.decompressobj(-zlib.MAX_WBITS).decompress(part[1:], 1024)
    return _DIMENSION.search(head) is not None


def _near(part: bytes) -> bool:
    xml = _unpacked(part)
    if b"sheetData" not in xml:  # the workbook reader takes cells from nowhere else
        return True
    return _PREFIXED.search(xml) is None and _NOT_NEAR.search(xml) is None


_without_far_cells = lru_cache(maxsize=64)(_near)  # the workbooks of one program have most of their parts in common


def _extent(xml: bytes) -> tuple[int, int]:
    """Return the last row and column that a sheet's cells claim, counted as the workbook reader counts them."""
    row = column = last_row = last_column = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal row, column, last_row, last_column
        tag, reference = name.rpartition(":")[2], attributes.get("r")
        if tag == "row" and reference is not None:
            row = int(reference) - 1
        elif tag == "c":
            if reference is not None:
                digits = reference.lstrip(_LETTERS)
                row, column = int(digits) - 1, _column(reference[: len(reference) - len(digits)])
            column += 1
            last_row, last_column = max(last_row, row + 1), max(last_column, column)

    def end(name: str) -> None:
        nonlocal row, column
        if name.rpartition(":")[2] == "row":
            row, column = row + 1, 0

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(xml, True)
    return last_row, last_column


_LETTERS = string.ascii_letters


def _column(letters: str) -> int:
    place = 0
    for letter in letters.upper():
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


# A dict of plain words and whole numbers: the common case, safe for the JSON parser once its quotes are turned.
_PLAIN = re.compile(r"""\{(?:'[^'"\\{}]*': (?:'[^'"\\{}]*'|-?(?:0|[1-9]\d{0,8}))(?:, (?=')|(?=\})))*\}""")


def literal(text: str, *, file: Path, row: int, column: str) -> dict[str, object]:
    """Read a dict of words and numbers that was logged as Python or JSON text. Nothing in it is executed.

    Raises
    ------
    LogError
        If it is anything else than a dict of text to text or number, or longer than `LONGEST_LITERAL` characters.

    Examples
    --------
    >>> literal("{'apple': 4, 'season': 'summer'}", file=Path("log.xlsx"), row=2, column="Offer")
    {'apple': 4, 'season': 'summer'}
    """
    if len(text) <= LONGEST_LITERAL and _PLAIN.fullmatch(text):
        plain: dict[str, object] = orjson.loads(text.replace("'", '"'))
        return plain
    fault = LogError(
        f"{shown(text)} is no dict of names and values such as {{'apple': 4}}", file=file, row=row, column=column
    )
    if len(text) > LONGEST_LITERAL:
        raise fault
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        raise fault from None
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise fault
    if not all(isinstance(item, (str, int, float)) for item in value.values()):
        raise fault
    return value
