"""Log-rank test and its weighted family: whether groups differ in the rate of an event; by strata, with clusters."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.effects._effect import Effect
from negstats.stats.pairs import Pairs, build_pairs, check_correction
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.results.options import check_choice, check_number
from negstats.stats.results.result import Result
from negstats.stats.summaries.frames import IntArray
from negstats.stats.time.ends import Names, SurvivalData
from negstats.stats.time.estimates import GroupDifference, per_cluster
from negstats.stats.time.survival import kaplan_meier

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


Weights = Literal["fleming-harrington", "gehan", "tarone-ware"]
WEIGHTS = ("fleming-harrington", "gehan", "tarone-ware")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class LogRank(Result):
    """Whether groups differ in the rate of an event.

    Attributes
    ----------
    statistic, df, p : float
        Chi-squared, its degrees of freedom, and p; F where like clusters lie whole in one group.
    df2 : float
        The denominator's degrees of freedom of F; infinite for chi-squared.
    labels : tuple of str
        The groups.
    n : tuple of int
        Units of each.
    observed, expected : tuple of float
        Events of each group, weighted, and those expected if all rates were equal.
    event : str
        What was waited for.
    competing : int
        Units that ended otherwise, taken as censored: the test is of the event's own rate.
    weights : str
        "fleming-harrington", "gehan" or "tarone-ware".
    rho, gamma : float
        Of Fleming and Harrington's weights S(t−)^rho (1 − S(t−))^gamma; 0 and 0 is log-rank.
    strata, clusters, missing : int
        Strata (1 if there are none), clusters (0 without any), and rows that lacked a value.
    covariance : ndarray, shape (groups, groups)
        Of observed minus expected.
    """

    statistic: float
    df: float
    df2: float
    p: float
    labels: tuple[str, ...]
    n: tuple[int, ...]
    observed: tuple[float, ...]
    expected: tuple[float, ...]
    event: str
    competing: int
    weights: Weights
    rho: float
    gamma: float
    strata: int
    clusters: int
    missing: int
    covariance: FloatArray = field(repr=False)
    ends: SurvivalData = field(repr=False)

    def pairwise(self, adjust: str = "holm") -> Pairs:
        """Compare every two groups by the same test, with p corrected for their number.

        The effect is how much longer the first waits on average, up to the earlier of the two largest times (the
        difference in restricted mean time, see `Survival.restricted_mean`; other ends are taken as censored).

        Parameters
        ----------
        adjust
            Correction of p for the number of comparisons, such as "holm", "bonferroni" or "none".

        Returns
        -------
        Pairs
            One comparison for every two groups, in their order.
        """
        gap = "restricted_mean_difference", _find_gap
        return pairs(self.ends, self._compute_again, gap, adjust, "log-rank")

    def apa(self) -> str:
        """Return such as ``log-rank χ²(1) = 4.12, p = .042``, or with F.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        name = {"gehan": "Gehan", "tarone-ware": "Tarone–Ware"}.get(self.weights)
        if name is None:
            name = "log-rank" if (self.rho, self.gamma) == (0, 0) else f"G({self.rho:g}, {self.gamma:g})"
        extra = [f"{self.strata} strata"] if self.strata > 1 else []
        extra += [f"{self.clusters} clusters"] if self.clusters else []
        extra += [f"{self.competing} other ends censored"] if self.competing else []
        note = f" ({', '.join(extra)})" if extra else ""
        symbol, dfs = ("χ²", (self.df,)) if np.isinf(self.df2) else ("F", (self.df, self.df2))
        return f"{name} {apa.statistic(symbol, self.statistic, dfs, self.p)}{note}"

    def _compute_again(self, ends: SurvivalData) -> LogRank:
        return _test(ends, self.weights, self.rho, self.gamma)


def log_rank(
    data: Any,
    time: str = "time",
    ended: str = "ended",
    event: Names | None = None,
    censored: Names = (),
    *,
    by: str | None = None,
    strata: str | None = None,
    cluster: str | None = None,
    weights: Weights = "fleming-harrington",
    rho: float = 0.0,
    gamma: float = 0.0,
) -> LogRank:
    """Compare the rate of an event between groups (Mantel, 1966).

    Ends that compete with the event are taken as censored: then it is the test of the cause-specific rate. For the
    share that has had the event, use `gray`.

    Parameters
    ----------
    data
        A frame of any engine, or arrays by name, with one row a unit; or `SurvivalData`.
    time, ended
        When each unit ended or was last seen, and how (levels, or truth values: true is the event).
    event, censored
        The levels of `ended` that are the event, and those that only say that watching stopped.
    by
        The column of the groups.
    strata
        Groups are compared inside each stratum.
    cluster
        The column of what makes rows dependent (pair, person): the test is of clusters' summed scores.
    weights
        "gehan" weighs a time with the units at risk, "tarone-ware" with their root, "fleming-harrington" with
        S(t−)^rho (1 − S(t−))^gamma.
    rho, gamma
        Powers of those weights: rho = 1 stresses early differences, gamma = 1 late ones.

    Returns
    -------
    LogRank
        The statistic with df and p, and the observed and the expected events of each group.

    Raises
    ------
    DesignError
        If there are not two groups, or a column or weight is wrong.
    NotEstimable
        If there is no event, or at no time were units of several groups at risk.

    Notes
    -----
    U = Σ w(d_g − D Y_g/Y), Var = Σ w² D (Y_g/Y)(δ − Y_h/Y)(Y − D)/(Y − 1). See Fleming and Harrington (1991).

    Clusters that lie whole in one group: U_g is the sum over the group's units of scores that do not know the groups, Σ
    w(event − hazard of all) (Peto and Peto, 1972), so that groups are compared by the F of clusters' summed scores on
    J − G df, which follows the permutations of whole clusters (Pitman, 1937). It keeps its level where the robust score
    test finds too much (`docs/calibration.md`), but permuting takes clusters to be of one kind: where a group's
    clusters have on average over 1.25 times the rows of another's, or lie in several groups, the test is that robust
    score test of a Cox model at no difference (Lin and Wei, 1989), the variance times J/(J − 1) for J clusters. Groups
    of which one is cut off far more often make F conservative.

    References
    ----------
    - Fleming, T. R., & Harrington, D. P. (1991). Counting Processes and Survival Analysis. Wiley.
    - Lin, D. Y., & Wei, L. J. (1989). The robust inference for the Cox proportional hazards model. Journal of the
      American Statistical Association, 84, 1074–1078.
    - Mantel, N. (1966). Evaluation of survival data and two new rank order statistics arising in its consideration.
      Cancer Chemotherapy Reports, 50, 163–170.
    - Peto, R., & Peto, J. (1972). Asymptotically efficient rank invariant test procedures. Journal of the Royal
      Statistical Society, Series A, 135, 185–207.
    - Pitman, E. J. G. (1937). Significance tests which may be applied to samples from any populations. Supplement to
      the Journal of the Royal Statistical Society, 4.

    Examples
    --------
    >>> games = {"rounds": [3, 5, 6, 8, 9, 4, 5, 7, 11, 12], "agreed": [1, 1, 1, 0, 1, 1, 0, 1, 1, 0]}
    >>> games["agent"] = ["fair"] * 5 + ["tough"] * 5
    >>> log_rank(games, "rounds", "agreed", by="agent").apa()
    'log-rank χ²(1) = 1.20, p = .274'
    """
    check_choice("weights", weights, WEIGHTS)
    rho, gamma = check_number("rho", rho), check_number("gamma", gamma)
    if weights != "fleming-harrington" and (rho or gamma):
        raise DesignError(f"rho and gamma belong to weights='fleming-harrington', not to {weights!r}")
    ends = SurvivalData.of(data, time, ended, event, censored, by=by, strata=strata, cluster=cluster)
    return _test(ends, weights, rho, gamma)


def _test(ends: SurvivalData, weights: Weights, rho: float, gamma: float) -> LogRank:
    check_groups(ends, "log_rank")
    own = ends.one_cause
    y = own.at_risk  # strata, groups, times
    d = own.n[..., 1]
    total, events = y.sum(axis=1), d.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(total[:, None] > 0, y / total[:, None], 0.0)
        survival = np.cumprod(np.where(total > 0, 1 - events / total, 1.0), axis=-1)
        tie_factor = np.where(total > 1, (total - events) / (total - 1), 0.0)
    survival_before = np.concatenate([np.ones((len(survival), 1)), survival[:, :-1]], axis=-1)
    if weights == "gehan":
        w = total
    elif weights == "tarone-ware":
        w = np.sqrt(total)
    else:
        w = survival_before**rho * (1 - survival_before) ** gamma
    expected = w[:, None] * share * events[:, None]
    observed = w[:, None] * d
    score = (observed - expected).sum(axis=(0, 2))
    rate = np.divide(events, total, where=total > 0, out=np.zeros_like(total))
    group_of_cluster = like_clusters(own) if own.clusters else None
    if group_of_cluster is not None:
        found = _compare_clusters(own, w, rate, group_of_cluster)
    else:
        if own.clusters:
            spread = clustered(own, _move(own, w, share, rate))
        else:
            each = w**2 * events * tie_factor
            # δ − share is exactly 0 where a group alone is at risk, which a difference of sums is not
            deviations = np.eye(y.shape[1])[None, :, :, None] - share[:, None]
            spread = np.einsum("st,sgt,sght->gh", each, share, deviations)
        statistic, rank = quadratic(score, spread)
        found = _Found(statistic, float(rank), np.inf, float(special.chdtrc(rank, statistic)), spread)
    return LogRank(
        statistic=found.statistic,
        df=found.df,
        df2=found.df2,
        p=found.p,
        labels=ends.group.levels,
        n=ends.sizes,
        observed=tuple(observed.sum(axis=(0, 2)).tolist()),
        expected=tuple(expected.sum(axis=(0, 2)).tolist()),
        event=ends.event,
        competing=ends.competing,
        weights=weights,
        rho=rho,
        gamma=gamma,
        strata=len(ends.stratum),
        clusters=ends.clusters,
        missing=ends.missing,
        covariance=found.covariance,
        ends=ends,
    )


def _find_gap(ends: SurvivalData) -> GroupDifference:
    return kaplan_meier(ends.one_cause).restricted_mean().difference()


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    statistic: float
    df: float
    df2: float
    p: float
    covariance: FloatArray


def _compare_clusters(ends: SurvivalData, w: FloatArray, rate: FloatArray, group_of_cluster: IntArray) -> _Found:
    """Compare clusters' summed scores between groups by F; the scores are those of all groups taken together."""
    strata, groups, times, kinds = ends.n.shape
    hazard_sums = np.cumsum(w * rate, axis=-1)
    risk = np.broadcast_to(-hazard_sums[:, None, :, None], (strata, groups, times, kinds)).copy()
    risk[..., 1] += w[:, None]
    scores = per_cluster(ends, risk.reshape(-1, 1))
    sizes_of = np.broadcast_to((hazard_sums + w)[:, None, :, None], risk.shape)  # of what is subtracted in a score
    largest = per_cluster(ends, sizes_of.reshape(-1, 1))
    sizes = np.bincount(group_of_cluster, minlength=groups)
    df, df2 = float(np.count_nonzero(sizes) - 1), float(len(group_of_cluster) - np.count_nonzero(sizes))
    if scores is None or largest is None or df < 1 or df2 < 1:
        raise NotEstimable(
            f"{len(group_of_cluster)} clusters cannot compare {groups} groups; there must be more clusters than groups"
        )
    x = scores[:, 0]
    means = np.bincount(group_of_cluster, x, groups) / np.maximum(sizes, 1)
    within, about = float(((x - means[group_of_cluster]) ** 2).sum()), x - x.mean()
    total = float((about**2).sum())
    rounding = (ROUNDING**2) * times * float((largest**2).sum())
    if not total > rounding:
        raise NotEstimable("at no time were units of several groups at risk; nothing can be compared")
    if not within > rounding:
        raise NotEstimable("clusters of a group all have the same score; there is no variance for a test")
    f = (total - within) / df / (within / df2)
    spread = total / (len(x) - 1) * (np.diag(sizes) - np.outer(sizes, sizes) / len(x))
    return _Found(f, df, df2, float(special.fdtrc(df, df2, f)), spread)


def _move(ends: SurvivalData, w: FloatArray, share: FloatArray, rate: FloatArray) -> FloatArray:
    """Return how a unit at each place of ``ends.n`` moves the score, shape ``(places, groups)``."""
    groups = len(ends.group)
    # axes: stratum, the unit's group, time, the score's group
    deviations = np.eye(groups)[None, :, None, :] - np.moveaxis(share, 1, 2)[:, None]
    risk = -np.cumsum((w * rate)[:, None, :, None] * deviations, axis=2)
    out = np.stack([risk, risk + w[:, None, :, None] * deviations], axis=3)
    return np.asarray(out.reshape(ends.n.size, groups))
