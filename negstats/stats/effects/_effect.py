"""`Effect`: the size of an effect with its name and a way to its interval at any level; how each is printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import pandas as pd

from negstats.stats._options import check_single
from negstats.stats._result import Interval, Number, Result, check_level
from negstats.stats.apa import bounded, number

__all__ = ["Effect"]

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
    "kendall_w": ("W", True),
    "phi": ("φ", True),
    "cramers_v": ("V", True),
    "odds_ratio": ("OR", False),
    "log_odds_ratio": ("ln OR", False),
    "risk_ratio": ("RR", False),
    "risk_difference": ("RD", True),
    "rank_biserial": ("r_rb", True),
    "common_language": ("CL", True),
    "hodges_lehmann": ("HL", False),
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
    bounds: Bounds = field(repr=False, compare=False)

    def confidence_interval(self, level: float = 0.95) -> Interval:
        """Return the interval of the effect; its `method` says how it was made."""
        return self.bounds(check_level(level))

    def to_frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return one row a study with the columns effect, value, low, high, level, method."""
        interval = self.confidence_interval(level)
        columns = {"value": self.value, "low": interval.low, "high": interval.high}
        frame = pd.DataFrame({name: [value] if isinstance(value, float) else value for name, value in columns.items()})
        frame.insert(0, "effect", self.name)
        frame = frame.assign(level=level, method=interval.method)
        frame.attrs["schema"] = "Effect/1"
        return frame

    def apa(self, level: float = 0.95) -> str:
        """Return the effect and its interval as APA style prints them."""
        check_single(self.value, "apa()")
        interval = self.confidence_interval(level)
        symbol, has_bound = SYMBOLS.get(self.name, (self.name, False))
        show = bounded if has_bound else number
        return f"{symbol} = {show(self.value)}, {100 * level:g}% CI [{show(interval.low)}, {show(interval.high)}]"

    def __str__(self) -> str:
        return self.apa()
