"""What the rank tests share: which method, the normal approximation, the interval of a shift, the sentence."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from negstats.errors import NotEstimable
from negstats.stats.effects._effect import Effect
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import Alternative, check_single, t_tails
from negstats.stats.results.result import Interval
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


def shift(
    estimate: Callable[[FloatArray], float],
    ends: Callable[[FloatArray, float], list[float]],
    values: ValueCounts,
    method: Method,
) -> Effect:
    """Return a Hodges–Lehmann estimate with its interval, study by study."""
    studies = [values.n[place] for place in np.ndindex(*values.studies)]
    value = np.reshape([estimate(n) for n in studies], values.studies)
    name = "exact order statistics" if method == "exact" else "normal order statistics"
    return Effect("hodges_lehmann", plain(value), partial(_shift_bounds, ends, studies, values.studies, name))


def _shift_bounds(
    ends: Callable[[FloatArray, float], list[float]],
    studies: list[FloatArray],
    shape: tuple[int, ...],
    name: str,
    confidence_level: float,
) -> Interval:
    both = np.reshape([ends(n, confidence_level) for n in studies], (*shape, 2))
    return Interval(plain(both[..., 0]), plain(both[..., 1]), confidence_level, name)


class RankTest(Protocol):
    """What a sentence is written from."""

    @property
    def statistic(self) -> Number: ...
    @property
    def z(self) -> Number: ...
    @property
    def p(self) -> Number: ...
    @property
    def method(self) -> Method: ...
    @property
    def alternative(self) -> Alternative: ...


def sentence(symbol: str, test: RankTest, effect: str) -> str:
    """Return a rank test in APA style; without z where p is exact."""
    check_single(test.statistic, "apa()")
    middle = "" if test.method == "exact" else f"z = {apa.number(test.z)}, "
    return f"{symbol} = {apa.number(test.statistic)}, {middle}{apa.p_value(test.p, test.alternative)}, {effect}"
