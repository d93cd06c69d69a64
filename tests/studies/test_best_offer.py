"""The log of bargaining threads: the recipe's expected answers, from every engine by the same code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.benchmarks.best_offer import generate, sql
from tests.benchmarks.best_offer import questions as ask

THREADS = 10_000


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("best_offer") / "log"
    generate.write(folder, THREADS)
    return folder


def _pandas(log: Path) -> tuple[Any, Any]:
    return pd.read_parquet(log / "offers"), pd.read_parquet(log / "listings.parquet")


def _polars(log: Path) -> tuple[Any, Any]:
    return pl.scan_parquet(log / "offers" / "**" / "*.parquet"), pl.scan_parquet(log / "listings.parquet")


def _duckdb(log: Path) -> tuple[Any, Any]:
    connection = duckdb.connect()
    offers = connection.read_parquet(str(log / "offers" / "*" / "*.parquet"))
    return offers, connection.read_parquet(str(log / "listings.parquet"))


ENGINES: dict[str, Callable[[Path], tuple[Any, Any]]] = {"pandas": _pandas, "polars": _polars, "duckdb": _duckdb}


@pytest.fixture(scope="module", params=ENGINES)
def clean(request: pytest.FixtureRequest, log: Path) -> ask.Lazy:
    offers, listings = (nw.from_native(table).lazy() for table in ENGINES[request.param](log))
    return ask.cleaned(offers, listings)


@pytest.mark.slow
def test_the_generator_makes_the_rows_of_the_recipe(log: Path) -> None:
    offers, listings = _pandas(log)
    assert (len(offers), offers["price"].sum(), offers["made_at"].sum()) == (20_134, 75_223_964, 27_298_328_700_153)
    assert (len(listings), listings["seller"].nunique(), offers["buyer"].nunique()) == (4_320, 499, 3_177)
    first = offers[offers["thread"] < 3].sort_values("thread")
    assert first[["item", "buyer", "seller", "price"]].to_numpy().tolist() == [
        [3605, 3277, 390, 3807], [3959, 2392, 340, 2710], [4843, 1842, 308, 3818],
    ]  # fmt: skip
    assert first["status"].tolist() == ["expired", "accepted", "declined"]
    item = listings.sort_values("item").iloc[0]
    assert item.tolist() == [0, 1, 2, 3830, 3176, 1886]


@pytest.mark.slow
def test_duplicates_and_faults_are_found(clean: ask.Lazy) -> None:
    result = clean.collect("pyarrow").to_pandas()
    assert (len(result), int(result["seconds"].isna().sum())) == (20_057, 15)
    first = result[result["k"] == 1]
    assert (len(first), int((first["price"] > first["list_price"]).sum())) == (THREADS, 23)


@pytest.mark.slow(keep=1)
def test_how_threads_end(clean: ask.Lazy) -> None:
    result = ask.ends(clean)
    assert result["threads"].tolist() == [4400, 312, 1497, 634, 3157]
    assert result["length"].tolist() == pytest.approx([2.16295, 1.27564, 2.13627, 1, 1.99873], abs=1e-5)


@pytest.mark.slow(keep=1)
def test_concessions_and_acceptance(clean: ask.Lazy) -> None:
    result = ask.concessions(clean)
    assert (result.counters, result.mean, result.acceptance) == pytest.approx((10_057, 0.293984, 0.285672), abs=1e-6)
    assert result.splits == pytest.approx((2055, 0.418491), abs=1e-6)
    assert result.neighbours == pytest.approx((913, 0.313253), abs=1e-6)
    assert result.tenths["n"].tolist() == [1232, 1948, 2008, 1901, 1494, 1474]
    assert result.tenths["accepted"].tolist() == [256, 446, 491, 534, 505, 641]


@pytest.mark.slow
def test_reciprocity_with_errors_by_seller(clean: ask.Lazy) -> None:
    result = ask.reciprocity(clean)
    assert (result.n, result.sellers) == (4661, 465)
    expected = (0.318431, 0.208390, 0.298804, 0.015674)
    assert (result.slope, result.intercept, result.r, result.error) == pytest.approx(expected, abs=1e-6)


@pytest.mark.slow
def test_sales_by_percentile_of_the_first_offer(clean: ask.Lazy) -> None:
    result = ask.percentiles(clean)
    assert result["class"].tolist() == [0, 1, 3, 4, 5, 6, 7, 8, 9]
    assert result["n"].tolist() == [994, 912, 2374, 713, 990, 996, 1005, 998, 995]
    rates = [0.3109, 0.3739, 0.4170, 0.3955, 0.4313, 0.4880, 0.5174, 0.6072, 0.7367]
    assert result["rate"].tolist() == pytest.approx(rates, abs=5.1e-5)
    prices = [0.6874, 0.7066, 0.7168, 0.7305, 0.7428, 0.7794, 0.8167, 0.8595, 0.9181]
    assert result["price"].tolist() == pytest.approx(prices, abs=5.1e-5)


@pytest.mark.slow(keep=1)
def test_response_times_with_expiry_as_censoring(clean: ask.Lazy) -> None:
    result = ask.waiting(clean)
    assert (result.offers, result.expired, result.median, result.over_a_day) == (19_111, 3157, 33_521.5, 1442)
    assert (result.answered_median, result.answered_mean) == pytest.approx((25_269, 35_996.95), abs=5e-3)


@pytest.mark.slow(keep=1)
def test_the_sale_rate_and_its_errors(clean: ask.Lazy) -> None:
    result = ask.sales(clean)
    assert (result.rate, result.error, result.binomial) == pytest.approx((0.4712, 0.005107, 0.004992), abs=5.1e-7)
    assert result.sellers == 499


@pytest.mark.slow
def test_the_yardstick_gives_the_same(log: Path) -> None:
    """The SQL that the benchmark is measured against answers the same questions."""
    connection = duckdb.connect()
    for name, path in (("offers", "offers/*/*.parquet"), ("listings", "listings.parquet")):
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{log / path}')")  # noqa: S608
    connection.execute(f"CREATE TABLE clean AS {sql.CLEAN}")
    rows = {name: connection.execute(query).fetchall() for name, query in sql.QUERIES.items()}
    assert sorted((count, end, flag) for end, flag, count, _ in rows["ends"])[-1] == (4400, "accepted", False)
    assert sum(row[2] for row in rows["concessions"]) == 10_057
    assert rows["reciprocity"][0] == pytest.approx((0.318431, 0.208390, 0.298804, 4661, 465, 0.015674), abs=1e-6)
    assert [row[1] for row in sorted(rows["percentiles"])] == [994, 912, 2374, 713, 990, 996, 1005, 998, 995]
    assert rows["waiting"][0] == pytest.approx((19_111, 3157, 33_521.5, 25_269, 35_996.95, 1442), abs=5e-3)
    assert rows["sales"][0] == pytest.approx((0.4712, 0.005107, 499, 0.004992), abs=1e-6)


@pytest.mark.slow
def test_a_sample_of_whole_threads_gives_what_pandas_gives(log: Path) -> None:
    every_hundredth = nw.col("thread") % 100 == 0
    answers = []
    for make in ENGINES.values():
        offers, listings = (nw.from_native(table).lazy() for table in make(log))
        part = ask.cleaned(offers.filter(every_hundredth), listings)
        answers.append([question(part) for question in ask.QUESTIONS.values()])
    for others in zip(*answers, strict=True):
        for other in others[1:]:
            if isinstance(other, pd.DataFrame):
                pd.testing.assert_frame_equal(other, others[0], check_dtype=False, rtol=1e-12)
            elif isinstance(other, ask.Concessions):
                assert other.tenths.to_numpy().tolist() == others[0].tenths.to_numpy().tolist()
            else:
                names = other.__slots__
                one, two = (np.array([getattr(item, name) for name in names]) for item in (other, others[0]))
                np.testing.assert_allclose(one, two, rtol=1e-11)
