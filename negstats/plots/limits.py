"""Bland and Altman's figure: the difference of two measures against their mean, with the limits of agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from negstats.plots.look import GREY, colours, despine
from negstats.plots.style import TWO, axes_for, captioned, letters
from negstats.stats.results.apa import number

if TYPE_CHECKING:
    from negstats.stats.agreement.measurements import BlandAltman


def limits_of_agreement(
    result: BlandAltman, *, unit: str, caption: str = "", confidence_level: float = 0.95, ax: Axes | None = None
) -> Axes:
    """Draw each pair of measures, the bias with its interval, and the limits.

    Parameters
    ----------
    result
        Of `bland_altman`.
    unit
        What both measures count, for the axes.
    caption
        What the figure shows.
    confidence_level
        Level of the bias' interval.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the pairs and the limits.

    Examples
    --------
    >>> from negstats.stats import bland_altman
    >>> result = bland_altman({"one": [9, 6, 8, 7, 10, 6], "four": [8, 2, 8, 6, 9, 7]}, "one", "four")
    >>> ax = limits_of_agreement(result, unit="points")
    >>> [round(float(line.get_ydata()[0]), 2) for line in ax.lines]
    [1.0, -2.28, 4.28]
    """
    ax = axes_for(ax, width=TWO, height=2.8)
    colour = colours(1)[0]
    ax.scatter(result.mean, result.difference, s=18, color=colour, alpha=0.7, edgecolors="white", linewidths=0.4)
    ends = result.confidence_interval(confidence_level)
    ax.axhspan(float(ends.low), float(ends.high), color=colour, alpha=0.13, linewidth=0)
    ax.axhline(result.bias, color=colour, linewidth=1.6)
    for limit in (result.low, result.high):
        ax.axhline(limit, color=GREY, linestyle="--", linewidth=1.4)
    for height, name in ((result.bias, "bias"), (result.low, "lower limit"), (result.high, "upper limit")):
        ax.annotate(
            f"{name} {number(height)}", (1, height), xycoords=ax.get_yaxis_transform(), xytext=(4, 0),
            textcoords="offset points", va="center", fontsize=letters(ax), annotation_clip=False,
        )  # fmt: skip
    ax.set_xlabel(f"mean of {result.first} and {result.second} ({unit})")
    ax.set_ylabel(f"{result.first} − {result.second} ({unit})")
    despine(ax)
    clustered = f" in {result.clusters} clusters" if result.clusters else ""
    sample_note = f"n = {result.n:,}{clustered}; dashed: limits that hold {100 * result.share:g}% of differences"
    captioned(ax, caption, f"{sample_note}; band: {100 * confidence_level:g}% CI of the bias")
    return ax
