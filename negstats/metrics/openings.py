"""Openings and answers: each seat's first offer, and each concession with the partner's preceding concession.

Any frame of ``offers``; the result is of the same kind. Concessions are collected, first offers stay with their engine.
"""

from __future__ import annotations

import narwhals as nw
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.metrics._frames import (
    Frame,
    collected,
    joined,
    native,
    opened,
    returned,
)

_SEAT = ["game_id", "player"]
_OFFERED = ["game_id", "offer", "proposer", "value_proposer"]


def first_offers(offers: IntoFrameT, players: IntoFrame | None = None) -> IntoFrameT:
    """Return what each seat's first offer was worth to itself, and whether it made the first of the game.

    Unit: points. Denominator: none, one value a seat. Missing for a seat without an offer of known value: the first of
    those whose value is known counts.

    Galinsky and Mussweiler (2001) have it as a predictor of outcomes.

    Parameters
    ----------
    offers
        `game_id`, `offer`, `proposer`, `value_proposer`.
    players
        `game_id`, `player`: the seats to list; None lists those that made an offer.

    Returns
    -------
    frame of the same kind
        `game_id`, `player`, `first_offer`, `opened` (1 or 0); by game and player.

    Raises
    ------
    SchemaError
        If a column is not there.

    References
    ----------
    Galinsky, A. D., & Mussweiler, T. (2001). First offers as anchors: The role of perspective-taking and negotiator
    focus. Journal of Personality and Social Psychology, 81, 657–669.

    Examples
    --------
    >>> import pandas as pd
    >>> offers = pd.DataFrame({"game_id": "g", "offer": [1, 2, 3], "proposer": ["A", "B", "A"],
    ...                        "value_proposer": [9, 7, 8]})
    >>> first_offers(offers)[["player", "first_offer", "opened"]].values.tolist()
    [['A', 9.0, 1.0], ['B', 7.0, 0.0]]
    """
    first_values, opening = _firsts(offers)
    seats = first_values if players is None else joined(opened(players, "players", _SEAT), first_values, _SEAT)
    seat_openings = joined(seats, opening, ["game_id"])
    is_own = nw.when(~nw.col("opener").is_null()).then((nw.col("opener") == nw.col("player")).cast(nw.Float64))
    rows = seat_openings.select(*_SEAT, nw.col("first_offer").cast(nw.Float64), opened=is_own)
    return native(rows.sort(*_SEAT), offers)


def _firsts(offers: IntoFrame) -> tuple[Frame, Frame]:
    """Return each seat's first offer, for all seats that made one, and who made the first offer of each game."""
    known_offers = opened(offers, "offers", _OFFERED).drop_nulls("proposer")
    valued = known_offers.drop_nulls("value_proposer")
    first_numbers = valued.group_by("game_id", "proposer").agg(nw.col("offer").min())
    first_values = joined(first_numbers, valued, ["game_id", "proposer", "offer"]).select(
        "game_id", player="proposer", first_offer="value_proposer"
    )
    first_offers = known_offers.group_by("game_id").agg(nw.col("offer").min())
    opening = joined(first_offers, known_offers, ["game_id", "offer"]).select("game_id", opener="proposer")
    return joined(known_offers.select("game_id", player="proposer").unique(), first_values, _SEAT), opening


def concession_pairs(offers: IntoFrameT) -> IntoFrameT:
    """Return each concession with the partner's preceding concession, to measure reciprocity.

    A concession is the value of one's previous offer to oneself less that of this one; below 0 is a demand that rose.
    The partner's is counted in the partner's own value. An offer has a row if its maker has offered before and the
    partner has made two offers before it. Unit: points. Denominator: none, one row a pair. Offers without a value are
    left out, as if not made. With three seats or more the partner is whoever else made the last concession.

    Esser and Komorita (1975) have it as a measure of reciprocity.

    Parameters
    ----------
    offers
        `game_id`, `offer`, `proposer`, `value_proposer`.

    Returns
    -------
    frame of the same kind
        `game_id`, `offer`, `player`, `concession`, `partners_concession`; by game and offer.

    Raises
    ------
    SchemaError
        If a column is not there.

    References
    ----------
    Esser, J. K., & Komorita, S. S. (1975). Reciprocity and concession making in bargaining. Journal of Personality and
    Social Psychology, 31, 864–872.

    Examples
    --------
    >>> import pandas as pd
    >>> offers = pd.DataFrame({"game_id": "g", "offer": [1, 2, 3, 4, 5], "proposer": ["A", "B", "A", "B", "A"],
    ...                        "value_proposer": [90, 85, 80, 80, 75]})
    >>> concession_pairs(offers)[["offer", "concession", "partners_concession"]].values.tolist()
    [[4.0, 5.0, 10.0], [5.0, 5.0, 5.0]]
    """
    valued = collected(offers, "offers", ["game_id", "offer", "proposer", "value_proposer"])
    valued = valued.dropna(subset=["proposer", "value_proposer"])
    valued = valued.sort_values(["game_id", "offer"], kind="stable", ignore_index=True)
    seat = valued.groupby(["game_id", "proposer"], sort=False)["value_proposer"]
    valued["concession"] = -seat.diff()
    latest_by_game: dict[object, dict[object, tuple[int, float]]] = {}
    partners = []
    for row, (game, player, own_concession) in enumerate(
        zip(valued["game_id"], valued["proposer"], valued["concession"], strict=True)
    ):
        latest_of_game = latest_by_game.setdefault(game, {})
        others_latest = [latest for latest_player, latest in latest_of_game.items() if latest_player != player]
        partners.append(max(others_latest)[1] if others_latest else float("nan"))
        if own_concession == own_concession:
            latest_of_game[player] = (row, float(own_concession))
    valued["partners_concession"] = partners
    pairs = valued.dropna(subset=["concession", "partners_concession"]).rename(columns={"proposer": "player"})
    columns = ["game_id", "offer", "player", "concession", "partners_concession"]
    return returned(pairs[columns].reset_index(drop=True), offers)
