"""How the statistics grow and what they cost beside the fastest sensible call, in CPU time, both sides turn by turn.

Each test prints its ratio (``-s`` shows it); no bound is a time on the wall.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy import stats as peers

from negstats import stats
from negstats.audit import tables_with
from negstats.stats.power import normal_design, simulated_power
from tests.benchmarks.peers import growth, ratio

Array = npt.NDArray[np.float64]
Call = Callable[[], Any]


def once(benchmark: Any, call: Call) -> None:
    benchmark.pedantic(call, rounds=1, iterations=1)


def groups(rows: int, levels: int) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame({"y": rng.normal(size=rows), "g": rng.integers(0, levels, rows)})


@pytest.mark.parametrize(("rows", "levels"), [(10_000, 1_000), (1_000_000, 3)])
def test_kruskal_wallis_beside_scipy(benchmark: Any, rows: int, levels: int) -> None:
    frame = groups(rows, levels)
    samples = [sample.to_numpy() for _, sample in frame.groupby("g")["y"]]
    run = lambda: stats.kruskal_wallis(frame, "y", "g")  # noqa: E731
    once(benchmark, run)
    name = f"Kruskal–Wallis, {levels:,} groups; {rows:,} rows"
    assert ratio(run, lambda: peers.kruskal(*samples), 3, name, against="scipy") <= 2


def test_kruskal_wallis_grows_with_the_rows(benchmark: Any) -> None:
    small, large = groups(10_000, 1_000), groups(1_000_000, 100_000)
    run = lambda: stats.kruskal_wallis(large, "y", "g")  # noqa: E731
    once(benchmark, run)
    assert (
        growth(
            [lambda: stats.kruskal_wallis(small, "y", "g"), run],
            100,
            3,
            "Kruskal–Wallis, ten rows a group; 1,000,000 rows",
        )
        <= 1.25
    )


def test_one_way_of_many_groups_beside_pandas(benchmark: Any) -> None:
    frame = groups(1_000_000, 100_000)
    run = lambda: stats.one_way(frame, "y", "g")  # noqa: E731
    once(benchmark, run)
    name = "one-way ANOVA of 100,000 groups; 1,000,000 rows"
    peer = lambda: frame.groupby("g")["y"].agg(["count", "mean", "var"])  # noqa: E731
    assert ratio(run, peer, 3, name, against="pandas, means and variances alone") <= 3


def test_one_factor_of_ten_thousand_levels_is_one_pass(benchmark: Any) -> None:
    frame = groups(200_000, 10_000)
    run = lambda: stats.anova(frame, "y", "g")  # noqa: E731
    once(benchmark, run)
    name = "ANOVA of a factor of 10,000 levels; 200,000 rows"
    assert ratio(run, lambda: stats.one_way(frame, "y", "g"), 3, name, against="our own one-way ANOVA") <= 3


def test_hodges_lehmann_makes_no_pairs(benchmark: Any) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=500_000), rng.normal(0.1, 1, 500_000)
    test: Any = stats.mann_whitney({"x": x, "y": y})
    run = lambda: test.hodges_lehmann().confidence_interval()  # noqa: E731
    once(benchmark, run)
    peer = lambda: peers.mannwhitneyu(x, y, method="asymptotic")  # noqa: E731
    name = "interval of Hodges and Lehmann; 1,000,000 rows"
    assert ratio(run, peer, 3, name, against="scipy, the test alone") <= 10


def test_exact_rank_sums_beside_a_convolution_of_all_states(benchmark: Any) -> None:
    rng = np.random.default_rng(1)
    samples = {"a": rng.normal(size=150), "b": rng.normal(size=150)}

    def bare() -> Array:
        # One group of 150 out of 300 by the plain recursion over every state.
        ways = np.zeros((151, 33_826))
        ways[0, 0] = 1.0
        for item in range(1, 61):  # a fifth of the steps will do for the comparison
            ways[1 : item + 1, item:] += ways[:item, : 33_826 - item].copy()
        return ways

    from negstats.stats.ranks import exact

    def fresh() -> object:
        forget: Any = exact.sum_of_chosen.cache_clear
        forget()
        return stats.mann_whitney(samples, method="exact")

    once(benchmark, fresh)
    name = "exact Mann–Whitney; 300 rows"
    assert ratio(fresh, bare, 3, name, against="numpy, a fifth of the plain recursion") <= 3


def test_tables_grow_like_their_margins(benchmark: Any) -> None:
    run = lambda: tables_with(n=668, chi2="12.17")  # noqa: E731
    once(benchmark, run)
    # Pairs of margins grow sixteenfold, and the tables that are counted 64-fold.
    assert ratio(run, lambda: tables_with(n=167, chi2="12.17"), 3) <= 45


@pytest.mark.parametrize("n_simulations", [1_000, 100_000])
def test_power_of_welch_beside_a_batch_of_sufficient_statistics(benchmark: Any, n_simulations: int) -> None:
    design = normal_design(n=[20, 30], mean=[0, 0.5])
    run = lambda: simulated_power(design, stats.t_test, rng=np.random.default_rng(2), n_simulations=n_simulations)  # noqa: E731

    def bare() -> float:
        rng, n = np.random.default_rng(2), np.array([20, 30])
        mean = np.array([0, 0.5]) + rng.standard_normal((n_simulations, 2)) / np.sqrt(n)
        squared = rng.chisquare(n - 1, (n_simulations, 2)) / (n - 1) / n
        total = squared.sum(axis=1)
        df = total**2 / (squared**2 / (n - 1)).sum(axis=1)
        t = (mean[:, 0] - mean[:, 1]) / np.sqrt(total)
        return float((2 * peers.t.sf(np.abs(t), df) <= 0.05).mean())

    once(benchmark, run)
    name = f"power by simulation, Welch's t; {n_simulations:,} studies"
    assert ratio(run, bare, 5, name, against="numpy, one batch") <= 1.45
