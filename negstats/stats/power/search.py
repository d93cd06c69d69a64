"""How large a simulated study has to be: the smallest n that reaches a power, and the curve of power over n.

All sizes are simulated from the same random numbers, so that the curve is smooth and the search is not led astray by
the luck of single sizes. Both are repeatable from one generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from negstats.errors import DesignError, NotEstimable
from negstats.stats.power._result import Power, SampleSize, check_alpha
from negstats.stats.power.drawing import Design
from negstats.stats.power.simulate import Test, check_studies, simulated_power
from negstats.stats.results.options import check_rng
from negstats.stats.results.result import Interval, check_level


def power_curve(
    design: Design,
    test: Test,
    n: Iterable[int],
    *,
    rng: np.random.Generator,
    n_simulations: int = 10_000,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Return the simulated power at several sizes.

    Parameters
    ----------
    design, test
        As in `simulated_power`.
    n
        Sizes of the smallest cell (of a table: its total); the other cells keep their proportion to it.
    rng, n_simulations, alpha
        As in `simulated_power`.
    confidence_level
        Confidence of the Monte-Carlo interval.

    Returns
    -------
    DataFrame
        One row a size with the columns n, total, power, low, high. (`power` gives such a frame for closed forms, with
        arrays as n.)

    Examples
    --------
    >>> from negstats.stats.means.t_tests import t_test
    >>> from negstats.stats.power.designs import normal_design
    >>> design = normal_design(n=[20, 20], mean=[0.5, 0])
    >>> curve = power_curve(design, t_test, [20, 40, 80], rng=np.random.default_rng(1))
    >>> curve["power"].round(2).tolist()
    [0.33, 0.6, 0.88]
    """
    check_level(confidence_level)
    at = _common(design, test, rng, n_simulations, alpha)
    rows = []
    for size in n:
        result = at(int(size))
        ends = result.confidence_interval(confidence_level)
        rows.append((int(size), int(sum(map(float, result.n))), result.power, ends.low, ends.high))
    frame = pd.DataFrame(rows, columns=["n", "total", "power", "low", "high"])
    frame.attrs["schema"] = "power_curve/1"
    return frame


def simulated_sample_size(
    design: Design,
    test: Test,
    *,
    rng: np.random.Generator,
    power: float = 0.8,
    n_simulations: int = 10_000,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    least: int = 2,
    most: int = 100_000,
) -> SampleSize:
    """Return the smallest sizes at which simulated studies reach a power, with their Monte Carlo interval.

    Parameters
    ----------
    design
        Its smallest cell is made larger or smaller, the other cells in proportion; the search starts at its own size.
    test, rng
        As in `simulated_power`.
    power
        What is to be reached. It is taken to grow with n.
    n_simulations, alpha
        As in `simulated_power`; `n_simulations` are simulated at each size that is tried, some twenty in all.
    confidence_level
        Confidence of the Monte-Carlo intervals.
    least, most
        Sizes of the smallest cell between which to look.

    Returns
    -------
    SampleSize
        The n of each cell, their total, the simulated power, and an interval of each.

    Raises
    ------
    DesignError
        If an argument does not fit, or as in `simulated_power`.
    NotEstimable
        If even `most` does not reach the power.

    Examples
    --------
    >>> from negstats.stats.means.t_tests import t_test
    >>> from negstats.stats.power.designs import normal_design
    >>> design = normal_design(n=[20, 20], mean=[0.5, 0])
    >>> result = simulated_sample_size(design, t_test, rng=np.random.default_rng(1))
    >>> result.n_interval.low <= 64 <= result.n_interval.high
    True
    """
    check_level(confidence_level)
    if not alpha < power < 1:
        raise DesignError(f"power is {power!r}; give a number between alpha ({alpha:g}) and 1 such as 0.8")
    if not 1 <= least < most:
        raise DesignError(f"least is {least} and most is {most}; give 1 <= least < most")
    at = _common(design, test, rng, n_simulations, alpha)
    start = min(max(design.smallest, least), most)

    def find_ends(size: int) -> Interval:
        return at(size).confidence_interval(confidence_level)

    size = find_first(lambda size: float(at(size).power) >= power, start, least, most)
    if size > most:
        raise NotEstimable(f"with {most} in the smallest cell the power is {float(at(most).power):.3f}, not {power:g}")
    begins = find_first(lambda size: float(find_ends(size).high) >= power, size, least, most)
    surely = find_first(lambda size: float(find_ends(size).low) >= power, size, least, most)
    result, interval = at(size), find_ends(size)
    n = tuple(int(float(one)) for one in result.n)
    n_interval = Interval(float(min(begins, size)), float(max(surely, size)), confidence_level, interval.method)
    return SampleSize(
        n=n,
        total=sum(n),
        target=power,
        power=float(result.power),
        power_interval=interval,
        n_interval=n_interval,
        alpha=alpha,
        test=result.test,
        method="simulation",
        n_simulations=n_simulations,
    )


def _common(
    design: Design, test: Test, rng: np.random.Generator, n_simulations: int, alpha: float
) -> Callable[[int], Power]:
    """Return the power as a function of the smallest cell's size, each size from the same random numbers, once."""
    check_alpha(alpha)
    check_rng(rng)
    n_simulations = check_studies(n_simulations)
    seed = int(rng.integers(2**63))
    power_by_size: dict[int, Power] = {}

    def compute_power(size: int) -> Power:
        if size not in power_by_size:
            same_rng = np.random.default_rng(seed)
            power_by_size[size] = simulated_power(
                design.resized(size), test, rng=same_rng, n_simulations=n_simulations, alpha=alpha
            )
        return power_by_size[size]

    return compute_power


def find_first(enough: Callable[[int], bool], start: int, least: int, most: int) -> int:
    """Return the smallest size that is enough, if all larger ones are; `most` + 1 if none is."""
    if enough(start):
        high, step = start, 1
        low = start - step
        while low >= least and enough(low):
            high, step = low, 2 * step
            low -= step
        low = max(low, least - 1)
    else:
        low, high = start, min(2 * start, most)
        while not enough(high):
            if high == most:
                return most + 1
            low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
