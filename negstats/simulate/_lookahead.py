"""Equilibrium play that looks a few rounds ahead: fast enough for an agent in every state that people bring about."""

from __future__ import annotations

from collections.abc import Iterator

from negstats.games.contract.board import Square
from negstats.games.contract.equilibrium import Solution
from negstats.games.contract.reduced import CommitmentOffers
from negstats.games.contract.rounds import Play
from negstats.games.contract.rules import Game
from negstats.games.contract.search import Hands, Round, Search, Walk
from negstats.games.contract.state import State
from negstats.games.contract.utility import Utility

__all__ = ["ROUNDS", "look_ahead"]

ROUNDS = 4


class LookAhead(Search):
    """A search in which the customer, after `rounds` more rounds, walks to a goal or stays for good.

    Without reaching a goal it takes one step at a time.
    """

    def __init__(self, game: Game, utility: Utility, rounds: int) -> None:
        super().__init__(game, utility, CommitmentOffers(), "paths")
        self.left = rounds
        self._known_rounds: list[dict[State, Round]] = [{} for _ in range(rounds + 1)]
        self._known_walks: list[dict[State, Walk]] = [{} for _ in range(rounds + 1)]

    def round(self, state: State) -> Round:
        """Return what is offered and accepted in a folded state before the round's offers."""
        known = self._known_rounds[self.left]
        if state not in known:
            known[state] = self._solve_round(state)
        return known[state]

    def walk(self, state: State) -> Walk:
        """Return where the customer goes in a folded state after the round's offers."""
        known = self._known_walks[self.left]
        if state not in known:
            known[state] = self.considered.settled(self, state) or self._solve_walk(state)
        return known[state]

    def _solve_walk(self, state: State) -> Walk:
        if self.left:
            self.left -= 1
            try:
                return super()._solve_walk(state)
            finally:
                self.left += 1
        return self._last_walk(state)

    def _last_walk(self, state: State) -> Walk:
        staying = Play(self.sure(state.chips), 0)
        best, walk = (staying.values[0], 0, 0), Walk(staying)
        for provider in self.game.providers:
            need = self.paths.shortest(state.square, provider, state.chips[0])
            if need is not None:
                play = self.reaching(state.chips, provider, need.length)
                here = (play.values[0], provider, -need.length)
                if here > best:
                    best, walk = here, Walk(play, provider, need)
        return walk

    def _stops(self, square: Square, chips: Hands, odd: bool) -> Iterator[tuple[State, tuple[Square, ...]]]:
        for near, after in self._steps(square, chips):
            yield State(near, after, odd), (near,)


def look_ahead(game: Game, utility: Utility, rounds: int = ROUNDS) -> Solution:
    """Return a solution of a game for players who look so many rounds ahead, found as it is asked for.

    At the start of the study's board it is the equilibrium, as where providers compete their offers settle what
    everybody gets, whatever would come later. Deep in a game that people have led astray it may differ from the full solution
    (`negstats.games.contract.solve`), which takes seconds in some such states; the tests say how often.

    Examples
    --------
    >>> from negstats.games.contract import study_game
    >>> game = study_game()
    >>> look_ahead(game, Utility()).value(game.start)
    (370.0, 205.0, 200.0)
    """
    return Solution(game, utility, LookAhead(game, utility, rounds), "commitments")
