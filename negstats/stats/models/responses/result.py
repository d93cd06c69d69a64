"""`MixedResponses`: yes or no, or counts, with random effects: tests, intervals, people's effects, predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, meant, shown
from negstats.stats.means.grid import Grid
from negstats.stats.models.responses import intervals, population, spread
from negstats.stats.models.responses.engine import EngineFit, fit_columns
from negstats.stats.models.responses.family import Distribution, Family, Link
from negstats.stats.models.responses.integral import Clustered
from negstats.stats.models.responses.rows import ResponseRows
from negstats.stats.models.results import Coefficient, LikelihoodRatio, TermTest, coefficient
from negstats.stats.outcomes.term_tests import coefficient_frame, likelihood_ratio, profile_each, ratio_text
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice, check_rng, find_coefficient, t_interval
from negstats.stats.results.result import Interval, Result, check_level

IntervalMethod: TypeAlias = Literal["wald", "profile", "bootstrap"]
Scale = population.Scale
SYMBOLS = {"binomial": "OR", "poisson": "RR", "negative binomial": "RR"}
PLURALS = {"person": "people"}
DF = "between-within"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MixedResponses(Result):
    """Yes or no, or counts, with random effects, by maximum likelihood. Arrays have the shape ``(coefficients,)``.

    Attributes
    ----------
    names : tuple of str
        The coefficients: ``g[b]`` is level b against the first level of g.
    estimate, se, df, statistic, p : ndarray
        On the scale of the link; t with between–within degrees of freedom: of what is constant within each cluster,
        clusters less columns between them; of what varies within, clusters less 1 if its slope is random, otherwise
        rows less columns less clusters less 1.
    covariance : ndarray, shape (coefficients, coefficients)
    family, link : str
    loglik, deviance, aic, bic : float
        Log-likelihood with all constants (of yes or no: Bernoulli's, one row an answer), and −2 times it.
    n, missing : int
        Complete rows, and those left out.
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

    names: tuple[str, ...]
    estimate: FloatArray
    se: FloatArray
    df: FloatArray
    statistic: FloatArray
    p: FloatArray
    covariance: FloatArray = field(repr=False)
    family: Family
    link: Link
    loglik: float
    deviance: float
    aic: float
    bic: float
    n: int
    clusters: int
    levels: dict[str, int]
    sds: dict[str, float]
    covariances: tuple[pd.DataFrame, ...] = field(repr=False)
    dispersion: float
    nagq: int
    singular: bool
    missing: int
    notes: tuple[str, ...]
    event: str
    rows: ResponseRows = field(repr=False)
    fit: EngineFit = field(repr=False)

    @property
    def outcome(self) -> str:
        """The measured column."""
        return self.rows.coding.outcome

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of the formula without the intercept and the random effects."""
        return self.rows.coding.term_names

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

    def coefficient(self, name: str) -> Coefficient:
        """Return one coefficient with its t test.

        Parameters
        ----------
        name
            The coefficient as `to_frame` names it.

        Returns
        -------
        Coefficient
            The estimate on the scale of the link, its standard error, t, df and p.
        """
        place = self.place(name)
        return coefficient(name, self.estimate[place], self.se[place], self.df[place], DF)

    def test(self, term: str) -> TermTest:
        """Return Wald's F of a term after all others (type III), on between–within degrees of freedom.

        Of a term that others contain, as g in ``g * x``: of its effect at the mean of the covariates, averaged over the
        other factors' levels (as in `linear_model`). Its coefficient is another thing: the effect where each covariate
        is 0, at the first levels.

        Parameters
        ----------
        term
            A term as the formula names it, such as ``"agent"`` or ``"agent:round"``.

        Returns
        -------
        TermTest
            F with its degrees of freedom and p.
        """
        columns = self._columns(term)
        b, q = self.fit.beta[columns], float(len(columns))
        f = float(b @ np.linalg.solve(self.fit.covariance[np.ix_(columns, columns)], b)) / q
        free = float(self.df[columns].min())
        return TermTest(term, f, q, free, float(special.fdtrc(q, free, f)), 1.0, DF)

    def tests(self) -> tuple[TermTest, ...]:
        """Return the F test of each term.

        Returns
        -------
        tuple[TermTest, ...]
            One a term, in the order of the formula.
        """
        return tuple(self.test(term) for term in self.terms)

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
        return likelihood_ratio(self.loglik, self._drop_columns(columns).log_likelihood, len(columns))

    def compare(self, smaller: MixedResponses) -> LikelihoodRatio:
        """Return the likelihood-ratio test against a model with fewer terms or fewer random effects of the same rows.

        With fewer random effects a variance stands at the end of its range, and chi-squared's p is conservative
        (Stram and Lee, 1994, Biometrics 50); `boundary` says so.

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
        """
        if (self.family, self.link) != (smaller.family, smaller.link):
            raise DesignError(f"the models differ in family or link: {self.link} and {smaller.link}")
        if self.nagq != smaller.nagq:
            raise DesignError(f"the models differ in nagq: {self.nagq} and {smaller.nagq}")
        if self.n != smaller.n or self.outcome != smaller.outcome or not np.array_equal(self.rows.y, smaller.rows.y):
            raise DesignError(f"the models have {smaller.n} and {self.n} rows; compare models of the same rows")
        mine, theirs = ({(part.name, one) for part in model.rows.parts for one in part.effects}
                        for model in (self, smaller))  # fmt: skip
        fixed = len(self.names) - len(smaller.names)
        random = sum(map(_entries, self.rows.parts)) - sum(map(_entries, smaller.rows.parts))
        if not set(smaller.names) <= set(self.names) or not theirs <= mine or fixed + random == 0:
            raise DesignError("the other model is not part of this one")
        one = likelihood_ratio(self.loglik, smaller.loglik, fixed + random)
        return LikelihoodRatio(one.statistic, one.df, one.p, boundary=random > 0)

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
        p = intervals.bootstrap_p(self, columns, self._drop_columns(columns), check_rng(rng), n_resamples)
        one = self.likelihood_ratio(term)
        return LikelihoodRatio(one.statistic, one.df, p, boundary=False)

    # --- intervals -----------------------------------------------------------------------------------------------

    def confidence_interval(
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
        places = list(range(len(self.names))) if of is None else [self.place(of)]
        if method == "wald":
            low, high = t_interval(self.estimate[places], self.se[places], self.df[places], level, "two-sided")
        elif method == "profile":
            low, high = profile_each(lambda place: intervals.profile_ends(self, place, level), places)
        else:
            low, high = intervals.bootstrap_ends(self, check_rng(rng), n_resamples, level)[:, places]
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
            Level of the intervals, between 0 and 1; None for a frame without intervals.

        Returns
        -------
        DataFrame
            Variances and SDs on the scale of the link.
        """
        rows = [
            (part.name, name, float(variance))
            for part, table in zip(self.rows.parts, self.covariances, strict=True)
            for name, variance in zip(part.effects, np.diag(table.to_numpy()), strict=True)
        ]
        frame = pd.DataFrame(rows, columns=["cluster", "effect", "variance"])
        frame["sd"] = np.sqrt(frame["variance"])
        if confidence_level is not None:
            ends = self.sd_interval(confidence_level)
            frame["low"], frame["high"] = float(np.asarray(ends.low)), float(np.asarray(ends.high))
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
        """
        return spread.icc(self)

    def r_squared(self) -> pd.DataFrame:
        """Return the marginal and the conditional R² of the latent scale, one row.

        Nakagawa and Schielzeth (2013), Methods in Ecology and Evolution 4, eq. 29 and 30; slopes as Johnson (2014).

        Returns
        -------
        DataFrame
            ``marginal`` counts the predictors alone, ``conditional`` also the random effects; both from 0 to 1.
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

    def grid(self, scale: Scale = "population", at: Mapping[str, float] | None = None) -> Grid:
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
        return intervals.draw_answers(self.rows, self.fit, self.distribution, check_rng(rng))

    # --- output --------------------------------------------------------------------------------------------------

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
        if ratios and self.link not in ("logit", "log"):
            raise DesignError(f"ratios are of the links logit and log; the link is {self.link!r}")
        interval = self.confidence_interval(confidence_level)
        return coefficient_frame(self.names, columns, interval, ratios=ratios, schema="MixedResponses/1")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return each term's F, with the ratio of a term of one coefficient outside interactions, and the SDs.

        Parameters
        ----------
        confidence_level
            Level of the intervals of the ratios, between 0 and 1.

        Returns
        -------
        str
            One clause a term, then the SDs of the random effects.
        """
        sentences = []
        for place, term in enumerate(self.terms):
            text = f"{term}: {self.test(term).apa()}"
            columns = self.rows.coding.columns_of(place)
            own = set(self.rows.coding.terms[place])
            if len(columns) == 1 and not any(own < set(other) for other in self.rows.coding.terms):
                text += f", {self._ratio(columns[0], confidence_level)}"
            sentences.append(text)
        sentences = sentences or [f"{self.names[0]}: {self.coefficient(self.names[0]).apa()}"]
        return f"{'; '.join(sentences)} ({'; '.join(self._spreads())})"

    def _ratio(self, place: int, confidence_level: float) -> str:
        """Return the ratio of a coefficient: of a factor of two levels the second against the first."""
        ends = self.confidence_interval(confidence_level, of=self.names[place])
        low, high = float(np.asarray(ends.low)), float(np.asarray(ends.high))
        estimate = float(self.estimate[place])
        if self.link in ("logit", "log"):
            step = self.rows.coding.step(place, self.rows.coded)
            return ratio_text(SYMBOLS[self.family], estimate, low, high, confidence_level, step)
        return f"b = {apa.with_interval(estimate, low, high, confidence_level)}"

    def _spreads(self) -> list[str]:
        out = []
        for part in self.rows.parts:
            sds = [f"SD {apa.number(self.sds[_sd_name(part.name, effect)])}" + (f" of {effect}" if at else "")
                   for at, effect in enumerate(part.effects)]  # fmt: skip
            out.append(f"{len(part.levels)} {_plural(part.name)}, {', '.join(sds)}")
        return out

    # --- places --------------------------------------------------------------------------------------------------

    def place(self, name: str) -> int:
        """Return the place of a coefficient.

        Parameters
        ----------
        name
            The coefficient as `to_frame` names it.

        Returns
        -------
        int
            Its index, counted from 0.
        """
        return find_coefficient(name, self.names)

    def _columns(self, term: str) -> list[int]:
        sorted_variables = sorted(str(term).split(":"))
        for place, variables in enumerate(self.rows.coding.terms):
            if sorted(variables) == sorted_variables:
                return self.rows.coding.columns_of(place)
        raise DesignError(f"the model has no term {shown(term)}; {meant(term, self.terms, 'it has')}")

    def _drop_columns(self, columns: list[int]) -> EngineFit:
        """Return the fit without these columns."""
        x, parts = intervals.leave_out(self.rows, columns)
        return fit_columns(x, self.rows.y, parts, self.distribution, self.nagq)


def _sd_name(cluster: str, effect: str) -> str:
    return cluster if effect == "Intercept" else f"{cluster}: {effect}"


def _plural(name: str) -> str:
    word = name.removesuffix("_id")
    return PLURALS.get(word, f"{word}s" if word.isalpha() and not word.endswith("s") else f"levels of {name}")


def _entries(part: Any) -> int:
    """Return how many variances and correlations a term has."""
    return len(part.effects) * (len(part.effects) + 1) // 2
