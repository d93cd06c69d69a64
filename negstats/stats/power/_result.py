"""What power analyses return: the power of a design, and the sizes that reach a power."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from negstats.stats.counts.proportions import proportion
from negstats.stats.results import apa
from negstats.stats.results.numbers import Number
from negstats.stats.results.options import check_share, check_single
from negstats.stats.results.result import Interval, Result, check_level


def check_alpha(alpha: float) -> float:
    """Return the level of a test, or raise DesignError if it is not between 0 and 1."""
    return check_share("alpha", alpha, 0.05)


@dataclass(frozen=True, slots=True, repr=False)
class Power(Result):
    """The probability that a test rejects at `alpha` in a given design.

    Attributes
    ----------
    power : float
        An array where several sizes were asked for.
    n : tuple of float
        Size of each group or cell; one number for a single sample or table.
    alpha : float
        The level of the test.
    test : str
        What was tested.
    method : str
        "noncentral t", "noncentral F", "noncentral chi-squared", "normal" or "simulation".
    n_simulations : int
        Simulated studies; 0 for a closed form.
    undefined : int
        Simulated studies that gave no p. They count as not significant.
    """

    power: Number
    n: tuple[Number, ...]
    alpha: float
    test: str
    method: str
    n_simulations: int = 0
    undefined: int = 0

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return Wilson's interval of the power for the number of simulated studies; a closed form has no width.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, between 0 and 1: the Monte Carlo error of the power.
        """
        check_level(confidence_level)
        if not self.n_simulations:
            return Interval(self.power, self.power, confidence_level, self.method)
        ends = proportion(round(float(self.power) * self.n_simulations), self.n_simulations).confidence_interval(
            confidence_level
        )
        return Interval(ends.low, ends.high, confidence_level, "Monte Carlo, Wilson")

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row for each size: n_1, n_2, ..., total, power, low, high, alpha, test, method, studies.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            ``low`` and ``high`` are the ends of the interval of the power, ``studies`` the number of simulated
            studies.
        """
        interval = self.confidence_interval(confidence_level)
        sizes = [np.asarray(size, dtype=np.float64) for size in self.n]
        numbers = np.broadcast_arrays(*sizes, sum(sizes), self.power, interval.low, interval.high)
        names = [*(f"n_{place}" for place in range(1, len(sizes) + 1)), "total", "power", "low", "high"]
        frame = pd.DataFrame({name: np.atleast_1d(column) for name, column in zip(names, numbers, strict=True)})
        frame = frame.assign(alpha=self.alpha, test=self.test, method=self.method, studies=self.n_simulations)
        frame.attrs["schema"] = "Power/1"
        return frame

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``power = .80, 95% CI [.79, .81] (n = 64, 64, α = .05, 10,000 simulated studies)``.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            The power, and how it was computed.
        """
        check_single(self.power, "apa()")
        interval = self.confidence_interval(confidence_level)
        ends = f", {interval.apa(is_bounded=True)}" if self.n_simulations else ""
        how = f"{self.n_simulations:,} simulated studies" if self.n_simulations else self.method
        return f"power {_share(self.power)}{ends} (n = {_sizes(self.n)}, α = {apa.bounded(self.alpha)}, {how})"


@dataclass(frozen=True, slots=True, repr=False)
class SampleSize(Result):
    """The smallest sizes at which a test reaches a power.

    Attributes
    ----------
    n : tuple of int
        Size of each group or cell; one number for a single sample or table.
    total : int
        Their sum.
    target : float
        The power that was asked for.
    power : float
        The power at `n`; simulated, within `power_interval`.
    power_interval : Interval
        Monte-Carlo interval of the power at `n`, without width for a closed form.
    n_interval : Interval
        Smallest group (or single sample) at which that interval begins to reach the target, and at which it lies above
        it: between them lies the size that endless simulation would give. For a closed form the real number that was
        rounded up, twice.
    alpha : float
        The level of the test.
    test, method : str
        As in `Power`.
    n_simulations : int
        Simulated studies at each size; 0 for a closed form.
    """

    n: tuple[int, ...]
    total: int
    target: float
    power: float
    power_interval: Interval
    n_interval: Interval
    alpha: float
    test: str
    method: str
    n_simulations: int = 0

    def apa(self) -> str:
        """Return such as ``n = 64, 64 for a power of .80 (α = .05, noncentral t)``.

        Returns
        -------
        str
            The sizes of the groups, and how they were computed.
        """
        alpha = apa.bounded(self.alpha)
        if not self.n_simulations:
            return f"n = {_sizes(self.n)} for a power of {apa.bounded(self.target)} (α = {alpha}, {self.method})"
        level = f"{100 * self.n_interval.confidence_level:g}%"
        low, high = (f"{float(end):,.0f}" for end in (self.n_interval.low, self.n_interval.high))
        reach = f"{level} Monte-Carlo interval of the smallest cell [{low}, {high}]"
        how = f"α = {alpha}, {self.n_simulations:,} simulated studies a size"
        return f"n = {_sizes(self.n)} for a power of {apa.bounded(self.target)} ({reach}, {how})"


def _share(power: Number) -> str:
    """Return ``= .80``, to two decimals; a power that is not 1 is not printed as 1."""
    value = float(power)
    return "> .99" if 0.995 <= value < 1 else f"= {apa.bounded(value)}"


def _sizes(n: tuple[Number, ...]) -> str:
    return ", ".join(apa.df(size) for size in n)
