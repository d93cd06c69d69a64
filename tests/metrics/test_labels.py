"""Measures of labels: by hand, the edges, their names, and what is said where a label does not occur."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats import metrics
from negstats.tables import conform


def talk(*labelled: str) -> pd.DataFrame:
    """Messages written as "A offer,reason"; "A -" has no label, "A ?" is not annotated."""
    seats, labels = zip(*(one.split(" ", 1) for one in labelled), strict=True)
    texts = [{"-": "", "?": None}.get(one, one) for one in labels]
    rows = {"game_id": ["g"] * len(seats), "message": list(range(1, len(seats) + 1)), "sender": seats, "labels": texts}
    return conform("messages", rows)


SEATS = conform("players", {"game_id": ["g"] * 3, "player": ["A", "B", "C"]})
TABLES = {"games": conform("games", {"game_id": ["g"], "ended": ["agreement"]}), "players": SEATS}


def test_shares_by_hand() -> None:
    said = talk("A offer,reason", "A -", "A ?", "B offer", "B self-offer")
    shares = metrics.label_shares(said, SEATS, labels=["offer", "reason"])
    assert shares["offer_share"].tolist()[:2] == [0.5, 0.5]  # self-offer is another label
    assert shares["reason_share"].tolist()[:2] == [0.5, 0.0]
    assert shares["offer_share"].isna().tolist() == [False, False, True]


def test_replies_by_hand() -> None:
    # B replies to A's two offers, once with a reason; A's message after its own offer is no reply, "?" is passed over
    said = talk("A offer", "B reason", "A offer", "A reason", "B -", "A offer", "A ?", "B offer,reason")
    replies = metrics.label_replies(said, SEATS, to="offer", label="reason")["replies"]
    assert replies.tolist()[1] == 1.0  # two replies to an offer, both with a reason
    assert replies.isna().tolist() == [True, False, True]
    to_reason = metrics.label_replies(said, SEATS, to="reason", label="offer")["replies"]
    assert to_reason.tolist()[:2] == [1.0, 0.0]


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from(["x", "y", ""])), min_size=1, max_size=20))
def test_replies_with_each_label_and_none_sum_to_one(turns: list[tuple[str, str]]) -> None:
    said = talk(*(f"{seat} {label or '-'}" for seat, label in turns))
    x = metrics.label_replies(said, SEATS, to="x", label="x")["replies"]
    y = metrics.label_replies(said, SEATS, to="x", label="y")["replies"]
    bare = talk(*(f"{seat} {label or 'bare'}" for seat, label in turns))
    rest = metrics.label_replies(bare, SEATS, to="x", label="bare")["replies"]
    assert (x + y + rest).dropna().round(9).eq(1).all()


def test_names_of_measures() -> None:
    tables = TABLES | {"messages": talk("A offer", "B reason", "B offer")}
    share = metrics.measure("labels.offer")
    assert (share.per, share.unit) == ("player", "share of messages")
    assert share.compute(tables)["labels.offer"].tolist()[:2] == [1.0, 0.5]
    assert metrics.measure("replies.offer:reason").compute(tables)["replies.offer:reason"].tolist()[1] == 1.0
    assert metrics.measure_in(tables, "labels.offer").unit == "share of messages"
