"""A judgement of what one printed number says of another, its grades, and the size that a print stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from negstats.audit.distributions import size_of
from negstats.printed_numbers import Printed

Grade: TypeAlias = Literal[
    "fits", "fits only if", "differs", "changes the conclusion", "cannot be", "cannot be checked"
]
FLAGGED_GRADES: tuple[Grade, ...] = ("cannot be", "changes the conclusion", "differs")
Range: TypeAlias = tuple[float, float]
Said: TypeAlias = tuple[Grade, str, str]  # its grade, the numbers, and why
Row: TypeAlias = tuple[
    object, Grade, "str | Callable[[], str]"
]  # a condition, a grade, and why, in words or what writes them
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

    Examples
    --------
    >>> first_of("M and its scale", "M = 3", (3 > 7, "cannot be", " is too large"), (True, "fits", " is on the scale"))
    ('fits', 'M and its scale', 'M = 3 is on the scale')
    """
    grade, words = next((grade, words) for condition, grade, words in rows if condition)
    return grade, what, claim + (words if isinstance(words, str) else words())


def magnitude(number: Printed) -> Range:
    """Return the least and the greatest size that a number is printed for."""
    low, high = number.low, number.high
    return (0.0, max(-low, high)) if low <= 0 <= high else (min(abs(low), abs(high)), max(abs(low), abs(high)))


def reach(number: Printed) -> Range:
    """Return between which ends a computed size lies that a number is printed for."""
    low, high = magnitude(number)
    slack = 1e-9 * (1 + abs(high))
    return low - slack, high + slack


def within(number: Printed, ends: Range) -> bool:
    """Return whether some size that a number is printed for lies between two ends."""
    low, high = reach(number)
    return ends[0] <= high and ends[1] >= low


def range_text(ends: Range) -> str:
    """Return two ends in words, or one where both are printed alike."""
    low, high = (f"{end:.3f}".removeprefix("0") if end < 1 else f"{end:.2f}" for end in ends)
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
    gap = apart(first, second)
    return gap > FAR and gap > SHARE * max(first[0], second[0])
