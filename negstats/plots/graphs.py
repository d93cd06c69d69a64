"""The graph of a game in layers: states by the number of steps that lead to them, and the path that is played."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from negstats.plots.look import ACCENT, GREY, MARKERS, colours
from negstats.plots.style import (
    TWO,
    axes_for,
    captioned,
    check_table,
    keyed,
    letters,
    wrapped,
)
from negstats.sanitize import label as label_of

_MARK = 42.0  # area of a state, in square points


def game_graph(
    states: pd.DataFrame,
    edges: pd.DataFrame,
    *,
    label: str = "steps from the first state",
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a game's states in layers, the moves from one to the next, and the path that is played.

    Parameters
    ----------
    states
        A row a state: ``step`` (its layer), ``kind`` (what the marks differ by) and ``text`` (written beside it, or
        missing).
    edges
        A row a pair of states: ``start`` and ``end`` (places of rows in `states`) and ``played`` (truth values: on the
        path).
    label
        What the layers are.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the graph.

    Raises
    ------
    DesignError
        If there is no state.
    UsageError
        If a column is not there.

    Examples
    --------
    >>> states = pd.DataFrame({"step": [0, 1, 1], "kind": ["choice", "end", "end"], "text": [None, "2, 2", "8, 8"]})
    >>> edges = pd.DataFrame({"start": [0, 0], "end": [1, 2], "played": [False, True]})
    >>> [text.get_text() for text in game_graph(states, edges).texts]
    ['2, 2', '8, 8']
    """
    check_table(states, ["step", "kind", "text"], "states")
    if len(edges):
        check_table(edges, ["start", "end", "played"], "edges")
    ax = axes_for(ax, width=TWO, height=max(3.2, 0.2 * _tallest(states)))
    places = _places(states, edges)
    for is_played, edge, width, order in ((False, GREY, 0.5, 1), (True, ACCENT, 2.0, 2)):
        part = edges[edges["played"].astype(bool) == is_played] if len(edges) else edges
        lines = [[places[start], places[end]] for start, end in zip(part["start"], part["end"], strict=True)]
        path = {"label": "path that is played"} if is_played and lines else {}
        ax.add_collection(LineCollection(lines, colors=edge, linewidths=width, zorder=order, **path))
    kinds = list(states.groupby("kind", sort=False))
    for number, ((kind, rows), colour) in enumerate(zip(kinds, colours(len(kinds)), strict=True)):
        x, y = zip(*(places[place] for place in rows.index), strict=True)
        marker = MARKERS[number % len(MARKERS)]
        label_of_kind = f"{kind} (n = {len(rows):,})"
        ax.scatter(x, y, s=_MARK, zorder=3, label=label_of_kind, color=colour, marker=marker)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8}
    for place, text in states["text"].items():
        if pd.notna(text):
            ax.annotate(
                wrapped(label_of(text)), places[place], xytext=(7, 0), textcoords="offset points", va="center",
                fontsize=letters(ax), zorder=4, bbox=box,
            )  # fmt: skip
    ax.set_xticks(sorted(states["step"].unique()))
    ax.set_xlabel(label)
    ax.set_yticks([])
    ax.spines[["left", "top", "right"]].set_visible(False)
    ax.margins(x=0.12, y=0.04)
    keyed(ax)
    captioned(ax, caption)
    return ax


def _tallest(states: pd.DataFrame) -> int:
    return int(states["step"].value_counts().max())


def _places(states: pd.DataFrame, edges: pd.DataFrame) -> dict[object, tuple[float, float]]:
    """Return where each state stands: its layer, and its place in that, near what leads there (its mean height)."""
    positions: dict[object, tuple[float, float]] = {}
    predecessors = edges.groupby("end")["start"].agg(list).to_dict() if len(edges) else {}
    for step, rows in states.groupby("step"):
        heights = {}
        for place in rows.index:
            predecessor_heights = [positions[one][1] for one in predecessors.get(place, []) if one in positions]
            heights[place] = sum(predecessor_heights) / len(predecessor_heights) if predecessor_heights else 0.5
        for number, place in enumerate(sorted(rows.index, key=heights.__getitem__)):
            positions[place] = float(step), (number + 0.5) / len(rows)  # type: ignore[arg-type]
    return positions
