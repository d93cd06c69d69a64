"""`Moments`: n, means and covariances of several variables by cell, from rows in memory or in an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import find_name
from negstats.stats.summaries._wide import subjects_wide
from negstats.stats.summaries.aggregation import Function, aggregate
from negstats.stats.summaries.cells import Cells, aligned, check_shape, named_factors, placed
from negstats.stats.summaries.frames import (
    Factor,
    Grouped,
    Stacked,
    cells_from_engine,
    check_columns,
    group_pandas,
    measured,
    names_of,
    numbers,
)
from negstats.stats.summaries.subjects import complete_subjects

NEAR = 1000  # rows about whose mean sums are taken, so that values far from zero keep their digits
FAR = 1e-4  # of a sum of squares that must be left when the mean is taken out


def of_columns(frame: Any, variables: Sequence[str], by: Sequence[str], outcome: str) -> dict[str, Any]:
    """Return the fields of `Moments` of a wide frame of any engine."""
    lazy = nw.from_native(frame).lazy()
    schema = lazy.collect_schema()
    # Names of our own: an engine's SQL may trip over a dot in a column's name.
    values, keys = [f"__x{i}" for i in range(len(variables))], [f"__by{i}" for i in range(len(by))]
    groups = [nw.col(name).alias(key) for name, key in zip(by, keys, strict=True)]
    labels, dtypes = [*variables, *by], {name: schema[name] for name in by}

    columns = [measured(schema[name], name).alias(key) for name, key in zip(variables, values, strict=True)]
    fields = _reduced(lazy.select(*columns, *groups), values, keys, by, dtypes, labels)
    return {**fields, "variables": Factor("variable", tuple(variables)), "outcome": outcome}


def of_subjects(frame: Any, outcome: str, within: str, subject: str, between: Sequence[str]) -> dict[str, Any]:
    """Return the fields of `Moments` of a long frame of any engine, one row a subject and level of `within`."""
    subject_rows, measures = subjects_wide(frame, outcome, within, subject, between)
    values, keys = [f"__x{i}" for i in range(len(measures))], [f"__by{i}" for i in range(len(between))]
    schema = nw.from_native(frame).lazy().collect_schema()
    labels = [f"{within} = {shown(level)}" for level in measures.levels]
    fields = _reduced(
        subject_rows, values, keys, between, {name: schema[name] for name in between}, [*labels, *between]
    )
    return {**fields, "variables": measures, "outcome": outcome}


def _fill_cells(
    sums: pd.DataFrame, values: list[str], cell: npt.NDArray[np.intp], size: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return n, means (less the origin) and covariances of all cells; those without rows have no mean."""
    k = len(values)
    n, offset, covariance = np.zeros(size), np.full((size, k), np.nan), np.full((size, k, k), np.nan)
    n[cell] = sums["__n"].to_numpy(dtype=np.float64)
    total = sums[values].to_numpy(dtype=np.float64)
    offset[cell] = total / n[cell][:, None]
    for a, b in combinations_with_replacement(range(k), 2):
        cross = sums[f"__q{a}_{b}"].to_numpy(dtype=np.float64) - total[:, a] * offset[cell, b]
        with np.errstate(divide="ignore", invalid="ignore"):
            covariance[cell, a, b] = covariance[cell, b, a] = cross / (n[cell] - 1)  # of one row 0/0, which is NaN
    return n, offset, covariance


def _reduced(
    rows: Any,
    values: list[str],
    keys: list[str],
    by: Sequence[str],
    dtypes: dict[str, Any],
    labels: Sequence[str],
) -> dict[str, Any]:
    """Reduce rows with the columns `values` and `keys` by one group-by; rows that lack one are left out and counted."""
    k = len(values)
    first_means = rows.drop_nulls().head(NEAR).select(nw.len().alias("n"), *(nw.col(name).mean() for name in values))
    first_frame = first_means.collect(backend="pyarrow")
    if not int(first_frame["n"][0]):
        raise DesignError(f"no row has a value in every column of {', '.join(labels)}")
    origin = np.array([float(first_frame[name][0]) for name in values])
    sums, missing = _sums(rows, values, keys, origin, labels)
    n, total = sums["__n"].to_numpy(dtype=np.float64), sums[values].to_numpy(dtype=np.float64)
    squares = np.array([sums[f"__q{a}_{a}"].sum() for a in range(k)])
    # Squares about an origin far from the mean lose digits: then once more, about the mean itself.
    is_far = total.sum(axis=0) ** 2 > (1 - FAR) * n.sum() * squares
    if is_far.any():  # the first rows are unlike the others: digits are lost
        origin = origin + total.sum(axis=0) / n.sum()
        sums, missing = _sums(rows, values, keys, origin, labels)
    factors, cell = cells_from_engine(sums[keys], by, dtypes)
    shape = tuple(len(factor) for factor in factors)
    size = int(np.prod(shape, dtype=np.intp))
    n, offset, covariance = _fill_cells(sums, values, cell, size)
    return {
        "n": n.reshape(shape),
        "offset": offset.reshape(*shape, k),
        "covariance": covariance.reshape(*shape, k, k),
        "factors": factors,
        "origin": origin,
        "missing": missing,
    }


def _sums(
    rows: Any, values: list[str], keys: list[str], origin: FloatArray, labels: Sequence[str]
) -> tuple[pd.DataFrame, int]:
    """Return one row a cell: n, sums of the values about the origin and of their products; and the rows left out."""
    pairs = list(combinations_with_replacement(range(len(values)), 2))
    is_complete = ~nw.any_horizontal(*(nw.col(name).is_null() for name in [*values, *keys]), ignore_nulls=False)
    deviations = [
        nw.when(is_complete).then(nw.col(name) - float(start)) for name, start in zip(values, origin, strict=True)
    ]
    sum_columns = dict(zip(values, deviations, strict=True))
    sum_columns |= {f"__q{a}_{b}": deviations[a] * deviations[b] for a, b in pairs}
    counts = [nw.len().alias("__rows"), deviations[0].count().alias("__n")]
    # One step from rows to sums: an engine binds the whole query again at every one. Groups take plain columns.
    table = rows.select(*counts, *(value.sum().alias(name) for name, value in sum_columns.items()))
    if keys:
        code_rows = rows.select(*keys, *(value.alias(name) for name, value in sum_columns.items()))
        sums_of: dict[str, tuple[str, Function]] = {name: (name, "sum") for name in sum_columns}
        table = aggregate(code_rows, keys, __rows=(values[0], "len"), __n=(values[0], "count"), **sums_of)
    sums = table.collect(backend="pyarrow").to_pandas()
    missing = int(sums["__rows"].sum() - sums["__n"].sum())
    sums = sums[sums["__n"] > 0].reset_index(drop=True)
    total = sums[values].to_numpy(dtype=np.float64).sum(axis=0)
    if not np.isfinite(total).all():
        raise DesignError(f"a value of {labels[int((~np.isfinite(total)).argmax())]} is infinite; leave such rows out")
    return sums, missing


EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Moments(Stacked):
    """n, means and covariances of k variables of the same units: repeated measures, or columns side by side.

    Attributes
    ----------
    n : ndarray, shape (*studies, *levels)
        Units (subjects) in each cell of the factors.
    offset : ndarray, shape (*studies, *levels, k)
        Mean of each variable, measured from `origin`; NaN where the cell is empty.
    covariance : ndarray, shape (*studies, *levels, k, k)
        Unbiased covariance (divisor n − 1); NaN where n < 2.
    variables : Factor
        The k variables; of repeated measures, the repeated factor and its levels.
    factors : tuple of Factor
        The factors between the units; empty without any.
    outcome : str
        Name of what was measured.
    origin : ndarray, shape (k,)
        What the means are measured from: the first complete row, so that values far from zero keep their digits.
    missing : int
        Units that were left out because a variable or a factor was missing.

    Examples
    --------
    >>> utility = Moments.from_table(n=66, mean=[0.75, 0.5], sd=[0.064, 0.076], correlation=0.4)
    >>> float(utility.contrast([1, -1]).mean)
    0.25
    """

    n: FloatArray
    offset: FloatArray
    covariance: FloatArray
    variables: Factor
    factors: tuple[Factor, ...] = ()
    outcome: str = "outcome"
    origin: FloatArray | float = 0.0
    missing: int = 0

    def __post_init__(self) -> None:
        check_shape(self.n, self.factors)
        k = len(self.variables)
        if self.offset.shape != (*self.n.shape, k) or self.covariance.shape != (*self.n.shape, k, k):
            raise DesignError(
                f"n, mean and covariance have the shapes {self.n.shape}, {self.offset.shape}, {self.covariance.shape}; "
                f"with {k} variables they should be {self.n.shape}, (..., {k}) and (..., {k}, {k})"
            )

    @property
    def mean(self) -> FloatArray:
        """Mean of each variable, shape ``(*studies, *levels, k)``."""
        return np.asarray(self.origin + self.offset)

    @classmethod
    def from_frame(
        cls, frame: Any, outcome: str, within: str, subject: str, between: str | Sequence[str] = ()
    ) -> Moments:
        """Reduce a long frame of any engine, one row a subject and measure; the levels of `within` are the variables.

        A subject that lacks a measure is left out whole and counted.

        Parameters
        ----------
        frame
            One row a subject and measure.
        outcome
            The measured column.
        within
            The column of the repeated factor.
        subject
            The column of the subjects' ids.
        between
            The columns of factors that differ between subjects.

        Raises
        ------
        DesignError
            If a column is not there, a subject has two rows for one level, a subject changes its between-subjects
            level, or no subject has all measures.
        """
        if not isinstance(frame, pd.DataFrame):
            return cls(**of_subjects(frame, outcome, within, subject, names_of(between)))
        complete = complete_subjects(frame, outcome, within, subject, names_of(between))
        return cls._from_groups(complete.y, complete.measures, complete.groups, outcome, complete.missing)

    @classmethod
    def of_lazy(
        cls, frame: Any, outcome: str, within: str, subject: str, levels: Sequence[object] | None = None
    ) -> Moments:
        """Reduce a long lazy frame as `from_frame` does, at some levels of `within` only.

        Parameters
        ----------
        frame
            A lazy frame of any engine, one row a subject and measure.
        outcome, within, subject
            The columns, as in `from_frame`.
        levels
            The levels of `within` that are used, in this order; all of them by default.
        """
        subject_rows, measures = subjects_wide(frame, outcome, within, subject, (), levels)
        columns = [f"__x{index}" for index in range(len(measures))]
        return replace(cls.from_columns(subject_rows.to_native(), columns, outcome=outcome), variables=measures)

    @classmethod
    def from_columns(
        cls, frame: Any, variables: Sequence[str], by: str | Sequence[str] = (), outcome: str = "outcome"
    ) -> Moments:
        """Reduce a wide frame of any engine: one row a unit, one column a variable, `by` the factors that group them.

        A row that lacks a variable or a factor is left out whole and counted.

        Parameters
        ----------
        frame
            One row a unit.
        variables
            The columns of the variables, in the order of the result.
        by
            The columns of the factors that group the units.
        outcome
            What the variables measure.

        Raises
        ------
        DesignError
            If a column is not there, named twice or not numeric, or no row is complete.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"x": [2, 4, 5, 7], "y": [10, 12, 11, 17]})
        >>> Moments.from_columns(frame, ["x", "y"]).covariance.round(4).tolist()
        [[4.3333, 5.6667], [5.6667, 9.6667]]
        """
        names, groups = names_of(variables), names_of(by)
        check_columns(frame, [*names, *groups], "variables and by")
        if not isinstance(frame, pd.DataFrame):
            return cls(**of_columns(frame, names, groups, outcome))
        rows = frame[[*names, *groups]]
        columns = [numbers(rows[name], name) for name in names]
        known_columns = [~np.isnan(column) for column in columns] + [rows[name].notna().to_numpy() for name in groups]
        is_complete = np.logical_and.reduce(known_columns) if known_columns else np.ones(len(rows), dtype=bool)
        if not is_complete.any():
            raise DesignError(f"no row has a value in every column of {', '.join([*names, *groups])}")
        y = np.array(columns).T if columns else np.empty((len(rows), 0))
        missing = int(len(is_complete) - np.count_nonzero(is_complete))
        if missing:
            rows, y = rows[is_complete], y[is_complete]
        return cls._from_groups(y, Factor("variable", tuple(names)), group_pandas(rows, None, groups), outcome, missing)

    @classmethod
    def _from_groups(cls, y: FloatArray, variables: Factor, groups: Grouped, outcome: str, missing: int) -> Moments:
        size, k = int(np.prod(groups.shape, dtype=np.intp)), len(variables)
        n, mean, covariance = np.zeros(size), np.full((size, k), np.nan), np.full((size, k, k), np.nan)
        origin = y[0].copy()
        if size == 1:
            rows_of_cells = {0: y}
        else:
            order = np.argsort(groups.cell, kind="stable")
            cells, first_indices = np.unique(groups.cell[order], return_index=True)
            rows_of_cells = {
                int(cell): y[cell_rows]
                for cell, cell_rows in zip(cells, np.split(order, first_indices[1:]), strict=True)
            }
        for cell, cell_rows in rows_of_cells.items():
            n[cell], mean[cell], covariance[cell] = _moments(cell_rows, origin)
        shape = groups.shape
        return cls(
            n=n.reshape(shape),
            offset=mean.reshape(*shape, k),
            covariance=covariance.reshape(*shape, k, k),
            variables=variables,
            factors=groups.factors,
            outcome=outcome,
            origin=origin,
            missing=missing,
        )

    @classmethod
    def from_array(
        cls, y: npt.ArrayLike, variables: Sequence[str], within: str = "measure", outcome: str = "outcome"
    ) -> Moments:
        """Reduce complete arrays of shape ``(*studies, units, variables)`` of one group; `within` names the factor.

        Parameters
        ----------
        y
            The values, NaN nowhere.
        variables
            Names of the last axis.
        within
            What the variables are together, such as the repeated factor.
        outcome
            What was measured.
        """
        values = np.asarray(y, dtype=np.float64)
        k = values.shape[-1]
        origin = values.reshape(-1, k)[0] if values.size else np.zeros(k)
        n, mean, covariance = _moments(values, origin)
        return cls(n, mean, covariance, Factor(within, tuple(map(str, variables))), (), outcome, origin)

    @classmethod
    def from_table(
        cls,
        *,
        n: npt.ArrayLike,
        mean: npt.ArrayLike,
        sd: npt.ArrayLike,
        correlation: npt.ArrayLike,
        variables: Sequence[str] | None = None,
        within: str = "measure",
        factors: Mapping[str, Sequence[str]] | None = None,
        outcome: str = "outcome",
    ) -> Moments:
        """Take printed means and SDs of the variables and their correlations.

        Parameters
        ----------
        n
            Units, one number a cell of the factors.
        mean, sd
            Arrays whose last axis is the variables.
        correlation
            Correlations, shape ``(..., k, k)``, or one number that all pairs share.
        variables
            Their names; "1", "2", ... if not given.
        within
            What the variables are together, such as the repeated factor.
        factors
            Names and levels of the factors between units, in the order of the axes of `n`.
        outcome
            What was measured.
        """
        means, sds_array = np.broadcast_arrays(np.asarray(mean, dtype=np.float64), np.asarray(sd, dtype=np.float64))
        size = np.asarray(n, dtype=np.float64)
        k = means.shape[-1]
        table = np.asarray(correlation, dtype=np.float64)
        if table.ndim == 0:
            table = np.where(np.eye(k, dtype=bool), 1.0, table)
        if not np.all(np.abs(table) <= 1) or np.any(sds_array < 0):
            raise DesignError("correlation must lie between −1 and 1 and sd may not be negative")
        # Correlations that were printed with two decimals may miss by this much.
        square = np.broadcast_to(table, (*table.shape[:-2], k, k))
        if not np.allclose(square, np.swapaxes(square, -1, -2)) or np.linalg.eigvalsh(square).min() < -0.005 * k:
            raise DesignError(
                "correlation is not a table of correlations: it is not symmetric, or no data can have all of them"
            )
        covariance = table * sds_array[..., :, None] * sds_array[..., None, :]
        names = tuple(map(str, range(1, k + 1) if variables is None else variables))
        return cls(size, means, covariance, Factor(within, names), named_factors(factors, size.shape), outcome)

    def __add__(self, other: Moments) -> Moments:
        """Merge with the summary of other units of the same variables.

        Chan, Golub and LeVeque (1983), The American Statistician 37, eq. 2.1, with matrices.
        """
        if self.variables != other.variables:
            raise DesignError(f"the variables differ: {self.variables} and {other.variables}")
        factors, (first_codes, second_codes) = aligned(self.factors, other.factors)
        shape, k = tuple(len(factor) for factor in factors), len(self.variables)
        variable_indices = np.arange(k)
        n1, n2 = placed(self.n, first_codes, shape), placed(other.n, second_codes, shape)
        other_means = np.where(other.n[..., None] > 0, other.offset + (np.asarray(other.origin) - self.origin), 0.0)
        mean1 = placed(np.nan_to_num(self.offset), [*first_codes, variable_indices], (*shape, k))
        mean2 = placed(other_means, [*second_codes, variable_indices], (*shape, k))
        squares1 = placed(_cross(self), [*first_codes, variable_indices, variable_indices], (*shape, k, k))
        squares2 = placed(_cross(other), [*second_codes, variable_indices, variable_indices], (*shape, k, k))
        n = n1 + n2
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (n2 / n)[..., None]
            mean = np.where(n[..., None] > 0, mean1 + (mean2 - mean1) * share, np.nan)
            between_groups = (
                (mean2 - mean1)[..., :, None]
                * (mean2 - mean1)[..., None, :]
                * np.nan_to_num(n1 * n2 / n)[..., None, None]
            )
            sizes = n[..., None, None]
            covariance = np.where(sizes > 1, (squares1 + squares2 + between_groups) / (sizes - 1), np.nan)
        missing = self.missing + other.missing
        return Moments(n, mean, covariance, self.variables, factors, self.outcome, self.origin, missing)

    def only(self, names: Sequence[str]) -> Moments:
        """Return the moments of some of the variables.

        Parameters
        ----------
        names
            Variables, in the order in which they are wanted.

        Returns
        -------
        Moments
            Of these variables, in the same groups and studies.

        Raises
        ------
        DesignError
            If there is no variable of a name.
        """
        levels = self.variables.levels
        indices = [find_name(name, levels, "the moments have no variable", "they have") for name in names]
        return replace(
            self,
            offset=self.offset[..., indices],
            covariance=self.covariance[..., indices, :][..., indices],
            variables=Factor(self.variables.name, tuple(names)),
            origin=np.broadcast_to(np.asarray(self.origin, dtype=np.float64), (len(levels),))[indices],
        )

    def contrast(self, weights: npt.ArrayLike) -> Cells:
        """Return n, mean and variance of a weighted sum of the variables, such as the difference of two.

        Parameters
        ----------
        weights
            One number a variable, in their order.

        Returns
        -------
        Cells
            One number a unit is summarized, in units of the outcome.
        """
        w = np.asarray(weights, dtype=np.float64)
        if w.shape != (len(self.variables),):
            raise DesignError(
                f"a contrast of {len(self.variables)} variables needs as many weights; got {shown(weights)}"
            )
        variance = np.einsum("...ij,i,j->...", self.covariance, w, w)
        origin = float(np.broadcast_to(self.origin, w.shape) @ w)
        return Cells(self.n, np.asarray(self.offset @ w), variance, self.factors, self.outcome, origin, self.missing)


def _moments(y: FloatArray, origin: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """n, means from the origin and covariances of arrays of shape (..., units, variables), by two passes.

    Variables are taken apart first, each in one piece of memory: sums over units then run at its speed.
    """
    n, k = y.shape[-2:]
    if n == 0:
        missing_means = np.full((*y.shape[:-2], k), np.nan)
        return np.zeros(y.shape[:-2]), missing_means, np.full((*missing_means.shape, k), np.nan)
    deviations = np.subtract(np.swapaxes(y, -1, -2), origin[:, None], order="C")
    mean = deviations.mean(axis=-1, keepdims=True)
    deviations -= mean
    remainder = deviations.mean(axis=-1, keepdims=True)  # by rounding
    products = deviations @ np.swapaxes(deviations, -1, -2)
    is_large = n * remainder[..., 0] ** 2 > EPS * np.einsum("...ii->...i", products)
    if is_large.any():  # a digit would move
        deviations -= remainder
        products = deviations @ np.swapaxes(deviations, -1, -2)
    covariance = products / (n - 1) if n > 1 else np.full((*y.shape[:-2], k, k), np.nan)
    return np.full(y.shape[:-2], float(n)), (mean + remainder)[..., 0], covariance


def _cross(summary: Moments) -> FloatArray:
    """Return sums of squares and products; 0 where a cell has fewer than two units."""
    n = summary.n[..., None, None]
    return np.where(n > 1, summary.covariance * (n - 1), 0.0)
