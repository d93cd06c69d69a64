"""Several repeated factors, alone or crossed with factors between subjects: each term against its own error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.effects._effect import Effect
from negstats.stats.effects.variance import Kind
from negstats.stats.means.anova import find_term
from negstats.stats.means.ftest import FTest, f_ratio
from negstats.stats.means.linear import all_terms, coding, hypothesis, hypothesis_products, kron
from negstats.stats.means.repeated import Correction, cell_arrays, epsilons, without_error
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_choice
from negstats.stats.results.result import Result
from negstats.stats.summaries import Factor, Moments
from negstats.stats.summaries.frames import check_columns, level_codes, names_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RepeatedFactors(Result):
    """An analysis of variance with several repeated factors. Arrays have the shape ``(*studies, terms)``.

    Attributes
    ----------
    terms : tuple of str
        A factor, or factors joined by a colon, those between subjects first.
    ss, df1, ss_error, df2, statistic, p : ndarray
        Each term's test against its own error, p without correction.
    p_gg, p_hf : ndarray
        p with both degrees of freedom times the term's own epsilon (at most 1).
    epsilon_gg, epsilon_hf : ndarray
        Of each term's error: 1 where it has one degree of freedom a subject, and for terms between subjects.
    n : float
        Subjects.
    within : tuple of str
        Names of the repeated factors.
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
    epsilon_gg: FloatArray
    epsilon_hf: FloatArray
    n: Number
    within: tuple[str, ...]
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
            F with its degrees of freedom, p and sums of squares; each term has an error of its own.
        """
        place = find_term(self.terms, term)
        check_choice("correction", correction, ("none", "gg", "hf"))
        one = np.ones_like(self.p)
        share = {"none": one, "gg": self.epsilon_gg, "hf": np.minimum(self.epsilon_hf, 1.0)}[correction]
        p = {"none": self.p, "gg": self.p_gg, "hf": self.p_hf}[correction]
        arrays = (self.statistic, self.df1 * share, self.df2 * share, p, self.ss, self.ss_error)
        f_ratio, first, second, chance, ss, ss_error = (plain(array[..., place]) for array in arrays)
        return FTest(self.terms[place], f_ratio, first, second, chance, ss, ss_error)

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

    def to_frame(self) -> pd.DataFrame:
        """Return one row a term; for a stack, these rows for each study (column ``study``).

        Returns
        -------
        DataFrame
            Sums of squares, F, both degrees of freedom and p, then the corrected p values, effect sizes and both
            epsilons.
        """
        names = ("ss", "df1", "ss_error", "df2", "statistic", "p", "p_gg", "p_hf", "epsilon_gg", "epsilon_hf")
        columns = {name: getattr(self, name).ravel() for name in names}
        columns["partial_eta_squared"] = (self.ss / (self.ss + self.ss_error)).ravel()
        lead = self.ss.shape[:-1]
        studies = int(np.prod(lead, dtype=np.intp))
        frame = pd.DataFrame({"term": list(self.terms) * studies} | columns)
        if lead:
            frame.insert(0, "study", np.repeat(np.arange(studies), len(self.terms)))
        frame.attrs["schema"] = "RepeatedFactors/1"
        return frame

    def apa(self, confidence_level: float = 0.90, correction: Correction = "gg") -> str:
        """Return all tests with corrected df, each behind its name.

        Parameters
        ----------
        confidence_level
            Level of the intervals of partial eta squared, between 0 and 1.
        correction
            As in `effect`.

        Returns
        -------
        str
            The tests in the order of the terms, with semicolons between.
        """
        return "; ".join(f"{name}: {self.effect(name, correction).apa(confidence_level)}" for name in self.terms)


def _compute_error(summary: Moments, turn: FloatArray, error: FloatArray, names: Sequence[str]) -> FloatArray:
    """Return the error of one term of the repeated factors `names`; missing where nothing varies beyond the cells."""
    own = turn @ error @ turn.T
    has_no_error = without_error(summary, own, error)
    if has_no_error.ndim == 0 and has_no_error and (names or summary.factors):
        term = ":".join(names) or "subjects"
        raise NotEstimable(f"{summary.outcome!r} has no error for {term}: nothing varies beyond the means of cells")
    return np.where(has_no_error[..., None, None], np.nan, own)


def repeated_factors(
    data: Any,
    outcome: str | None = None,
    within: Sequence[str] | Mapping[str, Sequence[str]] = (),
    subject: str | None = None,
    between: str | Sequence[str] = (),
) -> RepeatedFactors:
    """Analyse the variance of a design with two or more repeated factors, each term with its own error and epsilon.

    Parameters
    ----------
    data
        A long frame with one row a subject and combination of levels; or `Moments` whose variables are the
        combinations, the last factor changing fastest.
    outcome
        Column of the numbers, as in `repeated_anova`.
    within
        The repeated factors; with `Moments` the levels of each, by name.
    subject
        Column of the subjects, as in `repeated_anova`.
    between
        Factors between subjects, as in `repeated_anova`.

    Returns
    -------
    RepeatedFactors
        One row a term with its F and p, and the p of both corrections with their epsilons.

    Raises
    ------
    DesignError
        If fewer than two factors are named, one has one level, or the measures are not their combinations.
    NotEstimable
        If a cell of the between-subjects factors is empty, no cell has two subjects, or a term's error does not vary.

    Notes
    -----
    The same as R's ``car::Anova(..., idata, idesign, type = 3)``: with T the orthonormal contrasts of a term's repeated
    factors (averages over the others), its error is T S T′ on (N − cells) × rows of T degrees of freedom.

    Examples
    --------
    >>> frame = pd.DataFrame([(s, a, b) for s in "pqrst" for a in ("CL", "FC") for b in ("early", "late")])
    >>> frame.columns = ["who", "agent", "half"]
    >>> frame["points"] = [3, 5, 6, 9, 2, 4, 7, 7, 4, 5, 5, 9, 3, 6, 8, 9, 1, 4, 5, 8]
    >>> print(repeated_factors(frame, "points", ["agent", "half"], "who").effect("agent").apa())
    F(1, 4) = 152.47, p < .001, ηp² = .97, 90% CI [.86, .99]
    """
    summary, factors = crossed_moments(data, outcome, within, subject, between)
    if len(factors) < 2:
        raise DesignError(f"within names {len(factors)} factors; several are analysed here, one by repeated_anova")
    n, mean, error, shape = cell_arrays(summary)
    df_subjects = np.asarray((n - (n > 0)).sum(axis=-1))
    if df_subjects.min() <= 0:
        raise NotEstimable(f"there is no error variance: some cell needs two subjects; it got {summary.n.tolist()}")
    sizes = [len(factor) for factor in factors]
    names, rows = [], []
    for inner in ((), *all_terms(len(sizes))):
        turn = kron([coding(size) if i in inner else np.full((1, size), size**-0.5) for i, size in enumerate(sizes)])
        own = _compute_error(summary, turn, error, [factors[i].name for i in inner])
        gg, hf = epsilons(own, df_subjects) if inner else (np.ones_like(df_subjects), np.ones_like(df_subjects))
        for outer in ((), *all_terms(len(shape))):
            if not inner and not outer:
                continue
            part = hypothesis(shape, outer)
            ss = np.trace(hypothesis_products(part, n, mean @ turn.T), axis1=-2, axis2=-1)
            df = np.full(ss.shape, float(len(part) * len(turn)))
            names.append(":".join([*(summary.factors[i].name for i in outer), *(factors[i].name for i in inner)]))
            rows.append((ss, df, np.trace(own, axis1=-2, axis2=-1), df_subjects * len(turn), gg, hf))
    ss, df1, ss_error, df2, gg, hf = (np.stack(column, axis=-1) for column in zip(*rows, strict=True))
    f, p = f_ratio(ss, df1, ss_error, df2)
    p_gg, p_hf = (np.asarray(special.fdtrc(e * df1, e * df2, f)) for e in (gg, np.minimum(hf, 1.0)))
    return RepeatedFactors(
        terms=tuple(names),
        ss=ss,
        df1=df1,
        ss_error=ss_error,
        df2=np.asarray(df2, dtype=np.float64),
        statistic=f,
        p=p,
        p_gg=p_gg,
        p_hf=p_hf,
        epsilon_gg=gg,
        epsilon_hf=hf,
        n=plain(n.sum(axis=-1)),
        within=tuple(factor.name for factor in factors),
        outcome=summary.outcome,
        missing=summary.missing,
    )


def crossed_moments(
    data: Any,
    outcome: str | None,
    within: str | Sequence[str] | Mapping[str, Sequence[str]],
    subject: str | None,
    between: str | Sequence[str] = (),
) -> tuple[Moments, tuple[Factor, ...]]:
    """Return the moments of all combinations of repeated factors, the last changing fastest, and the factors.

    Raises
    ------
    DesignError
        If a factor has one level, or some combination has no row.
    """
    if isinstance(data, Moments):
        levels = within if isinstance(within, Mapping) else {data.variables.name: data.variables.levels}
        factors = tuple(Factor(name, tuple(map(str, names))) for name, names in levels.items())
        _check_crossed(factors, len(data.variables))
        return data, factors
    if isinstance(within, Mapping) or outcome is None or subject is None:
        raise DesignError("with a frame, outcome, within (names of columns) and subject are given")
    names = names_of(within)
    check_columns(data, [outcome, subject, *names, *names_of(between)], "outcome, within, subject and between")
    columns = [outcome, subject, *names, *names_of(between)]
    frame = nw.from_native(data).lazy().select(columns).collect(backend="pandas").to_pandas()
    codes_by_factor = [level_codes(frame[name]) for name in names]
    factors = tuple(
        Factor(name, tuple(map(str, levels)), order)
        for name, (_, levels, order) in zip(names, codes_by_factor, strict=True)
    )
    place = np.zeros(len(frame), dtype=np.intp)
    for factor, (codes, _, _) in zip(factors, codes_by_factor, strict=True):
        place = np.where((place < 0) | (np.asarray(codes) < 0), -1, place * len(factor) + codes)
    labels = [" × ".join(parts) for parts in product(*(factor.levels for factor in factors))]
    if len(set(labels)) < len(labels):
        raise DesignError(f"two combinations of {', '.join(names)} are written alike; rename a level")
    both = " × ".join(names)
    combined = frame.drop(columns=names).assign(**{both: pd.Categorical.from_codes(place, pd.Index(labels))})
    summary = Moments.from_frame(combined, outcome, both, subject, between)
    _check_crossed(factors, len(summary.variables))
    return summary, factors


def _check_crossed(factors: tuple[Factor, ...], variables: int) -> None:
    for factor in factors:
        if len(factor) < 2:
            raise DesignError(f"the repeated factor {factor.name!r} has {len(factor)} level; it needs two or more")
    if int(np.prod([len(factor) for factor in factors])) != variables:
        sizes = " × ".join(f"{factor.name} ({len(factor)})" for factor in factors)
        raise DesignError(
            f"there are {variables} measures and not all combinations of {sizes}; merge or leave out levels"
        )
