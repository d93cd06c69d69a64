"""Numbers and verdicts follow from the data: not from their unit, origin or order, nor from the processor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from negstats import stats
from tests import invariance
from tests.conftest import runs

CHANGES = {name: change for name, change in invariance.CHANGES.items() if name != "as it is"}
FARTHER = invariance.Change(1.0, 1e9)
ROUNDED = {"repeated_factors", "mixed slopes", "dyad_correlation", "distinguishability"}  # at 1e9, to fewer digits


def agree(actual: Any, expected: Any) -> None:
    """Hold numbers against each other; what is 0 in one may be rounding in the other."""
    np.testing.assert_allclose(actual, expected, rtol=1e-8, atol=1e-14)


@cache
def plain() -> dict[str, list[float]]:
    return invariance.numbers()


@pytest.mark.slow(keep=20)
@pytest.mark.parametrize(
    ("name", "change"),
    [
        pytest.param(name, change, id=f"{name}, {called}")
        for name in invariance.LOCATION
        for called, change in (CHANGES | {"farther": FARTHER}).items()
        if called != "farther" or name not in ROUNDED
    ],
)
def test_unit_origin_and_order_change_no_test(name: str, change: invariance.Change) -> None:
    expected = plain()[name]
    assert expected
    assert np.isfinite(expected).any()
    agree(invariance.LOCATION[name](invariance.rows(change)), expected)


ENGINES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "polars": pl.from_pandas,
    "lazy polars": lambda frame: pl.from_pandas(frame).lazy(),
    "arrow": pa.Table.from_pandas,
    "duckdb": duckdb.from_df,
}


class Through:
    """The functions of `negstats.stats`, given each frame of pandas as one of another engine."""

    def __init__(self, engine: Callable[[pd.DataFrame], Any]) -> None:
        self.engine = engine

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*given: Any, **options: Any) -> Any:
            frames = (
                self.engine(one.reset_index(drop=True)) if isinstance(one, pd.DataFrame) else one for one in given
            )
            return getattr(stats, name)(*frames, **options)

        return call


@pytest.mark.slow(keep=20)
@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("name", invariance.LOCATION)
def test_every_engine_gives_the_same(name: str, engine: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = plain()[name]
    monkeypatch.setattr(invariance, "stats", Through(engine))
    agree(invariance.LOCATION[name](invariance.rows()), expected)


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("unit", [1e-9, 1e9])
@pytest.mark.parametrize("name", invariance.SCALE)
def test_the_unit_changes_no_measure(name: str, unit: float) -> None:
    case = invariance.SCALE[name]
    expected = case(1.0)
    assert expected
    assert np.isfinite(expected).any()
    agree(case(unit), expected)


@pytest.mark.slow(keep=8)
@pytest.mark.parametrize("change", invariance.CHANGES.values(), ids=invariance.CHANGES)
@pytest.mark.parametrize("name", invariance.VERDICTS)
def test_what_cannot_be_estimated_is_refused_in_any_unit_origin_and_order(name: str, change: invariance.Change) -> None:
    case, data = invariance.VERDICTS[name], invariance.flat(change)
    assert invariance.refused(lambda: case(data))


def runs_here(kernel: str) -> bool:
    """Whether this processor has the instructions of a kernel of OpenBLAS."""
    needed = {"Haswell": "avx2", "Zen": "avx2", "SkylakeX": "avx512vl"}[kernel]
    described = Path("/proc/cpuinfo")
    return described.exists() and needed in described.read_text(encoding="utf-8").split()


# Each kernel and each number of threads in the normal run; crossed with each other by ``-m calibration``.
CALIBRATION = [pytest.mark.calibration, pytest.mark.skipif(not runs(1, 0), reason="pytest -m calibration crosses them")]
CROSSED = [
    pytest.param(kernel, threads, marks=[] if (kernel == "Haswell") == (threads == 1) else CALIBRATION)
    for kernel in ("Haswell", "Zen", "SkylakeX")
    for threads in (1, 2)
]


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "threads"), CROSSED)
def test_kernels_and_threads_of_blas_change_nothing(kernel: str, threads: int) -> None:
    if not runs_here(kernel):
        pytest.skip(f"this processor does not run the kernels for {kernel}")
    settings = {"OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    root = Path(__file__).parents[1]
    process = subprocess.run(
        [sys.executable, "-m", "tests.invariance"],
        env={**os.environ, **settings, "PYTHONPATH": str(root)},
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    content = json.loads(process.stdout)
    assert all(content["verdicts"].values())
    expected = plain()
    assert content["numbers"].keys() == expected.keys()
    for name, values in expected.items():
        agree(content["numbers"][name], values)
