"""Profile-likelihood intervals of the variances of a random-intercept model: {value: d(value) − d̂ ≤ χ²₁}."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import optimize, special

from negstats.errors import NotEstimable
from negstats.stats.models.random_intercept import MOST, Fit, Sums, at, least_gamma


def icc_ends(sums: Sums, fit: Fit, confidence_level: float, *, negative: bool) -> tuple[float, float]:
    """Return the interval of ρ = γ/(1 + γ); its lower end is the bound of γ where the likelihood does not reach it."""
    limit = float(fit.deviance[0]) + float(special.chdtri(1, 1 - confidence_level))
    best = float(fit.gamma[0])

    def compute_excess(gamma: float) -> float:
        return float(at(sums, np.array([gamma])).deviance[0]) - limit

    bound = float(least_gamma(sums)[0]) * (1 - 1e-9) if negative else 0.0
    low = bound if best <= bound or compute_excess(bound) <= 0 else _root(compute_excess, bound, best)
    high = max(2 * best, best + 1.0)
    while compute_excess(high) < 0 and high < MOST**2:
        high *= 4
    high = _root(compute_excess, best, high) if compute_excess(high) > 0 else math.inf
    return low / (1 + low), 1.0 if math.isinf(high) else high / (1 + high)


def sd_ends(sums: Sums, fit: Fit, part: str, confidence_level: float) -> tuple[float, float]:
    """Return the interval of τ (σ profiled) or σ (γ profiled)."""
    if fit.gamma[0] < 0:
        raise NotEstimable("the covariance within clusters is negative, so there is no SD between them; see the ICC")
    limit = float(fit.deviance[0]) + float(special.chdtri(1, 1 - confidence_level))
    sigma2 = float(fit.sigma2[0])

    def compute_between(tau: float) -> float:
        def compute_deviance(log: float) -> float:
            return _deviance(sums, tau**2 / math.exp(log), math.exp(log))

        return _least(compute_deviance, math.log(sigma2) - 4, math.log(sigma2) + 4) - limit

    def compute_within(sigma: float) -> float:
        def compute_deviance(log: float) -> float:
            return _deviance(sums, math.exp(log), sigma**2)

        return min(_deviance(sums, 0.0, sigma**2), _least(compute_deviance, math.log(1e-7), math.log(MOST))) - limit

    excess, best = (
        (compute_between, math.sqrt(fit.tau2[0])) if part == "between" else (compute_within, math.sqrt(sigma2))
    )
    unit = math.sqrt(sigma2)
    low = 0.0
    if part == "within" or (best > 0 and excess(0.0) > 0):
        low = _root(excess, 0.0 if part == "between" else best / 50, best)
    high = best + unit
    while excess(high) < 0:
        high = best + 2 * (high - best)
    return low, _root(excess, best, high)


def _deviance(sums: Sums, gamma: float, sigma2: float) -> float:
    """Return −2 ln L where σ² is not at its best."""
    one = at(sums, np.array([gamma]))
    nu, rss = float(sums.df[0]), float(one.rss[0])
    return float(one.deviance[0]) - nu * (1 + math.log(rss / nu)) + nu * math.log(sigma2) + rss / sigma2


def _least(call: Callable[[float], float], low: float, high: float) -> float:
    minimum = optimize.minimize_scalar(call, bounds=(low, high), method="bounded", options={"xatol": 1e-9})
    return float(minimum.fun)


def _root(call: Callable[[float], float], low: float, high: float) -> float:
    return float(optimize.brentq(call, low, high, xtol=1e-14, rtol=1e-13))
