"""What offers are worth to both sides by their items and the values of these; see `negstats.loaders.derived`.

Games, seats, items and options are whole numbers here, so that a look-up is a search among sorted numbers. A *place* is
that of a seat in an offer: the offers' proposers come first, then their responders.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from negstats.tables import arrow, places_in

Ints: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = npt.NDArray[np.float64]

TOLERANCE = 1e-6
SIDES = ("proposer", "responder")
_SPAN = 1 << 31  # more offers than a game has


def worths(tables: Mapping[str, pd.DataFrame]) -> Numbers:
    """Return what each offer is worth to the seat of each side, a row a side; missing where it does not follow.

    Parameters
    ----------
    tables
        The tables of a study, with rows of ``items`` and ``values``.

    Returns
    -------
    Numbers
        Sides by offers.
    """
    values = _Values.of(tables)
    shares = _Shares.of(tables, values)
    worth = np.zeros(len(shares.seat))
    is_known = np.zeros(len(worth), dtype=bool)
    parts = (_unit_worths(shares, values), _option_worths(shares, values))
    for place, part in (part for part in parts if len(part[0])):
        sums = pd.Series(part).groupby(place).sum()
        worth[sums.index] += sums.to_numpy()
        worth[place[np.isnan(part)]] = np.nan
        is_known[sums.index] = True
    worth[~is_known] = np.nan
    # An item that the seat gets, and that has no value to it, is worth nobody knows what.
    gets = np.flatnonzero(shares.is_own & (shares.quantity != 0) | shares.is_option)
    place = shares.place[gets]
    items = len(values.items)
    valued = _first(values.seat * items + values.item, shares.seat[place] * items + shares.item[gets])
    worth[place[(valued < 0) | (shares.item[gets] < 0)]] = np.nan
    return worth.reshape(len(SIDES), -1)


@dataclass(frozen=True, slots=True)
class _Values:
    """The rows of ``values``: a seat is one number of its game and its name."""

    seat: Ints
    item: Ints
    option: Ints  # negative for a unit
    available: Numbers
    value: Numbers
    players: pa.Array  # the distinct names, in whose order the codes count
    items: pa.Array
    options: pa.Array

    @classmethod
    def of(cls, tables: Mapping[str, pd.DataFrame]) -> _Values:
        frame = tables["values"]
        game = places_in(arrow(frame["game_id"]), arrow(tables["games"]["game_id"]))
        player, item, option = (arrow(frame[name]) for name in ("player", "item", "option"))
        players, items, options = (column.drop_null().unique() for column in (player, item, option))
        return cls(
            game * len(players) + places_in(player, players),
            places_in(item, items),
            places_in(option, options),
            frame["available"].to_numpy(dtype=np.float64),
            frame["value"].to_numpy(dtype=np.float64),
            players,
            items,
            options,
        )


@dataclass(frozen=True, slots=True)
class _Shares:
    """The rows of ``items``, each for both seats of its offer that have values; what has no value is negative."""

    seat: Ints  # of each place
    place: Ints
    row: Ints  # of the table
    item: Ints
    option: Ints
    quantity: Numbers
    is_own: Mask  # whether the seat is the receiver
    is_open: Mask  # whether there is no receiver
    is_option: Mask

    @classmethod
    def of(cls, tables: Mapping[str, pd.DataFrame], values: _Values) -> _Shares:
        offers, items, games = tables["offers"], tables["items"], arrow(tables["games"]["game_id"])
        game = places_in(arrow(offers["game_id"]), games)
        offer = _first(
            game * _SPAN + offers["offer"].to_numpy(dtype=np.int64),
            places_in(arrow(items["game_id"]), games) * _SPAN + items["offer"].to_numpy(dtype=np.int64),
        )
        player = np.concatenate([places_in(arrow(offers[side]), values.players) for side in SIDES])
        place = np.concatenate([offer, np.where(offer < 0, -1, offer + len(offers))])
        rows = np.flatnonzero((place >= 0) & (player[place] >= 0))
        place, row = place[rows], rows % len(items)
        receiver = arrow(items["receiver"])
        return cls(
            np.where(player >= 0, np.tile(game, len(SIDES)) * len(values.players) + player, -1),
            place,
            row,
            places_in(arrow(items["item"]), values.items)[row],
            places_in(arrow(items["option"]), values.options)[row],
            items["quantity"].to_numpy(dtype=np.float64)[row],
            places_in(receiver, values.players)[row] == player[place],
            receiver.is_null().to_numpy(zero_copy_only=False)[row],
            items["option"].notna().to_numpy()[row],
        )

    def places(self, rows: Mask) -> Ints:
        """Return the places that have one of the rows."""
        has_row = np.zeros(len(self.seat), dtype=bool)
        has_row[self.place[rows]] = True
        return np.flatnonzero(has_row)


def _unit_worths(shares: _Shares, values: _Values) -> tuple[Ints, Numbers]:
    """Return what the units of each item that the seat of a place has a value for are worth, and the places."""
    is_share = ~shares.is_open & ~np.isnan(shares.quantity)
    places, units = shares.places(is_share), np.flatnonzero(values.option < 0)
    place, row = _pairs(values.seat[units], shares.seat[places])
    place, row = places[place], units[row]
    items = len(values.items)
    key, share_key = place * items + values.item[row], shares.place * items + shares.item
    is_share &= shares.item >= 0
    own = np.flatnonzero(is_share & shares.is_own)
    quantity = _taken(shares.quantity[own], _first(share_key[own], key))
    lacks = np.isnan(quantity)
    if lacks.any():
        others = np.flatnonzero(is_share & ~shares.is_own)
        others = others[np.argsort(shares.row[others], kind="stable")]  # sums depend on the order in their last digit
        sums = pd.Series(shares.quantity[others]).groupby(share_key[others]).sum()
        totals: Numbers = np.asarray(sums, dtype=np.float64)
        others_get = _taken(totals, _first(sums.index.to_numpy(), key[lacks]))
        rest: Numbers = np.subtract(values.available[row[lacks]], others_get)
        quantity[lacks] = np.where(rest >= -TOLERANCE, rest, np.nan)
    return place, quantity * values.value[row]


def _option_worths(shares: _Shares, values: _Values) -> tuple[Ints, Numbers]:
    """Return what the option of each issue that the seat of a place has values for is worth, and the places."""
    options, items, names = np.flatnonzero(values.option >= 0), len(values.items), len(values.options)
    issue_key = values.seat[options] * items + values.item[options]
    issues = np.sort(np.unique(issue_key, return_index=True)[1])
    places = shares.places(shares.is_open)
    place, issue = _pairs(values.seat[options[issues]], shares.seat[places])
    place = places[place]
    open_rows = np.flatnonzero(shares.is_open & (shares.item >= 0))
    share = _first(
        shares.place[open_rows] * items + shares.item[open_rows],
        place * items + values.item[options[issues[issue]]],
    )
    option = np.full(len(share), -1)
    option[share >= 0] = shares.option[open_rows[share[share >= 0]]]
    row = _first(
        _first(issue_key[issues], issue_key) * names + values.option[options],
        np.where(option >= 0, issue * names + option, -1),
    )
    return place, _taken(values.value[options], row)


def _taken(numbers: Numbers, places: Ints) -> Numbers:
    """Return the numbers at the places, missing where a place is negative."""
    taken = np.full(len(places), np.nan)
    taken[places >= 0] = numbers[places[places >= 0]]
    return taken


def _in_order(numbers: Ints) -> tuple[Ints, Ints | None]:
    """Return numbers in ascending order, and their places; None where they are in order already."""
    if np.all(numbers[1:] >= numbers[:-1]):
        return numbers, None
    order = np.argsort(numbers, kind="stable")
    return numbers[order], order


def _first(known: Ints, wanted: Ints) -> Ints:
    """Return the first place where each number stands among those known, -1 where it does not."""
    if not len(known):
        return np.full(len(wanted), -1)
    numbers, order = _in_order(known)
    places = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    is_known = numbers[places] == wanted
    return np.where(is_known, places if order is None else order[places], -1)


def _pairs(known: Ints, wanted: Ints) -> tuple[Ints, Ints]:
    """Return the places of each number wanted, once for each time that it is known, and the places of the known."""
    numbers, order = _in_order(known)
    begin = np.searchsorted(numbers, wanted)
    count = np.searchsorted(numbers, wanted, side="right") - begin
    end = np.cumsum(count)
    places = np.arange(count.sum()) + np.repeat(begin - end + count, count)
    return np.repeat(np.arange(len(wanted)), count), places if order is None else order[places]
