"""A hierarchical log-linear model fitted to a table: `loglinear` and its result.

What SPSS does differently, from its command reference, HILOGLINEAR (CRITERIA and PRINT subcommands):

- scaling stops at a change of every fitted count of at most 0.25 or, if larger, a thousandth of the largest cell
  (CONVERGE), or after 20 cycles (ITERATE): its G² can be off in the second decimal;
- 0.5 is added to every cell of a saturated model (DELTA), and its parameters come from those counts; k-way tests,
  partial associations and backward elimination use the counts as they are;
- the df of tests do not heed zeros ("unadjusted"). Beside them HILOGLINEAR prints "adjusted" df, less the cells fitted
  as 0, which it calls possibly too low. The df of this package lie between the two: see ``fit``;
- backward elimination drops effects whose p exceeds .05 (P), in at most 10 steps (MAXSTEPS).

Cells on the boundary are not sought; scaling creeps towards them until it is stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from negstats.errors import DesignError
from negstats.stats.counts.contingency import (
    TableResult,
    check_filled,
    check_one_table,
    chi2_sf,
    likelihood_ratio,
    pearson,
    table,
    table_warning,
    totals,
)
from negstats.stats.loglinear.fit import (
    Generators,
    Mask,
    Model,
    Stopping,
    design,
    fit_tables,
    parameter_count,
    parameter_table,
    parse,
    ranks,
    spell,
)
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.summaries import Counts
from negstats.stats.summaries.frames import By

DELTA = 0.5
ITERATE = 20
MAXSTEPS = 10
ALPHA = 0.05


def stopping(n: FloatArray) -> Stopping:
    """Return HILOGLINEAR's default rule for a table of counts.

    Examples
    --------
    >>> import numpy as np
    >>> stopping(np.array([[48.0, 28.0], [29.0, 20.0]]))
    Stopping(tolerance=0.25, limit=20, relative=False)
    """
    return Stopping(max(0.25, 1e-3 * float(n.max())), ITERATE, relative=False)


Kind = Literal["raw", "pearson", "deviance", "adjusted"]
DIMS = (2, 3, 4, 5)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LogLinear(TableResult):
    """A hierarchical log-linear model and how well it fits.

    Attributes
    ----------
    model : str
        The generating class, such as ``[reward partner][walkaway]``.
    statistic, x2 : float or ndarray
        Likelihood-ratio and Pearson chi-squared.
    df : float or ndarray
        Cells fitted above 0 less the parameters that these data can give (rank of the design on those cells). With
        `spss` the unadjusted df.
    df_unadjusted : int
        Cells less parameters of a table without zeros, as R's loglin and SPSS count.
    p, p_pearson : float or ndarray
        Of G² and of X²; NaN with df 0.
    n : float or ndarray
        Observations.
    zeros : float or ndarray
        Sampling zeros: cells that could have been observed and were not.
    structural_zeros : int
        Cells that cannot occur.
    aic, bic : float or ndarray
        −2 ln L + 2 parameters, and −2 ln L + ln(n) parameters, with the Poisson likelihood (AIC is that of R's glm).
        Only differences between models of one table mean anything.
    iterations : int or ndarray
        Cycles of proportional fitting.
    converged : bool or ndarray
        Whether it came to rest.
    method : str
        "iterative proportional fitting" or "SPSS HILOGLINEAR".
    warning : str
        What speaks against the chi-squared approximation; empty if nothing does, and for a stack.
    delta : float
        What was added to every cell: 0.5 in a saturated model with `spss`, else 0.
    observed : Counts
        The table, with `delta` added.
    fitted : ndarray
        Fitted counts, shape ``(*studies, *levels)``.
    generators : tuple of tuples of int
        The generating class by places of the dimensions.
    possible : ndarray of bool, shape levels
        False for structural zeros.
    """

    columns: ClassVar[tuple[str, ...]] = (
        "model", "statistic", "df", "p", "x2", "p_pearson", "n", "df_unadjusted", "zeros", "structural_zeros", "aic",
        "bic", "iterations", "converged", "method", "warning", "missing",
    )  # fmt: skip

    model: str
    statistic: Number
    x2: Number
    df: Number
    df_unadjusted: int
    p: Number
    p_pearson: Number
    n: Number
    zeros: Number
    structural_zeros: int
    aic: Number
    bic: Number
    iterations: int | npt.NDArray[np.intp]
    converged: bool | Mask
    method: str
    warning: str
    delta: float
    observed: Counts
    fitted: FloatArray
    generators: Generators
    possible: Mask

    @property
    def missing(self) -> int:
        """Rows that were left out because a factor was missing."""
        return self.observed.missing

    @property
    def df_adjusted(self) -> Number:
        """The df that SPSS calls adjusted: unadjusted less the cells fitted as 0; may be too low."""
        axes = tuple(range(-self.possible.ndim, 0))
        return plain(self.df_unadjusted - (self.fitted == 0).sum(axis=axes))

    def residuals(self, kind: Kind = "adjusted") -> FloatArray:
        """Return the residuals of all cells, shape of the table.

        Parameters
        ----------
        kind
            "raw" n − m; "pearson" (n − m)/√m, which SPSS calls standardized; "deviance", the signed root of the cell's
            part of G²; "adjusted", raw over its standard error, a standard normal in large samples if the model holds
            (Agresti, 2013, 9.2.3). NaN where the model leaves a cell no room: m = 0, or fitted exactly by design.

        Returns
        -------
        ndarray of float
            One residual a cell.

        References
        ----------
        Agresti, A. (2013). Categorical Data Analysis (3rd ed.). Wiley.
        """
        n, m = self.observed.n, self.fitted
        with np.errstate(divide="ignore", invalid="ignore"):
            cases: dict[str, Callable[[], FloatArray]] = {
                "raw": lambda: n - m,
                "pearson": lambda: (n - m) / np.sqrt(m),
                "deviance": lambda: np.sign(n - m) * np.sqrt(np.maximum(2 * special.kl_div(n, m), 0.0)),
                "adjusted": lambda: (n - m) / np.sqrt(m * self._room()),
            }
            if kind not in cases:
                raise DesignError(f"kind is {kind!r}; give one of {', '.join(map(repr, cases))}")
            return np.where(m > 0, cases[kind](), np.nan)

    def _room(self) -> FloatArray:
        """1 less the leverage of each cell; NaN where nothing is left."""
        weighted_design = np.sqrt(self.fitted).reshape(-1, self.possible.size, 1) * design(
            self.generators, self.possible.shape
        )
        u, s, _ = np.linalg.svd(weighted_design, full_matrices=False)
        has_rank = s > s.max(axis=-1, keepdims=True) * self.possible.size * np.finfo(float).eps
        room = 1 - (u**2 * has_rank[:, None, :]).sum(axis=-1)
        return np.where(room > 1e-9, room, np.nan).reshape(self.fitted.shape)

    def cells(self) -> pd.DataFrame:
        """Return one row a cell of a single table: levels, n, fitted and the four residuals.

        Returns
        -------
        DataFrame
            ``n`` and ``fitted`` are counts; the residuals are as in `residuals`.
        """
        kinds: tuple[Kind, ...] = ("raw", "pearson", "deviance", "adjusted")
        residuals = {kind: self.residuals(kind).ravel() for kind in kinds}
        return self.observed.to_frame().assign(fitted=self.fitted.ravel(), **residuals)

    def parameters(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return the parameters of a single table in sum-to-zero coding: term, level, estimate, se, z, p, low, high.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            Estimates and intervals are on the scale of log counts.

        Raises
        ------
        NotEstimable
            If zeros make some of them infinite.
        """
        check_one_table(self.observed, "parameters")
        return parameter_table(self.fitted, self.generators, self.observed.factors, confidence_level)

    def apa(self) -> str:
        """Return the generating class with ``G²(df, N = n) = x, p = .xxx``.

        Returns
        -------
        str
            The fit of the model as a results section prints it.
        """
        n = round(self._one(self.n))
        return f"{self.model}: {apa.statistic('G²', self.statistic, (self.df,), self.p, n=n)}"


def loglinear(
    data: Any,
    model: Model = "saturated",
    by: By = None,
    *,
    structural_zeros: npt.ArrayLike | None = None,
    spss: bool = False,
) -> LogLinear:
    """Fit a hierarchical log-linear model to a table of two to five dimensions.

    It is fitted by scaling a table to the margins of its generating class [1]_.

    Parameters
    ----------
    data
        Counts, nested lists, a cross-table, a stack of tables (fitted in one go), or a frame of raw rows with `by`.
        Counts that are not whole are taken, and `warning` says so. The rows must be independent observations; a table
        cannot show whether they are.
    model
        Bracket notation ``"[reward partner][walkaway]"`` (quote names with spaces), a list of tuples of names,
        "saturated", "independence", or an order k for all k-way terms. A dimension that is left out is taken to have
        equal counts at its levels.
    by
        The columns of a frame to count.
    structural_zeros
        True for cells that cannot occur, shape of the table. A 0 that could have been observed needs no mark.
    spss
        Do as SPSS's HILOGLINEAR does (see ``loglinear.models``); for one table.

    Returns
    -------
    LogLinear
        The model with G², Pearson's chi-squared, df, AIC and BIC, and the observed and the fitted counts.

    Raises
    ------
    DesignError
        If the model cannot be read or names an unknown dimension, a dimension has one level, a count is negative, or
        a structural zero was observed.
    NotEstimable
        If a single table is empty or a level of it has no observations.

    Notes
    -----
    Zeros and the degrees of freedom: see ``loglinear.fit``. In a stack, a level that a study lacks costs it the
    parameters of that level; an empty study has df 0 and p NaN.

    References
    ----------
    .. [1] Bishop, Y. M. M., Fienberg, S. E., & Holland, P. W. (1975). Discrete Multivariate Analysis, ch. 3 and 5.

    Examples
    --------
    Walk-aways by the reward of the agent and of its training partner (Chawla et al., 2023, Table 3):

    >>> walked = [[[5, 92], [6, 94], [5, 92]], [[19, 77], [22, 68], [10, 93]]]
    >>> names = {
    ...     "reward": ["fair", "selfish"],
    ...     "partner": ["supervised", "fair", "selfish"],
    ...     "walkaway": ["yes", "no"],
    ... }
    >>> table = Counts.from_table(walked, names)
    >>> print(loglinear(table, "[reward][partner][walkaway]").apa())
    [reward][partner][walkaway]: G²(7, N = 583) = 31.12, p < .001
    >>> print(loglinear(table, 2).apa())
    [reward partner][reward walkaway][partner walkaway]: G²(2, N = 583) = 1.71, p = .425
    """
    counts, possible = prepared(data, by, structural_zeros, spss)
    names = [factor.name for factor in counts.factors]
    return fitted_model(counts, parse(model, names), possible, spss)


def prepared(data: Any, by: By, structural_zeros: npt.ArrayLike | None, spss: bool) -> tuple[Counts, Mask]:
    """Return the checked table and which of its cells are possible."""
    counts = table(data, by, DIMS)
    check_filled(counts)
    if spss:
        check_one_table(counts, "spss=True")
    if structural_zeros is None:
        return counts, np.ones(counts.shape, dtype=np.bool_)
    mask = np.asarray(structural_zeros)
    if mask.shape != counts.shape or mask.dtype != np.bool_:
        raise DesignError(
            f"structural_zeros has the shape {mask.shape} and type {mask.dtype}; give True or False for each cell of "
            f"the table, shape {counts.shape}"
        )
    if (counts.n[..., mask] > 0).any():
        raise DesignError("a cell that structural_zeros marks as impossible has observations")
    return counts, ~mask


def fitted_model(counts: Counts, generators: Generators, possible: Mask, spss: bool) -> LogLinear:
    """Fit one model to a checked table; what `loglinear` and the selection of models share."""
    shape, dims = possible.shape, possible.ndim
    n_unadjusted = parameter_count(generators, shape)
    delta = DELTA if spss and n_unadjusted == possible.size else 0.0
    zeros = ((counts.n == 0) & possible).sum(axis=tuple(range(-dims, 0)))
    if delta:
        counts = Counts(counts.n + delta * possible, counts.factors, counts.missing)
    n, size = counts.n, totals(counts)
    fit = fit_tables(n, generators, possible, stopping(n) if spss else None)
    fitted = fit.fitted
    g2, x2 = likelihood_ratio(n, fitted, dims), pearson(n, fitted, dims)
    axes = tuple(range(-dims, 0))
    n_parameters = ranks(fitted, generators, possible)  # parameters that these data give
    df = (
        np.full(size.shape, float(possible.size - n_unadjusted)) if spss else (fitted > 0).sum(axis=axes) - n_parameters
    )
    deviance = -2 * (special.xlogy(n, fitted) - fitted - special.gammaln(n + 1)).sum(axis=axes)
    is_single = not counts.studies
    return LogLinear(
        model=spell(generators, [factor.name for factor in counts.factors]),
        statistic=plain(g2),
        x2=plain(x2),
        df=plain(df),
        df_unadjusted=possible.size - n_unadjusted,
        p=chi2_sf(g2, df),
        p_pearson=chi2_sf(x2, df),
        n=plain(size),
        zeros=plain(zeros),
        structural_zeros=int((~possible).sum()),
        aic=plain(deviance + 2 * n_parameters),
        bic=plain(deviance + n_parameters * np.log(np.maximum(size, 1.0))),
        iterations=int(fit.iterations) if is_single else fit.iterations,
        converged=bool(fit.converged) if is_single else fit.converged,
        method="SPSS HILOGLINEAR" if spss else "iterative proportional fitting",
        warning=table_warning(counts, fitted),
        delta=delta,
        observed=counts,
        fitted=fitted,
        generators=generators,
        possible=possible,
    )
