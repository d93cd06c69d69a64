"""Figures that check a model or a measure: residuals, calibration, limits of agreement, robustness to a prior."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from scipy import special

from negstats.errors import DesignError
from negstats.plots.look import COLOURS, GREY, INK, LINES, colours
from negstats.plots.style import ONE, TWO, axes_for, check_table, finish, letters
from negstats.stats.results.apa import number

if TYPE_CHECKING:
    from negstats.stats.agreement.measurements import BlandAltman

_CROWD = 2000


def residual_quantiles(
    residuals: npt.ArrayLike, *, label: str, confidence_level: float = 0.95, caption: str = "", ax: Axes | None = None
) -> Axes:
    """Draw residuals in their order against what a normal sample of that size would give, with its band.

    Parameters
    ----------
    residuals
        What is left of each value when its cell's mean (or the fitted line) is taken away; missing ones are left out.
    label
        What they are, with their unit, for the axis.
    confidence_level
        Level of the band: each ordered value of a normal sample lies in it so often (pointwise).
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the points and their band.

    Raises
    ------
    DesignError
        If there are fewer than three, or all are equal.

    Notes
    -----
    The i-th of n ordered uniform values is Beta(i, n + 1 - i); its median and its quantiles are brought to the normal
    distribution (Aldor-Noiman et al., 2013, call this the pointwise band).

    References
    ----------
    Aldor-Noiman, S., Brown, L. D., Buja, A., Rolke, W., & Stine, R. A. (2013). The power to see: A new graphical test
    of normality. The American Statistician, 67, 249–260.

    Examples
    --------
    >>> ax = residual_quantiles([-1.0, 0.2, 0.1, 0.7], label="residual (points)")
    >>> ax.collections[-1].get_offsets()[:, 1].tolist()
    [-1.0, 0.1, 0.2, 0.7]
    """
    values = ordered_residuals(residuals)
    n, centre, scale = len(values), values.mean(), values.std(ddof=1)
    place = np.arange(1, n + 1)
    ends = [
        special.betaincinv(place, n + 1 - place, quantile)
        for quantile in (0.5, (1 - confidence_level) / 2, (1 + confidence_level) / 2)
    ]
    middle, low, high = np.asarray(special.ndtri(np.array(ends)))
    ax = axes_for(ax, width=ONE, height=2.7)
    ax.fill_between(middle, centre + scale * low, centre + scale * high, color=GREY, alpha=0.25, linewidth=0)
    ax.plot(middle[[0, -1]], centre + scale * middle[[0, -1]], color=INK, linewidth=1.0)
    ax.scatter(middle, values, s=10, color=COLOURS[0], alpha=0.7, linewidths=0, rasterized=n > _CROWD, zorder=3)
    drawn = f"n = {n:,}; at each place the band holds {100 * confidence_level:g}% of normal samples"
    return finish(ax, ("normal quantile (SD)", label), caption, drawn, key=None)


def ordered_residuals(residuals: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return residuals in their order, without missing ones; raise DesignError where they cannot be drawn."""
    values = np.sort(np.asarray(residuals, dtype=np.float64), axis=None)
    values = values[~np.isnan(values)]
    if len(values) < 3 or values[0] == values[-1]:
        raise DesignError(f"{len(values)} residuals, {len(np.unique(values))} different; give three that differ")
    return values


def calibration(
    table: pd.DataFrame, *, label: str = "forecast probability", outcome: str = "share that came true",
    caption: str = "", ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the share of games in which a forecast came true over the mean forecast, in bins, beside the diagonal.

    Parameters
    ----------
    table
        What `negstats.estimate.Forecast.calibration` gives: ``probability``, ``share``, ``low``, ``high``, ``games``;
        with a column ``turn``, a curve for each turn.
    label, outcome
        Of the two axes.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the curve: on the diagonal forecasts are as often true as they say.

    Raises
    ------
    UsageError, DesignError
        If a column is not there, or no row.

    Examples
    --------
    >>> import pandas as pd
    >>> bins = pd.DataFrame({"probability": [0.2, 0.7], "share": [0.3, 0.6], "low": [0.1, 0.4], "high": [0.5, 0.8],
    ...                      "games": [20, 20]})
    >>> calibration(bins).get_xlabel()
    'forecast probability'
    """
    check_table(table, ["probability", "share", "low", "high", "games"], "table")
    turns = list(dict.fromkeys(table["turn"])) if "turn" in table else [None]
    ax = axes_for(ax, width=TWO if len(turns) > 1 else ONE, height=ONE)
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1.0, linestyle=(0, (3, 3)), zorder=0)
    for place, (turn, colour) in enumerate(zip(turns, colours(len(turns)), strict=True)):
        rows = (table if turn is None else table[table["turn"] == turn]).sort_values("probability")
        x, share, low, high = (rows[name].to_numpy(dtype=float) for name in ("probability", "share", "low", "high"))
        # A limit of Wilson's interval may lie a rounding error inside the share itself.
        reach = np.maximum([share - low, high - share], 0.0)
        name = "" if turn is None else f"turn {turn} (n = {int(rows['games'].sum()):,})"
        style = LINES[place % len(LINES)]
        ax.errorbar(
            x, share, yerr=reach, color=colour, linestyle=style, marker="o", markersize=4, capsize=2, label=name
        )
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    return finish(ax, (label, outcome), caption, key="forecast after" if len(turns) > 1 else "")


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
    labels = (f"mean of {result.first} and {result.second} ({unit})", f"{result.first} − {result.second} ({unit})")
    clustered = f" in {result.clusters} clusters" if result.clusters else ""
    sample_note = f"n = {result.n:,}{clustered}; dashed: limits that hold {100 * result.share:g}% of differences"
    band_note = f"band: {100 * confidence_level:g}% CI of the bias"
    return finish(ax, labels, caption, f"{sample_note}; {band_note}", key=None)


def prior_robustness(
    table: pd.DataFrame, *, scale: float | None = None, label: str = "scale of the prior (r)", caption: str = "",
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw Bayes factors over widths of the prior, with lines at 1/3, 1 and 3.

    Parameters
    ----------
    table
        What `negstats.stats.bayes.prior_robustness` gives: ``scale``, ``model``, ``bf10``.
    scale
        The width that is reported: marked.
    label
        Of the axis.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the curve.

    Raises
    ------
    UsageError, DesignError
        If a column is not there, or no row.

    Examples
    --------
    >>> from negstats.stats.bayes import prior_robustness as over_widths, regression_evidence
    >>> ax = prior_robustness(over_widths(lambda r: regression_evidence(0.22, 40, 2, prior_scale=r)), scale=0.354)
    >>> ax.get_yscale()
    'log'
    """
    check_table(table, ["scale", "model", "bf10"], "table")
    ax = axes_for(ax, width=TWO, height=3.0)
    models = list(dict.fromkeys(table["model"]))
    for place, (model, colour) in enumerate(zip(models, colours(len(models)), strict=True)):
        rows = table[table["model"] == model].sort_values("scale")
        x, y = rows["scale"].to_numpy(dtype=float), rows["bf10"].to_numpy(dtype=float)
        ax.plot(x, y, color=colour, linestyle=LINES[place % len(LINES)], linewidth=1.8, label=str(model))
        if scale is not None:
            at = float(np.exp(np.interp(np.log(scale), np.log(x), np.log(y))))
            ax.scatter([scale], [at], color=colour, edgecolors="white", s=40, zorder=4)
    for height, width in ((1 / 3, 0.6), (1.0, 1.0), (3.0, 0.6)):
        ax.axhline(height, color=GREY, linewidth=width, linestyle="-" if height == 1 else (0, (3, 3)), zorder=0)
    ax.set_yscale("log")
    # Plain numbers at 0.1, 0.3, 1, 3, 10: a Bayes factor of 0.3 is read as such, 3 × 10⁻¹ is not.
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 3)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, 0.25), max(high, 4.0))
    return finish(ax, (label, "BF₁₀ (log scale)"), caption, key="model" if len(models) > 1 else "")
