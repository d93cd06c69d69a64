"""The blocks of a model with random effects: cross-products, what the parameters are entries of, and inverses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.codes import IntArray

# Levels of a block, and the share of its gram that is not 0, from which and up to which products skip the zeros.
LARGE, SPARSE = 200, 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Blocks with as many levels of each term: gram C (J, q, q), mixed B (J, q, 1 + p), these levels, and widths."""

    gram: FloatArray
    mixed: FloatArray
    levels: tuple[int, ...]
    widths: tuple[int, ...]

    def spread(self, parts: list[FloatArray]) -> FloatArray:
        """Return the block matrix with each term's small matrix once a level."""
        out = np.zeros(self.gram.shape[-2:])
        start = 0
        for count, part in zip(self.levels, parts, strict=True):
            k = len(part)
            for _ in range(count):
                out[start : start + k, start : start + k] = part
                start += k
        return out

    def multiply(self, parts: list[FloatArray], matrix: FloatArray) -> FloatArray:
        """Return `spread(parts)` times a matrix of each block, without the zeros."""
        out, start = np.empty_like(matrix), 0
        for count, part in zip(self.levels, parts, strict=True):
            k = len(part)
            rows = slice(start, start + count * k)
            start = rows.stop
            own = matrix[:, rows]
            out[:, rows] = (
                part[0, 0] * own if k == 1 else (part @ own.reshape(len(own), count, k, -1)).reshape(own.shape)
            )
        return out

    def turned(self, parts: list[FloatArray]) -> FloatArray:
        """Return R′CR of each block, where R is `spread(parts)`."""
        transposed = [part.T for part in parts]
        half = self.multiply(transposed, self.gram)
        return self.multiply(transposed, np.ascontiguousarray(np.swapaxes(half, 1, 2)))

    def times(self, matrix: FloatArray) -> FloatArray:
        """Return C times a matrix of each block."""
        return (
            np.asarray(csr_array(self.gram[0]) @ matrix[0])[None] if self.diagonal is not None else self.gram @ matrix
        )

    @property
    def diagonal(self) -> slice | None:
        """The rows of C of the largest term of intercepts, where one large block is nearly all zeros; else None.

        Rows of one term's levels share no zero-free place off the diagonal, so that they are eliminated one by one.
        """
        size = self.gram.shape[-1]
        if len(self.gram) > 1 or size <= LARGE or np.count_nonzero(self.gram) > SPARSE * self.gram.size:
            return None
        ends = np.cumsum(np.multiply(self.levels, self.widths))
        plain = [place for place, width in enumerate(self.widths) if width == 1]
        if not plain:
            return None
        largest = max(plain, key=lambda place: self.levels[place])
        return slice(int(ends[largest]) - self.levels[largest], int(ends[largest]))


@dataclass(frozen=True, slots=True)
class Layout:
    """How many random columns each term has, and which entry of which term each parameter is."""

    columns: tuple[int, ...]

    @property
    def entries(self) -> list[tuple[int, int, int]]:
        """(term, row, column) of each entry of the lower triangles."""
        return [(t, a, b) for t, k in enumerate(self.columns) for a in range(k) for b in range(a + 1)]

    def unit(self, place: int, *, symmetric: bool) -> list[FloatArray]:
        """Return the small matrices with a 1 at one entry."""
        out = [np.zeros((k, k)) for k in self.columns]
        term, a, b = self.entries[place]
        out[term][a, b] = 1.0
        if symmetric:
            out[term][b, a] = 1.0
        return out

    def factors(self, theta: FloatArray) -> list[FloatArray]:
        """Return Λ of each term."""
        out = [np.zeros((k, k)) for k in self.columns]
        for value, (term, a, b) in zip(theta, self.entries, strict=True):
            out[term][a, b] = value
        return out

    def psi(self, parts: list[FloatArray]) -> FloatArray:
        """Return the entries of symmetric small matrices."""
        return np.array([parts[term][a, b] for term, a, b in self.entries])


def whiten(batch: Batch, factors: list[FloatArray]) -> tuple[FloatArray, float]:
    """Return L⁻¹Λ′B of each block, where W = I + Λ′CΛ = LL′, and ln |W| over the blocks."""
    inner, right = batch.turned(factors), batch.multiply([factor.T for factor in factors], batch.mixed)
    inner[:, np.arange(inner.shape[-1]), np.arange(inner.shape[-1])] += 1.0
    if batch.diagonal is None:
        lower = np.linalg.cholesky(inner)
        return np.asarray(np.linalg.solve(lower, right)), 2 * float(np.log(np.einsum("jaa->ja", lower)).sum())
    split = _Eliminated.of(inner[0], batch.diagonal)
    lower = np.linalg.cholesky(split.rest)
    first, second = right[0][split.own], right[0][split.others]
    half = np.linalg.solve(lower, second - split.left @ first)
    logdet = float(np.log(split.diagonal).sum()) + 2 * float(np.log(np.diagonal(lower)).sum())
    return np.concatenate([first / np.sqrt(split.diagonal)[:, None], half])[None], logdet


def invert(batch: Batch, factors: list[FloatArray]) -> FloatArray:
    """Return D = I − AC of each block without the difference, as the inverse of I + ΨC."""
    whole = np.eye(batch.gram.shape[-1]) + batch.multiply([factor @ factor.T for factor in factors], batch.gram)
    if batch.diagonal is None:
        return np.asarray(np.linalg.inv(whole))
    split = _Eliminated.of(whole[0], batch.diagonal)
    inner = np.linalg.inv(split.rest)
    above = split.right @ inner
    out = np.empty_like(whole[0])
    out[np.ix_(split.others, split.others)] = inner
    out[np.ix_(split.own, split.others)] = -above
    out[np.ix_(split.others, split.own)] = -(split.left.T @ inner.T).T
    out[np.ix_(split.own, split.own)] = (split.left.T @ above.T).T
    out[split.own, split.own] += 1 / split.diagonal
    return np.asarray(out[None])


@dataclass(frozen=True, slots=True, eq=False)
class _Eliminated:
    """A matrix [[E, N], [M, R]] with E diagonal: E, `right` E⁻¹N, `left` ME⁻¹ and `rest` R − ME⁻¹N."""

    own: IntArray
    others: IntArray
    diagonal: FloatArray
    right: Any
    left: Any
    rest: FloatArray

    @classmethod
    def of(cls, matrix: FloatArray, rows: slice) -> _Eliminated:
        """Eliminate the rows and columns in which the matrix is diagonal."""
        places = np.arange(len(matrix))
        own = places[rows]
        others = np.concatenate([places[: rows.start], places[rows.stop :]])
        diagonal = matrix[own, own]
        right = csr_array(matrix[np.ix_(own, others)] / diagonal[:, None])
        below = csr_array(matrix[np.ix_(others, own)])
        rest = matrix[np.ix_(others, others)] - (below @ right).toarray()
        return cls(own, others, diagonal, right, csr_array(below / diagonal), rest)
