"""How good a study's data are, counted: missing, impossible, duplicated, too fast."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import pandas as pd

from negstats.analysis.questions.frames import Lazy, count, home, ones
from negstats.analysis.questions.repeats import WHEN, find_repeated_games
from negstats.studies.study import Study

TOO_FAST = 1.0  # seconds after what came before in which nobody reads an offer and answers it

MISSING = "missing values of "
NOBODY = "seats of people without a participant ID"
BACK = "{} out of order in time or before 0"
TOO_MUCH = "offers that give more of an item than the game has"
TWO_DEALS = "agreed games with more than one accepted offer"
TWO_SEATS = "people in two seats of one game"
SAID_TWICE = "messages repeated at the same time"
SAME_OFFER = "offers that repeat an earlier one in all columns, with its time or round"
SAME_GAME = "games with identical offers"
FAST = f"replies within {TOO_FAST:g} s"


PLACE = {"offers": "offer", "messages": "message"}
SEAT = {"offers": "proposer", "messages": "sender"}


def quality(study: Study, outcomes: Mapping[str, tuple[int, int]]) -> list[dict[str, Any]]:
    """Return what was looked for, how often it was found, and among how many.

    Parameters
    ----------
    study
        The study without what the plan leaves out.
    outcomes
        How many of the rows that were asked for lack each outcome, and how many there are, by its name.

    Examples
    --------
    >>> import negstats
    >>> found = quality(negstats.load("datasets/sample"), {"points": (1, 2)})
    >>> found[0]
    {'what': 'missing values of points', 'count': 1, 'of': 2}
    """
    study = study.with_frames()
    people = study.frame("players").filter(~(nw.col("kind") == "agent").fill_null(False))
    rows = [row(f"{MISSING}{name}", *counts) for name, counts in sorted(outcomes.items())]
    rows.append(row(NOBODY, *_count_marked(people, nw.col("participant_id").is_null())))
    for name in PLACE:
        rows += _back(study, name)
    rows += [*_impossible(study), *_duplicated(study), *_find_repeated(study), *_too_fast(study)]
    return [counts for counts in rows if counts["of"]]  # what there is none of was not looked at


def row(what: str, count: int, of: int) -> dict[str, Any]:
    """Return what was looked for, how often it was found, and among how many."""
    return {"what": what, "count": count, "of": of}


def _count_marked(frame: Lazy, mark: nw.Expr) -> tuple[int, int]:
    counts_row = home(frame.select(ones(mark).alias("hit"), nw.len().alias("of")))
    return int(counts_row["hit"].fillna(0).iloc[0]), int(counts_row["of"].iloc[0])


def _back(study: Study, name: str) -> list[dict[str, Any]]:
    timed = study.frame(name).filter(~nw.col("time_s").is_null())
    earlier_time = nw.col("time_s").shift(1).over("game_id", order_by=PLACE[name])
    timed_rows = timed.with_columns(earlier_time.alias("before"))
    is_earlier = (nw.col("time_s") < nw.col("before")).fill_null(False)
    n_found, total = _count_marked(timed_rows, is_earlier | (nw.col("time_s") < 0))
    return [row(BACK.format(name), n_found, total)]


def _impossible(study: Study) -> list[dict[str, Any]]:
    rows = []
    available_values = study.frame("values").filter(~nw.col("available").is_null())
    items = study.frame("items")
    if count(available_values.head(1)) and count(items.head(1)):
        most = available_values.group_by("game_id", "item").agg(nw.col("available").max())
        item_rows = items.filter(~nw.col("quantity").is_null())
        item_totals = item_rows.group_by("game_id", "offer", "item").agg(nw.col("quantity").sum())
        offered = item_totals.join(most, on=["game_id", "item"], how="left")
        rows.append(row(TOO_MUCH, *_count_marked(offered, nw.col("quantity") > nw.col("available") + 1e-9)))
    offers = study.frame("offers")
    if count(offers.head(1)):
        deal_counts = offers.filter(nw.col("response") == "accepted").group_by("game_id").agg(nw.len().alias("deals"))
        agreement_games = study.frame("games").filter(nw.col("ended") == "agreement").select("game_id")
        rows.append(
            row(
                TWO_DEALS,
                *_count_marked(agreement_games.join(deal_counts, on="game_id", how="left"), nw.col("deals") > 1),
            )
        )
    return rows


def _count_repeats(frame: Lazy, keys: list[str]) -> tuple[int, int]:
    """Return how many rows repeat an earlier one, and how many there are."""
    alike = frame.group_by(*keys).agg(nw.len().alias("n"))
    repeat_counts = home(alike.select((nw.col("n") - 1).sum().alias("hit"), nw.col("n").sum().alias("of")))
    return int(repeat_counts["hit"].fillna(0).iloc[0]), int(repeat_counts["of"].fillna(0).iloc[0])


def _duplicated(study: Study) -> list[dict[str, Any]]:
    rows = []
    people = study.frame("players").filter(~nw.col("participant_id").is_null())
    timed_messages = study.frame("messages").filter(~nw.col("time_s").is_null())
    for what, frame, keys in (
        (TWO_SEATS, people, ["game_id", "participant_id"]),
        (SAID_TWICE, timed_messages, ["game_id", "sender", "time_s", "text", "act"]),
    ):
        n_found, total = _count_repeats(frame, keys)
        rows.append(row(what, n_found, total))
    return rows


def _find_repeated(study: Study) -> list[dict[str, Any]]:
    """Return offers and games that are those of another; their items are put side by side, so rows come home."""
    if not study.in_memory or not study.rows("offers"):
        return []
    rows = [_row(SAME_OFFER, *_find_repeated_offers(study.offers, study.items))]
    return [*rows, _row(SAME_GAME, *_find_repeated_games(study))]


def _find_repeated_games(study: Study) -> tuple[Any, int]:
    """Return which games repeat an earlier one offer by offer, and of how many; short games of people can by chance."""
    if bool((study.players["kind"] == "agent").all()):
        alike = find_repeated_games(study, are_named=False)
        return alike, len(alike)
    offers = study.offers
    rows_alike = pd.util.hash_pandas_object(offers.drop(columns=["game_id"]), index=False)
    games = rows_alike.groupby(offers["game_id"], sort=False).agg(tuple)
    return games[offers.groupby("game_id", sort=False).size() > 2].duplicated(), len(games)


def _row(what: str, hit: Any, of: int) -> dict[str, Any]:
    return row(what, int(hit.sum()), int(of))


def _find_repeated_offers(offers: pd.DataFrame, items: pd.DataFrame) -> tuple[Any, int]:
    """Return which offers repeat an earlier one with its items and its time or round, and of how many these are known.

    Without either, somebody who offers the same again looks alike.
    """
    dated = offers[offers[WHEN].notna().any(axis="columns")]
    columns = [name for name in dated.columns if name != "offer"]
    if len(items):
        contents = pd.util.hash_pandas_object(items[["item", "receiver", "quantity", "option"]], index=False)
        keys = [items["game_id"], items["offer"]]
        packed = contents.groupby(keys, sort=False).agg(lambda rows: hash(tuple(sorted(rows)))).rename("contents")
        dated = dated.join(packed, on=["game_id", "offer"])
        columns.append("contents")
    return dated.duplicated(columns), len(dated)


def _too_fast(study: Study) -> list[dict[str, Any]]:
    people = study.frame("players").filter(nw.col("kind") == "human").select("game_id", "player")
    if not count(people.head(1)):
        return []
    parts = [
        study.frame(name).select(
            "game_id", "time_s", nw.col(SEAT[name]).alias("player"), nw.lit(place).alias("table"),
            nw.col(PLACE[name]).cast(nw.Int64).alias("place"),
        )
        for place, name in enumerate(PLACE)
    ]  # fmt: skip
    acts = nw.concat(parts).filter(~nw.col("time_s").is_null())
    acts = acts.group_by("game_id", "time_s", "player").agg(nw.col("table").min(), nw.col("place").min())
    if not count(acts.head(1)):
        return []
    order = ["time_s", "table", "place"]
    earlier_acts = [nw.col(name).shift(1).over("game_id", order_by=order).alias(f"{name}_before")
              for name in ("time_s", "player")]  # fmt: skip
    mine = people.with_columns(nw.lit(1).alias("human"))
    follows = study.keep(acts.with_columns(*earlier_acts)).join(mine, on=["game_id", "player"])
    answers = follows.filter(~nw.col("player_before").is_null() & (nw.col("player_before") != nw.col("player")))
    fast = nw.col("time_s") - nw.col("time_s_before") < TOO_FAST
    return [row(FAST, *_count_marked(answers, fast))]
