"""Tests of means with crossed and repeated factors (rows 6 to 10, 34 and 39)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from negstats import stats
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.means import groups, pairs, robustness_checks, two_groups
from negstats.analysis.methods.records import TestRecord, f_test, t_test_of
from negstats.analysis.methods.shared import holm, if_estimable, long


def factorial(case: TestInput) -> list[TestRecord]:
    """Type III F of each term, simple effects of those asked, HC3 beside (row 6)."""
    cells = case.cells()
    anova_result = stats.anova(cells)
    answer_terms = case.asked_terms(anova_result.terms)
    records = [
        _term(case, anova_result.effect(term), term, answer_terms, "anova", float(np.asarray(anova_result.n)))
        for term in anova_result.terms
    ]
    for term in answer_terms:
        records += if_estimable(lambda term=term: simple(case, cells, term))  # type: ignore[misc]

    def robust() -> list[TestRecord]:
        test = stats.robust_anova(cells, method="HC3")
        return [f_test(test.effect(term), case.level, "anova_hc3", term=term).beside("hc3") for term in answer_terms]

    return [*records, *if_estimable(robust), *robustness_checks(case, "Welch F")]


def _term(
    case: TestInput, test: stats.FTest, term: str, answer_terms: Sequence[str], method: str, n: float
) -> TestRecord:
    record = f_test(test, case.level, method, term=term, n=n)
    return record if term in answer_terms else replace(record, role="part")


def simple(case: TestInput, cells: stats.Cells, term: str) -> list[TestRecord]:
    """Test a term's factor at each combination of the other factors' levels, each cell with its own variance; Holm."""
    names = term.split(":")
    of = [name for name in case.factors if name in names][:1]
    at = [name for name in case.factors if name not in of]
    effects = stats.simple_effects(cells, specs=of, at=at, error="welch")
    records = [replace(f_test(one, case.level, "simple_effect", term=term), tag=one.term) for one in effects.effects]
    return holm(records)


def shares_of_units(case: TestInput) -> list[TestRecord]:
    """Compare the shares of linked units as any other means, with estimating equations of the rows beside (row 34)."""
    from negstats.analysis.methods.clustered import yes_no

    shape = case.design.features.shape
    make = {"two groups": two_groups, "groups": groups}.get(shape, factorial)
    gee_records = if_estimable(lambda: [one.beside("gee") for one in yes_no(case) if one.role == "answer"])
    return [*(one for one in make(case) if one.role != "beside"), *gee_records]


def repeated(case: TestInput) -> list[TestRecord]:
    """Repeated F with Greenhouse and Geisser's df, paired t behind it, Friedman beside it (rows 7 and 39)."""
    anova_result = stats.repeated_anova(case.moments())
    answer = f_test(anova_result.effect(case.factor, "gg"), case.level, "repeated", n=float(np.asarray(anova_result.n)))
    follow = []
    for one, two in itertools.combinations(case.levels, 2):
        test = stats.paired_t(case.pairs([one, two]), levels=[one, two])
        record = t_test_of(test, test, case.level, "paired", effect="d_z")
        follow.append(replace(record, tag=f"{one} - {two}"))

    def friedman() -> TestRecord:
        rows = long(case.wide("Friedman's test"), case.factor, case.levels)
        test = stats.friedman(rows, "value", within=case.factor, subject="unit")
        n = (float(np.asarray(test.n)),)
        return TestRecord(test, "friedman", "chi2", float(test.statistic), float(test.p), (float(test.df),), n).beside(
            "ranks"
        )

    return [answer, *holm(follow), *if_estimable(friedman)]


def paired_counts(case: TestInput) -> list[TestRecord]:
    """Compare counts of the same units as pairs, or at several levels (row 39)."""
    return repeated(case) if case.design.features.shape == "within" else pairs(case)


def two_within(case: TestInput) -> list[TestRecord]:
    """Return the F of two repeated factors and their interaction, each with its own error and epsilon (row 8)."""
    anova_result = mixed_anova(case)
    answer_terms = case.asked_terms(anova_result.terms)
    n = float(np.asarray(anova_result.n))
    records = [
        _term(case, anova_result.effect(term, "gg"), term, answer_terms, "repeated", n) for term in anova_result.terms
    ]
    for term in answer_terms:
        records += if_estimable(lambda term=term: simple_within(case, term))  # type: ignore[misc]
    return records


def simple_within(case: TestInput, term: str) -> list[TestRecord]:
    """Test a repeated factor of the term at each combination of the other factors' levels; Holm."""
    of = next(name for name in case.factors if name in term.split(":") and name in case.design.within)
    others = [name for name in case.factors if name != of]
    records = []
    for codes in itertools.product(*(case.design.levels[name] for name in others)):
        at = ", ".join(f"{name} = {level}" for name, level in zip(others, codes, strict=True))
        anova_result = stats.repeated_anova(case.moments(dict(zip(others, codes, strict=True))))
        one = f_test(
            anova_result.effect(of, "gg"), case.level, "simple_effect", term=term, n=float(np.asarray(anova_result.n))
        )
        records.append(replace(one, tag=f"{of} at {at}"))
    return holm(records)


def mixed_two_by_two(case: TestInput) -> list[TestRecord]:
    """Compare differences (the interaction), means (the group) and the mean difference of two groups (row 9)."""
    (group,), (inner,) = case.design.between, case.design.within
    both = case.moments()
    one, two = case.design.levels[group]
    difference, half = both.contrast([1.0, -1.0]), both.contrast([0.5, -0.5])
    signed_half = replace(half, offset=half.mean * [1.0, -1.0], origin=0.0)  # of the second group second minus first
    tests = {
        group: stats.t_test(both.contrast([0.5, 0.5]), levels=[one, two]),
        inner: stats.t_test(signed_half, levels=[one, two]),
        f"{group}:{inner}": stats.t_test(difference, levels=[one, two]),
    }
    answer_terms = case.asked_terms(list(tests))
    records = []
    for term, test in tests.items():
        answer = replace(t_test_of(test, test, case.level, "welch", effect="g"), term=term, method="mixed_anova")
        if term == inner:  # the mean over both groups of a difference: no standard deviation of one kind belongs to it
            answer = replace(answer, effect=None, why={"effect": "a mean over two groups has no single SD"})
        records.append(answer if term in answer_terms else replace(answer, role="part"))
    follow = []
    for place, level in enumerate((one, two)):
        n, offset, variance = (
            np.asarray(part[place]) for part in (difference.n, difference.offset, difference.variance)
        )
        test = stats.one_sample_t(replace(difference, n=n, offset=offset, variance=variance, factors=()))
        simple_effect = t_test_of(test, test, case.level, "paired", effect="d", estimate="mean")
        follow.append(replace(simple_effect, term=f"{group}:{inner}", tag=f"{inner} at {group} = {level}"))

    def anova() -> list[TestRecord]:
        anova_result = mixed_anova(case)
        return [
            f_test(anova_result.effect(term), case.level, "mixed_anova", term=term).beside("anova")
            for term in answer_terms
        ]

    return [*records, *holm(follow), *if_estimable(anova)]


def mixed_factors(case: TestInput) -> list[TestRecord]:
    """Type III F with Greenhouse and Geisser's df, simple effects, the mixed model beside (row 10)."""
    anova_result = mixed_anova(case)
    answer_terms = case.asked_terms(anova_result.terms)
    n = float(np.asarray(anova_result.n))
    records = [
        _term(case, anova_result.effect(term, "gg"), term, answer_terms, "mixed_anova", n)
        for term in anova_result.terms
    ]
    for term in answer_terms:
        make = simple_within if set(term.split(":")) & set(case.design.within) else _simple_between
        records += if_estimable(lambda term=term, make=make: make(case, term))  # type: ignore[misc]
    from negstats.analysis.methods.linked import model_of_rows

    def mixed() -> list[TestRecord]:
        return [one.beside("mixed") for one in model_of_rows(case, "positive", "mixed") if one.role == "answer"]

    return [*records, *if_estimable(mixed)]


def mixed_anova(case: TestInput) -> stats.RepeatedAnova | stats.RepeatedFactors:
    """Return the analysis of factors within units, and of those between them if there are any."""
    inner = case.design.within
    if len(inner) > 1:
        return stats.repeated_factors(case.moments(), within={name: case.design.levels[name] for name in inner})
    return stats.repeated_anova(case.moments())


def _simple_between(case: TestInput, term: str) -> list[TestRecord]:
    """Test a factor between units at each combination of the repeated factors' levels, variances its own; Holm."""
    inner = case.design.within
    of = next(name for name in case.design.between if name in term.split(":"))
    records = []
    whole = case.moments()
    weights = np.eye(len(whole.variables))
    for place, codes in enumerate(itertools.product(*(case.design.levels[name] for name in inner))):
        part = whole.contrast(weights[place]).marginal(of)
        at = ", ".join(f"{name} = {level}" for name, level in zip(inner, codes, strict=True))
        one = f_test(stats.one_way(part, method="welch"), case.level, "simple_effect", term=term,
                     partial=False)  # fmt: skip
        records.append(replace(one, tag=f"{of} at {at}"))
    return holm(records)
