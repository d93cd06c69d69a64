"""Analysis of variance with one repeated factor and any between-subjects factors, from means and covariances alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.effects._effect import Effect
from negstats.stats.effects.variance import Kind
from negstats.stats.means.anova import find_term
from negstats.stats.means.design import Design
from negstats.stats.means.ftest import FTest, f_ratio
from negstats.stats.means.linear import Term, all_terms, coding, hypothesis, hypothesis_products
from negstats.stats.results.numbers import ROUNDING, FloatArray, Number, plain
from negstats.stats.results.options import check_choice
from negstats.stats.results.result import Result
from negstats.stats.summaries import Moments
from negstats.stats.summaries.coerce import as_moments

Correction = Literal["none", "gg", "hf"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RepeatedAnova(Result):
    """An analysis of variance with a repeated factor. Arrays have the shape ``(*studies, terms)``.

    Attributes
    ----------
    terms : tuple of str
        Terms between subjects, then the repeated factor and its interactions with them.
    repeated : tuple of bool
        Whether the repeated factor is in the term.
    ss, df1, ss_error, df2, statistic, p : ndarray
        Each term's test against its own error, p without correction.
    p_gg, p_hf : ndarray
        p with both degrees of freedom times Greenhouse and Geisser's or Huynh and Feldt's epsilon (at most 1); terms
        between subjects need none and repeat p.
    epsilon_gg, epsilon_hf : float
        The epsilons. Huynh and Feldt's with Lecoutre's (1991) correction, and not cut at 1; NaN where subjects leave
        one degree of freedom.
    mauchly_w, mauchly_p : float
        Mauchly's test of sphericity; NaN with two measures, or too few subjects for it.
    ss_subjects : float
        Sum of squares of the subjects inside the cells: the error of terms between subjects.
    n : float
        Subjects.
    within : str
        Name of the repeated factor.
    type : int
        Type of the sums of squares: always 3.
    coding : str
        Always ``"sum to zero"``.
    outcome : str
    missing : int
        Subjects that were left out because a measure or a factor was missing.
    """

    terms: tuple[str, ...]
    repeated: tuple[bool, ...]
    ss: FloatArray
    df1: FloatArray
    ss_error: FloatArray
    df2: FloatArray
    statistic: FloatArray
    p: FloatArray
    p_gg: FloatArray
    p_hf: FloatArray
    epsilon_gg: Number
    epsilon_hf: Number
    mauchly_w: Number
    mauchly_p: Number
    ss_subjects: Number
    n: Number
    within: str
    type: int
    coding: str
    outcome: str
    missing: int

    def effect(self, term: str | Sequence[str], correction: Correction = "none") -> FTest:
        """Return the test of one term, named with its factors in any order; corrected df and p if asked for.

        Parameters
        ----------
        term
            A factor, or an interaction as ``"a:b"`` or ``("a", "b")``.
        correction
            "none", "gg" (Greenhouse and Geisser) or "hf" (Huynh and Feldt).

        Returns
        -------
        FTest
            F with its degrees of freedom, p and sums of squares.
        """
        place = find_term(self.terms, term)
        check_choice("correction", correction, ("none", "gg", "hf"))
        share = {"none": 1.0, "gg": self.epsilon_gg, "hf": np.minimum(self.epsilon_hf, 1.0)}[correction]
        scale = share if self.repeated[place] else 1.0
        p = {"none": self.p, "gg": self.p_gg, "hf": self.p_hf}[correction]
        df, df_error = (plain(array[..., place] * scale) for array in (self.df1, self.df2))
        f, p_one, ss, ss_error = (plain(array[..., place]) for array in (self.statistic, p, self.ss, self.ss_error))
        return FTest(term=self.terms[place], statistic=f, df1=df, df2=df_error, p=p_one, ss=ss, ss_error=ss_error)

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
            The share of variance, from 0 to 1; no correction changes it.
        """
        return self.effect(term).effect_size(kind)

    @property
    def generalized_eta_squared(self) -> FloatArray:
        """SS / (SS + SS of all errors), for each term, where every factor was manipulated.

        Olejnik and Algina (2003), Psychological Methods 8, eq. 4; R's afex with ``observed = NULL``.
        """
        ss_error_within = self.ss_error[..., [self.repeated.index(True)]]
        return np.asarray(self.ss / (self.ss + ss_error_within + np.asarray(self.ss_subjects)[..., None]))

    def to_frame(self) -> pd.DataFrame:
        """Return one row a term; for a stack, these rows for each study (column ``study``).

        Returns
        -------
        DataFrame
            Sums of squares, F, both degrees of freedom and p, then the corrected p values, effect sizes and both
            epsilons.
        """
        names = ["ss", "df1", "ss_error", "df2", "statistic", "p", "p_gg", "p_hf"]
        columns = {name: getattr(self, name).ravel() for name in names}
        columns["partial_eta_squared"] = (self.ss / (self.ss + self.ss_error)).ravel()
        columns["generalized_eta_squared"] = self.generalized_eta_squared.ravel()
        lead = self.ss.shape[:-1]
        studies = int(np.prod(lead, dtype=np.intp))
        frame = pd.DataFrame({"term": list(self.terms) * studies, "repeated": list(self.repeated) * studies} | columns)
        for name in ("epsilon_gg", "epsilon_hf"):
            each = np.repeat(np.ravel(getattr(self, name)), len(self.terms))
            frame[name] = np.where(frame["repeated"], each, np.nan)
        if lead:
            frame.insert(0, "study", np.repeat(np.arange(studies), len(self.terms)))
        frame.attrs["schema"] = "RepeatedAnova/1"
        return frame

    def apa(
        self, term: str | Sequence[str] | None = None, confidence_level: float = 0.90, correction: Correction = "gg"
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
        if term is not None:
            return self.effect(term, correction).apa(confidence_level)
        return "; ".join(f"{name}: {self.effect(name, correction).apa(confidence_level)}" for name in self.terms)


def repeated_anova(
    data: Any,
    outcome: str | None = None,
    within: str | None = None,
    subject: str | None = None,
    between: str | Sequence[str] = (),
) -> RepeatedAnova:
    """Analyse the variance of a design with one repeated factor, alone or crossed with factors between subjects.

    All that is used of the data is n, means and covariances of the measures in each cell of the between-subjects
    factors. Sums of squares are of type III: with unequal cells every term is a hypothesis about unweighted means.

    Parameters
    ----------
    data
        `Moments` (one study or a stack), or a long frame with one row a subject and measure.
    outcome, within, subject, between
        With a frame: the column that was measured, the repeated factor, the subjects' ids, and the factors between
        subjects (none, one or more).

    Returns
    -------
    RepeatedAnova
        One row a term with its F and p, for repeated terms also with the p of both corrections and their epsilons.

    Raises
    ------
    DesignError
        If a factor has one level or repeats another, or the frame does not fit the design (see `Moments.from_frame`).
    NotEstimable
        If a cell of the between-subjects factors is empty, no cell has two subjects, or nothing varies.

    Notes
    -----
    The same numbers as R's ``afex::aov_car`` and ``car::Anova(..., idata, type = 3)``:

    - Greenhouse and Geisser (1959), Psychometrika 24, 95-112: ε = tr(S)² / (p tr(S²)), S the pooled covariance of the
      p = k − 1 orthonormal contrasts.
    - Huynh and Feldt (1976), J. Educational Statistics 1, 69-82, as corrected by Lecoutre (1991), ibid. 16, 371-372:
      ((ν + 1) p ε − 2) / (p (ν − p ε)) with ν = N − cells. Programs without the correction differ where there are
      factors between subjects.
    - Mauchly (1940), Ann. Math. Stat. 11, 204-209, with the second term of Box's series for p (Anderson, 2003, An
      Introduction to Multivariate Statistical Analysis, sec. 10.7.4). In that term R writes 3k where Anderson has
      3(k − 1). We follow R, so that p is the one that R prints; the difference shrinks as 1 / N².

    Examples
    --------
    >>> frame = pd.DataFrame({
    ...     "who": [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4], "time": ["a", "b", "c"] * 4,
    ...     "y": [3, 5, 9, 2, 6, 7, 4, 5, 8, 3, 7, 7],
    ... })
    >>> result = repeated_anova(frame, "y", within="time", subject="who")
    >>> print(result.apa("time", correction="none"))
    F(2, 6) = 21.00, p = .002, ηp² = .88, 90% CI [.56, .94]
    """
    if within is not None and not isinstance(within, str):
        names = ", ".join(map(repr, within)) if isinstance(within, Sequence) else shown(within)
        raise DesignError(f"within is {names}; one repeated factor is named here; for several see repeated_factors")
    summary = as_moments(data, outcome, within, subject, between)
    k = len(summary.variables)
    if k < 2:
        raise DesignError(f"the repeated factor {summary.variables.name!r} has {k} level; it needs two or more")
    n, mean, error, shape = cell_arrays(summary)
    df_subjects = np.asarray((n - (n > 0)).sum(axis=-1))
    inner_error = _varying(summary, coding(k) @ error @ coding(k).T, error, df_subjects)
    terms = [(term, is_repeated) for is_repeated in (False, True) for term in ((), *all_terms(len(shape)))][1:]
    is_within = np.array([is_repeated for _, is_repeated in terms])
    ss, df = _squares(shape, terms, n, mean)
    ss_subjects = _check_between_error(summary, error)
    ss_error = np.where(is_within, np.trace(inner_error, axis1=-2, axis2=-1)[..., None], ss_subjects[..., None])
    df_error = np.where(is_within, (k - 1) * df_subjects[..., None], df_subjects[..., None])
    f, p = f_ratio(ss, df, ss_error, df_error)
    gg, hf = epsilons(inner_error, df_subjects)
    shares = [np.where(is_within, epsilon[..., None], 1.0) for epsilon in (gg, np.minimum(hf, 1.0))]
    p_gg, p_hf = (np.asarray(special.fdtrc(e * df, e * df_error, f), np.float64) for e in shares)
    w, p_w = _mauchly(inner_error, df_subjects)
    return RepeatedAnova(
        terms=tuple(_name(summary, term, is_repeated) for term, is_repeated in terms),
        repeated=tuple(is_repeated for _, is_repeated in terms),
        ss=ss,
        df1=df,
        ss_error=ss_error,
        df2=df_error,
        statistic=f,
        p=p,
        p_gg=p_gg,
        p_hf=p_hf,
        epsilon_gg=plain(gg),
        epsilon_hf=plain(hf),
        mauchly_w=plain(w),
        mauchly_p=plain(p_w),
        ss_subjects=plain(ss_subjects),
        n=plain(n.sum(axis=-1)),
        within=summary.variables.name,
        type=3,
        coding="sum to zero",
        outcome=summary.outcome,
        missing=summary.missing,
    )


def _name(summary: Moments, term: Term, is_repeated: bool) -> str:
    names = [summary.factors[place].name for place in term]
    return ":".join([*names, summary.variables.name] if is_repeated else names)


def cell_arrays(summary: Moments) -> tuple[FloatArray, FloatArray, FloatArray, tuple[int, ...]]:
    """Return n (..., cells), centred means (..., cells, k), pooled products inside cells (..., k, k), and the shape."""
    k = len(summary.variables)
    shape = tuple(len(factor) for factor in summary.factors)
    if summary.factors:
        # The design between subjects is that of any weighted sum of the measures.
        design = Design.of_cells(summary.contrast(np.ones(k)))
        design.check_filled("a repeated-measures analysis")
        design.pooled()
    lead = summary.studies
    n = summary.n.reshape(*lead, -1)
    if n.min() < 1:
        raise NotEstimable("there is no subject with all measures")
    mean = summary.mean.reshape(*lead, -1, k)
    weight = np.maximum(n - 1.0, 0.0)[..., None, None]
    products = np.where(weight > 0, weight * summary.covariance.reshape(*lead, -1, k, k), 0.0)
    return n, mean - mean.mean(axis=(-2, -1), keepdims=True), products.sum(axis=-3), shape


def _varying(summary: Moments, inner_error: FloatArray, error: FloatArray, df: FloatArray) -> FloatArray:
    """Return the error of the repeated factor, checked; NaN in a stack for a study that has none."""
    if df.min() <= 0:
        raise NotEstimable(
            "there is no error variance: a repeated-measures analysis needs two subjects in some cell; "
            f"it got {summary.n.tolist()}"
        )
    has_no_error = without_error(summary, inner_error, error)
    if has_no_error.any() and not has_no_error.ndim:
        raise NotEstimable(f"{summary.outcome!r} does not vary within subjects beyond the means of the cells")
    return np.where(has_no_error[..., None, None], np.nan, inner_error)


def without_error(summary: Moments, own: FloatArray, error: FloatArray) -> FloatArray:
    """Return whether the products T S T′ of a term's contrasts are no more than the rounding of S and of the data.

    What is left of S after its parts are subtracted is as exact as S, k sums of whose size were added: eps tr S each.
    The data themselves are as exact as their means: eps² of a mean's square for each subject.
    """
    k = error.shape[-1]
    of_products = k * np.trace(error, axis1=-2, axis2=-1)
    squares = summary.n[..., None] * np.nan_to_num(summary.mean) ** 2
    of_data = squares.reshape(*of_products.shape, -1).sum(axis=-1)
    limit = ROUNDING * of_products + ROUNDING**2 * of_data
    return np.asarray(np.trace(own, axis1=-2, axis2=-1) <= limit)


def _check_between_error(summary: Moments, error: FloatArray) -> FloatArray:
    """Return the error of the factors between subjects, checked as that within is; 0 where there are none."""
    mean = np.full((1, error.shape[-1]), error.shape[-1] ** -0.5)
    own = mean @ error @ mean.T
    has_no_error = without_error(summary, own, error)
    if summary.factors and has_no_error.any() and not has_no_error.ndim:
        raise NotEstimable(f"the totals of {summary.outcome!r} do not vary between subjects beyond the means of cells")
    return np.where(has_no_error, np.nan if summary.factors else 0.0, own[..., 0, 0])


def _squares(
    shape: tuple[int, ...], terms: Sequence[tuple[Term, bool]], n: FloatArray, mean: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return SS and df of each term, shape ``(*studies, terms)``."""
    k = mean.shape[-1]
    ss, df = [], []
    for term, is_repeated in terms:
        turn = coding(k) if is_repeated else np.full((1, k), k**-0.5)
        rows = hypothesis(shape, term)
        ss.append(np.trace(hypothesis_products(rows, n, mean @ turn.T), axis1=-2, axis2=-1))
        df.append(float(len(rows) * len(turn)))
    table = np.stack(ss, axis=-1)
    return table, np.broadcast_to(np.array(df), table.shape)


def epsilons(inner_error: FloatArray, df: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Greenhouse and Geisser's epsilon, and Huynh and Feldt's as corrected by Lecoutre (not cut at 1)."""
    p = inner_error.shape[-1]
    if p == 1:
        return np.ones_like(df), np.ones_like(df)
    total = np.trace(inner_error, axis1=-2, axis2=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        gg = total**2 / (p * (inner_error**2).sum(axis=(-2, -1)))
        hf = ((df + 1) * p * gg - 2) / (p * (df - p * gg))
    return np.asarray(gg), np.asarray(hf)


def _mauchly(inner_error: FloatArray, df: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Mauchly's W and its p; NaN where there is nothing to test or the covariance is singular."""
    p = inner_error.shape[-1]
    no_values = np.full(df.shape, np.nan)
    if p == 1:
        return no_values, no_values
    enough = df >= p
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.linalg.slogdet(inner_error)[1] - p * np.log(np.trace(inner_error, axis1=-2, axis2=-1) / p)
        rho = 1 - (2 * p**2 + p + 2) / (6 * p * df)
        second = (p + 2) * (p - 1) * (p - 2) * (2 * p**3 + 6 * p**2 + 3 * (p + 1) + 2) / (288 * (df * p * rho) ** 2)
        chi2, freedom = -df * rho * size, p * (p + 1) / 2 - 1
        first, next_ = special.chdtrc(freedom, chi2), special.chdtrc(freedom + 4, chi2)
    return np.where(enough, np.exp(size), no_values), np.where(enough, first + second * (next_ - first), no_values)
