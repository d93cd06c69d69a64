"""An answer, and a whole dialogue: two sides take turns until one books an option or leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from negstats.errors import DesignError, shown
from negstats.games.dominance import Domain, Option, Preferences, Relation
from negstats.simulate.dominance.agent import Agent, Memory
from negstats.simulate.dominance.sides import Side, check_utterance
from negstats.simulate.dominance.words import Booking, Leave, Utterance

Seat: TypeAlias = Literal["A", "B"]
Ended: TypeAlias = Literal["agreement", "walkaway", "timeout"]

SEATS: tuple[Seat, Seat] = ("A", "B")


class Turn(NamedTuple):
    """Who said what."""

    seat: Seat
    utterance: Utterance


class Transcript(NamedTuple):
    """A talk: its turns, how it ended, and the option that was booked."""

    turns: tuple[Turn, ...]
    ended: Ended
    option: Option | None


def respond(
    agent: Agent, memory: Memory, heard: Utterance | None, rng: np.random.Generator | None = None
) -> tuple[Utterance, Memory]:
    """Return what an agent says to an utterance (None: it opens the talk), and its memory afterwards.

    Parameters
    ----------
    agent
        The agent.
    memory
        What it remembers of the talk so far.
    heard
        The last utterance of the other side.
    rng
        For an agent that draws.

    Returns
    -------
    tuple[Utterance, Memory]
        What is said, and what the agent remembers of the talk.

    Raises
    ------
    DesignError
        If the utterance names what the domain does not have.

    Examples
    --------
    >>> from negstats.games.dominance import Preferences, Value, restaurants
    >>> from negstats.simulate.dominance import Peer, Propose
    >>> peer = Peer(Preferences.in_order(restaurants()))
    >>> result, memory = respond(peer, Memory(), Propose(Value("price", "cheap")))
    >>> result
    Accept(thing=Value(criterion='price', value='cheap'))
    >>> memory.settled
    {'price': 'cheap'}
    """
    if heard is not None:
        check_utterance(agent.preferences.domain, heard)
    return _answer(agent, memory, heard, rng)


def talk(
    a: Side,
    b: Side,
    *,
    opener: Seat = "A",
    limit: int | None = None,
    rng: np.random.Generator | None = None,
) -> Transcript:
    """Let two sides talk.

    Parameters
    ----------
    a, b
        Agents, persons or scripts.
    opener
        Who speaks first.
    limit
        The talk is cut off after so many utterances; None never, as every talk of agents ends by itself: what can be
        said is finite, and nothing is said too often.
    rng
        Of the lapses.

    Returns
    -------
    Transcript
        The utterances in their order, and how the talk ended.

    Raises
    ------
    DesignError
        If there is no such seat, or the limit is less than 1.

    Examples
    --------
    >>> from negstats.games.dominance import Preferences, restaurants
    >>> from negstats.simulate.dominance import Dominant, Peer
    >>> likes = Preferences.in_order(restaurants())
    >>> done = talk(Peer(likes), Dominant(likes))
    >>> len(done.turns), done.ended, done.option
    (5, 'agreement', ('french', 'cheap', 'quiet'))
    """
    if opener not in SEATS:
        raise DesignError(f"opener is {shown(opener)}; give A or B")
    if limit is not None and limit < 1:
        raise DesignError(f"limit is {limit}; at least 1 utterance is needed")
    sides: dict[Seat, Side] = {"A": a, "B": b}
    memories: dict[Seat, Memory] = {"A": Memory(), "B": Memory()}
    turns: list[Turn] = []
    seat, utterance = opener, None
    while limit is None or len(turns) < limit:
        utterance, memories[seat] = _answer(sides[seat], memories[seat], utterance, rng)
        turns.append(Turn(seat, utterance))
        if isinstance(utterance, Booking):
            return Transcript(tuple(turns), "agreement", utterance.option)
        if isinstance(utterance, Leave):
            return Transcript(tuple(turns), "walkaway", None)
        seat = "B" if seat == "A" else "A"
    return Transcript(tuple(turns), "timeout", None)


def _answer(
    side: Side, memory: Memory, utterance: Utterance | None, rng: np.random.Generator | None
) -> tuple[Utterance, Memory]:
    updated_memory = memory if utterance is None else memory.heard(utterance)
    reply = side.say(updated_memory, utterance, rng)
    return reply, updated_memory.spoke(reply)


PROTOCOL = "dialogue"


@dataclass(frozen=True, slots=True)
class Played:
    """A talk and its sides.

    Attributes
    ----------
    game_id
        Its name.
    relations
        Of A and of B to the other.
    preferences
        Of A and of B.
    opener
        Who spoke first.
    person
        The seat of a simulated person, if there is one.
    transcript
        What was said.
    """

    game_id: str
    relations: tuple[Relation, Relation]
    preferences: tuple[Preferences, Preferences]
    opener: Seat
    person: Seat | None
    transcript: Transcript

    @property
    def domain(self) -> Domain:
        """What there was to choose from."""
        return self.preferences[0].domain

    @property
    def scenario(self) -> str:
        """What was talked about."""
        return f"dominance dialogue: {self.domain.topic}"

    def participant(self, seat: Seat) -> str | None:
        """Return the name of the person in a seat; None for an agent.

        Parameters
        ----------
        seat
            One of the two seats of the talk.

        Returns
        -------
        str or None
            The person's id.
        """
        return f"{self.game_id} {seat}" if seat == self.person else None

    @property
    def points(self) -> tuple[int, int] | None:
        """Both sides' scores of the option that was booked; None without one, as there is no pay-off for no deal."""
        option = self.transcript.option
        if option is None:
            return None
        a, b = (likes.option_score(option) for likes in self.preferences)
        return a, b
