"""Repeated measures in groups that differ in their covariances: each group keeps its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special

from negstats.errors import NotEstimable
from negstats.stats.means.design import Design
from negstats.stats.means.linear import hypothesis
from negstats.stats.means.repeated import cell_arrays, crossed_terms, own_error
from negstats.stats.means.repeated_factors import crossed_moments
from negstats.stats.means.robust import RobustAnova, robust_f
from negstats.stats.results.numbers import FloatArray, plain


def robust_repeated(
    data: Any,
    outcome: str | None = None,
    within: str | Sequence[str] | Mapping[str, Sequence[str]] = (),
    subject: str | None = None,
    between: str | Sequence[str] = (),
) -> RobustAnova:
    """Test the terms of a design with repeated factors (type III), each group of subjects with its own covariances.

    The pooled error of `repeated_anova` is wrong where a small group varies more than a large one: Greenhouse and
    Geisser's epsilon corrects for unequal covariances of the measures, never for unequal groups.

    Parameters
    ----------
    data
        A long frame with one row a subject and combination of levels; or `Moments` (one study or a stack) whose
        variables are the combinations, the last factor changing fastest.
    outcome
        The column of the numbers, with a frame.
    within
        The repeated factors; with `Moments` of several of them the levels of each, by name.
    subject
        The column of the subjects, with a frame.
    between
        Factors between subjects, with a frame.

    Returns
    -------
    RobustAnova
        One row a term. Terms of factors between subjects are Welch–James tests of the subjects' means; terms with a
        repeated factor have Box's degrees of freedom.

    Raises
    ------
    DesignError
        If a factor has one level, or the measures are not the combinations of the repeated factors.
    NotEstimable
        If a group has fewer than two subjects, or a term's error does not vary.

    Notes
    -----
    With H the orthonormal contrasts of a term, m all means and V their block-diagonal covariance, S_j / n_j of group j:
    F = m′H′Hm / tr(HVH′) on df1 = tr²(HVH′) / tr[(HVH′)²] and
    df2 = tr²(HVH′) / Σ_j tr[(H_j S_j H_j′ / n_j)²] / (n_j − 1).
    Without groups this is Greenhouse and Geisser's test; of one contrast it is the square of Welch's t.

    References
    ----------
    - Box, G. E. P. (1954). Some theorems on quadratic forms applied in the study of analysis of variance problems, I
      and II. Annals of Mathematical Statistics, 25, 290–302 and 484–498.
    - Brunner, E., Dette, H., & Munk, A. (1997). Box-type approximations in nonparametric factorial designs. Journal of
      the American Statistical Association, 92, 1494–1502.
    - Johansen, S. (1980). The Welch–James approximation to the distribution of the residual sum of squares in a
      weighted linear regression. Biometrika, 67, 85–92.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame([(s, a) for s in "pqrstuvwx" for a in ("CL", "FC", "SP")], columns=["who", "agent"])
    >>> frame["country"] = ["x"] * 12 + ["y"] * 15
    >>> frame["points"] = [3, 5, 9, 2, 4, 7, 4, 5, 9, 3, 8, 9, 1, 4, 8, 1, 9, 2, 7, 4, 2, 8, 3, 5, 9, 2, 4]
    >>> print(robust_repeated(frame, "points", "agent", "who", "country").effect("country:agent").apa())
    F(1.72, 7.94) = 3.52, p = .085, ηp² = .33, 90% CI [.00, .60]
    """
    summary, factors = crossed_moments(data, outcome, within, subject, between)
    n, mean, error, shape = cell_arrays(summary)
    _check_group_sizes(n)
    k, sizes = len(summary.variables), tuple(map(len, factors))
    # The covariance of each group's means.
    own = summary.covariance.reshape(*n.shape, k, k) / n[..., None, None]
    terms, tests = crossed_terms(summary, factors), []
    for _, inner, outer in terms:
        rows, turn = hypothesis(shape, outer), hypothesis(sizes, inner)
        if inner:
            pooled = own_error(summary, turn @ error @ turn.T, error, [factors[i].name for i in inner])
            f, *freedom = _box(rows, n, mean @ turn.T, turn @ own @ turn.T)
            tests.append((np.where(np.isnan(pooled[..., 0, 0]), np.nan, f), *freedom))
        else:  # of one number a subject, the mean of its measures
            f, df1, df2 = robust_f(Design.of_cells(summary.contrast(turn[0])), rows, "welch-james")
            tests.append((f, df1, df2, (n - 1.0).sum(axis=-1) + np.zeros(f.shape)))
    f, df1, df2, df_within = (np.stack(column, axis=-1) for column in zip(*tests, strict=True))
    return RobustAnova(
        terms=tuple(name for name, _, _ in terms),
        statistic=f,
        df1=df1,
        df2=df2,
        p=np.asarray(special.fdtrc(df1, df2, f)),
        df_within=df_within,
        n=plain(n.sum(axis=-1)),
        method="box",
        outcome=summary.outcome,
        missing=summary.missing,
    )


def _check_group_sizes(n: FloatArray) -> None:
    if n.min() < 2:
        raise NotEstimable(
            f"covariances of their own need two subjects with all measures in each group; a group has {n.min():.0f}"
        )


def _box(
    rows: FloatArray, n: FloatArray, mean: FloatArray, own: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return F, both df, and the df that stand for the variance inside groups, of one term.

    Parameters
    ----------
    rows : ndarray, shape (r, groups)
        Orthonormal contrasts of the groups.
    n : ndarray, shape (*studies, groups)
    mean : ndarray, shape (*studies, groups, u)
        Means of the term's u contrasts of the measures.
    own : ndarray, shape (*studies, groups, u, u)
        The covariance of these means in each group.
    """
    # H′H of the groups: as blocks of V lie on the diagonal, every trace of HVH′ is a sum over pairs of groups.
    projection = rows.T @ rows
    squares = ((rows @ mean) ** 2).sum(axis=(-2, -1))
    trace = (np.diagonal(projection) * np.trace(own, axis1=-2, axis2=-1)).sum(axis=-1)
    products = np.einsum("...gij,...hji->...gh", own, own)
    trace_of_square = (projection**2 * products).sum(axis=(-2, -1))
    # What each group adds to the variance of the trace: this is where a small group that varies much costs df.
    of_groups = np.diagonal(projection) ** 2 * np.diagonal(products, axis1=-2, axis2=-1) / (n - 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        f, df1, df2 = squares / trace, trace**2 / trace_of_square, trace**2 / of_groups.sum(axis=-1)
    share = df1 / len(rows)  # of the measures' contrasts, as Greenhouse and Geisser's epsilon counts them
    return f, df1, df2, (n - 1.0).sum(axis=-1) * share
