"""`Cells`: n, mean and variance of each cell of a between-subjects design; how the arrays of summaries are laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.stats.results.numbers import FloatArray, floats, shared
from negstats.stats.results.options import find_name
from negstats.stats.summaries.aggregation import Function
from negstats.stats.summaries.frames import Factor, Stacked, group_in_engine, group_pandas, names_of


def sample_of(values: npt.ArrayLike, level: object) -> FloatArray:
    """Return a sample as floats, NaN where missing or masked; DesignError for text, dates and infinities."""
    array = floats(f"sample {level!r}", values)
    if array.ndim == 0:
        raise DesignError(f"sample {level!r} is the single number {array}; give a sequence of numbers")
    if np.isinf(array).any():
        raise DesignError(f"sample {level!r} holds an infinite value; leave it out")
    return array


def check_samples(samples: object, **columns: Any) -> None:
    """Raise DesignError for columns named with samples: only a frame has columns, and a name would change nothing."""
    names = {argument: name for argument, name in columns.items() if name is not None and name not in ((), [])}
    if names:
        data_text = "a dict, which holds one sample a level" if isinstance(samples, Mapping) else "plain numbers"
        argument, name = next(iter(names.items()))
        raise DesignError(
            f"{argument} names {shown(name)}, and the data are {data_text}; leave out {', '.join(names)}, or for "
            "columns give a frame: pandas.DataFrame(data)"
        )


def check_own_outcome(summary: Any, outcome: str | None) -> None:
    """Raise DesignError for an outcome that is not the summary's own: it cannot be another one's."""
    if outcome is not None and outcome != summary.outcome:
        raise DesignError(
            f"outcome is {shown(outcome)}, and the {type(summary).__name__} were made of {summary.outcome!r}; leave "
            "out outcome"
        )


def check_shape(n: FloatArray, factors: tuple[Factor, ...]) -> None:
    """Raise DesignError unless the last axes have the levels of the factors."""
    levels = tuple(len(factor) for factor in factors)
    if n.shape[n.ndim - len(factors) :] != levels or n.ndim < len(factors):
        raise DesignError(f"the table has the shape {n.shape}, but the factors have {levels} levels")


def named_factors(factor_levels: Mapping[str, Sequence[str]] | None, shape: tuple[int, ...]) -> tuple[Factor, ...]:
    """Return the factors of a table: those that are named, or numbered ones for its shape."""
    if factor_levels is None:
        return tuple(
            Factor(f"factor_{number}", tuple(map(str, range(1, size + 1))))
            for number, size in enumerate(shape, start=1)
        )
    return tuple(Factor(name, tuple(map(str, levels))) for name, levels in factor_levels.items())


def place_of(factors: tuple[Factor, ...], name: str) -> int:
    """Return which of the factors has the name; DesignError if none has."""
    return find_name(name, [factor.name for factor in factors], "there is no factor")


def aligned(
    first: tuple[Factor, ...], second: tuple[Factor, ...]
) -> tuple[tuple[Factor, ...], tuple[list[npt.NDArray[np.intp]], list[npt.NDArray[np.intp]]]]:
    """Factors with the levels of both, and where each side's levels stand in them."""
    if [factor.name for factor in first] != [factor.name for factor in second]:
        names = [", ".join(factor.name for factor in factors_of) for factors_of in (first, second)]
        raise DesignError(f"only summaries of the same factors add up; got ({names[0]}) and ({names[1]})")
    factors, first_codes, second_codes = [], [], []
    for first_factor, second_factor in zip(first, second, strict=True):
        levels = list(dict.fromkeys([*first_factor.levels, *second_factor.levels]))
        factors.append(Factor(first_factor.name, tuple(levels)))
        first_codes.append(np.array([levels.index(level) for level in first_factor.levels], dtype=np.intp))
        second_codes.append(np.array([levels.index(level) for level in second_factor.levels], dtype=np.intp))
    return tuple(factors), (first_codes, second_codes)


def placed(values: FloatArray, places: Sequence[npt.NDArray[np.intp]], shape: tuple[int, ...]) -> FloatArray:
    """`values` written into a larger table of zeros of the given shape (behind the studies' axes)."""
    studies = values.shape[: values.ndim - len(shape)]
    table = np.zeros((*studies, *shape))
    cell_index: tuple[Any, ...] = (..., *np.ix_(*places))
    table[cell_index] = values
    return table


def cell_frame(factors: tuple[Factor, ...], columns: Mapping[str, FloatArray]) -> pd.DataFrame:
    """Return one row a cell: its levels, and the columns that are given."""
    array = next(iter(columns.values()))
    if array.ndim > len(factors):
        raise DesignError("a frame of cells is made for one study; take one from the stack")
    index = np.indices(array.shape).reshape(len(factors), -1)
    levels = {
        factor.name: [factor.levels[code] for code in codes] for factor, codes in zip(factors, index, strict=True)
    }
    return pd.DataFrame(levels | {name: values.ravel() for name, values in columns.items()})


def two_levels(factor: Factor, levels: Sequence[object] | None, what: str) -> tuple[int, int]:
    """Return the places of the two levels that are compared, first minus second.

    Raises
    ------
    DesignError
        If `levels` names a level that is not there or the factor has fewer or more than two and none is chosen.
    """
    if levels is None:
        if len(factor) == 2:
            return 0, 1
        names = ", ".join(map(repr, factor.levels)) or "none"
        hint = "; choose two with levels=(first, second)" if len(factor) > 2 else ""
        levels_text = "1 level" if len(factor) == 1 else f"{len(factor)} levels"
        raise DesignError(f"{what} compares two groups, but {factor.name!r} has {levels_text}: {names}{hint}")
    if isinstance(levels, str) or not isinstance(levels, Sequence | np.ndarray | pd.Index):
        raise DesignError(f"levels is {shown(levels)}; name two levels of {factor.name!r}, such as ('a', 'b')")
    pair = [str(level) for level in levels]
    if len(pair) != 2 or pair[0] == pair[1]:
        raise DesignError(f"levels is {tuple(levels)!r}; name two different levels of {factor.name!r}")
    return factor.place(pair[0]), factor.place(pair[1])


@dataclass(frozen=True, slots=True, eq=False)
class Cells(Stacked):
    """n, mean and variance of each cell of a between-subjects design.

    Attributes
    ----------
    n : ndarray, shape (*studies, *levels)
        Observations in each cell; 0 where a cell is empty.
    offset : ndarray, same shape
        Mean of each cell, measured from `origin`; NaN where the cell is empty.
    variance : ndarray, same shape
        Unbiased variance (divisor n − 1); NaN where n < 2.
    factors : tuple of Factor
        Name and levels of each factor, in the order of the last axes. Empty for a single sample.
    outcome : str
        Name of what was measured.
    origin : float
        What the means are measured from. It keeps the digits of data that are far from zero.
    missing : int
        Rows that were left out because the outcome or a factor was missing.

    Examples
    --------
    >>> cells = Cells.from_table(mean=[4.1, 3.2], sd=[1.0, 1.2], n=[20, 22], factors={"framing": ["favor", "neutral"]})
    >>> cells.mean.tolist()
    [4.1, 3.2]
    """

    n: FloatArray
    offset: FloatArray
    variance: FloatArray
    factors: tuple[Factor, ...] = ()
    outcome: str = "outcome"
    origin: float = 0.0
    missing: int = 0

    def __post_init__(self) -> None:
        check_shape(self.n, self.factors)
        if not self.n.shape == self.offset.shape == self.variance.shape:
            raise DesignError(
                f"n, mean and variance have the shapes {self.n.shape}, {self.offset.shape}, {self.variance.shape}; "
                "give them one shape"
            )

    @property
    def mean(self) -> FloatArray:
        """Mean of each cell, shape ``(*studies, *levels)``."""
        return self.origin + self.offset

    @property
    def sd(self) -> FloatArray:
        """Standard deviation of each cell."""
        return np.sqrt(self.variance)

    @property
    def se(self) -> FloatArray:
        """Standard error of each cell's mean."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.sqrt(self.variance / self.n)

    @property
    def ss(self) -> FloatArray:
        """Sum of squared deviations inside each cell; 0 where n is 0 or 1."""
        n = shared(self.n)
        squares = self.variance * (n - 1)
        return squares if n.size and n.min() > 1 else np.where(n > 1, squares, 0.0)

    @classmethod
    def from_frame(cls, frame: Any, outcome: str, by: str | Sequence[str] = ()) -> Cells:
        """Reduce a frame (pandas, polars, pyarrow, DuckDB, PySpark) by one group-by.

        Rows with a missing outcome or factor are left out and counted (`missing`).

        Parameters
        ----------
        frame
            One row an observation.
        outcome
            The measured column.
        by
            The columns of the factors, one axis of the cells each; none for a single sample.

        Raises
        ------
        DesignError
            If a column is not there, or the outcome is not numeric.

        Examples
        --------
        >>> frame = pd.DataFrame({"points": [3, 5, 4, 8], "agent": ["fair", "fair", "selfish", "selfish"]})
        >>> Cells.from_frame(frame, "points", by="agent").mean.tolist()
        [4.0, 6.0]
        """
        names = names_of(by)
        if isinstance(frame, pd.DataFrame):
            groups = group_pandas(frame, outcome, names)
            return _reduce(groups.y, groups.cell, groups.factors, outcome, groups.missing)
        return _reduce_in_engine(cls, frame, outcome, names)

    @classmethod
    def from_samples(
        cls, samples: Mapping[str, npt.ArrayLike], factor: str = "group", outcome: str = "outcome"
    ) -> Cells:
        """Reduce one sample a level; several studies at once where the samples have shape ``(*studies, n)``.

        NaN counts as missing, in single samples only.

        Parameters
        ----------
        samples
            The observations of each level by its name.
        factor
            What the levels are together.
        outcome
            What was measured.

        Examples
        --------
        >>> Cells.from_samples({"a": [1, 2, 3], "b": [2, 4]}).n.tolist()
        [3.0, 2.0]
        """
        if not samples:
            raise DesignError("there are no samples; give at least one, such as {'a': [1, 2, 3]}")
        arrays = {level: sample_of(values, level) for level, values in samples.items()}
        missing = 0
        for level, values in arrays.items():
            is_missing = np.isnan(values)
            if is_missing.any():
                if values.ndim > 1:
                    raise DesignError(f"sample {level!r} of a stack has missing values; leave them out before")
                missing += int(is_missing.sum())
                arrays[level] = values[~is_missing]
        # Squares are taken about a value of the data, so that a large mean costs no digits.
        origin = next((float(values.flat[0]) for values in arrays.values() if values.size), 0.0)
        sample_moments = [_moments(values - origin) for values in arrays.values()]
        studies = np.broadcast_shapes(*(offset.shape for _, offset, _ in sample_moments))
        n, offset, variance = (
            np.stack([np.broadcast_to(array, studies) for array in column], axis=-1)
            for column in zip(*sample_moments, strict=True)
        )
        return cls(n, offset, variance, (Factor(factor, tuple(map(str, arrays))),), outcome, origin, missing)

    @classmethod
    def from_table(
        cls,
        *,
        n: npt.ArrayLike,
        mean: npt.ArrayLike,
        sd: npt.ArrayLike | None = None,
        se: npt.ArrayLike | None = None,
        variance: npt.ArrayLike | None = None,
        factors: Mapping[str, Sequence[str]] | None = None,
        outcome: str = "outcome",
    ) -> Cells:
        """Take a printed table: n, mean and one of SD, SE or variance for each cell.

        Parameters
        ----------
        n, mean, sd, se, variance
            Arrays of one shape, one axis a factor; numbers for a single sample.
        factors
            Names and levels, in the order of the axes; named ``factor_1``, ... if not given.
        outcome
            What was measured.

        Raises
        ------
        DesignError
            If not exactly one of `sd`, `se` and `variance` is given, one is negative, an n is no count, or the shapes
            do not fit.
        """
        given_errors = {
            name: value for name, value in (("sd", sd), ("se", se), ("variance", variance)) if value is not None
        }
        if len(given_errors) != 1:
            raise DesignError(f"give exactly one of sd, se and variance; got {', '.join(given_errors) or 'none'}")
        (name, error_values), *_ = given_errors.items()
        size, means, error_array = np.broadcast_arrays(
            *(np.asarray(x, dtype=np.float64) for x in (n, mean, error_values))
        )
        if np.any(error_array < 0):
            raise DesignError(f"{name} holds a negative number: {error_array.min()}")
        if np.any(size < 0) or np.any(size != np.round(size)):
            raise DesignError(f"n holds {size.tolist()}; give whole numbers that are not negative")
        for name_, numbers, fewest in (("mean", means, 1), (name, error_array, 2)):
            if not np.isfinite(numbers[size >= fewest]).all():
                raise DesignError(f"{name_} is not known in a cell with observations; give it, or n = 0")
        # A standard error is s/√n.
        square = {"sd": error_array**2, "se": error_array**2 * size, "variance": error_array}[name]
        return cls(
            size.copy(),
            np.where(size > 0, means, np.nan),
            np.where(size > 1, square, np.nan),
            named_factors(factors, size.shape),
            outcome,
        )

    @classmethod
    def stack(cls, studies: Sequence[Cells]) -> Cells:
        """Stack studies of one design along a new first axis, so that a test of all is one array operation.

        Parameters
        ----------
        studies
            Summaries with the same factors and levels.
        """
        first_study = studies[0]
        for later_study in studies[1:]:
            if later_study.factors != first_study.factors:
                raise DesignError("only studies with the same factors and levels stack")
        offset = np.stack([study.offset + (study.origin - first_study.origin) for study in studies])
        n, variance = (np.stack([getattr(study, name) for study in studies]) for name in ("n", "variance"))
        missing = sum(study.missing for study in studies)
        return cls(n, offset, variance, first_study.factors, first_study.outcome, first_study.origin, missing)

    def __add__(self, other: Cells) -> Cells:
        """Merge with the summary of other rows of the same study: the result is the summary of all rows.

        Levels that only one side has are kept. Chan, Golub and LeVeque (1983), The American Statistician 37, eq. 2.1.
        """
        factors, (first_codes, second_codes) = aligned(self.factors, other.factors)
        shape = tuple(len(factor) for factor in factors)
        n1, n2 = placed(self.n, first_codes, shape), placed(other.n, second_codes, shape)
        mean1 = placed(np.nan_to_num(self.offset), first_codes, shape)
        mean2 = placed(np.nan_to_num(other.offset) + (other.origin - self.origin) * (other.n > 0), second_codes, shape)
        n = n1 + n2
        # Chan, Golub and LeVeque: squares of both parts, and those between their means.
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(n > 0, mean1 + (mean2 - mean1) * n2 / n, np.nan)
            between_squares = np.where(n > 0, (mean2 - mean1) ** 2 * n1 * n2 / n, 0.0)
            ss = placed(self.ss, first_codes, shape) + placed(other.ss, second_codes, shape) + between_squares
            variance = np.where(n > 1, ss / (n - 1), np.nan)
        return Cells(n, mean, variance, factors, self.outcome, self.origin, self.missing + other.missing)

    def marginal(self, keep: str | Sequence[str]) -> Cells:
        """Pool the rows over the factors that are not kept: the summary as if the others had not been recorded.

        Parameters
        ----------
        keep
            The names of the factors that stay.

        Returns
        -------
        Cells
            Cells with one axis a factor that stays.
        """
        names = names_of(keep)
        axes_kept = [place_of(self.factors, name) for name in names]
        n_leading = len(self.studies)
        axes = tuple(n_leading + i for i in range(len(self.factors)) if i not in axes_kept)
        n = self.n.sum(axis=axes)
        means = np.nan_to_num(self.offset)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(n > 0, (self.n * means).sum(axis=axes) / n, np.nan)
            centre = np.expand_dims(np.nan_to_num(mean), axes)
            # Squares within the pooled cells, and of their means about the pooled mean.
            ss = (self.ss + self.n * (means - centre) ** 2).sum(axis=axes)
            variance = np.where(n > 1, ss / (n - 1), np.nan)
        axis_order = sorted(axes_kept)
        order = tuple(range(n_leading)) + tuple(n_leading + axis_order.index(axis) for axis in axes_kept)
        n, mean, variance = (array.transpose(order) for array in (n, mean, variance))
        factors = tuple(self.factors[axis] for axis in axes_kept)
        return Cells(n, mean, variance, factors, self.outcome, self.origin, self.missing)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a cell: the factors' levels, n, mean, sd, se. For a single study.

        Returns
        -------
        DataFrame
            Mean, SD and SE are in units of the outcome.
        """
        return cell_frame(self.factors, {"n": self.n, "mean": self.mean, "sd": self.sd, "se": self.se})


def _moments(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """n, mean and variance along the last axis, by two passes with a correction of the mean."""
    n, no_values = values.shape[-1], np.full(values.shape[:-1], np.nan)
    size = np.full(values.shape[:-1], float(n))
    if n == 0:
        return size, no_values, no_values
    mean = values.mean(axis=-1, keepdims=True)
    mean = mean + (values - mean).mean(axis=-1, keepdims=True)
    variance = ((values - mean) ** 2).sum(axis=-1) / (n - 1) if n > 1 else no_values
    return size, mean[..., 0], np.asarray(variance)


def _reduce(
    y: FloatArray, cell: npt.NDArray[np.intp], factors: tuple[Factor, ...], outcome: str, missing: int
) -> Cells:
    """Two passes over deviations from the first value: exact to the last digits also for data far from zero."""
    shape = tuple(len(factor) for factor in factors)
    size = int(np.prod(shape, dtype=np.intp))
    origin = float(y[0]) if len(y) else 0.0
    shifts = y - origin
    n = np.bincount(cell, minlength=size).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(cell, shifts, size) / n
        deviations = shifts - mean[cell]
        correction = np.bincount(cell, deviations, size) / n
        ss = np.bincount(cell, deviations * deviations, size) - n * correction**2
        variance = np.where(n > 1, ss / (n - 1), np.nan)
    mean += correction
    return Cells(n.reshape(shape), mean.reshape(shape), variance.reshape(shape), factors, outcome, origin, missing)


def _reduce_in_engine(cls: type[Cells], frame: Any, outcome: str, names: list[str]) -> Cells:
    """One group-by of the engine; it computes the variances (polars, DuckDB and Spark use Welford's update)."""
    aggregates: Mapping[str, tuple[str, Function]] = {
        "__n": ("__y", "count"), "__mean": ("__y", "mean"), "__variance": ("__y", "var"),
    }  # fmt: skip
    rows, factors, cell, missing = group_in_engine(frame, names, outcome, aggregates)
    if not np.isfinite(rows["__mean"]).all():
        raise DesignError(f"the outcome {outcome!r} is infinite in some row; leave such rows out")
    shape = tuple(len(factor) for factor in factors)
    n, mean, variance = np.zeros(shape), np.full(shape, np.nan), np.full(shape, np.nan)
    for name, array in (("__n", n), ("__mean", mean), ("__variance", variance)):
        array.flat[cell] = rows[name].to_numpy(dtype=np.float64)
    variance[n < 2] = np.nan
    return cls(n, mean, variance, factors, outcome, 0.0, missing)
