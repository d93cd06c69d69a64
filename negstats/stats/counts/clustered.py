"""Shares of units that answered yes or no several times: compared with each unit as one observation.

Yes and no of one person are not independent, so the person's share is what is observed, and shares of people vary by
more than the binomial law says. The test is the t-test of the units' shares, which keeps its level for few units. The
intervals are score intervals at the size that independent observations of the same variance would have: they stay
between 0 and 1 (and -1 and 1), which the interval of a mean does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.counts.proportions import wilson
from negstats.stats.results import apa
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries import Cells, Moments


@dataclass(frozen=True, slots=True)
class ClusteredProportions(Result):
    """Difference of the mean shares of two samples of units, or of the same units twice; first minus second.

    Attributes
    ----------
    statistic, df, p : float
        Of the t-test of the units' shares: Welch's, or of the pairs' differences.
    difference : float
        First minus second.
    proportions : tuple of two floats
        The mean share of a unit.
    n : tuple of two ints
        Units.
    effective : tuple of two floats
        How many independent observations would have the same variance; the units, where all shares are equal.
    correlation : float
        Of the shares of a pair; 0 for two samples.
    paired : bool
        Whether the same units stand in both samples.
    """

    statistic: float
    df: float
    p: float
    difference: float
    proportions: tuple[float, float]
    n: tuple[int, int]
    effective: tuple[float, float]
    correlation: float
    paired: bool

    def intervals(self, confidence_level: float = 0.95) -> tuple[Interval, Interval]:
        """Return the interval of each mean share: Wilson's at the effective size, with quantiles of t."""
        first, second = (
            wilson(share * size, size, float(special.stdtrit(units - 1, 0.5 + check_level(confidence_level) / 2)))
            for share, size, units in zip(self.proportions, self.effective, self.n, strict=True)
        )
        name = "Wilson, effective size"
        return Interval(float(first[0]), float(first[1]), confidence_level, name), Interval(
            float(second[0]), float(second[1]), confidence_level, name
        )

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval of the difference: Newcombe's combination of the two shares' intervals."""
        z = float(special.stdtrit(self.df, 0.5 + check_level(confidence_level) / 2))
        (p1, p2), r = self.proportions, self.correlation
        (l1, u1), (l2, u2) = (wilson(p * n, n, z) for p, n in zip(self.proportions, self.effective, strict=True))
        square_below = (p1 - l1) ** 2 - 2 * r * (p1 - l1) * (u2 - p2) + (u2 - p2) ** 2
        square_above = (u1 - p1) ** 2 - 2 * r * (u1 - p1) * (p2 - l2) + (p2 - l2) ** 2
        low, high = (float(np.sqrt(np.maximum(square, 0.0))) for square in (square_below, square_above))
        return Interval(self.difference - low, self.difference + high, confidence_level, "Newcombe, effective size")

    def apa(self) -> str:
        """Return the two mean shares, their difference with its interval, and the test."""
        interval = self.confidence_interval()
        ends = f"{100 * interval.confidence_level:g}% CI [{apa.bounded(interval.low)}, {apa.bounded(interval.high)}]"
        first, second = (apa.bounded(share) for share in self.proportions)
        test = apa.statistic("t", self.statistic, (self.df,), self.p)
        return f"{first} – {second} = {apa.bounded(self.difference)}, {ends}, {test}"


def clustered_proportions(first: npt.ArrayLike, second: npt.ArrayLike, *, paired: bool = False) -> ClusteredProportions:
    """Compare the shares of units that answered yes or no several times.

    Parameters
    ----------
    first, second
        The share of yes of each unit, between 0 and 1; with `paired` of the same units in the same order. Units count
        alike, however often they answered.
    paired
        Whether the samples are of the same units.

    Raises
    ------
    DesignError
        If a share is missing or not between 0 and 1, or pairs do not match.
    NotEstimable
        If a sample has fewer than two units, or the shares do not vary.

    Notes
    -----
    The t-test of cluster summaries: Hayes and Moulton (2017), Cluster Randomised Trials, ch. 10. Score intervals at the
    effective size: Korn and Graubard (1998), Survey Methodology 24, 193-201; their combination: Newcombe (1998),
    Statistics in Medicine 17, 873-890 and 2635-2650 (method 10), Zou and Donner (2008), ibid. 27, 1693-1702.

    Examples
    --------
    >>> print(clustered_proportions([1, 0.5, 1, 0.75, 1], [0.5, 0, 0.5, 0.25, 0.25]).apa())
    .85 – .30 = .55, 95% CI [.15, .75], t(7.96) = 4.02, p = .004
    """
    a, b = _shares(first, "first"), _shares(second, "second")
    if paired and len(a) != len(b):
        raise DesignError(f"first has {len(a)} units and second {len(b)}; pairs need as many")
    if not paired:
        return clustered_summary(Cells.from_samples({"first": a}), Cells.from_samples({"second": b}))
    return clustered_summary(
        Cells.from_samples({"first": a}),
        Cells.from_samples({"second": b}),
        Moments.from_array(np.stack([a, b], axis=-1), ["first", "second"]),
    )


def clustered_summary(first: Cells, second: Cells, pairs: Moments | None = None) -> ClusteredProportions:
    """Compare the shares of units from n, mean and variance of each sample; `pairs` holds both, where units are pairs.

    Raises
    ------
    NotEstimable
        If a sample has fewer than two units, or the shares do not vary.
    """
    for cells, name in ((first, "first"), (second, "second")):
        if cells.n.sum() < 2:
            raise NotEstimable(f"{name} has {int(cells.n.sum())} units; at least two are needed")
    n1, n2 = float(first.n.sum()), float(second.n.sum())
    p1, p2 = float(first.mean.item()), float(second.mean.item())
    v1, v2 = float(first.variance.item()), float(second.variance.item())
    if pairs is not None:
        variance, df = float(pairs.contrast([1, -1]).variance.item()) / n1, n1 - 1.0
        varying = v1 > 0 and v2 > 0
        r = float(pairs.covariance[..., 0, 1].item()) / float(np.sqrt(v1 * v2)) if varying else 0.0
    else:
        of_first, of_second = v1 / n1, v2 / n2
        variance, r = of_first + of_second, 0.0
        parts = of_first**2 / (n1 - 1) + of_second**2 / (n2 - 1)
        df = variance**2 / parts if parts > 0 else np.nan
    if not variance > ROUNDING * (v1 / n1 + v2 / n2):
        raise NotEstimable("the units' shares do not vary; a test of their difference has nothing to compare it with")
    t = (p1 - p2) / float(np.sqrt(variance))
    return ClusteredProportions(
        statistic=t,
        df=float(df),
        p=2 * float(special.stdtr(df, -abs(t))),
        difference=p1 - p2,
        proportions=(p1, p2),
        n=(int(n1), int(n2)),
        effective=(_effective(p1, v1, n1), _effective(p2, v2, n2)),
        correlation=r,
        paired=pairs is not None,
    )


def _shares(shares_of_units: npt.ArrayLike, name: str) -> FloatArray:
    shares = np.asarray(shares_of_units, dtype=np.float64)
    if shares.ndim != 1 or not ((shares >= 0) & (shares <= 1)).all():
        raise DesignError(f"{name} must be a row of shares between 0 and 1, one for each unit")
    if len(shares) < 2:
        raise NotEstimable(f"{name} has {len(shares)} units; at least two are needed")
    return shares


def _effective(mean: float, variance: float, n: float) -> float:
    return mean * (1 - mean) / (variance / n) if variance > 0 else n
