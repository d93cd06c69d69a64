"""Fehr-Schmidt utility against its formula, chawla2023's parameters, and what the parameters mean."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.metrics import FEHR_SCHMIDT, fehr_schmidt

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
