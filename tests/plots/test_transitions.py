"""The heat map of transitions holds the table's numbers."""

from __future__ import annotations

import numpy as np
import pytest

from negstats.plots import transition_heat_map
from negstats.stats import transitions
from tests.plots.drawing import clashes

TALK = {
    "game_id": [1] * 6 + [2] * 5,
    "message": [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5],
    "act": ["ask", "tell", "ask", "tell", "offer", "tell", "ask", "tell", "offer", "ask", "tell"],
}


@pytest.mark.slow
def test_squares_have_probabilities_counts_and_stars() -> None:
    result = transitions(TALK, rng=np.random.default_rng(1), n_resamples=199, adjust="none")
    ax = transition_heat_map(result, caption="What follows what", alpha=0.1)
    written = [text.get_text() for text in ax.texts]
    shares, p = result.probabilities.ravel(), result.p_adjusted.ravel()
    wanted = [
        f"{share:.2f}{'*' if chance < 0.1 else ''}\n{count:.0f}"
        for share, chance, count in zip(shares, p, result.counts.ravel(), strict=True)
    ]
    assert written == wanted
    assert clashes(ax) == []


@pytest.mark.slow
def test_residuals_part_at_zero() -> None:
    ax = transition_heat_map(transitions(TALK), show="z")
    low, high = ax.collections[0].get_clim()
    assert low is not None
    assert high == -low
    assert "star" not in ax.get_title(loc="left")
