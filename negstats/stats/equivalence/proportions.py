"""Equivalence of proportions: two independent ones by score or Wald tests, one by score or exact tests."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.counts.contingency import table
from negstats.stats.equivalence._result import Bounds, Equivalence, bounds_pair, equivalence
from negstats.stats.equivalence._scores import INTERVALS, SCORES, wald_error
from negstats.stats.results.numbers import FloatArray, plain
from negstats.stats.results.options import check_choice, count
from negstats.stats.results.result import Interval
from negstats.stats.summaries import Counts
from negstats.stats.summaries._layout import two_levels
from negstats.stats.summaries.frames import By


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
    low, high = bounds_pair(bounds, -1, 1)
    counts = table(data, by, least=(2, 1))  # 30 of 30 and 30 of 30 have the other answer too: none
    first, second = two_levels(counts.factors[0], levels, "proportions_tost")
    place, name = _find_level(counts, level)
    n = counts.n.sum(axis=-1)[..., [first, second]]
    x = counts.n[..., [first, second], place]
    groups = tuple(counts.factors[0].levels[i] for i in (first, second))
    for place_of_group, group in enumerate(groups):
        _check_filled(n[..., place_of_group], f"group {group!r}")
    z = SCORES[method]
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = x[..., 0] / n[..., 0] - x[..., 1] / n[..., 1]
    if method == "wald" and difference.ndim == 0 and not wald_error(x, n) > 0:
        raise NotEstimable("both shares are 0 or 1, so the Wald test has no variance", advice="give method='score'")
    z_low, z_high = z(x, n, low), z(x, n, high)
    ends = partial(INTERVALS[method], x, n)
    tests = (z_low, special.ndtr(-z_low), z_high, special.ndtr(z_high))
    sizes = (count(n[..., 0]), count(n[..., 1]))
    return equivalence((low, high), tests, np.inf, difference, sizes, groups, method, "raw", name, counts.missing, ends)


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

    Examples
    --------
    >>> proportion_tost([104, 96], bounds=0.1, method="exact").apa()
    'p = .013, difference = .02, 90% CI [−.04, .08], inside the bounds [−.10, .10]: equivalent at α = .05'
    """
    check_choice("method", method, ("score", "exact"))
    low, high = bounds_pair(bounds, -null, 1 - null)
    counts = table(data, by, (1,))
    place, name = _find_level(counts, level)
    n, x = counts.n.sum(axis=-1), counts.n[..., place]
    _check_filled(n, "the sample")
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = x / n - null
    if method == "exact":
        from scipy import stats

        unknown = np.full(difference.shape, np.nan)
        p_low, p_high = stats.binom.sf(x - 1, n, null + low), stats.binom.cdf(x, n, null + high)
        tests = (unknown, p_low, unknown, p_high)
    else:
        at = [null + bound for bound in (low, high)]
        z_low, z_high = ((x - n * share) / np.sqrt(n * share * (1 - share)) for share in at)
        tests = (z_low, special.ndtr(-z_low), z_high, special.ndtr(z_high))
    ends = partial(_one_proportion, x, n, null, method)
    factor = counts.factors[0].name
    return equivalence(
        (low, high), tests, np.inf, difference, (count(n),), (name,), method, "raw", factor, counts.missing, ends
    )


def _find_level(counts: Counts, level: object) -> tuple[int, str]:
    """Return the place and the name of the level whose share is tested."""
    outcome = counts.factors[-1]
    name = outcome.levels[0] if level is None else str(level)
    if name not in outcome.levels:
        raise DesignError(f"{outcome.name!r} has no level {name!r}; it has {', '.join(map(repr, outcome.levels))}")
    return outcome.levels.index(name), name


def _check_filled(n: FloatArray, who: str) -> None:
    if np.ndim(n) == 0 and n == 0:
        raise NotEstimable(f"n of {who} is 0; a proportion needs at least one observation")


def _one_proportion(x: FloatArray, n: FloatArray, null: float, method: str, confidence_level: float) -> Interval:
    from statsmodels.stats.proportion import proportion_confint

    kind, name = {"score": ("wilson", "Wilson"), "exact": ("beta", "Clopper–Pearson")}[method]
    low, high = proportion_confint(x, n, alpha=1 - confidence_level, method=kind)
    return Interval(plain(low - null), plain(high - null), confidence_level, name)
