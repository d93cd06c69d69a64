"""Texts that were given equally often are a condition, however long they are and whatever they are called."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.loaders.mapping import suggest

LONG = ("You are a clerk of a shop.\nYou act in the interest of its owner. " * 5, "You are a guest of a house. " * 9)
SHORT = ("clerk", "guest")


@pytest.mark.parametrize("name", ["Participant", "agent_prompt", "persona", "subject"])
@pytest.mark.parametrize("texts", [LONG, SHORT])
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_two_texts_are_a_condition_or_asked_about(
    name: str, texts: tuple[str, str], missing: float, tmp_path: Path
) -> None:
    rng = np.random.default_rng(6)
    rows = 160
    chosen = rng.choice(["Room(1)", "Room(2)"], rows).astype(object)
    chosen[rng.random(rows) < missing] = None
    table = pd.DataFrame(
        {
            name: np.repeat(texts, rows // 2),
            "told": np.tile(["both", "none", "first", "second"], rows // 4),
            "temp": np.tile(np.repeat(["0.2", "0.6"], 4), rows // 8),
            "pick": chosen,
        }
    )
    table.to_csv(tmp_path / "runs.csv", index=False)
    keys = tomllib.loads(suggest(tmp_path / "runs.csv"))
    assert {name, "told"} <= keys["factors"].keys()
    if name in ("Participant", "subject"):
        asked = [question["options"] for question in keys["open"] if question["subject"] == "condition"]
        assert any(name in options for options in asked)


def test_two_participants_of_each_game_are_its_seats(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    games = np.repeat(np.arange(1, 61), 2)
    table = pd.DataFrame(
        {
            "game": games,
            "participant": np.tile(["first", "second"], 60),
            "frame": np.repeat(np.tile(["gain", "loss"], 30), 2),
            "points": rng.integers(0, 101, 120),
        }
    )
    table.to_csv(tmp_path / "seats.csv", index=False)
    keys = tomllib.loads(suggest(tmp_path / "seats.csv"))
    assert "participant" not in keys["factors"]
    assert keys["players"]["player"] == "participant"
