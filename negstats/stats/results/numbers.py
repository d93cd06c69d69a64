"""The numbers of results, one study or a stack, and what the arguments of tests may say: choices, sides, names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc, fdtrc, ndtr, stdtr

from negstats.errors import DesignError, meant, shown

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
    plain = float(value)
    return plain if math.isfinite(plain) else None


Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")


def check_choice(argument: str, value: object, choices: Sequence[str]) -> None:
    """Raise DesignError unless `value` is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise DesignError(
            f"{argument} is {shown(value)}; choose {', '.join(map(repr, choices[:-1]))} or {choices[-1]!r}"
        )


def find_coefficient(name: str, names: Sequence[str]) -> int:
    """Return the place of a model's coefficient; DesignError if it has none of that name."""
    if name not in names:
        raise DesignError(f"the model has no coefficient {shown(name)}; {meant(name, names, 'it has')}")
    return names.index(name)


def sides(confidence_level: float, alternative: Alternative) -> tuple[float, float]:
    """Return the tail areas below and above an interval; 0 on the side that a one-sided test leaves open.

    Examples
    --------
    >>> low, high = sides(0.9, "greater")
    >>> round(low, 12), high
    (0.1, 0.0)
    """
    alpha = 1 - confidence_level
    return {"two-sided": (alpha / 2, alpha / 2), "greater": (alpha, 0.0), "less": (0.0, alpha)}[alternative]


def t_tails(t: npt.ArrayLike, df: npt.ArrayLike = np.inf, alternative: Alternative = "two-sided") -> FloatArray:
    """Return the p of t; of z where the degrees of freedom are infinite.

    Examples
    --------
    >>> t_tails([2.0, 2.0], [10, np.inf]).round(4).tolist()
    [0.0734, 0.0455]
    """
    value, free = np.asarray(t, dtype=np.float64), np.asarray(df, dtype=np.float64)
    tail = {"two-sided": -np.abs(value), "greater": -value, "less": value}[alternative]
    p = np.where(np.isinf(free), ndtr(tail), stdtr(free, tail))
    return np.asarray(2 * p if alternative == "two-sided" else p)


def f_tails(f: npt.ArrayLike, df1: npt.ArrayLike, df2: npt.ArrayLike) -> FloatArray:
    """Return p of F; of chi-squared, df1 times F, where the second degrees of freedom are infinite.

    Examples
    --------
    >>> f_tails([4.0, 4.0], 1, [10, np.inf]).round(4).tolist()
    [0.0734, 0.0455]
    """
    value, first, second = (np.asarray(number, dtype=np.float64) for number in (f, df1, df2))
    return np.asarray(np.where(np.isinf(second), chdtrc(first, first * value), fdtrc(first, second, value)))


def check_rng(rng: object) -> np.random.Generator:
    """Return a generator, or raise DesignError: a seed alone would hide where the randomness comes from."""
    if not isinstance(rng, np.random.Generator):
        raise DesignError(f"rng is {shown(rng)}; give a generator such as np.random.default_rng(1)")
    return rng


def check_count(argument: str, value: Any, least: int) -> int:
    """Return a whole number, 1e3 as 1000; DesignError if it is none or below `least`."""
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if not number.is_integer() or number < least:
        raise DesignError(f"{argument} is {shown(value)}; give a whole number, at least {least}")
    return int(value)


def check_number(argument: str, value: Any) -> float:
    """Return a finite number as a float; DesignError for anything else."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise DesignError(f"{argument} is {shown(value)}; give a finite number")
    return float(value)


def check_share(argument: str, value: Any, example: float, most: float = 1.0) -> float:
    """Return a number above 0 and below `most` as a float; DesignError for anything else."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < most:
        raise DesignError(f"{argument} is {shown(value)}; give a number between 0 and {most:g} such as {example:g}")
    return float(value)


def check_single(value: Number, what: str) -> None:
    """Raise DesignError if `value` belongs to a stack of studies, of which no sentence can be printed."""
    if np.ndim(value):
        raise DesignError(f"{what} prints one study, and this result holds {np.size(value)}; use to_frame()")


def count(value: npt.ArrayLike) -> Number:
    """Return an int for one whole number and an array for several."""
    array = np.asarray(value, dtype=np.float64)
    if array.ndim:
        return array
    return int(array) if float(array).is_integer() else float(array)
