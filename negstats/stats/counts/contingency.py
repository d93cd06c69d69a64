"""What the tests of counts share: any kind of table taken in and checked, and the sentences that are said about it.

A table cannot show whether its observations depend on each other. Two players of one game do: count games, or compare
the two with the tests in ``matched``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_single
from negstats.stats.results.result import Result, with_schema
from negstats.stats.summaries import Counts
from negstats.stats.summaries.cells import placed
from negstats.stats.summaries.coerce import as_counts
from negstats.stats.summaries.frames import By, Factor

LOW = 5.0  # Cochran (1954): below this expected count the chi-squared approximation is in doubt


class TableResult(Result):
    """A result that also holds whole tables, which do not fit into its frame of one row a study."""

    __slots__ = ()

    columns: ClassVar[tuple[str, ...]] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row a study with the numbers of the test; the tables stay in the result.

        Returns
        -------
        DataFrame
            Numbers are not rounded.
        """
        values = {name: getattr(self, name) for name in self.columns}
        rows = max((value.size for value in values.values() if isinstance(value, np.ndarray)), default=1)
        flat = {name: value.ravel() if isinstance(value, np.ndarray) else value for name, value in values.items()}
        return with_schema(pd.DataFrame(flat, index=pd.RangeIndex(rows)), f"{type(self).__name__}/1")

    def _one(self, value: Number) -> float:
        """`value` as a float; DesignError if the result holds a stack of studies."""
        check_single(value, "apa()")
        return float(value)


def table(data: Any, by: By = None, dims: Sequence[int] = (2,), *, least: Sequence[int] = (2,)) -> Counts:
    """Return the counts of `data`: Counts, a nested sequence, a cross-table, or a frame whose columns `by` are counted.

    Raises
    ------
    DesignError
        If a count is negative or missing, the table has another number of dimensions than `dims`, or a dimension has
        fewer levels than `least` says (for each, or for all): levels are what can occur, and a column of answers in
        which all are alike has the other level too.
    """
    counts = _read_counts(data, by)
    if len(counts.factors) not in dims:
        number = f"{min(dims)} to {max(dims)}" if len(dims) > 1 else str(dims[0])
        names = ", ".join(repr(factor.name) for factor in counts.factors) or "none"
        raise DesignError(
            f"the table has {len(counts.factors)} dimensions ({names}), and this test takes {number}; name them with "
            "by, sum over the others with Counts.marginal, or mark leading axes as studies with "
            "Counts.from_table(..., stacked=1)"
        )
    for dimension, factor in enumerate(counts.factors):
        if len(factor) < least[min(dimension, len(least) - 1)]:
            level_text = f"one level: {factor.levels[0]!r}" if len(factor) else "no level: there is no complete row"
            raise DesignError(f"{factor.name!r} has {level_text}; a test of counts needs two")
    return counts


def matched_table(data: Any, by: By = None, dims: Sequence[int] = (2,)) -> Counts:
    """Return the counts of measures of the same units, each with every level that occurs in any of them.

    A level that one measure lacks is counted as 0 there: 6 of 6 "yes" before are matched with "no" after.

    Raises
    ------
    DesignError
        As `table`; or if all measures together have one level, or two of several levels have none in common.
    """
    counts = table(data, by, dims, least=(1,))
    levels = _join_levels(counts.factors)
    if all(factor.levels == levels for factor in counts.factors):
        return counts
    levels_of = tuple(Factor(factor.name, levels) for factor in counts.factors)
    level_codes = [
        np.array([levels.index(level) for level in factor.levels], dtype=np.intp) for factor in counts.factors
    ]
    return Counts(placed(counts.n, level_codes, tuple(map(len, levels_of))), levels_of, counts.missing)


def _join_levels(factors: Sequence[Factor]) -> tuple[str, ...]:
    """Return the levels of several measures: in the order of the one that has them all, else by their names."""
    all_levels = tuple(dict.fromkeys(level for factor in factors for level in factor.levels))
    if set(all_levels) <= {"False", "True"}:
        all_levels = ("False", "True")
    if len(all_levels) < 2:
        names = " and ".join(repr(factor.name) for factor in factors)
        raise DesignError(
            f"{names} have one level in all: {all_levels[0]!r}; the other level that can occur is not known"
        )
    for one_factor, other_factor in combinations(factors, 2):
        if len(all_levels) > 2 and not set(one_factor.levels) & set(other_factor.levels):
            raise DesignError(
                f"{one_factor.name!r} ({', '.join(one_factor.levels)}) and {other_factor.name!r} "
                f"({', '.join(other_factor.levels)}) have no level in common; matched pairs are measured with the same "
                "levels"
            )
    # The order is that of a measure with all levels; of two levels that none has, the alphabet's.
    complete = next((factor.levels for factor in factors if len(factor) == len(all_levels)), None)
    return complete or (tuple(sorted(all_levels)) if len(all_levels) == 2 else all_levels)


def _read_counts(data: Any, by: By) -> Counts:
    if isinstance(data, Counts):
        return data if by is None else data.marginal(by)
    if by is None and isinstance(data, pd.DataFrame):
        return _cross_table(data)
    return as_counts(data, by)


def _cross_table(frame: pd.DataFrame) -> Counts:
    """Return the counts of a frame such as pandas.crosstab makes: index and columns are the dimensions."""
    if not all(pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes):
        raise DesignError("the frame holds text; name the columns to count with by")
    rows, columns = _complete_labels(frame.index), _complete_labels(frame.columns)
    n = frame.reindex(index=rows, columns=columns, fill_value=0).to_numpy(dtype=np.float64)
    factors = (*_factors(rows, "rows"), *_factors(columns, "columns"))
    names = [factor.name for factor in factors]
    if len(set(names)) < len(names):
        raise DesignError(f"two dimensions of the cross-table have the same name ({', '.join(names)}); rename one")
    return Counts(n.reshape(tuple(len(factor) for factor in factors)), factors)


def _complete_labels(labels: pd.Index) -> pd.Index:
    """Return a side of a cross-table with every combination of its levels: pandas.crosstab drops the empty ones."""
    if not isinstance(labels, pd.MultiIndex):
        return labels
    used_labels = labels.remove_unused_levels()
    return pd.MultiIndex.from_product(used_labels.levels, names=used_labels.names)


def _factors(labels: pd.Index, default: str) -> list[Factor]:
    if isinstance(labels, pd.MultiIndex):
        return [
            Factor(str(name), tuple(map(str, level))) for name, level in zip(labels.names, labels.levels, strict=True)
        ]
    return [Factor(default if labels.name is None else str(labels.name), tuple(map(str, labels)))]


def totals(counts: Counts) -> FloatArray:
    """Return how many observations each study has, shape ``(*studies,)``."""
    return np.asarray(counts.n.sum(axis=tuple(range(-len(counts.factors), 0))))


def check_filled(counts: Counts, levels: bool = True) -> None:
    """Raise NotEstimable if a single table is empty or (with `levels`) one of its levels is.

    A study of a stack is not refused: a level that it lacks is left out of it, and its df say so.
    """
    if counts.studies:
        return
    if counts.n.sum() == 0:
        raise NotEstimable("the table is empty: all counts are 0")
    for axis, factor in enumerate(counts.factors if levels else ()):
        margin = counts.n.sum(axis=tuple(other_axis for other_axis in range(counts.n.ndim) if other_axis != axis))
        if (margin == 0).any():
            level = factor.levels[int(np.argmax(margin == 0))]
            raise NotEstimable(f"no observation has {factor.name!r} = {level!r}; leave that level out")


def check_one_table(counts: Counts, what: str) -> None:
    """Raise DesignError for a stack of studies."""
    if counts.studies:
        raise DesignError(
            f"{what} takes one table and got a stack of the shape {counts.studies}; loop over the studies"
        )


def check_whole(counts: Counts, what: str) -> None:
    """Raise DesignError if a count is not whole: exact tests count arrangements."""
    fractions = counts.n[counts.n % 1 != 0]
    if fractions.size:
        raise DesignError(f"{what} needs whole counts and got {fractions.flat[0]}; weighted counts have no exact test")


def table_warning(counts: Counts, expected: FloatArray) -> str:
    """Return what speaks against the chi-squared approximation in a single table; empty if nothing does."""
    if counts.studies:
        return ""
    cells = expected[expected > 0]
    n_low = int((cells < LOW).sum())
    warnings = []
    if n_low:
        warnings.append(
            f"{n_low} of {cells.size} expected counts are below 5 (smallest {cells.min():.2f}): prefer an exact test"
        )
    if (counts.n % 1 != 0).any():
        warnings.append("the counts are not whole: the p holds for counts of independent observations only")
    return "; ".join(warnings)


def likelihood_ratio(n: FloatArray, expected: FloatArray, dims: int) -> FloatArray:
    """Return G² = 2 Σ n ln(n/m) over the last `dims` axes; a count of 0 adds 0."""
    total = 2 * special.rel_entr(n, expected).sum(axis=tuple(range(-dims, 0)))
    return np.asarray(np.maximum(total, 0.0))  # rounding can leave −1e-15 for a perfect fit


def pearson(n: FloatArray, expected: FloatArray, dims: int, correction: bool = False) -> FloatArray:
    """Return X² = Σ (n − m)²/m over the last `dims` axes, cells with m = 0 left out; `correction` is Yates's."""
    distances = np.abs(n - expected)
    if correction:
        distances = distances - np.minimum(0.5, distances)
    with np.errstate(divide="ignore", invalid="ignore"):
        cells = np.where(expected > 0, distances**2 / expected, 0.0)
    return np.asarray(cells.sum(axis=tuple(range(-dims, 0))))


def chi2_sf(statistic: npt.ArrayLike, df: npt.ArrayLike) -> Number:
    """Return the upper tail of chi-squared; NaN where df is 0, for there is nothing to test."""
    df = np.asarray(df, dtype=np.float64)
    return plain(np.where(df > 0, special.chdtrc(np.where(df > 0, df, 1.0), np.asarray(statistic)), np.nan))


def normal_p(z: npt.ArrayLike) -> FloatArray:
    """Return the two-sided p of a standard normal."""
    return np.asarray(special.erfc(np.abs(z) / np.sqrt(2)))
