"""The studentized range: both integrals by Gauss and Legendre, with every digit of its upper tail."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import special

from negstats.stats.results.numbers import FloatArray

# How far from its middle the inner integrand is followed, and how many points give it to 1e-11: the largest of more
# means has a narrower density. The same for the scale's logarithm.
REACH = 8.5
INNER = {3: 56, 5: 64, 12: 96, 50: 128, 200: 176}
MANY = 288
OUTER, OUTER_FEW = 72, 288
# Below so many degrees of freedom the scale's logarithm has a long lower tail.
FEW = 4.0
# What is cut off of the scale's distribution, below and above.
BELOW, ABOVE = 1e-17, 1e-25
# Numbers that are held at once (16 MB).
AT_ONCE = 2_000_000


@lru_cache(maxsize=8)
def _rule(points: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(points)
    return nodes, weights


def range_exceeds(q: npt.ArrayLike, means: int, df: npt.ArrayLike) -> FloatArray:
    """Return the probability that the studentized range of `means` means exceeds q; q and df broadcast.

    Notes
    -----
    P = ∫ f(s) (1 − W(qs)) ds with f the density of s = √(χ²/df) and W the distribution of the range of k normal values.
    As k ∫ φ Φ^(k−1) = 1, 1 − W(x) = k ∫ φ(z) [Φ(z)^(k−1) − (Φ(z) − Φ(z − x))^(k−1)] dz, in which nothing is subtracted
    from 1: small p have all their digits. Copenhaver and Holland (1988), J. Statistical Computation and Simulation 30.

    Examples
    --------
    >>> float(range_exceeds(3.876777, 3, 10).round(6))
    0.05
    """
    q, df = np.broadcast_arrays(np.asarray(q, dtype=np.float64), np.asarray(df, dtype=np.float64))
    flat_q, flat_df = q.ravel(), df.ravel()
    out = np.full(flat_q.shape, np.nan)
    is_known = (flat_q >= 0) & (flat_df > 0)
    out[is_known & (flat_q == 0)] = 1.0
    out[is_known & np.isposinf(flat_q)] = 0.0
    is_known &= (flat_q > 0) & np.isfinite(flat_q)
    endless = np.flatnonzero(is_known & np.isposinf(flat_df))
    out[endless] = _normal_range_exceeds(flat_q[endless], means)
    is_known &= np.isfinite(flat_df)
    for points, which in ((OUTER, is_known & (flat_df >= FEW)), (OUTER_FEW, is_known & (flat_df < FEW))):
        places = np.flatnonzero(which)
        portion = max(1, AT_ONCE // (points * inner_points(means)))
        for start in range(0, len(places), portion):
            part = places[start : start + portion]
            out[part] = _studentized(flat_q[part], means, flat_df[part], points)
    return np.asarray(np.minimum(out, 1.0).reshape(q.shape))


def _studentized(q: FloatArray, means: int, df: FloatArray, points: int) -> FloatArray:
    """Return the probabilities of finite df, integrated over the logarithm of s."""
    # 1 − W(x) falls as exp(−x²/4) at least, which times the density is that of a smaller s.
    tilted = df + q**2 / 2
    low = np.log(2 * special.gammaincinv(df / 2, BELOW) / tilted) / 2
    high = np.log(2 * special.gammainccinv(df / 2, ABOVE) / tilted) / 2
    high = np.minimum(high, np.log(2 * special.gammainccinv(df / 2, BELOW) / df) / 2)
    nodes, weights = _rule(points)
    half = ((high - low) / 2)[:, None]
    log_s = half * nodes + ((high + low) / 2)[:, None]
    s, free = np.exp(log_s), df[:, None]
    # f(s) s, by the logarithm of Stirling's remainder where df is large
    log_density = free * (log_s - np.expm1(2 * log_s) / 2) + _log_constant(df)[:, None]
    values = np.exp(log_density) * _normal_range_exceeds(q[:, None] * s, means) * half
    return np.asarray(np.einsum("ij,j->i", values, weights))  # the same digits wherever a row stands


def _log_constant(df: FloatArray) -> FloatArray:
    """Return ln(2 (a/e)^a / Γ(a)), a = df/2, whose parts are alike and large."""
    a = df / 2
    large = np.maximum(a, 20.0)
    series = 1 / (12 * large) - 1 / (360 * large**3) + 1 / (1260 * large**5) - 1 / (1680 * large**7)
    by_stirling = np.log(2.0) + np.log(a / (2 * np.pi)) / 2 - series
    directly = np.log(2.0) + a * np.log(a) - a - special.gammaln(a)
    return np.asarray(np.where(a >= 20, by_stirling, directly))


def inner_points(means: int) -> int:
    """Return at how many points the range of so many means is integrated."""
    return next((points for most, points in INNER.items() if means <= most), MANY)


def _normal_range_exceeds(x: FloatArray, means: int) -> FloatArray:
    """Return 1 − W(x): the probability that the range of so many normal values exceeds x."""
    nodes, weights = _rule(inner_points(means))
    z = REACH * nodes + np.asarray(x)[..., None] / 2
    whole, least = special.ndtr(z), special.ndtr(z - np.asarray(x)[..., None])
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        share = np.where(whole > 0, np.minimum(least / whole, 1.0), 0.0)
        exceedance = -np.expm1((means - 1) * np.log1p(-share)) * whole ** (means - 1)
        exceedance *= np.exp(-(z**2) / 2)
    return np.asarray(means * REACH / np.sqrt(2 * np.pi) * np.einsum("...i,i->...", exceedance, weights))


def critical_range(inside: float, means: int, df: float) -> float:
    """Return the value that the studentized range stays below with probability `inside`.

    Examples
    --------
    >>> round(critical_range(0.95, 3, 10), 6)
    3.876777
    """
    from scipy.optimize import brentq

    tail_area = 1 - inside

    def log_excess(q: float) -> float:
        return float(np.log(range_exceeds(q, means, df)) - np.log(tail_area))

    # Between a single pair and all pairs one by one.
    low, high = (
        float(-special.stdtrit(df, tail / 2) * np.sqrt(2.0))
        for tail in (tail_area, tail_area / (means * (means - 1) / 2))
    )
    if not log_excess(low) > 0 > log_excess(high):
        low, high = low * (1 - 1e-9), high * (1 + 1e-9)
    return float(brentq(log_excess, low, high, xtol=1e-12 * high, rtol=1e-13))
