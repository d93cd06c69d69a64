"""Intervals that many results share: of t and z, of resamples, of a difference, of noncentrality parameters.

The ends solve ``P(T >= t | low) = alpha / 2`` and ``P(T <= t | high) = alpha / 2`` (Steiger and Fouladi, 1997,
"Noncentrality interval estimation and the evaluation of statistical models"), to the last digits of a double, for one
statistic or a whole stack at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import Alternative, sides
from negstats.stats.results.result import Interval, check_level


def quantile(confidence_level: float, df: npt.ArrayLike = np.inf) -> Number:
    """Return how many standard errors a two-sided interval reaches to either side: t's quantile, z's where df are inf.

    Examples
    --------
    >>> round(quantile(0.95), 4), round(quantile(0.95, 10), 4)
    (1.96, 2.2281)
    """
    area, degrees = (1 + check_level(confidence_level)) / 2, np.asarray(df, dtype=np.float64)
    return plain(np.where(np.isinf(degrees), scipy.special.ndtri(area), scipy.special.stdtrit(degrees, area)))


def t_interval(
    estimate: npt.ArrayLike,
    se: npt.ArrayLike,
    df: npt.ArrayLike = np.inf,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    method: str = "t",
) -> Interval:
    """Return a t interval (z where the degrees of freedom are infinite); a one-sided test's open side is infinite.

    Examples
    --------
    >>> t_interval(0.0, 1.0, 10, 0.95, "greater").apa()
    '95% CI [−1.81, ∞]'
    """
    lower_area, upper_area = sides(check_level(confidence_level), alternative)
    centre, standard_error = np.asarray(estimate, dtype=np.float64), np.asarray(se, dtype=np.float64)
    degrees = np.asarray(df, dtype=np.float64)
    low_quantile, high_quantile = (
        scipy.special.stdtrit(degrees, area) if area else -np.inf for area in (lower_area, upper_area)
    )
    return Interval(
        plain(centre + low_quantile * standard_error),
        plain(centre - high_quantile * standard_error),
        confidence_level,
        method,
    )


def percentile_interval(
    replicates: npt.ArrayLike, confidence_level: float = 0.95, method: str = "percentile bootstrap"
) -> Interval:
    """Return the quantiles of resampled estimates along the first axis; those that are not defined are left out.

    Examples
    --------
    >>> percentile_interval(np.arange(101.0), 0.9).apa()
    '90% CI [5.00, 95.00]'
    """
    level = check_level(confidence_level)
    low, high = np.nanquantile(np.asarray(replicates), [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Interval(plain(low), plain(high), level, method)


def difference_ends(
    estimates: tuple[npt.ArrayLike, npt.ArrayLike],
    first: tuple[npt.ArrayLike, npt.ArrayLike],
    second: tuple[npt.ArrayLike, npt.ArrayLike],
    correlation: npt.ArrayLike = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the difference of two estimates, recovered from the interval that each has by itself.

    Of two shares with Wilson's intervals these are Newcombe's ends, of two correlations with Fisher's Zou's.

    Parameters
    ----------
    estimates
        Both estimates; the difference is the first less the second.
    first, second
        The ends of each one's interval.
    correlation
        That of the two estimates; 0 of independent ones.

    References
    ----------
    - Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: Comparison of
      eleven methods. Statistics in Medicine, 17, 873–890; the paired case is in 17, 2635–2650.
    - Zou, G. Y. (2007). Toward using confidence intervals to compare correlations. Psychological Methods, 12, 399–413.

    Examples
    --------
    >>> low, high = difference_ends((0.5, 0.3), (0.4, 0.6), (0.2, 0.4))
    >>> round(float(low), 4), round(float(high), 4)
    (0.0586, 0.3414)
    """
    (first_estimate, second_estimate), (low1, high1), (low2, high2) = (
        tuple(np.asarray(value, dtype=np.float64) for value in pair) for pair in (estimates, first, second)
    )
    r = np.asarray(correlation, dtype=np.float64)

    def distance(a: FloatArray, b: FloatArray) -> FloatArray:
        return np.sqrt(np.maximum(a**2 - 2 * r * a * b + b**2, 0.0))

    difference = first_estimate - second_estimate
    return np.asarray(difference - distance(first_estimate - low1, high2 - second_estimate)), np.asarray(
        difference + distance(high1 - first_estimate, second_estimate - low2)
    )


Tail = Callable[..., FloatArray]
Chance = Callable[..., Any]  # as functions of SciPy: of numbers a number, of arrays an array

# Above this t (and this share of √df) the distribution function loses its digits, and its limit for large t has them.
HUGE, BESIDE_DF = 3000.0, 10.0
# Below this area 1 - P loses digits of the upper tail, which `scipy.stats` then computes for itself; for others its
# import, as long as that of pandas, is saved.
SMALL_AREA = 1e-4


def t_noncentrality(
    t: npt.ArrayLike, df: npt.ArrayLike, confidence_level: float = 0.95, alternative: Alternative = "two-sided"
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of the noncentrality of t.

    Parameters
    ----------
    t, df
        The statistic and its degrees of freedom; arrays are taken element by element.
    confidence_level
        The confidence.
    alternative
        "greater" leaves the upper end at inf, "less" the lower at -inf.

    Examples
    --------
    >>> low, high = t_noncentrality(2.46, 65)
    >>> f"{low:.4f} {high:.4f}"
    '0.4461 4.4558'
    """
    lower_area, upper_area = sides(check_level(confidence_level), alternative)
    t, df = np.broadcast_arrays(np.asarray(t, dtype=np.float64), np.asarray(df, dtype=np.float64))
    magnitude, is_negative = np.where(np.isfinite(t), np.abs(t), np.nan), t < 0
    areas = np.broadcast_to(np.reshape([lower_area, upper_area], (2, *([1] * t.ndim))), (2, *t.shape))
    # The end of a negative t is the other end of the positive one, with its sign changed.
    both_t, both_df, areas = np.broadcast_arrays(magnitude, df, areas)
    ends = _t_ends(both_t, both_df, areas, np.stack([is_negative, ~is_negative]))
    low, high = np.where(is_negative, -ends, ends)
    return low, high


def _t_ends(t: FloatArray, df: FloatArray, area: FloatArray, is_upper: npt.NDArray[np.bool_]) -> FloatArray:
    """Return upper or lower ends of the intervals for t >= 0; the noncentral t is least exact for negative t."""

    def compute_tail(nc: FloatArray, t: FloatArray, df: FloatArray, area: FloatArray, sign: FloatArray) -> FloatArray:
        # P(T >= t | nc) is P(T <= -t | -nc), with no digit lost to a difference from 1. Far out, where the series
        # ends in no number, the chance is 0, or 1 on the side where T lies far on the near side of t.
        probability = scipy.special.nctdtr(df, sign * nc, sign * t)
        return np.asarray(np.where(np.isnan(probability), (nc < 0) == (sign > 0), probability) - area)

    # The spread of t about its noncentrality, for a first bracket.
    half_width = 3 * np.sqrt(1 + t**2 / (2 * df))
    lower, upper = np.where(is_upper, t, t - half_width), np.where(is_upper, t + half_width, t)
    is_far, sign = t > np.maximum(HUGE, BESIDE_DF * np.sqrt(df)), np.where(is_upper, 1.0, -1.0)
    root = _solve(compute_tail, lower, upper, (t, df, area, sign), sign * np.inf, is_far | (area == 0))
    is_far &= area > 0
    if not is_far.any():
        return root
    # T >= t where the noncentrality over t is at least chi / √df − Z / t: the quantile of chi / √df, moved for the
    # normal's variance 1 / t² (Cornish and Fisher).
    from scipy import stats

    with np.errstate(divide="ignore", invalid="ignore"):
        chi = np.sqrt(np.where(is_upper, stats.chi2.isf(area, df), stats.chi2.ppf(area, df)) / df)
        approximation = t * (chi - ((df - 1) / chi - df * chi) / (2 * t**2))
    return np.where(is_far, approximation, root)


def f_noncentrality(
    f: npt.ArrayLike,
    df1: npt.ArrayLike,
    df2: npt.ArrayLike,
    confidence_level: float = 0.95,
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of the noncentrality of F; an end is 0 where even the central F would be larger (smaller).

    Examples
    --------
    >>> low, high = f_noncentrality(11.42497, 1, 39)
    >>> f"{low:.4f} {high:.4f}"
    '1.5958 29.7991'
    """
    f, df1, df2 = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (f, df1, df2)))
    return _from_zero(_F, f, (df1, df2), f * df1, check_level(confidence_level))


def chi2_noncentrality(
    chi2: npt.ArrayLike, df: npt.ArrayLike, confidence_level: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of the noncentrality of chi-squared; an end is 0 as for F.

    Examples
    --------
    >>> low, high = chi2_noncentrality(7.63, 2)
    >>> f"{low:.4f} {high:.4f}"
    '0.0694 20.9866'
    """
    chi2, df = np.broadcast_arrays(np.asarray(chi2, dtype=np.float64), np.asarray(df, dtype=np.float64))
    return _from_zero(_CHI2, chi2, (df,), chi2, check_level(confidence_level))


@dataclass(frozen=True, slots=True)
class _Distribution:
    """A central distribution function, its upper tail, and the noncentral one, of x, its df and the noncentrality."""

    name: str  # of the noncentral one in `scipy.stats`
    chance: Chance
    upper: Chance
    noncentral: Chance

    def noncentral_upper(self, area: float) -> Chance:
        """Return the upper tail of the noncentral distribution, with all its digits about this area."""
        if area >= SMALL_AREA:
            return lambda x, *rest: 1 - self.noncentral(x, *rest)
        from scipy import stats

        upper: Chance = getattr(stats, self.name).sf
        return upper


_F = _Distribution(
    "ncf",
    lambda x, df1, df2: scipy.special.fdtr(df1, df2, x),
    lambda x, df1, df2: scipy.special.fdtrc(df1, df2, x),
    lambda x, df1, df2, nc: scipy.special.ncfdtr(df1, df2, nc, x),
)
_CHI2 = _Distribution(
    "ncx2",
    lambda x, df: scipy.special.chdtr(df, x),
    lambda x, df: scipy.special.chdtrc(df, x),
    lambda x, df, nc: scipy.special.chndtr(x, df, nc),
)


def _from_zero(
    distribution: _Distribution, x: FloatArray, dfs: tuple[FloatArray, ...], centre: FloatArray, confidence_level: float
) -> tuple[FloatArray, FloatArray]:
    """Solve both ends of a noncentrality that cannot be negative; `centre` is about where it lies."""
    area, zeros = (1 - confidence_level) / 2, np.zeros_like(x)
    upper = distribution.noncentral_upper(area)

    def compute_lower_gap(nc: FloatArray, x: FloatArray, *dfs: FloatArray) -> FloatArray:
        return np.asarray(upper(x, *dfs, nc) - area)

    def compute_upper_gap(nc: FloatArray, x: FloatArray, *dfs: FloatArray) -> FloatArray:
        return np.asarray(distribution.noncentral(x, *dfs, nc) - area)

    # Zero is the lower end where so large a statistic is not rare without an effect, and the upper one where so small
    # a statistic is rare even without one.
    low, high = (
        _solve(gap, zeros, centre + 1, (x, *dfs), zeros, skip)
        for gap, skip in (
            (compute_lower_gap, distribution.upper(x, *dfs) >= area),
            (compute_upper_gap, distribution.chance(x, *dfs) <= area),
        )
    )
    return low, high


def _solve(
    tail: Tail,
    lower: FloatArray,
    upper: FloatArray,
    args: tuple[FloatArray, ...],
    skipped: FloatArray,
    skip: npt.NDArray[np.bool_],
) -> FloatArray:
    """Solve ``tail(x, *args) = 0`` for each element but those to skip, which get the value of `skipped`."""
    shape = lower.shape
    finite = np.all([np.isfinite(array).ravel() for array in args], axis=0)
    result = np.where(finite, skipped.ravel(), np.nan)
    is_searched = finite & ~skip.ravel()
    if is_searched.any():
        searched_args = tuple(array.ravel()[is_searched] for array in args)
        first_bracket = lower.ravel()[is_searched], upper.ravel()[is_searched]
        result[is_searched] = _find_root(
            tail, *first_bracket, searched_args, minimum=None if np.any(lower != 0) else 0.0
        )
    return result.reshape(shape)


def _find_root(
    tail: Tail, lower: FloatArray, upper: FloatArray, args: tuple[FloatArray, ...], minimum: float | None
) -> FloatArray:
    """Return the roots beyond which the ends of first intervals are moved; NaN where the numbers end before a root."""
    from scipy.optimize import elementwise

    with np.errstate(over="ignore", invalid="ignore"):
        bracket = elementwise.bracket_root(tail, lower, upper, xmin=minimum, args=args).bracket
        return np.asarray(elementwise.find_root(tail, bracket, args=args).x)
