"""Printed means and SDs against a printed t, F or d whose group sizes, or whose definition, are not printed.

A paper prints two means, two SDs and t(49), and not how the 51 people were split. Here t is computed for every split,
with the interval that the rounding of the means and SDs leaves it.

Papers seldom say how they computed d, and the usual definitions differ in the second decimal.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.audit.grim import Budget, IntArray, compositions
from negstats.errors import DesignError
from negstats.printed_numbers import Printable, Printed, check_n, magnitude, printed

FloatArray = npt.NDArray[np.float64]
Range: TypeAlias = tuple[FloatArray, FloatArray]  # the least and the greatest value, one a split
Spread: TypeAlias = Literal["sd", "se"]
SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class _Box:
    """The groups of each split: sizes (splits, groups) and the ends of every mean and SD."""

    n: FloatArray
    means: Range
    sds: Range

    def pooled(self, end: int) -> FloatArray:
        """Return the pooled variance at the low (0) or the high (1) end of the SDs."""
        df = self.n - 1
        return np.asarray((df * self.sds[end] ** 2).sum(axis=1) / df.sum(axis=1))

    def over(self, variances: Callable[[int], FloatArray]) -> Range:
        """Return the range of (first mean − second mean) / √variance."""
        low = self.means[0][:, 0] - self.means[1][:, 1]
        high = self.means[1][:, 0] - self.means[0][:, 1]
        smallest_se, largest_se = np.sqrt(variances(0)), np.sqrt(variances(1))
        with np.errstate(divide="ignore", invalid="ignore"):
            return low / np.where(low < 0, smallest_se, largest_se), high / np.where(high < 0, largest_se, smallest_se)


def _f(box: _Box) -> Range:
    low, high = _compute_between(box)
    df = box.n.shape[1] - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        return low / df / box.pooled(1), high / df / box.pooled(0)


def _compute_between(box: _Box) -> Range:
    """Return the range of Σ n (mean − grand mean)², the sum of squares between groups, over the box of the means.

    It is convex in the means: largest at a corner, and least where every mean is as near as it can be to a common one.
    """
    n, (low, high) = box.n, box.means
    largest = np.zeros(len(n))
    for corner in itertools.product((False, True), repeat=n.shape[1]):
        means = np.where(corner, high, low)
        grand_means = (n * means).sum(axis=1, keepdims=True) / n.sum(axis=1, keepdims=True)
        largest = np.maximum(largest, (n * (means - grand_means) ** 2).sum(axis=1))
    lower, upper = low.min(axis=1, keepdims=True), high.max(axis=1, keepdims=True)
    for _ in range(100):  # the slope of Σ n distance² rises in the common value: halve until its zero is found
        common = (lower + upper) / 2
        slope = (n * (common - np.clip(common, low, high))).sum(axis=1, keepdims=True)
        lower, upper = np.where(slope < 0, common, lower), np.where(slope < 0, upper, common)
    smallest = (n * (upper - np.clip(upper, low, high)) ** 2).sum(axis=1)
    return smallest, largest


# What may be printed: name, groups that it compares (None: two or more), its range over the box.
STATISTICS: Mapping[str, tuple[int | None, Callable[[_Box], Range]]] = {
    "t": (2, lambda box: box.over(lambda end: box.pooled(end) * (1 / box.n).sum(axis=1))),
    "welch_t": (2, lambda box: box.over(lambda end: np.asarray((box.sds[end] ** 2 / box.n).sum(axis=1)))),
    "f": (None, _f),
    "d": (2, lambda box: box.over(box.pooled)),
    "d_av": (2, lambda box: box.over(lambda end: np.asarray((box.sds[end] ** 2).mean(axis=1)))),
}


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """Every split of a sample into groups, with what printed means and SDs give for it.

    Attributes
    ----------
    frame : pandas.DataFrame
        One row a split: ``n_1``, ``n_2``, ...; for each printed statistic its value from the printed numbers as they
        stand (``t``), its least and greatest value within their rounding (``t_low``, ``t_high``) and whether that
        meets the printed one's own rounding interval (``t_fits``); and ``fits``, all of them together.
    printed : dict
        What was printed.
    complete : bool
        Whether all splits are there; False if there are more than the limit.
    """

    frame: pd.DataFrame
    printed: Mapping[str, Printed]
    complete: bool

    @property
    def fitting(self) -> pd.DataFrame:
        """The splits that fit everything printed."""
        return self.frame[self.frame["fits"]].reset_index(drop=True)

    def nearest(self, rows: int = 5) -> pd.DataFrame:
        """Return the splits whose statistics come nearest to what is printed, nearest first.

        The distance is the largest relative difference over the printed statistics, from the numbers as they stand.

        Parameters
        ----------
        rows
            How many splits are listed.

        Returns
        -------
        DataFrame
            The sizes of the groups, the statistics that they give, and the distance.
        """
        scale = {name: max(abs(float(value)), float(value.half)) for name, value in self.printed.items()}
        distances = [(self.frame[name] - float(value)).abs() / scale[name] for name, value in self.printed.items()]
        order = pd.concat(distances, axis=1).max(axis=1).sort_values(kind="stable").index
        return self.frame.loc[order].head(rows).reset_index(drop=True)

    def __str__(self) -> str:
        n_fitting = int(self.frame["fits"].sum())
        limit_note = "" if self.complete else "; there are more splits than the limit, so others may fit"
        splits_fit = f"splits {'fits' if n_fitting == 1 else 'fit'} what is printed"
        return f"{n_fitting or 'no'} of {len(self.frame)} {splits_fit}{limit_note}"


def splits(
    n: int,
    means: Sequence[Printable],
    spreads: Sequence[Printable],
    *,
    t: Printable | None = None,
    welch_t: Printable | None = None,
    f: Printable | None = None,
    d: Printable | None = None,
    d_av: Printable | None = None,
    spread: Spread | Sequence[Spread] = "sd",
    signed: bool = False,
    limit: int = 1_000_000,
) -> Splits:
    """Compute a printed t, F or d from printed means and SDs for every split of `n` people into groups.

    Parameters
    ----------
    n
        People in all groups together (for a printed t(49) of two groups: 51).
    means, spreads
        Printed mean and SD (or SE) of each group, in the unit of the outcome; text keeps zeros at the end.
    t, welch_t, f, d, d_av
        What is printed: Student's or Welch's t, F of a one-way analysis, d over the pooled SD or over the root mean
        square of both SDs (Cumming, 2012). Those given must all fit.
    spread
        What `spreads` are read as: "sd", "se", or one of them for each group.
    signed
        Whether the sign of t and d is as printed: first minus second mean. Papers often print the size only.
    limit
        How many splits to compute before giving up; the result then says ``complete=False``.

    Returns
    -------
    Splits
        One row a split, with the range of each printed statistic and whether it fits.

    Raises
    ------
    DesignError
        If nothing is printed to compare with, or there are fewer than two groups or two people for each.

    Notes
    -----
    The interval of a statistic is exact: t and d are monotone in each mean and SD, F is convex in the means.
    Several printed statistics are each held against their own interval, not all against one choice of unrounded means.
    Every group has at least two people, for otherwise it has no SD.

    References
    ----------
    Cumming, G. (2012). Understanding the New Statistics. Routledge.

    Examples
    --------
    >>> none = splits(51, ["403.33", "293.77"], ["48", "20"], t="4.12")
    >>> print(none)
    no of 48 splits fit what is printed
    >>> none.nearest(2)[["n_1", "n_2", "t", "t_low", "t_high"]].round(2)
       n_1  n_2    t  t_low  t_high
    0   48    3  3.9   3.86    3.94
    1   47    4  4.5   4.45    4.55
    >>> len(splits(30, ["383.33", "278.6677"], ["72", "89"], t="3.53").fitting)
    4
    """
    statistics = {"t": t, "welch_t": welch_t, "f": f, "d": d, "d_av": d_av}
    targets = {name: printed(value, name) for name, value in statistics.items() if value is not None}
    _check(n, means, spreads, targets)
    groups = len(means)
    sizes, complete = _sizes(n, groups, limit)
    mean = [printed(value, "means") for value in means]
    sd = [printed(value, "spreads") for value in spreads]
    se = _select_errors(spread, groups)
    columns: dict[str, npt.NDArray[np.generic]] = {f"n_{group + 1}": sizes[:, group] for group in range(groups)}
    fits = np.ones(len(sizes), dtype=bool)
    # Once with the numbers as printed, once with all that they may stand for.
    point = _box(sizes, mean, sd, se, rounding=False)
    box = _box(sizes, mean, sd, se, rounding=True)
    for name, target in targets.items():
        range_of = STATISTICS[name][1]
        value, (low, high) = range_of(point)[0], range_of(box)
        meets = _meets(low, high, target)
        # Which group is subtracted is not known: a statistic fits with either sign.
        if not signed and name != "f":
            meets |= _meets(-high, -low, target)
            value, low, high = _towards(value, low, high, target)
        columns |= {name: value, f"{name}_low": low, f"{name}_high": high, f"{name}_fits": meets}
        fits &= meets
    frame = pd.DataFrame(columns | {"fits": fits})
    frame.attrs["schema"] = "Splits/1"
    return Splits(frame, targets, complete)


def _check(n: int, means: Sequence[Printable], spreads: Sequence[Printable], targets: Mapping[str, Printed]) -> None:
    groups = len(means)
    if groups < 2 or len(spreads) != groups:
        raise DesignError(f"got {groups} means and {len(spreads)} spreads; give one of each for two or more groups")
    if not targets:
        raise DesignError(f"splits needs a statistic to compare with; give {', '.join(STATISTICS)}")
    for name in targets:
        if groups != (STATISTICS[name][0] or groups):
            raise DesignError(f"{name} compares two groups, and there are {groups} means; give f")
    for value in spreads:
        if printed(value, "spreads").value < 0:
            raise DesignError(f"spreads has {value!r}; an SD is not negative")
    check_n(n, least=2 * groups)


def _select_errors(spread: Spread | Sequence[Spread], groups: int) -> npt.NDArray[np.bool_]:
    """Return for which groups the printed spread is a standard error."""
    spread_kinds = [spread] * groups if isinstance(spread, str) else list(spread)
    if len(spread_kinds) != groups or not {*spread_kinds} <= {"sd", "se"}:
        raise DesignError(f"spread is {spread!r}; give 'sd', 'se' or one of them for each of {groups} groups")
    return np.array([spread_kind == "se" for spread_kind in spread_kinds])


def _sizes(n: int, groups: int, limit: int) -> tuple[IntArray, bool]:
    """Return the sizes of every split, at most `limit` of them, and whether that is all."""
    n_to_assign, cap = n - 2 * groups, n
    total = math.comb(n_to_assign + groups - 1, groups - 1)
    if total <= limit:
        budget = Budget(groups * (total + 1))
        return compositions(n_to_assign, np.full(groups, cap), budget) + 2, True
    if limit < 1:
        raise DesignError(f"limit is {limit!r}; give the number of splits to compute, at least 1")
    # The splits nearest to equal groups first: those are the ones that studies have.
    distance = 0
    equal_size = n // groups
    while (2 * (distance + 1) + 1) ** (groups - 1) <= limit:
        distance += 1
    first_sizes = np.array(
        list(itertools.product(range(equal_size - distance, equal_size + distance + 1), repeat=groups - 1)),
        dtype=np.int64,
    )
    sizes = np.column_stack([first_sizes, n - first_sizes.sum(axis=1)])
    return sizes[(sizes >= 2).all(axis=1)], False


def _box(
    sizes: IntArray, means: Sequence[Printed], sds: Sequence[Printed], se: npt.NDArray[np.bool_], *, rounding: bool
) -> _Box:
    """Return the ends of means and SDs for each split; both ends are the printed number itself unless `rounding`."""
    n = sizes.astype(np.float64)

    def find_ends(numbers: Sequence[Printed]) -> Range:
        low = [number.low if rounding else float(number) for number in numbers]
        high = [number.high if rounding else float(number) for number in numbers]
        return np.broadcast_to(low, n.shape), np.broadcast_to(high, n.shape)

    low, high = find_ends(sds)
    scale = np.where(se, np.sqrt(n), 1.0)
    return _Box(n, find_ends(means), (np.maximum(low, 0) * scale, high * scale))


def _meets(low: FloatArray, high: FloatArray, target: Printed) -> npt.NDArray[np.bool_]:
    tolerance = SLACK * abs(float(target))
    return np.asarray((low <= target.high + tolerance) & (high >= target.low - tolerance))


def _towards(value: FloatArray, low: FloatArray, high: FloatArray, target: Printed) -> tuple[FloatArray, ...]:
    """Turn a statistic about so that its sign is that of the printed one."""
    is_turned = np.signbit(value) != np.signbit(float(target))
    return np.where(is_turned, -value, value), np.where(is_turned, -high, low), np.where(is_turned, -low, high)


def d_by_definition(
    *, d: Printable, df: float, n: int | tuple[int, int], t: Printable | None = None, f: Printable | None = None
) -> pd.DataFrame:
    """Compute d from a printed t, or F with one numerator df, by each usual definition.

    Parameters
    ----------
    d
        The printed d; its sign is not looked at, for F has none.
    df
        Error df of t or F.
    n
        People in both groups together, or in each.
    t, f
        The printed statistic; one of them.

    Returns
    -------
    pandas.DataFrame
        One row a definition: ``definition``, ``value`` from the printed number as it stands, ``low`` and ``high`` over
        its rounding, and ``fits``, whether that meets the rounding interval of the printed d. Rosenthal (1994) gives
        t √(1/n₁ + 1/n₂) for two groups, 2 t/√df (what partial eta squared gives) and, for equal groups, 2 t/√N; t/√N
        and t/√df are for one group or pairs, and are met with groups by mistake.

    Raises
    ------
    DesignError
        If not exactly one statistic is given, F is negative, or df or n is not positive.

    References
    ----------
    Rosenthal, R. (1994). Parametric measures of effect size. In H. Cooper & L. V. Hedges (Eds.), The Handbook of
    Research Synthesis. Russell Sage Foundation.

    Examples
    --------
    >>> d_by_definition(f="5.15", df=163, n=(78, 89), d="0.36").round(3)[["definition", "value", "fits"]]
              definition  value   fits
    0  t √(1/n₁ + 1/n₂)  0.352  False
    1            2 t/√df  0.356   True
    2             2 t/√N  0.351  False
    3               t/√N  0.176  False
    4              t/√df  0.178  False
    """
    if (t is None) == (f is None):
        raise DesignError("give either t or f, the statistic that is printed with d")
    statistic = printed(t, "t") if t is not None else printed(f if f is not None else "", "f")
    if f is not None and statistic.value < 0:
        raise DesignError(f"f is {statistic}; F is not negative")
    if not df > 0:
        raise DesignError(f"df is {df!r}; give a positive number")
    groups = n if isinstance(n, tuple) else (n,)
    total = sum(check_n(size) for size in groups)
    target = printed(d, "d")
    value, low, high = abs(float(statistic)), *magnitude(statistic)
    if f is not None:
        value, low, high = math.sqrt(value), math.sqrt(low), math.sqrt(high)
    smallest, largest = magnitude(target)
    rows = []
    for name, factor in _factors(groups, total, df).items():
        # d fits where some value that the print stands for does.
        fits = low * factor <= largest * (1 + SLACK) and high * factor >= smallest * (1 - SLACK)
        rows.append((name, value * factor, low * factor, high * factor, fits))
    frame = pd.DataFrame(rows, columns=["definition", "value", "low", "high", "fits"])
    frame.attrs["schema"] = "DByDefinition/1"
    return frame


def _factors(groups: tuple[int, ...], total: int, df: float) -> Mapping[str, float]:
    """Return what each definition multiplies t by."""
    by_group = {"t √(1/n₁ + 1/n₂)": math.sqrt(sum(1 / size for size in groups))} if len(groups) == 2 else {}
    return {
        **by_group,
        "2 t/√df": 2 / math.sqrt(df),
        "2 t/√N": 2 / math.sqrt(total),
        "t/√N": 1 / math.sqrt(total),
        "t/√df": 1 / math.sqrt(df),
    }
