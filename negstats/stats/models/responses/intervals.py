"""Refits of a mixed model of responses: profile intervals, and answers drawn from a fit with their tests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from negstats.errors import DesignError, NotEstimable
from negstats.stats.models.responses.engine import EngineFit, RandomPart, fit_columns
from negstats.stats.models.responses.family import Distribution
from negstats.stats.models.responses.rows import ResponseRows
from negstats.stats.numerics import profile
from negstats.stats.results.intervals import percentile_interval, quantile
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_count

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
    rest = [place for place in range(rows.x.shape[1]) if place not in columns]
    parts = []
    for part in rows.parts:
        slopes = [rows.coding.labels[place] for place in part.slopes if place in columns]
        if slopes:
            raise DesignError(
                f"the slope of {slopes[0]!r} varies over {part.name!r}, and a fit without its mean is not available; "
                "use the Wald test or interval"
            )
        parts.append(replace(part, slopes=tuple(rest.index(place) for place in part.slopes)))
    return rows.x[:, rest], tuple(parts)


def profile_ends(model: MixedResponses, place: int, confidence_level: float) -> tuple[float, float]:
    """Return the two values of a coefficient at which the likelihood ratio is the square of the normal's quantile.

    The coefficient is held in the columns in which it is printed.
    """
    z = float(quantile(confidence_level))
    given = model.rows.given
    x, parts = leave_out(replace(model.rows, x=given), [place])

    def compute_loss(value: float) -> float:
        fit = fit_columns(x, model.rows.y, parts, model.distribution, model.nagq, offset=value * given[:, place])
        return 2 * (model.log_likelihood - fit.log_likelihood) - z**2

    return profile(compute_loss, float(model.estimate[place]), z * float(model.se[place]), digits=1e-6)


def draw_answers(
    rows: ResponseRows, fit: EngineFit, law: Distribution, rng: np.random.Generator, x: FloatArray | None = None
) -> FloatArray:
    """Return answers drawn from a fit; `x` are its columns, the model's own if not given."""
    own = rows.x if x is None else x
    eta = own @ fit.beta
    for part, covariance in zip(rows.parts, fit.random, strict=True):
        size, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(size, 0.0))
        effects = rng.standard_normal((len(part.levels), len(covariance))) @ root.T
        z = rows.x[:, [0, *part.slopes]]
        eta = eta + (z * effects[part.codes]).sum(axis=1)
    return law.draw(rng, eta)


def bootstrap_p(
    model: MixedResponses, columns: list[int], smaller: EngineFit, rng: np.random.Generator, n_resamples: int
) -> float:
    """Return the share of draws from the smaller fit whose likelihood ratio is as large as the model's."""
    check_count("n_resamples", n_resamples, 1)
    x, parts = leave_out(model.rows, columns)
    law = replace(model.distribution, size=smaller.size)
    observed = model.log_likelihood - smaller.log_likelihood
    draws, hits = 0, 0
    for child in rng.spawn(n_resamples):
        y = draw_answers(model.rows, smaller, law, child, x)
        ratio = _refitted_ratio(model, y, x, parts)
        if ratio is not None:
            draws += 1
            hits += ratio >= observed * (1 - 1e-9)
    if not draws:
        raise NotEstimable("no set of answers drawn without the term could be fitted")
    return (hits + 1) / (draws + 1)


def _refitted_ratio(model: MixedResponses, y: FloatArray, x: FloatArray, parts: tuple[RandomPart, ...]) -> float | None:
    nagq = min(REFIT_NAGQ, model.nagq)
    try:
        full = fit_columns(model.rows.x, y, model.rows.parts, model.distribution, nagq)
        smaller = fit_columns(x, y, parts, model.distribution, nagq)
    except NotEstimable:
        return None
    return full.log_likelihood - smaller.log_likelihood


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
    ends = percentile_interval(np.array(fits), confidence_level)
    return np.asarray([2 * model.estimate - ends.high, 2 * model.estimate - ends.low])
