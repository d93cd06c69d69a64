"""Which tables have a row for each measure of a person: names of measures in one column, their values in another."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

import numpy as np

from negstats.errors import LogError
from negstats.loaders.files.long_tables import widened
from negstats.loaders.files.tabular import Long, Table
from negstats.loaders.mapping.forms import Look
from negstats.loaders.reading.columns import Column, build_column, number_of
from negstats.loaders.reading.relations import determines, joint_codes
from negstats.loaders.reading.words import is_named, roles_of
from negstats.toml_text import value_text

_MOST_ROWS, _MOST_COLUMNS = 200_000, 12  # beyond which no table of this kind is looked for
_FEWEST, _MOST_MEASURES = 3, 60
_FEWEST_UNITS, _MOST_KEYS = 5, 3
_MOST_UNKNOWN, _FEWEST_OF_UNKNOWN = 12, 20  # measures with names that nobody knows, and values of each
_MOSTLY = 0.8  # of the units have each measure
_NEARLY_ALL = 0.95  # of the values of a measure are of its kind
_WIDER = 3  # times
_MEASURED = frozenset({"outcome", "trait", "amount", "time"})


def with_all_measures(table: Table, layout: Look) -> tuple[Table, Look]:
    """Return a table with a row for all measures of a person, and how it is written, if it has one for each of them."""
    long = find_long(table)
    if long is None:
        return table, layout
    try:
        wide = widened(table, long)
    except LogError:
        return table, layout
    return wide, replace(layout, form=replace(layout.form, long=long), lines=(*layout.lines, line_of_long(long)))


def line_of_long(long: Long) -> str:
    """Return the line of a mapping by which rows of one measure each are put together."""
    return f"long = {value_text(asdict(long))}  # a row is one measure: all of one unit are put together"


def find_long(table: Table, *, are_known: bool = True) -> Long | None:
    """Return the columns of a table with a row for each measure; None if it is none.

    The values of measures are of different kinds (words and numbers, or whole numbers and others), and a few columns
    name units that have each measure once. What one condition changes is of one kind in all of them. Numbers whose
    ranges differ are of several kinds where known names explain it; where they need not be `are_known`, they may be.
    """
    if not _FEWEST <= len(table.cells) <= _MOST_COLUMNS or not _FEWEST_UNITS < len(table.rows) <= _MOST_ROWS:
        return None
    columns = [build_column(name, cells) for name, cells in table.cells.items()]
    for names in columns:
        is_able = not names.has_numbers and _FEWEST <= names.n_levels <= _MOST_MEASURES and names.share_filled == 1
        if not is_able or names.rows_per_level < _FEWEST_UNITS or names.is_prose or names.has_codes:
            continue
        if not (are_known or _may_name_measures(names)):
            continue
        others = [column for column in columns if column is not names]
        for values in others:
            if not determines(names, values) and _are_of_kinds(names, values, are_known=are_known):
                by = _find_key(names, [column for column in others if column is not values])
                if by is not None:
                    return Long(names.name, values.name, by)
    return None


def _may_name_measures(names: Column) -> bool:
    """Whether words that nobody knows may name measures: a few, each of many, that are no people."""
    are_of_units = is_named(names, "person", "game", "seat")
    return names.n_levels <= _MOST_UNKNOWN and names.rows_per_level >= _FEWEST_OF_UNKNOWN and not are_of_units


def _are_of_kinds(names: Column, values: Column, *, are_known: bool) -> bool:
    """Whether the kind of a value follows from what it is the value of."""
    numbers = np.array([*(np.nan if (of := number_of(level)) is None else of for level in values.levels), np.nan])
    of_rows = numbers[values.codes]
    groups = [of_rows[(names.codes == code) & values.filled] for code in range(names.n_levels)]
    if not all(len(group) for group in groups):
        return False
    shares = np.array([float(np.mean(~np.isnan(group))) for group in groups])
    if not all((shares >= _NEARLY_ALL) | (shares <= 1 - _NEARLY_ALL)):
        return False
    if shares.min() < _MOSTLY <= shares.max():
        return True
    return bool(shares.min() > _MOSTLY) and _are_of_scales(names, groups, are_known=are_known)


def _are_of_scales(
    names: Column, groups: Sequence[np.ndarray[tuple[int], np.dtype[np.float64]]], *, are_known: bool
) -> bool:
    """Whether numbers are whole for some measures and fractions for others, or of ranges that known names explain."""
    bare = [group[~np.isnan(group)] for group in groups]
    fractions = [float(np.mean(group % 1 != 0)) for group in bare]
    if min(fractions) == 0 and max(fractions) > 0.5:
        return True
    spreads = [float(np.ptp(group)) for group in bare]
    if not are_known:
        return max(spreads) > _WIDER * min(spreads)
    names_known = [not _MEASURED.isdisjoint(roles_of(level)) for level in names.levels]
    are_apart = any(one.max() < other.min() for one, other in itertools.permutations(bare, 2))
    return float(np.mean(names_known)) > 0.5 and are_apart and max(spreads) > _WIDER * min(spreads)


def _find_key(names: Column, others: Sequence[Column]) -> tuple[str, ...] | None:
    """Return the fewest columns that name units with each measure at most once, and mostly each of them."""
    able = [
        column for column in others if column.n_levels > 1 and column.share_filled == 1 and not column.is_fractional
    ]
    for key in _keys(able):
        units = joint_codes(key)
        count = int(units.max()) + 1
        pairs = len(np.unique(units * names.n_levels + names.codes))
        if count >= _FEWEST_UNITS and pairs == len(units) >= _MOSTLY * count * names.n_levels:
            return tuple(column.name for column in key)
    return None


def _keys(columns: Sequence[Column]) -> Iterator[tuple[Column, ...]]:
    """Yield what may name units: few columns first, and those first that are called as people or games."""
    ordered = sorted(columns, key=lambda each: not is_named(each, "person", "game"))
    for size in range(1, _MOST_KEYS + 1):
        yield from itertools.combinations(ordered, size)
