"""Cumulative incidence of several ends that compete, after Aalen and Johansen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_number
from negstats.stats.results.result import with_schema
from negstats.stats.time.ends import Names, SurvivalData
from negstats.stats.time.estimates import Curve, GroupEstimates, covariance, curve_influence, standard_errors
from negstats.stats.time.survival import GroupCurves, place_of


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Incidence(GroupCurves):
    """The share of units that have ended in each way, by group.

    Attributes
    ----------
    events : tuple of str
        The ways to end, the event first.
    factor : str
        Name of the groups; empty for one.
    labels : tuple of str
        The groups.
    time : ndarray, shape (times,)
        Every time at which a unit of any group ended.
    share, se : ndarray, shape (events, groups, times)
        The share that has ended in this way, and its standard error: the infinitesimal jackknife over units (as in R's
        survival; R's cmprsk has another), or over clusters.
    clusters, missing : int
        Clusters (0 without any), and rows that lacked a value.
    """

    events: tuple[str, ...]
    factor: str
    labels: tuple[str, ...]
    time: FloatArray
    share: FloatArray
    se: FloatArray
    clusters: int
    missing: int
    ends: SurvivalData = field(repr=False, compare=False)

    def at(self, time: float, event: str | None = None) -> GroupEstimates:
        """Return each group's share that has ended in one way by a time, with log-log intervals.

        Parameters
        ----------
        time
            Such as the deadline.
        event
            Which end; the event if not given.

        Returns
        -------
        GroupEstimates
            One share a group, between 0 and 1, with its standard error.

        Raises
        ------
        DesignError
            If no unit ended in that way, or watching stopped before.
        """
        data = self.ends if event is None else self.ends.cause(event)
        self._check_reached(check_number("time", time))
        curves = [Curve.of(n) for n in data.n[0]]
        position = place_of(self.time, time)
        value = np.array([curve.incidence[position] if position >= 0 else 0.0 for curve in curves])
        variances = np.zeros((len(curves), len(curves)))
        if position >= 0:
            variances = covariance(data, curve_influence(data, curves, np.array([position]), np.ones((1, 1))))
        return GroupEstimates(f"share with {data.event}", time, self.factor, self.labels, value, variances, "log-log")

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row an end, a group, and a time at which a unit of the group ended.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            The end, the group, the time, the share that has ended so, and the ends of its band.
        """
        band = self.band(confidence_level)
        y, n = self.ends.at_risk[0], self.ends.n[0]
        frames = []
        for e, event in enumerate(self.events):
            for g, label in enumerate(self.labels):
                has_ends = n[g].sum(axis=-1) > 0
                columns = {
                    "at_risk": y[g, has_ends].astype(int),
                    "ended": n[g, has_ends, e + 1].astype(int),
                    "share": self.share[e, g, has_ends],
                    "se": self.se[e, g, has_ends],
                    "low": np.asarray(band.low)[e, g, has_ends],
                    "high": np.asarray(band.high)[e, g, has_ends],
                }
                frames.append(pd.DataFrame({"event": event, "group": label, "time": self.time[has_ends]} | columns))
        return with_schema(pd.concat(frames, ignore_index=True), "Incidence/1")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return each group's share with each end at the least of the groups' last times.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            One clause a group and end, with semicolons between.
        """
        last_time = float(self.last.min())
        return "; ".join(self.at(last_time, event).apa(confidence_level) for event in self.events)

    def _share_left(self, group: int, position: int) -> float:
        return 1 - float(self.share[:, group, position].sum())


def cumulative_incidence(
    data: Any,
    time: str = "time",
    ended: str = "ended",
    event: Names | None = None,
    censored: Names = (),
    *,
    by: str | None = None,
    cluster: str | None = None,
) -> Incidence:
    """Estimate the share of units that have ended in each way, where one end rules out the others.

    A game in which someone walked away cannot end with an agreement: to take it as censored, as 1 − Kaplan and Meier
    does, overstates the share of agreement.

    Parameters
    ----------
    data
        A frame of any engine, or arrays by name, with one row a unit; or `SurvivalData`.
    time, ended
        When each unit ended or was last seen, and how.
    event, censored
        The levels of `ended` that are the event (put first), and those that only say that watching stopped.
    by
        The column of the groups.
    cluster
        The column of what makes rows dependent (pair, person): standard errors are the jackknife's over clusters.

    Returns
    -------
    Incidence
        Of each group the shares at each time that something ended, with their standard errors.

    Raises
    ------
    DesignError
        If a column is wrong.
    NotEstimable
        If no row is complete.

    Notes
    -----
    F_c(t) = Σ_{u ≤ t} S(u−) d_c/Y (Aalen and Johansen, 1978).

    References
    ----------
    Aalen, O. O., & Johansen, S. (1978). An empirical transition matrix for non-homogeneous Markov chains based on
    censored observations. Scandinavian Journal of Statistics, 5, 141–150.

    Examples
    --------
    >>> games = {"rounds": [3, 5, 5, 8, 9], "ended": ["agreement", "walkaway", "agreement", "timeout", "agreement"]}
    >>> result = cumulative_incidence(games, "rounds", "ended", "agreement", "timeout")
    >>> result.at(5).estimate.tolist(), result.at(5, "walkaway").estimate.tolist()
    ([0.4], [0.2])
    """
    survival = SurvivalData.of(data, time, ended, event, censored, by=by, cluster=cluster)
    survival = survival.unstratified
    share, se = [], []
    for name in survival.kinds[1:]:
        cause_data = survival.cause(name)
        curves = [Curve.of(n) for n in cause_data.n[0]]
        share.append(np.stack([curve.incidence for curve in curves]))
        se.append(standard_errors(cause_data, curves))
    return Incidence(
        events=survival.kinds[1:],
        factor=survival.group.name,
        labels=survival.group.levels,
        time=survival.time,
        share=np.stack(share),
        se=np.stack(se),
        clusters=survival.clusters,
        missing=survival.missing,
        ends=survival,
    )
