"""Simulated sessions as a JSON Lines event log, the form that `negstats.loaders.favors` describes and reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from negstats.games.favors import FINAL
from negstats.games.favors.rules import Points
from negstats.simulate.favors.session import SEATS, Negotiated, Session, Spoken
from negstats.simulate.favors.study_tables import SCENARIO
from negstats.simulate.log import STUDY


def events(session: Session) -> Iterator[dict[str, Any]]:
    """Yield the events of one session in the order in which they happened."""
    agent = session.agent
    yield {
        "event": "session",
        "session": session.name,
        "condition": agent.name,
        "language": agent.language,
        "returns": agent.returning,
        "participant": session.name,
        "study": STUDY,
        "scenario": SCENARIO,
    }
    for one in session.negotiations():
        for event in _negotiation(one):
            yield {**event, "session": session.name}


def _negotiation(one: Negotiated) -> Iterator[dict[str, Any]]:
    start = {"event": "negotiation", "negotiation": one.number, "proposer": one.proposer}
    yield start | ({"outcomes": FINAL.tolist()} if one.batna is None else {"batna": _seats(one.batna)})
    yield _message(one.message)
    offer = {"event": "offer", "from": one.proposer, **_seats(one.offer)}
    yield offer if one.framing is None else offer | {"framing": one.framing}
    yield {"event": "answer", "accepted": one.accepted}
    if one.reaction is not None:
        yield _message(one.reaction)
    yield {"event": "end", "points": _seats(one.points)}


def _message(utterance: Spoken) -> dict[str, Any]:
    return {"event": "message", "from": SEATS[1], "text": utterance.text, "act": utterance.act}


def _seats(points: Points) -> dict[str, float]:
    return dict(zip(SEATS, points, strict=True))
