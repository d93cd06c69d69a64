"""A test statistic in a text, in the forms that people write: its symbol, df, relation and value, and the p of it.

The p stands behind its statistic or before it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from negstats.audit.words import words_of
from negstats.printed_numbers import Printed, printed

WINDOW = 160  # characters after a value in which its p is looked for
WORDS = words_of("statistic_patterns")
# Of people's sentences: "for three comparisons", "a seven-point scale".
NUMBER_WORDS = {word: at for at, word in enumerate(words_of("parts").text("number_words").split("|"), 2)}
RELATIONS = {"<<": "<", "≪": "<", "<=": "≤", "=<": "≤", ">>": ">", "≫": ">", ">=": "≥", "=>": "≥", "≈": "="}
# Each statistic and each p has a relation or a decimal behind its symbol, or is "n.s."; most sentences have neither.
# `re` looks for a pattern that begins with one character much faster than for a class of them.
BEFORE_SIGN, BEHIND_SIGN = 300, 100  # characters: twice what a symbol takes with its df, and a value with its power
SIGNS = tuple(  # with what stands behind each, where another sign would add nothing
    re.compile(rf"{sign}(?s:.{{0,{BEHIND_SIGN}}})")
    for sign in (r"\.(?=\d)", *"=<>≤≥≈≪≫", r"ns(?<!\w..)(?![A-Za-z])", r"n\.s", "NS")
)
DECIMAL = SIGNS[0]
OF_F, OF_OTHER = re.compile("[,;/-]"), re.compile("[,;/]")  # F (2-90)
WITH_N = ("chi2", "g2", "q", "h")  # statistics whose df may have n behind them
EFFECTS = ("r", "rho", "tau", "u")  # symbols that without df behind another statistic are its effect size


@dataclass(frozen=True, slots=True)
class Head:
    """A statistic with its value; its p is still to be found."""

    kind: str
    start: int
    end: int
    df: tuple[Printed, ...]
    n: int | None
    relation: str
    value: Printed
    written: str


def symbols(text: str, first: int = 0, last: int | None = None) -> Iterator[re.Match[str]]:
    """Yield the symbols of statistics between two places, as the form `head` finds them, in a third of the time."""
    last = len(text) if last is None else last
    last_end = first
    for start in WORDS.start.finditer(text, first, last):
        if start.start() >= last_end and (head_match := WORDS.head.match(text, start.start(), last)):
            last_end = head_match.end()
            yield head_match


def result_windows(text: str, signs: Sequence[re.Pattern[str]] = SIGNS) -> list[tuple[int, int]]:
    """Return the parts of a text that may hold a result, in order: those around what every statistic and every p has.

    Examples
    --------
    >>> text = "Words go on. " * 100 + "They differed, t(28) = 2.20, p = .036." + " Words go on." * 100
    >>> [text[first:last].count("t(28) = 2.20, p = .036") for first, last in result_windows(text)]
    [1]
    """
    spans = sorted(sign.span() for pattern in signs for sign in pattern.finditer(text))
    windows: list[tuple[int, int]] = []
    for start, end in spans:
        window_start = max(start - BEFORE_SIGN, 0)
        if windows and window_start <= windows[-1][1]:
            window_start, window_end = windows.pop()
            end = max(end, window_end - BEHIND_SIGN)
        windows.append((window_start, min(end + BEHIND_SIGN, len(text))))
    return windows


def stops(text: str, first: int, last: int) -> Iterator[re.Match[str]]:
    """Yield the ends of sentences between two places."""
    for stop in WORDS.end.finditer(text, first, last):
        if not WORDS.abbreviation.search(text, max(stop.start() - 8, 0), stop.start() + 1):
            yield stop


@functools.lru_cache(maxsize=4096)  # texts print the same numbers again and again
def _number(text: str) -> Printed:
    text = text.replace(" ", "")
    decimal = WORDS.decimal_comma.fullmatch(text)
    return printed(text.replace(",", "." if decimal else ""))


def head_at(text: str, match: re.Match[str]) -> Head | None:
    """Read df, relation and value behind a symbol; None if it is not a statistic after all."""
    kind, end = str(match.lastgroup), match.end()
    if kind == "z" and WORDS.effect_z.search(text, max(match.start() - 3, 0), match.start()):
        return None
    if kind == "z" and WORDS.place.search(text, max(match.start() - 30, 0), match.start()):
        return None
    df: tuple[Printed, ...] = ()
    n = None
    if bracket := WORDS.bracket.match(text, end):
        df_and_size = df_and_n(bracket[1], kind)
        if df_and_size is None:
            return None
        (df, n), end = df_and_size, bracket.end()
    elif (
        kind in ("t", "f", "chi2") or text.startswith("_", end) or (kind == "r" and WORDS.r_index.match(text, end))
    ) and (index := WORDS.index.match(text, end)):
        df_and_size = df_and_n(index[1], kind)
        if WORDS.of_times.search(text, max(match.start() - 3, 0), match.start()):
            return None
        if df_and_size is None or any(float(value) == 0 for value in df_and_size[0]):  # t0 is a time
            return None
        (df, n), end = df_and_size, index.end()
    value = WORDS.value.match(text, end)
    if value is None:
        return _worded(text, kind, match.start(), end, df, n)
    relation = RELATIONS.get(value[1], value[1])
    return Head(kind, match.start(), value.end(), df, n, relation, _number(value[2]), value[2].replace(" ", ""))


def _worded(text: str, kind: str, start: int, end: int, df: tuple[Printed, ...], n: int | None) -> Head | None:
    """Read a value behind a colon, a word or, behind df, nothing: t(28): 2.20, z-score of 2.10, F(1, 28) 4.84."""
    value = WORDS.worded_value.match(text, end)
    if value is None or (not df and not WORDS.p_soon.match(text, value.end())):
        return None
    return Head(kind, start, value.end(), df, n, "=", _number(value[1]), value[1].replace(" ", ""))


@functools.lru_cache(maxsize=4096)
def df_and_n(content: str, kind: str) -> tuple[tuple[Printed, ...], int | None] | None:
    """Return df and n of what stands in brackets; None if it is something else."""
    size = WORDS.n_is.search(content)
    without_n = WORDS.n_is.sub("", content)
    parts = [WORDS.df_head.sub("", part).strip() for part in (OF_F if kind == "f" else OF_OTHER).split(without_n)]
    parts = [part for part in parts if part]
    n_df = 2 if kind == "f" else 1
    are_numbers = all(WORDS.df_number.fullmatch(part) for part in parts)
    if are_numbers and size is None and len(parts) == 2 and kind in WITH_N and parts[1].isdecimal():  # χ²(1, 73)
        return (_number(parts[0]),), int(parts[1])
    if len(parts) == 2 and kind in ("t", "r", "rho", "z") and parts[0] == "1":
        parts = parts[1:]  # t(1, 67) is √F(1, 67)
    elif kind == "t" and " " not in without_n and WORDS.df_comma.fullmatch(without_n):
        parts = [without_n.replace(",", ".")]  # t(27,34) with a decimal comma
    elif len(parts) == 2 and kind in ("t", "r", "rho") and re.fullmatch(r"\d{3}", parts[1]):
        parts = ["".join(parts)]  # t(6, 564)
    elif len(parts) == 1 and kind == "f" and WORDS.df_point.fullmatch(parts[0]):
        parts = parts[0].split(".")  # F(1.28), a comma that became a point
    if kind == "u" and len(parts) == 2 and all(part.isdecimal() for part in parts):
        return (), None  # U(15, 17): the sizes of two groups
    if len(parts) == n_df + 1 and WORDS.in_thousands.search(without_n):
        parts[-2:] = ["".join(parts[-2:])]
    if len(parts) > n_df or not all(WORDS.df_number.fullmatch(part) for part in parts):
        return None
    if kind == "f" and len(parts) == 1:
        return None if size is None else ((), int(size[1].replace(",", "")))  # F(1, N = 73) leaves the error's df out
    return tuple(map(_number, parts)), None if size is None else int(size[1].replace(",", ""))


BEFORE = 60  # characters before a head in which a p may end
MOST_DECIMALS = (
    300  # decimals of a p; one with more is below what a float holds, or has no digit more that says anything
)
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", "()")
FILLER = frozenset(["mse", "sem", "eta", "omega", "and", "with", "two", "one", "tailed", "sided"])


def p_of(text: str, head: Head, following: int, taken: int) -> re.Match[str] | None:
    """Return the p of a statistic: the one behind it, but before it where that one leads the next statistic.

    In "p = .001, F(1, 23) = 14.51; Category, p = .007, F(1, 23) = 8.66" each p leads its own.
    """
    match_behind = p_after(text, head, following)
    leads = match_behind is not None and WORDS.between.fullmatch(text, match_behind.end(), following)
    if match_behind is not None and not leads:
        return match_behind
    match_before = _p_before(text, head, taken)
    if match_before is None or (
        leads and WORDS.of_number.search(text, max(match_before.start() - 40, 0), match_before.start())
    ):
        return match_behind
    return match_before


def p_after(text: str, head: Head, following: int) -> re.Match[str] | None:
    """Return the p that belongs to a statistic: before the next one, the sentence's end, or more than a few words."""
    limit = min(head.end + WINDOW, following)
    p_match = WORDS.p_is.search(text, head.end, min(limit + 40, following))
    if p_match is None or p_match.start() > limit:
        return None
    text_between = text[head.end : p_match.start()]
    if WORDS.of_others.search(text_between):
        return None
    words = [word for word in WORDS.word.findall(text_between) if word.lower() not in FILLER]
    return None if len(words) > 6 or any(stops(text, head.end, p_match.start())) else p_match


def _p_before(text: str, head: Head, last_end: int) -> re.Match[str] | None:
    """Return a p that is written before its statistic: p < .001, t(49) = 4.12."""
    for p_match in WORDS.p_is.finditer(text, max(last_end, head.start - BEFORE), head.start):
        if WORDS.between.fullmatch(text, p_match.end(), head.start):
            return p_match
    return None


def p_number(match: re.Match[str]) -> Printed:
    """Return the number that is printed of a p."""
    number = _p_said(match["value"] or match["bare"] or match["worded"])
    percent = match["percent"] and not WORDS.no_per_cent.match(match.string, match.end())
    return Printed(number.number / 100, number.decimals + 2) if percent else number


@functools.lru_cache(maxsize=4096)
def _p_said(text: str) -> Printed:
    text = text.replace(" ", "").replace(",", ".").translate(RAISED)
    text = f"1×{text}" if WORDS.ten.match(text) else text
    text = re.sub(r"[×x·*]10\^?|10\^?(?=-)", "e", text).replace("−", "-")
    exponent = Decimal(text).as_tuple().exponent
    return printed(f"1e-{MOST_DECIMALS}" if isinstance(exponent, int) and -exponent > MOST_DECIMALS else text)


def unread(text: str, match: re.Match[str]) -> str:
    """Return what is printed of a p that has lost its exponent or the sign of it; empty if it can be read."""
    if match["bare"] or not match["value"] or match["percent"]:
        return ""
    if match["relation"] == "=" and p_number(match).decimals >= MOST_DECIMALS:
        return str(match["value"])
    if WORDS.without_point.fullmatch(match["value"]):
        return str(match["value"])  # p < 10, p = 696, p < 0001
    power_match = WORDS.lost_power.match(text, match.end())
    lost_sign = re.search(r"[eE×x·]", match["value"]) and float(p_number(match)) > 1
    return (
        text[match.start("value") : power_match.end() if power_match else match.end()]
        if power_match or lost_sign
        else ""
    )
