"""A model's formula and the columns that its terms become: covariates as they are, factors coded to sum to zero."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import numpy as np

from negstats.errors import DesignError, one_line, shown
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.frames import Factor

Parts = tuple[tuple[str, int], ...]  # a column: each variable in it, with the place of the factor's level


@dataclass(frozen=True, slots=True)
class Formula:
    """What a formula names: the outcome, the terms, and which variables are said to be factors with ``C(...)``."""

    outcome: str
    terms: tuple[tuple[str, ...], ...]
    factors: frozenset[str] = frozenset()

    @property
    def variables(self) -> tuple[str, ...]:
        """The predictors, each once, in the order of the formula."""
        return tuple(dict.fromkeys(name for term in self.terms for name in term))

    @classmethod
    def parse(cls, formula: str) -> Formula:
        """Read a formula such as ``"points ~ reward * partner"``; nothing in it is executed.

        Raises
        ------
        DesignError
            If it is no formula, transforms a column, leaves out the intercept, or has an interaction without the
            terms that it contains.

        Examples
        --------
        >>> Formula.parse("points ~ reward * partner").terms
        (('reward',), ('partner',), ('reward', 'partner'))
        """
        from formulaic import Formula as Parsed
        from formulaic.errors import FormulaicError

        if not isinstance(formula, str) or "~" not in formula:
            raise DesignError(f"the formula is {shown(formula)}; give text such as 'points ~ reward * partner'")
        try:
            sides: Any = Parsed(formula)
        except (FormulaicError, SyntaxError) as error:
            reason = one_line(error).partition(".")[0]
            raise DesignError(
                f"the formula {formula!r} cannot be read: {reason}; the cluster goes into cluster="
            ) from None
        if not hasattr(sides, "lhs") or len(sides.lhs) != 1:
            raise DesignError(f"the formula {formula!r} needs one outcome before the '~'")
        factors: set[str] = set()
        (outcome,) = (tuple(_names(term, formula, factors)) for term in sides.lhs)
        terms = [tuple(_names(term, formula, factors)) for term in sides.rhs]
        if len(outcome) != 1 or factors & set(outcome):
            raise DesignError(f"the formula {formula!r} needs the name of one measured column before the '~'")
        if () not in terms:
            raise DesignError(f"the formula {formula!r} leaves out the intercept, which this model keeps")
        formula_parts = cls(outcome[0], tuple(term for term in terms if term), frozenset(factors))
        formula_parts._check(formula)
        return formula_parts

    def _check(self, formula: str) -> None:
        if self.outcome in self.variables:
            raise DesignError(f"{self.outcome!r} is the outcome and a predictor in {formula!r}")
        terms = {frozenset(term) for term in self.terms}
        for term in self.terms:
            for size in range(1, len(term)):
                for part in combinations(term, size):
                    if frozenset(part) not in terms:
                        margin = ":".join(part)
                        raise DesignError(
                            f"{formula!r} has {':'.join(term)} without {margin}; write {'*'.join(term)}, which has both"
                        )


def _names(term: Any, formula: str, factors: set[str]) -> Iterator[str]:
    for one in term.factors:
        method, text = one.eval_method.value, one.expr
        match = re.fullmatch(r"C\((\w+)\)", text)
        if method == "literal" and text == "1":
            continue
        if match:
            factors.add(match[1])
            yield match[1]
        elif method == "lookup":
            yield text
        else:
            raise DesignError(f"{formula!r} holds {shown(text)}; compute it as a column of the frame first")


@dataclass(frozen=True, slots=True)
class Coding:
    """The columns of a model: the outcome first, then the intercept, then each term's.

    Attributes
    ----------
    outcome : str
    terms : tuple of tuple of str
        Variables of each term, without the intercept.
    levels : dict
        The levels of each factor; a variable that is not here is a covariate.
    parts : tuple
        What each predictor column is the product of: a variable and, of a factor, the place of its level.

    Examples
    --------
    >>> Coding.of(Formula.parse("y ~ g * x"), {"g": Factor("g", ("a", "b", "c"))}).names
    ('Intercept', 'g[a]', 'g[b]', 'x', 'g[a]:x', 'g[b]:x')
    """

    outcome: str
    terms: tuple[tuple[str, ...], ...]
    levels: Mapping[str, Factor]
    parts: tuple[Parts, ...] = field(repr=False)
    owners: tuple[int, ...] = field(repr=False)

    @classmethod
    def of(cls, formula: Formula, levels: Mapping[str, Factor]) -> Coding:
        """Lay out the columns; DesignError for a factor with one level."""
        parts: list[Parts] = [()]
        owners = [-1]
        for factor in levels.values():
            if len(factor) < 2:
                raise DesignError(f"the factor {factor.name!r} has one level, {factor.levels[0]!r}; leave it out")
        for place, term in enumerate(formula.terms):
            choices = [[(name, at) for at in range(len(levels[name]) - 1 if name in levels else 1)] for name in term]
            for choice in product(*choices):
                parts.append(choice)
                owners.append(place)
        return cls(formula.outcome, formula.terms, dict(levels), tuple(parts), tuple(owners))

    @property
    def names(self) -> tuple[str, ...]:
        """The predictor columns' names."""
        return tuple(":".join(self._label(*part) for part in parts) or "Intercept" for parts in self.parts)

    @property
    def term_names(self) -> tuple[str, ...]:
        """The terms, their variables joined by a colon."""
        return tuple(":".join(term) for term in self.terms)

    @property
    def covariates(self) -> tuple[str, ...]:
        """The variables that are numbers."""
        every = dict.fromkeys(name for term in self.terms for name in term)
        return tuple(name for name in every if name not in self.levels)

    def columns_of(self, term: int) -> list[int]:
        """Return the places of a term's predictor columns."""
        return [place for place, owner in enumerate(self.owners) if owner == term]

    def matrix(self, values: Mapping[str, Any]) -> FloatArray:
        """Return the predictor columns; `values` has each covariate's numbers and each factor's codes."""
        rows = len(next(iter(values.values())))
        single = {part: self._column(values[part[0]], *part) for parts in self.parts for part in parts}
        out = np.ones((rows, len(self.parts)))
        for place, parts in enumerate(self.parts):
            for part in parts:
                out[:, place] *= single[part]
        return out

    def shift(self, origin: Mapping[str, float]) -> FloatArray:
        """Return the matrix M with X = X* M, where X* is made of covariates measured from their `origin`."""
        places = {parts: place for place, parts in enumerate(self.parts)}
        out = np.zeros((len(self.parts), len(self.parts)))
        for place, parts in enumerate(self.parts):
            covariates = [part for part in parts if part[0] not in self.levels]
            for size in range(len(covariates) + 1):
                for dropped_parts in combinations(covariates, size):
                    remaining_parts = tuple(part for part in parts if part not in dropped_parts)
                    out[self._place(places, remaining_parts), place] += float(
                        np.prod([origin[name] for name, _ in dropped_parts])
                    )
        return out

    @staticmethod
    def _place(places: Mapping[Parts, int], parts: Parts) -> int:
        """Return the place of a column; its variables may stand in another order in their own term."""
        if parts in places:
            return places[parts]
        return next(place for other, place in places.items() if set(other) == set(parts))

    def _column(self, values: Any, name: str, place: int) -> FloatArray:
        if name not in self.levels:
            return np.asarray(values, dtype=np.float64)
        codes = np.asarray(values)
        last = codes == len(self.levels[name]) - 1
        return np.asarray((codes == place).astype(np.float64) - last)

    def _label(self, name: str, place: int) -> str:
        return f"{name}[{self.levels[name].levels[place]}]" if name in self.levels else name
