"""Which goals hands of chips can reach, for many hands at once: what people look at when they weigh an offer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from negstats.games.contract.board import Square
from negstats.games.contract.rules import Game, paths_of
from negstats.games.contract.state import Chips

Hands = npt.NDArray[np.int64]  # hands × colours


class Reach:
    """The needs of a game's goals, for hands as arrays."""

    def __init__(self, game: Game) -> None:
        self.game, self.paths = game, paths_of(game)
        on_board = {colour for row in game.board.squares for colour in row}
        self.on_board = tuple([colour in on_board for colour in game.colours])
        self._needs: dict[tuple[Square, int], list[list[tuple[int, int]]]] = {}

    def chances(self, square: Square, columns: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.float64]:
        """Return each hand's chance to end on each goal (hands × goals): evenly among those that it can pay.

        The hands come as a column for each colour.
        """
        enough: dict[tuple[int, int], npt.NDArray[np.bool_]] = {}  # many paths need as many chips of a colour
        payable = np.zeros((len(columns[0]), len(self.game.providers)), dtype=bool)
        for place, provider in enumerate(self.game.providers):
            is_payable = np.zeros(len(columns[0]), dtype=bool)
            for need in self._find_needs(square, provider):
                for colour, count in need:
                    if (colour, count) not in enough:
                        enough[colour, count] = columns[colour] >= count
                is_payable |= np.logical_and.reduce([enough[chips] for chips in need])  # of no chips at all: true
            payable[:, place] = is_payable
        return np.asarray(payable / np.maximum(payable.sum(axis=1, keepdims=True), 1))

    def _find_needs(self, square: Square, provider: int) -> list[list[tuple[int, int]]]:
        """Return the chips of each path from the square to the provider's goal: which colours, and how many."""
        key = square, provider
        if key not in self._needs:
            needs = [need.chips for need in self.paths.needs(square, provider)]
            self._needs[key] = [[(colour, count) for colour, count in enumerate(chips) if count] for chips in needs]
        return self._needs[key]

    def goals(self, square: Square, hand: Chips) -> list[int]:
        """Return the providers to whose goals the hand pays a path."""
        return [provider for provider in self.game.providers if self.paths.shortest(square, provider, hand) is not None]
