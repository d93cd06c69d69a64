"""How long mixed models of yes or no take, as ratios of CPU time against the engine's own call, with their growth.

Where R and lme4 are there, glmer fits the same rows in the same run.
"""

from __future__ import annotations

import shutil
import subprocess
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import glmm
import numpy as np
import pandas as pd
import pytest

from negstats.estimate.people import PersonDecisions
from negstats.estimate.thresholds import fit_thresholds
from negstats.stats import mixed
from tests.benchmarks.peers import growth, once, ratio
from tests.reference.crossed_data import timing
from tests.stats.models.generators import decisions


def by_engine(frame: pd.DataFrame, formula: str, nagq: int) -> Any:
    """Call the engine as somebody would who knows it alone, on the same columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return glmm.fit(frame, formula, "binomial", nagq=nagq, anova_test="Wald")


def cpu(call: Callable[[], object], times: int = 1) -> float:
    best = np.inf
    for _ in range(times):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return float(best)


@pytest.mark.parametrize(
    ("people", "nagq", "most"),
    [(715, None, 1.3), (715, 9, 1.4), (715, 1, 1.3), (5000, None, 1.3), (5000, 1, 1.3), (50_000, 1, 1.3)],
    ids=[
        "14,300 rows",
        "14,300 rows, 9 nodes",
        "14,300 rows, Laplace",
        "1e5 rows",
        "1e5 rows, Laplace",
        "1e6 rows, Laplace",
    ],
)
def test_one_random_effect(benchmark: Any, people: int, nagq: int | None, most: float) -> None:
    """With nodes the check of the fit against the integral is in it."""
    frame = decisions(7, people, 20, effect=0.8)
    formula = "y ~ x + g + (1 | person)"

    def ours() -> object:
        return mixed(frame, formula, family="binomial", nagq=nagq)

    method = {None: "chosen nodes", 1: "Laplace"}.get(nagq, f"{nagq} nodes")
    name = f"mixed model of yes or no, {method}; {len(frame):,} rows"
    peer = partial(by_engine, frame, formula, 25 if nagq is None else nagq)
    taken = ratio(ours, peer, 9 if people < 5000 else 3, name, against="glmm")
    benchmark.extra_info["of_the_engine"] = taken
    benchmark.pedantic(ours, rounds=1, iterations=1)
    assert taken <= most


def test_people_and_items(benchmark: Any) -> None:
    frame = decisions(7, 715, 20, effect=0.8)
    frame["item"] = np.tile(np.arange(20), 715)
    formula = "y ~ x + g + (1 | person) + (1 | item)"

    def ours() -> object:
        return mixed(frame, formula, family="binomial")

    name = f"mixed model of yes or no, people and items; {len(frame):,} rows"
    taken = ratio(ours, lambda: by_engine(frame, formula, 1), 7, name, against="glmm")
    benchmark.extra_info["of_the_engine"] = taken
    benchmark.pedantic(ours, rounds=1, iterations=1)
    assert taken <= 1.3


R_CODE = """
suppressMessages(library(lme4))
data <- read.csv(commandArgs(TRUE)[1], stringsAsFactors = TRUE)
cat(sum(system.time(suppressWarnings(glmer(as.formula(commandArgs(TRUE)[2]), data, binomial)))[1:2]))
"""


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not there")
@pytest.mark.parametrize("random", ["(1 | team / person)", "(1 | person) + (1 | item)"], ids=["nested", "crossed"])
def test_a_tenth_of_lme4(benchmark: Any, random: str, tmp_path: Path) -> None:
    """14,300 rows of 715 people; Laplace's approximation in both."""
    frame, formula = timing(), f"y ~ x * g + {random}"
    frame.to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "fit.R").write_text(R_CODE, encoding="utf-8")
    call = ["Rscript", str(tmp_path / "fit.R"), str(tmp_path / "rows.csv"), formula]
    process = subprocess.run(call, capture_output=True, text=True, check=False)
    if process.returncode:
        pytest.skip("R has no lme4")
    mixed(frame, formula, family="binomial")  # the imports
    own = cpu(lambda: mixed(frame, formula, family="binomial"), 3)
    benchmark.extra_info["of_lme4"] = own / float(process.stdout)
    benchmark.pedantic(lambda: None, rounds=1, iterations=1)
    assert own <= float(process.stdout) / 10


def test_growth(benchmark: Any) -> None:
    """Twelve times as long for ten times the rows, or what the engine's own call takes more, if that is more."""
    frames, formula = [decisions(7, people, 20, effect=0.8) for people in (5000, 50_000)], "y ~ x + g + (1 | person)"
    engine = growth([partial(by_engine, frame, formula, 1) for frame in frames], 10, 2)
    calls = [partial(mixed, frame, formula, family="binomial", nagq=1) for frame in frames]
    name = "mixed model of yes or no, Laplace; 1,000,000 rows"
    assert once(benchmark, lambda: growth(calls, 10, 2, name)) <= max(np.log10(12), engine)


def test_thresholds_of_forty_people(benchmark: Any) -> None:
    frame = decisions(7, 40, effect=0.8)
    frame = frame.assign(group=frame["g"].map({0.0: "a", 1.0: "b"}), benefit=frame["x"], accepted=frame["y"] > 0)
    read = PersonDecisions(frame[["person", "group", "benefit", "accepted"]], "points", 0, None, "", ())
    ours, peer = partial(fit_thresholds, read), partial(by_engine, frame, "y ~ x + g + (1 | person)", 25)
    taken = ratio(ours, peer, 9, f"thresholds of 40 people; {len(frame)} decisions", against="glmm")
    benchmark.extra_info["of_the_engine"] = taken
    benchmark.pedantic(ours, rounds=1, iterations=1)
    assert taken <= 3.4
