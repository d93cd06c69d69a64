"""Shares of answers: stacked by group, of one answer with intervals, and of ordered answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from negstats.errors import DesignError
from negstats.plots.look import GREY, HATCHES, INK, colours, despine
from negstats.plots.style import (
    ONE,
    TALLEST,
    TWO,
    axes_for,
    captioned,
    check_table,
    keyed,
    letters,
    quiet,
    spaced,
    wrapped,
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
            _draw_intervals(ax, rows, i)
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


def _draw_intervals(ax: Axes, rows: pd.DataFrame, place: int) -> None:
    """Draw the interval of a boundary beside each bar; those of several boundaries stand beside each other."""
    share, low, high = (100 * rows[name].to_numpy() for name in ("boundary", "low", "high"))
    ax.errorbar(
        np.arange(len(rows)) + _HALF + 0.06 + 0.05 * place,
        share,
        yerr=np.stack([share - low, high - share]).tolist(),  # as in `cell_means`
        fmt="none",
        ecolor=INK,
        capsize=3,
        linewidth=1.3,
    )


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


# Brown to green, as in ColorBrewer's BrBG; both ends have one lightness, so the low side is hatched.
_LOW, _MIDDLE, _HIGH = ("#8C510A", "#BF812D", "#DFC27D"), "#F0F0F0", ("#80CDC1", "#35978F", "#01665E")
_HATCHES = ("/////", "////", "//")
_ROOM_PERCENT = 6.0  # least percentage whose number fits into its bar
_LONGEST = 7  # answers of a scale


def shares(
    counts: pd.DataFrame,
    *,
    label: str,
    unit: str = "",
    confidence_level: float | None = 0.95,
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of yes in each group as a point with Wilson's interval and its count, such as "4 of 236".

    Parameters
    ----------
    counts
        A row a group, with the columns ``yes`` and ``n``; where the intervals are not Wilson's of these counts also
        ``low`` and ``high`` (0 to 1).
    label
        What is counted as yes, with whose: "games walked away from".
    unit
        What is counted, in the plural: "games".
    confidence_level
        Level of the intervals; None draws none, as is right where what is counted is not independent.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the points.

    Raises
    ------
    DesignError
        If there is no group, or a group has no observation.

    Notes
    -----
    Intervals are Wilson's (1927).

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the American
    Statistical Association, 22, 209–212.

    Examples
    --------
    >>> counts = pd.DataFrame({"yes": [4, 14], "n": [236, 531]}, index=["two prosocial", "one of each"])
    >>> ax = shares(counts, label="games walked away from")
    >>> [text.get_text() for text in ax.texts]
    ['4 of 236', '14 of 531']
    """
    check_table(counts, ["yes", "n"], "counts")
    yes, n = (counts[name].to_numpy(dtype=float) for name in ("yes", "n"))
    if (n == 0).any():
        raise DesignError(f"the group {counts.index[n == 0][0]!r} has no observation; leave it out")
    names = [wrapped(str(name)) for name in counts.index]
    ax = axes_for(ax, width=ONE, height=min(TALLEST, 0.65 + 0.37 * len(names)))
    share, places = 100 * yes / n, np.arange(len(names))[::-1]
    reach = None
    if confidence_level is not None:
        if {"low", "high"} <= set(counts.columns):
            low, high = (counts[name].to_numpy(dtype=float) for name in ("low", "high"))
        else:
            interval = proportion(yes, n).confidence_interval(confidence_level)
            low, high = np.asarray(interval.low), np.asarray(interval.high)
        reach = [np.maximum(share - 100 * low, 0), np.maximum(100 * high - share, 0)]
    ax.errorbar(share, places, xerr=reach, fmt="o", markersize=5, color=colours(1)[0], capsize=2.5, linewidth=1.2)
    most = float(np.max(share if reach is None else share + reach[1], initial=0.0))
    least = float(np.min(share if reach is None else share - reach[0], initial=100.0))
    start = 0.0 if least < 0.4 * most else max(0.0, least - 0.15 * (most - least))
    end = min(100.0, most + 0.1 * (most - start)) if most > start else 100.0
    ax.set_xlim(start - 0.02 * (end - start), end + 0.02 * (end - start))
    for at, place, part, whole in zip(share, places, yes, n, strict=True):
        side = "left" if at < start + 0.15 * (end - start) else "right" if at > end - 0.15 * (end - start) else "center"
        ax.annotate(
            f"{part:,.0f} of {whole:,.0f}", (at, place), (0, 5), textcoords="offset points", ha=side, va="bottom",
            fontsize=letters(ax),
        )  # fmt: skip
    ax.set_yticks(places, names)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(-0.45, len(names) - 0.35)
    ax.set_xlabel(wrapped(f"{label} (%)", 48))
    despine(ax)
    wilson = "" if {"low", "high"} <= set(counts.columns) else " (Wilson)"
    is_single = len(counts) == 1
    level = f"{100 * (confidence_level or 0):g}% CI"
    bars = f"the bar is its {level}{wilson}" if is_single else f"bars are {level}s{wilson}"
    bars = "no intervals" if confidence_level is None else bars
    points = "The point is the share" if is_single else "Points are shares"
    captioned(ax, caption, f"{points} of {n.sum():,.0f} {unit or 'observations'}; {bars}")
    return ax


def ordered_answers(
    counts: pd.DataFrame, *, label: str, unit: str = "answers", caption: str = "", ax: Axes | None = None
) -> Axes:
    r"""Draw how a group's answers lie around the middle of their scale: low ones to the left, high ones to the right.

    Parameters
    ----------
    counts
        A row a group and a column an answer, from the lowest to the highest: two to seven.
    label
        What was asked.
    unit
        What is counted, in the plural: "people".
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
        If there is one answer or more than seven, or a group has no answer.

    Notes
    -----
    Drawn after Robbins and Heiberger (2011).

    References
    ----------
    Robbins, N. B., & Heiberger, R. M. (2011). Plotting Likert and other rating scales. Proceedings of the Section on
    Survey Research Methods, JSM, 1058–1066.

    Examples
    --------
    >>> counts = pd.DataFrame({"no": [2, 1], "perhaps": [2, 5], "yes": [6, 4]}, index=["CL", "FC"])
    >>> ax = ordered_answers(counts, label="satisfied?", unit="people")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['CL\nn = 10', 'FC\nn = 10']
    """
    check_table(counts, [], "counts")
    answers = [str(name) for name in counts.columns]
    if not 2 <= len(answers) <= _LONGEST:
        raise DesignError(f"counts has {len(answers)} answers; ordered answers are drawn of 2 to {_LONGEST}")
    sizes = counts.sum(axis=1).to_numpy(dtype=float)
    if (sizes == 0).any():
        raise DesignError(f"the group {counts.index[sizes == 0][0]!r} has no observation; leave it out")
    names = [f"{wrapped(str(name))}\nn = {size:,.0f}" for name, size in zip(counts.index, sizes, strict=True)]
    ax = axes_for(ax, width=TWO, height=min(TALLEST, 1.15 + 0.42 * len(names)))
    share, places = 100 * counts.to_numpy(dtype=float) / sizes[:, None], np.arange(len(names))[::-1]
    half = len(answers) // 2
    left_edges = -share[:, :half].sum(axis=1) - (share[:, half] / 2 if len(answers) % 2 else 0)
    for answer, parts, (fill, hatch) in zip(answers, share.T, _fills(len(answers)), strict=True):
        ax.barh(
            places, parts, left=left_edges, color=fill, hatch=hatch, edgecolor="#333333", linewidth=0.4, height=0.55,
            label=answer,
        )  # fmt: skip
        ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85} if hatch else None
        for at, start, part in zip(places, left_edges, parts, strict=True):
            if part >= _ROOM_PERCENT:
                ax.text(
                    start + part / 2, at, f"{part:.0f}", ha="center", va="center", fontsize=letters(ax), bbox=ground,
                    color="white" if fill in _HIGH[1:] else INK,
                )  # fmt: skip
        left_edges = left_edges + parts
    ax.axvline(0, color=INK, linewidth=0.6)
    ax.set_yticks(places, names)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(-0.5, len(names) - 0.45)
    ticks = [tick for tick in ax.get_xticks() if ax.get_xlim()[0] <= tick <= ax.get_xlim()[1]]
    ax.set_xticks(ticks, [f"{abs(tick):g}" for tick in ticks])
    middle = (
        f"from the middle of “{answers[half]}”" if len(answers) % 2 else f"“{answers[half]}” and above at the right"
    )
    ax.set_xlabel(wrapped(f"{label}: % of {unit}, {middle}", 90))
    despine(ax)
    captioned(ax, caption, f"Shares below {_ROOM_PERCENT:g}% are not labeled")
    _key(ax, answers)
    return ax


def _key(ax: Axes, answers: Sequence[str]) -> None:
    """Put the answers over the bars, in their order; on two rows where they are long."""
    figure = ax.get_figure()
    columns = len(answers) if sum(map(len, answers)) + 6 * len(answers) <= 125 else (len(answers) + 1) // 2
    options = {"ncols": columns, "frameon": False, "handlelength": 1.3, "columnspacing": 1.0, "fontsize": letters(ax)}
    if figure is not None and len(figure.axes) == 1:
        figure.legend(loc="outside lower center", **options)
    else:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.32), borderaxespad=0, **options)


def _fills(count: int) -> list[tuple[str, str]]:
    """Return the fill and hatch of each answer, from the ends inwards to the middle."""
    half = count // 2
    low = [(_LOW[place], _HATCHES[place]) for place in ({1: (0,), 2: (0, 2), 3: (0, 1, 2)}[half])]
    high = [(_HIGH[place], "") for place in ({1: (2,), 2: (0, 2), 3: (0, 1, 2)}[half])]
    return [*low, *([(_MIDDLE, "")] if count % 2 else []), *high]
