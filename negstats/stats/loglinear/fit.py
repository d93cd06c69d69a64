"""Hierarchical models: their generating classes, maximum-likelihood fits to stacks of tables, and parameters.

A hierarchical model is written by its largest terms, each in brackets with the names of its dimensions: the model
``[reward partner][walkaway]`` holds the terms reward, partner, reward × partner and walkaway. Names with spaces or
brackets are quoted: ``["agent reward" 'walked away']``. Inside, a term is a tuple of places in ascending order.

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

ln m = λ + λᴬ + λᴮ + λᴬᴮ + ...; each λ adds up to 0 over every dimension of its term, so that no level is a reference
and renaming or reordering levels changes nothing but the order of the rows.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from negstats.errors import DesignError, NotEstimable, meant, shown
from negstats.stats.counts.contingency import normal_p
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.frames import Factor

Term: TypeAlias = tuple[int, ...]
Generators: TypeAlias = tuple[Term, ...]
Model: TypeAlias = str | int | Sequence[Sequence[str]]

# Hierarchical models with at least one term, by number of dimensions (Dedekind's numbers less 2). The model without
# any term, of equal counts, is not among them.
HIERARCHICAL_MODELS = {1: 1, 2: 4, 3: 18, 4: 166, 5: 7579}

TOKEN = re.compile(r"""\[|\]|"[^"]*"|'[^']*'|[^\s,\[\]"']+""")
PLAIN = re.compile(r"""[^\s,\[\]"']+""")


def parse(model: Model, names: Sequence[str]) -> Generators:
    """Return the generating class of a model.

    Parameters
    ----------
    model
        Bracket notation; a list of tuples of names; "saturated"; "independence"; or an order k, for all terms of k
        dimensions (0: equal counts).
    names
        The dimensions' names.

    Raises
    ------
    DesignError
        For a name that is not a dimension (with the nearest), brackets that do not close, a dimension twice in a
        term, and a term that another one already holds.

    Examples
    --------
    >>> parse("[reward partner][walkaway]", ["reward", "partner", "walkaway"])
    ((0, 1), (2,))
    """
    if isinstance(model, int):
        if not 0 <= model <= len(names):
            raise DesignError(f"the order {model} is not between 0 and the {len(names)} dimensions of the table")
        return of_order(len(names), model)
    if isinstance(model, str):
        orders = {"saturated": len(names), "independence": 1}
        if model in orders:
            return of_order(len(names), orders[model])
        groups: Sequence[Sequence[str]] = _groups(model)
    else:
        groups = [(group,) if isinstance(group, str) else tuple(group) for group in model]
    # Terms by the places of their dimensions; none may lie inside another.
    terms = [_term(group, names) for group in groups]
    for smaller, larger in itertools.permutations(terms, 2):
        if set(smaller) <= set(larger):
            smaller_text, larger_text = spell_term(smaller, names), spell_term(larger, names)
            raise DesignError(
                f"[{larger_text}] already holds [{smaller_text}]: a hierarchical model has all lower terms of its "
                "terms; name only the largest"
            )
    return _sort_terms(terms)


def _groups(text: str) -> list[list[str]]:
    groups: list[list[str]] = []
    group: list[str] | None = None
    for symbol in TOKEN.findall(text):
        if symbol == "[" and group is None:
            group = []
        elif symbol == "]" and group:
            groups.append(group)
            group = None
        elif symbol in "[]" or group is None:
            break
        else:
            group.append(symbol.strip("\"'"))
    else:
        if group is None and groups and not TOKEN.sub("", text).strip(" \t\n,"):
            return groups
    raise DesignError(
        f"the model {shown(text)} cannot be read; write each term in brackets, such as '[reward partner][walkaway]', "
        "or 'saturated', 'independence' or an order"
    )


def _term(group: Sequence[str], names: Sequence[str]) -> Term:
    for name in group:
        if name not in names:
            space_hint = " (quote a name with spaces)" if any(" " in dimension for dimension in names) else ""
            raise DesignError(f"the table has no dimension {name!r}; {meant(name, names)}{space_hint}")
    if not group or len(set(group)) < len(group):
        raise DesignError(f"the term [{' '.join(group)}] is empty or names a dimension twice")
    return tuple(sorted(names.index(name) for name in group))


def spell_term(term: Term, names: Sequence[str]) -> str:
    """Return a term's names, quoted where they need it."""
    return " ".join(
        name if PLAIN.fullmatch(name) else _quote(name) for name in (names[dimension] for dimension in term)
    )


def _quote(name: str) -> str:
    return f"'{name}'" if '"' in name else f'"{name}"'


def spell(generators: Generators, names: Sequence[str]) -> str:
    """Return a generating class in bracket notation; ``[]`` is the model of equal counts.

    Examples
    --------
    >>> spell(((0, 1), (2,)), ["reward", "partner", "walked away"])
    '[reward partner]["walked away"]'
    """
    return "".join(f"[{spell_term(term, names)}]" for term in generators) or "[]"


def _sort_terms(terms: Iterable[Term]) -> Generators:
    return tuple(sorted(terms, key=lambda term: (-len(term), term)))


@functools.cache
def terms(generators: Generators) -> tuple[Term, ...]:
    """Return all terms of a model but the constant: lower orders first."""
    all_terms = {
        lower_term
        for term in generators
        for size in range(1, len(term) + 1)
        for lower_term in itertools.combinations(term, size)
    }
    return tuple(sorted(all_terms, key=lambda term: (len(term), term)))


def of_order(dims: int, order: int) -> Generators:
    """Return the model that holds all terms of `order` dimensions and no larger one."""
    return tuple(itertools.combinations(range(dims), order)) if order else ()


def without(generators: Generators, term: Term) -> Generators:
    """Return the model less one term of its generating class; the lower terms of that term stay."""
    return _maximal([remaining for remaining in terms(generators) if remaining != term])


def _maximal(terms: Sequence[Term]) -> Generators:
    return _sort_terms(term for term in terms if not any(set(term) < set(larger) for larger in terms))


def holds(larger: Generators, smaller: Generators) -> bool:
    """Return whether every term of the smaller model is in the larger one."""
    return set(terms(smaller)) <= set(terms(larger))


def every_model(dims: int) -> list[Generators]:
    """Return every hierarchical model of a table with at least one term, fewest terms first.

    Examples
    --------
    >>> every_model(2)
    [((0,),), ((1,),), ((0,), (1,)), ((0, 1),)]
    >>> [len(every_model(dims)) for dims in (2, 3, 4)]
    [4, 18, 166]
    """
    candidates = [frozenset(term) for size in range(dims, 0, -1) for term in itertools.combinations(range(dims), size)]
    models: list[Generators] = []

    # Antichains of terms, each reached once: terms are added in one order, none inside another.
    def extend(terms: tuple[frozenset[int], ...], start: int) -> None:
        if terms:
            models.append(_sort_terms(tuple(sorted(term)) for term in terms))
        for candidate in range(start, len(candidates)):
            if not any(candidates[candidate] < chosen for chosen in terms):
                extend((*terms, candidates[candidate]), candidate + 1)

    extend((), 0)
    return sorted(models, key=lambda model: (len(terms(model)), model))


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
    if stopping is not None:
        fit = _scale(tables, start, generators, stopping)
    else:
        exact = Stopping()
        fit = _scale(tables, start, generators, Stopping(exact.tolerance, PATIENCE))
        # Slow tables may have zeros at the boundary: these cells are
        # set to 0, and the others are fitted to the end.
        unconverged = np.flatnonzero(~fit.converged)
        if unconverged.size:
            restart = fit.fitted[unconverged]
            for table_index, table in enumerate(tables[unconverged]):
                restart[table_index][boundary(table > 0, generators, possible)] = 0.0
            refit = _scale(tables[unconverged], restart, generators, exact)
            fit.fitted[unconverged], fit.converged[unconverged] = refit.fitted, refit.converged
            fit.iterations[unconverged] += refit.iterations
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
            fitted_margin = current.sum(axis=axes, keepdims=True) if axes else current
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = margin / fitted_margin
            ratio[fitted_margin == 0] = 0.0
            current = current * ratio
        change = np.abs(current - previous)
        if stopping.relative:
            change = np.divide(change, current, out=np.where(previous > 0, 1.0, 0.0), where=current > 0)
            # a margin of 0 takes its cells to 0 in the first cycle; that is settled, not a change to come
            change[(current == 0) & (cycle > 1)] = 0.0
        # Tables that have converged leave the stack, so that a slow one does not hold up the others.
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
    mask_bytes = _boundary(positive.tobytes(), positive.shape, generators, possible.tobytes())
    return np.frombuffer(mask_bytes, dtype=np.bool_).reshape(positive.shape)


@functools.lru_cache(maxsize=4096)
def _boundary(positive_bytes: bytes, shape: tuple[int, ...], generators: Generators, possible: bytes) -> bytes:
    """Solve for the face: the most cells that a direction of the model raises above 0 without moving an observed one.

    Such a direction x'd is 0 where something was observed and not below 0 elsewhere; walking against it raises the
    likelihood for ever and takes the cells with x'd > 0 to 0.
    """
    is_positive, is_possible = (np.frombuffer(bits, dtype=np.bool_) for bits in (positive_bytes, possible))
    empty_cells = np.flatnonzero(is_possible & ~is_positive)
    if not empty_cells.size:
        return (~is_possible).tobytes()
    x = design(generators, shape)
    n_free = x.shape[1]
    # A direction that is 0 in observed cells and largest in empty ones: where it rises the fit is 0.
    solution = scipy.optimize.linprog(
        np.concatenate([np.zeros(n_free), -np.ones(empty_cells.size)]),
        A_ub=np.hstack([-x[empty_cells], np.eye(empty_cells.size)]),
        b_ub=np.zeros(empty_cells.size),
        A_eq=np.hstack([x[is_positive], np.zeros((int(is_positive.sum()), empty_cells.size))]),
        b_eq=np.zeros(int(is_positive.sum())),
        bounds=[(None, None)] * n_free + [(0, 1)] * empty_cells.size,
        method="highs",
    )
    if solution.x is None:  # pragma: no cover - d = 0 is always feasible
        return (~is_possible).tobytes()
    is_zero = ~is_possible
    is_zero[empty_cells[solution.x[n_free:] > 0.5]] = True
    return is_zero.tobytes()


def ranks(fitted: FloatArray, generators: Generators, possible: Mask) -> FloatArray:
    """Return for each study the rank of a model's design on the cells fitted above 0, shape ``(*studies,)``.

    It is the number of parameters, the constant among them, that data on those cells can give.
    """
    dims = possible.ndim
    is_positive = (fitted > 0).reshape(-1, possible.size)
    x = design(generators, possible.shape)
    patterns, positions = (
        (is_positive[:1], np.zeros(1, int))
        if len(is_positive) == 1
        else np.unique(is_positive, axis=0, return_inverse=True)
    )
    rank_of_pattern = [x.shape[1] if pattern.all() else _rank(x[pattern]) for pattern in patterns]
    return np.array(rank_of_pattern, dtype=np.float64)[positions.ravel()].reshape(fitted.shape[: fitted.ndim - dims])


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
    return 1 + sum(math.prod(shape[dimension] - 1 for dimension in term) for term in terms(generators))


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
    for dimension, size in enumerate(shape):
        coding = np.vstack([np.eye(size - 1), -np.ones(size - 1)]) if dimension in term else np.ones((size, 1))
        matrix = np.asarray(np.kron(matrix, coding))
    return matrix


def estimates(fitted: FloatArray, generators: Generators) -> tuple[FloatArray, FloatArray]:
    """Return the parameters of a fitted table and their covariance matrix, in the order of `fit.design`.

    The covariance is (X'diag(m)X)⁻¹ over the cells that are fitted above 0 (Agresti, 2013, eq. 9.19 for counts with a
    random total; conditional on the total only the constant's entries differ).

    Raises
    ------
    NotEstimable
        If zeros leave too few cells for the parameters: some are infinite or not told apart.
    """
    x, fitted_counts = design(generators, fitted.shape), fitted.ravel()
    is_positive = fitted_counts > 0
    x, fitted_counts = x[is_positive], fitted_counts[is_positive]
    if np.linalg.matrix_rank(x) < x.shape[1]:
        raise NotEstimable(
            f"{int((~is_positive).sum())} cells are fitted as 0, so some parameters are infinite; pool levels or take "
            "a smaller model",
            advice="spss=True adds 0.5 to every cell of the saturated model",
        )
    # Weighted least squares of the log counts at the fit gives the parameters and the inverse information.
    root_fitted = np.sqrt(fitted_counts)[:, None]
    q, r = np.linalg.qr(root_fitted * x)
    beta = np.linalg.solve(r, q.T @ (root_fitted[:, 0] * np.log(fitted_counts)))
    inverse = np.linalg.solve(r, np.eye(len(r)))
    return beta, inverse @ inverse.T


def parameter_table(
    fitted: FloatArray, generators: Generators, factors: tuple[Factor, ...], confidence_level: float
) -> pd.DataFrame:
    """Return one row a parameter, for every combination of levels: estimate, se, z, p, low, high.

    The parameters of the last level are minus the sum of the others, and have their standard errors too.
    """
    beta, covariance = estimates(fitted, generators)
    names, levels, values, errors = ["constant"], [""], [beta[:1]], [np.sqrt(covariance[0, :1])]
    # The parameters of a term stand side by side; its coding turns
    # them into one for each cell, which sum to zero.
    start = 1
    for term in terms(generators):
        coding = block(tuple(range(len(term))), tuple(fitted.shape[dimension] for dimension in term))
        columns = slice(start, start + coding.shape[1])
        values.append(coding @ beta[columns])
        errors.append(np.sqrt(np.einsum("ij,jk,ik->i", coding, covariance[columns, columns], coding)))
        names += [" × ".join(factors[dimension].name for dimension in term)] * len(coding)
        levels += [
            ", ".join(combined) for combined in itertools.product(*(factors[dimension].levels for dimension in term))
        ]
        start = columns.stop
    estimate, se = np.concatenate(values), np.concatenate(errors)
    ratio, interval = estimate / se, t_interval(estimate, se, np.inf, confidence_level)
    return pd.DataFrame(
        {
            "term": names,
            "level": levels,
            "estimate": estimate,
            "se": se,
            "z": ratio,
            "p": normal_p(ratio),
            "low": interval.low,
            "high": interval.high,
        }
    )
