"""Effect sizes of means: standardized differences (d, g, Glass) and variance explained (eta, omega, epsilon).

A standardized difference is a difference over a standardizer, and its interval is the interval of the noncentrality of
a t times the standard error in units of that standardizer. They differ in three numbers only, which the tables here
list.

With one factor the shares of variance are eta, omega and epsilon squared; with several they are the partial ones, which
is all that an F with its degrees of freedom can give.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from negstats.errors import DesignError, NotEstimable
from negstats.stats.effects._effect import Effect
from negstats.stats.results.intervals import f_noncentrality, t_noncentrality
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import Alternative, check_choice
from negstats.stats.results.result import Interval


@dataclass(frozen=True, slots=True)
class Spread:
    """n, SD and the difference's standard error of the samples behind a t: all that a standardized difference needs."""

    difference: FloatArray
    n: tuple[FloatArray, ...]
    sds: tuple[FloatArray, ...]
    se: FloatArray
    df: FloatArray


@dataclass(frozen=True, slots=True)
class _Standard:
    """What a difference is divided by, the standard error of the difference, and the degrees of freedom."""

    sd: FloatArray
    se: FloatArray
    df: FloatArray
    correct: bool = False


def hedges_correction(df: npt.ArrayLike) -> FloatArray:
    """Return J, the factor that removes the bias of d: exact, not its approximation 1 − 3 / (4 df − 1).

    Eq. 6e of Hedges (1981).

    Parameters
    ----------
    df
        Degrees of freedom of the standard deviation in d.

    Returns
    -------
    FloatArray
        J, below 1, of the shape of `df`.

    References
    ----------
    Hedges, L. V. (1981). Distribution theory for Glass's estimator of effect size and related estimators. Journal of
    Educational Statistics, 6, 107–128.

    Examples
    --------
    >>> round(float(hedges_correction(10)), 6)
    0.922746
    """
    m = np.asarray(df, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        factor = np.exp(gammaln(m / 2) - gammaln((m - 1) / 2) - 0.5 * np.log(m / 2))
    return np.asarray(np.where(m > 1, factor, np.nan))


def _pooled(s: Spread) -> _Standard:
    (n1, n2), (s1, s2) = s.n, s.sds
    df = n1 + n2 - 2
    sd = np.sqrt(((n1 - 1) * s1**2 + (n2 - 1) * s2**2) / df)
    return _Standard(sd, sd * np.sqrt(1 / n1 + 1 / n2), df)


def _average(s: Spread) -> _Standard:
    (n1, n2), (v1, v2) = s.n, (s.sds[0] ** 2 / s.n[0], s.sds[1] ** 2 / s.n[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        df = (v1 + v2) ** 2 / (v1**2 / (n1 - 1) + v2**2 / (n2 - 1))
    return _Standard(np.sqrt((s.sds[0] ** 2 + s.sds[1] ** 2) / 2), np.sqrt(v1 + v2), df)


def _second(s: Spread) -> _Standard:
    (n1, n2), (s1, s2) = s.n, s.sds
    return _Standard(s2, np.sqrt(s1**2 / n1 + s2**2 / n2), n2 - 1)


def _standardize_by_differences(s: Spread) -> _Standard:
    return _Standard(s.se * np.sqrt(s.n[0]), s.se, s.df)


def _standardize_by_average(s: Spread) -> _Standard:
    return _Standard(np.sqrt((s.sds[0] ** 2 + s.sds[1] ** 2) / 2), s.se, s.df)


def _correct_bias(make: Callable[[Spread], _Standard]) -> Callable[[Spread], _Standard]:
    def correct(s: Spread) -> _Standard:
        standard = make(s)
        return _Standard(standard.sd, standard.se, standard.df, correct=True)

    return correct


Kinds = Mapping[str, Callable[[Spread], _Standard]]

TWO_SAMPLE: Kinds = {"d": _pooled, "g": _correct_bias(_pooled), "d_av": _average, "glass": _second}
PAIRED: Kinds = {
    "d_z": _standardize_by_differences,
    "g_z": _correct_bias(_standardize_by_differences),
    "d_av": _standardize_by_average,
}
ONE_SAMPLE: Kinds = {"d": _standardize_by_differences, "g": _correct_bias(_standardize_by_differences)}


def _effect(kinds: Kinds, kind: str, spread: Spread, alternative: Alternative) -> Effect:
    if kind not in kinds:
        raise DesignError(f"kind is {kind!r}; for this test choose one of {', '.join(map(repr, kinds))}")
    standardizer = kinds[kind](spread)
    if np.ndim(standardizer.sd) == 0 and not standardizer.sd > 0:
        raise NotEstimable(
            f"{kind} divides by a standard deviation that is {float(standardizer.sd)}; it is not defined"
        )
    if standardizer.correct and np.ndim(standardizer.df) == 0 and standardizer.df <= 1:
        raise NotEstimable(f"{kind} needs more than 1 degree of freedom; with one the bias of d has no bound")
    with np.errstate(divide="ignore", invalid="ignore"):
        t, unit = spread.difference / standardizer.se, standardizer.se / standardizer.sd
    factor = unit * hedges_correction(standardizer.df) if standardizer.correct else unit
    return Effect(kind, plain(t * factor), partial(_bounds, t, standardizer.df, factor, alternative))


def _bounds(
    t: FloatArray, df: FloatArray, factor: FloatArray, alternative: Alternative, confidence_level: float
) -> Interval:
    low, high = t_noncentrality(t, df, confidence_level, alternative)
    return Interval(plain(low * factor), plain(high * factor), confidence_level, "noncentral t")


def two_sample_effect(kind: str, spread: Spread, alternative: Alternative = "two-sided") -> Effect:
    """Return the standardized difference of two independent groups, with its noncentral-t interval.

    Parameters
    ----------
    kind
        "d" divides by the pooled SD; "g" is d without its bias (Hedges, 1981); "d_av" divides by the root of the mean
        of both variances (Cumming, 2012), with Welch's df; "glass" by the SD of the second group (Glass,
        1976), with its df.
    """
    return _effect(TWO_SAMPLE, kind, spread, alternative)


def paired_effect(kind: str, spread: Spread, alternative: Alternative = "two-sided") -> Effect:
    """Return the standardized mean of paired differences, with its noncentral-t interval.

    Parameters
    ----------
    kind
        "d_z" divides by the SD of the differences; "g_z" is d_z without its bias; "d_av" divides by the root of the
        mean of both variances, with the interval of Algina and Keselman (2003), Educational and Psychological
        Measurement 63, 537-553: exact for d_z, close for d_av.
    """
    return _effect(PAIRED, kind, spread, alternative)


def one_sample_effect(kind: str, spread: Spread, alternative: Alternative = "two-sided") -> Effect:
    """Return the standardized difference of one mean from a value: "d", or "g" without its bias."""
    return _effect(ONE_SAMPLE, kind, spread, alternative)


def d_from_t(
    t: npt.ArrayLike,
    *,
    n: npt.ArrayLike | tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    df: npt.ArrayLike | None = None,
    paired: bool = False,
    kind: str | None = None,
) -> Effect:
    """Return d (or g; d_z or g_z where `paired`) from a printed t.

    Parameters
    ----------
    t
        Student's t, signed as first minus second.
    n
        The two groups' sizes; with `paired`, the number of pairs.
    df
        In place of `n`: with `paired` pairs − 1; for two groups n1 + n2 − 2, and the groups are taken as equal in
        size, which gives the smallest |d| that fits.
    paired
        True where the t is of pairs.
    kind
        "d" or "g"; with `paired` "d_z" or "g_z".

    Returns
    -------
    Effect
        The effect size in standard deviations, with its interval.

    Raises
    ------
    DesignError
        If not exactly one of `n` and `df` is given, or `n` does not fit.

    Examples
    --------
    >>> d_from_t(4.12, n=(25, 26)).apa()
    'd = 1.15, 95% CI [0.55, 1.74]'
    >>> d_from_t(2.46, df=65, paired=True).apa()
    'd_z = 0.30, 95% CI [0.05, 0.55]'
    """
    if (n is None) == (df is None):
        raise DesignError("give exactly one of n and df")
    kind = kind or ("d_z" if paired else "d")
    check_choice("kind", kind, ("d_z", "g_z") if paired else ("d", "g"))
    statistic = np.asarray(t, dtype=np.float64)
    sizes = _sizes(n, df, paired)
    total: Number = sum(sizes)
    unit = np.sqrt(sum(1 / size for size in sizes))
    ones = np.ones_like(statistic)
    sds = (ones,) if paired else (ones, ones)
    spread = Spread(statistic * unit, sizes, sds, ones * unit, np.asarray(total - len(sizes)))
    make = paired_effect if paired else two_sample_effect
    return make(kind, spread)


def _sizes(
    n: npt.ArrayLike | tuple[npt.ArrayLike, npt.ArrayLike] | None, df: npt.ArrayLike | None, is_paired: bool
) -> tuple[FloatArray, ...]:
    if df is not None:
        freedom = np.asarray(df, dtype=np.float64)
        sizes = (freedom + 1,) if is_paired else ((freedom + 2) / 2, (freedom + 2) / 2)
    elif is_paired:
        sizes = (np.asarray(n, dtype=np.float64),)
    elif isinstance(n, tuple) and len(n) == 2:
        sizes = (np.asarray(n[0], dtype=np.float64), np.asarray(n[1], dtype=np.float64))
    else:
        raise DesignError(f"n is {n!r}; for two groups give both sizes, such as n=(25, 26)")
    if np.any(sum(sizes) <= len(sizes)) or any(np.any(size <= 0) for size in sizes):
        raise DesignError(f"n or df leave no degrees of freedom: {n if df is None else df!r}")
    return sizes


Kind: TypeAlias = Literal["eta_squared", "partial_eta_squared", "omega_squared", "epsilon_squared"]


def partial_eta_squared(f: npt.ArrayLike, df1: npt.ArrayLike, df2: npt.ArrayLike) -> Effect:
    """Return partial eta squared, F df1 / (F df1 + df2) (Cohen, 1973).

    The interval is that of the noncentrality λ of F, as λ / (λ + df2): the same function that makes the estimate of F.
    (Steiger, 2004, writes λ / (λ + N) for the share of variance in the population, which is a little smaller.)

    Parameters
    ----------
    f, df1, df2
        F and its degrees of freedom; arrays are taken element by element.

    Returns
    -------
    Effect
        The share of variance from 0 to 1, with its interval.

    Raises
    ------
    DesignError
        If F is negative or a df is not positive.

    References
    ----------
    - Cohen, J. (1973). Eta-squared and partial eta-squared in fixed factor ANOVA designs. Educational and Psychological
      Measurement, 33, 107–112.
    - Steiger, J. H. (2004). Beyond the F test: Effect size confidence intervals and tests of close fit in the analysis
      of variance and contrast analysis. Psychological Methods, 9, 164–182.

    Examples
    --------
    >>> partial_eta_squared(11.42497, 1, 39).apa()
    'ηp² = .23, 95% CI [.04, .43]'
    """
    return variance_explained("partial_eta_squared", f, df1, df2)


def eta_squared(f: npt.ArrayLike, df1: npt.ArrayLike, df2: npt.ArrayLike) -> Effect:
    """Return eta squared from the F of a one-way design; as `partial_eta_squared`, which it equals there.

    How the two differ in other designs is in Cohen [1]_.

    Parameters
    ----------
    f
        The F statistic.
    df1, df2
        Degrees of freedom of the effect and of its error.

    Returns
    -------
    Effect
        The share of variance, with the interval from the noncentral F.

    References
    ----------
    .. [1] Cohen, J. (1973). Eta-squared and partial eta-squared in fixed factor ANOVA designs. Educational and
       Psychological Measurement, 33, 107–112.

    Examples
    --------
    >>> round(eta_squared(4.0, 2, 57).value, 4)
    0.1231
    """
    return variance_explained("eta_squared", f, df1, df2)


def omega_squared(f: npt.ArrayLike, df1: npt.ArrayLike, df2: npt.ArrayLike) -> Effect:
    """Return (partial) omega squared, (F − 1) df1 / (F df1 + df2 + 1), not below 0 (Hays, 1963).

    The interval is made as for `partial_eta_squared`, from the F that has this omega squared as its eta squared.

    Parameters
    ----------
    f
        The F statistic.
    df1, df2
        Degrees of freedom of the effect and of its error.

    Returns
    -------
    Effect
        The share of variance, with the interval from the noncentral F.

    References
    ----------
    Hays, W. L. (1963). Statistics for Psychologists. Holt, Rinehart and Winston.

    Examples
    --------
    >>> round(omega_squared(4.0, 2, 57).value, 4)
    0.0909
    """
    return variance_explained("omega_squared", f, df1, df2)


def epsilon_squared(f: npt.ArrayLike, df1: npt.ArrayLike, df2: npt.ArrayLike) -> Effect:
    """Return (partial) epsilon squared, (F − 1) df1 / (F df1 + df2), not below 0 (Kelley, 1935): the adjusted R².

    The interval is made as for `omega_squared`.

    Parameters
    ----------
    f
        The F statistic.
    df1, df2
        Degrees of freedom of the effect and of its error.

    Returns
    -------
    Effect
        The share of variance, with the interval from the noncentral F.

    References
    ----------
    Kelley, T. L. (1935). An unbiased correlation ratio measure. Proceedings of the National Academy of Sciences, 21,
    554–559.

    Examples
    --------
    >>> round(epsilon_squared(4.0, 2, 57).value, 4)
    0.0923
    """
    return variance_explained("epsilon_squared", f, df1, df2)


def r_from_t(t: npt.ArrayLike, df: npt.ArrayLike) -> Effect:
    """Return the correlation t / √(t² + df), signed as t, with the noncentral-t interval.

    The conversion is Rosenthal's (1994).

    Parameters
    ----------
    t
        The t statistic.
    df
        Its degrees of freedom.

    Returns
    -------
    Effect
        The correlation from −1 to 1.

    References
    ----------
    Rosenthal, R. (1994). Parametric measures of effect size. In H. Cooper & L. V. Hedges (Eds.), The Handbook of
    Research Synthesis. Russell Sage Foundation.

    Examples
    --------
    >>> r_from_t(-2.46, 65).apa()
    'r = −.29, 95% CI [−.48, −.06]'
    """
    statistic, freedom = (np.asarray(x, dtype=np.float64) for x in (t, df))
    if np.any(freedom <= 0):
        raise DesignError(f"df is {df!r}; degrees of freedom are positive")
    return Effect("r", plain(statistic / np.sqrt(statistic**2 + freedom)), partial(_r_bounds, statistic, freedom))


def variance_explained(
    name: Kind, f: npt.ArrayLike, df1: npt.ArrayLike, df2: npt.ArrayLike, *, rest: npt.ArrayLike | None = None
) -> Effect:
    """Return the effect `name` of an F.

    `rest` is what stands for the variance inside groups where that is not `df2`: N less the groups for Welch's F, whose
    df2 follows from the worst known mean and may be far from N. Its noncentrality is N f² all the same.
    """
    check_choice("kind", name, tuple(MORE))
    f, df1, df2 = (np.asarray(x, dtype=np.float64) for x in (f, df1, df2))
    if np.any(f < 0) or np.any(df1 <= 0) or np.any(df2 <= 0):
        raise DesignError(f"F is {f}, df are {df1} and {df2}; F is not negative and degrees of freedom are positive")
    is_corrected, added = MORE[name]
    df_within = df2 if rest is None else np.asarray(rest, dtype=np.float64)
    value = np.asarray((f - 1 if is_corrected else f) * df1 / (f * df1 + df_within + added))
    value = np.where(np.isnan(value), np.nan, np.maximum(value, 0.0))
    f_equivalent = f if not is_corrected else value / (1 - value) * df_within / df1
    return Effect(name, plain(value), partial(_f_bounds, np.asarray(f_equivalent), df1, df2, df_within))


# Whether the effect of chance is taken off F, and what the total has on top: the error variance once more in omega.
MORE: dict[str, tuple[bool, int]] = {
    "eta_squared": (False, 0),
    "partial_eta_squared": (False, 0),
    "omega_squared": (True, 1),
    "epsilon_squared": (True, 0),
}


def _f_bounds(
    f: FloatArray, df1: FloatArray, df2: FloatArray, df_within: FloatArray, confidence_level: float
) -> Interval:
    low, high = f_noncentrality(f, df1, df2, confidence_level)
    return Interval(plain(low / (low + df_within)), plain(high / (high + df_within)), confidence_level, "noncentral F")


def _r_bounds(t: FloatArray, df: FloatArray, confidence_level: float) -> Interval:
    low, high = (
        noncentrality / np.sqrt(noncentrality**2 + df) for noncentrality in t_noncentrality(t, df, confidence_level)
    )
    return Interval(plain(low), plain(high), confidence_level, "noncentral t")
