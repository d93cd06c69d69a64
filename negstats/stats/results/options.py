"""What the arguments of the tests may say: a choice from a list, a side, a coefficient, a single study."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from negstats.errors import DesignError, meant, shown
from negstats.stats.results.numbers import FloatArray, Number

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")


def check_choice(argument: str, value: object, choices: Sequence[str]) -> None:
    """Raise DesignError unless `value` is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise DesignError(
            f"{argument} is {shown(value)}; choose {', '.join(map(repr, choices[:-1]))} or {choices[-1]!r}"
        )


def find_name(name: object, names: Sequence[object], there_is_no: str, there_are: str = "there are") -> int:
    """Return the place of a name; DesignError where it is not there, in the words that are given."""
    if name not in names:
        raise DesignError(f"{there_is_no} {shown(name)}; {meant(name, names, there_are)}")
    return names.index(name)


def find_coefficient(name: str, names: Sequence[str]) -> int:
    """Return the place of a model's coefficient; DesignError if it has none of that name."""
    return find_name(name, names, "the model has no coefficient", "it has")


def check_one_study(stack: object, what: str) -> None:
    """Raise DesignError for a stack of studies, whose shape or number of dimensions is told."""
    if stack:
        raise DesignError(f"{what}; take one from the stack")


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
    value, degrees = np.asarray(t, dtype=np.float64), np.asarray(df, dtype=np.float64)
    tail = {"two-sided": -np.abs(value), "greater": -value, "less": value}[alternative]
    p = np.where(np.isinf(degrees), scipy.special.ndtr(tail), scipy.special.stdtr(degrees, tail))
    return np.asarray(2 * p if alternative == "two-sided" else p)


def f_tails(f: npt.ArrayLike, df1: npt.ArrayLike, df2: npt.ArrayLike) -> FloatArray:
    """Return p of F; of chi-squared, df1 times F, where the second degrees of freedom are infinite.

    Examples
    --------
    >>> f_tails([4.0, 4.0], 1, [10, np.inf]).round(4).tolist()
    [0.0734, 0.0455]
    """
    value, df1_array, df2_array = (np.asarray(number, dtype=np.float64) for number in (f, df1, df2))
    return np.asarray(
        np.where(
            np.isinf(df2_array),
            scipy.special.chdtrc(df1_array, df1_array * value),
            scipy.special.fdtrc(df1_array, df2_array, value),
        )
    )


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
