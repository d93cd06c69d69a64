"""Maximum likelihood of yes or no and of counts, on orthonormal columns, for the regressions and their profiles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.results.numbers import FloatArray

__all__ = ["Family", "Fit", "dispersed", "fitted"]

Family = Literal["logistic", "poisson", "negative binomial"]

STEPS = 500
# Dispersions, as multiples of 1 over the mean count, among which the best is looked for before its equation is solved;
# below the first a count is as even as Poisson's to six digits.
POINTS = np.geomspace(1e-6, 1e6, 13)
# Below this αμ, ln(1 + αμ) − αμ/(1 + αμ) is summed as a series, which keeps its digits.
SMALL = 1e-2
TINY = 1e-15
FAR = 200.0
NONE = (
    "the counts' likelihood has no maximum that could be reached: are nearly all 0? compare shares above 0 (logistic)"
)
# Every number up to the largest count has its term in a sum.
LARGEST = 10**6


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Coefficients, covariance, log-likelihood; of counts also the dispersion α and the information on it."""

    beta: FloatArray
    covariance: FloatArray
    log_likelihood: float
    dispersion: float = 0.0
    information: float = float("nan")


def fitted(
    x: FloatArray, y: FloatArray, family: Family, offset: FloatArray | None = None, guess: float | None = None
) -> Fit:
    """Return the fit of the columns; `guess` is a dispersion near which the best one lies.

    Raises
    ------
    NotEstimable
        If no maximum could be reached.
    """
    if family == "negative binomial":
        return _negative_binomial(x, y, np.zeros(len(y)) if offset is None else offset, guess)
    import statsmodels.api as sm

    kind = sm.families.Binomial() if family == "logistic" else sm.families.Poisson()
    if not x.shape[1]:
        eta = np.zeros(len(y)) if offset is None else offset
        mean = special.expit(eta) if family == "logistic" else np.exp(eta)
        return Fit(np.empty(0), np.empty((0, 0)), float(kind.loglike(y, mean)))
    q, r = np.linalg.qr(x)
    fit = sm.GLM(y, q, family=kind, offset=offset).fit(maxiter=200, tol=1e-13, rtol=1e-13)
    if not fit.converged:
        raise NotEstimable(
            "the likelihood has no maximum that could be reached; look for columns that nearly separate it"
        )
    back = np.linalg.inv(r)
    # The fit's own covariance has the weights of the step before the last.
    weight = kind.variance(fit.fittedvalues)
    covariance = np.linalg.inv(q.T @ (q * weight[:, None]))
    return Fit(back @ fit.params, back @ covariance @ back.T, float(fit.llf))


def _negative_binomial(x: FloatArray, y: FloatArray, offset: FloatArray, guess: float | None) -> Fit:
    """Maximise over the coefficients and the dispersion; a dispersion of 0 is Poisson's fit.

    Given the dispersion the likelihood is concave in the coefficients, so that only its slope in the dispersion is to
    be solved; statsmodels climbs in all together, with half the digits and none where the dispersion is 0.
    """
    from scipy.optimize import brentq

    if y.max() > LARGEST:
        raise DesignError(f"a count is {y.max():.0f}; above a million give linear_model the logarithm of the outcome")
    q, r = np.linalg.qr(x)
    counts = _Counts(q, y, offset)
    unit = 1 / float(y.mean())

    def slope(log: float) -> float:
        return counts.at(float(np.exp(log))).slope

    ends = None if guess is None else _near(slope, guess, float(POINTS[0]) * unit)
    if ends is None:
        points = POINTS * unit
        found = [counts.tried(point) for point in points]
        best = int(np.argmax([-np.inf if one is None else one.log_likelihood for one in found]))
        top = found[best]
        none = counts.at(0.0)
        if top is None:
            raise NotEstimable(NONE)
        if none.log_likelihood >= top.log_likelihood or (best == 0 and top.slope <= 0):
            return none.turned(r)
        if top.slope > 0 and (best == len(points) - 1 or found[best + 1] is None):
            raise NotEstimable(NONE)
        place = best if top.slope > 0 else best - 1
        ends = float(np.log(points[place])), float(np.log(points[place + 1]))
    return counts.at(float(np.exp(brentq(slope, *ends, xtol=1e-14, rtol=1e-14)))).turned(r)


def dispersed(x: FloatArray, y: FloatArray, offset: FloatArray, dispersion: float) -> float:
    """Return the largest log-likelihood of counts whose dispersion is given."""
    alpha = dispersion if dispersion > TINY else 0.0
    return _Counts(np.linalg.qr(x)[0], y, offset).at(alpha).log_likelihood


def _near(slope: Callable[[float], float], guess: float, least: float) -> tuple[float, float] | None:
    """Return logarithms of dispersions around a guess between which the slope changes its sign."""
    low = high = float(np.log(guess)) if guess > least else 0.0
    if guess <= least:
        return None
    step = 0.1
    for _ in range(12):
        low, high, step = low - step, high + step, 2 * step
        try:
            if slope(low) > 0 > slope(high):
                return low, high
        except NotEstimable:  # far from all good fits; the grid leaves such dispersions out
            return None
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _At:
    """The best fit where the dispersion is given, and the first and minus the second derivative in it."""

    dispersion: float
    beta: FloatArray
    log_likelihood: float
    slope: float
    information: float
    covariance: FloatArray

    def turned(self, r: FloatArray) -> Fit:
        """Return the fit in the coefficients of the columns as given."""
        back = np.linalg.inv(r)
        return Fit(
            back @ self.beta,
            back @ self.covariance @ back.T,
            self.log_likelihood,
            self.dispersion,
            self.information if self.dispersion > 0 else float("nan"),
        )


class _Counts:
    """Counts, their columns and offset; remembers the coefficients, from which the next search starts."""

    def __init__(self, q: FloatArray, y: FloatArray, offset: FloatArray) -> None:
        self.q, self.y, self.offset = q, y, offset
        self.constant = -float(special.gammaln(y + 1).sum())
        # Σ over rows of a sum over j < y is Σ_j (how many rows have y > j).
        self.above = (len(y) - np.cumsum(np.bincount(y.astype(np.intp)))[:-1]).astype(np.float64)
        self.j = np.arange(len(self.above), dtype=np.float64)
        middle = np.log((y + y.mean()) / 2) - offset
        self.beta: FloatArray = q.T @ middle

    def tried(self, alpha: float) -> _At | None:
        """Return the best fit for a dispersion; None where there is none, as for large ones if nearly all are 0."""
        try:
            return self.at(alpha)
        except NotEstimable:
            return None

    def at(self, alpha: float) -> _At:
        """Return the best fit for a dispersion, by Newton's method with steps halved while they lose."""
        beta, value = self.beta, self._value(self.beta, alpha)
        for _ in range(STEPS):
            mu = np.exp(self._eta(beta))
            score = self.q.T @ ((self.y - mu) / (1 + alpha * mu))
            weight = mu / (1 + alpha * mu) * ((1 + alpha * self.y) / (1 + alpha * mu))
            step = np.linalg.lstsq(self.q.T @ (self.q * weight[:, None]), score, rcond=None)[0]
            share = 1.0
            while not (found := self._value(beta + share * step, alpha)) >= value - 1e-9 * abs(value):
                share /= 2
                if share < 1e-10:
                    raise NotEstimable(NONE)
            beta, value = beta + share * step, found
            if np.abs(share * step).max(initial=0.0) < 1e-9 * (1 + np.abs(beta).max(initial=0.0)):
                break
        else:
            raise NotEstimable(NONE)
        self.beta = beta
        mu = np.exp(self._eta(beta))
        expected = np.linalg.pinv(self.q.T @ (self.q * (mu / (1 + alpha * mu))[:, None]))
        slope, information = self._in_dispersion(mu, alpha)
        return _At(alpha, beta, value, slope, information, np.asarray(expected, dtype=np.float64))

    def _value(self, beta: FloatArray, alpha: float) -> float:
        eta = self._eta(beta)
        mu = np.exp(eta)
        spread = (self.y + 1 / alpha) * np.log1p(alpha * mu) if alpha else mu
        return float((self.y * eta - spread).sum() + self.above @ np.log1p(alpha * self.j)) + self.constant

    def _eta(self, beta: FloatArray) -> FloatArray:
        """Return the logarithms of the means; a profile far from the estimate asks for some beyond all numbers."""
        return np.clip(self.q @ beta + self.offset, -FAR, FAR)

    def _in_dispersion(self, mu: FloatArray, alpha: float) -> tuple[float, float]:
        """Return the first derivative of the log-likelihood in α and minus the second, the means held."""
        y, z = self.y, alpha * mu
        if not alpha:
            first = float(self.above @ self.j) + float((mu**2 / 2 - y * mu).sum())
            return first, float(self.above @ self.j**2) + float((2 * mu**3 / 3 - y * mu**2).sum())
        k = np.arange(2, 10)
        terms = (-np.minimum(z, SMALL)[:, None]) ** k * (k - 1)
        part = np.where(z < SMALL, (terms / k).sum(axis=1), np.log1p(z) - z / (1 + z))
        bent = np.where(z < SMALL, (terms * (1 - 2 / k)).sum(axis=1), (z / (1 + z)) ** 2 - 2 * part)
        rising = self.j / (1 + alpha * self.j)
        first = float(self.above @ rising) + float((part / alpha**2 - y * mu / (1 + z)).sum())
        second = -float(self.above @ rising**2) + float((bent / alpha**3 + y * (mu / (1 + z)) ** 2).sum())
        return first, -second
