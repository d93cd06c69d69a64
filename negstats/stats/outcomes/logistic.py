"""Regression of yes or no (logistic) and counts (Poisson): likelihood ratios, profile intervals, marginal effects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from negstats.errors import DesignError, NotEstimable
from negstats.stats.design import ModelDesign, events, read_design
from negstats.stats.fitted import LikelihoodModel, wald_columns
from negstats.stats.numerics import apart, profile
from negstats.stats.outcomes.fits import Family, Fit, fitted, fitted_apart, null_log_likelihood
from negstats.stats.outcomes.marginal import INVERSE, MarginalEffects, marginal_effects
from negstats.stats.results.numbers import FloatArray, floats
from negstats.stats.summaries.formulas import Reference

LINKS = {"logistic": "logit", "poisson": "log", "negative binomial": "log"}
SYMBOLS = {"logistic": "OR", "poisson": "RR", "negative binomial": "RR"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GeneralizedRegression(LikelihoodModel):
    """A regression of yes or no, or of counts, fitted by maximum likelihood; what is not named here as `FittedModel`.

    Attributes
    ----------
    event : str
        Which of the outcome's two values is modelled (empty for counts).
    estimate, se, statistic, p : ndarray
        On the scale of log odds (of log counts); Wald's z and two-sided p.
    log_likelihood, null_log_likelihood : float
        Of this model and of the intercept alone.
    family : str
        "logistic", "poisson" or "negative binomial".
    """

    event: str
    family: Family
    y: FloatArray = field(repr=False)
    fit: Fit = field(repr=False)  # in the units of the columns that were fitted

    def _fitted_columns(self) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients of the columns that were fitted, and their covariance."""
        return self.fit.beta, self.fit.covariance

    def _likelihood(self, x: FloatArray, offset: FloatArray) -> float:
        """Return the largest log-likelihood of other columns."""
        return fitted(x, self.y, self.family, offset).log_likelihood

    def _largest_without(self, term: int) -> float:
        return self._likelihood(self.design.without(term), self.design.offset)

    def _profile(self, place: int, z: float) -> tuple[float, float]:
        others, own = apart(self.design.columns(), self.design.back[place])

        def loss(value: float) -> float:
            return 2 * (self.log_likelihood - self._likelihood(others, self.design.offset + own * value)) - z**2

        return profile(loss, float(self.estimate[place]), z * float(self.se[place]))

    def marginal_effects(self, variables: str | None = None) -> MarginalEffects:
        """Return the average marginal effect of each variable (or one): in shares of the event, or in counts.

        Parameters
        ----------
        variables
            Name of one variable; all of them by default.

        Returns
        -------
        MarginalEffects
            By how much the mean answer changes with one unit, or from the reference level to another.
        """
        return marginal_effects(self.design, self.fit.beta, self.fit.covariance, LINKS[self.family], np.inf, variables)

    def _ratio(self) -> str:
        return SYMBOLS[self.family]

    def _mean(self, eta: FloatArray) -> FloatArray:
        return INVERSE[LINKS[self.family]](eta)

    def _answers(self) -> FloatArray:
        return self.y

    def _criterion(self) -> tuple[float, int, int]:
        return self.log_likelihood, len(self.names), self.n


def logistic(
    data: Any, formula: str, *, event: object = None, firth: bool = False, reference: Reference = None
) -> GeneralizedRegression:
    """Fit a logistic regression of yes or no on numbers and factors.

    Parameters
    ----------
    data
        A frame of any engine with one independent row a unit, or arrays by name. For rows that belong together see
        `gee`.
    formula
        Such as "agreed ~ price * condition"; text, truth values and ``C(x)`` become factors, compared with their first
        level or the one that `reference` names; ``center(x)``, ``log(x)``, ``poly(x, 2)`` and the
        like are computed.
    event
        Which value of the outcome is modelled: true, 1 or the second of two words if not given.
    firth
        Penalise the likelihood as Firth does: coefficients are finite where a column separates the outcome, and less
        biased in small samples; tests and profile intervals are of the penalised likelihood. Gives `FirthRegression`.
    reference
        The level that the others of a factor are compared with, such as ``{"country": "Israel"}``.

    Returns
    -------
    GeneralizedRegression
        One coefficient a row, in log odds, with standard error, z and p, and the log-likelihood.

    Raises
    ------
    DesignError
        If the formula cannot be read, a column is not there, or the outcome has not two values.
    NotEstimable
        If a column follows from others, there are too few rows, or a column separates the outcome: then some
        coefficient has no finite value (with `firth` it has one).

    Notes
    -----
    Newton's method on covariates measured from their means, so that units and origin of the columns cost no digits; the
    fit proves that no column separates the outcome. Tests are likelihood ratios, each term after all others, factors
    coded to sum to zero and covariates measured from their means; intervals profile the likelihood (Venables and
    Ripley, 2002, sec. 8.4).

    References
    ----------
    Venables, W. N., & Ripley, B. D. (2002). Modern Applied Statistics with S (4th ed.). Springer.

    Examples
    --------
    >>> rows = {"price": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "agreed": [1, 1, 1, 0, 1, 1, 0, 0, 1, 0]}
    >>> print(logistic(rows, "agreed ~ price").apa())
    price: χ²(1) = 2.71, p = .100, OR = 0.65, 95% CI [0.30, 1.08]

    Where every low price was accepted and no high one:

    >>> rows["agreed"] = [1] * 5 + [0] * 5
    >>> print(logistic(rows, "agreed ~ price", firth=True).apa())
    price: χ²(1) = 7.76, p = .005, OR = 0.38, 95% CI [0.00, 0.82]
    """
    design = read_design(data, formula, reference=reference)
    if firth:
        from negstats.stats.outcomes.firth import fit_firth

        return fit_firth(design, event)
    y, name = events(design.outcome, event)
    return _regression(design, y, name, "logistic")


def poisson(
    data: Any, formula: str, *, exposure: str | None = None, reference: Reference = None
) -> GeneralizedRegression:
    """Fit a Poisson regression of counts on numbers and factors.

    Counts are seldom as even as Poisson's; `negative_binomial` estimates their spread, and `quasi_poisson` compares
    groups. Zero-inflated and hurdle models are not offered: the negative binomial allows for many zeros; where zeros
    are of another kind, model the share above 0 (`logistic`) and the counts above 0 apart, and report both.

    Parameters
    ----------
    data, formula
        As in `logistic`; the outcome is counts of 0 and more.
    exposure
        The column that says how long (or over how many) each row was counted; coefficients are then of rates.
    reference
        As in `logistic`.

    Returns
    -------
    GeneralizedRegression
        One coefficient a row, in log rates, with standard error, z and p, and the log-likelihood.

    Raises
    ------
    DesignError, NotEstimable
        As `logistic`; or if the outcome is not a count, or an exposure is not above 0.

    Examples
    --------
    >>> rows = {"price": [1, 2, 3, 4, 5, 6, 7, 8], "offers": [2, 1, 3, 4, 2, 6, 5, 7]}
    >>> print(poisson(rows, "offers ~ price").apa())
    price: χ²(1) = 6.24, p = .013, RR = 1.23, 95% CI [1.04, 1.46]
    """
    design = read_design(data, formula, exposure=exposure, reference=reference)
    return _regression(design, counts_of(design), "", "poisson")


def counts_of(design: ModelDesign) -> FloatArray:
    """Return the counts of a model; an error if they are none."""
    name = str(design.outcome.name)
    y = floats(f"the outcome {name!r}", design.outcome.to_numpy())
    wrong = ~np.isfinite(y) | (y < 0) | (np.trunc(y) != y)
    if wrong.any():
        raise DesignError(f"the outcome {name!r} holds {y[wrong][0]:g}; counts are 0, 1, …")
    if not y.any():
        raise NotEstimable(f"every {name!r} is 0; nothing can be explained")
    return y


def _regression(
    design: ModelDesign, y: FloatArray, event: str, family: Literal["logistic", "poisson"]
) -> GeneralizedRegression:
    fit = fitted_apart(design.columns(), y, family, design.offset, design.names, str(design.outcome.name))
    return GeneralizedRegression(**build_fields(design, y, event, family, fit))


def build_fields(design: ModelDesign, y: FloatArray, event: str, family: Family, fit: Fit) -> dict[str, Any]:
    """Return what every such regression holds, in the units of the covariates as they are given."""
    back = design.back
    return wald_columns(back @ fit.beta, back @ fit.covariance @ back.T) | {
        "outcome": str(design.outcome.name),
        "event": event,
        "names": design.names,
        "log_likelihood": fit.log_likelihood,
        "null_log_likelihood": null_log_likelihood(y, family, design.offset),
        "n": len(y),
        "missing": design.missing,
        "family": family,
        "design": design,
        "y": y,
        "fit": fit,
    }
