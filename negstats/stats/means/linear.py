"""The array core of the analyses of variance: hypotheses about cell means and their sums of squares.

A between-subjects design is known by the n and the mean of each cell (and the sum of squares inside the cells). Arrays
have the shape ``(*studies, cells)``; the cells are those of a table of `shape` levels, flattened. A term is a tuple of
the places of its factors: ``(0, 2)`` is the interaction of the first and the third.

Two kinds of question are asked of the means. `hypothesis_products` tests a contrast of unweighted cell means (type III,
simple effects, contrasts); `added_squares` compares nested models (types I and II), by rank where cells are empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, reduce
from itertools import combinations

import numpy as np

from negstats.stats.results.numbers import FloatArray, shared, sums

Term = tuple[int, ...]

# A direction counts as new when this share of its length is left after the others are taken out (R's lm uses 1e-7).
TOLERANCE = 1e-9


@lru_cache(maxsize=64)
def all_terms(factors: int) -> tuple[Term, ...]:
    """Return the terms of a full factorial design: main effects first, then pairs, and so on; in R's order.

    Examples
    --------
    >>> all_terms(3)
    ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
    """
    terms = (term for order in range(1, factors + 1) for term in combinations(range(factors), order))
    return tuple(sorted(terms, key=lambda term: (len(term), term[::-1])))


def kron(parts: Sequence[FloatArray]) -> FloatArray:
    """Return the Kronecker product of several matrices."""
    return reduce(lambda product, right: np.asarray(np.kron(product, right)), parts, np.eye(1))


@lru_cache(maxsize=64)
def coding(levels: int) -> FloatArray:
    """Return the contrasts of a factor as orthonormal rows that sum to zero, shape ``(levels − 1, levels)``.

    Rows are Helmert's. Any other sum-to-zero coding spans the same space, so it gives the same sums of squares.
    """
    rows = np.zeros((levels - 1, levels))
    for row in range(levels - 1):
        rows[row, : row + 1] = 1.0
        rows[row, row + 1] = -(row + 1.0)
        rows[row] /= np.sqrt((row + 1.0) * (row + 2.0))
    rows.flags.writeable = False
    return rows


@lru_cache(maxsize=1024)
def hypothesis(shape: tuple[int, ...], term: Term) -> FloatArray:
    """Return the contrasts of unweighted cell means that a term's type III test sets to zero, as orthonormal rows."""
    parts = [coding(size) if place in term else np.full((1, size), size**-0.5) for place, size in enumerate(shape)]
    rows = kron(parts)
    rows.flags.writeable = False
    return rows


def hypothesis_products(rows: FloatArray, n: FloatArray, mean: FloatArray) -> FloatArray:
    """Return sums of squares and products for the hypothesis ``rows @ mean = 0``.

    Parameters
    ----------
    rows : ndarray, shape (r, cells)
        The hypothesis; rows must be linearly independent.
    n : ndarray, shape (*studies, cells)
        Observations in each cell, all positive.
    mean : ndarray, shape (*studies, cells, q)
        Cell means of q outcomes.

    Returns
    -------
    ndarray, shape (*studies, q, q)
        (L m)' (L D L')⁻¹ (L m) with D = diag(1/n): Searle (1987), Linear Models for Unbalanced Data, sec. 4.10.
    """
    n = shared(n)  # of a stack of studies of one size one matrix will do for all
    spread = (rows / n[..., None, :]) @ rows.T
    if mean.shape[-1] == 1 and mean.ndim == 3 and len(spread) == 1 < len(mean):
        flat = (mean[..., 0] @ rows.T).T
        return np.asarray((flat * np.linalg.solve(spread[0], flat)).sum(axis=0)[:, None, None])
    estimate = rows @ mean
    return np.asarray(np.swapaxes(estimate, -1, -2) @ np.linalg.solve(spread, estimate))


def hypothesis_squares(rows: FloatArray, n: FloatArray, mean: FloatArray) -> FloatArray:
    """Return the sum of squares for the hypothesis ``rows @ mean = 0``, shape ``(*studies,)``.

    As `hypothesis_products` of one outcome, `mean` of the shape ``(*studies, cells)``. A stack of studies of one size
    is projected: with C C' = L D L' the sum of squares is the squared length of C⁻¹ L m.
    """
    sizes = shared(n)
    if mean.ndim == 2 and len(sizes) < len(mean):
        contrast_means = mean @ np.linalg.solve(np.linalg.cholesky((rows / sizes) @ rows.T), rows).T
        contrast_means *= contrast_means
        return sums(contrast_means)
    return np.asarray(hypothesis_products(rows, n, mean[..., None])[..., 0, 0])


def added_squares(
    shape: tuple[int, ...], term: Term, others: Sequence[Term], n: FloatArray, mean: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return by how much a term lowers the residual sum of squares of a model that holds `others`, and its df.

    Empty cells (n = 0) drop out; the df are the rank that the term adds, study by study.

    Parameters
    ----------
    n, mean : ndarray, shape (*studies, cells)
        Observations and mean of each cell; the mean of an empty cell may be any finite number.
    """
    root = np.sqrt(n)
    base = _new_directions(_columns(shape, ((), *others), root), None)
    own = _new_directions(_columns(shape, (term,), root), base)
    part = np.swapaxes(own, -1, -2) @ (root * mean)[..., None]
    ss, df = (part**2).sum(axis=(-2, -1)), (own**2).sum(axis=-2).round().sum(axis=-1)
    return np.asarray(ss), np.asarray(df)


def _columns(shape: tuple[int, ...], terms: Sequence[Term], root: FloatArray) -> FloatArray:
    """Return the terms' columns of the sum-to-zero design matrix, each cell weighted by the root of its n."""
    rows = np.concatenate([hypothesis(shape, term) for term in terms])
    return np.asarray(root[..., None] * rows.T)


def _new_directions(columns: FloatArray, base: FloatArray | None) -> FloatArray:
    """Return orthonormal columns for what `columns` add to the span of `base`; beyond the rank they are zero."""
    size = np.linalg.norm(columns, axis=(-2, -1))
    if base is not None:
        for _ in range(2):  # the second pass takes out what rounding left
            columns = columns - base @ (np.swapaxes(base, -1, -2) @ columns)
    left_vectors, singular, _ = np.linalg.svd(columns, full_matrices=False)
    directions: FloatArray = left_vectors * (singular > TOLERANCE * size[..., None])[..., None, :]
    return directions
