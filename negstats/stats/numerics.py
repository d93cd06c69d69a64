"""Numerical methods that the models share: Newton's method, and intervals that profile a likelihood."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy

from negstats.errors import DesignError, NotEstimable
from negstats.stats.results.numbers import FloatArray

# After so many halvings a step leads nowhere.
SHORTEST_SHARE = 1e-10
# Beyond so many standard errors a likelihood that has not fallen enough never will.
REACH = 1000


# A function's value, its slope, and minus its second derivatives (or what stands for them) at a point.
Derivatives: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray, FloatArray]]


@dataclass(frozen=True, slots=True, eq=False)
class Maximum:
    """Where a function is largest, its value there, and minus its second derivatives.

    `decrement` is the squared Newton decrement of the last step: g′H⁻¹g before it.
    """

    point: FloatArray
    value: float
    information: FloatArray
    decrement: float


def newton(at: Derivatives, start: FloatArray, *, short: float = 1e-16, steps: int = 500) -> Maximum | None:
    """Return the maximum that Newton's steps lead to; None if they lead to none.

    Parameters
    ----------
    at
        The function, its slope and minus its second derivatives at a point; a value of −∞ where it has none.
    start
        A point at which the function has a value.
    short
        The search is over after a step whose squared Newton decrement is no larger: Newton's method doubles the digits
        with each step, so the next one would move nothing by more than 1e-16 of its standard error.
    steps
        How many steps may be taken.

    Notes
    -----
    A step that loses is halved: near a maximum, and everywhere for a concave function, a short one does not. None is
    returned where the second derivatives have no Cholesky root, for the function is flat there and something runs off.
    """
    point = start
    value, slope, information = at(point)
    for _ in range(steps):
        # The step that would reach the top of a parabola with this slope and curvature.
        try:
            triangle = scipy.linalg.cho_factor(information, lower=True, check_finite=True)
        except (np.linalg.LinAlgError, ValueError):
            return None
        step = np.asarray(scipy.linalg.cho_solve(triangle, slope))
        decrement, share = float(slope @ step), 1.0
        # Far from the top it may lose; a shorter one does not.
        while not (trial := at(point + share * step))[0] >= value - 1e-12 * abs(value):
            share /= 2
            if share < SHORTEST_SHARE:
                return None
        point, (value, slope, information) = point + share * step, trial
        if decrement <= short:
            return Maximum(point, value, information, decrement)
    return None


def profile(
    lost: Callable[[float], float], estimate: float, width: float, digits: float = 1e-12
) -> tuple[float, float]:
    """Return the values below and above an estimate at which `lost` is 0; infinite where it stays below 0.

    Parameters
    ----------
    lost
        The likelihood ratio of a value less what a test allows: below 0 at the estimate.
    width
        A first guess at how far away the ends are.
    digits
        To what share of the width the ends are found.
    """
    if not lost(estimate) < 0:
        raise NotEstimable("the likelihood at the estimate is not its largest, so an interval cannot be profiled")
    bounds = []
    for direction in (-1.0, 1.0):
        # Outwards in doubled steps until too much likelihood is lost;
        # a side where that never happens has no bound.
        step = width
        while lost(estimate + direction * step) < 0 and step < REACH * width:
            step *= 2
        if step >= REACH * width:
            bounds.append(direction * np.inf)
        else:
            bounds.append(
                float(
                    scipy.optimize.brentq(lost, estimate, estimate + direction * step, xtol=digits * width, rtol=1e-13)
                )
            )
    return bounds[0], bounds[1]


def profile_each(ends: Callable[[int], tuple[float, float]], places: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper ends of several coefficients' intervals, NaN for one that has none.

    A coefficient without an interval takes nothing from the others; where it alone is asked for, the error says why.
    """
    bounds = np.full((len(places), 2), np.nan)
    for row, place in enumerate(places):
        try:
            bounds[row] = ends(place)
        except NotEstimable:
            if len(places) == 1:
                raise
    return bounds[:, 0], bounds[:, 1]


def apart(x: FloatArray, row: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return columns without one direction, and what a unit in it adds: for a model in which ``row @ beta`` is given.

    A coefficient of the covariates as they are given is such a sum of those that are fitted.
    """
    basis = np.linalg.qr(row[:, None], mode="complete")[0]
    return np.asarray(x @ basis[:, 1:]), np.asarray(x @ row / (row @ row))


def independent_rows(rows: FloatArray) -> FloatArray:
    """Return rows that span the same hypothesis and do not follow from each other."""
    _, size, basis = np.linalg.svd(rows)
    rank = int((size > 1e-10 * max(size.max(initial=0.0), np.finfo(float).tiny)).sum())
    if rank == 0:
        raise DesignError("the hypothesis has no weight that is not 0")
    return rows if rank == len(rows) else np.asarray(basis[:rank])
