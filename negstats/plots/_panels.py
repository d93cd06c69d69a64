"""A panel for each group, where too many curves would overlap: the same axes, the names as titles."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from negstats.plots.look import despine
from negstats.plots.style import TWO, figure_of, letters, new_panels, wrapped
from negstats.sanitize import label

COLUMNS = 3  # panels beside each other
CURVES = 5  # more curves, with their bands, are not told apart in grey


def group_panels(names: Sequence[str], *, x_label: str, y_label: str) -> list[Axes]:
    """Return a panel a group on a new figure, with the same scales; the names of the axes stand at the edges."""
    lines = -(-len(names) // COLUMNS)
    axes = new_panels(len(names), TWO, 0.9 + 1.35 * lines, columns=COLUMNS, sharex=True, sharey=True)
    for place, (ax, name) in enumerate(zip(axes, names, strict=True)):
        ax.set_title(wrapped(name), loc="center", fontsize=letters(ax))
        if place + COLUMNS >= len(names):
            ax.set_xlabel(x_label)
            ax.tick_params(axis="x", labelbottom=True)
        despine(ax)
    figure_of(axes[0]).supylabel(label(y_label), fontsize=axes[0].yaxis.label.get_fontsize())
    return axes
