"""What figures say of results: levels as the plan labels them, estimates with their intervals, the table of cells."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from negstats.report.labels import NAME
from negstats.sanitize import line
from negstats.stats.results import apa

WHOLE = re.compile(r"-?\d+\.0")


def level_text(plan: Any, factor: str, level: object) -> str:
    """Return a level as the plan labels it, and a whole number without its decimals."""
    labels = plan.factors[factor].labels if factor in plan.factors else {}
    text = str(level)
    return line(labels.get(text, text.removesuffix(".0") if WHOLE.fullmatch(text) else text), NAME)


def estimate(quantity: Mapping[str, Any] | None, name: str, unit: str = "") -> str:
    """Return an estimate with its interval; the interval's width keeps two figures.

    Examples
    --------
    >>> estimate({"value": 0.022348, "low": 0.004209, "high": 0.040488, "level": 0.95}, "CL − FC", "points")
    'CL − FC = 0.022 points, 95% CI [0.004, 0.040]'
    """
    if not quantity or quantity.get("value") is None:
        return ""
    value, low, high = quantity["value"], quantity.get("low"), quantity.get("high")
    digits = _digits(value, low, high)
    unit = "" if unit in ("", "1 or 0") else f" {unit}"
    text = f"{name} = {apa.number(value, digits)}{unit}"
    if low is None and high is None:
        return text
    ends = (-math.inf if low is None else low, math.inf if high is None else high)
    return f"{text}, {100 * quantity['level']:g}% CI [{apa.number(ends[0], digits)}, {apa.number(ends[1], digits)}]"


def _digits(value: float, low: float | None, high: float | None) -> int:
    width = high - low if low is not None and high is not None else abs(value) / 5
    if not math.isfinite(width) or width <= 0:
        return 2
    return 0 if width >= 1000 else max(2, min(6, 1 - math.floor(math.log10(width))))


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
