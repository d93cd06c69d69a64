"""Heat map of an empirical game: what each strategy gets against each other, with the interval of each mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from negstats.errors import DesignError
from negstats.plots.heatmap import draw_squares, size_of_squares
from negstats.plots.style import TWO, axes_for, captioned, check_table

MOST_INTERVALS = 6  # columns of squares that are wide enough for an interval


def payoff_heat_map(
    payoffs: pd.DataFrame, *, label: str, caption: str = "", decimals: int = 2, ax: Axes | None = None
) -> Axes:
    r"""Draw a heat map of payoffs: one square for each pairing, with the row's mean payoff, its interval, and n.

    With more than six opponents there is no room for intervals; they stand in the table alone.

    Parameters
    ----------
    payoffs
        A row a pairing: ``strategy``, ``opponent``, ``mean``, ``low``, ``high`` and ``n`` (games), as
        ``Tournament.payoffs()`` has them. Strategies stand in the order in which they first occur.
    label
        What the payoff is, with its unit, for the colour bar.
    caption
        What the figure shows, and what the intervals are.
    decimals
        Decimals of the written numbers.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the squares.

    Raises
    ------
    DesignError
        If there is no number, or a pairing stands twice.
    UsageError
        If a column is not there.

    Examples
    --------
    >>> payoffs = pd.DataFrame({"strategy": ["A", "A", "B", "B"], "opponent": ["A", "B"] * 2, "mean": [1, 3, 0, 2.0],
    ...                         "low": [0.5, 2, 0, 1], "high": [2, 4, 0, 3], "n": 5})
    >>> payoff_heat_map(payoffs, label="points", decimals=1).texts[0].get_text()
    '1.0\n[0.5, 2.0]\nn = 5'
    """
    check_table(payoffs, ["strategy", "opponent", "mean", "low", "high", "n"], "payoffs")
    if payoffs.duplicated(["strategy", "opponent"]).any():
        raise DesignError("payoffs has a pairing twice; give one row per pairing")
    if payoffs["mean"].isna().all():
        raise DesignError("payoffs holds no mean; nothing can be drawn")
    rows, columns = payoffs["strategy"].unique(), payoffs["opponent"].unique()
    means = payoffs.pivot_table(index="strategy", columns="opponent", values="mean", dropna=False, sort=False)
    means = means.reindex(index=rows, columns=columns)
    with_intervals = len(columns) <= MOST_INTERVALS
    words = {
        (row["strategy"], row["opponent"]): _square_text(row, decimals, with_intervals)
        for row in payoffs.to_dict("records")
    }
    size = size_of_squares(means, row_height=0.55 if with_intervals else 0.36)
    ax = axes_for(ax, width=TWO, height=max(size["height"], 2.2))
    draw_squares(ax, means, [[words.get((row, column), "–") for column in columns] for row in rows], label=label)
    ax.set_xlabel("opponent")
    ax.set_ylabel("strategy")
    shown_numbers = "mean payoff of the row, its interval, games" if with_intervals else "mean payoff of the row, games"
    captioned(ax, caption, f"Numbers: {shown_numbers}")
    return ax


def _square_text(row: dict[Any, Any], decimals: int, with_interval: bool) -> str:
    is_bare = np.isnan(row["low"]) or not with_interval
    interval = "" if is_bare else f"\n[{row['low']:.{decimals}f}, {row['high']:.{decimals}f}]"
    return f"{row['mean']:.{decimals}f}{interval}\nn = {row['n']:g}"
