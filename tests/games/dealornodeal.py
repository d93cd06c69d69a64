"""The Deal or No Deal dialogues as arrays: just enough of the file for counts, values and deals, fast.

A line is one person's view of a dialogue: counts and values (three pairs), turns, the selection, the reward, whether
the two agreed, and the other's counts and values. The two views of a dialogue stand next to each other, in either
order; a view whose neighbour is not its mirror is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.games import division_utilities, divisions, dominated
from negstats.tables import conform

Numbers = npt.NDArray[Any]

LINE = re.compile(
    r"([\d ]+) (?=YOU:|THEM:)(.*?)(?: <eos> )?(?:YOU:|THEM:) <selection> (.*?) <eos> "
    r"reward=.*? (agree|disagree) ([\d ]+)"
)
ITEMS = re.compile(r"item\d=(\d+)")
MIRROR = {"YOU:": "THEM:", "THEM:": "YOU:"}


@dataclass(frozen=True, slots=True)
class Deals:
    """One row a dialogue: item counts (games, items), values and shares (games, players, items), agreed (games,)."""

    counts: Numbers
    values: Numbers
    shares: Numbers
    agreed: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.counts)

    def scores(self) -> Numbers:
        """Points of both players in the agreed deals (deals, players)."""
        points: Numbers = division_utilities(self.shares[self.agreed][:, np.newaxis], self.values[self.agreed])[:, 0]
        return points

    def pareto_optimal(self) -> npt.NDArray[np.bool_]:
        """Whether each agreed deal is Pareto optimal; games that share counts are one batch."""
        optimal = np.zeros(len(self), dtype=bool)
        scores = np.full((len(self), 2), np.nan)
        scores[self.agreed] = self.scores()
        distinct, which = np.unique(self.counts, axis=0, return_inverse=True)
        for place, counts in enumerate(distinct):
            games = np.flatnonzero((which.reshape(-1) == place) & self.agreed)
            spaces = division_utilities(divisions(counts), self.values[games])
            optimal[games] = ~dominated(scores[games], spaces)
        return optimal[self.agreed]

    def tables(self) -> dict[str, pd.DataFrame]:
        """The same as the tables `values`, `offers` and `items` of a study."""
        games, players, items = np.indices(self.values.shape).reshape(3, -1)
        names = {
            "game_id": [f"g{game:04d}" for game in games],
            "player": [f"p{player}" for player in players],
            "item": [f"item{item}" for item in items],
        }
        counts = np.broadcast_to(self.counts[:, np.newaxis], self.values.shape)
        worth = {"available": np.ravel(counts), "value": np.ravel(self.values)}
        taken = {"offer": 1, "receiver": names["player"], "quantity": np.ravel(self.shares)}
        response = np.where(self.agreed, "accepted", "none")
        offer_columns = {"game_id": [f"g{game:04d}" for game in range(len(self))], "offer": 1, "response": response}
        return {
            "values": conform("values", pd.DataFrame(names | worth)),
            "offers": pd.DataFrame(offer_columns),
            "items": conform("items", pd.DataFrame(names | taken).drop(columns="player")),
        }


def read(file: Path) -> Deals:
    """Read the dialogues whose two views stand together."""
    views = [match.groups() for match in map(LINE.fullmatch, file.read_text(encoding="utf-8").splitlines()) if match]
    contexts, shares, agreed = [], [], []
    place = 0
    while place < len(views) - 1:
        mine, theirs = views[place], views[place + 1]
        mirrored = (mine[0], mine[4]) == (theirs[4], theirs[0]) and _turned(mine[1]) == theirs[1]
        place += 1 + mirrored
        if mirrored:
            contexts.append([int(number) for number in (mine[0] + " " + mine[4]).split()])
            taken = [[int(number) for number in ITEMS.findall(view[2])] or [0, 0, 0] for view in (mine, theirs)]
            shares.append(taken)
            agreed.append(mine[3] == theirs[3] == "agree")
    context = np.array(contexts).reshape(-1, 2, 3, 2)
    claimed = np.array(shares)
    counts = context[:, 0, :, 0]
    return Deals(counts, context[..., 1], claimed, np.array(agreed) & (claimed.sum(axis=1) == counts).all(axis=1))


def _turned(turns: str) -> str:
    return re.sub("YOU:|THEM:", lambda speaker: MIRROR[speaker.group()], turns)
