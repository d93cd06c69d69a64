"""Two conditions compared in a study whose rows stay with an engine: the same tests, from summaries.

Means come from n, mean and variance of each level; ranks from how often each value occurs; shares from counts. No row
comes home, but one for each *distinct* value, for the rank test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd

from negstats import metrics, stats
from negstats.analysis.compare import (
    Comparison,
    heading,
    lacking,
    no_units_error,
    paired_units_error,
    rank_test,
    two_levels,
)
from negstats.analysis.lazy.units import LazyUnits, units
from negstats.analysis.questions.frames import Lazy, count
from negstats.analysis.shares import ShareComparison, shares_of_counts
from negstats.errors import NotEstimable, UsageError
from negstats.stats.counts.clustered import ClusteredProportions, clustered_summary
from negstats.stats.ranks.pairs import engine_differences
from negstats.studies import LazyStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LazyComparison", "LazyShareComparison", "compare"]


@dataclass(frozen=True, slots=True, eq=False)
class LazyComparison(Comparison):
    """A `Comparison` without the units' values, which stay with the engine; `cells` has n, mean and variance."""

    cells: stats.Cells

    def table(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a condition: n, mean, sd and the t interval of the mean (``low``, ``high``)."""
        rows = []
        for place in range(len(self.levels)):
            n, mean, sd = (float(part[place]) for part in (self.cells.n, self.cells.mean, self.cells.sd))
            one = stats.Cells.from_table(n=n, mean=mean, sd=sd)
            interval = stats.one_sample_t(one).confidence_interval(confidence_level) if sd > 0 else None
            ends = (float("nan"),) * 2 if interval is None else (interval.low, interval.high)
            rows.append([int(n), mean, sd, *ends])
        index = pd.Index(self.levels, name=self.by)
        return pd.DataFrame(rows, columns=["n", "mean", "sd", "low", "high"], index=index)

    def plot(self, ax: Axes | None = None) -> Axes:  # noqa: ARG002 - as its parent's
        """Raise UsageError: the figure of a comparison draws every unit."""
        raise UsageError("the figure draws every unit, and these stay with the engine; `table` has the means")


@dataclass(frozen=True, slots=True, eq=False)
class LazyShareComparison(ShareComparison):
    """A `ShareComparison` without the units' values; `yes` and `no` has how many units had which, a row a condition.

    For pairs `yes_no` is the first condition against the second.
    """

    yes_no: tuple[tuple[int, int], tuple[int, int]]

    def table(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a condition: n, yes, share and its interval (``low``, ``high``), which lies in 0 to 1."""
        if isinstance(self.test, ClusteredProportions):
            both = self.test.intervals(confidence_level)
            rows = [
                [n, np.nan, share, float(ends.low), float(ends.high)]
                for n, share, ends in zip(self.test.n, self.test.proportions, both, strict=True)
            ]
        else:
            rows = []
            counts = np.array(self.yes_no)
            of_level = [counts.sum(axis=1), counts.sum(axis=0)] if self.paired else counts
            for yes, no in of_level:
                interval = stats.proportion(yes, yes + no).confidence_interval(confidence_level)
                rows.append([yes + no, yes, yes / (yes + no), float(interval.low), float(interval.high)])
        index = pd.Index(self.levels, name=self.by)
        table = pd.DataFrame(rows, columns=["n", "yes", "share", "low", "high"], index=index)
        return table.astype({"yes": "Int64"})

    def counts(self) -> pd.DataFrame:
        """Return how many units had yes and no: a row a condition; for pairs the first condition against the second."""
        if self.clustered:
            raise NotEstimable(f"{self.unit}s have several values, so there is no table of yes and no; see table()")
        if not self.paired:
            index, columns = pd.Index(self.levels, name=self.by), pd.Index(["yes", "no"], name=self.measure)
        else:
            index, columns = (pd.Index(["yes", "no"], name=name) for name in self.levels)
        return pd.DataFrame(self.yes_no, index=index, columns=columns)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shares; UsageError where units have several values, which the figure would draw."""
        if self.clustered:
            raise UsageError("the figure draws every unit, and these stay with the engine; `table` has the shares")
        return ShareComparison.plot(self, ax)


def compare(
    study: LazyStudy,
    measure: str,
    by: str,
    *,
    paired: bool = False,
    who: str | None = None,
    levels: Sequence[str] | None = None,
    unit: str = "independent",
) -> LazyComparison | LazyShareComparison:
    """Compare a measure at two levels of a factor; see `negstats.analysis.compare`."""
    found = units(study, measure, by, who=who, unit=unit)
    pair = two_levels(
        found.frame.select("level").unique().sort("level").collect("pyarrow")["level"].to_list(), by, levels
    )
    frame = found.frame.filter(nw.col("level").is_in(pair))
    wide, left_out = _wide(study, frame, found, by, pair) if paired else (None, [])
    if wide is None:
        _check_apart(frame, found, by)
    found.check_linked(frame if wide is None else wide)
    known = metrics.measure_in(study.tables, measure)
    head = heading(known, by, pair, who, found.unit, (*found.notes, *left_out))
    head["values"] = pd.DataFrame({"unit": [], "level": [], "value": []})
    if known.yes_no:
        test, difference, table = _shares(frame, wide, pair)
        return LazyShareComparison(
            **head, rows=found.rows, paired=paired, test=test, difference=difference, yes_no=table
        )
    if wide is None:
        cells = _ordered(stats.Cells.from_frame(frame.to_native(), "value", "level"), pair, found)
        test_t = stats.t_test(cells, levels=pair)
        ranks: Any = rank_test(stats.ValueCounts.from_frame(frame.to_native(), "value", "level"), pair)
    else:
        cells, test_t, ranks = _paired(wide, pair, found, by)
    return LazyComparison(**head, test=test_t, ranks=ranks, cells=cells)


def _check_apart(frame: Lazy, found: LazyUnits, by: str) -> None:
    both = count(frame.group_by("unit").agg(nw.len().alias("levels")).filter(nw.col("levels") > 1))
    if both:
        raise paired_units_error(both, found.unit, by)


def _wide(study: LazyStudy, frame: Lazy, found: LazyUnits, by: str, pair: tuple[str, str]) -> tuple[Lazy, list[str]]:
    """Return one row a unit that stands at both levels: ``unit``, ``first``, ``second``."""
    at = [nw.when(nw.col("level") == level).then(nw.col("value")) for level in pair]
    rows = frame.with_columns(at[0].alias("first"), at[1].alias("second"))
    every = rows.group_by("unit").agg(nw.col("first").max(), nw.col("second").max())
    whole = study.keep(every.drop_nulls(["first", "second"]))
    here = count(whole)
    if not here:
        raise no_units_error(found.unit, by)
    return whole, lacking(count(every) - here, found.unit)


def _few(n: float, level: str, found: LazyUnits) -> None:
    if n < 2:
        raise NotEstimable(f"{int(n)} {found.unit} is left at {level!r}, and a test needs two")


def _ordered(cells: stats.Cells, pair: tuple[str, str], found: LazyUnits) -> stats.Cells:
    """Return the cells with the levels in the order of `pair`, each with two units at least."""
    order = [cells.factors[0].levels.index(level) for level in pair]
    for place, level in zip(order, pair, strict=True):
        _few(float(cells.n[place]), level, found)
    factor = replace(cells.factors[0], levels=pair)
    return replace(
        cells, n=cells.n[order], offset=cells.offset[order], variance=cells.variance[order], factors=(factor,)
    )


def _paired(
    wide: Lazy, pair: tuple[str, str], found: LazyUnits, by: str
) -> tuple[stats.Cells, stats.TTest, stats.Wilcoxon]:
    moments = stats.Moments.from_columns(wide.to_native(), ["first", "second"], outcome="value")
    _few(float(moments.n), pair[0], found)
    named = replace(moments, variables=replace(moments.variables, name=by, levels=pair))
    variance = np.diagonal(moments.covariance)
    cells = stats.Cells(np.full(2, moments.n), moments.mean, variance, (named.variables,), "value")
    return (
        cells,
        stats.paired_t(named, levels=pair),
        replace(stats.wilcoxon(engine_differences(wide, "value")), labels=pair),
    )


def _shares(frame: Lazy, wide: Lazy | None, pair: tuple[str, str]) -> tuple[Any, Any, Any]:
    """Return test, difference and table of yes and no; shares of units with several values are compared as such."""
    values = [("value", frame.filter(nw.col("level") == level)) for level in pair]
    if wide is not None:
        values = [("first", wide), ("second", wide)]
    distinct = [
        rows.filter((nw.col(name) != 0.0) & (nw.col(name) != 1.0)).head(1).collect("pyarrow") for name, rows in values
    ]
    if any(len(rows) for rows in distinct):
        cells = [stats.Cells.from_frame(rows.to_native(), name) for name, rows in values]
        of_pairs = None
        if wide is not None:
            of_pairs = stats.Moments.from_columns(wide.to_native(), ["first", "second"])
        both = clustered_summary(cells[0], cells[1], of_pairs)
        return both, both, ((0, 0), (0, 0))
    rows, columns = ("level", "value") if wide is None else ("first", "second")
    counted = (frame if wide is None else wide).group_by(rows, columns).agg(nw.len().alias("units"))
    names: list[Any] = list(pair) if wide is None else [1.0, 0.0]
    table = (
        counted.collect("pyarrow")
        .to_pandas()
        .pivot_table(index=rows, columns=columns, values="units", aggfunc="sum", fill_value=0)
    )
    full = table.reindex(index=names, columns=[1.0, 0.0], fill_value=0).to_numpy(dtype=np.int64)
    cells_of = ((int(full[0, 0]), int(full[0, 1])), (int(full[1, 0]), int(full[1, 1])))
    test, difference = shares_of_counts(cells_of, paired=wide is not None)
    return test, difference, cells_of
