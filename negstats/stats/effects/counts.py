"""Effect sizes of counts: Cramér's V, phi, odds ratio, risk ratio, risk difference; from a table or from chi-squared.

In a 2 × 2 table the first dimension is the groups, the second what happened, and its first level the event (or the
level that `event` names). Ratios and differences are of the first group against the second.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from negstats.errors import DesignError, NotEstimable
from negstats.stats.counts.proportions import ProportionDifference
from negstats.stats.effects._effect import Effect
from negstats.stats.results.noncentral import chi2_noncentrality
from negstats.stats.results.numbers import FloatArray, plain
from negstats.stats.results.options import check_number
from negstats.stats.results.result import Interval
from negstats.stats.summaries import Counts
from negstats.stats.summaries.coerce import as_counts
from negstats.stats.summaries.frames import By


def cramers_v(data: Any, by: By = None) -> Effect:
    """Return Cramér's V of a two-way table, with the noncentral-chi-squared interval.

    Parameters
    ----------
    data
        A frame of any engine whose rows are counted by the two columns `by`; or a table, or `Counts` (one or a stack).
    by
        The two columns of the table, where `data` is a frame.

    Returns
    -------
    Effect
        V from 0 to 1.

    Raises
    ------
    DesignError
        If the table has not two dimensions with two levels each at least.
    NotEstimable
        If a row or a column is empty.

    Examples
    --------
    >>> cramers_v([[10, 20, 30], [25, 15, 5]]).apa()
    'V = .47, 95% CI [.27, .65]'
    """
    counts = _two_way(as_counts(data, by), "cramers_v")
    rows, columns = counts.shape
    return cramers_v_from_chi2(_chi2(counts.n), counts.n.sum(axis=(-1, -2)), rows, columns)


def cramers_v_from_chi2(chi2: npt.ArrayLike, n: npt.ArrayLike, rows: int, columns: int) -> Effect:
    """Return Cramér's V, √(χ² / (n (min(rows, columns) − 1))), from a chi-squared as it was printed (Cramér, 1946).

    Parameters
    ----------
    chi2
        The chi-squared statistic.
    n
        Number of observations in the table.
    rows, columns
        Number of rows and of columns of the table.

    Returns
    -------
    Effect
        V from 0 to 1, with the noncentral-chi-squared interval.

    References
    ----------
    Cramér, H. (1946). Mathematical Methods of Statistics. Princeton University Press.

    Examples
    --------
    >>> round(cramers_v_from_chi2(7.63, 289, 2, 3).value, 4)
    0.1625
    """
    if min(rows, columns) < 2:
        raise DesignError(f"a table of {rows} × {columns} has no association; give two rows and columns at least")
    df, scale = (rows - 1) * (columns - 1), np.asarray(n, dtype=np.float64) * (min(rows, columns) - 1)
    return from_chi2("cramers_v", chi2, df, scale)


def phi_from_chi2(chi2: npt.ArrayLike, n: npt.ArrayLike) -> Effect:
    """Return phi, √(χ² / n), without a sign, from the chi-squared of a 2 × 2 table as it was printed.

    Parameters
    ----------
    chi2
        The chi-squared statistic, without continuity correction.
    n
        Number of observations in the table.

    Returns
    -------
    Effect
        Phi from 0 to 1.

    Examples
    --------
    >>> round(phi_from_chi2(7.63, 289).value, 4)
    0.1625
    """
    return from_chi2("phi", chi2, 1, np.asarray(n, dtype=np.float64))


def phi(data: Any, by: By = None, *, event: str | None = None) -> Effect:
    """Return phi of a 2 × 2 table: the correlation of group and event, signed.

    The interval is that of √χ² as a normal with variance 1, the signed form of the noncentral chi-squared with one df.

    Parameters
    ----------
    data, by
        As in `cramers_v`.
    event
        Level of the second dimension that counts as the event; its other levels are pooled. By default its first.

    Returns
    -------
    Effect
        Phi from −1 to 1.

    Examples
    --------
    >>> phi([[5, 91], [19, 78]]).apa()
    'φ = −.22, 95% CI [−.36, −.08]'
    """
    (a, b, c, d), event_name = _four(data, by, event, "phi")
    n = a + b + c + d
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (a * d - b * c) / np.sqrt((a + b) * (c + d) * (a + c) * (b + d))
    return Effect("phi", plain(value), partial(_phi_bounds, value, n), event_name)


def odds_ratio(data: Any, by: By = None, *, event: str | None = None, add: float = 0.0) -> Effect:
    """Return the ratio of the event's odds in the first group and in the second, with Woolf's (1955) interval.

    Parameters
    ----------
    data, by, event
        As in `phi`.
    add
        Added to every cell; 0.5 (Haldane, 1956; Anscombe, 1956) where a cell is 0.

    Returns
    -------
    Effect
        The ratio, first over second; 1 where the groups are alike.

    Raises
    ------
    NotEstimable
        If a cell is 0.

    References
    ----------
    - Anscombe, F. J. (1956). On estimating binomial response relations. Biometrika, 43, 461–464.
    - Haldane, J. B. S. (1956). The estimation and significance of the logarithm of a ratio of frequencies. Annals of
      Human Genetics, 20, 309–311.
    - Woolf, B. (1955). On estimating the relation between blood group and disease. Annals of Human Genetics, 19,
      251–253.

    Examples
    --------
    >>> odds_ratio([[5, 91], [19, 78]]).apa()
    'OR = 0.23, 95% CI [0.08, 0.63]'
    """
    cells, event_name = _four(data, by, event, "odds_ratio")
    a, b, c, d = (cell + check_number("add", add) for cell in cells)
    _check_cells((a, b, c, d), "the odds ratio divides by every cell; one is 0: give add=0.5")
    with np.errstate(divide="ignore", invalid="ignore"):
        log, error = np.log(a * d / (b * c)), np.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    return Effect("odds_ratio", plain(np.exp(log)), partial(_log_bounds, log, error, "Woolf"), event_name)


def risk_ratio(data: Any, by: By = None, *, event: str | None = None, add: float = 0.0) -> Effect:
    """Return the ratio of the event's share in the first group and in the second, with the interval of Katz (1978).

    Parameters
    ----------
    data, by, event, add
        As in `odds_ratio`.

    Returns
    -------
    Effect
        The ratio, first over second; 1 where the groups are alike.

    Raises
    ------
    NotEstimable
        If the event never happened in one group.

    References
    ----------
    Katz, D., Baptista, J., Azen, S. P., & Pike, M. C. (1978). Obtaining confidence intervals for the risk ratio in
    cohort studies. Biometrics, 34, 469–474.

    Examples
    --------
    >>> risk_ratio([[5, 91], [19, 78]]).apa()
    'RR = 0.27, 95% CI [0.10, 0.68]'
    """
    cells, event_name = _four(data, by, event, "risk_ratio")
    a, b, c, d = (cell + check_number("add", add) for cell in cells)
    _check_cells((a, c), "the risk ratio has no interval where the event never happened in one group: give add=0.5")
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log(a / (a + b)) - np.log(c / (c + d))
        error = np.sqrt(1 / a - 1 / (a + b) + 1 / c - 1 / (c + d))
    return Effect("risk_ratio", plain(np.exp(log)), partial(_log_bounds, log, error, "Katz"), event_name)


def risk_difference(data: Any, by: By = None, *, event: str | None = None) -> Effect:
    """Return the event's share in the first group minus that in the second, with the interval of Newcombe (1998).

    The interval (method 10) is made of both groups' Wilson intervals; it needs no correction for zeros.

    Parameters
    ----------
    data, by, event
        As in `phi`.

    Returns
    -------
    Effect
        The difference, from −1 to 1; 0 where the groups are alike.

    References
    ----------
    Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: Comparison of eleven
    methods. Statistics in Medicine, 17, 873–890.

    Examples
    --------
    >>> risk_difference([[5, 91], [19, 78]]).apa()
    'RD = −.14, 95% CI [−.24, −.05]'
    """
    (a, b, c, d), event_name = _four(data, by, event, "risk_difference")
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = a / (a + b), c / (c + d)
    value = plain(first - second)
    shares = ProportionDifference(
        difference=value,
        proportions=(plain(first), plain(second)),
        successes=(plain(a), plain(c)),
        n=(plain(a + b), plain(c + d)),
    )
    return Effect("risk_difference", value, shares.confidence_interval, event_name)


def _two_way(counts: Counts, what: str) -> Counts:
    if len(counts.shape) != 2 or min(counts.shape) < 2:
        raise DesignError(f"{what} needs a table of two dimensions with two levels each at least; got {counts.shape}")
    empty = np.any(counts.n.sum(axis=-1) == 0) or np.any(counts.n.sum(axis=-2) == 0)
    if not counts.studies and empty:
        raise NotEstimable(f"a row or column of the table is empty: {counts.n.tolist()}; leave it out")
    return counts


def _four(data: Any, by: By, event: str | None, what: str) -> tuple[tuple[FloatArray, ...], str]:
    """Return events and non-events of the first group and of the second, and which level is the event."""
    counts = _two_way(as_counts(data, by), what)
    groups, outcomes = counts.factors
    if len(groups) != 2 or (event is None and len(outcomes) != 2):
        hint = "; name one as event=" if len(groups) == 2 else ""
        raise DesignError(f"{what} needs a table of 2 × 2; got {counts.shape[0]} × {counts.shape[1]}{hint}")
    if event is not None and event not in outcomes.levels:
        raise DesignError(f"{outcomes.name!r} has no level {event!r}; it has {', '.join(map(repr, outcomes.levels))}")
    happened = counts.n[..., 0 if event is None else outcomes.levels.index(event)]
    other = counts.n.sum(axis=-1) - happened
    has_names = not outcomes.name.startswith("factor_")  # a bare table's levels are only numbered
    event_name = (outcomes.levels[0] if event is None else event) if has_names else ""
    return (happened[..., 0], other[..., 0], happened[..., 1], other[..., 1]), event_name


def _check_cells(cells: tuple[FloatArray, ...], reason: str) -> None:
    if np.ndim(cells[0]) == 0 and any(cell == 0 for cell in cells):
        raise NotEstimable(reason)


def _chi2(n: FloatArray) -> FloatArray:
    """Return Pearson's chi-squared of the last two axes."""
    total = n.sum(axis=(-1, -2), keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = n.sum(axis=-1, keepdims=True) * n.sum(axis=-2, keepdims=True) / total
        return np.asarray(((n - expected) ** 2 / expected).sum(axis=(-1, -2)))


def from_chi2(name: str, chi2: npt.ArrayLike, df: npt.ArrayLike, scale: FloatArray) -> Effect:
    """Return the root of chi-squared over `scale` as the effect `name`, with the noncentral interval."""
    statistic = np.asarray(chi2, dtype=np.float64)
    if np.any(statistic < 0) or np.any(scale <= 0):
        raise DesignError(f"chi-squared is {chi2!r}; it is not negative, and n is positive")
    return Effect(name, plain(np.sqrt(statistic / scale)), partial(_chi2_bounds, name, statistic, df, scale))


def _chi2_bounds(
    name: str, chi2: FloatArray, df: npt.ArrayLike, scale: FloatArray, confidence_level: float
) -> Interval:
    most = np.inf if name == "cohens_w" else 1.0
    low, high = (np.minimum(np.sqrt(end / scale), most) for end in chi2_noncentrality(chi2, df, confidence_level))
    return Interval(plain(low), plain(high), confidence_level, "noncentral chi-squared")


def _phi_bounds(value: FloatArray, n: FloatArray, confidence_level: float) -> Interval:
    half = -ndtri((1 - confidence_level) / 2) / np.sqrt(n)
    low, high = np.maximum(value - half, -1.0), np.minimum(value + half, 1.0)
    return Interval(plain(low), plain(high), confidence_level, "normal, signed root of chi-squared")


def _log_bounds(log: FloatArray, error: FloatArray, method: str, confidence_level: float) -> Interval:
    half = -ndtri((1 - confidence_level) / 2) * error
    return Interval(plain(np.exp(log - half)), plain(np.exp(log + half)), confidence_level, method)
