"""Anchoring and reciprocity: worked examples that R and a second program gave, and where they cannot be estimated."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from negstats.analysis.relations import anchoring, reciprocity

FIRST = [80, 60, 75, 50, 65, 90, 55, 70]
GOT = [58, 50, 49, 44, 55, 60, 46, 50]
# Four games, each offer as seat and value to its maker
TALKS = (
    "A90 B85 A80 B80 A75 B70",
    "A95 B90 A85 B70 A65 B65",
    "B80 A85 B75 A80 B60 A70",
    "A80 B95 A78 B92 A70 B90 A60 B80",
)


def study() -> dict[str, pd.DataFrame]:
    offers = pd.DataFrame({"game_id": range(8), "offer": 1, "proposer": "A", "value_proposer": FIRST})
    players = pd.DataFrame({"game_id": [*range(8)] * 2, "player": ["A"] * 8 + ["B"] * 8, "points": GOT + GOT[::-1]})
    games = pd.DataFrame({"game_id": range(8), "condition": ["x", "y"] * 4})
    return {"offers": offers, "players": players, "games": games}


def offers() -> pd.DataFrame:
    rows = [
        (game, place, word[0], float(word[1:]))
        for game, talk in enumerate(TALKS)
        for place, word in enumerate(talk.split())
    ]
    return pd.DataFrame(rows, columns=["game_id", "offer", "proposer", "value_proposer"])


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-8)


def test_anchoring_of_the_worked_example() -> None:
    result = anchoring(study())
    assert result.n == 8
    assert result.estimate[1] == near(0.36290726817)
    assert result.r_squared == near(0.85621555939**2)


def test_covariates_of_games_and_players() -> None:
    result = anchoring(study(), covariates=["condition"])
    assert result.names == ("Intercept", "first_offer", "condition[y]")


def test_reciprocity_of_the_worked_example() -> None:
    result = reciprocity({"offers": offers()})
    assert (result.n, result.clusters) == (14, 4)
    assert result.estimate[1] == near(0.3013165769)
    assert (result.se[1], result.df[1]) == (near(0.1137265855), near(1.9927491648))
    assert round(float(result.p[1]), 3) == 0.118
    assert "few clusters carry this effect" in result.apa()


def test_reciprocity_within_seats_takes_out_who_concedes_much() -> None:
    mine = offers()
    hard = mine["proposer"] == "A"
    mine.loc[hard, "value_proposer"] -= 3.0 * mine[hard].groupby("game_id").cumcount()  # each step concedes 3 more
    plain, moved = (reciprocity({"offers": frame}, within=True).estimate[1] for frame in (offers(), mine))
    assert plain == pytest.approx(moved, rel=1e-9)
