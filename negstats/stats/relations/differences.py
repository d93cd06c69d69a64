"""Several correlations: all of several variables, and whether two of them differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.effects._effect import Effect
from negstats.stats.relations.correlation import Correlation, Kind, correlation, from_moments, ranked_moments
from negstats.stats.relations.exact import MOST_RANKED
from negstats.stats.results.apa import bounded_apart, p_value, statistic
from negstats.stats.results.intervals import difference_ends
from negstats.stats.results.multiplicity import METHODS
from negstats.stats.results.multiplicity import adjust as adjust_p_values
from negstats.stats.results.numbers import ROUNDING, FloatArray, Number, plain
from negstats.stats.results.options import ALTERNATIVES, Alternative, check_choice, check_single, sides, t_tails
from negstats.stats.results.result import Interval, Result, check_level, with_schema
from negstats.stats.summaries import Moments
from negstats.stats.summaries.coerce import as_frame, complete, moments_of, standardized
from negstats.stats.summaries.frames import IntArray, names_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CorrelationMatrix(Result):
    """All correlations of several variables.

    Attributes
    ----------
    variables : tuple of str
    r : ndarray, shape (k, k)
        Coefficients; 1 on the diagonal.
    p, p_adjusted : ndarray, shape (k, k)
        As tested, and corrected for the k(k − 1)/2 tests; NaN on the diagonal.
    n : ndarray, shape (k, k)
        Complete rows of each pair.
    method, adjust : str
        "pearson", "spearman" or "kendall"; how p was corrected.
    pairs : tuple of Correlation
        Each correlation with its interval.
    """

    variables: tuple[str, ...]
    r: FloatArray
    p: FloatArray
    p_adjusted: FloatArray
    n: FloatArray
    method: Kind
    adjust: str
    pairs: tuple[Correlation, ...]

    def __getitem__(self, pair: tuple[str, str]) -> Correlation:
        for candidate in self.pairs:
            if {candidate.x, candidate.y} == set(pair):
                return candidate
        raise DesignError(f"there is no correlation of {pair[0]!r} and {pair[1]!r}; there are {self.variables}")

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a pair: x, y, r, low, high, statistic, df, p, p_adjusted, n, adjust.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            ``n`` is the number of units that have both variables, ``adjust`` the name of the correction.
        """
        rows = []
        for pair in self.pairs:
            interval = pair.confidence_interval(confidence_level)
            cell = self.variables.index(pair.x), self.variables.index(pair.y)
            row = {"x": pair.x, "y": pair.y, "r": pair.r, "low": interval.low, "high": interval.high}
            rows.append(
                row
                | {
                    "statistic": pair.statistic,
                    "df": pair.df,
                    "p": pair.p,
                    "p_adjusted": self.p_adjusted[cell],
                    "n": pair.n,
                }
            )
        return with_schema(pd.DataFrame(rows).assign(adjust=self.adjust), "CorrelationMatrix/1")

    def apa(self) -> str:
        """Return each correlation behind its variables; the p are the uncorrected ones, which the corrected follow.

        Returns
        -------
        str
            One clause a pair, with semicolons between.
        """
        correction_text = "" if self.adjust == "none" else f" ({METHODS[self.adjust]}, {len(self.pairs)} tests)"
        texts = []
        for pair in self.pairs:
            cell = self.variables.index(pair.x), self.variables.index(pair.y)
            p_text = f", {p_value(pair.p)}, "
            texts.append(
                f"{pair.x} and {pair.y}: {pair.apa().replace(p_text, f', {p_value(self.p_adjusted[cell])}, ', 1)}"
            )
        return "; ".join(texts) + correction_text


def correlations(
    data: Any,
    variables: Sequence[str],
    *,
    method: Kind = "pearson",
    adjust: str = "holm",
    missing: Literal["listwise", "pairwise"] = "listwise",
) -> CorrelationMatrix:
    """Correlate every pair of variables and correct the p for their number.

    Parameters
    ----------
    data
        A frame of any engine, arrays by name, or (Pearson only) `Moments` of one study.
    variables
        At least two.
    method
        As in `correlation`.
    adjust
        A name of `adjust`, or "none".
    missing
        "listwise": only rows that have every variable; "pairwise": for each pair those that have both.

    Returns
    -------
    CorrelationMatrix
        A matrix of r, of p, and of the corrected p, in the order of `variables`.

    Raises
    ------
    DesignError, NotEstimable
        As `correlation`.

    Examples
    --------
    >>> rows = {"ask": [2, 4, 5, 7, 8, 9], "gain": [5, 3, 6, 2, 7, 4], "points": [10, 12, 11, 17, 15, 20]}
    >>> correlations(rows, ["ask", "gain", "points"]).p_adjusted.round(3)[0].tolist()
    [nan, 1.0, 0.04]
    """
    names = names_of(variables)
    check_choice("missing", missing, ("listwise", "pairwise"))
    check_choice("adjust", adjust, ("none", *METHODS))
    if len(names) < 2:
        raise DesignError(f"variables are {', '.join(names) or 'none'}; correlations need at least two")
    source: Any = data
    if isinstance(data, Moments):
        source = moments_of(data, names, "variables")
        if source.n.ndim:
            raise DesignError(f"correlations takes one study; the moments hold {source.n.size}")
    elif missing == "listwise":
        source = _read_rows(complete(data, names, "variables")[0], names, method)
    else:
        source = as_frame(data, names, "variables")
    if isinstance(source, Moments) and method == "spearman":
        results = tuple(from_moments(moments_of(source, pair, "variables"), method) for pair in combinations(names, 2))
    else:
        results = tuple(correlation(source, x, y, method=method) for x, y in combinations(names, 2))
    p = np.array([result.p for result in results])
    k = len(names)
    # Symmetric matrices of r, p, corrected p and n; the diagonal has no test.
    matrices = [np.full((k, k), np.nan) for _ in range(4)]
    upper = np.triu_indices(k, 1)
    p_adjusted = p if adjust == "none" else adjust_p_values(p, adjust).p_adjusted
    values_of_matrices = ([result.r for result in results], p, p_adjusted, [result.n for result in results])
    for matrix, values in zip(matrices, values_of_matrices, strict=True):
        matrix[upper] = np.asarray(values, dtype=float)
        matrix.T[upper] = matrix[upper]
    np.fill_diagonal(matrices[0], 1.0)
    r, p, p_adjusted, n = matrices
    return CorrelationMatrix(tuple(names), r, p, p_adjusted, n, method, adjust, results)


def _read_rows(rows: FloatArray, names: Sequence[str], method: Kind) -> Moments | pd.DataFrame:
    """Return what every pair is made of: moments of the numbers or of their ranks; or the rows, for exact p."""
    if method == "pearson":
        return Moments.from_array(rows, names, within="variable")
    if method == "spearman" and len(rows) > MOST_RANKED:
        return ranked_moments(rows, names)
    return pd.DataFrame(rows, columns=list(names))


@dataclass(frozen=True, slots=True, repr=False)
class CorrelationDifference(Result):
    """Whether two correlations differ. Signed as first minus second.

    Attributes
    ----------
    names : tuple of str
        What is compared, such as ("x ~ y", "x ~ z").
    r : tuple of float
        Both correlations.
    difference : float
    statistic, p : float
        z and its p under `alternative`.
    n : tuple of int
        Units of each; of dependent correlations the same ones.
    dependence : float
        Asymptotic correlation of the two estimates; 0 for independent samples.
    method : str
        "fisher" (independent samples), "steiger" or "meng".
    alternative : str
        "greater": the first is larger.
    missing : int
        Rows left out because a variable was missing.
    """

    names: tuple[str, str]
    r: tuple[Number, Number]
    difference: Number
    statistic: Number
    p: Number
    n: tuple[int, int]
    dependence: Number
    method: str
    alternative: Alternative
    missing: int
    spread: tuple[float, float] = field(repr=False, compare=False)

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval of the difference from the limits of both correlations (Zou, 2007).

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, between −2 and 2.

        References
        ----------
        Zou, G. Y. (2007). Toward using confidence intervals to compare correlations. Psychological Methods, 12,
        399–413.
        """
        areas = sides(check_level(confidence_level), self.alternative)
        critical = -special.ndtri(max(areas))
        first_r, second_r = (np.asarray(r) for r in self.r)
        first_low, first_high = (np.tanh(np.arctanh(first_r) + sign * critical * self.spread[0]) for sign in (-1, 1))
        second_low, second_high = (np.tanh(np.arctanh(second_r) + sign * critical * self.spread[1]) for sign in (-1, 1))
        low, high = difference_ends(
            (first_r, second_r), (first_low, first_high), (second_low, second_high), self.dependence
        )
        low = low if areas[0] else np.full_like(low, -2.0)
        high = high if areas[1] else np.full_like(high, 2.0)
        return Interval(plain(low), plain(high), confidence_level, "Zou")

    def effect_size(self) -> Effect:
        """Return Cohen's q, the difference of the Fisher z (Cohen, 1988, ch. 4), with its normal interval.

        Returns
        -------
        Effect
            Cohen's q, 0 where the correlations are equal.

        References
        ----------
        Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences (2nd ed.). Erlbaum.
        """
        q = np.arctanh(np.asarray(self.r[0])) - np.arctanh(np.asarray(self.r[1]))
        return Effect("q", plain(q), self._q_interval)

    def _q_interval(self, confidence_level: float) -> Interval:
        area_below, area_above = sides(check_level(confidence_level), self.alternative)
        q = np.arctanh(np.asarray(self.r[0])) - np.arctanh(np.asarray(self.r[1]))
        first_se, second_se = self.spread
        se = np.sqrt(first_se**2 + second_se**2 - 2 * np.asarray(self.dependence) * first_se * second_se)
        return Interval(
            plain(q + special.ndtri(area_below) * se),
            plain(q - special.ndtri(area_above) * se),
            confidence_level,
            "normal",
        )

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return z, p, the difference and its interval.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        interval = self.confidence_interval(confidence_level)
        test_text = statistic("z", self.statistic, (), self.p, alternative=self.alternative)
        value, bounds = bounded_apart(self.difference, interval.low, interval.high, confidence_level)
        return f"{test_text}, Δr = {value}, {bounds}"


def independent_correlations(
    first: Correlation | tuple[float, int],
    second: Correlation | tuple[float, int],
    *,
    alternative: Alternative = "two-sided",
) -> CorrelationDifference:
    """Compare the Pearson correlations of two independent samples (Fisher, 1921).

    Parameters
    ----------
    first, second
        Results of `correlation`, or a printed r with its n.
    alternative
        "greater": the first is larger.

    Returns
    -------
    CorrelationDifference
        Both correlations, their difference, first minus second, and its test.

    Raises
    ------
    DesignError
        If r does not lie inside −1 to 1, n is below 4, or a correlation is not Pearson's.

    References
    ----------
    Fisher, R. A. (1921). On the "probable error" of a coefficient of correlation deduced from a small sample. Metron,
    1, 3–32.

    Examples
    --------
    >>> print(independent_correlations((0.49, 145), (0.36, 84)).apa())
    z = 1.14, p = .253, Δr = .13, 95% CI [−.09, .36]
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    summaries = [_summarise(correlation, name) for correlation, name in ((first, "first"), (second, "second"))]
    (r1, n1, se1, name1), (r2, n2, se2, name2) = summaries
    z = (np.arctanh(r1) - np.arctanh(r2)) / np.hypot(se1, se2)
    missing = sum(correlation.missing for correlation in (first, second) if isinstance(correlation, Correlation))
    return CorrelationDifference(
        (name1, name2), (r1, r2), r1 - r2, z, float(t_tails(z, np.inf, alternative)), (n1, n2), 0.0, "fisher",
        alternative, missing, (se1, se2),
    )  # fmt: skip


def _check_pairs(first: Sequence[str], second: Sequence[str]) -> None:
    """Refuse what are not two different pairs of different variables."""
    for argument, pair in (("first", first), ("second", second)):
        if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
            raise DesignError(f"{argument} is {shown(pair)}; give two different variables, such as ('ask', 'points')")
    if set(first) == set(second):
        raise DesignError(f"first and second are the same pair, {first[0]} and {first[1]}; nothing can be compared")


def dependent_correlations(
    data: Any,
    first: Sequence[str],
    second: Sequence[str],
    *,
    method: Literal["steiger", "meng"] = "steiger",
    alternative: Alternative = "two-sided",
) -> CorrelationDifference:
    """Compare two Pearson correlations of the same units, which may share a variable.

    Parameters
    ----------
    data
        A frame of any engine, arrays by name, or `Moments` (such as those of a printed table of correlations).
    first, second
        Two variables each, such as ("ask", "points") and ("ask", "rounds").
    method
        "steiger": Fisher's z with the covariance at the mean of both r (Steiger, 1980, eq. 14 and 15); "meng": eq. 1 of
        Meng, Rosenthal and Rubin (1992), for two correlations with a shared variable.
    alternative
        "greater": the first is larger.

    Returns
    -------
    CorrelationDifference
        Both correlations, their difference, first minus second, and its test.

    Raises
    ------
    DesignError
        If the pairs are the same, or "meng" is asked for without a shared variable.
    NotEstimable
        If there are fewer than 4 complete rows or a correlation is −1 or 1.

    References
    ----------
    - Meng, X.-L., Rosenthal, R., & Rubin, D. B. (1992). Comparing correlated correlation coefficients. Psychological
      Bulletin, 111, 172–175.
    - Steiger, J. H. (1980). Tests for comparing elements of a correlation matrix. Psychological Bulletin, 87, 245–251.

    Examples
    --------
    >>> from negstats.stats.summaries import Moments
    >>> table = [[1, 0.396, 0.179], [0.396, 1, 0.088], [0.179, 0.088, 1]]
    >>> printed = Moments.from_table(n=66, mean=[0, 0, 0], sd=1, correlation=table, variables=["a", "b", "c"])
    >>> print(dependent_correlations(printed, ("a", "b"), ("a", "c")).apa())
    z = 1.37, p = .171, Δr = .22, 95% CI [−.09, .52]
    """
    check_choice("method", method, ("steiger", "meng"))
    check_choice("alternative", alternative, ALTERNATIVES)
    _check_pairs(first, second)
    names = list(dict.fromkeys([*first, *second]))
    if method == "meng" and len(names) == 4:
        raise DesignError("method='meng' needs a variable that both correlations share; give 'steiger'")
    moments = moments_of(data, names, "first and second")
    if moments.n.ndim:
        raise DesignError(f"dependent_correlations takes one study; the moments hold {moments.n.size}")
    n, table = int(moments.n), standardized(moments)
    if n < 4:
        raise NotEstimable(f"n is {n}; comparing correlations needs at least 4 complete rows")
    indices = [names.index(name) for name in (*first, *second)]
    # The four variables in order, one of them twice where it is shared.
    table_of_four = table[np.ix_(indices, indices)]
    r = float(table_of_four[0, 1]), float(table_of_four[2, 3])
    if 1 - max(map(abs, r)) < ROUNDING:
        raise NotEstimable("a correlation is −1 or 1; its variance is 0 and no difference can be tested")
    shared_places = np.argwhere([[first_name == second_name for second_name in second] for first_name in first])
    se = (n - 3) ** -0.5
    # The difference of Fisher's z, over its error given how far the two depend.
    z_difference = np.arctanh(r[0]) - np.arctanh(r[1])
    z = (
        z_difference
        / se
        / (
            _meng(r, table_of_four, shared_places)
            if method == "meng"
            else np.sqrt(2 - 2 * _compute_dependence(table_of_four, shared_places, float(np.mean(r))))
        )
    )
    labels = (" ~ ".join(first), " ~ ".join(second))
    dependence = _compute_dependence(table_of_four, shared_places)
    return CorrelationDifference(
        labels, r, r[0] - r[1], float(z), float(t_tails(z, np.inf, alternative)), (n, n), dependence, method,
        alternative, moments.missing, (se, se),
    )  # fmt: skip


def _meng(r: tuple[float, float], table: FloatArray, shared_places: IntArray) -> float:
    """Return √(2 (1 − r_x) h) with r_x the correlation of the two variables that are not shared."""
    unshared_first, unshared_second = 1 - shared_places[0][0], 3 - shared_places[0][1]
    other_r, mean = float(table[unshared_first, unshared_second]), (r[0] ** 2 + r[1] ** 2) / 2
    f = min((1 - other_r) / (2 * (1 - mean)), 1.0)
    return float(np.sqrt(2 * (1 - other_r) * (1 - f * mean) / (1 - mean)))


def _compute_dependence(table: FloatArray, shared_places: IntArray, common: float | None = None) -> float:
    """Return the asymptotic correlation of r_12 and r_34 (Pearson and Filon, 1898), at a common value of both if given.

    With a shared variable two of the four are one, and the formula is that of Steiger's eq. 3.
    """
    r12, r34, cross_table = table[0, 1], table[2, 3], table[:2, 2:].copy()
    if common is not None:
        r12 = r34 = common
        for (
            row,
            column,
        ) in shared_places:  # a shared variable meets the two others in the correlations that are compared
            cross_table[row, 1 - column] = cross_table[1 - row, column] = common
    # Pearson and Filon's covariance of two correlations over their standard deviations.
    (r13, r14), (r23, r24) = cross_table
    product = (
        r12 * r34 * (r13**2 + r14**2 + r23**2 + r24**2) / 2
        + r13 * r24
        + r14 * r23
        - (r12 * r13 * r14 + r12 * r23 * r24 + r34 * r13 * r23 + r34 * r14 * r24)
    )
    return float(product / ((1 - r12**2) * (1 - r34**2)))


def _summarise(correlation: Correlation | tuple[float, int], argument: str) -> tuple[float, int, float, str]:
    if isinstance(correlation, Correlation):
        if correlation.method != "pearson":
            raise DesignError(f"{argument} is {correlation.method}'s correlation; Fisher's test is for Pearson's")
        check_single(correlation.r, "independent_correlations")
        r, n, se, name = (
            float(correlation.r),
            int(np.asarray(correlation.n)),
            float(correlation.spread),
            f"{correlation.x} ~ {correlation.y}",
        )
    else:
        r, n, name = float(correlation[0]), int(correlation[1]), argument
        se = (n - 3) ** -0.5 if n > 3 else np.nan
    if not abs(r) < 1 or np.isnan(se):
        raise DesignError(f"{argument} has r = {r:g} and n = {n}; r must lie inside −1 to 1 and n be at least 4")
    return r, n, se, name
