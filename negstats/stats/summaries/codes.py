"""Codes of a column's values: the place of each among the distinct ones, by whatever tells them apart soonest."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.stats.results.numbers import FloatArray

IntArray: TypeAlias = npt.NDArray[np.intp]

# A range of whole numbers is counted if it has at most so many places for each row, or so many at all.
SPARSE = 4
SMALL_RANGE = 1000
# So few places are looked for one by one.
FEW = 24
# So many numbers from all over a column tell whether most of them differ.
PROBE = 1024


def whole_codes(values: npt.NDArray[Any]) -> tuple[IntArray, npt.NDArray[Any]] | None:
    """Return the place of each whole number among the distinct ones, and those, ascending; None where it would not pay.

    A table with one place for each number of the range takes a fifth of the time of a hash, a twentieth of a sort's.

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
    places = values.astype(np.intp, copy=False)
    if low:
        places = places - low
    occurs = _occurring(places, high - low + 1)
    distinct = (np.flatnonzero(occurs) + low).astype(values.dtype)
    return places if occurs.all() else (np.cumsum(occurs) - 1)[places], distinct


def _occurring(places: IntArray, size: int) -> npt.NDArray[np.bool_]:
    """Return which places from 0 up to a size occur: each of a few is looked for in bytes, sooner than counted."""
    if size > FEW:
        return np.bincount(places, minlength=size) > 0
    small = places.astype(np.int8)
    return np.array([bool((small == place).any()) for place in range(size)])


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
    order = np.argsort(y)
    ascending = y[order]
    opens = np.ones(len(y), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=opens[1:])
    codes = np.empty(len(y), dtype=np.intp)
    if opens.all():
        codes[order] = np.arange(len(y))
        return codes, ascending
    codes[order] = np.cumsum(opens) - 1
    return codes, ascending[opens]


def recoded(codes: IntArray) -> tuple[int, IntArray]:
    """Return how many distinct codes occur, and each row's place among them: by counting where codes are dense."""
    whole = whole_codes(codes)
    if whole is None:
        distinct, place = np.unique(codes, return_inverse=True)
        return len(distinct), place
    return len(whole[1]), whole[0]
