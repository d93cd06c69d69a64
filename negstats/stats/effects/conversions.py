"""Conversions between effect sizes through d: r, odds ratio, eta squared, f, common language, rank-biserial.

The formulas hold for two independent groups of normal values (logistic ones for the odds ratio) with equal variances.
Effects of paired data (d_z, d_av) are measured in another unit and have no place here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from negstats.errors import DesignError
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_choice

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
    first, second = (np.asarray(size, dtype=np.float64) for size in n)
    if np.any(first <= 0) or np.any(second <= 0) or np.any(first + second <= 2):
        raise DesignError(f"n is {n!r}; both groups have at least one observation, and together more than two")
    return np.sqrt((first + second - 2) * (1 / first + 1 / second))
