"""What programs write into logs: dates and times, Python literals, names in brackets, paths. Nothing is executed."""

from __future__ import annotations

import ast
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeGuard

from negstats.errors import LogError, shown
from negstats.loaders.files.intake import LONGEST_LITERAL

# The year first, so that day and month cannot be exchanged; minutes and seconds have two digits in every program.
_YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})(?P<sign>[-/])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})"
    r"(?:(?:[Tt]|\s+)(?P<hour>\d{1,2})(?P<rest>:\d\d(?::\d\d(?:[.,]\d+)?)?)\s*(?P<zone>Z|z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?"
)


def is_number(value: object, most: float = 1e300) -> TypeGuard[int | float]:
    """Whether a value of JSON, of YAML or of a literal is a number of at most a size; true, NaN and infinity are none.

    Examples
    --------
    >>> [is_number(value) for value in (2, -0.5, True, float("nan"), "2", None)]
    [True, True, False, False, False, False]
    """
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= most


def read_moment(text: str) -> datetime:
    """Return the moment that a text names, in UTC; a text without a zone is taken for UTC.

    Parameters
    ----------
    text
        A time in any of the forms of ISO 8601, or with the year first, the parts of the date divided by ``-`` or ``/``,
        a ``T`` or blanks before the hour, and one digit for a month, a day or an hour below ten.

    Raises
    ------
    ValueError
        If it is no such time, as where the day or the month may come first (7/8/2025).

    Examples
    --------
    >>> read_moment("2025-07-30 1:15:40").isoformat()
    '2025-07-30T01:15:40+00:00'
    >>> read_moment("2025/7/3 11:05:00.25 +02:00").isoformat()
    '2025-07-03T09:05:00.250000+00:00'
    """
    if parts := _YEAR_FIRST.fullmatch(text):
        text = f"{parts['year']}-{parts['month']:0>2}-{parts['day']:0>2}"
        if parts["hour"]:
            zone = parts["zone"] or ""
            is_offset = zone[:1] in ("+", "-")
            text += f"T{parts['hour']:0>2}{parts['rest']}{zone if is_offset or not zone else 'Z'}"
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        return time.replace(tzinfo=UTC)
    try:
        return time.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{text} is before the year 1 or after 9999 in UTC") from None


PICKLES = frozenset({".pkl", ".pickle", ".cloudpickle", ".npy", ".npz", ".joblib"})  # files that are never opened

DEEPEST = 16  # levels of lists, tuples and dicts inside each other
_WORD = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![\w.])(-?)\b(nan|inf)\b(?![\w.])""")
_NAMED = re.compile(r"""(['"])(?P<key>[^'"]{1,200})\1:\s*<\w{1,100}\.(?P<value>\w{1,100}):[^<>]{0,100}>""")


def python_value(text: str, *, file: Path, row: int | None, column: str, longest: int = LONGEST_LITERAL) -> Any:
    """Read a Python literal: numbers, words, None, and lists, tuples and dicts of them.

    The bare words nan and inf outside quotes are missing values and infinities.

    Parameters
    ----------
    text
        What the cell holds.
    file, row, column
        Where it stands, for the error.
    longest
        The most characters it may have.

    Raises
    ------
    LogError
        If it is not a literal, has a key twice, or is too long or nested too deeply to be one of a log.

    Examples
    --------
    >>> python_value("[nan, ('low', 3)]", file=Path("log.csv"), row=2, column="offer")
    [None, ('low', 3)]
    """
    fault = LogError(f"{shown(text)} is not a Python literal such as ('low', 3)", file=file, row=row, column=column)
    if len(text) > longest:
        raise fault
    try:
        tree = ast.parse(_WORD.sub(_spelled, text.strip()), mode="eval")
        value = ast.literal_eval(tree)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        raise fault from None
    if not _shallow(value, DEEPEST):
        raise fault
    twice = [key for node in ast.walk(tree) if isinstance(node, ast.Dict) for key in _find_repeated(node)]
    if twice:
        raise LogError(f"has the key {twice[0]} twice", file=file, row=row, column=column)
    return value


def _find_repeated(node: ast.Dict) -> list[str]:
    keys = [ast.unparse(key) for key in node.keys if key is not None]
    return [key for key in keys if keys.count(key) > 1] if len(set(keys)) < len(keys) else []


def _spelled(match: re.Match[str]) -> str:
    """Return what a literal may hold in place of a bare nan or inf; what stands in quotes stays."""
    if match[2] is None:
        return match[0]
    return "None" if match[2] == "nan" else f"{match[1]}1e999"


def _shallow(value: Any, depth: int) -> bool:
    """Whether a value holds only what logs hold, at most `depth` levels of it, and text that can be written."""
    match value:
        case None | bool() | int() | float():
            return True
        case str():
            return not any("\ud800" <= letter <= "\udfff" for letter in value)
        case dict():
            return depth > 0 and all(_shallow(part, depth - 1) for pair in value.items() for part in pair)
        case list() | tuple():
            return depth > 0 and all(_shallow(part, depth - 1) for part in value)
        case _:
            return False


def named_values(text: str) -> dict[str, str]:
    """Return what a printed dict of a program's own names says: for each key the name, without its number.

    Examples
    --------
    >>> named_values("{'P0-85': <ResponseType.ACCEPT_OFFER: 0>}")
    {'P0-85': 'ACCEPT_OFFER'}
    """
    return {match["key"]: match["value"] for match in _NAMED.finditer(text[:LONGEST_LITERAL])}


def last_part(name: str) -> str:
    r"""Return the last part of a path of a file, a folder or a class.

    Examples
    --------
    >>> [last_part(name) for name in ("negmas.sao.SAOMechanism", "/home/ann/logs/one/", "C:\\logs\\one.yaml")]
    ['SAOMechanism', 'one', 'one']
    """
    base_name = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    if base_name != name:
        return re.sub(r"\.(ya?ml|json|csv|xlsx|txt)$", "", base_name)
    return base_name.rsplit(".", 1)[-1]
