"""Facts of single columns: how many levels there are, how often each occurs, whether they count, name or tell.

A column is held as codes of its sorted levels, so that no fact depends on the order of rows. What is *even* (levels
that occur equally often, or more equally than chance allows) was set by a design; what people did is hardly ever even.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy import special

from negstats.errors import LogError
from negstats.loaders.files.columns import Texts
from negstats.loaders.files.intake import literal, read_bundle
from negstats.loaders.files.tabular import is_coded, joined

Codes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]

HOLDS = 0.97  # share of rows in which a regularity must hold: one to three per cent may be noise
EMPTY_WORDS = frozenset(
    {"", "na", "nan", "n/a", "null", "."}
    | {"#n/a", "#value!", "#div/0!", "#ref!", "#num!", "#name?", "#null!"}  # what a spreadsheet could not compute
)
# Words beside numbers that say that there is no number: of a price, that nothing was agreed on.
_NO_NUMBER = EMPTY_WORDS | {"none", "-", "no deal", "no_deal", "nodeal", "no agreement", "impasse"}
_FORMS, _LEAST_OF_FORM = 40, 40  # texts that are compared, and different words of one
_ALIKE_FORMS = 0.7  # share of the words that a text has in common with the one most like it
_SAMPLE = 200  # levels that are looked at where their spelling matters
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3}){1,5}(\.\d+)?")
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
# A date with its year, or a time of day with its seconds; 60:40 and 10/20/70 are shares.
_MOMENT = re.compile(
    r"\b\d{4}[-/.]\d\d?[-/.]\d\d?|\b\d\d?[-/.]\d\d?[-/.]\d{4}\b|\b[A-Za-z]{3,9}\.?,? (\d\d?,? )?\d{4}\b"
    r"|\b([01]?\d|2[0-3]):[0-5]\d:[0-5]\d"
)
_PARTS = re.compile(r"([1-9]\d?)\.([1-9]\d?)")
_ZONE_IN_FULL = re.compile(r"\s*\([^()]*\)$")  # GMT+0100 (Central European Standard Time)
_WORDS_OF_MOMENTS = frozenset(
    "t z am pm at gmt utc bst cet cest est edt cst cdt mst mdt pst pdt".split()  # noqa: SIM905
) | {
    word.lower()
    for words in (calendar.month_name, calendar.month_abbr, calendar.day_name, calendar.day_abbr)
    for word in words
}
# exp(-n² / 2k) is the chance that n numbers out of k are all different; below .001 it is none.
_NO_CHANCE, _FEWEST_DENSE = 14, 20
_MOST_STRAY_WORDS, _ROWS_OF_STRAY = 2, 500  # different words beside numbers, and the rows for each row with one
_LEAST_DIFFERENT = 0.05  # of the cells with talk
_EVEN_TAIL, _UNEVEN_TAIL = 0.01, 1e-4  # of chi-squared: more equal, and less equal, than chance allows


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
        As the table calls it.
    codes : array of int
        For each row the place of its level in `levels`, -1 where the cell is empty.
    levels : list of str
        The different texts, numbers in numerical and words in alphabetical order.
    level_numbers : array of float or None
        The number of each level; None unless all levels are numbers, or true and false.
    is_source : bool
        Whether it is not a column of the table, but the file, folder or sheet from which a row comes.
    aliases : tuple of str
        Other columns that part the rows in the same way.
    parts : tuple of str
        The columns of which it is made, where ids name people only together with their session or source.
    is_open : bool
        Whether the last of these parts may as well name people or games by itself.
    is_pair : bool
        Whether its parts are two who name each other, in whatever order.
    is_in_some_files : bool
        Whether some of the files lack it: that it is empty there says nothing of what happened.
    begins : str
        The column whose numbers begin anew in each of the levels, which are runs of rows that nothing else names.
    has_gaps : bool
        Whether numbers of these runs are lost, so that two of them may look like one.
    is_index : bool
        Whether a program has numbered the rows of each file by it, without a name: it names nobody.
    missing_words : tuple of str
        The words in its cells that mean missing, besides empty ones.
    """

    name: str
    codes: Codes
    levels: list[str]
    level_numbers: Numbers | None
    is_source: bool = False
    aliases: tuple[str, ...] = ()
    missing_words: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    is_open: bool = False
    is_pair: bool = False
    is_in_some_files: bool = False
    is_index: bool = False
    begins: str = ""
    has_gaps: bool = False

    @property
    def label(self) -> str:
        """What the column is called in sentences."""
        return self.name.replace("{file}", "file").replace("{row}", "row of the log")

    def take(self, rows: Flags) -> Column:
        """Return the column of some rows; levels that stand in none of them are gone."""
        codes = self.codes[rows]
        there = np.bincount(codes[codes >= 0], minlength=self.n_levels) > 0
        places = np.append(np.where(there, np.cumsum(there) - 1, -1), -1)
        levels = [level for level, is_there in zip(self.levels, there, strict=True) if is_there]
        numbers = None if self.level_numbers is None else self.level_numbers[there]
        return replace(self, codes=places[codes], levels=levels, level_numbers=numbers)

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return len(self.codes)

    @property
    def n_levels(self) -> int:
        """How many levels there are."""
        return len(self.levels)

    @cached_property
    def filled(self) -> Flags:
        """For each row whether the cell holds something."""
        return self.codes >= 0

    @cached_property
    def presence(self) -> Column:
        """For each row whether the cell holds something, as a column of two levels."""
        return flag_column(self.filled)

    @cached_property
    def determinations(self) -> WeakKeyDictionary[Column, float]:
        """How far the column determines others, as far as that is known."""
        return WeakKeyDictionary()

    @cached_property
    def n_filled(self) -> int:
        """How many cells hold something."""
        return int(self.filled.sum())

    @property
    def share_filled(self) -> float:
        """Which share of the cells holds something."""
        return self.n_filled / max(self.rows, 1)

    @cached_property
    def sizes(self) -> Codes:
        """How many rows each level has."""
        return np.bincount(self.codes[self.filled], minlength=self.n_levels)

    @property
    def rows_per_level(self) -> float:
        """The mean number of rows of a level."""
        return self.n_filled / max(self.n_levels, 1)

    @property
    def values(self) -> Numbers:
        """The different numbers, the least first; empty for words."""
        return np.empty(0) if self.level_numbers is None else self.level_numbers

    @cached_property
    def numbers(self) -> Numbers | None:
        """For each row its number, NaN where the cell is empty; None for words."""
        return None if self.level_numbers is None else np.append(self.level_numbers, np.nan)[self.codes]

    @property
    def has_numbers(self) -> bool:
        """Whether the levels are numbers."""
        return self.level_numbers is not None

    @cached_property
    def is_whole(self) -> bool:
        """Whether the levels are whole numbers."""
        return bool(self.values.size and np.all(self.values == np.round(self.values)))

    @property
    def is_fractional(self) -> bool:
        """Whether the levels are numbers, and some of them have a fraction."""
        return self.has_numbers and not (self.is_whole or self.numbers_parts)

    @property
    def n_decimals(self) -> int:
        """How many digits stand behind the point where the levels are numbers with a fraction: of a mean many do."""
        return max(len(level.partition(".")[2].rstrip("0")) for level in self.levels) if self.is_fractional else 0

    @cached_property
    def numbers_parts(self) -> bool:
        """Whether the levels number parts of each of several things, as 1.1, 1.2, 2.1 and 2.2 do: they are no sizes."""
        matches = [_PARTS.fullmatch(level) for level in self.levels]
        whole, parts = ({int(one[place]) for one in matches if one} for place in (1, 2))
        are_counts = all(numbers == set(range(1, len(numbers) + 1)) for numbers in (whole, parts))
        is_grid = self.n_levels == len(whole) * len(parts) and min(len(whole), len(parts)) > 1
        return all(matches) and are_counts and is_grid

    @cached_property
    def is_binary(self) -> bool:
        """Whether the levels are the numbers 0 and 1."""
        return self.n_levels == 2 and self.has_numbers and set(self.values) == {0.0, 1.0}

    @property
    def is_of_two(self) -> bool:
        """Whether nearly all rows have one of two levels, be it that a third says that somebody gave no answer."""
        return self.n_levels > 1 and float(np.sort(self.sizes)[-2:].sum()) >= HOLDS * self.n_filled

    @cached_property
    def is_count(self) -> bool:
        """Whether the levels are all whole numbers from 0 or 1 to a last one: they may number something."""
        return self.is_run and float(self.values.min()) in (0, 1)

    @cached_property
    def is_run(self) -> bool:
        """Whether the levels are all whole numbers from a first to a last one: workers may be numbered behind firms."""
        return self.is_whole and self.n_levels >= 2 and float(np.ptp(self.values)) + 1 == self.n_levels

    @cached_property
    def numbers_rows(self) -> bool:
        """Whether whole numbers stand in one row each: 0, 2, 4, ..., or so dense that chance would repeat some."""
        if not (self.is_whole and self.n_levels == self.n_filled > 3):
            return False
        is_dense = self.n_filled**2 > _NO_CHANCE * (np.ptp(self.values) + 1) and self.n_filled >= _FEWEST_DENSE
        return bool(is_dense) or len(np.unique(np.diff(np.sort(self.values)))) == 1

    @cached_property
    def is_unique(self) -> bool:
        """Whether nearly every row has a level of its own."""
        return self.n_levels > 3 and self.n_levels >= HOLDS * self.n_filled

    @cached_property
    def is_moment(self) -> bool:
        """Whether cells hold dates or times: they tell when something was said, and never what."""
        return not self.has_numbers and bool(self.levels) and all(map(_is_moment, self.levels[:_SAMPLE]))

    @cached_property
    def is_bundle(self) -> bool:
        """Whether cells say how many of each good there are, of several: 3 books, 1 hat; in words or as an object."""
        bundles = [_counts_in(level) for level in self.levels[:_SAMPLE]]
        return bool(bundles) and all(bundles) and max(map(len, bundles)) > 1

    @cached_property
    def is_prose(self) -> bool:
        """Whether cells hold sentences rather than names; those of a few that come again and again are levels."""
        if self.has_numbers or self.n_levels <= 2 or self.n_levels < _LEAST_DIFFERENT * self.n_filled:
            return False
        if self.is_moment or self.is_bundle:
            return False
        stems = [re.sub(r"\d+$", "", level) for level in self.levels[:_SAMPLE]]
        if self.is_unique and len(set(stems)) <= 0.1 * len(stems):
            return False  # the same words with a number behind them: "high stakes 12"
        words = [len(level.split()) for level in self.levels[:_SAMPLE]]
        has_many_words = np.mean(words) >= 3 or (self.n_levels > 12 and np.mean([count > 1 for count in words]) > 0.5)
        return bool(has_many_words and np.mean([len(level) for level in self.levels[:_SAMPLE]]) > 10)

    @cached_property
    def is_dialogue(self) -> bool:
        """Whether cells hold whole conversations, line by line, rather than what somebody said."""
        sample = self.levels[:_SAMPLE]
        return self.is_prose and sum("\n" in level.strip() for level in sample) > 0.5 * len(sample)

    @cached_property
    def is_form(self) -> bool:
        """Whether cells hold long texts each of which is mostly that of another: a form that a program filled in.

        Whoever is asked anew in each round is told the rules and what has happened; nobody talks so.
        """
        if not self.is_prose:
            return False
        texts = [set(level.split()) for level in self.levels[:_FORMS]]
        if np.median([len(words) for words in texts]) < _LEAST_OF_FORM:
            return False
        alike = [max(len(one & other) / len(one | other) for other in texts if other is not one) for one in texts]
        return bool(np.median(alike) > _ALIKE_FORMS)

    @cached_property
    def is_list(self) -> bool:
        """Whether cells hold lists or objects, but of counts: no levels, names or numbers."""
        are_bracketed = all(level.lstrip()[:1] in ("[", "{") for level in self.levels[:20])
        return bool(self.levels) and are_bracketed and not self.is_bundle

    @cached_property
    def has_codes(self) -> bool:
        """Whether nearly all levels are words with digits in them, as codes of people and groups are."""
        return not self.has_numbers and sum(map(_has_digit, self.levels)) > 0.9 * self.n_levels

    @cached_property
    def _spread(self) -> float:
        """Chi-squared of the levels' sizes against equal ones."""
        expected = max(self.rows_per_level, 1e-9)
        return float(((self.sizes - expected) ** 2 / expected).sum())

    @cached_property
    def is_even(self) -> bool:
        """Whether the levels occur equally often, or more equally than chance allows."""
        if self.n_levels < 2:
            return False
        low, high, mean = int(self.sizes.min()), int(self.sizes.max()), self.rows_per_level
        if low == high or (mean >= 3 and high - low <= max(1, 0.02 * high)):
            return True
        # Chance rarely gives sizes that lie so close together.
        is_too_equal = special.chdtr(self.n_levels - 1, self._spread) < _EVEN_TAIL
        is_usual = mean >= 2 and np.mean(self.sizes == np.median(self.sizes)) > 0.8
        return bool(is_too_equal and (mean >= 5 or is_usual))

    @cached_property
    def is_uneven(self) -> bool:
        """Whether the levels occur less equally than chance allows."""
        return self.n_levels > 1 and bool(special.chdtrc(self.n_levels - 1, self._spread) < _UNEVEN_TAIL)

    @cached_property
    def partition(self) -> bytes:
        """How the column parts the rows, whatever its levels are called."""
        _, first_rows = np.unique(self.codes, return_index=True)
        ranks = np.empty(int(self.codes.max()) + 2, np.int64)
        ranks[self.codes[np.sort(first_rows)] + 1] = np.arange(len(first_rows))
        return ranks[self.codes + 1].tobytes()


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _is_moment(text: str) -> bool:
    words = re.findall(r"[^\W\d_]+", _ZONE_IN_FULL.sub("", text).lower())
    return _MOMENT.search(text) is not None and _WORDS_OF_MOMENTS.issuperset(words)


CURRENCY = re.compile(r"^(-?)[$€£¥] ?(?=[0-9.])")


def number_of(text: str) -> float | None:
    """Return the number of a cell, which may have a percent sign, a currency, thousands or a decimal comma; else None.

    Examples
    --------
    >>> number_of("45 %"), number_of("1,250.5"), number_of("3,5"), number_of("$4,700"), number_of("A1")
    (45.0, 1250.5, 3.5, 4700.0, None)
    """
    plain = text.strip().replace("\u2212", "-").replace("\xa0", "").removesuffix("%").rstrip()
    plain = CURRENCY.sub(r"\1", plain)
    if _THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", "")
    elif _DECIMAL_COMMA.fullmatch(plain):
        plain = plain.replace(",", ".")
    try:
        number = float(plain)
    except ValueError:
        return None
    return number if np.isfinite(number) and "_" not in plain else None


def flag_column(flags: Flags) -> Column:
    """Return a condition on rows as a column of two levels."""
    return Column("", flags.astype(np.int64), ["no", "yes"], None)


def _counts_in(level: str) -> Mapping[str, object]:
    """Return how many of which goods a cell tells; {} of any other cell."""
    if level[:1] != "{":
        return read_bundle(level)
    try:
        counts = literal(level, file=Path(), row=0, column="")
    except LogError:
        return {}
    return counts if all(type(count) is int for count in counts.values()) else {}


def build_column(name: str, cells: Texts, *, is_source: bool = False) -> Column:
    """Return a column of a table as codes of its sorted levels."""
    coded = cells if is_coded(cells) else joined([cells]).dictionary_encode()
    texts: list[str] = pc.utf8_trim_whitespace(coded.dictionary.cast(pa.large_string())).to_pylist()
    text_codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    words = [word for word in dict.fromkeys(texts) if word]
    is_empty = np.array([*(not text for text in texts), True])
    missing = _missing_words(words, has_empty_cells=bool(is_empty[text_codes].any()))
    numbers_by_level: dict[str, float] = {}
    others: set[str] = set()
    strays: list[str] = []  # words that no program writes for a missing number
    for word in words:
        if word in missing:
            continue
        number = number_of(word)
        if number is not None:
            numbers_by_level[word] = number
            continue
        others.add(word)
        strays += [word] * (word.lower() not in _NO_NUMBER)
        if len(strays) > _MOST_STRAY_WORDS:
            break  # the others need not be looked at: these are words
    else:
        if numbers_by_level and _are_strays(strays, texts, text_codes):
            missing |= others
    levels = [word for word in words if word not in missing]
    are_numbers = bool(levels) and not others - missing
    if {level.lower() for level in levels} == {"true", "false"}:
        numbers_by_level = {level: float(level.lower() == "true") for level in levels}
        are_numbers = True
    if are_numbers:
        levels.sort(key=lambda level: (numbers_by_level[level], level))
    else:
        levels.sort()
    place = {level: at for at, level in enumerate(levels)}
    codes = np.array([*(place.get(text, -1) for text in texts), -1], np.int64)[text_codes]
    numbers = np.array([numbers_by_level[level] for level in levels], float) if are_numbers else None
    return Column(name, codes, levels, numbers, is_source, missing_words=tuple(sorted(missing - {""})))


def stacked(name: str, columns: Sequence[Column]) -> Column:
    """Return the rows of several columns below each other as one column."""
    numbers = {} if any(not each.has_numbers for each in columns) else {
        level: number for each in columns for level, number in zip(each.levels, each.values, strict=True)
    }  # fmt: skip
    levels = sorted({level for each in columns for level in each.levels}, key=lambda each: (numbers.get(each, 0), each))
    place = {level: at for at, level in enumerate(levels)}
    codes = [np.array([*(place[level] for level in each.levels), -1], np.int64)[each.codes] for each in columns]
    level_numbers = np.array([numbers[level] for level in levels], float) if numbers else None
    return Column(name, np.concatenate(codes), levels, level_numbers)


def with_numbers(column: Column) -> Column:
    """Return a column of whose levels only numbers are left, once other rows are gone, as one of numbers."""
    numbers = [] if column.has_numbers else [number_of(level) for level in column.levels]
    if not numbers or None in numbers:
        return column
    order = sorted(range(column.n_levels), key=lambda place: (numbers[place], column.levels[place]))
    places = np.append(np.argsort(order), -1)
    level_numbers = np.array([numbers[place] for place in order], float)
    levels = [column.levels[place] for place in order]
    return replace(column, codes=places[column.codes], levels=levels, level_numbers=level_numbers)


def text_cells(values: Iterable[str | None]) -> Texts:
    """Return texts as cells of a table; half a pair of surrogates, as in the name of a file, becomes a mark."""
    whole = [value if value is None else value.encode("utf-8", "replace").decode("utf-8") for value in values]
    return pa.array(whole, pa.large_string())


def _are_strays(strays: Sequence[str], texts: Sequence[str], codes: Codes) -> bool:
    """Whether words stand in so few rows of a column of numbers that they are no levels: a row with its cells shifted.

    A word with a digit may be the name of somebody, such as 12b.
    """
    if not strays:
        return True
    is_stray = np.array([*(text in strays for text in texts), False])
    count = int(is_stray[codes].sum())
    return count <= len(codes) // _ROWS_OF_STRAY and not any(_has_digit(word) for word in strays)


def _missing_words(words: list[str], *, has_empty_cells: bool) -> set[str]:
    """Return the words that mean an empty cell.

    "NA" beside a few short words in a column without empty cells is a level: North America.
    """
    missing = {word for word in words if word.lower() in EMPTY_WORDS}
    others = [word for word in words if word not in missing]
    is_level = (
        {word.upper() for word in missing} == {"NA"}
        and not has_empty_cells
        and 0 < len(others) < 6
        and all(number_of(word) is None and len(word) <= 5 for word in others)
        and not {word.lower() for word in others} <= {"true", "false"}
    )
    return set() if is_level else missing
