"""Workbooks that would end the interpreter: archives that unpack to gigabytes, sheets that claim billions of cells.

An Excel workbook is a ZIP archive of XML parts. Both checks cost next to nothing for the small workbook of a session.
"""

from __future__ import annotations

import io
import re
import string
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from negstats.errors import LogError

LARGEST_UNPACKED = 2**28  # bytes; 256 MiB of XML is more than a million rows
DEFLATE_RATIO = 1032  # no deflate stream unpacks to more than this many times its size
LARGEST_SHEET = 2**22  # cells, empty ones too: a million rows of 4 columns; more belongs in CSV

_ARCHIVE_FAULTS = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)


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
    except _ARCHIVE_FAULTS as error:
        raise LogError(f"is not a readable archive: {error}; is the file cut?", file=file) from None


def refuse_far_cells(data: bytes, file: Path) -> None:
    """Raise LogError if a sheet of the workbook `data` claims more than `LARGEST_SHEET` cells.

    The workbook reader makes room for every cell between the first and the last, so one cell at XFD1048576 would have
    it ask for 17 billion; that ends the interpreter, not the call. So every reference is looked at: by one search where
    all are plain and near, as nearly always; else one by one.

    Parameters
    ----------
    data, file
        The workbook, and its path for the error.
    """
    try:
        for part in _parts(data):
            if _is_near(part):
                continue
            row, column = find_extent(part)
            if row * column > LARGEST_SHEET:
                raise LogError(
                    f"claims a cell in row {row:,}, column {column:,}: more than {LARGEST_SHEET:,} cells; refused",
                    file=file,
                )
    except LogError:
        raise
    except (*_ARCHIVE_FAULTS, expat.ExpatError, ValueError) as error:
        raise LogError(
            f"is not a readable workbook: {error}; is the file cut? If not, save it again with a spreadsheet program",
            file=file,
        ) from None


def _parts(data: bytes) -> Iterator[bytes]:
    """Yield each part of a ZIP archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if sum(entry.compress_size for entry in entries) > len(data):
            # Then the whole may unpack to more than DEFLATE_RATIO times its size.
            raise ValueError("its parts overlap")
        for entry in entries:
            yield archive.read(entry)


_NEAR = rb"[A-Z]{1,2}\d{1,4}"  # of 702 columns and 9,999 rows at most
_NOT_NEAR = re.compile(rb'<(?:c|row)(?=[\s/>])(?! r="(?:' + _NEAR + rb'|\d{1,4})")')  # or not written plainly
_PREFIXED = re.compile(rb":(?:c|row)[\s/>]")


def _is_near(xml: bytes) -> bool:
    if b"worksheet" not in xml and b"sheetData" not in xml:  # the workbook reader takes cells from nowhere else
        return True
    expat.ParserCreate().Parse(xml, True)  # the workbook reader takes what it can of a part that is cut
    return _PREFIXED.search(xml) is None and _NOT_NEAR.search(xml) is None


def find_extent(xml: bytes) -> tuple[int, int]:
    """Return the last row and column that a sheet's cells claim, counted as the workbook reader counts them."""
    row = column = last_row = last_column = 0

    def handle_start(name: str, attributes: dict[str, str]) -> None:
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

    def handle_end(name: str) -> None:
        nonlocal row, column
        if name.rpartition(":")[2] == "row":
            row, column = row + 1, 0

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = handle_start, handle_end
    parser.Parse(xml, True)
    return last_row, last_column


_LETTERS = string.ascii_letters


def _column(letters: str) -> int:
    place = 0
    for letter in letters.upper():
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1
