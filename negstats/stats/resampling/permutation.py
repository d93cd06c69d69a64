"""Permutation tests: how extreme a statistic is among all the ways in which labels could have fallen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, NotEstimable
from negstats.stats.counts.proportions import proportion
from negstats.stats.resampling._arrangements import ELEMENTS, every_arrangement, how_many, shuffled
from negstats.stats.resampling.statistics import TIE, Of, Statistic, numbers_of, prepared, statistic_of
from negstats.stats.results import apa
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.results.options import ALTERNATIVES, Alternative, check_choice, check_count, check_rng
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries.frames import By, IntArray
from negstats.stats.summaries.rows import Rows, Summary

Unit: TypeAlias = Literal["rows", "clusters", "rows within clusters"]

UNITS = {
    "rows": "{n} rows taken as independent",
    "clusters": "{n} whole clusters ({clusters})",
    "rows within clusters": "rows within {n} clusters ({clusters})",
}

EXTREME: dict[Alternative, Callable[[npt.ArrayLike], FloatArray]] = {
    "two-sided": np.abs,
    "greater": np.asarray,
    "less": np.negative,
}


@dataclass(frozen=True, slots=True, repr=False)
class PermutationTest(Result):
    """A statistic with its distribution under exchanged labels.

    Attributes
    ----------
    statistic : float
        Of the data as they are.
    p : float
        Share of arrangements with a statistic at least as extreme; of random ones, (hits + 1) / (resamples + 1).
    name : str
        What the statistic is.
    alternative : str
        "two-sided" (extreme in size), "greater" or "less".
    exact : bool
        Whether all arrangements were looked at.
    arrangements : int
        How many were looked at: all, or the random ones.
    unit : str
        What was exchanged: the labels of "rows", of whole "clusters", or of "rows within clusters".
    units : int
        How many rows or clusters exchanged theirs. They are taken as independent of each other.
    rows : int
        Rows behind them.
    cluster, strata : str
        Names of the columns of clusters, and of those within which labels were exchanged; empty without.
    outcome : str
    missing : int
        Rows that were left out because a value was missing.
    undefined : int
        Arrangements whose statistic is not defined. They count as extreme, so that p is never too small.
    distribution : ndarray, shape (arrangements,)
        The statistic of each arrangement.
    """

    statistic: float
    p: float
    name: str
    alternative: Alternative
    exact: bool
    arrangements: int
    unit: Unit
    units: int
    rows: int
    cluster: str
    strata: str
    outcome: str
    missing: int
    undefined: int
    distribution: FloatArray = field(repr=False, compare=False)

    def p_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return Wilson's interval of the p that all arrangements would give; without width if it is exact.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, between 0 and 1: the Monte Carlo error of p.
        """
        if self.exact:
            return Interval(self.p, self.p, check_level(confidence_level), "exact")
        n_extreme = round(self.p * (self.arrangements + 1)) - 1
        return proportion(n_extreme, self.arrangements).confidence_interval(confidence_level)

    def apa(self) -> str:
        """Return such as ``mean difference = 1.20, p = .013 (permutation of 24 whole clusters (game_id), ...)``.

        Returns
        -------
        str
            The statistic, p, and what was exchanged.
        """
        return f"{self.name} = {apa.number(self.statistic)}, {apa.p_value(self.p, self.alternative)} ({self.how()})"

    def how(self) -> str:
        """Return what was exchanged and how often, such as ``permutation of 12 rows ..., all 924 arrangements``.

        Returns
        -------
        str
            The words that stand in brackets in `apa`.
        """
        unit_text = UNITS[self.unit].format(n=f"{self.units:,}", clusters=self.cluster)
        strata_note = f" within {self.strata}" if self.strata else ""
        arrangement_text = (
            f"all {self.arrangements:,} arrangements" if self.exact else f"{self.arrangements:,} random arrangements"
        )
        return f"permutation of {unit_text}{strata_note}, {arrangement_text}"


def permutation_test(
    data: Any,
    outcome: str | None = None,
    by: By = None,
    statistic: str | Of = "mean difference",
    *,
    rng: np.random.Generator,
    summary: Summary = "cells",
    strata: By = None,
    cluster: By = None,
    alternative: Alternative = "two-sided",
    levels: Sequence[object] | None = None,
    n_resamples: int = 9999,
) -> PermutationTest:
    """Test that the labels of `by` are unrelated to the outcome, by exchanging them.

    All that is assumed is that rows (or clusters) are exchangeable if the labels mean nothing. Players of one game are
    not independent of each other: give `cluster="game_id"`, or the test takes each row as a unit of its own, and no
    test can find that out. If each cluster has one label, whole clusters exchange theirs. If labels vary inside
    clusters (two measures of a person, two seats of a game), they are exchanged inside each cluster only; a cluster
    with one label then has no say.

    Parameters
    ----------
    data
        A frame of any engine; samples by name; `ValueCounts` or `Counts` of one study.
    outcome, by
        What was measured and whose labels are exchanged. Several factors exchange theirs together; to test one within
        the levels of another, make the other `strata`.
    statistic
        A name of `READY`: "mean difference", "t" (Welch's), "d", "F", "Welch F", "median difference", "U" (less
        its expectation), "H", "log variance ratio", "chi2" (of a categorical outcome). Or a function that takes a
        stack of summaries (shape ``(arrangements, *levels)``) and returns one number each.
    rng
        Where randomness comes from; the same state gives the same p.
    summary
        What such a function takes: "cells" (`Cells`), "values" (`ValueCounts`), "counts" (`Counts`, the outcome last).
    strata, cluster
        Columns: labels are exchanged within strata; rows of a cluster belong together.
    alternative
        "two-sided": |statistic| at least as large, so a function of yours should be about 0 under the null; "greater"
        or "less": the statistic itself, signed as first minus second.
    levels
        Which two levels to compare, in this order.
    n_resamples
        Arrangements drawn at random; if there are no more than so many at all, each is looked at once and p is exact.

    Returns
    -------
    PermutationTest
        The statistic of the data with p, and whether all arrangements were looked at (`exact`).

    Raises
    ------
    DesignError
        If an argument does not fit, a column is not there, or a cluster lies in several strata.
    NotEstimable
        If labels can be arranged in one way only, or the statistic of the data is not defined.

    Notes
    -----
    p of random arrangements: it is never 0 and never too small (Phipson and Smyth, 2010). With the mean difference the
    null hypothesis is that the groups have the same distribution; with "t" the test is asymptotically one of equal
    means even if variances differ (Janssen, 1997). That is of large groups: 2 rows with an SD three times that of 10
    others are rejected in 15 % of studies with equal means at α = .05, 4 rows in 9 %; groups of one size keep to 5 %.

    References
    ----------
    - Janssen, A. (1997). Studentized permutation tests for non-i.i.d. hypotheses and the generalized Behrens–Fisher
      problem. Statistics & Probability Letters, 36, 9–21.
    - Phipson, B., & Smyth, G. K. (2010). Permutation P-values should never be zero: Calculating exact P-values when
      permutations are randomly drawn. Statistical Applications in Genetics and Molecular Biology, 9, 39.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> print(permutation_test({"fair": [5, 7, 6, 9, 8], "selfish": [3, 5, 4, 4]}, rng=rng).apa())
    mean difference = 3.00, p = .024 (permutation of 9 rows taken as independent, all 126 arrangements)
    """
    check_rng(rng)
    check_choice("alternative", alternative, ALTERNATIVES)
    n_resamples = check_count("n_resamples", n_resamples, 1)
    stat = statistic_of(statistic, summary)
    rows = prepared(Rows.of(data, outcome, by, stat.summary, strata, cluster), stat, levels, "permutation_test")
    unit, units, label, block, of_row = _exchanged(rows)
    # All distinct arrangements if they are few enough, else random ones.
    n_arrangements = how_many(label, block, n_resamples)
    if n_arrangements == 1:
        raise NotEstimable(_fixed(rows, unit))
    is_exact, batch_size = n_arrangements <= n_resamples, max(1, ELEMENTS // len(rows))
    arranged = (
        every_arrangement(label, block, batch_size)
        if is_exact
        else shuffled(label, block, n_resamples, batch_size, rng)
    )
    # The statistic of the data is computed as that of an arrangement is, so that equal ones are equal.
    observed = float(_each(rows, stat, iter([label[None, :]]), of_row)[0])
    if np.isnan(observed):
        raise NotEstimable(f"the statistic {stat.name!r} is not defined for these data")
    replicates = _each(rows, stat, arranged, of_row)
    n_extreme = int(_is_as_extreme(replicates, observed, alternative, rows.y).sum())
    return PermutationTest(
        statistic=observed,
        # Random arrangements have the observed one among them, so that p is never 0.
        p=n_extreme / len(replicates) if is_exact else (n_extreme + 1) / (len(replicates) + 1),
        name=stat.name,
        alternative=alternative,
        exact=is_exact,
        arrangements=len(replicates),
        unit=unit,
        units=units,
        rows=len(rows),
        cluster=rows.clusters,
        strata=rows.strata,
        outcome=rows.outcome,
        missing=rows.missing,
        undefined=int(np.isnan(replicates).sum()),
        distribution=replicates,
    )


def _exchanged(rows: Rows) -> tuple[Unit, int, IntArray, IntArray, IntArray]:
    """Return the name and number of units, each one's label and block, and the unit of each row."""
    if not rows.factors:
        raise DesignError("by names no factor; a permutation test exchanges the labels of one")
    everyone = np.arange(len(rows))
    if not rows.clusters:
        return "rows", len(rows), rows.cell, rows.stratum, everyone
    stratum, label = rows.cluster_strata, rows.shared(rows.cell)
    if stratum is None:
        raise DesignError(
            f"a cluster of {rows.clusters!r} lies in several strata of {rows.strata!r}; clusters are whole"
        )
    _, of_row = np.unique(rows.cluster, return_inverse=True)
    # Clusters with one label each are exchanged whole; else labels are, inside each cluster.
    if label is not None:
        return "clusters", len(label), label, stratum, of_row
    pairs = np.unique(np.stack([rows.cluster, rows.cell]), axis=1)[0]
    varying = int((np.unique(pairs, return_counts=True)[1] > 1).sum())
    return "rows within clusters", varying, rows.cell, rows.cluster, everyone


def _each(rows: Rows, statistic: Statistic, arranged: Iterator[IntArray], of_row: IntArray) -> FloatArray:
    """Return the statistic of each arrangement."""
    replicates = []
    rows_are_units = np.array_equal(of_row, np.arange(len(of_row)))  # each row a unit of its own: nothing to hand out
    for label in arranged:
        stack = rows.summarized(label if rows_are_units else label[:, of_row], None, statistic.summary)
        replicates.append(numbers_of(statistic, stack, len(label)))
    return np.concatenate(replicates)


def _is_as_extreme(replicates: FloatArray, observed: float, alternative: Alternative, y: FloatArray) -> FloatArray:
    """Return which statistics are as extreme as the observed one; those that are not defined are.

    Values far from 0 are known, beside their own spread, to as many digits fewer: so are statistics of them.
    """
    fold = EXTREME[alternative]
    finite = np.abs(replicates[np.isfinite(replicates)])
    value_range = float(np.ptp(y))
    offset_ratio = float(np.abs(y).max()) / value_range if value_range > 0 else 0.0
    tolerance = (TIE + ROUNDING * offset_ratio) * finite.max(initial=0.0)
    return np.asarray(np.isnan(replicates) | (fold(replicates) >= fold(observed) - tolerance))


def _fixed(rows: Rows, unit: Unit) -> str:
    strata_note = f" within {rows.strata}" if rows.strata else ""
    names = ", ".join(repr(factor.name) for factor in rows.factors)
    return (
        f"the labels of {names} can be arranged in one way only ({unit}{strata_note}); nothing can be compared with it"
    )
