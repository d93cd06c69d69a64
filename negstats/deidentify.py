"""Pseudonyms for the people and games in a study's tables, and which survey questions are free text."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Mapping

import pandas as pd

from negstats.tables import TABLES

__all__ = ["free_text_questions", "pseudonym", "tables"]

LONGEST_CHOICE = 40  # characters; the longest option that surveys of this field offer is shorter
SEATS = ("player", "proposer", "responder", "receiver", "sender")  # columns that name a seat
# What nobody's id is looked for in: what was said, and words of the package's own.
KEPT = {"text"} | {column.name for table in TABLES.values() for column in table.columns if column.levels}


def pseudonym(value: str, salt: str, prefix: str = "p") -> str:
    """Return `prefix` and 16 hexadecimal digits of HMAC-SHA-256 of `value` with the key `salt`.

    Examples
    --------
    >>> pseudonym("ann", "a long secret") == pseudonym("ann", "a long secret")
    True
    """
    return prefix + hmac.new(salt.encode(), f"{prefix}:{value}".encode(), hashlib.sha256).hexdigest()[:16]


def free_text_questions(answers: pd.DataFrame) -> list[str]:
    """Return the questions of an ``answers`` table whose answers are neither numbers nor a choice, or are the id.

    A choice: no answer is longer than `LONGEST_CHOICE`, and two people or more gave each distinct one on average.
    """
    given = answers.dropna(subset=["answer"])
    free = []
    for question, answer in given.groupby("question", sort=True)["answer"]:
        numbers = pd.to_numeric(answer, errors="coerce").notna().all()
        people = given.loc[answer.index].groupby("answer")["participant_id"].nunique()
        choice = answer.str.len().max() <= LONGEST_CHOICE and people.mean() >= 2
        own_id = (answer == given.loc[answer.index, "participant_id"]).all()
        if own_id or not (numbers or choice):
            free.append(str(question))
    return free


def tables(
    given: Mapping[str, pd.DataFrame], salt: str
) -> tuple[dict[str, pd.DataFrame], list[str], Callable[[str], str]]:
    """Return the tables with pseudonyms and without free-text answers, notes on it, and what renames ids in a text.

    Parameters
    ----------
    given
        The tables of a study, by name; they are not changed.
    salt
        The key of the pseudonyms.
    """
    ids = pd.concat([given["players"]["participant_id"], given["answers"]["participant_id"]]).dropna().unique()
    people = {value: pseudonym(value, salt) for value in ids}
    games = {value: pseudonym(value, salt, "g") for value in given["games"]["game_id"]}
    free = free_text_questions(given["answers"])
    kept = dict(given)
    kept["answers"] = given["answers"].loc[~given["answers"]["question"].isin(free)].reset_index(drop=True)
    dropped = len(given["answers"]) - len(kept["answers"])
    notes = [f"de-identified: {len(people)} people, {len(games)} games"]
    if free:
        notes.append(f"dropped {dropped} free-text answers to: {', '.join(free)}")
    whole = {"game_id": games, "participant_id": people}
    seated = given["players"].dropna(subset=["participant_id"])
    if (seated["player"] == seated["participant_id"]).all():
        whole |= dict.fromkeys(SEATS, people)
    whole |= dict.fromkeys(_factors_that_are_people(given["games"], seated), people)
    # A number is an id in a column of ids only: elsewhere 7 is an age, a round, an answer.
    words = {value: name for value, name in people.items() if not value.isdecimal()}
    renamed = {name: _renamed(frame, whole, words) for name, frame in kept.items()}
    return renamed, notes, lambda text: _in_text(_in_text(text, games), words)


def _factors_that_are_people(games: pd.DataFrame, seated: pd.DataFrame) -> list[str]:
    """Return the factors that name, in every game where they are known, somebody who plays in it."""
    present = set(zip(seated["game_id"], seated["participant_id"], strict=True))
    factors = [name for name in games.columns if name not in TABLES["games"].names]
    known = {name: games[["game_id", name]].dropna().astype("str") for name in factors}
    return [
        name for name, pairs in known.items() if len(pairs) and set(pairs.itertuples(index=False, name=None)) <= present
    ]


def _renamed(frame: pd.DataFrame, whole: Mapping[str, Mapping[str, str]], words: Mapping[str, str]) -> pd.DataFrame:
    columns = {}
    for name in frame.columns:
        values = frame[name]
        if name in whole:
            columns[name] = _replaced(values.astype("str"), whole[name])
        elif name not in KEPT and not pd.api.types.is_numeric_dtype(values) and values.dtype.kind != "M":
            texts = [value for value in values.dropna().unique() if isinstance(value, str)]
            changed = {text: new for text in texts if (new := _in_text(text, words)) != text}
            columns[name] = _replaced(values.astype("str"), changed) if changed else values
        else:
            columns[name] = values
    return pd.DataFrame(columns)


def _in_text(text: str, names: Mapping[str, str]) -> str:
    """Return a text with pseudonyms for the ids in it that no letter or digit continues; the longest first.

    >>> _in_text("ann-bob and anna", {"ann": "p1", "bob": "p2"})
    'p1-p2 and anna'
    """
    if text in names:
        return names[text]
    found = sorted((name for name in names if name in text), key=len, reverse=True)
    if not found:
        return text
    either = "|".join(map(re.escape, found))
    return re.sub(rf"(?<![^\W_])(?:{either})(?![^\W_])", lambda match: names[match[0]], text)


def _replaced(values: pd.Series, names: Mapping[str, str]) -> pd.Series:
    known = values.isin(list(names))
    return values.where(~known, values.map(names)).astype(values.dtype)
