"""Outcome spaces: every way to divide items among parties or to settle issues, and what each outcome is worth.

Two kinds of issues. *Divisible* items come in counts, and an outcome says how many units each party gets: an integer
array (outcomes, parties, items). *Categorical* issues have options, and an outcome names one option for each issue: an
integer array (outcomes, issues). Utilities are additive over issues: an array (outcomes, parties), or (games,
outcomes, parties) for many games that share the same counts or options. A game with both kinds is the Minkowski sum of
the two (`negstats.games.pareto.minkowski_sum`). Arrays only.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, shown

__all__ = ["LIMIT", "choice_utilities", "choices", "division_utilities", "divisions"]

LIMIT = 1_000_000  # outcomes; three parties and five items at this size are 120 MB

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]


def divisions(counts: Sequence[int] | Numbers, parties: int = 2, *, limit: int = LIMIT) -> Integers:
    """Return every way to divide counts of items among parties; every unit goes to somebody.

    Parameters
    ----------
    counts
        How many units there are of each item.
    parties
        How many parties there are.
    limit
        The largest number of outcomes to list.

    Returns
    -------
    numpy.ndarray
        Units, integers (outcomes, parties, items). Outcomes are in lexicographic order: what the first party gets of
        the first item changes slowest.

    Raises
    ------
    DesignError
        If a count is not a whole number of at least 0, there is no party, or there are more than `limit` outcomes (the
        message says how many).

    Examples
    --------
    One book and two hats between two parties:

    >>> divisions([1, 2])[:, 0].tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    >>> len(divisions([1, 2], parties=3))
    18
    """
    whole = _whole(counts, "counts", least=0)
    if parties < 1:
        raise DesignError(f"parties is {parties}; a division needs at least one")
    sizes = [math.comb(count + parties - 1, parties - 1) for count in whole]
    total = _check_limit(math.prod(sizes), limit, f"counts {shown(tuple(whole))} divided among {parties} parties")
    outcomes = np.empty((total, parties, len(whole)), dtype=np.int64)
    for item, rows in enumerate(_product(sizes, total)):
        outcomes[:, :, item] = _shares(whole[item], parties)[rows]
    return outcomes


def choices(sizes: Sequence[int] | Numbers, *, limit: int = LIMIT) -> Integers:
    """Return every way to settle categorical issues with so many options each.

    Parameters
    ----------
    sizes
        How many options each issue has.
    limit
        The largest number of outcomes to list.

    Returns
    -------
    numpy.ndarray
        Places of the chosen options, integers from 0 (outcomes, issues), in lexicographic order.

    Raises
    ------
    DesignError
        If an issue has no option, or there are more than `limit` outcomes (the message says how many).

    Examples
    --------
    >>> choices([2, 3]).tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    """
    whole = _whole(sizes, "sizes", least=1)
    total = _check_limit(math.prod(whole), limit, f"issues with {shown(tuple(whole))} options")
    return np.stack([*_product(whole, total)], axis=1) if whole else np.empty((1, 0), dtype=np.int64)


def division_utilities(outcomes: npt.ArrayLike, values: npt.ArrayLike) -> Numbers:
    """Return the utility of divisions to each party: the sum over items of units times the value of a unit.

    Sums run over items in order, one product at a time, so that the same outcome has the same utility to the last
    bit wherever it is computed: alone or in its whole outcome space.

    Parameters
    ----------
    outcomes
        Units (outcomes, parties, items), as `divisions` lists them, or (games, outcomes, parties, items).
    values
        Points for one unit, (parties, items); or (games, parties, items) for a batch of games.

    Returns
    -------
    numpy.ndarray
        Utilities in points, (outcomes, parties); (games, outcomes, parties) for a batch.

    Raises
    ------
    DesignError
        If the numbers of parties or items do not fit.

    Examples
    --------
    >>> division_utilities(divisions([1, 2]), [[4, 3], [0, 5]]).tolist()
    [[0, 10], [3, 5], [6, 0], [4, 10], [7, 5], [10, 0]]
    """
    units, worth = np.asarray(outcomes), np.asarray(values)
    if units.ndim < 3 or worth.ndim < 2 or units.shape[-2:] != worth.shape[-2:]:
        raise DesignError(
            f"outcomes have the shape {units.shape} and values {worth.shape}; "
            "the last two, parties and items, must agree"
        )
    shape = np.broadcast_shapes(units.shape[:-1], (*worth.shape[:-2], 1, worth.shape[-2]))
    total: Numbers = np.zeros(shape, dtype=np.result_type(units, worth))
    for item in range(units.shape[-1]):
        total += units[..., item] * worth[..., np.newaxis, :, item]
    return total


def choice_utilities(outcomes: npt.ArrayLike, values: Sequence[npt.ArrayLike]) -> Numbers:
    """Return the utility of settlements to each party: the sum over issues of the value of the chosen option.

    Parameters
    ----------
    outcomes
        Places of the chosen options (outcomes, issues), as `choices` lists them, or (games, outcomes, issues).
    values
        For each issue the points of its options: (parties, options), or (games, parties, options) for a batch.

    Returns
    -------
    numpy.ndarray
        Utilities in points, (outcomes, parties); (games, outcomes, parties) for a batch.

    Raises
    ------
    DesignError
        If the numbers of issues or options do not fit.

    Examples
    --------
    Two issues: the season (two options) and the place (three), each worth points to two parties.

    >>> choice_utilities(choices([2, 3]), [[[0, 3], [2, 0]], [[0, 1, 2], [4, 2, 0]]]).tolist()
    [[0, 6], [1, 4], [2, 2], [3, 4], [4, 2], [5, 0]]
    """
    settlements, worth = np.asarray(outcomes), [np.asarray(issue) for issue in values]
    if (
        settlements.ndim < 2
        or not worth
        or settlements.shape[-1] != len(worth)
        or any(issue.ndim < 2 for issue in worth)
    ):
        raise DesignError(
            f"outcomes have the shape {settlements.shape} and values {len(worth)} issues; they must agree"
        )
    total: Numbers = np.zeros((), dtype=np.result_type(*worth))
    for issue, points in enumerate(worth):
        place = settlements[..., np.newaxis, :, issue]  # (..., 1, outcomes), to pick from (..., parties, options)
        _check_options(place, points.shape[-1], issue)
        depth = max(points.ndim, place.ndim)
        points_taken = np.take_along_axis(_deepened(points, depth), _deepened(place, depth), axis=-1)
        total = total + points_taken.swapaxes(-1, -2)
    return total


def _check_options(place: Numbers, options: int, issue: int) -> None:
    wrong = place[(place < 0) | (place >= options)]
    if wrong.size:
        raise DesignError(f"issue {issue} has the options 0 to {options - 1}; an outcome names {wrong.flat[0]}")


def _deepened(array: Numbers, depth: int) -> Numbers:
    """Put axes of length 1 in front until there are `depth`."""
    return array.reshape((1,) * (depth - array.ndim) + array.shape)


def _shares(count: int, parties: int) -> Integers:
    """Every way to write `count` as a sum of `parties` whole numbers: stars and bars, in lexicographic order."""
    places = count + parties - 1
    bars = np.array([*itertools.combinations(range(places), parties - 1)], dtype=np.int64)
    edges = bars.reshape(math.comb(places, parties - 1), parties - 1)
    return np.diff(edges, axis=1, prepend=-1, append=places) - 1


def _product(sizes: Sequence[int], total: int) -> tuple[npt.NDArray[np.intp], ...]:
    """For each issue the place of its alternative in every outcome, the last issue changing fastest."""
    return np.unravel_index(np.arange(total), tuple(sizes)) if sizes else ()


def _whole(numbers: Sequence[int] | Numbers, name: str, least: int) -> list[int]:
    counts = np.asarray(numbers)
    if counts.ndim != 1 or (counts.size and (not np.isrealobj(counts) or np.any(counts != np.floor(counts)))):
        raise DesignError(f"{name} is {shown(numbers)}; a row of whole numbers is needed")
    if counts.size and counts.min() < least:
        raise DesignError(f"{name} holds {counts.min()}; at least {least} is needed")
    return [int(number) for number in counts]


def _check_limit(total: int, limit: int, what: str) -> int:
    if total > limit:
        raise DesignError(
            f"{what} have {total:,} outcomes, more than limit = {limit:,}; raise the limit or take fewer items"
        )
    return total
