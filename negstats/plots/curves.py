"""Curves: a measure over a number (a setting, a count of games played), a line for each group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from negstats.plots.look import LINES, MARKERS, colours, whole_steps
from negstats.plots.style import (
    CURVES,
    TWO,
    axes_for,
    caption_panels,
    check_table,
    finish,
    group_panels,
)


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

    On a new figure more than five groups have a panel each: more lines are not told apart in grey.

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
        The axes with the lines; of a panel a group, the first.

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
    groups = list(pd.unique(table[by]))
    bars = f"Bars: {bars_name}" if barred and bars_name else ""
    if ax is None and len(groups) > CURVES:
        panels = group_panels([str(group) for group in groups], x_label=labels[0], y_label=labels[1])
        for panel, group in zip(panels, groups, strict=True):
            _line(panel, table[table[by] == group], x, y, ends, place=0, colour=colours(1)[0], marks=marks)
        whole_steps(panels[0], table[x])
        caption_panels(panels, caption, f"A panel for each {by}", bars)
        return panels[0]
    ax = axes_for(ax, width=TWO, height=2.7)
    for place, (group, colour) in enumerate(zip(groups, colours(len(groups)), strict=True)):
        _line(ax, table[table[by] == group], x, y, ends, place=place, colour=colour, marks=marks, name=str(group))
    whole_steps(ax, table[x])
    return finish(ax, labels, caption, bars, key=by)


def _line(
    ax: Axes,
    rows: pd.DataFrame,
    x: str,
    y: str,
    ends: Sequence[str],
    *,
    place: int,
    colour: Any,
    marks: bool,
    name: str | None = None,
) -> None:
    """Draw the points of a group in the order of `x`, joined, with bars where they have ends."""
    rows = rows.sort_values(x, kind="stable")
    at, value = rows[x].to_numpy(dtype=float), rows[y].to_numpy(dtype=float)
    reach = None
    if len(ends) == 2:
        lower_ends, upper_ends = rows[[*ends]].to_numpy(dtype=float).T
        reach = [value - lower_ends, upper_ends - value]
    ax.errorbar(
        at,
        value,
        yerr=reach,
        color=colour,
        linestyle=LINES[place % len(LINES)],
        marker=MARKERS[place % len(MARKERS)] if marks else None,
        markersize=5,
        capsize=2.5,
        linewidth=1.4,
        label=name,
    )
