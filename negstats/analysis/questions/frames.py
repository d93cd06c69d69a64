"""Lazy frames as questions use them: rows are counted, small frames brought home, text read alike by all engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

import narwhals as nw
import pandas as pd

Lazy: TypeAlias = nw.LazyFrame[Any]

NUMBER = r"^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$"


def count(frame: Lazy) -> int:
    """Return how many rows a lazy frame has."""
    return int(frame.select(nw.len().alias("rows")).collect()["rows"][0])


def has_rows(frame: Lazy, mark: nw.Expr) -> bool:
    """Return whether a condition holds for any row of a lazy frame."""
    return count(frame.filter(mark).head(1)) > 0


def count_each(seats: Lazy) -> int | None:
    """Return how many games each person has, where that is one number above 1 and each seat has a person."""
    games = seats.group_by("participant_id").agg(nw.len().alias("n"))
    known = nw.when(~nw.col("participant_id").is_null()).then(nw.col("n"))
    row = home(games.select(known.min().alias("low"), nw.col("n").max().alias("high"), known.count().alias("known"),
                            nw.len().alias("people"))).iloc[0]  # fmt: skip
    is_same = row["people"] and row["people"] == row["known"] and row["low"] == row["high"]
    return int(row["low"]) if is_same and row["low"] > 1 else None


def distinct(frame: Lazy, *columns: str) -> Lazy:
    """Return the different rows of some columns, as groups: to keep the first of each, narwhals lets SQL number all."""
    return frame.group_by(*columns).agg(nw.len().alias("__rows")).select(*columns)


def home(frame: Lazy) -> pd.DataFrame:
    """Bring a frame of a few rows home: one row a group, never one a row of the study."""
    table: pd.DataFrame = frame.collect("pyarrow").to_pandas()
    return table


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


def whole_units(
    data: Lazy, columns: Mapping[str, str], within: Mapping[str, Sequence[str]], keep: Sequence[str]
) -> Lazy:
    """Return one row a unit that lacks no combination of levels: ``unit``, ``w0``, ``w1``, ... and columns to keep.

    The combinations are in order, the last factor fastest; a kept column holds the unit's least value.
    """
    values, names = [], []
    for place, codes in enumerate(product(*within.values())):
        is_at_levels = nw.lit(True)
        for name, level in zip(within, codes, strict=True):
            is_at_levels = is_at_levels & (nw.col(columns[name]) == level)
        names.append(f"w{place}")
        values.append(nw.when(is_at_levels).then(nw.col("value")).alias(names[-1]))
    unit_rows = data.with_columns(*values).group_by("unit").agg(*(nw.col(name).max() for name in names),
                                                            *(nw.col(name).min() for name in keep))  # fmt: skip
    return unit_rows.drop_nulls(names)


def fetched(frame: Lazy, columns: Mapping[str, str]) -> pd.DataFrame:
    """Bring rows home in an order of their own, under the names of the plan; missing factors stay missing."""
    known_columns = frame.collect_schema().names()
    order = [name for name in ("unit", *columns.values(), "game_id", "player") if name in known_columns]
    return home(frame.sort(*order, nulls_last=True)).rename(columns={column: name for name, column in columns.items()})
