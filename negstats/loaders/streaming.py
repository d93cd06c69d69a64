"""Logs larger than memory: stored on the disk game by game, and loaded and written some megabytes at a time.

The tables are those of the same log loaded at once, and so are the notes and the rows that are left out. What stands
in memory beside one lot of games is a few numbers for each game, by which its rows find each other.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import orjson
import pandas as pd
import pyarrow as pa

from negstats.errors import LogError, SchemaError
from negstats.loaders.derived import derived
from negstats.loaders.event_log import EventLog
from negstats.loaders.files.intake import OF_LINES, Intake, Tally, opened
from negstats.loaders.format import Track, untracked
from negstats.studies import Provenance, Source, Study
from negstats.studies import folder as study_folder
from negstats.tables import TABLES, empty

Keys = npt.NDArray[np.uint64]
HELD = 2**26  # bytes of rows that may wait in memory for the rest of their lot


class Spool:
    """Rows on their way from a log to its tables.

    Parameters
    ----------
    folder
        Where files may be laid by; it is made if needed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     spool = Spool(Path(folder))
    ...     spool.add(pa.table({"row": [1, 2, 3, 4]}), np.array([7, 8, 7, 9], dtype=np.uint64))
    ...     [lot["row"].to_pylist() for lot in spool.lots(1)]
    [[1, 3], [2], [4]]
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.rows = folder, 0
        self._file = folder / "rows.arrow"
        self._writer: pa.RecordBatchStreamWriter | None = None
        self._seen: list[tuple[Keys, npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []

    def add(self, rows: pa.Table, keys: Keys) -> None:
        """Lay by some rows of a log, in its order, and the key of each one's game."""
        if not len(rows):
            return
        whole = rows.append_column(_KEY, pa.array(keys))
        if self._writer is None:
            self._writer = pa.ipc.new_stream(pa.OSFile(str(self._file), "wb"), whole.schema)
        self._writer.write_table(whole.combine_chunks())
        games, first, count = np.unique(keys, return_index=True, return_counts=True)
        size = np.maximum(1, count * whole.nbytes // len(whole))
        self._seen.append((games, first + self.rows, count, size))
        self.rows += len(rows)

    def lots(self, size: int) -> Iterator[pa.Table]:
        """Yield the rows, whole games at a time, about `size` bytes of them; a lot's rows are in the log's order."""
        if self._writer is None:
            return
        self._writer.close()
        games, lot_of, lot_sizes = self._share_out(size)
        waiting = _Waiting(self.folder)
        turn = 0
        with pa.OSFile(str(self._file), "rb") as stream, pa.ipc.open_stream(stream) as reader:
            for batch in reader:
                rows = pa.Table.from_batches([batch])
                lots = lot_of[np.searchsorted(games, rows[_KEY].to_numpy())]
                rows = rows.drop_columns([_KEY])
                for lot in np.unique(lots).tolist():
                    lot_rows = np.flatnonzero(lots == lot)
                    waiting.add(lot, rows if len(lot_rows) == len(rows) else rows.take(pa.array(lot_rows)))
                while turn < len(lot_sizes) and waiting.rows[turn] == lot_sizes[turn]:
                    yield waiting.taken(turn)
                    turn += 1
        self._file.unlink()

    def _share_out(self, size: int) -> tuple[Keys, npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Return the games, the lot of each, and how many rows each lot has."""
        keys, first, count, bytes_ = (np.concatenate(of) for of in zip(*self._seen, strict=True))
        self._seen.clear()
        games, of_game = np.unique(keys, return_inverse=True)
        began = np.full(len(games), np.iinfo(np.int64).max)
        np.minimum.at(began, of_game, first)
        counts, sizes = np.bincount(of_game, weights=count), np.bincount(of_game, weights=bytes_)
        order = np.argsort(began)
        sizes_before = np.cumsum(sizes[order]) - sizes[order]
        _, in_order = np.unique(sizes_before // size, return_inverse=True)
        lot_of = np.empty(len(games), dtype=np.int32)
        lot_of[order] = in_order
        return games, lot_of, np.bincount(lot_of, weights=counts).astype(np.int64)


_KEY = "key of the game"


class _Waiting:
    """Rows that wait for the rest of their lot, in memory or, where they grow too many, on the disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows: dict[int, int] = defaultdict(int)
        self.held: dict[int, list[pa.Table]] = defaultdict(list)
        self.laid_by: dict[int, list[Path]] = defaultdict(list)
        self.size = self.files = 0

    def add(self, lot: int, rows: pa.Table) -> None:
        self.rows[lot] += len(rows)
        self.held[lot].append(rows)
        self.size += rows.nbytes
        if self.size > HELD:
            for other, tables in self.held.items():
                file = self.folder / f"waiting-{self.files}.arrow"
                self.files += 1
                whole = pa.concat_tables(tables)
                with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_stream(sink, whole.schema) as writer:
                    writer.write_table(whole)
                self.laid_by[other].append(file)
            self.held.clear()
            self.size = 0

    def taken(self, lot: int) -> pa.Table:
        """Return all rows of a lot, which are forgotten here."""
        tables = []
        for file in self.laid_by.pop(lot, []):
            with pa.OSFile(str(file), "rb") as stream, pa.ipc.open_stream(stream) as reader:
                tables.append(reader.read_all())
            file.unlink()
        tables_in_memory = self.held.pop(lot, [])
        self.size -= sum(table.nbytes for table in tables_in_memory)
        return pa.concat_tables([*tables, *tables_in_memory]).combine_chunks()


_KNOWN = frozenset(TABLES["games"].names)


class GameRows:
    """Rows of the table of games, laid by in a folder.

    Examples
    --------
    >>> import tempfile
    >>> from negstats.tables import conform
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = GameRows(Path(folder))
    ...     rows.add(conform("games", {"game_id": ["a"], "ended": ["unknown"], "pie": [10]}))
    ...     rows.add(conform("games", {"game_id": ["b"], "ended": ["unknown"], "pie": [2.5]}))
    ...     [frame["pie"].tolist() for frame in rows.frames()]
    [[10.0], [2.5]]
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.files = folder, 0
        self.kinds: dict[str, set[str]] = {}

    def add(self, frame: pd.DataFrame) -> None:
        """Take further rows."""
        rows = pa.Table.from_pandas(_speaking(frame), preserve_index=False)
        extra_columns = [name for name in frame.columns if name not in _KNOWN]
        for name in extra_columns:
            kinds = self.kinds.setdefault(name, {"missing"} if self.files else set())
            kinds |= {_kind(rows[name].type)} if rows[name].null_count < len(rows) else set()
            kinds |= {"missing"} if rows[name].null_count else set()
        for name in self.kinds.keys() - set(extra_columns):
            self.kinds[name].add("missing")
        with pa.OSFile(str(self._file(self.files)), "wb") as sink, pa.ipc.new_stream(sink, rows.schema) as writer:
            writer.write_table(rows)
        self.files += 1

    def frames(self) -> Iterator[pd.DataFrame]:
        """Yield the rows again, all frames with the same columns of the same types.

        Raises
        ------
        SchemaError
            If a factor is text in one game and a number in another.
        """
        types = {name: _dtype(name, kinds) for name, kinds in self.kinds.items()}
        for number in range(self.files):
            with pa.OSFile(str(self._file(number)), "rb") as stream, pa.ipc.open_stream(stream) as reader:
                frame = reader.read_all().to_pandas()
            self._file(number).unlink()
            columns = {name: frame[name] for name in TABLES["games"].names}
            for name, dtype in types.items():
                column = frame[name] if name in frame else pd.Series([None] * len(frame), dtype=object)
                columns[name] = column.astype(pd.api.types.pandas_dtype(dtype))
            yield pd.DataFrame(columns)

    def _file(self, number: int) -> Path:
        return self.folder / f"games-{number}.arrow"

    def like(self) -> pd.DataFrame:
        """Return a frame whose values show the types that the rows have."""
        frame = empty("games").reindex(range(2))
        frame["ended"] = "unknown"
        for name, kinds in self.kinds.items():
            values = [True, None] if "bool" in kinds and "missing" in kinds else [None, None]
            dtype = _dtype(name, kinds)
            frame[name] = pd.Series([0, 1] if dtype in ("int64", "bool") else values, dtype=dtype)
        return frame


def _dtype(name: str, kinds: set[str]) -> str:
    """Return the type that pandas would give to all values of a factor at once."""
    value_kinds = kinds - {"missing"}
    if not value_kinds or (value_kinds == {"bool"} and "missing" in kinds):
        return "object"
    if value_kinds == {"int64"} and "missing" not in kinds:
        return "int64"
    if value_kinds <= {"int64", "float64"}:
        return "float64"
    if len(value_kinds) == 1:
        return next(iter(value_kinds))
    raise SchemaError(_describe_mixed_kinds(value_kinds), table="games", column=name)


def _describe_mixed_kinds(kinds: set[str]) -> str:
    return f"is {' in one game and '.join(sorted(kinds))} in another; write it as one kind"


def _kind(column_type: pa.DataType) -> str:
    if pa.types.is_boolean(column_type):
        return "bool"
    if pa.types.is_integer(column_type):
        return "int64"
    return "float64" if pa.types.is_floating(column_type) else "str"


def _speaking(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame that Arrow can hold; raises SchemaError naming the column where it cannot."""
    for name in frame.columns:
        if name not in _KNOWN and frame[name].dtype == object:
            try:
                pa.array(frame[name])
            except (pa.ArrowException, TypeError):
                kinds = {type(value).__name__ for value in frame[name].dropna()}
                raise SchemaError(_describe_mixed_kinds(kinds), table="games", column=str(name)) from None
    return frame


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


LOT = 2**23  # bytes of a log that are loaded together


class Pieces(Protocol):
    """A log that can be taken in pieces."""

    name: str
    version: str
    path: Path

    def lay_by(self, spool: Spool, intake: Intake, track: Track) -> None:
        """Read all of the log once, noting to the intake what was read."""
        ...

    def tables(self, rows: pa.Table, intake: Intake) -> dict[str, pd.DataFrame] | None:
        """Return the tables of some of its games; None if no game is among the rows."""
        ...

    def finish(self, intake: Intake) -> None:
        """Look at what is only seen when all games have passed."""
        ...


def streamed(pieces: Pieces, out: Path, track: Track) -> Provenance:
    """Load a log in pieces into the saved study `out`, and return where it came from.

    Raises
    ------
    LogError, SchemaError, UsageError
        As loading it at once and saving it would.
    """
    with study_folder.writing(out) as writer:
        intake = Intake(pieces.path)
        spool = Spool(writer.scratch)
        pieces.lay_by(spool, intake, track)
        games = GameRows(writer.scratch)
        nothing, has_offers = Provenance(pieces.name, pieces.version), False
        for lot in spool.lots(LOT):
            tables = _build_tables(pieces, lot, intake, nothing)
            del lot
            if tables is not None:
                has_offers = has_offers or len(tables["offers"]) > 0
                games.add(tables.pop("games"))
                writer.add(tables)
            del tables
            pa.default_memory_pool().release_unused()
        pieces.finish(intake)
        # Of a lot it is no doubt that none of its rows holds an offer, if others do.
        silent = [record for record in intake.records if record.kind == "offers_unread"]
        intake.records[:] = [record for record in intake.records if record.kind != "offers_unread"]
        intake.records += [] if has_offers else silent[:1]
        writer.tables["games"].begin(games.like())
        for frame in games.frames():
            writer.add({"games": frame})
        provenance = intake.provenance(pieces.name, pieces.version)
        writer.provenance = asdict(provenance)
    return provenance


def _build_tables(pieces: Pieces, lot: pa.Table, intake: Intake, nothing: Provenance) -> dict[str, pd.DataFrame] | None:
    """Return the checked tables of a lot, and add what its intake noted to that of the whole."""
    lot_intake = Intake(pieces.path)
    study_tables = pieces.tables(lot, lot_intake)
    intake.left_out += lot_intake.left_out
    intake.records += lot_intake.records
    intake.notes[:] = _join_notes(intake.notes, lot_intake.notes)
    if study_tables is None:
        return None
    tables, notes = derived(Study(provenance=nothing, **study_tables).tables)
    intake.notes[:] = _join_notes(intake.notes, notes)
    return tables


def _join_notes(notes: list[str], lot_notes: list[str]) -> list[str]:
    """Return notes of two pieces: counts added up, the same words once."""
    all_notes = list(notes)
    places = {_words(note): place for place, note in enumerate(all_notes)}
    for note in lot_notes:
        place = places.setdefault(_words(note), len(all_notes))
        if place == len(all_notes):
            all_notes.append(note)
        elif isinstance(note, Tally):
            earlier = all_notes[place]
            all_notes[place] = earlier.plus(note) if isinstance(earlier, Tally) else note
    return all_notes


def _words(note: str) -> str:
    return note.words if isinstance(note, Tally) else note
