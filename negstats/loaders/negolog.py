"""NegoLog: tournaments of automated negotiation (data card below).

Source
    A. Doğru, M. O. Keskin, C. M. Jonker, T. Baarslag, R. Aydoğan: NegoLog: An Integrated Python-based Automated
    Negotiation Framework with Enhanced Assessment Components, IJCAI 2024; github.com/aniltrue/NegoLog (MIT).
Known by
    A workbook ``results.xlsx`` with the sheet ``TournamentResults``, or ``sessions/AgentA_AgentB_DomainN.xlsx`` with
    the sheet ``Session`` and the columns ``Who``, ``Action`` and ``BidContent``.
Game
    A session: ``AgentA-AgentB-domain``, with a number if it repeats. ``rounds`` is the last round, counted from 1
    (the files count from 0). Factors: ``deadline_time``, ``deadline_round``, ``domain_size``, ``issue_size``.
Player
    A and B, agents. Points are the utilities in the results; without a table of results those of the accepted offer.
Offer
    A row with the action Offer. Values of both sides; the last one is accepted if the session is agreed.
Item
    The option of each issue, for both sides alike.
Ended
    Acceptance is ``agreement``; Failed or a deadline is ``timeout``, but ``walkaway`` where a side ended the session
    (``EndNegotiation``); any other word (Error) is ``disconnect``.

Traps, and what is done about them
    A failed session has utilities of 0 in the table of results: its points are missing. The row of who accepts repeats
    the bid and is no offer. The first ``Move`` of each side is ``-``; moves are labels of the platform's rule and are
    not kept (`negstats.metrics.steps` labels offers). ``FilePath`` is dropped. Profiles do not stand beside the logs:
    where a session's bids identify additive utilities, the whole space is computed (`negstats.games.allocations`) and
    the files' distances are compared with it. ``NashDistance`` is the distance to a bid of largest product, whichever
    of several tied ones the platform took; ``KalaiDistance`` is no distance to Kalai's point but to a bid of largest
    sum, and is compared under that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.errors import LogError, shown
from negstats.games.allocations import additive_space
from negstats.games.bargaining import bargaining_points
from negstats.games.pareto import distance_to, distance_to_frontier
from negstats.loaders.files.intake import Intake, sheet_names
from negstats.loaders.files.lines import Line, read_lines
from negstats.loaders.files.parallel import WORKERS, each
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.files.sniff import ALL_FILES, MOST_FILES, first_files, sheets_of
from negstats.loaders.files.tabular import Form
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.studies.study import Study

__all__ = ["FORMAT"]

EXACT = 1e-6


@dataclass(frozen=True, slots=True)
class Distances:
    """Euclidean distances, in utilities, from a deal to the nearest of the outcomes that attain each solution.

    Attributes
    ----------
    nash, welfare, frontier : float
        To the largest product, the largest sum, and the Pareto optimal bids.
    size : int
        How many outcomes there are.
    tied : dict
        For the largest product and sum the distance to each bid that attains it.
    """

    nash: float
    welfare: float
    frontier: float
    size: int
    tied: Mapping[str, npt.NDArray[np.float64]]

    def equals(self, column: str, result: Line | None) -> bool | None:
        """Whether the file's distance is the one to any of the tied bids; None if it has none."""
        distance = None if result is None else result.finite(column)
        return None if distance is None else bool((np.abs(self.tied[column] - distance) <= EXACT).any())


def distances(
    bids: Sequence[Mapping[str, str]], utilities: Sequence[Sequence[float | None]], size: int | None
) -> Distances | None:
    """Return the distances of the last bid; None where the bids do not identify the space, or not all of it.

    Parameters
    ----------
    bids
        The option of each issue.
    utilities
        Both sides' utilities of each bid.
    size
        How many outcomes the domain has, as the platform says; None if it does not.
    """
    issues = list(bids[0])
    if any(set(bid) != set(issues) for bid in bids) or any(None in pair for pair in utilities):
        return None
    table = np.array(utilities, dtype=np.float64)
    space = additive_space([[bid[issue] for issue in issues] for bid in bids], table)
    if space is None or (size is not None and size != len(space.bids)):
        return None
    deal, outcomes = space.of([bids[-1][issue] for issue in issues]), space.utilities
    points = bargaining_points(outcomes, [0, 0], compat="negolog")
    distances_of_ties = {
        "NashDistance": np.linalg.norm(outcomes[points["nash"]] - deal, axis=1),
        "KalaiDistance": np.linalg.norm(outcomes[points["kalai"]] - deal, axis=1),
    }
    return Distances(
        nash=float(distance_to(deal, outcomes[points["nash"]])),
        welfare=float(distance_to(deal, outcomes[points["kalai"]])),
        frontier=float(distance_to_frontier(deal, outcomes)),
        size=len(outcomes),
        tied=distances_of_ties,
    )


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
    last_response = {"agreement": "accepted", "walkaway": "rejected"}.get(session.ended, "none")
    for line, bid in zip(session.offers, session.bids, strict=True):
        own, in_round = line.text("Who"), line.whole("Round")
        rows.add_offer(
            session.game,
            (own, "B" if own == "A" else "A"),
            values=dict(zip("AB", _both(line), strict=True)),
            options=bid,
            round=None if in_round is None else in_round + 1,
            time_s=line.finite("ElapsedTime"),
            time_share=line.finite("Time"),
            response=last_response if line is last else "superseded",
        )


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


VERSION = "1"
_NAME = re.compile(r"(?P<agents>.+)_Domain(?P<domain>[^_]+)")


def _matches(path: Path) -> Evidence | None:
    n_looks = 0
    for file in first_files(path, ".xlsx", most=5000, deep=True):
        has_name_pattern = _NAME.fullmatch(file.stem) is not None
        if (has_name_pattern or file.stem == "results" or file == path) and (n_looks := n_looks + 1) <= MOST_FILES:
            sheets = sheets_of(file)
            if "TournamentResults" in sheets:
                return Evidence(SIGNATURE, f"{file.name} has the sheet TournamentResults", (file,))
            if has_name_pattern and "Session" in sheets:
                because = f"{file.name} is named AgentA_AgentB_DomainN and has the sheet Session"
                return Evidence(SIGNATURE, because, (file,))
    return None


def _read(path: Path, track: Track, *, workers: int = 1) -> Study:
    intake, rows = Intake(path), Gathered()
    sessions = list(_sessions(path, intake, track, workers))
    if not sessions:
        raise LogError("holds no session of NegoLog", file=path)
    names: dict[str, int] = {}
    for session in sessions:
        names[session.name] = names.get(session.name, 0) + 1
        session.game = session.name if names[session.name] == 1 else f"{session.name}-{names[session.name]}"
    for session in sessions:
        add_session(session, rows)
    intake.notes += compared(sessions)
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **rows.tables())


def _book(file: Path, intake: Intake) -> tuple[str, list[Line]]:
    """Return what a file is, results or a session, and its rows; no word for one that is left out."""
    sheets = sheets_of(file) if file.suffix.lower() == ".xlsx" else []
    if not sheets and (_NAME.fullmatch(file.stem) or file.stem == "results") and file.suffix.lower() == ".xlsx":
        sheets = sheet_names(intake.read(file), file)  # tells what is wrong with it
    if "TournamentResults" in sheets:
        return "results", read_lines(file, intake, RESULT_COLUMNS, Form(sheet="TournamentResults"))[1]
    if "Session" in sheets and _NAME.fullmatch(file.stem):
        return "session", read_lines(file, intake, COLUMNS, Form(sheet="Session"))[1]
    intake.leave_out(file, 0, "no log of NegoLog")
    return "", []


def _sessions(path: Path, intake: Intake, track: Track, workers: int) -> Iterator[Session]:
    """Yield the sessions of each table of results, then those of which no table tells."""
    results: list[tuple[Path, Line]] = []
    logs: dict[tuple[Path, str], Path] = {}
    lines_by_file: dict[Path, list[Line]] = {}
    files = first_files(path, most=ALL_FILES, deep=True)
    for file, (kind, lines) in zip(files, each(intake, files, _book, track, workers), strict=True):
        if kind == "results":
            results += [(file.parent, line) for line in lines]
        elif kind == "session":
            logs[file.parent, file.stem] = file
            lines_by_file[file] = lines
    rows_and_logs = [(line, _log_of(home, line, logs)) for home, line in results]
    used_logs = set()
    for line, log in rows_and_logs:
        if log is not None and log in used_logs:
            raise line.fault("a second row for the same session", "AgentA")
        used_logs.add(log)
        yield session_of(line, log, lines_by_file[log] if log is not None else [])
    for (_, stem), file in logs.items():
        if file not in used_logs:
            yield session_of(None, file, lines_by_file[file], _parse_name(stem))


def _log_of(home: Path, line: Line, logs: dict[tuple[Path, str], Path]) -> Path | None:
    """Return the session's workbook: in ``sessions`` beside the table of results, or beside it."""
    stem = f"{line.text('AgentA')}_{line.text('AgentB')}_Domain{line.text('DomainName')}"
    return logs.get((home / "sessions", stem)) or logs.get((home, stem))


def _parse_name(stem: str) -> Sequence[str | None]:
    """Return both agents and the domain as a file's name tells them; no agents if the name can be read in two ways."""
    name_match = _NAME.fullmatch(stem)
    if name_match is None:
        return (None, None, None)
    agents = name_match["agents"].split("_")
    return (*agents, name_match["domain"]) if len(agents) == 2 else (None, None, name_match["domain"])


FORMAT = Format(
    "negolog",
    "NegoLog: results.xlsx with the sheet TournamentResults, and sessions/AgentA_AgentB_DomainN.xlsx",
    _matches,
    _read,
    {"workers": WORKERS},
    roles={"deadline_round": "setting", "domain_size": "setting", "issue_size": "setting"},
)
