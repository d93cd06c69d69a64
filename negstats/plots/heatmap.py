"""Heat maps: agents against each other, payoff tables, and transitions between kinds of moves."""

from __future__ import annotations

from typing import Any, Literal

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
from negstats.stats.results.apa import number
from negstats.stats.results.options import check_choice
from negstats.stats.sequences import Transitions

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


MOST_INTERVALS = 6  # columns of squares that are wide enough for an interval


def payoff_heat_map(
    payoffs: pd.DataFrame, *, label: str, caption: str = "", decimals: int = 2, ax: Axes | None = None
) -> Axes:
    r"""Draw a heat map of payoffs: one square for each pairing, with the row's mean payoff, its interval, and n.

    With more than six opponents there is no room for intervals; they stand in the table alone.

    Parameters
    ----------
    payoffs
        A row a pairing: ``strategy``, ``opponent``, ``mean``, ``low``, ``high`` and ``n`` (games), as
        ``Tournament.payoffs()`` has them. Strategies stand in the order in which they first occur.
    label
        What the payoff is, with its unit, for the colour bar.
    caption
        What the figure shows, and what the intervals are.
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
        If there is no number, or a pairing stands twice.
    UsageError
        If a column is not there.

    Examples
    --------
    >>> payoffs = pd.DataFrame({"strategy": ["A", "A", "B", "B"], "opponent": ["A", "B"] * 2, "mean": [1, 3, 0, 2.0],
    ...                         "low": [0.5, 2, 0, 1], "high": [2, 4, 0, 3], "n": 5})
    >>> payoff_heat_map(payoffs, label="points", decimals=1).texts[0].get_text()
    '1.0\n[0.5, 2.0]\nn = 5'
    """
    check_table(payoffs, ["strategy", "opponent", "mean", "low", "high", "n"], "payoffs")
    if payoffs.duplicated(["strategy", "opponent"]).any():
        raise DesignError("payoffs has a pairing twice; give one row per pairing")
    if payoffs["mean"].isna().all():
        raise DesignError("payoffs holds no mean; nothing can be drawn")
    rows, columns = payoffs["strategy"].unique(), payoffs["opponent"].unique()
    means = payoffs.pivot_table(index="strategy", columns="opponent", values="mean", dropna=False, sort=False)
    means = means.reindex(index=rows, columns=columns)
    with_intervals = len(columns) <= MOST_INTERVALS
    words = {
        (row["strategy"], row["opponent"]): _square_text(row, decimals, with_intervals)
        for row in payoffs.to_dict("records")
    }
    size = size_of_squares(means, row_height=0.55 if with_intervals else 0.36)
    ax = axes_for(ax, width=TWO, height=max(size["height"], 2.2))
    draw_squares(ax, means, [[words.get((row, column), "–") for column in columns] for row in rows], label=label)
    ax.set_xlabel("opponent")
    ax.set_ylabel("strategy")
    shown_numbers = "mean payoff of the row, its interval, games" if with_intervals else "mean payoff of the row, games"
    captioned(ax, caption, f"Numbers: {shown_numbers}")
    return ax


def _square_text(row: dict[Any, Any], decimals: int, with_interval: bool) -> str:
    is_bare = np.isnan(row["low"]) or not with_interval
    interval = "" if is_bare else f"\n[{row['low']:.{decimals}f}, {row['high']:.{decimals}f}]"
    return f"{row['mean']:.{decimals}f}{interval}\nn = {row['n']:g}"


def transition_heat_map(
    result: Transitions,
    *,
    show: Literal["probability", "z"] = "probability",
    caption: str = "",
    alpha: float = 0.05,
    ax: Axes | None = None,
) -> Axes:
    r"""Draw a heat map of transitions from row to column, with n, and a star where they differ from chance.

    Parameters
    ----------
    result
        Of `transitions`.
    show
        "probability" (of each row, what follows) or "z" (the adjusted residual; colours part at 0).
    caption
        What the figure shows.
    alpha
        Below this corrected p a square has a star.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the squares.

    Examples
    --------
    >>> from negstats.stats import transitions
    >>> talk = {"game_id": [1] * 5, "message": [1, 2, 3, 4, 5], "act": ["ask", "tell", "ask", "tell", "offer"]}
    >>> ax = transition_heat_map(transitions(talk))
    >>> ax.texts[2].get_text()
    '1.00\n2'
    """
    check_choice("show", show, ("probability", "z"))
    k = len(result.acts)
    values = result.probabilities if show == "probability" else result.z
    stars = np.where(result.p_adjusted < alpha, "*", "")
    words = [
        ["–" if np.isnan(values[i, j]) else f"{number(values[i, j])}{stars[i, j]}\n{result.counts[i, j]:.0f}"
         for j in range(k)] for i in range(k)
    ]  # fmt: skip
    table = pd.DataFrame(values, index=list(result.acts), columns=list(result.acts))
    ax = axes_for(ax, **size_of_squares(table))
    most = float(np.nanmax(np.abs(values))) if not np.isnan(values).all() else 1.0
    if show == "z":
        draw_squares(ax, table, words, label="adjusted residual z", cmap="PuOr_r", vmin=-most, vmax=most)
    else:
        draw_squares(ax, table, words, label="share of what follows", vmin=0, vmax=1)
    ax.set_ylabel("act")
    ax.set_xlabel("next act" if result.lag == 1 else f"act {result.lag} later")
    starred = f"; star: corrected p < {alpha:g} against other orders inside games" if result.n_resamples else ""
    captioned(ax, caption, f"{result.sequences} games; numbers: value and, beneath, n{starred}")
    # above the topmost number of the colour bar, which stands half over the axes
    ax.set_title(ax.get_title(loc="left"), fontsize=letters(ax), loc="left", pad=12)
    return ax
