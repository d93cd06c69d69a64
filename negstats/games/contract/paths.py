"""Paths on a board and the chips that they need.

A path to a goal needs one chip of each entered square's colour. Of two paths between the same squares, one whose chips
are all among the other's is never worse: whoever can pay the other can pay it, and it is no longer. So the *needs* of a
square and a goal are the minimal ones, and a goal can be reached with given chips where one of its needs is contained
in them. A suffix of a path with a minimal need has a minimal need itself (a better suffix would make a better path), so
a path is found again step by step from the needs alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from negstats.errors import DesignError
from negstats.games.contract.board import Board, Chips, Directions, Square, added, contained

KEPT = 2**16  # answers that are kept of each kind


class Need(NamedTuple):
    """The chips that a path needs: how many, and of which colours."""

    length: int
    chips: Chips


class Paths:
    """All minimal needs on a board.

    Parameters
    ----------
    board, directions
        Where the customer may go.
    colours
        The order in which chips are counted.
    chips
        All the chips in the game; paths that these cannot pay are left out.
    """

    def __init__(self, board: Board, directions: Directions, colours: tuple[str, ...], chips: Chips) -> None:
        self.goals = board.goals
        self.squares = [(row, column) for row in range(board.rows) for column in range(board.columns)]
        self.price: dict[Square, int] = {
            square: colours.index(colour) for square in self.squares if (colour := board.colour(square)) is not None
        }
        self.near = {square: board.neighbours(square, directions) for square in self.squares}
        self._units = [tuple(int(counted == paid) for counted in range(len(colours))) for paid in range(len(colours))]
        self._paths: dict[tuple[Square, int, Need], tuple[Square, ...]] = {}
        self._needs = [self._needs_of(goal, chips) for goal in board.goals]
        # Chips of colours behind the last one on the board pay for nothing: hands that differ in them only are one key.
        self._paying = max(self.price.values(), default=-1) + 1
        self._shortest = lru_cache(maxsize=KEPT)(self._find_shortest)
        self._first = lru_cache(maxsize=KEPT)(self._find_first)

    def steps(self, square: Square, chips: Chips) -> Iterator[tuple[Square, Chips]]:
        """Yield each square that can be entered next with these chips, and the chips left then."""
        for neighbour in self.near[square]:
            colour = self.price[neighbour]
            if chips[colour]:
                yield neighbour, (*chips[:colour], chips[colour] - 1, *chips[colour + 1 :])

    def needs(self, square: Square, provider: int) -> tuple[Need, ...]:
        """Return the minimal needs of the paths from the square to the provider's goal, the shortest first."""
        return self._needs[provider - 1].get(square, ())

    def shortest(self, square: Square, provider: int, chips: Chips) -> Need | None:
        """Return the need of the shortest path to the provider's goal that the chips can pay; None if none can."""
        return self._shortest(square, provider, chips[: self._paying])

    def path(self, square: Square, provider: int, need: Need) -> tuple[Square, ...]:
        """Return the squares that are entered on a path with this minimal need, the goal last."""
        key = square, provider, need
        if key not in self._paths:
            path: tuple[Square, ...] = ()
            while need.length:
                square, need = self.first(square, provider, need)
                path = (*path, square)
            self._paths[key] = path
        return self._paths[key]

    def first(self, square: Square, provider: int, need: Need) -> tuple[Square, Need]:
        """Return the first square that is entered on the path with this minimal need, and the need from there on."""
        return self._first(square, provider, need)

    def _find_shortest(self, square: Square, provider: int, paying: Chips) -> Need | None:
        return next(
            (need for need in self.needs(square, provider) if contained(need.chips[: self._paying], paying)), None
        )

    def _find_first(self, square: Square, provider: int, need: Need) -> tuple[Square, Need]:
        for neighbour, chips in self.steps(square, need.chips):
            remaining_need = Need(need.length - 1, chips)
            if remaining_need in self.needs(neighbour, provider):
                return neighbour, remaining_need
        raise DesignError(f"no path from {square} to the goal of provider {provider} has the minimal need {need}")

    def _needs_of(self, goal: Square, chips: Chips) -> Mapping[Square, tuple[Need, ...]]:
        """Extend paths backwards from the goal, one square at a time, as long as a need is minimal and payable."""
        # Paths end at the first goal they enter: no path leads through another goal.
        open_squares = [square for square in self.squares if square not in self.goals]
        minimal_needs: dict[Square, list[Need]] = {square: [] for square in self.squares}
        no_chips = tuple(0 for _ in chips)
        minimal_needs[goal].append(Need(0, no_chips))
        latest = {goal: [no_chips]}
        length = 0
        while latest:
            length += 1
            next_layer: dict[Square, list[Chips]] = {}
            for square in open_squares:
                candidates = {
                    added(self._units[self.price[neighbour]], onward_need)
                    for neighbour in self.near[square]
                    for onward_need in latest.get(neighbour, ())
                }
                # Needs of one length cannot contain each other, so only shorter ones may rule a candidate out.
                minimal = [
                    need
                    for need in sorted(candidates)
                    if contained(need, chips)
                    and not any(contained(shorter.chips, need) for shorter in minimal_needs[square])
                ]
                if minimal:
                    next_layer[square] = minimal
            for square, needs in next_layer.items():
                minimal_needs[square] += [Need(length, need) for need in needs]
            latest = next_layer
        return {square: tuple(needs) for square, needs in minimal_needs.items() if needs}
