"""Heat map of agent against agent: what each (row) gets when it meets each other (column)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from negstats.errors import DesignError
from negstats.plots._style import ONE, TALLEST, TWO, axes_for, captioned, check_table, figure_of, letters, wrapped

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
    rows, columns = numbers.shape
    has_few_columns = columns <= 3
    column_names = [wrapped(str(name), 16) for name in values.columns]
    names = [wrapped(str(name), 18) for name in values.index]
    tall = 0.13 * (
        max(name.count("\n") for name in column_names) * has_few_columns
        + rows * max(name.count("\n") for name in names)
    )
    ax = axes_for(
        ax,
        width=ONE if has_few_columns and not any("\n" in name for name in column_names) else TWO,
        height=min(TALLEST, 1.3 + 0.35 * rows + tall),
    )
    games = n.to_numpy(dtype=float) if isinstance(n, pd.DataFrame) else np.full(numbers.shape, np.nan)
    words = [
        [_words(value, count, decimals) for value, count in zip(row, counts, strict=True)]
        for row, counts in zip(numbers, games, strict=True)
    ]
    sns.heatmap(
        values.astype(float), annot=pd.DataFrame(words), fmt="", cmap=MAP, ax=ax, annot_kws={"fontsize": letters(ax)},
        cbar_kws={"label": wrapped(label, 12 if rows < 3 else 4 + 7 * rows)},
    )  # fmt: skip
    for i, j in np.argwhere(np.isnan(numbers)):
        ax.text(j + 0.5, i + 0.5, "–", ha="center", va="center", fontsize=letters(ax))
    slanted: Any = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticklabels(
        column_names if has_few_columns else [str(name) for name in values.columns],
        **({"rotation": 0} if has_few_columns else slanted),
    )
    ax.set_yticklabels(names, rotation=0)
    ax.set_xlabel(str(values.columns.name or "opponent"))
    ax.set_ylabel(str(values.index.name or "agent"))
    ax.tick_params(length=0)
    bar = figure_of(ax).axes[-1]
    bar.tick_params(labelsize=letters(ax))
    bar.yaxis.label.set_fontsize(letters(ax))
    beneath = isinstance(n, pd.DataFrame)
    sizes_note = "n not printed" if n is None else f"n = {n} each"
    captioned(ax, caption, "Numbers: value and, beneath, n" if beneath else f"Numbers: value; {sizes_note}")
    return ax


def _words(value: float, games: float, decimals: int) -> str:
    return f"{value:.{decimals}f}" + ("" if np.isnan(games) else f"\n{games:g}")
