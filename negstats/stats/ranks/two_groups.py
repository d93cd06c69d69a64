"""Mann–Whitney test of two groups: exact with ties, or asymptotic; its effect sizes and the shift it estimates."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from negstats.errors import NotEstimable
from negstats.stats.effects._effect import Effect
from negstats.stats.effects.counts import mann_whitney_effect
from negstats.stats.ranks.exact import midranks, rank_sum_p, untied_rank_sum
from negstats.stats.ranks.shift import (
    METHODS,
    Method,
    RankTest,
    checked_variance,
    difference_quantiles,
    is_exact,
    normal,
)
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import ALTERNATIVES, Alternative, check_choice, count
from negstats.stats.summaries import Factor, ValueCounts
from negstats.stats.summaries.cells import two_levels
from negstats.stats.summaries.coerce import as_values, one_factor


@dataclass(frozen=True, slots=True, repr=False)
class MannWhitney(RankTest):
    """The test whether one group tends to have larger values. Signed as first against second.

    Every number is an array with one entry a study where the summary was a stack of studies; NaN then marks a study
    that is not estimable.

    Attributes
    ----------
    statistic : float
        Pairs of one observation of each group in which the first is larger; a tied pair counts one half.
    z : float
        U less its expectation over its standard deviation given the ties, continuity-corrected if `correction`.
    p : float
        By `method`, under `alternative`.
    n : tuple of int
        Both groups' sizes.
    medians, mean_ranks : tuple of float
        In the order of `labels`.
    labels : tuple of str
        First and second level.
    method : str
        "exact" (the permutation distribution given the ties) or "asymptotic" (normal, variance corrected for ties).
    correction : bool
        Whether z and p hold the continuity correction; never where p is exact.
    ties : int
        Observations that share their value with another.
    alternative : str
        "two-sided", "greater" (the first tends to larger values) or "less".
    outcome : str
        Name of what was measured.
    missing : int
        Rows that were left out because the outcome or the factor was missing.
    """

    SYMBOL = "U"

    statistic: Number
    z: Number
    p: Number
    n: tuple[Number, Number]
    medians: tuple[Number, Number]
    mean_ranks: tuple[Number, Number]
    labels: tuple[str, str]
    method: Method
    correction: bool
    ties: Number
    alternative: Alternative
    outcome: str
    missing: int
    values: ValueCounts = field(repr=False, compare=False)

    def effect_size(
        self, kind: Literal["rank_biserial", "common_language"] = "rank_biserial", *, interval: str = "score"
    ) -> Effect:
        """Return the rank-biserial correlation 2 A − 1 or the common-language effect A = U / (n1 n2).

        Parameters
        ----------
        kind
            "rank_biserial" or "common_language".
        interval
            "score": Newcombe's (2006) method 5; "fisher": Fisher's z with the standard error under the null, which
            other programs print, and which is too narrow for large effects.

        Returns
        -------
        Effect
            From −1 to 1 (rank-biserial) or from 0 to 1 (common language), larger where the first group is larger.

        References
        ----------
        Newcombe, R. G. (2006). Confidence intervals for an effect size measure based on the Mann-Whitney statistic.
        Part 2: Asymptotic methods and evaluation. Statistics in Medicine, 25, 559–573.
        """
        n1, n2 = (np.asarray(n, dtype=np.float64) for n in self.n)
        share = np.asarray(self.statistic) / (n1 * n2)
        return mann_whitney_effect(kind, share, n1, n2, interval, self.alternative)

    def _pairs(self, n: FloatArray) -> float:
        return float(n[0].sum() * n[1].sum())

    def _shifts(self, n: FloatArray, ranks: Sequence[float]) -> list[float]:
        (in_first, in_second), values = n > 0, self.values.values
        return difference_quantiles(values[in_first], n[0][in_first], values[in_second], n[1][in_second], ranks)

    def _untied(self, n: FloatArray) -> FloatArray:
        n1, n2 = n.sum(axis=-1)
        return untied_rank_sum(int(n1), int(n2))

    def _sd(self, n: FloatArray) -> float:
        n1, n2 = n.sum(axis=-1)
        ties_in_groups = sum(float((group**3 - group).sum()) for group in n)
        return float(np.sqrt(_u_variance(n1, n2, np.asarray(ties_in_groups))))


def mann_whitney(
    data: Any,
    outcome: str | None = None,
    by: str | None = None,
    *,
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    alternative: Alternative = "two-sided",
    correction: bool = False,
    levels: Sequence[object] | None = None,
) -> MannWhitney:
    """Compare two independent groups by ranks (Mann and Whitney, 1947; Wilcoxon's rank-sum test).

    Parameters
    ----------
    data
        A frame of any engine with the columns `outcome` and `by`; or samples by name, ``{"a": [...], "b": [...]}``; or
        `ValueCounts` (one study or a stack).
    outcome, by
        The measured column and the factor.
    method
        "exact": the permutation distribution given the ties (Streitberg and Röhmel, 1986); two-sided p is the chance of
        a rank sum at least as far from its expectation. "asymptotic": the normal, with the variance given the ties.
        "auto": exact where both groups are smaller than 50.
    alternative
        "greater": the first group tends to larger values.
    correction
        Whether the asymptotic test moves U by one half towards its expectation. Off unless asked for, here as in every
        test of this package that has such a correction (R's wilcox.test has it on).
    levels
        Which two levels to compare, in this order.

    Returns
    -------
    MannWhitney
        U, z where the normal distribution is used, p, and the median and mean rank of each group.

    Raises
    ------
    DesignError
        If the factor has not two levels, a column is missing or not numeric, or only means are known.
    NotEstimable
        If a group is empty or all values are equal.

    References
    ----------
    - Mann, H. B., & Whitney, D. R. (1947). On a test of whether one of two random variables is stochastically larger
      than the other. Annals of Mathematical Statistics, 18, 50–60.
    - Streitberg, B., & Röhmel, J. (1986). Exact distributions for permutation and rank tests: An introduction to some
      recently published algorithms. Statistical Software Newsletter, 12, 10–17.

    Examples
    --------
    >>> result = mann_whitney({"fair": [5, 7, 6, 9, 8], "selfish": [3, 5, 4, 4]})
    >>> result.statistic, round(result.p, 4), result.method, result.ties
    (19.5, 0.0238, 'exact', 4)
    >>> result.hodges_lehmann().value
    3.0
    """
    check_choice("method", method, METHODS)
    check_choice("alternative", alternative, ALTERNATIVES)
    pair = two_groups(as_values(data, outcome, by), by, levels, "mann_whitney")
    counts = pair.n
    n1, n2 = np.moveaxis(counts.sum(axis=-1), -1, 0)
    for label, n in zip(pair.factors[0].levels, (n1, n2), strict=True):
        if np.ndim(n) == 0 and n == 0:
            raise NotEstimable(f"group {label!r} has no values; ranks need at least one in each group")
    pooled = counts.sum(axis=-2)
    ranks = midranks(pooled)
    # U counts how often a value of the first group exceeds one of the second, ties half.
    rank_sums = np.moveaxis((counts * ranks[..., None, :]).sum(axis=-1), -1, 0)
    u = rank_sums[0] - n1 * (n1 + 1) / 2
    reason = f"every value of {pair.outcome!r} is tied; ranks need values that differ"
    differ = np.count_nonzero(pooled, axis=-1) > 1
    # The variance of U given the ties of both groups together.
    variance = checked_variance(_u_variance(n1, n2, (pooled**3 - pooled).sum(axis=-1)), differ, reason)
    exact_p = is_exact(method, np.maximum(n1, n2))
    z, p = normal(u - n1 * n2 / 2, variance, alternative, correction=correction and not exact_p)
    if exact_p:
        p = _exact_rank_sum(counts, pooled, variance, alternative)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_ranks = rank_sums / np.stack([n1, n2])
    medians = np.moveaxis(pair.median, -1, 0)
    return MannWhitney(
        statistic=plain(u),
        z=z,
        p=p,
        n=(count(n1), count(n2)),
        medians=(plain(medians[0]), plain(medians[1])),
        mean_ranks=(plain(mean_ranks[0]), plain(mean_ranks[1])),
        labels=(pair.factors[0].levels[0], pair.factors[0].levels[1]),
        method="exact" if exact_p else "asymptotic",
        correction=correction and not exact_p,
        ties=count(np.where(pooled > 1, pooled, 0).sum(axis=-1)),
        alternative=alternative,
        outcome=pair.outcome,
        missing=pair.missing,
        values=pair,
    )


def two_groups(values: ValueCounts, by: str | None, levels: Sequence[object] | None, what: str) -> ValueCounts:
    """Return the value counts of two levels of one factor, first and second as in `levels`."""
    values = one_factor(values, by, what)
    level_indices = two_levels(values.factors[0], levels, what)
    factor = Factor(values.factors[0].name, tuple(values.factors[0].levels[level] for level in level_indices))
    return dataclasses.replace(values, n=values.n[..., list(level_indices), :], factors=(factor,))


def _u_variance(n1: FloatArray, n2: FloatArray, cubes: FloatArray) -> FloatArray:
    """Return the variance of U; `cubes` is the sum of t³ − t over the ties (Lehmann, 1975, section 1.4)."""
    total = n1 + n2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(n1 * n2 / 12 * (total + 1 - cubes / (total * (total - 1))))


def _exact_rank_sum(counts: FloatArray, pooled: FloatArray, variance: FloatArray, alternative: Alternative) -> Number:
    p = np.full(variance.shape, np.nan)
    first_counts, pooled_counts = counts[..., 0, :].astype(np.int64), pooled.astype(np.int64)
    for study in np.ndindex(*variance.shape):
        if np.isfinite(variance[study]):
            p[study] = rank_sum_p(first_counts[study], pooled_counts[study], alternative)
    return plain(p)
