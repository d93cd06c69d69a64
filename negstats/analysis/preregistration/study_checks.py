"""Whether a plan fits a study: what it names is there, its levels have units, its tests are for such designs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from negstats.analysis import rules
from negstats.analysis.plan.columns import find_clashes, is_derived, of_games, source_of
from negstats.analysis.plan.faults import Fault, Faults, refuse
from negstats.analysis.plan.model import Factor, Measure, Plan, Question
from negstats.analysis.plan.predictions import fit, has, question_levels
from negstats.analysis.preregistration.study_view import StudyView, counted, names_of_seats
from negstats.analysis.questions.derived import read_seats
from negstats.analysis.questions.design import Design
from negstats.analysis.questions.question_data import designed
from negstats.analysis.questions.selection import OneLevelError, Selection, crosses_partners
from negstats.errors import DesignError, NegstatsError, UsageError, meant, nearest, shown
from negstats.studies.study import Study

GAME = "games for independent, and says so"
# Tests that are for the same units at several levels, and those for independent groups.
WITHIN, BETWEEN = "the same units at several levels", "independent groups"


@dataclass(frozen=True, slots=True, eq=False)
class Attendance:
    """Who came for a question, at which levels: its design, as far as it shows without a value of the outcome.

    Attributes
    ----------
    asked : Selection
        The rows, blind.
    design : Design
        Where the factors lie, and what the choice of a test rests on.
    cells : pandas.DataFrame
        One row a cell: the factors and ``n``, its units.
    dealt : int
        Where units have rows in several cells: the rows of the smallest cell, as units of as many rows as units have.
    """

    asked: Selection
    design: Design
    cells: pd.DataFrame
    dealt: int


def check_plan(plan: Plan, study: Study) -> None:
    """Refuse a plan that does not fit a study.

    Raises
    ------
    PlanError
        One line for each fault that stops the plan; see `faults`.
    """
    refuse(fault for fault in find_faults(plan, study) if fault.stops)


def find_faults(plan: Plan, study: Study, *, outcomes: bool = True) -> list[Fault]:
    """Return what of a plan does not fit a study, in the order of the lines.

    Parameters
    ----------
    plan
        The plan.
    study
        The data as loaded.
    outcomes
        Whether values of outcomes may be looked at: whether they can be computed, words that a scale lacks, cells with
        one value. Without, nothing but keys, factors and which games and seats there are is read.
    """
    faults, view = Faults(plan.file, dict(plan.lines)), StudyView(study)
    _rules(plan, view, faults)
    for path, reason in find_clashes(plan, study.with_frames().frames):
        faults.add(path, reason)
    study_levels = _find_all_levels(plan, view, faults)
    _factors(plan, view, study_levels, faults)
    for name, measure in plan.measures.items():
        _measure(name, measure, view, outcomes, faults)
    for name, question in plan.questions.items():
        _names(plan, name, question, view, study_levels, outcomes, faults)
    if not faults.found:
        remaining_rows = view.leave_out(plan)
        remaining_view = StudyView(remaining_rows.study)
        if not remaining_view.games:
            faults.add(("leave_out",), f"takes all {view.games} games; nothing is left to ask about")
        else:
            _designs(plan, remaining_view, remaining_rows, outcomes, faults)
    return faults.sorted()


def count_attendance(plan: Plan, name: str, remaining: Any, linked: Any) -> Attendance:
    """Return who came for a question; no value of an outcome is read.

    Raises
    ------
    NegstatsError
        If the question names what is not there, or there is nothing to compare.
    """
    question, view = plan.questions[name], StudyView(remaining.study)
    rows = view.select(remaining, plan, question, linked, blind=True)
    design, cells = designed(rows, question), counted(rows, view.units_by_cell(rows))
    is_repeated = design.features.inside and bool(rows.levels) and bool(cells["n"].min())
    return Attendance(rows, design, cells, view.dealt(rows) if is_repeated else 0)


def _rules(plan: Plan, view: StudyView, faults: Faults) -> None:
    for rule in plan.leave_out:
        try:
            view.leave_out(replace(plan, leave_out=(rule,)))
        except UsageError as error:
            faults.add(("leave_out", rule.place, "column"), str(error).partition(": ")[2])
        except DesignError as error:
            faults.add(("leave_out", rule.place), str(error).partition(": ")[2])


def _factor_names(plan: Plan) -> list[str]:
    names = [name for question in plan.questions.values() for name in (*question.by, *question.only, *question.items)]
    return list(dict.fromkeys([*plan.factors, *names]))


def _find_all_levels(plan: Plan, view: StudyView, faults: Faults) -> dict[str, list[str]]:
    """Return the levels that the column of each factor has; a factor is left out if the study has no such column."""
    all_levels = {}
    for name in _factor_names(plan):
        try:
            levels = _find_levels(plan.factor(name), view)
        except UsageError as error:
            faults.add(("factors", name, "column"), str(error))
            continue
        if levels is not None:
            all_levels[name] = levels
    return all_levels


def _find_levels(factor: Factor, view: StudyView) -> list[str] | None:
    """Return the levels that a factor's column has, in order; None if there is no such column."""
    levels = view.levels(*source_of(factor.column))
    if levels is None or not is_derived(factor.column):
        return levels
    return read_seats(view.study, factor)


def _factors(plan: Plan, view: StudyView, levels_at: Mapping[str, Sequence[str]], faults: Faults) -> None:
    for name, factor in plan.factors.items():
        path = ("factors", name)
        table, column = source_of(factor.column)
        if faults.inside(path):
            continue
        if name not in levels_at:
            names = view.questions if table == "answers" else view.columns(table)
            what = "no question is called" if table == "answers" else f"{table} has no column"
            faults.add((*path, "column"), f"{what} {shown(column)}; {meant(column, names)}")
            continue
        if factor.level is not None and factor.level not in (levels := view.levels(table, column) or []):
            reason = f"{shown(factor.level)} is not a level of {table}.{column}; it has {has(levels)}"
            faults.add((*path, "level"), reason)
        # Levels are merged before they are chosen.
        for new, olds in factor.merge.items():
            wrong = next((old for old in olds if old not in levels_at[name]), None)
            if wrong is not None:
                reason = (
                    f"{shown(wrong)}, for {shown(new)}, is not a level of {factor.column}; "
                    f"it has {has(levels_at[name])}"
                )
                faults.add((*path, "merge"), reason)
        new_levels = {old: new for new, olds in factor.merge.items() for old in olds}
        levels = list(dict.fromkeys(new_levels.get(level, level) for level in levels_at[name]))
        for level in factor.levels:
            if level not in levels:
                faults.add((*path, "levels"), f"{shown(level)} is not a level of {factor.column}; it has {has(levels)}")


def _measure(name: str, measure: Measure, view: StudyView, outcomes: bool, faults: Faults) -> None:
    path = ("measures", name)
    if measure.who is not None:
        _who(measure.who, (*path, "who"), view, faults)
    if measure.answer is None:
        return
    questions = view.questions
    if measure.answer not in questions:
        faults.add(
            (*path, "answer"), f"no question is called {shown(measure.answer)}; {meant(measure.answer, questions)}"
        )
    elif outcomes:
        _scale(measure, view.count_answers(measure.answer), path, faults)


def _scale(measure: Measure, answer_counts: pd.Series, path: tuple[str, ...], faults: Faults) -> None:
    """Note answers that the scale lacks, or that are not numbers where there is no scale."""
    if not measure.scale:
        wrong = answer_counts[pd.to_numeric(answer_counts.index.to_series(), errors="coerce").isna().to_numpy()]
        if measure.kind != "nominal" and len(wrong):
            first = shown(wrong.index[0])
            faults.add(path, f"{wrong.sum()} answers are not numbers, such as {first}; give scale, its words in order")
        return
    counts = answer_counts[~answer_counts.index.isin(measure.scale)].sort_values(ascending=False, kind="stable")
    unused_words = [word for word in measure.scale if word not in answer_counts.index]
    for word, count in counts.items():
        # a word that nobody used, where there is one only, is what the strange word stands for
        close = nearest(word, unused_words) or (
            unused_words[0] if len(unused_words) == len(counts) == 1 else nearest(word, measure.scale)
        )
        hint = f"did you mean {shown(close)}?" if close else f"it has {has(measure.scale)}"
        faults.add((*path, "scale"), f"{count} answers are {shown(word)}, which the scale lacks; {hint}")


def _who(who: str, path: tuple[str, ...], view: StudyView, faults: Faults) -> None:
    names = names_of_seats(view)
    if who not in names:
        first: dict[str, str] = {}
        for name in names:  # of a kind "agent" and a seat "Agent" the kind is meant
            first.setdefault(name.lower(), name)
        faults.add(path, f"no seat is called {shown(who)}; {meant(who, list(first.values()))}")


def _names(
    plan: Plan,
    name: str,
    question: Question,
    view: StudyView,
    study_levels: Mapping[str, Sequence[str]],
    outcomes: bool,
    faults: Faults,
) -> None:
    """Note what a question names and is not there, and what does not fit the levels that are."""
    path, measure = ("questions", name), plan.measure(question.measure)
    of_seats = measure.answer is not None or view.definition(measure.measure).per != "game"
    factor_names = list(dict.fromkeys([*plan.factors, *view.factors]))
    # Factors and levels that are named.
    for field, factors in (("by", question.by), ("only", tuple(question.only)), ("items", question.items)):
        for factor in factors:
            if factor not in study_levels and factor not in plan.factors:
                faults.add((*path, field), f"no factor is called {shown(factor)}; {meant(factor, factor_names)}")
    for factor, levels in question.only.items():
        has_ = question_levels(plan, Question("", "", by=(factor,)), study_levels)[factor] or ()
        for level in levels:
            if factor in study_levels and level not in has_:
                faults.add((*path, "only"), f"{shown(level)} is not a level of {shown(factor)}; it has {has(has_)}")
    # A measure of a whole game has no seat, and factors of seats do not part it.
    if question.who is not None:
        if of_seats:
            _who(question.who, (*path, "who"), view, faults)
        else:
            faults.add(
                (*path, "who"), f"is {shown(question.who)}, and {question.measure} describes a whole game; leave it out"
            )
    seat_factors = [factor for factor in question.by if not of_games(plan.factor(factor).column)]
    if seat_factors and not of_seats and not view.has_one_seat:
        reason = (
            f"{shown(seat_factors[0])} differs between people or seats, and {question.measure} describes a whole game"
        )
        faults.add((*path, "by"), reason)
    # A measure of people and agents needs to be told of whose.
    kinds = view.seats("kind")
    needs = measure.answer is None and of_seats and (question.who or measure.who) is None and len(kinds) > 1
    if needs and not any(plan.factor(name).column.startswith("players.") for name in question.by):
        faults.add(path, f"{question.measure} is measured for each seat; name the seat with who: {', '.join(kinds)}")
    for field, reason in fit(question, question_levels(plan, question, study_levels)):
        faults.add((*path, *field.split(".")), reason)
    if outcomes:
        named = {"measure": [question.measure], "with": question.with_, "covariates": question.covariates}
        for field, names in named.items():
            for name in names:
                _check_computable(plan.measure(name), (*path, field), view, faults)


def _check_computable(measure: Measure, path: tuple[str, ...], view: StudyView, faults: Faults) -> None:
    lack = None if measure.answer is not None else view.lacking(measure.measure)
    if lack is not None:
        faults.add(path, f"{measure.measure} cannot be computed: {lack}")


def _designs(plan: Plan, view: StudyView, remaining_rows: Any, outcomes: bool, faults: Faults) -> None:
    # Units are linked once; where no two are independent each question says so.
    try:
        units = view.linked(plan.data.unit)
    except DesignError:
        units = None
        why = f"all {view.persons} people are linked through games, so no two units are independent"
    for name, question in plan.questions.items():
        path = ("questions", name)
        linked_games = None if crosses_partners(plan, question) else units
        if units is None and not crosses_partners(plan, question):
            faults.add(path, f'{why}; [data] unit = "game" takes {GAME}')
            continue
        try:
            who = count_attendance(plan, name, remaining_rows, linked_games)
        except NegstatsError as error:
            faults.add((*path, "by") if isinstance(error, OneLevelError) else path, str(error))
            continue
        _check_places(plan, view, who, faults)
        for field, reason in _test(question, view, who):
            faults.add((*path, field), reason)
        for reason in _find_few_units(plan, question, view, remaining_rows, linked_games, who, outcomes):
            faults.add(path, reason, stops=False)


def _check_places(plan: Plan, view: StudyView, who: Attendance, faults: Faults) -> None:
    """Note a factor that does not lie as the plan says."""
    for name in who.asked.levels:
        planned_within = plan.factor(name).within
        if planned_within is None or planned_within == (who.design.factors[name] != "between"):
            continue
        n_units_within, all_ = view.standing(who.asked, name)
        reason = f"is {str(planned_within).lower()}, but it varies within {n_units_within} of {all_} {who.asked.what}s"
        faults.add(("factors", name, "within"), reason)


def _test(question: Question, view: StudyView, who: Attendance) -> Iterator[tuple[str, str]]:
    """Yield why the test that the plan names is not for the design."""
    if question.test == "auto":
        return
    facts = who.design.features
    try:
        rules.choose_rule(facts, question.test)
    except DesignError as error:
        kinds = tests_kinds(question.test)
        if not set(kinds) & set(rules.TAKEN_FOR[facts.kind]):
            yield (
                "test",
                f"{shown(question.test)} is for {' and '.join(kinds)} outcomes; {question.measure} is {facts.kind}",
            )
            return
        would = next((rule.test for rule in rules.RULES if rule.holds(facts) and rule.test), None)
        hint = f"; give {shown(would)}" if would else ""
        within = next(iter(who.design.within), None)
        if within is not None and test_is(question.test) == BETWEEN:
            n_units_within, _ = view.standing(who.asked, within)
            both = "both levels" if len(who.asked.levels[within]) == 2 else "several levels"
            yield (
                "test",
                f"{shown(question.test)} is for {BETWEEN}, and {n_units_within} {who.asked.what}s have {both}{hint}",
            )
        elif within is None and test_is(question.test) == WITHIN:
            reason = f"{shown(question.test)} is for {WITHIN}, and no {who.asked.what} has two levels{hint}"
            yield "test", reason
        else:
            yield "test", str(error)


def tests_kinds(test: str) -> list[str]:
    """Return the kinds of outcomes that a test is for.

    Examples
    --------
    >>> tests_kinds("fisher")
    ['yes/no']
    """
    kinds = (kind for rule in rules.RULES if rule.test == test for kind in rule.conditions["kind"])
    return list(dict.fromkeys(map(str, kinds)))


def test_is(test: str) -> str | None:
    """Return whether a test is for independent groups or for the same units at several levels; None: for either.

    Examples
    --------
    >>> test_is("welch"), test_is("paired")
    ('independent groups', 'the same units at several levels')
    """
    inner = {"pairs", "within", "two within", "2 x 2 mixed", "mixed"}
    shapes = {str(shape) for rule in rules.RULES if rule.test == test for shape in rule.conditions.get("shape", ())}
    if not shapes - {"none"}:
        return None
    return WITHIN if shapes <= inner else BETWEEN if not shapes & inner else None


def count_values(
    plan: Plan, question: Question, view: StudyView, remaining_rows: Any, linked_games: Any
) -> tuple[Selection, pd.DataFrame]:
    """Return the rows of a question that have a value, and the units with one in each cell."""
    rows = view.select(remaining_rows, plan, question, linked_games, blind=False)
    return rows, counted(rows, view.units_by_cell(rows))


def _find_few_units(
    plan: Plan,
    question: Question,
    view: StudyView,
    remaining_rows: Any,
    linked_games: Any,
    who: Attendance,
    outcomes: bool,
) -> Iterator[str]:
    """Yield a line for each cell with fewer than two units."""
    rows, table = who.asked, who.cells
    if outcomes:
        rows, table = count_values(plan, question, view, remaining_rows, linked_games)
    for cell in table.to_dict("records"):
        count = int(cell.pop("n"))
        if count < 2:
            level = shown(", ".join(map(str, cell.values()))) if cell else "it"
            what = rows.what + ("" if count == 1 else "s") + (" with a value" if outcomes else "")
            result = '(the question is answered "cannot be estimated", the others run)'
            yield f"{level} has {count} {what}; a test needs 2 {result}"
