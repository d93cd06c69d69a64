"""The frame edge of the statistics: codes of a column, and one group-by that turns any frame into an outcome.

pandas frames go to numpy at once, which is fastest for what fits in memory; every other engine (polars, pyarrow,
DuckDB, PySpark) reduces the rows itself, through narwhals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, meant, shown
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.aggregation import Function, aggregate

IntArray: TypeAlias = npt.NDArray[np.intp]

By: TypeAlias = str | Sequence[str] | None


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor: its name and its levels in order; DesignError for two levels that are written the same.

    `ordered` says whether the data gave the order (numbers, an ordered column, levels in the order that they were
    listed in); text in alphabetical order has none.
    """

    name: str
    levels: tuple[str, ...]
    ordered: bool = field(default=True, compare=False, repr=False)

    def __post_init__(self) -> None:
        if len(set(self.levels)) < len(self.levels):
            repeated = next(level for level in self.levels if self.levels.count(level) > 1)
            raise DesignError(
                f"the factor {self.name!r} has two levels that are both written {repeated!r}; give each level its own "
                "text, and all values of a column one type"
            )

    def __len__(self) -> int:
        return len(self.levels)

    def place(self, level: object) -> int:
        """Return the place of a level.

        Parameters
        ----------
        level
            The level; compared as text.

        Returns
        -------
        int
            Its place in `levels`, from 0.

        Raises
        ------
        DesignError
            If the factor does not have it.
        """
        if str(level) not in self.levels:
            raise DesignError(f"{self.name!r} has no level {str(level)!r}; it has {', '.join(map(repr, self.levels))}")
        return self.levels.index(str(level))


class Crossed:
    """What lies in the cells of crossed factors."""

    __slots__ = ()
    factors: tuple[Factor, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many levels each factor has."""
        return tuple(len(factor) for factor in self.factors)


class Stacked(Crossed):
    """Numbers in cells, of one study or of a stack of studies."""

    __slots__ = ()
    n: FloatArray

    @property
    def studies(self) -> tuple[int, ...]:
        """The shape of the stack: () for one study."""
        return self.n.shape[: self.n.ndim - len(self.factors)]


@dataclass(frozen=True, slots=True)
class Grouped(Crossed):
    """Rows of a frame sorted into cells: `cell` is the flat index of each complete row's cell, `y` its outcome."""

    factors: tuple[Factor, ...]
    cell: npt.NDArray[np.intp]
    y: FloatArray
    missing: int


def is_lazy(data: Any) -> bool:
    """Whether the data are a lazy frame, whose rows stay with an engine unless somebody needs them."""
    if isinstance(data, pd.DataFrame | np.ndarray | Mapping):  # narwhals looks for its plugins before it says so
        return False
    return isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame)


def names_of(by: str | Sequence[str]) -> list[str]:
    """Return the factors' names as a list; raises DesignError if one is named twice or is not a name."""
    names = [by] if isinstance(by, str) else list(by) if isinstance(by, Sequence | pd.Index) else [by]
    for name in names:
        if not isinstance(name, str):
            raise DesignError(
                f"{shown(name)} is of the type {type(name).__name__}; factors are named by text, such as by='agent' or "
                "by=['agent', 'sex'], and so are the columns of a frame (frame.columns = frame.columns.astype(str))"
            )
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise DesignError(f"by names the factor {repeated!r} twice")
    return names


def check_columns(frame: Any, names: Sequence[str], arguments: str = "outcome and by") -> None:
    """Raise DesignError if `frame` lacks a column, naming the closest one, or `arguments` name one of them twice."""
    for name in names:
        if not isinstance(name, str):
            raise DesignError(f"{shown(name)} is not a name; {arguments} name columns by text, such as 'points'")
    try:
        columns = list(frame.columns) if isinstance(frame, pd.DataFrame) else list(_schema(frame).names())
    except TypeError:
        raise DesignError(
            f"the data are not a frame but a {type(frame).__name__}: {shown(frame)}; columns are named with a "
            "frame only"
        ) from None
    for name in names:
        if names.count(name) > 1:
            raise DesignError(f"the column {name!r} is named twice; {arguments} name different columns")
        if columns.count(name) > 1:
            raise DesignError(f"the frame has {columns.count(name)} columns {name!r}; give each its own name")
        if name not in columns:
            raise DesignError(f"the frame has no column {name!r}; {meant(name, columns, 'it has')}")


def level_order(values: Sequence[Any]) -> list[Any]:
    """Return distinct levels in their natural order: numbers by size, text by alphabet, mixed types by their text."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)


def group_pandas(frame: pd.DataFrame, outcome: str | None, by: Sequence[str]) -> Grouped:
    """Sort the complete rows of a pandas frame into the cells of `by`.

    A row with a missing outcome or factor is left out and counted. Levels keep the order of a categorical column, else
    their natural order; levels that no complete row has are not levels.
    """
    check_columns(frame, [*by, *([] if outcome is None else [outcome])])
    is_complete = np.ones(len(frame), dtype=bool)
    y = np.zeros(len(frame))
    if outcome is not None:
        y = numbers(frame[outcome], outcome)
        is_complete &= ~np.isnan(y)
    code_columns = []
    for name in by:
        codes, levels, ordered = level_codes(frame[name])
        is_complete &= codes >= 0
        code_columns.append((name, codes, levels, ordered))
    missing = int(len(is_complete) - is_complete.sum())
    factors, cell = [], np.zeros(len(frame) - missing, dtype=np.intp)
    for name, codes, levels, ordered in code_columns:
        factor, code = coded_factor(name, codes[is_complete] if missing else codes, levels, ordered)
        factors.append(factor)
        cell = cell * len(factor) + code
    return Grouped(tuple(factors), cell, y[is_complete] if missing else y, missing)


def coded_factor(
    name: str, codes: npt.NDArray[Any], levels: Sequence[Any], ordered: bool
) -> tuple[Factor, npt.NDArray[Any]]:
    """Return the factor of those levels that occur, and the codes of rows in it."""
    occurs = np.bincount(codes, minlength=len(levels)) > 0
    if not occurs.all():
        codes = (np.cumsum(occurs) - 1)[codes]
        levels = [level for level, is_there in zip(levels, occurs, strict=True) if is_there]
    return Factor(name, tuple(map(str, levels)), ordered), codes


def as_pandas(frame: Any, names: Sequence[str]) -> pd.DataFrame:
    """Return the named columns of a frame of any engine as a pandas frame."""
    if isinstance(frame, pd.DataFrame):
        return frame[list(names)]
    collected: pd.DataFrame = nw.from_native(frame).lazy().select(list(names)).collect(backend="pandas").to_pandas()
    return collected


def is_number(values: pd.Series) -> bool:
    """Return whether a column is a covariate: real numbers, but no truth values."""
    if values.dtype == object:
        known_values = values.dropna()
        return all(
            isinstance(value, Real | Decimal) and not isinstance(value, bool | np.bool_) for value in known_values
        )
    return pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)


def level_places(values: pd.Series, factor: Factor) -> npt.NDArray[np.intp]:
    """Return the place of each row's level in a factor; DesignError for a level that the factor does not have."""
    text = values.astype("object").map(str)
    unknown_levels = text[~text.isin(factor.levels)]
    if len(unknown_levels):
        raise DesignError(
            f"the factor {factor.name!r} has the level {shown(unknown_levels.iloc[0])}, which the model was not "
            "fitted to"
        )
    codes = text.map({level: code for code, level in enumerate(factor.levels)})
    return np.asarray(codes, dtype=np.intp)


def numbers(values: pd.Series, name: str) -> FloatArray:
    """Return a numeric or boolean column as floats, missing as NaN; DesignError for text, dates and infinities.

    Real numbers in a column of objects (Python's own, or Decimal) are taken as what they are.
    """
    unreadable = None
    if values.dtype == object:
        unreadable = next((value for value in values.dropna() if not isinstance(value, Real | Decimal)), None)
        values = values if unreadable is not None else values.astype("Float64")
    is_real = pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_complex_dtype(values)
    if not (is_real or pd.api.types.is_bool_dtype(values)):
        unreadable = next(iter(values.dropna()), None) if unreadable is None else unreadable
        raise DesignError(f"the outcome {name!r} is not numeric: {shown(unreadable)}; give a column of numbers")
    y = values.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isinf(y).any():
        raise DesignError(f"the column {name!r} is infinite in row {int(np.isinf(y).argmax())}; leave such rows out")
    return y


def level_codes(values: pd.Series) -> tuple[npt.NDArray[Any], list[Any], bool]:
    """Return the code of each row's level (−1 where it is missing), the levels, and whether the data order them.

    Levels keep the order of a categorical column; numbers are ordered by size; text by alphabet, which is not an order.
    """
    if isinstance(values.dtype, pd.CategoricalDtype):
        levels = values.cat.categories.tolist()
        return np.asarray(values.cat.codes), levels, values.cat.ordered or levels != level_order(levels)
    try:
        codes, uniques = pd.factorize(values)  # -1 is missing
    except TypeError:
        raise DesignError(
            f"the factor {values.name!r} holds {shown(values.iloc[0])}; levels are text, numbers or truth values"
        ) from None
    distinct = np.asarray(uniques)
    if distinct.dtype.kind in "iuf":
        by_size = np.argsort(distinct, kind="stable")
        rank = np.empty(len(uniques) + 1, dtype=np.intp)
        rank[by_size], rank[-1] = np.arange(len(uniques)), -1
        return rank[codes], distinct[by_size].tolist(), True
    unsorted = uniques.tolist()  # to go through text of Arrow one by one takes many times as long
    levels = level_order(unsorted)
    code_of = {level: code for code, level in enumerate(levels)}
    order = np.array([*(code_of[level] for level in unsorted), -1], dtype=np.intp)
    return order[codes].astype(np.intp), levels, not any(isinstance(level, str) for level in levels)


def group_in_engine(
    frame: Any,
    by: Sequence[str],
    outcome: str | None,
    aggregates: Mapping[str, tuple[str, Function]],
    *,
    by_value: bool = False,
) -> tuple[pd.DataFrame, tuple[Factor, ...], npt.NDArray[np.intp], int]:
    """Group the rows of a frame by the engine that holds it, and bring home one row a group.

    Parameters
    ----------
    outcome
        The measured column; `aggregates` find it as ``__y``, a float, null where it is missing. If one of them counts
        its values as ``__n``, groups without any are left out.
    aggregates
        The column and the function of each new column, as `aggregate` takes them.
    by_value
        Whether each value of the outcome is a group of its own.

    Returns
    -------
    tuple
        The aggregate (complete groups only, with ``__rows``, and ``__y`` if `by_value`), the factors, the flat place of
        each group in the table of the factors, and the rows that lack a factor or (counted as ``__n``) a value.
    """
    check_columns(frame, [*by, *([] if outcome is None else [outcome])])
    lazy, schema = nw.from_native(frame).lazy(), _schema(frame)
    # Names of our own: an engine's SQL may trip over a dot in a column's name.
    keys = [f"__by_{index}" for index in range(len(by))]
    columns = [nw.col(name).alias(key) for key, name in zip(keys, by, strict=True)]
    if outcome is not None:
        columns.append(measured(schema[outcome], outcome).alias("__y"))
    groups = [*keys, *(["__y"] if by_value else [])]
    if not groups:
        groups, columns = ["__all"], [*columns, nw.lit(1).alias("__all")]
    counts = aggregate(lazy.select(columns), groups, __rows=("__y" if outcome else groups[0], "len"), **aggregates)
    rows = counts.collect(backend="pyarrow").to_pandas()
    n_rows = int(rows["__rows"].sum())
    is_whole = rows[groups].notna().all(axis=1)
    if "__n" in rows:
        is_whole &= rows["__n"] > 0
    rows = rows[is_whole]
    missing = n_rows - int(rows["__n" if "__n" in rows else "__rows"].sum())
    factors, cell = cells_from_engine(rows[keys], by, schema)
    return rows, factors, cell, missing


def cells_from_engine(
    keys: pd.DataFrame, by: Sequence[str], kinds: Mapping[str, Any]
) -> tuple[tuple[Factor, ...], npt.NDArray[np.intp]]:
    """Return the factors `by` of columns that an engine sent home, and the flat place of each row in their table."""
    factors, cell = [], np.zeros(len(keys), dtype=np.intp)
    for (_, column), name in zip(keys.items(), by, strict=True):
        if isinstance(kinds[name], nw.Enum):
            texts = column.astype("object")
            column = pd.Series(pd.Categorical(texts, categories=list(kinds[name].categories), ordered=True))
        factor, code = coded_factor(name, *engine_codes(column, name))
        factors.append(factor)
        cell = cell * len(factor) + code
    return tuple(factors), cell


def engine_codes(column: pd.Series, name: str) -> tuple[npt.NDArray[Any], list[Any], bool]:
    """Return `level_codes` of a column that an engine sent home, whose dictionary is in the order of appearance."""
    if isinstance(column.dtype, pd.CategoricalDtype) and not column.cat.ordered:
        column = column.astype("object")
    return level_codes(column.rename(name))


def _schema(frame: Any) -> nw.Schema:
    schema: nw.Schema = nw.from_native(frame).lazy().collect_schema()
    return schema


def measured(kind: Any, outcome: str) -> nw.Expr:
    """Return the outcome as a float, null where it is missing; DesignError for text."""
    if not (kind.is_numeric() or kind == nw.Boolean):
        raise DesignError(f"the outcome {outcome!r} is not numeric but {kind}; give a column of numbers")
    value = nw.col(outcome) if kind == nw.Float64 else nw.col(outcome).cast(nw.Float64)
    # to null, which the engine's own aggregates leave out
    return nw.when(~value.is_nan()).then(value) if kind.is_float() else value
