"""F tests: one with its sums of squares and partial eta squared, and the table of those of an analysis of variance.

The analyses of variance, simple effects, repeated measures and models all return their terms as `FTest`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np
from scipy import special

from negstats.stats.effects._effect import Effect
from negstats.stats.effects.means import Kind, variance_explained
from negstats.stats.results.apa import statistic
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_choice, check_single, find_name
from negstats.stats.results.result import Result


def f_ratio(
    ss: FloatArray, df: FloatArray, ss_error: FloatArray, df_error: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return F and its p; NaN where a term has no degrees of freedom."""
    f = f_of(ss, df, ss_error, df_error)
    return f, np.asarray(special.fdtrc(df, df_error, f))


def f_of(ss: FloatArray, df: FloatArray, ss_error: FloatArray, df_error: FloatArray) -> FloatArray:
    """Return F alone, for those who may not ask for p."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.maximum((ss / df) / (ss_error / df_error), 0.0)  # rounding can leave a sum of squares just below 0


@dataclass(frozen=True, slots=True, repr=False)
class FTest(Result):
    """The F test of one term.

    Attributes
    ----------
    term : str
        The term: a factor, or factors joined by a colon.
    statistic, df1, df2, p : float
        F, its two degrees of freedom, and its p.
    ss, ss_error : float
        Sums of squares of the term and of its error, in the square of the outcome's unit.
    df_within : float or None
        What stands for the variance inside cells in an effect size, where that is not `df2`: observations less cells,
        of a test whose df2 follows from variances that differ.
    method : str
        Where df2 comes from, where it is not from sums of squares: then `apa` prints no effect size.
    scale : float
        What Kenward and Roger multiply F by (λ); 1 otherwise. F is given with it.

    Examples
    --------
    >>> print(FTest("fcategory", statistic=0.85888, df1=2, df2=39, p=0.43149, ss=36.02, ss_error=817.76).apa())
    F(2, 39) = 0.86, p = .431, ηp² = .04, 90% CI [.00, .16]
    >>> FTest("g", 0.575507, 2, 43.8974, 0.566629, method="kenward-roger", scale=0.99982).apa()
    'F(2, 43.90) = 0.58, p = .567'
    """

    term: str
    statistic: Number
    df1: Number
    df2: Number
    p: Number
    ss: Number = float("nan")
    ss_error: Number = float("nan")
    df_within: Number | None = None
    method: str = ""
    scale: Number = field(default=1.0, repr=False)

    def effect_size(self, kind: Kind = "partial_eta_squared") -> Effect:
        """Return partial eta squared, SS / (SS + SS error), with its interval; NaN for a term without df.

        ``confidence_interval(0.90)`` excludes 0 exactly when p < .05 (Steiger, 2004, p. 170), so `apa` prints that one.
        R's effectsize gives the same two ends with ``alternative = "two.sided"``; its default is one-sided, [the lower
        end at 90 %, 1], and is called 95 %.

        Parameters
        ----------
        kind
            "partial_eta_squared"; or "omega_squared", "epsilon_squared", which are partial too where the design has
            several factors.

        Returns
        -------
        Effect
            The share of variance, from 0 to 1, with its interval from the noncentral F.

        References
        ----------
        Steiger, J. H. (2004). Beyond the F test: Effect size confidence intervals and tests of close fit in the
        analysis of variance and contrast analysis. Psychological Methods, 9, 164–182.
        """
        df1 = np.asarray(self.df1)
        return variance_explained(kind, self.statistic, np.where(df1 > 0, df1, np.nan), self.df2, rest=self.df_within)

    def apa(self, confidence_level: float = 0.90) -> str:
        """Return F, its degrees of freedom, p, and partial eta squared with an interval of the given level.

        A test on infinitely many degrees of freedom is printed as chi-squared, df1 times F.

        Parameters
        ----------
        confidence_level
            Level of the interval of partial eta squared, between 0 and 1.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        if np.isinf(self.df2):
            return statistic("χ²", self.df1 * self.statistic, (self.df1,), self.p)
        test = statistic("F", self.statistic, (self.df1, self.df2), self.p)
        return test if self.method else f"{test}, {self.effect_size().apa(confidence_level)}"


Correction = Literal["none", "gg", "hf"]


class TermTable(Result):
    """The base of tables with one F test a term. Arrays have the shape ``(*studies, terms)``.

    Attributes
    ----------
    terms : tuple of str
        A factor, or an interaction as its factors joined by a colon.
    """

    __slots__ = ()
    terms: tuple[str, ...]

    @abstractmethod
    def effect(self, term: str | Sequence[str]) -> FTest:
        """Return the test of one term.

        Parameters
        ----------
        term
            A factor, or an interaction as ``"a:b"`` or ``("a", "b")`` in any order.

        Returns
        -------
        FTest
            F with its degrees of freedom, p and, where there are any, sums of squares.
        """

    def effect_size(self, term: str | Sequence[str], kind: Kind = "partial_eta_squared") -> Effect:
        """Return a term's effect size with its interval at any level (see `FTest.effect_size`).

        Parameters
        ----------
        term
            As in `effect`.
        kind
            Such as "partial_eta_squared"; `FTest.effect_size` lists all kinds.

        Returns
        -------
        Effect
            The share of variance, from 0 to 1.
        """
        return self.effect(term).effect_size(kind)

    def apa(self, term: str | Sequence[str] | None = None, confidence_level: float = 0.90) -> str:
        """Return a term's test as APA style prints it; without a term, all tests, each behind its name.

        Parameters
        ----------
        term
            As in `effect`; all terms by default.
        confidence_level
            Level of the intervals of partial eta squared, between 0 and 1.

        Returns
        -------
        str
            One test, or all of them with semicolons between.
        """
        return self._sentence(self.effect, term, confidence_level)

    def _sentence(
        self, test: Callable[[str | Sequence[str]], FTest], term: str | Sequence[str] | None, confidence_level: float
    ) -> str:
        if term is not None:
            return test(term).apa(confidence_level)
        return "; ".join(f"{name}: {test(name).apa(confidence_level)}" for name in self.terms)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RepeatedTable(TermTable):
    """The base of tables in which terms have errors of their own, with corrections for a lack of sphericity.

    Attributes
    ----------
    terms : tuple of str
        Terms between subjects, then those of the repeated factors and their interactions with them.
    ss, df1, ss_error, df2, statistic, p : ndarray
        Each term's test against its own error, p without correction.
    p_gg, p_hf : ndarray
        p with both degrees of freedom times Greenhouse and Geisser's or Huynh and Feldt's epsilon (at most 1); terms
        between subjects need none and repeat p.
    n : float
        Subjects.
    outcome : str
    missing : int
        Subjects that were left out because a measure or a factor was missing.
    """

    terms: tuple[str, ...]
    ss: FloatArray
    df1: FloatArray
    ss_error: FloatArray
    df2: FloatArray
    statistic: FloatArray
    p: FloatArray
    p_gg: FloatArray
    p_hf: FloatArray
    n: Number
    outcome: str
    missing: int

    @abstractmethod
    def _epsilons(self) -> tuple[FloatArray, FloatArray]:
        """Return Greenhouse and Geisser's and Huynh and Feldt's epsilon of each term, 1 for those between subjects."""

    def effect(self, term: str | Sequence[str], correction: Correction = "none") -> FTest:
        """Return the test of one term; corrected degrees of freedom and p if asked for.

        Parameters
        ----------
        term
            A factor, or an interaction as ``"a:b"`` or ``("a", "b")`` in any order.
        correction
            "none", "gg" (Greenhouse and Geisser) or "hf" (Huynh and Feldt).

        Returns
        -------
        FTest
            F with its degrees of freedom, p and sums of squares.
        """
        index = find_term(self.terms, term)
        check_choice("correction", correction, ("none", "gg", "hf"))
        gg, hf = self._epsilons()
        share = {"none": np.ones_like(self.p), "gg": gg, "hf": np.minimum(hf, 1.0)}[correction]
        p = {"none": self.p, "gg": self.p_gg, "hf": self.p_hf}[correction]
        arrays = (self.statistic, self.df1 * share, self.df2 * share, p, self.ss, self.ss_error)
        f, df1, df2, p_value, ss, ss_error = (plain(array[..., index]) for array in arrays)
        return FTest(self.terms[index], f, df1, df2, p_value, ss, ss_error)

    def apa(
        self,
        term: str | Sequence[str] | None = None,
        confidence_level: float = 0.90,
        correction: Correction = "gg",
    ) -> str:
        """Return a term's test as APA style prints it, with corrected df; without a term, all of them.

        Parameters
        ----------
        term
            As in `effect`; all terms by default.
        confidence_level
            Level of the intervals of partial eta squared, between 0 and 1.
        correction
            As in `effect`; it applies to terms that vary within subjects.

        Returns
        -------
        str
            One test, or all of them with semicolons between.
        """
        return self._sentence(partial(self.effect, correction=correction), term, confidence_level)

    def _columns(self) -> dict[str, FloatArray]:
        """Return the columns that `to_frame` has of every such table."""
        names = ("ss", "df1", "ss_error", "df2", "statistic", "p", "p_gg", "p_hf")
        return {name: getattr(self, name) for name in names}


def find_term(terms: tuple[str, ...], term: str | Sequence[str]) -> int:
    """Return the place of a term that is named with its factors in any order; DesignError if it is not there."""
    if isinstance(term, str) and term in terms:
        return terms.index(term)
    sorted_factors = sorted(term.split(":") if isinstance(term, str) else term)
    for index, name in enumerate(terms):
        if sorted(name.split(":")) == sorted_factors:
            return index
    return find_name(term, terms, "there is no term")
