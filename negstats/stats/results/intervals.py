"""Confidence intervals that many results share: of t and z, of resamples, and of a difference from its two parts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

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
    area, free = (1 + check_level(confidence_level)) / 2, np.asarray(df, dtype=np.float64)
    return plain(np.where(np.isinf(free), ndtri(area), stdtrit(free, area)))


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
    centre, width = np.asarray(estimate, dtype=np.float64), np.asarray(se, dtype=np.float64)
    freedom = np.asarray(df, dtype=np.float64)
    low, high = (stdtrit(freedom, area) if area else -np.inf for area in (lower_area, upper_area))
    return Interval(plain(centre + low * width), plain(centre - high * width), confidence_level, method)


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
    (one, two), (low1, high1), (low2, high2) = (
        tuple(np.asarray(value, dtype=np.float64) for value in pair) for pair in (estimates, first, second)
    )
    r = np.asarray(correlation, dtype=np.float64)

    def reach(a: FloatArray, b: FloatArray) -> FloatArray:
        return np.sqrt(np.maximum(a**2 - 2 * r * a * b + b**2, 0.0))

    gap = one - two
    return np.asarray(gap - reach(one - low1, high2 - two)), np.asarray(gap + reach(high1 - one, two - low2))
