"""How a Bayes factor depends on the width of its prior."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from negstats.plots.look import GREY, LINES, colours, despine
from negstats.plots.style import TWO, axes_for, captioned, check_table, keyed


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
    ax.set_xlabel(label)
    ax.set_ylabel("BF₁₀ (log scale)")
    despine(ax)
    captioned(ax, caption)
    keyed(ax, "model" if len(models) > 1 else "")
    return ax
