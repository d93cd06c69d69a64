r"""Reading a TOML text within bounds: one that is larger or deeper than a file of ours is refused, with the line.

`tomllib` reads a key of n dotted parts in n² steps and bytes, and nests as deep as a text says. What no file of ours
needs is refused before it costs anything.

>>> read_toml('row = "offer"')
{'row': 'offer'}
>>> read_toml("a." * 50_000 + "a = 1")
Traceback (most recent call last):
    ...
negstats.toml_text.reading.TomlError: line 1: is nested deeper than 12 levels
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from negstats.errors import NegstatsError

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
    negstats.toml_text.reading.TomlError: line 2: is not UTF-8 text (byte 7); save it as UTF-8
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
