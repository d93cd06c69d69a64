"""Shares as points with Wilson's intervals, and ordered answers as shares around the middle of their scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from negstats.errors import DesignError
from negstats.plots.look import INK, colours
from negstats.plots.style import (
    ONE,
    TALLEST,
    TWO,
    axes_for,
    captioned,
    check_table,
    letters,
    wrapped,
)
from negstats.stats import proportion

# Brown to green, as in ColorBrewer's BrBG; both ends have one lightness, so the low side is hatched.
_LOW, _MIDDLE, _HIGH = ("#8C510A", "#BF812D", "#DFC27D"), "#F0F0F0", ("#80CDC1", "#35978F", "#01665E")
_HATCHES = ("/////", "////", "//")
_ROOM = 6.0  # least percentage whose number fits into its bar
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
    ax.spines[["top", "right"]].set_visible(False)
    wilson = "" if {"low", "high"} <= set(counts.columns) else " (Wilson)"
    one = len(counts) == 1
    bars = "no intervals" if confidence_level is None else (
        f"{'the bar is its' if one else 'bars are'} {100 * confidence_level:g}% CI{'' if one else 's'}{wilson}"
    )  # fmt: skip
    points = "The point is the share" if one else "Points are shares"
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
            if part >= _ROOM:
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
    ax.spines[["top", "right"]].set_visible(False)
    captioned(ax, caption, f"Shares below {_ROOM:g}% are not labeled")
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
