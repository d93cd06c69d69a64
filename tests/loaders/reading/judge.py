"""The judge of readings: right, asked (an answer to an open question makes it right), or wrong without a word.

A reading is judged by the mapping that it leads to, and never by its inner facts. A question counts as asked only if
one of its options leads to the right mapping.
"""

from __future__ import annotations

import csv
import io
import itertools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from negstats.errors import UsageError
from negstats.loaders.files.any_table import read_table
from negstats.loaders.mapping.log_files import Log
from negstats.loaders.mapping.proposal import Proposal
from negstats.loaders.mapping.propose import propose
from negstats.loaders.reading.columns import HOLDS, Codes, Column, build_column
from negstats.loaders.reading.questions import Question
from negstats.loaders.reading.reading import Reading
from negstats.loaders.reading.relations import joint_codes
from tests.loaders.reading.tables import Truth

Word = Literal["right", "asked", "wrong"]
_MOST_TRIES = 40
_SAME = 1.03


@dataclass(frozen=True)
class Verdict:
    """What the judge says of a reading.

    Attributes
    ----------
    word : str
        The verdict.
    faults : tuple of str
        What the mapping has wrong before anything is answered.
    questions : tuple of str
        The subjects that are asked about.
    stops : bool
        Whether nothing may be tested before an answer.
    answers : dict of str to str
        Those that lead to the right mapping, where the likely ones do not.
    """

    word: Word
    faults: tuple[str, ...]
    questions: tuple[str, ...]
    stops: bool
    answers: dict[str, str] = field(default_factory=dict)


def log_of(frame: pd.DataFrame) -> Log:
    """Return a frame as a log that was read from a file."""
    stream = io.StringIO()
    frame.to_csv(stream, index=False, quoting=csv.QUOTE_MINIMAL)
    file = Path("log.csv")
    return Log((), (file,), None, read_table(stream.getvalue().encode(), file), ())


def judge(frame: pd.DataFrame, truth: Truth) -> Verdict:
    """Judge the reading of a table."""
    log = log_of(frame)
    columns = {name: build_column(name, log.table.cells[name]) for name in log.table.names}
    read, reading = _read(log, {})
    faults = tuple(_faults(read, truth, columns))
    questions = reading.questions
    subjects = tuple(question.subject for question in questions)
    stops = any(question.is_stop for question in questions)
    if truth.asks and truth.asks not in subjects:
        return Verdict("wrong", (f"not asked about {truth.asks}",), subjects, stops)
    if not faults:
        of_truth = [question for question in questions if _concerns(question, truth)]
        return Verdict("asked" if of_truth else "right", (), subjects, stops)
    for answers in _answers(questions, truth):
        try:
            answered, _ = _read(log, answers)
        except UsageError:
            continue  # an answer that the table contradicts
        if not any(_faults(answered, truth, columns)):
            return Verdict("asked", faults, subjects, stops, answers)
    return Verdict("wrong", faults, subjects, stops)


def _read(log: Log, answers: dict[str, str]) -> tuple[Proposal, Reading]:
    return propose(log, Path(), answers)


def _concerns(question: Question, truth: Truth) -> bool:
    """Whether a question is about what the truth says something of."""
    if question.subject in ("row", "game", "offer", truth.asks):
        return True
    known = {*truth.conditions, *truth.no_conditions}
    return question.subject == "condition" and any(option.words in known for option in question.options)


def _answers(questions: list[Question], truth: Truth) -> list[dict[str, str]]:
    """Return the answers that a person who knows the study may give: one option of each, the true conditions."""
    choices: list[list[tuple[str, str]]] = []
    for question in questions:
        if question.is_several:
            wanted = [option.words for option in question.options if option.words in truth.conditions]
            choices.append([(question.subject, ",".join(wanted) or "none")])
        else:
            choices.append([(question.subject, str(place)) for place in range(1, len(question.options) + 1)])
    if not choices:
        return []
    tries = [dict(answer) for answer in itertools.islice(itertools.product(*choices), _MOST_TRIES)]
    # An answer about the rows changes what else is asked: it is tried alone too, and with the conditions.
    rows = [[pair for pair in of if pair[0] == "row"] for of in choices]
    alone = [dict([pair]) for of in rows for pair in of]
    return [*tries, *alone]


def _faults(read: Proposal, truth: Truth, columns: dict[str, Column]) -> list[str]:
    """Return what a mapping has wrong."""
    faults = []
    columns = _columns_of_kept_rows(read, columns)
    if not _has_right_rows(read, truth, columns):
        faults.append("row")
    compared = [
        value
        for key, value in read.keys.items()
        if key.startswith("factors.") and not (isinstance(value, dict) and value.get("role") == "cluster")
    ]
    factors = {name for value in compared for name in _columns_in(value)}
    everything = {name for value in read.keys.values() for name in _columns_in(value)}
    faults += [f"condition {name}" for name in truth.conditions if not _stands_in(name, factors, columns)]
    faults += [f"no condition {name}" for name in truth.no_conditions if name in factors]
    faults += [
        f"outcome {name}" for name in truth.outcomes if name in factors or not _stands_in(name, everything, columns)
    ]
    if truth.amount is not None:
        amount, side = truth.amount
        units = {
            name
            for key, value in read.keys.items()
            if key.startswith("offers.units_to_")
            for name in _columns_in(value)
        }
        if amount not in units or read.keys.get("players.player") != {"constant": side}:
            faults.append("amount")
    return faults


def _columns_of_kept_rows(read: Proposal, columns: dict[str, Column]) -> dict[str, Column]:
    """Return the columns of the rows that a mapping keeps."""
    kept = np.ones(next(iter(columns.values())).rows, bool)
    for name, where in read.where.items():
        assert isinstance(where, dict)
        left_out = {columns[name].levels.index(word) for word in where.get("not", ())}
        kept &= columns[name].filled if where.get("empty") is False else ~np.isin(columns[name].codes, [*left_out])
    return {name: column.take(kept) for name, column in columns.items()}


def _has_right_rows(read: Proposal, truth: Truth, columns: dict[str, Column]) -> bool:
    game, person = (
        _groups(read.keys.get("games.game_id"), columns),
        _groups(read.keys.get("players.participant_id"), columns),
    )
    if game is None:
        return False
    is_unique = len(np.unique(game)) >= HOLDS * len(game)
    match truth.kind:
        case "alone":
            return is_unique and (person is None or len(np.unique(person)) >= HOLDS * len(person))
        case "repeated":
            wanted = joint_codes([columns[name] for name in str(truth.person).split(" × ")])
            return is_unique and person is not None and are_same(person, wanted)
        case "seats":
            wanted = joint_codes([columns[name] for name in truth.game])
            return read.row == "player" and are_same(game, wanted) and _are_right_people(person, truth, columns)
        case "events":
            wanted = joint_codes([columns[name] for name in truth.game])
            return read.row in ("offer", "event", "message", "item") and are_same(game, wanted)


def _are_right_people(person: Codes | None, truth: Truth, columns: dict[str, Column]) -> bool:
    """Whether those who sit in seats are told apart as they are, if they are told apart at all."""
    if person is None or not truth.people:
        return True
    return are_same(person, joint_codes([columns[name] for name in truth.people.split(" × ")]))


def _groups(value: object, columns: dict[str, Column]) -> Codes | None:
    names = value if isinstance(value, list) else [value]
    if "{row}" in names:
        return np.arange(next(iter(columns.values())).rows)
    there = [columns[name] for name in names if isinstance(name, str) and name in columns]
    return joint_codes(there) if there else None


def are_same(one: Codes, other: Codes) -> bool:
    """Whether two columns part the rows in the same way, but for a few."""
    both = (one >= 0) & (other >= 0)
    if both.sum() < 0.9 * len(one):
        return False
    pairs = len(np.unique(one[both] * (int(other.max()) + 1) + other[both]))
    return pairs <= _SAME * len(np.unique(one[both])) and pairs <= _SAME * len(np.unique(other[both]))


def _stands_in(name: str, names: set[str], columns: dict[str, Column]) -> bool:
    """Whether a column, or one that parts the rows in the same way, is among some."""
    if name in names:
        return True
    return any(other in columns and are_same(columns[name].codes, columns[other].codes) for other in names)


def _columns_in(value: object) -> list[str]:
    match value:
        case str():
            return [value]
        case list():
            return [name for each in value for name in _columns_in(each)]
        case {"column": str(name)}:
            return [name]
    return []
