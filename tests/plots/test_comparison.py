"""Comparisons of agents and of studies: what is drawn is what the table says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.patches import Polygon

from negstats import datasets
from negstats.analysis import compare
from negstats.errors import UsageError
from negstats.plots import (
    best_response_graph,
    forest,
    group_comparison,
    paired_comparison,
    payoff_heat_map,
    save_figure,
    strategy_simplex,
    take_caption,
)
from negstats.plots.groups import counting_unit, drawn_marks, mean_interval
from negstats.plots.look import COLOURS, LINES, MARKERS
from negstats.plots.style import ONE, TWO, caption_below, captions_apart, figure_of, wrapped
from negstats.stats import meta_analysis
from tests.plots.drawing import clashes, lightness, smallest

SUMMARY = pd.DataFrame({"n": [3, 3], "mean": [2.0, 3.0], "low": [1.0, 2.5], "high": [3.0, 3.5]}, index=["CL", "FC"])
PAIRS = pd.DataFrame({"CL": [1.0, 2.0, 3.0], "FC": [2.5, 3.0, 3.5]})


def across(ax: Axes) -> list[list[float]]:
    """Mean, low and high of each horizontal interval; the mean alone where there is no bar."""
    drawn = []
    for container in ax.containers:
        line, _, barred = container
        ends = np.asarray(barred[0].get_segments()[0])[:, 0].tolist() if barred else []
        drawn.append([float(np.asarray(line.get_xdata())[0]), *ends])
    return drawn


def groups(**values: object) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Values by level, and their own means with intervals."""
    long = pd.concat([pd.DataFrame({"level": name, "value": np.asarray(each, float)}) for name, each in values.items()])
    rows = {name: mean_interval(np.asarray(each, float)) for name, each in values.items()}
    return long, pd.DataFrame(rows, index=["mean", "low", "high"]).T


def normal(n: int, seed: int = 1) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.random.default_rng(seed).normal(10, 2, n)


def segments(ax: Axes) -> list[np.ndarray[Any, Any]]:
    """The lines of pairs, as places and values."""
    collections = [one for one in ax.collections if isinstance(one, LineCollection)]
    return [np.asarray(line) for one in collections for line in one.get_segments()]


def test_every_pair_is_a_line() -> None:
    ax = paired_comparison(PAIRS, label="points")
    lines = [line[:, 1] for line in segments(ax)]
    np.testing.assert_array_equal(np.array(sorted(lines, key=lambda line: float(line[0]))), PAIRS.to_numpy())


def test_differences_have_the_interval_that_is_given() -> None:
    told = {"value": -0.9, "low": -2.0, "high": -0.1, "level": 0.9}
    ax = paired_comparison(PAIRS, told, label="points", unit="person")
    right = figure_of(ax).axes[1]
    (bar,) = right.containers
    ends = np.asarray(bar[2][0].get_segments()[0])[:, 1]
    assert ends == pytest.approx([-2.0, -0.1])
    caption = take_caption(ax)
    assert "the bar is the 90% CI of the mean difference" in caption
    assert "Left: each line is one of 3 people" in caption
    assert ax.get_title(loc="left") == ""


def test_a_caption_that_stands_below_a_figure_is_taken_out_with_its_room() -> None:
    with captions_apart():
        ax = paired_comparison(PAIRS, label="points", unit="person")
    figure = figure_of(ax)
    caption_below(ax)
    height, top = figure.get_figheight(), ax.get_position().y1 * figure.get_figheight()
    assert take_caption(ax).startswith("Left: each line is one of 3 people")
    assert not figure.texts
    room = height - figure.get_figheight()
    assert room > 0
    assert ax.get_position().y1 * figure.get_figheight() == pytest.approx(top - room)
    assert take_caption(ax) == ""


@pytest.mark.slow
def test_means_within_persons_have_no_bars() -> None:
    assert not paired_comparison(PAIRS, label="points").containers
    three = PAIRS.assign(DC=[1.0, 2.5, 2.0])
    ax = paired_comparison(three, label="points")
    assert len(figure_of(ax).axes) == 1
    assert "no bars" in take_caption(ax)


@pytest.mark.slow
def test_many_pairs_are_counted_and_not_drawn_as_lines() -> None:
    many = pd.DataFrame({"a": normal(300), "b": normal(300, 2)})
    ax = paired_comparison(many, label="points")
    assert not segments(ax)
    assert "300 participants" in take_caption(ax)


@pytest.mark.slow
def test_axes_of_the_user_are_split() -> None:
    figure, axes = plt.subplots(1, 2, layout="constrained", figsize=(TWO, 2.5))
    ax = paired_comparison(PAIRS, label="points", ax=axes[0])
    assert ax is axes[0]
    assert len(figure.axes) == 3


def test_means_and_intervals_are_the_tables() -> None:
    values = PAIRS.melt(var_name="level", value_name="value")
    ax = group_comparison(values, SUMMARY, label="points")
    np.testing.assert_allclose(across(ax), SUMMARY[["mean", "low", "high"]].to_numpy())


@pytest.mark.slow
def test_marks_are_drawn_by_the_size_of_each_group() -> None:
    long, summary = groups(one=[9.0], few=normal(12), some=normal(60), many=normal(400))
    ax = group_comparison(long, summary, label="points", unit="game")
    marks = drawn_marks(ax)
    assert marks[:3] == [1, 12, 60]
    low, high = np.quantile(normal(400), [0.25, 0.75])
    far = (normal(400) < low - 1.5 * (high - low)) | (normal(400) > high + 1.5 * (high - low))
    assert marks[3] == far.sum() < 400
    assert len(ax.patches) == 2  # clouds from 20 on
    assert [line.get_label() for line in ax.lines].count("_quartiles") == 1
    caption = take_caption(ax)
    assert "Each mark is one game (1, 12, 60)" in caption
    assert f"of 400 games (many), quartiles and {far.sum()} beyond 1.5 IQR are drawn" in caption
    assert "none for one (fewer than two values, or all equal)" in caption


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("values", [[5.0], [0.0] * 30])
def test_a_group_without_spread_has_no_interval(values: list[float]) -> None:
    long, summary = groups(a=values, b=[1.0, 2.0, 4.0])
    assert [len(bar) for bar in across(group_comparison(long, summary, label="points"))] == [1, 3]


def test_marks_of_counts_are_spread_by_less_than_a_unit_and_clouds_end_at_the_data() -> None:
    counts = np.random.default_rng(3).integers(0, 9, 100).astype(float)
    long, summary = groups(a=counts)
    ax = group_comparison(long, summary, label="offers")
    (marks,) = [one for one in ax.collections if isinstance(one, PathCollection)]
    at = np.asarray(marks.get_offsets())[:, 0]
    assert np.abs(at - counts).max() <= 0.3
    assert len(np.unique(at)) == 100
    (cloud,) = ax.patches
    outline = np.asarray(cloud.get_xy())  # type: ignore[attr-defined]
    assert (outline[:, 0].min(), outline[:, 0].max()) == (counts.min(), counts.max())
    assert "Marks are spread by at most 0.3" in take_caption(ax)


def test_measurements_are_not_spread() -> None:
    assert counting_unit(normal(50)) == 0
    assert counting_unit(normal(50).round(1)) == pytest.approx(0.1)


@pytest.mark.slow
def test_long_and_many_names_are_whole_and_horizontal() -> None:
    names = [f"some {place} year college, bachelor's degree" for place in range(12)]
    long, summary = groups(**{name: normal(place + 1, place) for place, name in enumerate(names)})
    ax = group_comparison(long, summary, label="points")
    shown = [text.get_text() for text in ax.get_yticklabels()]
    assert [" ".join(text.split()) for text in shown] == names
    assert max(len(part) for text in shown for part in text.split("\n")) <= 26
    assert {text.get_rotation() for text in ax.get_yticklabels()} == {0}
    assert [text.get_text() for text in ax.texts][1:] == [str(n) for n in range(12, 0, -1)]
    assert clashes(ax) == []


def test_names_are_broken_evenly_and_never_cut() -> None:
    assert wrapped("some 2 year college, no degree") == "some 2 year\ncollege, no degree"
    assert wrapped("Donaudampfschifffahrtsgesellschaft") == "Donaudampfschifffahrtsgesellschaft"


def test_colours_differ_in_grey_and_have_a_second_sign() -> None:
    light = sorted(map(lightness, COLOURS))
    assert np.diff(light).min() >= 11.5
    assert light[-1] <= 116 * 0.3 ** (1 / 3) - 16  # the luminance of a contrast of 3 : 1 with white, (1 + .05)/3 − .05
    assert [round(lightness(colour)) for colour in COLOURS[:3]] == [25, 49, 61]
    assert min(len(set(MARKERS)), len(set(LINES))) >= len(COLOURS)


@pytest.mark.slow
@pytest.mark.parametrize("themed", [False, True])
def test_figures_have_the_size_of_print_and_legible_letters(themed: bool) -> None:
    with plt.rc_context():
        if themed:
            sns.set_theme()
        long, summary = groups(**{"two prosocial": normal(60), "two proself": normal(300)})
        for ax in (group_comparison(long, summary, label="points"), paired_comparison(PAIRS, label="points")):
            assert figure_of(ax).get_figwidth() in (ONE, TWO)
            assert smallest(ax) >= 7
            take_caption(ax)
            assert clashes(ax) == []


@pytest.mark.slow
def test_one_call_from_a_study_to_a_figure(tmp_path: Path) -> None:
    ax = compare(datasets.robot(), "points", by="condition", who="agent").plot()
    below = " ".join(text.get_text() for text in figure_of(ax).texts)
    assert "one of 66 people" in " ".join(below.split())
    assert len(segments(ax)) == 66
    file = save_figure(ax, tmp_path / "figure.png")
    assert file.stat().st_size <= 400_000


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_figure_is_written_whole(ending: str, tmp_path: Path) -> None:
    ax = paired_comparison(PAIRS, label="points")
    file = save_figure(ax, tmp_path / f"figure.{ending}")
    assert file.stat().st_size > 1000
    assert [path.name for path in tmp_path.iterdir()] == [f"figure.{ending}"]


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"the ending must be one of \.pdf, \.png, \.svg"):
        save_figure(paired_comparison(PAIRS, label="points"), tmp_path / "figure.gif")


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_same_figure_gives_the_same_bytes(ending: str, tmp_path: Path) -> None:
    one, two = (
        save_figure(paired_comparison(PAIRS, label="points"), tmp_path / f"{name}.{ending}").read_bytes()
        for name in ("one", "two")
    )
    assert one == two


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
