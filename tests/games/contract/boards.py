"""Small boards and games that several tests play on."""

from __future__ import annotations

from negstats.games.contract import Board

NAMES = {"g": "gray", "y": "yellow", "p": "purple"}

# The customer starts in the middle of a bridge, or between two ways.
LOOP = Board.parse("g.y\ng.y\nppp", NAMES, start=(2, 1), goals=((0, 0), (0, 2)))
ROW = Board.parse("gg.yy", NAMES, start=(0, 2), goals=((0, 0), (0, 4)))
ARCH = Board.parse("gpy\ng.y", NAMES, start=(1, 1), goals=((0, 0), (0, 2)))
BRIDGE = Board.parse("g.y\ngpy\ng.y", NAMES, start=(2, 1), goals=((0, 0), (0, 2)))
LITTLE_STUDY = Board.parse("gpppy\ng...y\ngg.yy", NAMES, start=(2, 2), goals=((0, 0), (0, 4)))
BOARDS = (LOOP, ROW, ARCH, BRIDGE, LITTLE_STUDY)

THREE_SQUARES = Board.parse("g.y", NAMES, start=(0, 1), goals=((0, 0), (0, 2)))
