"""Two one-sided tests of a difference of means or of shares (rows 25 and 36)."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from scipy import special

from negstats import stats
from negstats.analysis.effect_sizes import quantity
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.records import TestRecord, t_test_of
from negstats.analysis.methods.shares import counted
from negstats.errors import NotEstimable


def equivalence(case: TestInput) -> TestRecord:
    """Return two one-sided tests of a difference of means (row 25)."""
    from negstats.stats.equivalence import paired_tost, tost

    bounds, unit = equivalence_bounds(case)
    if case.design.within:
        tost_test = paired_tost(case.pairs(), levels=case.levels, bounds=bounds, unit=unit)
    else:
        tost_test = tost(case.cells(), levels=case.levels, bounds=bounds, unit=unit)
    larger = tost_test.statistic_low if float(tost_test.p_low) >= float(tost_test.p_high) else tost_test.statistic_high
    alpha = case.plan.alpha
    interval = quantity("difference", tost_test.difference, tost_test.confidence_interval(case.plan.one_sided_level))
    return TestRecord(
        tost_test, "equivalence", "t", float(larger), float(tost_test.p), (float(tost_test.df),),
        tuple(float(n) for n in tost_test.n), alternative="greater" if larger == tost_test.statistic_low else "less",
        estimate=interval, text=tost_test.apa(alpha), why={"effect": "the question is asked in the measure's unit"},
        says=tost_test.decision(alpha),
    )  # fmt: skip


def t_test(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return the t-test of the same difference."""
    kind, effect = ("paired", "d_z") if case.design.within else ("welch", "g")
    test = _compare(case, "welch")
    return t_test_of(case, test, test, kind, effect=effect).beside("t")


def _compare(case: TestInput, method: Literal["welch", "student"]) -> stats.TTest:
    """Return the t-test of pairs, or of two groups by a method."""
    if case.design.within:
        return stats.paired_t(case.pairs(), levels=case.levels)
    return stats.t_test(case.cells(), levels=case.levels, method=method)


def region(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return the posterior share of the standardized difference within the bounds, with its prior."""
    test = _compare(case, "student")
    bounds, unit = equivalence_bounds(case)
    low, high = bounds if isinstance(bounds, tuple) else (-float(bounds), float(bounds))
    sizes = [float(np.asarray(one)) for one in test.n]
    if unit == "raw":
        ends = test.confidence_interval(0.95)
        reach = float(np.asarray(ends.high)) - float(np.asarray(ends.low))
        se = reach / 2 / float(special.stdtrit(float(np.asarray(test.df)), 0.975))
        sd = se / np.sqrt(sum(1 / size for size in (sizes if test.method == "student" else sizes[:1])))
        if not sd > 0:
            raise NotEstimable("the values do not vary")
        low, high = low / sd, high / sd
    posterior = stats.bayes.equivalence_region(test, low, high)
    none = dict.fromkeys(("statistic", "p"), "a posterior share is not a test")
    return TestRecord(
        posterior, "equivalence_region", "z", math.nan, math.nan, n=tuple(sizes), text=posterior.apa(), why=none,
    ).beside("region")  # fmt: skip


def equivalent(case: TestInput) -> TestRecord:
    """Return two one-sided tests of a difference of shares (row 36)."""
    from negstats.stats.equivalence import proportions_tost

    counts = counted(case)
    bounds, unit = equivalence_bounds(case)
    if unit == "d":
        raise NotEstimable("equivalent is in standard deviations; shares take a bound between 0 and 1")
    test = proportions_tost(counts, bounds=bounds, level="yes", levels=case.levels)
    low_side = float(np.asarray(test.p_low)) >= float(np.asarray(test.p_high))
    z = float(np.asarray(test.statistic_low if low_side else test.statistic_high))
    alpha = case.plan.alpha
    size = quantity("risk_difference", test.difference, test.confidence_interval(case.plan.one_sided_level))
    return TestRecord(
        test, "equivalence", "z", z, float(np.asarray(test.p)), n=tuple(float(n) for n in test.n), estimate=size,
        alternative="greater" if low_side else "less", text=test.apa(alpha), says=test.decision(alpha),
        why={"effect": "the difference itself is the effect"},
    )  # fmt: skip


def equivalence_bounds(case: TestInput) -> tuple[Any, Any]:
    """Return the bounds of equivalence and their unit: the measure's, or standard deviations."""
    bounds = case.question.equivalent
    if isinstance(bounds, dict) or hasattr(bounds, "keys"):
        return float(bounds["sd"]), "d"  # type: ignore[index, call-overload]
    return bounds, "raw"
