"""Heat map of agent against agent: what each (row) gets when it meets each other (column)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from negstats.errors import DesignError
from negstats.plots.look import INK
from negstats.plots.style import (
    ONE,
    TALLEST,
    TWO,
    axes_for,
    captioned,
    check_table,
    figure_of,
    letters,
    wrapped,
)

_FEW_COLUMNS = 3  # their names stand upright
_LETTERS = 72  # that stand side by side under all squares
_BRIGHT = 0.18  # luminance from which black letters have more contrast than white ones
MAP = "cividis"  # as bright as its number, for the colour-blind and in grey alike (Nuñez et al. 2018)


def agent_heat_map(
    values: pd.DataFrame,
    n: pd.DataFrame | int | None = None,
    *,
    label: str,
    caption: str = "",
    decimals: int = 1,
    ax: Axes | None = None,
) -> Axes:
    """Draw a heat map of agents against agents: one square for each pair, with the row agent's value and n.

    Parameters
    ----------
    values
        A row an agent and a column an opponent; missing where the two did not meet.
    n
        Games behind each value, of the same shape, or one number for all, which then stands in the caption; without it
        "n not printed" stands there.
    label
        The measure with its unit, for the colour bar: "points of the row agent (points)".
    caption
        What the figure shows.
    decimals
        Decimals of the written numbers.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the squares.

    Raises
    ------
    DesignError
        If there is no agent or no value, or `n` has other agents than `values`.

    Examples
    --------
    >>> values = pd.DataFrame([[5.0, 4.2], [6.1, 5.5]], index=["fair", "selfish"], columns=["fair", "selfish"])
    >>> ax = agent_heat_map(values, label="points of the row agent (points)")
    >>> [text.get_text() for text in ax.texts]
    ['5.0', '4.2', '6.1', '5.5']
    """
    check_table(values, [], "values")
    numbers = values.to_numpy(dtype=float)
    if not numbers.size or np.isnan(numbers).all():
        raise DesignError("values holds no number; nothing can be drawn")
    if isinstance(n, pd.DataFrame) and not (n.index.equals(values.index) and n.columns.equals(values.columns)):
        raise DesignError("n and values have different agents; give both the same rows and columns")
    ax = axes_for(ax, **size_of_squares(values))
    games = n.to_numpy(dtype=float) if isinstance(n, pd.DataFrame) else np.full(numbers.shape, np.nan)
    words = [
        [_words(value, count, decimals) for value, count in zip(row, counts, strict=True)]
        for row, counts in zip(numbers, games, strict=True)
    ]
    draw_squares(ax, values, words, label=label)
    ax.set_xlabel(str(values.columns.name or "opponent"))
    ax.set_ylabel(str(values.index.name or "agent"))
    beneath = isinstance(n, pd.DataFrame)
    sizes_note = "n not printed" if n is None else f"n = {n} each"
    captioned(ax, caption, "Numbers: value and, beneath, n" if beneath else f"Numbers: value; {sizes_note}")
    return ax


def size_of_squares(values: pd.DataFrame, row_height: float = 0.35) -> dict[str, float]:
    """Return width and height of a figure of squares: the more rows and the longer the names, the higher.

    Parameters
    ----------
    values
        The numbers, with the names that will stand beside them.
    row_height
        Inches that a row takes whose name has one line.
    """
    column_names, row_names = _names_of(values)
    has_few_columns = len(column_names) <= _FEW_COLUMNS
    extra_lines = max(name.count("\n") for name in column_names)
    extra_lines += len(values) * max(name.count("\n") for name in row_names)
    is_narrow = has_few_columns and not any("\n" in name for name in column_names)
    height = 1.3 + row_height * len(values) + 0.13 * extra_lines
    return {"width": ONE if is_narrow else TWO, "height": min(TALLEST, height)}


def draw_squares(
    ax: Axes,
    values: pd.DataFrame,
    words: list[list[str]],
    *,
    label: str,
    cmap: str = MAP,
    vmin: float | None = None,
    vmax: float | None = None,
) -> None:
    """Draw a square a number with its words inside, names at the sides, and the colour bar.

    Parameters
    ----------
    ax
        Axes to draw on.
    values
        The numbers; a missing one has a dash.
    words
        What stands in each square.
    label
        The measure with its unit, for the colour bar.
    cmap
        Name of the colours.
    vmin, vmax
        The numbers at which the colours end; those of the values if not given.
    """
    import seaborn as sns
    from seaborn.utils import relative_luminance

    numbers = values.to_numpy(dtype=float)
    small: Any = {"fontsize": letters(ax)}
    earlier = len(ax.texts)
    column_names, row_names = _names_of(values)
    sns.heatmap(
        values.astype(float), annot=pd.DataFrame(words), fmt="", cmap=cmap, ax=ax, annot_kws=small,
        cbar_kws={"label": wrapped(label, 12 if len(values) < 3 else 4 + 7 * len(values))}, vmin=vmin, vmax=vmax,
    )  # fmt: skip
    faces = np.asarray(ax.collections[-1].get_facecolor())[~np.isnan(numbers).ravel()]
    for text, face in zip(ax.texts[earlier:], faces, strict=True):  # seaborn writes white on middle tones
        text.set_color(INK if relative_luminance(face) > _BRIGHT else "white")
    for i, j in np.argwhere(np.isnan(numbers)):
        ax.text(j + 0.5, i + 0.5, "–", ha="center", va="center", **small)
    is_wide = any(len(line) > _LETTERS // len(column_names) for name in column_names for line in name.split("\n"))
    turn = 0
    if is_wide and list(values.columns) == list(values.index):  # as in a table of correlations
        column_names = [str(number) for number in range(1, len(row_names) + 1)]
        row_names = [f"{number}. {name}" for number, name in zip(column_names, row_names, strict=True)]
    elif is_wide:
        column_names, turn = [wrapped(str(name), 24) for name in values.columns], 90
    ax.set_xticklabels(column_names, rotation=turn)
    ax.set_yticklabels(row_names, rotation=0)
    ax.tick_params(length=0)
    bar = figure_of(ax).axes[-1]
    bar.tick_params(labelsize=letters(ax))
    bar.yaxis.label.set_fontsize(letters(ax))


def _names_of(values: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the names of columns and rows, on several lines where they are long."""
    widest = 16 if values.shape[1] <= _FEW_COLUMNS else max(8, _LETTERS // values.shape[1])
    return [wrapped(str(name), widest) for name in values.columns], [wrapped(str(name), 18) for name in values.index]


def _words(value: float, games: float, decimals: int) -> str:
    return f"{value:.{decimals}f}" + ("" if np.isnan(games) else f"\n{games:g}")
