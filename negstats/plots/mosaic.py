"""Mosaic of a two-way table: areas are counts, shading and numbers are adjusted residuals."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch, Rectangle

from negstats.errors import DesignError
from negstats.plots.look import ACCENT, COLOURS, INK
from negstats.plots.style import (
    TWO,
    axes_for,
    captioned,
    figure_of,
    letters,
    spaced,
    wrapped,
)
from negstats.stats import ChiSquared

FloatArray: TypeAlias = npt.NDArray[np.float64]

MORE, LESS = COLOURS[0], ACCENT  # hatched the other way round, so that grey tells them apart
_GAP = 0.012


def mosaic(test: ChiSquared, *, alpha: float = 0.05, caption: str = "", ax: Axes | None = None) -> Axes:
    """Draw a mosaic plot of a chi-squared test: one column for each row of the table, split by the other dimension.

    A column is as wide as its share of all observations, and a tile as high as its share of the column. Each tile has
    its count and its adjusted residual z; tiles whose z stands after Holm's correction for the number of cells are
    filled, more than expected blue with rising lines, fewer vermilion with falling lines.

    Parameters
    ----------
    test
        A test of independence of one table.
    alpha
        Level at which a residual is called significant, after Holm's correction.
    caption
        What the figure shows, before the test's own line.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the tiles.

    Raises
    ------
    DesignError
        If the test is of a stack of studies.

    Notes
    -----
    Drawn after Friendly (1994), with adjusted residuals after Haberman (1973).

    References
    ----------
    - Friendly, M. (1994). Mosaic displays for multi-way contingency tables. Journal of the American Statistical
      Association, 89, 190–200.
    - Haberman, S. J. (1973). The analysis of residuals in cross-classified tables. Biometrics, 29, 205–220.

    Examples
    --------
    >>> from negstats.stats import chi_squared
    >>> ax = mosaic(chi_squared([[19, 77], [22, 68], [10, 93]]))
    >>> len(ax.patches)
    6
    """
    if test.observed.studies:
        raise DesignError(f"the test holds {np.size(test.statistic)} studies; draw one of them")
    columns, parts = test.observed.factors
    cells = test.residuals()
    n, z, p = (cells[name].to_numpy().reshape(test.observed.shape) for name in ("n", "adjusted", "p_adjusted"))
    ax = axes_for(ax, width=TWO, height=3.4)
    # Columns as wide as their share of all, parts as high as their share of the column.
    widths = n.sum(axis=1) / n.sum()
    lefts = np.concatenate([[0], np.cumsum(widths + _GAP)[:-1]])
    shares = n / n.sum(axis=1, keepdims=True)
    bottoms = np.hstack([np.zeros((len(n), 1)), np.cumsum(shares + _GAP, axis=1)[:, :-1]])
    for i, j in np.ndindex(*n.shape):
        look = _look(bool(z[i, j] > 0)) if p[i, j] < alpha else {"facecolor": "white"}
        corner = (float(lefts[i]), float(bottoms[i, j]))
        ax.add_patch(Rectangle(corner, float(widths[i]), float(shares[i, j]), edgecolor=INK, linewidth=0.8, **look))
    ax.set_xlim(0, lefts[-1] + widths[-1])
    ax.set_ylim(0, 1 + _GAP * (n.shape[1] - 1))
    names = [
        f"{wrapped(str(level))}\nn = {total:,.0f}" for level, total in zip(columns.levels, n.sum(axis=1), strict=True)
    ]
    ax.set_xticks(lefts + widths / 2, names)
    ax.set_yticks((bottoms + shares / 2)[0], [wrapped(str(level)) for level in parts.levels])
    ax.set_xlabel(f"{columns.name} (width: share of all observations)")
    ax.set_ylabel(f"{parts.name} (height: share of the column)")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    captioned(ax, caption, test.apa())
    _legend(ax, alpha)
    spaced(ax)
    # What has no room for its numbers is said in the caption.
    bare = _write_numbers(ax, n, z, lefts + widths / 2, bottoms + shares / 2)
    if bare:
        cell_texts = (
            f"{columns.levels[i]}, {parts.levels[j]}: {n[i, j]:g} (z = {_signed(float(z[i, j]))})" for i, j in bare
        )
        captioned(ax, caption, test.apa(), f"Without room for numbers: {'; '.join(cell_texts)}")
    return ax


def _signed(z: float) -> str:
    return f"{z:+.1f}".replace("-", "−")


def _look(is_more: bool) -> dict[str, Any]:
    light = tuple(1 - 0.55 * (1 - part) for part in to_rgb(MORE if is_more else LESS))
    return {"facecolor": light, "hatch": "//" if is_more else "\\\\"}


def _legend(ax: Axes, alpha: float) -> None:
    handles = [
        Patch(edgecolor=INK, label="more than expected", **_look(True)),
        Patch(edgecolor=INK, label="fewer than expected", **_look(False)),
        Patch(edgecolor=INK, facecolor="white", label=f"p ≥ {alpha:g} (Holm)"),
    ]
    ax.legend(
        handles=handles,
        title="adjusted residual z",
        frameon=False,
        fontsize=letters(ax),
        title_fontsize=letters(ax),
        alignment="left",
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0,
    )


def _write_numbers(ax: Axes, n: FloatArray, z: FloatArray, xs: FloatArray, ys: FloatArray) -> list[tuple[int, int]]:
    """Write count and residual into each tile, on two lines or on one as it has room; return the tiles without."""
    bare = []
    figure_of(ax).draw_without_rendering()
    for (i, j), tile in zip(np.ndindex(*n.shape), ax.patches, strict=True):
        room = tile.get_window_extent()
        # Two lines, else one, else none.
        for words in (f"{n[i, j]:g}\nz = {_signed(float(z[i, j]))}", f"{n[i, j]:g}, z = {_signed(float(z[i, j]))}"):
            text = ax.text(
                float(xs[i]),
                float(ys[i, j]),
                words,
                ha="center",
                va="center",
                fontsize=letters(ax),
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
            )
            box = text.get_window_extent()
            if box.width + 6 <= room.width and box.height + 6 <= room.height:
                break
            text.remove()
        else:
            bare.append((i, j))
    return bare
