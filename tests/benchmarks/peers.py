"""CPU time of a call against a peer's in the same run, both sides in turn, so that noise meets both alike.

Each measurement is printed, and added as a line of JSON to the file that NEGSTATS_BENCHMARKS names, if it names one:
`python -m tests.benchmarks.report` makes the page on performance of these lines.
"""

from __future__ import annotations

import json
import math
import os
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

Measured = TypeVar("Measured")


def seconds(call: Callable[[], object], rounds: int = 3) -> float:
    """The least CPU time of several: what else runs on the machine only adds."""
    return _least([call], rounds)[0]


def ratio(
    ours: Callable[[], object], peer: Callable[[], object], rounds: int = 5, name: str = "", share: float = 1.0
) -> float:
    """How many times the peer's CPU time ours takes; printed. Of a long loop the peer may do a share only."""
    return best(ours, [peer], name, rounds, share)


def best(
    ours: Callable[[], object],
    peers: Sequence[Callable[[], object]],
    name: str = "",
    rounds: int = 5,
    share: float = 1.0,
) -> float:
    """How many times the CPU time of the fastest of several peers ours takes; printed."""
    mine, *others = _least([ours, *peers], rounds)
    theirs = min(others) / share
    print(f"{name}: {1000 * mine:.1f} ms, peer {1000 * theirs:.1f} ms, ratio {mine / theirs:.3g}")
    _record(name, ours=mine, peer=theirs)
    return mine / theirs


def once(benchmark: BenchmarkFixture, call: Callable[[], Measured]) -> Measured:
    """Take a measurement that repeats and interleaves its calls itself."""
    result: Measured = benchmark.pedantic(call, rounds=1, iterations=1)  # type: ignore[no-untyped-call]
    return result


def ratio_to_seconds(ours: Callable[[], object], peer: float, rounds: int = 5, name: str = "") -> float:
    """How many times the CPU time of a peer that was measured in a process of its own ours takes; printed."""
    mine = seconds(ours, rounds)
    print(f"{name}: {1000 * mine:.1f} ms, peer {1000 * peer:.1f} ms, ratio {mine / peer:.3g}")
    _record(name, ours=mine, peer=peer)
    return mine / peer


def growth(calls: Sequence[Callable[[], object]], times: float, rounds: int = 3, name: str = "") -> float:
    """The exponent of the CPU time's growth from the first size to the last, where each is `times` the one before."""
    taken = _least(calls, rounds)
    exponent = math.log(taken[-1] / taken[0]) / ((len(calls) - 1) * math.log(times))
    print(f"{name}: {', '.join(f'{1000 * one:.1f}' for one in taken)} ms, exponent {exponent:.2f}")
    _record(name, times=times, seconds=taken, exponent=exponent)
    return exponent


def memory(call: Callable[[], object], rows: int, name: str = "") -> float:
    """The most memory that a call holds at once beside its data, in bytes a row, as Python and numpy count it."""
    call()  # what is imported or kept at the first call is none of a row's
    tracemalloc.start()
    try:
        call()
        most = tracemalloc.get_traced_memory()[1] / rows
    finally:
        tracemalloc.stop()
    print(f"{name}: {most:.0f} bytes a row")
    _record(name, bytes_a_row=most)
    return most


def _record(name: str, **measured: float | list[float]) -> None:
    """Add a measurement to the file that the environment names."""
    path = os.environ.get("NEGSTATS_BENCHMARKS")
    if path:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0]
        with Path(path).open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"test": test, "name": name, **measured}) + "\n")


def _least(calls: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    taken = [float("inf")] * len(calls)
    for _ in range(rounds):
        for place, call in enumerate(calls):
            start = time.process_time()
            call()
            taken[place] = min(taken[place], time.process_time() - start)
    return taken
