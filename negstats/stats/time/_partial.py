"""Cox's partial likelihood with Efron's ties: its score and information at each event time, and each row's score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.rows import IntArray

__all__ = ["Partial", "partial"]


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """The partial likelihood at some coefficients.

    Attributes
    ----------
    log_likelihood : float
    time : ndarray, shape (events,)
        The event times, stratum after stratum.
    score : ndarray, shape (events, p)
        Sums of Schoenfeld's residuals at each event time.
    information : ndarray, shape (events, p, p)
    rows : ndarray, shape (n, p)
        Score residuals: how much each row adds to the score.
    """

    log_likelihood: float
    time: FloatArray
    score: FloatArray
    information: FloatArray
    rows: FloatArray


def partial(x: FloatArray, time: FloatArray, event: FloatArray, stratum: IntArray, b: FloatArray) -> Partial:
    """Evaluate the partial likelihood of rows, shape ``(n, p)``, each with its time, event (1 or 0) and stratum.

    Notes
    -----
    At a time with d ties, Efron's j-th of them, j = 0 … d − 1, has the risk set less j/d of the tied rows (Efron, 1977,
    JASA 72, 557-565). Rows' scores as Therneau and Grambsch (2000), Modeling Survival Data, sec. 4.2.
    """
    found = [_stratum(x, time, event, np.flatnonzero(stratum == level), b) for level in range(int(stratum.max()) + 1)]
    likelihoods, times, scores, informations, rows, own = zip(*found, strict=True)
    residuals = np.zeros_like(x)
    residuals[np.concatenate(own)] = np.concatenate(rows)
    when, score, information = (np.concatenate(each) for each in (times, scores, informations))
    return Partial(float(sum(likelihoods)), when, score, information, residuals)


def _stratum(
    x: FloatArray, time: FloatArray, event: FloatArray, own: IntArray, b: FloatArray
) -> tuple[float, FloatArray, FloatArray, FloatArray, FloatArray, IntArray]:
    """Return the parts of `Partial` in one stratum, event times from the latest on, and the places of its rows."""
    p = x.shape[1]
    own = own[np.argsort(-time[own], kind="stable")]  # the latest first: risk sets grow
    z, when, tied = x[own], time[own], np.flatnonzero(event[own] > 0)
    if not len(tied):
        return 0.0, np.empty(0), np.empty((0, p)), np.empty((0, p, p)), np.zeros_like(z), own
    eta = z @ b
    top = float(eta.max())
    e = np.exp(eta - top)
    first = np.flatnonzero(np.diff(when[tied], prepend=np.inf))  # of the tied rows at each event time
    at, d = when[tied][first], np.diff(first, append=len(tied))
    of = np.repeat(np.arange(len(at)), d)
    end = np.searchsorted(-when, -at, side="right") - 1
    share = (np.arange(len(tied)) - first[of]) / d[of]

    def each(values: FloatArray) -> FloatArray:
        return np.add.reduceat(values, first, axis=0)

    s0, s1 = np.cumsum(e)[end], np.cumsum(e[:, None] * z, axis=0)[end]
    s2 = np.empty((len(at), p, p))
    for one in range(p):
        s2[:, one] = np.cumsum((e * z[:, one])[:, None] * z, axis=0)[end]
    moved = e[tied, None] * z[tied]
    t0, t1, t2 = each(e[tied]), each(moved), each(moved[:, :, None] * z[tied][:, None])
    a0 = s0[of] - share * t0[of]
    mean = (s1[of] - share[:, None] * t1[of]) / a0[:, None]
    rate, less, means = each(1 / a0), each(share / a0), each(mean)
    information = rate[:, None, None] * s2 - less[:, None, None] * t2 - each(mean[:, :, None] * mean[:, None])
    # Up to its own time, the earliest event first, each row adds what it does to the risk sets.
    up_to = np.searchsorted(at[::-1], when, side="right")
    total = np.append(0.0, np.cumsum(rate[::-1]))[up_to]
    mean_total = np.concatenate([np.zeros((1, p)), np.cumsum(each(mean / a0[:, None])[::-1], axis=0)])[up_to]
    rows = -e[:, None] * (z * total[:, None] - mean_total)
    less_mean = each((share / a0)[:, None] * mean)
    rows[tied] += z[tied] - (means / d[:, None])[of] + e[tied, None] * (z[tied] * less[of, None] - less_mean[of])
    likelihood = float((eta[tied] - top).sum() - np.log(a0).sum())
    return likelihood, at, each(z[tied]) - means, information, rows, own
