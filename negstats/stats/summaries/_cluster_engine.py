"""Cluster moments reduced by the engine that holds the rows: levels and origins, then products, then one group-by."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations_with_replacement
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.aggregation import Function, aggregate
from negstats.stats.summaries.coding import Coding
from negstats.stats.summaries.formulas import Formula
from negstats.stats.summaries.frames import Factor, coded_factor, engine_codes
from negstats.stats.summaries.scaling import origin_near


def _fill_products(table: pd.DataFrame, products: pd.DataFrame, c: int) -> tuple[FloatArray, FloatArray]:
    """Return the products of `c` columns as symmetric arrays: of the totals of clusters by their size, and of rows."""
    totals, cross = np.zeros((len(table), c, c)), np.zeros((c, c))
    for a, b in combinations_with_replacement(range(c), 2):
        totals[:, a, b] = totals[:, b, a] = table[f"__t{a}_{b}"]
        cross[a, b] = cross[b, a] = float(products[f"__q{a}_{b}"].iloc[0])
    return totals, cross


def reduced(frame: Any, read: Formula, cluster: str) -> dict[str, Any]:
    """Return the fields of `ClusterMoments` of a frame of any engine."""
    lazy = nw.from_native(frame).lazy()
    schema = lazy.collect_schema()
    names = [read.outcome, *read.variables]
    factors = [name for name in read.variables if name in read.factors or not schema[name].is_numeric()]
    covariates = [name for name in names if name not in factors]
    if not (schema[read.outcome].is_numeric() or schema[read.outcome] == nw.Boolean):
        raise DesignError(f"the outcome {read.outcome!r} is not numeric but {schema[read.outcome]}")
    # Names of our own: an engine's SQL may trip over a dot in a column's name.
    keys = {name: f"__v{place}" for place, name in enumerate(names)}
    columns = [nw.col(cluster).alias("__cluster")]
    for name, key in keys.items():
        value = nw.col(name)
        if name in covariates:
            number = value.cast(nw.Float64)
            value = nw.when(~number.is_nan()).then(number) if schema[name].is_float() else number
        columns.append(value.alias(key))
    rows = lazy.select(columns)
    whole = rows.drop_nulls()
    levels, origin, n_whole, every = _surveyed(
        rows, whole, {n: keys[n] for n in factors}, {n: keys[n] for n in covariates}
    )
    if not n_whole:
        raise DesignError(f"no row has a value in every column of {', '.join([*names, cluster])}")
    texts = {name: Factor(name, tuple(map(str, values)), ordered) for name, (values, ordered) in levels.items()}
    coding = Coding.of(read, texts)
    table, products = _sum_by_group(whole, coding, {name: values for name, (values, _) in levels.items()}, keys, origin)
    totals, cross = _fill_products(table, products, len(coding.parts) + 1)
    return {
        "coding": coding,
        "rows": np.asarray(float(n_whole)),
        "cross": cross,
        "sizes": table["__k"].to_numpy(dtype=np.float64),
        "clusters": table["__m"].to_numpy(dtype=np.float64),
        "totals": totals,
        "cluster": cluster,
        "origin": origin,
        "missing": every - n_whole,
    }


def _surveyed(
    rows: Any, whole: Any, factors: Mapping[str, str], covariates: Mapping[str, str]
) -> tuple[dict[str, tuple[list[Any], bool]], dict[str, float], int, int]:
    """Return the factors' levels, the covariates' origins, the complete rows, and all rows."""
    aggregates = {"mean": nw.Expr.mean, "low": nw.Expr.min, "high": nw.Expr.max}
    spans = [
        what(nw.col(key)).alias(f"{key}_{word}") for key in covariates.values() for word, what in aggregates.items()
    ]
    spans_table = whole.select(nw.len().alias("__n"), *spans).collect(backend="pandas").to_pandas()
    every = rows.select(nw.len().alias("__n")).collect(backend="pandas").to_pandas()
    n_whole = int(spans_table["__n"].iloc[0])
    origin = {}
    for name, key in covariates.items() if n_whole else ():
        origin[name] = origin_near(*(float(spans_table[f"{key}_{word}"].iloc[0]) for word in aggregates))
    levels = {}
    for name, key in factors.items() if n_whole else ():
        column = whole.select(nw.col(key)).unique().collect(backend="pyarrow").to_pandas()[key]
        codes, values, ordered = engine_codes(column, name)
        factor, _ = coded_factor(name, codes, values, ordered)
        occurring = [level for level in values if str(level) in factor.levels]
        levels[name] = (occurring, ordered)
    return levels, origin, n_whole, int(every["__n"].iloc[0])


def _sum_by_group(
    whole: Any, coding: Coding, levels: Mapping[str, list[Any]], keys: Mapping[str, str], origin: Mapping[str, float]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return one row a cluster size (clusters, and sums of products of their totals), and the rows' products."""
    single: dict[tuple[str, int], Any] = {}
    for parts in coding.parts:
        for name, place in parts:
            column = nw.col(keys[name])
            if name in levels:
                first, last = levels[name][place], levels[name][-1]
                value = nw.when(column == first).then(1.0).otherwise(nw.when(column == last).then(-1.0).otherwise(0.0))
            else:
                value = column - origin[name]
            single[name, place] = value
    c = len(coding.parts) + 1
    columns = [(nw.col(keys[coding.outcome]) - origin[coding.outcome]).alias("__z0")]
    for place, parts in enumerate(coding.parts, start=1):
        column = nw.lit(1.0)
        for part in parts:
            column = column * single[part]
        columns.append(column.alias(f"__z{place}"))
    code_rows = whole.select("__cluster", *columns)
    pairs = list(combinations_with_replacement(range(c), 2))

    def sum_columns(name: str) -> list[Any]:
        return [(nw.col(f"__z{a}") * nw.col(f"__z{b}")).sum().alias(f"__{name}{a}_{b}") for a, b in pairs]

    # Products of rows are summed apart: inside the groups they would treble what the engine keeps for each cluster.
    products: pd.DataFrame = code_rows.select(*sum_columns("q")).collect(backend="pyarrow").to_pandas()
    of_clusters: dict[str, tuple[str, Function]] = {f"__z{a}": (f"__z{a}", "sum") for a in range(c)}
    clusters = aggregate(code_rows, ["__cluster"], __k=("__z0", "len"), **of_clusters)
    squares = [(nw.col(f"__z{a}") * nw.col(f"__z{b}")).alias(f"__t{a}_{b}") for a, b in pairs]
    totals: dict[str, tuple[str, Function]] = {f"__t{a}_{b}": (f"__t{a}_{b}", "sum") for a, b in pairs}
    by_size = aggregate(clusters.with_columns(*squares), ["__k"], __m=("__k", "len"), **totals)
    table: pd.DataFrame = by_size.collect(backend="pyarrow").to_pandas()
    return table.sort_values("__k", ignore_index=True), products
