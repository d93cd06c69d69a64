"""`ClusterMoments`: cross-products of rows, and of cluster totals by cluster size; what a random intercept needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.aggregation import Function, aggregate
from negstats.stats.summaries.coding import Coding, origin_near
from negstats.stats.summaries.formulas import Formula, Reference
from negstats.stats.summaries.frames import (
    Factor,
    as_pandas,
    check_columns,
    coded_factor,
    engine_codes,
    is_number,
    level_codes,
    level_places,
    numbers,
)


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
    keys = {name: f"__v{index}" for index, name in enumerate(names)}
    columns = [nw.col(cluster).alias("__cluster")]
    for name, key in keys.items():
        value = nw.col(name)
        if name in covariates:
            number = value.cast(nw.Float64)
            value = nw.when(~number.is_nan()).then(number) if schema[name].is_float() else number
        columns.append(value.alias(key))
    rows = lazy.select(columns)
    complete_rows = rows.drop_nulls()
    levels, origin, n_whole, n_rows = _surveyed(
        rows, complete_rows, {n: keys[n] for n in factors}, {n: keys[n] for n in covariates}
    )
    if not n_whole:
        raise DesignError(f"no row has a value in every column of {', '.join([*names, cluster])}")
    texts = {name: Factor(name, tuple(map(str, values)), ordered) for name, (values, ordered) in levels.items()}
    coding = Coding.of(read, texts)
    table, products = _sum_by_group(
        complete_rows, coding, {name: values for name, (values, _) in levels.items()}, keys, origin
    )
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
        "missing": n_rows - n_whole,
    }


def _surveyed(
    rows: Any, complete_rows: Any, factors: Mapping[str, str], covariates: Mapping[str, str]
) -> tuple[dict[str, tuple[list[Any], bool]], dict[str, float], int, int]:
    """Return the factors' levels, the covariates' origins, the complete rows, and all rows."""
    aggregates = {"mean": nw.Expr.mean, "low": nw.Expr.min, "high": nw.Expr.max}
    # One pass over the rows for the ranges of all covariates; below, one for the levels of each factor.
    spans = [
        aggregate(nw.col(key)).alias(f"{key}_{aggregate_name}")
        for key in covariates.values()
        for aggregate_name, aggregate in aggregates.items()
    ]
    spans_table = complete_rows.select(nw.len().alias("__n"), *spans).collect(backend="pandas").to_pandas()
    row_count = rows.select(nw.len().alias("__n")).collect(backend="pandas").to_pandas()
    n_whole = int(spans_table["__n"].iloc[0])
    origin = {}
    for name, key in covariates.items() if n_whole else ():
        origin[name] = origin_near(
            *(float(spans_table[f"{key}_{aggregate_name}"].iloc[0]) for aggregate_name in aggregates)
        )
    levels = {}
    for name, key in factors.items() if n_whole else ():
        column = complete_rows.select(nw.col(key)).unique().collect(backend="pyarrow").to_pandas()[key]
        codes, values, ordered = engine_codes(column, name)
        factor, _ = coded_factor(name, codes, values, ordered)
        occurring = [level for level in values if str(level) in factor.levels]
        levels[name] = (occurring, ordered)
    return levels, origin, n_whole, int(row_count["__n"].iloc[0])


def _sum_by_group(
    complete_rows: Any,
    coding: Coding,
    levels: Mapping[str, list[Any]],
    keys: Mapping[str, str],
    origin: Mapping[str, float],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return one row a cluster size (clusters, and sums of products of their totals), and the rows' products."""
    single_columns: dict[tuple[str, int], Any] = {}
    for variables in coding.parts:
        for name, index in variables:
            column = nw.col(keys[name])
            if name in levels:
                own_level, last_level = levels[name][index], levels[name][-1]
                value = (
                    nw.when(column == own_level)
                    .then(1.0)
                    .otherwise(nw.when(column == last_level).then(-1.0).otherwise(0.0))
                )
            else:
                value = column - origin[name]
            single_columns[name, index] = value
    n_columns = len(coding.parts) + 1
    columns = [(nw.col(keys[coding.outcome]) - origin[coding.outcome]).alias("__z0")]
    for index, variables in enumerate(coding.parts, start=1):
        column = nw.lit(1.0)
        for variable in variables:
            column = column * single_columns[variable]
        columns.append(column.alias(f"__z{index}"))
    # The columns of each row, from which the engine adds up all products.
    code_rows = complete_rows.select("__cluster", *columns)
    pairs = list(combinations_with_replacement(range(n_columns), 2))

    row_products = [(nw.col(f"__z{a}") * nw.col(f"__z{b}")).sum().alias(f"__q{a}_{b}") for a, b in pairs]
    # Products of rows are summed apart: inside the groups they would treble what the engine keeps for each cluster.
    products: pd.DataFrame = code_rows.select(*row_products).collect(backend="pyarrow").to_pandas()
    of_clusters: dict[str, tuple[str, Function]] = {f"__z{a}": (f"__z{a}", "sum") for a in range(n_columns)}
    clusters = aggregate(code_rows, ["__cluster"], __k=("__z0", "len"), **of_clusters)
    squares = [(nw.col(f"__z{a}") * nw.col(f"__z{b}")).alias(f"__t{a}_{b}") for a, b in pairs]
    totals: dict[str, tuple[str, Function]] = {f"__t{a}_{b}": (f"__t{a}_{b}", "sum") for a, b in pairs}
    # Clusters of one size share a row of the summary: the likelihood needs no more of them.
    by_size = aggregate(clusters.with_columns(*squares), ["__k"], __m=("__k", "len"), **totals)
    table: pd.DataFrame = by_size.collect(backend="pyarrow").to_pandas()
    return table.sort_values("__k", ignore_index=True), products


@dataclass(frozen=True, slots=True, eq=False)
class ClusterMoments:
    """Cross-products of the columns z = (outcome, predictors) of rows, and of their totals over each cluster.

    Attributes
    ----------
    coding : Coding
        The predictors' columns, the intercept first.
    rows : ndarray, shape (*studies)
        Rows that have every value.
    cross : ndarray, shape (*studies, 1 + p, 1 + p)
        Σ z z′ over the rows.
    sizes : ndarray, shape (sizes,)
        The cluster sizes that occur, ascending.
    clusters : ndarray, shape (*studies, sizes)
        Clusters of each size.
    totals : ndarray, shape (*studies, sizes, 1 + p, 1 + p)
        Σ t t′ over the clusters of each size, t being a cluster's column totals.
    cluster : str
        Name of the column that says which cluster a row is in.
    origin : dict
        What the outcome and the covariates are measured from, so that values far from zero keep their digits.
    missing : int
        Rows that were left out because a value or the cluster was missing.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"pair": [1, 1, 2, 2, 3], "x": [0, 1, 0, 1, 0], "y": [3, 5, 2, 6, 4]})
    >>> moments = ClusterMoments.from_frame(frame, "y ~ x", "pair")
    >>> moments.sizes.tolist(), moments.clusters.tolist()
    ([1.0, 2.0], [1.0, 2.0])
    """

    coding: Coding
    rows: FloatArray
    cross: FloatArray
    sizes: FloatArray
    clusters: FloatArray
    totals: FloatArray
    cluster: str
    origin: Mapping[str, float]
    missing: int = 0

    def __post_init__(self) -> None:
        n_columns, studies = len(self.coding.parts) + 1, self.rows.shape
        right_shapes = [
            (*studies, n_columns, n_columns),
            (*studies, len(self.sizes)),
            (*studies, len(self.sizes), n_columns, n_columns),
        ]
        shapes = [self.cross.shape, self.clusters.shape, self.totals.shape]
        if shapes != right_shapes:
            raise DesignError(f"cross, clusters and totals have the shapes {shapes}; they should have {right_shapes}")

    @property
    def studies(self) -> tuple[int, ...]:
        """The shape of the stack: () for one study."""
        return self.rows.shape

    @classmethod
    def from_frame(cls, frame: Any, formula: str, cluster: str, reference: Reference = None) -> ClusterMoments:
        """Reduce a frame of any engine with one row an observation; a row that lacks a value is left out and counted.

        Columns of numbers are covariates; text, truth values and ``C(column)`` are factors, coded to sum to zero.

        Parameters
        ----------
        frame
            One row an observation.
        formula
            Outcome and predictors, such as ``"points ~ agent * age"``.
        cluster
            The column that says which rows belong together.
        reference
            The level that the others of a factor are compared with, such as ``{"country": "Israel"}``.

        Raises
        ------
        DesignError
            If the formula cannot be read, a column is not there, or no row is complete.
        """
        parsed_formula = Formula.parse(formula).compared_with(reference)
        names = list(parsed_formula.columns)
        if cluster in names:
            raise DesignError(f"cluster names {cluster!r}, which is in the formula too; a cluster is not a predictor")
        check_columns(frame, [*names, cluster], "the formula and cluster")
        if (parsed_formula.transforms or parsed_formula.references) and not isinstance(frame, pd.DataFrame):
            # what engines do not compute
            frame = as_pandas(frame, [*names, cluster])
        if isinstance(frame, pd.DataFrame):
            return cls._from_pandas(frame, parsed_formula, cluster)
        return cls(**reduced(frame, parsed_formula, cluster))

    @classmethod
    def _from_pandas(cls, frame: pd.DataFrame, parsed_formula: Formula, cluster: str) -> ClusterMoments:
        rows = CodedRows.of(frame, parsed_formula, (cluster,))
        values, (groups,), factors, missing = rows.columns, rows.groups, rows.factors, rows.missing
        coding = Coding.of(rows.formula, factors)
        origin = {name: origin_of(values[name]) for name in (parsed_formula.outcome, *coding.covariates)}
        for name, start in origin.items():
            values[name] = values[name] - start
        z = np.column_stack([values[parsed_formula.outcome], coding.matrix(values)])
        return cls._from_columns(z, groups, coding, cluster, origin, missing)

    @classmethod
    def _from_columns(
        cls,
        columns: FloatArray,
        groups: npt.NDArray[Any],
        coding: Coding,
        cluster: str,
        origin: Mapping[str, float],
        missing: int,
    ) -> ClusterMoments:
        """Reduce columns of shape (*studies, rows, 1 + p), all studies with the same clusters."""
        _, groups, counts = np.unique(groups, return_inverse=True, return_counts=True)
        order = np.argsort(groups, kind="stable")
        # The rows of a cluster stand together, so that its total is one sum.
        totals = np.add.reduceat(columns[..., order, :], np.append(0, np.cumsum(counts)[:-1]), axis=-2)
        sizes = np.unique(counts)
        # A random intercept needs the products of totals by cluster size alone.
        by_size = [totals[..., counts == size, :] for size in sizes]
        studies = columns.shape[:-2]
        return cls(
            coding=coding,
            rows=np.full(studies, float(columns.shape[-2])),
            cross=np.swapaxes(columns, -1, -2) @ columns,
            sizes=sizes.astype(np.float64),
            clusters=np.broadcast_to([float((counts == size).sum()) for size in sizes], (*studies, len(sizes))),
            totals=np.stack(
                [np.swapaxes(cluster_totals, -1, -2) @ cluster_totals for cluster_totals in by_size], axis=-3
            ),
            cluster=cluster,
            origin=origin,
            missing=missing,
        )

    def with_outcomes(self, frame: pd.DataFrame, outcomes: npt.ArrayLike) -> ClusterMoments:
        """Return a stack of studies with the predictors and clusters of `frame` and outcomes (*studies, rows).

        Parameters
        ----------
        frame
            The rows from which this summary was made.
        outcomes
            One row a study and one number a row of `frame`.

        Returns
        -------
        ClusterMoments
            The stack; a test of it is one array operation.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"pair": [1, 1, 2, 2, 3], "x": [0, 1, 0, 1, 0], "y": [3, 5, 2, 6, 4]})
        >>> one = ClusterMoments.from_frame(frame, "y ~ x", "pair")
        >>> one.with_outcomes(frame, [[3, 5, 2, 6, 4], [1, 2, 3, 4, 5]]).studies
        (2,)
        """
        y = np.asarray(outcomes, dtype=np.float64)
        if y.ndim < 2 or y.shape[-1] != len(frame) or self.missing or not np.isfinite(y).all():
            raise DesignError(
                f"outcomes have the shape {y.shape} for {len(frame)} rows; give complete rows, and numbers of the "
                "shape (studies, rows)"
            )
        values: dict[str, Any] = {self.coding.outcome: y.reshape(-1, len(frame))[0]}
        frame = self.coding.evaluated(frame)
        # The predictors are the same in every study, and coded once.
        for name in self.coding.variables:
            if name in self.coding.levels:
                values[name] = level_places(frame[name], self.coding.levels[name])
            else:
                values[name] = numbers(frame[name], name) - self.origin[name]
        outcome_origin = origin_of(y)
        x = self.coding.matrix(values)
        z = np.concatenate([(y - outcome_origin)[..., None], np.broadcast_to(x, (*y.shape, x.shape[-1]))], axis=-1)
        groups = np.asarray(pd.factorize(frame[self.cluster])[0])
        origin = {**self.origin, self.coding.outcome: outcome_origin}
        return self._from_columns(z, groups, self.coding, self.cluster, origin, 0)

    def __add__(self, other: ClusterMoments) -> ClusterMoments:
        """Merge with the summary of other clusters; a cluster may not be in both, for its total is squared."""
        if self.coding != other.coding or self.cluster != other.cluster:
            raise DesignError("only summaries of the same formula, levels and cluster column add up")
        shifted_other = other._from_origin(self.origin)
        sizes = np.union1d(self.sizes, shifted_other.sizes)
        clusters = np.zeros((*self.studies, len(sizes)))
        totals = np.zeros((*self.studies, len(sizes), *self.cross.shape[-2:]))
        # Clusters of one size add up, wherever the size first occurred.
        for summary in (self, shifted_other):
            size_codes = np.searchsorted(sizes, summary.sizes)
            clusters[..., size_codes] += summary.clusters
            totals[..., size_codes, :, :] += summary.totals
        return replace(
            self,
            rows=self.rows + shifted_other.rows,
            cross=self.cross + shifted_other.cross,
            sizes=sizes,
            clusters=clusters,
            totals=totals,
            missing=self.missing + shifted_other.missing,
        )

    def _from_origin(self, origin: Mapping[str, float]) -> ClusterMoments:
        """Return the same data measured from another origin: z = z* M, so that Σ z z′ = M′ (Σ z* z*′) M."""
        to_origin = np.eye(self.cross.shape[-1])
        to_origin[1:, 1:] = self.coding.shift(
            {name: self.origin[name] - new_origin for name, new_origin in origin.items()}
        )
        to_origin[1, 0] = self.origin[self.coding.outcome] - origin[self.coding.outcome]
        cross, totals = (to_origin.T @ products @ to_origin for products in (self.cross, self.totals))
        return replace(self, cross=cross, totals=totals, origin=dict(origin))


@dataclass(frozen=True, slots=True, eq=False)
class CodedRows:
    """The complete rows of a frame: the one reader of what a formula names, for every model.

    Attributes
    ----------
    columns : dict
        Numbers of each covariate (and of the outcome, if it is to be a number), and codes of each factor.
    groups : tuple of ndarray
        Codes of each column of clusters.
    factors : dict
        The factors' levels.
    missing : int
        Rows that were left out.
    formula : Formula
        The formula with what its transforms learned of the frame.
    whole : ndarray of bool
        Which rows of the frame are complete.
    outcome : pandas.Series
        The outcome of the complete rows as it is in the frame.
    """

    columns: dict[str, Any]
    groups: tuple[npt.NDArray[np.intp], ...]
    factors: dict[str, Factor]
    missing: int
    formula: Formula
    whole: npt.NDArray[np.bool_]
    outcome: pd.Series

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        formula: Formula,
        clusters: Sequence[str],
        required: Sequence[str] = (),
        *,
        numeric_outcome: bool = True,
    ) -> CodedRows:
        """Take the rows that have the outcome, every predictor, every cluster, and a value in the columns required.

        Raises
        ------
        DesignError
            If there is no such row, a transform cannot be computed, or a factor lacks its reference level.
        """
        formula, frame = formula.evaluated(frame)
        groups = [np.asarray(pd.factorize(frame[name])[0]) for name in clusters]
        is_complete = np.all([codes >= 0 for codes in groups], axis=0) & np.ones(len(frame), dtype=bool)
        for name in [*required, *([] if numeric_outcome else [formula.outcome])]:
            is_complete &= frame[name].notna().to_numpy()
        # A row is kept if it has all of these; codes of levels come
        # from all rows, and are made anew from those kept.
        values: dict[str, Any] = {}
        levels_of: dict[str, tuple[list[Any], bool]] = {}
        for name in [*([formula.outcome] if numeric_outcome else []), *formula.variables]:
            if name == formula.outcome or (name not in formula.factors and is_number(frame[name])):
                values[name] = numbers(frame[name], name)
                is_complete &= ~np.isnan(values[name])
            else:
                values[name], levels, ordered = level_codes(frame[name])
                levels_of[name] = (levels, ordered)
                is_complete &= values[name] >= 0
        missing = int(len(is_complete) - is_complete.sum())
        if missing == len(is_complete):
            names = dict.fromkeys([*formula.columns, *clusters, *required])
            raise DesignError(f"no row has a value in every column of {', '.join(names)}")
        if missing:
            values = {name: column[is_complete] for name, column in values.items()}
            groups = [codes[is_complete] for codes in groups]
        factors: dict[str, Factor] = {}
        for name, (levels, ordered) in levels_of.items():
            factor, codes = coded_factor(name, np.asarray(values[name], dtype=np.intp), levels, ordered)
            factors[name], values[name] = formula.in_order(factor, codes)
        for name in formula.references:
            if name not in factors:
                raise DesignError(f"reference names {name!r}, whose values are numbers; write C({name}) for levels")
        outcome = frame[formula.outcome]
        outcome = outcome[is_complete] if missing else outcome
        return cls(values, tuple(groups), factors, missing, formula, is_complete, outcome)


def origin_of(values: FloatArray) -> float:
    """Return what a column is measured from in a fit."""
    return origin_near(float(values.mean()), float(values.min()), float(values.max()))
