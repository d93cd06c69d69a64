"""Covariance of least-squares coefficients under unequal variances (HC3) and in clusters (CR0 to CR2), and its df."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from negstats.errors import NotEstimable
from negstats.stats.resampling._arrangements import blocks
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.frames import IntArray

# Half the digits. An eigenvalue of I − H is 1 less a number near 1, so below this it has too few, and it belongs to a
# column that one cluster carries alone; a contrast of which no more than this share is such a column is rounding.
ALONE = float(np.sqrt(np.finfo(np.float64).eps))
# Clusters whose matrices are held at once.
AT_ONCE = 50_000


@dataclass(frozen=True, slots=True, eq=False)
class Sandwich:
    """A cluster-robust covariance and what its degrees of freedom need, in orthonormal columns Q = X `turn`.

    Attributes
    ----------
    covariance : ndarray, shape (p, p)
        Of the coefficients of X.
    turn : ndarray, shape (p, p)
        From the coefficients of Q to those of X, so that (X′X)⁻¹ is turn turn′.
    inside : ndarray, shape (clusters, p, p)
        Q_j′A_j′A_jQ_j of each cluster.
    across : ndarray, shape (clusters, p, p)
        Q_j′A_j′Q_j of each cluster.
    alone : ndarray, shape (p, p)
        Σ Q_j′U_jU_j′Q_j, U_j spanning what the model fits exactly in cluster j (the null space of I − H_jj).
    """

    covariance: FloatArray
    turn: FloatArray
    inside: FloatArray
    across: FloatArray
    alone: FloatArray

    def estimable(self, contrasts: FloatArray) -> bool:
        """Return whether no part of these contrasts rests on a cluster that the model fits exactly.

        There the residuals are 0 whatever the clusters' variance is, so that no robust covariance holds it, and a test
        is as bold as one without clusters: a level with one cluster, or an effect of each cluster.
        """
        rows = _orthonormal(contrasts @ self.turn)
        return bool(np.linalg.eigvalsh(rows @ self.alone @ rows.T)[-1] <= ALONE)

    def check(self, contrasts: FloatArray, what: str) -> None:
        """Raise NotEstimable if a contrast rests on a cluster that the model fits exactly."""
        if not self.estimable(np.atleast_2d(contrasts)):
            raise NotEstimable(
                f"{what} rests on a single cluster, which the model fits exactly, so that nothing says how much "
                "clusters differ there; it needs two clusters at each level, and no coefficient for each cluster"
            )

    def df(self, contrast: FloatArray) -> float:
        """Return Satterthwaite's degrees of freedom of a contrast, tr² K / tr K² (Bell and McCaffrey, 2002)."""
        row = contrast @ self.turn
        k = self._products(row, row)
        return k.trace**2 / k.dot(k)

    def hotelling(self, contrasts: FloatArray, estimate: FloatArray) -> tuple[float, float, float]:
        """Return F and its two df for several contrasts at once (HTZ; Pustejovsky and Tipton, 2018, sec. 3.2).

        The contrasts are brought to E[C V C′] = I under equal variances. That expectation is C (X′X)⁻¹ C′ only where
        every I − H_jj can be inverted; it is therefore taken from the traces of K themselves.
        """
        q = len(contrasts)
        row_covariance = contrasts @ self.covariance @ contrasts.T
        wald = float(estimate @ np.linalg.solve(row_covariance, estimate))
        # Rows whose estimated covariance has the identity as its expectation.
        start = _orthonormal(contrasts @ self.turn)
        expected = np.array([[self._products(a, b).trace for b in start] for a in start])
        values, vectors = np.linalg.eigh((expected + expected.T) / 2)
        rows = (vectors / np.sqrt(values)) @ vectors.T @ start
        total = 0.0
        # The total variance of that covariance gives the df of the Wishart that it is taken for.
        products_of_rows = [self._products(row, row) for row in rows]
        for a in range(q):
            for b in range(q):
                cross_products = self._products(rows[a], rows[b])
                total += products_of_rows[a].dot(products_of_rows[b]) + cross_products.dot(cross_products.transposed)
        eta = q * (q + 1) / total
        return wald * (eta - q + 1) / (eta * q), float(q), eta - q + 1

    def _products(self, first: FloatArray, second: FloatArray) -> _Products:
        """Return K = G_a′G_b, clusters × clusters, without forming G."""
        first_products = np.einsum("i,jik->jk", first, self.across)
        second_products = first_products if second is first else np.einsum("i,jik->jk", second, self.across)
        return _Products(np.einsum("i,jik,k->j", first, self.inside, second), first_products, second_products)


def _orthonormal(rows: FloatArray) -> FloatArray:
    """Return orthonormal rows that span the same space; the rows are independent."""
    return np.asarray(np.linalg.qr(rows.T)[0].T, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Products:
    """The matrix K = diag(own) − left right′, clusters × clusters, which is not formed."""

    own: FloatArray
    left: FloatArray
    right: FloatArray

    @property
    def transposed(self) -> _Products:
        """The transpose of K."""
        return _Products(self.own, self.right, self.left)

    @property
    def diagonal(self) -> FloatArray:
        """The diagonal of left right′."""
        return np.asarray((self.left * self.right).sum(axis=1))

    @property
    def trace(self) -> float:
        """The trace of K."""
        return float((self.own - self.diagonal).sum())

    def dot(self, other: _Products) -> float:
        """Return Σ K_ij M_ij: on the diagonal as it is, off it what all pairs of left right′ have beside it."""
        own_diagonal, other_diagonal = self.diagonal, other.diagonal
        diagonal_sum = ((self.own - own_diagonal) * (other.own - other_diagonal)).sum()
        full_sum = ((self.left.T @ other.left) * (self.right.T @ other.right)).sum()
        return float(diagonal_sum + full_sum - (own_diagonal * other_diagonal).sum())


def clustered(x: FloatArray, rest: FloatArray, cluster: IntArray, kind: str) -> Sandwich:
    """Return the cluster-robust covariance of the coefficients of `x`.

    Parameters
    ----------
    x : ndarray, shape (n, p)
        Columns of the model.
    rest : ndarray, shape (n,)
        Residuals.
    cluster : ndarray of int, shape (n,)
        Whose row it is, from 0.
    kind
        "CR0", "CR1" (× J/(J − 1)), "CR1S" (Stata: × J(n − 1)/((J − 1)(n − p))) or "CR2".

    Notes
    -----
    CR2: A_j = (I − H_jj)^(−1/2), symmetric, and 0 where I − H_jj is. H_jj = Q_jQ_j′ and Q_j′Q_j have the same
    eigenvalues, so that A_jQ_j comes from the smaller of the two, and no matrix of a cluster's size is formed.
    """
    n, p = x.shape
    basis, r = np.linalg.qr(x)
    to_original: FloatArray = np.asarray(np.linalg.inv(r), dtype=np.float64)
    j = int(cluster.max()) + 1
    meat, exact_fit = np.zeros((p, p)), np.zeros((p, p))
    adjusted_products, mixed_products = np.empty((j, p, p)), np.empty((j, p, p))
    for rows in (
        rows_of_size for block in blocks(cluster) for rows_of_size in _split(block)
    ):  # clusters of one size together
        basis_rows = basis[rows]
        adjusted_rows, exact = _leverage_adjusted(basis_rows)
        weighted_rows = adjusted_rows if kind == "CR2" else basis_rows
        transposed = np.swapaxes(weighted_rows, -1, -2)
        # A cluster's score; of CR2 from residuals that are freed of their own leverage.
        score = (transposed @ rest[rows][..., None])[..., 0]
        meat += score.T @ score
        exact_fit += exact
        cluster_codes = cluster[rows[:, 0]]
        adjusted_products[cluster_codes], mixed_products[cluster_codes] = (
            transposed @ weighted_rows,
            transposed @ basis_rows,
        )
    scale = {"CR1": j / (j - 1), "CR1S": j * (n - 1) / ((j - 1) * (n - p))}.get(kind, 1.0)
    return Sandwich(
        np.asarray(scale * to_original @ meat @ to_original.T),
        to_original,
        adjusted_products,
        mixed_products,
        exact_fit,
    )


def _split(block: IntArray) -> list[IntArray]:
    """Return a block of clusters in parts, of which the matrices of one at a time are held."""
    return [block[start : start + AT_ONCE] for start in range(0, len(block), AT_ONCE)]


def _leverage_adjusted(basis_rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return A_j Q_j of clusters of one size, (clusters, size, p), and Σ Q_j′U_jU_j′Q_j of what is fitted exactly."""
    transposed = np.swapaxes(basis_rows, -1, -2)
    by_row = basis_rows.shape[-2] <= basis_rows.shape[-1]
    # I − H of a cluster by its eigenvalues, from the smaller of the two products.
    values, vectors = np.linalg.eigh(basis_rows @ transposed if by_row else transposed @ basis_rows)
    is_exact = ~(1 - values > ALONE)
    factor = np.where(is_exact, 0.0, 1 / np.sqrt(np.where(is_exact, 1.0, 1 - values)))
    root = (vectors * factor[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    adjusted_rows = root @ basis_rows if by_row else basis_rows @ root
    # A cluster that a coefficient fits exactly has an eigenvalue of 1 and no residual to adjust.
    cluster_index, eigenvalue_index = np.nonzero(is_exact)
    exact_directions = vectors[cluster_index, :, eigenvalue_index]
    if by_row:
        exact_directions = np.einsum("ka,kab->kb", exact_directions, basis_rows[cluster_index])
    return np.asarray(adjusted_rows), np.asarray(exact_directions.T @ exact_directions)


def hc3(x: FloatArray, rest: FloatArray) -> FloatArray:
    """Return the covariance HC3, residuals over 1 − h (MacKinnon and White, 1985); NaN where a row has h = 1."""
    basis, r = np.linalg.qr(x)
    leverage = np.einsum("ij,ij->i", basis, basis)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled_rest = np.where(1 - leverage > ALONE, rest / (1 - leverage), np.nan)
    to_original, weighted_basis = np.linalg.inv(r), basis * scaled_rest[:, None]
    return np.asarray(to_original @ (weighted_basis.T @ weighted_basis) @ to_original.T)
