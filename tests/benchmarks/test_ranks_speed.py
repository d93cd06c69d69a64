"""Mann–Whitney on a million rows, as ratios of CPU time against scipy in the same run.

The summary is made of the frame each time. The values are 31 whole numbers, so that the test needs their counts alone;
continuous values are measured in `test_strong_peers_speed.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from negstats.stats.ranks import mann_whitney
from negstats.stats.summaries import ValueCounts
from tests.benchmarks.peers import ratio

ROWS = 1_000_000


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    points = rng.integers(0, 31, ROWS)
    return pd.DataFrame({"points": points, "agent": pd.Categorical(rng.choice(["fair", "selfish"], ROWS))})


def scipy_on(frame: pd.DataFrame) -> Any:
    first = frame["agent"] == "fair"
    return stats.mannwhitneyu(frame.loc[first, "points"], frame.loc[~first, "points"], method="asymptotic")


def ours_on(frame: pd.DataFrame) -> Any:
    return mann_whitney(ValueCounts.from_frame(frame, "points", "agent"))


def timed(benchmark: Any, run: Callable[[], object], frame: pd.DataFrame, what: str) -> float:
    name = f"Mann–Whitney, 31 whole numbers, {what}; {ROWS:,} rows"
    taken = ratio(run, lambda: scipy_on(frame), 5, name, against="scipy")
    benchmark.pedantic(run, rounds=5, iterations=1)
    return taken


def test_peers_agree(frame: pd.DataFrame) -> None:
    ours, peer = ours_on(frame), scipy_on(frame)
    assert (ours.statistic, ours.p) == pytest.approx((peer.statistic, peer.pvalue), rel=1e-8)


def test_from_a_frame(benchmark: Any, frame: pd.DataFrame) -> None:
    assert 1 / timed(benchmark, lambda: ours_on(frame), frame, "factor as categories") >= 20


def test_from_a_frame_whose_factor_is_text(benchmark: Any, frame: pd.DataFrame) -> None:
    text = frame.astype({"agent": "str"})  # coding a million strings takes most of the time
    assert 1 / timed(benchmark, lambda: ours_on(text), text, "factor as text") >= 2


def test_from_value_counts(benchmark: Any, frame: pd.DataFrame) -> None:
    counts = ValueCounts.from_frame(frame, "points", "agent")
    assert 1 / timed(benchmark, lambda: mann_whitney(counts), frame, "from their counts") >= 100
