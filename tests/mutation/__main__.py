"""Change places of the statistics one at a time, drawn by a seed, and say which changes no test notices.

    python -m tests.mutation SEED N [--of negstats/stats/counts/matched.py ...] [--from 100] [--workers 2] [--seconds 9]
    python -m tests.mutation SEED N --default-tier  # with the tests alone that `python -m pytest` runs
    python -m tests.mutation SEED N --again FILE    # what a run that was written to the file says SURVIVED

Each change is made in a copy of the package; the tests that mirror the file are run until one fails, and where none
does, all others that enter the line (`tests.mutation.reach` says how that is written down). What takes
longer than the time allowed (an endless loop, or slow tests on a busy machine) is listed, and counted neither way; nor
are the changes that `equivalent.toml` lists with the reason why no test can notice them. The libraries are imported
once, and each change is tried in a fork of that process; Hypothesis does not look for the smallest example of a
failure, since one failure is enough.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Never

import pytest

from tests.mutation.changes import Change, changed, changes_of
from tests.mutation.equivalent import reason_of
from tests.mutation.reach import tests_of

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue

ROOT = Path(__file__).resolve().parents[2]
NOTICED, SURVIVED, EQUIVALENT = "noticed", "SURVIVED", "equivalent"
OUTCOMES = {0: SURVIVED, 1: NOTICED, 2: NOTICED}
PACKAGES = ("negstats/stats", "negstats/metrics", "negstats/estimate")
MARKS = ["-m", "not calibration"]  # the options that choose tests
SENTENCES = "tests/audit/test_sentences.py"  # what all of the audit does with a sentence, of which it names no function
# Without threads of their own, or such as bear a fork: polars and DuckDB are imported after it.
LIBRARIES = (
    "numpy", "pandas", "scipy.stats", "scipy.optimize", "scipy.integrate", "statsmodels.api", "formulaic", "narwhals",
    "matplotlib.pyplot", "hypothesis.extra.numpy",
)  # fmt: skip


def main() -> int:
    """Run the command; the exit is 1 if fewer than 95 % were noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("n", type=int)
    parser.add_argument("--of", nargs="*", default=list(PACKAGES), help="files or folders of the package")
    parser.add_argument("--from", type=int, default=0, dest="first", help="leave out as many of the changes drawn")
    parser.add_argument("--trust", action="store_true", help="do not run the tests first without any change")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=120.0, help="for the tests of one change")
    parser.add_argument("--default-tier", action="store_true", help="run only the tests that `python -m pytest` runs")
    parser.add_argument("--again", type=Path, help="try only what survived by this output of an earlier run")
    result = parser.parse_args()
    if result.default_tier:
        MARKS.clear()  # those of pyproject.toml hold
    files = sorted(
        path for one in result.of for path in ([ROOT / one] if one.endswith(".py") else (ROOT / one).rglob("*.py"))
    )
    every = [(path.relative_to(ROOT), change) for path in files for change in changes_of(path.read_text("utf-8"))]
    drawn = random.Random(result.seed).sample(every, min(result.n, len(every)))[result.first :]  # noqa: S311 - no secret
    if result.again:
        drawn = [one for line in result.again.read_text("utf-8").splitlines() for one in _survivors(line, every)]
    tests = sorted({str(path) for path, _ in drawn} | {one for path, _ in drawn for one in mirrors(path)})
    for name in LIBRARIES:
        importlib.import_module(name)
    processes = get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        copies = processes.SimpleQueue()
        for place in range(result.workers):
            copies.put(_copy(Path(folder) / str(place)))
        with processes.Pool(result.workers, initializer=_take, initargs=(copies,)) as pool:
            if failing := [] if result.trust else [one for one, code in pool.imap(_unchanged, tests) if code]:
                parser.error(f"these fail without any change: {', '.join(failing)}")
            outcomes = []
            for line, outcome in pool.imap(_try, [(*one, result.seconds) for one in drawn]):
                outcomes.append(outcome)
                print(line, flush=True)
    noticed, survived, alike = (outcomes.count(one) for one in (NOTICED, SURVIVED, EQUIVALENT))
    share = noticed / max(noticed + survived, 1)
    rest = len(outcomes) - noticed - survived - alike
    print(
        f"{len(drawn)} of {len(every)} changes (seed {result.seed}): {noticed} noticed, {survived} survived "
        f"({share:.1%} noticed), {rest} undecided; equivalent, with reasons: {alike}"
    )
    return int(share < 0.95)


def _survivors(line: str, every: list[tuple[Path, Change]]) -> list[tuple[Path, Change]]:
    """Return the changes of the place that a line of an earlier output says survived; lines may have moved since.

    Where a line has several such changes, an older output does not say which one it was: all are tried.
    """
    match = re.match(rf"{SURVIVED} +[\d.]+ s +(\S+?):(\d+)(?::(\d+))? '(.*)' -> '(.*?)': (.*)$", line)
    if not match:
        return []
    path, number, column, before, after, source = match.groups()
    text = (ROOT / path).read_text("utf-8").splitlines()
    alike = [
        (one, change)
        for one, change in every
        if str(one) == path and (change.before, change.after) == (before, after)
        and text[change.line - 1].strip()[:90] == source and column in (None, str(change.start))
    ]  # fmt: skip
    nearest = min((abs(change.line - int(number)) for _, change in alike), default=0)
    return [(one, change) for one, change in alike if abs(change.line - int(number)) == nearest]


def _copy(folder: Path) -> Path:
    ignored = shutil.ignore_patterns(".hypothesis")
    for name in ("negstats", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for path in ROOT.iterdir():
        if not path.name.startswith(".") and not (folder / path.name).exists():
            (folder / path.name).symlink_to(path)
    return folder


def mirrors(path: Path) -> list[str]:
    """Return the test files that mirror a file of the package: of its name, else those of its folder that import it."""
    folder = Path("tests", *path.parts[1:-1])
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    own = folder / f"test_{path.stem.strip('_')}.py"
    tests = sorted((ROOT / folder).glob("test_*.py"))
    words = _public(path)
    naming = [one for one in tests if any(word in one.read_text("utf-8") for word in words)]
    chosen = dict.fromkeys([*([ROOT / own] if (ROOT / own).exists() else []), *naming]) or dict.fromkeys(tests)
    refused = ROOT / "tests" / path.parts[1] / "test_refusals.py"  # a table of text names what it calls
    if refused.exists() and any(word in refused.with_name("refusals.txt").read_text("utf-8") for word in words):
        chosen[refused] = None
    if path.parts[1] == "audit":
        chosen[ROOT / SENTENCES] = None
    return [str(one.relative_to(ROOT)) for one in chosen]


def _public(path: Path) -> list[str]:
    """Return the functions and classes of a module that others may use."""
    definitions = (ast.FunctionDef, ast.ClassDef)
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return [one.name for one in tree.body if isinstance(one, definitions) and not one.name.startswith("_")]


def _take(copies: SimpleQueue[Path]) -> None:
    """Go to the copy of the package that this process alone changes."""
    os.chdir(copies.get())


def _try(case: tuple[Path, Change, float]) -> tuple[str, str]:
    """Return a line about what happened to a change, and its outcome."""
    path, change, seconds = case
    text = path.read_text("utf-8")
    source = text.splitlines()[change.line - 1].strip()
    start = time.monotonic()
    if reason_of(path, text, change):
        outcome = EQUIVALENT
    else:
        path.write_text(changed(text, change), "utf-8")
        try:
            code = _noticed_by(path, change.line, seconds)
        finally:
            path.write_text(text, "utf-8")
        outcome = OUTCOMES.get(code, "out of time" if code < 0 else f"exit {code}")
    place = f"{path}:{change.line}:{change.start} {change.before!r} -> {change.after!r}: {source[:90]}"
    return f"{outcome:11} {time.monotonic() - start:5.1f} s  {place}", outcome


def _noticed_by(path: Path, line: int, seconds: float) -> int:
    """Return the exit of the tests that may notice a change of a line: of the first group of them that does.

    First those near that enter the line, then the others that do, and last the rest of those near: what they share is
    entered by one of them alone. Out of time among the others is no sign that the change was noticed.
    """
    near = [*mirrors(path), str(path)]
    entering = tests_of(path, line)
    entering_near = [one for one in entering if one.partition("::")[0] in near]
    others = [one for one in entering if one.partition("::")[0] not in near]
    for tests, time_allowed in ((entering_near, seconds), (others, 2 * seconds)):
        if tests and OUTCOMES.get(code := _run(tests, time_allowed)) == NOTICED:
            return code
    return _run(near, seconds)


def _unchanged(path: str) -> tuple[str, int]:
    """Return the name of a file of tests, or with examples, and whether it fails as it is (5: it has none)."""
    code = _run(["tests/conftest.py", path], 1000.0)
    return path, 0 if code == 5 else code


def _run(tests: list[str], seconds: float) -> int:
    """Run tests in a fork and return its exit, negative if it did not end in time; what it started is ended too."""
    process = os.fork()
    if not process:
        _run_here(tests)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return -signal.SIGKILL


def _run_here(tests: list[str]) -> Never:
    """Run tests in this process, with the copy of the package for the tree, and end."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("negstats", "tests")]:
        del sys.modules[name]
    sys.path[:] = [str(Path.cwd()), *(one for one in sys.path if one not in ("", str(ROOT)))]
    sys.dont_write_bytecode = True
    os.environ |= {"PYTHONPATH": str(Path.cwd()), "CI": "true", "PYTHONDONTWRITEBYTECODE": "1"}
    options = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--assert=plain", "--hypothesis-profile=mutation"]
    code = 3
    try:
        code = int(pytest.main([*options, *MARKS, "--doctest-modules", *tests]))
    finally:
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
