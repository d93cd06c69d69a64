"""How measures take any frame (narwhals' lazy form, and the kind that came in back), and rates with their interval.

Every measure is written once, in what narwhals' lazy frames can do, and so runs where the data are: in pandas, polars
(eager or lazy), pyarrow, DuckDB or PySpark. A missing number is null inside, however the engine wrote it (NaN too).
Measures that need arrays collect their (small) tables with `collected` and go back with `returned`.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, TypeAlias, cast

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.errors import SchemaError, UsageError, meant, shown
from negstats.tables import TABLES

Frame: TypeAlias = nw.LazyFrame[Any]


def opened(frame: IntoFrame, table: str, columns: Sequence[str]) -> Frame:
    """Return columns of one of the study's tables in narwhals' form; numbers and truth values become floats.

    Raises
    ------
    UsageError
        If `frame` is not a frame that narwhals knows.
    SchemaError
        If a column is not there.
    """
    if isinstance(frame, pa.Table):  # what pandas noted there of its types would no longer hold
        frame = frame.replace_schema_metadata(None)
    try:
        native_frame: Any = nw.from_native(frame)
    except TypeError:
        raise UsageError(
            f"{table} is {shown(type(frame).__name__)}; a pandas, polars, pyarrow, DuckDB or PySpark frame is needed"
        ) from None
    names = native_frame.collect_schema().names()
    for column in columns:
        if column not in names:
            raise SchemaError(f"the column is not there; {meant(column, names)}", table=table, column=column)
    kind_of_column = {column.name: column.kind for column in TABLES[table].columns}
    numbers = [name for name in dict.fromkeys(columns) if kind_of_column.get(name) in {"number", "boolean"}]
    selection: Frame = native_frame.select(*dict.fromkeys(columns))
    return selection.with_columns(nw.col(*numbers).cast(nw.Float64).fill_nan(None)) if numbers else selection


def native(frame: Frame, like: IntoFrameT) -> IntoFrameT:  # noqa: ARG001 - `like` carries the type
    """Return the frame as the kind that came in; rows of a pandas frame are numbered afresh."""
    return cast(IntoFrameT, nw.maybe_reset_index(frame).to_native())


def collected(frame: IntoFrame, table: str, columns: Sequence[str]) -> pd.DataFrame:
    """Return columns of one of the study's tables as a pandas frame, wherever they were."""
    frame_read: Any = opened(frame, table, columns)
    eager = frame_read.collect("pyarrow") if isinstance(frame_read, nw.LazyFrame) else frame_read
    pandas: pd.DataFrame = eager.to_pandas()
    return pandas.reset_index(drop=True)


def gathered(frame: IntoFrame, table: str, columns: Sequence[str]) -> pa.Table:
    """Return columns of one of the study's tables as an Arrow table, wherever they were."""
    if isinstance(frame, pd.DataFrame) and set(columns) <= set(frame.columns):
        kind_of_column = {column.name: column.kind for column in TABLES[table].columns}
        return pa.table({name: _arrow(frame[name], kind_of_column.get(name)) for name in columns})
    frame_read: Any = opened(frame, table, columns)
    frame_held = frame_read.collect("pyarrow") if isinstance(frame_read, nw.LazyFrame) else frame_read
    return frame_held.to_arrow()


def coded(column: pa.Array | pa.ChunkedArray) -> tuple[npt.NDArray[np.intp], pa.Array]:
    """Return names as places among the sorted names, -1 where one is missing, and the sorted names."""
    if column.null_count == len(column):
        return np.full(len(column), -1), pa.array([], type=column.type)
    one_chunk = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = one_chunk.dictionary_encode()
    names = encoded.dictionary
    order = pc.array_sort_indices(names).to_numpy(zero_copy_only=False)
    rank = np.empty(len(order) + 1, dtype=np.intp)
    rank[order], rank[-1] = np.arange(len(order)), -1
    return rank[encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)], names.take(pa.array(order))


def _arrow(column: pd.Series, kind: str | None) -> pa.Array | pa.ChunkedArray:
    if kind in {"number", "boolean"}:
        return pa.array(column.to_numpy(dtype="float64", na_value=float("nan")), from_pandas=True)
    return pa.array(column, from_pandas=True)


def returned(frame: pd.DataFrame, like: IntoFrameT) -> IntoFrameT:
    """Return a pandas frame as the kind that `like` is; a lazy kind gets a lazy frame."""
    native_like: Any = nw.from_native(like)
    if native_like.implementation.is_pandas():
        return cast(IntoFrameT, frame)
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    if isinstance(native_like, nw.DataFrame):
        return cast(IntoFrameT, nw.from_arrow(arrow, backend=native_like.implementation).to_native())
    session = getattr(like, "sparkSession", None)
    eager = nw.from_arrow(arrow, backend="polars" if native_like.implementation.is_polars() else "pyarrow")
    return cast(IntoFrameT, eager.lazy(native_like.implementation, session=session).to_native())


def joined(left: Frame, right: Frame, on: Sequence[str]) -> Frame:
    """Join the rows of `right` to those of `left`, all of which stay.

    Raises
    ------
    UsageError
        If the two frames are not of one kind.
    """
    if left.implementation != right.implementation or type(left) is not type(right):
        raise UsageError(
            f"one table is a {left.implementation} {type(left).__name__}, another a {right.implementation} "
            f"{type(right).__name__}; give all tables in one kind of frame"
        )
    return left.join(right, on=list(on), how="left")


def with_factors(frame: Frame, games: IntoFrame | None, by: Sequence[str] | str) -> tuple[Frame, list[str]]:
    """Join factors, columns of ``games``, to a frame with `game_id`; return it and the factors' names.

    Raises
    ------
    UsageError
        If a factor is not a column of ``games``, or factors are asked for without ``games``.
    """
    factors = factors_among(games, by)
    if games is None or not factors:
        return frame, factors
    return joined(frame, opened(games, "games", ["game_id", *factors]), ["game_id"]), factors


def factors_among(games: IntoFrame | None, by: Sequence[str] | str) -> list[str]:
    """Return the factors' names, columns of ``games``.

    Raises
    ------
    UsageError
        As `with_factors`.
    """
    factors = [by] if isinstance(by, str) else list(by)
    if factors and games is None:
        raise UsageError(f"by is {shown(factors)}; give games, the table that has these columns")
    names = nw.from_native(games).collect_schema().names() if factors and games is not None else []
    for factor in factors:
        if factor not in names:
            raise UsageError(f"by names {shown(factor)}, which is not a column of games; {meant(factor, names)}")
    return factors


def grouped(frame: Frame, by: Sequence[str], *aggregates: nw.Expr) -> Frame:
    """Aggregate by columns, in the order of these; by none, to one row."""
    if not by:
        return frame.select(*aggregates)
    return frame.group_by(*by).agg(*aggregates).sort(*by, nulls_last=True)


def previous(frame: Frame, column: str, within: Sequence[str], order: str) -> nw.Expr:
    """Return the column's value one row before, among the rows that agree in `within`; null in the first."""
    if not frame.implementation.is_pyarrow():
        return nw.col(column).shift(1).over(*within, order_by=order)
    # pyarrow has no windows over groups: shift the whole sorted table and look where a group begins.
    sort_columns = [*within, order]
    same_group = [nw.col(name) == nw.col(name).shift(1).over(order_by=sort_columns) for name in within]
    return nw.when(nw.all_horizontal(*same_group, ignore_nulls=False)).then(
        nw.col(column).shift(1).over(order_by=sort_columns)
    )


def rate(frame: Frame, column: str, by: Sequence[str], confidence_level: float, *, times: str | None = None) -> Frame:
    """Return the share of ones among the known values of a column of ones and zeros.

    Parameters
    ----------
    frame
        With the column and the factors.
    column
        1, 0 or missing.
    by
        Factors; none gives one row.
    confidence_level
        Of the interval, between 0 and 1.
    times
        The column that says how often a row occurs; None: once each.

    Returns
    -------
    Frame
        The factors, `n` (known values, the denominator), `count` (ones), `missing` (values not known), `rate`, `low`
        and `high` (Wilson 1927, without continuity correction), `level`. Where `n` is 0 the rate and its
        interval are missing.

    Raises
    ------
    UsageError
        If the level is not between 0 and 1.
    """
    if not 0 < confidence_level < 1:
        raise UsageError(f"confidence_level is {confidence_level}; an interval needs one between 0 and 1, such as 0.95")
    value = nw.col(column)
    if times is None:
        counts = grouped(frame, by, value.count().alias("n"), value.sum().alias("count"), nw.len().alias("rows"))
    else:
        n_times = nw.col(times).cast(nw.Float64)
        n_known_times = nw.when(~value.is_null()).then(n_times).otherwise(0.0)
        rows = frame.with_columns(n_known_times.alias("n"), (n_times * value).alias("count"), n_times.alias("rows"))
        counts = grouped(rows, by, *(nw.col(name).sum() for name in ("n", "count", "rows")))
    z = -NormalDist().inv_cdf((1 - confidence_level) / 2)
    n, k = nw.col("n").cast(nw.Float64), nw.col("count").cast(nw.Float64)
    centre = (k + z**2 / 2) / (n + z**2)
    half_width = (k * (n - k) / n + z**2 / 4).sqrt() * z / (n + z**2)
    has_any = nw.col("n") > 0
    return counts.select(
        *by,
        nw.col("n").cast(nw.Int64),
        nw.when(has_any).then(k).otherwise(0.0).cast(nw.Int64).alias("count"),
        (nw.col("rows").cast(nw.Int64) - nw.col("n").cast(nw.Int64)).alias("missing"),
        nw.when(has_any).then(k / n).alias("rate"),
        # No success bounds the rate by exactly 0 and no failure by exactly 1, whatever rounding makes of it.
        nw.when(has_any).then(nw.when(k == 0).then(0.0).otherwise(centre - half_width)).alias("low"),
        nw.when(has_any).then(nw.when(k == n).then(1.0).otherwise(centre + half_width)).alias("high"),
        nw.lit(confidence_level).alias("level"),
    )
