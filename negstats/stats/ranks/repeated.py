"""Friedman test of repeated measures by the ranks of each subject, with Kendall's coefficient of concordance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.effects._effect import Effect
from negstats.stats.effects.ranks import paired_common_language
from negstats.stats.pairs import Pairs, build_pairs, check_correction
from negstats.stats.ranks.small import friedman_p
from negstats.stats.results import apa
from negstats.stats.results.intervals import percentile_interval
from negstats.stats.results.numbers import ROUNDING, FloatArray, Number, plain, settled
from negstats.stats.results.options import check_choice, check_count, check_rng, check_single, count, t_tails
from negstats.stats.results.result import Result
from negstats.stats.summaries.coerce import as_subjects
from negstats.stats.summaries.resamples import multinomials

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
        if np.ndim(self.statistic):
            raise DesignError("conover() compares the measures of one study; take one from the stack")
        n, k = self.ranks.shape
        sums = self.ranks.sum(axis=0)
        free = float((n - 1) * (k - 1))
        squares = float((self.ranks**2).sum())
        rest = squares - float((sums**2).sum()) / n
        if not rest > ROUNDING * squares:
            raise NotEstimable(
                "every subject ranks the measures alike, so ranks have no error; the order is the result"
            )
        one, two = np.triu_indices(k, 1)
        t = (sums[one] - sums[two]) / np.sqrt(2 * n * rest / free)
        ahead = np.sign(self.ranks[:, one] - self.ranks[:, two])
        return build_pairs(
            self.labels, "t", t, free, t_tails(t, free), n=np.asarray(float(n)), adjust=adjust, method="Conover",
            effect=paired_common_language((ahead.sum(axis=0) + n) / 2, np.full(len(t), float(n)), "two-sided"),
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
    ranks = _rank(y)
    sums, chi2 = ranks.sum(axis=-2), _chi2(ranks)
    if np.ndim(chi2) == 0 and np.isnan(chi2):
        raise NotEstimable("every subject's measures are tied; ranks need values that differ")
    p = np.asarray(special.chdtrc(k - 1, chi2))
    if method == "exact":
        if p.ndim:
            raise DesignError("an exact p needs a single study; take one from the stack")
        p = np.asarray(friedman_p(ranks))
    return Friedman(
        statistic=plain(chi2),
        df=float(k - 1),
        p=plain(p),
        n=count(n),
        mean_ranks=tuple(plain(sums[..., place] / n) for place in range(k)),
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
        from scipy.stats import rankdata

        return np.asarray(rankdata(_settle_rounding(y), axis=-1), dtype=np.float64)
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
    ranks, nearest = np.ones(columns.shape), np.inf
    for one, two in combinations(range(len(columns)), 2):
        difference = columns[one] - columns[two]
        # The larger of two is one place further on; of equal ones each is half a place.
        share_above = (np.sign(difference) + 1) / 2
        ranks[one] += share_above
        ranks[two] += 1 - share_above
        nearest = min(nearest, float(np.abs(difference).min(initial=np.inf, where=difference != 0)))
    return np.moveaxis(ranks, 0, -1), nearest


def _chi2(ranks: FloatArray) -> FloatArray:
    """Return Friedman's χ² of ranks of shape (..., subjects, measures); NaN where every subject's are tied."""
    n, k = ranks.shape[-2:]
    deviations = ranks - (k + 1) / 2
    # The variance of a subject's ranks is (k² − 1) / 12 without ties; ties take from it.
    spread = (deviations**2).sum(axis=(-1, -2)) / (k - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = ranks.sum(axis=-2) - n * (k + 1) / 2
        return np.asarray((sums**2).sum(axis=-1) / spread)


def _concordance(times: FloatArray, ranks: FloatArray) -> FloatArray:
    """Return Kendall's W of samples in which each subject is drawn so many times, shape (samples, subjects)."""
    n, k = ranks.shape
    deviations = ranks - (k + 1) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(((times @ deviations) ** 2).sum(axis=-1) / (n * (times @ (deviations**2).sum(axis=-1))))
