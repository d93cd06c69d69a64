"""Concession curves: what each side's offers are worth to itself over the negotiation, and their mean with its band."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from negstats.plots.look import LINES, MARKERS, STRENGTH, colours, despine, whole_steps
from negstats.plots.style import (
    TWO,
    axes_for,
    caption_panels,
    captioned,
    check_table,
    keyed,
    letters,
    new_panels,
    take_caption,
    wrapped,
)
from negstats.sanitize import label

NOTE = "Thick: mean; band: {}; thin: one negotiator of a game"


def concession_curves(
    offers: pd.DataFrame,
    summary: pd.DataFrame | None = None,
    *,
    x: str = "round",
    y: str = "value_proposer",
    by: str = "proposer",
    one: tuple[str, ...] = ("game_id", "proposer"),
    labels: tuple[str, str],
    band_name: str = "95% CI",
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw one thin line for each negotiator of each game, and over them the mean of each group with its band.

    Parameters
    ----------
    offers
        A row an offer.
    summary
        The means to draw: the columns `by`, `x`, ``n``, ``mean``, ``low`` and ``high``; without it single lines only.
    x, y
        Columns of the time (round, seconds, share of the deadline) and of the offer's value to who made it.
    by
        Column of the groups: seat, role, condition.
    one
        Columns that together tell one line from another.
    labels
        Time and value with their units, for the axes.
    band_name
        What ``low`` and ``high`` are.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the curves.

    Raises
    ------
    DesignError
        If there is no offer with time and value.
    UsageError
        If a column is not there.

    Notes
    -----
    Games end at different times, so a mean rests on fewer negotiators the later it is: the legend gives n at the first
    and the last mean.

    Examples
    --------
    >>> offers = pd.DataFrame({"game_id": 1, "proposer": "a", "round": [1, 2], "value_proposer": [9.0, 7.0]})
    >>> ax = concession_curves(offers, labels=("round", "own value (points)"))
    >>> ax.lines[0].get_ydata().tolist()
    [9.0, 7.0]
    """
    check_table(offers, [x, y, by, *one], "offers")
    complete_offers = offers.dropna(subset=[x, y])
    check_table(complete_offers, [], "offers with time and value")
    groups = list(pd.unique(complete_offers[by]))
    own = colours(len(groups))
    ax = axes_for(ax, width=TWO, height=2.7)
    for i, group in enumerate(groups):
        rows = complete_offers[complete_offers[by] == group]
        lines = [line.sort_values(x) for _, line in rows.groupby(list(one), sort=False)]
        name = None if summary is not None else f"{group} (n = {len(lines):,})"
        for line in lines:
            ax.plot(
                line[x].to_numpy(),
                line[y].to_numpy(),
                color=own[i],
                linestyle=LINES[i % len(LINES)],
                linewidth=0.6 if summary is None else max(0.15, min(0.4, 15 / len(lines))),  # the means stand out
                marker="o" if len(line) == 1 else None,  # a line of one offer would not be seen
                markersize=2.5,
                alpha=STRENGTH,
                label=name,
            )
            name = None
    if summary is not None:
        check_table(summary, [by, x, "n", "mean", "low", "high"], "summary")
        _means(ax, summary, x, by, groups)
    whole_steps(ax, complete_offers[x])
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    despine(ax)
    captioned(ax, caption, "Lines: one negotiator of a game" if summary is None else NOTE.format(band_name))
    keyed(ax, by)
    return ax


def concession_panels(
    offers: pd.DataFrame,
    summary: pd.DataFrame | None = None,
    *,
    panels: str,
    x: str = "round",
    y: str = "value_proposer",
    by: str = "proposer",
    one: tuple[str, ...] = ("game_id", "proposer"),
    labels: tuple[str, str],
    band_name: str = "95% CI",
) -> list[Axes]:
    """Draw concession curves in small multiples, a panel for each level of a column, where in one they would overlap.

    Parameters
    ----------
    offers, summary
        As for `concession_curves`; both have the column `panels` too.
    panels
        Column whose levels have a panel each: a condition, a country. All have the same axes.
    x, y, by, one, labels, band_name
        As for `concession_curves`.

    Returns
    -------
    list of matplotlib.axes.Axes
        One a panel, in the order of the rows.

    Raises
    ------
    DesignError, UsageError
        As `concession_curves`.

    Examples
    --------
    >>> offers = pd.DataFrame({"game_id": [1, 1, 2, 2], "proposer": "a", "round": [1, 2, 1, 2]})
    >>> offers = offers.assign(value_proposer=[9.0, 7.0, 8.0, 3.0], condition=["fair", "fair", "tough", "tough"])
    >>> axes = concession_panels(offers, panels="condition", labels=("round", "own value (points)"))
    >>> [ax.get_title() for ax in axes]
    ['fair', 'tough']
    """
    check_table(offers, [panels], "offers")
    levels = list(pd.unique(offers[panels].dropna()))
    check_table(pd.DataFrame(index=range(len(levels))), [], f"offers with a {panels}")
    panel_axes: list[Axes] = new_panels(len(levels), TWO, 2.8, sharex=True, sharey=True)
    for ax, level in zip(panel_axes, levels, strict=True):
        means = None if summary is None else summary[summary[panels] == level]
        rows = offers[offers[panels] == level]
        concession_curves(rows, means, x=x, y=y, by=by, one=one, labels=labels, band_name=band_name, ax=ax)
        take_caption(ax)  # what the lines are is said once, above all panels
        ax.set_title(wrapped(label(level)), loc="center", fontsize=letters(ax))
        if ax is not panel_axes[0]:
            ax.set_ylabel("")
        if ax is not panel_axes[-1] and (legend := ax.get_legend()) is not None:
            legend.remove()
    caption_panels(panel_axes, NOTE.format(band_name) if summary is not None else "Lines: one negotiator of a game")
    return panel_axes


def _means(ax: Axes, summary: pd.DataFrame, x: str, by: str, groups: list[object]) -> None:
    own = colours(len(groups))
    for i, group in enumerate(groups):
        rows = summary[summary[by] == group].sort_values(x)
        if not len(rows):
            continue
        first, last = rows["n"].iloc[0], rows["n"].iloc[-1]
        at = rows[x].to_numpy(dtype=float)
        ax.fill_between(at, rows["low"], rows["high"], color=own[i], alpha=0.22, linewidth=0, zorder=2)
        ax.plot(
            at,
            rows["mean"].to_numpy(dtype=float),
            color=own[i],
            linestyle=LINES[i % len(LINES)],
            marker=MARKERS[i % len(MARKERS)],
            markersize=5,
            linewidth=2,
            zorder=3,
            label=f"{group} (n = {first:,.0f}" + (f" to {last:,.0f})" if last != first else ")"),
        )
