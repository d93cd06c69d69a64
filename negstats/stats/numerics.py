"""Numerical methods that the models share: Newton's method, and intervals that profile a likelihood."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from negstats.errors import NotEstimable
from negstats.stats.results.numbers import FloatArray

# Beyond so many standard errors a likelihood that has not fallen enough never will.
REACH = 1000


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
    from scipy.optimize import brentq

    if not lost(estimate) < 0:
        raise NotEstimable("the likelihood at the estimate is not its largest, so an interval cannot be profiled")
    ends = []
    for side in (-1.0, 1.0):
        step = width
        while lost(estimate + side * step) < 0 and step < REACH * width:
            step *= 2
        if step >= REACH * width:
            ends.append(side * np.inf)
        else:
            ends.append(float(brentq(lost, estimate, estimate + side * step, xtol=digits * width, rtol=1e-13)))
    return ends[0], ends[1]


def profile_each(ends: Callable[[int], tuple[float, float]], places: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper ends of several coefficients' intervals, NaN for one that has none.

    A coefficient without an interval takes nothing from the others; where it alone is asked for, the error says why.
    """
    out = np.full((len(places), 2), np.nan)
    for row, place in enumerate(places):
        try:
            out[row] = ends(place)
        except NotEstimable:
            if len(places) == 1:
                raise
    return out[:, 0], out[:, 1]


def apart(x: FloatArray, row: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return columns without one direction, and what a unit in it adds: for a model in which ``row @ beta`` is given.

    A coefficient of the covariates as they are given is such a sum of those that are fitted.
    """
    turn = np.linalg.qr(row[:, None], mode="complete")[0]
    return np.asarray(x @ turn[:, 1:]), np.asarray(x @ row / (row @ row))
