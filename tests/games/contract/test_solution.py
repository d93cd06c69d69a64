"""A solution as its user meets it: what it refuses, what it forgets, and strategies that fit together."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from negstats.games.contract import Game, Offer, State, Utility, chain_of_states, equilibrium, solve, study_game
from negstats.games.contract.equilibrium import Method
from negstats.games.contract.search import Walks
from tests.games.contract.boards import LITTLE_STUDY, LOOP, THREE_SQUARES
from tests.games.contract.referee import Referee, random_game

GAME = study_game()
METHODS: tuple[Method, ...] = ("plain", "commitments")


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("walks", ["preferred", "all"])
@pytest.mark.parametrize("providers", [1, 2, 3])
def test_a_state_is_worth_what_its_strategies_lead_to(method: Method, walks: Walks, providers: int) -> None:
    rng = np.random.default_rng([11, providers])
    for _ in range(8):
        game = random_game(rng, providers, chips=5, goal_points=30)
        referee = Referee(solve(game, Utility(pr=0.75), method=method, walks=walks))
        for state in [game.start, *referee.successors(game.start)]:
            assert referee.solution.value(state) == pytest.approx(referee.worth(state), abs=1e-9)


def test_offers_are_possible_and_the_accepted_one_is_among_them() -> None:
    solution = solve(GAME)
    for chain_state in chain_of_states(solution):
        assert chain_state.accepted is None or chain_state.accepted in chain_state.offers
    state = GAME.start
    assert solution.response(state, ()) is None
    assert solution.response(state, [Offer(1, (0, 0, 0, 0), (1, 0, 0, 0))]) is None


def test_a_customer_takes_the_better_of_two_offers() -> None:
    solution = solve(GAME)
    less, more = Offer(1, (0, 0, 7, 32), (0, 11, 0, 0)), Offer(2, (0, 0, 7, 33), (11, 0, 0, 0))
    assert solution.response(GAME.start, (less, more)) == more
    # For less than 370 the customer waits a round: then it offers itself.
    assert solution.response(GAME.start, (less,)) is None
    assert solution.path(GAME.accept(GAME.start, None)) == ()


def test_a_game_that_is_over_has_its_scores_as_value() -> None:
    assert solve(GAME).value(State((0, 0), GAME.chips, odd=False)) == (270, 350, 200)


def test_it_says_what_it_is() -> None:
    assert repr(solve(GAME)) == "<Solution of 6 × 9 squares, method 'commitments', walks 'preferred'>"


def test_forgetting_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    result = chain_of_states(solve(GAME))
    monkeypatch.setattr(equilibrium, "KEPT", 10)
    assert chain_of_states(solve(GAME)) == result


@pytest.mark.slow
def test_long_games_do_not_run_out_of_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = sys.getrecursionlimit()
    # Fifteen hundred chips to walk to and fro with, and no goal in reach: since Python 3.12 a state takes fewer calls.
    game = Game.of(LOOP, {"purple": 1500}, [{}, {}], dormant_after=4)
    solution = solve(game, method="commitments", walks="all")
    assert solution.value(game.start) == (7500, 0, 0)
    assert sys.getrecursionlimit() == limit
    limits: list[int] = []
    monkeypatch.setattr(sys, "setrecursionlimit", limits.append)  # without more calls there are too few
    with pytest.raises(RecursionError):
        solve(game, method="commitments", walks="all").value(game.start)
    assert limits[-1] == limit


def test_nobody_has_a_chip() -> None:
    game = Game.of(LITTLE_STUDY, {}, [{}, {}])
    for method in METHODS:
        solution = solve(game, method=method)
        assert solution.value(game.start) == (0, 0, 0)
        assert solution.path(game.accept(game.start, None)) == ()


def test_a_goal_that_costs_more_than_it_brings() -> None:
    game = Game.of(THREE_SQUARES, {"gray": 3}, [{"red": 1}, {"red": 1}], goal_points=3)
    for method in METHODS:
        solution = solve(game, method=method)
        assert solution.path(game.accept(game.start, None)) == ()
