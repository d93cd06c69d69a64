"""What follows from what a log says: worths of offers from their items, points from the deal, totals from both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from negstats.key_codes import arrow, places_in
from negstats.loaders.files.intake import Tally

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


Tables: TypeAlias = Mapping[str, pd.DataFrame]

MOST_UNLIKE = 0.1  # of the rows that may be slips; with more the log follows another rule
OFFER = ["game_id", "offer"]


def derived(tables: Tables) -> tuple[dict[str, pd.DataFrame], list[str]]:
    """Return the tables with what follows from them, and a note for each column that was filled or contradicts them.

    Parameters
    ----------
    tables
        The tables of a study, see `negstats.tables.TABLES`. They are not changed.

    Returns
    -------
    dict of str to pandas.DataFrame
        The tables; those to which nothing was added are the same objects.
    list of str
        The notes: counts, which add up over the pieces of a log.

    Examples
    --------
    >>> from negstats.tables import TABLES, conform, empty
    >>> tables = {name: empty(name) for name in TABLES}
    >>> tables["games"] = conform("games", {"game_id": ["g"], "ended": ["agreement"]})
    >>> tables["players"] = conform("players", {"game_id": ["g"] * 2, "player": ["A", "B"]})
    >>> tables["offers"] = conform("offers", {"game_id": ["g"], "offer": [1], "proposer": ["A"], "responder": ["B"],
    ...                                       "response": ["accepted"]})
    >>> tables["items"] = conform("items", {"game_id": ["g"] * 2, "offer": [1] * 2, "item": ["apple"] * 2,
    ...                                     "receiver": ["A", "B"], "quantity": [3, 1]})
    >>> tables["values"] = conform("values", {"game_id": ["g"] * 2, "player": ["A", "B"], "item": ["apple"] * 2,
    ...                                       "value": [2, 5]})
    >>> made, notes = derived(tables)
    >>> made["players"]["points"].tolist()
    [6.0, 5.0]
    >>> notes[-1]
    '2 of 2 points are derived: the value of the accepted offer to the seat'
    """
    complete_tables, notes = dict(tables), list[str]()
    if tables["offers"].empty:
        return complete_tables, notes
    complete_tables["offers"] = _add_units(complete_tables["offers"], notes)
    if len(tables["values"]) and len(tables["items"]):
        complete_tables["values"] = _add_totals(complete_tables, notes)
        complete_tables["offers"] = _add_values(complete_tables, notes)
    complete_tables["players"] = _add_points(complete_tables, notes)
    return complete_tables, notes


def _add_units(offers: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Fill the units of one side where the game's other offers all have one total."""
    own, other = (offers[f"units_to_{side}"] for side in SIDES)
    half = own.isna() != other.isna()
    if not half.any():
        return offers
    total = _constant((own + other).groupby(offers["game_id"], sort=False))
    changes: dict[str, pd.Series] = {}
    for side, known_units, lacking in ((SIDES[0], other, own), (SIDES[1], own, other)):
        rest = total - known_units
        name = f"units_to_{side}"
        changes[name] = _fill_missing(
            lacking, rest.where(rest >= -TOLERANCE), name, "the game's total less the other", notes
        )
    return offers.assign(**changes)


def _add_totals(tables: Tables, notes: list[str]) -> pd.DataFrame:
    """Fill how many units of an item there are, where the offers of a game share out one number of them."""
    values, items = tables["values"], tables["items"]
    units = values["option"].isna()
    if not (units & values["available"].isna()).any():
        return values
    allocations = items.dropna(subset=["receiver", "quantity"])
    if allocations.empty:
        return values
    sums = allocations.groupby([*OFFER, "item"], sort=False)["quantity"].agg(["sum", "size"]).reset_index()
    seats = tables["players"].groupby("game_id", sort=False).size()
    both = sums[(sums["size"] > 1) & (sums["size"] == sums["game_id"].map(seats))]
    spread = both.groupby(["game_id", "item"], sort=False)["sum"].agg(["min", "max"])
    one = spread["min"].where(spread["max"] - spread["min"] <= TOLERANCE * spread["max"].abs().clip(lower=1))
    totals = one.reindex(pd.MultiIndex.from_frame(values[["game_id", "item"]])).to_numpy(dtype="float64")
    known_totals = pd.Series(totals, index=values.index).where(units)
    rule = "what both sides get of the item together in all offers of the game"
    return values.assign(available=_fill_missing(values["available"], known_totals, "available", rule, notes))


def _add_values(tables: Tables, notes: list[str]) -> pd.DataFrame:
    """Fill what offers are worth to both sides; count those that the log says otherwise."""
    offers = tables["offers"]
    changes: dict[str, pd.Series] = {}
    for side, of_side in zip(SIDES, worths(tables), strict=True):
        name = f"value_{side}"
        worth = pd.Series(of_side, index=offers.index)
        stated = offers[name]
        unlike, both = _differences(stated, worth)
        agrees = _agrees(name, unlike, both, "what items and values make", notes)
        rule = "items times their values to the seat"
        changes[name] = _fill_missing(stated, worth if agrees else worth * np.nan, name, rule, notes)
    return offers.assign(**changes)


def _add_points(tables: Tables, notes: list[str]) -> pd.DataFrame:
    """Fill points by the deal of each game that ended in agreement on one offer."""
    players, offers, games = tables["players"], tables["offers"], tables["games"]
    agreements = arrow(games["game_id"]).filter(pa.array(_is(games["ended"], "agreement")))
    accepted = np.flatnonzero(_is(offers["response"], "accepted"))
    places = np.maximum(places_in(arrow(offers["game_id"]).take(accepted), agreements), -1)
    is_only_deal = np.append(np.bincount(places[places >= 0], minlength=len(agreements)) == 1, False)
    points_due = pd.Series(_due(offers, accepted[is_only_deal[places]], players), index=players.index)
    stated = players["points"]
    unlike, both = _differences(stated, points_due)
    if not _agrees("points", unlike, both, "the value of the accepted offer", notes):
        return players
    rule = "the value of the accepted offer to the seat"
    return players.assign(points=_fill_missing(stated, points_due, "points", rule, notes))


def _agrees(name: str, unlike: pd.Series, both: pd.Series, rule: str, notes: list[str]) -> bool:
    """Return whether what a log says follows a rule, but for slips that are counted in the notes.

    Where it does not, it is another thing (a gain over what was owned, discounted points, money), and what is missing
    is not filled by the rule.
    """
    count, of = int(unlike.sum()), int(both.sum())
    if count > MOST_UNLIKE * of:
        notes.append(
            Tally(f"{name} of the log follow another rule than {rule} ({{0}} of {{1}} differ): kept", count, of)
        )
        return False
    if count:
        notes.append(Tally(f"{{0}} of {{1}} {name} are not {rule}; the log's are kept", count, of))
    return True


def _is(column: pd.Series, text: str) -> npt.NDArray[np.bool_]:
    return np.asarray(column.array == text, dtype=bool)


def _due(offers: pd.DataFrame, deals: npt.NDArray[np.int64], players: pd.DataFrame) -> Numbers:
    """Return for each row of players what the deal of its game is worth to it, NaN where that is not known."""
    places = places_in(arrow(players["game_id"]), arrow(offers["game_id"]).take(deals))
    rows = np.flatnonzero(places >= 0)
    seats, of_row = players["player"].array[rows], deals[places[rows]]
    is_seat = [np.asarray(offers[side].array[of_row] == seats, dtype=bool) for side in SIDES]
    values = [offers[f"value_{side}"].to_numpy(dtype=np.float64)[of_row] for side in SIDES]
    one_side = is_seat[0] != is_seat[1]  # nobody sits on both
    due = np.full(len(players), np.nan)
    due[rows] = np.where(one_side, np.where(is_seat[0], *values), np.nan)
    return due


def _fill_missing(stated: pd.Series, derived_values: pd.Series, name: str, rule: str, notes: list[str]) -> pd.Series:
    """Return what is stated, and what was found where nothing is; the count goes to the notes."""
    fresh = stated.isna() & derived_values.notna()
    if not fresh.any():
        return stated
    notes.append(Tally(f"{{0}} of {{1}} {name} are derived: {rule}", int(fresh.sum()), len(stated)))
    return stated.where(~fresh, derived_values.astype("float64"))


def _constant(groups: Any) -> pd.Series:
    """Return for each row the one number of its group, missing where there is none or several."""
    low, high = (groups.transform(what) for what in ("min", "max"))
    one: pd.Series = low.where(high - low <= TOLERANCE * high.abs().clip(lower=1))
    return one


def _differences(stated: pd.Series, worth: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return where two numbers differ by more than their rounding, and where there are both."""
    both = stated.notna() & worth.notna()
    return both & ((stated - worth).abs() > _rounding(stated, worth)) if both.any() else both, both


def _rounding(stated: pd.Series, worth: pd.Series) -> Numbers:
    """Return how far two numbers may lie apart that are the same, as they are printed: six digits, or a hundredth."""
    numbers = stated.to_numpy(dtype="float64")
    known = numbers[~np.isnan(numbers)]
    decimals = next((places for places in range(6) if np.allclose(known, known.round(places), atol=1e-9)), 0)
    larger = np.fmax(np.abs(numbers), np.abs(worth.to_numpy(dtype="float64")))
    limit: Numbers = TOLERANCE * np.maximum(larger, 1) + (0.5 * 10.0**-decimals if decimals else 0.0)
    return limit
