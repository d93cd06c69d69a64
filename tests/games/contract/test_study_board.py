"""Every figure that haim2017 prints of the study's board."""

from __future__ import annotations

import math

import pytest

from negstats.games.contract import (
    Chips,
    Offer,
    State,
    Utility,
    benefit,
    chain_of_states,
    commitment_offer,
    is_commitment,
    solve,
    study_game,
)
from negstats.games.contract.board import Directions

GAME = study_game()
SP_G, SP_Y = 1, 2
YELLOW_PATH = [(5, 4), (5, 5), (4, 5), (4, 6), (3, 6), (3, 7), (3, 8), (2, 8), (1, 8)]


def on_the_yellow_path(steps: int, *, odd: bool, idle: int = 1) -> State:
    return State(YELLOW_PATH[steps], ((12, 12 - steps, 0, 0), *GAME.chips[1:]), odd, idle)


@pytest.mark.parametrize("directions", ["all", "forward"])
def test_first_offers_are_forty_chips_for_eleven(directions: Directions) -> None:
    game = study_game(directions=directions)
    assert game.colours == ("gray", "yellow", "purple", "red")
    solution = solve(game)
    offers = solution.offer(game.start)
    assert offers == (Offer(SP_G, (0, 0, 7, 33), (0, 11, 0, 0)), Offer(SP_Y, (0, 0, 7, 33), (11, 0, 0, 0)))
    assert all(is_commitment(game, game.start, offer) for offer in offers)
    deal = solution.response(game.start, offers)
    assert deal == offers[0]
    walk = game.accept(game.start, deal)
    end = game.move(walk, solution.path(walk))
    assert game.scores(end) == solution.value(game.start) == (370, 205, 200)


# Appendix, items 3 to 6, as printed: the values of the customer, of SP_y where the providers offer, and of SP_g where
# the customer does; and on which squares both make offers.
APPENDIX = [
    (8, 330, 245, 205),
    (4, 350, 225, 205),
    (2, 360, 215, 205),
    (0, 370, None, 205),
]


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("directions", ["all", "forward"])
@pytest.mark.parametrize(("steps", "customer", "yellow", "gray"), APPENDIX)
def test_the_appendix(directions: Directions, steps: int, customer: int, yellow: int | None, gray: int) -> None:
    game = study_game(directions=directions)
    chain = {(state.steps, state.offering): state for state in chain_of_states(solve(game))}
    theirs, own = chain[steps, "providers"], chain[steps, "customer"]
    assert own.values == (customer, gray, 200)
    assert own.accepted is not None
    assert own.accepted.provider == SP_G
    if yellow is not None:
        assert theirs.values == (customer, 200, yellow)
        assert [offer.provider for offer in theirs.offers] == [SP_G, SP_Y]
        assert theirs.accepted == theirs.offers[1]
        # SP_g's losing offer would bring what the customer gets, and SP_g 205.
        solution = solve(game)
        state = on_the_yellow_path(steps, odd=True)
        assert solution.value(game.accept(state, theirs.offers[0])) == (customer, gray, 200)


def customer_values() -> dict[int, float]:
    """What each square of the yellow path is worth to a customer who is to move and may not offer."""
    return {state.steps: state.values[0] for state in chain_of_states(solve(GAME)) if state.offering == "providers"}


def test_item_4_holds_from_beside_the_goal_down_to_the_sixth_square() -> None:
    values = customer_values()
    assert [values[steps] for steps in (8, 7, 6)] == [330, 330, 330]
    assert [values[steps] for steps in (4, 2, 0)] == [350, 360, 370]


def test_no_board_gives_330_on_the_fifth_square() -> None:
    """Gray is nine steps from square 4 (350 is printed), so at most ten from square 5; the deal nets 29 chips."""
    own, net, goal = 24, 29, 150
    lengths = [length for length in range(1, 20) if 5 * (own - 4 + net - length) + goal == 350]
    assert lengths == [9]
    at_least = 5 * (own - 5 + net - (lengths[0] + 1)) + goal
    assert at_least == 340 == customer_values()[5]


def test_the_chain_goes_from_the_goal_to_the_start() -> None:
    chain = chain_of_states(solve(GAME))
    assert [(state.steps, state.square) for state in chain[::2]] == list(enumerate(YELLOW_PATH))[::-1]
    assert [state.offering for state in chain[:2]] == ["providers", "customer"]
    # On the other squares the customer takes a step before anybody offers.
    assert [state.steps for state in chain if state.accepted is not None][::2] == [8, 5, 4, 2, 0]


@pytest.mark.parametrize("steps", [8, 4, 2, 0])
def test_the_largest_exchange_is_forty_for_eleven_all_the_way(steps: int) -> None:
    state = on_the_yellow_path(steps, odd=False)
    largest = commitment_offer(GAME, state, SP_G, net=29, travelling="most")
    assert (sum(largest.to_customer), sum(largest.to_provider)) == (40, 11)
    assert is_commitment(GAME, state, largest)
    (offer,) = solve(GAME).offer(state)
    assert offer == commitment_offer(GAME, state, SP_G, net=29)
    assert offer.net == largest.net


# haim2017 prints 19, 26 and 33 chips for 11; with α → 0 they would be 28, 35 and 38.
RISK_AVERSE = [(9 / 15, 19, 28), (5 / 6, 26, 35), (14 / 15, 33, 38)]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("pr", "averse", "neutral"), RISK_AVERSE)
def test_risk_averse_first_offers(pr: float, averse: int, neutral: int) -> None:
    for utility, chips in [(Utility(pr, 0.0195), averse), (Utility(pr, 1e-9), neutral), (Utility(pr), neutral)]:
        solution = solve(GAME, utility)
        for offer in solution.offer(GAME.start):
            value: Chips = (0, 11, 0, 0) if offer.provider == SP_G else (11, 0, 0, 0)
            assert offer == Offer(offer.provider, (0, 0, 7, chips - 7), value)
        assert len(solution.offer(GAME.start)) == 2
        deal = solution.response(GAME.start, solution.offer(GAME.start))
        assert deal is not None
        assert deal.provider == SP_G


@pytest.mark.parametrize(("pr", "averse", "neutral"), RISK_AVERSE)
def test_risk_averse_offers_are_the_largest_that_gain(pr: float, averse: int, neutral: int) -> None:
    # The formula that fits the printed offers, on its own.
    def gains(chips: int, alpha: float) -> bool:
        rest = 5 * (51 - chips)
        mean = pr * -math.expm1(-alpha * (rest + 150)) + (1 - pr) * -math.expm1(-alpha * rest)
        return mean > -math.expm1(-alpha * 200)

    assert max(chips for chips in range(41) if gains(chips, 0.0195)) == averse
    assert max(chips for chips in range(41) if gains(chips, 1e-6)) == neutral


def test_the_offer_with_a_benefit_of_fifty() -> None:
    offer = commitment_offer(GAME, GAME.start, SP_Y, net=10)
    assert offer == Offer(SP_Y, (0, 0, 7, 14), (11, 0, 0, 0))
    assert is_commitment(GAME, GAME.start, offer)
    assert [benefit(offer, player) for player in (0, SP_G, SP_Y)] == [50, 0, -50]


def test_walking_to_gray_at_once_with_p_of_nine_tenths() -> None:
    utility = Utility(pr=0.9)
    alone = GAME.accept(State((5, 4), ((12, 0, 0, 12), *GAME.chips[1:]), odd=True), None)
    # Twenty-four chips, twelve of them gray: the customer is committed to SP_g and walks.
    assert solve(GAME, utility).value(alone)[:2] == pytest.approx((214.5, 335), abs=1e-9)


class TestWhereStoppingAnywhereDiffers:
    """With every walk considered the start stays as it is; the appendix's figures on the way do not."""

    @pytest.mark.parametrize(
        ("directions", "steps", "values"),
        [
            ("all", 8, (365, 200, 210)),
            ("all", 4, (365, 200, 210)),
            ("forward", 8, (330, 205, 200)),
            ("forward", 4, (350, 205, 200)),
        ],
    )
    def test_values(self, directions: Directions, steps: int, values: tuple[float, ...]) -> None:
        game = study_game(directions=directions)
        solution = solve(game, walks="all")
        assert solution.value(game.start) == (370, 205, 200)
        assert solution.value(on_the_yellow_path(steps, odd=False)) == values

    def test_the_threat_behind_it(self) -> None:
        # Next to the yellow goal with two yellow chips: if SP_y says no, the customer steps back, cannot reach yellow
        # any more, and deals with SP_g. That is worth more to it than walking to yellow.
        solution = solve(GAME, walks="all")
        state = State((1, 8), ((12, 2, 0, 0), *GAME.chips[1:]), odd=False, idle=1)
        (offer,) = solution.offer(state)
        assert offer.provider == SP_Y
        refused = GAME.accept(state, None)
        assert solution.path(refused) == ((2, 8),)
        walks_to_yellow = GAME.scores(GAME.move(refused, ((0, 8),)))
        assert solution.value(refused)[0] > walks_to_yellow[0]
        assert solution.value(refused)[2] == 200
