"""How long Pareto optimality takes: every Deal or No Deal deal against its whole outcome space, and large spaces."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from negstats.games import division_utilities, divisions, pareto_optimal
from negstats.metrics import pareto_optimal as pareto_optimal_deals
from tests.benchmarks.peers import record_growth
from tests.conftest import DataFolder
from tests.games import dealornodeal

SECONDS = 1.0  # for all 5,916 dialogues, outcome spaces included


def least_seconds(call: Callable[[], object], times: int = 5) -> float:
    """The least of several times: what else runs on the machine only adds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)


@pytest.mark.data
def test_all_deal_or_no_deal_deals(benchmark: Any, real_data: DataFolder) -> None:
    deals = dealornodeal.read(real_data("dealornodeal") / "data.txt")
    assert len(deals) == 5916
    assert benchmark(deals.pareto_optimal).mean() == pytest.approx(0.7704, abs=5e-5)
    assert least_seconds(deals.pareto_optimal) <= SECONDS


@pytest.mark.data
def test_all_deal_or_no_deal_deals_in_tables(benchmark: Any, real_data: DataFolder) -> None:
    """The same from the tables of a study."""
    tables = dealornodeal.read(real_data("dealornodeal") / "data.txt").tables()

    def measure() -> float:
        optimal = pareto_optimal_deals(tables["values"], tables["offers"], tables["items"])["pareto_optimal"]
        return float(optimal.mean())

    assert benchmark(measure) == pytest.approx(0.7704, abs=5e-5)
    assert least_seconds(measure) <= SECONDS


@pytest.mark.data
def test_masks_of_all_deal_or_no_deal_games(benchmark: Any, real_data: DataFolder) -> None:
    """The dearer way: the whole frontier of every game, one game at a time."""
    deals = dealornodeal.read(real_data("dealornodeal") / "data.txt")

    def frontiers() -> int:
        n_optimal = 0
        for counts, values in zip(deals.counts, deals.values, strict=True):
            n_optimal += int(pareto_optimal(division_utilities(divisions(counts), values)).sum())
        return n_optimal

    assert benchmark(frontiers) >= 5916
    assert least_seconds(frontiers, times=3) <= 2 * SECONDS


@pytest.mark.parametrize("parties", [2, 3])
def test_time_grows_little_faster_than_the_space(benchmark: Any, parties: int) -> None:
    """Eight times as many random outcomes take at most 24 times as long: no quadratic growth (64 times)."""
    utilities = np.random.default_rng(1).random((80_000, parties))

    few = least_seconds(lambda: pareto_optimal(utilities[:10_000]))
    many = least_seconds(lambda: pareto_optimal(utilities))
    benchmark(pareto_optimal, utilities)
    words = {2: "two parties, a square", 3: "three parties, a cube"}[parties]
    record_growth((10_000, 80_000), (few, many), f"Pareto front of {words}; 80,000 points")
    assert many <= 24 * few
