"""Tests of pairs by ranks and signs: exact with ties or asymptotic, their effect sizes and the shift or the median."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import narwhals as nw
import numpy as np
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.counts.proportions import proportion
from negstats.stats.effects._effect import Effect
from negstats.stats.effects.counts import paired_common_language, wilcoxon_effect
from negstats.stats.ranks.exact import midranks, signed_rank_p, untied_signed_rank
from negstats.stats.ranks.shift import METHODS, Method, RankTest, checked_variance, is_exact, normal, walsh_quantiles
from negstats.stats.results import apa
from negstats.stats.results.numbers import ROUNDING, FloatArray, Number, plain
from negstats.stats.results.options import ALTERNATIVES, Alternative, check_choice, check_single, count, sides
from negstats.stats.results.result import Interval, Result
from negstats.stats.summaries import ValueCounts
from negstats.stats.summaries._wide import subjects_wide
from negstats.stats.summaries.cells import check_own_outcome, check_samples, two_levels
from negstats.stats.summaries.coerce import as_pairs
from negstats.stats.summaries.frames import is_lazy


@dataclass(frozen=True, slots=True, repr=False)
class Wilcoxon(RankTest):
    """Whether differences of pairs tend to one side of zero. Signed as first minus second.

    Every number is an array with one entry a study where the summary was a stack of studies; NaN then marks a study
    that is not estimable.

    Attributes
    ----------
    statistic, t_minus : float
        Sums of the ranks of the positive and of the negative differences, ranked by size.
    z : float
        T+ less its expectation over its standard deviation given the ties, continuity-corrected if `correction`.
    p : float
        By `method`, under `alternative`.
    n : int
        Complete pairs.
    zeros : int
        Pairs without a difference.
    zero_method : str
        "drop" (Wilcoxon: zeros are left out before ranking) or "pratt" (ranked, then left out).
    labels : tuple of str
        First and second level; the outcome's name where only differences were given.
    method : str
        "exact" (the permutation distribution given the ties) or "asymptotic" (normal, variance corrected for ties).
    correction : bool
        Whether z and p hold the continuity correction; never where p is exact.
    ties : int
        Ranked pairs whose difference is as large as another's.
    alternative : str
        "two-sided", "greater" (first > second) or "less".
    outcome : str
        Name of what was measured.
    missing : int
        Subjects that were left out because a measure was missing.
    """

    SYMBOL = "T+"

    statistic: Number
    t_minus: Number
    z: Number
    p: Number
    n: Number
    zeros: Number
    zero_method: Literal["drop", "pratt"]
    labels: tuple[str, ...]
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
        """Return the matched-pairs rank-biserial correlation (T+ − T−) / (T+ + T−), or the share of positive pairs.

        Parameters
        ----------
        kind
            "rank_biserial" (Kerby, 2014), or "common_language": the share of pairs whose first is larger, half of those
            without a difference included, with Wilson's interval.
        interval
            "score": the values that a score test does not reject, the counterpart for signed ranks of Newcombe's
            interval, with the variance of T+ over normal differences; "fisher": Fisher's z with the standard error
            under the null, which other programs print, and which is too narrow for large effects.

        Returns
        -------
        Effect
            From −1 to 1 (rank-biserial) or from 0 to 1 (common language), larger where the first measure is larger.

        References
        ----------
        Kerby, D. S. (2014). The simple difference formula: An approach to teaching nonparametric correlation.
        Comprehensive Psychology, 3.
        """
        plus, minus = np.asarray(self.statistic), np.asarray(self.t_minus)
        if kind == "common_language":
            positive = self.values.n[..., self.values.values > 0].sum(axis=-1)
            return paired_common_language(
                np.asarray(positive + np.asarray(self.zeros) / 2), np.asarray(self.n, dtype=float), self.alternative
            )
        n_ranked = np.asarray(self.n, dtype=np.float64) - np.asarray(self.zeros)
        return wilcoxon_effect(kind, plus, plus + minus, n_ranked, interval, self.alternative)

    def _pairs(self, n: FloatArray) -> float:
        size = float(n.sum())
        return size * (size + 1) / 2

    def _shifts(self, n: FloatArray, ranks: Sequence[float]) -> list[float]:
        has_values = n > 0
        return walsh_quantiles(self.values.values[has_values], n[has_values], ranks)

    def _untied(self, n: FloatArray) -> FloatArray:
        return untied_signed_rank(int(n.sum()))

    def _sd(self, n: FloatArray) -> float:
        # At a shift that meets no mean of two differences, none is zero and ties are of equal differences only.
        size = float(n.sum())
        return float(np.sqrt(size * (size + 1) * (2 * size + 1) / 24 - (n**3 - n).sum() / 48))


def wilcoxon(
    data: Any,
    outcome: str | None = None,
    within: str | None = None,
    subject: str | None = None,
    *,
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    alternative: Alternative = "two-sided",
    correction: bool = False,
    zero_method: Literal["drop", "pratt"] = "drop",
    levels: Sequence[object] | None = None,
) -> Wilcoxon:
    """Compare two measures of the same subjects by signed ranks (Wilcoxon, 1945).

    Differences that rounding alone tells apart (0.81 − 0.77 and 0.75 − 0.71) are tied, and zero where they should be.

    Parameters
    ----------
    data
        A long frame of any engine with one row a subject and level; or samples by name whose places are the subjects;
        or the differences: numbers, or `ValueCounts` of a single sample (one study or a stack).
    outcome, within, subject
        The measured column, the repeated factor and the column of the subjects' ids.
    method
        As in `mann_whitney`; "auto" is exact where fewer than 50 pairs are ranked.
    alternative
        "greater": the first tends to be larger.
    correction
        Whether the asymptotic test moves T+ by one half towards its expectation. Off unless asked for, here as in every
        test of this package that has such a correction (R's wilcox.test has it on).
    zero_method
        "drop" leaves out pairs without a difference before ranking (Wilcoxon); "pratt" after it (Pratt, 1959).
    levels
        Which two levels to compare, in this order.

    Returns
    -------
    Wilcoxon
        Both sums of signed ranks, z where the normal distribution is used, and p.

    Raises
    ------
    DesignError
        If the factor has not two levels, a subject has two rows for one level, or only means are known.
    NotEstimable
        If no pair differs.

    References
    ----------
    - Pratt, J. W. (1959). Remarks on zeros and ties in the Wilcoxon signed rank procedures. Journal of the American
      Statistical Association, 54, 655–667.
    - Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin, 1, 80–83.

    Examples
    --------
    >>> result = wilcoxon({"CL": [0.75, 0.81, 0.70, 0.77, 0.74], "FC": [0.71, 0.77, 0.71, 0.72, 0.68]})
    >>> result.statistic, result.p, result.ties
    (14.0, 0.125, 2)
    >>> result.hodges_lehmann().apa()
    'HL = 0.04, 95% CI [−∞, ∞]'
    """
    check_choice("method", method, METHODS)
    check_choice("alternative", alternative, ALTERNATIVES)
    check_choice("zero_method", zero_method, ("drop", "pratt"))
    differences, labels = differences_of(data, outcome, within, subject, levels)
    # How often each size of difference occurs, with either sign.
    sizes, positive, negative = _order_by_size(differences)
    all_counts = positive + negative
    zeros = all_counts[..., sizes == 0].sum(axis=-1)
    # Zeros are ranked (Pratt) or not, and have no sign in either case.
    nonzero_counts = np.where((sizes == 0) & (zero_method == "drop"), 0.0, all_counts)
    ranks = np.where(sizes == 0, 0.0, midranks(nonzero_counts))
    counts = np.where(sizes == 0, 0.0, all_counts)
    t_plus, t_minus = (positive * ranks).sum(axis=-1), (negative * ranks).sum(axis=-1)
    # Given the sizes, each sign is a toss: a rank adds a quarter of its square.
    variance = checked_variance(
        (counts * ranks**2).sum(axis=-1) / 4,
        counts.any(axis=-1),
        "no pair differs; signed ranks need differences",
    )
    exact_p = is_exact(method, counts.sum(axis=-1))
    z, p = normal((t_plus - t_minus) / 2, variance, alternative, correction=correction and not exact_p)
    if exact_p:
        p = _exact_signed_rank(positive, ranks, counts, variance, alternative)
    return Wilcoxon(
        statistic=plain(t_plus),
        t_minus=plain(t_minus),
        z=z,
        p=p,
        n=count(all_counts.sum(axis=-1)),
        zeros=count(zeros),
        zero_method=zero_method,
        labels=labels,
        method="exact" if exact_p else "asymptotic",
        correction=correction and not exact_p,
        ties=count(np.where(counts > 1, counts, 0).sum(axis=-1)),
        alternative=alternative,
        outcome=differences.outcome,
        missing=differences.missing,
        values=differences,
    )


def differences_of(
    data: Any, outcome: str | None, within: str | None, subject: str | None, levels: Sequence[object] | None
) -> tuple[ValueCounts, tuple[str, ...]]:
    """Return the differences of pairs, first minus second, and the two levels; arguments as in `wilcoxon`."""
    if isinstance(data, ValueCounts):
        if data.factors:
            raise DesignError(f"this takes the differences of one sample; leave out {data.factors[0].name!r}")
        check_own_outcome(data, outcome)
        return data, (data.outcome,)
    if isinstance(data, Sequence | np.ndarray) and not isinstance(data, str):
        check_samples(data, outcome=outcome, within=within, subject=subject)
        sample = ValueCounts.from_samples({"difference": data}, outcome="difference")
        return replace(sample, n=sample.n[0], factors=()), (sample.outcome,)
    if is_lazy(data) and outcome is not None and within is not None and subject is not None:
        return _count_lazily(data, outcome, within, subject, levels)
    pairs = as_pairs(data, outcome, within, subject, levels, "wilcoxon")
    y = pairs.wide()
    if y.ndim > 2:
        raise DesignError("this takes the samples of one study; for a stack give ValueCounts of the differences")
    first_values, second_values = y.T
    size = np.maximum(np.abs(first_values), np.abs(second_values))
    sample = counted_differences(first_values - second_values, size, None, pairs.outcome)
    return replace(sample, missing=pairs.missing), pairs.factors[0].levels


def _count_lazily(
    frame: Any, outcome: str, within: str, subject: str, levels: Sequence[object] | None
) -> tuple[ValueCounts, tuple[str, ...]]:
    """Count the differences by the engine that holds the rows."""
    wide_frame, measures = subjects_wide(frame, outcome, within, subject, (), levels)
    first_index, second_index = two_levels(measures, levels, "wilcoxon")
    rows = wide_frame.select(nw.col(f"__x{first_index}").alias("first"), nw.col(f"__x{second_index}").alias("second"))
    differences = engine_differences(rows, outcome)
    return differences, (measures.levels[first_index], measures.levels[second_index])


def engine_differences(pairs: nw.LazyFrame[Any], outcome: str) -> ValueCounts:
    """Return the differences of ``first`` and ``second``, counted by the engine; pairs that lack one are left out."""
    first_column, second_column = nw.col("first"), nw.col("second")
    larger_size = nw.max_horizontal(first_column.abs(), second_column.abs())
    rows = pairs.select((first_column - second_column).alias("apart"), larger_size.alias("size"))
    differences = rows.group_by("apart").agg(nw.col("size").max(), nw.len().alias("n")).collect("pyarrow").to_pandas()
    is_complete = differences["apart"].notna().to_numpy()
    difference, size, n = (differences[name].to_numpy(dtype=np.float64)[is_complete] for name in ("apart", "size", "n"))
    missing = int(differences["n"].sum() - n.sum())
    return replace(counted_differences(difference, size, n, outcome), missing=missing)


def counted_differences(
    differences: FloatArray, size: FloatArray, counts: FloatArray | None, outcome: str
) -> ValueCounts:
    """Return value counts for `wilcoxon` from differences, how often each occurs (once), and what was subtracted.

    `size` is the larger of the two values that were subtracted for each: differences that only its rounding tells apart
    are one. One sort by absolute size gives both signs in order: the negative ones are read backwards.
    """
    magnitude = np.abs(differences)
    order = np.argsort(magnitude, kind="stable")
    steps, sizes = magnitude[order], size[order]
    # Differences that only rounding tells apart are one value: a step opens where they differ by more.
    rounding = ROUNDING * np.maximum(sizes, np.append(0.0, sizes[:-1]))
    is_new = np.diff(steps, prepend=0.0) > rounding
    distinct, codes = np.append(0.0, steps[is_new]), np.cumsum(is_new)
    weights = np.ones(len(order)) if counts is None else counts[order]
    is_negative = (differences < 0)[order] & (codes > 0)
    negative, positive = (
        np.bincount(codes, weights * has_sign, len(distinct)) for has_sign in (is_negative, ~is_negative)
    )
    negative_codes, positive_codes = np.flatnonzero(negative)[::-1], np.flatnonzero(positive)
    return ValueCounts(
        np.append(-distinct[negative_codes], distinct[positive_codes]),
        np.append(negative[negative_codes], positive[positive_codes]).astype(np.float64),
        (),
        outcome,
    )


def _order_by_size(differences: ValueCounts) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return absolute differences, ascending, and how many of each are positive (or zero) and negative."""
    magnitude = np.abs(differences.values)
    order = np.argsort(magnitude, kind="stable")  # two runs, of the negative and the other, which it merges
    is_new = np.diff(magnitude[order], prepend=-1.0) > 0
    sizes, size_codes = magnitude[order][is_new], np.empty(len(order), dtype=np.intp)
    size_codes[order] = np.cumsum(is_new) - 1
    is_positive = differences.values >= 0
    positive, negative = (np.zeros((*differences.studies, len(sizes))) for _ in range(2))
    positive[..., size_codes[is_positive]] = differences.n[..., is_positive]
    negative[..., size_codes[~is_positive]] = differences.n[..., ~is_positive]
    return sizes, positive, negative


def _exact_signed_rank(
    positive: FloatArray, ranks: FloatArray, counts: FloatArray, variance: FloatArray, alternative: Alternative
) -> Number:
    p = np.full(variance.shape, np.nan)
    for study in np.ndindex(*variance.shape):
        has_values = counts[study] > 0
        if np.isfinite(variance[study]):
            arrays = (positive[study], 2 * ranks[study], counts[study])
            plus, doubled, all_counts = (np.round(array[has_values]).astype(np.int64) for array in arrays)
            p[study] = signed_rank_p(plus, doubled, all_counts, alternative)
    return plain(p)


@dataclass(frozen=True, slots=True, repr=False)
class SignTest(Result):
    """Whether differences of pairs are more often above than below 0. Signed as first minus second.

    Attributes
    ----------
    positive, negative, zeros : int
        Pairs whose first is larger, smaller, and equal; the last have no say.
    p : float
        Exact binomial p; 1 where no pair differs in a stack.
    labels : tuple of str
        First and second level; the outcome's name where only differences were given.
    alternative : str
    outcome : str
    missing : int
        Subjects that were left out because a measure was missing.
    """

    positive: Number
    negative: Number
    zeros: Number
    p: Number
    labels: tuple[str, ...]
    alternative: Alternative
    outcome: str
    missing: int
    values: ValueCounts = field(repr=False, compare=False)

    def effect_size(self) -> Effect:
        """Return the share of the differing pairs whose first is larger, with Clopper and Pearson's interval.

        Returns
        -------
        Effect
            The share, from 0 to 1; .5 where neither measure is larger more often.
        """
        n_different = np.asarray(self.positive) + np.asarray(self.negative)
        share = proportion(self.positive, n_different)
        return Effect("share", share.estimate, lambda level: share.confidence_interval(level, method="clopper-pearson"))

    def median(self, confidence_level: float = 0.95) -> tuple[float, Interval]:
        """Return the median difference (zeros included) and its exact interval from order statistics.

        The interval holds at least `confidence_level`; it is infinite where there are too few pairs.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        tuple[float, Interval]
            The median and its interval, in units of the outcome.
        """
        check_single(self.p, "median()")
        sorted_values = np.repeat(self.values.values, self.values.n.astype(np.intp))
        tail_area, _ = sides(confidence_level, "two-sided")
        n = len(sorted_values)
        cumulative_p = special.bdtr(np.arange(n), n, 0.5)
        rank = int((cumulative_p <= tail_area).sum())
        bounds = (float(sorted_values[rank - 1]), float(sorted_values[n - rank])) if rank else (-np.inf, np.inf)
        return float(np.median(sorted_values)), Interval(*bounds, confidence_level, "order statistics")

    def apa(self) -> str:
        """Return such as ``sign test: 14 of 18 above 0 (3 without a difference), p = .031``.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.p, "apa()")
        tie_text = f" ({self.zeros} without a difference)" if self.zeros else ""
        n_different = int(np.asarray(self.positive) + np.asarray(self.negative))
        return f"sign test: {self.positive} of {n_different} above 0{tie_text}, {apa.p_value(self.p, self.alternative)}"


def sign_test(
    data: Any,
    outcome: str | None = None,
    within: str | None = None,
    subject: str | None = None,
    *,
    alternative: Alternative = "two-sided",
    levels: Sequence[object] | None = None,
) -> SignTest:
    """Compare two measures of the same subjects by the signs of their differences alone.

    Parameters
    ----------
    data, outcome, within, subject, alternative, levels
        As in `wilcoxon`.

    Returns
    -------
    SignTest
        The numbers of positive, negative and zero differences, and p.

    Raises
    ------
    DesignError
        As `wilcoxon`.
    NotEstimable
        If no pair differs.

    Examples
    --------
    >>> result = sign_test({"CL": [0.75, 0.81, 0.70, 0.77, 0.74], "FC": [0.71, 0.77, 0.71, 0.72, 0.68]})
    >>> print(result.apa())
    sign test: 4 of 5 above 0, p = .375
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    differences, labels = differences_of(data, outcome, within, subject, levels)
    positive_counts = differences.n[..., differences.values > 0]
    negative_counts = differences.n[..., differences.values < 0]
    zero_counts = differences.n[..., differences.values == 0]
    positive, negative, zeros = (
        np.asarray(counts.sum(axis=-1)) for counts in (positive_counts, negative_counts, zero_counts)
    )
    # Without a difference between the measures, a sign is positive with probability ½.
    n_different = positive + negative
    if n_different.ndim == 0 and n_different == 0:
        raise NotEstimable("no pair differs; a sign test needs differences")
    return SignTest(
        positive=count(positive),
        negative=count(negative),
        zeros=count(zeros),
        p=plain(_binomial_p(positive, n_different, alternative)),
        labels=labels,
        alternative=alternative,
        outcome=differences.outcome,
        missing=differences.missing,
        values=differences,
    )


def _binomial_p(positive: FloatArray, n_different: FloatArray, alternative: Alternative) -> FloatArray:
    size = n_different.astype(np.int64)
    if alternative == "two-sided":
        return np.minimum(1.0, 2 * special.bdtr(np.minimum(positive, n_different - positive), size, 0.5))
    return np.asarray(special.bdtr(n_different - positive if alternative == "greater" else positive, size, 0.5))
