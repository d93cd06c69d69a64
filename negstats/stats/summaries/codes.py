"""Codes of a column's values: the place of each among the distinct ones, by whatever tells them apart soonest."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.stats.results.numbers import FloatArray

IntArray: TypeAlias = npt.NDArray[np.intp]
Codes: TypeAlias = npt.NDArray[np.signedinteger[Any]]

# A range of whole numbers is counted if it has at most so many places for each row, or so many at all.
SPARSE = 4
SMALL_RANGE = 1000
# So few places are looked for one by one.
FEW = 24
# So many numbers from all over a column tell whether most of them differ.
PROBE = 1024


def whole_codes(values: npt.NDArray[Any]) -> tuple[Codes, npt.NDArray[Any]] | None:
    """Return the place of each whole number among the distinct ones, and those, ascending; None where it would not pay.

    A table with one place for each number of the range takes a fifth of the time of a hash, a twentieth of a sort's.
    Places in a small range are bytes, as the codes of a categorical column are.

    Examples
    --------
    >>> codes, distinct = whole_codes(np.array([3, 5, 3, 9]))
    >>> codes.tolist(), distinct.tolist()
    ([0, 1, 0, 2], [3, 5, 9])
    """
    if values.dtype.kind not in "iu" or not len(values):
        return None
    low, high = int(values.min()), int(values.max())
    limit = np.iinfo(np.intp)
    if low < limit.min or high > limit.max or high - low > max(SMALL_RANGE, SPARSE * len(values)):
        return None
    places: Codes = values.astype(np.intp, copy=False)
    if low:
        places = places - low
    size = high - low + 1
    if size <= FEW:  # each is looked for in bytes, sooner than counted
        places = places.astype(np.int8)
        occurs = np.array([bool((places == place).any()) for place in range(size)])
    else:
        occurs = np.bincount(places, minlength=size) > 0
    distinct = (np.flatnonzero(occurs) + low).astype(values.dtype)
    return places if occurs.all() else (np.cumsum(occurs) - 1).astype(places.dtype)[places], distinct


def number_codes(y: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the place of each number among the distinct ones, and those, ascending; no number is missing.

    Numbers that repeat are told apart by a hash and sorted once each; numbers that all differ are sorted at once, which
    a hash as long as the column would only delay.

    Examples
    --------
    >>> codes, distinct = number_codes(np.array([0.5, 2.0, 0.5]))
    >>> codes.tolist(), distinct.tolist()
    ([0, 1, 0], [0.5, 2.0])
    """
    probe = y[:: max(1, len(y) // PROBE)]
    if 2 * len(np.unique(probe)) < len(probe):
        codes, distinct = pd.factorize(y)
        order = np.argsort(distinct)
        rank = np.empty(len(distinct), dtype=np.intp)
        rank[order] = np.arange(len(distinct))
        return rank[codes], np.asarray(distinct[order])
    order, ascending = ascend(y)
    opens = np.ones(len(y), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=opens[1:])
    codes = np.empty(len(y), dtype=np.intp)
    if opens.all():
        codes[order] = np.arange(len(y))
        return codes, ascending
    codes[order] = np.cumsum(opens) - 1
    return codes, ascending[opens]


def ascend(y: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the order that sorts numbers, none of them missing, and the sorted numbers.

    Whole numbers are sorted where they stand, in two thirds of the time that an order of floats takes. Distances from
    the least number are ordered as their bits are; the last bits give way to the place that a number had. Numbers that
    only these bits told apart are then out of order, and so few that a merge of what is sorted puts them right.

    Examples
    --------
    >>> order, ascending = ascend(np.array([2.0, -1.0, 0.5]))
    >>> order.tolist(), ascending.tolist()
    ([1, 2, 0], [-1.0, 0.5, 2.0])
    """
    places = np.arange(len(y))
    if (y[1:] >= y[:-1]).all():
        return places, y.copy()
    bits = (y - y.min()).view(np.int64)
    mask = (1 << (len(y) - 1).bit_length()) - 1
    bits &= ~mask
    bits |= places
    bits.sort()
    order = bits & mask
    ascending = y[order]
    if (ascending[1:] < ascending[:-1]).any():
        again = np.argsort(ascending, kind="stable")
        order, ascending = order[again], ascending[again]
    return order, ascending


def recoded(codes: IntArray) -> tuple[int, IntArray]:
    """Return how many distinct codes occur, and each row's place among them: by counting where codes are dense."""
    whole = whole_codes(codes)
    if whole is None:
        distinct, place = np.unique(codes, return_inverse=True)
        return len(distinct), place
    return len(whole[1]), whole[0].astype(np.intp, copy=False)
