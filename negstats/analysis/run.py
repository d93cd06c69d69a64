"""`run`: from a plan and a study to a report: answers or why there is none, families corrected, results.json filled."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd

from negstats.analysis.answering import OpenQuestion, add_alternatives, answer_question, correct_families
from negstats.analysis.answers import Answer, Figure, Report
from negstats.analysis.entries import describe_data, results_of
from negstats.analysis.first_levels import first_levels
from negstats.analysis.outcomes import outcomes_of
from negstats.analysis.plan.columns import find_clashes
from negstats.analysis.questions.exclusions import rules_of
from negstats.analysis.questions.frames import count
from negstats.analysis.questions.question_data import PreparedStudy
from negstats.errors import DesignError, UsageError
from negstats.stats.summaries.aggregation import repeatable_sums
from negstats.studies.records import alarm, open_records, refuse_stops
from negstats.studies.study import Study
from negstats.studies.suspicions import records_of

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan


MEMORY_ROWS = sys.maxsize  # of a question, where they are in memory anyhow
MAX_ROWS = 1_000_000  # of a question that leave an engine
# What is drawn of the cells alone, where the values stay with an engine.
OF_CELLS: Mapping[str, Figure] = {"points": "cells", "lines": "cells", "cells": "cells", "bars": "bars",
                                  "answers": "answers"}  # fmt: skip


def run(
    plan: Plan,
    study: Study,
    *,
    state: str = "not registered",
    changes: Sequence[Any] = (),
    max_rows: int = MAX_ROWS,
    track: Callable[[str], object] | None = None,
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
        data, open_questions, results = _answer_plan(plan, frame_study, state, changes, max_rows, track)
        describe_data(results, plan, frame_study, data, open_questions)
        if count(data.remaining.study.frame("players")) <= data.most:  # else they stay with the engine
            orders = first_levels(plan, data.remaining.study, results["questions"])
            results |= {"orders": orders} if orders else {}
        answers = _answers(plan, frame_study, open_questions, results)
    remaining = data.remaining.study
    if remaining.in_memory:
        remaining = Study(provenance=remaining.provenance, **remaining.tables)
    return Report(plan, remaining, results, answers)


def answer(plan: Plan, study: Study, *, answers_only: bool = False) -> Mapping[str, Answer]:
    """Return the answers of a plan by the names of its questions, as `run` has them, without what it says of the study.

    Parameters
    ----------
    plan, study
        As `run` takes them.
    answers_only
        Whether only the tests that answer are made, without what follows them, stands beside them, or takes other rows:
        a part of it draws a thousand samples, and somebody who waits sees the answer first.

    Raises
    ------
    UsageError, DesignError
        As `run`.
    """
    frame_study = study.with_frames()
    with repeatable_sums(in_memory=frame_study.in_memory):
        _, open_questions, results = _answer_plan(
            plan, frame_study, "not registered", (), MAX_ROWS, None, answers_only=answers_only
        )
        return _answers(plan, frame_study, open_questions, results)


def _answer_plan(
    plan: Plan,
    frame_study: Study,
    state: str,
    changes: Sequence[Any],
    max_rows: int,
    track: Callable[[str], object] | None,
    *,
    answers_only: bool = False,
) -> tuple[PreparedStudy, list[OpenQuestion], dict[str, Any]]:
    """Return the rows that remain, the questions with their records, and what `results.json` holds of them."""
    # What loading found and nobody accepted, and names that tables share, stop the run.
    alarms = open_records(records_of(frame_study), (*frame_study.provenance.accepted, *plan.accept))
    refuse_stops(alarms)
    clash = next(find_clashes(plan, frame_study.frames), None)
    if clash is not None:
        raise UsageError(clash[1])
    most = MEMORY_ROWS if frame_study.in_memory else max_rows
    data = PreparedStudy.of(frame_study, rules_of(frame_study, plan), most)
    linked_games: Any
    try:
        linked_games = data.linked(plan)
    except DesignError as error:
        linked_games = str(error)
    # Each question by itself, then the families, then what compares questions.
    open_questions = []
    for place, (name, question) in enumerate(plan.questions.items(), 1):
        if track is not None:
            track(f"{name} ({place} of {len(plan.questions)})")
        open_questions.append(answer_question(data, plan, name, question, linked_games, answers_only=answers_only))
    families = correct_families(plan, open_questions)
    results = results_of(plan, frame_study, data, linked_games, open_questions, families, state, changes)
    results["alarms"] = [alarm(record) for record in alarms]
    outcomes = outcomes_of(results["questions"], plan.confidence_level)
    results |= {"outcomes": outcomes} if outcomes else {}
    if not answers_only:
        add_alternatives(results, plan, frame_study, data, open_questions)
    return data, open_questions, results


def _answers(
    plan: Plan, study: Study, open_questions: Sequence[OpenQuestion], results: dict[str, Any]
) -> Mapping[str, Answer]:
    study.check_unchanged()
    pairs = zip(open_questions, results["questions"], strict=True)
    return MappingProxyType({question.id: _answer(question, entry, plan, results) for question, entry in pairs})


def _answer(open_question: OpenQuestion, entry: dict[str, Any], plan: Plan, results: dict[str, Any]) -> Answer:
    first = next(iter(open_question.answers), None)
    result = None if first is None else open_question.records[first].result
    others = {test.part: test.result for place, test in enumerate(open_question.records) if place != first}
    figure = open_question.choice.rule.figure if open_question.choice is not None and first is not None else None
    values = pd.DataFrame() if open_question.held is None else open_question.held.drawn(open_question.question)
    if values is None:  # too many to bring home: what the cells hold is drawn, and nothing of what they do not
        values = pd.DataFrame(columns=["unit", *(open_question.design.levels if open_question.design else ()), "value"])
        figure = OF_CELLS.get(figure) if figure and open_question.design and open_question.design.levels else None
        if figure == "answers" and not all("answers" in cell for cell in open_question.cells):
            figure = "cells"
    return Answer(open_question.id, open_question.question, entry, figure, values.reset_index(drop=True), result,
                  MappingProxyType(others), plan=plan, results=results, refusal=open_question.refusal)  # fmt: skip
