"""One session of the favor game: five negotiations of a simulated person with one agent."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from negstats.games.favors import STUDY, History, Past
from negstats.games.favors.rules import Points
from negstats.simulate.favors.agent import FavorAgent
from negstats.simulate.favors.people import Participant

SEATS = ("player", "agent")
LAST = len(STUDY) + 1


class Spoken(NamedTuple):
    """A message of the agent: what it does, and the line."""

    act: str
    text: str


class Negotiated(NamedTuple):
    """One negotiation as it is written down. Points are player : agent; negotiation 5 has no BATNA and no framing."""

    number: int
    proposer: str
    batna: Points | None
    message: Spoken
    offer: Points
    framing: str | None
    accepted: bool
    reaction: Spoken | None
    points: Points


class Session(NamedTuple):
    """What happened in negotiations 1 to 4, and the offer of 5."""

    name: str
    agent: FavorAgent
    history: History
    final: Points

    def negotiations(self) -> Iterator[Negotiated]:
        """Yield the negotiations in full.

        Yields
        ------
        iterator of Negotiated
            One negotiation of the session after the other.
        """
        for place, (negotiation, past) in enumerate(zip(STUDY, self.history, strict=True)):
            offer = negotiation.offer("good" if past.good else "poor")
            act = self.agent.message(negotiation, self.history[:place], good=past.good)
            yield Negotiated(
                number=negotiation.number,
                proposer=SEATS[1],
                batna=negotiation.batna,
                message=Spoken(act, words(act, negotiation.number)),
                offer=offer,
                framing=act,
                accepted=past.accepted,
                reaction=Spoken("reaction", _lines()["reaction"]["accepted" if past.accepted else "rejected"]),
                points=offer if past.accepted else negotiation.batna,
            )
        ready = Spoken("ready", words("ready", LAST))
        yield Negotiated(LAST, SEATS[0], None, ready, self.final, None, True, None, self.final)


def play(name: str, agent: FavorAgent, people: Participant, rng: np.random.Generator) -> Session:
    """Play one session."""
    history: History = ()
    for negotiation in STUDY:
        asks = not negotiation.is_return and agent.asks(history)
        _, good = agent.offer(negotiation, history, rng)
        answer = bool(rng.random() < people.accepts(history, good=good))
        history = (*history, Past(asks, good, answer))
    return Session(name, agent, history, people.offer(agent, history, rng))


def words(act: str, negotiation: int) -> str:
    """Return the line for an act; `generic` has one for each negotiation.

    Examples
    --------
    >>> words("generic", 3)
    'This seems a fair arrangement.'
    """
    lines = _lines()[act]
    return str(lines if isinstance(lines, str) else lines[(negotiation - 1) % len(lines)])


@lru_cache(maxsize=1)
def _lines() -> dict[str, Any]:
    return tomllib.loads(files("negstats.simulate.favors").joinpath("words.toml").read_text(encoding="utf-8"))
