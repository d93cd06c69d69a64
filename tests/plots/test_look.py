"""The look of figures: the colours and letters of a theme, and what a figure refuses or leaves out at its limits."""

from __future__ import annotations

from typing import Literal

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.text import Annotation

from negstats.plots import cell_means, limits_of_agreement
from negstats.stats import Cells, bland_altman
from tests.plots.drawing import clashes

CELLS = Cells.from_table(
    n=[[10, 12], [11, 9], [10, 10]],
    mean=[[1.0, 2.0], [2.0, 3.0], [3.0, 1.0]],
    sd=[[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]],
    factors={"reward": ["fair", "mixed", "selfish"], "partner": ["fair", "selfish"]},
)


def draw() -> Axes:
    return cell_means(CELLS, "partner", "reward", label="points")


def colours(ax: Axes) -> list[tuple[float, float, float]]:
    return [to_rgb(container.lines[0].get_color()) for container in ax.containers]  # type: ignore[attr-defined]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("palette", ["deep", "colorblind", "Set3"])
def test_the_colours_of_a_theme_are_its_palette(palette: str) -> None:
    with mpl.rc_context():
        ours = colours(draw())
        sns.set_theme(palette=palette)
        theirs = colours(draw())
        assert theirs == [to_rgb(colour) for colour in sns.color_palette(palette)[:3]]
    assert len(set(ours)) == 3
    assert ours != theirs


def test_the_upper_and_right_spines_are_hidden_and_lines_are_grey_as_in_print() -> None:
    ax = draw()
    assert {side: ax.spines[side].get_visible() for side in ("top", "right", "left", "bottom")} == {
        "top": False, "right": False, "left": True, "bottom": True,
    }  # fmt: skip
    assert to_rgb(ax.spines["left"].get_edgecolor()[:3]) == (0.15, 0.15, 0.15)
    assert ax.xaxis.label.get_color() == ".15"


@pytest.mark.slow
def test_the_figure_holds_what_was_estimated() -> None:
    rng = np.random.default_rng(2)
    one = rng.normal(50, 10, 40)
    result = bland_altman({"coder": one, "model": one + rng.normal(2, 3, 40)}, "coder", "model")
    ax = limits_of_agreement(result, unit="points", caption="Two ways to count points")
    heights = [float(np.asarray(line.get_ydata())[0]) for line in ax.lines]
    assert heights == [result.bias, result.low, result.high]
    dots = np.asarray(ax.collections[0].get_offsets())
    np.testing.assert_allclose(dots, np.column_stack([result.mean, result.difference]))
    assert clashes(ax) == []


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("context", "points"), [("talk", 16.5), ("poster", 22.0), ("paper", 8.8)])
def test_text_has_the_size_of_the_users_axes_or_of_print(
    context: Literal["paper", "talk", "poster"], points: float
) -> None:
    result = bland_altman({"a": [1.0, 2.0, 4.0, 3.0, 6.0], "b": [1.5, 2.0, 3.0, 4.5, 5.0]}, "a", "b")
    with mpl.rc_context():
        sns.set_theme(context=context)
        _, own = plt.subplots(figsize=(14, 9))
        limits_of_agreement(result, unit="points", caption="Two coders", ax=own)
        of_print = limits_of_agreement(result, unit="points", caption="Two coders")
    for ax, size in ((own, points), (of_print, 7.5)):
        assert [text.get_fontsize() for text in ax.texts] == pytest.approx([size] * len(ax.texts))
    plt.close("all")


def test_each_pair_the_bias_with_its_interval_and_both_limits_are_drawn_and_named() -> None:
    result = bland_altman({"a": [1.0, 2.0, 4.0, 3.0, 6.0], "b": [1.5, 2.0, 3.0, 4.5, 5.0]}, "a", "b")
    ax = limits_of_agreement(result, unit="points", confidence_level=0.9)
    (dots,) = ax.collections
    np.testing.assert_allclose(np.asarray(dots.get_offsets()), np.column_stack([result.mean, result.difference]))
    (band,) = ax.patches
    interval = result.confidence_interval(0.9)
    assert (band.get_window_extent().transformed(ax.transData.inverted()).intervaly) == pytest.approx(
        [float(interval.low), float(interval.high)]
    )
    assert band.get_linewidth() == 0, "the border of a band would widen the interval"
    bias, *limits = ax.lines
    assert np.asarray(bias.get_ydata()).tolist() == [result.bias] * 2
    assert [np.asarray(line.get_ydata()).tolist() for line in limits] == [[result.low] * 2, [result.high] * 2]
    assert [line.get_linestyle() for line in ax.lines] == ["-", "--", "--"]
    heights = {"bias": result.bias, "lower limit": result.low, "upper limit": result.high}
    notes = [text for text in ax.texts if isinstance(text, Annotation)][:3]
    assert [text.get_text().rpartition(" ")[0] for text in notes] == list(heights)
    for text, height in zip(notes, heights.values(), strict=True):
        assert text.xy == (1, height), "at the right border of the axes"
        assert text.xyann[0] > 0
        assert text.xyann[1] == 0
        assert not text.get_annotation_clip()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("mean of a and b (points)", "a − b (points)")
    assert not ax.spines["top"].get_visible()
    assert not ax.spines["right"].get_visible()
    assert "n = 5; dashed: limits that hold 95% of differences; band: 90% CI of the bias" in " ".join(
        ax.get_title(loc="left").split()
    )
    plt.close("all")
