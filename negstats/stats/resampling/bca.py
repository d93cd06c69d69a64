"""The BCa interval of statistics that were drawn elsewhere: for estimators that draw their own units."""

from __future__ import annotations

from negstats.stats.resampling.bootstrap import _interval
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.result import Interval


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
