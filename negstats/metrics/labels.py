"""What people coded: the share of a seat's messages with a label, and with which labels it replies to the others'.

For studies whose messages have ``labels``, as `negstats.coding.merge` writes them. A message counts if it is annotated:
its labels are not missing, though there may be none. Any frame of ``messages`` and ``players``: the result is of the
same kind, lazy if it was lazy.
"""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.errors import UsageError, shown
from negstats.metrics._frames import Frame, collected, grouped, joined, native, opened, previous

_SEAT = ["game_id", "player"]


def label_shares(messages: IntoFrameT, players: IntoFrame | None = None, *, labels: Sequence[str]) -> IntoFrameT:
    """Return the share of each label among the annotated messages of each seat.

    Unit: a share. Denominator: the seat's messages that are annotated, those with no label among them. Missing for a
    seat without such messages. A message with several labels counts for each, so shares need not sum to 1.

    Parameters
    ----------
    messages
        `game_id`, `sender`, `labels`.
    players
        `game_id`, `player`: the seats to list; None lists those with annotated messages.
    labels
        The labels to look for.

    Returns
    -------
    frame of the same kind
        `game_id`, `player` and for each label its share, such as `self-need_share`; by game and player.

    Raises
    ------
    SchemaError
        If a column is not there.
    UsageError
        If no label is asked for.

    Examples
    --------
    >>> import pandas as pd
    >>> messages = pd.DataFrame({"game_id": "g", "sender": ["A", "A", "B"], "labels": ["offer,reason", "", "reason"]})
    >>> label_shares(messages, labels=["offer", "reason"])[["offer_share", "reason_share"]].values.tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    if not labels:
        raise UsageError("labels is empty; name at least one")
    names = [f"{label}_share" for label in labels]
    annotated = _select_annotated(messages, [])
    indicators = annotated.with_columns(
        *(_carries(label).alias(name) for label, name in zip(labels, names, strict=True))
    )
    shares = grouped(indicators, _SEAT, *(nw.col(name).mean() for name in names))
    return native(_list_seats(shares, players).select(*_SEAT, *names), messages)


def label_replies(messages: IntoFrameT, players: IntoFrame | None = None, *, to: str, label: str) -> IntoFrameT:
    """Return the share of each seat's replies to messages with a label that carry another: a transition by seat.

    A *reply* is an annotated message that follows, among the annotated messages of the game, one of another seat. Unit:
    a share. Denominator: the seat's replies to messages with the label `to`. Missing for a seat that has none.

    Parameters
    ----------
    messages
        `game_id`, `message`, `sender`, `labels`.
    players
        `game_id`, `player`: the seats to list; None lists those with annotated messages.
    to
        The label of the message before.
    label
        The label of the reply.

    Returns
    -------
    frame of the same kind
        `game_id`, `player`, `replies`; by game and player.

    Raises
    ------
    SchemaError
        If a column is not there.

    Examples
    --------
    B answers one of A's two offers with a reason, and A answers none:

    >>> import pandas as pd
    >>> messages = pd.DataFrame({"game_id": "g", "message": [1, 2, 3, 4], "sender": ["A", "B", "A", "B"],
    ...                          "labels": ["offer", "reason", "offer", ""]})
    >>> label_replies(messages, to="offer", label="reason")["replies"].tolist()
    [nan, 0.5]
    """
    annotated = _select_annotated(messages, ["message"])
    turns = annotated.with_columns(
        _carries(to).alias("prompt"),
        _carries(label).alias("replies"),
    )
    turns = turns.with_columns(
        previous(turns, "prompt", ["game_id"], "message").alias("before"),
        previous(turns, "player", ["game_id"], "message").alias("other"),
    )
    is_reply = (nw.col("before").fill_null(0.0) == 1.0) & (nw.col("other").fill_null("") != nw.col("player"))
    turns = turns.with_columns(nw.when(is_reply).then(nw.col("replies")).alias("replies"))
    shares = grouped(turns, _SEAT, nw.col("replies").mean())
    return native(_list_seats(shares, players).select(*_SEAT, "replies"), messages)


def label_names(messages: IntoFrame) -> list[str]:
    """Return the labels that occur, sorted.

    Parameters
    ----------
    messages
        `labels`.

    Returns
    -------
    list[str]
        Each label once.

    Examples
    --------
    >>> import pandas as pd
    >>> label_names(pd.DataFrame({"labels": ["offer,reason", "", None, "reason"]}))
    ['offer', 'reason']
    """
    texts = collected(messages, "messages", ["labels"])["labels"].dropna().unique()
    return sorted({label.strip() for text in texts for label in text.split(",") if label.strip()})


def _select_annotated(messages: IntoFrame, columns: Sequence[str]) -> Frame:
    """Return the annotated messages, with the seat under the name that other tables have for it."""
    rows = opened(messages, "messages", ["game_id", "sender", "labels", *columns]).rename({"sender": "player"})
    return rows.filter(~nw.col("labels").is_null())


def _carries(label: str) -> nw.Expr:
    """Return 1 for a message with the label, else 0; labels are separated by commas."""
    if not label or "," in label:
        raise UsageError(f"a label cannot be {shown(label)}; it is a text without a comma")
    padded = nw.concat_str(nw.lit(","), nw.col("labels").str.replace_all(", ", ",", literal=True), nw.lit(","))
    return nw.when(padded.str.contains(f",{label},", literal=True)).then(1.0).otherwise(0.0)


def _list_seats(shares: Frame, players: IntoFrame | None) -> Frame:
    """Return one row for each of `players`, in order; a seat without annotated messages has missing values."""
    if players is None:
        return shares
    return joined(opened(players, "players", _SEAT), shares, _SEAT).sort(*_SEAT)
