"""Moments reduced by the engine that holds the rows: one pass, for sums about the mean of its first rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.aggregation import Function, aggregate
from negstats.stats.summaries.frames import Factor, cells_from_engine, check_columns, engine_codes, measured

NEAR = 1000  # rows about whose mean sums are taken, so that values far from zero keep their digits
FAR = 1e-4  # of a sum of squares that must be left when the mean is taken out


def of_columns(frame: Any, variables: Sequence[str], by: Sequence[str], outcome: str) -> dict[str, Any]:
    """Return the fields of `Moments` of a wide frame of any engine."""
    lazy = nw.from_native(frame).lazy()
    schema = lazy.collect_schema()
    # Names of our own: an engine's SQL may trip over a dot in a column's name.
    values, keys = [f"__x{i}" for i in range(len(variables))], [f"__by{i}" for i in range(len(by))]
    groups = [nw.col(name).alias(key) for name, key in zip(by, keys, strict=True)]
    labels, kinds = [*variables, *by], {name: schema[name] for name in by}

    def reduce(*, plain: bool) -> dict[str, Any]:
        numbers = [measured(schema[name], name, plain=plain) for name in variables]
        value_columns = [value.alias(key) for value, key in zip(numbers, values, strict=True)]
        return _reduced(lazy.select(*value_columns, *groups), values, keys, by, kinds, labels, plain=plain)

    try:  # a sum is finite only if no value was NaN, and to look at each costs as much as to add it
        fields = reduce(plain=True)
    except FloatingPointError:
        fields = reduce(plain=False)
    return {**fields, "variables": Factor("variable", tuple(variables)), "outcome": outcome}


def of_subjects(frame: Any, outcome: str, within: str, subject: str, between: Sequence[str]) -> dict[str, Any]:
    """Return the fields of `Moments` of a long frame of any engine, one row a subject and level of `within`."""
    wide, measures = subjects_wide(frame, outcome, within, subject, between)
    values, keys = [f"__x{i}" for i in range(len(measures))], [f"__by{i}" for i in range(len(between))]
    schema = nw.from_native(frame).lazy().collect_schema()
    labels = [f"{within} = {shown(level)}" for level in measures.levels]
    fields = _reduced(wide, values, keys, between, {name: schema[name] for name in between}, [*labels, *between])
    return {**fields, "variables": measures, "outcome": outcome}


def subjects_wide(
    frame: Any,
    outcome: str,
    within: str,
    subject: str,
    between: Sequence[str] = (),
    chosen: Sequence[object] | None = None,
) -> tuple[Any, Factor]:
    """Return one row a subject, lazily: ``__x0``, ``__x1``, ... by level of `within`, and ``__by0``, ...

    Raises
    ------
    DesignError
        If a column is not there, a subject has two rows for one level, or changes its between-subjects level.
    """
    check_columns(frame, [outcome, within, subject, *between], "outcome, within, subject and between")
    lazy = nw.from_native(frame).lazy()
    schema = lazy.collect_schema()
    keys = [f"__by{i}" for i in range(len(between))]
    rows = lazy.select(
        measured(schema[outcome], outcome).alias("__y"),
        nw.col(within).alias("__level"),
        nw.col(subject).alias("__who"),
        *(nw.col(name).alias(key) for name, key in zip(between, keys, strict=True)),
    ).filter(~nw.col("__who").is_null())
    levels, ordered = _levels(rows, within)
    if chosen is not None:
        chosen_levels = {str(level) for level in chosen}
        levels = [level for level in levels if str(level) in chosen_levels]
        rows = rows.filter(nw.col("__level").is_in(levels))
    values = [f"__x{i}" for i in range(len(levels))]
    by_level = [nw.when(nw.col("__level") == level).then(nw.col("__y")) for level in levels]
    has_level = [nw.when(nw.col("__level") == level).then(1).otherwise(0) for level in levels]
    columns = [value.alias(name) for value, name in zip(by_level, values, strict=True)]
    marks = [mark.alias(f"__n{place}") for place, mark in enumerate(has_level)]
    wide = rows.with_columns(*columns, *marks).group_by("__who").agg(
        *(nw.col(name).max() for name in values),
        *(nw.col(f"__n{place}").sum() for place in range(len(levels))),
        *(nw.col(key).min().alias(key) for key in keys),
        *(nw.col(key).max().alias(f"{key}_last") for key in keys),
        *(nw.col(key).count().alias(f"{key}_known") for key in keys),
        nw.len().alias("__rows"),
    )  # fmt: skip
    _check_once(wide, levels, keys, (within, subject, *between))
    whole = [nw.when(nw.col(f"{key}_known") == nw.col("__rows")).then(nw.col(key)).alias(key) for key in keys]
    return wide.select(*values, *whole), Factor(within, tuple(map(str, levels)), ordered)


def _levels(rows: Any, within: str) -> tuple[list[Any], bool]:
    """Return the levels at which somebody has a value, in order."""
    known_rows = rows.filter(~nw.col("__y").is_null() & ~nw.col("__level").is_null())
    column = known_rows.select("__level").unique().collect(backend="pyarrow").to_pandas()["__level"]
    _, levels, ordered = engine_codes(column, within)
    return levels, ordered


def _check_once(wide: Any, levels: Sequence[Any], keys: Sequence[str], names: Sequence[str]) -> None:
    within, subject, *between = names
    twice = nw.any_horizontal(*(nw.col(f"__n{place}") > 1 for place in range(len(levels))), ignore_nulls=True)
    repeats = wide.filter(twice).head(1).collect(backend="pyarrow").to_pandas() if levels else pd.DataFrame()
    if len(repeats):
        level = next(level for place, level in enumerate(levels) if repeats[f"__n{place}"].iloc[0] > 1)
        who = repeats["__who"].iloc[0]
        raise DesignError(f"{subject} {who!r} has two rows for {within} {level!r}; average them or give another key")
    for key, name in zip(keys, between, strict=True):
        changed = wide.filter(nw.col(key) != nw.col(f"{key}_last")).head(1).collect(backend="pyarrow").to_pandas()
        if len(changed):
            one, other = changed[key].iloc[0], changed[f"{key}_last"].iloc[0]
            raise DesignError(
                f"some {subject!r} is in several levels of {name!r}, such as {one!r} and {other!r}; "
                "it is not a factor between subjects"
            )


def _fill_cells(
    sums: pd.DataFrame, values: list[str], cell: npt.NDArray[np.intp], size: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return n, means (less the origin) and covariances of all cells; those without rows have no mean."""
    k = len(values)
    n, offset, covariance = np.zeros(size), np.full((size, k), np.nan), np.full((size, k, k), np.nan)
    n[cell] = sums["__n"].to_numpy(dtype=np.float64)
    total = sums[values].to_numpy(dtype=np.float64)
    offset[cell] = total / n[cell][:, None]
    for a, b in combinations_with_replacement(range(k), 2):
        cross = sums[f"__q{a}_{b}"].to_numpy(dtype=np.float64) - total[:, a] * offset[cell, b]
        with np.errstate(divide="ignore", invalid="ignore"):
            covariance[cell, a, b] = covariance[cell, b, a] = cross / (n[cell] - 1)  # of one row 0/0, which is NaN
    return n, offset, covariance


def _reduced(
    rows: Any,
    values: list[str],
    keys: list[str],
    by: Sequence[str],
    kinds: dict[str, Any],
    labels: Sequence[str],
    *,
    plain: bool = False,
) -> dict[str, Any]:
    """Reduce rows with the columns `values` and `keys` by one group-by; rows that lack one are left out and counted.

    FloatingPointError if rows are `plain` and some value is not finite.
    """
    k = len(values)
    first_means = rows.drop_nulls().head(NEAR).select(nw.len().alias("n"), *(nw.col(name).mean() for name in values))
    first = first_means.collect(backend="pyarrow")
    if not int(first["n"][0]):
        raise DesignError(f"no row has a value in every column of {', '.join(labels)}")
    origin = np.array([float(first[name][0]) for name in values])
    if plain and not np.isfinite(origin).all():
        raise FloatingPointError("a value is not finite")
    sums, missing = _sums(rows, values, keys, origin, labels, plain=plain)
    n, total = sums["__n"].to_numpy(dtype=np.float64), sums[values].to_numpy(dtype=np.float64)
    squares = np.array([sums[f"__q{a}_{a}"].sum() for a in range(k)])
    is_far = total.sum(axis=0) ** 2 > (1 - FAR) * n.sum() * squares
    if is_far.any():  # the first rows are unlike the others: digits are lost
        origin = origin + total.sum(axis=0) / n.sum()
        sums, missing = _sums(rows, values, keys, origin, labels, plain=plain)
    factors, cell = cells_from_engine(sums[keys], by, kinds)
    shape = tuple(len(factor) for factor in factors)
    size = int(np.prod(shape, dtype=np.intp))
    n, offset, covariance = _fill_cells(sums, values, cell, size)
    return {
        "n": n.reshape(shape),
        "offset": offset.reshape(*shape, k),
        "covariance": covariance.reshape(*shape, k, k),
        "factors": factors,
        "origin": origin,
        "missing": missing,
    }


def _sums(
    rows: Any, values: list[str], keys: list[str], origin: FloatArray, labels: Sequence[str], *, plain: bool
) -> tuple[pd.DataFrame, int]:
    """Return one row a cell: n, sums of the values about the origin and of their products; and the rows left out."""
    pairs = list(combinations_with_replacement(range(len(values)), 2))
    whole = ~nw.any_horizontal(*(nw.col(name).is_null() for name in [*values, *keys]), ignore_nulls=False)
    deviations = [nw.when(whole).then(nw.col(name) - float(o)) for name, o in zip(values, origin, strict=True)]
    sum_columns = dict(zip(values, deviations, strict=True))
    sum_columns |= {f"__q{a}_{b}": deviations[a] * deviations[b] for a, b in pairs}
    counts = [nw.len().alias("__rows"), deviations[0].count().alias("__n")]
    # One step from rows to sums: an engine binds the whole query again at every one. Groups take plain columns.
    table = rows.select(*counts, *(value.sum().alias(name) for name, value in sum_columns.items()))
    if keys:
        code_rows = rows.select(*keys, *(value.alias(name) for name, value in sum_columns.items()))
        sums_of: dict[str, tuple[str, Function]] = {name: (name, "sum") for name in sum_columns}
        table = aggregate(code_rows, keys, __rows=(values[0], "len"), __n=(values[0], "count"), **sums_of)
    sums = table.collect(backend="pyarrow").to_pandas()
    missing = int(sums["__rows"].sum() - sums["__n"].sum())
    sums = sums[sums["__n"] > 0].reset_index(drop=True)
    total = sums[values].to_numpy(dtype=np.float64).sum(axis=0)
    if not np.isfinite(total).all():
        if plain:
            raise FloatingPointError("a value is not finite")
        raise DesignError(f"a value of {labels[int((~np.isfinite(total)).argmax())]} is infinite; leave such rows out")
    return sums, missing
