"""Kill a writer of a study at each step that changes the disk; run as a script by `test_damaged_logs.py`.

A child of this process saves study b over study a. The interpreter tells of each step before it is made (an audit
event); the child kills itself at the n-th one, with SIGKILL, for n = 1, 2, ... until it comes to the end. Before the
n-th step is after the one before it, so every gap between two steps is tried. Prints what was found, one line a step.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

from negstats import files
from negstats.files import Leftover
from negstats.studies import open_study
from tests.studies.test_folder import mark_of, study

MEMORY = Path("/dev/shm")  # noqa: S108 - no waiting for a disk: what a kill leaves does not depend on it
STEPS = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.symlink", "exchange"}


def writes(event: str, about: tuple[object, ...]) -> bool:
    # Parquet's own opening makes no event, but the flush after it does: it opens by a number, so the mode is None.
    return event in STEPS or (event == "open" and (about[1] is None or "r" not in str(about[1])))


def in_child(task: Callable[[], object]) -> int:
    """Run a task in a child and return its exit code, or -9.

    Polars works with threads, and a child of a process whose threads have begun waits for them for ever: so all that
    reads or writes a study is done in children, and their parent only counts.
    """
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    code = 1
    try:
        task()
        sys.stdout.flush()
        code = 0
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(code)


def save_first(place: Path) -> None:
    """Save study a."""
    study("a").save(place)


def save_until(place: Path, at: int, *, exchanged: bool) -> None:
    """Save study b, and die at step `at`."""
    swap, count = files.exchange, 0

    def told(path: Path, other: Path) -> bool:
        if not exchanged:
            return False
        sys.audit("exchange")  # the system's call makes no event of its own
        was_swapped = swap(path, other)
        sys.audit("exchange")
        return was_swapped

    def count_down(event: str, about: tuple[object, ...]) -> None:
        nonlocal count
        if writes(event, about):
            count += 1
            if count == at:
                os.kill(os.getpid(), signal.SIGKILL)

    files.exchange = told
    sys.addaudithook(count_down)
    study("b").save(place)


def say_what_is_left(place: Path, at: int, code: int) -> None:
    """Print which study is there after step `at`, and what the next save says and leaves."""
    result = mark_of(open_study(place))
    beside = {path.name for path in place.parent.iterdir()} - {place.name}
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always", Leftover)
        study("c").save(place)
    is_all = all(any(name in str(warning.message) for warning in caught_warnings) for name in beside)
    clean = [path.name for path in place.parent.iterdir()] == [place.name]
    inside = len([path for path in place.iterdir() if path.is_dir()])
    print(at, code, result, len(beside), is_all, clean and inside == 0, mark_of(open_study(place)))


def main(*, exchanged: bool) -> None:
    """Try each step, until the writer comes to its end."""
    at, code = 0, -9
    while code:
        at += 1
        with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
            place = Path(folder) / "saved"
            if in_child(partial(save_first, place)):
                sys.exit("the first study could not be saved")
            code = in_child(partial(save_until, place, at, exchanged=exchanged))
            if in_child(partial(say_what_is_left, place, at, code)):
                sys.exit(f"what step {at} left could not be read")


if __name__ == "__main__":
    main(exchanged=sys.argv[1] == "exchanged")
