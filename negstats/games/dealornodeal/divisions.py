"""The divisions of many scenarios side by side: padded tables by kind of counts, so that a batch needs no loop.

A *place* is a division's position in the lexicographic order of what one player takes, 0 to outcomes - 1. What the
other player takes stands at the mirrored place, outcomes - 1 - place. Padding stands behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.games.allocations import divisions
from negstats.games.dealornodeal.scenarios import MOST, count_vectors

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]

SIDE = MOST + 1
GRID = SIDE**3  # shares have a number: their place in a grid of 0 to 4 units of each issue
_STEPS = np.array([SIDE * SIDE, SIDE, 1])


@dataclass(frozen=True, slots=True)
class Tables:
    """Divisions by kind of counts.

    Attributes
    ----------
    units : numpy.ndarray
        What is taken at a place, (kinds, places, 3).
    size : numpy.ndarray
        How many places a kind has, (kinds,).
    number : numpy.ndarray
        Number of a place's share in the grid, (kinds, places); 0 behind.
    place : numpy.ndarray
        Place of a number's share, (kinds, 125); -1 where there are not so many units.
    granted : numpy.ndarray
        (kinds, places + 1, places): of the units that the other asks at a place, the share that taking those at another
        place leaves to the other; 1 where the other asks for none. In the last row the other has not asked: the share
        of all units.
    """

    units: Integers
    size: Integers
    number: Integers
    place: Integers
    granted: Numbers


def tables_for(counts: Integers) -> tuple[Tables, Integers]:
    """Return the tables that a batch of counts (n, 3) needs, and the kind of each, (n,).

    Examples
    --------
    >>> tables, kind = tables_for(np.array([[1, 3, 1], [2, 1, 3], [1, 3, 1]]))
    >>> tables.size[kind].tolist()
    [16, 24, 16]
    """
    codes = counts @ _STEPS
    batch_codes = frozenset(codes.tolist())
    usual = _usual()
    kinds = usual if batch_codes <= usual else batch_codes
    sorted_kinds = tuple(sorted(kinds))
    return _tables(sorted_kinds), np.searchsorted(sorted_kinds, codes)


@cache
def _usual() -> frozenset[int]:
    return frozenset((np.array(count_vectors()) @ _STEPS).tolist())


@lru_cache(maxsize=64)
def _tables(codes: tuple[int, ...]) -> Tables:
    lists = [divisions(np.array(np.unravel_index(code, (SIDE, SIDE, SIDE))))[:, 0] for code in codes]
    kinds, places = len(lists), max(map(len, lists))
    units = np.zeros((kinds, places, 3), dtype=np.int64)
    number = np.zeros((kinds, places), dtype=np.int64)
    place = np.full((kinds, GRID), -1)
    granted = np.zeros((kinds, places + 1, places))
    for kind, division in enumerate(lists):
        size = len(division)
        units[kind, :size] = division
        number[kind, :size] = division @ _STEPS
        place[kind, number[kind, :size]] = np.arange(size)
        granted[kind, :size, :size], granted[kind, places, :size] = _granted(division)
    tables = Tables(units, np.array([len(division) for division in lists]), number, place, granted)
    for array in (tables.units, tables.size, tables.number, tables.place, tables.granted):
        array.setflags(write=False)  # they are shared
    return tables


def _granted(division: Integers) -> tuple[Numbers, Numbers]:
    other_division = division[::-1]  # what is not taken: the mirrored place
    requests = division.sum(axis=1, keepdims=True)
    overlap = np.minimum(division[:, np.newaxis], other_division[np.newaxis]).sum(axis=2)
    share = np.divide(overlap, requests, out=np.ones(overlap.shape), where=requests > 0)
    return share, other_division.sum(axis=1) / division[-1].sum()
