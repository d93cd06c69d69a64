"""The favor game's event log in JSON Lines, an event in each line, as `negstats simulate favors` or a lab writes it.

mell2015's own logs are not public; the form is ours, and a log's licence is that of whoever wrote it.

A log is one file ``*.jsonl`` (or a folder of such files) whose first line is a ``session`` event. Each line is a JSON
object with ``event``. A session is one person with one agent, a negotiation within it becomes a game of the study,
called by the session and the number (``favor-seeking 0001 n1``). The seats are ``player`` (the person) and ``agent``.
Fields in parentheses may be left out; then the tables hold a missing value. Every event may name its ``session``; one
that does not belongs to the session that began last. Events of one session stand in the order in which they happened.

``session``, once, before the session's other events
    ``session``: its name, unique in the study. ``condition``, ``language``, ``returns``: the design's factors, such as
    favor-seeking, favor, returned. (``participant``: the person.) (``agent``: the strategy; without it the condition.)
    (``study``, ``scenario``, and ``started_at`` as an ISO 8601 time.)
``negotiation``
    ``negotiation``: its number, from 1. ``proposer``: player or agent. (``batna``: points by seat
    without agreement.) (``outcomes``: all deals that there are, a list of ``[player, agent]`` points, where there are
    more than the one offered.) What follows belongs to it, until the next one begins.
``message``
    ``from``, ``text``. (``act``: favor-request, favor-return, generic, ready, reaction.)
``offer``, once in a negotiation, by its proposer
    ``from``, ``player``, ``agent``: the points of each seat if it is accepted. (``framing``: favor-request,
    favor-return or generic.)
``answer``, once, after the offer
    ``accepted``: true or false.
``end``, the negotiation's last event
    (``points``: realised, by seat.)

A negotiation without an answer is kept as ended ``unknown``; how many there are stands in the notes. Nothing is
computed from the rules: points and BATNAs are what the log says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from negstats.errors import shown
from negstats.loaders.event_log import EventLog
from negstats.loaders.files.events import Event, begins_with, events_of
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.format import Evidence, Track, untracked
from negstats.studies.study import Study
from negstats.tables import conform

__all__ = ["FORMAT", "load"]

VERSION = "1"

Points: TypeAlias = tuple[float, float]  # of the player and of the agent

# The events and their fields; any other is refused, for it would be lost.
FIELDS: dict[str, tuple[str, ...]] = {
    "session": ("condition", "language", "returns", "participant", "agent", "study", "scenario", "started_at"),
    "negotiation": ("negotiation", "proposer", "batna", "outcomes"),
    "message": ("from", "text", "act"),
    "offer": ("from", "player", "agent", "framing"),
    "answer": ("accepted",),
    "end": ("points",),
}
FIELDS = {event: ("event", "session", *fields) for event, fields in FIELDS.items()}
EVENTS = tuple(FIELDS)
SEATS = ("player", "agent")
FRAMINGS = ("favor-request", "favor-return", "generic")
PROTOCOL = "ultimatum"
DEAL, NONE = "deal", "no deal"  # the one issue, and the option of not agreeing on it
MOST_OUTCOMES = 10_000


def load(path: str | Path, *, track: Track = untracked) -> Study:
    """Load a favor game event log.

    Raises
    ------
    LogError
        Naming file and row: a line that is not a JSON object, an event that is not known or stands where it cannot, a
        field that is not there or of another type, a session or negotiation that begins twice.

    Examples
    --------
    >>> import tempfile
    >>> lines = '''{"event": "session", "session": "s1", "condition": "betraying", "language": "favor", "returns": "no"}
    ... {"event": "negotiation", "negotiation": 1, "proposer": "agent", "batna": {"player": 2, "agent": 8}}
    ... {"event": "offer", "from": "agent", "player": 1, "agent": 32, "framing": "favor-request"}
    ... {"event": "answer", "accepted": true}
    ... {"event": "end", "points": {"player": 1, "agent": 32}}'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "log.jsonl"
    ...     _ = file.write_text(lines)
    ...     load(file).players[["game_id", "player", "points", "batna"]].values.tolist()
    [['s1 n1', 'player', 1.0, 2.0], ['s1 n1', 'agent', 32.0, 8.0]]
    """
    return LOG.read(Path(path), track)


def _matches(path: Path) -> Evidence | None:
    return begins_with(path, "session")


def _read(files: Sequence[Path], intake: Intake, track: Track) -> dict[str, pd.DataFrame]:
    log = _Log()
    for event in events_of(files, intake, track):
        log.add(event)
    open_ones = sum(
        negotiation.accepted is None
        for session in log.sessions.values()
        for negotiation in session.negotiations.values()
    )
    intake.count("{0} negotiations have no answer and are kept as ended 'unknown'", open_ones)
    return _tables(list(log.sessions.values()))


@dataclass(slots=True)
class _Negotiation:
    """One negotiation, as far as the log has told."""

    game: str
    number: int
    proposer: str
    batna: dict[str, float | None]
    outcomes: tuple[Points, ...]
    offer: Points | None = None
    framing: str | None = None
    accepted: bool | None = None
    points: dict[str, float | None] = field(default_factory=dict)
    ended: bool = False
    messages: list[tuple[str, str, str | None]] = field(default_factory=list)


@dataclass(slots=True)
class _Session:
    """A session's head and its negotiations by number; the last one begun is the one that events belong to."""

    name: str
    head: dict[str, Any]
    participant: str | None
    agent: str
    negotiations: dict[int, _Negotiation] = field(default_factory=dict)

    @property
    def current(self) -> _Negotiation | None:
        return next(reversed(self.negotiations.values()), None)


class _Log:
    """The sessions, as the events come."""

    def __init__(self) -> None:
        self.sessions: dict[str, _Session] = {}
        self.last: str | None = None
        self.file: Path | None = None

    def add(self, event: Event) -> None:
        """Take one event."""
        kind = event.choice("event", EVENTS)
        event.refuse_unknown(FIELDS[kind])
        if event.file is not self.file:  # a session that is not named is one of the same file
            self.file, self.last = event.file, None
        if kind == "session":
            self._begin(event)
            return
        session = self._session(event)
        if kind == "negotiation":
            self._negotiate(event, session)
            return
        one = session.current
        if one is None or one.ended:
            raise event.fault(
                f"{shown(kind)} is outside a negotiation; the 'negotiation' event must come first", "event"
            )
        _READERS[kind](event, one)

    def _session(self, event: Event) -> _Session:
        name = event.text("session", None) or self.last
        if name is None or name not in self.sessions:
            raise event.fault(f"session {shown(name)} has not begun; its 'session' event comes first", "session")
        return self.sessions[name]

    def _begin(self, event: Event) -> None:
        name = event.text("session")
        if name in self.sessions:
            raise event.fault(f"session {shown(name)} has begun already; names must be unique in the study", "session")
        condition, language, returns = (event.text(factor) for factor in ("condition", "language", "returns"))
        study, scenario = (event.text(field, None) for field in ("study", "scenario"))
        head = {"study": study, "scenario": scenario, "started_at": event.time("started_at")}
        head |= {"condition": condition, "language": language, "returns": returns}
        agent = event.text("agent", None) or condition
        self.sessions[name] = _Session(name, head, event.text("participant", None), agent)
        self.last = name

    def _negotiate(self, event: Event, session: _Session) -> None:
        number = event.whole("negotiation")
        if not number or number in session.negotiations:
            raise event.fault(f"{number} is no new number of a negotiation, counted from 1", "negotiation")
        session.negotiations[number] = _Negotiation(
            game=f"{session.name} n{number}",
            number=number,
            proposer=event.choice("proposer", SEATS),
            batna=_read_by_seat(event, "batna"),
            outcomes=tuple(event.pairs("outcomes", most=MOST_OUTCOMES)),
        )


def _message(event: Event, negotiation: _Negotiation) -> None:
    negotiation.messages.append((event.choice("from", SEATS), event.text("text"), event.text("act", None)))


def _offer(event: Event, negotiation: _Negotiation) -> None:
    if negotiation.offer is not None:
        raise event.fault(f"negotiation {negotiation.number} has its offer already; each has one", "event")
    if event.choice("from", SEATS) != negotiation.proposer:
        raise event.fault(
            f"the offer is to be from {shown(negotiation.proposer)}, who proposes in this negotiation", "from"
        )
    player, agent = (event.number(seat) for seat in SEATS)
    if player is None or agent is None:  # `number` has refused what is not there
        raise event.fault("an offer needs points for both seats", "player")
    negotiation.offer = (player, agent)
    negotiation.framing = None if event.text("framing", None) is None else event.choice("framing", FRAMINGS)


def _answer(event: Event, negotiation: _Negotiation) -> None:
    if negotiation.offer is None or negotiation.accepted is not None:
        raise event.fault("there is no offer to answer, or it has been answered", "event")
    negotiation.accepted = event.truth("accepted")
    if negotiation.accepted is None:
        raise event.fault("the field is not there", "accepted")


def _end(event: Event, negotiation: _Negotiation) -> None:
    negotiation.points, negotiation.ended = _read_by_seat(event, "points"), True


_READERS = {"message": _message, "offer": _offer, "answer": _answer, "end": _end}  # of what is in a negotiation


def _read_by_seat(event: Event, name: str) -> dict[str, float | None]:
    values_by_seat = event.mapping(name, {})
    unknown = [seat for seat in values_by_seat if seat not in SEATS]
    if unknown:
        raise event.fault(f"{shown(unknown[0])} is not a seat; there are {' and '.join(SEATS)}", name)
    return {seat: event.within(name, seat, values_by_seat) for seat in SEATS}


def _tables(sessions: list[_Session]) -> dict[str, pd.DataFrame]:
    rows = Gathered()
    values: dict[str, list[Any]] = {name: [] for name in ("game_id", "player", "item", "option", "value")}
    for session in sessions:
        for negotiation in session.negotiations.values():
            _add_negotiation(session, negotiation, rows)
            _add_values(values, negotiation)
    return rows.tables(one_kind=False) | {"values": conform("values", values)}


def _add_negotiation(session: _Session, negotiation: _Negotiation, rows: Gathered) -> None:
    """Add a negotiation's rows, without what its options are worth."""
    end = {True: "agreement", False: "walkaway", None: "unknown"}[negotiation.accepted]
    place = {"session": session.name, "negotiation": negotiation.number}
    rows.add("games", game_id=negotiation.game, protocol=PROTOCOL, ended=end, rounds=1, **session.head, **place)
    people: dict[str, dict[str, Any]] = {
        "player": {"kind": "human", "participant_id": session.participant},
        "agent": {"kind": "agent", "agent": session.agent},
    }
    for seat in SEATS:
        role = "proposer" if seat == negotiation.proposer else "responder"
        points, batna = negotiation.points.get(seat), negotiation.batna[seat]
        player = {"player": seat, "role": role, **people[seat], "points": points, "batna": batna}
        rows.add("players", game_id=negotiation.game, **player)
    if negotiation.offer is not None:
        rows.add_offer(
            negotiation.game,
            (negotiation.proposer, SEATS[1 - SEATS.index(negotiation.proposer)]),
            values=dict(zip(SEATS, negotiation.offer, strict=True)),
            options={DEAL: _option(negotiation.offer)},
            round=1,
            framing=negotiation.framing,
            response={True: "accepted", False: "rejected", None: "none"}[negotiation.accepted],
        )
    for sender, text, act in negotiation.messages:
        rows.add_next("messages", negotiation.game, sender=sender, text=text, act=act)


def _add_values(columns: dict[str, list[Any]], negotiation: _Negotiation) -> None:
    """Add what each option is worth to both seats."""
    options, points_by_seat = _list_options(
        negotiation.outcomes, negotiation.offer, *(negotiation.batna[seat] for seat in SEATS)
    )
    for seat, points in zip(SEATS, points_by_seat, strict=True):
        for name, value in (("game_id", negotiation.game), ("player", seat), ("item", DEAL)):
            columns[name] += [value] * len(options)
        columns["option"] += options
        columns["value"] += points


@lru_cache(maxsize=256)  # the same few are negotiated thousands of times
def _list_options(
    outcomes: tuple[Points, ...], offer: Points | None, player_batna: float | None, agent_batna: float | None
) -> tuple[tuple[str, ...], tuple[tuple[float, ...], ...]]:
    """Return the deals that there are, and no deal where the BATNAs are known, with their points to each seat."""
    deals = {_option(deal): deal for deal in outcomes}
    if offer is not None:
        deals.setdefault(_option(offer), offer)
    if player_batna is not None and agent_batna is not None:
        deals[NONE] = (player_batna, agent_batna)
    return tuple(deals), tuple(tuple(points[place] for points in deals.values()) for place in range(len(SEATS)))


@lru_cache(maxsize=4096)  # the same few deals stand in thousands of negotiations
def _option(points: Points) -> str:
    return ":".join(repr(seat).removesuffix(".0") for seat in points)  # in full: no two deals share a name


LOG = EventLog("favors", VERSION, "session", _read)
FORMAT = LOG.describe_format("the favor game's event log: *.jsonl, one event a line, a 'session' event first", _matches)
