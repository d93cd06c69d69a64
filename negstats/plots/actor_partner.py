"""The path picture of actor and partner effects: what one's own value and the partner's do to one's outcome."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.text import Text

from negstats.plots.look import ACCENT, COLOURS, GREY, INK
from negstats.plots.style import (
    TWO,
    axes_for,
    bare,
    captioned,
    figure_of,
    letters,
    wrapped,
)
from negstats.stats.models.dyads import ActorPartner
from negstats.stats.results import apa
from negstats.stats.results.options import check_number
from negstats.stats.results.result import Interval, check_level

# Where the boxes stand, in parts of the axes: predictors to the left, outcomes to the right; the first seat above.
LEFT, RIGHT, HIGH, LOW = 0.13, 0.8, 0.84, 0.14
# How far along its path a partner effect is written: before the two paths cross.
ALONG = 0.31


def actor_partner_paths(
    result: ActorPartner,
    *,
    predictor: str = "predictor",
    outcome: str = "outcome",
    confidence_level: float = 0.95,
    alpha: float = 0.05,
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the two seats of a pair and the effects between them, with intervals; paths of p not below alpha are dashed.

    Parameters
    ----------
    result
        Of `actor_partner`. Of alike seats both actor effects are one estimate, and both partner effects.
    predictor, outcome
        What they are called in the boxes.
    confidence_level
        Of the intervals.
    alpha
        Below this p a path is whole.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the paths.

    Examples
    --------
    >>> import pandas as pd
    >>> from negstats.stats import actor_partner
    >>> frame = pd.DataFrame({"pair": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], "x": [3, 4, 5, 3, 2, 6, 8, 7, 6, 2],
    ...                       "y": [12, 10, 15, 9, 11, 14, 22, 18, 16, 8]})
    >>> ax = actor_partner_paths(actor_partner(frame, "y", "x", pair="pair"), predictor="offer", outcome="points")
    >>> ax.texts[4].get_text()
    '1.88 [1.17, 2.60]'
    """
    check_level(confidence_level)
    check_number("alpha", alpha)
    ax = axes_for(ax, width=TWO, height=3.2)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    bare(ax)
    seats = result.roles or ("person", "partner")
    box: Any = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": INK}
    # A box for each predictor and outcome, the seats one above the other.
    boxes = [
        ax.text(
            x,
            y,
            f"{wrapped(name)}\n{wrapped(str(seat))}",
            fontsize=letters(ax),
            ha="center",
            va="center",
            bbox=box,
            zorder=3,
        )
        for y, seat in zip((HIGH, LOW), seats, strict=True)
        for x, name in ((LEFT, predictor), (RIGHT, outcome))
    ]
    # Paths lead to the outcome of the own seat (actor) and of the other (partner).
    first, second = (f"[{role}]" if result.roles else "" for role in seats)
    paths = [("actor", first, 0, 1), ("actor", second, 2, 3), ("partner", second, 0, 3), ("partner", first, 2, 1)]
    effects = [(result.coefficient(f"{kind}{seat}"), (boxes[start], boxes[end])) for kind, seat, start, end in paths]
    for effect, ends in effects:
        _write_estimate(ax, ends, effect.confidence_interval(confidence_level), float(effect.estimate))
    for effect, ends in effects:
        _draw_arrow(ax, ends, whole=float(effect.p) < alpha)
    arc: Any = {"arrowstyle": "<->", "connectionstyle": "arc3,rad=-0.35", "color": GREY, "linewidth": 1.2}
    ax.annotate("", xy=(RIGHT + 0.02, LOW + 0.13), xytext=(RIGHT + 0.02, HIGH - 0.13), arrowprops=arc)
    ax.text(RIGHT + 0.1, (HIGH + LOW) / 2, f"residual\nr = {apa.bounded(result.correlation)}", va="center",
            fontsize=letters(ax))  # fmt: skip
    dashed = f"dashed: not significant (α = {apa.bounded(alpha)})"
    alike = "" if result.roles else "; both seats share the estimates"
    captioned(ax, caption, f"Slopes with {100 * confidence_level:g}% CIs, n = {result.pairs:,} pairs; {dashed}{alike}")
    figure_of(ax).draw_without_rendering()
    return ax


def _is_diagonal(ends: tuple[Text, Text]) -> bool:
    return ends[0].get_position()[1] != ends[1].get_position()[1]


def _draw_arrow(ax: Axes, ends: tuple[Text, Text], *, whole: bool) -> None:
    """Draw an arrow from box to box."""
    colour = ACCENT if _is_diagonal(ends) else COLOURS[0]
    look: Any = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.6, "linestyle": "-" if whole else "--"}
    look |= {"patchA": ends[0].get_bbox_patch(), "patchB": ends[1].get_bbox_patch()}
    ax.annotate("", xy=ends[1].get_position(), xytext=ends[0].get_position(), zorder=1, arrowprops=look)


def _write_estimate(ax: Axes, ends: tuple[Text, Text], interval: Interval, estimate: float) -> None:
    """Write an estimate and its interval beside an actor's path, or on a partner's."""
    (x0, y0), (x1, y1) = (box.get_position() for box in ends)
    digits = apa.decimals_of(abs(estimate) or None)
    middle, low, high = (apa.number(float(value), digits) for value in (estimate, interval.low, interval.high))
    words = f"{middle} [{low}, {high}]"
    look: dict[str, Any]
    if _is_diagonal(ends):
        place, look = (x0 + ALONG * (x1 - x0), y0 + ALONG * (y1 - y0)), {"va": "center", "color": ACCENT}
        look["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    else:
        is_upper = y0 > (HIGH + LOW) / 2
        place, look = ((x0 + x1) / 2, y0 + (0.03 if is_upper else -0.03)), {"va": "bottom" if is_upper else "top"}
        look["color"] = COLOURS[0]
    ax.text(*place, words, ha="center", fontsize=letters(ax), zorder=2, **look)
