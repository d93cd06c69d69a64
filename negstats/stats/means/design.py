"""The cells of a factorial design: checked arrays, hypotheses about their means, and what a contrast needs of each.

What cannot be analysed is refused here, in one plain sentence each: no factor or too many, a factor with one level, a
factor that repeats another, no error degrees of freedom, no variance, an empty cell where the question needs it.

A between-subjects design is known by the n and the mean of each cell (and the sum of squares inside the cells). Arrays
have the shape ``(*studies, cells)``; the cells are those of a table of `shape` levels, flattened. A term is a tuple of
the places of its factors: ``(0, 2)`` is the interaction of the first and the third.

Two kinds of question are asked of the means. `hypothesis_products` tests a contrast of unweighted cell means (type III,
simple effects, contrasts); `added_squares` compares nested models (types I and II), by rank where cells are empty.

Designs of independent cells give their contrasts from n, mean and variance (`Design`); a model (regression with
covariates, a mixed model, repeated measures) gives them from its coefficients. `margins`, `contrasts` and
`simple_effects` take either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from itertools import combinations
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.results.numbers import ROUNDING, FloatArray, shared, sums
from negstats.stats.results.options import check_one_study, find_name
from negstats.stats.summaries import Cells, Moments
from negstats.stats.summaries.coerce import as_cells
from negstats.stats.summaries.frames import By, Crossed, Factor, names_of

MOST_FACTORS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Cells laid out flat, shape ``(*studies, cells)``.

    Attributes
    ----------
    factors : tuple of Factor
    shape : tuple of int
        How many levels each factor has.
    n, mean, ss : ndarray, shape (*studies, cells)
        Observations; mean measured from `centre` (0 where a cell is empty); sum of squares inside the cell.
    centre : ndarray, shape (*studies, 1)
        What the means are measured from, so that contrasts of large numbers keep their digits.
    outcome : str
    missing : int
    """

    factors: tuple[Factor, ...]
    shape: tuple[int, ...]
    n: FloatArray
    mean: FloatArray
    ss: FloatArray
    centre: FloatArray
    outcome: str
    missing: int

    @classmethod
    def of(cls, data: Any, outcome: str | None = None, by: By = None) -> Design:
        """Take Cells, ValueCounts, samples by name, or a frame; `by` chooses and orders the factors of a summary."""
        cells = as_cells(data, outcome, by)
        if by is not None and not isinstance(data, Mapping):
            names = names_of(by)
            if names != [factor.name for factor in cells.factors]:
                cells = cells.marginal(names)
        return cls.of_cells(cells)

    @classmethod
    def of_cells(cls, cells: Cells) -> Design:
        """Lay out and check the cells."""
        shape = cells.shape
        check_levels(cells.factors)
        _check_terms(tuple(factor.name for factor in cells.factors))
        n, offset, ss = (array.reshape(*cells.studies, -1) for array in (cells.n, cells.offset, cells.ss))
        if shared(n).min() > 0:
            centre = sums(offset)[..., None] / offset.shape[-1]
            mean = offset - centre
        else:
            _check_repeats(cells)
            with np.errstate(invalid="ignore", divide="ignore"):
                centre = np.nansum(offset, axis=-1, keepdims=True) / (n > 0).sum(axis=-1, keepdims=True)
            mean = np.where(n > 0, offset - centre, 0.0)
        return cls(cells.factors, shape, n, mean, ss, cells.origin + centre, cells.outcome, cells.missing)

    @property
    def names(self) -> tuple[str, ...]:
        """The factors' names."""
        return tuple(factor.name for factor in self.factors)

    @property
    def studies(self) -> tuple[int, ...]:
        """The shape of the stack: () for one study."""
        return self.n.shape[:-1]

    def place(self, name: str) -> int:
        """Return the place of a factor; DesignError if there is none of that name."""
        return find_name(name, self.names, "there is no factor")

    def term_name(self, term: Term) -> str:
        """Return a term's name: its factors joined by a colon."""
        return ":".join(self.factors[factor].name for factor in term)

    def cell_name(self, cell: int) -> str:
        """Return what a flat cell index stands for, such as ``agent = 'fair', sex = 'f'``."""
        codes = np.unravel_index(cell, self.shape)
        return ", ".join(f"{f.name} = {f.levels[code]!r}" for f, code in zip(self.factors, codes, strict=True))

    def pooled(self, cells: Iterable[int] | None = None) -> tuple[FloatArray, FloatArray]:
        """Return the sum of squares inside the cells (all, or those given) and its degrees of freedom.

        In a stack the sum of squares is NaN for a study in which nothing varies, and so is all that rests on it.

        Raises
        ------
        NotEstimable
            If no cell has two observations, or (for a single study) nothing varies inside the cells.
        """
        n, ss, mean = self.n, self.ss, self.mean
        if cells is not None:
            cell_list = list(cells)
            n, ss, mean = shared(n)[..., cell_list], ss[..., cell_list], mean[..., cell_list]
        total = sums(ss)
        df = np.broadcast_to(np.maximum(shared(n) - 1.0, 0.0).sum(axis=-1), total.shape)
        if df.min() <= 0:
            raise NotEstimable(
                f"there is no error variance: no cell of {' × '.join(self.names)} has two observations; "
                "leave out a factor"
            )
        # A sum of squares that is no more than the rounding of the values is none.
        has_no_error = np.asarray(total <= ROUNDING**2 * (n * (mean + self.centre) ** 2).sum(axis=-1))
        if not has_no_error.any():
            return total, df
        if not has_no_error.ndim:
            raise NotEstimable(f"{self.outcome!r} does not vary inside the cells of {' × '.join(self.names)}")
        return np.where(has_no_error, np.nan, total), df

    def check_filled(self, question: str, cells: Sequence[int] | None = None) -> None:
        """Raise NotEstimable, naming the first empty one, unless every cell (or those given) has an observation."""
        if (shared(self.n) if cells is None else shared(self.n)[..., list(cells)]).min() > 0:
            return
        n = self.n if cells is None else self.n[..., list(cells)]
        *study, cell = (int(i) for i in np.argwhere(n == 0)[0])
        study_note = f" in study {study[0] if len(study) == 1 else tuple(study)}" if study else ""
        name = self.cell_name(cell if cells is None else cells[cell])
        raise NotEstimable(f"{question} cannot be estimated: there is no observation with {name}{study_note}")


def check_levels(factors: tuple[Factor, ...]) -> None:
    """Raise DesignError unless there are one to four factors with two levels or more."""
    if not 1 <= len(factors) <= MOST_FACTORS:
        factor_names = ", ".join(factor.name for factor in factors) or "none"
        raise DesignError(f"an analysis of variance takes one to {MOST_FACTORS} factors; got {factor_names} (by)")
    for factor in factors:
        if len(factor.levels) < 2:
            has = f"has one level: {factor.levels[0]!r}" if factor.levels else "has no level: there is no complete row"
            raise DesignError(f"the factor {factor.name!r} {has}; it needs two or more")


def _check_terms(names: tuple[str, ...]) -> None:
    """Raise DesignError if two terms of a factorial design would have one name, such as ``a:b`` and a by b."""
    terms = [":".join(names[factor] for factor in term) for term in all_terms(len(names))]
    for term in terms:
        if terms.count(term) > 1:
            raise DesignError(f"two terms of {', '.join(map(repr, names))} are both named {term!r}; rename a factor")


def _check_repeats(cells: Cells) -> None:
    """Raise DesignError if each level of a factor goes with one level of another."""
    has_values = np.asarray((cells.n > 0).reshape(-1, *cells.shape).any(axis=0))
    for first_axis, second_axis in combinations(range(len(cells.factors)), 2):
        other_axes = tuple(i for i in range(len(cells.factors)) if i not in (first_axis, second_axis))
        goes_with = np.asarray(has_values.any(axis=other_axes))
        if (goes_with.sum(axis=0) == 1).all() and (goes_with.sum(axis=1) == 1).all():
            first_factor, second_factor = cells.factors[first_axis], cells.factors[second_axis]
            level = second_factor.levels[int(goes_with[0].argmax())]
            raise DesignError(
                f"the factor {second_factor.name!r} repeats {first_factor.name!r}: {first_factor.levels[0]!r} always "
                f"goes with {level!r}; leave one out"
            )


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
    return reduce(lambda product, factor: np.asarray(np.kron(product, factor)), parts, np.eye(1))


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
    contrast_factors = [
        coding(size) if factor in term else np.full((1, size), size**-0.5) for factor, size in enumerate(shape)
    ]
    rows = kron(contrast_factors)
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
    # The rows' covariance over σ²: its inverse weighs the
    # estimates, so that squares do not depend on their scale.
    row_products = (rows / n[..., None, :]) @ rows.T
    if mean.shape[-1] == 1 and mean.ndim == 3 and len(row_products) == 1 < len(mean):
        row_means = (mean[..., 0] @ rows.T).T
        return np.asarray((row_means * np.linalg.solve(row_products[0], row_means)).sum(axis=0)[:, None, None])
    estimate = rows @ mean
    return np.asarray(np.swapaxes(estimate, -1, -2) @ np.linalg.solve(row_products, estimate))


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
    root_n = np.sqrt(n)
    # What the term adds to the others: its columns' directions that are orthogonal to theirs.
    base_directions = _new_directions(_columns(shape, ((), *others), root_n), None)
    added_directions = _new_directions(_columns(shape, (term,), root_n), base_directions)
    projections = np.swapaxes(added_directions, -1, -2) @ (root_n * mean)[..., None]
    ss, df = (projections**2).sum(axis=(-2, -1)), (added_directions**2).sum(axis=-2).round().sum(axis=-1)
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


# Rows of weights over cells → estimates, standard errors, degrees of freedom; and their joint F with its two df.
Each: TypeAlias = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]
Joint: TypeAlias = Callable[[FloatArray], tuple[float, float, float]]


@dataclass(frozen=True, slots=True, eq=False)
class Grid(Crossed):
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
    def names(self) -> tuple[str, ...]:
        """The factors' names."""
        return tuple(factor.name for factor in self.factors)

    def place(self, name: str) -> int:
        """Return the place of a factor; DesignError if there is none of that name."""
        return find_name(name, self.names, "there is no factor")


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
    beta, covariance, df = estimates

    def test_each(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        weights = rows @ cells
        se = np.sqrt(np.einsum("ij,jk,ik->i", weights, covariance, weights))
        return weights @ beta, se, np.full(len(rows), df)

    def test_joint(rows: FloatArray) -> tuple[float, float, float]:
        weights, q = rows @ cells, float(len(rows))
        b = weights @ beta
        return float(b @ np.linalg.solve(weights @ covariance @ weights.T, b)) / q, q, df

    return Grid(factors, n, test_each, test_joint, outcome, missing)


def _measures(summary: Moments) -> Grid:
    """Return the cells of repeated measures, with the covariance of the measures pooled over the groups of subjects."""
    check_one_study(summary.studies, "contrasts of repeated measures take one study")
    k = len(summary.variables)
    n = np.asarray(summary.n).ravel()
    if n.min() < 1 or (n - 1).sum() < 1:
        raise DesignError(
            f"contrasts of repeated measures need subjects in every group and two in some; n is {n.tolist()}"
        )
    weight = np.maximum(n - 1, 0.0)[:, None, None]
    covariance = summary.covariance.reshape(-1, k, k)
    df = float((n - 1).sum())
    pooled = np.where(weight > 0, weight * covariance, 0.0).sum(axis=0) / df
    mean = summary.mean.reshape(-1)

    def compute_covariance(rows: FloatArray) -> FloatArray:
        group_rows = rows.reshape(len(rows), len(n), k)
        return np.asarray(np.einsum("agi,ij,bgj,g->ab", group_rows, pooled, group_rows, 1 / n))

    def test_each(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        return rows @ mean, np.sqrt(np.diag(compute_covariance(rows))), np.full(len(rows), df)

    def test_joint(rows: FloatArray) -> tuple[float, float, float]:
        estimate, q, group_rows = rows @ mean, len(rows), rows.reshape(len(rows), len(n), k)
        wald = float(estimate @ np.linalg.solve(compute_covariance(rows), estimate))
        if np.linalg.matrix_rank(group_rows.reshape(-1, k)) == 1:  # groups compared in one weighted sum of the measures
            return wald / q, float(q), df
        if np.linalg.matrix_rank(group_rows.transpose(0, 2, 1).reshape(-1, len(n))) > 1:
            raise DesignError("the joint test of an interaction is repeated_anova's; contrasts test it one by one")
        # Hotelling's T² as F: the measures' variances and correlations are what they are.
        return wald * (df - q + 1) / (df * q), float(q), df - q + 1

    factors: Sequence[Factor] = (*summary.factors, summary.variables)
    return Grid(tuple(factors), np.repeat(n, k), test_each, test_joint, summary.outcome, summary.missing)
