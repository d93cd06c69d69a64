"""The figures of two conditions draw exactly the numbers that they are given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer

from negstats.errors import UsageError
from negstats.plots import group_comparison, paired_comparison, save_figure

SUMMARY = pd.DataFrame({"n": [3, 3], "mean": [2.0, 3.0], "low": [1.0, 2.5], "high": [3.0, 3.5]}, index=["CL", "FC"])
PAIRS = pd.DataFrame({"CL": [1.0, 2.0, 3.0], "FC": [2.5, 3.0, 3.5]})


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def bars(ax: Axes) -> list[tuple[float, float, float]]:
    """Means and ends of the error bars, as drawn."""
    drawn = []
    for container in ax.containers:
        assert isinstance(container, ErrorbarContainer)
        line, _, (bar,) = container
        low, high = bar.get_segments()[0][:, 1]
        drawn.append((float(np.asarray(line.get_ydata())[0]), float(low), float(high)))
    return drawn


def test_every_pair_is_a_line() -> None:
    ax = paired_comparison(PAIRS, SUMMARY, label="points")
    lines = [line.get_ydata() for line in ax.lines if np.size(line.get_xdata()) == 2]
    np.testing.assert_array_equal(np.array(lines), PAIRS.to_numpy())


def test_every_value_is_a_point() -> None:
    values = PAIRS.melt(var_name="level", value_name="value")
    ax = group_comparison(values, SUMMARY, label="points")
    drawn = [np.asarray(collection.get_offsets())[:, 1].tolist() for collection in ax.collections[:2]]
    assert drawn == [[1.0, 2.0, 3.0], [2.5, 3.0, 3.5]]


def test_means_and_intervals_are_the_tables() -> None:
    expected = SUMMARY[["mean", "low", "high"]].to_numpy()
    np.testing.assert_allclose(bars(paired_comparison(PAIRS, SUMMARY, label="points")), expected)
    values = PAIRS.melt(var_name="level", value_name="value")
    np.testing.assert_allclose(bars(group_comparison(values, SUMMARY, label="points")), expected)


def test_n_stands_under_each_condition() -> None:
    ax = paired_comparison(PAIRS, SUMMARY, label="points")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["CL\nn = 3", "FC\nn = 3"]


def test_equal_values_stand_beside_each_other() -> None:
    values = pd.DataFrame({"level": ["CL"] * 4, "value": [1.0, 1.0, 1.0, 2.0]})
    ax = group_comparison(values, SUMMARY.iloc[:1], label="points")
    places = np.asarray(ax.collections[0].get_offsets())[:, 0]
    assert len(set(places[:3])) == 3


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_figure_is_written_whole(ending: str, tmp_path: Path) -> None:
    ax = paired_comparison(PAIRS, SUMMARY, label="points")
    file = save_figure(ax, tmp_path / f"figure.{ending}")
    assert file.stat().st_size > 1000
    assert [path.name for path in tmp_path.iterdir()] == [f"figure.{ending}"]


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"the ending must be one of \.pdf, \.png, \.svg"):
        save_figure(paired_comparison(PAIRS, SUMMARY, label="points"), tmp_path / "figure.gif")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_same_figure_gives_the_same_bytes(ending: str, tmp_path: Path) -> None:
    one, two = (
        save_figure(paired_comparison(PAIRS, SUMMARY, label="points"), tmp_path / f"{name}.{ending}").read_bytes()
        for name in ("one", "two")
    )
    assert one == two
