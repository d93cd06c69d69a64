"""The codebook: the codes that people give to messages, read from a TOML file or from a coded file.

A codebook has a title and a list of codes. Codes of one group exclude each other; any others may stand together::

    title = "Talk at the camp site"
    spans = true

    [[codes]]
    name = "self-need"
    label = "Own need"
    definition = "The speaker says why they need an item."
    example = "I need water for my dog."
    key = 1
    group = "reason"
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from negstats.errors import UsageError, meant, shown
from negstats.sanitize import line
from negstats.toml_text import TomlError, field_of, lines_of, nearest_line, read_text, read_toml

MOST_CODES = 60
LONGEST = {"title": 200, "label": 80, "definition": 2000, "example": 2000}
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
KEYS = range(1, 10)
NONE = "none"  # what tables call a message that has no code of a group


@dataclass(frozen=True, slots=True)
class Code:
    """One code: its name in tables, its label for people, what it means, its key (1 to 9) and its group."""

    name: str
    label: str
    definition: str = ""
    example: str = ""
    key: int | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Codebook:
    """The codes that people give to messages.

    Attributes
    ----------
    title : str
    codes : tuple of Code
        In the order of the file.
    unit : str
        What is coded: "message".
    spans : bool
        Whether a code may be given to a part of a message's text.
    """

    title: str
    codes: tuple[Code, ...]
    unit: str = "message"
    spans: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The codes' names, in order."""
        return tuple(code.name for code in self.codes)

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The names of the codes that exclude each other, by their group."""
        groups: dict[str, tuple[str, ...]] = {}
        for code in self.codes:
            if code.group is not None:
                groups[code.group] = (*groups.get(code.group, ()), code.name)
        return groups

    @property
    def sha256(self) -> str:
        """The SHA-256 of what the codebook says, however its file is laid out."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the codebook as JSON can say it.

        Returns
        -------
        dict[str, Any]
            ``title``, ``unit``, ``spans`` and ``codes``: a list of dictionaries with the fields of ``Code``.
        """
        codes = [{name: getattr(code, name) for name in Code.__dataclass_fields__} for code in self.codes]
        return {"title": self.title, "unit": self.unit, "spans": self.spans, "codes": codes}

    def in_order(self, names: frozenset[str] | set[str]) -> list[str]:
        """Return names of codes in the codebook's order.

        Parameters
        ----------
        names
            Names of codes; those that the codebook does not have are left out.

        Returns
        -------
        list[str]
            Each name once, as the codebook lists them.
        """
        return [name for name in self.names if name in names]


def read_codebook(path: str | Path) -> Codebook:
    """Read a codebook from a TOML file.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Codebook
        The codes; those without a key have the next free one from 1 to 9.

    Raises
    ------
    UsageError
        If it is not a codebook; the message names the file, the line and the field.

    Examples
    --------
    >>> read_codebook("datasets/casino/codes.toml").names[:2]
    ('small-talk', 'elicit-pref')
    """
    file = Path(path)
    try:
        text = read_text(file)
        content = read_toml(text)
    except TomlError as error:
        raise UsageError(f"{file}: {error}") from None
    lines = lines_of(text)

    def place(path: tuple[str | int, ...]) -> str:
        number = nearest_line(lines, path)
        return f"{file}, line {number or 1}" + (f", {field_of(path)}" if path else "")

    return _Reader(place).codebook(content)


def codebook_of(content: Mapping[str, Any], where: str) -> Codebook:
    """Return the codebook that a coded file carries; `where` names the file in errors."""

    def place(path: tuple[str | int, ...]) -> str:
        return f"{where}, codebook" + (f", {field_of(path)}" if path else "")

    return _Reader(place).codebook(content)


class _Reader:
    """Reads what TOML or JSON holds; `place` says where a field stands."""

    def __init__(self, place: Any) -> None:
        self.place = place

    def fail(self, path: tuple[str | int, ...], reason: str) -> UsageError:
        return UsageError(f"{self.place(path)}: {reason}")

    def codebook(self, content: Mapping[str, Any]) -> Codebook:
        self.check_fields((), content, ("title", "unit", "spans", "codes"))
        title = self.read_text(("title",), content.get("title"), "title")
        unit, spans, listed = content.get("unit", "message"), content.get("spans", False), content.get("codes")
        if unit != "message":
            raise self.fail(("unit",), f"is {shown(unit)}; only a 'message' can be coded")
        if not isinstance(spans, bool):
            raise self.fail(("spans",), f"is {shown(spans)}; give true or false")
        if not isinstance(listed, list) or not listed:
            raise self.fail(("codes",), "is not a list of codes; write [[codes]] and a name for each")
        if len(listed) > MOST_CODES:
            raise self.fail(("codes",), f"has {len(listed)} codes; at most {MOST_CODES} fit a page")
        codes = tuple(self.code(place, code) for place, code in enumerate(listed))
        self.check_unique(codes)
        return Codebook(title, _add_keys(codes), unit, spans)

    def code(self, place: int, content: object) -> Code:
        at = ("codes", place)
        if not isinstance(content, dict):
            raise self.fail(at, f"is {shown(content)}; a code is a table with a name")
        self.check_fields(at, content, tuple(Code.__dataclass_fields__))
        name = content.get("name")
        if not isinstance(name, str) or not NAME.fullmatch(name) or name.lower() == NONE:
            rule = f"up to 40 letters a to z, digits, - and _, and not {shown(NONE)}"
            raise self.fail((*at, "name"), f"is {shown(name)}; a name has {rule}")
        texts = {
            field: self.read_text((*at, field), content.get(field, ""), field) for field in ("definition", "example")
        }
        label = self.read_text((*at, "label"), content.get("label", name), "label")
        key, group = content.get("key"), content.get("group")
        if key is not None and (isinstance(key, bool) or key not in KEYS):
            raise self.fail((*at, "key"), f"is {shown(key)}; a key is a whole number from 1 to 9")
        if group is not None and (not isinstance(group, str) or not NAME.fullmatch(group)):
            raise self.fail((*at, "group"), f"is {shown(group)}; a group is named by the same rules as a code")
        return Code(name, label, texts["definition"], texts["example"], key, group)

    def read_text(self, path: tuple[str | int, ...], value: object, field: str) -> str:
        needed = field in ("title", "label")
        if not isinstance(value, str) or (needed and not value.strip()):
            raise self.fail(path, f"is {shown(value)}; write a text" if value is not None else "is not there")
        if len(value) > LONGEST[field]:
            raise self.fail(path, f"has {len(value):,} characters; at most {LONGEST[field]:,} fit a page")
        return line(value.strip(), 2 * LONGEST[field]) if needed else value.strip()

    def check_fields(self, path: tuple[str | int, ...], content: Mapping[str, Any], fields: tuple[str, ...]) -> None:
        for name in content:
            if name not in fields:
                raise self.fail((*path, name), f"is not a field of a codebook; {meant(name, fields)}")

    def check_unique(self, codes: tuple[Code, ...]) -> None:
        for field in ("name", "key", "label"):
            first: dict[object, int] = {}
            for place, code in enumerate(codes):
                value = getattr(code, field)
                same = value.lower() if isinstance(value, str) else value
                if same is not None and same in first:
                    other = codes[first[same]].name
                    raise self.fail(("codes", place, field), f"is {shown(value)}, as that of the code {shown(other)}")
                first[same] = place
        for place, code in enumerate(codes):
            if code.group is not None and sum(member.group == code.group for member in codes) < 2:
                raise self.fail(("codes", place, "group"), f"{shown(code.group)} has one code; a group has two or more")


def _add_keys(codes: tuple[Code, ...]) -> tuple[Code, ...]:
    """Give codes without a key the next free one, as long as there are any."""
    free = [key for key in KEYS if key not in {code.key for code in codes}]
    return tuple(code if code.key is not None or not free else replace(code, key=free.pop(0)) for code in codes)
