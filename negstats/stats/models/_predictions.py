"""Predictions and residuals of mixed models for the rows of a frame, and those of clusters' random effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries import ClusterMoments
from negstats.stats.summaries.coding import Coding
from negstats.stats.summaries.frames import as_pandas, check_columns, level_places, numbers

if TYPE_CHECKING:
    from negstats.stats.models.mixed_effects import RandomEffects
    from negstats.stats.models.mixed_model import MixedModel


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
    each = gamma / (1 + size * gamma) * np.bincount(groups, weights=y - fixed)
    random = each[groups]
    out = {"fixed": fixed, "random": random, "fitted": fixed + random, "residual": y - fixed - random}
    levels = {"cluster": moments.cluster, "level": list(map(str, labels)), "effect": "Intercept", "estimate": each}
    return pd.DataFrame(out, index=rows.index), pd.DataFrame(levels)


def predicted_effects(frame: Any, model: MixedModel, part: RandomEffects) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the predictions of each row that has every value, and those of each cluster's random effects.

    u = Λ(I + W′W)⁻¹W′e with W = ZΛ and e the residuals from the fixed part: Bates et al. (2015), J. Stat. Software 67,
    eq. 57, in sparse matrices, since clusters may be nested or crossed.
    """
    from scipy import sparse
    from scipy.sparse.linalg import spsolve

    coding, clusters = model.coding, list(dict.fromkeys(name for term in part.random for name in term.clusters))
    rows, values = _code_rows(frame, coding.outcome, (coding, *(one.coding for one in part.effects)), clusters)
    measured_values, y = _move_to_origin(values, model.origin), values[coding.outcome]
    fixed = coding.matrix(measured_values) @ (model.turn[0] @ model.beta[0]) + model.origin[coding.outcome]
    parts, groups = [], []
    for term, effect, relative in zip(part.random, part.effects, part.relative, strict=True):
        row_groups = rows.groupby(list(term.clusters), sort=True, observed=True)
        code, group_keys = row_groups.ngroup().to_numpy(), row_groups.size().index
        labels = [":".join(map(str, key)) if isinstance(key, tuple) else str(key) for key in group_keys]
        white, k = effect.of(measured_values) @ relative, len(effect.names)
        places = (np.repeat(np.arange(len(rows)), k), (code[:, None] * k + np.arange(k)).ravel())
        parts.append(sparse.csr_array((white.ravel(), places), shape=(len(rows), k * len(labels))))
        groups.append(labels)
    w = sparse.hstack(parts, format="csc")
    spherical = spsolve(sparse.csc_array(sparse.eye_array(w.shape[1]) + w.T @ w), w.T @ (y - fixed))
    random = w @ spherical
    out = {"fixed": fixed, "random": random, "fitted": fixed + random, "residual": y - fixed - random}
    tables, start = [], 0
    for term, effect, relative, group_labels in zip(part.random, part.effects, part.relative, groups, strict=True):
        k = len(effect.names)
        each = spherical[start : start + k * len(group_labels)].reshape(-1, k) @ (effect.back @ relative).T
        start += k * len(group_labels)
        columns = {
            "cluster": term.name,
            "level": np.repeat(group_labels, k),
            "effect": list(effect.names) * len(group_labels),
        }
        tables.append(pd.DataFrame(columns | {"estimate": each.ravel()}))
    return pd.DataFrame(out, index=rows.index), pd.concat(tables, ignore_index=True)


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
