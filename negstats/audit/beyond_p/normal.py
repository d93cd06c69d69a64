"""Sizes of z: what a printed p stands for, and how far two ranges lie apart."""

from __future__ import annotations

from scipy import special

from negstats.audit.beyond_p.judgement import Range
from negstats.printed_numbers import Printed

FAR, SHARE = 0.5, 0.25  # a z this far off, and by this share, is no matter of the method (Wald, score, profile, exact)


def z_of(p: Printed) -> Range:
    """Return the sizes of z whose two-tailed p is printed so.

    Examples
    --------
    >>> from negstats.printed_numbers import printed
    >>> [round(end, 2) for end in z_of(printed(".05"))]
    [1.92, 2.0]
    """
    low, high = (min(max(end, 1e-300), 1.0) for end in (p.low, p.high))
    return float(-special.ndtri(high / 2)), float(-special.ndtri(low / 2))


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
