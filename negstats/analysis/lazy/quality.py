"""How good the data of a lazy study are, counted by its engine; see `negstats.analysis.questions.quality`.

Whether an offer or all offers of a game are those of another is not looked for: it takes their items side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw

from negstats.analysis.lazy.frames import Lazy, count, home, ones
from negstats.analysis.questions import quality as said
from negstats.studies import LazyStudy

__all__ = ["quality"]

PLACE = {"offers": "offer", "messages": "message"}
SEAT = {"offers": "proposer", "messages": "sender"}


def quality(study: LazyStudy, outcomes: Mapping[str, tuple[int, int]]) -> list[dict[str, Any]]:
    """Return what was looked for, how often it was found, and among how many; outcomes as values missing and rows."""
    people = study.frame("players").filter(~(nw.col("kind") == "agent").fill_null(False))
    rows = [said.row(said.MISSING.format(name), *found) for name, found in sorted(outcomes.items())]
    rows.append(said.row(said.NOBODY, *_counted(people, nw.col("participant_id").is_null())))
    for name in PLACE:
        rows += _back(study, name)
    return [*rows, *_impossible(study), *_duplicated(study), *_too_fast(study)]


def _counted(frame: Lazy, mark: nw.Expr) -> tuple[int, int]:
    found = home(frame.select(ones(mark).alias("hit"), nw.len().alias("of")))
    return int(found["hit"].fillna(0).iloc[0]), int(found["of"].iloc[0])


def _back(study: LazyStudy, name: str) -> list[dict[str, Any]]:
    timed = study.frame(name).filter(~nw.col("time_s").is_null())
    before = nw.col("time_s").shift(1).over("game_id", order_by=PLACE[name])
    marked = timed.with_columns(before.alias("before"))
    hit, of = _counted(marked, (nw.col("time_s") < nw.col("before")).fill_null(False) | (nw.col("time_s") < 0))
    return [said.row(said.BACK.format(name), hit, of)] if of else []


def _impossible(study: LazyStudy) -> list[dict[str, Any]]:
    rows = []
    there = study.frame("values").filter(~nw.col("available").is_null())
    items = study.frame("items")
    if count(there.head(1)) and count(items.head(1)):
        most = there.group_by("game_id", "item").agg(nw.col("available").max())
        held = items.filter(~nw.col("quantity").is_null())
        given = held.group_by("game_id", "offer", "item").agg(nw.col("quantity").sum())
        both = given.join(most, on=["game_id", "item"], how="left")
        rows.append(said.row(said.TOO_MUCH, *_counted(both, nw.col("quantity") > nw.col("available") + 1e-9)))
    offers = study.frame("offers")
    if count(offers.head(1)):
        accepted = offers.filter(nw.col("response") == "accepted").group_by("game_id").agg(nw.len().alias("deals"))
        ended = study.frame("games").filter(nw.col("ended") == "agreement").select("game_id")
        rows.append(
            said.row(said.TWO_DEALS, *_counted(ended.join(accepted, on="game_id", how="left"), nw.col("deals") > 1))
        )
    return rows


def _again(frame: Lazy, keys: list[str]) -> tuple[int, int]:
    """Return how many rows repeat an earlier one, and how many there are."""
    alike = frame.group_by(*keys).agg(nw.len().alias("n"))
    found = home(alike.select((nw.col("n") - 1).sum().alias("hit"), nw.col("n").sum().alias("of")))
    return int(found["hit"].fillna(0).iloc[0]), int(found["of"].fillna(0).iloc[0])


def _duplicated(study: LazyStudy) -> list[dict[str, Any]]:
    rows = []
    people = study.frame("players").filter(~nw.col("participant_id").is_null())
    told = study.frame("messages").filter(~nw.col("time_s").is_null())
    for what, frame, keys in (
        (said.TWO_SEATS, people, ["game_id", "participant_id"]),
        (said.SAID_TWICE, told, ["game_id", "sender", "time_s", "text", "act"]),
    ):
        hit, of = _again(frame, keys)
        rows += [said.row(what, hit, of)] if of else []
    return rows


def _too_fast(study: LazyStudy) -> list[dict[str, Any]]:
    people = study.frame("players").filter(nw.col("kind") == "human").select("game_id", "player")
    if not count(people.head(1)):
        return []
    parts = [
        study.frame(name).select(
            "game_id", "time_s", nw.col(SEAT[name]).alias("player"), nw.lit(at).alias("table"),
            nw.col(PLACE[name]).cast(nw.Int64).alias("place"),
        )
        for at, name in enumerate(PLACE)
    ]  # fmt: skip
    acts = nw.concat(parts).filter(~nw.col("time_s").is_null())
    acts = acts.group_by("game_id", "time_s", "player").agg(nw.col("table").min(), nw.col("place").min())
    if not count(acts.head(1)):
        return []
    order = ["time_s", "table", "place"]
    before = [nw.col(name).shift(1).over("game_id", order_by=order).alias(f"{name}_before")
              for name in ("time_s", "player")]  # fmt: skip
    mine = people.with_columns(nw.lit(1).alias("human"))
    follows = study.keep(acts.with_columns(*before)).join(mine, on=["game_id", "player"])
    answers = follows.filter(~nw.col("player_before").is_null() & (nw.col("player_before") != nw.col("player")))
    fast = nw.col("time_s") - nw.col("time_s_before") < said.TOO_FAST
    return [said.row(said.FAST, *_counted(answers, fast))]
