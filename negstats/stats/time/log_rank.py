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
    varying = np.flatnonzero(size > 0)
    if not len(varying):
        raise NotEstimable("at no time were units of several groups at risk; nothing can be compared")
    # Scores of groups sum to 0: only directions with variance are tested, and their number is the df.
    values, vectors = np.linalg.eigh(spread[np.ix_(varying, varying)] / size[varying, None] / size[varying])
    is_estimable = values > np.sqrt(np.finfo(np.float64).eps)
    principal_scores = vectors[:, is_estimable].T @ (score[varying] / size[varying])
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
    lowest_group, highest_group = np.full(ends.clusters, groups), np.full(ends.clusters, -1)
    np.minimum.at(lowest_group, ends.cluster, group)
    np.maximum.at(highest_group, ends.cluster, group)
    clusters = np.bincount(highest_group, minlength=groups)
    rows = ends.n.sum(axis=(0, 2, 3))[clusters > 0] / clusters[clusters > 0]
    return highest_group if bool((lowest_group == highest_group).all() and rows.max() <= LIKE * rows.min()) else None


def pairs(
    ends: SurvivalData,
    test: Callable[[SurvivalData], Any],
    gap: tuple[str, Callable[[SurvivalData], GroupDifference]],
    adjust: str,
    method: str,
) -> Pairs:
    """Compare every two groups by a test of theirs alone, and by a difference, which `gap` names and takes."""
    check_correction(adjust)
    group_pairs = list(itertools.combinations(range(len(ends.group)), 2))
    results, gaps = np.full((len(group_pairs), 3), np.nan), np.full((len(group_pairs), 2), np.nan)
    for row, difference_row, pair_codes in zip(results, gaps, group_pairs, strict=True):
        pair = ends.only(pair_codes)
        with contextlib.suppress(NotEstimable):
            result = test(pair)
            row[:] = result.statistic, getattr(result, "df2", np.inf), result.p
        with contextlib.suppress(NotEstimable):
            difference_estimate = gap[1](pair)
            difference_row[:] = difference_estimate.estimate, difference_estimate.se
    estimate, se = gaps.T
    sizes = np.array(
        [sum(ends.sizes[group_code] for group_code in pair_codes) for pair_codes in group_pairs], dtype=np.float64
    )
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
        effect = "restricted_mean_difference", _restricted_mean_difference
        return pairs(self.ends, self._compute_again, effect, adjust, "log-rank")

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

    def _compute_again(self, data: SurvivalData) -> LogRank:
        return _test(data, self.weights, self.rho, self.gamma)


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
    survival = SurvivalData.of(data, time, ended, event, censored, by=by, strata=strata, cluster=cluster)
    return _test(survival, weights, rho, gamma)


def _weigh_times(weights: Weights, total: FloatArray, events: FloatArray, rho: float, gamma: float) -> FloatArray:
    """Return the weight of each time: the number at risk, its root, or a function of the survival just before."""
    if weights == "gehan":
        return total
    if weights == "tarone-ware":
        return np.sqrt(total)
    with np.errstate(divide="ignore", invalid="ignore"):
        survival = np.cumprod(np.where(total > 0, 1 - events / total, 1.0), axis=-1)
    survival_before = np.concatenate([np.ones((len(survival), 1)), survival[:, :-1]], axis=-1)
    return np.asarray(survival_before**rho * (1 - survival_before) ** gamma)


def _refer(score: FloatArray, covariance: FloatArray) -> _Found:
    """Return the test of a score by chi-squared, whose df are the rank of its covariance."""
    statistic, rank = quadratic(score, covariance)
    return _Found(statistic, float(rank), np.inf, float(special.chdtrc(rank, statistic)), covariance)


def _compute_covariance(time_variances: FloatArray, share: FloatArray) -> FloatArray:
    """Return the covariance of the groups' scores, each time's variance shared out as that of a hypergeometric draw."""
    # δ − share is exactly 0 where a group alone is at risk, which a difference of sums is not
    deviations = np.eye(share.shape[1])[None, :, :, None] - share[:, None]
    return np.asarray(np.einsum("st,sgt,sght->gh", time_variances, share, deviations))


def _test(data: SurvivalData, weights: Weights, rho: float, gamma: float) -> LogRank:
    check_groups(data, "log_rank")
    one_cause = data.one_cause
    at_risk = one_cause.at_risk  # strata, groups, times
    n_events = one_cause.n[..., 1]
    total, events = at_risk.sum(axis=1), n_events.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(total[:, None] > 0, at_risk / total[:, None], 0.0)
        tie_factor = np.where(total > 1, (total - events) / (total - 1), 0.0)
    time_weights = _weigh_times(weights, total, events, rho, gamma)
    # Under equal hazards each group has its share of the events at each time.
    expected = time_weights[:, None] * share * events[:, None]
    observed = time_weights[:, None] * n_events
    score = (observed - expected).sum(axis=(0, 2))
    if one_cause.clusters:
        rate = np.divide(events, total, where=total > 0, out=np.zeros_like(total))
        test = _test_clusters(one_cause, score, time_weights, share, rate)
    else:
        test = _refer(score, _compute_covariance(time_weights**2 * events * tie_factor, share))
    return LogRank(
        statistic=test.statistic,
        df=test.df,
        df2=test.df2,
        p=test.p,
        labels=data.group.levels,
        n=data.sizes,
        observed=tuple(observed.sum(axis=(0, 2)).tolist()),
        expected=tuple(expected.sum(axis=(0, 2)).tolist()),
        event=data.event,
        competing=data.competing,
        weights=weights,
        rho=rho,
        gamma=gamma,
        strata=len(data.stratum),
        clusters=data.clusters,
        missing=data.missing,
        covariance=test.covariance,
        ends=data,
    )


def _restricted_mean_difference(data: SurvivalData) -> GroupDifference:
    return kaplan_meier(data.one_cause).restricted_mean().difference()


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    statistic: float
    df: float
    df2: float
    p: float
    covariance: FloatArray


def _test_clusters(
    data: SurvivalData, score: FloatArray, time_weights: FloatArray, share: FloatArray, rate: FloatArray
) -> _Found:
    """Return the test of rows in clusters: by whole clusters where each lies in one group, else by the robust error."""
    group_of_cluster = like_clusters(data)
    if group_of_cluster is not None:
        return _compare_clusters(data, time_weights, rate, group_of_cluster)
    return _refer(score, clustered(data, _move(data, time_weights, share, rate)))


def _compare_clusters(
    data: SurvivalData, time_weights: FloatArray, rate: FloatArray, group_of_cluster: IntArray
) -> _Found:
    """Compare clusters' summed scores between groups by F; the scores are those of all groups taken together."""
    strata, groups, times, kinds = data.n.shape
    # A unit's score: its weighted event less the weighted hazard up to its end (martingale residual).
    hazard_sums = np.cumsum(time_weights * rate, axis=-1)
    risk = np.broadcast_to(-hazard_sums[:, None, :, None], (strata, groups, times, kinds)).copy()
    risk[..., 1] += time_weights[:, None]
    scores = per_cluster(data, risk.reshape(-1, 1))
    # Of what is subtracted in a score.
    sizes_of = np.broadcast_to((hazard_sums + time_weights)[:, None, :, None], risk.shape)
    largest = per_cluster(data, sizes_of.reshape(-1, 1))
    sizes = np.bincount(group_of_cluster, minlength=groups)
    df, df2 = float(np.count_nonzero(sizes) - 1), float(len(group_of_cluster) - np.count_nonzero(sizes))
    if scores is None or largest is None or df < 1 or df2 < 1:
        raise NotEstimable(
            f"{len(group_of_cluster)} clusters cannot compare {groups} groups; there must be more clusters than groups"
        )
    score_sums = scores[:, 0]
    # One-way analysis of variance of the clusters' sums, whose df count clusters.
    means = np.bincount(group_of_cluster, score_sums, groups) / np.maximum(sizes, 1)
    ss_within, deviations = float(((score_sums - means[group_of_cluster]) ** 2).sum()), score_sums - score_sums.mean()
    total = float((deviations**2).sum())
    rounding = (ROUNDING**2) * times * float((largest**2).sum())
    if not total > rounding:
        raise NotEstimable("at no time were units of several groups at risk; nothing can be compared")
    if not ss_within > rounding:
        raise NotEstimable("clusters of a group all have the same score; there is no variance for a test")
    f = (total - ss_within) / df / (ss_within / df2)
    covariance = total / (len(score_sums) - 1) * (np.diag(sizes) - np.outer(sizes, sizes) / len(score_sums))
    return _Found(f, df, df2, float(special.fdtrc(df, df2, f)), covariance)


def _move(data: SurvivalData, time_weights: FloatArray, share: FloatArray, rate: FloatArray) -> FloatArray:
    """Return how a unit at each place of ``ends.n`` moves the score, shape ``(places, groups)``."""
    groups = len(data.group)
    # axes: stratum, the unit's group, time, the score's group
    deviations = np.eye(groups)[None, :, None, :] - np.moveaxis(share, 1, 2)[:, None]
    risk = -np.cumsum((time_weights * rate)[:, None, :, None] * deviations, axis=2)
    influences = np.stack([risk, risk + time_weights[:, None, :, None] * deviations], axis=3)
    return np.asarray(influences.reshape(data.n.size, groups))
