"""The outcome space of a negotiation for two: what was possible, the Pareto frontier, and the deals that were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from negstats.errors import UsageError
from negstats.plots.look import ACCENT, COLOURS, GREY, MARKERS, despine
from negstats.plots.style import TWO, axes_for, captioned, check_table, keyed

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
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    despine(ax)
    captioned(ax, caption)
    keyed(ax)
    return ax


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
