"""The answers of other rows: without each rule that leaves rows out, and of agreements alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from negstats.analysis.answering import OpenQuestion, answer_question, correct_families
from negstats.analysis.plan.model import Exclusion
from negstats.analysis.questions.question_data import PreparedStudy
from negstats.analysis.scales import WITH_POINTS
from negstats.analysis.verdicts import is_same_conclusion
from negstats.errors import NegstatsError
from negstats.metrics.definition import POINTS
from negstats.metrics.lookup import computed_from
from negstats.studies.study import Study

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan, Question


RULES = 4  # rules of exclusion that are left away in turn


def add_alternatives(
    results: dict[str, Any],
    plan: Plan,
    study: Study,
    prepared: PreparedStudy,
    open_questions: Sequence[OpenQuestion],
) -> None:
    """Add to each planned question its answers of other rows: without each rule, and of agreements alone."""
    rules = prepared.remaining.rules
    scenarios = [_Scenario(tuple(one for one in rules if one is not rule), tuple(plan.questions), without=rule.reason)
                 for rule in rules[:RULES]]  # fmt: skip
    scored = tuple(name for name, question in plan.questions.items() if _has_points(plan, question))
    ends = prepared.ends if scored else {}
    if "agreement" in ends and any(end not in WITH_POINTS for end in ends):
        agreements_only = Exclusion("games.ended", "ended without agreement", "not in", WITH_POINTS)
        scenarios.append(_Scenario((*rules, agreements_only), scored))
    by_id = {open_question.id: open_question for open_question in open_questions}
    for scenario in scenarios:
        try:
            data = PreparedStudy.of(study, scenario.rules, prepared.most)
            linked_games: Any = data.linked(plan)
        except NegstatsError:
            continue
        repeated = [
            answer_question(data, plan, name, by_id[name].question, linked_games, answers_only=True)
            if name in scenario.questions and _is_answered(by_id[name])
            else replace(by_id[name], records=list(by_id[name].records))
            for name in plan.questions
        ]
        correct_families(plan, repeated)
        for open_question, again, entry in zip(open_questions, repeated, results["questions"], strict=True):
            if open_question.id in scenario.questions and _is_answered(open_question):
                entry["alternatives"] += _compare_answers(open_question, again, scenario, plan.alpha)


@dataclass(frozen=True, slots=True)
class _Scenario:
    """Another set of rows: without one rule of exclusion, or with agreements alone (`without` is None)."""

    rules: tuple[Exclusion, ...]
    questions: tuple[str, ...]
    without: str | None = None


def _is_answered(open_question: OpenQuestion) -> bool:
    return not open_question.refused and not open_question.question.explore and bool(open_question.answers)


def _has_points(plan: Plan, question: Question) -> bool:
    """Whether an outcome or a number of a planned question is computed from points, which walking away may have."""
    if question.explore:
        return False
    measures = [plan.measure(name) for name in (question.measure, *question.with_, *question.covariates)]
    return any(
        measure.without_agreement != "leave out" and POINTS in computed_from(measure.measure) for measure in measures
    )


def _compare_answers(
    open_question: OpenQuestion, again: OpenQuestion, scenario: _Scenario, alpha: float
) -> Iterator[dict[str, Any]]:
    """Yield each answer of other rows, where it is other numbers, and whether the same follows after correction."""
    by_part = {again.records[place].part: again.records[place] for place in again.answers}
    for answer in (open_question.records[place] for place in open_question.answers):
        test = by_part.get(answer.part)
        if test is None or not math.isfinite(test.p):
            continue
        if test.n == answer.n and math.isclose(test.p, answer.p, rel_tol=1e-9):  # engines add in any order
            continue
        yield {
            **test.entry(open_question.id), "role": "alternative", "of": open_question.id + answer.part,
            "without": scenario.without,
            "agrees": is_same_conclusion(open_question.verdict(answer, alpha), again.verdict(test, alpha)),
        }  # fmt: skip
