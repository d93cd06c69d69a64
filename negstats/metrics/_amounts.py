"""The amounts of offers: a column of each seat's first or last offer, and the number agreed on for an issue.

An issue, such as a price, has one number for both seats: its items have a quantity that nobody receives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import pandas as pd

_SEAT = ["game_id", "proposer"]


def select_one_offer(tables: Mapping[str, Any], column: str, which: str, name: str) -> pd.DataFrame:
    """Return a column's value in each seat's first or last offer that has one."""
    return _of_seats(_rows(tables, "offers"), column, which, name, tables)


def share_to_responder(tables: Mapping[str, Any]) -> pd.DataFrame:
    """Return the units to the responder as a share of both sides' units."""
    rows: Any = nw.from_native(tables["offers"])
    responder_units, total = nw.col("units_to_responder"), nw.col("units_to_proposer") + nw.col("units_to_responder")
    share = nw.when(total > 0).then(responder_units / total)
    shares: pd.DataFrame = rows.select("game_id", "offer", "proposer", share.alias("share_to_responder")).to_native()
    return shares


def lacking_issue(tables: Mapping[str, Any], issue: str, *, agreed: bool) -> str | None:
    """Return what is lacking for the number of an issue; of the agreed one, in accepted offers."""
    if "items" not in tables or "offers" not in tables:
        return "the study has no items"
    rows = _issue(tables, issue)
    if _is_empty(rows):
        return f"no offer has a number for the issue {issue!r}"
    if agreed and _is_empty(rows.filter(nw.col("response") == "accepted")):
        return f"no accepted offer has a number for the issue {issue!r}"
    return None


def issue_names(tables: Mapping[str, Any]) -> list[str]:
    """Return the issues that have a number in the accepted offer of most games that have one, such as a price."""
    if "items" not in tables or "offers" not in tables:
        return []
    issues = nw.col("receiver").is_null() & ~nw.col("quantity").is_null()
    items = _rows(tables, "items").filter(issues).select("game_id", "offer", "item")
    accepted = _rows(tables, "offers").filter(nw.col("response") == "accepted").select("game_id", "offer")
    games = accepted.select(nw.col("game_id").n_unique()).collect("pyarrow")["game_id"].to_list()[0] or 0
    issue_games = (
        items.join(accepted, on=["game_id", "offer"]).group_by("item").agg(nw.col("game_id").n_unique().alias("n"))
    )
    rows = issue_games.filter(nw.col("n") > games / 2).select("item").collect("pyarrow")
    return sorted(map(str, rows["item"].to_list()))


def agreed_number(tables: Mapping[str, Any], issue: str, name: str) -> pd.DataFrame:
    """Return the number of an issue in each game's accepted offer; where several have one, in the last of them."""
    rows = _issue(tables, issue).filter(nw.col("response") == "accepted")
    last_offers = rows.group_by("game_id").agg(nw.col("offer").max())
    numbers = last_offers.join(rows, on=["game_id", "offer"]).select("game_id", nw.col("quantity").alias(name))
    return _returned(numbers, tables)


def offered_number(tables: Mapping[str, Any], issue: str, which: str, name: str) -> pd.DataFrame:
    """Return the number of an issue in each seat's first or last offer that has one."""
    return _of_seats(_issue(tables, issue), "quantity", which, name, tables)


def _of_seats(rows: Any, column: str, position: str, name: str, tables: Mapping[str, Any]) -> pd.DataFrame:
    amounts = rows.filter(~nw.col(column).is_null())
    offer_number = nw.col("offer").min() if position == "first" else nw.col("offer").max()
    chosen_offers = amounts.group_by(*_SEAT).agg(offer_number)
    amount_of_seats = chosen_offers.join(amounts, on=[*_SEAT, "offer"]).select(
        "game_id", nw.col("proposer").alias("player"), nw.col(column).cast(nw.Float64).alias(name)
    )
    return _returned(amount_of_seats, tables)


def _issue(tables: Mapping[str, Any], issue: str) -> Any:
    """Return the offers that have a number for an issue, with it; what a seat receives is not a number of an issue."""
    of_issue = (nw.col("item") == issue) & nw.col("receiver").is_null() & ~nw.col("quantity").is_null()
    numbers = _rows(tables, "items").filter(of_issue).select("game_id", "offer", "quantity")
    offers = _rows(tables, "offers").select("game_id", "offer", "proposer", "response")
    return numbers.join(offers, on=["game_id", "offer"])


def _rows(tables: Mapping[str, Any], table: str) -> Any:
    return nw.from_native(tables[table]).lazy()


def _is_empty(rows: Any) -> bool:
    return len(rows.head(1).collect("pyarrow")) == 0


def _returned(rows: Any, tables: Mapping[str, Any]) -> pd.DataFrame:
    """Return rows as a frame of the kind of the tables."""
    frame: pd.DataFrame = (rows.collect() if isinstance(tables["offers"], pd.DataFrame) else rows).to_native()
    return frame
