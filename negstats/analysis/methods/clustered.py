"""Estimating equations of linked rows: yes or no, and counts (rows 34 beside, 35 and 40)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy.special import stdtr

from negstats.analysis.effect_sizes import Quantity
from negstats.analysis.method import METHODS
from negstats.analysis.methods.answer import OF_MEANS, answer_instead, compute_answers, compute_follow_ups
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.likelihood import marginal
from negstats.analysis.methods.linked import model_rows, one_sided, renamed
from negstats.analysis.methods.records import Role, TestRecord
from negstats.analysis.methods.shared import direction_of, per_step
from negstats.errors import DesignError, NotEstimable
from negstats.stats.results import apa


def decisions(case: TestInput) -> list[TestRecord]:
    """Compare yes or no that a person says repeatedly, by a mixed model (row 35)."""
    return _fit_or_replace(case, "binomial")


def counts(case: TestInput) -> list[TestRecord]:
    """Compare counts of one person, by a mixed model (row 40)."""
    return _fit_or_replace(case, "poisson")


def equations_of_decisions(case: TestInput) -> list[TestRecord]:
    """Compare yes or no of linked units by estimating equations (row 35); another test answers where these cannot.

    A column that separates yes from no leaves no equations to solve: units of a row each then get Firth's logistic
    regression, others a test of their averages.
    """
    from negstats.analysis.methods.likelihood import logistic

    try:
        return _fit_equations(case, "binomial")
    except NotEstimable as error:
        features = case.design.features
        is_alone = not (features.several or features.inside or case.design.within)
        records = logistic(case) if is_alone else _compare_averages(case)
        if not records:
            raise
        return answer_instead(records, f"no estimating equations: {error.statement}")


def equations_of_counts(case: TestInput) -> list[TestRecord]:
    """Compare counts of linked units by estimating equations (row 40)."""
    return _fit_equations(case, "poisson")


def pooled(case: TestInput) -> list[TestRecord]:
    """Compare yes or no of linked units by one logistic regression of the rows, errors by unit (row 35)."""
    return _fit_equations(case, "binomial", pooled=True)


def equations_beside(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the terms that answer by estimating equations, unless these are the answer already."""
    if case.choice.rule.test == "mixed" and records[0].fit is None:
        return []
    kind: Literal["binomial", "poisson"] = "poisson" if case.asked.kind == "count" else "binomial"
    return [equation.beside("gee") for equation in _fit_equations(case, kind) if equation.role == "answer"]


def _fit_or_replace(case: TestInput, kind: Literal["binomial", "poisson"]) -> list[TestRecord]:
    """Fit a mixed model; estimating equations answer, and say why, where the model cannot be had."""
    from negstats.analysis.methods.people import mixed_terms

    try:
        return mixed_terms(case, kind)
    except NotEstimable as error:
        try:
            records = _fit_equations(case, kind)
        except NotEstimable:
            records = _compare_averages(case)
            if not records:
                raise
        return answer_instead(records, f"no mixed model: {error.statement}")


def _compare_averages(case: TestInput) -> list[TestRecord]:
    """Return the test of one average a person and level, where each factor lies wholly between or within people."""
    features = case.design.features
    if features.linked != "alone" or features.items or case.numbers or "partly" in case.design.factors.values():
        return []
    key = OF_MEANS.get(features.shape)
    if key is None:
        return []
    records = compute_answers(METHODS[key], case)
    return [*records, *compute_follow_ups(key, case, records)]


def _fit_equations(
    case: TestInput, family: Literal["binomial", "poisson"], *, pooled: bool = False
) -> list[TestRecord]:
    """Return each term's test by Mancl and DeRouen's errors; of one coefficient its t and ratio.

    With `pooled` all rows weigh alike, as in one logistic regression of them.
    """
    from negstats.stats.outcomes.gee import gee

    if case.question.contrasts:
        raise DesignError("contrasts of linked yes/no answers or counts have no test here; keep two levels with only")
    frame, names, formula = model_rows(case, "estimating equations")
    frame["value"] = frame["value"].astype(int) if family == "binomial" else frame["value"]
    is_alone = not frame["unit"].duplicated().any()  # each unit a row: nothing is correlated
    correlation: Literal["exchangeable", "independence"] = "independence" if pooled or is_alone else "exchangeable"
    gee_fit = gee(frame, f"value ~ {formula}", cluster="unit", family=family, correlation=correlation)
    terms = {renamed(term, names): term for term in gee_fit.terms}
    answer_terms = case.asked_terms([name for name in terms if name not in case.question.covariates] or list(terms))
    records = []
    for name, term in terms.items():
        one = _term(case, gee_fit, term, "odds_ratio" if family == "binomial" else "ratio_of_means")
        one = per_step(one, frame[term]) if term.startswith("x") and term in frame else one
        label = "" if len(answer_terms) == 1 and name in answer_terms else name
        role: Role = "answer" if name in answer_terms else "part"
        records.append(replace(one, term=label, role=role, method="logistic" if pooled else one.method))
    return records


def _term(case: TestInput, gee_fit: Any, term: str, ratio: str) -> TestRecord:
    own = [name for name in gee_fit.names if name == term or (name.startswith(f"{term}[") and ":" not in name)]
    is_single = len(own) == 1 and not any(":" in other and term in other.split(":") for other in gee_fit.terms)
    n, clusters = (float(gee_fit.n),), f"{gee_fit.clusters} units, working r = {apa.bounded(gee_fit.correlation)}"
    if not is_single:
        test = gee_fit.test(term)
        text = f"{apa.statistic('F', test.statistic, (test.df1, test.df2), test.p)} ({clusters})"
        why = {"effect": "a term of several coefficients has no single ratio"}
        direction = direction_of(gee_fit, term)
        return TestRecord.of(test, "gee", result=gee_fit, n=n, text=text, why=why, direction=direction)
    place = gee_fit.names.index(own[0])
    sign = 1.0 if term.startswith("x") else -1.0  # a level against the first; a difference is first minus second
    df = float(np.broadcast_to(gee_fit.df, gee_fit.estimate.shape)[place])
    t = sign * float(gee_fit.statistic[place])
    ends = gee_fit.confidence_interval(case.level, of=own[0])
    low, high = sorted((sign * float(ends.low), sign * float(ends.high)))
    value = sign * float(gee_fit.estimate[place])
    effect = Quantity(ratio, float(np.exp(value)), float(np.exp(low)), float(np.exp(high)), case.level, ends.method)
    p = one_sided(case, t, df, float(2 * stdtr(df, -abs(t))))
    sided = " (one-sided)" if case.alternative != "two-sided" else ""
    text = f"{apa.statistic('t', t, (df,), p)}{sided}, {effect.apa()} ({clusters})"
    return TestRecord(
        gee_fit, "gee", "t", t, p, (df,), n, alternative=case.alternative, effect=effect, text=text,
        estimate=marginal(gee_fit, term, case.level),
    )  # fmt: skip
