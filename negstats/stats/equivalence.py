"""Equivalence: two one-sided tests (TOST) that a difference of means or of proportions lies inside given bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy
from scipy import special

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.counts.contingency import table
from negstats.stats.means.t_tests import TTest, one_sample_t, paired_t, t_test
from negstats.stats.proportion_scores import INTERVALS, SCORES, wald_error
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_choice, check_share, check_single, count
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries import Counts
from negstats.stats.summaries.cells import two_levels
from negstats.stats.summaries.frames import By

__all__ = ["Equivalence", "one_sample_tost", "paired_tost", "proportion_tost", "proportions_tost", "tost"]


Bounds: TypeAlias = float | tuple[float, float]
Unit: TypeAlias = Literal["raw", "d"]


@dataclass(frozen=True, slots=True, repr=False)
class Equivalence(Result):
    """Two one-sided tests of a difference against a lower and an upper bound.

    Every number is an array with one entry a study where the summary was a stack; NaN marks a study whose test is not
    estimable.

    Attributes
    ----------
    p : float
        The larger of both one-sided p values: at most α where the difference is shown to lie inside the bounds.
    low, high : float
        The bounds, in the unit of the difference.
    statistic_low, p_low : float
        Test that the difference is larger than `low`; the statistic is NaN where p is exact.
    statistic_high, p_high : float
        Test that the difference is smaller than `high`.
    df : float
        Degrees of freedom of t; inf where the statistic is a z or p is exact.
    difference : float
        First minus second; of one sample, its mean or proportion minus `null`.
    n : tuple of int
        Both groups' sizes; pairs or observations once.
    labels : tuple of str
        First and second level; for one sample what was measured, for one proportion the level that was counted.
    method : str
        "welch", "student", "paired" or "one-sample" for means; "score", "wald" or "exact" for proportions.
    unit : str
        "raw", or "d" if the bounds were given in standard deviations, which the data themselves had to supply.
    outcome : str
        Name of what was measured or counted.
    missing : int
        Rows, or subjects of pairs, that were left out because a value was missing.
    """

    p: Number
    low: Number
    high: Number
    statistic_low: Number
    p_low: Number
    statistic_high: Number
    p_high: Number
    df: Number
    difference: Number
    n: tuple[Number, ...]
    labels: tuple[str, ...]
    method: str
    unit: Unit
    outcome: str
    missing: int
    ends: Callable[[float], Interval] = field(repr=False, compare=False)

    def confidence_interval(self, confidence_level: float = 0.90) -> Interval:
        """Return the interval of the difference. That of 1 − 2 α lies inside the bounds where p is below α.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, in units of the bounds.
        """
        return self.ends(check_level(confidence_level))

    def decision(self, alpha: float = 0.05) -> str:
        """Return what the tests say at `alpha`: equivalent, outside the bounds, or that neither is shown.

        Parameters
        ----------
        alpha
            Level of each of the one-sided tests, between 0 and 1.

        Returns
        -------
        str
            The decision in words.
        """
        check_single(self.p, "decision()")
        interval = self.confidence_interval(1 - 2 * check_share("alpha", alpha, 0.05, 0.5))
        digits = apa.decimals_apart(self.low, self.high)
        bounds = f"the bounds [{self._number(self.low, digits)}, {self._number(self.high, digits)}]"
        if self.p <= alpha:
            return f"inside {bounds}: equivalent at α = {apa.bounded(alpha)}"
        if np.all(interval.low > np.asarray(self.high)) or np.all(interval.high < np.asarray(self.low)):
            return f"outside {bounds}: not equivalent at α = {apa.bounded(alpha)}"
        return f"not inside {bounds}: equivalence is not established at α = {apa.bounded(alpha)}"

    def apa(self, alpha: float = 0.05) -> str:
        """Return the one-sided test with the larger p, the interval of level 1 − 2 α, and the decision.

        Parameters
        ----------
        alpha
            Level of each of the one-sided tests, between 0 and 1.

        Returns
        -------
        str
            The sentence for a results section.
        """
        decision = self.decision(alpha)
        larger = self.statistic_low if self.p_low >= self.p_high else self.statistic_high
        if self.method == "exact":
            test = apa.p_value(self.p)
        elif np.isinf(self.df):
            test = apa.statistic("z", larger, (), self.p)
        else:
            test = apa.statistic("t", larger, (self.df,), self.p)
        interval = self.confidence_interval(1 - 2 * alpha)
        estimate_text = apa.with_interval(
            self.difference, interval.low, interval.high, interval.confidence_level, is_bounded=self._is_share
        )
        return f"{test}, difference = {estimate_text}, {decision}"

    @property
    def _is_share(self) -> bool:
        return bool(np.isinf(self.df))

    def _number(self, value: Number, digits: int) -> str:
        return apa.bounded(value, digits) if self._is_share else apa.number(value, digits)


def _two_one_sided(
    bounds: tuple[npt.ArrayLike, npt.ArrayLike],
    tests: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    df: npt.ArrayLike,
    difference: FloatArray,
    n: tuple[Number, ...],
    labels: tuple[str, ...],
    method: str,
    unit: Unit,
    outcome: str,
    missing: int,
    interval_of: Callable[[float], Interval],
) -> Equivalence:
    low, high = map(plain, bounds)
    z_low, p_low, z_high, p_high = map(plain, tests)
    # Both bounds have to be refuted: the larger p is that of equivalence.
    larger_p = plain(np.maximum(p_low, p_high))
    degrees, estimate = plain(df), plain(difference)
    return Equivalence(
        p=larger_p,
        low=low,
        high=high,
        statistic_low=z_low,
        p_low=p_low,
        statistic_high=z_high,
        p_high=p_high,
        df=degrees,
        difference=estimate,
        n=n,
        labels=labels,
        method=method,
        unit=unit,
        outcome=outcome,
        missing=missing,
        ends=interval_of,
    )


def _bounds_pair(bounds: Bounds, minimum: float = -np.inf, maximum: float = np.inf) -> tuple[float, float]:
    try:
        pair = np.asarray(bounds, dtype=np.float64)
    except (TypeError, ValueError):
        pair = np.empty(0)
    low, high = (-float(pair), float(pair)) if pair.ndim == 0 else tuple(pair) if pair.shape == (2,) else (0.0, 0.0)
    if not (low < high and minimum < low and high < maximum):
        range_note = "" if np.isinf(minimum) else f" inside ({minimum:g}, {maximum:g})"
        raise DesignError(
            f"bounds is {shown(bounds)}; give a positive number, or (low, high) with low < high{range_note}"
        )
    return float(low), float(high)


def tost(
    data: Any,
    outcome: str | None = None,
    by: str | None = None,
    *,
    bounds: Bounds,
    unit: Unit = "raw",
    method: Literal["welch", "student"] = "welch",
    levels: Sequence[object] | None = None,
) -> Equivalence:
    """Test whether the means of two independent groups differ by less than given bounds.

    The two one-sided tests of Schuirmann (1987), as in Lakens (2017).

    Parameters
    ----------
    data
        As in `t_test`: a frame, samples by name, `Cells` (one study, a printed table or a stack) or `ValueCounts`.
    outcome, by
        Columns of a frame, as in `t_test`.
    bounds
        The smallest difference that matters, on both sides; or a pair (low, high).
    unit
        "raw": the unit of the outcome. "d": standard deviations; with "student" the pooled SD, with "welch" the root
        of the mean of both variances. The SD is the sample's own, and the test takes it as if it were known: raw
        bounds are to be preferred.
    method
        "student" or "welch", as in `t_test`.
    levels
        Which two groups to compare, as in `t_test`.

    Returns
    -------
    Equivalence
        The difference of the means, the two one-sided tests, and as `p` the larger of their two.

    Raises
    ------
    DesignError
        If the bounds are no two numbers of which the first is smaller, or as in `t_test`.
    NotEstimable
        If a group has fewer than two observations, or nothing varies.

    References
    ----------
    - Lakens, D. (2017). Equivalence tests: A practical primer for t tests, correlations, and meta-analyses. Social
      Psychological and Personality Science, 8, 355–362.
    - Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power approach for assessing
      the equivalence of average bioavailability. Journal of Pharmacokinetics and Biopharmaceutics, 15, 657–680.

    Examples
    --------
    >>> result = tost({"a": [5, 7, 6, 9, 8, 7], "b": [6, 7, 5, 8, 8, 7]}, bounds=2)
    >>> print(result.apa())
    t(9.66) = −2.45, p = .018, difference = 0.17, 90% CI [−1.20, 1.53], inside the bounds [−2.00, 2.00]:
    equivalent at α = .05
    """
    return _test_means(t_test(data, outcome, by, method=method, levels=levels), bounds, unit)


def paired_tost(
    data: Any,
    outcome: str | None = None,
    within: str | None = None,
    subject: str | None = None,
    *,
    bounds: Bounds,
    unit: Unit = "raw",
    levels: Sequence[object] | None = None,
) -> Equivalence:
    """Test whether two measures of the same subjects differ by less than given bounds.

    The two one-sided tests of Schuirmann [1]_, as in Lakens [2]_, of the differences within subjects.

    Parameters
    ----------
    data
        As in `paired_t`: a long frame, samples by name, `Moments`, or `Cells` of the differences.
    outcome, within, subject
        Columns of a long frame, as in `paired_t`.
    bounds, unit
        As in `tost`; in "d" the bounds are standard deviations of the differences (d_z).
    levels
        Which two measures to compare, as in `paired_t`.

    Returns
    -------
    Equivalence
        The mean difference, the two one-sided tests, and as `p` the larger of their two.

    References
    ----------
    .. [1] Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power approach for
       assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and Biopharmaceutics, 15,
       657–680.
    .. [2] Lakens, D. (2017). Equivalence tests: A practical primer for t tests, correlations, and meta-analyses. Social
       Psychological and Personality Science, 8, 355–362.

    Examples
    --------
    >>> paired_tost({"CL": [0.75, 0.81, 0.70, 0.77], "FC": [0.71, 0.78, 0.71, 0.72]}, bounds=0.1).p < 0.05
    True
    """
    return _test_means(paired_t(data, outcome, within, subject, levels=levels), bounds, unit)


def one_sample_tost(
    data: Any, outcome: str | None = None, *, null: float = 0.0, bounds: Bounds, unit: Unit = "raw"
) -> Equivalence:
    """Test whether a mean differs from `null` by less than given bounds.

    The two one-sided tests of Schuirmann [1]_, as in Lakens [2]_.

    Parameters
    ----------
    data, outcome, null
        As in `one_sample_t`.
    bounds, unit
        As in `tost`, measured from `null`.

    Returns
    -------
    Equivalence
        The difference from `null`, the two one-sided tests, and as `p` the larger of their two.

    References
    ----------
    .. [1] Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power approach for
       assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and Biopharmaceutics, 15,
       657–680.
    .. [2] Lakens, D. (2017). Equivalence tests: A practical primer for t tests, correlations, and meta-analyses. Social
       Psychological and Personality Science, 8, 355–362.

    Examples
    --------
    >>> one_sample_tost([12, 15, 11, 14, 13], null=12.5, bounds=(-2, 3)).p < 0.05
    True
    """
    return _test_means(one_sample_t(data, outcome, null=null), bounds, unit)


def _test_means(test: TTest, bounds: Bounds, unit: Unit) -> Equivalence:
    """Shift a t-test to both bounds."""
    check_choice("unit", unit, ("raw", "d"))
    raw_bounds = _bounds_pair(bounds)
    scale = _standardizer(test) if unit == "d" else np.ones(())
    low, high = (np.asarray(bound * scale) for bound in raw_bounds)
    difference, se, df = (np.asarray(x, dtype=np.float64) for x in (test.difference, test.se, test.df))
    # The difference is tested to lie above the lower bound, and below the upper one.
    t_low, t_high = (difference - low) / se, (difference - high) / se
    tests = (t_low, special.stdtr(df, -t_low), t_high, special.stdtr(df, t_high))
    interval_of = partial(t_interval, difference, se, df)
    return _two_one_sided(
        (low, high),
        tests,
        df,
        difference,
        test.n,
        test.labels,
        test.method,
        unit,
        test.outcome,
        test.missing,
        interval_of,
    )


def _standardizer(test: TTest) -> FloatArray:
    """Return the SD that bounds in d multiply: pooled (Student), average (Welch), of differences, or its own."""
    n, sds = (tuple(np.asarray(x, dtype=np.float64) for x in pair) for pair in (test.n, test.sds))
    if test.method == "student":
        return np.sqrt(((n[0] - 1) * sds[0] ** 2 + (n[1] - 1) * sds[1] ** 2) / (n[0] + n[1] - 2))
    if test.method == "welch":
        return np.sqrt((sds[0] ** 2 + sds[1] ** 2) / 2)
    return np.asarray(test.se * np.sqrt(n[0]))


def proportions_tost(
    data: Any,
    by: By = None,
    *,
    bounds: Bounds,
    method: Literal["score", "wald"] = "score",
    level: object = None,
    levels: Sequence[object] | None = None,
) -> Equivalence:
    """Test whether two independent proportions differ by less than given bounds.

    Parameters
    ----------
    data
        `Counts` (one table or a stack), a nested list, or a frame with `by`: groups by outcomes.
    by
        The two columns to count: the groups, then the outcome.
    bounds
        The smallest difference of proportions that matters, on both sides; or a pair (low, high) inside (−1, 1).
    method
        "score": the variance under the bound that is tested (Miettinen and Nurminen, 1985), which keeps its size in
        small samples and at 0 of n. "wald": the variance of the observed proportions, as in most programs.
    level
        The outcome whose share is compared; the first by default.
    levels
        Which two groups to compare, first minus second.

    Returns
    -------
    Equivalence
        The difference of the proportions, the two one-sided tests, and as `p` the larger of their two.

    Raises
    ------
    DesignError
        If the table has not two dimensions, the groups are not two, or the bounds do not fit.
    NotEstimable
        If a group is empty, or with "wald" both shares are 0 or 1.

    References
    ----------
    Miettinen, O., & Nurminen, M. (1985). Comparative analysis of two rates. Statistics in Medicine, 4, 213–226.

    Examples
    --------
    >>> table = Counts.from_table([[86, 14], [83, 17]], {"agent": ["fair", "selfish"], "agreed": ["yes", "no"]})
    >>> proportions_tost(table, bounds=0.15).apa()
    'z = −2.27, p = .012, difference = .03, 90% CI [−.06, .12], inside the bounds [−.15, .15]: equivalent at α = .05'
    """
    check_choice("method", method, ("score", "wald"))
    low, high = _bounds_pair(bounds, -1, 1)
    counts = table(data, by, least=(2, 1))  # 30 of 30 and 30 of 30 have the other answer too: none
    first_group, second_group = two_levels(counts.factors[0], levels, "proportions_tost")
    level_index, name = _find_level(counts, level)
    n = counts.n.sum(axis=-1)[..., [first_group, second_group]]
    x = counts.n[..., [first_group, second_group], level_index]
    groups = tuple(counts.factors[0].levels[i] for i in (first_group, second_group))
    for group_index, group in enumerate(groups):
        _check_filled(n[..., group_index], f"group {group!r}")
    score = SCORES[method]
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = x[..., 0] / n[..., 0] - x[..., 1] / n[..., 1]
    if method == "wald" and difference.ndim == 0 and not wald_error(x, n) > 0:
        raise NotEstimable("both shares are 0 or 1, so the Wald test has no variance", advice="give method='score'")
    z_low, z_high = score(x, n, low), score(x, n, high)
    interval_of = partial(INTERVALS[method], x, n)
    tests = (z_low, special.ndtr(-z_low), z_high, special.ndtr(z_high))
    sizes = (count(n[..., 0]), count(n[..., 1]))
    return _two_one_sided(
        (low, high), tests, np.inf, difference, sizes, groups, method, "raw", name, counts.missing, interval_of
    )


def proportion_tost(
    data: Any,
    by: By = None,
    *,
    null: float = 0.5,
    bounds: Bounds,
    method: Literal["score", "exact"] = "score",
    level: object = None,
) -> Equivalence:
    """Test whether a proportion differs from `null` by less than given bounds.

    The two one-sided tests of Schuirmann [1]_; the score interval is that of Wilson [2]_.

    Parameters
    ----------
    data
        `Counts` of one dimension (one or a stack), a list of counts, or a frame with the column `by`.
    by
        The column of the answers, where `data` is a frame.
    null
        The proportion that the bounds are measured from.
    bounds
        As in `proportions_tost`; ``null + bounds`` must lie inside (0, 1).
    method
        "score": the variance under the bound that is tested, with Wilson's interval. "exact": the binomial
        distribution, with Clopper and Pearson's interval.
    level
        The level whose share is tested; the first by default.

    Returns
    -------
    Equivalence
        The difference from `null`, the two one-sided tests, and as `p` the larger of their two.

    References
    ----------
    .. [1] Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power approach for
       assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and Biopharmaceutics, 15,
       657–680.
    .. [2] Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the
       American Statistical Association, 22, 209–212.

    Examples
    --------
    >>> proportion_tost([104, 96], bounds=0.1, method="exact").apa()
    'p = .013, difference = .02, 90% CI [−.04, .08], inside the bounds [−.10, .10]: equivalent at α = .05'
    """
    check_choice("method", method, ("score", "exact"))
    low, high = _bounds_pair(bounds, -null, 1 - null)
    counts = table(data, by, (1,))
    level_index, name = _find_level(counts, level)
    n, x = counts.n.sum(axis=-1), counts.n[..., level_index]
    _check_filled(n, "the sample")
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = x / n - null
    if method == "exact":
        # Exact: the tails of the binomial distribution at each bound.
        no_statistic = np.full(difference.shape, np.nan)
        p_low = scipy.stats.binom.sf(x - 1, n, null + low)
        p_high = scipy.stats.binom.cdf(x, n, null + high)
        tests = (no_statistic, p_low, no_statistic, p_high)
    else:
        # Score: the variance is that of the proportion at the bound.
        null_shares = [null + bound for bound in (low, high)]
        z_low, z_high = ((x - n * share) / np.sqrt(n * share * (1 - share)) for share in null_shares)
        tests = (z_low, special.ndtr(-z_low), z_high, special.ndtr(z_high))
    interval_of = partial(_proportion_interval, x, n, null, method)
    factor = counts.factors[0].name
    return _two_one_sided(
        (low, high), tests, np.inf, difference, (count(n),), (name,), method, "raw", factor, counts.missing, interval_of
    )


def _find_level(counts: Counts, level: object) -> tuple[int, str]:
    """Return the place and the name of the level whose share is tested."""
    outcome = counts.factors[-1]
    place = 0 if level is None else outcome.place(level)
    return place, outcome.levels[place]


def _check_filled(n: FloatArray, sample_name: str) -> None:
    if np.ndim(n) == 0 and n == 0:
        raise NotEstimable(f"n of {sample_name} is 0; a proportion needs at least one observation")


def _proportion_interval(x: FloatArray, n: FloatArray, null: float, method: str, confidence_level: float) -> Interval:
    from statsmodels.stats.proportion import proportion_confint

    method_code, name = {"score": ("wilson", "Wilson"), "exact": ("beta", "Clopper–Pearson")}[method]
    low, high = proportion_confint(x, n, alpha=1 - confidence_level, method=method_code)
    return Interval(plain(low - null), plain(high - null), confidence_level, name)
