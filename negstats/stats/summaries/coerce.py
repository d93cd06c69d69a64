"""One rule for what every test takes: a summary or samples by name, a frame of any engine, and which part of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from negstats.errors import DesignError, NotEstimable
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.summaries import Cells, Counts, Moments, Rows, ValueCounts
from negstats.stats.summaries.cells import check_own_outcome, check_samples, sample_of, two_levels
from negstats.stats.summaries.frames import (
    By,
    Factor,
    IntArray,
    as_pandas,
    check_columns,
    is_lazy,
    level_codes,
    numbers,
)
from negstats.stats.summaries.subjects import complete_subjects

Summary = TypeVar("Summary", Cells, ValueCounts)


def _need_outcome(outcome: str | None) -> str:
    if outcome is None:
        raise DesignError("outcome is not given; with a frame, name the column that was measured")
    return outcome


def as_cells(data: Any, outcome: str | None = None, by: By = None) -> Cells:
    """Return `Cells` from Cells, ValueCounts, a mapping of level to sample, or a frame with `outcome` and `by`."""
    if isinstance(data, Cells | ValueCounts):
        check_own_outcome(data, outcome)
        return data if isinstance(data, Cells) else data.cells()
    if isinstance(data, Mapping):
        check_samples(data, outcome=outcome, by=by)
        return Cells.from_samples(data)
    return Cells.from_frame(data, _need_outcome(outcome), () if by is None else by)


def as_values(data: Any, outcome: str | None = None, by: By = None) -> ValueCounts:
    """Return `ValueCounts` from ValueCounts, a mapping of level to sample, or a frame with `outcome` and `by`."""
    if isinstance(data, ValueCounts):
        check_own_outcome(data, outcome)
        return data
    if isinstance(data, Cells):
        raise DesignError("means and variances do not give ranks; give raw data or ValueCounts")
    if isinstance(data, Mapping):
        check_samples(data, outcome=outcome, by=by)
        return ValueCounts.from_samples(data)
    return ValueCounts.from_frame(data, _need_outcome(outcome), () if by is None else by)


def as_counts(data: Any, by: By = None) -> Counts:
    """Return `Counts` from Counts, a nested sequence or array, or a frame whose rows are counted."""
    if isinstance(data, Counts):
        return data
    if by is None:
        return Counts.from_table(data)
    return Counts.from_frame(data, by)


def as_moments(data: Any, outcome: str | None, within: str | None, subject: str | None, between: By = None) -> Moments:
    """Return `Moments` from Moments, or a long frame with the columns `outcome`, `within`, `subject` and `between`."""
    if isinstance(data, Moments):
        check_own_outcome(data, outcome)
        return data
    if within is None or subject is None:
        raise DesignError("with a frame, within and subject name the repeated factor and the subjects' ids; give both")
    return Moments.from_frame(data, _need_outcome(outcome), within, subject, () if between is None else between)


def one_factor(summary: Summary, by: str | None, what: str) -> Summary:
    """Return a summary of one factor: as it is, or pooled over all factors but `by`."""
    names = [factor.name for factor in summary.factors]
    if by is not None and names != [by]:
        return summary.marginal(by)
    if len(names) != 1:
        raise DesignError(f"{what} needs one factor; the data have {', '.join(map(repr, names)) or 'none'}; set by=")
    return summary


def one_sample(data: Any, outcome: str | None = None) -> Cells:
    """Return cells without a factor, from cells, a frame or plain numbers of shape ``(*studies, n)``."""
    if isinstance(data, Sequence | np.ndarray) and not isinstance(data, str):
        check_samples(data, outcome=outcome)
        data = {"sample": data}
    cells = as_cells(data, outcome)
    if not cells.factors:
        return cells
    if cells.shape != (1,):
        raise DesignError(
            f"a single sample is needed, but the data have the factor {cells.factors[0].name!r} with the levels "
            f"{', '.join(map(repr, cells.factors[0].levels))}"
        )
    return cells.marginal(())


def as_subjects(
    data: Any,
    outcome: str | None,
    within: str | None,
    subject: str | None,
    levels: Sequence[object] | None = None,
) -> Rows:
    """Return the complete subjects of a long frame, of `Rows`, or of samples by name whose places are the subjects.

    A subject that lacks a measure is left out whole and counted.

    Raises
    ------
    DesignError
        If columns are not named, samples differ in length, or a subject has two rows for one level.
    """
    if isinstance(data, Cells | Moments):
        raise DesignError(f"{type(data).__name__} hold means, not the subjects' values that ranks need; give raw data")
    if isinstance(data, Rows):
        check_own_outcome(data, outcome)
        return _select_levels(data, levels)
    if isinstance(data, Mapping):
        check_samples(data, outcome=outcome, within=within, subject=subject)
        return _pair_samples(data, levels)
    if outcome is None or within is None or subject is None:
        raise DesignError("with a frame, outcome, within and subject name the measured column, the factor and the ids")
    complete = complete_subjects(data, outcome, within, subject, levels=levels)
    return Rows.of_subjects(complete.y, complete.measures, subject, outcome, complete.missing)


def as_pairs(
    data: Any,
    outcome: str | None,
    within: str | None,
    subject: str | None,
    levels: Sequence[object] | None,
    what: str,
) -> Rows:
    """Return two measures as `as_subjects` does, first and second as in `levels`.

    Raises
    ------
    DesignError
        As `as_subjects`, or if there are not two levels.
    """
    subjects = as_subjects(data, outcome, within, subject, levels)
    (measures,) = subjects.factors
    level_indices = list(two_levels(measures, levels, what))
    if level_indices == list(range(len(measures))):
        return subjects
    factor = Factor(measures.name, tuple(measures.levels[level_index] for level_index in level_indices))
    return Rows.of_subjects(
        subjects.wide()[..., level_indices], factor, subjects.clusters, subjects.outcome, subjects.missing
    )


def _select_levels(rows: Rows, levels: Sequence[object] | None) -> Rows:
    if len(rows.factors) != 1:
        raise DesignError(f"repeated measures have one factor; the rows have {len(rows.factors)}")
    (measures,) = rows.factors
    y = rows.wide()
    if levels is None:
        return rows
    names = {str(level) for level in levels}
    level_indices = [level_index for level_index, level in enumerate(measures.levels) if level in names]
    factor = Factor(measures.name, tuple(measures.levels[level_index] for level_index in level_indices))
    return Rows.of_subjects(y[..., level_indices], factor, rows.clusters, rows.outcome, rows.missing)


def _pair_samples(samples: Mapping[str, Any], levels: Sequence[object] | None) -> Rows:
    names = None if levels is None else {str(level) for level in levels}
    arrays = {
        str(level): sample_of(values, level)
        for level, values in samples.items()
        if names is None or str(level) in names
    }
    factor = Factor("measure", tuple(arrays))
    if len({values.shape for values in arrays.values()}) > 1:
        sizes = ", ".join(f"{level!r} {values.shape[-1]}" for level, values in arrays.items())
        raise DesignError(f"paired samples differ in length: {sizes}; give each subject one in each, NaN if missing")
    # A subject is a place in each sample; it counts where no sample lacks it.
    y = np.stack(list(arrays.values()), axis=-1) if arrays else np.empty((0, 0))
    is_complete = ~np.isnan(y).any(axis=-1)
    if is_complete.all():
        return Rows.of_subjects(y, factor)
    if y.ndim > 2:
        raise DesignError("a stack of samples has missing values; leave them out before")
    return Rows.of_subjects(y[is_complete], factor, missing=int((~is_complete).sum()))


def as_frame(data: Any, names: Sequence[str], what: str) -> pd.DataFrame:
    """Return the named columns as a pandas frame; `what` names the arguments that named them.

    Raises
    ------
    DesignError
        If a column is not there or named twice, arrays differ in length, or the data are a summary.
    """
    if isinstance(data, Moments):
        raise DesignError("Moments hold no rows, which this needs (ranks, robust errors and formulas do); give a frame")
    if isinstance(data, Mapping):
        sizes = {str(name): np.size(values) for name, values in data.items()}
        if len(set(sizes.values())) > 1:
            raise DesignError(
                f"the columns differ in length ({', '.join(f'{name!r} {size}' for name, size in sizes.items())}); "
                "give each unit one value in each, NaN if missing"
            )
        data = pd.DataFrame({str(name): np.asarray(values) for name, values in data.items()})
    check_columns(data, list(names), what)
    return as_pandas(data, names)


def complete(data: Any, names: Sequence[str], what: str) -> tuple[FloatArray, int]:
    """Return the complete rows of numeric columns, shape ``(rows, columns)``, and how many rows lacked a value."""
    frame = as_frame(data, names, what)
    columns = [numbers(frame[name], name) for name in names]
    has_missing = np.logical_or.reduce([np.isnan(column) for column in columns])
    missing = int(has_missing.sum())
    if missing == len(has_missing):
        raise DesignError(f"no row has a value in every column of {', '.join(names)}")
    y = np.array(columns).T
    return (y[~has_missing] if missing else y), missing


def complete_in_clusters(data: Any, names: Sequence[str], cluster: str, what: str) -> tuple[FloatArray, IntArray, int]:
    """Return the complete rows of numeric columns, the cluster of each from 0, and how many rows lacked a value."""
    frame = as_frame(data, [*names, cluster], what)
    values = np.stack([numbers(frame[name], name) for name in names], axis=-1)
    code = np.asarray(level_codes(frame[cluster])[0])
    is_complete = ~np.isnan(values).any(axis=1) & (code >= 0)
    if not is_complete.any():
        raise DesignError(f"no row has a value in every column of {', '.join([*names, cluster])}")
    return values[is_complete], np.unique(code[is_complete], return_inverse=True)[1], int((~is_complete).sum())


def moments_of(data: Any, names: Sequence[str], what: str) -> Moments:
    """Return the moments of the named variables, in this order: of a summary a part, of rows the complete ones."""
    if is_lazy(data):
        data = Moments.from_columns(data, names)
    if not isinstance(data, Moments):
        y, missing = complete(data, names, what)
        return replace(Moments.from_array(y, names, within="variable"), missing=missing)
    if data.factors:
        raise DesignError(
            f"the moments are grouped by {data.factors[0].name!r}; give those of all units, or of one group at a time"
        )
    for name in names:
        if list(names).count(name) > 1:
            raise DesignError(f"the variable {name!r} is named twice; {what} name different variables")
    return data.only(names)


def standardized(moments: Moments) -> FloatArray:
    """Return the correlation matrix, shape ``(*studies, k, k)``; NaN for a study in which a variable is constant.

    Raises
    ------
    NotEstimable
        If a variable of a single study is constant, or there are fewer than two units.
    """
    variance = np.einsum("...ii->...i", moments.covariance)
    is_constant = ~(np.sqrt(np.maximum(variance, 0)) > ROUNDING * np.abs(moments.mean))
    if moments.n.ndim == 0 and moments.n < 2:
        raise NotEstimable(f"n is {int(moments.n)}; a correlation needs at least 3 complete rows")
    if is_constant.ndim == 1 and is_constant.any():
        name = moments.variables.levels[int(is_constant.argmax())]
        raise NotEstimable(f"{name!r} is constant; nothing can be related to a constant")
    sd = np.sqrt(np.where(is_constant, np.nan, variance))
    matrix = moments.covariance / sd[..., :, None] / sd[..., None, :]
    matrix = np.clip(matrix, -1, 1)
    diagonal = np.arange(matrix.shape[-1])
    matrix[..., diagonal, diagonal] = np.where(is_constant, np.nan, 1.0)
    return np.asarray(matrix)


def ranks_of(values: FloatArray) -> FloatArray:
    """Return the ranks in each column, ties at their mean.

    As `scipy.stats.rankdata`, whose import takes longer than a report needs for its tests.
    """
    return np.asarray(pd.DataFrame(values).rank(), dtype=np.float64)
