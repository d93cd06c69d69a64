"""What the two sides of a dominance dialogue talk about: criteria with their values, and the options to choose from."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from negstats.errors import DesignError, meant, shown

ANY = "*"  # in a statement: any other value

Option = tuple[str, ...]
"""A value for each criterion, in the order of the criteria."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of one criterion, as it is proposed, accepted or rejected."""

    criterion: str
    value: str


@dataclass(frozen=True)
class Domain:
    """Criteria in a fixed order, each with its values, and the options: a value for every criterion.

    Parameters
    ----------
    criteria
        Name and values of each criterion. `Domain.of` takes them by name.
    options
        What can be agreed on.
    topic
        What is chosen.

    Raises
    ------
    DesignError
        If there is no criterion or option, a criterion has fewer than two values, something is listed twice, or an
        option is not a value for each criterion.

    Examples
    --------
    >>> domain = Domain.of({"price": ["cheap", "expensive"], "place": ["quiet", "lively"]})
    >>> domain.options
    (('cheap', 'quiet'), ('cheap', 'lively'), ('expensive', 'quiet'), ('expensive', 'lively'))
    """

    criteria: tuple[tuple[str, tuple[str, ...]], ...]
    options: tuple[Option, ...]
    topic: str = "restaurant"

    def __post_init__(self) -> None:
        if not self.criteria:
            raise DesignError("criteria is empty; give at least one criterion with two values")
        _check_unique(self.names, "criteria")
        for name, values in self.criteria:
            if len(values) < 2:
                raise DesignError(
                    f"criterion {shown(name)} has the values {shown(values)}; at least two are needed to prefer one"
                )
            _check_unique(values, f"values of {shown(name)}")
            if ANY in values:
                raise DesignError(f"criterion {shown(name)} has a value {ANY!r}, which matches any value")
        if not self.options:
            raise DesignError("options is empty; give at least one option")
        _check_unique(self.options, "options")
        for option in self.options:
            self.check(option, among=False)

    @classmethod
    def of(
        cls,
        criteria: Mapping[str, Sequence[str]],
        options: Sequence[Sequence[str]] | None = None,
        *,
        topic: str = "restaurant",
    ) -> Domain:
        """Make a domain from values by criterion; without `options` these are all combinations.

        Parameters
        ----------
        criteria
            The values of each criterion.
        options
            The combinations that exist, each with one value a criterion, in the order of the criteria.
        topic
            What the talk is about, in one word.

        Raises
        ------
        DesignError
            As `Domain` does.
        """
        domain_criteria = tuple((name, tuple(values)) for name, values in criteria.items())
        all_options = itertools.product(*criteria.values()) if options is None else map(tuple, options)
        return cls(domain_criteria, tuple(all_options), topic)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The criteria."""
        return tuple(name for name, _ in self.criteria)

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each criterion, from 0."""
        return {name: position for position, name in enumerate(self.names)}

    @property
    def all_combined(self) -> bool:
        """Whether every combination of values is an option."""
        return len(self.options) == prod(len(values) for _, values in self.criteria)

    def values(self, criterion: str) -> tuple[str, ...]:
        """Return the values of a criterion.

        Parameters
        ----------
        criterion
            The name of a criterion of the domain, such as ``"price"``.

        Returns
        -------
        tuple[str, ...]
            In the order of the domain.

        Raises
        ------
        DesignError
            If there is no such criterion.
        """
        if criterion not in self.places:
            raise DesignError(f"criterion is {shown(criterion)}; {meant(criterion, self.names)}")
        return self.criteria[self.places[criterion]][1]

    def check(self, thing: Value | Option, *, among: bool = True) -> None:
        """Raise DesignError if a value or an option (`among`: one of `options`) is not of this domain.

        Parameters
        ----------
        thing
            A value or an option.
        among
            Whether an option must be one of `options`, not only made of the domain's values.
        """
        if isinstance(thing, Value):
            if thing.value not in self.values(thing.criterion):
                hint = meant(thing.value, self.values(thing.criterion))
                raise DesignError(f"{shown(thing.value)} is not a value of {shown(thing.criterion)}; {hint}")
            return
        if len(thing) != len(self.criteria):
            raise DesignError(f"option {shown(thing)} is not a value for each of {', '.join(self.names)}")
        for name, value in zip(self.names, thing, strict=True):
            self.check(Value(name, value))
        if among and thing not in self.options:
            raise DesignError(f"option {shown(thing)} is not one of the {len(self.options)} options")


def restaurants() -> Domain:
    """Return the domain of the examples: four cuisines, three prices, two kinds of places, all 24 combinations.

    The note's only topic is restaurants; these criteria and values are invented.

    Returns
    -------
    Domain
        Criteria with their values, and the options.

    Examples
    --------
    >>> len(restaurants().options)
    24
    """
    return Domain.of(
        {
            "cuisine": ["french", "italian", "japanese", "mexican"],
            "price": ["cheap", "moderate", "expensive"],
            "place": ["quiet", "lively"],
        }
    )


def _check_unique(names: Sequence[object], subject: str) -> None:
    earlier_names: set[object] = set()
    for name in names:
        if name in earlier_names:
            raise DesignError(f"{subject}: {shown(name)} is listed twice")
        earlier_names.add(name)
