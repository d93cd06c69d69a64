"""Bayes factors of analyses of variance, between people and within them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from scipy import special

from negstats.errors import DesignError
from negstats.stats.means.bayes import ModelEvidence, check_scale, log_prior_density
from negstats.stats.means.design import Design
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_one_study
from negstats.stats.summaries import Moments
from negstats.stats.summaries.frames import By

# ln g, in units where the prior's scale is 1: its density is 0 below, and falls as exp(−x/2) above.
LOW, HIGH = -6.0, 42.0
STEPS = {1: 0.1, 2: 0.25, 3: 0.6}
MOST_TERMS = 3
PORTION = 200_000


def anova_evidence(data: Any, outcome: str | None = None, by: By = None, *, prior_scale: float = 0.5) -> ModelEvidence:
    """Return the Bayes factors of the models of one factor, or of two and their interaction, against no effect.

    The prior of each term is that of Rouder and others [1]_.

    Parameters
    ----------
    data, outcome, by
        As in `anova`: raw rows, a printed table of cells, samples by name.
    prior_scale
        r of the Cauchy prior on standardized effects; R's BayesFactor calls ½ "medium", √2/2 "wide", 1 "ultrawide".

    Returns
    -------
    ModelEvidence
        One Bayes factor a model in `bf10`, in the order of `models`.

    Raises
    ------
    DesignError
        If there are more than two factors, an empty cell or a stack of studies, or the scale is not above 0.

    References
    ----------
    .. [1] Rouder, J. N., Morey, R. D., Speckman, P. L., & Province, J. M. (2012). Default Bayes factors for ANOVA
       designs. Journal of Mathematical Psychology, 56, 356–374.

    Examples
    --------
    >>> from negstats.stats.summaries import Cells
    >>> cells = Cells.from_table(n=20, mean=[[1.0, 1.2], [1.9, 1.8]], sd=1.0,
    ...                          factors={"reward": ["fair", "selfish"], "sex": ["f", "m"]})
    >>> result = anova_evidence(cells)
    >>> result.models
    ('reward', 'sex', 'reward + sex', 'reward + sex + reward:sex')
    >>> round(result.of("reward"), 1)
    27.7
    """
    check_scale(prior_scale)
    design = Design.of(data, outcome, by)
    check_one_study(design.studies, "a Bayes factor needs a single study")
    design.check_filled("a Bayes factor of cells")
    factors = [factor.name for factor in design.factors]
    if len(factors) > 2:
        raise DesignError(f"by names {len(factors)} factors; Bayes factors are available for one and for two factors")
    n, mean = design.n, design.mean
    total = float(n.sum())
    grand = float(n @ mean) / total
    y = mean - grand
    total_squares = float(design.ss.sum() + n @ y**2)
    columns = _term_columns(design.shape)
    models = _models(len(factors))
    names, log_factors = [], []
    # Each model's columns, centred over rows, enter only by cross products: cells suffice.
    for model in models:
        blocks = [columns[term] for term in model]
        x = np.concatenate(blocks, axis=1)
        x = x - (n @ x) / total
        gram, cross_moment = x.T @ (x * n[:, None]), x.T @ (n * y)
        sizes = [block.shape[1] for block in blocks]
        scales = [prior_scale] * len(sizes)
        log_factors.append(_log_evidence(gram, cross_moment, total_squares, total, sizes, scales))
        names.append(" + ".join(":".join(factors[axis] for axis in term) for term in model))
    return ModelEvidence(
        models=tuple(names),
        bf10=np.exp(np.array(log_factors)),
        null="no effect",
        prior=f"Cauchy of scale r = {prior_scale:g} on standardized effects",
        prior_scale=prior_scale,
        method="JZS",
    )


def repeated_evidence(moments: Moments, *, prior_scale: float = 0.5, subject_scale: float = 1.0) -> ModelEvidence:
    """Return the Bayes factor of differences between repeated measures, subjects differing under both models.

    The priors are those of Rouder and others [1]_.

    Parameters
    ----------
    moments
        The measures of one group of subjects, as `repeated_anova` takes them: of raw rows or of a printed table.
    prior_scale
        r of the Cauchy prior on the standardized effects of the measures.
    subject_scale
        That of subjects' own levels; BayesFactor's "nuisance" is 1.

    Returns
    -------
    ModelEvidence
        One Bayes factor a model in `bf10`, in the order of `models`.

    References
    ----------
    .. [1] Rouder, J. N., Morey, R. D., Speckman, P. L., & Province, J. M. (2012). Default Bayes factors for ANOVA
       designs. Journal of Mathematical Psychology, 56, 356–374.

    Examples
    --------
    >>> values = np.array([[3, 4, 6], [2, 2, 5], [5, 4, 7], [1, 3, 3], [4, 4, 5], [2, 4, 4.]])
    >>> moments = Moments.from_table(n=6, mean=values.mean(axis=0), sd=values.std(axis=0, ddof=1),
    ...                              correlation=np.corrcoef(values.T))
    >>> round(float(repeated_evidence(moments).bf10[0]), 1)
    19.7
    """
    check_scale(prior_scale)
    check_scale(subject_scale, "subject_scale")
    if not isinstance(moments, Moments) or moments.studies or np.size(moments.n) != 1:
        raise DesignError("give the Moments of one group of subjects: repeated measures of one study")
    n, mean = float(np.ravel(moments.n)[0]), moments.mean.reshape(-1)
    covariance = moments.covariance.reshape(len(mean), len(mean))
    k = len(mean)
    measure_squares = n * float(((mean - mean.mean()) ** 2).sum())
    subject_total = (n - 1) * float(covariance.sum()) / k
    total = measure_squares + (n - 1) * float(np.trace(covariance))
    step = STEPS[2]
    x = np.arange(LOW, HIGH, step)
    effect_variance, subject_variance = prior_scale**2 * np.exp(x), subject_scale**2 * np.exp(x)
    log_prior = log_prior_density(x) + np.log(step)
    rows = n * k
    # Integrated over the effects, the likelihood rests on the
    # squares that subjects and measures explain at each g.
    log_subjects = -0.5 * (n - 1) * np.log1p(k * subject_variance)
    subject_squares = subject_total * k * subject_variance / (1 + k * subject_variance)
    log_null_density = log_subjects - (rows - 1) / 2 * np.log1p(-subject_squares / total)
    effect_squares = measure_squares * n * effect_variance / (1 + n * effect_variance)
    log_grid = (
        -0.5 * (k - 1) * np.log1p(n * effect_variance)[:, None]
        + log_subjects
        - (rows - 1) / 2 * np.log1p(-(effect_squares[:, None] + subject_squares) / total)
    )
    log_null, log_effect = (
        special.logsumexp(log_null_density + log_prior),
        special.logsumexp(log_grid + (log_prior[:, None] + log_prior)),
    )
    return ModelEvidence(
        models=(moments.variables.name,),
        bf10=np.exp(np.array([log_effect - log_null])),
        null="no effect, subjects differing",
        prior=f"Cauchy of scale r = {prior_scale:g} on standardized effects, {subject_scale:g} on subjects",
        prior_scale=prior_scale,
        method="JZS",
    )


def _models(factors: int) -> list[tuple[tuple[int, ...], ...]]:
    """Return the models: every set of main effects, and with the interaction both of them."""
    main_effects = [(factor,) for factor in range(factors)]
    sets: list[tuple[tuple[int, ...], ...]] = [
        terms for size in range(1, factors + 1) for terms in combinations(main_effects, size)
    ]
    return [*sets, (*main_effects, (0, 1))] if factors == 2 else sets


def _term_columns(shape: tuple[int, ...]) -> dict[tuple[int, ...], FloatArray]:
    """Return the orthonormal contrasts of each term over the cells, the last factor changing fastest."""
    bases = []
    for levels in shape:
        centring = np.eye(levels) - 1 / levels
        _, vectors = np.linalg.eigh(centring)
        bases.append(vectors[:, 1:])
    codes = np.indices(shape).reshape(len(shape), -1)
    columns: dict[tuple[int, ...], FloatArray] = {(factor,): basis[codes[factor]] for factor, basis in enumerate(bases)}
    if len(shape) == 2:
        first_columns, second_columns = columns[0,], columns[1,]
        columns[0, 1] = (first_columns[:, :, None] * second_columns[:, None, :]).reshape(len(first_columns), -1)
    return columns


def _log_evidence(
    gram: FloatArray, moment: FloatArray, yy: float, rows: float, sizes: Sequence[int], scales: Sequence[float]
) -> float:
    """Return ln of the Bayes factor against no effect: Rouder et al. (2012), with a g for each block of columns."""
    step = STEPS[len(sizes)]
    x = np.arange(LOW, HIGH, step)
    log_prior = log_prior_density(x) + np.log(step)
    index_grids = np.meshgrid(*[np.arange(len(x))] * len(sizes), indexing="ij")
    grid_indices = np.stack([grid.ravel() for grid in index_grids], axis=1)
    log_terms = []
    for start in range(0, len(grid_indices), PORTION):
        batch = grid_indices[start : start + PORTION]
        log_g = np.concatenate(
            [np.repeat(x[batch[:, [block]]] + 2 * np.log(scales[block]), size, axis=1)
             for block, size in enumerate(sizes)], axis=1,
        )  # fmt: skip
        root_g = np.exp(log_g / 2)
        # |I + G½X′XG½|, and the part of y′y that is explained.
        scaled_gram = gram * root_g[:, :, None] * root_g[:, None, :] + np.eye(len(gram))
        triangle = np.linalg.cholesky(scaled_gram)
        log_size = 2 * np.log(np.diagonal(triangle, axis1=1, axis2=2)).sum(axis=1)
        coefficients = np.linalg.solve(scaled_gram, (root_g * moment)[:, :, None])[:, :, 0]
        explained = (coefficients * root_g * moment).sum(axis=1)
        value = -0.5 * log_size - (rows - 1) / 2 * np.log1p(-explained / yy)
        log_terms.append(value + log_prior[batch].sum(axis=1))
    return float(special.logsumexp(np.concatenate(log_terms)))
