"""Exports of which a later one holds the people of an earlier one again, some of whose cells have changed since.

A program that exports all sessions so far writes each of them once more. A page that somebody has reached since, or a
payoff, differs; when somebody began does not.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import polars as pl

from negstats.loaders.files.tabular import Table, joined

_MOST_TABLES = 50  # that are compared with each other
_FEWEST_PEOPLE = 4
_NEARLY_UNIQUE = 0.8  # of the people began at a moment of their own
_SAME_CELLS, _SAME_COLUMNS = 0.99, 0.75  # of the rows of a column, and of the columns that vary
_MOMENT = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}[ T]+\d{1,2}:\d{2}"
_CODE = r"^(?:[A-Za-z_-]*\d|\d+[A-Za-z_-])[A-Za-z0-9_-]{3,}$"
_PLACE, _OF_OTHER = "\0place", "\0other"


def find_earlier_exports(tables: Sequence[Table]) -> dict[int, list[str]]:
    """Return the places of tables whose people all stand in a longer one, each with the columns that differ there.

    These people have a code and began at the same moment in both, have as many rows, and most columns agree.
    """
    if not 1 < len(tables) <= _MOST_TABLES:
        return {}
    frames = [_as_frame(table) for table in tables]
    earlier: dict[int, list[str]] = {}
    for place, frame in enumerate(frames):
        longer = (other for other in frames if len(other) > len(frame))
        differing = (_changed_columns(frame, other) for other in longer)
        if (names := next((names for names in differing if names is not None), None)) is not None:
            earlier[place] = names
    return earlier


def _as_frame(table: Table) -> pl.DataFrame:
    cells = {name: pl.Series(joined([of])).cast(pl.String) for name, of in table.cells.items()}
    return pl.DataFrame(cells)


def _changed_columns(frame: pl.DataFrame, longer: pl.DataFrame) -> list[str] | None:
    """Return the columns whose cells have changed since an export; None where a longer one holds other people."""
    names = [name for name in frame.columns if name in longer.columns]
    moments = [name for name in names if _all_match(frame[name], _MOMENT)]
    codes = [name for name in names if name not in moments and _all_match(frame[name], _CODE)]
    for key, moment in itertools.product(codes, moments):
        people = frame.select(key, moment).drop_nulls().unique()
        is_of_people = len(people) >= _FEWEST_PEOPLE and people[key].is_unique().all()
        if not is_of_people or people[moment].n_unique() < _NEARLY_UNIQUE * len(people):
            continue
        of_people = longer.filter(pl.col(key).is_in(people[key].implode()))
        pairs = _beside_each_other(frame, of_people, key, names)
        if len(pairs) != len(frame) or len(of_people) != len(frame):
            continue
        varying = [name for name in names if name != key and pairs[name].n_unique() > 1]
        share = {name: pairs[name].eq_missing(pairs[name + _OF_OTHER]).sum() / len(pairs) for name in names}
        alike = [name for name in varying if share[name] >= _SAME_CELLS]
        if moment in alike and len(alike) >= _SAME_COLUMNS * len(varying):
            return [name for name in names if share[name] < 1]
    return None


def _all_match(cells: pl.Series, pattern: str) -> bool:
    """Whether all cells that hold something fit a pattern, and there are several."""
    filled = cells.drop_nulls()
    filled = filled.filter(filled != "")
    return len(filled) >= _FEWEST_PEOPLE and bool(filled.str.contains(pattern).all())


def _beside_each_other(frame: pl.DataFrame, other: pl.DataFrame, key: str, names: Sequence[str]) -> pl.DataFrame:
    """Return the rows of people beside those that they have in another table, the first beside the first."""
    one, two = (
        each.select(names).with_columns(pl.int_range(pl.len()).over(key).alias(_PLACE)) for each in (frame, other)
    )
    both = one.join(two, on=[key, _PLACE], suffix=_OF_OTHER, maintain_order="none")
    return both.with_columns(pl.col(key).alias(key + _OF_OTHER))
