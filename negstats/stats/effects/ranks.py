"""Effect sizes of rank tests: rank-biserial correlation and common-language effect, with score intervals.

For two groups both are the share of pairs that the first group wins (half of the ties included): the common-language
effect A itself (McGraw and Wong, 1992; Vargha and Delaney, 2000), and 2 A − 1 (Cureton, 1956). For pairs the
rank-biserial correlation is that of the signed ranks (Kerby, 2014).

The default intervals hold the values of the parameter that a score test does not reject, with the variance under that
value. They do not break down where one group wins every pair, and they keep their level where Fisher's z with its
variance under the null (offered because other programs print it) does not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri, owens_t

from negstats.errors import DesignError
from negstats.stats.counts.proportions import wilson
from negstats.stats.effects._effect import Effect
from negstats.stats.results.numbers import FloatArray, plain
from negstats.stats.results.options import Alternative, check_choice, sides
from negstats.stats.results.result import Interval

IntervalKind: TypeAlias = Literal["score", "fisher"]
Ends: TypeAlias = Callable[[float, float], tuple[FloatArray, FloatArray]]


def mann_whitney_effect(
    kind: str, share: FloatArray, n1: FloatArray, n2: FloatArray, interval: str, alternative: Alternative
) -> Effect:
    """Return "rank_biserial" or "common_language" from the share of pairs that the first group wins.

    The score interval is method 5 of Newcombe (2006), Statistics in Medicine 25, 559-573.
    """
    ends: dict[str, tuple[Ends, str]] = {
        "score": (partial(_newcombe, share, n1, n2), "Newcombe's method 5"),
        "fisher": (partial(_fisher, 2 * share - 1, np.sqrt((n1 + n2 + 1) / (3 * n1 * n2))), "Fisher z"),
    }
    return _share_effect(kind, share, ends, interval, alternative)


def wilcoxon_effect(
    kind: str, plus: FloatArray, all_ranks: FloatArray, n: FloatArray, interval: str, alternative: Alternative
) -> Effect:
    """Return "rank_biserial" from the sum of positive ranks, the sum of all ranks and the number of ranked pairs."""
    share = plus / all_ranks
    error = np.sqrt((2 * n**3 + 3 * n**2 + n) / 6) / (n * (n + 1) / 2)
    ends: dict[str, tuple[Ends, str]] = {
        "score": (partial(_normal_shift, share, n), "score, normal shift"),
        "fisher": (partial(_fisher, 2 * share - 1, error), "Fisher z"),
    }
    if kind != "rank_biserial":
        raise DesignError(f"kind is {kind!r}; for this test choose 'rank_biserial' or 'common_language'")
    return _share_effect(kind, share, ends, interval, alternative)


def paired_common_language(wins: FloatArray, n: FloatArray, alternative: Alternative) -> Effect:
    """Return the share of pairs that the first measure wins, with Wilson's (1927) interval."""
    return Effect("common_language", plain(wins / n), partial(_wilson, wins, n, alternative))


def _wilson(wins: FloatArray, n: FloatArray, alternative: Alternative, confidence_level: float) -> Interval:
    lower_area, upper_area = sides(confidence_level, alternative)
    low = wilson(wins, n, -ndtri(lower_area))[0] if lower_area else np.zeros_like(wins)
    high = wilson(wins, n, -ndtri(upper_area))[1] if upper_area else np.ones_like(wins)
    return Interval(plain(low), plain(high), confidence_level, "Wilson")


def _share_effect(
    kind: str, share: FloatArray, ends: dict[str, tuple[Ends, str]], interval: str, alternative: Alternative
) -> Effect:
    check_choice("kind", kind, ("rank_biserial", "common_language"))
    check_choice("interval", interval, tuple(ends))
    solve, method = ends[interval]
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
        more = (n1 + n2) / 2 - 1
        variance = a * (1 - a) * (1 + more * (1 - a) / (2 - a) + more * a / (1 + a)) / (n1 * n2)
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
    one, two = ndtr(delta), ndtr(np.sqrt(2) * delta)
    joint = two - 2 * owens_t(np.sqrt(2) * delta, np.sqrt(1 / 3))
    mean = n * one + n * (n - 1) / 2 * two
    pairs = n * (n - 1) / 2 * (2 * (one - two) ** 2 + 3 * two * (1 - two))
    return mean, n * one * (1 - one) + pairs + n * (n - 1) * (n - 2) * (joint - two**2)


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
