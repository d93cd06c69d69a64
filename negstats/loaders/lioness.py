"""LIONESS: the workbook of a session with the tables of its database (data card below).

Source
    M. Giamattei, K. S. Yahosseini, S. Gächter, L. Molleman: LIONESS Lab: a free web-based platform for conducting
    interactive experiments online, Journal of the Economic Science Association 6, 2020; lioness-lab.org. **No real file
    was read**: this follows its documentation and the table definitions in public experiments.
Files
    An ``.xlsx`` a session with the sheets ``core``, ``decisions``, ``session``, ``globals`` (and ``logEvents``).
Game
    A group in a period: ``FILE-PERIOD-GROUP``. Factors: the ``globals`` (name, value) and the period. In the last
    period of a person who left, or of a group that was aborted, it ended by a disconnect; else that is not known.
Player
    The seat is ``subjectNr``, the role that of ``core``, the person ``externalID`` of ``session``, else
    ``FILE-playerNr``. Points are a decision called points or payoff, never ``totalEarnings``, which is money.
Answer
    Every other decision, about the game. Offers and responses are decisions under the experimenter's names: a mapping
    with ``sheet = "decisions"`` makes offers of them.

Traps, and what is done about them
    A player without a group (``groupNr`` of 0 or less, or ``groupSize`` 1) has no game: the row is counted, its
    decisions are answers about the person. Times of screens (``time_3``) and random ids are dropped; IP address and
    place are not read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from negstats.errors import LogError, shown
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.cells import Except, Row, rows_of
from negstats.loaders.files.damaged import units_left_out, within_game
from negstats.loaders.files.intake import Intake, sheet_names
from negstats.loaders.files.row_tables import Gathered, game_factors
from negstats.loaders.files.sniff import first_files, own_files, sheets_of
from negstats.loaders.files.tabular import Form
from negstats.loaders.format import COLUMNS, Evidence, Format, Track
from negstats.studies.study import Study

__all__ = ["FORMAT"]

VERSION = "1"
_SHEETS = ("core", "decisions")
_UNREAD = Except(r"(?i)ip_?address|location|.*e_?mail.*|randomid.*|mturk.*")
_KEYS = {"playerNr", "groupNr", "subjectNr", "period", "groupSize"}
_POINTS = ("points", "payoff")
_FLAGS = ("leftExperiment", "groupAborted")
_NO_FACTOR = re.compile(r"message.*|compiled|active")


def _is_session(file: Path) -> bool:
    return set(_SHEETS) <= set(sheets_of(file))


def _matches(path: Path) -> Evidence | None:
    files = tuple(filter(_is_session, first_files(path, ".xlsx")))
    return Evidence(COLUMNS, f"{files[0].name} has the sheets core and decisions", files) if files else None


def _read(path: Path, track: Track) -> Study:
    intake = Intake(path)
    files = own_files(path, intake, _is_session, "is not a workbook of LIONESS", ".xlsx")
    sessions = [_session(file, intake) for file in track(files)]
    if not any(session.games or session.alone for session in sessions):
        raise LogError("holds no decisions in a workbook of LIONESS", file=path)
    intake.notes.append('offers are decisions under names of their own: a mapping with sheet = "decisions" makes them')
    rows = Gathered()
    for session in sessions:
        session.add_games(rows)
        session.add_players(rows)
        session.add_answers(rows)
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **rows.tables(one_kind=False))


@dataclass(frozen=True, slots=True)
class _Session:
    """A workbook: the decisions by period and group, those of players without a group, and what the others say."""

    name: str
    games: Mapping[tuple[int, int], dict[int, Row]]
    alone: list[Row]
    decisions: tuple[str, ...]
    core: Mapping[int, Row]
    people: Mapping[int, str]
    factors: Mapping[str, str]

    def game(self, key: tuple[int, int]) -> str:
        """Return a game's name."""
        return f"{self.name}-{key[0]}-{key[1]}"

    def add_games(self, rows: Gathered) -> None:
        """Add the rows of the games."""
        last: dict[int, tuple[int, int]] = {}
        for key, members in sorted(self.games.items()):
            last |= {_number(row, "playerNr"): key for row in members.values()}
        incomplete_games = {key for player, key in last.items() if self._has_left(player)}
        global_factors = game_factors(self.factors, "global", "period")
        for key in self.games:
            end = "disconnect" if key in incomplete_games else "unknown"
            rows.add("games", game_id=self.game(key), ended=end, period=key[0], **global_factors)

    def _has_left(self, player: int) -> bool:
        row = self.core.get(player)
        return row is not None and any(row.truth(name) for name in _FLAGS)

    def add_players(self, rows: Gathered) -> None:
        """Add the rows of the seats."""
        points = next((name for name in _POINTS if name in self.decisions), None)
        for key, members in self.games.items():
            for seat, row in sorted(members.items()):
                player = _number(row, "playerNr")
                core = self.core.get(player)
                role = None if core is None else core.text("role")
                person = {"kind": "human", "participant_id": self.people[player], "role": role}
                won = row.number(points) if points else None
                rows.add("players", game_id=self.game(key), player=str(seat), **person, points=won)

    def add_answers(self, rows: Gathered) -> None:
        """Add the rows of the answers: about games, then those of players without a group."""
        names = [name for name in self.decisions if name not in _POINTS]
        for key, members in self.games.items():
            for row in members.values():
                person = self.people[_number(row, "playerNr")]
                for name in names:
                    _add_answer(rows, person, self.game(key), name, row)
        has_periods = len({_number(row, "period") for row in self.alone}) > 1
        for row in self.alone:
            person, period = self.people[_number(row, "playerNr")], _number(row, "period")
            for name in self.decisions:
                _add_answer(rows, person, None, name, row, f"{name}_{period}" if has_periods else name)


def _add_answer(rows: Gathered, person: str, game: str | None, name: str, row: Row, question: str = "") -> None:
    """Add what a column says of a person, if it says something."""
    if row.text(name) is not None:
        rows.add("answers", participant_id=person, game_id=game, question=question or name, answer=row.cells[name])


def _session(file: Path, intake: Intake) -> _Session:
    data = intake.read(file)
    sheets, columns = _read_sheets(data, file, intake)
    intake.add(file, data, len(sheets["decisions"]))
    decisions = _read_decisions(sheets["decisions"], intake)
    session_rows, core = _index_by_player("session", sheets), _index_by_player("core", sheets)
    lacking = [rows_by_player for rows_by_player, lacks in (session_rows, core) if lacks]
    games = _whole(decisions, file, lacking, columns)
    ids = {player: row.text("externalID") for player, row in session_rows[0].items()}
    people = {player: (ids.get(player) or f"{file.stem}-{player}").strip() for player in decisions.players}
    if len(set(people.values())) < len(people):
        raise LogError("two players have one externalID; one of them is damaged", file=file, column="externalID")
    factors = {
        name.strip(): row.cells["value"]
        for row in sheets.get("globals", ())
        if (name := row.text("name")) is not None and row.text("value") is not None and not _NO_FACTOR.fullmatch(name)
    }
    names = tuple(name for name in columns if name not in _KEYS and not re.fullmatch(r"time_\d+|column \d+", name))
    return _Session(file.stem, games, decisions.alone, names, core[0], people, factors)


def _read_sheets(data: bytes, file: Path, intake: Intake) -> tuple[dict[str, list[Row]], list[str]]:
    """Return the rows of the sheets that are read, and the columns of the decisions."""
    names_of_sheets = sheet_names(data, file)
    sheets: dict[str, list[Row]] = {}
    columns: list[str] = []
    for name in ("core", "decisions", "session", "globals"):
        if name not in names_of_sheets:
            if name in _SHEETS:
                raise LogError(f"has no sheet {name!r}; it has {', '.join(names_of_sheets)}", file=file)
            continue
        table = read_table(data, file, Form(sheet=name), _UNREAD)
        intake.note_table(table)
        sheets[name] = rows_of(table, Row)
        columns = list(table.cells) if name == "decisions" else columns
    return sheets, columns


@dataclass(frozen=True, slots=True)
class _Decisions:
    """The rows of decisions: by game and seat, of players without a group, and those that are damaged."""

    games: Mapping[tuple[int, int], dict[int, Row]]
    alone: list[Row]
    damaged: list[Row]
    players: tuple[int, ...]


def _read_decisions(rows: Sequence[Row], intake: Intake) -> _Decisions:
    """Put each row of the decisions into its game: a period and a group."""
    games: dict[tuple[int, int], dict[int, Row]] = defaultdict(dict)
    rows_by_key: dict[tuple[int, int], Row] = {}
    alone: list[Row] = []
    damaged: list[Row] = []
    for row in rows:
        if _place("decisions", row) in units_left_out():
            damaged.append(row)
            continue
        with within_game(_place("decisions", row)):
            key = (_number(row, "period"), _number(row, "playerNr"))
            if rows_by_key.setdefault(key, row) is not row:
                reason = f"player {key[1]} has row {rows_by_key[key].row} in period {key[0]} already"
                raise row.fault(reason, "playerNr")
            group = row.whole("groupNr")
            if group is None or group <= 0 or row.whole("groupSize") == 1:
                intake.leave_out(row.file, row.row, "a player without a group")
                alone.append(row)
                continue
            members, seat = games[key[0], group], _number(row, "subjectNr")
            if members.setdefault(seat, row) is not row:
                raise row.fault(f"subject {seat} of this group is row {members[seat].row} already", "subjectNr")
    return _Decisions(games, alone, damaged, tuple(player for _, player in rows_by_key))


def _place(sheet: str, row: Row) -> str:
    return f"{row.file.name}, {sheet}, row {row.row}"


def _index_by_player(sheet: str, sheets: Mapping[str, Sequence[Row]]) -> tuple[dict[int, Row], bool]:
    """Return the rows of a sheet by player, and whether some are damaged and left out."""
    rows_by_player: dict[int, Row] = {}
    rows = sheets.get(sheet, ())
    whole = [row for row in rows if _place(sheet, row) not in units_left_out()]
    for row in whole:
        with within_game(_place(sheet, row)):
            rows_by_player[_number(row, "playerNr")] = row
            for name in _FLAGS if sheet == "core" else ():
                row.truth(name)
    return rows_by_player, len(whole) < len(rows)


def _whole(
    decisions: _Decisions,
    file: Path,
    incomplete: Sequence[Mapping[int, Row]],
    columns: Sequence[str],
) -> dict[tuple[int, int], dict[int, Row]]:
    """Return the games without damaged ones.

    A damaged row of decisions is of the game of its period and group; where one of them cannot be read, of those that
    lack a member. A player whose row in a sheet of all players is damaged has no game.
    """
    games = decisions.games
    most = max(map(len, games.values()), default=0)
    damaged_groups = [(_readable(row, "period"), _readable(row, "groupNr")) for row in decisions.damaged]
    points = next((name for name in _POINTS if name in columns), None)
    whole_games = {}
    for key, members in games.items():
        name = f"{file.stem}-{key[0]}-{key[1]}"
        of_lost = any(
            period in (None, key[0])
            and group in (None, key[1])
            and (None not in (period, group) or len(members) < most)
            for period, group in damaged_groups
        )
        players = {_number(row, "playerNr") for row in members.values()}
        if name in units_left_out() or of_lost or any(players - rows_by_player.keys() for rows_by_player in incomplete):
            continue
        with within_game(name):
            for row in members.values() if points else ():
                row.number(str(points))
        whole_games[key] = members
    return whole_games


def _readable(row: Row, column: str) -> int | None:
    try:
        return row.whole(column)
    except LogError:
        return None


def _number(row: Row, column: str) -> int:
    value = row.whole(column)
    if value is None:
        raise row.fault(f"{shown(value)} is not a number; each row has one", column)
    return value


FORMAT = Format("lioness", "LIONESS' workbook of a session: .xlsx with the sheets core and decisions", _matches, _read)
