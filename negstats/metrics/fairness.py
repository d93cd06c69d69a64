"""What a player's points are worth to it, given the others' points: Fehr-Schmidt utility (fehr1999).

Any frame of ``players``: the result is of the same kind, lazy if it was lazy.
"""

from __future__ import annotations

import narwhals as nw
from narwhals.typing import IntoFrameT

from negstats.errors import UsageError, shown
from negstats.metrics._frames import grouped, joined, native, opened

# alpha, what it costs to have less than others, and beta, what it costs to have more (chawla2023).
FEHR_SCHMIDT: dict[str, tuple[float, float]] = {
    "selfish": (0.0, 0.0),
    "fair": (0.75, 0.75),
    "envious": (0.0, -1.0),
    "dislikes_being_outdone": (1.0, 0.0),
}


def fehr_schmidt(players: IntoFrameT, parameters: str | tuple[float, float] = "fair") -> IntoFrameT:
    """Return the Fehr-Schmidt utility of each seat's points.

    U_i = x_i - alpha/(n-1) sum_j max(x_j - x_i, 0) - beta/(n-1) sum_j max(x_i - x_j, 0), over the other seats j.

    Unit: the study's points. Denominator: the other seats of the game, n - 1. Missing for every seat of a game in
    which the points of any seat are, and for a seat that is alone. Games without agreement are in it, with what the log
    scores them.

    Equation 1 of Fehr and Schmidt (1999); the named parameters are those of Chawla et al. (2023).

    Parameters
    ----------
    players
        `game_id`, `player`, `points`.
    parameters
        A name of `FEHR_SCHMIDT`, or (alpha, beta).

    Returns
    -------
    frame of the same kind
        `game_id`, `player`, `fehr_schmidt`, `alpha`, `beta`; by game and player.

    Raises
    ------
    UsageError
        If the parameters have no such name.
    SchemaError
        If a column is not there.

    References
    ----------
    - Chawla, K., Wu, I., Rong, Y., Lucas, G., & Gratch, J. (2023). Be selfish, but wisely: Investigating the impact of
      agent personality in mixed-motive human-agent interactions. Proceedings of EMNLP 2023.
    - Fehr, E., & Schmidt, K. M. (1999). A theory of fairness, competition, and cooperation. Quarterly Journal of
      Economics, 114, 817–868.

    Examples
    --------
    >>> import pandas as pd
    >>> players = pd.DataFrame({"game_id": "g", "player": ["A", "B"], "points": [8, 4]})
    >>> fehr_schmidt(players, "fair")["fehr_schmidt"].tolist()
    [5.0, 1.0]
    >>> fehr_schmidt(players, "envious")["fehr_schmidt"].tolist()
    [12.0, 4.0]
    """
    alpha, beta = _parameters(parameters)
    seats = opened(players, "players", ["game_id", "player", "points"])
    other_seats = seats.rename({"player": "other", "points": "other_points"})
    pairs = joined(seats, other_seats, ["game_id"]).filter(nw.col("player") != nw.col("other"))
    advantage = nw.col("points") - nw.col("other_points")
    pairs = pairs.with_columns((-advantage).clip(0.0, None).alias("less"), advantage.clip(0.0, None).alias("more"))
    sums = grouped(
        pairs,
        ["game_id", "player"],
        nw.col("less").sum(),
        nw.col("more").sum(),
        nw.col("less").count().alias("known"),
        nw.len().alias("others"),
    )
    seats_with_sums = joined(seats, sums, ["game_id", "player"]).sort("game_id", "player")
    disutility = (nw.col("less") * alpha + nw.col("more") * beta) / nw.col("others")
    utility = nw.when(nw.col("known") == nw.col("others")).then(nw.col("points") - disutility)
    columns = [utility.alias("fehr_schmidt"), nw.lit(alpha).alias("alpha"), nw.lit(beta).alias("beta")]
    return native(seats_with_sums.select("game_id", "player", *columns), players)


def _parameters(parameters: str | tuple[float, float]) -> tuple[float, float]:
    if isinstance(parameters, str):
        if parameters not in FEHR_SCHMIDT:
            raise UsageError(f"parameters is {shown(parameters)}; give {', '.join(FEHR_SCHMIDT)} or (alpha, beta)")
        return FEHR_SCHMIDT[parameters]
    alpha, beta = parameters
    return float(alpha), float(beta)
