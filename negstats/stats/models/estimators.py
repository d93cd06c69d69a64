"""What a `MixedModel` asks of its fit: of one random intercept, from cluster moments, and of any others, from rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.design import ModelDesign, design_of_summary
from negstats.stats.models import random_effects, random_intercept
from negstats.stats.models.mixed_model import Estimator, MixedModel
from negstats.stats.models.profiles import correlation_ends, effect_sd_ends, icc_ends, sd_ends
from negstats.stats.models.random_intercept import Information, check_cross, check_data, check_fit
from negstats.stats.models.random_terms import Blocks, RandomColumns, RandomTerm, read_terms
from negstats.stats.models.responses.engine import RandomPart, fit_linear, has_engine
from negstats.stats.models.results import predicted, predicted_effects
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.summaries import ClusterMoments
from negstats.stats.summaries.clusters import CodedRows, origin_of
from negstats.stats.summaries.coding import Coding
from negstats.stats.summaries.formulas import Formula, Reference
from negstats.stats.summaries.frames import as_pandas, check_columns

if TYPE_CHECKING:
    from negstats.stats.models.mixed import Between

NO_VARIANCE = (
    "no variance between clusters was found, and it was not allowed below 0: tests of what differs between clusters "
    "are conservative, and tests of what differs within them may be too bold; for pairs give between='any'"
)


@dataclass(frozen=True, slots=True, eq=False)
class OneIntercept:
    """The random intercept of a fit.

    Attributes
    ----------
    tau2, icc : float
        Variance between clusters (a covariance where it is negative), and τ²/(τ² + σ²).
    between : str
        Whether the variance may be "any" or only "positive".
    """

    tau2: Number
    icc: Number
    between: Between
    moments: ClusterMoments
    sums: random_intercept.Sums
    fit: random_intercept.Fit

    @property
    def entries(self) -> int:
        """One variance."""
        return 1

    def satterthwaite(self, known: random_intercept.Information, rows: FloatArray) -> FloatArray:
        """Return the degrees of freedom of single sums of the coefficients that were fitted."""
        return random_intercept.satterthwaite(self.sums, self.fit, known, rows, bounded=self.between == "positive")

    @property
    def covariances(self) -> tuple[pd.DataFrame, ...]:
        """The variance between clusters, as a table."""
        return (pd.DataFrame([[float(np.asarray(self.tau2))]], index=["Intercept"], columns=["Intercept"]),)

    def clusters(self) -> list[str]:
        """Return the column of the clusters."""
        return [self.moments.cluster]

    def variances(self) -> list[tuple[str, str, Number]]:
        """Return the variance between clusters."""
        return [(self.moments.cluster, "Intercept", self.tau2)]

    def clauses(self) -> list[str]:
        """Return the intraclass correlation, as a sentence has it."""
        return [f"ICC = {apa.bounded(self.icc)}"]

    def icc_ends(self, confidence_level: float) -> tuple[float, float]:
        """Return the profile-likelihood interval of the intraclass correlation."""
        return icc_ends(self.sums, self.fit, confidence_level, negative=self.between == "any")

    def sd_ends(self, effect: str, cluster: str | None, confidence_level: float) -> tuple[float, float]:
        """Return the profile-likelihood interval of the SD between clusters ("Intercept") or within ("Residual")."""
        if effect not in ("Intercept", "Residual") or cluster not in (None, self.moments.cluster):
            raise DesignError(
                f"{shown(effect)} of {'any' if cluster is None else shown(cluster)} is not a term; it has Intercept of "
                f"{self.moments.cluster} and Residual"
            )
        return sd_ends(self.sums, self.fit, "between" if effect == "Intercept" else "within", confidence_level)

    def correlation_ends(self, *_: object) -> tuple[float, float]:
        """Refuse: there is one effect."""
        raise DesignError("one random effect has no correlation; random slopes have")

    def cluster_ratio(self) -> tuple[FloatArray, bool]:
        """Return the likelihood ratio of independent rows, and whether these stand at the end of the range."""
        without_variance = random_intercept.at(self.sums, np.zeros_like(self.fit.gamma)).deviance
        return np.maximum(without_variance - self.fit.deviance, 0.0), self.between == "positive"

    def predictions(self, frame: pd.DataFrame, model: MixedModel) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the predictions of complete rows, and each cluster's intercept."""
        return predicted(frame, self.moments, model.turn[0] @ self.fit.beta[0], float(self.fit.gamma[0]))


def fit_intercept(moments: ClusterMoments, method: Estimator, between: Between, rows: Any) -> MixedModel:
    """Fit a random intercept to moments, of one study or a stack; `mixed` calls this."""
    shape, cross = moments.studies, moments.cross.reshape(-1, *moments.cross.shape[-2:])
    if not shape:
        check_data(moments)
    to_orthonormal = random_intercept.orthonormal(cross[:, 1:, 1:])
    sums, solution = _solve(moments, cross, to_orthonormal, method, negative=between == "any")
    no_variance = bool(not shape and solution.gamma[0] == 0 and between == "positive")
    deviance = solution.deviance
    if method == "reml":  # ln |X′V⁻¹X| of the coded columns
        deviance = deviance - 2 * np.linalg.slogdet(to_orthonormal)[1]
    tau2, icc = (plain(values.reshape(shape)) for values in (solution.tau2, solution.gamma / (1 + solution.gamma)))
    return MixedModel(
        outcome=moments.coding.outcome,
        names=moments.coding.labels,
        sigma2=plain(solution.sigma2.reshape(shape)),
        deviance=plain(deviance.reshape(shape)),
        n=plain(moments.rows),
        levels={moments.cluster: plain(moments.clusters.sum(axis=-1))},
        singular=no_variance,
        method=method,
        between=between,
        freedom="kenward-roger" if method == "reml" else "satterthwaite",
        missing=moments.missing,
        notes=(NO_VARIANCE,) if no_variance else (),
        studies=shape,
        design=design_of_summary(moments.coding, _means(moments.coding, moments.origin, cross[0, 1]), moments.missing),
        part=OneIntercept(tau2, icc, between, moments, sums, solution),
        beta=solution.beta,
        phi=solution.phi,
        turn=to_orthonormal,
        cross=cross,
        origin=moments.origin,
        known=random_intercept.information(sums, solution),
        frame=rows,
    )


def _solve(
    moments: ClusterMoments, cross: FloatArray, to_orthonormal: FloatArray, method: Estimator, *, negative: bool
) -> tuple[random_intercept.Sums, random_intercept.Fit]:
    """Return the sums of the orthonormal columns, and the fit; NaN of a study of a stack whose search ends nowhere."""
    studies, sizes = len(cross), len(moments.sizes)
    totals = moments.totals.reshape(studies, sizes, *cross.shape[1:])
    rows, clusters = moments.rows.reshape(studies), moments.clusters.reshape(studies, sizes)
    sums = random_intercept.Sums(rows, moments.sizes, clusters, cross, totals, method == "reml").turned(to_orthonormal)
    solution, is_stuck = random_intercept.fit(sums, negative=negative)
    if not moments.studies and is_stuck[0]:
        check_fit(moments, solution, negative=negative)
    if is_stuck.any():
        solution = random_intercept.at(sums, np.where(is_stuck, np.nan, solution.gamma))
    return sums, solution


def _means(coding: Coding, origin: Mapping[str, float], totals: FloatArray) -> dict[str, float]:
    """Return the mean of each covariate from the totals of the coded columns, the outcome's first."""
    return {
        name: origin[name] + float(totals[1 + coding.parts.index(((name, 0),))] / totals[1])
        for name in coding.covariates
    }


# The least singular value of a term's Λ, in columns of the size of the variances, below which there are
# too many random effects.
SINGULAR = 1e-4
LEAST_START = 1e-6  # of the largest relative variance: at 0 itself no derivative leads away
TOO_MANY = "are more than the data can distinguish (a variance of 0, or a correlation of 1 or −1): leave one out"


@dataclass(frozen=True, slots=True, eq=False)
class RandomEffects:
    """The random effects of a fit: slopes, and intercepts that are nested or crossed.

    Attributes
    ----------
    random : tuple of RandomTerm
    covariances : tuple of pandas.DataFrame
        Of each term's random effects.
    """

    random: tuple[RandomTerm, ...]
    covariances: tuple[pd.DataFrame, ...]
    effects: tuple[RandomColumns, ...]
    relative: tuple[FloatArray, ...]
    turns: tuple[FloatArray, ...]
    problem: random_effects.Problem
    fit: random_effects.At
    derivatives: random_effects.Slopes

    @property
    def entries(self) -> int:
        """How many variances and correlations were fitted."""
        return len(self.problem.layout.entries)

    def clusters(self) -> list[str]:
        """Return the columns of the clusters."""
        return list(dict.fromkeys(name for term in self.random for name in term.clusters))

    def variances(self) -> list[tuple[str, str, Number]]:
        """Return cluster, effect and variance of each random effect."""
        return [
            (term.name, name, float(table.loc[name, name]))
            for term, table in zip(self.random, self.covariances, strict=True)
            for name in table.index
        ]

    def clauses(self) -> list[str]:
        """Return the SD of each random effect, as a sentence has them."""
        return [f"SD({name} | {cluster}) = {np.sqrt(variance):.2f}" for cluster, name, variance in self.variances()]

    def sd_ends(self, effect: str, cluster: str | None, confidence_level: float) -> tuple[float, float]:
        """Return the profile-likelihood interval of an SD."""
        if effect == "Residual" and cluster is None:
            return effect_sd_ends(self, None, confidence_level)
        term = self._term(cluster, effect)
        return effect_sd_ends(self, (term, self.effects[term].names.index(effect)), confidence_level)

    def correlation_ends(
        self, one: str, other: str, cluster: str | None, confidence_level: float
    ) -> tuple[float, float]:
        """Return the profile-likelihood interval of the correlation of two effects of a term."""
        term = self._term(cluster, one, other)
        names = self.effects[term].names
        return correlation_ends(self, term, (names.index(one), names.index(other)), confidence_level)

    def predictions(self, frame: pd.DataFrame, model: MixedModel) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the predictions of complete rows, and those of each cluster's random effects."""
        return predicted_effects(frame, model, self)

    def _term(self, cluster: str | None, *effects: str) -> int:
        """Return the place of the one term that has these effects."""
        candidates = [
            index
            for index, (term, columns) in enumerate(zip(self.random, self.effects, strict=True))
            if cluster in (None, term.name) and set(effects) <= set(columns.names) and len(set(effects)) == len(effects)
        ]
        if len(candidates) != 1:
            effect_names = "; ".join(
                f"{', '.join(columns.names)} of {term.name}"
                for term, columns in zip(self.random, self.effects, strict=True)
            )
            raise DesignError(
                f"{' and '.join(map(shown, effects))} of {'any' if cluster is None else shown(cluster)} "
                f"{'are several terms' if candidates else 'is not a term'}; there are {effect_names}"
            )
        return candidates[0]

    def satterthwaite(self, known: Information, rows: FloatArray) -> FloatArray:
        """Return ν = 2v²/(g′ I⁻¹ g) with derivatives in (θ, ln σ²), which say nothing where a variance is 0.

        Giesbrecht and Burns (1985), Communications in Statistics 14; the eigenvalues that are kept as in lmerTest.
        """
        row_covariance = rows[0] @ self.fit.phi
        variances = np.einsum("qa,qa->q", row_covariance, rows[0])
        # How each row's variance changes with the covariance parameters.
        slope = np.einsum("qa,iab,qb->qi", row_covariance, known.p[0], row_covariance) @ self.derivatives.jacobian
        eigenvalues, vectors = np.linalg.eigh(self.derivatives.full / 2)
        # Directions in which the likelihood is flat, as at a bound, are left out.
        is_estimable = eigenvalues > 1e-8 * eigenvalues.max()
        variance_of_variance = ((slope @ vectors[:, is_estimable]) ** 2 / eigenvalues[is_estimable]).sum(axis=1)
        with np.errstate(divide="ignore"):
            return np.asarray(2 * variances**2 / variance_of_variance)[None]


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
    design: ModelDesign
    frame: pd.DataFrame

    @classmethod
    def read(
        cls,
        data: Any,
        formula: str,
        random: str,
        cluster: str | None,
        method: Estimator,
        reference: Reference = None,
    ) -> EffectRows:
        """Code the rows of a frame; the errors are those of `mixed`."""
        parsed_formula = Formula.parse(formula).compared_with(reference)
        terms = read_terms(random, cluster)
        clusters = list(dict.fromkeys(name for term in terms for name in term.clusters))
        slopes = dict.fromkeys(effect for term in terms for effect in term.slopes)
        extra = [effect for effect in slopes if effect not in parsed_formula.terms]
        names = list(dict.fromkeys([*parsed_formula.columns, *(name for effect in extra for name in effect)]))
        for name in clusters:
            if name in names:
                raise DesignError(f"random names {name!r} as a cluster, which is a predictor too; give it one part")
        if any(parsed_formula.outcome in effect for effect in slopes):
            raise DesignError(f"{parsed_formula.outcome!r} is the outcome and a random slope; take it out of random")
        if len(set(terms)) < len(terms):
            raise DesignError(f"random is {shown(random)}, which has a term twice")
        check_columns(data, [*names, *clusters], "formula and random")
        with_slopes = replace(parsed_formula, terms=(*parsed_formula.terms, *extra))
        frame = as_pandas(data, [*names, *clusters])
        rows = CodedRows.of(frame, with_slopes, clusters)
        parsed_formula = replace(rows.formula, terms=parsed_formula.terms)
        fixed = {name: rows.factors[name] for name in parsed_formula.variables if name in rows.factors}
        coding = Coding.of(parsed_formula, fixed)
        origin = {name: origin_of(column) for name, column in rows.columns.items() if name not in rows.factors}
        measured_values = {name: rows.columns[name] for name in coding.variables}
        for name, column_origin in origin.items():
            rows.columns[name] = rows.columns[name] - column_origin
        y, x = rows.columns[parsed_formula.outcome], coding.matrix(rows.columns)
        outcome_and_columns = np.column_stack([y, x])
        check_cross(np.asarray(outcome_and_columns.T @ outcome_and_columns), len(y), coding)
        # Orthonormal columns: the fit does not depend on the predictors' units.
        basis, triangle = np.linalg.qr(x)
        groups = dict(zip(clusters, rows.groups, strict=True))
        blocks = Blocks.of(terms, rows, groups, parsed_formula.outcome, origin)
        to_orthonormal = np.asarray(np.linalg.inv(triangle), dtype=np.float64)
        means = {name: origin[name] + float(rows.columns[name].mean()) for name in coding.covariates}
        empty_design = design_of_summary(coding, means, rows.missing)
        design = replace(empty_design, outcome=rows.outcome, given=measured_values, whole=rows.whole)
        return cls(y, basis, to_orthonormal, terms, blocks, coding, x, origin, rows.missing, method, design, frame)

    def fit(self, y: FloatArray, start: FloatArray | None = None) -> MixedModel:
        """Fit an outcome, measured from its origin; the search begins at `start`, relative factors of the terms."""
        z, blocks = np.column_stack([y, self.basis]), self.blocks
        problem = random_effects.Problem(len(z), z.T @ z, blocks.batches(z), blocks.layout, self.method == "reml")
        problem, solution, derivatives, turns = random_effects.fit(problem, start)
        factors = blocks.layout.factors(solution.theta)
        relative = tuple(turn @ factor for turn, factor in zip(turns, factors, strict=True))
        covariances = self._print_covariances(solution.sigma2, relative)
        singular_terms = [term.name for term, factor in zip(self.terms, factors, strict=True) if is_singular(factor)]
        outcome_and_columns = np.column_stack([y, self.x])
        log_determinant = 2 * float(np.linalg.slogdet(self.turn)[1]) if self.method == "reml" else 0.0
        part = RandomEffects(
            self.terms, covariances, blocks.columns, relative, tuple(turns), problem, solution, derivatives
        )
        return MixedModel(
            outcome=self.coding.outcome,
            names=self.coding.labels,
            sigma2=solution.sigma2,
            deviance=solution.deviance - log_determinant,  # ln |X′V⁻¹X| of the coded columns
            n=len(z),
            levels={term.name: size for term, size in zip(self.terms, blocks.levels, strict=True)},
            singular=bool(singular_terms),
            method=self.method,
            between="positive",
            freedom="kenward-roger" if self.method == "reml" else "satterthwaite",
            missing=self.missing,
            notes=tuple(f"the random effects of {name} {TOO_MANY}" for name in singular_terms),
            studies=(),
            design=self.design,
            part=part,
            beta=solution.beta[None],
            phi=solution.phi[None],
            turn=self.turn[None],
            cross=np.asarray(outcome_and_columns.T @ outcome_and_columns)[None],
            origin=self.origin,
            known=derivatives.known,
            frame=self.frame,
        )

    def _print_covariances(self, sigma2: float, relative: Sequence[FloatArray]) -> tuple[pd.DataFrame, ...]:
        """Return each term's covariance of its effects, in the units of the columns, from its relative factor."""
        factors = [effect.back @ factor for effect, factor in zip(self.blocks.columns, relative, strict=True)]
        names = [list(effect.names) for effect in self.blocks.columns]
        return tuple(
            pd.DataFrame(sigma2 * factor @ factor.T, index=effect_names, columns=effect_names)
            for factor, effect_names in zip(factors, names, strict=True)
        )

    def start(self, covariances: Sequence[FloatArray], sigma2: float) -> FloatArray:
        """Return where a search begins at covariances of the random effects, in the columns as they are given."""
        factors = []
        for table, effect in zip(covariances, self.blocks.columns, strict=True):
            scaled_covariance = np.linalg.solve(effect.back, table) @ np.linalg.inv(effect.back).T / sigma2
            eigenvalues, vectors = np.linalg.eigh((scaled_covariance + scaled_covariance.T) / 2)
            factor_root = vectors * np.sqrt(
                np.maximum(eigenvalues, LEAST_START * max(float(eigenvalues.max()), LEAST_START))
            )
            factors.append(np.asarray(np.linalg.cholesky(factor_root @ factor_root.T), dtype=np.float64))
        return self.blocks.layout.psi(factors)


def mixed_effects(
    data: Any,
    formula: str,
    random: str,
    cluster: str | None = None,
    *,
    method: Estimator = "reml",
    reference: Reference = None,
) -> MixedModel:
    """Fit random slopes, and nested or crossed intercepts; `mixed` with ``random=`` calls this."""
    rows = EffectRows.read(data, formula, random, cluster, method, reference)
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
    # The engine knows columns of the design by their places, the first being the intercept.
    random_parts = tuple(
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
        covariances, sigma2 = fit_linear(rows.x, y, random_parts, reml=rows.method == "reml")
    except NotEstimable:
        return None
    return rows.start(covariances, sigma2)


def is_singular(factor: FloatArray) -> bool:
    """Whether some direction of a term's effects has next to no spread, relative to the residual's SD."""
    return bool(np.linalg.svd(factor, compute_uv=False).min() < SINGULAR)
