"""Tests of answers in order, in independent units and in the same units (rows 41-45)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from negstats import stats
from negstats.analysis.effect_sizes import effect_of
from negstats.analysis.methods.crossed import factorial
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.likelihood import model_terms
from negstats.analysis.methods.linked import model_rows
from negstats.analysis.methods.means import relative
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.methods.relations import covariate_groups
from negstats.analysis.methods.shared import if_estimable
from negstats.stats.results import apa


def two_groups(case: TestInput) -> list[TestRecord]:
    """Brunner and Munzel's test (row 41); Mann and Whitney's beside it would take spreads as equal."""
    counts = case.value_counts()
    two = stats.brunner_munzel(counts, levels=case.levels)
    test = stats.brunner_munzel(counts, levels=case.levels, alternative=case.alternative)
    effect = effect_of(two.effect_size(), case.level)
    one, other = case.levels
    share = float(np.asarray(two.share))
    answer = TestRecord(
        test, "brunner_munzel", "t", float(test.statistic), float(test.p), (float(test.df),),
        tuple(float(n) for n in test.n), alternative=case.alternative, estimate=effect, effect=effect,
        says=f"an answer at {one} is higher than one at {other} with a chance of {apa.bounded(share)} (ties half)",
    )  # fmt: skip

    return [answer]


def groups(case: TestInput) -> list[TestRecord]:
    """Kruskal and Wallis, Dunn's pairs behind, the test that takes no spreads as equal beside (row 42)."""
    test = stats.kruskal_wallis(case.value_counts())
    answer = TestRecord(
        test, "kruskal_wallis", "h", float(test.statistic), float(test.p), (float(test.df),),
        tuple(float(n) for n in test.n), effect=effect_of(test.effect_size(), case.level),
    )  # fmt: skip
    comparisons = test.dunn(adjust="holm")
    follow = [
        TestRecord(comparisons, "dunn", "z", float(comparisons.statistic[at]), float(comparisons.p[at]),
             role="follow-up", tag=f"{comparisons.first[at]} - {comparisons.second[at]}",
             p_adjusted=float(comparisons.p_adjusted[at]), correction="holm")
        for at in range(len(comparisons.first))
    ]  # fmt: skip
    return [answer, *follow, *if_estimable(lambda: relative(case).beside("ranks"))]


def pairs(case: TestInput) -> list[TestRecord]:
    """Wilcoxon with Pratt's zeros, the sign test beside (row 43)."""
    samples = case.differences()
    two = stats.wilcoxon(samples, levels=case.levels, zero_method="pratt")
    test = stats.wilcoxon(samples, levels=case.levels, zero_method="pratt", alternative=case.alternative)
    effect = effect_of(two.effect_size(), case.level)
    n = (float(np.asarray(test.n)),)
    first, second = case.levels
    direction = "higher" if effect.value > 0 else "lower"
    exact = test.method == "exact"
    z = "" if exact else f", z = {apa.number(test.z)}"
    sided = " (one-sided)" if case.alternative != "two-sided" else ""
    answer = TestRecord(
        test, "wilcoxon", "z", float(test.z), float(test.p), n=n, alternative=case.alternative, effect=effect,
        text=f"T+ = {apa.number(test.statistic)}{z}, {apa.p_value(test.p)}{sided}, {effect.apa()}",
        says=f"answers at {first} tend to be {direction} than at {second}",
    )  # fmt: skip
    return [answer, *if_estimable(lambda: _sign(case, samples))]


def _sign(case: TestInput, samples: Any) -> TestRecord:
    test = stats.sign_test(samples, levels=case.levels, alternative=case.alternative)
    n = float(np.asarray(test.positive) + np.asarray(test.negative))
    return TestRecord(
        test, "sign", "z", math.nan, float(np.asarray(test.p)), n=(n,), alternative=case.alternative, text=test.apa(),
        why={"statistic": "the test is exact"},
    ).beside("sign")  # fmt: skip


def within(case: TestInput) -> list[TestRecord]:
    """Friedman, Conover's pairs behind (row 44)."""
    whole = case.wide("Friedman's test")
    samples = {level: whole[level].to_numpy() for level in case.levels}
    test = stats.friedman(samples, levels=case.levels)
    n = (float(np.asarray(test.n)),)
    effect = effect_of(test.effect_size(rng=case.rng(), n_resamples=case.plan.resamples), case.level)
    answer = TestRecord(
        test, "friedman", "chi2", float(test.statistic), float(test.p), (float(test.df),), n, effect=effect
    )

    def conover() -> list[TestRecord]:
        comparisons = test.conover(adjust="holm")
        return [
            TestRecord(comparisons, "conover", "t", float(comparisons.statistic[at]), float(comparisons.p[at]),
                 (float(comparisons.df),), role="follow-up", tag=f"{comparisons.first[at]} - {comparisons.second[at]}",
                 p_adjusted=float(comparisons.p_adjusted[at]), correction="holm")
            for at in range(len(comparisons.first))
        ]  # fmt: skip

    return [answer, *if_estimable(conover)]


def ordinal(case: TestInput) -> list[TestRecord]:
    """Proportional odds, each term's likelihood ratio; F of the scores beside (row 45)."""
    from negstats.stats.outcomes.ordinal import ordinal as fit

    frame, names, formula = model_rows(case, "ordinal regression", complete=True)
    regression = fit(frame, f"value ~ {formula}")
    records = model_terms(case, regression, names, "ordinal", "odds_ratio", frame)
    if len(case.factors) > 1 and not case.numbers:
        scores = if_estimable(lambda: [one for one in factorial(case) if one.role == "answer"])
    elif case.factors and not case.question.with_:
        scores = if_estimable(lambda: [one for one in covariate_groups(case) if one.role == "answer"])
    else:
        scores = []
    return [*records, *(one.beside("scores") for one in scores)]
