"""Correlation of two variables: Pearson, Spearman, Kendall; partial and semi-partial; their tests and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import scipy
from scipy import special

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.effects._effect import Effect
from negstats.stats.relations.exact import MOST_RANKED, can_be_exact, kendall_distribution, spearman_p, tail
from negstats.stats.results.apa import bounded_apart, df, p_value
from negstats.stats.results.numbers import ROUNDING, FloatArray, Number, plain
from negstats.stats.results.options import ALTERNATIVES, Alternative, check_choice, check_single, count, sides, t_tails
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries import Moments
from negstats.stats.summaries.coerce import complete, moments_of, ranks_of, standardized
from negstats.stats.summaries.frames import names_of

Kind = Literal["pearson", "spearman", "kendall"]
KINDS = ("pearson", "spearman", "kendall")
SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ_b"}
NAMES = {"pearson": "r", "spearman": "rho", "kendall": "tau_b"}


@dataclass(frozen=True, slots=True, repr=False)
class Correlation(Result):
    """The correlation of two variables. Numbers are arrays with one entry for each study of a stack.

    Attributes
    ----------
    x, y : str
        The variables.
    method : str
        "pearson", "spearman" or "kendall" (tau-b).
    r : float
        The coefficient, from −1 to 1.
    statistic : float
        t; of Kendall's tau z, which is NaN where p is exact and n is too small for it.
    df : float
        n − 2 less the variables controlled for; NaN where no t is involved.
    p : float
        Under `alternative`, by `distribution`.
    n : int
        Complete rows.
    controlling : tuple of str
        Variables held constant.
    part : str
        "" for a plain correlation, "partial" (both variables cleared), "semi-partial" (only x cleared), "within"
        (inside subjects).
    distribution : str
        "t", "exact" (the permutation distribution given the ties) or "normal".
    alternative : str
        "two-sided", "greater" or "less".
    missing : int
        Rows left out because a variable was missing.
    """

    x: str
    y: str
    method: Kind
    r: Number
    statistic: Number
    df: Number
    p: Number
    n: Number
    controlling: tuple[str, ...]
    part: str
    distribution: str
    alternative: Alternative
    missing: int
    spread: Number = field(repr=False, compare=False)  # SE of atanh(r)

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval ``tanh(atanh r ± q · SE)``, NaN where r is −1 or 1 or n is too small.

        The SE is Fisher's 1/√(n − 3 − k) for Pearson's r with k controlled variables; √((1 + r²/2)/(n − 3 − k)) for
        Spearman's and √(.437/(n − 4)) for Kendall's (Bonett and Wright, 2000); for a semi-partial correlation from its
        asymptotic variance under normality.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, between −1 and 1.

        References
        ----------
        Bonett, D. G., & Wright, T. A. (2000). Sample size requirements for estimating Pearson, Kendall and Spearman
        correlations. Psychometrika, 65, 23–28.
        """
        area_below, area_above = sides(check_level(confidence_level), self.alternative)
        r = np.asarray(self.r)
        with np.errstate(divide="ignore", invalid="ignore"):
            # On Fisher's z the error is the same for every r; r of ±1 has no z.
            centre, se = np.where(np.abs(r) < 1, np.arctanh(r), np.nan), np.asarray(self.spread)
            low = (
                np.tanh(centre + special.ndtri(area_below) * se)
                if area_below
                else np.where(np.isnan(centre), np.nan, -1.0)
            )
            high = (
                np.tanh(centre - special.ndtri(area_above) * se)
                if area_above
                else np.where(np.isnan(centre), np.nan, 1.0)
            )
        is_missing = np.isnan(centre) | np.isnan(se)
        method = {"pearson": "Fisher z", "spearman": "Bonett–Wright", "kendall": "Bonett–Wright"}[self.method]
        return Interval(
            plain(np.where(is_missing, np.nan, low)),
            plain(np.where(is_missing, np.nan, high)),
            confidence_level,
            method,
        )

    def effect_size(self) -> Effect:
        """Return the coefficient with its interval, as "r", "rho" or "tau_b".

        Returns
        -------
        Effect
            The coefficient, from −1 to 1.
        """
        return Effect(NAMES[self.method], self.r, self.confidence_interval)

    def bayes_factor(self) -> float:
        """Return the Bayes factor for a correlation against none, with a uniform prior on r (pingouin's, exact).

        As in Wagenmakers, Verhagen and Ly (2016); only for a plain Pearson's r.

        Returns
        -------
        float
            BF₁₀: how many times likelier the data are with a correlation than without.

        References
        ----------
        Wagenmakers, E.-J., Verhagen, J., & Ly, A. (2016). How to quantify the evidence for the absence of a
        correlation. Behavior Research Methods, 48, 413–426.
        """
        if self.method != "pearson" or self.part:
            raise DesignError("bayes_factor is available for a plain Pearson correlation only")
        check_single(self.r, "bayes_factor()")
        import pingouin

        return float(pingouin.bayesfactor_pearson(float(self.r), int(np.asarray(self.n)), alternative=self.alternative))

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``r(10) = .97, p < .001, 95% CI [.89, .99]``; without a t, N in place of its df.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            The coefficient with its test and interval.
        """
        check_single(self.r, "apa()")
        size_text = f"N = {self.n}" if np.isnan(self.df) else df(self.df)
        controls_text = f" controlling for {', '.join(self.controlling)}" if self.controlling else ""
        interval = self.confidence_interval(confidence_level)
        kind_text = f"{self.part} " if self.part in ("partial", "semi-partial") else ""
        value, bounds = bounded_apart(self.r, interval.low, interval.high, confidence_level)
        p_text = p_value(self.p, self.alternative)
        return f"{kind_text}{SYMBOLS[self.method]}({size_text}) = {value}, {p_text}, {bounds}{controls_text}"


def correlation(
    data: Any,
    x: str,
    y: str,
    *,
    method: Kind = "pearson",
    controlling: str | Sequence[str] = (),
    alternative: Alternative = "two-sided",
    exact: bool | None = None,
) -> Correlation:
    """Correlate two variables, with others held constant where asked.

    Parameters
    ----------
    data
        A frame of any engine with one row a unit, arrays by name, or (Pearson only) `Moments`, of one study or a stack.
    x, y
        The variables.
    method
        "pearson"; "spearman" (of midranks); "kendall" (tau-b).
    controlling
        Variables held constant: a partial correlation (Pearson, Spearman).
    alternative
        "greater": above 0.
    exact
        Of ranks: True counts all pairings of the values seen, ties included; None does so where that is cheap
        (Spearman up to 9 units; Kendall up to 50 where one variable has no ties, else while few values differ).

    Returns
    -------
    Correlation
        r with its test; `confidence_interval` has the interval.

    Raises
    ------
    DesignError
        If a column is not there or no number, or `Moments` are given for ranks.
    NotEstimable
        If a variable is constant, depends on those controlled for, or there are too few rows.

    Notes
    -----
    Partial: −Q_xy/√(Q_xx Q_yy) with Q the inverse of the correlations; t = r √(df/(1 − r²)), df = n − 2 − k. The z of
    Kendall's S has the variance given the ties (Kendall, 1970, ch. 4), as in R's ``cor.test(exact = FALSE)``.

    References
    ----------
    Kendall, M. G. (1970). Rank Correlation Methods (4th ed.). Griffin.

    Examples
    --------
    >>> rows = {"first": [2, 4, 5, 7, 8, 9, 11], "points": [10, 12, 11, 17, 15, 20, 19]}
    >>> print(correlation(rows, "first", "points").apa())
    r(5) = .91, p = .004, 95% CI [.51, .99]
    >>> correlation(rows, "first", "points", method="kendall").apa()
    'τ_b(N = 7) = .71, p = .030, 95% CI [.15, .93]'
    """
    check_choice("method", method, KINDS)
    check_choice("alternative", alternative, ALTERNATIVES)
    if exact not in (None, True, False):
        raise DesignError(f"exact is {shown(exact)}; give True, False, or None (exact where that is quick)")
    controls = tuple(names_of(controlling))
    names = [x, y, *controls]
    if method == "pearson":
        return from_moments(moments_of(data, names, "x, y and controlling"), method, alternative, controls)
    if method == "kendall" and controls:
        raise DesignError("Kendall's tau has no test for a partial correlation; give method='spearman'")
    values, missing = complete(data, names, "x, y and controlling")
    if method == "kendall":
        return _kendall(values, (x, y), alternative, exact, missing)
    return _spearman(values, names, alternative, exact, missing)


def semipartial(
    data: Any, x: str, y: str, *, controlling: str | Sequence[str], alternative: Alternative = "two-sided"
) -> Correlation:
    """Correlate y with the residual of x given the controlled variables; the square is the R² that x adds to theirs.

    Parameters
    ----------
    data, x, y, controlling, alternative
        As in `correlation` (Pearson).

    Returns
    -------
    Correlation
        r with its test, as of `correlation`.

    Raises
    ------
    DesignError, NotEstimable
        As `correlation`.

    Notes
    -----
    t is that of x in the regression of y on x and the controlled variables, which is the partial correlation's: both
    ask the same question. (Some programs print r √(df/(1 − r²)), which is too small, for it takes what the controlled
    variables explain of y for error.) The interval is made on Fisher's z from the asymptotic variance of r for normal
    values, which without controlled variables is (1 − r²)².

    Examples
    --------
    >>> rows = {"x": [2, 4, 5, 7, 8, 9], "z": [5, 3, 6, 2, 7, 4], "y": [10, 12, 11, 17, 15, 20]}
    >>> round(semipartial(rows, "x", "y", controlling="z").r, 4)
    0.9109
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    controls = tuple(names_of(controlling))
    if not controls:
        raise DesignError("controlling is empty; a semi-partial correlation needs variables to remove from x")
    moments = moments_of(data, [x, y, *controls], "x, y and controlling")
    partial = from_moments(moments, "pearson", alternative, controls)
    table = standardized(moments)
    explained = _explained(table, 1)
    r = np.asarray(partial.r) * np.sqrt(1 - explained)
    r_squared = explained + r**2
    # The influence of a unit on r, squared and averaged over normal values; `explained` is the R² of y on the controls.
    variance = (
        r**2 * (1 - r**2) ** 2 / 2
        + (1 - r_squared) * (1 - r**2) ** 2
        + r**2 / 2 * (explained**2 + (1 - r_squared) ** 2 + 2 * explained * (r**2 + 1 - r_squared))
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        z_se = np.sqrt(variance) / (1 - r**2) * np.asarray(partial.spread)
    return _result(
        (x, y), "pearson", r, partial.statistic, partial.df, partial.p, moments.n, alternative, moments.missing,
        z_se, controls, "semi-partial", "t",
    )  # fmt: skip


def from_moments(
    moments: Moments,
    method: Kind,
    alternative: Alternative = "two-sided",
    controls: tuple[str, ...] = (),
    exact_p: float | None = None,
) -> Correlation:
    """Return the correlation of the first two variables given the others, from moments of numbers or of ranks."""
    k, names = len(controls), moments.variables.levels
    # Each variable controlled takes one df.
    df = np.asarray(moments.n - 2.0 - k)
    if df.ndim == 0 and df < 1:
        raise NotEstimable(
            f"n is {int(moments.n)}; a correlation of {x_and_y(names)}{f' given {k} more' if k else ''} needs at least "
            f"{3 + k} complete rows"
        )
    r = _partial(standardized(moments), names)
    df = np.where(df > 0, df, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = r * np.sqrt(df / (1 - r**2))
        z_df = np.asarray(moments.n - 3.0 - k)
        scale = 1 + r**2 / 2 if method == "spearman" else 1.0
        z_se = np.sqrt(scale / np.where(z_df > 0, z_df, np.nan))
    p = t_tails(t, df, alternative) if exact_p is None else exact_p
    return _result(
        names, method, r, t, df, p, moments.n, alternative, moments.missing, z_se, controls,
        "partial" if controls else "", "t" if exact_p is None else "exact",
    )  # fmt: skip


def from_r(
    r: float,
    names: Sequence[str],
    free: float,
    n: int,
    alternative: Alternative = "two-sided",
    missing: int = 0,
    controls: tuple[str, ...] = (),
    part: str = "",
) -> Correlation:
    """Return what a Pearson correlation with `free` degrees of freedom says; its interval is Fisher's with df + 2."""
    r = float(np.sign(r)) if 1 - abs(r) < ROUNDING else r
    with np.errstate(divide="ignore"):
        t = np.asarray(r * np.sqrt(np.float64(free) / (1 - np.float64(r) ** 2)))
    p = t_tails(t, np.asarray(free), alternative)
    z_se = (free - 1) ** -0.5 if free > 1 else np.nan
    size = np.asarray(float(n))
    return _result(names, "pearson", r, t, free, p, size, alternative, missing, z_se, controls, part)


def x_and_y(names: Sequence[str]) -> str:
    """Return the first two names as a message says them."""
    return f"{names[0]!r} and {names[1]!r}"


def _result(
    names: Sequence[str],
    method: Kind,
    r: Any,
    t: Any,
    df: Any,
    p: Any,
    n: FloatArray,
    alternative: Alternative,
    missing: int,
    z_se: Any,
    controls: tuple[str, ...] = (),
    kind: str = "",
    distribution: str = "t",
) -> Correlation:
    return Correlation(
        x=names[0],
        y=names[1],
        method=method,
        r=plain(r),
        statistic=plain(t),
        df=plain(df),
        p=plain(p),
        n=count(n),
        controlling=controls,
        part=kind,
        distribution=distribution,
        alternative=alternative,
        missing=missing,
        spread=plain(z_se),
    )


def _partial(table: FloatArray, names: Sequence[str]) -> FloatArray:
    """Return the correlation of the first two variables given the others, 1 where rounding alone keeps it from it."""
    if table.shape[-1] == 2:
        r = table[..., 0, 1]
    else:
        controls_table = table[..., 2:, 2:]
        with_controls = table[..., :2, 2:]
        if table.ndim == 2 and np.linalg.eigvalsh(controls_table)[0] < 1e-12 * len(controls_table):
            raise NotEstimable(f"{', '.join(map(repr, names[2:]))} depend on each other; control for fewer of them")
        # What is left of both variables after the controls, and what of it they share.
        residual = table[..., :2, :2] - with_controls @ np.linalg.solve(
            controls_table, np.swapaxes(with_controls, -1, -2)
        )
        residual_variances = np.einsum("...ii->...i", residual)
        if table.ndim == 2 and residual_variances.min() < 1e-12:
            raise NotEstimable(
                f"{names[int(residual_variances.argmin())]!r} follows from {', '.join(map(repr, names[2:]))}; "
                "nothing of it is left"
            )
        with np.errstate(invalid="ignore", divide="ignore"):
            r = residual[..., 0, 1] / np.sqrt(residual_variances[..., 0] * residual_variances[..., 1])
    return np.asarray(np.where(1 - np.abs(r) < ROUNDING, np.sign(r), r))


def _explained(table: FloatArray, index: int) -> FloatArray:
    """Return R² of the variable at `index` on those from the third on."""
    with_controls = table[..., index, 2:]
    return np.asarray(
        (with_controls * np.linalg.solve(table[..., 2:, 2:], with_controls[..., None])[..., 0]).sum(axis=-1)
    )


def _spearman(
    values: FloatArray, names: Sequence[str], alternative: Alternative, exact: bool | None, missing: int
) -> Correlation:
    moments = ranked_moments(values, names, missing)
    n, controls = len(values), tuple(names[2:])
    if exact and (controls or n > MOST_RANKED):
        raise DesignError(f"an exact p of Spearman's rho is for two variables and n up to {MOST_RANKED}; n is {n}")
    is_exact = exact is not False and not controls and n <= MOST_RANKED
    result = from_moments(moments, "spearman", alternative, controls)
    if not is_exact:
        return result
    x_ranks, y_ranks = ranks_of(values).T
    return from_moments(moments, "spearman", alternative, controls, spearman_p(x_ranks, y_ranks, alternative))


def ranked_moments(values: FloatArray, names: Sequence[str], missing: int = 0) -> Moments:
    """Return the moments of the ranks of each column."""
    return replace(Moments.from_array(ranks_of(values), names, within="variable", outcome="rank"), missing=missing)


def _kendall(
    values: FloatArray, names: tuple[str, str], alternative: Alternative, exact: bool | None, missing: int
) -> Correlation:

    n = len(values)
    codes, ties = [], []
    for column, name in enumerate(names):
        distinct, code, occurs = np.unique(values[:, column], return_inverse=True, return_counts=True)
        if len(distinct) < 2:
            raise NotEstimable(f"{name!r} is constant; nothing can be related to a constant")
        codes.append(code)
        ties.append(occurs.astype(float))
    if n < 3:
        raise NotEstimable(f"n is {n}; a correlation needs at least 3 complete rows")
    n_pairs = n * (n - 1) / 2
    untied_pairs = [n_pairs - (t * (t - 1)).sum() / 2 for t in ties]
    # Concordant less discordant pairs are a whole number, which scipy counts in n log n steps (Knight, 1966).
    largest_difference = np.sqrt(untied_pairs[0] * untied_pairs[1])
    concordance = float(np.rint(scipy.stats.kendalltau(*codes, method="asymptotic").statistic * largest_difference))
    tau = concordance / largest_difference
    z = concordance / np.sqrt(kendall_variance(n, ties[0], ties[1]))
    groups = [t.astype(int).tolist() for t in ties]
    is_feasible = can_be_exact(groups[0], groups[1])
    if exact and not is_feasible:
        reason = f"an exact p of Kendall's tau takes too long for n = {n} with these ties"
        raise DesignError(reason, advice="give exact=False")
    is_exact = is_feasible and exact is not False
    if is_exact:
        p = tail(*kendall_distribution(groups[0], groups[1]), concordance, alternative)
    else:
        p = float(t_tails(z, np.inf, alternative))
    z_se = np.sqrt(0.437 / (n - 4)) if n > 4 else np.nan
    if 1 - abs(tau) < ROUNDING:
        tau = np.sign(tau)
    return _result(
        names, "kendall", tau, z, np.nan, p, np.asarray(float(n)), alternative, missing, z_se,
        distribution="exact" if is_exact else "normal",
    )  # fmt: skip


def kendall_variance(n: int, t: FloatArray, u: FloatArray) -> float:
    """Return the variance of S given the ties (Kendall, 1970, eq. 4.4)."""

    def sum_squares(k: FloatArray | float) -> float:
        return float(np.sum(k * (k - 1) * (2 * np.asarray(k) + 5)))

    def sum_pairs(k: FloatArray) -> float:
        return float(np.sum(k * (k - 1)))

    def sum_triples(k: FloatArray) -> float:
        return float(np.sum(k * (k - 1) * (k - 2)))

    untied_term = (sum_squares(float(n)) - sum_squares(t) - sum_squares(u)) / 18
    triple_term = sum_triples(t) * sum_triples(u) / (9 * n * (n - 1) * (n - 2))
    return untied_term + triple_term + sum_pairs(t) * sum_pairs(u) / (2 * n * (n - 1))
