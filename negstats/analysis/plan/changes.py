"""What differs between two plans, field by field, and whether it changes words, the claim or a number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from negstats.analysis.plan.canonical import in_order, json_text
from negstats.sanitize import line
from negstats.toml_text import field_of

Grade: TypeAlias = Literal["changes words only", "changes the claim", "changes a number"]
Object: TypeAlias = Mapping[str, Any]

WORDS = {"title", "authors", "known", "stop", "note", "reason", "labels"}
# Sections whose entries have names; an entry that only one of two plans has is added or removed as a whole.
NAMED = ("factors", "measures", "questions", "families")
# What is a set, by the section or record that it stands in: each member that differs is told.
SETS = {("questions", "by"), ("questions", "with"), ("questions", "covariates"), ("questions", "effect"),
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
        one, other = then.get(key), now.get(key)
        if one == other:
            continue
        if key in NAMED:
            differences += _entries(key, one or {}, other or {})
        elif key in ("data", "power"):
            differences += _fields((key,), key, one or {}, other or {})
        elif key == "leave_out":
            differences += _members((key,), one or [], other or [])
        else:
            differences.append(_change((key,), one, other))
    return tuple(differences)


def _entries(section: str, earlier: Object, later: Object) -> Iterator[Change]:
    for name in sorted({*earlier, *later}):
        path, one, other = (section, name), earlier.get(name), later.get(name)
        if one is None or other is None:
            then_text, now_text = ("" if record is None else json_text(record) for record in (one, other))
            yield Change(field_of(path), then_text, now_text, "changes a number", "entry")
        else:
            yield from _fields(path, section, one, other)


def _fields(path: tuple[str, ...], section: str, earlier: Object, later: Object) -> Iterator[Change]:
    for key in sorted({*earlier, *later}):
        one, other = earlier.get(key), later.get(key)
        if one == other:
            continue
        if (section, key) in SETS:
            yield from _members((*path, key), one or [], other or [])
        else:
            yield _change((*path, key), one, other)


def _members(path: tuple[str, ...], earlier: list[Any], later: list[Any]) -> Iterator[Change]:
    """Tell the members of a set that went and that came."""
    grade = _grade(path)
    removed_items = [item for item in earlier if item not in later]
    added_items = [item for item in later if item not in earlier]
    yield from (Change(field_of(path), json_text(item), "", grade, "member") for item in in_order(removed_items))
    yield from (Change(field_of(path), "", json_text(item), grade, "member") for item in in_order(added_items))


def _change(path: tuple[str, ...], earlier: object, later: object) -> Change:
    one, other = ("" if value is None else json_text(value) for value in (earlier, later))
    return Change(field_of(path), one, other, _grade(path))


def _grade(path: tuple[str, ...]) -> Grade:
    if path[-1] in WORDS and (len(path) == 1 or path[0] in ("questions", "factors")):
        return "changes words only"
    return "changes the claim" if path[-1] in ("asks", "predicts") else "changes a number"
