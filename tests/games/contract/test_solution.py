"""The solution of the contract game: utilities, boards of three squares, and exchanges without a gain."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.games.contract import (
    Game,
    Offer,
    State,
    Utility,
    chain_of_states,
    equilibrium,
    solve,
    study_game,
    three_squares,
)
from negstats.games.contract.equilibrium import Method
from negstats.games.contract.search import Walks
from tests.conftest import runs
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


points = st.floats(0, 600)
chances = st.floats(0, 1)


@given(pr=chances, alpha=st.floats(1e-3, 0.02), success=points, failure=points)
def test_the_equivalent_has_the_expected_utility(pr: float, alpha: float, success: float, failure: float) -> None:
    worth = Utility(pr, alpha).worth(success, failure)
    expected = pr * -math.expm1(-alpha * success) + (1 - pr) * -math.expm1(-alpha * failure)
    assert -math.expm1(-alpha * worth) == pytest.approx(expected, rel=1e-9, abs=1e-11)


@given(pr=chances, alpha=st.floats(0, 10), success=points, failure=points)
def test_it_lies_between_and_no_higher_than_the_mean(pr: float, alpha: float, success: float, failure: float) -> None:
    worth = Utility(pr, alpha).worth(success, failure)
    assert min(success, failure) - 1e-9 <= worth <= max(success, failure) + 1e-9
    assert worth <= pr * success + (1 - pr) * failure + 1e-6


@given(pr=chances, success=points, failure=points)
def test_little_risk_aversion_is_near_none(pr: float, success: float, failure: float) -> None:
    assert Utility(pr, 1e-12).worth(success, failure) == pytest.approx(Utility(pr).worth(success, failure), abs=1e-4)


@pytest.mark.parametrize(("pr", "worth"), [(0, 120), (1, 225)])
def test_certainty(pr: float, worth: float) -> None:
    assert Utility(pr, 0.0195).worth(225, 120) == worth


def test_much_risk_aversion_keeps_its_digits() -> None:
    # 1 - exp(-α u) is 1 to the last digit for both scores; the equivalent is the lower score plus ln 2 / α.
    assert Utility(0.5, 10).worth(400, 200) == pytest.approx(200 + math.log(2) / 10, abs=1e-9)


TOLERANCE = 1e-9


def check(game: Game, utility: Utility) -> int:
    """Look at every state that any play can lead to; return how many deviations were tried."""
    referee = Referee(solve(game, utility, method="plain", walks="all"))
    values: set[State] = {game.start}
    fresh = [game.start]
    tried = 0
    while fresh:
        state = fresh.pop()
        for gain, deviation in referee.gains(state):
            assert gain <= TOLERANCE, (game, state, deviation)
            tried += 1
        later = referee.successors(state) - values
        values |= later
        fresh += later
    assert np.allclose(referee.worth(game.start), referee.solution.value(game.start), atol=TOLERANCE, rtol=0)
    return tried


def games(count: int, seed: int, most_chips: int) -> list[tuple[Game, Utility]]:
    rng = np.random.default_rng(seed)
    values = []
    for number in range(count):
        providers = 2 + number % 2
        game = random_game(
            rng,
            providers,
            chips=int(rng.integers(3, most_chips + 1 - (providers == 3))),
            goal_points=5 * int(rng.integers(1, 7)),
            dormant_after=int(rng.integers(1, 4)),
        )
        values.append((game, Utility(pr=float(rng.choice([1, 1, 0.5, 0.7])))))
    return values


@pytest.mark.slow
def test_no_deviation_gains_in_small_games() -> None:
    assert sum(check(game, utility) for game, utility in games(20, seed=1, most_chips=4)) > 1000


@pytest.mark.calibration
def test_no_deviation_gains_in_two_hundred_games() -> None:
    count = runs(200, 10)
    checked = sum(check(game, utility) for game, utility in games(count, seed=2, most_chips=6))
    print(f"{checked:,} deviations in {count} games")
    assert checked > 5000 * count


GRAY, YELLOW = {"gray": 1}, {"yellow": 1}
FIRST = three_squares({}, GRAY, YELLOW)
SECOND = three_squares(GRAY | YELLOW, {}, {})
THIRD = three_squares({}, GRAY, {})

# game, who offers, all offers as (provider, to the customer, to the provider) in gray, yellow, red, accepted, scores
PRINTED = [
    pytest.param(FIRST, "customer", [(1, (1, 0, 10), (0, 0, 0))], 1, (250, 150, 55), id="1: asks SP_g for everything"),
    pytest.param(
        FIRST,
        "providers",
        [(1, (1, 0, 10), (0, 0, 0)), (2, (0, 1, 10), (0, 0, 0))],
        1,
        (250, 150, 55),
        id="1: both offer everything, SP_g's is taken",
    ),
    pytest.param(SECOND, "customer", [(1, (0, 0, 10), (0, 1, 0))], 1, (250, 155, 50), id="2: a yellow for ten red"),
    pytest.param(THIRD, "providers", [(1, (1, 0, 0), (0, 0, 10))], 1, (150, 250, 50), id="3: a gray for ten red"),
]


@pytest.mark.parametrize(("game", "offering", "offers", "accepted", "scores"), PRINTED)
def test_printed_offers_and_scores(
    game: Game,
    offering: str,
    offers: list[tuple[int, tuple[int, ...], tuple[int, ...]]],
    accepted: int,
    scores: tuple[int, ...],
) -> None:
    assert game.colours == ("gray", "yellow", "red")
    solution = solve(game)
    state = game.start._replace(odd=offering == "providers")
    assert [tuple(offer) for offer in solution.offer(state)] == offers
    deal = solution.response(state, solution.offer(state))
    assert deal is not None
    assert deal.provider == accepted
    assert solution.value(state) == scores
    after = game.accept(state, deal)
    end = game.move(after, solution.path(after))
    assert game.ended(end)
    assert game.goal_reached(end) == accepted
    assert game.scores(end) == scores


def test_without_its_offer_the_customer_walks_to_yellow() -> None:
    solution = solve(SECOND)
    state = SECOND.accept(SECOND.start._replace(odd=False), None)
    assert solution.path(state) == ((0, 2),)
    assert solution.value(state)[1:] == (50, 200)


def test_the_last_example_to_the_customer_is_what_the_rules_make_of_it() -> None:
    # Not printed: the customer to offer gets all that SP_g has, as in the first example.
    solution = solve(THIRD)
    assert solution.value(THIRD.start._replace(odd=False)) == (250, 150, 50)


def test_no_chip_to_move_with_ends_the_game() -> None:
    game = three_squares({}, {}, {})
    solution = solve(game)
    assert solution.offer(game.start) == ()
    stays = game.accept(game.start, None)
    assert solution.path(stays) == ()
    end = game.move(stays, ())
    assert end == State((0, 1), game.chips, odd=False, idle=1)
    assert game.ended(end)
    assert solution.value(end) == (50, 50, 50)


def test_walking_at_once_with_p_of_nine_tenths() -> None:
    # haim2017: 214.5 for the customer of the study, 335 for SP_g. Here the same formula on three squares.
    solution = solve(SECOND, Utility(pr=0.9))
    state = SECOND.accept(SECOND.start._replace(odd=False), None)
    assert solution.value(state) == pytest.approx((0.9 * 205 + 0.1 * 60, 50, 0.9 * 200 + 0.1 * 50), abs=1e-9)
