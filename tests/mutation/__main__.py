"""Change places of the statistics one at a time, drawn by a seed, and say which changes no test notices.

    python -m tests.mutation SEED N [--of negstats/stats/counts/matched.py ...] [--workers 2] [--seconds 120]

Each change is made in a copy of the package; the tests that mirror the file are run until one fails. What takes longer
than the time allowed (an endless loop, or slow tests on a busy machine) is listed, and counted neither way.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutation.changes import Change, changed, changes_of

ROOT = Path(__file__).resolve().parents[2]
NOTICED, SURVIVED = "noticed", "SURVIVED"
PACKAGES = ("negstats/stats", "negstats/metrics", "negstats/estimate")


def main() -> int:
    """Run the command; the exit is 1 if fewer than 95 % were noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("n", type=int)
    parser.add_argument("--of", nargs="*", default=list(PACKAGES), help="files or folders of the package")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=120.0, help="for the tests of one change")
    given = parser.parse_args()
    files = sorted(
        path for one in given.of for path in ([ROOT / one] if one.endswith(".py") else (ROOT / one).rglob("*.py"))
    )
    every = [(path.relative_to(ROOT), change) for path in files for change in changes_of(path.read_text("utf-8"))]
    drawn = random.Random(given.seed).sample(every, min(given.n, len(every)))  # noqa: S311 - no secret
    copies: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.workers) as pool:
        for place in range(given.workers):
            copies.put(_copy(Path(folder) / str(place)))
        outcomes = []
        for line, outcome in pool.map(lambda one: _try(one[0], one[1], copies, given.seconds), drawn):
            outcomes.append(outcome)
            print(line, flush=True)
    noticed, survived = outcomes.count(NOTICED), outcomes.count(SURVIVED)
    share = noticed / max(noticed + survived, 1)
    rest = len(outcomes) - noticed - survived
    print(
        f"{len(drawn)} of {len(every)} changes (seed {given.seed}): {noticed} noticed, {survived} survived "
        f"({share:.1%} noticed), {rest} undecided"
    )
    return int(share < 0.95)


def _copy(folder: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
    for name in ("negstats", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder / "pyproject.toml")
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
    chosen = dict.fromkeys([*([ROOT / own] if (ROOT / own).exists() else []), *naming])
    return [str(one.relative_to(ROOT)) for one in chosen or dict.fromkeys(tests)]


def _public(path: Path) -> list[str]:
    text = (ROOT / path).read_text("utf-8")
    _, _, rest = text.partition("__all__ = [")
    return [word.strip().strip('"') for word in rest.partition("]")[0].split(",") if word.strip()]


def _try(path: Path, change: Change, copies: SimpleQueue[Path], seconds: float) -> tuple[str, str]:
    """Return a line about what happened to a change, and its outcome."""
    folder = copies.get()
    target = folder / path
    text = (ROOT / path).read_text("utf-8")
    target.write_text(changed(text, change), "utf-8")
    environment = os.environ | {"PYTHONPATH": str(folder), "CI": "true", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--no-header"]
    command += ["-m", "not calibration", "--doctest-modules", str(path), *mirrors(path)]
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=seconds, check=False)
        outcome = {0: SURVIVED, 1: NOTICED, 2: NOTICED}.get(done.returncode, f"exit {done.returncode}")
    except subprocess.TimeoutExpired:
        outcome = "out of time"
    finally:
        target.write_text(text, "utf-8")
        copies.put(folder)
    source = text.splitlines()[change.line - 1].strip()
    said = f"{outcome:11} {path}:{change.line} {change.before!r} -> {change.after!r}: {source[:90]}"
    return said, outcome


if __name__ == "__main__":
    sys.exit(main())
