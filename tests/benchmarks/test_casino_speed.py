"""How long the dialogue corpora take to load; CaSiNo against parsing its JSON alone, in the same run.

CaSiNo's load reads and hashes the files, builds all tables and checks them. Both sides start from a collected heap and
take turns, and the shortest of the times counts: what the work costs when nothing else is in the way.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import orjson
from pytest_benchmark.fixture import BenchmarkFixture

import negstats
from tests.benchmarks.peers import record_ratio
from tests.conftest import DataFolder


def seconds(function: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    function()
    return time.process_time() - start


def test_casino_against_orjson(benchmark: BenchmarkFixture, real_data: DataFolder) -> None:
    folder = real_data("casino")
    files = sorted(folder.glob("*.json"))

    def load() -> object:
        return negstats.load(folder)

    def parse() -> object:
        return [orjson.loads(file.read_bytes()) for file in files]

    times = [(seconds(load), seconds(parse)) for _ in range(25)]
    ours, bare = (min(side) for side in zip(*times, strict=True))
    benchmark.extra_info["ratio to orjson.loads"] = ours / bare
    benchmark(load)
    assert record_ratio(ours, bare, "CaSiNo, the real log; 1,030 dialogues", "orjson, parsing alone") <= 2.5


def test_dealornodeal(benchmark: BenchmarkFixture, real_data: DataFolder) -> None:
    file = real_data("dealornodeal") / "data.txt"
    study = benchmark(lambda: negstats.load(file))
    benchmark.extra_info["games"] = len(study.games)
