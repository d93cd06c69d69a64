"""What all figures share: colours that the colour-blind tell apart, a quiet style, and saving whole or not at all."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from negstats.errors import UsageError
from negstats.files import written_whole

__all__ = ["COLOURS", "GREY", "axes_for", "quiet", "save_figure"]

# Okabe and Ito (2008), Color Universal Design, in an order whose first four also differ in grey.
COLOURS = ("#0072B2", "#E69F00", "#000000", "#56B4E9", "#009E73", "#D55E00", "#CC79A7", "#F0E442")
GREY = "#8C8C8C"

FORMATS = (".pdf", ".png", ".svg")


def axes_for(ax: Axes | None, *, width: float = 4.2, height: float = 3.8) -> Axes:
    """Return `ax`, or the axes of a new figure of `width` × `height` inches."""
    if ax is not None:
        return ax
    _, new = plt.subplots(figsize=(width, height), layout="constrained")
    return new


def quiet(ax: Axes) -> None:
    """Take away what carries no information: the upper and right spines, the ticks of a list of names."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="x", length=0)


def save_figure(ax: Axes, path: str | Path, *, dpi: int = 200) -> Path:
    """Write the figure of `ax` as PNG, SVG or PDF by the ending of `path`; written beside and renamed.

    Raises
    ------
    UsageError
        If the ending is none of these.
    """
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise UsageError(f"figure {str(target)!r}: the ending must be one of {', '.join(FORMATS)}")
    figure = ax.get_figure()
    while isinstance(figure, SubFigure):
        figure = figure.get_figure()
    if not isinstance(figure, Figure):
        raise UsageError("the axes are on no figure")
    with written_whole(target) as fresh:
        figure.savefig(fresh, dpi=dpi)
    return target
