"""Estimated marginal means: a factor's levels, averaged over the other factors' cells or at their levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from negstats.errors import DesignError, NotEstimable
from negstats.stats.means.design import Design, Grid, design_of, kron
from negstats.stats.results.apa import number
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_choice, check_single
from negstats.stats.results.result import Interval, Result, study_frame
from negstats.stats.summaries.frames import By, Crossed, Factor, names_of

Averaging = Literal["equal", "proportional", "cells"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Margins(Result):
    """Estimated marginal means. Arrays have the shape ``(*studies, combinations of levels)``.

    Attributes
    ----------
    factors : tuple of Factor
        The factors whose means these are.
    levels : tuple of tuple of str
        The levels that each mean belongs to, one a factor.
    mean, se : ndarray
        Estimate and its standard error from the pooled error, in the unit of the outcome.
    df : float or ndarray
        Degrees of freedom of the error; of a mixed model one a mean.
    n : ndarray
        Observations that the mean rests on; NaN where the summary does not say.
    weights : str
        How the cells of the other factors are averaged.
    outcome : str
    missing : int
        Rows that were left out because the outcome or a factor was missing.
    """

    factors: tuple[Factor, ...]
    levels: tuple[tuple[str, ...], ...]
    mean: FloatArray
    se: FloatArray
    df: Number
    n: FloatArray
    weights: str
    outcome: str
    missing: int = 0

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the t interval of each mean.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its ends are arrays with one entry a mean, in units of the outcome.
        """
        return t_interval(self.mean, self.se, self._df, confidence_level)

    @property
    def _df(self) -> FloatArray:
        """The degrees of freedom with an axis for the means."""
        df = np.asarray(self.df, dtype=np.float64)
        return df if df.ndim == self.mean.ndim else df[..., None]

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a mean: the factors' levels, n, mean, se, df, low, high; for a stack behind ``study``.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            ``mean``, ``se``, ``low`` and ``high`` are in units of the outcome.
        """
        interval = self.confidence_interval(confidence_level)
        columns = {"n": self.n, "mean": self.mean, "se": self.se, "df": self._df}
        columns |= {"low": np.asarray(interval.low), "high": np.asarray(interval.high)}
        labels = {factor.name: [row[i] for row in self.levels] for i, factor in enumerate(self.factors)}
        return study_frame("Margins/1", labels, columns)

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return every mean with its SE and interval, behind its levels.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            One clause a mean, with semicolons between.
        """
        check_single(self.mean[..., 0], "apa()")
        interval = self.confidence_interval(confidence_level)
        bounds = zip(np.asarray(interval.low), np.asarray(interval.high), strict=True)
        return "; ".join(
            f"{', '.join(levels)}: M = {number(mean)}, SE = {number(se)}, "
            f"{100 * confidence_level:g}% CI [{number(low)}, {number(high)}]"
            for levels, mean, se, (low, high) in zip(self.levels, self.mean, self.se, bounds, strict=True)
        )


def margins(
    data: Any,
    outcome: str | None = None,
    by: By = None,
    *,
    specs: str | Sequence[str],
    weights: Averaging = "equal",
    scale: str | None = None,
) -> Margins:
    """Estimate the marginal means of a factor (or of combinations of factors) with the pooled error of the design.

    Of a model (`linear_model`, `mixed`, `ancova`; on the log scale `quasi_poisson` and `gee`) or of repeated measures
    (`Moments`) with its own errors and degrees of freedom, covariates at their means.

    Parameters
    ----------
    data, outcome, by
        The design, as in `anova`.
    specs
        The factor or factors whose means are wanted.
    weights
        How the cells of the other factors are averaged: "equal" (the means that type III compares), "proportional" (by
        how often each combination of the other factors occurs), or "cells" (by the n of each cell: the plain means).
    scale
        Of a mixed model of yes or no or counts: "population" (its default: means over people), "typical" (a person
        whose random effects are 0) or "link".

    Returns
    -------
    Margins
        One mean, standard error and df for each level or combination of levels, and how other factors are averaged.

    Raises
    ------
    DesignError
        If a factor is unknown, or the design cannot be analysed (see `anova`).
    NotEstimable
        If a mean needs an empty cell.

    Notes
    -----
    The means of Searle, Speed and Milliken (1980). The same as R's emmeans with the weights of these names.

    References
    ----------
    Searle, S. R., Speed, F. M., & Milliken, G. A. (1980). Population marginal means in the linear model: An alternative
    to least squares means. The American Statistician, 34, 216–221.

    Examples
    --------
    >>> from negstats.stats.summaries import Cells
    >>> cells = Cells.from_table(
    ...     n=[[10, 20], [20, 10]], mean=[[1, 3], [2, 6]], sd=2,
    ...     factors={"reward": ["fair", "selfish"], "sex": ["f", "m"]},
    ... )
    >>> margins(cells, specs="reward").mean.tolist()
    [2.0, 4.0]
    >>> print(margins(cells, specs="sex").apa())
    f: M = 1.50, SE = 0.39, 95% CI [0.72, 2.28]; m: M = 4.50, SE = 0.39, 95% CI [3.72, 5.28]
    """
    design = design_of(data, outcome, by, scale)
    if isinstance(design, Grid):
        return _grid_margins(design, names_of(specs), weights)
    ss, df = design.pooled()
    axes = [design.place(name) for name in names_of(specs)]
    margin_weights = shares(design, axes, weights)
    n = design.n[..., None, :]
    if (np.isnan(margin_weights) | ((margin_weights != 0) & (n == 0))).any():
        design.check_filled(f"a mean with {weights} weights")
    mean = (margin_weights @ design.mean[..., None])[..., 0] + design.centre
    # A weighted mean's variance: the pooled variance times the sum of squared weights over n.
    per_cell = np.divide(
        margin_weights**2, n, out=np.zeros(np.broadcast_shapes(margin_weights.shape, n.shape)), where=n > 0
    ).sum(axis=-1)
    factors = tuple(design.factors[axis] for axis in axes)
    se = np.sqrt(per_cell * (ss / df)[..., None])
    n_behind = design.n @ (shares(design, axes) != 0).T
    return Margins(
        factors=factors,
        levels=_combinations(factors),
        mean=mean,
        se=se,
        df=plain(df),
        n=n_behind,
        weights=weights,
        outcome=design.outcome,
        missing=design.missing,
    )


def _grid_margins(design: Grid, specs: Sequence[str], weights: Averaging) -> Margins:
    axes = [design.place(name) for name in specs]
    estimate, se, df = design.each(shares(design, axes, weights))
    factors = tuple(design.factors[axis] for axis in axes)
    return Margins(
        factors=factors,
        levels=_combinations(factors),
        mean=estimate,
        se=se,
        df=float(df[0]) if np.all(df == df[0]) else df,
        n=(shares(design, axes) != 0) @ design.n,
        weights=weights,
        outcome=design.outcome,
        missing=design.missing,
    )


def _combinations(factors: tuple[Factor, ...]) -> tuple[tuple[str, ...], ...]:
    index = np.indices(tuple(len(factor) for factor in factors)).reshape(len(factors), -1).T
    return tuple(tuple(f.levels[i] for f, i in zip(factors, row, strict=True)) for row in index)


def shares(design: Design | Grid, places: Sequence[int], weights: Averaging = "equal") -> FloatArray:
    """Return how each margin of the factors at `places` averages the cells, shape ``(*studies, margins, cells)``."""
    check_choice("weights", weights, ("equal", "proportional", "cells"))
    order = [*places, *(axis for axis in range(len(design.shape)) if axis not in places)]
    sizes = [design.shape[axis] for axis in order]
    n_margins = int(np.prod([design.shape[axis] for axis in places], dtype=np.intp))
    # Rows are margins in the order of `places`; columns are cells in the order `order`, put back below.
    # Which cells belong to each margin.
    member = kron([np.eye(n_margins), np.ones((1, int(np.prod(sizes, dtype=np.intp)) // n_margins))])
    original_order = np.arange(member.shape[1]).reshape(sizes).transpose(np.argsort(order)).ravel()
    member = member[:, original_order]
    if weights == "equal":
        return np.asarray(member / member.sum(axis=-1, keepdims=True))
    n = design.n
    if weights == "proportional":
        n_leading = n.ndim - 1
        table = n.reshape(*n.shape[:-1], *design.shape)
        other_axes = tuple(n_leading + axis for axis in places)
        n = np.broadcast_to(table.sum(axis=other_axes, keepdims=True), table.shape).reshape(n.shape)
    cell_weights = member * n[..., None, :]
    with np.errstate(invalid="ignore"):
        return np.asarray(cell_weights / cell_weights.sum(axis=-1, keepdims=True))


Names: TypeAlias = str | Sequence[str]
At: TypeAlias = str | Sequence[str] | Mapping[str, str] | None
ErrorTerm: TypeAlias = Literal["pooled", "own", "welch"]


@dataclass(frozen=True, slots=True, eq=False)
class Slice(Crossed):
    """The margins of some factors at one combination of levels of others.

    Attributes
    ----------
    name : str
        The levels that it is made at, such as ``"sex = f"``; empty if it averages over everything else.
    factors : tuple of Factor
        The factors whose margins these are.
    rows : ndarray, shape (margins, cells)
        How each margin averages the cells.
    """

    name: str
    factors: tuple[Factor, ...]
    rows: FloatArray

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each margin: its levels joined by a space."""
        index = np.indices(self.shape).reshape(len(self.factors), -1).T
        return tuple(" ".join(f.levels[i] for f, i in zip(self.factors, row, strict=True)) for row in index)

    @property
    def cells(self) -> list[int]:
        """The cells that the margins rest on."""
        return [int(cell) for cell in np.flatnonzero((self.rows != 0).any(axis=0))]

    def place(self, level: Any) -> int:
        """Return the place of a margin: a level, or a tuple of levels with several factors."""
        levels = [level] if len(self.factors) == 1 else list(level)
        if len(levels) != len(self.factors):
            names = ", ".join(factor.name for factor in self.factors)
            raise DesignError(f"{level!r} is not a combination of levels of ({names})")
        codes = [factor.place(level_name) for factor, level_name in zip(self.factors, levels, strict=True)]
        return int(np.ravel_multi_index(codes, self.shape))


def slices(design: Design | Grid, specs: Sequence[str], at: At) -> list[Slice]:
    """Return the margins of the factors `specs` at each combination of levels that `at` names."""
    inner = [design.place(name) for name in specs]
    outer = [design.place(name) for name in (list(at) if isinstance(at, Mapping) else names_of(at or ()))]
    repeated = set(inner) & set(outer)
    if repeated:
        raise DesignError(
            f"the factor {design.names[repeated.pop()]!r} is named both in of and in at; name it in one of them"
        )
    fixed_levels = zip(outer, at.values(), strict=True) if isinstance(at, Mapping) else ()
    fixed = {axis: design.factors[axis].place(level) for axis, level in fixed_levels}
    # A row of cell weights for each combination of levels, those of `at` changing slowest.
    rows = shares(design, [*outer, *inner])
    shape = tuple(design.shape[axis] for axis in outer)
    tables = rows.reshape(*shape, -1, rows.shape[-1])
    factors = tuple(design.factors[axis] for axis in inner)
    cell_slices = []
    # A slice is kept where `at` names its levels, or names the factor alone.
    for codes in np.ndindex(*shape):
        if all(fixed.get(axis, code) == code for axis, code in zip(outer, codes, strict=True)):
            fixed_codes = ((design.factors[axis], code) for axis, code in zip(outer, codes, strict=True))
            name = ", ".join(f"{factor.name} = {factor.levels[code]}" for factor, code in fixed_codes)
            cell_slices.append(Slice(name, factors, tables[codes]))
    return cell_slices


def spread(design: Design, over: FloatArray, part: Slice, error: ErrorTerm) -> tuple[FloatArray, FloatArray]:
    """Return standard error and degrees of freedom of weighted sums of cell means.

    Parameters
    ----------
    over : ndarray, shape (contrasts, cells)
        The weights.
    part
        The slice that they belong to, whose cells give its own error.
    """
    check_choice("error", error, ("pooled", "own", "welch"))
    cells = [int(cell) for cell in np.flatnonzero((over != 0).any(axis=0))]
    design.check_filled("a contrast", cells)
    square, n, ss = over[:, cells] ** 2, design.n[..., None, cells], design.ss[..., None, cells]
    per_cell = square / n
    if error == "welch":
        if n.min() < 2:
            small_cell = cells[int(np.argwhere(n < 2)[0][-1])]
            raise NotEstimable(
                f"Welch's error needs the variance of each cell, but n = 1 with {design.cell_name(small_cell)}"
            )
        # Each cell with a variance of its own, and Satterthwaite's df for their sum.
        part_variance = per_cell * ss / (n - 1)
        total = part_variance.sum(axis=-1)
        if total.ndim == 1 and not total.all():
            raise NotEstimable(f"{design.outcome!r} does not vary inside the cells of a contrast; it has no error")
        with np.errstate(invalid="ignore"):
            df = total**2 / (part_variance**2 / (n - 1)).sum(axis=-1)
        return np.sqrt(total), df
    ss_error, df = design.pooled(part.cells if error == "own" else None)
    se = np.sqrt(per_cell.sum(axis=-1) * (ss_error / df)[..., None])
    return se, np.broadcast_to(df[..., None], se.shape)
