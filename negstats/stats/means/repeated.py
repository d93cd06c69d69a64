"""Repeated measures: one factor or several within people, alone or crossed with factors between people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.means.design import Design, Term, all_terms, hypothesis, hypothesis_products
from negstats.stats.means.f_tests import RepeatedTable, f_ratio
from negstats.stats.means.t_tests import TTest, paired_t, t_test
from negstats.stats.results.numbers import ROUNDING, FloatArray, Number, plain
from negstats.stats.results.result import Result, study_frame, with_schema
from negstats.stats.summaries import Factor, Moments
from negstats.stats.summaries.coerce import as_moments
from negstats.stats.summaries.frames import as_pandas, check_columns, level_codes, names_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RepeatedAnova(RepeatedTable):
    """An analysis of variance with a repeated factor; `RepeatedTable` has its terms and tests.

    Attributes
    ----------
    repeated : tuple of bool
        Whether the repeated factor is in the term.
    epsilon_gg, epsilon_hf : float
        The epsilons. Huynh and Feldt's with Lecoutre's correction, and not cut at 1; NaN where subjects leave one
        degree of freedom.
    mauchly_w, mauchly_p : float
        Mauchly's test of sphericity; NaN with two measures, or too few subjects for it.
    ss_subjects : float
        Sum of squares of the subjects inside the cells: the error of terms between subjects.
    within : str
        Name of the repeated factor.
    type : int
        Type of the sums of squares: always 3.
    coding : str
        Always ``"sum to zero"``.
    """

    repeated: tuple[bool, ...]
    epsilon_gg: Number
    epsilon_hf: Number
    mauchly_w: Number
    mauchly_p: Number
    ss_subjects: Number
    within: str
    type: int
    coding: str

    def _epsilons(self) -> tuple[FloatArray, FloatArray]:
        gg, hf = (np.asarray(epsilon)[..., None] for epsilon in (self.epsilon_gg, self.epsilon_hf))
        return np.where(self.repeated, gg, 1.0), np.where(self.repeated, hf, 1.0)

    @property
    def generalized_eta_squared(self) -> FloatArray:
        """SS / (SS + SS of all errors), for each term, where every factor was manipulated.

        Eq. 4 of Olejnik and Algina (2003); R's afex with ``observed = NULL``.

        References
        ----------
        Olejnik, S., & Algina, J. (2003). Generalized eta and omega squared statistics: Measures of effect size for some
        common research designs. Psychological Methods, 8, 434–447.
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
        columns = self._columns() | {
            "partial_eta_squared": self.ss / (self.ss + self.ss_error),
            "generalized_eta_squared": self.generalized_eta_squared,
        }
        gg, hf = (np.where(self.repeated, epsilon, np.nan) for epsilon in self._epsilons())
        labels = {"term": self.terms, "repeated": self.repeated}
        return study_frame("RepeatedAnova/1", labels, columns | {"epsilon_gg": gg, "epsilon_hf": hf})


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

    - Greenhouse and Geisser (1959): ε = tr(S)² / (p tr(S²)), S the pooled covariance of the p = k − 1 orthonormal
      contrasts.
    - Huynh and Feldt (1976), as corrected by Lecoutre (1991): ((ν + 1) p ε − 2) / (p (ν − p ε)) with ν = N − cells.
      Programs without the correction differ where there are factors between subjects.
    - Mauchly (1940), with the second term of Box's series for p (Anderson, 2003, sec. 10.7.4). In that term R writes 3k
      where Anderson has 3(k − 1). We follow R, so that p is the one that R prints; the difference shrinks as 1 / N².

    References
    ----------
    - Anderson, T. W. (2003). An Introduction to Multivariate Statistical Analysis (3rd ed.). Wiley.
    - Greenhouse, S. W., & Geisser, S. (1959). On methods in the analysis of profile data. Psychometrika, 24, 95–112.
    - Huynh, H., & Feldt, L. S. (1976). Estimation of the Box correction for degrees of freedom from sample data in
      randomized block and split-plot designs. Journal of Educational Statistics, 1, 69–82.
    - Lecoutre, B. (1991). Journal of Educational Statistics, 16, 371–372.
    - Mauchly, J. W. (1940). Significance test for sphericity of a normal n-variate distribution. Annals of Mathematical
      Statistics, 11, 204–209.

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
    fields, errors, df_subjects = test_terms(summary, (summary.variables,))
    repeated = tuple(bool(inner) for _, inner, _ in crossed_terms(summary, (summary.variables,)))
    # Sphericity is that of the repeated factor, the same for each of its terms.
    first_repeated = repeated.index(True)
    mauchly_w, mauchly_p = _mauchly(errors[0,], df_subjects)
    return RepeatedAnova(
        **{name: values for name, values in fields.items() if not name.startswith("epsilon")},
        repeated=repeated,
        epsilon_gg=plain(fields["epsilon_gg"][..., first_repeated]),
        epsilon_hf=plain(fields["epsilon_hf"][..., first_repeated]),
        mauchly_w=plain(mauchly_w),
        mauchly_p=plain(mauchly_p),
        ss_subjects=plain(errors[()][..., 0, 0]),
        within=summary.variables.name,
        type=3,
        coding="sum to zero",
    )


def crossed_terms(summary: Moments, factors: Sequence[Factor]) -> list[tuple[str, Term, Term]]:
    """Return each term's name, its repeated factors and its factors between subjects, those between subjects first."""
    return [
        (":".join([*(summary.factors[i].name for i in outer), *(factors[i].name for i in inner)]), inner, outer)
        for inner in ((), *all_terms(len(factors)))
        for outer in ((), *all_terms(len(summary.factors)))
        if inner or outer
    ]


def test_terms(
    summary: Moments, factors: Sequence[Factor]
) -> tuple[dict[str, Any], dict[Term, FloatArray], FloatArray]:
    """Return the fields of a table of repeated factors, each combination of theirs with its error, and its df."""
    n, mean, error, shape = cell_arrays(summary)
    df_subjects = np.asarray((n - 1).sum(axis=-1))
    if df_subjects.min() <= 0:
        raise NotEstimable(
            "there is no error variance: a repeated-measures analysis needs two subjects in some cell; "
            f"it got {summary.n.tolist()}"
        )
    # The contrasts of a combination of repeated factors, averaged over the others, and what subjects vary in them.
    terms = crossed_terms(summary, factors)
    inner_contrasts = {inner: hypothesis(tuple(map(len, factors)), inner) for inner in ((), *all_terms(len(factors)))}
    errors = {
        inner: own_error(summary, inner_contrast @ error @ inner_contrast.T, error, [factors[i].name for i in inner])
        for inner, inner_contrast in inner_contrasts.items()
    }
    # Each term's squares against the error of its repeated factors.
    rows = []
    for _, inner, outer in terms:
        outer_rows, inner_contrast = hypothesis(shape, outer), inner_contrasts[inner]
        ss = np.trace(hypothesis_products(outer_rows, n, mean @ inner_contrast.T), axis1=-2, axis2=-1)
        gg, hf = epsilons(errors[inner], df_subjects) if inner else (np.ones_like(df_subjects),) * 2
        ss_error = np.trace(errors[inner], axis1=-2, axis2=-1)
        df1 = np.full(ss.shape, float(len(outer_rows) * len(inner_contrast)))
        rows.append((ss, df1, ss_error, df_subjects * len(inner_contrast), gg, hf))
    ss, df1, ss_error, df2, gg, hf = (np.stack(column, axis=-1) for column in zip(*rows, strict=True))
    df2 = np.asarray(df2, dtype=np.float64)
    f, p = f_ratio(ss, df1, ss_error, df2)
    p_gg, p_hf = (np.asarray(special.fdtrc(epsilon * df1, epsilon * df2, f)) for epsilon in (gg, np.minimum(hf, 1.0)))
    fields = {
        "terms": tuple(name for name, _, _ in terms), "ss": ss, "df1": df1, "ss_error": ss_error, "df2": df2,
        "statistic": f, "p": p, "p_gg": p_gg, "p_hf": p_hf, "epsilon_gg": gg, "epsilon_hf": hf,
        "n": plain(n.sum(axis=-1)), "outcome": summary.outcome, "missing": summary.missing,
    }  # fmt: skip
    return fields, errors, df_subjects


def cell_arrays(summary: Moments) -> tuple[FloatArray, FloatArray, FloatArray, tuple[int, ...]]:
    """Return n (..., cells), centred means (..., cells, k), pooled products inside cells (..., k, k), and the shape."""
    k = len(summary.variables)
    shape = tuple(len(factor) for factor in summary.factors)
    if summary.factors:
        # The design between subjects is that of any weighted sum of the measures.
        design = Design.of_cells(summary.contrast(np.ones(k)))
        design.check_filled("a repeated-measures analysis")
        design.pooled()
    studies = summary.studies
    n = summary.n.reshape(*studies, -1)
    if n.min() < 1:
        raise NotEstimable("there is no subject with all measures")
    mean = summary.mean.reshape(*studies, -1, k)
    weight = np.maximum(n - 1.0, 0.0)[..., None, None]
    products = np.where(weight > 0, weight * summary.covariance.reshape(*studies, -1, k, k), 0.0)
    return n, mean - mean.mean(axis=(-2, -1), keepdims=True), products.sum(axis=-3), shape


def own_error(summary: Moments, own: FloatArray, error: FloatArray, names: Sequence[str]) -> FloatArray:
    """Return the error of terms of the repeated factors `names`; missing where nothing varies beyond the cells."""
    has_no_error = without_error(summary, own, error)
    is_tested = bool(names or summary.factors)
    if is_tested and has_no_error.ndim == 0 and has_no_error:
        if names:
            raise NotEstimable(
                f"{summary.outcome!r} does not vary within subjects beyond the means of cells: there is no error for "
                f"{':'.join(names)}"
            )
        raise NotEstimable(f"the totals of {summary.outcome!r} do not vary between subjects beyond the means of cells")
    return np.where(has_no_error[..., None, None], np.nan if is_tested else 0.0, own)


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
    n_contrasts = inner_error.shape[-1]
    no_values = np.full(df.shape, np.nan)
    if n_contrasts == 1:
        return no_values, no_values
    is_testable = df >= n_contrasts
    with np.errstate(divide="ignore", invalid="ignore"):
        log_w = np.linalg.slogdet(inner_error)[1] - n_contrasts * np.log(
            np.trace(inner_error, axis1=-2, axis2=-1) / n_contrasts
        )
        # Box's expansion: chi-squared to first order, with a term of second order of four more df.
        rho = 1 - (2 * n_contrasts**2 + n_contrasts + 2) / (6 * n_contrasts * df)
        second_order = (
            (n_contrasts + 2)
            * (n_contrasts - 1)
            * (n_contrasts - 2)
            * (2 * n_contrasts**3 + 6 * n_contrasts**2 + 3 * (n_contrasts + 1) + 2)
            / (288 * (df * n_contrasts * rho) ** 2)
        )
        chi2, df_chi2 = -df * rho * log_w, n_contrasts * (n_contrasts + 1) / 2 - 1
        tail, next_tail = special.chdtrc(df_chi2, chi2), special.chdtrc(df_chi2 + 4, chi2)
    return np.where(is_testable, np.exp(log_w), no_values), np.where(
        is_testable, tail + second_order * (next_tail - tail), no_values
    )


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
    frame = as_pandas(data, columns)
    codes_by_factor = [level_codes(frame[name]) for name in names]
    factors = tuple(
        Factor(name, tuple(map(str, levels)), order)
        for name, (_, levels, order) in zip(names, codes_by_factor, strict=True)
    )
    # A row's combination of levels as one number, the last factor changing fastest; −1 where a level is missing.
    cell_codes = np.zeros(len(frame), dtype=np.intp)
    for factor, (codes, _, _) in zip(factors, codes_by_factor, strict=True):
        cell_codes = np.where((cell_codes < 0) | (np.asarray(codes) < 0), -1, cell_codes * len(factor) + codes)
    labels = [" × ".join(level_names) for level_names in product(*(factor.levels for factor in factors))]
    if len(set(labels)) < len(labels):
        raise DesignError(f"two combinations of {', '.join(names)} are written alike; rename a level")
    crossed_name = " × ".join(names)
    # With the combinations as one factor the design has a single repeated factor.
    combined = frame.drop(columns=names).assign(
        **{crossed_name: pd.Categorical.from_codes(cell_codes, pd.Index(labels))}
    )
    summary = Moments.from_frame(combined, outcome, crossed_name, subject, between)
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


@dataclass(frozen=True, slots=True, repr=False)
class MixedTwoByTwo(Result):
    """Welch's t-tests of a design with two groups and two repeated measures.

    Attributes
    ----------
    interaction : TTest
        Whether the difference of the measures (first minus second) differs between the groups.
    group : TTest
        Whether the mean of the two measures differs between the groups.
    simple : tuple of TTest
        The paired t-test of the measures in each group.
    levels : tuple of str
        The groups, in the order of `simple`.
    between, within : str
    """

    interaction: TTest
    group: TTest
    simple: tuple[TTest, TTest]
    levels: tuple[str, str]
    between: str
    within: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row a test, behind its name in ``test``.

        Returns
        -------
        DataFrame
            The columns of a t test, for the interaction, the group, and the measures in each group.
        """
        names = [f"{self.between}:{self.within}", self.between, *(f"{self.within} at {level}" for level in self.levels)]
        tests = (self.interaction, self.group, *self.simple)
        frames = [test.to_frame().assign(test=name) for name, test in zip(names, tests, strict=True)]
        table = pd.concat(frames, ignore_index=True)
        table.insert(0, "test", table.pop("test"))
        return with_schema(table, "MixedTwoByTwo/1")

    def apa(self) -> str:
        """Return the test of the interaction, of the group, and of the measures in each group.

        Returns
        -------
        str
            One clause a test, with semicolons between.
        """
        simple = (
            f"{self.within} at {level}: {test.apa()}" for level, test in zip(self.levels, self.simple, strict=True)
        )
        return "; ".join(
            [f"{self.between}:{self.within}: {self.interaction.apa()}", f"{self.between}: {self.group.apa()}", *simple]
        )


def mixed_two_by_two(
    data: Any, outcome: str | None = None, within: str | None = None, subject: str | None = None, between: str = ""
) -> MixedTwoByTwo:
    """Compare two groups in the difference and in the mean of two repeated measures, variances not taken as equal.

    Parameters
    ----------
    data
        A long frame with one row a subject and measure; or `Moments` of two measures grouped by one factor.
    outcome, within, subject, between
        The measured column, the repeated factor, the subjects' ids, and the groups.

    Returns
    -------
    MixedTwoByTwo
        Welch's tests of the interaction and of the groups, and the simple tests.

    Raises
    ------
    DesignError
        If there are not two groups and two measures, or the frame does not fit (see `Moments.from_frame`).
    NotEstimable
        If a group has one subject, or nothing varies.

    Notes
    -----
    With equal variances the squares of the first two t are the F of the mixed analysis of variance.

    Examples
    --------
    >>> rows = pd.DataFrame({"who": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6], "time": ["a", "b"] * 6})
    >>> rows["group"], rows["y"] = ["x"] * 6 + ["z"] * 6, [3, 5, 2, 6, 4, 5, 3, 3, 5, 4, 2, 4]
    >>> print(mixed_two_by_two(rows, "y", "time", "who", "group").interaction.apa())
    t(4) = −1.60, p = .184, d = −1.31, 95% CI [−3.07, 0.57]
    """
    summary: Moments = as_moments(data, outcome, within, subject, between)
    if len(summary.factors) != 1 or summary.studies or len(summary.factors[0]) != 2 or len(summary.variables) != 2:
        groups = ", ".join(f"{factor.name} ({len(factor)})" for factor in summary.factors) or "none"
        raise DesignError(
            f"this takes two groups and two measures of one study; there are {len(summary.variables)} measures and the "
            f"groups {groups}; larger designs are for repeated_anova"
        )
    (factor,) = summary.factors
    # Each subject has a difference and a mean: the interaction and the group effect are t-tests of these.
    difference, subject_mean = summary.contrast([1.0, -1.0]), summary.contrast([0.5, 0.5])
    return MixedTwoByTwo(
        interaction=t_test(difference),
        group=t_test(subject_mean),
        simple=(_simple(summary, 0), _simple(summary, 1)),
        levels=(factor.levels[0], factor.levels[1]),
        between=factor.name,
        within=summary.variables.name,
    )


def _simple(summary: Moments, group: int) -> TTest:
    """Return the paired t-test of one group."""
    group_moments = Moments(
        summary.n[group], summary.offset[group], summary.covariance[group], summary.variables, (), summary.outcome,
        summary.origin,
    )  # fmt: skip
    return paired_t(group_moments)
