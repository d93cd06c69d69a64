"""Tests of means: two groups, pairs, one sample, several groups (rows 1 to 4, and what 17 and 24 put beside)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from negstats import stats
from negstats.analysis.compare import ENOUGH, rank_test
from negstats.analysis.effect_sizes import STANDARDIZED, quantity, ratio_of_pairs
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.records import TestRecord, f_test, t_test_of
from negstats.analysis.methods.shared import contrast_record, describe_difference, if_estimable, ranked
from negstats.errors import NotEstimable
from negstats.stats.ranks.pairs import counted_differences
from negstats.stats.ranks.relative_effects import relative_effects
from negstats.stats.results import apa


def two_groups(case: TestInput) -> list[TestRecord]:
    """Welch's t, with Brunner and Munzel's test beside it (row 1)."""
    records = [t_of_groups(case)]
    records += if_estimable(lambda: _ranks_of_groups(case))
    return [*records, *robustness_checks(case, "t")]


def t_of_groups(case: TestInput) -> TestRecord:
    """Return Welch's t of two groups of units."""
    cells = case.cells()
    two = stats.t_test(cells, levels=case.levels)
    one_sided = case.alternative != "two-sided"
    test = stats.t_test(cells, levels=case.levels, alternative=case.alternative) if one_sided else two
    record = t_test_of(test, two, case.level, "welch", effect=STANDARDIZED["welch"])
    return replace(record, says=describe_difference(case, case.levels, float(two.difference)))


def _ranks_of_groups(case: TestInput) -> list[TestRecord]:
    test = rank_test(case.value_counts(), case.levels, case.alternative)
    if test is None:
        return []
    record = TestRecord(
        test, "brunner_munzel", "t", float(test.statistic), float(test.p), (float(test.df),),
        tuple(float(n) for n in test.n), alternative=case.alternative,
        why={"effect": "the difference of means is the effect"},
        details={"common_language": float(test.effect_size("common_language").value)},
    )  # fmt: skip
    return [record.beside("ranks")]


def robustness_checks(case: TestInput, statistic: str) -> list[TestRecord]:
    """Return what rows 17 and 24 put beside a comparison of groups: errors by cluster, and a permutation p."""
    rows = {rule.row for rule in case.choice.through}
    records: list[TestRecord] = []
    if 17 in rows:
        from negstats.analysis.methods.linked import robust_by_unit

        records += if_estimable(lambda: robust_by_unit(case))
    if 24 in rows:
        records += if_estimable(lambda: _build_permutation(case, statistic))
    return records


def _build_permutation(case: TestInput, statistic: str) -> TestRecord:
    values = case.values("the permutation test")
    is_paired = bool(case.design.within)
    test = stats.permutation_test(
        values, "value", case.factor, "mean difference" if is_paired else statistic, rng=case.rng(),
        levels=case.levels, cluster="unit" if is_paired else None, alternative=case.alternative
        if statistic == "t" or is_paired else "greater", n_resamples=case.plan.resamples,
    )  # fmt: skip
    how = "all" if test.exact else "random"
    sizes = [] if is_paired else sorted({int(n) for n in case.cells().n.ravel()})
    supposed = f"; supposes equal variances in groups of {sizes[0]} and {sizes[-1]}" if len(sizes) > 1 else ""
    return TestRecord(
        test, "permutation", "z", math.nan, float(test.p), n=(float(test.units),), alternative=test.alternative,
        text=f"{apa.p_value(test.p)} ({how} {test.arrangements} arrangements of {test.name}{supposed})",
        why={"statistic": "a permutation has no statistic with a known distribution"},
    ).beside("permutation")  # fmt: skip


def pairs(case: TestInput) -> list[TestRecord]:
    """Paired t, with Wilcoxon beside it (row 2); of seats (row 18) and of counts with their ratio (row 39)."""
    samples = case.pairs()
    two = stats.paired_t(samples, levels=case.levels)
    one_sided = case.alternative != "two-sided"
    test = stats.paired_t(samples, levels=case.levels, alternative=case.alternative) if one_sided else two
    record = t_test_of(test, two, case.level, "paired", effect=STANDARDIZED["paired"])
    record = replace(record, says=describe_difference(case, case.levels, float(two.difference)))
    if case.choice.rule.row == 39:
        record = replace(record, effect=ratio_of_pairs(two, case.moments(), case.level))
    record = replace(record, details=case.signs())
    out = [record]
    if case.choice.rule.row != 18:
        out += if_estimable(lambda: _ranks_of_pairs(case))
    return [*out, *robustness_checks(case, "mean difference")]


def _ranks_of_pairs(case: TestInput) -> TestRecord:
    test = stats.wilcoxon(case.differences(), levels=case.levels, alternative=case.alternative)
    return ranked(test, "wilcoxon", (float(test.n),), "T+")


def one_sample(case: TestInput) -> list[TestRecord]:
    """Return the mean with its interval, and its test against a stated value (row 3)."""
    cells, null_value = case.cells(()), case.question.against
    two = stats.one_sample_t(cells, null=0.0 if null_value is None else null_value)
    if null_value is None:
        mean = quantity("mean", two.means[0], two.confidence_interval(case.level))
        text = (
            f"M = {apa.number(mean.value)}, {100 * case.level:g}% CI [{apa.number(mean.low)}, {apa.number(mean.high)}]"
        )
        none = dict.fromkeys(("statistic", "p", "effect"), "nothing is tested; give against")
        return [
            TestRecord(two, "mean", "t", math.nan, math.nan, n=(float(two.n[0]),), estimate=mean, text=text, why=none)
        ]
    test = stats.one_sample_t(cells, null=null_value, alternative=case.alternative)
    record = t_test_of(test, two, case.level, "one_sample", effect="d", estimate="mean")
    way = "above" if float(two.difference) > 0 else "below"
    record = replace(record, says=f"the mean is {apa.number(abs(float(two.difference)), 3)} {way} {null_value:g}")

    def ranks() -> TestRecord:
        rank_result = stats.wilcoxon(
            _compute_differences(case.value_counts(()), null_value), alternative=case.alternative
        )
        return ranked(rank_result, "wilcoxon", (float(rank_result.n),), "T+")

    return [record, *if_estimable(ranks)]


def _compute_differences(counts: stats.ValueCounts, by: float) -> stats.ValueCounts:
    """Return the differences from a number; those that only the rounding of it tells apart are one."""
    size = np.maximum(np.abs(counts.values), abs(by))
    return counted_differences(counts.values - by, size, counts.n, counts.outcome)


def groups(case: TestInput) -> list[TestRecord]:
    """Welch's F with Games and Howell's pairs behind it and the test of relative effects beside it (row 4).

    Kruskal and Wallis's test would take groups of unlike spread for unlike groups, which Welch's F does not.
    """
    cells = case.cells()
    test = stats.one_way(cells, method="welch")
    answer = f_test(test, case.level, "welch_anova", n=float(sum(test.n)), partial=False)
    contrasts = stats.games_howell(cells, specs=case.factor)
    records = [answer, *(contrast_record(one, case.level, "games_howell", "Games-Howell") for one in contrasts)]
    records += if_estimable(lambda: relative(case).beside("ranks"))
    return [*records, *robustness_checks(case, "Welch F")]


def relative(case: TestInput) -> TestRecord:
    """Return the test by ranks of several groups that takes neither shapes nor spreads as equal."""
    test = relative_effects(case.value_counts())
    if min(test.n) < ENOUGH:
        raise NotEstimable(f"n of a group is {min(test.n)}; with fewer than {ENOUGH} the test rejects too often")
    return TestRecord(
        test, "relative_effects", "f", test.statistic, test.p, (test.df1, test.df2), tuple(map(float, test.n)),
        why={"effect": "each group has an effect of its own"},
    )  # fmt: skip
