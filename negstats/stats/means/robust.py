"""Designs whose cells or groups differ in variance: Welch–James and Box, HC3, and repeated measures in such groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import NotEstimable
from negstats.stats.means.design import Design, all_terms, hypothesis
from negstats.stats.means.f_tests import FTest, TermTable, find_term
from negstats.stats.means.repeated import cell_arrays, crossed_moments, crossed_terms, own_error
from negstats.stats.results.numbers import ROUNDING, FloatArray, Number, plain, shared
from negstats.stats.results.options import check_choice
from negstats.stats.results.result import study_frame
from negstats.stats.summaries.cells import Cells
from negstats.stats.summaries.frames import By

RobustMethod = Literal["HC3", "welch-james", "box"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RobustAnova(TermTable):
    """Type III tests of a factorial design without a common variance. Arrays have the shape ``(*studies, terms)``.

    Attributes
    ----------
    terms : tuple of str
        Main effects first; an interaction is its factors joined by a colon.
    statistic, df1, df2, p : ndarray
        F, its degrees of freedom, and p.
    df_within : ndarray
        What stands for the variance inside cells in effect sizes: observations less cells, for each term.
    n : float
        Observations (of repeated measures: subjects) in all cells.
    method : str
        "HC3", "welch-james" or, with repeated factors, "box".
    outcome : str
    missing : int
        Rows that were left out because the outcome or a factor was missing.
    """

    terms: tuple[str, ...]
    statistic: FloatArray
    df1: FloatArray
    df2: FloatArray
    p: FloatArray
    df_within: FloatArray
    n: Number
    method: RobustMethod
    outcome: str
    missing: int

    def effect(self, term: str | Sequence[str]) -> FTest:
        """Return the test of one term, named with its factors in any order; it has no sums of squares.

        Parameters
        ----------
        term
            A factor, or an interaction as ``"a:b"`` or ``("a", "b")``.

        Returns
        -------
        FTest
            F with its degrees of freedom and p; the sums of squares are NaN.
        """
        index = find_term(self.terms, term)
        f, df1, df2, p, df_within = (
            plain(array[..., index]) for array in (self.statistic, self.df1, self.df2, self.p, self.df_within)
        )
        return FTest(self.terms[index], f, df1, df2, p, np.nan, np.nan, df_within)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a term (of a stack, one a study and term).

        Returns
        -------
        DataFrame
            F, its degrees of freedom and p, not rounded.
        """
        columns = {name: getattr(self, name) for name in ("statistic", "df1", "df2", "p")}
        return study_frame("RobustAnova/1", {"term": self.terms}, columns).assign(method=self.method)


def robust_anova(
    data: Any, outcome: str | None = None, by: By = None, *, method: Literal["HC3", "welch-james"] = "HC3"
) -> RobustAnova:
    """Test the terms of a factorial design between subjects (type III), each cell with its own variance.

    Parameters
    ----------
    data, outcome, by
        As in `anova`.
    method
        "HC3": Wald's F with the covariance HC3, on N − cells (what `car::Anova(white.adjust = "hc3")` gives).
        "welch-james": Johansen's approximate degrees of freedom; with one factor it is Welch's F. Its size is the
        closer one to the level where sizes and variances of cells differ (docs/calibration.md), so plans use it.

    Returns
    -------
    RobustAnova
        One row a term with its statistic, df and p.

    Raises
    ------
    DesignError
        As `anova`.
    NotEstimable
        If a cell has fewer than two observations, or a term's cells do not vary.

    Notes
    -----
    With all interactions in the model the leverage of a row is 1/n of its cell, so HC3's variance of a cell's mean is
    SS/(n − 1)² (MacKinnon and White, 1985): n, mean and variance of each cell are enough. Johansen (1980): T =
    (Lm)′(LSL′)⁻¹(Lm), S = diag(s²/n), c = q + 2A − 6A/(q + 2), A = ½ Σ [tr(P_j²) + tr²(P_j)]/(n_j − 1), P =
    SL′(LSL′)⁻¹L; F = T/c on (q, q(q + 2)/(3A)).

    References
    ----------
    - Johansen, S. (1980). The Welch–James approximation to the distribution of the residual sum of squares in a
      weighted linear regression. Biometrika, 67, 85–92.
    - MacKinnon, J. G., & White, H. (1985). Some heteroskedasticity-consistent covariance matrix estimators with
      improved finite sample properties. Journal of Econometrics, 29, 305–325.

    Examples
    --------
    >>> from negstats.stats.summaries import Cells
    >>> cells = Cells.from_table(
    ...     n=[[10, 20], [20, 10]], mean=[[1, 3], [2, 6]], sd=[[1, 2], [2, 4]],
    ...     factors={"reward": ["fair", "selfish"], "sex": ["f", "m"]},
    ... )
    >>> print(robust_anova(cells, method="welch-james").effect("reward").apa())
    F(1, 15.22) = 7.62, p = .014, ηp² = .12, 90% CI [.01, .27]
    """
    check_choice("method", method, ("HC3", "welch-james"))
    design = Design.of(data, outcome, by)
    design.check_filled(f"a test with {method} variances")
    terms = all_terms(len(design.shape))
    # Each term is a hypothesis about the cell means, tested with each cell's own variance.
    tests = [robust_f(design, hypothesis(design.shape, term), method) for term in terms]
    f, df1, df2 = (np.stack(column, axis=-1) for column in zip(*tests, strict=True))
    n = shared(design.n).sum(axis=-1)
    return RobustAnova(
        terms=tuple(map(design.term_name, terms)),
        statistic=f,
        df1=df1,
        df2=df2,
        p=np.asarray(special.fdtrc(df1, df2, f)),
        df_within=np.broadcast_to((n - design.n.shape[-1])[..., None], f.shape),
        n=plain(np.broadcast_to(n, design.studies)),
        method=method,
        outcome=design.outcome,
        missing=design.missing,
    )


def log_means(cells: Cells) -> Cells:
    """Return cells of the logarithms of the means, whose hypotheses are about ratios: of counts, rates, amounts.

    The variance of log m is s²/((n − 1) m²), as by a jackknife: that of the delta method, s²/(n m²), is too small for
    few and skewed counts, where a cell that happens to be low has a small variance too.

    Raises
    ------
    NotEstimable
        If the mean of a cell with observations is not above 0: it has no logarithm.
    """
    mean = cells.mean
    is_low = (cells.n > 0) & ~(mean > 0)
    if is_low.any():
        codes = np.argwhere(is_low)[0]
        cell_text = ", ".join(
            f"{f.name} = {f.levels[code]!r}"
            for f, code in zip(cells.factors, codes[-len(cells.factors) :], strict=True)
        )
        lowest = float(mean[tuple(codes)])
        raise NotEstimable(f"the mean of {cells.outcome!r} is {lowest:g} with {cell_text}; it has no ratio")
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = cells.variance * cells.n / (cells.n - 1) / mean**2
    return replace(cells, offset=np.log(mean), variance=variance, origin=0.0)


def robust_f(design: Design, rows: FloatArray, method: RobustMethod) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return F and its two df of the hypothesis ``rows @ mean = 0``, study by study.

    Raises
    ------
    NotEstimable
        If a cell that the hypothesis weighs has one observation, or none of them varies.
    """
    compared_cells = [int(cell) for cell in np.flatnonzero((rows != 0).any(axis=0))]
    n, ss, mean, cell_rows = (
        design.n[..., compared_cells],
        design.ss[..., compared_cells],
        design.mean[..., compared_cells],
        rows[:, compared_cells],
    )
    if n.min() < 2:
        small_cell = compared_cells[int(np.argwhere(n < 2)[0][-1])]
        raise NotEstimable(
            f"variances of their own need two observations in each cell, but n = 1 with {design.cell_name(small_cell)}"
        )
    variance = ss / (n - 1) ** 2 if method == "HC3" else ss / ((n - 1) * n)
    covariance = np.einsum("ac,...c,bc->...ab", cell_rows, variance, cell_rows)
    # Whether the rows' covariance can be inverted is asked of correlations, which do not depend on their scale.
    row_variances = np.einsum("...aa->...a", covariance)
    # Divided one by one: products of small ones would underflow.
    sd = np.sqrt(np.where(row_variances > 0, row_variances, np.inf))
    correlations = covariance / sd[..., :, None] / sd[..., None, :]
    has_no_error = np.linalg.eigvalsh(correlations)[..., 0] <= ROUNDING * len(rows)
    if not design.studies and has_no_error:
        raise NotEstimable(f"{design.outcome!r} does not vary inside cells that are compared; they have no error")
    covariance = np.where(np.reshape(has_no_error, (*design.studies, 1, 1)), np.nan, covariance)
    estimate = mean @ cell_rows.T
    inverse = _inverse(covariance)
    # Wald's statistic with a variance for each cell.
    wald = np.einsum("...a,...ab,...b->...", estimate, inverse, estimate)
    q = float(len(rows))
    if method == "HC3":
        df_within = np.maximum(design.n - 1, 0).sum(axis=-1)
        return wald / q, np.full(wald.shape, q), np.broadcast_to(df_within, wald.shape)
    # tr P_j: each P_j has rank 1, so tr P_j² = tr² P_j.
    diagonal = np.einsum("ac,...ab,bc->...c", cell_rows, inverse, cell_rows) * variance
    trace_sum = (diagonal**2 / (n - 1)).sum(axis=-1)
    return wald / (q + 2 * trace_sum - 6 * trace_sum / (q + 2)), np.full(wald.shape, q), q * (q + 2) / (3 * trace_sum)


def _inverse(matrices: FloatArray) -> FloatArray:
    """Return inverses of a stack, NaN where a matrix is NaN."""
    is_missing = np.isnan(matrices).any(axis=(-2, -1), keepdims=True)
    return np.where(is_missing, np.nan, np.linalg.inv(np.where(is_missing, np.eye(matrices.shape[-1]), matrices)))


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
    mean_covariance = summary.covariance.reshape(*n.shape, k, k) / n[..., None, None]
    terms, tests = crossed_terms(summary, factors), []
    for _, inner, outer in terms:
        rows, inner_contrast = hypothesis(shape, outer), hypothesis(sizes, inner)
        if inner:
            pooled = own_error(
                summary, inner_contrast @ error @ inner_contrast.T, error, [factors[i].name for i in inner]
            )
            f, *dfs = _box(rows, n, mean @ inner_contrast.T, inner_contrast @ mean_covariance @ inner_contrast.T)
            tests.append((np.where(np.isnan(pooled[..., 0, 0]), np.nan, f), *dfs))
        else:  # of one number a subject, the mean of its measures
            f, df1, df2 = robust_f(Design.of_cells(summary.contrast(inner_contrast[0])), rows, "welch-james")
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
    rows: FloatArray, n: FloatArray, mean: FloatArray, mean_covariance: FloatArray
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
    # The expected squares without an effect, and by the trace of the square the df that match their variance.
    trace = (np.diagonal(projection) * np.trace(mean_covariance, axis1=-2, axis2=-1)).sum(axis=-1)
    products = np.einsum("...gij,...hji->...gh", mean_covariance, mean_covariance)
    trace_of_square = (projection**2 * products).sum(axis=(-2, -1))
    # What each group adds to the variance of the trace: this is where a small group that varies much costs df.
    group_terms = np.diagonal(projection) ** 2 * np.diagonal(products, axis1=-2, axis2=-1) / (n - 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        f, df1, df2 = squares / trace, trace**2 / trace_of_square, trace**2 / group_terms.sum(axis=-1)
    share = df1 / len(rows)  # of the measures' contrasts, as Greenhouse and Geisser's epsilon counts them
    return f, df1, df2, (n - 1.0).sum(axis=-1) * share
