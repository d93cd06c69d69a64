"""Exact distributions of Kendall's S and of Spearman's sum of rank products under independence, given the ties."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy import special

from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import Alternative

# Kendall: distinct states of what remains, where both variables have ties; units, where one has none.
MOST_STATES, MOST_UNITS = 600, 50
# Spearman: all arrangements of so many ranks are formed.
MOST_RANKED = 9


def can_be_exact(first: Sequence[int], second: Sequence[int]) -> bool:
    """Return whether `kendall_distribution` is cheap for variables whose values occur this often."""
    if sum(first) > MOST_UNITS:
        return False
    return min(max(first), max(second)) == 1 or min(_states(first), _states(second)) <= MOST_STATES


def kendall_distribution(first: Sequence[int], second: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """Return the values of S, concordant less discordant pairs, and their probabilities, all pairings being as likely.

    Parameters
    ----------
    first, second
        How often each value of a variable occurs, in the order of the values.

    Notes
    -----
    Where one variable has no ties, the discordant pairs are the inversions of a word, with generating function
    ``[n]! / (∏ [t_i]!)`` (MacMahon; Kendall, 1970, Rank Correlation Methods, ch. 4). Else the groups of the first are
    dealt out in order, and what remains of the second is the state.

    Examples
    --------
    >>> s, p = kendall_distribution([1, 1, 1], [1, 1, 1])
    >>> s.tolist(), (6 * p).round(12).tolist()
    ([-3.0, -1.0, 1.0, 3.0], [1.0, 2.0, 2.0, 1.0])
    """
    if max(second) == 1:
        return _inversions(tuple(first))
    if max(first) == 1:
        return _inversions(tuple(second))
    if _states(first) < _states(second):
        first, second = second, first
    return _dealt(tuple(first), tuple(second))


def tail(values: FloatArray, p: FloatArray, seen: float, alternative: Alternative) -> float:
    """Return the probability of a value at least as extreme as the one seen; two-sided by its size.

    Examples
    --------
    >>> tail(np.array([-1.0, 0.0, 1.0]), np.array([0.25, 0.5, 0.25]), 1.0, "two-sided")
    0.5
    """
    # Products of midranks of few units are fractions of whole numbers: distinct ones differ by far more than this.
    tolerance = np.sqrt(np.finfo(np.float64).eps) * float(np.abs(values).max())
    hit = {
        "two-sided": np.abs(values) >= abs(seen) - tolerance,
        "greater": values >= seen - tolerance,
        "less": values <= seen + tolerance,
    }[alternative]
    return min(1.0, float(p[hit].sum()))


def spearman_p(first: FloatArray, second: FloatArray, alternative: Alternative) -> float:
    """Return the exact p of the product of midranks over all arrangements of at most nine units."""
    a, b = first - first.mean(), second - second.mean()
    products = b[_arrangements(len(b))] @ a
    return tail(products, np.full(len(products), 1 / len(products)), float(a @ b), alternative)


def _states(counts: Sequence[int]) -> float:
    return float(np.prod([float(count) + 1 for count in counts]))


@lru_cache(maxsize=64)
def _inversions(ties: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """Count inversions of a word with these letters, in whole numbers of Python, which lose no digit."""
    coefficients, n_units = [1], 0
    for size in ties:
        for degree in range(1, size + 1):
            n_units += 1
            coefficients = _divided(_multiplied(coefficients, n_units), degree)
    total, n_pairs = sum(coefficients), len(coefficients) - 1
    return np.asarray(n_pairs - 2.0 * np.arange(n_pairs, -1, -1)), np.array(
        [coefficient / total for coefficient in coefficients[::-1]]
    )


def _multiplied(polynomial: list[int], degree: int) -> list[int]:
    """Return the coefficients of ``ways × (1 − q^degree)``."""
    coefficients = polynomial + [0] * degree
    for power, coefficient in enumerate(polynomial):
        coefficients[power + degree] -= coefficient
    return coefficients


def _divided(polynomial: list[int], degree: int) -> list[int]:
    """Return the coefficients of ``ways / (1 − q^degree)``, which leaves no rest."""
    for power in range(degree, len(polynomial)):
        polynomial[power] += polynomial[power - degree]
    return polynomial[: len(polynomial) - degree]


def _dealt(first_ties: tuple[int, ...], second_ties: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    n = sum(first_ties)
    largest = n * (n - 1) // 2
    start = np.zeros(2 * largest + 1)
    start[largest] = 1.0
    layer: dict[tuple[int, ...], FloatArray] = {second_ties: start}
    n_left = n
    # Groups of tied values are dealt in turn: a state is how many of each level of the other variable are left.
    for size in first_ties:
        next_layer: dict[tuple[int, ...], FloatArray] = {}
        for state, weights in layer.items():
            for dealt_counts in _choices(state, size):
                remaining = tuple(n_of_level - n_dealt for n_of_level, n_dealt in zip(state, dealt_counts, strict=True))
                probability = float(np.prod(special.comb(state, dealt_counts))) / float(special.comb(n_left, size))
                shifted_weights = probability * np.roll(weights, _gain(dealt_counts, remaining))
                next_layer[remaining] = (
                    next_layer[remaining] + shifted_weights if remaining in next_layer else shifted_weights
                )
        layer, n_left = next_layer, n_left - size
    (p,) = layer.values()
    is_possible = p > 0
    return np.asarray(np.arange(-largest, largest + 1.0)[is_possible]), p[is_possible]


def _choices(state: tuple[int, ...], size: int) -> list[tuple[int, ...]]:
    return [
        choice for choice in product(*(range(min(n_of_level, size) + 1) for n_of_level in state)) if sum(choice) == size
    ]


def _gain(dealt_counts: tuple[int, ...], remaining: tuple[int, ...]) -> int:
    """Return concordant less discordant pairs between a group and all that lie above it in the first variable."""
    n_above = np.cumsum(remaining[::-1])[::-1] - remaining
    n_below = np.cumsum(remaining) - remaining
    return int(np.dot(dealt_counts, n_above - n_below))


@lru_cache(maxsize=4)
def _arrangements(n: int) -> npt.NDArray[np.int8]:
    if n == 1:
        return np.zeros((1, 1), dtype=np.int8)
    smaller = _arrangements(n - 1)
    inserted = [np.insert(smaller, position, n - 1, axis=1) for position in range(n)]
    return np.concatenate(inserted).astype(np.int8)
