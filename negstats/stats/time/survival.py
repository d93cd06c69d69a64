"""Survival after Kaplan and Meier: curves with their band, medians, restricted means, numbers at risk."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_number, check_share
from negstats.stats.results.result import Interval, Result, with_schema
from negstats.stats.summaries.frames import IntArray
from negstats.stats.time.ends import Names, SurvivalData
from negstats.stats.time.estimates import Curve, GroupEstimates, covariance, curve_influence, log_log, standard_errors

# Two shares are one if they differ by less; R takes the square root of the machine's precision, too.
TIE = float(np.sqrt(np.finfo(np.float64).eps))


class GroupCurves(Result):
    """The base of curves over time, one a group."""

    __slots__ = ()

    labels: tuple[str, ...]
    time: FloatArray
    share: FloatArray
    se: FloatArray
    ends: SurvivalData

    @property
    def n(self) -> tuple[int, ...]:
        """Units of each group."""
        return self.ends.sizes

    @property
    def last(self) -> FloatArray:
        """The time of each group's last end."""
        return np.array([self.time[np.flatnonzero(row)[-1]] for row in self.ends.at_risk[0] > 0])

    def band(self, confidence_level: float = 0.95) -> Interval:
        """Return the pointwise log-log band, of the shape of the shares; NaN where a share is 1 or 0.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its ends are shares, between 0 and 1.
        """
        return Interval(*log_log(self.share, self.se, confidence_level), confidence_level, "log-log")

    def numbers_at_risk(self, times: Sequence[float]) -> pd.DataFrame:
        """Return how many units of each group are at risk just before each time; one row a group, one column a time.

        Parameters
        ----------
        times
            In units of the times of the data.

        Returns
        -------
        DataFrame
            Counts of units.
        """
        moments = [check_number("times", time) for time in times]
        positions = np.searchsorted(self.ends.time, moments)
        padded = np.concatenate([self.ends.at_risk.sum(axis=0), np.zeros((len(self.ends.group), 1))], axis=1)
        return pd.DataFrame(
            padded[:, positions].astype(int),
            index=pd.Index(self.ends.group.levels, name=self.ends.group.name),
            columns=pd.Index(moments, name="time"),
        )

    @abstractmethod
    def _share_left(self, group: int, place: int) -> float:
        """Return the share of a group that has not ended at a time."""

    def _check_reached(self, time: float) -> None:
        for group, last_time in enumerate(self.last):
            if time > last_time and self._share_left(group, place_of(self.time, last_time)) > TIE:
                group_text = f" of {self.labels[group]!r}" if self.labels[group] else ""
                raise DesignError(f"the curve{group_text} ends at {last_time:g}, before {time:g}; give an earlier time")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Survival(GroupCurves):
    """The share of units that have not yet had the event, by group.

    Attributes
    ----------
    event : str
        What ends the time.
    factor : str
        Name of the groups; empty for one.
    labels : tuple of str
        The groups.
    time : ndarray, shape (times,)
        Every time at which a unit of any group ended.
    at_risk, events, censored, share, se : ndarray, shape (groups, times)
        Units at risk before each time, ends there, the share after it and its standard error (Greenwood's; with
        clusters the jackknife's over clusters).
    clusters, missing : int
        Clusters (0 without any), and rows that lacked a value.
    """

    event: str
    factor: str
    labels: tuple[str, ...]
    time: FloatArray
    at_risk: FloatArray
    events: FloatArray
    censored: FloatArray
    share: FloatArray
    se: FloatArray
    clusters: int
    missing: int
    ends: SurvivalData = field(repr=False, compare=False)

    def quantiles(self, passed: float = 0.5, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return for each group the time by which a share has had the event, with its interval by inverting the band.

        Missing where the curve (or its band) does not fall that far. Where the curve is level exactly there, the middle
        of the step is taken, as R's survfit does.

        Parameters
        ----------
        passed
            The share that has had the event, between 0 and 1.
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            One row a group: the time and its interval, in units of the times.
        """
        check_share("passed", passed, 0.5)
        band = self.band(confidence_level)
        rows = []
        for g, label in enumerate(self.labels):
            falls = np.flatnonzero(self.events[g] > 0)
            curves = [np.asarray(array)[g, falls] for array in (self.share, band.low, band.high)]
            rows.append((label, *(_first_below(self.time[falls], curve, 1 - passed) for curve in curves)))
        return pd.DataFrame(rows, columns=["group", "time", "low", "high"])

    def median(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return each group's median time with its interval.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            As `quantiles` gives for a share of .5.
        """
        return self.quantiles(0.5, confidence_level)

    def at(self, time: float) -> GroupEstimates:
        """Return each group's share that has not had the event at a time, with log-log intervals.

        Parameters
        ----------
        time
            In units of the times of the data.

        Returns
        -------
        GroupEstimates
            One share a group, between 0 and 1, with its standard error.

        Raises
        ------
        DesignError
            If all units of a group were gone before that time, the last of them censored.
        """
        position = place_of(self.time, check_number("time", time))
        self._check_reached(time)
        value = self.share[:, position] if position >= 0 else np.ones(len(self.labels))
        variances = np.diag(self.se[:, max(position, 0)] ** 2 * (position >= 0))
        if self.clusters and position >= 0:
            curves = [Curve.of(n) for n in self.ends.n[0]]
            ones = np.ones((1, 1))
            variances = covariance(self.ends, curve_influence(self.ends, curves, np.array([position]), ones))
        return GroupEstimates(
            "share without " + self.event, time, self.factor, self.labels, value, variances, "log-log"
        )

    def restricted_mean(self, until: float | None = None) -> GroupEstimates:
        """Return the mean time to the event, or to `until` if that is earlier: the area under the curve.

        Parameters
        ----------
        until
            By default the least of the groups' largest times.

        Returns
        -------
        GroupEstimates
            One mean a group, in units of the times, with its standard error.

        Raises
        ------
        DesignError
            If `until` is not positive or after the last time of a group whose last unit was censored.

        Notes
        -----
        Variance Σ A(t)² d/(Y(Y − d)) with A(t) the area from t on (Irwin, 1949; R's survival and survRM2); with
        clusters the jackknife's over clusters. The difference of two groups is `restricted_mean().difference()`.

        References
        ----------
        Irwin, J. O. (1949). The standard error of an estimate of expectation of life, with special reference to
        expectation of tumourless life in experiments with mice. Journal of Hygiene, 47, 188–189.
        """
        until = self.last.min() if until is None else check_number("until", until)
        if not until > 0:
            raise DesignError(f"until is {until:g}; give a positive time")
        self._check_reached(until)
        is_before = self.time < until
        edges = np.concatenate([[0.0], self.time[is_before], [until]])
        width = np.diff(edges)
        height = np.concatenate([np.ones((len(self.labels), 1)), self.share[:, is_before]], axis=1)
        area = height * width
        value = area.sum(axis=1)
        if self.clusters:
            curves = [Curve.of(n) for n in self.ends.n[0]]
            positions: IntArray = np.flatnonzero(is_before)
            variances = covariance(self.ends, curve_influence(self.ends, curves, positions, -width[1:, None]))
        else:
            # Greenwood: an event at a time scales all of the area that is left.
            area_left = area[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
            y, d = self.at_risk[:, is_before], self.events[:, is_before]
            with np.errstate(divide="ignore", invalid="ignore"):
                variances = np.diag((area_left**2 * np.where(y > d, d / (y * (y - d)), 0.0)).sum(axis=1))
        estimate_name = f"restricted mean time to {self.event}"
        return GroupEstimates(estimate_name, float(until), self.factor, self.labels, value, variances)

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a group and time at which a unit of it ended, with the band.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            The group, the time, the numbers at risk and of events, the share, and the ends of its band.
        """
        band = self.band(confidence_level)
        columns = {name: getattr(self, name) for name in ("at_risk", "events", "censored", "share", "se")}
        columns |= {"low": np.asarray(band.low), "high": np.asarray(band.high)}
        frames = []
        for g, label in enumerate(self.labels):
            has_ends = self.events[g] + self.censored[g] > 0
            values = {name: array[g, has_ends] for name, array in columns.items()}
            frames.append(pd.DataFrame({"group": label, "time": self.time[has_ends]} | values))
        frame = pd.concat(frames, ignore_index=True)
        frame[["at_risk", "events", "censored"]] = frame[["at_risk", "events", "censored"]].astype(int)
        return with_schema(frame, "Survival/1")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return each group's median, n and events.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            One clause a group, with semicolons between.
        """
        texts = []
        for g, row in enumerate(self.median(confidence_level).to_dict("records")):
            group_text = f"{row['group']}: " if row["group"] else ""
            interval = Interval(row["low"], row["high"], confidence_level)
            counts = f"n = {self.n[g]}, {int(self.events[g].sum())} {self.event}"
            texts.append(f"{group_text}median {apa.number(row['time'])}, {interval} ({counts})")
        return "; ".join(texts)

    def _share_left(self, group: int, position: int) -> float:
        return float(self.share[group, position])


def _competing_ends_error(data: SurvivalData) -> DesignError:
    """Return the error of units that ended otherwise, which Kaplan and Meier's curves leave no room for."""
    other_ends = ", ".join(map(repr, data.kinds[2:]))
    return DesignError(
        f"{data.competing} units ended otherwise ({other_ends}), which ends the wait for {data.event!r} too: use "
        "cumulative_incidence, or name these ends in censored= if the share without them is what you want"
    )


def kaplan_meier(
    data: Any,
    time: str = "time",
    ended: str = "ended",
    event: Names | None = None,
    censored: Names = (),
    *,
    by: str | None = None,
    cluster: str | None = None,
) -> Survival:
    """Estimate the share of units that have not yet had an event, by group (Kaplan and Meier, 1958).

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
    cluster
        The column of what makes rows dependent (pair, person): standard errors are the jackknife's over clusters.

    Returns
    -------
    Survival
        Of each group the share at each time, with standard errors and the numbers at risk.

    Raises
    ------
    DesignError
        If a column is wrong, or some units ended otherwise: the curve would overstate the event's share.
    NotEstimable
        If no row is complete.

    Notes
    -----
    S = Π(1 − d/Y); Greenwood's variance; the band S^exp(± q √G/ln S).

    References
    ----------
    Kaplan, E. L., & Meier, P. (1958). Nonparametric estimation from incomplete observations. Journal of the American
    Statistical Association, 53, 457–481.

    Examples
    --------
    >>> games = {"rounds": [1, 2, 2, 3, 4, 4, 5, 7], "agreed": [1, 1, 0, 1, 0, 1, 0, 1]}
    >>> result = kaplan_meier(games, "rounds", "agreed")
    >>> result.share.round(3).tolist()
    [[0.875, 0.75, 0.6, 0.45, 0.45, 0.0]]
    >>> result.apa()
    'median 4.00, 95% CI [1.00, NA] (n = 8, 5 agreed)'
    """
    survival = SurvivalData.of(data, time, ended, event, censored, by=by, cluster=cluster)
    if survival.competing:
        raise _competing_ends_error(survival)
    survival = survival.unstratified
    curves = [Curve.of(n) for n in survival.n[0]]
    share = np.stack([curve.after for curve in curves])
    y, d = survival.at_risk[0], survival.n[0, ..., 1]
    if survival.clusters:
        se = standard_errors(survival, curves)
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            se = share * np.sqrt(np.cumsum(np.where(y > d, d / (y * (y - d)), 0.0), axis=-1))
    return Survival(
        event=survival.event,
        factor=survival.group.name,
        labels=survival.group.levels,
        time=survival.time,
        at_risk=y,
        events=d,
        censored=survival.n[0, ..., 0],
        share=share,
        se=se,
        clusters=survival.clusters,
        missing=survival.missing,
        ends=survival,
    )


def place_of(times: FloatArray, time: float) -> int:
    """Return the place of the last of ascending times that is not after `time`; −1 before the first."""
    return int(np.searchsorted(times, time, side="right")) - 1


def _first_below(times: FloatArray, curve: FloatArray, share: float) -> float:
    """Return the first time at which a falling curve is at most `share`; the middle of a step level with it."""
    has_value = ~np.isnan(curve)
    times, curve = times[has_value], curve[has_value]
    positions = np.flatnonzero(curve <= share + TIE)
    if not len(positions):
        return float("nan")
    position = int(positions[0])
    is_level = abs(curve[position] - share) <= TIE
    return float(
        (times[position] + times[position + 1]) / 2 if is_level and position + 1 < len(times) else times[position]
    )
