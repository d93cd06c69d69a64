"""Exact null distributions of rank tests, ties as they are: of rank sums, and of H and Friedman's χ² for few rows.

Midranks are halves, so doubled they are whole, and the ways to reach each sum are counted one observation after the
other. Ties need no approximation: the distribution is that of all permutations of the values that were seen (Streitberg
and Röhmel, 1986).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import Alternative

IntArray = npt.NDArray[np.int64]

# The dynamic programming keeps one number a state; more states than this do not fit an ordinary memory.
STATES = 40_000_000

# So many rows of states are worked on at once: few calls, and few states that cannot occur.
ROWS = 8


def midranks(counts: FloatArray) -> FloatArray:
    """Return the midrank of each distinct value, ascending, from how often each occurs (last axis).

    Examples
    --------
    >>> midranks(np.array([2.0, 1.0])).tolist()
    [1.5, 3.0]
    """
    return np.asarray(np.cumsum(counts, axis=-1) - (counts - 1) / 2)


def rank_sum_p(first: IntArray, pooled: IntArray, alternative: Alternative) -> float:
    """Return the exact p of the rank sum of the first of two groups.

    Parameters
    ----------
    first, pooled
        How often each distinct value occurs in the first group and in both, values ascending.
    alternative
        "two-sided" counts what is at least as far from the expected sum as the observed one, on either side.

    Examples
    --------
    >>> rank_sum_p(np.array([0, 0, 1, 1]), np.array([1, 1, 1, 1]), "greater")  # one of six
    0.16666666666666666
    """
    has_values = pooled > 0
    sizes, first_sizes = pooled[has_values], first[has_values]
    m, total = int(first_sizes.sum()), int(sizes.sum())
    scores = _scores(sizes)
    sums, p = sum_of_chosen(tuple(sizes.tolist()), m)
    observed, expected = int(scores @ first_sizes), m * int(scores @ sizes)
    # Compared in whole numbers (times the number of observations): no float equality.
    return _tail(total * sums - expected, total * observed - expected, p, alternative)


def signed_rank_p(positive: IntArray, doubled: IntArray, counts: IntArray, alternative: Alternative) -> float:
    """Return the exact p of the sum of the ranks of positive differences.

    Parameters
    ----------
    positive, counts
        How many differences of each absolute value are positive, and how many there are.
    doubled
        Twice the midrank of each absolute value.
    """
    scores = doubled // max(1, int(np.gcd.reduce(doubled)))
    sums, p = sum_of_signed(tuple(scores.tolist()), tuple(counts.tolist()))
    total = int(scores @ counts)
    return _tail(2 * sums - total, 2 * int(scores @ positive) - total, p, alternative)


def untied_rank_sum(m: int, n: int) -> FloatArray:
    """Return ``P(U = u)`` for u = 0, 1, ..., m n where no values are tied."""
    sums, p = sum_of_chosen((1,) * (m + n), m)
    smallest_sum = m * (m - 1) // 2 - int(sums[0])
    return p[smallest_sum : smallest_sum + m * n + 1]


def untied_signed_rank(n: int) -> FloatArray:
    """Return ``P(T+ = t)`` for t = 0, 1, ..., n (n + 1) / 2 where no values are tied."""
    return sum_of_signed(tuple(range(1, n + 1)), (1,) * n)[1]


def _tail(distances: IntArray, observed: int, p: FloatArray, alternative: Alternative) -> float:
    extreme = {
        "two-sided": np.abs(distances) >= abs(observed),
        "greater": distances >= observed,
        "less": distances <= observed,
    }[alternative]
    return min(1.0, float(p[extreme].sum()))


def _scores(sizes: IntArray) -> IntArray:
    """Whole numbers that differ as the midranks do, as small as they go: 0, 1, 2, ... without ties."""
    doubled = 2 * np.cumsum(sizes) - sizes
    from_zero = doubled - doubled[0]
    return np.asarray(from_zero // max(1, int(np.gcd.reduce(from_zero))))


@lru_cache(maxsize=512)
def sum_of_chosen(sizes: tuple[int, ...], m: int) -> tuple[IntArray, FloatArray]:
    """Distribution of the summed scores of m of all observations, drawn without putting back.

    Every observation is in with probability m / N, independently; among those draws with exactly m the sum has the
    distribution that is wanted, and no number overflows.
    """
    scores = np.repeat(_scores(np.array(sizes)), sizes)
    total = len(scores)
    if m > total - m:  # the others' sum is what this sum leaves
        sums, p = sum_of_chosen(sizes, total - m)
        return int(scores.sum()) - sums[::-1], p[::-1]
    largest = int(scores[total - m :].sum())
    if (m + 1) * (largest + 1) > STATES:
        raise DesignError(
            f"method 'exact' for groups of {m} and {total - m} would keep {(m + 1) * (largest + 1)} sums; "
            "use method 'asymptotic'"
        )
    # As if each value were in the sample with probability m/N: no weight overflows, and the last row is
    # conditioned on m.
    share = m / total
    weights = np.zeros((m + 1, largest + 1))
    weights[0, 0] = 1.0
    smallest_sums = np.concatenate([[0], np.cumsum(scores)]).tolist()  # the smallest sum of so many; the scores ascend
    for n_seen, score in enumerate(scores.tolist(), start=1):
        # Numbers in the sample from which m can still be reached, and for some of them at once the sums that they have.
        most_chosen, fewest_chosen = min(n_seen, m), max(0, m - (total - n_seen))
        for last_row in range(most_chosen, fewest_chosen - 1, -ROWS):
            first_kept = max(fewest_chosen, last_row - ROWS + 1)
            largest_sum = smallest_sums[n_seen] - smallest_sums[n_seen - last_row]
            first_row = max(first_kept - 1, 0)
            first_sum, last_sum = smallest_sums[first_row], max(largest_sum - score + 1, 0)
            weights_with_value = share * weights[first_row:last_row, first_sum:last_sum]
            weights[first_kept : last_row + 1, smallest_sums[first_kept] : largest_sum + 1] *= 1 - share
            weights[first_row + 1 : last_row + 1, first_sum + score : last_sum + score] += weights_with_value
    p = weights[m] / weights[m].sum()
    p.setflags(write=False)
    return np.arange(largest + 1), p


@lru_cache(maxsize=512)
def sum_of_signed(scores: tuple[int, ...], counts: tuple[int, ...]) -> tuple[IntArray, FloatArray]:
    """Distribution of the sum of those scores whose sign falls positive, each with probability one half."""
    largest = sum(score * times for score, times in zip(scores, counts, strict=True))
    if largest > STATES:
        raise DesignError(f"method 'exact' would keep {largest} sums; use method 'asymptotic'")
    p = np.zeros(largest + 1)
    p[0] = 1.0
    for score, times in zip(scores, counts, strict=True):
        for _ in range(times):
            p_positive = 0.5 * p[: largest + 1 - score]
            p *= 0.5
            p[score:] += p_positive
    p.setflags(write=False)
    return np.arange(largest + 1), p


# So many sums of ranks may be told apart, and so many additions may be made.
PLACES = 8_000_000
WORK = 3e9
# Two statistics that differ by less than this share are ties that rounding has parted.
TIE = 1e-9

# A table of how probable each combination of counts and rank sums is; one axis a count or sum.
Moves = Sequence[tuple[tuple[int, ...], float]]


def kruskal_wallis_p(pooled: FloatArray, ranks: FloatArray, n: FloatArray, sums: FloatArray) -> float:
    """Return the probability of an H as large as the observed one, over all ways to share the values among the groups.

    Parameters
    ----------
    pooled, ranks : ndarray, shape (values,)
        How often each value occurs, and its midrank.
    n, sums : ndarray, shape (groups,)
        Sizes and rank sums of the groups.

    Notes
    -----
    Value after value is handed out to the groups; what must be known is how many each group but the last has, and the
    sum of their ranks (doubled where midranks are not whole).
    """
    order = np.argsort(-n, kind="stable")  # the largest group is what is left
    sizes, total = n[order].astype(np.int64), sums[order]
    other_sizes = sizes[1:]
    # Twice the midranks are whole numbers; without half ranks the ranks themselves are.
    doubled = np.round(2 * ranks).astype(np.int64)
    unit = 2 if (doubled[pooled > 0] % 2).any() else 1
    doubled = doubled * unit // 2
    largest_sums = [int(np.sort(np.repeat(doubled, pooled.astype(np.int64)))[-size:].sum()) for size in other_sizes]
    shape = (*(int(size) + 1 for size in other_sizes), *(largest_sum + 1 for largest_sum in largest_sums))
    values = [(int(times), int(rank)) for times, rank in zip(pooled, doubled, strict=True) if times]
    n_ways = [math.prod(min(times, int(size)) + 1 for size in other_sizes) for times, _ in values]
    check_work(shape, float(sum(n_ways)), "kruskal_wallis")
    # The joint distribution of the other groups' sizes and rank sums, one distinct value at a time.
    table = np.zeros(shape)
    table[(0,) * table.ndim] = 1.0
    for times, rank in values:
        table = _move(table, _shares(times, rank, [int(size) for size in other_sizes]))
    # Of the tables with the groups' sizes, those whose statistic is as large as the observed one.
    distribution = table[tuple(int(size) for size in other_sizes)]
    distribution = distribution / distribution.sum()
    grid = np.indices(distribution.shape, dtype=np.float64) / unit
    largest_group_sum = float(total.sum()) - grid.sum(axis=0)
    value = (grid**2 / other_sizes.reshape(-1, *[1] * distribution.ndim)).sum(axis=0) + largest_group_sum**2 / sizes[0]
    observed = float((total**2 / sizes).sum())
    return float(min(1.0, distribution[value >= observed * (1 - TIE)].sum()))


def _shares(times: int, rank: int, sizes: Sequence[int]) -> list[tuple[tuple[int, ...], float]]:
    """Return the ways to hand some of `times` equal values to the groups, as steps along the axes, and weights."""
    counts_and_ways = []
    for counts_in_groups in itertools.product(*(range(min(times, size) + 1) for size in sizes)):
        n_left = times - sum(counts_in_groups)
        if n_left >= 0:
            n_ways = math.factorial(times) / math.prod(math.factorial(count) for count in (*counts_in_groups, n_left))
            counts_and_ways.append(((*counts_in_groups, *(count * rank for count in counts_in_groups)), n_ways))
    return counts_and_ways


def friedman_p(ranks: FloatArray) -> float:
    """Return the probability of a χ² as large as the observed one, each subject's ranks in every order.

    Parameters
    ----------
    ranks : ndarray, shape (subjects, measures)
        Midranks inside each subject.
    """
    k = ranks.shape[1]
    doubled = np.round(2 * ranks).astype(np.int64)
    if (doubled % 2 == 0).all():
        doubled //= 2
    smallest = doubled.min(axis=1)
    from_zero = doubled - smallest[:, None]
    shape = tuple([int(from_zero.max(axis=1).sum()) + 1] * (k - 1))
    orders = [sorted(set(itertools.permutations(row.tolist()))) for row in from_zero] if k <= 8 else []
    check_work(shape, float(sum(map(len, orders))) if orders else math.inf, "friedman")
    # The joint distribution of all rank sums but the last, which follows from the others.
    table = np.zeros(shape)
    table[(0,) * (k - 1)] = 1.0
    for row_orders in orders:
        table = _move(table, [(order[:-1], 1.0 / len(row_orders)) for order in row_orders])
    grid = np.indices(shape, dtype=np.float64)
    grand_sum = float(from_zero.sum())
    last_sum = grand_sum - grid.sum(axis=0)
    mean_sum = grand_sum / k
    value = ((grid - mean_sum) ** 2).sum(axis=0) + (last_sum - mean_sum) ** 2
    observed = float(((from_zero.sum(axis=0) - mean_sum) ** 2).sum())
    return float(min(1.0, table[value >= observed * (1 - TIE)].sum()))


def _move(table: FloatArray, weighted_steps: Moves) -> FloatArray:
    """Return the sum of the table moved by each step, times its weight; what leaves the table is lost."""
    moved = np.zeros_like(table)
    for step, weight in weighted_steps:
        if all(step_size < size for step_size, size in zip(step, table.shape, strict=True)):
            target = tuple(slice(step_size, None) for step_size in step)
            source = tuple(slice(None, size - step_size) for step_size, size in zip(step, table.shape, strict=True))
            moved[target] += weight * table[source]
    return moved


def check_work(shape: tuple[int, ...], moves: float, what: str) -> None:
    """Raise DesignError if an exact law has more sums of ranks, or needs more additions, than some ten seconds bear."""
    n_cells = math.prod(shape)
    if n_cells > PLACES or n_cells * moves > WORK:
        raise DesignError(
            f"the exact p of {what} is for few observations ({n_cells:.0e} sums here)",
            advice="give method='asymptotic', or permutation_test with rng",
        )
