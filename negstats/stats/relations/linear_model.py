"""Linear models from rows with a formula, or from `Moments`: every term after the others, robust errors, R², beta."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.design import ModelDesign, design_of_summary, read_design
from negstats.stats.fitted import FittedModel, WaldModel, term_frame
from negstats.stats.means.f_tests import FTest
from negstats.stats.models.random_terms import quote_column
from negstats.stats.relations.robust import Sandwich, clustered, hc3
from negstats.stats.results import apa
from negstats.stats.results.numbers import ROUNDING, FloatArray, Number, plain
from negstats.stats.results.options import check_choice, check_single, count, f_tails, t_tails
from negstats.stats.summaries import Moments
from negstats.stats.summaries.coding import Coding
from negstats.stats.summaries.coerce import moments_of, standardized
from negstats.stats.summaries.formulas import Formula, Reference
from negstats.stats.summaries.frames import is_lazy, numbers

Errors = Literal["ordinary", "HC3", "CR0", "CR1", "CR1S", "CR2"]
ERRORS = ("ordinary", "HC3", "CR0", "CR1", "CR1S", "CR2")
SINGLE = "not tested, since it rests on a single cluster"
# A predictor of which less than this share of its variance is left, given those before it, follows from them.
DEPENDENT = 1e-12
FEW = 4


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LinearModel(WaldModel):
    """A linear model; what is not named here as `FittedModel`. Of a stack of moments arrays have a study first.

    Attributes
    ----------
    estimate, se, statistic, df, p : ndarray
        Coefficients, standard errors, t, degrees of freedom and two-sided p; with clusters all but the first are NaN
        for a coefficient that rests on a single cluster.
    beta : ndarray, shape (*studies, coefficients)
        Standardized coefficients b_j s_j / s_y; NaN for the intercept.
    vif : ndarray, shape (*studies, coefficients)
        Variance inflation factors; NaN for the intercept.
    r_squared, adjusted_r_squared, sigma : float
        Shares of variance explained, and the residual standard deviation.
    rss, df_residual : float
        Residual sum of squares, and n less the coefficients.
    errors : str
        "ordinary", "HC3", "CR0", "CR1", "CR1S" or "CR2".
    clusters : int
        How many; 0 without any.
    """

    df: FloatArray
    beta: FloatArray
    vif: FloatArray
    r_squared: Number
    adjusted_r_squared: Number
    sigma: Number
    rss: Number
    df_residual: Number
    n: Number  # type: ignore[assignment]  # a stack's studies differ
    errors: Errors
    clusters: int
    fit: tuple[FloatArray, FloatArray] = field(repr=False)  # coefficients of the columns fitted, and their covariance
    back: FloatArray = field(repr=False)
    sandwich: Sandwich | None = field(repr=False)

    def _fitted_columns(self) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients of the columns that were fitted, and their covariance."""
        return self.fit

    def _back(self) -> FloatArray:
        return self.back

    def _freedom(self, rows: FloatArray) -> FloatArray:
        if self.sandwich is None:
            residual_df = np.asarray(self.df_residual)[..., None]
            return np.broadcast_to(residual_df, (*residual_df.shape[:-1], rows.shape[-2])).copy()
        for row in rows:
            self.sandwich.check(row, "a mean or contrast")
        return np.array([self.sandwich.df(row) for row in rows])

    def _joint(self, rows: FloatArray, question: str = "a comparison of means") -> tuple[Any, float, Any]:
        """Return F of nested models; of HC3 Wald's, of CR2 the approximate Hotelling test (HTZ), as in clubSandwich."""
        if self.sandwich is None:
            return FittedModel._joint(self, rows)
        if self.errors != "CR2":
            raise DesignError(f"a joint test with errors={self.errors!r} rejects too often; fit with errors='CR2'")
        self.sandwich.check(rows, question)
        return self.sandwich.hotelling(rows, rows @ self.fit[0])

    def test(self, term: str | Sequence[str] | None = None) -> FTest:
        """Return the F of a term after all others (type III), of named coefficients, or of all terms together.

        Ordinary errors give the F of nested models, HC3 Wald's F; CR2 the approximate Hotelling test (HTZ), as in R's
        clubSandwich. Of a term that others contain its effect at the mean of the covariates is tested, averaged over
        the other factors' levels.

        Parameters
        ----------
        term
            A term as the formula names it, such as ``"agent"`` or ``"agent:age"``; names of coefficients, which are
            tested as they are printed; all terms by default.

        Returns
        -------
        FTest
            F with its degrees of freedom and p.

        Raises
        ------
        DesignError
            If a term is unknown, or the errors are CR0, CR1 or CR1S, whose joint test is too bold.
        """
        name, rows = self._hypothesis(term)
        return self._test(name, rows, f"the term {name!r}")

    def _test(self, name: str, rows: FloatArray, question: str) -> FTest:
        f, df1, df2 = self._joint(rows, question) if self.sandwich is not None else self._joint(rows)
        ss = np.multiply(f, df1) * np.square(self.sigma) if self.errors == "ordinary" else np.full(np.shape(f), np.nan)
        ss_error = self.rss if self.errors == "ordinary" else plain(np.full(np.shape(f), np.nan))
        return FTest(name, f, df1, df2, plain(f_tails(f, df1, df2)), plain(ss), ss_error)

    def tests(self) -> pd.DataFrame:
        """Return one row a term: its F after all others; NaN for a term that rests on a single cluster.

        Returns
        -------
        DataFrame
            The term, F, its degrees of freedom and p.
        """
        nothing = FTest("", np.nan, np.nan, np.nan, np.nan)
        tests = [self.test(term) if self._is_testable(term) else nothing for term in self.terms]
        return term_frame(self.terms, tests)

    def compare(self, smaller: LinearModel) -> FTest:
        """Test what this model adds to one nested in it; ΔR² is the difference of their `r_squared`.

        Parameters
        ----------
        smaller
            A model of the same rows whose coefficients are among those of this one.

        Returns
        -------
        FTest
            F of the terms that only this model has, with its degrees of freedom and p.

        Raises
        ------
        DesignError
            If the other model is not nested in this one, or the two have different rows or outcomes.
        """
        if not set(smaller.names) < set(self.names):
            raise DesignError(f"the smaller model ({', '.join(smaller.names)}) is not nested in this one")
        if smaller.outcome != self.outcome or not np.array_equal(smaller.n, self.n):
            raise DesignError(
                f"the models differ in outcome or rows ({smaller.outcome}, n = {smaller.n}; {self.outcome}, "
                f"n = {self.n}); fit both to the same complete rows"
            )
        added = [column for column, name in enumerate(self.names) if name not in smaller.names]
        names = ", ".join(self.names[column] for column in added)
        return self._test(names, np.eye(len(self.names))[added], f"the test of {names}")

    def _sd(self) -> float:
        return float(np.asarray(self.sigma))

    def _criterion(self) -> tuple[float, int, int]:
        check_single(self.rss, "aic")
        n = int(np.asarray(self.n))
        return -n / 2 * float(np.log(2 * np.pi * np.asarray(self.rss) / n) + 1), len(self.names) + 1, n

    def to_frame(self, confidence_level: float = 0.95, *, ratios: bool = False) -> pd.DataFrame:
        """Return one row a coefficient (of a stack, one a study and coefficient).

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        ratios
            Refused: coefficients are differences.

        Returns
        -------
        DataFrame
            The coefficient (``term``), its estimate with standard error, interval and test, the standardized estimate
            (``beta``), the variance inflation (``vif``) and the kind of errors.
        """
        frame = FittedModel.to_frame(self, confidence_level, ratios=ratios)
        return frame.assign(beta=np.ravel(self.beta), vif=np.ravel(self.vif), errors=self.errors)

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return R² and each term: b and t of a term of one coefficient, F of one of several.

        Parameters
        ----------
        confidence_level
            Level of the intervals of the coefficients, between 0 and 1.

        Returns
        -------
        str
            R² and the terms, with semicolons between; where few clusters carry a term it says so.
        """
        check_single(self.r_squared, "apa()")
        clauses = [f"R² = {apa.bounded(self.r_squared)}"]
        for term_index, term in enumerate(self.terms):
            if not self._is_testable(term):
                clauses.append(f"{term}: {SINGLE}")
            elif len(self.design.coding.columns_of(term_index)) == 1:
                effect = self.effect(term)
                interval, t = effect.confidence_interval(confidence_level), float(np.asarray(effect.statistic))
                few_note = ", few clusters carry this effect" if self.clusters and effect.df < FEW else ""
                clauses.append(
                    f"{term}: b = {apa.with_interval(effect.estimate, interval.low, interval.high, confidence_level)}, "
                    f"{apa.statistic('t', t, (effect.df,), effect.p)}{few_note}"
                )
            else:
                clauses.append(f"{term}: {self.test(term).apa()}")
        return "; ".join(clauses)

    def _is_testable(self, term: str) -> bool:
        """Return whether a term's test has an error, which clusters that the model fits exactly do not give."""
        return self.sandwich is None or self.sandwich.estimable(self._hypothesis(term)[1])


def linear_model(
    data: Any,
    formula: str,
    *,
    errors: Errors = "ordinary",
    cluster: str | None = None,
    reference: Reference = None,
) -> LinearModel:
    """Fit a linear model of factors and covariates: analysis of covariance, moderation, unequal variances, clusters.

    Parameters
    ----------
    data
        A frame of any engine, or arrays by name.
    formula
        Such as "points ~ reward * partner + price"; text, truth values and ``C(x)`` are factors.
    errors
        "ordinary"; "HC3" (variances may differ between rows); "CR2" (rows of a cluster depend on each other; right with
        few clusters too), "CR0", "CR1", "CR1S". All clustered ones take Satterthwaite's degrees of freedom.
    cluster
        With the CR errors, the column that says whose row it is, such as the game or the dyad.
    reference
        The level that the others of a factor are compared with, such as ``{"country": "Israel"}``; the first of each
        by default.

    Returns
    -------
    LinearModel
        The coefficients with their tests; `test`, `slopes`, `predict` and `contrast` ask further questions of the fit.

    Raises
    ------
    DesignError
        If the formula cannot be read, a column is not there or no number, or the errors do not go with `cluster`.
    NotEstimable
        If a column follows from others, there are too few rows, or the outcome is fitted without a residual; with
        clusters, if everything rests on a single one (a level with one cluster, a coefficient for each cluster).

    Notes
    -----
    Each term's F is of type III: the term after all others, factors coded to sum to zero and covariates measured from
    the mean of the complete rows, so that a factor's main effect is that at the mean of the covariates. The same as
    R's ``car::Anova(lm(...), type = 3, white.adjust = "hc3")`` on centred covariates; CR2 as in clubSandwich.

    References
    ----------
    - Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
      samples. Survey Methodology, 28, 169–181.
    - Pustejovsky, J. E., & Tipton, E. (2018). Small-sample methods for cluster-robust variance estimation and
      hypothesis testing in fixed effects models. Journal of Business & Economic Statistics, 36, 672–683.

    Examples
    --------
    >>> rows = {"price": [2, 4, 5, 7, 8, 9, 3, 6], "agent": list("aabbaabb"), "y": [10, 12, 11, 17, 15, 20, 9, 14]}
    >>> model = linear_model(rows, "y ~ agent + price", errors="HC3")
    >>> print(model.test("agent").apa())
    F(1, 5) = 0.29, p = .614, ηp² = .05, 90% CI [.00, .48]
    >>> model.coefficients.round(2).to_dict()
    {'Intercept': 6.28, 'agent[b]': -0.81, 'price': 1.39}
    >>> from negstats.stats.contrasts.margins import margins
    >>> margins(model, specs="agent").mean.round(2).tolist()
    [13.9, 13.1]
    """
    check_choice("errors", errors, ERRORS)
    if errors.startswith("CR") != (cluster is not None):
        raise DesignError(
            f"errors={errors!r} with cluster={shown(cluster)}; the CR errors need a cluster, the others none"
        )
    design = read_design(data, formula, cluster, None, reference)
    y, x = numbers(design.outcome, str(design.outcome.name)), design.columns()
    deviations = y - y.mean()
    total = float(deviations @ deviations)
    if np.sqrt(total / len(y)) <= ROUNDING * np.abs(y).max():
        raise NotEstimable(f"{design.outcome.name!r} is constant; nothing can be related to a constant")
    basis, upper = np.linalg.qr(x)
    to_original = np.linalg.inv(upper)
    beta = to_original @ (basis.T @ deviations)
    residuals = deviations - x @ beta
    # Once more orthogonal to the columns: the rounding of the first residuals goes.
    residuals -= basis @ (basis.T @ residuals)
    residual_df = float(len(y) - x.shape[1])
    rss = float(residuals @ residuals)
    if np.sqrt(rss / len(y)) <= ROUNDING * np.abs(y).max():
        raise NotEstimable(
            f"{design.outcome.name!r} is predicted without error, so that no standard error can be computed"
        )
    covariance, sandwich = _covariance(
        errors, x, residuals, design, rss / residual_df * to_original @ to_original.T, cluster
    )
    beta[0] += y.mean()
    treatment_columns = design.coding.treatment(design.given) if design.given else x
    model = _build(
        design, design.back, (beta, covariance), sandwich, errors,
        n=np.asarray(float(len(y))), rss=np.asarray(rss), total=np.asarray(total),
        inverse=to_original @ to_original.T, sds=treatment_columns.std(axis=0, ddof=1),
    )  # fmt: skip
    if sandwich is not None and model.terms and not any(map(model._is_testable, model.terms)):
        sandwich.check(np.eye(x.shape[1])[1:], f"each coefficient ({', '.join(design.names[1:])})")
    return model


def regression(
    data: Any,
    formula: str | None = None,
    *,
    outcome: str | None = None,
    predictors: Sequence[str] = (),
    errors: Errors = "ordinary",
    cluster: str | None = None,
    reference: Reference = None,
) -> LinearModel:
    """Fit a linear regression by least squares: `linear_model`, or its fit from `Moments`.

    Parameters
    ----------
    data
        A frame of any engine or arrays by name; or `Moments` (of one study or a stack), with `outcome` and
        `predictors`, which give everything but robust errors and residuals.
    formula
        Such as "points ~ reward * ask", as in `linear_model`.
    outcome, predictors
        Instead of a formula, numeric columns or variables.
    errors, cluster, reference
        As in `linear_model`.

    Returns
    -------
    LinearModel
        One coefficient a row with standard error, t, p, beta and variance inflation, and R² of the model.

    Raises
    ------
    DesignError, NotEstimable
        As `linear_model`.

    Notes
    -----
    From moments: b = C_xx⁻¹ C_xy, Var b = s² C_xx⁻¹ / (n − 1).

    Examples
    --------
    >>> rows = {"ask": [2, 4, 5, 7, 8, 9, 11, 12], "gain": [5, 3, 6, 2, 7, 4, 8, 6]}
    >>> rows["y"] = [10, 12, 11, 17, 15, 20, 19, 24]
    >>> model = regression(rows, "y ~ ask + gain")
    >>> model.estimate.round(3).tolist()
    [8.686, 1.503, -0.699]
    >>> model.predict({"ask": [6, 10], "gain": [4, 4]}).round(2).tolist()
    [14.91, 20.92]
    >>> model.compare(regression(rows, "y ~ ask")).apa()
    'F(1, 5) = 6.55, p = .051, ηp² = .57, 90% CI [.00, .81]'
    """
    if formula is not None:
        if outcome is not None or predictors:
            raise DesignError("give a formula, or outcome and predictors, but not both")
        return linear_model(data, formula, errors=errors, cluster=cluster, reference=reference)
    if outcome is None or not predictors or isinstance(predictors, str):
        raise DesignError("formula is not given; then outcome names a column and predictors a list of them")
    if isinstance(data, Moments) or (is_lazy(data) and errors == "ordinary"):
        if errors != "ordinary":
            raise DesignError(f"Moments hold no rows, which errors={errors!r} needs; give a frame")
        return _from_moments(moments_of(data, [*predictors, outcome], "outcome and predictors"))
    formula = f"{quote_column(outcome)} ~ {' + '.join(map(quote_column, predictors))}"
    return linear_model(data, formula, errors=errors, cluster=cluster, reference=reference)


def _covariance(
    errors: Errors, x: FloatArray, residuals: FloatArray, design: ModelDesign, ordinary: FloatArray, cluster: str | None
) -> tuple[FloatArray, Sandwich | None]:
    """Return the covariance of the coefficients that were fitted, and with clusters what its df need."""
    if errors == "ordinary":
        return ordinary, None
    if errors == "HC3":
        covariance = hc3(x, residuals)
        if np.isnan(covariance).any():
            raise NotEstimable(
                "a row is fitted by a coefficient of its own, which HC3 cannot weigh; merge or leave it out"
            )
        return covariance, None
    if design.clusters.max() < 1:
        raise NotEstimable(f"all rows belong to one cluster ({cluster!r} has one value); robust errors need several")
    sandwich = clustered(x, residuals, design.clusters, errors)
    return sandwich.covariance, sandwich


def _errors_and_df(
    to_printed: FloatArray, covariance: FloatArray, residual_df: FloatArray, sandwich: Sandwich | None
) -> tuple[FloatArray, FloatArray]:
    """Return errors and df; of clusters, a coefficient that rests on one of them alone has neither."""
    se = np.sqrt(np.einsum("...ii->...i", covariance))
    if sandwich is None:
        return se, np.broadcast_to(residual_df[..., None], se.shape)
    is_undefined = np.array([not sandwich.estimable(row[None, :]) for row in to_printed])
    df = np.array(
        [np.nan if undefined else sandwich.df(row) for row, undefined in zip(to_printed, is_undefined, strict=True)]
    )
    return np.where(is_undefined, np.nan, se), df


def _build(
    design: ModelDesign, to_printed: FloatArray, fit: tuple[FloatArray, FloatArray], sandwich: Sandwich | None,
    errors: Errors, *, n: FloatArray, rss: FloatArray, total: FloatArray, inverse: FloatArray, sds: FloatArray,
) -> LinearModel:  # fmt: skip
    """Return the model in the units of the covariates as they are given.

    Parameters
    ----------
    total
        Sum of squares of the outcome about its mean.
    inverse
        (X′X)⁻¹ of the columns that were fitted.
    sds
        Standard deviations of the columns as they are given.
    """
    beta, fit_covariance = fit
    estimate = np.einsum("...ab,...b->...a", to_printed, beta)
    covariance = to_printed @ fit_covariance @ np.swapaxes(to_printed, -1, -2)
    residual_df = np.asarray(n - beta.shape[-1])
    se, df = _errors_and_df(to_printed, covariance, residual_df, sandwich)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = estimate / se
        # Slopes in standard deviations of predictor and outcome.
        standardized_estimate = estimate * sds / np.sqrt(total / (n - 1))[..., None]
        s2, unexplained = rss / np.where(residual_df > 0, residual_df, np.nan), rss / total
    # How much larger a variance is than that of a predictor unrelated to the others; the intercept has neither.
    inflation = np.einsum("...ab,...bc,...ac->...a", to_printed, inverse, to_printed) * (n - 1)[..., None] * sds**2
    blank = np.where(np.arange(beta.shape[-1]) == 0, np.nan, 0.0)
    return LinearModel(
        outcome=design.coding.outcome,
        names=design.names,
        estimate=estimate,
        se=se,
        statistic=t,
        df=np.asarray(df),
        p=t_tails(t, df),
        covariance=covariance,
        beta=standardized_estimate + blank,
        vif=inflation + blank,
        r_squared=plain(1 - unexplained),
        adjusted_r_squared=plain(1 - unexplained * (n - 1) / residual_df),
        sigma=plain(np.sqrt(s2)),
        rss=plain(rss),
        df_residual=plain(residual_df),
        n=count(n),
        errors=errors,
        clusters=0 if sandwich is None else len(sandwich.inside),
        missing=design.missing,
        design=design,
        fit=fit,
        back=to_printed,
        sandwich=sandwich,
    )


def _from_moments(moments: Moments) -> LinearModel:
    """Fit the last variable to the others, study by study, in deviations from their means."""
    names = moments.variables.levels
    k, n, mean = len(names) - 1, np.asarray(moments.n, dtype=np.float64), moments.mean
    if n.ndim == 0 and n < k + 2:
        raise NotEstimable(f"n is {int(n)}; a model with {k + 1} coefficients needs at least {k + 2} complete rows")
    table = standardized(moments)
    _check_independent(table, names)
    sd = np.sqrt(np.einsum("...ii->...i", moments.covariance))
    # Standardized slopes from the correlations, which no unit makes large or small.
    inverse = np.linalg.inv(table[..., :k, :k])
    standardized_slopes = (inverse @ table[..., :k, k:])[..., 0]
    unexplained = np.maximum(1 - (standardized_slopes * table[..., :k, k]).sum(axis=-1), 0.0)
    total = (n - 1) * sd[..., k] ** 2
    rss = unexplained * total
    # (X′X)⁻¹ in deviations from the means, where the intercept is apart from the slopes.
    products = np.zeros((*table.shape[:-2], k + 1, k + 1))
    products[..., 0, 0] = 1 / n
    products[..., 1:, 1:] = inverse / (sd[..., :k, None] * sd[..., None, :k]) / (n - 1)[..., None, None]
    to_printed = np.broadcast_to(np.eye(k + 1), products.shape).copy()
    to_printed[..., 0, 1:] = -mean[..., :k]
    fit = np.concatenate([mean[..., k, None], standardized_slopes * sd[..., k:] / sd[..., :k]], axis=-1)
    residual_df = n - k - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        covariance = products * (rss / np.where(residual_df > 0, residual_df, np.nan))[..., None, None]
    formula = Formula(names[k], tuple((name,) for name in names[:k]))
    origin = dict(zip(names[:k], mean.reshape(-1, k + 1)[0, :k].tolist(), strict=True))
    design = design_of_summary(Coding.of(formula, {}), origin, moments.missing)
    sds = np.concatenate([np.zeros((*sd.shape[:-1], 1)), sd[..., :k]], axis=-1)
    return _build(
        design, to_printed, (fit, covariance), None, "ordinary", n=n, rss=rss, total=total, inverse=products, sds=sds
    )


def _check_independent(table: FloatArray, names: Sequence[str]) -> None:
    """Raise NotEstimable if, in a single study, a predictor follows from those before it."""
    if table.ndim > 2:
        return
    for column in range(1, len(names) - 1):
        with_earlier = table[:column, column]
        if 1 - with_earlier @ np.linalg.solve(table[:column, :column], with_earlier) < DEPENDENT:
            raise NotEstimable(
                f"the predictor {names[column]!r} follows from {', '.join(map(repr, names[:column]))}; leave one out"
            )
