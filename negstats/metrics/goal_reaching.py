"""Who reached a goal, and who ended with a commitment (haim2017): per seat or game, and as rates with counts.

Any frame of ``players``, ``offers`` and ``games``: the result is of the same kind, lazy if it was lazy.
"""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.metrics._frames import Frame, grouped, joined, native, opened, with_factors
from negstats.metrics._rates import rate

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
    last = grouped(acceptances, ["game_id"], nw.col("offer").max())
    deal = joined(last, acceptances, ["game_id", "offer"])
    seats = opened(players, "players", ["game_id", "role", "reached_goal"]).filter(nw.col("role") == customer)
    customers = grouped(seats, ["game_id"], nw.col("reached_goal").max())
    ends = joined(customers, deal, ["game_id"]).sort("game_id")
    committed = nw.when(nw.col("offer").is_null()).then(0.0).otherwise(nw.col("commitment"))
    goal = nw.col("reached_goal")
    # One 0 settles it, whatever the other is; otherwise both must be known.
    both = nw.when((committed == 0) | (goal == 0)).then(0.0).otherwise(committed * goal)
    return ends.select("game_id", both.alias("ended_with_commitment"))
