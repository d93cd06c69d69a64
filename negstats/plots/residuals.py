"""Residuals against the normal distribution: an assumption is looked at, not tested away."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from scipy import special

from negstats.errors import DesignError
from negstats.plots.look import COLOURS, GREY, INK, despine
from negstats.plots.style import ONE, axes_for, captioned

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
        special.betaincinv(place, n + 1 - place, at)
        for at in (0.5, (1 - confidence_level) / 2, (1 + confidence_level) / 2)
    ]
    middle, low, high = np.asarray(special.ndtri(np.array(ends)))
    ax = axes_for(ax, width=ONE, height=2.7)
    ax.fill_between(middle, centre + scale * low, centre + scale * high, color=GREY, alpha=0.25, linewidth=0)
    ax.plot(middle[[0, -1]], centre + scale * middle[[0, -1]], color=INK, linewidth=1.0)
    ax.scatter(middle, values, s=10, color=COLOURS[0], alpha=0.7, linewidths=0, rasterized=n > _CROWD, zorder=3)
    ax.set_xlabel("normal quantile (SD)")
    ax.set_ylabel(label)
    despine(ax)
    captioned(ax, caption, f"n = {n:,}; at each place the band holds {100 * confidence_level:g}% of normal samples")
    return ax


def ordered_residuals(residuals: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return residuals in their order, without missing ones; raise DesignError where they cannot be drawn."""
    values = np.sort(np.asarray(residuals, dtype=np.float64), axis=None)
    values = values[~np.isnan(values)]
    if len(values) < 3 or values[0] == values[-1]:
        raise DesignError(f"{len(values)} residuals, {len(np.unique(values))} different; give three that differ")
    return values
