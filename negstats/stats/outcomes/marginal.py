"""Average marginal effects: by how much the expected outcome changes with a variable, averaged over the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, meant, shown
from negstats.stats.relations._rows import Model
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import t_interval
from negstats.stats.results.result import Interval, Result, check_level

__all__ = ["INVERSE", "MarginalEffects", "marginal_effects"]

Link: TypeAlias = str

# The mean at a linear predictor.
INVERSE: dict[Link, Callable[[FloatArray], FloatArray]] = {"logit": special.expit, "log": np.exp}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MarginalEffects(Result):
    """Average marginal effects. Arrays have the shape ``(effects,)``.

    Attributes
    ----------
    variable, contrast : tuple of str
        The variable, and what was compared: "slope" for a number, "b - a" for levels of a factor.
    estimate, se, statistic, p : ndarray
        Change of the mean outcome (a share, or a count) for one unit more or the other level; delta method.
    df : float
        Degrees of freedom of the test; infinite for z.
    """

    variable: tuple[str, ...]
    contrast: tuple[str, ...]
    estimate: FloatArray
    se: FloatArray
    statistic: FloatArray
    p: FloatArray
    df: float

    def confidence_interval(self, level: float = 0.95) -> Interval:
        """Return the intervals: estimate ± quantile × standard error."""
        low, high = t_interval(self.estimate, self.se, self.df, check_level(level), "two-sided")
        return Interval(low, high, level, "delta method")

    def to_frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return one row an effect."""
        ends = self.confidence_interval(level)
        columns = {"variable": list(self.variable), "contrast": list(self.contrast), "estimate": self.estimate}
        columns |= {"se": self.se, "low": ends.low, "high": ends.high, "statistic": self.statistic, "p": self.p}
        frame = pd.DataFrame(columns)
        frame.attrs["schema"] = "MarginalEffects/1"
        return frame

    def apa(self, level: float = 0.95) -> str:
        """Return each effect with its interval and p, with semicolons between."""
        ends = self.confidence_interval(level)
        rows = zip(self.variable, self.contrast, self.estimate, np.ravel(ends.low), np.ravel(ends.high), strict=True)
        return "; ".join(
            f"{name} ({what}): {apa.number(value, 3)}, {Interval(low, high, level).apa(3)}, {apa.p_value(p)}"
            for (name, what, value, low, high), p in zip(rows, self.p, strict=True)
        )


def marginal_effects(
    model: Model, beta: FloatArray, covariance: FloatArray, link: Link, df: float, of: str | None = None
) -> MarginalEffects:
    """Return the average marginal effect of each variable, or of the one named.

    Notes
    -----
    Of a number the mean over rows of dμ/dx, of a level the mean of μ(level) − μ(first level), all else as observed
    (Williams, 2012, Stata Journal 12, 308-331); standard errors by the delta method.
    """
    variables = list(model.given)
    if of is not None:
        if of not in variables:
            raise DesignError(f"the model has no variable {shown(of)}; {meant(of, variables, 'it has')}")
        variables = [of]
    names, contrasts, values, gradients = [], [], [], []
    for name in variables:
        if name in model.coding.levels:
            levels = model.coding.levels[name].levels
            first_mean, first = _average(model, name, 0, beta, link)
            for place in range(1, len(levels)):
                mean, gradient = _average(model, name, place, beta, link)
                names.append(name)
                contrasts.append(f"{levels[place]} - {levels[0]}")
                values.append(mean - first_mean)
                gradients.append(gradient - first)
        else:
            slope, gradient = _slope(model, name, beta, link)
            names.append(name)
            contrasts.append("slope")
            values.append(slope)
            gradients.append(gradient)
    estimate, jacobian = np.array(values), np.array(gradients).reshape(len(values), len(beta))
    se = np.sqrt(np.einsum("ij,jk,ik->i", jacobian, covariance, jacobian))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = estimate / se
    p = np.asarray(2 * special.stdtr(df, -np.abs(t))) if np.isfinite(df) else np.asarray(2 * special.ndtr(-np.abs(t)))
    return MarginalEffects(tuple(names), tuple(contrasts), estimate, se, t, p, df)


def _average(model: Model, name: str, place: int, beta: FloatArray, link: Link) -> tuple[float, FloatArray]:
    """Return the mean outcome if every row had this level, and its gradient."""
    x = model.columns({**model.given, name: np.full(len(model.outcome), place)})
    mean = INVERSE[link](x @ beta + model.offset)
    return float(mean.mean()), np.asarray((_slope_of(mean, link)[:, None] * x).mean(axis=0))


def _slope(model: Model, name: str, beta: FloatArray, link: Link) -> tuple[float, FloatArray]:
    """Return the mean slope in a number, and its gradient. Each column is linear in it."""
    x = model.columns()
    ones, zeros = np.ones(len(x)), np.zeros(len(x))
    by = model.columns({**model.given, name: ones}) - model.columns({**model.given, name: zeros})
    mean = INVERSE[link](x @ beta + model.offset)
    first = _slope_of(mean, link)
    second = first * (1 - 2 * mean) if link == "logit" else mean
    change = by @ beta
    return float((first * change).mean()), np.asarray(
        ((second * change)[:, None] * x + first[:, None] * by).mean(axis=0)
    )


def _slope_of(mean: FloatArray, link: Link) -> FloatArray:
    return np.asarray(mean * (1 - mean) if link == "logit" else mean)
