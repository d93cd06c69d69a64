"""Points, joint value, agreement and means: by hand, as properties, and on the CaSiNo dialogues."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats import metrics
from negstats.tables import TABLES

PLAYERS = pd.DataFrame(
    {
        "game_id": ["f", "f", "g", "g", "h", "h", "i", "i"],
        "player": ["A", "B"] * 4,
        "points": [6, 4, 5, 5, 7, None, 2, 3],
        "batna": [1, 2, 3, 4, 5, 6, None, 8],
    }
)
GAMES = pd.DataFrame(
    {
        "game_id": ["f", "g", "h", "i"],
        "ended": ["agreement", "walkaway", "agreement", "timeout"],
        "country": ["US", "US", "IL", "IL"],
    }
)


def test_points_as_logged_and_by_rule() -> None:
    np.testing.assert_array_equal(metrics.points(PLAYERS)["points"], [6, 4, 5, 5, 7, np.nan, 2, 3])
    zero = metrics.points(PLAYERS, GAMES, without_agreement=0)
    np.testing.assert_array_equal(zero["points"], [6, 4, 0, 0, 7, np.nan, 0, 0])
    batna = metrics.points(PLAYERS, GAMES, without_agreement="batna")
    np.testing.assert_array_equal(batna["points"], [6, 4, 3, 4, 7, np.nan, np.nan, 8])


def test_joint_value_is_missing_where_a_seat_is() -> None:
    np.testing.assert_array_equal(metrics.joint_value(PLAYERS)["joint_value"], [10, 10, np.nan, 5])


def test_how_games_end() -> None:
    ended = TABLES["games"]["ended"].levels
    games = pd.DataFrame({"game_id": ended, "ended": ended})
    agreed = dict(zip(ended, metrics.agreed(games)["agreed"], strict=True))
    walked = dict(zip(ended, metrics.walked_away(games)["walked_away"], strict=True))
    nan = pytest.approx(np.nan, nan_ok=True)
    assert agreed == {
        "agreement": 1,
        "goal": nan,
        "walkaway": 0,
        "disagreement": 0,
        "timeout": 0,
        "dormant": nan,
        "disconnect": 0,
        "unknown": nan,
    }
    assert walked == dict.fromkeys(ended, 0) | {"walkaway": 1, "unknown": nan}


def test_an_end_that_is_missing_is_not_known() -> None:
    games = pd.DataFrame({"game_id": ["g"], "ended": pd.Series([None], dtype="str")})
    assert metrics.agreed(games)["agreed"].isna().all()
    assert metrics.walked_away(games)["walked_away"].isna().all()
    assert metrics.walk_away_rate(games)[["n", "missing"]].to_numpy().tolist() == [[0, 1]]


def test_means_say_whether_walkaways_are_in() -> None:
    means: Any = metrics.mean_points(PLAYERS, GAMES).set_index("walkaways")
    # In: 6 4 5 5 7 2 3; out: 6 4 7, without the games g and i.
    assert means.loc["in", ["n", "missing", "mean"]].tolist() == [7, 1, pytest.approx(32 / 7)]
    assert means.loc["out", ["n", "missing", "mean"]].tolist() == [3, 1, pytest.approx(17 / 3)]
    assert means.loc["out", "sd"] == pytest.approx(np.std([6, 4, 7], ddof=1))
    by: Any = metrics.mean_joint_value(PLAYERS, GAMES, "country").set_index(["walkaways", "country"])
    assert by.loc[("in", "US"), ["n", "missing", "mean", "sd"]].tolist() == [2, 0, 10, 0]
    assert by.loc[("out", "US"), ["n", "missing", "mean"]].tolist() == [1, 0, 10]
    assert by.loc[("out", "IL"), ["n", "missing"]].tolist() == [0, 1]
    assert by.loc[("out", "IL"), ["mean", "sd"]].isna().all()
    assert np.isnan(by.loc[("out", "US"), "sd"])


def test_walk_away_rate_by_factor() -> None:
    rates = metrics.walk_away_rate(GAMES, by=["country"])
    assert rates[["country", "n", "count", "missing", "rate"]].to_numpy().tolist() == [
        ["IL", 2, 0, 0, 0.0],
        ["US", 2, 1, 0, 0.5],
    ]


POINTS = st.lists(st.lists(st.one_of(st.none(), st.integers(-20, 99)), min_size=1, max_size=4), min_size=1, max_size=6)


@pytest.mark.slow
@given(points=POINTS, seed=st.integers(0, 99))
def test_joint_value_is_the_sum_whatever_the_seats_are_called(points: list[list[int | None]], seed: int) -> None:
    rows = [(f"g{game}", f"p{seat}", value) for game, seats in enumerate(points) for seat, value in enumerate(seats)]
    players = pd.DataFrame(rows, columns=["game_id", "player", "points"])
    expected = [np.nan if None in seats else sum(value for value in seats if value is not None) for seats in points]
    np.testing.assert_array_equal(metrics.joint_value(players)["joint_value"], expected)
    relabelled = players.sample(frac=1, random_state=seed).assign(player=lambda frame: frame["player"] + "x")
    np.testing.assert_array_equal(metrics.joint_value(relabelled)["joint_value"], expected)
