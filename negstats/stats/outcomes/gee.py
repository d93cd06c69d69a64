"""Yes or no and counts in clusters: estimating equations with errors for few clusters (Mancl and DeRouen).

With equal correlation of all pairs of a cluster R⁻¹v = (v − c Σv)/(1 − ρ), c = ρ/(1 + (m − 1)ρ), so that all that is
needed of a cluster of m rows are sums over them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from scipy import linalg, special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.design import ModelDesign, events, read_design
from negstats.stats.fitted import WaldModel, no_likelihood, wald_columns
from negstats.stats.outcomes.fits import fitted, fitted_apart
from negstats.stats.outcomes.logistic import counts_of
from negstats.stats.outcomes.marginal import INVERSE, MarginalEffects, marginal_effects
from negstats.stats.relations.robust import Sandwich
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, floats
from negstats.stats.results.options import check_choice
from negstats.stats.summaries.formulas import Reference
from negstats.stats.summaries.frames import IntArray

Leverage = Literal["Mancl-DeRouen", "Kauermann-Carroll"]

STEPS = 500
# A step is over where it moves no coefficient by more than 1e-10 of its standard error.
SHORT = 1e-20
# How far towards the correlations that no data can have a step may go; a solution beyond them is refused.
WITHIN = 0.999
# Means that ran off to 0 or beyond all numbers carry nothing: the information is singular to the last digit.
FLAT = 1 / float(np.finfo(np.float64).eps)
# What a cluster leaves to all others of what is known of a coefficient: with less, half of the digits are lost.
ALONE = float(np.sqrt(np.finfo(np.float64).eps))


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Coefficients of the columns, their robust covariance, the plain sandwich, correlation and scale."""

    beta: FloatArray
    robust: Sandwich
    plain: FloatArray
    correlation: float
    scale: float


@dataclass(frozen=True, slots=True, eq=False)
class Equations:
    """The equations Σ A′R⁻¹e = 0 of rows, A and e the columns and residuals over the standard deviation.

    Attributes
    ----------
    x : ndarray, shape (n, coefficients)
    y, offset : ndarray, shape (n,)
    cluster : ndarray of int, shape (n,)
        From 0.
    logit : bool
        Whether the mean is that of yes or no; else it is an exponential.
    dispersion : float
        α of the variance μ + αμ².
    exchangeable : bool
        Whether rows of a cluster are taken as correlated.
    """

    x: FloatArray
    y: FloatArray
    offset: FloatArray
    cluster: IntArray
    logit: bool
    dispersion: float
    exchangeable: bool

    def solved(self, start: FloatArray) -> Solution:
        """Return the solution reached from coefficients near it, with Mancl and DeRouen's errors.

        Raises
        ------
        NotEstimable
            If none is reached, or a coefficient rests on one cluster alone.
        """
        beta, sizes = start, self.sizes
        lowest_correlation, highest_correlation = -WITHIN / max(float(sizes.max()) - 1, 1.0), WITHIN
        for _ in range(STEPS):
            scaled_rows, scaled_residuals = self._scale_rows(beta)
            # Correlation and scale follow from the residuals at the
            # current coefficients, between the steps.
            correlation, scale = self._moments(scaled_residuals)
            score, information = self._sums(
                scaled_rows, scaled_residuals, float(np.clip(correlation, lowest_correlation, highest_correlation))
            )
            if not (np.isfinite(score).all() and np.isfinite(information).all() and np.linalg.cond(information) < FLAT):
                break
            step = np.linalg.solve(information, score)
            if float(step @ score) <= SHORT:
                if correlation != np.clip(correlation, lowest_correlation, highest_correlation):
                    raise NotEstimable(
                        f"the estimated correlation is {correlation:.2f}, which clusters of {sizes.max()} cannot have",
                        advice="give correlation='independence'",
                    )
                return Solution(beta, *self.covariances(beta, correlation), correlation, scale)
            beta = beta + step
        raise NotEstimable(
            "the estimating equations have no solution that could be reached",
            advice="give correlation='independence', or fewer terms",
        )

    @property
    def sizes(self) -> IntArray:
        """The rows of each cluster."""
        return np.bincount(self.cluster)

    def covariances(
        self, beta: FloatArray, correlation: float, leverage: Leverage = "Mancl-DeRouen"
    ) -> tuple[Sandwich, FloatArray]:
        """Return the covariance with residuals of a cluster made larger by its leverage, and the plain sandwich.

        Notes
        -----
        With B = Σ M, M = A′R⁻¹A and u = A′R⁻¹e of a cluster, B = LL′, Mancl and DeRouen's (I − H)⁻¹e gives the sum over
        clusters of ww′, w = (B − M)⁻¹u = L′⁻¹(I − Z)⁻¹L⁻¹u, Z = L⁻¹ML′⁻¹; Kauermann and Carroll's (2001, JASA 96) root
        of (I − H)⁻¹ the same with that of (I − Z)⁻¹.
        """
        scaled_rows, scaled_residuals = self._scale_rows(beta)
        p, n_clusters = scaled_rows.shape[1], len(self.sizes)
        # The inverse of an exchangeable correlation needs each cluster's sums only.
        shrinkage = correlation / (1 + (self.sizes - 1) * correlation)
        row_sums, residual_sums = self._totals(scaled_rows), np.bincount(self.cluster, scaled_residuals, n_clusters)
        cluster_scores = (
            self._totals(scaled_rows * scaled_residuals[:, None]) - (shrinkage * residual_sums)[:, None] * row_sums
        ) / (1 - correlation)
        cluster_information = np.empty((n_clusters, p, p))
        for first in range(p):
            for second in range(first + 1):
                products = np.bincount(self.cluster, scaled_rows[:, first] * scaled_rows[:, second], n_clusters)
                cluster_information[:, first, second] = cluster_information[:, second, first] = (
                    products - shrinkage * row_sums[:, first] * row_sums[:, second]
                ) / (1 - correlation)
        # In coordinates in which the whole information is I, a cluster's part is its leverage.
        inverse = linalg.solve_triangular(np.linalg.cholesky(cluster_information.sum(axis=0)), np.eye(p), lower=True)
        leverages = inverse @ cluster_information @ inverse.T
        if np.einsum("gii->g", leverages).max() > 1 - ALONE:  # else no eigenvalue is so large
            values, vectors = np.linalg.eigh(leverages)
            if values.max() > 1 - ALONE:
                cluster = int(values[:, -1].argmax())
                raise AloneError(int(np.abs(inverse.T @ vectors[cluster, :, -1]).argmax()))
        # A cluster's residuals are too small by what it took part in
        # the fit: (I − H)⁻¹ or its root makes up for it.
        if leverage == "Mancl-DeRouen":
            weight = np.linalg.inv(np.eye(p) - leverages)
        else:
            values, vectors = np.linalg.eigh(leverages)
            weight = (vectors / np.sqrt(1 - values)[:, None]) @ vectors.transpose(0, 2, 1)
        turned_scores = cluster_scores @ inverse.T
        adjusted_scores = np.einsum("gij,gj->gi", weight, turned_scores) @ inverse
        projection = leverages @ weight
        plain_scores = turned_scores @ inverse
        return Sandwich(
            adjusted_scores.T @ adjusted_scores, inverse.T, projection @ weight, projection, np.zeros((p, p))
        ), plain_scores.T @ plain_scores

    def _scale_rows(self, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the columns' effect on the mean, and the residuals, over the standard deviation."""
        eta = self.x @ beta + self.offset
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            mean = special.expit(eta) if self.logit else np.exp(eta)
            slope = special.expit(-eta) * mean if self.logit else mean
            sd = np.sqrt(slope if self.logit else mean * (1 + self.dispersion * mean))
            return self.x * (slope / sd)[:, None], (self.y - mean) / sd

    def _moments(self, scaled_residuals: FloatArray) -> tuple[float, float]:
        """Return correlation and scale by moments: rows, and pairs of rows, less coefficients as divisors."""
        squares = float(scaled_residuals @ scaled_residuals)
        scale = squares / (len(scaled_residuals) - self.x.shape[1])
        if not self.exchangeable:
            return 0.0, scale
        sizes = self.sizes.astype(np.float64)
        n_pairs = float((sizes * (sizes - 1)).sum()) / 2 - self.x.shape[1]
        if n_pairs <= 0:
            raise NotEstimable(
                "clusters have too few pairs of rows to estimate a correlation",
                advice="give correlation='independence'",
            )
        residual_sums = np.bincount(self.cluster, scaled_residuals)
        return (float(residual_sums @ residual_sums) - squares) / 2 / scale / n_pairs, scale

    def _sums(self, a: FloatArray, e: FloatArray, correlation: float) -> tuple[FloatArray, FloatArray]:
        """Return Σ A′R⁻¹e and Σ A′R⁻¹A."""
        if not self.exchangeable:
            return a.T @ e, a.T @ a
        c = correlation / (1 + (self.sizes - 1) * correlation)
        total, residual_sums = self._totals(a), np.bincount(self.cluster, e)
        score = a.T @ e - total.T @ (c * residual_sums)
        return score / (1 - correlation), (a.T @ a - (total * c[:, None]).T @ total) / (1 - correlation)

    def _totals(self, columns: FloatArray) -> FloatArray:
        """Return the sums of columns over the rows of each cluster."""
        n_clusters = int(self.cluster.max()) + 1
        return np.stack([np.bincount(self.cluster, column, n_clusters) for column in columns.T], axis=-1)


class AloneError(Exception):
    """A column that one cluster alone carries, by its place."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


Family = Literal["binomial", "poisson"]
Variance = Literal["family", "negative binomial"]
LINKS = {"binomial": "logit", "poisson": "log"}
SYMBOLS = {"binomial": "OR", "poisson": "RR"}
FEW = 4.0
MOMENTS, INDEPENDENCE = "moments, divisors less coefficients (statsmodels)", "working independence"
FAMILIES: dict[str, Literal["logistic", "poisson"]] = {"binomial": "logistic", "poisson": "poisson"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClusteredRegression(WaldModel):
    """Estimating equations of clustered yes or no, or counts; what is not named here as `FittedModel`.

    Attributes
    ----------
    event : str
        Which of the outcome's two values is modelled (empty for counts).
    family : str
        "binomial" (yes or no: log odds) or "poisson" (counts: log of the mean).
    estimate, se, statistic, p : ndarray
        Coefficients, Mancl and DeRouen's standard errors, t and its two-sided p.
    df : float or ndarray
        Of yes or no clusters less coefficients: a convention, for there is no exact one. Of counts Satterthwaite's
        where these are fewer, as they are where a few clusters decide a coefficient.
    covariance, sandwich : ndarray, shape (coefficients, coefficients)
        Mancl and DeRouen's, and the plain one, which is too small where clusters are few.
    correlation : float
        Of two rows of a cluster, one for all pairs; 0 for working independence.
    scale : float
        Dispersion: Pearson's chi-squared over rows less coefficients.
    dispersion : float
        α of counts whose variance is μ + αμ²; 0 where it is the family's.
    rule : str
        How correlation and scale were estimated.
    clusters : int
    """

    event: str
    family: Family
    sandwich: FloatArray
    correlation: float
    scale: float
    dispersion: float
    rule: str
    clusters: int
    y: FloatArray = field(repr=False)
    fit: Solution = field(repr=False)  # in the units of the columns that were fitted
    errors: Leverage = "Mancl-DeRouen"

    def _fitted_columns(self) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients of the columns that were fitted, and their robust covariance."""
        return self.fit.beta, self.fit.robust.covariance

    def _method(self) -> str:
        return self.errors

    def _freedom(self, rows: FloatArray) -> FloatArray:
        return _freedom(self.family, self.fit, rows, self.clusters)

    def _joint(self, rows: FloatArray) -> tuple[float, float, float]:
        """Return Wald's F on clusters less coefficients.

        Of counts the approximate Hotelling test (Pustejovsky and Tipton, 2018), where it has fewer degrees of freedom.
        """
        estimates, n_rows, cluster_df = rows @ self.fit.beta, float(len(rows)), float(self.clusters - len(self.names))
        row_covariance = rows @ self.fit.robust.covariance @ rows.T
        if self.family == "poisson":
            f, _, df = self.fit.robust.hotelling(rows, estimates)
            if not df > 0:
                raise NotEstimable(
                    f"of {self.clusters} clusters too few decide to test {len(rows)} coefficients together"
                )
            if df < cluster_df:
                return f, n_rows, df
        return float(estimates @ np.linalg.solve(row_covariance, estimates)) / n_rows, n_rows, cluster_df

    def kauermann_carroll(self) -> ClusteredRegression:
        """Return the same fit of yes or no with Kauermann and Carroll's errors, which are less shy with few clusters.

        For clusters of alike sizes: where they have very unlike numbers of rows these may be too small (Li and Redden,
        2015). `docs/calibration.md` has both.

        Returns
        -------
        ClusteredRegression
            The same estimates; standard errors, tests and intervals are the other ones.

        References
        ----------
        Li, P., & Redden, D. T. (2015). Small sample performance of bias-corrected sandwich estimators for
        cluster-randomized trials with binary outcomes. Statistics in Medicine, 34, 281–296.
        """
        if self.family != "binomial":
            raise DesignError(f"family is {self.family!r}; Kauermann and Carroll's errors are for yes or no here")
        leverage: Leverage = "Kauermann-Carroll"
        equations = _equations(self.design, self.y, self.family, self.dispersion, self.rule == MOMENTS)
        robust, plain_covariance = equations.covariances(self.fit.beta, self.correlation, leverage)
        fit = replace(self.fit, robust=robust, plain=plain_covariance)
        return replace(self, **_test_effects(self.design, self.family, fit, self.clusters), errors=leverage)

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
        return marginal_effects(
            self.design, self.fit.beta, self.fit.robust.covariance, LINKS[self.family], self._freedom, variables
        )

    def _ratio(self) -> str:
        return SYMBOLS[self.family]

    def _mean(self, eta: FloatArray) -> FloatArray:
        return INVERSE[LINKS[self.family]](eta)

    def _answers(self) -> FloatArray:
        return self.y

    def _criterion(self) -> tuple[float, int, int]:
        raise no_likelihood("estimating equations have no likelihood")

    def _remark(self) -> str:
        clusters_note = ", few clusters" if np.min(self.df) < FEW else ""
        working = f", r = {apa.bounded(self.correlation)}" if self.rule != INDEPENDENCE else ""
        return f" ({self.clusters} clusters{clusters_note}{working})"


def _check_clusters(sizes: IntArray, columns: int, cluster: str, correlation: str) -> None:
    """Refuse fewer clusters than coefficients, and clusters of one row each."""
    if len(sizes) - columns < 1:
        raise NotEstimable(
            f"{len(sizes)} clusters of {cluster!r} are too few for {columns} coefficients; there must be more"
        )
    if sizes.max() < 2 and correlation != "independence":  # without a correlation the errors by row are all there is
        raise NotEstimable(
            f"no {cluster!r} has two rows; rows that are all independent are for logistic or quasi_poisson"
        )


def gee(
    data: Any,
    formula: str,
    *,
    cluster: str,
    family: Family = "binomial",
    event: object = None,
    correlation: Literal["exchangeable", "independence"] = "exchangeable",
    variance: Variance = "family",
    exposure: str | None = None,
    reference: Reference = None,
) -> ClusteredRegression:
    """Fit yes or no (logit link) or counts (log link) in clusters, such as players of a game or games of a person.

    Parameters
    ----------
    data
        A frame of any engine with one row an observation, or arrays by name.
    formula
        Such as "agreed ~ price * condition".
    cluster
        The column that says what belongs together.
    family
        "binomial" for yes or no, "poisson" for counts.
    event
        As in `logistic`.
    correlation
        "exchangeable": all pairs of a cluster are equally correlated; "independence": weights as if none were, with
        errors that hold all the same.
    variance
        Of counts: "family", the mean times the scale; or "negative binomial", μ + αμ² with the α of
        `negative_binomial`, which weighs large counts less.
    exposure
        As in `poisson`, of counts.
    reference
        As in `logistic`.

    Returns
    -------
    ClusteredRegression
        One coefficient a row, with its standard error and test, and the working correlation.

    Raises
    ------
    DesignError
        If the formula cannot be read, a column is not there, or the outcome is not of this kind.
    NotEstimable
        If there are no more clusters than coefficients, no cluster has two rows, a column separates the outcome, or the
        estimated correlation is one that no data can have.

    Notes
    -----
    The equations of Liang and Zeger (1986), with the errors of Mancl and DeRouen (2001): residuals of a cluster times
    (I − H)⁻¹, about right from ten clusters on where the plain sandwich needs 40; with fewer it is shy. The correlation
    is the mean product of Pearson residuals of a cluster, with rows (pairs) less coefficients as divisors, as in
    statsmodels, whose numbers these are (R's geepack divides by rows and pairs, and so finds slightly other
    coefficients). Tests are on t with clusters less coefficients as degrees of freedom; of counts with Satterthwaite's
    (Bell and McCaffrey, 2002) where these are fewer: by simulation means of counts in 10 and 30 clusters reject 5 to 8
    % on the former and 4.5 to 7.5 % on the latter (the more the more skewed they are), and shares, whose errors are shy
    there, at most 5 % on the former.

    References
    ----------
    - Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
      samples. Survey Methodology, 28, 169–181.
    - Liang, K.-Y., & Zeger, S. L. (1986). Longitudinal data analysis using generalized linear models. Biometrika, 73,
      13–22.
    - Mancl, L. A., & DeRouen, T. A. (2001). A covariance estimator for GEE with improved small-sample properties.
      Biometrics, 57, 126–134.

    Examples
    --------
    >>> rows = {"game": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6], "price": [1, 5, 2, 4, 3, 3, 2, 5, 1, 4, 2, 6]}
    >>> rows["agreed"] = [1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 0]
    >>> print(gee(rows, "agreed ~ price", cluster="game").apa())
    price: F(1, 4) = 4.32, p = .106, OR = 0.31, 95% CI [0.07, 1.48] (6 clusters, r = −.05)
    """
    check_choice("family", family, tuple(LINKS))
    check_choice("correlation", correlation, ("exchangeable", "independence"))
    check_choice("variance", variance, ("family", "negative binomial"))
    if family == "binomial" and (exposure is not None or variance != "family"):
        raise DesignError("exposure and variance='negative binomial' are for counts; give family='poisson'")
    design = read_design(data, formula, cluster, exposure, reference)
    y, name = _outcome(design, family, event)
    sizes = np.bincount(design.clusters)
    _check_clusters(sizes, len(design.names), cluster, correlation)
    outcome = str(design.outcome.name)
    # The fit that takes rows as independent shows whether there is one, and lies near.
    start = fitted_apart(design.columns(), y, FAMILIES[family], design.offset, design.names, outcome)
    alpha = 0.0
    if variance == "negative binomial":
        alpha = fitted(design.columns(), counts_of(design), variance, design.offset).dispersion
    try:
        fit = _equations(design, y, family, alpha, correlation == "exchangeable").solved(start.beta)
    except AloneError as error:
        raise NotEstimable(
            f"{design.names[error.place]!r} rests on one {cluster!r} alone, so that nothing tells how much it varies "
            "between them; leave the level out, or merge it"
        ) from None
    return ClusteredRegression(
        outcome=outcome,
        event=name,
        family=family,
        names=design.names,
        **_test_effects(design, family, fit, len(sizes)),
        correlation=fit.correlation,
        scale=fit.scale,
        dispersion=alpha,
        rule=MOMENTS if correlation == "exchangeable" else INDEPENDENCE,
        n=len(y),
        clusters=len(sizes),
        missing=design.missing,
        design=design,
        y=y,
    )


def _outcome(design: ModelDesign, family: Family, event: object) -> tuple[FloatArray, str]:
    if family == "binomial":
        return events(design.outcome, event)
    outcome = str(design.outcome.name)
    y = floats(f"the outcome {outcome!r}", design.outcome.to_numpy())
    if (y < 0).any():
        raise DesignError(f"the outcome {outcome!r} holds {y[y < 0][0]:g}; counts are 0 or more")
    if not y.any():
        raise NotEstimable(f"every {outcome!r} is 0; nothing can be explained")
    return y, ""


def _equations(design: ModelDesign, y: FloatArray, family: Family, dispersion: float, exchangeable: bool) -> Equations:
    return Equations(
        design.columns(), y, design.offset, design.clusters, family == "binomial", dispersion, exchangeable
    )


def _freedom(family: str, fit: Solution, rows: FloatArray, clusters: int) -> FloatArray:
    """Return the degrees of freedom of sums of the coefficients that were fitted."""
    cluster_df = np.full(len(rows), float(clusters - len(fit.beta)))
    if family == "binomial":
        return cluster_df
    row_dfs = np.array([fit.robust.df(row) if row.any() else np.inf for row in rows])
    return np.asarray(np.fmin(cluster_df, row_dfs), dtype=np.float64)


def _test_effects(design: ModelDesign, family: str, fit: Solution, clusters: int) -> dict[str, Any]:
    """Return coefficients, errors and tests in the units of the covariates as they are given."""
    to_printed = design.back
    dfs = _freedom(family, fit, to_printed, clusters)
    df = dfs[0] if family == "binomial" else dfs
    return wald_columns(to_printed @ fit.beta, to_printed @ fit.robust.covariance @ to_printed.T, df) | {
        "sandwich": to_printed @ fit.plain @ to_printed.T,
        "fit": fit,
    }
