"""oTree's exports combined: what each person did in each app and round, regardless of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat
from pathlib import Path
from typing import Literal, TypeAlias

import pyarrow.compute as pc

from negstats.errors import LogError, shown
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.cells import Except, Row, cells_of, rows_of
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.sniff import header
from negstats.loaders.files.tabular import Table, joined

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


@dataclass(slots=True)
class Turn(Row):
    """One person in one app and round: a row with the fields of these, as ``player.request``.

    Attributes
    ----------
    record : Row
        What the row of the file says of the person and the session.
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

    def turn(self, record: Row, cells: dict[str, str]) -> Turn | None:
        """Return the turn of a person with these cells; None where there is no seat.

        Raises
        ------
        LogError
            If there is no group, or its number or the seat's is none.
        """
        if SEAT not in cells:
            return None
        turn = Turn(record.file, record.row, cells, record, self.prefix, self.app, self.number, 0, 0)
        if GROUP not in cells:
            raise turn.fault("is empty, and the person has a place in a group; another export's column?", GROUP)
        turn.seat = _read_from_one(turn, SEAT, _NO_PLACE)
        turn.group = _read_from_one(turn, GROUP, _NO_PLACE)
        return turn


_NO_PLACE = "is not a number of a group or of a player in it"


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
    misfit : float or None
        By how much the points differ from those; None where nothing can be compared.
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
    misfit: float | None = None

    @property
    def first(self) -> Turn:
        """The member that stands first in the files."""
        return next(iter(self.members.values()))

    @property
    def seats(self) -> dict[str, int]:
        """The members' seats, by their codes."""
        return {turn.person: seat for seat, turn in self.members.items()}

    def expect(self, due: dict[int, float]) -> None:
        """Take the points that follow from the deal."""
        self.due = due
        misfits = [abs(points - own) for seat, points in due.items() if (own := self.points.get(seat)) is not None]
        self.misfit = max(misfits, default=None)

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


def agreed(rows: Sequence[Row], columns: Iterable[str]) -> dict[str, Row]:
    """Return for each column of what rows have in common the one that says it first.

    Raises
    ------
    LogError
        If two of them say different things.
    """
    said: dict[str, Row] = {}
    for column in columns:
        for row in rows:
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

    def note_columns(self, export: _Export) -> None:
        """Take the columns of people in which a row of a file has a value."""
        self.columns |= dict.fromkeys(name for name in export.names if any(name in row.cells for row in export.rows))

    def add_turns(self, turns: Iterable[Turn | None]) -> None:
        """Take a person's turns; where it is None the person is not in the app and round."""
        for turn in turns:
            if turn is None:
                self.absent += 1
            else:
                self.turns.append(turn)


@dataclass(frozen=True, slots=True)
class _Export:
    """A file of people.

    Attributes
    ----------
    path, names : pathlib.Path, list of str
        The file, and its columns about the person and the session.
    blocks : list of _Block
        Its apps and rounds; one block of an app that is not known yet in an app's own export.
    rows : list of Row
        What each row says of the person and the session.
    cells : list of list of dict
        For each block what each row says there.
    """

    path: Path
    names: list[str]
    blocks: list[_Block]
    rows: list[Row]
    cells: list[list[dict[str, str]]]

    @classmethod
    def of(cls, table: Table, blocks: list[_Block]) -> _Export:
        """Return the rows of a table in which each names a person and a session; raises LogError if one does not."""
        fields = {column for block in blocks for column in block.columns}
        names = [name for name in table.names if name not in fields]
        people = cells_of(table, {name: name for name in names})
        rows = [Row(table.file, int(row), cells) for row, cells in zip(table.rows, people, strict=True)]
        for row in rows:
            for name in (CODE, SESSION):
                if name not in row.cells:
                    raise row.fault("is empty; each row is one person of a session", name)
        return cls(table.file, names, blocks, rows, [cells_of(table, block.columns) for block in blocks])


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
    sheets = Sheets()
    exports: dict[Kind, list[_Export]] = {"wide": [], "app": []}
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
            _drop_lists(table, intake)
            blocks = _blocks(table) if kind == "wide" else [_Block("", "", 0, _fields(table))]
            exports[kind].append(_Export.of(table, blocks))
    _take_wide(sheets, exports["wide"], intake)
    for export in exports["app"]:
        _take_app(sheets, export, intake)
    for file in in_order:
        if kinds[file] == "none":
            intake.leave_out(file, 0, "is not one of oTree's own exports; a mapping may read it")
    return sheets


def _drop_lists(table: Table, intake: Intake) -> None:
    """Drop the columns whose first cells are lists of several elements, as fields of all offers of a group are."""
    brackets = [name for name, cells in table.cells.items() if pc.any(pc.match_substring(joined([cells]), "[")).as_py()]
    for name in brackets:
        words = [word.strip() for word in table.column(name).dropna().unique()[:_LOOKED]]
        if all(word[:1] == "[" and word[-1:] == "]" for word in words) and any("," in word for word in words):
            del table.cells[name]
            intake.notes.append(
                f"{name} holds lists, which are not read; `negstats map` begins a mapping that reads them"
            )


def _fields(table: Table) -> dict[str, str]:
    """Return the fields of an app's own export."""
    return {name: name for name in table.names if name.partition(".")[0] in _LEVELS}


def _read_from_one(row: Row, column: str, what: str) -> int:
    """Return a whole number that is counted from 1."""
    value = row.whole(column)
    if value is None or value < 1:
        raise row.fault(f"{shown(value)} {what}", column)
    return value


def _blocks(table: Table) -> list[_Block]:
    """Return the apps and rounds of a wide export."""
    blocks: dict[str, _Block] = {}
    for name in table.names:
        if part := _WIDE.fullmatch(name):
            prefix = f"{part['app']}.{part['round']}."
            block = blocks.setdefault(prefix, _Block(prefix, part["app"], int(part["round"]), {}))
            block.columns[name] = f"{part['level']}.{part['field']}"
        elif re.search(r"\.(player|group|subsession)\.", name):
            reason = "is not a column APP.ROUND.player.FIELD; rounds are counted from 1"
            raise LogError(reason, file=table.file, column=name)
    for prefix, block in blocks.items():
        if prefix + SEAT not in block.columns:
            reason = "the column is not there, and others of this app and round are"
            raise LogError(reason, file=table.file, column=prefix + SEAT)
    return list(blocks.values())


def _take_wide(sheets: Sheets, exports: Sequence[_Export], intake: Intake) -> None:
    """Take the turns of wide exports; a second row of a person has to say the same, and is left out."""
    sheets.wide = bool(exports)
    first_blocks: dict[str, dict[str, dict[str, str]]] = {}  # what a person's row says in each block, by the code
    for export in exports:
        sheets.note_columns(export)
        for block in export.blocks:
            sheets.fields.setdefault(block.app, {}).update(dict.fromkeys(block.columns.values()))
        for row, *cells in zip(export.rows, *export.cells, strict=True):
            code = row.cells[CODE].strip()
            in_blocks = {block.prefix: of for block, of in zip(export.blocks, cells, strict=True) if of}
            first = sheets.people.setdefault(code, row)
            if first is row:
                first_blocks[code] = in_blocks
                sheets.add_turns(map(_Block.turn, export.blocks, repeat(row), cells))
            elif first.cells == row.cells and first_blocks[code] == in_blocks:
                intake.leave_out(row.file, row.row, f"the same row as in {first.file.name}")
            else:
                reason = f"{shown(code)} is also in {first.file.name}, row {first.row}"
                raise row.fault(f"{reason}, with other values; load the newer file", CODE)


_Key: TypeAlias = tuple[str, int]  # a person's code, and a round
_Entry: TypeAlias = tuple[_Key, Row, Row]  # with what a row says of the person, and of the round


def _take_app(sheets: Sheets, export: _Export, intake: Intake) -> None:
    """Take the turns of an app's own export that no file before it holds."""
    sheets.note_columns(export)
    (block,), (cells_of_rows,) = export.blocks, export.cells
    entries: list[_Entry] = []
    for record, cells in zip(export.rows, cells_of_rows, strict=True):
        row = Row(record.file, record.row, cells)
        number = _read_from_one(row, _ROUND, "is not a round")
        entries.append(((record.cells[CODE].strip(), number), record, row))
    rows = {key: row for key, _, row in entries}
    app = _app_called(_DATE.sub("", export.path.stem), sheets, list(block.columns), rows)
    known_turns = {(turn.person, turn.round): turn for turn in sheets.turns if turn.app == app}
    known_people = {turn.person for turn in sheets.turns} if app in sheets.fields else set()
    repeats, fresh = list[_Entry](), list[_Entry]()
    for key, record, row in entries:
        is_repeat = key in known_turns if SEAT in row.cells else key[0] in known_people
        (repeats if is_repeat else fresh).append((key, record, row))
    both = [(known_turns[key], row) for key, _, row in repeats if key in known_turns]
    _note_differences(both, [name for name in block.columns if name in sheets.fields.get(app, {})], intake)
    earlier_files = sorted({turn.file.name for turn in sheets.turns})
    reason = f"the same rows as {' and '.join(name.rpartition('.')[0] for name in earlier_files)}"
    if not fresh:
        intake.leave_out(export.path, 0, reason)
        return
    sheets.fields.setdefault(app, {}).update(dict.fromkeys(name for name in block.columns if "." in name))
    for _, _, row in repeats:
        intake.leave_out(row.file, row.row, reason)
    for (person, number), record, row in fresh:
        sheets.people.setdefault(person, record)
        sheets.add_turns([_Block("", app, number, block.columns).turn(record, row.cells)])


def _find_difference(turn: Turn, row: Row, fields: Iterable[str]) -> str | None:
    """Return the first field of which a row says something else than a turn that is known."""
    return next((name for name in fields if spelled(turn.text(name)) != spelled(row.text(name))), None)


def _note_differences(both: Sequence[tuple[Turn, Row]], fields: Sequence[str], intake: Intake) -> None:
    """Note rows of a second file that say something else of a person in a round than the file that is read."""
    differing = [(turn, row, name) for turn, row in both if (name := _find_difference(turn, row, fields))]
    if differing:
        turn, row, name = differing[0]
        intake.notes.append(
            f"{len(differing)} rows of {row.file.name} differ from {turn.file.name}, which is read "
            f"(row {row.row}: {name} is {shown(row.text(name))}, not {shown(turn.text(name))}): is one of them older?"
        )


def _app_called(stem: str, sheets: Sheets, columns: Sequence[str], rows: Mapping[_Key, Row]) -> str:
    """Return the app of a file: as the file is called, or one that was read with the same people, rounds and fields.

    A file that was renamed (``ultimatum (1).csv``, ``data.csv``) holds no second game of each group.
    """
    fields = set(columns)
    if stem in sheets.fields or (fields <= _OF_EVERY_APP and not sheets.wide):  # nothing tells such apps apart
        return stem
    for app, app_fields in sheets.fields.items():
        if fields == set(app_fields):
            turns = [turn for turn in sheets.turns if turn.app == app and (turn.person, turn.round) in rows]
            both = [(turn, rows[turn.person, turn.round]) for turn in turns]
            if both and not any(_find_difference(turn, row, fields) for turn, row in both):
                return app
    return stem
