"""How games ended: agreement, walk-aways, goals, commitments, points and joint value, each with its rate or mean.

Any frame of ``players``, ``offers`` and ``games``: the result is of the same kind, lazy if it was lazy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import narwhals as nw
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.errors import UsageError, shown
from negstats.metrics._frames import Frame, factors_among, grouped, joined, native, opened, rate, with_factors

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
    game_ends = opened(games, "games", ["game_id", "ended"])
    return native(game_ends.select("game_id", _walkaway_value().alias("walked_away")), games)


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
    game_ends = opened(games, "games", ["ended", *factors]).with_columns(nw.col("ended").alias("end"))
    counts = grouped(game_ends, [*factors, "end"], nw.len().alias("times"))
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
    game_end = nw.col("ended").fill_null("unknown")
    return nw.when(game_end == "walkaway").then(1.0).when(game_end != "unknown").then(0.0)


CUSTOMER = "customer"


def reached_goal(players: IntoFrameT) -> IntoFrameT:
    """Return whether each seat reached its goal.

    Unit: 1 or 0. Denominator: none, one value a seat. Missing where the rules know no goals.

    Parameters
    ----------
    players
        `game_id`, `player`, `reached_goal`.

    Returns
    -------
    frame of the same kind
        `game_id`, `player`, `reached_goal`.

    Raises
    ------
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> players = pd.DataFrame({"game_id": "g", "player": ["CS", "SP"], "reached_goal": [True, False]})
    >>> reached_goal(players)["reached_goal"].tolist()
    [1.0, 0.0]
    """
    return native(opened(players, "players", ["game_id", "player", "reached_goal"]), players)


def goal_rate(
    players: IntoFrameT,
    games: IntoFrame | None = None,
    by: Sequence[str] | str = (),
    *,
    role: str | None = None,
    humans_only: bool = False,
    confidence_level: float = 0.95,
) -> IntoFrameT:
    """Return the share of seats that reached their goal, with counts and the Wilson interval.

    Unit: a share. Denominator: seats of which it is known whether they reached a goal (`n`); the others are counted in
    `missing`. With ``role="customer"`` in the contract game there is one such seat a game, and the rate is the share of
    games in which the customer reached a goal. Over human-only games by country it is the pr of Haim et al. (2017,
    section 6.3).

    The interval is Wilson's (1927).

    Parameters
    ----------
    players
        `game_id`, `reached_goal`; `role` and `kind` where these are asked for.
    games
        `game_id` and the factors; needed with `by`.
    by
        Factors: columns of `games`.
    role
        Count the seats of this role only.
    humans_only
        Count only games in which every seat is a human's (a seat of unknown kind is none).
    confidence_level
        Of the interval.

    Returns
    -------
    frame of the same kind
        The factors, `n`, `count`, `missing`, `rate`, `low`, `high`, `level`. Where `n` is 0 the rate is
        missing.

    Raises
    ------
    UsageError
        If a factor is not a column of `games` or the level is not between 0 and 1.
    SchemaError
        If a column is not there.

    References
    ----------
    - Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
      Artificial Intelligence, 246, 34–52.
    - Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the
      American Statistical Association, 22, 209–212.

    Examples
    --------
    >>> import pandas as pd
    >>> players = pd.DataFrame({"game_id": list("fgh"), "role": "customer", "reached_goal": [True, True, False]})
    >>> goal_rate(players, role="customer")[["n", "count", "rate"]].round(3).values.tolist()
    [[3.0, 2.0, 0.667]]
    """
    columns = ["game_id", "reached_goal", *(["role"] if role else []), *(["kind"] if humans_only else [])]
    seats = opened(players, "players", columns)
    if humans_only:
        human = nw.when(nw.col("kind") == "human").then(1).otherwise(0)
        games_of_humans = grouped(seats.with_columns(human=human), ["game_id"], nw.col("human").min())
        seats = joined(seats, games_of_humans, ["game_id"]).filter(nw.col("human") == 1)
    if role is not None:
        seats = seats.filter(nw.col("role") == role)
    rows, factors = with_factors(seats, games, by)
    return native(rate(rows, "reached_goal", factors, confidence_level), players)


def ended_with_commitment(offers: IntoFrameT, players: IntoFrame, *, customer: str = CUSTOMER) -> IntoFrameT:
    """Return whether each game's last accepted offer was a commitment and its customer then reached a goal.

    A commitment leaves the customer no way to the other providers' goals (Haim et al., 2017, Definition 4 and section
    6.3), so the goal that it reaches is that of the provider to whom it committed itself.

    Unit: 1 or 0. Denominator: none, one value a game with a customer (of several, any may reach a goal). A game without
    an accepted offer has 0. Missing where it is not known whether the last accepted offer commits, or whether the
    customer reached a goal, unless the other settles it.

    Parameters
    ----------
    offers
        `game_id`, `offer`, `commitment`, `response`.
    players
        `game_id`, `role`, `reached_goal`.
    customer
        The role of the customer.

    Returns
    -------
    frame of the same kind
        `game_id`, `ended_with_commitment`; by game.

    Raises
    ------
    SchemaError
        If a column is not there.

    References
    ----------
    Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
    Artificial Intelligence, 246, 34–52.

    Examples
    --------
    >>> import pandas as pd
    >>> offers = pd.DataFrame({"game_id": "g", "offer": [1, 2], "commitment": [False, True], "response": "accepted"})
    >>> players = pd.DataFrame({"game_id": ["g"], "role": ["customer"], "reached_goal": [True]})
    >>> ended_with_commitment(offers, players)["ended_with_commitment"].tolist()
    [1.0]
    """
    return native(_commitment_at_end(offers, players, customer), offers)


def commitment_rate(
    offers: IntoFrameT,
    players: IntoFrame,
    games: IntoFrame | None = None,
    by: Sequence[str] | str = (),
    *,
    customer: str = CUSTOMER,
    confidence_level: float = 0.95,
) -> IntoFrameT:
    """Return the share of games that ended with a commitment, with counts and the Wilson interval.

    Unit: a share. Denominator: games of which it is known (`n`), see `ended_with_commitment`; the others are counted in
    `missing`.

    As in Haim et al. (2017, section 6.3); the interval is Wilson's (1927).

    Parameters
    ----------
    offers, players
        As for `ended_with_commitment`.
    games
        `game_id` and the factors; needed with `by`.
    by
        Factors: columns of `games`.
    customer
        As for `ended_with_commitment`.
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

    References
    ----------
    - Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
      Artificial Intelligence, 246, 34–52.
    - Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the
      American Statistical Association, 22, 209–212.

    Examples
    --------
    >>> import pandas as pd
    >>> offers = pd.DataFrame({"game_id": ["g"], "offer": [1], "commitment": [True], "response": ["accepted"]})
    >>> players = pd.DataFrame({"game_id": ["g", "h"], "role": "customer", "reached_goal": [True, True]})
    >>> commitment_rate(offers, players)[["n", "count", "rate"]].values.tolist()
    [[2.0, 1.0, 0.5]]
    """
    rows, factors = with_factors(_commitment_at_end(offers, players, customer), games, by)
    return native(rate(rows, "ended_with_commitment", factors, confidence_level), offers)


def _commitment_at_end(offers: IntoFrame, players: IntoFrame, customer: str) -> Frame:
    acceptances = opened(offers, "offers", ["game_id", "offer", "commitment", "response"])
    acceptances = acceptances.filter(nw.col("response") == "accepted").select("game_id", "offer", "commitment")
    last_offers = grouped(acceptances, ["game_id"], nw.col("offer").max())
    deal = joined(last_offers, acceptances, ["game_id", "offer"])
    seats = opened(players, "players", ["game_id", "role", "reached_goal"]).filter(nw.col("role") == customer)
    customers = grouped(seats, ["game_id"], nw.col("reached_goal").max())
    customers_with_deal = joined(customers, deal, ["game_id"]).sort("game_id")
    committed = nw.when(nw.col("offer").is_null()).then(0.0).otherwise(nw.col("commitment"))
    goal = nw.col("reached_goal")
    # One 0 settles it, whatever the other is; otherwise both must be known.
    both_hold = nw.when((committed == 0) | (goal == 0)).then(0.0).otherwise(committed * goal)
    return customers_with_deal.select("game_id", both_hold.alias("ended_with_commitment"))


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
    complete_sum = nw.when(nw.col("known") == nw.col("seats")).then(nw.col("sum"))
    return sums.select("game_id", *columns, complete_sum.alias("joint_value"))


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
    rows_with_ends = joined(frame, opened(games, "games", ["game_id", "ended"]), ["game_id"])
    rows, factors = with_factors(rows_with_ends, games, by)
    value = nw.col(column)
    tables = []
    for walkaways, rows_counted in (("in", rows), ("out", rows.filter(~ended_without_agreement()))):
        statistics = grouped(
            rows_counted,
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
