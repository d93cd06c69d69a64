"""Messages for researchers about a random-intercept model that cannot be fitted."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from negstats.errors import DesignError, NotEstimable
from negstats.stats.models.random_intercept import Fit
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries import ClusterMoments
from negstats.stats.summaries.coding import Coding

# A column whose part that the columns before it do not explain is below this share is taken as explained.
SHARE = 1e-12


def check_data(moments: ClusterMoments) -> None:
    """Raise if one study cannot have a random intercept with these predictors."""
    clusters = int(moments.clusters.sum())
    if clusters < 2:
        raise DesignError(f"all rows are in one cluster of {moments.cluster!r}; a random intercept needs several")
    if moments.sizes[moments.clusters > 0].max() == 1:
        raise NotEstimable(
            f"each of the {clusters} clusters of {moments.cluster!r} has one row: clusters and rows are the same; "
            "use a model without clusters"
        )
    check_cross(moments.cross, int(moments.rows), moments.coding)
    gram = moments.cross[1:, 1:]
    within = gram - np.einsum("k,kab->ab", 1 / moments.sizes, moments.totals[:, 1:, 1:])
    scale = 1 / np.sqrt(np.diagonal(gram))
    n_between = int((np.linalg.eigvalsh(within * scale[:, None] * scale) < 1e-10).sum())
    if clusters <= n_between:
        raise DesignError(
            f"{clusters} clusters of {moments.cluster!r} cannot give {n_between} coefficients that differ only between "
            "clusters; leave terms out"
        )


def check_cross(cross: FloatArray, rows: int, coding: Coding) -> None:
    """Raise if Σ z z′ of one study cannot give these coefficients and a variance to test them by."""
    gram = cross[1:, 1:]
    check_independent(gram, rows, coding)
    rest = cross[0, 0] - cross[0, 1:] @ np.linalg.solve(gram, cross[1:, 0])
    if not rest > SHARE * cross[0, 0]:
        raise NotEstimable(f"{coding.outcome!r} is predicted without error; no variance is left for a test")


def check_independent(gram: FloatArray, rows: int, coding: Coding) -> None:
    """Raise if a column of X follows from the others, by X'X, or there are no more rows than columns."""
    if rows <= len(gram):
        raise DesignError(f"{rows} rows cannot give {len(gram)} coefficients; leave terms out")
    dependent = _dependent(gram)
    if dependent is None:
        return
    name, share = coding.names[dependent[0]], dependent[1]
    if share <= rows * float(np.finfo(np.float64).eps):
        raise DesignError(f"the column {name!r} follows from the others (empty cell, constant); leave it out")
    raise DesignError(
        f"the column {name!r} is nearly a sum of the others: a share of {share:.1e} of its squares is left, so "
        f"{-np.log10(share):.0f} of 16 digits are lost; measure covariates from a nearer origin (a day from the first "
        "one) before you square or multiply them, or leave it out"
    )


def check_fit(moments: ClusterMoments, fit: Fit, *, negative: bool) -> NoReturn:
    """Raise why no ratio of variances was the best."""
    outcome = moments.coding.outcome
    if negative and fit.gamma[0] < 0:
        largest = int(moments.sizes[moments.clusters > 0].max())
        if largest == 2:
            raise NotEstimable(
                f"the two values of {outcome!r} in each pair always sum to what the predictors say, as in a game of "
                "fixed sum; analyse one seat"
            )
        raise NotEstimable(
            f"the totals of {outcome!r} in the largest clusters ({largest} rows) are predicted without error, so their "
            "correlation cannot be estimated",
            advice="give between='positive'",
        )
    raise NotEstimable(f"{outcome!r} hardly varies within clusters after the predictors; analyse one row per cluster")


def _dependent(gram: FloatArray) -> tuple[int, float] | None:
    """Return the first column that follows from those before it and the share of its squares that these leave.

    By Cholesky's pivots of the scaled matrix. The rows' own sums are exact to eps, so a share is exact to eps / share:
    5 digits at the least that is taken.
    """
    size = np.sqrt(np.diagonal(gram))
    if (size == 0).any():
        return int((size == 0).argmax()), 0.0
    rest = gram / size[:, None] / size
    for place in range(len(rest)):
        pivot = rest[place, place]
        if pivot < SHARE * 100:
            return place, max(float(pivot), 0.0)
        rest = rest - np.outer(rest[:, place], rest[place]) / pivot
    return None
