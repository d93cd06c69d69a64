"""How the arrays of a summary are laid out: factors on the last axes, studies in front; alignment of two summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.stats.results.numbers import FloatArray, floats
from negstats.stats.summaries.frames import Factor


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
        kind = "a dict, which holds one sample a level" if isinstance(samples, Mapping) else "plain numbers"
        argument, name = next(iter(names.items()))
        raise DesignError(
            f"{argument} names {shown(name)}, and the data are {kind}; leave out {', '.join(names)}, or for columns "
            "give a frame: pandas.DataFrame(data)"
        )


def check_own_outcome(summary: Any, outcome: str | None) -> None:
    """Raise DesignError for an outcome that is not the summary's own: it cannot be another one's."""
    if outcome is not None and outcome != summary.outcome:
        raise DesignError(
            f"outcome is {shown(outcome)}, and the {type(summary).__name__} were made of {summary.outcome!r}; leave "
            "out outcome"
        )


def check_shape(n: FloatArray, factors: tuple[Factor, ...]) -> None:
    levels = tuple(len(factor) for factor in factors)
    if n.shape[n.ndim - len(factors) :] != levels or n.ndim < len(factors):
        raise DesignError(f"the table has the shape {n.shape}, but the factors have {levels} levels")


def named_factors(factor_levels: Mapping[str, Sequence[str]] | None, shape: tuple[int, ...]) -> tuple[Factor, ...]:
    if factor_levels is None:
        return tuple(
            Factor(f"factor_{place}", tuple(map(str, range(1, size + 1)))) for place, size in enumerate(shape, start=1)
        )
    return tuple(Factor(name, tuple(map(str, levels))) for name, levels in factor_levels.items())


def place_of(factors: tuple[Factor, ...], name: str) -> int:
    for place, factor in enumerate(factors):
        if factor.name == name:
            return place
    raise DesignError(f"there is no factor {name!r}; there are {', '.join(factor.name for factor in factors)}")


def aligned(
    first: tuple[Factor, ...], second: tuple[Factor, ...]
) -> tuple[tuple[Factor, ...], tuple[list[npt.NDArray[np.intp]], list[npt.NDArray[np.intp]]]]:
    """Factors with the levels of both, and where each side's levels stand in them."""
    if [factor.name for factor in first] != [factor.name for factor in second]:
        names = [", ".join(factor.name for factor in side) for side in (first, second)]
        raise DesignError(f"only summaries of the same factors add up; got ({names[0]}) and ({names[1]})")
    factors, first_places, second_places = [], [], []
    for one, two in zip(first, second, strict=True):
        levels = list(dict.fromkeys([*one.levels, *two.levels]))
        factors.append(Factor(one.name, tuple(levels)))
        first_places.append(np.array([levels.index(level) for level in one.levels], dtype=np.intp))
        second_places.append(np.array([levels.index(level) for level in two.levels], dtype=np.intp))
    return tuple(factors), (first_places, second_places)


def placed(
    values: FloatArray, places: Sequence[npt.NDArray[np.intp]], shape: tuple[int, ...], fill: float
) -> FloatArray:
    """`values` written into a larger table of the given shape (behind the studies' axes)."""
    lead = values.shape[: values.ndim - len(shape)]
    table = np.full((*lead, *shape), fill)
    index: tuple[Any, ...] = (..., *np.ix_(*places))
    table[index] = values
    return table


def cell_frame(factors: tuple[Factor, ...], columns: Mapping[str, FloatArray]) -> pd.DataFrame:
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
        has = "1 level" if len(factor) == 1 else f"{len(factor)} levels"
        raise DesignError(f"{what} compares two groups, but {factor.name!r} has {has}: {names}{hint}")
    if isinstance(levels, str) or not isinstance(levels, Sequence | np.ndarray | pd.Index):
        raise DesignError(f"levels is {shown(levels)}; name two levels of {factor.name!r}, such as ('a', 'b')")
    pair = [str(level) for level in levels]
    if len(pair) != 2 or pair[0] == pair[1]:
        raise DesignError(f"levels is {tuple(levels)!r}; name two different levels of {factor.name!r}")
    for level in pair:
        if level not in factor.levels:
            raise DesignError(f"{factor.name!r} has no level {level!r}; it has {', '.join(map(repr, factor.levels))}")
    return factor.levels.index(pair[0]), factor.levels.index(pair[1])
