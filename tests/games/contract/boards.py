"""Small boards and games that several tests play on."""

from __future__ import annotations

from collections.abc import Mapping

from negstats.games.contract import Board, Game

NAMES = {"g": "gray", "y": "yellow", "p": "purple"}

# The customer starts in the middle of a bridge, or between two ways.
LOOP = Board.parse("g.y\ng.y\nppp", NAMES, start=(2, 1), goals=((0, 0), (0, 2)))
ROW = Board.parse("gg.yy", NAMES, start=(0, 2), goals=((0, 0), (0, 4)))
ARCH = Board.parse("gpy\ng.y", NAMES, start=(1, 1), goals=((0, 0), (0, 2)))
BRIDGE = Board.parse("g.y\ngpy\ng.y", NAMES, start=(2, 1), goals=((0, 0), (0, 2)))
LITTLE_STUDY = Board.parse("gpppy\ng...y\ngg.yy", NAMES, start=(2, 2), goals=((0, 0), (0, 4)))
BOARDS = (LOOP, ROW, ARCH, BRIDGE, LITTLE_STUDY)

THREE_SQUARES = Board.parse("g.y", NAMES, start=(0, 1), goals=((0, 0), (0, 2)))


def three_squares(customer: Mapping[str, int], gray: Mapping[str, int], yellow: Mapping[str, int]) -> Game:
    """Return an example on three squares of haim2017: ten red chips each and these; the customer must move (d = 1)."""
    hands = [{"red": 10, **hand} for hand in (customer, gray, yellow)]
    return Game.of(THREE_SQUARES, hands[0], hands[1:], dormant_after=1)
