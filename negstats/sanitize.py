r"""Sanitising text that is printed or written for people, so that it hides nothing and executes nothing.

A log may hold anything in a name or an answer. Control characters move a terminal's cursor, change its colours or
title; bidi marks turn the order of what is read; a cell that begins with ``=`` is a formula; ``$`` begins mathematics
in a figure; half surrogates and zero bytes end a Word file or an SVG. All of these are shown as the escapes by which
Python, JSON and TOML spell them (``\u001b``), or made harmless in the way of the form.

>>> line("red \x1b[31m and \u202eturned")
'red \\u001b[31m and \\u202eturned'
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd

# Controls, marks that turn or hide text, line breaks that no editor shows, half surrogates, and what is no character.
# The joiners U+200C and U+200D stay: Persian and emoji are written with them.
_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_HIDDEN = r"\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
_NONE = r"\ud800-\udfff\ufdd0-\ufdef" + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(17))
_UNSAFE = re.compile(f"[{_CONTROLS}{_HIDDEN}{_NONE}]")
# The same for a regular expression of JavaScript with the flag "u", where a lone surrogate can stand too.
HIDDEN = re.sub(r"\\U([0-9a-f]{8})", r"\\u{\1}", f"[{_CONTROLS}{_HIDDEN}{_NONE}]")
_BREAKS = re.compile("[ ]*[\t\n\x0b\x0c\r\x85\u2028\u2029]+[ ]*")
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")
_NUMBER = re.compile(r"\s*[+-]?(\d[\d_]*\.?\d*|\.\d+)([eE][+-]?\d+)?%?\s*")
_DOLLAR = re.compile(r"(?<!\\)\$")
_LONE = re.compile("[\ud800-\udfff]")
_ZERO = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")  # the escape, not a text that spells it
_MARKUP = {"&": "\\u0026", "<": "\\u003c", ">": "\\u003e"}

MOST = 1000  # characters of a line
# Nouns whose plural is no mere s; what ends in s, x, ch or a consonant with y is written by rule.
PLURALS = {"person": "people", "analysis": "analyses", "hypothesis": "hypotheses", "series": "series", "is": "are",
           "was": "were", "has": "have"}  # fmt: skip


def text(value: object) -> str:
    r"""Return text of several lines as it can be shown: line breaks and tabs stay.

    Examples
    --------
    >>> text("one\r\ntwo\x07")
    'one\ntwo\\u0007'
    """
    return _UNSAFE.sub(_escape, str(value).replace("\r\n", "\n"))


def line(value: object, most: int = MOST) -> str:
    r"""Return text as one line of at most `most` characters; a line break becomes a space.

    Examples
    --------
    >>> line("one\n  two"), line("x" * 20, most=5)
    ('one two', 'xxxx…')
    """
    whole = str(value)
    # What is cut anyway need not be looked through: a character is never shown in less than one.
    safe = text(_BREAKS.sub(" ", whole[: 4 * most]))
    return safe if len(safe) <= most and len(whole) <= 4 * most else safe[: most - 1] + "…"


def label(value: object, most: int = MOST) -> str:
    r"""Return text for a figure, where ``$`` would begin mathematics; line breaks stay.

    Examples
    --------
    >>> print(label("$5 or $10"))
    \$5 or \$10
    """
    lines = str(value)[: 4 * most].split("\n")
    return "\n".join(_DOLLAR.sub(r"\\$", line(each, most)) for each in lines)


def marked(value: object) -> str:
    r"""Return text for a page, where what hides or turns is shown as a mark; line breaks and tabs stay.

    Examples
    --------
    >>> marked("a\u202eb")
    'a⟨U+202E⟩b'
    """
    return _UNSAFE.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", str(value).replace("\r\n", "\n"))


def json_text(dumped: str) -> str:
    r"""Return JSON whose text is safe to look at: what is not is spelled by its escape, so its meaning stays.

    Examples
    --------
    >>> print(json_text('"a\u202eb"'))
    "a\u202eb"
    """
    if dumped.isascii() and dumped.isprintable():  # most games of most logs: nothing to look for
        return dumped
    return _UNSAFE.sub(lambda match: "".join(f"\\u{half:04x}" for half in _halves(match[0])), dumped)


def embedded_json(value: object) -> str:
    r"""Return JSON that may stand inside a page or a script: no markup, nothing hidden, nothing that is no character.

    Examples
    --------
    >>> print(embedded_json(["</script>", "a\u202eb", "half \ud800"]))
    ["\u003c/script\u003e","a\u202eb","half �"]
    """
    dumped = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    if not dumped.isascii():
        dumped = _LONE.sub("\ufffd", dumped)
    if "\\u0000" in dumped:
        dumped = _ZERO.sub("\\1\ufffd", dumped)
    safe = json_text(dumped)
    for mark, escape in _MARKUP.items():
        safe = safe.replace(mark, escape)
    return safe


def plural(noun: str) -> str:
    """Return the plural of a noun; of several words that of the last.

    Examples
    --------
    >>> plural("person"), plural("study"), plural("unit of analysis"), plural("missing value")
    ('people', 'studies', 'units of analysis', 'missing values')
    """
    if " of " in noun:
        first, _, rest = noun.partition(" of ")
        return f"{plural(first)} of {rest}"
    modifiers, blank, last = noun.rpartition(" ")
    if last in PLURALS:
        plural_noun = PLURALS[last]
    elif re.search(r"[^aeiou]y$", last):
        plural_noun = f"{last[:-1]}ies"
    else:
        plural_noun = f"{last}es" if re.search(r"(s|x|ch|sh)$", last) else f"{last}s"
    return f"{modifiers}{blank}{plural_noun}"


def noun_for(count: int, noun: str) -> str:
    """Return a noun in the number that a count asks for.

    Examples
    --------
    >>> noun_for(1, "person"), noun_for(2, "person")
    ('person', 'people')
    """
    return noun if count == 1 else plural(noun)


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, singular or plural; thousands have commas.

    Examples
    --------
    >>> counted(1, "game"), counted(1030, "game"), counted(2, "person"), counted(0, "study")
    ('1 game', '1,030 games', '2 people', '0 studies')
    """
    return f"{count:,} {noun_for(count, noun)}"


def capitalised(words: str) -> str:
    """Return a text that begins with a capital; names inside it keep theirs.

    Examples
    --------
    >>> capitalised("joint value in the US")
    'Joint value in the US'
    """
    return words[:1].upper() + words[1:]


def first_few(names: Sequence[str], most: int = 3, between: str = ", ") -> str:
    """Return the first of some names, and how many more there are.

    Examples
    --------
    >>> first_few(["a", "b", "c"]), first_few(["a", "b", "c", "d", "e"])
    ('a, b, c', 'a, b, c and 2 more')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{between.join(names[:most])}{more}"


def in_sentence(words: Iterable[str], last: str = "and") -> str:
    """Return words as a list in a sentence.

    Examples
    --------
    >>> in_sentence(["4", "5", "7"]), in_sentence(["4", "5"], "or"), in_sentence(["4"])
    ('4, 5 and 7', '4 or 5', '4')
    """
    *others, end = list(words) or [""]
    return f"{', '.join(others)} {last} {end}" if others else end


def csv_cell(value: str) -> str:
    """Return a cell of CSV that no spreadsheet takes for a formula: one that begins like it gets an apostrophe first.

    Numbers that are written as text stay as they are.

    Examples
    --------
    >>> csv_cell("=1+1"), csv_cell("-5"), csv_cell("plain")
    ("'=1+1", '-5', 'plain')
    """
    safe = text(value)
    return f"'{safe}" if _FORMULA.match(safe) and not _NUMBER.fullmatch(safe) else safe


def csv_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose names and texts can stand in a CSV file that people open; see `csv_cell`."""
    columns = []
    for place in range(frame.shape[1]):
        values = frame.iloc[:, place]
        if values.dtype.kind in "biufcmM":
            columns.append(values)
            continue
        texts = [value for value in values.dropna().unique() if isinstance(value, str)]
        changed = {value: safe for value in texts if (safe := csv_cell(value)) != value}
        columns.append(_replace_texts(values, changed) if changed else values)
    whole = frame.copy(deep=False) if not columns else _join_columns(columns)
    whole.columns = [csv_cell(str(name)) for name in frame.columns]
    return whole


def _join_columns(columns: list[pd.Series]) -> pd.DataFrame:
    import pandas as pd

    return pd.concat(columns, axis="columns")


def _replace_texts(values: pd.Series, new: dict[str, str]) -> pd.Series:
    """Return the values with new texts, as objects: a text with half a pair of surrogates is none to Arrow."""
    import pandas as pd

    replaced = [new.get(value, value) if isinstance(value, str) else value for value in values]
    return pd.Series(replaced, index=values.index, dtype=object)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _halves(character: str) -> tuple[int, ...]:
    """Return the one or two 16-bit units in which JSON spells a character."""
    code = ord(character)
    return (code,) if code <= 0xFFFF else (0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF))
