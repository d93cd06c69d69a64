"""What the tests hold against R and other programs: each comparison with a number of `tests/reference`, by function.

The build of the site calls `run`: the tests that load a reference are run, and a comparison is counted where
`pytest.approx` or `numpy.testing.assert_allclose` meets a number of six digits or more that stands in the JSON which
the test's file has loaded (its sign may be turned). A comparison counts for each public function that its test calls.
"""

from __future__ import annotations

import ast
import inspect
import json
import math
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

__all__ = ["functions_of", "known", "run", "start", "summary", "written_by"]

ROOT = Path(__file__).resolve().parent.parent

HELD = "NEGSTATS_HELD"
DIGITS = 6  # fewer may be chance: 0.05 stands in many files
TINY = 1e-10  # what is smaller is often 0 but for rounding, and held by an absolute bound

# file of tests: number: its reference; and comparisons: reference, number, test: the largest relative error
_LOADED: dict[str, dict[float, str]] = {}
_FOUND: dict[tuple[str, float, str], float] = {}


def _leaves(data: Any) -> Iterator[float]:
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, list):
        for one in data:
            yield from _leaves(one)
    elif isinstance(data, float) and len(f"{abs(data):.15g}".split("e")[0].replace(".", "").strip("0")) >= DIGITS:
        yield abs(data)


def known(name: str, data: Any, file: str) -> None:
    """Keep which numbers a file of tests has loaded."""
    if os.environ.get(HELD):
        place = Path(file).resolve().relative_to(ROOT).as_posix()
        _LOADED.setdefault(place, {}).update(dict.fromkeys(_leaves(data), name))


def _compared(actual: Any, expected: Any) -> None:
    file, _, name = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")
    test, numbers = name.split(" ")[0].split("[")[0], _LOADED.get(file)
    if not numbers:
        return
    try:
        actual, expected = np.broadcast_arrays(np.asarray(actual, dtype=float), np.asarray(expected, dtype=float))
    except (TypeError, ValueError):
        return
    for ours, theirs in zip(actual.ravel().tolist(), expected.ravel().tolist(), strict=True):
        reference = numbers.get(abs(theirs))
        if reference is not None and math.isfinite(ours):
            place = reference, abs(theirs), f"{file}::{test}"
            _FOUND[place] = max(abs(ours - theirs) / abs(theirs), _FOUND.get(place, 0.0))


def start() -> None:
    """Listen to the two ways in which tests compare numbers."""
    approx: Any = type(pytest.approx(1.0))  # its module has moved between versions of pytest
    scalar, close = approx.__eq__, np.testing.assert_allclose

    def equal(self: Any, actual: Any) -> bool:
        held = bool(scalar(self, actual))
        if held:
            _compared(actual, self.expected)
        return held

    def allclose(actual: Any, desired: Any, *given: Any, **more: Any) -> None:
        close(actual, desired, *given, **more)
        _compared(actual, desired)

    approx.__eq__ = equal
    np.testing.assert_allclose = allclose


def write() -> None:
    """Append what this process has found to the file that NEGSTATS_HELD names."""
    rows = [{"reference": name, "value": value, "test": test, "error": e} for (name, value, test), e in _FOUND.items()]
    with Path(os.environ[HELD]).open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(row) + "\n" for row in rows))


@cache
def _public() -> frozenset[str]:
    from negstats import stats
    from negstats.games import normal_form
    from negstats.stats import power

    rooms = (stats, power, normal_form)
    return frozenset(n for room in rooms for n in room.__all__ if inspect.isfunction(getattr(room, n)))


@cache
def _functions(file: Path) -> dict[str, ast.FunctionDef]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@cache
def functions_of(test: str) -> tuple[str, ...]:
    """Return the public functions that a test calls, itself or through helpers of its file.

    Examples
    --------
    >>> "one_way" in functions_of("tests/stats/means/test_t_tests.py::test_one_way_and_equal_variances_agree_with_r")
    True
    """
    file, _, name = test.partition("::")
    helpers, names, open_names = _functions(ROOT / file), set[str](), [name.split("::")[-1]]
    seen = set(open_names)
    while open_names:
        node = helpers.get(open_names.pop())
        for part in ast.walk(node) if node is not None else ():
            word = part.attr if isinstance(part, ast.Attribute) else part.id if isinstance(part, ast.Name) else ""
            if word in helpers and word not in seen:
                seen.add(word)
                open_names.append(word)
            elif word in _public():
                names.add(word)
    return tuple(sorted(names))


def summary(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return for each function how many numbers were met, and by how much ours differ in the median and at worst.

    Numbers below `TINY` are counted apart. `worst_in` is the reference of the worst error, `references` are all.

    Examples
    --------
    >>> test = "tests/stats/means/test_t_tests.py::test_one_way_and_equal_variances_agree_with_r"
    >>> rows = summary([{"reference": "means", "value": 2.5, "error": 1e-12, "test": test}])
    >>> [(row["function"], row["numbers"], row["worst"]) for row in rows if row["function"] == "one_way"]
    [('one_way', 1, 1e-12)]
    """
    errors: defaultdict[str, dict[tuple[str, float], float]] = defaultdict(dict)
    for row in rows:
        for function in functions_of(row["test"]):
            place = row["reference"], row["value"]
            errors[function][place] = max(row["error"], errors[function].get(place, 0.0))
    found = {name: {place: e for place, e in of.items() if place[1] >= TINY} for name, of in sorted(errors.items())}
    return [
        {
            "function": name,
            "references": sorted({reference for reference, _ in errors[name]}),
            "numbers": len(errors[name]),
            "tiny": len(errors[name]) - len(held),
            "median": float(np.median(list(held.values()))),
            "worst": max(held.values()),
            "worst_in": max(held, key=lambda place: held[place])[0],
        }
        for name, held in found.items()
        if held
    ]


def written_by(reference: str) -> str:
    """Return the programs, with their versions, that wrote the numbers of a reference.

    Examples
    --------
    >>> written_by("means")
    'R 4.2.2, car 3.1-1, effectsize 0.8.3'
    """
    folder = ROOT / "tests" / "reference"
    script = folder / f"{reference}.R"
    if script.is_file():
        lines = script.read_text(encoding="utf-8").splitlines()
        return next(line for line in lines if line.startswith("# Programs: ")).removeprefix("# Programs: ").rstrip(".")
    text = (folder / f"{reference}_games.py").read_text(encoding="utf-8")
    return text.partition(" by ")[2].partition(",")[0]


def files() -> list[str]:
    """Return the files of tests that load a reference."""
    tests = sorted(file for room in ("stats", "games") for file in (ROOT / "tests" / room).rglob("test_*.py"))
    return [str(file) for file in tests if 'reference("' in file.read_text(encoding="utf-8")]


def run(tests: Sequence[str], found: Path, *, few: bool = False) -> list[dict[str, Any]]:
    """Run tests, and return each comparison with a number of a reference; raises RuntimeError if a test fails.

    All that compare are run but for simulations, or a few, as in the default tier.
    """
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not (slow or nightly)" if few else "not calibration"]
    words = [sys.executable, "-m", "pytest", *options, *tests]
    found.unlink(missing_ok=True)
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, HELD: str(found), "CI": "true"},
    )
    if done.returncode:
        raise RuntimeError(f"the numbers of tests/reference do not hold:\n{done.stdout[-4000:]}{done.stderr[-2000:]}")
    return [json.loads(line) for line in found.read_text(encoding="utf-8").splitlines()]
