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
        gap = "incidence_difference", _find_gap
        return pairs(self.ends, self._compute_again, gap, adjust, "Gray")

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

    def _compute_again(self, ends: SurvivalData) -> Gray:
        return _test(ends, self.rho)


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


def _test(ends: SurvivalData, rho: float) -> Gray:
    check_groups(ends, "gray")
    groups = len(ends.group)
    score, spread = np.zeros(groups), np.zeros((groups, groups))
    influences = np.zeros((*ends.n.shape, groups))
    for stratum, n in enumerate(ends.n):
        stratum_score = Stratum.of(n, rho)
        score += stratum_score.score
        if ends.clusters:
            influences[stratum] = stratum_score.moved(n)
        else:
            spread += stratum_score.covariance
    if ends.clusters:
        spread = clustered(ends, influences.reshape(-1, groups))
    statistic, rank = quadratic(score, spread)
    return Gray(
        statistic=statistic,
        df=float(rank),
        p=float(special.chdtrc(rank, statistic)),
        labels=ends.group.levels,
        n=ends.sizes,
        event=ends.event,
        competing=ends.kinds[2:],
        observed=tuple(ends.n[..., 1].sum(axis=(0, 2)).tolist()),
        score=tuple(score.tolist()),
        rho=rho,
        strata=len(ends.stratum),
        clusters=ends.clusters,
        missing=ends.missing,
        covariance=spread,
        ends=ends,
    )


def _find_gap(ends: SurvivalData) -> GroupDifference:
    shares = cumulative_incidence(ends)
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
        curves = [Curve.of(own) for own in n]
        y, survival_before, survival = (
            np.stack([getattr(curve, name) for curve in curves]) for name in ("y", "before", "after")
        )
        incidence = np.stack([np.append(0.0, curve.incidence[:-1]) for curve in curves])
        d1 = n[..., 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            h = np.where(y > 0, y / survival_before, 0.0)
            step = np.where(h.sum(axis=0) > 0, d1.sum(axis=0) / h.sum(axis=0), 0.0)
        pooled = np.cumsum(step)
        weight = np.maximum(1 - np.append(0.0, pooled[:-1]), 0.0) ** rho
        d2 = n[..., 2:].sum(axis=-1)
        return cls(curves, d1, d2, y, survival_before, survival, h, h * (1 - incidence), weight, pooled)

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
        out = np.zeros((groups, groups))
        with np.errstate(divide="ignore", invalid="ignore"):
            for k in range(groups):
                a = self.weight * self.h * (np.eye(groups)[k][:, None] - np.where(h > 0, self.h[k] / h, 0.0))
                c = np.cumsum(np.where((h > 0) & (d1 > 0), a * d1 / (h * free_of_event), 0.0), axis=1)
                rest = c[:, -1:] - c
                alive = self.after[k] > 0
                e = (1 - self.pooled) / self.after[k]  # used where alive alone
                b = a + np.where(alive, 1 - e, 1.0) * rest
                tie_factor = np.where(d1 > 1, 1 - (d1 - 1) / (h * self.before[k] - 1), 1.0)
                first = np.where((d1 > 0) & (self.y[k] > 0), tie_factor * self.before[k] * d1 / (h * self.y[k]), 0.0)
                d2 = self.d2[k]
                tie_factor = np.where(d2 > 1, 1 - (d2 - 1) / (self.y[k] - 1), 1.0)
                second = np.where((d2 > 0) & alive, tie_factor * e**2 * self.before[k] ** 2 * d2 / self.y[k] ** 2, 0.0)
                out += (b * first) @ b.T + (rest * second) @ rest.T
        return out

    def moved(self, n: FloatArray) -> FloatArray:
        """Return how one unit at each place of ``n`` moves the score, shape ``(groups, times, kinds, groups)``."""
        groups, times, kinds = n.shape
        out = np.zeros((groups, times * kinds, groups))
        total = self.risk.sum(axis=0)
        rate = np.divide(self.weight * self.d1.sum(axis=0), total, out=np.zeros(times), where=total > 0)
        for g, curve in enumerate(self.curves):
            deviations = (np.eye(groups)[g][:, None] - self.shares).T  # times, groups
            filled_cells = np.flatnonzero(n[g].ravel() > 0)
            at, kind = np.divmod(filled_cells, kinds)
            out[g, filled_cells] = -self._risk_moved(g, curve, at, kind, rate[:, None] * deviations)
            events = filled_cells[kind == 1]
            out[g, events] += self.weight[at[kind == 1], None] * deviations[at[kind == 1]]
        return np.asarray(out.reshape(groups, times, kinds, groups))

    def _risk_moved(self, g: int, curve: Curve, at: IntArray, kind: IntArray, pull: FloatArray) -> FloatArray:
        """Return how units of a group move sums of its R(t) = Y(t)(1 − F(t−))/S(t−), weighted by `pull` (times, sums).

        A unit is in Y up to its end, and moves F and S at each time for the times after.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            at_risk = self.y[g] > 0
            scale = np.where(at_risk, self.risk[g] / self.y[g], 0.0)
            weight = np.where(at_risk, self.y[g] / self.before[g], 0.0)
        any_end = Curve(curve.y, curve.d, curve.d, curve.before, curve.after, 1 - curve.after)
        until, next_pull = np.arange(len(pull) - 1), weight[1:, None] * pull[1:]
        event = Influence.of(curve, at, kind).summed(until, next_pull)
        either = Influence.of(any_end, at, np.minimum(kind, 1)).summed(until, scale[1:, None] * next_pull)
        return np.asarray(np.cumsum(scale[:, None] * pull, axis=0)[at] + either - event)
