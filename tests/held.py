"""What the tests hold against R: each comparison with a number that an R script wrote, counted by family.

NEGSTATS_HELD=held.jsonl python -m pytest tests/stats tests/estimate
python -m tests.held held.jsonl

A comparison is counted where `pytest.approx` or `numpy.testing.assert_allclose` meets a number of six digits or more
that stands in the JSON of `tests/reference` that the test's file has loaded (its sign may be turned).
`docs/trust.json` gets the counts, NIST's digits and the number of damaged logs; the site's page is made from it.
"""

from __future__ import annotations

import json
import math
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

__all__ = ["known", "start", "summary"]

HELD = "NEGSTATS_HELD"
DIGITS = 6  # fewer may be chance: 0.05 stands in many files
TINY = 1e-10  # what is smaller is often 0 but for rounding, and held by an absolute bound

# file of tests: number: the references it stands in; and comparisons: reference, number: the largest relative error
_LOADED: dict[str, dict[float, str]] = {}
_FOUND: dict[tuple[str, float], float] = {}


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
        _LOADED.setdefault(Path(file).name, {}).update(dict.fromkeys(_leaves(data), name))


def _compared(actual: Any, expected: Any) -> None:
    test = os.environ.get("PYTEST_CURRENT_TEST", "").split("::")[0].split("/")[-1]
    numbers = _LOADED.get(test)
    if not numbers:
        return
    try:
        actual, expected = np.broadcast_arrays(np.asarray(actual, dtype=float), np.asarray(expected, dtype=float))
    except (TypeError, ValueError):
        return
    for ours, theirs in zip(actual.ravel().tolist(), expected.ravel().tolist(), strict=True):
        name = numbers.get(abs(theirs))
        if name is not None and math.isfinite(ours):
            error = abs(ours - theirs) / abs(theirs)
            _FOUND[name, abs(theirs)] = max(error, _FOUND.get((name, abs(theirs)), 0.0))


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
    rows = [{"reference": name, "value": value, "error": error} for (name, value), error in _FOUND.items()]
    with Path(os.environ[HELD]).open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(row) + "\n" for row in rows))


def summary(lines: list[str]) -> list[dict[str, Any]]:
    """Return for each reference how many of its numbers were met, and by how much they differ at most and mostly.

    Numbers below `TINY` are counted apart.

    Examples
    --------
    >>> summary(['{"reference": "means", "value": 2.5, "error": 1e-12}'])
    [{'reference': 'means', 'numbers': 1, 'tiny': 0, 'median': 1e-12, 'worst': 1e-12}]
    """
    errors: dict[str, dict[float, float]] = {}
    for row in map(json.loads, lines):
        of = errors.setdefault(row["reference"], {})
        of[row["value"]] = max(row["error"], of.get(row["value"], 0.0))
    found = {name: [error for value, error in of.items() if value >= TINY] for name, of in sorted(errors.items())}
    return [
        {
            "reference": name,
            "numbers": len(errors[name]),
            "tiny": len(errors[name]) - len(held),
            "median": float(np.median(held)),
            "worst": max(held),
        }
        for name, held in found.items()
        if held
    ]


def main(path: str) -> None:
    """Write `docs/trust.json`."""
    from negstats.stats import Cells, anova
    from tests.conftest import ROOT
    from tests.robustness.seeds import SEEDS
    from tests.robustness.test_damaged_logs import CASES
    from tests.stats.means.test_nist import DIGITS as SETS
    from tests.stats.means.test_nist import digits, read

    nist = []
    for name, least in SETS.items():
        frame, certified = read(name)
        found = digits(float(anova(Cells.from_frame(frame, "y", "group")).statistic[0]), certified["f"])
        nist.append({"set": name, "digits": round(found, 1), "asserted": least})
    written = {
        "machine": f"Python {platform.python_version()} on {platform.system()} {platform.machine()}",
        "held": summary(Path(path).read_text(encoding="utf-8").splitlines()),
        "nist": nist,
        "damaged": {"cases": CASES, "formats": sorted(SEEDS)},
    }
    (ROOT / "docs" / "trust.json").write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
