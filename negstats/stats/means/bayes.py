"""Bayes factors: of t-tests (JZS), to both sides or to one, and of several models against the null model."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy
from scipy import special

from negstats.errors import DesignError, shown
from negstats.stats.means.t_tests import TTest
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_number, check_single, find_name
from negstats.stats.results.result import Result, with_schema


@dataclass(frozen=True, slots=True, repr=False)
class BayesFactor(Result):
    """The Jeffreys–Zellner–Siow Bayes factor of a t-test.

    Attributes
    ----------
    bf10, bf01 : float
        Evidence for a difference against none, and its reciprocal; inf beyond the largest double. An array with one
        entry a study where the test was of a stack; NaN where t is.
    r : float
        Scale of the Cauchy prior on the standardized difference: half of the prior lies between −r and r.
    statistic, df : float
        The test that it belongs to.
    n : tuple of int
        As in `TTest`.
    method : str
        "student", "paired" or "one-sample".
    alternative : str
        That of the test: with "greater" or "less" the prior lies on that side alone.
    """

    bf10: Number
    bf01: Number
    r: float
    statistic: Number
    df: Number
    n: tuple[Number, ...]
    method: str
    alternative: str = "two-sided"

    def apa(self) -> str:
        """Return such as ``t(38) = 3.50, BF₁₀ = 26.74, BF₀₁ = 0.04 (JZS, r = 0.707)``; one-sided BF₊₀ or BF₋₀.

        Returns
        -------
        str
            Both Bayes factors with t and the width of the prior.
        """
        check_single(self.bf10, "apa()")
        test = f"t({apa.df(self.df)}) = {apa.number(self.statistic)}"
        mark = {"two-sided": "₁", "greater": "₊", "less": "₋"}[self.alternative]
        return f"{test}, BF{mark}₀ {write_factor(self.bf10)}, BF₀{mark} {write_factor(self.bf01)} (JZS, r = {self.r:g})"


def bayes_factor(test: TTest, *, r: float = 0.707) -> BayesFactor:
    """Return the JZS Bayes factor of a t-test: Student's, of pairs, or of one sample.

    Parameters
    ----------
    test
        What `t_test(..., method="student")`, `paired_t` or `one_sample_t` returned: of raw data, of a printed table or
        of a stack of studies.
    r
        Scale of the Cauchy prior on the standardized difference; JASP and R's BayesFactor call √2/2 "medium".

    Returns
    -------
    BayesFactor
        `bf10` for a difference against none, and `bf01`, its inverse.

    Raises
    ------
    DesignError
        If the test is Welch's (the model has one variance), or `r` is not positive.

    Notes
    -----
    Eq. 1 of Rouder et al. (2009), with the prior's scale: the numerical integral of ``pingouin.bayesfactor_ttest``. Of
    a one-sided test the prior is the half of the Cauchy on that side (Morey and Rouder, 2011; R's BayesFactor with
    ``nullInterval``): the noncentral t's density integrated over it. It uses t, so a test against another `null` gives
    the evidence against that value.

    References
    ----------
    - Morey, R. D., & Rouder, J. N. (2011). Bayes factor approaches for testing interval null hypotheses. Psychological
      Methods, 16, 406–419.
    - Rouder, J. N., Speckman, P. L., Sun, D., Morey, R. D., & Iverson, G. (2009). Bayesian t tests for accepting and
      rejecting the null hypothesis. Psychonomic Bulletin & Review, 16, 225–237.

    Examples
    --------
    >>> from negstats.stats.means.t_tests import t_test
    >>> result = t_test({"fair": [5, 7, 6, 9, 8], "selfish": [3, 5, 4, 4]}, method="student")
    >>> print(bayes_factor(result).apa())
    t(7) = 3.42, BF₁₀ = 4.81, BF₀₁ = 0.21 (JZS, r = 0.707)
    """
    if not isinstance(test, TTest):
        raise DesignError(
            f"test is {shown(test)}; give what t_test(..., method='student'), paired_t or one_sample_t returned"
        )
    if test.method == "welch":
        raise DesignError(
            "a JZS Bayes factor has one variance for both groups; test with t_test(..., method='student')"
        )
    if not check_number("r", r) > 0:
        raise DesignError(f"r is {shown(r)}; give the scale of the prior, a positive number such as 0.707")
    n1, n2 = (*test.n, 1.0)[:2]  # pingouin knows a single sample by a second n of 1
    bf10 = np.asarray(np.vectorize(_jzs, otypes=[np.float64])(test.statistic, n1, n2, r))
    if test.alternative != "two-sided":
        # One-sided: the two-sided factor times twice the posterior share on the side that was predicted.
        effective_n = n1 * n2 / (n1 + n2) if len(test.n) > 1 else n1
        share = np.vectorize(_share_above, otypes=[np.float64])(test.statistic, test.df, effective_n, r)
        bf10 = np.asarray(2 * bf10 * (share if test.alternative == "greater" else 1 - share))
    with np.errstate(divide="ignore"):
        bf01 = 1 / bf10
    return BayesFactor(
        bf10=plain(bf10),
        bf01=plain(bf01),
        r=r,
        statistic=test.statistic,
        df=test.df,
        n=test.n,
        method=test.method,
        alternative=test.alternative,
    )


def _jzs(t: float, n1: float, n2: float, r: float) -> float:
    from pingouin import bayesfactor_ttest

    try:
        return float(bayesfactor_ttest(float(t), n1, n2, r=r))
    except ZeroDivisionError:  # the likelihood of no difference is below the smallest double
        return math.inf


def _share_above(t: float, df: float, size: float, r: float) -> float:
    """Return how much of the posterior of the standardized difference lies above 0."""
    if math.isnan(t):
        return math.nan
    centre, peak_width = t / math.sqrt(size), math.sqrt((1 + t**2 / (2 * max(df, 1))) / size)

    def density(delta: float) -> float:
        return float(scipy.stats.nct.pdf(t, df, delta * math.sqrt(size)) / (r**2 + delta**2))

    # Piece by piece about the peak, so that a narrow one is not overlooked.
    cut_points = sorted({0.0, *(centre + n_widths * peak_width for n_widths in (-12, -6, -3, -1, 0, 1, 3, 6, 12))})
    outermost = max(abs(cut_points[0]), abs(cut_points[-1])) + 40 * (peak_width + r)
    edges = [-outermost, *cut_points, outermost]
    areas = [
        (lower, scipy.integrate.quad(density, lower, upper, epsabs=0, epsrel=1e-10, limit=200)[0])
        for lower, upper in itertools.pairwise(edges)
    ]
    area_above = sum(area for lower, area in areas if lower >= 0)
    return area_above / sum(area for _, area in areas)


def write_factor(factor: Number) -> str:
    """Return a Bayes factor to two decimals, whole from 10,000 on, a power of ten from a million and under .01."""
    value = float(factor)
    if math.isnan(value) or 0.01 <= value < 10_000:
        return f"= {apa.number(value)}"
    if value == 0 or math.isinf(value):
        return "< 1e−300" if value == 0 else "> 1e+300"
    if 1 < value < 1e6:
        return f"= {value:,.0f}"
    digits, power = f"{value:.2e}".split("e")
    return f"= {digits}e{int(power):+d}".replace("-", apa.MINUS)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelEvidence(Result):
    """The evidence for each model against the null model. Arrays have the shape ``(models,)``.

    Attributes
    ----------
    models : tuple of str
        Such as "reward", "reward + partner" and "reward + partner + reward:partner".
    bf10, bf01 : ndarray
        Evidence for the model against the null, and its reciprocal.
    null : str
        What the null is.
    prior : str
        The prior of the effects, in words.
    prior_scale : float
        Its scale.
    method : str
        Which factor it is.

    Examples
    --------
    >>> ModelEvidence(("reward",), np.array([4.81]), "no effect", "Cauchy, r = 0.5", .5, "JZS").apa()
    'reward: BF₁₀ = 4.81, BF₀₁ = 0.21 (JZS; prior: Cauchy, r = 0.5; against no effect)'
    """

    models: tuple[str, ...]
    bf10: FloatArray
    null: str
    prior: str
    prior_scale: float
    method: str

    @property
    def bf01(self) -> FloatArray:
        """Evidence for the null against each model."""
        with np.errstate(divide="ignore"):
            return np.asarray(1 / self.bf10, dtype=np.float64)

    def of(self, model: str, against: str | None = None) -> float:
        """Return the Bayes factor of a model against the null, or against another model.

        Parameters
        ----------
        model
            Name of the model in the numerator.
        against
            Name of the model in the denominator; the null model by default.

        Returns
        -------
        float
            How many times likelier the data are under `model`; below 1 they speak for the other.

        Examples
        --------
        >>> result = ModelEvidence(("a", "a + b"), np.array([2.0, 6.0]), "none", "Cauchy", .5, "JZS")
        >>> result.of("a + b", against="a")
        3.0
        """
        return self._one(model) / (1.0 if against is None else self._one(against))

    def _one(self, model: str) -> float:
        return float(self.bf10[find_name(model, self.models, "there is no model")])

    def to_frame(self) -> pd.DataFrame:
        """Return one row a model: ``model``, ``bf10``, ``bf01``, ``null``, ``prior``.

        Returns
        -------
        DataFrame
            ``null`` is the model that each Bayes factor compares with, ``prior`` the prior in words.
        """
        frame = pd.DataFrame({"model": list(self.models), "bf10": self.bf10, "bf01": self.bf01})
        return with_schema(frame.assign(null=self.null, prior=self.prior), "ModelEvidence/1")

    def apa(self) -> str:
        """Return both Bayes factors of each model, with the prior.

        Returns
        -------
        str
            One clause a model, with semicolons between.
        """
        model_texts = [
            f"{model}: BF₁₀ {write_factor(bf10)}, BF₀₁ {write_factor(bf01)}"
            for model, bf10, bf01 in zip(self.models, self.bf10, self.bf01, strict=True)
        ]
        return f"{'; '.join(model_texts)} ({self.method}; prior: {self.prior}; against {self.null})"


def check_scale(scale: float, name: str = "prior_scale") -> float:
    """Return the width of a prior; DesignError unless it is above 0."""
    if not check_number(name, scale) > 0:
        raise DesignError(f"{name} is {shown(scale)}; give the width of the prior, a number above 0 such as 0.5")
    return float(scale)


def log_prior_density(x: npt.ArrayLike) -> FloatArray:
    """Return ln of the density of ln g for g inverse gamma (½, ½)."""
    log_g = np.asarray(x)
    return np.asarray(-0.5 * np.log(2) - special.gammaln(0.5) - 0.5 * log_g - 0.5 * np.exp(-log_g))
