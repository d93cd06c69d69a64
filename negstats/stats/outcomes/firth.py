"""Firth's penalised logistic regression: finite coefficients where a column separates yes from no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from negstats.errors import NotEstimable
from negstats.stats.design import ModelDesign, events
from negstats.stats.fitted import no_likelihood
from negstats.stats.numerics import apart, profile
from negstats.stats.outcomes.fits import Fit
from negstats.stats.outcomes.logistic import GeneralizedRegression, build_fields
from negstats.stats.results.numbers import FloatArray

STEPS, LONGEST = 100, 5.0
CLOSE, NEAR = 1e-11, 1e-6
RESTARTS, RISE = 10, 1e-9
# What the search takes for the likelihood where the information is singular, and the slope below which it has arrived.
FAR, FLAT = 1e10, 1e-5
# How far from 0 other maxima are looked for, in coefficients of columns of mean square 1, and what is not a rounding.
FURTHER, SHARE_OF_LOSS = 3.0, 1e-6


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FirthRegression(GeneralizedRegression):
    """A logistic regression by Firth's penalised likelihood; attributes as `GeneralizedRegression`.

    ``log_likelihood`` and ``null_log_likelihood`` are penalised: ln L + ½ ln |X′WX|, the null's with every coefficient
    but the intercept at 0. Tests and profile intervals are of the penalised likelihood, and exist where the data are
    separated too.
    """

    def _largest_without(self, term: int) -> float:
        """Return the likelihood of the fit less the ratio, which is of columns whose factors sum to zero.

        The penalty of these columns and of those that were fitted differs by a constant.
        """
        x = self.design.coding.matrix(self.design.measured)
        full, smaller = (_maximise(x, self.y, fixed)[1] for fixed in ((), self.design.coding.columns_of(term)))
        return self.log_likelihood - (full - smaller)

    def _criterion(self) -> tuple[float, int, int]:
        raise no_likelihood("a penalty that depends on the columns is in the likelihood")

    def _profile(self, place: int, z: float) -> tuple[float, float]:
        """Return the two values of a coefficient at which the penalised likelihood ratio is z²."""
        row = self.design.back[place]
        # The model's columns in another basis: first what the coefficient as it is printed adds, then all else. Both
        # are well conditioned since the fit's columns are centred and scaled; the penalty changes by a constant.
        others, own = apart(self.design.columns(), row)
        x = np.column_stack([own, others])
        change_of_basis = float(np.linalg.slogdet(self.design.back)[1]) - float(np.log(np.linalg.norm(row)))
        highest = self.fit.log_likelihood + change_of_basis

        def loss(value: float, *starts: FloatArray) -> float:
            reached = [_maximise(x, self.y, (0,), value, start)[1] for start in (None, *starts)]
            return 2 * (highest - max(reached)) - z**2

        ends = profile(loss, float(self.estimate[place]), z * float(self.se[place]), digits=1e-9)
        # The penalised likelihood may have several maxima. Where one that is reached from further away lies higher at
        # an end, the end is not an end, and the search is done again from all of these places.
        size = np.sqrt((x**2).mean(axis=0))
        places_around = [
            sign * FURTHER * np.eye(x.shape[1])[free] / size for free in range(1, x.shape[1]) for sign in (1, -1)
        ]
        if any(np.isfinite(end) and loss(end, *places_around) < -SHARE_OF_LOSS for end in ends):
            return profile(
                lambda value: loss(value, *places_around), float(self.estimate[place]), z * float(self.se[place]),
                digits=1e-9,
            )  # fmt: skip
        return ends


def fit_firth(design: ModelDesign, event: object) -> FirthRegression:
    """Fit a model's rows; `logistic` with ``firth=True`` calls this.

    Notes
    -----
    Firth (1993), Biometrika 80, 27-38; tests and intervals of Heinze and Schemper (2002), Statistics in Medicine 21,
    2409-2419: a coefficient is held, the penalty keeps every column. The same numbers as R's logistf.
    """
    y, name = events(design.outcome, event)
    x = design.columns()
    beta, likelihood = _maximise(x, y, ())
    null = _maximise(x, y, range(1, x.shape[1]))[1]
    mean = special.expit(x @ beta)
    size = np.sqrt((x**2).mean(axis=0))
    unit_x = x / size
    covariance = np.linalg.inv(unit_x.T @ (unit_x * (mean * (1 - mean))[:, None])) / np.outer(size, size)
    # The penalty is of the columns as they are given, not in the units of the fit.
    shift = float(np.linalg.slogdet(design.back)[1])
    fields = build_fields(design, y, name, "logistic", Fit(beta, covariance, likelihood - shift))
    return FirthRegression(**{**fields, "null_log_likelihood": null - shift})


def _maximise(
    x: FloatArray, y: FloatArray, fixed: Sequence[int], value: float = 0.0, start: FloatArray | None = None
) -> tuple[FloatArray, float]:
    """Return the coefficients, those at `fixed` held at a value, and the penalised log-likelihood in columns of X.

    Steps begin at `start`, or where all coefficients are 0.
    """
    centre = np.zeros(x.shape[1])
    if 0 not in set(fixed):  # the intercept takes up what centring moves, and the penalty is the same
        centre[1:] = x[:, 1:].mean(axis=0)
    columns = x - centre
    size = np.sqrt((columns**2).mean(axis=0))
    columns = columns / size
    free = [place for place in range(x.shape[1]) if place not in set(fixed)]
    beta = np.zeros(x.shape[1]) if start is None else start * size
    beta[list(fixed)] = value * size[list(fixed)]
    beta, likelihood = _ascend(columns, y, beta, free)
    for _ in range(RESTARTS):
        # Steps may end between two maxima of the same height, where the slope is 0 too; beside it the likelihood rises.
        higher = [point for point in _points_beside(beta, free) if _penalised(columns, y, point)[0] > likelihood + RISE]
        if not higher:
            break
        beta, likelihood = _ascend(columns, y, higher[0], free)
    beta = beta / size
    beta[0] -= centre @ beta
    return beta, likelihood + float(np.log(size).sum())


def _points_beside(beta: FloatArray, free: Sequence[int]) -> list[FloatArray]:
    """Return points a tenth to either side of each coefficient that is free."""
    moves = [sign * 0.1 * (np.arange(len(beta)) == place) for place in free for sign in (1, -1)]
    return [np.asarray(beta + move) for move in moves]


def _ascend(x: FloatArray, y: FloatArray, beta: FloatArray, free: Sequence[int]) -> tuple[FloatArray, float]:
    """Return where steps from `beta` along the free coefficients end, and the penalised log-likelihood there."""
    likelihood, score, information = _penalised(x, y, beta)
    for _ in range(STEPS):
        if not free:
            break
        step = np.linalg.solve(information[np.ix_(free, free)], score[list(free)])
        step *= min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))
        share = 1.0
        while True:
            trial_beta = beta.copy()
            trial_beta[list(free)] += share * step
            trial = _penalised(x, y, trial_beta)
            if trial[0] >= likelihood - 1e-12 * abs(likelihood) or share < 1e-6:
                break
            share /= 2
        gain = trial[0] - likelihood
        beta, (likelihood, score, information) = trial_beta, trial
        length = float(np.abs(share * step).max()) / (1 + float(np.abs(beta).max()))
        if length <= CLOSE or (gain <= 1e-13 * abs(likelihood) and length <= NEAR):
            break
    else:
        return _climb(x, y, beta, list(free))
    return beta, likelihood


def _climb(x: FloatArray, y: FloatArray, beta: FloatArray, free: list[int]) -> tuple[FloatArray, float]:
    """Return the maximum by a quasi-Newton search, for where the steps above go to and fro without arriving."""
    from scipy.optimize import minimize

    def loss(values: FloatArray) -> tuple[float, FloatArray]:
        point = beta.copy()
        point[free] = values
        likelihood, score, _ = _penalised(x, y, point)
        return (-likelihood, -score[free]) if np.isfinite(likelihood) else (FAR, np.zeros(len(free)))

    search = minimize(loss, beta[free], jac=True, method="BFGS", options={"gtol": NEAR, "maxiter": STEPS})
    if not np.abs(search.jac).max() <= FLAT:
        raise NotEstimable("the penalised likelihood has no maximum that could be reached", advice="leave terms out")
    point = beta.copy()
    point[free] = search.x
    return point, -float(search.fun)


def _penalised(x: FloatArray, y: FloatArray, beta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Return ln L + ½ ln |X′WX|, its slope X′(y − p + h(½ − p)), and X′W(1 + h)X, near to its curvature.

    With X′WX alone a step is twice as long as it should be where a row is alone in its cell, and never arrives.
    """
    eta = x @ beta
    mean = special.expit(eta)
    weight = mean * special.expit(-eta)
    information = x.T @ (x * weight[:, None])
    sign, log_size = np.linalg.slogdet(information)
    if sign <= 0:
        return -np.inf, np.zeros(len(beta)), np.eye(len(beta))
    leverage = weight * np.einsum("ij,ji->i", x, np.linalg.solve(information, x.T))
    likelihood = float((y * eta - np.logaddexp(0.0, eta)).sum() + 0.5 * log_size)
    return likelihood, x.T @ (y - mean + leverage * (0.5 - mean)), x.T @ (x * (weight * (1 + leverage))[:, None])
