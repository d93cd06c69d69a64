"""Studies in engines against hand-written SQL of the same questions, and how their time grows.

A million made-up bargaining threads of best offers, and pairs of players that meet once in each condition, with whole
points.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks import pairs
from tests.benchmarks.best_offer import generate, run, sql
from tests.benchmarks.best_offer import questions as ask
from tests.benchmarks.peers import growth, once, ratio
from tests.conftest import ROOT

THREADS = 1_000_000
AIM = 1.5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("best_offer")
    generate.write(found / "log", THREADS)
    run.clean_files(run.connected(found, "2GB"), found / "log", found / "clean")
    return found


def opened(folder: Path) -> tuple[duckdb.DuckDBPyConnection, Any]:
    connection = run.connected(folder, "2GB")
    files = str(folder / "clean" / "*.parquet")
    connection.execute(f"CREATE VIEW clean AS FROM '{files}'")
    return connection, nw.from_native(connection.read_parquet(files)).lazy()


@pytest.mark.parametrize("name", ask.QUESTIONS)
def test_a_question_takes_what_its_sql_takes(benchmark: BenchmarkFixture, folder: Path, name: str) -> None:
    connection, clean = opened(folder)
    text = f"threads in DuckDB, {name}; {THREADS:,} threads"

    def by_hand() -> object:
        return connection.execute(sql.QUERIES[name]).fetchall()

    assert (
        once(benchmark, lambda: ratio(lambda: ask.QUESTIONS[name](clean), by_hand, name=text, against="DuckDB")) <= AIM
    )


def test_cleaning_takes_what_its_sql_takes(benchmark: BenchmarkFixture, folder: Path) -> None:
    connection = run.connected(folder, "2GB")
    places = iter(range(1000))
    name = f"threads in DuckDB, cleaning; {THREADS:,} threads"

    def into() -> Path:
        return folder / f"again-{next(places)}"

    ours, by_hand = (
        partial(lambda clean: clean(connection, folder / "log", into()), clean)
        for clean in (run.clean_files, run.clean_files_by_hand)
    )
    assert once(benchmark, lambda: ratio(ours, by_hand, 3, name, against="DuckDB")) <= AIM


def test_answers_grow_with_the_rows(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    calls = []
    for threads in (50_000, 500_000):
        log = tmp_path / f"log-{threads}"
        generate.write(log, threads)
        connection = run.connected(tmp_path, "2GB")
        run.clean_files(connection, log, tmp_path / str(threads))
        clean: Any = nw.from_native(connection.read_parquet(str(tmp_path / str(threads) / "*.parquet"))).lazy()
        calls.append(partial(lambda rows: [question(rows) for question in ask.QUESTIONS.values()], clean))
    assert once(benchmark, lambda: growth(calls, 10, name="threads in DuckDB, six questions; 500,000 threads")) <= 1.1


def test_memory_stays_where_it_is_bound_while_pairs_grow(benchmark: Any, tmp_path: Path) -> None:
    """A comparison of linked people, in a process of its own that may use 600 MB in DuckDB: the bound and Python's."""
    runs = []

    def measured() -> None:
        for pairs_there in (50_000, 500_000):
            folder = tmp_path / str(pairs_there)
            pairs.write(folder, pairs_there)
            words = [sys.executable, "-m", "tests.benchmarks.pairs", str(folder), str(pairs_there)]
            process = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT)
            runs.append(json.loads(process.stdout))

    benchmark.pedantic(measured, rounds=1)
    print(runs)
    assert [run["n"] for run in runs] == [[50_000] * 2, [500_000] * 2]
    assert {run["unit"] for run in runs} == {"group"}
    assert max(run["memory"] for run in runs) <= 1e9
    assert runs[1]["cpu"] / runs[0]["cpu"] <= 13
