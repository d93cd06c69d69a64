"""The look of figures: colours that differ in grey too, marks, lines, and the sizes of print.

It is seaborn's look "ticks" with letters of print, or the user's own theme. Seaborn is not imported for it: that takes
a second, most of it for ``scipy.stats``, and few figures are drawn by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.ticker import MaxNLocator

# Each has a contrast of 3 : 1 and more with white. Their lightness (L*) therefore lies between 0 and 61, where six have
# room to differ in grey by 12; of more series the colours come round again, and marks and lines tell them apart.
COLOURS = ("#1B3A6B", "#A96400", "#6C98BE", "#9A3048", "#3F0E20", "#000000")
INK, GREY, ACCENT = "#000000", "#777777", "#D55E00"
STRENGTH = 0.8  # of lines that lie over each other; each colour keeps a contrast of 3 : 1 with white
MARKERS = "os^Dvp*X"
LINES = ("-", "--", ":", "-.", (0, (6, 1, 1, 1)), (0, (1, 4)), (0, (8, 3)), (0, (3, 1, 1, 1, 1, 1)))
HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "++++", "oo", "--")

_TICKS: dict[str, Any] = {  # what seaborn's style "ticks" sets otherwise than matplotlib does
    "axes.axisbelow": True, "axes.edgecolor": ".15", "axes.labelcolor": ".15", "grid.color": ".8",
    "lines.solid_capstyle": "round", "patch.edgecolor": "w", "patch.force_edgecolor": True, "text.color": ".15",
    "xtick.color": ".15", "ytick.color": ".15",
}  # fmt: skip
_LETTERS = 7.5  # points in print; journals ask for 7 at least
# Letters and lines at the size of print.
_PRINT: dict[str, Any] = {
    "font.family": "DejaVu Sans", "font.size": _LETTERS, "axes.labelsize": 8, "axes.titlesize": _LETTERS,
    "xtick.labelsize": _LETTERS, "ytick.labelsize": _LETTERS, "legend.fontsize": _LETTERS,
    "legend.title_fontsize": _LETTERS, "axes.linewidth": 0.6, "lines.linewidth": 1.2, "hatch.linewidth": 0.6,
    "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.major.size": 3, "ytick.major.size": 3,
    "xtick.minor.width": 0.5, "ytick.minor.width": 0.5, "axes.spines.top": False, "axes.spines.right": False,
}  # fmt: skip
# The settings that make a theme: those that a style or a context of seaborn sets.
_THEME = (
    *_TICKS, "axes.facecolor", "axes.grid", "axes.labelsize", "axes.linewidth", "axes.prop_cycle", "axes.titlesize",
    "axes.spines.bottom", "axes.spines.left", "axes.spines.right", "axes.spines.top", "figure.facecolor",
    "font.family", "font.sans-serif", "font.size", "grid.linestyle", "grid.linewidth", "image.cmap",
    "legend.fontsize", "legend.title_fontsize", "lines.linewidth", "lines.markersize", "patch.linewidth",
    *(f"{axis}tick.{name}" for axis in "xy" for name in (
        "direction", "labelsize", "major.size", "major.width", "minor.size", "minor.width",
    )),
    "xtick.bottom", "xtick.top", "ytick.left", "ytick.right",
)  # fmt: skip


def seen(colour: Any, strength: float) -> dict[str, Any]:
    """Return how a mark is drawn that lets others through: its edge has the whole colour, by which one is seen."""
    return {"facecolors": [to_rgba(colour, strength)], "edgecolors": [colour], "linewidths": 0.4}


def themed() -> bool:
    """Whether the user has chosen another look than matplotlib's own."""
    settings: Any = mpl.rcParams
    usual: Any = mpl.rcParamsDefault
    return any(settings.get(name) != usual.get(name) for name in _THEME)


def colours(count: int) -> list[Any]:
    """Return so many colours for series: those of the user's theme, or ours; they come round again."""
    own: list[Any] = list(COLOURS)
    if themed():
        theme = mpl.rcParams["axes.prop_cycle"].by_key().get("color", [".15"])
        own = [to_rgb(colour) for colour in theme]
    return [own[place % len(own)] for place in range(count)]


@contextmanager
def printed() -> Iterator[None]:
    """Draw in the look of print; a theme of the user's keeps its look, with letters that fit the size of print."""
    sizes = {name: size for name, size in _PRINT.items() if name.endswith(("size", "fontsize"))}
    look: Any = sizes if themed() else {**_TICKS, **_PRINT}
    with mpl.rc_context(look):
        yield


def whole_steps(ax: Axes, values: Any) -> None:
    """Name whole numbers alone along the x axis of values that are whole, such as rounds."""
    numbers = np.asarray(values, dtype=float)
    if len(numbers) and bool(np.all(numbers == np.floor(numbers))):
        ax.xaxis.set_major_locator(MaxNLocator(nbins="auto", steps=[1, 2, 5, 10], integer=True))


def despine(ax: Axes, *, left: bool = False, bottom: bool = False) -> None:
    """Hide the upper and right spines, as ``seaborn.despine`` does, and on request the left or the lower one."""
    for side, is_hidden in {"top": True, "right": True, "left": left, "bottom": bottom}.items():
        ax.spines[side].set_visible(not is_hidden)
