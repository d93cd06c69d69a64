"""Numbers that are usual codes for a missing value."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from negstats.loaders.reading.columns import Column

_MISSING_CODES = frozenset({9, 99, 999, 9999, 98, 998, 88, 888, 77})
_LEAST_GAP, _LEAST_OF_SIZE = 0.5, 0.1  # of the range of the others, and of the largest of them
_LEAST_OF_TWO = 5  # times the difference of two other numbers
_FEWEST_WORDS, _MOST_WORDS = 2, 12  # of a column of words
_LEAST_OF_LEVEL = 0.5  # of the rows of the most frequent level
_MOST_OF_CODES = 10  # levels of a scale, on which the least number may be negative


def far_codes(column: Column) -> list[float]:
    """Return usual codes for a missing value that stand far from all other numbers of a column.

    Beside two other numbers a code lies farther from both, and is rarer than half of the more frequent one: a third
    level that was set has as many rows as the others.
    """
    values = np.unique(column.values)
    ends = (float(values[0]), float(values[-1])) if len(values) > 2 else ()
    codes = [code for code in ends if abs(code) in _MISSING_CODES and _is_far(code, values[values != code])]
    return [code for code in codes if len(values) > 3 or _is_beside_two(column, code)]


def without_code_words(column: Column) -> Column:
    """Return a column of a few words with nothing where it has a usual code for missing: 999 beside high and low.

    All numbers in it are such codes, and each is rarer than half of the most frequent word: a level that was set has as
    many rows as the others.
    """
    numbers = {level: float(level) for level in column.levels if re.fullmatch(r"-?[0-9]+(\.0*)?", level)}
    n_words = len(column.levels) - len(numbers)
    if column.has_numbers or not numbers or not _FEWEST_WORDS <= n_words <= _MOST_WORDS:
        return column
    is_code = np.array([level in numbers for level in column.levels])
    are_codes = all(number < 0 or number in _MISSING_CODES for number in numbers.values())
    if not are_codes or column.sizes[is_code].max() >= _LEAST_OF_LEVEL * column.sizes[~is_code].max():
        return column
    return _without_levels(column, numbers)


def without_shared_words(columns: Mapping[str, Column]) -> dict[str, Column]:
    """Return the columns of a table with nothing where words have what numbers of the same table have for missing.

    A program writes one word for missing in all columns: where a number is NA, a continent called so is none either.
    """
    shared = {word for column in columns.values() if column.has_numbers for word in column.missing_words}
    return {name: _without_levels(column, shared) for name, column in columns.items()}


def _without_levels(column: Column, words: Collection[str]) -> Column:
    """Return a column of words with nothing where it has one of some words."""
    is_missing = np.array([level in words for level in column.levels])
    if column.has_numbers or not is_missing.any():
        return column
    codes = np.where(np.append(is_missing, False)[column.codes], -1, column.codes)
    missing = tuple(sorted({*column.missing_words, *(level for level in column.levels if level in words)}))
    return replace(column, codes=codes, missing_words=missing).take(np.ones(column.rows, dtype=bool))


def without_codes(column: Column) -> Column:
    """Return a column of numbers with nothing where it has such a code."""
    places = np.flatnonzero(np.isin(column.values, far_codes(column)))
    codes = np.where(np.isin(column.codes, places), -1, column.codes)
    return replace(column, codes=codes).take(np.ones(column.rows, dtype=bool)) if len(places) else column


def _is_beside_two(column: Column, code: float) -> bool:
    """Whether a code lies far from two other numbers, and is rarer than half of the more frequent of these."""
    is_code = column.values == code
    low, high = column.values[~is_code]
    is_rare = column.sizes[is_code].max() < _LEAST_OF_LEVEL * column.sizes[~is_code].max()
    return bool(is_rare and np.abs(column.values[~is_code] - code).min() > _LEAST_OF_TWO * (high - low))


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
