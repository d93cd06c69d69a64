"""Shared parts of the searches: compositions of a whole number in one array, and a bound on the search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError

IntArray: TypeAlias = npt.NDArray[np.int64]


class OutOfBudget(Exception):  # noqa: N818 - no error: the search ends here and its result says so
    """The search has looked at as many candidates as it may."""


@dataclass(slots=True)
class Budget:
    """Counts candidates; `spend` raises OutOfBudget before more than `limit` are made.

    Examples
    --------
    >>> budget = Budget(10)
    >>> budget.spend(10)
    >>> budget.spent
    10
    """

    limit: int
    spent: int = 0

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise DesignError(f"limit is {self.limit!r}; give the number of candidates to look at, at least 1")

    def spend(self, candidates: int) -> None:
        """Count `candidates` that are about to be made."""
        if self.spent + candidates > self.limit:
            raise OutOfBudget
        self.spent += candidates


def spread_out(low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
    """Return every whole number from low[i] to high[i] and the i that it belongs to.

    Examples
    --------
    >>> spread_out(np.array([0, 5, 3]), np.array([1, 5, 2]))
    (array([0, 0, 1]), array([0, 1, 5]))
    """
    sizes = np.maximum(high - low + 1, 0)
    owner = np.repeat(np.arange(len(low)), sizes)
    first = np.cumsum(sizes) - sizes
    return owner, np.arange(len(owner)) - first[owner] + low[owner]


def compositions(total: int, caps: IntArray, budget: Budget) -> IntArray:
    """Return every way to write `total` as a sum of non-negative parts, part j at most caps[j]; one a row.

    Examples
    --------
    >>> compositions(2, np.array([1, 2, 1]), Budget(100))
    array([[0, 1, 1],
           [0, 2, 0],
           [1, 0, 1],
           [1, 1, 0]])
    """
    later = np.cumsum(caps[::-1])[::-1]
    partial_sums = np.empty((1 if 0 <= total <= later[0] else 0, 0), dtype=np.int64)
    remainders = np.full(len(partial_sums), total, dtype=np.int64)
    for place, cap in enumerate(caps):
        caps_behind = later[place + 1] if place + 1 < len(caps) else 0
        low, high = np.maximum(remainders - caps_behind, 0), np.minimum(remainders, cap)
        budget.spend(int(np.maximum(high - low + 1, 0).sum()))
        owner, part = spread_out(low, high)
        partial_sums = np.column_stack([partial_sums[owner], part])
        remainders = remainders[owner] - part
    return partial_sums
