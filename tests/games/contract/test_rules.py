"""Boards, chips, offers, moves, the end of a game and its scores."""

from __future__ import annotations

import numpy as np
import pytest

from negstats.errors import DesignError
from negstats.games.contract import Board, Game, Offer, State, Utility, solve, study_game
from tests.games.contract.boards import LOOP, ROW, THREE_SQUARES
from tests.games.contract.referee import Referee, random_game

STUDY = study_game()


class TestBoards:
    def test_a_board_from_text(self) -> None:
        board = Board.parse(
            "  g . y\n  p p p ", {"g": "gray", "y": "yellow", "p": "purple"}, start=(1, 1), goals=((0, 0),)
        )
        assert board.squares == (("gray", None, "yellow"), ("purple",) * 3)
        assert (board.rows, board.columns) == (2, 3)
        assert board.colour((0, 1)) is None
        assert board.colour((-1, 0)) is None
        assert board.colour((0, 3)) is None

    def test_neighbours_are_never_diagonal_nor_holes(self) -> None:
        assert set(STUDY.board.neighbours((4, 5))) == {(4, 6), (3, 5), (5, 5)}
        assert set(STUDY.board.neighbours((4, 5), "forward")) == {(4, 6), (3, 5)}
        assert set(STUDY.board.neighbours((5, 4))) == {(5, 3), (5, 5)}


class TestGames:
    def test_colours_come_in_the_order_of_the_board_then_of_the_hands(self) -> None:
        game = Game.of(THREE_SQUARES, {"blue": 1}, [{"red": 2}, {"yellow": 1, "blue": 3}])
        assert game.colours == ("gray", "yellow", "blue", "red")
        assert game.chips == ((0, 0, 1, 0), (0, 0, 0, 2), (0, 1, 3, 0))
        assert game.start == State((0, 1), game.chips, odd=True, idle=0, moving=False)
        assert list(game.providers) == [1, 2]


class TestOffers:
    game = Game.of(ROW, {"gray": 2}, [{"yellow": 1, "red": 1}, {"red": 2}])

    def test_possible_offers(self) -> None:
        # The customer keeps 0 to 2 gray, and takes 0 or 1 yellow and 0 or 1 red.
        offers = list(self.game.possible_offers(self.game.start, 1))
        assert len(offers) == len(set(offers)) == 3 * 2 * 2
        assert all(self.game.is_possible(self.game.start, offer) for offer in offers)
        assert Offer(1, (0, 0, 0), (0, 0, 0)) in offers

    @pytest.mark.parametrize(
        "offer",
        [
            Offer(1, (0, 0, 0), (3, 0, 0)),
            Offer(1, (0, 0, 2), (0, 0, 0)),
            Offer(1, (0, -1, 0), (0, 0, 0)),
            Offer(0, (0, 0, 0), (0, 0, 0)),
            Offer(3, (0, 0, 0), (0, 0, 0)),
        ],
    )
    def test_impossible_offers(self, offer: Offer) -> None:
        assert not self.game.is_possible(self.game.start, offer)
        with pytest.raises(DesignError, match="is not possible"):
            self.game.accept(self.game.start, offer)

    def test_chips_change_hands(self) -> None:
        after = self.game.accept(self.game.start, Offer(1, (0, 1, 1), (2, 0, 0)))
        assert after == State((0, 2), ((0, 1, 1), (2, 0, 0), (0, 0, 2)), odd=True, idle=0, moving=True)
        assert self.game.accept(self.game.start, None) == self.game.start._replace(moving=True)

    def test_the_same_colour_both_ways(self) -> None:
        start = self.game.start._replace(chips=((2, 0, 0), (1, 0, 0), (0, 0, 2)))
        assert self.game.accept(start, Offer(1, (1, 0, 0), (2, 0, 0))).chips == ((1, 0, 0), (2, 0, 0), (0, 0, 2))


class TestMoves:
    game = Game.of(LOOP, {"gray": 1, "purple": 3, "red": 1}, [{}, {"red": 2}])
    moving = game.accept(game.start, None)

    def test_each_entered_square_costs_its_colour(self) -> None:
        after = self.game.move(self.moving, [(2, 0), (1, 0)])
        assert after == State((1, 0), ((0, 0, 2, 1), *self.game.chips[1:]), odd=False, idle=0)

    def test_staying_counts(self) -> None:
        once = self.game.move(self.moving, [])
        assert (once.idle, once.odd) == (1, False)
        assert not self.game.ended(once)
        twice = self.game.move(self.game.accept(once, None), [])
        assert (twice.idle, twice.odd) == (2, True)
        assert self.game.ended(twice)
        assert self.game.goal_reached(twice) == 0
        assert self.game.scores(twice) == (25, 0, 10)

    def test_a_step_and_back_is_a_move(self) -> None:
        assert self.game.move(self.moving, [(2, 0), (2, 1)]).idle == 0

    def test_a_goal_ends_the_game(self) -> None:
        rich = self.moving._replace(chips=((9, 9, 9, 9), *self.game.chips[1:]))
        end = self.game.move(rich, [(2, 0), (1, 0), (0, 0)])
        assert self.game.ended(end)
        assert self.game.goal_reached(end) == 1
        assert self.game.scores(end) == (5 * 33 + 150, 150, 10)

    @pytest.mark.parametrize("seed", range(20))
    def test_all_moves_are_the_referees(self, seed: int) -> None:
        game = random_game(np.random.default_rng([1, seed]), providers=2, chips=9)
        referee = Referee(solve(game, Utility(), method="commitments"))
        state = game.accept(game.start, None)
        moves = game.moves(state)
        assert next(iter(moves.values())) == ()
        for after, path in moves.items():
            assert game.move(state, path) == after
        assert {(after.square, after.chips[0], after.idle == 0) for after in moves} == referee.movements(state)


def test_states_are_small_values() -> None:
    assert len({STUDY.start, study_game().start}) == 1
    assert hash(STUDY) == hash(study_game())
