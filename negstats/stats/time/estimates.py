"""Estimates of several groups that may depend on each other: each with its interval, any two with their difference."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from negstats.errors import DesignError, NotEstimable, meant, shown
from negstats.stats.results import apa
from negstats.stats.results.intervals import quantile, t_interval
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import t_tails
from negstats.stats.results.result import Interval, Result

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
        places = []
        for name in (first, second):
            if name is None or name not in self.labels:
                raise DesignError(f"there is no group {shown(name)}; {meant(name, self.labels)}")
            places.append(self.labels.index(name))
        if places[0] == places[1]:
            raise DesignError(f"{first!r} is named twice; a difference takes two groups")
        row = np.zeros(len(self.labels))
        row[places] = 1.0, -1.0
        value, se = float(row @ self.estimate), float(np.sqrt(max(0.0, float(row @ self.covariance @ row))))
        if not se > 0:
            raise NotEstimable(f"the {self.what} of {first!r} and {second!r} at {self.at:g} do not vary")
        z = value / se
        return GroupDifference(
            self.what, self.labels[places[0]], self.labels[places[1]], value, se, z, float(t_tails(z))
        )

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a group: estimate, se, low, high."""
        ends = self.confidence_interval(confidence_level)
        columns = {"estimate": self.estimate, "se": self.se, "low": ends.low, "high": ends.high}
        frame = pd.DataFrame({"group": list(self.labels), "what": self.what, "at": self.at} | columns)
        frame.attrs["schema"] = "GroupEstimates/1"
        return frame

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return each group's number with its interval."""
        each = (
            f"{row['group'] + ': ' if row['group'] else ''}{apa.number(row['estimate'])}, "
            f"{Interval(row['low'], row['high'], confidence_level)}"
            for row in self.to_frame(confidence_level).to_dict("records")
        )
        return f"{self.what} (t = {self.at:g}): {'; '.join(each)}"


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
    reach = quantile(confidence_level)
    with np.errstate(divide="ignore", invalid="ignore"):
        open_share = np.where((share > 0) & (share < 1), share, np.nan)
        width = np.exp(reach * se / (open_share * np.log(open_share)))
    ends = np.stack([open_share**width, open_share ** (1 / width)])
    return np.asarray(ends.min(axis=0)), np.asarray(ends.max(axis=0))
