"""The look of figures: ours where the user has set none, and the colours and letters of a theme where one is set."""

from __future__ import annotations

import matplotlib as mpl
import pytest
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from negstats.plots import cell_means
from negstats.stats import Cells

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
