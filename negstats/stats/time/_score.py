"""What log-rank and Gray's test share: chi-squared of a score, and every two groups compared."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from negstats.errors import DesignError, NotEstimable
from negstats.stats.results import apa, multiplicity
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice
from negstats.stats.results.result import Result
from negstats.stats.summaries.codes import IntArray
from negstats.stats.time.ends import SurvivalData
from negstats.stats.time.influence import per_cluster

# Rows a cluster of one group over those of another up to which whole clusters are permuted.
LIKE = 1.25


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TimePairs(Result):
    """Every two groups compared by a test of times, with p corrected for their number.

    Attributes
    ----------
    first, second : tuple of str
        The two groups of each comparison.
    statistic, p, p_adjusted : ndarray
        Chi-squared with one degree of freedom, or F. Missing where nothing can be compared.
    df2 : ndarray
        The denominator's degrees of freedom of F; infinite for chi-squared.
    adjust : str
        "none" or a name of `negstats.stats.results.multiplicity.METHODS`.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    statistic: FloatArray
    df2: FloatArray
    p: FloatArray
    p_adjusted: FloatArray
    adjust: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row a comparison."""
        names = ("first", "second", "statistic", "df2", "p", "p_adjusted")
        frame = pd.DataFrame({name: list(getattr(self, name)) for name in names}).assign(adjust=self.adjust)
        frame.attrs["schema"] = "TimePairs/2"
        return frame

    def apa(self) -> str:
        """Return the comparisons with semicolons between."""
        name = multiplicity.METHODS.get(self.adjust, "uncorrected")
        rows = zip(self.first, self.second, self.statistic, self.df2, self.p_adjusted, strict=True)
        tests = ((a, b, ("F", x, (1, df), p) if np.isfinite(df) else ("χ²", x, (1,), p)) for a, b, x, df, p in rows)
        return "; ".join(f"{a} – {b}: {apa.statistic(*test)} ({name})" for a, b, test in tests)


def check_groups(ends: SurvivalData, what: str) -> None:
    """Raise DesignError unless there are two groups, NotEstimable if nothing ended with the event."""
    if len(ends.group) < 2:
        reason = (
            f"{ends.group.name!r} has one level: {ends.group.levels[0]!r}" if ends.group.name else "by= is not given"
        )
        raise DesignError(f"{what} compares at least two groups; {reason}")
    if not ends.n[..., 1].any():
        raise NotEstimable(f"no unit ended with {ends.event!r}; nothing can be compared")


def quadratic(score: FloatArray, spread: FloatArray) -> tuple[float, int]:
    """Return U′V⁻U and the rank of V.

    Each group is measured in its own standard deviation: the eigenvalues of correlations are near 1 or 0, however
    unlike the sizes of the groups and whatever the weights, so half of the digits tell them apart.
    """
    size = np.sqrt(np.diagonal(spread).clip(0.0))
    places = np.flatnonzero(size > 0)
    if not len(places):
        raise NotEstimable("the groups were never at risk together; nothing can be compared")
    values, vectors = np.linalg.eigh(spread[np.ix_(places, places)] / size[places, None] / size[places])
    is_estimable = values > np.sqrt(np.finfo(np.float64).eps)
    principal_scores = vectors[:, is_estimable].T @ (score[places] / size[places])
    return float((principal_scores**2 / values[is_estimable]).sum()), int(is_estimable.sum())


def clustered(ends: SurvivalData, moved: FloatArray) -> FloatArray:
    """Return the covariance of a score from how each place of ``ends.n`` moves it, summed by cluster.

    With J/(J − 1), as a variance of J numbers has it: by simulation chi-squared keeps the level closer so, at 8 to 30
    clusters, than without, and than F does.
    """
    total = per_cluster(ends, moved)
    if total is None or ends.clusters <= len(ends.group):
        raise NotEstimable(
            f"{ends.clusters} clusters cannot compare {len(ends.group)} groups; there must be more clusters than groups"
        )
    return np.asarray(total.T @ total * (ends.clusters / (ends.clusters - 1)))


def like_clusters(ends: SurvivalData) -> IntArray | None:
    """Return the group that each cluster lies in; None if one lies in several, or groups have unlike clusters.

    What is looked at are rows a cluster, which the design gives, never when or how these ended.
    """
    if ends.place is None or ends.cluster is None:
        return None
    _, groups, times, kinds = ends.n.shape
    group = ends.place // (times * kinds) % groups
    low, high = np.full(ends.clusters, groups), np.full(ends.clusters, -1)
    np.minimum.at(low, ends.cluster, group)
    np.maximum.at(high, ends.cluster, group)
    clusters = np.bincount(high, minlength=groups)
    rows = ends.n.sum(axis=(0, 2, 3))[clusters > 0] / clusters[clusters > 0]
    return high if bool((low == high).all() and rows.max() <= LIKE * rows.min()) else None


def pairs(ends: SurvivalData, test: Callable[[SurvivalData], Any], adjust: str) -> TimePairs:
    """Compare every two groups with a test of two."""
    check_choice("adjust", adjust, ("none", *multiplicity.METHODS))
    places = list(itertools.combinations(range(len(ends.group)), 2))
    results = np.full((len(places), 3), np.nan)
    for row, both in zip(results, places, strict=True):
        with contextlib.suppress(NotEstimable):
            result = test(ends.only(both))
            row[:] = result.statistic, getattr(result, "df2", np.inf), result.p
    statistic, df2, p = results.T
    names = [tuple(ends.group.levels[both[side]] for both in places) for side in (0, 1)]
    p_adjusted = p if adjust == "none" else multiplicity.adjust(p, adjust).p_adjusted
    return TimePairs(names[0], names[1], statistic, df2, p, p_adjusted, adjust)
