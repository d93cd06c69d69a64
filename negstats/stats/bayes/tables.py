"""Bayes factors of tables of counts against independence, by how the table came about (Gunel and Dickey)."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from negstats.errors import DesignError, shown
from negstats.stats.bayes.result import ModelEvidence, check_scale
from negstats.stats.results.numbers import FloatArray, floats
from negstats.stats.results.options import check_choice
from negstats.stats.summaries import Counts

Sampling: TypeAlias = Literal["poisson", "multinomial", "rows", "columns"]
NAMES = {
    "poisson": "Poisson sampling, no total fixed",
    "multinomial": "multinomial sampling, the total fixed",
    "rows": "independent multinomial sampling, the rows' totals fixed",
    "columns": "independent multinomial sampling, the columns' totals fixed",
}


def table_evidence(
    table: Counts | npt.ArrayLike, *, sampling: Sampling = "multinomial", prior_scale: float = 1.0
) -> ModelEvidence:
    """Return the Bayes factor of dependence of the rows and columns of a table against their independence.

    Parameters
    ----------
    table
        `Counts` of two factors, or rows of counts.
    sampling
        What was fixed before: nothing ("poisson": as many as came), the total ("multinomial"), or the totals of the
        rows or the columns, as with conditions of set size.
    prior_scale
        a of the prior: a gamma or Dirichlet with a in each cell; 1 is even.

    Returns
    -------
    ModelEvidence
        The Bayes factor `bf10` with the prior that it rests on.

    Raises
    ------
    DesignError
        If it is no table of two factors with two levels or more, or a count is no whole number.

    Notes
    -----
    Gunel and Dickey (1974), Biometrika 61, 545-557; as R's ``contingencyTableBF``.

    Examples
    --------
    >>> print(table_evidence([[20, 11], [8, 17]], sampling="rows").apa())
    dependence: BF₁₀ = 5.72, BF₀₁ = 0.17 (Gunel–Dickey, independent multinomial sampling, the rows' totals fixed; ...)
    """
    check_choice("sampling", sampling, tuple(NAMES))
    a = check_scale(prior_scale)
    counts = _read_table(table)
    if sampling == "columns":
        counts = counts.T
    r, c = counts.shape
    cell = np.full(counts.shape, a)
    row, column = cell.sum(axis=1), cell.sum(axis=0)
    free_row, free_column = row - (c - 1), column - (r - 1)
    if free_row.min() <= 0 or free_column.min() <= 0:
        raise DesignError(f"prior_scale is {shown(a)}; independence has a prior from about 1 on in such a table")
    of_rows = _dirichlet(counts.sum(axis=1) + free_row) - _dirichlet(free_row)
    of_columns = _dirichlet(counts.sum(axis=0) + free_column) - _dirichlet(free_column)
    of_cells = _dirichlet(counts + cell) - _dirichlet(cell)
    if sampling in ("rows", "columns"):
        of_rows = _dirichlet(counts.sum(axis=1) + row) - _dirichlet(row)
    log_bf01 = of_rows + of_columns - of_cells
    if sampling == "poisson":
        n, total, free = float(counts.sum()), float(cell.sum()), (r - 1) * (c - 1)
        b = total / n
        log_bf01 += free * np.log1p(1 / b)
        log_bf01 += gammaln(n + total - free) - gammaln(total - free) - gammaln(n + total) + gammaln(total)
    return ModelEvidence(
        models=("dependence",),
        bf10=np.exp(np.array([-log_bf01])),
        null="independence",
        prior=f"a = {a:g} in each cell",
        prior_scale=a,
        method=f"Gunel–Dickey, {NAMES[sampling]}",
    )


def _read_table(table: Any) -> FloatArray:
    counts = table.n if isinstance(table, Counts) else floats("table", table)
    if counts.ndim != 2 or min(counts.shape) < 2:
        raise DesignError(f"the table has the shape {counts.shape}; give two factors of two levels or more")
    if not np.isfinite(counts).all() or (counts < 0).any() or (np.floor(counts) != counts).any() or not counts.sum():
        raise DesignError("a count of the table is missing, below 0 or no whole number; or all are 0")
    return counts


def _dirichlet(x: FloatArray) -> float:
    """Return ln of the Dirichlet function, ΠΓ(x)/Γ(Σx)."""
    return float(gammaln(x).sum() - gammaln(x.sum()))
