"""Which factors and questions tell who took part, and what is said of those that stay."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import pandas as pd

from negstats.errors import shown
from negstats.studies.given_names import GIVEN_NAMES
from negstats.studies.identifiers import (
    LINKING,
    kind_of_column,
    words_of,
)
from negstats.studies.pseudonyms import LONG_NUMBER, NUMBER_WITHIN, Names, spelled
from negstats.tables import TABLES

# Words in the name of a column that holds people.
_PERSON_WORDS = {
    *("partner", "opponent", "counterpart", "participant", "subject", "person", "teammate", "player", "worker", "user"),
    *("respondent", "student", "buyer", "seller", "proposer", "responder", "customer", "provider", "host", "guest"),
    *("friend", "rival", "other", "id", "pid", "uid", "dyad", "pair", "group"),
}
_NOT_PEOPLE = {
    *(
        "year",
        "date",
        "age",
        "points",
        "score",
        "trial",
        "round",
        "order",
        "session",
        "seed",
        "price",
        "payoff",
        "amount",
    ),
    *("duration", "seconds", "time", "budget", "pie", "value", "number", "count", "phase", "part", "size"),
}
LONGEST_CHOICE = 40  # characters; the longest option that surveys of this field offer is shorter
FEWEST_SENTENCES = 5  # different ones of four words or more, each once, are not a list of conditions
MOST_CHOICES = 12  # from which on a list of options is long, and its rare answers are looked at


def free_text_questions(answers: pd.DataFrame) -> list[str]:
    """Return the questions of an ``answers`` table whose answers are neither numbers nor a choice, or are the id.

    A choice: no answer is longer than `LONGEST_CHOICE`, two people or more gave each distinct one on average, and of a
    long list of them no third was given by one person only.
    """
    answer_rows = answers.dropna(subset=["answer"])
    free_questions = []
    for question, answer in answer_rows.groupby("question", sort=True)["answer"]:
        is_numeric = pd.to_numeric(answer, errors="coerce").notna().all()
        people = answer_rows.loc[answer.index].groupby("answer")["participant_id"].nunique()
        has_many_unique = len(people) > MOST_CHOICES and (people == 1).mean() > 1 / 3
        is_choice = answer.str.len().max() <= LONGEST_CHOICE and people.mean() >= 2 and not has_many_unique
        is_own_id = (answer.map(spelled) == answer_rows.loc[answer.index, "participant_id"].map(spelled)).mean() > 0.5
        if is_own_id or not (is_numeric or is_choice):
            free_questions.append(str(question))
    return free_questions


def drop_identifying(
    games: pd.DataFrame, untouched: Collection[str], year: int | None, notes: list[str]
) -> tuple[pd.DataFrame, list[str]]:
    """Return the games without factors that tell who somebody is, and which factors are ids that only link."""
    identifying, linking = [], []
    for name in games.columns:
        if name in TABLES["games"].names or name in untouched:
            continue
        look = kind_of_column(name, games[name], year=year)
        if look is None and _is_free_text(games[name]):
            look = "free text"
        if look == LINKING:
            linking.append(name)
            notes.append(f"the factor {shown(name)} looks like {look}: pseudonyms now")
        elif look is not None:
            identifying.append(name)
            notes.append(f"dropped the factor {shown(name)}: it looks like {look}")
    return games.drop(columns=identifying), linking


def _is_free_text(values: pd.Series) -> bool:
    """Whether a factor holds sentences: of several words, longer than a choice or many, and few of them twice."""
    texts = values.dropna()
    if values.dtype.kind in "biufcmM" or not len(texts):
        return False
    texts = texts.astype("str")
    is_seldom_repeated = len(texts) < 2 * texts.nunique()
    is_long = (texts.str.count(r"\s") >= 3) & (texts.str.len() > LONGEST_CHOICE)
    has_many_values = texts.nunique() > MOST_CHOICES and texts.str.contains(r"\s").mean() > 0.5
    are_sentences = texts.nunique() >= FEWEST_SENTENCES and (texts.str.count(r"[^\W\d_]{2,}") >= 4).mean() > 0.5
    is_prose = has_many_values or (are_sentences and texts.is_unique)
    return bool(is_seldom_repeated and (is_long.any() or is_prose))


def drop_identifying_questions(
    answers: pd.DataFrame, people: Names, keep: Collection[str], year: int | None, notes: list[str]
) -> tuple[pd.DataFrame, list[str]]:
    """Return the answers that do not tell who somebody is, and the questions whose answers are ids of people."""
    # Answers that name people become pseudonyms where all are ids, else they are dropped.
    identifying, id_questions = {}, []
    for question, answer in answers.groupby("question", sort=True)["answer"]:
        if question in keep:
            continue
        look = kind_of_column(str(question), answer, unique_is_an_id=False, year=year)
        if share_of_people(str(question), answer, people) == 1:
            id_questions.append(str(question))
        elif look is not None:
            identifying[str(question)] = look
    notes += [
        f"dropped the answers to {shown(question)}: they look like {look}" for question, look in identifying.items()
    ]
    notes += [f"the answers to {shown(question)} are ids of people: pseudonyms now" for question in id_questions]
    # Free text is dropped too, as anything may stand in it.
    remaining = answers.loc[~answers["question"].isin(list(identifying))]
    free_questions = [
        question for question in free_text_questions(remaining) if question not in keep and question not in id_questions
    ]
    if free_questions:
        number = int(remaining["question"].isin(free_questions).sum())
        notes.append(f"dropped {number} free-text answers to: {', '.join(free_questions)}")
    return remaining.loc[~remaining["question"].isin(free_questions)].reset_index(drop=True), id_questions


def describe_remaining(
    games: pd.DataFrame,
    answers: pd.DataFrame,
    renamed: Collection[str],
    id_questions: Collection[str],
    keep: Collection[str],
) -> list[str]:
    """Return notes that name every factor and every question that stays, and what it holds."""
    notes = []
    factors = [name for name in games.columns if name not in TABLES["games"].names and name not in renamed]
    if factors:
        descriptions = ", ".join(f"{_format_name(name)} ({_describe_values(games[name])})" for name in factors)
        notes.append(f"factors kept: {descriptions}")
    questions = {
        str(question): answer
        for question, answer in answers.groupby("question")["answer"]
        if question not in id_questions
    }
    if questions:
        descriptions = ", ".join(
            f"{_format_name(question)} ({_describe_values(answer)})" for question, answer in questions.items()
        )
        notes.append(f"answers kept: {descriptions}")
    kept_on_request = [name for name in keep if name in factors or name in questions]
    if kept_on_request:
        notes.append(f"kept because you said so: {', '.join(map(shown, kept_on_request))}")
    with_unique_answers = [
        question
        for question, answer in questions.items()
        if (answer.value_counts() == 1).any() and not pd.to_numeric(answer, errors="coerce").notna().all()
    ]
    if with_unique_answers:
        notes.append(f"an answer that only one person gave is in: {', '.join(map(_format_name, with_unique_answers))}")
    doubtful = [name for name in (*factors, *questions) if name not in keep and set(words_of(name)) & GIVEN_NAMES]
    if doubtful:
        notes.append(f"a given name is part of the name of: {', '.join(map(shown, doubtful))}")
    return [*notes, *_describe_unique_people(answers, questions)]


def _format_name(name: str) -> str:
    return name if re.fullmatch(r"[\w.-]{1,60}", name) else shown(name)


def _describe_values(values: pd.Series) -> str:
    """Return in words what a column holds.

    >>> [_describe_values(pd.Series(values)) for values in (["a", "b", "a"], [1.5, 3], ["7", "9"])]
    ['2 values', 'numbers from 1.5 to 3', 'numbers from 7 to 9']
    """
    present = values.dropna()
    if not len(present):
        return "nothing"
    if present.dtype.kind == "M":
        return "times"
    numbers = None if present.dtype.kind == "b" else pd.to_numeric(present.astype("str"), errors="coerce")
    if numbers is not None and numbers.notna().all():
        return f"numbers from {numbers.min():.12g} to {numbers.max():.12g}" if numbers.nunique() > 1 else "one number"
    return "one value" if present.nunique() == 1 else f"{present.nunique()} values"


def _describe_unique_people(answers: pd.DataFrame, questions: Mapping[str, pd.Series]) -> list[str]:
    """Return a note on how many people are the only ones with their answers about the person, taken together."""
    person_answers = answers[answers["game_id"].isna() & answers["question"].isin(list(questions))]
    person_answers = person_answers.drop_duplicates(["participant_id", "question"])
    wide_frame = person_answers.pivot_table(
        aggfunc="first", index="participant_id", columns="question", values="answer"
    )
    if len(wide_frame) < 2 or len(wide_frame.columns) < 2:
        return []
    n_unique = int((~wide_frame.fillna("").duplicated(keep=False)).sum())
    return (
        [f"{n_unique} of {len(wide_frame)} people are the only ones with their answers taken together"]
        if n_unique
        else []
    )


def share_of_people(name: str, values: pd.Series, people: Names) -> float:
    """Return the share of a column's whole numbers that are ids of people, 1 if it is taken to name people.

    Short numbers are ids by accident too (ages, orders): they name people only in a column called after people.
    """
    texts = pd.unique(values.dropna().astype("str"))
    # Whole numbers, or those within texts where most texts hold one.
    numbers = [text for text in texts if re.fullmatch(r"\s*\d+(?:\.0+)?\s*", text)]
    if not numbers or len(numbers) < 0.5 * len(texts):
        numbers = [number for text in texts for number in NUMBER_WITHIN.findall(text)]
        if sum(NUMBER_WITHIN.search(text) is not None for text in texts) < 0.5 * len(texts):
            return 0.0
    words = set(words_of(name))
    ids = [text for text in numbers if people.of_number(text) is not None]
    share, are_long = len(ids) / len(numbers), all(len(spelled(text)) >= LONG_NUMBER for text in ids)
    if not ids or words & _NOT_PEOPLE:
        return 0.0
    # Taken to name people: by the name of the column, or because its long numbers are nearly all ids.
    has_person_name = bool(words & _PERSON_WORDS) and (are_long or len(ids) >= max(3, 0.1 * len(people.exact)))
    is_frequent = are_long and len(ids) >= 0.1 * len(people.exact)
    if share >= 0.5 and (has_person_name or (share >= 0.9 and is_frequent)):
        return 1.0
    return share if are_long and share >= 0.5 else 0.0
