"""A worked scenario of two issues by hand: solutions, potential, logrolling, conflict; and what has no value."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats import metrics

# Two issues with four options each; joint values 65 85 70 80 | 90 110 95 105 | 100 120 105 115 | 90 110 95 105.
WORTH = {"A": [[0, 30, 45, 50], [40, 35, 10, 0]], "B": [[25, 20, 15, 0], [0, 25, 35, 55]]}
BATNA = {"A": 10.0, "B": 15.0}


def tables(
    deal: tuple[int, int] | None, batna: dict[str, float] = BATNA, worth: Any = WORTH
) -> dict[str, pd.DataFrame]:
    """One game whose deal is the options, counted from 1, of its issues; None is a walk-away."""
    values = [
        ("g", seat, f"issue {issue}", f"option {option}", np.nan, float(points))
        for seat, issues in worth.items()
        for issue, row in enumerate(issues, start=1)
        for option, points in enumerate(row, start=1)
    ]
    items = [
        ("g", 1, f"issue {place}", None, f"option {option}", np.nan) for place, option in enumerate(deal or (1, 1), 1)
    ]
    return {
        "values": pd.DataFrame(values, columns=["game_id", "player", "item", "option", "available", "value"]),
        "offers": pd.DataFrame({"game_id": ["g"], "offer": [1], "response": ["accepted" if deal else "rejected"]}),
        "items": pd.DataFrame(items, columns=["game_id", "offer", "item", "receiver", "option", "quantity"]),
        "players": pd.DataFrame({"game_id": "g", "player": [*batna], "batna": [*batna.values()]}),
        "games": pd.DataFrame({"game_id": ["g"], "ended": ["agreement" if deal else "walkaway"]}),
    }


def of(function: Any, data: dict[str, pd.DataFrame], *names: str, **options: Any) -> float:
    return float(function(*(data[name] for name in names), **options).iloc[0, -1])


DEAL = ("values", "offers", "items")


@pytest.mark.parametrize(
    ("solution", "distance"),
    [
        ("nash", 15.8113883008),  # 45 : 70, product of gains 1925
        ("kalai_smorodinsky", 15.8113883008),  # 55 : 50
        ("egalitarian", 10.0),  # 50 : 55, gains 40 and 40
        ("utilitarian", 42.7200187266),  # 80 : 40
    ],
)
def test_distances_of_a_deal_by_hand(solution: str, distance: float) -> None:
    data = tables((2, 3))  # 40 : 55
    result = of(metrics.distance_to_solution, data, *DEAL, "players", solution=solution)
    assert result == pytest.approx(distance, abs=1e-9)
    assert of(metrics.distance_to_frontier, data, *DEAL) == 10
    if solution == "nash":
        assert of(metrics.distance_to_nash, data, *DEAL, "players") == result


def test_potential_and_logrolling_by_hand() -> None:
    every = (*DEAL, "players", "games")
    assert of(metrics.potential_realised, tables((2, 3)), *every) == pytest.approx(70 / 95, abs=1e-12)
    assert of(metrics.potential_realised, tables((3, 2)), *every) == 1
    assert of(metrics.potential_realised, tables(None), *every) == 0
    assert of(metrics.logrolling, tables((2, 3)), *DEAL) == pytest.approx(-0.0526315789, abs=1e-9)
    assert of(metrics.logrolling, tables((3, 2)), *DEAL) == 1
    assert np.isnan(of(metrics.logrolling, tables(None), *DEAL))


@pytest.mark.parametrize(
    ("kind", "value"), [("opposition", 0.5121969143), ("axelrod", 0.305555555556), ("correlation", -0.80847682575)]
)
def test_conflict_by_hand(kind: str, value: float) -> None:
    assert of(metrics.conflict, tables((2, 3)), "values", "players", method=kind) == pytest.approx(value, abs=1e-9)


@pytest.mark.slow
def test_the_area_that_is_not_reached_is_what_a_grid_counts() -> None:
    rng = np.random.default_rng(4)
    for _ in range(3):
        worth = {seat: rng.integers(0, 40, (2, 3)).tolist() for seat in "AB"}
        data = tables((1, 1), {"A": 0.0, "B": 0.0}, worth)
        points = np.array(
            [[worth[seat][0][i] + worth[seat][1][j] for seat in "AB"] for i, j in product(range(3), range(3))], float
        )
        shares = points / points.max(axis=0)
        grid = (np.arange(150) + 0.5) / 150
        reached = np.array([[((shares[:, 0] >= x) & (shares[:, 1] >= y)).any() for y in grid] for x in grid])
        area = of(metrics.conflict, data, "values", "players", method="axelrod")
        assert area == pytest.approx(1 - reached.mean(), abs=0.02)


def test_swapped_seats_and_doubled_values_change_no_share() -> None:
    swapped = {"B": WORTH["A"], "A": WORTH["B"]}
    doubled = {seat: [[2 * value for value in row] for row in rows] for seat, rows in WORTH.items()}
    every = (*DEAL, "players", "games")
    for worth, batna in ((swapped, {"B": 10.0, "A": 15.0}), (doubled, {"A": 20.0, "B": 30.0})):
        data = tables((2, 3), batna, worth)
        assert of(metrics.potential_realised, data, *every) == pytest.approx(70 / 95)
        assert of(metrics.logrolling, data, *DEAL) == pytest.approx(-0.0526315789, abs=1e-9)
        for kind in ("opposition", "axelrod", "correlation"):
            first = of(metrics.conflict, tables((2, 3)), "values", "players", method=kind)
            assert of(metrics.conflict, data, "values", "players", method=kind) == pytest.approx(first, abs=1e-12)


def test_what_has_no_value() -> None:
    no_batna = tables((2, 3), {"A": 10.0, "B": np.nan})
    assert np.isnan(of(metrics.potential_realised, no_batna, *DEAL, "players", "games"))
    assert np.isnan(of(metrics.conflict, no_batna, "values", "players", method="axelrod"))
    assert of(metrics.conflict, no_batna, "values", "players") == pytest.approx(0.5121969143, abs=1e-9)
    rich = tables((2, 3), {"A": 100.0, "B": 100.0})  # no outcome is worth more than leaving
    assert np.isnan(of(metrics.potential_realised, rich, *DEAL, "players", "games"))
    zero_sum = {"A": [[0, 10, 20]], "B": [[20, 10, 0]]}
    assert np.isnan(of(metrics.logrolling, tables((2,), BATNA, zero_sum), *DEAL))  # type: ignore[arg-type]
