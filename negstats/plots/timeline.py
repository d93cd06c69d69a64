"""A dialogue as a timeline: a lane for each speaker, time downwards, and each utterance with its text."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from negstats.errors import DesignError
from negstats.plots.look import GREY, MARKERS, colours, despine
from negstats.plots.style import (
    TWO,
    axes_for,
    captioned,
    check_table,
    keyed,
    letters,
    wrapped,
)

_GAP, _ROOM = 0.1, 1.75  # between a mark and its words, and for the words beside a lane, in lanes
_LINE = 0.24  # inches between utterances
_LONGEST = 28  # letters of an utterance that are shown


def talk_timeline(
    messages: pd.DataFrame,
    *,
    order: str = "message",
    lane: str = "sender",
    act: str = "act",
    words: str = "labels",
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the timeline of one dialogue: who says what, and when.

    Parameters
    ----------
    messages
        A row an utterance of one talk. Two lanes have room for the words of both; with more they may cross lines.
    order, lane, act, words
        Names of the columns that say its place in the talk, who speaks, what is done with it, and what it says; words
        are cut where they would run into the next lane, and may be missing.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the talk.

    Raises
    ------
    DesignError
        If there is no utterance, two have one place (two talks in one table?), or a speaker or act is missing.
    UsageError
        If a column is not there.

    Examples
    --------
    >>> messages = pd.DataFrame({"message": [1, 2, 3], "sender": ["A", "B", "A"],
    ...                          "act": ["propose", "accept", "leave"], "labels": ["price: cheap", "price: cheap", ""]})
    >>> ax = talk_timeline(messages)
    >>> [text.get_text() for text in ax.texts]
    ['price: cheap', 'price: cheap']
    """
    check_table(messages, [order, lane, act, words], "messages")
    utterances = messages.sort_values(order)
    is_duplicate = utterances[order].duplicated()
    if is_duplicate.any():
        raise DesignError(
            f"messages: {utterances[order][is_duplicate].iloc[0]} occurs twice in {order!r}; give one talk"
        )
    for column in (lane, act):
        if utterances[column].isna().any():
            raise DesignError(f"messages: {column!r} is missing in a row; every utterance needs one")
    lanes, acts = sorted(utterances[lane].unique()), list(dict.fromkeys(utterances[act]))
    ax = axes_for(ax, width=TWO, height=1.1 + _LINE * len(utterances))
    x = utterances[lane].map({name: place for place, name in enumerate(lanes)})
    ax.plot(x, utterances[order], color=GREY, linewidth=0.7, zorder=1)
    for place, (name, colour) in enumerate(zip(acts, colours(len(acts)), strict=True)):
        is_act = utterances[act] == name
        act_label = f"{name} ({is_act.sum()})"
        marker = MARKERS[place % len(MARKERS)]
        ax.scatter(x[is_act], utterances[order][is_act], s=42, marker=marker, color=colour, label=act_label, zorder=3)
    for lane_place, row, text in zip(x, utterances[order], utterances[words].astype(object).fillna(""), strict=True):
        if text:  # the first lane's to its left, so that between the lanes there are lines only
            short = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
            side, place = ("right", lane_place - _GAP) if lane_place == 0 else ("left", lane_place + _GAP)
            ax.text(place, row, short.replace("$", r"\$"), ha=side, va="center", fontsize=letters(ax), zorder=2)
    ax.set_xlim(-_ROOM, len(lanes) - 1 + _ROOM)
    ax.set_ylim(float(utterances[order].max()) + 0.8, float(utterances[order].min()) - 0.8)
    counts = utterances[lane].value_counts()
    ax.set_xticks(range(len(lanes)), [f"{wrapped(str(name), 18)}\nn = {counts[name]:,}" for name in lanes])
    ax.set_ylabel("utterance")
    ax.xaxis.tick_top()
    ax.tick_params(axis="x", length=0)
    despine(ax, bottom=True)
    captioned(ax, caption)
    keyed(ax, act)
    return ax
