"""Variance explained: eta squared, omega squared, epsilon squared from F, with noncentral-F intervals.

With one factor these are eta, omega and epsilon squared; with several they are the partial ones, which is all that an F
with its degrees of freedom can give.
"""

from __future__ import annotations

from functools import partial
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError
from negstats.stats.effects._effect import Effect
from negstats.stats.results.noncentral import f_noncentrality, t_noncentrality
from negstats.stats.results.numbers import FloatArray, plain
from negstats.stats.results.options import check_choice
from negstats.stats.results.result import Interval

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
    is_corrected, more = MORE[name]
    df_within = df2 if rest is None else np.asarray(rest, dtype=np.float64)
    value = np.asarray((f - 1 if is_corrected else f) * df1 / (f * df1 + df_within + more))
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
    low, high = (end / np.sqrt(end**2 + df) for end in t_noncentrality(t, df, confidence_level))
    return Interval(plain(low), plain(high), confidence_level, "noncentral t")
