"""Mixed models with random slopes, and with intercepts that are nested or crossed: from rows, one study at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.models import _profile_effects as profiles
from negstats.stats.models import random_effects as core
from negstats.stats.models._predictions import predicted_effects
from negstats.stats.models.checks import check_cross
from negstats.stats.models.fixed_effects import Estimator, FixedEffects
from negstats.stats.models.random_intercept import Information
from negstats.stats.models.random_terms import Blocks, RandomColumns, RandomTerm, read_terms
from negstats.stats.models.responses.engine import RandomPart, fit_linear, has_engine
from negstats.stats.models.results import LikelihoodRatio
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.result import Interval, check_level
from negstats.stats.summaries.clusters import CodedRows, origin_of
from negstats.stats.summaries.coding import Coding
from negstats.stats.summaries.formulas import Formula
from negstats.stats.summaries.frames import as_pandas, check_columns

# The least singular value of a term's Λ, in columns of the size of the variances, below which there are
# too many random effects.
SINGULAR = 1e-4
LEAST_START = 1e-6  # of the largest relative variance: at 0 itself no derivative leads away
SIDES = ("low", "high")
TOO_MANY = "are more than the data can distinguish (a variance of 0, or a correlation of 1 or −1): leave one out"


@dataclass(frozen=True, slots=True, eq=False)
class MixedEffects(FixedEffects):
    """A linear model with fixed effects and any random effects whose clusters are nested or crossed.

    Attributes
    ----------
    sigma2 : float
        Variance within.
    deviance : float
        −2 ln L, with all constants; of the REML or ML criterion.
    n : int
        Rows.
    levels : dict
        How many clusters each column (or columns joined by a colon) of clusters has.
    singular : bool
        Whether a variance is 0 or random effects follow from each other.
    names : tuple of str
        The coefficients. A factor's column ``g[a]`` is how far level a lies from the mean of the levels.
    method : str
        "reml" or "ml".
    missing : int
        Rows that were left out because a value was missing.
    notes : tuple of str
        What a reader of the numbers should know.
    """

    sigma2: float
    deviance: float
    n: int
    levels: dict[str, int]
    singular: bool
    names: tuple[str, ...]
    method: Estimator
    missing: int
    notes: tuple[str, ...]
    random: tuple[RandomTerm, ...]
    covariances: tuple[pd.DataFrame, ...] = field(repr=False)
    effects: tuple[RandomColumns, ...] = field(repr=False)
    relative: tuple[FloatArray, ...] = field(repr=False)
    turns: tuple[FloatArray, ...] = field(repr=False)
    columns: Coding = field(repr=False)
    measured_from: Mapping[str, float] = field(repr=False)
    problem: core.Problem = field(repr=False)
    fit: core.At = field(repr=False)
    derivatives: core.Slopes = field(repr=False)
    known: Information = field(repr=False)
    turn: FloatArray = field(repr=False)
    products: FloatArray = field(repr=False)

    @property
    def coding(self) -> Coding:
        """The columns of the model."""
        return self.columns

    @property
    def origin(self) -> Mapping[str, float]:
        """What the outcome and the covariates are measured from."""
        return self.measured_from

    @property
    def studies(self) -> tuple[int, ...]:
        """One study."""
        return ()

    @property
    def cross(self) -> FloatArray:
        """Σ z z′ over the rows."""
        return self.products[None]

    @property
    def beta(self) -> FloatArray:
        """The coefficients of the fit."""
        return self.fit.beta[None]

    @property
    def phi(self) -> FloatArray:
        """Their covariance matrix."""
        return self.fit.phi[None]

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
        >>> model = mixed(rows, "points ~ round", cluster="person", random="round")
        >>> model.variances(0.95)[["effect", "sd", "low", "high"]].round(2)
              effect    sd   low  high
        0  Intercept  0.48  0.00  1.97
        1      round  0.81  0.39  2.45
        2   Residual  0.46  0.32  0.74
        >>> model.random_effects(rows).head(2).round(2)
          cluster level     effect  estimate
        0  person     0  Intercept     -0.10
        1  person     0      round     -0.16
        """
        rows = [
            (term.name, name, float(table.loc[name, name]))
            for term, table in zip(self.random, self.covariances, strict=True)
            for name in table.index
        ]
        frame = pd.DataFrame([*rows, ("", "Residual", self.sigma2)], columns=["cluster", "effect", "variance"])
        frame["sd"] = np.sqrt(frame["variance"])
        if confidence_level is not None:
            ends = [
                self.sd_interval(effect, cluster or None, confidence_level)
                for cluster, effect, _ in frame.to_numpy()[:, :3]
            ]
            frame["low"], frame["high"] = ([float(np.asarray(getattr(end, side))) for end in ends] for side in SIDES)
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
        if effect == "Residual" and cluster is None:
            place = None
        else:
            term = self._term(cluster, effect)
            place = (term, self.effects[term].names.index(effect))
        low, high = profiles.sd_ends(self, place, check_level(confidence_level))
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
        term = self._term(cluster, one, other)
        names = self.effects[term].names
        low, high = profiles.correlation_ends(
            self, term, (names.index(one), names.index(other)), check_level(confidence_level)
        )
        return Interval(low, high, confidence_level, "profile likelihood")

    def random_effects(self, frame: Any) -> pd.DataFrame:
        """Return the predicted random effects of the rows' clusters: ``cluster``, ``level``, ``effect``, ``estimate``.

        The best linear unbiased prediction (Robinson, 1991, Statistical Science 6), by how much the cluster's
        intercept or slope lies above the mean one; levels of nested clusters are joined by a colon.

        Parameters
        ----------
        frame
            Rows with the outcome, the predictors and the columns of the clusters.

        Returns
        -------
        DataFrame
            One row a level and effect; ``estimate`` is in units of the outcome (of a slope, per unit of its
            column).
        """
        return predicted_effects(frame, self)[1]

    def predictions(self, frame: Any) -> pd.DataFrame:
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
        return predicted_effects(frame, self)[0]

    def _term(self, cluster: str | None, *effects: str) -> int:
        """Return the place of the one term that has these effects."""
        places = [
            place
            for place, (term, columns) in enumerate(zip(self.random, self.effects, strict=True))
            if cluster in (None, term.name) and set(effects) <= set(columns.names) and len(set(effects)) == len(effects)
        ]
        if len(places) != 1:
            effect_names = "; ".join(
                f"{', '.join(columns.names)} of {term.name}"
                for term, columns in zip(self.random, self.effects, strict=True)
            )
            raise DesignError(
                f"{' and '.join(map(shown, effects))} of {'any' if cluster is None else shown(cluster)} "
                f"{'are several terms' if places else 'is no term'}; there are {effect_names}"
            )
        return places[0]

    def compare(self, smaller: MixedEffects) -> LikelihoodRatio:
        """Return the likelihood-ratio test against a model with fewer terms, or fewer random effects, of the same rows.

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
        """
        fixed = len(self.names) - len(smaller.names)
        random = len(self.problem.layout.entries) - len(smaller.problem.layout.entries)
        if self.method != smaller.method or (fixed and self.method == "reml"):
            raise DesignError("REML likelihoods of different fixed effects do not compare; fit both with method='ml'")
        if self.n != smaller.n or self.coding.outcome != smaller.coding.outcome:
            raise DesignError(f"the models have {smaller.n} and {self.n} rows; compare models of the same rows")
        if not set(smaller.names) <= set(self.names) or random < 0 or fixed + random == 0:
            raise DesignError("the other model is not part of this one")
        ratio = max(smaller.deviance - self.deviance, 0.0)
        return LikelihoodRatio(ratio, fixed + random, float(special.chdtrc(fixed + random, ratio)), random > 0)

    def apa(self) -> str:
        """Return each term's test (each coefficient's, if the model has no term) and the SDs of the random effects.

        Returns
        -------
        str
            One clause a term, then the SDs.
        """
        parts = [f"{test.term}: {test.apa()}" for test in self.tests()]
        parts = parts or [f"{self.names[0]}: {self.coefficients()[0].apa()}"]
        sds = [f"SD({row.effect} | {row.cluster}) = {row.sd:.2f}" for row in self.variances().iloc[:-1].itertuples()]
        return "; ".join([*parts, *sds])

    def _satterthwaite(self, rows: FloatArray) -> FloatArray:
        """Return ν = 2v²/(g′ I⁻¹ g) with derivatives in (θ, ln σ²), which say nothing where a variance is 0.

        Giesbrecht and Burns (1985), Communications in Statistics 14; the eigenvalues that are kept as in lmerTest.
        """
        reach = rows[0] @ self.fit.phi
        v = np.einsum("qa,qa->q", reach, rows[0])
        slope = np.einsum("qa,iab,qb->qi", reach, self.known.p[0], reach) @ self.derivatives.jacobian
        size, vectors = np.linalg.eigh(self.derivatives.full / 2)
        is_estimable = size > 1e-8 * size.max()
        spread = ((slope @ vectors[:, is_estimable]) ** 2 / size[is_estimable]).sum(axis=1)
        with np.errstate(divide="ignore"):
            return np.asarray(2 * v**2 / spread)[None]


@dataclass(frozen=True, slots=True, eq=False)
class EffectRows:
    """Coded rows of a model with random effects; each outcome of these rows can be fitted."""

    y: FloatArray
    basis: FloatArray
    turn: FloatArray
    terms: tuple[RandomTerm, ...]
    blocks: Blocks
    coding: Coding
    x: FloatArray
    origin: Mapping[str, float]
    missing: int
    method: Estimator

    @classmethod
    def read(cls, data: Any, formula: str, random: str, cluster: str | None, method: Estimator) -> EffectRows:
        """Code the rows of a frame; the errors are those of `mixed`."""
        parsed_formula, terms = Formula.parse(formula), read_terms(random, cluster)
        clusters = list(dict.fromkeys(name for term in terms for name in term.clusters))
        slopes = dict.fromkeys(name for term in terms for name in term.slopes)
        extra = [name for name in slopes if (name,) not in parsed_formula.terms]
        names = list(dict.fromkeys([*parsed_formula.columns, *extra]))
        for name in clusters:
            if name in names:
                raise DesignError(f"random names {name!r} as a cluster, which is a predictor too; give it one part")
        if parsed_formula.outcome in slopes:
            raise DesignError(f"{parsed_formula.outcome!r} is the outcome and a random slope; take it out of random")
        if len(set(terms)) < len(terms):
            raise DesignError(f"random is {shown(random)}, which has a term twice")
        check_columns(data, [*names, *clusters], "formula and random")
        with_slopes = replace(parsed_formula, terms=(*parsed_formula.terms, *((name,) for name in extra)))
        rows = CodedRows.of(as_pandas(data, [*names, *clusters]), with_slopes, clusters)
        parsed_formula = replace(rows.formula, terms=parsed_formula.terms)
        fixed = {name: rows.factors[name] for name in parsed_formula.variables if name in rows.factors}
        coding = Coding.of(parsed_formula, fixed)
        origin = {name: origin_of(column) for name, column in rows.columns.items() if name not in rows.factors}
        for name, start in origin.items():
            rows.columns[name] = rows.columns[name] - start
        y, x = rows.columns[parsed_formula.outcome], coding.matrix(rows.columns)
        outcome_and_columns = np.column_stack([y, x])
        check_cross(np.asarray(outcome_and_columns.T @ outcome_and_columns), len(y), coding)
        basis, triangle = np.linalg.qr(x)
        groups = dict(zip(clusters, rows.groups, strict=True))
        blocks = Blocks.of(terms, rows, groups, parsed_formula.outcome, origin)
        turn = np.asarray(np.linalg.inv(triangle), dtype=np.float64)
        return cls(y, basis, turn, terms, blocks, coding, x, origin, rows.missing, method)

    def fit(self, y: FloatArray, start: FloatArray | None = None) -> MixedEffects:
        """Fit an outcome, measured from its origin; the search begins at `start`, relative factors of the terms."""
        z, blocks = np.column_stack([y, self.basis]), self.blocks
        problem = core.Problem(len(z), z.T @ z, blocks.batches(z), blocks.layout, self.method == "reml")
        problem, solution, derivatives, turns = core.fit(problem, start)
        factors = blocks.layout.factors(solution.theta)
        relative = tuple(turn @ one for turn, one in zip(turns, factors, strict=True))
        covariances = tuple(
            pd.DataFrame(
                solution.sigma2 * (effect.back @ one) @ (effect.back @ one).T,
                index=list(effect.names),
                columns=list(effect.names),
            )
            for one, effect in zip(relative, blocks.columns, strict=True)
        )
        poor = [term.name for term, one in zip(self.terms, factors, strict=True) if is_singular(one)]
        outcome_and_columns = np.column_stack([y, self.x])
        shift = 2 * float(np.linalg.slogdet(self.turn)[1]) if self.method == "reml" else 0.0
        return MixedEffects(
            sigma2=solution.sigma2,
            deviance=solution.deviance - shift,  # ln |X′V⁻¹X| of the coded columns
            n=len(z),
            levels={term.name: size for term, size in zip(self.terms, blocks.levels, strict=True)},
            singular=bool(poor),
            names=self.coding.names,
            method=self.method,
            missing=self.missing,
            notes=tuple(f"the random effects of {name} {TOO_MANY}" for name in poor),
            random=self.terms,
            covariances=covariances,
            effects=blocks.columns,
            relative=relative,
            turns=tuple(turns),
            columns=self.coding,
            measured_from=self.origin,
            problem=problem,
            fit=solution,
            derivatives=derivatives,
            known=derivatives.known,
            turn=self.turn[None],
            products=np.asarray(outcome_and_columns.T @ outcome_and_columns),
        )

    def start(self, covariances: Sequence[FloatArray], sigma2: float) -> FloatArray:
        """Return where a search begins at covariances of the random effects, in the columns as they are given."""
        factors = []
        for table, effect in zip(covariances, self.blocks.columns, strict=True):
            own = np.linalg.solve(effect.back, table) @ np.linalg.inv(effect.back).T / sigma2
            size, vectors = np.linalg.eigh((own + own.T) / 2)
            root = vectors * np.sqrt(np.maximum(size, LEAST_START * max(float(size.max()), LEAST_START)))
            factors.append(np.asarray(np.linalg.cholesky(root @ root.T), dtype=np.float64))
        return self.blocks.layout.psi(factors)


def mixed_effects(
    data: Any, formula: str, random: str, cluster: str | None = None, *, method: Estimator = "reml"
) -> MixedEffects:
    """Fit random slopes, and nested or crossed intercepts; `mixed` with ``random=`` calls this."""
    rows = EffectRows.read(data, formula, random, cluster, method)
    return rows.fit(rows.y, engine_start(rows, rows.y))


def engine_start(rows: EffectRows, y: FloatArray) -> FloatArray | None:
    """Return where the engine's search ended for an outcome; None without it, or for terms that it does not take.

    It needs an intercept in each term, and the columns of slopes among the predictors. Only the search is saved:
    criterion, derivatives and degrees of freedom are those of `random_effects`.
    """
    names = rows.coding.names
    is_supported = all(term.intercept and set(effect.names[1:]) <= set(names)
                for term, effect in zip(rows.terms, rows.blocks.columns, strict=True))  # fmt: skip
    if not has_engine() or not is_supported:
        return None
    parts = tuple(
        RandomPart(
            term.name,
            effect.names,
            tuple(names.index(name) for name in effect.names[1:]),
            codes,
            tuple(map(str, range(size))),
        )
        for term, effect, codes, size in zip(
            rows.terms, rows.blocks.columns, rows.blocks.codes, rows.blocks.levels, strict=True
        )
    )
    try:
        covariances, sigma2 = fit_linear(rows.x, y, parts, reml=rows.method == "reml")
    except NotEstimable:
        return None
    return rows.start(covariances, sigma2)


def is_singular(factor: FloatArray) -> bool:
    """Whether some direction of a term's effects has next to no spread, relative to the residual's SD."""
    return bool(np.linalg.svd(factor, compute_uv=False).min() < SINGULAR)
