"""Offers over time: concessions by round or time, and the path of the offers through the outcome space."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from negstats.plots.look import COLOURS, LINES, MARKERS, STRENGTH, colours, whole_steps
from negstats.plots.style import (
    TWO,
    axes_for,
    caption_panels,
    captioned,
    check_table,
    figure_of,
    finish,
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
    drawn = "Lines: one negotiator of a game" if summary is None else NOTE.format(band_name)
    return finish(ax, labels, caption, drawn, key=by)


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
        x_values = rows[x].to_numpy(dtype=float)
        ax.fill_between(x_values, rows["low"], rows["high"], color=own[i], alpha=0.22, linewidth=0, zorder=2)
        ax.plot(
            x_values,
            rows["mean"].to_numpy(dtype=float),
            color=own[i],
            linestyle=LINES[i % len(LINES)],
            marker=MARKERS[i % len(MARKERS)],
            markersize=5,
            linewidth=2,
            zorder=3,
            label=f"{group} (n = {first:,.0f}" + (f" to {last:,.0f})" if last != first else ")"),
        )


# Where a number may stand beside its mark, in points, the usual place first; far ones where many marks are near.
_SIDES = tuple(
    (x * far, y * far)
    for far in (1, 2.2, 3.4, 4.6)
    for x, y in ((5, 4), (5, -4), (-5, 4), (-5, -4), (0, 6), (0, -6), (7, 0), (-7, 0))
)


def offer_paths(
    offers: pd.DataFrame,
    seats: tuple[str, str],
    *,
    labels: tuple[str, str] = ("", ""),
    ax: Axes | None = None,
) -> Axes:
    """Draw one game's offers in the plane of points, one numbered path for each seat, such as over `outcome_space`.

    Parameters
    ----------
    offers
        Offers of one game, as in a study: `offer`, `proposer`, `value_proposer`, `value_responder`, `response`.
    seats
        Whose points are along x, and whose along y.
    labels
        What the axes say, with units; they stay as they are if not given.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the paths.

    Raises
    ------
    DesignError
        If there is no offer.
    UsageError
        If a column is not there.

    Examples
    --------
    >>> offers = pd.DataFrame({"offer": [1, 2], "proposer": ["A", "B"], "value_proposer": [8.0, 9.0],
    ...                        "value_responder": [2.0, 4.0], "response": ["superseded", "accepted"]})
    >>> ax = offer_paths(offers, ("A", "B"))
    >>> [line.get_xydata().tolist() for line in ax.lines]
    [[[8.0, 2.0]], [[4.0, 9.0]]]
    """
    check_table(offers, ["offer", "proposer", "value_proposer", "value_responder", "response"], "offers")
    is_new = ax is None
    ax = axes_for(ax, width=TWO, height=3.2)
    first = offers["proposer"] == seats[0]
    table = offers.assign(
        x=offers["value_proposer"].where(first, offers["value_responder"]),
        y=offers["value_responder"].where(first, offers["value_proposer"]),
    ).sort_values("offer")
    for i, seat in enumerate(seats):
        rows = table[table["proposer"] == seat]
        colour = COLOURS[i]
        ax.plot(
            rows["x"].to_numpy(),
            rows["y"].to_numpy(),
            color=colour,
            marker=MARKERS[i + 1],
            markersize=6,
            linewidth=1.1,
            linestyle=("--", ":")[i],
            label=f"proposed by {seat}",
            zorder=5,
        )
    if any(labels):
        ax.set_xlabel(labels[0])
        ax.set_ylabel(labels[1])
    if is_new:
        captioned(ax, "Numbers: order of the offers; ✓: accepted")
    keyed(ax)
    _number_offers(ax, table)
    return ax


def _number_offers(ax: Axes, table: pd.DataFrame) -> None:
    """Write the number of each offer beside its mark, to the side where it lies over no other number."""
    figure_of(ax).draw_without_rendering()
    taken: list[Bbox] = []
    for (at_x, at_y), rows in table.groupby(["x", "y"], sort=False):
        words = ", ".join(map(str, rows["offer"])) + (" ✓" if (rows["response"] == "accepted").any() else "")
        number = ax.annotate(
            words, (at_x, at_y), xytext=(5, 4), textcoords="offset points", fontsize=letters(ax), zorder=6
        )
        for x, y in _SIDES:
            number.set_position((x, y))
            number.set_horizontalalignment("left" if x > 0 else "right" if x < 0 else "center")
            number.set_verticalalignment("center" if y == 0 else "bottom" if y > 0 else "top")
            box = number.get_window_extent()
            if not any(box.overlaps(other) for other in taken):
                break
        taken.append(box)
