"""How long importing and loading take, each against what the same files cost without negstats, in the same run."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import pandas as pd
from pytest_benchmark.fixture import BenchmarkFixture
from python_calamine import CalamineWorkbook

from negstats.loaders.format import untracked
from negstats.loaders.solver_cl import FORMAT
from tests.benchmarks.peers import record_ratio
from tests.conftest import DataFolder


def best(function: Callable[[], object], rounds: int = 7) -> float:
    """Return the shortest of several times: what the work costs when nothing else is in the way."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def test_import_negstats(benchmark: BenchmarkFixture) -> None:
    def start(code: str) -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - begin

    bare = statistics.median(start("pass") for _ in range(5))
    loaded = statistics.median(start("import negstats") for _ in range(5))
    benchmark(start, "import negstats")
    benchmark.extra_info["seconds beyond a bare interpreter"] = loaded - bare
    assert loaded - bare <= 0.3


def test_the_workbooks_against_reading_them_alone(benchmark: BenchmarkFixture, real_data: DataFolder) -> None:
    folder = real_data("solver_cl")
    files = sorted(folder.rglob("*.xlsx"))
    bare = best(lambda: [CalamineWorkbook.from_path(str(file)).get_sheet_by_index(0).to_python() for file in files])
    frames = best(lambda: [pd.read_excel(file, engine="calamine") for file in files], rounds=3)
    ours = best(lambda: FORMAT.read(folder, untracked))
    benchmark(FORMAT.read, folder, untracked)
    benchmark.extra_info["ratio to calamine's rows"] = ours / bare
    benchmark.extra_info["ratio to pandas.read_excel with calamine"] = ours / frames
    name = f"workbooks of a study; {len(files)} files"
    record_ratio(ours, bare, name, "calamine's rows, no table yet")
    record_ratio(ours, frames, name, "pandas with calamine")
    assert ours / frames <= 1.5  # what a user would pick instead; calamine's bare rows are no table yet
