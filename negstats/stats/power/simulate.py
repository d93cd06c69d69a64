"""Power by simulation: a design draws a stack of studies, and any test takes the whole stack at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from negstats.errors import DesignError
from negstats.stats.power._result import Power, check_alpha
from negstats.stats.power.drawing import Design
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_count, check_rng

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
    portion = max(1, int(NUMBERS / design.drawn))
    p_values = []
    for start in range(0, n_simulations, portion):
        size = min(portion, n_simulations - start)
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
