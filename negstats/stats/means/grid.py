"""The cells of a model: combinations of factors' levels, of which every contrast has an estimate, an error and a df.

Designs of independent cells give their contrasts from n, mean and variance (`Design`); a model (regression with
covariates, a mixed model, repeated measures) gives them from its coefficients. `margins`, `contrasts` and
`simple_effects` take either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from negstats.errors import DesignError, shown
from negstats.stats.means.design import Design
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries import Moments
from negstats.stats.summaries.frames import By, Factor

# Rows of weights over cells → estimates, standard errors, degrees of freedom; and their joint F with its two df.
Each: TypeAlias = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]
Joint: TypeAlias = Callable[[FloatArray], tuple[float, float, float]]


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Cells of a model of one study, flat, the last factor changing fastest.

    Attributes
    ----------
    factors : tuple of Factor
    n : ndarray, shape (cells,)
        Rows (or subjects) in each cell.
    each, joint : callable
        The tests of rows of weights over the cells: each alone, and all together.
    outcome : str
    missing : int
    at : str
        Where covariates stand, such as "price = 4.2"; empty without any.
    sd : float or None
        The standard deviation of what the model leaves, in which differences of cells are measured.
    """

    factors: tuple[Factor, ...]
    n: FloatArray
    each: Each = field(repr=False)
    joint: Joint = field(repr=False)
    outcome: str
    missing: int
    at: str = ""
    sd: float | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """How many levels each factor has."""
        return tuple(len(factor) for factor in self.factors)

    @property
    def names(self) -> tuple[str, ...]:
        """The factors' names."""
        return tuple(factor.name for factor in self.factors)

    def place(self, name: str) -> int:
        """Return the place of a factor; DesignError if there is none of that name."""
        if name not in self.names:
            raise DesignError(f"there is no factor {name!r}; there are {', '.join(self.names) or 'none'}")
        return self.names.index(name)


@runtime_checkable
class HasGrid(Protocol):
    """A model that can say what its cells are."""

    def grid(self) -> Grid:
        """Return the cells, covariates at their means."""


@runtime_checkable
class HasScales(Protocol):
    """A model whose cells have means on several scales."""

    @property
    def distribution(self) -> Any:
        """What one answer is drawn from."""

    def grid(self, scale: Any) -> Grid:
        """Return the cells on a scale."""


def design_of(data: Any, outcome: str | None = None, by: By = None, scale: str | None = None) -> Design | Grid:
    """Return the design that contrasts are made in: of a model its grid, of `Moments` that of the measures.

    Raises
    ------
    DesignError
        As `Design.of`, or if columns are named with a model.
    """
    if scale is not None:
        if not isinstance(data, HasScales):
            raise DesignError(
                f"scale is {shown(scale)}, which is for mixed models of yes or no or of counts; leave it out"
            )
        data = data.grid(scale)
    if isinstance(data, Moments):
        data = _measures(data)
    elif isinstance(data, HasGrid):
        data = data.grid()
    if not isinstance(data, Grid):
        return Design.of(data, outcome, by)
    if outcome is not None or by is not None:
        raise DesignError("a model knows its outcome and factors; leave out outcome and by")
    return data


def wald_grid(
    factors: tuple[Factor, ...],
    n: FloatArray,
    cells: FloatArray,
    estimates: tuple[FloatArray, FloatArray, float],
    outcome: str,
    missing: int,
) -> Grid:
    """Return the grid of a model whose tests are Wald's.

    Parameters
    ----------
    cells : ndarray, shape (cells, coefficients)
        The weights of the coefficients in each cell.
    estimates
        Coefficients, their covariance, and the degrees of freedom of all tests.
    """
    beta, covariance, free = estimates

    def test_each(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        weights = rows @ cells
        se = np.sqrt(np.einsum("ij,jk,ik->i", weights, covariance, weights))
        return weights @ beta, se, np.full(len(rows), free)

    def test_joint(rows: FloatArray) -> tuple[float, float, float]:
        weights, q = rows @ cells, float(len(rows))
        b = weights @ beta
        return float(b @ np.linalg.solve(weights @ covariance @ weights.T, b)) / q, q, free

    return Grid(factors, n, test_each, test_joint, outcome, missing)


def _measures(summary: Moments) -> Grid:
    """Return the cells of repeated measures, with the covariance of the measures pooled over the groups of subjects."""
    if summary.studies:
        raise DesignError("contrasts of repeated measures take one study; take one from the stack")
    k = len(summary.variables)
    n = np.asarray(summary.n).ravel()
    if n.min() < 1 or (n - 1).sum() < 1:
        raise DesignError(
            f"contrasts of repeated measures need subjects in every group and two in some; n is {n.tolist()}"
        )
    weight = np.maximum(n - 1, 0.0)[:, None, None]
    covariance = summary.covariance.reshape(-1, k, k)
    free = float((n - 1).sum())
    pooled = np.where(weight > 0, weight * covariance, 0.0).sum(axis=0) / free
    mean = summary.mean.reshape(-1)

    def compute_spread(rows: FloatArray) -> FloatArray:
        parts = rows.reshape(len(rows), len(n), k)
        return np.asarray(np.einsum("agi,ij,bgj,g->ab", parts, pooled, parts, 1 / n))

    def test_each(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        return rows @ mean, np.sqrt(np.diag(compute_spread(rows))), np.full(len(rows), free)

    def test_joint(rows: FloatArray) -> tuple[float, float, float]:
        estimate, q, parts = rows @ mean, len(rows), rows.reshape(len(rows), len(n), k)
        wald = float(estimate @ np.linalg.solve(compute_spread(rows), estimate))
        if np.linalg.matrix_rank(parts.reshape(-1, k)) == 1:  # groups compared in one weighted sum of the measures
            return wald / q, float(q), free
        if np.linalg.matrix_rank(parts.transpose(0, 2, 1).reshape(-1, len(n))) > 1:
            raise DesignError("the joint test of an interaction is repeated_anova's; contrasts test it one by one")
        # Hotelling's T² as F: the measures' variances and correlations are what they are.
        return wald * (free - q + 1) / (free * q), float(q), free - q + 1

    factors: Sequence[Factor] = (*summary.factors, summary.variables)
    return Grid(tuple(factors), np.repeat(n, k), test_each, test_joint, summary.outcome, summary.missing)
