"""Which files of a folder are read: none that is hidden, and none that is damaged where damaged ones are left out.

A loader lists the files of a folder through `readable` and reads them; what cannot be read is a `LogError` that names
the file. `sparing` reads again without these files, as long as they are few, and `each` (beside this file) finds all
of them in one go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path

from negstats.errors import LogError
from negstats.studies.study import LeftOut, Study

__all__ = ["MOST_DAMAGED", "DamagedFilesError", "hidden", "is_sparing", "offer", "readable", "sparing"]

MOST_DAMAGED = 0.2  # of the files or games; with more of them the format or mapping is wrong, or the log
_LEFT_OUT: ContextVar[frozenset[Path] | None] = ContextVar("_LEFT_OUT", default=None)


class DamagedFilesError(LogError):
    """Several files cannot be read; `faults` holds the error of each, the first of which is told."""

    def __init__(self, faults: list[LogError]) -> None:
        first = faults[0]
        super().__init__(first.reason, file=first.file, row=first.row, column=first.column)
        self.faults = faults


def is_sparing() -> bool:
    """Whether damaged files are left out."""
    return _LEFT_OUT.get() is not None


def hidden(file: Path, root: Path) -> bool:
    """Whether a program left a file, or a folder between it and `root`, for itself: .git, .DS_Store, ~$open.xlsx."""
    inside = file.relative_to(root).parts if file.is_relative_to(root) else (file.name,)
    return any(part.startswith((".", "~$")) for part in inside)


def readable(files: Iterable[Path], root: Path) -> Iterator[Path]:
    """Yield those of a folder's files that are read: not hidden ones, nor damaged ones that are left out."""
    left_out = _LEFT_OUT.get() or frozenset()
    return (file for file in files if file not in left_out and (file == root or not hidden(file, root)))


def sparing(read: Callable[[], Study], root: Path) -> Study:
    """Read a folder without the files that cannot be read, which are left out and counted.

    Raises
    ------
    LogError
        If a fault names no file of the folder, nothing remains, or more than a fifth of the files like the damaged
        ones (and more than one) are damaged.
    """
    damaged: dict[Path, LogError] = {}
    while True:
        try:
            with _without(frozenset(damaged)):
                study = read()
        except LogError as fault:
            found = fault.faults if isinstance(fault, DamagedFilesError) else [fault]
            fresh = {Path(one.file): one for one in found if one.file is not None and _spared(one, root)}
            if not fresh.keys() - damaged.keys():
                raise
            damaged |= fresh
            _refuse_many(damaged, root, fault)
            continue
        return _counted(study, damaged, root)


@contextmanager
def _without(files: frozenset[Path]) -> Iterator[None]:
    token = _LEFT_OUT.set(files)
    try:
        yield
    finally:
        _LEFT_OUT.reset(token)


def _spared(fault: LogError, root: Path) -> bool:
    file = fault.file
    return file is not None and Path(file) != root and Path(file).is_relative_to(root) and Path(file).is_file()


def _refuse_many(damaged: dict[Path, LogError], root: Path, fault: LogError) -> None:
    endings = {file.suffix for file in damaged}
    alike = sum(file.suffix in endings for file in root.rglob("*") if not hidden(file, root))
    if len(damaged) == alike or len(damaged) > max(1, MOST_DAMAGED * alike):
        reason = f"{len(damaged)} of {alike} files are damaged, too many to leave out; the last fault: {fault}"
        raise LogError(reason, file=root) from None


def _counted(study: Study, damaged: dict[Path, LogError], root: Path) -> Study:
    if not damaged:
        return study
    origin = study.provenance
    rows = tuple(
        LeftOut(file.relative_to(root).as_posix(), fault.row or 0, f"a damaged file: {fault.reason}")
        for file, fault in damaged.items()
    )
    note = f"{len(damaged)} damaged files were excluded"
    return replace(study, provenance=replace(origin, left_out=(*origin.left_out, *rows), notes=(*origin.notes, note)))


def offer(fault: LogError, root: Path) -> LogError:
    """Return the fault of one file in a folder of many with what would do without it."""
    if fault.more or not root.is_dir() or not _spared(fault, root):
        return fault
    hint = "--leave-out-bad-games leaves such files out and counts them"
    return LogError(f"{fault.reason} ({hint})", file=fault.file, row=fault.row, column=fault.column)
