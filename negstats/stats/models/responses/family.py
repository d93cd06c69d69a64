"""Distributions of one answer given its linear predictor: densities, their derivatives, means, and draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
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
    return links[0] if link is None else next(one for one in links if one == link)


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
            steep = hazard / np.expm1(hazard)
            return np.asarray(np.where(y > 0, steep * (steep + hazard - 1), hazard))
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
        side = np.where(y > 0, 1.0, -1.0)
        return np.asarray(side * np.exp(-0.5 * eta**2 - HALF_LOG_2PI - special.log_ndtr(side * eta)))
