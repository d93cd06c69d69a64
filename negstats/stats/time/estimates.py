"""How much each unit moves a curve of time, which gives variances, and estimates of groups that may depend."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import sparse

from negstats.errors import DesignError, NotEstimable
from negstats.stats.results import apa
from negstats.stats.results.intervals import quantile, t_interval
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.results.options import find_name, t_tails
from negstats.stats.results.result import Interval, Result, with_schema
from negstats.stats.summaries.frames import IntArray
from negstats.stats.time.ends import SurvivalData

Scale = Literal["plain", "log-log"]


@dataclass(frozen=True, slots=True, repr=False)
class GroupDifference(Result):
    """The difference of two groups' estimates, signed as first minus second, with a normal test.

    Attributes
    ----------
    what, first, second : str
        What was estimated, and the two groups.
    estimate, se, statistic, p : float
        The difference, its standard error, z and two-sided p.
    """

    what: str
    first: str
    second: str
    estimate: float
    se: float
    statistic: float
    p: float

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the normal interval."""
        return t_interval(self.estimate, self.se, np.inf, confidence_level, method="normal")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``A – B: 3.10, 95% CI [−1.20, 7.40], z = 1.41, p = .158``."""
        note = f"{self.confidence_interval(confidence_level)}, z = {apa.number(self.statistic)}, {apa.p_value(self.p)}"
        return f"{self.first} – {self.second}: {apa.number(self.estimate)}, {note}"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class GroupEstimates(Result):
    """A number for each group.

    Attributes
    ----------
    what : str
        What was estimated, such as "restricted mean".
    at : float
        The time that it goes to.
    factor : str
        Name of the groups; empty for one.
    labels : tuple of str
        The groups.
    estimate, se : ndarray, shape (groups,)
    covariance : ndarray, shape (groups, groups)
        Not diagonal where clusters have units in several groups.
    scale : str
        "plain" or "log-log" (for shares): how intervals are made.
    """

    what: str
    at: float
    factor: str
    labels: tuple[str, ...]
    estimate: FloatArray
    covariance: FloatArray = field(repr=False)
    scale: Scale = "plain"

    @property
    def se(self) -> FloatArray:
        """The standard errors."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)))

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return each group's interval; missing where a share is 0 or 1."""
        if self.scale == "log-log":
            return Interval(*log_log(self.estimate, self.se, confidence_level), confidence_level, "log-log")
        return t_interval(self.estimate, self.se, np.inf, confidence_level, method="normal")

    def difference(self, first: str | None = None, second: str | None = None) -> GroupDifference:
        """Return the difference of two groups; of the two that there are, if none is named.

        Raises
        ------
        DesignError
            If a group is unknown, or none is named and there are not two.
        NotEstimable
            If neither estimate varies.
        """
        if first is None and second is None and len(self.labels) == 2:
            first, second = self.labels
        group_indices = [find_name(name, self.labels, "there is no group") for name in (first, second)]
        if group_indices[0] == group_indices[1]:
            raise DesignError(f"{first!r} is named twice; a difference takes two groups")
        row = np.zeros(len(self.labels))
        row[group_indices] = 1.0, -1.0
        value, se = float(row @ self.estimate), float(np.sqrt(max(0.0, float(row @ self.covariance @ row))))
        if not se > 0:
            raise NotEstimable(f"the {self.what} of {first!r} and {second!r} at {self.at:g} do not vary")
        z = value / se
        return GroupDifference(
            self.what, self.labels[group_indices[0]], self.labels[group_indices[1]], value, se, z, float(t_tails(z))
        )

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a group: estimate, se, low, high."""
        interval = self.confidence_interval(confidence_level)
        columns = {"estimate": self.estimate, "se": self.se, "low": interval.low, "high": interval.high}
        frame = pd.DataFrame({"group": list(self.labels), "what": self.what, "at": self.at} | columns)
        return with_schema(frame, "GroupEstimates/1")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return each group's number with its interval."""
        texts = (
            f"{row['group'] + ': ' if row['group'] else ''}{apa.number(row['estimate'])}, "
            f"{Interval(row['low'], row['high'], confidence_level)}"
            for row in self.to_frame(confidence_level).to_dict("records")
        )
        return f"{self.what} (t = {self.at:g}): {'; '.join(texts)}"


def log_log(share: FloatArray, se: FloatArray, confidence_level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Return a share's interval on the log-minus-log scale; NaN where the share is 0 or 1.

    Notes
    -----
    share^exp(± q se/(share ln share)), Kalbfleisch and Prentice (1980).

    Examples
    --------
    >>> low, high = log_log(np.array([0.7260504201681]), np.array([0.10]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.475], [0.871])
    """
    critical = quantile(confidence_level)
    with np.errstate(divide="ignore", invalid="ignore"):
        open_share = np.where((share > 0) & (share < 1), share, np.nan)
        exponent = np.exp(critical * se / (open_share * np.log(open_share)))
    bounds = np.stack([open_share**exponent, open_share ** (1 / exponent)])
    return np.asarray(bounds.min(axis=0)), np.asarray(bounds.max(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One group's Aalen–Johansen estimate of the event (with one kind of end, 1 − Kaplan and Meier).

    Attributes
    ----------
    y, d1, d : ndarray, shape (times,)
        At risk, events of interest, and ends of any kind but censoring.
    before, after : ndarray
        Share that has not ended just before and after each time.
    incidence : ndarray
        Share that has had the event.
    """

    y: FloatArray
    d1: FloatArray
    d: FloatArray
    before: FloatArray
    after: FloatArray
    incidence: FloatArray

    @classmethod
    def of(cls, n: FloatArray) -> Curve:
        """Take counts of shape ``(times, kinds)``."""
        y = n.sum(axis=-1)[::-1].cumsum()[::-1]
        d1, d = n[:, 1], n[:, 1:].sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            survival = np.cumprod(np.where(y > 0, 1 - d / y, 1.0))
            survival_before = np.append(1.0, survival[:-1])
            incidence = np.cumsum(np.where(y > 0, survival_before * d1 / y, 0.0))
        return cls(y, d1, d, survival_before, np.asarray(survival, dtype=np.float64), incidence)


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """How a curve changes with the weight of a unit, for units that ended at `at`.

    Attributes
    ----------
    at : ndarray of int, shape (units,)
        Places of the times at which the units ended.
    common, left : ndarray, shape (times,)
        The change at times before a unit's end, the same for all units; and what the incidence rises by after a time.
    level, slope : ndarray, shape (units,)
        From a unit's end on the change at a time is ``level + slope * left``.

    Notes
    -----
    With h the hazard of any end and h₁ of the event, dF(t) = Σ_{u ≤ t} S(u−) ∂h₁(u) − (F(t) − F(u)) ∂h(u)/(1 − h(u)),
    ∂h(u) = (1[ended at u] − 1[at risk] h(u))/Y(u); the sums run to the unit's own end. F(t) − F(u) is taken as what is
    left after u less what is left after t: late terms are small then, as their sum is.
    """

    at: IntArray
    common: FloatArray
    left: FloatArray
    level: FloatArray
    slope: FloatArray

    @classmethod
    def of(cls, curve: Curve, at: IntArray, kind: IntArray) -> Influence:
        """Take the places of the times and kinds at which units ended."""
        with np.errstate(divide="ignore", invalid="ignore"):
            event_influence = np.where(curve.y > 0, curve.before / curve.y, 0.0)
            n_staying = curve.y - curve.d  # nobody stays where the last ended; nothing changes after that
            inverse_stayed = np.where(n_staying > 0, 1 / n_staying, 0.0)
            event_sum = np.cumsum(np.where(curve.y > 0, event_influence * curve.d1 / curve.y, 0.0))
            hazard = inverse_stayed * np.where(curve.y > 0, curve.d / curve.y, 0.0)
        # What a unit's end changes later: the hazard of any end, times the incidence that was still to come.
        incidence_left = curve.incidence[-1] - curve.incidence
        any_end, weighted_hazard = np.cumsum(hazard), np.cumsum(hazard * incidence_left)
        jump = np.where(kind > 0, inverse_stayed[at], 0.0)
        level = (
            weighted_hazard[at]
            - event_sum[at]
            + np.where(kind == 1, event_influence[at], 0.0)
            - jump * incidence_left[at]
        )
        return cls(
            at, weighted_hazard - event_sum - incidence_left * any_end, incidence_left, level, jump - any_end[at]
        )

    def summed(self, until: IntArray, weights: FloatArray) -> FloatArray:
        """Return weighted sums of the change over ascending places of times: weights (times, sums), (units, sums)."""
        zero_row = np.zeros((1, weights.shape[1]))
        sums_before = np.concatenate([zero_row, np.cumsum(self.common[until, None] * weights, axis=0)])
        sums_after, sums_of_left = (
            np.concatenate([np.cumsum(summand[::-1], axis=0)[::-1], zero_row])
            for summand in (weights, self.left[until, None] * weights)
        )
        positions = np.searchsorted(until, self.at)
        return np.asarray(
            sums_before[positions]
            + self.level[:, None] * sums_after[positions]
            + self.slope[:, None] * sums_of_left[positions]
        )

    def squared(self, times: FloatArray, cluster: IntArray | None) -> FloatArray:
        """Return at each time Σ z², z the changes of a unit (of a cluster) in sum; `times` is how often each counts.

        Of a cluster z = c N + P + G Q, with c `common`, G `left`, N its units whose end is to come, and P and Q the
        levels and slopes of those who have ended: sums of products change at its own ends only.
        """
        at, level, slope = self.at, self.level, self.slope
        if cluster is None:  # `times` units at a place, each alone: its end is to come, or it has ended
            root_times, zeros = np.sqrt(times), np.zeros(len(at))
            sums_ahead, sums_behind, start = (
                np.stack([root_times, zeros, zeros]),
                np.stack([zeros, root_times * level, root_times * slope]),
                times.sum(),
            )
        else:
            # In a cluster, units in the order of their ends: those ahead
            # are still at risk, those behind have ended.
            order = np.lexsort((at, cluster))
            at, unit_sums = at[order], np.stack([-times, times * level, times * slope])[:, order]
            _, first_rows, cluster_code = np.unique(cluster[order], return_index=True, return_inverse=True)
            size = np.add.reduceat(times[order], first_rows)
            sums_behind = np.cumsum(unit_sums, axis=1)
            sums_behind -= (sums_behind - unit_sums)[:, first_rows][:, cluster_code]
            sums_behind[0] += size[cluster_code]
            sums_ahead, start = sums_behind - unit_sums, (size**2).sum()
        factors = np.stack([self.common, np.ones_like(self.left), self.left])
        # Squared sums in time, one product of two sums at a time; what rounding alone leaves is set to 0.
        total, largest = np.zeros((2, len(self.left)))
        for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
            change = np.bincount(at, sums_behind[a] * sums_behind[b] - sums_ahead[a] * sums_ahead[b], len(self.left))
            sums = np.cumsum(change) + (start if a == b == 0 else 0.0)
            rounding = np.cumsum(
                np.bincount(
                    at, np.abs(sums_behind[a] * sums_behind[b]) + np.abs(sums_ahead[a] * sums_ahead[b]), len(self.left)
                )
            )
            weight = (1 + (a != b)) * factors[a] * factors[b]
            total += weight * sums
            largest += np.abs(weight) * (rounding + (start if a == b == 0 else 0.0))
        # The rounding of k sums grows as the root of k (Higham and Mary, 2019, SIAM J. Scientific Computing 41, A2815).
        return np.where(total > ROUNDING * np.sqrt(len(at)) * largest, total, 0.0)


def covariance(ends: SurvivalData, moved: FloatArray) -> FloatArray:
    """Return the covariance matrix of estimates from how each place of ``ends.n`` moves them.

    Parameters
    ----------
    moved : ndarray, shape (places, estimates)
        For each flat place of `ends.n`, the influence of one unit there.

    Notes
    -----
    The sum over units of the outer products of their influence; with clusters, over clusters of summed influence.
    """
    total = per_cluster(ends, moved)
    if total is None:
        return np.asarray((moved * ends.n.reshape(-1, 1)).T @ moved)
    return np.asarray(total.T @ total)


def per_cluster(ends: SurvivalData, moved: FloatArray) -> FloatArray | None:
    """Return the influence summed by cluster, shape ``(clusters, estimates)``; None without clusters."""
    if ends.place is None or ends.cluster is None:
        return None
    counts = (np.ones(len(ends.place)) if ends.times is None else ends.times, (ends.cluster, ends.place))
    matrix: Any = sparse.csr_array(counts, shape=(ends.clusters, ends.n.size))
    return np.asarray(matrix @ moved)


def standard_errors(ends: SurvivalData, curves: list[Curve]) -> FloatArray:
    """Return the standard error of each group's incidence at each time, shape ``(groups, times)``."""
    _, groups, times, kinds = ends.n.shape
    errors = np.zeros((groups, times))
    for group, curve in enumerate(curves):
        if ends.place is None or ends.cluster is None or ends.times is None:
            n = ends.n[0, group].ravel()
            filled, cluster = np.flatnonzero(n > 0), None
            n = n[filled]
        else:
            in_group = ends.place // (times * kinds) == group
            filled, cluster, n = ends.place[in_group] % (times * kinds), ends.cluster[in_group], ends.times[in_group]
        errors[group] = np.sqrt(Influence.of(curve, *np.divmod(filled, kinds)).squared(n, cluster))
    return errors


def curve_influence(ends: SurvivalData, curves: list[Curve], until: IntArray, weights: FloatArray) -> FloatArray:
    """Return how each place of ``ends.n`` moves weighted sums over times of each group's incidence.

    Parameters
    ----------
    until : ndarray of int, shape (times,)
        Ascending.
    weights : ndarray, shape (times, sums)

    Returns
    -------
    ndarray, shape (places, groups × sums)
    """
    groups, times, kinds = ends.n.shape[1:]
    influences = np.zeros((groups, times * kinds, groups, weights.shape[1]))
    for group, curve in enumerate(curves):
        filled_cells = np.flatnonzero(ends.n[0, group].ravel() > 0)
        influences[group, filled_cells, group] = Influence.of(curve, *np.divmod(filled_cells, kinds)).summed(
            until, weights
        )
    return influences.reshape(groups * times * kinds, -1)
