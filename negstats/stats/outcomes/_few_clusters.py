"""Sandwich covariances of clustered yes or no whose residuals are made larger by the root of their leverage."""

from __future__ import annotations

import numpy as np
from scipy import special

from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.rows import IntArray

__all__ = ["kauermann_carroll"]


def kauermann_carroll(
    x: FloatArray, y: FloatArray, beta: FloatArray, correlation: float, clusters: IntArray
) -> FloatArray:
    """Return H⁻¹ (Σ D′V⁻¹ A e e′ A′V⁻¹D) H⁻¹ with A = (I − D H⁻¹ D′V⁻¹)^(−1/2) in each cluster, logit link.

    Kauermann and Carroll (2001), JASA 96. With V = LL′ it is A e = L (I − L⁻¹D H⁻¹ D′L′⁻¹)^(−1/2) L⁻¹e, of a matrix
    that is symmetric.
    """
    mean = special.expit(x @ beta)
    weight = mean * (1 - mean)
    parts = []
    for cluster in range(int(clusters.max()) + 1):
        rows = clusters == cluster
        k, spread = int(rows.sum()), np.sqrt(weight[rows])
        inside = np.full((k, k), correlation) + (1 - correlation) * np.eye(k)
        root = spread[:, None] * np.linalg.cholesky(inside)
        both = np.linalg.solve(root, np.column_stack([x[rows] * weight[rows, None], y[rows] - mean[rows]]))
        parts.append((both[:, :-1], both[:, -1]))
    inverse = np.linalg.inv(sum(d.T @ d for d, _ in parts))
    meat = np.zeros_like(inverse)
    for d, e in parts:
        values, vectors = np.linalg.eigh(np.eye(len(e)) - d @ inverse @ d.T)
        # A cluster that alone carries a column has nothing left to weigh.
        kept = values > 1e-10
        u = d.T @ (vectors[:, kept] @ (vectors[:, kept].T @ e / np.sqrt(values[kept])))
        meat += np.outer(u, u)
    return np.asarray(inverse @ meat @ inverse)
