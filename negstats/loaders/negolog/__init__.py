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
    sum, and is compared under that name. See `negstats.loaders.negolog.space`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from negstats.errors import LogError
from negstats.loaders.files.intake import Intake, sheet_names
from negstats.loaders.files.lines import Line, read_lines
from negstats.loaders.files.parallel import WORKERS, each
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.files.sniff import ALL_FILES, MOST_FILES, first_files, sheets_of
from negstats.loaders.files.tabular import Form
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.loaders.negolog.session import COLUMNS, RESULT_COLUMNS, Session, add_session, compared, session_of
from negstats.studies.study import Study

__all__ = ["FORMAT"]

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
