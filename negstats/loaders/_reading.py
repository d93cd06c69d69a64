"""Reading files that may be damaged or hostile: bounded, never executing, with one clear error.

A loader keeps an `Intake`: it reads each file through it and tells it what it leaves out, and the intake becomes the
study's provenance.
"""

from __future__ import annotations

import ast
import hashlib
import io
import re
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from negstats.errors import LogError, shown
from negstats.study import LeftOut, Provenance, Source

__all__ = ["Intake", "literal", "parse_json", "sheet_rows"]

LARGEST_FILE = 2**31  # bytes; larger logs belong in Parquet or a database
LARGEST_UNPACKED = 2**28  # bytes; 256 MiB of XML is more than a million rows
DEFLATE_RATIO = 1032  # no deflate stream unpacks to more than this many times its size
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
        inside = file != self.root and file.is_relative_to(self.root)
        return file.relative_to(self.root).as_posix() if inside else file.name

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

    def provenance(self, loader: str, version: str) -> Provenance:
        """Return what is noted so far as a study's provenance."""
        return Provenance(loader, version, tuple(self.sources), tuple(self.left_out), tuple(self.notes))


def parse_json(data: bytes, file: Path) -> Any:
    """Parse JSON; raises LogError with the row of the first fault."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise LogError(f"is no JSON: {error.msg}; is the file cut?", file=file, row=error.lineno) from None


def sheet_rows(data: bytes, file: Path, sheet: str | None = None) -> list[list[Any]]:
    """Return the rows of one sheet of an Excel workbook, the header first.

    Parameters
    ----------
    data
        The file's content.
    file
        Its path, for errors.
    sheet
        The sheet's name; None takes the only one.

    Raises
    ------
    LogError
        If the file is no workbook, unpacks to more than `LARGEST_UNPACKED`, or has no such sheet.
    """
    from python_calamine import CalamineError, CalamineWorkbook

    refuse_bomb(data, file)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        names = book.sheet_names
        if sheet is None and len(names) != 1:
            raise LogError(f"has the sheets {', '.join(names)}; name one", file=file)
        if sheet is not None and sheet not in names:
            raise LogError(f"has no sheet {shown(sheet)}; it has {', '.join(names)}", file=file)
        rows: list[list[Any]] = book.get_sheet_by_name(sheet or names[0]).to_python(skip_empty_area=False)
    except CalamineError as error:
        raise LogError(f"is no Excel workbook: {error}; is the file cut?", file=file) from None
    return rows


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
    if _PLAIN.fullmatch(text) and len(text) <= LONGEST_LITERAL:
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
