"""What rank tests share: which method, the normal approximation, the sentence, and Hodges–Lehmann shifts.

The pairs are never all made where there are too many: counting them closes in on the order statistic first. Hodges and
Lehmann (1963); Lehmann (1975), Nonparametrics, chapters 2 and 4.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from negstats.errors import NotEstimable
from negstats.stats.effects._effect import Effect
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import Alternative, check_single, sides, t_tails
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
    is_undefined = ~np.asarray(differ, dtype=bool)
    if np.ndim(is_undefined) == 0 and is_undefined:
        raise NotEstimable(reason)
    return np.where(is_undefined, np.nan, variance)


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
        studies = [self.values.n[study] for study in np.ndindex(*self.values.studies)]
        medians = [sum(self._shifts(n, median_ranks(self._pairs(n)))) / 2 for n in studies]
        return Effect("hodges_lehmann", plain(np.reshape(medians, self.values.studies)), self._shift_interval)

    def _shift_interval(self, confidence_level: float) -> Interval:
        bounds = []
        for study in np.ndindex(*self.values.studies):
            n = self.values.n[study]
            if self.method == "exact":
                ranks = exact_ranks(self._untied(n), confidence_level, self.alternative)
            else:
                ranks = asymptotic_ranks(
                    self._pairs(n), self._sd(n), confidence_level, self.alternative, correction=self.correction
                )
            bounds.append(self._shifts(n, ranks))
        stacked_bounds = np.reshape(bounds, (*self.values.studies, 2))
        name = "exact order statistics" if self.method == "exact" else "normal order statistics"
        return Interval(plain(stacked_bounds[..., 0]), plain(stacked_bounds[..., 1]), confidence_level, name)

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
        z_text = "" if self.method == "exact" else f"z = {apa.number(self.z)}, "
        test = f"{self.SYMBOL} = {apa.number(self.statistic)}, {z_text}{apa.p_value(self.p, self.alternative)}"
        return f"{test}, {self.effect_size().apa(confidence_level)}"


# So many pairs are made and sorted at once; with more, the window is narrowed first.
PAIRS = 400_000


def difference_quantiles(
    x: FloatArray, n_x: FloatArray, y: FloatArray, n_y: FloatArray, ranks: Sequence[float]
) -> list[float]:
    """Return order statistics of all differences ``x[i] - y[j]``, which occur ``n_x[i] * n_y[j]`` times.

    Parameters
    ----------
    x, y
        Distinct values, ascending.
    ranks
        Which, from 1; a rank before the first gives -inf, one behind the last inf.

    Examples
    --------
    >>> difference_quantiles(np.array([3.0, 5.0]), np.ones(2), np.array([1.0]), np.array([2.0]), [1, 3, 5])
    [2.0, 4.0, inf]
    """
    pairs = _Pairs(x, n_x, y, n_y, np.empty(0), np.empty(0))
    return [pairs.order_statistic(rank) for rank in ranks]


def walsh_quantiles(d: FloatArray, n: FloatArray, ranks: Sequence[float]) -> list[float]:
    """Return order statistics of the means of all pairs of differences, each with itself once (Walsh averages).

    Examples
    --------
    >>> walsh_quantiles(np.array([1.0, 4.0]), np.ones(2), [1, 2, 3])
    [1.0, 2.5, 4.0]
    """
    # Ordered pairs hold each mean of two twice and each value with itself n² times; n more make that twice as well.
    pairs = _Pairs(d, n, -d[::-1], n[::-1], 2 * d, n)
    return [pairs.order_statistic(2 * rank) / 2 for rank in ranks]


def median_ranks(pairs: float) -> tuple[float, float]:
    """Return the two ranks whose mean is the median of so many pairs."""
    return (pairs + 1) // 2, pairs // 2 + 1


def exact_ranks(p: FloatArray, confidence_level: float, alternative: Alternative) -> tuple[float, float]:
    """Return the ranks of the pairs that end the interval, from the exact null distribution of the count of pairs.

    Where even the extreme pairs do not reach the level, the end is open: rank 0, or one behind the last. (R ends the
    interval at the extreme pair there and warns that the level is not reached.)
    """
    area_below, area_above = sides(confidence_level, alternative)
    n_pairs = len(p) - 1
    cumulative = np.cumsum(p)
    low_rank, high_rank = (int(np.searchsorted(cumulative, area)) for area in (area_below, area_above))
    return low_rank, n_pairs + 1 - high_rank


def asymptotic_ranks(
    pairs: float, sd: float, confidence_level: float, alternative: Alternative, *, correction: bool
) -> tuple[float, float]:
    """Return the ranks of the pairs that end the interval: the shifts that the normal test does not reject."""
    area_below, area_above = sides(confidence_level, alternative)
    continuity = 0.5 if correction else 0.0

    def find_rank(area: float) -> float:
        return float(np.floor(pairs / 2 - continuity + ndtri(area) * sd)) + 1 if area > 0 else 0.0

    return max(find_rank(area_below), 0.0), min(pairs + 1 - find_rank(area_above), pairs + 1)


class _Pairs:
    """All differences ``x[i] - y[j]`` and `more`, with multiplicities, of which order statistics are asked.

    Counting the pairs up to a value takes one pass over the sorted arrays, so a rank is closed in on by the counts; the
    pairs of the last window are made, sorted and kept, for the next rank may lie in it.
    """

    def __init__(
        self, x: FloatArray, n_x: FloatArray, y: FloatArray, n_y: FloatArray, more: FloatArray, n_more: FloatArray
    ) -> None:
        self.x, self.n_x, self.y, self.n_y, self.more, self.n_more = x, n_x, y, n_y, more, n_more
        self.below = np.concatenate([[0.0], np.cumsum(n_y)])
        self.below_more = np.concatenate([[0.0], np.cumsum(n_more)])
        self.total = float(n_x.sum() * n_y.sum() + n_more.sum())
        self.slack = float(4 * np.finfo(np.float64).eps * (np.abs(x).max() + np.abs(y).max()))
        self.values, self.reached, self.before = np.empty(0), np.empty(0), 0.0

    def order_statistic(self, rank: float) -> float:
        """Return the value of a rank, from 1; -inf before the first, inf behind the last."""
        if rank < 1 or rank > self.total:
            return -np.inf if rank < 1 else np.inf
        if not (len(self.values) and self.before < rank <= self.before + self.reached[-1]):
            self._make(*self._window(rank))
        return float(self.values[np.searchsorted(self.reached, rank - self.before)])

    def _up_to(self, value: float) -> float:
        pairs = self.below[-1] - self.below[np.searchsorted(self.y, self.x - value)]
        return float(self.n_x @ pairs + self.below_more[np.searchsorted(self.more, value, side="right")])

    def _has_many(self, low: float, high: float) -> bool:
        """Whether the window holds more pairs than are made at once."""
        starts, stops = self._ends(low - self.slack, high + self.slack)
        return int((stops - starts).sum()) > PAIRS

    def _ends(self, low: float, high: float) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return for each x where the y of the pairs from `low` to `high` begin and end."""
        return np.searchsorted(self.y, self.x - high), np.searchsorted(self.y, self.x - low, side="right")

    def _window(self, rank: float) -> tuple[float, float]:
        """Return ends between which the rank lies and not too many pairs do."""
        window_low = min([self.x[0] - self.y[-1], *self.more[:1]]) - self.slack
        window_high = max([self.x[-1] - self.y[0], *self.more[-1:]]) + self.slack
        # A value in the middle is counted in linear time, and the side without the rank is cut off.
        while window_high - window_low > 4 * self.slack and self._has_many(window_low, window_high):
            middle = (window_low + window_high) / 2
            has_rank_below = self._up_to(middle) >= rank
            window_low, window_high = (window_low, middle) if has_rank_below else (middle, window_high)
        return window_low, window_high

    def _make(self, low: float, high: float) -> None:
        """Make and sort the pairs between `low` and `high`, and count those below."""
        low, high = low - self.slack, high + self.slack
        starts, stops = self._ends(low, high)
        size = stops - starts
        i = np.repeat(np.arange(len(self.x)), size)
        j = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size) + np.repeat(starts, size)
        in_window = (self.more >= low) & (self.more <= high)
        values = np.concatenate([self.x[i] - self.y[j], self.more[in_window]])
        weights = np.concatenate([self.n_x[i] * self.n_y[j], self.n_more[in_window]])
        self.before = float(self.n_x @ (self.below[-1] - self.below[stops]) + self.n_more[self.more < low].sum())
        order = np.argsort(values)
        self.values, self.reached = values[order], np.cumsum(weights[order])
