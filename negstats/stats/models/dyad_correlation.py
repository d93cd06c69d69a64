"""How alike the two of a pair are: the correlation of exchangeable or distinguishable members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.models.dyads import seats
from negstats.stats.results import apa
from negstats.stats.results.numbers import Number, plain
from negstats.stats.results.options import check_choice, check_single, count
from negstats.stats.results.result import Interval, Result, check_level

Kind: TypeAlias = Literal["anova", "pairwise"]


@dataclass(frozen=True, slots=True)
class DyadCorrelation(Result):
    """Intraclass correlation of pairs whose seats are alike.

    Attributes
    ----------
    estimate : float
        Between −1 and 1.
    statistic, df1, df2, p : float
        F = MSB/MSW, its degrees of freedom, and the two-sided p.
    pairs : int
    method : str
        "anova" or "pairwise".
    missing : int
        Pairs that were left out because a value was missing.
    """

    estimate: Number
    statistic: Number
    df1: Number
    df2: Number
    p: Number
    pairs: Number
    method: Kind
    missing: int

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval of the analysis of variance's correlation, from F over its quantiles.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, between −1 and 1.
        """
        low, high = ((1 - check_level(confidence_level)) / 2, (1 + confidence_level) / 2)
        ratios = [self.statistic / special.fdtri(self.df1, self.df2, area) for area in (high, low)]
        bounds = [(ratio - 1) / (ratio + 1) for ratio in ratios]
        return Interval(plain(bounds[0]), plain(bounds[1]), confidence_level, "F")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return the correlation, F, its degrees of freedom, p and the interval.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        test = apa.statistic("F", self.statistic, (self.df1, self.df2), self.p)
        interval = self.confidence_interval(confidence_level)
        return f"ICC = {apa.bounded(self.estimate)}, {test}, {interval.apa(is_bounded=True)}"


def dyad_correlation(
    data: Any, outcome: str | None = None, *, pair: str | None = None, method: Kind = "anova"
) -> DyadCorrelation:
    """Return the intraclass correlation of pairs whose members have no distinct roles; it may be negative.

    Parameters
    ----------
    data
        A long frame with one row a person, or `Moments` of seat 1 and seat 2 (one study or a stack).
    outcome
        The column of the numbers.
    pair
        The column of the pair.
    method
        "anova": (MSB − MSW)/(MSB + MSW). "pairwise": Pearson's r of all pairs entered twice (Griffin and Gonzalez,
        1995). They differ by (n − 1)/n in MSB.

    Returns
    -------
    DyadCorrelation
        The correlation with its F test and the number of pairs.

    References
    ----------
    Griffin, D., & Gonzalez, R. (1995). Correlational analysis of dyad-level data in the exchangeable case.
    Psychological Bulletin, 118, 430–439.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"pair": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], "y": [12, 10, 15, 9, 11, 14, 22, 18, 16, 8]})
    >>> dyad_correlation(frame, "y", pair="pair").apa()
    'ICC = .35, F(4, 5) = 2.09, p = .439, 95% CI [−.56, .90]'
    """
    check_choice("method", method, ("anova", "pairwise"))
    moments, _ = seats(data, [outcome], pair, None)
    n = np.asarray(moments.n, dtype=np.float64)
    if len(moments.variables) != 2 or moments.factors or not (n >= 2).all():
        raise DesignError(
            f"a correlation of pairs needs one variable of both seats and at least 2 pairs; there are {n.min():g}"
        )
    covariance, offset = moments.covariance, moments.mean
    # The mean squares between and within pairs, from the covariance of the two seats.
    variance_sum = covariance[..., 0, 0] + covariance[..., 1, 1]
    ms_between = variance_sum / 2 + covariance[..., 0, 1]
    difference_squares = (variance_sum - 2 * covariance[..., 0, 1]) * (n - 1) + n * (
        offset[..., 0] - offset[..., 1]
    ) ** 2
    ms_within = difference_squares / (2 * n)
    if not moments.studies and not ms_within > 0:
        raise NotEstimable("the two of each pair have the same value; their correlation is 1 and needs no test")
    # The pairwise estimate divides the squares between pairs by n, not by n − 1; F is the same.
    scale = (n - 1) / n if method == "pairwise" else 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        f = ms_between / ms_within
    tails = special.fdtr(n - 1, n, f), special.fdtrc(n - 1, n, f)
    return DyadCorrelation(
        estimate=plain((scale * ms_between - ms_within) / (scale * ms_between + ms_within)),
        statistic=plain(f),
        df1=plain(n - 1),
        df2=plain(n),
        p=plain(np.minimum(1.0, 2 * np.minimum(*tails))),
        pairs=count(n),
        method=method,
        missing=moments.missing,
    )
