"""Who can sit in a dominance dialogue: an agent, a simulated person who lapses now and then, and a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from negstats.errors import DesignError
from negstats.games.dominance import ANY, Domain, Preferences, Relation, Value
from negstats.games.dominance.acceptance import is_relation
from negstats.simulate.dominance.agent import Agent, Memory, Readings
from negstats.simulate.dominance.relations import Dominant, Peer, Submissive
from negstats.simulate.dominance.words import (
    Accept,
    AskPreference,
    Booking,
    Leave,
    Propose,
    Reject,
    StatePreference,
    Utterance,
)

AGENTS: dict[Relation, type[Agent]] = {agent.relation: agent for agent in (Dominant, Peer, Submissive)}


class Side(Protocol):
    """One side of a talk."""

    def say(self, memory: Memory, heard: Utterance | None, rng: np.random.Generator | None) -> Utterance:
        """Return what is said to what was heard, which is in the memory already; None opens the talk.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The other side's last utterance; None opens the talk.
        rng
            Generator of the random numbers; None if nothing shall be left to chance.
        """


def agent_of(relation: str, preferences: Preferences, readings: Readings | None = None) -> Agent:
    """Return the agent with a relation: dominant, peer or submissive.

    Parameters
    ----------
    relation
        "dominant", "peer" or "submissive".
    preferences
        The agent's own.
    readings
        How the agent reads what the paper leaves open.

    Returns
    -------
    Agent
        The agent with these preferences.

    Raises
    ------
    DesignError
        If there is no such relation.
    """
    return AGENTS[is_relation(relation)](preferences, readings or Readings())


@dataclass(frozen=True, slots=True)
class Person:
    """A simulated person: an agent that by a lapse says the next best thing, where there is one.

    The note has no data, so there is nothing to set the rate of lapses by. The model is invented.

    Parameters
    ----------
    agent
        How the person talks without a lapse.
    lapse
        Chance at each turn of taking the second of the candidates.

    Raises
    ------
    DesignError
        If the lapse is no chance.
    """

    agent: Agent
    lapse: float

    def __post_init__(self) -> None:
        if not 0 <= self.lapse <= 1:
            raise DesignError(f"lapse is {self.lapse}; a chance from 0 to 1 is needed")

    def say(self, memory: Memory, heard: Utterance | None, rng: np.random.Generator | None) -> Utterance:
        """Return the first candidate or, by a lapse, the second.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The other side's last utterance; None opens the talk.
        rng
            Generator that decides on lapses; None where there are none.

        Returns
        -------
        Utterance
            What the person says next.
        """
        utterances = self.agent.sayable(memory, heard)
        if len(utterances) < 2 or not self.lapse:
            return utterances[0] if utterances else Leave()
        if rng is None:
            raise DesignError("rng is missing; a person who lapses needs a generator")
        return utterances[int(rng.random() < self.lapse)]


@dataclass(frozen=True, slots=True)
class Script:
    """A side that says one line after the other, whatever it hears, and then leaves.

    Raises
    ------
    DesignError
        If a line is not about the domain.
    """

    domain: Domain
    lines: Sequence[Utterance]

    def __post_init__(self) -> None:
        for line in self.lines:
            check_utterance(self.domain, line)

    def say(self, memory: Memory, heard: Utterance | None, rng: np.random.Generator | None) -> Utterance:  # noqa: ARG002
        """Return the next line.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            Not used: the lines are fixed.
        rng
            Not used: nothing is left to chance.

        Returns
        -------
        Utterance
            The line of the script that comes next.
        """
        n_lines = sum(memory.said.values())
        return self.lines[n_lines] if n_lines < len(self.lines) else Leave()


def check_utterance(domain: Domain, utterance: Utterance) -> None:
    """Raise DesignError if an utterance names what the domain does not have, or prefers a value to itself."""
    match utterance:
        case StatePreference() | AskPreference():
            for value in (utterance.less, utterance.more):
                if value != ANY:
                    domain.check(Value(utterance.criterion, value))
            domain.values(utterance.criterion)
            if utterance.less == utterance.more and not (
                utterance.less == ANY and isinstance(utterance, AskPreference)
            ):
                raise DesignError(f"{utterance} compares {utterance.less!r} with itself; two values are needed")
        case Propose(thing) | Accept(thing) | Reject(thing):
            domain.check(thing)
        case Booking(option):
            domain.check(option)
