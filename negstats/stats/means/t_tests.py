"""t-tests: two groups (Student, Welch), pairs, one sample; from raw rows, a printed table or a stack of studies."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from negstats.errors import DesignError, NotEstimable
from negstats.stats.effects._effect import Effect
from negstats.stats.effects.means import Spread, one_sample_effect, paired_effect, two_sample_effect
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import ROUNDING, FloatArray, Number, plain
from negstats.stats.results.options import (
    ALTERNATIVES,
    Alternative,
    check_choice,
    check_number,
    check_single,
    count,
    t_tails,
)
from negstats.stats.results.result import Interval, Result
from negstats.stats.summaries import Cells, Moments
from negstats.stats.summaries.cells import two_levels
from negstats.stats.summaries.coerce import as_cells, as_pairs, one_factor, one_sample
from negstats.stats.summaries.frames import is_lazy

Method: TypeAlias = Literal["student", "welch", "paired", "one-sample"]

EFFECTS = {"student": two_sample_effect, "welch": two_sample_effect, "paired": paired_effect}
DEFAULT_EFFECT = {"student": "d", "welch": "d", "paired": "d_z", "one-sample": "d"}


@dataclass(frozen=True, slots=True, repr=False)
class TTest(Result):
    """A difference of two means, or of a mean from a value. `t` is signed as first minus second.

    Every number is an array with one entry a study where the summary was a stack of studies; NaN then marks a study
    whose t is not estimable.

    Attributes
    ----------
    statistic, df, p : float
        The statistic, its degrees of freedom (Welch's are rarely whole) and its p under `alternative`.
    difference : float
        First mean minus second; of pairs, the mean difference; of one sample, its mean minus `null`.
    se : float
        Standard error of the difference, the denominator of t.
    n : tuple of int
        Both groups' sizes; pairs or observations once.
    means, sds : tuple of float
        In the order of `labels`; NaN where the summary held differences only.
    labels : tuple of str
        First and second level; the outcome's name for one sample, or where only differences were given.
    method : str
        "student", "welch", "paired" or "one-sample".
    alternative : str
        "two-sided", "greater" (first > second) or "less".
    null : float
        The difference (for one sample, the mean) that was tested against.
    outcome : str
        Name of what was measured.
    missing : int
        Rows, or subjects of pairs, that were left out because a value was missing.
    """

    statistic: Number
    df: Number
    p: Number
    difference: Number
    se: Number
    n: tuple[Number, ...]
    means: tuple[Number, ...]
    sds: tuple[Number, ...]
    labels: tuple[str, ...]
    method: Method
    alternative: Alternative = "two-sided"
    null: float = 0.0
    outcome: str = "outcome"
    missing: int = 0

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the t interval of the difference (for one sample, of the mean); one-sided for a one-sided test.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, in units of the outcome; arrays with one entry a study for a stack.
        """
        estimate = self.means[0] if self.method == "one-sample" else self.difference
        return t_interval(estimate, self.se, self.df, confidence_level, self.alternative)

    def effect_size(self, kind: str | None = None) -> Effect:
        """Return a standardized difference with its interval from the noncentral t.

        Parameters
        ----------
        kind
            Two groups: "d" (pooled SD, the default), "g" (unbiased), "d_av" (average variance), "glass" (SD of the
            second group). Pairs: "d_z" (the default), "g_z" (unbiased), "d_av". One sample: "d", "g".

        Returns
        -------
        Effect
            The standardized difference, without a unit and signed as t.

        Raises
        ------
        DesignError
            If the test has no such effect size.
        NotEstimable
            If the standard deviation that it divides by is zero or not known.
        """
        kind = kind or DEFAULT_EFFECT[self.method]
        arrays = {name: np.asarray(getattr(self, name), dtype=np.float64) for name in ("difference", "se", "df")}
        # Pairs are tested against `null`; the mean of one sample is kept as its difference from it already.
        shift = 0.0 if self.method == "one-sample" else self.null
        spread = Spread(
            arrays["difference"] - shift,
            tuple(np.asarray(n, dtype=np.float64) for n in self.n),
            tuple(np.asarray(sd, dtype=np.float64) for sd in self.sds),
            arrays["se"],
            arrays["df"],
        )
        return EFFECTS.get(self.method, one_sample_effect)(kind, spread, self.alternative)

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``t(65) = 2.46, p = .017, d_z = 0.30, 95% CI [0.05, 0.55]``.

        Parameters
        ----------
        confidence_level
            Level of the interval of the effect size, between 0 and 1.

        Returns
        -------
        str
            The test and its default effect size, ready for a results section.
        """
        check_single(self.statistic, "apa()")
        test_text = apa.statistic("t", self.statistic, (self.df,), self.p, alternative=self.alternative)
        return f"{test_text}, {self.effect_size().apa(confidence_level)}"


def t_test(
    data: Any,
    outcome: str | None = None,
    by: str | None = None,
    *,
    method: Literal["welch", "student"] = "welch",
    alternative: Alternative = "two-sided",
    null: float = 0.0,
    levels: Sequence[object] | None = None,
) -> TTest:
    """Compare the means of two independent groups.

    Parameters
    ----------
    data
        A frame of any engine with the columns `outcome` and `by`; or samples by name, ``{"a": [...], "b": [...]}``; or
        `Cells` (one study or a stack), `ValueCounts`.
    outcome, by
        The measured column and the factor. `by` also picks a factor of `Cells` that have several.
    method
        "welch" allows unequal variances (Welch, 1947); "student" pools them.
    alternative
        "greater": the first mean is larger than the second.
    null
        The difference to test against.
    levels
        Which two levels to compare, in this order; by default both levels of the factor in their own order.

    Returns
    -------
    TTest
        t with its df and p, and the difference of the means, first minus second.

    Raises
    ------
    DesignError
        If the factor has not two levels, or a column is missing or not numeric.
    NotEstimable
        If a group has fewer than two observations, or nothing varies.

    References
    ----------
    Welch, B. L. (1947). The generalization of Student's problem when several different population variances are
    involved. Biometrika, 34, 28–35.

    Examples
    --------
    >>> result = t_test({"fair": [5, 7, 6, 9, 8], "selfish": [3, 5, 4, 4]})
    >>> round(result.statistic, 4), round(result.df, 4), round(result.p, 4)
    (3.6742, 6.1935, 0.0098)
    >>> result.apa()
    't(6.19) = 3.67, p = .010, d = 2.29, 95% CI [0.48, 4.01]'
    >>> printed = Cells.from_table(mean=[7, 4], sd=[1.5811, 0.8165], n=[5, 4], factors={"agent": ["fair", "selfish"]})
    >>> round(t_test(printed, method="student").statistic, 4)
    3.4157
    """
    check_choice("method", method, ("welch", "student"))
    check_choice("alternative", alternative, ALTERNATIVES)
    null = check_number("null", null)
    cells = one_factor(as_cells(data, outcome, by), by, "t_test")
    group_indices = list(two_levels(cells.factors[0], levels, "t_test"))
    labels = tuple(cells.factors[0].levels[group] for group in group_indices)
    n, offset, variance = (array[..., group_indices] for array in (cells.n, cells.offset, cells.variance))
    for group, label in enumerate(labels):
        _check_size(n[..., group], f"group {label!r}")
    with np.errstate(divide="ignore", invalid="ignore"):
        # Welch: each group its own variance; Student: the pooled one.
        se, df = _error(method, n, variance)
    se = _check_spread(se, np.sqrt(variance), cells.origin + offset, repr(cells.outcome))
    difference = offset[..., 0] - offset[..., 1]
    statistic, p = _t(difference - null, se, df, alternative)
    return TTest(
        statistic=statistic,
        df=plain(df),
        p=p,
        difference=plain(difference),
        se=plain(se),
        n=tuple(count(n[..., group]) for group in (0, 1)),
        means=tuple(plain(cells.origin + offset[..., group]) for group in (0, 1)),
        sds=tuple(plain(np.sqrt(variance[..., group])) for group in (0, 1)),
        labels=labels,
        method=method,
        alternative=alternative,
        null=null,
        outcome=cells.outcome,
        missing=cells.missing,
    )


def paired_t(
    data: Any,
    outcome: str | None = None,
    within: str | None = None,
    subject: str | None = None,
    *,
    alternative: Alternative = "two-sided",
    null: float = 0.0,
    levels: Sequence[object] | None = None,
) -> TTest:
    """Compare two measures of the same subjects.

    Parameters
    ----------
    data
        A long frame of any engine with one row a subject and level; or samples by name whose places are the subjects;
        or `Moments`; or `Cells` of the differences, a single sample (then the means of the measures are not known).
    outcome, within, subject
        The measured column, the repeated factor and the column of the subjects' ids.
    alternative, null, levels
        As in `t_test`.

    Returns
    -------
    TTest
        t with its df and p, and the mean difference, first minus second.

    Raises
    ------
    DesignError
        If the factor has not two levels, a subject has two rows for one level, or samples differ in length.
    NotEstimable
        If there are fewer than two complete pairs, or the differences do not vary.

    Examples
    --------
    >>> result = paired_t({"CL": [0.75, 0.81, 0.70, 0.77], "FC": [0.71, 0.78, 0.71, 0.72]})
    >>> result.apa()
    't(3) = 2.09, p = .128, d_z = 1.05, 95% CI [−0.26, 2.26]'
    >>> result.labels
    ('CL', 'FC')
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    null = check_number("null", null)
    labels, means, sds, differences = _read_pairs(data, outcome, within, subject, levels)
    _check_size(differences.n, "the pairs", "pairs of complete values")
    # Differences of values that are large beside them hold the rounding of those values.
    largest = np.fmax(np.abs(differences.mean), np.fmax(np.abs(means[0]), np.abs(means[1])))
    se = _check_spread(differences.se, differences.sd, largest, "the difference of the pairs")
    statistic, p = _t(differences.mean - null, se, differences.n - 1, alternative)
    return TTest(
        statistic=statistic,
        df=plain(differences.n - 1),
        p=p,
        difference=plain(differences.mean),
        se=plain(se),
        n=(count(differences.n),),
        means=tuple(map(plain, means)),
        sds=tuple(map(plain, sds)),
        labels=labels,
        method="paired",
        alternative=alternative,
        null=null,
        outcome=differences.outcome,
        missing=differences.missing,
    )


def one_sample_t(
    data: Any,
    outcome: str | None = None,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> TTest:
    """Compare the mean of one sample with the value `null`.

    Parameters
    ----------
    data
        A frame of any engine with the column `outcome`, numbers (shape ``(*studies, n)``), or `Cells` of one sample.
    outcome
        The column of the numbers, where `data` is a frame.
    null
        The value that the mean is compared with.
    alternative
        "two-sided", or "greater" or "less" than `null`.

    Returns
    -------
    TTest
        t with its df and p, and the difference of the mean from `null`.

    Raises
    ------
    DesignError
        If the data are not one sample of numbers.
    NotEstimable
        If there are fewer than two observations, or they do not vary.

    Examples
    --------
    >>> one_sample_t([12, 15, 11, 14, 18], null=10).apa()
    't(4) = 3.27, p = .031, d = 1.46, 95% CI [0.12, 2.74]'
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    null = check_number("null", null)
    cells = one_sample(data, outcome)
    _check_size(cells.n, "the sample")
    se = _check_spread(cells.se, cells.sd, cells.mean, repr(cells.outcome))
    # The origin is taken off before the difference is made, so that no digits are lost.
    difference = cells.offset + (cells.origin - null)
    statistic, p = _t(difference, se, cells.n - 1, alternative)
    return TTest(
        statistic=statistic,
        df=plain(cells.n - 1),
        p=p,
        difference=plain(difference),
        se=plain(se),
        n=(count(cells.n),),
        means=(plain(cells.mean),),
        sds=(plain(cells.sd),),
        labels=(cells.outcome,),
        method="one-sample",
        alternative=alternative,
        null=null,
        outcome=cells.outcome,
        missing=cells.missing,
    )


def _read_pairs(
    data: Any, outcome: str | None, within: str | None, subject: str | None, levels: Sequence[object] | None
) -> tuple[tuple[str, ...], tuple[FloatArray, ...], tuple[FloatArray, ...], Cells]:
    """Labels, means and SDs of two measures, and the cells of their difference."""
    if isinstance(data, Cells):
        no_values = np.full(data.studies, np.nan)
        return (data.outcome,), (no_values, no_values), (no_values, no_values), one_sample(data)
    if isinstance(data, Moments):
        return _read_moments(data, levels)
    if is_lazy(data) and outcome is not None and within is not None and subject is not None:
        return _read_moments(Moments.of_lazy(data, outcome, within, subject, levels), levels)
    pairs = as_pairs(data, outcome, within, subject, levels, "paired_t")
    first_values, second_values = np.moveaxis(pairs.wide(), -1, 0)
    measure_cells = Cells.from_samples({"first": first_values, "second": second_values})
    # Differences before variances: v1 + v2 - 2c loses the digits of measures that go closely together.
    difference_cells = Cells.from_samples({"difference": first_values - second_values}, outcome=pairs.outcome).marginal(
        ()
    )
    means, sds = ((array[..., 0], array[..., 1]) for array in (measure_cells.mean, measure_cells.sd))
    return pairs.factors[0].levels, means, sds, dataclasses.replace(difference_cells, missing=pairs.missing)


def _read_moments(
    pairs: Moments, levels: Sequence[object] | None
) -> tuple[tuple[str, ...], tuple[FloatArray, ...], tuple[FloatArray, ...], Cells]:
    if pairs.factors:
        raise DesignError(f"paired_t has no factor between subjects; leave out {pairs.factors[0].name!r}")
    measure_indices = two_levels(pairs.variables, levels, "paired_t")
    weights = np.zeros(len(pairs.variables))
    weights[list(measure_indices)] = 1, -1
    variances = [pairs.covariance[..., measure, measure] for measure in measure_indices]
    difference = pairs.contrast(weights)
    # What rounding leaves of v1 + v2 - 2c where both measures differ by a constant.
    is_constant = difference.variance <= ROUNDING * (variances[0] + variances[1])
    return (
        tuple(pairs.variables.levels[measure] for measure in measure_indices),
        tuple(pairs.mean[..., measure] for measure in measure_indices),
        tuple(np.sqrt(variance) for variance in variances),
        dataclasses.replace(difference, variance=np.where(is_constant, 0.0, difference.variance)),
    )


def _error(method: str, n: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return standard error and degrees of freedom of a difference of two means; groups on the last axis."""
    if method == "student":
        df = n.sum(axis=-1) - 2
        pooled = ((n - 1) * variance).sum(axis=-1) / df
        return np.sqrt(pooled * (1 / n).sum(axis=-1)), df
    squared = variance / n
    total = squared.sum(axis=-1)
    # Shares of the error, so that tiny variances do not underflow when they are squared.
    share = squared / total[..., None]
    return np.sqrt(total), 1 / (share**2 / (n - 1)).sum(axis=-1)


def _t(difference: FloatArray, se: FloatArray, df: FloatArray, alternative: Alternative) -> tuple[Number, Number]:
    t = np.asarray(difference / se)
    return plain(t), plain(t_tails(t, df, alternative))


def _check_size(n: FloatArray, sample_name: str, unit_name: str = "observations") -> None:
    if np.ndim(n) == 0 and n < 2:
        left_text = "1 of the" if n == 1 else "none of the"
        raise NotEstimable(f"n of {sample_name} is {int(n)} ({left_text} {unit_name}); a variance needs at least 2")


def _check_spread(se: FloatArray, sd: FloatArray, mean: FloatArray, value_name: str) -> FloatArray:
    """Return `se`, NaN where nothing varies; NotEstimable for a single study in which nothing varies."""
    has_groups = np.ndim(sd) - np.ndim(se)
    is_flat = np.asarray(sd <= ROUNDING * np.abs(mean))
    is_constant = is_flat.all(axis=-1) if has_groups else is_flat
    if np.ndim(se) == 0 and (is_constant or not np.isfinite(se)):
        value = float(np.ravel(mean)[0])
        raise NotEstimable(
            f"{value_name} has zero variance (all values of a group are equal, such as {value:g}); t needs some"
        )
    return np.where(is_constant, np.nan, se)
