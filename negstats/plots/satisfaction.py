"""The satisfaction plane: the mean satisfaction of the two sides of each pair of agents, below what both could have."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes

from negstats.errors import DesignError
from negstats.plots.look import GREY, INK, MARKERS, colours, despine
from negstats.plots.style import TWO, axes_for, captioned, check_table, keyed

_AREA = 150.0  # of the mark of a pair that always agrees, in square points
_LEAST = 14.0


def satisfaction_plane(
    pairs: pd.DataFrame,
    frontier: npt.ArrayLike,
    *,
    x: str,
    y: str,
    labels: tuple[str, str],
    by: str = "pair",
    agreements: str = "agreements",
    talks: str = "talks",
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw one marker for each pair of agents at the mean satisfaction of its agreements; the area is their share.

    Parameters
    ----------
    pairs
        A row a pair: its name, the two means over its agreements, how many there are, and out of how many talks.
    frontier
        Corners (corners, 2) of what both could have on average over all talks, as `games.dominance.mean_frontier`
        gives them. A pair that agrees in some talks only may stand above it: these are the easy ones.
    x, y
        Columns of the two satisfactions.
    labels
        The two satisfactions, for the axes.
    by, agreements, talks
        Columns of the pair's name, the number of its agreements, and the number of its talks.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the marks.

    Raises
    ------
    DesignError
        If there is no pair, or the frontier is not a table of two columns.
    UsageError
        If a column is not there.

    Examples
    --------
    >>> pairs = pd.DataFrame({"pair": ["peer – peer", "dominant – dominant"], "a": [0.8, 1.0], "b": [0.87, 1.0],
    ...                       "agreements": [184, 12], "talks": [288, 288]})
    >>> ax = satisfaction_plane(pairs, [[0.6, 1], [1, 0.6]], x="a", y="b", labels=("A (0 to 1)", "B (0 to 1)"))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['frontier of all talks', 'peer – peer (184 of 288)', 'dominant – dominant (12 of 288)']
    """
    check_table(pairs, [x, y, by, agreements, talks], "pairs")
    corners = np.asarray(frontier, dtype=float)
    if corners.ndim != 2 or corners.shape[1] != 2 or not len(corners):
        raise DesignError(f"frontier has the shape {corners.shape}; corners with two satisfactions each are needed")
    ax = axes_for(ax, width=TWO, height=3.8)
    ax.plot(*corners.T, color=GREY, linewidth=1.6, label="frontier of all talks", zorder=2)
    diagonal = [min(corners.min(), pairs[[x, y]].min().min()), 1]
    ax.plot(diagonal, diagonal, color=GREY, linewidth=0.7, linestyle=":", zorder=1)
    tints = colours(len(pairs))
    for place, row in enumerate(pairs.to_dict("records")):
        share = row[agreements] / row[talks]
        ax.scatter(
            [row[x]],
            [row[y]],
            s=max(_AREA * share, _LEAST),
            marker=MARKERS[place % len(MARKERS)],
            facecolors=[tints[place] if place < len(MARKERS) else "white"],  # marks come round again: hollow
            edgecolors=INK,
            linewidths=0.6 if place < len(MARKERS) else 1.2,
            label=f"{row[by]} ({row[agreements]:g} of {row[talks]:g})",
            clip_on=False,
            zorder=3,
        )
    ax.margins(0.06)
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    despine(ax)
    captioned(ax, caption, "Marks: means over agreements; area: share of talks that agree; dotted: equal satisfaction")
    keyed(ax)
    return ax
