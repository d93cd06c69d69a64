"""Cells that hold two things: both who met ("A vs B"), or what each of them got ("3-5").

One separator parts each cell of such a column in two, and both parts are of one kind: the same names, codes of one
form, or numbers of one range that do not follow from each other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from negstats.loaders.reading.columns import Codes, Column, build_column, text_cells
from negstats.loaders.reading.families import has_one_sum
from negstats.loaders.reading.relations import begins_anew, determination
from negstats.loaders.reading.words import is_named

# A sign or a short word between spaces or underscores, or a sign alone; it is looked for at each letter.
_SEPARATOR = re.compile(
    r"(?=(\s+[^\s\w]+\s+|\s+[^\W\d_]{1,6}\.?\s+|_+[^\W\d_]{1,6}_+|-+[^\W\d_]{1,6}-+|[^\w\s.,'()]+))"
)
_SAME, _FEWEST_NAMES = 0.5, 3  # of all names stand in both parts, of which there are as many at least
_ONE_FORM = 0.9  # of the codes of both parts have one form
_FOLLOWS = 0.9  # strength from which on one number follows from the other: 18-25 is a group of ages
_MINUTES = 2  # digits, always
_SAMPLE = 50


@dataclass(frozen=True)
class CellPair:
    """A column whose cells hold two things.

    Attributes
    ----------
    whole : Column
        The column.
    separator : str
        What stands between both in each cell.
    parts : (Column, Column)
        What stands before and behind it.
    """

    whole: Column
    separator: str
    parts: tuple[Column, Column]

    @property
    def names_both(self) -> bool:
        """Whether the parts are names, and not numbers."""
        return not self.parts[0].has_numbers

    def pattern(self, place: int) -> str:
        """Return the regular expression of what is taken out of a cell to leave one part."""
        sign = escaped(self.separator)
        return f"{sign}.*$" if place == 0 else f"^.*{sign}"


def escaped(text: str) -> str:
    """Return a regular expression of a text, in which no more is escaped than must be."""
    return re.sub(r"([\\.^$|?*+()\[\]{}])", r"\\\1", text)


def find_pair(column: Column) -> CellPair | None:
    """Return what the cells of a column hold, if it is two things of one kind; else None."""
    if column.has_numbers or column.n_levels < _FEWEST_NAMES or column.is_moment or column.is_list or column.is_source:
        return None
    for separator in _separators(column):
        levels = [level.split(separator) for level in column.levels]
        first, other = (_part(column, [of[place].strip() for of in levels]) for place in (0, 1))
        if _are_numbers_of_two(column, first, other) or _are_names_of_two(first, other):
            return CellPair(column, separator, (first, other))
    return None


def _separators(column: Column) -> Iterator[str]:
    """Yield what may stand between the parts of cells: it is in each once, with something at both sides."""
    for separator in dict.fromkeys(match[1] for match in _SEPARATOR.finditer(column.levels[0])):
        sample = [level.split(separator) for level in column.levels[:_SAMPLE]]
        if all(len(of) == 2 and all(part.strip() for part in of) for of in sample) and all(
            level.count(separator) == 1 for level in column.levels
        ):
            yield separator


def _part(column: Column, levels: list[str]) -> Column:
    """Return one part of a column's cells as a column."""
    part = build_column("", text_cells(levels))
    codes: Codes = np.append(part.codes, -1)
    return replace(part, codes=codes[column.codes])


def _are_numbers_of_two(column: Column, first: Column, other: Column) -> bool:
    """Whether parts are what both got: numbers of one range from 0 on, or with one sum.

    Parts of an id are numbered anew within each other and from 1 on, a number with a zero before it is one of a date or
    a clock, and where one follows from the other both are a range: 18-25 is a group of ages.
    """
    if not (first.has_numbers and other.has_numbers) or min(first.n_levels, other.n_levels) < _FEWEST_NAMES:
        return False
    is_of_clock = all(len(level) == _MINUTES for level in other.levels) and ":" in column.levels[0]
    if any(re.match(r"0\d", level) for part in (first, other) for level in part.levels):
        return False
    if has_one_sum(first, other):
        return True
    is_called_so = is_named(column, "person", "game", "time", "order")
    is_id = column.is_unique and (begins_anew(other, first) or begins_anew(first, other))
    if is_called_so or is_id or is_of_clock or column.is_even or first.values[0] != 0 or other.values[0] != 0:
        return False
    is_of_one_range = min(first.values[-1], other.values[-1]) >= _SAME * max(first.values[-1], other.values[-1])
    follows = max(determination(first, other), determination(other, first)) > _FOLLOWS
    return bool(is_of_one_range and not follows)


def _are_names_of_two(first: Column, other: Column) -> bool:
    """Whether parts are both who met: the same names, or codes of one form of which each stands on one side."""
    if first.has_numbers or other.has_numbers or first.is_prose or other.is_prose:
        return False
    names, others = {*first.levels}, {*other.levels}
    if len(names & others) >= max(_FEWEST_NAMES, _SAME * len(names | others)):
        return True
    forms = [_usual_form(of) for of in (names, others)]
    return "#" in (forms[0] or "") and forms[0] == forms[1] and names.isdisjoint(others)


def _usual_form(names: set[str]) -> str | None:
    """Return the form of nearly all of some codes, in which # stands for a number; None if they have none."""
    forms = Counter(re.sub(r"\d+", "#", name) for name in names)
    form, count = forms.most_common(1)[0]
    return form if count >= _ONE_FORM * len(names) and len(names) >= _FEWEST_NAMES else None


def add_parts(columns: Mapping[str, Column]) -> tuple[dict[str, Column], dict[str, tuple[str, str]]]:
    """Return columns with the parts of those that hold two things, and of each part the column and its pattern.

    Parts are called as both players or what they got are, where no column is. A column that names each row stays.
    """
    parts: dict[str, tuple[str, str]] = {}
    whole = dict(columns)
    for column in columns.values():
        pair = find_pair(column)
        if pair is None:
            continue
        stem = "player" if pair.names_both else "score"
        stem = stem if not any(f"{stem}.{place}" in whole for place in (1, 2)) else f"{column.name}.{stem}"
        for place, part in enumerate(pair.parts):
            name = f"{stem}.{place + 1}"
            whole[name] = replace(part, name=name)
            parts[name] = (column.name, pair.pattern(place))
        if not column.is_unique:
            del whole[column.name]
    return whole, parts
