"""Regression of counts that are spread more than Poisson's: negative binomial, its dispersion fitted with the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from negstats.stats.design import read_design
from negstats.stats.models.results import LikelihoodRatio
from negstats.stats.numerics import profile
from negstats.stats.outcomes.fits import dispersed, fitted, fitted_apart
from negstats.stats.outcomes.logistic import GeneralizedRegression, build_fields, counts_of
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.result import Interval, check_level
from negstats.stats.summaries.formulas import Reference

EVEN = "the counts are spread no more than Poisson's, so that the dispersion is 0 and the fit is Poisson's"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NegativeBinomial(GeneralizedRegression):
    """A negative binomial regression of counts, their variance μ + αμ². Arrays have the shape ``(coefficients,)``.

    What is not named here is as in `GeneralizedRegression`; `test` and the intervals fit the dispersion anew each time.

    Attributes
    ----------
    dispersion : float
        α; 0 for Poisson's counts.
    theta, theta_se : float
        1/α, as in R's ``MASS::glm.nb``, and its standard error there; infinite and missing where α is 0.
    poisson_log_likelihood : float
        Of the same columns with α = 0.
    notes : tuple of str
        What a reader of the numbers should know.
    """

    dispersion: float
    theta: float
    theta_se: float
    poisson_log_likelihood: float
    notes: tuple[str, ...]

    def overdispersion(self) -> LikelihoodRatio:
        """Return the likelihood-ratio test that the counts are Poisson's, α = 0.

        0 is the end of α's range, and p is half of chi-squared's (Self and Liang, 1987).

        Returns
        -------
        LikelihoodRatio
            Chi-squared with df = 1 and the halved p.

        References
        ----------
        Self, S. G., & Liang, K.-Y. (1987). Asymptotic properties of maximum likelihood estimators and likelihood ratio
        tests under nonstandard conditions. Journal of the American Statistical Association, 82, 605–610.
        """
        ratio = max(2 * (self.log_likelihood - self.poisson_log_likelihood), 0.0)
        p = float(special.chdtrc(1, ratio)) / 2 if self.dispersion > 0 else 1.0
        return LikelihoodRatio(ratio, 1.0, p, boundary=True)

    def dispersion_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the profile-likelihood interval of α; an end at 0 is where the likelihood never fell enough.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends; α is the variance beyond a Poisson's, in units of the squared mean.
        """
        chi2_limit = float(special.chdtri(1, 1 - check_level(confidence_level)))
        x = self.design.columns()
        start = self.dispersion if self.dispersion > 0 else 1e-4 / float(self.y.mean())

        def loss(log: float) -> float:
            value = dispersed(x, self.y, self.design.offset, float(np.exp(log)))
            return 2 * (self.log_likelihood - value) - chi2_limit

        low, high = np.exp(profile(loss, float(np.log(start)), 1.0))
        return Interval(float(low), float(high), confidence_level, "profile likelihood")

    def _likelihood(self, x: FloatArray, offset: FloatArray) -> float:
        return fitted(x, self.y, self.family, offset, self.dispersion).log_likelihood

    def _criterion(self) -> tuple[float, int, int]:
        return self.log_likelihood, len(self.names) + 1, self.n

    def _remark(self) -> str:
        return f"; α = {apa.number(self.dispersion)}" + (" (Poisson)" if self.dispersion == 0 else "")


def negative_binomial(
    data: Any, formula: str, *, exposure: str | None = None, reference: Reference = None
) -> NegativeBinomial:
    """Fit a negative binomial regression of counts on numbers and factors.

    Offers, utterances and rounds vary more than Poisson's counts: Poisson's errors are then too small, these are not.
    For rows that belong together see `gee` with ``variance="negative binomial"``.

    Parameters
    ----------
    data, formula, exposure, reference
        As in `poisson`.

    Returns
    -------
    NegativeBinomial
        One coefficient a row, in log rates, with standard error, z and p, and the dispersion with its interval.

    Raises
    ------
    DesignError, NotEstimable
        As `poisson`; or if a count is above a million, or nearly all are 0.

    Notes
    -----
    Lawless (1987): variance μ + αμ² with one α, estimated with the coefficients by maximum likelihood; as R's
    ``MASS::glm.nb`` with θ = 1/α. Likelihood ratios and intervals fit α anew in each model (MASS's ``anova`` of one
    model and ``confint`` hold θ). Where the counts are spread no more than Poisson's, α is 0 (θ is infinite) and the
    result says so.

    References
    ----------
    Lawless, J. F. (1987). Negative binomial and mixed Poisson regression. Canadian Journal of Statistics, 15, 209–225.

    Examples
    --------
    >>> rows = {"price": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "offers": [2, 0, 7, 1, 2, 16, 0, 17, 5, 21]}
    >>> model = negative_binomial(rows, "offers ~ price")
    >>> print(model.apa())
    price: χ²(1) = 3.68, p = .055, RR = 1.29, 95% CI [0.99, 1.71]; α = 0.92
    >>> print(model.overdispersion().apa())
    χ²(1) = 24.04, p < .001
    """
    design = read_design(data, formula, exposure=exposure, reference=reference)
    x, y = design.columns(), counts_of(design)
    poisson = fitted_apart(x, y, "poisson", design.offset, design.names, str(design.outcome.name))
    fit = fitted(x, y, "negative binomial", design.offset)
    alpha = fit.dispersion
    return NegativeBinomial(
        **build_fields(design, y, "", "negative binomial", fit),
        dispersion=alpha,
        theta=1 / alpha if alpha else float("inf"),
        theta_se=1 / (alpha**2 * float(np.sqrt(fit.information))) if alpha else float("nan"),
        poisson_log_likelihood=poisson.log_likelihood,
        notes=() if alpha else (EVEN,),
    )
