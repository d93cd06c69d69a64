"""What offers are worth to both sides by their items and the values of these; see `negstats.loaders.derived`.

Games, seats, items and options are whole numbers here, by which tables are merged as fast as they can be. A *place* is
that of a seat in an offer: the offers' proposers come first, then their responders.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

Numbers: TypeAlias = npt.NDArray[np.float64]

TOLERANCE = 1e-6
SIDES = ("proposer", "responder")
_SEAT = ["game", "seat"]


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
    values, shares = _number(tables)
    worth = np.zeros(len(SIDES) * len(tables["offers"]))
    is_known = np.zeros(len(worth), dtype=bool)
    parts = (_unit_worths(shares, values), _option_worths(shares, values))
    for part in (each.sort_values("place", kind="stable") for each in parts):  # in one order, for the last digits
        sums = part.groupby("place")["worth"].sum()
        worth[sums.index] += sums.to_numpy()
        worth[part["place"][part["worth"].isna()]] = np.nan
        is_known[sums.index] = True
    worth[~is_known] = np.nan
    # An item that the seat gets, and that has no value to it, is worth nobody knows what.
    gets = shares[(shares["is_own"] & (shares["quantity"] != 0)) | (shares["option"] >= 0)]
    valued = gets.merge(values[[*_SEAT, "item"]].drop_duplicates(), how="left", indicator=True)
    worth[valued["place"][valued["_merge"] == "left_only"]] = np.nan
    return worth.reshape(len(SIDES), -1)


def _number(tables: Mapping[str, pd.DataFrame]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of values, and those of items once for each seat of their offer that has values.

    The option of a unit, and what is missing, is negative.
    """
    offers, items, rows = tables["offers"], tables["items"], tables["values"]
    proposer, responder = (offers[side] for side in SIDES)
    valued_game, offer_game, item_game = _codes(rows["game_id"], offers["game_id"], items["game_id"])
    player, *seats, receiver = _codes(rows["player"], proposer, responder, items["receiver"])
    (valued_item, item), (valued_option, option) = (_codes(rows[name], items[name]) for name in ("item", "option"))
    values = pd.DataFrame({"game": valued_game, "seat": player, "item": valued_item, "option": valued_option})
    values = values.assign(available=rows["available"].to_numpy(float), value=rows["value"].to_numpy(float))
    # Both sides of each offer, where the seat has values.
    sides = pd.DataFrame({"game": np.tile(offer_game, len(SIDES)), "offer": np.tile(offers["offer"], len(SIDES))})
    sides = sides.assign(seat=np.concatenate(seats), place=np.arange(len(sides)))
    sides = sides.merge(values[_SEAT].drop_duplicates())
    shares = pd.DataFrame({"game": item_game, "offer": items["offer"].to_numpy(), "item": item, "option": option})
    shares = shares.assign(receiver=receiver, quantity=items["quantity"].to_numpy(float)).merge(sides)
    return values, shares.assign(is_own=shares["receiver"] == shares["seat"], is_open=shares["receiver"] < 0)


def _codes(*columns: pd.Series) -> list[npt.NDArray[np.int64]]:
    """Return the texts of columns as numbers, the same for the same text in each; -1 where there is none."""
    codes = pd.factorize(pd.concat(columns, ignore_index=True))[0]
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def _unit_worths(shares: pd.DataFrame, values: pd.DataFrame) -> pd.DataFrame:
    """Return what the units of each item that the seat of a place has a value for are worth."""
    shared = shares[~shares["is_open"] & shares["quantity"].notna()]
    places = shared[["place", *_SEAT]].drop_duplicates()
    units = places.merge(values[values["option"] < 0], on=_SEAT)
    key = ["place", "item"]
    own = shared[shared["is_own"]].drop_duplicates(key)[[*key, "quantity"]]
    others = shared[~shared["is_own"]].groupby(key, as_index=False)["quantity"].sum()
    units = units.merge(own, "left", on=key).merge(others, "left", on=key, suffixes=("", "_of_others"))
    rest = units["available"] - units["quantity_of_others"]
    quantity = units["quantity"].fillna(rest.where(rest >= -TOLERANCE))
    return pd.DataFrame({"place": units["place"], "worth": quantity * units["value"]})


def _option_worths(shares: pd.DataFrame, values: pd.DataFrame) -> pd.DataFrame:
    """Return what the option of each issue that the seat of a place has values for is worth."""
    opened, options = shares[shares["is_open"]], values[values["option"] >= 0]
    places = opened[["place", *_SEAT]].drop_duplicates()
    issues = places.merge(options[[*_SEAT, "item"]].drop_duplicates(), on=_SEAT)
    chosen = opened.drop_duplicates(["place", "item"])[["place", "item", "option"]]
    key = [*_SEAT, "item", "option"]
    issues = issues.merge(chosen, "left", on=["place", "item"])
    worths = issues.merge(options.drop_duplicates(key)[[*key, "value"]], "left", on=key)
    return worths[["place", "value"]].rename(columns={"value": "worth"})
