"""What the regressions of yes or no, counts and answers give alike: coefficients, tests of terms, ratios."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from negstats.errors import NotEstimable
from negstats.stats.models.results import LikelihoodRatio
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.result import Interval

# Beyond so many standard errors a likelihood that has not fallen enough never will.
REACH = 1000


def likelihood_ratio(larger: float, smaller: float, df: int) -> LikelihoodRatio:
    """Return the test of two log-likelihoods."""
    from scipy import special

    value = max(2 * (larger - smaller), 0.0)
    return LikelihoodRatio(value, float(df), float(special.chdtrc(df, value)), boundary=False)


def term_frame(terms: Sequence[str], test: Callable[[str], LikelihoodRatio]) -> pd.DataFrame:
    """Return one row a term: its likelihood-ratio test after all others."""
    tests = [(term, test(term)) for term in terms]
    return pd.DataFrame(
        [(term, one.statistic, one.df, one.p) for term, one in tests], columns=["term", "statistic", "df", "p"]
    )


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


def coefficient_frame(
    names: tuple[str, ...], columns: dict[str, Any], interval: Interval, *, ratios: bool, schema: str
) -> pd.DataFrame:
    """Return one row a coefficient; with `ratios` estimate and interval as exponentials."""
    turn: Callable[[Any], FloatArray] = _exponential if ratios else np.asarray
    lead = {"estimate": turn(columns["estimate"]), "low": turn(interval.low), "high": turn(interval.high)}
    rest = {name: values for name, values in columns.items() if name != "estimate"}
    frame = pd.DataFrame({"term": list(names)} | lead | rest)
    frame.attrs["schema"] = schema
    return frame


def _exponential(logarithms: Any) -> FloatArray:
    """Return ratios for one unit; infinite where one is beyond all floats."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(logarithms), dtype=np.float64)


def ratio_text(
    symbol: str, estimate: float, low: float, high: float, confidence_level: float, step: float = 1.0
) -> str:
    """Return such as ``OR = 2.10, 95% CI [1.20, 3.70]`` from logarithms for one unit; for another step it is said.

    Examples
    --------
    >>> ratio_text("OR", 25.0, 10.0, 40.0, 0.95, step=0.1)
    'OR per 0.1 = 12.18, 95% CI [2.72, 54.60]'
    """
    logs = [step * end for end in (estimate, low, high)]
    with np.errstate(over="ignore"):
        digits = apa.decimals_apart(*np.exp(logs[1:]))
    value, start, stop = (apa.ratio(one, digits) for one in logs)
    per = "" if step == 1 else f" per {apa.step_text(step)}"
    return f"{symbol}{per} = {value}, {100 * confidence_level:g}% CI [{start}, {stop}]"
