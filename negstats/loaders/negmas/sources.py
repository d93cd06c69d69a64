"""Reading NegMAS's files: loose traces, the folder of a saved session, the tables of a cartesian tournament."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from negstats.errors import LogError, shown
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.lines import Line, read_lines
from negstats.loaders.files.literals import last_part
from negstats.loaders.negmas.games import CONTINUING, ENDS, TRACE, Session, Trace
from negstats.loaders.negmas.settings import (
    Scenario,
    ended_by,
    factors_of,
    levels_of,
    names_in,
    numbers_of,
    optimality_of,
    scenario_in,
    seat_names,
    settings_in,
    word,
)

_DETAILS = ("run_id", "agreement", "utilities", "reserved_values", "negotiator_names", "negotiator_types", "scenario")
_SUMMARY = "a summary of the games"


def read_loose(file: Path, intake: Intake) -> Session:
    """Read a trace that lies alone: the two last columns are the negotiators, the last row says how it ended."""
    trace = Trace(file, *read_lines(file, intake, TRACE))
    if len(trace.columns) < 2:
        raise LogError(
            "has no columns of two negotiators after those of the trace; is the header cut?", file=file, row=1
        )
    end = ENDS.get(trace.state or "", "unknown")
    if trace.state == CONTINUING:
        intake.record("trace_unfinished", intake.name(file), len(trace.offers))
    points = trace.offers[-1].utilities if end == "agreement" and trace.offers else (None,) * len(trace.columns)
    seats = seat_names([name.split("-", 1)[0] for name in trace.columns], trace.columns)
    return Session(
        game=file.stem,
        place=file.name,
        trace=trace,
        seats=seats,
        agents=tuple(name.split("@")[0] for name in seats),
        ended=end,
        points=points,
    )


def _read_seats(
    config: Mapping[str, Any], columns: Sequence[str], file: Path
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the seats, and of the agents in them: their types, or the names where types are not said."""
    names = names_in(config, "negotiator_names", file)
    seats = seat_names(names if len(names) == len(columns) else [name.split("-", 1)[0] for name in columns], columns)
    types = names_in(config, "negotiator_types", file)
    if len(types) == len(columns):
        return seats, tuple(last_part(name) for name in types)
    return seats, tuple(seat.split("@")[0] for seat in seats)


def read_folder(folder: Path, intake: Intake) -> Session:
    """Read a saved session."""
    outcome_file = folder / "outcome_stats.yaml"
    outcome = settings_in(outcome_file, intake)
    if lacking := next((name for name in ("agreement", "utilities") if name not in outcome), None):
        raise LogError("the field is not there; is the file cut?", file=outcome_file, column=lacking)
    config_file = folder / "config.yaml"
    config = settings_in(config_file, intake)
    settings_in(folder / "run_info.yaml", intake)
    file = next((path for name in ("trace.csv", "trace.parquet") if (path := folder / name).is_file()), None)
    if file is None:
        raise LogError("the session has no trace.csv or trace.parquet", file=folder)
    trace = Trace(file, *read_lines(file, intake), names_in(config, "negotiator_ids", config_file))
    if len(trace.columns) < 2:
        raise LogError("does not say who negotiates: config.yaml has no negotiator_ids", file=file)
    seats, agents = _read_seats(config, trace.columns, config_file)
    scene = scenario_in(folder / "scenario", intake)
    ended = ended_by(outcome, outcome_file)
    trace.check_end(ended)
    agreement, mechanism = outcome.get("agreement"), config.get("mechanism_type")
    return Session(
        game=word(config.get("id")) or folder.name,
        place=folder.name,
        trace=trace,
        seats=seats,
        agents=agents,
        ended=ended,
        agreement=None if agreement is None else levels_of(agreement, outcome_file),
        points=numbers_of(outcome.get("utilities"), len(trace.columns), outcome_file, "utilities"),
        scene=scene,
        optimality=optimality_of(outcome.get("pareto_optimality")),
        protocol=last_part(str(mechanism)) if mechanism else None,
        factors=factors_of(config),
    )


def read_tournament(folder: Path, files: Sequence[Path], intake: Intake) -> list[Session]:
    """Read a cartesian tournament: a session for each row of details.csv, with its trace where there is one."""
    details = folder / "details.csv"
    _, lines = read_lines(details, intake, _DETAILS)
    traces, used_traces = _Traces(folder / "negotiations", files), set()
    scenarios: dict[str, Scenario] = {}
    sessions = []
    for line in lines:
        name = line.text("scenario")
        if name not in scenarios:
            scenarios[name] = scenario_in(folder / "scenarios" / last_part(f"/{name}"), intake)
        trace = traces.of(line.text("run_id"))
        used_traces.add(trace)
        sessions.append(_build_session(line, folder, trace, scenarios[name], intake))
        scenarios[name] = scenarios[name]._replace(unopened=0)  # its pickles are counted once
    _compare_scores(folder / "all_scores.csv", sessions, intake)
    for file in files:
        if file.parent == folder / "results" or file in (folder / "scores.csv", folder / "type_scores.csv"):
            intake.leave_out(file, 0, _SUMMARY)
    for file in traces.names.values():
        if file not in used_traces:
            intake.leave_out(file, 0, "a trace of no session in details.csv")
    return sessions


class _Traces:
    """Traces by the run that ends their names; runs' names may hold any sign that a name can."""

    def __init__(self, folder: Path, files: Sequence[Path]) -> None:
        traces = [file for file in files if file.suffix.lower() in (".csv", ".parquet")]
        self.names = {file.stem: file for file in traces if file.parent == folder}
        self.names |= {
            file.parent.name: file for file in traces if file.parent.parent == folder and file.stem == "trace"
        }
        self.by_end: dict[int, dict[str, Path]] = {}

    def of(self, run: str) -> Path | None:
        length = len(run) + 1
        if length not in self.by_end:
            self.by_end[length] = {name[-length:]: file for name, file in self.names.items()}
        return self.by_end[length].get(f"_{run}")


def _build_session(line: Line, folder: Path, file: Path | None, scene: Scenario, intake: Intake) -> Session:
    names = [str(name) for name in line.several("negotiator_names")]
    ids = [str(name) for name in line.several("negotiator_ids")] or names
    types = [str(name) for name in line.several("negotiator_types")]
    if len(ids) < 2 or len(set(ids)) < len(ids) or len(types) not in (0, len(ids)):
        raise line.fault(f"{shown(line.told('negotiator_names'))} are no different negotiators", "negotiator_names")
    trace = Trace(file or line.file, *(([], []) if file is None else read_lines(file, intake)), ids)
    outcome = {name: line.truth(name) for name in ("has_error", "broken", "timedout")}
    outcome["agreement"] = line.value("agreement")
    ended = ended_by(outcome, line.file)
    trace.check_end(ended)
    values = {
        column: numbers_of(line.several(column), len(ids), line.file, column, line.row)
        for column in ("utilities", "reserved_values")
    }
    rep, step = line.whole("rep"), line.whole("step")
    if file is None:
        trace.rounds = step
    settings = {name: line.number(name) for name in ("n_steps", "time_limit")}
    mechanism = line.told("mechanism_type")
    seats = seat_names(names if len(names) == len(ids) else ids, ids)
    return Session(
        game=line.text("run_id"),
        place=folder.name,
        trace=trace,
        seats=seats,
        agents=tuple(map(last_part, types)) if types else tuple(name.split("@")[0] for name in seats),
        ended=ended,
        agreement=None if outcome["agreement"] is None else levels_of(outcome["agreement"], line.file, line.row),
        points=values["utilities"],
        reserved=values["reserved_values"],
        scene=scene._replace(name=line.told("scenario") or scene.name),
        optimality=line.finite("pareto_optimality"),
        protocol=None if mechanism is None else last_part(mechanism),
        factors=factors_of(settings) | {"rep": rep},
    )


def _compare_scores(file: Path, sessions: Sequence[Session], intake: Intake) -> None:
    """Compare the points with the tournament's own table of scores."""
    _, lines = read_lines(file, intake, ("mechanism_name", "negotiator_id", "utility"))
    points = {
        (session.game, column): value
        for session in sessions
        for column, value in zip(session.trace.columns, session.points, strict=True)
    }
    equal, differ = 0, []
    for line in lines:
        key = (line.told("mechanism_name") or "", line.told("negotiator_id") or "")
        logged, session_points = line.finite("utility"), points.get(key)
        if logged is None or session_points is None:
            continue
        if abs(logged - session_points) <= 1e-6:
            equal += 1
        else:
            differ.append(key[0])
    intake.notes.append(f"{intake.name(file)} has the same points for {equal} seats")
    if differ:
        intake.notes.append(f"{intake.name(file)} has other points for {len(differ)} seats: {', '.join(differ[:3])}")
