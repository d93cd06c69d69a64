"""PySpark, where it and Java are there: the same answers by the same code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import narwhals as nw
import pandas as pd
import pytest

import negstats
from negstats import datasets
from negstats.analysis import compare, run
from negstats.analysis.plan.parse import parse
from tests.analysis.test_lazy_plan import compared
from tests.benchmarks.best_offer import generate
from tests.benchmarks.best_offer import questions as ask

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_comparison_says_the_same(session: Any) -> None:
    lazy = negstats.open_study(datasets.folder("robot") / "study", engine="pyspark")
    assert lazy.engine.session is session  # type: ignore[attr-defined]
    here, there = (compare(study, "points", "condition", who="agent") for study in (datasets.robot(), lazy))
    assert there.apa() == here.apa()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_plan_says_the_same(session: Any) -> None:
    plan = parse('[questions.H1]\nasks = "Who earns more?"\nmeasure = "points"\nwho = "agent"\nby = "condition"')
    lazy = negstats.open_study(datasets.folder("robot") / "study", engine="pyspark")
    assert lazy.engine.session is session  # type: ignore[attr-defined]
    assert compared(run(plan, datasets.robot()), run(plan, lazy)) == set()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_bargaining_threads_give_the_same_answers(session: Any, tmp_path: Path) -> None:
    generate.write(tmp_path / "log", 2_000)
    offers, listings = tmp_path / "log" / "offers", tmp_path / "log" / "listings.parquet"
    here = ask.cleaned(*(nw.from_native(pd.read_parquet(path)).lazy() for path in (offers, listings)))
    clean_study = ask.cleaned(*(nw.from_native(session.read.parquet(str(path))).lazy() for path in (offers, listings)))
    clean_study = nw.from_native(clean_study.to_native().localCheckpoint()).lazy()
    one: Any
    other: Any
    for name, question in ask.QUESTIONS.items():
        one, other = question(here), question(clean_study)
        if isinstance(one, pd.DataFrame):
            pd.testing.assert_frame_equal(other, one, check_dtype=False, rtol=1e-12)
        elif isinstance(one, ask.Concessions):
            assert other.tenths.to_numpy().tolist() == one.tenths.to_numpy().tolist()
        else:
            values = [[getattr(item, field) for field in one.__slots__] for item in (other, one)]
            assert values[0] == pytest.approx(values[1], rel=1e-11), name
