"""Cell means: what is drawn is what the table says, whatever the bars are; the edges are refused in one line."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.plots import cell_means
from negstats.plots.cells import with_bars
from negstats.stats import Cells, margins
from tests.plots.drawing import bars, clashes, key_of

CELLS = Cells.from_table(  # chawla2023, Table 3: human points with walk-aways
    n=[[97, 100, 97], [96, 90, 103]],
    mean=[[5.72, 5.87, 5.59], [4.70, 4.59, 6.18]],
    se=[[0.29, 0.29, 0.31], [0.32, 0.35, 0.30]],
    factors={"reward": ["fair", "selfish"], "partner": ["supervised", "fair", "selfish"]},
)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("kind", "reach"), [("se", CELLS.se), ("sd", CELLS.sd)])
def test_means_and_bars_are_the_cells(kind: str, reach: np.ndarray) -> None:
    ax = cell_means(CELLS, "partner", "reward", label="points", bars=kind)  # type: ignore[arg-type]
    expected = np.stack([CELLS.mean, CELLS.mean - reach, CELLS.mean + reach], axis=-1).reshape(-1, 3)
    np.testing.assert_allclose(bars(ax), expected)
    assert f"± 1 {kind.upper()}" in ax.get_title(loc="left")


def test_the_interval_is_t_with_the_cells_own_se() -> None:
    first = bars(cell_means(CELLS, "partner", "reward", label="points"))[0]
    reach = 0.29 * 1.98498431152  # R 4: qt(.975, 96)
    np.testing.assert_allclose(first, [5.72, 5.72 - reach, 5.72 + reach])


def test_marginal_means_keep_their_own_interval() -> None:
    found = margins(CELLS, specs="reward")
    interval = found.confidence_interval(0.9)
    drawn = bars(cell_means(found, "reward", label="points", confidence_level=0.9))
    np.testing.assert_allclose(drawn, np.column_stack([found.mean, interval.low, interval.high]))


def test_a_backend_that_switches_to_interactive_with_the_first_figure_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a notebook's does: what it has switched on must not be taken back with the figure's style."""
    subplots = plt.subplots

    def switching(**settings: Any) -> Any:
        mpl.interactive(True)
        return subplots(**settings)

    monkeypatch.setattr(plt, "subplots", switching)
    try:
        cell_means(CELLS, "partner", "reward", label="points")
        assert mpl.is_interactive()
    finally:
        mpl.interactive(False)


def test_n_of_each_line_stands_under_its_level() -> None:
    ax = cell_means(CELLS, "partner", "reward", label="points")
    assert [text.get_text() for text in ax.get_xticklabels()][1] == "fair\nn = 100 / 90"
    assert key_of(ax) == ["fair", "selfish"]


def test_n_that_was_not_printed_is_said() -> None:
    table = pd.DataFrame({"agent": ["a", "b"], "n": [np.nan, 16.0], "mean": [1.0, 2.0], "sd": [0.5, np.nan]})
    ax = cell_means(table, "agent", label="points", bars="sd")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["a\nn = ?", "b\nn = 16"]
    said = " ".join(ax.get_title(loc="left").split())
    assert said == "Bars: ± 1 SD; none where it is not known; some n are not printed"
    ax = cell_means(table.assign(n=np.nan), "agent", label="points", bars="none")
    assert ax.get_title(loc="left") == "No bars: the spread is not known; n not printed"


def test_one_level_is_drawn() -> None:
    table = pd.DataFrame({"agent": ["a"], "n": [5.0], "mean": [1.0], "se": [0.5]})
    assert bars(cell_means(table, "agent", label="points", bars="se")) == [[1.0, 0.5, 1.5]]


def test_a_single_observation_has_no_interval() -> None:
    table = pd.DataFrame({"agent": ["a"], "n": [1.0], "mean": [1.0], "se": [np.nan]})
    assert with_bars(table, ["agent"], bars="interval")[["low", "high"]].isna().all(axis=None)


@pytest.mark.slow
def test_texts_fit() -> None:
    assert clashes(cell_means(CELLS, "partner", "reward", label="human points (points)", caption="Points " * 20)) == []


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.floats(-100, 100), st.floats(0.01, 50), st.integers(2, 1000))
def test_bars_lie_around_the_mean_and_wider_for_surer_intervals(mean: float, se: float, n: int) -> None:
    table = pd.DataFrame({"agent": ["a"], "n": [n], "mean": [mean], "se": [se]})
    narrow, wide = (
        with_bars(table, ["agent"], bars="interval", confidence_level=level).iloc[0] for level in (0.8, 0.99)
    )
    assert wide["low"] < narrow["low"] < mean < narrow["high"] < wide["high"]
    assert narrow["high"] - mean == pytest.approx(mean - narrow["low"])
