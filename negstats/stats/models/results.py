"""What models give for one coefficient, and for one comparison of models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy import special

from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_single, t_tails
from negstats.stats.results.result import Interval, Result

DF: TypeAlias = Literal["kenward-roger", "satterthwaite"]


@dataclass(frozen=True, slots=True)
class Coefficient(Result):
    """One coefficient, or a weighted sum of several, and the t test that it is 0.

    Attributes
    ----------
    term : str
    estimate, se : float
        In units of the outcome (a unit of the predictor).
    statistic, df, p : float
        t, its degrees of freedom (rarely whole) and the two-sided p.
    method : str
        Where the degrees of freedom come from.

    Examples
    --------
    >>> Coefficient("Days", 10.46729, 0.80422, 13.0154, 161.0, 6.4e-27, "kenward-roger").apa()
    'b = 10.47, SE = 0.80, t(161) = 13.02, p < .001, 95% CI [8.88, 12.06]'
    """

    term: str
    estimate: Number
    se: Number
    statistic: Number
    df: Number
    p: Number
    method: str

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the t interval of the estimate.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, in units of the estimate.
        """
        return t_interval(self.estimate, self.se, self.df, confidence_level)

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return the estimate, its standard error, t, df, p and interval.

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
        test = apa.statistic("t", self.statistic, (self.df,), self.p)
        ends = self.confidence_interval(confidence_level)
        digits = apa.decimals_apart(ends.low, ends.high)
        return f"b = {apa.number(self.estimate, digits)}, SE = {apa.number(self.se, digits)}, {test}, {ends}"


def coefficient(term: str, estimate: FloatArray, se: FloatArray, df: FloatArray, method: str) -> Coefficient:
    """Return the t test of an estimate."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.asarray(estimate) / np.asarray(se)
    return Coefficient(term, plain(estimate), plain(se), plain(t), plain(df), plain(t_tails(t, df)), method)


@dataclass(frozen=True, slots=True)
class LikelihoodRatio(Result):
    """A likelihood-ratio test of nested models.

    Attributes
    ----------
    statistic, df, p : float
        Difference of −2 ln L, parameters that one model has more, and p from chi-squared.
    boundary : bool
        Whether the smaller model stands at the end of the range, so that p is half of chi-squared's.

    Examples
    --------
    >>> LikelihoodRatio(6.520732, 1, 0.00533, True).apa()
    'χ²(1) = 6.52, p = .005'
    """

    statistic: Number
    df: Number
    p: Number
    boundary: bool = False

    @classmethod
    def of(cls, larger: float, smaller: float, df: int) -> LikelihoodRatio:
        """Return the test of two log-likelihoods.

        Parameters
        ----------
        larger, smaller
            The largest log-likelihoods of both models.
        df
            How many parameters the larger model has more.

        Returns
        -------
        LikelihoodRatio
            Chi-squared with its df and p.
        """
        value = max(2 * (larger - smaller), 0.0)
        return cls(value, float(df), float(special.chdtrc(df, value)))

    def apa(self) -> str:
        """Return chi-squared, its degrees of freedom and p.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        return apa.statistic("χ²", self.statistic, (self.df,), self.p)
