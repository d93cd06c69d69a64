"""Effect sizes of counts and ranks: Cramér's V, ratios of odds and risks; rank-biserial and common-language effects.

In a 2 × 2 table the first dimension is the groups, the second what happened, and its first level the event (or the
level that `event` names). Ratios and differences are of the first group against the second.

For two groups the effects of ranks are the share of pairs that the first group wins (half of the ties included): the
common-language effect A itself (McGraw and Wong, 1992; Vargha and Delaney, 2000), and 2 A − 1 (Cureton, 1956). For
pairs the rank-biserial correlation is that of the signed ranks (Kerby, 2014).

The default intervals hold the values of the parameter that a score test does not reject, with the variance under that
value. They do not break down where one group wins every pair, and they keep their level where Fisher's z with its
variance under the null (offered because other programs print it) does not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, owens_t

from negstats.errors import DesignError, NotEstimable
from negstats.stats.counts.proportions import ProportionDifference, wilson
from negstats.stats.effects._effect import Effect
from negstats.stats.results.intervals import chi2_noncentrality
from negstats.stats.results.numbers import FloatArray, plain
from negstats.stats.results.options import Alternative, check_choice, check_number, sides
from negstats.stats.results.result import Interval
from negstats.stats.summaries import Counts
from negstats.stats.summaries.coerce import as_counts
from negstats.stats.summaries.frames import By


def cramers_v(data: Any, by: By = None) -> Effect:
    """Return Cramér's V of a two-way table, with the noncentral-chi-squared interval.

    The measure of Cramér [1]_.

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

    References
    ----------
    .. [1] Cramér, H. (1946). Mathematical Methods of Statistics. Princeton University Press.

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
    (a, b, c, d), event_name = _four_cells(data, by, event, "phi")
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
    cells, event_name = _four_cells(data, by, event, "odds_ratio")
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
    cells, event_name = _four_cells(data, by, event, "risk_ratio")
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
    (a, b, c, d), event_name = _four_cells(data, by, event, "risk_difference")
    with np.errstate(divide="ignore", invalid="ignore"):
        first_share, second_share = a / (a + b), c / (c + d)
    value = plain(first_share - second_share)
    shares = ProportionDifference(
        difference=value,
        proportions=(plain(first_share), plain(second_share)),
        successes=(plain(a), plain(c)),
        n=(plain(a + b), plain(c + d)),
    )
    return Effect("risk_difference", value, shares.confidence_interval, event_name)


def _two_way(counts: Counts, effect_name: str) -> Counts:
    if len(counts.shape) != 2 or min(counts.shape) < 2:
        raise DesignError(
            f"{effect_name} needs a table of two dimensions with two levels each at least; got {counts.shape}"
        )
    has_empty = np.any(counts.n.sum(axis=-1) == 0) or np.any(counts.n.sum(axis=-2) == 0)
    if not counts.studies and has_empty:
        raise NotEstimable(f"a row or column of the table is empty: {counts.n.tolist()}; leave it out")
    return counts


def _four_cells(data: Any, by: By, event: str | None, effect_name: str) -> tuple[tuple[FloatArray, ...], str]:
    """Return events and non-events of the first group and of the second, and which level is the event."""
    counts = _two_way(as_counts(data, by), effect_name)
    groups, outcomes = counts.factors
    if len(groups) != 2 or (event is None and len(outcomes) != 2):
        hint = "; name one as event=" if len(groups) == 2 else ""
        raise DesignError(f"{effect_name} needs a table of 2 × 2; got {counts.shape[0]} × {counts.shape[1]}{hint}")
    events = counts.n[..., 0 if event is None else outcomes.place(event)]
    non_events = counts.n.sum(axis=-1) - events
    has_names = not outcomes.name.startswith("factor_")  # a bare table's levels are only numbered
    event_name = (outcomes.levels[0] if event is None else event) if has_names else ""
    return (events[..., 0], non_events[..., 0], events[..., 1], non_events[..., 1]), event_name


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
    largest = np.inf if name == "cohens_w" else 1.0
    low, high = (
        np.minimum(np.sqrt(noncentrality / scale), largest)
        for noncentrality in chi2_noncentrality(chi2, df, confidence_level)
    )
    return Interval(plain(low), plain(high), confidence_level, "noncentral chi-squared")


def _phi_bounds(value: FloatArray, n: FloatArray, confidence_level: float) -> Interval:
    half_width = -ndtri((1 - confidence_level) / 2) / np.sqrt(n)
    low, high = np.maximum(value - half_width, -1.0), np.minimum(value + half_width, 1.0)
    return Interval(plain(low), plain(high), confidence_level, "normal, signed root of chi-squared")


def _log_bounds(log_ratio: FloatArray, error: FloatArray, method: str, confidence_level: float) -> Interval:
    half_width = -ndtri((1 - confidence_level) / 2) * error
    return Interval(
        plain(np.exp(log_ratio - half_width)), plain(np.exp(log_ratio + half_width)), confidence_level, method
    )


Ends: TypeAlias = Callable[[float, float], tuple[FloatArray, FloatArray]]


def mann_whitney_effect(
    kind: str, share: FloatArray, n1: FloatArray, n2: FloatArray, interval: str, alternative: Alternative
) -> Effect:
    """Return "rank_biserial" or "common_language" from the share of pairs that the first group wins.

    The score interval is method 5 of Newcombe (2006), Statistics in Medicine 25, 559-573.
    """
    solvers: dict[str, tuple[Ends, str]] = {
        "score": (partial(_newcombe, share, n1, n2), "Newcombe's method 5"),
        "fisher": (partial(_fisher, 2 * share - 1, np.sqrt((n1 + n2 + 1) / (3 * n1 * n2))), "Fisher z"),
    }
    return _share_effect(kind, share, solvers, interval, alternative)


def wilcoxon_effect(
    kind: str, plus: FloatArray, all_ranks: FloatArray, n: FloatArray, interval: str, alternative: Alternative
) -> Effect:
    """Return "rank_biserial" from the sum of positive ranks, the sum of all ranks and the number of ranked pairs."""
    share = plus / all_ranks
    error = np.sqrt((2 * n**3 + 3 * n**2 + n) / 6) / (n * (n + 1) / 2)
    solvers: dict[str, tuple[Ends, str]] = {
        "score": (partial(_normal_shift, share, n), "score, normal shift"),
        "fisher": (partial(_fisher, 2 * share - 1, error), "Fisher z"),
    }
    if kind != "rank_biserial":
        raise DesignError(f"kind is {kind!r}; for this test choose 'rank_biserial' or 'common_language'")
    return _share_effect(kind, share, solvers, interval, alternative)


def paired_common_language(wins: FloatArray, n: FloatArray, alternative: Alternative) -> Effect:
    """Return the share of pairs that the first measure wins, with Wilson's (1927) interval."""
    return Effect("common_language", plain(wins / n), partial(_wilson, wins, n, alternative))


def _wilson(wins: FloatArray, n: FloatArray, alternative: Alternative, confidence_level: float) -> Interval:
    lower_area, upper_area = sides(confidence_level, alternative)
    low = wilson(wins, n, -ndtri(lower_area))[0] if lower_area else np.zeros_like(wins)
    high = wilson(wins, n, -ndtri(upper_area))[1] if upper_area else np.ones_like(wins)
    return Interval(plain(low), plain(high), confidence_level, "Wilson")


def _share_effect(
    kind: str, share: FloatArray, solvers: dict[str, tuple[Ends, str]], interval: str, alternative: Alternative
) -> Effect:
    check_choice("kind", kind, ("rank_biserial", "common_language"))
    check_choice("interval", interval, tuple(solvers))
    solve, method = solvers[interval]
    scale, shift = (2.0, -1.0) if kind == "rank_biserial" else (1.0, 0.0)
    return Effect(kind, plain(scale * share + shift), partial(_bounds, solve, scale, shift, alternative, method))


def _bounds(
    solve: Ends, scale: float, shift: float, alternative: Alternative, method: str, confidence_level: float
) -> Interval:
    lower_area, upper_area = sides(confidence_level, alternative)
    low, high = solve(lower_area, upper_area)
    return Interval(plain(scale * low + shift), plain(scale * high + shift), confidence_level, method)


def _fisher(r: FloatArray, error: FloatArray, lower_area: float, upper_area: float) -> tuple[FloatArray, FloatArray]:
    with np.errstate(divide="ignore"):
        centre = np.arctanh(r)
    low, high = np.tanh(centre + ndtri(lower_area) * error), np.tanh(centre - ndtri(upper_area) * error)
    return np.asarray((low + 1) / 2), np.asarray((high + 1) / 2)


def _newcombe(
    share: FloatArray, n1: FloatArray, n2: FloatArray, lower_area: float, upper_area: float
) -> tuple[FloatArray, FloatArray]:
    share, n1, n2 = np.broadcast_arrays(share, n1, n2)

    def compute_distance(a: FloatArray, share: FloatArray, n1: FloatArray, n2: FloatArray, z: float) -> FloatArray:
        tie_weight = (n1 + n2) / 2 - 1
        variance = a * (1 - a) * (1 + tie_weight * (1 - a) / (2 - a) + tie_weight * a / (1 + a)) / (n1 * n2)
        return np.asarray(share - a - z * np.sqrt(variance))

    def find_low(share: FloatArray, area: float) -> FloatArray:
        # At a = 1 the variance is 0 and the equation holds as well: stay below that root.
        return _root(
            partial(compute_distance, z=-ndtri(area)), 0.0, np.minimum(share, 1 - 1e-12), (share, n1, n2), area
        )

    return find_low(share, lower_area), 1 - find_low(1 - share, upper_area)


def _normal_shift(
    share: FloatArray, n: FloatArray, lower_area: float, upper_area: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the expected share of positive ranks, over normal differences of any mean."""
    share, n = np.broadcast_arrays(share, n)

    def compute_distance(delta: FloatArray, share: FloatArray, n: FloatArray, z: float) -> FloatArray:
        mean, variance = signed_rank_moments(delta, n)
        ranks = n * (n + 1) / 2
        return np.asarray((share * ranks - mean - z * np.sqrt(variance)) / ranks)

    def find_low(share: FloatArray, area: float) -> FloatArray:
        delta = _root(partial(compute_distance, z=-ndtri(area)), -8.0, np.full(share.shape, 8.0), (share, n), area)
        return np.where(delta > -8, signed_rank_moments(delta, n)[0] / (n * (n + 1) / 2), 0.0)

    return find_low(share, lower_area), 1 - find_low(1 - share, upper_area)


def signed_rank_moments(delta: FloatArray, n: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of the sum of positive ranks of n normal differences with mean delta and SD 1.

    Lehmann (1975), Nonparametrics, section 4.2: from the chances that one difference, the sum of two, and two sums that
    share a difference are positive.
    """
    above_zero, pair_above_zero = ndtr(delta), ndtr(np.sqrt(2) * delta)
    # Chances that a difference, the mean of two, and two means that share a difference lie above 0.
    joint = pair_above_zero - 2 * owens_t(np.sqrt(2) * delta, np.sqrt(1 / 3))
    mean = n * above_zero + n * (n - 1) / 2 * pair_above_zero
    pair_variance = (
        n * (n - 1) / 2 * (2 * (above_zero - pair_above_zero) ** 2 + 3 * pair_above_zero * (1 - pair_above_zero))
    )
    return mean, n * above_zero * (1 - above_zero) + pair_variance + n * (n - 1) * (n - 2) * (
        joint - pair_above_zero**2
    )


def _root(
    distance: Callable[..., FloatArray], lower: float, upper: FloatArray, args: tuple[FloatArray, ...], area: float
) -> FloatArray:
    """Solve for each element; `lower` where the share is 0 or the side is open."""
    share = args[0]
    result = np.where(np.isnan(share), np.nan, lower)
    todo = (share > 0) & (area > 0)
    if todo.any():
        from scipy.optimize import elementwise

        open_args = tuple(np.asarray(array[todo]) for array in args)
        lowest = np.full(open_args[0].shape, lower)
        result[todo] = elementwise.find_root(distance, (lowest, np.asarray(upper[todo])), args=open_args).x
    return result
