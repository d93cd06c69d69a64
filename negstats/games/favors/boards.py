"""Chip boards that fit the printed points of the favor game. Invented: the paper prints points, and no board or chips.

Each seat has a path of colours of its own and walks along it as far as its chips pay, square by square: it scores
2 to the power of the squares. They show that what is printed can stand on a Colored Trails board, and give offers in
chips to whoever wants them; the rules need points alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from negstats.errors import DesignError
from negstats.games.favors.rules import Numbers, Points


@dataclass(frozen=True, slots=True)
class FavorBoard:
    """Paths and chips of both seats, a letter a colour.

    Examples
    --------
    >>> board = BOARDS[2]
    >>> board.start, board.exchange((32, 1))
    ((8, 2), {'B': 1, 'C': 1})
    """

    player_path: str
    agent_path: str
    player_chips: str
    agent_chips: str

    @property
    def start(self) -> Points:
        """Points if no chip changes hands: the BATNAs, or where negotiation 5 starts."""
        return self._points(Counter(self.player_chips), Counter(self.agent_chips))

    def splits(self) -> Mapping[Points, dict[str, int]]:
        """Return every outcome, with what the player receives net by colour in the split that moves fewest chips."""
        own = Counter(self.player_chips)
        total = own + Counter(self.agent_chips)
        best: dict[Points, tuple[int, dict[str, int]]] = {}
        for hand in product(*[range(count + 1) for count in total.values()]):
            player = Counter(dict(zip(total, hand, strict=True)))
            points = self._points(player, total - player)
            change = {colour: player[colour] - own[colour] for colour in total if player[colour] != own[colour]}
            size = sum(map(abs, change.values()))
            if points not in best or size < best[points][0]:
                best[points] = (size, change)
        return {points: change for points, (_, change) in sorted(best.items())}

    def outcomes(self) -> Numbers:
        """Return the distinct outcomes (outcomes, 2), sorted."""
        return np.array(list(self.splits()))

    def exchange(self, points: Points) -> dict[str, int]:
        """Return the chips that the player receives (below 0: gives), by colour, for an outcome; as few as do.

        Raises
        ------
        DesignError
            If no split gives these points.
        """
        splits = self.splits()
        if points not in splits:
            raise DesignError(f"no split of the chips gives the points {points}")
        return splits[points]

    def _points(self, player: Counter[str], agent: Counter[str]) -> Points:
        return 2 ** _squares(self.player_path, player), 2 ** _squares(self.agent_path, agent)


def _squares(path: str, chips: Counter[str]) -> int:
    stock = Counter(chips)
    for place, colour in enumerate(path):
        if not stock[colour]:
            return place
        stock[colour] -= 1
    return len(path)


_RETURN = FavorBoard("AAABC", "BAXYY", "AAAX", "BC")
_FAVOR = FavorBoard("BAXYY", "AAABC", "BC", "AAAX")
_FINAL = FavorBoard("AAAB", "DDDC", "AAAC", "DDDB")

BOARDS = {1: _FAVOR, 2: _RETURN, 3: _FAVOR, 4: _RETURN, 5: _FINAL}
