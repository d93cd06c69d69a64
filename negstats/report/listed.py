"""The tables of a report, and its numbers: estimates with their intervals, cells, tests, families, flow."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from negstats.plain import line
from negstats.report.named import CORRECTIONS, NAME, ROLES, SENTENCE, method_name
from negstats.stats.results import apa

__all__ = [
    "FLOW",
    "QUALITY",
    "cells_table",
    "estimate",
    "families_table",
    "level_text",
    "records",
    "tests_table",
]


def level_text(plan: Any, factor: str, level: object) -> str:
    """Return a level as the plan labels it."""
    labels = plan.factors[factor].labels if factor in plan.factors else {}
    return line(labels.get(str(level), level), NAME)


def estimate(found: Mapping[str, Any] | None, name: str, unit: str = "") -> str:
    """Return an estimate with its interval; the interval's width keeps two figures.

    Examples
    --------
    >>> estimate({"value": 0.022348, "low": 0.004209, "high": 0.040488, "level": 0.95}, "CL − FC", "points")
    'CL − FC = 0.022 points, 95% CI [0.004, 0.040]'
    """
    if not found or found.get("value") is None:
        return ""
    value, low, high = found["value"], found.get("low"), found.get("high")
    digits = _digits(value, low, high)
    unit = "" if unit in ("", "1 or 0") else f" {unit}"
    told = f"{name} = {apa.number(value, digits)}{unit}"
    if low is None and high is None:
        return told
    ends = (-math.inf if low is None else low, math.inf if high is None else high)
    return f"{told}, {100 * found['level']:g}% CI [{apa.number(ends[0], digits)}, {apa.number(ends[1], digits)}]"


def _digits(value: float, low: float | None, high: float | None) -> int:
    width = high - low if low is not None and high is not None else abs(value) / 5
    if not math.isfinite(width) or width <= 0:
        return 2
    return 0 if width >= 1000 else max(2, min(6, 1 - math.floor(math.log10(width))))


FLOW = {
    "rule": "rule",
    "reason": "reason",
    "games": "games",
    "people": "people",
    "seats": "seats",
    "also": "also by another rule",
}
QUALITY = {"what": "what", "count": "count", "of": "of"}


def records(rows: Sequence[Mapping[str, Any]] | None, names: Mapping[str, str]) -> pd.DataFrame:
    """Return a table of plain records: the named columns first, then what else they have."""
    rows = rows or []
    keys = [
        *(key for key in names if any(key in row for row in rows)),
        *dict.fromkeys(key for row in rows for key in row if key not in names),
    ]
    columns = {names.get(key, str(key).replace("_", " ")): [_cell(row.get(key)) for row in rows] for key in keys}
    return pd.DataFrame(columns) if rows else pd.DataFrame(columns=list(columns))


def _cell(value: object) -> object:
    if isinstance(value, (list, tuple)):
        return line(", ".join(map(str, value)), SENTENCE)
    return line(value, SENTENCE) if isinstance(value, str) else value


def cells_table(entry: Mapping[str, Any], plan: Any) -> pd.DataFrame:
    """Return a row a cell: its levels, n, mean and SD or count and share, and the interval."""
    rows = []
    for cell in entry.get("cells") or ():
        row: dict[str, object] = {line(name, NAME): level_text(plan, name, at) for name, at in cell["levels"].items()}
        row |= {key: cell[key] for key in ("n", "mean", "sd", "count", "share") if key in cell}
        row |= {key: cell.get(key) for key in ("low", "high")}
        rows.append(row)
    table = pd.DataFrame(rows)
    return table.drop(columns=[name for name in ("low", "high") if name in table and table[name].isna().all()])


def tests_table(entry: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row a test: its role, term, name, result, estimate and corrected p; empty columns are left out."""
    rows, alike = [], Counter((test["method"], _term_of(test)) for test in entry["tests"])
    for test in entry["tests"]:
        part, term = test["address"].partition("#")[2], _term_of(test)
        if part and test["role"] == "follow-up":
            term = part
        elif part and alike[test["method"], term] > 1:
            term = f"{term}, {part}" if term else part
        adjusted = "" if test.get("p_adjusted") is None else apa.p_value(test["p_adjusted"])
        rows.append(
            {
                "role": ROLES.get(test["role"], line(test["role"], NAME)),
                "term": line(term, NAME),
                "test": method_name(test["method"]),
                "result": line(test["apa"], SENTENCE),
                "estimate": estimate(
                    test.get("estimate"), line((test.get("estimate") or {}).get("name", ""), NAME).replace("_", " ")
                ),
                "corrected": adjusted,
            }
        )
    frame = pd.DataFrame(rows, columns=["role", "term", "test", "result", "estimate", "corrected"])
    return frame.drop(columns=[name for name in ("term", "estimate", "corrected") if (frame[name] == "").all()])


def _term_of(test: Mapping[str, Any]) -> str:
    """Return the term in a test's address: "a:b" of "H1/a:b#cluster"."""
    return str(test["address"].partition("#")[0].partition("/")[2])


def families_table(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row a member of a family: its question, p and corrected p."""
    tests = {test["address"]: (entry, test) for entry in results["questions"] for test in entry["tests"]}
    rows = []
    for family in results.get("families") or ():
        for member in family["members"]:
            address = member["address"] if isinstance(member, Mapping) else str(member)
            entry, test = tests.get(address, ({"id": address.partition("/")[0]}, {}))
            p = [None if test.get(key) is None else apa.p_value(test[key]) for key in ("p", "p_adjusted")]
            correction = CORRECTIONS.get(family["correction"], line(family["correction"], NAME))
            rows.append([line(family["id"], NAME), correction, line(address, NAME), line(entry["id"], NAME), *p])
    return pd.DataFrame(rows, columns=["family", "correction", "member", "question", "uncorrected", "corrected"])
