"""Corrections for a family of comparisons: Tukey, Scheffé, Bonferroni, Holm, Benjamini–Hochberg.

Each gives the corrected p of every comparison and, for intervals, the critical value of t. `pairwise(..., adjust=...)`
and the other contrasts name them; Games–Howell is Tukey with ``error="welch"``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from negstats.errors import DesignError
from negstats.stats._result import FloatArray, check_level

__all__ = ["ADJUSTMENTS", "Adjustment", "Family", "adjusted_p", "critical_t"]

Adjustment = Literal["none", "tukey", "scheffe", "bonferroni", "holm", "bh"]

# Name in print; the name in statsmodels where that does the correction.
ADJUSTMENTS: dict[str, tuple[str, str | None]] = {
    "none": ("", None),
    "tukey": ("Tukey", None),
    "scheffe": ("Scheffé", None),
    "bonferroni": ("Bonferroni", "bonferroni"),
    "holm": ("Holm", "holm"),
    "bh": ("Benjamini–Hochberg", "fdr_bh"),
}


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
    """

    size: int
    rank: int
    means: int = 0


def check_adjustment(adjust: str, family: Family) -> None:
    """Raise DesignError unless the correction exists and fits the family."""
    if adjust not in ADJUSTMENTS:
        raise DesignError(f"adjust is {adjust!r}; give one of {', '.join(map(repr, ADJUSTMENTS))}")
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
    Tukey and Kramer: the studentized range of ``means`` means at √2 |t|. It is computed as 1 minus its distribution, so
    below about 1e-10 it has no digits left; it is held between p and Bonferroni's p, where the exact value lies.
    Scheffé (1959), The Analysis of Variance, sec. 3.5: F with ``rank`` degrees of freedom at t² / rank.
    """
    check_adjustment(adjust, family)
    if adjust == "none":
        return p
    if adjust == "tukey":
        from scipy.stats import studentized_range

        pairs = family.means * (family.means - 1) / 2
        exceeds = studentized_range.sf(np.sqrt(2.0) * np.abs(t), family.means, df)
        return np.asarray(np.clip(exceeds, p, np.minimum(1.0, pairs * p)))
    if adjust == "scheffe":
        return np.asarray(special.fdtrc(family.rank, df, t**2 / family.rank))
    from statsmodels.stats.multitest import multipletests

    method = ADJUSTMENTS[adjust][1]
    return np.asarray(np.apply_along_axis(lambda family_p: multipletests(family_p, method=method)[1], -1, p))


def critical_t(adjust: str, level: float, df: npt.ArrayLike, family: Family) -> FloatArray:
    """Return the critical value of t of simultaneous intervals that cover all comparisons with probability `level`.

    Holm and Benjamini–Hochberg have no intervals of their own; Bonferroni's are given, as R's emmeans does. With "none"
    each interval covers its own comparison.
    """
    check_adjustment(adjust, family)
    outside = 1 - check_level(level)
    df = np.asarray(df, dtype=np.float64)
    if adjust == "tukey" and family.means > 2:
        from scipy.stats import studentized_range

        each, where = np.unique(df, return_inverse=True)
        return np.asarray((studentized_range.ppf(level, family.means, each) / np.sqrt(2.0))[where].reshape(df.shape))
    if adjust == "scheffe":
        return np.asarray(np.sqrt(family.rank * special.fdtri(family.rank, df, level)))
    share = family.size if adjust in ("bonferroni", "holm", "bh") else 1
    return np.asarray(-special.stdtrit(df, outside / 2 / share))
