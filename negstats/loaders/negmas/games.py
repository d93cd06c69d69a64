"""One session of NegMAS, its trace, and the rows of a study's tables that they make."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from negstats.errors import DesignError, LogError, shown
from negstats.games.allocations import LIMIT, space_of
from negstats.games.pareto import distance_to_frontier
from negstats.loaders.files.lines import Line, need_columns
from negstats.loaders.files.literals import named_values
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.negmas.settings import Scenario, Utility, match

TRACE = ("time", "relative_time", "step", "negotiator", "offer", "responses", "state")
ENDS = {"agreement": "agreement", "broken": "walkaway", "timedout": "timeout"}  # by the state of the last row
CONTINUING, UNFINISHED = "continuing", "unfinished"
_OTHER = {*TRACE, "text", "data", "index", "current_proposer", "new_offers"}


class Trace:
    """The rows of a trace: the negotiators' columns, the offers, and what the last row says."""

    def __init__(self, file: Path, names: Sequence[str], lines: Sequence[Line], columns: Sequence[str] = ()) -> None:
        need_columns(names, ("negotiator", "offer") if lines else (), file)
        negotiator_columns = [name for name in names if name not in _OTHER and not name.startswith("column ")]
        self.file = file
        self.columns = tuple(columns) or tuple(negotiator_columns)
        if strange := [name for name in negotiator_columns if name not in self.columns]:
            raise LogError("is neither a column of a trace nor a negotiator", file=file, column=strange[0])
        self.valued = bool(lines) and set(self.columns) <= set(negotiator_columns)
        self.offers: list[Offer] = []
        self.said: list[tuple[int, float | None, str]] = []
        self.state = lines[-1].told("state") if lines else None
        self.last_row = lines[-1].row if lines else 1
        self.last: tuple[float | None, ...] = ()
        self.rounds: int | None = None
        for line in lines:
            self._take(line)

    def check_end(self, ended: str) -> None:
        """Check that the trace goes to the end that its session has; its last row has the state of then.

        Raises
        ------
        LogError
            If the last row says that the session goes on, or ended otherwise.
        """
        end = None if self.state is None else ENDS.get(self.state, UNFINISHED if self.state == CONTINUING else None)
        if end is not None and end != ended and ended in ENDS.values():
            reason = f"the last row says {shown(self.state)}, and the session ended by {ended}; is the trace cut?"
            raise LogError(reason, file=self.file, row=self.last_row, column="state")

    def _take(self, line: Line) -> None:
        utilities = tuple(_utility(line, name) for name in self.columns) if self.valued else ()
        step = line.whole("step")
        self.rounds = self.rounds if step is None else step + 1
        levels, text = line.several("offer"), line.cells.get("text")
        if not levels:
            self.last = utilities
        if not levels and text is None:
            return
        speaker = line.text("negotiator")
        if speaker not in self.columns:
            raise line.fault(f"{shown(speaker)} is not one of {', '.join(self.columns)}", "negotiator")
        if text is not None:
            self.said.append((self.columns.index(speaker), line.finite("time"), text))
        if not levels:
            return
        texts = tuple(_level(level, line) for level in levels)
        share = line.finite("relative_time")
        when = line.finite("time")
        blank = (None,) * len(self.columns)
        seat = self.columns.index(speaker)
        number = None if step is None else step + 1
        responses = named_values(line.told("responses") or "")
        is_accepted = "ACCEPT_OFFER" in responses.values() if responses else None
        self.offers.append(Offer(line.row, seat, texts, utilities or blank, when, share, number, is_accepted))
        self.last = ()


def _utility(line: Line, name: str) -> float | None:
    """Return a utility; None for an infinite one, by which the platform says that nothing is reserved."""
    value = line.number(name)
    return value if value is not None and math.isfinite(value) else None


def _level(level: Any, line: Line) -> str:
    if isinstance(level, (str, int, float)) and str(level):
        return str(level)
    raise line.fault(f"{shown(level)} is not a level of an issue", "offer")


TOLERANCE = 1e-6


class Offer(NamedTuple):
    """A row of the trace that has an offer: the levels as text, and what each negotiator gets by it."""

    row: int
    seat: int
    levels: tuple[str, ...]
    utilities: tuple[float | None, ...]
    time_s: float | None
    time_share: float | None
    round: int | None
    accepted: bool | None = None  # as the responses beside it show; None where there are none


@dataclass(slots=True)
class Session:
    """A session.

    Attributes
    ----------
    game, place
        Its id, and the name of its folder or file.
    seats, agents
        Names of the seats and classes of the agents.
    trace, scene
        The rows of the trace, and the issues and utility files that lie beside it.
    ended
        As `negstats.tables` calls it.
    agreement
        The levels agreed upon; None without agreement or if nothing but the trace says so.
    points, reserved
        By seat; None where the log has none. `reserved` is empty where the log does not have it.
    optimality
        1 where the log says that the deal is Pareto optimal.
    on_frontier
        Whether it is by the values, where all of them are known.
    """

    game: str
    place: str
    trace: Trace
    seats: tuple[str, ...]
    agents: tuple[str, ...]
    ended: str
    points: tuple[float | None, ...]
    agreement: tuple[str, ...] | None = None
    reserved: tuple[float | None, ...] = ()
    scene: Scenario = field(default_factory=Scenario)
    optimality: float | None = None
    on_frontier: bool | None = None
    protocol: str | None = None
    factors: dict[str, Any] = field(default_factory=dict)
    checked: bool = False
    differs: bool = False
    unmatched: bool = False
    filled: bool = False

    def trace_key(self) -> list[tuple[Any, ...]]:
        """Return what two logs of one session have in common."""
        return [(offer.seat, offer.levels, offer.utilities) for offer in self.trace.offers]


def add_session(session: Session, rows: Gathered) -> None:
    """Add a session's rows, and say in it what was compared."""
    game = session.game
    _check_deal(session)
    utilities = match(
        session.scene.files,
        session.reserved or session.trace.last,
        [(offer.levels, offer.utilities) for offer in session.trace.offers],
    )
    session.unmatched = utilities is None and bool(session.scene.files)
    session.on_frontier = _on_frontier(session, utilities or ())
    rows.add(
        "games",
        game_id=game,
        study="negmas",
        scenario=session.scene.name,
        protocol=session.protocol,
        ended=session.ended,
        rounds=session.trace.rounds,
        **session.factors,
    )
    for place, name in enumerate(session.seats):
        reserved = session.reserved[place] if session.reserved else None
        if reserved is None and utilities is not None:
            reserved = utilities[place].reserved
        points = None if session.ended == "disconnect" else session.points[place]
        agent = {"kind": "agent", "agent": session.agents[place]}
        rows.add("players", game_id=game, player=name, **agent, points=points, batna=reserved)
    for seat, time, text in session.trace.said:
        rows.add_next("messages", game, time_s=time, sender=session.seats[seat], text=text)
    _add_offers(session, rows)
    for place, utility in enumerate(utilities or ()):
        session.filled |= utility.filled
        for issue, worth in zip(_issues(session), utility.worths, strict=False):
            rows.add_values(game, session.seats[place], {(issue, option): value for option, value in worth.items()})


def _issues(session: Session) -> Sequence[str]:
    """Return the issues' names; a trace alone does not have them."""
    width = max((len(offer.levels) for offer in session.trace.offers), default=0)
    if session.scene.issues:
        if width and width != len(session.scene.issues):
            offer = next(offer for offer in session.trace.offers if len(offer.levels) == width)
            reason = f"has {width} issues; the scenario has {len(session.scene.issues)}"
            raise LogError(reason, file=session.trace.file, row=offer.row, column="offer")
        return session.scene.issues
    return [f"issue {number}" for number in range(1, width + 1)]


def _check_deal(session: Session) -> None:
    """Compare the last offer with the agreement, and its utilities with the points."""
    if session.ended != "agreement" or not session.trace.offers:
        return
    last = session.trace.offers[-1]
    if session.agreement is not None and last.levels != session.agreement:
        reason = f"the last offer is {shown(last.levels)}, the agreement {shown(session.agreement)}; is the trace cut?"
        raise LogError(reason, file=session.trace.file, row=last.row, column="offer")
    pairs = [pair for pair in zip(last.utilities, session.points, strict=False) if None not in pair]
    if len(pairs) == len(session.seats):
        is_equal = all(abs(float(one or 0) - float(other or 0)) <= TOLERANCE for one, other in pairs)
        session.checked = is_equal and session.agreement is not None
        session.differs = not is_equal


def _on_frontier(session: Session, utilities: Sequence[Utility]) -> bool | None:
    """Return whether the deal is Pareto optimal; None without a deal, or where a level has no value that is known."""
    are_complete = [tuple(map(len, utility.worths)) == session.scene.levels for utility in utilities]
    if session.ended != "agreement" or not session.trace.offers or not are_complete or not all(are_complete):
        return None
    if math.prod(level or 0 for level in session.scene.levels) > LIMIT:
        return None
    try:
        space = space_of([utility.worths for utility in utilities])
        return float(distance_to_frontier(space.of(session.trace.offers[-1].levels), space.utilities)) == 0
    except DesignError:  # parties with tables of different options
        return None


def _add_offers(session: Session, rows: Gathered) -> None:
    issues, is_agreement = _issues(session), session.ended == "agreement"
    for number, offer in enumerate(session.trace.offers, 1):
        last = number == len(session.trace.offers)
        if len(offer.levels) != len(issues):
            reason = f"has {len(offer.levels)} issues; other offers have {len(issues)}"
            raise LogError(reason, file=session.trace.file, row=offer.row, column="offer")
        rows.add_offer(
            session.game,
            (session.seats[offer.seat], session.seats[1 - offer.seat] if len(session.seats) == 2 else None),
            values=dict(zip(session.seats, offer.utilities, strict=True)),
            options=dict(zip(issues, offer.levels, strict=True)),
            round=offer.round,
            time_s=offer.time_s,
            time_share=offer.time_share,
            response="superseded" if not last else "accepted" if is_agreement else "none",
        )
