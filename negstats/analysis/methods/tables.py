"""Tests of tables of several ways: each term by Rao's X² of what it adds to the fitted counts (rows 30 and 47)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from negstats import stats
from negstats.analysis.effect_sizes import Quantity
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.likelihood import fit_logistic
from negstats.analysis.methods.linked import model_rows, renamed
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.methods.shared import holm
from negstats.analysis.methods.shares import chi2, counted, ratio_of_odds, risk_difference
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries import Counts


def ways(case: TestInput) -> list[TestRecord]:
    """Return Rao's X² of each term with the outcome, of a table of several ways (rows 30 and 47).

    Of 2 × 2 cells of 5 to 30 yes or no it rejects .03 to .07 of null studies, the likelihood ratio up to .09.
    """
    from negstats.stats.loglinear import partial_associations

    counts = counted(case)
    associations = partial_associations(counts)
    names = [factor.name for factor in counts.factors]
    outcome = names[-1]
    by_term = {frozenset(_parse_effect(test.effect, names)): test for test in associations.tests}
    terms = _join_terms(case)
    answer_terms = case.asked_terms(terms)
    records: list[TestRecord] = []
    n = (float(counts.n.sum()),)
    for term in terms:
        test = by_term[frozenset([*term.split(":"), outcome])]
        one = TestRecord.of(test, "loglinear", "chi2", statistic=test.score, p=test.p_score, n=n, term=term)
        one = replace(one, effect=_ratio(case, counts, term), why={} if _two(case, term) else {
            "effect": "odds ratios are given at each level"})  # fmt: skip
        records.append(one if term in answer_terms else replace(one, role="part"))
    return records


def levels(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the tables at the levels of the other factors, for the terms that answer; Holm."""
    counts = counted(case)
    return [level for answer in records if answer.role == "answer" for level in _levels(case, counts, answer.term)]


def _join_terms(case: TestInput) -> list[str]:
    """Return the factors and their interactions, the smaller ones first."""
    sizes = range(1, len(case.factors) + 1)
    return [":".join(part) for size in sizes for part in itertools.combinations(case.factors, size)]


def _parse_effect(effect: str, names: Sequence[str]) -> list[str]:
    """Return the names in a term of the notation of generating classes."""
    from negstats.stats.loglinear.fit import parse

    (places,) = parse(effect if effect.startswith("[") else f"[{effect}]", names)
    return [names[place] for place in places]


def _two(case: TestInput, term: str) -> bool:
    return ":" not in term and len(case.design.levels[term]) == 2 and case.asked.kind == "yes/no"


def _ratio(case: TestInput, counts: Counts, term: str) -> Quantity | None:
    """Return the odds ratio common to all strata (Mantel and Haenszel) of a factor of two levels."""
    if not _two(case, term) or len(case.factors) != 2:
        return None
    other = next(name for name in case.factors if name != term)
    strata = np.moveaxis(counts.n, case.factors.index(other), 2)
    a, b, c, d = strata[0, 0], strata[0, 1], strata[1, 0], strata[1, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        total = a + b + c + d
        value = float((a * d / total).sum() / (b * c / total).sum())
    return Quantity("odds_ratio", value, method="Mantel-Haenszel") if math.isfinite(value) else None


def _levels(case: TestInput, counts: Counts, term: str) -> list[TestRecord]:
    """Return the table of the term's factor and the outcome at each combination of the other factors; Holm."""
    names = term.split(":")
    of = next(name for name in case.factors if name in names)
    place = case.factors.index(of)
    others = [name for name in case.factors if name != of]
    factor_counts: FloatArray = np.moveaxis(counts.n, place, -2)
    levels = [case.design.levels[name] for name in others]
    records = []
    for codes in itertools.product(*(range(len(group)) for group in levels)):
        part = factor_counts[codes]
        if (part.sum(axis=0) == 0).any() or (part.sum(axis=1) == 0).any():
            continue
        two_way = Counts(part, (counts.factors[place], counts.factors[-1]))
        at = ", ".join(f"{name} = {group[code]}" for name, group, code in zip(others, levels, codes, strict=True))
        one = replace(chi2(stats.chi_squared(two_way), "chi_squared"), term=term, tag=f"{of} at {at}")
        if part.shape == (2, 2):
            ratio = case.effect(partial(ratio_of_odds, two_way), "odds ratio", f"/{term}#{one.tag}")
            one = replace(one, estimate=risk_difference(part, case.level), effect=ratio)
        records.append(one)
    return holm(records)


def logistic_terms(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the terms that answer by logistic regression of the rows, of yes and no."""
    answer_terms = case.asked_terms(_join_terms(case))
    if case.asked.kind != "yes/no":
        return []
    frame, names, formula = model_rows(case, "logistic regression", complete=True)
    regression, method = fit_logistic(frame, formula)
    records = []
    for term in regression.terms:
        name = renamed(term, names)
        if name in answer_terms:
            test = regression.test(term)
            one = TestRecord.of(test, method, "chi2", n=(float(regression.n),), term=name)
            records.append(one.beside("logistic"))
    return records
