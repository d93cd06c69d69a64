"""What log-rank and Gray's test share: chi-squared of a score, and every two groups compared."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from negstats.errors import DesignError, NotEstimable
from negstats.stats.effects._effect import Effect
from negstats.stats.pairs import Pairs, build_pairs, check_correction
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.codes import IntArray
from negstats.stats.time.ends import SurvivalData
from negstats.stats.time.estimates import GroupDifference
from negstats.stats.time.influence import per_cluster

# Rows a cluster of one group over those of another up to which whole clusters are permuted.
LIKE = 1.25


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
        raise NotEstimable("at no time were units of several groups at risk; nothing can be compared")
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


def pairs(
    ends: SurvivalData,
    test: Callable[[SurvivalData], Any],
    gap: tuple[str, Callable[[SurvivalData], GroupDifference]],
    adjust: str,
    method: str,
) -> Pairs:
    """Compare every two groups by a test of theirs alone, and by a difference, which `gap` names and takes."""
    check_correction(adjust)
    places = list(itertools.combinations(range(len(ends.group)), 2))
    results, gaps = np.full((len(places), 3), np.nan), np.full((len(places), 2), np.nan)
    for row, difference, both in zip(results, gaps, places, strict=True):
        pair = ends.only(both)
        with contextlib.suppress(NotEstimable):
            result = test(pair)
            row[:] = result.statistic, getattr(result, "df2", np.inf), result.p
        with contextlib.suppress(NotEstimable):
            apart = gap[1](pair)
            difference[:] = apart.estimate, apart.se
    estimate, se = gaps.T
    sizes = np.array([sum(ends.sizes[place] for place in both) for both in places], dtype=np.float64)
    return build_pairs(
        ends.group.levels, "F", results[:, 0], results[:, 1], results[:, 2], n=sizes, adjust=adjust, method=method,
        effect=Effect(gap[0], estimate, lambda level: t_interval(estimate, se, np.inf, level, method="normal")),
    )  # fmt: skip
