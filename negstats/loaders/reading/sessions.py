"""Sessions in which the numbers of people begin anew: whether a number is one person, or another one in each.

Where people are named by a number and their session, both together are a column of their own among the facts.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.relations import (
    are_others,
    are_unique_together,
    begins_anew,
    crossed,
    determines,
    distinct_pairs,
    partners_among,
)
from negstats.loaders.reading.reused import Verdict, compare_sources, is_set_within_person
from negstats.loaders.reading.words import is_named, names_game, names_session, roles_of

_MOST_SESSIONS = 60
_MOST_BLOCKS = 6  # columns of which pairs may be groups of sessions
LEAST_PEOPLE = 3  # of a session, and levels of what is called as people are
_LEAST_ROWS = 1.5  # of a person
_FEWEST_AGES = 10  # of people


def units_of_sessions(columns: list[Column], *, has_sides: bool) -> list[Column]:
    """Return columns of people whose numbers begin anew in each session or group, where no trait says otherwise.

    Sessions are told by their names, and where there are none by the cells.

    Each has as many rows, or something that is one thing of each of them, as an age is.

    Where a row tells of both seats it is the games that are numbered so.
    """
    sessions = [column for column in columns if names_session(column)]
    sessions.sort(key=names_game)  # a group numbers its members, a session its people
    named = [column for column in columns if names_game(column) if has_sides] or [
        column for column in columns if is_named(column, "person")
    ]
    own_names = [column for column in named if not column.is_run]
    partners = partners_among(columns)
    runs = [column for column in named or columns if column.is_run and not column.is_binary]  # 0 and 1 are a flag
    counts = [column for column in runs if column not in partners]
    counts.sort(key=lambda each: each.n_levels)  # of two numbers the one that begins anew more often is the person
    people: list[Column] = []
    shared: dict[Column, list[Column]] = {}
    for number in counts:
        if are_people_again(columns, number):
            continue
        meet = any(are_others(each, number) for each in columns) and not is_named(number, "order")
        are_people = bool(named) or is_named(number, "seat") or meet
        of_names = sessions if are_people else []
        if any(_name_rows(columns, each, number) for each in of_names):
            # What holds several people of one number in each round is no session of theirs.
            of_names = [each for each in of_names if _name_rows(columns, each, number)]
        pairs = _groups_of_sessions(columns, number, of_names, shared)
        pairs = pairs or (_groups_of_sessions(columns, number, [], shared) if of_names else [])
        for session in [*pairs, *(of_names or _unnamed_sessions(columns, number, shared))]:
            parts = (*(session.parts or (session.name,)), number.name)
            is_known = any(set(parts) == set(of.parts) for of in people)
            if session is number or is_known or not begins_anew(number, session):
                continue
            joint = crossed(session, number)
            if any(2 * each.n_levels > joint.n_levels for each in own_names):
                continue  # people have names of their own; of the computers of a laboratory there are fewer
            verdict = _compare_sessions(
                columns, session, number, joint, is_called_so=bool(of_names) and session in (*of_names, *pairs)
            )
            if verdict != "same":
                people.append(replace(joint, parts=parts, is_open=verdict == "open"))
                if session in of_names or (session in pairs and of_names):
                    break
    return people


def are_people_again(columns: list[Column], number: Column) -> bool:
    """Whether an age, or another trait, is the same wherever a number stands: one person came to several sessions."""
    traits = (column for column in columns if is_named(column, "trait") and column.n_levels > 2)
    is_told_beside = any("trait" in roles_of(alias) for alias in number.aliases)
    return is_told_beside or any(determines(number, trait) for trait in traits)


def _compare_sessions(
    columns: list[Column], session: Column, number: Column, people: Column, *, is_called_so: bool
) -> Verdict:
    """Say whether a number is one person in all sessions, where sessions and numbers together would be `people`.

    Each of them has as many rows as others of the session, or something that is one thing of each. Where they have one
    row each, and may have come again in each session, the session must be called so.
    """
    own = [
        column
        for column in columns
        if determines(people, column) and not (determines(session, column) or determines(number, column))
    ]
    if any(is_set_within_person(number, column) for column in own):
        return "same"  # numbers that begin anew have no reason to share out what others of that number had
    has_own = _are_even_within(session, people) or any(column.n_levels > 2 for column in own)
    if not has_own or (people.is_unique and not is_called_so):
        return "same"
    # Members of a group are others than those of the next one.
    is_of_group = any(names_game(each) for each in columns if each.name in (session.name, *session.parts))
    if not is_of_group and any(_may_be_trait(each, number) for each in columns):
        return "open"
    return "other" if is_of_group or not people.is_unique else compare_sources(number, session, columns)


def _may_be_trait(column: Column, number: Column) -> bool:
    """Whether a number is nearly another one wherever another number stands, as an age is of whoever comes again."""
    has_many = column.n_levels >= max(_FEWEST_AGES, number.n_levels / 2) and not (column.is_run or column.is_unique)
    return has_many and column.has_numbers and column is not number and determines(number, column)


def _name_rows(columns: list[Column], *people: Column) -> bool:
    """Whether people, named by sessions and a number, have a row each, or one in each round."""
    if are_unique_together(people):
        return True
    counts = (each for each in columns if each.is_count and (each.is_even or is_named(each, "order")))
    orders = (each for each in counts if each not in people and not (each.is_source or names_session(each)))
    return any(are_unique_together([*people, order]) for order in orders)


def _groups_of_sessions(
    columns: list[Column], number: Column, named: list[Column], shared: dict[Column, list[Column]]
) -> list[Column]:
    """Return groups of sessions where numbers of people begin anew in both: only both tell their rows apart.

    Where neither is called so, something was the same for a whole session that was not the same for the number.
    """
    able = named or [
        column
        for column in columns
        if column.is_even
        and not column.is_fractional
        and 2 <= column.n_levels <= _MOST_SESSIONS
        and not is_named(column, "order")
    ]
    able = [each for each in able if each is not number and begins_anew(number, each)][:_MOST_BLOCKS]
    groups = []
    for pair in itertools.combinations(able, 2):
        if any(determines(one, other) for one, other in itertools.permutations(pair)):
            continue
        are_both = _name_rows(columns, *pair, number) and not any(_name_rows(columns, one, number) for one in pair)
        is_of_source = sum(each.is_source for each in pair) == 1 and any(map(names_game, pair))
        has_own = named or is_of_source or any(_have_something_of(columns, each, number, shared) for each in pair)
        if are_both and has_own:
            groups.append(replace(crossed(*pair), parts=tuple(each.name for each in pair)))
    # Where a column names the people of one of these groups, none of the numbers does.
    people = [crossed(group, number) for group in groups]
    has_names = any(each.n_levels == one.n_levels and determines(one, each) for one in people for each in columns)
    return [] if has_names else groups


def _are_even_within(session: Column, people: Column) -> bool:
    """Whether all people of a session have as many rows: sessions may be of different length."""
    of, person = np.divmod(distinct_pairs(session, people), people.n_levels)
    spreads = (np.ptp(people.sizes[person[of == code]]) for code in np.unique(of))
    return people.is_even or all(spread <= 1 for spread in spreads)


def _unnamed_sessions(columns: list[Column], number: Column, shared: dict[Column, list[Column]]) -> list[Column]:
    """Return what may be the sessions in which numbers begin anew, by the cells alone.

    A number stands several times in each round, and once in each round of a session; and something was the same for the
    whole session, such as its condition, that was not the same for the number. Where another column says by the same
    numbers whom each met, the numbers are people's, and no rounds are needed. A day on which much happened may be a
    session, however many people came. What each block has of its own is kept in
    `shared`, as it is the same whichever number is looked at. Where a number of a session of some code has several
    things of its own, such as an age and a sex, it is somebody's.
    """
    if number.n_levels < LEAST_PEOPLE or is_named(number, "order"):
        return []
    coded = [column for column in columns if column.has_codes and 2 <= column.n_levels <= _MOST_SESSIONS]
    of_codes = [each for each in coded if begins_anew(number, each) and _have_traits(columns, each, number)]
    if of_codes:
        return of_codes
    orders = [
        column
        for column in columns
        if column is not number and column.is_count and column.is_even and not are_unique_together([number, column])
    ]
    are_of_people = any(are_others(each, number) for each in columns)
    blocks = [
        column
        for column in columns
        if column is not number
        and 2 <= column.n_levels <= _MOST_SESSIONS
        and (column.is_even or column.is_moment or are_of_people)
        and not column.is_fractional
        and not is_named(column, "order")
    ]
    sessions = []
    for block in blocks:
        rounds = [each for each in orders if each is not block and are_unique_together([block, number, each])]
        has_own = (rounds or are_of_people) and _have_something_of(columns, block, number, shared)
        if are_of_people and has_own:
            sessions.append(block)
        elif has_own:
            # Where nothing says that the others are rounds, they may be the sessions just as well.
            sessions += [block, *(each for each in rounds if not is_named(each, "order"))]
    return list(dict.fromkeys(sessions))


def _have_traits(columns: list[Column], session: Column, number: Column) -> bool:
    """Whether an age, or several columns with words, are one thing of each number of a session, and of neither alone.

    Several numbers may be those of a round of a session: what all gave, and a price.
    """
    joint = crossed(session, number)
    if joint.rows_per_level < _LEAST_ROWS:
        return False
    traits = [
        column
        for column in columns
        if column not in (session, number)
        and not (column.is_unique or column.is_fractional)
        and determines(joint, column)
        and not (determines(session, column) or determines(number, column))
    ]
    is_called_so = any(is_named(trait, "trait") and trait.n_levels > 2 for trait in traits)
    return is_called_so or (len(traits) > 1 and any(not trait.has_numbers for trait in traits))


def _have_something_of(
    columns: list[Column], block: Column, number: Column, shared: dict[Column, list[Column]]
) -> bool:
    """Whether something was the same for a whole block, such as its condition, that was not the same for a number."""
    if block not in shared:
        shared[block] = [each for each in columns if 2 <= each.n_levels < block.n_levels and determines(block, each)]
    return any(each is not number and not determines(number, each) for each in shared[block])
