"""What a mapping is drafted in: long tables, wide ones and lists in cells, each in a process of its own.

There is nothing to compare it with: no other program guesses what a table's columns are. So seconds of the processor
and the peak of the memory beyond what the libraries take are bounded, in place of ratios.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.peers import once
from tests.conftest import ROOT

MEGABYTES = 500
CODE = """
import sys, time
from pathlib import Path
from negstats.loaders.mapping import suggest
from tests.benchmarks.peak import peak
suggest(Path(sys.argv[1]))  # the imports
before, start = peak(), time.process_time()
suggest(Path(sys.argv[2]))
print(time.process_time() - start, (peak() - before) / 2**20)
"""


def decisions(rows: int, others: int) -> pl.DataFrame:
    """Return ten decisions of each person, and further columns of numbers."""
    rng = np.random.default_rng(1)
    person = np.arange(rows) // 10
    columns = {
        "subject": "s" + pl.Series(person).cast(pl.String),
        "trial": np.arange(rows) % 10 + 1,
        "condition": np.where(person % 2, "framed", "control"),
        "offer": rng.integers(0, 11, rows),
        "accepted": rng.integers(0, 2, rows),
    }
    return pl.DataFrame(columns | {f"item_{place}": rng.integers(1, 8, rows) for place in range(others)})


def lists(columns: int) -> pl.DataFrame:
    """Return eight games whose cells hold lists of offers, as JSON."""
    rng = np.random.default_rng(2)
    cells = {
        f"list_{place}": [json.dumps(rng.integers(0, 11, 12).tolist()) for _ in range(8)] for place in range(columns)
    }
    return pl.DataFrame({"game": [f"g{place}" for place in range(8)], **cells})


def survey(rows: int, columns: int) -> pl.DataFrame:
    """Return what each person answered: scales, yes or no, words, and numbers that some left out."""
    rng = np.random.default_rng(3)
    words = [f"region {place}" for place in range(24)]
    kinds: tuple[Callable[[], Any], ...] = (
        lambda: rng.integers(1, 6, rows),
        lambda: rng.choice(["Yes", "No"], rows),
        lambda: [None if rng.random() < 0.4 else int(rng.integers(1, 11)) for _ in range(rows)],
        lambda: rng.choice(["Strongly agree", "Agree", "Neutral", "Disagree"], rows),
        lambda: rng.integers(0, 101, rows),
        lambda: rng.choice(words, rows),
    )
    answers = {f"V{place}": kinds[place % len(kinds)]() for place in range(columns - 1)}
    return pl.DataFrame({"respondent": np.arange(rows) + 10_001, **answers})


TABLES: dict[str, tuple[Callable[[], pl.DataFrame], float]] = {
    "1,000,000 rows of 20 columns": (lambda: decisions(1_000_000, 15), 6),
    "5,000 rows of 1,000 columns": (lambda: decisions(5_000, 995), 6),
    "3,400 rows of 377 answers of a survey": (lambda: survey(3_400, 377), 8),
    "8 rows of 16 columns of lists": (lambda: lists(16), 2),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_mapping_is_drafted(name: str, benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    build, most = TABLES[name]
    build().write_csv(tmp_path / "log.csv")
    decisions(100, 3).write_csv(tmp_path / "small.csv")
    words = [sys.executable, "-c", CODE, str(tmp_path / "small.csv"), str(tmp_path / "log.csv")]
    process = once(benchmark, lambda: subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT))
    seconds, megabytes = map(float, process.stdout.split())
    print(f"mapping drafted of {name}: {seconds:.2f} s, {megabytes:.0f} MB")
    assert (seconds <= most, megabytes <= MEGABYTES) == (True, True), (seconds, megabytes)
