"""Regression of ordered answers with proportional odds: its tests, profile intervals, and whether the odds are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.design import ordered_codes, read_design
from negstats.stats.fitted import LikelihoodModel, Scale, wald_columns
from negstats.stats.models.results import LikelihoodRatio
from negstats.stats.numerics import apart, newton, profile
from negstats.stats.outcomes.fits import check_separation, fitted_apart
from negstats.stats.outcomes.marginal import MarginalEffects, ordered_effects
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice
from negstats.stats.results.result import Result, with_schema
from negstats.stats.summaries.formulas import Reference
from negstats.stats.summaries.frames import IntArray

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

    def _profile(self, column: int, z: float) -> tuple[float, float]:
        other_columns, own_column = apart(self.design.columns()[:, 1:], self.design.back[1 + column, 1:])

        def loss(value: float) -> float:
            fit = _fit(other_columns, self.codes, len(self.answers), offset=own_column * value)
            return 2 * (self.log_likelihood - fit.log_likelihood) - z**2

        return profile(loss, float(self.estimate[column]), z * float(self.se[column]))

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
    x, n_answers = design.columns()[:, 1:], len(answers)
    # Seen as one yes or no a cut, with slopes in common: who is above cut j, and a threshold for each.
    sides = np.where(codes[:, None] > np.arange(n_answers - 1), 1.0, -1.0)
    stacked_x = np.column_stack([np.repeat(x, n_answers - 1, axis=0), np.tile(-np.eye(n_answers - 1), (len(x), 1))])
    check_separation(
        sides.ravel(), stacked_x, [*design.names[1:], *["Intercept"] * (n_answers - 1)], str(design.outcome.name)
    )
    fit = _fit(x, codes, n_answers)
    # Thresholds hold where all covariates are 0, and so move with the origin.
    to_printed = design.back
    shares = np.bincount(codes, minlength=n_answers)
    return OrdinalRegression(
        outcome=str(design.outcome.name),
        answers=answers,
        names=design.names[1:],
        **wald_columns(
            to_printed[1:, 1:] @ fit.beta,
            to_printed[1:, 1:] @ fit.covariance[n_answers - 1 :, n_answers - 1 :] @ to_printed[1:, 1:].T,
        ),
        thresholds=fit.thresholds - to_printed[0, 1:] @ fit.beta,
        log_likelihood=fit.log_likelihood,
        fit=fit,
        null_log_likelihood=float(special.xlogy(shares, shares / len(codes)).sum()),
        n=len(codes),
        missing=design.missing,
        design=design,
        codes=codes,
    )


def _fit(x: FloatArray, codes: IntArray, n_answers: int, offset: FloatArray | None = None) -> OrdinalFit:
    """Maximise the likelihood over thresholds and slopes, on orthonormal columns about their means."""
    n, p = x.shape
    shifts = np.zeros(n) if offset is None else offset
    centre = x.mean(axis=0)
    # Orthonormal columns: no predictor's unit or relation to others slows the search.
    basis, upper = np.linalg.qr(x - centre) if p else (x, np.empty((0, 0)))
    upper_columns, lower_columns = cut_columns(basis, basis[:, :0], codes, n_answers)
    theta, value, hessian = maximised(upper_columns, lower_columns, codes, n_answers, shifts)
    to_original = np.linalg.inv(upper) if p else upper
    beta = to_original @ theta[n_answers - 1 :]
    # Thresholds move with the slopes, for the columns were centred: the delta method turns both back.
    jacobian = np.eye(n_answers - 1 + p)
    jacobian[: n_answers - 1, n_answers - 1 :], jacobian[n_answers - 1 :, n_answers - 1 :] = (
        centre @ to_original,
        to_original,
    )
    return OrdinalFit(
        beta, theta[: n_answers - 1] + centre @ beta, jacobian @ np.linalg.inv(hessian) @ jacobian.T, value
    )


def cut_columns(common: FloatArray, own: FloatArray, codes: IntArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Return the columns of the cut above each row's answer and of the one below it.

    They stand for the k − 1 thresholds, slopes that all cuts have in `common`, and slopes of each cut's `own`; rows of
    the highest (lowest) answer have no cut above (below) them, and 0 throughout.
    """
    n, cuts = len(codes), k - 1
    columns_of_bounds = []
    for cut_place, has_cut in ((codes, codes < cuts), (codes - 1, codes > 0)):
        indicator = np.zeros((n, cuts))
        indicator[np.flatnonzero(has_cut), cut_place[has_cut]] = 1.0
        own_at_cut = (indicator[:, :, None] * own[:, None, :]).reshape(n, -1)
        columns_of_bounds.append(np.column_stack([indicator, -common * has_cut[:, None], -own_at_cut]))
    return columns_of_bounds[0], columns_of_bounds[1]


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
    theta: FloatArray, upper_columns: FloatArray, lower_columns: FloatArray, codes: IntArray, k: int, offset: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Return the log-likelihood, its gradient and minus its second derivatives."""
    upper = np.where(codes < k - 1, upper_columns @ theta - offset, np.inf)
    lower = np.where(codes > 0, lower_columns @ theta - offset, -np.inf)
    # P = F(upper) − F(lower), from the side on which both are small.
    is_upper_half = lower > 0
    shares = np.where(
        is_upper_half, special.expit(-lower) - special.expit(-upper), special.expit(upper) - special.expit(lower)
    )
    if not (shares > 0).all():
        return -np.inf, theta, np.eye(len(theta))
    upper_density, lower_density = (special.expit(bound) * special.expit(-bound) for bound in (upper, lower))
    upper_slope, lower_slope = (
        f * (1 - 2 * special.expit(bound)) for f, bound in ((upper_density, upper), (lower_density, lower))
    )
    slope = (upper_density[:, None] * upper_columns - lower_density[:, None] * lower_columns) / shares[:, None]
    curvature = (upper_columns * (upper_slope / shares)[:, None]).T @ upper_columns - (
        lower_columns * (lower_slope / shares)[:, None]
    ).T @ lower_columns
    return float(np.log(shares).sum()), slope.sum(axis=0), slope.T @ slope - curvature


Method = Literal["brant", "likelihood"]
ALL = "all terms"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ProportionalOdds(Result):
    """Tests that slopes are the same at every cut between answers. Arrays have the shape ``(tests,)``.

    Attributes
    ----------
    terms : tuple of str
        "all terms", then each.
    statistic, df, p : ndarray
        Chi-squared, its degrees of freedom and p; missing where the fitted cuts cross.
    slopes : DataFrame
        The log odds of an answer above each cut, one row a cut and one column a coefficient (factors coded to sum to
        zero), each cut fitted alone; empty for likelihood ratios.
    method : str
        "brant" or "likelihood".
    """

    terms: tuple[str, ...]
    statistic: FloatArray
    df: FloatArray
    p: FloatArray
    slopes: pd.DataFrame = field(repr=False)
    method: Method

    def to_frame(self) -> pd.DataFrame:
        """Return one row a test."""
        frame = pd.DataFrame({"term": list(self.terms), "statistic": self.statistic, "df": self.df, "p": self.p})
        frame["method"] = self.method
        return with_schema(frame, "ProportionalOdds/1")

    def apa(self) -> str:
        """Return each test, with semicolons between."""
        rows = zip(self.terms, self.statistic, self.df, self.p, strict=True)
        name = "Brant" if self.method == "brant" else "likelihood ratio"
        sentences = [
            f"{term}: {'the cuts cross' if np.isnan(p) else apa.statistic('χ²', value, (df,), p)}"
            for term, value, df, p in rows
        ]
        return f"{'; '.join(sentences)} ({name})"


def tested(model: OrdinalRegression, method: Method) -> ProportionalOdds:
    """Test the proportional odds of a fitted model; `OrdinalRegression.proportional_odds` calls this.

    Notes
    -----
    Brant (1990), Biometrics 46, 1171-1178: the slopes b_j of the logistic regressions of Y > j have the covariances
    (X'W_jjX)⁻¹X'W_jlX(X'W_llX)⁻¹, W_jl = π_l(1 − π_j) for j ≤ l with π_j the fitted chance of an answer above j, and
    Wald's chi-squared tests that b_1 − b_j is 0; as R's ``car::poTest``. Terms have their columns coded to sum to zero.
    Where fitted cuts cross, these may be no covariances, and a test is missing; for several columns together poTest
    takes each W_jl block a second time without transposing it, and so finds another number (it may be negative).
    """
    check_choice("method", method, ("brant", "likelihood"))
    if len(model.answers) < 3:
        raise DesignError(f"{model.outcome!r} has two answers, and so one cut; odds are proportional by definition")
    coding = model.design.coding
    x = coding.matrix(model.design.measured)[:, 1:]
    # All predictors together, and the columns of each term.
    groups = [
        list(range(x.shape[1])),
        *([c - 1 for c in coding.columns_of(term_index)] for term_index in range(len(model.terms))),
    ]
    names = (ALL, *model.terms)
    if len(model.terms) == 1:
        groups, names = groups[1:], names[1:]
    if method == "likelihood":
        tests = [_ratio(model, x, columns) for columns in groups]
        slopes = pd.DataFrame()
    else:
        # Brant's test: a logistic regression at each cut, whose slopes should be alike.
        estimate, covariance = _cuts(model, x)
        tests = [_wald(estimate, covariance, columns) for columns in groups]
        coefficients = estimate @ model.design.back[1:, 1:].T
        slopes = pd.DataFrame(coefficients, index=list(model.answers[:-1]), columns=list(coding.names[1:]))
    statistic, df, p = np.array(tests).T
    if np.isnan(p).all():
        other_method = "likelihood" if method == "brant" else "brant"
        advice = f"give method={other_method!r}, or merge rare answers"
        raise NotEstimable("the cuts between the answers cross", advice=advice)
    return ProportionalOdds(names, statistic, df, p, slopes, method)


def _cuts(model: OrdinalRegression, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the slopes at each cut (cuts, p), and their covariances (cuts, p, cuts, p)."""
    ones = np.ones((len(x), 1))
    design, cuts, n_slopes = np.column_stack([ones, x]), len(model.answers) - 1, x.shape[1]
    estimate, probabilities_by_cut, inverses = np.empty((cuts, n_slopes)), [], []
    for cut in range(cuts):
        y = (model.codes > cut).astype(np.float64)
        outcome = f"{model.outcome} > {model.answers[cut]}"
        fit = fitted_apart(design, y, "logistic", np.zeros(len(y)), model.design.coding.names, outcome)
        probabilities = special.expit(design @ fit.beta)
        estimate[cut] = fit.beta[1:]
        probabilities_by_cut.append(probabilities)
        inverses.append(np.linalg.inv(design.T @ (design * (probabilities * (1 - probabilities))[:, None])))
    # Estimates of two cuts are of the same rows: their covariance comes from both scores' common part.
    covariance = np.empty((cuts, n_slopes, cuts, n_slopes))
    for lower in range(cuts):
        for higher in range(lower, cuts):
            # Being above the higher cut and below the lower one.
            weight = probabilities_by_cut[higher] * (1 - probabilities_by_cut[lower])
            cross_covariance = inverses[lower] @ (design.T @ (design * weight[:, None])) @ inverses[higher]
            covariance[lower, :, higher], covariance[higher, :, lower] = (
                cross_covariance[1:, 1:],
                cross_covariance[1:, 1:].T,
            )
    return estimate, covariance


def _wald(estimate: FloatArray, covariance: FloatArray, columns: list[int]) -> tuple[float, float, float]:
    cuts, n_columns = len(estimate), len(columns)
    differences = np.column_stack([np.ones(cuts - 1), -np.eye(cuts - 1)])
    contrast = np.kron(differences, np.eye(n_columns))
    difference_covariance = contrast @ covariance[:, columns][..., columns].reshape(cuts * n_columns, -1) @ contrast.T
    df = float(n_columns * (cuts - 1))
    if np.linalg.eigvalsh(difference_covariance)[0] <= 0:
        return np.nan, df, np.nan
    slope_differences = contrast @ estimate[:, columns].ravel()
    value = float(slope_differences @ np.linalg.solve(difference_covariance, slope_differences))
    return value, df, float(special.chdtrc(df, value))


def _ratio(model: OrdinalRegression, x: FloatArray, columns: list[int]) -> tuple[float, float, float]:
    """Return the likelihood ratio against the model whose columns of a term have slopes of their own at each cut."""
    k, other_columns = len(model.answers), np.delete(x, columns, axis=1)
    standardized = [(block - block.mean(axis=0)) / block.std(axis=0) for block in (other_columns, x[:, columns])]
    upper_columns, lower_columns = cut_columns(standardized[0], standardized[1], model.codes, k)
    try:
        larger = maximised(upper_columns, lower_columns, model.codes, k, np.zeros(len(x)))[1]
    except (NotEstimable, np.linalg.LinAlgError):
        return np.nan, float(len(columns) * (k - 2)), np.nan
    ratio_test = LikelihoodRatio.of(larger, model.log_likelihood, len(columns) * (k - 2))
    return float(ratio_test.statistic), float(ratio_test.df), float(ratio_test.p)
