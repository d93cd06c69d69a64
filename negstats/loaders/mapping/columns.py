"""The columns of a log while it is guessed what they are: by names in plain English, each taken once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from negstats.errors import LogError
from negstats.loaders.files.intake import literal
from negstats.loaders.files.tabular import Table
from negstats.loaders.mapping.model import NUMBER
from negstats.loaders.mapping.words import FILE, ROW, english, plain

MISSING_WORDS = {"na", "n/a", "null", "none", ".", "-", "nan"}  # in a column of numbers
MISSING_WORDS |= {"no deal", "no_deal", "nodeal", "no agreement", "impasse"}  # of a price that was not agreed on
MOST_LEVELS = 12  # a column with more different words than this is no set of levels
_FEW_VARY = 0.02  # of the games
_WORTH = {"utility", "value", "points", "payoff", "score", "u", "util"}


def words_of(values: pd.Series) -> list[str]:
    """Return the different values, in order of appearance."""
    return list(dict.fromkeys(values.dropna()))


def are_numbers(values: pd.Series) -> bool:
    """Whether there are values, and all of them are numbers."""
    texts = values.dropna().str.strip()
    return len(texts) > 0 and bool(texts.str.fullmatch(NUMBER).all())


def are_amounts(values: pd.Series) -> bool:
    """Whether there are numbers that are more than yes and no."""
    return are_numbers(values) and not set(pd.to_numeric(values.dropna())) <= {0, 1}


def _one_list(values: pd.Series) -> list[str]:
    """Return the words of a list that stands in every cell; none if there is no such list."""
    cells = words_of(values)
    if len(cells) != 1 or not values.notna().all() or not cells[0].startswith("["):
        return []
    try:
        content = json.loads(cells[0])
    except ValueError:
        return []
    is_of_words = isinstance(content, list) and all(isinstance(word, str) for word in content)
    return content if is_of_words and len(set(content)) == len(content) > 1 else []


def _are_lists(values: pd.Series) -> bool:
    """Whether each of the first cells is a list: no level, name or number."""
    cells = values.dropna().head(20)
    return len(cells) > 0 and bool(cells.str.fullmatch(r"\s*\[.*\]\s*", flags=re.DOTALL).all())


def are_whole(values: pd.Series) -> bool:
    """Whether there are whole numbers only."""
    return are_numbers(values) and bool((pd.to_numeric(values.dropna()) % 1 == 0).all())


def are_named(values: pd.Series) -> bool:
    """Whether there are values at all."""
    return bool(values.notna().any())


def are_talk(values: pd.Series) -> bool:
    """Whether there are words."""
    return are_named(values) and not are_numbers(values)


def are_few(values: pd.Series) -> bool:
    """Whether there are values, and so few different ones that they may be levels."""
    return 0 < len(words_of(values)) <= MOST_LEVELS


def are_dicts(values: pd.Series) -> bool:
    """Whether each value is a dict of names and values."""
    words = words_of(values)
    try:
        return bool(words) and all(_is_dict(text) for text in words)
    except LogError:
        return False


def _is_dict(text: str) -> bool:
    return bool(literal(text, file=Path(), row=0, column=""))


class Columns:
    """The columns of a log, by their plain names; each is taken once.

    Attributes
    ----------
    of : dict of str to pandas.Series
        Their cells; of the row (`ROW`) and of the file (`FILE`) too.
    own, plain : dict of str to str
        For each column its name in lower case with _ between words, as it is, and in English.
    words : dict of str to list of str
        For a column of numbers the words in it that mean missing.
    parents : set of str
        The columns with objects whose values have columns of their own.
    listed : str or None
        The list whose elements are the rows; `lists` are all of those that stand side by side.
    beside : dict of str to list of str
        For a column whose cells are all the same list of words these: what seats are called that stand in a row as
        numbers, 0 and 1.
    """

    def __init__(self, table: Table) -> None:
        self.of = {name: table.column(name) for name in table.names}
        self.words: dict[str, list[str]] = {}
        for name, values in self.of.items():
            self._mask_missing_words(name, values)
        self.own = {name: plain(name) for name in table.names}
        self.plain = {name: english(own) for name, own in self.own.items()}
        self.rows, self.numbers = len(table.rows), table.rows
        self.taken = {name for name in table.names if name.endswith(".#")}
        self.beside = {name: words for name in table.names if (words := _one_list(self.of[name]))}
        self.taken |= {name for name in table.names if _are_lists(self.of[name])}
        self.parents = {name for name in table.names if any(other.startswith(f"{name}.") for other in table.names)}
        lists = [name.removesuffix(".#") for name in table.names if name.endswith(".#")]
        self.listed = lists[0] if lists else None
        self.lists = tuple(lists)
        self.parents -= set(lists)
        for name in self.lists:  # offers: each element is an offer
            if name in self.plain and are_numbers(self.of[name]):
                self.plain[name] = self.plain[name].removesuffix("s")
        self._add_signs()

    def _add_signs(self) -> None:
        """Let the row and the file stand among the columns: they may name a game."""
        self.of[ROW] = pd.Series([str(row) for row in self.numbers], dtype="str")
        self.of[FILE] = pd.Series(["file"] * self.rows, dtype="str")

    def _mask_missing_words(self, name: str, values: pd.Series) -> None:
        """Take words that mean missing out of a column that holds numbers besides."""
        if not values.notna().any() or are_numbers(values):
            return
        is_missing_word = values.str.strip().str.lower().isin(MISSING_WORDS)
        if is_missing_word.any() and are_numbers(values[~is_missing_word]):
            self.words[name] = sorted(set(values[is_missing_word].str.strip()))
            self.of[name] = values.mask(is_missing_word)

    def keep(self, rows: pd.Series) -> None:
        """Look at some rows only."""
        self.of = {name: values[rows].reset_index(drop=True) for name, values in self.of.items()}

    def find(self, patterns: Iterable[str], fits: Callable[[pd.Series], bool], *, take: bool = True) -> str | None:
        """Return the first column that is named so and fits, and is not taken."""
        for pattern in patterns:
            for name, own in self.plain.items():
                if name in self.taken or (name in self.parents and fits is not are_dicts):
                    continue  # an object's values have columns of their own
                if re.fullmatch(pattern, own) and fits(self.of[name]):
                    if take:
                        self.taken.add(name)
                    return name
        return None

    def of_elements(self, fits: Callable[[pd.Series], bool]) -> str | None:
        """Return the column of the elements of a list that fits, is not taken, and has the fewest different cells."""
        element_columns = [
            name for name in self.plain if self.is_inside(name) and name not in self.taken | self.parents
        ]
        return min(
            (name for name in element_columns if fits(self.of[name])),
            key=lambda name: self.of[name].nunique(),
            default=None,
        )

    def is_inside(self, name: str) -> bool:
        """Whether a column is one of the elements of the list whose elements are the rows."""
        if name.endswith(".#"):
            return False
        return any(name == one or name.startswith(f"{one}.") for one in self.lists)

    def worths(self, seat: str) -> list[str]:
        """Return the columns of numbers that are named after a seat and a worth."""
        words = set(plain(seat).split("_"))
        return [
            name
            for name, own in self.plain.items()
            if name not in self.taken
            and words <= set(own.split("_"))
            and not _WORTH.isdisjoint(own.split("_"))
            and are_numbers(self.of[name])
        ]

    def varies(self, names: list[str], within: list[str]) -> bool:
        """Whether rows that agree on `within` differ in any of `names`."""
        frame = pd.DataFrame({name: self.of[name].fillna("") for name in [*names, *within]})
        return bool(frame.drop_duplicates().duplicated(within).any())

    def says_one(self, names: list[str], within: list[str]) -> bool:
        """Whether rows that agree on `within` say one thing in `names`, or nothing, in nearly all cases."""
        frame = pd.DataFrame({name: self.of[name] for name in [*names, *within]})
        counts = frame.groupby(within)[names].nunique()
        return bool(((counts > 1).any(axis=1)).mean() <= _FEW_VARY)

    def names_once(self, names: list[str], not_without: str) -> bool:
        """Whether `names` together tell all rows apart, but not without one of them."""
        return not self.repeats(names) and self.repeats([name for name in names if name != not_without])

    def repeats(self, names: list[str]) -> bool:
        """Whether two rows agree on all of `names`."""
        return bool(pd.DataFrame({name: self.of[name].fillna("") for name in names}).duplicated().any())
