"""What mixed models give: a coefficient, a comparison of models, predictions for rows, and effects of clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy
from scipy import special

from negstats.errors import DesignError
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_single, t_tails
from negstats.stats.results.result import Interval, Result
from negstats.stats.summaries import ClusterMoments
from negstats.stats.summaries.coding import Coding
from negstats.stats.summaries.frames import as_pandas, check_columns, level_places, numbers

if TYPE_CHECKING:
    from negstats.stats.models.estimators import RandomEffects
    from negstats.stats.models.mixed_model import MixedModel

DF: TypeAlias = Literal["kenward-roger", "satterthwaite"]


@dataclass(frozen=True, slots=True)
class Coefficient(Result):
    """One coefficient, or a weighted sum of several, and the t test that it is 0.

    Attributes
    ----------
    term : str
    estimate, se : float
        In units of the outcome (a unit of the predictor).
    statistic, df, p : float
        t, its degrees of freedom (rarely whole) and the two-sided p.
    method : str
        Where the degrees of freedom come from.

    Examples
    --------
    >>> Coefficient("Days", 10.46729, 0.80422, 13.0154, 161.0, 6.4e-27, "kenward-roger").apa()
    'b = 10.47, SE = 0.80, t(161) = 13.02, p < .001, 95% CI [8.88, 12.06]'
    """

    term: str
    estimate: Number
    se: Number
    statistic: Number
    df: Number
    p: Number
    method: str

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the t interval of the estimate.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, in units of the estimate.
        """
        return t_interval(self.estimate, self.se, self.df, confidence_level)

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return the estimate, its standard error, t, df, p and interval.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        test = apa.statistic("t", self.statistic, (self.df,), self.p)
        interval = self.confidence_interval(confidence_level)
        digits = apa.decimals_apart(interval.low, interval.high)
        return f"b = {apa.number(self.estimate, digits)}, SE = {apa.number(self.se, digits)}, {test}, {interval}"


def coefficient(term: str, estimate: FloatArray, se: FloatArray, df: FloatArray, method: str) -> Coefficient:
    """Return the t test of an estimate."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.asarray(estimate) / np.asarray(se)
    return Coefficient(term, plain(estimate), plain(se), plain(t), plain(df), plain(t_tails(t, df)), method)


@dataclass(frozen=True, slots=True)
class LikelihoodRatio(Result):
    """A likelihood-ratio test of nested models.

    Attributes
    ----------
    statistic, df, p : float
        Difference of −2 ln L, parameters that one model has more, and p from chi-squared.
    boundary : bool
        Whether the smaller model stands at the end of the range, so that p is half of chi-squared's.

    Examples
    --------
    >>> LikelihoodRatio(6.520732, 1, 0.00533, True).apa()
    'χ²(1) = 6.52, p = .005'
    """

    statistic: Number
    df: Number
    p: Number
    boundary: bool = False

    @classmethod
    def of(cls, larger: npt.ArrayLike, smaller: npt.ArrayLike, df: int, *, boundary: bool = False) -> LikelihoodRatio:
        """Return the test of two log-likelihoods.

        Parameters
        ----------
        larger, smaller
            The largest log-likelihoods of both models, of one study or of several.
        df
            How many parameters the larger model has more.
        boundary
            Whether the smaller model stands at the end of the range.

        Returns
        -------
        LikelihoodRatio
            Chi-squared with its df and p.
        """
        ratio = np.maximum(2 * (np.asarray(larger) - np.asarray(smaller)), 0.0)  # rounding may leave it below zero
        return cls(plain(ratio), float(df), plain(special.chdtrc(df, ratio)), boundary)

    def apa(self) -> str:
        """Return chi-squared, its degrees of freedom and p.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        return apa.statistic("χ²", self.statistic, (self.df,), self.p)


class FittedLikelihood(NamedTuple):
    """What a comparison of mixed models asks of each of them.

    Its log-likelihood, its coefficients, its random effects by their clusters, and how many variances and correlations
    these have.
    """

    value: npt.ArrayLike
    names: Sequence[str]
    effects: set[tuple[str, str]]
    entries: int

    def against(self, smaller: FittedLikelihood) -> LikelihoodRatio:
        """Return the test against a model that is part of this one."""
        n_random = self.entries - smaller.entries
        df = len(self.names) - len(smaller.names) + n_random
        is_part = set(smaller.names) <= set(self.names) and smaller.effects <= self.effects and n_random >= 0
        if not is_part or df == 0:
            raise DesignError("the other model is not part of this one")
        return LikelihoodRatio.of(self.value, smaller.value, df, boundary=n_random > 0)


def predicted(
    frame: Any, moments: ClusterMoments, coefficients: FloatArray, gamma: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return ``fixed``, ``random``, ``fitted`` and ``residual`` of each row that has every value, and the intercepts.

    A cluster's random part is γ/(1 + kγ) times the sum of its k residuals from the fixed part (the best linear unbiased
    prediction; Robinson, 1991, Statistical Science 6). `coefficients` are those of columns measured from the origin.
    """
    coding, origin = moments.coding, moments.origin
    rows, values = _code_rows(frame, coding.outcome, (coding,), [moments.cluster])
    y = values[coding.outcome]
    fixed = coding.matrix(_move_to_origin(values, origin)) @ coefficients + origin[coding.outcome]
    groups, labels = pd.factorize(rows[moments.cluster], sort=True)
    size = np.bincount(groups)
    effects = gamma / (1 + size * gamma) * np.bincount(groups, weights=y - fixed)
    random = effects[groups]
    columns = {"fixed": fixed, "random": random, "fitted": fixed + random, "residual": y - fixed - random}
    levels = {"cluster": moments.cluster, "level": list(map(str, labels)), "effect": "Intercept", "estimate": effects}
    return pd.DataFrame(columns, index=rows.index), pd.DataFrame(levels)


def predicted_effects(frame: Any, model: MixedModel, part: RandomEffects) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the predictions of each row that has every value, and those of each cluster's random effects.

    u = Λ(I + W′W)⁻¹W′e with W = ZΛ and e the residuals from the fixed part: Bates et al. (2015), J. Stat. Software 67,
    eq. 57, in sparse matrices, since clusters may be nested or crossed.
    """
    coding, clusters = model.coding, list(dict.fromkeys(name for term in part.random for name in term.clusters))
    rows, values = _code_rows(
        frame, coding.outcome, (coding, *(effect_columns.coding for effect_columns in part.effects)), clusters
    )
    measured_values, y = _move_to_origin(values, model.origin), values[coding.outcome]
    fixed = coding.matrix(measured_values) @ (model.turn[0] @ model.beta[0]) + model.origin[coding.outcome]
    design_parts, groups = [], []
    for term, effect, relative in zip(part.random, part.effects, part.relative, strict=True):
        row_groups = rows.groupby(list(term.clusters), sort=True, observed=True)
        code, group_keys = row_groups.ngroup().to_numpy(), row_groups.size().index
        labels = [":".join(map(str, key)) if isinstance(key, tuple) else str(key) for key in group_keys]
        whitened, k = effect.of(measured_values) @ relative, len(effect.names)
        positions = (np.repeat(np.arange(len(rows)), k), (code[:, None] * k + np.arange(k)).ravel())
        design_parts.append(scipy.sparse.csr_array((whitened.ravel(), positions), shape=(len(rows), k * len(labels))))
        groups.append(labels)
    # Predictions solve (I + W′W) u = W′r with whitened columns W; effects are u turned back.
    random_design = scipy.sparse.hstack(design_parts, format="csc")
    spherical = scipy.sparse.linalg.spsolve(
        scipy.sparse.csc_array(scipy.sparse.eye_array(random_design.shape[1]) + random_design.T @ random_design),
        random_design.T @ (y - fixed),
    )
    random = random_design @ spherical
    predictions = {"fixed": fixed, "random": random, "fitted": fixed + random, "residual": y - fixed - random}
    tables, start = [], 0
    for term, effect, relative, group_labels in zip(part.random, part.effects, part.relative, groups, strict=True):
        k = len(effect.names)
        effects = spherical[start : start + k * len(group_labels)].reshape(-1, k) @ (effect.back @ relative).T
        start += k * len(group_labels)
        columns = {
            "cluster": term.name,
            "level": np.repeat(group_labels, k),
            "effect": list(effect.names) * len(group_labels),
        }
        tables.append(pd.DataFrame(columns | {"estimate": effects.ravel()}))
    return pd.DataFrame(predictions, index=rows.index), pd.concat(tables, ignore_index=True)


def _move_to_origin(values: Mapping[str, Any], origin: Mapping[str, float]) -> dict[str, Any]:
    """Return covariates measured from where the fit measured them; codes of factors as they are."""
    return {name: column - origin.get(name, 0.0) for name, column in values.items()}


def _code_rows(
    frame: Any, outcome: str, codings: Sequence[Coding], clusters: Sequence[str]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the complete rows, and numbers of covariates and codes of factors as the model has them."""
    levels = {name: factor for coding in codings for name, factor in coding.levels.items()}
    predictors = [name for coding in codings if coding.terms for name in coding.sources()]
    columns = list(dict.fromkeys([*codings[0].sources(outcome), *predictors, *clusters]))
    check_columns(frame, columns, "the model's formula and cluster")
    rows = as_pandas(frame, columns).dropna()
    for coding in codings:
        rows = coding.evaluated(rows)
    values: dict[str, Any] = {outcome: numbers(rows[outcome], outcome)}
    for name in dict.fromkeys(name for coding in codings for name in coding.variables):
        values[name] = level_places(rows[name], levels[name]) if name in levels else numbers(rows[name], name)
    return rows, values
