"""What the tests of a plan take, of values that stay with an engine: each summary by one group-by.

A test that needs the values themselves says so by its name. It gets them if the user allowed so many rows to be brought
home; otherwise the question is refused, or, where the test stands beside an answer, a note names it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from negstats import stats
from negstats.analysis.lazy.frames import Lazy, count, home
from negstats.analysis.methods.test_input import ANSWER, RowsNeededError, TestInput, variables
from negstats.errors import NotEstimable
from negstats.stats.ranks.pairs import engine_differences
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries import Counts
from negstats.stats.summaries.frames import Factor
from negstats.studies import LazyStudy

__all__ = ["DISTINCT", "LazyTestInput", "fetched", "whole_units"]

TIMES = "\0times"
DISTINCT = 1_000_000  # distinct values of a measure that are counted at most: ranks bring one home for each


def whole_units(
    data: Lazy, columns: Mapping[str, str], within: Mapping[str, Sequence[str]], keep: Sequence[str]
) -> Lazy:
    """Return one row a unit that lacks no combination of levels: ``unit``, ``w0``, ``w1``, ... and columns to keep.

    The combinations are in order, the last factor fastest; a kept column holds the unit's least value.
    """
    values, names = [], []
    for place, codes in enumerate(product(*within.values())):
        at = nw.lit(True)
        for name, level in zip(within, codes, strict=True):
            at = at & (nw.col(columns[name]) == level)
        names.append(f"w{place}")
        values.append(nw.when(at).then(nw.col("value")).alias(names[-1]))
    every = data.with_columns(*values).group_by("unit").agg(*(nw.col(name).max() for name in names),
                                                            *(nw.col(name).min() for name in keep))  # fmt: skip
    return every.drop_nulls(names)


def fetched(frame: Lazy, columns: Mapping[str, str]) -> pd.DataFrame:
    """Bring rows home in an order of their own, under the names of the plan; missing factors stay missing."""
    found = home(frame)
    order = [name for name in ("unit", *columns.values(), "game_id", "player") if name in found.columns]
    found = found.sort_values(order, kind="stable", ignore_index=True)
    return found.rename(columns={column: name for name, column in columns.items()})


@dataclass(frozen=True, slots=True, eq=False)
class LazyTestInput(TestInput):
    """A `TestInput` whose ``data`` and rows are lazy frames.

    Attributes
    ----------
    study : LazyStudy
        Keeps what is needed more than once.
    columns : Mapping of str to str
        The column of each factor and number.
    most : int
        Rows that may be brought home for a test that needs them.
    lacking : list of str
        The tests that needed rows and got none.
    """

    study: LazyStudy
    columns: Mapping[str, str]
    most: int = 0
    lacking: list[str] = field(default_factory=list)
    _made: dict[str, Lazy] = field(default_factory=dict)

    def values(self, what: str) -> pd.DataFrame:
        """Return one row a unit and level for the test `what`; RowsNeededError if these are too many."""
        return self._home(self._data, what)

    def rows(self, what: str) -> pd.DataFrame:
        """Return the complete rows for the test `what`; RowsNeededError if these are too many."""
        return self._home(self._rows, what)

    def cells(self, by: Sequence[str] | None = None, at: Mapping[str, str] | None = None) -> stats.Cells:
        """Return n, mean and variance of the units; see `TestInput.cells`."""
        names = list(self.factors if by is None else by)
        rows = self._data
        for name, level in (at or {}).items():
            rows = rows.filter(nw.col(self.columns[name]) == level)
        found = stats.Cells.from_frame(rows.to_native(), "value", [self.columns[name] for name in names])
        factors, picks = self._ordered(found.factors, names)
        n, offset, variance = (_taken(array, picks) for array in (found.n, found.offset, found.variance))
        return replace(found, n=n, offset=offset, variance=variance, factors=factors)

    def value_counts(self, by: Sequence[str] | None = None) -> stats.ValueCounts:
        """Return how often each value occurs; RowsNeededError if too many values differ."""
        names = list(self.factors if by is None else by)
        self._check_distinct(self._data.select("value"), "ranks of values of which nearly all differ")
        found = stats.ValueCounts.from_frame(self._data.to_native(), "value", [self.columns[name] for name in names])
        factors, picks = self._ordered(found.factors, names)
        return replace(found, n=_taken(found.n, [*picks, range(len(found.values))]), factors=factors)

    def counts(self) -> Counts:
        """Return the counts: the factors in the plan's order, then yes and no (or the kinds)."""
        keys = [self.columns[name] for name in self.factors]
        found = home(self._data.group_by(*keys, "value").agg(nw.len().alias("n")))
        nominal = self.asked.kind == "nominal"
        words = list(self.asked.words) if nominal else ["yes", "no"]
        said = [words[int(value) - 1] if nominal else words[int(value != 1)] for value in found["value"]]
        frame = pd.DataFrame({name: found[key] for name, key in zip(self.factors, keys, strict=True)})
        for name in self.factors:
            frame[name] = pd.Categorical(frame[name], categories=self.design.levels[name])
        answer = pd.Categorical(said, categories=words)
        answer = answer.remove_unused_categories() if nominal else answer
        frame[ANSWER], frame[TIMES] = answer, found["n"]
        return Counts.from_frame(frame, [*self.factors, ANSWER], TIMES)

    def pairs(self, levels: Sequence[str] | None = None) -> stats.Moments:  # noqa: ARG002 - as its parent's
        """Return the moments of the whole units: a paired test takes two levels of them."""
        return self.moments()

    def differences(self) -> stats.ValueCounts:
        """Return how often each difference of the two levels occurs; RowsNeededError if too many differ."""
        both = self._whole().select(nw.col("w0").alias("first"), nw.col("w1").alias("second"))
        apart = both.select((nw.col("first") - nw.col("second")).alias("value"))
        self._check_distinct(apart, "ranks of differences of which nearly all differ")
        return engine_differences(both, "value")

    def changes(self) -> Counts:
        """Return the whole units' yes and no at the first of two levels against the second."""
        found = home(self._whole().group_by("w0", "w1").agg(nw.len().alias("n")))
        cells = np.zeros((2, 2))
        for first, second, n in found[["w0", "w1", "n"]].itertuples(index=False):
            cells[int(first != 1), int(second != 1)] += n
        return Counts.from_table(cells, {"first": ["yes", "no"], "second": ["yes", "no"]})

    def of_two(self, levels: tuple[str, str]) -> TestInput:
        """Return the case of two levels of the only factor, asked on both sides."""
        design = replace(self.design, levels={self.factor: levels})
        data: Any = self._data.filter(nw.col(self.columns[self.factor]).is_in(list(levels)))
        return replace(self, design=design, alternative="two-sided", data=data, _made={})

    def moments(self, at: Mapping[str, str] | None = None) -> stats.Moments:
        """Return the moments of the whole units; see `TestInput.moments`."""
        given = at or {}
        within = [name for name in self.design.within if name not in given]
        between = [name for name in self.design.between if name not in given]
        rows = self._whole()
        for name, level in given.items():
            if name in self.design.between:
                rows = rows.filter(nw.col(self.columns[name]) == level)
        every = [dict(zip(self.design.within, codes, strict=True)) for codes in self._combinations()]
        picked = [f"w{place}" for place, codes in enumerate(every)
                  if all(codes[name] == level for name, level in given.items() if name in codes)]  # fmt: skip
        found = stats.Moments.from_columns(rows.to_native(), picked, [self.columns[name] for name in between])
        factors, picks = self._ordered(found.factors, between)
        k = range(len(picked))
        return replace(
            found,
            n=_taken(found.n, picks),
            offset=_taken(found.offset, [*picks, k]),
            covariance=_taken(found.covariance, [*picks, k, k]),
            factors=factors,
            variables=variables(self.design.levels, within),
            outcome="value",
        )

    def related(self) -> stats.Moments:
        """Return the moments of the outcome (y) and the one number (x)."""
        (name,) = self.numbers
        both = self._data.select(nw.col(self.columns[name]).alias("x"), nw.col("value").alias("y"))
        return stats.Moments.from_columns(both.to_native(), ["x", "y"])

    def for_clusters(self, what: str) -> Any:  # noqa: ARG002 - no row comes home
        """Return the coded rows as a lazy frame; see `TestInput.coded`."""
        rows = self._rows
        coded: list[nw.Expr] = [nw.col("value"), nw.col("unit")]
        for place, factor in enumerate(self.factors):
            level: nw.Expr = nw.lit(None).cast(nw.String)
            width = len(str(len(self.design.levels[factor]) - 1))
            if width > 1:
                raise NotEstimable(f"{factor!r} has more than ten levels, of which an engine does not keep the order")
            for at, name in enumerate(self.design.levels[factor]):
                level = nw.when(nw.col(self.columns[factor]) == name).then(nw.lit(f"l{at}")).otherwise(level)
            coded.append(level.alias(f"f{place}"))
        for place, name in enumerate(self.numbers):
            number = nw.col(self.columns[name])
            centre = float(home(rows.select(number.mean().alias("mean")))["mean"].iloc[0])
            coded.append((number - centre).alias(f"x{place}"))
        return rows.select(*coded).to_native()

    @property
    def _data(self) -> Lazy:
        found: Any = self.data
        return found  # type: ignore[no-any-return]

    @property
    def _rows(self) -> Lazy:
        frame: Lazy = self.asked.frame
        return frame.drop_nulls(["value", *(self.columns[name] for name in (*self.factors, *self.numbers))])

    def _combinations(self) -> list[tuple[str, ...]]:
        return list(product(*(self.design.levels[name] for name in self.design.within)))

    def _whole(self) -> Lazy:
        """Return the units that lack no combination of levels, kept."""
        if "whole" not in self._made:
            within = {name: self.design.levels[name] for name in self.design.within}
            between = [self.columns[name] for name in self.design.between]
            self._made["whole"] = self.study.keep(whole_units(self._data, self.columns, within, between))
        return self._made["whole"]

    def _ordered(
        self, factors: Sequence[Factor], names: Sequence[str]
    ) -> tuple[tuple[Factor, ...], list[Sequence[int]]]:
        """Return factors under the plan's names with their levels in its order, and where each level was."""
        ordered, picks = [], []
        for factor, name in zip(factors, names, strict=True):
            levels = [level for level in self.design.levels[name] if level in factor.levels]
            ordered.append(Factor(name, tuple(levels)))
            picks.append([factor.levels.index(level) for level in levels])
        return tuple(ordered), list(picks)

    def _check_distinct(self, values: Lazy, what: str) -> None:
        distinct = count(values.unique())
        if distinct > max(DISTINCT, self.most):
            self.lacking.append(what)
            raise RowsNeededError(self._needs(what, distinct))

    def _home(self, frame: Lazy, what: str) -> pd.DataFrame:
        rows = count(frame)
        if rows > self.most:
            self.lacking.append(what)
            raise RowsNeededError(self._needs(what, rows))
        found = fetched(frame, self.columns)
        for name in self.factors:
            found[name] = pd.Categorical(found[name], categories=list(self.design.levels[name]))
        return found

    def _needs(self, what: str, rows: int) -> str:
        return (
            f"{what} needs {rows:,} rows, which stay with {self.study.engine.name}; name a test that takes a summary, "
            f"allow so many (rows={rows}), or open the study without engine"
        )


def _taken(array: FloatArray, picks: Sequence[Sequence[int]]) -> FloatArray:
    return np.asarray(array[np.ix_(*picks)]) if picks else array
