"""Bootstrap intervals: how a statistic varies when units are drawn again from those that were observed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.resampling._arrangements import ELEMENTS, blocks, counted, drawn
from negstats.stats.resampling.statistics import TIE, Of, Statistic, numbers_of, prepared, statistic_of
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice, check_count, check_rng
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries.coerce import By
from negstats.stats.summaries.rows import IntArray, Rows, Summary

__all__ = ["Bootstrap", "bootstrap_interval"]

Method: TypeAlias = Literal["bca", "percentile"]
METHODS = {"bca": "BCa bootstrap", "percentile": "percentile bootstrap"}


@dataclass(frozen=True, slots=True, repr=False)
class Bootstrap(Result):
    """A statistic and how it varies over samples that were drawn again from the data.

    Attributes
    ----------
    estimate : float
        The statistic of the data as they are.
    se, bias : float
        Standard deviation of the resamples' statistics; their mean less the estimate.
    name : str
        What the statistic is.
    interval : Interval
        At the level and by the method that were asked for; `confidence_interval` gives others.
    n_resamples : int
        How many gave a statistic.
    undefined : int
        How many did not; they are left out.
    unit : str
        What was drawn: "rows" or whole "clusters".
    units : int
        How many there are. They are taken as independent of each other.
    rows : int
        Rows behind them.
    cluster, strata : str
        Names of the columns of clusters and strata; empty without.
    outcome : str
    missing : int
        Rows that were left out because a value was missing.
    acceleration : float
        By how much the statistic's standard error changes with it; NaN if only percentiles were asked for.
    distribution : ndarray, shape (resamples,)
        The statistic of each resample.
    """

    estimate: float
    se: float
    bias: float
    name: str
    interval: Interval
    n_resamples: int
    undefined: int
    unit: Literal["rows", "clusters"]
    units: int
    rows: int
    cluster: str
    strata: str
    outcome: str
    missing: int
    acceleration: float
    distribution: FloatArray = field(repr=False, compare=False)

    def confidence_interval(self, confidence_level: float = 0.95, method: Method | None = None) -> Interval:
        """Return the interval of another level, or by another method, from the same resamples."""
        return _interval(
            self.distribution, self.estimate, self.acceleration, confidence_level, method or _method(self.acceleration)
        )

    def apa(self) -> str:
        """Return such as ``mean difference = 3.00, 95% CI [1.20, 4.70] (BCa bootstrap, 9,999 resamples of ...)``."""
        low, high = (apa.number(end) for end in (self.interval.low, self.interval.high))
        units = f"{self.units:,} whole clusters ({self.cluster})" if self.cluster else f"{self.units:,} rows"
        how = f"{self.interval.method}, {self.n_resamples:,} resamples of {units}"
        percent = f"{100 * self.interval.confidence_level:g}%"
        return f"{self.name} = {apa.number(self.estimate)}, {percent} CI [{low}, {high}] ({how})"


def bootstrap_interval(
    data: Any,
    outcome: str | None = None,
    by: By = None,
    statistic: str | Of = "mean difference",
    *,
    rng: np.random.Generator,
    summary: Summary = "cells",
    strata: By = None,
    cluster: By = None,
    confidence_level: float = 0.95,
    method: Method = "bca",
    levels: Sequence[object] | None = None,
    n_resamples: int = 9999,
) -> Bootstrap:
    """Return the bootstrap interval of any statistic of a summary.

    Rows are drawn with replacement, inside each cell of `by` (and each stratum), so that the cells keep their n. Rows
    of one game or person are not independent: with `cluster` whole clusters are drawn, those of one label among
    themselves if each has one label, else from all of the stratum; n of the cells then varies.

    Parameters
    ----------
    data, outcome, by, statistic, summary, strata, cluster, levels, rng
        As in `permutation_test`. Without `by` "mean" and "median" are statistics too, and `data` may be one sample.
    confidence_level
        The confidence.
    method
        "percentile": the quantiles of the resamples' statistics. "bca": corrected for bias and for a standard error
        that changes with the statistic; it leaves out each unit once, so its cost grows with their square.
    n_resamples
        How many samples are drawn.

    Raises
    ------
    DesignError
        If an argument does not fit, a column is not there, or a cluster lies in several strata.
    NotEstimable
        If the statistic is not defined for the data or, with "bca", for the data without some unit, or all resamples
        lie on one side of the estimate.

    Notes
    -----
    Efron (1987), Journal of the American Statistical Association 82, 171-185; the acceleration of several samples adds
    their parts (Davison and Hinkley, 1997, Bootstrap Methods and their Application, sec. 5.3.2), as in scipy. In small
    samples intervals are too narrow. Those of 95 % for the difference of two means cover in 92 % of samples with 15
    normal values a group and in 94 % with 40; with 15 lognormal values "bca" covers in 86 %, "percentile" in 91 %.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> samples = {"fair": [5, 7, 6, 9, 8], "selfish": [3, 5, 4, 4]}
    >>> print(bootstrap_interval(samples, rng=rng).apa())
    mean difference = 3.00, 95% CI [1.60, 4.35] (BCa bootstrap, 9,999 resamples of 9 rows)
    """
    check_rng(rng)
    check_choice("method", method, tuple(METHODS))
    check_level(confidence_level)
    n_resamples = check_count("n_resamples", n_resamples, 2)
    chosen = statistic_of(statistic, summary)
    rows = prepared(Rows.of(data, outcome, by, chosen.summary, strata, cluster), chosen, levels, "bootstrap_interval")
    block, of_row = _drawn_from(rows)
    _check_units(rows, block, of_row)
    portion = max(1, ELEMENTS // len(rows))
    estimate = float(_each(rows, chosen, iter([np.ones((1, len(block)))]), of_row)[0])
    if not np.isfinite(estimate):
        raise NotEstimable(f"the statistic {chosen.name!r} is not defined for these data")
    draws = drawn(block, n_resamples, portion, rng)
    if chosen.summary == "cells" and not (rows.clusters or rows.strata):  # each cell is one block of rows
        found = np.concatenate([numbers_of(chosen, rows.redrawn(part), len(part[0][1])) for part in draws])
    else:
        found = _each(rows, chosen, (counted(part, len(block)) for part in draws), of_row)
    found, undefined = found[np.isfinite(found)], int((~np.isfinite(found)).sum())
    if len(found) < 2:
        raise NotEstimable(f"the statistic {chosen.name!r} is defined in {len(found)} of {n_resamples} resamples only")
    a = _acceleration(rows, chosen, block, of_row, portion) if method == "bca" else np.nan
    return Bootstrap(
        estimate=estimate,
        se=float(found.std(ddof=1)),
        bias=float(found.mean()) - estimate,
        name=chosen.name,
        interval=_interval(found, estimate, a, confidence_level, method),
        n_resamples=len(found),
        undefined=undefined,
        unit="clusters" if rows.clusters else "rows",
        units=len(block),
        rows=len(rows),
        cluster=rows.clusters,
        strata=rows.strata,
        outcome=rows.outcome,
        missing=rows.missing,
        acceleration=a,
        distribution=found,
    )


def _drawn_from(rows: Rows) -> tuple[IntArray, IntArray]:
    """Return the block that each unit is drawn from, and the unit of each row."""
    if not rows.clusters:
        return rows.stratum * rows.cells + rows.cell, np.arange(len(rows))
    stratum, cell = rows.cluster_strata, rows.shared(rows.cell)
    _, of_row = np.unique(rows.cluster, return_inverse=True)
    return stratum if cell is None else stratum * rows.cells + cell, of_row


def _check_units(rows: Rows, block: IntArray, of_row: IntArray) -> None:
    """Raise NotEstimable if a cell is the same in every resample: all its units are alone in their block."""
    alone = np.bincount(block)[block] == 1
    still = np.ones(rows.cells, dtype=bool)
    np.logical_and.at(still, rows.cell, alone[of_row])
    there = np.bincount(rows.cell, minlength=rows.cells) > 0
    if (still & there).any():
        cell = np.unravel_index(int((still & there).argmax()), tuple(len(factor) for factor in rows.factors) or (1,))
        name = ", ".join(f"{f.name} = {f.levels[code]!r}" for f, code in zip(rows.factors, cell, strict=False))
        what = f"cluster of {rows.clusters!r}" if rows.clusters else "row"
        raise NotEstimable(
            f"one {what} is all there is to draw from {'with ' + name if name else 'in the data'}"
            f"{' in each stratum' if rows.strata else ''}: it does not vary from resample to resample"
        )


def _each(rows: Rows, statistic: Statistic, times: Iterator[FloatArray], of_row: IntArray) -> FloatArray:
    """Return the statistic of each resample, given how often each unit is in it."""
    found = []
    alone = np.array_equal(of_row, np.arange(len(of_row)))  # each row a unit of its own: nothing to hand out
    for weight in times:
        stack = rows.summarized(rows.cell[None, :], weight if alone else weight[:, of_row], statistic.summary)
        found.append(numbers_of(statistic, stack, len(weight)))
    return np.concatenate(found)


def _acceleration(rows: Rows, statistic: Statistic, block: IntArray, of_row: IntArray, portion: int) -> float:
    """Return the acceleration, from the statistic without each unit of each block that has several."""
    without = np.full(len(block), np.nan)
    several = np.concatenate([places.ravel() for places in blocks(block) if places.shape[1] > 1] or [np.empty(0, int)])

    def left_out() -> Iterator[FloatArray]:
        for start in range(0, len(several), portion):
            chosen = several[start : start + portion]
            weight = np.ones((len(chosen), len(block)))
            weight[np.arange(len(chosen)), chosen] = 0.0
            yield weight

    if len(several):
        without[several] = _each(rows, statistic, left_out(), of_row)
    if not np.all(np.isfinite(without[several])):
        raise NotEstimable(
            f"the statistic {statistic.name!r} is not defined without some unit, as BCa asks; give method='percentile'"
        )
    cubes = squares = 0.0
    for places in blocks(block):
        size = places.shape[1]
        if size > 1:
            each = without[places]
            influence = (size - 1) / size * (each.mean(axis=1, keepdims=True) - each)
            cubes += float((influence**3).sum())
            squares += float((influence**2).sum())
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


def _method(acceleration: float) -> Method:
    return "percentile" if np.isnan(acceleration) else "bca"


def _interval(
    found: FloatArray, estimate: float, acceleration: float, confidence_level: float, method: Method
) -> Interval:
    check_choice("method", method, tuple(METHODS))
    outside = (1 - check_level(confidence_level)) / 2
    areas = np.array([outside, 1 - outside])
    if method == "bca":
        if np.isnan(acceleration):
            raise DesignError("these resamples were drawn for percentiles; give method='bca' to bootstrap_interval")
        slack = TIE * np.abs(found).max()
        below = ((found < estimate - slack).mean() + (found <= estimate + slack).mean()) / 2
        if below in (0.0, 1.0):
            raise NotEstimable("all resamples lie on one side of the estimate; give method='percentile'")
        z0, z = special.ndtri(below), special.ndtri(areas)
        areas = special.ndtr(z0 + (z0 + z) / (1 - acceleration * (z0 + z)))
    low, high = np.quantile(found, areas)
    return Interval(float(low), float(high), confidence_level, METHODS[method])
