"""What all figures share: colours that the colour-blind tell apart, marks that differ in grey, captions, and saving.

A figure is saved whole or not at all, and the same figure gives the same bytes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure, SubFigure

from negstats.errors import DesignError, UsageError
from negstats.files import written_whole

__all__ = [
    "COLOURS",
    "GREY",
    "HATCHES",
    "LINES",
    "MARKERS",
    "axes_for",
    "captioned",
    "check_table",
    "figure_of",
    "keyed",
    "quiet",
    "save_figure",
]

# Okabe and Ito (2008), Color Universal Design, in an order whose first four also differ in grey.
COLOURS = ("#0072B2", "#E69F00", "#000000", "#56B4E9", "#009E73", "#D55E00", "#CC79A7", "#F0E442")
GREY = "#8C8C8C"
MARKERS = "os^Dvp*X"
LINES = ("-", "--", ":", "-.", (0, (6, 1, 1, 1)), (0, (1, 4)), (0, (8, 3)), (0, (3, 1, 1, 1, 1, 1)))
HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "++++", "oo", "--")

FORMATS = (".pdf", ".png", ".svg")
NO_DATE: dict[str, dict[str, Any]] = {
    ".pdf": {"CreationDate": None, "Creator": "negstats", "Producer": None},
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": "negstats"},
}
# Fonts as outlines (SVG) or embedded as TrueType (PDF), which is what publishers take; ids of SVG from a fixed salt.
SAVING: Any = {"svg.hashsalt": "negstats", "svg.fonttype": "path", "pdf.fonttype": 42}
_KEY = 34.0  # area of a mark in the legend, in square points
LETTERS = 13.5  # of a caption's size that fit into an inch


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


def captioned(ax: Axes, *lines: str, inches: float | None = None) -> None:
    """Write the caption over the axes, each line broken where the figure (or `inches`) ends; empty lines are left out.

    Parameters
    ----------
    ax
        Axes; if they share a figure with others, each has its part of the width.
    lines
        What the figure shows, and what its bars are.
    inches
        Width that the caption may take.
    """
    columns = 1
    if (place := ax.get_subplotspec()) is not None:
        columns = place.get_gridspec().ncols
    width = (figure_of(ax).get_figwidth() / columns if inches is None else inches) - 0.6
    wrapped = [textwrap.fill(line, max(int(width * LETTERS), 12), break_on_hyphens=False) for line in lines if line]
    ax.set_title("\n".join(wrapped), fontsize="small", loc="left")


def keyed(ax: Axes, title: str = "") -> None:
    """Put the legend to the right of the axes, where it covers nothing; none if nothing has a label."""
    if ax.get_legend_handles_labels()[1]:
        legend = ax.legend(
            title=title or None,
            frameon=False,
            fontsize="small",
            title_fontsize="small",
            alignment="left",
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
            borderaxespad=0,
        )
        for handle in legend.legend_handles:
            if isinstance(handle, PathCollection):  # marks whose area says something have one size in the legend
                handle.set_sizes([_KEY])


def check_table(table: pd.DataFrame, columns: Iterable[str], name: str) -> None:
    """Raise UsageError if a column is not there, DesignError if the table has no row."""
    lacking = [column for column in columns if column not in table.columns]
    if lacking:
        there = ", ".join(map(repr, table.columns)) or "none"
        raise UsageError(f"{name}: there is no column {lacking[0]!r}; there are {there}")
    if not len(table):
        raise DesignError(f"{name} has no rows; there is nothing to draw")


def figure_of(ax: Axes) -> Figure:
    """Return the whole figure that `ax` stands on.

    Raises
    ------
    UsageError
        If it stands on none.
    """
    figure = ax.get_figure()
    while isinstance(figure, SubFigure):
        figure = figure.get_figure()
    if not isinstance(figure, Figure):
        raise UsageError("the axes are on no figure")
    return figure


def save_figure(ax: Axes, path: str | Path, *, dpi: int = 200) -> Path:
    """Write the figure of `ax` as PNG, SVG or PDF by the ending of `path`; written beside and renamed.

    The file carries no date and no random name: the same figure gives the same bytes.

    Raises
    ------
    UsageError
        If the ending is none of these.
    """
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in FORMATS:
        raise UsageError(f"figure {str(target)!r}: the ending must be one of {', '.join(FORMATS)}")
    figure = figure_of(ax)
    with written_whole(target) as fresh, mpl.rc_context(SAVING):
        figure.savefig(fresh, dpi=dpi, metadata=NO_DATE[ending])
    return target
