"""Analysis of covariance from `Moments` by group: adjusted means, their contrasts, and whether slopes are the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from negstats.errors import DesignError, NotEstimable
from negstats.stats.contrasts.contrast import Adjustment, Contrasts
from negstats.stats.contrasts.margins import Margins, margins
from negstats.stats.contrasts.posthoc import pairwise
from negstats.stats.means.design import Grid, wald_grid
from negstats.stats.means.f_tests import FTest, f_ratio
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.results.result import Result, with_schema
from negstats.stats.summaries import Factor, Moments
from negstats.stats.summaries.coerce import as_frame
from negstats.stats.summaries.frames import is_lazy, names_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ancova(Result):
    """Group means compared at the same values of the covariates.

    Attributes
    ----------
    group : FTest
        Whether the adjusted means differ, given a common slope.
    covariates : tuple of FTest
        Each covariate given the groups and the other covariates.
    homogeneity : FTest or None
        Whether the slopes differ between the groups; None where a group is too small for a slope of its own.
    slopes : ndarray, shape (covariates,)
        The common slopes.
    at : ndarray, shape (covariates,)
        The values at which means are adjusted: the means of all rows.
    missing : int
        Rows left out because a variable or the group was missing.
    """

    group: FTest
    covariates: tuple[FTest, ...]
    homogeneity: FTest | None
    slopes: FloatArray
    at: FloatArray
    missing: int
    factor: Factor = field(repr=False)
    outcome: str = field(repr=False)
    mean: FloatArray = field(repr=False)
    covariance: FloatArray = field(repr=False)
    n: FloatArray = field(repr=False)

    def grid(self) -> Grid:
        """Return the adjusted means as `margins`, `contrasts` and `pairwise` take them (they call this).

        Returns
        -------
        Grid
            The adjusted mean of each group, with the covariance of all means.
        """
        estimates = (self.mean, self.covariance, float(np.asarray(self.group.df2)))
        return wald_grid((self.factor,), self.n, np.eye(len(self.n)), estimates, self.outcome, self.missing)

    def margins(self) -> Margins:
        """Return the adjusted means, at the mean of the covariates over all rows (as R's emmeans).

        Returns
        -------
        Margins
            One mean a group, in units of the outcome.
        """
        return margins(self, specs=self.factor.name)

    def pairwise(self, adjust: Adjustment = "tukey") -> Contrasts:
        """Return all differences of adjusted means, first minus second, with p corrected for their number.

        Parameters
        ----------
        adjust
            Correction of p and of the intervals for the number of differences, such as "tukey" or "holm".

        Returns
        -------
        Contrasts
            One difference for every two groups, in units of the outcome.
        """
        return pairwise(self, specs=self.factor.name, adjust=adjust)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a test: the group, each covariate, and the homogeneity of slopes.

        Returns
        -------
        DataFrame
            The term, F, its degrees of freedom, p and the sums of squares.
        """
        tests = [self.group, *self.covariates, *([self.homogeneity] if self.homogeneity is not None else [])]
        return with_schema(pd.concat([test.to_frame() for test in tests], ignore_index=True), "Ancova/1")

    def apa(self) -> str:
        """Return the F of the group and of each covariate, and of unequal slopes.

        Returns
        -------
        str
            One clause a test, with semicolons between.
        """
        tests = [self.group, *self.covariates]
        text = "; ".join(f"{test.term}: {test.apa()}" for test in tests)
        return text if self.homogeneity is None else f"{text}; slopes: {self.homogeneity.apa()}"


def _read_moments(data: Any, names: list[str], by: str, outcome: str) -> Moments:
    """Return the moments of the variables by group, of moments or of a frame of any engine."""
    if isinstance(data, Moments):
        return _select_variables(data, names, by)
    if is_lazy(data):
        return Moments.from_columns(data, names, by, outcome)
    return Moments.from_columns(as_frame(data, [*names, by], "outcome, by and covariates"), names, by, outcome)


def _find_residual_df(moments: Moments, by: str, k: int) -> float:
    """Return the df that groups and common slopes leave; raises where there is one group, or none is left."""
    (factor,) = moments.factors
    if len(factor) < 2:
        raise DesignError(f"the factor {by!r} has one level, {factor.levels[0]!r}; comparing needs at least two")
    total = float(moments.n.sum())
    residual_df = total - len(factor) - k
    if residual_df < 1:
        raise NotEstimable(f"{int(total)} complete rows are too few for {len(factor)} groups and {k} covariates")
    return residual_df


def _check_variation(sds: FloatArray, scale: FloatArray, names: Sequence[str], by: str) -> None:
    """Refuse a variable whose standard deviation inside groups is no more than the rounding of its means."""
    for name, sd, size in zip(names, sds, scale, strict=True):
        if sd <= ROUNDING * size:
            raise NotEstimable(
                f"{name!r} does not vary inside the groups of {by!r}; analysis of covariance needs a covariate that "
                "varies"
            )


def ancova(data: Any, outcome: str, by: str, covariates: str | Sequence[str]) -> Ancova:
    """Compare group means at the same values of covariates, with a common slope.

    Parameters
    ----------
    data
        A frame of any engine, arrays by name, or `Moments` of outcome and covariates grouped by one factor.
    outcome, by, covariates
        The measured column, the factor, and one or several numeric columns.

    Returns
    -------
    Ancova
        The tests of the group and the covariates, that of equal slopes, and the adjusted means.

    Raises
    ------
    DesignError
        If a column is not there or no number, or the factor has one level.
    NotEstimable
        If there are too few rows, or a covariate does not vary inside the groups or follows from others.

    Notes
    -----
    With W the sums of squares and products inside the groups, b = W_xx⁻¹ W_xy and s² = (W_yy − b′W_xy)/(n − G − k). The
    group's F compares the residuals with those of one line for all rows; type II and III are the same here.

    Examples
    --------
    >>> rows = {"x": [2, 4, 5, 7, 8, 9], "g": list("aabbcc"), "y": [10, 12, 11, 17, 15, 20]}
    >>> ancova(rows, "y", "g", "x").margins().mean.round(3).tolist()
    [17.611, 13.611, 11.278]
    """
    names = [*names_of(covariates), outcome]
    if len(names) < 2:
        raise DesignError("covariates is empty; without any, use one_way")
    moments = _read_moments(data, names, by, outcome)
    (factor,) = moments.factors
    groups, k = len(factor), len(names) - 1
    n, mean = moments.n, moments.offset
    total = float(n.sum())
    residual_df = _find_residual_df(moments, by, k)
    squares_by_group = np.where((n > 1)[:, None, None], moments.covariance * (n - 1)[:, None, None], 0.0)
    within_squares = squares_by_group.sum(axis=0)
    _check_variation(np.sqrt(np.diag(within_squares) / total), np.abs(moments.mean).max(axis=0), names, by)
    centre = n @ mean / total
    deviations = mean - centre
    total_squares = within_squares + (deviations * n[:, None]).T @ deviations
    # Within groups the covariates explain the outcome with common slopes; over all rows without the groups.
    rss, slopes = _residual(within_squares, names)
    rss_one = _residual(total_squares, names)[0]
    inverse = np.linalg.inv(within_squares[:k, :k])
    shift = deviations[:, :k]
    # Means at the grand mean of the covariates, and their covariance with the slopes' uncertainty.
    adjusted_means = moments.mean[:, k] - shift @ slopes
    covariance = rss / residual_df * (np.diag(1 / n) + shift @ inverse @ shift.T)
    return Ancova(
        group=_f(by, rss_one - rss, groups - 1.0, rss, residual_df),
        covariates=tuple(
            _f(name, slopes[index] ** 2 / inverse[index, index], 1.0, rss, residual_df)
            for index, name in enumerate(names[:k])
        ),
        homogeneity=_homogeneity(squares_by_group, n, rss, names, by),
        slopes=slopes,
        at=np.asarray((np.asarray(moments.origin) + centre)[:k]),
        missing=moments.missing,
        factor=factor,
        outcome=outcome,
        mean=adjusted_means,
        covariance=covariance,
        n=n,
    )


def _select_variables(data: Moments, names: Sequence[str], by: str) -> Moments:
    """Return the named variables of moments that are grouped by one factor."""
    if [factor.name for factor in data.factors] != [by] or data.studies:
        raise DesignError(f"the moments are not those of one study grouped by {by!r} alone; ancova needs these")
    return replace(data.only(names), outcome=names[-1])


def _residual(squares: FloatArray, names: Sequence[str]) -> tuple[float, FloatArray]:
    """Return the residual sum of squares of the last variable on the others, and its slopes."""
    k = len(squares) - 1
    size = np.sqrt(np.diag(squares)[:k])
    if np.linalg.eigvalsh(squares[:k, :k] / np.outer(size, size))[0] < 1e-12:
        raise NotEstimable(f"the covariates {', '.join(names[:k])} follow from each other; leave one out")
    slopes = np.linalg.solve(squares[:k, :k], squares[:k, k])
    return max(float(squares[k, k] - slopes @ squares[:k, k]), 0.0), np.asarray(slopes)


def _homogeneity(
    squares_by_group: FloatArray, n: FloatArray, rss: float, names: Sequence[str], by: str
) -> FTest | None:
    groups, k = len(squares_by_group), len(names) - 1
    residual_df = float(n.sum()) - groups * (k + 1)
    if residual_df < 1 or n.min() < k + 1:
        return None
    try:
        own_slopes_rss = sum(_residual(squares, names)[0] for squares in squares_by_group)
    except NotEstimable:
        return None
    return _f(
        f"{by}:{', '.join(names[:k])}", rss - own_slopes_rss, float((groups - 1) * k), own_slopes_rss, residual_df
    )


def _f(term: str, ss: float, df: float, ss_error: float, df_error: float) -> FTest:
    f, p = f_ratio(np.asarray(ss), np.asarray(df), np.asarray(ss_error), np.asarray(df_error))
    return FTest(term, float(f), df, df_error, float(p), float(ss), float(ss_error))
