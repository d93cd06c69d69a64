"""How long a power simulation takes, against a loop over studies with pingouin and with statsmodels in the same run.

And against the fastest that one would write for that one design: a batch of sufficient statistics in numpy, which
draws the same numbers.

Studies are drawn; those of the interaction have six cells with 143 normal values together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pingouin
import pytest
from scipy import special
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from negstats import stats
from negstats.stats.means.anova import anova
from negstats.stats.means.linear import hypothesis
from negstats.stats.power import categorical_design, normal_design, ordinal_design, repeated_design, simulated_power
from negstats.stats.power.drawing import Design
from negstats.stats.power.simulate import simulated_p
from tests.benchmarks.peers import ratio

Array = npt.NDArray[np.float64]
STUDIES = 10_000
N = np.array([[22, 25, 24], [23, 26, 23]])  # 143 in all
MEAN = np.array([[0.0, 0.0, 0.0], [0.0, 0.5, 0.2]])


def one_study(rng: np.random.Generator) -> pd.DataFrame:
    cell = np.repeat(np.arange(6), N.ravel())
    y = MEAN.ravel()[cell] + rng.standard_normal(len(cell))
    return pd.DataFrame({"y": y, "a": np.array([*"uuuvvv"])[cell], "b": np.array([*"xyzxyz"])[cell]})


def with_pingouin(frame: pd.DataFrame) -> float:
    table = pingouin.anova(frame, dv="y", between=["a", "b"], ss_type=3, detailed=True)
    return float(table.set_index("Source").loc["a * b"].iloc[-2])


def with_statsmodels(frame: pd.DataFrame) -> float:
    model = ols("y ~ C(a, Sum) * C(b, Sum)", frame).fit()
    return float(anova_lm(model, typ=3).loc["C(a, Sum):C(b, Sum)", "PR(>F)"])


@pytest.mark.filterwarnings("ignore")  # what the peers say about their own use of pandas
@pytest.mark.parametrize(("peer", "least"), [(with_pingouin, 1_000), (with_statsmodels, 1_000)])
def test_10000_studies_of_an_interaction(benchmark: Any, peer: Callable[[pd.DataFrame], float], least: float) -> None:
    rng = np.random.default_rng(1)
    study = one_study(rng)  # the same answer first; what is imported at the first call is not counted
    assert peer(study) == pytest.approx(anova(study, "y", ["a", "b"]).effect("a:b").p)

    def loop() -> object:
        return [peer(one_study(rng)) for _ in range(20)]

    def ours() -> object:
        return simulated_power(
            CELLS, lambda cells: anova(cells).effect("a:b"), rng=np.random.default_rng(2), n_simulations=STUDIES
        )

    taken = ratio(ours, loop, 3, share=20 / STUDIES)
    benchmark.pedantic(ours, rounds=1, iterations=1)
    assert 1 / taken >= least


def interaction(rng: np.random.Generator, n_simulations: int) -> Array:
    """Return p of the interaction of 2 × 3 cells of N and MEAN."""
    n, rows = N.ravel(), hypothesis((2, 3), (0, 1))
    mean = MEAN.ravel() + rng.standard_normal((n_simulations, 6)) / np.sqrt(n)
    inside = rng.chisquare(n - 1, (n_simulations, 6)).sum(axis=1)
    estimates = mean @ rows.T
    f = ((estimates @ np.linalg.inv((rows / n) @ rows.T)) * estimates).sum(axis=1) / 2 / (inside / (n.sum() - 6))
    return np.asarray(special.fdtrc(2, n.sum() - 6, f))


SHARES = np.array([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]])
POINTS = np.array([[0.1, 0.2, 0.3, 0.2, 0.2], [0.2, 0.3, 0.2, 0.2, 0.1]])


def table(rng: np.random.Generator, n_simulations: int) -> Array:
    """Return p of Pearson's chi-squared of 2 × 3 cells."""
    n = rng.multinomial(np.array([40, 50]), SHARES, size=(n_simulations, 2)).astype(np.float64)
    column = n.sum(axis=1, keepdims=True)
    expected = n.sum(axis=2, keepdims=True) * column / 90
    with np.errstate(invalid="ignore"):
        chi2 = np.where(expected > 0, (n - expected) ** 2 / expected, 0.0).sum(axis=(1, 2))
    return np.asarray(special.chdtrc((column > 0).sum(axis=(1, 2)) - 1.0, chi2))


def ranks(rng: np.random.Generator, n_simulations: int) -> Array:
    """Return p of Mann and Whitney's test of two samples of five values, without a correction for continuity."""
    sizes = np.array([40, 50])
    n = rng.multinomial(sizes, POINTS, size=(n_simulations, 2)).astype(np.float64)
    both, total = n.sum(axis=1), sizes.sum()
    middle = both.cumsum(axis=1) - (both - 1) / 2
    u = (n[:, 0] * middle).sum(axis=1) - sizes[0] * (sizes[0] + 1) / 2
    ties = (both**3 - both).sum(axis=1) / (total * (total - 1))
    variance = sizes.prod() / 12 * (total + 1 - ties)
    z = np.abs(u - sizes.prod() / 2) / np.sqrt(variance)
    return np.asarray(2 * special.ndtr(-z))


def pairs(rng: np.random.Generator, n_simulations: int) -> Array:
    """Return p of the paired t of 30 subjects, by Bartlett's decomposition of the covariance."""
    root, n = np.linalg.cholesky(np.array([[1.0, 0.5], [0.5, 1.0]])), 30
    mean = np.array([0.0, 0.4]) + rng.standard_normal((n_simulations, 2)) @ root.T / np.sqrt(n)
    half = np.tril(rng.standard_normal((n_simulations, 2, 2)), -1)
    half[:, [0, 1], [0, 1]] = np.sqrt(rng.chisquare(n - 1 - np.arange(2), (n_simulations, 2)))
    gap = np.array([1.0, -1.0]) @ (root @ half)
    t = (mean[:, 0] - mean[:, 1]) / np.sqrt((gap**2).sum(axis=1) / (n - 1) / n)
    return np.asarray(2 * special.stdtr(n - 1, -np.abs(t)))


Peer = Callable[[np.random.Generator, int], Array]
Test = Callable[[object], object]
CELLS = normal_design(n=N, mean=MEAN, factors={"a": ["u", "v"], "b": ["x", "y", "z"]})
BATCHES: dict[str, tuple[Design, Test, Peer]] = {
    "interaction": (CELLS, lambda cells: anova(cells).effect("a:b"), interaction),
    "table": (
        categorical_design(n=[40, 50], probabilities=SHARES, kinds=("ended", ["agreement", "walk-away", "timeout"])),
        stats.chi_squared,
        table,
    ),
    "ranks": (
        ordinal_design(n=[40, 50], values=[0, 1, 2, 3, 4], probabilities=POINTS),
        lambda values: stats.mann_whitney(values, method="asymptotic"),
        ranks,
    ),
    "pairs": (
        repeated_design(n=30, mean=[0, 0.4], correlation=0.5, variables=["CL", "FC"]),
        stats.paired_t,
        pairs,
    ),
}


@pytest.mark.parametrize("n_simulations", [1_000, 100_000])
@pytest.mark.parametrize("what", BATCHES)
def test_a_batch_of_sufficient_statistics(benchmark: Any, what: str, n_simulations: int) -> None:
    design, test, peer = BATCHES[what]

    def ours() -> object:
        return simulated_power(design, test, rng=np.random.default_rng(2), n_simulations=n_simulations)

    def bare() -> float:
        return float((peer(np.random.default_rng(2), n_simulations) <= 0.05).mean())

    np.testing.assert_allclose(
        simulated_p(design, test, 500, np.random.default_rng(3)), peer(np.random.default_rng(3), 500), rtol=1e-9
    )
    name = f"power by simulation, {what}; {n_simulations:,} studies"
    taken = ratio(ours, bare, 40 if n_simulations == 1_000 else 7, name, against="numpy, one batch")
    benchmark.extra_info["times the batch"] = taken
    benchmark.pedantic(ours, rounds=1, iterations=1)
    assert taken <= 1.45
