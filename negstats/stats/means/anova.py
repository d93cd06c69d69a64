"""Factorial analysis of variance between subjects, from n, mean and variance of each cell alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from negstats.errors import DesignError
from negstats.stats.means.design import Design, Term, added_squares, all_terms, hypothesis, hypothesis_squares
from negstats.stats.means.f_tests import FTest, TermTable, f_of, f_ratio, find_term
from negstats.stats.results.numbers import FloatArray, Number, plain, shared
from negstats.stats.results.result import study_frame
from negstats.stats.summaries.frames import By

# Sums of squares and degrees of freedom of the terms in the given places, shape (*studies, places).
Squares: TypeAlias = Callable[[Sequence[int]], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, eq=False, repr=False)
class Anova(TermTable):
    """A between-subjects analysis of variance. Arrays have the shape ``(*studies, terms)``.

    A term is computed when it is asked for: of 10,000 simulated studies `effect` of one costs that one alone.

    Attributes
    ----------
    terms : tuple of str
        Main effects first; an interaction is its factors joined by a colon.
    ss, df1, statistic, p : ndarray
        Sum of squares, degrees of freedom, F and p of each term. A term that empty cells leave without any degree of
        freedom (types I and II only) has df1 0 and F and p NaN.
    ss_error, df2 : float
        The error term: squared deviations inside the cells. In a stack it is NaN for a study in which nothing varies
        inside the cells; then its F and p are NaN too.
    n : float
        Observations in all cells.
    type : int
        Type of the sums of squares: 1, 2 or 3.
    coding : str
        How the factors are coded: always ``"sum to zero"``.
    outcome : str
    missing : int
        Rows that were left out because the outcome or a factor was missing.
    """

    terms: tuple[str, ...]
    ss_error: Number
    df2: Number
    n: Number
    type: int
    coding: str
    outcome: str
    missing: int
    squares: Squares = field(repr=False)

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray]:
        return self.squares(range(len(self.terms)))

    @property
    def ss(self) -> FloatArray:
        """Sum of squares of each term."""
        return self._table[0]

    @property
    def df1(self) -> FloatArray:
        """Degrees of freedom of each term."""
        return self._table[1]

    @cached_property
    def statistic(self) -> FloatArray:
        """F of each term."""
        return f_of(self.ss, self.df1, _column(self.ss_error), _column(self.df2))

    @cached_property
    def p(self) -> FloatArray:
        """The p of each term."""
        return np.asarray(special.fdtrc(self.df1, _column(self.df2), self.statistic))

    def effect(self, term: str | Sequence[str]) -> FTest:
        """Return the test of one term: a factor, or an interaction as ``"a:b"`` or ``("a", "b")`` in any order.

        Parameters
        ----------
        term
            A factor, or an interaction as ``"a:b"`` or ``("a", "b")``.

        Returns
        -------
        FTest
            F with its degrees of freedom, p and sums of squares.
        """
        index = find_term(self.terms, term)
        ss, df = (array[..., 0] for array in self.squares([index]))
        f, p = f_ratio(ss, df, np.asarray(self.ss_error), np.asarray(self.df2))
        return FTest(self.terms[index], plain(f), plain(df), self.df2, plain(p), plain(ss), self.ss_error)

    @property
    def mean_square_error(self) -> Number:
        """Mean square of the error."""
        return plain(np.asarray(self.ss_error) / self.df2)

    @property
    def eta_squared(self) -> FloatArray:
        """SS / (sum of all SS and SS error), for each term, as in R's effectsize.

        The denominator is the total sum of squares for type I and for equal cells; else the terms' SS do not add up
        to it.
        """
        return np.asarray(self.ss / self._total)

    @property
    def omega_squared(self) -> FloatArray:
        """(SS − df MS error) / (sum of all SS + MS error), for each term: eta squared less its bias. May be negative.

        Eq. 12.13 of Hays (1994); R's effectsize shows a negative value as 0.

        References
        ----------
        Hays, W. L. (1994). Statistics (5th ed.). Harcourt Brace.
        """
        error = _column(self.mean_square_error)
        return np.asarray((self.ss - self.df1 * error) / (self._total + error))

    @property
    def partial_omega_squared(self) -> FloatArray:
        """(SS − df MS error) / (SS + (N − df) MS error), for each term. May be negative.

        Eq. 3 of Olejnik and Algina (2003). N is what the table accounts for: all df plus one.

        References
        ----------
        Olejnik, S., & Algina, J. (2003). Generalized eta and omega squared statistics: Measures of effect size for some
        common research designs. Psychological Methods, 8, 434–447.
        """
        error = _column(self.mean_square_error)
        n = self.df1.sum(axis=-1, keepdims=True) + _column(self.df2) + 1.0
        return np.asarray((self.ss - self.df1 * error) / (self.ss + (n - self.df1) * error))

    @property
    def _total(self) -> FloatArray:
        return np.asarray(self.ss.sum(axis=-1, keepdims=True) + _column(self.ss_error))

    def to_frame(self) -> pd.DataFrame:
        """Return one row a term and one for the residual; for a stack, these rows for each study (column ``study``).

        Returns
        -------
        DataFrame
            Sums of squares are in squared units of the outcome; the residual has no F and no p.
        """
        ss_error, df_error = _column(self.ss_error), _column(self.df2)
        columns: dict[str, tuple[FloatArray, npt.ArrayLike]] = {
            "ss": (self.ss, ss_error),
            "df": (self.df1, df_error),
            "ms": (_divided(self.ss, self.df1), ss_error / df_error),
            "statistic": (self.statistic, np.nan),
            "p": (self.p, np.nan),
            "partial_eta_squared": (self.ss / (self.ss + ss_error), np.nan),
            "eta_squared": (self.eta_squared, np.nan),
            "omega_squared": (self.omega_squared, np.nan),
            "partial_omega_squared": (self.partial_omega_squared, np.nan),
        }
        studies = self.ss.shape[:-1]
        with_residual = {
            name: np.concatenate([terms, np.broadcast_to(np.asarray(residual), (*studies, 1))], axis=-1)
            for name, (terms, residual) in columns.items()
        }
        return study_frame("Anova/1", {"term": [*self.terms, "Residual"]}, with_residual)


def anova(
    data: Any,
    outcome: str | None = None,
    by: By = None,
    *,
    type: int = 3,  # noqa: A002 - the field's word for it
) -> Anova:
    """Analyse the variance of a factorial design between subjects, with equal or unequal cells.

    All that is used of the data is n, mean and variance of each cell, so a printed table gives what the raw data give.
    The full factorial model is fitted: all interactions are in it, and the error is the variance inside the cells.

    Parameters
    ----------
    data
        `Cells` (one study or a stack), `ValueCounts`, samples by level (one factor), or a frame.
    outcome
        The column that was measured, with a frame.
    by
        One to four factors. With a summary they choose and order its factors; all of them if not given.
    type
        Sums of squares. 3: each term after all others, a hypothesis about unweighted cell means. 2: each term after
        all terms that do not contain it. 1: each term after those before it, in the order of `by`. The coding is sum
        to zero in every case, so names and order of levels change nothing.

    Returns
    -------
    Anova
        One row a term with its sum of squares, df, F and p, and the error that all terms share.

    Raises
    ------
    DesignError
        If there are no or more than four factors, a factor has one level or repeats another, a column is not there, or
        the outcome is not numeric.
    NotEstimable
        If a cell is empty and `type` is 3 (types 1 and 2 drop the degrees of freedom that empty cells take, as R
        does), no cell has two observations, or nothing varies inside the cells.

    Notes
    -----
    The tests are those of Searle (1987, ch. 4 and 12). The same numbers as R's ``car::Anova`` with ``contr.sum`` and,
    for type 1, ``anova``.

    References
    ----------
    Searle, S. R. (1987). Linear Models for Unbalanced Data. Wiley.

    Examples
    --------
    The human's points against four agents, from a printed table of n, mean and SE (chawla2023, two of three columns):

    >>> from negstats.stats.summaries import Cells
    >>> points = Cells.from_table(
    ...     n=[[97, 97], [96, 103]], mean=[[5.72, 5.59], [4.70, 6.18]], se=[[0.29, 0.31], [0.32, 0.30]],
    ...     factors={"reward": ["fair", "selfish"], "training": ["supervised", "selfish"]},
    ... )
    >>> print(anova(points).apa("reward:training"))
    F(1, 389) = 6.96, p = .009, ηp² = .02, 90% CI [.00, .05]
    """
    design = Design.of(data, outcome, by)
    ss_error, df_error = design.pooled()
    if type not in (1, 2, 3):
        raise DesignError(f"type is {type!r}; give 1, 2 or 3")
    if type == 3:
        design.check_filled("type III")
    return Anova(
        terms=tuple(map(design.term_name, all_terms(len(design.shape)))),
        ss_error=plain(ss_error),
        df2=plain(df_error),
        n=plain(np.broadcast_to(shared(design.n).sum(axis=-1), design.studies)),
        type=type,
        coding="sum to zero",
        outcome=design.outcome,
        missing=design.missing,
        squares=partial(_squares, design, type),
    )


def _squares(design: Design, squares_type: int, term_indices: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """Return SS and df of the terms in the given places, shape ``(*studies, places)``."""
    if len(design.shape) == 1:
        return _compute_between(design)
    terms = all_terms(len(design.shape))
    if squares_type == 3:
        rows = [hypothesis(design.shape, terms[index]) for index in term_indices]
        ss = np.stack([hypothesis_squares(row, design.n, design.mean) for row in rows], axis=-1)
        return ss, np.broadcast_to([float(len(row)) for row in rows], ss.shape)
    pairs = [
        added_squares(design.shape, terms[index], _others(terms, index, squares_type), design.n, design.mean)
        for index in term_indices
    ]
    ss, df = (np.stack(column, axis=-1) for column in zip(*pairs, strict=True))
    return ss, df


def _compute_between(design: Design) -> tuple[FloatArray, FloatArray]:
    """Return SS and df of the only factor, in one pass however many levels it has: all types agree."""
    n = design.n
    grand = (n * design.mean).sum(axis=-1, keepdims=True) / n.sum(axis=-1, keepdims=True)
    ss = (n * (design.mean - grand) ** 2).sum(axis=-1, keepdims=True)
    return ss, np.asarray((n > 0).sum(axis=-1, keepdims=True) - 1.0)


def _others(terms: tuple[Term, ...], index: int, squares_type: int) -> list[Term]:
    """Return the terms that a term is tested after: those before it (type I), or those that do not contain it (II)."""
    if squares_type == 1:
        return list(terms[:index])
    return [term for term in terms if not set(terms[index]) <= set(term)]


def _column(value: Number) -> FloatArray:
    """Return one number a study with an axis for the terms behind it."""
    return np.asarray(value, dtype=np.float64)[..., None]


def _divided(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.divide(a, b))
