"""Guessing factors and measures, which are the same throughout a game, and questions of a survey."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pandas as pd

from negstats.loaders.mapping.columns import MOST_LEVELS, Columns, are_few, are_numbers, words_of
from negstats.loaders.mapping.guess_names import PERSON
from negstats.loaders.mapping.keys import quoted, short
from negstats.loaders.mapping.words import MARK, SIGNS
from negstats.tables import TABLES

if TYPE_CHECKING:
    from negstats.loaders.mapping.guess_result import Guess

_FACTOR = (
    r"(.*_)?(condition|treatment|cond|country|culture|framing|frame|reward|gender_pair|arm|manipulation|channel|medium"
    r"|opponent|partner_type|emotion|incentive|block|group_type|experiment|site|location|power|year|wave|cohort)(_name|_label)?"
)
_ANSWER = (
    r"(.*_)?(satisfaction|beliefs?|expectations?|confidence|likeness|likeability|likeable|comments?|feedback|fairness|fair|trust|svo|rating|q\d+|anger|"
    r"happiness|mood|arousal|valence|rapport)(_?(rating|score|\d+))?"
)
_MEASURE = (
    r"(.*_)?social_\w+|(.*_)?(joint|total|nash|pareto|product|welfare|surplus|duration|elapsed|seconds|minutes|ms|length|turns?|"
    r"contrib\w*|cont|effort|invest(ed|ment)?|offers|messages|words|count|distance|rate|share|ratio|time|price|pie|stake|satisfaction|fairness|trust|rapport)(_.*)?"
)
# What no quantity is, whatever numbers stand there: names, places and moments.
_NAME = (
    r".*index|game|group|pair|dyad|match|session|seat|player|subject|participant|person|partner|(.*_)?(id|uuid|guid|code|hash|key|index|idx|seed|zip|plz|ip|ip_?address|latitude|longitude|lat|lon|date|datetime|"
    r"timestamp|stamp|created|updated|email|phone|version|row|line|nr|no|num|number|trial|round|order|year)(_\d+)?"
)
_MOMENT = r"(.*_)?(id|date|datetime|timestamp|email|phone|ip|version)"
_NAMED = r"(id|nr|code|index)_.*|(.*_)?(id|index)_in_.*|(.*_)?(current|max|is|has|visited|page)_.*"
_YES_NO = r"(is|has|did|was|chose)_.*|(.*_)?(cooperated?|coop|trusted|punished|lied|deceived|helped|reciprocated)"
_POINTS = r"(?!.*(?:product|joint|social|total))(.*_)?(points|payoff|score|earnings)"  # what a seat has at the end
_MARKED = rf"[_ ]{re.escape(MARK)}$|^{re.escape(MARK)}[_ ]"  # a condition in a column's name
_MOST_MEASURES = 30  # more numbers than this are a survey's, and only those with a measure's name are taken
_ELEMENT = re.compile(r".*\[[0-9]+\]")
_LONGEST_LEVEL = 60
_STAMPED = r"(.*_)?(time|start|stop|end|begin|started|ended|updated|epoch)(_.*)?"
_STAMP = 1e9  # a number from here on may be a Unix time
_FEWEST = 2  # rows of each level of a factor
_LONG = 20  # rows from which on whole numbers that rise from each to the next number the rows, with gaps or without


def set_open(guess: Guess, columns: Columns, game: object) -> None:
    """Find factors and measures, which are the same throughout a game, and questions of a survey."""
    game_columns = game if isinstance(game, list) else None
    has_people = "players.participant_id" in guess.keys
    numbers = [
        name for name in columns.plain if name not in columns.taken and _is_number(name, columns, game_columns, guess)
    ]
    has_many_measures = len(numbers) > _MOST_MEASURES
    people = [key for key in guess.keys if key.startswith("seats.") and key.endswith(".participant_id")]
    seat = people[0].removesuffix(".participant_id") if len(people) == 1 else None  # the only one who can answer
    for name, own in columns.plain.items():
        if name in columns.taken or name.rpartition(".")[2].startswith("_") or _ELEMENT.fullmatch(name):
            continue  # a program's own, or an element of a list in it: X[1], X[2], ...
        key = quoted(short(re.sub(_MARKED, "", name)))
        of_person = re.fullmatch(PERSON, own) is not None
        is_item = has_people and _is_item(name, columns)
        if _is_factor(name, columns, game_columns) and not is_item and not (of_person and (has_people or seat)):
            if _is_of_deal(name, columns, guess):
                guess.agreed_issues.append(name)
            elif key not in TABLES["games"].names and name not in SIGNS:
                guess.keys[f"factors.{key}"] = name
                guess.evidence[f"factors.{key}"] = _levels(columns.of[name])
        elif has_people and (of_person or re.fullmatch(_ANSWER, own) or is_item):
            if columns.of[name].notna().any():
                section = "person" if of_person and _is_once_a_person(name, columns, guess) else "answers"
                guess.keys[f"{section}.{key}"] = name
        elif seat and (of_person or re.fullmatch(_ANSWER, own)) and columns.of[name].notna().any():
            guess.keys[f"{seat}.{'person' if of_person else 'answers'}.{key}"] = name
        elif game_columns is not None and re.fullmatch(_YES_NO, own) and _are_yes_no(columns.of[name]):
            guess.keys[f"measures.{key}"] = {"column": name, "kind": "yes/no"}
        elif (
            name in numbers
            and (not has_many_measures or re.fullmatch(_MEASURE, own))
            and key not in TABLES["games"].names
        ):
            is_of_seats = game_columns is not None and not columns.says_one([name], game_columns)
            guess.keys[f"measures.{key}"] = {"column": name, "per": "player"} if is_of_seats else name


def names_no_quantity(own: str) -> bool:
    """Whether a column is called as a name, a place or a moment is, whatever numbers stand there."""
    return re.fullmatch(f"{_NAME}|{_NAMED}|{PERSON}", own) is not None


def _is_of_deal(name: str, columns: Columns, guess: Guess) -> bool:
    """Whether a column is empty in just the games that ended without agreement: it says what was agreed."""
    ended, spelled = guess.keys.get("games.ended"), guess.levels.get("ended", {})
    if not isinstance(ended, str) or "agreement" not in spelled or len(spelled) < 2:
        return False
    agreed = columns.of[ended].isin(spelled["agreement"])
    return bool((columns.of[name].notna() == agreed).all()) and not bool(agreed.all())


def _are_yes_no(values: pd.Series) -> bool:
    """Whether there are two words, and they are yes and no, or true and false."""
    return {word.lower() for word in words_of(values)} in ({"true", "false"}, {"yes", "no"})


def _levels(values: pd.Series) -> str:
    counts = values.value_counts(sort=False)
    return ", ".join(f"{level} {count}" for level, count in counts.items()) if len(counts) <= MOST_LEVELS else ""


def _is_factor(name: str, columns: Columns, game_columns: list[str] | None) -> bool:
    """Whether a column has few levels, each in several rows, that are the same throughout a game."""
    values, own = columns.of[name], columns.plain[name]
    if not are_few(values) or (game_columns is not None and columns.varies([name], game_columns)):
        return False
    if re.fullmatch(_FACTOR, own):
        return True
    if game_columns is not None and len(game_columns) > 2 and name in game_columns:
        return True  # it tells the rows of a person apart
    no_factor = f"{_ANSWER}|{_NAMED}|{_MEASURE}|(.*_)?visited"
    if re.fullmatch(f"{no_factor}|{_NAME}" if are_numbers(values) else no_factor, own) or re.fullmatch(_MOMENT, own):
        return False
    words, counts = words_of(values), values.value_counts()
    if game_columns is None or len(words) < 2 or counts.min() < _FEWEST:
        return False
    if are_numbers(values):
        return len(words) == 2 and set(pd.to_numeric(values.dropna())) <= {0, 1, 2}
    return len(words) <= MOST_LEVELS / 2 and max(map(len, words)) <= _LONGEST_LEVEL


def _is_once_a_person(name: str, columns: Columns, mapping_guess: Guess) -> bool:
    person = mapping_guess.keys.get("players.participant_id")
    people = person if isinstance(person, list) else [person] if isinstance(person, str) else None
    return people is None or not columns.varies([name], people)


def _is_item(name: str, columns: Columns) -> bool:
    """Whether a column is one of at least three items of a scale: SVI_1, SVI_2, ...; an end may be 5 always."""
    item = re.fullmatch(r"([A-Za-z]{2,12})_?\d{1,3}", name)
    words = words_of(columns.of[name])
    if not item or not are_few(columns.of[name]) or not all(re.match(r"\s*\d", word) for word in words):
        return False
    alike = [other for other in columns.of if re.fullmatch(re.escape(item[1]) + r"_?\d{1,3}", other)]
    return len(alike) >= 3 and "round" not in item[1].lower()


def _is_number(name: str, columns: Columns, game_columns: list[str] | None, mapping_guess: Guess) -> bool:
    """Whether a column of numbers may be a measure: it differs, and it is neither a name nor a moment."""
    values, own = columns.of[name], columns.plain[name]
    if game_columns is None or not are_numbers(values):
        return False
    of_seats = (
        mapping_guess.row == "player" and "players.participant_id" in mapping_guess.keys and not mapping_guess.keep
    )
    if columns.varies([name], game_columns) and not of_seats:
        return False
    if re.fullmatch(_POINTS, own):
        return False
    if float(pd.to_numeric(values.dropna()).abs().max()) >= _STAMP and re.fullmatch(_STAMPED, own):
        return False
    if re.fullmatch(_MEASURE, own) and not re.fullmatch(r"(.*_)?(id|code|index)", own):
        return True
    numbers = pd.to_numeric(values.dropna())
    steps = numbers.diff().dropna()
    rises = len(numbers) > _LONG and bool((steps > 0).all() and (numbers % 1 == 0).all())
    is_row_count = len(numbers) > _FEWEST and (rises or bool((steps == 1).all()))
    return (
        not names_no_quantity(own)
        and numbers.nunique() > 1
        and not is_row_count
        and float(numbers.abs().max()) < _STAMP
    )
