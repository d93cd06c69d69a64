r"""Regular expressions that a person wrote, run in time that grows with the text alone.

RE2 (inside pyarrow) has neither lookaround nor backreferences, and therefore no pattern that takes for ever. Its
classes know ASCII only, so ``\\w`` and ``\\d`` are written out here for all scripts.
"""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from negstats.errors import one_line

_CLASSES = {"w": r"\p{L}\p{M}\p{N}_", "d": r"\p{Nd}"}
_NEGATED = {"W": r"[^\p{L}\p{M}\p{N}_]", "D": r"\P{Nd}", "Z": r"\z"}
_PIECE = re.compile(r"\\(.)|(\[\^?\]?)|(\])", re.DOTALL)


def spelled(pattern: str) -> str:
    r"""Return a pattern as RE2 wants it.

    Examples
    --------
    >>> spelled(r"(\d+)[\w-]")
    '([\\p{Nd}]+)[\\p{L}\\p{M}\\p{N}_-]'
    """
    inside = False

    def translate(match: re.Match[str]) -> str:
        nonlocal inside
        letter, begins, ends = match.groups()
        if letter in _CLASSES:
            return _CLASSES[letter] if inside else f"[{_CLASSES[letter]}]"
        if letter in _NEGATED and not inside:
            return _NEGATED[letter]
        if begins and not inside:
            inside = True
        elif ends:
            inside = False
        return match[0]

    return _PIECE.sub(translate, pattern)


def fault(pattern: str) -> str | None:
    """Return what is wrong with a pattern, None if nothing is."""
    try:
        pc.replace_substring_regex(pa.array(["x"]), _whole(pattern), "")
    except pa.ArrowInvalid as error:
        return f"is not a regular expression (without lookaround and backreferences): {one_line(error)}"
    return None


def part(text: str, pattern: str) -> str | None:
    r"""Return the part of a text that a pattern finds: its group in parentheses, if it has one; None if it finds none.

    Examples
    --------
    >>> part("sessions/Anna_Bert", r"(\w+?)_"), part("a", "b")
    ('Anna', None)
    """
    texts = pa.array([text])
    if not pc.match_substring_regex(texts, f"(?:{spelled(pattern)})")[0].as_py():
        return None
    group_text: str = pc.replace_substring_regex(texts, _whole(pattern), r"\1")[0].as_py()
    return group_text


def groups(pattern: str) -> int | None:
    """Return how many groups in parentheses a pattern has; None if it is not a regular expression."""
    try:
        return re.compile(pattern).groups
    except (re.error, RecursionError, OverflowError):
        return None


def _whole(pattern: str) -> str:
    """Return a pattern for the whole of a text, whose first group is the part that is meant."""
    grouped_pattern = f"(?:{spelled(pattern)})" if groups(pattern) else f"({spelled(pattern)})"
    return f"(?s:^.*?){grouped_pattern}(?s:.*)$"
