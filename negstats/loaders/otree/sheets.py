"""oTree's exports as one thing: what each person did in each app and round, whichever file it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from negstats.errors import LogError, shown
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.cells import Except, Row, rows_of
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.sniff import header

__all__ = ["CHAT", "PAGES", "Sheets", "Turn", "is_same_value", "kind_of", "read_sheets"]

Kind: TypeAlias = Literal["wide", "app", "chat", "pages", "none"]

CODE, SESSION = "participant.code", "session.code"
CHAT = ("session_code", "id_in_session", "participant_code", "channel", "nickname", "body", "timestamp")
PAGES = (
    *("session_code", "participant_id_in_session", "participant_code", "page_index", "app_name", "page_name"),
    *("epoch_time_completed", "round_number", "timeout_happened", "is_wait_page"),
)
_WIDE = re.compile(r"(?P<app>.+)\.(?P<round>[1-9][0-9]{0,5})\.(?P<level>player|group|subsession)\.(?P<field>.+)")
_LEVELS = ("player", "group", "subsession")
_OF_EVERY_APP = {
    *("player.id_in_group", "player.role", "player.payoff"),
    *("group.id_in_subsession", "subsession.round_number"),
}
_DATE = re.compile(r"([ _-]+\(?\d{4}-\d{2}-\d{2}.*|[ _-]*\(\d+\))$")
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
class Turn:
    """One person in one app and round.

    Attributes
    ----------
    row : Row
        Where it stands.
    app, number : str, int
        The app, and its round from 1.
    prefix : str
        What stands before ``player.`` and ``group.`` in the names of the columns.
    """

    row: Row
    app: str
    number: int
    prefix: str

    @property
    def session(self) -> str:
        """The session's code."""
        return self.row.cells[SESSION].strip()

    @property
    def code(self) -> str:
        """The person's code."""
        return self.row.cells[CODE].strip()

    def column(self, name: str) -> str:
        """Return the full name of a column such as ``group.offer``."""
        return self.prefix + name

    @property
    def seat(self) -> int:
        """The person's number in the group."""
        return self._counted("player.id_in_group")

    @property
    def group(self) -> int:
        """The group's number in session, app and round."""
        return self._counted("group.id_in_subsession")

    def _counted(self, name: str) -> int:
        value = self.row.whole(self.column(name))
        if value is None or value < 1:
            raise self.row.fault(f"{shown(value)} is no number of a group or of a player in it", self.column(name))
        return value


@dataclass(slots=True)
class Sheets:
    """What the files of a study hold.

    Attributes
    ----------
    turns : list of Turn
        In the order of the rows, and in a row of the columns.
    fields : dict
        For each app its fields, as ``player.request``, in the order of the columns.
    people : list of Row
        One row a person, where the file has one.
    absent : int
        How many people have no group in some app and round.
    chat, pages : list of Row
        Rows of those exports.
    """

    turns: list[Turn] = field(default_factory=list)
    fields: dict[str, dict[str, None]] = field(default_factory=dict)
    people: dict[str, Row] = field(default_factory=dict)
    absent: int = 0
    chat: list[Row] = field(default_factory=list)
    pages: list[Row] = field(default_factory=list)
    wide: bool = False


def read_sheets(files: Iterable[Path], intake: Intake, *, label: bool) -> Sheets:
    """Read the exports of a study: wide ones first, then from the others what those lack.

    Parameters
    ----------
    files
        Tables; those that are no export of oTree's are left out.
    intake
        Told what was read.
    label
        Whether the people's labels are wanted.
    """
    sheets, order = Sheets(), ("wide", "app", "chat", "pages", "none")
    kinds = {file: kind_of(header(file)) for file in files}
    for file in sorted(kinds, key=lambda file: (order.index(kinds[file]), str(file))):
        kind = kinds[file]
        if kind == "none":
            intake.leave_out(file, 0, "is not one of oTree's own exports; a mapping may read it")
            continue
        data = intake.read(file)
        table = read_table(data, file, columns=Except(_UNREAD if label else rf"{_UNREAD}|participant\.label"))
        rows = rows_of(table)
        intake.add(file, data, len(rows))
        if kind in ("chat", "pages"):
            (sheets.chat if kind == "chat" else sheets.pages).extend(rows)
            continue
        for row in rows:
            _refuse_nameless(row)
        if kind == "wide":
            _take_wide(sheets, rows, table.names, file, intake)
        else:
            _take_app(sheets, rows, table.names, file, intake)
    return sheets


def _refuse_nameless(row: Row) -> None:
    for column in (CODE, SESSION):
        if row.text(column) is None:
            raise row.fault("is empty; each row is one person of a session", column)


def _take_wide(sheets: Sheets, rows: list[Row], names: Sequence[str], file: Path, intake: Intake) -> None:
    blocks: dict[tuple[str, int], None] = {}
    for name in names:
        if part := _WIDE.fullmatch(name):
            blocks[part["app"], int(part["round"])] = None
            sheets.fields.setdefault(part["app"], {})[f"{part['level']}.{part['field']}"] = None
        elif re.search(r"\.(player|group|subsession)\.", name):
            raise LogError("is no column APP.ROUND.player.FIELD; rounds are counted from 1", file=file, column=name)
    for app, number in blocks:
        if f"{app}.{number}.player.id_in_group" not in names:
            name = f"{app}.{number}.player.id_in_group"
            raise LogError("the column is not there, and others of this app and round are", file=file, column=name)
    sheets.wide = True
    for row in rows:
        code = row.cells[CODE].strip()
        first_row = sheets.people.get(code)
        if first_row is not None:
            if first_row.cells != row.cells:
                first_place = f"{first_row.file.name}, row {first_row.row}"
                raise row.fault(
                    f"{shown(code)} stands in {first_place} too, with other values; load the newer file", CODE
                )
            intake.leave_out(row.file, row.row, f"the same row as in {first_row.file.name}")
            continue
        sheets.people[code] = row
        for app, number in blocks:
            _add(sheets, Turn(row, app, number, f"{app}.{number}."))


def _take_app(sheets: Sheets, rows: list[Row], names: Sequence[str], file: Path, intake: Intake) -> None:
    app = _app_called(_DATE.sub("", file.stem), sheets, rows, names)
    known_turns = {(turn.code, turn.number): turn for turn in sheets.turns if turn.app == app}
    known_codes = {turn.code for turn in sheets.turns} if app in sheets.fields else set()
    fresh = []
    for row in rows:
        number = row.whole("subsession.round_number")
        if number is None or number < 1:
            raise row.fault(f"{shown(number)} is no round", "subsession.round_number")
        turn = Turn(row, app, number, "")
        seated = row.text("player.id_in_group") is not None
        is_repeat = (turn.code, number) in known_turns if seated else turn.code in known_codes
        fresh.append((turn, is_repeat))
    wide = sorted({turn.row.file.name for turn in sheets.turns})
    reason = f"the same rows as {' and '.join(name.rpartition('.')[0] for name in wide)}"
    repeats = [(known_turns.get((turn.code, turn.number)), turn.row) for turn, is_repeat in fresh if is_repeat]
    _note_differences([(turn, row) for turn, row in repeats if turn is not None], names, intake)
    if rows and all(is_repeat for _, is_repeat in fresh):
        intake.leave_out(file, 0, reason)
        return
    sheets.fields.setdefault(app, {}).update(
        {name: None for name in names if name.partition(".")[0] in _LEVELS and "." in name}
    )
    for turn, is_repeat in fresh:
        if is_repeat:
            intake.leave_out(file, turn.row.row, reason)
        else:
            _add(sheets, turn)
            sheets.people.setdefault(turn.code, turn.row)


def _note_differences(repeats: Sequence[tuple[Turn, Row]], names: Sequence[str], intake: Intake) -> None:
    """Note rows of a second file that say something else of a person in a round than the file that is read."""
    fields = [name for name in names if name.partition(".")[0] in _LEVELS]
    differences = [
        (turn, row, name)
        for turn, row in repeats
        for name in fields
        if turn.column(name) in turn.row.cells and not is_same_value(turn.row.text(turn.column(name)), row.text(name))
    ]
    if differences:
        turn, row, name = differences[0]
        n_rows = len({row.row for _, row, _ in differences})
        intake.notes.append(
            f"{n_rows} rows of {row.file.name} differ from {turn.row.file.name}, which is read (row {row.row}: "
            f"{name} is {shown(row.text(name))}, not {shown(turn.row.text(turn.column(name)))}): is one of them older?"
        )


def _app_called(stem: str, sheets: Sheets, rows: list[Row], names: Sequence[str]) -> str:
    """Return the app of a file: as the file is called, or one that was read with the same people, rounds and fields.

    A file that was renamed (``ultimatum (1).csv``, ``data.csv``) holds no second game of each group.
    """
    fields = {name for name in names if name.partition(".")[0] in _LEVELS}
    if stem in sheets.fields or (fields <= _OF_EVERY_APP and not sheets.wide):  # nothing tells such apps apart
        return stem
    rows_by_turn = {(row.text(CODE), row.whole("subsession.round_number")): row for row in rows}
    for app, app_fields in sheets.fields.items():
        turns = [turn for turn in sheets.turns if turn.app == app]
        seats = {(turn.code, turn.number): turn for turn in turns}
        both = seats.keys() & rows_by_turn.keys()
        if (
            fields == set(app_fields)
            and both
            and all(_has_same_values(seats[key], rows_by_turn[key], fields) for key in both)
        ):
            return app
    return stem


def _has_same_values(turn: Turn, row: Row, fields: Iterable[str]) -> bool:
    """Whether a row of an app's file says what a wide file says of the person in that round."""
    return all(is_same_value(turn.row.text(turn.column(name)), row.text(name)) for name in fields)


def is_same_value(one: str | None, other: str | None) -> bool:
    """Whether two cells say one thing: the same text, or one number as in 1 and 1.0."""
    if one == other:
        return True
    try:
        return one is not None and other is not None and float(one) == float(other)
    except ValueError:
        return False


def _add(sheets: Sheets, turn: Turn) -> None:
    if turn.row.text(turn.column("player.id_in_group")) is None:
        sheets.absent += 1
        return
    if turn.row.text(turn.column("group.id_in_subsession")) is None:
        reason = "is empty, and the person has a place in a group; another export's column?"
        raise LogError(reason, file=turn.row.file, row=turn.row.row, column=turn.column("group.id_in_subsession"))
    sheets.turns.append(turn)
