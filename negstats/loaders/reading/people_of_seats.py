"""Who sits in seats whose columns stand side by side: whether a number is one person wherever it stands.

The rows of all seats below each other are a table of people, in which numbers begin anew as they do in any other.
"""

from __future__ import annotations

from dataclasses import replace

from negstats.loaders.reading.columns import Column, stacked
from negstats.loaders.reading.facts import Facts
from negstats.loaders.reading.sessions import units_of_sessions

_PERSON = "person"


def find_people(facts: Facts) -> Column | None:
    """Return the people of all seats by their session and number, in a row for each seat; None where numbers do."""
    people = facts.people_of_seats
    if not people or not all(each.has_numbers for each in people):
        return None
    below = [stacked(_PERSON if of is people else stem, of) for stem, of in facts.of_seats.items()]
    others = [each for each in facts.columns if each.name not in facts.names_of_seats and not each.parts]
    below += [replace(stacked(each.name, [each] * len(people)), is_source=each.is_source) for each in others]
    units = units_of_sessions([each for each in below if each.n_levels > 1], has_sides=False)
    return next((each for each in units if each.parts[-1] == _PERSON), None)
