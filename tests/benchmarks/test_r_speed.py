"""Tests whose strongest peer is R: Tukey's comparisons, and the exact test of a table with several rows and columns.

R measures itself in a process of its own, without its start, and gives the p that ours must agree with. Groups are
normal, 1,000 rows in three of them; tables are drawn with all cells alike, and given to both as a table.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from negstats import stats
from tests.benchmarks.peers import ratio_to_seconds

R = shutil.which("Rscript") or ""
pytestmark = pytest.mark.skipif(not R, reason="R is not installed")

LEAST = """
least <- function(call, rounds, times) {
  call()
  min(sapply(1:rounds, function(round) {
    start <- proc.time(); for (one in 1:times) call(); sum((proc.time() - start)[1:2]) / times
  }))
}
"""
TUKEY = """
frame <- read.csv("frame.csv")
frame$group <- factor(frame$group)
call <- function() TukeyHSD(aov(y ~ group, frame))$group[, 4]
"""
FISHER = """
table <- as.matrix(read.csv("table.csv", header = FALSE))
call <- function() fisher.test(table, workspace = 2e8)$p.value
"""
TABLES = {  # with a seed, and the rounds that R measures: it takes minutes for some larger tables
    "3 x 7, 120 people": (3, 7, 120, 5, 3),
    "4 x 4, 80 people": (4, 4, 80, 5, 3),
    "4 x 4, 120 people": (4, 4, 120, 5, 3),
    "5 x 5, 100 people": (5, 5, 100, 2, 1),
}


def by_r(source: str, folder: Path, rounds: int, times: int) -> tuple[float, list[float]]:
    """Return the CPU seconds of a call in R, and the p that it gives."""
    ends = f"\ncat(jsonlite::toJSON(c(least(call, {rounds}, {times}), call()), digits = 17, auto_unbox = TRUE))\n"
    script = folder / "peer.R"
    script.write_text(LEAST + source + ends, encoding="utf-8")
    printed = subprocess.run([R, str(script)], cwd=folder, capture_output=True, text=True, check=True).stdout
    taken, *p = json.loads(printed)
    return float(taken), [float(one) for one in p]


def test_tukey_of_three_groups(benchmark: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    group = rng.integers(0, 3, 1000)
    frame = pd.DataFrame({"group": np.array([*"abc"])[group], "y": rng.normal(0.15 * group, 1)})
    frame.to_csv(tmp_path / "frame.csv", index=False)
    frame = pd.read_csv(tmp_path / "frame.csv")
    taken, expected = by_r(TUKEY, tmp_path, 5, 20)

    def ours() -> pd.DataFrame:
        return stats.pairwise(frame, "y", "group", specs="group").to_frame()

    assert ours()["p_adjusted"].tolist() == pytest.approx(expected, abs=1e-8)
    name = "Tukey's comparisons of three groups; 1,000 rows"
    assert benchmark.pedantic(lambda: ratio_to_seconds(ours, taken, 15, name, "R"), rounds=1) <= 5


def draw_table(rows: int, columns: int, people: int, seed: int) -> npt.NDArray[np.int64]:
    cells = np.random.default_rng(seed).multinomial(people, np.full(rows * columns, 1 / (rows * columns)))
    return cells.reshape(rows, columns)


@pytest.mark.parametrize("name", TABLES)
def test_an_exact_test(benchmark: Any, name: str, tmp_path: Path) -> None:
    *drawn, rounds = TABLES[name]
    table = draw_table(*drawn)
    np.savetxt(tmp_path / "table.csv", table, fmt="%d", delimiter=",")
    taken, (expected,) = by_r(FISHER, tmp_path, rounds, 1)
    assert stats.fisher(table).p == pytest.approx(expected, abs=1e-8)
    assert stats.fisher(table).p == pytest.approx(expected, rel=1e-6)
    size = "Fisher's exact test, {} × {}; {} people".format(*drawn[:3])
    ours = partial(stats.fisher, table)
    assert benchmark.pedantic(lambda: ratio_to_seconds(ours, taken, rounds, size, "R"), rounds=1) <= 3
