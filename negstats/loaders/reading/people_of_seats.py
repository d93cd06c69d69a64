"""Who sits in seats whose columns stand side by side: whether a number is one person wherever it stands.

The rows of all seats below each other are a table of people, in which numbers begin anew as they do in any other.
"""

from __future__ import annotations

from dataclasses import replace

from negstats.loaders.reading.columns import Column, stacked
from negstats.loaders.reading.facts import Facts, units_of_sessions
from negstats.loaders.reading.families import name_people

_PERSON = "person"


def find_people(facts: Facts) -> Column | None:
    """Return the people of all seats by their session and number, in a row for each seat; None where numbers do."""
    names = {*facts.members.values()}
    stems = ((stem, of) for stem, of in facts.of_seats.items() if all(each.has_numbers for each in of))
    person = next((stem for stem, of in stems if of[0].name in names or name_people(stem, of[0], of[1])), None)
    if person is None:
        return None
    below = [stacked(_PERSON if stem == person else stem, of) for stem, of in facts.of_seats.items()]
    beside = {column.name for of in facts.of_seats.values() for column in of}
    others = [each for each in facts.columns if each.name not in beside and not each.parts]
    n_seats = len(facts.of_seats[person])
    below += [replace(stacked(each.name, [each] * n_seats), is_source=each.is_source) for each in others]
    units = units_of_sessions([each for each in below if each.n_levels > 1], has_sides=False)
    return next((each for each in units if each.parts[-1] == _PERSON), None)
