"""Means over people of a mixed model of responses, and those of a typical person: with errors, for rows and cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from negstats.errors import DesignError, meant, shown
from negstats.stats.means.design import Grid
from negstats.stats.models.responses.likelihood import hermite
from negstats.stats.models.responses.spread import row_variance
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice, check_number, find_name
from negstats.stats.results.result import Interval, Result
from negstats.stats.summaries.frames import as_pandas, check_columns, level_places, numbers

if TYPE_CHECKING:
    from negstats.stats.models.responses.result import MixedResponses

Scale: TypeAlias = Literal["population", "typical", "link"]
SCALES = ("population", "typical", "link")
NODES = 60
NAMES = {"population": "mean over people", "typical": "typical person", "link": "linear predictor"}


@dataclass(frozen=True, slots=True)
class PopulationMean(Result):
    """A mean answer that a mixed model expects.

    Attributes
    ----------
    estimate, se : float
        A share or a mean count (the linear predictor on the scale "link"); delta method on the coefficients and, of a
        model with one random effect, ln σ; with several the SDs are taken as they are.
    linear, linear_se : float
        The same on the scale of the link: of a share its log odds.
    df : float
        Clusters less columns between them.
    scale, link : str

    Examples
    --------
    >>> PopulationMean(0.3758, 0.0604, -0.5074, 0.2575, 38.0, "population", "logit", "accepted").apa()
    'M = 0.38, SE = 0.06, 95% CI [0.26, 0.50]'
    """

    estimate: float
    se: float
    linear: float
    linear_se: float
    df: float
    scale: Scale
    link: str
    outcome: str

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the t interval on the scale of the link, turned back."""
        from negstats.stats.models.responses.likelihood import Distribution

        interval = t_interval(self.linear, self.linear_se, self.df, confidence_level)
        low, high = float(interval.low), float(interval.high)
        if self.scale != "link":
            law = Distribution("binomial" if self.link != "log" else "poisson", self.link)  # type: ignore[arg-type]
            low, high = (float(law.mean(np.array(bound))) for bound in (low, high))
        return Interval(low, high, confidence_level, "t, delta method")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return the mean, its SE and its interval."""
        interval_text = self.confidence_interval(confidence_level).apa()
        return f"M = {apa.number(self.estimate)}, SE = {apa.number(self.se)}, {interval_text}"


def joint_covariance(model: MixedResponses) -> FloatArray:
    """Return the covariance of the fit's coefficients (of covariates from their origin) and ln σ.

    Of one random effect by the second derivatives of the likelihood; with several, or at a variance of 0, ln σ has
    variance 0: the SDs are taken as they are.
    """
    n_coefficients = len(model.names)
    covariance = np.zeros((n_coefficients + 1, n_coefficients + 1))
    sigma = float(np.sqrt(model.fit.random[0][0, 0])) if model.is_simple else 0.0
    if sigma > 0 and not model.singular:
        return np.asarray(np.linalg.inv(model.clustered.information(model.fit.beta, sigma)))
    covariance[:n_coefficients, :n_coefficients] = model.fit.covariance
    return covariance


def means_of_rows(model: MixedResponses, x: FloatArray, scale: Scale) -> tuple[FloatArray, FloatArray]:
    """Return the mean answer at each row of columns, and its gradients in the coefficients and ln σ, (rows, p + 1)."""
    eta = x @ model.fit.beta
    law = model.distribution
    gradient = np.zeros((len(x), x.shape[1] + 1))
    if scale == "link":
        gradient[:, :-1] = x
        return eta, gradient
    if scale == "typical":
        gradient[:, :-1] = law.mean_slope(eta)[:, None] * x
        return law.mean(eta), gradient
    # The mean over people: the random effects are integrated out by Gauss–Hermite nodes.
    z, weight = hermite(NODES)
    sd = np.sqrt(row_variance(model, x))
    predictors = eta[:, None] + sd[:, None] * z
    weighted_slopes = law.mean_slope(predictors) * weight
    gradient[:, :-1] = weighted_slopes.sum(axis=1)[:, None] * x
    gradient[:, -1] = sd * (weighted_slopes @ z)
    if model.link == "log":  # the mean of a log-normal, which no number of nodes gives for a large spread
        mean = np.exp(eta + sd**2 / 2)
        gradient[:, :-1] = mean[:, None] * x
        gradient[:, -1] = mean * sd**2
        return mean, gradient
    return law.mean(predictors) @ weight, gradient


def mean_at(model: MixedResponses, at: Mapping[str, object], scale: Scale) -> PopulationMean:
    """Return the mean answer at values of some predictors, averaged over the rows' values of the others."""
    check_choice("scale", scale, SCALES)
    values = dict(model.rows.coded)
    for name, value in at.items():
        find_name(name, list(values), "the model has no predictor", "it has")
        values[name] = np.full(model.n, _code(model, name, value))
    x = model.rows.matrix(values)
    # Rows with the same columns have the same mean: each distinct one is computed once.
    distinct_rows, counts = np.unique(x, axis=0, return_counts=True)
    mean, gradient = means_of_rows(model, distinct_rows, scale)
    share = counts / counts.sum()
    estimate, slope = float(share @ mean), share @ gradient
    # The delta method: the gradient is that of the mean in coefficients and spreads.
    se = float(np.sqrt(slope @ joint_covariance(model) @ slope))
    law = model.distribution
    linear, link_slope = estimate, 1.0
    if scale != "link":
        linear = float(law.link_of(np.array(estimate)))
        link_slope = float(law.mean_slope(np.array(linear)))
    return PopulationMean(estimate, se, linear, se / link_slope, float(model.df[0]), scale, model.link, model.outcome)


def build_grid(model: MixedResponses, scale: Scale, at: Mapping[str, float]) -> Grid:
    """Return the cells of the factors, covariates at their means or where `at` says."""
    check_choice("scale", scale, SCALES)
    coding = model.rows.coding
    covariate_values = {name: float(model.rows.coded[name].mean()) for name in coding.covariates}
    for name, value in at.items():
        find_name(name, list(covariate_values), "the model has no covariate", "it has")
        covariate_values[name] = check_number(f"at[{name!r}]", value) - model.rows.origin[name]
    # A row for each combination of levels, with the covariates at one value.
    factors, codes = coding.cells()
    values: dict[str, Any] = {factor.name: code for factor, code in zip(factors, codes, strict=True)}
    values |= {name: np.full(codes.shape[1], value) for name, value in covariate_values.items()}
    cells = coding.matrix(values) if values else np.ones((1, 1))
    mean, gradient = means_of_rows(model, cells, scale)
    covariance = joint_covariance(model)

    def test_each(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        slope = rows @ gradient
        se = np.sqrt(np.einsum("ij,jk,ik->i", slope, covariance, slope))
        return rows @ mean, se, np.array([fewest_df(model, row @ cells) for row in rows])

    def test_joint(rows: FloatArray) -> tuple[float, float, float]:
        slope, value, q = rows @ gradient, rows @ mean, float(len(rows))
        f = float(value @ np.linalg.solve(slope @ covariance @ slope.T, value)) / q
        return f, q, min(fewest_df(model, row @ cells) for row in rows)

    shape = tuple(len(factor) for factor in factors)
    cell = np.ravel_multi_index([model.rows.coded[factor.name] for factor in factors], shape) if factors else None
    n = np.array([model.n]) if cell is None else np.bincount(cell, minlength=int(np.prod(shape)))
    position = [f"{name} = {model.rows.origin[name] + value:.6g}" for name, value in covariate_values.items()]
    position_text = "; ".join([", ".join(position), NAMES[scale]] if position else [NAMES[scale]])
    return Grid(factors, n.astype(np.float64), test_each, test_joint, model.outcome, model.missing, position_text)


def predictions(model: MixedResponses, frame: Any) -> pd.DataFrame:
    """Return the predictions of a frame's complete rows, or of the model's own."""
    coding, rows = model.rows.coding, model.rows
    if frame is None:
        x, index = rows.x, pd.Index(range(model.n))
        codes = [random_part.codes for random_part in rows.parts]
    else:
        clusters = list(dict.fromkeys(name for term in rows.terms for name in term.clusters))
        names = [*coding.sources(), *clusters]
        check_columns(frame, names, "the model's formula")
        table = coding.evaluated(as_pandas(frame, names).dropna())
        values = {name: _codes(model, name, table[name]) for name in coding.variables}
        x, index = (coding.matrix(values) if values else np.ones((len(table), 1))), table.index
        codes = [_level_codes(random_part.levels, [table[name] for name in term.clusters])
                 for random_part, term in zip(rows.parts, rows.terms, strict=True)]  # fmt: skip
    fixed, random = x @ model.fit.beta, np.zeros(len(x))
    for random_part, mode, code in zip(rows.parts, model.fit.modes, codes, strict=True):
        padded = np.vstack([mode, np.zeros(mode.shape[1])])  # the last is of a level that is new
        random += (x[:, [0, *random_part.slopes]] * padded[code]).sum(axis=1)
    mean = model.distribution.mean(fixed + random)
    columns = {"fixed": fixed, "random": random, "fitted": mean, "population": means_of_rows(model, x, "population")[0]}
    return pd.DataFrame(columns, index=index)


def fewest_df(model: MixedResponses, weights: FloatArray) -> float:
    """Return the least degrees of freedom of the coefficients that a contrast is made of."""
    has_weight = np.abs(weights) > 1e-9 * np.abs(weights).max(initial=1e-300)
    return float(model.df[has_weight].min()) if has_weight.any() else float(model.df.min())


def _code(model: MixedResponses, name: str, value: object) -> float:
    """Return a covariate's value from its origin, or the code of a factor's level."""
    levels = model.rows.coding.levels
    if name not in levels:
        return check_number(f"at[{name!r}]", value) - model.rows.origin[name]
    if str(value) not in levels[name].levels:
        raise DesignError(f"at[{name!r}] is {shown(value)}; {meant(value, levels[name].levels, 'its levels are')}")
    return float(levels[name].levels.index(str(value)))


def _codes(model: MixedResponses, name: str, column: pd.Series) -> FloatArray:
    levels = model.rows.coding.levels
    if name not in levels:
        return np.asarray(numbers(column, name) - model.rows.origin[name])
    return np.asarray(level_places(column, levels[name]), dtype=np.float64)


def _level_codes(levels: tuple[str, ...], columns: list[pd.Series]) -> Any:
    """Return the place of each row's level, the last but one place for a level that is new."""
    text = columns[0].astype("object").map(str)
    for column in columns[1:]:
        text = text + ":" + column.astype("object").map(str)
    return text.map({level: code for code, level in enumerate(levels)}).fillna(len(levels)).to_numpy(dtype=np.intp)
