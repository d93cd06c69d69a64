"""`MixedModel`: a linear model with random effects, its tests with Kenward and Roger's or Satterthwaite's df."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from negstats.errors import DesignError, shown
from negstats.stats.design import ModelDesign
from negstats.stats.fitted import FittedModel, term_frame
from negstats.stats.means.design import Grid
from negstats.stats.means.f_tests import FTest
from negstats.stats.models.random_intercept import Information, adjusted, fai_cornelius, kenward_roger
from negstats.stats.models.results import DF, FittedLikelihood, LikelihoodRatio
from negstats.stats.numerics import independent_rows
from negstats.stats.results.numbers import FloatArray, Number, floats, plain
from negstats.stats.results.options import check_choice, check_one_study, check_single, f_tails, t_tails
from negstats.stats.results.result import Interval, check_level
from negstats.stats.summaries.coding import Coding
from negstats.stats.summaries.coerce import as_frame

if TYPE_CHECKING:
    from negstats.stats.models.estimators import OneIntercept, RandomEffects

Estimator: TypeAlias = Literal["reml", "ml"]
SIDES = ("low", "high")


@dataclass(frozen=True, eq=False, repr=False)
class MixedModel(FittedModel):
    """A linear model with fixed and random effects; what is not named here as `FittedModel`.

    Of a stack of `ClusterMoments` numbers are arrays with a study first.

    Attributes
    ----------
    sigma2 : float
        Variance within.
    deviance : float
        −2 ln L, with all constants; of the REML or ML criterion.
    n : float
        Rows.
    levels : dict
        How many clusters each column (or columns joined by a colon) of clusters has.
    singular : bool
        Whether a variance is 0 or random effects follow from each other.
    method, between : str
        "reml" or "ml"; whether the variance of one random intercept may be "any" or only "positive".
    freedom : str
        Where the tests' degrees of freedom come from: "kenward-roger" or "satterthwaite" (see `with_df`).
    notes : tuple of str
        What a reader of the numbers should know.
    """

    outcome: str
    names: tuple[str, ...]
    sigma2: Number
    deviance: Number
    n: Number  # type: ignore[assignment]  # a stack's studies differ
    levels: dict[str, Number]
    singular: bool
    method: Estimator
    between: str
    freedom: DF
    missing: int
    notes: tuple[str, ...]
    studies: tuple[int, ...] = field(repr=False)
    design: ModelDesign = field(repr=False)
    part: OneIntercept | RandomEffects = field(repr=False)
    # The fit is of orthonormal columns, so that columns which nearly follow from each other cost no digits of the
    # adjusted degrees of freedom: coefficients of the coded columns, measured from `origin`, are ``turn @ beta``.
    beta: FloatArray = field(repr=False)
    phi: FloatArray = field(repr=False)
    turn: FloatArray = field(repr=False)
    cross: FloatArray = field(repr=False)  # Σ z z′ over the rows, z the outcome and the coded columns; study first
    origin: Mapping[str, float] = field(repr=False)
    known: Information = field(repr=False)
    frame: Any = field(repr=False)  # the rows of the fit; None of a summary

    # --- coefficients and tests --------------------------------------------------------------------------------------

    @property
    def coding(self) -> Coding:
        """The columns of the model."""
        return self.design.coding

    def with_df(self, df: DF) -> MixedModel:
        """Return the same fit with other degrees of freedom.

        Parameters
        ----------
        df
            "kenward-roger" (the default of REML, and REML only) or "satterthwaite" (the default of ML).

        Returns
        -------
        MixedModel
            The same estimates; standard errors, tests and intervals are the other ones.
        """
        check_choice("df", df, ("kenward-roger", "satterthwaite"))
        if df == "kenward-roger" and self.method == "ml":
            raise DesignError("Kenward and Roger's df are defined for REML; fit with method='reml'")
        return replace(self, freedom=df)

    def _fitted_columns(self) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients of the design's columns, and their covariance."""
        to_design = self._to_design()
        coefficients = np.einsum("nab,nb->na", to_design, self.beta)
        coefficients[:, 0] += self.origin[self.outcome]
        return self._study(coefficients), self._study(to_design @ self._phi() @ np.swapaxes(to_design, 1, 2))

    @cached_property
    def _printed(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The coefficients that are printed, with their errors and degrees of freedom: slow ones, so once a fit."""
        return self._test_rows(self.design.back)

    @property
    def estimate(self) -> FloatArray:  # type: ignore[override]
        """The coefficients, shape (*studies, coefficients)."""
        return self._printed[0]

    @property
    def se(self) -> FloatArray:  # type: ignore[override]
        """Their standard errors, as `freedom` has them."""
        return self._printed[1]

    @property
    def df(self) -> FloatArray:  # type: ignore[override]
        """Their degrees of freedom."""
        return self._printed[2]

    @property
    def statistic(self) -> FloatArray:  # type: ignore[override]
        """Their t."""
        return np.asarray(self.estimate / self.se)

    @property
    def p(self) -> FloatArray:  # type: ignore[override]
        """Their two-sided p."""
        return t_tails(self.statistic, self.df)

    @property
    def covariance(self) -> FloatArray:  # type: ignore[override]
        """The covariance matrix of the coefficients, adjusted as Kenward and Roger do if `freedom` is theirs."""
        to_printed = self.design.back @ self._to_design()
        return self._study(to_printed @ self._phi() @ np.swapaxes(to_printed, 1, 2))

    def _to_design(self) -> FloatArray:
        """Return what turns coefficients of the fit into those of the design's columns, (n, p, p)."""
        to_means = self.coding.to_treatment @ self.coding.shift(self._means())
        return np.asarray(to_means @ self.turn)

    def _test_rows(self, rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return sums of the coefficients of the design's columns, with their errors and degrees of freedom."""
        constant = np.asarray(rows)[..., 0] * self.origin[self.outcome]
        return self._test_each(np.asarray(rows) @ self._to_design(), constant)

    def _test_each(self, rows: FloatArray, constant: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return sums of the coefficients that were fitted, rows (n, q, p), and a constant."""
        estimate = np.einsum("nqa,na->nq", rows, self.beta) + constant
        se = np.sqrt(np.einsum("nqa,nab,nqb->nq", rows, self._phi(), rows))
        if self.freedom == "kenward-roger":
            row_indices = range(rows.shape[1])
            df = np.stack([kenward_roger(self.phi, self.known, rows[:, [index]])[1] for index in row_indices], axis=-1)
        else:
            df = self.part.satterthwaite(self.known, rows)
        return self._study(estimate), self._study(se), self._study(np.asarray(df))

    def test(
        self,
        term: str | Sequence[str] | npt.NDArray[Any] | None = None,
        name: str | None = None,
        *,
        type: Literal[2, 3] = 3,  # noqa: A002 - the field's word
    ) -> FTest:
        """Return the F test of a term, of named coefficients, of weighted sums of coefficients, or of all terms.

        Parameters
        ----------
        term
            A term's name; names of coefficients; or rows of weights, one a coefficient. All terms by default.
        name
            What the test is called in the result; the term's name by default.
        type
            3: the term's effect at the mean of the covariates, averaged over the levels of other factors (as in
            `linear_model`; `to_frame` has coefficients where covariates are 0). 2: the term after all that do not
            contain it.

        Returns
        -------
        FTest
            F with its degrees of freedom and p.
        """
        if type not in (2, 3):
            raise DesignError(f"type is {shown(type)}; choose 2 or 3")
        if isinstance(term, np.ndarray):
            return self._test_sums(name or "hypothesis", self._weights(term) @ self.design.back)
        if type == 2 and isinstance(term, str) and (term in self.terms or term not in self.names):
            rows = self.coding.rows_after_others(self.design.place(term), self.cross[:, 1:, 1:]) @ self.turn
            return self._test(name or term, rows, np.zeros(1))
        label, rows = self._hypothesis(term)
        return self._test_sums(name or label, rows)

    def tests(self, *, type: Literal[2, 3] = 3) -> pd.DataFrame:  # noqa: A002
        """Return one row a term: its F after all others; one study only.

        Parameters
        ----------
        type
            As in `test`.

        Returns
        -------
        DataFrame
            The term, F, its degrees of freedom and p.
        """
        check_single(self.sigma2, "tests()")
        return term_frame(self.terms, [self.test(term, type=type) for term in self.terms])

    def _method(self) -> str:
        return self.freedom

    def _joint(self, rows: FloatArray) -> tuple[Any, float, Any]:
        test = self._test_sums("", rows)
        return test.statistic, float(np.ravel(test.df1)[0]), test.df2

    def _test_sums(self, name: str, rows: FloatArray) -> FTest:
        """Return the F test of several sums of the coefficients of the design's columns."""
        independent = independent_rows(rows)
        constant = independent[:, 0] * self.origin[self.outcome]
        return self._test(name, independent @ self._to_design(), constant)

    def _test(self, name: str, rows: FloatArray, constant: FloatArray) -> FTest:
        """Return the F test of several weighted sums, their rows (n, q, p) in the columns of the fit."""
        f, scale, freedom = self._f(rows, constant)
        df1 = np.full(f.shape, float(rows.shape[1]))
        columns = (f, df1, freedom, f_tails(np.maximum(f, 0.0), df1, freedom), scale)
        statistic, df1_value, df2_value, p, f_scale = (plain(self._study(column)) for column in columns)
        return FTest(name, statistic, df1_value, df2_value, p, method=self.freedom, scale=f_scale)

    def _study(self, array: FloatArray) -> FloatArray:
        return np.asarray(array).reshape((*self.studies, *np.shape(array)[1:]))

    def _phi(self) -> FloatArray:
        return adjusted(self.phi, self.known) if self.freedom == "kenward-roger" else self.phi

    def _means(self) -> dict[str, float]:
        """Return the mean of each covariate over the rows, which all studies share, measured from the origin."""
        cross, column_parts = self.cross[0], self.coding.parts
        return {
            name: float(cross[1, 1 + column_parts.index(((name, 0),))] / cross[1, 1]) for name in self.coding.covariates
        }

    def _weights(self, weights: npt.ArrayLike) -> FloatArray:
        rows = np.atleast_2d(floats("weights", weights))
        if rows.shape[-1] != len(self.names) or rows.ndim != 2 or not np.isfinite(rows).all():
            raise DesignError(f"weights are {shown(weights)}; give one for each of {', '.join(self.names)}")
        return rows

    def _f(self, rows: FloatArray, constant: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return F, its scale and the denominator df."""
        n_rows = rows.shape[1]
        value = np.einsum("nqa,na->nq", rows, self.beta) + constant
        transposed = np.swapaxes(rows, 1, 2)
        row_covariance = rows @ self._phi() @ transposed
        f = np.einsum("nq,nq->n", value, np.linalg.solve(row_covariance, value[..., None])[..., 0]) / n_rows
        if self.freedom == "kenward-roger":
            scale, freedom = kenward_roger(self.phi, self.known, rows)
            return scale * f, scale, freedom
        # Rows that any basis of the same hypothesis gives alike, since the df depend on them; Σ x x′ of the fit is I.
        triangle = np.linalg.cholesky(rows @ transposed)
        basis = np.linalg.solve(triangle, rows)
        _, vectors = np.linalg.eigh(basis @ self.phi @ np.swapaxes(basis, 1, 2))
        dfs = self.part.satterthwaite(self.known, np.swapaxes(vectors, 1, 2) @ basis)
        return f, np.ones_like(f), fai_cornelius(dfs)

    def grid(self, at: Mapping[str, float] | None = None) -> Grid:
        """Return the cells that `margins`, `contrasts`, `pairwise` and `simple_effects` take (they call this).

        Parameters
        ----------
        at
            Values of covariates; those not named stand at their means over the rows.

        Returns
        -------
        Grid
            The mean of each cell of the factors, with the covariance of all means.

        Raises
        ------
        DesignError
            If the result is that of a stack of studies, or a covariate is unknown.
        """
        check_one_study(self.studies, "contrasts of a mixed model take one study")
        return FittedModel.grid(self, at)

    # --- random effects ------------------------------------------------------------------------------------------

    @property
    def covariances(self) -> tuple[pd.DataFrame, ...]:
        """The covariance matrix of each random term's effects, in the order of the terms."""
        return self.part.covariances

    @property
    def tau2(self) -> Number:
        """The variance between clusters of one random intercept (a covariance where it is negative)."""
        return plain(self._intercept().tau2)

    @property
    def icc(self) -> Number:
        """The intraclass correlation τ²/(τ² + σ²) of one random intercept."""
        return plain(self._intercept().icc)

    @property
    def clusters(self) -> Number:
        """How many clusters the first random term has."""
        return next(iter(self.levels.values()))

    def _intercept(self) -> OneIntercept:
        from negstats.stats.models.estimators import OneIntercept

        if not isinstance(self.part, OneIntercept):
            raise DesignError("the intraclass correlation needs a random intercept alone; see variances()")
        return self.part

    def icc_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the profile-likelihood interval of the intraclass correlation; an end at a bound is that bound.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, at most 1; below 0 only where the model allows a negative correlation.
        """
        check_single(self.sigma2, "icc_interval()")
        low, high = self._intercept().icc_ends(check_level(confidence_level))
        return Interval(low, high, confidence_level, "profile likelihood")

    def cluster_test(self) -> LikelihoodRatio:
        """Return the likelihood-ratio test that rows of a cluster are independent, of one random intercept.

        Where the variance may only be positive, 0 is the end of its range and p is half of chi-squared's (Self and
        Liang, 1987).

        Returns
        -------
        LikelihoodRatio
            Chi-squared with df = 1 and its p; `boundary` says whether p was halved.

        References
        ----------
        Self, S. G., & Liang, K.-Y. (1987). Asymptotic properties of maximum likelihood estimators and likelihood ratio
        tests under nonstandard conditions. Journal of the American Statistical Association, 82, 605–610.
        """
        ratio, is_bounded = self._intercept().cluster_ratio()
        p = special.chdtrc(1, ratio)
        p = np.asarray(np.where(ratio > 0, p / 2, 1.0) if is_bounded else p, dtype=np.float64)
        return LikelihoodRatio(plain(self._study(ratio)), 1, plain(self._study(p)), is_bounded)

    def variances(self, confidence_level: float | None = None) -> pd.DataFrame:
        """Return one row a random effect: ``cluster``, ``effect``, ``variance``, ``sd``; the last is the residual.

        With a level also ``low`` and ``high``, the SD's profile-likelihood interval.

        Parameters
        ----------
        confidence_level
            Level of the intervals, between 0 and 1; None for a frame without intervals.

        Returns
        -------
        DataFrame
            Variances in squared units of the outcome, SDs and their intervals in its units.

        Examples
        --------
        >>> from negstats.stats import mixed
        >>> rows = pd.DataFrame({"person": [place // 4 for place in range(16)], "round": [1, 2, 3, 4] * 4,
        ...                      "points": [5, 6, 8, 9, 4, 4, 5, 5, 7, 9, 12, 14, 6, 8, 8, 11]})
        >>> model = mixed(rows, "points ~ round + (1 | person)")
        >>> model.variances(0.95)[["effect", "sd", "low", "high"]].round(2)
              effect    sd   low  high
        0  Intercept  2.45  1.21  7.37
        1   Residual  1.05  0.73  1.71
        >>> model.random_effects().head(2).round(2)
          cluster level     effect  estimate
        0  person     0  Intercept     -0.54
        1  person     1  Intercept     -2.93
        """
        check_single(self.sigma2, "variances()")
        rows = [*self.part.variances(), ("", "Residual", float(np.asarray(self.sigma2)))]
        frame = pd.DataFrame(rows, columns=["cluster", "effect", "variance"])
        with np.errstate(invalid="ignore"):
            frame["sd"] = np.sqrt(frame["variance"])
        if confidence_level is not None:
            intervals = [self.sd_interval(effect, cluster or None, confidence_level) for cluster, effect, _ in rows]
            frame["low"], frame["high"] = (
                [float(np.asarray(getattr(interval, side))) for interval in intervals] for side in SIDES
            )
        return frame

    def sd_interval(
        self, effect: str = "Residual", cluster: str | None = None, confidence_level: float = 0.95
    ) -> Interval:
        """Return the profile-likelihood interval of an SD: of a random effect, or of what is left ("Residual").

        Profiled is the criterion of the fit (lme4's ``confint`` takes ML always); an end at 0 is the end of the range.

        Parameters
        ----------
        effect
            "Intercept", the slope's column, or "Residual".
        cluster
            Whose effect it is, as `variances` names it; needed where several terms have one of this name.
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, in units of the outcome.
        """
        check_single(self.sigma2, "sd_interval()")
        low, high = self.part.sd_ends(effect, cluster, check_level(confidence_level))
        return Interval(low, high, confidence_level, "profile likelihood")

    def correlation_interval(
        self, one: str, other: str, cluster: str | None = None, confidence_level: float = 0.95
    ) -> Interval:
        """Return the profile-likelihood interval of the correlation of two random effects of one term.

        Parameters
        ----------
        one, other
            The two random effects: "Intercept" or a slope's column.
        cluster
            Whose effects they are, as `variances` names it; needed where several terms have effects of these names.
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, between −1 and 1.
        """
        low, high = self.part.correlation_ends(one, other, cluster, check_level(confidence_level))
        return Interval(low, high, confidence_level, "profile likelihood")

    def random_effects(self, frame: Any = None) -> pd.DataFrame:
        """Return the predicted random effects of the rows' clusters: ``cluster``, ``level``, ``effect``, ``estimate``.

        The best linear unbiased prediction (Robinson, 1991), by how much the cluster's intercept or slope lies above
        the mean one; levels of nested clusters are joined by a colon.

        Parameters
        ----------
        frame
            Rows with the outcome, the predictors and the columns of the clusters; those of the fit by default.

        Returns
        -------
        DataFrame
            One row a level and effect; ``estimate`` is in units of the outcome (of a slope, per unit of its
            column).

        References
        ----------
        Robinson, G. K. (1991). That BLUP is a good thing: The estimation of random effects. Statistical Science, 6,
        15–32.
        """
        return self._predicted(frame)[1]

    def predictions(self, frame: Any = None) -> pd.DataFrame:
        """Return for each complete row ``fixed``, ``random``, ``fitted`` and ``residual``, with the frame's index.

        Parameters
        ----------
        frame
            As in `random_effects`.

        Returns
        -------
        DataFrame
            One row a complete row; all four columns are in units of the outcome.
        """
        return self._predicted(frame)[0]

    def predict(self, frame: Any = None, *, scale: str = "response") -> pd.Series:
        """Return what the model expects of each row.

        Parameters
        ----------
        frame
            As in `random_effects`; of rows without the outcome only ``scale="fixed"`` is known.
        scale
            "response": with the random effects of the row's cluster; "fixed": of an average cluster.

        Returns
        -------
        Series
            With the frame's index; missing where a value that is needed is.
        """
        check_choice("scale", scale, ("response", "fixed"))
        if scale == "fixed" and frame is not None:
            x, _, index, is_complete = self.design.new_rows(frame)
            values = pd.Series(x @ self._fitted_columns()[0], index=np.flatnonzero(is_complete), name="fitted")
            return values.reindex(range(len(index))).set_axis(index)
        rows = self._rows(frame)
        values = self.predictions(rows.reset_index(drop=True))["fixed" if scale == "fixed" else "fitted"]
        return values.reindex(range(len(rows))).set_axis(rows.index).rename("fitted")

    @property
    def residuals(self) -> pd.Series:
        """The outcome less what the model expects with the random effects, with the frame's index."""
        return self.predictions()["residual"]

    def _rows(self, frame: Any) -> pd.DataFrame:
        data = self.frame if frame is None else frame
        if data is None:
            raise DesignError("ClusterMoments hold no rows; give frame=, the rows whose values are predicted")
        names = dict.fromkeys([*self.coding.sources(self.outcome), *self.coding.sources(), *self.part.clusters()])
        return as_frame(data, list(names), "the model's formula and cluster")

    def _predicted(self, frame: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
        check_single(self.sigma2, "predictions()")
        return self.part.predictions(self._rows(frame), self)

    # --- comparisons and output ----------------------------------------------------------------------------------

    def _criterion(self) -> tuple[float, int, int]:
        check_single(self.sigma2, "aic")
        likelihood = -float(np.asarray(self.deviance)) / 2
        if self.method == "reml":  # ln |X′V⁻¹X| of the columns that are printed, as in lme4
            likelihood += float(np.linalg.slogdet(self.coding.to_treatment)[1])
        return likelihood, len(self.names) + self.part.entries + 1, int(np.asarray(self.n))

    def compare(self, smaller: MixedModel) -> LikelihoodRatio:
        """Return the likelihood-ratio test against a model with fewer terms, or fewer random effects, of the same rows.

        With fewer random effects a variance stands at the end of its range, and chi-squared's p is conservative (Stram
        and Lee, 1994); `boundary` says so.

        Parameters
        ----------
        smaller
            A model of the same rows whose terms and random effects are among those of this one.

        Returns
        -------
        LikelihoodRatio
            Chi-squared with its df and p.

        References
        ----------
        Stram, D. O., & Lee, J. W. (1994). Variance components testing in the longitudinal mixed effects model.
        Biometrics, 50, 1171–1177.
        """
        if self.method != smaller.method or (len(self.names) != len(smaller.names) and self.method == "reml"):
            raise DesignError("REML likelihoods of different fixed effects do not compare; fit both with method='ml'")
        if not np.array_equal(self.n, smaller.n) or self.outcome != smaller.outcome:
            raise DesignError(f"the models have {smaller.n} and {self.n} rows; compare models of the same rows")
        if self.between != smaller.between:
            raise DesignError(f"the models differ in between: {smaller.between!r} and {self.between!r}")
        return self._fitted_likelihood().against(smaller._fitted_likelihood())

    def _fitted_likelihood(self) -> FittedLikelihood:
        effects = {row[:2] for row in self.part.variances()}
        return FittedLikelihood(-np.asarray(self.deviance) / 2, self.names, effects, self.part.entries)

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return each term's test (the intercept's, if there is no term), and the ICC or the SDs of random effects.

        Parameters
        ----------
        confidence_level
            Level of the interval of the intercept, where the model has no term.

        Returns
        -------
        str
            One clause a term, then the random effects.
        """
        check_single(self.sigma2, "apa()")
        texts = [f"{term}: {self.test(term).apa()}" for term in self.terms]
        texts = texts or [f"{self.names[0]}: {self.contrast({self.names[0]: 1.0}).apa(confidence_level)}"]
        return "; ".join([*texts, *self.part.clauses()])
