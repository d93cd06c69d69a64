"""A judgement of what one printed number says of another, its grades, and the numbers beside a result."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from negstats.audit.distributions import size_of
from negstats.audit.find_results import Reported
from negstats.audit.statistic_patterns import WORDS as OF_TESTS
from negstats.audit.words import words_of
from negstats.printed_numbers import Printed, magnitude, printed

Grade: TypeAlias = Literal[
    "fits", "fits only if", "differs", "changes the conclusion", "cannot be", "cannot be checked"
]
FLAGGED_GRADES: tuple[Grade, ...] = ("cannot be", "changes the conclusion", "differs")
Range: TypeAlias = tuple[float, float]
Said: TypeAlias = tuple[Grade, str, str]  # its grade, the numbers, and why
Row: TypeAlias = tuple[
    object, Grade, "str | Callable[[], str]"
]  # a condition, a grade, and why, in words or what writes them
RIGHT_IF = "; what is printed is right if "
FAR, SHARE = 0.5, 0.25  # a z this far off, and by this share, is no matter of the method (Wald, score, profile, exact)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one printed number says of another.

    Attributes
    ----------
    grade : str
        "fits", "fits only if" (what a usual design would explain), "differs", "changes the conclusion", "cannot be"
        or "cannot be checked".
    what : str
        The numbers: "partial η² and F".
    why : str
        One sentence; of what does not fit, what would have to be true.
    raw, sentence, place
        As in `Reported`.
    """

    grade: Grade
    what: str
    why: str
    raw: str
    sentence: str
    place: int

    @property
    def flagged(self) -> bool:
        """Whether something is wrong."""
        return self.grade in FLAGGED_GRADES


def first_of(what: str, claim: str, *rows: Row) -> Said:
    """Return what the first row says whose condition holds, behind a claim; the condition of the last row is True.

    The words of "fits only if" are what would have to be the case.

    Examples
    --------
    >>> first_of("M", "M = 3", (3 > 7, "cannot be", " is too large"), (True, "fits only if", "it is a sum"))
    ('fits only if', 'M', 'M = 3; what is printed is right if it is a sum')
    """
    grade, words = next((grade, words) for condition, grade, words in rows if condition)
    return grade, what, claim + RIGHT_IF * (grade == "fits only if") + (words if isinstance(words, str) else words())


def reach(number: Printed) -> Range:
    """Return between which ends a computed size lies that a number is printed for."""
    low, high = magnitude(number)
    tolerance = 1e-9 * (1 + abs(high))
    return low - tolerance, high + tolerance


def within(number: Printed, ends: Range) -> bool:
    """Return whether some size that a number is printed for lies between two ends."""
    low, high = reach(number)
    return ends[0] <= high and ends[1] >= low


def range_text(ends: Range) -> str:
    """Return two ends in words, or one where both are printed alike."""
    low, high = (f"{bound:.3f}".removeprefix("0") if bound < 1 else f"{bound:.2f}" for bound in ends)
    return low if low == high else f"{low} to {high}"


def number_text(value: Printed) -> str:
    """Return a number as it is printed, without the zero before its point."""
    return str(value).removeprefix("0") if abs(float(value)) < 1 else str(value)


def z_of(p: Printed) -> Range:
    """Return the sizes of z whose two-tailed p is printed so.

    Examples
    --------
    >>> from negstats.printed_numbers import printed
    >>> [round(end, 2) for end in z_of(printed(".05"))]
    [1.92, 2.0]
    """
    return size_of("z", p.high), size_of("z", p.low)


def apart(first: Range, second: Range) -> float:
    """Return how far two ranges lie apart; 0 where they meet.

    Examples
    --------
    >>> apart((1.0, 2.0), (2.5, 3.0)), apart((1.0, 2.0), (2.0, 3.0))
    (0.5, 0.0)
    """
    return max(first[0] - second[1], second[0] - first[1], 0.0)


def far(first: Range, second: Range) -> bool:
    """Return whether two ranges of z lie further apart than methods of testing do."""
    distance = apart(first, second)
    return distance > FAR and distance > SHARE * max(first[0], second[0])


FURTHER_BACK = 300  # characters before a result in which the p of another may stand
BEFORE = 100  # characters before a result that may hold its b and SE
WORDS = words_of("judgement")
EFFECT_SIZES = ("eta", "omega", "d", "g", "r")


@dataclass(frozen=True, slots=True)
class Interval:
    """A printed interval: its level in per cent, and its ends."""

    level: float
    low: Printed
    high: Printed

    def __str__(self) -> str:
        return f"{self.level:g}% CI [{self.low}, {self.high}]"


@dataclass(frozen=True, slots=True)
class Around:
    """The numbers beside a result, each once; those printed twice are nobody's."""

    values: dict[str, Printed]
    symbols: dict[str, str]
    interval: Interval | None
    of: str  # what the interval is of


def around_of(result: Reported) -> Around:
    """Return the numbers beside a result: of its sentence, before it up to the result before, and behind it."""
    return _look_around(result.kind, result.paragraph, *result.span)


@functools.lru_cache(maxsize=1024)  # the other tests of a paper ask for them too
def _look_around(kind: str, paragraph: str, start: int, end: int) -> Around:
    window_start = max(start - BEFORE, 0)
    text_before = paragraph[window_start:start]
    for break_match in (*_breaks(text_before), *OF_TESTS.p_is.finditer(text_before)):
        window_start = max(window_start, start - len(text_before) + break_match.end())
    text = paragraph[window_start:start] + _own_text(paragraph, start, end)
    result_start = start - window_start
    # An effect size behind another p, with words between it and this result, is of that one.
    is_behind_p = kind != "p" and OF_TESTS.p_is.search(paragraph, max(start - FURTHER_BACK, 0), start)
    earliest = result_start if is_behind_p else 0
    values: dict[str, Printed] = {}
    symbols: dict[str, str] = {}
    repeated_names, number_places, names = set(), [], WORDS.table("numbers")
    for match in WORDS.number.finditer(text):
        name = next(name for name in names if match[name])
        if name == kind or (
            match.start() < earliest and name in EFFECT_SIZES and WORDS.word.search(text, match.end(), result_start)
        ):
            continue
        repeated_names |= {name} & values.keys()
        values[name], symbols[name] = number_in(match["value"]), match[name]
        number_places.append((match.end(), name))
    intervals = list(WORDS.interval.finditer(text))
    interval, estimate_name = None, ""
    if len(intervals) == 1:
        match = intervals[0]
        interval = Interval(float(match["level"]), number_in(match["low"]), number_in(match["high"]))
        estimates_before = [
            (end, name) for end, name in number_places if end <= match.start() and name not in ("se", *repeated_names)
        ]
        last_end, estimate_name = estimates_before[-1] if estimates_before else (0, "")
        if any(
            not WORDS.no_estimate.match(other_match["name"])
            for other_match in WORDS.any.finditer(text, last_end, match.start())
        ):
            estimate_name = ""
    for name in repeated_names:
        values.pop(name, None)
    return Around(values, symbols, interval, estimate_name)


def _breaks(text: str) -> Iterator[re.Match[str]]:
    """Yield where a sentence or its part ends; a semicolon in brackets that are still open is not an end."""
    bracket_place = text.rfind("(")
    is_open = bracket_place > text.rfind(")")
    for break_match in WORDS.part_end.finditer(text):
        if not (is_open and break_match[0] == "; " and bracket_place < break_match.start()):
            yield break_match


def _own_text(paragraph: str, start: int, end: int) -> str:
    """Return what stands from a result on, without what may belong to the next statistic or p of the sentence."""
    text = paragraph[start:end]
    p_matches = [p_match for _, p_match in zip(range(2), OF_TESTS.p_is.finditer(text), strict=False)]
    if not p_matches or not (len(p_matches) > 1 or OF_TESTS.head.match(paragraph, end)):
        return text
    next_match = WORDS.next.search(text, p_matches[0].end())
    if next_match:
        return text[: next_match.start()]
    return text[: p_matches[0].end()] if len(p_matches) > 1 else text


def number_in(text: str) -> Printed:
    """Return a number as it is printed, with a decimal comma or point."""
    text = text.replace(" ", "")
    return printed(text.replace(",", "." if re.fullmatch(r"[-+]?\d{0,3},\d{1,2}", text) else ""))


def one_df(result: Reported) -> bool:
    """Return whether a result is an F of one df, and so the square of a t."""
    return result.kind == "f" and len(result.df) == 2 and float(result.df[0]) == 1
