"""The favor game (mell2015): what is owed over time, acceptance by state, and joint value beside what is printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from negstats.errors import UsageError
from negstats.plots.cells import cell_means
from negstats.plots.style import TWO, axes_for, check_table, keyed


def ledger_over_time(
    ledgers: pd.DataFrame,
    by: str | None = None,
    *,
    column: str = "ledger",
    label: str = "favors the agent owes",
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the mean ledger after each negotiation with its interval; the sessions are the units.

    Parameters
    ----------
    ledgers
        A row a session and negotiation, as `negstats.metrics.favors.ledger` gives them, with the factor `by` beside.
        Sessions whose ledger is missing are left out where it is.
    by
        The factor with a line for each level.
    column, label
        What is drawn, and its name with the unit.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the lines.

    Raises
    ------
    UsageError
        If a column is not there, or a session has two rows for one negotiation.
    DesignError
        If there is no row.

    Examples
    --------
    >>> ledgers = pd.DataFrame({"session": ["s", "s", "t", "t"], "negotiation": [1, 2] * 2, "ledger": [1, 0, 0, 0.0]})
    >>> ledger_over_time(ledgers).lines[0].get_ydata().tolist()
    [0.5, 0.0]
    """
    factors = ["negotiation"] if by is None else ["negotiation", by]
    check_table(ledgers, ["session", *factors, column], "ledgers")
    if ledgers.duplicated(["session", "negotiation"]).any():
        raise UsageError(
            "ledgers: a session has two rows for one negotiation; give one row per session and negotiation"
        )
    means = (
        ledgers.groupby(factors, sort=False, observed=True)[column].agg(n="count", mean="mean", se="sem").reset_index()
    )
    ax = axes_for(ax, width=TWO)  # room for the n of several lines
    ax = cell_means(means, "negotiation", by, label=label, bars_name="95% CI, sessions", caption=caption, ax=ax)
    ax.axhline(0, color="black", linewidth=0.6, zorder=0)
    ax.set_xlabel("after negotiation")
    return ax


def state_acceptance(
    rates: pd.DataFrame, by: str | None = None, *, negotiation: int = 3, caption: str = "", ax: Axes | None = None
) -> Axes:
    """Draw how often the offer after a pair of negotiations is accepted, by the state that they led to.

    Parameters
    ----------
    rates
        As `negstats.metrics.favors.acceptance_by_state` gives them: `state`, `n`, `rate`, `low`, `high`, `level`.
    by
        A further factor of the table, with marks of its own.
    negotiation
        Whose offer it is.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the shares.

    Raises
    ------
    UsageError
        If a column is not there.
    DesignError
        If there is no row.

    Examples
    --------
    >>> rates = pd.DataFrame({"state": ["betrayal"], "n": [16], "rate": [0.25], "low": [0.1], "high": [0.5],
    ...                       "level": [0.95]})
    >>> state_acceptance(rates).get_ylabel()
    'accept in negotiation 3 (share of sessions)'
    """
    check_table(rates, ["state", "n", "rate", "low", "high", "level"], "rates")
    ax = cell_means(
        rates.rename(columns={"rate": "mean"}),
        "state",
        by,
        label=f"accept in negotiation {negotiation} (share of sessions)",
        bars="given",
        bars_name=f"{100 * rates['level'].iloc[0]:g}% CI (Wilson)",
        caption=caption,
        joined=False,
        ax=ax,
    )
    ax.set_ylim(-0.03, 1.03)
    return ax


def joint_value_by_condition(
    sessions: pd.DataFrame,
    x: str = "language",
    lines: str = "returns",
    *,
    column: str = "joint_value",
    printed: Mapping[Any, float] | None = None,
    label: str = "joint value, negotiation 5 (points)",
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the mean of a value in each condition with its interval, and the printed means of `x` across it.

    Parameters
    ----------
    sessions
        A row a session: the two factors and the value.
    x, lines
        The factor along the axis, and the one with a line for each level.
    column
        What is drawn, a column of `sessions`.
    printed
        Printed means by level of `x`, over the levels of `lines`.
    label
        Its name with the unit.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the means.

    Raises
    ------
    UsageError
        If a column is not there, or `printed` names a level that is none.
    DesignError
        If there is no row.

    Examples
    --------
    >>> sessions = pd.DataFrame({"language": ["favor", "generic"] * 2, "returns": "returned",
    ...                          "joint_value": [24, 20, 26, 22]})
    >>> ax = joint_value_by_condition(sessions, printed={"favor": 25.03, "generic": 22.19})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['printed (mell2015)', 'returned']
    """
    check_table(sessions, [x, lines, column], "sessions")
    levels = list(pd.unique(sessions[x]))
    unknown = [level for level in printed or {} if level not in levels]
    if unknown:
        raise UsageError(f"printed names {unknown[0]!r}, which is not a level of {x!r}; there are {levels}")
    means = (
        sessions.groupby([x, lines], sort=False, observed=True)[column]
        .agg(n="count", mean="mean", se="sem")
        .reset_index()
    )
    ax = cell_means(means, x, lines, label=label, caption=caption, ax=ax)
    if printed:
        places = [levels.index(level) for level in printed]
        ax.hlines(
            list(printed.values()),
            [place - 0.28 for place in places],
            [place + 0.28 for place in places],
            color="black",
            linestyle="dashed",
            linewidth=1.2,
            label="printed (mell2015)",
        )
        keyed(ax, lines)
    return ax
