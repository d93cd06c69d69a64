"""A design from rows that stay with an engine: the tally of `negstats.analysis.questions.design`, by group-bys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import narwhals as nw

from negstats.analysis.lazy.frames import Lazy, count, home
from negstats.analysis.questions.design import TABLES, DesignCounts, Lies, place_from_counts
from negstats.analysis.rules import Kind

__all__ = ["count_design", "factor_place", "standing"]


def standing(frame: Lazy, factor: str) -> tuple[int, int]:
    """Return how many units stand at two levels of a factor or more, and how many at one at least."""
    held = frame.select("unit", factor).drop_nulls().unique().group_by("unit").agg(nw.len().alias("levels"))
    found = home(held.group_by("levels").agg(nw.len().alias("units")))
    return int(found.loc[found["levels"] > 1, "units"].sum()), int(found["units"].sum())


def factor_place(frame: Lazy, factor: str) -> Lies:
    """Return where a factor lies, as `negstats.analysis.questions.design.factor_place`."""
    several, units = standing(frame, factor)
    if not several:
        return "between"
    held = frame.select("unit", factor).drop_nulls().unique()
    both = held.group_by("unit").agg(nw.len().alias("levels")).filter(nw.col("levels") > 1).select("unit")
    at = home(held.join(both, on="unit").group_by(factor).agg(nw.len().alias("units")))
    return place_from_counts(units, several, int(at["units"].min()))


def count_design(
    frame: Lazy,
    levels: Mapping[str, Sequence[str]],
    kind: Kind,
    columns: Mapping[str, str],
    numbers: Sequence[str] = (),
) -> DesignCounts:
    """Return the tally of rows; `columns` says which column holds a factor or number."""
    keys = [columns[name] for name in levels]
    where = {name: factor_place(frame, columns[name]) for name in levels}
    within = [name for name in levels if where[name] == "within"]
    of_unit = home(
        frame.group_by("unit").agg(nw.len().alias("n")).select(
            nw.len().alias("units"), nw.col("n").sum().alias("rows"), nw.col("n").max().alias("largest")
        )
    )  # fmt: skip
    of_cell = home(frame.group_by("unit", *keys).agg(nw.len().alias("n")).select(nw.col("n").max().alias("most")))
    there = frame.filter(~nw.col("value").is_null())
    least, expected = 0, float("inf")
    if keys and count(there.head(1)):
        of_units = there.select("unit", *keys).unique().group_by(*keys).agg(nw.len().alias("n"))
        least = int(home(of_units.select(nw.col("n").min()))["n"].iloc[0])
        if kind in TABLES and not within:
            expected = _expected(there, keys)
    rows, units, largest = (int(of_unit[name].fillna(0).iloc[0]) for name in ("rows", "units", "largest"))
    return DesignCounts(
        lies=where,
        rows=rows,
        units=units,
        largest=largest,
        most=int(of_cell["most"].fillna(0).iloc[0]),
        varies=any(_varies(frame, columns[name]) for name in numbers),
        incomplete=_lacking(frame, [columns[name] for name in within], [levels[name] for name in within]),
        least=least,
        expected=expected,
    )


def _varies(frame: Lazy, name: str) -> bool:
    ends = frame.group_by("unit").agg(nw.col(name).min().alias("low"), nw.col(name).max().alias("high"))
    return count(ends.filter(nw.col("low") != nw.col("high")).head(1)) > 0


def _lacking(frame: Lazy, within: Sequence[str], levels: Sequence[Sequence[str]]) -> int:
    if not within:
        return 0
    cells = len(list(product(*levels)))
    held = frame.select("unit", *within).drop_nulls().unique().group_by("unit").agg(nw.len().alias("n"))
    return count(held.filter(nw.col("n") < cells))


def _expected(there: Lazy, keys: Sequence[str]) -> float:
    cells = home(there.group_by(*keys).agg(nw.len().alias("n")))["n"]
    values = home(there.group_by("value").agg(nw.len().alias("n")))["n"]
    return float(cells.min() * (values / values.sum()).min()) if len(values) > 1 else float("inf")
