"""How a group of values is drawn, by its size: marks, a cloud, quartiles, the mean with its interval; and what is said.

Every artist is labelled by its part (``_marks``, ``_cloud``, ...), so that a caption counts what was drawn. Marks are
spread by a generator of their own and not by seaborn's strips, which draw from NumPy's global one: the same values
give the same picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgba
from matplotlib.patches import Polygon

from negstats.plots.look import INK, seen
from negstats.sanitize import capitalised, plural
from negstats.stats.results.intervals import quantile

Numbers: TypeAlias = npt.NDArray[np.float64]

FEW, MANY = 20, 250  # values: below FEW marks alone; from MANY on a cloud, quartiles and the marks far from them
MARKS, CLOUD, QUARTILES, MEAN = "_marks", "_cloud", "_quartiles", "_mean"
_SPREAD = 0.3  # of a counting unit, to either side
_FAR = 1.5  # interquartile ranges


def mean_interval(values: Numbers, confidence_level: float = 0.95) -> tuple[float, float, float]:
    """Return a group's mean and the t interval from its own SD; the interval is NaN where there is none.

    Examples
    --------
    >>> mean_interval(np.array([0.0, 0.0]))
    (0.0, nan, nan)
    """
    n, mean = len(values), float(np.mean(values))
    if n < 2 or np.ptp(values) == 0:
        return mean, np.nan, np.nan
    half = float(quantile(confidence_level, n - 1)) * float(np.std(values, ddof=1)) / n**0.5
    return mean, mean - half, mean + half


def counting_unit(values: Iterable[float]) -> float:
    """Return the step of values that lie on a grid and repeat: 1 of whole numbers; 0 of measurements.

    Examples
    --------
    >>> counting_unit([3, 5, 5, 8]), counting_unit([0.1, 0.15, 0.15, 0.25]), round(counting_unit([0.3, 1.7, 2.9]), 3)
    (1.0, 0.05, 0.0)
    """
    numbers = np.asarray(list(values), dtype=float)
    numbers = numbers[np.isfinite(numbers)]
    distinct = np.unique(numbers.round(9))
    if len(distinct) < 2 or len(distinct) == len(numbers):
        return 0.0
    if (distinct == np.rint(distinct)).all():
        return 1.0
    step = float(np.diff(distinct).min())
    places = (distinct - distinct[0]) / step
    return round(step, 9) if np.abs(places - np.rint(places)).max() < 1e-3 else 0.0


def draw_group(
    ax: Axes,
    values: Numbers,
    at: float,
    colour: Any,
    *,
    upright: bool = False,
    step: float = 0.0,
    height: float = 0.38,
) -> None:
    """Draw the values of one group by its size, around the place `at`.

    Parameters
    ----------
    values
        At least one, none missing.
    at, colour
        Place on the axis of groups, and the colour.
    upright
        Values along the vertical axis.
    step
        The counting unit, in which marks are spread; 0 for none.
    height
        Of the cloud.
    """
    rng = np.random.default_rng(1)
    low, middle, high = (float(end) for end in np.quantile(values, [0.25, 0.5, 0.75]))
    if len(values) >= FEW and np.ptp(values) > 0:
        ax.add_patch(_cloud(values, at, colour, upright=upright, step=step, height=height))
    is_outlier = (values < low - _FAR * (high - low)) | (values > high + _FAR * (high - low))
    marked_values = values if len(values) < MANY else values[is_outlier]
    marks = marked_values + rng.uniform(-_SPREAD, _SPREAD, len(marked_values)) * step
    mark_places = at - 0.22 + rng.uniform(-0.11, 0.11, len(marked_values))
    ax.scatter(*_to_xy(marks, mark_places, upright), s=4, **seen(colour, 0.6), zorder=2, label=MARKS)
    if len(values) >= MANY:
        ends, place = np.array([low, high]), np.full(2, at - 0.22)
        ax.plot(*_to_xy(ends, place, upright), color=colour, linewidth=4, solid_capstyle="butt", label=QUARTILES)
        tick = "_" if upright else "|"
        ax.plot(*_to_xy(np.array([middle]), place[:1], upright), color=INK, marker=tick, markersize=8, label="_median")


def draw_mean(ax: Axes, mean: float, low: float, high: float, at: float, *, upright: bool = False) -> None:
    """Draw a mean as a diamond, with its interval where it has one of some width."""
    reach = [[mean - low], [high - mean]] if low < high else None
    x, y = _to_xy(np.array([mean]), np.array([at]), upright)
    bars = ax.errorbar(
        x, y, yerr=reach if upright else None, xerr=None if upright else reach,
        fmt="D", markersize=3.5, color=INK, capsize=2, linewidth=1, zorder=4,
    )  # fmt: skip
    bars.set_label(MEAN)


def _cloud(values: Numbers, at: float, colour: Any, *, upright: bool, step: float, height: float) -> Polygon:
    """Return the density as an area that ends at the data; its width is by SD or IQR, at least 0.75 counting units."""
    low, high = np.quantile(values, [0.25, 0.75])
    spread = min(float(np.std(values, ddof=1)), float(high - low) / 1.349 or np.inf)
    width = max(0.9 * spread * len(values) ** -0.2, 0.75 * step)
    grid, (places, counts) = np.linspace(values.min(), values.max(), 300), np.unique(values, return_counts=True)
    if len(places) > 2000:  # a histogram so fine that it has the same cloud
        counts, edges = np.histogram(values, bins=2000)
        places = (edges[1:] + edges[:-1]) / 2
    density = np.exp(-(((grid[:, None] - places) / width) ** 2) / 2) @ counts
    edge = np.concatenate([at + 0.1 + height * density / density.max(), np.full(300, at + 0.1)])
    outline = np.column_stack(_to_xy(np.concatenate([grid, grid[::-1]]), edge, upright))
    return Polygon(outline, closed=True, facecolor=to_rgba(colour, 0.45), edgecolor=colour, linewidth=0.5, label=CLOUD)


def _to_xy(values: Numbers, places: Numbers, upright: bool) -> tuple[Numbers, Numbers]:
    return (places, values) if upright else (values, places)


def drawn_marks(ax: Axes) -> list[int]:
    """Return how many marks each group of the axes has, in the order of drawing."""
    return [len(np.asarray(collection.get_offsets())) for collection in ax.collections
            if isinstance(collection, PathCollection) and collection.get_label() == MARKS]  # fmt: skip


def described(ax: Axes, sizes: pd.Series, *, unit: str, step: float, bars: str) -> list[str]:
    """Return what was drawn of some groups, counted from the artists.

    Parameters
    ----------
    ax
        Axes on which `draw_group` and `draw_mean` drew the groups in order.
    sizes
        How many values each group has, by its name.
    unit
        What a value is of: "game".
    step
        The counting unit by which marks are spread.
    bars
        What the bars are: "95% CI of the mean".
    """
    marks = drawn_marks(ax)
    whole = [f"{count:,}" for count, n in zip(marks, sizes, strict=True) if count == n]
    named = len(sizes) > 1
    parts = [
        f"of {n:,} {plural(unit)}{f' ({name})' if named else ''}, quartiles and {count:,} beyond {_FAR:g} IQR are drawn"
        for count, (name, n) in zip(marks, sizes.items(), strict=True) if count != n
    ]  # fmt: skip
    lines = []
    if whole:
        counts = f"{whole[0]} in each group" if len(set(whole)) == 1 < len(whole) else ", ".join(whole)
        lines.append(f"Each mark is one {unit} ({counts})" + "".join(f"; {part}" for part in parts))
    elif parts:
        sentence = "; ".join(parts)
        lines.append(capitalised(sentence))  # a name keeps its capitals
    lines.append(mean_words(ax, list(sizes.index), bars))
    if any(patch.get_label() == CLOUD for patch in ax.patches):
        lines.append("The cloud is a density" if len(sizes) == 1 else "Clouds are densities of equal height")
    if step and sum(marks):
        lines.append(f"Marks are spread by at most {_SPREAD * step:g}")
    return lines


def mean_words(ax: Axes, names: Sequence[object], bars: str) -> str:
    """Return what diamonds and bars are, and which groups have no bar, as the artists have them."""
    means = [container for container in ax.containers if container.get_label() == MEAN]
    bare = [str(name) for name, mean in zip(names, means, strict=True) if not mean.has_xerr and not mean.has_yerr]  # type: ignore[attr-defined]
    diamonds = "The diamond is the mean" if len(means) == 1 else "Diamonds are means"
    if len(bare) == len(means):
        return f"{diamonds}; no interval: fewer than two values, or all equal"
    bar = "the bar is the" if len(means) == 1 else "bars are the"
    lacking = f"; none for {', '.join(bare)} (fewer than two values, or all equal)" if bare else ""
    return f"{diamonds}, {bar} {bars}{lacking}"
