"""Follow-up of a test of association in a larger table: which rows differ, and where the association sits.

`compare_rows` tests every pair of rows with corrected p; `partition` splits G² into independent parts that add up.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.counts.chi_squared import independence
from negstats.stats.counts.contingency import (
    check_filled,
    check_one_table,
    check_whole,
    chi2_sf,
    likelihood_ratio,
    pearson,
    table,
)
from negstats.stats.counts.fisher import fisher_p
from negstats.stats.results import apa, multiplicity
from negstats.stats.results.multiplicity import METHODS
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.result import Result
from negstats.stats.summaries.frames import By, Factor

# Levels nested by how they are split: (("fair", "supervised"), "selfish") sets fair and supervised against selfish
# first, and then against each other. A flat tuple of all levels does not split them.
Tree: TypeAlias = "str | tuple[Tree, ...]"

Test = Literal["pearson", "likelihood-ratio", "fisher"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RowComparisons(Result):
    """Tests of all pairs of rows.

    Attributes
    ----------
    first, second : tuple of str
        The two rows of each comparison.
    statistic, df : ndarray
        X² or G² and its df; NaN for Fisher's test.
    p, p_adjusted : ndarray
        Before and after the correction for the number of comparisons; NaN where the two rows have only one column.
    n : ndarray
        Observations in the two rows.
    method, adjust : str
        The test and the correction.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    statistic: FloatArray
    df: FloatArray
    p: FloatArray
    p_adjusted: FloatArray
    n: FloatArray
    method: str
    adjust: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row a comparison.

        Returns
        -------
        DataFrame
            The two rows that are compared, the statistic, its df, p and corrected p.
        """
        names = ("first", "second", "statistic", "df", "p", "p_adjusted", "n", "method", "adjust")
        frame = pd.DataFrame({name: getattr(self, name) for name in names})
        frame.attrs["schema"] = "RowComparisons/1"
        return frame

    def apa(self) -> str:
        """Return each comparison with its corrected p, and what corrected it.

        Returns
        -------
        str
            One clause a comparison, with semicolons between.
        """
        symbol = "χ²" if self.method == "pearson" else "G²"
        correction = METHODS.get(self.adjust, self.adjust)
        comparisons = []
        for first, second, value, df, p, n in zip(
            self.first, self.second, self.statistic, self.df, self.p_adjusted, self.n, strict=True
        ):
            exact = self.method == "fisher"
            text = apa.p_value(p) if exact else apa.statistic(symbol, value, (df,), p, n=round(n))
            note = f"N = {n:.0f}, {correction}" if exact else correction
            comparisons.append(f"{first} – {second}: {text} ({note})")
        return "; ".join(comparisons)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Partition(Result):
    """Independent parts of a table whose G² and df add up to those of the whole.

    Attributes
    ----------
    rows, columns : tuple of str
        What each part compares: groups of levels, " | " between groups, " + " between the levels that are pooled.
    statistic, df, p : ndarray
        G² of each part. df 0 and p NaN where a part has only one row or column with observations.
    n : ndarray
        Observations in each part.
    total, total_df : float
        G² of independence in the whole table and its df. (Where a part has df 0 the parts' df are fewer.)
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    statistic: FloatArray
    df: FloatArray
    p: FloatArray
    n: FloatArray
    total: float
    total_df: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row a part.

        Returns
        -------
        DataFrame
            The levels that the part compares, G² with its df, and p; the G² of all parts add up to the table's.
        """
        frame = pd.DataFrame({name: getattr(self, name) for name in ("rows", "columns", "statistic", "df", "p", "n")})
        frame.attrs["schema"] = "Partition/1"
        return frame

    def apa(self) -> str:
        """Return each part as ``rows × columns: G²(df, N = n) = x, p = .xxx``.

        Returns
        -------
        str
            One clause a part, with semicolons between.
        """
        parts = zip(self.rows, self.columns, self.statistic, self.df, self.p, self.n, strict=True)
        return "; ".join(
            f"{rows} × {columns}: {apa.statistic('G²', g2, (df,), p, n=round(n))}"
            for rows, columns, g2, df, p, n in parts
        )


def compare_rows(data: Any, by: By = None, *, test: Test = "pearson", adjust: str = "holm") -> RowComparisons:
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
    RowComparisons
        One test a pair of rows, with p as it is and corrected.

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
    levels = counts.factors[0].levels
    pairs = list(itertools.combinations(range(len(levels)), 2))
    two = np.stack([counts.n[list(pair)] for pair in pairs])
    expected, df = independence(two)
    if test == "fisher":
        check_whole(counts, "Fisher's test")
        value = df = np.full(len(pairs), np.nan)
        p = np.array([fisher_p(rows) for rows in two])
    else:
        value = (pearson if test == "pearson" else likelihood_ratio)(two, expected, 2)
        p = np.asarray(chi2_sf(value, df))
    first, second = ([levels[pair[side]] for pair in pairs] for side in (0, 1))
    n = two.sum(axis=(-2, -1))
    return RowComparisons(
        first=tuple(first),
        second=tuple(second),
        statistic=value,
        df=df,
        p=p,
        p_adjusted=multiplicity.adjust(p, adjust).p_adjusted,
        n=n,
        method=test,
        adjust=adjust,
    )


def partition(data: Any, by: By = None, *, rows: Tree | None = None, columns: Tree | None = None) -> Partition:
    """Split G² of a table into independent parts that add up exactly.

    Each split of the rows is crossed with each split of the columns. By default levels are split off in their order:
    the second against the first, the third against the first two pooled, ..., which gives (rows − 1)(columns − 1)
    tables of 2 × 2.

    Parameters
    ----------
    data, by
        A two-way table, as in `chi_squared`.
    rows, columns
        All levels, nested by how they are split: ``(("fair", "supervised"), "selfish")`` sets fair and supervised,
        pooled, against selfish, and then against each other. A flat tuple leaves the dimension whole.

    Returns
    -------
    Partition
        One part a row, with G², df and p; `total` and `total_df` are what the parts add up to.

    Raises
    ------
    DesignError
        If a tree lacks a level, holds one twice or holds an unknown one.

    Notes
    -----
    Lancaster, H. O. (1949). The derivation and partition of χ² in certain discrete distributions. Biometrika, 36,
    117–129; Agresti (2013), Categorical Data Analysis, 3.3.3.

    Examples
    --------
    >>> parts = partition([[19, 77], [22, 68], [10, 93]])
    >>> parts.to_frame()[["rows", "statistic", "df"]].round(3)
            rows  statistic   df
    0  1 + 2 | 3      7.497  1.0
    1      1 | 2      0.585  1.0
    >>> bool(np.isclose(parts.statistic.sum(), parts.total))
    True
    """
    counts = table(data, by)
    check_filled(counts)
    check_one_table(counts, "partition")
    upright, column_splits = (
        list(_splits(_tree(tree, factor))) for tree, factor in zip((rows, columns), counts.factors, strict=True)
    )
    parts = [_pooled(counts.n, up, column_split, counts.factors) for up in upright for column_split in column_splits]
    expected_and_df = [independence(part) for part in parts]
    g2 = np.array([likelihood_ratio(part, fit[0], 2) for part, fit in zip(parts, expected_and_df, strict=True)])
    df = np.array([float(fit[1]) for fit in expected_and_df])
    whole, whole_df = independence(counts.n)
    return Partition(
        rows=tuple(_label(up) for up in upright for _ in column_splits),
        columns=tuple(_label(column_split) for _ in upright for column_split in column_splits),
        statistic=g2,
        df=df,
        p=np.asarray(chi2_sf(g2, df)),
        n=np.array([part.sum() for part in parts]),
        total=float(likelihood_ratio(counts.n, whole, 2)),
        total_df=float(whole_df),
    )


def _tree(tree: Tree | None, factor: Factor) -> Tree:
    if tree is None:
        nested_tree: Tree = factor.levels[0]
        for level in factor.levels[1:]:
            nested_tree = (nested_tree, level)
        return nested_tree
    leaves = _leaves(tree)
    if sorted(leaves) != sorted(factor.levels):
        raise DesignError(
            f"the splits of {factor.name!r} name {', '.join(leaves)}; name each of {', '.join(factor.levels)} once"
        )
    return tree


def _leaves(tree: Tree) -> tuple[str, ...]:
    return (tree,) if isinstance(tree, str) else tuple(leaf for branch in tree for leaf in _leaves(branch))


def _splits(tree: Tree) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Each fork of the tree, from the root on: the levels in each of its branches."""
    if not isinstance(tree, str):
        if len(tree) > 1:
            yield tuple(_leaves(branch) for branch in tree)
        for branch in tree:
            yield from _splits(branch)


def _pooled(
    n: FloatArray,
    up: tuple[tuple[str, ...], ...],
    column_split: tuple[tuple[str, ...], ...],
    factors: tuple[Factor, ...],
) -> FloatArray:
    for axis, (groups, factor) in enumerate(zip((up, column_split), factors, strict=True)):
        places = [[factor.levels.index(level) for level in group] for group in groups]
        n = np.stack([n.take(place, axis).sum(axis=axis) for place in places], axis=axis)
    return n


def _label(groups: tuple[tuple[str, ...], ...]) -> str:
    return " | ".join(" + ".join(group) for group in groups)
