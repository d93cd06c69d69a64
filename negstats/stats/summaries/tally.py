"""`DesignCounts`: which values occur in which group, for more groups and values than a table of both could hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.results.numbers import FloatArray, settled
from negstats.stats.summaries._layout import check_samples, sample_of
from negstats.stats.summaries.cells import Cells
from negstats.stats.summaries.codes import number_codes
from negstats.stats.summaries.frames import Factor, check_columns, group_in_engine, group_pandas, names_of
from negstats.stats.summaries.values import ValueCounts, value_codes

# A table of so many counts (groups times distinct values) is held; larger ones stay a tally.
DENSE = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What `ValueCounts` hold, of one study and one factor, as a list of the counts that are not 0.

    Attributes
    ----------
    values : ndarray, shape (k,)
        The distinct values, ascending.
    cell, code : ndarray of int
        The group and the place in `values` of each entry.
    times : ndarray
        How often that value occurs in that group; entries of one group and value add up.
    factor : Factor
    outcome : str
    missing : int
    """

    values: FloatArray
    cell: npt.NDArray[np.intp]
    code: npt.NDArray[np.intp]
    times: FloatArray
    factor: Factor
    outcome: str
    missing: int

    @property
    def n(self) -> FloatArray:
        """How many observations each group has."""
        return np.asarray(np.bincount(self.cell, self.times, len(self.factor)), dtype=np.float64)

    @property
    def pooled(self) -> FloatArray:
        """How often each value occurs in all groups."""
        return np.asarray(np.bincount(self.code, self.times, len(self.values)), dtype=np.float64)

    @property
    def median(self) -> FloatArray:
        """Median of each group; NaN where it is empty."""
        if not len(self.values):
            return np.full(len(self.factor), np.nan)
        order = np.argsort(self.cell * len(self.values) + self.code, kind="stable")
        cumulative = np.cumsum(self.times[order])
        n = self.n
        rows_before = np.cumsum(n) - n
        ranks = ((n + 1) // 2, n // 2 + 1)
        low, high = (
            self.values[self.code[order[np.minimum(np.searchsorted(cumulative, rows_before + rank), len(order) - 1)]]]
            for rank in ranks
        )
        return np.where(n > 0, (low + high) / 2, np.nan)

    def dense(self) -> ValueCounts:
        """Return the whole table."""
        shape = (len(self.factor), len(self.values))
        n = np.bincount(self.cell * shape[1] + self.code, self.times, shape[0] * shape[1]).reshape(shape)
        return ValueCounts(self.values, np.asarray(n, dtype=np.float64), (self.factor,), self.outcome, self.missing)

    @property
    def is_small(self) -> bool:
        """Whether the whole table is held without a thought."""
        return len(self.factor) * len(self.values) <= DENSE


def tally_of(data: Any, outcome: str | None, by: str | Sequence[str] | None) -> Tally | None:
    """Return the tally of samples by name or of a frame of any engine with one factor; None for everything else."""
    if isinstance(data, Mapping):
        check_samples(data, outcome=outcome, by=by)
        samples = [sample_of(values, level) for level, values in data.items()]
        if not samples or any(values.ndim > 1 for values in samples):
            return None
        cell = np.repeat(np.arange(len(samples)), [len(values) for values in samples])
        factor = Factor(by if isinstance(by, str) else "group", tuple(map(str, data)))
        return _from_rows(np.concatenate(samples), cell, factor, outcome or "outcome", 0)
    if isinstance(data, Cells | ValueCounts) or outcome is None or by is None or len(names_of(by)) != 1:
        return None
    (name,) = names_of(by)
    check_columns(data, [outcome, name])
    if not isinstance(data, pd.DataFrame):
        rows, (factor,), cell, missing = group_in_engine(data, [name], outcome, {}, by_value=True)
        values, code = np.unique(rows["__y"].to_numpy(dtype=np.float64), return_inverse=True)
        if np.isinf(values).any():
            raise DesignError(f"the outcome {outcome!r} is infinite in some row; leave such rows out")
        return _settle(values, cell, code, rows["__rows"].to_numpy(dtype=np.float64), factor, outcome, missing)
    code, values = value_codes(data[outcome], outcome)
    is_known = code >= 0
    groups = group_pandas(data if is_known.all() else data[is_known], None, [name])
    (factor,) = groups.factors
    if groups.missing:
        is_known[is_known] = (
            data.loc[is_known, name].notna().to_numpy() if not is_known.all() else data[name].notna().to_numpy()
        )
    missing = len(data) - len(groups.cell)
    value_code = code if not missing else code[is_known]
    occurs = np.bincount(value_code, minlength=len(values)) > 0
    if not occurs.all():
        value_code, values = (np.cumsum(occurs) - 1)[value_code], values[occurs]
    return _settle(values, groups.cell, value_code, np.ones(len(value_code)), factor, outcome, missing)


def _from_rows(y: FloatArray, cell: npt.NDArray[np.intp], factor: Factor, outcome: str, missing: int) -> Tally:
    is_missing = np.isnan(y)
    if is_missing.any():
        y, cell, missing = y[~is_missing], cell[~is_missing], missing + int(is_missing.sum())
    code, values = number_codes(y)
    return _settle(values, cell, code, np.ones(len(y)), factor, outcome, missing)


def _settle(
    values: FloatArray,
    cell: npt.NDArray[np.intp],
    code: npt.NDArray[Any],
    times: FloatArray,
    factor: Factor,
    outcome: str,
    missing: int,
) -> Tally:
    """Return the tally with those values taken for one that rounding alone tells apart."""
    tie_codes = settled(values)
    if len(values) and tie_codes[-1] + 1 < len(values):
        values, code = values[np.flatnonzero(np.diff(tie_codes, prepend=-1))], tie_codes[code]
    return Tally(values, cell, np.asarray(code, dtype=np.intp), times, factor, outcome, missing)
