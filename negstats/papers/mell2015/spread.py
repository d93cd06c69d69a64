"""How far the points of mell2015's negotiation 5 must spread, by its printed F, and how far they can.

An F of language with the difference of its means has one within-cell SD. Bounded points have a largest one: if it is
below what is needed, somebody's points were beyond the bounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from negstats.errors import DesignError
from negstats.papers.verdict import extremes
from negstats.printed_numbers import Printed


class Spread(NamedTuple):
    """An SD with the range that the rounding of the printed numbers allows."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"


def needed_sd(difference: tuple[float, float, float], f: Printed, sizes: Sequence[float]) -> Spread:
    """Return the within-cell SD of a 2 × 2 design in which a difference of marginal means has this F.

    F = difference² / (SD² · ¼ Σ 1/n), the means being means of two cell means.

    Parameters
    ----------
    difference
        Of the means, with the least and the largest that it can be.
    f
        As printed.
    sizes
        Of the four cells.

    Examples
    --------
    >>> from negstats.printed_numbers import printed
    >>> print(needed_sd((1.83, 1.825, 1.835), printed("5.94"), [38, 40, 48, 41]))
    4.83 (4.82 to 4.85)
    """
    h = sum(1 / n for n in sizes) / 4
    low, high = extremes(
        lambda x: abs(x[:, 0]) / (x[:, 1] * h) ** 0.5, [difference[1], f.low], [difference[2], f.high], monotone=True
    )
    return Spread(abs(difference[0]) / math.sqrt(f.value * h), low, high)


def largest_sd(
    bounds: tuple[float, float],
    sizes: Mapping[str, Sequence[float]],
    means: Mapping[str, Printed] | None = None,
) -> float:
    """Return the largest within-cell SD of values between two bounds.

    Values in a cell with mean m have a variance (over n) of at most (m - low)(high - m), reached when all stand on a
    bound. Where the means of two cells are known together, the least that they take away from it is taken away.

    Parameters
    ----------
    bounds
        The least and the largest value.
    sizes
        Sizes of the cells of each level of a factor.
    means
        The mean of each level's cell means, as printed; the largest SD over their rounding is returned. None: unknown.

    Raises
    ------
    DesignError
        If the bounds are out of order.

    Examples
    --------
    Points from 8 to 16, with 167 people in four cells:

    >>> round(largest_sd((8, 16), {"favor": [38, 40], "generic": [48, 41]}), 2)
    4.05
    """
    low, high = bounds
    if not low < high:
        raise DesignError(f"bounds are {bounds}; the least value comes first")
    middle, half = (low + high) / 2, (high - low) / 2
    squares = half**2 * sum(map(sum, sizes.values()))
    for level, mean in (means or {}).items():
        gap = min(abs(end - middle) for end in (mean.low, mean.high))
        off = 0.0 if mean.low <= middle <= mean.high else gap
        # The least Σ n (m - middle)² of cells whose means have the mean `middle + off`: m - middle goes with 1/n.
        squares -= (off * len(sizes[level])) ** 2 / sum(1 / n for n in sizes[level])
    df = sum(n - 1 for cells in sizes.values() for n in cells)
    return math.sqrt(squares / df)
