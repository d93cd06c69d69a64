"""NegMAS: sessions, cartesian tournaments and traces of automated negotiations (data card below).

Source
    Y. Mohammad, S. Nakadai, A. Greenwald: NegMAS: A platform for situated negotiations, 2021;
    github.com/yasserfarouk/negmas (BSD-3). Read here: what version 0.16 wrote.
Known by
    A folder with ``outcome_stats.yaml`` and ``run_info.yaml`` (a saved session); ``details.csv`` with a column
    ``mechanism_type`` beside ``all_scores.csv`` (a cartesian tournament); a CSV with the columns ``time``,
    ``relative_time``, ``step``, ``negotiator``, ``offer``, ``responses``, ``state`` (a loose trace).
Game
    A session: named by ``config.yaml``'s id, else by its folder; in a tournament by ``run_id``; a loose trace by its
    file. Factors: ``n_steps``, ``time_limit`` and, in tournaments, ``rep`` and ``scenario_file``.
Player
    One for each negotiator, an agent, named as its trace's columns are without the run-time id. ``agent`` is the class.
    Points are the log's utilities, ``batna`` the reserved value.
Offer
    A row of the trace with an offer. Its values are the utility columns, by their negotiators' names. The last offer is
    the deal if the session has an agreement, and must equal it.
Item
    One option an issue, as text (whole numbers are levels here, not quantities to divide), for all seats alike.
Message
    The text that went with an offer, where there is one; ``data`` is not kept.
Values
    Weight × table of the utility files, for additive utilities with tables.
Ended
    ``agreement``; ``walkaway`` (broken); ``timeout``; ``disconnect`` (has_error), with the points missing.

Traps, and what is done about them
    Which utility file belongs to which negotiator is not said, and the order of the files is not theirs. See
    `negstats.loaders.negmas.settings`: matched by reserved value, checked against every offer's utilities; where both
    orders fit, or none, there are no values and a note says so. Functions in the YAML are pickles: they are not opened;
    the values of their issue are what remains of the utilities once the tables are taken off, for the levels that were
    offered. Rows without an offer (of who quits, of the end of time) show the reserved values and are not offers. A
    loose trace of a session that is there as a folder too is left out. In a tournament without agreement the log's
    utilities are the reserved values, and are kept as the points. Scores, score tables and the folder ``results`` are
    summaries of the games, left out. Nothing is unpickled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from negstats.errors import LogError
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.literals import PICKLES
from negstats.loaders.files.parts import recorded
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.files.sniff import ALL_FILES, MOST_FILES, first_files, header
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.loaders.negmas.games import TRACE, Session, add_session
from negstats.loaders.negmas.sources import read_folder, read_loose, read_tournament
from negstats.studies.study import Study

__all__ = ["FORMAT"]

VERSION = "1"
_LOOKED_AT = 5000  # files among whose names a log is looked for
_SESSION = {"outcome_stats.yaml", "run_info.yaml"}
_TOURNAMENT = {"details.csv", "all_scores.csv"}


def _is_session(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _SESSION)


def _is_tournament(folder: Path) -> bool:
    has_files = all((folder / name).is_file() for name in _TOURNAMENT)
    return has_files and "mechanism_type" in header(folder / "details.csv")


def _is_trace(file: Path) -> bool:
    if file.suffix.lower() != ".csv":
        return False
    names = header(file)
    names = names[1:] if names[:1] in ([""], ["index"]) else names
    return tuple(names[: len(TRACE)]) == TRACE


def _matches(path: Path) -> Evidence | None:
    tries = 0
    for file in first_files(path, most=_LOOKED_AT, deep=True):
        folder = file.parent
        if file.name == "outcome_stats.yaml" and path != file and _is_session(folder):
            return Evidence(SIGNATURE, "outcome_stats.yaml is in one folder with run_info.yaml", (file,))
        if file.name == "details.csv" and path != file and _is_tournament(folder):
            because = "details.csv has the column mechanism_type and is in one folder with all_scores.csv"
            return Evidence(SIGNATURE, because, (file,))
        if file.suffix.lower() == ".csv" and (tries := tries + 1) <= MOST_FILES and _is_trace(file):
            return Evidence(SIGNATURE, f"{file.name} has a trace's columns time to state", (file,))
    return None


def _read(path: Path, track: Track) -> Study:
    intake, rows = Intake(path), Gathered()
    sessions = list(_sessions(path, intake, track))
    if not sessions:
        raise LogError("holds no session of NegMAS", file=path)
    _refuse_twice(sessions)
    for session in sessions:
        add_session(session, rows)
    intake.notes += _notes(sessions)
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **rows.tables())


def _sessions(path: Path, intake: Intake, track: Track) -> Iterable[Session]:
    """Yield the sessions below a path; loose traces last, for a folder tells more of the same session."""
    files = first_files(path, most=ALL_FILES, deep=True)
    folders = sorted({file.parent for file in files if file.name in _SESSION and file != path})
    tournaments = sorted({file.parent for file in files if file.name in _TOURNAMENT and _is_tournament(file.parent)})
    session_folders = [*folders, *tournaments]
    homes, matches = set(session_folders), set(tournaments)
    loose = [file for file in files if homes.isdisjoint(file.parents)]
    folders_in_tournaments = {folder for folder in folders if not matches.isdisjoint(folder.parents)}
    for file in files:
        if file.suffix.lower() in PICKLES:
            intake.leave_out(file, 0, "a pickle or an array: not opened")
    loose = [file for file in loose if file.suffix.lower() not in PICKLES]
    known_sessions: list[Session] = []
    for place in track([*tournaments, *(folder for folder in folders if folder not in folders_in_tournaments), *loose]):
        if place in tournaments:
            new_sessions: Sequence[Session] = read_tournament(
                place, [file for file in files if place in file.parents], intake
            )
        elif place.is_file() and not _is_trace(place):
            if place == path:
                raise LogError("has not the columns of a trace of NegMAS; is the file cut?", file=place, row=1)
            intake.leave_out(place, 0, "no log of NegMAS")
            continue
        elif place.is_file():
            new_sessions = _unless_known(read_loose(place, intake), known_sessions, intake)
        else:
            new_sessions = [read_folder(place, intake)]
        known_sessions += new_sessions
        yield from new_sessions


def _unless_known(session: Session, known_sessions: Sequence[Session], intake: Intake) -> Sequence[Session]:
    """Return a loose trace's session, or none if it is one of those that are known."""
    for other in known_sessions:
        if other.trace.columns == session.trace.columns and other.trace_key() == session.trace_key():
            intake.leave_out(session.trace.file, 0, f"the same session as {other.place}")
            return ()
    return [session]


def _refuse_twice(sessions: Sequence[Session]) -> None:
    first: dict[str, Session] = {}
    for session in sessions:
        if first.setdefault(session.game, session) is not session:
            reason = f"is a second log of game {session.game}; the first is {first[session.game].trace.file}"
            raise LogError(reason, file=session.trace.file)


def _notes(sessions: Sequence[Session]) -> list[str]:
    notes = []
    if equal := sum(session.checked for session in sessions):
        notes.append(f"the last offer equals the agreement, and its utilities the points, in {equal} sessions")
    acceptances = [
        session.trace.offers[-1].accepted
        for session in sessions
        if session.ended == "agreement" and session.trace.offers
    ]
    if any(acceptance is not None for acceptance in acceptances):
        notes.append(
            f"the responses show the last offer accepted in {acceptances.count(True)} of {len(acceptances)} sessions"
        )
    if n_unopened := sum(session.scene.unopened for session in sessions):
        notes.append(f"{n_unopened} pickled functions in utility files were not opened")
    if sessions_with_values := [session for session in sessions if session.filled]:
        what = "values of their issues were found from the utilities of the offers"
        notes.append(f"{what} in {len(sessions_with_values)} sessions, for the levels that were offered")
    games = [session for session in sessions if session.on_frontier is not None and session.optimality is not None]
    if games:
        n_equal = sum((session.optimality == 1) == session.on_frontier for session in games)
        notes.append(
            "pareto_optimality is 1 where the deal is on the frontier of all values "
            f"in {n_equal} of {len(games)} sessions"
        )
    unmatched = [session.game for session in sessions if session.unmatched]
    if unmatched:
        reason = "which utility file belongs to whom is not decided, so there are no values"
        notes.append(f"{reason} in {len(unmatched)} sessions: {', '.join(unmatched[:3])}")
    differ = [session.game for session in sessions if session.differs]
    if differ:
        reason = "the utilities of the last offer are not the points, which are kept as they are logged"
        notes.append(f"{reason}, in {len(differ)} sessions: {', '.join(differ[:3])}")
    return notes


FORMAT = Format(
    "negmas",
    "NegMAS: folders with outcome_stats.yaml and run_info.yaml, a tournament's details.csv, or a trace",
    _matches,
    _read,
    parts=recorded(needs="negotiator_names"),
    roles={"rep": "id", "n_steps": "setting", "time_limit": "setting", "scenario_file": "game"},
)
