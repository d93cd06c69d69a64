"""Numbers that are usual codes for a missing value."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from negstats.loaders.reading.columns import Column

_MISSING_CODES = frozenset({9, 99, 999, 9999, 98, 998, 88, 888, 77})
_LEAST_GAP, _LEAST_OF_SIZE = 0.5, 0.1  # of the range of the others, and of the largest of them
_FEWEST_WORDS = 2  # of a column of words
_MOST_OF_CODES = 10  # levels of a scale, on which the least number may be negative


def far_codes(column: Column) -> list[float]:
    """Return usual codes for a missing value that stand far from all other numbers of a column."""
    values = np.unique(column.values)
    ends = (float(values[0]), float(values[-1])) if len(values) > 3 else ()
    return [code for code in ends if abs(code) in _MISSING_CODES and _is_far(code, values[values != code])]


def code_words(column: Column) -> list[str]:
    """Return the levels of a column of words that are usual codes for a missing value: 999 beside high and low."""
    numbers = {level: float(level) for level in column.levels if re.fullmatch(r"-?[0-9]+(\.0*)?", level)}
    if len(column.levels) - len(numbers) < _FEWEST_WORDS:
        return []
    return [level for level, number in numbers.items() if abs(number) in _MISSING_CODES]


def without_codes(column: Column) -> Column:
    """Return a column of numbers with nothing where it has such a code."""
    places = np.flatnonzero(np.isin(column.values, far_codes(column)))
    return replace(column, codes=np.where(np.isin(column.codes, places), -1, column.codes))


def is_heaped(column: Column, code: float) -> bool:
    """Whether a code stands oftener than nine in ten of the many other whole numbers: no value that few fall below."""
    is_code = column.is_whole and (code == -1 or abs(code) in _MISSING_CODES)
    is_scale = column.n_levels <= _MOST_OF_CODES
    if not is_code or is_scale or column.level_numbers is None:
        return False
    is_other = column.level_numbers != code
    return float(column.sizes[~is_other].sum()) > float(np.quantile(column.sizes[is_other], 0.9))


def _is_far(code: float, others: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> bool:
    """Whether a number lies farther from all others than half of their range, and than a tenth of their size.

    Of a few offers of 79 to 81 one of 77 is another offer, though it lies as far away as they reach.
    """
    gap = np.min(np.abs(others - code))
    return bool(gap > max((others.max() - others.min()) * _LEAST_GAP, np.abs(others).max() * _LEAST_OF_SIZE))
