"""How long simulated games take: 10,000 games in at most 60 s of one processor, and how the time grows with the games.

Games are played by one process: the work of two was 3.4 times that of one with 200 games of CS-A, and 2.5 times with
10,000 talks of dominance, for each worker starts and solves anew what recurs, and sends its games back.
"""

from __future__ import annotations

import time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from negstats.simulate.contract import as_study, games_of
from tests.benchmarks.peers import record_growth


def seconds(condition: str, games: int) -> float:
    """The processors' time."""
    before = time.process_time()
    as_study(games_of(condition, "Israel", games, seed=1))
    return time.process_time() - before


# CS-A holds out longest, so its games are the longest.
@pytest.mark.parametrize(
    ("condition", "sizes"),
    [("HvsH", (2500, 5000, 10_000)), ("HvsSP-RAP", (2500, 5000, 10_000)), ("HvsCS-A", (250, 500, 1000))],
)
def test_games_by_number(benchmark: BenchmarkFixture, condition: str, sizes: tuple[int, ...]) -> None:
    curve = {games: seconds(condition, games) for games in sizes[:-1]}
    curve[sizes[-1]] = benchmark.pedantic(seconds, args=(condition, sizes[-1]))  # type: ignore[no-untyped-call]
    benchmark.extra_info["CPU seconds, by games"] = curve
    record_growth(sizes, list(curve.values()), f"contract games, {condition}; {sizes[-1]:,} games")
    assert curve[sizes[-1]] <= 60
