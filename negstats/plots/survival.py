"""Curves of time: the share without an end (Kaplan and Meier) or with each of several, and the numbers at risk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from negstats.errors import DesignError
from negstats.plots.look import INK, LINES, colours
from negstats.plots.style import (
    CURVES,
    TALLEST,
    TWO,
    axes_for,
    caption_panels,
    check_table,
    figure_of,
    finish,
    group_panels,
    letters,
    wrapped,
)
from negstats.stats.time.incidence import Incidence
from negstats.stats.time.survival import Survival, kaplan_meier

# Beneath the axis and its label, in points: where the numbers at risk begin, and how far rows are apart.
BELOW, ROW = 40.0, 11.0
GROUPS = 3  # more groups with several ends have panels
_NAME = 20  # letters on a line of a group's name there


def time_curves(
    result: Survival | Incidence,
    *,
    label: str,
    events: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw survival or cumulative incidence by group, with bands and, beneath, the numbers at risk.

    Several ends of more than three groups, and one end of more than five, are drawn in a panel a group: more curves are
    not told apart in one.

    Parameters
    ----------
    result
        Of `kaplan_meier` or `cumulative_incidence`. A group has a colour; of incidence, an end has a kind of line.
    label
        The time with its unit, for the axis.
    events
        Of incidence, the ends to draw; all if not given.
    confidence_level
        Level of the bands.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the curves, the numbers at risk beneath them; of a panel a group, the first.

    Raises
    ------
    DesignError
        If an end is not among the result's.

    Examples
    --------
    >>> from negstats.stats import cumulative_incidence
    >>> games = {"rounds": [3, 5, 5, 8], "ended": ["deal", "walk", "deal", "timeout"]}
    >>> ax = time_curves(cumulative_incidence(games, "rounds", "ended", "deal", "timeout"), label="rounds")
    >>> [line.get_label() for line in ax.lines]
    ['deal', 'walk']
    """
    falling = isinstance(result, Survival)
    known_events = (result.event,) if isinstance(result, Survival) else result.events
    for event in events or ():
        if event not in known_events:
            ends = ", ".join(map(repr, known_events))
            raise DesignError(f"events: {event!r} is not an end of the result; it has {ends}")
    curve_events = tuple(events or known_events)
    has_several_events = len(curve_events) > 1
    table = result.to_frame(confidence_level)
    if ax is None and len(result.labels) > (GROUPS if has_several_events else CURVES):
        return _group_panels(result, table, curve_events, label=label, level=confidence_level, caption=caption)
    lines = sum(1 + wrapped(group, _NAME).count("\n") for group in result.labels)
    ax = axes_for(ax, width=TWO, height=min(TALLEST, 2.7 + ROW / 72 * (1 + lines)))
    for place, group in enumerate(result.labels):
        for kind, event in enumerate(curve_events):
            rows = table[table["group"] == group]
            rows = rows if falling else rows[rows["event"] == event]
            group_label = f"{group} (n = {result.n[place]:,})" if group else ""
            parts = [group_label, *([event] if has_several_events or not group else [])]
            line, faint = (kind, 0.06) if has_several_events else (place, 0.13)
            _step(ax, _from_zero(rows, 1.0 if falling else 0.0), ", ".join(filter(None, parts)), place, line, faint)
    ax.set_ylim(0, 1.02)
    ax.set_xlim(left=0)
    event_name = "each end" if has_several_events else curve_events[0]
    share = f"share without {event_name}" if falling else f"share with {event_name}"
    tick = "; tick: last seen there, without it" if falling and table["censored"].any() else ""
    band = f"Band: {100 * confidence_level:g}% CI (log-log)"
    finish(ax, (label, share), caption, f"{band}{tick}. Beneath: numbers at risk", key=result.factor)
    _numbers_beneath(ax, result)
    return ax


def _group_panels(
    result: Survival | Incidence, table: pd.DataFrame, events: Sequence[str], *, label: str, level: float, caption: str
) -> Axes:
    """Draw each group in a panel of its own, its ends as kinds of lines; the key of the ends stands in the last."""
    falling = isinstance(result, Survival)
    share = f"share {'without' if falling else 'with'} {events[0] if len(events) == 1 else 'each end'}"
    titles = [f"{group} (n = {n:,})" for group, n in zip(result.labels, result.n, strict=True)]
    axes = group_panels(titles, x_label=label, y_label=share)
    for ax, group in zip(axes, result.labels, strict=True):
        own = table[table["group"] == group]
        for kind, event in enumerate(events):
            rows = own if falling else own[own["event"] == event]
            _step(ax, _from_zero(rows, 1.0 if falling else 0.0), event, 0, kind, 0.12)
    axes[0].set_ylim(0, 1.02)
    axes[0].set_xlim(left=0)  # after all are drawn: from here on no curve makes the axis longer
    handles, names = axes[0].get_legend_handles_labels()
    if len(events) > 1:
        figure_of(axes[0]).legend(
            handles, [wrapped(name) for name in names], loc="outside lower center", ncols=len(names), frameon=False,
            fontsize=letters(axes[0]),
        )  # fmt: skip
    tick = "; tick: last seen there, without it" if falling and table["censored"].any() else ""
    panels = f"A panel for each {result.factor}" if result.factor else "A panel for each group"
    caption_panels(axes, caption, panels, f"Band: {100 * level:g}% CI (log-log){tick}")
    return axes[0]


def _from_zero(rows: pd.DataFrame, share: float) -> pd.DataFrame:
    if (rows["time"] == 0).any():
        return rows
    start = pd.DataFrame({"time": [0.0], "share": share, "low": np.nan, "high": np.nan})
    return pd.concat([start, rows], ignore_index=True)


def _step(
    ax: Axes, table: pd.DataFrame, name: str, place: int, kind: int, faint: float, falls: pd.DataFrame | None = None
) -> None:
    """Draw a curve (through all rows, or `falls`), its band, and a tick at each time that holds censored units."""
    colour = colours(place + 1)[place]
    curve = table if falls is None else falls
    ax.step(
        curve["time"].to_numpy(),
        curve["share"].to_numpy(),
        where="post",
        color=colour,
        linestyle=LINES[kind % len(LINES)],
        linewidth=1.8,
        label=name,
    )
    ax.fill_between(table["time"], table["low"], table["high"], step="post", color=colour, alpha=faint, linewidth=0)
    if "censored" in table:
        censored_rows = table[table["censored"] > 0]
        ax.plot(
            censored_rows["time"].to_numpy(),
            censored_rows["share"].to_numpy(),
            "|",
            markersize=9,
            color=colour,
            label="_nolegend_",
        )


def _numbers_beneath(ax: Axes, result: Survival | Incidence) -> None:
    """Write a row a group beneath the axis: how many are at risk at each tick."""
    low, high = ax.get_xlim()
    ax.xaxis.set_major_locator(MaxNLocator(6))
    ticks = [float(tick) for tick in ax.get_xticks() if low <= tick <= high]
    numbers = result.numbers_at_risk(ticks)
    where: Any = {"xycoords": ax.get_xaxis_transform(), "textcoords": "offset points", "annotation_clip": False}
    small: Any = {"va": "top", "fontsize": letters(ax)}
    lines = 0
    for place, group in enumerate(result.labels):
        name = wrapped(group or "at risk", _NAME)
        down = -BELOW - ROW * lines
        lines += 1 + name.count("\n")
        ax.annotate(name, (low, 0), (-18, down), ha="right", color=INK, **where, **small)
        for tick, number in zip(ticks, numbers.to_numpy()[place], strict=True):
            ax.annotate(str(number), (tick, 0), (0, down), ha="center", **where, **small)


def survival_to_agreement(
    games: pd.DataFrame,
    *,
    time: str = "rounds",
    agreed: str = "agreed",
    by: str | None = None,
    label: str,
    confidence_level: float = 0.95,
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the Kaplan-Meier share of games that have not agreed by each time, a curve a group.

    Parameters
    ----------
    games
        A row a game: when it ended, and whether with an agreement (truth values). A game that ended otherwise is
        censored: it counts as not agreed up to its end, and is marked there.
    time, agreed, by
        Names of the columns; `by` is the groups' (none: one curve).
    label
        The time with its unit, for the axis.
    confidence_level
        Level of the band.
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
        If there is no game, a time is missing or negative, or no game ended with an agreement.
    UsageError
        If a column is not there.

    Notes
    -----
    The curve is that of Kaplan and Meier (1958); the band is Greenwood's on the log-minus-log scale, which stays
    between 0 and 1.

    References
    ----------
    Kaplan, E. L., & Meier, P. (1958). Nonparametric estimation from incomplete observations. Journal of the American
    Statistical Association, 53, 457–481.

    Examples
    --------
    >>> games = pd.DataFrame({"rounds": [1, 2, 3, 4], "agreed": [True, True, False, True]})
    >>> ax = survival_to_agreement(games, label="rounds")
    >>> ax.lines[0].get_ydata().tolist()
    [1.0, 0.75, 0.5, 0.0]
    """
    groups = [("", games)] if by is None else []
    check_table(games, [time, agreed, *([] if by is None else [by])], "games")
    if by is not None:
        groups = [(str(name), rows) for name, rows in games.groupby(by, sort=False)]
    if not games[agreed].astype(bool).any():
        raise DesignError("no game ended with an agreement; there is no curve to draw")
    share, band = "share not yet agreed", f"Band: {100 * confidence_level:g}% CI (log-log)"
    tick = "tick: ended without agreement, censored there"
    has_panels = ax is None and len(groups) > CURVES
    counts = [f"n = {len(rows):,}, {rows[agreed].astype(bool).sum():,} agreed" for _, rows in groups]
    names = [f"{name} ({count})" if name else count for (name, _), count in zip(groups, counts, strict=True)]
    axes = (
        group_panels(
            [f"{name}\n({count})" for (name, _), count in zip(groups, counts, strict=True)],
            x_label=label,
            y_label=share,
        )
        if has_panels
        else [axes_for(ax, width=TWO, height=2.7)] * max(1, len(groups))  # none where no game has a group
    )
    for i, (own, name, (_, rows)) in enumerate(zip(axes, names, groups, strict=False)):
        table = not_yet_agreed(rows, time=time, agreed=agreed, confidence_level=confidence_level)
        place = 0 if has_panels else i
        # The step goes down at agreements only; times that hold nothing but censored games are marked on it.
        falls = table[(table["agreed"] > 0) | (table.index == 0) | (table.index == table.index[-1])]
        _step(own, table, name, place, place, 0.13, falls)
    axes[0].set_ylim(0, 1.02)
    axes[0].set_xlim(left=0)
    if has_panels:
        caption_panels(axes, caption, f"A panel for each {by}", f"{band}; {tick}")
        return axes[0]
    return finish(axes[0], (label, share), caption, f"{band}; {tick}", key=by or "")


def not_yet_agreed(games: pd.DataFrame, *, time: str, agreed: str, confidence_level: float = 0.95) -> pd.DataFrame:
    """Return one row a time (and 0): games at risk, agreed and censored there, share not yet agreed, low and high.

    The numbers that `survival_to_agreement` draws for one group; the band is missing where the share is 1 or 0.

    Raises
    ------
    DesignError
        If there is no game, or a time is missing or negative.
    UsageError
        If a column is not there.
    """
    check_table(games, [time, agreed], "games")
    ends = games[time].to_numpy(dtype=float)
    if np.isnan(ends).any() or (ends < 0).any():
        row = int((np.isnan(ends) | (ends < 0)).argmax())
        raise DesignError(f"games: {time!r} is {ends[row]} in row {row}; give when each game ended")
    yes = games[agreed].to_numpy(dtype=bool)
    table = kaplan_meier({time: ends, agreed: yes}, time, agreed).to_frame(confidence_level)
    table = table.drop(columns=["group", "se"]).rename(columns={"events": "agreed"})
    if table["time"].iloc[0] == 0:
        return table
    start = pd.DataFrame({"time": [0.0], "at_risk": len(ends), "agreed": 0, "censored": 0, "share": 1.0})
    return pd.concat([start.assign(low=np.nan, high=np.nan), table], ignore_index=True)
