"""Several repeated factors, alone or crossed with factors between subjects: each term against its own error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.means.repeated import test_terms
from negstats.stats.means.term_table import RepeatedTable
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.result import study_frame
from negstats.stats.summaries import Factor, Moments
from negstats.stats.summaries.frames import check_columns, level_codes, names_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RepeatedFactors(RepeatedTable):
    """An analysis of variance with several repeated factors; `RepeatedTable` has its terms and tests.

    Attributes
    ----------
    epsilon_gg, epsilon_hf : ndarray
        Of each term's error: 1 where it has one degree of freedom a subject, and for terms between subjects.
    within : tuple of str
        Names of the repeated factors.
    """

    epsilon_gg: FloatArray
    epsilon_hf: FloatArray
    within: tuple[str, ...]

    def _epsilons(self) -> tuple[FloatArray, FloatArray]:
        return self.epsilon_gg, self.epsilon_hf

    def to_frame(self) -> pd.DataFrame:
        """Return one row a term; for a stack, these rows for each study (column ``study``).

        Returns
        -------
        DataFrame
            Sums of squares, F, both degrees of freedom and p, then the corrected p values, effect sizes and both
            epsilons.
        """
        columns = self._columns() | {"epsilon_gg": self.epsilon_gg, "epsilon_hf": self.epsilon_hf}
        columns["partial_eta_squared"] = self.ss / (self.ss + self.ss_error)
        return study_frame("RepeatedFactors/1", {"term": self.terms}, columns)


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
    fields, _, _ = test_terms(summary, factors)
    return RepeatedFactors(**fields, within=tuple(factor.name for factor in factors))


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
