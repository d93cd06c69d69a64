"""The statistics that resampling knows by name; any other function of a stack of summaries will do as well.

Each takes a stack and returns one number a study. Differences are signed as first minus second and are 0 where the
groups do not differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, shown
from negstats.stats.counts.chi_squared import independence
from negstats.stats.means.oneway import one_way, welch_f
from negstats.stats.ranks import kruskal_wallis
from negstats.stats.ranks.exact import midranks
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice
from negstats.stats.summaries import Cells, Counts, ValueCounts
from negstats.stats.summaries.rows import Rows, Summary

# Two statistics that differ by less than this share of the largest are ties that rounding has parted.
TIE = 1e-11
# Of the largest variance: the weight of a group in which nothing varies is large, and not infinite.
LEAST_SPREAD = 1e-10

Of: TypeAlias = Callable[[Any], npt.ArrayLike]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A function of a stack of summaries.

    Attributes
    ----------
    name : str
    summary : str
        What it is a function of: "cells", "values" or "counts".
    of : callable
        Takes the stack, returns one number a study.
    groups : int
        2 if it compares two levels of one factor, 1 for one factor of any number of levels, 0 without a factor, −1 if
        not known.
    """

    name: str
    summary: Summary
    of: Of
    groups: int = -1


def _mean_difference(cells: Cells) -> FloatArray:
    return cells.offset[..., 0] - cells.offset[..., 1]


def _t(cells: Cells) -> FloatArray:
    """Welch's t; infinite where nothing varies inside two groups that differ."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(_mean_difference(cells) / np.sqrt((cells.variance / cells.n).sum(axis=-1)))


def _d(cells: Cells) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(_mean_difference(cells) / np.sqrt(cells.ss.sum(axis=-1) / (cells.n.sum(axis=-1) - 2)))


def _f(cells: Cells) -> FloatArray:
    """One-way F; infinite where nothing varies inside groups that differ."""
    test = one_way(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((test.ss_between / test.df1) / (test.ss_within / test.df2))


def _welch_f(cells: Cells) -> FloatArray:
    """Welch's F, which has the same law whatever the spreads of large groups; no spread is hardly any.

    Sources: E. Brunner, H. Dette, A. Munk, Box-type approximations in nonparametric factorial designs, Journal of the
    American Statistical Association 92 (1997); M. Pauly, E. Brunner, F. Konietschke, Asymptotic permutation tests in
    general factorial designs, Journal of the Royal Statistical Society B 77 (2015): studentised, a permutation test
    keeps its level in large samples where spreads and sizes differ.
    """
    smallest_variance = LEAST_SPREAD * np.max(cells.variance, axis=-1, keepdims=True, initial=0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(welch_f(cells.n, cells.offset, np.maximum(cells.variance, smallest_variance))[0])


def _log_variance_ratio(cells: Cells) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(cells.variance[..., 0]) - np.log(cells.variance[..., 1]))


def _median_difference(values: ValueCounts) -> FloatArray:
    median = values.median
    return np.asarray(median[..., 0] - median[..., 1])


def _u(values: ValueCounts) -> FloatArray:
    """Mann–Whitney's U less its expectation."""
    first_counts, second_counts = values.n[..., 0, :], values.n[..., 1, :]
    n1, n2 = first_counts.sum(axis=-1), second_counts.sum(axis=-1)
    return np.asarray((first_counts * midranks(first_counts + second_counts)).sum(axis=-1) - n1 * (n1 + n2 + 1) / 2)


def _chi2(counts: Counts) -> FloatArray:
    expected, _ = independence(counts.n)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nansum((counts.n - expected) ** 2 / expected, axis=(-2, -1)))


READY = {
    statistic.name: statistic
    for statistic in (
        Statistic("mean difference", "cells", _mean_difference, 2),
        Statistic("t", "cells", _t, 2),
        Statistic("d", "cells", _d, 2),
        Statistic("log variance ratio", "cells", _log_variance_ratio, 2),
        Statistic("F", "cells", _f, 1),
        Statistic("Welch F", "cells", _welch_f, 1),
        Statistic("median difference", "values", _median_difference, 2),
        Statistic("U", "values", _u, 2),
        Statistic("H", "values", lambda values: kruskal_wallis(values).statistic, 1),
        Statistic("chi2", "counts", _chi2, 1),
        Statistic("mean", "cells", lambda cells: cells.mean, 0),
        Statistic("median", "values", lambda values: values.median, 0),
    )
}


def statistic_of(statistic: str | Of, summary: Summary) -> Statistic:
    """Return a ready statistic by its name, or a function that takes stacks of `summary`."""
    if callable(statistic):
        check_choice("summary", summary, ("cells", "values", "counts"))
        return Statistic(getattr(statistic, "__name__", "statistic"), summary, statistic)
    if statistic not in READY:
        raise DesignError(f"statistic is {shown(statistic)}; give a function or one of {', '.join(map(repr, READY))}")
    return READY[statistic]


def prepared(rows: Rows, statistic: Statistic, levels: Sequence[object] | None, what: str) -> Rows:
    """Return the rows that a statistic is of: those of two levels if it compares two or `levels` are given."""
    if statistic.groups == 2 or levels is not None:
        return rows.between(levels, f"{what} with {statistic.name!r}")
    if statistic.groups in (0, 1) and len(rows.factors) != statistic.groups:
        needed_factors = "one factor" if statistic.groups else "no factor"
        names = ", ".join(repr(factor.name) for factor in rows.factors) or "none"
        raise DesignError(f"the statistic {statistic.name!r} takes {needed_factors}; by names {names}")
    return rows


def numbers_of(statistic: Statistic, stack: Any, size: int) -> FloatArray:
    """Return a statistic's numbers for a stack, one a study, or DesignError if they are not."""
    numbers = np.asarray(statistic.of(stack), dtype=np.float64)
    if numbers.shape != (size,):
        raise DesignError(
            f"the statistic {statistic.name!r} gave the shape {numbers.shape} for a stack of {size} studies; "
            "it should return one number each"
        )
    return numbers
