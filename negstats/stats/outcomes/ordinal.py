"""Regression of ordered answers with proportional odds: likelihood-ratio tests, profile intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.models.results import LikelihoodRatio
from negstats.stats.outcomes.marginal import MarginalEffects, ordered_effects
from negstats.stats.outcomes.term_tests import (
    apart,
    coefficient_frame,
    likelihood_ratio,
    profile,
    profile_each,
    ratio_text,
    term_frame,
)
from negstats.stats.relations.rows import Model, check_separation, model_of, ordered_codes
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice, find_coefficient
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries.codes import IntArray

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
class OrdinalRegression(Result):
    """A proportional-odds (cumulative logit) regression. Arrays have the shape ``(coefficients,)``.

    Attributes
    ----------
    outcome : str
    answers : tuple of str
        From the lowest to the highest.
    names : tuple of str
        The coefficients, without intercepts; ``g[b]`` is level b against the first level of g.
    estimate, se, statistic, p : ndarray
        Log odds of a higher answer; Wald's z and two-sided p.
    covariance : ndarray, shape (coefficients, coefficients)
    thresholds : ndarray, shape (answers − 1,)
        Log odds of an answer up to each but the highest where all columns are 0.
    log_likelihood, null_log_likelihood : float
        Of this model and of the thresholds alone.
    n, missing : int
        Complete rows, and those left out.
    """

    outcome: str
    answers: tuple[str, ...]
    names: tuple[str, ...]
    estimate: FloatArray
    se: FloatArray
    statistic: FloatArray
    p: FloatArray
    covariance: FloatArray
    thresholds: FloatArray
    log_likelihood: float
    null_log_likelihood: float
    n: int
    missing: int
    fit: OrdinalFit = field(repr=False)  # in the units of the columns that were fitted
    model: Model = field(repr=False)
    codes: IntArray = field(repr=False)

    @property
    def terms(self) -> tuple[str, ...]:
        """The formula's terms."""
        return self.model.coding.term_names

    def test(self, term: str | None = None) -> LikelihoodRatio:
        """Return the likelihood-ratio test of a term after all others (type III), or of all terms together.

        Of a term that others contain at the mean of the covariates, as in `logistic`.

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
            return likelihood_ratio(self.log_likelihood, self.null_log_likelihood, len(self.names))
        place = self.model.place(term)
        smaller = _fit(self.model.without(place)[:, 1:], self.codes, len(self.answers)).log_likelihood
        return likelihood_ratio(self.log_likelihood, smaller, len(self.model.coding.columns_of(place)))

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
        """Return the interval of each coefficient, or of one, on the log scale, as in `logistic`.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        method
            "profile" or "wald", as in `logistic`.
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
        name = "profile likelihood" if method == "profile" else "z"
        return (
            Interval(float(low[0]), float(high[0]), confidence_level, name)
            if of
            else Interval(low, high, confidence_level, name)
        )

    def _profile(self, place: int, z: float) -> tuple[float, float]:
        others, own = apart(self.model.columns()[:, 1:], self.model.back[1 + place, 1:])

        def loss(value: float) -> float:
            fit = _fit(others, self.codes, len(self.answers), offset=own * value)
            return 2 * (self.log_likelihood - fit.log_likelihood) - z**2

        return profile(loss, float(self.estimate[place]), z * float(self.se[place]))

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
        return ordered_effects(self.model, self.answers, parameters, self.fit.covariance, variables)

    def to_frame(self, confidence_level: float = 0.95, *, ratios: bool = False) -> pd.DataFrame:
        """Return one row a coefficient with its profile interval; with `ratios` as odds ratios.

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
        return coefficient_frame(self.names, columns, interval, ratios=ratios, schema="OrdinalRegression/1")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return each term's likelihood-ratio test, with the odds ratio of a term of one coefficient.

        Parameters
        ----------
        confidence_level
            Level of the intervals of the odds ratios, between 0 and 1.

        Returns
        -------
        str
            One clause a term, with semicolons between.
        """
        sentences = []
        for place, term in enumerate(self.terms):
            text = f"{term}: {self.test(term).apa()}"
            columns = [column - 1 for column in self.model.coding.columns_of(place)]
            if len(columns) == 1 and self.model.stands_alone(place):
                ends = self.confidence_interval(confidence_level, of=self.names[columns[0]])
                low, high = float(np.ravel(ends.low)[0]), float(np.ravel(ends.high)[0])
                step = self.model.coding.step(columns[0] + 1, self.model.given)
                text += f", {ratio_text('OR', self.estimate[columns[0]], low, high, confidence_level, step)}"
            sentences.append(text)
        return "; ".join(sentences)


def ordinal(data: Any, formula: str) -> OrdinalRegression:
    """Fit a proportional-odds regression of ordered answers on numbers and factors.

    Parameters
    ----------
    data
        A frame of any engine with one independent row a unit, or arrays by name.
    formula
        Such as "satisfaction ~ condition * price". The outcome is numbers (their order counts, not their distances) or
        an ordered column.

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
    McCullagh (1980), JRSS B 42, 109-142: ln(P(Y ≤ k)/P(Y > k)) = θ_k − x'β, so β is the log odds of a higher answer; as
    R's ``MASS::polr``. Newton's method on orthonormal columns with the exact second derivatives (statsmodels'
    ``OrderedModel`` takes them numerically, which costs half the digits of the standard errors).

    Examples
    --------
    >>> rows = {"price": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "liked": [3, 3, 2, 3, 1, 2, 2, 1, 1, 2]}
    >>> print(ordinal(rows, "liked ~ price").apa())
    price: χ²(1) = 5.47, p = .019, OR = 0.56, 95% CI [0.27, 0.92]
    >>> print(ordinal(rows, "liked ~ price").proportional_odds("likelihood").apa())
    price: χ²(1) = 1.40, p = .237 (likelihood ratio)
    """
    model = model_of(data, formula)
    codes, answers = ordered_codes(model.outcome)
    if not model.given:
        raise DesignError(f"the formula {shown(formula)} has no term; name a predictor after the '~'")
    x, k = model.columns()[:, 1:], len(answers)
    # Seen as one yes or no a cut, with slopes in common: who is above cut j, and a threshold for each.
    sides = np.where(codes[:, None] > np.arange(k - 1), 1.0, -1.0)
    stacked_x = np.column_stack([np.repeat(x, k - 1, axis=0), np.tile(-np.eye(k - 1), (len(x), 1))])
    check_separation(sides.ravel(), stacked_x, [*model.names[1:], *["Intercept"] * (k - 1)], str(model.outcome.name))
    fit = _fit(x, codes, k)
    # Thresholds hold where all covariates are 0, and so move with the origin.
    back = model.back
    turn = np.block(
        [[np.eye(k - 1), np.tile(-back[:1, 1:], (k - 1, 1))], [np.zeros((len(back) - 1, k - 1)), back[1:, 1:]]]
    )
    parameters = turn @ np.concatenate([fit.thresholds, fit.beta])
    covariance = turn @ fit.covariance @ turn.T
    se = np.sqrt(np.diag(covariance))[k - 1 :]
    z = parameters[k - 1 :] / se
    shares = np.bincount(codes, minlength=k)
    return OrdinalRegression(
        outcome=str(model.outcome.name),
        answers=answers,
        names=model.names[1:],
        estimate=parameters[k - 1 :],
        se=se,
        statistic=z,
        p=np.asarray(2 * special.ndtr(-np.abs(z))),
        covariance=covariance[k - 1 :, k - 1 :],
        thresholds=parameters[: k - 1],
        log_likelihood=fit.log_likelihood,
        fit=fit,
        null_log_likelihood=float(special.xlogy(shares, shares / len(codes)).sum()),
        n=len(codes),
        missing=model.missing,
        model=model,
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

    Newton's method, with steps halved while they lose; it begins where no slope differs from 0.
    """
    cumulative = np.cumsum(np.bincount(codes, minlength=k))[:-1] / len(codes)
    theta = np.concatenate([special.logit(cumulative) + offset.mean(), np.zeros(up.shape[1] - (k - 1))])
    value, score, hessian = _likelihood(theta, up, low, codes, k, offset)
    for _ in range(STEPS):
        step = np.linalg.solve(hessian, score)
        share = 1.0
        while True:
            trial = _likelihood(theta + share * step, up, low, codes, k, offset)
            if np.isfinite(trial[0]) and trial[0] >= value - 1e-9 * abs(value):
                break
            share /= 2
            if share < 1e-10:
                raise NotEstimable("the likelihood has no maximum that could be reached; look for nearly empty answers")
        theta, (value, score, hessian) = theta + share * step, trial
        if np.abs(share * step).max() < 1e-11 * (1 + np.abs(theta).max()):
            break
    else:
        raise NotEstimable("the likelihood has no maximum that could be reached; look for nearly empty answers")
    return theta, value, hessian


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
        return -np.inf, theta, np.empty((0, 0))
    f_up, f_low = (special.expit(end) * special.expit(-end) for end in (upper, lower))
    d_up, d_low = (f * (1 - 2 * special.expit(end)) for f, end in ((f_up, upper), (f_low, lower)))
    slope = (f_up[:, None] * up - f_low[:, None] * low) / chance[:, None]
    second = (up * (d_up / chance)[:, None]).T @ up - (low * (d_low / chance)[:, None]).T @ low
    return float(np.log(chance).sum()), slope.sum(axis=0), slope.T @ slope - second
