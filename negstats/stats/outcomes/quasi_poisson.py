"""Counts compared between groups: F tests of a quasi-Poisson model from the cells, and ratios of mean counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.effects._effect import Effect
from negstats.stats.means.design import Design, Grid, Term, all_terms, hypothesis, wald_grid
from negstats.stats.means.f_tests import FTest, find_term
from negstats.stats.pairs import Pairs, build_pairs, check_correction
from negstats.stats.resampling.permutation import PermutationTest, permutation_test
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_choice, check_rng, check_single, t_tails
from negstats.stats.results.result import Interval, Result, study_frame
from negstats.stats.summaries import Cells, Factor
from negstats.stats.summaries.cells import sample_of, two_levels
from negstats.stats.summaries.coerce import as_cells, as_values
from negstats.stats.summaries.frames import By, names_of

# Newton's steps on the log scale; convergence is quadratic, and ten are many.
STEPS = 60


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class QuasiPoisson(Result):
    """Whether mean counts differ, the spread beyond Poisson estimated. Arrays have the shape ``(*studies, terms)``.

    Attributes
    ----------
    terms : tuple of str
        Main effects first; an interaction is its factors joined by a colon.
    deviance, df1, statistic, p : ndarray
        By how much the deviance falls, its degrees of freedom, F (the deviance's mean over the dispersion) and p.
    dispersion : float
        Pearson's chi-squared over its degrees of freedom: 1 for Poisson counts, larger for more spread.
    df2, n : float
        Observations less cells, and observations.
    method : str
        "F", or "permutation" (p counts arrangements, and F and df are not part of the sentence).
    permutation : PermutationTest or None
    outcome : str
    missing : int
        Rows that were left out because the outcome or a factor was missing.
    """

    terms: tuple[str, ...]
    deviance: FloatArray
    df1: FloatArray
    statistic: FloatArray
    p: FloatArray
    dispersion: Number
    df2: Number
    n: Number
    method: Literal["F", "permutation"]
    permutation: PermutationTest | None
    outcome: str
    missing: int
    cells: Cells = field(repr=False)

    def effect(self, term: str | Sequence[str]) -> FTest:
        """Return the F test of a term, its deviance in the place of a sum of squares.

        Parameters
        ----------
        term
            A factor, or an interaction as ``"a:b"`` or ``("a", "b")``.

        Returns
        -------
        FTest
            F with its degrees of freedom and p.

        Raises
        ------
        DesignError
            If the term is unknown, or p is that of a permutation, which has no F distribution.
        """
        index = find_term(self.terms, term)
        if self.method != "F":
            raise DesignError(
                "p comes from permutations, and a test by permutation has no F; read p, or fit the model with F"
            )
        deviance, df, f, p = (plain(array[..., index]) for array in (self.deviance, self.df1, self.statistic, self.p))
        error = plain(np.asarray(self.dispersion) * np.asarray(self.df2))
        return FTest(self.terms[index], f, df, self.df2, p, deviance, error)

    def ratios(self, adjust: str = "holm") -> Pairs:
        """Return the ratio of mean counts of every two cells, with p corrected for their number.

        Parameters
        ----------
        adjust
            Correction of p for the number of ratios, such as "holm", "bonferroni" or "none".

        Returns
        -------
        Pairs
            The ratio of mean counts for every two cells, first over second, as their effect (t interval of the
            logarithm): 0 or infinite, and without a test, where one mean is 0.

        Raises
        ------
        DesignError
            If `adjust` is not known, or the result is that of a stack of studies.
        """
        check_correction(adjust)
        check_single(self.dispersion, "ratios()")
        n, mean = self.cells.n.ravel(), self.cells.mean.ravel()
        first, second = np.triu_indices(len(n), 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = mean[first] / mean[second]
            # The variance of the logarithm of a cell's mean count.
            per_cell = float(np.asarray(self.dispersion)) / (n * mean)
            se = np.sqrt(per_cell[first] + per_cell[second])
            is_known = np.isfinite(se)
            se = np.where(is_known, se, np.nan)
            t = np.where(is_known, np.log(ratio) / se, np.nan)
        df = float(np.asarray(self.df2))
        return build_pairs(
            _cell_names(self.cells.factors), "t", t, df, t_tails(t, df), n=n[first] + n[second], adjust=adjust,
            method="quasi-Poisson", effect=Effect("ratio_of_means", ratio, partial(_ratio_ends, ratio, se, df)),
        )  # fmt: skip

    def grid(self) -> Grid:
        """Return the logarithms of the cells' means, as `pairwise`, `contrasts` and `simple_effects` take them.

        They call this; a difference of logarithms is the logarithm of a ratio.

        Returns
        -------
        Grid
            The logarithm of each cell's mean count, with the covariance of all of them.

        Raises
        ------
        DesignError
            If the result is that of a stack, or of a permutation.
        NotEstimable
            If all counts of a cell are 0, which has no logarithm.
        """
        if np.ndim(self.dispersion) or self.method != "F":
            raise DesignError("contrasts of counts take one study and method='F'; fit that")
        n, mean = self.cells.n.ravel(), self.cells.mean.ravel()
        if not (mean > 0).all():
            name = _cell_names(self.cells.factors)[int(np.argmin(mean))]
            raise NotEstimable(
                f"every {self.outcome!r} of {name!r} is 0, which has no logarithm", advice="ratios() shows the others"
            )
        level, covariance = np.log(mean), np.diag(float(np.asarray(self.dispersion)) / (n * mean))
        df = float(np.asarray(self.df2))
        return wald_grid(self.cells.factors, n, np.eye(len(n)), (level, covariance, df), self.outcome, self.missing)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a term (of a stack, one a study and term).

        Returns
        -------
        DataFrame
            The term, its deviance, F, both degrees of freedom, p and the dispersion.
        """
        columns = {name: getattr(self, name) for name in ("deviance", "df1", "statistic", "p")}
        columns |= {name: np.asarray(getattr(self, name))[..., None] for name in ("df2", "dispersion")}
        return study_frame("QuasiPoisson/1", {"term": self.terms}, columns).assign(method=self.method)

    def apa(self) -> str:
        """Return each F with its df and p; of a permutation p, what was exchanged, and of two groups their ratio.

        Returns
        -------
        str
            One clause a term, with semicolons between.
        """
        check_single(self.dispersion, "apa()")
        if self.permutation is not None:
            text = f"{apa.p_value(self.p[0])} ({self.permutation.how()})"
        elif len(self.terms) == 1:
            text = apa.statistic("F", self.statistic[0], (self.df1[0], self.df2), self.p[0])
        else:
            tests = zip(self.terms, self.statistic, self.df1, self.p, strict=True)
            return "; ".join(f"{name}: {apa.statistic('F', f, (df, self.df2), p)}" for name, f, df, p in tests)
        if self.cells.n.size > 2:
            return text
        ratio = self.ratios("none").effect
        bounds = ratio.confidence_interval()
        interval = Interval(float(np.ravel(bounds.low)[0]), float(np.ravel(bounds.high)[0]))
        return f"{text}, RR = {apa.number(float(np.ravel(ratio.value)[0]))}, {interval}"


def _ratio_ends(ratio: FloatArray, log_se: FloatArray, df: float, confidence_level: float) -> Interval:
    """Return the t intervals of ratios on the log scale, as ratios."""
    with np.errstate(divide="ignore", invalid="ignore"):
        interval = t_interval(np.log(ratio), log_se, df, confidence_level)
    return Interval(plain(np.exp(interval.low)), plain(np.exp(interval.high)), confidence_level, "t, log scale")


def _crossed_factors_error(names: Sequence[str]) -> DesignError:
    """Return the error of a permutation of crossed factors."""
    return DesignError(
        f"a permutation is for one factor, and by names {', '.join(names)}: labels of crossed factors "
        "cannot be exchanged without moving the others' effects; give method='F'"
    )


def quasi_poisson(
    data: Any,
    outcome: str | None = None,
    by: By = None,
    *,
    method: Literal["F", "permutation"] = "F",
    rng: np.random.Generator | None = None,
    n_resamples: int = 9999,
    levels: Sequence[object] | None = None,
) -> QuasiPoisson:
    """Compare mean counts between groups: rounds, offers, utterances.

    Parameters
    ----------
    data
        `Cells` (one study or a stack), `ValueCounts`, samples by level, or a frame; counts of 0 and more.
    outcome, by
        The counted column and one to four factors, with a frame. All interactions are in the model, and every term is
        tested after all others (type III, coded to sum to zero).
    method
        "F"; or "permutation" of the same statistic, for one factor whose cells are small (under about 20 rows the F is
        too bold or too shy where counts are spread). It needs rows and `rng`.
    rng, n_resamples
        As in `permutation_test`: all arrangements if there are no more than `n_resamples`.
    levels
        Of one factor, which two levels to compare.

    Returns
    -------
    QuasiPoisson
        One test a term, and the dispersion that it is divided by.

    Raises
    ------
    DesignError
        If a value or a mean is below 0, or a permutation is asked of several factors or without `rng`.
    NotEstimable
        If a cell is empty, nothing varies inside the cells, or all counts are 0.

    Notes
    -----
    McCullagh and Nelder (1989, sec. 6.2). Log link, variance φ times the mean. With all interactions the fitted means
    are those of the cells, so φ̂ = Σ SS_c/m_c / (N − cells) and the deviance of reduced models follow from n, mean and
    variance of each cell. The same as R's ``car::Anova(glm(..., quasipoisson), type = 3, test.statistic = "F")``. A
    cell whose counts are all 0 adds nothing to φ̂.

    References
    ----------
    McCullagh, P., & Nelder, J. A. (1989). Generalized Linear Models (2nd ed.). Chapman & Hall.

    Examples
    --------
    >>> rounds = {"fair": [3, 5, 4, 7, 6, 4], "selfish": [8, 12, 7, 9, 15, 9]}
    >>> print(quasi_poisson(rounds).apa())
    F(1, 10) = 16.60, p = .002, RR = 0.48, 95% CI [0.32, 0.73]
    """
    check_choice("method", method, ("F", "permutation"))
    cells = _cells(data, outcome, by, levels)
    design = Design.of_cells(cells)
    terms = all_terms(len(design.shape))
    deviance, df, f, p, dispersion, error_df = _test_terms(design, terms)
    permutation = None
    if method == "permutation":
        if len(design.shape) > 1:
            raise _crossed_factors_error(design.names)
        generator = check_rng(rng)
        permutation = permutation_test(
            data, outcome, by, _f_of, alternative="greater", rng=generator, n_resamples=n_resamples, levels=levels
        )
        p = np.array([permutation.p])
    return QuasiPoisson(
        terms=tuple(map(design.term_name, terms)),
        deviance=deviance,
        df1=df,
        statistic=f,
        p=p,
        dispersion=plain(dispersion),
        df2=plain(error_df),
        n=plain(design.n.sum(axis=-1)),
        method=method,
        permutation=permutation,
        outcome=design.outcome,
        missing=design.missing,
        cells=cells,
    )


def _test_terms(
    design: Design, terms: Sequence[Term]
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return deviance, df, F and p of each term, the dispersion and its df."""
    design.check_filled("a quasi-Poisson model")
    mean = design.mean + design.centre
    # A cell of zeros has what is left of the mean that its counts were measured from: nothing, or the rounding of a sum
    # of n such numbers.
    rounding = np.finfo(np.float64).eps * np.maximum(design.n, 8) * (np.abs(design.mean) + np.abs(design.centre))
    mean = np.where(np.abs(mean) <= rounding, 0.0, mean)
    if mean.min() < 0:
        raise DesignError(f"a mean of {design.outcome!r} is {mean.min():g}; counts are 0 or more")
    ss_within, error_df = design.pooled()
    if not design.studies and not (mean > 0).any():
        raise NotEstimable(f"every {design.outcome!r} is 0; nothing can be compared")
    with np.errstate(divide="ignore", invalid="ignore"):
        chi2 = np.where(mean > 0, design.ss / mean, 0.0).sum(axis=-1)
    dispersion = np.where(np.isnan(ss_within), np.nan, chi2) / error_df
    deviance = np.stack([_compute_deviance(design, mean, terms, term) for term in terms], axis=-1)
    sizes = [float(len(hypothesis(design.shape, term))) for term in terms]
    df = np.broadcast_to(np.array(sizes), deviance.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        f = np.asarray(deviance / df / dispersion[..., None])
    return deviance, df, f, np.asarray(special.fdtrc(df, error_df[..., None], f)), dispersion, error_df


def _compute_deviance(design: Design, mean: FloatArray, terms: Sequence[Term], term: Term) -> FloatArray:
    """Return the deviance of the model without a term against that with all: cells' means are the latter's fit."""
    smaller_model = [(), *(smaller_term for smaller_term in terms if smaller_term != term)]
    x = np.concatenate([hypothesis(design.shape, smaller_term) for smaller_term in smaller_model]).T
    n = design.n
    # Without other terms the smaller model has the overall mean, else it is fitted by steps.
    if len(smaller_model) == 1:
        smaller_means = np.broadcast_to(
            (n * mean).sum(axis=-1, keepdims=True) / n.sum(axis=-1, keepdims=True), mean.shape
        )
    else:
        smaller_means = _log_linear(x, n, mean)
    deviance = n * (special.rel_entr(mean, smaller_means) - mean + smaller_means)
    return np.asarray(np.maximum(2 * deviance.sum(axis=-1), 0.0))


def _log_linear(x: FloatArray, n: FloatArray, mean: FloatArray) -> FloatArray:
    """Return the fitted means of a Poisson model of cells, shape (*studies, cells): Newton's steps on the log scale."""
    total = (n * mean).sum(axis=-1, keepdims=True) / n.sum(axis=-1, keepdims=True)
    eta = np.log(np.maximum((mean + total) / 2, 1e-300))
    beta = eta @ x  # columns are orthonormal
    for _ in range(STEPS):
        fitted_means = np.exp(np.clip(beta @ x.T, -700, 700))
        # Newton's step, cut where it would leap: counts near 0 have a flat likelihood.
        score = (n * (mean - fitted_means)) @ x
        weight = n * fitted_means
        information = np.einsum("...c,ci,cj->...ij", weight, x, x)
        # Where all of a margin is 0 its logarithm runs off; the ridge lets it, and the fit goes to 0.
        ridge = 1e-12 * np.trace(information, axis1=-2, axis2=-1)[..., None, None] * np.eye(x.shape[1])
        step = np.linalg.solve(information + ridge, score[..., None])[..., 0]
        step = step / np.maximum(1.0, np.abs(step).max(axis=-1, keepdims=True) / 4)
        beta = beta + step
        if np.abs(step).max() < 1e-12:
            break
    return np.asarray(np.exp(np.clip(beta @ x.T, -700, 700)))


def _f_of(cells: Cells) -> FloatArray:
    """F of one factor, study by study."""
    design = Design.of_cells(cells)
    return _test_terms(design, all_terms(1))[2][..., 0]


def _cells(data: Any, outcome: str | None, by: By, levels: Sequence[object] | None) -> Cells:
    """Return the cells of the factors `by`, of one factor those of two levels."""
    cells = as_cells(data, outcome, by)
    _check_counts(data, outcome, by, cells.outcome)
    if by is not None and not isinstance(data, Mapping) and names_of(by) != [factor.name for factor in cells.factors]:
        cells = cells.marginal(names_of(by))
    if levels is None:
        return cells
    if len(cells.factors) != 1:
        raise DesignError(f"levels chooses two of one factor; by names {len(cells.factors)}")
    (factor,) = cells.factors
    level_indices = list(two_levels(factor, levels, "quasi_poisson"))
    pair = Factor(factor.name, tuple(factor.levels[level_index] for level_index in level_indices))
    n, offset, variance = (array[..., level_indices] for array in (cells.n, cells.offset, cells.variance))
    return Cells(n, offset, variance, (pair,), cells.outcome, cells.origin, cells.missing)


def _check_counts(data: Any, outcome: str | None, by: By, name: str) -> None:
    """Raise DesignError for a value below 0, wherever values are there: a mean above 0 would hide it."""
    if isinstance(data, Cells):
        return
    if isinstance(data, Mapping):
        counted = np.concatenate([np.ravel(sample_of(sample, level)) for level, sample in data.items()])
    else:
        counted = as_values(data, outcome, by).values  # noqa: PD011 - the distinct values, of no frame
    if (counted < 0).any():
        raise DesignError(f"the outcome {name!r} holds {np.nanmin(counted):g}; counts are 0 or more")


def _cell_names(factors: tuple[Factor, ...]) -> list[str]:
    shape = tuple(len(factor) for factor in factors)
    return [" ".join(f.levels[i] for f, i in zip(factors, codes, strict=True)) for codes in np.ndindex(*shape)]
