"""The look of figures: colours that differ in grey too, marks, lines, and the sizes of print.

It is seaborn's look "ticks" with letters of print, or the user's own theme. Seaborn is not imported for it: that takes
a second, most of it for ``scipy.stats``, and few figures are drawn by it. Tests compare what is written here with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import MaxNLocator

# The lightness (L*) is 25, 71, 57, 39, 89, 0 and 12: any two differ by 12, so grey tells them apart.
COLOURS = ("#1B3A6B", "#E69F00", "#5E8FB5", "#A3304B", "#F0E442", "#000000", "#3D0C1E")
INK, GREY, ACCENT = "#000000", "#777777", "#D55E00"
MARKERS = "os^Dvp*X"
LINES = ("-", "--", ":", "-.", (0, (6, 1, 1, 1)), (0, (1, 4)), (0, (8, 3)), (0, (3, 1, 1, 1, 1, 1)))
HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "++++", "oo", "--")

TICKS: dict[str, Any] = {  # what seaborn.axes_style("ticks") sets, but for the colours of images
    "axes.axisbelow": True, "axes.edgecolor": ".15", "axes.facecolor": "white", "axes.grid": False,
    "axes.labelcolor": ".15", "axes.spines.bottom": True, "axes.spines.left": True, "axes.spines.right": True,
    "axes.spines.top": True, "figure.facecolor": "white", "font.family": ["sans-serif"],
    "font.sans-serif": ["Arial", "DejaVu Sans", "Liberation Sans", "Bitstream Vera Sans", "sans-serif"],
    "grid.color": ".8", "grid.linestyle": "-", "lines.solid_capstyle": "round", "patch.edgecolor": "w",
    "patch.force_edgecolor": True, "text.color": ".15", "xtick.bottom": True, "xtick.color": ".15",
    "xtick.direction": "out", "xtick.top": False, "ytick.color": ".15", "ytick.direction": "out", "ytick.left": True,
    "ytick.right": False,
}  # fmt: skip
SIZES = (  # what seaborn.plotting_context() sets
    "axes.labelsize", "axes.linewidth", "axes.titlesize", "font.size", "grid.linewidth", "legend.fontsize",
    "legend.title_fontsize", "lines.linewidth", "lines.markersize", "patch.linewidth", "xtick.labelsize",
    "xtick.major.size", "xtick.major.width", "xtick.minor.size", "xtick.minor.width", "ytick.labelsize",
    "ytick.major.size", "ytick.major.width", "ytick.minor.size", "ytick.minor.width",
)  # fmt: skip
_LETTERS = 7.5  # points in print; journals ask for 7 at least
# Letters and lines at the size of print.
_PRINT: dict[str, Any] = {
    "font.family": "DejaVu Sans", "font.size": _LETTERS, "axes.labelsize": 8, "axes.titlesize": _LETTERS,
    "xtick.labelsize": _LETTERS, "ytick.labelsize": _LETTERS, "legend.fontsize": _LETTERS,
    "legend.title_fontsize": _LETTERS, "axes.linewidth": 0.6, "lines.linewidth": 1.2, "hatch.linewidth": 0.6,
    "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.major.size": 3, "ytick.major.size": 3,
    "xtick.minor.width": 0.5, "ytick.minor.width": 0.5, "axes.spines.top": False, "axes.spines.right": False,
}  # fmt: skip
_THEME = (*TICKS, *SIZES, "image.cmap", "axes.prop_cycle")  # the settings that make a theme


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
    look: Any = sizes if themed() else {**TICKS, **_PRINT}
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
