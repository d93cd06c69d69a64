"""The cells of a question as results.json holds them: n with mean, SD and interval, or counts with shares."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from negstats import stats
from negstats.analysis.methods.test_record import number
from negstats.analysis.questions.design import Design
from negstats.analysis.questions.selection import Selection
from negstats.stats.counts.proportions import wilson

__all__ = ["ANSWERS", "Cell", "cells_of", "combinations", "entry", "tested"]

ANSWERS = ("ordered", "nominal")  # kinds of which each value is counted
NO_INTERVAL = "too few units, or values that do not vary"


@dataclass(frozen=True, slots=True)
class Cell:
    """What of a cell's values its entry is made of.

    Attributes
    ----------
    n : int
        Values.
    mean, sd : float
        NaN where there are none, or one.
    units : int
        Units that they are of.
    squares : float
        The sum over units of the square of their summed residuals; of related rows it gives the error of a mean.
    times : Mapping of float to int
        Of ordered and nominal answers, how often each occurs.
    """

    n: int
    mean: float
    sd: float
    units: int
    squares: float = float("nan")
    times: Mapping[float, int] = field(default_factory=dict)

    @property
    def error(self) -> float:
        """The error of the mean by unit."""
        return float(np.sqrt(self.squares * self.units / (self.units - 1))) / self.n


def combinations(design: Design) -> Iterator[dict[str, str]]:
    """Yield each combination of levels, in the plan's order."""
    for levels in itertools.product(*design.levels.values()):
        yield dict(zip(design.levels, levels, strict=True))


def tested(values: pd.DataFrame, design: Design) -> pd.DataFrame:
    """Return the values that are tested: where factors lie within units, those of units that lack no level."""
    within = [name for name in design.levels if design.factors[name] == "within"]
    if not within or design.features.of_rows or design.features.incomplete:
        return values
    cells = int(np.prod([len(design.levels[name]) for name in within]))
    return values[values.groupby("unit", sort=False)["value"].transform("size") == cells]


def cells_of(values: pd.DataFrame, design: Design, asked: Selection, confidence_level: float) -> list[dict[str, Any]]:
    """Return one cell a combination of levels.

    Parameters
    ----------
    values
        One row a unit and level: ``unit``, the factors, ``value``.
    design, asked
        The question's design and rows.
    confidence_level
        Of the intervals. Where rows of a unit are related these go by unit: the units' summed residuals give the error
        of a mean, and a share's interval is Wilson's at the size that has this error.
    """
    inside = design.features.of_rows
    rows = asked.frame.dropna(subset=["value"]) if inside else tested(values, design)
    scores = sorted(set(asked.frame["value"].dropna())) if asked.kind == "ordered" and not asked.words else ()
    entries = []
    for names in combinations(design):
        part = rows
        for name, value in names.items():
            part = part[part[name] == value]
        found = _counted(part, inside=inside, counted=asked.kind in ANSWERS)
        entries.append({"levels": names, **entry(found, design, asked, confidence_level, scores)})
    return entries


def _counted(part: pd.DataFrame, *, inside: bool, counted: bool) -> Cell:
    values = part["value"].to_numpy(dtype=np.float64)
    n = len(values)
    mean = float(values.mean()) if n else float("nan")
    spread = float("nan") if n < 2 else float(values.std(ddof=1)) if np.ptp(values) > 0 else 0.0
    found = zip(*np.unique(values, return_counts=True), strict=True) if counted else ()
    times = {float(value): int(count) for value, count in found}
    if not inside:
        return Cell(n, mean, spread, n, times=times)
    unit = pd.factorize(part["unit"])[0]
    squares = float((np.bincount(unit, values - mean) ** 2).sum()) if n else float("nan")
    return Cell(n, mean, spread, int(unit.max()) + 1 if n else 0, squares, times)


def entry(
    found: Cell, design: Design, asked: Selection, confidence_level: float, scores: Sequence[float] = ()
) -> dict[str, Any]:
    """Return a cell as results.json holds it.

    Parameters
    ----------
    found
        What its values are.
    design, asked, confidence_level
        As in `cells_of`.
    scores
        Of ordered answers that are no words, which there are in any cell.
    """
    kind = asked.kind if design.features.kind == asked.kind else design.features.kind
    n, mean, inside = found.n, found.mean, design.features.of_rows
    words = {float(place): word for place, word in enumerate(asked.words, start=1)}
    if kind == "nominal":
        return {"n": n, "answers": {word: found.times.get(place, 0) for place, word in words.items()}}
    ends = _share(found, confidence_level, inside=inside) if kind == "yes/no" else _mean(found, confidence_level)
    between: dict[str, Any] = {"low": None, "high": None, "why": dict.fromkeys(("low", "high"), NO_INTERVAL)}
    if ends is not None:
        between = {"low": number(ends[0]), "high": number(ends[1])}
    if kind == "yes/no":
        return {"n": n, "count": round(mean * n) if n else 0, "share": number(mean) if n else None, **between}
    cell: dict[str, Any] = {"n": n, "mean": number(mean) if n else None, "sd": number(found.sd), **between}
    if kind == "ordered":
        names = words or {score: f"{score:g}" for score in scores}
        cell["answers"] = {word: found.times.get(place, 0) for place, word in names.items()}
    return cell


def _mean(found: Cell, confidence_level: float) -> tuple[float, float] | None:
    """Return the t interval of a mean; of related rows from the units' summed residuals."""
    if found.units < 2:
        return None
    if found.units == found.n:
        if not found.sd > 0:
            return None
        alone = stats.Cells.from_table(n=found.n, mean=found.mean, sd=found.sd)
        ends = stats.one_sample_t(alone).confidence_interval(confidence_level)
        return float(ends.low), float(ends.high)
    reach = float(stdtrit(found.units - 1, (1 + confidence_level) / 2)) * found.error
    return (found.mean - reach, found.mean + reach) if found.error > 0 else None


def _share(found: Cell, confidence_level: float, *, inside: bool) -> tuple[float, float] | None:
    """Return Wilson's interval of a share; of related rows at the size that has the error by unit."""
    n, share = found.n, found.mean
    if not n:
        return None
    if not inside:
        ends = stats.proportion(round(share * n), n).confidence_interval(confidence_level)
        return float(ends.low), float(ends.high)
    error = found.error if found.units > 1 else 0.0
    if not error > 0:
        return None
    size = share * (1 - share) / error**2
    low, high = wilson(
        np.asarray(share * size), np.asarray(size), float(stdtrit(found.units - 1, (1 + confidence_level) / 2))
    )
    return float(low), float(high)
