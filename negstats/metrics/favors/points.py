"""Points of a session's seats over several negotiations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.errors import UsageError
from negstats.metrics._frames import collected, returned
from negstats.metrics.favors._sessions import numbers_of


def session_points(
    games: IntoFrameT, players: IntoFrame, by: Sequence[str] | str = (), *, negotiations: Sequence[int] = (1, 2, 3, 4)
) -> IntoFrameT:
    """Return the points of each seat over all negotiations of a session, and their joint value.

    Unit: points. Denominator: none, one row a session and seat. Missing where one of the negotiations is, or a seat's
    points in it are not known.

    Parameters
    ----------
    games
        `game_id`, `session`, `negotiation`.
    players
        `game_id`, `player`, `points`.
    by
        Factors, columns of `games`, to give beside; as they are in the session's first row.
    negotiations
        Which are added up, by number.

    Returns
    -------
    frame of the same kind
        `session`, the factors, `player` (the seat), `points`, `joint_value`; by session and seat.

    Raises
    ------
    UsageError
        If no negotiation is named, or a factor is not a column of `games`.
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> from negstats.simulate.favors import as_study, favor_games_of
    >>> study = as_study(favor_games_of("favor-seeking", sessions=1, seed=4))
    >>> session_points(study.games, study.players)[["player", "points", "joint_value"]].values.tolist()
    [['agent', 66.0, 132.0], ['player', 66.0, 132.0]]
    """
    if not negotiations:
        raise UsageError("negotiations is empty; name those that are added up")
    factors = [by] if isinstance(by, str) else list(by)
    game_table: Any = nw.from_native(games)
    lacking = [name for name in factors if name not in game_table.collect_schema().names()]
    if lacking:
        raise UsageError(f"by names {lacking[0]!r}, which is not a column of games")
    game_rows = collected(games, "games", ["game_id", "session", "negotiation", *factors]).dropna(subset="session")
    heads = game_rows.drop_duplicates("session")[["session", *factors]]
    those_negotiations = game_rows[np.isin(numbers_of(game_rows["negotiation"]), list(negotiations))]
    seats = collected(players, "players", ["game_id", "player", "points"])
    every = seats[seats["game_id"].isin(game_rows["game_id"])].merge(game_rows[["game_id", "session"]], on="game_id")
    rows = every[["session", "player"]].drop_duplicates().sort_values(["session", "player"])
    seat_points = seats.merge(those_negotiations[["game_id", "session"]], on="game_id").groupby(["session", "player"])[
        "points"
    ]
    totals = seat_points.agg(points="sum", known="count").reset_index()
    seat_totals = rows.merge(totals, on=["session", "player"], how="left")
    seat_totals["points"] = seat_totals["points"].where(seat_totals["known"] == len(set(negotiations)))
    joint = seat_totals.groupby("session")["points"].agg(lambda points: points.sum(skipna=False))
    seat_totals["joint_value"] = seat_totals["session"].map(joint)
    columns = ["session", *factors, "player", "points", "joint_value"]
    return returned(pd.DataFrame(seat_totals.merge(heads, on="session")[columns]), games)
