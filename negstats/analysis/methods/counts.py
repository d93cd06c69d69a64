"""Tests of counts in independent groups: quasi-Poisson, by permutation where a cell is small (rows 37 and 38)."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from negstats import stats
from negstats.analysis.effect_sizes import Quantity, exponential, ratio_of_groups
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.means import two_groups, welch_of_groups
from negstats.analysis.methods.records import TestRecord, classical_records, f_test, term_records
from negstats.analysis.methods.shared import describe_difference, holm, pair_records
from negstats.errors import NotEstimable
from negstats.stats.means.robust import log_means
from negstats.stats.outcomes.quasi_poisson import QuasiPoisson, quasi_poisson
from negstats.stats.results import apa

WITHOUT_RATIO = {"effect": "ratios are given at each level"}
SMALL = 20  # units in a cell under which F is too bold or too shy where counts are spread


def groups(case: TestInput) -> TestRecord:
    """Return the quasi-Poisson F, or the permutation of the same statistic (row 37)."""
    cells = case.cells()
    is_small = int(cells.n.min()) < SMALL
    if is_small:
        options: dict[str, Any] = {"method": "permutation", "rng": case.rng(), "n_resamples": case.plan.resamples}
        model = quasi_poisson(case.values("the permutation test"), "value", case.factor, **options)
    else:
        model = quasi_poisson(cells)
    ratio = None
    if is_of_two := len(case.levels) == 2:
        ratio = case.optional("effect", "ratio of means", lambda: ratio_of_groups(model, case.level), None)
    answer = _answer(case, model, is_small)
    if is_of_two:
        difference = float(cells.mean[0] - cells.mean[1])
        says = describe_difference(case, case.levels, difference)
        answer = replace(answer, effect=ratio, direction=float(np.sign(difference)), says=says)
        if case.alternative != "two-sided" and ratio is not None:
            answer = _one_sided(case, answer, is_small, difference)
    if is_small and ratio is not None:
        answer = replace(answer, text=f"{answer.text}, {ratio.apa()}")
    return answer


def _answer(case: TestInput, model: QuasiPoisson, is_small: bool) -> TestRecord:
    n = (float(np.asarray(model.n)),)
    if not is_small:
        record = f_test(case, model.effect(case.factor), "quasi_poisson", n=n[0])
        return replace(record, result=model, effect=None)
    permutation = model.permutation
    how = permutation.how() if permutation is not None else ""
    return TestRecord(
        model, "quasi_poisson", "f", math.nan, float(model.p[0]), n=n, text=f"{apa.p_value(model.p[0])} ({how})",
        why={"statistic": "p is that of a permutation: no distribution of F gives it again"},
    )  # fmt: skip


def _one_sided(case: TestInput, answer: TestRecord, is_small: bool, difference: float) -> TestRecord:
    if not is_small:
        t = math.copysign(math.sqrt(max(answer.statistic, 0.0)), difference)
        return replace(answer, p=case.p_on_side(t, answer.df[1], answer.p), alternative=case.alternative)
    # Of two groups F grows with the difference of means on either side: the sides are told apart by that difference.
    test = stats.permutation_test(
        case.values("the permutation test"), "value", case.factor, "mean difference", rng=case.rng(),
        levels=case.levels, alternative=case.alternative, n_resamples=case.plan.resamples,
    )  # fmt: skip
    text = f"{apa.p_value(test.p)} (one-sided, {test.how()})"
    return replace(answer, p=float(test.p), alternative=case.alternative, text=text)


def pairs_of_levels(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the ratio of means of each two of several groups; Holm."""
    if len(case.levels) < 3:
        return []
    model = records[0].result
    if not isinstance(model, QuasiPoisson):  # levels were exchanged in its place
        raise NotEstimable("there is no model of counts")
    ratios = model.ratios("holm")
    ends = ratios.confidence_interval(case.level)
    values, lows, highs = map(np.ravel, (ratios.effect.value, ends.low, ends.high))
    sizes = [Quantity("ratio_of_means", float(value), float(low), float(high), case.level, ends.method)
             for value, low, high in zip(values, lows, highs, strict=True)]  # fmt: skip
    return [
        replace(pair_record, effect=size)
        for pair_record, size in zip(pair_records(ratios, "quasi_poisson"), sizes, strict=True)
    ]


def welch(case: TestInput, records: list[TestRecord]) -> TestRecord:
    """Return Welch's test of the counts themselves."""
    if len(case.levels) == 2:
        return two_groups(case).beside("welch")
    return welch_of_groups(case, records)


def factorial(case: TestInput) -> list[TestRecord]:
    """Return the Welch–James test of each term for ratios of means, type III (row 38).

    A cell without a single event has no ratio; the quasi-Poisson F answers then, whose spread all cells share.
    """
    cells = case.cells()
    if (cells.mean > 0).all():
        tests: Any = stats.robust_anova(log_means(cells), method="welch-james")
        method = "welch_james_ratios"
    else:
        tests, method = quasi_poisson(cells), "quasi_poisson"
    return [replace(record, effect=None, why=WITHOUT_RATIO) for record in term_records(case, tests, method)]


def classical_terms(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the quasi-Poisson type III F of the terms that answer, which takes one spread for all cells."""
    if records[0].method == "quasi_poisson":
        return []
    return classical_records(case, quasi_poisson(case.cells()), "quasi_poisson")


def simple_effects(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the simple effects of the terms that answer, each cell with a spread of its own; Holm for each term."""
    terms = [record.term for record in records if record.role == "answer"]
    return [simple_effect for term in terms for simple_effect in _simple_effects_of_term(case, term)]


def _simple_effects_of_term(case: TestInput, term: str) -> list[TestRecord]:
    names = term.split(":")
    factor = next(name for name in case.factors if name in names)
    others = [name for name in case.factors if name != factor]
    records: list[TestRecord] = []
    for levels, text in case.combinations(others):
        tag = f"{factor} at {text}"
        make = partial(_simple_effect, case, factor, levels, term, tag)
        record = case.optional("follow-up", "simple effect", make, None, f"/{term}#{tag}")
        records += [] if record is None else [record]
    return holm(records)


def _simple_effect(case: TestInput, factor: str, levels: dict[str, str], term: str, tag: str) -> TestRecord:
    """Return the test of a factor's ratios at given levels of the others, with the ratio of two levels."""
    cells = log_means(case.cells([factor], levels))
    test = f_test(case, stats.robust_anova(cells, method="welch-james").effect(factor), "welch_james_ratios", term=term)
    if len(cells.n) != 2:
        return replace(test, effect=None, tag=tag, why={"effect": "several levels have no single ratio"})
    two_sided = stats.t_test(cells, levels=case.design.levels[factor])
    ends = two_sided.confidence_interval(case.level)
    ratio = exponential("ratio_of_means", two_sided.difference, ends, method="Welch, log scale")
    return replace(test, effect=ratio, tag=tag)
