"""Statistics and intervals of a difference of two proportions: by the plain error, and by that under the null."""

from __future__ import annotations

import numpy as np

from negstats.stats.results.intervals import quantile, t_interval
from negstats.stats.results.numbers import FloatArray, plain
from negstats.stats.results.result import Interval


def wald_error(x: FloatArray, n: FloatArray) -> FloatArray:
    """Return the standard error of a difference; successes and n of two groups stand on the last axis."""
    with np.errstate(divide="ignore", invalid="ignore"):
        p = x / n
        return np.asarray(np.sqrt((p * (1 - p) / n).sum(axis=-1)))


def _wald(x: FloatArray, n: FloatArray, null: float | FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        p = x / n
        return np.asarray((p[..., 0] - p[..., 1] - null) / wald_error(x, n))


def _score(x: FloatArray, n: FloatArray, null: float | FloatArray) -> FloatArray:
    """Return z of a difference of proportions with the variance under `null`, by N / (N − 1) larger.

    Miettinen and Nurminen (1985), Statistics in Medicine 4, 213-226, eq. 8 and appendix: the most likely shares that
    differ by `null` are the root of a cubic.
    """
    d = np.asarray(null, dtype=np.float64)
    (x1, x2), (n1, n2) = np.moveaxis(x, -1, 0), np.moveaxis(n, -1, 0)
    total, successes = n1 + n2, x1 + x2
    # The shares of highest likelihood under the null solve a cubic (Miettinen and Nurminen, 1985).
    l2 = ((n1 + 2 * n2) * d - total - successes) / (3 * total)
    l1 = ((n2 * d - total - 2 * x2) * d + successes) / (3 * total)
    l0 = x2 * d * (1 - d) / total
    cubic_q = l2**3 - 1.5 * l1 * l2 + l0 / 2
    cubic_p = np.copysign(np.sqrt(np.maximum(l2**2 - l1, 0.0)), cubic_q)
    with np.errstate(divide="ignore", invalid="ignore"):
        angle = np.where(cubic_p == 0, 0.0, (np.pi + np.arccos(np.clip(cubic_q / cubic_p**3, -1.0, 1.0))) / 3)
        # The root between what the difference allows, kept inside [0, 1].
        share2 = np.clip(2 * cubic_p * np.cos(angle) - l2, np.maximum(0.0, -d), np.minimum(1.0, 1 - d))
        share1 = share2 + d
        variance = (share1 * (1 - share1) / n1 + share2 * (1 - share2) / n2) * total / (total - 1)
        return np.asarray((x1 / n1 - x2 / n2 - d) / np.sqrt(np.maximum(variance, 1e-30)))


def _wald_interval(x: FloatArray, n: FloatArray, confidence_level: float) -> Interval:
    p = x / n
    return t_interval(p[..., 0] - p[..., 1], wald_error(x, n), np.inf, confidence_level, method="Wald")


def _score_interval(x: FloatArray, n: FloatArray, confidence_level: float) -> Interval:
    """Return the differences that the two-sided score test does not reject."""
    from scipy.optimize import elementwise

    critical = quantile(confidence_level)
    shares = x / n
    estimate = np.asarray(shares[..., 0] - shares[..., 1])
    arrays = (*np.moveaxis(x, -1, 0), *np.moveaxis(n, -1, 0))

    def is_beyond(
        null: FloatArray, x1: FloatArray, x2: FloatArray, n1: FloatArray, n2: FloatArray, z: FloatArray
    ) -> FloatArray:
        return _score(np.stack([x1, x2], axis=-1), np.stack([n1, n2], axis=-1), null) - z

    low = elementwise.find_root(is_beyond, (-np.ones_like(estimate), estimate), args=(*arrays, critical)).x
    high = elementwise.find_root(is_beyond, (estimate, np.ones_like(estimate)), args=(*arrays, -critical)).x
    low, high = np.where(estimate == -1, -1.0, low), np.where(estimate == 1, 1.0, high)
    return Interval(plain(low), plain(high), confidence_level, "Miettinen–Nurminen")


SCORES = {"score": _score, "wald": _wald}


INTERVALS = {"score": _score_interval, "wald": _wald_interval}
