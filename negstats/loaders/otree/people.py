"""What people answered in an oTree study, and by which name each is known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import TypeAlias

from negstats.loaders.files.cells import personal
from negstats.loaders.otree.sheets import SESSION, Sheets

ABOUT_THE_PERSON = ("age", "gender", "education", "nationality", "native_language")
_OWN = {"id_in_group", "role", "payoff"}  # of a player; oTree writes them for every app
# Of a participant; what oTree writes besides what an experimenter adds.
_KNOWN = {
    *("id_in_session", "code", "label", "visited", "payoff", "time_started", "time_started_utc", "is_bot"),
    *("_is_bot", "_index_in_pages", "_max_page_index", "_current_app_name", "_current_page_name", "_round_number"),
    *("_index_in_subsessions", "_waiting_for_ids", "_last_page_timestamp", "_last_request_timestamp"),
}


def names_of(sheets: Sheets, *, label: bool, notes: list[str]) -> dict[str, str]:
    """Return by each person's code the name in the study: the code, or the label if it names one person.

    A label that two people of a session have names neither; one that stands in several sessions is a seat's as a rule
    (``lab01``), and gets the session's code before it.
    """
    if not label:
        return {code: code for code in sheets.people}
    labels = {code: (row.text("participant.label") or "").strip() for code, row in sheets.people.items()}
    sessions = {code: row.cells[SESSION].strip() for code, row in sheets.people.items()}
    label_counts = Counter((sessions[code], text) for code, text in labels.items() if text)
    session_counts = Counter(text for _, text in label_counts)
    names, n_by_code, n_by_session = {}, 0, 0
    for code, text in labels.items():
        if not text or label_counts[sessions[code], text] > 1:
            names[code], n_by_code = code, n_by_code + 1
        elif session_counts[text] > 1:
            names[code], n_by_session = f"{sessions[code]}-{text}", n_by_session + 1
        else:
            names[code] = text
    if n_by_code:
        notes.append(f"{n_by_code} people have no label of their own in their session and are called by their code")
    if n_by_session:
        notes.append(f"{n_by_session} labels occur in several sessions; the session's code was put before them")
    return names


Answer: TypeAlias = tuple[str, str | None, str, str]  # who gave it, in which game, the question, and the answer
_Given: TypeAlias = list[tuple[str, str]]  # people's codes and their answers
_Parts: TypeAlias = dict[tuple[str, int], _Given]  # by app and round


def answers_of(
    sheets: Sheets,
    uses: Mapping[str, Collection[str]],
    surveys: Collection[str],
    names: dict[str, str],
    notes: list[str],
) -> list[Answer]:
    """Return the answers: about the game, then about the person.

    Parameters
    ----------
    sheets
        What the files hold.
    uses
        For each app that is read the fields that are no answers.
    surveys
        Which of them are no games.
    names
        Each person's name in the study, by the code.
    notes
        Where to note questions that are named anew.
    """
    answers, about_person = _answers_in_apps(sheets, uses, surveys, names)
    columns = _questions(sheets.columns, "participant", _KNOWN)
    of_people: list[Answer] = [
        (names[code], None, question, row.cells[column])
        for code, row in sheets.people.items()
        for column, question in columns
        if column in row.cells
    ]
    asked_before = {question for _, _, question, _ in of_people}
    for question, parts in about_person.items():
        once = None if question in asked_before else _answered_once(parts)
        if once is None:
            notes.append(
                f"{question} was answered more than once in other words: the questions are named by app and round"
            )
        several = _named_by_place(question, parts) if once is None else [(question, once)]
        of_people += [(names[code], None, called, text) for called, given in several for code, text in given]
    return answers + of_people


def _answers_in_apps(
    sheets: Sheets, uses: Mapping[str, Collection[str]], surveys: Collection[str], names: Mapping[str, str]
) -> tuple[list[Answer], dict[str, _Parts]]:
    """Return the answers about the game, and those about the person by question."""
    answers: list[Answer] = []
    about_person: dict[str, _Parts] = defaultdict(lambda: defaultdict(list))
    questions = {app: _questions(sheets.fields[app], "player", _OWN, used) for app, used in uses.items()}
    of_person = {
        app: [asked for asked in several if app in surveys or asked[1] in ABOUT_THE_PERSON]
        for app, several in questions.items()
    }
    of_game = {app: [asked for asked in several if asked not in of_person[app]] for app, several in questions.items()}
    for turn in sheets.turns:
        cells, name, game = turn.cells, names[turn.person], turn.game
        answers += [(name, game, asked, cells[field]) for field, asked in of_game.get(turn.app, ()) if field in cells]
        for field, asked in of_person.get(turn.app, ()):
            if field in cells:
                about_person[asked][turn.app, turn.round].append((turn.person, cells[field]))
    return answers, about_person


def _questions(
    columns: Collection[str], level: str, known: Collection[str], used: Collection[str] = ()
) -> list[tuple[str, str]]:
    """Return the columns of a level that hold answers, each with its question."""
    parts = [(name, name.partition(".")) for name in columns if name not in used]
    return [
        (name, question)
        for name, (own_level, _, question) in parts
        if own_level == level and question not in known and not personal(question)
    ]


def _answered_once(parts: _Parts) -> _Given | None:
    """Return each person's answer, if nobody gave another one elsewhere."""
    first_answers: dict[str, str] = {}
    for given in parts.values():
        for person, text in given:
            if first_answers.setdefault(person, text) != text:
                return None
    return list(first_answers.items())


def _named_by_place(question: str, parts: _Parts) -> Iterator[tuple[str, _Given]]:
    """Yield the answers of each app and round under a name of their own."""
    rounds = Counter(app for app, _ in parts)
    for (app, number), given in parts.items():
        yield f"{app}.{number}.{question}" if rounds[app] > 1 else f"{app}.{question}", given
