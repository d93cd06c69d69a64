"""Power by simulation: any test takes a stack of studies, and the smallest n that reaches a power is searched.

All sizes are simulated from the same random numbers, so that the curve is smooth and the search is not led astray by
the luck of single sizes. Both are repeatable from one generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from negstats.errors import DesignError, NotEstimable
from negstats.stats.power.closed import Power, SampleSize, check_alpha
from negstats.stats.power.drawing import Design
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_count, check_rng
from negstats.stats.results.result import Interval, check_level, with_schema

# Takes a stack of summaries; returns one p a study, or a result that has them as `p`.
Test: TypeAlias = Callable[[Any], Any]

NUMBERS = 2_000_000  # studies are drawn in portions of about so many numbers


def simulated_power(
    design: Design,
    test: Test,
    *,
    rng: np.random.Generator,
    n_simulations: int = 10_000,
    alpha: float = 0.05,
    name: str | None = None,
) -> Power:
    """Return the share of simulated studies in which a test rejects.

    Parameters
    ----------
    design
        What is simulated: see ``power.designs``.
    test
        A function of a stack of the summaries that the design draws. It returns one p a study, or a result with such a
        `p`: ``t_test``, ``lambda cells: anova(cells).effect("a:b")``, ``chi_squared``, a rank test of `ValueCounts`
        (with ``method="asymptotic"``, for exact ones work study by study), ``paired_t`` of `Moments`, ``lambda cells:
        tost(cells, bounds=0.5)``, ...
    rng
        Where randomness comes from; the same state gives the same power.
    n_simulations
        How many are simulated; 10,000 leave an interval of ± .01 at most.
    alpha
        The level of the test.
    name
        What the result calls the test; its function's name if not given.

    Returns
    -------
    Power
        The share with its Monte-Carlo interval; `undefined` counts studies in which the test has no p.

    Raises
    ------
    DesignError
        If the test does not return one p a study, or `n_simulations` or `alpha` are none.
    NegstatsError
        What the test itself raises.

    Examples
    --------
    >>> from negstats.stats.means.anova import anova
    >>> from negstats.stats.power.designs import normal_design
    >>> design = normal_design(
    ...     n=[[20, 25], [22, 18]],
    ...     mean=[[0, 0], [0, 1]],
    ...     factors={"agent": ["fair", "selfish"], "frame": ["favor", "neutral"]},
    ... )
    >>> result = simulated_power(design, lambda cells: anova(cells).effect("agent:frame"), rng=np.random.default_rng(1))
    >>> print(result.apa())
    power = .62, 95% CI [.61, .63] (n = 20, 25, 22, 18, α = .05, 10,000 simulated studies)
    """
    check_alpha(alpha)
    p = simulated_p(design, test, n_simulations, rng)
    sizes = tuple(float(size) for size in design.n.ravel())
    name = name or str(getattr(test, "__name__", "test")).replace("<lambda>", "test")
    return Power(
        power=float((p <= alpha).mean()),
        n=sizes,
        alpha=alpha,
        test=name,
        method="simulation",
        n_simulations=n_simulations,
        undefined=int(np.isnan(p).sum()),
    )


def simulated_p(design: Design, test: Test, n_simulations: int, rng: np.random.Generator) -> FloatArray:
    """Return the p values of simulated studies, shape ``(studies,)``; NaN where a study gave none."""
    check_rng(rng)
    n_simulations = check_studies(n_simulations)
    batch_size = max(1, int(NUMBERS / design.drawn))
    p_values = []
    for start in range(0, n_simulations, batch_size):
        size = min(batch_size, n_simulations - start)
        result = test(design.draw(size, rng))
        p = np.asarray(getattr(result, "p", result), dtype=np.float64)
        if p.shape != (size,):
            raise DesignError(
                f"the test gave p of the shape {p.shape} for {size} studies; return one p per study, such as one term's"
            )
        p_values.append(p)
    return np.concatenate(p_values)


def check_studies(n_simulations: int) -> int:
    """Return how many studies to simulate, at least one, or raise DesignError."""
    return check_count("n_simulations", n_simulations, 1)


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
    power_at = _common(design, test, rng, n_simulations, alpha)
    rows = []
    for size in n:
        result = power_at(int(size))
        interval = result.confidence_interval(confidence_level)
        rows.append((int(size), int(sum(map(float, result.n))), result.power, interval.low, interval.high))
    return with_schema(pd.DataFrame(rows, columns=["n", "total", "power", "low", "high"]), "power_curve/1")


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
    power_at = _common(design, test, rng, n_simulations, alpha)
    start = min(max(design.smallest, least), most)

    def interval_at(size: int) -> Interval:
        return power_at(size).confidence_interval(confidence_level)

    # Sizes share their random numbers, so that power is compared and not luck.
    size = find_first(lambda size: float(power_at(size).power) >= power, start, least, most)
    if size > most:
        raise NotEstimable(
            f"with {most} in the smallest cell the power is {float(power_at(most).power):.3f}, not {power:g}"
        )
    # The smallest n that the simulations do not rule out, and the first that they are sure of.
    smallest_possible = find_first(lambda size: float(interval_at(size).high) >= power, size, least, most)
    smallest_certain = find_first(lambda size: float(interval_at(size).low) >= power, size, least, most)
    result, interval = power_at(size), interval_at(size)
    n = tuple(int(float(size_of_cell)) for size_of_cell in result.n)
    n_interval = Interval(
        float(min(smallest_possible, size)), float(max(smallest_certain, size)), confidence_level, interval.method
    )
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
    # Outwards from the start in doubled steps, down where it is enough and up where it is not.
    if enough(start):
        sufficient, step = start, 1
        too_small = start - step
        while too_small >= least and enough(too_small):
            sufficient, step = too_small, 2 * step
            too_small -= step
        too_small = max(too_small, least - 1)
    else:
        too_small, sufficient = start, min(2 * start, most)
        while not enough(sufficient):
            if sufficient == most:
                return most + 1
            too_small, sufficient = sufficient, min(2 * sufficient, most)
    # Between a size that is too small and one that is enough, by halves.
    while sufficient - too_small > 1:
        candidate = (too_small + sufficient) // 2
        too_small, sufficient = (too_small, candidate) if enough(candidate) else (candidate, sufficient)
    return sufficient
