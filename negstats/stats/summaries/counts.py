"""`Counts`, a table with named dimensions; `ValueCounts`, how often values occur in each cell; and shares of yes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.stats.results.numbers import FloatArray, floats, settled
from negstats.stats.summaries.aggregation import Function
from negstats.stats.summaries.cells import (
    Cells,
    aligned,
    cell_frame,
    check_shape,
    named_factors,
    place_of,
    placed,
    sample_of,
)
from negstats.stats.summaries.frames import (
    Factor,
    Stacked,
    check_columns,
    group_in_engine,
    group_pandas,
    names_of,
)


@dataclass(frozen=True, slots=True, eq=False)
class Counts(Stacked):
    """A contingency table with named dimensions.

    Attributes
    ----------
    n : ndarray, shape (*studies, *levels)
        How many observations are in each cell.
    factors : tuple of Factor
        Name and levels of each dimension.
    missing : int
        Rows that were left out because a factor was missing.

    Examples
    --------
    >>> table = Counts.from_table([[5, 91], [19, 78]], {"agent": ["fair", "selfish"], "walked away": ["yes", "no"]})
    >>> table.n.sum()
    np.float64(193.0)
    """

    n: FloatArray
    factors: tuple[Factor, ...]
    missing: int = 0

    def __post_init__(self) -> None:
        check_shape(self.n, self.factors)
        if np.any(self.n < 0) or not np.all(np.isfinite(self.n)):
            raise DesignError(f"a count is negative or missing: {self.n.tolist()}")

    @classmethod
    def from_frame(cls, frame: Any, by: str | Sequence[str], weights: str | None = None) -> Counts:
        """Count the rows of a frame (any engine) in each cell, or sum the column `weights` of counts.

        Parameters
        ----------
        frame
            One row an observation, or one row a cell with its count in `weights`.
        by
            The columns of the dimensions.
        weights
            The column of counts; each row counts once by default.
        """
        names = names_of(by)
        if isinstance(frame, pd.DataFrame):
            groups = group_pandas(frame, weights, names)
            size = int(np.prod(groups.shape))
            counts = np.bincount(groups.cell, groups.y if weights else None, size).astype(np.float64)
            return cls(counts.reshape(groups.shape), groups.factors, groups.missing)
        weighed: Mapping[str, tuple[str, Function]] = {"__n": ("__y", "count"), "__total": ("__y", "sum")}
        rows, factors, cell, missing = group_in_engine(frame, names, weights, {} if weights is None else weighed)
        n = np.zeros(tuple(len(factor) for factor in factors))
        n.flat[cell] = rows["__rows" if weights is None else "__total"].to_numpy(dtype=np.float64)
        return cls(n, factors, missing)

    @classmethod
    def from_table(
        cls, n: npt.ArrayLike, factors: Mapping[str, Sequence[str]] | None = None, *, stacked: int = 0
    ) -> Counts:
        """Take a table of counts; `stacked` leading axes are studies, the others are the dimensions.

        Parameters
        ----------
        n
            The counts, one axis a dimension.
        factors
            Names and levels, in the order of the axes; named ``factor_1``, ... if not given.
        stacked
            How many leading axes are studies.

        Raises
        ------
        DesignError
            If they are not numbers.
        """
        try:
            counts = floats("n", n)
        except DesignError:
            advice = "give nested lists of numbers, of one length, or a frame and the names of its columns"
            raise DesignError(f"{shown(n)} is not a table of counts; {advice}") from None
        return cls(counts, named_factors(factors, counts.shape[stacked:]))

    def __add__(self, other: Counts) -> Counts:
        """Merge with the counts of other rows; levels that only one side has are kept."""
        factors, (first_places, second_places) = aligned(self.factors, other.factors)
        shape = tuple(len(factor) for factor in factors)
        n = placed(self.n, first_places, shape) + placed(other.n, second_places, shape)
        return Counts(n, factors, self.missing + other.missing)

    def marginal(self, keep: str | Sequence[str]) -> Counts:
        """Sum over the dimensions that are not kept.

        Parameters
        ----------
        keep
            The names of the dimensions that stay.

        Returns
        -------
        Counts
            Counts with one axis a dimension that stays.
        """
        axes_kept = [place_of(self.factors, name) for name in names_of(keep)]
        n_leading = len(self.studies)
        n = self.n.sum(axis=tuple(n_leading + i for i in range(len(self.factors)) if i not in axes_kept))
        axis_order = sorted(axes_kept)
        n = n.transpose(tuple(range(n_leading)) + tuple(n_leading + axis_order.index(axis) for axis in axes_kept))
        return Counts(n, tuple(self.factors[axis] for axis in axes_kept), self.missing)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a cell: the levels and n. For a single table.

        Returns
        -------
        DataFrame
            One column a dimension, and ``n``.
        """
        return cell_frame(self.factors, {"n": self.n})


@dataclass(frozen=True, slots=True, eq=False)
class ValueCounts:
    """How often each distinct value occurs in each cell: all that a rank test needs, however many rows there were.

    Attributes
    ----------
    values : ndarray, shape (k,)
        The distinct values, ascending.
    n : ndarray, shape (*studies, *levels, k)
        How often each occurs in each cell.
    factors : tuple of Factor
        Empty for a single sample.
    outcome : str
        Name of what was measured.
    missing : int
        Rows that were left out.

    Examples
    --------
    >>> ValueCounts.from_samples({"a": [1, 1, 3], "b": [3]}).n.tolist()
    [[2.0, 1.0], [0.0, 1.0]]
    """

    values: FloatArray
    n: FloatArray
    factors: tuple[Factor, ...] = ()
    outcome: str = "outcome"
    missing: int = 0

    def __post_init__(self) -> None:
        check_shape(self.n[..., 0] if self.n.shape[-1] else self.n.sum(axis=-1), self.factors)
        if self.n.shape[-1] != len(self.values) or np.any(np.diff(self.values) <= 0):
            raise DesignError("values must ascend, and n needs one entry for each on its last axis")

    @property
    def studies(self) -> tuple[int, ...]:
        """The shape of the stack: () for one study."""
        return self.n.shape[: self.n.ndim - len(self.factors) - 1]

    @property
    def median(self) -> FloatArray:
        """Median of each cell; NaN where it is empty."""
        if not len(self.values):
            return np.full(self.n.shape[:-1], np.nan)
        cumulative = np.cumsum(self.n, axis=-1)
        n = cumulative[..., -1:]
        lower_index, upper_index = ((cumulative >= rank).argmax(axis=-1) for rank in ((n + 1) // 2, n // 2 + 1))
        return np.where(n[..., 0] > 0, (self.values[lower_index] + self.values[upper_index]) / 2, np.nan)

    @classmethod
    def from_frame(cls, frame: Any, outcome: str, by: str | Sequence[str] = ()) -> ValueCounts:
        """Count the values of `outcome` in each cell of a frame of any engine, by one pass or group-by.

        Rows with a missing outcome or factor are left out and counted (`missing`). Values that differ by no more than 8
        units of the last place, as .1 + .2 and .3 do, are one.

        Parameters
        ----------
        frame
            One row an observation.
        outcome
            The measured column.
        by
            The columns of the factors; none for a single sample.

        Raises
        ------
        DesignError
            If a column is not there, or the outcome is not numeric.
        """
        names = names_of(by)
        check_columns(frame, [*names, outcome])
        count = _count_pandas if isinstance(frame, pd.DataFrame) else _count_in_engine
        values, n, factors, missing = count(frame, outcome, names)
        return cls(values, n, factors, outcome, missing)._merge_rounded()

    @classmethod
    def from_samples(
        cls, samples: Mapping[str, npt.ArrayLike], factor: str = "group", outcome: str = "outcome"
    ) -> ValueCounts:
        """Count the values of one sample a level; NaN counts as missing.

        Parameters
        ----------
        samples
            The observations of each level by its name.
        factor
            What the levels are together.
        outcome
            What was measured.
        """
        if not samples:
            raise DesignError("there are no samples; give at least one, such as {'a': [1, 2, 3]}")
        y = [sample_of(values, level) for level, values in samples.items()]
        if any(values.ndim > 1 for values in y):
            raise DesignError("ValueCounts are made of one study's samples; count the values of a stack and give n")
        complete_samples = [sample[~np.isnan(sample)] for sample in y]
        values, code = np.unique(np.concatenate(complete_samples), return_inverse=True)
        cell = np.repeat(np.arange(len(y)), [len(sample) for sample in complete_samples])
        n = np.bincount(cell * len(values) + code, minlength=len(y) * len(values)).astype(np.float64)
        levels = tuple(map(str, samples))
        missing = sum(len(sample) for sample in y) - len(code)
        n = n.reshape(len(y), len(values))
        return cls(values, n, (Factor(factor, levels),), outcome, missing)._merge_rounded()

    def _merge_rounded(self) -> ValueCounts:
        """Return the counts with those values taken for one that rounding alone tells apart (`settled`)."""
        code = settled(self.values)
        if not len(code) or code[-1] + 1 == len(code):
            return self
        first_indices = np.flatnonzero(np.diff(code, prepend=-1))
        n = np.add.reduceat(self.n, first_indices, axis=-1)
        return ValueCounts(self.values[first_indices], n, self.factors, self.outcome, self.missing)

    def __add__(self, other: ValueCounts) -> ValueCounts:
        """Merge with the value counts of other rows."""
        factors, (first_codes, second_codes) = aligned(self.factors, other.factors)
        shape = tuple(len(factor) for factor in factors)
        values = np.union1d(self.values, other.values)
        first_positions = [*first_codes, np.searchsorted(values, self.values)]
        second_positions = [*second_codes, np.searchsorted(values, other.values)]
        n = placed(self.n, first_positions, (*shape, len(values))) + placed(
            other.n, second_positions, (*shape, len(values))
        )
        return ValueCounts(values, n, factors, self.outcome, self.missing + other.missing)

    def marginal(self, keep: str | Sequence[str]) -> ValueCounts:
        """Pool the rows over the factors that are not kept.

        Parameters
        ----------
        keep
            The names of the factors that stay.

        Returns
        -------
        ValueCounts
            Counts of values in the cells of the factors that stay.
        """
        axes_kept = sorted(place_of(self.factors, name) for name in names_of(keep))
        n_leading = len(self.studies)
        n = self.n.sum(axis=tuple(n_leading + i for i in range(len(self.factors)) if i not in axes_kept))
        return ValueCounts(self.values, n, tuple(self.factors[axis] for axis in axes_kept), self.outcome, self.missing)

    def cells(self) -> Cells:
        """Return n, mean and variance of each cell.

        Returns
        -------
        Cells
            The summary that tests of means take.
        """
        n = self.n.sum(axis=-1)
        origin = float(self.values[0]) if len(self.values) else 0.0
        shifts = self.values - origin
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = (self.n @ shifts) / n
            ss = (self.n * (shifts - mean[..., None]) ** 2).sum(axis=-1)
            variance = np.where(n > 1, ss / (n - 1), np.nan)
        return Cells(n, mean, variance, self.factors, self.outcome, origin, self.missing)


Table: TypeAlias = tuple[FloatArray, FloatArray, tuple[Factor, ...], int]


def _count_pandas(frame: pd.DataFrame, outcome: str, names: list[str]) -> Table:
    """Count by one `bincount` over the combined codes of factors and values."""
    groups = group_pandas(frame, outcome, names)
    values, code = np.unique(groups.y, return_inverse=True)
    shape = (*groups.shape, len(values))
    n = np.bincount(groups.cell * len(values) + code, minlength=int(np.prod(shape, dtype=np.intp)))
    return values, n.astype(np.float64).reshape(shape), groups.factors, groups.missing


def _count_in_engine(frame: Any, outcome: str, names: list[str]) -> Table:
    rows, factors, cell, missing = group_in_engine(frame, names, outcome, {}, by_value=True)
    values, code = np.unique(rows["__y"].to_numpy(dtype=np.float64), return_inverse=True)
    if np.isinf(values).any():
        raise DesignError(f"the outcome {outcome!r} is infinite in some row; leave such rows out")
    n = np.zeros((*(len(factor) for factor in factors), len(values)))
    n.flat[cell * len(values) + code] = rows["__rows"].to_numpy(dtype=np.float64)
    return values, n, factors, missing


FEW = 12  # values; of more, shares are of tenths of the rows


def shares_over(
    x: npt.ArrayLike, yes: npt.ArrayLike, fitted: npt.NDArray[np.float64] | None = None
) -> tuple[pd.DataFrame, bool]:
    """Return the share of yes over a number.

    Parameters
    ----------
    x, yes
        The number of each row, and whether its outcome is yes (1) or no (0); none is missing.
    fitted
        The chance of yes that a model gives each row.

    Returns
    -------
    tuple
        A frame with a row a value or a tenth: the mean of ``x``, ``n`` rows, ``yes`` of them, and the mean of
        ``fitted`` if it is given; and whether they are tenths.

    Examples
    --------
    >>> table, tenths = shares_over([1, 1, 2], [1, 0, 1])
    >>> table["yes"].tolist(), tenths
    ([1, 1], False)
    """
    frame = pd.DataFrame({"x": x, "yes": yes})
    values = frame["x"].round(9)
    tenths = bool(values.nunique() > FEW)
    groups = frame.groupby(pd.qcut(frame["x"], 10, duplicates="drop") if tenths else values, observed=True)
    table = pd.DataFrame({"x": groups["x"].mean(), "n": groups.size(), "yes": groups["yes"].sum()})
    if fitted is not None:
        table["fitted"] = pd.Series(fitted).groupby(groups.ngroup()).mean().to_numpy()
    return table, tenths
