"""Points and joint value of games, and their means by condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import narwhals as nw
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.errors import UsageError, shown
from negstats.metrics._frames import Frame, grouped, joined, native, opened, with_factors
from negstats.metrics.agreement import ended_without_agreement


def points(
    players: IntoFrameT,
    games: IntoFrame | None = None,
    *,
    without_agreement: float | Literal["batna"] | None = None,
) -> IntoFrameT:
    """Return the points of each seat.

    Unit: the study's points. Denominator: none, one value a seat. Missing where the log has no score.

    Parameters
    ----------
    players
        `game_id`, `player`, `points`; `batna` for the rule ``"batna"``.
    games
        `game_id`, `ended`; needed with a rule.
    without_agreement
        What the study's rules score where a game ended without agreement (`IMPASSE`): a number (DealOrNoDeal 0, CaSiNo
        5), ``"batna"`` (as in the favor game), or None for what the log says.

    Returns
    -------
    frame of the same kind
        `game_id`, `player`, `points`.

    Raises
    ------
    UsageError
        If a rule is given without `games`, or is none of these.
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> players = pd.DataFrame({"game_id": ["g", "g", "h", "h"], "player": ["A", "B"] * 2, "points": [6, 4, 7, 7]})
    >>> games = pd.DataFrame({"game_id": ["g", "h"], "ended": ["agreement", "walkaway"]})
    >>> points(players, games, without_agreement=0)["points"].tolist()
    [6.0, 4.0, 0.0, 0.0]
    """
    key = ["game_id", "player"]
    if without_agreement is None:
        return native(opened(players, "players", [*key, "points"]), players)
    if games is None:
        raise UsageError("without_agreement needs games, the table that says how each game ended")
    if isinstance(without_agreement, str) and without_agreement != "batna":
        raise UsageError(f"without_agreement is {shown(without_agreement)}; give a number, 'batna' or None")
    rule = nw.col("batna") if isinstance(without_agreement, str) else nw.lit(float(without_agreement))
    columns = [*key, "points", *(["batna"] if isinstance(without_agreement, str) else [])]
    seats = joined(opened(players, "players", columns), opened(games, "games", ["game_id", "ended"]), ["game_id"])
    scored = nw.when(ended_without_agreement()).then(rule).otherwise(nw.col("points"))
    return native(seats.select(*key, scored.alias("points")), players)


def joint_value(players: IntoFrameT) -> IntoFrameT:
    """Return the sum of the points of a game's seats.

    Unit: the study's points. Denominator: none, one value a game. Missing where the points of any seat are. Games
    without agreement are in it, with what the log scores them.

    Parameters
    ----------
    players
        `game_id`, `points`.

    Returns
    -------
    frame of the same kind
        `game_id`, `joint_value`; by game.

    Raises
    ------
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> players = pd.DataFrame({"game_id": ["g", "g", "h", "h"], "points": [6, 4, 7, None]})
    >>> joint_value(players)["joint_value"].tolist()
    [10.0, nan]
    """
    seats = opened(players, "players", ["game_id", "points"])
    return native(_joint(seats), players)


def _joint(seats: Frame, *columns: str) -> Frame:
    points = nw.col("points")
    sums = grouped(
        seats, ["game_id", *columns], points.sum().alias("sum"), points.count().alias("known"), nw.len().alias("seats")
    )
    whole = nw.when(nw.col("known") == nw.col("seats")).then(nw.col("sum"))
    return sums.select("game_id", *columns, whole.alias("joint_value"))


def mean_points(players: IntoFrameT, games: IntoFrame, by: Sequence[str] | str = ()) -> IntoFrameT:
    """Return mean and SD of the points of a seat, with and without the games that ended without agreement.

    Unit: the study's points. Denominator: seats whose points are known (`n`); the others are counted in `missing`.
    Each row says in `walkaways` whether games without agreement (`IMPASSE`) are ``in`` or ``out``.

    Parameters
    ----------
    players
        `game_id`, `points`; scored as the study's rules say, see `points`.
    games
        `game_id`, `ended` and the factors.
    by
        Factors: columns of `games`.

    Returns
    -------
    frame of the same kind
        The factors, `walkaways`, `n`, `missing`, `mean`, `sd` (divided by n - 1; missing where n is 1).

    Raises
    ------
    UsageError
        If a factor is not a column of `games`.
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> players = pd.DataFrame({"game_id": ["g", "g", "h", "h"], "points": [6, 4, 0, 0]})
    >>> games = pd.DataFrame({"game_id": ["g", "h"], "ended": ["agreement", "walkaway"]})
    >>> mean_points(players, games)[["walkaways", "n", "mean"]].values.tolist()
    [['in', 4, 2.5], ['out', 2, 5.0]]
    """
    return native(_means(opened(players, "players", ["game_id", "points"]), "points", games, by), players)


def mean_joint_value(players: IntoFrameT, games: IntoFrame, by: Sequence[str] | str = ()) -> IntoFrameT:
    """Return mean and SD of the joint value of a game, with and without those that ended without agreement.

    Unit: the study's points. Denominator: games of which the points of every seat are known (`n`); the others are
    counted in `missing`. Each row says in `walkaways` whether games without agreement (`IMPASSE`) are ``in``
    or ``out``.

    Parameters
    ----------
    players, games, by
        As for `mean_points`.

    Returns
    -------
    frame of the same kind
        The factors, `walkaways`, `n`, `missing`, `mean`, `sd` (divided by n - 1; missing where n is 1).

    Raises
    ------
    UsageError
        If a factor is not a column of `games`.
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> players = pd.DataFrame({"game_id": ["g", "g", "h", "h"], "points": [6, 4, 0, 0]})
    >>> games = pd.DataFrame({"game_id": ["g", "h"], "ended": ["agreement", "walkaway"]})
    >>> mean_joint_value(players, games)[["walkaways", "n", "mean"]].values.tolist()
    [['in', 2, 5.0], ['out', 1, 10.0]]
    """
    seats = _joint(opened(players, "players", ["game_id", "points"]))
    return native(_means(seats, "joint_value", games, by), players)


def _means(frame: Frame, column: str, games: IntoFrame, by: Sequence[str] | str) -> Frame:
    whole = joined(frame, opened(games, "games", ["game_id", "ended"]), ["game_id"])
    rows, factors = with_factors(whole, games, by)
    value = nw.col(column)
    tables = []
    for walkaways, part in (("in", rows), ("out", rows.filter(~ended_without_agreement()))):
        statistics = grouped(
            part,
            factors,
            value.count().alias("n"),
            nw.len().alias("rows"),
            value.mean().alias("mean"),
            value.std(ddof=1).alias("sd"),
        )
        n, rows_there = nw.col("n").cast(nw.Int64), nw.col("rows").cast(nw.Int64)
        counts = [nw.lit(walkaways).alias("walkaways"), n, (rows_there - n).alias("missing")]
        tables.append(statistics.select(*factors, *counts, "mean", "sd"))
    return nw.concat(tables)
