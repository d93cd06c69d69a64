"""The path of a negotiation in the plane of points: what each side proposed, one proposal after the other."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from negstats.plots._style import COLOURS, MARKERS, TWO, axes_for, check_table, keyed, letters


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
    for (at_x, at_y), rows in table.groupby(["x", "y"], sort=False):
        words = ", ".join(map(str, rows["offer"])) + (" ✓" if (rows["response"] == "accepted").any() else "")
        ax.annotate(words, (at_x, at_y), xytext=(5, 4), textcoords="offset points", fontsize=letters(ax), zorder=6)
    if any(labels):
        ax.set_xlabel(labels[0])
        ax.set_ylabel(labels[1])
    keyed(ax)
    return ax
