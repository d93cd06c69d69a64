"""Exact null distributions of rank sums, ties or not, by dynamic programming.

Midranks are halves, so doubled they are whole, and the ways to reach each sum are counted one observation after the
other. Ties need no approximation: the distribution is that of all permutations of the values that were seen (Streitberg
and Röhmel, 1986).
"""

from __future__ import annotations

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
    first = m * (m - 1) // 2 - int(sums[0])
    return p[first : first + m * n + 1]


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
    share = m / total
    ways = np.zeros((m + 1, largest + 1))
    ways[0, 0] = 1.0
    least = np.concatenate([[0], np.cumsum(scores)]).tolist()  # the smallest sum of so many; the scores ascend
    for n_seen, score in enumerate(scores.tolist(), start=1):
        # Numbers in the sample from which m can still be reached, and for some of them at once the sums that they have.
        top, bottom = min(n_seen, m), max(0, m - (total - n_seen))
        for high in range(top, bottom - 1, -ROWS):
            low = max(bottom, high - ROWS + 1)
            most = least[n_seen] - least[n_seen - high]
            first_row = max(low - 1, 0)
            first, last = least[first_row], max(most - score + 1, 0)
            ways_with_value = share * ways[first_row:high, first:last]
            ways[low : high + 1, least[low] : most + 1] *= 1 - share
            ways[first_row + 1 : high + 1, first + score : last + score] += ways_with_value
    p = ways[m] / ways[m].sum()
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
