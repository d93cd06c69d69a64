"""The canonical form of a plan, whose SHA-256 registration records, and what differs between two plans."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

import rfc8785

from negstats.analysis.plan.model import (
    Data,
    Exclusion,
    Factor,
    Family,
    Measure,
    Plan,
    Question,
    default_column,
    default_takes,
)
from negstats.sanitize import line
from negstats.toml_text import field_of

Item = TypeVar("Item")

MOST_EXACT = 2**53  # whole numbers from it on are not all numbers of JSON

# What is a set in each record; `only`, `merge` and `value` are, where they are lists.
SETS: dict[type, tuple[str, ...]] = {
    Plan: ("leave_out", "accept"),
    Question: ("by", "with_", "covariates", "items", "effect", "contrasts", "only"),
    Factor: ("merge",),
    Family: ("questions",),
    Exclusion: ("value",),
}


def sha256(plan: Plan) -> str:
    """Return the SHA-256 of a plan's canonical form, in hexadecimal digits.

    Parameters
    ----------
    plan
        The plan, as `read` or `parse` returns it.

    Returns
    -------
    str
        64 digits; plans that mean the same have the same.

    Examples
    --------
    >>> question = {"asks": "Does the agent earn more in CL than in FC?", "who": "agent", "by": ("condition",)}
    >>> sha256(Plan(questions={"H1": Question(measure="points", **question)}))
    'f22897914a24dbfc2ca3b8fdb0873acfacd2a63ad7c868d86deaa2232c77b81c'
    """
    return hashlib.sha256(json_text(canonical(plan)).encode()).hexdigest()


def canonical(plan: Plan) -> dict[str, Any]:
    """Return a plan as a JSON object, without fields that equal their defaults, `data.path` and `data.cite`.

    Parameters
    ----------
    plan
        The plan, as `read` or `parse` returns it.

    Returns
    -------
    dict[str, Any]
        Objects, lists, texts and numbers that ``json.dumps`` takes.
    """
    content = {
        **_record(plan, leave=("plan", "data", "factors", "measures")),
        "plan": plan.plan,
        "data": _data(plan.data),
        "factors": {name: _record(factor, column=default_column(name)) for name, factor in plan.factors.items()},
        "measures": {
            name: _record(measure, measure=_registered(measure, name)) for name, measure in plan.measures.items()
        },
    }
    return {name: content[name] for name in sorted(content) if (content[name] not in ({}, []))}


def in_order(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return the items of a set in the order of their canonical texts.

    Examples
    --------
    >>> in_order(["b", "a"])
    ('a', 'b')
    """
    return tuple(sorted(items, key=lambda item: _units(json_text(_plain(item)))))


def json_text(value: Any) -> str:
    """Return a value as RFC 8785 writes it.

    Parameters
    ----------
    value
        None, bool, numbers (finite), text, lists and tables of these.

    Raises
    ------
    ValueError
        For NaN and infinities, which JSON has no words for.

    Examples
    --------
    >>> json_text({"b": [1.0, 5e-2, 1e-7, 1e21], "a": "é"})
    '{"a":"é","b":[1,0.05,1e-7,1e+21]}'
    """
    return rfc8785.dumps(_representable(value)).decode()


def _representable(value: Any) -> Any:
    """Return a value in the types of RFC 8785; a whole number that is too large for JSON is the nearest float."""
    if isinstance(value, Mapping):
        return {name: _representable(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_representable(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= MOST_EXACT:
        return float(value)
    return value


def _record(record: Any, *, leave: tuple[str, ...] = (), **defaults: object) -> dict[str, Any]:
    """Return the fields of a record that differ from their defaults; `defaults` are those that depend on its name."""
    plain_fields = {}
    if isinstance(record, Exclusion):
        defaults["takes"] = default_takes(record.column, record.relation)
    for field in dataclasses.fields(record):
        if field.name in leave or not field.compare:
            continue
        value = getattr(record, field.name)
        default = defaults.get(field.name, field.default)
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        if value is None or value == default:
            continue
        plain = _set(value) if field.name in SETS.get(type(record), ()) else _plain(value)
        if plain not in ({}, []):
            plain_fields[field.name.rstrip("_")] = plain
    return plain_fields


def _set(value: object) -> Any:
    if isinstance(value, Mapping):
        return {name: _set(items) for name, items in value.items()}
    return [_plain(item) for item in in_order(value)] if isinstance(value, (tuple, list)) else _plain(value)


def _plain(value: Any) -> Any:
    """Return a value of a plan as JSON has it; cells of what is expected are a set."""
    if dataclasses.is_dataclass(value):
        return _record(value)
    if isinstance(value, Mapping):
        plain = {name: _set(item) if name == "cells" else _plain(item) for name, item in value.items()}
        return {name: item for name, item in plain.items() if item not in ({}, [])}
    return [_plain(item) for item in value] if isinstance(value, (tuple, list)) else value


def _data(data: Data) -> dict[str, Any]:
    content: dict[str, Any] = {} if data.unit == "independent" else {"unit": data.unit}
    if data.mapping is not None or data.mapped is not None:
        content["mapping"] = data.mapping if data.mapped is None else dict(data.mapped)
    return content


def _registered(measure: Measure, name: str) -> str:
    return name if measure.answer is None else ""


def _units(text: str) -> bytes:
    """Return what texts are sorted by: their UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")


Grade: TypeAlias = Literal["changes words only", "changes the claim", "changes a number"]
Object: TypeAlias = Mapping[str, Any]

WORDS = {"title", "authors", "known", "stop", "note", "reason", "labels"}
# Sections whose entries have names; an entry that only one of two plans has is added or removed as a whole.
NAMED = ("factors", "measures", "questions", "families")
# What is a set, by the section or record that it stands in: each member that differs is told.
SETS_OF_ENTRIES = {("questions", "by"), ("questions", "with"), ("questions", "covariates"), ("questions", "effect"),
        ("questions", "contrasts"), ("families", "questions")}  # fmt: skip
MOST = 80  # characters of a value


@dataclass(frozen=True, slots=True)
class Change:
    """One field that differs.

    Attributes
    ----------
    path : str
        The field, such as "questions.H1.who".
    then, now : str
        What it was and is, as JSON; "" for what was not there. Of a set, the member that went or came.
    grade : str
        Whether it changes words only, the claim, or a number.
    what : {"field", "member", "entry"}
        Whether it is a field, the member of a set, or a whole question, factor, measure or family.
    """

    path: str
    then: str
    now: str
    grade: Grade
    what: Literal["field", "member", "entry"] = "field"

    def __str__(self) -> str:
        then_text, now_text = (line(value, MOST) for value in (self.then, self.now))
        if self.what == "entry":
            return f"{self.path}: {'removed' if then_text else 'added'}"
        if self.what == "member":
            return f"{self.path}: {f'− {then_text}' if then_text else f'+ {now_text}'}"
        return f"{self.path}: {then_text or 'nothing'} → {now_text or 'nothing'} ({self.grade})"


def changes(then: Object, now: Object) -> tuple[Change, ...]:
    r"""Return what differs between two canonical objects, in the order of the paths.

    Examples
    --------
    >>> one = {"plan": 1, "questions": {"H1": {"asks": "Do people agree?", "measure": "agreed", "who": "agent"}}}
    >>> two = {"plan": 1, "questions": {"H1": {"asks": "Do people agree?", "measure": "agreed", "who": "human"}}}
    >>> print(*changes(one, two), sep="\n")
    questions.H1.who: "agent" → "human" (changes a number)
    """
    differences: list[Change] = []
    for key in sorted({*then, *now}):
        earlier, later = then.get(key), now.get(key)
        if earlier == later:
            continue
        if key in NAMED:
            differences += _entries(key, earlier or {}, later or {})
        elif key in ("data", "power"):
            differences += _fields((key,), key, earlier or {}, later or {})
        elif key == "leave_out":
            differences += _members((key,), earlier or [], later or [])
        else:
            differences.append(_change((key,), earlier, later))
    return tuple(differences)


def _entries(section: str, earlier: Object, later: Object) -> Iterator[Change]:
    for name in sorted({*earlier, *later}):
        path = section, name
        entries: tuple[Any, Any] = earlier.get(name), later.get(name)
        if None in entries:
            then_text, now_text = ("" if entry is None else json_text(entry) for entry in entries)
            yield Change(field_of(path), then_text, now_text, "changes a number", "entry")
        else:
            yield from _fields(path, section, *entries)


def _fields(path: tuple[str, ...], section: str, earlier: Object, later: Object) -> Iterator[Change]:
    for key in sorted({*earlier, *later}):
        earlier_value, later_value = earlier.get(key), later.get(key)
        if earlier_value == later_value:
            continue
        if (section, key) in SETS_OF_ENTRIES:
            yield from _members((*path, key), earlier_value or [], later_value or [])
        else:
            yield _change((*path, key), earlier_value, later_value)


def _members(path: tuple[str, ...], earlier: list[Any], later: list[Any]) -> Iterator[Change]:
    """Tell the members of a set that went and that came."""
    grade = _grade(path)
    removed_items = [item for item in earlier if item not in later]
    added_items = [item for item in later if item not in earlier]
    yield from (Change(field_of(path), json_text(item), "", grade, "member") for item in in_order(removed_items))
    yield from (Change(field_of(path), "", json_text(item), grade, "member") for item in in_order(added_items))


def _change(path: tuple[str, ...], earlier: object, later: object) -> Change:
    earlier_text, later_text = ("" if value is None else json_text(value) for value in (earlier, later))
    return Change(field_of(path), earlier_text, later_text, _grade(path))


def _grade(path: tuple[str, ...]) -> Grade:
    if path[-1] in WORDS and (len(path) == 1 or path[0] in ("questions", "factors")):
        return "changes words only"
    return "changes the claim" if path[-1] in ("asks", "predicts") else "changes a number"
