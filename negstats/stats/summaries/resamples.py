"""Sums over the rows of each cell, in stacks of resamples: which cell a row is put into, or how often it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import numpy.typing as npt

from negstats.stats.results.numbers import ROUNDING, FloatArray

# Draws of units that are held at once.
AT_ONCE = 1 << 22

IntArray = npt.NDArray[np.intp]

# The places of the rows of some cells of one size, shape (cells, size), and which of each cell's rows were drawn, shape
# (resamples, cells, size).
Parts = Iterable[tuple[IntArray, IntArray]]

# So many cells at most are summed one by one.
FEW = 8
# A sum of squares that is less than this share of what it is the difference of has lost digits.
SURE = 1 / 256


def moments(
    y: FloatArray, cell: IntArray, weight: FloatArray | None, cells: int, size: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return n, mean and sum of squares of each cell, shape ``(size, cells)``; of `cell` and `weight` one varies.

    Sums and sums of squares at once where they keep the digits; else two passes over deviations from the mean.

    Parameters
    ----------
    y : ndarray, shape (rows,)
        The values, measured from their mean.
    cell : ndarray, shape (size, rows) or (1, rows)
        Which cell each row is put into.
    weight : ndarray, shape (size, rows), or None
        How often each row is drawn; once if None.
    """
    reduction = None
    if size > 1 and weight is not None and cells <= FEW:
        reduction = _reduce_draws(y, cell[0], weight, cells)
    elif size > 1 and weight is None and cells == 2:
        reduction = _split_at_once(y, cell)
    if reduction is None:
        n, mean, ss = _reduce_twice(y, cell, weight, cells, size)
    else:
        (n, mean, ss), sure = reduction
        unsure = np.flatnonzero(~sure.all(axis=1))
        if len(unsure):
            some_cell = cell if weight is not None else cell[unsure]
            some_weight = None if weight is None else weight[unsure]
            n[unsure], mean[unsure], ss[unsure] = _reduce_twice(y, some_cell, some_weight, cells, len(unsure))
    return n, mean, _clear_rounding(ss, n, y)


def of_draws(y: FloatArray, cell: IntArray, parts: Parts, cells: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return n, mean and sum of squares of cells whose rows are drawn again among themselves: by two passes."""
    columns = []
    for places, which in parts:
        count, members = places.shape
        if count > 1:
            which = which + members * np.arange(count)[:, None]
        sample = y[places].ravel().take(which)
        mean = np.einsum("ijk->ij", sample) / members
        sample -= mean[..., None]
        columns.append((cell[places[:, 0]], members, mean, np.einsum("ijk,ijk->ij", sample, sample)))
    size = len(columns[0][2])
    n, mean, ss = np.zeros((size, cells)), np.full((size, cells), np.nan), np.zeros((size, cells))
    for of, *statistics in columns:
        n[:, of], mean[:, of], ss[:, of] = statistics
    return n, mean, _clear_rounding(ss, n, y)


def _clear_rounding(ss: FloatArray, n: FloatArray, y: FloatArray) -> FloatArray:
    """Equal values are to have no variance at all, so that mirrored resamples stay equal."""
    return np.where(ss <= n * (ROUNDING * np.abs(y).max()) ** 2, 0.0, ss)


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def _reduce_draws(
    y: FloatArray, cell: IntArray, weight: FloatArray, cells: int
) -> tuple[tuple[FloatArray, FloatArray, FloatArray], npt.NDArray[np.bool_]]:
    """Return n, mean and SS of drawn rows, and which SS are sure: sums about the mean of all rows of each cell."""
    n, mean, ss, squares = (np.zeros((len(weight), cells)) for _ in range(4))
    for place in range(cells):
        rows = _run(np.flatnonzero(cell == place))
        own = y[rows].mean() if y[rows].size else np.nan
        deviations, times = y[rows] - own, weight[:, rows]
        n[:, place] = np.einsum("ij->i", times)
        total = np.einsum("ij,j->i", times, deviations)
        squares[:, place] = np.einsum("ij,j->i", times, deviations * deviations)
        mean[:, place] = own + total / n[:, place]
        ss[:, place] = squares[:, place] - total**2 / n[:, place]
    return (n, mean, ss), (ss >= SURE * squares) & (ss > 0)


def _run(places: IntArray) -> IntArray | slice:
    """Return neighbours as a slice, for which nothing is looked up."""
    is_run = len(places) > 0 and places[-1] - places[0] == len(places) - 1
    return slice(places[0], places[-1] + 1) if is_run else places


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def _split_at_once(
    y: FloatArray, cell: IntArray
) -> tuple[tuple[FloatArray, FloatArray, FloatArray], npt.NDArray[np.bool_]]:
    """Return n, mean and SS of two cells, and which SS are sure: the second's sums, and what the first has left."""
    in_second = cell.astype(np.float64)

    def sum_both(values: FloatArray) -> FloatArray:
        second = np.einsum("ij,j->i", in_second, values)  # no matrix product: it wakes threads
        return np.stack([values.sum() - second, second], axis=1)

    n, total, squares = sum_both(np.ones(len(y))), sum_both(y), sum_both(y * y)
    ss = squares - total**2 / n
    return (n, total / n, ss), ss > SURE * squares.sum(axis=1, keepdims=True)


def _reduce_twice(
    y: FloatArray, cell: IntArray, weight: FloatArray | None, cells: int, size: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    times = np.ones((1, len(y))) if weight is None else weight
    sums = totals(cell, cells, size)
    n = sums(None if weight is None and len(cell) > 1 else times)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = sums(times * y) / n
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
        places_used, first = np.unique(place[0][order], return_index=True)
        in_order = np.array_equal(order, np.arange(len(order)))  # samples one after the other: nothing to gather

        def sum_in_order(numbers: FloatArray | None) -> FloatArray:
            if numbers is None:
                numbers = np.ones((1, place.shape[1]))
            total = np.zeros((len(numbers), places))
            total[:, places_used] = np.add.reduceat(numbers if in_order else numbers[:, order], first, axis=1)
            return total

        return sum_in_order
    flat = (place + places * np.arange(size)[:, None]).ravel()
    shape = (size, place.shape[1])

    def sum_by_count(numbers: FloatArray | None) -> FloatArray:
        if numbers is None and places == 2:
            second = place.sum(axis=1, dtype=np.float64)
            return np.stack([shape[1] - second, second], axis=1)
        weights = None if numbers is None else np.broadcast_to(numbers, shape).ravel()
        total = np.bincount(flat, weights, places * size)
        return np.asarray(total, dtype=np.float64).reshape(size, places)

    return sum_by_count


def multinomials(rng: np.random.Generator, units: int, n_resamples: int, more: int = 0) -> Iterator[FloatArray]:
    """Yield how often each unit is drawn in each resample, shape ``(portion, units)``, as many as fit into memory.

    Where `more` numbers are computed of each resample, they are to fit too.
    """
    portion = max(1, AT_ONCE // (units + more))
    for start in range(0, n_resamples, portion):
        size = min(portion, n_resamples - start)
        yield rng.multinomial(units, np.full(units, 1 / units), size=size).astype(np.float64)
