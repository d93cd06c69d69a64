"""Guessing how the levels of a column are spelled: an answer, an end, a kind of seat, an event."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd

from negstats.loaders.mapping.columns import (
    Columns,
    are_numbers,
    words_of,
)
from negstats.loaders.mapping.guess_result import Guess
from negstats.loaders.mapping.words import level_of, levels_of, plain


def is_of_game(mapping_guess: Guess, columns: Columns, name: str, game: object) -> bool:
    """Whether a column says the same on all rows of games that have several: it answers no offer."""
    has_several_rows = (
        mapping_guess.row in ("offer", "event", "message") and isinstance(game, list) and columns.repeats(game)
    )
    return has_several_rows and isinstance(game, list) and not columns.varies([name], game)


def set_levels(mapping_guess: Guess, columns: Columns, event: str | None) -> None:
    """Find how levels are spelled; a column with words that stand for no level is not that column."""
    player = mapping_guess.keys.get("players.player")
    if isinstance(player, str) and all(level_of("kind", word) for word in words_of(columns.of[player])):
        mapping_guess.keys["players.kind"] = player
    for key in ("offers.response", "games.ended", "players.kind", "event"):
        name, level = mapping_guess.keys.get(key), key.rpartition(".")[2]
        if not isinstance(name, str):
            continue
        if _is_coded(key, name, columns):
            del mapping_guess.keys[key]
            mapping_guess.questions[key] = name
            continue
        spelled = levels_of(level, words_of(columns.of[name]), "ignore" if event and key == "event" else None)
        if spelled and key in _NAMES_THE_OTHER and _is_named(_NAMES_THE_OTHER, key, name, columns):
            spelled = _swap(spelled, *_PAIRS[level])
        if key == "event" and spelled:
            _set_agreeing_apart(spelled, "message" if "messages.text" in mapping_guess.keys else "ignore")
        if key == "event" and spelled and "messages.text" in mapping_guess.keys and columns.of[name].isna().any():
            spelled.setdefault("message", []).append("")
        if spelled is None:
            del mapping_guess.keys[key]
        else:
            mapping_guess.levels[level] = spelled
        if spelled and are_numbers(columns.of[name]):
            mapping_guess.doubts[level] = name


# What a column of 0 and 1, or of yes and no, may be called that says by its name what 1 means, or what it does not.
_NO = r"(?:.*_)?(?:no|not|non|un|without)_?"
_NAMES_THE_LEVEL = {
    "offers.response": rf"(?!{_NO}(?:accept|agree))(.*_)?(accept(ed|ance)?|agreed)",
    "games.ended": rf"(?!{_NO}(?:agree|deal))(.*_)?(agree|agreed|agreement|deal)(_?(reached|made))?"
    r"|(reached|made)_(deal|agreement)",
}
# Of a game with one offer the same column is the answer to it, so that these hold of both.
_NAMES_THE_OTHER = dict.fromkeys(
    _NAMES_THE_LEVEL,
    rf"{_NO}(accept|accepted|agree|agreed|agreement|deal)(_reached)?"
    r"|(.*_)?(reject(ed|ion)?|refus(ed|al)|declined?|impasse|stalemate|deadlock|disagreement)",
)
_PAIRS = {"response": ("accepted", "rejected"), "ended": ("agreement", "disagreement")}
_TRUTHS = {"0", "1", "yes", "no", "true", "false", "y", "n", "t", "f"}


def _set_agreeing_apart(spelled: dict[str, list[str]], other: str) -> None:
    """Count an act of agreeing as talk where accepting is an act of its own."""
    accepting = [word for word in spelled.get("accept", ()) if plain(word).startswith("accept")]
    agreeing = [word for word in spelled.get("accept", ()) if plain(word).startswith("agree")]
    if accepting and agreeing:
        spelled["accept"] = [word for word in spelled["accept"] if word not in agreeing]
        spelled.setdefault(other, []).extend(agreeing)


def _is_named(names: Mapping[str, str], key: str, name: str, columns: Columns) -> bool:
    """Whether a column of truth values says by its name which level a 1 is, as `names` spells it."""
    words = {word.strip().lower().removesuffix(".0") for word in words_of(columns.of[name])}
    return words <= _TRUTHS and re.fullmatch(names[key], columns.plain[name]) is not None


def _swap(spelled: dict[str, list[str]], one: str, other: str) -> dict[str, list[str]]:
    """Return the levels with the words of two of them changed over."""
    names = {one: other, other: one}
    return {names.get(level, level): words for level, words in spelled.items()}


def may_be_codes(values: pd.Series) -> bool:
    """Whether words, or two or three numbers that follow each other, may be answers; others are amounts or scales.

    Examples
    --------
    >>> [may_be_codes(pd.Series(codes)) for codes in (["0", "1"], ["1", "2", "3"], ["1", "3", "5"], ["yes", "no"])]
    [True, True, False, True]
    """
    if not are_numbers(values):
        return True
    numbers = set(pd.to_numeric(values.dropna()))
    return len(numbers) <= 3 and max(numbers) - min(numbers) <= len(numbers) - 1


def _is_coded(key: str, name: str, columns: Columns) -> bool:
    """Whether a column holds codes that may mean one thing or the other: 1 is a rejection in some logs."""
    if key not in _NAMES_THE_LEVEL or not are_numbers(columns.of[name]):
        return False
    return not any(_is_named(names, key, name, columns) for names in (_NAMES_THE_LEVEL, _NAMES_THE_OTHER))
