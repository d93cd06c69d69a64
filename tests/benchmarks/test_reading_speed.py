"""What a mapping is drafted in: long tables, wide ones, lists in cells and folders, each in a process of its own.

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


def meetings(rows: int, others: int) -> pl.DataFrame:
    """Return what pairs of people who meet in sessions gave each other in ten periods, and further answers of each."""
    rng = np.random.default_rng(4)
    place = np.arange(rows)
    person, period = place // 10, place % 10 + 1
    session = person // 20
    columns = {
        "session": session + 1,
        "group": person % 20 // 2 + 1,
        "subject": "s" + pl.Series(person).cast(pl.String),
        "partner": "s" + pl.Series(person ^ 1).cast(pl.String),
        "period": period,
        "treatment": np.where(session % 2, "framed", "control"),
        "role": np.where(person % 2, "A", "B"),
        "offer": rng.integers(0, 11, rows),
    }
    return pl.DataFrame(columns | {f"answer_{each}": rng.integers(1, 8, rows // 10)[person] for each in range(others)})


def tournament(agents: int) -> pl.DataFrame:
    """Return what both agents of each pair got, each of which meets some of the others once."""
    rng = np.random.default_rng(5)
    one = np.repeat(np.arange(agents), 4)
    other = (one + np.tile([1, 7, 31, 101], agents)) % agents
    names = pl.Series([f"agent {place}" for place in range(agents)])
    scores = {name: rng.random(len(one)).round(3) for name in ("score_1", "score_2")}
    return pl.DataFrame({"agent_1": names[one], "agent_2": names[other], **scores})


def games(folder: Path, count: int) -> Path:
    """Write each game to a file of its own, as programs leave it: settings, turns with objects in them, and a trace."""
    rng = np.random.default_rng(6)
    (within := folder / "games").mkdir()
    for game in range(count):
        turns = [
            {
                "round": turn // 2 + 1,
                "agent": ("buyer", "seller")[turn % 2],
                "message": {"text": f"I offer {rng.integers(99)}, and no more.", "price": int(rng.integers(99))},
                "usage": {"tokens": int(rng.integers(100, 900)), "cost": float(rng.random())},
            }
            for turn in range(40)
        ]
        result = {"agreement": bool(game % 3), "price": int(rng.integers(99))}
        told = {"game": game, "condition": ("fair", "selfish")[game % 2], "turns": turns, "result": result}
        text = json.dumps(told | {"trace": rng.random((30, 30)).tolist()})
        (within / f"{game}.json").write_text(text, encoding="utf-8")
    return within


def saved(table: pl.DataFrame, folder: Path) -> Path:
    """Write a table as a file of text."""
    table.write_csv(folder / "log.csv")
    return folder / "log.csv"


LOGS: dict[str, tuple[Callable[[Path], Path], float]] = {
    "1,000,000 rows of 20 columns": (lambda folder: saved(decisions(1_000_000, 15), folder), 6),
    "5,000 rows of 1,000 columns": (lambda folder: saved(decisions(5_000, 995), folder), 6),
    "3,400 rows of 377 answers of a survey": (lambda folder: saved(survey(3_400, 377), folder), 8),
    "8 rows of 16 columns of lists": (lambda folder: saved(lists(16), folder), 2),
    "25,000 rows of 30 columns of people who meet": (lambda folder: saved(meetings(25_000, 22), folder), 6),
    "24,000 games of 6,000 agents": (lambda folder: saved(tournament(6_000), folder), 4),
    "180 files of nested JSON": (lambda folder: games(folder, 180), 15),
}


@pytest.mark.parametrize("name", LOGS)
def test_a_mapping_is_drafted(name: str, benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    write, most = LOGS[name]
    decisions(100, 3).write_csv(tmp_path / "small.csv")
    words = [sys.executable, "-c", CODE, str(tmp_path / "small.csv"), str(write(tmp_path))]
    process = once(benchmark, lambda: subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT))
    seconds, megabytes = map(float, process.stdout.split())
    print(f"mapping drafted of {name}: {seconds:.2f} s, {megabytes:.0f} MB")
    assert (seconds <= most, megabytes <= MEGABYTES) == (True, True), (seconds, megabytes)
