"""`run`: from a plan and a study to a report: answers or why there is none, families corrected, results.json filled."""

from __future__ import annotations

import math
import platform
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd

import negstats
from negstats import stats
from negstats.analysis.answers import Answer, Figure, Report
from negstats.analysis.assumptions import assumptions_of
from negstats.analysis.correlations import correlations_of, is_rescaling
from negstats.analysis.first_levels import first_levels
from negstats.analysis.method import METHODS
from negstats.analysis.methods.answer import compute_answers, compute_records
from negstats.analysis.methods.inputs import TestInput, alternative_of
from negstats.analysis.methods.omissions import FAULTS, Omission
from negstats.analysis.methods.plan_words import record_in_plan_words
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.outcomes import outcomes_of
from negstats.analysis.plan.aliases import find_clashes
from negstats.analysis.plan.model import Exclusion
from negstats.analysis.plan.predictions import faults_of, stated
from negstats.analysis.questions.design import Design
from negstats.analysis.questions.frames import count, count_each
from negstats.analysis.questions.linked import Note
from negstats.analysis.questions.question_data import PreparedStudy, QuestionData
from negstats.analysis.questions.selection import Excluded, Selection, crosses_partners
from negstats.analysis.questions.traits import traits_of
from negstats.analysis.questions.units import NOUNS, VARIES
from negstats.analysis.rules import Choice, choose_rule
from negstats.analysis.scales import WITH_POINTS, points_without_agreement, scale_of_points
from negstats.analysis.verdicts import Verdict, agrees, checks_of, predicted_sign, sentence_of, verdict_of
from negstats.errors import DesignError, NegstatsError, UsageError, argument
from negstats.metrics.definition import POINTS
from negstats.metrics.lookup import computed_from
from negstats.sanitize import counted, plural
from negstats.stats.results.numbers import number
from negstats.stats.summaries.aggregation import repeatable_sums
from negstats.studies.format_facts import facts_of
from negstats.studies.participation import participation
from negstats.studies.provenance import Coding
from negstats.studies.records import alarm, open_records, refuse_stops
from negstats.studies.study import Study
from negstats.studies.suspicions import records_of

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan, Question

SCHEMA = "negstats.results/1"

# The plan's words for corrections, in those of `negstats.stats.adjust`.
CORRECTIONS = {"holm": "holm", "bonferroni": "bonferroni", "hochberg": "simes-hochberg", "hommel": "hommel",
               "bh": "fdr_bh", "by": "fdr_by"}  # fmt: skip


RULES = 4  # rules of exclusion that are left away in turn
NAMED = 5  # units that a note names
MEMORY_ROWS = sys.maxsize  # of a question, where they are in memory anyhow
MAX_ROWS = 1_000_000  # of a question that leave an engine
# What is drawn of the cells alone, where the values stay with an engine.
OF_CELLS: Mapping[str, Figure] = {"points": "cells", "lines": "cells", "cells": "cells", "bars": "bars",
                                  "answers": "answers"}  # fmt: skip


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
        return [place for place, one in enumerate(self.records) if one.role == "answer"]


def run(
    plan: Plan,
    study: Study,
    *,
    state: str = "not registered",
    changes: Sequence[Any] = (),
    max_rows: int = MAX_ROWS,
    track: Callable[[str], object] | None = None,
    describes_study: bool = True,
) -> Report:
    """Answer the questions of a plan.

    Parameters
    ----------
    plan
        The plan, as `negstats.analysis.plan.read` gives it.
    study
        The study as it was loaded; the rows that the plan leaves out are still in it. Of one whose rows stay with an
        engine, a question of more than `max_rows` rows gets its summaries by group-bys; a test that needs the rows
        themselves is refused by its name, or named in a note where it would stand beside an answer.
    state, changes
        Of the plan's registration, as `results.json` holds them.
    max_rows
        A question of at most so many rows leaves the engine: its rows come home once, and every test and figure is
        had. Of a question of more rows, 0 for all, the engine computes the summaries.
    track
        Is called with a line as each question begins, such as "H1 (1 of 4)".
    describes_study
        Whether `results.json` also holds what a report says of the study beside its answers: what was loaded, how
        games ended, traits, versions, checks of quality, correlations and orders. Answers do not depend on it.

    Returns
    -------
    Report
        The same for the same plan, study and seed.

    Raises
    ------
    UsageError, DesignError
        If it is not certain what the study's games and people are; if a rule that leaves rows out names what is not
        there, or takes every game; or if another name of a measure is also that of a number of the study's own. A
        question that cannot be answered raises nothing: its verdict says why.

    Examples
    --------
    >>> import negstats
    >>> from negstats.analysis.plan.parse import parse
    >>> plan = parse('''
    ... [questions.H1]
    ... asks = "Does the agent earn more in CL than in FC?"
    ... measure = "points"
    ... who = "agent"
    ... by = "condition"
    ... ''')
    >>> report = run(plan, negstats.load("datasets/sample"))
    >>> report.questions["H1"].result.method
    'paired'
    """
    frame_study = study.with_frames()
    with repeatable_sums(in_memory=frame_study.in_memory):
        return _answer_plan(plan, frame_study, state, changes, max_rows, track, describes_study)


def _answer_plan(
    plan: Plan,
    frame_study: Study,
    state: str,
    changes: Sequence[Any],
    max_rows: int,
    track: Callable[[str], object] | None,
    describes_study: bool,
) -> Report:
    alarms = open_records(records_of(frame_study), (*frame_study.provenance.accepted, *plan.accept))
    refuse_stops(alarms)
    clash = next(find_clashes(plan, frame_study.frames), None)
    if clash is not None:
        raise UsageError(clash[1])
    data = PreparedStudy.of(frame_study, plan, MEMORY_ROWS if frame_study.in_memory else max_rows)
    linked_games: Any
    try:
        linked_games = data.linked(plan)
    except DesignError as error:
        linked_games = str(error)
    open_questions = []
    for place, (name, question) in enumerate(plan.questions.items(), 1):
        if track is not None:
            track(f"{name} ({place} of {len(plan.questions)})")
        open_questions.append(_answer_question(data, plan, name, question, linked_games))
    families = _correct_families(plan, open_questions)
    results = _results(plan, frame_study, data, linked_games, open_questions, families, state, changes)
    if describes_study:
        _describe_data(results, plan, frame_study, data, open_questions)
    results["alarms"] = [alarm(one) for one in alarms]
    outcomes = outcomes_of(results["questions"], plan.confidence_level)
    results |= {"outcomes": outcomes} if outcomes else {}
    _add_alternatives(results, plan, frame_study, data, open_questions)
    if describes_study and count(data.remaining.study.frame("players")) <= data.most:  # else they stay with the engine
        orders = first_levels(plan, data.remaining.study, results["questions"])
        results |= {"orders": orders} if orders else {}
    frame_study.check_unchanged()
    answers = {
        one.id: _answer(one, entry, plan, results)
        for one, entry in zip(open_questions, results["questions"], strict=True)
    }
    remaining = data.remaining.study
    is_loaded = remaining.in_memory and describes_study
    rest = Study(provenance=remaining.provenance, **remaining.tables) if is_loaded else remaining
    return Report(plan, rest, results, MappingProxyType(answers))


def _answer_question(
    data: PreparedStudy, plan: Plan, name: str, question: Question, linked_games: Any, *, answers_only: bool = False
) -> OpenQuestion:
    """Return a question with its answer, what follows it and what stands beside it, or the reason why there is none."""
    one = OpenQuestion(name, question)
    one.notes += [Note(text, "flow") for row in data.remaining.flow if (text := _flowed(row))]
    try:
        if crosses_partners(plan, question):
            linked_games = None
        if isinstance(linked_games, str):
            one.choice = chosen_refused()
            raise DesignError(linked_games)
        one.held = data.held(plan, question, linked_games)
        _prepare(one, one.held, plan)
        _test(one, one.held, plan, answers_only=answers_only)
    except NegstatsError as error:
        one.refused, one.refusal = str(error).splitlines()[0], error
        one.records, one.omissions = [], []
    return one


def chosen_refused() -> Choice:
    """Return the row of a study whose people are all linked."""
    from negstats.analysis.rules import DesignFeatures

    return choose_rule(DesignFeatures("interval", linked="all"))


def _flowed(row: Mapping[str, Any]) -> str:
    """Return what a rule took, in words."""
    for key in ("game", "person", "seat", "offer", "message", "answer"):
        count = row.get(plural(key))
        if count:
            return f"{counted(count, key)} {'was' if count == 1 else 'were'} excluded ({row['reason']})."
    return ""


def _prepare(one: OpenQuestion, data: QuestionData, plan: Plan) -> None:
    question, selection, row_counts, design = one.question, data.asked, data.lost, data.design
    one.notes = [*one.notes, *selection.notes, *(Note(f"{each}.", "rows") for each in selection.excluded)]
    _check_within(design, plan)
    one.choice = choose_rule(design.features, question.test)
    rows_with_value = row_counts.rows - row_counts.missing
    for n, of, name in (
        (row_counts.missing, row_counts.rows, question.measure),
        (row_counts.lacking, rows_with_value, " or ".join(one.numbers)),
    ):
        if n:
            one.notes.append(Note(f"{Excluded(n, of, selection.row, f'no value of {name}')}.", "rows"))
    unit = NOUNS.get(selection.what, selection.what)
    if design.features.several and selection.kind == "time" and row_counts.averaged:
        rows = counted(rows_with_value - row_counts.lacking, selection.row)
        one.notes.append(Note(f"n counts {rows} of {counted(data.units, unit)}; errors are those of each {unit}."))
    elif (
        design.features.several
        and not design.features.of_rows
        and rows_with_value - row_counts.lacking > row_counts.averaged
    ):
        at = " at each level" if selection.levels else ""
        text = (
            f"The values of each {unit}{at} were averaged ({rows_with_value - row_counts.lacking:,} values to "
            f"{row_counts.averaged:,})."
        )
        one.notes.append(Note(text, "rows"))
    if one.choice.rule.test:
        with np.errstate(all="ignore"):
            one.cells = data.cells(plan.confidence_level)


def _check_within(design: Design, plan: Plan) -> None:
    """Refuse a factor that the plan says lies otherwise than it does."""
    for name, factor_place in design.factors.items():
        planned_within = plan.factor(name).within
        if planned_within is not None and planned_within != (factor_place != "between"):
            raise DesignError(f"{name} {VARIES[factor_place]}, which {argument('within', planned_within)} denies")


def _test(one: OpenQuestion, data: QuestionData, plan: Plan, *, answers_only: bool) -> None:
    design, choice, what = data.design, one.choice, data.asked.what
    if choice is None:
        return
    if not choice.rule.test:
        raise DesignError(_refusal(one))
    _check_predictions(one.question, design)
    _check_dependence(one, data)
    side = alternative_of(one.question, design.levels)
    if data.asked.kind == "time" and side != "two-sided":  # a longer time is a lower rate, which is what is tested
        side = "less" if side == "greater" else "greater"
    case = TestInput(one.id, one.question, plan, data.asked, design, choice, data.data, side,
                     data.study, data.columns, data.most, one.omissions)  # fmt: skip
    _check_cells(data, least=1 if design.features.inside else 2)
    if design.within and not design.features.inside and design.incomplete and not design.features.incomplete:
        was = "was" if design.incomplete == 1 else "were"
        units = counted(design.incomplete, NOUNS.get(what, what))
        one.notes.append(Note(f"{units} without a value at each level {was} excluded."))
    if any(lie == "partly" for lie in design.factors.values()):
        one.notes.append(Note(_partly(data), "design"))
    try:
        with np.errstate(all="ignore"):  # what is not finite is looked at below
            compute = compute_answers if answers_only else compute_records
            records = compute(METHODS[choice.rule.key], case)
            one.records = [record_in_plan_words(test, case.in_plan_words)
                           for test in records if test.role == "answer" or test.sound]  # fmt: skip
    except NegstatsError as error:
        raise DesignError(case.in_plan_words(str(error))) from None
    except FAULTS as error:
        raise DesignError(
            f"the test cannot be computed: predictors are collinear or a cell does not vary ({error})"
        ) from None
    _check_signs(one, design)
    unsound = next((test for test in one.records if not test.sound), None)
    if unsound is not None:
        raise DesignError(
            "the test cannot be computed: predictors are collinear or a cell does not vary "
            f"({unsound.method} has no finite p)"
        )


def _check_predictions(question: Question, design: Design) -> None:
    """Refuse a prediction that does not fit the levels that are compared."""
    levels = {name: tuple(of) for name, of in design.levels.items()}
    for field_name, reason in faults_of(question, levels):
        raise DesignError(f"{argument(field_name)} {reason}")


def _check_dependence(one: OpenQuestion, data: QuestionData) -> None:
    """Refuse to relate an outcome to its own rescaling, which the values alone show where no record says so."""
    values = data.values() if one.question.with_ else None
    if values is None:
        return
    for name in one.question.with_:
        if is_rescaling(values[["value", name]].dropna().to_numpy(float)):
            raise DesignError(
                f"{name} is {one.question.measure} on another scale: one follows from the other by a line"
            )


def _check_signs(one: OpenQuestion, design: Design) -> None:
    """Refuse a prediction of which no answering test can say whether it was met."""
    levels = {name: tuple(of) for name, of in design.levels.items()}
    prediction, answers = stated(one.question), [one.records[place] for place in one.answers]
    if prediction is None or not answers or any(predicted_sign(one.question, test, levels) for test in answers):
        return
    terms = ", ".join(test.term for test in answers if test.term) or "the whole design"
    raise DesignError(
        f"{prediction[0]} is {prediction[1]!r}, which does not say the sign of {terms}; name the term with effect"
    )


def _refusal(one: OpenQuestion) -> str:
    row = one.choice.rule if one.choice else None
    if row is not None and row.row == 48:
        return "the answers have no order and the same units have several of them; name one answer as yes/no"
    return row.sentence if row else "no test is available for this design"


def _check_cells(data: QuestionData, least: int) -> None:
    """Refuse a level with fewer than so many units (one, where rows of a unit are compared): it cannot be tested."""
    for name in data.design.levels:
        for level, n in data.at_levels(name).items():
            if n < least:
                what = NOUNS.get(data.asked.what, data.asked.what)
                every = f" at each level of {' and '.join(data.design.within)}" if data.tests_whole_units else ""
                raise DesignError(f"{level!r} has {counted(n, what)} with a value{every}; a test needs {least}")


def _partly(data: QuestionData) -> str:
    """Say in how many units a factor varies, where in others it does not."""
    name = next(name for name, lie in data.design.factors.items() if lie == "partly")
    n_units_within, every, _ = data.standing(name, NAMED)
    what = NOUNS.get(data.asked.what, data.asked.what)
    units = f"{n_units_within:,} of {counted(every, what)}"
    return f"The factor {name} varies within {units} and is the same within the others."


def _correct_families(plan: Plan, open_questions: Sequence[OpenQuestion]) -> list[dict[str, Any]]:
    """Correct p inside each family, one member an answer, and return the families."""
    families = []
    by_id = {one.id: one for one in open_questions}
    for name, family in plan.families.items():
        members = [(by_id[asked_id], place) for asked_id in family.questions for place in by_id[asked_id].answers]
        members = [(one, place) for one, place in members if math.isfinite(one.records[place].p)]
        p = np.array([one.records[place].p for one, place in members])
        adjusted_p = p
        if len(p) and family.correction != "none":
            adjusted_p = stats.adjust(p, CORRECTIONS[family.correction]).p_adjusted
        for (one, place), value in zip(members, adjusted_p, strict=True):
            one.records[place] = replace(one.records[place], p_adjusted=float(value), correction=family.correction)
        addresses = [one.id + one.records[place].part for one, place in members]
        families.append({"id": name, "correction": family.correction, "members": addresses})
    return families


def _checks(one: OpenQuestion, alpha: float) -> list[dict[str, Any]]:
    """Return the checks of each answer."""
    if one.question.equivalent is not None:  # a test of a difference answers another question
        return []
    return [check for place in one.answers for check in checks_of(one.id, one.records[place], one.records, alpha)]


def _verdicts(one: OpenQuestion, alpha: float, checks: Sequence[Mapping[str, Any]]) -> list[Verdict]:
    """Return a verdict for each answering test of a planned question."""
    if one.refused or one.question.explore:
        return []
    disagreeing_answers = {check["of"] for check in checks if not check["agrees"]}
    answers = [one.records[place] for place in one.answers]
    levels = {} if one.design is None else one.design.levels
    return [verdict_of(one.question, one.id, test, alpha, one.cells, depends=one.id + test.part in disagreeing_answers,
                       levels=levels)
            for test in answers if math.isfinite(test.p)]  # fmt: skip


def _results(
    plan: Plan,
    study: Study,
    data: PreparedStudy,
    linked_games: Any,
    open_questions: Sequence[OpenQuestion],
    families: list[dict[str, Any]],
    state: str,
    changes: Sequence[Any],
) -> dict[str, Any]:
    from negstats.analysis.plan.canonical import sha256

    scale = scale_of_points(data.remaining.study)
    return {
        "schema": SCHEMA,
        "negstats": negstats.__version__,
        "plan": {"sha256": sha256(plan), "alpha": plan.alpha, "state": state, "changes": list(changes)},
        "seed": plan.seed,
        "study": {
            "loader": study.provenance.loader,
            "sources": [{"name": one.path, "sha256": one.sha256} for one in study.provenance.sources],
            "games": data.games,
            "people": data.people,
            "participation": participation(study),
            "units": None if isinstance(linked_games, str) else data.units(linked_games),
            "unit": None if isinstance(linked_games, str) else linked_games.what,
            **dict.fromkeys(("loaded", "ends", "versions")),
            **({"scales": {"points": scale}} if scale else {}),
        },
        "flow": [dict(row) for row in data.remaining.flow],
        "quality": None,
        "questions": [_entry(one, plan) for one in open_questions],
        "families": families,
        "correlations": None,
    }


def _describe_data(
    results: dict[str, Any], plan: Plan, study: Study, data: PreparedStudy, open_questions: Sequence[OpenQuestion]
) -> None:
    """Add to the results what a report says of the study and its measures, and no answer needs."""
    held = [(one.question, one.held) for one in open_questions if one.held is not None]
    missing = {
        question.measure + (f" of {rows.asked.who}" if rows.asked.who else ""): rows.missing for question, rows in held
    }
    answered = [(one.question, one.held) for one in open_questions if one.held is not None and not one.refused]
    codings = study.provenance.coding
    results["study"] |= {
        "loaded": _count_loaded(study),
        "ends": data.ends,
        "versions": _versions(),
        **_describe_people(data),
        **({"coding": [_describe_coding(one) for one in codings]} if codings else {}),
    }
    results["quality"] = data.quality(missing)
    results["correlations"] = correlations_of(plan, answered)


def _add_alternatives(
    results: dict[str, Any],
    plan: Plan,
    study: Study,
    prepared: PreparedStudy,
    open_questions: Sequence[OpenQuestion],
) -> None:
    """Add to each planned question its answers of other rows: without each rule, and of agreements alone."""
    scenarios = [_Scenario(replace(plan, leave_out=tuple(one for one in plan.leave_out if one is not rule)),
                           tuple(plan.questions), without=rule.reason)
                 for rule in plan.leave_out[:RULES]]  # fmt: skip
    scored = tuple(name for name, question in plan.questions.items() if _has_points(plan, question))
    ends = prepared.ends if scored else {}
    if "agreement" in ends and any(end not in WITH_POINTS for end in ends):
        agreements_only = Exclusion("games.ended", "ended without agreement", "not in", WITH_POINTS)
        scenarios.append(_Scenario(replace(plan, leave_out=(*plan.leave_out, agreements_only)), scored))
    by_id = {one.id: one for one in open_questions}
    for scenario in scenarios:
        others = scenario.plan
        try:
            data = PreparedStudy.of(study, others, prepared.most)
            linked_games: Any = data.linked(others)
        except NegstatsError:
            continue
        repeated = [
            _answer_question(data, others, name, by_id[name].question, linked_games, answers_only=True)
            if name in scenario.questions and _is_answered(by_id[name])
            else replace(by_id[name], records=list(by_id[name].records))
            for name in plan.questions
        ]
        _correct_families(plan, repeated)
        for one, again, entry in zip(open_questions, repeated, results["questions"], strict=True):
            if one.id in scenario.questions and _is_answered(one):
                entry["alternatives"] += _compare_answers(one, again, scenario, plan.alpha)


@dataclass(frozen=True, slots=True)
class _Scenario:
    """Another set of rows: without one rule of exclusion, or with agreements alone (`without` is None)."""

    plan: Plan
    questions: tuple[str, ...]
    without: str | None = None


def _is_answered(one: OpenQuestion) -> bool:
    return not one.refused and not one.question.explore and bool(one.answers)


def _has_points(plan: Plan, question: Question) -> bool:
    """Whether an outcome or a number of a planned question is computed from points, which walking away may have."""
    if question.explore:
        return False
    measures = [plan.measure(name) for name in (question.measure, *question.with_, *question.covariates)]
    return any(
        measure.without_agreement != "leave out" and POINTS in computed_from(measure.measure) for measure in measures
    )


def _compare_answers(
    one: OpenQuestion, again: OpenQuestion, scenario: _Scenario, alpha: float
) -> Iterator[dict[str, Any]]:
    """Yield each answer of other rows, where it is other numbers, and whether the same follows after correction."""
    by_part = {again.records[place].part: again.records[place] for place in again.answers}
    for answer in (one.records[place] for place in one.answers):
        test = by_part.get(answer.part)
        if test is None or not math.isfinite(test.p):
            continue
        if test.n == answer.n and math.isclose(test.p, answer.p, rel_tol=1e-9):  # engines add in any order
            continue
        yield {
            **test.entry(one.id), "role": "alternative", "of": one.id + answer.part, "without": scenario.without,
            "agrees": agrees(_decisive(answer), _decisive(test), alpha),
        }  # fmt: skip


def _decisive(test: TestRecord) -> TestRecord:
    """Return a test with the p that decides: the corrected one of a member of a family."""
    return test if test.p_adjusted is None else replace(test, p=test.p_adjusted)


def _count_loaded(study: Study) -> dict[str, Any]:
    """Return what was loaded before any rule of the plan: files, games, people, and what the loader left out."""
    people = study.frame("players").filter(~(nw.col("kind") == "agent").fill_null(False))
    games, n_people = study.rows("games"), count(people.select("participant_id").drop_nulls().unique())
    rows = Counter(one.reason for one in study.provenance.left_out)
    each = count_each(people)
    return {"files": len(study.provenance.sources), "games": games, "people": n_people,
            **({"games_each": each} if each is not None else {}),
            "excluded": [{"reason": reason, "rows": count} for reason, count in rows.items()]}  # fmt: skip


def _describe_people(data: PreparedStudy) -> dict[str, Any]:
    """Return what no agreement is worth, whether people are known over games, and what they say about themselves."""
    study = data.remaining.study
    without = points_without_agreement(study)
    is_linked = facts_of(study.provenance.loader).links_people
    traits = traits_of(study, data.remaining.seats)
    return {
        **({"points_without_agreement": without} if without else {}),
        **({} if is_linked else {"links_people": False}),
        **({"traits": traits} if traits else {}),
    }


def _describe_coding(coding: Coding) -> dict[str, Any]:
    """Return how people coded the messages, and how well they agreed; the coders stay without names."""
    codes = [
        {name: getattr(one, name) for name in ("code", "kind", "n", "agreement", "prevalence", "interval_unit")}
        | {"kappa": _describe_estimate(one.kappa, one.kappa_low, one.kappa_high)}
        | {"alpha": _describe_estimate(one.alpha, one.alpha_low, one.alpha_high)}
        for one in coding.reliability
    ]
    return {"codebook": coding.codebook, "codebook_sha256": coding.codebook_sha256, "coders": len(coding.coders),
            "adjudicated": coding.adjudicator is not None, "messages": coding.messages, "double": coding.double,
            "differences": coding.differences, "codes": codes}  # fmt: skip


def _describe_estimate(value: float | None, low: float | None, high: float | None) -> dict[str, Any] | None:
    return None if value is None else {"value": value, "low": low, "high": high, "level": 0.95}


def _versions() -> dict[str, str]:
    """Return what computed the results: Python and the libraries under it."""
    return {
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in ("numpy", "scipy", "pandas")},
    }


def _entry(one: OpenQuestion, plan: Plan) -> dict[str, Any]:
    rows, design, choice = one.rows, one.design, one.choice
    factors = [] if design is None else [
        {"name": name, "lies": lie, "levels": list(design.levels[name])} for name, lie in design.factors.items()
    ]  # fmt: skip
    rule: dict[str, Any] | None = None
    if choice is not None:
        rule = {"row": choice.row, "sentence": choice.sentence}
        if choice.through:
            rule["then"] = [step.row for step in (*choice.through[1:], choice.rule)]
    checks = _checks(one, plan.alpha)
    verdicts = _verdicts(one, plan.alpha, checks)
    own_note = [Note(one.question.note)] if one.question.note else []
    notes = [*one.notes, *(Note(str(omission)) for omission in one.omissions), *own_note]
    return {
        "id": one.id,
        "asks": one.question.asks,
        "explored": one.question.explore,
        "measure": one.question.measure,
        "unit_of_measure": rows.unit_of_measure if rows else None,
        "who": rows.who if rows else one.question.who,
        "kind": rows.kind if rows else None,
        "design": {
            "factors": factors,
            "units": rows.what if rows else None,
            "n_units": one.held.units if one.held else 0,
            "games": one.held.games if one.held and not one.refused else 0,
        },
        "rule": rule,
        "verdict": f"not tested: {one.refused}" if one.refused else sentence_of(verdicts, _labels(rows)),
        "verdicts": [verdict.entry() for verdict in verdicts],
        "checks": checks,
        "assumptions": _assumptions(one),
        "alternatives": [],
        "variables": one.held.variables(one.question) if one.held and not one.refused else [],
        "rows": _rows_entry(one),
        "cells": one.cells,
        "tests": [test.entry(one.id) for test in one.records],
        "omitted": [omission.entry(one.id) for omission in one.omissions],
        "notes": list(dict.fromkeys(map(str, notes))),
        "remarks": list(dict.fromkeys(note.text for note in notes if not note.part)),
    }


def _labels(rows: Selection | None) -> dict[str, str]:
    """Return what the plan calls the levels of a question."""
    return {} if rows is None else {level: label for labels in rows.labels.values() for level, label in labels.items()}


def _assumptions(one: OpenQuestion) -> list[dict[str, Any]] | None:
    """Return what of the values is far from what the answering test assumes; None where an engine has them."""
    first = next(iter(one.answers), None)
    if first is None or one.refused or one.held is None or one.design is None:
        return []
    data = one.held.rows() if one.design.features.inside else one.held.values()
    if data is None:
        return None
    places = one.design.factors
    entries = assumptions_of(
        data, one.records[first], kind=one.held.asked.kind,
        within=[name for name in places if places[name] != "between"],
        between=[name for name in places if places[name] == "between"], numbers=one.numbers,
    )  # fmt: skip
    return [
        {key: number(each) if isinstance(each, float) else each for key, each in entry.items()} for entry in entries
    ]


def _rows_entry(one: OpenQuestion) -> dict[str, Any] | None:
    """Return the way from the rows that came to the values that were tested, step by step; it adds up."""
    if one.held is None:
        return None
    rows, row_counts = one.held.asked, one.held.lost
    steps = [{"reason": exclusion.reason, "count": exclusion.count} for exclusion in rows.excluded]
    steps += [{"reason": f"no value of {name}", "count": count} for name, count in
              ((one.question.measure, row_counts.missing), (" or ".join(one.numbers), row_counts.lacking))
              if count]  # fmt: skip
    n_rows = row_counts.rows + sum(exclusion.count for exclusion in rows.excluded)
    return {"row": rows.row, "came": n_rows, "excluded": steps,
            "rows": row_counts.rows - row_counts.missing - row_counts.lacking,
            "values": row_counts.averaged}  # fmt: skip


def _answer(one: OpenQuestion, entry: dict[str, Any], plan: Plan, results: dict[str, Any]) -> Answer:
    first = next(iter(one.answers), None)
    result = None if first is None else one.records[first].result
    others = {test.part: test.result for place, test in enumerate(one.records) if place != first}
    figure = one.choice.rule.figure if one.choice is not None and first is not None else None
    values = pd.DataFrame() if one.held is None else one.held.drawn(one.question)
    if values is None:  # too many to bring home: what the cells hold is drawn, and nothing of what they do not
        values = pd.DataFrame(columns=["unit", *(one.design.levels if one.design else ()), "value"])
        figure = OF_CELLS.get(figure) if figure and one.design and one.design.levels else None
        if figure == "answers" and not all("answers" in cell for cell in one.cells):
            figure = "cells"
    return Answer(one.id, one.question, entry, figure, values.reset_index(drop=True), result, MappingProxyType(others),
                  plan=plan, results=results, refusal=one.refusal)  # fmt: skip
