"""What a deal is worth: points, joint value, and fairness; by hand, as properties, and on the CaSiNo dialogues."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats import metrics
from negstats.metrics import FEHR_SCHMIDT, fehr_schmidt
from negstats.tables import TABLES

SEATS = st.lists(st.integers(-20, 40), min_size=2, max_size=4)
WEIGHTS = st.integers(-4, 4).map(lambda quarter: quarter / 4)


def utilities(points: list[float | None], parameters: str | tuple[float, float]) -> list[float]:
    players = pd.DataFrame({"game_id": "g", "player": [f"p{seat}" for seat in range(len(points))], "points": points})
    return [float(value) for value in fehr_schmidt(players, parameters)["fehr_schmidt"]]


@pytest.mark.slow
@given(points=SEATS, alpha=WEIGHTS, beta=WEIGHTS)
def test_the_formula(points: list[float], alpha: float, beta: float) -> None:
    """fehr1999, equation 1, word by word."""
    others = len(points) - 1
    expected = [
        own
        - alpha / others * sum(max(other - own, 0) for other in points)
        - beta / others * sum(max(own - other, 0) for other in points)
        for own in points
    ]
    assert utilities(list(points), (alpha, beta)) == pytest.approx(expected, abs=1e-9)


def test_the_parameters_of_chawla2023() -> None:
    # Points 30 and 10: the richer is 20 ahead.
    assert {name: utilities([30, 10], name) for name in FEHR_SCHMIDT} == {
        "selfish": [30, 10],  # (0, 0)
        "fair": [15, -5],  # (.75, .75): both lose three quarters of the difference
        "envious": [50, 10],  # (0, -1): being ahead is worth as much as the points
        "dislikes_being_outdone": [30, -10],  # (1, 0)
    }


def test_three_players_by_hand() -> None:
    # 10, 6, 2 with alpha .5 and beta .25: the first is 4 and 8 ahead, the second 4 behind and 4 ahead.
    assert utilities([10, 6, 2], (0.5, 0.25)) == [10 - 0.125 * 12, 6 - 0.25 * 4 - 0.125 * 4, 2 - 0.25 * 12]


@pytest.mark.slow
@given(points=SEATS, alpha=WEIGHTS, beta=WEIGHTS, shift=st.integers(-9, 9))
def test_a_gift_to_all_adds_itself(points: list[float], alpha: float, beta: float, shift: int) -> None:
    given_all = utilities([own + shift for own in points], (alpha, beta))
    assert given_all == pytest.approx([own + shift for own in utilities(list(points), (alpha, beta))])


@pytest.mark.slow
@given(own=st.integers(-20, 40), seats=st.integers(2, 4), alpha=WEIGHTS, beta=WEIGHTS)
def test_among_equals_utility_is_points(own: int, seats: int, alpha: float, beta: float) -> None:
    assert utilities([own] * seats, (alpha, beta)) == [own] * seats


def test_missing_points_and_lonely_seats() -> None:
    assert np.isnan(utilities([8, None], "fair")).all()
    assert np.isnan(utilities([8, 4, None], "selfish")).all()
    assert np.isnan(utilities([8], "fair")).all()  # nobody to compare with


def test_parameters_are_in_the_result() -> None:
    players = pd.DataFrame({"game_id": "g", "player": ["A", "B"], "points": [1, 2]})
    assert fehr_schmidt(players, "envious")[["alpha", "beta"]].to_numpy().tolist() == [[0, -1]] * 2


def test_seats_with_names_of_their_own_and_names_twice() -> None:
    """Two-seat games are computed from neighbours; whatever else they are called, as from all pairs."""
    rng = np.random.default_rng(1)
    points = rng.random(400).round(2)
    own = pd.DataFrame({"game_id": np.repeat(np.arange(200), 2).astype(str), "player": np.arange(400).astype(str)})
    own = own.assign(points=points).sample(frac=1, random_state=1)
    utilities = fehr_schmidt(own).set_index("player")["fehr_schmidt"]
    other = points.reshape(-1, 2)[:, ::-1].ravel()
    assert [utilities[str(place)] for place in range(400)] == (points - 0.75 * np.abs(points - other)).tolist()
    lone = pd.concat([own, pd.DataFrame({"game_id": ["x"], "player": ["y"], "points": [1.0]})])
    pd.testing.assert_series_equal(fehr_schmidt(lone).set_index("player")["fehr_schmidt"].drop("y"), utilities)


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
