"""Two conditions side by side: every participant, the means and their intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from negstats.plots._style import COLOURS, GREY, axes_for, quiet

__all__ = ["group_comparison", "paired_comparison"]

_OFF = 0.16  # how far the mean stands beside its column of points
_SPREAD = 0.09  # half the width of a column of points
_STEP = 0.012  # between participants whose values are all equal


def paired_comparison(
    values: pd.DataFrame, summary: pd.DataFrame, *, label: str, caption: str = "", ax: Axes | None = None
) -> Axes:
    """Draw one line a participant between two conditions, and beside them the means with their intervals.

    Parameters
    ----------
    values
        One row a participant and one column a condition, in the order to draw.
    summary
        Indexed by condition, with the columns ``n``, ``mean``, ``low`` and ``high``: the interval of each mean.
    label
        The measure with its unit, for the axis.
    caption
        What the intervals are and what the test says, for the title.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> values = pd.DataFrame({"CL": [0.7, 0.8], "FC": [0.6, 0.7]})
    >>> summary = pd.DataFrame(
    ...     {"n": 2, "mean": [0.75, 0.65], "low": [0.1, 0.0], "high": [1.4, 1.3]}, index=["CL", "FC"]
    ... )
    >>> ax = paired_comparison(values, summary, label="utility (points)")
    >>> len(ax.lines[0].get_xdata())
    2
    """
    ax = axes_for(ax)
    xs = np.arange(values.shape[1])
    same = values.groupby(list(values.columns))  # participants with equal values stand beside each other
    aside = same.cumcount() - (same[values.columns[0]].transform("size") - 1) / 2
    for shift, row in zip(aside, values.to_numpy(dtype=float), strict=True):
        ax.plot(xs + shift * _STEP, row, color=GREY, alpha=0.55, linewidth=0.8, marker="o", markersize=2.5)
    _means(ax, summary, [-_OFF, *([0.0] * (len(xs) - 2)), _OFF])
    _frame(ax, _names(summary), label, caption)
    return ax


def group_comparison(
    values: pd.DataFrame, summary: pd.DataFrame, *, label: str, caption: str = "", ax: Axes | None = None
) -> Axes:
    """Draw one point a participant in each group, and beside them the means with their intervals.

    Parameters
    ----------
    values
        One row a participant with the columns ``level`` and ``value``.
    summary
        Indexed by group in the order to draw, with the columns ``n``, ``mean``, ``low`` and ``high``.
    label, caption, ax
        As for `paired_comparison`.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = axes_for(ax)
    for place, level in enumerate(summary.index):
        y = values.loc[values["level"] == level, "value"].to_numpy(dtype=float)
        ax.scatter(place + _beside(y), y, s=9, color=GREY, alpha=0.5, linewidths=0)
    _means(ax, summary, [_OFF] * len(summary))
    _frame(ax, _names(summary), label, caption)
    return ax


def _means(ax: Axes, summary: pd.DataFrame, offsets: Sequence[float]) -> None:
    for place, (level, off) in enumerate(zip(summary.index, offsets, strict=True)):
        mean, low, high = (float(summary.loc[level, name]) for name in ("mean", "low", "high"))
        ax.errorbar(
            place + off,
            mean,
            yerr=[[mean - low], [high - mean]],
            fmt="os^Dvp"[place % 6],
            color=COLOURS[place % len(COLOURS)],
            markersize=7,
            capsize=4,
            linewidth=1.8,
            zorder=3,
        )


def _names(summary: pd.DataFrame) -> list[str]:
    return [f"{level!s}\nn = {n:.0f}" for level, n in summary["n"].items()]


def _frame(ax: Axes, names: Sequence[str], label: str, caption: str) -> None:
    ax.set_xticks(range(len(names)), names)
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.set_ylabel(label)
    ax.set_title(caption, fontsize="small", loc="left")
    quiet(ax)


def _beside(y: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return horizontal places that keep equal values apart, the same at every call."""
    rank = pd.Series(y).groupby(y).cumcount().to_numpy()
    size = pd.Series(y).groupby(y).transform("size").to_numpy()
    return np.asarray(np.where(size > 1, (rank / np.maximum(size - 1, 1) * 2 - 1) * _SPREAD, 0.0))
