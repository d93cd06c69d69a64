"""How often forecasts come true, by how sure they were."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from negstats.plots.look import GREY, LINES, colours, despine
from negstats.plots.style import (
    ONE,
    TWO,
    axes_for,
    captioned,
    check_table,
    keyed,
)


def calibration(
    table: pd.DataFrame, *, label: str = "forecast probability", outcome: str = "share that came true",
    caption: str = "", ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the share of games in which a forecast came true over the mean forecast, in bins, beside the diagonal.

    Parameters
    ----------
    table
        What `negstats.estimate.Forecast.calibration` gives: ``probability``, ``share``, ``low``, ``high``, ``games``;
        with a column ``turn``, a curve for each turn.
    label, outcome
        Of the two axes.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the curve: on the diagonal forecasts are as often true as they say.

    Raises
    ------
    UsageError, DesignError
        If a column is not there, or no row.

    Examples
    --------
    >>> import pandas as pd
    >>> bins = pd.DataFrame({"probability": [0.2, 0.7], "share": [0.3, 0.6], "low": [0.1, 0.4], "high": [0.5, 0.8],
    ...                      "games": [20, 20]})
    >>> calibration(bins).get_xlabel()
    'forecast probability'
    """
    check_table(table, ["probability", "share", "low", "high", "games"], "table")
    turns = list(dict.fromkeys(table["turn"])) if "turn" in table else [None]
    ax = axes_for(ax, width=TWO if len(turns) > 1 else ONE, height=ONE)
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1.0, linestyle=(0, (3, 3)), zorder=0)
    for place, (turn, colour) in enumerate(zip(turns, colours(len(turns)), strict=True)):
        rows = (table if turn is None else table[table["turn"] == turn]).sort_values("probability")
        x, share, low, high = (rows[name].to_numpy(dtype=float) for name in ("probability", "share", "low", "high"))
        # A limit of Wilson's interval may lie a rounding error inside the share itself.
        reach = np.maximum([share - low, high - share], 0.0)
        name = "" if turn is None else f"turn {turn} (n = {int(rows['games'].sum()):,})"
        style = LINES[place % len(LINES)]
        ax.errorbar(
            x, share, yerr=reach, color=colour, linestyle=style, marker="o", markersize=4, capsize=2, label=name
        )
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel=label, ylabel=outcome)
    despine(ax)
    captioned(ax, caption)
    keyed(ax, "forecast after" if len(turns) > 1 else "")
    return ax
