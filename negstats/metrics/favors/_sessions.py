"""From tables to arrays: what happened in each negotiation of every session of the favor game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from narwhals.typing import IntoFrame

from negstats.errors import SchemaError, shown
from negstats.metrics._frames import collected

Numbers = npt.NDArray[Any]

REQUEST = "favor-request"
ANSWERS = {"accepted": 1.0, "rejected": 0.0}
GAMES = ("game_id", "session", "negotiation")
OFFERS = ("game_id", "proposer", "responder", "value_proposer", "value_responder", "framing", "response")
PLAYERS = ("game_id", "player", "points", "batna")


@dataclass(frozen=True, slots=True)
class Sessions:
    """Some negotiations of every session; what is not known is missing (NaN).

    Attributes
    ----------
    names
        The sessions, sorted (sessions,).
    asked, good, accepted
        1 or 0 (sessions, negotiations): the offer is framed as a request, gives the responder more than its BATNA, is
        accepted.
    offers, points, batnas
        (sessions, negotiations, 2): responder (the player) and proposer (the agent).
    """

    names: Numbers
    asked: Numbers
    good: Numbers
    accepted: Numbers
    offers: Numbers
    points: Numbers
    batnas: Numbers


def sessions_of(games: IntoFrame, offers: IntoFrame, players: IntoFrame, negotiations: Sequence[int]) -> Sessions:
    """Return negotiations, in the order in which they are named, of every session of the tables.

    Parameters
    ----------
    games
        `game_id`, `session`, `negotiation`.
    offers
        `game_id`, `proposer`, `responder`, `value_proposer`, `value_responder`, `framing`, `response`.
    players
        `game_id`, `player`, `points`, `batna`.
    negotiations
        Their numbers.

    Raises
    ------
    SchemaError
        If a column is not there, a session has two games of one number, or such a game has two offers.
    """
    game_rows = collected(games, "games", GAMES).dropna(subset=["session"])
    names, session = np.unique(game_rows["session"].to_numpy(dtype=object), return_inverse=True)
    number = numbers_of(game_rows["negotiation"])
    place = pd.Series(range(len(negotiations)), index=list(negotiations)).reindex(number).to_numpy(dtype=np.float64)
    game_rows = game_rows.assign(cell=session * len(negotiations) + place)[~np.isnan(place)]
    _refuse_twice(game_rows, "games", "cell", "{} has two games of negotiation {}", ["session", "negotiation"])
    offer_rows = collected(offers, "offers", OFFERS).merge(game_rows[["game_id", "cell"]], on="game_id")
    _refuse_twice(
        offer_rows, "offers", "game_id", "game {} has two offers; in the favor game each has one", ["game_id"]
    )
    seats = collected(players, "players", PLAYERS).set_index(["game_id", "player"])[["points", "batna"]]
    cells = offer_rows["cell"].to_numpy(dtype=np.intp)
    both = [
        seats.reindex(pd.MultiIndex.from_frame(offer_rows[["game_id", seat]])).to_numpy(dtype=np.float64)
        for seat in ("responder", "proposer")
    ]
    worth = offer_rows[["value_responder", "value_proposer"]].to_numpy(dtype=np.float64)
    batnas = np.stack([seat[:, 1] for seat in both], axis=-1)
    framing = offer_rows["framing"]
    requests = np.where(framing.isna(), np.nan, (framing == REQUEST).to_numpy(dtype=np.float64))
    has_values = ~np.isnan(worth[:, 0]) & ~np.isnan(batnas[:, 0])
    good = np.where(has_values, worth[:, 0] > batnas[:, 0], np.nan)

    def fill(values: Numbers) -> Numbers:
        shape = (len(names), len(negotiations), *values.shape[1:])
        table = np.full((len(names) * len(negotiations), *values.shape[1:]), np.nan)
        table[cells] = values
        return table.reshape(shape)

    return Sessions(
        names,
        fill(requests),
        fill(good),
        fill(offer_rows["response"].map(ANSWERS).to_numpy(dtype=np.float64)),
        fill(worth),
        fill(np.stack([seat[:, 0] for seat in both], axis=-1)),
        fill(batnas),
    )


def numbers_of(values: pd.Series) -> Numbers:
    """Return the numbers of negotiations; raises SchemaError if one is none."""
    try:
        return pd.to_numeric(values).to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError):
        wrong = values[pd.to_numeric(values, errors="coerce").isna() & values.notna()].iloc[0]
        raise SchemaError(
            f"{shown(wrong)} is not a number of a negotiation", table="games", column="negotiation"
        ) from None


def _refuse_twice(rows: pd.DataFrame, table: str, column: str, reason: str, key_columns: Sequence[str]) -> None:
    is_repeat = rows[column].duplicated()
    if is_repeat.any():
        [row] = rows.loc[is_repeat, list(key_columns)].head(1).to_dict("records")
        raise SchemaError(reason.format(*map(shown, row.values())), table=table, column=key_columns[-1])
