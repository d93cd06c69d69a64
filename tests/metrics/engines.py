"""Turning a pandas frame into every other kind of frame, and any result back, so that results can be compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of frame: how to make it from pandas, and its type."""

    name: str
    make: Callable[[pd.DataFrame], Any]
    type: type


def _arrow(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


def _polars(frame: pd.DataFrame) -> pl.DataFrame:
    table = pl.from_arrow(_arrow(frame))
    assert isinstance(table, pl.DataFrame)
    return table


KINDS = (
    Kind("pandas", lambda frame: frame, pd.DataFrame),
    Kind("polars", _polars, pl.DataFrame),
    Kind("polars lazy", lambda frame: _polars(frame).lazy(), pl.LazyFrame),
    Kind("pyarrow", _arrow, pa.Table),
    Kind("duckdb", lambda frame: duckdb.from_arrow(_arrow(frame)), duckdb.DuckDBPyRelation),
)


def as_pandas(result: Any, key: list[str]) -> pd.DataFrame:
    """Any result as pandas: rows by key, numbers as floats with NaN for missing, text as objects with None."""
    frame: Any = nw.from_native(result)
    eager = frame.collect("pyarrow") if isinstance(frame, nw.LazyFrame) else frame
    table: pd.DataFrame = eager.to_pandas()
    columns: dict[str, Any] = {}
    for name in table.columns:
        values = table[name]
        if pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
            columns[name] = values.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            columns[name] = pd.Series([None if pd.isna(value) else value for value in values], dtype=object)
    return pd.DataFrame(columns).sort_values(key, ignore_index=True)
