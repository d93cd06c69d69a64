"""Reading what stands behind a key of a mapping file: a column, a constant, a part of the file's path, or several."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import pandas as pd

from negstats.errors import shown
from negstats.loaders.mapping import patterns
from negstats.loaders.mapping.fields import Field
from negstats.loaders.mapping.model import KEYS, Atom, Source, Sources
from negstats.tables import TABLES
from negstats.toml_text import value_text

ANSWERS = ("answers", "person")  # sections of what people answered
_OPTIONS: dict[str, type] = {"scale": float, "clock": bool, "format": str, "take": str}
_CELLS = ("clean", "missing")  # options that any column may have
_NUMBERS = ("number", "integer")
_ORDERED = (*_NUMBERS, "time")
_ANY = (*_ORDERED, "text", "boolean")
_TAKES = {"first": _ANY, "last": _ANY, "min": _ORDERED, "max": _ORDERED, "sum": _NUMBERS, "mean": _NUMBERS}
_COUNTED = ("value", "units", "total", "accept_from", "to_proposer", "to_responder")
_SEVERAL = {"mean": (*ANSWERS, "measures"), "join": (*ANSWERS, "factors")}  # sections whose keys may have several
_SAME_LEVELS = {"vote": "response", "voted_on": "proposer"}  # as what these are spelled


def read_sources(content: Field, keys: Collection[str] = ()) -> Sources:
    """Return the sources of a section; no keys at all means that any will do."""
    return {key: read_source(field) for key, field in content.table(keys).items()}


def read_answers(content: Field) -> Sources:
    """Return the sources of answers; the items of a scale are answers too, by the names of their columns."""
    sources = read_sources(content)
    named = {source.column for source in sources.values() if not source.is_mean}
    items = [item for source in sources.values() if source.is_mean for item in source.items]
    return sources | {
        item.columns[0]: replace(item, name=item.columns[0], is_item=True) for item in items if item.column not in named
    }


def with_same_levels(sources: Sources) -> Sources:
    """Return sources in which a vote is spelled as a response is, and who is voted on as a proposer."""
    return {key: replace(source, name=_SAME_LEVELS.get(key, source.name)) for key, source in sources.items()}


def read_source(content: Field) -> Source:
    """Return where the values of a key come from."""
    *above, name = map(str, content.path)
    section = above[-1] if above else ""
    value, key = content.value, content.name
    if isinstance(value, dict):
        how = next((way for way, sections in _SEVERAL.items() if way in value and section in sections), "")
        if how:
            return _read_several(content, how, name)
        options = {option: value[option] for option in _OPTIONS if option in value}
        place = {what: value[what] for what in value if what not in (*_OPTIONS, *_CELLS)}
        atom = _read_atom(content, place)
        for option in options:
            content.get(option).typed(_OPTIONS[option])
        _refuse_unfit(content, name, options)
        return Source(name, key, (atom,), **options, **_read_cells(content, atom))
    pieces = value if isinstance(value, list) else [value]
    if not pieces:
        raise content.fault("is an empty list; name a column")
    if section in ANSWERS and len(pieces) > 1 and all(isinstance(piece, str) for piece in pieces):
        names = value_text(pieces)
        reason = f"would join the texts of {len(pieces)} columns; write {{ mean = {names} }} for their mean"
        raise content.fault(f"{reason}, or {{ join = {names} }} to join them")
    return Source(name, key, tuple(_read_atom(content, piece) for piece in pieces))


def _read_several(content: Field, how: str, name: str) -> Source:
    """Return the source of an answer that is made of several columns: their mean, or their texts joined."""
    content.known((how, *_CELLS))
    columns = content.get(how)
    is_joined = how == "join" and isinstance(columns.value, list)
    pieces = columns.value if is_joined else columns.texts()
    if len(pieces) < 2 or any(piece in pieces[:place] for place, piece in enumerate(pieces)):
        raise columns.fault(f"{shown(columns.value)} is not a list of two or more different columns")
    atoms = tuple(_read_atom(columns, piece) for piece in pieces)
    return Source(name, content.name, atoms, is_mean=how == "mean", **_read_cells(content, atoms[0]))


def _read_cells(content: Field, atom: Atom) -> dict[str, Any]:
    """Return the options that say what a column's cells are."""
    content.refuse(
        *((option, option in content.value and atom.kind != "column", "is for a column") for option in _CELLS)
    )
    cells: dict[str, Any] = {}
    if "missing" in content.value:
        cells["missing"] = frozenset(content.get("missing").texts())
    if "clean" in content.value:
        field = content.get("clean")
        cells["clean"] = _read_clean(field, field.value)
    return cells


def _read_clean(content: Field, value: object) -> tuple[str, ...]:
    """Return the patterns of what is taken out of cells."""
    texts = value if isinstance(value, list) else [value]
    for pattern in texts:
        reason = patterns.fault(replace(content, value=pattern).typed(str))
        if reason or not pattern:
            raise content.fault(f"{shown(pattern)} {reason or 'takes nothing out'}")
    return tuple(map(patterns.spelled, texts))


def _refuse_unfit(content: Field, name: str, options: dict[str, Any]) -> None:
    """Refuse an option that the key's values have no use for."""
    kind = "time" if options.get("clock") else _kind_of(content, name)
    take = content.get("take", "last").one_of(_TAKES)
    uses = {
        "scale": kind in _NUMBERS,
        "clock": name in ("time_s", "offer", "message"),
        "format": kind == "time",
        "take": kind in _TAKES[take],
    }
    if "format" in options and not _is_format(options["format"]):
        reason = f"{shown(options['format'])} is not a format such as %d/%m/%Y %H:%M:%S"
        raise content.at("format").fault(reason)
    article = "an" if kind == "integer" else "a"
    content.refuse(*((option, not uses[option], f"is not for {article} {kind}") for option in options))


def _kind_of(content: Field, name: str) -> str:
    """Return the kind of a key's values; what is in no table is text, but for what is counted."""
    section = content.section
    if section in TABLES and name in TABLES[section].names:
        return TABLES[section][name].kind
    if section == "seats" and name in KEYS["players"]:
        return TABLES["players"][name].kind
    is_number = section in ("items", "values", "measures") or name in _COUNTED or "items" in content.path
    return "number" if is_number and name != "option" else "text"


def _is_format(text: str) -> bool:
    """Whether pandas reads dates and times that are written so."""
    try:
        pd.to_datetime(pd.Series(["2026"], dtype="str"), format=text, utc=True, errors="coerce")
    except (ValueError, TypeError, KeyError, re.error, UnicodeError):
        return False
    return bool(text)


def _read_atom(content: Field, value: object) -> Atom:
    match value:
        case str():
            return Atom("column", value)
        case int() | float() if not isinstance(value, bool):
            return Atom("constant", str(value))
        case {"column": str(name), **rest} if not rest:
            return Atom("column", name)
        case {"column": str(name), "clean": clean, **rest} if not rest:
            return Atom("column", name, clean=_read_clean(content, clean))
        case {"constant": bool() | str() | int() | float() as constant, **rest} if not rest:
            return Atom("constant", str(constant))
        case {"file": True, **rest} if not rest:
            return Atom("file")
        case {"file": str(pattern), **rest} if not rest:
            if (reason := next(_faults_of_pattern(pattern), None)) is not None:
                raise content.fault(f"{shown(pattern)} {reason}")
            return Atom("file", pattern)
        case {"folder": int(place), **rest} if not rest and not isinstance(place, bool) and place > 0:
            return Atom("folder", str(place))
        case {"row": True, **rest} if not rest:
            return Atom("row")
        case {"pair": [str(one), str(other)], **rest} if not rest:
            return Atom("pair", one, other)
        case {"begins": str(name), **rest} if not rest:
            return Atom("begins", name)
    ways = (
        'a column\'s name, a number, { column = "..." }, { constant = "..." }, { file = true }, { folder = 1 }, '
        '{ row = true }, { begins = "..." } or { pair = ["...", "..."] }'
    )
    raise content.fault(f"{shown(value)} names no place in the log; write {ways}, or a list of these")


def _faults_of_pattern(pattern: str) -> Iterator[str]:
    """Yield what is wrong with the pattern of a part of the file's path."""
    groups = patterns.groups(pattern)
    if pattern and (groups or 0) < 2 and (reason := patterns.fault(pattern)):
        yield reason
    if groups is None:
        yield "is not a regular expression"
    if not pattern or (groups or 0) > 1:
        yield "must have one group in parentheses, the part of the file's path that is meant"
