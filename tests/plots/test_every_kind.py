"""Every kind of figure at the edges: few, many, equal, zero, long names, a theme, and without colour."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from matplotlib.artist import Artist
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from negstats import plots
from negstats.errors import DesignError, NotEstimable
from negstats.plots.style import figure_of, lay_out, take_caption
from tests.plots.drawing import clashes, lightness, smallest
from tests.plots.kinds import DATA, KINDS

LOOKS = {"our look": tuple(DATA), "a theme": ("three values", "long names", "many levels")}
PRINTED = {85, 175}  # millimetres of one and two columns
PAGE = 240  # millimetres of a page that a figure may take
REFUSED = {
    ("residuals", "one value"): "give three that differ",
    ("residuals", "equal values"): "give three that differ",
    ("limits", "one value"): "limits need some variation",
    ("limits", "equal values"): "limits need some variation",
}


@pytest.fixture
def theme(request: pytest.FixtureRequest) -> Iterator[None]:
    with mpl.rc_context():
        if request.param == "a theme":
            sns.set_theme()
        yield


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("theme", "name"), [(look, name) for look, names in LOOKS.items() for name in names], indirect=["theme"]
)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("theme")
def test_no_text_is_small_cut_or_over_another_and_nothing_warns(kind: str, name: str) -> None:
    if (kind, name) in REFUSED:
        with pytest.raises((DesignError, NotEstimable), match=REFUSED[kind, name]):
            KINDS[kind](DATA[name])
        return
    ax = KINDS[kind](DATA[name])
    assert take_caption(ax)
    assert smallest(ax) >= 7
    assert clashes(ax) == []
    width, height = 25.4 * figure_of(ax).get_size_inches()
    assert round(width) in PRINTED
    assert height <= PAGE
    places = {one.get_subplotspec() for one in figure_of(ax).axes} - {None}
    grid = ax.get_gridspec()
    rows = 1 if grid is None else grid.nrows
    panel = ax.get_window_extent()
    assert panel.width * len(places) / rows > 0.25 * figure_of(ax).bbox.width, "names and legend leave no room"
    assert panel.height * rows > 0.3 * figure_of(ax).bbox.height


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("kind", KINDS)
def test_lines_have_a_contrast_of_3_to_1_with_white(kind: str) -> None:
    for axes in figure_of(KINDS[kind](DATA["three values"])).axes:
        drawn: list[Any] = [
            (line.get_color(), line.get_alpha()) for line in axes.lines if line.get_linestyle() != "None"
        ]
        for one in axes.collections:
            if isinstance(one, LineCollection):
                drawn += [(colour, None) for colour in one.get_colors()]
        for *rgb, strength in (to_rgba(colour, alpha) for colour, alpha in drawn):
            assert not strength or contrast([strength * part + 1 - strength for part in rgb]) >= 3


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_lone_mark_has_a_contrast_of_3_to_1_with_white(kind: str) -> None:
    """By its face or by its edge; a face may let others through, so that many are darker than one."""
    for axes in figure_of(KINDS[kind](DATA["three values"])).axes:
        for one in axes.collections:
            if isinstance(one, PathCollection) and len(np.asarray(one.get_offsets())):
                drawn = [*np.atleast_2d(one.get_facecolor()), *np.atleast_2d(one.get_edgecolor())]
                each = [to_rgba(tuple(colour)) for colour in drawn if len(colour)]
                assert max(contrast([rgba[3] * part + 1 - rgba[3] for part in rgba[:3]]) for rgba in each) >= 3


def contrast(rgb: list[float]) -> float:
    """Return the contrast of a colour with white, as WCAG 2 computes it."""
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb]
    return float(1.05 / (np.dot([0.2126, 0.7152, 0.0722], linear) + 0.05))


@pytest.mark.slow
def test_every_figure_of_the_package_is_among_the_kinds() -> None:
    drawn: set[str] = set()
    with pytest.MonkeyPatch.context() as patch:
        for name in plots.__all__:
            patch.setattr(plots, name, _noting(drawn, name, getattr(plots, name)))
        for kind in KINDS.values():
            kind(DATA["three values"])
    # A table, a file, a text; and the figure of a study's comparison, which is one of two kinds.
    assert set(plots.__all__) - drawn == {"paired_table", "save_figure", "take_caption"}


def _noting(drawn: set[str], name: str, draw: Callable[..., Any]) -> Callable[..., Any]:
    def noted(*given: Any, **options: Any) -> Any:
        drawn.add(name)
        return draw(*given, **options)

    return noted


def _sign(handle: Artist) -> tuple[float, object]:
    """Return what a group is drawn as without colour: its lightness, and its mark, line or hatch."""
    if isinstance(handle, Line2D):
        return lightness(to_hex(handle.get_color())), (handle.get_linestyle(), handle.get_marker())
    if isinstance(handle, Patch):
        return lightness(to_hex(handle.get_facecolor())), handle.get_hatch()
    assert isinstance(handle, PathCollection)
    (colour, *_) = np.asarray(handle.get_facecolor())
    return lightness(to_hex((float(colour[0]), float(colour[1]), float(colour[2])))), np.asarray(
        handle.get_paths()[0].vertices
    ).shape


@pytest.mark.slow
@pytest.mark.parametrize("name", ["three values", "whole numbers", "many levels"])
@pytest.mark.parametrize("kind", ["cells", "answers", "stacked", "relation", "curves", "survival"])
def test_groups_differ_without_colour(kind: str, name: str) -> None:
    ax = KINDS[kind](DATA[name])
    panels = figure_of(ax).axes
    if len(panels) == len(DATA[name]) > 5:  # a panel for each group, which its title names
        titles = [panel.get_title() for panel in panels]
        assert all(title.startswith(group) for title, group in zip(titles, DATA[name], strict=True))
        assert len({(*panel.get_xlim(), *panel.get_ylim()) for panel in panels}) == 1
        return
    marked = [one.lines[0] for one in ax.containers if isinstance(one, ErrorbarContainer)]
    lines: list[Artist] = [line for line in marked if line is not None]
    keys = [one.get_legend() for one in figure_of(ax).axes if one.get_legend()] + list(figure_of(ax).legends)
    handles = lines or [one for key in keys if key is not None for one in key.legend_handles if one is not None]
    signs = [_sign(handle) for handle in handles]
    assert len(signs) > 1
    for (light, mark), (other, second) in combinations(signs, 2):
        assert abs(light - other) >= 11.5 or mark != second


@pytest.mark.slow
@pytest.mark.parametrize("end", [17.501, 17.6, 19.99])
def test_the_name_of_a_tick_at_the_edge_of_the_axes_is_not_cut(end: float) -> None:
    ax = plots.group_comparison(
        pd.DataFrame({"level": ["a", "a", "b", "b"], "value": [5.0, 7.0, 15.0, 16.9]}),
        pd.DataFrame({"mean": [6.0, 16.0], "low": [5.0, 15.0], "high": [7.0, 17.0]}, index=["a", "b"]),
        label="points", unit="person",
    )  # fmt: skip
    take_caption(ax)
    ax.set_xticks([5, 10, 15, end], ["5", "10", "15", "a name"])
    ax.set_xlim(3.5, end)
    lay_out(ax)
    assert clashes(ax) == []
