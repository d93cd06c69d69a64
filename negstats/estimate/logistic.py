"""Logistic curves of one predictor: the fit, those of resamples, and what each cluster moves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import expit

from negstats.errors import NotEstimable
from negstats.estimate.answers import Answers
from negstats.stats.outcomes.fits import fitted
from negstats.stats.results.numbers import ROUNDING

Floats = npt.NDArray[np.float64]

STEPS = 25  # of Newton's method; a sound fit needs about 6
STEEPEST = 50.0  # change of log odds over one SD of benefit beyond which answers are separated
ROOM = 2_000_000  # numbers that a portion of the draws may take: 16 MB an array
JUMPS = "accepted and refused offers share one benefit at the most"  # so that no logistic curve is the best


def fit_logistic(answers: Answers) -> tuple[float, float]:
    """Return intercept and slope of the logistic curve of accepting over what an offer brings.

    Raises
    ------
    NotEstimable
        If all answers or all benefits are equal, or accepted and refused offers share one benefit at the most.
    """
    benefit, is_accepted = answers.benefit, answers.accepted
    if not is_accepted.any() or is_accepted.all():
        raise NotEstimable(
            f"{is_accepted.sum()} of {len(is_accepted)} offers were accepted; a curve needs both answers"
        )
    if np.ptp(benefit) == 0:
        raise NotEstimable(f"all offers have a benefit of {benefit[0]:g} {answers.unit}; a curve needs different ones")
    # Where the answers do not overlap, the slope has no bound and the curve is a step.
    if (
        benefit[is_accepted].min() >= benefit[~is_accepted].max()
        or benefit[is_accepted].max() <= benefit[~is_accepted].min()
    ):
        raise NotEstimable(f"{JUMPS}: acceptance jumps, see the acceptance threshold")
    design = np.column_stack([np.ones(len(benefit)), benefit])
    intercept, slope = map(float, fitted(design, is_accepted.astype(np.float64), "logistic").beta)
    if slope <= 0:
        raise NotEstimable("acceptance does not rise with benefit in these offers")
    return intercept, slope


def refit_resamples(answers: Answers, counts: npt.NDArray[np.int64]) -> Floats:
    """Return intercept and slope of the curve with each row of counts of people; NaN where answers are separated."""
    centre, scale = answers.benefit.mean(), answers.benefit.std()
    benefits, benefit_code = np.unique(answers.benefit, return_inverse=True)
    shape = (answers.people, len(benefits))
    n = csr_array((np.ones(len(benefit_code)), (answers.person, benefit_code)), shape=shape)
    acceptances = csr_array((answers.accepted.astype(float), (answers.person, benefit_code)), shape=shape)
    weights = counts.astype(float)
    coefficients = _fit_weighted_logistic((benefits - centre) / scale, weights @ n, weights @ acceptances)
    coefficients[~(np.abs(coefficients[:, 1]) < STEEPEST)] = np.nan
    return np.column_stack([coefficients[:, 0] - coefficients[:, 1] * centre / scale, coefficients[:, 1] / scale])


def _fit_weighted_logistic(x: Floats, n: Floats, acceptances: Floats) -> Floats:
    """Fit intercept and slope to each row of numbers of decisions by Newton's method; NaN where it does not settle."""
    beta = np.full((len(n), 2), np.nan)
    open_rows, fits = np.arange(len(n)), np.zeros((len(n), 2))
    for _ in range(STEPS):
        share = expit(fits[:, :1] + fits[:, 1:] * x)
        error, variances = acceptances - n * share, n * share * (1 - share)
        intercept_score, slope_score = error.sum(axis=1), error @ x
        information_0, information_1, information_2 = variances.sum(axis=1), variances @ x, variances @ x**2
        determinant = information_0 * information_2 - information_1**2
        with np.errstate(divide="ignore", invalid="ignore"):
            # Newton's step of two parameters in closed form, for all rows at once.
            step = (
                np.column_stack(
                    [
                        information_2 * intercept_score - information_1 * slope_score,
                        information_0 * slope_score - information_1 * intercept_score,
                    ]
                )
                / determinant[:, np.newaxis]
            )
        is_stuck = ~np.isfinite(step).all(axis=1)
        fits = fits + np.clip(step, -4, 4)
        is_informative = determinant > ROUNDING * information_0 * information_2
        has_converged = ~is_stuck & is_informative & (np.abs(step).max(axis=1) < 1e-8)
        # Rows that have converged are written down, and the others go on.
        beta[open_rows[has_converged]] = fits[has_converged]
        is_open = ~has_converged & ~is_stuck
        open_rows, fits, n, acceptances = open_rows[is_open], fits[is_open], n[is_open], acceptances[is_open]
        if not len(open_rows):
            break
    return beta


def influence_of_clusters(answers: Answers, intercept: float, slope: float) -> Floats:
    """Return how much each person moves intercept and slope: the whole curve less the one without the person."""
    x, share = answers.benefit, expit(intercept + slope * answers.benefit)
    error, variances = answers.accepted - share, share * (1 - share)

    def sum_by_person(values: Floats) -> Floats:
        return np.bincount(answers.person, values, minlength=answers.people).astype(np.float64)

    centre = x.mean()  # information is a better conditioned matrix about the mean
    intercept_scores, slope_scores = sum_by_person(error), sum_by_person(error * (x - centre))
    information_0, information_1, information_2 = (
        sum_by_person(variances * (x - centre) ** power) for power in range(3)
    )
    # One step from the fit with a person's information left out: nearly the change when the person is.
    others_0, others_1, others_2 = (
        own_sums.sum() - own_sums for own_sums in (information_0, information_1, information_2)
    )
    determinant = others_0 * others_2 - others_1**2
    with np.errstate(divide="ignore", invalid="ignore"):
        intercept_change = (others_2 * intercept_scores - others_1 * slope_scores) / determinant
        slope_change = (others_0 * slope_scores - others_1 * intercept_scores) / determinant
    influence = np.column_stack([intercept_change - slope_change * centre, slope_change])
    return np.where(np.isfinite(influence), influence, 0.0)
