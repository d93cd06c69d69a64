"""Reading files that may be damaged or hostile: bounded, never executing, with one clear error.

A loader keeps an `Intake`: it reads each file through it and tells it what it leaves out, and the intake becomes the
study's provenance.
"""

from __future__ import annotations

import ast
import errno
import hashlib
import io
import os
import re
import stat
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import orjson

from negstats.datasets.remote import references_of
from negstats.errors import LogError, shown
from negstats.loaders.files.damaged import rows_left_out, without_damage
from negstats.loaders.files.workbook import refuse_bomb, refuse_far_cells
from negstats.studies import LeftOut, Provenance, Source
from negstats.studies.provenance import files_without_rows
from negstats.studies.records import Record, Value
from negstats.tables import OwnMeasure

if TYPE_CHECKING:
    from negstats.loaders.files.tabular import Table

LARGEST_FILE = 2**31  # bytes; larger logs belong in Parquet or a database
# Files whose last line ends as all others do.
OF_LINES = {".csv", ".tsv", ".tab", ".txt", ".jsonl", ".ndjson", ".yaml", ".yml"}
LONGEST_HEADER = 2**20  # bytes
TABLES_OF_TEXT = {".csv", ".tsv", ".tab"}
LONGEST_LITERAL = 10_000  # characters; a cell with one offer holds less


class Tally(str):
    """A note of counts, which add up over the pieces of a log.

    Examples
    --------
    >>> Tally("{0} of {1} games have no offer", 2, 1000).plus(Tally("{0} of {1} games have no offer", 1, 9))
    '3 of 1009 games have no offer'
    """

    __slots__ = ("counts", "words")
    words: str
    counts: tuple[int, ...]

    def __new__(cls, words: str, *counts: int) -> Self:
        """Return the note of these counts."""
        tally = super().__new__(cls, words.format(*counts))
        tally.words, tally.counts = words, counts
        return tally

    def plus(self, other: Tally) -> Tally:
        """Return the same note of both."""
        return Tally(self.words, *map(sum, zip(self.counts, other.counts, strict=True)))


@dataclass(slots=True)
class Intake:
    """What has been read so far: the files with their hashes and row counts, and the rows that were left out.

    Parameters
    ----------
    root
        The folder (or file) that was asked for; paths in the provenance are relative to it.
    measures
        What a mapping says of the study's own measures.
    roles
        The factors whose role a mapping says, each with its role.
    records
        Facts that are kept as records, see `negstats.studies.records`.
    accepted
        The names of records that the mapping answers.
    unread
        How many rows of each file its table did not take, such as empty ones.
    """

    root: Path
    sources: list[Source] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    measures: tuple[OwnMeasure, ...] = ()
    roles: tuple[tuple[str, str], ...] = ()
    records: list[Record] = field(default_factory=list)
    accepted: tuple[str, ...] = ()
    unread: Counter[str] = field(default_factory=Counter)

    def name(self, file: Path) -> str:
        """Return the path of `file` as the provenance shows it."""
        relative_path = str(file).removeprefix(f"{self.root}{os.sep}")  # pathlib takes as long as hashing a small file
        return file.name if relative_path == str(file) else relative_path.replace(os.sep, "/")

    def read(self, file: Path) -> bytes:
        """Read a file whole, but for games that are left out; LogError if it cannot be, or is larger than the limit."""
        return without_damage(file, self._whole(file))

    def _whole(self, file: Path) -> bytes:
        try:
            with opened(file) as stream:
                size = os.fstat(stream.fileno()).st_size
                if size > LARGEST_FILE:
                    raise LogError(f"has {size:,} bytes; the limit is {LARGEST_FILE:,}", file=file)
                data: bytes = stream.read(size)
        except OSError as error:
            raise LogError(f"cannot be read: {error.strerror or error}", file=file) from None
        except MemoryError:
            raise LogError(f"has {size:,} bytes, more than there is memory for", file=file) from None
        return data

    def numbered(self, file: Path, data: bytes) -> Iterator[tuple[int, bytes]]:  # noqa: ARG002 - a piece asks for it
        """Yield the lines of a file's content that are not blank, each with its number."""
        return ((row, line) for row, line in enumerate(data.splitlines(), 1) if line.strip())

    def add(self, file: Path, data: bytes, rows: int) -> None:
        """Note that `file` with the content `data` was read, of which `rows` rows were taken (see `note_table`)."""
        data = self._whole(file) if rows_left_out(file) else data
        name = self.name(file)
        rows = 0 if not data or data.isspace() else rows
        self.sources.append(Source(name, hashlib.sha256(data).hexdigest(), rows))
        end = data[-4:].rstrip(b"\0")
        is_complete = end.endswith(b"\n") or (end.endswith(b"\r") and b"\n" not in data)  # half of \r\n ends no line
        self.note_end(name, is_open=bool(rows) and file.suffix.lower() in OF_LINES and not is_complete)

    def note_end(self, name: str, *, is_open: bool) -> None:
        """Record that a file's last line is open, by which a cut log is known."""
        if is_open:
            self.record("last_line_open", name)

    def note_table(self, table: Table, looked_up: Collection[str] | None = None) -> None:
        """Note what a reader did to a table: rows that it left out, names that it numbered, keys that look misspelt.

        Raises
        ------
        LogError
            If the header has a name twice, over cells that differ, and the reader looks it up (None: all that it took).
        """
        for name, places in table.doubled.items():
            if looked_up is None or (name in looked_up and any(twin not in looked_up for twin in places.values())):
                reason = (
                    f"{shown(name)} stands over the columns {', '.join(map(str, places))}, whose cells differ; "
                    "which of them is meant is not known: rename or delete one"
                )
                raise LogError(reason, file=table.file, column=name)
        for row, reason in table.unread:
            self.leave_out(table.file, row, reason)
        file = self.name(table.file)
        self.unread[file] += len(table.unread)
        notes = [f"{file}: {note}" for note in table.notes]
        notes += [
            f"{file}: rows with {shown(key)} have no {shown(name)}; a misspelt key loses its value"
            for key, name in table.misspelt
        ]
        self.notes += [note for note in notes if note not in self.notes]

    def check_kept(self) -> None:
        """Check the law of conservation: of each file the rows that are left out are rows that were read.

        A row counts once, for whatever reasons it, or a part of it, is left out.

        Rows that were read and not left out are those that were used; the whole of a file has row 0.

        Raises
        ------
        AssertionError
            If a loader leaves out more rows of a file than it read: a fault of the loader, and not of the log.
        """
        rows_read = Counter({source.path: self.unread[source.path] for source in self.sources})
        for source in self.sources:  # of a workbook each sheet
            rows_read[source.path] += source.rows
        rows_left_out = Counter(path for path, row in {(one.path, one.row) for one in self.left_out} if row)
        for path, rows in rows_left_out.items():
            if path in rows_read and rows > rows_read[path]:
                raise AssertionError(f"{path}: {rows} rows are excluded of {rows_read[path]} that were read")

    def leave_out(self, file: Path, row: int, reason: str) -> None:
        """Note that a row is not kept, or a whole file (row 0). Give the same reason in the same words.

        A file without rows is counted among those that were read, whatever kept its reader from knowing it.
        """
        is_known = any(source.path == self.name(file) for source in self.sources if not row)
        if not row and not is_known and _has_no_rows(file):
            self.add(file, self._whole(file), 0)
        self.left_out.append(LeftOut(self.name(file), row, reason))

    def count(self, words: str, *counts: int) -> None:
        """Note counts, such as "{0} of {1} games have no offer"; nothing is noted where one of them is 0."""
        self.notes.append(Tally(words, *counts))

    def record(self, kind: str, place: str = "", count: int = 0, of: int = 0, values: tuple[Value, ...] = ()) -> None:
        """Keep a fact about the reading; `kind` is one of `negstats.studies.records.KINDS`."""
        self.records.append(Record(kind, place, count, of, values))

    def reasons(self) -> dict[str, int]:
        """How many rows are left out so far for each reason."""
        return dict(Counter(row.reason for row in self.left_out))

    def provenance(self, loader: str, version: str) -> Provenance:
        """Return what is noted so far as a study's provenance, once the law of conservation is checked."""
        self.check_kept()
        unread = Counter(self.unread)
        return Provenance(
            loader,
            version,
            tuple(replace(source, rows=source.rows + unread.pop(source.path, 0)) for source in self.sources),
            tuple(self.left_out),
            self.told(),
            self.measures,
            self.roles,
            records=(*self.records, *files_without_rows(self.sources)),
            accepted=self.accepted,
            cite=references_of({source.sha256 for source in self.sources}),
        )

    def told(self) -> tuple[str, ...]:
        """Return the notes, without counts of nothing."""
        return tuple(str(note) for note in self.notes if not isinstance(note, Tally) or all(note.counts))


def _has_no_rows(file: Path) -> bool:
    """Return whether a file holds nothing, or is a table of text with a header at the most."""
    if not file.is_file() or file.stat().st_size > LONGEST_HEADER:
        return False
    lines = [line for line in beginning(file, LONGEST_HEADER).splitlines() if line.strip()]
    return len(lines) <= (file.suffix.lower() in TABLES_OF_TEXT)


def opened(file: Path) -> Any:
    """Open a regular file to read bytes; OSError if it is another kind, which might never end or never begin."""
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        raise OSError(errno.EINVAL, "it is not a regular file, but a pipe or a device")
    return os.fdopen(descriptor, "rb")


def beginning(file: Path, size: int) -> bytes:
    """Return the first bytes of a file; none if it cannot be read or is not a regular file."""
    try:
        with opened(file) as stream:
            data: bytes = stream.read(size)
    except (OSError, ValueError):
        return b""
    return data


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
        If the file is no workbook, unpacks to gigabytes, claims billions of cells (see `workbook` beside this file), or
        has no such sheet.
    """
    refuse_bomb(data, file)
    refuse_far_cells(data, file)
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
        raise LogError(f"is not an Excel workbook: {reason}; is the file cut?", file=file) from None


# A dict of plain words and whole numbers: the common case, safe for the JSON parser once its quotes are turned.
_PLAIN = re.compile(r"""\{(?:'[^'"\\{}]*': (?:'[^'"\\{}]*'|-?(?:0|[1-9]\d{0,8}))(?:, (?=')|(?=\})))*\}""")


_GOOD = r"\d+\s+[^\W\d_]+"
_BUNDLE = re.compile(rf"\s*{_GOOD}(?:\s*(?:[,;&]|and|und|y|et)\s*{_GOOD})*\s*")


def read_bundle(text: str) -> dict[str, int]:
    """Return how many of which goods a text names, whether they are one or several; {} of any other text.

    Examples
    --------
    >>> read_bundle("3 books, 1 hat and 0 balls"), read_bundle("3 books for you")
    ({'book': 3, 'hat': 1, 'ball': 0}, {})
    """
    if len(text) > LONGEST_LITERAL or not _BUNDLE.fullmatch(text):
        return {}
    goods = [good.split() for good in re.findall(_GOOD, text)]
    counts = {re.sub(r"(?<=[^\Ws]{2})s$", "", word.lower()): int(number) for number, word in goods}
    return counts if len(counts) == len(goods) else {}


def literal(text: str, *, file: Path, row: int, column: str) -> dict[str, object]:
    """Read a dict of words and numbers that was logged as Python or JSON text, or goods. Nothing in it is executed.

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
    if bundle := read_bundle(text):
        return dict(bundle)
    fault = LogError(
        f"{shown(text)} is not a dict of names and values such as {{'apple': 4}}", file=file, row=row, column=column
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
