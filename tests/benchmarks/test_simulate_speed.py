"""How long simulated games take: 10,000 games in at most 60 s on two cores, and how the time grows with the games."""

from __future__ import annotations

import time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from negstats.simulate import as_study, games_of

WORKERS = 2


def seconds(condition: str, games: int) -> float:
    start = time.perf_counter()
    as_study(games_of(condition, "Israel", games, seed=1, workers=WORKERS))
    return time.perf_counter() - start


@pytest.mark.parametrize("condition", ["HvsH", "HvsSP-RAP"])
def test_ten_thousand_games(benchmark: BenchmarkFixture, condition: str) -> None:
    curve = {games: seconds(condition, games) for games in (1000, 2500, 5000)}
    curve[10_000] = benchmark.pedantic(seconds, args=(condition, 10_000))  # type: ignore[no-untyped-call]
    benchmark.extra_info["seconds by games"] = curve
    print(condition, {games: round(taken, 1) for games, taken in curve.items()})
    assert curve[10_000] <= 60


def test_the_customer_agent(benchmark: BenchmarkFixture) -> None:
    """CS-A holds out longest, so its games are the longest."""
    curve = {games: seconds("HvsCS-A", games) for games in (250, 500)}
    curve[1000] = benchmark.pedantic(seconds, args=("HvsCS-A", 1000))  # type: ignore[no-untyped-call]
    benchmark.extra_info["seconds by games"] = curve
    print("HvsCS-A", {games: round(taken, 1) for games, taken in curve.items()})
    assert curve[1000] <= 60
