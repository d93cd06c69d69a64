"""Tables of F tests: what every analysis of variance gives for its terms, by name, as a sentence and as an effect."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from negstats.errors import DesignError
from negstats.stats.effects._effect import Effect
from negstats.stats.effects.variance import Kind
from negstats.stats.means.ftest import FTest
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_choice
from negstats.stats.results.result import Result

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
        place = find_term(self.terms, term)
        check_choice("correction", correction, ("none", "gg", "hf"))
        gg, hf = self._epsilons()
        share = {"none": np.ones_like(self.p), "gg": gg, "hf": np.minimum(hf, 1.0)}[correction]
        p = {"none": self.p, "gg": self.p_gg, "hf": self.p_hf}[correction]
        arrays = (self.statistic, self.df1 * share, self.df2 * share, p, self.ss, self.ss_error)
        f, df1, df2, chance, ss, ss_error = (plain(array[..., place]) for array in arrays)
        return FTest(self.terms[place], f, df1, df2, chance, ss, ss_error)

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
    for place, name in enumerate(terms):
        if sorted(name.split(":")) == sorted_factors:
            return place
    raise DesignError(f"there is no term {term!r}; there are {', '.join(terms)}")
