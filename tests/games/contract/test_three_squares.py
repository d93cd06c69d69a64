"""The examples on three squares of haim2017: gray goal, start, yellow goal; the customer must move."""

from __future__ import annotations

import pytest

from negstats.games.contract import Game, State, Utility, solve, three_squares

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
