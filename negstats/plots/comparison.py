"""Conditions compared: every unit by the size of its group, means with intervals, and differences within persons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.transforms import ScaledTranslation

from negstats.errors import DesignError
from negstats.plots.groups import (
    MANY,
    counting_unit,
    described,
    draw_group,
    draw_mean,
    mean_interval,
    mean_words,
)
from negstats.plots.look import GREY, INK, STRENGTH, colours, despine, printed
from negstats.plots.style import (
    ONE,
    TALLEST,
    TWO,
    axes_for,
    captioned,
    check_table,
    figure_of,
    letters,
    new_panels,
    quiet,
    wrapped,
)
from negstats.sanitize import plural

_COLUMN = 4  # groups; of more, n is in a column at the right
_LEVELS = 12  # of more, a table says it better
_SHORT_NAMES = 30  # letters of two names in a key of one line
DIRECTIONS = "solid lines fall from the first to the last condition, dashed lines rise"
_CROWDED = 60  # persons of whom lines are thin


def group_comparison(
    values: pd.DataFrame,
    summary: pd.DataFrame,
    *,
    label: str,
    unit: str = "value",
    bars: str = "95% CI of the mean, from the group's own SD",
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    r"""Draw one row for each group: its values, the mean and its interval.

    Below 20 values a group has marks alone; below 250 also a cloud; of more there are a cloud, the quartiles and the
    marks beyond 1.5 interquartile ranges. Whole numbers and other grids are spread by at most 0.3 of a step.

    Parameters
    ----------
    values
        One row a unit with the columns ``level`` and ``value``.
    summary
        Indexed by group in the order to draw, with the columns ``mean``, ``low`` and ``high``. A group whose interval
        is missing, or of no width, has no bar.
    label
        The measure with its unit, for the axis.
    unit
        What a value is of: "game", "participant".
    bars
        What the intervals are.
    caption
        What the figure shows, such as the test.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the groups.

    Raises
    ------
    DesignError
        If there are more than 12 groups, or a group of the summary has no value.

    Notes
    -----
    The figure is a raincloud plot (Allen et al., 2021).

    References
    ----------
    Allen, M., Poggiali, D., Whitaker, K., Marshall, T. R., van Langen, J., & Kievit, R. A. (2021). Raincloud plots: A
    multi-platform tool for robust data visualization. Wellcome Open Research, 4, 63.

    Examples
    --------
    >>> values = pd.DataFrame({"level": ["CL", "CL", "FC"], "value": [0.7, 0.8, 0.6]})
    >>> summary = pd.DataFrame({"mean": [0.75, 0.6], "low": [0.11, None], "high": [1.39, None]}, index=["CL", "FC"])
    >>> ax = group_comparison(values, summary, label="utility (points)", unit="participant")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['CL\nn = 2', 'FC\nn = 1']
    """
    check_table(values, ["level", "value"], "values")
    check_table(summary, ["mean", "low", "high"], "summary")
    if len(summary) > _LEVELS:
        raise DesignError(
            f"{len(summary)} groups are too many for a figure, which has room for {_LEVELS}; give a table"
        )
    names = [wrapped(str(level)) for level in summary.index]
    is_wide = len(names) > _COLUMN or max(len(part) for name in names for part in name.split("\n")) > 16
    row = 0.62 if len(names) <= _COLUMN else 0.4
    ax = axes_for(ax, width=TWO if is_wide else ONE, height=min(TALLEST, 0.65 + row * len(names)))
    own = colours(len(names)) if len(names) <= 3 else colours(1) * len(names)
    groups = {level: _values_of(values, level) for level in summary.index}
    step = counting_unit(values["value"])
    for place, (level, colour) in enumerate(zip(summary.index, own, strict=True)):
        draw_group(ax, groups[level], len(names) - 1 - place, colour, step=step)
        mean, low, high = (float(summary.loc[level, name]) for name in ("mean", "low", "high"))
        draw_mean(ax, mean, low, high, len(names) - 1 - place)
    sizes = pd.Series({level: len(group) for level, group in groups.items()})
    ax.set_yticks(range(len(names))[::-1], _add_sizes(ax, names, list(sizes)))
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(-0.48, len(names) - 0.42)
    ax.set_xlabel(label)
    despine(ax)
    captioned(ax, *caption.split("\n"), ". ".join(described(ax, sizes, unit=unit, step=step, bars=bars)))
    return ax


def _values_of(values: pd.DataFrame, level: object) -> np.ndarray[Any, np.dtype[np.float64]]:
    group = values.loc[values["level"] == level, "value"].dropna().to_numpy(dtype=float)
    if not len(group):
        raise DesignError(f"values: the group {level!r} of the summary has no value; leave it out of the summary")
    return group


def _add_sizes(ax: Axes, names: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """Return names with n beneath each; of many groups n is written in a column at the right."""
    if len(names) <= _COLUMN:
        return [f"{name}\nn = {n:,}" for name, n in zip(names, sizes, strict=True)]
    row_transform = ax.get_yaxis_transform()
    ax.text(1.02, len(names) - 0.5, "n", style="italic", transform=row_transform, fontsize=letters(ax))
    for place, n in enumerate(reversed(sizes)):
        ax.text(1.02, place, f"{n:,}", transform=row_transform, va="center", fontsize=letters(ax))
    return list(names)


def paired_comparison(
    values: pd.DataFrame,
    difference: Mapping[str, float] | None = None,
    *,
    label: str,
    unit: str = "participant",
    confidence_level: float = 0.95,
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    r"""Draw one line a participant between conditions, and in a second panel the differences with their interval.

    The means have no bars: within participants their spread says nothing of the difference. Of more than 250
    participants the lines are replaced by the counts of both values.

    Parameters
    ----------
    values
        One row a participant and one column a condition, in the order to draw; the difference is first minus second.
        Of more than two conditions there is no panel of differences.
    difference
        The estimate that the test reports: ``value``, ``low``, ``high`` and ``level``. If not given, the mean
        difference with its t interval.
    label
        The measure with its unit, for the axis.
    unit
        What a line is of.
    confidence_level
        Level of the interval if `difference` is not given.
    caption
        What the figure shows, such as the test.
    ax
        Axes to draw on; they are split in two. New ones if not given.

    Returns
    -------
    matplotlib.axes.Axes
        Of the lines; the panel of differences stands after it in ``ax.figure.axes``.

    Examples
    --------
    >>> values = pd.DataFrame({"CL": [0.7, 0.8, 0.9], "FC": [0.6, 0.75, 0.7]})
    >>> ax = paired_comparison(values, label="utility (points)")
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['CL\nM = 0.800', 'FC\nM = 0.683']
    >>> ax.figure.axes[1].get_xticklabels()[0].get_text()
    'M = 0.117 [−0.073, 0.306]\nn = 3 participants'
    """
    check_table(values, [], "values")
    whole = values.dropna()
    check_table(whole, [], f"values: {plural(unit)} with all conditions")
    if whole.shape[1] != 2:
        ax = axes_for(ax, width=TWO if whole.shape[1] > 4 else ONE)
        pair_lines(ax, whole, label=label)
        captioned(ax, *caption.split("\n"), f"{_line_words(whole, unit)}; no bars, as conditions are compared within")
        return ax
    left_axes, right_axes = _split(ax, 2.8 if len("".join(map(str, whole.columns))) <= _SHORT_NAMES else 3.8)
    if len(whole) > MANY:
        _pair_counts(left_axes, whole, label)
    else:
        pair_lines(left_axes, whole, label=label)
    first, second = map(str, whole.columns)
    step = counting_unit(whole.to_numpy(dtype=float).ravel())
    differences = pd.Series((whole.iloc[:, 0] - whole.iloc[:, 1]).to_numpy(dtype=float).round(9))
    panel_words = difference_panel(
        right_axes, {"": differences}, difference, unit=unit, confidence_level=confidence_level, step=step
    )
    right_axes.set_ylabel(wrapped(f"{first} − {second}", 36))
    lines = _line_words(whole, unit) if len(whole) <= MANY else (
        f"Left: darker squares hold more of the {len(whole):,} {plural(unit)}; on the dotted line both values are equal"
    )  # fmt: skip
    words = f"{lines}. Right: differences within {plural(unit)}. {panel_words}"
    captioned(left_axes, *caption.split("\n"), words, across=ax is None)
    return left_axes


def _line_words(whole: pd.DataFrame, unit: str) -> str:
    if len(whole) > MANY:
        return f"Bands hold the middle half of {len(whole):,} {plural(unit)}; diamonds are means"
    subject, ways = ("Left: each", "") if whole.shape[1] == 2 else ("Each", f"; {DIRECTIONS}")
    return f"{subject} line is one of {len(whole):,} {plural(unit)}{ways}; diamonds are means"


def _split(ax: Axes | None, height: float) -> tuple[Axes, Axes]:
    """Return two panels: of a new figure of that height, or in the place of `ax`."""
    if ax is None:
        left_axes, right_axes = new_panels(2, TWO, height, width_ratios=[1.25, 1])
        return left_axes, right_axes
    place = ax.get_subplotspec()
    if place is None:
        raise DesignError("axes of no grid cannot be split in two panels; give axes of plt.subplots()")
    grid = place.subgridspec(1, 2, width_ratios=[1.25, 1])
    ax.set_subplotspec(grid[0])
    with printed():
        return ax, figure_of(ax).add_subplot(grid[1])


def pair_lines(
    ax: Axes, whole: pd.DataFrame, *, label: str, key: bool = True, means: Sequence[float] | None = None
) -> None:
    """Draw a line a row between the columns, by its direction, and the means; two columns have a key of directions.

    Parameters
    ----------
    ax
        Axes to draw on.
    whole
        One row a unit and one column a condition, none missing.
    label
        The measure with its unit; "" for none.
    key
        Say under the axes how many rise and fall.
    means
        Of the columns, where more is known of them than the rows of `whole`.
    """
    xs, numbers = np.arange(whole.shape[1]), whole.to_numpy(dtype=float)
    if len(whole) > MANY:
        ax.fill_between(xs, *np.quantile(numbers, [0.25, 0.75], axis=0), color=GREY, alpha=0.3, linewidth=0)
    width = 0.7 if len(whole) <= _CROWDED else 0.4
    change = (numbers[:, 0] - numbers[:, -1]).round(9)
    dark, light = colours(2)
    first, last = str(whole.columns[0]), str(whole.columns[-1])
    kinds = (
        (f"higher in {first}", change > 0, dark, "-"), (f"higher in {last}", change < 0, light, "--"),
        ("equal", change == 0, GREY, ":"),
    )  # fmt: skip
    shift = np.random.default_rng(1).uniform(-0.02, 0.02, len(numbers))  # marks of equal values stand apart
    for name, which, colour, dash in kinds if len(whole) <= MANY else ():
        places = xs + shift[which, None]
        points = np.stack([places, numbers[which]], axis=-1)
        named = f"{name}: {which.sum():,}" if len(points) and whole.shape[1] == 2 else "_line"
        pairs = LineCollection(  # one artist, as an artist a line takes ten times as long to draw
            list(points), linestyle=dash, linewidth=width, zorder=2, color=colour, alpha=STRENGTH, label=named
        )
        ax.add_collection(pairs)
        ax.plot(*points.reshape(-1, 2).T, "o", markersize=1.8, color=colour, alpha=STRENGTH, label="_mark")
    means = list(numbers.mean(axis=0)) if means is None else means
    sides = [-0.14, *([0.0] * (len(xs) - 2)), 0.14]
    ax.plot(xs + sides, means, "D", color=INK, markersize=4, zorder=4, label="_mean")
    digits = _digits(numbers)
    names = (wrapped(str(name), 14) for name in whole.columns)
    ax.set_xticks(
        xs, [f"{name}\nM = {mean:.{digits}f}".replace("-", "−") for name, mean in zip(names, means, strict=True)]
    )
    ax.set_xlim(-0.4, len(xs) - 0.6)
    ax.set_ylabel(label)
    quiet(ax)
    if key and whole.shape[1] == 2 and len(whole) <= MANY:
        _add_key(ax, is_short=len(first + last) <= _SHORT_NAMES)


def _add_key(ax: Axes, *, is_short: bool) -> None:
    """Put the key of directions under the names of the conditions: beside each other, long ones under each other."""
    lines = 1 + max(tick.get_text().count("\n") for tick in ax.get_xticklabels())
    down = (8 + 9.5 * lines) / 72  # inches
    handles, names = ax.get_legend_handles_labels()
    ax.legend(
        handles, [wrapped(name, 40) for name in names], ncols=3 if is_short else 1,
        loc="upper center" if is_short else "upper left", bbox_to_anchor=(0.5 if is_short else 0, 0),
        bbox_transform=ax.transAxes + ScaledTranslation(0, -down, figure_of(ax).dpi_scale_trans),
        frameon=False, handlelength=2, columnspacing=1.0, fontsize=letters(ax), borderaxespad=0,
    )  # fmt: skip


def _pair_counts(ax: Axes, whole: pd.DataFrame, label: str) -> None:
    """Draw how many have which two values, and the line of equal ones."""
    ends = [float(whole.to_numpy().min()), float(whole.to_numpy().max())]
    step = counting_unit(whole.to_numpy(dtype=float).ravel())
    discrete = step == 1 and ends[1] - ends[0] <= 60
    import seaborn as sns

    sns.histplot(
        x=whole.iloc[:, 0].to_numpy(), y=whole.iloc[:, 1].to_numpy(), ax=ax, color=colours(1)[0],
        bins="auto" if discrete else 30, discrete=discrete,
    )  # fmt: skip
    ax.plot(ends, ends, color=INK, linewidth=0.8, linestyle=":", label="_equal")
    for axis, name in ((ax.xaxis, whole.columns[0]), (ax.yaxis, whole.columns[1])):
        axis.set_label_text(f"{label}, {name}")
    ax.plot(*whole.mean().to_numpy(), "D", color=INK, markersize=4, label="_mean")
    despine(ax)


def difference_panel(
    ax: Axes,
    differences: Mapping[str, pd.Series],
    difference: Mapping[str, float] | None = None,
    *,
    unit: str,
    confidence_level: float = 0.95,
    step: float = 0.0,
) -> str:
    """Draw differences within units, upright, a place a group, with the mean and its interval; return what was drawn.

    Parameters
    ----------
    ax
        Axes to draw on.
    differences
        By the group's name; one group may be named "".
    difference
        The tested estimate of one group: ``value``, ``low``, ``high``, ``level``; else the mean with its t interval.
    unit
        What a difference is of.
    confidence_level
        Of the interval if `difference` is not given.
    step
        The counting unit of the values.
    """
    names = []
    own = colours(3)[2:] if len(differences) == 1 else colours(len(differences))
    for place, ((name, values), colour) in enumerate(zip(differences.items(), own, strict=True)):
        numbers = values.to_numpy(dtype=float)
        draw_group(ax, numbers, place, colour, upright=True, step=step, height=0.36)
        if difference is not None and len(differences) == 1:
            mean, low, high = (float(difference[key]) for key in ("value", "low", "high"))
            confidence_level = float(difference["level"])
        else:
            mean, low, high = mean_interval(numbers, confidence_level)
        draw_mean(ax, mean, low, high, place, upright=True)
        digits = _digits(numbers)
        ends = f" [{low:.{digits}f}, {high:.{digits}f}]" if low < high else ""
        short = len(differences) == 1
        size = f"n = {len(numbers):,}" + (f" {plural(unit) if len(numbers) != 1 else unit}" if short else "")
        text = [wrapped(name, 16), f"M = {mean:.{digits}f}{ends}" if short else f"M = {mean:.{digits}f}", size]
        names.append("\n".join(part for part in text if part).replace("-", "−"))
    ax.axhline(0, color=INK, linewidth=0.6, linestyle=":", zorder=1)
    ax.set_xlim(-0.5, len(differences) - 0.42)
    ax.set_xticks(range(len(differences)), names)
    quiet(ax)
    description = mean_words(ax, list(differences), f"{100 * confidence_level:g}% CI of the mean difference")
    return description + (f". Marks are spread by at most {0.3 * step:g}" if step else "")


def _digits(numbers: np.ndarray[Any, np.dtype[np.float64]]) -> int:
    """Return the decimals of a mean: so many that the spread has two digits."""
    spread = float(np.std(numbers)) or abs(float(np.mean(numbers))) or 1.0
    return int(np.clip(1 - np.floor(np.log10(spread)), 0 if spread >= 100 else 1 if spread >= 10 else 2, 6))


def paired_table(counts: pd.DataFrame, *, label: str, caption: str = "", ax: Axes | None = None) -> Axes:
    """Draw how many participants answered yes or no in both of two conditions: a small table, shaded by its counts.

    Parameters
    ----------
    counts
        A row an outcome in the first condition and a column an outcome in the second, named by ``index.name`` and
        ``columns.name``. Those off the diagonal changed; McNemar's test compares them.
    label
        What is counted: "people".
    caption
        What the figure shows and what the test says.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the table.

    Examples
    --------
    >>> counts = pd.DataFrame([[40, 12], [3, 11]], index=["yes", "no"], columns=["yes", "no"])
    >>> ax = paired_table(counts.rename_axis(index="CL", columns="FC"), label="people")
    >>> [text.get_text() for text in ax.texts]
    ['40', '12', '3', '11']
    """
    check_table(counts, [], "counts")
    ax = axes_for(ax, width=ONE if counts.shape[1] <= 4 else TWO, height=min(TALLEST, 1.1 + 0.5 * len(counts)))
    import seaborn as sns

    sns.heatmap(
        counts, annot=True, fmt="g", cmap="Greys", vmin=0, vmax=2 * counts.to_numpy().max() + 1, cbar=False,
        linewidths=1, linecolor="white", ax=ax, annot_kws={"color": INK, "size": letters(ax)},
    )  # fmt: skip
    ax.set_ylabel(str(counts.index.name or ""))
    ax.set_xlabel(str(counts.columns.name or ""))
    ax.tick_params(length=0)
    captioned(ax, caption, f"Numbers: {label} (n = {counts.to_numpy().sum():,.0f})")
    return ax
