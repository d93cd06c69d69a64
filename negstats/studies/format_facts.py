"""What is true for every study of a format and is not in its logs, by the loader that a provenance names.

The facts are those of the loaders' data cards; they stand here so that a study that was saved long ago has them too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FormatFacts:
    """What holds of every study of a format.

    Attributes
    ----------
    points : tuple of float or None
        The least and the most points of its scale, where that is the same in every study.
    links_people : bool
        Whether a participant_id is the same in all games of a person; else it is of one seat, and who took part twice
        is not known.
    """

    points: tuple[float, float] | None = None
    links_people: bool = True


_FACTS: Mapping[str, FormatFacts] = {
    "solver_cl": FormatFacts(points=(0.0, 1.0)),
    "casino": FormatFacts(links_people=False),
}


def facts_of(loader: str) -> FormatFacts:
    """Return what holds of every study of a format; of a mapping, or a study made by hand, nothing special.

    Examples
    --------
    >>> facts_of("casino").links_people, facts_of("by hand").links_people
    (False, True)
    """
    return _FACTS.get(loader, FormatFacts())
