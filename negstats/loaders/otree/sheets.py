"""oTree's exports combined: what each person did in each app and round, regardless of the file.

The rows of all files stand below each other as columns of codes, and a turn (one person in one app and round) is a row
and the prefix of its columns: no object a turn.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from negstats.errors import LogError, shown
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.cells import Except, Row, rows_of
from negstats.loaders.files.coded import Coded, Fault, below
from negstats.loaders.files.columns import Places
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.sniff import header
from negstats.loaders.files.tabular import Table

Kind: TypeAlias = Literal["wide", "app", "chat", "pages", "none"]

CODE, SESSION = "participant.code", "session.code"
CHAT = ("session_code", "id_in_session", "participant_code", "channel", "nickname", "body", "timestamp")
PAGES = (
    *("session_code", "participant_id_in_session", "participant_code", "page_index", "app_name", "page_name"),
    *("epoch_time_completed", "round_number", "timeout_happened", "is_wait_page"),
)
_WIDE = re.compile(r"(?P<app>.+)\.(?P<round>[1-9][0-9]{0,5})\.(?P<level>player|group|subsession)\.(?P<field>.+)")
_LEVELS = ("player", "group", "subsession")
_LOOKED = 20  # words of a column that are looked at for lists
_OF_EVERY_APP = {
    *("player.id_in_group", "player.role", "player.payoff"),
    *("group.id_in_subsession", "subsession.round_number"),
}
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
        return "app" if "player.id_in_group" in known_names else "none"
    if known_names >= set(CHAT):
        return "chat"
    return "pages" if known_names >= set(PAGES) else "none"


@dataclass(frozen=True, slots=True)
class Turns:
    """People in apps and rounds, in the order of the rows, and in a row of the columns.

    Attributes
    ----------
    rows : array of int
        The row of `Sheets` in which each stands.
    apps : array of int
        The app's place in `Sheets.fields`.
    numbers : array of int
        The round, from 1.
    prefixes : array of int
        The place in `Sheets.prefixes` of what stands before ``player.`` and ``group.`` in the names of the columns.
    """

    rows: Places
    apps: Places
    numbers: Places
    prefixes: Places

    def take(self, places: Places) -> Turns:
        """Return the turns at these places."""
        return Turns(self.rows[places], self.apps[places], self.numbers[places], self.prefixes[places])


@dataclass(slots=True)
class Sheets:
    """What the files of a study hold.

    Attributes
    ----------
    turns : Turns
        Who was in which app and round.
    fields : dict
        For each app its fields, as ``player.request``, in the order of the columns.
    people : array of int
        The row of each person, in order.
    absent : int
        How many people have no group in some app and round.
    chat, pages : list of Row
        Rows of those exports.
    wide : bool
        Whether a wide export is among the files.
    columns : dict of str to Coded
        The columns of the people's exports; each has all rows of all files.
    prefixes : dict of str to int
        What stands before the fields' names, in order.
    """

    turns: Turns
    fields: dict[str, dict[str, None]] = field(default_factory=dict)
    people: Places = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    absent: int = 0
    chat: list[Row] = field(default_factory=list)
    pages: list[Row] = field(default_factory=list)
    wide: bool = False
    columns: dict[str, Coded] = field(default_factory=dict)
    prefixes: dict[str, int] = field(default_factory=dict)
    files: list[_File] = field(default_factory=list)
    _persons: Coded | None = None
    _sessions: Coded | None = None

    @property
    def size(self) -> int:
        """The number of rows of the people's exports."""
        return self.files[-1].end if self.files else 0

    @property
    def persons(self) -> Coded:
        """The code of the person of each row."""
        if self._persons is None:
            self._persons = self.columns[CODE].stripped()
        return self._persons

    @property
    def sessions(self) -> Coded:
        """The code of the session of each row."""
        if self._sessions is None:
            self._sessions = self.columns[SESSION].stripped()
        return self._sessions

    def column(self, name: str, rows: Places) -> Coded:
        """Return a column of some rows; one that is in no file has no values."""
        column = self.columns.get(name)
        return Coded.absent(len(rows)) if column is None else column.take(rows)

    def field(self, turns: Turns, name: str) -> Coded:
        """Return a field such as ``group.offer`` of turns of one app."""
        used_places = np.flatnonzero(np.bincount(turns.prefixes, minlength=len(self.prefixes)))
        prefixes = list(self.prefixes)
        if len(used_places) == 1:
            return self.column(prefixes[used_places[0]] + name, turns.rows)
        places = [np.flatnonzero(turns.prefixes == prefix) for prefix in used_places]
        parts = [
            self.column(prefixes[prefix] + name, turns.rows[of]) for prefix, of in zip(used_places, places, strict=True)
        ]
        if not parts:
            return Coded.absent(0)
        order = np.empty(len(turns.rows), dtype=np.int64)
        order[np.concatenate(places)] = np.arange(len(order))
        return below(parts).take(order)

    def place(self, row: int) -> tuple[Path, int]:
        """Return the file of a row and its number there."""
        file = self.files[bisect_right([file.end for file in self.files], row)]
        return file.path, int(file.numbers[row - file.start])

    def fault(self, row: int, reason: str, column: str) -> LogError:
        """Return the error for a fault in a cell."""
        path, number = self.place(row)
        return LogError(reason, file=path, row=number, column=column)

    def faults(self, rows: Places, column: str) -> Fault:
        """Return the errors for faults in a column of some rows."""
        return lambda place, reason: self.fault(int(rows[place]), reason, column)

    def turn_faults(self, turns: Turns, name: str) -> Fault:
        """Return the errors for faults in a field of some turns."""
        return lambda place, reason: self.fault(int(turns.rows[place]), reason, self.full_name(turns, place, name))

    def full_name(self, turns: Turns, place: int, name: str) -> str:
        """Return the name of the column of a turn's field."""
        return f"{list(self.prefixes)[turns.prefixes[place]]}{name}"

    def counted(self, turns: Turns, name: str) -> Places:
        """Return numbers of seats or groups, which are counted from 1."""
        what = "is not a number of a group or of a player in it"
        return _read_from_one(self.field(turns, name), self.turn_faults(turns, name), what)

    def cells(self, row: int) -> dict[str, str]:
        """Return the cells of one row that hold something, by column."""
        return {name: column.text(row) for name, column in self.columns.items() if column.codes[row] >= 0}


@dataclass(frozen=True, slots=True)
class _File:
    """A file of people: its rows are those of `Sheets` from `start` to `end`, and have these numbers in it."""

    path: Path
    kind: Kind
    names: list[str]
    start: int
    end: int
    numbers: Sequence[int]

    @property
    def rows(self) -> Places:
        return np.arange(self.start, self.end)


_NO_NUMBER = -(2**60)


def _read_from_one(cells: Coded, fault: Fault, what: str) -> Places:
    """Return whole numbers that are counted from 1."""
    values = cells.wholes(fault, _NO_NUMBER)
    if len(values) and values.min() < 1:
        at = int((values < 1).argmax())
        raise fault(at, f"{shown(None if values[at] == _NO_NUMBER else int(values[at]))} {what}")
    return values


def _no_turns() -> Turns:
    nothing = np.zeros(0, dtype=np.int64)
    return Turns(nothing, nothing, nothing, nothing)


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
    sheets, order = Sheets(_no_turns()), ("wide", "app", "chat", "pages", "none")
    kinds = {file: kind_of(header(file)) for file in files}
    parts: dict[str, list[tuple[int, Coded]]] = {}
    for file in sorted(kinds, key=lambda file: (order.index(kinds[file]), str(file))):
        kind = kinds[file]
        if kind == "none":
            continue
        data = intake.read(file)
        table = read_table(data, file, columns=Except(_UNREAD if label else rf"{_UNREAD}|participant\.label"))
        intake.add(file, data, len(table.rows))
        intake.note_table(table)
        if kind in ("chat", "pages"):
            (sheets.chat if kind == "chat" else sheets.pages).extend(rows_of(table))
            continue
        del data
        if not len(table.rows):  # a header alone has columns, and no cell to read; the intake has recorded it
            continue
        _take_columns(sheets, table, kind, parts, intake)
    sheets.columns = {name: _joined(parts.pop(name), sheets.size) for name in list(parts)}
    _take_wide(sheets, [file for file in sheets.files if file.kind == "wide"], intake)
    for people_file in sheets.files:
        if people_file.kind == "app":
            _take_app(sheets, people_file, intake)
    for file in sorted((file for file, kind in kinds.items() if kind == "none"), key=str):
        intake.leave_out(file, 0, "is not one of oTree's own exports; a mapping may read it")
    return sheets


def _holds_lists(column: Coded) -> bool:
    """Whether the first cells are lists of several elements, as fields that hold all offers of a group are."""
    words = [str(word).strip() for word in column.words.slice(0, _LOOKED).to_pylist()]
    return bool(words) and all(word[:1] == "[" and word[-1:] == "]" for word in words) and any("," in w for w in words)


def _take_columns(
    sheets: Sheets, table: Table, kind: Kind, parts: dict[str, list[tuple[int, Coded]]], intake: Intake
) -> None:
    """Put the columns of a file below those of the files before it."""
    file = _File(table.file, kind, table.names, sheets.size, sheets.size + len(table.rows), table.rows)
    columns = {name: Coded.of(table.cells.pop(name)) for name in table.names if name in table.cells}
    for name in [name for name, column in columns.items() if _holds_lists(column)]:
        del columns[name]
        intake.notes.append(f"{name} holds lists, which are not read; `negstats map` begins a mapping that reads them")
    blanks = [(int((columns[name].codes < 0).argmax()), name) for name in (CODE, SESSION) if _has_blank(columns[name])]
    if blanks:
        row, name = min(blanks, key=lambda blank: blank[0])
        reason = "is empty; each row is one person of a session"
        raise LogError(reason, file=file.path, row=int(file.numbers[row]), column=name)
    sheets.files.append(file)
    for name, column in columns.items():
        if len(column.words):
            parts.setdefault(name, []).append((file.start, column))


def _has_blank(column: Coded) -> bool:
    return bool((column.codes < 0).any())


def _joined(parts: Sequence[tuple[int, Coded]], size: int) -> Coded:
    """Return the parts of a column as one with a cell in each of `size` rows."""
    columns, end = [], 0
    for start, part in parts:
        columns += [Coded.absent(start - end), part] if start > end else [part]
        end = start + len(part)
    return below([*columns, Coded.absent(size - end)] if end < size else columns)


def _blocks(sheets: Sheets, file: _File) -> list[tuple[str, int]]:
    """Return the apps and rounds of a wide export, and note its fields."""
    blocks: dict[tuple[str, int], None] = {}
    for name in file.names:
        if part := _WIDE.fullmatch(name):
            blocks[part["app"], int(part["round"])] = None
            sheets.fields.setdefault(part["app"], {})[f"{part['level']}.{part['field']}"] = None
        elif re.search(r"\.(player|group|subsession)\.", name):
            reason = "is not a column APP.ROUND.player.FIELD; rounds are counted from 1"
            raise LogError(reason, file=file.path, column=name)
    for app, number in blocks:
        name = f"{app}.{number}.player.id_in_group"
        if name not in file.names:
            reason = "the column is not there, and others of this app and round are"
            raise LogError(reason, file=file.path, column=name)
    return list(blocks)


def _take_wide(sheets: Sheets, files: Sequence[_File], intake: Intake) -> None:
    """Take the turns of wide exports, each person's once."""
    sheets.wide = bool(files)
    blocks = [_blocks(sheets, file) for file in files]
    if not files:
        return
    is_new = _select_new(sheets, np.arange(files[-1].end), intake)
    turns = []
    for file, of_file in zip(files, blocks, strict=True):
        rows = file.rows[is_new[file.start : file.end]]
        sheets.people = np.concatenate([sheets.people, rows])
        if of_file:
            turns.append(_seated(sheets, rows, of_file))
    sheets.turns = _below([sheets.turns, *turns])


def _select_new(sheets: Sheets, rows: Places, intake: Intake) -> npt.NDArray[np.bool_]:
    """Return which rows are a person's first; a second one has to say the same, and is left out."""
    codes = sheets.persons.codes[rows]
    first_rows = np.full(len(sheets.persons.words), -1, dtype=np.int64)
    first_rows[codes[::-1]] = rows[::-1]
    is_new: npt.NDArray[np.bool_] = first_rows[codes] == rows
    for row in np.flatnonzero(~is_new).tolist():
        first_row = int(first_rows[codes[row]])
        first_file, first_number = sheets.place(first_row)
        if sheets.cells(first_row) != sheets.cells(row):
            reason = f"{shown(sheets.persons.text(row))} is also in {first_file.name}, row {first_number}"
            raise sheets.fault(row, f"{reason}, with other values; load the newer file", CODE)
        file, number = sheets.place(row)
        intake.leave_out(file, number, f"the same row as in {first_file.name}")
    return is_new


def _seated(sheets: Sheets, rows: Places, blocks: Sequence[tuple[str, int]]) -> Turns:
    """Return the turns of rows of a wide export: those in which the person has a seat."""
    apps, prefixes = list(sheets.fields), [f"{app}.{number}." for app, number in blocks]
    is_seated = np.column_stack([sheets.column(f"{prefix}player.id_in_group", rows).codes >= 0 for prefix in prefixes])
    sheets.absent += int((~is_seated).sum())
    at, block = np.nonzero(is_seated)
    of_block = np.array([sheets.prefixes.setdefault(prefix, len(sheets.prefixes)) for prefix in prefixes])
    app_places, numbers = np.array([[apps.index(app), number] for app, number in blocks]).T
    turns = Turns(rows[at], app_places[block], numbers[block], of_block[block])
    has_group = np.column_stack([sheets.column(f"{prefix}{_GROUP}", rows).codes >= 0 for prefix in prefixes])
    _refuse_groupless(sheets, turns, has_group[at, block])
    return turns


_GROUP = "group.id_in_subsession"


def _refuse_groupless(sheets: Sheets, turns: Turns, has_group: npt.NDArray[np.bool_]) -> None:
    if not has_group.all():
        reason = "is empty, and the person has a place in a group; another export's column?"
        raise sheets.turn_faults(turns, _GROUP)(int((~has_group).argmax()), reason)


def _below(turns: Sequence[Turns]) -> Turns:
    """Return turns below each other."""
    return Turns(
        np.concatenate([each.rows for each in turns]),
        np.concatenate([each.apps for each in turns]),
        np.concatenate([each.numbers for each in turns]),
        np.concatenate([each.prefixes for each in turns]),
    )


def _take_app(sheets: Sheets, file: _File, intake: Intake) -> None:
    """Take the turns of an app's own export that no file before it holds."""
    rows, persons = file.rows, sheets.persons.codes[file.rows]
    numbers = _round_numbers(sheets, rows)
    app = _app_called(_DATE.sub("", file.path.stem), sheets, file, numbers)
    is_seated = sheets.column("player.id_in_group", rows).codes >= 0
    is_repeat = np.zeros(len(rows), dtype=bool)
    if app in sheets.fields:
        known = sheets.turns.take(np.flatnonzero(sheets.turns.apps == list(sheets.fields).index(app)))
        known_persons = sheets.persons.codes[known.rows]
        keys = zip(known_persons.tolist(), known.numbers.tolist(), strict=True)
        known_turns = {key: place for place, key in enumerate(keys)}
        in_round = [known_turns.get(key, -1) for key in zip(persons.tolist(), numbers.tolist(), strict=True)]
        known_places = np.array(in_round, dtype=np.int64)
        anywhere = np.isin(persons, sheets.persons.codes[sheets.turns.rows])
        is_repeat = np.where(is_seated, known_places >= 0, anywhere)
        twice = np.flatnonzero(is_repeat & (known_places >= 0))
        _note_differences(sheets, file, rows[twice], known.take(known_places[twice]), intake)
    earlier_files = sorted({sheets.files[at].path.name for at in _file_places(sheets, sheets.turns.rows)})
    reason = f"the same rows as {' and '.join(name.rpartition('.')[0] for name in earlier_files)}"
    if len(rows) and is_repeat.all():
        intake.leave_out(file.path, 0, reason)
        return
    own_fields = {name: None for name in file.names if name.partition(".")[0] in _LEVELS and "." in name}
    sheets.fields.setdefault(app, {}).update(own_fields)
    for at in np.flatnonzero(is_repeat).tolist():
        intake.leave_out(file.path, int(file.numbers[at]), reason)
    sheets.absent += int((~is_repeat & ~is_seated).sum())
    fresh, prefix = np.flatnonzero(~is_repeat & is_seated), sheets.prefixes.setdefault("", len(sheets.prefixes))
    app_place = list(sheets.fields).index(app)
    turns = Turns(rows[fresh], np.full(len(fresh), app_place), numbers[fresh], np.full(len(fresh), prefix))
    _refuse_groupless(sheets, turns, sheets.column(_GROUP, turns.rows).codes >= 0)
    sheets.turns = _below([sheets.turns, turns])
    _take_people(sheets, rows[~is_repeat])


def _take_people(sheets: Sheets, rows: Places) -> None:
    """Take the first row of each person who is not known yet."""
    codes = sheets.persons.codes[rows]
    is_known = np.zeros(len(sheets.persons.words), dtype=bool)
    is_known[sheets.persons.codes[sheets.people]] = True
    first_places = np.unique(codes, return_index=True)[1]
    first_places.sort()
    new = first_places[~is_known[codes[first_places]]]
    sheets.people = np.concatenate([sheets.people, rows[new]])


def _file_places(sheets: Sheets, rows: Places) -> list[int]:
    """Return the places of the files in which rows stand."""
    ends = np.array([file.end for file in sheets.files])
    return np.flatnonzero(np.bincount(np.searchsorted(ends, rows, side="right"), minlength=len(ends))).tolist()


def _round_numbers(sheets: Sheets, rows: Places) -> Places:
    """Return the rounds that rows of an app's own export are of."""
    name = "subsession.round_number"
    return _read_from_one(sheets.column(name, rows), sheets.faults(rows, name), "is not a round")


def _note_differences(sheets: Sheets, file: _File, rows: Places, turns: Turns, intake: Intake) -> None:
    """Note rows of a second file that say something else of a person in a round than the file that is read."""
    first_names: dict[int, str] = {}
    for name in file.names:
        if name.partition(".")[0] in _LEVELS and _has_column(sheets, turns, name):
            codes = below([sheets.field(turns, name), sheets.column(name, rows)]).alike().codes
            for place in np.flatnonzero(codes[: len(rows)] != codes[len(rows) :]).tolist():
                first_names.setdefault(place, name)
    if first_names:
        place = min(first_names)
        name, at = first_names[place], np.array([place])
        (read_text,) = sheets.field(turns.take(at), name).texts().to_pylist()
        (other_text,) = sheets.column(name, rows[at]).texts().to_pylist()
        intake.notes.append(
            f"{len(first_names)} rows of {file.path.name} differ from {sheets.place(int(turns.rows[place]))[0].name}, "
            f"which is read (row {sheets.place(int(rows[place]))[1]}: {name} is {shown(other_text)}, not "
            f"{shown(read_text)}): is one of them older?"
        )


def _has_column(sheets: Sheets, turns: Turns, name: str) -> bool:
    """Whether the files of turns have a column for a field of theirs."""
    prefixes = list(sheets.prefixes)
    columns = {prefixes[prefix] + name for prefix in np.unique(turns.prefixes)}
    files = [sheets.files[at] for at in _file_places(sheets, turns.rows)]
    return any(columns & set(file.names) for file in files)


def _app_called(stem: str, sheets: Sheets, file: _File, numbers: Places) -> str:
    """Return the app of a file: as the file is called, or one that was read with the same people, rounds and fields.

    A file that was renamed (``ultimatum (1).csv``, ``data.csv``) holds no second game of each group.
    """
    fields = {name for name in file.names if name.partition(".")[0] in _LEVELS}
    if stem in sheets.fields or (fields <= _OF_EVERY_APP and not sheets.wide):  # nothing tells such apps apart
        return stem
    keys = zip(sheets.persons.codes[file.rows].tolist(), numbers.tolist(), strict=True)
    rows_by_turn = dict(zip(keys, file.rows.tolist(), strict=True))
    for place, (app, app_fields) in enumerate(sheets.fields.items()):
        if fields == set(app_fields):
            turns = sheets.turns.take(np.flatnonzero(sheets.turns.apps == place))
            seats = zip(sheets.persons.codes[turns.rows].tolist(), turns.numbers.tolist(), strict=True)
            places = {key: at for at, key in enumerate(seats) if key in rows_by_turn}
            rows = np.array([rows_by_turn[key] for key in places], dtype=np.int64)
            both = turns.take(np.array(list(places.values()), dtype=np.int64))
            if len(rows) and _have_same_values(sheets, both, rows, fields):
                return app
    return stem


def _have_same_values(sheets: Sheets, turns: Turns, rows: Places, fields: Collection[str]) -> bool:
    """Whether rows of an app's file say what a wide file says of the people in those rounds."""
    for name in fields:
        codes = below([sheets.field(turns, name), sheets.column(name, rows)]).alike().codes
        if not np.array_equal(codes[: len(rows)], codes[len(rows) :]):
            return False
    return True
