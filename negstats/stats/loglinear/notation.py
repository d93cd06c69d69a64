"""Generating classes: the notation of hierarchical models, and set arithmetic on their terms.

A hierarchical model is written by its largest terms, each in brackets with the names of its dimensions: the model
``[reward partner][walkaway]`` holds the terms reward, partner, reward × partner and walkaway. Names with spaces or
brackets are quoted: ``["agent reward" 'walked away']``. Inside, a term is a tuple of places in ascending order.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from negstats.errors import DesignError, meant, shown

Term: TypeAlias = tuple[int, ...]
Generators: TypeAlias = tuple[Term, ...]
Model: TypeAlias = str | int | Sequence[Sequence[str]]

# Hierarchical models with at least one term, by number of dimensions (Dedekind's numbers less 2). The model without
# any term, of equal counts, is not among them.
HIERARCHICAL_MODELS = {1: 1, 2: 4, 3: 18, 4: 166, 5: 7579}

TOKEN = re.compile(r"""\[|\]|"[^"]*"|'[^']*'|[^\s,\[\]"']+""")
PLAIN = re.compile(r"""[^\s,\[\]"']+""")


def parse(model: Model, names: Sequence[str]) -> Generators:
    """Return the generating class of a model.

    Parameters
    ----------
    model
        Bracket notation; a list of tuples of names; "saturated"; "independence"; or an order k, for all terms of k
        dimensions (0: equal counts).
    names
        The dimensions' names.

    Raises
    ------
    DesignError
        For a name that is not a dimension (with the nearest), brackets that do not close, a dimension twice in a
        term, and a term that another one already holds.

    Examples
    --------
    >>> parse("[reward partner][walkaway]", ["reward", "partner", "walkaway"])
    ((0, 1), (2,))
    """
    if isinstance(model, int):
        if not 0 <= model <= len(names):
            raise DesignError(f"the order {model} is not between 0 and the {len(names)} dimensions of the table")
        return of_order(len(names), model)
    if isinstance(model, str):
        orders = {"saturated": len(names), "independence": 1}
        if model in orders:
            return of_order(len(names), orders[model])
        groups: Sequence[Sequence[str]] = _groups(model)
    else:
        groups = [(group,) if isinstance(group, str) else tuple(group) for group in model]
    terms = [_term(group, names) for group in groups]
    for one, two in itertools.permutations(terms, 2):
        if set(one) <= set(two):
            small, large = spell_term(one, names), spell_term(two, names)
            raise DesignError(
                f"[{large}] already holds [{small}]: a hierarchical model has all lower terms of its terms; name only "
                "the largest"
            )
    return _sort_terms(terms)


def _groups(text: str) -> list[list[str]]:
    groups: list[list[str]] = []
    group: list[str] | None = None
    for piece in TOKEN.findall(text):
        if piece == "[" and group is None:
            group = []
        elif piece == "]" and group:
            groups.append(group)
            group = None
        elif piece in "[]" or group is None:
            break
        else:
            group.append(piece.strip("\"'"))
    else:
        if group is None and groups and not TOKEN.sub("", text).strip(" \t\n,"):
            return groups
    raise DesignError(
        f"the model {shown(text)} cannot be read; write each term in brackets, such as '[reward partner][walkaway]', "
        "or 'saturated', 'independence' or an order"
    )


def _term(group: Sequence[str], names: Sequence[str]) -> Term:
    for name in group:
        if name not in names:
            spaced = " (quote a name with spaces)" if any(" " in other for other in names) else ""
            raise DesignError(f"the table has no dimension {name!r}; {meant(name, names)}{spaced}")
    if not group or len(set(group)) < len(group):
        raise DesignError(f"the term [{' '.join(group)}] is empty or names a dimension twice")
    return tuple(sorted(names.index(name) for name in group))


def spell_term(term: Term, names: Sequence[str]) -> str:
    """Return a term's names, quoted where they need it."""
    return " ".join(name if PLAIN.fullmatch(name) else _quote(name) for name in (names[place] for place in term))


def _quote(name: str) -> str:
    return f"'{name}'" if '"' in name else f'"{name}"'


def spell(generators: Generators, names: Sequence[str]) -> str:
    """Return a generating class in bracket notation; ``[]`` is the model of equal counts.

    Examples
    --------
    >>> spell(((0, 1), (2,)), ["reward", "partner", "walked away"])
    '[reward partner]["walked away"]'
    """
    return "".join(f"[{spell_term(term, names)}]" for term in generators) or "[]"


def _sort_terms(terms: Iterable[Term]) -> Generators:
    return tuple(sorted(terms, key=lambda term: (-len(term), term)))


@functools.cache
def terms(generators: Generators) -> tuple[Term, ...]:
    """Return all terms of a model but the constant: lower orders first."""
    every = {
        part for term in generators for size in range(1, len(term) + 1) for part in itertools.combinations(term, size)
    }
    return tuple(sorted(every, key=lambda term: (len(term), term)))


def of_order(dims: int, order: int) -> Generators:
    """Return the model that holds all terms of `order` dimensions and no larger one."""
    return tuple(itertools.combinations(range(dims), order)) if order else ()


def without(generators: Generators, term: Term) -> Generators:
    """Return the model less one term of its generating class; the lower terms of that term stay."""
    return _maximal([other for other in terms(generators) if other != term])


def _maximal(terms: Sequence[Term]) -> Generators:
    return _sort_terms(term for term in terms if not any(set(term) < set(other) for other in terms))


def holds(larger: Generators, smaller: Generators) -> bool:
    """Return whether every term of the smaller model is in the larger one."""
    return set(terms(smaller)) <= set(terms(larger))


@functools.cache
def perfect_order(generators: Generators) -> Generators | None:
    """Return the generating class of a decomposable model in a perfect order, None for a model that has none.

    In a perfect order the dimensions that a term shares with all earlier ones lie together in one of them. Scaling in
    that order reaches the fit in a single cycle (Haberman, S. J., 1974, The Analysis of Frequency Data, ch. 5).
    """
    order, rest = list(generators[:1]), list(generators[1:])
    while rest:
        # the next term is the one that overlaps most with an earlier one, as in Prim's spanning tree
        overlap, term = max((max(len(set(term) & set(other)) for other in order), term) for term in rest)
        if len(set(term) & set().union(*order)) > overlap:
            return None
        order.append(term)
        rest.remove(term)
    return tuple(order)


def every_model(dims: int) -> list[Generators]:
    """Return every hierarchical model of a table with at least one term, fewest terms first.

    Examples
    --------
    >>> every_model(2)
    [((0,),), ((1,),), ((0,), (1,)), ((0, 1),)]
    >>> [len(every_model(dims)) for dims in (2, 3, 4)]
    [4, 18, 166]
    """
    candidates = [frozenset(term) for size in range(dims, 0, -1) for term in itertools.combinations(range(dims), size)]
    models: list[Generators] = []

    def extend(terms: tuple[frozenset[int], ...], start: int) -> None:
        if terms:
            models.append(_sort_terms(tuple(sorted(term)) for term in terms))
        for place in range(start, len(candidates)):
            if not any(candidates[place] < other for other in terms):
                extend((*terms, candidates[place]), place + 1)

    extend((), 0)
    return sorted(models, key=lambda model: (len(terms(model)), model))
