"""How long the agents of Deal or No Deal take to train and to play, as CPU time, and how it grows.

Asked for: an agent in 15 s, the supervised stage in 20 s, the whole design in 90 s on two processes, 388 dialogues of a
pair in 0.5 s, a best response in 0.5 s a scenario, all scenarios in 1 s.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from negstats.games.dealornodeal import Dialogue, best_response, draw, scenarios
from negstats.simulate.dealornodeal import OVER_AGREEABLE, LogLinear, design, fit, play, train
from negstats.simulate.dealornodeal.loglinear import drawn
from tests.benchmarks.peers import record_growth

THETA = np.array([3.0, -3, 2, -1, 3, 3, 0.4, -2, -1, -4, 5, 0, 3, 0, 0, 1.5, 1, 0.4])


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def learned(dialogues: int) -> None:
    rng = np.random.default_rng(1)
    fit(play(OVER_AGREEABLE, OVER_AGREEABLE, draw(dialogues, rng=rng), rng=rng))


def trained(games: int) -> None:
    train(THETA, LogLinear(THETA), "selfish", rng=np.random.default_rng(1), games=games)


def met(dialogues: int) -> None:
    rng = np.random.default_rng(1)
    play(LogLinear(THETA), LogLinear(THETA), draw(dialogues, rng=rng), rng=rng)


def answered(count: int) -> None:
    for place in range(count):
        best_response(THETA, scenarios()[place * 50], seat=place % 2)


CASES = {
    "stage 1, dialogues": (learned, (750, 1500, 3000), 10.0),
    "one agent, dialogues": (trained, (4096, 8192, 16_384), 15.0),
    "a pair, dialogues": (met, (97, 194, 388), 0.5),
    "best responses, scenarios": (answered, (10, 20, 40), 20.0),
}


@pytest.mark.parametrize("name", CASES)
def test_growth(benchmark: BenchmarkFixture, name: str) -> None:
    work, sizes, limit = CASES[name]
    work(sizes[0])  # tables of divisions are made once
    curve = {size: seconds(lambda size=size: work(size)) for size in sizes[:-1]}  # type: ignore[misc]
    curve[sizes[-1]] = benchmark.pedantic(seconds, args=(lambda: work(sizes[-1]),))  # type: ignore[no-untyped-call]
    benchmark.extra_info[f"CPU seconds by {name}"] = curve
    what, of = name.split(", ")
    record_growth(list(curve), list(curve.values()), f"agents of DealOrNoDeal, {what}; {sizes[-1]:,} {of}")
    assert curve[sizes[-1]] <= limit
    # No worse than in proportion, with room for noise.
    assert curve[sizes[-1]] <= 8 * max(curve[sizes[0]], 0.02)


class AllActs:
    """The same policy, over all 127 acts rather than over those that are legal."""

    def acts(self, dialogue: Dialogue, seat: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
        return drawn(LogLinear(THETA).chances(dialogue, seat), rng)


def test_legal_acts_beside_all_acts(benchmark: BenchmarkFixture) -> None:
    draws = draw(1000, rng=np.random.default_rng(1))
    policies = {"legal": LogLinear(THETA), "all": AllActs()}
    took = {
        name: min(seconds(lambda one=one: play(one, one, draws, rng=np.random.default_rng(2))) for _ in range(3))  # type: ignore[misc]
        for name, one in policies.items()
    }
    ratio = took["all"] / took["legal"]
    benchmark.extra_info["all acts beside legal acts"] = ratio
    benchmark.pedantic(met, args=(1000,))  # type: ignore[no-untyped-call]
    print(f"1000 dialogues: {took['legal']:.3f} s by legal acts, {took['all']:.3f} s by all: {ratio:.1f} times")
    assert ratio > 1.5


def test_the_whole_design(benchmark: BenchmarkFixture) -> None:
    took = benchmark.pedantic(seconds, args=(lambda: design(rng=np.random.default_rng(1)),))  # type: ignore[no-untyped-call]
    print(f"design: {took:.2f} s of CPU time")
    assert took <= 180  # 90 s on two processes


def test_all_scenarios(benchmark: BenchmarkFixture) -> None:
    scenarios.cache_clear()
    took = benchmark.pedantic(seconds, args=(scenarios,))  # type: ignore[no-untyped-call]
    print(f"scenarios: {took:.3f} s of CPU time")
    assert took <= 1
