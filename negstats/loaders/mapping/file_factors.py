"""Folders and names of files as factors: what the names of a study's files say of the games in them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from negstats.loaders.mapping.columns import MOST_LEVELS
from negstats.loaders.mapping.guess_result import Guess
from negstats.loaders.mapping.log_files import Log

_DATE = r"(?:[ _-]*\(?(?:accessed )?\d{4}-\d\d-\d\d.*)?"  # at the end of a name: when it was exported
_FEWEST_ROWS = 6
_SEATS = {"buyer", "seller", "proposer", "responder", "agent", "opponent", "employer", "candidate"}
_DIVIDERS = ("+", "_vs_", "-vs-", " vs ", "__")


def set_folders(guess: Guess, log: Log, source: Path) -> None:
    """Take folders for factors where each of a few has several files."""
    if not log.patterns:
        return
    folders = [file.relative_to(source).parts[:-1] for file in log.files]
    for place in range(min(map(len, folders), default=0)):
        counts = Counter(parts[place] for parts in folders)
        if 1 < len(counts) <= MOST_LEVELS and min(counts.values()) > 1:
            key = "factors.folder" if place == 0 else f"factors.folder_{place + 1}"
            guess.keys[key] = {"folder": place + 1}
            folder_counts = ", ".join(f"{name} {count}" for name, count in counts.items())
            guess.evidence[key] = f"files in each folder: {folder_counts}"


def set_files(guess: Guess, log: Log) -> None:
    """Take the names of a few files with many games each for factors; names in parts are a factor each."""
    game = guess.keys.get("games.game_id")
    stems = [file.name.removesuffix(file.suffix) for file in log.files]
    if len(stems) < 2 or game is None or game == {"file": True} or len(set(stems)) < len(stems):
        return
    if guess.keys.get("players.participant_id") == {"file": True}:
        return  # each file is a person's
    if len(log.table.rows) < _FEWEST_ROWS:
        return  # so few rows a file may be a person's or a game's
    for number, (pattern, levels) in enumerate(_name_parts(stems), 1):
        name = _find_common_word(levels) or ("file" if number == 1 else f"file_{number}")
        if f"factors.{name}" in guess.keys:
            name = f"file_{number}"
        guess.keys[f"factors.{name}"] = {"file": pattern, "role": "condition"}
        guess.evidence[f"factors.{name}"] = f"QUESTION: is it a condition? From the files' names: {', '.join(levels)}"


def _name_parts(stems: list[str]) -> list[tuple[str, list[str]]]:
    r"""Return a pattern for each part of the names that has a few levels, and these.

    Examples
    --------
    >>> _name_parts(["game_a (accessed 2017-02-14)", "game_b"])
    [('^game_(.*?)(?:[ _-]*\\(?(?:accessed )?\\d{4}-\\d\\d-\\d\\d.*)?$', ['a', 'b'])]
    >>> _name_parts(["x-buyer+y-seller", "x-buyer+z-seller", "u-buyer+z-seller", "u-buyer+y-seller"])
    [('^([^+]*)\\+[^+]*$', ['x-buyer', 'u-buyer']), ('^[^+]*\\+([^+]*)$', ['y-seller', 'z-seller'])]
    """
    for divider in _DIVIDERS:
        parts = [stem.split(divider) for stem in stems]
        if {len(part) for part in parts} == {2}:
            sign, other = re.escape(divider), f"[^{divider[0]}]*"
            levels = [list(dict.fromkeys(column)) for column in zip(*parts, strict=True)]
            both = (f"^({other}){sign}{other}$", f"^{other}{sign}({other})$")
            few = [len(one) <= MOST_LEVELS for one in levels]
            return [
                (pattern, one) for pattern, one, fits in zip(both, levels, few, strict=True) if fits and len(one) > 1
            ]
    start = re.sub(r"[^ _.-]*$", "", _find_common_start(stems))
    pattern = f"^{re.escape(start)}(.*?){_DATE}$"
    matches = [re.match(pattern, stem) for stem in stems]
    levels_of_names = [match[1] for match in matches if match]
    is_factor = len(set(levels_of_names)) == len(stems) <= MOST_LEVELS and all(
        re.search("[A-Za-z]", level) for level in levels_of_names
    )
    return [(pattern, levels_of_names)] if is_factor else []


def _find_common_start(names: list[str]) -> str:
    """Return the characters with which all names begin."""
    one, other = min(names), max(names)
    return next((one[:at] for at, letter in enumerate(one) if other[at : at + 1] != letter), one)


def _find_common_word(levels: list[str]) -> str | None:
    """Return the seat that all levels name, such as buyer; None if there is none.

    Examples
    --------
    >>> _find_common_word(["small-buyer", "large-buyer-fair"]), _find_common_word(["a", "b"])
    ('buyer', None)
    """
    words = [re.findall(r"[a-z]{3,}", level.lower()) for level in levels]
    common = [word for word in words[0] if all(word in others for others in words)]
    known = [word for word in common if word in _SEATS]
    return known[0] if len(known) == 1 else None
