"""Graphs: the states of a game, and best responses in an empirical game."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from negstats.plots.look import ACCENT, COLOURS, GREY, MARKERS, colours
from negstats.plots.style import (
    TALLEST,
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
    # Moves, those that are played over the others.
    for is_played, edge, width, order in ((False, GREY, 0.5, 1), (True, ACCENT, 2.0, 2)):
        part = edges[edges["played"].astype(bool) == is_played] if len(edges) else edges
        lines = [[places[start], places[end]] for start, end in zip(part["start"], part["end"], strict=True)]
        path = {"label": "path that is played"} if is_played and lines else {}
        ax.add_collection(LineCollection(lines, colors=edge, linewidths=width, zorder=order, **path))
    # States, a mark and a colour for each kind.
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
            known = [positions[state][1] for state in predecessors.get(place, []) if state in positions]
            heights[place] = sum(known) / len(known) if known else 0.5
        for number, place in enumerate(sorted(rows.index, key=heights.__getitem__)):
            positions[place] = float(step), (number + 0.5) / len(rows)  # type: ignore[arg-type]
    return positions


Numbers: TypeAlias = npt.NDArray[np.float64]

_NODE = 0.12  # radius of a strategy's mark, of the circle's radius 1
_RING = 1.7 * _NODE  # radius of the ring of a strategy that is a best response to itself
_OUT = 1 + 3.2 * _NODE  # how far out its name stands
_BEND = 0.15  # of an arrow: how far its middle stands aside, in lengths of the arrow, times two
_ALONG = 0.28  # where on an arrow its share stands, so that those of a pair there and back stand apart


def best_response_graph(responses: pd.DataFrame, *, caption: str = "", ax: Axes | None = None) -> Axes:
    """Draw strategies on a circle, and an arrow from each to those that are best responses to it.

    Parameters
    ----------
    responses
        A row an arrow: ``start`` (what everybody plays), ``end`` (a best response to it), ``share`` (of bootstrap
        draws in which it is one; may be missing) and ``best`` (whether it is one in the table itself; others are drawn
        dashed). A strategy that is a best response to itself gets a ring.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the arrows.

    Raises
    ------
    DesignError
        If there is no row.
    UsageError
        If a column is not there.

    Examples
    --------
    >>> responses = pd.DataFrame({"start": ["dove", "hawk"], "end": ["hawk", "dove"], "share": [1, 0.9], "best": True})
    >>> [text.get_text() for text in best_response_graph(responses).texts if text.get_text()]
    ['100 %', '90 %', 'dove', 'hawk']
    """
    check_table(responses, ["start", "end", "share", "best"], "responses")
    names = sorted({*responses["start"], *responses["end"]})
    # Strategies stand on a circle, the first at the top.
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(names)) / len(names)
    places = {name: np.array([np.cos(angle), np.sin(angle)]) for name, angle in zip(names, angles, strict=True)}
    ax = axes_for(ax, width=TWO, height=TALLEST)
    for row in responses.to_dict("records"):
        _draw_response(ax, places[row["start"]], places[row["end"]], float(row["share"]), is_best=bool(row["best"]))
    for name, place in places.items():
        ax.plot(*place, "o", markersize=15, color="white", markeredgecolor=COLOURS[2], markeredgewidth=1.2, zorder=3)
        ax.text(
            place[0] * _OUT, place[1] * _OUT, wrapped(label(name, 60)), fontsize=letters(ax), zorder=4,
            va="center" if abs(place[0]) >= 0.3 else "bottom" if place[1] > 0 else "top",
            ha="center" if abs(place[0]) < 0.3 else "left" if place[0] > 0 else "right",
        )  # fmt: skip
    ax.set_xlim(-2.2, 2.2)
    ax.set_ylim(-1.65, 1.65)
    ax.set_aspect("equal")
    bare(ax)
    percents = "" if responses["share"].isna().all() else "; percent of bootstrap draws"
    captioned(ax, caption, f"Arrows lead to the best response{percents}; a ring: to itself")
    return ax


def _draw_response(ax: Axes, start: Numbers, end: Numbers, share: float, *, is_best: bool) -> None:
    """Draw an arrow, or a ring where a strategy is a best response to itself, and its share."""
    colour, style = (COLOURS[0], "-") if is_best else (GREY, "--")
    width = max(2.2 * share if share == share else 1.4, 0.6)
    if np.array_equal(start, end):
        middle = start * (1 + 1.75 * _NODE)
        turn, centre = np.linspace(0, 2 * np.pi, 60), start * (1 + _NODE)
        x, y = centre[0] + _RING * np.cos(turn), centre[1] + _RING * np.sin(turn)
        ax.plot(x, y, style, color=colour, linewidth=width, zorder=1)
    else:
        direction = end - start
        aside = np.array([direction[1], -direction[0]])  # to the side to which the arrow bends
        middle = start + _ALONG * direction + 2 * _ALONG * (1 - _ALONG) * _BEND * aside  # on its Bézier curve
        ax.annotate(
            "", xy=tuple(end), xytext=tuple(start), zorder=1,
            arrowprops={
                "arrowstyle": "-|>", "color": colour, "linestyle": style, "linewidth": width,
                "shrinkA": 16, "shrinkB": 16, "connectionstyle": f"arc3,rad={_BEND}",
            },
        )  # fmt: skip
    if share == share:
        percent = f"{100 * share:.0f} %" if share >= 0.005 else "< 1 %"
        x, y = map(float, middle)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}  # no arrow runs through a number
        ax.text(x, y, percent, ha="center", va="center", fontsize=letters(ax), color=colour, zorder=2, bbox=box)
