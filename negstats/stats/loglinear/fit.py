"""Maximum-likelihood fits of hierarchical models to stacks of tables, by iterative proportional fitting.

Pure functions on arrays: tables have the shape ``(*studies, *levels)``, and a stack is fitted in one go. Fitted counts
are scaled in turn to each margin of the generating class until no cell changes any more [1]_. Decomposable models are
fitted exactly by one cycle.

Zeros. A cell is a structural zero if it cannot occur; it takes no part. A sampling zero is a count that happens to be
0. If it leaves a margin of the model at 0, the cells below are fitted as 0. The same can happen where all margins are
above 0 (a 2 × 2 × 2 table with two zeros in opposite corners, without the three-way term): the likelihood has its
supremum on the boundary, and scaling creeps towards it without end. Those cells are found by a linear programme and
set to 0, which gives the extended maximum-likelihood estimate [2]_. The degrees of freedom are the cells that are
fitted above 0 less the rank of the model's design on them, which is the number of parameters that these data can give.
The df of the difference of two models are the parameters that the larger has more on the cells that the smaller fits
above 0.

.. [1] Bishop, Y. M. M., Fienberg, S. E., & Holland, P. W. (1975). Discrete Multivariate Analysis, ch. 3 and 5.
.. [2] Fienberg, S. E., & Rinaldo, A. (2012). Maximum likelihood estimation in log-linear models. Annals of
   Statistics, 40, 996–1023.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from negstats.stats.loglinear.notation import Generators, Term, perfect_order, terms
from negstats.stats.results.numbers import FloatArray

Mask = npt.NDArray[np.bool_]

PATIENCE = 60  # cycles before a table with zeros is looked at for cells on the boundary


@dataclass(frozen=True, slots=True)
class Stopping:
    """When scaling stops: at a change of every cell below `tolerance`, or after `limit` cycles.

    `relative` changes are shares of the cell; else they are counts.
    """

    tolerance: float = 1e-13
    limit: int = 20_000
    relative: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Fitted counts (shape of the tables), and for each study its cycles and whether it converged."""

    fitted: FloatArray
    iterations: npt.NDArray[np.intp]
    converged: Mask


def fit_tables(n: FloatArray, generators: Generators, possible: Mask, stopping: Stopping | None = None) -> Fit:
    """Fit one model to a stack of tables.

    Parameters
    ----------
    n
        Counts, shape ``(*studies, *levels)``.
    generators
        The generating class.
    possible
        False for structural zeros, shape ``levels``. They are 0 in `n`.
    stopping
        By default to the ceiling of double precision, with boundary cells set to 0. With another rule scaling is all
        that is done.
    """
    dims = possible.ndim
    studies, levels = n.shape[: n.ndim - dims], possible.shape
    tables = n.reshape(-1, *levels)
    start = np.broadcast_to(possible.astype(np.float64), tables.shape)
    direct = perfect_order(generators) if possible.all() else None
    if stopping is not None:
        fit = _scale(tables, start, generators, stopping)
    elif direct is not None:
        fit = _scale(tables, start, direct, Stopping(limit=1))
        fit.converged[:] = True
    else:
        exact = Stopping()
        fit = _scale(tables, start, generators, Stopping(exact.tolerance, PATIENCE))
        rest = np.flatnonzero(~fit.converged)
        if rest.size:
            restart = fit.fitted[rest]
            for place, table in enumerate(tables[rest]):
                restart[place][boundary(table > 0, generators, possible)] = 0.0
            more = _scale(tables[rest], restart, generators, exact)
            fit.fitted[rest], fit.converged[rest] = more.fitted, more.converged
            fit.iterations[rest] += more.iterations
    return Fit(fit.fitted.reshape(n.shape), fit.iterations.reshape(studies), fit.converged.reshape(studies))


def _scale(tables: FloatArray, start: FloatArray, generators: Generators, stopping: Stopping) -> Fit:
    count, dims = len(tables), tables.ndim - 1
    margin_axes = [tuple(1 + axis for axis in range(dims) if axis not in term) for term in generators or ((),)]
    margins = [tables.sum(axis=axes, keepdims=True) for axes in margin_axes]
    fits, active = start.copy(), np.arange(count)
    iterations, converged = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=bool)
    current = fits
    for cycle in range(1, stopping.limit + 1):
        previous = current
        for axes, margin in zip(margin_axes, margins, strict=True):
            total = current.sum(axis=axes, keepdims=True) if axes else current
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = margin / total
            ratio[total == 0] = 0.0
            current = current * ratio
        if stopping.limit == 1:
            return Fit(current, iterations + 1, converged)
        change = np.abs(current - previous)
        if stopping.relative:
            change = np.divide(change, current, out=np.where(previous > 0, 1.0, 0.0), where=current > 0)
            # a margin of 0 takes its cells to 0 in the first cycle; that is settled, not a change to come
            change[(current == 0) & (cycle > 1)] = 0.0
        is_converged = change.reshape(len(current), -1).max(axis=1) <= stopping.tolerance
        if cycle == stopping.limit or is_converged.any():
            is_last = np.ones_like(is_converged) if cycle == stopping.limit else is_converged
            fits[active[is_last]], iterations[active[is_last]] = current[is_last], cycle
            converged[active[is_converged]] = True
            active, current = active[~is_last], current[~is_last]
            margins = [margin[~is_last] for margin in margins]
            if not active.size:
                break
    return Fit(fits, iterations, converged)


def boundary(positive: Mask, generators: Generators, possible: Mask) -> Mask:
    """Return the cells that the extended maximum-likelihood estimate fits as 0, for one table's pattern of counts."""
    flat = _boundary(positive.tobytes(), positive.shape, generators, possible.tobytes())
    return np.frombuffer(flat, dtype=np.bool_).reshape(positive.shape)


@functools.lru_cache(maxsize=4096)
def _boundary(positive_bytes: bytes, shape: tuple[int, ...], generators: Generators, possible: bytes) -> bytes:
    """Solve for the face: the most cells that a direction of the model raises above 0 without moving an observed one.

    Such a direction x'd is 0 where something was observed and not below 0 elsewhere; walking against it raises the
    likelihood for ever and takes the cells with x'd > 0 to 0.
    """
    from scipy.optimize import linprog

    is_positive, may = (np.frombuffer(bits, dtype=np.bool_) for bits in (positive_bytes, possible))
    empty = np.flatnonzero(may & ~is_positive)
    if not empty.size:
        return (~may).tobytes()
    x = design(generators, shape)
    free = x.shape[1]
    solution = linprog(
        np.concatenate([np.zeros(free), -np.ones(empty.size)]),
        A_ub=np.hstack([-x[empty], np.eye(empty.size)]),
        b_ub=np.zeros(empty.size),
        A_eq=np.hstack([x[is_positive], np.zeros((int(is_positive.sum()), empty.size))]),
        b_eq=np.zeros(int(is_positive.sum())),
        bounds=[(None, None)] * free + [(0, 1)] * empty.size,
        method="highs",
    )
    if solution.x is None:  # pragma: no cover - d = 0 is always feasible
        return (~may).tobytes()
    zero = ~may
    zero[empty[solution.x[free:] > 0.5]] = True
    return zero.tobytes()


def ranks(fitted: FloatArray, generators: Generators, possible: Mask) -> FloatArray:
    """Return for each study the rank of a model's design on the cells fitted above 0, shape ``(*studies,)``.

    It is the number of parameters, the constant among them, that data on those cells can give.
    """
    dims = possible.ndim
    flat = (fitted > 0).reshape(-1, possible.size)
    x = design(generators, possible.shape)
    patterns, which = (flat[:1], np.zeros(1, int)) if len(flat) == 1 else np.unique(flat, axis=0, return_inverse=True)
    rank_of_pattern = [x.shape[1] if pattern.all() else _rank(x[pattern]) for pattern in patterns]
    return np.array(rank_of_pattern, dtype=np.float64)[which.ravel()].reshape(fitted.shape[: fitted.ndim - dims])


def added_df(fitted: FloatArray, smaller: Generators, larger: Generators, possible: Mask) -> FloatArray:
    """Return for each study the degrees of freedom of the terms that a larger model has more.

    They are counted on the cells that the smaller model, which is the hypothesis, fits above 0. A parameter that the
    larger model drives to minus infinity there counts: it lowers G². The residual df of two models may differ by more,
    for the larger one can lose cells that have nothing left to test.
    """
    return ranks(fitted, larger, possible) - ranks(fitted, smaller, possible)


def _rank(x: FloatArray) -> int:
    return int(np.linalg.matrix_rank(x)) if x.size else 0


def parameter_count(generators: Generators, shape: tuple[int, ...]) -> int:
    """Return the parameters of a model in a table without zeros, the constant among them."""
    return 1 + sum(math.prod(shape[place] - 1 for place in term) for term in terms(generators))


@functools.lru_cache(maxsize=512)
def design(generators: Generators, shape: tuple[int, ...]) -> FloatArray:
    """Return the design of a model with sum-to-zero coding, shape (cells, parameters), the constant first."""
    columns = [block(term, shape) for term in ((), *terms(generators))]
    x = np.hstack(columns)
    x.flags.writeable = False
    return x


def block(term: Term, shape: tuple[int, ...]) -> FloatArray:
    """Return the columns of one term: the last level of each dimension is minus the sum of the others."""
    matrix: FloatArray = np.ones((1, 1))
    for place, size in enumerate(shape):
        coding = np.vstack([np.eye(size - 1), -np.ones(size - 1)]) if place in term else np.ones((size, 1))
        matrix = np.asarray(np.kron(matrix, coding))
    return matrix
