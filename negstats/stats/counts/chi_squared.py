"""Tests of association and of goodness of fit by X² and G², and their follow-up in a larger table.

Counts come from raw rows, from a printed table or from a stack of studies. The tests suppose that the observations are
independent, which no table can show: count games, not the two players of each. ``fisher`` has the exact test,
``matched`` the tests of dependent counts, ``loglinear`` more than two dimensions.

In a larger table `compare_rows` tests every pair of rows with corrected p; `partition` splits G² into independent
parts that add up.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, NotEstimable
from negstats.stats.counts.contingency import (
    TableResult,
    check_filled,
    check_one_table,
    check_whole,
    chi2_sf,
    likelihood_ratio,
    normal_p,
    pearson,
    table,
    table_warning,
    totals,
)
from negstats.stats.counts.fisher import fisher_p
from negstats.stats.counts.proportions import ProportionDifference
from negstats.stats.effects._effect import Effect
from negstats.stats.effects.counts import from_chi2
from negstats.stats.pairs import Pairs, build_pairs, check_correction
from negstats.stats.results import apa, multiplicity
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.summaries import Counts
from negstats.stats.summaries.frames import By

Statistic = Literal["pearson", "likelihood-ratio"]
SYMBOLS = {"pearson": "χ²", "likelihood-ratio": "G²"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Fitted(TableResult):
    """A table beside what was expected in each cell, and how far apart they are."""

    statistic: Number
    df: Number
    p: Number
    n: Number
    smallest_expected: Number
    method: str
    warning: str
    observed: Counts
    expected: FloatArray

    @property
    @abstractmethod
    def adjusted_residuals(self) -> FloatArray:
        """(n − m) over its standard error, of each cell."""

    @property
    def missing(self) -> int:
        """Rows that were left out because a factor was missing."""
        return self.observed.missing

    @property
    def pearson_residuals(self) -> FloatArray:
        """(n − m)/√m of each cell; NaN where nothing was expected."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((self.observed.n - self.expected) / np.sqrt(self.expected))

    def residuals(self, adjust: str = "holm") -> pd.DataFrame:
        """Return one row a cell: n, expected, and the residuals with the p of the adjusted one.

        The adjusted residual is (n − m) over its standard error, a standard normal in large samples if there is no
        association (Haberman, 1973); `p_adjusted` corrects its p for the number of cells. For a single table.

        Parameters
        ----------
        adjust
            A method of `negstats.stats.adjust`: "holm", "bonferroni", "fdr_bh", ...

        Returns
        -------
        DataFrame
            The levels of the cell, then the numbers; counts are in rows of the data.

        References
        ----------
        Haberman, S. J. (1973). The analysis of residuals in cross-classified tables. Biometrics, 29, 205–220.
        """
        frame = self.observed.to_frame()
        p = normal_p(self.adjusted_residuals)
        return frame.assign(
            expected=self.expected.ravel(),
            pearson=self.pearson_residuals.ravel(),
            adjusted=self.adjusted_residuals.ravel(),
            p=p.ravel(),
            p_adjusted=multiplicity.adjust(p.ravel(), adjust).p_adjusted,
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChiSquared(_Fitted):
    """Test of independence of the two dimensions of a table.

    Attributes
    ----------
    statistic : float or ndarray
        X² or G², as `method` says.
    df, p : float or ndarray
        (rows − 1)(columns − 1), and the upper tail of chi-squared.
    n : float or ndarray
        Observations in the table.
    smallest_expected : float or ndarray
        The least expected count.
    method : str
        "pearson", "pearson, continuity corrected" or "likelihood-ratio".
    warning : str
        What speaks against the approximation, in a sentence; empty if nothing does, and for a stack.
    observed : Counts
        The table.
    expected, adjusted_residuals : ndarray, shape (*studies, rows, columns)
        Expected counts under independence, and (n − m) over its standard error.
    """

    columns: ClassVar[tuple[str, ...]] = (
        "statistic", "df", "p", "n", "cramers_v", "smallest_expected", "method", "warning", "missing",
    )  # fmt: skip

    @property
    def adjusted_residuals(self) -> FloatArray:
        """(n − m) over its standard error, of each cell; NaN at a level without observations."""
        n = self.observed.n
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = self.expected * (1 - _share(n, -1)) * (1 - _share(n, -2))
            return np.asarray((n - self.expected) / np.sqrt(spread))

    @property
    def cramers_v(self) -> Number:
        """Cramér's V, from the uncorrected X² whatever the statistic: 0 for independence, 1 for a complete one."""
        return self.effect_size().value

    def effect_size(self) -> Effect:
        """Return Cramér's V with the interval of the noncentral chi-squared; NaN where one level is left.

        Returns
        -------
        Effect
            Cramér's V, from 0 (no association) to 1.
        """
        n = self.observed.n
        smaller = np.minimum(*((n.sum(axis=axis) > 0).sum(axis=-1) for axis in (-1, -2))) - 1.0
        scale = np.asarray(np.asarray(self.n) * np.where(smaller > 0, smaller, np.nan))
        return from_chi2("cramers_v", pearson(n, self.expected, 2), np.asarray(self.df), scale)

    def apa(self) -> str:
        """Return ``χ²(df, N = n) = x, p = .xxx, V = .xx``.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        symbol = SYMBOLS[self.method.split(",")[0]]
        n = round(self._one(self.n))
        return f"{apa.statistic(symbol, self.statistic, (self.df,), self.p, n=n)}, V = {apa.bounded(self.cramers_v)}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GoodnessOfFit(_Fitted):
    """Test of counts against given probabilities.

    Attributes
    ----------
    statistic, df, p, n, smallest_expected, method, warning, observed, expected, adjusted_residuals
        As in `ChiSquared`; df is the number of levels with a probability, less 1.
    share : ndarray, shape (levels,)
        The probabilities.
    """

    share: FloatArray

    columns: ClassVar[tuple[str, ...]] = (
        "statistic", "df", "p", "n", "cohens_w", "smallest_expected", "method", "warning", "missing",
    )  # fmt: skip

    @property
    def adjusted_residuals(self) -> FloatArray:
        """(n − m) over its standard error, of each level."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((self.observed.n - self.expected) / np.sqrt(self.expected * (1 - self.share)))

    @property
    def cohens_w(self) -> Number:
        """Cohen's w, √(X²/n)."""
        return self.effect_size().value

    def effect_size(self) -> Effect:
        """Return Cohen's w with the interval of the noncentral chi-squared.

        Returns
        -------
        Effect
            Cohen's w, 0 where the counts are as expected.
        """
        size = np.asarray(self.n, dtype=np.float64)
        x2 = pearson(self.observed.n, self.expected, 1)
        return from_chi2("cohens_w", x2, np.asarray(self.df), np.where(size > 0, size, np.nan))

    def apa(self) -> str:
        """Return ``χ²(df, N = n) = x, p = .xxx, w = .xx``.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        n = round(self._one(self.n))
        text = apa.statistic(SYMBOLS[self.method], self.statistic, (self.df,), self.p, n=n)
        return f"{text}, w = {apa.number(self.cohens_w)}"


def chi_squared(data: Any, by: By = None, *, statistic: Statistic = "pearson", correction: bool = False) -> ChiSquared:
    """Test whether the two dimensions of a table are independent.

    Parameters
    ----------
    data
        Counts, a nested list, a cross-table (a frame as pandas.crosstab makes it), a stack of tables (Counts with
        leading axes), or a frame of raw rows with `by`.
    by
        The two columns of the frame to count.
    statistic
        "pearson" for X² = Σ(n − m)²/m, "likelihood-ratio" for G² = 2 Σ n ln(n/m).
    correction
        Yates's continuity correction, for a 2 × 2 table and X² only. Off unless asked for, here as in every test of
        this package that has such a correction (R's chisq.test and SciPy's chi2_contingency have it on); where expected
        counts are small see `fisher`.

    Returns
    -------
    ChiSquared
        In a stack, a level that a study lacks is left out of that study (its df are fewer); with one level left there
        is nothing to test: df 0, p NaN. Counts that are not whole are taken, and `warning` says so.

    Raises
    ------
    DesignError
        If the table does not have two dimensions of two or more levels, a count is negative, or a correction is asked
        of a larger table or of G².
    NotEstimable
        If a single table is empty or has a level without observations.

    References
    ----------
    Agresti, A. (2013). Categorical Data Analysis (3rd ed.), 3.2 and 3.3 (adjusted residuals: eq. 3.13).

    Examples
    --------
    >>> walked = [[19, 77], [22, 68], [10, 93]]
    >>> print(chi_squared(walked).apa())
    χ²(2, N = 289) = 7.63, p = .022, V = .16
    """
    counts = table(data, by)
    check_filled(counts)
    if statistic not in SYMBOLS:
        raise DesignError(f"statistic is {statistic!r}; give 'pearson' or 'likelihood-ratio'")
    if correction and (counts.shape != (2, 2) or statistic != "pearson"):
        raise DesignError(f"the continuity correction is for X² of a 2 × 2 table, not {statistic} of {counts.shape}")
    n, size = counts.n, totals(counts)
    # What is expected, and the df, come of the margins; empty rows and columns count for nothing.
    expected, df = independence(n)
    value = likelihood_ratio(n, expected, 2) if statistic == "likelihood-ratio" else pearson(n, expected, 2, correction)
    return ChiSquared(
        statistic=plain(value),
        df=plain(df),
        p=chi2_sf(value, df),
        n=plain(size),
        smallest_expected=plain(expected.min(axis=(-2, -1))),
        method="pearson, continuity corrected" if correction else statistic,
        warning=table_warning(counts, expected),
        observed=counts,
        expected=expected,
    )


def independence(n: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return expected counts under independence and df of tables of shape ``(*studies, rows, columns)``.

    A level without observations counts neither as a row nor as a column. Expected counts of an empty table are 0.
    """
    rows, columns = n.sum(axis=-1, keepdims=True), n.sum(axis=-2, keepdims=True)
    size = rows.sum(axis=-2, keepdims=True)
    expected = np.divide(rows * columns, size, out=np.zeros(n.shape), where=size > 0)
    df = ((rows > 0).sum(axis=(-2, -1)) - 1) * ((columns > 0).sum(axis=(-2, -1)) - 1)
    return expected, np.where(size[..., 0, 0] > 0, df, 0).astype(np.float64)


def _share(n: FloatArray, axis: int) -> FloatArray:
    """Share of each level of the dimension that is not summed, broadcast to the table."""
    return np.asarray(n.sum(axis=axis, keepdims=True) / n.sum(axis=(-2, -1), keepdims=True))


def goodness_of_fit(
    data: Any,
    by: By = None,
    *,
    probabilities: npt.ArrayLike | None = None,
    statistic: Statistic = "pearson",
) -> GoodnessOfFit:
    """Test whether counts follow given probabilities.

    Parameters
    ----------
    data
        Counts of one dimension, a list, a stack, or a frame with the column `by`.
    by
        The column of the levels, where `data` is a frame.
    probabilities
        One number a level, in the levels' order, not all 0. They are scaled to the sum 1, so expected counts will do.
        Equal by default. A level of probability 0 is left out, and may not have been observed.
    statistic
        "pearson" or "likelihood-ratio".

    Returns
    -------
    GoodnessOfFit
        The statistic with df and p, and of each level the observed and the expected count.

    Raises
    ------
    DesignError
        If the probabilities are negative, do not match the levels, or exclude an observed level.
    NotEstimable
        If a single table is empty.

    Examples
    --------
    >>> print(goodness_of_fit([89, 37, 30, 28, 2], probabilities=[40, 20, 20, 15, 5]).apa())
    χ²(4, N = 186) = 9.99, p = .041, w = 0.23
    """
    counts = table(data, by, (1,))
    check_filled(counts, levels=False)
    if statistic not in SYMBOLS:
        raise DesignError(f"statistic is {statistic!r}; give 'pearson' or 'likelihood-ratio'")
    share = _probabilities(probabilities, counts)
    size = totals(counts)
    expected = size[..., None] * share
    value = (likelihood_ratio if statistic == "likelihood-ratio" else pearson)(counts.n, expected, 1)
    df = np.where(size > 0, float((share > 0).sum() - 1), 0.0)
    return GoodnessOfFit(
        statistic=plain(value),
        df=plain(df),
        p=chi2_sf(value, df),
        n=plain(size),
        smallest_expected=plain(expected[..., share > 0].min(axis=-1)),
        method=statistic,
        warning=table_warning(counts, expected),
        observed=counts,
        expected=expected,
        share=share,
    )


def _probabilities(probabilities: npt.ArrayLike | None, counts: Counts) -> FloatArray:
    (k,) = counts.shape
    share = np.ones(k) if probabilities is None else np.asarray(probabilities, dtype=np.float64)
    if share.shape != (k,):
        raise DesignError(f"probabilities have the shape {share.shape}, and there are {k} levels; give one a level")
    if not np.all(np.isfinite(share)) or (share < 0).any() or (share > 0).sum() < 2:
        raise DesignError(f"probabilities are {share.tolist()}; give numbers from 0 on, at least two above 0")
    if (counts.n[..., share == 0] > 0).any():
        raise NotEstimable("a level of probability 0 was observed: these probabilities are impossible")
    return np.asarray(share / share.sum())


Test = Literal["pearson", "likelihood-ratio", "fisher"]


def compare_rows(data: Any, by: By = None, *, test: Test = "pearson", adjust: str = "holm") -> Pairs:
    """Test each pair of rows of a table for the same distribution over the columns.

    Parameters
    ----------
    data, by
        A two-way table, as in `chi_squared`; the first dimension is the rows.
    test
        "pearson", "likelihood-ratio" or "fisher" (exact). A column that neither row has is left out of their test.
    adjust
        A method of `negstats.stats.adjust`.

    Returns
    -------
    Pairs
        One test a pair of rows, with p as it is and corrected; the effect is the difference of the shares of the first
        column where there are two, else Cramér's V.

    Examples
    --------
    >>> walked = [[19, 77], [22, 68], [10, 93]]
    >>> compare_rows(walked, test="fisher").to_frame()[["first", "second", "p_adjusted"]].round(4)
      first second  p_adjusted
    0     1      2       0.4823
    1     1      3       0.0946
    2     2      3       0.0204
    """
    counts = table(data, by)
    check_filled(counts)
    check_one_table(counts, "compare_rows")
    if test not in ("pearson", "likelihood-ratio", "fisher"):
        raise DesignError(f"test is {test!r}; give 'pearson', 'likelihood-ratio' or 'fisher'")
    check_correction(adjust)
    levels = counts.factors[0].levels
    # Every two rows are a table of their own.
    row_pairs = np.moveaxis(counts.n[np.array(np.triu_indices(len(levels), 1))], 0, 1)
    expected, df = independence(row_pairs)
    if test == "fisher":
        check_whole(counts, "Fisher's test")
        value = df = np.full(len(row_pairs), np.nan)
        p = np.array([fisher_p(rows) for rows in row_pairs])
    else:
        value = (pearson if test == "pearson" else likelihood_ratio)(row_pairs, expected, 2)
        p = np.asarray(chi2_sf(value, df))
    letter = {"pearson": "χ²", "likelihood-ratio": "G²", "fisher": ""}[test]
    return build_pairs(
        levels, letter, value, df, np.asarray(p, dtype=np.float64), n=row_pairs.sum(axis=(-2, -1)), adjust=adjust,
        method=test, effect=_effect_of_rows(row_pairs),
    )  # fmt: skip


def _effect_of_rows(row_pairs: FloatArray) -> Effect:
    """Return the effect of tables of two rows, (tables, 2, columns): of two columns the difference of shares."""
    n = row_pairs.sum(axis=-1)
    if row_pairs.shape[-1] > 2:
        expected, df = independence(row_pairs)
        return from_chi2("cramers_v", pearson(row_pairs, expected, 2), df, n.sum(axis=-1))
    shares = row_pairs[..., 0] / n
    difference = ProportionDifference(
        difference=shares[:, 0] - shares[:, 1],
        proportions=(shares[:, 0], shares[:, 1]),
        successes=(row_pairs[:, 0, 0], row_pairs[:, 1, 0]),
        n=(n[:, 0], n[:, 1]),
    )
    return Effect("risk_difference", difference.difference, difference.confidence_interval)
