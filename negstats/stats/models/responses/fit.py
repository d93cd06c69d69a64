"""`mixed` of yes or no and of counts: what is fitted with how many nodes, and what is checked of the fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.fitted import wald_columns
from negstats.stats.models.random_terms import RandomTerm
from negstats.stats.models.responses.engine import (
    EngineFit,
    ResponseRows,
    check_answers,
    fit_columns,
    no_finite_spread,
    read_rows,
)
from negstats.stats.models.responses.likelihood import NARROW, Clustered, Distribution, Family, check_family, modes
from negstats.stats.models.responses.result import MixedResponses
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.formulas import Reference

MOST_NODES = 25
# The largest difference of a log-likelihood by quadrature from the integral by 721 points, and the largest SD of a
# latent scale that a fit is believed with.
APART, LARGEST_SD = 0.01, 10.0
NEEDS_BOOTSTRAP = "report the p of bootstrap_test with the t test"
FEW_CLUSTERS, FEW_BETWEEN, FEW_DECISIONS = 10, 30, 5


def mixed_responses(
    data: Any,
    formula: str,
    terms: tuple[RandomTerm, ...],
    *,
    family: Family,
    link: str | None = None,
    nagq: int | None = None,
    event: object = None,
    reference: Reference = None,
) -> MixedResponses:
    """Fit yes or no, or counts, with random effects; `mixed` with ``family=`` calls this."""
    link_name = check_family(family, link)
    is_simple = len(terms) == 1 and not terms[0].slopes
    nodes = _check_nodes(nagq, simple=is_simple)
    rows = read_rows(data, formula, terms, family, event, reference)
    check_answers(rows, family)
    law = Distribution(family, link_name)
    fit = fit_columns(rows.x, rows.y, rows.parts, law, nodes)
    law = Distribution(family, link_name, fit.size)
    check_fit(rows, fit, law, nodes)
    return fit_rows(rows, fit, law, nodes)


def check_fit(rows: ResponseRows, fit: EngineFit, law: Distribution, nagq: int) -> None:
    """Raise NotEstimable where the fit is no maximum: its likelihood is not the integral's, or its spread no end."""
    if len(rows.parts) == 1 and not rows.parts[0].slopes:
        has_few_rows = len(rows.y) < FEW_DECISIONS * len(rows.parts[0].levels)
        if nagq != MOST_NODES and has_few_rows:  # where fewer nodes run away and do not tell
            fit = fit_columns(rows.x, rows.y, rows.parts, law, MOST_NODES)
            law, nagq = Distribution(law.family, law.link, fit.size), MOST_NODES
        sigma = float(np.sqrt(fit.random[0][0, 0]))
        clustered = Clustered.of(rows.x, rows.y, rows.parts[0].codes, law)
        if nagq > 1 and sigma > 0 and not _is_narrow(clustered, fit, sigma):
            exact = clustered.log_likelihood(clustered.x @ fit.beta, sigma)
            if abs(exact - fit.log_likelihood) > APART:
                raise no_finite_spread(rows)
    if law.link in ("logit", "probit"):
        for index, covariance in enumerate(fit.random):
            random_part = rows.parts[index]
            z = rows.x[:, [0, *random_part.slopes]]
            if np.sqrt(np.einsum("na,ab,nb->n", z, covariance, z).mean()) > LARGEST_SD:
                raise no_finite_spread(rows, index)


def fit_rows(rows: ResponseRows, fit: EngineFit, law: Distribution, nagq: int) -> MixedResponses:
    """Return the result of a fit."""
    dfs, is_between = _degrees_of_freedom(rows)
    back = rows.back
    columns = wald_columns(back @ fit.beta, back @ fit.covariance @ back.T, dfs)
    if not np.isfinite(columns["se"]).all():
        raise NotEstimable("the fit has no standard errors; leave random effects or terms out")
    # The covariance of each term's effects, in the columns as they are printed.
    random, sds = [], {}
    for random_part, scaled_covariance in zip(rows.parts, fit.random, strict=True):
        effect_columns = [0, *random_part.slopes]
        to_printed = back[np.ix_(effect_columns, effect_columns)]
        covariance = to_printed @ scaled_covariance @ to_printed.T
        random.append(pd.DataFrame(covariance, index=list(random_part.effects), columns=list(random_part.effects)))
        for effect, variance in zip(random_part.effects, np.diag(covariance), strict=True):
            name = random_part.name if effect == "Intercept" else f"{random_part.name}: {effect}"
            sds[name] = float(np.sqrt(variance))
    return MixedResponses(
        outcome=rows.coding.outcome,
        names=rows.coding.labels,
        **columns,
        family=law.family,
        link=law.link,
        log_likelihood=fit.log_likelihood,
        n=len(rows.y),
        clusters=len(rows.parts[0].levels),
        levels={random_part.name: len(random_part.levels) for random_part in rows.parts},
        sds=sds,
        covariances=tuple(random),
        dispersion=fit.size,
        nagq=nagq,
        singular=fit.singular,
        missing=rows.design.missing,
        notes=_notes(rows, fit, nagq, dfs, is_between),
        event=rows.event,
        design=rows.design,
        rows=rows,
        fit=fit,
    )


def _check_nodes(nagq: int | None, *, simple: bool) -> int:
    if nagq is None:
        return MOST_NODES if simple else 1
    if isinstance(nagq, bool) or not isinstance(nagq, int) or not 1 <= nagq <= MOST_NODES or nagq % 2 == 0:
        raise DesignError(f"nagq is {shown(nagq)}; give an odd number from 1 to {MOST_NODES}")
    if nagq > 1 and not simple:
        raise DesignError("nagq above 1 needs a single random effect; leave it out")
    return nagq


def _is_narrow(rows: Clustered, fit: EngineFit, sigma: float) -> bool:
    """Return whether a cluster tells so much that its likelihood lies between the points; quadrature is exact there."""
    if rows.narrowest(sigma) >= NARROW:
        return False
    return bool((modes(rows, rows.x @ fit.beta, sigma)[1] < NARROW * sigma).any())


def _degrees_of_freedom(rows: ResponseRows) -> tuple[FloatArray, Any]:
    """Return the df of each coefficient, and whether its column is constant within the levels of some term."""
    x, n = rows.x, len(rows.y)
    p = x.shape[1]
    is_constant = np.array([_constant_within(x, random_part.codes) for random_part in rows.parts])  # (terms, columns)
    clusters = np.array([len(random_part.levels) for random_part in rows.parts], dtype=np.float64)
    unique = {random_part.name: len(random_part.levels) for random_part in rows.parts}
    # What rows leave after a mean of each level, unless the column rests on fewer levels.
    dfs = np.full(p, n - p - sum(size - 1 for size in unique.values()), dtype=np.float64)
    for column in range(p):
        # A coefficient whose slope varies over a term, or that is
        # constant in its levels, is as certain as levels allow.
        slope_dfs = [
            clusters[index] - (1 if column in random_part.slopes else is_constant[index].sum())
            for index, random_part in enumerate(rows.parts)
            if _is_random(rows, random_part.slopes, column, is_constant[index])
        ]
        if slope_dfs:
            dfs[column] = min(slope_dfs)
        between_dfs = [
            clusters[index] - is_constant[index].sum() for index in range(len(clusters)) if is_constant[index, column]
        ]
        if between_dfs:
            dfs[column] = min(between_dfs)
    return np.maximum(dfs, 1.0), is_constant.any(axis=0)


def _is_random(rows: ResponseRows, slopes: tuple[int, ...], column: int, is_constant: Any) -> bool:
    """Return whether a column's slope is random, alone or times columns between clusters."""
    variables = {frozenset(name for name, _ in rows.coding.parts[slope_column]) for slope_column in slopes}
    within_variables = frozenset(
        name for name, level in rows.coding.parts[column] if not is_constant[rows.coding.parts.index(((name, level),))]
    )
    return bool(within_variables) and within_variables in variables


def _constant_within(x: FloatArray, codes: Any) -> Any:
    """Return which columns have one value in each level."""
    first_rows = np.full(int(codes.max()) + 1, -1, dtype=np.intp)
    first_rows[codes[::-1]] = np.arange(len(codes))[::-1]
    size = np.abs(x).max(axis=0)
    return np.array(
        [
            bool((np.abs(x[:, column] - x[first_rows[codes], column]) <= 1e-12 * size[column]).all())
            for column in range(x.shape[1])
        ]
    )


def _notes(rows: ResponseRows, fit: EngineFit, nagq: int, dfs: FloatArray, is_between: Any) -> tuple[str, ...]:
    notes = []
    for random_part, covariance in zip(rows.parts, fit.random, strict=True):
        if np.diag(covariance).min() <= 0:
            notes.append(f"a variance of {random_part.name!r} is 0: no differences were found beyond chance")
    if fit.singular and not notes:
        notes.append("the random effects are more than the data can distinguish (a correlation of 1 or −1)")
    fewest_levels = min(len(random_part.levels) for random_part in rows.parts)
    between_terms = [column for column in range(1, len(dfs)) if is_between[column]]
    if fewest_levels < FEW_CLUSTERS:
        notes.append(f"tests rest on {dfs.min():g} df")
    if between_terms and len(rows.parts[0].levels) < FEW_BETWEEN:
        notes.append(f"terms between {len(rows.parts[0].levels)} levels of {rows.parts[0].name!r}: {NEEDS_BOOTSTRAP}")
    decisions = len(rows.y) / len(rows.parts[0].levels)
    if nagq == 1 and decisions < FEW_DECISIONS:
        notes.append(f"Laplace's approximation with {decisions:.3g} rows a level: the SD is approximate")
    return tuple(notes)
