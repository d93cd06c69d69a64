"""Which files of a folder, and games of a file, are read: none that is damaged where damaged ones are left out.

A loader lists the files of a folder through `readable` and reads them; what cannot be read is a `LogError` that names
the file. `sparing` reads again without these files, as long as they are few, and `each` (beside this file) finds all
of them in one go. Where a file holds many games, the format says which rows are of one (`Parts`): these are taken out
of what `Intake.read` gives, and the rest of the file is read. Where a game's rows lie in several
tables, the loader says of a fault which game it is in (`within_game`), and leaves out those of `units_left_out` itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path

from negstats.errors import LogError
from negstats.studies import LeftOut, Study
from negstats.studies.records import Record

MOST_DAMAGED = 0.2  # of the files or games; with more of them the format or mapping is wrong, or the log
MOST_GAMES = 100  # damaged games of a log, each of which costs a reading of it


def blanked(data: bytes, rows: frozenset[int]) -> bytes:
    r"""Return a text with some of its lines blank, so that all others keep their numbers.

    Examples
    --------
    >>> blanked(b"one\ntwo\nthree", frozenset([2]))
    b'one\n\nthree'
    """
    lines = data.splitlines(keepends=True)
    return b"".join(line[len(line.rstrip(b"\r\n")) :] if row in rows else line for row, line in enumerate(lines, 1))


@dataclass(frozen=True, slots=True)
class Parts:
    """How games in one file are told apart.

    Attributes
    ----------
    rows : Callable[[bytes, int], frozenset[int]]
        Of a file's content and a row: the rows of the game that the row is of; none where it is of no game.
    without : Callable[[bytes, frozenset[int]], bytes]
        The content without some rows, in which all others have the numbers that they had.
    """

    rows: Callable[[bytes, int], frozenset[int]]
    without: Callable[[bytes, frozenset[int]], bytes] = blanked


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """What a reading leaves out: files, the rows of games by file (with how they are taken out), and games by name."""

    files: frozenset[Path] = frozenset()
    rows: Mapping[Path, frozenset[int]] = field(default_factory=dict)
    parts: Parts | None = None
    units: frozenset[str] = frozenset()


_NOTHING = _LeftOut()
_LEFT_OUT: ContextVar[_LeftOut] = ContextVar("_LEFT_OUT", default=_NOTHING)


def rows_left_out(file: Path) -> frozenset[int]:
    """Return the rows of a file that are of damaged games and not read."""
    return _LEFT_OUT.get().rows.get(file, frozenset())


def without_damage(file: Path, data: bytes) -> bytes:
    """Return a file's content without the rows of damaged games."""
    parts, rows = _LEFT_OUT.get().parts, rows_left_out(file)
    return data if parts is None or not rows else parts.without(data, rows)


class DamagedFilesError(LogError):
    """Several files cannot be read; `faults` holds the error of each, the first of which is told."""

    def __init__(self, faults: list[LogError]) -> None:
        first = faults[0]
        super().__init__(first.reason, file=first.file, row=first.row, column=first.column)
        self.faults = faults


class DamagedGameError(LogError):
    """A game, or a row of one, cannot be read; `unit` is the loader's name of what would be left out."""

    def __init__(self, fault: LogError, unit: str) -> None:
        super().__init__(fault.reason, file=fault.file, row=fault.row, column=fault.column)
        self.unit = unit


@contextmanager
def within_game(unit: str) -> Iterator[None]:
    """Say of a fault what would be left out with it: a game, or a row."""
    try:
        yield
    except DamagedGameError:
        raise
    except LogError as fault:
        raise DamagedGameError(fault, unit) from None


def units_left_out() -> frozenset[str]:
    """Return the games and rows that a loader leaves out itself."""
    return _LEFT_OUT.get().units


def is_sparing() -> bool:
    """Whether damaged files are left out."""
    return _LEFT_OUT.get() is not _NOTHING


def hidden(file: Path, root: Path) -> bool:
    """Whether a program left a file, or a folder between it and `root`, for itself: .git, .DS_Store, ~$open.xlsx."""
    depth = len(root.parts)
    path_parts = file.parts[depth:] if file.parts[:depth] == root.parts else (file.name,)
    return any(part.startswith((".", "~$")) for part in path_parts)


def readable(files: Iterable[Path], root: Path) -> Iterator[Path]:
    """Yield those of a folder's files that are read: not hidden ones, nor damaged ones that are left out."""
    left_out = _LEFT_OUT.get().files
    return (file for file in files if file not in left_out and (file == root or not hidden(file, root)))


def sparing(read: Callable[[], Study], root: Path, parts: Parts | None = None) -> Study:
    """Read logs without the games and files that cannot be read, which are left out and counted.

    Raises
    ------
    LogError
        If a fault names neither a game nor a file of the folder, nothing remains, or more than a fifth of the files
        like the damaged ones (and more than one), or of the rows of a file, are damaged.
    """
    damaged: dict[Path, LogError] = {}
    rows: dict[Path, frozenset[int]] = {}
    games: list[LogError] = []
    units: set[str] = set()
    while True:
        try:
            with _leave_out(_LeftOut(frozenset(damaged), rows, parts, frozenset(units))):
                study = read()
        except LogError as fault:
            if isinstance(fault, DamagedGameError) and fault.unit not in units and len(units) < MOST_GAMES:
                units.add(fault.unit)
                games.append(fault)
                continue
            log_faults = fault.faults if isinstance(fault, DamagedFilesError) else [fault]
            if parts is not None and (
                one := next((log_fault for log_fault in log_faults if _add_rows(log_fault, rows, parts)), None)
            ):
                games.append(one)
                _refuse_many_games(rows, one, len(games))
                continue
            fresh = {
                Path(log_fault.file): log_fault
                for log_fault in log_faults
                if log_fault.file is not None and _spared(log_fault, root)
            }
            if not fresh.keys() - damaged.keys():
                raise
            damaged |= fresh
            _refuse_many(damaged, root, fault)
            continue
        if len(units) > 1 and len(units) > MOST_DAMAGED * (len(units) + len(study.games)):
            reason = f"{len(units)} games are damaged, too many to leave out; the last fault: {games[-1]}"
            raise LogError(reason, file=root)
        return _count_damaged(study, damaged, games, root)


@contextmanager
def leaving_out(files: Iterable[Path]) -> Iterator[None]:
    """Look at a folder as if some of its files were not there."""
    with _leave_out(_LeftOut(frozenset(files))):
        yield


@contextmanager
def _leave_out(left_out: _LeftOut) -> Iterator[None]:
    token = _LEFT_OUT.set(left_out)
    try:
        yield
    finally:
        _LEFT_OUT.reset(token)


def _add_rows(fault: LogError, rows: dict[Path, frozenset[int]], parts: Parts) -> bool:
    """Add the rows of the game that a fault is in to those that are left out; False if there are none to add."""
    if fault.file is None or fault.row is None or not Path(fault.file).is_file():
        return False
    file = Path(fault.file)
    fresh = parts.rows(file.read_bytes(), fault.row) - rows.get(file, frozenset())
    rows[file] = rows.get(file, frozenset()) | fresh
    return bool(fresh)


def _refuse_many_games(rows: dict[Path, frozenset[int]], fault: LogError, games: int) -> None:
    n_damaged_rows = sum(map(len, rows.values()))
    every = sum(len(file.read_bytes().splitlines()) for file in rows)
    if games > MOST_GAMES or (games > 1 and n_damaged_rows > MOST_DAMAGED * max(every, 1)):
        reason = f"{games} games are damaged, too many to leave out; the last fault: {fault}"
        raise LogError(reason, file=fault.file) from None


def _spared(fault: LogError, root: Path) -> bool:
    file = fault.file
    return file is not None and Path(file) != root and Path(file).is_relative_to(root) and Path(file).is_file()


def _refuse_many(damaged: dict[Path, LogError], root: Path, fault: LogError) -> None:
    endings = {file.suffix for file in damaged}
    alike = sum(file.suffix in endings for file in root.rglob("*") if not hidden(file, root))
    if len(damaged) == alike or len(damaged) > max(1, MOST_DAMAGED * alike):
        reason = f"{len(damaged)} of {alike} files are damaged, too many to leave out; the last fault: {fault}"
        raise LogError(reason, file=root) from None


def _count_damaged(study: Study, damaged: dict[Path, LogError], games: list[LogError], root: Path) -> Study:
    if not damaged and not games:
        return study
    origin = study.provenance
    every = [("file", file, fault) for file, fault in damaged.items()]
    every += [("game", Path(fault.file), fault) for fault in games if fault.file is not None]
    rows = tuple(
        LeftOut(
            file.relative_to(root).as_posix() if file != root else file.name,
            fault.row or 0,
            f"a damaged {what}: {fault.reason}",
        )
        for what, file, fault in every
    )
    wholes = {"damaged_files": (len(damaged), len(origin.sources)), "damaged_games": (len(games), len(study.games))}
    records = tuple(Record(kind, count=n, of=n + rest) for kind, (n, rest) in wholes.items() if n)
    return replace(
        study,
        provenance=replace(origin, left_out=(*origin.left_out, *rows), records=(*origin.records, *records)),
    )


def offer(fault: LogError, root: Path, parts: Parts | None = None) -> LogError:
    """Return the fault of one file in a folder of many, or of one game of a file, with what would do without it."""
    game = isinstance(fault, DamagedGameError) or (parts is not None and not fault.more and _add_rows(fault, {}, parts))
    if not game and (fault.more or not root.is_dir() or not _spared(fault, root)):
        return fault
    hint = f"--leave-out-bad-games leaves such {'games' if game else 'files'} out and counts them"
    return LogError(f"{fault.reason} ({hint})", file=fault.file, row=fault.row, column=fault.column)
