"""Whether lazy tables are as `negstats.tables` describes them: columns from the schema, rows by the engine."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from negstats.errors import SchemaError, shown
from negstats.tables import TABLES, Column, Table


def _fits(column: Column, dtype: Any) -> bool:
    match column.kind:
        case "text":
            return bool(dtype in (nw.String, nw.Categorical) or isinstance(dtype, nw.Enum))
        case "integer":
            return bool(dtype.is_integer())
        case "number":
            return bool(dtype.is_numeric())
        case "boolean":
            return bool(dtype == nw.Boolean)
    return bool(dtype.is_temporal())


# Names of columns that an engine reads as more than a name: a pattern, or a part of something.
NAMES: Mapping[str, tuple[str, str]] = {
    "duckdb": (r"\*|", "'*' or empty"),
    "polars": (r"\*||\^.*\$", "'*', empty, or begins with '^' and ends with '$'"),
    "memory": (r"\*||\^.*\$", "'*', empty, or begins with '^' and ends with '$'"),
    "pyspark": (r"\*||.*[.`].*", "'*', empty, or holds a dot or a backtick"),
}
WITHOUT_CASE = {"duckdb", "pyspark"}  # engines to which names that differ only in case are one


def check_names(table: str, engine: str, names: Sequence[str]) -> None:
    """Check that an engine can tell the names of a table's columns from each other and from what means more to it.

    Raises
    ------
    SchemaError
        If it cannot.
    """
    pattern, description = NAMES[engine]
    by_case: dict[str, str] = {}
    for name in names:
        if re.fullmatch(pattern, name, re.DOTALL):
            subject = "an analysis" if engine == "memory" else f"engine={engine!r}"
            raise SchemaError(
                f"{subject} takes no name that is {description}; give the column another name",
                table=table,
                column=name,
            )
        if engine in WITHOUT_CASE and (other := by_case.setdefault(name.lower(), name)) != name:
            raise SchemaError(
                f"engine={engine!r} cannot tell it from {shown(other)}, for they differ only in case; give one another "
                "name, or open the study with engine='polars' or without an engine",
                table=table,
                column=name,
            )


def check_columns(tables: Mapping[str, Any]) -> None:
    """Check names and kinds of columns.

    Raises
    ------
    SchemaError
        If a column is not there, holds another kind of value, or is none of the table's.
    """
    for name, table in TABLES.items():
        dtypes = nw.from_native(tables[name]).collect_schema()
        for column in table.columns:
            if column.name not in dtypes:
                raise SchemaError("the column is not there", table=name, column=column.name)
            if not _fits(column, dtypes[column.name]):
                raise SchemaError(f"holds {dtypes[column.name]}, not {column.kind}", table=name, column=column.name)
        extra = [column for column in dtypes.names() if column not in table.names]
        if extra and not table.open:
            raise SchemaError(f"no such column; the table has {', '.join(table.names)}", table=name, column=extra[0])
        for column in extra if table.open == "numbers" else ():
            if not dtypes[column].is_numeric():
                raise SchemaError(f"holds {dtypes[column]}, not numbers", table=name, column=column)


def check(tables: Mapping[str, Any]) -> None:
    """Check the rows; see `negstats.Study.check`."""
    frames = {name: nw.from_native(table).lazy() for name, table in tables.items()}
    for name, table in TABLES.items():
        _check_values(table, frames[name])
        _check_key(table, frames[name])
        for columns, other_table, key in table.references:
            _check_reference(name, frames[name], columns, frames[other_table], key)


def _check_values(table: Table, frame: nw.LazyFrame[Any]) -> None:
    faults = []
    for column in table.columns:
        value = nw.col(column.name)
        if column.missing is None:
            faults.append((column.name, "a value is missing, and this column needs one", value.is_null()))
        if column.levels:
            reason = f"a value is not one of {', '.join(column.levels)}"
            faults.append((column.name, reason, ~value.is_null() & ~value.is_in(column.levels)))
        if column.kind == "integer" and column.name in table.key:
            faults.append((column.name, "a value is not a position in an order that starts with 1", value < 1))
    fault_counts = [
        nw.when(fault).then(1).otherwise(0).sum().alias(f"__{index}") for index, (*_, fault) in enumerate(faults)
    ]
    counts = frame.select(*fault_counts).collect("pyarrow")
    for index, (name, reason, _) in enumerate(faults):
        rows = int(counts[f"__{index}"][0] or 0)
        if rows:
            raise SchemaError(f"{reason} (in {rows} rows)", table=table.name, column=name)


def _check_key(table: Table, frame: nw.LazyFrame[Any]) -> None:
    repeated_keys = frame.group_by(*table.key).agg(nw.len().alias("__rows")).filter(nw.col("__rows") > 1).head(1)
    key_row = repeated_keys.collect("pyarrow")
    if len(key_row):
        key = ", ".join(f"{name} {shown(key_row[name][0])}" for name in table.key)
        raise SchemaError(f"{int(key_row['__rows'][0])} rows have the key {key}", table=table.name)


def _check_reference(
    name: str, frame: nw.LazyFrame[Any], columns: tuple[str, ...], other_frame: nw.LazyFrame[Any], key: tuple[str, ...]
) -> None:
    references = frame.select(*columns).drop_nulls().unique()
    unmatched = references.join(other_frame.select(*key), left_on=list(columns), right_on=list(key), how="anti").head(1)
    unmatched_row = unmatched.collect("pyarrow")
    if len(unmatched_row):
        value = ", ".join(shown(unmatched_row[column][0]) for column in columns)
        raise SchemaError(f"refers to {value}, which is not there", table=name, column=columns[-1])
