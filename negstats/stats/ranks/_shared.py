"""What the rank tests share: which method, the normal approximation, the interval of a shift, the sentence."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from negstats.errors import NotEstimable
from negstats.stats.effects._effect import Effect
from negstats.stats.ranks.shift import asymptotic_ranks, exact_ranks, median_ranks
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import Alternative, check_single, t_tails
from negstats.stats.results.result import Interval, Result
from negstats.stats.summaries import ValueCounts

Method: TypeAlias = Literal["exact", "asymptotic"]
METHODS = ("auto", "exact", "asymptotic")

# "auto" is exact below this many observations in each group (ranked pairs), as in R; ties make no difference here.
SMALL = 50


def is_exact(method: str, largest: FloatArray) -> bool:
    """Return whether p is exact, for "exact", "asymptotic" or "auto" and the size of the largest group."""
    return method == "exact" or (method == "auto" and bool(np.max(largest) < SMALL))


def checked_variance(variance: FloatArray, differ: Any, reason: str) -> FloatArray:
    """Return a variance of ranks, NaN where it is 0; NotEstimable with the reason for a single study.

    Whether values `differ`, so that it is not 0, is counted by the caller: counts have no rounding.
    """
    none = ~np.asarray(differ, dtype=bool)
    if np.ndim(none) == 0 and none:
        raise NotEstimable(reason)
    return np.where(none, np.nan, variance)


def normal(
    distance: FloatArray, variance: FloatArray, alternative: Alternative, *, correction: bool
) -> tuple[Number, Number]:
    """Return z and p of a rank statistic's distance from its expectation."""
    towards = {"two-sided": np.sign(distance), "greater": np.ones(()), "less": -np.ones(())}[alternative]
    z = (distance - (0.5 * towards if correction else 0.0)) / np.sqrt(variance)
    return plain(z), plain(t_tails(z, np.inf, alternative))


class RankTest(Result):
    """The base of rank tests of two samples: their sentence, and the shift between the samples."""

    __slots__ = ()
    SYMBOL: ClassVar[str] = ""

    statistic: Number
    z: Number
    p: Number
    method: Method
    correction: bool
    alternative: Alternative
    values: ValueCounts

    @abstractmethod
    def effect_size(self) -> Effect:
        """Return the rank-biserial correlation with its interval."""

    @abstractmethod
    def _pairs(self, n: FloatArray) -> float:
        """Return how many differences (means of two, of pairs) a study has; `n` is how often each value occurs."""

    @abstractmethod
    def _shifts(self, n: FloatArray, ranks: Sequence[float]) -> list[float]:
        """Return the differences (means of two) at some ranks."""

    @abstractmethod
    def _untied(self, n: FloatArray) -> FloatArray:
        """Return the distribution of the statistic without ties."""

    @abstractmethod
    def _sd(self, n: FloatArray) -> float:
        """Return the standard deviation of the statistic at a shift that meets no difference."""

    def hodges_lehmann(self) -> Effect:
        """Return the median of the differences (means of two, of pairs), with the interval of shifts not rejected.

        Exact where the test is exact: from the distribution without ties, so that ties make the interval wider, never
        too narrow (Lehmann, 1975, chapter 2). Else from the normal with the ties inside each sample. Pairs without a
        difference are differences like others here.

        Returns
        -------
        Effect
            The shift between the samples, in units of the outcome.

        References
        ----------
        Lehmann, E. L. (1975). Nonparametrics: Statistical Methods Based on Ranks. Holden-Day.
        """
        studies = [self.values.n[place] for place in np.ndindex(*self.values.studies)]
        medians = [sum(self._shifts(n, median_ranks(self._pairs(n)))) / 2 for n in studies]
        return Effect("hodges_lehmann", plain(np.reshape(medians, self.values.studies)), self._shift_interval)

    def _shift_interval(self, confidence_level: float) -> Interval:
        ends = []
        for place in np.ndindex(*self.values.studies):
            n = self.values.n[place]
            if self.method == "exact":
                ranks = exact_ranks(self._untied(n), confidence_level, self.alternative)
            else:
                ranks = asymptotic_ranks(
                    self._pairs(n), self._sd(n), confidence_level, self.alternative, correction=self.correction
                )
            ends.append(self._shifts(n, ranks))
        both = np.reshape(ends, (*self.values.studies, 2))
        name = "exact order statistics" if self.method == "exact" else "normal order statistics"
        return Interval(plain(both[..., 0]), plain(both[..., 1]), confidence_level, name)

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``U = 19.50, p = .024, r_rb = .95, 95% CI [.44, .99]``, with z where p is asymptotic.

        Parameters
        ----------
        confidence_level
            Level of the interval of the rank-biserial correlation, between 0 and 1.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        middle = "" if self.method == "exact" else f"z = {apa.number(self.z)}, "
        test = f"{self.SYMBOL} = {apa.number(self.statistic)}, {middle}{apa.p_value(self.p, self.alternative)}"
        return f"{test}, {self.effect_size().apa(confidence_level)}"
