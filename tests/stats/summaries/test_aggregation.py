"""Sums and means by group are those of pandas, and the same to the last bit each time."""

from __future__ import annotations

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from negstats.stats.summaries.aggregation import Function, aggregate, repeatable_sums

FUNCTIONS: tuple[Function, ...] = ("sum", "mean", "std", "var", "min", "max", "count")


def draw_rows(n: int, groups: int) -> pd.DataFrame:
    rng = np.random.default_rng(n)
    values = np.where(rng.random(n) < 0.1, np.nan, rng.normal(1e3, 1, n))
    return pd.DataFrame({"unit": rng.integers(0, groups, n).astype("str"), "value": values})


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("groups", [1, 7, 400])
def test_each_function_is_that_of_pandas(engine: str, groups: int) -> None:
    rows = draw_rows(2000, groups)
    expected = rows.groupby("unit")["value"].agg(list(FUNCTIONS))
    frame = nw.from_native(pl.from_pandas(rows))
    lazy = frame.lazy() if engine == "polars" else frame.lazy(backend="duckdb")
    columns: dict[str, tuple[str, Function]] = {name: ("value", name) for name in FUNCTIONS}
    table = aggregate(lazy, ["unit"], rows=("value", "len"), **columns).collect(backend="pyarrow").to_pandas()
    table = table.set_index("unit").sort_index()
    np.testing.assert_allclose(table[list(FUNCTIONS)].astype(float), expected.sort_index(), rtol=1e-10)
    assert table["rows"].tolist() == rows.groupby("unit").size().sort_index().tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("n", "groups"), [(40, 2), (1000, 2), (30_000, 3), (30_000, 9000)])
def test_the_last_bit_is_the_same_each_time(n: int, groups: int) -> None:
    """Groups of polars add up in the order in which threads finish: of 300 sums of two groups some 10 differed."""
    frame = nw.from_native(pl.from_pandas(draw_rows(n, groups)).lazy())
    columns: dict[str, tuple[str, Function]] = {name: ("value", name) for name in ("sum", "mean", "var")}
    with repeatable_sums(in_memory=True):
        tables = {tuple(aggregate(frame, ["unit"], **columns).sort("unit").collect().rows()) for _ in range(60)}
    assert len(tables) == 1


def test_the_choice_of_the_engine_ends_with_the_block() -> None:
    before = pl.Config.state()
    with repeatable_sums(in_memory=True):
        assert pl.Config.state() != before
    assert pl.Config.state() == before
