"""What prose names is there: paths, modules, commands and columns, in the cards of the data and in the README."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from typer.main import get_command

from negstats import metrics
from negstats.cli import app
from negstats.metrics import outcomes
from negstats.papers import entries
from tests.conftest import ROOT

TEXTS = [
    ROOT / "README.md",
    *sorted((ROOT / "datasets").glob("*/README.md")),
    *sorted((ROOT / "negstats").rglob("parameters.toml")),
    *sorted((ROOT / "negstats").rglob("words.toml")),
]
CODE = re.compile(r"`([^`\n]+)`")
TOP = ("negstats/", "datasets/", "notebooks/", "figures/", "docs/", "tests/")
NAME = re.compile(r"negstats(\.\w+)+")


def quoted(path: Path) -> list[str]:
    return CODE.findall(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_paths_are_there(path: Path) -> None:
    words = [word for text in quoted(path) for word in text.split()]
    named = [word for word in words if word.startswith(TOP) and not set("<>*{") & set(word)]
    assert [word for word in named if not (ROOT / word).exists()] == []


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_modules_are_there(path: Path) -> None:
    names = [word.rstrip("()") for text in quoted(path) for word in text.split() if NAME.fullmatch(word.rstrip("()"))]
    assert [name for name in names if entries.locate(name) is None] == []


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_are_there(path: Path) -> None:
    known = get_command(app).commands  # type: ignore[attr-defined]
    for text in quoted(path):
        first, *rest = [*text.split(), ""]
        if first == "negstats" and rest[0]:
            assert rest[0] in known, text


def columns_of(doc: str | None) -> list[str]:
    """The columns that the first sentence of a docstring's Returns lists."""
    returned = (doc or "").partition("Returns\n")[2].partition("Raises")[0]
    return re.findall(r"`(\w+)`", returned.partition("The factors, ")[2].partition(". Where")[0])


@pytest.mark.parametrize("rate", [outcomes.goal_rate, outcomes.commitment_rate, outcomes.walk_away_rate])
def test_rates_have_the_columns_that_are_promised(rate: object) -> None:
    games = pd.DataFrame({"game_id": ["a", "b"], "country": "x", "ended": ["agreement", "walkaway"]})
    players = pd.DataFrame(
        {
            "game_id": ["a", "b"],
            "player": "CS",
            "role": "customer",
            "kind": "human",
            "reached_goal": pd.array([True, False], dtype="boolean"),
        }
    )
    offers = pd.DataFrame(
        {
            "game_id": ["a", "b"],
            "offer": 1,
            "response": "accepted",
            "commitment": pd.array([True, True], dtype="boolean"),
        }
    )
    frame = {
        "goal_rate": lambda: metrics.goal_rate(players, games, "country"),
        "commitment_rate": lambda: metrics.commitment_rate(offers, players, games, "country"),
        "walk_away_rate": lambda: metrics.walk_away_rate(games, "country"),
    }[rate.__name__]()  # type: ignore[attr-defined]
    promised = columns_of(rate.__doc__)
    assert promised
    assert set(promised) <= set(frame.columns)
