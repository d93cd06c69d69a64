"""Ranks of independent groups: Mann and Whitney's test of two, Brunner and Munzel's of two or of several."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import special

from negstats.errors import DesignError, NotEstimable
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
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import ROUNDING, FloatArray, Number, plain
from negstats.stats.results.options import (
    ALTERNATIVES,
    Alternative,
    check_choice,
    check_one_study,
    check_single,
    count,
    t_tails,
)
from negstats.stats.results.result import Interval, Result
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


@dataclass(frozen=True, slots=True, repr=False)
class BrunnerMunzel(Result):
    """Whether one group tends to larger values. `t` is signed as first against second.

    (SciPy and R's lawstat give the statistic the other sign.)

    Every number is an array with one entry a study where the summary was a stack of studies; NaN then marks a study
    that is not estimable.

    Attributes
    ----------
    statistic, df, p : float
        The statistic, its degrees of freedom, and p from Student's t under `alternative`.
    share : float
        P(first > second) + ½ P(first = second), the common-language effect.
    se : float
        Standard error of the share.
    n : tuple of int
        Both groups' sizes.
    labels : tuple of str
        First and second level.
    alternative : str
        "two-sided", "greater" (the first tends to larger values) or "less".
    outcome : str
        Name of what was measured.
    missing : int
        Rows that were left out because a value was missing.
    """

    statistic: Number
    df: Number
    p: Number
    share: Number
    se: Number
    n: tuple[Number, Number]
    labels: tuple[str, str]
    alternative: Alternative
    outcome: str
    missing: int

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the t interval of the share, kept between 0 and 1.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, between 0 and 1.
        """
        interval = t_interval(self.share, self.se, self.df, confidence_level, self.alternative)
        low, high = plain(np.maximum(interval.low, 0.0)), plain(np.minimum(interval.high, 1.0))
        return Interval(low, high, confidence_level, "Brunner–Munzel t")

    def effect_size(self, kind: Literal["common_language", "rank_biserial"] = "common_language") -> Effect:
        """Return the share itself, or the rank-biserial correlation 2 share − 1.

        Parameters
        ----------
        kind
            "common_language" (the share itself) or "rank_biserial".

        Returns
        -------
        Effect
            From 0 to 1 (common language) or from −1 to 1 (rank-biserial), larger where the first group is larger.
        """
        check_choice("kind", kind, ("common_language", "rank_biserial"))
        scale, shift = (2.0, -1.0) if kind == "rank_biserial" else (1.0, 0.0)
        return Effect(kind, plain(scale * np.asarray(self.share) + shift), partial(_scale_interval, self, scale, shift))

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``t_BM(8.57) = 2.15, p = .062, CL = .80, 95% CI [.48, 1.00]``.

        Parameters
        ----------
        confidence_level
            Level of the interval of the share, between 0 and 1.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        test_text = apa.statistic("t_BM", self.statistic, (self.df,), self.p, alternative=self.alternative)
        return f"{test_text}, {self.effect_size().apa(confidence_level)}"


def _compute_placements(n: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean share of the other group that values of a group beat, ties half, and its sum of squares."""
    placements = (np.cumsum(n, axis=-1) - n / 2)[..., ::-1, :] / n.sum(axis=-1)[..., ::-1, None]
    means = (n * placements).sum(axis=-1) / n.sum(axis=-1)
    return means, (n * (placements - means[..., None]) ** 2).sum(axis=-1)


def brunner_munzel(
    data: Any,
    outcome: str | None = None,
    by: str | None = None,
    *,
    alternative: Alternative = "two-sided",
    levels: Sequence[object] | None = None,
) -> BrunnerMunzel:
    """Compare two independent groups by ranks, whatever their shapes and spreads (Brunner and Munzel, 2000).

    Parameters
    ----------
    data, outcome, by, alternative, levels
        As in `mann_whitney`. Best with ten or more in each group.

    Returns
    -------
    BrunnerMunzel
        t with its df and p, and the relative effect `share`, from 0 to 1.

    Raises
    ------
    DesignError
        If the factor has not two levels, a column is missing or not numeric, or only means are known.
    NotEstimable
        If a group has fewer than two values, or the groups do not overlap.

    References
    ----------
    Brunner, E., & Munzel, U. (2000). The nonparametric Behrens–Fisher problem: Asymptotic theory and a small-sample
    approximation. Biometrical Journal, 42, 17–25.

    Examples
    --------
    >>> result = brunner_munzel({"fair": [5, 7, 6, 9, 8, 4], "selfish": [3, 5, 4, 4, 7]})
    >>> result.apa()
    't_BM(8.57) = 2.15, p = .062, CL = .80, 95% CI [.48, 1.00]'
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    values = two_groups(as_values(data, outcome, by), by, levels, "brunner_munzel")
    sizes = np.moveaxis(values.n.sum(axis=-1), -1, 0)
    for label, n in zip(values.factors[0].levels, sizes, strict=True):
        if np.ndim(n) == 0 and n < 2:
            raise NotEstimable(f"n of group {label!r} is {int(n)}; a variance of ranks needs at least 2")
    with np.errstate(divide="ignore", invalid="ignore"):
        means, squares = _compute_placements(values.n)
        first_variance, second_variance = np.moveaxis(squares, -1, 0) / (sizes - 1) / sizes
        total = first_variance + second_variance
        # Below this is what the rounding of shares, of which none is above 1, leaves of groups that do not overlap.
        total = np.where(total > ROUNDING**2 * (1 / (sizes[0] - 1) + 1 / (sizes[1] - 1)), total, np.nan)
        df = total**2 / (first_variance**2 / (sizes[0] - 1) + second_variance**2 / (sizes[1] - 1))
    if np.ndim(total) == 0 and np.isnan(total):
        if len(values.values) < 2 or (values.n.sum(axis=-2) > 0).sum() < 2:
            raise NotEstimable(f"every value of {values.outcome!r} is tied; ranks need values that differ")
        reason = "the two groups do not overlap, so that the variance of their order is 0"
        raise NotEstimable(reason, advice="use mann_whitney")
    share, se = means[..., 0], np.sqrt(total)
    t = (share - 0.5) / se
    return BrunnerMunzel(
        statistic=plain(t),
        df=plain(df),
        p=plain(t_tails(t, df, alternative)),
        share=plain(share),
        se=plain(se),
        n=(count(sizes[0]), count(sizes[1])),
        labels=(values.factors[0].levels[0], values.factors[0].levels[1]),
        alternative=alternative,
        outcome=values.outcome,
        missing=values.missing,
    )


def _scale_interval(test: BrunnerMunzel, scale: float, shift: float, confidence_level: float) -> Interval:
    interval = test.confidence_interval(confidence_level)
    low, high = (plain(scale * np.asarray(bound) + shift) for bound in (interval.low, interval.high))
    return Interval(low, high, confidence_level, interval.method)


@dataclass(frozen=True, slots=True, repr=False)
class RelativeEffects(Result):
    """How each of several groups stands against all, and whether they stand alike.

    Attributes
    ----------
    statistic, df1, df2, p : float
        The ANOVA-type statistic and the degrees of freedom of the F that it is compared with.
    effects : tuple of float
        Of each group: P(X < Y) + ½ P(X = Y), Y a value of the group and X one of a group drawn at random; ½ if alike.
    n : tuple of int
    labels : tuple of str
        The factor's levels.
    outcome : str
    missing : int
        Rows that were left out because a value was missing.
    """

    statistic: float
    df1: float
    df2: float
    p: float
    effects: tuple[float, ...]
    n: tuple[int, ...]
    labels: tuple[str, ...]
    outcome: str
    missing: int

    def apa(self) -> str:
        """Return such as ``F(1.97, 16.20) = 4.10, p = .036, relative effects .31, .62, .57``."""
        effects = ", ".join(apa.bounded(effect) for effect in self.effects)
        return f"{apa.statistic('F', self.statistic, (self.df1, self.df2), self.p)}, relative effects {effects}"


def relative_effects(data: Any, outcome: str | None = None, by: str | None = None) -> RelativeEffects:
    """Compare several independent groups by ranks without taking their shapes or spreads as equal.

    Kruskal and Wallis's test takes groups that differ in spread for groups that differ: with standard deviations of 9,
    4 and 1 in groups of 5, 10 and 40 it rejects in 15 % where no group tends to larger values. This one keeps its
    level, and for two groups is `brunner_munzel`.

    Parameters
    ----------
    data, outcome, by
        As in `kruskal_wallis`, of one study.

    Raises
    ------
    DesignError
        If the factor has fewer than two levels, a column is missing or not numeric, or only means are known.
    NotEstimable
        If a group has fewer than two values, or no two groups overlap.

    Notes
    -----
    Unweighted relative effects, which do not depend on the sizes of the groups, with their whole covariance matrix, V,
    from the placements of each group's values among those of the others; F = p′Tp/tr(TV), T = I − J/k, on the degrees
    of freedom that give tr(TV) its first two moments (Brunner, Konietschke, Pauly and Puri, 2017, JRSS B 79, 1463-1485;
    Brunner, Bathke and Konietschke, 2019, Rank and Pseudo-Rank Procedures, sec. 4.6).

    Examples
    --------
    >>> groups = {"fair": [5, 7, 6, 9, 8, 4], "selfish": [3, 5, 4, 4, 7], "envious": [2, 6, 3, 3, 5, 1]}
    >>> relative_effects(groups).apa()
    'F(1.85, 12.89) = 5.20, p = .024, relative effects .73, .47, .30'
    """
    values = one_factor(as_values(data, outcome, by), by, "relative_effects")
    check_one_study(values.studies, "relative_effects takes one study")
    factor, counts = values.factors[0], values.n
    k, sizes = len(factor), counts.sum(axis=-1)
    if k < 2:
        raise DesignError(f"relative_effects compares at least two groups; {factor.name!r} has {k}")
    if sizes.min() < 2:
        smallest_group = int(sizes.argmin())
        raise NotEstimable(
            f"n of group {factor.levels[smallest_group]!r} is {sizes[smallest_group]:g}; a variance of ranks needs 2"
        )
    # The share of each group that lies below each value, half of those that equal it.
    placements = (np.cumsum(counts, axis=-1) - counts / 2) / sizes[:, None]
    effects, group_covariances = np.empty(k), np.empty((k, k, k))
    for group, counts_of_group in enumerate(counts):
        scores = -placements / k
        scores[group] = (placements.sum(axis=0) - placements[group]) / k
        effects[group] = 0.5 / k + counts_of_group @ scores[group] / sizes[group]
        # Each group's values move all effects at once: its part of their covariance.
        deviations = scores - (scores @ counts_of_group / sizes[group])[:, None]
        group_covariances[group] = (deviations * counts_of_group) @ deviations.T / ((sizes[group] - 1) * sizes[group])
    statistic, df1, df2 = _anova_type(effects, group_covariances, sizes)
    return RelativeEffects(
        statistic=statistic,
        df1=df1,
        df2=df2,
        p=float(special.fdtrc(df1, df2, statistic)),
        effects=tuple(effects.tolist()),
        n=tuple(int(size) for size in sizes),
        labels=factor.levels,
        outcome=values.outcome,
        missing=values.missing,
    )


def _anova_type(effects: FloatArray, group_covariances: FloatArray, sizes: FloatArray) -> tuple[float, float, float]:
    """Return the statistic and its degrees of freedom from what each group adds to the covariance."""
    k = len(effects)
    centre = np.eye(k) - 1 / k
    centred_parts = centre @ group_covariances
    covariance = centred_parts.sum(axis=0)
    total = float(np.trace(covariance))
    # Below this is what the rounding of shares, of which none is above 1, leaves of groups that do not overlap.
    if total <= ROUNDING**2 * float((1 / (sizes - 1)).sum()):
        raise NotEstimable("the groups do not overlap, or all values are tied: the variance of their order is 0")
    # Box's degrees of freedom from the traces of the covariance and of its square.
    df1 = total**2 / float(np.einsum("ij,ji->", covariance, covariance))
    df2 = total**2 / float((np.einsum("gij,gji->g", centred_parts, centred_parts) / (sizes - 1)).sum())
    return float(effects @ centre @ effects) / total, df1, df2
