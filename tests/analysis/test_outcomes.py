"""The two-sided test of a difference follows from the interval of the planned one, whichever that was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats import stats
from negstats.analysis.outcomes import outcomes_of


def entry(name: str, test: Any, *, lies: str, level: float, method: str = "", **others: Any) -> dict[str, Any]:
    ends = test.confidence_interval(level)
    answer = {
        "role": "answer",
        "method": method or {"within": "paired", "between": "welch"}[lies],
        "statistic": float(test.statistic),
        "df": [float(test.df)],
        "estimate": {
            "name": "difference",
            "value": float(test.difference),
            "low": float(ends.low),
            "high": float(ends.high),
            "level": level,
        },
    }
    return {
        "id": name,
        "explored": False,
        "design": {"factors": [{"name": "arm", "lies": lies, "levels": ["a", "b"]}], "units": "person"},
        "cells": [{"mean": 1.0, "sd": 1.0}, {"mean": 0.0, "sd": 1.0}],
        "tests": [answer],
        **others,
    }


def samples(seed: int, n: int = 20, m: int = 20) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"a": rng.normal(0.4, 1.0, n), "b": rng.normal(0.0, 2.0, m)}


@given(st.integers(0, 1000), st.sampled_from([0.8, 0.9, 0.95]))
def test_it_is_the_two_sided_test_of_the_values(seed: int, level: float) -> None:
    welch, paired = stats.t_test(samples(seed, 12, 30)), stats.paired_t(samples(seed))
    for test, lies in ((welch, "between"), (paired, "within")):
        ends = test.confidence_interval(0.95)
        (group,) = outcomes_of([entry(name, test, lies=lies, level=level) for name in ("H1", "H2")], 0.95)
        for row in group["rows"]:
            assert (row["t"], row["df"]) == (pytest.approx(test.statistic), pytest.approx(test.df))
            assert row["p"] == pytest.approx(test.p)
            assert (row["estimate"]["low"], row["estimate"]["high"]) == pytest.approx((ends.low, ends.high))


def test_questions_of_another_kind_or_alone_have_no_row() -> None:
    test = stats.t_test(samples(1))
    one = entry("H1", test, lies="between", level=0.9)
    assert outcomes_of([one], 0.95) == []
    assert outcomes_of([one, entry("E1", test, lies="between", level=0.9, explored=True)], 0.95) == []
    assert outcomes_of([one, entry("H2", test, lies="within", level=0.9)], 0.95) == []
    for method in ("mixed", "mann_whitney"):
        assert outcomes_of([one, entry("H2", test, lies="between", level=0.9, method=method)], 0.95) == []
    assert outcomes_of([one, {**one, "id": "H2", "cells": one["cells"][:1]}], 0.95) == []
    tested = {**one["tests"][0], "statistic": one["tests"][0]["statistic"] - 1}  # against another value than 0
    assert outcomes_of([one, {**one, "id": "H2", "tests": [tested]}], 0.95) == []


def test_an_equivalence_test_has_the_difference_and_not_its_own_t() -> None:
    test = stats.paired_t(samples(2))
    equivalence = entry("H2", test, lies="within", level=0.9, method="equivalence")
    equivalence["tests"][0]["statistic"] = 5.0
    (group,) = outcomes_of([entry("H1", test, lies="within", level=0.95), equivalence], 0.95)
    assert [row["t"] for row in group["rows"]] == [pytest.approx(test.statistic)] * 2
