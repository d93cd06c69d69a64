"""DealOrNoDeal's games as columns, and the study's tables of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.loaders.dealornodeal.lines import SEATS
from negstats.loaders.files.columns import Texts, chosen
from negstats.tables import conform, text_array

ITEMS = ("book", "hat", "ball")  # the source's item0, item1, item2
ENDS = ("agreement", "walkaway", "disagreement", "disconnect")

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Games:
    """Games, their offers and their messages; seats are 0 for A and 1 for B, and items come in the order of `ITEMS`."""

    names: list[str]
    ended: Array  # of each game: place in `ENDS`
    mirrored: Array  # whether both perspectives are there
    counts: Array  # (games, items)
    worth_each: Array  # (games, seats, items): points a unit
    of_game: Array  # of each offer: the game's place; the offers of a game stand together
    proposer: Array
    shares: Array  # (offers, 2, items): to the proposer, to the responder
    accepted: Array
    speaks: Array  # of each message: the game's place
    sender: Array
    text: Texts
    selects: Array  # whether it is the act of who ended the dialogue


def tables(games: Games) -> dict[str, pd.DataFrame]:
    """Return the tables, column by column."""
    ids = text_array(games.names)
    places = np.arange(len(games.names))
    both = np.stack([games.proposer, 1 - games.proposer], axis=1)
    worth = (games.shares * games.worth_each[games.of_game[:, None], both]).sum(axis=2)
    points = np.zeros((len(places), 2))
    points[games.of_game[games.accepted][:, None], both[games.accepted]] = worth[games.accepted]
    return {
        "games": conform(
            "games",
            {
                "game_id": ids,
                "study": chosen(["Deal or No Deal"], places * 0),
                "scenario": chosen(["books, hats, balls"], places * 0),
                "protocol": chosen(["chat"], places * 0),
                "ended": chosen(ENDS, games.ended),
                "mirrored": pd.array(games.mirrored, dtype="boolean"),
            },
        ),
        **_seat_tables(games, ids, points),
        **_offer_tables(games, ids, both, worth),
        "messages": conform(
            "messages",
            {
                "game_id": chosen(ids, games.speaks),
                "message": _number_rows(games.speaks),
                "sender": chosen(SEATS, games.sender),
                "text": games.text,
                "act": chosen(["select"], games.selects.astype(np.int64) - 1),
            },
        ),
    }


def _seat_tables(games: Games, ids: Texts, points: Array) -> dict[str, pd.DataFrame]:
    """Return the seats of all games, and what each item is worth to them."""
    places, count = np.arange(len(games.names)), len(ITEMS)
    seats, goods = np.tile(np.arange(2), len(places)), np.arange(count)
    return {
        "players": conform(
            "players",
            {
                "game_id": chosen(ids, places.repeat(2)),
                "player": chosen(SEATS, seats),
                "kind": chosen(["human"], seats * 0),
                "points": points.ravel(),
                "batna": np.zeros(len(seats)),
            },
        ),
        "values": conform(
            "values",
            {
                "game_id": chosen(ids, places.repeat(2 * count)),
                "player": chosen(SEATS, seats.repeat(count)),
                "item": chosen(ITEMS, np.tile(goods, len(seats))),
                "available": games.counts.repeat(2, axis=0).ravel().astype(np.float64),
                "value": games.worth_each.ravel().astype(np.float64),
            },
        ),
    }


def _offer_tables(games: Games, ids: Texts, both: Array, worth: Array) -> dict[str, pd.DataFrame]:
    """Return the divisions that were chosen, as offers, and what is in them; `both` are proposers and responders."""
    of_game, count, goods = games.of_game, len(ITEMS), np.arange(len(ITEMS))
    number = _number_rows(of_game)
    return {
        "offers": conform(
            "offers",
            {
                "game_id": chosen(ids, of_game),
                "offer": number,
                "proposer": chosen(SEATS, both[:, 0]),
                "responder": chosen(SEATS, both[:, 1]),
                "units_to_proposer": games.shares[:, 0].sum(axis=1),
                "units_to_responder": games.shares[:, 1].sum(axis=1),
                "value_proposer": worth[:, 0],
                "value_responder": worth[:, 1],
                "response": chosen(["rejected", "accepted"], games.accepted),
            },
        ),
        "items": conform(
            "items",
            {
                "game_id": chosen(ids, of_game.repeat(2 * count)),
                "offer": number.repeat(2 * count),
                "item": chosen(ITEMS, np.tile(goods, 2 * len(of_game))),
                "receiver": chosen(SEATS, both.ravel().repeat(count)),
                "quantity": games.shares.ravel().astype(np.float64),
            },
        ),
    }


def _number_rows(games: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the number of each row in its game, from 1; the rows of a game stand together."""
    number: npt.NDArray[np.int64] = np.arange(len(games)) - np.searchsorted(games, games) + 1
    return number
