"""What a customer and a provider are asked in the course of a game: the two shapes that every agent has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from negstats.games.contract.board import Square
from negstats.games.contract.state import Offer, State


class Customer(Protocol):
    """Sits at the start of the board and may walk."""

    def offer(self, state: State, rng: np.random.Generator) -> Offer | None:
        """Return the offer of an even round; None for none."""

    def answer(self, state: State, offers: Sequence[Offer], rng: np.random.Generator) -> Offer | None:
        """Return which of the offers of an odd round is accepted; None for none."""

    def walk(self, state: State, rng: np.random.Generator) -> Sequence[Square]:
        """Return the squares that are entered, one after the other; none to stay."""


class Provider(Protocol):
    """Has a goal and chips."""

    def offer(self, state: State, rng: np.random.Generator) -> Offer | None:
        """Return the offer of an odd round; None for none."""

    def accepts(self, state: State, offer: Offer, rng: np.random.Generator) -> bool:
        """Whether the customer's offer of an even round is accepted."""
