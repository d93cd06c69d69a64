"""Tests of counts in independent groups: quasi-Poisson, by permutation where a cell is small (rows 37 and 38)."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np

from negstats import stats
from negstats.analysis.effect_sizes import Quantity, ratio_of_groups
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.linked import one_sided
from negstats.analysis.methods.means import two_groups
from negstats.analysis.methods.records import TestRecord, f_test
from negstats.analysis.methods.shared import describe_difference, holm, if_estimable
from negstats.stats.outcomes.quasi_poisson import QuasiPoisson, RateRatios, quasi_poisson
from negstats.stats.results import apa

SMALL = 20  # units in a cell under which F is too bold or too shy where counts are spread


def groups(case: TestInput) -> TestRecord:
    """Return the quasi-Poisson F, or the permutation of the same statistic (row 37)."""
    cells = case.cells()
    is_small = int(cells.n.min()) < SMALL
    if is_small:
        more: dict[str, Any] = {"method": "permutation", "rng": case.rng(), "n_resamples": case.plan.resamples}
        model = quasi_poisson(case.values("the permutation test"), "value", case.factor, **more)
    else:
        model = quasi_poisson(cells)
    two = len(case.levels) == 2
    ratio = ratio_of_groups(model, case.level) if two else None
    answer = _answer(case, model, is_small)
    if two:
        difference = float(cells.mean[0] - cells.mean[1])
        answer = replace(answer, effect=ratio, says=describe_difference(case, case.levels, difference))
        if case.alternative != "two-sided" and ratio is not None:
            answer = _one_sided(case, answer, is_small, difference)
    if is_small and ratio is not None:
        answer = replace(answer, text=f"{answer.text}, {ratio.apa()}")
    return answer


def _answer(case: TestInput, model: QuasiPoisson, is_small: bool) -> TestRecord:
    n = (float(np.asarray(model.n)),)
    if not is_small:
        record = f_test(model.effect(case.factor), case.level, "quasi_poisson", n=n[0])
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
        return replace(answer, p=one_sided(case, t, answer.df[1], answer.p), alternative=case.alternative)
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
    ratios: RateRatios = records[0].result.ratios("holm")
    ends = ratios.confidence_interval(case.level)
    lows, highs = np.ravel(ends.low), np.ravel(ends.high)
    return [
        TestRecord(
            ratios, "quasi_poisson", "t", float(ratios.statistic[at]), float(ratios.p[at]), (float(ratios.df[at]),),
            tag=f"{ratios.first[at]} - {ratios.second[at]}", role="follow-up",
            p_adjusted=float(ratios.p_adjusted[at]), correction="holm",
            effect=Quantity("ratio_of_means", float(ratios.estimate[at]), float(lows[at]), float(highs[at]),
                            case.level, ends.method),
        )
        for at in range(len(ratios.first))
    ]  # fmt: skip


def welch(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return Welch's test of the counts themselves."""
    if len(case.levels) == 2:
        return two_groups(case).beside("welch")
    test = stats.one_way(case.cells(), method="welch")
    return f_test(test, case.level, "welch_anova", partial=False).beside("welch")


def factorial(case: TestInput) -> list[TestRecord]:
    """Return the quasi-Poisson type III F of each term (row 38)."""
    model = quasi_poisson(case.cells())
    n = float(np.asarray(model.n))
    answer_terms = case.asked_terms(model.terms)
    records = []
    for term in model.terms:
        one = f_test(model.effect(term), case.level, "quasi_poisson", term=term, n=n)
        one = replace(one, effect=None, why={"effect": "ratios are given at each level"})
        records.append(one if term in answer_terms else replace(one, role="part"))
    return records


def simple_effects(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the simple effects of the terms that answer."""
    terms = [one.term for one in records if one.role == "answer"]
    return [one for term in terms for one in _simple_effects_of_term(case, term)]


def _simple_effects_of_term(case: TestInput, term: str) -> list[TestRecord]:
    names = term.split(":")
    of = next(name for name in case.factors if name in names)
    others = [name for name in case.factors if name != of]
    records: list[TestRecord] = []
    for codes in itertools.product(*(case.design.levels[name] for name in others)):
        at = dict(zip(others, codes, strict=True))
        where = ", ".join(f"{name} = {level}" for name, level in at.items())

        def test(at: dict[str, str] = at, where: str = where) -> TestRecord:
            model = quasi_poisson(case.cells([of], at))
            one = f_test(model.effect(of), case.level, "quasi_poisson", term=term)
            ratio = ratio_of_groups(model, case.level) if len(case.design.levels[of]) == 2 else None
            return replace(one, effect=ratio, tag=f"{of} at {where}")

        records += if_estimable(test)
    return holm(records)


def anova_of_counts(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the type III F of the counts themselves, of the terms that answer."""
    anova_result = stats.anova(case.cells())
    return [f_test(anova_result.effect(term), case.level, "anova", term=term).beside("anova")
            for term in case.asked_terms(anova_result.terms)]  # fmt: skip
