"""Reading TOML that anybody may have written, bounded and with the line of the fault; and writing texts of it.

`tomllib` reads a key of n dotted parts in n² steps and bytes, and nests as deep as a text says. What no file of ours
needs is refused before it costs anything. Lines of fields are looked for in a text that `tomllib` has read, so what is
met there is TOML, and only headers, keys, strings, comments and brackets need be told apart.

>>> read_toml('row = "offer"')
{'row': 'offer'}
>>> read_toml("a." * 50_000 + "a = 1")
Traceback (most recent call last):
    ...
negstats.toml_text.TomlError: line 1: is nested deeper than 12 levels
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from negstats.errors import NegstatsError, shown

Place: TypeAlias = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'",
    re.DOTALL,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WORD = re.compile(r"[^,\]}\n#]*")  # numbers, dates, true and false


def lines_of(text: str) -> dict[Place, int]:
    r"""Return the line, from 1, of each field in a TOML text: where its key or header first stands.

    Elements of a list are counted from 0.

    Examples
    --------
    >>> lines_of("a.b = 1\n[[c]]\n# d = 1\nd = [{e = 2},\n {e = 3}]")[("c", 0, "d", 1, "e")]
    5
    """
    return _Scanner(text).scanned()


def nearest_line(lines: Mapping[Place, int], path: Place) -> int | None:
    """Return the line of a field, or of the nearest table that it would stand in; None where no lines are known.

    Examples
    --------
    >>> nearest_line({("offers",): 3, ("offers", "accepted"): 4}, ("offers", "responses"))
    3
    """
    places = (lines.get(path[:length]) for length in range(len(path), 0, -1))
    return next((place for place in places if place is not None), 1 if lines else None)


def field_of(path: Place) -> str:
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
        self.found: dict[Place, int] = {}
        self.elements: dict[Place, int] = {}  # how many [[headers]] each list of tables had

    def scanned(self) -> dict[Place, int]:
        table: Place = ()
        self.blank()
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.pair(table)
            self.blank()
        return self.found

    def header(self) -> Place:
        is_list = self.text.startswith("[[", self.at)
        self.at += 2 if is_list else 1
        line = self.line()
        path: Place = ()
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

    def pair(self, table: Place) -> None:
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

    def value(self, path: Place) -> None:
        self.blank()
        self.found.setdefault(path, self.line())
        if (start := self.text[self.at : self.at + 1]) in ("[", "{"):
            self.at += 1
            self.inside(path, "]" if start == "[" else "}")
            return
        match = _STRING.match(self.text, self.at) or _WORD.match(self.text, self.at)
        self.at = match.end() if match else self.at + 1

    def inside(self, path: Place, end: str) -> None:
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


MOST_BYTES = 1_000_000
MOST_DEEP = 12  # tables and lists in each other: a part's seat's items' source has ten
_MOST_DOTS = 64  # of one key, as in the pattern below
_DOTTED = re.compile(r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){64}""")
_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


class TomlError(NegstatsError):
    """A text is not TOML, or larger or deeper than a file of ours. It has the `reason`, the `line` and the `key`."""

    def __init__(self, reason: str, line: int | None = None, key: str = "") -> None:
        self.reason, self.line, self.key = reason, line, key
        super().__init__(reason if line is None else f"line {line}: {reason}")


def read_toml(text: str, *, most_bytes: int = MOST_BYTES, most_deep: int = MOST_DEEP) -> dict[str, Any]:
    """Return what a TOML text says.

    Parameters
    ----------
    text
        The text.
    most_bytes
        How large it may be.
    most_deep
        How many tables and lists may stand in each other below the top.

    Raises
    ------
    TomlError
        If it is larger, deeper or no TOML.
    """
    if len(text) > most_bytes or len(text.encode("utf-8", "surrogatepass")) > most_bytes:
        raise TomlError(f"is larger than {most_bytes / 1e6:g} MB")
    deep = f"is nested deeper than {most_deep} levels"
    for line, words in enumerate(text.split("\n"), 1):
        if words.count(".") >= _MOST_DOTS and _DOTTED.search(words):
            raise TomlError(deep, line)
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise TomlError(deep, 1) from None
    except ValueError as error:  # TOMLDecodeError, and numbers with more digits than Python reads
        reason = str(error)
        place = _PLACE.search(reason)
        line = int(place[1]) if place and place[1] else text.count("\n") + 1
        reason = _PLACE.sub("", reason).removesuffix(" in a key/value pair")
        hint = "; text needs quotes" if reason == "Invalid value" else ""
        raise TomlError(f"TOML cannot read this: {reason[:1].lower()}{reason[1:]}{hint}", line) from None
    for key, value in content.items():
        if _depth(value, most_deep) > most_deep:
            raise TomlError(deep, 1, key)
    return content


def _depth(value: object, most: int) -> int:
    """Return how many tables and lists stand in each other; no more than `most` and one are counted."""
    deep, level = 0, [value]
    while deep <= most and (level := [item for item in level if isinstance(item, (dict, list))]):
        deep += 1
        level = [item for holder in level for item in (holder.values() if isinstance(holder, dict) else holder)]
    return deep


def text_of(data: bytes) -> str:
    r"""Return the text of a TOML file's bytes, with or without a byte order mark.

    Raises
    ------
    TomlError
        If they are not UTF-8; names the byte and its line.

    Examples
    --------
    >>> text_of('row = "game"'.encode("utf-8-sig"))
    'row = "game"'
    >>> text_of(b"a = 1\n\xe4")
    Traceback (most recent call last):
        ...
    negstats.toml_text.TomlError: line 2: is not UTF-8 text (byte 7); save it as UTF-8
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason = f"is not UTF-8 text (byte {error.start + 1}); save it as UTF-8"
        raise TomlError(reason, data.count(b"\n", 0, error.start) + 1) from None


def read_text(file: Path, *, most_bytes: int = MOST_BYTES) -> str:
    """Return the text of a TOML file that is no larger than a file of ours.

    Parameters
    ----------
    file
        The file.
    most_bytes
        How large it may be.

    Raises
    ------
    TomlError
        If it is not there, cannot be read, is larger or no UTF-8.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(most_bytes + 1)
    except FileNotFoundError:
        raise TomlError("is not there") from None
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        raise TomlError(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > most_bytes:
        raise TomlError(f"is larger than {most_bytes / 1e6:g} MB")
    return text_of(data)


def value_text(value: object) -> str:
    r"""Return a text, number, truth value, list or table as TOML spells it within a line.

    Examples
    --------
    >>> print(value_text('a "b"'), value_text(["a", "b"]), value_text([{"a b": "c"}]), value_text(True))
    "a \"b\"" ["a", "b"] [{ "a b" = "c" }] true
    """
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key(name)} = {value_text(cell)}" for name, cell in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(value_text, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def key(name: str) -> str:
    """Return a key as TOML spells it: bare where it may be.

    Examples
    --------
    >>> print(key("points"), key("a b"))
    points "a b"
    """
    is_bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if is_bare else value_text(name)


def table_text(path: Sequence[str], fields: Mapping[str, object], comments: Sequence[str] = ()) -> str:
    """Return a table of TOML below its comments; a field that is None is left out.

    Examples
    --------
    >>> print(table_text(["factors", "condition"], {"levels": ["CL", "FC"], "within": None}))
    [factors.condition]
    levels = ["CL", "FC"]
    """
    lines = [f"{name} = {value_text(value)}" for name, value in fields.items() if value is not None]
    return "\n".join([*comments, f"[{'.'.join(map(key, path))}]", *lines])


def one_or_list(names: Sequence[str]) -> str | list[str] | None:
    """Return names as a plan takes them: a list, one alone without brackets, None where there are none."""
    return list(names) if len(names) > 1 else next(iter(names), None)
