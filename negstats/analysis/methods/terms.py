"""The terms of a fitted model as records: which of them answer, and of a term with one coefficient its number.

Every model of coded rows (`TestInput.coded`) gets its records here, so that an answer has the same address, the same
direction and the same side whatever the model: first minus second of the levels of a factor, per unit of a number.

`terms_of`
    the terms in the order of the model, with the plan's name, the place in an address and the role of each.
`single_column`
    the coefficient of a term that has one, and the sign that turns it to first minus second.
`ratio_record`
    the record of a term of a model on a log scale: t with its ratio, F where it has several coefficients.
`linear_terms`
    the records of the terms of a linear model: t with its difference or slope, F where it has several coefficients.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from negstats import stats
from negstats.analysis.effect_sizes import Quantity, exponential, quantity
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.records import Role, TestRecord, f_test
from negstats.analysis.methods.shared import direction_of
from negstats.stats.results import apa

NO_RATIO: Mapping[str, str] = {"effect": "a term of several coefficients has no single ratio"}


@dataclass(frozen=True, slots=True)
class ModelTerm:
    """A term of a model of coded rows.

    Attributes
    ----------
    term : str
        As the formula has it: "f0:x0".
    name : str
        In the plan's names: "condition:rounds".
    label : str
        In the address of its test; empty where it is the only term that could answer.
    role : str
        "answer", or "part" of the same model.
    """

    term: str
    name: str
    label: str
    role: Role

    @property
    def is_number(self) -> bool:
        """Whether it is a number alone, and no factor or interaction."""
        return self.term.startswith("x") and ":" not in self.term


def terms_of(case: TestInput, terms: Iterable[str], names: Mapping[str, str]) -> list[ModelTerm]:
    """Return the terms of a model: those that the plan asks for answer, or all but what is held constant.

    Raises
    ------
    DesignError
        If the plan asks for a term that the model has not.
    """
    by_name = {renamed(term, names): term for term in terms}
    candidates = [name for name in by_name if name not in case.question.covariates] or list(by_name)
    asked_terms = case.asked_terms(candidates)
    return [
        ModelTerm(
            term,
            name,
            label="" if candidates == [name] else name,
            role="answer" if name in asked_terms else "part",
        )
        for name, term in by_name.items()
    ]


def renamed(term: str, names: Mapping[str, str]) -> str:
    """Return a term of the model in the plan's names."""
    return ":".join(names.get(part, part) for part in term.split(":"))


def single_column(model: Any, term: str) -> tuple[int, float] | None:
    """Return the place of a term's only coefficient and its sign, first minus second; None where it has no such number.

    A coefficient is the second level less the first of each factor of its term. That of a term which others contain is
    the effect at their reference levels, and no number of the term.
    """
    design = model.design
    place = design.place(term)
    columns = design.coding.columns_of(place)
    if len(columns) > 1 or not design.stands_alone(place):
        return None
    n_factors = sum(part in design.coding.levels for part in term.split(":"))
    return model.names.index(design.names[columns[0]]), (-1.0) ** n_factors


def ratio_record(
    case: TestInput,
    model: Any,
    term: str,
    method: str,
    ratio: str,
    remark: str,
    *,
    of_interactions: bool = False,
) -> TestRecord:
    """Return the record of a term of a model on a log scale.

    Parameters
    ----------
    case, model, term
        The question, the model of its coded rows, and the term as the formula has it.
    method, ratio
        The name of the test, and of the ratio of a term with one coefficient: "odds_ratio".
    remark
        What the sentence says of the model, in parentheses.
    of_interactions
        Whether an interaction with one coefficient has its ratio of ratios; else it has F.
    """
    n = (float(model.n),)
    single = single_column(model, term) if of_interactions or ":" not in term else None
    if single is None:
        test = model.test(term)
        return TestRecord.of(
            test, method, result=model, n=n, text=f"{test.apa()} ({remark})", why=NO_RATIO,
            direction=direction_of(model, term),
        )  # fmt: skip
    place, sign = single
    t, df = sign * float(model.statistic[place]), float(np.broadcast_to(model.df, model.estimate.shape)[place])
    ends = model.confidence_interval(case.level, of=model.names[place])
    effect = exponential(ratio, model.estimate[place], ends, sign)
    p = case.p_on_side(t, df, float(model.p[place]))
    return TestRecord(
        model, method, "t", t, p, (df,), n, alternative=case.alternative, effect=effect,
        text=f"{apa.statistic('t', t, (df,), p)}{case.side_note}, {effect.apa()} ({remark})",
    )  # fmt: skip


def linear_terms(
    case: TestInput,
    model: stats.LinearModel | stats.MixedModel,
    names: Mapping[str, str],
    method: str,
    difference: str = "difference",
    *,
    remark: str = "",
) -> list[TestRecord]:
    """Return the records of the terms of a linear model: t of what is one number, F of what is more.

    Parameters
    ----------
    case, model, names, method
        The question, the model of its coded rows, the plan's names of their columns, and the name of the test.
    difference
        What a difference of two levels is called.
    remark
        What the sentence says of the model behind an estimate.
    """
    records = []
    for part in terms_of(case, model.terms, names):
        fields = {"n": (float(model.n),), "term": part.label, "role": part.role, "fit": model}
        coefficient, estimate = single_effect(model, part.term)
        if coefficient is None:
            record = f_test(case, model.test(part.term), method, term=part.label, n=float(model.n))
            records.append(replace(record, role=part.role, fit=model))
            continue
        name = difference if estimate == "difference" else estimate
        side = case if part.role == "answer" else replace(case, alternative="two-sided")
        size = quantity(name, coefficient.estimate, coefficient.confidence_interval(case.level))
        records.append(coefficient_record(side, coefficient, method, size, remark, result=model, **fields))
    return records


def difference_record(
    case: TestInput, coefficient: stats.Coefficient, method: str, remark: str = "", **fields: Any
) -> TestRecord:
    """Return the record of a coefficient that is a difference of means."""
    size = quantity("difference", coefficient.estimate, coefficient.confidence_interval(case.level))
    return coefficient_record(case, coefficient, method, size, remark, **fields)


def coefficient_record(
    case: TestInput, coefficient: stats.Coefficient, method: str, size: Quantity, remark: str = "", **fields: Any
) -> TestRecord:
    """Return the record of a coefficient, or of a sum of some: t with its estimate, p on the plan's side."""
    t, df = float(coefficient.statistic), float(coefficient.df)
    p = case.p_on_side(t, df, float(coefficient.p))
    text = f"{apa.statistic('t', t, (df,), p)}{case.side_note}, {size.apa()}{remark}"
    return TestRecord.of(coefficient, method, p=p, alternative=case.alternative, estimate=size, text=text, **fields)


def single_effect(model: Any, term: str) -> tuple[stats.Coefficient | None, str]:
    """Return a term's one number, of levels the first less the second, and what it is; None if it has several.

    A difference of differences has no unit of its own here: F says the same.
    """
    coding, place = model.design.coding, model.design.place(term)
    factors = [name for name in coding.terms[place] if name in coding.levels]
    if len(coding.columns_of(place)) > 1 or len(factors) > 1:
        return None, ""
    coefficient = model.effect(term)
    if not factors:
        return coefficient, "slope"
    first_less_second = replace(coefficient, estimate=-coefficient.estimate, statistic=-coefficient.statistic)
    return first_less_second, "difference_of_slopes" if ":" in term else "difference"
