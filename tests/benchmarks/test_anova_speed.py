"""How fast analysis of variance is, as ratios of CPU time against its peers in the same run."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pingouin
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from negstats.stats.means.anova import anova
from negstats.stats.summaries import Cells
from tests.benchmarks.peers import ratio

BY = ["agent", "sex"]


def least(run: Callable[[], object], times: int, repeats: int = 7) -> float:
    """Seconds a call, the least of several repeats: noise only ever adds time."""
    run()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(times):
            run()
        seconds.append((time.perf_counter() - start) / times)
    return min(seconds)


def frame_of(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "agent": rng.choice(["fair", "mixed", "selfish"], rows),
            "sex": rng.choice(["f", "m"], rows),
            "points": rng.normal(size=rows),
        }
    )


def by_statsmodels(frame: pd.DataFrame) -> Any:
    return sm.stats.anova_lm(smf.ols("points ~ C(agent, Sum) * C(sex, Sum)", frame).fit(), typ=3)


def by_pingouin(frame: pd.DataFrame) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its calls of pandas warn
        return pingouin.anova(frame, dv="points", between=BY, ss_type=3)


@pytest.fixture
def frame() -> pd.DataFrame:
    return frame_of(600, 1)


def test_peers_agree(frame: pd.DataFrame) -> None:
    ours = anova(frame, "points", BY)
    theirs = by_statsmodels(frame)
    np.testing.assert_allclose(ours.statistic, theirs["F"].iloc[1:4], rtol=1e-9)
    np.testing.assert_allclose(ours.statistic, by_pingouin(frame)["F"].iloc[:3], rtol=1e-2)  # pingouin rounds


def test_two_way_from_a_frame(benchmark: Any, frame: pd.DataFrame) -> None:
    def run() -> object:
        return anova(frame, "points", BY)

    statsmodels = ratio(run, lambda: by_statsmodels(frame), 10, "two-way ANOVA; 600 rows", against="statsmodels")
    pingouin_ = ratio(run, lambda: by_pingouin(frame), 10, "two-way ANOVA; 600 rows", against="pingouin")
    benchmark.pedantic(run, rounds=5, iterations=1)
    assert 1 / statsmodels >= 10
    assert 1 / pingouin_ >= 15


def test_two_way_from_cells(benchmark: Any, frame: pd.DataFrame) -> None:
    cells = Cells.from_frame(frame, "points", BY)

    def run() -> object:
        return anova(cells)

    statsmodels = ratio(run, lambda: by_statsmodels(frame), 10)
    benchmark.pedantic(run, rounds=5, iterations=1)
    assert 1 / statsmodels >= 100


def test_a_thousand_studies(benchmark: Any) -> None:
    studies, rows = 1000, 143
    rng = np.random.default_rng(2)
    agent, sex = rng.integers(0, 3, rows), rng.integers(0, 2, rows)
    y = rng.normal(size=(studies, rows))
    cell = [[(agent == i) & (sex == j) for j in range(2)] for i in range(3)]

    def run() -> object:
        n = np.array([[where.sum() for where in row] for row in cell], dtype=float)
        mean = np.stack([np.stack([y[:, where].mean(axis=1) for where in row], axis=-1) for row in cell], axis=-2)
        variance = np.stack(
            [np.stack([y[:, where].var(axis=1, ddof=1) for where in row], axis=-1) for row in cell], axis=-2
        )
        return anova(Cells(np.broadcast_to(n, mean.shape), mean, variance, factors.factors)).p

    frames = [
        pd.DataFrame({"agent": agent, "sex": sex, "points": y[i]}).astype({"agent": str, "sex": str}) for i in range(20)
    ]
    factors = Cells.from_frame(frames[0], "points", BY)

    def loop() -> object:
        return [by_pingouin(frame) for frame in frames]

    pingouin_ = ratio(run, loop, 3, share=20 / studies)
    benchmark.pedantic(run, rounds=5, iterations=1)
    assert 1 / pingouin_ >= 300


PEAK = """
import json, sys
import duckdb
from negstats.stats.means.anova import anova
from tests.benchmarks.peak import peak
result = anova(duckdb.read_parquet(sys.argv[1]), "points", ["agent", "sex"])
print(json.dumps({"peak": peak(), "n": result.n}))
"""


@pytest.mark.slow
def test_ten_million_rows_in_parquet(benchmark: Any, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    duckdb.sql(
        f"""COPY (SELECT ['fair', 'mixed', 'selfish'][1 + CAST(floor(random() * 3) AS INT)] AS agent,
        ['f', 'm'][1 + CAST(floor(random() * 2) AS INT)] AS sex, random() * 10 AS points
        FROM range(10_000_000)) TO '{path}'"""  # noqa: S608
    )
    query = f"SELECT agent, sex, count(points), avg(points), var_samp(points) FROM '{path}' GROUP BY agent, sex"  # noqa: S608

    def run() -> object:
        return anova(duckdb.read_parquet(str(path)), "points", BY)

    def group() -> object:
        relation = duckdb.sql(query)
        return relation and relation.fetchall()

    # Turn by turn and often: a busy moment of the machine slows both, and the least of many is what the work takes.
    pairs = [(least(group, 1, 1), least(run, 1, 1)) for _ in range(25)]
    bare, ours = (min(column) for column in zip(*pairs, strict=True))
    benchmark.extra_info.update({"seconds_bare_group_by": bare, "times_the_bare_group_by": ours / bare})
    benchmark.pedantic(run, rounds=5, iterations=1)
    child = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    content = json.loads(child.stdout)
    benchmark.extra_info["peak_megabytes"] = content["peak"] / 2**20
    assert content["n"] == 10_000_000
    assert ours / bare <= 1.3
    assert content["peak"] / 2**20 < 600
