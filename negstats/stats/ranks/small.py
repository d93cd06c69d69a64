"""Exact laws of Kruskal and Wallis's H and of Friedman's χ² for few observations, ties as they are."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from negstats.errors import DesignError
from negstats.stats.results.numbers import FloatArray

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
    doubled = np.round(2 * ranks).astype(np.int64)
    unit = 2 if (doubled[pooled > 0] % 2).any() else 1
    doubled = doubled * unit // 2
    most = [int(np.sort(np.repeat(doubled, pooled.astype(np.int64)))[-size:].sum()) for size in other_sizes]
    shape = (*(int(size) + 1 for size in other_sizes), *(top + 1 for top in most))
    values = [(int(times), int(rank)) for times, rank in zip(pooled, doubled, strict=True) if times]
    ways = [math.prod(min(times, int(size)) + 1 for size in other_sizes) for times, _ in values]
    check_work(shape, float(sum(ways)), "kruskal_wallis")
    table = np.zeros(shape)
    table[(0,) * table.ndim] = 1.0
    for times, rank in values:
        table = _move(table, _shares(times, rank, [int(size) for size in other_sizes]))
    law = table[tuple(int(size) for size in other_sizes)]
    law = law / law.sum()
    grid = np.indices(law.shape, dtype=np.float64) / unit
    rest = float(total.sum()) - grid.sum(axis=0)
    value = (grid**2 / other_sizes.reshape(-1, *[1] * law.ndim)).sum(axis=0) + rest**2 / sizes[0]
    observed = float((total**2 / sizes).sum())
    return float(min(1.0, law[value >= observed * (1 - TIE)].sum()))


def _shares(times: int, rank: int, sizes: Sequence[int]) -> list[tuple[tuple[int, ...], float]]:
    """Return the ways to hand some of `times` equal values to the groups, as steps along the axes, and weights."""
    counts_and_ways = []
    for counts_in_groups in itertools.product(*(range(min(times, size) + 1) for size in sizes)):
        rest = times - sum(counts_in_groups)
        if rest >= 0:
            ways = math.factorial(times) / math.prod(math.factorial(count) for count in (*counts_in_groups, rest))
            counts_and_ways.append(((*counts_in_groups, *(count * rank for count in counts_in_groups)), ways))
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
    base = doubled.min(axis=1)
    from_zero = doubled - base[:, None]
    shape = tuple([int(from_zero.max(axis=1).sum()) + 1] * (k - 1))
    orders = [sorted(set(itertools.permutations(row.tolist()))) for row in from_zero] if k <= 8 else []
    check_work(shape, float(sum(map(len, orders))) if orders else math.inf, "friedman")
    table = np.zeros(shape)
    table[(0,) * (k - 1)] = 1.0
    for each in orders:
        table = _move(table, [(order[:-1], 1.0 / len(each)) for order in each])
    grid = np.indices(shape, dtype=np.float64)
    whole = float(from_zero.sum())
    last = whole - grid.sum(axis=0)
    middle = whole / k
    value = ((grid - middle) ** 2).sum(axis=0) + (last - middle) ** 2
    observed = float(((from_zero.sum(axis=0) - middle) ** 2).sum())
    return float(min(1.0, table[value >= observed * (1 - TIE)].sum()))


def _move(table: FloatArray, moves: Moves) -> FloatArray:
    """Return the sum of the table moved by each step, times its weight; what leaves the table is lost."""
    out = np.zeros_like(table)
    for step, weight in moves:
        if all(one < size for one, size in zip(step, table.shape, strict=True)):
            into = tuple(slice(one, None) for one in step)
            source = tuple(slice(None, size - one) for one, size in zip(step, table.shape, strict=True))
            out[into] += weight * table[source]
    return out


def check_work(shape: tuple[int, ...], moves: float, what: str) -> None:
    """Raise DesignError if an exact law has more sums of ranks, or needs more additions, than some ten seconds bear."""
    places = math.prod(shape)
    if places > PLACES or places * moves > WORK:
        raise DesignError(
            f"the exact p of {what} is for few observations ({places:.0e} sums here)",
            advice="give method='asymptotic', or permutation_test with rng",
        )
