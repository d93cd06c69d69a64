"""Tests of means and their checks: groups, pairs, one sample, contrasts, equivalence (rows 1 to 5, 25 and 36)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy import special

from negstats import stats
from negstats.analysis.effect_sizes import STANDARDIZED, Quantity, quantity, ratio_of_pairs
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.records import TestRecord, f_test, t_test_of
from negstats.analysis.methods.shared import contrast_record, describe_difference, ranked
from negstats.analysis.methods.shares import counted
from negstats.errors import DesignError, NotEstimable
from negstats.stats.ranks.pairs import counted_differences
from negstats.stats.ranks.two_groups import relative_effects
from negstats.stats.results import apa
from negstats.stats.results.options import Alternative, t_tails

# Units in each group from which on tests of relative effects keep their level.
ENOUGH = 10


def two_groups(case: TestInput) -> TestRecord:
    """Return Welch's t of two groups of units (row 1)."""
    cells = case.cells()
    two_sided = stats.t_test(cells, levels=case.levels)
    one_sided = case.alternative != "two-sided"
    test = stats.t_test(cells, levels=case.levels, alternative=case.alternative) if one_sided else two_sided
    record = t_test_of(case, test, two_sided, "welch", effect=STANDARDIZED["welch"])
    return replace(record, says=describe_difference(case, case.levels, float(two_sided.difference)))


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
    two_sided = stats.paired_t(samples, levels=case.levels)
    one_sided = case.alternative != "two-sided"
    test = stats.paired_t(samples, levels=case.levels, alternative=case.alternative) if one_sided else two_sided
    record = t_test_of(case, test, two_sided, "paired", effect=STANDARDIZED["paired"])
    record = replace(record, says=describe_difference(case, case.levels, float(two_sided.difference)))
    return replace(record, details=case.signs())


def pairs_of_counts(case: TestInput) -> TestRecord:
    """Return the paired t of counts with the ratio of their means (row 39)."""
    two_sided = stats.paired_t(case.pairs(), levels=case.levels)
    ratio = case.optional(
        "effect", "ratio of means", lambda: ratio_of_pairs(two_sided, case.moments(), case.level), None
    )
    return replace(pairs(case), effect=ratio)


def ranks_of_pairs(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return Wilcoxon's test of the differences."""
    test = stats.wilcoxon(case.differences(), levels=case.levels, alternative=case.alternative)
    return ranked(test, "wilcoxon", (float(test.n),), "T+")


def one_sample(case: TestInput) -> TestRecord:
    """Return the mean with its interval, and its test against a stated value (row 3)."""
    cells, null_value = case.cells(()), case.question.against
    two_sided = stats.one_sample_t(cells, null=0.0 if null_value is None else null_value)
    if null_value is None:
        mean = quantity("mean", two_sided.means[0], two_sided.confidence_interval(case.level))
        text = (
            f"M = {apa.number(mean.value)}, {100 * case.level:g}% CI [{apa.number(mean.low)}, {apa.number(mean.high)}]"
        )
        none = dict.fromkeys(("statistic", "p", "effect"), "nothing is tested; give against")
        return TestRecord(
            two_sided, "mean", "t", math.nan, math.nan, n=(float(two_sided.n[0]),), estimate=mean, text=text, why=none
        )
    test = stats.one_sample_t(cells, null=null_value, alternative=case.alternative)
    record = t_test_of(case, test, two_sided, "one_sample", effect="d", estimate="mean")
    way = "above" if float(two_sided.difference) > 0 else "below"
    return replace(record, says=f"the mean is {apa.number(abs(float(two_sided.difference)), 3)} {way} {null_value:g}")


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


def contrasts(case: TestInput) -> list[TestRecord]:
    """Test what the plan names: weighted sums of means, at each level of the other factors (row 5)."""
    planned_contrasts = case.question.contrasts
    factor = _find_weighed_factor(case)
    if case.design.within:
        return [_build_within_contrast(case, contrast.name, contrast.weights) for contrast in planned_contrasts]
    others = [name for name in case.factors if name != factor]
    records = []
    weights = {planned_contrast.name: dict(planned_contrast.weights) for planned_contrast in planned_contrasts}
    cells = case.cells()
    contrast_results = stats.contrasts(cells, weights=weights, specs=factor, at=others or None, error="welch")
    for contrast_result in contrast_results:
        at = contrast_result.at.replace(" = ", " ") if contrast_result.at else ""
        records.append(
            _contrast_answer(
                case,
                contrast_result,
                f"{contrast_result.name} at {at}" if at else contrast_result.name,
                float(cells.n.sum()),
            )
        )
    return records


def welch_of_groups(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return Welch's F of the groups of one factor between units."""
    test = stats.one_way(case.cells(), method="welch")
    return f_test(case, test, "welch_anova", partial=False).beside("welch")


def _find_weighed_factor(case: TestInput) -> str:
    """Return the factor whose levels the contrasts weigh."""
    weighed_levels = {level for contrast in case.question.contrasts for level in contrast.weights}
    for name, levels in case.design.levels.items():
        if weighed_levels <= set(levels):
            return name
    missing = sorted(weighed_levels - {level for levels in case.design.levels.values() for level in levels})
    raise DesignError(
        f"contrasts weigh {', '.join(missing or sorted(weighed_levels))}, which are not levels of a single factor"
    )


def _contrast_answer(case: TestInput, contrast: stats.Contrast, term: str, n: float) -> TestRecord:
    return TestRecord.of(
        contrast,
        "contrast",
        p=float(t_tails(contrast.statistic, contrast.df, case.alternative)),
        n=(n,),
        term=term,
        alternative=case.alternative,
        estimate=quantity("difference", contrast.estimate, contrast.confidence_interval(case.level)),
        why={"effect": "weights of several levels have no single standard deviation"},
        says=f"{contrast.name} is {apa.number(float(contrast.estimate), 3)}"
        f"{f' at {contrast.at}' if contrast.at else ''}",
    )


def _build_within_contrast(case: TestInput, name: str, weights: Any) -> TestRecord:
    score = case.moments().contrast([weights.get(level, 0.0) for level in case.levels])
    two_sided = stats.one_sample_t(score)
    test = stats.one_sample_t(score, alternative=case.alternative)
    record = t_test_of(case, test, two_sided, "one_sample", effect="d", estimate="difference")
    return replace(
        record, method="contrast", term=name, effect=replace(record.effect, name="d_z") if record.effect else None
    )


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
    sizes = [float(np.asarray(size)) for size in test.n]
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
