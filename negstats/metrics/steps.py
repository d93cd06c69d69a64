"""How a player moves from one of its offers to the next: the steps of hindriks2007 and their rates.

Any frame of ``offers``: the result is of the same kind, lazy if it was lazy.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.errors import UsageError
from negstats.metrics._frames import (
    Frame,
    coded,
    gathered,
    grouped,
    in_memory,
    joined,
    native,
    opened,
    previous,
    widened,
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
    if in_memory(offers):
        return _label_in_memory(offers, tolerance)
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
    rates = _rates_in_memory(offers, tolerance) if in_memory(offers) else None
    if rates is None:
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
    """Return the labelled steps of each seat and the shares of their kinds, by whatever engine holds the offers."""
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


def _rates_in_memory(offers: IntoFrame, tolerance: float) -> Frame | None:
    """Return what `_rates` does of a frame in memory, by one count of codes; None where a name is missing."""
    steps = _steps_in_memory(offers, tolerance)
    if not len(steps.seat) or steps.nameless:
        return None
    n_codes = len(STEPS) + 1
    seats = int(steps.seat.max()) + 1
    # A count for each seat and kind of step; the last column counts offers without one.
    table = np.bincount(steps.seat * n_codes + steps.code, minlength=seats * n_codes).reshape(seats, n_codes)
    some_row = np.full(seats, -1)
    some_row[steps.seat] = np.arange(len(steps.seat))
    listed_rows = np.flatnonzero(some_row >= 0)
    counts = table[listed_rows, : len(STEPS)]
    total = counts.sum(axis=1)
    with np.errstate(invalid="ignore"):
        shares = counts / total[:, None]
    columns = {"steps": pa.array(total)}
    for code, label in enumerate(STEPS):
        columns[f"{label}_rate"] = pa.array(shares[:, code], from_pandas=True)
    frame: Frame = nw.from_native(widened(offers, ["game_id", "proposer"], columns, some_row[listed_rows]))
    return frame.rename({"proposer": "player"})


@dataclass(frozen=True, slots=True, eq=False)
class _Steps:
    """Steps of a frame in memory, one entry a row: the seat's code, both changes, and the place of the label.

    `code` is that of `STEPS`, and one more where there is no step; `nameless` says that a game or a seat has no name.
    """

    seat: npt.NDArray[np.intp]
    nameless: bool
    own: npt.NDArray[np.float64]
    opponent: npt.NDArray[np.float64]
    code: npt.NDArray[np.intp]


def _label_in_memory(offers: IntoFrameT, tolerance: float) -> IntoFrameT:
    """Label the offers of a frame in memory."""
    steps = _steps_in_memory(offers, tolerance)
    columns = {
        "own_change": pa.array(steps.own, from_pandas=True),
        "opponent_change": pa.array(steps.opponent, from_pandas=True),
        "step": pa.array(STEPS).take(pa.array(steps.code, mask=steps.code == len(STEPS))),
        "tolerance": pa.array(np.full(len(steps.code), float(tolerance))),
    }
    return widened(offers, KEY, columns)


def _steps_in_memory(offers: IntoFrame, tolerance: float) -> _Steps:
    """Find the steps of a frame in memory: sorted once, with a player's offer before in the row before."""
    _check(tolerance)
    values = ["value_proposer", "value_responder"]
    columns = gathered(offers, "offers", [*KEY, "responder", *values])
    game, proposer, responder = (coded(columns.column(name))[0] for name in ("game_id", "proposer", "responder"))
    seat = game * (int(proposer.max(initial=0)) + 2) + proposer
    order = np.lexsort((columns.column("offer").to_numpy(), seat))
    is_continued = np.zeros(len(order), dtype=bool)
    is_continued[1:] = (np.diff(seat[order]) == 0) & (np.diff(responder[order]) == 0)
    changes = []
    for value in values:
        worth = columns.column(value).to_numpy()
        change = np.full(len(order), np.nan)
        change[order[is_continued]] = worth[order[is_continued]] - worth[order[:-1][is_continued[1:]]]
        changes.append(change)
    own_change, opponent_change = changes
    is_up, is_down, opponent_up, opponent_down = (
        own_change > tolerance,
        own_change < -tolerance,
        opponent_change > tolerance,
        opponent_change < -tolerance,
    )
    code = np.full(len(order), STEPS.index("fortunate"))  # both up: what the other cases leave
    cases = {
        "concession": is_down & ~opponent_down,
        "selfish": is_up & ~opponent_up,
        "unfortunate": ~is_up & opponent_down,
        "nice": ~is_up & ~is_down & opponent_up,
        "silent": ~is_up & ~is_down & ~opponent_up & ~opponent_down,
    }
    for step, is_case in cases.items():
        code[is_case] = STEPS.index(step)
    code[np.isnan(own_change) | np.isnan(opponent_change)] = len(STEPS)
    nameless = bool(min(game.min(initial=0), proposer.min(initial=0)) < 0)
    return _Steps(seat, nameless, own_change, opponent_change, code)


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
    # An offer to another seat than the one before is no step.
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
    return functools.reduce(  # where a change is not known no case is true
        lambda otherwise, case: nw.when(case[1]).then(nw.lit(case[0])).otherwise(otherwise),
        reversed(cases.items()),
        missing,
    )
