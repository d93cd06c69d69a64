"""Openings and answers: each seat's first offer, and each concession with the partner's preceding concession.

Any frame of ``offers``; the result is of the same kind. Concessions are collected, first offers stay with their engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.metrics._frames import (
    Frame,
    coded,
    collected,
    gathered,
    in_memory,
    joined,
    native,
    opened,
    returned,
    widened,
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
    in_arrays = _find_firsts(offers) if in_memory(offers) else None
    if in_arrays is not None and players is None:
        return in_arrays.listed(offers)
    first_values, opening = _firsts(offers) if in_arrays is None else in_arrays.frames(offers)
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


@dataclass(frozen=True, slots=True, eq=False)
class _Firsts:
    """First offers of a frame in memory, one entry a seat, in the order of games and players.

    `seat` is a row of each seat, `first_offer` what its first offer was worth to it, NaN where no value is known;
    `opener` says of each seat whether it made the first offer of its game, whose row is one of `openings`.
    """

    seat: npt.NDArray[np.intp]
    first_offer: npt.NDArray[np.float64]
    opener: npt.NDArray[np.bool_]
    openings: npt.NDArray[np.intp]

    def listed(self, offers: IntoFrameT) -> IntoFrameT:
        """Return the seats that made an offer, in the kind of frame that the offers are."""
        columns = {
            "first_offer": pa.array(self.first_offer, from_pandas=True),
            "opened": pa.array(self.opener.astype(float)),
        }
        key = ["game_id", "proposer"]
        rows: Any = nw.from_native(cast(Any, widened(offers, key, columns, self.seat)))
        return cast(IntoFrameT, rows.rename({"proposer": "player"}).to_native())

    def frames(self, offers: IntoFrame) -> tuple[Frame, Frame]:
        """Return what `_firsts` does."""
        key = ["game_id", "proposer"]
        seat_frame = widened(offers, key, {"first_offer": pa.array(self.first_offer, from_pandas=True)}, self.seat)
        seat_rows: Frame = nw.from_native(seat_frame)
        game_rows: Frame = nw.from_native(widened(offers, key, {}, self.openings))
        return seat_rows.rename({"proposer": "player"}), game_rows.rename({"proposer": "opener"})


def _find_firsts(offers: IntoFrame) -> _Firsts | None:
    """Find the first offers of a frame in memory by the least number of each seat; None where numbers repeat.

    The names become codes once, where an engine would compare them in each of four joins.
    """
    columns = gathered(offers, "offers", _OFFERED)
    game, proposer = (coded(columns.column(name))[0] for name in ("game_id", "proposer"))
    number, value = (columns.column(name).to_numpy() for name in ("offer", "value_proposer"))
    rows = np.flatnonzero(proposer >= 0)
    if not len(rows) or game.min() < 0 or np.isnan(number).any():
        return None
    players = int(proposer.max()) + 1
    # The least number of each seat that has a value, and of each game.
    seat = game * players + proposer
    first_valued, first_of_games = (
        _find_least(seat, number, rows[~np.isnan(value[rows])]),
        _find_least(game, number, rows),
    )
    if first_valued is None or first_of_games is None:
        return None
    some_row = np.full(int(seat.max()) + 1, -1)
    some_row[seat[rows]] = rows
    seats = np.flatnonzero(some_row >= 0)
    first_values, opener = np.full(len(some_row), np.nan), np.zeros(len(some_row), dtype=bool)
    first_values[seat[first_valued]] = value[first_valued]
    opener[seat[first_of_games]] = True
    return _Firsts(some_row[seats], first_values[seats], opener[seats], first_of_games)


def _find_least(
    code: npt.NDArray[np.intp], number: npt.NDArray[np.float64], rows: npt.NDArray[np.intp]
) -> npt.NDArray[np.intp] | None:
    """Return which of the rows has the least number of its code, by code; None if two rows have it."""
    row_of_code = np.full(int(code.max()) + 1, -1)
    for _ in ("in the order of the frame", "in the order of the numbers"):
        codes, numbers = code[rows], number[rows]
        row_of_code[codes[::-1]] = rows[::-1]  # of several rows the last one to be written stays
        smallest = number[row_of_code][codes]
        if not (numbers < smallest).any():
            break
        rows = rows[np.argsort(numbers, kind="stable")]
    first_rows = row_of_code[row_of_code >= 0]
    return first_rows if np.count_nonzero(numbers == smallest) == len(first_rows) else None


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
    # Beside each concession the latest one of anybody else in the game before it.
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
