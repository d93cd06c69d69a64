"""Kruskal–Wallis test of several groups and Friedman test of repeated measures, with their effect sizes and pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.effects._effect import Effect
from negstats.stats.effects.counts import mann_whitney_effect, paired_common_language
from negstats.stats.pairs import Pairs, build_pairs, check_correction
from negstats.stats.ranks.exact import friedman_p, kruskal_wallis_p, midranks
from negstats.stats.ranks.shift import checked_variance
from negstats.stats.results import apa
from negstats.stats.results.intervals import percentile_interval
from negstats.stats.results.numbers import ROUNDING, FloatArray, Number, plain, settled, several
from negstats.stats.results.options import (
    check_choice,
    check_count,
    check_one_study,
    check_rng,
    check_single,
    count,
    t_tails,
)
from negstats.stats.results.result import Result
from negstats.stats.summaries import ValueCounts
from negstats.stats.summaries.coerce import as_subjects, as_values, one_factor
from negstats.stats.summaries.rows import multinomials

# So many counts of bootstrap samples are held at once.
AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True, repr=False)
class KruskalWallis(Result):
    """Whether some of several groups tend to larger values than others.

    Every number is an array with one entry a study where the summary was a stack of studies; NaN then marks a study
    that is not estimable.

    Attributes
    ----------
    statistic, df, p : float
        H corrected for ties, its degrees of freedom, and p from chi-squared, or exact.
    n : tuple of int
        Each group's size, in the order of `labels`.
    medians, mean_ranks : tuple of float
        In the order of `labels`.
    labels : tuple of str
        The factor's levels.
    ties : int
        Observations that share their value with another.
    factor, outcome : str
        Names of the factor and of what was measured.
    missing : int
        Rows that were left out because a value was missing.
    method : str
        "asymptotic", or "exact" (all ways to share the values among the groups; ties as they are).
    """

    statistic: Number
    df: Number
    p: Number
    n: tuple[Number, ...]
    medians: tuple[Number, ...]
    mean_ranks: tuple[Number, ...]
    labels: tuple[str, ...]
    ties: Number
    factor: str
    outcome: str
    missing: int
    method: Literal["asymptotic", "exact"]
    values: ValueCounts = field(repr=False, compare=False)

    def effect_size(
        self,
        kind: Literal["rank_epsilon_squared", "rank_eta_squared"] = "rank_epsilon_squared",
        *,
        rng: np.random.Generator | None = None,
        n_resamples: int = 9999,
    ) -> Effect:
        """Return epsilon squared H / (N − 1) or eta squared (H − k + 1) / (N − k) (Tomczak and Tomczak, 2014).

        Parameters
        ----------
        kind
            Which of the two.
        rng, n_resamples
            The interval is the percentile bootstrap of rows inside groups. Without `rng` the effect has no interval.

        Returns
        -------
        Effect
            The share of the variance of the ranks that lies between groups, from 0 to 1.

        References
        ----------
        Tomczak, M., & Tomczak, E. (2014). The need to report effect size estimates revisited. Trends in Sport Sciences,
        1(21), 19–25.
        """
        check_choice("kind", kind, tuple(EXPLAINED))
        explained = EXPLAINED[kind]
        value = explained(np.asarray(self.statistic), np.stack(self.n, axis=-1).astype(np.float64))
        if rng is None:
            return Effect(kind, plain(value), None)
        check_rng(rng)
        times = check_count("n_resamples", n_resamples, 2)
        return Effect(kind, plain(value), partial(percentile_interval, _resample(self.values, explained, rng, times)))

    def dunn(self, adjust: str = "holm") -> Pairs:
        """Compare every two groups by Dunn's (1964) z of mean ranks, with p corrected for their number.

        Parameters
        ----------
        adjust
            Correction of p for the number of comparisons, such as "holm", "bonferroni" or "none".

        Returns
        -------
        Pairs
            One comparison for every two groups, in their order, with its rank-biserial correlation (of the two groups
            alone; its interval is Newcombe's).

        Raises
        ------
        DesignError
            If `adjust` is not known, or the result is that of a stack of studies.

        References
        ----------
        Dunn, O. J. (1964). Multiple comparisons using rank sums. Technometrics, 6, 241–252.
        """
        check_correction(adjust)
        check_one_study(np.ndim(self.statistic), "dunn() compares the groups of one study")
        n, ranks = np.asarray(self.n, dtype=np.float64), np.asarray(self.mean_ranks)
        counts = self.values.n
        variance = float(_rank_variance(counts.sum(axis=0)))
        first, second = np.triu_indices(len(n), 1)
        z = (ranks[first] - ranks[second]) / np.sqrt(variance * (1 / n[first] + 1 / n[second]))
        # Of all pairs of a value of either group, those in which the first is larger, and half of those alike.
        placements = np.cumsum(counts[second], axis=-1) - counts[second] / 2
        win_shares = (counts[first] * placements).sum(axis=-1) / (n[first] * n[second])
        effect = mann_whitney_effect("rank_biserial", win_shares, n[first], n[second], "score", "two-sided")
        return build_pairs(
            self.labels, "z", z, np.inf, t_tails(z), n=n[first] + n[second], adjust=adjust, method="Dunn",
            effect=effect,
        )  # fmt: skip

    def apa(self) -> str:
        """Return such as ``H(2) = 7.04, p = .030, ε² = .39``; of an exact test without df, which p does not use.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        if self.method == "exact":
            return f"H = {apa.number(self.statistic)}, exact {apa.p_value(self.p)}, {self.effect_size().apa()}"
        return f"{apa.statistic('H', self.statistic, (self.df,), self.p)}, {self.effect_size().apa()}"


def kruskal_wallis(
    data: Any,
    outcome: str | None = None,
    by: str | None = None,
    *,
    method: Literal["asymptotic", "exact"] = "asymptotic",
) -> KruskalWallis:
    """Compare several independent groups by ranks (Kruskal and Wallis, 1952).

    Parameters
    ----------
    data
        A frame of any engine with the columns `outcome` and `by`; or samples by name; or `ValueCounts` (one study or a
        stack).
    outcome, by
        The measured column and the factor.
    method
        "asymptotic": p from chi-squared. "exact": over all ways to share the values among the groups, for few
        observations (three groups of ten, four of three).

    Returns
    -------
    KruskalWallis
        H with df and p, and the median and mean rank of each group.

    Raises
    ------
    DesignError
        If the factor has fewer than two levels, a column is missing or not numeric, only means are known, or there are
        too many observations for an exact p.
    NotEstimable
        If a group is empty or all values are equal.

    References
    ----------
    Kruskal, W. H., & Wallis, W. A. (1952). Use of ranks in one-criterion variance analysis. Journal of the American
    Statistical Association, 47, 583–621.

    Examples
    --------
    >>> result = kruskal_wallis({"Israel": [3, 5, 4, 6], "US": [6, 8, 7, 7, 9], "China": [5, 4, 6, 5]})
    >>> result.apa()
    'H(2) = 8.09, p = .018, ε² = .67'
    >>> result.dunn().to_frame()[["first", "second", "p_adjusted"]].round(4).values.tolist()
    [['Israel', 'US', 0.0287], ['Israel', 'China', 0.7127], ['US', 'China', 0.0552]]
    """
    check_choice("method", method, ("asymptotic", "exact"))
    values = one_factor(as_values(data, outcome, by), by, "kruskal_wallis")
    (factor,), n, pooled = values.factors, values.n.sum(axis=-1), values.n.sum(axis=-2)
    if len(factor) < 2:
        levels_text = f"one level: {factor.levels[0]!r}" if len(factor) else "no level"
        raise DesignError(f"kruskal_wallis compares at least two groups; {factor.name!r} has {levels_text}")
    if n.ndim == 1 and not n.all():
        raise NotEstimable(f"group {factor.levels[int(n.argmin())]!r} is empty; leave the level out")
    # Rank sums of the groups, ties at the mean of their places.
    ranks = midranks(pooled)
    sums = (values.n * ranks[..., None, :]).sum(axis=-1)
    h, mean_ranks = _h(sums, n, pooled)
    p = np.asarray(special.chdtrc(len(factor) - 1, h))
    if method == "exact":
        check_one_study(p.ndim, "an exact p needs a single study")
        p = np.asarray(kruskal_wallis_p(pooled, ranks, n, sums))
    return KruskalWallis(
        statistic=plain(h),
        df=float(len(factor) - 1),
        p=plain(p),
        n=several(n, whole=True),
        medians=several(values.median),
        mean_ranks=several(mean_ranks),
        labels=factor.levels,
        ties=count(np.where(pooled > 1, pooled, 0).sum(axis=-1)),
        factor=factor.name,
        outcome=values.outcome,
        missing=values.missing,
        method=method,
        values=values,
    )


def _rank_variance(pooled: FloatArray) -> FloatArray:
    """Return the variance of one rank (divisor N − 1) given the ties."""
    total = pooled.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        cubes = (pooled**3 - pooled).sum(axis=-1)
        return np.asarray(total * (total + 1) / 12 - cubes / (12 * (total - 1)))


def _h(sums: FloatArray, n: FloatArray, pooled: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return H and the mean ranks of groups (last axis) from their rank sums and how often each value occurs."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_ranks = sums / n
    variance = checked_variance(
        _rank_variance(pooled),
        np.count_nonzero(pooled, axis=-1) > 1,
        "every value is tied; ranks need values that differ",
    )
    mean_rank = (n.sum(axis=-1, keepdims=True) + 1) / 2
    return (n * (mean_ranks - mean_rank) ** 2).sum(axis=-1) / variance, mean_ranks


Explained: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]


def _epsilon(h: FloatArray, n: FloatArray) -> FloatArray:
    return np.asarray(h / (n.sum(axis=-1) - 1))


def _eta(h: FloatArray, n: FloatArray) -> FloatArray:
    groups = n.shape[-1]
    return np.asarray((h - groups + 1) / (n.sum(axis=-1) - groups))


EXPLAINED: dict[str, Explained] = {"rank_epsilon_squared": _epsilon, "rank_eta_squared": _eta}


def _resample(values: ValueCounts, explained: Explained, rng: np.random.Generator, n_resamples: int) -> FloatArray:
    """Return the effect in bootstrap samples: rows drawn with replacement inside each group."""
    check_one_study(values.studies, "the bootstrap takes one study")
    n = values.n.sum(axis=-1)
    at_once = max(1, AT_ONCE // values.n.size)
    effects = []
    for start in range(0, n_resamples, at_once):
        n_at_once = min(at_once, n_resamples - start)
        resamples_by_group = [
            rng.multinomial(int(size), row / size, n_at_once) for size, row in zip(n, values.n, strict=True)
        ]
        counts = np.stack(resamples_by_group, axis=1).astype(np.float64)
        pooled = counts.sum(axis=-2)
        sums = (counts * midranks(pooled)[..., None, :]).sum(axis=-1)
        effects.append(explained(_h(sums, counts.sum(axis=-1), pooled)[0], n))
    return np.concatenate(effects)


# So many measures at most are ranked by comparing every two.
FEW = 12


@dataclass(frozen=True, slots=True, repr=False)
class Friedman(Result):
    """Whether some of several measures of the same subjects tend to larger values than others.

    Every number is an array with one entry a study where the samples were stacks of studies; NaN then marks a study
    that is not estimable.

    Attributes
    ----------
    statistic, df, p : float
        Friedman's χ² corrected for ties inside subjects, its degrees of freedom, and p from chi-squared, or exact.
    n : int
        Complete subjects.
    mean_ranks : tuple of float
        Of the measures, in the order of `labels`.
    labels : tuple of str
        The repeated factor's levels.
    within, outcome : str
        Names of the repeated factor and of what was measured.
    missing : int
        Subjects that were left out because a measure was missing.
    method : str
        "asymptotic", or "exact" (each subject's ranks in every order).
    """

    statistic: Number
    df: float
    p: Number
    n: Number
    mean_ranks: tuple[Number, ...]
    labels: tuple[str, ...]
    within: str
    outcome: str
    missing: int
    method: Literal["asymptotic", "exact"]
    ranks: FloatArray = field(repr=False, compare=False)

    def effect_size(self, *, rng: np.random.Generator | None = None, n_resamples: int = 9999) -> Effect:
        """Return Kendall's W, the agreement of the subjects on the order of the measures: χ² / (n (k − 1)), 0 to 1.

        Parameters
        ----------
        rng, n_resamples
            The interval is the percentile bootstrap of subjects. Without `rng` the effect has no interval.

        Returns
        -------
        Effect
            Kendall's W, 1 where all subjects rank the measures alike.
        """
        bounds = None
        if rng is not None:
            check_rng(rng)
            check_single(self.statistic, "the bootstrap")
            n = len(self.ranks)
            resamples = multinomials(rng, n, check_count("n_resamples", n_resamples, 2))
            bounds = partial(
                percentile_interval, np.concatenate([_concordance(times, self.ranks) for times in resamples])
            )
        k = len(self.labels)
        return Effect("kendall_w", plain(np.asarray(self.statistic) / (np.asarray(self.n) * (k - 1))), bounds)

    def conover(self, adjust: str = "holm") -> Pairs:
        """Compare every two measures by their rank sums (Conover, 1999), with p corrected for their number.

        Parameters
        ----------
        adjust
            Correction of p for the number of comparisons, such as "holm", "bonferroni" or "none".

        Returns
        -------
        Pairs
            One comparison for every two measures, in their order, with the share of subjects whose first measure is
            larger (half of those alike; its interval is Wilson's).

        Raises
        ------
        DesignError
            If `adjust` is not known, or the result is that of a stack of studies.
        NotEstimable
            If all subjects rank the measures alike: then no error is left.

        Notes
        -----
        Sec. 5.8, eq. 6: t = (R_i − R_j)/√(2n(A − Σ R²/n)/((n − 1)(k − 1))), A the sum of all squared ranks, on (n −
        1)(k − 1) degrees of freedom.

        References
        ----------
        Conover, W. J. (1999). Practical Nonparametric Statistics (3rd ed.). Wiley.
        """
        check_correction(adjust)
        check_one_study(np.ndim(self.statistic), "conover() compares the measures of one study")
        n, k = self.ranks.shape
        sums = self.ranks.sum(axis=0)
        df = float((n - 1) * (k - 1))
        squares = float((self.ranks**2).sum())
        # The squares of the ranks that the rank sums leave unexplained.
        residual_squares = squares - float((sums**2).sum()) / n
        if not residual_squares > ROUNDING * squares:
            raise NotEstimable(
                "every subject ranks the measures alike, so ranks have no error; the order is the result"
            )
        first, second = np.triu_indices(k, 1)
        t = (sums[first] - sums[second]) / np.sqrt(2 * n * residual_squares / df)
        signs = np.sign(self.ranks[:, first] - self.ranks[:, second])
        return build_pairs(
            self.labels, "t", t, df, t_tails(t, df), n=np.asarray(float(n)), adjust=adjust, method="Conover",
            effect=paired_common_language((signs.sum(axis=0) + n) / 2, np.full(len(t), float(n)), "two-sided"),
        )  # fmt: skip

    def apa(self) -> str:
        """Return such as ``χ²(2, N = 10) = 9.95, p = .007, W = .50``; of an exact test without df.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        size = int(np.asarray(self.n))
        if self.method == "exact":
            value = f"χ²(N = {size}) = {apa.number(self.statistic)}"
            return f"{value}, exact {apa.p_value(self.p)}, {self.effect_size().apa()}"
        return f"{apa.statistic('χ²', self.statistic, (self.df,), self.p, n=size)}, {self.effect_size().apa()}"


def friedman(
    data: Any,
    outcome: str | None = None,
    within: str | None = None,
    subject: str | None = None,
    *,
    levels: Sequence[object] | None = None,
    method: Literal["asymptotic", "exact"] = "asymptotic",
) -> Friedman:
    """Compare several measures of the same subjects by ranks (Friedman, 1937; Kendall and Babington Smith, 1939).

    Values that differ by no more than 8 units of the last place, as .1 + .2 and .3 do, are tied.

    Parameters
    ----------
    data
        A long frame of any engine with one row a subject and level; or samples by name whose places are the subjects,
        of shape ``(*studies, subjects)``.
    outcome, within, subject
        The measured column, the repeated factor and the column of the subjects' ids.
    levels
        Which levels to compare; by default all.
    method
        "asymptotic": p from chi-squared. "exact": each subject's ranks in every order, for few measures and subjects
        (3 × 100, 4 × 30, 5 × 8).

    Returns
    -------
    Friedman
        The statistic with df and p, and the mean rank of each measure.

    Raises
    ------
    DesignError
        If there are fewer than two levels, a subject has two rows for one level, samples differ in length, or there are
        too many measures for an exact p.
    NotEstimable
        If there is no complete subject, or every subject's measures are all equal.

    References
    ----------
    - Friedman, M. (1937). The use of ranks to avoid the assumption of normality implicit in the analysis of variance.
      Journal of the American Statistical Association, 32, 675–701.
    - Kendall, M. G., & Babington Smith, B. (1939). The problem of m rankings. Annals of Mathematical Statistics, 10,
      275–287.

    Examples
    --------
    >>> friedman({"fair": [5, 7, 6, 9, 8], "selfish": [3, 5, 4, 4, 6], "envious": [4, 4, 5, 6, 3]}).apa()
    'χ²(2, N = 5) = 7.60, p = .022, W = .76'
    """
    check_choice("method", method, ("asymptotic", "exact"))
    measures = as_subjects(data, outcome, within, subject, levels)
    (factor,) = measures.factors
    y = measures.wide()
    n, k = y.shape[-2:]
    if k < 2:
        raise DesignError(f"friedman compares at least two measures; {factor.name!r} has {k}")
    if n == 0:
        raise NotEstimable(f"no subject has a value at every level of {factor.name!r}")
    # Each subject's measures are ranked apart from the others'.
    ranks = _rank(y)
    sums, chi2 = ranks.sum(axis=-2), _chi2(ranks)
    if np.ndim(chi2) == 0 and np.isnan(chi2):
        raise NotEstimable("every subject's measures are tied; ranks need values that differ")
    p = np.asarray(special.chdtrc(k - 1, chi2))
    if method == "exact":
        check_one_study(p.ndim, "an exact p needs a single study")
        p = np.asarray(friedman_p(ranks))
    return Friedman(
        statistic=plain(chi2),
        df=float(k - 1),
        p=plain(p),
        n=count(n),
        mean_ranks=tuple(plain(sums[..., measure] / n) for measure in range(k)),
        labels=factor.levels,
        within=factor.name,
        outcome=measures.outcome,
        missing=measures.missing,
        method=method,
        ranks=ranks,
    )


def _rank(y: FloatArray) -> FloatArray:
    """Return the ranks of each subject's measures, along the last axis; values that rounding alone tells apart tie."""
    k = y.shape[-1]
    if k > FEW:
        return np.asarray(scipy.stats.rankdata(_settle_rounding(y), axis=-1), dtype=np.float64)
    ranks, nearest = _compared(y)
    # Ties of rounding are a chain of values at most so long: where no two measures are that near, none is in one.
    if nearest <= ROUNDING * y.size * np.abs(y).max(initial=0.0):
        ranks, _ = _compared(_settle_rounding(y))
    return ranks


def _settle_rounding(y: FloatArray) -> FloatArray:
    """Return the places of values among all, with those made equal that rounding alone tells apart."""
    values = np.sort(y, axis=None)
    values = values[np.diff(values, prepend=-np.inf) > 0]
    return settled(values)[np.searchsorted(values, y)].astype(np.float64)


def _compared(y: FloatArray) -> tuple[FloatArray, float]:
    """Return the ranks of each subject's few measures, and the least distance between two of one that differ."""
    columns = np.ascontiguousarray(np.moveaxis(y, -1, 0))
    ranks, smallest_gap = np.ones(columns.shape), np.inf
    for first, second in combinations(range(len(columns)), 2):
        difference = columns[first] - columns[second]
        # The larger of two is one place further on; of equal ones each is half a place.
        share_above = (np.sign(difference) + 1) / 2
        ranks[first] += share_above
        ranks[second] += 1 - share_above
        smallest_gap = min(smallest_gap, float(np.abs(difference).min(initial=np.inf, where=difference != 0)))
    return np.moveaxis(ranks, 0, -1), smallest_gap


def _chi2(ranks: FloatArray) -> FloatArray:
    """Return Friedman's χ² of ranks of shape (..., subjects, measures); NaN where every subject's are tied."""
    n, k = ranks.shape[-2:]
    deviations = ranks - (k + 1) / 2
    # The variance of a subject's ranks is (k² − 1) / 12 without ties; ties take from it.
    rank_variance = (deviations**2).sum(axis=(-1, -2)) / (k - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = ranks.sum(axis=-2) - n * (k + 1) / 2
        return np.asarray((sums**2).sum(axis=-1) / rank_variance)


def _concordance(times: FloatArray, ranks: FloatArray) -> FloatArray:
    """Return Kendall's W of samples in which each subject is drawn so many times, shape (samples, subjects)."""
    n, k = ranks.shape
    deviations = ranks - (k + 1) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(((times @ deviations) ** 2).sum(axis=-1) / (n * (times @ (deviations**2).sum(axis=-1))))
