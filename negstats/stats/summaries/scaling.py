"""The origin and the unit in which a fit measures each covariate, and the way back to the covariates as they are given.

A covariate such as a year or a timestamp lies far from 0 in units of its own spread; its column is then nearly the
intercept's, its square nearly its multiple, and every cross-product loses the digits that they share. A fit therefore
measures each covariate from its mean, in its standard deviation, *before* products of columns are formed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.coding import Coding


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
        origin, unit, rest = {}, {}, {}
        for name in covariates:
            column = np.asarray(values[name], dtype=np.float64)
            origin[name] = float(column[0] + (column - column[0]).mean())
            unit[name] = _power_of_two(column - origin[name])
            rest[name] = float((column - origin[name]).mean())
        return cls(origin, unit, rest)

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

        `beta` belongs to the columns of the covariates as they are given, `beta_of_fit` to those of `measured`. Both
        codings of factors, to sum to zero and against the first level, have the same B.
        """
        sizes = [np.prod([self.unit[name] for name, _ in parts if name in self.unit]) for parts in coding.parts]
        means = {name: origin + self.rest.get(name, 0.0) for name, origin in self.origin.items()}
        return coding.shift({name: -mean for name, mean in means.items()}) / np.array(sizes)


def origin_near(mean: float, low: float, high: float) -> float:
    """Return a number close to the mean that keeps whole numbers (halves, ...) whole when they are measured from it.

    It is the multiple nearest to the mean of a power of 2 that is 1/16 to 1/8 of the range, so that every engine takes
    the same one although their means differ in the last digit, and products of whole numbers are summed without error.

    Examples
    --------
    >>> origin_near(2003.2, 1990, 2020), origin_near(0.3, 0, 1)
    (2004.0, 0.25)
    """
    width = high - low
    if not width > 0 or not np.isfinite(width):
        return float(low)
    step = float(2.0 ** np.floor(np.log2(width) - 3))
    return float(np.round(mean / step) * step)


def _power_of_two(deviations: FloatArray) -> float:
    """Return the power of 2 nearest to the root mean square from below; 1 for a column of zeros."""
    largest = float(np.abs(deviations).max(initial=0.0))
    if not largest > 0 or not np.isfinite(largest):
        return 1.0
    size = largest * float(np.sqrt(((deviations / largest) ** 2).mean()))
    return float(2.0 ** np.floor(np.log2(size)))
