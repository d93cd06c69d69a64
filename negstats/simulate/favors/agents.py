"""Agents of the favor game by condition: their base, the four of mell2015, and those with a memory, of no paper."""

from __future__ import annotations

import tomllib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from negstats.errors import UsageError, shown
from negstats.games.favors import History, Negotiation, act, owed
from negstats.games.favors.rules import Points


@lru_cache(maxsize=1)
def parameters() -> dict[str, Any]:
    """Return what stands in ``parameters.toml``."""
    return tomllib.loads(files("negstats.simulate.favors").joinpath("parameters.toml").read_text(encoding="utf-8"))


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


class PrintedAgent(FavorAgent):
    """Its offers are a function of agent and negotiation alone; an answer changes words, never points.

    Examples
    --------
    >>> [(agent.name, agent.asks(()), agent.returns(())) for agent in PRINTED.values()][:2]
    [('favor-seeking', True, 1.0), ('betraying', True, 0.0)]
    """

    __slots__ = ()

    def returns(self, history: History) -> float:  # noqa: ARG002 - whatever happened
        """Return 1 or 0."""
        return float(self.returning == "returned")


# mell2015, section 4: the condition, its language and the quality of its offers in 2 and 4, and its participants.
_CASES = (
    ("favor-seeking", "favor", "returned", 38),
    ("betraying", "favor", "never returned", 40),
    ("cooperative", "generic", "returned", 48),
    ("competitive", "generic", "never returned", 41),
)

PRINTED = {name: PrintedAgent(name, language, returning) for name, language, returning, _ in _CASES}
SIZES = {name: size for name, *_, size in _CASES}


class Conditional(FavorAgent):
    """Tit for tat in favors: it returns one exactly when it was granted.

    Examples
    --------
    Accepting everything is the best reply to it:

    >>> from negstats.games.favors import best_reply
    >>> reply = best_reply(CONDITIONAL)
    >>> reply.player, reply.agent
    (66.0, 66.0)
    """

    __slots__ = ()

    def returns(self, history: History) -> float:
        """Return 1 after a granted favor."""
        return float(history[-1].asked and history[-1].accepted)


CONDITIONAL = Conditional("conditional", "favor", "if granted")


@dataclass(frozen=True, slots=True)
class Credit(FavorAgent):
    """Asks for a favor while it owes fewer than `most`, and returns one when it owes so many.

    With ``most=1`` it does what the conditional agent does; with more a granted favor may go without its return.

    Examples
    --------
    >>> from negstats.games.favors import best_reply
    >>> reply = best_reply(Credit("credit", "favor", "when 2 are owed", most=2))
    >>> reply.player, reply.answers
    (42.0, {(True, False, True, True): 1.0})
    """

    most: int

    def asks(self, history: History) -> bool:
        """Whether fewer favors are owed than it may owe.

        Parameters
        ----------
        history
            The negotiations so far, first to last.

        Returns
        -------
        bool
            True if it asks.
        """
        return owed(history) < self.most

    def returns(self, history: History) -> float:
        """Return 1 when the last favor has used up the credit.

        Parameters
        ----------
        history
            The negotiations so far, first to last.

        Returns
        -------
        float
            1 or 0.
        """
        return float(history[-1].asked and history[-1].accepted and owed(history) >= self.most)


class Forgiving(FavorAgent):
    """Tit for two tats in favors: it makes good offers although one request was refused, not after a second.

    Examples
    --------
    One of the two favors can be refused and pays:

    >>> from negstats.games.favors import best_reply
    >>> reply = best_reply(FORGIVING)
    >>> reply.player, reply.joint
    (67.0, 109.0)
    """

    __slots__ = ()

    def returns(self, history: History) -> float:
        """Return 1 after a granted favor, and while no more than one request has been refused."""
        n_refusals = sum(not past.accepted for past in history[::2])
        return float(history[-1].accepted or n_refusals <= 1)


FORGIVING = Forgiving("forgiving", "favor", "one refusal forgiven")


class Grim(FavorAgent):
    """The trigger strategy of repeated games: it returns favors until one request is refused, then never again.

    Examples
    --------
    >>> from negstats.games.favors import best_reply
    >>> best_reply(GRIM).answers
    {(True, True, True, True): 1.0}
    """

    __slots__ = ()

    def returns(self, history: History) -> float:
        """Return 1 while every request has been granted."""
        return float(all(past.accepted for past in history[::2]))


GRIM = Grim("grim", "favor", "until refused")


@dataclass(frozen=True, slots=True)
class RandomReturn(FavorAgent):
    """Returns a granted favor with probability `chance`, and makes no good offer otherwise.

    Examples
    --------
    Granting costs 1 point and brings 24 with that probability, so that it pays from 1/24 on:

    >>> from negstats.games.favors import best_reply
    >>> [round(best_reply(RandomReturn("random", "favor", "by chance", chance)).player, 2) for chance in (0.04, 0.05)]
    [20.0, 20.4]
    """

    chance: float

    def returns(self, history: History) -> float:
        """Return the probability after a granted favor, else 0.

        Parameters
        ----------
        history
            The negotiations so far, first to last.

        Returns
        -------
        float
            A probability, from 0 to 1.
        """
        return self.chance if history[-1].asked and history[-1].accepted else 0.0


def _build_rule_agents() -> list[FavorAgent]:
    limits = parameters()["agents"]
    return [
        Credit("credit", "favor", "at the limit", **limits["credit"]),
        RandomReturn("random", "favor", "by chance", **limits["random"]),
    ]


AGENTS: dict[str, FavorAgent] = PRINTED | {
    rule_agent.name: rule_agent for rule_agent in (CONDITIONAL, GRIM, FORGIVING, *_build_rule_agents())
}


def agent_of(condition: str) -> FavorAgent:
    """Return the agent of a condition.

    Parameters
    ----------
    condition
        Name of the condition.

    Returns
    -------
    FavorAgent
        The agent with its language and its returns.

    Raises
    ------
    UsageError
        If there is none.

    Examples
    --------
    >>> agent_of("betraying").language
    'favor'
    """
    if condition not in AGENTS:
        raise UsageError(f"condition is {shown(condition)}; there are {', '.join(AGENTS)}")
    return AGENTS[condition]
