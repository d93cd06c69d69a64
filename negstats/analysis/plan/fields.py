"""What a field of a plan may hold: one function for each kind of value.

Each returns the value as the plan keeps it, or raises `Refused` with what was found and what would do.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any, TypeAlias, TypeVar

from negstats import sanitize
from negstats.analysis.plan.canonical import MOST_EXACT, in_order
from negstats.errors import meant, nearest, shown

Read: TypeAlias = Callable[[Any], Any]
Item = TypeVar("Item", bound=Hashable)

MOST_CHARACTERS = 2000
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")
REFERENCE = re.compile(r"(?P<authors>.+?) \((?P<year>\d{4}[a-z]?|n\.d\.|in press)(?:, [^)]*)?\)\. (?P<rest>.+)")
_SPACE = re.compile(r"[^\S\x1c-\x1f\x85\u2028\u2029]+")


class PlanFault(ValueError):  # noqa: N818 - it becomes a fault, and is not an error of its own
    """A value does not fit; `sub` leads from the field to what inside it is meant."""

    def __init__(self, reason: str, *sub: str | int) -> None:
        self.reason, self.sub = reason, sub
        super().__init__(reason)


def kind_and_value(value: object) -> str:
    """Return a value as a fault shows it, with its kind where that is not plain to see."""
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return shown(value)
        case str():
            return f"text ({shown(value)})"
        case dict():
            return "a table"
    return "a list"


def sentence(value: object) -> str:
    """Read words for people: composed letters, one blank for white space, no control or bidi characters."""
    text = _SPACE.sub(" ", unicodedata.normalize("NFC", _text(value))).strip()
    _harmless(text)
    if len(text) > MOST_CHARACTERS:
        raise PlanFault(f"has {len(text)} characters; write at most {MOST_CHARACTERS}")
    return text


def reference(value: object) -> str:
    """Read the reference of a work as APA writes it, titles between asterisks.

    Examples
    --------
    >>> reference("Lee, A., & Roe, B. (2020). *Offers*. Press.").partition(".")[0]
    'Lee, A'
    """
    text = sentence(value)
    if not REFERENCE.fullmatch(text):
        raise PlanFault(f"is {shown(text)}; write a reference such as 'Lee, A., & Roe, B. (2020). *Offers*. Press.'")
    return text


def knowledge(value: object) -> str:
    """Read what is known of the data: a sentence, or a list of sentences and of results that were looked at.

    Examples
    --------
    >>> knowledge(["The pilot.", {"looked_at": "points", "who": "agent", "by": ["condition"]}])
    'The pilot. The result of 1 question was looked at before registration: points of the agent by condition.'
    """
    facts = value if isinstance(value, list) else [value]
    results = [_looked_at(fact, place) for place, fact in enumerate(facts) if isinstance(fact, dict)]
    sentences = [sentence(fact) for fact in facts if not isinstance(fact, dict)]
    if results:
        many, verb = ("", "was") if len(results) == 1 else ("s", "were")
        whose = "result" + many
        sentences.append(
            f"The {whose} of {len(results)} question{many} {verb} looked at before registration: {'; '.join(results)}."
        )
    return " ".join(sentences)


def _looked_at(record: dict[str, object], place: int) -> str:
    """Return a result that was looked at in words."""
    strange = next((key for key in record if key not in ("looked_at", "who", "by", "with")), None)
    if strange is not None or "looked_at" not in record:
        reason = "is not a result; write { looked_at = MEASURE, who = SEAT, by = [FACTOR], with = [MEASURE] }"
        raise PlanFault(f"{shown(strange or 'the table')} {reason}", place)
    parts = [name(record["looked_at"]).replace("_", " ")]
    parts += [f"of the {name(record['who'])}"] if "who" in record else []
    for key, word in (("by", "by"), ("with", "with")):
        listed_names = words(record[key]) if key in record else ()
        parts += [f"{word} {' and '.join(listed_names).replace('_', ' ')}"] if listed_names else []
    return " ".join(parts)


def name(value: object) -> str:
    """Read a name: text as it is, without control or bidi characters."""
    text = _text(value)
    _harmless(text)
    if not text.strip():
        raise PlanFault("is empty; give a name")
    return text


def id_fault(text: str) -> str | None:
    """Return why a text is not an id of a question or family; None if it is one."""
    if _ID.fullmatch(text):
        return None
    return f"{shown(text)} is not an id; write a letter, then letters, digits, _ or -, 32 characters at most"


def names(value: object) -> tuple[str, ...]:
    """Read a set of names; one alone needs no brackets."""
    return in_order(unlike(words([value] if isinstance(value, str) else value)))


def words(value: object) -> tuple[str, ...]:
    """Read a list of names."""
    return unlike(tuple(name(item) for item in listed(value, 'texts such as ["CL", "FC"]')))


def unlike(items: Sequence[Item]) -> tuple[Item, ...]:
    """Refuse what stands twice."""
    distinct_items: set[Item] = set()
    for item in items:
        if item in distinct_items:
            raise PlanFault(f"{shown(item)} is listed twice")
        distinct_items.add(item)
    return tuple(items)


def number(
    fits: Callable[[float], bool] = math.isfinite, what: str = "a number", *, otherwise: str | None = None
) -> Read:
    """Read a number that fits; otherwise name what fits."""

    def read(value: object) -> float:
        if isinstance(value, str):
            raise PlanFault(f"is {kind_and_value(value)}; give {otherwise or 'a number without quotes'}")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not fits(_exact(value)):
            raise PlanFault(f"is {kind_and_value(value)}; give {what}")
        return float(value)

    return read


def whole(least: int, most: int, what: str) -> Read:
    """Read a whole number."""
    read_number = number(lambda value: least <= value <= most and value == int(value), what)
    return lambda value: int(read_number(value))


def one_of(known: Collection[str]) -> Read:
    """Read one of several words."""

    def read(value: object) -> str:
        if not isinstance(value, str):
            raise PlanFault(f"is {kind_and_value(value)}; give one of {', '.join(known)}")
        if value not in known:
            close = nearest(value, known)
            raise PlanFault(f"is {shown(value)}; {meant(value, known) if close else 'give one of ' + ', '.join(known)}")
        return value

    return read


def flag(value: object) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise PlanFault(f"is {kind_and_value(value)}; give true or false without quotes")
    return value


def scalar(value: object) -> str | int | float | bool:
    """Read a value that a column may have: text, a number, true or false."""
    if isinstance(value, str):
        _harmless(value)
        return value
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        _exact(value)
        return value
    raise PlanFault(f"is {kind_and_value(value)}; give text, a number, true or false")


def spellings(read: Read, what: str) -> Read:
    """Read a table whose values are all of one kind; `what` shows how one is written."""

    def table(value: object) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise PlanFault(f"is {kind_and_value(value)}; write {what}")
        entries = {}
        for key, item in value.items():
            try:
                entries[name(key)] = read(item)
            except PlanFault as fault:
                raise PlanFault(fault.reason, key, *fault.sub) from None
        return entries

    return table


def as_json(value: Any) -> Any:
    """Return a TOML value as JSON can have it: dates as ISO text, with an offset in UTC."""
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        try:
            value = value.astimezone(dt.UTC)
        except OverflowError:  # before the year 1, or after 9999
            return value.isoformat()
        return value.isoformat().replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, (dt.date, dt.time)) else value


def finite(value: Any) -> None:
    """Refuse numbers that JSON has no words for, however deep they stand."""
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        finite(item)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        _exact(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise PlanFault(f"is {kind_and_value(value)}; give text in quotes")
    return value


def listed(value: object, what: str = "them in brackets") -> list[Any]:
    """Refuse what is not a list."""
    if not isinstance(value, (list, tuple)):
        raise PlanFault(f"is {kind_and_value(value)}; give a list of {what}")
    return list(value)


def _harmless(text: str) -> None:
    if sanitize.text(text) != text or any(space in text for space in "\t\n"):
        raise PlanFault(f"{shown(text)} holds control characters or characters that reverse text; leave them out")


def _exact(value: float) -> float:
    if isinstance(value, int) and abs(value) > MOST_EXACT:
        raise PlanFault("is beyond 2^53, where whole numbers are not exact; give a smaller one")
    if not math.isfinite(value):
        raise PlanFault(f"is {value}; give a number that is finite")
    return float(value)
