"""Tables of counts that fit a printed chi-squared, and samples of whole numbers that fit a printed mean and SD.

All of them: a paper often prints χ²(1, N = 73) = 14.93 and no table. Few tables of 73 observations give that value;
here they are listed, by going through all of them.

Where SPRITE (Heathers, Anaya, van der Zee and Brown, 2018, PeerJ Preprints 6:e26968v1) draws some samples at random,
this lists every one, as CLOSURE does (Wilkinson, 2019), with counts of values in place of ordered scores, so that each
sample comes once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.audit.grim import Budget, IntArray, OutOfBudget, compositions, spread_out, squares_between
from negstats.errors import DesignError
from negstats.printed_numbers import Printable, Printed, check_n, printed
from negstats.stats.counts.contingency import likelihood_ratio, pearson

FloatArray = npt.NDArray[np.float64]
BLOCK = 1_000_000  # cells that are looked at in one array
SLACK = 1e-9  # relative; a statistic is a sum of a few quotients

STATISTICS: Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "chi2": lambda n, expected: pearson(n, expected, 2),
    "g2": lambda n, expected: likelihood_ratio(n, expected, 2),
    "yates": lambda n, expected: pearson(n, expected, 2, correction=True),
}


@dataclass(frozen=True, slots=True, eq=False)
class FittingTables:
    """Tables that fit printed statistics.

    Attributes
    ----------
    tables : ndarray of int, shape (tables, rows, columns)
        The tables, each once up to the order of those rows and columns whose totals were not given.
    statistics : dict
        The unrounded value of each printed statistic for each table.
    looked_at : int
        Tables (and parts of larger ones) that the search went through.
    complete : bool
        Whether that is all there are. False: the limit was reached, and other tables may fit as well.
    """

    tables: IntArray
    statistics: Mapping[str, FloatArray]
    looked_at: int
    complete: bool

    def __len__(self) -> int:
        return len(self.tables)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a table: its cells as ``n_11``, ``n_12``, ... and the statistics.

        Returns
        -------
        DataFrame
            Numbers are not rounded.
        """
        _, rows, columns = self.tables.shape
        cells = {
            f"n_{row + 1}{column + 1}": self.tables[:, row, column] for row in range(rows) for column in range(columns)
        }
        frame = pd.DataFrame({**cells, **self.statistics})
        frame.attrs["schema"] = "FittingTables/1"
        return frame

    def __str__(self) -> str:
        count_text = "1 table fits" if len(self) == 1 else f"{len(self) or 'no'} tables fit"
        search_note = "all were looked at" if self.complete else "the search stopped at its limit, so others may fit"
        return f"{count_text} ({self.looked_at} looked at; {search_note})"


def tables_with(
    *,
    n: int,
    chi2: Printable | None = None,
    g2: Printable | None = None,
    yates: Printable | None = None,
    shape: tuple[int, int] = (2, 2),
    row_totals: Sequence[int] | None = None,
    column_totals: Sequence[int] | None = None,
    limit: int = 20_000_000,
) -> FittingTables:
    """List the tables of counts whose statistic rounds to the printed value.

    Every table with `n` observations and no empty row or column is looked at. Each is listed once: tables that differ
    in the order of rows (or columns) only are one, unless the totals of that side are given.

    Parameters
    ----------
    n
        Observations in the table.
    chi2, g2, yates
        The printed Pearson, likelihood-ratio or continuity-corrected (2 × 2 only) statistic. Where several are given,
        all must fit.
    shape
        Rows and columns.
    row_totals, column_totals
        Known totals, in order.
    limit
        How many tables to look at before giving up; the result then says ``complete=False``.

    Returns
    -------
    FittingTables
        The tables that fit; none if there is no such table.

    Raises
    ------
    DesignError
        If no statistic is given, the correction is asked of a larger table, or the shape and the totals do not agree
        with each other or with `n`.

    Examples
    --------
    >>> result = tables_with(chi2="14.93", n=73)
    >>> print(result)
    2 tables fit (35004 looked at; all were looked at)
    >>> result.to_frame().round(3)
       n_11  n_12  n_21  n_22    chi2
    0    28    11     9    25  14.929
    1    28     9    11    25  14.929
    >>> result = tables_with(chi2="7.63", n=289, row_totals=[96, 90, 103], column_totals=[51, 238], shape=(3, 2))
    >>> len(result), [[19, 77], [22, 68], [10, 93]] in result.tables.tolist()
    (1, True)
    """
    statistics = {"chi2": chi2, "g2": g2, "yates": yates}
    targets = {name: printed(value, name) for name, value in statistics.items() if value is not None}
    if not targets:
        raise DesignError("tables_with got no statistic; give chi2, g2 or yates")
    if len(shape) != 2 or min(shape) < 2:
        raise DesignError(f"shape is {shape!r}; give rows and columns, at least (2, 2)")
    if "yates" in targets and tuple(shape) != (2, 2):
        raise DesignError(f"yates corrects 2 × 2 tables only, and shape is {shape!r}; give chi2 or g2")
    check_n(n, least=max(shape))
    for name, totals, size in (("row_totals", row_totals, shape[0]), ("column_totals", column_totals, shape[1])):
        _check_totals(name, totals, size, n)
    budget = Budget(limit)
    fitting: dict[bytes, IntArray] = {}
    complete = True
    margins = itertools.product(_margins(n, shape[0], row_totals), _margins(n, shape[1], column_totals))
    search = _search_four if tuple(shape) == (2, 2) else _search
    try:
        for table in search(margins, targets, budget):
            # Tables that differ in the order of rows or columns
            # alone are one, where margins are not given.
            canonical_table = _canonical(table, row_totals is None, column_totals is None)
            fitting[canonical_table.tobytes()] = canonical_table
    except OutOfBudget:
        complete = False
    tables = np.array(list(fitting.values()), dtype=np.int64).reshape(-1, *shape)
    return FittingTables(tables, _statistics(tables, targets), budget.spent, complete)


Margins: TypeAlias = Iterable[tuple[tuple[int, ...], tuple[int, ...]]]


def _search(margins: Margins, targets: Mapping[str, Printed], budget: Budget) -> Iterator[IntArray]:
    """Yield the tables with any of these margins that fit."""
    for rows, columns in margins:
        for block in _tables(np.array(rows), np.array(columns), budget):
            yield from block[_fits(block, np.array(rows), np.array(columns), targets)]


def _search_four(margins: Margins, targets: Mapping[str, Printed], budget: Budget) -> Iterator[IntArray]:
    """Yield the 2 × 2 tables that fit, of all margins at once.

    With its margins given, a table is its first cell; those of many margins are looked at in one array.
    """
    all_margins = np.array(list(margins), dtype=np.int64).reshape(-1, 2, 2)
    smallest_first = np.maximum(0, all_margins[:, 0, 0] - all_margins[:, 1, 1])
    largest_first = np.minimum(all_margins[:, 0, 0], all_margins[:, 1, 0])
    costs = 2 * (largest_first - smallest_first + 1)  # the first cell, and the second that it leaves
    blocks = np.cumsum(costs) // BLOCK
    for block in np.unique(blocks):
        in_block = blocks == block
        rows, columns = all_margins[in_block, 0], all_margins[in_block, 1]
        owner, first_cells = spread_out(smallest_first[in_block], largest_first[in_block])
        fits_in = np.cumsum(costs[in_block]) <= budget.limit - budget.spent
        tables = _four(rows[owner], columns[owner], first_cells)
        yield from tables[fits_in[owner] & _fits(tables, rows[owner], columns[owner], targets)]
        for cost in (int(costs[in_block][fits_in].sum()), int(costs[in_block][~fits_in].sum())):
            budget.spend(cost)


def _four(rows: IntArray, columns: IntArray, first_cells: IntArray) -> IntArray:
    """Return 2 × 2 tables from their margins and their first cell."""
    second_cells, third_cells = rows[:, 0] - first_cells, columns[:, 0] - first_cells
    return np.stack([first_cells, second_cells, third_cells, columns[:, 1] - second_cells], axis=-1).reshape(-1, 2, 2)


def _check_totals(name: str, totals: Sequence[int] | None, size: int, n: int) -> None:
    if totals is not None and (len(totals) != size or min(totals) < 1 or sum(totals) != n):
        raise DesignError(f"{name} is {list(totals)!r}; give {size} whole numbers from 1 on that add up to n = {n}")


def _margins(
    n: int, parts: int, fixed_totals: Sequence[int] | None, largest: int | None = None
) -> Iterator[tuple[int, ...]]:
    """Yield the given totals, or else all that add up to n, largest first."""
    if fixed_totals is not None:
        yield tuple(fixed_totals)
    elif parts == 1:
        yield (n,)
    else:
        for first_total in range(min(largest or n, n - parts + 1), -(-n // parts) - 1, -1):
            for other_totals in _margins(n - first_total, parts - 1, None, first_total):
                yield (first_total, *other_totals)


def _tables(rows: IntArray, columns: IntArray, budget: Budget) -> Iterator[IntArray]:
    """Yield all tables with these totals, in blocks."""
    if len(rows) == 2:
        first_rows = compositions(int(rows[0]), columns, budget)
        yield np.stack([first_rows, columns - first_rows], axis=1)
        return
    if len(columns) == 2:  # the first column says it all
        for transposed in _tables(columns, rows, budget):
            yield transposed.swapaxes(1, 2)
        return
    for first_rows in compositions(int(rows[0]), columns, budget):
        for other_rows in _tables(rows[1:], columns - first_rows, budget):
            yield np.concatenate(
                [np.broadcast_to(first_rows, (len(other_rows), 1, len(first_rows))), other_rows], axis=1
            )


def _fits(block: IntArray, rows: IntArray, columns: IntArray, targets: Mapping[str, Printed]) -> npt.NDArray[np.bool_]:
    n = block.astype(np.float64)
    expected = rows[..., :, None] * columns[..., None, :] / rows.sum(axis=-1)[..., None, None]
    fits = np.ones(len(block), dtype=bool)
    for name, target in targets.items():
        value = STATISTICS[name](n, expected)
        fits &= (value >= target.low * (1 - SLACK)) & (value <= target.high * (1 + SLACK))
    return fits


def _canonical(table: IntArray, rows_free: bool, columns_free: bool) -> IntArray:
    """Return the largest of the tables that differ from this one in the order of free rows and columns only."""
    rows = itertools.permutations(range(table.shape[0])) if rows_free else [tuple(range(table.shape[0]))]
    columns = list(itertools.permutations(range(table.shape[1])) if columns_free else [tuple(range(table.shape[1]))])
    return max(
        (table[np.ix_(row, column)] for row in rows for column in columns), key=lambda candidate: candidate.tolist()
    )


def _statistics(tables: IntArray, targets: Mapping[str, Printed]) -> dict[str, FloatArray]:
    n = tables.astype(np.float64)
    total = n.sum(axis=(1, 2), keepdims=True)
    expected = n.sum(axis=2, keepdims=True) * n.sum(axis=1, keepdims=True) / total
    return {name: STATISTICS[name](n, expected) for name in targets}


MOST_PARTIAL = 200_000  # partial samples that are extended at once


@dataclass(frozen=True, slots=True, eq=False)
class FittingSamples:
    """Samples that fit printed summaries.

    Attributes
    ----------
    values : ndarray of int, shape (values,)
        The values that a person can have, ascending.
    counts : ndarray of int, shape (samples, values)
        How many people have each value; one row a sample.
    looked_at : int
        Partial samples that the search went through.
    complete : bool
        Whether that is all there are. False: the limit was reached, and other samples may fit as well.
    """

    values: IntArray
    counts: IntArray
    looked_at: int
    complete: bool

    def __len__(self) -> int:
        return len(self.counts)

    def sample(self, place: int) -> IntArray:
        """Return one sample person by person, ascending.

        Parameters
        ----------
        place
            Which sample, counted from 0.

        Returns
        -------
        ndarray of int
            One value a person.
        """
        return np.repeat(self.values, self.counts[place])

    def to_frame(self) -> pd.DataFrame:
        """Return one row a sample: how many people have each value, and the unrounded mean and SD (n − 1).

        Returns
        -------
        DataFrame
            The mean and the SD are in units of the scale.
        """
        n = self.counts.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = self.counts @ self.values / n
            squares = (self.counts * (self.values - mean[:, None]) ** 2).sum(axis=1)
            summary = pd.DataFrame({"mean": mean, "sd": np.sqrt(squares / (n - 1))})
        frame = pd.concat([pd.DataFrame(self.counts, columns=[f"n_{value}" for value in self.values]), summary], axis=1)
        frame.attrs["schema"] = "FittingSamples/1"
        return frame

    def __str__(self) -> str:
        count_text = "1 sample fits" if len(self) == 1 else f"{len(self) or 'no'} samples fit"
        search_note = "all were looked at" if self.complete else "the search stopped at its limit, so others may fit"
        return f"{count_text} ({search_note})"


def samples_with(
    mean: Printable, sd: Printable | None, n: int, values: Iterable[int], *, ddof: int = 1, limit: int = 20_000_000
) -> FittingSamples:
    """List every sample of whole numbers whose mean and SD round to what is printed.

    Parameters
    ----------
    mean, sd
        Printed mean and SD; None for an SD that is not printed.
    n
        People.
    values
        The whole numbers that a person can have: ``range(1, 8)`` for a scale from 1 to 7, ``(0, 5, 10)`` for points.
    ddof
        1 if the SD divides by n − 1, 0 if by n.
    limit
        How many partial samples to look at before giving up; the result then says ``complete=False``.

    Returns
    -------
    FittingSamples
        The samples that fit; none if there is no such sample.

    Raises
    ------
    DesignError
        If there are fewer than two values, a value is not whole, or the SD is negative.

    Examples
    --------
    >>> result = samples_with("1.50", "0.58", 4, range(1, 8))
    >>> result.sample(0), len(result), result.complete
    (array([1, 1, 2, 2]), 1, True)
    >>> print(samples_with("3.45", "1.20", 10, range(1, 8)))
    no samples fit (all were looked at)
    """
    scores = _scores(values, check_n(n))
    budget = Budget(limit)
    number = printed(mean, "mean")
    low, high = (end * n for end in number.exact)
    samples, complete = [np.empty((0, len(scores)), dtype=np.int64)], True
    try:
        for total in range(max(math.ceil(low), n * int(scores[0])), min(math.floor(high), n * int(scores[-1])) + 1):
            smallest_square, largest_square = _squares(sd, n, total, ddof, scores)
            samples.extend(_samples(scores, n, total, smallest_square, largest_square, budget))
    except OutOfBudget:
        complete = False
    return FittingSamples(scores, np.concatenate(samples), budget.spent, complete)


def _scores(values: Iterable[int], n: int) -> IntArray:
    value_list = list(values)
    for value in value_list:
        if Fraction(str(value)).denominator != 1:
            raise DesignError(
                f"values has {value!r}; give whole numbers (for half points, double the mean, SD and values)"
            )
    scores = np.unique(np.array(value_list, dtype=np.int64))
    if len(scores) < 2:
        raise DesignError(f"values is {value_list!r}; give at least two different whole numbers")
    if n * n * int(np.abs(scores).max()) ** 2 >= 2**62:
        raise DesignError(f"values go up to {scores[-1]} and n is {n}; the sums of squares would not fit into 64 bits")
    return scores


def _squares(sd: Printable | None, n: int, total: int, ddof: int, scores: IntArray) -> tuple[int, int]:
    """Return the least and the greatest sum of squares to look for."""
    if sd is None:
        return 0, n * int(np.abs(scores).max()) ** 2
    squares = squares_between(sd, n, total, ddof)
    return (squares[0], squares[-1]) if squares else (1, 0)


def _samples(v: IntArray, n: int, total: int, least: int, most: int, budget: Budget) -> Iterator[IntArray]:
    """Yield counts of the values with this total and a sum of squares from `least` to `most`, in blocks."""
    stack = [np.empty((1, 0), dtype=np.int64)]
    while stack:
        counts = stack.pop()
        n_values = counts.shape[1]
        n_left = n - counts.sum(axis=1)
        # The last two counts follow from n and the total.
        if n_values == len(v) - 2:
            yield _complete_samples(v, counts, n_left, total, least, most)
        # Blocks are halved, so that no more partial samples are held at once than there is room for.
        elif len(counts) > 1 and (n_left + 1).sum() > MOST_PARTIAL:
            half_count = len(counts) // 2
            stack += [counts[half_count:], counts[:half_count]]
        else:
            budget.spend(int((n_left + 1).sum()))
            # Every count of the next value; those that no rest can complete go at once.
            owner, added = spread_out(np.zeros_like(n_left), n_left)
            extended = np.column_stack([counts[owner], added])
            stack.append(extended[_possible(v, extended, n_left[owner] - added, total, least, most)])
            if not len(stack[-1]):
                stack.pop()


def _possible(
    v: IntArray, counts: IntArray, n_left: IntArray, total: int, least: int, most: int
) -> npt.NDArray[np.bool_]:
    """Return which partial samples the people left can still complete, as far as bounds can tell."""
    n_values = counts.shape[1]
    lowest, highest = v[n_values], v[-1]
    total_left = total - counts @ v[:n_values]
    squares = counts @ v[:n_values] ** 2
    fits: npt.NDArray[np.bool_] = (n_left * lowest <= total_left) & (total_left <= n_left * highest)
    # Σ x² ≥ (Σ x)²/n, and (x − low)(x − high) ≤ 0 for every x that is left.
    fits &= total_left**2 <= n_left * (most - squares)
    fits &= squares + (lowest + highest) * total_left - lowest * highest * n_left >= least
    return fits


def _complete_samples(v: IntArray, counts: IntArray, n_left: IntArray, total: int, least: int, most: int) -> IntArray:
    """Complete partial samples that have two values left: their counts follow from the people and the total left."""
    lower, upper = v[-2], v[-1]
    n_upper, remainder = np.divmod(total - counts @ v[:-2] - n_left * lower, upper - lower)
    complete = np.column_stack([counts, n_left - n_upper, n_upper])
    squares = complete @ v**2
    fits = (remainder == 0) & (n_upper >= 0) & (n_upper <= n_left) & (least <= squares) & (squares <= most)
    return np.asarray(complete[fits])
