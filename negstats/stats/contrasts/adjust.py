"""Corrections for a family of comparisons: Tukey, Scheffé, and those of `multiplicity` (Bonferroni, Holm, ...).

Each gives the corrected p of every comparison and, for intervals, the critical value of t. `pairwise(..., adjust=...)`
and the other contrasts name them; Games–Howell is Tukey with ``error="welch"``.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from negstats.errors import DesignError
from negstats.stats.results import multiplicity
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice, f_tails
from negstats.stats.results.result import check_level

Adjustment = Literal[
    "none",
    "tukey",
    "scheffe",
    "bonferroni",
    "sidak",
    "holm",
    "holm-sidak",
    "simes-hochberg",
    "hommel",
    "fdr_bh",
    "fdr_by",
    "dunnett",
]

# What each is called in print.
ADJUSTMENTS: dict[str, str] = {
    "none": "",
    "tukey": "Tukey",
    "scheffe": "Scheffé",
    "dunnett": "Dunnett",
    **multiplicity.METHODS,
}

# Whose simultaneous intervals go with each: stepwise corrections have none of their own, and R's emmeans, too, gives
# Bonferroni's.
OWN = ("none", "tukey", "scheffe", "sidak", "dunnett")
INTERVALS = {name: name if name in OWN else "bonferroni" for name in ADJUSTMENTS}


# From so many degrees of freedom on Dunnett's probability is that of known variances to ten digits.
ENDLESS = 1e7


@dataclass(frozen=True, slots=True)
class Family:
    """What a correction needs to know of the comparisons that are made together.

    Attributes
    ----------
    size : int
        How many comparisons.
    rank : int
        How many of them are linearly independent (Scheffé).
    means : int
        How many means all pairs were formed of (Tukey); 0 if the family is not all pairs.
    shared : tuple of float
        Of comparisons with one control, √(its variance's share) of each, so that two correlate as the product of
        theirs (Dunnett); empty otherwise.
    """

    size: int
    rank: int
    means: int = 0
    shared: tuple[float, ...] = ()


def check_adjustment(adjust: str, family: Family) -> None:
    """Raise DesignError unless the correction exists and fits the family."""
    check_choice("adjust", adjust, tuple(ADJUSTMENTS))
    if adjust == "dunnett" and not family.shared:
        raise DesignError("adjust='dunnett' is for comparisons with one control; call dunnett(..., control=...)")
    if adjust == "tukey" and not family.means:
        raise DesignError("adjust='tukey' is for all pairs of means; for these contrasts give 'holm' or 'scheffe'")


def adjusted_p(adjust: str, t: FloatArray, df: FloatArray, p: FloatArray, family: Family) -> FloatArray:
    """Return the corrected p values.

    Parameters
    ----------
    adjust
        The correction: a name of `ADJUSTMENTS`.
    t, df, p : ndarray, shape (..., size)
        Statistic, degrees of freedom and two-sided p of each comparison of a family.

    Notes
    -----
    Tukey and Kramer: the studentized range of ``means`` means at √2 |t|, between p and Bonferroni's p. scipy's is exact
    to about 1e-11 where p is small, so that these two bounds are all that is known of a smaller one; from 100,000
    degrees of freedom on it takes the variance as known.
    Scheffé (1959), The Analysis of Variance, sec. 3.5: F with ``rank`` degrees of freedom at t² / rank.
    """
    check_adjustment(adjust, family)
    if adjust == "none":
        return p
    if adjust == "tukey":
        pairs = family.means * (family.means - 1) / 2
        return np.asarray(np.clip(_range_exceeds(t, family.means, df), p, np.minimum(1.0, pairs * p)))
    if adjust == "scheffe":
        return f_tails(t**2 / family.rank, family.rank, df)
    if adjust == "dunnett":
        each = [1 - all_within(abs(one), free, family.shared) for one, free in zip(t.flat, df.flat, strict=True)]
        return np.asarray(np.clip(np.reshape(each, t.shape), p, np.minimum(1.0, family.size * p)))
    return multiplicity.adjust(p, adjust).p_adjusted


def _range_exceeds(t: FloatArray, means: int, df: FloatArray) -> FloatArray:
    """Return the probability that the studentized range of so many means exceeds √2 |t|, each pair of t and df once."""
    from scipy.integrate import IntegrationWarning
    from scipy.stats import studentized_range

    both = np.stack(np.broadcast_arrays(np.sqrt(2.0) * np.abs(t), df), axis=-1)
    each, where = np.unique(both.reshape(-1, 2), axis=0, return_inverse=True)
    with warnings.catch_warnings():
        # Of two means that hardly differ, with thousands of degrees of freedom; p is right there (above .999, to 1e-9).
        warnings.simplefilter("ignore", IntegrationWarning)
        exceeds = np.atleast_1d(studentized_range.sf(each[:, 0], means, each[:, 1]))
    return np.asarray(exceeds[where].reshape(both.shape[:-1]))


@lru_cache(maxsize=1024)
def _range_end(tail: float, means: int, df: float) -> float:
    """Return the end of the studentized range: it takes scipy long, and all pairs of equal df ask for the same."""
    from scipy.stats import studentized_range

    return float(studentized_range.isf(tail, means, df))


def critical_t(adjust: str, confidence_level: float, df: npt.ArrayLike, family: Family) -> FloatArray:
    """Return the critical value of t of simultaneous intervals of all comparisons, at `confidence_level` together.

    Stepwise corrections (Holm, Benjamini–Hochberg, ...) get Bonferroni's. With "none" each interval covers its own
    comparison.
    """
    check_adjustment(adjust, family)
    level = check_level(confidence_level)
    df = np.asarray(df, dtype=np.float64)
    adjust = INTERVALS[adjust]
    if adjust == "tukey" and family.means > 2:
        each, where = np.unique(df, return_inverse=True)
        ends = np.array([_range_end(1 - level, family.means, float(free)) for free in each])
        return np.asarray((ends / np.sqrt(2.0))[where].reshape(df.shape))
    if adjust == "scheffe":
        endless = special.chdtri(family.rank, 1 - level) / family.rank
        return np.asarray(np.sqrt(family.rank * np.where(np.isinf(df), endless, special.fdtri(family.rank, df, level))))
    if adjust == "dunnett":
        from scipy.optimize import brentq

        def solve(free: float) -> float:
            root = brentq(lambda t: all_within(t, free, family.shared) - level, 0.0, 1e3, xtol=1e-12, rtol=1e-13)
            return float(root)

        each, where = np.unique(df, return_inverse=True)
        return np.asarray(np.array([solve(float(free)) for free in each])[where].reshape(df.shape))
    alphas = {"bonferroni": (1 - level) / family.size, "sidak": -np.expm1(np.log(level) / family.size)}
    return np.asarray(-special.stdtrit(df, alphas.get(adjust, 1 - level) / 2))


def all_within(t: float, df: float, shared: tuple[float, ...]) -> float:
    """Return the probability that no |T| exceeds `t`, of T's with one control and one error in common.

    Dunnett (1955), JASA 50, 1096-1121: given the control's mean z and the error's s = √(χ²/df), the comparisons are
    independent, so the probability is ∫∫ φ(z) g(s) Π [Φ((ts + λz)/√(1 − λ²)) − Φ((−ts + λz)/√(1 − λ²))] dz ds; both
    integrals by Gauss and Legendre.

    Examples
    --------
    >>> round(1 - all_within(2.54, 20, (0.5**0.5,) * 3), 3)  # Dunnett's table: 5 % at 2.54
    0.05
    """
    df = min(df, ENDLESS)
    nodes, weights = np.polynomial.legendre.leggauss(96)
    z, dz = 8.5 * nodes, 8.5 * weights
    low, high = (np.sqrt(special.chdtri(df, tail) / df) for tail in (1 - 1e-15, 1e-16))
    s, ds = (high - low) / 2 * nodes + (high + low) / 2, (high - low) / 2 * weights
    log_density = (df - 1) * np.log(s) - df * s**2 / 2 + np.log(2) + df / 2 * np.log(df / 2) - special.gammaln(df / 2)
    chance_within = np.ones((len(s), len(z)))
    for share in shared:
        free = np.sqrt(1 - share**2)
        reach, centre = t * s[:, None] / free, share * z[None, :] / free
        chance_within *= special.ndtr(centre + reach) - special.ndtr(centre - reach)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return float(np.exp(log_density) * ds @ chance_within @ (density * dz))
