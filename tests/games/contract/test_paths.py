"""Needs of paths and commitments against a list of all paths."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from negstats.games.contract import (
    Chips,
    Game,
    Offer,
    Square,
    commitment_offer,
    committed_to,
    is_commitment,
    study_game,
    three_squares,
)
from negstats.games.contract.board import added, contained
from negstats.games.contract.paths import Need
from negstats.games.contract.rules import paths_of
from tests.games.contract.referee import random_game

STUDY = study_game()


def simple_paths(
    game: Game, square: Square, goal: Square, path: tuple[Square, ...] = ()
) -> Iterator[tuple[Square, ...]]:
    """Yield all paths that enter no square twice and no other goal on the way."""
    if square == goal:
        yield path
    elif square not in game.board.goals:
        for near in game.board.neighbours(square, game.directions):
            if near not in path and near != game.board.start:
                yield from simple_paths(game, near, goal, (*path, near))


def price(game: Game, path: tuple[Square, ...]) -> Chips:
    colours = [game.board.colour(square) for square in path]
    return tuple(colours.count(colour) for colour in game.colours)


def prices(game: Game, goal: Square) -> set[Chips]:
    return {price(game, path) for path in simple_paths(game, game.board.start, goal)}


@pytest.mark.slow(keep=30)
@pytest.mark.parametrize("seed", range(60))
def test_needs_are_the_minimal_prices_of_paths(seed: int) -> None:
    game = random_game(np.random.default_rng([2, seed]), providers=2, chips=12)
    everything = tuple(map(sum, zip(*game.chips, strict=True)))
    for provider, goal in enumerate(game.board.goals, start=1):
        all_prices = prices(game, goal)
        minimal = {
            cost
            for cost in all_prices
            if contained(cost, everything) and not any(contained(other, cost) for other in all_prices - {cost})
        }
        needs = paths_of(game).needs(game.board.start, provider)
        assert {need.chips for need in needs} == minimal
        assert [need.length for need in needs] == sorted(sum(cost) for cost in minimal)
        for need in needs:
            path = paths_of(game).path(game.board.start, provider, need)
            assert path[-1] == goal
            assert price(game, path) == need.chips
            steps = zip((game.board.start, *path), path, strict=False)
            assert all(near in game.board.neighbours(square, game.directions) for square, near in steps)


def test_needs_of_the_study() -> None:
    paths = paths_of(STUDY)
    assert STUDY.colours == ("gray", "yellow", "purple", "red")
    assert paths.shortest((5, 4), 1, (12, 12, 0, 0)) == Need(9, (9, 0, 0, 0))
    assert paths.shortest((5, 4), 2, (12, 12, 0, 0)) == Need(9, (0, 9, 0, 0))
    assert paths.shortest((1, 8), 1, (12, 4, 7, 33)) == Need(9, (2, 0, 7, 0))
    assert paths.shortest((1, 8), 1, (12, 4, 0, 0)) is None
    assert paths.shortest((0, 0), 1, (0, 0, 0, 0)) == Need(0, (0, 0, 0, 0))
    assert paths.path((5, 4), 1, Need(9, (9, 0, 0, 0))) == (
        *((5, 3), (4, 3), (4, 2), (3, 2), (3, 1), (3, 0), (2, 0), (1, 0), (0, 0)),
    )


@pytest.mark.slow(keep=30)
@pytest.mark.parametrize("seed", range(60))
def test_commitments_by_their_definition(seed: int) -> None:
    game = random_game(np.random.default_rng([3, seed]), providers=2 + seed % 2, chips=8)
    costs = [prices(game, goal) for goal in game.board.goals]

    def committed(chips: tuple[Chips, ...]) -> tuple[int, ...]:
        payable = [
            any(contained(cost, added(chips[0], chips[provider])) for cost in costs[provider - 1])
            for provider in game.providers
        ]
        return tuple(provider for provider in game.providers if not any(payable[: provider - 1] + payable[provider:]))

    before = committed(game.chips)
    assert committed_to(game, game.start) == before
    for provider in game.providers:
        for offer in itertools.islice(game.possible_offers(game.start, provider), 200):
            after = committed(game.accept(game.start, offer).chips)
            assert is_commitment(game, game.start, offer) == (not before and provider in after)


class TestCommitmentsOfTheStudy:
    @pytest.mark.parametrize(("returned", "commits"), [(10, False), (11, True), (12, True)])
    @pytest.mark.parametrize("received", [0, 8, 33])
    def test_eleven_chips_are_needed(self, returned: int, commits: bool, received: int) -> None:
        assert is_commitment(STUDY, STUDY.start, Offer(1, (0, 0, 7, received), (0, returned, 0, 0))) == commits
        assert is_commitment(STUDY, STUDY.start, Offer(2, (0, 0, 7, received), (returned, 0, 0, 0))) == commits
        assert not is_commitment(STUDY, STUDY.start, Offer(2, (0, 0, 7, received), (0, returned, 0, 0)))

    def test_nobody_commits_twice(self) -> None:
        deal = Offer(1, (0, 0, 7, 33), (0, 11, 0, 0))
        after = STUDY.accept(STUDY.start, deal)
        assert committed_to(STUDY, after) == (1,)
        later = after._replace(moving=False)
        assert not is_commitment(STUDY, later, Offer(1, (0, 0, 0, 0), (0, 1, 0, 0)))

    def test_asked_while_the_customer_moves_it_is_the_same(self) -> None:
        offer = Offer(1, (0, 0, 7, 33), (0, 11, 0, 0))
        assert is_commitment(STUDY, STUDY.start._replace(moving=True), offer)

    @pytest.mark.parametrize("provider", [1, 2])
    @pytest.mark.parametrize("net", [-24 + 9, -11, -10, 0, 10, 29])
    def test_commitment_offers(self, provider: int, net: int) -> None:
        for offer in (
            commitment_offer(STUDY, STUDY.start, provider, net),
            commitment_offer(STUDY, STUDY.start, provider, net, "most"),
        ):
            assert offer.net == net
            assert is_commitment(STUDY, STUDY.start, offer)
            after = STUDY.accept(STUDY.start, offer)
            assert paths_of(STUDY).shortest((5, 4), provider, after.chips[0]) is not None


def test_with_a_single_provider_the_customer_is_always_committed() -> None:
    game = random_game(np.random.default_rng(4), providers=1, chips=5)
    assert committed_to(game, game.start) == (1,)


def test_where_nothing_can_be_reached_the_customer_is_committed_to_all() -> None:
    game = three_squares({}, {}, {})
    assert committed_to(game, game.start) == (1, 2)
