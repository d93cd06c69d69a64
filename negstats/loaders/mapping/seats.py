"""The seats of each game: those that a log describes, those that only act in it, and the partner of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from negstats.loaders.mapping.frames import Array, Codes, Frame, Mask


@dataclass(frozen=True, slots=True)
class Seats:
    """The seats of each game.

    Attributes
    ----------
    rank : numpy.ndarray
        For each code of a game its place among the games.
    pairs : numpy.ndarray
        For each game its two seats; -1 where it has not two.
    game, player : numpy.ndarray
        The place of the game and the code of each seat, in the order of the table.
    """

    rank: npt.NDArray[np.int32]
    pairs: npt.NDArray[np.int32]
    game: Array
    player: Codes

    @classmethod
    def of(cls, rank: npt.NDArray[np.int32], games: int, players: Frame) -> Seats:
        """Return the seats in the rows of players, which stand game by game."""
        game = rank[players["game_id"]]
        count = np.bincount(game, minlength=games)
        first = np.cumsum(count) - count
        two = np.flatnonzero(count == 2)
        pairs = np.full((games, 2), -1, dtype=np.int32)
        for at in (0, 1):
            pairs[two, at] = players["player"][first[two] + at]
        return cls(rank, pairs, game, players["player"])

    def other(self, game: Array, player: Codes) -> Codes:
        """Return the other seat of games that have two; -1 where there is none."""
        one, two = self.pairs[game, 0], self.pairs[game, 1]
        other = np.where(player == one, two, np.where(player == two, one, np.int32(-1)))
        return np.where(player < 0, np.int32(-1), other)

    def have(self, game: Array, player: int) -> Mask:
        """Return whether games have a seat."""
        has_seat = np.zeros(len(self.pairs), dtype=bool)
        has_seat[self.game[self.player == player]] = True
        return has_seat[game]


def since(stamp: Array, began: Array) -> npt.NDArray[np.float64]:
    """Return the seconds from the beginning of a game to a time in it."""
    duration = stamp - began
    return np.where(np.isnat(duration), np.nan, duration.astype("timedelta64[us]").astype(np.int64) / 1e6)
