"""Two engines say the same of every sheet: numpy on ground rules, and joins without grounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from negstats.games.rulesheet import GroundGame, Rules, State, explore, playouts, profiles, read_term
from tests.games.rulesheet.interpreter import Interpreter
from tests.games.rulesheet.sheets import SHEETS, game_of, rules_of

SMALL = [name for name in SHEETS if not name.startswith("large")]


def compared(rules: Rules, game: GroundGame, engine: Any, playouts: int, steps: int, seed: int = 1) -> int:
    """Play at random, compare every state on the way, and return how many there were."""
    rng, seen = np.random.default_rng(seed), 0
    assert engine.first == terms(game, game.first)
    for _ in range(playouts):
        state = game.first
        for _ in range(steps):
            seen += 1
            over, legal, goals = engine.look(terms(game, state))
            assert over == game.over(state)
            if over:
                assert goals == {role: [str(paid)] for role, paid in game.payoffs(state).items()}
                break
            assert legal == game.legal(state)
            moves = {role: moves[rng.integers(len(moves))] for role, moves in legal.items()}
            after = game.next(state, moves)
            does = {read_term(role): read_term(move) for role, move in moves.items()}
            assert engine.next(terms(game, state), does) == terms(game, after)
            state = after
    return seen


def terms(game: GroundGame, state: State) -> frozenset[Any]:
    return frozenset(map(read_term, game.holding(state)))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", SMALL)
def test_joins_without_grounding_say_the_same(name: str) -> None:
    number, steps = (2, 5) if "domain" in name else (5, 12)
    assert compared(rules_of(name), game_of(name), Interpreter(rules_of(name)), number, steps) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["large domain", "large domain with boxes"])
def test_joins_without_grounding_say_the_same_of_a_large_sheet(name: str) -> None:
    assert compared(rules_of(name), game_of(name), Interpreter(rules_of(name)), 1, 4) == 4


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("name", SMALL)
def test_many_states_at_once_are_as_one_by_one(name: str) -> None:
    game = game_of(name)
    graph = explore(game, depth=2)
    states: list[Any] = [node.state for node in graph.nodes]
    payoffs, legal = game.look(states)
    for state, paid, moves in zip(states, payoffs, legal, strict=True):
        assert (paid is not None) == game.over(state)
        assert paid == (game.payoffs(state) if game.over(state) else None)
        assert moves == ({} if game.over(state) else game.legal(state))
    for node in graph.nodes[:20]:
        if node.legal:
            chosen = list(profiles(node.legal))
            after = game.successors([node.state] * len(chosen), chosen)  # type: ignore[list-item]
            assert after == [game.next(node.state, one) for one in chosen]  # type: ignore[arg-type]


def test_random_playouts_at_once_are_as_frequent_as_histories_say() -> None:
    """In the prisoner's dilemma each of four ends has a chance of one in four."""
    payoffs, lengths = playouts(game_of("prisoners"), 40_000, np.random.default_rng(1))
    _, counts = np.unique(payoffs, axis=0, return_counts=True)
    assert len(counts) == 4
    assert abs(counts - 10_000).max() < 5 * np.sqrt(40_000 * 0.25 * 0.75)
    assert set(lengths.tolist()) == {1}


def test_playouts_are_the_same_with_the_same_seed() -> None:
    game = game_of("negotiating prisoners")
    one, other = (playouts(game, 500, np.random.default_rng(7))[0] for _ in range(2))
    assert np.array_equal(one, other)
