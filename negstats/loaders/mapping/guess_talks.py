"""Guessing who speaks in talks, and when: seats as numbers, turns that begin with a name and a colon, moments."""

from __future__ import annotations

import re

import pandas as pd

from negstats.loaders.mapping.columns import Columns, are_named, are_whole, words_of
from negstats.loaders.mapping.guess_result import MOST_SEATS, Guess

_NAMED_TURN = r"\s*([^\W\d][\w .-]{0,24}?)\s*:"
_MOSTLY = 0.9  # of the turns


def set_seat_names(mapping_guess: Guess, columns: Columns, player: str | None) -> None:
    """Call seats that are numbers, 0 and 1, by the words of a list that stands beside the talk: buyer and seller."""
    if player is None or not are_whole(columns.of[player]):
        return
    numbers = sorted(words_of(columns.of[player]), key=float)
    for name, words in columns.beside.items():
        if len(words) == len(numbers) and [float(number) for number in numbers] == list(range(len(words))):
            mapping_guess.levels["player"] = {word: [number] for word, number in zip(words, numbers, strict=True)}
            mapping_guess.evidence["players.player"] = f"its numbers are the places of {', '.join(words)} in {name}"
            columns.of[player] = columns.of[player].map(dict(zip(numbers, words, strict=True)))
            return


def set_named_turns(mapping_guess: Guess, columns: Columns, text_column: str) -> None:
    """Take the name before a colon for who speaks, where nearly all turns begin with one of a few."""
    speakers = _read_speakers(columns.of[text_column])
    if not speakers:
        return
    mapping_guess.keys["players.player"] = {"column": text_column, "clean": r"(?s)\s*:.*$"}
    mapping_guess.keys["messages.text"] = {"column": text_column, "clean": r"^[^:]{1,26}:\s?"}
    mapping_guess.evidence["players.player"] = f"each turn begins with one of {', '.join(speakers)}"


def _read_speakers(turns: pd.Series) -> list[str]:
    """Return the names with which turns begin; none if they are not a few.

    Examples
    --------
    >>> _read_speakers(pd.Series(["Ann: no", "Ben: yes: really", "Ann: well"])), _read_speakers(pd.Series(["a", "b"]))
    (['Ann', 'Ben'], [])
    """
    words = turns.dropna()
    names = [match[1] for turn in words if (match := re.match(_NAMED_TURN, turn))]
    speakers = list(dict.fromkeys(names))
    return speakers if len(names) >= _MOSTLY * len(words) and 2 <= len(speakers) <= MOST_SEATS else []


_STAMP = r"(.*_)?(time_?stamp|time|ts|date_?time|created(_at)?|sent_at)"
_MOMENT = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*"


def set_clock(mapping_guess: Guess, columns: Columns) -> None:
    """Take dates with times, a moment each row of what happened in a game, for the time since it began."""
    tables = {"offer": ["offers"], "message": ["messages"], "event": ["offers", "messages"]}.get(mapping_guess.row, [])
    if not tables or any(f"{table}.time_s" in mapping_guess.keys for table in tables):
        return

    def are_moments(values: pd.Series) -> bool:
        return are_named(values) and bool(values.dropna().str.fullmatch(_MOMENT).all())

    name = columns.find([_STAMP], are_moments)
    if name is not None:
        for table in tables:
            mapping_guess.keys[f"{table}.time_s"] = {"column": name, "clock": True}
