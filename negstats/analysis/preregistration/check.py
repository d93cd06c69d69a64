"""What a plan will run on a study, before any outcome is looked at: units, n by cell, where factors lie, tests.

Keys, factors and which games, seats and people there are is all that is told apart. Of the outcome one number is told:
how many units have a value, over all levels together, which is the n that the report will have. What the choice of a
test needs of the outcome's margins (whether expected counts are small, how games ended) is told as an alternative.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from negstats import metrics
from negstats.analysis.plan.columns import looks_at_outcome
from negstats.analysis.plan.direction_words import direction_words, predicted_by_words
from negstats.analysis.plan.faults import Fault, Faults, refuse
from negstats.analysis.plan.model import Plan, Question
from negstats.analysis.plan.predictions import PredictionError, sides_of, stated, ways_to_predict
from negstats.analysis.preregistration.study_checks import Attendance, count_attendance, find_faults
from negstats.analysis.preregistration.study_view import StudyView
from negstats.analysis.questions.question_data import QuestionData
from negstats.analysis.questions.selection import NO_TIME, Excluded, crosses_partners
from negstats.analysis.questions.units import NOUNS, VARIES
from negstats.analysis.rules import Choice, DesignFeatures, choose_rule, has_figure_in_report
from negstats.errors import DesignError, NegstatsError, shown
from negstats.sanitize import counted
from negstats.studies.records import Record, alarm, answers_of, open_records, sentence
from negstats.studies.study import Study
from negstats.studies.suspicions import records_of

NOBODY = {"simulated": "nobody took part: the players are simulated", "agents": "nobody took part: agents played"}
NOUNS_OF_FLOW = {"games": "game", "people": "person", "seats": "seat"}


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """How many units have all that a test takes, over all levels together, and what the others lack.

    Attributes
    ----------
    units : int
        As many as the report will say.
    excluded : tuple of Excluded
        Rows that lack a value, with the reason.
    lacking : int
        Units without a value at each level of a factor within units, of those that have any.
    """

    units: int
    excluded: tuple[Excluded, ...]
    lacking: int

    @classmethod
    def of(cls, held: Any, question: Question) -> Values:
        """Return what rows with their values tell without any of these."""
        selection, row_counts = held.asked, held.lost
        rows_with_value = row_counts.rows - row_counts.missing
        numbers = " or ".join(dict.fromkeys((*question.with_, *question.covariates)))
        exclusions = [exclusion for exclusion in selection.excluded if exclusion.reason == NO_TIME]
        exclusions += [
            Excluded(count, total, selection.row, f"no value of {name}")
            for count, total, name in (
                (row_counts.missing, row_counts.rows, question.measure),
                (row_counts.lacking, rows_with_value, numbers),
            )
            if count
        ]
        return cls(held.units, tuple(exclusions), held.with_value - held.units)


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """One question: who came, and which test it gets.

    Attributes
    ----------
    id : str
    question : Question
    came : Came
        Rows and design.
    choice : Choice or None
        The row of the table; None where it is refused.
    others : tuple of Choice
        Rows that it may be instead, which the outcome tells.
    refused : str
        Why no test is for it.
    faults : tuple of Fault
        What does not stop the plan: cells with one unit.
    complete : Values or None
        How many units can be analysed; None where that cannot be told, since the outcome does not fit the plan.
    warnings : tuple of Fault
        Words of the question that name a direction, which no key does.
    """

    id: str
    question: Question
    came: Attendance
    choice: Choice | None
    others: tuple[Choice, ...] = ()
    refused: str = ""
    faults: tuple[Fault, ...] = ()
    complete: Values | None = None
    warnings: tuple[Fault, ...] = ()

    @property
    def test(self) -> str | None:
        """The test's name, where it does not depend on the outcome."""
        return self.choice.rule.test if self.choice is not None and not self.others else None

    def lines(self, participation: str = "unknown", *, planned: bool = True) -> list[str]:
        """Return what is printed; `planned` is whether the plan has a question that is not exploratory."""
        rows, question = self.came.asked, self.question
        mark = " (exploratory)" if question.explore else ""
        factors = [f"{name} ({VARIES[place]})" for name, place in self.came.design.factors.items()]
        numbers = [*question.with_, *(f"{name} held constant" for name in question.covariates)]
        numbers += [f"{name} as items ({n})" for name, n in rows.items.items()]
        owner = f" of {rows.who}" if rows.who else ""
        by = f" by {' and '.join(factors)}" if factors else ""
        numbers_text = f" with {', '.join(numbers)}" if numbers else ""
        lines = [f"{self.id}{mark}: {question.asks}", f"  {question.measure}{owner} ({rows.kind}){by}{numbers_text}"]
        noun = NOUNS.get(rows.what, rows.what)
        lines.append(f"  units of analysis: {counted(self.came.design.units, noun)}; {self._cells()}")
        lines += self._values(noun)
        if self.choice is None:
            lines.append(f"  no test: {self.refused}")
        else:
            lines.append(f"  test: {_describe_choice(self.choice)}. {self.choice.sentence}")
            lines += [
                f"    or {_describe_choice(other)}: {other.rule.design}, depending on the outcome's distribution"
                for other in self.others
            ]
            figure = self.choice.rule.figure
            lines += [f"  figure: {figure}, {self._place_of_figure(participation, planned=planned)}"] if figure else []
            checks = ", ".join(step.words for step in self.choice.beside(self.came.design.features))
            lines += [f"  effect: {self.choice.rule.effect}; additional check: {checks or 'none'}"]
        lines += [f"  note: {note}" for note in rows.notes]
        lines += [f"  note: {fault}" for fault in self.faults]
        return [*lines, *(f"  warning: {fault}" for fault in self.warnings)]

    def _place_of_figure(self, participation: str, *, planned: bool) -> str:
        """Return where the figure will stand: in the report too, or in the folder of figures alone."""
        is_in_report = has_figure_in_report(
            self.came.asked.kind, has_number=bool(self.question.with_ or self.question.covariates),
            lies=list(self.came.design.factors.values()), cells=len(self.came.cells), agents=participation == "agents",
        )  # fmt: skip
        is_apart = not is_in_report or (planned and self.question.explore)
        return f"in figures/{self.id}.png{'' if is_apart else ' and in report.docx'}"

    def _values(self, noun: str) -> list[str]:
        """Return how many units can be analysed, where these are not all that came, and why."""
        if self.complete is None or (self.complete.units == self.came.design.units and not self.complete.excluded):
            return []
        why = [str(exclusion) for exclusion in self.complete.excluded]
        if self.complete.lacking:
            why.append(f"{counted(self.complete.lacking, noun)} without a value at each level")
        return [f"  with an outcome, over all levels together: {counted(self.complete.units, noun)}; {'; '.join(why)}"]

    def _cells(self) -> str:
        cells = []
        for cell in self.came.cells.to_dict("records"):
            count = cell.pop("n")
            cells.append(f"{', '.join(map(str, cell.values())) or 'n'} {count}")
        return "; ".join(cells)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        design, rows = self.came.design, self.came.asked
        return {
            "id": self.id,
            "asks": self.question.asks,
            "explored": self.question.explore,
            "measure": self.question.measure,
            "who": rows.who,
            "kind": rows.kind,
            "factors": [
                {"name": name, "lies": place, "levels": list(design.levels[name])}
                for name, place in design.factors.items()
            ],
            "units": rows.what,
            "n_units": design.units,
            "n_analysed": None if self.complete is None else self.complete.units,
            "cells": self.came.cells.to_dict("records"),
            "test": None if self.choice is None else self.choice.rule.test,
            "row": None if self.choice is None else self.choice.row,
            "sentence": self.refused if self.choice is None else self.choice.sentence,
            "figure": None if self.choice is None else self.choice.rule.figure,
            "others": [{"test": other.rule.test, "row": other.row} for other in self.others],
            "notes": [*map(str, rows.notes), *map(str, self.faults)],
            "warnings": list(map(str, self.warnings)),
        }


def _find_common_notes(of_questions: Sequence[Sequence[str]]) -> list[str]:
    """Return the notes that each of several questions has: they are printed once."""
    if len(of_questions) < 2:
        return []
    notes = [text for text in of_questions[0] if text.startswith("  note: ")]
    return [note for note in dict.fromkeys(notes) if all(note in texts for texts in of_questions)]


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """A plan against a study: what is left out, and what each question gets.

    Attributes
    ----------
    plan : Plan
    remaining : RemainingRows
        The study without what the plan leaves out, and the flow.
    questions : tuple of Checked
        In the plan's order.
    games, people : int
        That are left.
    participation : str
        Who played them.
    alarms : tuple of Record
        What is doubtful about the study, and neither its mapping nor the plan answers.
    """

    plan: Plan
    remaining: Any
    questions: tuple[Checked, ...]
    games: int
    people: int
    participation: str = "unknown"
    alarms: tuple[Record, ...] = ()

    @property
    def resolved(self) -> dict[str, str]:
        """The test of each question, as far as the design alone tells it."""
        return {question.id: question.test for question in self.questions if question.test is not None}

    def lines(self) -> list[str]:
        """Return what is printed."""
        lines = [f"{self.plan.file}: Plan is valid: {counted(len(self.questions), 'question')}"]
        lines += [
            f"{counted(self.games, 'game')} of {counted(self.people, 'person')}"
            if self.people
            else f"{counted(self.games, 'game')}; {NOBODY.get(self.participation, 'participants not recorded')}"
        ]
        lines += [f"! {record.about}: {sentence(record)}; to answer: {answers_of(record)}" for record in self.alarms]
        lines += ["n counts who took part; of the outcome is read only how many values are missing in all"]
        for rule, row in zip(self.remaining.rules, self.remaining.flow, strict=True):
            mark = " (looks at an outcome)" if looks_at_outcome(self.plan, rule) else ""
            counts = (counted(row[what], noun) for what, noun in NOUNS_OF_FLOW.items() if row.get(what))
            also_met = f"; also met by another rule: {counted(row['also'], 'seat')}" if row["also"] else ""
            lines.append(f"excluded: {', '.join(counts) or 'nothing'}: {rule.reason} ({row['rule']}){mark}{also_met}")
        for name, family in self.plan.families.items():
            lines.append(f"family {name}: {', '.join(family.questions)}, corrected together by {family.correction}")
        planned = [question for question in self.questions if not question.question.explore]
        uncorrected_ids = [question.id for question in planned if self.plan.family(question.id) is None]
        lines += [f"not in a family and not corrected: {', '.join(uncorrected_ids)}"] if uncorrected_ids else []
        of_questions = [question.lines(self.participation, planned=bool(planned)) for question in self.questions]
        common = _find_common_notes(of_questions)
        lines += [f"{note.strip()} (all questions)" for note in common]
        return [*lines, *(text for texts in of_questions for text in ("", *texts) if text not in common)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "games": self.games,
            "people": self.people,
            "participation": self.participation,
            "alarms": [alarm(record) for record in self.alarms],
            "flow": [dict(row) for row in self.remaining.flow],
            "questions": [question.to_dict() for question in self.questions],
        }


def check(plan: Plan, study: Study) -> Check:
    r"""Say what a plan will run, without a look at any outcome but how many of its values are missing in all.

    Parameters
    ----------
    plan
        The plan.
    study
        The study as it was loaded.

    Raises
    ------
    PlanError
        If the plan does not fit the study: one line for each fault.

    Examples
    --------
    >>> import negstats
    >>> from negstats.analysis.plan import parse
    >>> text = '[questions.H1]\nasks = "Who earns more?"\nmeasure = "points"\nwho = "agent"\nby = "condition"'
    >>> check(parse(text), negstats.load("datasets/sample")).resolved
    {'H1': 'paired'}
    """
    faults = find_faults(plan, study, outcomes=False)
    refuse(fault for fault in faults if fault.stops)
    view = StudyView(study)
    remaining_rows = view.leave_out(plan)
    remaining_view = StudyView(remaining_rows.study)
    crosses = [crosses_partners(plan, question) for question in plan.questions.values()]
    units = None if all(crosses) else remaining_view.linked(plan.data.unit)
    questions = []
    for (name, question), own_people in zip(plan.questions.items(), crosses, strict=True):
        linked_games = None if own_people else units
        own = tuple(fault for fault in faults if fault.field == f"questions.{name}")
        checked = _build_checked(plan, name, question, count_attendance(plan, name, remaining_rows, linked_games), own)
        checked = replace(checked, warnings=_warn_of_direction(plan, checked))
        try:
            held = QuestionData.of(remaining_rows, plan, question, linked_games, 0)
            questions.append(replace(checked, complete=Values.of(held, question)))
        except NegstatsError:  # the outcome does not fit the plan, which is told when the plan is run
            questions.append(checked)
    alarms = tuple(open_records(records_of(study), (*study.provenance.accepted, *plan.accept)))
    return Check(
        plan, remaining_rows, tuple(questions), remaining_view.games, remaining_view.people, view.participation, alarms
    )


def _warn_of_direction(plan: Plan, checked: Checked) -> tuple[Fault, ...]:
    """Return a warning where the words of a planned question name a direction, and no key does or one contradicts."""
    question, levels = checked.question, {name: tuple(own) for name, own in checked.came.design.levels.items()}
    ways = ways_to_predict(question, levels)
    if question.explore or question.equivalent is not None or not ways:
        return ()
    faults = Faults(plan.file, dict(plan.lines))
    if (prediction := stated(question)) is not None:
        field, text = prediction
        if _contradicts_words(question, text, levels):
            reason = f"is {shown(text)}, but asks says the opposite: {shown(question.asks)}; correct one of the two"
            faults.add(("questions", checked.id, field), reason, stops=False)
        return tuple(faults.sorted())
    names = [*question.by, *(level for own in levels.values() for level in own), question.measure, *question.with_]
    names += [label for name in question.by for label in plan.factor(name).labels.values()]
    words = direction_words(question.asks, names)
    if not words:
        return ()
    listed = ", ".join(map(shown, words))
    reason = f"says {listed}, and no key says which way the effect is predicted; add {ways}"
    faults.add(("questions", checked.id, "asks"), reason, stops=False)
    return tuple(faults.sorted())


def _contradicts_words(question: Question, prediction: str, levels: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether the words of a question, where they say a sign plainly, say the opposite of its prediction."""
    if prediction in ("positive", "negative"):
        is_relation = len(question.with_) == 1 and not question.by
        return is_relation and predicted_by_words(question.asks) == (-1 if prediction == "positive" else 1)
    try:
        sides = sides_of(prediction)
    except PredictionError:  # which is a fault of its own
        return False
    if len(sides) != 2 or not any(set(sides) <= set(own) for own in levels.values()):
        return False
    return predicted_by_words(question.asks, (sides[0], sides[1])) < 0


def _build_checked(plan: Plan, name: str, question: Question, who: Attendance, own: tuple[Fault, ...]) -> Checked:
    facts = who.design.features
    try:
        first = choose_rule(facts, question.test)
        if not first.rule.test:
            return Checked(name, question, who, None, refused=first.sentence, faults=own)
        others = {id(first.rule): first}
        for other in _find_alternatives(plan, question, facts):
            choice = choose_rule(other, question.test)
            others.setdefault(id(choice.rule), choice)
    except DesignError as error:
        return Checked(name, question, who, None, refused=str(error), faults=own)
    return Checked(name, question, who, first, tuple(others.values())[1:], faults=own)


def _find_alternatives(plan: Plan, question: Question, facts: DesignFeatures) -> Iterator[DesignFeatures]:
    """Yield what the facts may be instead, once outcomes are seen."""
    if facts.kind in ("yes/no", "nominal") and not facts.items:
        yield replace(facts, small=True)
    if facts.kind == "time":
        yield replace(facts, competing=True)
        measure = plan.measure(question.measure)
        if measure.kind is None and metrics.measure(measure.measure).name == "duration_s":
            yield replace(facts, kind="interval", averaged="interval")  # if all games end in agreement


def _describe_choice(choice: Choice) -> str:
    return f"{choice.rule.test} (row {choice.row} of the table)"
