"""Factorial designs whose cells differ in variance: Welch–James and Box, whose df come from the variances, and HC3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import NotEstimable
from negstats.stats.means.design import Design
from negstats.stats.means.ftest import FTest
from negstats.stats.means.linear import all_terms, hypothesis
from negstats.stats.means.term_table import TermTable, find_term
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
        place = find_term(self.terms, term)
        f, df1, df2, p, within = (
            plain(array[..., place]) for array in (self.statistic, self.df1, self.df2, self.p, self.df_within)
        )
        return FTest(self.terms[place], f, df1, df2, p, np.nan, np.nan, within)

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
        where = ", ".join(
            f"{f.name} = {f.levels[code]!r}"
            for f, code in zip(cells.factors, codes[-len(cells.factors) :], strict=True)
        )
        low = float(mean[tuple(codes)])
        raise NotEstimable(f"the mean of {cells.outcome!r} is {low:g} with {where}; it has no ratio")
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
    n, ss, mean, part = (
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
    spread = np.einsum("ac,...c,bc->...ab", part, variance, part)
    size = np.einsum("...aa->...a", spread)
    root = np.sqrt(np.where(size > 0, size, np.inf))  # divided one by one: products of small ones would underflow
    correlations = spread / root[..., :, None] / root[..., None, :]
    has_no_error = np.linalg.eigvalsh(correlations)[..., 0] <= ROUNDING * len(rows)
    if not design.studies and has_no_error:
        raise NotEstimable(f"{design.outcome!r} does not vary inside cells that are compared; they have no error")
    spread = np.where(np.reshape(has_no_error, (*design.studies, 1, 1)), np.nan, spread)
    estimate = mean @ part.T
    root = _inverse(spread)
    wald = np.einsum("...a,...ab,...b->...", estimate, root, estimate)
    q = float(len(rows))
    if method == "HC3":
        free = np.maximum(design.n - 1, 0).sum(axis=-1)
        return wald / q, np.full(wald.shape, q), np.broadcast_to(free, wald.shape)
    # tr P_j: each P_j has rank 1, so tr P_j² = tr² P_j.
    diagonal = np.einsum("ac,...ab,bc->...c", part, root, part) * variance
    a = (diagonal**2 / (n - 1)).sum(axis=-1)
    return wald / (q + 2 * a - 6 * a / (q + 2)), np.full(wald.shape, q), q * (q + 2) / (3 * a)


def _inverse(matrices: FloatArray) -> FloatArray:
    """Return inverses of a stack, NaN where a matrix is NaN."""
    is_missing = np.isnan(matrices).any(axis=(-2, -1), keepdims=True)
    return np.where(is_missing, np.nan, np.linalg.inv(np.where(is_missing, np.eye(matrices.shape[-1]), matrices)))
