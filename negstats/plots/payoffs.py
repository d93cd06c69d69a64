"""Heat map of an empirical game: what each strategy gets against each other, with the interval of each mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from negstats.errors import DesignError
from negstats.plots._style import axes_for, captioned, check_table
from negstats.plots.heatmap import MAP


def payoff_heat_map(
    payoffs: pd.DataFrame, *, label: str, caption: str = "", decimals: int = 2, ax: Axes | None = None
) -> Axes:
    r"""Draw a heat map of payoffs: one square for each pairing, with the row's mean payoff, its interval, and n.

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
        raise DesignError("payoffs has a pairing twice; one row a pairing would do")
    if payoffs["mean"].isna().all():
        raise DesignError("payoffs holds no mean; nothing can be drawn")
    rows, columns = payoffs["strategy"].unique(), payoffs["opponent"].unique()
    means = payoffs.pivot_table(index="strategy", columns="opponent", values="mean", dropna=False, sort=False)
    means = means.reindex(index=rows, columns=columns)
    words = {(row["strategy"], row["opponent"]): _square_text(row, decimals) for row in payoffs.to_dict("records")}
    texts = pd.DataFrame([[words.get((row, column), "–") for column in columns] for row in rows])
    ax = axes_for(ax, width=2.8 + 1.25 * len(columns), height=1.7 + 0.8 * len(rows))
    sns.heatmap(
        means.astype(float), annot=texts, fmt="", cmap=MAP, cbar_kws={"label": label}, ax=ax,
        annot_kws={"fontsize": "small"},
    )  # fmt: skip
    for i, j in np.argwhere(means.isna().to_numpy()):
        ax.text(j + 0.5, i + 0.5, "–", ha="center", va="center", fontsize="small")
    ax.set_xticklabels(ax.get_xticklabels(), rotation=30, ha="right", rotation_mode="anchor")
    ax.set_yticklabels(ax.get_yticklabels(), rotation=0)
    ax.set_xlabel("opponent")
    ax.set_ylabel("strategy")
    ax.tick_params(length=0)
    captioned(ax, caption, "Numbers: mean payoff of the row, its interval, games")
    return ax


def _square_text(row: dict[Any, Any], decimals: int) -> str:
    interval = "" if np.isnan(row["low"]) else f"\n[{row['low']:.{decimals}f}, {row['high']:.{decimals}f}]"
    return f"{row['mean']:.{decimals}f}{interval}\nn = {row['n']:g}"
