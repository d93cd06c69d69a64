"""What the tests of relations take: `Moments`, or columns of a frame of any engine, or arrays by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from negstats.errors import DesignError, NotEstimable
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.summaries import Moments
from negstats.stats.summaries.codes import IntArray
from negstats.stats.summaries.frames import as_pandas, check_columns, is_lazy, level_codes, numbers


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
    whole = ~np.isnan(values).any(axis=1) & (code >= 0)
    if not whole.any():
        raise DesignError(f"no row has a value in every column of {', '.join([*names, cluster])}")
    return values[whole], np.unique(code[whole], return_inverse=True)[1], int((~whole).sum())


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
    flat = ~(np.sqrt(np.maximum(variance, 0)) > ROUNDING * np.abs(moments.mean))
    if moments.n.ndim == 0 and moments.n < 2:
        raise NotEstimable(f"n is {int(moments.n)}; a correlation needs at least 3 complete rows")
    if flat.ndim == 1 and flat.any():
        name = moments.variables.levels[int(flat.argmax())]
        raise NotEstimable(f"{name!r} is constant; nothing can be related to a constant")
    sd = np.sqrt(np.where(flat, np.nan, variance))
    matrix = moments.covariance / sd[..., :, None] / sd[..., None, :]
    matrix = np.clip(matrix, -1, 1)
    every = np.arange(matrix.shape[-1])
    matrix[..., every, every] = np.where(flat, np.nan, 1.0)
    return np.asarray(matrix)


def ranks_of(values: FloatArray) -> FloatArray:
    """Return the ranks in each column, ties at their mean.

    As `scipy.stats.rankdata`, whose import takes longer than a report needs for its tests.
    """
    return np.asarray(pd.DataFrame(values).rank(), dtype=np.float64)
