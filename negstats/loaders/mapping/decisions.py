"""Guessing what names a game where each row is a decision of its own: a responder's answers to one offer after another.

A bargain has one acceptance at the most, which ends it. Where rows that seem to be one game hold both answers several
times, each of them is a game: a person's rounds, whatever the column is called that they have in common.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from negstats.loaders.mapping.columns import Columns, words_of
from negstats.loaders.mapping.words import FILE, ROW, english, levels_of, plain

_OFTEN = 0.25  # of the games in which both answers stand more than once
_LEAST = 3  # rows of a game that are looked at
_SOME = 0.1  # of the rows that may repeat a name


@dataclass(frozen=True, slots=True)
class Naming:
    """The columns that name each row together, and why these."""

    names: list[str]
    why: str


def are_decisions(answers: pd.Series, game: Sequence[pd.Series] | None) -> bool:
    """Whether rows with these answers are games of their own; `game` holds the columns that would name a game.

    Examples
    --------
    >>> rows = pd.Series(["yes", "no"] * 4)
    >>> are_decisions(rows, [pd.Series(["a"] * 8)]), are_decisions(pd.Series(["no", "yes"]), [pd.Series(["a", "a"])])
    (True, False)
    """
    words = list(dict.fromkeys(answers.dropna()))
    if len(words) != 2:
        answer_levels = levels_of("response", words) if words else None
        if answer_levels is None or not {"accepted", "rejected", "none"} >= answer_levels.keys():
            return False
    if game is None:
        return True
    if not len(game):
        return len(answers) >= 2 * _LEAST
    keys = pd.DataFrame({str(at): values.fillna("") for at, values in enumerate(game)})
    groups = keys.groupby(list(keys.columns), sort=False).ngroup()
    counts = pd.crosstab(groups, answers)
    counts = counts[counts.sum(axis=1) >= _LEAST]
    if counts.empty:
        return False
    if len(words) > 2:
        spelled = levels_of("response", words) or {}
        words = [word for level in ("accepted", "rejected") for word in spelled.get(level, ())]
        counts = counts[words]
    shares_of_games = (counts >= 2).mean(axis=0)
    return bool(len(words) == 2 and shares_of_games.min() > _OFTEN)


def naming(
    of: Mapping[str, pd.Series],
    person: str | None,
    number: str | None,
    others: Sequence[str],
    repeats: Callable[[list[str]], bool],
    *,
    several_files: bool,
) -> Naming:
    """Return what names each row: person and round, with a phase if they need one, else the row itself.

    Parameters
    ----------
    of
        The columns.
    person, number
        The columns of the person and of the round.
    others
        Columns such as a block, which with person and round may name a row.
    repeats
        Whether two rows agree on all of some columns.
    several_files
        Whether there are more files, in which the same names may stand.
    """
    start = [FILE] if several_files else []
    if person is None:
        return Naming([*start, ROW], "nobody is named, so each row is a game")
    start = [*start, person]
    if number is None:
        return Naming([*start, ROW], f"{person} stands in several rows, and no column numbers them: each row is a game")
    if not repeats([person, number]):
        return Naming([*start, number], f"{person} and {number} name each row")
    for other in others:
        if not repeats([person, other, number]):
            return Naming([*start, other, number], f"{person}, {other} and {number} name each row")
    frame = pd.DataFrame({name: of[name].fillna("") for name in (person, number)})
    n_repeats = int(frame.duplicated().sum())
    what = f"{person} and {number} repeat in {n_repeats} of {len(frame)} rows"
    share = "a few" if n_repeats <= _SOME * len(frame) else "many"
    return Naming([*start, ROW], f"{what}, {share}: each row is taken for a game")


_ANSWER_TO = r"(.*_)?(accept(ed|s|ance|able)?|agree|offer|would_accept)(_(of|at|offer|if|for))?"
_TRUTHS = {"0", "1", "yes", "no", "true", "false"}
_LEAST_AMOUNTS = 3
_RISING = 0.7  # of the people answer yes to all amounts above the least that they accept


def find_answers_to_amounts(columns: Columns) -> str | None:
    """Return what columns begin with that hold a yes or no to each amount: ``accept_`` of accept_0, accept_1, ...

    Those who accept an amount accept larger ones, or nearly all do: else the numbers count something else.
    """
    families: dict[str, dict[float, str]] = defaultdict(dict)
    for name in columns.plain:
        number = re.fullmatch(r"(.*?)(\d+(?:\.\d+)?)", name)
        if number and name not in columns.taken and re.fullmatch(_ANSWER_TO, english(plain(number[1]))):
            families[number[1]][float(number[2])] = name
    for prefix, names in families.items():
        answers = pd.DataFrame({amount: columns.of[names[amount]].str.strip().str.lower() for amount in sorted(names)})
        words = {word for amount in answers for word in words_of(answers[amount])}
        if len(names) < _LEAST_AMOUNTS or not words or not words <= _TRUTHS:
            continue
        accepts = answers.isin(["1", "yes", "true"]).astype(int)
        is_rising = (accepts.diff(axis=1).iloc[:, 1:] >= 0).all(axis=1)
        if is_rising.mean() >= _RISING and accepts.iloc[:, -1].mean() > accepts.iloc[:, 0].mean():
            return prefix
    return None
