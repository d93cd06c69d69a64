"""How long permutation and bootstrap take, in CPU time against scipy's with its best batch, and against bare numpy.

Two groups of whole numbers from 0 to 9, so that many values are alike.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from negstats.stats.resampling import bootstrap_interval, permutation_test
from tests.benchmarks.peers import best

Array = npt.NDArray[np.float64]
RESAMPLES = 9_999
BATCHES = (100, 500, 2_000)
Of = Callable[..., Array]


def welch(a: Array, b: Array, axis: int = -1) -> Array:
    gap = a.mean(axis) - b.mean(axis)
    return np.asarray(gap / np.sqrt(a.var(axis, ddof=1) / a.shape[axis] + b.var(axis, ddof=1) / b.shape[axis]))


def middle(a: Array, b: Array, axis: int = -1) -> Array:
    return np.asarray(np.median(a, axis) - np.median(b, axis))


def bare(x: Array, y: Array, of: Of, batch: int) -> float:
    """Return p by a hand-written loop over batches of permuted rows."""
    rng, whole, observed, hits = np.random.default_rng(2), np.concatenate([x, y]), abs(of(x, y)), 0
    for start in range(0, RESAMPLES, batch):
        rows = rng.permuted(np.tile(whole, (min(batch, RESAMPLES - start), 1)), axis=1)
        hits += int((np.abs(of(rows[:, : len(x)], rows[:, len(x) :])) >= observed * (1 - 1e-12)).sum())
    return (hits + 1) / (RESAMPLES + 1)


def samples(rows: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(1)
    return rng.integers(0, 9, rows // 2).astype(float), rng.integers(1, 10, rows // 2).astype(float)


@pytest.mark.parametrize(
    ("statistic", "of", "rows"), [("t", welch, 200), ("t", welch, 2_000), ("median difference", middle, 200)]
)
def test_permutation(benchmark: Any, statistic: str, of: Of, rows: int) -> None:
    x, y = samples(rows)

    def ours() -> Any:
        return permutation_test({"x": x, "y": y}, statistic=statistic, rng=np.random.default_rng(2))

    theirs = partial(stats.permutation_test, (x, y), of, vectorized=True, n_resamples=RESAMPLES)
    name = f"permutation test of {statistic}; {rows:,} rows"
    by_hand = best(ours, [partial(bare, x, y, of, batch) for batch in BATCHES], name, against="numpy")
    scipy = best(ours, [partial(theirs, batch=batch) for batch in BATCHES], name, against="scipy")
    benchmark.pedantic(ours, rounds=1, iterations=1)
    assert ours().p == pytest.approx(theirs().pvalue, abs=0.02)
    assert scipy <= 1
    assert by_hand <= 2


@pytest.mark.parametrize("rows", [200, 2_000])
def test_bca(benchmark: Any, rows: int) -> None:
    x, y = samples(rows)

    def ours() -> Any:
        return bootstrap_interval({"x": x, "y": y}, statistic="t", rng=np.random.default_rng(2))

    theirs = partial(stats.bootstrap, (x, y), welch, vectorized=True, n_resamples=RESAMPLES)
    scipy = best(
        ours, [partial(theirs, batch=batch) for batch in BATCHES], f"BCa interval of t; {rows:,} rows", against="scipy"
    )
    benchmark.pedantic(ours, rounds=1, iterations=1)
    ends = theirs().confidence_interval
    assert (ours().interval.low, ours().interval.high) == pytest.approx((ends.low, ends.high), abs=0.1)
    assert scipy <= 1
