"""How much of the posterior of a standardized difference lies where it does not matter: beside TOST, by JZS."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from negstats.errors import DesignError, shown
from negstats.stats.bayes.result import check_scale
from negstats.stats.means.bayes import write_factor
from negstats.stats.means.t_tests import TTest
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_number, check_single
from negstats.stats.results.result import Result


@dataclass(frozen=True, slots=True, repr=False)
class EquivalenceRegion(Result):
    """The posterior of the standardized difference δ within a region of practical equivalence.

    Attributes
    ----------
    low, high : float
        The region, in SDs.
    inside : float
        Posterior share of δ within it, under a prior that is Cauchy of scale `prior_scale`.
    prior_inside : float
        The prior's share.
    bf : float
        Evidence for δ within the region against δ outside it: posterior odds over prior odds.
    prior_scale : float
    method : str

    Examples
    --------
    >>> EquivalenceRegion(-0.2, 0.2, 0.83, 0.18, 23.1, 0.707, "student").apa()
    'P(−0.20 < δ < 0.20 | data) = .83, BF = 23.10 (prior: Cauchy of scale r = 0.707 on δ, P = .18)'
    """

    low: float
    high: float
    inside: float
    prior_inside: float
    bf: float
    prior_scale: float
    method: str

    def apa(self) -> str:
        """Return the posterior share, the Bayes factor, and the prior with its own share.

        Returns
        -------
        str
            The share of the posterior inside the region, with the Bayes factor that compares it with the prior.
        """
        region = f"{apa.number(self.low)} < δ < {apa.number(self.high)}"
        prior = f"prior: Cauchy of scale r = {self.prior_scale:g} on δ, P = {apa.bounded(self.prior_inside)}"
        return f"P({region} | data) = {apa.bounded(self.inside)}, BF {write_factor(self.bf)} ({prior})"


def equivalence_region(test: TTest, low: float, high: float, *, prior_scale: float = 0.707) -> EquivalenceRegion:
    """Return the share of the posterior of δ between `low` and `high`, and the evidence for that region.

    Parameters
    ----------
    test
        What `t_test(..., method="student")`, `paired_t` or `one_sample_t` returned.
    low, high
        The region in SDs, such as −0.2 and 0.2.
    prior_scale
        r of the Cauchy prior on δ.

    Returns
    -------
    EquivalenceRegion
        The share of the posterior and of the prior inside the region, and the Bayes factor for it.

    Notes
    -----
    The posterior is noncentral t's likelihood times the prior, integrated numerically. The Bayes factor of a region is
    Morey and Rouder's (2011), Psychological Methods 16, 406-419 (their "nonoverlapping hypotheses").

    Examples
    --------
    >>> from negstats.stats.means.t_tests import t_test
    >>> result = equivalence_region(t_test({"a": [5, 7, 6, 9, 8], "b": [6, 8, 6, 8, 7]}, method="student"), -0.5, 0.5)
    >>> round(result.inside, 2)
    0.73
    """
    if not isinstance(test, TTest) or test.method == "welch":
        raise DesignError(f"test is {shown(test)}; give what t_test(..., method='student') or paired_t returned")
    check_single(test.statistic, "equivalence_region()")
    check_scale(prior_scale)
    if not check_number("low", low) < check_number("high", high):
        raise DesignError(f"the region is {shown(low)} to {shown(high)}; give its lower end first")
    t, df = float(np.asarray(test.statistic)), float(np.asarray(test.df))
    sizes = [float(np.asarray(one)) for one in test.n]
    n = sizes[0] * sizes[1] / (sizes[0] + sizes[1]) if len(sizes) > 1 else sizes[0]
    centre, width = t / math.sqrt(n), math.sqrt((1 + t**2 / (2 * max(df, 1))) / n)

    # Even steps in the prior's own quantiles and about the peak together resolve both.
    about = centre + width * np.linspace(-14, 14, 2801)
    tails = prior_scale * np.tan(np.pi * (np.linspace(0.0005, 0.9995, 1999) - 0.5))
    points = np.unique(np.concatenate([about, tails, [low, high]]))
    likelihood = _log_likelihood(t, df, points * math.sqrt(n))
    density = np.exp(likelihood - likelihood.max()) / (prior_scale**2 + points**2)
    steps = np.diff(points)
    area = steps * (density[1:] + density[:-1]) / 2
    middle = (points[1:] + points[:-1]) / 2
    in_region = (middle > low) & (middle < high)
    posterior = float(area[in_region].sum() / area.sum())
    posterior_outside = float(area[~in_region].sum() / area.sum())
    prior = float(np.diff(np.arctan2(1, -np.array([low, high]) / prior_scale) / np.pi)[0])  # the Cauchy's own
    factor = (posterior / posterior_outside) / (prior / (1 - prior)) if posterior_outside > 0 else math.inf
    return EquivalenceRegion(float(low), float(high), posterior, prior, factor, prior_scale, test.method)


def _log_likelihood(t: float, df: float, shift: FloatArray) -> FloatArray:
    """Return ln of noncentral t's density at t over its noncentrality, but for a constant.

    ∫ s^df exp(−(ts − δ)²/2 − df s²/2) ds over even steps about its peak: for any df, where scipy's own overflows.
    """
    peak = (t * shift + np.sqrt((t * shift) ** 2 + 4 * df * (t**2 + df))) / (2 * (t**2 + df))
    width = 1 / np.sqrt(df / peak**2 + t**2 + df)
    s = np.maximum(peak[:, None] + width[:, None] * np.linspace(-12, 12, 241), 1e-300)
    log_density = df * np.log(s) - (t * s - shift[:, None]) ** 2 / 2 - df * s**2 / 2
    return np.asarray(special.logsumexp(log_density, axis=1) + np.log(width))
