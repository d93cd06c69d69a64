"""Pseudonyms for the people and games in a study's tables, and which survey questions are free text."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

import pandas as pd

__all__ = ["free_text_questions", "pseudonym", "tables"]

LONGEST_CHOICE = 40  # characters; the longest option that surveys of this field offer is shorter


def pseudonym(value: str, salt: str, prefix: str = "p") -> str:
    """Return `prefix` and 16 hexadecimal digits of HMAC-SHA-256 of `value` with the key `salt`.

    Examples
    --------
    >>> pseudonym("ann", "a long secret") == pseudonym("ann", "a long secret")
    True
    """
    return prefix + hmac.new(salt.encode(), f"{prefix}:{value}".encode(), hashlib.sha256).hexdigest()[:16]


def free_text_questions(answers: pd.DataFrame) -> list[str]:
    """Return the questions of an ``answers`` table whose answers are neither numbers nor a choice.

    A choice: no answer is longer than `LONGEST_CHOICE`, and two people or more gave each distinct one on average.
    """
    given = answers.dropna(subset=["answer"])
    free = []
    for question, answer in given.groupby("question", sort=True)["answer"]:
        numbers = pd.to_numeric(answer, errors="coerce").notna().all()
        people = given.loc[answer.index].groupby("answer")["participant_id"].nunique()
        choice = answer.str.len().max() <= LONGEST_CHOICE and people.mean() >= 2
        if not numbers and not choice:
            free.append(str(question))
    return free


def tables(given: Mapping[str, pd.DataFrame], salt: str) -> tuple[dict[str, pd.DataFrame], list[str]]:
    """Return the tables with pseudonyms and without free-text answers, and notes on what was done.

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
    return {name: _renamed(frame, people, games) for name, frame in kept.items()}, notes


def _renamed(frame: pd.DataFrame, people: Mapping[str, str], games: Mapping[str, str]) -> pd.DataFrame:
    columns = {}
    for name in frame.columns:
        values = frame[name]
        if name == "game_id":
            columns[name] = _replaced(values, games)
        elif name != "text" and isinstance(values.dtype, pd.StringDtype):
            columns[name] = _replaced(values, people)
        else:
            columns[name] = values
    return pd.DataFrame(columns)


def _replaced(values: pd.Series, names: Mapping[str, str]) -> pd.Series:
    known = values.isin(list(names))
    return values.where(~known, values.map(names)).astype(values.dtype)
