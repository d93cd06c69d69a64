"""Where a draft puts the question for which data were collected, once what is open about them is answered truthfully.

The question is about what was measured, by each of the conditions. It is refused where the draft says why there is no
test: one session had a level.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import negstats
from negstats.analysis.plan.model import Question
from negstats.analysis.preregistration.proposals import propose
from negstats.analysis.preregistration.study_view import StudyView
from negstats.analysis.questions.frames import home
from negstats.analysis.questions.units import measured
from negstats.analysis.scales import decisions_of
from negstats.errors import UsageError
from negstats.loaders.mapping import draft_of, suggest
from negstats.loaders.mapping.forms import Asked
from negstats.loaders.mapping.proposal import names_in
from negstats.loaders.reading.columns import build_column
from negstats.studies.study import Study
from tests.loaders.reading.drawn_logs import DrawnLog
from tests.loaders.reading.judge import are_same, judge, log_of
from tests.loaders.reading.judge_logs import LogTruth, judge_log
from tests.loaders.reading.layouts import LaidOut, find_decisions, find_factors, judge_loaded, save_both, share_marked
from tests.loaders.reading.tables import Labelled

Place: TypeAlias = Literal["first", "later", "commented", "refused", "missing", "unread"]
Names: TypeAlias = Collection[str]
# What measures a plan may hold behind a key of a mapping; others are called as the key is.
_MEASURES = {
    "points": {"points", "joint_value"},
    "units_to_responder": {"units_to_responder", "share_to_responder", "agreed"},
    "units_to_proposer": {"units_to_proposer", "units_to_responder", "share_to_responder", "agreed"},
    "response": {"agreed"},
    "ended": {"agreed"},
    "accept_from": {"least_acceptable"},
    "accept_at": {"least_acceptable"},
}


def place_of(study: Study, is_outcome: Callable[[str], bool], conditions: Sequence[Names]) -> Place:
    """Return where the question about an outcome stands, by each condition; of several the last one counts.

    Parameters
    ----------
    study
        As it was loaded.
    is_outcome
        Whether a measure, such as ``games.price``, is what was decided or measured.
    conditions
        What each condition may be called.
    """
    proposals = propose(study)
    drafted, commented = ([*plan.questions.values()] for plan in (proposals.plan, proposals.also))

    measures = {proposal.outcome.name: proposal.outcome.measure for proposal in proposals.ranked}

    able: Sequence[Names | None] = conditions or [None]

    def asks(question: Question, condition: Names | None) -> bool:
        is_compared = condition is None or not {*question.by}.isdisjoint(condition)
        return is_compared and is_outcome(measures[question.measure])

    def ask_all(questions: Sequence[Question]) -> bool:
        return all(any(asks(question, condition) for question in questions) for condition in able)

    if not ask_all([*drafted, *commented]):
        refused = [proposal for proposal in proposals.ranked if proposal.refusal]
        is_refused = any(asks(proposal.question, names) for proposal in refused for names in conditions)
        return "refused" if is_refused else "missing"
    if any(asks(drafted[0], condition) for condition in able):
        return "first"
    return "later" if ask_all(drafted) else "commented"


def place_in_labelled(table: Labelled, folder: Path) -> Place:
    """Return where the question of a labelled table stands."""
    verdict = judge(table.frame, table.truth)
    if verdict.word == "wrong":
        return "unread"
    file = folder / "log.csv"
    table.frame.to_csv(file, index=False)
    answers = _answer(file, verdict.answers)
    keys, study = _keys_behind(file, answers), _load(file, answers)
    cells = log_of(table.frame).table.cells
    columns = {name: build_column(name, cells[name]) for name in table.frame.columns}

    def names_of(column: str) -> Names:
        alike = {name for name in columns if are_same(columns[name].codes, columns[column].codes)}
        return {key for key, names in keys if not alike.isdisjoint(names)}

    measures = {measure for outcome in table.truth.outcomes for key in names_of(outcome) for measure in _called(key)}

    def is_outcome(measure: str) -> bool:
        return not measures or measure.rpartition(".")[2] in measures

    return place_of(study, is_outcome, [*map(names_of, table.truth.conditions)])


def place_in_layout(table: LaidOut, folder: Path) -> Place:
    """Return where the question of a table in another form stands: what was decided, by what was set."""
    verdict = judge_loaded(table, folder)
    if verdict.word == "wrong":
        return "unread"
    file, marked_file = save_both(table, folder)
    marked = _load(file, verdict.answers, marked_file)
    decisions = find_decisions(marked, table)
    conditions = [find_factors(marked, decisions, name) for name in table.conditions]
    view, means = StudyView(marked), {f"answers.{name}" for name in decisions_of(marked)}

    def is_outcome(measure: str) -> bool:
        if measure in means:
            return True  # of decisions side by side
        values = home(measured(marked, view.measure(measure), None))["value"].dropna()
        return len(values) > 0 and share_marked(values, table) > 0.5

    return place_of(_load(file, verdict.answers), is_outcome, conditions)


def place_in_log(log: DrawnLog, folder: Path) -> Place:
    """Return where a question about anything that happened stands, by what was set."""
    source, truth = log.write(folder), LogTruth(log)
    verdict = judge_log(source, truth)
    if verdict.word == "wrong":
        return "unread"
    keys = _keys_behind(source, verdict.answers)
    condition = {key for key, names in keys if truth.condition in {name.rpartition(".")[2] for name in names}}
    return place_of(_load(source, verdict.answers), lambda _: True, [condition])


def _answer(source: Path, answers: dict[str, str]) -> dict[str, str]:
    """Return those of some answers to questions that are open once the answers before them are given."""
    given = dict[str, str]()
    for subject, answer in sorted(answers.items(), key=lambda pair: pair[0] != "row"):
        try:
            draft_of(source, Asked(), given | {subject: answer})
        except UsageError:
            continue
        given[subject] = answer
    return given


def _load(source: Path, answers: dict[str, str], marked: Path | None = None) -> Study:
    """Return the study of a log, in which all that is not answered is taken as is likely."""
    mapping = source.parent / f"{source.stem}.toml"
    mapping.write_text(suggest(source, answers=answers, accept=True), encoding="utf-8")
    return negstats.load(marked or source, mapping=mapping)


def _keys_behind(source: Path, answers: dict[str, str]) -> list[tuple[str, list[str]]]:
    """Return the last word of each key of a mapping, with the columns that stand behind it."""
    draft = draft_of(source, Asked(), answers)
    proposals = [draft.proposal, *(proposal for _, proposal in draft.others)]
    return [
        (key.rpartition(".")[2].strip('"'), names_in(value))
        for proposal in proposals
        for key, value in proposal.keys.items()
        if not (isinstance(value, dict) and value.get("role") == "cluster")
    ]


def _called(key: str) -> Names:
    return _MEASURES.get(key, {key})
