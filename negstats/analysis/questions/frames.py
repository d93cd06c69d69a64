"""What the questions of lazy studies ask of lazy frames: rows counted, small frames brought home, text read alike."""

from __future__ import annotations

from typing import Any, TypeAlias

import narwhals as nw
import pandas as pd

__all__ = ["Lazy", "as_number", "as_text", "count", "home", "known", "ones"]

Lazy: TypeAlias = nw.LazyFrame[Any]

NUMBER = r"^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$"


def count(frame: Lazy) -> int:
    """Return how many rows a lazy frame has."""
    return int(frame.select(nw.len().alias("rows")).collect("pyarrow")["rows"][0])


def home(frame: Lazy) -> pd.DataFrame:
    """Bring a frame of a few rows home: one row a group, never one a row of the study."""
    found: pd.DataFrame = frame.collect("pyarrow").to_pandas()
    return found


def ones(mark: nw.Expr) -> nw.Expr:
    """Return how many rows a condition holds for; a condition that is not known does not hold."""
    return nw.when(mark).then(1).otherwise(0).sum()


def known(value: nw.Expr) -> nw.Expr:
    """Return numbers with NaN as missing, as pandas takes it."""
    return nw.when(~value.is_nan()).then(value)


def as_text(column: str, kind: Any) -> nw.Expr:
    """Return a column as text; truth values are spelt as pandas spells them."""
    value = nw.col(column)
    if kind == nw.Boolean:
        return nw.when(value).then(nw.lit("True")).otherwise(nw.when(~value).then(nw.lit("False")))
    return value.cast(nw.String)


def as_number(column: str, kind: Any) -> nw.Expr:
    """Return a column as numbers; what is none is missing."""
    value = nw.col(column)
    if kind.is_numeric() or kind == nw.Boolean:
        number = value.cast(nw.Float64)
        return known(number) if kind.is_float() else number
    # No engine is asked to read a number in what is none: some refuse all rows then.
    text = value.cast(nw.String).str.strip_chars()
    return nw.when(text.str.contains(NUMBER)).then(text).cast(nw.Float64)
