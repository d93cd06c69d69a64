"""The likelihood of mixed models of responses: distributions of one answer, and integrals over the random effects.

A fit comes from adaptive quadrature, which says nothing of its own error. Here the same integral is a plain sum over
721 points of z from −9 to 9, which is exact to many digits for any answers of a few hundred rows a cluster; and, about
each cluster's mode, a sum whose derivatives give the joint covariance of coefficients and ln σ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

from negstats.errors import DesignError, shown
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice

Family: TypeAlias = Literal["binomial", "poisson", "negative binomial"]
Link: TypeAlias = Literal["logit", "probit", "cloglog", "log"]

# The links of each family, the default first.
LINKS: dict[str, tuple[Link, ...]] = {
    "binomial": ("logit", "probit", "cloglog"),
    "poisson": ("log",),
    "negative binomial": ("log",),
}
FAMILIES = tuple(LINKS)
HALF_LOG_2PI = 0.5 * np.log(2 * np.pi)
# Beyond this linear predictor exp(exp(η)) has no float; the density of cloglog is 1 or 0 there.
MOST_CLOGLOG = 6.5
MOST_LOG = 700.0


def check_family(family: str, link: str | None) -> Link:
    """Return the link; DesignError for a family or link that is not offered."""
    if isinstance(family, str) and any(word in family.lower() for word in ("zero", "hurdle", "zip", "zinb")):
        raise DesignError(
            f"family is {shown(family)}; zero-inflated and hurdle counts are not offered: 'negative binomial' allows "
            "for many zeros; where zeros are of another kind, fit the share above 0 (family='binomial') and the counts "
            "above 0 apart, and report both"
        )
    if isinstance(family, str) and any(word in family.lower() for word in ("ordered", "ordinal", "cumulative")):
        raise DesignError(
            f"family is {shown(family)}; mixed models of ordered answers are not offered: cut the scale in two "
            "(family='binomial', or gee), or take the scores for numbers (family='gaussian')"
        )
    check_choice("family", family, ("gaussian", *FAMILIES))
    links = LINKS[family]
    if link is not None and link not in links:
        if len(links) == 1:
            raise DesignError(f"link is {link!r}; family={family!r} has {links[0]!r} alone")
        check_choice("link", link, links)
    return links[0] if link is None else next(candidate for candidate in links if candidate == link)


@dataclass(frozen=True, slots=True)
class Distribution:
    """One answer's distribution given the linear predictor η; `size` is θ of the negative binomial.

    Examples
    --------
    >>> Distribution("binomial", "logit").mean(np.array([0.0])).tolist()
    [0.5]
    """

    family: Family
    link: Link
    size: float = float("nan")

    @property
    def latent_variance(self) -> float:
        """The variance of the latent variable that is cut at 0, of yes or no."""
        return {"logit": np.pi**2 / 3, "probit": 1.0, "cloglog": np.pi**2 / 6, "log": np.nan}[self.link]

    def mean(self, eta: FloatArray) -> FloatArray:
        """Return the inverse link."""
        if self.link == "logit":
            return np.asarray(special.expit(eta))
        if self.link == "probit":
            return np.asarray(special.ndtr(eta))
        if self.link == "cloglog":
            return np.asarray(-np.expm1(-np.exp(np.minimum(eta, MOST_LOG))))
        return np.asarray(np.exp(np.minimum(eta, MOST_LOG)))

    def mean_slope(self, eta: FloatArray) -> FloatArray:
        """Return dμ/dη."""
        if self.link == "logit":
            mean = special.expit(eta)
            return np.asarray(mean * (1 - mean))
        if self.link == "probit":
            return np.asarray(np.exp(-0.5 * eta**2 - HALF_LOG_2PI))
        if self.link == "cloglog":
            limited_eta = np.minimum(eta, MOST_CLOGLOG)
            return np.asarray(np.exp(limited_eta - np.exp(limited_eta)))
        return np.asarray(np.exp(np.minimum(eta, MOST_LOG)))

    def link_of(self, mean: FloatArray) -> FloatArray:
        """Return η of a mean."""
        if self.link == "logit":
            return np.asarray(special.logit(mean))
        if self.link == "probit":
            return np.asarray(special.ndtri(mean))
        if self.link == "cloglog":
            return np.asarray(np.log(-np.log1p(-mean)))
        return np.asarray(np.log(mean))

    def log_density(self, y: FloatArray, eta: FloatArray) -> FloatArray:
        """Return ln f(y | η) with all constants."""
        if self.link == "logit":
            # ln(1 + e^η) by its parts takes a third of np.logaddexp's time.
            return np.asarray(y * eta - np.maximum(eta, 0.0) - np.log1p(np.exp(-np.abs(eta))))
        if self.link == "probit":
            return np.asarray(special.log_ndtr(np.where(y > 0, eta, -eta)))
        if self.link == "cloglog":
            hazard = np.exp(np.minimum(eta, MOST_LOG))
            with np.errstate(divide="ignore"):
                return np.asarray(np.where(y > 0, np.log(-np.expm1(-np.maximum(hazard, 1e-300))), -hazard))
        mean = np.exp(np.minimum(eta, MOST_LOG))
        if self.family == "poisson":
            return np.asarray(y * eta - mean - special.gammaln(y + 1))
        size = self.size
        constant = special.gammaln(y + size) - special.gammaln(size) - special.gammaln(y + 1) + size * np.log(size)
        return np.asarray(constant + y * eta - (y + size) * np.log(size + mean))

    def slope(self, y: FloatArray, eta: FloatArray) -> FloatArray:
        """Return d ln f / dη."""
        if self.link == "logit":
            return np.asarray(y - special.expit(eta))
        if self.link == "probit":
            return self._mills(y, eta)
        if self.link == "cloglog":
            hazard = np.exp(np.minimum(eta, MOST_CLOGLOG))
            return np.asarray(np.where(y > 0, hazard / np.expm1(hazard), -hazard))
        mean = np.exp(np.minimum(eta, MOST_LOG))
        if self.family == "poisson":
            return np.asarray(y - mean)
        return np.asarray(y - (y + self.size) * mean / (self.size + mean))

    def information(self, y: FloatArray, eta: FloatArray) -> FloatArray:
        """Return −d² ln f / dη², the observed information."""
        if self.link == "logit":
            mean = special.expit(eta)
            return np.asarray(mean * (1 - mean))
        if self.link == "probit":
            ratio = self._mills(y, eta)
            return np.asarray(ratio**2 + eta * ratio)
        if self.link == "cloglog":
            hazard = np.exp(np.minimum(eta, MOST_CLOGLOG))
            hazard_ratio = hazard / np.expm1(hazard)
            return np.asarray(np.where(y > 0, hazard_ratio * (hazard_ratio + hazard - 1), hazard))
        mean = np.exp(np.minimum(eta, MOST_LOG))
        if self.family == "poisson":
            return mean
        return np.asarray((y + self.size) * mean * self.size / (self.size + mean) ** 2)

    def draw(self, rng: np.random.Generator, eta: FloatArray) -> FloatArray:
        """Return an answer for each linear predictor."""
        mean = self.mean(eta)
        if self.family == "binomial":
            return (rng.random(mean.shape) < mean).astype(np.float64)
        if self.family == "negative binomial":
            mean = mean * rng.gamma(self.size, 1 / self.size, mean.shape)
        return rng.poisson(mean).astype(np.float64)

    def _mills(self, y: FloatArray, eta: FloatArray) -> FloatArray:
        """Return ± φ(η)/Φ(±η), with the sign of the answer."""
        sign = np.where(y > 0, 1.0, -1.0)
        return np.asarray(sign * np.exp(-0.5 * eta**2 - HALF_LOG_2PI - special.log_ndtr(sign * eta)))


# The points of the standard normal, and the logarithms of their weights.
POINTS: FloatArray = np.asarray(np.arange(-360, 361) * 0.025, dtype=np.float64)
LOG_WEIGHTS = -0.5 * POINTS**2 - 0.5 * np.log(2 * np.pi) + np.log(0.025)
NARROW = 0.02  # a cluster whose mode has an SD below this share of σ lies between the points
PORTION = 2_000_000  # numbers of a portion: 16 MB
STEPS = 200
NODES = 41
# Factors of a product that are multiplied before a logarithm is taken, and the largest logarithm of one of them.
TOGETHER, LARGEST = 4, 150.0


@lru_cache(maxsize=8)
def hermite(nodes: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of the standard normal: Σ w f(z) is the mean of f.

    Examples
    --------
    >>> z, weight = hermite(20)
    >>> round(float(weight @ z**4), 12)
    3.0
    """
    points, weights = np.polynomial.hermite_e.hermegauss(nodes)
    weights = weights / weights.sum()
    for array in (points, weights):
        array.flags.writeable = False
    return points, weights


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """Answers sorted by cluster; `starts` are the first rows of the clusters."""

    x: FloatArray
    y: FloatArray
    starts: npt.NDArray[np.intp]
    distribution: Distribution

    @classmethod
    def of(cls, x: FloatArray, y: FloatArray, codes: npt.NDArray[np.intp], distribution: Distribution) -> Clustered:
        """Sort the rows by their cluster's code."""
        if (np.diff(codes) < 0).any():
            order = np.argsort(codes, kind="stable")
            x, y, codes = x[order], y[order], codes[order]
        return cls(x, y, np.flatnonzero(np.diff(codes, prepend=-1)), distribution)

    @property
    def sizes(self) -> npt.NDArray[np.intp]:
        """How many rows each cluster has."""
        return np.diff(np.append(self.starts, len(self.y)))

    def log_likelihood(self, eta: FloatArray, sigma: float) -> float:
        """Return Σ ln ∫ Π f(y | η + σz) φ(z) dz over the clusters by a sum over even steps of z.

        721 points, or every second, ..., eighth of them where each cluster tells so little that the steps stay below
        the SD of its mode: the sum's error is exp(−2π²) of it there.
        """
        total, stride = 0.0, self.stride(sigma)
        # The trapezoid rule on equal steps: thinned where the integrand is wide enough for fewer.
        points: FloatArray = POINTS[::stride]
        log_weights: FloatArray = LOG_WEIGHTS[::stride] + np.log(stride)
        rows_at_once = max(1, PORTION // len(points))
        cluster_ends = np.append(self.starts, len(self.y))
        start = 0
        while start < len(self.starts):
            stop = max(
                start + 1, int(np.searchsorted(cluster_ends, cluster_ends[start] + rows_at_once, side="right")) - 1
            )
            rows = slice(int(cluster_ends[start]), int(cluster_ends[stop]))
            log_densities = self._sums(
                eta[rows], self.y[rows], self.starts[start:stop] - cluster_ends[start], np.asarray(sigma * points)
            )
            total += float(special.logsumexp(log_densities + log_weights, axis=1).sum())
            start = stop
        return total

    def narrowest(self, sigma: float) -> float:
        """Return a bound from below of the SD of a cluster's mode, in units of σ; 0 where the link gives none."""
        if self.distribution.link != "logit":
            return 0.0
        return float(1 / np.sqrt(0.25 * self.sizes.max() * sigma**2 + 1))  # a row tells at most ¼

    def stride(self, sigma: float) -> int:
        """Return which part of the points of the integral suffices: every first, second, fourth or eighth."""
        return max((step for step in (1, 2, 4, 8) if step * 0.025 <= self.narrowest(sigma)), default=1)

    def _sums(self, eta: FloatArray, y: FloatArray, starts: npt.NDArray[np.intp], effects: FloatArray) -> FloatArray:
        """Return Σ ln f(y | η + moved) over each cluster's rows at each point, (clusters, points)."""
        if self.distribution.link == "logit" and np.abs(eta).max() + effects[-1] < LARGEST:
            linear = np.add.reduceat(y * eta, starts)[:, None] + np.add.reduceat(y, starts)[:, None] * effects
            return np.asarray(linear - _log_one_plus(np.exp(eta), np.exp(effects), starts))
        density = self.distribution.log_density(y[:, None], eta[:, None] + effects)
        return np.asarray(np.add.reduceat(density, starts, axis=0))

    def about_modes(self, eta: FloatArray, sigma: float, nodes: int) -> tuple[FloatArray, FloatArray]:
        """Return nodes about each cluster's mode, and the logarithms of their parts of its likelihood.

        Both are (clusters, nodes); nodes are in units of σ > 0, and a likelihood is the sum of its parts.
        """
        # Adaptive Gauss–Hermite: nodes about each cluster's mode, as wide as its curvature says.
        mode, sd = modes(self, eta, sigma)
        z, weight = hermite(nodes)
        nodes_scaled = (mode[:, None] + sd[:, None] * z) / sigma
        predictors = eta[:, None] + sigma * np.repeat(nodes_scaled, self.sizes, axis=0)
        density = np.add.reduceat(self.distribution.log_density(self.y[:, None], predictors), self.starts, axis=0)
        return nodes_scaled, density + np.log(weight) + 0.5 * z**2 - 0.5 * nodes_scaled**2 + np.log(sd / sigma)[:, None]

    def information(self, beta: FloatArray, sigma: float, offset: FloatArray | None = None) -> FloatArray:
        """Return minus the second derivatives of the log-likelihood in (β, ln σ), about the clusters' modes.

        By 41 nodes: of each cluster the mean of the rows' information less the covariance of their slopes, over the
        nodes with their parts of its likelihood (Louis 1982).
        """
        eta = self.x @ beta + (0.0 if offset is None else offset)
        nodes_scaled, log_terms = self.about_modes(eta, sigma, NODES)
        posterior, effects = special.softmax(log_terms, axis=1), sigma * nodes_scaled
        effects_of_row, y = np.repeat(effects, self.sizes, axis=0), self.y[:, None]
        predictors = eta[:, None] + effects_of_row
        slope = self.distribution.slope(y, predictors)
        curve = self.distribution.information(y, predictors) * np.repeat(posterior, self.sizes, axis=0)
        # The slopes of each cluster's rows at each node, in each coefficient and in ln σ.
        slopes = [np.add.reduceat(slope * column[:, None], self.starts, axis=0) for column in self.x.T]
        slopes.append(np.add.reduceat(slope, self.starts, axis=0) * effects)
        # Louis: the expected curvature given the data, less the
        # variance of the slopes over each cluster's posterior.
        means = np.stack([(posterior * slope_column).sum(axis=1) for slope_column in slopes])
        root = np.sqrt(posterior)
        deviations = np.stack(
            [(root * (slope_column - mean[:, None])).ravel() for slope_column, mean in zip(slopes, means, strict=True)]
        )
        total = np.zeros((len(slopes), len(slopes)))
        total[:-1, :-1] = self.x.T @ (self.x * curve.sum(axis=1)[:, None])
        total[-1, :-1] = total[:-1, -1] = self.x.T @ (curve * effects_of_row).sum(axis=1)
        total[-1, -1] = (curve * effects_of_row**2).sum() - means[-1].sum()
        return np.asarray(total - deviations @ deviations.T)


def modes(rows: Clustered, eta: FloatArray, sigma: float) -> tuple[FloatArray, FloatArray]:
    """Return each cluster's conditional mode u and its SD, (Σ information + 1/σ²)^(−1/2), by Newton's steps."""
    u = np.zeros(len(rows.starts))
    sizes, law = rows.sizes, rows.distribution
    for _ in range(STEPS):
        predictors = eta + np.repeat(u, sizes)
        slope = np.add.reduceat(law.slope(rows.y, predictors), rows.starts) - u / sigma**2
        curvature = np.add.reduceat(law.information(rows.y, predictors), rows.starts) + 1 / sigma**2
        step = np.clip(slope / curvature, -2 * sigma - 1, 2 * sigma + 1)
        u = u + step
        if np.abs(step).max() <= 1e-11 * (1 + sigma):
            break
    predictors = eta + np.repeat(u, sizes)
    curvature = np.add.reduceat(law.information(rows.y, predictors), rows.starts) + 1 / sigma**2
    return u, np.asarray(1 / np.sqrt(curvature))


def _log_one_plus(odds: FloatArray, growth: FloatArray, starts: npt.NDArray[np.intp]) -> FloatArray:
    """Return Σ ln(1 + odds · growth) over each cluster's rows, with one logarithm for four factors."""
    sizes = np.diff(np.append(starts, len(odds)))
    positions = np.arange(len(odds)) - np.repeat(starts, sizes)
    groups = np.flatnonzero(positions % TOGETHER == 0)
    factors = odds[:, None] * growth
    factors += 1.0
    logs = np.log(np.multiply.reduceat(factors, groups, axis=0))
    return np.asarray(np.add.reduceat(logs, np.searchsorted(groups, starts), axis=0))
