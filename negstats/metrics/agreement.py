"""Agreement and walk-aways: how games end. One row a game, or one a condition."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
from narwhals.typing import IntoFrameT

from negstats.metrics._frames import factors_among, grouped, native, opened
from negstats.metrics._rates import rate

# How a game can end without agreement. In games that end on a goal, or by nobody moving, agreement is not the end.
IMPASSE = ("walkaway", "disagreement", "timeout", "disconnect")


def agreed(games: IntoFrameT) -> IntoFrameT:
    """Return whether each game ended in agreement.

    Unit: 1 or 0. Denominator: none, one value a game. Missing where it is not known how the game ended, and where
    agreement is not how games end (``goal``, ``dormant``: the players of the contract game agree on the way).

    Parameters
    ----------
    games
        `game_id`, `ended`.

    Returns
    -------
    frame of the same kind
        `game_id`, `agreed`.

    Raises
    ------
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> games = pd.DataFrame({"game_id": ["f", "g", "h"], "ended": ["agreement", "timeout", "unknown"]})
    >>> agreed(games)["agreed"].tolist()
    [1.0, 0.0, nan]
    """
    return native(
        opened(games, "games", ["game_id", "ended"]).select("game_id", _agreement_value().alias("agreed")), games
    )


def walked_away(games: IntoFrameT) -> IntoFrameT:
    """Return whether each game ended because somebody walked away.

    Unit: 1 or 0. Denominator: none, one value a game. Missing where it is not known how the game ended. A timeout or
    a lost connection is not a walk-away.

    Parameters
    ----------
    games
        `game_id`, `ended`.

    Returns
    -------
    frame of the same kind
        `game_id`, `walked_away`.

    Raises
    ------
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> games = pd.DataFrame({"game_id": ["f", "g", "h"], "ended": ["agreement", "walkaway", "unknown"]})
    >>> walked_away(games)["walked_away"].tolist()
    [0.0, 1.0, nan]
    """
    ends = opened(games, "games", ["game_id", "ended"])
    return native(ends.select("game_id", _walkaway_value().alias("walked_away")), games)


def walk_away_rate(games: IntoFrameT, by: Sequence[str] | str = (), *, confidence_level: float = 0.95) -> IntoFrameT:
    """Return the share of games that ended because somebody walked away, with its Wilson interval.

    Unit: a share. Denominator: games of which it is known how they ended (`n`); the others are counted in `missing`.

    Parameters
    ----------
    games
        `game_id`, `ended` and the factors.
    by
        Factors: columns of `games`.
    confidence_level
        Of the interval.

    Returns
    -------
    frame of the same kind
        The factors, `n`, `count`, `missing`, `rate`, `low`, `high`, `level`.

    Raises
    ------
    UsageError
        If a factor is not a column of `games` or the level is not between 0 and 1.
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> games = pd.DataFrame({"game_id": list("fgh"), "ended": ["agreement", "walkaway", "unknown"]})
    >>> walk_away_rate(games)[["n", "count", "missing", "rate"]].values.tolist()
    [[2.0, 1.0, 1.0, 0.5]]
    """
    factors = factors_among(games, by)
    # How often each end occurs is all that the rate needs: nothing is computed a game.
    ends = opened(games, "games", ["ended", *factors]).with_columns(nw.col("ended").alias("end"))
    counts = grouped(ends, [*factors, "end"], nw.len().alias("times"))
    walked = counts.rename({"end": "ended"} if "ended" not in factors else {}).with_columns(
        _walkaway_value().alias("walked_away")
    )
    return native(rate(walked, "walked_away", factors, confidence_level, times="times"), games)


def ended_without_agreement() -> nw.Expr:
    """Return whether a game ended in an impasse; what is not known is none."""
    return nw.col("ended").fill_null("unknown").is_in(IMPASSE)


def _agreement_value() -> nw.Expr:
    return nw.when(nw.col("ended") == "agreement").then(1.0).when(ended_without_agreement()).then(0.0)


def _walkaway_value() -> nw.Expr:
    end = nw.col("ended").fill_null("unknown")
    return nw.when(end == "walkaway").then(1.0).when(end != "unknown").then(0.0)
