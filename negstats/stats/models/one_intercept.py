"""One random intercept, fitted from cluster moments: what a `MixedModel` asks of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.stats.design import design_of_summary
from negstats.stats.models import random_intercept as core
from negstats.stats.models._predictions import predicted
from negstats.stats.models._profile import icc_ends, sd_ends
from negstats.stats.models.checks import check_data, check_fit
from negstats.stats.models.mixed_model import Estimator, MixedModel
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.summaries import ClusterMoments
from negstats.stats.summaries.coding import Coding

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
    sums: core.Sums
    fit: core.Fit

    @property
    def entries(self) -> int:
        """One variance."""
        return 1

    def satterthwaite(self, known: core.Information, rows: FloatArray) -> FloatArray:
        """Return the degrees of freedom of single sums of the coefficients that were fitted."""
        return core.satterthwaite(self.sums, self.fit, known, rows, bounded=self.between == "positive")

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
        none = core.at(self.sums, np.zeros_like(self.fit.gamma)).deviance
        return np.maximum(none - self.fit.deviance, 0.0), self.between == "positive"

    def predictions(self, frame: pd.DataFrame, model: MixedModel) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the predictions of complete rows, and each cluster's intercept."""
        return predicted(frame, self.moments, model.turn[0] @ self.fit.beta[0], float(self.fit.gamma[0]))


def fit_intercept(moments: ClusterMoments, method: Estimator, between: Between, rows: Any) -> MixedModel:
    """Fit a random intercept to moments, of one study or a stack; `mixed` calls this."""
    shape, cross = moments.studies, moments.cross.reshape(-1, *moments.cross.shape[-2:])
    if not shape:
        check_data(moments)
    turn = core.orthonormal(cross[:, 1:, 1:])
    sums, solution = _solve(moments, cross, turn, method, negative=between == "any")
    no_variance = bool(not shape and solution.gamma[0] == 0 and between == "positive")
    deviance = solution.deviance
    if method == "reml":  # ln |X′V⁻¹X| of the coded columns
        deviance = deviance - 2 * np.linalg.slogdet(turn)[1]
    tau2, icc = (plain(one.reshape(shape)) for one in (solution.tau2, solution.gamma / (1 + solution.gamma)))
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
        turn=turn,
        cross=cross,
        origin=moments.origin,
        known=core.information(sums, solution),
        frame=rows,
    )


def _solve(
    moments: ClusterMoments, cross: FloatArray, turn: FloatArray, method: Estimator, *, negative: bool
) -> tuple[core.Sums, core.Fit]:
    """Return the sums of the orthonormal columns, and the fit; NaN of a study of a stack whose search ends nowhere."""
    studies, sizes = len(cross), len(moments.sizes)
    totals = moments.totals.reshape(studies, sizes, *cross.shape[1:])
    rows, clusters = moments.rows.reshape(studies), moments.clusters.reshape(studies, sizes)
    sums = core.Sums(rows, moments.sizes, clusters, cross, totals, method == "reml").turned(turn)
    solution, stuck = core.fit(sums, negative=negative)
    if not moments.studies and stuck[0]:
        check_fit(moments, solution, negative=negative)
    if stuck.any():
        solution = core.at(sums, np.where(stuck, np.nan, solution.gamma))
    return sums, solution


def _means(coding: Coding, origin: Mapping[str, float], totals: FloatArray) -> dict[str, float]:
    """Return the mean of each covariate from the totals of the coded columns, the outcome's first."""
    return {
        name: origin[name] + float(totals[1 + coding.parts.index(((name, 0),))] / totals[1])
        for name in coding.covariates
    }
