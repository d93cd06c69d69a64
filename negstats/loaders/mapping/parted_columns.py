"""Columns of which each row has one: whoever was in one condition answered its question, and no other.

A survey that shows each person one of several texts has a column for the answers to each. No column says who saw which:
the one that is filled does.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from negstats.loaders.files.tabular import Table
from negstats.loaders.mapping.seats_beside import LazyColumns
from negstats.loaders.mapping.unfolding import VALUE, are_seat_words, have_one_scale, name_rows, stems_of_columns
from negstats.loaders.reading.columns import Column

_FEWEST_ROWS = 5  # of each condition
_MOST_PARTS, _MOST_PATTERNS = 24, 60  # conditions, and sets of rows that are looked at
_NEARLY_ALL = 0.9  # of the rows are filled in one of the columns
_WIDEST = 1500  # columns
_MOST_OF_SCALE = 11  # levels of answers that are of one scale, though some were never given
_OPTIONS = 3

Rows = npt.NDArray[np.bool_]


def parted_columns(table: Table) -> list[tuple[list[str], dict[str, list[str]]]]:
    """Return words of conditions of which each row has the columns of one, with the columns of each stem.

    The widest parting comes first. Rows must be cases that a column names, of which most have an answer in exactly one
    of the columns, and the answers of one stem must be on one scale. Nothing is returned where another column tells the
    conditions, as the kind of an event does, or where the words are those of seats.
    """
    columns = _partly_filled(table)
    if len(columns) < 2 or not name_rows(table):
        return []
    families: dict[tuple[str, ...], dict[str, list[str]]] = defaultdict(dict)
    for stem, of in stems_of_columns(table).items():
        if all(name in columns for name in of.values()) and _are_parted(columns, [*of.values()]):
            families[tuple(of)] |= {stem: [*of.values()]}
            families[tuple(of)] |= {VALUE: [*of]} if _are_measured(columns, [*of]) else {}
    # Where one is measured under each condition the others are too, such as the time that an answer took.
    families = {
        words: stems for words, stems in families.items() if any(_are_measured(columns, of) for of in stems.values())
    }
    if not families and (names := _cover(columns)):
        families[tuple(names)] = {VALUE: names}
    wide = sorted(families.items(), key=lambda each: (-len(each[0]), -len(each[1])))
    able = [(list(words), _with_marker(columns, stems)) for words, stems in wide if not are_seat_words(words)]
    return [each for each in able if not _is_told(table, columns, next(iter(each[1].values())))][:_OPTIONS]


def _partly_filled(table: Table) -> dict[str, Column]:
    """Return the columns of numbers that stand in some rows, and in more than a few."""
    lazy = LazyColumns(table)
    if len(lazy) > _WIDEST or len(table.rows) < 2 * _FEWEST_ROWS:
        return {}
    columns = (lazy[name] for name in table.names if name in table.cells)
    able = (each for each in columns if each.has_numbers and _FEWEST_ROWS <= each.n_filled < _NEARLY_ALL * each.rows)
    return {each.name: each for each in able if each.n_levels > 1}


def _are_parted(columns: Mapping[str, Column], names: Sequence[str]) -> bool:
    """Whether nearly all rows have exactly one of some columns."""
    if not 2 <= len(names) <= _MOST_PARTS:
        return False
    times = np.sum([columns[name].filled for name in names], axis=0)
    return bool(times.max() == 1 and np.mean(times) >= _NEARLY_ALL)


def _are_measured(columns: Mapping[str, Column], names: Sequence[str]) -> bool:
    """Whether columns of which each row has one hold answers on one scale."""
    able = all(name in columns for name in names) and _are_parted(columns, names)
    return able and _have_one_scale([columns[name] for name in names])


def _have_one_scale(columns: Sequence[Column]) -> bool:
    """Whether numbers are answers to one question: of a few grades, or as far reaching as each other."""
    grades = {level for column in columns for level in column.levels}
    are_grades = len(grades) <= _MOST_OF_SCALE and all(2 * column.n_levels >= len(grades) for column in columns)
    return are_grades or have_one_scale(columns)


def _cover(columns: Mapping[str, Column]) -> list[str]:
    """Return the columns of which each row has one, where no names say which belong together; [] if several sets may.

    Of columns that are filled in the same rows none is known to be the answer.
    """
    of_rows: dict[bytes, list[str]] = defaultdict(list)
    for name, column in columns.items():
        of_rows[np.packbits(column.filled).tobytes()].append(name)
    if len(of_rows) > _MOST_PATTERNS:
        return []
    parts = [(columns[names[0]].filled, names) for names in of_rows.values()]
    covers = list(itertools.islice(_covers(parts, np.zeros_like(parts[0][0])), 2))
    if len(covers) != 1 or any(len(names) > 1 for names in covers[0]):
        return []
    names = [of[0] for of in covers[0]]
    return names if _are_measured(columns, names) else []


def _covers(parts: Sequence[tuple[Rows, list[str]]], done: Rows) -> Iterator[list[list[str]]]:
    """Yield sets of parts that have no row in common and together nearly all of them."""
    if done.mean() >= _NEARLY_ALL:
        yield []
        return
    rows = np.sum([rows for rows, _ in parts], axis=0) if parts else np.zeros(len(done), int)
    open_rows = np.flatnonzero(~done & (rows > 0))
    if not open_rows.size:
        return
    for place, (filled, names) in enumerate(parts):
        if filled[open_rows[0]] and not (filled & done).any():
            rest = [part for at, part in enumerate(parts) if at != place and not (part[0] & filled).any()]
            yield from ([names, *others] for others in _covers(rest, done | filled))


def _with_marker(columns: Mapping[str, Column], stems: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return the stems whose columns stand where those of the fullest do, which goes first: it tells whose a row is."""
    filled = {stem: [columns[name].filled for name in of] for stem, of in stems.items()}
    fullest = max(filled, key=lambda stem: (sum(map(np.count_nonzero, filled[stem])), stem == VALUE))
    able = [
        stem
        for stem, of in filled.items()
        if stem != fullest and not any((own & ~whole).any() for own, whole in zip(of, filled[fullest], strict=True))
    ]
    return {stem: stems[stem] for stem in [fullest, *able]}


def _is_told(table: Table, columns: Mapping[str, Column], names: Iterable[str]) -> bool:
    """Whether a column of a few levels says in which of some columns a row has something, as a kind of event does."""
    parted = [columns[name] for name in names]
    rows = np.any([column.filled for column in parted], axis=0)
    of_row = np.argmax([column.filled for column in parted], axis=0)[rows]
    others = LazyColumns(table).besides(columns)
    return any(_tells(other.codes[rows], of_row) for other in others if len(parted) <= other.n_levels <= _MOST_PARTS)


def _tells(codes: npt.NDArray[np.int64], parts: npt.NDArray[np.signedinteger]) -> bool:
    """Whether codes determine in which part a row is."""
    pairs = {*zip(codes.tolist(), parts.tolist(), strict=True)}
    return len(pairs) == len({code for code, _ in pairs})
