"""Reading a mapping file strictly: an unknown key is refused with the nearest known one.

What each key means to the log is told in `negstats.loaders.mapping`.
"""

from __future__ import annotations

import codecs
import itertools
import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import pandas as pd

from negstats.errors import LogError, meant, shown
from negstats.loaders.files.tabular import Form, Long
from negstats.loaders.mapping import patterns
from negstats.loaders.mapping.beside import Beside
from negstats.loaders.mapping.keys import text
from negstats.loaders.mapping.model import KEYS, LEVELS, ROLES, ROWS, Atom, Mapping, Part, Row, Source, Sources, Where
from negstats.loaders.mapping.open_questions import parse_open
from negstats.loaders.mapping.own_measures import (
    ordered_levels,
    own_measures,
    place_of,
    refuse_two_meanings,
    wrong_level,
)
from negstats.loaders.mapping.thresholds import responder_of
from negstats.loaders.reading.spellings import known_as
from negstats.tables import TABLES
from negstats.toml_text import MOST_BYTES, Place, TomlError, lines_of, read_toml

Table: TypeAlias = dict[str, Any]

_SETTINGS: dict[str, dict[str, type]] = {
    "players": {"points_from_deal": bool, "points_without_deal": float},
    "offers": {"items_to": str, "last_is_deal": bool, "accept_at": dict, "accepts_needed": object},
}
_OPTIONS: dict[str, type] = {"scale": float, "clock": bool, "format": str, "take": str}
_CELLS = ("clean", "missing")  # options that any column may have
_ANSWERS = ("answers", "person")  # sections of what people answered
_NUMBERS = ("number", "integer")
_ORDERED = (*_NUMBERS, "time")
_ANY = (*_ORDERED, "text", "boolean")
_SEAT = (*(key for key in KEYS["players"] if key != "player"), "value", "units", "vote")
_SEAT_SECTIONS = ("items", "answers", "person")
_ITEM = ("to_proposer", "to_responder", "option", "total")
_MOST_HEADERS = 100
_MOST_SEATS = 1_000
_NO_ENCODINGS = {"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"}  # text, but of no file
_OPEN = ("factors", "measures")
_TAKES = {"first": _ANY, "last": _ANY, "min": _ORDERED, "max": _ORDERED, "sum": _NUMBERS}
_FORM = (
    "sheet",
    "sheets",
    "encoding",
    "delimiter",
    "header",
    "header_rows",
    "first_row",
    "group_row",
    "rows",
    "rows_once",
    "long",
)
_THOUSANDS = (".", ",", "'", " ", "\u00a0", "\u2009", "\u202f")
_CONTENT = ("seats", "items", "item", "values")
_PART = (
    "row",
    "files",
    "beside",
    *_FORM,
    "decimal",
    "thousands",
    "missing",
    "event",
    "where",
    "each",
    *KEYS,
    *_CONTENT,
)
_TOP = ("study", "levels", "accept", "leave_out_bad_games", "open", "part", *_PART)
_WHERE = ("not", "from", "to", "empty")
_MOST_PARTS = 1_000  # that `each` makes of one, and that a mapping has
_LONGEST_MARK = 200  # characters of a word of `each`
_LONGEST_TEXT = 10_000  # characters of a text in which it stands


def parse(text: str, file: Path, sha256: str) -> Mapping:
    """Make a `Mapping` of TOML text.

    Raises
    ------
    LogError
        If it is not TOML, or a key or value is not one that it may have; names the key and the nearest known one.
    """
    try:
        content = read_toml(text)
    except TomlError as error:
        raise LogError(f"{_line(error.line)}{error.reason}", file=file) from None
    return _Reader(file, sha256, {_place(path): line for path, line in lines_of(text).items()}).mapping(content)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the tables of one mapping file; `where` in its methods is the place in the file, for errors."""

    file: Path
    sha256: str
    lines: Dict[str, int]

    def fault(self, where: str, reason: str, key: str = "") -> LogError:
        """Return the error of a place, on the line of a `key` in it or, without one, of the nearest table."""
        places = [_at(where, key)] if key else []
        place = where
        while place:
            places.append(place)
            place = max(place.rpartition(".")[0], place.rpartition(", ")[0], key=len)
        line = next((self.lines[one] for one in places if one in self.lines), None)
        return LogError(_line(line) + (f"{where}: {reason}" if where else reason), file=self.file)

    def mapping(self, content: Table) -> Mapping:
        if "questions" in content:
            raise self.fault("", "is a plan, which asks questions of a study; `negstats map LOG` drafts a mapping")
        self.known("", content, _TOP)
        part_content = {key: value for key, value in content.items() if key in _PART}
        parts = content.get("part", [part_content])
        if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
            raise self.fault("part", "write each part as [[part]] and its sections as [part.games], ...")
        if part_content and "part" in content:
            raise self.fault(
                next(iter(part_content)), "is outside of [[part]]; write it in the parts that it belongs to"
            )
        part_list: list[Part] = []
        length = 0
        for place, part in enumerate(parts, start=1):
            where = f"part {place}" if "part" in content else ""
            self.known(where, part, _PART)
            for one in self.each(where, part):
                length += _length(one)
                if length > MOST_BYTES:
                    reason = (
                        f"the parts have more than {MOST_BYTES / 1e6:g} MB of text, what `each` makes of them counted"
                    )
                    raise self.fault(where or "each", reason)
                part_list.append(self.part(where, one))
            if len(part_list) > _MOST_PARTS:
                raise self.fault("part", f"there are more than {_MOST_PARTS:,} parts, those of each counted")
        refuse_two_meanings(part_list, self.fault)
        study = self.typed("study", content["study"], str) if "study" in content else None
        levels = self.levels(content.get("levels", {}), part_list)
        ranked_names: set[str] = set()
        for part in parts:
            for name, ranks in ordered_levels(part.get("measures", {}), "measures", self.fault).items():
                if levels.setdefault(name, ranks) != ranks:
                    raise self.fault(f"measures.{name}.levels", "the levels are given twice, and differ")
                ranked_names.add(name)
        ordered_names = [name for part in part_list for name, own in part.own.items() if own.kind == "ordered"]
        for name in ordered_names:
            if name in levels and name not in ranked_names:
                reason = f'does not say the order; write levels = ["low", "high"] in [measures.{name}] instead'
                raise self.fault(f"levels.{name}", reason)
        leave_out = self.typed("leave_out_bad_games", content.get("leave_out_bad_games", False), bool)
        accept = tuple(self.texts("accept", content.get("accept", [])))
        questions = parse_open(content.get("open", []), self.fault)
        return Mapping(self.file, self.sha256, study, levels, tuple(part_list), leave_out, accept, questions)

    def each(self, where: str, part: Table) -> Iterator[Table]:
        """Yield the part once for each combination of its ``each``, with {name} replaced in its texts."""
        variables = self.table(_at(where, "each"), part.get("each", {}))
        for name, values in variables.items():
            if not isinstance(values, list) or not values:
                raise self.fault(_at(where, "each"), f"{name} must be a list such as [1, 2, 3]")
            for value in values:
                if not isinstance(value, (str, int, float)) or len(str(value)) > _LONGEST_MARK:
                    reason = f"{shown(value)} is neither a word of at most {_LONGEST_MARK} characters nor a number"
                    raise self.fault(_at(where, f"each.{name}"), reason)
        count = math.prod(map(len, variables.values()))
        if count > _MOST_PARTS:
            raise self.fault(_at(where, "each"), f"makes {count:,} parts of one; at most {_MOST_PARTS:,} are read")
        content = {key: value for key, value in part.items() if key != "each"}
        for values in itertools.product(*variables.values()):
            marks = {f"{{{name}}}": str(value) for name, value in zip(variables, values, strict=True)}
            yield cast(Table, _replaced(content, marks))

    def part(self, where: str, content: Table) -> Part:
        new_part = Part(
            row=self.row(where, content.get("row")),
            files=self.files(_at(where, "files"), content.get("files", [])),
            beside=self.besides(where, content),
            form=self.form(where, content),
            decimal=self.one_of(_at(where, "decimal"), content.get("decimal", "."), (".", ",")),
            thousands=self.thousands(where, content),
            missing=frozenset(self.texts(_at(where, "missing"), content.get("missing", []))),
            event=self.source(where, "event", content["event"]) if "event" in content else None,
            where=tuple(
                self.condition(_at(where, "where"), name, value) for name, value in self.under(where, content, "where")
            ),
            sections={name: self.section(_at(where, name), content.get(name, {}), name) for name in KEYS},
            seats={
                name: self.seat(_at(where, f"seats.{name}"), seat) for name, seat in self.under(where, content, "seats")
            },
            items={
                name: self.sources(_at(where, f"items.{name}"), item, _ITEM)
                for name, item in self.under(where, content, "items")
            },
            item=self.one_item(_at(where, "item"), content.get("item", {})),
            worths={
                name: self.worths(_at(where, f"values.{name}"), it) for name, it in self.under(where, content, "values")
            },
            roles=self.roles(_at(where, "factors"), content.get("factors", {})),
            own=own_measures(content.get("measures", {}), _at(where, "measures"), self.fault),
            **self.settings(where, content),
        )
        self.complete(where, new_part)
        return new_part

    def roles(self, where: str, content: object) -> dict[str, str]:
        """Return what a mapping says that factors are."""
        sources = content if isinstance(content, dict) else {}
        roles_by_source = {
            name: value["role"] for name, value in sources.items() if isinstance(value, dict) and "role" in value
        }
        return {name: self.one_of(f"{where}.{name}.role", role, ROLES) for name, role in roles_by_source.items()}

    def row(self, where: str, value: object) -> Row:
        if value is None:
            raise self.fault(
                where, f'row is needed: what one row of the log is, such as row = "offer" ({", ".join(ROWS)})'
            )
        return cast(Row, self.one_of(_at(where, "row"), value, ROWS))

    def form(self, where: str, content: Table) -> Form:
        kinds: dict[str, type] = {"sheet": str, "encoding": str, "delimiter": str}
        kinds |= {"header": int, "header_rows": int, "first_row": int, "group_row": int}
        form_settings = {key: self.typed(_at(where, key), content[key], kinds[key]) for key in kinds if key in content}
        rows = self.lists_of_rows(_at(where, "rows"), content.get("rows", []))
        rows_once = tuple(self.texts(_at(where, "rows_once"), content.get("rows_once", [])))
        sheets = tuple(self.texts(_at(where, "sheets"), content.get("sheets", [])))
        if sheets and "sheet" in content:
            raise self.fault(_at(where, "sheets"), "is given together with sheet; give only one of them")
        if rows_once and not rows:
            raise self.fault(_at(where, "rows_once"), 'is for logs with lists: rows = "..." names their column')
        form = Form(**form_settings, sheets=sheets, rows=rows, rows_once=rows_once, long=self.long(where, content))
        if form.long is not None and rows:
            raise self.fault(
                _at(where, "long"), "is for a row of one measure each, and rows for rows of lists; give one"
            )
        if len(form.delimiter or ",") != 1:
            raise self.fault(_at(where, "delimiter"), f"{shown(form.delimiter)} is not one character")
        if form.header < 1 or form.start <= form.header:
            raise self.fault(_at(where, "header"), "rows are counted from 1, and first_row comes after header")
        if form.group_row is not None and not 1 <= form.group_row < form.header:
            raise self.fault(_at(where, "group_row"), "is a row above header, counted from 1")
        if "header_rows" in form_settings and (
            "first_row" in form_settings or not form.header <= form_settings["header_rows"] < _MOST_HEADERS
        ):
            reason = "is the number of rows above the data, including the row of names; leave out first_row"
            raise self.fault(_at(where, "header_rows"), reason)
        if form.delimiter is not None and form.delimiter in '"\r\n\0':
            raise self.fault(_at(where, "delimiter"), f"{shown(form.delimiter)} separates no cells")
        try:
            name = codecs.lookup(form.encoding).name
            fits = isinstance(b"".decode(form.encoding), str) and "a,1\n".encode(form.encoding).decode(name) == "a,1\n"
        except (LookupError, ValueError, TypeError):
            fits = False
        if not fits or name in _NO_ENCODINGS:
            raise self.fault(_at(where, "encoding"), f"{shown(form.encoding)} is not an encoding; utf-8, cp1252, ...")
        return form

    def lists_of_rows(self, where: str, lists: object) -> tuple[str, ...]:
        """Return the columns whose lists are rows: one, or a list of them."""
        rows = tuple(self.typed(where, name, str) for name in (lists if isinstance(lists, list) else [lists]))
        if len(set(rows)) < len(rows):
            raise self.fault(where, "names a column twice")
        return rows

    def long(self, where: str, content: Table) -> Long | None:
        """Return the columns of a row for each measure: `{ measure = "what", value = "value", by = "id" }`."""
        if "long" not in content:
            return None
        place = _at(where, "long")
        table = self.table(place, content["long"])
        self.known(place, table, ("measure", "value", "by"))
        by = table.get("by")
        names = [by] if isinstance(by, str) else self.texts(f"{place}.by", by or [])
        if not names:
            raise self.fault(f"{place}.by", "is needed: the columns that name whose measure a row is")
        one, other = (self.typed(f"{place}.{key}", table.get(key), str) for key in ("measure", "value"))
        return Long(one, other, tuple(names))

    def thousands(self, where: str, content: Table) -> str | None:
        if "thousands" not in content:
            return None
        sign = self.one_of(_at(where, "thousands"), content["thousands"], _THOUSANDS)
        if sign == content.get("decimal", "."):
            raise self.fault(_at(where, "thousands"), f"{shown(sign)} is the decimal sign; write decimal too")
        return sign

    def files(self, where: str, value: object) -> tuple[str, ...]:
        patterns = value if isinstance(value, list) else [value]
        if not all(isinstance(pattern, str) and pattern and "\0" not in pattern for pattern in patterns):
            raise self.fault(
                where, f'{shown(value)} is not a pattern for files such as "sessions/*.csv", nor a list of them'
            )
        return tuple(patterns)

    def besides(self, where: str, content: Table) -> tuple[Beside, ...]:
        """Return the tables beside a part: `{ files = "people.csv", by = "pid" }`, or a list of such."""
        place, value = _at(where, "beside"), content.get("beside", [])
        return tuple(self.beside(place, each) for each in (value if isinstance(value, list) else [value]))

    def beside(self, place: str, value: object) -> Beside:
        """Return one table beside a part."""
        table = self.table(place, value)
        self.known(place, table, ("files", "by", "prefix", *_FORM))
        by = table.get("by")
        columns = by if isinstance(by, dict) else {name: name for name in ([by] if isinstance(by, str) else by or [])}
        if not columns or not all(isinstance(name, str) and name for pair in columns.items() for name in pair):
            raise self.fault(
                f"{place}.by", 'is needed: the column that names rows in both tables, or { pid = "ID" } if they differ'
            )
        if "files" not in table and "sheet" not in table:
            raise self.fault(place, 'needs files = "people.csv", or sheet = "People" in the same workbook')
        form = self.form(place, {key: table[key] for key in _FORM if key in table})
        prefix = table.get("prefix", "")
        if not isinstance(prefix, str):
            raise self.fault(f"{place}.prefix", f"{shown(prefix)} is no text with which names of columns begin")
        return Beside(self.files(f"{place}.files", table.get("files", [])), form, tuple(columns.items()), prefix)

    def condition(self, where: str, name: str, value: object) -> Where:
        source = Source(name, f"{where}.{name}", (Atom("column", name),))
        if not isinstance(value, dict):
            return Where(source, frozenset(map(known_as, self.texts(source.key, value))))
        self.known(source.key, value, _WHERE)
        if set(value) == {"not"}:
            return Where(source, frozenset(map(known_as, self.texts(source.key, value["not"]))), but=True)
        if set(value) == {"empty"}:
            return Where(source, empty=self.typed(f"{source.key}.empty", value["empty"], bool))
        if value and set(value) <= {"from", "to"}:
            ends = {key: float(self.typed(f"{source.key}.{key}", value[key], float)) for key in value}
            return Where(source, least=ends.get("from", -math.inf), most=ends.get("to", math.inf))
        ways = "texts, { not = [...] }, { from = 1, to = 9 } or { empty = false }"
        raise self.fault(source.key, f"{shown(value)} is not a condition; write {ways}")

    def settings(self, where: str, content: Table) -> Table:
        settings = {}
        for section, kinds in _SETTINGS.items():
            section_content = content.get(section, {})
            for key in kinds.keys() & section_content.keys():
                settings[key] = self.typed(_at(where, f"{section}.{key}"), section_content[key], kinds[key])
        if "accepts_needed" in settings:
            self.check_accepts_needed(_at(where, "offers.accepts_needed"), settings["accepts_needed"])
        if "accept_at" in settings:
            settings["accept_at"] = self.prefix(_at(where, "offers.accept_at"), settings["accept_at"])
        return settings

    def check_accepts_needed(self, where: str, value: object) -> None:
        """Refuse what is not a number of seats."""
        is_number = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MOST_SEATS
        if not is_number and value not in ("majority", "all"):
            raise self.fault(where, f'{shown(value)} is not a number of seats; write such as 2, or "majority" or "all"')

    def prefix(self, where: str, content: Table) -> str:
        self.known(where, content, ("prefix",))
        prefix: str = self.typed(f"{where}.prefix", content.get("prefix"), str)
        if not prefix:
            raise self.fault(f"{where}.prefix", 'is what the names begin with, as "accept_" of accept_0, accept_1')
        return prefix

    def section(self, where: str, content: object, name: str) -> Sources:
        settings = _SETTINGS.get(name, {})
        table = self.table(where, content)
        self.known(where, table, (*KEYS[name], *settings) if KEYS[name] else ())
        clash = next((key for key in table if name in _OPEN and key in TABLES["games"].names), None)
        if clash:
            raise self.fault(
                where, f"{clash} is a column of the games; write it in [games], or give the {name[:-1]} another name"
            )
        if name == "measures":
            table = {key: place_of(value) for key, value in table.items()}
        if name == "factors":
            table = {key: place_of(value, ("role",)) for key, value in table.items()}
        sources = {key: self.source(where, key, value) for key, value in table.items() if key not in settings}
        if name in _ANSWERS:
            sources = _with_items(sources)
        return _spelled_as(sources) if name == "offers" else sources

    def seat(self, where: str, content: object) -> dict[str, Sources]:
        table = self.table(where, content)
        self.known(where, table, (*_SEAT, *_SEAT_SECTIONS))
        sources = self.sources(where, {key: table[key] for key in table if key in _SEAT}, _SEAT)
        seat = {"players": _spelled_as(sources)}
        rest = {key: self.sources(f"{where}.{key}", table.get(key, {}), ()) for key in _SEAT_SECTIONS}
        return seat | {key: _with_items(sources) if key in _ANSWERS else sources for key, sources in rest.items()}

    def sources(self, where: str, content: object, keys: tuple[str, ...]) -> Sources:
        table = self.table(where, content)
        self.known(where, table, keys)
        return {key: self.source(where, key, value) for key, value in table.items()}

    def one_item(self, where: str, content: object) -> Sources:
        """Read what a row says of the item that it is; its name is a word of the items."""
        sources = self.sources(where, content, ("name", *_ITEM))
        return {key: replace(source, name="item") if key == "name" else source for key, source in sources.items()}

    def worths(self, where: str, content: object) -> dict[tuple[str, str | None], Source]:
        worths: dict[tuple[str, str | None], Source] = {}
        for item, value in self.table(where, content).items():
            options = value if isinstance(value, dict) else {None: value}
            for option, worth in options.items():
                worths[item, option] = self.source(where, item, worth)
        return worths

    def source(self, where: str, name: str, value: object) -> Source:
        key = _at(where, name)
        if not isinstance(value, dict):
            pieces = value if isinstance(value, list) else [value]
            if not pieces:
                raise self.fault(key, "is an empty list; name a column")
            is_answer = where.rpartition(".")[2] in _ANSWERS
            if is_answer and len(pieces) > 1 and all(isinstance(piece, str) for piece in pieces):
                names = ", ".join(map(text, pieces))
                reason = f"would join the texts of {len(pieces)} columns; write {{ mean = [{names}] }} for their mean"
                raise self.fault(key, f"{reason}, or {{ join = [{names}] }} to join them")
            return Source(name, key, tuple(self.atom(key, piece) for piece in pieces))
        section = where.rpartition(".")[2].rpartition(", ")[2]
        if (section in _ANSWERS and "mean" in value) or (section in (*_ANSWERS, "factors") and "join" in value):
            return self.several(name, key, value)
        options = {option: value[option] for option in _OPTIONS if option in value}
        atom = self.atom(key, {what: value[what] for what in value if what not in (*_OPTIONS, *_CELLS)})
        for option, option_value in options.items():
            self.typed(f"{key}.{option}", option_value, _OPTIONS[option])
        self.fitting(key, name, options)
        return Source(name, key, (atom,), **options, **self.cells(key, value, atom))

    def several(self, name: str, key: str, value: Table) -> Source:
        """Return the source of an answer that is made of several columns: their mean, or their texts joined."""
        how = "mean" if "mean" in value else "join"
        self.known(key, value, (how, *_CELLS))
        names = self.texts(f"{key}.{how}", value[how])
        if len(names) < 2 or len(set(names)) < len(names):
            raise self.fault(f"{key}.{how}", f"{shown(value[how])} is not a list of two or more different columns")
        atoms = tuple(Atom("column", column) for column in names)
        return Source(name, key, atoms, is_mean=how == "mean", **self.cells(key, value, atoms[0]))

    def cells(self, key: str, value: Table, atom: Atom) -> Table:
        """Return the options that say what a column's cells are."""
        cell_options: Table = {}
        for option in _CELLS:
            if option in value and atom.kind != "column":
                raise self.fault(f"{key}.{option}", "is for a column")
        if "missing" in value:
            cell_options["missing"] = frozenset(self.texts(f"{key}.missing", value["missing"]))
        if "clean" in value:
            clean_patterns = value["clean"] if isinstance(value["clean"], list) else [value["clean"]]
            for pattern in clean_patterns:
                reason = patterns.fault(self.typed(f"{key}.clean", pattern, str))
                if reason or not pattern:
                    raise self.fault(f"{key}.clean", f"{shown(pattern)} {reason or 'takes nothing out'}")
            cell_options["clean"] = tuple(patterns.spelled(pattern) for pattern in clean_patterns)
        return cell_options

    def fitting(self, key: str, name: str, options: Table) -> None:
        """Refuse an option that the key's values have no use for."""
        kind = "time" if options.get("clock") else _kind(key, name)
        take = self.one_of(f"{key}.take", options.get("take", "last"), _TAKES)
        checks = {
            "scale": kind in _NUMBERS,
            "clock": name == "time_s",
            "format": kind == "time",
            "take": kind in _TAKES[take],
        }
        if "format" in options and not _is_format(options["format"]):
            raise self.fault(f"{key}.format", f"{shown(options['format'])} is not a format such as %d/%m/%Y %H:%M:%S")
        for option in options:
            if not checks[option]:
                raise self.fault(f"{key}.{option}", f"is not for {'an' if kind == 'integer' else 'a'} {kind}")

    def atom(self, key: str, value: object) -> Atom:
        match value:
            case str():
                return Atom("column", value)
            case int() | float() if not isinstance(value, bool):
                return Atom("constant", str(value))
            case {"column": str(name), **rest} if not rest:
                return Atom("column", name)
            case {"constant": bool() | str() | int() | float() as constant, **rest} if not rest:
                return Atom("constant", str(constant))
            case {"file": True, **rest} if not rest:
                return Atom("file")
            case {"file": str(pattern), **rest} if not rest:
                return Atom("file", self.pattern(key, pattern))
            case {"folder": int(place), **rest} if not rest and not isinstance(place, bool) and place > 0:
                return Atom("folder", str(place))
            case {"row": True, **rest} if not rest:
                return Atom("row")
        ways = (
            'a column\'s name, a number, { column = "..." }, { constant = "..." }, { file = true }, { folder = 1 } '
            "or { row = true }"
        )
        raise self.fault(key, f"{shown(value)} names no place in the log; write {ways}, or a list of these")

    def pattern(self, key: str, pattern: str) -> str:
        reason: str | None = "must have one group in parentheses, the part of the file's path that is meant"
        if pattern:
            groups = patterns.groups(pattern)
            if groups is not None and groups <= 1:
                reason = patterns.fault(pattern)
                if reason is None:
                    return pattern
            elif groups is None:
                reason = patterns.fault(pattern) or "is not a regular expression"
        raise self.fault(key, f"{shown(pattern)} {reason}")

    def levels(self, content: object, parts: Sequence[Part]) -> dict[str, dict[str, str]]:
        names = {source.name for part in parts for source in part.sources()} | {"player", "event", "response"}
        table = self.table("levels", content)
        self.known("levels", table, sorted(names))
        return {name: self.spellings(f"levels.{name}", levels, name) for name, levels in table.items()}

    def spellings(self, where: str, content: object, name: str) -> dict[str, str]:
        table = self.table(where, content)
        self.known(where, table, LEVELS.get(name, ()))
        levels_by_spelling: dict[str, str] = {}
        for level, spellings in table.items():
            for spelling in self.texts(f"{where}.{level}", spellings):
                if levels_by_spelling.setdefault(known_as(spelling), level) != level:
                    raise self.fault(
                        where, f"{shown(spelling)} is both {levels_by_spelling[known_as(spelling)]} and {level}"
                    )
        return {known_as(level): level for level in table} | levels_by_spelling

    def complete(self, where: str, part: Part) -> None:
        """Refuse a part that lacks what its kind of row needs."""
        sections = part.sections
        needs = [
            (
                "games.game_id",
                "game_id" in sections["games"],
                'the column, or columns, that name the game: game_id = "..."',
            ),
            ("event", part.row != "event" or part.event, 'the column that says what a row is: event = "..."'),
            (
                "players.player",
                part.row != "player" or "player" in sections["players"],
                "the column that names the seat",
            ),
            ("item.name", part.row != "item" or "name" in part.item, 'the column that names the item: name = "issue"'),
            ("messages.text", part.row != "message" or sections["messages"], "the column with what was said"),
        ]
        for key, is_there, what in needs:
            if not is_there:
                raise self.fault(_at(where, key), f"is needed: {what}")
        self.check_row_kind(where, part)
        self.check_votes(where, part)
        if (sections["answers"] or sections["person"]) and "participant_id" not in sections["players"]:
            raise self.fault(
                _at(where, "players.participant_id"), "is needed for answers: the column that names the person"
            )
        if part.accept_at or "accept_from" in sections["offers"]:
            self.answering(where, part)
        both = next((name for name in sections["measures"] if name in sections["factors"]), None)
        if both:
            raise self.fault(_at(where, "measures"), f"{both} is a factor too; give one of them another name")
        for name in part.own:
            reason = wrong_level(part, name)
            if reason:
                raise self.fault(_at(where, f"measures.{name}.per"), reason)
        for name, seat in part.seats.items():
            if (seat["answers"] or seat["person"]) and "participant_id" not in seat["players"]:
                raise self.fault(_at(where, f"seats.{name}.participant_id"), "is needed for the seat's answers")

    def check_row_kind(self, where: str, part: Part) -> None:
        """Refuse fields of a part that its kind of row does not have."""
        if part.row == "item" and not {"to_proposer", "to_responder", "option"} & part.item.keys():
            raise self.fault(
                _at(where, "item"), "needs to_proposer, to_responder or option: what is offered of the item"
            )
        if part.item and part.row != "item":
            raise self.fault(
                _at(where, "item"), 'is for logs with row = "item"; write [items.NAME] for an item\'s columns'
            )
        if part.items and part.row == "item":
            raise self.fault(_at(where, "items"), 'a row is an item here; write [item] with its name = "..."')
        if part.event and part.row != "event":
            raise self.fault(_at(where, "event"), 'is for logs with row = "event" only')

    def check_votes(self, where: str, part: Part) -> None:
        """Refuse votes of which it is not said how many must accept, and a number of votes without votes."""
        offers = part.sections["offers"]
        of_seats = next((name for name, seat in part.seats.items() if "vote" in seat["players"]), None)
        for key in ("vote", "voted_on"):
            if key in offers and part.row != "player":
                reason = 'is for row = "player"; where a row has the votes of all, write vote in [seats.NAME]'
                raise self.fault(_at(where, f"offers.{key}"), reason)
        if of_seats is not None and part.row not in ("offer", "game"):
            raise self.fault(_at(where, f"seats.{of_seats}.vote"), 'is for row = "offer" or "game"')
        if "voted_on" in offers and "vote" not in offers:
            raise self.fault(_at(where, "offers.voted_on"), 'needs vote = "...", the column of the votes')
        has_votes = of_seats is not None or "vote" in offers or part.row == "event"
        if part.accepts_needed is not None and not has_votes:
            reason = 'needs votes: vote = "..." in [offers] (row = "player") or in [seats.NAME]'
            raise self.fault(_at(where, "offers.accepts_needed"), reason)
        if part.accepts_needed is None and ("vote" in offers or of_seats is not None):
            reason = 'is needed with votes: how many must accept (including the proposer), or "majority" or "all"'
            raise self.fault(_at(where, "offers.accepts_needed"), reason)

    def answering(self, where: str, part: Part) -> None:
        """Refuse amounts that responders would accept where it is not said who these are."""
        both = part.accept_at and "accept_from" in part.sections["offers"]
        if both:
            raise self.fault(
                _at(where, "offers.accept_at"), "is given together with accept_from; give only one of them"
            )
        if part.row == "player":
            people, key = part.sections["players"], "players.participant_id"
        else:
            seat = responder_of(part)
            if seat is None or seat not in part.seats:
                hint = 'needs row = "player", or a constant proposer or responder and [seats.NAME] for both seats'
                raise self.fault(_at(where, "offers.accept_from"), hint)
            people, key = part.seats[seat]["players"], f"seats.{seat}.participant_id"
        if "participant_id" not in people:
            raise self.fault(_at(where, key), "is needed: the least acceptable amount is an answer of the responder")

    def under(self, where: str, content: Table, key: str) -> Iterable[tuple[str, Any]]:
        return self.table(_at(where, key), content.get(key, {})).items()

    def table(self, where: str, value: object) -> Table:
        if not isinstance(value, dict):
            raise self.fault(
                where, f"{shown(value)} is not a section; write [{where.rpartition(' ')[2]}] and its keys below"
            )
        return value

    def known(self, where: str, content: Collection[str], keys: Collection[str]) -> None:
        """Refuse a key that is not one of `keys`; no keys at all means that any will do."""
        for key in content:
            if keys and key not in keys:
                raise self.fault(where, f"there is no key {shown(key)}; {meant(key, keys, 'it may have')}", key)

    def typed(self, where: str, value: Any, kind: type) -> Any:
        fits = isinstance(value, (int, float) if kind is float else kind) and (
            kind is bool or not isinstance(value, bool)
        )
        if not fits or (kind is float and not math.isfinite(value)):
            raise self.fault(where, f"{shown(value)} is not {_SPELLED[kind]}")
        return value

    def one_of(self, where: str, value: object, known: Collection[str]) -> str:
        if not isinstance(value, str) or value not in known:
            raise self.fault(where, f"{shown(value)} is not one of {', '.join(map(repr, known))}")
        return value

    def texts(self, where: str, value: object) -> list[str]:
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(item, (str, int, float)) and not isinstance(item, bool) for item in values):
            raise self.fault(where, f'{shown(value)} is not a list of texts such as ["1", "yes"]')
        return [str(item) for item in values]


def _with_items(sources: Sources) -> Sources:
    """Return the sources of answers; the items of a scale are answers too, by the names of their columns."""
    named = {source.column for source in sources.values() if not source.is_mean}
    items = [item for source in sources.values() if source.is_mean for item in source.items]
    return sources | {
        item.columns[0]: replace(item, name=item.columns[0]) for item in items if item.column not in named
    }


def _spelled_as(sources: Sources) -> Sources:
    """Return sources in which a vote is spelled as a response is, and who is voted on as a proposer."""
    names = {"vote": "response", "voted_on": "proposer"}
    return {key: replace(source, name=names.get(key, source.name)) for key, source in sources.items()}


def _is_format(text: str) -> bool:
    """Whether pandas reads dates and times that are written so."""
    try:
        pd.to_datetime(pd.Series(["2026"], dtype="str"), format=text, utc=True, errors="coerce")
    except (ValueError, TypeError, KeyError, re.error, UnicodeError):
        return False
    return bool(text)


def _kind(key: str, name: str) -> str:
    """Return the kind of a key's values; what is in no table is text, but for what is counted."""
    section = key.rpartition(", ")[2].split(".")[0]
    if section in TABLES and name in TABLES[section].names:
        return TABLES[section][name].kind
    if section == "seats" and name in KEYS["players"]:
        return TABLES["players"][name].kind
    is_number = (
        section in ("items", "values", "measures")
        or name in ("value", "units", "total", "accept_from", "to_proposer", "to_responder")
        or ".items" in key
    )
    return "number" if is_number and name != "option" else "text"


_SPELLED = {
    object: 'a number of seats, "majority" or "all"',
    dict: 'a table such as { prefix = "accept_" }',
    str: "text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


def _line(line: int | None) -> str:
    return "" if line is None else f"line {line}: "


def _place(path: Place) -> str:
    """Return a path of the file as faults name it: ``part 2, offers.accepted``."""
    if path[0] == "part" and len(path) > 1 and isinstance(path[1], int):
        return ", ".join([f"part {path[1] + 1}", *([".".join(map(str, path[2:]))] if path[2:] else [])])
    return ".".join(map(str, path))


def _at(where: str, key: str) -> str:
    """Return the place of `key`; a part is named before its sections."""
    if not where:
        return key
    return f"{where}, {key}" if where.startswith("part ") and "," not in where else f"{where}.{key}"


def _length(value: object) -> int:
    """Return about how many characters a part has as a text."""
    if isinstance(value, dict):
        return sum(len(name) + _length(one) for name, one in value.items())
    return sum(map(_length, value)) if isinstance(value, list) else len(value) if isinstance(value, str) else 1


def _replaced(value: object, marks: Dict[str, str]) -> object:
    match value:
        case str():
            if not marks or len(value) > _LONGEST_TEXT:
                return value
            # In one go: what a mark stands for is a word, and no text with marks of its own.
            return re.sub("|".join(map(re.escape, marks)), lambda mark: marks[mark[0]], value)
        case list():
            return [_replaced(item, marks) for item in value]
        case dict():
            return {_replaced(key, marks): _replaced(item, marks) for key, item in value.items()}
    return value
