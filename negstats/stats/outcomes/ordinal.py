"""Regression of ordered answers with proportional odds: likelihood-ratio tests, profile intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.design import ordered_codes, read_design
from negstats.stats.fitted import LikelihoodModel, Scale, wald_columns
from negstats.stats.numerics import apart, newton, profile
from negstats.stats.outcomes.marginal import MarginalEffects, ordered_effects
from negstats.stats.outcomes.separation import check_separation
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.codes import IntArray
from negstats.stats.summaries.formulas import Reference

if TYPE_CHECKING:
    from negstats.stats.outcomes.proportional_odds import ProportionalOdds

STEPS = 100


@dataclass(frozen=True, slots=True, eq=False)
class OrdinalFit:
    """Slopes, thresholds, the covariance of thresholds and slopes, and the log-likelihood."""

    beta: FloatArray
    thresholds: FloatArray
    covariance: FloatArray
    log_likelihood: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OrdinalRegression(LikelihoodModel):
    """A proportional-odds (cumulative logit) regression; what is not named here as `FittedModel`.

    Attributes
    ----------
    answers : tuple of str
        From the lowest to the highest.
    names : tuple of str
        The coefficients, without intercepts.
    estimate, se, statistic, p : ndarray
        Log odds of a higher answer; Wald's z and two-sided p.
    thresholds : ndarray, shape (answers − 1,)
        Log odds of an answer up to each but the highest where all columns are 0.
    log_likelihood, null_log_likelihood : float
        Of this model and of the thresholds alone.
    """

    RATIO = "OR"

    answers: tuple[str, ...]
    thresholds: FloatArray
    fit: OrdinalFit = field(repr=False)  # in the units of the columns that were fitted
    codes: IntArray = field(repr=False)

    def _fitted_columns(self) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients of the columns that were fitted, 0 of the intercept, and their covariance."""
        cuts = len(self.fit.thresholds)
        covariance = np.zeros((len(self.fit.beta) + 1, len(self.fit.beta) + 1))
        covariance[1:, 1:] = self.fit.covariance[cuts:, cuts:]
        return np.append(0.0, self.fit.beta), covariance

    def _largest_without(self, term: int) -> float:
        return _fit(self.design.without(term)[:, 1:], self.codes, len(self.answers)).log_likelihood

    def _profile(self, place: int, z: float) -> tuple[float, float]:
        others, own = apart(self.design.columns()[:, 1:], self.design.back[1 + place, 1:])

        def loss(value: float) -> float:
            fit = _fit(others, self.codes, len(self.answers), offset=own * value)
            return 2 * (self.log_likelihood - fit.log_likelihood) - z**2

        return profile(loss, float(self.estimate[place]), z * float(self.se[place]))

    def _expected(self, eta: FloatArray, scale: Scale, index: pd.Index) -> Any:
        """Return the chance of each answer, one column an answer; on the link's scale the linear predictor."""
        if scale == "link":  # of the numbers as they are given, as the thresholds that are printed
            return LikelihoodModel._expected(self, eta + self.thresholds[0] - self.fit.thresholds[0], scale, index)
        cumulative = special.expit(self.fit.thresholds - eta[:, None])
        chances = np.diff(cumulative, axis=1, prepend=0.0, append=1.0)
        return pd.DataFrame(chances, index=index, columns=list(self.answers))

    @property
    def residuals(self) -> pd.Series:
        """Refused: an answer's place in an order is not a number from which a mean can be taken."""
        raise DesignError("ordered answers have no residuals; predict() gives the chance of each answer")

    def _criterion(self) -> tuple[float, int, int]:
        return self.log_likelihood, len(self.names) + len(self.thresholds), self.n

    def proportional_odds(self, method: Literal["brant", "likelihood"] = "brant") -> ProportionalOdds:
        """Return the tests that every cut between answers has the same slopes: of all terms together, and of each.

        Parameters
        ----------
        method
            "brant": Wald's test of the slopes of one logistic regression a cut (Brant, 1990); "likelihood": ratio
            against the model in which the term has its own slopes at each cut, which small samples may not allow.

        Returns
        -------
        ProportionalOdds
            Chi-squared with its df and p, of all terms together and of each.

        Raises
        ------
        DesignError
            If there are two answers, and so one cut.
        NotEstimable
            If a cut is separated, or no test can be had, for the fitted cuts cross.

        References
        ----------
        Brant, R. (1990). Assessing proportionality in the proportional odds model for ordinal logistic regression.
        Biometrics, 46, 1171–1178.
        """
        from negstats.stats.outcomes.proportional_odds import tested

        return tested(self, method)

    def marginal_effects(self, variables: str | None = None) -> MarginalEffects:
        """Return by how much each answer's share changes with each variable (or one), averaged over the rows.

        Parameters
        ----------
        variables
            Name of one variable; all of them by default.

        Returns
        -------
        MarginalEffects
            One effect an answer and variable; over the answers they add up to 0.
        """
        parameters = np.concatenate([self.fit.thresholds, self.fit.beta])
        return ordered_effects(self.design, self.answers, parameters, self.fit.covariance, variables)


def ordinal(data: Any, formula: str, *, reference: Reference = None) -> OrdinalRegression:
    """Fit a proportional-odds regression of ordered answers on numbers and factors.

    Parameters
    ----------
    data
        A frame of any engine with one independent row a unit, or arrays by name.
    formula
        Such as "satisfaction ~ condition * price". The outcome is numbers (their order counts, not their distances) or
        an ordered column.
    reference
        As in `logistic`.

    Returns
    -------
    OrdinalRegression
        One coefficient a row, in log odds of a higher answer, and the thresholds between the answers.

    Raises
    ------
    DesignError
        If the formula cannot be read or has no term, a column is not there, or the answers have no order.
    NotEstimable
        If a column follows from others, there are too few rows, or a column separates the answers.

    Notes
    -----
    McCullagh (1980): ln(P(Y ≤ k)/P(Y > k)) = θ_k − x'β, so β is the log odds of a higher answer; as R's ``MASS::polr``.
    Newton's method on orthonormal columns with the exact second derivatives (statsmodels' ``OrderedModel`` takes them
    numerically, which costs half the digits of the standard errors).

    References
    ----------
    McCullagh, P. (1980). Regression models for ordinal data. Journal of the Royal Statistical Society, Series B, 42,
    109–142.

    Examples
    --------
    >>> rows = {"price": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "liked": [3, 3, 2, 3, 1, 2, 2, 1, 1, 2]}
    >>> print(ordinal(rows, "liked ~ price").apa())
    price: χ²(1) = 5.47, p = .019, OR = 0.56, 95% CI [0.27, 0.92]
    >>> print(ordinal(rows, "liked ~ price").proportional_odds("likelihood").apa())
    price: χ²(1) = 1.40, p = .237 (likelihood ratio)
    """
    design = read_design(data, formula, reference=reference)
    codes, answers = ordered_codes(design.outcome)
    if not design.given:
        raise DesignError(f"the formula {shown(formula)} has no term; name a predictor after the '~'")
    x, k = design.columns()[:, 1:], len(answers)
    # Seen as one yes or no a cut, with slopes in common: who is above cut j, and a threshold for each.
    sides = np.where(codes[:, None] > np.arange(k - 1), 1.0, -1.0)
    stacked_x = np.column_stack([np.repeat(x, k - 1, axis=0), np.tile(-np.eye(k - 1), (len(x), 1))])
    check_separation(sides.ravel(), stacked_x, [*design.names[1:], *["Intercept"] * (k - 1)], str(design.outcome.name))
    fit = _fit(x, codes, k)
    # Thresholds hold where all covariates are 0, and so move with the origin.
    back = design.back
    shares = np.bincount(codes, minlength=k)
    return OrdinalRegression(
        outcome=str(design.outcome.name),
        answers=answers,
        names=design.names[1:],
        **wald_columns(back[1:, 1:] @ fit.beta, back[1:, 1:] @ fit.covariance[k - 1 :, k - 1 :] @ back[1:, 1:].T),
        thresholds=fit.thresholds - back[0, 1:] @ fit.beta,
        log_likelihood=fit.log_likelihood,
        fit=fit,
        null_log_likelihood=float(special.xlogy(shares, shares / len(codes)).sum()),
        n=len(codes),
        missing=design.missing,
        design=design,
        codes=codes,
    )


def _fit(x: FloatArray, codes: IntArray, k: int, offset: FloatArray | None = None) -> OrdinalFit:
    """Maximise the likelihood over thresholds and slopes, on orthonormal columns about their means."""
    n, p = x.shape
    shifts = np.zeros(n) if offset is None else offset
    centre = x.mean(axis=0)
    q, r = np.linalg.qr(x - centre) if p else (x, np.empty((0, 0)))
    up, low = cut_columns(q, q[:, :0], codes, k)
    theta, value, hessian = maximised(up, low, codes, k, shifts)
    back = np.linalg.inv(r) if p else r
    beta = back @ theta[k - 1 :]
    turn = np.eye(k - 1 + p)
    turn[: k - 1, k - 1 :], turn[k - 1 :, k - 1 :] = centre @ back, back
    return OrdinalFit(beta, theta[: k - 1] + centre @ beta, turn @ np.linalg.inv(hessian) @ turn.T, value)


def cut_columns(common: FloatArray, own: FloatArray, codes: IntArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Return the columns of the cut above each row's answer and of the one below it.

    They stand for the k − 1 thresholds, slopes that all cuts have in `common`, and slopes of each cut's `own`; rows of
    the highest (lowest) answer have no cut above (below) them, and 0 throughout.
    """
    n, cuts = len(codes), k - 1
    out = []
    for cut_place, has_cut in ((codes, codes < cuts), (codes - 1, codes > 0)):
        indicator = np.zeros((n, cuts))
        indicator[np.flatnonzero(has_cut), cut_place[has_cut]] = 1.0
        mine = (indicator[:, :, None] * own[:, None, :]).reshape(n, -1)
        out.append(np.column_stack([indicator, -common * has_cut[:, None], -mine]))
    return out[0], out[1]


def maximised(
    up: FloatArray, low: FloatArray, codes: IntArray, k: int, offset: FloatArray
) -> tuple[FloatArray, float, FloatArray]:
    """Return the parameters of the largest likelihood, it, and minus its second derivatives.

    Newton's method begins where no slope differs from 0.
    """
    cumulative = np.cumsum(np.bincount(codes, minlength=k))[:-1] / len(codes)
    theta = np.concatenate([special.logit(cumulative) + offset.mean(), np.zeros(up.shape[1] - (k - 1))])
    maximum = newton(lambda point: _likelihood(point, up, low, codes, k, offset), theta, steps=STEPS)
    if maximum is None:
        raise NotEstimable("the likelihood has no maximum that could be reached; look for nearly empty answers")
    return maximum.point, maximum.value, maximum.information


def _likelihood(
    theta: FloatArray, up: FloatArray, low: FloatArray, codes: IntArray, k: int, offset: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Return the log-likelihood, its gradient and minus its second derivatives."""
    upper = np.where(codes < k - 1, up @ theta - offset, np.inf)
    lower = np.where(codes > 0, low @ theta - offset, -np.inf)
    # P = F(upper) − F(lower), from the side on which both are small.
    swap = lower > 0
    chance = np.where(swap, special.expit(-lower) - special.expit(-upper), special.expit(upper) - special.expit(lower))
    if not (chance > 0).all():
        return -np.inf, theta, np.eye(len(theta))
    f_up, f_low = (special.expit(end) * special.expit(-end) for end in (upper, lower))
    d_up, d_low = (f * (1 - 2 * special.expit(end)) for f, end in ((f_up, upper), (f_low, lower)))
    slope = (f_up[:, None] * up - f_low[:, None] * low) / chance[:, None]
    second = (up * (d_up / chance)[:, None]).T @ up - (low * (d_low / chance)[:, None]).T @ low
    return float(np.log(chance).sum()), slope.sum(axis=0), slope.T @ slope - second
