"""What a log seems to be: a guess, as it is passed from one step of guessing to the next."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

MOST_SEATS = 8  # more people than this do not sit in one game


@dataclass(slots=True)
class Guess:
    """What a log seems to be.

    Attributes
    ----------
    row : str
        What one row is.
    keys : dict of str to object
        For each key of the mapping, as ``offers.round``, what would stand behind it.
    levels : dict
        For each levelled key the spellings of each level.
    markers : dict
        For a column of seats the words in it that are none: START, END.
    words : dict
        For a column of numbers the words in it that mean missing: NA, none.
    keep : dict
        For a platform's own columns the values of the rows that count.
    questions : dict
        For a levelled key, as ``offers.response``, a column of numbers that may be coded either way: 0 and 1.
    doubts : dict
        For a level, as ``response``, a column of numbers that says by its name which is which.
    evidence : dict
        For a key why that was guessed.
    row_is_game : bool
        Whether each row has columns for both seats of a game.
    is_any_row : bool
        Whether each row is taken for a game because nothing names one.
    is_default : bool
        Whether what names a game is no name of a column, but what is left where none is known.
    percent : set of str
        Columns of numbers with percent signs.
    agreed_issues : list of str
        Columns of words that are empty where there was no agreement: what was agreed, and no condition.
    """

    row: str = "offer"
    keys: dict[str, object] = field(default_factory=dict)
    levels: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    markers: dict[str, list[str]] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)
    keep: dict[str, str] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)
    doubts: dict[str, str] = field(default_factory=dict)
    evidence: dict[str, str] = field(default_factory=dict)
    row_is_game: bool = False
    is_any_row: bool = False
    is_default: bool = False
    agreed_issues: list[str] = field(default_factory=list)
    percent: set[str] = field(default_factory=set)

    def without(self, key: str) -> Guess:
        """Return the guess without one key."""
        name = key.rpartition(".")[2]
        keys = {other: value for other, value in self.keys.items() if other != key}
        levels = {level: spelled for level, spelled in self.levels.items() if level != name}
        return replace(self, keys=keys, levels=levels)
