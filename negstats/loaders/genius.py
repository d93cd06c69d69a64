"""Genius: tables of tournaments, and logs of sessions, of automated negotiations (data card below).

Source
    R. Lin, S. Kraus, T. Baarslag, D. Tykhonov, K. Hindriks, C. M. Jonker: Genius: An Integrated Environment for
    Supporting the Design of Generic Automated Negotiators, Computational Intelligence 30, 2014. The columns are those
    that the program's own source names, and those of a published table of the competition of 2019.
Known by
    A text file whose header (after a first line ``sep=;``) has ``Run time (s)``, ``Exception``, ``Dist. to Nash``,
    ``Agent 1`` and ``Utility 1`` (a tournament; names such as ``x.csv.csv``); or that begins with ``round``, ``turn``,
    ``time``, ``agent`` (a session).
Game
    A row of a tournament (``file-row``), or a session's file. Factors: ``deadline``, ``profile_1``, ... (the file's
    name without its path), ``discounted``.
Player
    One for each ``Agent k``: its name without the path of the class, ``@`` and number; two of one name keep the number.
    Seats are A, B, ... in the order of the columns, for the same agent may sit on both sides. Points are ``Utility k``.
Offer
    Only sessions' logs have them: a row by its agent, without its items. Times between 0 and 1 are shares of the
    deadline, as the program counts them; others are seconds.
Ended
    Agreement Yes is ``agreement``, No ``timeout``; a row with an exception is ``disconnect``, its points missing
    whatever stands there. A session's log does not say: ``unknown``.

Traps, and what is done about them
    Decimal points or commas by the machine's language: decided once a file. A file with a header and no rows is
    counted. A row that an exception's text with a ``;`` cuts has another number of cells: left out, counted. Discounted
    utilities are not kept; a note says where they differ from the others. Distances to Nash and Pareto are not
    recomputed, for the profiles are not in the files.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from negstats.errors import LogError, shown
from negstats.loaders.files.cells import rows_of
from negstats.loaders.files.delimited import decoded, layout, long_cells
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.lines import Line
from negstats.loaders.files.literals import last_part
from negstats.loaders.files.parallel import WORKERS, each
from negstats.loaders.files.parts import recorded
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.files.sniff import first_evidence, head, own_files
from negstats.loaders.files.tabular import Header, text_column
from negstats.loaders.format import SIGNATURE, Evidence, Format, Strength, Track
from negstats.studies.study import Study

__all__ = ["FORMAT"]

VERSION = "1"
COLUMNS = frozenset({"Run time (s)", "Exception", "Dist. to Nash", "Agent 1", "Utility 1"})
SESSION = ("round", "turn", "time", "agent")
# What the columns of a tournament are: a preference profile is another game, and the deadline is the same for both.
_ROLES = {f"profile_{number}": "game" for number in range(1, 27)} | {"deadline": "setting", "discounted": "setting"}
_AGREED = {"yes": "agreement", "no": "timeout"}


def _kind(file: Path) -> str | None:
    text = head(file).decode("utf-8", "replace")
    delimiter, start = layout(text)
    names = [cell.strip().strip('"') for cell in text[start:].split("\n", 1)[0].rstrip("\r").split(delimiter)]
    if set(names) >= COLUMNS:
        return "tournament"
    return "session" if tuple(name.casefold() for name in names[: len(SESSION)]) == SESSION else None


_KINDS: dict[str | None, tuple[Strength, str]] = {
    "tournament": (SIGNATURE, "has the columns Run time (s), Exception and Utility 1"),
    "session": (SIGNATURE, "has the columns round;turn;time;agent"),
}


def _matches(path: Path) -> Evidence | None:
    return first_evidence(path, lambda file: _KINDS.get(_kind(file)), ".csv", ".txt", ".log", deep=True)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A file's rows, and whether its numbers have commas."""

    names: list[str]
    lines: list[Line]
    decimal: str


def _sheet(file: Path, intake: Intake) -> _Sheet:
    """Read a file; rows that have not as many cells as the header are left out."""
    data = intake.read(file)
    text = decoded(data, file, "utf-8")
    delimiter, start = layout(text)  # semicolons, unless a spreadsheet or a script saved the table again
    first = 2 if start else 1
    reader = csv.reader(io.StringIO(text[start:], newline=""), delimiter=delimiter)
    try:
        with long_cells():
            records = [(row, cells) for row, cells in enumerate(reader, first) if any(map(str.strip, cells))]
    except csv.Error as error:
        raise LogError(f"is not a table in text: {error}; is it damaged?", file=file, row=reader.line_num) from None
    intake.add(file, data, max(0, len(records) - 1))
    if not records:
        return _Sheet([], [], _decimal([], file))
    header = Header.of(records[0][1], file, records[0][0])
    whole_records = [(row, cells) for row, cells in records[1:] if len(cells) == len(header.names)]
    for row, cells in records[1:]:
        if len(cells) != len(header.names):
            intake.leave_out(file, row, "a row cut by the exception's text")
    rows = [row for row, _ in whole_records]
    columns = {
        name: text_column([cells[place] for _, cells in whole_records], file, rows, name)
        for place, name in enumerate(header.names)
    }
    intake.note_table(table := header.table(file, columns, rows))
    lines = rows_of(table, Line)
    return _Sheet(header.names, lines, _decimal(lines, file))


def _decimal(lines: Sequence[Line], file: Path) -> str:
    """Return the sign before the decimals, by the utilities and times of all rows."""
    cells = [
        cell
        for line in lines
        for name, cell in line.cells.items()
        if re.match(r"(?i)(disc\. )?util|run time|time$", name)
    ]
    commas, points = (
        sum(bool(re.fullmatch(rf"-?\d+{sign}\d+(E-?\d+)?", cell)) for cell in cells) for sign in (",", r"\.")
    )
    if commas and points:
        raise LogError(f"has {commas} numbers with a comma and {points} with a point; which is it?", file=file)
    return "," if commas else "."


def _read(path: Path, track: Track, *, workers: int = 1) -> Study:
    intake, rows, counts = Intake(path), Gathered(), Counter[str]()
    files = {file: _kind(file) for file in own_files(path, intake, _kind, "no log of Genius", deep=True)}
    if None in files.values():
        raise LogError("has not the header of a log of Genius; is the file cut?", file=path, row=1)
    names: dict[str, int] = {}
    for (file, kind), sheet in zip(files.items(), each(intake, list(files), _sheet, track, workers), strict=True):
        if not sheet.lines:
            intake.leave_out(file, 0, "a file without sessions")
            continue
        stem = file.name.split(".")[0] or file.name
        names[stem] = names.get(stem, 0) + 1
        stem = stem if names[stem] == 1 else f"{stem}-{names[stem]}"
        if kind == "tournament":
            for line in sheet.lines:
                _add_row(f"{stem}-{line.row}", line, sheet, rows, counts)
        else:
            _add_session(stem, sheet, rows)
    if not rows.rows("games"):
        raise LogError("holds no session of Genius", file=path)
    intake.count("{0} sessions failed with an exception: their points are missing", counts["failed"])
    discounted = "discounted utilities differ from the others in {0} sessions; they are not kept"
    intake.count(discounted, counts["discounted"])
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **rows.tables())


def _agent(text: str) -> str:
    """Return an agent's name without the path of its class and without ``@`` and a number."""
    return last_part(re.sub(r"@\d+$", "", text.strip()))


def _profile(text: str) -> str:
    """Return the name of a profile's file; one table may name it with its path or suffix, or without."""
    return last_part(f"/{text}").removesuffix(".xml")


def _add_row(game: str, line: Line, sheet: _Sheet, rows: Gathered, counts: Counter[str]) -> None:
    sides = [number for number in range(1, 27) if line.told(f"Agent {number}") is not None]
    agents = [line.text(f"Agent {number}") for number in sides]
    if len(sides) < 2:
        raise line.fault("fewer than two agents negotiate", "Agent 2")
    word = (line.told("Agreement") or "").casefold()
    has_exception = line.told("Exception") is not None
    if not has_exception and word not in _AGREED:
        raise line.fault(f"{shown(line.told('Agreement'))} is neither Yes nor No", "Agreement")
    end = "disconnect" if has_exception else _AGREED[word]
    counts["failed"] += has_exception
    points = [None if has_exception else line.finite(f"Utility {number}", decimal=sheet.decimal) for number in sides]
    discounted = [
        line.finite(f"Disc. Util. {number}", decimal=sheet.decimal) if not has_exception else None for number in sides
    ]
    counts["discounted"] += any(
        point is not None and other is not None and point != other
        for point, other in zip(points, discounted, strict=True)
    )
    profiles = {f"profile_{number}": line.told(f"Profile {number}") for number in sides}
    rows.add(
        "games",
        game_id=game,
        study="genius",
        protocol="alternating offers",
        ended=end,
        rounds=None if has_exception else line.whole("Round"),
        deadline=line.told("deadline"),
        discounted=line.told("Discounted"),
        **{name: None if profile is None else _profile(profile) for name, profile in profiles.items()},
    )
    plain = [_agent(agent) for agent in agents]
    for seat, agent, name, worth in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", agents, plain, points, strict=False):
        agent_name = name if plain.count(name) == 1 else last_part(f"/{agent}".replace(".", "/"))
        rows.add("players", game_id=game, player=seat, kind="agent", agent=agent_name, points=worth)


def _add_session(game: str, sheet: _Sheet, rows: Gathered) -> None:
    columns = {name.casefold(): name for name in sheet.names}
    agents = list(dict.fromkeys(line.text(columns["agent"]) for line in sheet.lines))
    times = [line.finite(columns["time"], decimal=sheet.decimal) for line in sheet.lines]
    shares = all(time is None or 0 <= time <= 1 for time in times)
    rounds = [line.whole(columns["round"]) for line in sheet.lines]
    last = max((number for number in rounds if number is not None), default=None)
    rows.add("games", game_id=game, study="genius", protocol="alternating offers", ended="unknown", rounds=last)
    for agent in agents:
        rows.add("players", game_id=game, player=agent, kind="agent", agent=_agent(agent))
    for number, (line, time, in_round) in enumerate(zip(sheet.lines, times, rounds, strict=True), 1):
        own = line.text(columns["agent"])
        time_share, time_s = (time, None) if shares else (None, time)
        other = agents[1 - agents.index(own)] if len(agents) == 2 else None
        response = "superseded" if number < len(sheet.lines) else "none"
        rows.add_offer(game, (own, other), response=response, round=in_round, time_share=time_share, time_s=time_s)


FORMAT = Format(
    "genius",
    "Genius: a tournament's table with Run time (s), Agent 1, Utility 1 (sep=;), or sessions' round;turn;time;agent",
    _matches,
    _read,
    {"workers": WORKERS},
    parts=recorded(needs="Agent 1"),
    roles=_ROLES,
)
