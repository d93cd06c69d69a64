"""An independent checker that only knows the rules of the contract game, and random games for it.

It plays a solution's strategies to the end for what every state is worth, and tries every other thing that a player
could do at each state: another offer or none, another answer, another walk. It enumerates offers and walks by itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from negstats.errors import DesignError
from negstats.games.contract import Board, Chips, Game, Offer, Solution, State
from negstats.games.contract.board import Directions

Values = tuple[float, ...]
COLOURS = ("a", "b", "c")  # on the board; "z" is on no square


def random_game(rng: np.random.Generator, providers: int, chips: int, **rules: int) -> Game:
    """Return a game on a 2 × 3 to 3 × 3 board with holes and so many chips in all."""
    rows, columns = [(2, 3), (3, 2), (3, 3)][rng.integers(3)]
    while True:
        squares = tuple(
            tuple(None if rng.random() < 0.15 else str(rng.choice(COLOURS)) for _ in range(columns))
            for _ in range(rows)
        )
        places = [(int(k) // columns, int(k) % columns) for k in rng.permutation(rows * columns)]
        try:
            board = Board(squares, places[0], tuple(places[1 : providers + 1]))
        except DesignError:
            continue  # a goal in a hole
        hands: list[dict[str, int]] = [{} for _ in range(providers + 1)]
        for _ in range(chips):
            hand, colour = hands[rng.integers(providers + 1)], str(rng.choice([*COLOURS, "z"]))
            hand[colour] = hand.get(colour, 0) + 1
        directions: Directions = "all" if rng.random() < 0.7 else "forward"
        return Game.of(board, hands[0], hands[1:], directions=directions, **rules)


class Referee:
    """Follows a solution's strategies, and looks for single deviations that gain."""

    def __init__(self, solution: Solution) -> None:
        self.solution, self.game = solution, solution.game
        self._worth: dict[State, Values] = {}

    def worth(self, state: State) -> Values:
        """What everybody expects in a state when all follow the solution."""
        if state not in self._worth:
            self._worth[state] = self._find_worth(state)
        return self._worth[state]

    def _find_worth(self, state: State) -> Values:
        if self.over(state):
            return self.score(state)
        if not state.moving:
            return self.worth(self.carried_out(state, self.solution.response(state, self.solution.offer(state))))
        hand, square = list(state.chips[0]), state.square
        path = self.solution.path(state)
        for near in path:
            assert near in self.around(square)
            square = near
            hand[self.colour(near)] -= 1
        assert min(hand) >= 0
        return self.after(state, square, tuple(hand), moved=bool(path))

    def after(self, state: State, square: tuple[int, int], hand: Chips, *, moved: bool) -> Values:
        """What a movement is worth: to a goal it succeeds with probability pr, or the game is over as it stands."""
        chips = (hand, *state.chips[1:])
        reached = State(square, chips, not state.odd, 0 if moved else state.idle + 1)
        if square not in self.game.board.goals:
            return self.worth(reached)
        pr = self.solution.utility.pr
        return tuple(
            pr * item + (1 - pr) * here for item, here in zip(self.score(reached), self.score(state), strict=True)
        )

    def gains(self, state: State) -> Iterator[tuple[float, object]]:
        """Yield what the deviating player gains by each single deviation, and the deviation."""
        if self.over(state):
            return
        here = self.worth(state)
        if state.moving:
            for square, hand, moved in self.movements(state):
                yield self.after(state, square, hand, moved=moved)[0] - here[0], (square, hand)
            return
        offers = self.solution.offer(state)
        yield from self.answers(state, offers)
        for provider in range(1, len(state.chips)):
            proposer = provider if state.odd else 0
            others = tuple(offer for offer in offers if offer.provider != provider) if state.odd else ()
            for item in [(), *((offer,) for offer in self.exchanges(state, provider))]:
                table = others + item
                answer = self.solution.response(state, table)
                result = self.worth(self.carried_out(state, answer))
                yield result[proposer] - here[proposer], item
                yield from self.answers(state, table, answer)

    def answers(self, state: State, table: tuple[Offer, ...], *given: Offer | None) -> Iterator[tuple[float, object]]:
        answer = given[0] if given else self.solution.response(state, table)
        assert answer is None or answer in table
        result = self.worth(self.carried_out(state, answer))
        for other in (*table, None):
            responder = 0 if state.odd else table[0].provider if table else 0
            yield self.worth(self.carried_out(state, other))[responder] - result[responder], (table, other)

    def successors(self, state: State) -> set[State]:
        """Every state that any play can lead to next, while the game goes on."""
        values = set()
        if state.moving:
            for square, hand, moved in self.movements(state):
                values.add(State(square, (hand, *state.chips[1:]), not state.odd, 0 if moved else state.idle + 1))
        else:
            values.add(self.carried_out(state, None))
            for provider in range(1, len(state.chips)):
                values |= {self.carried_out(state, offer) for offer in self.exchanges(state, provider)}
        return {state for state in values if not self.over(state)}

    # The rules once more, on their own.

    def over(self, state: State) -> bool:
        return state.square in self.game.board.goals or state.idle >= self.game.dormant_after

    def score(self, state: State) -> Values:
        points = [self.game.chip_points * float(sum(hand)) for hand in state.chips]
        for provider, goal in enumerate(self.game.board.goals, start=1):
            if state.square == goal:
                points[0] += self.game.goal_points
                points[provider] += self.game.goal_points
        return tuple(points)

    def carried_out(self, state: State, offer: Offer | None) -> State:
        hands = [list(hand) for hand in state.chips]
        if offer is not None:
            for colour, (item, back) in enumerate(zip(offer.to_customer, offer.to_provider, strict=True)):
                hands[0][colour] += item - back
                hands[offer.provider][colour] += back - item
        assert min(map(min, hands)) >= 0
        return State(state.square, tuple(map(tuple, hands)), state.odd, state.idle, True)

    def exchanges(self, state: State, provider: int) -> Iterator[Offer]:
        own, theirs = state.chips[0], state.chips[provider]
        for item in itertools.product(*[range(-count, other + 1) for count, other in zip(own, theirs, strict=True)]):
            yield Offer(provider, tuple(max(k, 0) for k in item), tuple(max(-k, 0) for k in item))

    def movements(self, state: State) -> set[tuple[tuple[int, int], Chips, bool]]:
        values = {(state.square, state.chips[0], False)}
        open_ends = [(state.square, state.chips[0])]
        while open_ends:
            square, hand = open_ends.pop()
            for near in self.around(square) if square not in self.game.board.goals else []:
                left = list(hand)
                left[self.colour(near)] -= 1
                entered = (near, tuple(left), True)
                if min(left) >= 0 and entered not in values:
                    values.add(entered)
                    open_ends.append(entered[:2])
        return values

    def around(self, square: tuple[int, int]) -> list[tuple[int, int]]:
        row, column = square
        near = [(row, column - 1), (row, column + 1), (row - 1, column)]
        if self.game.directions == "all":
            near.append((row + 1, column))
        squares = self.game.board.squares
        return [(r, c) for r, c in near if 0 <= r < len(squares) and 0 <= c < len(squares[0]) and squares[r][c]]

    def colour(self, square: tuple[int, int]) -> int:
        name = self.game.board.squares[square[0]][square[1]]
        assert name is not None
        return self.game.colours.index(name)
