"""Equivalence of means: two groups (Welch, Student), pairs, one sample; bounds in raw units or in d."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import special

from negstats.stats.equivalence._result import Bounds, Equivalence, Unit, bounds_pair, equivalence
from negstats.stats.means.t_tests import TTest, one_sample_t, paired_t, t_test
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice


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

    Examples
    --------
    >>> one_sample_tost([12, 15, 11, 14, 13], null=12.5, bounds=(-2, 3)).p < 0.05
    True
    """
    return _test_means(one_sample_t(data, outcome, null=null), bounds, unit)


def _test_means(test: TTest, bounds: Bounds, unit: Unit) -> Equivalence:
    """Shift a t-test to both bounds."""
    check_choice("unit", unit, ("raw", "d"))
    raw_bounds = bounds_pair(bounds)
    scale = _standardizer(test) if unit == "d" else np.ones(())
    low, high = (np.asarray(bound * scale) for bound in raw_bounds)
    difference, se, df = (np.asarray(x, dtype=np.float64) for x in (test.difference, test.se, test.df))
    t_low, t_high = (difference - low) / se, (difference - high) / se
    tests = (t_low, special.stdtr(df, -t_low), t_high, special.stdtr(df, t_high))
    ends = partial(t_interval, difference, se, df)
    return equivalence(
        (low, high), tests, df, difference, test.n, test.labels, test.method, unit, test.outcome, test.missing, ends
    )


def _standardizer(test: TTest) -> FloatArray:
    """Return the SD that bounds in d multiply: pooled (Student), average (Welch), of differences, or its own."""
    n, sds = (tuple(np.asarray(x, dtype=np.float64) for x in pair) for pair in (test.n, test.sds))
    if test.method == "student":
        return np.sqrt(((n[0] - 1) * sds[0] ** 2 + (n[1] - 1) * sds[1] ** 2) / (n[0] + n[1] - 2))
    if test.method == "welch":
        return np.sqrt((sds[0] ** 2 + sds[1] ** 2) / 2)
    return np.asarray(test.se * np.sqrt(n[0]))
