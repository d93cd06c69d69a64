"""Profile-likelihood intervals of the variances of mixed models: {value: least d there − d̂ ≤ χ²₁}.

A term's random effects have the covariance MM′, M lower triangular with the effect that is profiled first (and the one
that it is correlated with second), so that an SD is one entry, and a correlation the direction of a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import optimize, special

from negstats.errors import NotEstimable
from negstats.stats.models import random_effects as core
from negstats.stats.models.random_intercept import MOST, Fit, Sums, at, least_gamma
from negstats.stats.results.numbers import FloatArray

if TYPE_CHECKING:
    from negstats.stats.models.estimators import RandomEffects


def icc_ends(sums: Sums, fit: Fit, confidence_level: float, *, negative: bool) -> tuple[float, float]:
    """Return the interval of ρ = γ/(1 + γ); its lower end is the bound of γ where the likelihood does not reach it."""
    limit = float(fit.deviance[0]) + float(special.chdtri(1, 1 - confidence_level))
    estimate = float(fit.gamma[0])

    def compute_excess(gamma: float) -> float:
        return float(at(sums, np.array([gamma])).deviance[0]) - limit

    # γ is bounded by 0, or by the ICC of −1/(k − 1) that clusters of k rows can have at least.
    bound = float(least_gamma(sums)[0]) * (1 - 1e-9) if negative else 0.0
    lower = bound if estimate <= bound or compute_excess(bound) <= 0 else _root(compute_excess, bound, estimate)
    # Outwards until the deviance exceeds the limit; an ICC of 1 is the end of the scale.
    upper = max(2 * estimate, estimate + 1.0)
    while compute_excess(upper) < 0 and upper < MOST**2:
        upper *= 4
    upper = _root(compute_excess, estimate, upper) if compute_excess(upper) > 0 else math.inf
    return lower / (1 + lower), 1.0 if math.isinf(upper) else upper / (1 + upper)


def sd_ends(sums: Sums, fit: Fit, part: str, confidence_level: float) -> tuple[float, float]:
    """Return the interval of τ (σ profiled) or σ (γ profiled)."""
    if fit.gamma[0] < 0:
        raise NotEstimable("the covariance within clusters is negative, so there is no SD between them; see the ICC")
    limit = float(fit.deviance[0]) + float(special.chdtri(1, 1 - confidence_level))
    sigma2 = float(fit.sigma2[0])

    def compute_between(tau: float) -> float:
        def compute_deviance(log: float) -> float:
            return _deviance(sums, tau**2 / math.exp(log), math.exp(log))

        return _minimum(compute_deviance, math.log(sigma2) - 4, math.log(sigma2) + 4) - limit

    def compute_within(sigma: float) -> float:
        def compute_deviance(log: float) -> float:
            return _deviance(sums, math.exp(log), sigma**2)

        return min(_deviance(sums, 0.0, sigma**2), _minimum(compute_deviance, math.log(1e-7), math.log(MOST))) - limit

    # The profile deviance less its limit: the ends of the interval are where it is zero.
    excess, estimate = (
        (compute_between, math.sqrt(fit.tau2[0])) if part == "between" else (compute_within, math.sqrt(sigma2))
    )
    residual_sd = math.sqrt(sigma2)
    # An SD between clusters may be zero within the limit; then the interval begins there.
    lower = 0.0
    if part == "within" or (estimate > 0 and excess(0.0) > 0):
        lower = _root(excess, 0.0 if part == "between" else estimate / 50, estimate)
    # The upper end is bracketed by doubling the distance from the estimate.
    upper = estimate + residual_sd
    while excess(upper) < 0:
        upper = estimate + 2 * (upper - estimate)
    return lower, _root(excess, estimate, upper)


def _deviance(sums: Sums, gamma: float, sigma2: float) -> float:
    """Return −2 ln L where σ² is not at its best."""
    fit_at = at(sums, np.array([gamma]))
    df, rss = float(sums.df[0]), float(fit_at.rss[0])
    return float(fit_at.deviance[0]) - df * (1 + math.log(rss / df)) + df * math.log(sigma2) + rss / sigma2


def _minimum(function: Callable[[float], float], lower: float, upper: float) -> float:
    minimum = optimize.minimize_scalar(function, bounds=(lower, upper), method="bounded", options={"xatol": 1e-9})
    return float(minimum.fun)


def _root(function: Callable[[float], float], lower: float, upper: float) -> float:
    return float(optimize.brentq(function, lower, upper, xtol=1e-14, rtol=1e-13))


# How large an SD is, of what is left, that a search takes for 0; and how far from 1 or −1 a correlation's search ends.
LEAST = 1e-3
EDGE = 1e-9


class _Profile:
    """−2 ln L in η = (entries of all M, ln σ), columns scaled to SDs of about 1, and its least value on a line of η."""

    def __init__(self, part: RandomEffects, first: dict[int, list[int]]) -> None:
        """Put the effects `first`, by term, before the others of theirs."""
        self.sigma = math.sqrt(part.fit.sigma2)
        scalings, factors, self.scale = [], [], []
        for term_index, (columns, to_scaled, table) in enumerate(
            zip(part.effects, part.turns, part.covariances, strict=True)
        ):
            first_columns = first.get(term_index, [])
            order = [*first_columns, *(column for column in range(len(columns.names)) if column not in first_columns)]
            covariance = table.to_numpy()[np.ix_(order, order)]
            # The SD that a random effect of these columns has if it moves the rows as much as what is left does.
            unit = self.sigma / np.sqrt((np.linalg.inv(columns.back)[:, order] ** 2).sum(axis=0))
            scales = np.maximum(np.sqrt(np.diagonal(covariance)), LEAST * unit)
            correlation = covariance / np.outer(scales, scales)
            factors.append(np.asarray(np.linalg.cholesky(correlation + 1e-9 * np.eye(len(scales))), dtype=np.float64))
            scalings.append(np.linalg.solve(columns.back @ to_scaled, np.eye(len(scales))[:, order]) * scales)
            self.scale.append(scales)
        # The same model in columns of unit size, those that are profiled first.
        batches = []
        for batch in part.problem.batches:
            block_scaling = batch.spread(scalings)
            batches.append(
                replace(batch, gram=block_scaling.T @ batch.gram @ block_scaling, mixed=block_scaling.T @ batch.mixed)
            )
        self.problem = replace(part.problem, batches=tuple(batches))
        self.start = np.append(part.problem.layout.psi(factors), math.log(self.sigma))
        self.diagonal = np.array([*(a == b for _, a, b in part.problem.layout.entries), False])
        self.off = np.array([*(a != b for _, a, b in part.problem.layout.entries), False])
        self.best = part.fit.deviance
        self.at = self.start
        self.known: tuple[FloatArray, tuple[FloatArray, FloatArray]] = (np.empty(0), (np.empty(0), np.empty((0, 0))))

    def place(self, term: int, row: int, column: int) -> int:
        """Return which of η is an entry of a term's M."""
        return self.problem.layout.entries.index((term, row, column))

    def least(self, held: FloatArray, free: FloatArray, *, restart: bool = True) -> float:
        """Return the least −2 ln L over w of η = held + free w.

        The search begins where the last one ended; with `restart` also at the fit and at effects that do not correlate,
        for the likelihood may have two tops.
        """
        starts = [self.at]
        if restart and self.off.any():
            starts += [self.start, np.where(self.off, 0.0, self.start)]
        value, self.at = min((self._search(held, free, start) for start in starts), key=lambda end: end[0])
        if math.isinf(value):
            raise NotEstimable("the profile of a variance could not be followed; leave random terms out")
        return value

    def _search(self, fixed_part: FloatArray, free: FloatArray, begin: FloatArray) -> tuple[float, FloatArray]:
        """Return the least value near a start, and η there."""

        def compute_eta(coordinates: FloatArray) -> FloatArray:
            return np.asarray(fixed_part + free @ coordinates)

        def value(coordinates: FloatArray) -> float:
            theta, sigma = _zeta(compute_eta(coordinates))
            try:
                return core.evaluate_at(self.problem, theta, sigma**2).deviance
            except (np.linalg.LinAlgError, FloatingPointError):
                return np.inf

        def gradient(coordinates: FloatArray) -> FloatArray:
            return np.asarray(free.T @ self._slopes(compute_eta(coordinates))[0])

        def hessian(coordinates: FloatArray) -> FloatArray:
            return np.asarray(free.T @ self._slopes(compute_eta(coordinates))[1] @ free)

        # An SD of exactly 0 has no slope by symmetry, and a search that begins there stays there.
        begin_inside = np.where(self.diagonal & (np.abs(begin) < LEAST), LEAST, begin)
        start = np.linalg.lstsq(free, begin_inside - fixed_part, rcond=None)[0]
        solution = optimize.minimize(
            value, start, jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-7, "maxiter": 200}
        )
        if not np.abs(gradient(solution.x)).max() < 1e-3:
            return np.inf, begin
        return float(solution.fun), compute_eta(solution.x)

    def _slopes(self, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return gradient and Hessian in η; θ = M/σ and ln σ² = 2 ln σ. A search asks for both at one place."""
        if np.array_equal(self.known[0], eta):
            return self.known[1]
        theta, sigma = _zeta(eta)
        derivatives = core.slopes(self.problem, core.evaluate_at(self.problem, theta, sigma**2))
        size = len(eta)
        # By the chain rule from (θ, ln σ²) to η, where θ is a quotient and adds second derivatives.
        jacobian = np.eye(size) / sigma
        jacobian[:-1, -1], jacobian[-1, -1] = -theta, 2.0
        hessian = jacobian.T @ derivatives.full @ jacobian
        cross = derivatives.whole[:-1] / sigma
        hessian[:-1, -1] -= cross
        hessian[-1, :-1] -= cross
        hessian[-1, -1] += derivatives.whole[:-1] @ theta
        self.known = eta, (jacobian.T @ derivatives.whole, hessian)
        return self.known[1]


def _zeta(eta: FloatArray) -> tuple[FloatArray, float]:
    sigma = math.exp(eta[-1])
    return eta[:-1] / sigma, sigma


def effect_sd_ends(part: RandomEffects, place: tuple[int, int] | None, confidence_level: float) -> tuple[float, float]:
    """Return the interval of the SD of an effect (its term and place there), or of what is left (None)."""
    profile = _Profile(part, {} if place is None else {place[0]: [place[1]]})
    limit = profile.best + float(special.chdtri(1, 1 - confidence_level))
    size = len(profile.start)
    entry = size - 1 if place is None else profile.place(place[0], 0, 0)
    unit = 1.0 if place is None else float(profile.scale[place[0]][0])
    # One parameter is held at a value, and the others are free to move.
    free_directions = np.delete(np.eye(size), entry, axis=1)

    def compute_excess(value: float) -> float:
        fixed_part = np.zeros(size)
        fixed_part[entry] = math.log(value) if place is None else value / unit
        return profile.least(fixed_part, free_directions, restart=place is not None) - limit

    estimate = (
        profile.sigma if place is None else float(np.sqrt(part.covariances[place[0]].to_numpy()[place[1], place[1]]))
    )
    # The lower end is zero where an SD of zero lies within the limit.
    lower = 0.0
    if place is None:
        lower = _end(compute_excess, estimate, estimate / 1.2, lambda one: one / 1.2)
    elif compute_excess(0.0) > 0:
        lower = _scaled_root(compute_excess, 0.0, estimate)
    profile.at = profile.start
    step = max(estimate, unit)
    return lower, _end(compute_excess, estimate, estimate + step / 4, lambda one: estimate + 2 * (one - estimate))


def correlation_ends(
    part: RandomEffects, term: int, places: tuple[int, int], confidence_level: float
) -> tuple[float, float]:
    """Return the interval of the correlation of two effects of a term; an end at ±1 is the end of the range."""
    profile = _Profile(part, {term: list(places)})
    limit = profile.best + float(special.chdtri(1, 1 - confidence_level))
    size = len(profile.start)
    first_entry, covariance_entry, second_entry = (profile.place(term, *entry) for entry in ((0, 0), (1, 0), (1, 1)))
    # With the first effect's SD free, the second's row of the factor has the direction of the correlation.
    covariance_axis, second_axis = np.eye(size)[[covariance_entry, second_entry]]
    other_directions = np.delete(np.eye(size), [covariance_entry, second_entry], axis=1)
    directions_without_first = other_directions[:, other_directions[first_entry] == 0]

    def compute_excess(value: float) -> float:
        direction, origin = np.zeros(size), np.zeros(size)
        direction[covariance_entry], direction[second_entry] = value, math.sqrt(1 - value**2)
        profile.at = (
            profile.start
            - profile.start @ covariance_axis * covariance_axis
            - profile.start @ second_axis * second_axis
        )
        profile.at += direction * math.hypot(profile.start @ covariance_axis, profile.start @ second_axis)
        deviance = profile.least(origin, np.column_stack([other_directions, direction]), restart=False)
        if (
            profile.at[first_entry] * (profile.at @ direction) < 0
        ):  # past an SD of 0, where the sign of the correlation turns
            profile.at = profile.start
            deviance_at_zero = profile.least(origin, other_directions)
            profile.at = profile.start
            deviance = min(
                deviance_at_zero, profile.least(origin, np.column_stack([directions_without_first, direction]))
            )
        return deviance - limit

    covariance = part.covariances[term].to_numpy()[np.ix_(places, places)]
    estimate = float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))
    lower, upper = (
        _scaled_root(compute_excess, estimate, edge) if compute_excess(edge) > 0 else float(np.sign(edge))
        for edge in (-1 + EDGE, 1 - EDGE)
    )
    return lower, upper


def _end(
    excess: Callable[[float], float], estimate: float, outermost: float, next_point: Callable[[float], float]
) -> float:
    """Return where the profile crosses the limit, going away from the best value in growing steps."""
    inner, outer = estimate, outermost
    while excess(outer) < 0:
        inner, outer = outer, next_point(outer)
    return _scaled_root(excess, inner, outer)


def _scaled_root(excess: Callable[[float], float], first_end: float, second_end: float) -> float:
    lower, upper = sorted((first_end, second_end))
    return float(optimize.brentq(excess, lower, upper, xtol=1e-10 * max(abs(lower), abs(upper)), rtol=1e-12))
