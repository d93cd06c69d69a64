"""Tests of means with crossed and repeated factors (rows 6 to 10, 34 and 39)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from negstats import stats
from negstats.analysis.method import METHODS
from negstats.analysis.methods.answer import OF_MEANS, compute_answers, compute_follow_ups, select_answers
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.records import TestRecord, classical_records, f_test, t_test_of, term_records
from negstats.analysis.methods.shared import holm, long


def factorial(case: TestInput) -> list[TestRecord]:
    """Return the Welch–James test of each term, type III (row 6)."""
    return term_records(case, stats.robust_anova(case.cells(), method="welch-james"), "welch_james")


def simple_effects(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the simple effects of the terms that answer, each cell with its own variance."""
    cells = case.cells()
    return _build_for_each_term(case, records, lambda term: _simple_effects_of_term(case, cells, term))


def classical_terms(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the type III F of the terms that answer, which takes the variances of all cells as equal."""
    return classical_records(case, stats.anova(case.cells()), "anova")


def _build_for_each_term(
    case: TestInput, records: Sequence[TestRecord], make: Callable[[str], list[TestRecord]]
) -> list[TestRecord]:
    """Return what follows each term that answers, where these data can give it."""
    follow_ups: list[TestRecord] = []
    for term in [record.term for record in records if record.role == "answer"]:
        follow_ups += case.optional("follow-up", "simple effects", partial(make, term), [], f"/{term}")
    return follow_ups


def _simple_effects_of_term(case: TestInput, cells: stats.Cells, term: str) -> list[TestRecord]:
    """Test a term's factor at each combination of the other factors' levels, each cell with its own variance; Holm."""
    names = term.split(":")
    factors = [name for name in case.factors if name in names][:1]
    others = [name for name in case.factors if name not in factors]
    effects = stats.simple_effects(cells, specs=factors, at=others, error="welch")
    records = [replace(f_test(case, effect, "simple_effect", term=term), tag=effect.term) for effect in effects.effects]
    return holm(records)


def shares_of_units(case: TestInput) -> list[TestRecord]:
    """Compare the shares of linked units as any other means (row 34)."""
    return compute_answers(METHODS[OF_MEANS[case.design.features.shape]], case)


def follow_ups_of_shares(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return what follows a comparison of means of the same design."""
    return compute_follow_ups(OF_MEANS[case.design.features.shape], case, records)


def repeated(case: TestInput) -> TestRecord:
    """Return the repeated F with Greenhouse and Geisser's df (rows 7 and 39)."""
    anova_result = stats.repeated_anova(case.moments())
    return f_test(case, anova_result.effect(case.factor, "gg"), "repeated", n=float(np.asarray(anova_result.n)))


def pairs_of_levels(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the paired t of each two levels; Holm."""
    records = []
    for level, other_level in itertools.combinations(case.levels, 2):
        test = stats.paired_t(case.pairs([level, other_level]), levels=[level, other_level])
        record = t_test_of(case, test, test, "paired", effect="d_z")
        records.append(replace(record, tag=f"{level} - {other_level}"))
    return holm(records)


def friedman(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return Friedman's test of the levels."""
    rows = long(case.wide("Friedman's test"), case.factor, case.levels)
    test = stats.friedman(rows, "value", within=case.factor, subject="unit")
    return TestRecord.of(test, "friedman", "chi2", n=(float(np.asarray(test.n)),)).beside("ranks")


def two_within(case: TestInput) -> list[TestRecord]:
    """Return the F of two repeated factors and their interaction, each with its own error and epsilon (row 8)."""
    return term_records(case, mixed_anova(case), "repeated", "gg")


def simple_effects_within(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the simple effects of the terms that answer, of two repeated factors."""
    return _build_for_each_term(case, records, partial(_simple_effects_within_term, case))


def _simple_effects_within_term(case: TestInput, term: str) -> list[TestRecord]:
    """Test a repeated factor of the term at each combination of the other factors' levels; Holm."""
    factor = next(name for name in case.factors if name in term.split(":") and name in case.design.within)
    others = [name for name in case.factors if name != factor]
    records = []
    for levels, text in case.combinations(others):
        anova_result = stats.repeated_anova(case.moments(levels))
        record = f_test(
            case, anova_result.effect(factor, "gg"), "simple_effect", term=term, n=float(np.asarray(anova_result.n))
        )
        records.append(replace(record, tag=f"{factor} at {text}"))
    return holm(records)


def mixed_two_by_two(case: TestInput) -> list[TestRecord]:
    """Compare differences (the interaction), means (the group) and the mean difference of two groups (row 9)."""
    (group,), (inner,) = case.design.between, case.design.within
    moments = case.moments()
    first, second = case.design.levels[group]
    difference, half = moments.contrast([1.0, -1.0]), moments.contrast([0.5, -0.5])
    signed_half = replace(half, offset=half.mean * [1.0, -1.0], origin=0.0)  # of the second group second minus first
    tests = {
        group: stats.t_test(moments.contrast([0.5, 0.5]), levels=[first, second]),
        inner: stats.t_test(signed_half, levels=[first, second]),
        f"{group}:{inner}": stats.t_test(difference, levels=[first, second]),
    }
    answer_terms = case.asked_terms(list(tests))
    records = []
    for term, test in tests.items():
        answer = replace(t_test_of(case, test, test, "welch", effect="g"), term=term, method="mixed_anova")
        if term == inner:  # the mean over both groups of a difference: no standard deviation of one kind belongs to it
            answer = replace(answer, effect=None, why={"effect": "a mean over two groups has no single SD"})
        records.append(answer if term in answer_terms else replace(answer, role="part"))
    return records


def both_simple_effects(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the difference within units in each of the two groups; Holm."""
    (group,), (inner,) = case.design.between, case.design.within
    difference = case.moments().contrast([1.0, -1.0])
    records = []
    for place, level in enumerate(case.design.levels[group]):
        n, offset, variance = (
            np.asarray(part[place]) for part in (difference.n, difference.offset, difference.variance)
        )
        test = stats.one_sample_t(replace(difference, n=n, offset=offset, variance=variance, factors=()))
        simple_effect = t_test_of(case, test, test, "paired", effect="d", estimate="mean")
        records.append(replace(simple_effect, term=f"{group}:{inner}", tag=f"{inner} at {group} = {level}"))
    return holm(records)


def classical_terms_of_mixed(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the type III F of the terms that answer, which takes the covariances of all groups as equal."""
    return classical_records(case, mixed_anova(case), "mixed_anova", "gg")


def mixed_factors(case: TestInput) -> list[TestRecord]:
    """Return the tests of each term in which groups have covariances of their own (row 10).

    Terms between units are Welch–James tests of the units' means; terms within units have Box's degrees of freedom.
    """
    inner = {name: case.design.levels[name] for name in case.design.within}
    records = term_records(case, stats.robust_repeated(case.moments(), within=inner), "welch_james")
    return [
        replace(record, method="box") if inner.keys() & set(record.term.split(":")) else record for record in records
    ]


def simple_effects_of_mixed(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the simple effects of the terms that answer, of factors within and between units."""

    def make(term: str) -> list[TestRecord]:
        is_within = set(term.split(":")) & set(case.design.within)
        return _simple_effects_within_term(case, term) if is_within else _simple_effects_between(case, term)

    return _build_for_each_term(case, records, make)


def mixed_model(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the terms that answer by a mixed model of the rows."""
    return [answer.beside("mixed") for answer in select_answers("mixed", case)]


def mixed_anova(case: TestInput) -> stats.RepeatedAnova | stats.RepeatedFactors:
    """Return the analysis of factors within units, and of those between them if there are any."""
    inner = case.design.within
    if len(inner) > 1:
        return stats.repeated_factors(case.moments(), within={name: case.design.levels[name] for name in inner})
    return stats.repeated_anova(case.moments())


def _simple_effects_between(case: TestInput, term: str) -> list[TestRecord]:
    """Test a factor between units at each combination of the repeated factors' levels, variances its own; Holm."""
    inner = case.design.within
    factor = next(name for name in case.design.between if name in term.split(":"))
    records = []
    whole = case.moments()
    weights = np.eye(len(whole.variables))
    for place, (_, text) in enumerate(case.combinations(inner)):
        part = whole.contrast(weights[place]).marginal(factor)
        record = f_test(case, stats.one_way(part, method="welch"), "simple_effect", term=term, partial=False)
        records.append(replace(record, tag=f"{factor} at {text}"))
    return holm(records)
