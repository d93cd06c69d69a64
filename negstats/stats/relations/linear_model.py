"""Linear models of factors and covariates: every term after the others, robust errors, slopes and where they matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, meant, shown
from negstats.stats.contrasts.adjust import Adjustment, Family, check_adjustment
from negstats.stats.contrasts.contrast import Contrasts, pairs
from negstats.stats.means.anova import find_term
from negstats.stats.means.ftest import FTest
from negstats.stats.means.grid import Grid, reference_rows
from negstats.stats.models.results import Coefficient, coefficient
from negstats.stats.relations.robust import Sandwich, clustered, hc3
from negstats.stats.relations.rows import Model, model_of
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.results.options import check_choice, check_number, find_coefficient
from negstats.stats.results.result import Result
from negstats.stats.summaries.coding import Coding
from negstats.stats.summaries.frames import numbers

SINGLE = "not tested, since it rests on a single cluster"

ModelErrors = Literal["ordinary", "HC3", "CR2"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LinearModel(Result):
    """A linear model, its factors coded to sum to zero and its covariates measured from their means.

    Attributes
    ----------
    outcome : str
    terms : tuple of str
        The formula's terms.
    names : tuple of str
        The coefficients: ``g[a]`` is how far level a lies from the mean of the levels.
    estimate : ndarray, shape (coefficients,)
    covariance : ndarray, shape (coefficients, coefficients)
    sigma, df_residual, r_squared : float
        Residual standard deviation, n less coefficients, and share of variance explained.
    centre : dict
        Where each covariate's 0 is: the mean of the complete rows.
    n, clusters, missing : int
        Complete rows, clusters (0 without), and rows left out.
    errors : str
        "ordinary", "HC3" or "CR2".
    """

    outcome: str
    terms: tuple[str, ...]
    names: tuple[str, ...]
    estimate: FloatArray
    covariance: FloatArray
    sigma: float
    df_residual: float
    r_squared: float
    centre: Mapping[str, float]
    n: int
    clusters: int
    missing: int
    errors: ModelErrors
    coding: Coding = field(repr=False)
    sandwich: Sandwich | None = field(repr=False)
    cell_n: FloatArray = field(repr=False)

    def contrast(self, weights: FloatArray | Mapping[str, float], name: str = "contrast") -> Coefficient:
        """Return a weighted sum of coefficients (weights by name, or one a coefficient) with its t test.

        Parameters
        ----------
        weights
            Weights by the names of coefficients, or an array with one weight a coefficient.
        name
            What the contrast is called in the result.

        Returns
        -------
        Coefficient
            The estimate in units of the outcome, its standard error, t, df and p.
        """
        row = np.zeros(len(self.names)) if isinstance(weights, Mapping) else np.asarray(weights, dtype=np.float64)
        for key, weight in weights.items() if isinstance(weights, Mapping) else ():
            row[find_coefficient(key, self.names)] = check_number(f"the weight of {key!r}", weight)
        estimate, se, df = self._each(row[None, :], f"the contrast {name!r}")
        return coefficient(name, estimate[0], se[0], df[0], self.errors)

    def test(self, term: str) -> FTest:
        """Return the F of a term after all others (type III); of HC3 Wald's, of CR2 the approximate Hotelling test.

        Parameters
        ----------
        term
            A term as the formula names it, such as ``"agent"`` or ``"agent:age"``.

        Returns
        -------
        FTest
            F with its degrees of freedom and p.
        """
        place = find_term(self.terms, term)
        rows = np.eye(len(self.names))[self.coding.columns_of(place)]
        f, df1, df2 = self._joint(rows, f"the term {self.terms[place]!r}")
        ordinary = self.errors == "ordinary"
        ss_error = self.sigma**2 * self.df_residual if ordinary else np.nan
        ss = f * df1 * self.sigma**2 if ordinary else np.nan
        return FTest(self.terms[place], f, df1, df2, float(special.fdtrc(df1, df2, f)), ss, ss_error)

    def grid(self, at: Mapping[str, float] | None = None) -> Grid:
        """Return the cells that `margins`, `contrasts`, `pairwise` and `simple_effects` take (they call this).

        Parameters
        ----------
        at
            Values of covariates; those not named stand at their means.

        Returns
        -------
        Grid
            The mean of each cell of the factors, with the covariance of all means.
        """
        values_by_name = (
            {} if at is None else {name: check_number(f"at[{name!r}]", value) for name, value in at.items()}
        )
        for name in values_by_name:
            if name not in self.centre:
                raise DesignError(f"the model has no covariate {name!r}; {meant(name, list(self.centre), 'it has')}")
        where = {name: values_by_name.get(name, mean) for name, mean in self.centre.items()}
        factors, rows = reference_rows(self.coding, {name: value - self.centre[name] for name, value in where.items()})
        return Grid(
            factors=factors,
            n=self.cell_n,
            each=lambda weights: self._each(weights @ rows),
            joint=lambda weights: self._joint(weights @ rows),
            outcome=self.outcome,
            missing=self.missing,
            at=", ".join(f"{name} = {value:.6g}" for name, value in where.items()),
        )

    def slopes(self, of: str, *, compare: bool = False, adjust: Adjustment = "none") -> Contrasts:
        """Return the slope in a covariate in every cell of the factors that interact with it (others averaged).

        Parameters
        ----------
        of
            The covariate.
        compare
            The differences of every two slopes in the place of the slopes.
        adjust
            Correction for their number, such as "holm"; "tukey" for differences only.

        Returns
        -------
        Contrasts
            One slope a cell, in units of the outcome per unit of the covariate; or the differences of slopes.
        """
        if of not in self.centre:
            raise DesignError(f"the model has no covariate {shown(of)}; {meant(of, list(self.centre), 'it has')}")
        with_it = {name for term in self.coding.terms if of in term for name in term if name in self.coding.levels}
        factors, one = reference_rows(self.coding, {name: float(name == of) for name in self.centre})
        rows = one - reference_rows(self.coding, dict.fromkeys(self.centre, 0.0))[1]
        shape = tuple(len(factor) for factor in factors)
        factor_places = [place for place, factor in enumerate(factors) if factor.name in with_it]
        averaged_axes = tuple(place for place in range(len(factors)) if place not in factor_places)
        table = rows.reshape(*shape, rows.shape[1]).mean(axis=averaged_axes)
        sizes = table.shape[:-1]
        labels = [
            " ".join(factors[place].levels[code] for place, code in zip(factor_places, codes, strict=True)) or of
            for codes in np.ndindex(*sizes)
        ]
        weights, names = table.reshape(-1, rows.shape[1]), tuple(labels)
        family = Family(len(weights), len(weights))
        if compare:
            if len(weights) < 2:
                raise DesignError(f"no factor interacts with {of!r}, so there is one slope; nothing can be compared")
            difference, names = pairs(labels)
            weights = difference @ weights
            family = Family(len(weights), len(labels) - 1, len(labels))
        check_adjustment(adjust, family)
        estimate, se, df = self._each(weights)
        t = estimate / se
        p = np.asarray(2 * special.stdtr(df, -np.abs(t)))
        return Contrasts(names, ("",) * len(names), estimate, se, t, df, p, self.errors, adjust, family, self.missing)

    def _each(self, rows: FloatArray, what: str = "a mean or contrast") -> tuple[FloatArray, FloatArray, FloatArray]:
        se = np.sqrt(np.einsum("ij,jk,ik->i", rows, self.covariance, rows))
        if self.sandwich is None:
            df = np.full(len(rows), self.df_residual)
        else:
            for row in rows:
                self.sandwich.check(row, what)
            df = np.array([self.sandwich.df(row) for row in rows])
        return rows @ self.estimate, se, df

    def _joint(self, rows: FloatArray, what: str = "a comparison of means") -> tuple[float, float, float]:
        b, q = rows @ self.estimate, float(len(rows))
        if self.sandwich is not None:
            self.sandwich.check(rows, what)
            return self.sandwich.hotelling(rows, b)
        return float(b @ np.linalg.solve(rows @ self.covariance @ rows.T, b)) / q, q, self.df_residual

    def to_frame(self) -> pd.DataFrame:
        """Return one row a term: its F after all others; NaN for a term that rests on a single cluster.

        Returns
        -------
        DataFrame
            The term, F, its degrees of freedom, p and the sums of squares.
        """
        tests = [self.test(term) if self._testable(term) else _untested(term) for term in self.terms]
        frame = pd.concat([test.to_frame() for test in tests], ignore_index=True)
        frame = frame.assign(errors=self.errors)
        frame.attrs["schema"] = "LinearModel/1"
        return frame

    def apa(self, confidence_level: float = 0.90) -> str:
        """Return every term's F, behind its name.

        Parameters
        ----------
        confidence_level
            Level of the intervals of partial eta squared, between 0 and 1.

        Returns
        -------
        str
            One clause a term, with semicolons between.
        """
        return "; ".join(
            f"{term}: {self.test(term).apa(confidence_level) if self._testable(term) else SINGLE}"
            for term in self.terms
        )

    def _testable(self, term: str) -> bool:
        """Return whether a term's test has an error, which clusters that the model fits exactly do not give."""
        rows = np.eye(len(self.names))[self.coding.columns_of(find_term(self.terms, term))]
        return self.sandwich is None or self.sandwich.estimable(rows)


def _untested(term: str) -> FTest:
    return FTest(term, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan)


def _centre_columns(model: Model, n: int) -> tuple[dict[str, float], FloatArray]:
    """Return the means of the covariates, and the columns of the model about them."""
    centre = {name: float(model.given[name].mean()) for name in model.coding.covariates}
    columns = {name: values - centre.get(name, 0) for name, values in model.given.items()}
    for name in centre:  # a mean far from 0 is rounded by more than the mean of what is left
        columns[name] = columns[name] - columns[name].mean()
    return centre, model.coding.matrix(columns) if columns else np.ones((n, 1))


def _compute_hc3(x: FloatArray, rest: FloatArray) -> FloatArray:
    """Return the covariance of coefficients under unequal variances, by the residuals `rest`."""
    covariance = hc3(x, rest)
    if np.isnan(covariance).any():
        raise NotEstimable("a row is fitted by a coefficient of its own, which HC3 cannot weigh; merge or leave it out")
    return covariance


def linear_model(
    data: Any, formula: str, *, errors: ModelErrors = "ordinary", cluster: str | None = None
) -> LinearModel:
    """Fit a linear model of factors and covariates: analysis of covariance, moderation, unequal variances, clusters.

    Parameters
    ----------
    data
        A frame of any engine, or arrays by name.
    formula
        Such as "points ~ reward * partner + price"; text, truth values and ``C(x)`` are factors.
    errors
        "ordinary"; "HC3" (variances may differ between rows); "CR2" (rows of a cluster depend on each other).
    cluster
        With "CR2", the column that says whose row it is.

    Returns
    -------
    LinearModel
        The coefficients with their covariance; `test`, `slopes` and `contrast` ask further questions of the fit.

    Raises
    ------
    DesignError
        If the formula cannot be read, a column is not there or no number, or the errors do not go with `cluster`.
    NotEstimable
        If a column follows from others, there are too few rows, or the outcome is fitted without a residual; with CR2,
        if what is tested rests on a single cluster (a level with one cluster, a coefficient for each cluster).

    Notes
    -----
    Each term's F is of type III: the term after all others, factors coded to sum to zero and covariates measured from
    the mean of the complete rows, so that a factor's main effect is that at the mean of the covariates. The same as
    R's ``car::Anova(lm(...), type = 3, white.adjust = "hc3")`` on centred covariates; CR2 as in clubSandwich.

    Examples
    --------
    >>> rows = {"price": [2, 4, 5, 7, 8, 9, 3, 6], "agent": list("aabbaabb"), "y": [10, 12, 11, 17, 15, 20, 9, 14]}
    >>> model = linear_model(rows, "y ~ agent + price", errors="HC3")
    >>> print(model.test("agent").apa())
    F(1, 5) = 0.29, p = .614, ηp² = .05, 90% CI [.00, .48]
    >>> from negstats.stats.contrasts.margins import margins
    >>> margins(model, specs="agent").mean.round(2).tolist()
    [13.9, 13.1]
    """
    check_choice("errors", errors, ("ordinary", "HC3", "CR2"))
    if (errors == "CR2") != (cluster is not None):
        raise DesignError(f"errors={errors!r} with cluster={shown(cluster)}; CR2 needs a cluster, the others none")
    model = model_of(data, formula, cluster)
    y = numbers(model.outcome, str(model.outcome.name))
    centre, x = _centre_columns(model, len(y))
    about = y - y.mean()
    q, r = np.linalg.qr(x)
    back = np.linalg.inv(r)
    beta = back @ (q.T @ about)
    rest = about - x @ beta
    rest -= q @ (q.T @ rest)
    free = float(len(y) - x.shape[1])
    rss = float(rest @ rest)
    if np.sqrt(rss / len(y)) <= ROUNDING * np.abs(y).max():
        raise NotEstimable(f"{model.outcome.name!r} is fitted without a residual, so nothing has an error")
    sandwich = None
    covariance = rss / free * back @ back.T
    if errors == "HC3":
        covariance = _compute_hc3(x, rest)
    elif errors == "CR2":
        if model.clusters.max() < 1:
            raise NotEstimable(f"all rows are of one {cluster!r}; robust errors need several clusters")
        sandwich = clustered(x, rest, model.clusters, "CR2")
        covariance = sandwich.covariance
    beta[0] += y.mean()
    fit = LinearModel(
        outcome=str(model.outcome.name),
        terms=model.coding.term_names,
        names=model.coding.names,
        estimate=beta,
        covariance=covariance,
        sigma=float(np.sqrt(rss / free)),
        df_residual=free,
        r_squared=float(1 - rss / (about @ about)),
        centre=centre,
        n=len(y),
        clusters=int(model.clusters.max()) + 1 if cluster is not None else 0,
        missing=model.missing,
        errors=errors,
        coding=model.coding,
        sandwich=sandwich,
        cell_n=model.cell_sizes(),
    )
    if sandwich is not None and fit.terms and not any(map(fit._testable, fit.terms)):
        fit.test(fit.terms[0])  # says why
    return fit
