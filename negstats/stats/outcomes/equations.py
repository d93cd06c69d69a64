"""Estimating equations of rows in clusters: their solution, and sandwich errors for few clusters, all clusters at once.

With equal correlation of all pairs of a cluster R⁻¹v = (v − c Σv)/(1 − ρ), c = ρ/(1 + (m − 1)ρ), so that all that is
needed of a cluster of m rows are sums over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import linalg, special

from negstats.errors import NotEstimable
from negstats.stats.relations.robust import Sandwich
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.codes import IntArray

Leverage = Literal["Mancl-DeRouen", "Kauermann-Carroll"]

STEPS = 500
# A step is over where it moves no coefficient by more than 1e-10 of its standard error.
SHORT = 1e-20
# How far towards the correlations that no data can have a step may go; a solution beyond them is refused.
WITHIN = 0.999
# Means that ran off to 0 or beyond all numbers carry nothing: the information is singular to the last digit.
FLAT = 1 / float(np.finfo(np.float64).eps)
# What a cluster leaves to all others of what is known of a coefficient: with less, half of the digits are lost.
ALONE = float(np.sqrt(np.finfo(np.float64).eps))


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Coefficients of the columns, their robust covariance, the plain sandwich, correlation and scale."""

    beta: FloatArray
    robust: Sandwich
    plain: FloatArray
    correlation: float
    scale: float


@dataclass(frozen=True, slots=True, eq=False)
class Equations:
    """The equations Σ A′R⁻¹e = 0 of rows, A and e the columns and residuals over the standard deviation.

    Attributes
    ----------
    x : ndarray, shape (n, coefficients)
    y, offset : ndarray, shape (n,)
    cluster : ndarray of int, shape (n,)
        From 0.
    logit : bool
        Whether the mean is that of yes or no; else it is an exponential.
    dispersion : float
        α of the variance μ + αμ².
    exchangeable : bool
        Whether rows of a cluster are taken as correlated.
    """

    x: FloatArray
    y: FloatArray
    offset: FloatArray
    cluster: IntArray
    logit: bool
    dispersion: float
    exchangeable: bool

    def solved(self, start: FloatArray) -> Solution:
        """Return the solution reached from coefficients near it, with Mancl and DeRouen's errors.

        Raises
        ------
        NotEstimable
            If none is reached, or a coefficient rests on one cluster alone.
        """
        beta, sizes = start, self.sizes
        lowest, highest = -WITHIN / max(float(sizes.max()) - 1, 1.0), WITHIN
        for _ in range(STEPS):
            a, e = self._scale_rows(beta)
            correlation, scale = self._moments(e)
            score, bread = self._sums(a, e, float(np.clip(correlation, lowest, highest)))
            if not (np.isfinite(score).all() and np.isfinite(bread).all() and np.linalg.cond(bread) < FLAT):
                break
            step = np.linalg.solve(bread, score)
            if float(step @ score) <= SHORT:
                if correlation != np.clip(correlation, lowest, highest):
                    raise NotEstimable(
                        f"the estimated correlation is {correlation:.2f}, which clusters of {sizes.max()} cannot have",
                        advice="give correlation='independence'",
                    )
                return Solution(beta, *self.covariances(beta, correlation), correlation, scale)
            beta = beta + step
        raise NotEstimable(
            "the estimating equations have no solution that could be reached",
            advice="give correlation='independence', or fewer terms",
        )

    @property
    def sizes(self) -> IntArray:
        """The rows of each cluster."""
        return np.bincount(self.cluster)

    def covariances(
        self, beta: FloatArray, correlation: float, leverage: Leverage = "Mancl-DeRouen"
    ) -> tuple[Sandwich, FloatArray]:
        """Return the covariance with residuals of a cluster made larger by its leverage, and the plain sandwich.

        Notes
        -----
        With B = Σ M, M = A′R⁻¹A and u = A′R⁻¹e of a cluster, B = LL′, Mancl and DeRouen's (I − H)⁻¹e gives the sum over
        clusters of ww′, w = (B − M)⁻¹u = L′⁻¹(I − Z)⁻¹L⁻¹u, Z = L⁻¹ML′⁻¹; Kauermann and Carroll's (2001, JASA 96) root
        of (I − H)⁻¹ the same with that of (I − Z)⁻¹.
        """
        a, e = self._scale_rows(beta)
        p, n_clusters = a.shape[1], len(self.sizes)
        c = correlation / (1 + (self.sizes - 1) * correlation)
        total, residual_sums = self._totals(a), np.bincount(self.cluster, e, n_clusters)
        u = (self._totals(a * e[:, None]) - (c * residual_sums)[:, None] * total) / (1 - correlation)
        m = np.empty((n_clusters, p, p))
        for one in range(p):
            for two in range(one + 1):
                products = np.bincount(self.cluster, a[:, one] * a[:, two], n_clusters)
                m[:, one, two] = m[:, two, one] = (products - c * total[:, one] * total[:, two]) / (1 - correlation)
        inverse = linalg.solve_triangular(np.linalg.cholesky(m.sum(axis=0)), np.eye(p), lower=True)
        z = inverse @ m @ inverse.T
        if np.einsum("gii->g", z).max() > 1 - ALONE:  # else no eigenvalue is so large
            values, vectors = np.linalg.eigh(z)
            if values.max() > 1 - ALONE:
                cluster = int(values[:, -1].argmax())
                raise AloneError(int(np.abs(inverse.T @ vectors[cluster, :, -1]).argmax()))
        if leverage == "Mancl-DeRouen":
            weight = np.linalg.inv(np.eye(p) - z)
        else:
            values, vectors = np.linalg.eigh(z)
            weight = (vectors / np.sqrt(1 - values)[:, None]) @ vectors.transpose(0, 2, 1)
        turned_scores = u @ inverse.T
        adjusted_scores = np.einsum("gij,gj->gi", weight, turned_scores) @ inverse
        projection = z @ weight
        plain = turned_scores @ inverse
        return Sandwich(
            adjusted_scores.T @ adjusted_scores, inverse.T, projection @ weight, projection, np.zeros((p, p))
        ), plain.T @ plain

    def _scale_rows(self, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the columns' effect on the mean, and the residuals, over the standard deviation."""
        eta = self.x @ beta + self.offset
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            mean = special.expit(eta) if self.logit else np.exp(eta)
            slope = special.expit(-eta) * mean if self.logit else mean
            sd = np.sqrt(slope if self.logit else mean * (1 + self.dispersion * mean))
            return self.x * (slope / sd)[:, None], (self.y - mean) / sd

    def _moments(self, e: FloatArray) -> tuple[float, float]:
        """Return correlation and scale by moments: rows, and pairs of rows, less coefficients as divisors."""
        squares = float(e @ e)
        scale = squares / (len(e) - self.x.shape[1])
        if not self.exchangeable:
            return 0.0, scale
        sizes = self.sizes.astype(np.float64)
        pairs = float((sizes * (sizes - 1)).sum()) / 2 - self.x.shape[1]
        if pairs <= 0:
            raise NotEstimable(
                "clusters have too few pairs of rows to estimate a correlation",
                advice="give correlation='independence'",
            )
        residual_sums = np.bincount(self.cluster, e)
        return (float(residual_sums @ residual_sums) - squares) / 2 / scale / pairs, scale

    def _sums(self, a: FloatArray, e: FloatArray, correlation: float) -> tuple[FloatArray, FloatArray]:
        """Return Σ A′R⁻¹e and Σ A′R⁻¹A."""
        if not self.exchangeable:
            return a.T @ e, a.T @ a
        c = correlation / (1 + (self.sizes - 1) * correlation)
        total, residual_sums = self._totals(a), np.bincount(self.cluster, e)
        score = a.T @ e - total.T @ (c * residual_sums)
        return score / (1 - correlation), (a.T @ a - (total * c[:, None]).T @ total) / (1 - correlation)

    def _totals(self, columns: FloatArray) -> FloatArray:
        """Return the sums of columns over the rows of each cluster."""
        n_clusters = int(self.cluster.max()) + 1
        return np.stack([np.bincount(self.cluster, column, n_clusters) for column in columns.T], axis=-1)


class AloneError(Exception):
    """A column that one cluster alone carries, by its place."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place
