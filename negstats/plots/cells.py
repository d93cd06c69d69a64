"""Cell means of a design with one or two factors: where the lines are not parallel, the factors interact."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from negstats.errors import DesignError, UsageError
from negstats.plots.look import LINES, MARKERS, colours
from negstats.plots.style import ONE, TWO, axes_for, captioned, check_table, keyed, quiet, spaced
from negstats.stats import Cells, Margins
from negstats.stats.results.intervals import quantile

Bars: TypeAlias = Literal["sd", "se", "interval", "given", "none"]

_DODGE = 0.16  # between the levels of the second factor
_MOST_SIZES = 4  # numbers that stand under a level; equal ones of more lines are said once
_NAMES = {"sd": "± 1 SD", "se": "± 1 SE", "given": "low to high", "none": ""}


def cell_means(
    means: Cells | Margins | pd.DataFrame,
    x: str,
    lines: str | None = None,
    *,
    label: str,
    bars: Bars = "interval",
    confidence_level: float = 0.95,
    bars_name: str = "",
    caption: str = "",
    joined: bool = True,
    beside: str | None = None,
    sizes: bool = True,
    ax: Axes | None = None,
) -> Axes:
    r"""Draw the mean of each cell with its bar, over the levels of one factor and a line for each level of another.

    Parameters
    ----------
    means
        Cells, estimated marginal means, or a table with a row a cell: the factors, ``n`` (missing where it was not
        printed), ``mean``, and what the bars need: ``sd``, ``se``, or ``low`` and ``high``. Levels stand in the order
        of the rows, or of their categories if the column is categorical.
    x, lines
        The factor along the axis, and the factor that has a line for each level (none: one line).
    label
        The measure with its unit, for the axis.
    bars
        What the bars are: one standard deviation or one standard error to either side, the confidence "interval" of
        each mean (t, from the cell's own SE; that of the marginal means for `Margins`), or the columns ``low`` and
        ``high`` as they are "given". Always named on the figure. A cell whose bar is missing has none.
    confidence_level
        Level of the interval.
    bars_name
        Name of the bars in other words, where "given" bars need one.
    caption
        What the figure shows, for the title.
    joined
        Join the means of a line; False where the levels along the axis are not a factor of one design.
    beside
        Column of values that are drawn as open marks beside the means, such as "printed"; a missing one has no mark.
    sizes
        Write n below each level; False where the levels say it themselves.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the means.

    Raises
    ------
    DesignError
        If the table is empty, a factor is left over, or a cell is listed twice.
    UsageError
        If a factor or a column that the bars need is not there.

    Examples
    --------
    >>> cells = Cells.from_table(
    ...     n=[[97, 97], [96, 103]], mean=[[5.7, 5.6], [4.7, 6.2]], se=0.3,
    ...     factors={"reward": ["fair", "selfish"], "partner": ["supervised", "selfish"]},
    ... )
    >>> ax = cell_means(cells, "partner", "reward", label="human points (points)", bars="se")
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['supervised\nn = 97 / 96', 'selfish\nn = 97 / 103']
    """
    factors = [x] if lines is None else [x, lines]
    table = with_bars(means, factors, bars=bars, confidence_level=confidence_level)
    groups: list[object] = [None] if lines is None else _levels(table[lines])
    levels, own = _levels(table[x]), colours(len(groups))
    ax = axes_for(ax, width=ONE if lines is None and len(levels) <= 4 else TWO, height=2.7)
    for i, group in enumerate(groups):
        rows = table if group is None else table[table[lines] == group]
        x_values = [levels.index(value) + (i - (len(groups) - 1) / 2) * _step(len(groups)) for value in rows[x]]
        mean, low, high = (rows[name].to_numpy(dtype=float) for name in ("mean", "low", "high"))
        ax.errorbar(
            x_values,
            mean,
            # numbers, since NumPy before 2.4 warns where matplotlib asks whether an array of one is finite
            yerr=None if bars == "none" else np.stack([mean - low, high - mean]).tolist(),
            label=None if group is None else str(group),
            color=own[i],
            marker=MARKERS[i % len(MARKERS)],
            linestyle=LINES[i % len(LINES)] if joined else "none",
            markersize=6.5,
            capsize=0 if bars == "none" else 3.5,
            linewidth=1.4,
        )
    if beside is not None:
        _draw_beside(ax, means, factors, beside)
    bare = table["n"].isna()
    has_sizes = sizes and not bare.all()
    names = [str(level) for level in levels]
    if has_sizes:
        names = [_format_level(level, table[table[x] == level], groups, lines) for level in levels]
    ax.set_xticks(range(len(levels)), names)
    ax.set_xlim(-0.5, len(levels) - 0.5)
    ax.set_ylabel(label)
    bars_label = bars_name or (f"{100 * confidence_level:g}% CI" if bars == "interval" else _NAMES[bars])
    lacking = "; none where it is not known" if table[["low", "high"]].isna().any(axis=None) else ""
    unknown = "; n not printed" if bare.all() else "; some n are not printed" if bare.any() else ""
    quiet(ax)
    captioned(ax, caption, _bar_words(bars_label, bars, lacking) + unknown)
    keyed(ax, "" if lines is None else lines)
    spaced(ax)
    return ax


def _bar_words(bars_label: str, bars: Bars, lacking: str) -> str:
    if bars == "none":
        return f"No bars: {bars_label}" if bars_label else "No bars: the spread is not known"
    return f"Bars: {bars_label}{lacking}"


def with_bars(
    means: Cells | Margins | pd.DataFrame, factors: list[str], *, bars: Bars, confidence_level: float = 0.95
) -> pd.DataFrame:
    """Return one row a cell with the `factors`, n, mean, low and high: the numbers that `cell_means` draws.

    Raises
    ------
    DesignError, UsageError
        As `cell_means`.
    """
    if isinstance(means, pd.DataFrame):
        table = means
    else:
        extra_factors = [factor.name for factor in means.factors if factor.name not in factors]
        if extra_factors:
            raise DesignError(
                f"the means have the factor {extra_factors[0]!r} in addition; average over it, or draw one level"
            )
        table = means.to_frame(confidence_level) if isinstance(means, Margins) else means.to_frame()
    check_table(table, [*factors, "n", "mean"], "means")
    twice = table.duplicated(factors)
    if twice.any():
        cell = ", ".join(str(table[name][twice].iloc[0]) for name in factors)
        raise DesignError(f"means: the cell {cell!r} is listed twice; give one row per cell")
    return table[[*factors, "n", "mean"]].assign(**_ends(table, bars, confidence_level)).reset_index(drop=True)


def _ends(table: pd.DataFrame, bars: Bars, confidence_level: float) -> dict[str, pd.Series]:
    if bars not in ("sd", "se", "interval", "given", "none"):
        raise UsageError(f"bars is {bars!r}; give 'sd', 'se', 'interval', 'given' or 'none'")
    mean = table["mean"]
    if bars == "none":
        return {"low": mean * np.nan, "high": mean * np.nan}
    if bars == "given" or (bars == "interval" and {"low", "high"} <= set(table.columns)):
        check_table(table, ["low", "high"], "means")
        return {"low": table["low"], "high": table["high"]}
    spread = "sd" if bars == "sd" else "se"
    check_table(table, [spread], "means")
    reach = table[spread]
    if bars == "interval":
        df = (table["n"] - 1).where(table["n"] > 1)
        reach = reach * quantile(confidence_level, df.to_numpy(dtype=float))
    return {"low": mean - reach, "high": mean + reach}


def _draw_beside(ax: Axes, means: Cells | Margins | pd.DataFrame, factors: list[str], beside: str) -> None:
    """Draw a further column as open marks, to the right of each cell's mean."""
    if not isinstance(means, pd.DataFrame):
        raise UsageError(f"beside is {beside!r}, a column of a table; the means are {type(means).__name__}")
    check_table(means, [beside], "means")
    levels = [_levels(means[factor]) for factor in factors]
    own = colours(len(levels[1]) if len(levels) > 1 else 1)
    for place, (factor, *group) in enumerate(means[factors].itertuples(index=False)):
        i = levels[1].index(group[0]) if group else 0
        step = _step(len(levels[1]) if group else 1)
        at = levels[0].index(factor) + (i - (len(levels[-1]) - 1) / 2 if group else 0) * step + step / 2
        ax.plot(
            [at],
            [means[beside].iloc[place]],
            marker=MARKERS[i % len(MARKERS)],
            color=own[i],
            markerfacecolor="none",
            markersize=6.5,
            linestyle="none",
            label=f"open: {beside}" if place == 0 else None,
        )


def _levels(column: pd.Series) -> list[object]:
    """Return the levels in the order of their category, or else of the rows."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return list(column.cat.remove_unused_categories().cat.categories)
    return list(pd.unique(column))


def _format_level(value: object, rows: pd.DataFrame, groups: list[object], lines: str | None) -> str:
    """Return a level with the n of its cells, in the order of the lines."""
    sizes = [rows["n"]] if lines is None else [rows.loc[rows[lines] == group, "n"] for group in groups]
    if rows["n"].isna().all():  # one "?" for all lines
        return f"{value!s}\nn = ?"
    words = list(map(_size, sizes))
    if len(words) > _MOST_SIZES and len(set(words)) == 1:
        return f"{value!s}\nn = {words[0]} each"
    return f"{value!s}\nn = {' / '.join(words)}"


def _step(lines: int) -> float:
    """Return how far apart the marks of lines stand at one level: together less than a level."""
    return min(_DODGE, 0.8 / lines)


def _size(n: pd.Series) -> str:
    if not len(n):
        return "–"
    return "?" if n.isna().any() else f"{n.iloc[0]:,.0f}"
