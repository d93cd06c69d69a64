"""The lines of a log of events: stored with the key of the game that each belongs to, and read games at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pandas as pd
import pyarrow as pa

from negstats.errors import LogError
from negstats.loaders.event_log import EventLog
from negstats.loaders.files.intake import OF_LINES, Intake, opened
from negstats.loaders.format import Track, untracked
from negstats.loaders.streaming.spool import Spool
from negstats.studies import Source

BLOCK = 2**22  # bytes that are read at once
LONGEST = 2**28  # bytes of a line; a longer one is not an event


class EventPieces:
    """A log of events on its way: `lay_by` reads all of it once, `tables` makes those of some of its games."""

    def __init__(self, log: EventLog, path: Path) -> None:
        self.log, self.path, self.files = log, path, log.files(path)
        self.name, self.version = log.name, log.version
        self.shared: list[tuple[int, int, bytes]] = []

    def lay_by(self, spool: Spool, intake: Intake, track: Track) -> None:
        """Read the files once; raises LogError if one cannot be read."""
        for number, file in enumerate(track(self.files)):
            current_unit = "", str(number)  # lines before any unit; no unit is called so
            digest, row, rows, end = hashlib.sha256(), 0, 0, b""
            for block in blocks(file):
                digest.update(block)
                end = block[-4:]
                lines = [(at, line) for at, line in enumerate(block.splitlines(), row + 1) if line.strip()]
                row += block.count(b"\n") if block.endswith(b"\n") and b"\r" not in block else len(block.splitlines())
                rows += len(lines)
                unit_lines, keys = [], []
                for at, line in lines:
                    key, current_unit, is_shared = self._key(line, current_unit)
                    if is_shared:
                        self.shared.append((number, at, line))
                    else:
                        unit_lines.append((at, line))
                        keys.append(hash(key))
                table = {
                    "file": pa.array(np.full(len(unit_lines), number, dtype=np.int32)),
                    "row": pa.array([at for at, _ in unit_lines], pa.int64()),
                    "line": pa.array([line for _, line in unit_lines], pa.large_binary()),
                }
                spool.add(pa.table(table), np.array(keys, dtype=np.int64).view(np.uint64))
            intake.sources.append(Source(intake.name(file), digest.hexdigest(), rows))
            is_complete = end.rstrip(b"\0").endswith((b"\n", b"\r"))
            intake.note_end(intake.name(file), is_open=rows > 0 and file.suffix.lower() in OF_LINES and not is_complete)

    def _key(self, line: bytes, current_unit: Any) -> tuple[Any, Any, bool]:
        """Return which unit a line belongs to, the one that began last, and whether the line is anybody's."""
        try:
            event = orjson.loads(line)
            kind, name = event.get("event"), event.get(self.log.unit)
        except (orjson.JSONDecodeError, AttributeError):  # told when its turn comes
            return current_unit, current_unit, False
        if kind in self.log.shared:
            return current_unit, current_unit, True
        if not isinstance(name, str) or not name:
            return current_unit, current_unit, False
        return name, name if kind == self.log.unit else current_unit, False

    def tables(self, rows: pa.Table, intake: Intake) -> dict[str, pd.DataFrame]:
        """Return the tables of some games; raises LogError as the loader does."""
        columns = (rows["file"].to_pylist(), rows["row"].to_pylist(), rows["line"].to_pylist())
        lines = list(zip(*columns, strict=True))
        if self.shared:
            lines = sorted([*lines, *self.shared], key=lambda line: line[:2])
        piece = _Piece(self.path, notes=intake.notes, left_out=intake.left_out, records=intake.records)
        for number, row, line in lines:
            piece.lines.setdefault(self.files[number], []).append((row, line))
        return self.log.tables(list(piece.lines), piece, untracked)

    def finish(self, intake: Intake) -> None:
        """Do nothing: each game tells all about itself."""


class _Piece(Intake):
    """An intake that gives some lines of the files for their whole content."""

    def __init__(self, root: Path, **settings: Any) -> None:
        super().__init__(root, **settings)
        self.lines: dict[Path, list[tuple[int, bytes]]] = {}

    def read(self, file: Path) -> bytes:
        return b"\n".join(line for _, line in self.lines[file])

    def numbered(self, file: Path, data: bytes) -> Iterator[tuple[int, bytes]]:  # noqa: ARG002 - they are known
        return iter(self.lines[file])

    def add(self, file: Path, data: bytes, rows: int) -> None:
        """Note nothing: the file was noted when it was laid by."""


def blocks(file: Path) -> Iterator[bytes]:
    """Yield a file's content, some megabytes of whole lines at a time.

    Raises
    ------
    LogError
        If it cannot be read, or a line is too long to be one.
    """
    rest = b""
    try:
        with opened(file) as stream:
            while data := stream.read(BLOCK):
                end = data.rfind(b"\n") + 1
                if not end:
                    rest += data
                    if len(rest) > LONGEST:
                        raise LogError(f"has a line of more than {LONGEST:,} bytes; is it a log?", file=file)
                    continue
                yield rest + data[:end]
                rest = data[end:]
    except OSError as error:
        raise LogError(f"cannot be read: {error.strerror or error}", file=file) from None
    if rest:
        yield rest
