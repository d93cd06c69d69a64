"""Reading a mapping file strictly: an unknown key is refused with the nearest known one.

What each key means to the log is told in `negstats.loaders.mapping`.
"""

from __future__ import annotations

import codecs
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from negstats.errors import LogError, shown
from negstats.loaders.files.tabular import Form, Long
from negstats.loaders.mapping.beside import Beside
from negstats.loaders.mapping.complete import refuse_incomplete, refuse_two_meanings
from negstats.loaders.mapping.fields import Field
from negstats.loaders.mapping.model import KEYS, LEVELS, ROLES, ROWS, Atom, Part, Source, Sources, Where
from negstats.loaders.mapping.model import Mapping as LogMapping
from negstats.loaders.mapping.open_questions import parse_open
from negstats.loaders.mapping.own_measures import ordered_levels, own_measures, place_of
from negstats.loaders.mapping.parse_sources import ANSWERS, read_answers, read_source, read_sources, with_same_levels
from negstats.loaders.reading.spellings import known_as
from negstats.tables import TABLES
from negstats.toml_text import MOST_BYTES, TomlError, lines_of, read_toml

# Settings of a section that are no places in the log.
_SETTINGS: dict[str, tuple[str, ...]] = {
    "players": ("points_from_deal", "points_without_deal"),
    "offers": ("items_to", "last_is_deal", "accept_at", "accepts_needed"),
}
_SEAT = (*(key for key in KEYS["players"] if key != "player"), "value", "units", "vote")
_SEAT_SECTIONS = ("items", "answers", "person")
_ITEM = ("to_proposer", "to_responder", "option", "total")
_MOST_HEADERS = 100
_MOST_SEATS = 1_000
_NO_ENCODINGS = {"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"}  # text, but of no file
_OPEN = ("factors", "measures")
_FORM_SETTINGS: dict[str, type] = {
    "sheet": str,
    "encoding": str,
    "delimiter": str,
    "header": int,
    "header_rows": int,
    "first_row": int,
    "group_row": int,
}
_FORM = (*_FORM_SETTINGS, "sheets", "rows", "rows_once", "long")
_THOUSANDS = (".", ",", "'", " ", "\u00a0", "\u2009", "\u202f")
_CONTENT = ("seats", "items", "item", "values")
_PART = (
    "row",
    "files",
    "in_some_files",
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
_MOST_PARTS = 1_000  # that `each` makes of one, and that a mapping has
_LONGEST_MARK = 200  # characters of a word of `each`
_LONGEST_TEXT = 10_000  # characters of a text in which it stands


def parse(text: str, file: Path, sha256: str) -> LogMapping:
    """Make a `Mapping` of TOML text.

    Raises
    ------
    LogError
        If it is not TOML, or a key or value is not one that it may have; names the key and the nearest known one.
    """
    try:
        content = Field(read_toml(text), file, lines_of(text))
    except TomlError as error:
        where = "" if error.line is None else f"line {error.line}: "
        raise LogError(f"{where}{error.reason}", file=file) from None
    if "questions" in content.value:
        raise content.fault("is a plan, which asks questions of a study; `negstats map LOG` drafts a mapping")
    content.known(_TOP)
    written = _parts_as_written(content)
    parts = _read_parts(content, written)
    refuse_two_meanings(parts, content)
    levels = _read_levels(content.get("levels", {}), parts)
    _add_ranks(content, levels, written, parts)
    return LogMapping(
        file,
        sha256,
        content.get("study").typed(str) if "study" in content.value else None,
        levels,
        tuple(parts),
        content.get("leave_out_bad_games", False).typed(bool),
        tuple(content.get("accept", []).texts()),
        parse_open(content.get("open", [])),
    )


# Parts ----------------------------------------------------------------------------------------------------------------


def _parts_as_written(content: Field) -> list[Field]:
    """Return the parts of a mapping; without a [[part]] its own keys are one."""
    own = {key: value for key, value in content.value.items() if key in _PART}
    if "part" not in content.value:
        return [replace(content, value=own)]
    parts = content.get("part")
    if not isinstance(parts.value, list) or not all(isinstance(part, dict) for part in parts.value):
        raise parts.fault("write each part as [[part]] and its sections as [part.games], ...")
    if own:
        raise content.get(next(iter(own))).fault("is outside of [[part]]; write it in the parts that it belongs to")
    return [content.at(("part", place), part) for place, part in enumerate(parts.value)]


def _read_parts(content: Field, written: Sequence[Field]) -> list[Part]:
    """Return the parts, one for each of what `each` makes of them."""
    parts: list[Part] = []
    length = 0
    for part in written:
        part.known(_PART)
        for one in _repeat(part):
            length += _length(one.value)
            if length > MOST_BYTES:
                whole = part if part.path else part.at("each")
                reason = f"the parts have more than {MOST_BYTES / 1e6:g} MB of text, what `each` makes of them counted"
                raise whole.fault(reason)
            parts.append(_read_part(one))
        if len(parts) > _MOST_PARTS:
            raise content.at("part").fault(f"there are more than {_MOST_PARTS:,} parts, those of each counted")
    return parts


def _repeat(part: Field) -> Iterator[Field]:
    """Yield a part once for each combination of its ``each``, with {name} replaced in its texts."""
    each = part.get("each", {})
    variables = each.table()
    for name, values in variables.items():
        if not isinstance(values.value, list) or not values.value:
            raise each.fault(f"{name} must be a list such as [1, 2, 3]")
        for value in values.value:
            if not isinstance(value, (str, int, float)) or len(str(value)) > _LONGEST_MARK:
                reason = f"{shown(value)} is neither a word of at most {_LONGEST_MARK} characters nor a number"
                raise values.fault(reason)
    count = math.prod(len(values.value) for values in variables.values())
    if count > _MOST_PARTS:
        raise each.fault(f"makes {count:,} parts of one; at most {_MOST_PARTS:,} are read")
    content = {key: value for key, value in part.value.items() if key != "each"}
    for words in itertools.product(*(values.value for values in variables.values())):
        marks = {f"{{{name}}}": str(word) for name, word in zip(variables, words, strict=True)}
        yield replace(part, value=_replaced(content, marks))


def _length(value: object) -> int:
    """Return about how many characters a part has as a text."""
    if isinstance(value, dict):
        return sum(len(name) + _length(one) for name, one in value.items())
    return sum(map(_length, value)) if isinstance(value, list) else len(value) if isinstance(value, str) else 1


def _replaced(value: object, marks: Mapping[str, str]) -> object:
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


def _read_part(content: Field) -> Part:
    def named(section: str) -> dict[str, Field]:
        return content.get(section, {}).table()

    if "row" not in content.value:
        raise content.fault(f'row is needed: what one row of the log is, such as row = "offer" ({", ".join(ROWS)})')
    part = Part(
        row=content.get("row").one_of(ROWS),
        files=_read_patterns(content.get("files", [])),
        in_some_files=frozenset(content.get("in_some_files", []).texts()),
        beside=tuple(map(_read_beside, _each_of(content.get("beside", [])))),
        form=_read_form(content),
        decimal=content.get("decimal", ".").one_of((".", ",")),
        thousands=_read_thousands(content),
        missing=frozenset(content.get("missing", []).texts()),
        event=read_source(content.get("event")) if "event" in content.value else None,
        where=tuple(_read_condition(field, name) for name, field in named("where").items()),
        sections={name: _read_section(content.get(name, {}), name) for name in KEYS},
        seats={name: _read_seat(field) for name, field in named("seats").items()},
        items={name: read_sources(field, _ITEM) for name, field in named("items").items()},
        item=_read_item(content.get("item", {})),
        worths={name: _read_worths(field) for name, field in named("values").items()},
        roles=_read_roles(content.get("factors", {})),
        own=own_measures(content.get("measures", {})),
        **_read_settings(content),
    )
    refuse_incomplete(part, content)
    return part


def _each_of(field: Field) -> list[Field]:
    """Return the values of a list, or one alone, as fields of one place."""
    return [replace(field, value=value) for value in (field.value if isinstance(field.value, list) else [field.value])]


# How files are written ------------------------------------------------------------------------------------------------


def _read_form(content: Field) -> Form:
    plain = {key: content.get(key).typed(kind) for key, kind in _FORM_SETTINGS.items() if key in content.value}
    rows = tuple(field.typed(str) for field in _each_of(content.get("rows", [])))
    once, sheets = (tuple(content.get(key, []).texts()) for key in ("rows_once", "sheets"))
    form = Form(**plain, sheets=sheets, rows=rows, rows_once=once, long=_read_long(content))
    sign = form.delimiter
    is_counted_twice = "header_rows" in plain and (
        "first_row" in plain or not form.header <= plain["header_rows"] < _MOST_HEADERS
    )
    content.refuse(
        ("rows", len(set(rows)) < len(rows), "names a column twice"),
        ("sheets", sheets and "sheet" in plain, "is given together with sheet; give only one of them"),
        ("rows_once", once and not rows, 'is for logs with lists: rows = "..." names their column'),
        ("long", form.long and rows, "is for a row of one measure each, and rows for rows of lists; give one"),
        ("delimiter", len(sign or ",") != 1, f"{shown(sign)} is not one character"),
        (
            "header",
            form.header < 1 or form.start <= form.header,
            "rows are counted from 1, and first_row comes after header",
        ),
        (
            "group_row",
            form.group_row is not None and not 1 <= form.group_row < form.header,
            "is a row above header, counted from 1",
        ),
        (
            "header_rows",
            is_counted_twice,
            "is the number of rows above the data, including the row of names; leave out first_row",
        ),
        ("delimiter", sign is not None and sign in '"\r\n\0', f"{shown(sign)} separates no cells"),
        (
            "encoding",
            not _is_encoding(form.encoding),
            f"{shown(form.encoding)} is not an encoding; utf-8, cp1252, ...",
        ),
    )
    return form


def _is_encoding(name: str) -> bool:
    """Whether a name is that of an encoding in which files of text are written."""
    try:
        known = codecs.lookup(name).name
        fits = isinstance(b"".decode(name), str) and "a,1\n".encode(name).decode(known) == "a,1\n"
    except (LookupError, ValueError, TypeError):
        return False
    return fits and known not in _NO_ENCODINGS


def _read_long(content: Field) -> Long | None:
    """Return the columns of a row for each measure: `{ measure = "what", value = "value", by = "id" }`."""
    if "long" not in content.value:
        return None
    table = content.get("long")
    table.table(("measure", "value", "by"))
    names = table.at("by", table.value.get("by") or []).texts()
    table.refuse(("by", not names, "is needed: the columns that name whose measure a row is"))
    return Long(table.get("measure").typed(str), table.get("value").typed(str), tuple(names))


def _read_thousands(content: Field) -> str | None:
    if "thousands" not in content.value:
        return None
    sign: str = content.get("thousands").one_of(_THOUSANDS)
    is_decimal = sign == content.value.get("decimal", ".")
    content.refuse(("thousands", is_decimal, f"{shown(sign)} is the decimal sign; write decimal too"))
    return sign


def _read_patterns(field: Field) -> tuple[str, ...]:
    patterns = field.value if isinstance(field.value, list) else [field.value]
    if not all(isinstance(pattern, str) and pattern and "\0" not in pattern for pattern in patterns):
        raise field.fault(
            f'{shown(field.value)} is not a pattern for files such as "sessions/*.csv", nor a list of them'
        )
    return tuple(patterns)


def _read_beside(field: Field) -> Beside:
    """Return one table beside a part: `{ files = "people.csv", by = "pid" }`."""
    table = field.table(("files", "by", "prefix", *_FORM))
    by, prefix = field.value.get("by"), field.value.get("prefix", "")
    columns = by if isinstance(by, dict) else {name: name for name in ([by] if isinstance(by, str) else by or [])}
    has_names = columns and all(isinstance(name, str) and name for pair in columns.items() for name in pair)
    names_both = 'is needed: the column that names rows in both tables, or { pid = "ID" } if they differ'
    names_file = 'needs files = "people.csv", or sheet = "People" in the same workbook'
    field.refuse(("by", not has_names, names_both), ((), table.keys().isdisjoint(("files", "sheet")), names_file))
    form = _read_form(field)
    is_text = isinstance(prefix, str)
    field.refuse(("prefix", not is_text, f"{shown(prefix)} is no text with which names of columns begin"))
    return Beside(_read_patterns(field.get("files", [])), form, tuple(columns.items()), prefix)


def _read_condition(field: Field, name: str) -> Where:
    source, value = Source(name, field.name, (Atom("column", name),)), field.value
    if not isinstance(value, dict):
        return Where(source, frozenset(map(known_as, field.texts())))
    field.known(("not", "from", "to", "empty"))
    if set(value) == {"not"}:
        # The texts are those of the column: what is wrong with them is said of it.
        return Where(source, frozenset(map(known_as, replace(field, value=value["not"]).texts())), but=True)
    if set(value) == {"empty"}:
        return Where(source, empty=field.get("empty").typed(bool))
    if value and set(value) <= {"from", "to"}:
        ends = {key: float(field.get(key).typed(float)) for key in value}
        return Where(source, least=ends.get("from", -math.inf), most=ends.get("to", math.inf))
    ways = "texts, { not = [...] }, { from = 1, to = 9 } or { empty = false }"
    raise field.fault(f"{shown(value)} is not a condition; write {ways}")


# Sections -------------------------------------------------------------------------------------------------------------


def _read_settings(content: Field) -> dict[str, Any]:
    """Return the settings of a part that stand in its sections."""
    fields = {
        key: content.at((section, key), content.value[section][key])
        for section, keys in _SETTINGS.items()
        for key in keys
        if key in content.value.get(section, {})
    }
    kinds = {"points_from_deal": bool, "points_without_deal": float, "items_to": str, "last_is_deal": bool}
    settings = {key: fields[key].typed(kind) for key, kind in kinds.items() if key in fields}
    if "accepts_needed" in fields:
        needed = settings["accepts_needed"] = fields["accepts_needed"].value
        is_number = isinstance(needed, int) and not isinstance(needed, bool) and 1 <= needed <= _MOST_SEATS
        if not is_number and needed not in ("majority", "all"):
            reason = f'{shown(needed)} is not a number of seats; write such as 2, or "majority" or "all"'
            raise fields["accepts_needed"].fault(reason)
    if "accept_at" in fields:
        fields["accept_at"].typed(dict)
        fields["accept_at"].known(("prefix",))
        field = fields["accept_at"].get("prefix")
        settings["accept_at"] = field.typed(str)
        if not settings["accept_at"]:
            raise field.fault('is what the names begin with, as "accept_" of accept_0, accept_1')
    return settings


def _read_section(content: Field, name: str) -> Sources:
    settings = _SETTINGS.get(name, ())
    table = content.table((*KEYS[name], *settings) if KEYS[name] else ())
    clash = next((key for key in table if name in _OPEN and key in TABLES["games"].names), None)
    if clash:
        raise content.fault(
            f"{clash} is a column of the games; write it in [games], or give the {name[:-1]} another name"
        )
    if name in ANSWERS:
        return read_answers(content)
    what = {"measures": ("unit", "kind", "per", "levels"), "factors": ("role",)}.get(name, ())
    places = (replace(field, value=place_of(field.value, what)) for key, field in table.items() if key not in settings)
    sources = {str(field.path[-1]): read_source(field) for field in places}
    return with_same_levels(sources) if name == "offers" else sources


def _read_roles(content: Field) -> dict[str, str]:
    """Return what a mapping says that factors are."""
    factors = content.table()
    own_roles = {
        name: field for name, field in factors.items() if isinstance(field.value, dict) and "role" in field.value
    }
    return {name: field.get("role").one_of(ROLES) for name, field in own_roles.items()}


def _read_seat(content: Field) -> dict[str, Sources]:
    table = content.table((*_SEAT, *_SEAT_SECTIONS))
    sources = {key: read_source(field) for key, field in table.items() if key in _SEAT}
    return {
        "players": with_same_levels(sources),
        "items": read_sources(content.get("items", {})),
        **{key: read_answers(content.get(key, {})) for key in ANSWERS},
    }


def _read_item(content: Field) -> Sources:
    """Read what a row says of the item that it is; its name is a word of the items."""
    sources = read_sources(content, ("name", *_ITEM))
    return {key: replace(source, name="item") if key == "name" else source for key, source in sources.items()}


def _read_worths(content: Field) -> dict[tuple[str, str | None], Source]:
    worths: dict[tuple[str, str | None], Source] = {}
    for item, field in content.table().items():
        options = field.value if isinstance(field.value, dict) else {None: field.value}
        for option, worth in options.items():
            worths[item, option] = read_source(replace(field, value=worth))
    return worths


# Levels ---------------------------------------------------------------------------------------------------------------


def _read_levels(content: Field, parts: Sequence[Part]) -> dict[str, dict[str, str]]:
    names = {source.name for part in parts for source in part.sources()} | {"player", "event", "response"}
    return {name: _read_spellings(field, name) for name, field in content.table(sorted(names)).items()}


def _read_spellings(content: Field, name: str) -> dict[str, str]:
    table = content.table(LEVELS.get(name, ()))
    levels: dict[str, str] = {}
    for level, field in table.items():
        for spelling in field.texts():
            if levels.setdefault(known_as(spelling), level) != level:
                raise content.fault(f"{shown(spelling)} is both {levels[known_as(spelling)]} and {level}")
    return {known_as(level): level for level in table} | levels


def _add_ranks(
    content: Field, levels: dict[str, dict[str, str]], written: Sequence[Field], parts: Sequence[Part]
) -> None:
    """Add the ranks of the words of ordered measures to the levels, which say no order by themselves."""
    ranked: set[str] = set()
    for part in written:
        for name, ranks in ordered_levels(content.at("measures", part.value.get("measures", {}))).items():
            is_other = levels.setdefault(name, ranks) != ranks
            content.refuse((("measures", name, "levels"), is_other, "the levels are given twice, and differ"))
            ranked.add(name)
    for name in (name for part in parts for name, own in part.own.items() if own.kind == "ordered"):
        reason = f'does not say the order; write levels = ["low", "high"] in [measures.{name}] instead'
        content.refuse((("levels", name), name in levels and name not in ranked, reason))
