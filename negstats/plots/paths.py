"""The path of a negotiation in the plane of points: what each side proposed, one proposal after the other."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from negstats.plots.look import COLOURS, MARKERS
from negstats.plots.style import (
    TWO,
    axes_for,
    captioned,
    check_table,
    figure_of,
    keyed,
    letters,
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
