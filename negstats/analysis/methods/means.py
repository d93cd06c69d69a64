"""Tests of means and their checks: two groups, pairs, one sample, several groups (rows 1 to 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from negstats import stats
from negstats.analysis.effect_sizes import STANDARDIZED, Quantity, quantity, ratio_of_pairs
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.records import TestRecord, f_test, t_test_of
from negstats.analysis.methods.shared import contrast_record, describe_difference, ranked
from negstats.errors import NotEstimable
from negstats.stats.ranks.brunner_munzel import relative_effects
from negstats.stats.ranks.pairs import counted_differences
from negstats.stats.results import apa
from negstats.stats.results.options import Alternative

# Units in each group from which on tests of relative effects keep their level.
ENOUGH = 10


def two_groups(case: TestInput) -> TestRecord:
    """Return Welch's t of two groups of units (row 1)."""
    cells = case.cells()
    two = stats.t_test(cells, levels=case.levels)
    one_sided = case.alternative != "two-sided"
    test = stats.t_test(cells, levels=case.levels, alternative=case.alternative) if one_sided else two
    record = t_test_of(case, test, two, "welch", effect=STANDARDIZED["welch"])
    return replace(record, says=describe_difference(case, case.levels, float(two.difference)))


def rank_test(
    counts: stats.ValueCounts, levels: Sequence[str], alternative: Alternative = "two-sided"
) -> stats.BrunnerMunzel | None:
    """Return Brunner and Munzel's test of two groups, or None where it does not keep its level or is not defined.

    Mann and Whitney's would take groups of unlike spread for unlike groups, which Welch's t beside it does not.
    """
    try:
        test = stats.brunner_munzel(counts, levels=levels, alternative=alternative)
    except NotEstimable:
        return None
    return test if min(float(np.asarray(n)) for n in test.n) >= ENOUGH else None


def ranks_of_groups(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return Brunner and Munzel's test, where the groups are large enough for it and it is defined."""
    test = rank_test(case.value_counts(), case.levels, case.alternative)
    if test is None:
        return []
    record = TestRecord.of(
        test, "brunner_munzel", n=tuple(map(float, test.n)), alternative=case.alternative,
        why={"effect": "the difference of means is the effect"},
        details={"common_language": float(test.effect_size("common_language").value)},
    )  # fmt: skip
    return [record.beside("ranks")]


def errors_by_unit(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the comparison over the rows with errors by unit, where linked people are one unit (row 17)."""
    from negstats.analysis.methods.linked import robust_by_unit

    return robust_by_unit(case, records)


def permutation(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the permutation p of the answer's statistic, where a cell has 2 to 4 units (row 24)."""
    is_paired = bool(case.design.within)
    statistic = "mean difference" if is_paired else "t" if len(case.levels) == 2 else "Welch F"
    record = _exchange(case, case.values("the permutation test"), statistic)
    return [replace(record, estimate=None).beside("permutation")]


def exchange_where_nothing_varies(case: TestInput) -> TestRecord | None:
    """Return a permutation test of the levels of one factor, for values that do not vary inside them; None otherwise.

    All 40 who said yes at one level and none of 40 at the other leave no spread to divide by: the clearest of results
    has no t and no odds. Labels can still be exchanged: among units, or inside them where they differ there.
    """
    features = case.design.features
    is_other = features.extra != "none" or features.asked != "effect" or features.items or len(case.factors) != 1
    if is_other or features.kind not in ("interval", "count", "yes/no"):
        return None
    values = (case.rows if features.inside else case.values)("the permutation test")
    of_levels = values.groupby(case.factor, observed=True)["value"]
    if (of_levels.max() > of_levels.min()).all():
        return None
    record = _exchange(case, values.astype({"value": float}), "mean difference" if len(case.levels) == 2 else "F")
    return record if math.isfinite(record.p) else None


def _exchange(case: TestInput, values: Any, statistic: str) -> TestRecord:
    """Return the permutation test of the labels of units; of those inside them where the factor lies there."""
    is_inside = bool(case.design.within) or case.design.features.inside
    if case.design.within and not case.design.features.inside:  # the units that the t-test takes
        values = values[values.groupby("unit")["value"].transform("count") == len(case.levels)]
    test = stats.permutation_test(
        values, "value", case.factor, statistic, rng=case.rng(), levels=case.levels if len(case.levels) == 2 else None,
        cluster="unit" if is_inside else None, n_resamples=case.plan.resamples,
        alternative=case.alternative if len(case.levels) == 2 else "greater",
    )  # fmt: skip
    how = "all" if test.exact else "random"
    means = [float(values.loc[values[case.factor] == level, "value"].mean()) for level in case.levels]
    sizes = [] if is_inside else sorted(set(values.groupby(case.factor, observed=True).size()))
    supposed = f"; supposes equal variances in groups of {sizes[0]} and {sizes[-1]}" if len(sizes) > 1 else ""
    name = "risk_difference" if case.design.features.kind == "yes/no" else "difference"
    difference = Quantity(name, means[0] - means[1]) if len(means) == 2 else None
    return TestRecord(
        test, "permutation", "z", math.nan, float(test.p), n=(float(test.units),),
        alternative=case.alternative if difference else "two-sided", estimate=difference,
        text=f"{apa.p_value(test.p)} ({how} {test.arrangements} arrangements of {test.name}{supposed})",
        says=describe_difference(case, case.levels, difference.value) if difference else "",
        why={"statistic": "a permutation has no statistic with a known distribution"},
    )  # fmt: skip


def pairs(case: TestInput) -> TestRecord:
    """Return the paired t (row 2), with how many units are higher at either level; of the seats of pairs (row 18)."""
    samples = case.pairs()
    two = stats.paired_t(samples, levels=case.levels)
    one_sided = case.alternative != "two-sided"
    test = stats.paired_t(samples, levels=case.levels, alternative=case.alternative) if one_sided else two
    record = t_test_of(case, test, two, "paired", effect=STANDARDIZED["paired"])
    record = replace(record, says=describe_difference(case, case.levels, float(two.difference)))
    return replace(record, details=case.signs())


def pairs_of_counts(case: TestInput) -> TestRecord:
    """Return the paired t of counts with the ratio of their means (row 39)."""
    two = stats.paired_t(case.pairs(), levels=case.levels)
    ratio = case.optional("effect", "ratio of means", lambda: ratio_of_pairs(two, case.moments(), case.level), None)
    return replace(pairs(case), effect=ratio)


def ranks_of_pairs(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return Wilcoxon's test of the differences."""
    test = stats.wilcoxon(case.differences(), levels=case.levels, alternative=case.alternative)
    return ranked(test, "wilcoxon", (float(test.n),), "T+")


def one_sample(case: TestInput) -> TestRecord:
    """Return the mean with its interval, and its test against a stated value (row 3)."""
    cells, null_value = case.cells(()), case.question.against
    two = stats.one_sample_t(cells, null=0.0 if null_value is None else null_value)
    if null_value is None:
        mean = quantity("mean", two.means[0], two.confidence_interval(case.level))
        text = (
            f"M = {apa.number(mean.value)}, {100 * case.level:g}% CI [{apa.number(mean.low)}, {apa.number(mean.high)}]"
        )
        none = dict.fromkeys(("statistic", "p", "effect"), "nothing is tested; give against")
        return TestRecord(
            two, "mean", "t", math.nan, math.nan, n=(float(two.n[0]),), estimate=mean, text=text, why=none
        )
    test = stats.one_sample_t(cells, null=null_value, alternative=case.alternative)
    record = t_test_of(case, test, two, "one_sample", effect="d", estimate="mean")
    way = "above" if float(two.difference) > 0 else "below"
    return replace(record, says=f"the mean is {apa.number(abs(float(two.difference)), 3)} {way} {null_value:g}")


def ranks_of_one_sample(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return Wilcoxon's test against the stated value."""
    differences = _compute_differences(case.value_counts(()), case.question.against or 0.0)
    test = stats.wilcoxon(differences, alternative=case.alternative)
    return ranked(test, "wilcoxon", (float(test.n),), "T+")


def _compute_differences(counts: stats.ValueCounts, by: float) -> stats.ValueCounts:
    """Return the differences from a number; those that only the rounding of it tells apart are one."""
    size = np.maximum(np.abs(counts.values), abs(by))
    return counted_differences(counts.values - by, size, counts.n, counts.outcome)


def groups(case: TestInput) -> TestRecord:
    """Return Welch's F (row 4)."""
    test = stats.one_way(case.cells(), method="welch")
    return f_test(case, test, "welch_anova", n=float(sum(test.n)), partial=False)


def games_howell(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return Games and Howell's pairs."""
    contrasts = stats.games_howell(case.cells(), specs=case.factor)
    return [contrast_record(contrast, case.level, "games_howell", "Games-Howell") for contrast in contrasts]


def relative_effects_beside(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return the test by ranks of several groups that takes neither shapes nor spreads as equal.

    Kruskal and Wallis's test would take groups of unlike spread for unlike groups, which Welch's F does not.
    """
    test = relative_effects(case.value_counts())
    if min(test.n) < ENOUGH:
        raise NotEstimable(f"n of a group is {min(test.n)}; with fewer than {ENOUGH} the test rejects too often")
    return TestRecord.of(
        test, "relative_effects", n=tuple(map(float, test.n)),
        why={"effect": "each group has an effect of its own"},
    ).beside("ranks")  # fmt: skip
