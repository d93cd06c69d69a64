"""Sessions of the favor game: five negotiations each of a simulated person with one agent, played, logged and read."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from negstats.games.favors import FINAL, STUDY, History, Past
from negstats.games.favors.rules import Points
from negstats.loaders.favors import LOG
from negstats.simulate.batches import Batch, Track, play_all, untracked
from negstats.simulate.favors.agents import SIZES, FavorAgent, agent_of
from negstats.simulate.favors.people import Participant, participant
from negstats.simulate.log import build_provenance, read_events, write_events
from negstats.studies import Study
from negstats.studies.participation import SIMULATED

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
        for index, (negotiation, past) in enumerate(zip(STUDY, self.history, strict=True)):
            offer = negotiation.offer("good" if past.good else "poor")
            act = self.agent.message(negotiation, self.history[:index], good=past.good)
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
        ready_message = Spoken("ready", words("ready", LAST))
        yield Negotiated(LAST, SEATS[0], None, ready_message, self.final, None, True, None, self.final)


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


BATCH = 500  # sessions after which a progress bar moves: some hundredths of a second


def favor_games_of(
    condition: str | FavorAgent,
    sessions: int,
    seed: int | Sequence[int],
    *,
    people: Participant | None = None,
    track: Track[Session] = untracked,
) -> list[Session]:
    """Play sessions of five negotiations between simulated people and one agent.

    Parameters
    ----------
    condition
        A name of `AGENTS`, or an agent.
    sessions
        How many people.
    seed
        The same seed gives the same sessions; each condition has numbers of its own.
    people
        None takes those of ``parameters.toml``.
    track
        Called with the batches of sessions as they come and their number; yields them on (a progress bar).

    Returns
    -------
    list[Session]
        The sessions in their order.

    Raises
    ------
    UsageError
        If there is no such condition, or a number makes no sense.

    Examples
    --------
    >>> [session.name for session in favor_games_of("betraying", sessions=2, seed=1)]
    ['betraying 0001', 'betraying 0002']
    """
    agent = agent_of(condition) if isinstance(condition, str) else condition
    play_sessions = partial(play_batch, agent, people)
    numbers = (seed,) if isinstance(seed, int) else tuple(seed)
    entropy = (*numbers, crc32(agent.name.encode()))
    return play_all(play_sessions, sessions, entropy, track=track, size=BATCH)


def favor_cells(
    sizes: Mapping[str, int] = SIZES,
    *,
    seed: int | Sequence[int],
    people: Participant | None = None,
    track: Track[Session] = untracked,
) -> list[Session]:
    """Play several conditions, by default the four of Mell et al. (2015) with as many people as in print.

    Parameters
    ----------
    sizes
        Sessions by condition.
    seed, people, track
        As for `favor_games_of`.

    Returns
    -------
    list[Session]
        The sessions, condition by condition.

    Raises
    ------
    UsageError
        As `favor_games_of`.

    References
    ----------
    Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
    negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    >>> from collections import Counter
    >>> dict(Counter(session.agent.name for session in favor_cells(seed=1)))
    {'favor-seeking': 38, 'betraying': 40, 'cooperative': 48, 'competitive': 41}
    """
    sessions_by_condition = (
        favor_games_of(condition, size, seed, people=people, track=track) for condition, size in sizes.items()
    )
    return list(chain.from_iterable(sessions_by_condition))


def play_batch(agent: FavorAgent, people: Participant | None, batch: Batch) -> list[Session]:
    """Play the sessions of a batch."""
    player = participant() if people is None else people
    return [play(f"{agent.name} {number + 1:04d}", agent, player, rng) for number, rng in batch.games()]


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
        "study": SIMULATED,
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
