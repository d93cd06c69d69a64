"""Power and sample sizes by formula: t, one-way, chi-squared, proportions, terms of factorial designs; its results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special, stats
from scipy.optimize import brentq

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.counts.proportions import proportion
from negstats.stats.means.design import all_terms, hypothesis, hypothesis_squares
from negstats.stats.means.f_tests import find_term
from negstats.stats.power.drawing import NormalDesign
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, floats, plain
from negstats.stats.results.options import (
    ALTERNATIVES,
    Alternative,
    check_choice,
    check_count,
    check_share,
    check_single,
)
from negstats.stats.results.result import Interval, Result, check_level, with_schema


def check_alpha(alpha: float) -> float:
    """Return the level of a test, or raise DesignError if it is not between 0 and 1."""
    return check_share("alpha", alpha, 0.05)


@dataclass(frozen=True, slots=True, repr=False)
class Power(Result):
    """The probability that a test rejects at `alpha` in a given design.

    Attributes
    ----------
    power : float
        An array where several sizes were asked for.
    n : tuple of float
        Size of each group or cell; one number for a single sample or table.
    alpha : float
        The level of the test.
    test : str
        What was tested.
    method : str
        "noncentral t", "noncentral F", "noncentral chi-squared", "normal" or "simulation".
    n_simulations : int
        Simulated studies; 0 for a closed form.
    undefined : int
        Simulated studies that gave no p. They count as not significant.
    """

    power: Number
    n: tuple[Number, ...]
    alpha: float
    test: str
    method: str
    n_simulations: int = 0
    undefined: int = 0

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return Wilson's interval of the power for the number of simulated studies; a closed form has no width.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, between 0 and 1: the Monte Carlo error of the power.
        """
        check_level(confidence_level)
        if not self.n_simulations:
            return Interval(self.power, self.power, confidence_level, self.method)
        interval = proportion(round(float(self.power) * self.n_simulations), self.n_simulations).confidence_interval(
            confidence_level
        )
        return Interval(interval.low, interval.high, confidence_level, "Monte Carlo, Wilson")

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row for each size: n_1, n_2, ..., total, power, low, high, alpha, test, method, studies.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            ``low`` and ``high`` are the ends of the interval of the power, ``studies`` the number of simulated
            studies.
        """
        interval = self.confidence_interval(confidence_level)
        sizes = [np.asarray(size, dtype=np.float64) for size in self.n]
        numbers = np.broadcast_arrays(*sizes, sum(sizes), self.power, interval.low, interval.high)
        names = [*(f"n_{number}" for number in range(1, len(sizes) + 1)), "total", "power", "low", "high"]
        frame = pd.DataFrame({name: np.atleast_1d(column) for name, column in zip(names, numbers, strict=True)})
        frame = frame.assign(alpha=self.alpha, test=self.test, method=self.method, studies=self.n_simulations)
        return with_schema(frame, "Power/1")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``power = .80, 95% CI [.79, .81] (n = 64, 64, α = .05, 10,000 simulated studies)``.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            The power, and how it was computed.
        """
        check_single(self.power, "apa()")
        interval = self.confidence_interval(confidence_level)
        interval_text = f", {interval.apa(is_bounded=True)}" if self.n_simulations else ""
        method_text = f"{self.n_simulations:,} simulated studies" if self.n_simulations else self.method
        settings_text = f"n = {_stated_sizes(self.n)}, α = {apa.bounded(self.alpha)}, {method_text}"
        return f"power {_share(self.power)}{interval_text} ({settings_text})"


@dataclass(frozen=True, slots=True, repr=False)
class SampleSize(Result):
    """The smallest sizes at which a test reaches a power.

    Attributes
    ----------
    n : tuple of int
        Size of each group or cell; one number for a single sample or table.
    total : int
        Their sum.
    target : float
        The power that was asked for.
    power : float
        The power at `n`; simulated, within `power_interval`.
    power_interval : Interval
        Monte-Carlo interval of the power at `n`, without width for a closed form.
    n_interval : Interval
        Smallest group (or single sample) at which that interval begins to reach the target, and at which it lies above
        it: between them lies the size that endless simulation would give. For a closed form the real number that was
        rounded up, twice.
    alpha : float
        The level of the test.
    test, method : str
        As in `Power`.
    n_simulations : int
        Simulated studies at each size; 0 for a closed form.
    """

    n: tuple[int, ...]
    total: int
    target: float
    power: float
    power_interval: Interval
    n_interval: Interval
    alpha: float
    test: str
    method: str
    n_simulations: int = 0

    def apa(self) -> str:
        """Return such as ``n = 64, 64 for a power of .80 (α = .05, noncentral t)``.

        Returns
        -------
        str
            The sizes of the groups, and how they were computed.
        """
        alpha = apa.bounded(self.alpha)
        if not self.n_simulations:
            return f"n = {_stated_sizes(self.n)} for a power of {apa.bounded(self.target)} (α = {alpha}, {self.method})"
        level = f"{100 * self.n_interval.confidence_level:g}%"
        low, high = (f"{float(bound):,.0f}" for bound in (self.n_interval.low, self.n_interval.high))
        interval_text = f"{level} Monte-Carlo interval of the smallest cell [{low}, {high}]"
        settings_text = f"α = {alpha}, {self.n_simulations:,} simulated studies a size"
        return (
            f"n = {_stated_sizes(self.n)} for a power of {apa.bounded(self.target)} ({interval_text}, {settings_text})"
        )


def _share(power: Number) -> str:
    """Return ``= .80``, to two decimals; a power that is not 1 is not printed as 1."""
    value = float(power)
    return "> .99" if 0.995 <= value < 1 else f"= {apa.bounded(value)}"


def _stated_sizes(n: tuple[Number, ...]) -> str:
    return ", ".join(apa.df(size) for size in n)


Effect: TypeAlias = float | tuple[float, float]
Sizes: TypeAlias = tuple[FloatArray, ...]

SIDES = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}  # as statsmodels names them

LARGEST = 1e9  # observations a group beyond which no size is looked for


@dataclass(frozen=True, slots=True)
class _Question:
    """What a formula needs besides the sizes."""

    effect: Effect
    alpha: float
    alternative: Alternative
    groups: int
    df: int


def _t_power(noncentrality: FloatArray, df: FloatArray, q: _Question) -> FloatArray:
    """Return the area of the noncentral t beyond the critical values, both tails if the test has two sides."""
    critical = -special.stdtrit(df, q.alpha / 2 if q.alternative == "two-sided" else q.alpha)
    upper_tail = stats.nct.sf(critical, df, noncentrality)
    lower_tail = stats.nct.sf(critical, df, -noncentrality)  # the lower tail, whose cdf is NaN where it is very small
    return np.asarray({"two-sided": upper_tail + lower_tail, "greater": upper_tail, "less": lower_tail}[q.alternative])


def _two_means(sizes: Sizes, question: _Question) -> FloatArray:
    n1, n2 = sizes
    return _t_power(np.asarray(question.effect) / np.sqrt(1 / n1 + 1 / n2), n1 + n2 - 2, question)


def _one_mean(sizes: Sizes, q: _Question) -> FloatArray:
    return _t_power(np.asarray(q.effect) * np.sqrt(sizes[0]), sizes[0] - 1, q)


def _f_power(noncentrality: FloatArray, df: float, df_error: FloatArray, alpha: float) -> FloatArray:
    critical = special.fdtri(df, df_error, 1 - alpha)
    # scipy's function is wrong at 0 itself.
    return np.where(noncentrality > 0, stats.ncf.sf(critical, df, df_error, np.maximum(noncentrality, 1e-12)), alpha)


def _spread_means(sizes: Sizes, q: _Question) -> FloatArray:
    total = np.asarray(sum(sizes))
    return _f_power(np.asarray(q.effect) ** 2 * total, len(sizes) - 1.0, total - len(sizes), q.alpha)


def _table(sizes: Sizes, q: _Question) -> FloatArray:
    critical = special.chdtri(q.df, q.alpha)
    return np.asarray(stats.ncx2.sf(critical, q.df, np.asarray(q.effect) ** 2 * sizes[0]))


def _two_proportions(sizes: Sizes, question: _Question) -> FloatArray:
    from statsmodels.stats.proportion import power_proportions_2indep

    (n1, n2), (p1, p2) = sizes, np.asarray(question.effect)
    alternative = SIDES[question.alternative]
    return np.asarray(
        power_proportions_2indep(
            p1 - p2, p2, n1, n2 / n1, question.alpha, alternative=alternative, return_results=False
        )
    )


@dataclass(frozen=True, slots=True)
class _Form:
    """A formula, how many groups it is of (0: `groups` says), the fewest observations in each, and its name."""

    power: Callable[[Sizes, _Question], FloatArray]
    groups: int
    least: int
    method: str
    effect: str


FORMS = {
    "t": _Form(_two_means, 2, 2, "noncentral t", "d"),
    "paired t": _Form(_one_mean, 1, 2, "noncentral t", "d_z"),
    "one-sample t": _Form(_one_mean, 1, 2, "noncentral t", "d"),
    "anova": _Form(_spread_means, 0, 2, "noncentral F", "f"),
    "chi2": _Form(_table, 1, 1, "noncentral chi-squared", "w"),
    "proportions": _Form(_two_proportions, 2, 1, "normal", "(p1, p2)"),
}


def power(
    test: str,
    *,
    effect: Effect,
    n: npt.ArrayLike | tuple[npt.ArrayLike, ...],
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    groups: int = 2,
    df: int = 1,
) -> Power:
    """Return the power of a test by its formula.

    Parameters
    ----------
    test
        "t" (two groups, Student), "paired t", "one-sample t", "anova" (one-way), "chi2" (any table), "proportions" (two
        groups).
    effect
        "t" and "one-sample t": d. "paired t": d_z. "anova": Cohen's f, √(η² / (1 − η²)). "chi2": Cohen's w, √(X² / n).
        "proportions": both, (p1, p2).
    n
        Size of each group, or of the sample or table. For several groups one number is the size of each; a tuple gives
        each its own. Arrays give the power at several sizes (a curve: take `to_frame`).
    alpha, alternative
        Level and side of the test, signed as first minus second; "anova" and "chi2" have no sides.
    groups
        For "anova", where n is not a tuple.
    df
        For "chi2".

    Returns
    -------
    Power
        The power, a number or one of each combination of arrays, with n and alpha.

    Raises
    ------
    DesignError
        If the test is unknown, sizes do not fit or are too small, or the effect is no effect of this test.

    Notes
    -----
    The effects are Cohen's (1988). Both tails count, as in R's ``power.t.test(strict = TRUE)``. "anova" takes f over
    all observations: f² N is the noncentrality also where groups are unequal. For proportions the variance under the
    null hypothesis is that of the pooled proportion, as in R's ``power.prop.test`` (through statsmodels, whose power of
    t is missing where n is large: there scipy's noncentral distributions are used, which it builds on).

    References
    ----------
    Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences (2nd ed.). Erlbaum.

    Examples
    --------
    >>> print(power("t", effect=0.5, n=64).apa())
    power = .80 (n = 64, 64, α = .05, noncentral t)
    >>> power("t", effect=0.5, n=np.array([20, 40, 80])).to_frame()["power"].round(3).tolist()
    [0.338, 0.598, 0.882]
    """
    form, question = _parse_question(test, effect, alpha, alternative, groups, df)
    sizes = _sizes(form, question, n)
    value = form.power(sizes, question)
    return Power(power=plain(value), n=tuple(plain(size) for size in sizes), alpha=alpha, test=test, method=form.method)


def _solve_size(compute_gap: Callable[[float], float], smallest: float) -> float | None:
    """Return the size from `smallest` on at which a gap of power closes; None if none does."""
    sufficient = smallest
    while compute_gap(sufficient) < 0:
        sufficient *= 2
        if sufficient > LARGEST:
            return None
    return (
        smallest
        if sufficient == smallest
        else float(brentq(compute_gap, sufficient / 2, sufficient, xtol=1e-10, rtol=1e-14))
    )


def sample_size(
    test: str,
    *,
    effect: Effect,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    ratio: float = 1.0,
    groups: int = 2,
    df: int = 1,
) -> SampleSize:
    """Return the smallest sizes that give a test the desired power, by its formula.

    The effects are those of Cohen [1]_, as in `power`.

    Parameters
    ----------
    test, effect
        As in `power`.
    power
        What is to be reached.
    alpha, alternative
        As in `power`.
    ratio
        Size of the second group over that of the first.
    groups, df
        As in `power`.

    Returns
    -------
    SampleSize
        The n of each group, their total, and the power that they have.

    Raises
    ------
    DesignError
        As in `power`, or if the power is not between alpha and 1.
    NotEstimable
        If no size reaches the power: there is no effect, or it has the other sign.

    References
    ----------
    .. [1] Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences (2nd ed.). Erlbaum.

    Examples
    --------
    >>> result = sample_size("t", effect=0.5, power=0.8)
    >>> result.n, round(result.n_interval.low, 4)
    ((64, 64), 63.7656)
    >>> print(sample_size("proportions", effect=(0.4, 0.2), power=0.9).apa())
    n = 109, 109 for a power of .90 (α = .05, normal)
    """
    form, question = _parse_question(test, effect, alpha, alternative, groups, df)
    if not alpha < power < 1:
        raise DesignError(f"power is {power!r}; give a number between alpha ({alpha:g}) and 1 such as 0.8")
    if not ratio > 0:
        raise DesignError(f"ratio is {ratio!r}; give a positive number")
    shares = (1.0, ratio) if form.groups == 2 else (1.0,) * (form.groups or groups)

    def compute_gap(n1: float) -> float:
        return float(form.power(tuple(np.asarray(n1 * share) for share in shares), question)) - power

    exact_n1 = _solve_size(compute_gap, form.least / min(1.0, ratio))
    if exact_n1 is None:
        raise NotEstimable(f"no size gives {test!r} a power of {power:g} for the effect {effect} ({alternative})")
    # A size that is whole but for the rounding of the root is not rounded up.
    n = tuple(int(np.ceil(exact_n1 * share - 1e-7)) for share in shares)
    reached = float(form.power(tuple(np.asarray(float(size)) for size in n), question))
    power_interval, n_interval = (
        Interval(reached, reached, method=form.method),
        Interval(exact_n1, exact_n1, method=form.method),
    )
    return SampleSize(
        n=n,
        total=sum(n),
        target=power,
        power=reached,
        power_interval=power_interval,
        n_interval=n_interval,
        alpha=alpha,
        test=test,
        method=form.method,
    )


def term_power(design: NormalDesign, term: str | tuple[str, ...], *, alpha: float = 0.05) -> Power:
    """Return the power of the type III test of a term of a factorial design between subjects, by noncentral F.

    Parameters
    ----------
    design
        From `normal_design`, with one SD for all cells and equal or unequal n.
    term
        A factor, or an interaction as ``"a:b"``.
    alpha
        Level of the F test.

    Returns
    -------
    Power
        The power with n and alpha.

    Raises
    ------
    DesignError
        If the SDs differ (then simulate: see `simulated_power`) or there is no such term.
    NotEstimable
        If no cell has two observations.

    Notes
    -----
    The noncentrality is the sum of squares that the cell means have in the hypothesis, over σ²: Searle (1987, sec.
    8.8).

    References
    ----------
    Searle, S. R. (1987). Linear Models for Unbalanced Data. Wiley.

    Examples
    --------
    >>> from negstats.stats.power.designs import normal_design
    >>> design = normal_design(n=[[20, 25], [22, 18]], mean=[[0, 0], [0, 1]])
    >>> print(term_power(design, "factor_1:factor_2").apa())
    power = .62 (n = 20, 25, 22, 18, α = .05, noncentral F)
    """
    check_alpha(alpha)
    if np.ptp(design.sd) > 0:
        raise DesignError(f"sd holds {design.sd.min():g} and {design.sd.max():g}; with unequal SDs simulate the power")
    shape = design.n.shape
    terms = all_terms(len(shape))
    names = tuple(":".join(design.factors[index].name for index in axes) for axes in terms)
    index = find_term(names, term)
    rows, n = hypothesis(shape, terms[index]), design.n.ravel()
    df, df_error = float(len(rows)), float((n - 1).sum())
    if df_error <= 0:
        raise NotEstimable("there is no error variance: no cell has two observations")
    ss = hypothesis_squares(rows, n, (design.mean - design.mean.mean()).ravel())
    noncentrality = float(ss / design.sd.flat[0] ** 2)
    value = float(_f_power(np.asarray(noncentrality), df, np.asarray(df_error), alpha))
    return Power(power=value, n=tuple(map(float, n)), alpha=alpha, test=names[index], method="noncentral F")


def _parse_question(
    test: str, effect: Effect, alpha: float, alternative: Alternative, groups: int, df: int
) -> tuple[_Form, _Question]:
    check_choice("test", test, tuple(FORMS))
    check_choice("alternative", alternative, ALTERNATIVES)
    check_alpha(alpha)
    form = FORMS[test]
    groups, df = check_count("groups", groups, 2), check_count("df", df, 1)
    if test in ("anova", "chi2") and alternative != "two-sided":
        raise DesignError(f"{test!r} has no sides; alternative is {alternative!r}")
    size = floats("effect", effect)
    shape = (2,) if test == "proportions" else ()
    in_range = np.all((size > 0) & (size < 1)) if shape else np.all(np.isfinite(size))
    signed = test not in ("anova", "chi2") or np.all(size >= 0)
    if size.shape != shape or not in_range or not signed:
        raise DesignError(f"effect is {shown(effect)}; for {test!r} give {form.effect}")
    return form, _Question(effect, alpha, alternative, groups, df)


def _sizes(form: _Form, question: _Question, n: npt.ArrayLike | tuple[npt.ArrayLike, ...]) -> Sizes:
    count = form.groups or (len(n) if isinstance(n, tuple) else question.groups)
    group_sizes = n if isinstance(n, tuple) else (n,) * count
    if len(group_sizes) != count or (form.groups == 0 and count < 2):
        raise DesignError(f"n is {shown(n)}; give one size, or {form.groups or '2 or more'} in a tuple")
    sizes = np.broadcast_arrays(*(np.asarray(size, dtype=np.float64) for size in group_sizes))
    if not all(np.all(size >= form.least) for size in sizes):
        raise DesignError(f"n is {shown(n)}; every group needs at least {form.least}")
    return tuple(sizes)
