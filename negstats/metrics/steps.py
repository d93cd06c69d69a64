"""How a player moves from one of its offers to the next: the steps of hindriks2007 and their rates.

Any frame of ``offers``: the result is of the same kind, lazy if it was lazy.
"""

from __future__ import annotations

import functools

import narwhals as nw
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.errors import UsageError
from negstats.metrics._frames import (
    Frame,
    grouped,
    joined,
    native,
    opened,
    previous,
)

STEPS = ("silent", "nice", "unfortunate", "selfish", "concession", "fortunate")
TOLERANCE = 1e-4  # Genius' default, for utilities between 0 and 1

KEY = ("game_id", "offer", "proposer")


def step_labels(offers: IntoFrameT, *, tolerance: float = TOLERANCE) -> IntoFrameT:
    """Return the step that each offer makes from the same player's offer before.

    With the change of the proposer's own utility and of the opponent's, each called zero if it is within the tolerance:

    1. *silent*: both zero
    2. *nice*: own zero, opponent's up
    3. *unfortunate*: own zero or down, opponent's down
    4. *selfish*: own up, opponent's zero or down
    5. *concession*: own down, opponent's zero or up
    6. *fortunate*: both up

    Unit: a label. Denominator: none, one label an offer. Missing for the first offer of a player, which has no step,
    where a value of either offer is missing, and where the offer before went to somebody else.

    The steps are those of Hindriks, Jonker and Tykhonov (2007); the order of the rules and the default tolerance as in
    Genius. Labels depend on the tolerance, so it is part of the result.

    Parameters
    ----------
    offers
        `game_id`, `offer`, `proposer`, `responder`, `value_proposer`, `value_responder`.
    tolerance
        Changes up to this size are zero, in the unit of the values. Choose it to fit their scale.

    Returns
    -------
    frame of the same kind
        `game_id`, `offer`, `proposer`, `own_change`, `opponent_change`, `step`, `tolerance`.

    Raises
    ------
    UsageError
        If the tolerance is negative or not a number.
    SchemaError
        If a column is not there.

    References
    ----------
    Hindriks, K., Jonker, C. M., & Tykhonov, D. (2007). Negotiation dynamics: Analysis, concession tactics, and
    outcomes. Proceedings of the IEEE/WIC/ACM International Conference on Intelligent Agent Technology, 427–433.

    Examples
    --------
    >>> import pandas as pd
    >>> offers = pd.DataFrame({"game_id": "g", "offer": [1, 2, 3], "proposer": "A", "responder": "B",
    ...                        "value_proposer": [0.9, 0.7, 0.7], "value_responder": [0.2, 0.4, 0.5]})
    >>> step_labels(offers)["step"].tolist()
    [nan, 'concession', 'nice']
    """
    return native(_label_offers(offers, tolerance), offers)


def step_rates(offers: IntoFrameT, players: IntoFrame | None = None, *, tolerance: float = TOLERANCE) -> IntoFrameT:
    """Return how often each player made each kind of step.

    Unit: shares that add up to 1. Denominator: the player's labelled steps, `steps`. Missing, not 0, for a player
    without any: with fewer than two offers, or no two successive offers whose values are known.

    The steps are those of Hindriks, Jonker and Tykhonov (2007), see `step_labels`.

    Parameters
    ----------
    offers
        As for `step_labels`.
    players
        `game_id`, `player`: the seats to list; None lists those that made an offer.
    tolerance
        As for `step_labels`.

    Returns
    -------
    frame of the same kind
        `game_id`, `player`, `steps`, `concession_rate`, `fortunate_rate`, `nice_rate`, `selfish_rate`, `silent_rate`,
        `unfortunate_rate`, `tolerance`; by game and player.

    Raises
    ------
    UsageError
        If the tolerance is negative or not a number.
    SchemaError
        If a column is not there.

    References
    ----------
    Hindriks, K., Jonker, C. M., & Tykhonov, D. (2007). Negotiation dynamics: Analysis, concession tactics, and
    outcomes. Proceedings of the IEEE/WIC/ACM International Conference on Intelligent Agent Technology, 427–433.

    Examples
    --------
    >>> import pandas as pd
    >>> offers = pd.DataFrame({"game_id": "g", "offer": [1, 2, 3], "proposer": "A", "responder": "B",
    ...                        "value_proposer": [0.9, 0.7, 0.7], "value_responder": [0.2, 0.4, 0.5]})
    >>> step_rates(offers)[["steps", "concession_rate", "nice_rate", "silent_rate"]].values.tolist()
    [[2.0, 0.5, 0.5, 0.0]]
    """
    rates = _rates(offers, tolerance)
    if players is not None:
        seats = opened(players, "players", ["game_id", "player"])
        rates = joined(seats, rates, ["game_id", "player"]).sort("game_id", "player")
    columns = [f"{label}_rate" for label in sorted(STEPS)]
    n_steps = nw.col("steps").fill_null(0).cast(nw.Int64)
    return native(
        rates.select("game_id", "player", n_steps, *columns, nw.lit(float(tolerance)).alias("tolerance")), offers
    )


def _rates(offers: IntoFrame, tolerance: float) -> Frame:
    """Return the labelled steps of each seat and the shares of their kinds."""
    labelled_offers = _label_offers(offers, tolerance)
    step = nw.col("step")
    indicators = [nw.when(step == label).then(1.0).when(~step.is_null()).then(0.0).alias(label) for label in STEPS]
    shares = [nw.col(label).mean().alias(f"{label}_rate") for label in sorted(STEPS)]
    return grouped(
        labelled_offers.with_columns(*indicators, nw.col("proposer").alias("player")),
        ["game_id", "player"],
        nw.col("silent").count().alias("steps"),
        *shares,
    )


def _check(tolerance: float) -> None:
    if not tolerance >= 0:
        raise UsageError(f"tolerance is {tolerance}; give 0 or a small positive number")


def _label_offers(offers: IntoFrame, tolerance: float) -> Frame:
    _check(tolerance)
    values = ["value_proposer", "value_responder"]
    turns = opened(offers, "offers", [*KEY, "responder", *values]).with_columns(nw.col("responder").fill_null(""))
    keys = ["game_id", "proposer"]
    previous_values = {f"{column}_before": previous(turns, column, keys, "offer") for column in [*values, "responder"]}
    turns = turns.with_columns(**previous_values)
    is_continued = nw.col("responder") == nw.col("responder_before")
    turns = turns.with_columns(
        nw.when(is_continued).then(nw.col("value_proposer") - nw.col("value_proposer_before")).alias("own_change"),
        nw.when(is_continued)
        .then(nw.col("value_responder") - nw.col("value_responder_before"))
        .alias("opponent_change"),
    )
    label = _label(nw.col("own_change"), nw.col("opponent_change"), tolerance)
    return turns.select(
        *KEY, "own_change", "opponent_change", label.alias("step"), nw.lit(float(tolerance)).alias("tolerance")
    )


def _label(own: nw.Expr, opponent: nw.Expr, tolerance: float) -> nw.Expr:
    own_up, own_down = own > tolerance, own < -tolerance
    opponent_up, opponent_down = opponent > tolerance, opponent < -tolerance
    own_zero, opponent_zero = ~own_up & ~own_down, ~opponent_up & ~opponent_down
    cases = {
        "silent": own_zero & opponent_zero,
        "nice": own_zero & opponent_up,
        "unfortunate": ~own_up & opponent_down,
        "selfish": own_up & ~opponent_up,
        "concession": own_down & ~opponent_down,
        "fortunate": own_up & opponent_up,
    }
    missing = nw.lit(None, dtype=nw.String)
    label = functools.reduce(
        lambda otherwise, case: nw.when(case[1]).then(nw.lit(case[0])).otherwise(otherwise),
        reversed(cases.items()),
        missing,
    )
    return nw.when(~own.is_null() & ~opponent.is_null()).then(label)
