"""One file after the other, or several at a time by processes of their own: the same results in the same order."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias, TypeVar

from negstats.errors import LogError, NegstatsError, UsageError
from negstats.loaders.files.damaged import DamagedFilesError, is_sparing
from negstats.loaders.files.intake import Intake
from negstats.loaders.format import Track

Read = TypeVar("Read")
Work: TypeAlias = Callable[[Path, Intake], Read]

WORKERS = "so many processes that read files, in any number with the same result"
_MOST = 64  # files that a process reads at a time
_AHEAD = 4  # times as many as there are processes: what may wait to be taken
WORTH = 100  # files from which on processes are worth their start


def each(intake: Intake, files: Sequence[Path], work: Work[Read], track: Track, workers: int = 1) -> Iterator[Read]:
    """Yield what `work` makes of each file, in their order; what it notes to its intake is noted in that order too.

    Parameters
    ----------
    intake
        Of the study.
    files
        The files.
    work
        Reads one: called with the file and an intake. With several workers it must be such as can be pickled.
    track
        Called with the files; yields them one by one.
    workers
        How many processes read. Fewer than a hundred files are read by this one.

    Raises
    ------
    UsageError
        If there are fewer than one worker.
    NegstatsError
        As `work` does, of the first file that has a fault.
    """
    if workers < 1:
        raise UsageError(f"workers is {workers}; one reads the files, more read several at a time")
    if workers == 1 or len(files) < WORTH:
        for place, file in enumerate(track(files)):
            try:
                result = work(file, intake)
            except LogError as fault:
                if is_sparing():
                    raise DamagedFilesError([fault, *_faults(files[place + 1 :], intake.root, work)]) from None
                raise
            yield result
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=gc.disable) as pool:
        try:
            for file, result_and_notes in zip(track(files), _map(pool, intake.root, files, work, workers), strict=True):
                if result_and_notes is None and is_sparing():
                    raise DamagedFilesError(_faults(files[files.index(file) :], intake.root, work))
                if result_and_notes is None:  # the fault is told here, as it is by one worker
                    yield work(file, intake)
                    continue
                result, noted = result_and_notes
                intake.sources += noted.sources
                intake.left_out += noted.left_out
                intake.notes += noted.notes
                intake.records += noted.records
                intake.unread += noted.unread
                yield result
        finally:
            pool.shutdown(cancel_futures=True)


def _faults(files: Sequence[Path], root: Path, work: Work[Read]) -> list[LogError]:
    """Return the faults of all files, so that those that have one are left out together."""
    faults = []
    for file in files:
        try:
            work(file, Intake(root))
        except LogError as fault:
            faults.append(fault)
    return faults


def _map(
    pool: ProcessPoolExecutor, root: Path, files: Sequence[Path], work: Work[Read], workers: int
) -> Iterator[tuple[Read, Intake] | None]:
    """Yield what the workers give, in the order of the files, while no more than a few batches wait to be taken."""
    size = max(1, min(_MOST, len(files) // (_AHEAD * workers)))
    batches = iter([files[start : start + size] for start in range(0, len(files), size)])
    waiting = deque(pool.submit(_all, work, batch, root) for batch in islice(batches, _AHEAD * workers))
    while waiting:
        batch_results = waiting.popleft().result()
        waiting.extend(pool.submit(_all, work, batch, root) for batch in islice(batches, 1))
        yield from batch_results


def _all(work: Work[Read], files: Sequence[Path], root: Path) -> list[tuple[Read, Intake] | None]:
    """Return what some files give; None for one that has a fault."""
    results: list[tuple[Read, Intake] | None] = []
    for file in files:
        file_intake = Intake(root)
        try:
            results.append((work(file, file_intake), file_intake))
        except NegstatsError:
            results.append(None)
    return results
