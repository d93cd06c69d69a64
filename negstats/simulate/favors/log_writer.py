"""Simulated sessions as a JSON Lines event log, in the form of `negstats.loaders.favors`, and as its study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from negstats.games.favors import FINAL
from negstats.games.favors.rules import Points
from negstats.loaders.favors import LOG
from negstats.simulate.favors.play import SEATS, Negotiated, Session, Spoken
from negstats.simulate.log import STUDY, build_provenance, read_events, write_events
from negstats.studies import Study

VERSION = "1"
SCENARIO = "favor game: the points of mell2015"


def as_study(sessions: Sequence[Session], *, notes: Sequence[str] = ()) -> Study:
    """Return played sessions as a study; every negotiation is a game.

    Parameters
    ----------
    sessions
        The sessions, as `favor_games_of` returns them.
    notes
        Lines for the study's provenance.

    Returns
    -------
    Study
        The study with its tables.

    Examples
    --------
    >>> from negstats.simulate.favors.play import favor_games_of
    >>> as_study(favor_games_of("grim", sessions=2, seed=1)).factors
    ['condition', 'language', 'returns', 'session', 'negotiation']
    """
    log_events = chain.from_iterable(map(events, sessions))
    return read_events(LOG, log_events, build_provenance("favors", VERSION, notes))


def write_log(path: str | Path, sessions: Sequence[Session]) -> None:
    """Write the sessions to a file, one event a line.

    Parameters
    ----------
    path
        The file.
    sessions
        The sessions, as `favor_games_of` returns them.

    Raises
    ------
    UsageError
        If it cannot be written.
    """
    write_events(path, chain.from_iterable(map(events, sessions)))


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
    for negotiation in session.negotiations():
        for event in _negotiation(negotiation):
            yield {**event, "session": session.name}


def _negotiation(negotiated: Negotiated) -> Iterator[dict[str, Any]]:
    start = {"event": "negotiation", "negotiation": negotiated.number, "proposer": negotiated.proposer}
    yield start | ({"outcomes": FINAL.tolist()} if negotiated.batna is None else {"batna": _seats(negotiated.batna)})
    yield _message(negotiated.message)
    offer = {"event": "offer", "from": negotiated.proposer, **_seats(negotiated.offer)}
    yield offer if negotiated.framing is None else offer | {"framing": negotiated.framing}
    yield {"event": "answer", "accepted": negotiated.accepted}
    if negotiated.reaction is not None:
        yield _message(negotiated.reaction)
    yield {"event": "end", "points": _seats(negotiated.points)}


def _message(utterance: Spoken) -> dict[str, Any]:
    return {"event": "message", "from": SEATS[1], "text": utterance.text, "act": utterance.act}


def _seats(points: Points) -> dict[str, float]:
    return dict(zip(SEATS, points, strict=True))
