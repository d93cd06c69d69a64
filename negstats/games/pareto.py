"""Pareto optimality over a finite set of outcomes: frontier, dominance, distances, and sums over several games.

Utilities are arrays (outcomes, parties). Comparisons are exact: ties and duplicate outcomes all stay on the frontier,
and nothing is called equal that is not. Utilities that carry rounding noise should be rounded, or given as whole
points, by whoever knows their scale.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from functools import reduce
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, NotEstimable, shown
from negstats.games.allocations import LIMIT

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]
Places = npt.NDArray[np.intp]
Scale = Literal["range"] | npt.ArrayLike | None

BLOCK = 256  # rows that are compared with each other at once
COMPARISONS = 1 << 20  # pairs that are compared at once: what a processor's cache holds


def pareto_optimal(utilities: npt.ArrayLike, *, weak: bool = False) -> Mask:
    """Return which outcomes are Pareto optimal: no other gives every party at least as much and one party more.

    Parameters
    ----------
    utilities
        (outcomes, parties), any number of parties. Compared exactly.
    weak
        Take the weaker form that Mell et al. (2015) write: an outcome is dominated only by one that gives *every* party
        more.

    Returns
    -------
    numpy.ndarray
        Truth values (outcomes,). Ties and duplicates of an optimal outcome are optimal too.

    Raises
    ------
    DesignError
        If `utilities` is not a table of numbers with a column for each party, or a value is missing.

    Notes
    -----
    What a few of the best outcomes dominate is put aside first. Two parties: one sort and a running maximum, O(n log
    n). Three: the rows fall by the first party, so that a row's dominators stand before it; the nearest are compared
    with it directly. In each of the log n halvings of the rows, which are kept sorted by the second party, one running
    maximum of the third in each first half says which rows of the second half are beaten, O(n log n) (after Kung,
    Luccio and Preparata, 1975).
    Four and more: the distinct rows are sorted, halved until they are few, and the second half's survivors compared
    with the first's.

    References
    ----------
    - Kung, H. T., Luccio, F., & Preparata, F. P. (1975). On finding the maxima of a set of vectors. Journal of the ACM,
      22, 469–476.
    - Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
      negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    >>> pareto_optimal([[3, 0], [2, 2], [2, 2], [2, 1], [0, 3]]).tolist()
    [True, True, True, False, True]
    >>> pareto_optimal([[3, 0], [2, 2], [2, 2], [2, 1], [0, 3]], weak=True).tolist()
    [True, True, True, True, True]
    """
    table = _table(utilities)
    ranks = [np.unique(column, return_inverse=True)[1] for column in table.T]
    # Falling by the first party, so that what dominates a row stands before it; among equals in that, dominators first,
    # or where all parties must have more, last.
    order = np.lexsort([*(rank if weak else -rank for rank in ranks[:0:-1]), -ranks[0]])
    rows = np.stack(ranks, axis=1)[order]
    is_new = np.ones(len(rows), dtype=bool)
    is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    distinct = rows[is_new]
    undominated = np.zeros(len(distinct), dtype=bool)
    few_parties = distinct.shape[1] <= 3
    undominated[_swept(distinct, weak) if few_parties else _front(distinct, np.arange(len(distinct)), weak)] = True
    optimal = np.empty(len(table), dtype=bool)
    optimal[order] = undominated[np.cumsum(is_new) - 1]
    return optimal


def dominated(points: npt.ArrayLike, utilities: npt.ArrayLike, *, weak: bool = False) -> Mask:
    """Return which points are dominated by some outcome. Points need not be outcomes themselves.

    Parameters
    ----------
    points
        (..., parties): one point, or one for each game of a batch.
    utilities
        (..., outcomes, parties): the outcomes of the game, or of each game of the batch.
    weak
        As in `pareto_optimal`.

    Returns
    -------
    numpy.ndarray
        Truth values, of the shape of `points` without its last axis.

    Raises
    ------
    DesignError
        If the numbers of parties differ or a value is missing.

    Examples
    --------
    >>> dominated([[2, 1], [2, 2]], [[[3, 0], [2, 2], [0, 3]]] * 2).tolist()
    [True, False]
    """
    candidates, rivals = np.asarray(points), np.asarray(utilities)
    if candidates.ndim < 1 or rivals.ndim < 2 or candidates.shape[-1] != rivals.shape[-1] or not candidates.shape[-1]:
        raise DesignError(f"points {candidates.shape} and utilities {rivals.shape} must have one column for each party")
    if _any_missing(candidates) or _any_missing(rivals):
        raise DesignError("a utility is missing; leave such games out")
    # One party at a time: no array of truth values has an axis for parties.
    pairs = [(rivals[..., party], candidates[..., np.newaxis, party]) for party in range(candidates.shape[-1])]
    if weak:
        is_dominated: Mask = reduce(np.logical_and, (rival > candidate for rival, candidate in pairs))
    else:
        no_less = reduce(np.logical_and, (rival >= candidate for rival, candidate in pairs))
        is_dominated = no_less & reduce(np.logical_or, (rival > candidate for rival, candidate in pairs))
    return np.asarray(is_dominated.any(axis=-1))


def frontier(utilities: npt.ArrayLike, *, weak: bool = False) -> Numbers:
    """Return the distinct utilities of the Pareto optimal outcomes.

    Parameters
    ----------
    utilities, weak
        As in `pareto_optimal`.

    Returns
    -------
    numpy.ndarray
        (points, parties), sorted: the first party's utilities rise.

    Raises
    ------
    DesignError
        As `pareto_optimal`.

    Examples
    --------
    >>> frontier([[3, 0], [2, 2], [2, 2], [2, 1], [0, 3]]).tolist()
    [[0, 3], [2, 2], [3, 0]]
    """
    table = _table(utilities)
    return np.unique(table[pareto_optimal(table, weak=weak)], axis=0)


def minkowski_sum(*utility_sets: npt.ArrayLike, unique: bool = False, limit: int = LIMIT) -> Numbers:
    """Return the utilities of playing several games: every sum of one outcome from each.

    Pareto optimality over time (Mell et al., 2015) is that of these sums. As only sums of optimal outcomes can be
    optimal, ``frontier(minkowski_sum(*map(frontier, sets)))`` finds the same points from far fewer sums.

    Parameters
    ----------
    *utility_sets
        Utilities (outcomes, parties) of each game; all of the same parties in the same order.
    unique
        Keep each distinct sum once (sorted); otherwise one row for each combination, the last game changing fastest.
    limit
        The largest number of sums to list.

    Returns
    -------
    numpy.ndarray
        (sums, parties).

    Raises
    ------
    DesignError
        If no set is given, parties differ, or there are more than `limit` sums (the message says how many).

    References
    ----------
    Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
    negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    >>> minkowski_sum([[2, 0], [0, 2]], [[2, 0], [0, 2]]).tolist()
    [[4, 0], [2, 2], [2, 2], [0, 4]]
    >>> minkowski_sum([[2, 0], [0, 2]], [[2, 0], [0, 2]], unique=True).tolist()
    [[0, 4], [2, 2], [4, 0]]
    """
    sets = [_table(utilities) for utilities in utility_sets]
    if len({table.shape[1] for table in sets}) != 1:
        raise DesignError(f"{len(sets)} sets of outcomes were given; at least one is needed, all of the same parties")
    if unique:
        sets = [np.unique(table, axis=0) for table in sets]

    def add(first: Numbers, second: Numbers) -> Numbers:
        total = len(first) * len(second)
        if total > limit:
            raise DesignError(f"the games have {total:,} or more sums of outcomes, more than limit = {limit:,}")
        sums = (first[:, np.newaxis] + second[np.newaxis]).reshape(total, first.shape[1])
        return np.unique(sums, axis=0) if unique else sums

    if not unique and (total := math.prod(len(table) for table in sets)) > limit:
        raise DesignError(f"the games have {total:,} sums of outcomes, more than limit = {limit:,}; try unique=True")
    return reduce(add, sets)


def distance_to(points: npt.ArrayLike, targets: npt.ArrayLike, *, scale: npt.ArrayLike | None = None) -> Numbers:
    """Return the Euclidean distance, in utilities, from each point to the nearest of the targets.

    Parameters
    ----------
    points
        (..., parties).
    targets
        (targets, parties), or one target (parties,). Of several (tied solutions, a frontier) the nearest counts.
    scale
        What to divide each party's utilities by, (parties,); None leaves them raw.

    Returns
    -------
    numpy.ndarray
        Distances, of the shape of `points` without its last axis; missing where a point is.

    Raises
    ------
    DesignError
        If the numbers of parties differ or there is no target.
    NotEstimable
        If a scale is 0.

    Examples
    --------
    >>> float(distance_to([0, 0], [[3, 4], [6, 8]]))
    5.0
    """
    origins, goals = np.asarray(points, dtype=np.float64), np.atleast_2d(np.asarray(targets, dtype=np.float64))
    if origins.ndim < 1 or goals.ndim != 2 or origins.shape[-1] != goals.shape[-1] or not len(goals):
        raise DesignError(f"points {origins.shape} and targets {goals.shape} must have one column for each party")
    if scale is not None:
        divisor = np.asarray(scale, dtype=np.float64)
        if np.any(divisor == 0):
            raise NotEstimable(f"scale is {shown(divisor.tolist())}; a party without a range cannot be scaled")
        origins, goals = origins / divisor, goals / divisor
    points_flat = origins.reshape(-1, origins.shape[-1])
    nearest = np.empty(len(points_flat))
    for rows in _row_slices(len(points_flat), len(goals)):
        nearest[rows] = np.linalg.norm(points_flat[rows, np.newaxis] - goals, axis=-1).min(axis=-1)
    return nearest.reshape(origins.shape[:-1])


def distance_to_frontier(points: npt.ArrayLike, utilities: npt.ArrayLike, *, scale: Scale = None) -> Numbers:
    """Return the Euclidean distance from each point to the nearest Pareto optimal outcome.

    Parameters
    ----------
    points
        (..., parties).
    utilities
        All outcomes, (outcomes, parties).
    scale
        None: raw utilities. ``"range"``: each party's utilities divided by their range over the outcomes. Or divisors
        (parties,).

    Returns
    -------
    numpy.ndarray
        Distances, of the shape of `points` without its last axis; 0 for a point on the frontier.

    Raises
    ------
    DesignError
        As `pareto_optimal` and `distance_to`.
    NotEstimable
        If the utilities of a party have no range and one is asked for.

    Examples
    --------
    >>> outcomes = [[10, 0], [5, 5], [0, 10], [2, 1]]
    >>> float(distance_to_frontier([2, 1], outcomes))
    5.0
    >>> float(distance_to_frontier([2, 1], outcomes, scale="range"))
    0.5
    """
    table = _table(utilities)
    # Neither the order of the frontier nor a point that stands in it twice changes what is nearest.
    return distance_to(points, table[pareto_optimal(table)], scale=scaled_by(table, scale))


def scaled_by(utilities: Numbers, scale: Scale) -> Any:
    """Return the divisors that `scale` asks for: the range of each party's utilities for ``"range"``."""
    if isinstance(scale, str):
        if scale != "range":
            raise DesignError(f"scale is {shown(scale)}; give 'range', divisors or None")
        return np.ptp(utilities, axis=0)
    return scale


def _table(utilities: npt.ArrayLike) -> Numbers:
    table = np.asarray(utilities)
    if table.ndim != 2 or not table.shape[1] or table.dtype.kind not in "iuf":
        raise DesignError(
            f"utilities are {table.dtype} of the shape {table.shape}; numbers (outcomes, parties) are needed"
        )
    if _any_missing(table):
        raise DesignError(f"utilities of outcome {int(np.isnan(table).any(axis=1).argmax())} are missing; leave it out")
    return table


def _any_missing(numbers: Numbers) -> bool:
    return numbers.dtype.kind == "f" and bool(np.isnan(numbers).any())


def _swept(rows: Numbers, weak: bool) -> list[int]:
    """Return which rows of up to three numbers are undominated, in the order of `pareto_optimal`.

    The rows that came before are kept as stairs: those that no other has at least as much as in the last two numbers.
    """
    second, third = rows[:, min(1, rows.shape[1] - 1)].tolist(), rows[:, -1].tolist()  # of one or two, one stands twice
    stair_seconds: list[int] = []  # rising, and with each the third number, which falls
    stair_thirds: list[int] = []
    undominated = []
    for place, (own_second, own_third) in enumerate(zip(second, third, strict=True)):
        start, stop = bisect_left(stair_seconds, own_second), bisect_right(stair_seconds, own_second)
        is_below = start < len(stair_thirds) and stair_thirds[start] >= own_third
        if not (stop < len(stair_thirds) and stair_thirds[stop] > own_third if weak else is_below):
            undominated.append(place)
        if not is_below:
            while start and stair_thirds[start - 1] <= own_third:
                start -= 1
            stair_seconds[start:stop], stair_thirds[start:stop] = [own_second], [own_third]
    return undominated


def _front(rows: Numbers, row_indices: Places, weak: bool) -> Places:
    """Return which of the `row_indices` are undominated, for distinct rows in the order of `pareto_optimal`."""
    if len(row_indices) <= BLOCK:
        return row_indices[~_dominated_rows(rows[row_indices], rows[row_indices], weak)]
    half_size = len(row_indices) // 2
    # What dominates a row stands before it, so that rows of the second half cannot dominate those of the first.
    first_front, second_front = _front(rows, row_indices[:half_size], weak), _front(rows, row_indices[half_size:], weak)
    return np.concatenate([first_front, second_front[~_dominated_rows(rows[second_front], rows[first_front], weak)]])


def _dominated_rows(rows: Numbers, rivals: Numbers, weak: bool) -> Mask:
    is_dominated = np.empty(len(rows), dtype=bool)
    for rows_at_once in _row_slices(len(rows), len(rivals)):
        is_dominated[rows_at_once] = dominated(rows[rows_at_once], rivals, weak=weak)
    return is_dominated


def _row_slices(n_rows: int, n_rivals: int) -> list[slice]:
    """Slices of `n_rows` small enough to be compared with all of `n_rivals` at once."""
    step = max(1, COMPARISONS // max(1, n_rivals))
    return [slice(start, start + step) for start in range(0, n_rows, step)]
