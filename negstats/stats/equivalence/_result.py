"""`Equivalence`: two one-sided tests against two bounds, their interval, and what they say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, shown
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_share, check_single
from negstats.stats.results.result import Interval, Result, check_level

Bounds: TypeAlias = float | tuple[float, float]
Unit: TypeAlias = Literal["raw", "d"]


@dataclass(frozen=True, slots=True, repr=False)
class Equivalence(Result):
    """Two one-sided tests of a difference against a lower and an upper bound.

    Every number is an array with one entry a study where the summary was a stack; NaN marks a study whose test is not
    estimable.

    Attributes
    ----------
    p : float
        The larger of both one-sided p values: at most α where the difference is shown to lie inside the bounds.
    low, high : float
        The bounds, in the unit of the difference.
    statistic_low, p_low : float
        Test that the difference is larger than `low`; the statistic is NaN where p is exact.
    statistic_high, p_high : float
        Test that the difference is smaller than `high`.
    df : float
        Degrees of freedom of t; inf where the statistic is a z or p is exact.
    difference : float
        First minus second; of one sample, its mean or proportion minus `null`.
    n : tuple of int
        Both groups' sizes; pairs or observations once.
    labels : tuple of str
        First and second level; for one sample what was measured, for one proportion the level that was counted.
    method : str
        "welch", "student", "paired" or "one-sample" for means; "score", "wald" or "exact" for proportions.
    unit : str
        "raw", or "d" if the bounds were given in standard deviations, which the data themselves had to supply.
    outcome : str
        Name of what was measured or counted.
    missing : int
        Rows, or subjects of pairs, that were left out because a value was missing.
    """

    p: Number
    low: Number
    high: Number
    statistic_low: Number
    p_low: Number
    statistic_high: Number
    p_high: Number
    df: Number
    difference: Number
    n: tuple[Number, ...]
    labels: tuple[str, ...]
    method: str
    unit: Unit
    outcome: str
    missing: int
    ends: Callable[[float], Interval] = field(repr=False, compare=False)

    def confidence_interval(self, confidence_level: float = 0.90) -> Interval:
        """Return the interval of the difference. That of 1 − 2 α lies inside the bounds where p is below α.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, in units of the bounds.
        """
        return self.ends(check_level(confidence_level))

    def decision(self, alpha: float = 0.05) -> str:
        """Return what the tests say at `alpha`: equivalent, outside the bounds, or that neither is shown.

        Parameters
        ----------
        alpha
            Level of each of the one-sided tests, between 0 and 1.

        Returns
        -------
        str
            The decision in words.
        """
        check_single(self.p, "decision()")
        interval = self.confidence_interval(1 - 2 * check_share("alpha", alpha, 0.05, 0.5))
        digits = apa.decimals_apart(self.low, self.high)
        bounds = f"the bounds [{self._number(self.low, digits)}, {self._number(self.high, digits)}]"
        if self.p <= alpha:
            return f"inside {bounds}: equivalent at α = {apa.bounded(alpha)}"
        if np.all(interval.low > np.asarray(self.high)) or np.all(interval.high < np.asarray(self.low)):
            return f"outside {bounds}: not equivalent at α = {apa.bounded(alpha)}"
        return f"not inside {bounds}: equivalence is not established at α = {apa.bounded(alpha)}"

    def apa(self, alpha: float = 0.05) -> str:
        """Return the one-sided test with the larger p, the interval of level 1 − 2 α, and the decision.

        Parameters
        ----------
        alpha
            Level of each of the one-sided tests, between 0 and 1.

        Returns
        -------
        str
            The sentence for a results section.
        """
        decision = self.decision(alpha)
        larger = self.statistic_low if self.p_low >= self.p_high else self.statistic_high
        if self.method == "exact":
            test = apa.p_value(self.p)
        elif np.isinf(self.df):
            test = apa.statistic("z", larger, (), self.p)
        else:
            test = apa.statistic("t", larger, (self.df,), self.p)
        interval = self.confidence_interval(1 - 2 * alpha)
        estimate_text = apa.with_interval(
            self.difference, interval.low, interval.high, interval.confidence_level, is_bounded=self._is_share
        )
        return f"{test}, difference = {estimate_text}, {decision}"

    @property
    def _is_share(self) -> bool:
        return bool(np.isinf(self.df))

    def _number(self, value: Number, digits: int) -> str:
        return apa.bounded(value, digits) if self._is_share else apa.number(value, digits)


def equivalence(
    bounds: tuple[npt.ArrayLike, npt.ArrayLike],
    tests: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    df: npt.ArrayLike,
    difference: FloatArray,
    n: tuple[Number, ...],
    labels: tuple[str, ...],
    method: str,
    unit: Unit,
    outcome: str,
    missing: int,
    ends: Callable[[float], Interval],
) -> Equivalence:
    low, high = map(plain, bounds)
    z_low, p_low, z_high, p_high = map(plain, tests)
    larger = plain(np.maximum(p_low, p_high))
    freedom, estimate = plain(df), plain(difference)
    return Equivalence(
        p=larger,
        low=low,
        high=high,
        statistic_low=z_low,
        p_low=p_low,
        statistic_high=z_high,
        p_high=p_high,
        df=freedom,
        difference=estimate,
        n=n,
        labels=labels,
        method=method,
        unit=unit,
        outcome=outcome,
        missing=missing,
        ends=ends,
    )


def bounds_pair(bounds: Bounds, least: float = -np.inf, most: float = np.inf) -> tuple[float, float]:
    try:
        pair = np.asarray(bounds, dtype=np.float64)
    except (TypeError, ValueError):
        pair = np.empty(0)
    low, high = (-float(pair), float(pair)) if pair.ndim == 0 else tuple(pair) if pair.shape == (2,) else (0.0, 0.0)
    if not (low < high and least < low and high < most):
        range_note = "" if np.isinf(least) else f" inside ({least:g}, {most:g})"
        raise DesignError(
            f"bounds is {shown(bounds)}; give a positive number, or (low, high) with low < high{range_note}"
        )
    return float(low), float(high)
