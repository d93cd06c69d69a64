"""Figures of tournaments hold the tables' numbers, and refuse what they cannot draw."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from negstats.plots import best_response_graph, payoff_heat_map, strategy_simplex
from tests.plots.drawing import clashes

PAYOFFS = pd.DataFrame(
    {
        "strategy": ["Boulware", "Boulware", "Tough", "Tough"],
        "opponent": ["Boulware", "Tough"] * 2,
        "mean": [0.82, 0.62, 1.0, None],
        "low": [0.66, 0.35, None, None],
        "high": [0.98, 0.89, None, None],
        "n": [8, 16, 16, 0],
    }
)
RESPONSES = pd.DataFrame(
    {"start": ["a", "a", "b", "c"], "end": ["b", "c", "b", "$c$"], "share": [0.9, 0.1, 1.0, None], "best": [1, 0, 1, 1]}
)
PATH = pd.DataFrame({"a": [0.6, 0.2, 0.1], "b": [0.2, 0.2, 0.1], "c": [0.2, 0.6, 0.8]})


@pytest.mark.slow
def test_squares_have_means_intervals_and_games() -> None:
    ax = payoff_heat_map(PAYOFFS, label="points")
    assert [text.get_text() for text in ax.texts] == [
        "0.82\n[0.66, 0.98]\nn = 8",
        "0.62\n[0.35, 0.89]\nn = 16",
        "1.00\nn = 16",
        "–",
    ]
    assert clashes(ax) == []


def test_arrows_have_shares() -> None:
    ax = best_response_graph(RESPONSES)
    assert [text.get_text() for text in ax.texts if text.get_text().endswith("%")] == ["90 %", "10 %", "100 %"]
    assert clashes(ax) == []


def test_paths_stay_in_the_triangle() -> None:
    ax = strategy_simplex([PATH, PATH[::-1]], PATH.iloc[[2]], caption="shares")
    x, y = (np.asarray(part) for part in ax.lines[1].get_data())
    assert x[0] == pytest.approx(0.2 + 0.2 / 2)
    assert y[0] == pytest.approx(0.2 * 3**0.5 / 2)
    assert clashes(ax) == []
