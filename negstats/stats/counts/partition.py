"""G² of a table split into independent parts that add up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.counts.chi_squared import independence
from negstats.stats.counts.contingency import check_filled, check_one_table, chi2_sf, likelihood_ratio, table
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.result import Result, with_schema
from negstats.stats.summaries.frames import By, Factor

# Levels nested by how they are split: (("fair", "supervised"), "selfish") sets fair and supervised against selfish
# first, and then against each other. A flat tuple of all levels does not split them.
Tree: TypeAlias = "str | tuple[Tree, ...]"
Split: TypeAlias = tuple[tuple[str, ...], ...]


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
        return with_schema(frame, "Partition/1")

    def apa(self) -> str:
        """Return each part as ``rows × columns: G²(df, N = n) = x, p = .xxx``.

        Returns
        -------
        str
            One clause a part, with semicolons between.
        """
        components = zip(self.rows, self.columns, self.statistic, self.df, self.p, self.n, strict=True)
        return "; ".join(
            f"{rows} × {columns}: {apa.statistic('G²', g2, (df,), p, n=round(n))}"
            for rows, columns, g2, df, p, n in components
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
    # Each fork of a dimension's tree splits its levels into branches.
    row_splits, column_splits = (
        list(_splits(_tree(tree, factor))) for tree, factor in zip((rows, columns), counts.factors, strict=True)
    )
    # A subtable for each pair of forks, its cells summed over the
    # levels of a branch; their G² add up to the whole.
    subtables = [
        _pooled(counts.n, row_split, column_split, counts.factors)
        for row_split in row_splits
        for column_split in column_splits
    ]
    expected_and_df = [independence(subtable) for subtable in subtables]
    g2 = np.array(
        [likelihood_ratio(subtable, fit[0], 2) for subtable, fit in zip(subtables, expected_and_df, strict=True)]
    )
    df = np.array([float(fit[1]) for fit in expected_and_df])
    total_expected, whole_df = independence(counts.n)
    return Partition(
        rows=tuple(_label(row_split) for row_split in row_splits for _ in column_splits),
        columns=tuple(_label(column_split) for _ in row_splits for column_split in column_splits),
        statistic=g2,
        df=df,
        p=np.asarray(chi2_sf(g2, df)),
        n=np.array([subtable.sum() for subtable in subtables]),
        total=float(likelihood_ratio(counts.n, total_expected, 2)),
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


def _splits(tree: Tree) -> Iterator[Split]:
    """Each fork of the tree, from the root on: the levels in each of its branches."""
    if not isinstance(tree, str):
        if len(tree) > 1:
            yield tuple(_leaves(branch) for branch in tree)
        for branch in tree:
            yield from _splits(branch)


def _pooled(n: FloatArray, row_split: Split, column_split: Split, factors: tuple[Factor, ...]) -> FloatArray:
    for axis, (groups, factor) in enumerate(zip((row_split, column_split), factors, strict=True)):
        group_indices = [[factor.levels.index(level) for level in group] for group in groups]
        n = np.stack([n.take(indices, axis).sum(axis=axis) for indices in group_indices], axis=axis)
    return n


def _label(groups: Split) -> str:
    return " | ".join(" + ".join(group) for group in groups)
