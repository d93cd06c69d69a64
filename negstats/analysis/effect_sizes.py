"""Which effect size goes with a comparison of two levels: one rule for plans and their reports.

Between groups Hedges' g, of the same units d_z, of counts the ratio of the two means.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from negstats import stats
from negstats.errors import NotEstimable
from negstats.stats.effects._effect import SYMBOLS
from negstats.stats.outcomes.quasi_poisson import QuasiPoisson
from negstats.stats.results import apa
from negstats.stats.results.intervals import quantile
from negstats.stats.results.numbers import number

RATIOS = {"odds_ratio", "ratio_of_means", "risk_ratio", "hazard_ratio"}
STANDARDIZED = {"welch": "g", "student": "g", "paired": "d_z"}
MORE_SYMBOLS = {
    "partial_omega_squared": ("ωp²", True),
    "ratio_of_means": ("ratio of means", False),
    "rho": ("ρ", True),
    "beta": ("β", False),
    "hazard_ratio": ("HR", False),
    "r_squared": ("R²", True),
    "kendall_w": ("W", True),
    "icc": ("ICC", True),
    "partner_r": ("r of partners", True),
    "r_between": ("r", True),
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """An estimate or effect with its interval; an end that is infinite is open.

    Attributes
    ----------
    name : str
    value, low, high : float
        NaN where it is not known.
    confidence_level : float
    method : str
        How the interval was made.
    """

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    confidence_level: float = 0.95
    method: str = ""

    def entry(self) -> dict[str, Any]:
        """Return it as results.json holds it."""
        record: dict[str, Any] = {"name": self.name, "value": number(self.value)}
        record |= {
            "low": number(self.low),
            "high": number(self.high),
            "level": self.confidence_level,
            "method": self.method,
        }
        if any(math.isinf(number) for number in (self.value, self.low, self.high)):
            record["open"] = True
        return record

    def apa(self) -> str:
        """Return such as ``d_z = 0.30, 95% CI [0.05, 0.55]``."""
        symbol, is_bounded = MORE_SYMBOLS.get(self.name) or SYMBOLS.get(self.name, (self.name.replace("_", " "), False))
        if math.isnan(self.low) and math.isnan(self.high):
            return f"{symbol} = {apa.bounded(self.value) if is_bounded else apa.number(self.value)}"
        ends = (self.low, self.high, self.confidence_level)
        return f"{symbol} = {apa.with_interval(self.value, *ends, is_bounded=is_bounded)}"


def quantity(name: str, value: Any, interval: stats.Interval | None = None) -> Quantity:
    """Return an estimate with its interval, if there is one."""
    if interval is None:
        return Quantity(name, float(value))
    return Quantity(
        name, float(value), float(interval.low), float(interval.high), interval.confidence_level, interval.method
    )


def exponential(name: str, estimate: Any, ends: stats.Interval, sign: float = 1.0, method: str = "") -> Quantity:
    """Return the ratio of a number on a log scale with its interval; a `sign` of -1 turns it upside down."""
    low, high = sorted((sign * float(ends.low), sign * float(ends.high)))
    with np.errstate(over="ignore"):
        value, low, high = (float(np.exp(logarithm)) for logarithm in (sign * float(estimate), low, high))
    return Quantity(name, value, low, high, ends.confidence_level, method or ends.method)


def effect_of(effect: stats.Effect, confidence_level: float, name: str = "") -> Quantity:
    """Return an effect size with its interval, without one where the data bound none."""
    try:
        interval = effect.confidence_interval(confidence_level)
    except NotEstimable:
        interval = None
    return quantity(name or effect.name, effect.value, interval)


def ratio_of_groups(model: QuasiPoisson, confidence_level: float) -> Quantity | None:
    """Return the ratio of the means of two groups of counts."""
    ratios = model.ratios("none")
    ends = ratios.confidence_interval(confidence_level)
    value = float(np.ravel(ratios.effect.value)[0])
    low, high = float(np.ravel(ends.low)[0]), float(np.ravel(ends.high)[0])
    return Quantity("ratio_of_means", value, low, high, confidence_level, ends.method) if math.isfinite(value) else None


def ratio_of_pairs(test: stats.TTest, moments: stats.Moments, confidence_level: float) -> Quantity | None:
    """Return the ratio of two means of the same units, its interval by the delta method on the log scale."""
    first, second = map(float, moments.mean)
    if first <= 0 or second <= 0:
        return None
    se = float(moments.contrast([1 / first, -1 / second]).se)
    reach = float(quantile(confidence_level, test.df)) * se
    ratio = first / second
    return Quantity(
        "ratio_of_means", ratio, ratio * math.exp(-reach), ratio * math.exp(reach), confidence_level, "delta, log scale"
    )


def pooled_spread(cells: Iterable[tuple[float, Any]]) -> float | None:
    """Return the pooled standard deviation of cells, each its n and SD, from which the decimals of a measure follow.

    Examples
    --------
    >>> pooled_spread([(66, 0.1), (66, 0.1), (1, None)])
    0.1
    """
    spreads = [(n - 1, float(sd)) for n, sd in cells if sd and n > 1]
    return math.sqrt(sum(df * sd**2 for df, sd in spreads) / sum(df for df, _ in spreads)) if spreads else None
