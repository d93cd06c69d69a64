"""The cells of a question as results.json holds them: n with mean, SD and interval, or counts with shares."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from negstats import stats
from negstats.analysis.questions.design import Design
from negstats.analysis.questions.selection import Selection
from negstats.stats.results.intervals import quantile
from negstats.stats.results.numbers import number

ANSWERS = ("ordered", "nominal")  # kinds of which each value is counted
NO_INTERVAL = "fewer than two values, or all equal"


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


def entry(
    summary: Cell, design: Design, asked: Selection, confidence_level: float, scores: Sequence[float] = ()
) -> dict[str, Any]:
    """Return a cell as results.json holds it.

    Parameters
    ----------
    summary
        What its values are.
    design, asked
        The question's design and rows.
    confidence_level
        Of the intervals. Where rows of a unit are related these go by unit: the units' summed residuals give the error
        of a mean, and a share's interval is Wilson's at the size that has this error.
    scores
        Of ordered answers that are not words, which there are in any cell.
    """
    kind = asked.kind if design.features.kind == asked.kind else design.features.kind
    n, mean, of_rows = summary.n, summary.mean, design.features.of_rows
    words = {float(place): word for place, word in enumerate(asked.words, start=1)}
    if kind == "nominal":
        return {"n": n, "answers": {word: summary.times.get(place, 0) for place, word in words.items()}}
    ends = _share(summary, confidence_level, of_rows=of_rows) if kind == "yes/no" else _mean(summary, confidence_level)
    interval: dict[str, Any] = {"low": None, "high": None, "why": dict.fromkeys(("low", "high"), NO_INTERVAL)}
    if ends is not None:
        interval = {"low": number(ends[0]), "high": number(ends[1])}
    if kind == "yes/no":
        return {"n": n, "count": round(mean * n) if n else 0, "share": number(mean) if n else None, **interval}
    cell: dict[str, Any] = {"n": n, "mean": number(mean) if n else None, "sd": number(summary.sd), **interval}
    if kind == "ordered":
        names = words or {score: f"{score:g}" for score in scores}
        cell["answers"] = {word: summary.times.get(place, 0) for place, word in names.items()}
    return cell


def _mean(cell: Cell, confidence_level: float) -> tuple[float, float] | None:
    """Return the t interval of a mean; of related rows from the units' summed residuals."""
    if cell.units < 2:
        return None
    if cell.units == cell.n:
        if not cell.sd > 0:
            return None
        single_cell = stats.Cells.from_table(n=cell.n, mean=cell.mean, sd=cell.sd)
        ends = stats.one_sample_t(single_cell).confidence_interval(confidence_level)
        return float(ends.low), float(ends.high)
    reach = float(quantile(confidence_level, cell.units - 1)) * cell.error
    return (cell.mean - reach, cell.mean + reach) if cell.error > 0 else None


def _share(cell: Cell, confidence_level: float, *, of_rows: bool) -> tuple[float, float] | None:
    """Return Wilson's interval of a share; of related rows at the size that has the error by unit."""
    n, share = cell.n, cell.mean
    if not n:
        return None
    if not of_rows:
        ends = stats.proportion(round(share * n), n).confidence_interval(confidence_level)
        return float(ends.low), float(ends.high)
    error = cell.error if cell.units > 1 else 0.0
    if not error > 0:
        return None
    from negstats.stats.counts.proportions import wilson  # a description of a study needs no interval

    size = share * (1 - share) / error**2
    critical = float(quantile(confidence_level, cell.units - 1))
    low, high = wilson(np.asarray(share * size), np.asarray(size), critical)
    return float(low), float(high)
