"""`Rows`: the rows themselves, coded, for tests that no smaller summary feeds; their sums in stacks of resamples.

Resampling takes them, and so do ranks inside subjects (`friedman`, `wilcoxon`): there each cluster is a subject who has
one row in each cell.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, NotEstimable
from negstats.stats.results.numbers import ROUNDING, FloatArray, settled
from negstats.stats.summaries.cells import Cells, check_own_outcome, check_samples, sample_of, two_levels
from negstats.stats.summaries.counts import Counts, ValueCounts
from negstats.stats.summaries.frames import (
    By,
    Factor,
    Grouped,
    IntArray,
    as_pandas,
    check_columns,
    group_pandas,
    names_of,
)

Summary: TypeAlias = Literal["cells", "values", "counts"]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Complete rows. Arrays have one entry a row.

    Attributes
    ----------
    outcome : str
        Name of what was measured.
    y : ndarray of float, shape (*studies, rows)
        The outcome; for counts the place of its level. The studies of a stack have the same design.
    kinds : Factor
        The levels of a categorical outcome; empty for a number.
    cell : ndarray of int
        Flat place in the table of `factors`.
    factors : tuple of Factor
        The factors of `by`.
    stratum, cluster : ndarray of int
        Rows are exchanged within a stratum only; those of a cluster depend on each other.
    strata, clusters : str
        What they are called; empty if none were given.
    missing : int
        Rows that were left out.
    """

    outcome: str
    y: FloatArray
    kinds: Factor
    cell: IntArray
    factors: tuple[Factor, ...]
    stratum: IntArray
    cluster: IntArray
    strata: str
    clusters: str
    missing: int

    @property
    def studies(self) -> tuple[int, ...]:
        """The shape of the stack: () for one study."""
        return self.y.shape[:-1]

    @classmethod
    def of(
        cls, data: Any, outcome: str | None, by: By, summary: Summary = "cells", strata: By = None, cluster: By = None
    ) -> Rows:
        """Take the complete rows of a frame of any engine, samples by name, one sample, `ValueCounts` or `Counts`.

        Parameters
        ----------
        data, outcome, by
            As in `t_test`. `Rows` are taken as they are.
        summary
            "counts" codes the outcome as a category, "cells" and "values" take numbers.
        strata, cluster
            Columns within which rows are exchanged, and of what belongs together.

        Raises
        ------
        DesignError
            If the data hold no rows (`Cells`, a stack), a column is not there or not numeric, or strata or clusters
            are asked of data without columns.
        NotEstimable
            If no row is complete.
        """
        if isinstance(data, Rows):
            return data
        if isinstance(data, Cells):
            raise DesignError(
                "resampling needs the values, which means and variances do not keep; give rows or ValueCounts"
            )
        without_columns = isinstance(data, Mapping | Sequence | np.ndarray | ValueCounts | Counts)
        if without_columns and (strata is not None or cluster is not None):
            raise DesignError("strata and clusters are columns; give the rows as a frame that has them")
        if isinstance(data, ValueCounts | Counts):
            if isinstance(data, ValueCounts):
                check_own_outcome(data, outcome)
            data, outcome, own_factors = _frame_from_summary(data)
            by = own_factors if by is None else by
        elif isinstance(data, Mapping):
            check_samples(data, outcome=outcome, by=by)
            data, outcome, by = _from_samples(data)
        elif without_columns:
            check_samples(data, outcome=outcome, by=by)
            data, outcome, _ = _from_samples({"data": data})
            by = ()
        if outcome is None:
            raise DesignError("outcome is not given; with a frame, name the column that was measured")
        factors, strata_names, cluster_names = (
            [] if names is None else names_of(names) for names in (by, strata, cluster)
        )
        return _rows_from_frame(data, outcome, factors, strata_names, cluster_names, summary)

    @classmethod
    def of_subjects(
        cls, y: FloatArray, measures: Factor, subject: str = "subject", outcome: str = "outcome", missing: int = 0
    ) -> Rows:
        """Take complete repeated measures, shape ``(*studies, subjects, measures)``: each subject is a cluster.

        Parameters
        ----------
        y
            The values, NaN nowhere.
        measures
            The repeated factor: its name and levels, in the order of the last axis.
        subject
            What a subject is called.
        outcome
            What was measured.
        missing
            How many subjects were left out because a measure was missing.
        """
        subjects, k = y.shape[-2:]
        return cls(
            outcome=outcome,
            y=y.reshape(*y.shape[:-2], subjects * k),
            kinds=Factor(outcome, ()),
            cell=np.tile(np.arange(k), subjects),
            factors=(measures,),
            stratum=np.zeros(subjects * k, dtype=np.intp),
            cluster=np.repeat(np.arange(subjects), k),
            strata="",
            clusters=subject,
            missing=missing,
        )

    def wide(self) -> FloatArray:
        """Return the values with one row a cluster and one column a cell: shape ``(*studies, clusters, cells)``.

        Returns
        -------
        ndarray of float
            Values in units of the outcome, clusters in their order.

        Raises
        ------
        DesignError
            If some cluster has not exactly one row in each cell.
        """
        if not len(self):
            return np.empty((*self.studies, 0, self.cells))
        clusters, of_row = np.unique(self.cluster, return_inverse=True)
        people = len(clusters)
        cell_index = of_row * self.cells + self.cell
        if len(cell_index) != people * self.cells or np.bincount(cell_index, minlength=len(cell_index)).max() > 1:
            raise DesignError(
                f"some {self.clusters or 'row'!r} has not one row at each level of "
                f"{' × '.join(repr(factor.name) for factor in self.factors) or 'no factor'}; repeated measures do"
            )
        table = np.empty(self.y.shape)
        table[..., cell_index] = self.y
        return table.reshape(*self.studies, people, self.cells)

    def __len__(self) -> int:
        return int(self.y.shape[-1])

    def __repr__(self) -> str:
        cells = " × ".join(f"{factor.name} ({len(factor)})" for factor in self.factors) or "no factor"
        clusters = f", clusters {self.clusters}" if self.clusters else ""
        return f"Rows({len(self)} of {self.outcome} by {cells}{clusters}, missing={self.missing})"

    @property
    def cells(self) -> int:
        """How many cells the table of the factors has."""
        return int(np.prod([len(factor) for factor in self.factors], dtype=np.intp))

    def shared(self, code: IntArray) -> IntArray | None:
        """Return the code that all rows of each cluster share, one a cluster; None if they differ in some cluster.

        Parameters
        ----------
        code
            One code a row.

        Returns
        -------
        ndarray of int or None
            One code a cluster, in their order.
        """
        _, first_rows, of_row = np.unique(self.cluster, return_index=True, return_inverse=True)
        cluster_codes = code[first_rows]
        return cluster_codes if np.array_equal(cluster_codes[of_row], code) else None

    @property
    def cluster_strata(self) -> IntArray:
        """The stratum of each cluster; DesignError if one lies in several."""
        stratum = self.shared(self.stratum)
        if stratum is None:
            raise DesignError(
                f"some cluster of {self.clusters!r} lies in several strata of {self.strata!r}; give whole ones"
            )
        return stratum

    def between(self, levels: Sequence[object] | None, what: str) -> Rows:
        """Return the rows of the two levels that are compared, the first in cell 0.

        Parameters
        ----------
        levels
            The two levels, first and second; not needed where there are only two.
        what
            Name of the test, for the message of an error.

        Returns
        -------
        Rows
            Only the rows of these two levels.
        """
        if len(self.factors) != 1:
            names = ", ".join(repr(factor.name) for factor in self.factors) or "none"
            raise DesignError(f"{what} compares two levels of one factor; by names {names}")
        (factor,) = self.factors
        first_code, second_code = two_levels(factor, levels, what)
        is_level = (self.cell == first_code) | (self.cell == second_code)
        arrays = {name: getattr(self, name)[is_level] for name in ("y", "stratum", "cluster")}
        cell = (self.cell[is_level] == second_code).astype(np.intp)
        pair = Factor(factor.name, (factor.levels[first_code], factor.levels[second_code]))
        return dataclasses.replace(self, **arrays, cell=cell, factors=(pair,))

    def summarized(self, cell: IntArray, weight: FloatArray | None, summary: Summary) -> Cells | ValueCounts | Counts:
        """Return a stack of summaries, one for each resample.

        Parameters
        ----------
        cell : ndarray, shape (resamples, rows) or (1, rows)
            Which cell each row is put into.
        weight : ndarray, shape (resamples, rows), or None
            How often each row is drawn; once if None.
        summary
            "cells", "values" or "counts".

        Returns
        -------
        Cells or ValueCounts or Counts
            The summary that `summary` names, one study a resample.
        """
        size = len(cell) if weight is None else len(weight)
        if summary == "cells":
            origin = float(self.y.mean())
            return self._cells(*moments(self.y - origin, cell, weight, self.cells, size), origin)
        shape = (size, *(len(factor) for factor in self.factors))
        if summary == "counts":
            codes, n_values = self.y.astype(np.intp), len(self.kinds)
        else:
            values, codes = np.unique(self.y, return_inverse=True)
            tie_codes = settled(values)
            values, codes = values[np.flatnonzero(np.diff(tie_codes, prepend=-1))], tie_codes[codes]
            n_values = len(values)
        weights = np.ones((1, len(self))) if weight is None else weight
        n = totals(cell * n_values + codes, self.cells * n_values, size)(weights).reshape(*shape, n_values)
        if summary == "counts":
            return Counts(n, (*self.factors, self.kinds), self.missing)
        return ValueCounts(values, n, self.factors, self.outcome, self.missing)

    def _cells(self, n: FloatArray, mean: FloatArray, ss: FloatArray, origin: float) -> Cells:
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = np.where(n > 1, ss / (n - 1), np.nan)
        shape = (len(n), *(len(factor) for factor in self.factors))
        n, mean, variance = (array.reshape(shape) for array in (n, mean, variance))
        return Cells(n, mean, variance, self.factors, self.outcome, origin, self.missing)


def _from_samples(samples: Mapping[Any, Any]) -> tuple[pd.DataFrame, str, By]:
    arrays = [sample_of(values, level) for level, values in samples.items()]
    if any(values.ndim > 1 for values in arrays):
        raise DesignError("resampling takes one study; a sample of a stack has several")
    codes = np.repeat(np.arange(len(arrays)), [len(values) for values in arrays])
    levels = pd.Categorical.from_codes(codes, pd.Index([*map(str, samples)]))
    return pd.DataFrame({"group": levels, "outcome": np.concatenate([np.empty(0), *arrays])}), "outcome", "group"


def _frame_from_summary(data: ValueCounts | Counts) -> tuple[pd.DataFrame, str, By]:
    """Return one row for each observation of a summary that keeps the values."""
    if data.studies:
        raise DesignError(f"resampling takes one study; the summary is a stack of {data.studies}")
    outcome = data.outcome if isinstance(data, ValueCounts) else data.factors[-1].name
    cell_indices = np.repeat(np.arange(data.n.size), data.n.astype(np.intp).ravel())
    codes = np.unravel_index(cell_indices, data.n.shape)
    columns: dict[str, Any] = {
        factor.name: pd.Categorical.from_codes(code, pd.Index(factor.levels))
        for factor, code in zip(data.factors, codes, strict=False)
    }
    if isinstance(data, ValueCounts):
        columns[outcome] = np.take(data.values, codes[-1])
    return pd.DataFrame(columns), outcome, [name for name in columns if name != outcome]


def _rows_from_frame(
    frame: Any, outcome: str, by: list[str], strata: list[str], clusters: list[str], summary: Summary
) -> Rows:
    columns = [*by, *strata, *clusters, outcome]
    for name in columns:
        if columns.count(name) > 1:
            raise DesignError(
                f"the column {name!r} is named twice; by, strata, clusters and outcome are different ones"
            )
    check_columns(frame, columns)
    rows = as_pandas(frame, columns)
    names = columns if summary == "counts" else columns[:-1]
    groups = group_pandas(rows, None if summary == "counts" else outcome, names)
    if not len(groups.cell):
        raise NotEstimable(f"no row has a value in every column of {', '.join(columns)}")
    codes = dict(zip(names, np.unravel_index(groups.cell, groups.shape), strict=True)) if names else {}
    value_factor = groups.factors[-1] if summary == "counts" else Factor(outcome, ())
    return Rows(
        outcome,
        codes[outcome].astype(np.float64) if summary == "counts" else groups.y,
        value_factor,
        _combined(groups, codes, by),
        groups.factors[: len(by)],
        _combined(groups, codes, strata),
        _combined(groups, codes, clusters) if clusters else np.arange(len(groups.cell)),
        " × ".join(strata),
        " × ".join(clusters),
        groups.missing,
    )


def _combined(groups: Grouped, codes: Mapping[str, IntArray], names: Sequence[str]) -> IntArray:
    """Return one code for the combination of several columns."""
    levels = {factor.name: len(factor) for factor in groups.factors}
    code = np.zeros(len(groups.cell), dtype=np.intp)
    for name in names:
        code = code * levels[name] + codes[name]
    return code


# Draws of units that are held at once.
AT_ONCE = 1 << 22


# A sum of squares that is less than this share of what it is the difference of has lost digits.
SURE = 1 / 256


def moments(
    y: FloatArray, cell: IntArray, weight: FloatArray | None, cells: int, size: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return n, mean and sum of squares of each cell, shape ``(size, cells)``; of `cell` and `weight` one varies.

    Of two cells between which rows are exchanged, sums and sums of squares at once where they keep the digits; else two
    passes over deviations from the mean.

    Parameters
    ----------
    y : ndarray, shape (rows,)
        The values, measured from their mean.
    cell : ndarray, shape (size, rows) or (1, rows)
        Which cell each row is put into.
    weight : ndarray, shape (size, rows), or None
        How often each row is drawn; once if None.
    """
    if size > 1 and weight is None and cells == 2:
        (n, mean, ss), sure = _split_at_once(y, cell)
        unsure = np.flatnonzero(~sure.all(axis=1))
        if len(unsure):
            n[unsure], mean[unsure], ss[unsure] = _reduce_twice(y, cell[unsure], None, cells, len(unsure))
    else:
        n, mean, ss = _reduce_twice(y, cell, weight, cells, size)
    return n, mean, _clear_rounding(ss, n, y)


def _clear_rounding(ss: FloatArray, n: FloatArray, y: FloatArray) -> FloatArray:
    """Equal values are to have no variance at all, so that mirrored resamples stay equal."""
    return np.where(ss <= n * (ROUNDING * np.abs(y).max()) ** 2, 0.0, ss)


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def _split_at_once(
    y: FloatArray, cell: IntArray
) -> tuple[tuple[FloatArray, FloatArray, FloatArray], npt.NDArray[np.bool_]]:
    """Return n, mean and SS of two cells, and which SS are sure: the second's sums, and what the first has left."""
    in_second = cell.astype(np.float64)

    def sum_both(values: FloatArray) -> FloatArray:
        second_sums = np.einsum("ij,j->i", in_second, values)  # no matrix product: it wakes threads
        return np.stack([values.sum() - second_sums, second_sums], axis=1)

    n, total, squares = sum_both(np.ones(len(y))), sum_both(y), sum_both(y * y)
    ss = squares - total**2 / n
    return (n, total / n, ss), ss > SURE * squares.sum(axis=1, keepdims=True)


def _reduce_twice(
    y: FloatArray, cell: IntArray, weight: FloatArray | None, cells: int, size: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    weights = np.ones((1, len(y))) if weight is None else weight
    sums = totals(cell, cells, size)
    n = sums(None if weight is None and len(cell) > 1 else weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = sums(weights * y) / n
        finite_mean = mean if (n > 0).all() else np.nan_to_num(mean)  # a row that is not drawn may be of an empty cell
        if len(cell) == 1:
            deviations = np.take(
                finite_mean, cell[0], axis=1
            )  # by rows in memory, as what it meets next; an index is not
        else:  # the same as take_along_axis, in a sixth of its time
            deviations = np.take(finite_mean.ravel(), cell + cells * np.arange(len(cell))[:, None])
        np.subtract(y, deviations, out=deviations)
        deviations *= deviations
        if weight is not None:
            deviations *= weight
    return n, mean, sums(deviations)


def totals(place: IntArray, places: int, size: int) -> Callable[[FloatArray | None], FloatArray]:
    """Return the function that sums numbers of shape (size, rows) over the rows of each place: shape (size, places).

    None in the place of numbers counts the rows. `place` has the shape (1, rows) if all resamples put their rows into
    the same places, else (size, rows).
    """
    if len(place) == 1:
        order = np.argsort(place[0], kind="stable")
        places_used, first_indices = np.unique(place[0][order], return_index=True)
        in_order = np.array_equal(order, np.arange(len(order)))  # samples one after the other: nothing to gather

        def sum_in_order(numbers: FloatArray | None) -> FloatArray:
            if numbers is None:
                numbers = np.ones((1, place.shape[1]))
            total = np.zeros((len(numbers), places))
            total[:, places_used] = np.add.reduceat(numbers if in_order else numbers[:, order], first_indices, axis=1)
            return total

        return sum_in_order
    cell_indices = (place + places * np.arange(size)[:, None]).ravel()
    shape = (size, place.shape[1])

    def sum_by_count(numbers: FloatArray | None) -> FloatArray:
        weights = None if numbers is None else np.broadcast_to(numbers, shape).ravel()
        total = np.bincount(cell_indices, weights, places * size)
        return np.asarray(total, dtype=np.float64).reshape(size, places)

    return sum_by_count


def multinomials(rng: np.random.Generator, units: int, n_resamples: int, more: int = 0) -> Iterator[FloatArray]:
    """Yield how often each unit is drawn in each resample, shape ``(portion, units)``, as many as fit into memory.

    Where `more` numbers are computed of each resample, they are to fit too.
    """
    batch_size = max(1, AT_ONCE // (units + more))
    for start in range(0, n_resamples, batch_size):
        size = min(batch_size, n_resamples - start)
        yield rng.multinomial(units, np.full(units, 1 / units), size=size).astype(np.float64)
