"""What people answered in an oTree study, and by which name each is known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from negstats.loaders.files.cells import personal
from negstats.loaders.otree.apps import Game
from negstats.loaders.otree.sheets import SESSION, Sheets, Turn

__all__ = ["answers_of", "names_of"]

ABOUT_THE_PERSON = ("age", "gender", "education", "nationality", "native_language")
_OWN = {"id_in_group", "role", "payoff"}  # of a player; oTree writes them for every app
# Of a participant; what oTree writes besides what an experimenter adds.
_KNOWN = {
    *("id_in_session", "code", "label", "visited", "payoff", "time_started", "time_started_utc", "is_bot"),
    *("_is_bot", "_index_in_pages", "_max_page_index", "_current_app_name", "_current_page_name", "_round_number"),
    *("_index_in_subsessions", "_waiting_for_ids", "_last_page_timestamp", "_last_request_timestamp"),
}


def names_of(sheets: Sheets, *, label: bool, notes: list[str]) -> dict[str, str]:
    """Return for each person's code the name in the study: the code, or the label where it names one person.

    A label that two people of a session have names neither; one that stands in several sessions is a seat's as a rule
    (``lab01``), and gets the session's code before it.
    """
    if not label:
        return {code: code for code in sheets.people}
    labels = {code: (row.text("participant.label") or "").strip() for code, row in sheets.people.items()}
    sessions = {code: row.cells[SESSION].strip() for code, row in sheets.people.items()}
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
        notes.append(f"{n_by_session} labels stand in several sessions; the session's code stands before them")
    return names


def answers_of(
    sheets: Sheets, games: Sequence[Game], surveys: Collection[str], names: Mapping[str, str], notes: list[str]
) -> list[dict[str, Any]]:
    """Return the rows of the table of answers: about the game, then about the person."""
    of_turn = {(turn.code, turn.app, turn.number): game for game in games for turn in game.turns.values()}
    about_game: list[dict[str, Any]] = []
    about_person: dict[str, dict[tuple[str, int], dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for turn in sheets.turns:
        game = of_turn.get((turn.code, turn.app, turn.number))
        if game is None and turn.app not in surveys:
            continue
        for name, text in _read_fields(turn, sheets.fields[turn.app], game):
            if turn.app in surveys or name in ABOUT_THE_PERSON:
                about_person[name][turn.app, turn.number][names[turn.code]] = text
            elif game is not None:
                about_game.append(_answer(names[turn.code], game.name, name, text))
    people: list[dict[str, Any]] = []
    for code, row in sheets.people.items():
        for column, text in row.cells.items():
            question = _question(column)
            if question is not None:
                people.append(_answer(names[code], None, question, text))
    used_questions = {answer["question"] for answer in people}
    return [*about_game, *people, *_build_person_answers(about_person, used_questions, notes)]


@lru_cache(maxsize=4096)  # the same columns in every row
def _question(column: str) -> str | None:
    """Return what a column of the participant asked; None if it is none of theirs, or no answer."""
    level, _, name = column.partition(".")
    return name if level == "participant" and name not in _KNOWN and not personal(name) else None


@lru_cache(maxsize=4096)  # the same fields in every turn
def _question_name(field: str) -> str | None:
    """Return what a field of the player asked; None if it is none of theirs, or no answer."""
    level, _, name = field.partition(".")
    return name if level == "player" and name not in _OWN and not personal(name) else None


def _read_fields(turn: Turn, fields: Collection[str], game: Game | None) -> list[tuple[str, str]]:
    """Return the answers of one person in one app and round by the fields' names."""
    fields_in_game = () if game is None else game.app.uses
    name_texts = []
    for field in fields:
        name = _question_name(field)
        if name is not None and field not in fields_in_game:
            text = turn.row.text(turn.column(field))
            if text is not None:
                name_texts.append((name, text))
    return name_texts


def _build_person_answers(
    answers_by_name: Mapping[str, Mapping[tuple[str, int], Mapping[str, str]]],
    used_questions: Collection[str],
    notes: list[str],
) -> list[dict[str, Any]]:
    """Return answers about people, each once; a question that was asked again is called by app and round."""
    rows: list[dict[str, Any]] = []
    for name, places in answers_by_name.items():
        texts_by_person: dict[str, set[str]] = defaultdict(set)
        for answers in places.values():
            for person, text in answers.items():
                texts_by_person[person].add(text)
        if name not in used_questions and all(len(texts) == 1 for texts in texts_by_person.values()):
            rows += [_answer(person, None, name, next(iter(texts))) for person, texts in texts_by_person.items()]
            continue
        rounds = Counter(app for app, _ in places)
        for (app, number), answers in places.items():
            question = f"{app}.{number}.{name}" if rounds[app] > 1 else f"{app}.{name}"
            rows += [_answer(person, None, question, text) for person, text in answers.items()]
        notes.append(f"{name} was answered more than once in other words: the questions are named by app and round")
    return rows


def _answer(person: str, game: str | None, question: str, text: str) -> dict[str, Any]:
    return {"participant_id": person, "game_id": game, "question": question, "answer": text}
