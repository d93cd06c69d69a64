"""Pareto optimality over a finite set of outcomes: frontier, dominance, distances, and sums over several games.

Utilities are arrays (outcomes, parties). Comparisons are exact: ties and duplicate outcomes all stay on the frontier,
and nothing is called equal that is not. Utilities that carry rounding noise should be rounded, or given as whole
points, by whoever knows their scale.
"""

from __future__ import annotations

import math
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

FEW = 1000  # rows that are not worth looking for champions
CHAMPIONS = 4
NEAR = 64  # how many rows before a row are compared with it directly, where there are three parties
WHOLE = 1 << 62  # below it, a combination of rankings fits one whole number
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
    optimal = np.zeros(len(table), dtype=bool)
    candidate_rows = _candidates(table, weak)
    candidates = table if len(candidate_rows) == len(table) else table[candidate_rows]
    if not len(candidates):
        return optimal
    if candidates.shape[1] == 3:
        optimal[candidate_rows] = _triples(candidates, weak)
        return optimal
    order = np.lexsort(candidates.T[::-1])[::-1]  # falling by the first party, then by the second, ...
    optimal[candidate_rows[order]] = (_sorted_pairs if candidates.shape[1] == 2 else _sorted_rows)(
        candidates[order], weak
    )
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


def _candidates(table: Numbers, weak: bool) -> Places:
    """Return the places of the rows that none of a few good rows dominates: of random rows these are few."""
    candidate_rows = np.arange(len(table))
    if len(table) < FEW:
        return candidate_rows
    columns = [np.ascontiguousarray(column) for column in table.T]
    # The row with the largest sum dominates many others: those that it leaves are the candidates.
    for _ in range(CHAMPIONS):
        with np.errstate(invalid="ignore"):  # inf - inf
            row_sums = columns[0].astype(np.float64)
            for column in columns[1:]:
                row_sums = row_sums + column
        champion = int(np.nan_to_num(row_sums, nan=-np.inf).argmax())
        champion_values = [column[champion] for column in columns]
        survives = reduce(
            np.logical_or,
            (
                column >= champion_value if weak else column > champion_value
                for column, champion_value in zip(columns, champion_values, strict=True)
            ),
        )
        if not weak:  # as good in everything is not dominance
            survives |= reduce(
                np.logical_and,
                (column == champion_value for column, champion_value in zip(columns, champion_values, strict=True)),
            )
        if survives.sum() > 0.9 * len(survives):
            break
        candidate_rows, columns = candidate_rows[survives], [column[survives] for column in columns]
    return candidate_rows


def _triples(table: Numbers, weak: bool) -> Mask:
    """Return which rows of three numbers no other dominates."""
    first_ranks, second_ranks, third_ranks = (np.unique(column, return_inverse=True)[1] for column in table.T)
    # A row's dominators stand before it; where dominance is strict, no row of the same first number may.
    order, is_repeat = (
        _decreasing_order(first_ranks, second_ranks.max() - second_ranks, third_ranks)
        if weak
        else _decreasing_order(first_ranks, second_ranks, third_ranks)
    )
    optimal = np.empty(len(order), dtype=bool)
    if weak:
        optimal[order] = ~_dominated_earlier(second_ranks[order], third_ranks[order], weak)
    else:  # equal rows stand together; the first stands for all
        distinct = order[~is_repeat]
        optimal[order] = ~_dominated_earlier(second_ranks[distinct], third_ranks[distinct], weak)[
            np.cumsum(~is_repeat) - 1
        ]
    return optimal


def _decreasing_order(*ranks: Places) -> tuple[Places, Mask]:
    """Return the order in which rankings fall, the first before the others, and which rows repeat the row before."""
    sizes = [int(rank.max()) + 1 for rank in ranks]
    if math.prod(sizes) < WHOLE:  # one number that orders the rows is faster than a sort for each ranking
        ranks = (np.ravel_multi_index(ranks, sizes),)
    order = np.lexsort(ranks[::-1])[::-1] if len(ranks) > 1 else np.argsort(ranks[0])[::-1]
    is_repeat = np.zeros(len(order), dtype=bool)
    is_repeat[1:] = reduce(np.logical_and, (rank[order[1:]] == rank[order[:-1]] for rank in ranks))
    return order, is_repeat


def _dominated_earlier(second_ranks: Places, third_ranks: Places, weak: bool) -> Mask:
    """Return which places have one before them that is as high in both rankings (higher, if `weak`)."""
    size = len(second_ranks)
    halvings = (size // NEAR).bit_length()
    width = -(-size >> halvings)
    exceeds = np.greater if weak else np.greater_equal
    is_dominated = np.zeros(width << halvings, dtype=bool)
    # Rows less than `width` apart are compared directly: blocks need not be halved further than that.
    for distance in range(1, width):
        is_dominated[distance:size] |= exceeds(second_ranks[:-distance], second_ranks[distance:]) & exceeds(
            third_ranks[:-distance], third_ranks[distance:]
        )
    # Places are added at the end, the lowest, so that all blocks are of one size.
    second_ranks, third_ranks = (
        np.pad(ranks, (0, len(is_dominated) - size), constant_values=-1) for ranks in (second_ranks, third_ranks)
    )
    positions = (
        np.lexsort((-np.arange(len(is_dominated)), -second_ranks)) if weak else np.argsort(-second_ranks, kind="stable")
    )
    for n_blocks in 1 << np.arange(halvings):
        # The places of each block are sorted by `second_ranks`; those of its first half may beat the others.
        blocks = positions.reshape(n_blocks, -1)
        half_size = blocks.shape[1] // 2
        is_late = blocks >= 2 * half_size * np.arange(n_blocks)[:, np.newaxis] + half_size
        height = third_ranks[blocks]
        highest = np.maximum.accumulate(np.where(is_late, -1, height), axis=1)
        is_dominated[positions.compress((is_late & exceeds(highest, height)).ravel())] = True
        halves = [positions.compress(in_half.ravel()).reshape(n_blocks, half_size) for in_half in (~is_late, is_late)]
        positions = np.stack(halves, axis=1).ravel()
    return is_dominated[:size]


def _steps(columns: Numbers) -> Mask:
    """Where a sorted table's rows differ from the row before; true for the first."""
    return np.concatenate([[True], (columns[1:] != columns[:-1]).any(axis=1)])


def _sorted_pairs(table: Numbers, weak: bool) -> Mask:
    starts = _steps(table[:, :1])  # where the first party's utility steps down
    group = np.cumsum(starts) - 1
    second_values, group_best = table[:, 1], table[starts, 1]
    optimal = np.ones(len(table), dtype=bool) if weak else second_values == group_best[group]
    has_rival = group > 0
    rival = np.maximum.accumulate(group_best)[group[has_rival] - 1]  # the second party's best where the first has more
    optimal[has_rival] &= second_values[has_rival] >= rival if weak else second_values[has_rival] > rival
    return optimal


def _sorted_rows(table: Numbers, weak: bool) -> Mask:
    starts = _steps(table)
    rows = table[starts]
    optimal = np.zeros(len(rows), dtype=bool)
    optimal[_front(rows, np.arange(len(rows)), weak)] = True
    return np.asarray(optimal[np.cumsum(starts) - 1])


def _front(rows: Numbers, places: Places, weak: bool) -> Places:
    """Return which of the `places` are undominated, for distinct rows that fall in lexicographic order."""
    if len(places) <= BLOCK:
        return places[~_dominated_rows(rows[places], rows[places], weak)]
    half_size = len(places) // 2
    # Rows of the second half cannot dominate those of the first, which fall in lexicographic order.
    first_front, second_front = _front(rows, places[:half_size], weak), _front(rows, places[half_size:], weak)
    return np.concatenate([first_front, second_front[~_dominated_rows(rows[second_front], rows[first_front], weak)]])


def _dominated_rows(rows: Numbers, others: Numbers, weak: bool) -> Mask:
    is_dominated = np.empty(len(rows), dtype=bool)
    for rows_at_once in _row_slices(len(rows), len(others)):
        is_dominated[rows_at_once] = dominated(rows[rows_at_once], others, weak=weak)
    return is_dominated


def _row_slices(rows: int, others: int) -> list[slice]:
    """Slices of `rows` small enough to be compared with all of `others` at once."""
    step = max(1, COMPARISONS // max(1, others))
    return [slice(start, start + step) for start in range(0, rows, step)]
