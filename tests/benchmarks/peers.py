"""CPU time of a call against a peer's in the same run, both sides in turn, so that noise meets both alike.

Each measurement is printed, and added as a line of JSON to the file that NEGSTATS_BENCHMARKS names, if it names one:
`python -m tests.benchmarks.report` makes the page on performance of these lines.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

Measured = TypeVar("Measured")


def ratio(
    ours: Callable[[], object],
    peer: Callable[[], object],
    rounds: int = 5,
    name: str = "",
    share: float = 1.0,
    against: str = "",
) -> float:
    """How many times the peer's CPU time ours takes; printed. Of a long loop the peer may do a share only.

    The name says what was done and, after a semicolon, of how much: ``"ICC, three raters; 1,000,000 rows"``.
    """
    return best(ours, [peer], name, rounds, share, against)


def best(
    ours: Callable[[], object],
    peers: Sequence[Callable[[], object]],
    name: str = "",
    rounds: int = 5,
    share: float = 1.0,
    against: str = "",
) -> float:
    """How many times the CPU time of the fastest of several peers ours takes; printed."""
    mine, *others = _least([ours, *peers], rounds)
    return record_ratio(mine, min(others) / share, name, against)


def once(benchmark: BenchmarkFixture, call: Callable[[], Measured]) -> Measured:
    """Take a measurement that repeats and interleaves its calls itself."""
    result: Measured = benchmark.pedantic(call, rounds=1, iterations=1)  # type: ignore[no-untyped-call]
    return result


def growth(calls: Sequence[Callable[[], object]], times: float, rounds: int = 3, name: str = "") -> float:
    """The exponent of the CPU time's growth from the first size to the last, where each is `times` the one before."""
    taken = _least(calls, rounds)
    return record_growth([times**place for place in range(len(calls))], taken, name)


def record_ratio(ours: float, peer: float, name: str, against: str) -> float:
    """Print and keep the seconds of both sides; return how many times the peer's ours are."""
    print(f"{name}: {1000 * ours:.1f} ms, {against or 'peer'} {1000 * peer:.1f} ms, ratio {ours / peer:.3g}")
    _record(name, ours=ours, peer=peer, against=against)
    return ours / peer


def record_growth(sizes: Sequence[float], taken: Sequence[float], name: str) -> float:
    """Print and keep the seconds by size; return the exponent of their growth from the first to the last."""
    exponent = math.log(taken[-1] / taken[0]) / math.log(sizes[-1] / sizes[0])
    print(f"{name}: {', '.join(f'{1000 * one:.1f}' for one in taken)} ms, exponent {exponent:.2f}")
    _record(name, times=(sizes[-1] / sizes[0]) ** (1 / (len(sizes) - 1)), seconds=list(taken), exponent=exponent)
    return exponent


def _record(name: str, **measured: float | list[float] | str) -> None:
    """Add a measurement to the file that the environment names; one without a name is printed only.

    So are peers that nobody would call fast: a loop of whole fits beside what takes all studies at once.
    """
    path = os.environ.get("NEGSTATS_BENCHMARKS")
    if path and name:
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
