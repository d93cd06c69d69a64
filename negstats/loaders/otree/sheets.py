"""oTree's exports combined: what each person did in each app and round, regardless of the file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

from negstats.errors import LogError, shown
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.cells import Except, Row, rows_of
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.sniff import header
from negstats.loaders.files.tabular import Table

Kind: TypeAlias = Literal["wide", "app", "chat", "pages", "none"]

CODE, SESSION = "participant.code", "session.code"
SEAT, GROUP, PAYOFF = "player.id_in_group", "group.id_in_subsession", "player.payoff"
CHAT = ("session_code", "id_in_session", "participant_code", "channel", "nickname", "body", "timestamp")
PAGES = (
    *("session_code", "participant_id_in_session", "participant_code", "page_index", "app_name", "page_name"),
    *("epoch_time_completed", "round_number", "timeout_happened", "is_wait_page"),
)
_ORDER: tuple[Kind, ...] = ("wide", "app", "chat", "pages", "none")  # in which the exports are read
_WIDE = re.compile(r"(?P<app>.+)\.(?P<round>[1-9][0-9]{0,5})\.(?P<level>player|group|subsession)\.(?P<field>.+)")
_LEVELS = ("player", "group", "subsession")
_ROUND = "subsession.round_number"
_LOOKED = 20  # words of a column that are looked at for lists
_OF_EVERY_APP = {SEAT, "player.role", PAYOFF, GROUP, _ROUND}
_DATE = re.compile(r"([ _-]+\(?(?:accessed )?\d{4}-\d{2}-\d{2}.*|[ _-]*\(\d+\))$")
# Who a person is beyond the code stays unread; the label is read only if it is asked for.
_UNREAD = (
    r"participant\.(mturk_.*|.*ip_?address.*|.*e_?mail.*|external_.*)|session\.(mturk_.*|comment|label)|nickname"
    r"|.*\.player\.(.*_)?(ip_?address|e_?mail|first_?name|last_?name|full_?name|surname|latitude|longitude)"
)


def kind_of(names: Sequence[str]) -> Kind:
    """Return which of oTree's exports has these columns."""
    known_names = set(names)
    if {CODE, SESSION} <= known_names:
        if any((wide_match := _WIDE.fullmatch(name)) and wide_match["field"] == "id_in_group" for name in names):
            return "wide"
        return "app" if SEAT in known_names else "none"
    if known_names >= set(CHAT):
        return "chat"
    return "pages" if known_names >= set(PAGES) else "none"


@dataclass(frozen=True, slots=True)
class Turn(Row):
    """One person in one app and round: a row with the fields of these, as ``player.request``.

    Attributes
    ----------
    record : Row
        The row of the file in which it stands.
    prefix : str
        What stands before ``player.`` and ``group.`` in the names of its columns.
    app, round : str, int
        The app and its round, from 1.
    seat, group : int
        The numbers of the player in the group, and of the group in the round.
    """

    record: Row
    prefix: str
    app: str
    round: int
    seat: int
    group: int

    @property
    def session(self) -> str:
        """The code of the session."""
        return self.record.cells[SESSION].strip()

    @property
    def person(self) -> str:
        """The code of the person."""
        return self.record.cells[CODE].strip()

    @property
    def game(self) -> str:
        """The name of its group's game."""
        return f"{self.session}-{self.app}-{self.round}-{self.group}"

    def fault(self, reason: str, column: str) -> LogError:
        """Return the error for a fault in a field."""
        return self.record.fault(reason, self.prefix + column)


@dataclass(frozen=True, slots=True)
class _Block:
    """The columns of one app and round in a file, each with its field."""

    prefix: str
    app: str
    number: int
    columns: dict[str, str]

    def turn(self, row: Row) -> Turn | None:
        """Return the turn of a row's person; None where there is no seat.

        Raises
        ------
        LogError
            If there is no group, or its number or the seat's is none.
        """
        if self.prefix + SEAT not in row.cells:
            return None
        if self.prefix + GROUP not in row.cells:
            raise row.fault(
                "is empty, and the person has a place in a group; another export's column?", self.prefix + GROUP
            )
        what = "is not a number of a group or of a player in it"
        seat, group = (_read_from_one(row, self.prefix + name, what) for name in (SEAT, GROUP))
        cells = {name: row.cells[column] for column, name in self.columns.items() if column in row.cells}
        return Turn(row.file, row.row, cells, row, self.prefix, self.app, self.number, seat, group)


@dataclass(slots=True)
class Offer:
    """An offer between two seats; units and values that are not known are None."""

    proposer: int
    responder: int | None
    to_proposer: float | None
    to_responder: float | None
    response: str = "none"
    value_proposer: float | None = None
    value_responder: float | None = None


@dataclass(slots=True, eq=False)
class Group:
    """One group in one app and round.

    Attributes
    ----------
    name, app, number : str, str, int
        Its game, its app and the round.
    members : dict of int to Turn
        By seat, in the order of the files.
    points : dict of int to float or None
        What each seat got; None where nothing stands there.
    said : dict of str to Row
        For each field of group and subsession that has a value the member who says it first.
    offers, ended : list of Offer, str
        What was offered, and how it ended.
    due : dict of int to float
        The points that follow from the deal, by seat, as far as they do.
    """

    name: str
    app: str
    number: int
    members: dict[int, Turn] = field(default_factory=dict)
    points: dict[int, float | None] = field(default_factory=dict)
    said: dict[str, Row] = field(default_factory=dict)
    offers: list[Offer] = field(default_factory=list)
    ended: str = "unknown"
    due: dict[int, float] = field(default_factory=dict)

    @property
    def first(self) -> Turn:
        """The member that stands first in the files."""
        return next(iter(self.members.values()))

    @property
    def seats(self) -> dict[str, int]:
        """The members' seats, by their codes."""
        return {turn.person: seat for seat, turn in self.members.items()}

    def amount(self, name: str) -> float | None:
        """Return the number that a field of the group says."""
        row = self.said.get(f"group.{name}")
        return None if row is None else row.number(f"group.{name}")

    def truth(self, name: str) -> bool | None:
        """Return the yes or no that a field of the group says."""
        column = f"group.{name}"
        row = self.said.get(column)
        if row is None:
            return None
        word = row.cells[column].strip().lower()
        return _WORDS[word] if word in _WORDS else row.truth(column)


_WORDS = {"accept": True, "accepted": True, "reject": False, "rejected": False}


@lru_cache(maxsize=1 << 16)
def spelled(text: str | None) -> str | None:
    """Return a text with one spelling for each number: 1 and 1.0 say the same."""
    try:
        return text and repr(float(text))
    except ValueError:
        return text


def agreed(rows: Iterable[Row], columns: Sequence[str]) -> dict[str, Row]:
    """Return for each column of what rows have in common the one that says it first.

    Raises
    ------
    LogError
        If two of them say different things.
    """
    said: dict[str, Row] = {}
    for row in rows:
        for column in columns:
            text = row.cells.get(column)
            if text is None:
                continue
            first = said.setdefault(column, row)
            first_text = first.cells[column]
            if text != first_text and spelled(text) != spelled(first_text):
                statement = f"row {first.row} of the same group says {shown(first_text)}"
                raise row.fault(f"{shown(text)} is given here, but {statement}; one of them is damaged", column)
    return said


def build_groups(turns: Iterable[Turn]) -> list[Group]:
    """Return all groups in the order of their first members; raises LogError if two people have one seat."""
    groups: dict[tuple[str, str, int, int], Group] = {}
    for turn in turns:
        key = (turn.session, turn.app, turn.round, turn.group)
        group = groups.get(key)
        if group is None:
            group = groups[key] = Group(turn.game, turn.app, turn.round)
        first = group.members.setdefault(turn.seat, turn)
        if first is not turn:
            reason = f"player {turn.seat} of this group is also in row {first.row} of {first.file.name}"
            raise turn.fault(reason, SEAT)
    return list(groups.values())


@dataclass(slots=True)
class Sheets:
    """What the files of a study hold.

    Attributes
    ----------
    turns : list of Turn
        Who was in which app and round, in the order of the rows, and in a row of the columns.
    fields : dict
        For each app its fields, as ``player.request``, in the order of the columns.
    people : dict of str to Row
        Each person's first row, by the code.
    columns : dict
        The columns of session and participant that have a value, in order.
    absent : int
        How many people have no group in some app and round.
    chat, pages : list of Row
        Rows of those exports.
    wide : bool
        Whether a wide export is among the files.
    """

    turns: list[Turn] = field(default_factory=list)
    fields: dict[str, dict[str, None]] = field(default_factory=dict)
    people: dict[str, Row] = field(default_factory=dict)
    columns: dict[str, None] = field(default_factory=dict)
    absent: int = 0
    chat: list[Row] = field(default_factory=list)
    pages: list[Row] = field(default_factory=list)
    wide: bool = False

    def add_turns(self, turns: Iterable[Turn | None]) -> None:
        """Take a person's turns; where it is None the person is not in the app and round."""
        for turn in turns:
            if turn is None:
                self.absent += 1
            else:
                self.turns.append(turn)


@dataclass(frozen=True, slots=True)
class _Export:
    """A file of people: its kind, the names of its columns, and its rows."""

    path: Path
    kind: Kind
    names: list[str]
    rows: list[Row]

    @property
    def fields(self) -> list[str]:
        """The fields of an app's own export."""
        return [name for name in self.names if name.partition(".")[0] in _LEVELS]


def read_sheets(files: Iterable[Path], intake: Intake, *, label: bool) -> Sheets:
    """Read the exports of a study: wide ones first, then from the others what those lack.

    Parameters
    ----------
    files
        Tables; those that are not an export of oTree's are left out.
    intake
        Told what was read.
    label
        Whether the people's labels are wanted.
    """
    sheets, exports = Sheets(), list[_Export]()
    kinds = {file: kind_of(header(file)) for file in files}
    in_order = sorted(kinds, key=lambda file: (_ORDER.index(kinds[file]), str(file)))
    for file in in_order:
        kind = kinds[file]
        if kind == "none":
            continue
        data = intake.read(file)
        table = read_table(data, file, columns=Except(_UNREAD if label else rf"{_UNREAD}|participant\.label"))
        intake.add(file, data, len(table.rows))
        intake.note_table(table)
        if kind in ("chat", "pages"):
            (sheets.chat if kind == "chat" else sheets.pages).extend(rows_of(table))
        elif len(table.rows):  # a header alone has columns, and no cell to read; the intake has recorded it
            exports.append(_Export(file, kind, table.names, _read_people(table, intake)))
    for export in exports:
        sheets.columns |= dict.fromkeys(
            name
            for name in export.names
            if name.startswith(("session.", "participant.")) and any(name in row.cells for row in export.rows)
        )
        (_take_wide if export.kind == "wide" else _take_app)(sheets, export, intake)
    for file in in_order:
        if kinds[file] == "none":
            intake.leave_out(file, 0, "is not one of oTree's own exports; a mapping may read it")
    return sheets


def _read_people(table: Table, intake: Intake) -> list[Row]:
    """Return the rows of a file of people without columns of lists; each names a person and a session."""
    for name in [name for name in table.cells if _holds_lists(table, name)]:
        del table.cells[name]
        intake.notes.append(f"{name} holds lists, which are not read; `negstats map` begins a mapping that reads them")
    rows = rows_of(table)
    for row in rows:
        for name in (CODE, SESSION):
            if name not in row.cells:
                raise row.fault("is empty; each row is one person of a session", name)
    return rows


def _holds_lists(table: Table, name: str) -> bool:
    """Whether the first cells are lists of several elements, as fields that hold all offers of a group are."""
    words = [word.strip() for word in table.column(name).dropna().unique()[:_LOOKED]]
    return all(word[:1] == "[" and word[-1:] == "]" for word in words) and any("," in word for word in words)


def _read_from_one(row: Row, column: str, what: str) -> int:
    """Return a whole number that is counted from 1."""
    value = row.whole(column)
    if value is None or value < 1:
        raise row.fault(f"{shown(value)} {what}", column)
    return value


def _blocks(sheets: Sheets, export: _Export) -> list[_Block]:
    """Return the apps and rounds of a wide export, and note its fields."""
    blocks: dict[str, _Block] = {}
    for name in export.names:
        if part := _WIDE.fullmatch(name):
            app, prefix, field_name = part["app"], f"{part['app']}.{part['round']}.", f"{part['level']}.{part['field']}"
            block = blocks.setdefault(prefix, _Block(prefix, app, int(part["round"]), {}))
            block.columns[name] = field_name
            sheets.fields.setdefault(app, {})[field_name] = None
        elif re.search(r"\.(player|group|subsession)\.", name):
            reason = "is not a column APP.ROUND.player.FIELD; rounds are counted from 1"
            raise LogError(reason, file=export.path, column=name)
    for prefix, block in blocks.items():
        if prefix + SEAT not in block.columns:
            reason = "the column is not there, and others of this app and round are"
            raise LogError(reason, file=export.path, column=prefix + SEAT)
    return list(blocks.values())


def _take_wide(sheets: Sheets, export: _Export, intake: Intake) -> None:
    """Take the turns of a wide export; a second row of a person has to say the same, and is left out."""
    sheets.wide = True
    blocks = _blocks(sheets, export)
    for row in export.rows:
        code = row.cells[CODE]
        first = sheets.people.setdefault(code.strip(), row)
        if first is row:
            sheets.add_turns(block.turn(row) for block in blocks)
        elif first.cells == row.cells:
            intake.leave_out(row.file, row.row, f"the same row as in {first.file.name}")
        else:
            reason = f"{shown(code.strip())} is also in {first.file.name}, row {first.row}"
            raise row.fault(f"{reason}, with other values; load the newer file", CODE)


def _take_app(sheets: Sheets, export: _Export, intake: Intake) -> None:
    """Take the turns of an app's own export that no file before it holds."""
    rows = [(row, row.cells[CODE].strip(), _read_from_one(row, _ROUND, "is not a round")) for row in export.rows]
    rows_by_turn = {(person, number): row for row, person, number in rows}
    app = _app_called(_DATE.sub("", export.path.stem), sheets, export, rows_by_turn)
    known_turns = {(turn.person, turn.round): turn for turn in sheets.turns if turn.app == app}
    known_people = {turn.person for turn in sheets.turns} if app in sheets.fields else set()
    repeats, fresh = [], []
    for row, person, number in rows:
        is_repeat = (person, number) in known_turns if SEAT in row.cells else person in known_people
        (repeats if is_repeat else fresh).append((row, person, number))
    both = [(known_turns[at], row) for row, *person_round in repeats if (at := tuple(person_round)) in known_turns]
    _note_differences(sheets.fields.get(app, {}), export, both, intake)
    earlier_files = sorted({turn.file.name for turn in sheets.turns})
    reason = f"the same rows as {' and '.join(name.rpartition('.')[0] for name in earlier_files)}"
    if not fresh:
        intake.leave_out(export.path, 0, reason)
        return
    fields = {name: name for name in export.fields if "." in name}
    sheets.fields.setdefault(app, {}).update(dict.fromkeys(fields))
    for row, _, _ in repeats:
        intake.leave_out(row.file, row.row, reason)
    for row, person, number in fresh:
        sheets.people.setdefault(person, row)
        sheets.add_turns([_Block("", app, number, fields).turn(row)])


def _find_difference(turn: Turn, row: Row, fields: Iterable[str]) -> str | None:
    """Return the first field of which a row says something else than a turn that is known."""
    return next((name for name in fields if spelled(turn.text(name)) != spelled(row.text(name))), None)


def _note_differences(
    known_fields: Collection[str], export: _Export, both: Sequence[tuple[Turn, Row]], intake: Intake
) -> None:
    """Note rows of a second file that say something else of a person in a round than the file that is read."""
    fields = [name for name in export.fields if name in known_fields]
    differing = [(turn, row, name) for turn, row in both if (name := _find_difference(turn, row, fields))]
    if differing:
        turn, row, name = differing[0]
        intake.notes.append(
            f"{len(differing)} rows of {export.path.name} differ from {turn.file.name}, which is read "
            f"(row {row.row}: {name} is {shown(row.text(name))}, not {shown(turn.text(name))}): is one of them older?"
        )


def _app_called(stem: str, sheets: Sheets, export: _Export, rows_by_turn: dict[tuple[str, int], Row]) -> str:
    """Return the app of a file: as the file is called, or one that was read with the same people, rounds and fields.

    A file that was renamed (``ultimatum (1).csv``, ``data.csv``) holds no second game of each group.
    """
    fields = set(export.fields)
    if stem in sheets.fields or (fields <= _OF_EVERY_APP and not sheets.wide):  # nothing tells such apps apart
        return stem
    for app, app_fields in sheets.fields.items():
        if fields == set(app_fields):
            turns = [turn for turn in sheets.turns if turn.app == app and (turn.person, turn.round) in rows_by_turn]
            both = [(turn, rows_by_turn[turn.person, turn.round]) for turn in turns]
            if both and not any(_find_difference(turn, row, fields) for turn, row in both):
                return app
    return stem
