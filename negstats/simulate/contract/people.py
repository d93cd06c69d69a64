"""Boundedly rational people in the seats of customer and provider: logit responses to what an exchange would bring.

The family is the logit (quantal) response of McKelvey and Palfrey 1995. Customers have two lapses that haim2017 (6.4,
6.5) sees in people: giving away chips that the own path needs, and talking until the game goes dormant. It describes
nobody: its parameters (`parameters.toml`, with their meaning) are set so that goals are reached as often, and games
last as long, as printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from negstats.games.contract.board import Square
from negstats.games.contract.state import Chips, Offer, State
from negstats.simulate.contract.menu import Menu, Reach, chosen, logistic, rising
from negstats.simulate.contract.parameters import People


class HumanCustomer:
    """Takes and makes offers by their gain with noise, and walks when it has talked enough."""

    def __init__(self, reach: Reach, people: People) -> None:
        self.reach, self.people = reach, people

    def offer(self, state: State, rng: np.random.Generator) -> Offer | None:
        """Offer what promises most: the gain times how likely the provider seems to accept, with noise.

        By a slip the offer gives away chips that the last path needs, where there is such an offer.
        """
        people, points = self.people, (self.reach.game.chip_points, self.reach.game.goal_points)
        menus = [
            Menu.of(self.reach, state.square, state.chips[0], provider, state.chips[provider])
            for provider in self.reach.game.providers
        ]
        careless = rng.random() < people.slip
        worths = []
        for menu in menus:
            likely = logistic(menu.gain(menu.provider, *points), people.provider_wants, people.response_noise)
            worth = likely * points[0] * menu.net
            worths.append(worth)
        worth, stranding = np.concatenate(worths), np.concatenate([menu.stranding() for menu in menus])
        worth[stranding != (careless and stranding.any())] = -np.inf
        place = chosen(rising(worth, people.offer_noise), rng)
        for menu in menus:
            if place < len(menu.net):
                return menu.offer(place)
            place -= len(menu.net)
        return None

    def answer(self, state: State, offers: Sequence[Offer], rng: np.random.Generator) -> Offer | None:
        """Accept with odds that rise with the benefit; one that leaves no goal in reach only by a slip."""
        people, points = self.people, self.reach.game.chip_points
        careless = rng.random() < people.slip
        weights = [1.0]  # of none
        for offer in offers:
            stranding = Menu.only(self.reach, state, offer).stranding()[0] and not careless
            gain = (points * offer.net - people.customer_wants) / people.response_noise
            weights.append(0.0 if stranding else float(np.exp(np.clip(gain, -50, 50))))
        totals = np.cumsum(weights)
        place = int(np.searchsorted(totals, rng.random() * totals[-1], side="right"))
        return offers[place - 1] if place else None

    def walk(self, state: State, rng: np.random.Generator) -> Sequence[Square]:
        """Go to a goal when the talk is enough; else take one step when staying again would end the game."""
        goals = self.reach.goals(state.square, state.chips[0])
        enough, misses_call = rng.random() < self.people.enough, rng.random() < self.people.lost
        last_call = state.idle + 1 >= self.reach.game.dormant_after
        if not goals or not (enough or (last_call and not misses_call)):
            return ()
        # To the goal of whoever gave most; of equals to either.
        giver = min(goals, key=lambda provider: (sum(state.chips[provider]), rng.random()))
        need = self.reach.paths.shortest(state.square, giver, state.chips[0])
        path = () if need is None else self.reach.paths.path(state.square, giver, need)
        return path if enough else path[:1]


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
