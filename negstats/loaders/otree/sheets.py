"""oTree's exports, known by the names of their columns, and combined: what each person did in each app and round."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl

from negstats.errors import LogError, shown
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.cells import Except, Row, rows_of
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.sniff import header, header_of_workbook
from negstats.loaders.files.tabular import Table

Kind: TypeAlias = Literal["wide", "app", "chat", "pages", "none"]

CODE, SESSION = "participant.code", "session.code"
SEAT = "player.id_in_group"
CHAT = ("session_code", "id_in_session", "participant_code", "channel", "nickname", "body", "timestamp")
PAGES = (
    *("session_code", "participant_id_in_session", "participant_code", "page_index", "app_name", "page_name"),
    *("epoch_time_completed", "round_number", "timeout_happened", "is_wait_page"),
)
WIDE = re.compile(r"(?P<app>.+)\.(?P<round>[1-9][0-9]{0,5})\.(?P<level>player|group|subsession)\.(?P<field>.+)")


ENDINGS = (".csv", ".xlsx")


def kind_of(file: Path) -> Kind:
    """Return which of oTree's exports a file is, by the names of its columns."""
    names = header_of_workbook(file) if file.suffix.lower() == ".xlsx" else header(file)
    known_names = set(names)
    if {CODE, SESSION} <= known_names:
        if any((wide_match := WIDE.fullmatch(name)) and wide_match["field"] == "id_in_group" for name in names):
            return "wide"
        return "app" if SEAT in known_names else "none"
    if known_names >= set(CHAT):
        return "chat"
    return "pages" if known_names >= set(PAGES) else "none"


GROUP, PAYOFF = "group.id_in_subsession", "player.payoff"
_ORDER: tuple[Kind, ...] = ("wide", "app", "chat", "pages", "none")  # in which the exports are read
_LEVELS = ("player.", "group.", "subsession.")
_LEVELS_OF_PEOPLE = ("participant.", "session.")
_ROUND = "subsession.round_number"
_LOOKED = 20  # words of a column that are looked at for lists
_OF_EVERY_APP = {SEAT, "player.role", PAYOFF, GROUP, _ROUND}
_DATE = re.compile(r"([ _-]+\(?(?:accessed )?\d{4}-\d{2}-\d{2}.*|[ _-]*\(\d+\))$")
# Who a person is beyond the code stays unread; the label is read only if it is asked for.
_UNREAD = (
    r"participant\.(mturk_.*|.*ip_?address.*|.*e_?mail.*|external_.*)|session\.(mturk_.*|comment|label)|nickname"
    r"|.*\.player\.(.*_)?(ip_?address|e_?mail|first_?name|last_?name|full_?name|surname|latitude|longitude)"
)


DEMO = "session.is_demo"
_IS_DEMO, _IS_NO_DEMO = ("1", "1.0", "true"), {"0", "0.0", "false"}
_NOWHERE = Path()  # the place of a text that is read apart from its rows


@dataclass(slots=True)
class Sheets:
    """What the files of a study hold.

    Attributes
    ----------
    records : polars.DataFrame
        The rows of the files that are read, in order: the place of each here (``record``), its ``file``, a place in
        `files`, its ``row`` there, the codes of the ``person`` and the ``session``, and the columns about these. What
        is empty is missing, here and below.
    turns : dict of str to polars.DataFrame
        For each app who was in which round of it: the ``record``, the ``block``, a place in `prefixes`, ``person``,
        ``session``, ``round``, ``seat`` and ``number``, that of the group, and the fields, as ``player.request``; in
        the order of the rows and, in a row, of the columns.
    fields : dict of str to list of str
        For each app its fields in the order of the columns, also those that are not read.
    files, prefixes : list of Path, list of str
        The files, and what stands before ``player.`` and ``group.`` in names of columns; the first prefix is empty.
    columns : dict
        The columns of session and participant that have a value, in order.
    absent : int
        How many people have no group in some app and round.
    chat, pages : list of Row
        Rows of those exports.
    wide : bool
        Whether a wide export is among the files.
    are_demos_out : bool
        Whether people of demonstrations are left out, beside those of sessions that are none.
    """

    records: pl.DataFrame = field(default_factory=lambda: pl.DataFrame({"person": []}, {"person": pl.String}))
    turns: dict[str, pl.DataFrame] = field(default_factory=dict)
    fields: dict[str, list[str]] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=lambda: [""])
    columns: dict[str, None] = field(default_factory=dict)
    absent: int = 0
    chat: list[Row] = field(default_factory=list)
    pages: list[Row] = field(default_factory=list)
    wide: bool = False
    are_demos_out: bool = False

    @property
    def people(self) -> pl.DataFrame:
        """Each person's first record."""
        return self.records.unique("person", keep="first", maintain_order=True)

    def read(self, frame: pl.DataFrame, column: str, reader: Callable[[Row, str], Any], kind: Any) -> pl.Series:
        """Return what the cells of a column say; each text is read once, where it stands first.

        Parameters
        ----------
        frame, column
            Records or turns, and one of their columns; where it is not there, nothing is said.
        reader
            As `Row.number`; it raises LogError with the row if a text says nothing of the kind.
        kind
            The type of polars.
        """
        if column not in frame.columns or frame[column].null_count() == len(frame):
            return pl.repeat(None, len(frame), dtype=kind, eager=True)
        texts = frame[column].drop_nulls().unique(maintain_order=True)
        values = []
        for text in texts:
            try:
                values.append(reader(Row(_NOWHERE, 0, {column: text}), column))
            except LogError:
                place = frame.filter(pl.col(column) == text).select("record", "^block$", column).row(0, named=True)
                reader(self.row(place, column), self.name(place, column))
        return frame[column].replace_strict(texts, pl.Series(values, dtype=kind), default=None)

    def name(self, turn: Mapping[str, Any], column: str) -> str:
        """Return the name of a turn's or a record's column in its file."""
        return f"{self.prefixes[turn.get('block', 0)]}{column}"

    def row(self, turn: Mapping[str, Any], column: str) -> Row:
        """Return the row of the file in which a turn or a record stands, with one of its cells."""
        text, record = turn.get(column), turn["record"]
        cells = {} if text is None else {self.name(turn, column): text}
        return Row(self.files[self.records["file"][record]], self.records["row"][record], cells)

    def fault(self, turn: Mapping[str, Any], reason: str, column: str) -> LogError:
        """Return the error for a fault in a cell of a turn or a record."""
        return self.row(turn, column).fault(reason, self.name(turn, column))

    def agreed(self, turns: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
        """Return for each game what its turns have in common: for each column what the first says that says something.

        Raises
        ------
        LogError
            If two of them say different things.
        """
        for column in columns:
            values = turns.select("record", "^block$", "game", column).drop_nulls(column)
            firsts = values.unique("game", keep="first", maintain_order=True)
            pairs = values.join(firsts, on="game", suffix=" of first", maintain_order="left")
            for turn in pairs.filter(differs(column, f"{column} of first")).head(1).iter_rows(named=True):
                first = f"row {self.records['row'][turn['record of first']]} of the same group"
                statement = f"{first} says {shown(turn[f'{column} of first'])}"
                reason = f"{shown(turn[column])} is given here, but {statement}; one of them is damaged"
                raise self.fault(turn, reason, column)
        return turns.group_by("game", maintain_order=True).agg(pl.col(columns).drop_nulls().first())

    def add_turns(self, app: str, turns: pl.DataFrame, fields: Iterable[str]) -> None:
        """Take the turns of an app and the names of its fields; a turn without a seat is an absence.

        Raises
        ------
        LogError
            If one has a seat and no group, or the number of either is none.
        """
        self.fields[app] = list(dict.fromkeys([*self.fields.get(app, ()), *fields]))
        seated = turns.filter(pl.col(SEAT).is_not_null())
        self.absent += len(turns) - len(seated)
        for turn in seated.filter(pl.col(GROUP).is_null()).head(1).iter_rows(named=True):
            raise self.fault(turn, "is empty, and the person has a place in a group; another export's column?", GROUP)
        seats, groups = (self.read(seated, column, _read_place, pl.Int64) for column in (SEAT, GROUP))
        people = self.records.select("person", "session")[seated["record"]]
        seated = seated.with_columns(people["person"], people["session"], seat=seats, number=groups)
        earlier = [self.turns[app]] if app in self.turns else []
        self.turns[app] = pl.concat([*earlier, seated], how="diagonal").sort("record", "block")


def differs(one: str, other: str) -> pl.Expr:
    """Return whether two columns of text say different things: 1 and 1.0 say the same, and nothing is no text."""
    numbers = [pl.col(name).str.strip_chars().cast(pl.Float64, strict=False) for name in (one, other)]
    return pl.col(one).ne_missing(pl.col(other)) & ~numbers[0].eq(numbers[1]).fill_null(False)


def read_sheets(files: Iterable[Path], intake: Intake, *, label: bool, has_demos: bool = False) -> Sheets:
    """Read the exports of a study: wide ones first, then from the others what those lack.

    Parameters
    ----------
    files
        Tables; those that are not an export of oTree's are left out.
    intake
        Told what was read.
    label
        Whether the people's labels are wanted.
    has_demos
        Whether people of demonstrations are read beside others.
    """
    sheets = Sheets()
    exports: dict[Kind, list[Table]] = {"wide": [], "app": []}
    kinds = {file: kind_of(file) for file in files}
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
            (sheets.chat if kind == "chat" else sheets.pages).extend(rows_of(table, Row))
        elif len(table.rows):  # a header alone has columns, and no cell to read; the intake has recorded it
            exports[kind].append(table)
    tables = [table for of in exports.values() for table in of]
    sheets.are_demos_out = not has_demos and any(_IS_NO_DEMO & _words_of(table, DEMO) for table in tables)
    if exports["wide"]:
        _take_wide(sheets, exports["wide"], intake)
    for export in exports["app"]:
        _take_app(sheets, export, intake)
    for file in in_order:
        if kinds[file] == "none":
            intake.leave_out(file, 0, "is not one of oTree's own exports; a mapping may read it")
    return sheets


def _read_from_one(row: Row, column: str, what: str) -> int:
    """Return a whole number that is counted from 1."""
    value = row.whole(column)
    if value is None or value < 1:
        raise row.fault(f"{shown(value)} {what}", column)
    return value


def _read_place(row: Row, column: str) -> int:
    return _read_from_one(row, column, "is not a number of a group or of a player in it")


def _read_round(row: Row, column: str) -> int:
    return _read_from_one(row, column, "is not a round")


def _rows_of_people(sheets: Sheets, table: Table, intake: Intake) -> pl.DataFrame:
    """Return the rows of an export, in which each names a person and a session; raises LogError if one does not."""
    names = [name for name in table.names if "." in name]
    cells = {name: pl.Series(name, table.cells[name]) for name in names if name in table.cells}
    cells = {name: texts for name, texts in cells.items() if not _are_lists(texts, intake)}
    frame = pl.DataFrame(cells).select(
        pl.lit(len(sheets.files)).alias("file"),
        pl.Series("row", np.asarray(table.rows)),
        *(pl.when(pl.col(name).str.contains(r"\S")).then(pl.col(name)).alias(name) for name in cells),
        *(pl.lit(None, pl.String).alias(name) for name in names if name not in cells),
    )
    sheets.files.append(table.file)
    for row in frame.filter(pl.any_horizontal(pl.col(CODE, SESSION).is_null())).head(1).iter_rows(named=True):
        column = CODE if row[CODE] is None else SESSION
        reason = "is empty; each row is one person of a session"
        raise LogError(reason, file=table.file, row=row["row"], column=column)
    codes = {"person": pl.col(CODE).str.strip_chars(), "session": pl.col(SESSION).str.strip_chars()}
    return _without_demos(sheets, frame.with_columns(**codes), intake)


def _words_of(table: Table, name: str) -> set[str]:
    """Return what the cells of a column say, if it is there."""
    texts = pl.Series(table.cells.get(name, []), dtype=pl.String)
    return set(texts.drop_nulls().str.strip_chars().str.to_lowercase())


def _without_demos(sheets: Sheets, rows: pl.DataFrame, intake: Intake) -> pl.DataFrame:
    """Leave out the people of demonstrations, each with the reason, where others played as well."""
    if not sheets.are_demos_out or DEMO not in rows.columns:
        return rows
    is_demo = pl.col(DEMO).str.strip_chars().str.to_lowercase().is_in(_IS_DEMO).fill_null(value=False)
    for row in rows.filter(is_demo)["row"]:
        reason = f'a person of a demonstration ({DEMO}), beside others; `negstats.load(..., demo="in")` reads these too'
        intake.leave_out(sheets.files[-1], row, reason)
    return rows.filter(~is_demo)


def _are_lists(texts: pl.Series, intake: Intake) -> bool:
    """Whether the first words of a column are lists of several elements, as fields of all offers of a group are."""
    if not texts.str.contains("[", literal=True).any():
        return False
    words = texts.str.strip_chars().unique(maintain_order=True)
    words = words.filter(words != "")[:_LOOKED]
    is_list = words.str.starts_with("[") & words.str.ends_with("]")
    if not is_list.all() or not words.str.contains(",", literal=True).any():
        return False
    intake.notes.append(
        f"{texts.name} holds lists, which are not read; `negstats map` begins a mapping that reads them"
    )
    return True


def _add_records(sheets: Sheets, rows: pl.DataFrame, tables: Iterable[Table]) -> pl.DataFrame:
    """Take the rows of exports as records, and return them with their places among these."""
    names = dict.fromkeys(name for table in tables for name in table.names if name.startswith(_LEVELS_OF_PEOPLE))
    sheets.columns |= {name: None for name in names if rows[name].null_count() < len(rows)}
    rows = rows.with_row_index("record", len(sheets.records))
    own = rows.select("record", "file", "row", "person", "session", *names)
    sheets.records = pl.concat([sheets.records, own], how="diagonal") if len(sheets.records) else own
    return rows


def _blocks(table: Table) -> list[_Block]:
    """Return the apps and rounds of a wide export."""
    blocks: dict[str, _Block] = {}
    for name in table.names:
        if part := WIDE.fullmatch(name):
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


@dataclass(frozen=True, slots=True)
class _Block:
    """The columns of one app and round in a wide export, each with its field."""

    prefix: str
    app: str
    number: int
    columns: dict[str, str]


def _take_wide(sheets: Sheets, tables: Sequence[Table], intake: Intake) -> None:
    """Take the turns of wide exports; a second row of a person has to say the same, and is left out."""
    sheets.wide = True
    blocks: dict[str, _Block] = {}
    for table in tables:
        for block in _blocks(table):
            blocks.setdefault(block.prefix, block).columns.update(block.columns)
    every_row = pl.concat([_rows_of_people(sheets, table, intake) for table in tables], how="diagonal").with_row_index(
        "place"
    )
    is_first = every_row["person"].is_first_distinct()
    _leave_out_repeats(sheets, every_row, is_first, intake)
    rows = _add_records(sheets, every_row.filter(is_first), tables)
    for app in dict.fromkeys(block.app for block in blocks.values()):
        pieces, fields = [], dict[str, None]()
        for block in (block for block in blocks.values() if block.app == app):
            cells = [pl.col(name).alias(of) for name, of in block.columns.items()]
            place = [pl.lit(len(sheets.prefixes)).alias("block"), pl.lit(block.number, pl.Int64).alias("round")]
            empty = [] if GROUP in block.columns.values() else [pl.lit(None, pl.String).alias(GROUP)]
            pieces.append(rows.select("record", *place, *cells, *empty))
            fields |= dict.fromkeys(block.columns.values())
            sheets.prefixes.append(block.prefix)
        sheets.add_turns(app, pl.concat(pieces, how="diagonal"), fields)


def _leave_out_repeats(sheets: Sheets, rows: pl.DataFrame, is_first: pl.Series, intake: Intake) -> None:
    """Leave out the rows of people that have one already; raises LogError if one says something else."""
    later = rows.filter(~is_first)
    if later.is_empty():
        return
    first_places = later.join(rows.filter(is_first), on="person", suffix=" of first", maintain_order="left")
    first = rows[first_places["place of first"]]
    columns = [name for name in rows.columns if "." in name]
    is_other = pl.any_horizontal(later[name].ne_missing(first[name]) for name in columns)
    pairs = later.select("file", "row", CODE, other=is_other)
    for row, first_file, first_row in zip(pairs.iter_rows(named=True), first["file"], first["row"], strict=True):
        file, name = sheets.files[row["file"]], sheets.files[first_file].name
        if row["other"]:
            reason = f"{shown(row[CODE].strip())} is also in {name}, row {first_row}"
            text = f"{reason}, with other values; load the newer file"
            raise LogError(text, file=file, row=row["row"], column=CODE)
        intake.leave_out(file, row["row"], f"the same row as in {name}")


def _take_app(sheets: Sheets, table: Table, intake: Intake) -> None:
    """Take the turns of an app's own export that no file before it holds."""
    fields = [name for name in table.names if name.startswith(_LEVELS)]
    rows = _add_records(sheets, _rows_of_people(sheets, table, intake), [table])
    without_round = rows.filter(pl.col(_ROUND).is_null()) if _ROUND in rows.columns else rows
    for row in without_round.head(1).iter_rows(named=True):
        _read_round(sheets.row({"record": row["record"]}, _ROUND), _ROUND)
    empty = [] if GROUP in fields else [pl.lit(None, pl.String).alias(GROUP)]
    entries = rows.select(
        "record", "person", sheets.read(rows, _ROUND, _read_round, pl.Int64).alias("round"), *fields, *empty, block=0
    )
    app = _app_called(_DATE.sub("", table.file.stem), sheets, fields, entries)
    pairs = _beside(sheets, app, entries)
    common = [name for name in fields if name in sheets.fields.get(app, ())]
    _note_differences(sheets, pairs, common, intake)
    people = {person for turns in sheets.turns.values() for person in turns["person"]} if app in sheets.fields else ()
    is_known = pl.col("record").is_in(pairs["record"].implode())
    is_repeat = pl.when(pl.col(SEAT).is_null()).then(pl.col("person").is_in(people)).otherwise(is_known)
    earlier = {sheets.records["file"][record] for turns in sheets.turns.values() for record in turns["record"]}
    names = sorted({sheets.files[file].name for file in earlier})
    reason = f"the same rows as {' and '.join(name.rpartition('.')[0] for name in names)}"
    repeats = rows.filter(entries.select(is_repeat).to_series())
    if len(repeats) == len(rows):
        intake.leave_out(table.file, 0, reason)
        return
    for row in repeats["row"]:
        intake.leave_out(table.file, row, reason)
    fresh = entries.join(repeats, on="record", how="anti", maintain_order="left")
    sheets.add_turns(app, fresh.drop("person"), fields)


def _beside(sheets: Sheets, app: str, entries: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of an export that an app has already, by person and round, with the turns there."""
    known_turns = sheets.turns.get(app)
    if known_turns is None:
        return entries.clear()
    known_turns = known_turns.unique(["person", "round"], keep="last", maintain_order=True)
    return entries.join(known_turns, on=["person", "round"], suffix=_KNOWN, maintain_order="left")


_KNOWN = " of the turn"  # after the name of a column of a turn that is known, beside the same of a row


def _note_differences(sheets: Sheets, pairs: pl.DataFrame, fields: Sequence[str], intake: Intake) -> None:
    """Note rows of a second file that say something else of a person in a round than the file that is read."""
    if pairs.is_empty() or not fields:
        return
    differing = pairs.filter(pl.any_horizontal(differs(name, name + _KNOWN) for name in fields))
    for row in differing.head(1).iter_rows(named=True):
        name = next(name for name in fields if len(differing[:1].filter(differs(name, name + _KNOWN))))
        place = sheets.row(row, name)
        known_file = sheets.row({"record": row["record" + _KNOWN]}, name).file
        intake.notes.append(
            f"{len(differing)} rows of {place.file.name} differ from {known_file.name}, which is read "
            f"(row {place.row}: {name} is {shown(row[name])}, not {shown(row[name + _KNOWN])}): is one of them older?"
        )


def _app_called(stem: str, sheets: Sheets, columns: Sequence[str], entries: pl.DataFrame) -> str:
    """Return the app of a file: as the file is called, or one that was read with the same people, rounds and fields.

    A file that was renamed (``ultimatum (1).csv``, ``data.csv``) holds no second game of each group.
    """
    fields = set(columns)
    if stem in sheets.fields or (fields <= _OF_EVERY_APP and not sheets.wide):  # nothing tells such apps apart
        return stem
    for app, app_fields in sheets.fields.items():
        if fields == set(app_fields):
            pairs = _beside(sheets, app, entries)
            if (
                len(pairs)
                and not pairs.select(pl.any_horizontal(differs(name, name + _KNOWN) for name in fields).any()).item()
            ):
                return app
    return stem
