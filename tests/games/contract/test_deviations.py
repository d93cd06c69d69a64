"""A million random other offers, answers and walks (by default 4,000) on the path of equilibrium and one step off it.

Everybody is taken to play on as the solution says.

- The first round's offers: no other offer gains to the provider who makes it, and no other answer to any of them.
- After each answer to the equilibrium's offers: no other walk gains.
- The second round's offers after waiting: nor there.
- After another first offer that is accepted, a loss to who made it: now and then the customer would do better by a
  walk to and fro that burns chips, which the solution does not consider (``walks="preferred"``).
- Where the customer, once committed, stops on its way instead of walking to the goal: other offers gain. That is what
  following commitment offers alone loses (`negstats.games.contract.reduced`); the last tests say where and how much.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from negstats.games.contract import Offer, Solution, State, committed_to, solve, study_game
from tests.conftest import runs

GAME = study_game()
SP_G, SP_Y = 1, 2
DRAWS = runs(1_000_000, 4_000)


@pytest.fixture(scope="module")
def solution() -> Solution:
    return solve(GAME)


def random_offers(rng: np.random.Generator, state: State, provider: int, count: int) -> list[Offer]:
    """Return exchanges that are possible, the ends of each colour's range and no chip of it more often."""
    low, high = -np.array(state.chips[0]), np.array(state.chips[provider])
    change = rng.integers(low, high + 1, (count, len(low)))
    for bound in (low, high, np.zeros_like(low)):
        change = np.where(rng.random(change.shape) < 0.15, bound, change)
    return [
        Offer(provider, tuple(map(int, np.maximum(row, 0))), tuple(map(int, np.maximum(-row, 0)))) for row in change
    ]


def offers_gain(solution: Solution, state: State, provider: int, other: Offer) -> tuple[float, float]:
    """Return what another offer gains to whoever makes it, and another answer to it to whoever answers."""
    table = solution.offer(state)
    odd_offers = [offer for offer in table if offer.provider != provider] if state.odd else []
    table = (*odd_offers, other)
    proposer, responder = (provider, 0) if state.odd else (0, provider)
    answer = solution.response(state, table)
    result = solution.value(GAME.accept(state, answer))
    answers = [solution.value(GAME.accept(state, offer))[responder] for offer in (None, *table)]
    return result[proposer] - solution.value(state)[proposer], max(answers) - result[responder]


def walks_gain(solution: Solution, state: State, moves: list[State]) -> float:
    return max(solution.value(after)[0] for after in moves) - solution.value(state)[0]


def after_first_offers(solution: Solution) -> dict[str, State]:
    """Return the states after the first round's offers: on the path, and with another answer."""
    gray, yellow = solution.offer(GAME.start)
    return {
        "SP_g's accepted": GAME.accept(GAME.start, gray),
        "SP_y's accepted": GAME.accept(GAME.start, yellow),
        "none accepted": GAME.accept(GAME.start, None),
    }


def check_first_offers(solution: Solution, draws: int, rng: np.random.Generator) -> None:
    for provider in (SP_G, SP_Y):
        for other in sorted(set(random_offers(rng, GAME.start, provider, draws // 2))):
            assert max(offers_gain(solution, GAME.start, provider, other)) <= 0, other


def check_answers(solution: Solution) -> None:
    """Look at all walks after each answer to the first offers."""
    for state in after_first_offers(solution).values():
        assert walks_gain(solution, state, list(GAME.moves(state))) <= 0


def share_with_better_walks(solution: Solution, draws: int, rng: np.random.Generator) -> float:
    """Return after how many of the other first offers that are accepted one of fifty random walks would be better."""
    gray, yellow = solution.offer(GAME.start)
    tried = better = 0
    while 50 * tried < draws:
        provider = int(rng.integers(1, 3))
        (other,) = random_offers(rng, GAME.start, provider, 1)
        if solution.response(GAME.start, (yellow if provider == SP_G else gray, other)) == other:
            state = GAME.accept(GAME.start, other)
            moves = list(GAME.moves(state))
            chosen = [moves[place] for place in rng.permutation(len(moves))[:50]]
            better += walks_gain(solution, state, chosen) > 0
            tried += 1
    return better / tried


def check_next_offers(solution: Solution, draws: int, rng: np.random.Generator) -> None:
    """Look at the second round's offers where the customer waited, rightly, after no offer was accepted."""
    state = GAME.move(GAME.accept(GAME.start, None), ())
    for provider in (SP_G, SP_Y):
        for other in sorted(set(random_offers(rng, state, provider, draws // 2))):
            assert max(offers_gain(solution, state, provider, other)) <= 0, other


@pytest.mark.slow
def test_some_deviations(solution: Solution) -> None:
    rng = np.random.default_rng(9)
    check_answers(solution)
    check_first_offers(solution, 200, rng)
    check_next_offers(solution, 200, rng)
    assert share_with_better_walks(solution, 1000, rng) < 0.2


@pytest.mark.calibration
def test_many_deviations(solution: Solution) -> None:
    rng = np.random.default_rng(10)
    check_first_offers(solution, 9 * DRAWS // 10, rng)
    check_next_offers(solution, 3 * DRAWS // 50, rng)
    share = share_with_better_walks(solution, DRAWS // 25, rng)
    print(f"a better walk after {share:.2%} of the other offers that are accepted")
    assert share < 0.05


def test_burning_chips_gains_after_an_offer_that_gives_too_much(solution: Solution) -> None:
    state = GAME.accept(GAME.start, Offer(SP_Y, (0, 0, 5, 33), (0, 8, 0, 0)))
    assert solution.path(state)[-1] == (0, 0)
    assert solution.value(state) == (375, 350, 50)
    to_and_fro = GAME.move(state, ((5, 3), (4, 3), (5, 3)))
    assert solution.value(to_and_fro) == (505, 210, 50)


class TestWhereOtherOffersGain:
    """SP_g's offer is accepted, and the committed customer stops on its way to gray to deal with SP_y."""

    def stop(self, solution: Solution, steps: int) -> State:
        deal = after_first_offers(solution)["SP_g's accepted"]
        return GAME.move(deal, solution.path(deal)[:steps])

    def test_the_customer_sells_its_way_to_sp_y(self, solution: Solution) -> None:
        state = self.stop(solution, 1)
        assert state == State((5, 3), ((11, 1, 7, 33), (0, 11, 0, 0), (0, 0, 7, 33)), odd=False)
        assert committed_to(GAME, state) == (SP_G,)
        assert solution.value(state) == solution.value(GAME.start) == (370, 205, 200)
        # Seven gray for two purple and 33 red: what is left does not reach gray, and only SP_g has yellow.
        other = Offer(SP_Y, (0, 0, 2, 33), (7, 0, 0, 0))
        assert solution.response(state, (other,)) == other
        assert solution.value(GAME.accept(state, other)) == (400, 155, 210)

    @pytest.mark.slow
    @pytest.mark.parametrize("steps", range(1, 9))
    def test_the_gain_shrinks_with_each_step(self, solution: Solution, steps: int) -> None:
        state = self.stop(solution, steps)
        assert solution.value(state) == (370, 205, 200)
        best = max(sales(state), key=lambda other: offers_gain(solution, state, SP_Y, other)[0])
        assert offers_gain(solution, state, SP_Y, best) == (5 * (8 - steps), 0)
        if steps == 1:
            customer, gray, yellow = solution.value(GAME.accept(state, best))
            assert (customer, gray < 200, yellow > 200) == (405, True, True)


def sales(state: State) -> list[Offer]:
    """Return the offers by which the customer sells gray for purple and red."""
    gray = range(1, state.chips[0][0] + 1)
    return [Offer(SP_Y, (0, 0, p, r), (g, 0, 0, 0)) for g, p, r in itertools.product(gray, range(8), range(15, 34))]
