"""Mixed models with a random intercept, from cluster moments: tests with proper degrees of freedom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, shown
from negstats.stats.models import random_intercept as core
from negstats.stats.models._profile import icc_ends, sd_ends
from negstats.stats.models.checks import check_data, check_fit
from negstats.stats.models.fixed_effects import Estimator, FixedEffects
from negstats.stats.models.results import LikelihoodRatio
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_choice, check_single
from negstats.stats.results.result import Interval, check_level
from negstats.stats.summaries import ClusterMoments
from negstats.stats.summaries.coding import Coding

if TYPE_CHECKING:
    from negstats.stats.models.mixed_effects import MixedEffects
    from negstats.stats.models.responses.family import Family, Link
    from negstats.stats.models.responses.result import MixedResponses

Between: TypeAlias = Literal["positive", "any"]

NO_VARIANCE = (
    "no variance between clusters was found, and it was not allowed below 0: tests of what differs between clusters "
    "are conservative, and tests of what differs within them may be too bold; for pairs give between='any'"
)


@dataclass(frozen=True, slots=True, eq=False)
class Mixed(FixedEffects):
    """A linear model with fixed effects and a random intercept for each cluster.

    Attributes
    ----------
    tau2, sigma2, icc : float
        Variance between clusters (a covariance where it is negative), variance within them, and τ²/(τ² + σ²).
    deviance : float
        −2 ln L, with all constants; of the REML or ML criterion.
    n, clusters : float
        Rows and clusters.
    names : tuple of str
        The coefficients. A factor's column ``g[a]`` is how far level a lies from the mean of the levels.
    method, between : str
        "reml" or "ml"; whether the variance between clusters may be "any" or only "positive".
    missing : int
        Rows that were left out because a value was missing.
    notes : tuple of str
        What a reader of the numbers should know.
    """

    tau2: Number
    sigma2: Number
    icc: Number
    deviance: Number
    n: Number
    clusters: Number
    names: tuple[str, ...]
    method: Estimator
    between: Between
    missing: int
    notes: tuple[str, ...]
    moments: ClusterMoments = field(repr=False)
    sums: core.Sums = field(repr=False)
    fit: core.Fit = field(repr=False)
    known: core.Information = field(repr=False)
    turn: FloatArray = field(repr=False)

    @property
    def coding(self) -> Coding:
        """The columns of the model."""
        return self.moments.coding

    @property
    def origin(self) -> Mapping[str, float]:
        """What the outcome and the covariates are measured from."""
        return self.moments.origin

    @property
    def studies(self) -> tuple[int, ...]:
        """The shape of the stack."""
        return self.moments.studies

    @property
    def cross(self) -> FloatArray:
        """Σ z z′ over the rows."""
        return self.moments.cross.reshape(self.sums.cross.shape)

    @property
    def beta(self) -> FloatArray:
        """The coefficients of the fit."""
        return self.fit.beta

    @property
    def phi(self) -> FloatArray:
        """Their covariance matrix."""
        return self.fit.phi

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
        check_single(self.icc, "icc_interval()")
        low, high = icc_ends(self.sums, self.fit, check_level(confidence_level), negative=self.between == "any")
        return Interval(low, high, confidence_level, "profile likelihood")

    def sd_interval(self, part: Literal["between", "within"], confidence_level: float = 0.95) -> Interval:
        """Return the profile-likelihood interval of an SD, between clusters (τ) or within them (σ).

        Parameters
        ----------
        part
            "between" (clusters) or "within" (them).
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, in units of the outcome.
        """
        check_single(self.icc, "sd_interval()")
        check_choice("part", part, ("between", "within"))
        low, high = sd_ends(self.sums, self.fit, part, check_level(confidence_level))
        return Interval(low, high, confidence_level, "profile likelihood")

    def cluster_test(self) -> LikelihoodRatio:
        """Return the likelihood-ratio test that rows of a cluster are independent.

        Where the variance may only be positive, 0 is the end of its range and p is half of chi-squared's (Self and
        Liang, 1987, JASA 82).

        Returns
        -------
        LikelihoodRatio
            Chi-squared with df = 1 and its p; `boundary` says whether p was halved.
        """
        none = core.at(self.sums, np.zeros_like(self.fit.gamma)).deviance
        ratio = np.maximum(none - self.fit.deviance, 0.0)
        p = special.chdtrc(1, ratio)
        is_bounded = self.between == "positive"
        p = np.asarray(np.where(ratio > 0, p / 2, 1.0) if is_bounded else p, dtype=np.float64)
        return LikelihoodRatio(plain(self._study(ratio)), 1, plain(self._study(p)), is_bounded)

    def compare(self, smaller: Mixed) -> LikelihoodRatio:
        """Return the likelihood-ratio test against a model with fewer terms of the same rows, both fitted by ML.

        Parameters
        ----------
        smaller
            A model of the same rows and clusters whose terms are among the terms of this one.

        Returns
        -------
        LikelihoodRatio
            Chi-squared with its df and p.
        """
        if self.method != "ml" or smaller.method != "ml":
            raise DesignError("REML likelihoods of different fixed effects do not compare; fit both with method='ml'")
        if not set(smaller.terms) < set(self.terms):
            raise DesignError(f"the terms {', '.join(smaller.terms) or '(none)'} are not part of this model's")
        if not np.array_equal(smaller.n, self.n) or smaller.moments.coding.outcome != self.moments.coding.outcome:
            raise DesignError(f"the models have {smaller.n} and {self.n} rows; compare models of the same rows")
        if smaller.between != self.between:
            raise DesignError(f"the models differ in between: {smaller.between!r} and {self.between!r}")
        df = len(self.names) - len(smaller.names)
        ratio = np.asarray(smaller.deviance) - np.asarray(self.deviance)
        return LikelihoodRatio(plain(ratio), df, plain(special.chdtrc(df, np.maximum(ratio, 0.0))), False)

    def predictions(self, frame: Any) -> pd.DataFrame:
        """Return what the model predicts for each complete row, with the frame's index.

        The columns are ``fixed``, ``random`` (the cluster's shrunken mean residual), ``fitted`` and ``residual``.

        Parameters
        ----------
        frame
            Rows with the outcome, the predictors and the cluster's column.

        Returns
        -------
        DataFrame
            One row a complete row; all four columns are in units of the outcome.
        """
        from negstats.stats.models._predictions import predicted

        check_single(self.icc, "predictions()")
        return predicted(frame, self.moments, self.turn[0] @ self.fit.beta[0], float(self.fit.gamma[0]))

    def apa(self) -> str:
        """Return each term's test (each coefficient's, if the model has no term) and the intraclass correlation.

        Returns
        -------
        str
            One clause a term, then the intraclass correlation.
        """
        check_single(self.icc, "apa()")
        parts = [f"{test.term}: {test.apa()}" for test in self.tests()]
        parts = parts or [f"{self.names[0]}: {self.coefficients()[0].apa()}"]
        return "; ".join([*parts, f"ICC = {apa.bounded(self.icc)}"])

    def _satterthwaite(self, rows: FloatArray) -> FloatArray:
        is_bounded = self.between == "positive"
        return core.satterthwaite(self.sums, self.fit, self.known, rows, bounded=is_bounded)


@overload
def mixed(
    data: Any,
    formula: str | None = None,
    cluster: str | None = None,
    *,
    random: None = None,
    family: Literal["gaussian"] = "gaussian",
    method: Estimator = "reml",
    between: Between = "positive",
) -> Mixed: ...
@overload
def mixed(
    data: Any,
    formula: str,
    cluster: str | None = None,
    *,
    random: str,
    family: Literal["gaussian"] = "gaussian",
    method: Estimator = "reml",
) -> MixedEffects: ...
@overload
def mixed(
    data: Any,
    formula: str,
    cluster: str | None = None,
    *,
    random: str | None = None,
    family: Family,
    link: Link | None = None,
    nagq: int | None = None,
    event: object = None,
) -> MixedResponses: ...
def mixed(
    data: Any,
    formula: str | None = None,
    cluster: str | None = None,
    *,
    random: str | None = None,
    family: Literal["gaussian"] | Family = "gaussian",
    link: Link | None = None,
    nagq: int | None = None,
    event: object = None,
    method: Estimator = "reml",
    between: Between = "positive",
) -> Any:
    """Fit a mixed model: numbers (linear), yes or no, or counts, with a random intercept or any random effects.

    Parameters
    ----------
    data
        A frame of any engine with one row an observation, or `ClusterMoments` (one study or a stack).
    formula
        Such as ``"points ~ reward * partner"``. Numbers are covariates; text, truth values and ``C(column)`` are
        factors, coded to sum to zero in models of numbers and printed against their first level in models of yes or no
        and counts; ``center(x)``, ``log(x)``, ``poly(x, 2)`` and the like are computed. Random effects may stand in it
        as lme4 writes them:
        ``"accepted ~ benefit * country + (1 | person) + (1 | item)"``; this is `random` in another spelling.
    cluster
        The column that says which rows belong together, such as the game.
    random
        What varies over the clusters besides the intercept: ``"x"`` is ``(1 + x | cluster)``. Or terms that name their
        clusters, ``"(1 + x | person) + (1 | item)"``; ``"(1 | session/pair)"`` is an intercept for each session and
        each pair in it; ``0 +`` leaves the intercept out. Random effects of one term correlate. This needs the rows of
        one study, and gives `MixedEffects`.
    family
        "gaussian"; "binomial" (yes or no), "poisson" or "negative binomial" (counts; variance μ + μ²/θ), by maximum
        likelihood, which give `MixedResponses` and need the package glmm (``pip install negstats[mixed]`` where it
        did not come along).
    link
        Of yes or no: "logit" (default), "probit" or "cloglog".
    nagq
        Nodes of adaptive quadrature, odd, to 25; 1 is Laplace's approximation. Not given: 25 with one random effect, 1
        with several.
    event
        Of yes or no: which value is modelled; true, 1 or the second of two words if not given.
    method
        "reml" or "ml", of family="gaussian".
    between
        Of family="gaussian". "positive": the variance between clusters is at least 0. "any": it may be a negative
        covariance, as in pairs who compete; tests keep their size there (no program's bounded model does).

    Returns
    -------
    Any
        The fit of the family: its coefficients with tests, and the variances of the random effects.

    Raises
    ------
    DesignError
        If the formula cannot be read, a column is not there or follows from others, or there are too few clusters.
    NotEstimable
        If every cluster has one row, the variances cannot be told apart, or the search for them did not arrive. A stack
        gives NaN for such a study. Of yes or no and counts also if a column separates the answers, or people's spread
        grows without end.

    Notes
    -----
    Every number is a function of Σ z z′ over rows and Σ t t′ over the totals of clusters of each size. Criterion: Bates
    et al. (2015), J. Stat. Software 67; df: Kenward and Roger (1997), Biometrics 53; Giesbrecht and Burns (1985).

    Yes or no and counts are fitted by the package glmm (LGPL), the likelihood of the fit held against a sum over 721
    points where there is one random effect; tests are Wald's on between–within degrees of freedom.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"pair": [1, 1, 2, 2, 3, 3, 4, 4], "points": [5, 7, 9, 8, 2, 4, 6, 9],
    ...                       "role": ["a", "b"] * 4})
    >>> mixed(frame, "points ~ role", cluster="pair").apa()
    'role: F(1, 3) = 3.00, p = .182; ICC = .77'

    A slope that varies from person to person:

    >>> rows = pd.DataFrame({"person": [place // 4 for place in range(16)], "round": [1, 2, 3, 4] * 4,
    ...                      "points": [5, 6, 8, 9, 4, 4, 5, 5, 7, 9, 12, 14, 6, 8, 8, 11]})
    >>> mixed(rows, "points ~ round", cluster="person", random="round").apa()
    'round: F(1, 3) = 11.71, p = .042; SD(Intercept | person) = 0.48; SD(round | person) = 0.81'

    Yes or no, as lme4 writes it:

    >>> import numpy as np
    >>> draw = np.random.default_rng(3)
    >>> person, offer = np.repeat(np.arange(20), 8), np.tile(np.arange(8), 20)
    >>> yes = draw.random(160) < 1 / (1 + np.exp(3.5 - offer - draw.normal(0, 1, 20)[person]))
    >>> answers = pd.DataFrame({"person": person, "offer": offer, "accepted": yes})
    >>> mixed(answers, "accepted ~ offer + (1 | person)", family="binomial").apa()
    'offer: F(1, 139) = 35.86, p < .001, OR = 3.15, 95% CI [2.16, 4.61] (20 people, SD 0.99)'
    """
    check_choice("method", method, ("reml", "ml"))
    check_choice("between", between, ("positive", "any"))
    if isinstance(formula, str) and "|" in formula:
        formula, random = _split_bars(formula, random, cluster)
    if family != "gaussian":
        return _responses(data, formula, cluster, random, family, link, nagq, event, method, between)
    if link is not None or nagq is not None or event is not None:
        name = "link" if link is not None else "nagq" if nagq is not None else "event"
        raise DesignError(f"{name} is of yes or no and counts; give family='binomial' (or leave {name} out)")
    if random is not None:
        from negstats.stats.models.mixed_effects import mixed_effects

        if between != "positive":
            raise DesignError("between='any' is of a random intercept alone; leave random or between out")
        if isinstance(data, ClusterMoments) or formula is None:
            raise DesignError("random effects need the rows: give a frame and a formula")
        return mixed_effects(data, formula, random, cluster, method=method)
    moments = _moments(data, formula, cluster)
    lead, c = int(np.prod(moments.studies, dtype=np.intp)), moments.cross.shape[-1]
    k = len(moments.sizes)
    single = not moments.studies
    if single:
        check_data(moments)
    cross, totals = moments.cross.reshape(lead, c, c), moments.totals.reshape(lead, k, c, c)
    turn = core.orthonormal(cross[:, 1:, 1:])
    sums = core.Sums(
        moments.rows.reshape(lead), moments.sizes, moments.clusters.reshape(lead, k), cross, totals, method == "reml"
    ).turned(turn)
    solution, stuck = core.fit(sums, negative=between == "any")
    if single and stuck[0]:
        check_fit(moments, solution, negative=between == "any")
    if stuck.any():
        solution = core.at(sums, np.where(stuck, np.nan, solution.gamma))
    shape, deviance = moments.studies, solution.deviance
    if method == "reml":  # ln |X′V⁻¹X| of the coded columns
        deviance = deviance - 2 * np.linalg.slogdet(turn)[1]
    notes = (NO_VARIANCE,) if single and solution.gamma[0] == 0 and between == "positive" else ()
    return Mixed(
        tau2=plain(solution.tau2.reshape(shape)),
        sigma2=plain(solution.sigma2.reshape(shape)),
        icc=plain((solution.gamma / (1 + solution.gamma)).reshape(shape)),
        deviance=plain(deviance.reshape(shape)),
        n=plain(moments.rows),
        clusters=plain(moments.clusters.sum(axis=-1)),
        names=moments.coding.names,
        method=method,
        between=between,
        missing=moments.missing,
        notes=notes,
        moments=moments,
        sums=sums,
        fit=solution,
        known=core.information(sums, solution),
        turn=turn,
    )


def _split_bars(formula: str, random: str | None, cluster: str | None) -> tuple[str, str]:
    """Return the formula without its random terms, and these; they stand in one place only."""
    from negstats.stats.models.random_terms import split_bars

    fixed, bars = split_bars(formula)
    if random is not None or cluster is not None:
        other = "random=" if random is not None else "cluster="
        raise DesignError(f"random effects are in the formula and in {other}; give them once")
    assert bars is not None  # noqa: S101 - the formula has a bar, or split_bars raised
    return fixed, bars


def _responses(
    data: Any, formula: str | None, cluster: str | None, random: str | None, family: Any, link: Link | None,
    nagq: int | None, event: object, method: Estimator, between: Between,
) -> MixedResponses:  # fmt: skip
    from negstats.stats.models.random_terms import quote_column, read_terms
    from negstats.stats.models.responses.family import check_family
    from negstats.stats.models.responses.fit import mixed_responses

    check_family(family, link)
    for name, value, default in (("method", method, "reml"), ("between", between, "positive")):
        if value != default:
            raise DesignError(f"{name}={value!r} is of family='gaussian'; leave it out")
    if isinstance(data, ClusterMoments) or formula is None:
        raise DesignError(f"family={family!r} needs the rows: give a frame and a formula")
    if random is None:
        if cluster is None:
            raise DesignError("say what belongs together: '(1 | person)' in the formula, or cluster='person'")
        random, cluster = f"(1 | {quote_column(cluster)})", None
    terms = read_terms(random, cluster)
    return mixed_responses(data, formula, terms, family=family, link=link, nagq=nagq, event=event)


def _moments(data: Any, formula: str | None, cluster: str | None) -> ClusterMoments:
    if isinstance(data, ClusterMoments):
        if formula is not None or cluster is not None:
            raise DesignError("ClusterMoments were made with a formula and a cluster; leave these out here")
        return data
    if formula is None or cluster is None:
        example = "'y ~ x + (1 | person)', or cluster=, the column that says which rows belong together"
        fault = "no formula is given" if formula is None else f"the formula {shown(formula)} has no random effects"
        raise DesignError(f"{fault}; with a frame write them, as in {example}")
    return ClusterMoments.from_frame(data, formula, cluster)
