"""Follow-up of a test of association in a larger table: which rows differ, and where the association sits.

`compare_rows` tests every pair of rows with corrected p; `partition` splits G² into independent parts that add up.
"""

from __future__ import annotations

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
from negstats.stats.counts.proportions import ProportionDifference
from negstats.stats.effects._effect import Effect
from negstats.stats.effects.counts import from_chi2
from negstats.stats.pairs import Pairs, build_pairs, check_correction
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.result import Result
from negstats.stats.summaries.frames import By, Factor

# Levels nested by how they are split: (("fair", "supervised"), "selfish") sets fair and supervised against selfish
# first, and then against each other. A flat tuple of all levels does not split them.
Tree: TypeAlias = "str | tuple[Tree, ...]"

Test = Literal["pearson", "likelihood-ratio", "fisher"]


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
    two = np.moveaxis(counts.n[np.array(np.triu_indices(len(levels), 1))], 0, 1)
    expected, df = independence(two)
    if test == "fisher":
        check_whole(counts, "Fisher's test")
        value = df = np.full(len(two), np.nan)
        p = np.array([fisher_p(rows) for rows in two])
    else:
        value = (pearson if test == "pearson" else likelihood_ratio)(two, expected, 2)
        p = np.asarray(chi2_sf(value, df))
    letter = {"pearson": "χ²", "likelihood-ratio": "G²", "fisher": ""}[test]
    return build_pairs(
        levels, letter, value, df, np.asarray(p, dtype=np.float64), n=two.sum(axis=(-2, -1)), adjust=adjust,
        method=test, effect=_effect_of_rows(two),
    )  # fmt: skip


def _effect_of_rows(two: FloatArray) -> Effect:
    """Return the effect of tables of two rows, (tables, 2, columns): of two columns the difference of shares."""
    n = two.sum(axis=-1)
    if two.shape[-1] > 2:
        expected, df = independence(two)
        return from_chi2("cramers_v", pearson(two, expected, 2), df, n.sum(axis=-1))
    shares = two[..., 0] / n
    difference = ProportionDifference(
        difference=shares[:, 0] - shares[:, 1],
        proportions=(shares[:, 0], shares[:, 1]),
        successes=(two[:, 0, 0], two[:, 1, 0]),
        n=(n[:, 0], n[:, 1]),
    )
    return Effect("risk_difference", difference.difference, difference.confidence_interval)


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
    The parts are Lancaster's (1949), as in Agresti (2013, 3.3.3).

    References
    ----------
    - Agresti, A. (2013). Categorical Data Analysis (3rd ed.). Wiley.
    - Lancaster, H. O. (1949). The derivation and partition of χ² in certain discrete distributions. Biometrika, 36,
      117–129.

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
