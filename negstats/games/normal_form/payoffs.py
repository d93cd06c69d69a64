"""Payoff tables as arrays: checked once, for all that is computed from them."""

from __future__ import annotations

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
    one, other = check_payoffs("first", first), check_payoffs("second", second)
    if one.shape != other.shape:
        raise DesignError(f"first has the shape {one.shape} and second {other.shape}; they must be the same")
    return one, other


def tolerance(*tables: Floats) -> float:
    """Return within what two payoffs of these tables are called equal: rounding noise of the largest of them."""
    largest = max((float(np.abs(table).max(initial=0.0)) for table in tables), default=0.0)
    return CLOSE * float(np.finfo(np.float64).eps) * largest
