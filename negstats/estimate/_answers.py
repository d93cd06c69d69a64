"""The offers of one role's players and how they were answered, out of a study's tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
from narwhals.typing import IntoFrame

from negstats.errors import SchemaError, UsageError, shown

__all__ = ["Answers", "answers", "human_offers"]

_OFFERS = ["game_id", "offer", "proposer", "units_to_proposer", "units_to_responder", "response"]
_PLAYERS = ["game_id", "player", "role", "kind"]


@dataclass(frozen=True, slots=True)
class Answers:
    """Offers that were accepted or refused. Arrays have one entry an offer.

    Attributes
    ----------
    benefit
        To the one who was asked, in points.
    accepted
        Whether it was accepted.
    game
        The number of the game, from 0.
    unanswered
        How many offers had no answer of their own (superseded, none) or no units; they are not in the arrays.
    """

    benefit: npt.NDArray[np.float64]
    accepted: npt.NDArray[np.bool_]
    game: npt.NDArray[np.int64]
    unanswered: int = 0

    @property
    def games(self) -> int:
        """How many games have an answered offer."""
        return int(self.game.max()) + 1 if len(self.game) else 0


def human_offers(offers: IntoFrame, players: IntoFrame) -> pd.DataFrame:
    """Return the offers of games in which every seat is a human's, with the proposer's `role` and the `generosity`.

    Raises
    ------
    SchemaError
        If a column is not there.
    """
    seats = _pandas(players, "players", _PLAYERS)
    human = seats["kind"].eq("human").fillna(False).groupby(seats["game_id"]).transform("all")
    roles = seats.loc[human, ["game_id", "player", "role"]].rename(columns={"player": "proposer"})
    made = _pandas(offers, "offers", _OFFERS).merge(roles, on=["game_id", "proposer"])
    made["generosity"] = made["units_to_responder"].astype(float) - made["units_to_proposer"].astype(float)
    return made


def answers(made: pd.DataFrame, role: str, points_per_unit: float) -> Answers:
    """Return how the offers by a role were answered.

    Raises
    ------
    UsageError
        If nobody of this role made an offer, naming the roles that did.
    """
    of_role = made[made["role"] == role]
    if of_role.empty:
        roles = ", ".join(map(str, made["role"].dropna().unique())) or "nobody"
        raise UsageError(f"role is {shown(role)}; in human-only games offers were made by {roles}")
    answered = of_role[of_role["response"].isin(["accepted", "rejected"]) & of_role["generosity"].notna()]
    return Answers(
        answered["generosity"].to_numpy(dtype=float) * points_per_unit,
        answered["response"].eq("accepted").to_numpy(dtype=bool),
        pd.factorize(answered["game_id"])[0].astype(np.int64),
        len(of_role) - len(answered),
    )


def _pandas(frame: IntoFrame, table: str, columns: list[str]) -> pd.DataFrame:
    known: Any = nw.from_native(frame).lazy()
    names = known.collect_schema().names()
    for column in columns:
        if column not in names:
            raise SchemaError(f"the column is not there; there are {', '.join(names)}", table=table, column=column)
    found: pd.DataFrame = known.select(*columns).collect("pandas").to_native()
    return found.reset_index(drop=True)
