"""Gray's test: whether groups differ in the cumulative incidence of an event when other ends compete with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import special

from negstats.stats.pairs import Pairs
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_number
from negstats.stats.results.result import Result
from negstats.stats.summaries.frames import IntArray
from negstats.stats.time.ends import Names, SurvivalData
from negstats.stats.time.estimates import Curve, GroupDifference, Influence
from negstats.stats.time.incidence import cumulative_incidence
from negstats.stats.time.log_rank import check_groups, clustered, pairs, quadratic


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Gray(Result):
    """Gray's test of equal cumulative incidence of an event.

    Attributes
    ----------
    statistic, df, p : float
        Chi-squared, its degrees of freedom, and p.
    labels : tuple of str
        The groups.
    n : tuple of int
        Units of each.
    event : str
        The event.
    competing : tuple of str
        The other ends.
    observed : tuple of float
        Units of each group that had the event.
    score : tuple of float
        Observed minus expected, weighted.
    rho : float
        Times are weighed by (1 − F(t−))^rho.
    strata, clusters, missing : int
        Strata (1 if there are none), clusters (0 without any), and rows that lacked a value.
    covariance : ndarray, shape (groups, groups)
        Of the score.
    """

    statistic: float
    df: float
    p: float
    labels: tuple[str, ...]
    n: tuple[int, ...]
    event: str
    competing: tuple[str, ...] = field(repr=False)
    observed: tuple[float, ...]
    score: tuple[float, ...]
    rho: float
    strata: int
    clusters: int
    missing: int
    covariance: FloatArray = field(repr=False)
    ends: SurvivalData = field(repr=False)

    def pairwise(self, adjust: str = "holm") -> Pairs:
        """Compare every two groups by the same test, with p corrected for their number.

        The effect is the first's share with the event less the second's, at the earlier of their two largest times.

        Parameters
        ----------
        adjust
            Correction of p for the number of comparisons, such as "holm", "bonferroni" or "none".

        Returns
        -------
        Pairs
            One comparison for every two groups, in their order.
        """
        effect = "incidence_difference", _incidence_difference
        return pairs(self.ends, self._compute_again, effect, adjust, "Gray")

    def apa(self) -> str:
        """Return such as ``Gray's χ²(1) = 4.12, p = .042``.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        extra = [f"{self.strata} strata"] if self.strata > 1 else []
        extra += [f"{self.clusters} clusters"] if self.clusters else []
        note = f" ({', '.join(extra)})" if extra else ""
        return f"Gray's {apa.statistic('χ²', self.statistic, (self.df,), self.p)}{note}"

    def _compute_again(self, data: SurvivalData) -> Gray:
        return _test(data, self.rho)


def gray(
    data: Any,
    time: str = "time",
    ended: str = "ended",
    event: Names | None = None,
    censored: Names = (),
    *,
    by: str | None = None,
    strata: str | None = None,
    cluster: str | None = None,
    rho: float = 0.0,
) -> Gray:
    """Compare the cumulative incidence of an event between groups (Gray, 1988).

    Parameters
    ----------
    data
        A frame of any engine, or arrays by name, with one row a unit; or `SurvivalData`.
    time, ended
        When each unit ended or was last seen, and how.
    event, censored
        The levels of `ended` that are the event, and those that only say that watching stopped; all others compete.
    by
        The column of the groups.
    strata
        Groups are compared inside each stratum.
    cluster
        The column of what makes rows dependent (pair, person): the variance is then that of clusters' summed influence
        on the score.
    rho
        Times are weighed by (1 − F(t−))^rho with F the pooled incidence.

    Returns
    -------
    Gray
        The statistic with df and p, and the observed events and the score of each group.

    Raises
    ------
    DesignError
        If there are not two groups, or a column is wrong.
    NotEstimable
        If there is no event, or at no time were units of several groups at risk.

    Notes
    -----
    With the corrections for ties of Gray's program cmprsk. With clusters the score is the same and its variance the
    infinitesimal jackknife's, which needs no model of the dependence (the weights of rho are taken as fixed), times
    J/(J − 1) for J clusters.

    References
    ----------
    Gray, R. J. (1988). A class of K-sample tests for comparing the cumulative incidence of a competing risk. The Annals
    of Statistics, 16, 1141–1154.

    Examples
    --------
    >>> games = {"rounds": [3, 5, 6, 8, 9, 4, 5, 7, 11, 12], "agent": ["fair"] * 5 + ["tough"] * 5}
    >>> games["ended"] = ["deal", "deal", "walk", "deal", "time", "walk", "deal", "walk", "deal", "time"]
    >>> gray(games, "rounds", "ended", "deal", "time", by="agent").apa()
    "Gray's χ²(1) = 1.43, p = .232"
    """
    rho = check_number("rho", rho)
    ends = SurvivalData.of(data, time, ended, event, censored, by=by, strata=strata, cluster=cluster)
    return _test(ends, rho)


def _test(data: SurvivalData, rho: float) -> Gray:
    check_groups(data, "gray")
    groups = len(data.group)
    score, covariance = np.zeros(groups), np.zeros((groups, groups))
    influences = np.zeros((*data.n.shape, groups))
    # Scores and their variances add over strata, which are independent.
    for stratum, n in enumerate(data.n):
        stratum_score = Stratum.of(n, rho)
        score += stratum_score.score
        if data.clusters:
            influences[stratum] = stratum_score.moved(n)
        else:
            covariance += stratum_score.covariance
    if data.clusters:
        covariance = clustered(data, influences.reshape(-1, groups))
    statistic, rank = quadratic(score, covariance)
    return Gray(
        statistic=statistic,
        df=float(rank),
        p=float(special.chdtrc(rank, statistic)),
        labels=data.group.levels,
        n=data.sizes,
        event=data.event,
        competing=data.kinds[2:],
        observed=tuple(data.n[..., 1].sum(axis=(0, 2)).tolist()),
        score=tuple(score.tolist()),
        rho=rho,
        strata=len(data.stratum),
        clusters=data.clusters,
        missing=data.missing,
        covariance=covariance,
        ends=data,
    )


def _incidence_difference(data: SurvivalData) -> GroupDifference:
    shares = cumulative_incidence(data)
    return shares.at(float(shares.last.min())).difference()


@dataclass(frozen=True, slots=True, eq=False)
class Stratum:
    """The parts of Gray's score in one stratum; arrays have the shape ``(groups, times)`` or ``(times,)``."""

    curves: list[Curve]
    d1: FloatArray
    d2: FloatArray
    y: FloatArray
    before: FloatArray  # S_k(t−)
    after: FloatArray  # S_k(t)
    h: FloatArray  # Y_k/S_k(t−)
    risk: FloatArray  # R_k
    weight: FloatArray
    pooled: FloatArray  # F₀(t)

    @classmethod
    def of(cls, n: FloatArray, rho: float) -> Stratum:
        """Return the parts of the score of one stratum's counts, with the weights of `rho`."""
        curves = [Curve.of(group_counts) for group_counts in n]
        y, survival_before, survival = (
            np.stack([getattr(curve, name) for curve in curves]) for name in ("y", "before", "after")
        )
        incidence = np.stack([np.append(0.0, curve.incidence[:-1]) for curve in curves])
        d1 = n[..., 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            # Those at risk of the subdistribution: who ended otherwise stays, as far as watching would
            # have gone on.
            subdistribution_risk = np.where(y > 0, y / survival_before, 0.0)
            step = np.where(
                subdistribution_risk.sum(axis=0) > 0, d1.sum(axis=0) / subdistribution_risk.sum(axis=0), 0.0
            )
        pooled = np.cumsum(step)
        # Pooled incidence just before each time gives the weight of rho.
        weight = np.maximum(1 - np.append(0.0, pooled[:-1]), 0.0) ** rho
        d2 = n[..., 2:].sum(axis=-1)
        return cls(
            curves,
            d1,
            d2,
            y,
            survival_before,
            survival,
            subdistribution_risk,
            subdistribution_risk * (1 - incidence),
            weight,
            pooled,
        )

    @property
    def shares(self) -> FloatArray:
        """R_k/ΣR."""
        total = self.risk.sum(axis=0)
        return np.asarray(np.divide(self.risk, total, out=np.zeros_like(self.risk), where=total > 0))

    @property
    def score(self) -> FloatArray:
        """Σ w (d_1k − d₁ R_k/ΣR)."""
        return np.asarray((self.weight * (self.d1 - self.d1.sum(axis=0) * self.shares)).sum(axis=-1))

    @property
    def covariance(self) -> FloatArray:
        """Gray's variance of the score, for independent units."""
        groups = len(self.y)
        d1, h = self.d1.sum(axis=0), self.h.sum(axis=0)
        free_of_event = 1 - np.append(0.0, self.pooled[:-1])
        total = np.zeros((groups, groups))
        with np.errstate(divide="ignore", invalid="ignore"):
            for group in range(groups):
                # The score as a sum over groups' counting processes: what an event of group k adds to
                # each group's score.
                own_weight = (
                    self.weight * self.h * (np.eye(groups)[group][:, None] - np.where(h > 0, self.h[group] / h, 0.0))
                )
                cumulative_weight = np.cumsum(
                    np.where((h > 0) & (d1 > 0), own_weight * d1 / (h * free_of_event), 0.0), axis=1
                )
                # An end of any kind also moves the risk of all later events.
                later_weight = cumulative_weight[:, -1:] - cumulative_weight
                is_alive = self.after[group] > 0
                survival_ratio = (1 - self.pooled) / self.after[group]  # used where alive alone
                event_weight = own_weight + np.where(is_alive, 1 - survival_ratio, 1.0) * later_weight
                # Variances of the two kinds of end, with the factor for tied ones.
                tie_factor = np.where(d1 > 1, 1 - (d1 - 1) / (h * self.before[group] - 1), 1.0)
                event_variance = np.where(
                    (d1 > 0) & (self.y[group] > 0), tie_factor * self.before[group] * d1 / (h * self.y[group]), 0.0
                )
                d2 = self.d2[group]
                tie_factor = np.where(d2 > 1, 1 - (d2 - 1) / (self.y[group] - 1), 1.0)
                competing_variance = np.where(
                    (d2 > 0) & is_alive,
                    tie_factor * survival_ratio**2 * self.before[group] ** 2 * d2 / self.y[group] ** 2,
                    0.0,
                )
                total += (event_weight * event_variance) @ event_weight.T + (
                    later_weight * competing_variance
                ) @ later_weight.T
        return total

    def moved(self, n: FloatArray) -> FloatArray:
        """Return how one unit at each place of ``n`` moves the score, shape ``(groups, times, kinds, groups)``."""
        groups, times, kinds = n.shape
        influences = np.zeros((groups, times * kinds, groups))
        total = self.risk.sum(axis=0)
        rate = np.divide(self.weight * self.d1.sum(axis=0), total, out=np.zeros(times), where=total > 0)
        for group, curve in enumerate(self.curves):
            deviations = (np.eye(groups)[group][:, None] - self.shares).T  # times, groups
            filled_cells = np.flatnonzero(n[group].ravel() > 0)
            at, kind = np.divmod(filled_cells, kinds)
            influences[group, filled_cells] = -self._risk_moved(group, curve, at, kind, rate[:, None] * deviations)
            events = filled_cells[kind == 1]
            influences[group, events] += self.weight[at[kind == 1], None] * deviations[at[kind == 1]]
        return np.asarray(influences.reshape(groups, times, kinds, groups))

    def _risk_moved(self, group: int, curve: Curve, at: IntArray, kind: IntArray, weights: FloatArray) -> FloatArray:
        """Return how units of a group move sums of R(t) = Y(t)(1 − F(t−))/S(t−), weighted by `weights` (times, sums).

        A unit is in Y up to its end, and moves F and S at each time for the times after.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            at_risk = self.y[group] > 0
            scale = np.where(at_risk, self.risk[group] / self.y[group], 0.0)
            weight = np.where(at_risk, self.y[group] / self.before[group], 0.0)
        any_end = Curve(curve.y, curve.d, curve.d, curve.before, curve.after, 1 - curve.after)
        until, next_weights = np.arange(len(weights) - 1), weight[1:, None] * weights[1:]
        event_influence = Influence.of(curve, at, kind).summed(until, next_weights)
        any_end_influence = Influence.of(any_end, at, np.minimum(kind, 1)).summed(until, scale[1:, None] * next_weights)
        return np.asarray(np.cumsum(scale[:, None] * weights, axis=0)[at] + any_end_influence - event_influence)
