"""Payoff tables, best responses, regret, dominance, and the equilibria of a bimatrix game, pure and mixed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, NotEstimable

Floats = npt.NDArray[np.float64]

CLOSE = 64.0  # units of rounding, of the largest payoff, within which two payoffs are called equal


def check_payoffs(name: str, payoffs: npt.ArrayLike) -> Floats:
    """Return a table of payoffs (or tables, along the axes before the last two) as floats.

    Raises
    ------
    DesignError
        If it is not a table of numbers.
    NotEstimable
        If a payoff is missing or infinite.
    """
    try:
        table = np.asarray(payoffs, dtype=np.float64)
    except (TypeError, ValueError):
        raise DesignError(f"{name} is not a table of numbers") from None
    if table.ndim < 2 or not table.shape[-1] or not table.shape[-2]:
        raise DesignError(f"{name} has the shape {table.shape}; a table has a row and a column a strategy")
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0][-2:]
        raise NotEstimable(f"{name}: the payoff in row {row}, column {column} (from 0) is missing or infinite")
    return table


def check_square(name: str, payoffs: npt.ArrayLike) -> Floats:
    """Return the table of a symmetric game, which has as many rows as columns.

    Raises
    ------
    DesignError, NotEstimable
        As `check_payoffs`; and if the table is not square.
    """
    table = check_payoffs(name, payoffs)
    if table.shape[-1] != table.shape[-2]:
        rows, columns = table.shape[-2:]
        raise DesignError(f"{name} has {rows} rows and {columns} columns; a symmetric game has as many of both")
    return table


def check_tables(first: npt.ArrayLike, second: npt.ArrayLike | None) -> tuple[Floats, Floats]:
    """Return both players' tables; without a second one the game is symmetric.

    Raises
    ------
    DesignError, NotEstimable
        As `check_payoffs`; and if the shapes differ, or the first is not square and there is no second.
    """
    if second is None:
        table = check_square("first", first)
        return table, np.swapaxes(table, -1, -2)
    first_table, second_table = check_payoffs("first", first), check_payoffs("second", second)
    if first_table.shape != second_table.shape:
        raise DesignError(
            f"first has the shape {first_table.shape} and second {second_table.shape}; they must be the same"
        )
    return first_table, second_table


def tolerance(*tables: Floats) -> float:
    """Return within what two payoffs of these tables are called equal: rounding noise of the largest of them."""
    largest = max((float(np.abs(table).max(initial=0.0)) for table in tables), default=0.0)
    return CLOSE * float(np.finfo(np.float64).eps) * largest


LIMIT = 200_000  # pairs of supports that are tried


def best_responses(payoffs: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return which rows are best responses to each column; ties, within rounding, are all best.

    Parameters
    ----------
    payoffs
        (..., rows, columns): the row player's payoffs.

    Returns
    -------
    ndarray of bool
        True for best responses, (rows, columns).

    Raises
    ------
    DesignError, NotEstimable
        If `payoffs` is not a table of numbers, or a payoff is missing.

    Examples
    --------
    >>> best_responses([[3, 0], [5, 1]]).tolist()
    [[False, False], [True, True]]
    """
    table = check_payoffs("payoffs", payoffs)
    return np.asarray(table >= table.max(axis=-2, keepdims=True) - tolerance(table))


def profile_regret(first: npt.ArrayLike, second: npt.ArrayLike | None = None) -> Floats:
    """Return how much the player with more to gain would gain by leaving each pure profile alone.

    Parameters
    ----------
    first, second
        Payoffs of the row player and of the column player; without `second` the game is symmetric.

    Returns
    -------
    numpy.ndarray
        (..., rows, columns), 0 at a pure equilibrium (Jordan, Kiekintveld and Wellman, 2007, call it the profile's ε).

    Raises
    ------
    DesignError, NotEstimable
        As `best_responses`; and if the tables' shapes do not fit.

    References
    ----------
    Jordan, P. R., Kiekintveld, C., & Wellman, M. P. (2007). Empirical game-theoretic analysis of the TAC supply chain
    game. Proceedings of AAMAS 2007.

    Examples
    --------
    >>> profile_regret([[3, 0], [5, 1]]).tolist()  # a prisoners' dilemma
    [[2.0, 1.0], [1.0, 0.0]]
    """
    first_table, second_table = check_tables(first, second)
    first_regret = first_table.max(axis=-2, keepdims=True) - first_table
    return np.asarray(np.maximum(first_regret, second_table.max(axis=-1, keepdims=True) - second_table))


def regret(payoffs: npt.ArrayLike, mixture: npt.ArrayLike) -> Floats:
    """Return the regret of each row: by how much it falls short of the best response to a mixture of the columns.

    Parameters
    ----------
    payoffs
        (rows, columns): the row player's payoffs.
    mixture
        (columns,): shares that sum to one.

    Returns
    -------
    Floats
        One number a row, in the unit of the payoffs; 0 for a best response.

    Raises
    ------
    DesignError, NotEstimable
        As `best_responses`; and if `mixture` has another length or holds no shares.

    Examples
    --------
    >>> regret([[0, 3], [1, 2]], [0.5, 0.5]).tolist()
    [0.0, 0.0]
    """
    table = check_payoffs("payoffs", payoffs)
    shares = check_mixture(mixture, table.shape[-1])
    values = table @ shares
    return np.asarray(values.max(axis=-1, keepdims=True) - values)


def check_mixture(mixture: npt.ArrayLike, many: int) -> Floats:
    """Return shares of so many strategies.

    Raises
    ------
    DesignError
        If they are of another number, negative, or do not sum to one.
    """
    shares = np.asarray(mixture, dtype=np.float64)
    if shares.shape != (many,):
        raise DesignError(f"mixture has the shape {shares.shape}; give a share for each of the {many} strategies")
    if not (shares >= 0).all() or abs(shares.sum() - 1) > 1e-9:
        raise DesignError(f"mixture holds {shares.tolist()}; give shares from 0 to 1 that sum to 1")
    return shares


def pure_equilibria(first: npt.ArrayLike, second: npt.ArrayLike | None = None) -> list[tuple[int, int]]:
    """Return the profiles (row, column) that neither player gains by leaving alone.

    Parameters
    ----------
    first, second
        As in `profile_regret`.

    Returns
    -------
    list[tuple[int, int]]
        Pairs of numbers from 0; empty if there is none.

    Raises
    ------
    DesignError, NotEstimable
        As `profile_regret`.

    Examples
    --------
    >>> pure_equilibria([[3, 0], [5, 1]]), pure_equilibria([[1, -1], [-1, 1]], [[-1, 1], [1, -1]])
    ([(1, 1)], [])
    """
    first_table, second_table = check_tables(first, second)
    best = best_responses(first_table) & best_responses(second_table.T).T
    return [(int(row), int(column)) for row, column in np.argwhere(best)]


def undominated(
    first: npt.ArrayLike, second: npt.ArrayLike | None = None
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the rows and columns that remain after strictly dominated pure strategies are removed repeatedly.

    Parameters
    ----------
    first, second
        As in `profile_regret`.

    Returns
    -------
    tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]
        Numbers of the rows, and of the columns, from 0.

    Raises
    ------
    DesignError, NotEstimable
        As `profile_regret`.

    Examples
    --------
    >>> [places.tolist() for places in undominated([[3, 0], [5, 1]])]
    [[1], [1]]
    """
    first_table, second_table = check_tables(first, second)
    tolerated = tolerance(first_table, second_table)
    rows, columns = np.arange(first_table.shape[0]), np.arange(first_table.shape[1])
    while True:
        rows_kept = _undominated_rows(first_table[np.ix_(rows, columns)], tolerated)
        columns_kept = _undominated_rows(second_table[np.ix_(rows, columns)].T, tolerated)
        if rows_kept.all() and columns_kept.all():
            return rows, columns
        rows, columns = rows[rows_kept], columns[columns_kept]


def _undominated_rows(table: Floats, tolerated: float) -> npt.NDArray[np.bool_]:
    dominates = (table[None, :, :] > table[:, None, :] + tolerated).all(axis=2)
    return np.asarray(~np.any(dominates, axis=1))


def equilibria(
    first: npt.ArrayLike, second: npt.ArrayLike | None = None, *, limit: int = LIMIT
) -> list[tuple[Floats, Floats]]:
    """Find the equilibria of a game of two players by enumerating supports of equal size.

    Parameters
    ----------
    first, second
        As in `profile_regret`.
    limit
        The largest number of pairs of supports to try.

    Returns
    -------
    list of (numpy.ndarray, numpy.ndarray)
        Shares of the rows and of the columns, pure equilibria first, then by the size of the support.

    Raises
    ------
    DesignError, NotEstimable
        As `profile_regret`; and if there are more pairs of supports than `limit`.

    Notes
    -----
    Algorithm 3.4 of Nisan, Roughgarden, Tardos and Vazirani (2007), on what remains when strictly dominated strategies
    are struck out. A game is nondegenerate where no mixture of k strategies has more than k pure best responses; then
    these are all its equilibria. A degenerate game may have more, in whole faces.

    References
    ----------
    Nisan, N., Roughgarden, T., Tardos, É., & Vazirani, V. V. (Eds.). (2007). Algorithmic Game Theory. Cambridge
    University Press.

    Examples
    --------
    Hawk and dove with a prize of 2 and a cost of 3:

    >>> [rows.round(3).tolist() for rows, _ in equilibria([[-0.5, 2], [0, 1]])]
    [[1.0, 0.0], [0.0, 1.0], [0.667, 0.333]]
    """
    first_table, second_table = check_tables(first, second)
    rows, columns = undominated(first_table, second_table)
    pairs = comb(len(rows) + len(columns), min(len(rows), len(columns))) - 1
    if pairs > limit:
        raise DesignError(
            f"{len(rows)} and {len(columns)} strategies that nothing dominates have {pairs:,} pairs of supports; "
            f"up to {limit:,} are tried: leave strategies out, or raise limit="
        )
    first_reduced, second_reduced = first_table[np.ix_(rows, columns)], second_table[np.ix_(rows, columns)]
    mixtures = []
    for row_shares, column_shares in _solve_supports(first_reduced, second_reduced):
        shares = np.zeros(first_table.shape[0]), np.zeros(first_table.shape[1])
        shares[0][rows], shares[1][columns] = row_shares, column_shares
        mixtures.append(shares)
    return mixtures


def _solve_supports(first_table: Floats, second_table: Floats) -> Iterator[tuple[Floats, Floats]]:
    slack = tolerance(first_table, second_table) * max(first_table.shape)
    for size in range(1, min(first_table.shape) + 1):
        for row_support in combinations(range(first_table.shape[0]), size):
            for column_support in combinations(range(first_table.shape[1]), size):
                # The columns' shares leave the rows of the support alike.
                column_shares = _indifferent(first_table[np.ix_(row_support, column_support)])
                row_shares = _indifferent(second_table[np.ix_(row_support, column_support)].T)
                if row_shares is None or column_shares is None:
                    continue
                mixtures = np.zeros(first_table.shape[0]), np.zeros(first_table.shape[1])
                mixtures[0][list(row_support)], mixtures[1][list(column_support)] = row_shares, column_shares
                # An equilibrium if no strategy outside the supports pays more than those inside.
                row_payoffs, column_payoffs = first_table @ mixtures[1], mixtures[0] @ second_table
                if (row_payoffs[list(row_support)] >= row_payoffs.max() - slack).all() and (
                    column_payoffs[list(column_support)] >= column_payoffs.max() - slack
                ).all():
                    yield mixtures


def _indifferent(table: Floats) -> Floats | None:
    """Return positive shares of the columns that make all rows worth the same; None if no one mixture does."""
    size = len(table)
    if size == 1:
        return np.ones(1)
    system = np.vstack([table[1:] - table[0], np.ones(size)])
    scale = np.abs(system[:-1]).max()
    if scale == 0:
        return None
    system[:-1] /= scale
    if np.linalg.matrix_rank(system) < size:
        return None
    shares: Floats = np.linalg.solve(system, np.eye(size)[-1])
    return shares if (shares > size * np.finfo(np.float64).eps * np.linalg.cond(system)).all() else None
