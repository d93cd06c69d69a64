"""The statistics by their letters: how many df each needs, and p from its value and df.

All tails are upper tails of scipy's special functions, so that small p are not lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special

LEAST = 1e-300  # p that has a size
NAMES = {"chi2": "χ²", "g2": "G²", "q": "Q", "h": "H", "t": "t", "f": "F", "r": "r", "rho": "ρ", "tau": "τ"}
NAMES |= {"z": "z", "u": "U", "p": "p"}


def _t_p(t: Any, df: Any) -> Any:
    return 2 * special.stdtr(df, -t)


def _r_p(r: Any, df: Any) -> Any:
    with np.errstate(divide="ignore"):
        return _t_p(r * np.sqrt(df / np.maximum(1 - r * r, 0.0)), df)


def _z_p(z: Any) -> Any:
    return 2 * special.ndtr(-z)


def _f_p(f: Any, df1: Any, df2: Any) -> Any:
    return special.fdtrc(df1, df2, f)


def _chi2_p(x: Any, df: Any) -> Any:
    return special.chdtrc(df, x)


# Of each kind of statistic: how many df it needs, and p from its size and df, numbers or arrays. Two tails for t, r, z.
P_OF: Mapping[str, tuple[int, Callable[..., Any]]] = {
    "t": (1, _t_p),
    "r": (1, _r_p),
    "rho": (1, _r_p),
    "z": (0, _z_p),
    "f": (2, _f_p),
    **dict.fromkeys(("chi2", "g2", "q", "h"), (1, _chi2_p)),
}


def size_of(kind: str, p: float, df: Sequence[float] = ()) -> float:
    """Return the size of a statistic that has this p: the inverse of `P_OF`; of a t with infinite df that of z.

    Examples
    --------
    >>> round(size_of("t", 0.05, (28,)), 3), round(size_of("f", 0.05, (1, 28)), 3), round(size_of("z", 0.05), 3)
    (2.048, 4.196, 1.96)
    """
    p = min(p, 1.0)
    if p < LEAST:
        return 1.0 if kind in ("r", "rho") else math.inf
    if kind == "z" or (kind == "t" and math.isinf(df[0])):
        return float(-special.ndtri(p / 2))
    if kind == "t":
        return float(-special.stdtrit(df[0], p / 2))
    if kind in ("r", "rho"):
        t = size_of("t", p, df)
        return t / math.sqrt(t * t + df[0])
    if kind == "f":
        complement = float(special.betaincinv(df[1] / 2, df[0] / 2, p))  # df2 / (df2 + df1 F)
        return (1 - complement) * df[1] / (complement * df[0]) if complement > 0 else math.inf
    return float(special.chdtri(df[0], p))


SIGNED = ("t", "r", "rho", "tau", "z")
