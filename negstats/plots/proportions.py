"""Stacked proportions: how each group's observations fall into categories, with the interval of every boundary."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from negstats.errors import DesignError
from negstats.plots.look import GREY, HATCHES, INK
from negstats.plots.style import (
    TWO,
    axes_for,
    captioned,
    check_table,
    keyed,
    letters,
    quiet,
    spaced,
)
from negstats.stats import Counts, proportion

# Light fills under dark hatches: they differ in grey and leave the numbers legible.
FILLS = ("#0072B2", "#FFFFFF", "#E69F00", "#D9D9D9", "#56B4E9", "#F0E442", "#CC79A7", "#009E73")
_ROOM = 0.065  # least share whose number fits into its bar; others stand beside it
_HALF = 0.31  # of a bar's width


def stacked_proportions(
    counts: Counts | pd.DataFrame,
    variables: str | None = None,
    *,
    label: str = "",
    confidence_level: float | None = 0.95,
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    r"""Draw one bar for each group, split into the shares of the categories, with Wilson's interval at each boundary.

    Parameters
    ----------
    counts
        Counts of two or more dimensions, or a cross-table (a row a group, a column a category).
    variables
        The dimension that holds the categories; the last if not given. The others together are the groups.
    label
        What is counted, for the axis: "dialogues".
    confidence_level
        Level of the intervals: of the share of all categories below the boundary. None draws none, as is right where
        what is counted is not independent (utterances of one talk).
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the bars.

    Raises
    ------
    DesignError
        If there is no group or a single category, a group has no observation, or the counts are a stack of studies.

    Notes
    -----
    Intervals are Wilson's (1927). With two categories the one boundary is the proportion itself.

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the American
    Statistical Association, 22, 209–212.

    Examples
    --------
    >>> counts = Counts.from_table([[5, 92], [19, 77]], {"reward": ["fair", "selfish"], "walked away": ["yes", "no"]})
    >>> ax = stacked_proportions(counts, label="dialogues")
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['fair\nn = 97', 'selfish\nn = 96']
    """
    table = shares_of(counts, variables, confidence_level=0.95 if confidence_level is None else confidence_level)
    groups, categories = list(pd.unique(table["group"])), list(pd.unique(table["category"]))
    ax = axes_for(ax, width=TWO, height=3.0)
    for i, category in enumerate(categories):
        rows = table[table["category"] == category].set_index("group").loc[groups]
        lower_edges = (rows["boundary"] - rows["share"]).to_numpy()
        ax.bar(
            range(len(groups)),
            100 * rows["share"],
            bottom=100 * lower_edges,
            width=2 * _HALF,
            label=str(category),
            color=FILLS[i % len(FILLS)],
            hatch=HATCHES[i % len(HATCHES)],
            edgecolor=INK,
            linewidth=0.7,
        )
        if confidence_level is not None and category != categories[-1]:
            share, low, high = (100 * rows[name].to_numpy() for name in ("boundary", "low", "high"))
            ax.errorbar(
                np.arange(len(groups)) + _HALF + 0.06 + 0.05 * i,  # beside each other, where they overlap
                share,
                yerr=np.stack([share - low, high - share]).tolist(),  # as in `cell_means`
                fmt="none",
                ecolor=INK,
                capsize=3,
                linewidth=1.3,
            )
    _numbers(ax, table, groups)
    sizes = table.groupby("group", sort=False)["n"].sum()
    ax.set_xticks(range(len(groups)), [f"{group}\nn = {sizes[group]:,.0f}" for group in groups])
    thin = (
        confidence_level is None
        and ((table["share"] > 0) & (table["share"] < _ROOM) & (table["group"] == groups[0])).any()
    )
    ax.set_xlim(-0.75 if thin else -0.55, len(groups) - 0.55 + max(0.0, _HALF - 0.4 + 0.05 * len(categories)))
    ax.set_ylim(0, 100)
    ax.set_ylabel(f"share of {label} (%)" if label else "share (%)")
    bars = "" if confidence_level is None else f"Bars: {100 * confidence_level:g}% CI of each boundary (Wilson); "
    captioned(ax, caption, f"{bars}numbers: counts" if bars else "Numbers: counts")
    keyed(ax, _dimension(counts, variables))
    spaced(ax)
    quiet(ax)
    return ax


def shares_of(
    counts: Counts | pd.DataFrame, variables: str | None = None, *, confidence_level: float = 0.95
) -> pd.DataFrame:
    """Return one row a group and category: n, share, boundary (the shares up to it summed) and its interval.

    Raises
    ------
    DesignError
        As `stacked_proportions`.
    """
    cross = _cross(counts, variables)
    if cross.shape[1] < 2:
        raise DesignError(f"there is one category, {cross.columns[0]!r}; shares need two")
    sizes = cross.sum(axis=1)
    if (sizes == 0).any():
        raise DesignError(f"the group {sizes.idxmin()!r} has no observation; leave it out")
    n = cross.to_numpy(dtype=float)
    size = n.sum(axis=1, keepdims=True)
    upto = proportion(n.cumsum(axis=1), np.broadcast_to(size, n.shape))
    interval = upto.confidence_interval(confidence_level)
    return pd.DataFrame(
        {
            "group": np.repeat(cross.index.to_numpy(dtype=object), n.shape[1]),
            "category": np.tile(cross.columns.to_numpy(dtype=object), len(n)),
            "n": n.ravel(),
            "share": (n / size).ravel(),
            "boundary": np.ravel(upto.estimate),
            "low": np.ravel(interval.low),
            "high": np.ravel(interval.high),
        }
    )


def _cross(counts: Counts | pd.DataFrame, variables: str | None) -> pd.DataFrame:
    if isinstance(counts, pd.DataFrame):
        check_table(counts, [], "counts")
        if not counts.shape[1]:
            raise DesignError("counts has no columns; give a row per group and a column per category")
        return counts
    if counts.studies or len(counts.factors) < 2:
        raise DesignError(f"the counts have the shape {counts.n.shape}; give one table with groups and categories")
    category = _dimension(counts, variables)
    groups = [factor.name for factor in counts.factors if factor.name != category]
    margin = counts.marginal([*groups, category])
    names = [factor.levels for factor in margin.factors]
    index = [",\n".join(levels) for levels in pd.MultiIndex.from_product(names[:-1])]
    return pd.DataFrame(margin.n.reshape(len(index), -1), index=index, columns=list(names[-1]))


def _dimension(counts: Counts | pd.DataFrame, variables: str | None) -> str:
    if isinstance(counts, pd.DataFrame):
        return variables or str(counts.columns.name or "")
    return variables or counts.factors[-1].name


def _numbers(ax: Axes, table: pd.DataFrame, groups: list[object]) -> None:
    """Write each count into its part of the bar on a white ground; beside the bar, where the part is too thin."""
    columns = (table[name].tolist() for name in ("group", "n", "share", "boundary"))
    for group, n, share, boundary in zip(*columns, strict=True):
        if not n:  # nothing to see, and several would lie over each other
            continue
        has_room = share >= _ROOM
        ax.text(
            groups.index(group) - (0 if has_room else _HALF + 0.03),
            100 * (boundary - share / 2),
            f"{n:,.0f}",
            ha="center" if has_room else "right",
            va="center",
            fontsize=letters(ax),
            bbox={"facecolor": "white", "edgecolor": GREY, "linewidth": 0.4, "pad": 1.2} if has_room else None,
        )
