"""The statistics by their letters: how many df each needs, and p from its value and df.

All tails are upper tails of scipy's special functions, so that small p are not lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import special

NAMES = {
    "chi2": "χ²",
    "g2": "G²",
    "q": "Q",
    "h": "H",
    "t": "t",
    "f": "F",
    "r": "r",
    "rho": "ρ",
    "tau": "τ",
    "z": "z",
    "u": "U",
    "p": "p",
}


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
SIGNED = ("t", "r", "rho", "tau", "z")
