"""How fast sheets are played: many states at once against one clingo solve a state, and how that grows."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from negstats.games.rulesheet import (
    Box,
    Boxes,
    Domain,
    GroundGame,
    Totals,
    additive_frontier,
    best_contract,
    explore,
    ground,
    parse,
    sheet,
)
from tests.benchmarks.peers import record_ratio
from tests.games.rulesheet.by_clingo import ByClingo

SHEETS = {
    "offers, K = 10, m = 4": sheet.alternating_offers(10, 4),
    "offers, K = 100, m = 10": sheet.alternating_offers(100, 10),
    "negotiating prisoners, m = 3": sheet.negotiating_prisoners(3),
    "large domain": sheet.large_domain(),
    "large domain, boxes": sheet.large_domain(payoff="boxes"),
}


def cpu(call: Callable[[], object], times: int = 3) -> float:
    """The least processor time of several runs, in seconds."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
    return min(taken)


def batch_rate(game: GroundGame, n: int, steps: int = 10) -> float:
    """States a second: successor and legal moves of n states at once."""
    words = game.repeated(game.first, n)
    _, legal = game.legal_batch(words, n)
    rng = np.random.default_rng(1)
    choices = np.array([rng.choice(np.flatnonzero(legal[role][:, 0]), size=n) for role in game.roles])

    def step() -> None:
        for _ in range(steps):
            game.legal_batch(game.next_batch(words, choices, n), n)

    return n * steps / max(cpu(step), 1e-6)


def solve_rate(text: str, steps: int = 50) -> float:
    """One bare clingo solve a state, nothing read from the model: the fastest that can be asked for."""
    engine = ByClingo(parse(text))
    true = [literal for atom, literal in engine.inputs.items() if atom[0] == "true"]

    def step() -> None:
        for number in range(steps):
            engine.control.assign_external(true[number % len(true)], number % 2 == 0)
            engine.control.solve()

    return steps / cpu(step)


@pytest.mark.parametrize("name", SHEETS)
def test_a_batch_against_a_solve_a_state(name: str, benchmark: BenchmarkFixture) -> None:
    game = ground(parse(SHEETS[name]))
    ours = cast("Any", benchmark).pedantic(lambda: batch_rate(game, 1024), rounds=1)
    solving = solve_rate(SHEETS[name])
    benchmark.extra_info.update({"ground rules": game.rules.count, "batch, steps/s": ours, "clingo, solves/s": solving})
    text = f"rule sheets, a step of {name}, 1,024 states at once; {game.rules.count:,} rules"
    record_ratio(1 / ours, 1 / solving, text, "clingo, one solve a state")
    assert ours >= 20 * solving


def test_how_steps_a_second_grow_with_rules_and_states(benchmark: BenchmarkFixture) -> None:
    """Ten times the rules cost at most fifteen times the time; more states at once cost less each."""
    games = [ground(parse(sheet.alternating_offers(shares, 10))) for shares in (10, 100)]
    rates = {
        (game.rules.count, n): batch_rate(game, n, steps=2 if n > 4096 else 5)
        for game in games
        for n in (1, 64, 1024, 16384)
    }
    cast("Any", benchmark).pedantic(lambda: batch_rate(games[0], 1024), rounds=1)
    for (rules, n), rate in rates.items():
        benchmark.extra_info[f"{rules} rules, {n} states"] = rate
        print(f"{rules} ground rules, {n} states at once: {rate:,.0f} steps/s")
    small, large = (game.rules.count for game in games)
    assert rates[small, 1024] <= rates[large, 1024] * 1.5 * large / small
    assert rates[large, 1024] >= 20 * rates[large, 1]


def test_the_whole_graph_of_negotiating_prisoners(benchmark: BenchmarkFixture) -> None:
    game = ground(parse(sheet.negotiating_prisoners(6)))
    graph = benchmark(explore, game)
    assert (len(graph.nodes), graph.joint_moves) == (104, 575)
    assert cpu(lambda: explore(game)) < 1


def test_the_large_domain_is_ready_at_once(benchmark: BenchmarkFixture) -> None:
    rules = parse(sheet.large_domain())

    def ready() -> None:
        game = ground(rules)
        game.legal(game.first)

    cast("Any", benchmark).pedantic(ready, rounds=3)
    seconds = cpu(ready)
    print(f"ground and first state of the large domain: {seconds:.3f} s")
    assert seconds < 0.5


def test_ten_thousand_million_contracts(benchmark: BenchmarkFixture) -> None:
    domain = Domain.of(parse(sheet.large_domain()))
    own, partner = (list(domain.worths[role]) for role in ("a1", "a2"))
    rng = np.random.default_rng(1)
    real = [list(table) for table in rng.random((2, 10, 10))]
    benchmark(lambda: Totals(own, partner).frontier())
    whole, any_kind = cpu(lambda: Totals(own, partner).at_least(80)), cpu(lambda: additive_frontier(*real))
    print(f"10^10 contracts: whole worths {whole * 1000:.2f} ms, real worths {any_kind * 1000:.2f} ms")
    assert whole < 0.005
    assert any_kind < 0.005


@pytest.mark.parametrize("number", [25, 50, 100])
def test_the_best_of_boxes(number: int, benchmark: BenchmarkFixture) -> None:
    """The largest of three draws: three issues limited a box, ten issues of ten values."""
    seconds = []
    for seed in (1, 2, 3):
        rng = np.random.default_rng(seed)
        boxes = []
        for _ in range(number):
            issues = rng.choice(10, size=3, replace=False).tolist()
            ranges = np.sort(rng.integers(0, 10, size=(3, 2)), axis=1).tolist()
            allows = {issue: frozenset(range(low, high + 1)) for issue, (low, high) in zip(issues, ranges, strict=True)}
            boxes.append(Box(int(rng.integers(1, 20)), allows))
        seconds.append(cpu(lambda boxes=boxes: best_contract(Boxes(boxes, [10] * 10)), times=1))  # type: ignore[misc]
    cast("Any", benchmark).pedantic(lambda: best_contract(Boxes(boxes, [10] * 10)), rounds=1)
    benchmark.extra_info["seconds"] = seconds
    print(f"{number} boxes: {', '.join(f'{one:.2f}' for one in seconds)} s")
    assert max(seconds) < 5
