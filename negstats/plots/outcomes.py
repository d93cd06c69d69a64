"""Outcomes as points: the outcome space of a game with its deals, and how well options serve two sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes

from negstats.errors import DesignError, UsageError
from negstats.plots.look import ACCENT, COLOURS, GREY, INK, MARKERS, colours
from negstats.plots.style import TWO, axes_for, check_table, finish

_LEAST, _MOST = 26.0, 220.0  # areas of a deal's mark, in square points


def outcome_space(
    outcomes: pd.DataFrame,
    deals: pd.DataFrame | None = None,
    *,
    x: str,
    y: str,
    labels: tuple[str, str],
    optimal: str = "optimal",
    points: Mapping[str, Sequence[float]] | None = None,
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw all outcomes of a game, a line through the Pareto optimal ones, and the deals that were reached.

    Parameters
    ----------
    outcomes
        A row an outcome: the two players' utilities and whether it is Pareto optimal (truth values, as
        `games.pareto_optimal` gives them).
    deals
        A row a deal with the two utilities; deals at one place are drawn as one mark whose area is their number.
    x, y
        Names of the columns of the two utilities.
    labels
        The utilities with their unit, for the axes.
    optimal
        Name of the column that says what is Pareto optimal.
    points
        Named points to mark, such as the disagreement point or the Nash point.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the outcomes, on which `offer_paths` can draw.

    Raises
    ------
    DesignError
        If there is no outcome.
    UsageError
        If a column is not there, or nothing is Pareto optimal.

    Notes
    -----
    The frontier is drawn as steps, as nothing between two of finitely many outcomes can be had: whatever lies under the
    steps is dominated by some outcome, and nothing above them is.

    Examples
    --------
    >>> outcomes = pd.DataFrame({"you": [3, 2, 0, 1], "they": [0, 2, 3, 1], "optimal": [True, True, True, False]})
    >>> ax = outcome_space(outcomes, x="you", y="they", labels=("you (points)", "they (points)"))
    >>> ax.lines[0].get_xdata().tolist()
    [0, 2, 3]
    """
    check_table(outcomes, [x, y, optimal], "outcomes")
    best = outcomes[outcomes[optimal].astype(bool)].drop_duplicates([x, y]).sort_values([x, y], ascending=[True, False])
    if not len(best):
        raise UsageError(f"outcomes: nothing is true in the column {optimal!r}; give what games.pareto_optimal returns")
    ax = axes_for(ax, width=TWO, height=3.6)
    places = outcomes.drop_duplicates([x, y])
    ax.scatter(places[x], places[y], s=13, color=GREY, linewidths=0, label=f"outcome ({len(outcomes):,})", zorder=2)
    ax.plot(
        best[x].to_numpy(),
        best[y].to_numpy(),
        drawstyle="steps-pre",
        color=COLOURS[0],
        marker="o",
        markersize=4.5,
        linewidth=1.4,
        label=f"Pareto frontier ({len(best):,})",
        zorder=3,
    )
    if deals is not None and len(deals):
        check_table(deals, [x, y], "deals")
        _draw_deals(ax, deals, x, y)
    for place, (name, (at_x, at_y)) in enumerate((points or {}).items()):
        marker, colour = MARKERS[(place + 2) % len(MARKERS)], COLOURS[(place + 1) % len(COLOURS)]
        ax.scatter([at_x], [at_y], s=70, marker=marker, color=colour, edgecolors="black", label=name, zorder=5)
    ax.margins(0.07)
    return finish(ax, labels, caption)


def _draw_deals(ax: Axes, deals: pd.DataFrame, x: str, y: str) -> None:
    deal_counts = deals.groupby([x, y], as_index=False).size()
    number = deal_counts["size"].to_numpy(dtype=float)
    ax.scatter(
        deal_counts[x],
        deal_counts[y],
        s=np.clip(_LEAST * number, None, _MOST) if number.max() * _LEAST <= _MOST else _MOST * number / number.max(),
        marker="D",
        facecolors="none",
        edgecolors=ACCENT,
        linewidths=1.4,
        clip_on=False,
        label=f"deals (n = {len(deals):,}; area: number)",
        zorder=4,
    )


_AREA = 150.0  # of the mark of a pair that always agrees, in square points
_LEAST_AREA = 14.0


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
            s=max(_AREA * share, _LEAST_AREA),
            marker=MARKERS[place % len(MARKERS)],
            facecolors=[tints[place] if place < len(MARKERS) else "white"],  # marks come round again: hollow
            edgecolors=INK,
            linewidths=0.6 if place < len(MARKERS) else 1.2,
            label=f"{row[by]} ({row[agreements]:g} of {row[talks]:g})",
            clip_on=False,
            zorder=3,
        )
    ax.margins(0.06)
    drawn = "Marks: means over agreements; area: share of talks that agree; dotted: equal satisfaction"
    return finish(ax, labels, caption, drawn)
