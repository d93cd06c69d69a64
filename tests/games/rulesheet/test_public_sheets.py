"""Public sheets, from a folder that NEGSTATS_SHEETS names; none is part of the project.

A clone of github.com/ggp-org/ggp-repository (no licence file) or github.com/ggp-org/ggp-base (BSD) will do: every
``*.kif`` below the folder is read. Those that are known to be games of this project's kind must play; any other is read
or refused with its line.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from negstats.errors import SheetError
from negstats.games.rulesheet import ground, parse, playouts
from tests.games.rulesheet.by_clingo import ByClingo
from tests.games.rulesheet.interpreter import Interpreter
from tests.games.rulesheet.test_engines import compared

FOLDER = os.environ.get("NEGSTATS_SHEETS")
KNOWN = {
    "biddingTicTacToe",
    "colonelBlotto",
    "coloredtrails",
    "gt_centipede",
    "gt_chicken",
    "gt_coordination",
    "gt_dollar",
    "gt_prisoner",
    "gt_staghunt",
    "gt_ultimatum",
    "maze",
    "ticTacToe",
}
TOO_LARGE_FOR_JOINS = {"colonelBlotto"}  # 38,391 ground rules, found by trying all joins
PLAYOUTS = 200


def files() -> list[Path]:
    return sorted(Path(FOLDER).rglob("*.kif")) if FOLDER else []


def named(file: Path) -> str:
    return file.stem if file.stem in KNOWN else file.parent.name


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.skipif(not FOLDER, reason="no public sheets: set NEGSTATS_SHEETS to a folder of *.kif files")
def test_there_are_sheets_in_the_folder() -> None:
    assert files()


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("file", [pytest.param(file, id=named(file)) for file in files() if named(file) in KNOWN])
def test_a_public_sheet_plays(file: Path) -> None:
    rules = parse(file.read_text(encoding="utf-8", errors="replace"), name=file.name)
    game = ground(rules)
    payoffs, lengths = playouts(game, PLAYOUTS, np.random.default_rng(1))
    assert payoffs.shape == (PLAYOUTS, len(rules.roles))
    assert ((payoffs >= 0) & (payoffs <= 100)).all()
    assert (lengths > 0).all()
    assert compared(rules, game, ByClingo(rules), playouts=3, steps=int(lengths.max()) + 1) >= 3
    if named(file) not in TOO_LARGE_FOR_JOINS:
        assert compared(rules, game, Interpreter(rules), playouts=1, steps=3) >= 1


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("file", [pytest.param(file, id=named(file)) for file in files() if named(file) not in KNOWN])
def test_any_sheet_is_read_or_refused_with_its_line(file: Path) -> None:
    try:
        parse(file.read_text(encoding="utf-8", errors="replace"), name=file.name)
    except SheetError as error:
        assert error.file == file.name  # noqa: PT017 - a refusal is one of two right answers
        assert error.line is not None or error.word == "role"  # noqa: PT017
