"""The line of each field of a TOML file, which `tomllib` does not give.

The text has been read by `tomllib` before, so what is met here is TOML, and only headers, keys, strings, comments and
brackets need be told apart.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import TypeAlias

from negstats.errors import shown

Path: TypeAlias = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'",
    re.DOTALL,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WORD = re.compile(r"[^,\]}\n#]*")  # numbers, dates, true and false


def lines_of(text: str) -> dict[Path, int]:
    r"""Return the line, from 1, of each field in a TOML text: where its key or header first stands.

    Elements of a list are counted from 0.

    Examples
    --------
    >>> lines_of("a.b = 1\n[[c]]\n# d = 1\nd = [{e = 2},\n {e = 3}]")[("c", 0, "d", 1, "e")]
    5
    """
    return _Scanner(text).scanned()


def nearest_line(lines: Mapping[Path, int], path: Path) -> int | None:
    """Return the line of a field, or of the nearest table that it would stand in; None where no lines are known.

    Examples
    --------
    >>> nearest_line({("offers",): 3, ("offers", "accepted"): 4}, ("offers", "responses"))
    3
    """
    places = (lines.get(path[:length]) for length in range(len(path), 0, -1))
    return next((place for place in places if place is not None), 1 if lines else None)


def field_of(path: Path) -> str:
    """Return a path as a message spells it; elements of lists are counted from 1.

    Examples
    --------
    >>> field_of(("leave_out", 0, "column"))
    'leave_out 1.column'
    """
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f" {step + 1}"
            continue
        plain = step.replace("_", "").replace("-", "").isalnum()
        text += ("." if text else "") + (step if plain else shown(step))
    return text


class _Scanner:
    """Walks through the text; `at` is the place of the next character."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text.replace("\r\n", "\n"), 0
        self.counted, self.newlines = 0, 0  # where lines were last counted, and how many there were
        self.found: dict[Path, int] = {}
        self.elements: dict[Path, int] = {}  # how many [[headers]] each list of tables had

    def scanned(self) -> dict[Path, int]:
        table: Path = ()
        self.blank()
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.pair(table)
            self.blank()
        return self.found

    def header(self) -> Path:
        is_list = self.text.startswith("[[", self.at)
        self.at += 2 if is_list else 1
        line = self.line()
        path: Path = ()
        keys = self.keys()
        for place, key in enumerate(keys):
            path = (*path, key)
            self.found.setdefault(path, line)
            if is_list and place == len(keys) - 1:
                self.elements[path] = self.elements.get(path, -1) + 1
            if path in self.elements:  # a table below a list of tables is one of its last element
                path = (*path, self.elements[path])
                self.found.setdefault(path, line)
        self.at += 2 if is_list else 1
        return path

    def pair(self, table: Path) -> None:
        line = self.line()
        path = table
        for key in self.keys():
            path = (*path, key)
            self.found.setdefault(path, line)
        self.at += 1  # the equals sign
        self.value(path)

    def keys(self) -> list[str]:
        keys = []
        while True:
            self.blank()
            match = _STRING.match(self.text, self.at)
            if match is None:
                match = _BARE.match(self.text, self.at)
                keys.append(match[0] if match else "")
            else:
                keys.append(str(tomllib.loads(f"key = {match[0]}")["key"]))
            self.at = match.end() if match else self.at + 1
            self.blank()
            if not self.text.startswith(".", self.at):
                return keys
            self.at += 1

    def value(self, path: Path) -> None:
        self.blank()
        self.found.setdefault(path, self.line())
        if (start := self.text[self.at : self.at + 1]) in ("[", "{"):
            self.at += 1
            self.inside(path, "]" if start == "[" else "}")
            return
        match = _STRING.match(self.text, self.at) or _WORD.match(self.text, self.at)
        self.at = match.end() if match else self.at + 1

    def inside(self, path: Path, end: str) -> None:
        place = 0
        while True:
            self.blank()
            if self.text[self.at : self.at + 1] in (end, ""):
                self.at += 1
                return
            if end == "]":
                self.value((*path, place))
            else:
                self.pair(path)
            place += 1
            self.blank()
            if self.text.startswith(",", self.at):
                self.at += 1

    def blank(self) -> None:
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def line(self) -> int:
        self.newlines += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        return self.newlines + 1
