"""Where engines differ in what one expression means, and the way to write it that means the same on each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from negstats.analysis.questions.frames import as_number, as_text, count, home, ones

Lazy = nw.LazyFrame[Any]
TABLE = pd.DataFrame(
    {
        "unit": ["b", "a", "b", "a", "c"],
        "x": [1.0, np.nan, 2.0, 3.0, 1.0],
        "text": ["1", " 2.5e1", "two", "", None],
        "told": pd.array([True, False, None, True, True], dtype="boolean"),
        "whole": pd.array([1, None, 3, 4, 5], dtype="Int64"),
        "level": pd.Categorical(["low", "high", "low", "high", "low"], ["low", "high"], ordered=True),
    }
)


def arrow(table: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(table, preserve_index=False)


def in_pandas(table: pd.DataFrame) -> Any:
    return table


def in_polars(table: pd.DataFrame) -> Any:
    import polars as pl

    frame = pl.from_arrow(arrow(table))
    assert isinstance(frame, pl.DataFrame)
    return frame.lazy()


def in_duckdb(table: pd.DataFrame) -> Any:
    return duckdb.from_arrow(arrow(table))


@pytest.fixture(
    params=[
        in_pandas,
        in_polars,
        in_duckdb,
        pytest.param("pyspark", marks=[pytest.mark.spark, pytest.mark.xdist_group("spark")]),
    ]
)
def lazy(request: pytest.FixtureRequest) -> Callable[[pd.DataFrame], Lazy]:
    """A function that puts a table into the engine."""
    if request.param != "pyspark":
        param: Callable[[pd.DataFrame], Any] = request.param
        return lambda table: nw.from_native(param(table)).lazy()
    spark = request.getfixturevalue("session")
    return lambda table: nw.from_native(spark.createDataFrame(arrow(table))).lazy()


def test_a_condition_is_a_column_before_it_is_counted_by_group(lazy: Callable[[pd.DataFrame], Lazy]) -> None:
    frame = lazy(TABLE[["unit", "x"]])
    marked = frame.with_columns(mark=nw.when(nw.col("x") == 1).then(1).otherwise(0))
    counts = home(marked.group_by("unit").agg(nw.col("mark").sum())).set_index("unit")["mark"]
    assert counts.astype(int).to_dict() == {"a": 0, "b": 1, "c": 1}


def test_a_negation_says_that_the_value_is_known(lazy: Callable[[pd.DataFrame], Lazy]) -> None:
    x = nw.col("x").fill_nan(None)
    assert count(lazy(TABLE[["x"]]).filter((x != 1) & ~x.is_null())) == 2


def test_nan_is_missing_before_missing_is_looked_for(lazy: Callable[[pd.DataFrame], Lazy]) -> None:
    assert count(lazy(TABLE[["x"]]).filter(nw.col("x").fill_nan(None).is_null())) == 1


def test_patterns_have_no_groups_that_capture(lazy: Callable[[pd.DataFrame], Lazy]) -> None:
    assert count(lazy(TABLE[["unit"]]).filter(nw.col("unit").str.contains("^(?:a|b)$"))) == 4


def test_order_is_asked_for_after_a_join(lazy: Callable[[pd.DataFrame], Lazy]) -> None:
    names = lazy(pd.DataFrame({"unit": ["c", "b", "a"], "name": ["C", "B", "A"]}))
    joined = lazy(TABLE[["unit"]]).join(names, on="unit", how="left").sort("unit")
    assert home(joined)["name"].tolist() == ["A", "A", "B", "B", "C"]


def test_whole_numbers_with_a_gap_and_sums_are_read_as_numbers(lazy: Callable[[pd.DataFrame], Lazy]) -> None:
    frame = lazy(TABLE[["whole"]])
    total = home(frame.select(nw.col("whole").sum().cast(nw.Float64)))["whole"]
    assert total.tolist() == [13.0]
    assert count(frame) == 5
    missing = nw.when(nw.col("whole").is_null()).then(1).otherwise(0)
    assert home(frame.select(n=missing.sum()))["n"].astype(int).tolist() == [1]


def test_truth_values_are_spelt_alike(lazy: Callable[[pd.DataFrame], Lazy]) -> None:
    frame = lazy(TABLE[["told"]])
    counted = frame.select(word=as_text("told", nw.Boolean)).filter(nw.col("word") == "True")
    assert count(counted) == 3


def test_text_that_is_no_number_is_missing(lazy: Callable[[pd.DataFrame], Lazy]) -> None:
    frame = lazy(TABLE[["text"]]).select(number=as_number("text", nw.String))
    numbers = home(frame.filter(~nw.col("number").is_null()).sort("number"))["number"]
    assert numbers.tolist() == [1.0, 25.0]


def test_categories_are_read_as_text(lazy: Callable[[pd.DataFrame], Lazy]) -> None:
    level = TABLE[["level"]].astype({"level": str})
    assert count(lazy(level).filter(nw.col("level").cast(nw.String) == "low")) == 3


def test_a_condition_that_is_not_known_does_not_hold(lazy: Callable[[pd.DataFrame], Lazy]) -> None:
    frame = lazy(TABLE[["told"]])
    assert int(home(frame.select(n=ones(nw.col("told"))))["n"][0]) == 3


def test_tables_of_two_connections_do_not_join() -> None:
    here, result = duckdb.connect(), duckdb.connect()
    one, other = here.from_arrow(arrow(TABLE[["unit"]])), result.from_arrow(arrow(TABLE[["unit", "x"]]))
    with pytest.raises(duckdb.Error):
        one.join(other, "unit").fetchall()
