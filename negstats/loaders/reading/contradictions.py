"""What speaks against a reading of the rows, whoever made it: a second look at the rows that it puts together.

A reading is the best of its rivals, and the best may be wrong. Here nothing is weighed: each check names something
that cannot be if the reading holds, and one that does turns an answer into a question.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.event_readings import share_by_chance
from negstats.loaders.reading.facts import Facts
from negstats.loaders.reading.hypotheses import Hypothesis
from negstats.loaders.reading.people_readings import are_whole_runs, find_numbered, traits_within
from negstats.loaders.reading.relations import are_unique_together, crossed, determines, joint_codes, levels_within
from negstats.loaders.reading.words import is_named, names_game

_MOST_ACTORS = 8  # of a game
_MOSTLY, _BY_CHANCE = 0.9, 0.9
_FEWEST_SEATS = 3  # in each round: two are mostly the two conditions of a person
_MOST_NUMBERS = 12  # columns that are held against each other
_FEWEST_ROWS = 1.5  # of a level of a column that names people who come again


def find_contradictions(facts: Facts, row: Hypothesis) -> list[str]:
    """Return what cannot be if a row is what a reading says.

    Parameters
    ----------
    facts
        Of the table.
    row
        What a row is.
    """
    match row.kind:
        case "alone":
            return list(_of_lone_rows(facts))
        case "repeated":
            return list(_of_people(facts, row.person)) if row.person is not None else []
        case _:
            return list(_of_games(facts, row)) if not row.game[0].name.startswith("{") else []


def _of_lone_rows(facts: Facts) -> Iterator[str]:
    """Yield who has several rows, where each is said to be a case of its own."""
    numbered = find_numbered(facts)
    # A number that has no gap in any part numbers the people of each anew: neither comes again.
    single = {each.name for each in numbered} if numbered is not None and are_whole_runs(*numbered) else set[str]()
    # Who met whom is told in one row, and both may meet others in other rows.
    single |= {each.name for each in facts.met or ()} | facts.names_of_seats
    # Nor does a number of people who are others in each session.
    single |= {part for each in facts.unique if not each.is_open for part in each.parts}
    for each in facts.entities:
        if (
            not single.isdisjoint((each.name, *each.parts[-1:]))
            or each.is_source
            or each.rows_per_level < _FEWEST_ROWS
            or is_named(each, "order")
        ):
            continue
        own = _constants(facts, each)
        orders = [of for of in facts.discrete if of.is_count and of is not each and are_unique_together([each, of])]
        if is_named(each, "person") or ((each.is_even or each.has_codes) and own and orders):
            words = f", and {own[0].name} is one thing in each" if own else ""
            yield f"{each.label} has {each.n_levels} levels in {facts.rows} rows{words}"
    yield from _of_numbered_parts(facts)


def _of_numbered_parts(facts: Facts) -> Iterator[str]:
    """Yield what numbers the rows anew in each combination of two columns: what happened in a trial of a person."""
    counts = [each for each in facts.discrete if each.is_run and not is_named(each, "trait")][:_MOST_NUMBERS]
    able = [each for each in facts.discrete[:_MOST_NUMBERS] if not each.is_source]
    for one, other in itertools.combinations(able, 2):
        if determines(one, other) or determines(other, one):
            continue
        joint = crossed(one, other)
        if joint.rows_per_level < _FEWEST_ROWS:
            continue
        numbers = (each for each in counts if each not in (one, other) and are_whole_runs(each, joint))
        number = next((each for each in numbers if are_unique_together([joint, each])), None)
        if number is not None:
            yield f"{number.name} numbers the rows of each {joint.name}"
            return


def _constants(facts: Facts, column: Column) -> list[Column]:
    """Return what is one thing in each level of a column, and not of it by its name or by its place."""
    return [of for of in facts.determined_by(column) if not (of.is_source or of.parts or of.name in column.parts)]


def _of_people(facts: Facts, person: Column) -> Iterator[str]:
    """Yield what differs within those who are said to be people, and who else may be."""
    is_called = is_named(person, "person")
    own = _constants(facts, person)
    others = [(each,) for each in facts.columns if each is not person and not each.is_fractional]
    # Two conditions of a person, or the periods of matches of which each person had several.
    even = [each for each in facts.discrete if each.is_even and each is not person]
    counts = [each for each in facts.discrete if each.is_count and each is not person]
    set_together = itertools.chain(itertools.combinations(even, 2), itertools.combinations(counts, 2))
    told_apart = (are_unique_together([person, *of]) for of in (*others, *set_together))
    if not is_called and not any(told_apart):
        yield f"nothing tells the rows of one {person.label} apart, which may be its members"
    yield from _of_rounds(facts, person) if not is_called else ()
    for each in facts.entities:
        if each is person or each.is_source or each.parts or is_named(each, "order") or each.name in person.parts:
            continue
        if is_named(each, "person") and not is_called and not determines(person, each):
            yield f"rows of one {person.label} are of several {each.label}"
        elif determines(each, person) and each.rows_per_level >= _FEWEST_ROWS and is_named(each, "person"):
            yield f"each {each.label} lies in one {person.label}, and comes again"
        elif not (own or is_called or determines(each, person) or determines(person, each)) and _constants(facts, each):
            yield f"{_constants(facts, each)[0].name} is one thing in each {each.label}, and nothing in {person.label}"
    for each in traits_within(facts, person) if not is_called else ():
        yield f"{each.name} differs within one {person.label}"


def _of_rounds(facts: Facts, person: Column) -> Iterator[str]:
    """Yield what may be the names of those who sit in each round of what is said to be a person."""
    even = [each for each in facts.discrete if each.is_even and each is not person and each.name not in person.parts]
    for number, word in itertools.product(even, even):
        if not number.is_count or word.has_numbers or word.n_levels < _FEWEST_SEATS or word.is_source:
            continue
        is_crossed = not are_unique_together([person, number]) and are_unique_together([person, number, word])
        if is_crossed and len(np.unique(joint_codes([number, word]))) == number.n_levels * word.n_levels:
            yield f"each {number.name} has each {word.name} once: these may be members of {person.label}"
            return


def _of_games(facts: Facts, row: Hypothesis) -> Iterator[str]:
    """Yield what differs or is alike in those rows that are said to be one game."""
    game = crossed(*row.game)
    label = " × ".join(column.label for column in row.game)
    yield from _of_key(row, label)
    rows = np.bincount(game.codes[game.codes >= 0], minlength=game.n_levels)
    for each in (each for each in facts.discrete if each not in row.game and not each.parts):
        inside = levels_within(game, each)
        if names_game(each) and np.mean(inside > 1) > _MOSTLY and not each.is_count:
            yield f"one {label} holds several {each.label}"
        if not is_named(each, "person") or each.is_source:
            continue
        if np.mean(inside == 1) > _MOSTLY:
            yield f"rows of one {label} are of one {each.label}"
        elif np.median(inside) > _MOST_ACTORS:
            yield f"{np.median(inside):.0f} of {each.label} act in one {label}"
        elif row.kind == "seats" and np.mean(inside == rows) < 1 - _MOSTLY:
            yield f"{each.label} occurs twice in one {label}"
        elif row.kind == "events" and not row.has_talk and np.mean(inside == rows) > _MOSTLY:
            yield f"each {each.label} stands once in one {label}"
    seat = row.seat
    is_of_two = seat is not None and seat.n_levels == 2 and row.kind == "events" and not row.has_talk
    if seat is not None and is_of_two and rows.mean() > 2 * _MOST_ACTORS and share_by_chance(game, seat) > _BY_CHANCE:
        yield f"both {seat.name} stand in each {label} by chance alone"


def _of_key(row: Hypothesis, label: str) -> Iterator[str]:
    """Yield what is called as something else than what it is said to be: a game, or a seat of it."""
    if any(is_named(each, "outcome", "amount", "trait", "time", "seat") for each in row.game if not each.is_pair):
        yield f"{label} is called as what happens in games"
    if row.kind == "events" and len(row.game) == 1 and not row.has_talk and is_named(row.game[0], "person"):
        yield f"{label} is called as a person"
    if row.seat is not None and is_named(row.seat, "trait", "order", "condition"):
        yield f"{row.seat.name} is called as what nobody acts by"
