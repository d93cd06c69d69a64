"""Average marginal effects: by how much the expected outcome changes with a variable, averaged over the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, meant, shown
from negstats.stats.design import ModelDesign
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray, Number
from negstats.stats.results.options import t_tails
from negstats.stats.results.result import Interval, Result

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
        ends = self.confidence_interval(confidence_level)
        columns = {"variable": list(self.variable), "contrast": list(self.contrast), "estimate": self.estimate}
        columns |= {"answer": list(self.answer)} if self.answer else {}
        columns |= {"se": self.se, "low": ends.low, "high": ends.high, "statistic": self.statistic, "p": self.p}
        frame = pd.DataFrame(columns)
        frame.attrs["schema"] = "MarginalEffects/1"
        return frame

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
        ends = self.confidence_interval(confidence_level)
        answers = [f", {answer}" for answer in self.answer] or [""] * len(self.contrast)
        what = [one + answer for one, answer in zip(self.contrast, answers, strict=True)]
        rows = zip(self.variable, what, self.estimate, np.ravel(ends.low), np.ravel(ends.high), strict=True)
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
            each = [
                _shares(model.columns({**model.measured, name: np.full(rows, place)})[:, 1:], parameters, cuts)
                for place in range(len(levels))
            ]
            for level, (share, gradient) in zip(levels[1:], each[1:], strict=True):
                names += [name] * (cuts + 1)
                contrasts += [f"{level} - {levels[0]}"] * (cuts + 1)
                values.append(share - each[0][0])
                gradients.append(gradient - each[0][1])
        else:
            ends = [model.columns({**model.measured, name: np.full(rows, end)}) for end in (1.0, 0.0)]
            by = (ends[0] - ends[1])[:, 1:] / model.units.unit[name]
            slope, gradient = _share_slopes(model.columns()[:, 1:], by, parameters, cuts)
            names += [name] * (cuts + 1)
            contrasts += ["slope"] * (cuts + 1)
            values.append(slope)
            gradients.append(gradient)
    effects = _test_effects((names, contrasts), np.concatenate(values), np.concatenate(gradients), covariance, np.inf)
    return replace(effects, answer=tuple(answers) * len(values))


def _variables(model: ModelDesign, of: str | None) -> list[str]:
    variables = list(model.given)
    if of is not None and of not in variables:
        raise DesignError(f"the model has no variable {shown(of)}; {meant(of, variables, 'it has')}")
    for transform in model.coding.transforms.values():
        if of is None or of in transform.names:
            raise DesignError(
                f"{', '.join(map(repr, transform.columns))} is part of {transform.text}, whose slope differs from "
                "value to value; name another variable, or predict at the values that matter"
            )
    return variables if of is None else [of]


def _test_effects(
    labels: tuple[list[str], list[str]],
    estimate: FloatArray,
    jacobian: FloatArray,
    covariance: FloatArray,
    df: float | Callable[[FloatArray], FloatArray],
) -> MarginalEffects:
    jacobian = jacobian.reshape(len(estimate), len(covariance))
    se = np.sqrt(np.einsum("ij,jk,ik->i", jacobian, covariance, jacobian))
    free = df(jacobian) if callable(df) else df
    with np.errstate(divide="ignore", invalid="ignore"):
        t = estimate / se
    return MarginalEffects(tuple(labels[0]), tuple(labels[1]), estimate, se, t, t_tails(t, free), free)


def _shares(x: FloatArray, parameters: FloatArray, cuts: int) -> tuple[FloatArray, FloatArray]:
    """Return the mean share of each answer, and its gradients, (answers, parameters)."""
    cumulative = special.expit(parameters[:cuts] - (x @ parameters[cuts:])[:, None])
    dense = cumulative * (1 - cumulative)
    return np.diff(cumulative.mean(axis=0), prepend=0.0, append=1.0), _difference_cuts(dense, x)


def _share_slopes(x: FloatArray, by: FloatArray, parameters: FloatArray, cuts: int) -> tuple[FloatArray, FloatArray]:
    """Return the mean slope of each answer's share in a number on which the columns depend by `by`."""
    cumulative = special.expit(parameters[:cuts] - (x @ parameters[cuts:])[:, None])
    dense = cumulative * (1 - cumulative)
    change = (by @ parameters[cuts:])[:, None]
    gradient = _difference_cuts(-dense * (1 - 2 * cumulative) * change, x)
    gradient[:, cuts:] -= np.diff(dense.T @ by / len(x), axis=0, prepend=0.0, append=0.0)
    return np.diff((-dense * change).mean(axis=0), prepend=0.0, append=0.0), gradient


def _difference_cuts(steep: FloatArray, x: FloatArray) -> FloatArray:
    """Return the gradients of differences of neighbouring cuts, where each cut's mean changes by `steep` in its end."""
    cuts = steep.shape[1]
    each = np.column_stack([np.diag(steep.mean(axis=0)), -steep.T @ x / len(x)])
    return np.diff(each, axis=0, prepend=np.zeros((1, cuts + x.shape[1])), append=np.zeros((1, cuts + x.shape[1])))


def _average(model: ModelDesign, name: str, place: int, beta: FloatArray, link: Link) -> tuple[float, FloatArray]:
    """Return the mean outcome if every row had this level, and its gradient."""
    x = model.columns({**model.measured, name: np.full(len(model.outcome), place)})
    mean = INVERSE[link](x @ beta + model.offset)
    return float(mean.mean()), np.asarray((_slope_of(mean, link)[:, None] * x).mean(axis=0))


def _slope(model: ModelDesign, name: str, beta: FloatArray, link: Link) -> tuple[float, FloatArray]:
    """Return the mean slope in a number, and its gradient. Each column is linear in it."""
    x = model.columns()
    ones, zeros = np.ones(len(x)), np.zeros(len(x))
    by = model.columns({**model.measured, name: ones}) - model.columns({**model.measured, name: zeros})
    by /= model.units.unit[name]
    mean = INVERSE[link](x @ beta + model.offset)
    first = _slope_of(mean, link)
    second = first * (1 - 2 * mean) if link == "logit" else mean
    change = by @ beta
    return float((first * change).mean()), np.asarray(
        ((second * change)[:, None] * x + first[:, None] * by).mean(axis=0)
    )


def _slope_of(mean: FloatArray, link: Link) -> FloatArray:
    return np.asarray(mean * (1 - mean) if link == "logit" else mean)
