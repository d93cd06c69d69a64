"""Describe a study before it is run: sizes of its cells or clusters, and the population that it is drawn from.

Each function checks a description and returns a design that draws stacks of studies (``drawing`` says how). `n` of the
cells may differ; every argument that is not an array holds for all cells.

Of n clusters of a kind the sum of the outcome vectors is normal and their cross-products about it are Wishart; all of
`ClusterMoments` follows from these, so that the work does not depend on n.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.stats.power.drawing import (
    CategoricalDesign,
    Design,
    NormalDesign,
    OrdinalDesign,
    RepeatedDesign,
    SampledDesign,
    TableDesign,
    wishart_root,
)
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_number
from negstats.stats.summaries import Cells, ClusterMoments, Counts, Moments, ValueCounts
from negstats.stats.summaries.cells import check_shape, named_factors
from negstats.stats.summaries.clusters import CodedRows
from negstats.stats.summaries.coding import Coding
from negstats.stats.summaries.formulas import Formula
from negstats.stats.summaries.frames import Factor

Factors: TypeAlias = Mapping[str, Sequence[str]] | None


def normal_design(
    *, n: npt.ArrayLike, mean: npt.ArrayLike, sd: npt.ArrayLike = 1.0, factors: Factors = None, outcome: str = "outcome"
) -> NormalDesign:
    """Describe independent groups of normal observations; draws `Cells`.

    Parameters
    ----------
    n, mean, sd
        Of each cell, one axis a factor. With SDs of 1 differences of means are in units of d.
    factors
        Names and levels in the order of the axes; named ``factor_1``, ... if not given.
    outcome
        Name of what is measured.

    Returns
    -------
    NormalDesign
        A population that `simulated_power` draws from.

    Raises
    ------
    DesignError
        If shapes do not fit, an n is not a count or 0, or an SD is not positive.

    Examples
    --------
    >>> design = normal_design(n=[20, 25], mean=[0, 0.5], factors={"agent": ["fair", "selfish"]})
    >>> design.draw(1000, np.random.default_rng(1)).mean.shape
    (1000, 2)
    """
    size, means, sds = _broadcast(n=n, mean=mean, sd=sd)
    if not np.all(sds > 0):
        raise DesignError(f"sd holds {sds.min():g}; give positive numbers")
    return NormalDesign(*_cells(size, factors), means, sds, outcome)


def ordinal_design(
    *,
    n: npt.ArrayLike,
    values: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    factors: Factors = None,
    outcome: str = "outcome",
) -> OrdinalDesign:
    """Describe independent groups whose observations take one of a few values, such as points; draws `ValueCounts`.

    Parameters
    ----------
    n
        Of each cell, one axis a factor.
    values
        The values, in ascending order.
    probabilities
        Of each value (last axis) in each cell; they sum to 1.
    factors
        Names and levels in the order of the axes; named ``factor_1``, ... if not given.
    outcome
        Name of what is measured.

    Returns
    -------
    OrdinalDesign
        A population that `simulated_power` draws from.

    Raises
    ------
    DesignError
        If shapes do not fit, an n is not a count or 0, values do not ascend, or probabilities are none.

    Examples
    --------
    >>> points = [[0.2, 0.5, 0.3], [0.1, 0.4, 0.5]]
    >>> design = ordinal_design(n=30, values=[0, 5, 10], probabilities=points, factors={"agent": ["fair", "selfish"]})
    >>> design.draw(1000, np.random.default_rng(1)).cells().mean.shape
    (1000, 2)
    """
    outcome_values = np.asarray(values, dtype=np.float64)
    if outcome_values.ndim != 1 or len(outcome_values) < 2 or np.any(np.diff(outcome_values) <= 0):
        raise DesignError(f"values is {shown(values)}; give two or more numbers in ascending order")
    size, share = _sizes_and_shares(n, probabilities, len(outcome_values))
    return OrdinalDesign(*_cells(size, factors), outcome_values, share, outcome)


def categorical_design(
    *, n: npt.ArrayLike, probabilities: npt.ArrayLike, kinds: tuple[str, Sequence[str]], factors: Factors = None
) -> CategoricalDesign:
    """Describe independent groups whose observations fall into one of several kinds; draws `Counts`.

    Parameters
    ----------
    n
        Of each cell, one axis a factor: the margin that the design fixes.
    probabilities
        Of each kind (last axis) in each cell; they sum to 1.
    kinds
        Name and levels of the outcome, the last dimension of the tables.
    factors
        Names and levels in the order of the axes; named ``factor_1``, ... if not given.

    Returns
    -------
    CategoricalDesign
        A population that `simulated_power` draws from.

    Examples
    --------
    >>> ends = ("ended", ["agreement", "walk-away", "timeout"])
    >>> design = categorical_design(n=[40, 50], probabilities=[[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]], kinds=ends)
    >>> design.draw(1000, np.random.default_rng(1)).n.shape
    (1000, 2, 3)
    """
    name, levels = kinds
    size, share = _sizes_and_shares(n, probabilities, len(levels))
    return CategoricalDesign(*_cells(size, factors), share, Factor(name, tuple(map(str, levels))))


def binary_design(
    *,
    n: npt.ArrayLike,
    probability: npt.ArrayLike,
    factors: Factors = None,
    kinds: tuple[str, tuple[str, str]] = ("outcome", ("yes", "no")),
) -> CategoricalDesign:
    """Describe independent groups with an outcome of two kinds; draws `Counts` with the first kind first.

    Parameters
    ----------
    n, probability
        Of each cell: its size, and the probability of the first kind.
    factors
        Names and levels in the order of the axes; named ``factor_1``, ... if not given.
    kinds
        Names of the two kinds of outcome.

    Returns
    -------
    CategoricalDesign
        A population that `simulated_power` draws from.

    Examples
    --------
    >>> design = binary_design(n=[40, 50], probability=[0.2, 0.4], kinds=("walked away", ("yes", "no")))
    >>> design.draw(3, np.random.default_rng(1)).n.sum(axis=-1).tolist()
    [[40.0, 50.0], [40.0, 50.0], [40.0, 50.0]]
    """
    share = np.asarray(probability, dtype=np.float64)
    return categorical_design(n=n, probabilities=np.stack([share, 1 - share], axis=-1), kinds=kinds, factors=factors)


def table_design(*, n: int, probabilities: npt.ArrayLike, factors: Factors = None) -> TableDesign:
    """Describe a table of counts in which only the total is fixed; draws `Counts`.

    Parameters
    ----------
    n
        Observations in all; `resized` and searches change it.
    probabilities
        Of each cell of the table, one axis a dimension; they sum to 1.
    factors
        Names and levels in the order of the axes; named ``factor_1``, ... if not given.

    Returns
    -------
    TableDesign
        A population that `simulated_power` draws from.

    Examples
    --------
    >>> design = table_design(n=200, probabilities=[[0.3, 0.2], [0.2, 0.3]])
    >>> float(design.draw(1000, np.random.default_rng(1)).n[0].sum())
    200.0
    """
    share = np.asarray(probabilities, dtype=np.float64)
    _check_shares(share.reshape(1, -1), probabilities)
    size, _ = _cells(np.asarray(n, dtype=np.float64), None)
    factor_list = named_factors(factors, share.shape)
    check_shape(share, factor_list)
    return TableDesign(size, factor_list, share)


def repeated_design(
    *,
    n: npt.ArrayLike,
    mean: npt.ArrayLike,
    sd: npt.ArrayLike = 1.0,
    correlation: npt.ArrayLike,
    variables: Sequence[str] | None = None,
    within: str = "measure",
    factors: Factors = None,
    outcome: str = "outcome",
) -> RepeatedDesign:
    """Describe repeated normal measures of the same subjects; draws `Moments`.

    Parameters
    ----------
    n
        Subjects in each cell of the factors between subjects; one number without any.
    mean, sd
        Of each cell and measure (last axis).
    correlation
        Of the measures: one number that all pairs share, or a matrix.
    variables, within
        Levels and name of the repeated factor.
    factors
        Names and levels of the factors between subjects; named ``factor_1``, ... if not given.
    outcome
        Name of what is measured.

    Returns
    -------
    RepeatedDesign
        A population that `simulated_power` draws from, all measures of a subject together.

    Raises
    ------
    DesignError
        If shapes do not fit, an n is not a count or 0, an SD is not positive, or no measures have such correlations.

    Examples
    --------
    >>> design = repeated_design(n=30, mean=[0, 0.4], correlation=0.5, variables=["CL", "FC"])
    >>> design.draw(1000, np.random.default_rng(1)).covariance.shape
    (1000, 2, 2)
    """
    size = np.asarray(n, dtype=np.float64)
    means, _ = np.broadcast_arrays(np.asarray(mean, dtype=np.float64), size[..., None])
    if np.any(np.asarray(sd) <= 0):
        raise DesignError(f"sd is {shown(sd)}; give positive numbers")
    summary = Moments.from_table(
        n=size,
        mean=means,
        sd=sd,
        correlation=correlation,
        variables=variables,
        within=within,
        factors=factors,
        outcome=outcome,
    )
    covariance = np.broadcast_to(summary.covariance, (*means.shape, means.shape[-1]))
    # Not every table of correlations is one: its eigenvalues must be positive.
    if np.linalg.eigvalsh(covariance).min() <= 0:
        raise DesignError(
            f"correlation is {shown(correlation)}; no {means.shape[-1]} measures can have these correlations"
        )
    size, _ = _cells(size, factors)
    return RepeatedDesign(size, summary.factors, means, covariance, summary.variables, outcome)


def sampled_design(
    *,
    n: npt.ArrayLike,
    distributions: Sequence[Any],
    summary: Literal["cells", "ranks"] = "cells",
    factors: Factors = None,
    outcome: str = "outcome",
) -> SampledDesign:
    """Describe independent groups of any distribution; draws `Cells`, or `ValueCounts` of ranks.

    Each observation is drawn, so that time grows with n. For values that are few take `ordinal_design`.

    Parameters
    ----------
    n
        Of each cell, one axis a factor.
    distributions
        One a cell, in the flat order of the cells, each with a method ``rvs(size, random_state)``: scipy's, such as
        ``scipy.stats.lognorm(s=1)``.
    summary
        "cells" for tests of means, "ranks" for tests of ranks.
    factors
        Names and levels in the order of the axes; named ``factor_1``, ... if not given.
    outcome
        Name of what is measured.

    Returns
    -------
    SampledDesign
        A population that `simulated_power` draws from.

    Examples
    --------
    >>> from scipy import stats
    >>> times = [stats.lognorm(s=1), stats.lognorm(s=1, scale=1.8)]
    >>> design = sampled_design(n=[30, 30], distributions=times, summary="ranks")
    >>> design.draw(1000, np.random.default_rng(1)).n.shape
    (1000, 2, 60)
    """
    if summary not in ("cells", "ranks"):
        raise DesignError(f"summary is {summary!r}; choose 'cells' or 'ranks'")
    size, factor_list = _cells(np.asarray(n, dtype=np.float64), factors)
    if len(distributions) != size.size or not all(hasattr(distribution, "rvs") for distribution in distributions):
        raise DesignError(f"distributions are {len(distributions)} for {size.size} cells; give one with rvs for each")
    return SampledDesign(size, factor_list, tuple(distributions), summary, outcome)


def design_like(summary: Cells | ValueCounts | Counts | Moments) -> Design:
    """Describe a replication: a study whose population has the observed values.

    Parameters
    ----------
    summary
        One study: `Cells` (normal with these means and SDs), `ValueCounts`, `Counts` (their total is fixed) or
        `Moments`.

    Returns
    -------
    Design
        A population that `simulated_power` draws from, of the kind that the data have.

    Examples
    --------
    >>> from negstats.stats.summaries import Cells
    >>> printed = Cells.from_table(n=[20, 22], mean=[4.1, 3.2], sd=[1.0, 1.2])
    >>> design_like(printed).resized(40).n.tolist()
    [40.0, 44.0]
    """
    if summary.studies:
        raise DesignError(f"a design is like one study; the summary is a stack of {summary.studies}")
    levels_by_name = {factor.name: factor.levels for factor in summary.factors}
    if isinstance(summary, Cells):
        return normal_design(
            n=summary.n, mean=summary.mean, sd=summary.sd, factors=levels_by_name, outcome=summary.outcome
        )
    if isinstance(summary, Moments):
        size, _ = _cells(summary.n, levels_by_name)
        return RepeatedDesign(
            size, summary.factors, summary.mean, summary.covariance, summary.variables, summary.outcome
        )
    if isinstance(summary, Counts):
        total = summary.n.sum()
        return table_design(n=int(total), probabilities=summary.n / total, factors=levels_by_name)
    size = summary.n.sum(axis=-1)
    share = summary.n / size[..., None]
    return ordinal_design(
        n=size, values=summary.values, probabilities=share, factors=levels_by_name, outcome=summary.outcome
    )


def _broadcast(**arguments: npt.ArrayLike) -> list[FloatArray]:
    arrays = [np.asarray(values, dtype=np.float64) for values in arguments.values()]
    try:
        return [array.copy() for array in np.broadcast_arrays(*arrays)]
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(arguments, arrays, strict=True))
        raise DesignError(f"the shapes do not fit: {shapes}; give one number per cell, or one for all") from None


def _cells(n: FloatArray, factors: Factors) -> tuple[FloatArray, tuple[Factor, ...]]:
    """Return checked sizes and the factors that they are laid out by."""
    if not np.all(n >= 1) or np.any(n != np.round(n)):
        raise DesignError(f"n is {shown(n.tolist())}; give whole numbers from 1 on")
    factor_list = named_factors(factors, n.shape)
    check_shape(n, factor_list)
    return n, factor_list


def _sizes_and_shares(n: npt.ArrayLike, probabilities: npt.ArrayLike, n_values: int) -> tuple[FloatArray, FloatArray]:
    share = np.asarray(probabilities, dtype=np.float64)
    if share.ndim == 0 or share.shape[-1] != n_values:
        raise DesignError(
            f"probabilities have the shape {share.shape}; the last axis needs one for each of {n_values} kinds"
        )
    _check_shares(share, probabilities)
    size, _ = _broadcast(n=n, probabilities=share[..., 0])
    return size, np.broadcast_to(share, (*size.shape, n_values))


def _check_shares(share: FloatArray, argument: npt.ArrayLike) -> None:
    if not np.all(share >= 0) or not np.allclose(share.sum(axis=-1), 1, rtol=0, atol=1e-9):
        raise DesignError(f"probabilities are {shown(argument)}; give numbers from 0 to 1 that sum to 1")


CLUSTER = "cluster"


@dataclass(frozen=True, slots=True, eq=False)
class ClusterDesign(Design):
    """Kinds of clusters, each with its rows; draws `ClusterMoments`. n are the clusters of each kind.

    `kinds` has one tuple of rows a kind, a row the levels of its columns; `mean` and `sd` a number for each; the rows
    of a cluster correlate with `correlation`. If `shares` is given, `resized` deals n clusters a cell to the kinds by
    these shares, `cells` cells in all, and `smallest` is that n.
    """

    kinds: tuple[tuple[Mapping[str, str], ...], ...]
    mean: tuple[tuple[float, ...], ...]
    sd: tuple[tuple[float, ...], ...]
    correlation: float
    formula: str
    shares: FloatArray | None = None
    cells: float = 1.0

    @property
    def sizes(self) -> FloatArray:
        """Rows of a cluster of each kind."""
        return np.array([len(rows) for rows in self.kinds], dtype=np.float64)

    @property
    def drawn(self) -> float:
        """How many random numbers one study takes, about."""
        return float((self.sizes * (self.sizes + 1)).sum())

    @property
    def smallest(self) -> int:
        """Clusters of the least kind, or, where they are dealt out, a cell."""
        return int(self.n.min()) if self.shares is None else round(float(self.n.sum()) / self.cells)

    def resized(self, n: int) -> ClusterDesign:
        """Return the design with `n` clusters of the least kind, or, where they are dealt out, a cell."""
        if self.shares is None:
            if n < 1:
                raise DesignError(f"n is {n}; give at least 1 cluster of the least kind")
            return dataclasses.replace(self, n=np.asarray(np.round(self.n / self.n.min() * n)))
        target = round(n * self.cells) * self.shares
        # Whole clusters by largest remainders: the sizes add up to the target.
        counts = np.floor(target + 1e-9)
        largest_remainders = np.argsort(-(target - counts), kind="stable")[: round(float(target.sum() - counts.sum()))]
        counts[largest_remainders] += 1
        return dataclasses.replace(self, n=counts)

    def draw(self, n_simulations: int, rng: np.random.Generator) -> ClusterMoments:
        """Draw of each kind the sum and the cross-products of its clusters' outcomes."""
        rows = pd.DataFrame(
            [{**row, CLUSTER: kind_index} for kind_index, kind in enumerate(self.kinds) for row in kind]
        )
        parsed_formula = Formula.parse(self.formula)
        coded_rows = CodedRows.of(rows.assign(**{parsed_formula.outcome: 0.0}), parsed_formula, (CLUSTER,))
        coding = Coding.of(coded_rows.formula, coded_rows.factors)
        # The columns of the design, those of each kind of cluster apart.
        columns = np.split(coding.matrix(coded_rows.columns), np.cumsum(self.sizes.astype(int))[:-1])
        origin = min(map(min, self.mean))
        cluster_sizes = np.unique(self.sizes[self.n > 0])
        n_columns = len(coding.parts) + 1
        cross, totals = (
            np.zeros((n_simulations, n_columns, n_columns)),
            np.zeros((n_simulations, len(cluster_sizes), n_columns, n_columns)),
        )
        # Cross-products add up over kinds; cluster totals do by cluster size.
        for n, x, mean, sd in zip(self.n.astype(int), columns, self.mean, self.sd, strict=True):
            if n:
                size_index = int(np.searchsorted(cluster_sizes, len(mean)))
                rows_of, totals_of = self._kind(n, x, np.array(mean) - origin, np.array(sd), n_simulations, rng)
                cross += rows_of
                totals[:, size_index] += totals_of
        clusters = np.array([self.n[self.sizes == size].sum() for size in cluster_sizes])
        return ClusterMoments(
            coding=coding,
            rows=np.full(n_simulations, float(self.n @ self.sizes)),
            cross=cross,
            sizes=cluster_sizes,
            clusters=np.broadcast_to(clusters, (n_simulations, len(cluster_sizes))),
            totals=totals,
            cluster=CLUSTER,
            origin={parsed_formula.outcome: origin},
        )

    def _kind(
        self, n: int, x: FloatArray, mean: FloatArray, sd: FloatArray, n_simulations: int, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Return Σ z z′ over rows, and over the totals of clusters, of n clusters with predictors x."""
        k = len(mean)
        scaled_triangle = (
            np.linalg.cholesky(np.full((k, k), self.correlation) + (1 - self.correlation) * np.eye(k)) * sd[:, None]
        )
        # Sums of clusters are normal, and squares about them Wishart: drawn without drawing rows.
        total = n * mean + np.sqrt(n) * rng.standard_normal((n_simulations, k)) @ scaled_triangle.T
        scaled_root = scaled_triangle @ wishart_root(n - 1, k, n_simulations, rng)
        squares = scaled_root @ np.swapaxes(scaled_root, -1, -2) + total[:, :, None] * total[:, None, :] / n  # Σ y y′
        sums = x.sum(axis=0)
        return (
            _join_blocks(np.trace(squares, axis1=-2, axis2=-1), total @ x, n * x.T @ x),
            _join_blocks(squares.sum(axis=(-2, -1)), total.sum(axis=-1)[:, None] * sums, n * np.outer(sums, sums)),
        )


def _join_blocks(outcome_squares: FloatArray, cross_products: FloatArray, predictor_products: FloatArray) -> FloatArray:
    """Return the blocks of outcome and predictors as one matrix a study."""
    matrix = np.empty((len(outcome_squares), len(predictor_products) + 1, len(predictor_products) + 1))
    matrix[:, 0, 0], matrix[:, 1:, 1:] = outcome_squares, predictor_products
    matrix[:, 0, 1:] = matrix[:, 1:, 0] = cross_products
    return matrix


def cluster_design(
    *,
    n_clusters: npt.ArrayLike,
    kinds: Sequence[Sequence[Mapping[str, str]]],
    mean: Sequence[Sequence[float]],
    correlation: float,
    formula: str,
    sd: float | Sequence[Sequence[float]] = 1.0,
) -> ClusterDesign:
    """Describe rows in clusters, such as people in groups; draws `ClusterMoments`, which `mixed` takes.

    Parameters
    ----------
    n_clusters
        How many of each kind; `resized` keeps their proportion.
    kinds
        Of each kind its rows, a row the levels of its factors.
    mean
        Of each row of each kind.
    correlation
        Of any two rows of a cluster, from −1/(size − 1) to 1.
    formula
        Of the model: "outcome ~ " and the factors.
    sd
        Of each row of each kind; one SD for all.

    Returns
    -------
    ClusterDesign
        A population that `simulated_power` draws from, all rows of a cluster together.

    Raises
    ------
    DesignError
        If the shapes do not fit, a number is none, or no rows correlate so.

    Examples
    --------
    Groups of four, two of each kind of negotiator:

    >>> from negstats.stats.models.mixed import mixed
    >>> from negstats.stats.power.simulate import simulated_power
    >>> rows = [{"style": "soft"}, {"style": "soft"}, {"style": "tough"}, {"style": "tough"}]
    >>> design = cluster_design(n_clusters=[20], kinds=[rows], mean=[[0.4, 0.4, 0, 0]], correlation=0.3,
    ...                         formula="outcome ~ style")
    >>> test = lambda moments: mixed(moments).test("style")
    >>> simulated_power(design, test, rng=np.random.default_rng(1), n_simulations=1000).apa()
    'power = .58, 95% CI [.55, .61] (n = 20, α = .05, 1,000 simulated studies)'
    """
    n = np.atleast_1d(np.asarray(n_clusters, dtype=np.float64))
    rows = tuple(tuple(dict(row) for row in kind) for kind in kinds)
    means = tuple(tuple(check_number("mean", value) for value in kind) for kind in mean)
    sizes = [len(kind) for kind in rows]
    sds_given = [[sd] * size for size in sizes] if isinstance(sd, int | float) else sd
    spreads = tuple(tuple(check_number("sd", value) for value in kind) for kind in sds_given)
    if n.ndim != 1 or not len(n) == len(rows) == len(means) == len(spreads) or not all(sizes):
        raise DesignError(
            f"clusters has {n.size} numbers, kinds {len(rows)}, mean {len(means)}; give one of each for every kind"
        )
    if [len(kind) for kind in means] != sizes or [len(kind) for kind in spreads] != sizes:
        raise DesignError(f"mean and sd need a number for each row: kinds have {shown(sizes)} rows")
    if not (n >= 0).all() or (n != np.round(n)).any() or not n.any() or min(map(min, spreads)) <= 0:
        raise DesignError(f"n_clusters is {shown(n.tolist())}; give whole numbers, and positive SDs")
    # The covariance of a cluster is one only for correlations above −1/(size − 1).
    if not -1 / max(max(sizes) - 1, 1) < check_number("correlation", correlation) < 1:
        raise DesignError(
            f"correlation is {shown(correlation)}; rows of clusters of {max(sizes)} have one above "
            f"{-1 / max(max(sizes) - 1, 1):.3g} and below 1"
        )
    kind_factor = Factor("kind", tuple(str(kind_index + 1) for kind_index in range(len(rows))))
    return ClusterDesign(n, (kind_factor,), rows, means, spreads, float(correlation), formula)
