"""`MixedResponses`: yes or no, or counts, with random effects: tests, intervals, people's effects, predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.fitted import WaldModel
from negstats.stats.means.design import Grid
from negstats.stats.models.responses import population, spread
from negstats.stats.models.responses.engine import EngineFit, ResponseRows, fit_columns
from negstats.stats.models.responses.likelihood import Clustered, Distribution, Family, Link
from negstats.stats.models.results import FittedLikelihood, LikelihoodRatio
from negstats.stats.numerics import profile_each
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice, check_rng, find_coefficient
from negstats.stats.results.result import Interval, check_level
from negstats.stats.summaries.coerce import as_frame

IntervalMethod: TypeAlias = Literal["wald", "profile", "bootstrap"]
Scale = population.Scale
SYMBOLS = {"binomial": "OR", "poisson": "RR", "negative binomial": "RR"}
PLURALS = {"person": "people"}
DF = "between-within"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MixedResponses(WaldModel):
    """Yes or no, or counts, with random effects, by maximum likelihood; what is not named here as `FittedModel`.

    Attributes
    ----------
    estimate, se, df, statistic, p : ndarray
        On the scale of the link; t with between–within degrees of freedom: of what is constant within each cluster,
        clusters less columns between them; of what varies within, clusters less 1 if its slope is random, otherwise
        rows less columns less clusters less 1.
    family, link : str
    log_likelihood : float
        With all constants (of yes or no: Bernoulli's, one row an answer).
    clusters : int
        Levels of the first random term.
    levels : dict
        How many levels each random term has.
    sds : dict
        SD of each random effect: of the intercept under the term's name, of a slope as "person: x".
    covariances : tuple of pandas.DataFrame
        Of each term's random effects.
    dispersion : float
        θ of the negative binomial (variance μ + μ²/θ); NaN otherwise.
    nagq : int
        Nodes of adaptive quadrature; 1 is Laplace's approximation.
    singular : bool
        Whether a variance is 0 or random effects follow from each other.
    notes : tuple of str
        What a reader of the numbers should know.
    event : str
        Which of the two answers is modelled; empty for counts.
    """

    TEST = DF

    df: FloatArray
    family: Family
    link: Link
    log_likelihood: float
    clusters: int
    levels: dict[str, int]
    sds: dict[str, float]
    covariances: tuple[pd.DataFrame, ...] = field(repr=False)
    dispersion: float
    nagq: int
    singular: bool
    notes: tuple[str, ...]
    event: str
    rows: ResponseRows = field(repr=False)
    fit: EngineFit = field(repr=False)

    def _fitted_columns(self) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients of the design's columns, and their covariance."""
        to_treatment = self.design.coding.to_treatment
        return to_treatment @ self.fit.beta, to_treatment @ self.fit.covariance @ to_treatment.T

    def _freedom(self, rows: FloatArray) -> FloatArray:
        """Return the least degrees of freedom of the coefficients, coded to sum to zero, that a sum is made of."""
        treatment_rows = rows @ self.design.coding.to_treatment
        return np.array([population.fewest_df(self, row) for row in treatment_rows])

    @property
    def deviance(self) -> float:
        """−2 ln L."""
        return -2 * self.log_likelihood

    @property
    def distribution(self) -> Distribution:
        """The distribution of one answer."""
        return Distribution(self.family, self.link, self.dispersion)

    @property
    def is_simple(self) -> bool:
        """Whether there is one random effect, whose integral can be taken exactly."""
        return len(self.rows.parts) == 1 and not self.rows.parts[0].slopes

    @property
    def clustered(self) -> Clustered:
        """The rows sorted by the clusters of the first term."""
        return Clustered.of(self.rows.x, self.rows.y, self.rows.parts[0].codes, self.distribution)

    # --- tests ---------------------------------------------------------------------------------------------------

    def likelihood_ratio(self, term: str) -> LikelihoodRatio:
        """Return the likelihood-ratio test of a term after all others, as in `test`; it counts on many clusters.

        Parameters
        ----------
        term
            As in `test`.

        Returns
        -------
        LikelihoodRatio
            Chi-squared with its df and p.
        """
        columns = self._columns(term)
        return LikelihoodRatio.of(self.log_likelihood, self._drop_columns(columns).log_likelihood, len(columns))

    def compare(self, smaller: MixedResponses) -> LikelihoodRatio:
        """Return the likelihood-ratio test against a model with fewer terms or fewer random effects of the same rows.

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

        Raises
        ------
        DesignError
            If the models differ in rows, family, link or nagq, or the other is not part of this one.

        References
        ----------
        Stram, D. O., & Lee, J. W. (1994). Variance components testing in the longitudinal mixed effects model.
        Biometrics, 50, 1171–1177.
        """
        if (self.family, self.link) != (smaller.family, smaller.link):
            raise DesignError(f"the models differ in family or link: {self.link} and {smaller.link}")
        if self.nagq != smaller.nagq:
            raise DesignError(f"the models differ in nagq: {self.nagq} and {smaller.nagq}")
        if self.n != smaller.n or self.outcome != smaller.outcome or not np.array_equal(self.rows.y, smaller.rows.y):
            raise DesignError(f"the models have {smaller.n} and {self.n} rows; compare models of the same rows")
        return self._fitted_likelihood().against(smaller._fitted_likelihood())

    def _fitted_likelihood(self) -> FittedLikelihood:
        effects = {(part.name, effect) for part in self.rows.parts for effect in part.effects}
        return FittedLikelihood(self.log_likelihood, self.names, effects, sum(map(_entries, self.rows.parts)))

    def bootstrap_test(self, term: str, rng: np.random.Generator, *, n_resamples: int = 999) -> LikelihoodRatio:
        """Return the likelihood-ratio test of a term with a p from answers that are drawn without the term.

        For terms that differ between few clusters, where neither t nor chi-squared is to be relied on. Refits that
        reach no maximum are left out. p is (draws with a ratio as large + 1) / (draws + 1).

        Parameters
        ----------
        term
            As in `test`.
        rng
            Generator of the drawn answers; the same seed gives the same p.
        n_resamples
            How many data sets are drawn and fitted, twice each.

        Returns
        -------
        LikelihoodRatio
            Chi-squared with its df, and the p of the draws.
        """
        columns = self._columns(term)
        p = spread.bootstrap_p(self, columns, self._drop_columns(columns), check_rng(rng), n_resamples)
        ratio_test = self.likelihood_ratio(term)
        return LikelihoodRatio(ratio_test.statistic, ratio_test.df, p, boundary=False)

    # --- intervals -----------------------------------------------------------------------------------------------

    def confidence_interval(  # type: ignore[override]
        self,
        confidence_level: float = 0.95,
        method: IntervalMethod = "wald",
        of: str | None = None,
        *,
        rng: np.random.Generator | None = None,
        n_resamples: int = 999,
    ) -> Interval:
        """Return the interval of each coefficient, or of one, on the scale of the link.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        method
            "wald": t with the coefficient's degrees of freedom. "profile": the values that a likelihood-ratio test
            does not reject. "bootstrap": the basic interval of answers that are drawn from the fit; needs `rng`.
        of
            Name of one coefficient; all of them by default.
        rng
            Generator of the drawn answers, for "bootstrap" only.
        n_resamples
            How many data sets "bootstrap" draws and fits.

        Returns
        -------
        Interval
            Its two ends; arrays with one entry a coefficient unless `of` names one.
        """
        check_choice("method", method, ("wald", "profile", "bootstrap"))
        level = check_level(confidence_level)
        columns = list(range(len(self.names))) if of is None else [find_coefficient(of, self.names)]
        if method == "wald":
            interval = t_interval(self.estimate[columns], self.se[columns], self.df[columns], level)
            low, high = np.asarray(interval.low), np.asarray(interval.high)
        elif method == "profile":
            low, high = profile_each(lambda column: spread.profile_ends(self, column, level), columns)
        else:
            low, high = spread.bootstrap_ends(self, check_rng(rng), n_resamples, level)[:, columns]
        method_name = {"wald": "t", "profile": "profile likelihood", "bootstrap": "parametric bootstrap"}[method]
        if of is not None:
            return Interval(float(low[0]), float(high[0]), level, method_name)
        return Interval(low, high, level, method_name)

    def sd_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the profile-likelihood interval of the SD of the one random effect; an end at 0 is the range's.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, on the scale of the link.
        """
        low, high = spread.sd_ends(self, check_level(confidence_level))
        return Interval(low, high, confidence_level, "profile likelihood")

    # --- random effects ------------------------------------------------------------------------------------------

    def variances(self, confidence_level: float | None = None) -> pd.DataFrame:
        """Return one row a random effect: ``cluster``, ``effect``, ``variance``, ``sd``; with a level its interval.

        Intervals are profile likelihood's, of a model with one random effect.

        Parameters
        ----------
        confidence_level
            Level of the intervals, between 0 and 1; None for a frame without spread.

        Returns
        -------
        DataFrame
            Variances and SDs on the scale of the link.
        """
        rows = [
            (random_part.name, name, float(variance))
            for random_part, table in zip(self.rows.parts, self.covariances, strict=True)
            for name, variance in zip(random_part.effects, np.diag(table.to_numpy()), strict=True)
        ]
        frame = pd.DataFrame(rows, columns=["cluster", "effect", "variance"])
        frame["sd"] = np.sqrt(frame["variance"])
        if confidence_level is not None:
            interval = self.sd_interval(confidence_level)
            frame["low"], frame["high"] = float(np.asarray(interval.low)), float(np.asarray(interval.high))
        return frame

    def random_effects(self) -> pd.DataFrame:
        """Return each level's conditional mode, shrunken: ``cluster``, ``level``, ``effect``, ``estimate``, ``sd``.

        ``sd`` is that of the effect given the fit; NaN where clusters are crossed or nested, for which it is not had.

        Returns
        -------
        DataFrame
            One row a level and effect, on the scale of the link.
        """
        return spread.effects_frame(self)

    def icc(self) -> float:
        """Return the share of the latent variance that lies between clusters (Nakagawa et al., 2017, eq. 2.9).

        σ²/(σ² + π²/3) with the logit link, 1 with probit and π²/6 with cloglog in the place of π²/3.

        Returns
        -------
        float
            The share, from 0 to 1.

        References
        ----------
        Nakagawa, S., Johnson, P. C. D., & Schielzeth, H. (2017). The coefficient of determination R² and intra-class
        correlation coefficient from generalized linear mixed-effects models revisited and expanded. Journal of the
        Royal Society Interface, 14, 20170213.
        """
        return spread.icc(self)

    def r_squared(self) -> pd.DataFrame:
        """Return the marginal and the conditional R² of the latent scale, one row.

        Eq. 29 and 30 of Nakagawa and Schielzeth (2013); slopes as Johnson (2014).

        Returns
        -------
        DataFrame
            ``marginal`` counts the predictors alone, ``conditional`` also the random effects; both from 0 to 1.

        References
        ----------
        - Johnson, P. C. D. (2014). Extension of Nakagawa & Schielzeth's R²GLMM to random slopes models. Methods in
          Ecology and Evolution, 5, 944–946.
        - Nakagawa, S., & Schielzeth, H. (2013). A general and simple method for obtaining R² from generalized linear
          mixed-effects models. Methods in Ecology and Evolution, 4, 133–142.
        """
        return spread.r_squared(self)

    # --- what it says of people ----------------------------------------------------------------------------------

    def population(
        self, at: Mapping[str, object] | None = None, *, scale: Scale = "population"
    ) -> population.PopulationMean:
        """Return the mean answer at values of the predictors, averaged over the rows for those that are left open.

        Parameters
        ----------
        at
            Values by name: numbers of covariates, levels of factors.
        scale
            "population": the mean over people. "typical": a person whose random effects are 0. "link": the linear
            predictor.

        Returns
        -------
        population.PopulationMean
            The mean with its standard error and interval: a share of yes, or a mean count.
        """
        return population.mean_at(self, {} if at is None else at, scale)

    def grid(  # type: ignore[override]
        self, scale: Scale = "population", at: Mapping[str, float] | None = None
    ) -> Grid:
        """Return the cells that `margins`, `contrasts`, `pairwise` and `simple_effects` take (they call this).

        Parameters
        ----------
        scale
            As in `population`.
        at
            Values of covariates by name; those not named stand at their means.

        Returns
        -------
        Grid
            The mean of each cell of the factors, with the covariance of all means.
        """
        return population.build_grid(self, scale, {} if at is None else at)

    def predictions(self, frame: Any = None) -> pd.DataFrame:
        """Return for each complete row of a frame, which may be new, what the model predicts; for its own rows if none.

        ``fixed``: the linear predictor of a typical person; ``random``: the modes of the row's own levels (0 for a
        level that the model was not fitted to); ``fitted``: the mean answer with both; ``population``: averaged over
        people.

        Parameters
        ----------
        frame
            Rows with the predictors and the columns of the clusters; the rows of the fit by default.

        Returns
        -------
        DataFrame
            One row a complete row; the first two columns are on the scale of the link, the others are shares or
            counts.
        """
        return population.predictions(self, frame)

    def predict(self, frame: Any = None, *, scale: Literal["response", "population", "link"] = "response") -> pd.Series:
        """Return what the model expects of each row, with the random effects of the row's own clusters.

        Parameters
        ----------
        frame
            Rows with the predictors and the columns of the clusters, which may be new; the rows of the fit by default.
        scale
            "response": a share of yes, or a count; "population": the same averaged over people; "link": the linear
            predictor.

        Returns
        -------
        Series
            With the frame's index; missing where a predictor or a cluster is.
        """
        check_choice("scale", scale, ("response", "population", "link"))
        index = self.design.outcome.index
        if frame is not None:
            clusters = list(dict.fromkeys(name for term in self.rows.terms for name in term.clusters))
            frame = as_frame(frame, [*self.design.coding.sources(), *clusters], "the model's formula")
            index, frame = frame.index, frame.reset_index(drop=True)
        predicted = population.predictions(self, frame)
        values = predicted["fixed"] + predicted["random"] if scale == "link" else predicted[
            "fitted" if scale == "response" else "population"]  # fmt: skip
        return values.reindex(range(len(index))).set_axis(index).rename("fitted")

    def _answers(self) -> FloatArray:
        return self.rows.y

    def _criterion(self) -> tuple[float, int, int]:
        variances = sum(map(_entries, self.rows.parts)) + (self.family == "negative binomial")
        return self.log_likelihood, len(self.names) + variances, self.n

    def simulate(self, rng: np.random.Generator) -> FloatArray:
        """Return answers drawn from the fit: new random effects, new answers, one for each row.

        Parameters
        ----------
        rng
            Generator of the random numbers; the same seed gives the same answers.

        Returns
        -------
        ndarray of float
            One answer a row of the fit: 0 or 1, or a count.
        """
        return spread.draw_answers(self.rows, self.fit, self.distribution, check_rng(rng))

    # --- output --------------------------------------------------------------------------------------------------

    def _ratio(self) -> str:
        return SYMBOLS[self.family] if self.link in ("logit", "log") else ""

    def _remark(self) -> str:
        terms = []
        for term in self.rows.parts:
            sds = [f"SD {apa.number(self.sds[_sd_name(term.name, effect)])}" + (f" of {effect}" if is_slope else "")
                   for is_slope, effect in enumerate(term.effects)]  # fmt: skip
            terms.append(f"{len(term.levels)} {_plural(term.name)}, {', '.join(sds)}")
        return f" ({'; '.join(terms)})"

    def _columns(self, term: str) -> list[int]:
        return self.design.coding.columns_of(self.design.place(term))

    def _drop_columns(self, columns: list[int]) -> EngineFit:
        """Return the fit without these columns."""
        x, random_parts = spread.leave_out(self.rows, columns)
        return fit_columns(x, self.rows.y, random_parts, self.distribution, self.nagq)


def _sd_name(cluster: str, effect: str) -> str:
    return cluster if effect == "Intercept" else f"{cluster}: {effect}"


def _plural(name: str) -> str:
    noun = name.removesuffix("_id")
    return PLURALS.get(noun, f"{noun}s" if noun.isalpha() and not noun.endswith("s") else f"levels of {name}")


def _entries(random_part: Any) -> int:
    """Return how many variances and correlations a term has."""
    return len(random_part.effects) * (len(random_part.effects) + 1) // 2
