"""People who never began: all that can be empty in their rows is, and the rest is what a program wrote beforehand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from negstats.loaders.reading.columns import Column, Flags, flag_column
from negstats.loaders.reading.relations import determines
from negstats.loaders.reading.words import is_named, names_session

_FEWEST_EMPTY = 3  # columns that are empty for those who never began
_FEWEST_ABSENT = 2  # rows: of one row any number is the same in all
_MOST_ABSENT = 0.6  # of the rows


def find_begun(columns: Mapping[str, Column]) -> Column | None:
    """Return a column that is filled for all who began and for nobody else; None where all began.

    Who never began has nothing in any column that is ever empty, but for those of a whole session, and in the others
    only names, and numbers that are one and the same for all of these people: a payoff of 0, the first group. A column
    must say who the people are.
    """
    own = [column for column in columns.values() if not column.is_source]
    partly = [column for column in own if 0 < column.n_filled < column.rows]
    groups = [column for column in columns.values() if column.is_source or names_session(column)]
    partly = [each for each in partly if not any(determines(of, flag_column(each.filled)) for of in groups)]
    if len(partly) < _FEWEST_EMPTY:
        return None
    is_absent = ~np.any([column.filled for column in partly], axis=0)
    begun = [column for column in partly if np.array_equal(column.filled, ~is_absent)]
    if not (_FEWEST_ABSENT <= is_absent.sum() <= _MOST_ABSENT * len(is_absent) and begun):
        return None
    others = [column for column in own if column.n_filled == column.rows]
    people = [each for each in others if each.has_codes or (is_named(each, "person") and not each.is_fractional)]
    are_whole = any(_are_all_of(person, is_absent) for person in people)
    numbers = [each.numbers for each in others if not _is_name(each)]
    is_written = all(of is None or len(np.unique(of[is_absent])) == 1 for of in numbers)
    return begun[0] if are_whole and is_written else None


def _are_all_of(person: Column, rows: Flags) -> bool:
    """Whether some rows are all rows of several people."""
    absent, present = ({*person.codes[of].tolist()} for of in (rows, ~rows))
    return len(absent) >= _FEWEST_ABSENT and absent.isdisjoint(present)


def _is_name(column: Column) -> bool:
    """Whether numbers count people, seats or rounds, or name rows: a program gives them before anybody begins."""
    return column.is_run or column.numbers_rows or is_named(column, "person", "order", "seat")
