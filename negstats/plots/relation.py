"""A number against a number: every unit, and the least-squares line with its band, a line for each group."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes

from negstats.plots.look import INK, LINES, MARKERS, colours, seen, whole_steps
from negstats.plots.style import CURVES, ONE, TWO, axes_for, caption_panels, check_table, finish, group_panels
from negstats.stats.results.intervals import quantile

_CROWD = 2000  # points beyond which a figure of single marks is as large as a picture of them
_PLACES = 60  # at which the band is drawn


def relation(
    table: pd.DataFrame,
    *,
    x: str,
    y: str,
    labels: tuple[str, str],
    by: str | None = None,
    lined: bool = True,
    banded: bool = True,
    confidence_level: float = 0.95,
    unit: str = "rows",
    crossed: Mapping[float, str] | None = None,
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw each row as a point, and for each group the least-squares line with the band of its mean.

    More than five groups have a panel each: more are not told apart in one.

    Parameters
    ----------
    table
        A row a unit.
    x, y
        Columns of the two numbers.
    labels
        The numbers with their units, for the axes.
    by
        The column of the groups; one group if not given.
    lined
        Draw the line; False where what was tested is not a line, such as ranks.
    banded
        Draw the band of the line's mean; False where rows are related, for it takes them as independent.
    confidence_level
        Level of the band, pointwise.
    unit
        What the rows are: "games", "seats".
    crossed
        Values of `y` that are drawn as crosses, and what gives them: ``{10: "walking away"}``.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the points and the lines.

    Raises
    ------
    DesignError
        If no row has both numbers.
    UsageError
        If a column is not there.

    Examples
    --------
    >>> table = pd.DataFrame({"points": [10, 14, 18, 22], "satisfaction": [2, 3, 3, 5]})
    >>> ax = relation(table, x="points", y="satisfaction", labels=("points", "satisfaction"))
    >>> ax.get_title(loc="left").split(";")[0]
    'Each mark is one of 4 rows'
    """
    check_table(table, [x, y, *([] if by is None else [by])], "table")
    complete_rows = table.dropna(subset=[x, y])
    check_table(complete_rows, [], "rows with both numbers")
    groups: list[object] = [None] if by is None else list(pd.unique(complete_rows[by].dropna()))
    parts = [complete_rows if group is None else complete_rows[complete_rows[by] == group] for group in groups]
    names = ["" if group is None else f"{group} (n = {len(rows):,})" for group, rows in zip(groups, parts, strict=True)]
    has_panels = ax is None and len(groups) > CURVES
    axes = (
        group_panels(names, x_label=labels[0], y_label=labels[1])
        if has_panels
        else [axes_for(ax, width=ONE if by is None else TWO, height=2.7)]
        * max(1, len(groups))  # none where no row has a group
    )
    for i, (own, name, rows) in enumerate(zip(axes, names, parts, strict=False)):
        at, value = rows[x].to_numpy(dtype=float), rows[y].to_numpy(dtype=float)
        place = 0 if has_panels else i
        _draw_group(
            own, at, value, name, place, lined=lined, band_level=confidence_level if banded else None,
            crossed=tuple(crossed or ()),
        )  # fmt: skip
    ax = axes[0]
    whole_steps(ax, complete_rows[x])
    seen_values = {value: what for value, what in (crossed or {}).items() if (complete_rows[y] == value).any()}
    lines = _describe_lines(confidence_level if banded else None, unit, len(groups), has_panels=has_panels)
    marks = f"Each mark is one of {len(complete_rows):,} {unit}; "
    if seen_values:
        seen = ", ".join(f"{value:g}, the value of {what}" for value, what in seen_values.items())
        marks += f"crosses are at {seen}; "
    marks += lines if lined else "no line, as ranks are tested"
    if has_panels:
        caption_panels(axes, caption, f"A panel for each {by}", marks)
        return ax
    return finish(ax, labels, caption, marks, key=by or "")


def _describe_lines(band_level: float | None, unit: str, groups: int, *, has_panels: bool) -> str:
    """Return what the lines are, and their bands where these have a level."""
    fits = "line" if has_panels or groups == 1 else "lines"
    band = f"no band, as {unit} are related"
    if band_level is not None:
        bands, of = ("band", "the mean") if groups <= 1 else ("bands", "each mean")
        band = f"{bands}: {100 * band_level:g}% CI of {of} at each place"
    return f"{fits}: least squares; {band}"


def _draw_group(
    ax: Axes,
    at: npt.NDArray[np.float64],
    value: npt.NDArray[np.float64],
    name: str,
    place: int,
    *,
    lined: bool,
    band_level: float | None,
    crossed: tuple[float, ...],
) -> None:
    """Draw the marks of a group and their line, with the band of its mean where that has a level."""
    colour = colours(place + 1)[place]
    is_crossed, opacity = np.isin(value, crossed), max(0.15, min(0.6, 60 / len(at)))
    ax.scatter(
        at[~is_crossed], value[~is_crossed], s=14, marker=MARKERS[place % len(MARKERS)], **seen(colour, opacity),
        rasterized=len(at) > _CROWD, label=name or None,
    )  # fmt: skip
    if is_crossed.any():
        ax.scatter(at[is_crossed], value[is_crossed], s=18, marker="x", color=INK, alpha=0.7, linewidths=0.9)
    band = line_with_band(at, value, band_level or 0.95) if lined else None
    if band is not None:
        ax.plot(band[0], band[1], color=colour, linestyle=LINES[place % len(LINES)], linewidth=1.8, zorder=3)
        if band_level is not None:
            ax.fill_between(band[0], band[2], band[3], color=colour, alpha=0.18, linewidth=0)


def line_with_band(
    x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], confidence_level: float = 0.95
) -> tuple[npt.NDArray[np.float64], ...] | None:
    """Return places, the line, and the low and high of its mean there; None where no line is determined.

    Draper and Smith (1998), Applied Regression Analysis, 3rd ed., eq. 3.1.7.

    Examples
    --------
    >>> at, line, low, high = line_with_band(np.array([0.0, 1, 2, 3]), np.array([0.0, 1, 2, 4]))
    >>> [round(float(value), 3) for value in (line[0], low[0], high[-1])]
    [-0.2, -1.594, 5.094]
    """
    n, centre = len(x), x.mean()
    spread = float(((x - centre) ** 2).sum())
    if n < 3 or spread <= 0:
        return None
    slope = float(((x - centre) * (y - y.mean())).sum()) / spread
    residual = y - y.mean() - slope * (x - centre)
    variance = float((residual**2).sum()) / (n - 2)
    at = np.linspace(x.min(), x.max(), _PLACES)
    mean = y.mean() + slope * (at - centre)
    reach = quantile(confidence_level, n - 2) * np.sqrt(variance * (1 / n + (at - centre) ** 2 / spread))
    return at, mean, mean - reach, mean + reach
