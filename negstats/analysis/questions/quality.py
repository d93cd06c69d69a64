"""How good a study's data are, counted: missing, impossible, duplicated, too fast."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from negstats.studies.study import Study

__all__ = [
    "BACK", "FAST", "MISSING", "NOBODY", "SAID_TWICE", "SAME_GAME", "SAME_OFFER", "TOO_FAST", "TOO_MUCH", "TWO_DEALS",
    "TWO_SEATS", "quality", "row",
]  # fmt: skip

TOO_FAST = 1.0  # seconds after what came before in which nobody reads an offer and answers it

MISSING = "missing values of {}"
NOBODY = "seats without a participant id"
BACK = "{} out of order in time, or before 0"
TOO_MUCH = "offers that give more of an item than the game has"
TWO_DEALS = "agreed games with more than one accepted offer"
TWO_SEATS = "people in two seats of one game"
SAID_TWICE = "messages repeated at the same time"
SAME_OFFER = "offers repeated with all columns and their time or round"
SAME_GAME = "games with identical offers"
FAST = f"replies within {TOO_FAST:g} s"


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
    rows = [row(MISSING.format(name), *found) for name, found in sorted(outcomes.items())]
    people = study.players[study.players["kind"] != "agent"]
    rows.append(_row(NOBODY, people["participant_id"].isna(), len(people)))
    rows += _impossible(study)
    rows += _duplicated(study)
    return [*rows, *_too_fast(study)]


def row(what: str, count: int, of: int) -> dict[str, Any]:
    """Return what was looked for, how often it was found, and among how many."""
    return {"what": what, "count": count, "of": of}


def _row(what: str, hit: Any, of: int) -> dict[str, Any]:
    return row(what, int(np.asarray(hit, dtype=bool).sum()), int(of))


def _impossible(study: Study) -> list[dict[str, Any]]:
    rows = []
    for name in ("offers", "messages"):
        frame = study.tables[name]
        timed = frame[frame["time_s"].notna()]
        if len(timed):
            back = timed.groupby("game_id", sort=False)["time_s"].diff() < 0
            rows.append(_row(BACK.format(name),
                             back | (timed["time_s"] < 0), len(timed)))  # fmt: skip
    worth = study.tables["values"]
    there = worth[worth["available"].notna()]
    if len(there) and len(study.items):
        most = there.groupby(["game_id", "item"], sort=False)["available"].max()
        given = study.items.groupby(["game_id", "offer", "item"], sort=False)["quantity"].sum(min_count=1).dropna()
        keys = pd.MultiIndex.from_arrays([given.index.get_level_values(0), given.index.get_level_values(2)])
        available = most.reindex(keys).to_numpy()
        rows.append(_row(TOO_MUCH,
                         given.to_numpy() > available + 1e-9, len(given)))  # fmt: skip
    accepted = study.offers.loc[study.offers["response"] == "accepted", "game_id"]
    ended = study.games.loc[study.games["ended"] == "agreement", "game_id"]
    if len(study.offers):
        found = accepted.value_counts().reindex(ended, fill_value=0)
        rows.append(_row(TWO_DEALS, found > 1, len(ended)))
    return rows


def _duplicated(study: Study) -> list[dict[str, Any]]:
    rows = []
    people = study.players[study.players["participant_id"].notna()]
    if len(people):
        twice = people.duplicated(["game_id", "participant_id"])
        rows.append(_row(TWO_SEATS, twice, len(people)))
    said = study.messages[study.messages["time_s"].notna()]
    if len(said):
        again = said.duplicated(["game_id", "sender", "time_s", "text", "act"])
        rows.append(_row(SAID_TWICE, again, len(said)))
    if len(study.offers):
        rows.append(_row(SAME_OFFER, *_repeated_offers(study)))
        rows_alike = pd.util.hash_pandas_object(study.offers.drop(columns=["game_id"]), index=False)
        games = rows_alike.groupby(study.offers["game_id"], sort=False).agg(tuple)
        long = games[study.offers.groupby("game_id", sort=False).size() > 2]  # short games can be alike by chance
        rows.append(_row(SAME_GAME, long.duplicated(), len(games)))
    return rows


WHEN = ["round", "time_s", "time_share"]


def _repeated_offers(study: Study) -> tuple[Any, int]:
    """Return which offers repeat an earlier one with its items and its time or round, and of how many these are known.

    Without either, somebody who offers the same again looks alike.
    """
    dated = study.offers[study.offers[WHEN].notna().any(axis="columns")]
    columns = [name for name in dated.columns if name != "offer"]
    if len(study.items):
        contents = pd.util.hash_pandas_object(study.items[["item", "receiver", "quantity", "option"]], index=False)
        keys = [study.items["game_id"], study.items["offer"]]
        packed = contents.groupby(keys, sort=False).agg(lambda rows: hash(tuple(sorted(rows)))).rename("contents")
        dated = dated.join(packed, on=["game_id", "offer"])
        columns.append("contents")
    return dated.duplicated(columns), len(dated)


def _too_fast(study: Study) -> list[dict[str, Any]]:
    people = study.players.loc[study.players["kind"] == "human", ["game_id", "player"]]
    if people.empty:
        return []
    seats = pd.MultiIndex.from_frame(people)
    parts = [
        study.tables[name][["game_id", "time_s", seat]].rename(columns={seat: "player"})
        for name, seat in (("offers", "proposer"), ("messages", "sender"))
    ]
    acts = pd.concat(parts, ignore_index=True).dropna(subset=["time_s"])
    acts = acts.drop_duplicates().sort_values(["game_id", "time_s"], kind="stable", ignore_index=True)
    if acts.empty:
        return []
    before = acts.groupby("game_id", sort=False)[["time_s", "player"]].shift()
    answers = (before["player"].notna() & (before["player"] != acts["player"])).to_numpy()
    human = pd.MultiIndex.from_frame(acts[["game_id", "player"]]).isin(seats)
    gap = (acts["time_s"] - before["time_s"]).to_numpy()
    fast = answers & human & (gap < TOO_FAST)
    return [_row(FAST, fast, int((answers & human).sum()))]
