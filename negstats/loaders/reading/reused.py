"""Ids that are used again: whether one id in two files, sheets or sessions is one person or game, or two.

Nobody says it, but columns do. What is one thing of each id in each source, and not of the whole source, is the same in
all sources where the id is one person, and differs where it is several. Where the same id has the same place in the
order of two sources, or where numbers begin anew, both may hold, and somebody has to be asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.relations import (
    are_others,
    are_unique_together,
    begins_anew,
    crossed,
    determines,
    distinct_pairs,
    share_of_balanced_units,
)
from negstats.loaders.reading.words import is_named, names_game, names_session, roles_of

Verdict: TypeAlias = Literal["same", "other", "open"]
_FEWEST_AGAIN = 3  # ids that stand in several sources
_LEAST_AGAIN = 0.1  # of the ids
_AGREE, _BY_CHANCE = 0.95, 0.8  # share of ids that say the same in all sources, and the most that chance may give
_DIFFER = 0.8  # share that says the same at the most, where a trait tells that people are others
_MOST_SET = 8  # levels of what was set within people
_SHORT = re.compile(r"[^\W\d_]{0,12}[-_ .]?\d{1,4}")  # such as 17, P017 and game_17; a code of a platform is longer


def ids_of_sources(columns: Sequence[Column]) -> list[Column]:
    """Return ids together with their source, where one id in two sources need not be one person or game.

    A column that `is_open` is as likely as the id by itself.
    """
    sources = sorted((column for column in columns if column.is_source), key=lambda each: -each.n_levels)
    joint = []
    for column in columns:
        for source in sources:
            if not _is_id(column, columns) or not _recurs(column, source):
                continue
            if any(_begins_anew_within(column, source, each) for each in columns):
                break  # sessions tell apart whom the source does not
            verdict = compare_sources(column, source, columns)
            if verdict != "same":
                both = crossed(source, column)
                joint.append(replace(both, parts=(source.name, column.name), is_open=verdict == "open"))
            break
    return joint


def _begins_anew_within(column: Column, source: Column, session: Column) -> bool:
    """Whether numbers begin anew in sessions of which a source holds several."""
    is_within = names_session(session) and session.n_levels > source.n_levels and determines(session, source)
    return is_within and session is not column and begins_anew(column, session)


def _is_id(column: Column, columns: Sequence[Column]) -> bool:
    """Whether a column may name people or games, by short ids that somebody else may have too."""
    if column.is_source or column.is_fractional or column.is_moment or column.n_levels < _FEWEST_AGAIN:
        return False
    if is_named(column, "order", "amount", "trait", "outcome", "time"):
        return False
    if not all(_SHORT.fullmatch(level) for level in column.levels):
        return False
    is_called_so = is_named(column, "person") or names_game(column)
    return is_called_so or not any(is_named(other, "person") or names_game(other) for other in columns)


def _recurs(column: Column, source: Column) -> bool:
    """Whether ids of which each source has several stand in more than one of them."""
    of_ids, of_sources = np.divmod(distinct_pairs(column, source), source.n_levels)
    n_again = int((np.bincount(of_ids) > 1).sum())
    ids_of_source = np.bincount(of_sources)
    return n_again >= max(_FEWEST_AGAIN, _LEAST_AGAIN * column.n_levels) and float(np.median(ids_of_source)) >= 2


def compare_sources(column: Column, source: Column, columns: Sequence[Column]) -> Verdict:
    """Say whether an id in two sources is one person or game, by what is constant in the id of a source."""
    if any("trait" in roles_of(alias) for alias in column.aliases):
        return "same"
    if not is_named(column, "person") and any(_are_other_people(each, column, source) for each in columns):
        return "other"
    unit = crossed(source, column)
    others = [
        other
        for other in columns
        if other not in (column, source)
        and not (other.is_moment or other.is_unique)
        and other.n_levels >= 2
        and other.share_filled > 0.5
        and not are_others(other, column)  # whom each met, by the same numbers
        and not determines(source, other)
        and not _follows_number(other, column)
        # Whatever stands in one row of each is one thing of it: only what people are says then who they are.
        and (is_named(other, "trait") if unit.is_unique else unit.rows_per_level > 1.5 and determines(unit, other))
    ]
    shares = {other: _share_agreeing(column, source, other) for other in others}
    if any(share >= _AGREE and _by_chance(other) < _BY_CHANCE for other, share in shares.items()):
        return "same"
    if any(share <= _DIFFER and is_named(other, "trait") for other, share in shares.items()):
        return "other"
    of_rows = (each for each in columns if each not in (column, source) and not determines(source, each))
    if unit.is_unique and any(is_set_within_person(column, each) for each in of_rows):
        return "same"  # who had each condition once, in another session each, is one person
    is_doubled = any(share <= _DIFFER for share in shares.values()) or begins_anew(column, source)
    orders = [other for other in columns if other.is_count and other is not column and not other.is_source]
    is_doubled = is_doubled or any(
        are_unique_together([unit, order]) and not are_unique_together([column, order]) for order in orders
    )
    return "open" if is_doubled else "same"


def _follows_number(other: Column, number: Column) -> bool:
    """Whether what a column says follows from a number in turn or in blocks: of each two one sits in the first group.

    Wherever numbers begin anew these are the same, whoever the people are.
    """
    if not (number.is_run and determines(number, other)):
        return False
    codes = other.codes[np.unique(number.codes, return_index=True)[1]]
    place, length = np.arange(len(codes)), max(int(np.argmax(codes != codes[0])), 1)
    able = (place // length, place % len(np.unique(codes)))
    return any(len({*zip(codes, of, strict=True)}) == len({*codes}) == len({*of}) for of in able)


def is_set_within_person(person: Column, other: Column) -> bool:
    """Whether everybody has each level of a column as often, as of a condition that was set within people."""
    is_condition = other.n_levels <= _MOST_SET and not (other.is_source or is_named(other, "trait"))
    return is_condition and share_of_balanced_units(person.codes, other) >= _AGREE


def _are_other_people(person: Column, column: Column, source: Column) -> bool:
    """Whether those who are called by short names in a game are others in each source, and each in one of them only."""
    if not is_named(person, "person") or person in (column, source) or person.share_filled < 1:
        return False
    are_short = all(_SHORT.fullmatch(level) for level in person.levels)
    return are_short and person.n_levels > column.n_levels and len(distinct_pairs(person, source)) == person.n_levels


def _share_agreeing(column: Column, source: Column, other: Column) -> float:
    """Return the share of the ids of several sources of which another column says one thing in all of them."""
    n_sources = np.bincount(distinct_pairs(column, source) // source.n_levels, minlength=column.n_levels)
    levels = np.bincount(distinct_pairs(column, other) // other.n_levels, minlength=column.n_levels)
    is_again = (n_sources > 1) & (levels > 0)
    return float(np.mean(levels[is_again] == 1)) if is_again.any() else 1.0


def _by_chance(column: Column) -> float:
    """Return the share of pairs of rows that agree on a column by chance."""
    shares = column.sizes / max(column.n_filled, 1)
    return float((shares**2).sum())
