"""Covariance of least-squares coefficients under unequal variances (HC3) and in clusters (CR0 to CR2), and its df."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from negstats.stats.resampling._arrangements import blocks
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.rows import IntArray

__all__ = ["Sandwich", "clustered", "hc3"]

# An eigenvalue of I − H below this belongs to a column that one cluster carries alone.
ALONE = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Sandwich:
    """A cluster-robust covariance and what its degrees of freedom need.

    Attributes
    ----------
    covariance : ndarray, shape (p, p)
    bread : ndarray, shape (p, p)
        (X′X)⁻¹.
    inside : ndarray, shape (clusters, p, p)
        X_j′A_j′A_jX_j of each cluster.
    across : ndarray, shape (clusters, p, p)
        X_j′A_j′X_j of each cluster.
    """

    covariance: FloatArray
    bread: FloatArray
    inside: FloatArray
    across: FloatArray

    def df(self, contrast: FloatArray) -> float:
        """Return Satterthwaite's degrees of freedom of a contrast, tr² K / tr K² (Bell and McCaffrey, 2002)."""
        k = self._products(contrast, contrast)
        return k.trace**2 / k.dot(k)

    def hotelling(self, contrasts: FloatArray, estimate: FloatArray) -> tuple[float, float, float]:
        """Return F and its two df for several contrasts at once (HTZ; Pustejovsky and Tipton, 2018, sec. 3.2)."""
        q = len(contrasts)
        spread = contrasts @ self.covariance @ contrasts.T
        wald = float(estimate @ np.linalg.solve(spread, estimate))
        values, vectors = np.linalg.eigh(contrasts @ self.bread @ contrasts.T)
        rows = (vectors / np.sqrt(values)) @ vectors.T @ contrasts
        total = 0.0
        own = [self._products(row, row) for row in rows]
        for a in range(q):
            for b in range(q):
                both = self._products(rows[a], rows[b])
                total += own[a].dot(own[b]) + both.dot(both.transposed)
        eta = q * (q + 1) / total
        return wald * (eta - q + 1) / (eta * q), float(q), eta - q + 1

    def _products(self, first: FloatArray, second: FloatArray) -> _Products:
        """Return K = G_a′G_b, clusters × clusters, without forming G."""
        a, b = self.bread @ first, self.bread @ second
        left = np.einsum("i,jik->jk", a, self.across) @ self.bread
        right = np.einsum("i,jik->jk", b, self.across)
        return _Products(np.einsum("i,jik,k->j", a, self.inside, b), left, right)


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
        mine, theirs = self.diagonal, other.diagonal
        on = ((self.own - mine) * (other.own - theirs)).sum()
        every = ((self.left.T @ other.left) * (self.right.T @ other.right)).sum()
        return float(on + every - (mine * theirs).sum())


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
    CR2: A_j = (I − H_jj)^(−1/2), symmetric. H_jj has rank p at most, so A_j is I but in the p directions of X_j, and no
    matrix of a cluster's size is formed.
    """
    n, p = x.shape
    bread: FloatArray = np.asarray(np.linalg.inv(x.T @ x), dtype=np.float64)
    root: FloatArray = np.asarray(np.linalg.cholesky(bread), dtype=np.float64)
    j = int(cluster.max()) + 1
    meat, inside, across = np.zeros((p, p)), np.empty((j, p, p)), np.empty((j, p, p))
    for rows in blocks(cluster):  # clusters of one size together
        own = x[rows]
        moved = _leverage_adjusted(own, root) if kind == "CR2" else own
        turned = np.swapaxes(moved, -1, -2)
        score = (turned @ rest[rows][..., None])[..., 0]
        meat += score.T @ score
        which = cluster[rows[:, 0]]
        inside[which], across[which] = turned @ moved, turned @ own
    scale = {"CR1": j / (j - 1), "CR1S": j * (n - 1) / ((j - 1) * (n - p))}.get(kind, 1.0)
    return Sandwich(np.asarray(scale * bread @ meat @ bread), bread, inside, across)


def _leverage_adjusted(own: FloatArray, root: FloatArray) -> FloatArray:
    """Return A_j X_j of clusters of one size, shape (clusters, size, p)."""
    left, singular, _ = np.linalg.svd(own @ root, full_matrices=False)
    free = 1 - singular**2
    factor = np.where(free > ALONE, 1 / np.sqrt(np.where(free > ALONE, free, 1.0)), 0.0)
    return np.asarray(own + (left * (factor - 1)[..., None, :]) @ (np.swapaxes(left, -1, -2) @ own))


def hc3(x: FloatArray, rest: FloatArray) -> FloatArray:
    """Return the covariance HC3, residuals over 1 − h (MacKinnon and White, 1985); NaN where a row has h = 1."""
    bread: FloatArray = np.asarray(np.linalg.inv(x.T @ x), dtype=np.float64)
    leverage = np.einsum("ij,jk,ik->i", x, bread, x)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.where(1 - leverage > ALONE, rest / (1 - leverage), np.nan)
    weighted = x * scaled[:, None]
    return np.asarray(bread @ (weighted.T @ weighted) @ bread)
