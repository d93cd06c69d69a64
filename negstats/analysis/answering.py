"""One question of a plan: its rows, the rule that chooses its test, the records, and the answers of other rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from negstats import stats
from negstats.analysis.correlations import FIXED, has_fixed_points, is_rescaling
from negstats.analysis.method import METHODS
from negstats.analysis.methods.answer import compute_answers, compute_records
from negstats.analysis.methods.inputs import FAULTS, Omission, TestInput, alternative_of, record_in_plan_words
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.plan.model import Exclusion
from negstats.analysis.plan.predictions import faults_of, stated
from negstats.analysis.questions.design import Design
from negstats.analysis.questions.linked import Note
from negstats.analysis.questions.question_data import PreparedStudy, QuestionData
from negstats.analysis.questions.selection import Excluded, Selection, crosses_partners
from negstats.analysis.questions.units import NOUNS, VARIES
from negstats.analysis.rules import Choice, DesignFeatures, choose_rule
from negstats.analysis.scales import WITH_POINTS
from negstats.analysis.verdicts import Verdict, is_same_conclusion, predicted_sign, verdict_of
from negstats.errors import DesignError, NegstatsError, argument
from negstats.metrics.definition import POINTS
from negstats.metrics.lookup import computed_from
from negstats.sanitize import counted, plural
from negstats.studies.study import Study

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan, Question


# The plan's words for corrections, in those of `negstats.stats.adjust`.
CORRECTIONS = {"holm": "holm", "bonferroni": "bonferroni", "hochberg": "simes-hochberg", "hommel": "hommel",
               "bh": "fdr_bh", "by": "fdr_by"}  # fmt: skip
NAMED = 5  # units that a note names


@dataclass(slots=True, eq=False)
class OpenQuestion:
    """A question on its way to its answer."""

    id: str
    question: Question
    held: QuestionData | None = None
    choice: Choice | None = None
    records: list[TestRecord] = field(default_factory=list)
    cells: list[dict[str, Any]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    omissions: list[Omission] = field(default_factory=list)
    refused: str = ""
    refusal: NegstatsError | None = None

    @property
    def design(self) -> Design | None:
        """The design, if the rows are there."""
        return None if self.held is None else self.held.design

    @property
    def rows(self) -> Selection | None:
        """What the question looks at, if that is there."""
        return None if self.held is None else self.held.asked

    @property
    def numbers(self) -> list[str]:
        """The predictors and covariates."""
        return list(dict.fromkeys((*self.question.with_, *self.question.covariates)))

    @property
    def answers(self) -> list[int]:
        """The places of the tests that answer."""
        return [place for place, record in enumerate(self.records) if record.role == "answer"]

    def verdict(self, test: TestRecord, alpha: float, *, depends: bool = False) -> Verdict:
        """Return what one of its answering tests says; `depends` is whether a check leads elsewhere."""
        levels = {} if self.design is None else self.design.levels
        return verdict_of(self.question, self.id, test, alpha, self.cells, depends=depends, levels=levels)


def answer_question(
    data: PreparedStudy, plan: Plan, name: str, question: Question, linked_games: Any, *, answers_only: bool = False
) -> OpenQuestion:
    """Return a question with its answer, what follows it and what stands beside it, or the reason why there is none."""
    open_question = OpenQuestion(name, question)
    open_question.notes += [Note(text, "flow") for row in data.remaining.flow if (text := _flowed(row))]
    try:
        if crosses_partners(plan, question):
            linked_games = None
        if isinstance(linked_games, str):
            open_question.choice = choose_rule(DesignFeatures("interval", linked="all"))
            raise DesignError(linked_games)
        open_question.held = data.read_values(plan, question, linked_games)
        _prepare(open_question, open_question.held, plan)
        _test(open_question, open_question.held, plan, answers_only=answers_only)
    except NegstatsError as error:
        open_question.refused, open_question.refusal = error.statement, error
        open_question.records, open_question.omissions = [], []
    return open_question


def _flowed(row: Mapping[str, Any]) -> str:
    """Return what a rule took, in words."""
    for key in ("game", "person", "seat", "offer", "message", "answer"):
        count = row.get(plural(key))
        if count:
            return f"{counted(count, key)} {'was' if count == 1 else 'were'} excluded ({row['reason']})."
    return ""


def _prepare(open_question: OpenQuestion, data: QuestionData, plan: Plan) -> None:
    question, selection, row_counts, design = open_question.question, data.asked, data.lost, data.design
    open_question.notes = [
        *open_question.notes,
        *selection.notes,
        *(Note(f"{exclusion}.", "rows") for exclusion in selection.excluded),
    ]
    _check_within(design, plan)
    open_question.choice = choose_rule(design.features, question.test)
    # Rows without the outcome are lost first, then those without another number.
    rows_with_value = row_counts.rows - row_counts.missing
    for n, of, name in (
        (row_counts.missing, row_counts.rows, question.measure),
        (row_counts.lacking, rows_with_value, " or ".join(open_question.numbers)),
    ):
        if n:
            open_question.notes.append(Note(f"{Excluded(n, of, selection.row, f'no value of {name}')}.", "rows"))
    # Where a unit has several rows, n counts rows or their means.
    unit = NOUNS.get(selection.what, selection.what)
    if design.features.several and selection.kind == "time" and row_counts.averaged:
        rows = counted(rows_with_value - row_counts.lacking, selection.row)
        open_question.notes.append(
            Note(f"n counts {rows} of {counted(data.units, unit)}; standard errors go by {unit}.")
        )
    elif (
        (design.features.several and not design.features.of_rows) or selection.came is not None
    ) and rows_with_value - row_counts.lacking > row_counts.averaged:
        of_levels = " at each level" if selection.levels else ""
        whose = unit if selection.came is None else "person"
        text = (
            f"The values of each {whose}{of_levels} were averaged ({rows_with_value - row_counts.lacking:,} values to "
            f"{row_counts.averaged:,})."
        )
        open_question.notes.append(Note(text, "rows"))
    if open_question.choice.rule.test:
        with np.errstate(all="ignore"):
            open_question.cells = data.cells(plan.confidence_level)


def _check_within(design: Design, plan: Plan) -> None:
    """Refuse a factor that the plan says lies otherwise than it does."""
    for name, factor_place in design.factors.items():
        planned_within = plan.factor(name).within
        if planned_within is not None and planned_within != (factor_place != "between"):
            raise DesignError(f"{name} {VARIES[factor_place]}, but {argument('within', planned_within)} says otherwise")


def _test(open_question: OpenQuestion, data: QuestionData, plan: Plan, *, answers_only: bool) -> None:
    design, choice, what = data.design, open_question.choice, data.asked.what
    if choice is None:
        return
    if not choice.rule.test:
        raise DesignError(_refusal(open_question))
    _check_predictions(open_question.question, design)
    _check_dependence(open_question, data, plan)
    side = alternative_of(open_question.question, design.levels)
    if data.asked.kind == "time" and side != "two-sided":  # a longer time is a lower rate, which is what is tested
        side = "less" if side == "greater" else "greater"
    case = TestInput(open_question.id, open_question.question, plan, data.asked, design, choice, data.data, side,
                     data.study, data.columns, data.most, open_question.omissions)  # fmt: skip
    _check_cells(data, least=1 if design.features.inside else 2)
    n_lacking = data.with_value - data.units if data.tests_whole_units else 0
    if n_lacking:
        was = "was" if n_lacking == 1 else "were"
        units = counted(n_lacking, NOUNS.get(what, what))
        open_question.notes.append(Note(f"{units} without a value at each level {was} excluded."))
    if any(place == "partly" for place in design.factors.values()):
        open_question.notes.append(Note(_partly(data), "design"))
    try:
        with np.errstate(all="ignore"):  # what is not finite is looked at below
            compute = compute_answers if answers_only else compute_records
            records = compute(METHODS[choice.rule.key], case)
            open_question.records = [record_in_plan_words(test, case.in_plan_words)
                           for test in records if test.role == "answer" or test.sound]  # fmt: skip
    except NegstatsError as error:
        raise DesignError(case.in_plan_words(error.statement)) from None
    except FAULTS as error:
        raise DesignError(
            f"the test cannot be computed: predictors are collinear or a cell does not vary ({error})"
        ) from None
    _check_signs(open_question, design)
    unsound = next((test for test in open_question.records if not test.sound), None)
    if unsound is not None:
        raise DesignError(
            "the test cannot be computed: predictors are collinear or a cell does not vary "
            f"({unsound.method} has no finite p)"
        )


def _check_predictions(question: Question, design: Design) -> None:
    """Refuse a prediction that does not fit the levels that are compared."""
    levels = {name: tuple(own) for name, own in design.levels.items()}
    for field_name, reason in faults_of(question, levels):
        raise DesignError(f"{argument(field_name)} {reason}")


def _check_dependence(open_question: OpenQuestion, data: QuestionData, plan: Plan) -> None:
    """Refuse to relate an outcome to its own rescaling or part, which the values show where no record says so."""
    values = data.values() if open_question.question.with_ else None
    if values is None:
        return
    for name in open_question.question.with_:
        pair, names = values[["value", name]].dropna().to_numpy(float), (open_question.question.measure, name)
        if is_rescaling(pair):
            raise DesignError(f"{name} is {names[0]} on another scale: each is a linear function of the other")
        if has_fixed_points(plan, names, pair):
            raise DesignError(f"{' and '.join(names)} are related by how they are made: {FIXED}")


def _check_signs(open_question: OpenQuestion, design: Design) -> None:
    """Refuse a prediction of which no answering test can say whether it was met."""
    levels = {name: tuple(own) for name, own in design.levels.items()}
    prediction = stated(open_question.question)
    answers = [open_question.records[place] for place in open_question.answers]
    if (
        prediction is None
        or not answers
        or any(predicted_sign(open_question.question, test, levels) for test in answers)
    ):
        return
    terms = ", ".join(test.term for test in answers if test.term) or "the whole design"
    raise DesignError(
        f"{prediction[0]} is {prediction[1]!r}, which does not say the sign of {terms}; name the term with effect"
    )


def _refusal(open_question: OpenQuestion) -> str:
    row = open_question.choice.rule if open_question.choice else None
    if row is not None and row.row == 48:
        return "the answers have no order and the same units have several of them; name one answer as yes/no"
    return row.sentence if row else "no test is available for this design"


def _check_cells(data: QuestionData, least: int) -> None:
    """Refuse a level with fewer than so many units (one, where rows of a unit are compared): it cannot be tested."""
    for name in data.design.levels:
        for level, n in data.at_levels(name).items():
            if n < least:
                what = NOUNS.get(data.asked.what, data.asked.what)
                where = f" at each level of {' and '.join(data.design.within)}" if data.tests_whole_units else ""
                has, cure = counted(n, what) if n else f"no {what}", "leave the level out or merge it"
                raise DesignError(f"{level!r} has {has} with a value{where}; a test needs {least}; {cure}")


def _partly(data: QuestionData) -> str:
    """Say in how many units a factor varies, where in others it does not."""
    name = next(name for name, place in data.design.factors.items() if place == "partly")
    n_units_within, n_units, _ = data.standing(name, NAMED)
    what = NOUNS.get(data.asked.what, data.asked.what)
    units = f"{n_units_within:,} of {counted(n_units, what)}"
    return f"The factor {name} varies within {units} and is the same within the others."


def correct_families(plan: Plan, open_questions: Sequence[OpenQuestion]) -> list[dict[str, Any]]:
    """Correct p inside each family, one member an answer, and return the families."""
    families = []
    by_id = {open_question.id: open_question for open_question in open_questions}
    for name, family in plan.families.items():
        members = [
            (member, place)
            for member in map(by_id.__getitem__, family.questions)
            for place in member.answers
            if math.isfinite(member.records[place].p)
        ]
        p = np.array([member.records[place].p for member, place in members])
        adjusted_p = p
        if len(p) and family.correction != "none":
            adjusted_p = stats.adjust(p, CORRECTIONS[family.correction]).p_adjusted
        for (member, place), value in zip(members, adjusted_p, strict=True):
            record = replace(member.records[place], p_adjusted=float(value), correction=family.correction)
            member.records[place] = record
        addresses = [member.id + member.records[place].part for member, place in members]
        families.append({"id": name, "correction": family.correction, "members": addresses})
    return families


RULES = 4  # rules of exclusion that are left away in turn


def add_alternatives(
    results: dict[str, Any],
    plan: Plan,
    study: Study,
    prepared: PreparedStudy,
    open_questions: Sequence[OpenQuestion],
) -> None:
    """Add to each planned question its answers of other rows: without each rule, and of agreements alone."""
    # Scenarios: without each rule in turn, and, of points, with agreements alone where games ended otherwise too.
    rules = prepared.remaining.rules
    scenarios = [
        _Scenario(tuple(other for other in rules if other is not rule), tuple(plan.questions), without=rule.reason)
        for rule in rules[:RULES]
    ]
    scored = tuple(name for name, question in plan.questions.items() if _has_points(plan, question))
    ends = prepared.ends if scored else {}
    if "agreement" in ends and any(end not in WITH_POINTS for end in ends):
        agreements_only = Exclusion("games.ended", "ended without agreement", "not in", WITH_POINTS)
        scenarios.append(_Scenario((*rules, agreements_only), scored))
    # Each scenario answers its questions again, corrected in their families as the plan says.
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
