"""Forest plots: what is drawn is what the table says."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.patches import Polygon

from negstats.plots import forest
from negstats.stats import meta_analysis

RESULT = meta_analysis([0.62, 0.10, 0.95, -0.2], [0.04, 0.025, 0.09, 0.05], studies=["A", "B", "C", "$D$\u202e"])


def test_lines_marks_and_the_diamond_are_those_of_the_table() -> None:
    table = RESULT.to_frame()
    ax = forest(table, label="difference (points)", caption=RESULT.apa())
    segments = np.array([path.vertices for path in ax.collections[0].get_paths()])
    assert segments[:, :, 0] == pytest.approx(table.loc[:3, ["low", "high"]].to_numpy())
    sizes = np.asarray(ax.collections[1].get_sizes())  # type: ignore[attr-defined]
    assert sizes / sizes.max() == pytest.approx(table["weight"][:4] / table["weight"][:4].max())
    (diamond,) = [patch for patch in ax.patches if isinstance(patch, Polygon)]
    corners = np.asarray(diamond.get_xy())
    assert (corners[:, 0].min(), corners[:, 0].max()) == tuple(table.loc[4, ["low", "high"]])
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names[0] == f"A ({100 * RESULT.weights[0]:.0f}%)"
    assert names[-2:] == ["mean of 4", "next study"]
    assert "\u202e" not in "".join(names)
    assert ax.yaxis_inverted()


def test_a_fixed_model_has_no_next_study() -> None:
    fixed = meta_analysis([0.6, 0.1], [0.04, 0.02], model="fixed").to_frame()
    ax = forest(fixed, label="d", null=None)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["1 (33%)", "2 (67%)", "mean of 2"]
