"""Tests of dependent counts: McNemar (and Bowker) for pairs, Cochran's Q for several yes-or-no measures of one person.

The same people before and after, the two players of one game, several answers of one person: their counts are not
independent, and `chi_squared` would be wrong for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.counts.contingency import TableResult, check_filled, check_whole, chi2_sf, matched_table, totals
from negstats.stats.counts.proportions import PairedProportions
from negstats.stats.effects._effect import Effect
from negstats.stats.pairs import Pairs, build_pairs, check_correction
from negstats.stats.results import apa
from negstats.stats.results.numbers import ROUNDING, FloatArray, Number, plain
from negstats.stats.results.options import check_choice, check_single
from negstats.stats.results.result import Interval, Result
from negstats.stats.summaries import Counts, Moments
from negstats.stats.summaries.coerce import as_moments
from negstats.stats.summaries.frames import By

McNemarMethod = Literal["asymptotic", "exact", "mid-p"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class McNemar(TableResult):
    """Test whether the two dimensions of a table of matched pairs have the same margins.

    Attributes
    ----------
    statistic, df : float or ndarray
        Chi-squared and df; NaN for the exact and the mid-p test.
    p : float or ndarray
        Two-sided.
    n : float or ndarray
        Pairs.
    discordant : float or ndarray
        Pairs whose two members differ: the only ones that bear on the test.
    odds_ratio : float or ndarray
        Of a 2 × 2 table: pairs (first level, second level) over pairs (second, first); NaN for a larger table.
    method : str
        "asymptotic", "asymptotic, continuity corrected", "exact", "mid-p", or "Bowker" for a larger table.
    missing : int
        Rows that were left out because a value was missing.
    """

    columns: ClassVar[tuple[str, ...]] = ("statistic", "df", "p", "n", "discordant", "odds_ratio", "method", "missing")

    statistic: Number
    df: Number
    p: Number
    n: Number
    discordant: Number
    odds_ratio: Number
    method: str
    missing: int = 0

    def effect_size(self) -> Effect:
        """Return the odds ratio of a 2 × 2 table, with the exact interval given the discordant pairs.

        Returns
        -------
        Effect
            The ratio of the two counts of discordant pairs, 1 where there is no change.

        Raises
        ------
        DesignError
            If the table is larger.
        """
        if self.method == "Bowker":
            raise DesignError("an odds ratio of matched pairs needs a table of 2 × 2; this one is larger")
        odds, discordant = np.asarray(self.odds_ratio, dtype=np.float64), np.asarray(self.discordant, dtype=np.float64)
        with np.errstate(invalid="ignore"):
            first_only = np.where(np.isinf(odds), discordant, discordant * odds / (1 + odds))
        return Effect("odds_ratio", self.odds_ratio, partial(_odds_bounds, first_only, discordant - first_only))

    def apa(self) -> str:
        """Return ``χ²(1, N = n) = x, p = .xxx`` or the exact p.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        n = round(self._one(self.n))
        if self.method in ("exact", "mid-p"):
            return f"{self.method} McNemar test, {apa.p_value(self.p)} (N = {n}, {self.discordant:.0f} discordant)"
        return apa.statistic("χ²", self.statistic, (self.df,), self.p, n=n)


def _check_size(k: int, method: McNemarMethod, *, correction: bool) -> None:
    """Refuse what is of tables of two levels alone for more, and the correction where nothing is asymptotic."""
    if k > 2 and method != "asymptotic":
        raise DesignError(f"a {k} × {k} table has the asymptotic test of symmetry only; method is {method!r}")
    if correction and (k > 2 or method != "asymptotic"):
        given_text = f"this is {method}, {k} × {k}"
        raise DesignError(f"the continuity correction is for the asymptotic test of 2 × 2 tables; {given_text}")


def _compute_exact_p(lesser: FloatArray, discordant: FloatArray, *, mid: bool) -> FloatArray:
    """Return the exact p of the lesser count of discordant pairs; mid-p takes half the probability of the data."""
    p = np.minimum(1.0, 2 * special.bdtr(lesser, discordant.astype(np.int64), 0.5))
    if mid:  # of the two sides half each; where they are one, half of that one
        point = np.exp(-discordant * np.log(2.0) - special.betaln(lesser + 1, discordant - lesser + 1))
        point /= discordant + 1
        p = p - np.where(2 * lesser == discordant, np.where(discordant > 0, point / 2, 0.0), point)
    return np.asarray(p)


def mcnemar(data: Any, by: By = None, *, method: McNemarMethod = "asymptotic", correction: bool = False) -> McNemar:
    """Test matched pairs for equal margins; a table of more than two levels for symmetry (Bowker).

    Parameters
    ----------
    data, by
        A square table, or a frame with one row a pair and the two columns `by`. The dimensions have the same levels;
        one that only one of them has is counted as 0 in the other.
    method
        "asymptotic" (b − c)²/(b + c); "exact" the binomial test of b among b + c; "mid-p" the same with half of the
        probability of what is as likely as what was observed, which is less conservative (Fagerland, Lydersen and
        Laake, 2013). For a larger table "asymptotic" only.
    correction
        Continuity correction (|b − c| − 1)²/(b + c) of the asymptotic test of a 2 × 2 table. Off unless asked for, here
        as in every test of this package that has such a correction (R's mcnemar.test has it on).

    Returns
    -------
    McNemar
        The statistic with df and p, the discordant counts and their ratio.

    Raises
    ------
    DesignError
        If the dimensions have no level in common, or a larger table is to be tested exactly.
    NotEstimable
        If no pair of a single table is discordant (the exact p is 1 then).

    References
    ----------
    - Bowker, A. H. (1948). A test for symmetry in contingency tables. Journal of the American Statistical Association,
      43, 572–574.
    - Fagerland, M. W., Lydersen, S., & Laake, P. (2013). The McNemar test for binary matched-pairs data: Mid-p and
      asymptotic are better than exact conditional. BMC Medical Research Methodology, 13, 91.
    - McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions or percentages.
      Psychometrika, 12, 153–157.

    Examples
    --------
    >>> print(mcnemar([[794, 86], [150, 570]]).apa())
    χ²(1, N = 1600) = 17.36, p < .001
    """
    counts = matched_table(data, by)
    check_filled(counts, levels=False)
    check_choice("method", method, ("asymptotic", "exact", "mid-p"))
    k = counts.shape[0]
    _check_size(k, method, correction=correction)
    up, down = np.triu_indices(k, 1)
    n_above, n_below = counts.n[..., up, down], counts.n[..., down, up]
    pair_discordant = n_above + n_below
    discordant = pair_discordant.sum(axis=-1)
    if method != "asymptotic":
        check_whole(counts, f"the {method} McNemar test")
        value = df = np.full(discordant.shape, np.nan)
        p = plain(_compute_exact_p(np.minimum(n_above, n_below)[..., 0], discordant, mid=method == "mid-p"))
    else:
        if not counts.studies and discordant == 0:
            raise NotEstimable("no pair is discordant: the asymptotic test is not defined (the exact p is 1)")
        difference = np.abs(n_above - n_below)
        if correction:
            difference = np.maximum(difference - 1, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Bowker's sum over the pairs of levels; for two levels it is McNemar's statistic.
            value = np.where(pair_discordant > 0, difference**2 / pair_discordant, 0.0).sum(axis=-1)
        df = np.where(discordant > 0, float(len(up)), 0.0)
        p = chi2_sf(value, df)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = (n_above / n_below)[..., 0] if k == 2 else np.full(discordant.shape, np.nan)
    asymptotic = f"{method}, continuity corrected" if correction else method
    return McNemar(
        statistic=plain(value),
        df=plain(df),
        p=p,
        n=plain(totals(counts)),
        discordant=plain(discordant),
        odds_ratio=plain(odds),
        method="Bowker" if k > 2 else asymptotic,
        missing=counts.missing,
    )


def _odds_bounds(first_only: FloatArray, second_only: FloatArray, confidence_level: float) -> Interval:
    """Return the interval of Clopper and Pearson for the share of `first_only` among the discordant pairs, as odds."""
    tail = (1 - confidence_level) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(first_only > 0, special.betaincinv(np.maximum(first_only, 1e-300), second_only + 1, tail), 0.0)
        high = np.where(
            second_only > 0, special.betaincinv(first_only + 1, np.maximum(second_only, 1e-300), 1 - tail), 1.0
        )
        # A share's bounds become those of the odds of the two kinds of discordant pair.
        low, high = (np.where(first_only + second_only > 0, share / (1 - share), np.nan) for share in (low, high))
    return Interval(plain(low), plain(high), confidence_level, "Clopper-Pearson")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CochranQ(Result):
    """Test of equal proportions of several yes-or-no measures of the same subjects.

    Attributes
    ----------
    statistic, df, p : float or ndarray
        Q, measures − 1, upper tail of chi-squared.
    n : float or ndarray
        Subjects.
    proportions : tuple of float or ndarray
        Share of each measure: of 1 in data of 0 and 1, else of the second level.
    method : str
        "Cochran's Q".
    missing : int
        Rows, or subjects of a long frame, that were left out because a value was missing.
    """

    statistic: Number
    df: Number
    p: Number
    n: Number
    proportions: tuple[Number, ...]
    method: str = "Cochran's Q"
    missing: int = 0
    labels: tuple[str, ...] = field(default=(), repr=False)
    both: FloatArray | None = field(default=None, repr=False, compare=False)

    def mcnemar(self, adjust: str = "holm", method: McNemarMethod = "exact") -> Pairs:
        """Compare every two measures by McNemar's test, with p corrected for their number.

        Parameters
        ----------
        adjust
            Correction of p for the number of comparisons, such as "holm", "bonferroni" or "none".
        method
            "exact" (binomial), or as in `mcnemar`.

        Returns
        -------
        Pairs
            One comparison for every two measures, in their order, with the difference of their shares (Newcombe's
            interval for matched pairs); p is 1 where no subject differs.

        Raises
        ------
        DesignError
            If `adjust` or `method` is not known, or the result is that of a stack of studies.
        """
        check_correction(adjust)
        check_choice("method", method, ("asymptotic", "exact", "mid-p"))
        if np.ndim(self.statistic) or self.both is None:
            raise DesignError("mcnemar() compares the measures of one study; take one from the stack")
        n_yes = np.diag(self.both)
        first_index, second_index = np.triu_indices(len(n_yes), 1)
        # Of each two measures those who said yes to one alone: the discordant cells.
        only_one = (
            np.stack([n_yes[first_index], n_yes[second_index]], axis=-1) - self.both[first_index, second_index][:, None]
        )
        tables = [[[0.0, first_only], [second_only, 0.0]] for first_only, second_only in only_one.round()]
        no_discordant = only_one.round().sum(axis=1) == 0
        # Without any discordant answer the two measures are the same, and p is 1.
        p = np.array(
            [
                1.0 if is_concordant else mcnemar(discordant_table, method=method).p
                for is_concordant, discordant_table in zip(no_discordant, tables, strict=True)
            ]
        )
        n, yes = float(self.n), self.both[first_index, second_index]
        shares = (n_yes[first_index] / n, n_yes[second_index] / n)
        cells = (yes, only_one[:, 0], only_one[:, 1], n - yes - only_one.sum(axis=1))
        difference = PairedProportions(shares[0] - shares[1], shares, cells, "yes")
        return build_pairs(
            self.labels, "", np.nan, np.nan, p, n=np.asarray(n), adjust=adjust, method=f"McNemar, {method}",
            effect=Effect("risk_difference", difference.difference, difference.confidence_interval),
        )  # fmt: skip

    def apa(self) -> str:
        """Return ``Q(df, N = n) = x, p = .xxx``.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        return apa.statistic("Q", self.statistic, (self.df,), self.p, n=round(float(self.n)))


def cochrans_q(
    data: Any,
    by: By = None,
    *,
    outcome: str | None = None,
    within: str | None = None,
    subject: str | None = None,
) -> CochranQ:
    """Test whether several yes-or-no measures of the same subjects have the same proportion.

    Parameters
    ----------
    data
        One of: a table of patterns (Counts of 2 × 2 × ... with one dimension a measure, or a frame with one row a
        subject and the measures' columns `by`); a `Moments` summary of an outcome of 0 and 1; a long frame with
        `outcome`, `within` and `subject`.
    by, outcome, within, subject
        Columns of a frame, as above.

    Returns
    -------
    CochranQ
        Q with df and p, and the proportion of each measure; `mcnemar` compares two of them.

    Raises
    ------
    DesignError
        If a measure has more than two values, the measures have different levels, or a subject has two rows for one
        measure.
    NotEstimable
        If every subject of a single table answered all measures alike.

    References
    ----------
    Cochran, W. G. (1950). The comparison of percentages in matched samples. Biometrika, 37, 256–266.

    Examples
    --------
    >>> patterns = np.zeros((2, 2, 2))
    >>> patterns[1, 1, 0], patterns[1, 0, 0], patterns[0, 0, 1], patterns[1, 1, 1] = 6, 2, 1, 4
    >>> print(cochrans_q(patterns).apa())
    Q(2, N = 13) = 8.67, p = .013
    """
    if isinstance(data, Moments) or outcome is not None or within is not None:
        measures = as_moments(data, outcome, within, subject)
        n, both = _from_moments(measures)
        missing, labels = measures.missing, measures.variables.levels
    else:
        patterns = matched_table(data, by, (2, 3, 4, 5, 6, 7, 8))
        n, both = _from_patterns(patterns)
        missing, labels = patterns.missing, tuple(factor.name for factor in patterns.factors)
    n_yes, squares = np.diagonal(both, axis1=-2, axis2=-1), both.sum(axis=(-2, -1))
    k, total = n_yes.shape[-1], n_yes.sum(axis=-1)
    within_spread = k * total - squares  # Σ over subjects of hits × misses
    is_testable = within_spread > ROUNDING * k * total
    if not np.ndim(n) and not is_testable:
        raise NotEstimable("every subject answered all measures alike; nothing can be tested")
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(is_testable, (k - 1) * (k * (n_yes**2).sum(axis=-1) - total**2) / within_spread, 0.0)
        shares = n_yes / np.asarray(n)[..., None]
    df = np.where(is_testable, k - 1.0, 0.0)
    proportions = tuple(plain(share) for share in np.moveaxis(shares, -1, 0))
    return CochranQ(
        statistic=plain(value),
        df=plain(df),
        p=chi2_sf(value, df),
        n=plain(n),
        proportions=proportions,
        missing=missing,
        labels=labels,
        both=both,
    )


def _from_moments(summary: Moments) -> tuple[FloatArray, FloatArray]:
    """Subjects, and how many have yes in both of two measures, from means and covariances of 0 and 1."""
    if summary.factors:
        raise DesignError("Cochran's Q has no factor between subjects; take one group")
    n, mean = summary.n, summary.mean
    variance = np.diagonal(summary.covariance, axis1=-2, axis2=-1)
    binary = mean * (1 - mean) * (n / (n - 1))[..., None]
    if not np.allclose(variance, binary, rtol=1e-8, atol=1e-12):
        raise DesignError(f"the outcome {summary.outcome!r} has other values than 0 and 1; Cochran's Q needs those")
    sizes = n[..., None, None]
    return n, (sizes - 1) * summary.covariance + sizes * mean[..., :, None] * mean[..., None, :]


def _from_patterns(counts: Counts) -> tuple[FloatArray, FloatArray]:
    check_filled(counts, levels=False)
    k = len(counts.factors)
    levels = {factor.levels for factor in counts.factors}
    if counts.shape != (2,) * k or len(levels) > 1:
        levels_text = "; ".join(f"{factor.name}: {', '.join(factor.levels)}" for factor in counts.factors)
        raise DesignError(f"Cochran's Q needs the same two levels in every measure; got {levels_text}")
    ones = np.indices((2,) * k)
    axes = tuple(range(-k, 0))
    both = [[(counts.n * first_yes * second_yes).sum(axis=axes) for second_yes in ones] for first_yes in ones]
    return totals(counts), np.moveaxis(np.asarray(both), (0, 1), (-2, -1))
