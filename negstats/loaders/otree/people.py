"""What people answered in an oTree study, and by which name each is known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa

from negstats.loaders.files.cells import personal
from negstats.loaders.files.coded import Coded, below
from negstats.loaders.files.columns import Places, Texts, chosen
from negstats.loaders.otree.apps import Games
from negstats.loaders.otree.groups import Groups
from negstats.loaders.otree.sheets import Sheets
from negstats.tables import conform

ABOUT_THE_PERSON = ("age", "gender", "education", "nationality", "native_language")
_OWN = {"id_in_group", "role", "payoff"}  # of a player; oTree writes them for every app
# Of a participant; what oTree writes besides what an experimenter adds.
_KNOWN = {
    *("id_in_session", "code", "label", "visited", "payoff", "time_started", "time_started_utc", "is_bot"),
    *("_is_bot", "_index_in_pages", "_max_page_index", "_current_app_name", "_current_page_name", "_round_number"),
    *("_index_in_subsessions", "_waiting_for_ids", "_last_page_timestamp", "_last_request_timestamp"),
}


def names_of(sheets: Sheets, *, label: bool, notes: list[str]) -> Texts:
    """Return for each person of `Sheets.persons` the name in the study: the code, or the label if it names one person.

    A label that two people of a session have names neither; one that stands in several sessions is a seat's as a rule
    (``lab01``), and gets the session's code before it.
    """
    if not label:
        return sheets.persons.words
    people = sheets.people
    codes = sheets.persons.take(people).texts().to_pylist()
    words = sheets.column("participant.label", people).texts().to_pylist()
    labels = {code: (text or "").strip() for code, text in zip(codes, words, strict=True)}
    sessions = dict(zip(codes, sheets.sessions.take(people).texts().to_pylist(), strict=True))
    label_counts = Counter((sessions[code], text) for code, text in labels.items() if text)
    sessions_by_label: dict[str, set[str]] = defaultdict(set)
    for code, text in labels.items():
        sessions_by_label[text].add(sessions[code])
    names, n_by_code, n_by_session = {}, 0, 0
    for code, text in labels.items():
        if not text or label_counts[sessions[code], text] > 1:
            names[code], n_by_code = code, n_by_code + 1
        elif len(sessions_by_label[text]) > 1:
            names[code], n_by_session = f"{sessions[code]}-{text}", n_by_session + 1
        else:
            names[code] = text
    if n_by_code:
        notes.append(f"{n_by_code} people have no label of their own in their session and are called by their code")
    if n_by_session:
        notes.append(f"{n_by_session} labels occur in several sessions; the session's code was put before them")
    return pa.array([names.get(code, code) for code in sheets.persons.words.to_pylist()], pa.large_string())


@dataclass(frozen=True, slots=True)
class _Asked:
    """Answers to one question in one place: where each stands in the order of the log, who gave it, and its text."""

    question: str
    place: tuple[str, int]
    ranks: Places
    persons: Places
    games: Places
    cells: Coded


def answers_of(
    sheets: Sheets, several: Sequence[Games], groups: Groups, surveys: Collection[str], names: Texts, notes: list[str]
) -> pd.DataFrame:
    """Return the table of answers: about the game, then about the person."""
    about_game: list[_Asked] = []
    about_person: dict[str, list[_Asked]] = defaultdict(list)
    uses = {games.name: games.app.uses for games in several if len(games)}
    for app_place, app in enumerate(sheets.fields):
        turns = np.flatnonzero(sheets.turns.apps == app_place)
        if app not in uses and app not in surveys:
            continue
        for question_answers in _read_fields(sheets, groups, turns, app, () if app in surveys else uses[app]):
            if app in surveys or question_answers.question in ABOUT_THE_PERSON:
                about_person[question_answers.question].append(question_answers)
            else:
                about_game.append(question_answers)
    people = _read_columns(sheets)
    person_answers = _order_person_answers(
        about_person, {question_answers.question for question_answers in people}, notes
    )
    parts = [*_build_rows(about_game, groups.names, names), *_build_rows(people, groups.names, names)]
    for question_answers in person_answers:
        parts += _build_rows([question_answers], groups.names, names)
    columns = zip(*parts, strict=True) if parts else [[pa.array([], pa.large_string())]] * 4
    return conform("answers", {name: pa.concat_arrays(part) for name, part in zip(_COLUMNS, columns, strict=True)})


_COLUMNS = ("participant_id", "game_id", "question", "answer")


def _build_rows(several: Sequence[_Asked], games: Texts, names: Texts) -> list[tuple[Texts, ...]]:
    """Return answers as columns of the table, in the order of the log; nothing where there are none."""
    if not several:
        return []
    order = np.argsort(np.concatenate([part.ranks for part in several]), kind="stable")
    of_question = np.repeat(np.arange(len(several)), [len(part.ranks) for part in several])[order]
    columns = (
        chosen(names, np.concatenate([part.persons for part in several])[order]),
        chosen(games, np.concatenate([part.games for part in several])[order]),
        chosen([part.question for part in several], of_question),
        pa.concat_arrays([part.cells.texts() for part in several]).take(pa.array(order)),
    )
    return [columns]


def _read_fields(sheets: Sheets, groups: Groups, turns: Places, app: str, used_fields: Collection[str]) -> list[_Asked]:
    """Return the answers of people in an app, by question and round."""
    of_app, several = sheets.turns.take(turns), []
    stride = max(map(len, sheets.fields.values()))
    rounds = [(int(number), np.flatnonzero(of_app.numbers == number)) for number in np.unique(of_app.numbers)]
    for position, field in enumerate(sheets.fields[app]):
        question = _question_name(field)
        if question is None or field in used_fields:
            continue
        cells = sheets.field(of_app, field)
        for number, in_round in rounds:
            filled_rows = in_round[cells.codes[in_round] >= 0]
            if len(filled_rows):
                at = turns[filled_rows]
                persons = sheets.persons.codes[sheets.turns.rows[at]]
                ranks = at * stride + position
                asked = _Asked(question, (app, number), ranks, persons, groups.of_turn[at], cells.take(filled_rows))
                several.append(asked)
    return several


def _read_columns(sheets: Sheets) -> list[_Asked]:
    """Return the answers that stand in columns of people."""
    several, people = [], sheets.people
    for position, (name, column) in enumerate(sheets.columns.items()):
        question = _question(name)
        if question is not None:
            filled = np.flatnonzero(column.codes[people] >= 0)
            if len(filled):
                rows, nowhere = people[filled], np.full(len(filled), -1)
                ranks = filled * len(sheets.columns) + position
                persons = sheets.persons.codes[rows]
                several.append(_Asked(question, ("", 0), ranks, persons, nowhere, column.take(rows)))
    return several


def _question(column: str) -> str | None:
    """Return what a column of the participant asked; None if it is none of theirs, or no answer."""
    level, _, name = column.partition(".")
    return name if level == "participant" and name not in _KNOWN and not personal(name) else None


def _question_name(field: str) -> str | None:
    """Return what a field of the player asked; None if it is none of theirs, or no answer."""
    level, _, name = field.partition(".")
    return name if level == "player" and name not in _OWN and not personal(name) else None


def _first_rank(question_answers: _Asked) -> int:
    return int(question_answers.ranks[0])


def _order_person_answers(
    parts_by_question: Mapping[str, list[_Asked]], used_questions: Collection[str], notes: list[str]
) -> list[_Asked]:
    """Return answers about people, each once; a question that was asked again is called by app and round."""
    several: list[_Asked] = []
    parts_in_order = [sorted(parts, key=_first_rank) for parts in parts_by_question.values()]
    for parts in sorted(parts_in_order, key=lambda parts: _first_rank(parts[0])):
        question = parts[0].question
        persons, cells = np.concatenate([part.persons for part in parts]), below([part.cells for part in parts])
        firsts = np.full(int(persons.max()) + 1, -1)
        firsts[persons[::-1]] = np.arange(len(persons))[::-1]
        if question not in used_questions and (cells.codes == cells.codes[firsts[persons]]).all():
            own = np.flatnonzero(firsts[persons] == np.arange(len(persons)))
            several.append(_Asked(question, ("", 0), own, persons[own], np.full(len(own), -1), cells.take(own)))
            continue
        rounds = Counter(part.place[0] for part in parts)
        for part in parts:
            app, number = part.place
            name = f"{app}.{number}.{question}" if rounds[app] > 1 else f"{app}.{question}"
            several.append(replace(part, question=name, games=np.full(len(part.games), -1)))
        notes.append(f"{question} was answered more than once in other words: the questions are named by app and round")
    return several
