"""JZS Bayes factors of analyses of variance, one-way, factorial and of repeated measures, from cells and moments.

Effects of each term are normal with variance gσ² on orthonormal contrasts, and g is inverse gamma (½, r²/2), so that
effects are Cauchy of scale r (Rouder, Morey, Speckman and Province, 2012, J. of Mathematical Psychology 56, 356-374).
Given the gs the likelihood has a closed form in X′X, X′y, y′y and N; over ln g it is a sum over equal steps, which for
such a smooth function that vanishes at both ends is exact to many digits (the trapezoidal rule).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from scipy import special

from negstats.errors import DesignError
from negstats.stats.bayes.result import ModelEvidence, check_scale, log_mean_exp
from negstats.stats.means.design import Design
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries import Moments
from negstats.stats.summaries.frames import By

# ln g, in units where the prior's scale is 1: its density is 0 below, and falls as exp(−x/2) above.
LOW, HIGH = -6.0, 42.0
STEPS = {1: 0.1, 2: 0.25, 3: 0.6}
MOST_TERMS = 3
PORTION = 200_000


def anova_evidence(data: Any, outcome: str | None = None, by: By = None, *, prior_scale: float = 0.5) -> ModelEvidence:
    """Return the Bayes factors of the models of one factor, or of two and their interaction, against no effect.

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
    if design.studies:
        raise DesignError("a Bayes factor is of one study; take one from the stack")
    design.check_filled("a Bayes factor of cells")
    factors = [factor.name for factor in design.factors]
    if len(factors) > 2:
        raise DesignError(f"by names {len(factors)} factors; Bayes factors are had for one factor and for two")
    n, mean = design.n, design.mean
    total = float(n.sum())
    grand = float(n @ mean) / total
    y = mean - grand
    yy = float(design.ss.sum() + n @ y**2)
    columns = _term_columns(design.shape)
    models = _models(len(factors))
    names, values = [], []
    for model in models:
        blocks = [columns[term] for term in model]
        x = np.concatenate(blocks, axis=1)
        x = x - (n @ x) / total
        gram, moment = x.T @ (x * n[:, None]), x.T @ (n * y)
        sizes = [block.shape[1] for block in blocks]
        scales = [prior_scale] * len(sizes)
        values.append(_log_evidence(gram, moment, yy, total, sizes, scales))
        names.append(" + ".join(":".join(factors[place] for place in term) for term in model))
    return ModelEvidence(
        models=tuple(names),
        bf10=np.exp(np.array(values)),
        null="no effect",
        prior=f"Cauchy of scale r = {prior_scale:g} on standardized effects",
        prior_scale=prior_scale,
        method="JZS",
    )


def repeated_evidence(moments: Moments, *, prior_scale: float = 0.5, subject_scale: float = 1.0) -> ModelEvidence:
    """Return the Bayes factor of differences between repeated measures, subjects differing under both models.

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
    of_measures = n * float(((mean - mean.mean()) ** 2).sum())
    of_subjects = (n - 1) * float(covariance.sum()) / k
    total = of_measures + (n - 1) * float(np.trace(covariance))
    step = STEPS[2]
    x = np.arange(LOW, HIGH, step)
    own, subjects = prior_scale**2 * np.exp(x), subject_scale**2 * np.exp(x)
    log_prior = _log_prior(x) + np.log(step)
    rows = n * k
    log_subjects = -0.5 * (n - 1) * np.log1p(k * subjects)
    subject_squares = of_subjects * k * subjects / (1 + k * subjects)
    null = log_mean_exp(log_subjects - (rows - 1) / 2 * np.log1p(-subject_squares / total), log_prior)
    effect = of_measures * n * own / (1 + n * own)
    grid = (
        -0.5 * (k - 1) * np.log1p(n * own)[:, None]
        + log_subjects
        - (rows - 1) / 2 * np.log1p(-(effect[:, None] + subject_squares) / total)
    )
    full = log_mean_exp(grid, log_prior[:, None] + log_prior)
    return ModelEvidence(
        models=(moments.variables.name,),
        bf10=np.exp(np.array([full - null])),
        null="no effect, subjects differing",
        prior=f"Cauchy of scale r = {prior_scale:g} on standardized effects, {subject_scale:g} on subjects",
        prior_scale=prior_scale,
        method="JZS",
    )


def _models(factors: int) -> list[tuple[tuple[int, ...], ...]]:
    """Return the models: every set of main effects, and with the interaction both of them."""
    single = [(place,) for place in range(factors)]
    sets: list[tuple[tuple[int, ...], ...]] = [
        terms for size in range(1, factors + 1) for terms in combinations(single, size)
    ]
    return [*sets, (*single, (0, 1))] if factors == 2 else sets


def _term_columns(shape: tuple[int, ...]) -> dict[tuple[int, ...], FloatArray]:
    """Return the orthonormal contrasts of each term over the cells, the last factor changing fastest."""
    bases = []
    for levels in shape:
        centring = np.eye(levels) - 1 / levels
        _, vectors = np.linalg.eigh(centring)
        bases.append(vectors[:, 1:])
    codes = np.indices(shape).reshape(len(shape), -1)
    out: dict[tuple[int, ...], FloatArray] = {(place,): basis[codes[place]] for place, basis in enumerate(bases)}
    if len(shape) == 2:
        first, second = out[0,], out[1,]
        out[0, 1] = (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)
    return out


def _log_prior(x: FloatArray) -> FloatArray:
    """Return ln of the density of ln g for g inverse gamma (½, ½)."""
    return np.asarray(-0.5 * np.log(2) - special.gammaln(0.5) - 0.5 * x - 0.5 * np.exp(-x))


def _log_evidence(
    gram: FloatArray, moment: FloatArray, yy: float, rows: float, sizes: Sequence[int], scales: Sequence[float]
) -> float:
    """Return ln of the Bayes factor against no effect: Rouder et al. (2012), with a g for each block of columns."""
    step = STEPS[len(sizes)]
    x = np.arange(LOW, HIGH, step)
    log_prior = _log_prior(x) + np.log(step)
    grids = np.meshgrid(*[np.arange(len(x))] * len(sizes), indexing="ij")
    places = np.stack([grid.ravel() for grid in grids], axis=1)
    parts = []
    for first in range(0, len(places), PORTION):
        portion = places[first : first + PORTION]
        log_g = np.concatenate(
            [np.repeat(x[portion[:, [block]]] + 2 * np.log(scales[block]), size, axis=1)
             for block, size in enumerate(sizes)], axis=1,
        )  # fmt: skip
        root = np.exp(log_g / 2)
        # |I + G½X′XG½|, and the part of y′y that is explained.
        inner = gram * root[:, :, None] * root[:, None, :] + np.eye(len(gram))
        factor = np.linalg.cholesky(inner)
        log_size = 2 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
        coefficients = np.linalg.solve(inner, (root * moment)[:, :, None])[:, :, 0]
        explained = (coefficients * root * moment).sum(axis=1)
        value = -0.5 * log_size - (rows - 1) / 2 * np.log1p(-explained / yy)
        parts.append(value + log_prior[portion].sum(axis=1))
    return float(special.logsumexp(np.concatenate(parts)))
