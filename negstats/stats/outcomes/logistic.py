"""Regression of yes or no (logistic; Firth's where a column separates) and of counts (Poisson, negative binomial)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import scipy
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.design import ModelDesign, events, read_design
from negstats.stats.fitted import LikelihoodModel, no_likelihood, wald_columns
from negstats.stats.models.results import LikelihoodRatio
from negstats.stats.numerics import apart, profile
from negstats.stats.outcomes.fits import Family, Fit, dispersed, fitted, fitted_apart, null_log_likelihood
from negstats.stats.outcomes.marginal import INVERSE, MarginalEffects, marginal_effects
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, floats
from negstats.stats.results.result import Interval, check_level
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

    def _profile(self, column: int, z: float) -> tuple[float, float]:
        other_columns, own_column = apart(self.design.columns(), self.design.back[column])

        def loss(value: float) -> float:
            return (
                2 * (self.log_likelihood - self._likelihood(other_columns, self.design.offset + own_column * value))
                - z**2
            )

        return profile(loss, float(self.estimate[column]), z * float(self.se[column]))

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
        return fit_firth(design, event)
    y, name = events(design.outcome, event)
    return _regression(design, y, name, "logistic")


def poisson(
    data: Any, formula: str, *, exposure: str | None = None, reference: Reference = None
) -> GeneralizedRegression:
    """Fit a Poisson regression of counts on numbers and factors.

    Counts are seldom as even as Poisson's; `negative_binomial` estimates their spread, and `quasi_poisson` compares
    groups. Zero-inflated and hurdle models are not offered: the negative binomial allows for many zeros; where zeros
    are of another kind, model the share above 0 (`logistic`) and the counts above 0 apart, and report both. It is a
    generalized linear model whose link is the logarithm [1]_.

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

    References
    ----------
    .. [1] McCullagh, P., & Nelder, J. A. (1989). Generalized Linear Models (2nd ed.). Chapman & Hall.

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
    is_no_count = ~np.isfinite(y) | (y < 0) | (np.trunc(y) != y)
    if is_no_count.any():
        raise DesignError(f"the outcome {name!r} holds {y[is_no_count][0]:g}; counts are 0, 1, …")
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
    to_printed = design.back
    return wald_columns(to_printed @ fit.beta, to_printed @ fit.covariance @ to_printed.T) | {
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
        larger, smaller = (_maximise(x, self.y, fixed)[1] for fixed in ((), self.design.coding.columns_of(term)))
        return self.log_likelihood - (larger - smaller)

    def _criterion(self) -> tuple[float, int, int]:
        raise no_likelihood("a penalty that depends on the columns is in the likelihood")

    def _profile(self, column: int, z: float) -> tuple[float, float]:
        """Return the two values of a coefficient at which the penalised likelihood ratio is z²."""
        row = self.design.back[column]
        # The model's columns in another basis: first what the coefficient as it is printed adds, then all else. Both
        # are well conditioned since the fit's columns are centred and scaled; the penalty changes by a constant.
        other_columns, own_column = apart(self.design.columns(), row)
        x = np.column_stack([own_column, other_columns])
        change_of_basis = float(np.linalg.slogdet(self.design.back)[1]) - float(np.log(np.linalg.norm(row)))
        highest = self.fit.log_likelihood + change_of_basis

        def loss(value: float, *starts: FloatArray) -> float:
            likelihoods = [_maximise(x, self.y, (0,), value, start)[1] for start in (None, *starts)]
            return 2 * (highest - max(likelihoods)) - z**2

        bounds = profile(loss, float(self.estimate[column]), z * float(self.se[column]), digits=1e-9)
        # The penalised likelihood may have several maxima. Where one that is reached from further away lies higher at
        # an end, the end is not an end, and the search is done again from all of these places.
        size = np.sqrt((x**2).mean(axis=0))
        distant_starts = [
            sign * FURTHER * np.eye(x.shape[1])[free_column] / size
            for free_column in range(1, x.shape[1])
            for sign in (1, -1)
        ]
        if any(np.isfinite(bound) and loss(bound, *distant_starts) < -SHARE_OF_LOSS for bound in bounds):
            return profile(
                lambda value: loss(value, *distant_starts), float(self.estimate[column]), z * float(self.se[column]),
                digits=1e-9,
            )  # fmt: skip
        return bounds


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
    free_columns = [column for column in range(x.shape[1]) if column not in set(fixed)]
    beta = np.zeros(x.shape[1]) if start is None else start * size
    beta[list(fixed)] = value * size[list(fixed)]
    beta, likelihood = _ascend(columns, y, beta, free_columns)
    for _ in range(RESTARTS):
        # Steps may end between two maxima of the same height, where the slope is 0 too; beside it the likelihood rises.
        higher_points = [
            point
            for point in _points_beside(beta, free_columns)
            if _penalised(columns, y, point)[0] > likelihood + RISE
        ]
        if not higher_points:
            break
        beta, likelihood = _ascend(columns, y, higher_points[0], free_columns)
    beta = beta / size
    beta[0] -= centre @ beta
    return beta, likelihood + float(np.log(size).sum())


def _points_beside(beta: FloatArray, free_columns: Sequence[int]) -> list[FloatArray]:
    """Return points a tenth to either side of each coefficient that is free."""
    steps = [sign * 0.1 * (np.arange(len(beta)) == column) for column in free_columns for sign in (1, -1)]
    return [np.asarray(beta + step) for step in steps]


def _ascend(x: FloatArray, y: FloatArray, beta: FloatArray, free_columns: Sequence[int]) -> tuple[FloatArray, float]:
    """Return where steps from `beta` along the free coefficients end, and the penalised log-likelihood there."""
    likelihood, score, information = _penalised(x, y, beta)
    for _ in range(STEPS):
        if not free_columns:
            break
        # Newton's step with Fisher's information, in which the penalty's own curvature is left out.
        step = np.linalg.solve(information[np.ix_(free_columns, free_columns)], score[list(free_columns)])
        step *= min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))
        # Halved until the penalised likelihood does not fall.
        share = 1.0
        while True:
            trial_beta = beta.copy()
            trial_beta[list(free_columns)] += share * step
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
        return _climb(x, y, beta, list(free_columns))
    return beta, likelihood


def _climb(x: FloatArray, y: FloatArray, beta: FloatArray, free_columns: list[int]) -> tuple[FloatArray, float]:
    """Return the maximum by a quasi-Newton search, for where the steps above go to and fro without arriving."""

    def loss(values: FloatArray) -> tuple[float, FloatArray]:
        point = beta.copy()
        point[free_columns] = values
        likelihood, score, _ = _penalised(x, y, point)
        return (-likelihood, -score[free_columns]) if np.isfinite(likelihood) else (FAR, np.zeros(len(free_columns)))

    search = scipy.optimize.minimize(
        loss, beta[free_columns], jac=True, method="BFGS", options={"gtol": NEAR, "maxiter": STEPS}
    )
    if not np.abs(search.jac).max() <= FLAT:
        raise NotEstimable("the penalised likelihood has no maximum that could be reached", advice="leave terms out")
    point = beta.copy()
    point[free_columns] = search.x
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
