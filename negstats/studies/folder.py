"""The saved form of a study: a folder with one Parquet file a table and the card ``study.json``.

The card holds the provenance, each table's SHA-256 and rows, and a SHA-256 of its own; what is read back is what was
written, or an error. A new study is written beside the old one and the two folders are exchanged in one step. Where the
system cannot exchange folders, the new tables move into the old folder as one more (``tables-...``), and the card that
points to them is renamed over the old card: again one step. A reader that falls between two studies sees the hashes
disagree and another file in the card's place, and reads again.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
import pyarrow.parquet as pq

from negstats import files
from negstats import tables as schema
from negstats.errors import LogError, UsageError, one_line, shown
from negstats.sanitize import first_few
from negstats.studies.parquet_writer import RowGroups

T = TypeVar("T")

CARD = "study.json"
KEYS = {"schema_version", "loader", "version", "sources", "left_out", "notes"}  # what every card of ours has had
LATER_KEYS = {"measures", "roles", "coding", "records", "accepted", "cite"}  # what cards of earlier versions lack
LARGEST_CARD = 1 << 30  # bytes
FILES = {f"{name}.parquet" for name in schema.TABLES}
SCRATCH = "scratch"  # in a folder that is being written; what an interrupted writer leaves in it is ours
GENERATION = re.compile(r"tables-[0-9a-f]{12}")
PATIENCE = 20.0  # seconds for which a reader or writer begins again when others are faster
PAUSE = 0.005  # seconds between two tries


def write(path: str | Path, tables: Mapping[str, pd.DataFrame], provenance: Mapping[str, Any]) -> Path:
    """Write checked tables and their provenance to the folder `path`; see `negstats.studies.study.Study.save`."""
    with writing(path) as writer:
        writer.add(tables)
        writer.provenance = provenance
    return Path(path)


class Writer:
    """A study's folder while it is written: tables grow row by row, `provenance` is set before the end.

    `scratch` is a folder that may be made for files ``*.arrow``, and is gone when the study stands in its place.
    """

    def __init__(self, scratch: Path, tables: Mapping[str, RowGroups]) -> None:
        self.scratch, self.tables = scratch, tables
        self.provenance: Mapping[str, Any] = {}

    def add(self, tables: Mapping[str, pd.DataFrame]) -> None:
        """Append rows to tables; raises SchemaError if Parquet cannot hold them."""
        for name, frame in tables.items():
            self.tables[name].add(frame)


@contextmanager
def writing(path: str | Path) -> Iterator[Writer]:
    """Yield a `Writer`; when all went well, what it wrote takes the place of the folder `path` in one step.

    Raises
    ------
    UsageError
        If `path` is there and is not a saved study, or it cannot be written.
    """
    destination = Path(path)
    with files.refused(destination), ExitStack() as stack:
        target = files.real(destination)
        _check_ours(target, destination)
        target.parent.mkdir(parents=True, exist_ok=True)
        # Written beside its place, so that nobody meets half a study there.
        new_folder = stack.enter_context(files.beside(target, _in_writing))
        tables = {name: stack.enter_context(RowGroups(new_folder, name)) for name in schema.TABLES}
        writer = Writer(new_folder / SCRATCH, tables)
        yield writer
        shutil.rmtree(writer.scratch, ignore_errors=True)
        card: dict[str, Any] = {"schema_version": schema.SCHEMA_VERSION, **writer.provenance}
        card["tables"] = {name: table.finished() for name, table in tables.items()}
        card["sha256"] = card_hash(card)
        _write_card(new_folder, card)
        files.flushed(new_folder)
        _exchange_folders(new_folder, target, destination, card)
        files.flushed(target.parent)


def card_hash(card: Mapping[str, Any]) -> str:
    """Return the SHA-256 of what a card says, however it is laid out; where the tables lie may change."""
    fields = {key: value for key, value in card.items() if key not in ("sha256", "folder")}
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def _write_card(folder: Path, card: Mapping[str, Any]) -> None:
    text = json.dumps(card, indent=1, ensure_ascii=False)
    # A half surrogate (a file name that is not UTF-8) becomes the escape by which JSON spells it.
    (folder / CARD).write_bytes(text.encode("utf-8", "backslashreplace"))
    files.flushed(folder / CARD)


def _exchange_folders(new_folder: Path, target: Path, destination: Path, card: Mapping[str, Any]) -> None:
    for _ in _tries():
        if not target.exists():
            try:
                new_folder.rename(target)
            except OSError as error:
                if error.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                    continue  # another writer was faster
                raise
            return
        with _lock_of(target):
            _check_ours(target, destination)
            try:
                files.as_was(target, new_folder)
                is_exchanged = files.exchange(new_folder, target)
            except FileNotFoundError:  # somebody has removed it
                continue
            if not is_exchanged:
                _point_to(new_folder, target, card)
                return
            try:
                _check_ours(new_folder, destination)
            except UsageError:  # a file of somebody else came to it in the last moment
                files.exchange(new_folder, target)
                raise
            return
    raise UsageError(f"{destination}: other programs keep writing to it; try again")


@contextmanager
def _lock_of(target: Path) -> Iterator[None]:
    """Hold the lock of the study that is replaced, where the system has locks.

    The old study gets the name of the fresh one. Without its lock, another writer would take it for what a dead writer
    left behind, and remove it while we look a last time at what is in it.
    """
    lock = files.locked(target)
    try:
        yield
    finally:
        if lock is not None:
            os.close(lock)


def _tries() -> Iterator[None]:
    """Yield as often as there is a further try."""
    deadline = time.monotonic() + PATIENCE
    while True:
        yield
        if time.monotonic() > deadline:
            return
        time.sleep(PAUSE)


def _point_to(fresh: Path, target: Path, card: Mapping[str, Any]) -> None:
    """Move the new tables into the old folder and rename a card that points to them over the old one."""
    generation = target / f"tables-{secrets.token_hex(6)}"
    _write_card(fresh, {**card, "folder": generation.name})
    fresh.rename(generation)
    (generation / CARD).replace(target / CARD)
    files.flushed(target)
    for old in files.listed(target):
        if old.name in FILES:
            old.unlink(missing_ok=True)
        elif old.name != CARD and (lock := files.locked(old, wait=False)) is not None:
            # Whoever held the lock has renamed his card: only now does the card say what is used.
            with suppress(LogError, OSError):
                if card_of(target).get("folder") != old.name:
                    shutil.rmtree(old, ignore_errors=True)
            os.close(lock)


def _check_ours(target: Path, destination: Path) -> None:
    """Raise UsageError if `target` is there and is anything but a saved study with nothing else in it."""
    if not target.exists():
        return
    obstacle = f"{destination}: is there and is not a saved study"
    if not target.is_dir():
        raise UsageError(f"{obstacle} but a file; give a new folder")
    if not _regular(target / CARD):
        raise UsageError(f"{obstacle} (no {CARD} in it); give a new folder")
    try:
        card = card_of(target)
    except LogError:
        card = {}
    if not card.keys() >= KEYS:
        raise UsageError(f"{obstacle}: its {CARD} was not written by negstats; give a new folder")
    other_entries = sorted(entry.name for entry in files.listed(target) if not is_our_entry(entry))
    if other_entries and all(name in FILES and stat.S_ISDIR((target / name).lstat().st_mode) for name in other_entries):
        raise UsageError(f"{destination}: is a study in parts, and none is written over it; give a new folder")
    if other_entries:
        names = first_few([*map(shown, other_entries)])
        raise UsageError(
            f"{destination}: a study with files in it that negstats did not write: {names}; give a new folder"
        )


def is_our_entry(entry: Path) -> bool:
    """Whether an entry of a folder is a part of a saved study."""
    try:
        if entry.name == CARD or entry.name in FILES:
            return stat.S_ISREG(entry.lstat().st_mode)
        if not GENERATION.fullmatch(entry.name) or not stat.S_ISDIR(entry.lstat().st_mode):
            return False
        return all(child.name in {CARD, *FILES} and stat.S_ISREG(child.lstat().st_mode) for child in entry.iterdir())
    except FileNotFoundError:  # another writer has just removed what is no longer used
        return True


def _in_writing(entry: Path) -> bool:
    """Whether an entry of a folder that an interrupted writer left behind is one of ours."""
    if entry.name == SCRATCH and entry.is_dir() and not entry.is_symlink():
        return all(child.suffix == ".arrow" for child in files.listed(entry))
    return is_our_entry(entry)


def _regular(file: Path) -> bool:
    try:
        return stat.S_ISREG(file.lstat().st_mode)
    except OSError:
        return False


def is_study(path: str | Path) -> bool:
    """Whether `path` is a folder that `Study.save` wrote, be it damaged: with a card of ours, or a card and tables."""
    folder = Path(path)
    if not (folder / CARD).is_file():
        return False
    if any((folder / name).exists() for name in FILES):
        return True
    try:
        return card_of(folder).keys() >= KEYS
    except LogError:
        return not any(entry.name != CARD and not GENERATION.fullmatch(entry.name) for entry in folder.iterdir())


def check_is_study(folder: Path) -> None:
    """Raise UsageError if a folder is not a saved study."""
    if not folder.exists():
        raise UsageError(f"{folder}: is not there")
    if not is_study(folder):
        raise UsageError(f"{folder}: is not a saved study (no {CARD} in it); `negstats load` saves logs as one")


def read(folder: Path) -> tuple[dict[str, Any], dict[str, pd.DataFrame]]:
    """Read a saved study: its card (without what is about the saved form) and its tables.

    Raises
    ------
    LogError
        If a file is missing, damaged or changed since it was written, or of another version's schema.
    """
    return settled(folder, lambda: _read_once(folder, card_of(folder)))


def settled(folder: Path, read_once: Callable[[], T]) -> T:
    """Return what `read_once` reads of a saved study, read again where a writer has exchanged the study meanwhile.

    Raises
    ------
    LogError
        As `read_once`, where the study is still the same; or if others write to it all the time.
    """
    for _ in _tries():
        identity = _which(folder / CARD)
        try:
            return read_once()
        except LogError:
            if _which(folder / CARD) == identity:  # nobody has exchanged the study meanwhile
                raise
    raise LogError("other programs keep writing to it; try again", file=folder)


def _which(card: Path) -> tuple[int, ...] | None:
    """Return what tells a card's file from any other: two writers may take turns and leave the same text."""
    try:
        status = card.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def _read_once(folder: Path, card: dict[str, Any]) -> tuple[dict[str, Any], dict[str, pd.DataFrame]]:
    inner = checked_layout(folder, card)
    hashes = card["tables"]
    tables = {name: read_table(inner / f"{name}.parquet", hashes[name]) for name in schema.TABLES}
    return checked_provenance(folder, card), tables


def checked_layout(folder: Path, card: dict[str, Any]) -> Path:
    """Return where the tables of a study lie; LogError if its card is none of ours, or of another version."""
    file = folder / CARD
    lacking = sorted((KEYS | {"tables", "sha256"}) - card.keys())
    if lacking:
        raise LogError(f"is not a card of a study: it has no {shown(lacking[0])}; load the logs again", file=file)
    version, hashes, inner = card["schema_version"], card["tables"], card.get("folder", "")
    if version != schema.SCHEMA_VERSION:
        raise LogError(
            f"has schema version {shown(version)}, this negstats reads {schema.SCHEMA_VERSION}; load the logs again",
            file=file,
        )
    if not isinstance(inner, str) or (inner and not GENERATION.fullmatch(inner)):
        raise LogError(f"is not a card of a study: folder is {shown(inner)}; load the logs again", file=file)
    if not isinstance(hashes, dict) or set(hashes) != set(schema.TABLES):
        raise LogError(f"is not a card of a study: tables is {shown(hashes)}; load the logs again", file=file)
    return folder / inner


def checked_provenance(folder: Path, card: dict[str, Any]) -> dict[str, Any]:
    """Return what a card says of where the study came from; LogError if it is not what was written."""
    if card_hash(card) != card["sha256"]:
        raise LogError(
            "is not a card of a study: not what was written, its SHA-256 differs; load the logs again",
            file=folder / CARD,
        )
    return {key: card[key] for key in (KEYS | LATER_KEYS) & card.keys() - {"schema_version"}}


def read_table(file: Path, entry: object) -> pd.DataFrame:
    """Return a table of a saved study as the card of the study describes it.

    Raises
    ------
    LogError
        If the file is not a table, or no longer the one that was written (its SHA-256 or its rows are others).
    """
    if file.is_dir():
        raise LogError("is a folder of parts, for studies larger than memory; open it with engine='duckdb'", file=file)
    if not isinstance(entry, dict) or not {"sha256", "rows"} <= entry.keys():
        raise LogError(f"the card of the study describes it as {shown(entry)}; load the logs again", file=file)
    data = _bytes(file)
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise LogError("was changed after it was written: its SHA-256 differs; load the logs again", file=file)
    try:
        # One file needs no data set, which pandas' reader and PyArrow's `read_table` import and build.
        frame: pd.DataFrame = pq.ParquetFile(io.BytesIO(data)).read().to_pandas()
    except Exception as error:
        raise LogError(f"is not a table of a study: {one_line(error)}; load the logs again", file=file) from None
    if len(frame) != entry["rows"]:
        rows = shown(entry["rows"])
        raise LogError(f"has {len(frame)} rows, the card says {rows}; load the logs again", file=file)
    return frame


def _bytes(file: Path, limit: int | None = None) -> bytes:
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            raise LogError("is not a regular file; load the logs again", file=file)
        if limit is not None and status.st_size > limit:
            raise LogError(f"has {status.st_size:,} bytes; the limit is {limit:,}", file=file)
        return file.read_bytes()
    except FileNotFoundError:
        raise LogError("is not there; load the logs again", file=file) from None
    except OSError as error:
        raise LogError(f"cannot be read: {error.strerror}", file=file) from None


def card_of(folder: Path) -> dict[str, Any]:
    """Return the card of a study; LogError if it cannot be read or is not an object."""
    file = folder / CARD
    try:
        card = json.loads(_bytes(file, LARGEST_CARD).decode(), object_pairs_hook=_check_unique)
    except LogError:
        raise
    except (ValueError, RecursionError) as error:
        raise LogError(f"is not a card of a study: {one_line(error)}; load the logs again", file=file) from None
    if not isinstance(card, dict):
        raise LogError(f"is not a card of a study: {shown(card)}; load the logs again", file=file)
    return card


def _check_unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        earlier: set[str] = set()
        repeated = next(name for name, _ in pairs if name in earlier or earlier.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {shown(repeated)} is in it twice")
    return content
