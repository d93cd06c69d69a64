"""One session of NegoLog: its rows, what the table of results says of it, and where the two differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from negstats.errors import LogError, shown
from negstats.loaders.files.lines import Line
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.negolog.space import Distances, distances

COLUMNS = ("Round", "Time", "Who", "Action", "AgentAUtility", "AgentBUtility", "BidContent")
RESULT_COLUMNS = ("AgentA", "AgentB", "DomainName", "Result", "AgentAUtility", "AgentBUtility")
TOLERANCE = 1e-6
_UTILITIES = ("AgentAUtility", "AgentBUtility")
_ACCEPT = ("Accept", "AcceptOffer")
_END = ("EndNegotiation", "End")
_RESULTS = {"acceptance": "agreement", "failed": "timeout", "deadline": "timeout", "timeout": "timeout"}
_FACTORS = {"DeadlineTime": "deadline_time", "DeadlineRound": "deadline_round", "DomainSize": "domain_size"}
_FACTORS |= {"IssueSize": "issue_size"}


@dataclass(slots=True)
class Session:
    """A session; `result` is its row in the table of results, `lines` are its own."""

    name: str
    agents: tuple[str | None, str | None]
    domain: str | None
    result: Line | None
    file: Path | None
    offers: list[Line] = field(default_factory=list)
    bids: list[dict[str, str]] = field(default_factory=list)
    last: Line | None = None
    ended: str = "unknown"
    points: tuple[float | None, float | None] = (None, None)
    game: str = ""

    def utilities(self) -> list[tuple[float | None, float | None]]:
        """Return both sides' utilities of each offer."""
        return [_both(line) for line in self.offers]

    def distances(self) -> Distances | None:
        """Return how far the deal lies from the solutions of the space that the bids identify."""
        if self.ended != "agreement" or not self.bids:
            return None
        size = None if self.result is None else self.result.whole("DomainSize")
        return distances(self.bids, self.utilities(), size)


def _both(line: Line) -> tuple[float | None, float | None]:
    return line.finite(_UTILITIES[0]), line.finite(_UTILITIES[1])


def session_of(
    result: Line | None, file: Path | None, lines: Sequence[Line], named: Sequence[str | None] = ()
) -> Session:
    """Return a session from its row of results, its own rows, or both."""
    one, two, domain = (result.told(name) for name in RESULT_COLUMNS[:3]) if result is not None else named
    stem = file.stem if file is not None else ""
    name = "-".join((one, two, domain)) if one and two and domain else stem
    session = Session(name, (one, two), domain, result, file)
    for line in lines:
        _take(session, line)
    session.ended = _find_end(session)
    if session.ended == "agreement":
        last_line = session.result or session.last
        session.points = (None, None) if last_line is None else _both(last_line)
    return session


def _take(session: Session, line: Line) -> None:
    action, who = line.text("Action"), line.text("Who")
    if who not in ("A", "B"):
        raise line.fault(f"{shown(who)} is neither A nor B", "Who")
    if session.last is not None and session.last.told("Action") in (*_ACCEPT, *_END):
        raise line.fault(f"{shown(action)} after the session's end", "Action")
    session.last = line
    if action in _ACCEPT:
        if not session.offers or session.offers[-1].told("Who") == who:
            raise line.fault("accepts, and there is no offer of the other side", "Action")
    elif action == "Offer":
        bid = line.pairs("BidContent")
        if not bid or not all(isinstance(option, (str, int, float)) and str(option) for option in bid.values()):
            raise line.fault(f"{shown(bid)} is not an option for each issue", "BidContent")
        session.offers.append(line)
        session.bids.append({issue: str(option) for issue, option in bid.items()})
    elif action not in _END:
        raise line.fault(f"{shown(action)} is not one of Offer, Accept, EndNegotiation", "Action")


def _find_end(session: Session) -> str:
    action = None if session.last is None else session.last.told("Action")
    if session.result is None:
        return "agreement" if action in _ACCEPT else "walkaway" if action in _END else "unknown"
    word = session.result.text("Result").casefold()
    end = _RESULTS.get(word, "timeout" if "deadline" in word else "disconnect")
    if end == "timeout" and action in _END:
        return "walkaway"
    if session.last is not None and (end == "agreement") != (action in _ACCEPT) and end != "disconnect":
        reason = f"is {shown(session.result.told('Result'))}; the session ends with {shown(action)}; is the log cut?"
        raise LogError(reason, file=session.result.file, row=session.result.row, column="Result")
    return end


def add_session(session: Session, rows: Gathered) -> None:
    """Add a session's rows."""
    result, last = session.result, session.offers[-1] if session.offers else None
    number = (result or last).whole("Round") if result or last else None  # type: ignore[union-attr]
    factors: dict[str, Any] = {}
    if result is not None:
        factors = {factor: result.number(column) for column, factor in _FACTORS.items()}
    rows.add(
        "games",
        game_id=session.game,
        study="negolog",
        scenario=session.domain,
        protocol="alternating offers",
        ended=session.ended,
        rounds=None if number is None else number + 1,
        **{name: None if value in (None, float("inf")) else value for name, value in factors.items()},
    )
    for seat, agent, points in zip("AB", session.agents, session.points, strict=True):
        rows.add("players", game_id=session.game, player=seat, kind="agent", agent=agent, points=points)
    for place, (line, bid) in enumerate(zip(session.offers, session.bids, strict=True), 1):
        own = line.text("Who")
        values = _both(line) if own == "A" else _both(line)[::-1]
        in_round = line.whole("Round")
        final = place == len(session.offers)
        rows.add(
            "offers",
            game_id=session.game,
            offer=place,
            round=None if in_round is None else in_round + 1,
            time_s=line.finite("ElapsedTime"),
            time_share=line.finite("Time"),
            proposer=own,
            responder="B" if own == "A" else "A",
            value_proposer=values[0],
            value_responder=values[1],
            response=_response(session) if final else "superseded",
        )
        for issue, option in bid.items():
            rows.add("items", game_id=session.game, offer=place, item=issue, option=option)


def _response(session: Session) -> str:
    return {"agreement": "accepted", "walkaway": "rejected"}.get(session.ended, "none")


def compared(sessions: Sequence[Session]) -> list[str]:
    """Return notes on where the files tell the same twice, and whether they do."""
    both = [session for session in sessions if session.result is not None and session.offers]
    agreements = [session for session in both if session.ended == "agreement"]
    checks = {
        "NumOffer equals the number of offers": [(each.game, _has_same_number(each)) for each in both],
        "the last offer is the results' bid": [(each.game, _has_same_bid(each)) for each in agreements],
        "the last offer's utilities are the points": [(each.game, _has_same_points(each)) for each in agreements],
    }
    pairs = [(each, each.distances()) for each in agreements]
    known_pairs = [(each, distances) for each, distances in pairs if distances is not None]
    for column, what in (("NashDistance", "product"), ("KalaiDistance", "sum")):
        check_name = f"{column} is the distance to a bid of largest {what}"
        checks[check_name] = [(each.game, distances.equals(column, each.result)) for each, distances in known_pairs]
    notes = [
        _note(what, outcomes)
        for what, outcomes in checks.items()
        if any(outcome is not None for _, outcome in outcomes)
    ]
    if len(known_pairs) < len(pairs):
        notes.append(
            f"the bids of {len(pairs) - len(known_pairs)} sessions do not identify the utilities: "
            "distances not compared"
        )
    without_row = [session.game for session in sessions if session.result is None]
    without_log = [session.game for session in sessions if not session.file]
    for what, games in (("no row in a table of results", without_row), ("no log of their offers", without_log)):
        if games:
            notes.append(f"{len(games)} sessions have {what}: {', '.join(games[:3])}")
    return notes


def _note(what: str, outcomes: Sequence[tuple[str, bool | None]]) -> str:
    differ = [game for game, outcome in outcomes if outcome is False]
    n_compared = sum(outcome is not None for _, outcome in outcomes)
    more = f"; not in {', '.join(differ[:3])}" if differ else ""
    return f"{what} in {n_compared - len(differ)} of {n_compared} sessions{more}"


def _has_same_number(session: Session) -> bool | None:
    n_offers = session.result.whole("NumOffer") if session.result is not None else None
    return None if n_offers is None else n_offers == len(session.offers)


def _has_same_bid(session: Session) -> bool | None:
    result_bid = session.result.pairs("BidContent") if session.result is not None else {}
    return None if not result_bid else {issue: str(option) for issue, option in result_bid.items()} == session.bids[-1]


def _has_same_points(session: Session) -> bool | None:
    pairs = list(zip(session.points, session.utilities()[-1], strict=True))
    if any(None in pair for pair in pairs):
        return None
    return all(abs((one or 0) - (other or 0)) <= TOLERANCE for one, other in pairs)
