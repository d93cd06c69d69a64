"""Outcomes that are compared over the same two levels: a table with a row for each, with two-sided tests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scipy.special import stdtr

from negstats.stats.results.intervals import quantile

METHODS = {"within": ("paired", "equivalence"), "between": ("welch", "equivalence")}


def outcomes_of(entries: Sequence[Mapping[str, Any]], level: float) -> list[dict[str, Any]]:
    """Return the questions that share a factor of two levels and a kind of *t* test, as groups.

    Parameters
    ----------
    entries
        The questions of ``results.json``.
    level
        Confidence level of the intervals.

    Returns
    -------
    list of dict
        Factor, levels, where the factor lies, and a row a question: the difference with its interval, t, df and p of a
        two-sided test, which follow from the interval and df of the planned one. Groups of one are none.
    """
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for entry in entries:
        row = _row_of(entry, level)
        if row is not None:
            (factor,) = entry["design"]["factors"]
            key = (entry["explored"], factor["name"], factor["lies"], entry["design"]["units"], *factor["levels"])
            groups.setdefault(key, []).append(row)
    return [
        {"factor": name, "lies": place, "units": units, "levels": list(levels), "rows": rows}
        for (_, name, place, units, *levels), rows in groups.items()
        if len(rows) > 1
    ]


def _row_of(entry: Mapping[str, Any], level: float) -> dict[str, Any] | None:
    """Return the row of a question; None of one that is no *t* test of two means."""
    factors = list(entry["design"]["factors"])
    answers = [test for test in entry["tests"] if test["role"] == "answer"]
    if len(answers) != 1 or len(factors) != 1 or len(factors[0]["levels"]) != 2:
        return None
    test, factor = answers[0], factors[0]
    if test["method"] not in METHODS.get(factor["lies"], ()) or not _has_means(entry["cells"]):
        return None
    tested = _two_sided(test, level)
    return None if tested is None else {"question": entry["id"], **tested}


def _has_means(cells: Sequence[Mapping[str, Any]]) -> bool:
    return len(cells) == 2 and all(cell.get("mean") is not None and cell.get("sd") is not None for cell in cells)


def _two_sided(test: Mapping[str, Any], level: float) -> dict[str, Any] | None:
    """Return the two-sided test of a difference from its interval; None where there is none of *t*."""
    estimate, df = test.get("estimate") or {}, [number for number in test["df"] if number is not None]
    ends: list[Any] = [estimate.get(name) for name in ("value", "low", "high", "level")]
    if estimate.get("name") != "difference" or len(df) != 1 or not all(_finite(ends)):
        return None
    value, low, high, own_level = map(float, ends)
    error = (high - low) / (2 * float(quantile(own_level, df[0])))
    if not error > 0 or not math.isclose(low + high, 2 * value, rel_tol=1e-6, abs_tol=1e-6 * error):
        return None
    t = value / error
    is_of_zero = test["method"] == "equivalence" or math.isclose(t, test["statistic"], rel_tol=1e-6, abs_tol=1e-6)
    if not is_of_zero:  # another value than 0 was tested
        return None
    half = float(quantile(level, df[0])) * error
    return {
        "estimate": {"name": "difference", "value": value, "low": value - half, "high": value + half, "level": level},
        "t": t,
        "df": float(df[0]),
        "p": float(2 * stdtr(df[0], -abs(t))),
    }


def _finite(numbers: Sequence[Any]) -> Iterator[bool]:
    yield from (isinstance(number, (int, float)) and math.isfinite(number) for number in numbers)
