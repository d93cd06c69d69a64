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
from negstats.stats.summaries.frames import By, IntArray
from negstats.stats.summaries.rows import Rows, Summary


def bca_interval(
    estimates: FloatArray, estimate: float, influence: FloatArray, confidence_level: float = 0.95
) -> Interval:
    """Return the bias-corrected and accelerated interval of a statistic from its draws.

    Parameters
    ----------
    estimates
        The statistic of each draw.
    estimate
        The statistic of the data.
    influence
        How much each unit moves the statistic, up to a constant: the statistic less the one without the unit.
    confidence_level
        The confidence.

    Raises
    ------
    NotEstimable
        If all draws lie on one side of the estimate.

    Notes
    -----
    Efron (1987), Journal of the American Statistical Association 82, 171-185.

    Examples
    --------
    >>> import numpy as np
    >>> sample = np.random.default_rng(1).exponential(size=30)
    >>> draws = np.random.default_rng(2).choice(sample, (2000, 30)).mean(axis=1)
    >>> print(bca_interval(draws, sample.mean(), sample))
    95% CI [0.85, 2.18]
    """
    deviations = influence - influence.mean()
    squares = float((deviations**2).sum())
    acceleration = float((deviations**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0
    return _interval(estimates, estimate, acceleration, confidence_level, "bca")


Method: TypeAlias = Literal["bca", "percentile"]
METHODS = {"bca": "BCa bootstrap", "percentile": "percentile bootstrap"}


@dataclass(frozen=True, slots=True, repr=False)
class Bootstrap(Result):
    """A statistic with its distribution over resamples of the data.

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
        """Return the interval of another level, or by another method, from the same resamples.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        method
            "bca" or "percentile"; the method of the result by default.

        Returns
        -------
        Interval
            Its two ends, in units of the statistic.
        """
        return _interval(
            self.distribution, self.estimate, self.acceleration, confidence_level, method or _method(self.acceleration)
        )

    def apa(self) -> str:
        """Return such as ``mean difference = 3.00, 95% CI [1.20, 4.70] (BCa bootstrap, 9,999 resamples of ...)``.

        Returns
        -------
        str
            The statistic with its interval, and what was drawn again.
        """
        low, high = (apa.number(bound) for bound in (self.interval.low, self.interval.high))
        units = f"{self.units:,} whole clusters ({self.cluster})" if self.cluster else f"{self.units:,} rows"
        method_text = f"{self.interval.method}, {self.n_resamples:,} resamples of {units}"
        percent = f"{100 * self.interval.confidence_level:g}%"
        return f"{self.name} = {apa.number(self.estimate)}, {percent} CI [{low}, {high}] ({method_text})"


def _undefined_error(statistic: str, n_defined: int, n_resamples: int) -> NotEstimable:
    return NotEstimable(f"the statistic {statistic!r} is defined in {n_defined} of {n_resamples} resamples only")


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
    data
        As in `permutation_test`; it may be one sample where `by` is not given.
    outcome, by, statistic
        As in `permutation_test`. Without `by` "mean" and "median" are statistics too.
    rng, summary, strata, cluster
        As in `permutation_test`.
    confidence_level
        The confidence.
    method
        "percentile": the quantiles of the resamples' statistics. "bca": corrected for bias and for a standard error
        that changes with the statistic; it leaves out each unit once, so its cost grows with their square.
    levels
        As in `permutation_test`.
    n_resamples
        How many samples are drawn.

    Returns
    -------
    Bootstrap
        The statistic of the data with its interval, and bias and standard error over the resamples.

    Raises
    ------
    DesignError
        If an argument does not fit, a column is not there, or a cluster lies in several strata.
    NotEstimable
        If the statistic is not defined for the data or, with "bca", for the data without some unit, or all resamples
        lie on one side of the estimate.

    Notes
    -----
    The corrected interval is Efron's (1987); the acceleration of several samples adds their parts (Davison and Hinkley,
    1997, sec. 5.3.2), as in scipy. In small samples intervals are too narrow. Those of 95 % for the difference of two
    means cover in 92 % of samples with 15 normal values a group and in 94 % with 40; with 15 lognormal values "bca"
    covers in 86 %, "percentile" in 91 %.

    References
    ----------
    - Davison, A. C., & Hinkley, D. V. (1997). Bootstrap Methods and their Application. Cambridge University Press.
    - Efron, B. (1987). Better bootstrap confidence intervals. Journal of the American Statistical Association, 82,
      171–185.

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
    stat = statistic_of(statistic, summary)
    rows = prepared(Rows.of(data, outcome, by, stat.summary, strata, cluster), stat, levels, "bootstrap_interval")
    block, of_row = _find_blocks(rows)
    _check_units(rows, block, of_row)
    batch_size = max(1, ELEMENTS // len(rows))
    estimate = float(_each(rows, stat, iter([np.ones((1, len(block)))]), of_row)[0])
    if not np.isfinite(estimate):
        raise NotEstimable(f"the statistic {stat.name!r} is not defined for these data")
    draws = drawn(block, n_resamples, batch_size, rng)
    replicates = _each(rows, stat, (counted(draw, len(block)) for draw in draws), of_row)
    replicates, undefined = replicates[np.isfinite(replicates)], int((~np.isfinite(replicates)).sum())
    if len(replicates) < 2:
        raise _undefined_error(stat.name, len(replicates), n_resamples)
    acceleration = _acceleration(rows, stat, block, of_row, batch_size) if method == "bca" else np.nan
    return Bootstrap(
        estimate=estimate,
        se=float(replicates.std(ddof=1)),
        bias=float(replicates.mean()) - estimate,
        name=stat.name,
        interval=_interval(replicates, estimate, acceleration, confidence_level, method),
        n_resamples=len(replicates),
        undefined=undefined,
        unit="clusters" if rows.clusters else "rows",
        units=len(block),
        rows=len(rows),
        cluster=rows.clusters,
        strata=rows.strata,
        outcome=rows.outcome,
        missing=rows.missing,
        acceleration=acceleration,
        distribution=replicates,
    )


def _find_blocks(rows: Rows) -> tuple[IntArray, IntArray]:
    """Return the block that each unit is drawn from, and the unit of each row."""
    if not rows.clusters:
        return rows.stratum * rows.cells + rows.cell, np.arange(len(rows))
    stratum, cell = rows.cluster_strata, rows.shared(rows.cell)
    _, of_row = np.unique(rows.cluster, return_inverse=True)
    return stratum if cell is None else stratum * rows.cells + cell, of_row


def _check_units(rows: Rows, block: IntArray, of_row: IntArray) -> None:
    """Raise NotEstimable if a cell is the same in every resample: all its units are alone in their block."""
    is_single = np.bincount(block)[block] == 1
    is_constant = np.ones(rows.cells, dtype=bool)
    np.logical_and.at(is_constant, rows.cell, is_single[of_row])
    has_rows = np.bincount(rows.cell, minlength=rows.cells) > 0
    if (is_constant & has_rows).any():
        cell = np.unravel_index(
            int((is_constant & has_rows).argmax()), tuple(len(factor) for factor in rows.factors) or (1,)
        )
        name = ", ".join(f"{f.name} = {f.levels[code]!r}" for f, code in zip(rows.factors, cell, strict=False))
        unit_name = f"cluster of {rows.clusters!r}" if rows.clusters else "row"
        raise NotEstimable(
            f"one {unit_name} is all there is to draw from {'with ' + name if name else 'in the data'}"
            f"{' in each stratum' if rows.strata else ''}: it does not vary from resample to resample"
        )


def _each(rows: Rows, statistic: Statistic, times: Iterator[FloatArray], of_row: IntArray) -> FloatArray:
    """Return the statistic of each resample, given how often each unit is in it."""
    replicates = []
    rows_are_units = np.array_equal(of_row, np.arange(len(of_row)))  # each row a unit of its own: nothing to hand out
    for weight in times:
        stack = rows.summarized(rows.cell[None, :], weight if rows_are_units else weight[:, of_row], statistic.summary)
        replicates.append(numbers_of(statistic, stack, len(weight)))
    return np.concatenate(replicates)


def _acceleration(rows: Rows, statistic: Statistic, block: IntArray, of_row: IntArray, batch_size: int) -> float:
    """Return the acceleration, from the statistic without each unit of each block that has several."""
    jackknife = np.full(len(block), np.nan)
    shared_units = np.concatenate(
        [members.ravel() for members in blocks(block) if members.shape[1] > 1] or [np.empty(0, int)]
    )

    def draw_weights() -> Iterator[FloatArray]:
        for start in range(0, len(shared_units), batch_size):
            batch = shared_units[start : start + batch_size]
            weight = np.ones((len(batch), len(block)))
            weight[np.arange(len(batch)), batch] = 0.0
            yield weight

    if len(shared_units):
        jackknife[shared_units] = _each(rows, statistic, draw_weights(), of_row)
    if not np.all(np.isfinite(jackknife[shared_units])):
        raise NotEstimable(
            f"the statistic {statistic.name!r} is not defined without some unit, as BCa asks",
            advice="give method='percentile'",
        )
    # The acceleration is a sixth of the skewness of the influence that units have on the statistic.
    cubes = squares = 0.0
    for members in blocks(block):
        size = members.shape[1]
        if size > 1:
            values = jackknife[members]
            influence = (size - 1) / size * (values.mean(axis=1, keepdims=True) - values)
            cubes += float((influence**3).sum())
            squares += float((influence**2).sum())
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


def _method(acceleration: float) -> Method:
    return "percentile" if np.isnan(acceleration) else "bca"


def _interval(
    replicates: FloatArray, estimate: float, acceleration: float, confidence_level: float, method: Method
) -> Interval:
    check_choice("method", method, tuple(METHODS))
    alpha_half = (1 - check_level(confidence_level)) / 2
    areas = np.array([alpha_half, 1 - alpha_half])
    if method == "bca":
        if np.isnan(acceleration):
            raise DesignError("these resamples were drawn for percentiles; give method='bca' to bootstrap_interval")
        tolerance = TIE * np.abs(replicates).max()
        # BCa: areas are moved by the median bias of the resamples and by the acceleration.
        share_below = ((replicates < estimate - tolerance).mean() + (replicates <= estimate + tolerance).mean()) / 2
        if share_below in (0.0, 1.0):
            raise NotEstimable("all resamples lie on one side of the estimate", advice="give method='percentile'")
        bias_z, z = special.ndtri(share_below), special.ndtri(areas)
        areas = special.ndtr(bias_z + (bias_z + z) / (1 - acceleration * (bias_z + z)))
    low, high = np.quantile(replicates, areas)
    return Interval(float(low), float(high), confidence_level, METHODS[method])
