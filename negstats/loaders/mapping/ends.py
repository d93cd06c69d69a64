"""How games ended and what their seats scored, as far as the offers tell."""

from __future__ import annotations

import numpy as np
import pandas as pd

from negstats.loaders.files.columns import Texts, chosen
from negstats.loaders.mapping.frames import Array, Frame, Mask, grouped, nothing, picked
from negstats.loaders.mapping.items import SIDES
from negstats.loaders.mapping.rows import Places


class Deals:
    """Which games have a deal, and the offers that make it up: one, or the last on each issue.

    Where every offer of a game is about one issue, and there are several, all of them must be settled.
    """

    def __init__(self, offers: Frame, items: Frame, issues: list[tuple[Mask, int]], games: int, places: Places) -> None:
        self.response, self.game, self.last = offers["response"], offers["game"], offers["last"]
        self.code = places.vocabulary("response").code
        is_accepted = self.response == self.code("accepted")
        self.some = _any(self.game[is_accepted], games)
        last = np.full(games, -1, dtype=np.int64)
        last[self.game[is_accepted]] = np.flatnonzero(is_accepted)
        self.offers = last[last >= 0]
        self.partly = np.zeros(games, dtype=bool)
        if items:
            self._add_by_issue(items, issues, is_accepted, games, len(places.vocabulary("item")))
        self.made = self.some & ~self.partly
        self.offers = self.offers[self.made[self.game[self.offers]]]

    def _add_by_issue(
        self, items: Frame, issues: list[tuple[Mask, int]], is_accepted: Mask, games: int, width: int
    ) -> None:
        pairs = np.unique(items["row"] * width + items["item"])
        row, item = pairs // width, pairs % width
        about = np.bincount(row, minlength=len(self.game))
        single = ~_any(self.game[about != 1], games)
        has_issue = np.zeros((games, width), dtype=bool) if games * width <= _MOST else None
        if has_issue is None:
            return
        has_issue[self.game[row], item] = True
        for has_game, one in issues:
            has_issue[has_game, one] = True
        single &= has_issue.sum(axis=1) > 1
        is_accepted_issue = np.zeros_like(has_issue)
        row_accepted = is_accepted[row]
        is_accepted_issue[self.game[row[row_accepted]], item[row_accepted]] = True
        self.partly = single & self.some & (has_issue & ~is_accepted_issue).any(axis=1)
        is_part_of_deal = row_accepted & single[self.game[row]]
        last = np.full((games, width), -1, dtype=np.int64)
        last[self.game[row[is_part_of_deal]], item[is_part_of_deal]] = row[is_part_of_deal]
        whole = self.offers[~single[self.game[self.offers]]]
        self.offers = np.sort(np.append(whole, last[last >= 0]))


_MOST = 2**28


def _any(games: Array, size: int) -> Mask:
    is_any = np.zeros(size, dtype=bool)
    is_any[games] = True
    return is_any


def deals(offers: Frame, items: Frame, issues: list[tuple[Mask, int]], games: int, places: Places) -> Deals:
    """Return the deals; `issues` are those that the mapping has worths for, with the games that have them."""
    return Deals(offers, items, issues, games, places)


def ends(deals: Deals, games: int, *, once: bool) -> Texts:
    """Return how each game ended: in agreement, by a refusal that was the last word, or nobody knows.

    Parameters
    ----------
    deals
        The deals.
    games
        How many games there are.
    once
        Whether there is one offer for each game and proposer, so that a refusal ends the game.
    """
    is_rejected = deals.response == deals.code("rejected")
    was_refused = _any(deals.game[is_rejected & (deals.last | once)], games)
    was_answered = _any(deals.game[deals.last & (is_rejected | (deals.response == deals.code("accepted")))], games)
    names = ("agreement", "disagreement", "walkaway" if once else "disagreement", "unknown")
    without_deal = np.where(deals.partly, was_answered, was_refused)
    return chosen(names, np.select([deals.made, without_deal & deals.partly, without_deal], [0, 1, 2], 3))


def allotments(offers: Frame, items: Frame, worth: Frame, *, has_values: bool) -> Frame:
    """Return ``row``, ``seat``, ``amount``: what offers are worth to seats, also to those that are on neither side.

    It is the value that the log says, else, of one good that is divided and has no values, how much of it they get.
    """
    size = int(max(offers["at"].max(initial=0), worth["at"].max(initial=0))) + 1
    row_of_place = np.full(size, -1, dtype=np.int64)
    row_of_place[offers["at"]] = np.arange(len(offers["at"]))
    row = row_of_place[worth["at"]]
    has_value = (row >= 0) & ~np.isnan(worth["value"]) if "value" in worth else np.zeros(len(row), dtype=bool)
    if has_value.any():
        return picked({"row": row, "seat": worth["seat"], "amount": worth["value"]}, has_value)
    is_divided = bool(items) and not has_values and len(np.unique(items["item"])) == 1
    if not is_divided or np.any(items["receiver"] < 0) or np.isnan(items["quantity"]).any():
        return {"row": nothing("int64", 0), "seat": nothing("int32", 0), "amount": nothing("float64", 0)}
    return {"row": items["row"], "seat": items["receiver"], "amount": items["quantity"]}


def scored(
    players: Frame,
    game: Array,
    offers: Frame,
    deals: Deals,
    without: list[tuple[Mask, float | None]],
    allotted: Frame,
) -> Array:
    """Return the points of the seats, those of the deal where they are not known.

    Parameters
    ----------
    players, game
        The seats and the game of each.
    offers
        The offers.
    deals
        The deals.
    without
        Games in which seats have so many points if there is no deal.
    allotted
        What offers are worth to seats, for those that are on neither side.
    """
    size = len(game)
    points: Array = players.get("points", np.full(size, np.nan)).copy()
    width = int(max(players["player"].max(initial=0), *(offers[side].max(initial=0) for side in SIDES))) + 2
    keys = game.astype(np.int64) * width + players["player"]
    order = np.argsort(keys, kind="stable")
    worth = np.full(size, np.nan)
    for side in SIDES:
        value = offers.get(f"value_{side}")
        rows = deals.offers if value is None else deals.offers[~np.isnan(value[deals.offers])]
        rows = rows[offers[side][rows] >= 0]
        if value is None or not len(rows):
            continue
        seat_keys = deals.game[rows].astype(np.int64) * width + offers[side][rows]
        seat = order[np.searchsorted(keys[order], seat_keys).clip(max=size - 1)]
        groups = grouped([seat])
        sums = np.bincount(groups, weights=value[rows])
        first = seat[np.flatnonzero(np.diff(np.maximum.accumulate(groups), prepend=-1))]
        worth[first] = np.where(np.isnan(worth[first]), sums, worth[first] + sums)
    if len(allotted["row"]):
        of_deal = picked(allotted, np.isin(allotted["row"], deals.offers) & (allotted["seat"] < width))
        in_part = _any(np.flatnonzero(np.any([part for part, _ in without], axis=0)), len(deals.made))
        deal_keys = deals.game[of_deal["row"]].astype(np.int64) * width + of_deal["seat"]
        amounts = pd.Series(of_deal["amount"]).groupby(deal_keys).sum().reindex(keys).to_numpy()
        worth = np.where(np.isnan(worth) & in_part[game], amounts, worth)
    points = np.where(np.isnan(points), worth, points)
    for in_part, value_without in without:
        if value_without is not None:
            points = np.where(np.isnan(points) & in_part[game] & ~deals.made[game], value_without, points)
    return points
