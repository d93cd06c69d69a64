"""Tests of answers in order, in independent units and in the same units (rows 41-45)."""

from __future__ import annotations

import numpy as np

from negstats import stats
from negstats.analysis.methods.answer import select_answers
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.likelihood import model_terms
from negstats.analysis.methods.linked import model_rows
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.methods.shared import pair_records, rank_record
from negstats.errors import NotEstimable
from negstats.stats.results import apa


def two_groups(case: TestInput) -> TestRecord:
    """Return Brunner and Munzel's test (row 41); Mann and Whitney's beside it would take spreads as equal.

    Groups that do not overlap have no variance of their order, by which Brunner and Munzel divide: the exact test of
    Mann and Whitney answers there.
    """
    counts = case.value_counts()
    try:
        two_sided = stats.brunner_munzel(counts, levels=case.levels)
    except NotEstimable as error:
        return _rank_sum(case, counts, error.statement)
    test = stats.brunner_munzel(counts, levels=case.levels, alternative=case.alternative)
    effect = case.effect(two_sided.effect_size, "chance of a higher answer")
    first, second = case.levels
    share = float(np.asarray(two_sided.share))
    return TestRecord.of(
        test, "brunner_munzel", n=tuple(map(float, test.n)), alternative=case.alternative, estimate=effect,
        effect=effect,
        says=f"an answer at {first} is higher than one at {second} with a chance of {apa.bounded(share)} (ties half)",
    )  # fmt: skip


def _rank_sum(case: TestInput, counts: stats.ValueCounts, reason: str) -> TestRecord:
    """Return Mann and Whitney's test of two groups, and why Brunner and Munzel's has no result."""
    test = stats.mann_whitney(counts, levels=case.levels, alternative=case.alternative)
    effect = case.effect(test.effect_size, "rank-biserial r")
    direction = "higher" if test.z > 0 else "lower"
    first, second = case.levels
    return rank_record(
        test, "mann_whitney", n=tuple(float(n) for n in test.n), effect=effect,
        text=f"{test.apa()}; no Brunner–Munzel test: {reason}",
        says=f"answers at {first} are {direction} than those at {second}",
    )  # fmt: skip


def groups(case: TestInput) -> TestRecord:
    """Return Kruskal and Wallis's test (row 42)."""
    test = stats.kruskal_wallis(case.value_counts())
    effect = case.effect(lambda: test.effect_size(rng=case.rng(), n_resamples=case.plan.resamples), "ε²")
    return TestRecord.of(test, "kruskal_wallis", "h", n=tuple(map(float, test.n)), effect=effect)


def dunn(_case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return Dunn's test of each two groups; Holm."""
    return pair_records(records[0].result.dunn(adjust="holm"), "dunn")


def pairs(case: TestInput) -> TestRecord:
    """Return Wilcoxon's test with Pratt's zeros (row 43)."""
    samples = case.differences()
    two_sided = stats.wilcoxon(samples, levels=case.levels, zero_method="pratt")
    test = stats.wilcoxon(samples, levels=case.levels, zero_method="pratt", alternative=case.alternative)
    effect = case.effect(two_sided.effect_size, "rank-biserial r")
    n = (float(np.asarray(test.n)),)
    first, second = case.levels
    direction = "higher" if test.z > 0 else "lower"
    size = "" if effect is None else f", {effect.apa()}"
    z = "" if test.method == "exact" else f", z = {apa.number(test.z)}"
    return rank_record(
        test, "wilcoxon", n=n, effect=effect,
        text=f"T+ = {apa.number(test.statistic)}{z}, {apa.p_value(test.p)}{case.side_note}{size}",
        says=f"answers at {first} tend to be {direction} than at {second}",
    )  # fmt: skip


def sign(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return the sign test of the differences."""
    test = stats.sign_test(case.differences(), levels=case.levels, alternative=case.alternative)
    n = float(np.asarray(test.positive) + np.asarray(test.negative))
    record = TestRecord.exact(test, "sign", n, test.apa(), alternative=case.alternative, is_exact=True)
    return record.beside("sign")


def within(case: TestInput) -> TestRecord:
    """Return Friedman's test (row 44)."""
    whole = case.wide("Friedman's test")
    samples = {level: whole[level].to_numpy() for level in case.levels}
    test = stats.friedman(samples, levels=case.levels)
    n = (float(np.asarray(test.n)),)
    effect = case.effect(lambda: test.effect_size(rng=case.rng(), n_resamples=case.plan.resamples), "W")
    return TestRecord.of(test, "friedman", "chi2", n=n, effect=effect)


def conover(_case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return Conover's test of each two levels; Holm."""
    return pair_records(records[0].result.conover(adjust="holm"), "conover")


def ordinal(case: TestInput) -> list[TestRecord]:
    """Return each term's likelihood ratio in a model of proportional odds (row 45)."""
    from negstats.stats.outcomes.ordinal import ordinal as fit

    frame, names, formula = model_rows(case, "ordinal regression", complete=True)
    regression = fit(frame, f"value ~ {formula}")
    return model_terms(case, regression, names, "ordinal", frame)


def scores(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the terms that answer with the answers taken for numbers."""
    if len(case.factors) > 1 and not case.numbers:
        records = select_answers("anova", case)
    elif case.factors and not case.question.with_:
        records = select_answers("ancova", case)
    else:
        return []
    return [record.beside("scores") for record in records]
