"""Regression of yes or no (logistic) and counts (Poisson): likelihood ratios, profile intervals, marginal effects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.models.results import LikelihoodRatio
from negstats.stats.outcomes.fits import Family, Fit, fitted, fitted_apart, null_log_likelihood
from negstats.stats.outcomes.marginal import MarginalEffects, marginal_effects
from negstats.stats.outcomes.term_tests import (
    apart,
    coefficient_frame,
    likelihood_ratio,
    profile,
    profile_each,
    ratio_text,
    term_frame,
)
from negstats.stats.relations.rows import Model, events, model_of
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, floats
from negstats.stats.results.options import check_choice, find_coefficient
from negstats.stats.results.result import Interval, Result, check_level

LINKS = {"logistic": "logit", "poisson": "log", "negative binomial": "log"}
SYMBOLS = {"logistic": "OR", "poisson": "RR", "negative binomial": "RR"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GeneralizedRegression(Result):
    """A regression of yes or no, or of counts, fitted by maximum likelihood. Arrays have the shape ``(coefficients,)``.

    Attributes
    ----------
    outcome, event : str
        The measured column, and which of its two values is modelled (empty for counts).
    names : tuple of str
        The coefficients, "Intercept" first; ``g[b]`` is level b against the first level of g.
    estimate, se, statistic, p : ndarray
        On the scale of log odds (of log counts); Wald's z and two-sided p.
    covariance : ndarray, shape (coefficients, coefficients)
    log_likelihood, null_log_likelihood : float
        Of this model and of the intercept alone.
    n, missing : int
        Complete rows, and those left out.
    family : str
        "logistic", "poisson" or "negative binomial".
    """

    outcome: str
    event: str
    names: tuple[str, ...]
    estimate: FloatArray
    se: FloatArray
    statistic: FloatArray
    p: FloatArray
    covariance: FloatArray
    log_likelihood: float
    null_log_likelihood: float
    n: int
    missing: int
    family: Family
    model: Model = field(repr=False)
    y: FloatArray = field(repr=False)
    fit: Fit = field(repr=False)  # in the units of the columns that were fitted

    @property
    def terms(self) -> tuple[str, ...]:
        """The formula's terms."""
        return self.model.coding.term_names

    def test(self, term: str | None = None) -> LikelihoodRatio:
        """Return the likelihood-ratio test of a term after all others (type III), or of all terms together.

        Of a term that others contain, as g in ``g * x``: of its effect at the mean of the covariates, averaged over the
        other factors' levels (as in `linear_model`). Its coefficient is another thing: the effect where each covariate
        is 0, at the first levels.

        Parameters
        ----------
        term
            A term as the formula names it; all terms together by default.

        Returns
        -------
        LikelihoodRatio
            Chi-squared with its df and p.
        """
        if term is None:
            return likelihood_ratio(self.log_likelihood, self.null_log_likelihood, len(self.names) - 1)
        place = self.model.place(term)
        smaller = self._likelihood(self.model.without(place), self.model.offset)
        return likelihood_ratio(self.log_likelihood, smaller, len(self.model.coding.columns_of(place)))

    def _likelihood(self, x: FloatArray, offset: FloatArray) -> float:
        """Return the largest log-likelihood of other columns."""
        return fitted(x, self.y, self.family, offset).log_likelihood

    def tests(self) -> pd.DataFrame:
        """Return one row a term: its likelihood-ratio test after all others.

        Returns
        -------
        DataFrame
            The term, chi-squared, its df and p.
        """
        return term_frame(self.terms, self.test)

    def confidence_interval(
        self, confidence_level: float = 0.95, method: Literal["profile", "wald"] = "profile", of: str | None = None
    ) -> Interval:
        """Return the interval of each coefficient, or of one, on the log scale (exponentiate for ratios).

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        method
            "profile": the values that a likelihood-ratio test does not reject (infinite where it never does, NaN where
            they cannot be computed);
            "wald": estimate ± z standard errors, which is too narrow on one side in small samples.
        of
            Name of one coefficient; all of them by default.

        Returns
        -------
        Interval
            Its two ends; arrays with one entry a coefficient unless `of` names one.
        """
        check_choice("method", method, ("profile", "wald"))
        places = list(range(len(self.names))) if of is None else [find_coefficient(of, self.names)]
        z = float(special.ndtri(0.5 + check_level(confidence_level) / 2))
        if method == "wald":
            low, high = (self.estimate[places] + side * z * self.se[places] for side in (-1, 1))
        else:
            low, high = profile_each(lambda place: self._profile(place, z), places)
        if of is not None:
            return Interval(
                float(low[0]), float(high[0]), confidence_level, f"{method} likelihood" if method == "profile" else "z"
            )
        return Interval(low, high, confidence_level, "profile likelihood" if method == "profile" else "z")

    def _profile(self, place: int, z: float) -> tuple[float, float]:
        """Return the two values of a coefficient at which the likelihood ratio is z²."""
        others, own = apart(self.model.columns(), self.model.back[place])

        def loss(value: float) -> float:
            return 2 * (self.log_likelihood - self._likelihood(others, self.model.offset + own * value)) - z**2

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
            By how much the mean answer changes with one unit, or from the first level to another.
        """
        return marginal_effects(self.model, self.fit.beta, self.fit.covariance, LINKS[self.family], np.inf, variables)

    def to_frame(self, confidence_level: float = 0.95, *, ratios: bool = False) -> pd.DataFrame:
        """Return one row a coefficient with its profile interval; with `ratios` as odds ratios (ratios of counts).

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        ratios
            Whether estimates and intervals are exponentiated.

        Returns
        -------
        DataFrame
            The coefficient, its estimate and standard error, z, p, and the ends of the interval.
        """
        columns = {"estimate": self.estimate, "se": self.se, "statistic": self.statistic, "p": self.p}
        interval = self.confidence_interval(confidence_level)
        return coefficient_frame(self.names, columns, interval, ratios=ratios, schema="GeneralizedRegression/1")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return each term's likelihood-ratio test, with the ratio of a term of one coefficient and in no other.

        Parameters
        ----------
        confidence_level
            Level of the intervals of the ratios, between 0 and 1.

        Returns
        -------
        str
            One clause a term, with semicolons between.
        """
        sentences = []
        for place, term in enumerate(self.terms):
            text = f"{term}: {self.test(term).apa()}"
            columns = self.model.coding.columns_of(place)
            if len(columns) == 1 and self.model.stands_alone(place):
                ends = self.confidence_interval(confidence_level, of=self.names[columns[0]])
                low, high = float(np.ravel(ends.low)[0]), float(np.ravel(ends.high)[0])
                estimate, step = self.estimate[columns[0]], self.model.coding.step(columns[0], self.model.given)
                text += f", {ratio_text(SYMBOLS[self.family], estimate, low, high, confidence_level, step)}"
            sentences.append(text)
        return "; ".join(sentences) or apa.statistic("z", self.statistic[0], (), self.p[0])


def logistic(data: Any, formula: str, *, event: object = None, firth: bool = False) -> GeneralizedRegression:
    """Fit a logistic regression of yes or no on numbers and factors.

    Parameters
    ----------
    data
        A frame of any engine with one independent row a unit, or arrays by name. For rows that belong together see
        `gee`.
    formula
        Such as "agreed ~ price * condition"; text, truth values and ``C(x)`` become factors, compared with their first
        level or the one that ``C(x, contr.treatment('b'))`` names; ``center(x)``, ``log(x)``, ``poly(x, 2)`` and the
        like are computed.
    event
        Which value of the outcome is modelled: true, 1 or the second of two words if not given.
    firth
        Penalise the likelihood as Firth does: coefficients are finite where a column separates the outcome, and less
        biased in small samples; tests and profile intervals are of the penalised likelihood. Gives `FirthRegression`.

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
    Ripley, 2002, Modern Applied Statistics with S, sec. 8.4).

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
    model = model_of(data, formula)
    if firth:
        from negstats.stats.outcomes.firth import fit_firth

        return fit_firth(model, event)
    y, name = events(model.outcome, event)
    return _regression(model, y, name, "logistic")


def poisson(data: Any, formula: str, *, exposure: str | None = None) -> GeneralizedRegression:
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

    Returns
    -------
    GeneralizedRegression
        One coefficient a row, in log rates, with standard error, z and p, and the log-likelihood.

    Raises
    ------
    DesignError, NotEstimable
        As `logistic`; or if the outcome is no count, or an exposure is not above 0.

    Examples
    --------
    >>> rows = {"price": [1, 2, 3, 4, 5, 6, 7, 8], "offers": [2, 1, 3, 4, 2, 6, 5, 7]}
    >>> print(poisson(rows, "offers ~ price").apa())
    price: χ²(1) = 6.24, p = .013, RR = 1.23, 95% CI [1.04, 1.46]
    """
    model = model_of(data, formula, exposure=exposure)
    return _regression(model, counts_of(model), "", "poisson")


def counts_of(model: Model) -> FloatArray:
    """Return the counts of a model; an error if they are none."""
    name = str(model.outcome.name)
    y = floats(f"the outcome {name!r}", model.outcome.to_numpy())
    wrong = ~np.isfinite(y) | (y < 0) | (np.trunc(y) != y)
    if wrong.any():
        raise DesignError(f"the outcome {name!r} holds {y[wrong][0]:g}; counts are 0, 1, …")
    if not y.any():
        raise NotEstimable(f"every {name!r} is 0; nothing can be explained")
    return y


def _regression(
    model: Model, y: FloatArray, event: str, family: Literal["logistic", "poisson"]
) -> GeneralizedRegression:
    fit = fitted_apart(model.columns(), y, family, model.offset, model.names, str(model.outcome.name))
    return GeneralizedRegression(**build_fields(model, y, event, family, fit))


def build_fields(model: Model, y: FloatArray, event: str, family: Family, fit: Fit) -> dict[str, Any]:
    """Return what every such regression holds, in the units of the covariates as they are given."""
    back = model.back
    estimate, covariance = back @ fit.beta, back @ fit.covariance @ back.T
    se = np.sqrt(np.diag(covariance))
    z = estimate / se
    return {
        "outcome": str(model.outcome.name),
        "event": event,
        "names": model.names,
        "estimate": estimate,
        "se": se,
        "statistic": z,
        "p": np.asarray(2 * special.ndtr(-np.abs(z))),
        "covariance": covariance,
        "log_likelihood": fit.log_likelihood,
        "null_log_likelihood": null_log_likelihood(y, family, model.offset),
        "n": len(y),
        "missing": model.missing,
        "family": family,
        "model": model,
        "y": y,
        "fit": fit,
    }
