"""Yes or no and counts in clusters: estimating equations with standard errors for few clusters (Mancl and DeRouen)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.means.grid import Grid, reference_cells
from negstats.stats.models.results import TermTest
from negstats.stats.outcomes.equations import AloneError, Equations, Leverage, Solution
from negstats.stats.outcomes.fits import fitted, fitted_apart
from negstats.stats.outcomes.logistic import counts_of
from negstats.stats.outcomes.marginal import MarginalEffects, marginal_effects
from negstats.stats.outcomes.term_tests import coefficient_frame, ratio_text
from negstats.stats.relations.rows import Model, events, model_of
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, floats
from negstats.stats.results.options import check_choice, find_coefficient, t_interval
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries.codes import IntArray

Family = Literal["binomial", "poisson"]
Variance = Literal["family", "negative binomial"]
LINKS = {"binomial": "logit", "poisson": "log"}
SYMBOLS = {"binomial": "OR", "poisson": "RR"}
FEW = 4.0
MOMENTS, INDEPENDENCE = "moments, divisors less coefficients (statsmodels)", "working independence"
FAMILIES: dict[str, Literal["logistic", "poisson"]] = {"binomial": "logistic", "poisson": "poisson"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClusteredRegression(Result):
    """Estimating equations of clustered yes or no, or counts. Arrays have the shape ``(coefficients,)``.

    Attributes
    ----------
    outcome, event : str
        The measured column, and which of its two values is modelled (empty for counts).
    family : str
        "binomial" (yes or no: log odds) or "poisson" (counts: log of the mean).
    names : tuple of str
        The coefficients, "Intercept" first; ``g[b]`` is level b against the first level of g.
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
    n, clusters, missing : int
        Complete rows, clusters, and rows left out.
    """

    outcome: str
    event: str
    family: Family
    names: tuple[str, ...]
    estimate: FloatArray
    se: FloatArray
    statistic: FloatArray
    df: Number
    p: FloatArray
    covariance: FloatArray
    sandwich: FloatArray
    correlation: float
    scale: float
    dispersion: float
    rule: str
    n: int
    clusters: int
    missing: int
    model: Model = field(repr=False)
    y: FloatArray = field(repr=False)
    fit: Solution = field(repr=False)  # in the units of the columns that were fitted
    errors: Leverage = "Mancl-DeRouen"

    @property
    def terms(self) -> tuple[str, ...]:
        """The formula's terms."""
        return self.model.coding.term_names

    def test(self, term: str) -> TermTest:
        """Return Wald's F of a term after all others (type III) on clusters less coefficients.

        Of counts the approximate Hotelling test (Pustejovsky and Tipton, 2018), where it has fewer degrees of freedom.

        Of a term that others contain at the mean of the covariates, as in `logistic`.

        Parameters
        ----------
        term
            A term as the formula names it, such as ``"agent"`` or ``"agent:round"``.

        Returns
        -------
        TermTest
            F with its degrees of freedom and p.
        """
        place = self.model.place(term)
        rows = self._contrasts(place)
        f, q, free = self._joint(rows)
        return TermTest(term, f, q, free, float(special.fdtrc(q, free, f)), 1.0, self.errors)

    def _joint(self, rows: FloatArray) -> tuple[float, float, float]:
        """Return F and its degrees of freedom for several sums of the coefficients that were fitted."""
        b, q, most = rows @ self.fit.beta, float(len(rows)), float(self.clusters - len(self.names))
        spread = rows @ self.fit.robust.covariance @ rows.T
        if self.family == "poisson":
            f, _, free = self.fit.robust.hotelling(rows, b)
            if not free > 0:
                raise NotEstimable(
                    f"of {self.clusters} clusters too few decide to test {len(rows)} coefficients together"
                )
            if free < most:
                return f, q, free
        return float(b @ np.linalg.solve(spread, b)) / q, q, most

    def _each(self, rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return sums of the coefficients that were fitted, with their errors and degrees of freedom."""
        se = np.sqrt(np.einsum("ij,jk,ik->i", rows, self.fit.robust.covariance, rows))
        return rows @ self.fit.beta, se, _freedom(self.family, self.fit, rows, self.clusters)

    def _contrasts(self, place: int) -> FloatArray:
        """Return the rows whose sums are the term's coefficients coded to sum to zero."""
        turn = np.asarray(np.linalg.inv(self.model.coding.to_treatment), dtype=np.float64)
        return turn[self.model.coding.columns_of(place)]

    def tests(self) -> pd.DataFrame:
        """Return one row a term: its F test after all others.

        Returns
        -------
        DataFrame
            The term, F, its degrees of freedom and p.
        """
        rows = [(term, self.test(term)) for term in self.terms]
        values = [(term, one.statistic, one.df1, one.df2, one.p) for term, one in rows]
        return pd.DataFrame(values, columns=["term", "statistic", "df1", "df2", "p"])

    def confidence_interval(self, confidence_level: float = 0.95, of: str | None = None) -> Interval:
        """Return the t interval of each coefficient, or of one, on the log scale.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        of
            Name of one coefficient; all of them by default.

        Returns
        -------
        Interval
            Its two ends; arrays with one entry a coefficient unless `of` names one.
        """
        place = None if of is None else find_coefficient(of, self.names)
        low, high = t_interval(self.estimate, self.se, self.df, check_level(confidence_level), "two-sided")
        if place is None:
            return Interval(low, high, confidence_level, f"t, {self.errors}")
        return Interval(float(low[place]), float(high[place]), confidence_level, f"t, {self.errors}")

    def kauermann_carroll(self) -> ClusteredRegression:
        """Return the same fit of yes or no with Kauermann and Carroll's errors, which are less shy with few clusters.

        For clusters of alike sizes: where they have very unlike numbers of rows these may be too small (Li and Redden,
        2015, Statistics in Medicine 34). `docs/calibration.md` has both.

        Returns
        -------
        ClusteredRegression
            The same estimates; standard errors, tests and intervals are the other ones.
        """
        if self.family != "binomial":
            raise DesignError(f"family is {self.family!r}; Kauermann and Carroll's errors are for yes or no here")
        kind: Leverage = "Kauermann-Carroll"
        equations = _equations(self.model, self.y, self.family, self.dispersion, self.rule == MOMENTS)
        robust, plain = equations.covariances(self.fit.beta, self.correlation, kind)
        fit = replace(self.fit, robust=robust, plain=plain)
        return replace(self, **_test_effects(self.model, self.family, fit, self.clusters), errors=kind)

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

        def compute_freedom(rows: FloatArray) -> FloatArray:
            return _freedom(self.family, self.fit, rows, self.clusters)

        return marginal_effects(
            self.model, self.fit.beta, self.fit.robust.covariance, LINKS[self.family], compute_freedom, variables
        )

    def grid(self) -> Grid:
        """Return log odds (log means) of the cells, as `pairwise`, `contrasts` and `simple_effects` take them.

        They call this; covariates stand at their means, and a difference is the logarithm of a ratio.

        Returns
        -------
        Grid
            The mean of each cell on the log scale, with the covariance of all of them.
        """
        factors, codes = reference_cells(self.model.coding)
        cells = codes.shape[1]
        values: dict[str, Any] = {factor.name: code for factor, code in zip(factors, codes, strict=True)}
        values |= {name: np.zeros(cells) for name in self.model.coding.covariates}  # from the mean
        rows = self.model.columns(values) if values else np.ones((1, 1))
        return Grid(
            factors,
            self.model.cell_sizes(),
            each=lambda weights: self._each(weights @ rows),
            joint=lambda weights: self._joint(weights @ rows),
            outcome=self.outcome,
            missing=self.missing,
        )

    def to_frame(self, confidence_level: float = 0.95, *, ratios: bool = False) -> pd.DataFrame:
        """Return one row a coefficient; with `ratios` as odds ratios (ratios of mean counts).

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        ratios
            Whether estimates and intervals are exponentiated.

        Returns
        -------
        DataFrame
            The coefficient, its estimate and standard error, t, df, p, and the ends of the interval.
        """
        columns: dict[str, Any] = {"estimate": self.estimate, "se": self.se, "statistic": self.statistic}
        columns |= {"df": self.df, "p": self.p}
        interval = self.confidence_interval(confidence_level)
        return coefficient_frame(self.names, columns, interval, ratios=ratios, schema="ClusteredRegression/1")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return each term's F, with the ratio of a term of one coefficient outside interactions.

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
        clusters_note = ", few clusters" if np.min(self.df) < FEW else ""
        working = f", r = {apa.bounded(self.correlation)}" if self.rule != INDEPENDENCE else ""
        return f"{'; '.join(sentences)} ({self.clusters} clusters{clusters_note}{working})"


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
    Liang and Zeger (1986), Biometrika 73, 13-22; Mancl and DeRouen (2001), Biometrics 57, 126-134: residuals of a
    cluster times (I − H)⁻¹, about right from ten clusters on where the plain sandwich needs 40; with fewer it is shy.
    The correlation is the mean product of Pearson residuals of a cluster, with rows (pairs) less coefficients as
    divisors, as in statsmodels, whose numbers these are (R's geepack divides by rows and pairs, and so finds slightly
    other coefficients). Tests are on t with clusters less coefficients as degrees of freedom; of counts with
    Satterthwaite's (Bell and McCaffrey, 2002, Survey Methodology 28, 169-181) where these are fewer: by simulation
    means of counts in 10 and 30 clusters reject 5 to 8 % on the former and 4.5 to 7.5 % on the latter (the more the
    more skewed they are), and shares, whose errors are shy there, at most 5 % on the former.

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
        raise DesignError("exposure and variance='negative binomial' are of counts; give family='poisson'")
    model = model_of(data, formula, cluster, exposure)
    y, name = _outcome(model, family, event)
    sizes = np.bincount(model.clusters)
    _check_clusters(sizes, len(model.names), cluster, correlation)
    outcome = str(model.outcome.name)
    # The fit that takes rows as independent shows whether there is one, and lies near.
    start = fitted_apart(model.columns(), y, FAMILIES[family], model.offset, model.names, outcome)
    alpha = 0.0
    if variance == "negative binomial":
        alpha = fitted(model.columns(), counts_of(model), variance, model.offset).dispersion
    try:
        fit = _equations(model, y, family, alpha, correlation == "exchangeable").solved(start.beta)
    except AloneError as error:
        raise NotEstimable(
            f"{model.names[error.place]!r} rests on one {cluster!r} alone, so that nothing tells how much it varies "
            "between them; leave the level out, or merge it"
        ) from None
    return ClusteredRegression(
        outcome=outcome,
        event=name,
        family=family,
        names=model.names,
        **_test_effects(model, family, fit, len(sizes)),
        correlation=fit.correlation,
        scale=fit.scale,
        dispersion=alpha,
        rule=MOMENTS if correlation == "exchangeable" else INDEPENDENCE,
        n=len(y),
        clusters=len(sizes),
        missing=model.missing,
        model=model,
        y=y,
    )


def _outcome(model: Model, family: Family, event: object) -> tuple[FloatArray, str]:
    if family == "binomial":
        return events(model.outcome, event)
    outcome = str(model.outcome.name)
    y = floats(f"the outcome {outcome!r}", model.outcome.to_numpy())
    if (y < 0).any():
        raise DesignError(f"the outcome {outcome!r} holds {y[y < 0][0]:g}; counts are 0 or more")
    if not y.any():
        raise NotEstimable(f"every {outcome!r} is 0; nothing can be explained")
    return y, ""


def _equations(model: Model, y: FloatArray, kind: Family, dispersion: float, exchangeable: bool) -> Equations:
    return Equations(model.columns(), y, model.offset, model.clusters, kind == "binomial", dispersion, exchangeable)


def _freedom(kind: str, fit: Solution, rows: FloatArray, clusters: int) -> FloatArray:
    """Return the degrees of freedom of sums of the coefficients that were fitted."""
    most = np.full(len(rows), float(clusters - len(fit.beta)))
    if kind == "binomial":
        return most
    free = np.array([fit.robust.df(row) if row.any() else np.inf for row in rows])
    return np.asarray(np.fmin(most, free), dtype=np.float64)


def _test_effects(model: Model, kind: str, fit: Solution, clusters: int) -> dict[str, Any]:
    """Return coefficients, errors and tests in the units of the covariates as they are given."""
    back = model.back
    estimate, covariance, plain = back @ fit.beta, back @ fit.robust.covariance @ back.T, back @ fit.plain @ back.T
    se, free = np.sqrt(np.diag(covariance)), _freedom(kind, fit, back, clusters)
    t = estimate / se
    p = np.asarray(2 * special.stdtr(free, -np.abs(t)), dtype=np.float64)
    df: Number = float(free[0]) if kind == "binomial" else free
    return {"estimate": estimate, "se": se, "statistic": t, "df": df, "p": p} | {
        "covariance": covariance, "sandwich": plain, "fit": fit
    }  # fmt: skip
