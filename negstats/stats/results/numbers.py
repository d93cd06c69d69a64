"""The numbers of results: a float for one study, an array for a stack of studies, and when a spread counts as zero."""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, shown

FloatArray: TypeAlias = npt.NDArray[np.float64]

# A float for one study; an array with one entry a study where the summary was a stack of studies.
Number: TypeAlias = float | FloatArray

# An SD below so many units of the last place of the mean that it was taken about is rounding, not spread.
ROUNDING = 8 * float(np.finfo(np.float64).eps)


def plain(value: npt.ArrayLike) -> Number:
    """Return a float for a single number and an array of floats for several.

    Examples
    --------
    >>> plain(np.float64(2.5))
    2.5
    """
    array = np.asarray(value, dtype=np.float64)
    return float(array) if array.ndim == 0 else array


def shared(values: FloatArray) -> FloatArray:
    """Return the first of a stack if all are the same one in memory (a broadcast), as a stack of one; else all.

    What is computed of it broadcasts against the rest of the stack.

    Examples
    --------
    >>> shared(np.broadcast_to([2.0, 3.0], (1000, 2))).shape
    (1, 2)
    """
    return values[:1] if values.ndim > 1 and values.strides[0] == 0 else values


def sums(values: FloatArray) -> FloatArray:
    """Return the sums over the last axis; those of a stack by einsum, in a fifth of numpy's time over a short axis.

    Examples
    --------
    >>> sums(np.ones((2, 3))).tolist()
    [3.0, 3.0]
    """
    return np.asarray(values.sum() if values.ndim == 1 else np.einsum("...i->...", values))


def several(values: FloatArray, *, whole: bool = False) -> tuple[Number, ...]:
    """Return the numbers along the last axis, each as `plain` does; with `whole` as int, if all are whole.

    Examples
    --------
    >>> several(np.array([2.5, 3.0])), several(np.array([2.0, 3.0]), whole=True)
    ((2.5, 3.0), (2, 3))
    """
    if values.ndim > 1:
        return tuple(np.moveaxis(values, -1, 0))
    if whole and np.array_equal(values, np.floor(values)):
        values = values.astype(np.int64)
    return tuple(values.tolist())


def floats(what: str, values: Any) -> FloatArray:
    """Return numbers or truth values as an array of floats, NaN where one is missing or masked.

    Raises
    ------
    DesignError
        If they are text, dates or anything else that is not a real number; `what` says which they were.

    Examples
    --------
    >>> floats("n", [1, None, 3]).tolist()
    [1.0, nan, 3.0]
    """
    if isinstance(values, np.ma.MaskedArray):
        values = np.where(np.ma.getmaskarray(values), np.nan, floats(what, values.data))
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):
        array = np.asarray("")
    if array.dtype.kind in "biuf":
        return np.asarray(array, dtype=np.float64)
    import pandas as pd  # here alone: to import it takes longer than to audit a text

    if array.dtype.kind == "O" and all(
        value is None or isinstance(value, Real | Decimal | np.bool_) or value is pd.NA for value in array.flat
    ):
        return np.array(
            [np.nan if value is None or value is pd.NA else value for value in array.flat], dtype=np.float64
        ).reshape(array.shape)
    raise DesignError(f"{what} is not numeric: {shown(values)}; give numbers")


def settled(values: FloatArray) -> npt.NDArray[np.intp]:
    """Return which of ascending distinct values are one: equal codes for those that rounding alone tells apart.

    A value ties with the next if they differ by no more than 8 units of the last place, as .1 + .2 and .3 do; values
    that are all whole are exact, and tie with none.

    Examples
    --------
    >>> settled(np.array([0.3, 0.1 + 0.2, 0.5])).tolist()
    [0, 0, 1]
    """
    is_step = np.diff(values) > ROUNDING * np.maximum(np.abs(values[1:]), np.abs(values[:-1]))
    if is_step.all() or np.array_equal(values, np.round(values)):
        return np.arange(len(values))
    return np.append(0, np.cumsum(is_step))


def number(value: Any) -> float | None:
    """Return a plain float, None for one that is not finite.

    Examples
    --------
    >>> number(0.1), number(float("nan"))
    (0.1, None)
    """
    as_float = float(value)
    return as_float if math.isfinite(as_float) else None
