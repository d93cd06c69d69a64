"""Rows of a subject each from rows of a subject in a condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.summaries.frames import Factor, check_columns, engine_codes, measured


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
    level_counts = [has_value.alias(f"__n{index}") for index, has_value in enumerate(has_level)]
    subject_rows = rows.with_columns(*columns, *level_counts).group_by("__who").agg(
        *(nw.col(name).max() for name in values),
        *(nw.col(f"__n{index}").sum() for index in range(len(levels))),
        *(nw.col(key).min().alias(key) for key in keys),
        *(nw.col(key).max().alias(f"{key}_last") for key in keys),
        *(nw.col(key).count().alias(f"{key}_known") for key in keys),
        nw.len().alias("__rows"),
    )  # fmt: skip
    _check_once(subject_rows, levels, keys, (within, subject, *between))
    constant_columns = [
        nw.when(nw.col(f"{key}_known") == nw.col("__rows")).then(nw.col(key)).alias(key) for key in keys
    ]
    return subject_rows.select(*values, *constant_columns), Factor(within, tuple(map(str, levels)), ordered)


def _levels(rows: Any, within: str) -> tuple[list[Any], bool]:
    """Return the levels at which somebody has a value, in order."""
    complete_rows = rows.filter(~nw.col("__y").is_null() & ~nw.col("__level").is_null())
    column = complete_rows.select("__level").unique().collect(backend="pyarrow").to_pandas()["__level"]
    _, levels, ordered = engine_codes(column, within)
    return levels, ordered


def _check_once(subject_rows: Any, levels: Sequence[Any], keys: Sequence[str], names: Sequence[str]) -> None:
    within, subject, *between = names
    is_repeated = nw.any_horizontal(*(nw.col(f"__n{index}") > 1 for index in range(len(levels))), ignore_nulls=True)
    repeats = (
        subject_rows.filter(is_repeated).head(1).collect(backend="pyarrow").to_pandas() if levels else pd.DataFrame()
    )
    if len(repeats):
        level = next(level for index, level in enumerate(levels) if repeats[f"__n{index}"].iloc[0] > 1)
        subject_value = repeats["__who"].iloc[0]
        raise DesignError(
            f"{subject} {subject_value!r} has two rows for {within} {level!r}; average them or give another key"
        )
    for key, name in zip(keys, between, strict=True):
        changed = (
            subject_rows.filter(nw.col(key) != nw.col(f"{key}_last")).head(1).collect(backend="pyarrow").to_pandas()
        )
        if len(changed):
            first_level, second_level = changed[key].iloc[0], changed[f"{key}_last"].iloc[0]
            raise DesignError(
                f"some {subject!r} is in several levels of {name!r}, such as {first_level!r} and {second_level!r}; "
                "it is not a factor between subjects"
            )
