"""A forest plot: the effects of several studies with their intervals, and what they say together."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from negstats.errors import DesignError
from negstats.plots.look import GREY, colours
from negstats.plots.style import TALLEST, TWO, axes_for, captioned, quiet

_LARGEST = 90.0  # area of the mark of the study of most weight, in square points
_HALF = 0.28  # half the height of the diamond


def forest(
    table: pd.DataFrame, *, label: str, null: float | None = 0.0, caption: str = "", ax: Axes | None = None
) -> Axes:
    """Draw a forest plot: one line for each study, its marker as large as its weight, and the mean as a diamond.

    Parameters
    ----------
    table
        What `MetaAnalysis.to_frame` gives: the columns ``study``, ``kind`` ("study", "mean", "prediction"),
        ``estimate``, ``low``, ``high`` and ``weight``.
    label
        The effect with its unit, for the axis.
    null
        Where there is no effect: a thin line; None for none.
    caption
        The level of the intervals and what the test says, for the title.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the lines of the studies and the mean.

    Raises
    ------
    DesignError
        If a column is missing or no row is a study.

    Examples
    --------
    >>> from negstats.stats import meta_analysis
    >>> ax = forest(meta_analysis([0.6, 0.1, 0.9], [0.04, 0.03, 0.09]).to_frame(), label="difference (d)")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['1 (35%)', '2 (38%)', '3 (27%)', 'mean of 3', 'next study']
    """
    required_columns = ["study", "kind", "estimate", "low", "high", "weight"]
    if absent_columns := [name for name in required_columns if name not in table.columns]:
        raise DesignError(
            f"the table has no column {absent_columns[0]!r}; give what meta_analysis(...).to_frame() returns"
        )
    studies = table[table["kind"] == "study"]
    if studies.empty:
        raise DesignError("no row of the table is a study; give what meta_analysis(...).to_frame() returns")
    ax = axes_for(ax, width=TWO, height=min(TALLEST, 0.9 + 0.2 * len(table)))
    (colour,) = colours(1)
    if null is not None:
        ax.axvline(null, color=GREY, linewidth=0.8, zorder=0)
    ys = np.arange(len(studies), dtype=float)
    ax.hlines(ys, studies["low"], studies["high"], color=GREY, linewidth=1.2)
    size = _LARGEST * studies["weight"] / studies["weight"].max()
    ax.scatter(studies["estimate"], ys, s=size, marker="s", color=colour, zorder=3)
    names = [f"{name} ({100 * weight:.0f}%)" for name, weight in zip(studies["study"], studies["weight"], strict=True)]
    y = float(len(studies)) + 0.4
    places = [*ys]
    for kind, name in (("mean", f"mean of {len(studies)}"), ("prediction", "next study")):
        for _, row in table[table["kind"] == kind].iterrows():
            low, middle, high = (float(row[column]) for column in ("low", "estimate", "high"))
            if kind == "mean":
                corners = [(low, y), (middle, y - _HALF), (high, y), (middle, y + _HALF)]
                ax.add_patch(Polygon(corners, closed=True, color=colour, zorder=3))
            else:
                ax.plot([low, high], [y, y], color=colour, linewidth=3, solid_capstyle="butt")
            places.append(y)
            names.append(name)
            y += 1
    ax.set_yticks(places, labels=names)
    ax.set_ylim(y - 0.4, -0.6)
    ax.set_xlabel(label)
    ax.autoscale_view(scaley=False)
    quiet(ax)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    captioned(ax, caption)
    return ax
