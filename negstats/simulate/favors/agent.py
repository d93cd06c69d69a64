"""The base of the favor game's agents: a name, the design's two factors, and methods for words, offers and answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from negstats.games.favors import History, Negotiation, act
from negstats.games.favors.rules import Points


@dataclass(frozen=True, slots=True)
class FavorAgent(ABC):
    """An agent: a policy (`negstats.games.favors.Policy`) with a name.

    In 1 and 3 it offers the poor deal, asking for a favor if its language is that of favors. Agents differ in `asks`
    and `returns`; an agent's file says what is its own.

    Attributes
    ----------
    name : str
        The condition.
    language : str
        Factor of the design: favor or generic.
    returning : str
        Factor of the design: returned, never returned, or an agent's own rule.
    """

    name: str
    language: str
    returning: str

    def asks(self, history: History) -> bool:  # noqa: ARG002 - what happened matters to some
        """Whether it asks for a favor in the next negotiation, a slot for one.

        Parameters
        ----------
        history
            The negotiations so far, first to last.

        Returns
        -------
        bool
            True if it asks.
        """
        return self.language == "favor"

    @abstractmethod
    def returns(self, history: History) -> float:
        """Return the probability of a good offer in the next negotiation, a slot of return.

        Parameters
        ----------
        history
            The negotiations so far, first to last.
        """

    def offer(self, negotiation: Negotiation, history: History, rng: np.random.Generator) -> tuple[Points, bool]:
        """Return the offer, player and agent, and whether it is good.

        Parameters
        ----------
        negotiation
            The rules of the next negotiation.
        history
            The negotiations so far, first to last.
        rng
            Generator that decides where the probability of a good offer is neither 0 nor 1.

        Returns
        -------
        tuple[Points, bool]
            The points, and whether the offer is the good one.
        """
        chance = self.returns(history) if negotiation.is_return else 0.0
        good = chance == 1 or (chance > 0 and bool(rng.random() < chance))
        return negotiation.offer("good" if good else "poor"), good

    def message(self, negotiation: Negotiation, history: History, *, good: bool) -> str:
        """Return the act that goes with an offer: favor-request, favor-return or generic.

        Parameters
        ----------
        negotiation
            The rules of the next negotiation.
        history
            The negotiations so far, first to last.
        good
            Whether the offer is the good one.

        Returns
        -------
        str
            The name of the act.
        """
        return act(history, asks=not negotiation.is_return and self.asks(history), good=good)

    def answer(self, offer: Points) -> bool:  # noqa: ARG002 - whatever it is
        """Whether it accepts the player's offer in negotiation 5: always.

        Parameters
        ----------
        offer
            Points of player and agent.

        Returns
        -------
        bool
            Always True.
        """
        return True
