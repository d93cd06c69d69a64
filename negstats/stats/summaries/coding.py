"""The columns that a model's terms become: factors coded, covariates as given, and the unit of a fit.

A covariate such as a year or a timestamp lies far from 0 in units of its own spread; its column is then nearly the
intercept's, its square nearly its multiple, and every cross-product loses the digits that they share. A fit therefore
measures each covariate from its mean, in its standard deviation, *before* products of columns are formed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.results.apa import readable_step
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.formulas import Formula, Transform
from negstats.stats.summaries.frames import Factor, IntArray

Parts = tuple[tuple[str, int], ...]  # a column: each variable in it, with the place of the factor's level


@dataclass(frozen=True, slots=True)
class Coding:
    """The columns of a model: the outcome first, then the intercept, then each term's.

    The same columns have two codings that span the same space. A model is *fitted* and its terms are tested in columns
    of factors that sum to zero (`matrix`, `names`): then a term's columns are its effect averaged over the levels of
    other factors. Its coefficients are *printed* against each factor's first level (`treatment`, `labels`): ``g[b]`` is
    level b less the first. `to_treatment` takes coefficients from the one to the other.

    Attributes
    ----------
    outcome : str
    terms : tuple of tuple of str
        Variables of each term, without the intercept.
    levels : dict
        The levels of each factor; a variable that is not here is a covariate.
    parts : tuple
        What each predictor column is the product of: a variable and, of a factor, the place of its level.
    transforms : dict
        The transforms among the variables, with what they learned of the rows of the fit.

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
    transforms: Mapping[str, Transform] = field(repr=False, default_factory=dict)

    @classmethod
    def of(cls, formula: Formula, levels: Mapping[str, Factor]) -> Coding:
        """Lay out the columns; DesignError for a factor with one level."""
        parts: list[Parts] = [()]
        owners = [-1]
        for factor in levels.values():
            if len(factor) < 2:
                raise DesignError(f"the factor {factor.name!r} has one level, {factor.levels[0]!r}; leave it out")
        for term_index, term in enumerate(formula.terms):
            choices = [
                [(part, level_code) for part in formula.parts_of(name) for level_code in range(_width(part, levels))]
                for name in term
            ]
            for choice in product(*choices):
                parts.append(choice)
                owners.append(term_index)
        return cls(formula.outcome, formula.terms, dict(levels), tuple(parts), tuple(owners), dict(formula.transforms))

    @property
    def names(self) -> tuple[str, ...]:
        """The predictor columns' names: ``g[a]`` is how far level a lies from the mean of the levels."""
        return self._names(0)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the columns against first levels: ``g[b]`` is level b less the first."""
        return self._names(1)

    def _names(self, step: int) -> tuple[str, ...]:
        labels_of_columns = [[self._label(name, code + step) for name, code in parts] for parts in self.parts]
        return tuple(":".join(names) or "Intercept" for names in labels_of_columns)

    @property
    def term_names(self) -> tuple[str, ...]:
        """The terms, their variables joined by a colon."""
        return tuple(":".join(term) for term in self.terms)

    @property
    def covariates(self) -> tuple[str, ...]:
        """The variables that are numbers."""
        return tuple(name for name in self.variables if name not in self.levels)

    @property
    def variables(self) -> tuple[str, ...]:
        """The factors and covariates that the columns are made of, each once, in the order of the terms."""
        return tuple(dict.fromkeys(name for parts in self.parts for name, _ in parts))

    def sources(self, *names: str) -> list[str]:
        """Return the columns of a frame that the predictors (or the variables named) need, each once."""
        chosen = names or tuple(dict.fromkeys(name for term in self.terms for name in term))
        columns = [self.transforms[name].columns if name in self.transforms else (name,) for name in chosen]
        return list(dict.fromkeys(column for source_columns in columns for column in source_columns))

    def evaluated(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return rows, which may be new, with the columns of the transforms, as they were learned of the fit's rows."""
        for transform in self.transforms.values():
            if set(transform.columns) <= set(frame.columns):
                frame = transform.add(frame)[1]
        return frame

    def columns_of(self, term: int) -> list[int]:
        """Return the places of a term's predictor columns."""
        return [column for column, owner in enumerate(self.owners) if owner == term]

    def rows_after_others(self, term: int, cross: FloatArray) -> FloatArray:
        """Return a term's hypothesis after all that do not contain it (type II), from products of the columns."""
        columns, variables = self.columns_of(term), set(self.terms[term])
        others = [
            column for column, owner in enumerate(self.owners) if owner < 0 or not variables <= set(self.terms[owner])
        ]
        # The term's columns less their projection on the others: what the term alone explains.
        projection = np.linalg.solve(cross[:, others][:, :, others], cross[:, others])
        rows = cross[:, columns] - cross[:, columns][:, :, others] @ projection
        rows[:, :, others] = 0.0  # what is left there is rounding
        return np.asarray(rows)

    def cells(self) -> tuple[tuple[Factor, ...], IntArray]:
        """Return the factors and the codes of each combination of their levels, shape ``(factors, cells)``."""
        factors = tuple(self.levels.values())
        shape = tuple(len(factor) for factor in factors)
        return factors, np.indices(shape).reshape(len(factors), int(np.prod(shape, dtype=np.intp)))

    def step(self, column: int, values: Mapping[str, Any]) -> float:
        """Return the step of a column that a ratio is printed for: of a product the product of its numbers' steps."""
        steps = [readable_step(values[name]) for name, _ in self.parts[column] if name not in self.levels]
        return float(np.prod(steps))

    def matrix(self, values: Mapping[str, Any]) -> FloatArray:
        """Return the predictor columns; `values` has each covariate's numbers and each factor's codes."""
        rows = len(next(iter(values.values())))
        variable_columns = {
            variable: self._column(values[variable[0]], *variable) for variables in self.parts for variable in variables
        }
        columns = np.ones((rows, len(self.parts)))
        for column, variables in enumerate(self.parts):
            for variable in variables:
                columns[:, column] *= variable_columns[variable]
        return columns

    def treatment(self, values: Mapping[str, Any]) -> FloatArray:
        """Return the predictor columns with each factor against its first level; `values` as in `matrix`."""
        rows = len(next(iter(values.values())))
        matrix = np.ones((rows, len(self.parts)), order="F")
        for column, variables in enumerate(self.parts):
            for name, code in variables:
                matrix[:, column] *= np.asarray(values[name]) == code + 1 if name in self.levels else values[name]
        return matrix

    @property
    def to_treatment(self) -> FloatArray:
        """The matrix T of ``beta_against_first_levels = T @ beta_of_sums_to_zero``."""
        transform = np.zeros((len(self.parts), len(self.parts)))
        # A column that sums to zero gives something to each treatment column whose variables it has.
        for column, variables in enumerate(self.parts):
            for row, treatment_variables in enumerate(self.parts):
                if {name for name, _ in treatment_variables} <= {name for name, _ in variables}:
                    code_of = dict(treatment_variables)
                    transform[row, column] = np.prod(
                        [self._share(name, code, code_of.get(name)) for name, code in variables]
                    )
        return transform

    def _share(self, name: str, code: int, treatment_code: int | None) -> float:
        """Return what a variable of a column that sums to zero gives to that of another level, or (None) the first."""
        if name not in self.levels:
            return float(treatment_code is not None)
        last_code = len(self.levels[name]) - 1
        at_level = [
            float(level == code) - float(level == last_code)
            for level in (0, 0 if treatment_code is None else treatment_code + 1)
        ]
        return at_level[0] if treatment_code is None else at_level[1] - at_level[0]

    def shift(self, origin: Mapping[str, float]) -> FloatArray:
        """Return the matrix M with X = X* M, where X* is made of covariates measured from their `origin`."""
        column_of = {variables: column for column, variables in enumerate(self.parts)}
        transform = np.zeros((len(self.parts), len(self.parts)))
        for column, variables in enumerate(self.parts):
            covariates = [variable for variable in variables if variable[0] not in self.levels]
            # A product of centred covariates multiplies out: each
            # dropped one leaves its origin as a factor.
            for size in range(len(covariates) + 1):
                for dropped_parts in combinations(covariates, size):
                    remaining_parts = tuple(variable for variable in variables if variable not in dropped_parts)
                    transform[self._place(column_of, remaining_parts), column] += float(
                        np.prod([origin[name] for name, _ in dropped_parts])
                    )
        return transform

    @staticmethod
    def _place(column_of: Mapping[Parts, int], variables: Parts) -> int:
        """Return the place of a column; its variables may stand in another order in their own term."""
        if variables in column_of:
            return column_of[variables]
        return next(column for variables_, column in column_of.items() if set(variables_) == set(variables))

    def _column(self, values: Any, name: str, code: int) -> FloatArray:
        if name not in self.levels:
            return np.asarray(values, dtype=np.float64)
        codes = np.asarray(values)
        is_last = codes == len(self.levels[name]) - 1
        return np.asarray((codes == code).astype(np.float64) - is_last)

    def _label(self, name: str, code: int) -> str:
        return f"{name}[{self.levels[name].levels[code]}]" if name in self.levels else name


def _width(name: str, levels: Mapping[str, Factor]) -> int:
    """Return how many columns a variable has."""
    return len(levels[name]) - 1 if name in levels else 1


@dataclass(frozen=True, slots=True)
class Units:
    """Where each covariate is measured from in a fit, and in what unit.

    Attributes
    ----------
    origin : dict
        The mean of each covariate.
    unit : dict
        Its standard deviation, rounded to a power of 2 so that dividing by it is exact; 1 where it is constant.
    rest : dict
        By how much the mean lies above `origin`, which far from 0 has too few digits to hold it.

    Examples
    --------
    >>> from negstats.stats.summaries.coding import Coding
    >>> from negstats.stats.summaries.formulas import Formula
    >>> coding = Coding.of(Formula.parse("y ~ x"), {})
    >>> values = {"x": np.array([2001.0, 2002.0, 2002.0, 2007.0])}
    >>> units = Units.of(values, coding.covariates)
    >>> units.origin, units.unit
    ({'x': 2003.0}, {'x': 2.0})
    >>> units.measured(values)["x"].tolist()
    [-1.0, -0.5, -0.5, 2.0]

    A line of slope 3 a unit is one of slope 1.5 a year, and at the year 0 it lies 2003 × 1.5 lower:

    >>> (units.back(coding) @ [10.0, 3.0]).tolist()
    [-2994.5, 1.5]
    """

    origin: Mapping[str, float]
    unit: Mapping[str, float]
    rest: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Mapping[str, Any], covariates: Iterable[str]) -> Units:
        """Take the mean and the standard deviation of each covariate; `values` may hold other columns too."""
        origin, unit, remainder = {}, {}, {}
        for name in covariates:
            column = np.asarray(values[name], dtype=np.float64)
            origin[name] = float(column[0] + (column - column[0]).mean())
            unit[name] = _power_of_two(column - origin[name])
            remainder[name] = float((column - origin[name]).mean())
        return cls(origin, unit, remainder)

    def measured(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns with each covariate measured from its origin in its unit; factors' codes as they are."""
        return {
            name: (np.asarray(column, dtype=np.float64) - self.origin[name] - self.rest.get(name, 0.0))
            / self.unit[name]
            if name in self.origin
            else column
            for name, column in values.items()
        }

    def back(self, coding: Coding) -> FloatArray:
        """Return the matrix B of ``beta = B @ beta_of_fit``; a covariance matrix goes back as ``B @ V @ B.T``.

        ``beta`` is of the columns of the covariates as they are given, ``beta_of_fit`` of those of `measured`. Both
        codings of factors, to sum to zero and against the first level, have the same B.
        """
        unit_products = [np.prod([self.unit[name] for name, _ in parts if name in self.unit]) for parts in coding.parts]
        means = {name: origin + self.rest.get(name, 0.0) for name, origin in self.origin.items()}
        return coding.shift({name: -mean for name, mean in means.items()}) / np.array(unit_products)


def origin_near(mean: float, low: float, high: float) -> float:
    """Return a number close to the mean that keeps whole numbers (halves, ...) whole when they are measured from it.

    It is the multiple nearest to the mean of a power of 2 that is 1/16 to 1/8 of the range, so that every engine takes
    the same one although their means differ in the last digit, and products of whole numbers are summed without error.

    Examples
    --------
    >>> origin_near(2003.2, 1990, 2020), origin_near(0.3, 0, 1)
    (2004.0, 0.25)
    """
    value_range = high - low
    if not value_range > 0 or not np.isfinite(value_range):
        return float(low)
    step = float(2.0 ** np.floor(np.log2(value_range) - 3))
    return float(np.round(mean / step) * step)


def _power_of_two(deviations: FloatArray) -> float:
    """Return the power of 2 nearest to the root mean square from below; 1 for a column of zeros."""
    largest = float(np.abs(deviations).max(initial=0.0))
    if not largest > 0 or not np.isfinite(largest):
        return 1.0
    size = largest * float(np.sqrt(((deviations / largest) ** 2).mean()))
    return float(2.0 ** np.floor(np.log2(size)))
