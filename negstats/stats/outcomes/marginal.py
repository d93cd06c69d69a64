"""Average marginal effects: by how much the expected outcome changes with a variable, averaged over the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError
from negstats.stats.design import ModelDesign
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray, Number
from negstats.stats.results.options import find_name, t_tails
from negstats.stats.results.result import Interval, Result, with_schema

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
    df : float or ndarray
        Degrees of freedom of the test; infinite for z.
    answer : tuple of str
        Of ordered answers, whose share changes; empty otherwise.
    """

    variable: tuple[str, ...]
    contrast: tuple[str, ...]
    estimate: FloatArray
    se: FloatArray
    statistic: FloatArray
    p: FloatArray
    df: Number
    answer: tuple[str, ...] = ()

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the intervals: estimate ± quantile × standard error.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its ends are arrays with one entry an effect: shares of the event, or counts.
        """
        return t_interval(self.estimate, self.se, self.df, confidence_level, method="delta method")

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row an effect.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            What changes, the effect and its standard error, the test, p, and the ends of the interval.
        """
        interval = self.confidence_interval(confidence_level)
        columns = {"variable": list(self.variable), "contrast": list(self.contrast), "estimate": self.estimate}
        columns |= {"answer": list(self.answer)} if self.answer else {}
        columns |= {"se": self.se, "low": interval.low, "high": interval.high, "statistic": self.statistic, "p": self.p}
        return with_schema(pd.DataFrame(columns), "MarginalEffects/1")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return each effect with its interval and p, with semicolons between.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            The effects as a results section prints them.
        """
        interval = self.confidence_interval(confidence_level)
        answers = [f", {answer}" for answer in self.answer] or [""] * len(self.contrast)
        labels = [contrast + answer for contrast, answer in zip(self.contrast, answers, strict=True)]
        rows = zip(self.variable, labels, self.estimate, np.ravel(interval.low), np.ravel(interval.high), strict=True)
        return "; ".join(
            f"{name} ({label}): {apa.number(value, 3)}, {Interval(low, high, confidence_level).apa(3)}, "
            f"{apa.p_value(p)}"
            for (name, label, value, low, high), p in zip(rows, self.p, strict=True)
        )


def marginal_effects(
    model: ModelDesign,
    beta: FloatArray,
    covariance: FloatArray,
    link: Link,
    df: float | Callable[[FloatArray], FloatArray],
    variables: str | None = None,
) -> MarginalEffects:
    """Return the average marginal effect of each variable, or of the one named.

    Parameters
    ----------
    beta, covariance
        Of the columns that were fitted (`ModelDesign.columns`).
    df
        Degrees of freedom of all tests, or those of sums of the coefficients, whose weights it takes as rows.

    Notes
    -----
    Of a number the mean over rows of dμ/dx, of a level the mean of μ(level) − μ(first level), all else as observed
    (Williams, 2012, Stata Journal 12, 308-331); standard errors by the delta method.
    """
    names, contrasts, values, gradients = [], [], [], []
    for name in _variables(model, variables):
        if name in model.coding.levels:
            # A factor: all rows put at a level, less all rows put at the first.
            levels = model.coding.levels[name].levels
            first_mean, first_gradient = _average(model, name, 0, beta, link)
            for level_code in range(1, len(levels)):
                mean, gradient = _average(model, name, level_code, beta, link)
                names.append(name)
                contrasts.append(f"{levels[level_code]} - {levels[0]}")
                values.append(mean - first_mean)
                gradients.append(gradient - first_gradient)
        else:
            # A number: the mean slope over the rows.
            slope, gradient = _slope(model, name, beta, link)
            names.append(name)
            contrasts.append("slope")
            values.append(slope)
            gradients.append(gradient)
    return _test_effects((names, contrasts), np.array(values), np.array(gradients), covariance, df)


def ordered_effects(
    model: ModelDesign,
    answers: Sequence[str],
    parameters: FloatArray,
    covariance: FloatArray,
    variables: str | None = None,
) -> MarginalEffects:
    """Return by how much the share of each ordered answer changes with each variable, or with the one named.

    Parameters
    ----------
    parameters, covariance
        Of the thresholds and the slopes of a proportional-odds model, of the columns that were fitted.

    Notes
    -----
    As `marginal_effects`; the effects on all answers add up to 0.
    """
    cuts = len(answers) - 1
    rows = len(model.outcome)
    names, contrasts, values, gradients = [], [], [], []
    for name in _variables(model, variables):
        if name in model.coding.levels:
            levels = model.coding.levels[name].levels
            # A factor: the shares of the answers with all rows at each level, less those at the first.
            shares_by_level = [
                _shares(model.columns({**model.measured, name: np.full(rows, level_code)})[:, 1:], parameters, cuts)
                for level_code in range(len(levels))
            ]
            for level, (share, gradient) in zip(levels[1:], shares_by_level[1:], strict=True):
                names += [name] * (cuts + 1)
                contrasts += [f"{level} - {levels[0]}"] * (cuts + 1)
                values.append(share - shares_by_level[0][0])
                gradients.append(gradient - shares_by_level[0][1])
        else:
            # A number: its columns are linear in it, so that their change with one unit is a difference.
            columns_at = [model.columns({**model.measured, name: np.full(rows, value)}) for value in (1.0, 0.0)]
            column_change = (columns_at[0] - columns_at[1])[:, 1:] / model.units.unit[name]
            slope, gradient = _share_slopes(model.columns()[:, 1:], column_change, parameters, cuts)
            names += [name] * (cuts + 1)
            contrasts += ["slope"] * (cuts + 1)
            values.append(slope)
            gradients.append(gradient)
    effects = _test_effects((names, contrasts), np.concatenate(values), np.concatenate(gradients), covariance, np.inf)
    return replace(effects, answer=tuple(answers) * len(values))


def _variables(model: ModelDesign, variable: str | None) -> list[str]:
    variables = list(model.given)
    if variable is not None:
        find_name(variable, variables, "the model has no variable", "it has")
    for transform in model.coding.transforms.values():
        if variable is None or variable in transform.names:
            raise DesignError(
                f"{', '.join(map(repr, transform.columns))} is part of {transform.text}, whose slope differs from "
                "value to value; name another variable, or predict at the values that matter"
            )
    return variables if variable is None else [variable]


def _test_effects(
    labels: tuple[list[str], list[str]],
    estimate: FloatArray,
    jacobian: FloatArray,
    covariance: FloatArray,
    df: float | Callable[[FloatArray], FloatArray],
) -> MarginalEffects:
    jacobian = jacobian.reshape(len(estimate), len(covariance))
    se = np.sqrt(np.einsum("ij,jk,ik->i", jacobian, covariance, jacobian))
    degrees = df(jacobian) if callable(df) else df
    with np.errstate(divide="ignore", invalid="ignore"):
        t = estimate / se
    return MarginalEffects(tuple(labels[0]), tuple(labels[1]), estimate, se, t, t_tails(t, degrees), degrees)


def _shares(x: FloatArray, parameters: FloatArray, cuts: int) -> tuple[FloatArray, FloatArray]:
    """Return the mean share of each answer, and its gradients, (answers, parameters)."""
    cumulative = special.expit(parameters[:cuts] - (x @ parameters[cuts:])[:, None])
    densities = cumulative * (1 - cumulative)
    return np.diff(cumulative.mean(axis=0), prepend=0.0, append=1.0), _difference_cuts(densities, x)


def _share_slopes(
    x: FloatArray, column_change: FloatArray, parameters: FloatArray, cuts: int
) -> tuple[FloatArray, FloatArray]:
    """Return the mean slope of each answer's share in a number on which the columns depend by `column_change`."""
    cumulative = special.expit(parameters[:cuts] - (x @ parameters[cuts:])[:, None])
    densities = cumulative * (1 - cumulative)
    change = (column_change @ parameters[cuts:])[:, None]
    gradient = _difference_cuts(-densities * (1 - 2 * cumulative) * change, x)
    gradient[:, cuts:] -= np.diff(densities.T @ column_change / len(x), axis=0, prepend=0.0, append=0.0)
    return np.diff((-densities * change).mean(axis=0), prepend=0.0, append=0.0), gradient


def _difference_cuts(cut_slopes: FloatArray, x: FloatArray) -> FloatArray:
    """Return the gradients of differences of neighbouring cuts; each mean changes by `cut_slopes` in its cut."""
    cuts = cut_slopes.shape[1]
    cut_gradients = np.column_stack([np.diag(cut_slopes.mean(axis=0)), -cut_slopes.T @ x / len(x)])
    return np.diff(
        cut_gradients, axis=0, prepend=np.zeros((1, cuts + x.shape[1])), append=np.zeros((1, cuts + x.shape[1]))
    )


def _average(model: ModelDesign, name: str, level_code: int, beta: FloatArray, link: Link) -> tuple[float, FloatArray]:
    """Return the mean outcome if every row had this level, and its gradient."""
    x = model.columns({**model.measured, name: np.full(len(model.outcome), level_code)})
    mean = INVERSE[link](x @ beta + model.offset)
    return float(mean.mean()), np.asarray((_slope_of(mean, link)[:, None] * x).mean(axis=0))


def _slope(model: ModelDesign, name: str, beta: FloatArray, link: Link) -> tuple[float, FloatArray]:
    """Return the mean slope in a number, and its gradient. Each column is linear in it."""
    x = model.columns()
    at_one, at_zero = np.ones(len(x)), np.zeros(len(x))
    column_change = model.columns({**model.measured, name: at_one}) - model.columns({**model.measured, name: at_zero})
    column_change /= model.units.unit[name]
    mean = INVERSE[link](x @ beta + model.offset)
    first_derivative = _slope_of(mean, link)
    second_derivative = first_derivative * (1 - 2 * mean) if link == "logit" else mean
    change = column_change @ beta
    return float((first_derivative * change).mean()), np.asarray(
        ((second_derivative * change)[:, None] * x + first_derivative[:, None] * column_change).mean(axis=0)
    )


def _slope_of(mean: FloatArray, link: Link) -> FloatArray:
    return np.asarray(mean * (1 - mean) if link == "logit" else mean)
