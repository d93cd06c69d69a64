"""Readings in which each row is of one person: a case of its own, or a decision of somebody who has several."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.facts import Facts
from negstats.loaders.reading.hypotheses import (
    MEASURED_NAME,
    Hypothesis,
    add_entity,
    describe_difference,
    is_called_measured,
)
from negstats.loaders.reading.relations import (
    are_alike_somewhere,
    are_others,
    are_unique_together,
    begins_anew,
    distinct_pairs,
    levels_within,
    share_of_balanced_units,
)
from negstats.loaders.reading.words import is_named, names_session

_MOST_SINGLE = 0.15  # of the people, who have one row where others have several


def lone_reading(facts: Facts) -> Hypothesis:
    """Return the reading that each row is a case of its own."""
    hypothesis = Hypothesis("alone")
    hypothesis.add(1.5, "prior")
    unique = [column for column in facts.unique if column.name not in facts.members.values()]
    names = [column for column in unique if not column.is_count and not is_named(column, "order")]
    if names:
        hypothesis.add(1.5, describe_difference(names[0]))
    elif unique:
        hypothesis.add(0.5, f"{unique[0].name} numbers the rows")
    elif (numbered := find_numbered(facts)) is not None:
        number, part = numbered
        hypothesis.add(2.0, f"{number.name} numbers the rows of each {part.label}")
        # Who comes to several sources, and is missing in some, is hardly ever just the last of all numbers.
        if not part.is_source and are_whole_runs(number, part):
            hypothesis.add(1.5, f"and has no gap in any {part.label}, wherever it ends")
        hypothesis.add(1.5 * is_named(number, "person"), "and is called as a person is", of_names=True)
    counts = [column for column in unique if not is_named(column, "order") or column.is_count]
    hypothesis.person = max(names or counts, key=lambda column: is_named(column, "person"), default=None)
    if any(is_named(column, "person", "game") for column in unique):
        hypothesis.add(1.5, "and is called as a person or a game is", of_names=True)
    return hypothesis


def find_numbered(facts: Facts) -> tuple[Column, Column] | None:
    """Return a column that numbers the rows of each part anew, and the one that names the parts; None for none."""
    parts = [column for column in facts.discrete if not (column.has_numbers or is_named(column, "order"))]
    numbers = [each for each in facts.discrete if each.is_count and not (each.is_source or is_named(each, "order"))]
    numbers += facts.indexes
    pairs = itertools.product(numbers, parts)
    unique = (pair for pair in pairs if are_unique_together(pair))
    return next((pair for pair in unique if pair[1].is_source or _numbers_each(*pair)), None)


def are_whole_runs(number: Column, part: Column) -> bool:
    """Whether each part has all numbers up to its last one, and the last one is another in some parts."""
    pairs = distinct_pairs(part, number)
    parts, numbers = np.divmod(pairs, number.n_levels)
    last = np.zeros(part.n_levels, np.int64)
    np.maximum.at(last, parts, numbers)
    return bool((np.bincount(parts, minlength=part.n_levels) == last + 1).all() and np.ptp(last) > 0)


def _numbers_each(number: Column, part: Column) -> bool:
    """Whether a number begins anew in each part of the rows and ends elsewhere: 40 is another person in the next part.

    Who did several things is in each of them, up to one last number.
    """
    is_uneven = not part.is_even or (is_named(number, "person") and are_whole_runs(number, part))
    return is_uneven and begins_anew(number, part)


def repeated_reading(facts: Facts, person: Column) -> Hypothesis:
    """Return the reading that rows are decisions of a person who has several."""
    hypothesis = Hypothesis("repeated", person=person)
    add_entity(facts, person, hypothesis)
    crossed = _add_order(facts, person, hypothesis)
    balanced = _add_set_within(facts, person, hypothesis)
    _add_traits(facts, person, balanced, hypothesis)
    _add_rivals_of_person(facts, person, hypothesis)
    hypothesis.add(_person_name_points(person), "its name", of_names=True)
    _add_people_met(facts, person, hypothesis)
    is_bare = not (facts.determined_by(person) or crossed or balanced or is_named(person, "person"))
    if is_bare and person.is_whole and not are_alike_somewhere(facts.columns, person):
        hypothesis.add(-3.0, "its rows are no more alike than any others")
    if person.is_whole and not person.is_even:
        hypothesis.add(-1.0 * (not person.is_count), "numbers that name nothing in order")
        # Of people who have several rows hardly anybody has one; of what was measured the rare values have.
        if np.mean(person.sizes == 1) > _MOST_SINGLE:
            hypothesis.add(-2.0, "many occur in one row only, as measured values do")
    return hypothesis


def _add_order(facts: Facts, person: Column, hypothesis: Hypothesis) -> list[Column]:
    """Add the order of a person's rows; return the columns that name each row together with the person."""
    constant = facts.determined_by(person)
    crossed = [
        column
        for column in facts.discrete
        if column is not person
        and column.n_levels <= 1.5 * person.sizes.max()
        and column not in constant
        and are_unique_together([person, column])
    ]
    if crossed:
        order = min(crossed, key=lambda each: (-each.is_count, -is_named(each, "order"), each.name))
        hypothesis.order = order if order.is_count and order.n_levels >= 3 else None
        hypothesis.add(1.0 if hypothesis.order else 0.5, f"with {order.name} it names each row")
    return crossed


def _add_set_within(facts: Facts, person: Column, hypothesis: Hypothesis) -> list[Column]:
    """Add what was set within people; return the columns of which each person has each level as often."""
    constant = facts.determined_by(person)
    balanced = [
        column
        for column in facts.discrete
        if column is not person
        and column.n_levels <= person.rows_per_level
        and column not in constant
        and share_of_balanced_units(person.codes, column) > 0.9
    ]
    if balanced:
        points = 1.5 if person.rows_per_level > 2.2 else 0.5
        hypothesis.add(points, f"each has each level of {balanced[0].name} as often")
    return balanced


def _add_traits(facts: Facts, person: Column, balanced: Sequence[Column], hypothesis: Hypothesis) -> None:
    """Add what it means that something that people are differs within a person."""
    # The sex of those whom each person judges was set.
    differing = [each for each in traits_within(facts, person) if each not in balanced]
    if differing and not any(is_named(each, "trait") for each in facts.determined_by(person)):
        hypothesis.add(-3.0, f"{differing[0].name} differs within it")


def traits_within(facts: Facts, person: Column) -> list[Column]:
    """Return what is called a trait and differs in most of those who are said to be people."""
    traits = (each for each in facts.columns if is_named(each, "trait") and each is not person)
    differing = (each for each in traits if float(np.mean(levels_within(person, each) > 1)) > 0.5)
    return [each for each in differing if not are_unique_together([person, each])]  # an age of each year names the rows


def _add_rivals_of_person(facts: Facts, person: Column, hypothesis: Hypothesis) -> None:
    """Add what another column says of who the person is: of each source, of each row, or a finer one."""
    if person.is_source:
        hypothesis.add(-1.5, "it is a file, a folder or a sheet")
        if (owner := _find_owner(facts, person)) is not None:
            hypothesis.add(-3.0, f"each belongs to one {owner.label}")
    elif (joint := facts.find_joint(person)) is not None:
        reason = f"{person.label} is used again: {joint.label} may be the person"
        hypothesis.add(-1.0 if joint.is_open else -3.0, reason)
    others = [column for column in facts.unique if not (column.is_count or column.is_open)]
    if others:
        is_person = any(is_named(column, "person") for column in others)
        hypothesis.add(-2.5 if is_person else -1.0, describe_difference(others[0]))
    if person.rows_per_level <= 2.2:
        hypothesis.add(-1.0 if person.is_even else -2.0, "only two rows each")
    finer = [
        column
        for column in facts.entities
        if column is not person
        and person in facts.determined_by(column)
        and column.n_levels < 0.6 * column.n_filled
        and not column.is_source
    ]
    if finer:
        hypothesis.add(-3.0, f"it is constant in {finer[0].name}")


def _find_owner(facts: Facts, file: Column) -> Column | None:
    """Return who has several files, as a column or a part of their names that is called a person says.

    A part of a name says it only where the other parts are runs or rounds: in each arm people may be numbered anew.
    """
    named = (each for each in facts.determined_by(file) if is_named(each, "person") and each in facts.entities)
    others = [each for each in facts.columns if each.name in file.parts and not is_named(each, "person")]
    are_runs = all(is_named(each, "order", "game") for each in others)
    return next((each for each in named if not each.is_source or are_runs), None)


def _add_people_met(facts: Facts, person: Column, hypothesis: Hypothesis) -> None:
    """Add what it means that the same names stand in another column, and never in the same row: whom each met."""
    of_parts = {of.parts[-1] for of in facts.entities if of.parts}
    numbers = (
        each
        for each in facts.columns
        if each.name in of_parts or (is_named(each, "person") and not is_named(person, "person"))
    )
    if (met := next((each for each in numbers if are_others(person, each)), None)) is not None:
        hypothesis.add(-3.0, f"each {met.label} meets another one of them")


def _person_name_points(person: Column) -> float:
    is_person = is_named(person, "person")
    points = (
        1.5 * is_person - 1.5 * is_named(person, "order") - MEASURED_NAME * (names_session(person) and not is_person)
    )
    if not is_person:
        points -= 1.5 * is_named(person, "game")
    return points - MEASURED_NAME * is_called_measured(person)
