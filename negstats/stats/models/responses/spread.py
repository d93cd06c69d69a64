"""Intervals in a mixed model of responses, of coefficients and of SDs, and the spread of people."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import optimize, special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.models.responses.engine import EngineFit, RandomPart, ResponseRows, fit_columns
from negstats.stats.models.responses.likelihood import Distribution
from negstats.stats.numerics import profile
from negstats.stats.results.intervals import percentile_interval, quantile
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_count
from negstats.stats.results.result import with_schema

if TYPE_CHECKING:
    from negstats.stats.models.responses.result import MixedResponses

REFIT_NAGQ = 9


def leave_out(rows: ResponseRows, columns: list[int]) -> tuple[FloatArray, tuple[RandomPart, ...]]:
    """Return the columns of rows without some of them, and the random terms at their new places.

    Raises
    ------
    DesignError
        If the slope of a column that is left out is random.
    """
    kept_columns = [column for column in range(rows.x.shape[1]) if column not in columns]
    kept_parts = []
    for random_part in rows.parts:
        slopes = [rows.coding.labels[column] for column in random_part.slopes if column in columns]
        if slopes:
            raise DesignError(
                f"the slope of {slopes[0]!r} varies over {random_part.name!r}, and a fit without its mean is not "
                "available; use the Wald test or interval"
            )
        kept_parts.append(
            replace(random_part, slopes=tuple(kept_columns.index(column) for column in random_part.slopes))
        )
    return rows.x[:, kept_columns], tuple(kept_parts)


def profile_ends(model: MixedResponses, place: int, confidence_level: float) -> tuple[float, float]:
    """Return the two values of a coefficient at which the likelihood ratio is the square of the normal's quantile.

    The coefficient is held in the columns in which it is printed.
    """
    z = float(quantile(confidence_level))
    measured = model.rows.given
    x, random_parts = leave_out(replace(model.rows, x=measured), [place])

    def compute_loss(value: float) -> float:
        fit = fit_columns(
            x, model.rows.y, random_parts, model.distribution, model.nagq, offset=value * measured[:, place]
        )
        return 2 * (model.log_likelihood - fit.log_likelihood) - z**2

    return profile(compute_loss, float(model.estimate[place]), z * float(model.se[place]), digits=1e-6)


def draw_answers(
    rows: ResponseRows, fit: EngineFit, law: Distribution, rng: np.random.Generator, x: FloatArray | None = None
) -> FloatArray:
    """Return answers drawn from a fit; `x` are its columns, the model's own if not given."""
    columns = rows.x if x is None else x
    eta = columns @ fit.beta
    for random_part, covariance in zip(rows.parts, fit.random, strict=True):
        eigenvalues, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
        effects = rng.standard_normal((len(random_part.levels), len(covariance))) @ root.T
        z = rows.x[:, [0, *random_part.slopes]]
        eta = eta + (z * effects[random_part.codes]).sum(axis=1)
    return law.draw(rng, eta)


def bootstrap_p(
    model: MixedResponses, columns: list[int], smaller: EngineFit, rng: np.random.Generator, n_resamples: int
) -> float:
    """Return the share of draws from the smaller fit whose likelihood ratio is as large as the model's."""
    check_count("n_resamples", n_resamples, 1)
    x, random_parts = leave_out(model.rows, columns)
    law = replace(model.distribution, size=smaller.size)
    observed = model.log_likelihood - smaller.log_likelihood
    n_fitted, n_extreme = 0, 0
    for child in rng.spawn(n_resamples):
        y = draw_answers(model.rows, smaller, law, child, x)
        ratio = _refitted_ratio(model, y, x, random_parts)
        if ratio is not None:
            n_fitted += 1
            n_extreme += ratio >= observed * (1 - 1e-9)
    if not n_fitted:
        raise NotEstimable("no set of answers drawn without the term could be fitted")
    return (n_extreme + 1) / (n_fitted + 1)


def _refitted_ratio(
    model: MixedResponses, y: FloatArray, x: FloatArray, random_parts: tuple[RandomPart, ...]
) -> float | None:
    nagq = min(REFIT_NAGQ, model.nagq)
    try:
        larger = fit_columns(model.rows.x, y, model.rows.parts, model.distribution, nagq)
        smaller = fit_columns(x, y, random_parts, model.distribution, nagq)
    except NotEstimable:
        return None
    return larger.log_likelihood - smaller.log_likelihood


def bootstrap_ends(
    model: MixedResponses, rng: np.random.Generator, n_resamples: int, confidence_level: float
) -> FloatArray:
    """Return the basic interval of each coefficient, (2, coefficients): 2b less the quantiles of what is drawn."""
    check_count("n_resamples", n_resamples, 1)
    fits = []
    for child in rng.spawn(n_resamples):
        y = draw_answers(model.rows, model.fit, model.distribution, child)
        try:
            nagq = min(REFIT_NAGQ, model.nagq)
            fits.append(model.rows.back @ fit_columns(model.rows.x, y, model.rows.parts, model.distribution, nagq).beta)
        except NotEstimable:
            continue
    if len(fits) < n_resamples / 2:
        raise NotEstimable(f"{n_resamples - len(fits)} of {n_resamples} sets of drawn answers could not be fitted")
    percentiles = percentile_interval(np.array(fits), confidence_level)
    return np.asarray([2 * model.estimate - percentiles.high, 2 * model.estimate - percentiles.low])


NODES = 61


def effects_frame(model: MixedResponses) -> pd.DataFrame:
    """Return the modes of each term's levels, in the columns as they are given, and their SDs where one term is all."""
    tables = []
    for number, random_part in enumerate(model.rows.parts):
        effect_columns = [0, *random_part.slopes]
        to_printed = model.rows.back[np.ix_(effect_columns, effect_columns)]
        effects = model.fit.modes[number] @ to_printed.T
        sds = _mode_sds(model, to_printed) if len(model.rows.parts) == 1 else np.full(effects.shape, np.nan)
        q = len(random_part.effects)
        columns = {
            "cluster": random_part.name,
            "level": np.repeat(np.array(random_part.levels, dtype=object), q),
            "effect": list(random_part.effects) * len(random_part.levels),
            "estimate": effects.ravel(),
            "sd": sds.ravel(),
        }
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def _mode_sds(model: MixedResponses, to_printed: FloatArray) -> FloatArray:
    """Return the SDs of a term's effects given the fit: L(I + L′Z′WZL)⁻¹L′ of each level, with W at the mode."""
    random_part, (covariance,), (mode,) = model.rows.parts[0], model.fit.random, model.fit.modes
    z = model.rows.x[:, [0, *random_part.slopes]]
    eta = model.rows.x @ model.fit.beta + (z * mode[random_part.codes]).sum(axis=1)
    weight = model.distribution.information(model.rows.y, eta)
    eigenvalues, vectors = np.linalg.eigh(covariance)
    # A root L of the covariance; where a variance is zero it has no inverse, and none is needed.
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    whitened_columns = z @ root
    n_effects = z.shape[1]
    # L′Z′WZL of each level, summed over its rows.
    inner = np.zeros((len(random_part.levels), n_effects, n_effects))
    for a in range(n_effects):
        for b in range(n_effects):
            inner[:, a, b] = np.bincount(
                random_part.codes,
                weights=weight * whitened_columns[:, a] * whitened_columns[:, b],
                minlength=len(inner),
            )
    turned_root = to_printed @ root
    covariances = turned_root @ np.linalg.inv(np.eye(n_effects) + inner) @ turned_root.T
    return np.asarray(np.sqrt(np.diagonal(covariances, axis1=1, axis2=2)), dtype=np.float64)


def sd_ends(model: MixedResponses, confidence_level: float) -> tuple[float, float]:
    """Return the SDs at which the likelihood, maximised over the coefficients, is less by the normal's quantile²/2."""
    if not model.is_simple:
        raise DesignError(
            "the interval of an SD is available for a single random effect; use the bootstrap of the model's draws"
        )
    rows = model.clustered
    (sigma,) = (float(np.sqrt(covariance[0, 0])) for covariance in model.fit.random)
    limit = float(quantile(confidence_level)) ** 2 / 2
    start = model.fit.beta

    def fit_best(log_sd: float) -> float:
        """Return the log-likelihood maximised over β at an SD, by sums about each cluster's mode."""
        sd = float(np.exp(log_sd))

        def loss(beta: FloatArray) -> tuple[float, FloatArray]:
            eta = rows.x @ beta
            nodes_scaled, log_terms = rows.about_modes(eta, sd, NODES)
            posterior, predictors = (
                special.softmax(log_terms, axis=1),
                eta[:, None] + sd * np.repeat(nodes_scaled, rows.sizes, axis=0),
            )
            slope = rows.distribution.slope(rows.y[:, None], predictors)
            expected_slope = (slope * np.repeat(posterior, rows.sizes, axis=0)).sum(axis=1)
            return -float(special.logsumexp(log_terms, axis=1).sum()), -(rows.x.T @ expected_slope)

        solution = optimize.minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-5})
        return -float(solution.fun)

    # A model whose SD is 0 is profiled from close to 0; where 0 lies inside, the end on the log scale is infinite.
    centre, width = (float(np.log(sigma)), 0.3) if sigma > 0 else (-12.0, 9.0)
    largest = fit_best(centre)
    low, high = profile(lambda log_sd: largest - fit_best(log_sd) - limit, centre, width, digits=1e-6 / width)
    return float(np.exp(low)), float(np.exp(high))


def row_variance(model: MixedResponses, x: FloatArray) -> FloatArray:
    """Return the variance of the random effects' sum at rows of the columns."""
    total = np.zeros(len(x))
    for random_part, covariance in zip(model.rows.parts, model.fit.random, strict=True):
        z = x[:, [0, *random_part.slopes]]
        total += np.einsum("na,ab,nb->n", z, covariance, z)
    return total


def icc(model: MixedResponses) -> float:
    """Return the latent intraclass correlation."""
    random_variance, latent = float(row_variance(model, model.rows.x).mean()), _latent(model)
    return random_variance / (random_variance + latent)


def r_squared(model: MixedResponses) -> pd.DataFrame:
    """Return the marginal and the conditional R² of the latent scale."""
    random_variance, latent = float(row_variance(model, model.rows.x).mean()), _latent(model)
    fixed = float(np.var(model.rows.x @ model.fit.beta, ddof=1))
    total = fixed + random_variance + latent
    frame = pd.DataFrame({"marginal": [fixed / total], "conditional": [(fixed + random_variance) / total]})
    return with_schema(frame, "RSquared/1")


def _latent(model: MixedResponses) -> float:
    if model.family != "binomial":
        raise DesignError("shares of a latent variance exist for yes or no; counts have no latent scale")
    return model.distribution.latent_variance
