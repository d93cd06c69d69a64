"""Summaries: ways in, engines, sums of two, codes of columns, and sums that repeat to the last digit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.errors import DesignError
from negstats.stats import Cells, Counts, Factor, Moments, ValueCounts
from negstats.stats.summaries.aggregation import Function, aggregate, repeatable_sums
from negstats.stats.summaries.coding import Units
from negstats.stats.summaries.coerce import as_subjects
from negstats.stats.summaries.rows import moments, totals

ENGINES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "polars lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "duckdb": duckdb.from_df,
}

row = st.tuples(
    st.one_of(st.none(), st.integers(-8, 8).map(lambda x: x / 4)),
    st.sampled_from(["fair", "selfish", "envious", None]),
    st.sampled_from([10, 9, 200]),
)
frames = st.lists(row, min_size=1, max_size=40).map(
    lambda rows: pd.DataFrame(rows, columns=["points", "agent", "chips"]).astype({"points": float})
)


def same(one: Any, two: Any, *names: str) -> None:
    """Compare the arrays of two summaries, whatever order their levels have."""
    for first, second in zip(one.factors, two.factors, strict=True):
        assert set(first.levels) == set(second.levels)
    places = [
        [second.levels.index(level) for level in first.levels]
        for first, second in zip(one.factors, two.factors, strict=True)
    ]
    for name in names:
        first_array, second_array = getattr(one, name), getattr(two, name)
        lined_up = second_array[np.ix_(*places)] if places else second_array
        assert np.asarray(first_array) == pytest.approx(np.asarray(lined_up), rel=1e-9, abs=1e-9, nan_ok=True)
    assert one.missing == two.missing


def distinct(counts: ValueCounts) -> list[float]:
    return list(map(float, counts.values))


# One group-by --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(frames)
def test_cells_are_the_moments_of_each_group(frame: pd.DataFrame) -> None:
    cells = Cells.from_frame(frame, "points", ["agent", "chips"])
    groups = frame.dropna().groupby(["agent", "chips"])["points"].agg(["size", "mean", "var"])
    assert cells.missing == len(frame) - len(frame.dropna())
    for (agent, chips), expected in zip(groups.index, groups.to_numpy(), strict=True):
        place = cells.factors[0].levels.index(agent), cells.factors[1].levels.index(str(chips))
        values = [cells.n[place], cells.mean[place], cells.variance[place]]
        assert values == pytest.approx(expected.tolist(), nan_ok=True, abs=1e-12)
    assert cells.n.sum() == len(frame.dropna())
    assert np.isnan(cells.mean[cells.n == 0]).all()
    assert [int(level) for level in cells.factors[1].levels] == sorted(frame.dropna()["chips"].unique())


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("engine", ENGINES)
def test_engines_agree(engine: str) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "points": np.where(rng.random(300) < 0.1, np.nan, rng.integers(0, 12, 300) * 1.5),
            "agent": rng.choice(np.array(["fair", "selfish", None], dtype=object), 300),
            "chips": rng.choice([9, 10, 200], 300),
            "agreed": rng.random(300) < 0.5,
        }
    )
    data = ENGINES[engine](frame)
    by = ["agent", "chips"]
    same(Cells.from_frame(data, "points", by), Cells.from_frame(frame, "points", by), "n", "mean", "variance")
    whole = Cells.from_frame(data, "agreed")
    assert float(whole.n) == 300
    assert float(whole.mean) == pytest.approx(frame["agreed"].mean())
    counts = Counts.from_frame(data, ["agent", "agreed"])
    same(counts, Counts.from_frame(frame, ["agent", "agreed"]), "n")
    values = ValueCounts.from_frame(data, "points", "agent")
    expected = ValueCounts.from_frame(frame, "points", "agent")
    assert distinct(values) == distinct(expected)
    same(values, expected, "n")
    long = pd.DataFrame({"y": rng.normal(size=30), "c": [*"abc"] * 10, "id": np.repeat(range(10), 3)}).iloc[:-1]
    one, two = (Moments.from_frame(source, "y", "c", "id") for source in (ENGINES[engine](long), long))
    assert one.mean == pytest.approx(two.mean)
    assert one.covariance == pytest.approx(two.covariance)
    assert (float(one.n), one.missing) == (9, 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_missing_rows_are_left_out_and_counted(engine: str) -> None:
    frame = pd.DataFrame({"y": [1.0, 2.0, None, 4.0, np.nan], "g": ["a", None, "b", "b", None]})
    data = ENGINES[engine](frame)
    cells, values = Cells.from_frame(data, "y", "g"), ValueCounts.from_frame(data, "y", "g")
    assert (cells.missing, cells.n.tolist(), cells.mean.tolist()) == (3, [1, 1], [1, 4])
    assert (values.missing, distinct(values), values.n.tolist()) == (3, [1, 4], [[1, 0], [0, 1]])
    assert Counts.from_frame(data, "g").missing == 2
    assert float(Cells.from_frame(data, "y").n) == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_text_and_unknown_columns_are_refused(engine: str) -> None:
    data = ENGINES[engine](pd.DataFrame({"points": ["many", "few"], "agent": ["a", "b"]}))
    for summary in (Cells, ValueCounts):
        with pytest.raises(DesignError, match="outcome 'points' is not numeric"):
            summary.from_frame(data, "points", "agent")
        with pytest.raises(DesignError, match="no column 'agents'; did you mean 'agent'"):
            summary.from_frame(data, "points", "agents")


def test_levels_keep_the_order_of_a_category_else_their_own() -> None:
    order = ["selfish", "fair", "never"]
    frame = pd.DataFrame({"y": [1, 2, 3], "g": pd.Categorical(["fair", "selfish", "fair"], order)})
    for item in (
        Cells.from_frame(frame, "y", "g"),
        ValueCounts.from_frame(frame, "y", "g"),
        Counts.from_frame(frame, "g"),
    ):
        assert item.factors[0].levels == ("selfish", "fair")
    numbers = pd.DataFrame({"y": [1, 2, 3], "g": [10, 9, 9]})
    assert Cells.from_frame(numbers, "y", "g").factors[0].levels == ("9", "10")


def test_whole_numbers_far_apart_and_flags_are_counted_too() -> None:
    frame = pd.DataFrame({"wide": [-5, 2_000_000_000, -5], "flag": [True, False, True], "small": [-3, 4, 4]})
    assert distinct(ValueCounts.from_frame(frame, "wide")) == [-5, 2e9]
    assert ValueCounts.from_frame(frame, "flag").n.tolist() == [1, 2]
    assert distinct(ValueCounts.from_frame(frame, "small")) == [-3, 4]
    assert ValueCounts.from_frame(frame, "small", "flag").n.tolist() == [[0, 1], [1, 1]]


# Merging equals pooling ----------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(frames, frames)
def test_merged_summaries_are_those_of_all_rows(one: pd.DataFrame, two: pd.DataFrame) -> None:
    both = pd.concat([one, two], ignore_index=True)
    for by in ([], ["agent"], ["agent", "chips"]):
        merged = Cells.from_frame(one, "points", by) + Cells.from_frame(two, "points", by)
        same(merged, Cells.from_frame(both, "points", by), "n", "mean", "variance")
        values = ValueCounts.from_frame(one, "points", by) + ValueCounts.from_frame(two, "points", by)
        pooled = ValueCounts.from_frame(both, "points", by)
        assert distinct(values) == distinct(pooled)
        same(values, pooled, "n")
        if by:
            same(Counts.from_frame(one, by) + Counts.from_frame(two, by), Counts.from_frame(both, by), "n")


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 10_000))
def test_merged_repeated_measures_are_those_of_all_subjects(n1: int, n2: int, seed: int) -> None:
    y = np.random.default_rng(seed).normal(size=(n1 + n2, 3)) + 1e4
    merged = Moments.from_array(y[:n1], "abc") + Moments.from_array(y[n1:], "abc")
    pooled = Moments.from_array(y, "abc")
    assert merged.mean == pytest.approx(pooled.mean)
    assert merged.covariance == pytest.approx(pooled.covariance, rel=1e-6, abs=1e-6, nan_ok=True)


@given(st.integers(0, 10_000), st.floats(-1e9, 1e9))
def test_merging_keeps_the_digits_of_data_far_from_zero(seed: int, far: float) -> None:
    y = np.random.default_rng(seed).integers(-50, 50, 30).astype(float)
    moved = np.round(far) + y
    merged = Cells.from_samples({"a": moved[:13]}) + Cells.from_samples({"a": moved[13:]})
    assert merged.variance == pytest.approx([y.var(ddof=1)], rel=1e-9, abs=1e-9)


# Marginals, stacks, tables --------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(frames)
def test_marginals_forget_the_other_factors(frame: pd.DataFrame) -> None:
    whole = frame.dropna()
    cells = Cells.from_frame(whole, "points", ["agent", "chips"])
    same(cells.marginal("chips"), Cells.from_frame(whole, "points", "chips"), "n", "mean", "variance")
    same(cells.marginal(["chips", "agent"]), Cells.from_frame(whole, "points", ["chips", "agent"]), "n", "mean")
    none = cells.marginal(())
    if len(whole):
        assert float(none.n) == len(whole)
        assert float(none.mean) == pytest.approx(whole["points"].mean())
    values = ValueCounts.from_frame(whole, "points", ["agent", "chips"])
    same(values.marginal("agent"), ValueCounts.from_frame(whole, "points", "agent"), "n")
    counts = Counts.from_frame(whole, ["agent", "chips"])
    same(counts.marginal("chips"), Counts.from_frame(whole, "chips"), "n")


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=5), st.lists(st.integers(-5, 5), min_size=1, max_size=5))
def test_value_counts_have_the_mean_and_variance_of_their_values(a: list[int], b: list[int]) -> None:
    cells = ValueCounts.from_samples({"a": a, "b": b}).cells()
    for place, values in enumerate((a, b)):
        assert cells.mean[place] == pytest.approx(np.mean(values))
        variance = np.var(values, ddof=1) if len(values) > 1 else np.nan
        assert cells.variance[place] == pytest.approx(variance, nan_ok=True)


def test_value_counts_give_cells_and_medians() -> None:
    samples = {"a": [1.0, 4, 4, 7], "b": [2.0, 2, 9]}
    values = ValueCounts.from_samples(samples)
    same(values.cells(), Cells.from_samples(samples), "n", "mean", "variance")
    assert values.median.tolist() == [4.0, 2.0]
    assert np.isnan(ValueCounts.from_samples({"a": [], "b": [1]}).median).tolist() == [True, False]
    far = ValueCounts.from_samples({"a": [1e9, 1e9 + 1, 1e9 + 2]}).cells()
    assert far.variance == pytest.approx([1.0], rel=1e-12)


def test_a_stack_is_its_studies() -> None:
    rng = np.random.default_rng(7)
    frames_ = [pd.DataFrame({"y": rng.normal(100, 1, 12), "g": [*"aabbcc"] * 2, "h": [*"xy"] * 6}) for _ in range(4)]
    studies = [Cells.from_frame(frame, "y", ["g", "h"]) for frame in frames_]
    stack = Cells.stack(studies)
    assert stack.studies == (4,)
    for i, study in enumerate(studies):
        assert stack.mean[i] == pytest.approx(study.mean)
        assert stack.variance[i] == pytest.approx(study.variance, rel=1e-9)
        assert stack.marginal("h").mean[i] == pytest.approx(study.marginal("h").mean)
    samples = rng.normal(size=(4, 6))
    assert Cells.from_samples({"a": samples, "b": samples + 1}).n.shape == (4, 2)
    within = Moments.from_array(rng.normal(size=(5, 8, 3)), "abc")
    assert (within.studies, within.covariance.shape) == ((5,), (5, 3, 3))


def test_tables_take_sd_se_or_variance_but_one() -> None:
    factors = {"agent": ["fair", "selfish"], "sex": ["f", "m"]}
    n, mean = [[10, 12], [9, 1]], [[3.0, 4.0], [5.0, 6.0]]
    sd = np.array([[1.0, 2.0], [0.5, 7.0]])
    by_sd = Cells.from_table(n=n, mean=mean, sd=sd, factors=factors)
    same(by_sd, Cells.from_table(n=n, mean=mean, se=sd / np.sqrt(n), factors=factors), "n", "mean", "variance")
    same(by_sd, Cells.from_table(n=n, mean=mean, variance=sd**2, factors=factors), "n", "mean", "variance")
    assert np.isnan(by_sd.variance[1, 1])  # n = 1 has none, whatever was printed
    assert by_sd.sd[0].tolist() == [1, 2]
    assert by_sd.se[0, 0] == pytest.approx(1 / np.sqrt(10))
    assert by_sd.to_frame().iloc[1, :4].to_list() == ["fair", "m", 12.0, 4.0]


def test_repeated_measures_come_from_frames_and_tables() -> None:
    frame = pd.DataFrame(
        {
            "y": [1.0, 2, 3, 5, 4, 9, 2, 1],
            "c": [*"abababab"],
            "id": [1, 1, 2, 2, 3, 3, 4, 4],
            "sex": [*"ffffmmmm"],
        }
    )
    both = Moments.from_frame(frame, "y", "c", "id", "sex")
    assert both.n.tolist() == [2, 2]
    assert both.covariance[0] == pytest.approx(np.cov([[1.0, 2.0], [3.0, 5.0]], rowvar=False))
    difference = both.contrast([1, -1])
    assert difference.mean.tolist() == [-1.5, -2.0]
    sd, r = [1.5, 2.0], 0.25
    table = Moments.from_table(n=20, mean=[3, 4], sd=sd, correlation=r)
    assert float(table.contrast([1, -1]).variance) == pytest.approx(1.5**2 + 2**2 - 2 * r * 3)


def test_counts_take_weights_and_tables() -> None:
    frame = pd.DataFrame({"agent": [*"aab"], "end": ["walk", "deal", "walk"], "times": [3, 4, 5]})
    counts = Counts.from_frame(frame, ["agent", "end"], weights="times")
    assert counts.n.tolist() == [[4, 3], [0, 5]]
    same(Counts.from_frame(pl.from_pandas(frame), ["agent", "end"], weights="times"), counts, "n")
    assert counts.to_frame().iloc[0].to_list() == ["a", "deal", 4.0]
    both = Counts.from_table([3, 4], {"end": ["walk", "deal"]}) + Counts.from_table([5, 6], {"end": ["deal", "time"]})
    assert both.n.tolist() == [3, 9, 6]


def test_what_does_not_fit_is_refused() -> None:
    assert Factor("g", ("a",)) == Factor("g", ("a",))


CELLS = [
    [0] * 6 + [1] * 6,
    [0, 1] * 6,
    [0, 0, 1, 1] * 3,
    [1, 0, 0, 1, 1, 0] * 2,
    [0, 0, 1, 1, 0] + [1] * 7,
    [0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1],
]


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("far", [0.0, 1e6])
@pytest.mark.parametrize("size", [1, 30])
def test_moments_of_drawn_rows_are_those_of_the_rows_written_out(cell: list[int], far: float, size: int) -> None:
    rng = np.random.default_rng(1)
    y, of = rng.normal(size=12) + far * np.array(cell), np.array(cell)
    weight = rng.multinomial(12, np.full(12, 1 / 12), size=size).astype(float)
    n, mean, ss = moments(y, of[None], weight, 2, size)
    for draw in range(size):
        for place in (0, 1):
            rows = np.repeat(y[of == place], weight[draw, of == place].astype(int))
            assert n[draw, place] == len(rows)
            if len(rows):
                np.testing.assert_allclose(mean[draw, place], rows.mean(), rtol=1e-12, atol=1e-12)
                np.testing.assert_allclose(ss[draw, place], ((rows - rows.mean()) ** 2).sum(), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("cells", [2, 4])
def test_moments_of_dealt_rows_are_those_of_the_rows_written_out(cells: int) -> None:
    rng = np.random.default_rng(2)
    y = rng.normal(size=20)
    cell = rng.permuted(np.tile(np.arange(20) % cells, (9, 1)), axis=1)
    n, mean, ss = moments(y, cell, None, cells, 9)
    for deal in range(9):
        for place in range(cells):
            rows = y[cell[deal] == place]
            values = n[deal, place], mean[deal, place], ss[deal, place]
            np.testing.assert_allclose(values, (len(rows), rows.mean(), ((rows - rows.mean()) ** 2).sum()), rtol=1e-9)


@pytest.mark.parametrize("place", [[[0, 2, 0, 2, 3]], [[0, 0, 2, 2, 3]], [[0, 2, 0, 2, 3], [3, 3, 1, 0, 0]]])
def test_totals_of_places(place: list[list[int]]) -> None:
    numbers = np.random.default_rng(4).normal(size=(2, 5))
    sums = totals(np.array(place), 5, 2)
    for values in (None, numbers):
        result = np.broadcast_to(sums(values), (2, 5))
        for row in range(2):
            weights = None if values is None else values[row]
            np.testing.assert_allclose(result[row], np.bincount(place[row % len(place)], weights, 5), atol=1e-12)


@pytest.mark.parametrize("first", [2**53, -(2**53) - 2, 0, 2**53 - 2])
def test_values_of_whole_numbers_ascend_where_floats_cannot_tell_them_apart(first: int) -> None:
    counts = ValueCounts.from_frame(pd.DataFrame({"y": [first + 2, first, first + 1, first]}), "y")
    assert (np.diff(counts.values) > 0).all()
    assert counts.n.sum() == 4


@pytest.mark.parametrize("scale", [1e-12, 0.1, 1.0, 300.0, 1e12])
def test_units_of_covariates_are_near_their_spread(scale: float) -> None:
    column = scale * np.random.default_rng(6).normal(size=50)
    unit = Units.of({"x": column}, ["x"]).unit["x"]
    assert unit <= column.std() < 2 * unit
    assert np.log2(unit) == np.round(np.log2(unit))
    assert Units.of({"x": np.full(3, scale)}, ["x"]).unit["x"] == 1


def test_subjects_of_a_frame_are_named() -> None:
    frame = pd.DataFrame({"y": [1.0, 2, 3, 4], "w": list("abab"), "s": [1, 1, 2, 2]})
    np.testing.assert_array_equal(as_subjects(frame.iloc[[3, 1, 0, 2]], "y", "w", "s").wide(), [[1, 2], [3, 4]])
    for names in ((None, "w", "s"), ("y", None, "s"), ("y", "w", None)):
        with pytest.raises(DesignError, match="name the measured column, the factor and the ids"):
            as_subjects(frame, *names)


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
