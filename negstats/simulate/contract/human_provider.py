"""A boundedly rational person in a provider's seat: a logit response to what an exchange would bring.

Source: McKelvey and Palfrey 1995 for the form; the parameters stand in `parameters.toml` with their meaning.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from negstats.games.contract.board import Square
from negstats.games.contract.state import Chips, Offer, State
from negstats.simulate.contract.menu import Menu, chosen, logistic, rising
from negstats.simulate.contract.parameters import People
from negstats.simulate.contract.reach import Reach

KEPT = 2**11  # menus, of some 15 kilobytes each


class HumanProvider:
    """Makes and takes offers by what they promise: chips, and the chance that the customer comes to its goal."""

    def __init__(self, reach: Reach, people: People, provider: int) -> None:
        self.reach, self.people, self.provider = reach, people, provider
        self._weighed = lru_cache(maxsize=KEPT)(self._weigh)

    def offer(self, state: State, rng: np.random.Generator) -> Offer | None:
        """Offer what promises most: the gain times how likely the customer seems to accept, with noise."""
        menu, weights = self._weighed(state.square, state.chips[0], state.chips[self.provider])
        return menu.offer(chosen(weights, rng))

    def _weigh(self, square: Square, customers: Chips, own: Chips) -> tuple[Menu, npt.NDArray[np.float64]]:
        """Return what can be offered, and the running sums of what that promises."""
        people, game = self.people, self.reach.game
        menu = Menu.of(self.reach, square, customers, self.provider, own)
        likely = logistic(game.chip_points * menu.net.astype(float), people.customer_wants, people.response_noise)
        worth = likely * menu.gain(self.provider, game.chip_points, game.goal_points)
        return menu, rising(worth, people.offer_noise)

    def accepts(self, state: State, offer: Offer, rng: np.random.Generator) -> bool:
        """Accept with a chance that rises with the gain."""
        game = self.reach.game
        gain = Menu.only(self.reach, state, offer).gain(self.provider, game.chip_points, game.goal_points)
        return bool(rng.random() < logistic(gain, self.people.provider_wants, self.people.response_noise)[0])
