"""Shares of three strategies as points of a triangle: paths of dynamics, and where they rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from negstats.errors import DesignError
from negstats.plots.look import COLOURS, GREY
from negstats.plots.style import (
    TWO,
    axes_for,
    bare,
    captioned,
    check_table,
    keyed,
    letters,
    wrapped,
)
from negstats.sanitize import label

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])


def strategy_simplex(
    paths: Sequence[pd.DataFrame], rests: pd.DataFrame | None = None, *, caption: str = "", ax: Axes | None = None
) -> Axes:
    """Draw how shares of three strategies change, each path with an arrow at its middle.

    Parameters
    ----------
    paths
        One frame a path: a row a point in time and a column a strategy, shares that sum to one; the same three columns
        in each, as ``Tournament.replicator`` gives them.
    rests
        Points to mark, such as equilibria: a row a point, the same columns.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the triangle.

    Raises
    ------
    DesignError
        If there is no path, a frame has not three strategies, or its rows are not shares.
    UsageError
        If the frames' columns differ.

    Examples
    --------
    >>> path = pd.DataFrame({"rock": [0.5, 0.4], "paper": [0.3, 0.4], "scissors": [0.2, 0.2]})
    >>> [text.get_text() for text in strategy_simplex([path]).texts if text.get_text()]
    ['rock', 'paper', 'scissors']
    """
    if not len(paths):
        raise DesignError("paths is empty; give one frame of shares or more")
    names = [str(name) for name in paths[0].columns]
    if len(names) != 3:
        raise DesignError(f"the paths have {len(names)} strategies; a triangle takes three")
    ax = axes_for(ax, width=TWO, height=3.4)
    outline = CORNERS[[0, 1, 2, 0]]
    ax.plot(outline[:, 0], outline[:, 1], color=COLOURS[2], linewidth=1.0)
    for number, path in enumerate(paths):
        points = _places(path, names, "paths")
        ax.plot(
            points[:, 0], points[:, 1], color=COLOURS[0], linewidth=0.9, label=None if number else "path of the shares"
        )
        _draw_arrow(ax, points)
    if rests is not None and len(rests):
        points = _places(rests, names, "rests")
        ax.plot(
            points[:, 0], points[:, 1], "o", color=COLOURS[5], markersize=7, markeredgecolor="black", zorder=4,
            label="equilibrium", clip_on=False,
        )  # fmt: skip
    for name, place, side in zip(names, CORNERS, ("top", "top", "bottom"), strict=True):
        y = place[1] + (-0.03 if side == "top" else 0.03)
        ax.text(place[0], y, wrapped(label(name, 60)), ha="center", va=side, fontsize=letters(ax))
    ax.set_xlim(-0.25, 1.25)
    ax.set_ylim(-0.2, 1.05)
    ax.set_aspect("equal")
    bare(ax)
    keyed(ax)
    captioned(ax, caption, "A corner: everybody plays that strategy")
    return ax


def _places(shares: pd.DataFrame, names: list[str], argument: str) -> np.ndarray:
    check_table(shares, names, argument)
    values = shares[names].to_numpy(dtype=float)
    if not (np.isfinite(values).all() and (values >= -1e-9).all() and np.allclose(values.sum(axis=1), 1, atol=1e-6)):
        raise DesignError(f"{argument} holds rows that are not shares: from 0 to 1, with the sum 1")
    return np.asarray(values @ CORNERS)


def _draw_arrow(ax: Axes, points: np.ndarray) -> None:
    """Draw an arrow's head halfway along a path, if it leads anywhere."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    if steps.sum() < 0.02:
        return
    middle = int(np.searchsorted(np.cumsum(steps), steps.sum() / 2))
    start, end = points[middle], points[min(middle + 1, len(points) - 1)]
    arrow_step = (end - start) / max(float(np.hypot(*(end - start))), 1e-12) * 0.02
    ax.annotate(
        "", xy=tuple(start + arrow_step), xytext=tuple(start),
        arrowprops={"arrowstyle": "-|>", "color": GREY, "linewidth": 0.9},
    )  # fmt: skip
