"""What every fitted model gives alike: coefficients, tests of terms, intervals, predictions, criteria, text.

A model brings its coefficients, their covariance and its `design`; what is asked of it is a sum of coefficients, which
is tested in the columns that were fitted: covariates measured from their means, factors against their reference level.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, NotEstimable
from negstats.stats.design import ModelDesign
from negstats.stats.means.design import Grid
from negstats.stats.means.f_tests import FTest
from negstats.stats.models.results import Coefficient, LikelihoodRatio, coefficient
from negstats.stats.numerics import profile_each
from negstats.stats.results import apa
from negstats.stats.results.intervals import quantile, t_interval
from negstats.stats.results.numbers import FloatArray, Number, floats, plain
from negstats.stats.results.options import check_choice, check_number, f_tails, find_coefficient, t_tails
from negstats.stats.results.result import Interval, Result, study_frame, with_schema
from negstats.stats.summaries.frames import numbers

if TYPE_CHECKING:
    from negstats.stats.contrasts.contrast import Adjustment, Contrasts

Scale = Literal["response", "link"]


class FittedModel(Result):
    """The base of fitted models. Arrays have the shape ``(coefficients,)``.

    Attributes
    ----------
    outcome : str
        The measured column.
    names : tuple of str
        The coefficients; ``g[b]`` is level b against the reference level of g.
    estimate, se, statistic, p : ndarray
        Coefficients, standard errors, t (z where `df` is infinite) and its two-sided p.
    df : float or ndarray
    covariance : ndarray, shape (coefficients, coefficients)
    n, missing : int
        Complete rows, and those left out.
    design : ModelDesign
        The rows and columns of the fit.
    """

    __slots__ = ()
    # What a ratio is called, of a model on a log scale; empty where coefficients are differences.
    RATIO: ClassVar[str] = ""
    # What the F of a term rests on.
    TEST: ClassVar[str] = ""

    outcome: str
    names: tuple[str, ...]
    estimate: FloatArray
    se: FloatArray
    statistic: FloatArray
    df: Number
    p: FloatArray
    covariance: FloatArray
    n: int
    missing: int
    design: ModelDesign

    @abstractmethod
    def _fitted_columns(self) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients of all columns of the design as they were fitted, and their covariance."""

    @property
    def terms(self) -> tuple[str, ...]:
        """The formula's terms."""
        return self.design.coding.term_names

    @property
    def coefficients(self) -> pd.Series:
        """The estimates by their names; `to_frame` has them with errors, tests and intervals."""
        return pd.Series(self.estimate, index=pd.Index(self.names, name="term"), name="estimate")

    # --- tests -------------------------------------------------------------------------------------------------------

    def test(self, term: str | Sequence[str] | None = None) -> Any:
        """Return Wald's F of a term after all others (type III), of named coefficients, or of all terms together.

        Of a term that others contain, as g in ``g * x``: of its effect at the mean of the covariates, averaged over the
        other factors' levels. Its coefficient is another thing: the effect where each covariate is 0, at the reference
        levels.

        Parameters
        ----------
        term
            A term as the formula names it, such as ``"agent"`` or ``"agent:round"``; names of coefficients, which are
            tested as they are printed; all terms by default.

        Returns
        -------
        FTest
            F with its degrees of freedom and p; on infinitely many it is chi-squared over its df.
        """
        name, rows = self._hypothesis(term)
        f, df1, df2 = self._joint(rows)
        return FTest(name, f, df1, df2, plain(f_tails(f, df1, df2)), method=self._method())

    def _hypothesis(self, term: str | Sequence[str] | None) -> tuple[str, FloatArray]:
        """Return what is tested, and the sums of fitted coefficients that are 0 then."""
        if term is None:
            return "all", np.eye(len(self.design.names))[1:]
        if isinstance(term, str) and (term in self.terms or term not in self.names):
            return term, self.design.term_rows(self.design.place(term))
        names = [term] if isinstance(term, str) else list(term)
        columns = [find_coefficient(name, self.names) for name in names]
        return ", ".join(names), self._back()[..., -len(self.names) :, :][..., columns, :]

    def tests(self) -> pd.DataFrame:
        """Return one row a term: its test after all others.

        Returns
        -------
        DataFrame
            The term, the statistic, its degrees of freedom and p.
        """
        return term_frame(self.terms, [self.test(term) for term in self.terms])

    def effect(self, term: str) -> Coefficient:
        """Return the one number of a term of one coefficient, as `test` tests it.

        It is the coefficient of a term that no other contains; of one that others contain the effect at the mean of the
        covariates, averaged over the other factors' levels.

        Parameters
        ----------
        term
            A term as the formula names it.

        Returns
        -------
        Coefficient
            A slope, the second level less the first, or a difference of such differences.

        Raises
        ------
        DesignError
            If the term has several coefficients.
        """
        estimate, se, df = self._test_rows(self.design.effect_row(self.design.place(term))[None])
        return coefficient(term, estimate[..., 0], se[..., 0], df[..., 0], self._method())

    def contrast(self, weights: Mapping[str, float] | npt.ArrayLike, name: str = "contrast") -> Coefficient:
        """Return a weighted sum of coefficients with its test.

        Parameters
        ----------
        weights
            Weights by the names of coefficients, or one a coefficient.
        name
            What the contrast is called in the result.

        Returns
        -------
        Coefficient
            The estimate, its standard error, t, df and p.
        """
        row = np.zeros(len(self.names)) if isinstance(weights, Mapping) else floats("weights", weights)
        for key, weight in weights.items() if isinstance(weights, Mapping) else ():
            row[find_coefficient(key, self.names)] = check_number(f"the weight of {key!r}", weight)
        if row.shape != (len(self.names),):
            raise DesignError(f"weights have the shape {row.shape}; give one for each of {', '.join(self.names)}")
        estimate, se, df = self._test_rows(row[None] @ self._back()[..., -len(self.names) :, :])
        return coefficient(name, estimate[..., 0], se[..., 0], df[..., 0], self._method())

    def _method(self) -> str:
        return self.TEST

    def _back(self) -> FloatArray:
        """Return what takes the coefficients of the columns that were fitted to those of the covariates as given."""
        return self.design.back

    def _test_rows(self, rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return sums of the coefficients that were fitted, with their errors and degrees of freedom."""
        beta, covariance = self._fitted_columns()
        estimate = np.einsum("...qa,...a->...q", rows, beta)
        se = np.sqrt(np.einsum("...qa,...ab,...qb->...q", rows, covariance, rows))
        return estimate, se, self._freedom(rows)

    def _joint(self, rows: FloatArray) -> tuple[Any, float, Any]:
        """Return F and its degrees of freedom for several sums of the coefficients that were fitted."""
        beta, covariance = self._fitted_columns()
        estimates, n_rows = np.einsum("...qa,...a->...q", rows, beta), float(rows.shape[-2])
        row_covariance = rows @ covariance @ np.swapaxes(rows, -1, -2)
        f = (estimates * np.linalg.solve(row_covariance, estimates[..., None])[..., 0]).sum(axis=-1) / n_rows
        return plain(f), n_rows, plain(self._freedom(rows).min(axis=-1))

    def _freedom(self, rows: FloatArray) -> FloatArray:
        """Return the degrees of freedom of sums of the coefficients that were fitted."""
        return np.full(rows.shape[:-1], float(np.min(self.df)))

    # --- cells, predictions, criteria ----------------------------------------------------------------------------

    def grid(self, at: Mapping[str, float] | None = None) -> Grid:
        """Return the cells that `margins`, `contrasts`, `pairwise` and `simple_effects` take (they call this).

        Of a model on a log scale they are log odds (log means, log rates), whose differences are logarithms of ratios.

        Parameters
        ----------
        at
            Values of covariates; those not named stand at their means.

        Returns
        -------
        Grid
            The mean of each cell of the factors, with the covariance of all means.
        """
        factors, rows, position_text = self.design.cells(at)
        return Grid(
            factors,
            self.design.cell_sizes(),
            each=lambda weights: self._test_rows(weights @ rows),
            joint=lambda weights: self._joint(weights @ rows),
            outcome=self.outcome,
            missing=self.missing,
            at=position_text,
            sd=self._sd(),
        )

    def _sd(self) -> float | None:
        """Return the standard deviation in which differences of cells are measured, where there is one."""
        return None

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
            One slope a cell, in units of the outcome (of a model on a log scale of its logarithms) per unit of the
            covariate; or the differences of slopes.
        """
        from negstats.stats.contrasts.contrast import cell_slopes

        return cell_slopes(self, self._test_rows, of, compare=compare, adjust=adjust)

    def predict(self, frame: Any = None, *, scale: Scale = "response") -> Any:
        """Return what the model expects of each row: a mean, a chance of the event, or a count.

        Parameters
        ----------
        frame
            Rows with the predictors, which may be new; the rows of the fit by default.
        scale
            "response"; or "link": the sum of the columns times their coefficients (log odds, log counts).

        Returns
        -------
        Series
            With the frame's index; missing where a predictor is. (Of ordered answers a frame with a column an answer.)

        Raises
        ------
        DesignError
            If a column is not there, or a factor has a level that the model was not fitted to.
        """
        check_choice("scale", scale, ("response", "link"))
        if frame is None:
            if not len(self.design.outcome):
                raise DesignError("Moments hold no rows, so that there are no predictions and residuals; give a frame")
            x, offset, index = self.design.columns(), self.design.offset, self.design.outcome.index
            return self._expected(x @ self._fitted_columns()[0] + offset, scale, index)
        x, offset, index, is_complete = self.design.new_rows(frame)
        values = self._expected(x @ self._fitted_columns()[0] + offset, scale, pd.Index(np.flatnonzero(is_complete)))
        return values.reindex(range(len(index))).set_axis(index)

    def _expected(self, eta: FloatArray, scale: Scale, index: pd.Index) -> Any:
        """Return the predictions of linear predictors."""
        return pd.Series(eta if scale == "link" else self._mean(eta), index=index, name="fitted")

    def _mean(self, eta: FloatArray) -> FloatArray:
        """Return the means at linear predictors."""
        return eta

    @property
    def residuals(self) -> pd.Series:
        """The outcome (1 and 0 for yes and no) less what the model expects, with the frame's index."""
        return pd.Series(self._answers() - self.predict(), name="residual")

    def _answers(self) -> FloatArray:
        """Return the outcome of the complete rows as numbers."""
        return numbers(self.design.outcome, self.outcome)

    @property
    def aic(self) -> float:
        """Akaike's criterion: −2 ln L and 2 for each parameter. Compare models of the same rows."""
        likelihood, parameters, _ = self._criterion()
        return 2 * parameters - 2 * likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion: −2 ln L and ln n for each parameter. Compare models of the same rows."""
        likelihood, parameters, n = self._criterion()
        return float(np.log(n)) * parameters - 2 * likelihood

    @abstractmethod
    def _criterion(self) -> tuple[float, int, int]:
        """Return the log-likelihood, the parameters that were fitted, and the rows that it is made of."""

    # --- output ------------------------------------------------------------------------------------------------------

    def confidence_interval(self, confidence_level: float = 0.95, of: str | None = None) -> Interval:
        """Return the t interval (z where df are infinite) of each coefficient, or of one.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        of
            Name of one coefficient; all of them by default.

        Returns
        -------
        Interval
            Its two ends, of a model on a log scale as logarithms; arrays with one entry a coefficient unless `of` names
            one.
        """
        method = ", ".join(filter(None, ("t" if np.isfinite(self.df).any() else "z", self._method())))
        interval = t_interval(self.estimate, self.se, self.df, confidence_level)
        return self._interval(np.asarray(interval.low), np.asarray(interval.high), confidence_level, method, of)

    def _interval(
        self, low: FloatArray, high: FloatArray, confidence_level: float, method: str, of: str | None
    ) -> Interval:
        if of is None:
            return Interval(low, high, confidence_level, method)
        column = find_coefficient(of, self.names)
        return Interval(float(low[column]), float(high[column]), confidence_level, method)

    def to_frame(self, confidence_level: float = 0.95, *, ratios: bool = False) -> pd.DataFrame:
        """Return one row a coefficient; of a stack of studies, these rows for each study.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        ratios
            Of a model on a log scale: whether estimates and intervals are exponentiated (`se` is not).

        Returns
        -------
        DataFrame
            The coefficient (``term``), its estimate and standard error, the ends of the interval, the statistic, its
            df (infinite for z), and p.
        """
        if ratios and not self._ratio():
            raise DesignError("ratios need a model on a log scale; the coefficients of this model are differences")
        interval = self.confidence_interval(confidence_level)
        transform = _exponential if ratios else np.asarray
        columns: dict[str, npt.ArrayLike] = {"estimate": transform(self.estimate), "se": self.se}
        columns |= {"low": transform(interval.low), "high": transform(interval.high)}
        columns |= {"statistic": self.statistic, "df": self.df, "p": self.p}
        return study_frame(f"{type(self).__name__}/2", {"term": self.names}, columns)

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return each term's test, with the ratio of a term of one coefficient that stands in no other.

        Parameters
        ----------
        confidence_level
            Level of the intervals of the ratios, between 0 and 1.

        Returns
        -------
        str
            One clause a term, with semicolons between; then what else a model of this kind reports, such as its
            clusters, the SDs of its random effects or its dispersion.
        """
        clauses = []
        for term_index, term in enumerate(self.terms):
            columns = self.design.coding.columns_of(term_index)
            is_single = len(columns) == 1 and self.design.stands_alone(term_index)
            clauses.append(f"{term}: {self.test(term).apa()}")
            if is_single:
                clauses[-1] += f", {self._effect_text(columns[0], confidence_level)}"
        clauses = clauses or [f"{self.names[0]}: {self.contrast({self.names[0]: 1.0}).apa(confidence_level)}"]
        return "; ".join(clauses) + self._remark()

    def _remark(self) -> str:
        """Return what the sentence says behind the terms."""
        return ""

    def _effect_text(self, column: int, confidence_level: float) -> str:
        """Return a coefficient's ratio with its interval: of a number for a step that a reader can picture."""
        name = self.design.names[column]
        interval = self.confidence_interval(confidence_level, of=name)
        estimate, low, high = (
            float(np.ravel(value)[0]) for value in (self.coefficients[name], interval.low, interval.high)
        )
        if not self._ratio():
            return f"b = {apa.with_interval(estimate, low, high, confidence_level)}"
        step = self.design.coding.step(column, self.design.given)
        return apa.ratio_text(self._ratio(), estimate, low, high, confidence_level, step)

    def _ratio(self) -> str:
        return self.RATIO


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class WaldModel(FittedModel):
    """The base of models that keep what `FittedModel` names, as it was computed with the fit."""

    outcome: str
    names: tuple[str, ...]
    estimate: FloatArray
    se: FloatArray
    statistic: FloatArray
    df: Number
    p: FloatArray
    covariance: FloatArray = field(repr=False)
    n: int
    missing: int
    design: ModelDesign = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class LikelihoodModel(WaldModel):
    """A model whose terms are tested by likelihood ratios, and whose intervals profile the likelihood."""

    log_likelihood: float
    null_log_likelihood: float
    # The ends of intervals by coefficient and z: a table, a sentence and a figure of a model ask for the same.
    _ends: dict[tuple[int, float], tuple[float, float]] = field(default_factory=dict, init=False)

    @abstractmethod
    def _largest_without(self, term: int) -> float:
        """Return the largest log-likelihood of the model that lacks a term."""

    @abstractmethod
    def _profile(self, place: int, z: float) -> tuple[float, float]:
        """Return the two values of a coefficient at which the likelihood ratio is z²."""

    def _kept_ends(self, column: int, z: float) -> tuple[float, float]:
        if (column, z) not in self._ends:
            self._ends[column, z] = self._profile(column, z)
        return self._ends[column, z]

    def test(self, term: str | None = None) -> LikelihoodRatio:  # type: ignore[override]
        """Return the likelihood-ratio test of a term after all others (type III), or of all terms together.

        Of a term that others contain, as g in ``g * x``: of its effect at the mean of the covariates, averaged over the
        other factors' levels. Its coefficient is another thing: the effect where each covariate is 0, at the reference
        levels.

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
            slopes = len(self.design.names) - 1
            return LikelihoodRatio.of(self.log_likelihood, self.null_log_likelihood, slopes)
        term_index = self.design.place(term)
        df = len(self.design.coding.columns_of(term_index))
        return LikelihoodRatio.of(self.log_likelihood, self._largest_without(term_index), df)

    def confidence_interval(  # type: ignore[override]
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
        if method == "wald":
            return FittedModel.confidence_interval(self, confidence_level, of)
        columns = list(range(len(self.names))) if of is None else [find_coefficient(of, self.names)]
        z = float(quantile(confidence_level))
        low, high = profile_each(lambda column: self._kept_ends(column, z), columns)
        if of is None:
            return Interval(low, high, confidence_level, "profile likelihood")
        return Interval(float(low[0]), float(high[0]), confidence_level, "profile likelihood")


def wald_columns(estimate: FloatArray, covariance: FloatArray, df: npt.ArrayLike = np.inf) -> dict[str, Any]:
    """Return the fields of coefficients: estimate, se, statistic, df, p, covariance."""
    se = np.sqrt(np.diag(covariance))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = estimate / se
    columns = {"estimate": estimate, "se": se, "statistic": t, "df": plain(df), "p": t_tails(t, df)}
    return columns | {"covariance": covariance}


def term_frame(terms: Sequence[str], tests: Sequence[FTest | LikelihoodRatio]) -> pd.DataFrame:
    """Return one row a term: the statistic, its degrees of freedom and p."""
    ratio = any(isinstance(test, LikelihoodRatio) for test in tests)
    columns = ("statistic", "df", "p") if ratio else ("statistic", "df1", "df2", "p")
    frame = pd.DataFrame([[getattr(test, name) for name in columns] for test in tests], columns=list(columns))
    frame.insert(0, "term", list(terms))
    return with_schema(frame, "TermTests/1")


def no_likelihood(what: str) -> NotEstimable:
    """Return the error of a model without a likelihood that another model's can be compared with."""
    return NotEstimable(f"{what}, so that it has neither aic nor bic; test() tests the terms")


def _exponential(logarithms: Any) -> FloatArray:
    """Return ratios for one unit; infinite where one is beyond all floats."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(logarithms), dtype=np.float64)
