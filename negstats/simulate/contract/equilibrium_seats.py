"""What the equilibrium agents share: they offer, answer and walk as a solved game says, from any state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from negstats.games.contract.board import Square
from negstats.games.contract.equilibrium import Solution
from negstats.games.contract.state import Offer, State

if TYPE_CHECKING:
    import numpy as np


class EquilibriumCustomer:
    """Plays the customer's part of a solution."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution

    def offer(self, state: State, rng: np.random.Generator) -> Offer | None:  # noqa: ARG002 - nothing is left to chance
        """Return the preferred offer (haim2017, Definition 2)."""
        return next(iter(self.solution.offer(state)), None)

    def answer(self, state: State, offers: Sequence[Offer], rng: np.random.Generator) -> Offer | None:  # noqa: ARG002
        """Return the best offer where it is worth more than none; ties as the paper breaks them."""
        return self.solution.response(state, offers)

    def walk(self, state: State, rng: np.random.Generator) -> Sequence[Square]:  # noqa: ARG002
        """Return the preferred path (Definition 5)."""
        return self.solution.path(state)


class EquilibriumProvider:
    """Plays one provider's part of a solution."""

    def __init__(self, solution: Solution, provider: int) -> None:
        self.solution, self.provider = solution, provider

    def offer(self, state: State, rng: np.random.Generator | None = None) -> Offer | None:  # noqa: ARG002
        """Return the preferred offer (haim2017, Definition 3)."""
        return next((offer for offer in self.solution.offer(state) if offer.provider == self.provider), None)

    def accepts(self, state: State, offer: Offer, rng: np.random.Generator) -> bool:  # noqa: ARG002
        """Accept what is worth more than going without."""
        return self.solution.response(state, [offer]) is not None
