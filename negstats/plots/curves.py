"""Curves: a measure over a number (a setting, a count of games played), a line for each group."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from negstats.plots._look import LINES, MARKERS, colours
from negstats.plots._style import TWO, axes_for, captioned, check_table, keyed


def curves(
    table: pd.DataFrame,
    *,
    x: str,
    y: str,
    by: str,
    labels: tuple[str, str],
    low: str | None = None,
    high: str | None = None,
    bars_name: str = "",
    marks: bool = True,
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw one line for each group through its values, with bars from `low` to `high` where these columns are named.

    Parameters
    ----------
    table
        A row a point. A group's points are joined in the order of `x`; a missing `y` leaves a gap.
    x, y, by
        Columns of the number along the axis, the value, and the group.
    labels
        What the axes say, with units.
    low, high
        Columns of the bars' ends; both or none.
    bars_name
        What the bars are.
    marks
        Mark each point; False for long curves.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the lines.

    Raises
    ------
    DesignError
        If the table has no row.
    UsageError
        If a column is not there.

    Examples
    --------
    >>> table = pd.DataFrame({"easy": [0.0, 0.2], "agreement": [0.9, 0.1], "agent": "selfish"})
    >>> ax = curves(table, x="easy", y="agreement", by="agent", labels=("easy", "share agreed"))
    >>> ax.lines[0].get_ydata().tolist()
    [0.9, 0.1]
    """
    ends = [name for name in (low, high) if name is not None]
    barred = len(ends) == 2
    check_table(table, [x, y, by, *ends], "table")
    ax = axes_for(ax, width=TWO, height=2.7)
    groups = list(pd.unique(table[by]))
    for i, (group, colour) in enumerate(zip(groups, colours(len(groups)), strict=True)):
        rows = table[table[by] == group].sort_values(x, kind="stable")
        at, value = rows[x].to_numpy(dtype=float), rows[y].to_numpy(dtype=float)
        reach = None
        if barred:
            lower_ends, upper_ends = rows[ends].to_numpy(dtype=float).T
            reach = [value - lower_ends, upper_ends - value]
        ax.errorbar(
            at,
            value,
            yerr=reach,
            color=colour,
            linestyle=LINES[i % len(LINES)],
            marker=MARKERS[i % len(MARKERS)] if marks else None,
            markersize=5,
            capsize=2.5 if barred else 0,
            linewidth=1.4,
            label=str(group),
        )
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    ax.spines[["top", "right"]].set_visible(False)
    captioned(ax, caption, f"Bars: {bars_name}" if barred and bars_name else "")
    keyed(ax, by)
    return ax
