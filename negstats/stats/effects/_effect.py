"""`Effect`: the size of an effect with its name and interval; how each is printed, and turned into another.

The formulas hold for two independent groups of normal values (logistic ones for the odds ratio) with equal variances.
Effects of paired data (d_z, d_av) are measured in another unit and have no place here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtr, ndtri

from negstats.errors import DesignError, NotEstimable
from negstats.stats.results.apa import bounded, number, with_interval
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_choice, check_single
from negstats.stats.results.result import Interval, Result, check_level, with_schema

Bounds: TypeAlias = Callable[[float], Interval]

# Symbol in print, and whether the number cannot exceed 1 (APA then drops its leading zero).
SYMBOLS: dict[str, tuple[str, bool]] = {
    "d": ("d", False),
    "g": ("g", False),
    "d_z": ("d_z", False),
    "g_z": ("g_z", False),
    "d_av": ("d_av", False),
    "glass": ("Δ", False),
    "r": ("r", True),
    "eta_squared": ("η²", True),
    "partial_eta_squared": ("ηp²", True),
    "omega_squared": ("ω²", True),
    "epsilon_squared": ("ε²", True),
    "rank_epsilon_squared": ("ε²", True),
    "rank_eta_squared": ("η²", True),
    "f": ("f", False),
    "phi": ("φ", True),
    "cramers_v": ("V", True),
    "cohens_w": ("w", False),
    "kendall_w": ("W", True),
    "odds_ratio": ("OR", False),
    "log_odds_ratio": ("ln OR", False),
    "risk_ratio": ("RR", False),
    "ratio_of_means": ("RR", False),
    "risk_difference": ("RD", True),
    "rank_biserial": ("r_rb", True),
    "common_language": ("CL", True),
    "hodges_lehmann": ("HL", False),
    "restricted_mean_difference": ("difference in restricted mean time", False),
    "incidence_difference": ("difference in shares", True),
}


@dataclass(frozen=True, slots=True)
class Effect(Result):
    """The size of an effect.

    Attributes
    ----------
    name : str
        Which: "d", "g", "d_z", "d_av", "glass", "eta_squared", "odds_ratio", "rank_biserial", ...
    value : float
        The estimate, signed as first minus second; an array for a stack of studies.
    event : str
        Of a 2 × 2 table, the level of the outcome that is counted; empty where the levels have no names.

    Examples
    --------
    >>> from negstats.stats.effects import d_from_t
    >>> effect = d_from_t(2.46, n=66, paired=True)
    >>> effect.name, round(effect.value, 4)
    ('d_z', 0.3028)
    >>> effect.confidence_interval(0.95).method
    'noncentral t'
    >>> print(effect)
    d_z = 0.30, 95% CI [0.05, 0.55]
    """

    name: str
    value: Number
    bounds: Bounds | None = field(repr=False, compare=False)
    event: str = ""

    @property
    def symbol(self) -> tuple[str, bool]:
        """What it is called in print, and whether it cannot exceed 1."""
        return SYMBOLS.get(self.name, (self.name.replace("_", " "), False))

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval of the effect; its `method` says how it was made.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, on the scale of the effect.

        Raises
        ------
        NotEstimable
            If the interval is a bootstrap and no generator was given.
        """
        if self.bounds is None:
            raise NotEstimable("its interval is a bootstrap", advice="give effect_size() a generator as rng=")
        return self.bounds(check_level(confidence_level))

    def convert(self, to: str, *, n: tuple[npt.ArrayLike, npt.ArrayLike] | None = None) -> Effect:
        """Return the effect and its interval as another effect size; see `negstats.stats.effects.convert`.

        Parameters
        ----------
        to
            Name of the other effect size, such as "d", "r", "odds_ratio" or "eta_squared".
        n
            Sizes of the two groups, for conversions that depend on them; equal groups by default.

        Returns
        -------
        Effect
            The other effect size, with the ends of the interval converted in the same way.

        Examples
        --------
        >>> from negstats.stats.effects import d_from_t
        >>> d_from_t(4.12, n=(25, 26)).convert("odds_ratio").apa()
        'OR = 8.11, 95% CI [2.73, 23.62]'
        """
        source = {"g": "d", "partial_eta_squared": "eta_squared"}.get(self.name, self.name)
        bounds = None if self.bounds is None else partial(_converted, self.bounds, source, to, n)
        return Effect(to, convert(self.value, source, to, n=n), bounds)

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a study with the columns effect, value, low, high, level, method.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            Numbers are not rounded; an effect without an interval has NaN for its ends.
        """
        interval = self.confidence_interval(confidence_level)
        columns = {"value": self.value, "low": interval.low, "high": interval.high}
        frame = pd.DataFrame({name: [value] if isinstance(value, float) else value for name, value in columns.items()})
        frame.insert(0, "effect", self.name)
        return with_schema(frame.assign(level=confidence_level, method=interval.method), "Effect/1")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return the effect and its interval, if it has one, as APA style prints them.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            Such as ``d = 0.30, 95% CI [0.05, 0.55]``.
        """
        check_single(self.value, "apa()")
        symbol, has_bound = self.symbol
        if self.bounds is None:
            text = f"{symbol} = {bounded(self.value) if has_bound else number(self.value)}"
        else:
            interval = self.confidence_interval(confidence_level)
            interval_ends = (interval.low, interval.high, confidence_level)
            text = f"{symbol} = {with_interval(self.value, *interval_ends, is_bounded=has_bound)}"
        return f"{text} (event: {self.event})" if self.event else text

    def __str__(self) -> str:
        return self.apa()


def _converted(
    bounds: Bounds, source: str, to: str, n: tuple[npt.ArrayLike, npt.ArrayLike] | None, confidence_level: float
) -> Interval:
    interval = bounds(confidence_level)
    low, high = (np.asarray(convert(bound, source, to, n=n)) for bound in (interval.low, interval.high))
    if to in UNSIGNED and source not in UNSIGNED:  # an interval about zero folds
        zero = convert(0.0, "d", source)
        spans = (np.asarray(interval.low) < zero) & (np.asarray(interval.high) > zero)
        low, high = np.where(spans, 0.0, np.minimum(low, high)), np.maximum(low, high)
    return Interval(plain(low), plain(high), confidence_level, f"{interval.method}, converted")


Step = Callable[[FloatArray], FloatArray]

LOGISTIC = np.pi / np.sqrt(3)

# Effects that say how far apart two distributions are, to d and back. Odds ratio: Hasselblad and Hedges (1995);
# common language: McGraw and Wong (1992); rank-biserial: 2 CL − 1 (Cureton, 1956).
TO_D: dict[str, Step] = {
    "d": lambda d: d,
    "odds_ratio": lambda odds: np.log(odds) / LOGISTIC,
    "log_odds_ratio": lambda log: log / LOGISTIC,
    "common_language": lambda share: np.sqrt(2) * ndtri(share),
    "rank_biserial": lambda r: np.sqrt(2) * ndtri((r + 1) / 2),
}
FROM_D: dict[str, Step] = {
    "d": lambda d: d,
    "odds_ratio": lambda d: np.exp(d * LOGISTIC),
    "log_odds_ratio": lambda d: d * LOGISTIC,
    "common_language": lambda d: ndtr(d / np.sqrt(2)),
    "rank_biserial": lambda d: 2 * ndtr(d / np.sqrt(2)) - 1,
}

# Effects that say how much of the variance the group explains, to Cohen's f (signed on the way) and back. They depend
# on the groups' sizes: d is f times the root of (n1 + n2 − 2) (1 / n1 + 1 / n2), or 2 f (Cohen, 1988;
# McGrath and Meyer, 2006).
TO_F: dict[str, Step] = {
    "r": lambda r: r / np.sqrt(1 - r**2),
    "eta_squared": lambda eta: np.sqrt(eta / (1 - eta)),
    "f": lambda f: f,
}
FROM_F: dict[str, Step] = {
    "r": lambda f: f / np.sqrt(1 + f**2),
    "eta_squared": lambda f: f**2 / (1 + f**2),
    "f": np.abs,
}
RANGES: dict[str, tuple[float, float]] = {
    "r": (-1, 1),
    "eta_squared": (0, 1),
    "f": (0, np.inf),
    "odds_ratio": (0, np.inf),
    "common_language": (0, 1),
    "rank_biserial": (-1, 1),
}

# These have no sign; what is converted from them is positive.
UNSIGNED = ("eta_squared", "f")


def convert(
    value: npt.ArrayLike, source: str, to: str, *, n: tuple[npt.ArrayLike, npt.ArrayLike] | None = None
) -> Number:
    """Convert an effect size to another.

    Parameters
    ----------
    value
        The effect, or an array of them, signed.
    source, to
        "d", "r", "odds_ratio", "log_odds_ratio", "eta_squared", "f", "common_language" or "rank_biserial".
    n
        Both groups' sizes, which r, eta_squared and f depend on; if not given, equal and large.

    Returns
    -------
    Number
        A number for a number, an array for an array.

    Raises
    ------
    DesignError
        If there is no such effect, or `value` is outside its range.

    Examples
    --------
    >>> round(convert(0.5, "d", "odds_ratio"), 4), round(convert(0.5, "d", "r", n=(10, 40)), 4)
    (2.4766, 0.2)
    >>> round(convert(-0.3, "r", "common_language"), 4)
    0.3283
    """
    names = (*TO_D, *TO_F)
    check_choice("source", source, names)
    check_choice("to", to, names)
    values = np.asarray(value, dtype=np.float64)
    low, high = RANGES.get(source, (-np.inf, np.inf))
    if np.any((values < low) | (values > high)):
        raise DesignError(f"{source} is {value!r}; it lies between {low:g} and {high:g}")
    unit = _d_of_f(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        d = unit * TO_F[source](values) if source in TO_F else TO_D[source](values)
        return plain(FROM_F[to](d / unit) if to in FROM_F else FROM_D[to](d))


def _d_of_f(n: tuple[npt.ArrayLike, npt.ArrayLike] | None) -> FloatArray:
    """Return the d of groups of these sizes whose f is 1."""
    if n is None:
        return np.asarray(2.0)
    n1, n2 = (np.asarray(size, dtype=np.float64) for size in n)
    if np.any(n1 <= 0) or np.any(n2 <= 0) or np.any(n1 + n2 <= 2):
        raise DesignError(f"n is {n!r}; both groups have at least one observation, and together more than two")
    return np.sqrt((n1 + n2 - 2) * (1 / n1 + 1 / n2))
