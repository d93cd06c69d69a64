"""Least acceptable amounts as censored thresholds: a person who takes L and not L − h has L − h < T ≤ L."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import optimize, special

from negstats.errors import NotEstimable
from negstats.estimate._people import PersonDecisions
from negstats.stats import adjust
from negstats.stats.models.responses.integral import hermite
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import t_interval
from negstats.stats.summaries.rows import IntArray

if TYPE_CHECKING:
    from negstats.estimate.thresholds import Thresholds

__all__ = ["censored_likelihood", "fit_censored"]

NODES = 61


def censored_likelihood(
    point: FloatArray, low: FloatArray, high: FloatArray, group: IntArray, person: IntArray, *, several: bool
) -> float:
    """Return Σ ln of the probability of each interval; with several answers a person averaged over the persons.

    Parameters
    ----------
    point
        The means of the groups, ln σ, and with several answers ln of the SD between persons.
    low, high
        Ends of the intervals; equal where the threshold itself is known (its density).
    group, person
        Codes of each answer's group and person.

    Examples
    --------
    >>> least = np.array([.2, .3, .3, .4, .5, .5, .5, .4, .3, .6, .1, .2])
    >>> place, who = np.zeros(12, dtype=int), np.arange(12)
    >>> found = censored_likelihood(np.array([.308329, np.log(.141127)]), least - .1, least, place, who, several=False)
    >>> round(found, 6)
    -21.410043
    """
    mean = point[: int(group.max()) + 1][group]
    sigma = float(np.exp(point[int(group.max()) + 1]))
    if not several:
        return float(_log_probability(low, high, mean, sigma).sum())
    z, weight = hermite(NODES)
    spread = float(np.exp(point[-1]))
    each = _log_probability(low[:, None], high[:, None], mean[:, None] + spread * z, sigma)
    sums = np.zeros((int(person.max()) + 1, NODES))
    np.add.at(sums, person, each)
    return float(special.logsumexp(sums + np.log(weight), axis=1).sum())


def _log_probability(low: FloatArray, high: FloatArray, mean: FloatArray, sigma: float) -> FloatArray:
    upper, lower = (high - mean) / sigma, (low - mean) / sigma
    exact = np.broadcast_to(low == high, upper.shape)
    # Both ends on the side where the normal's tail keeps its digits.
    swap = lower > 0
    top, bottom = np.where(swap, -lower, upper), np.where(swap, -upper, lower)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_interval = special.log_ndtr(top) + np.log1p(-np.exp(special.log_ndtr(bottom) - special.log_ndtr(top)))
    density = -0.5 * upper**2 - np.log(sigma) - 0.5 * np.log(2 * np.pi)
    return np.asarray(np.where(exact, density, log_interval), dtype=np.float64)


def fit_censored(read: PersonDecisions, shares: Sequence[float], confidence_level: float) -> Thresholds:
    """Fit mean and spread of thresholds to least acceptable amounts."""
    from negstats.estimate.thresholds import DRAWN, Thresholds

    assert read.elicited is not None  # noqa: S101 - the caller has looked
    frame = read.elicited.frame
    group, groups = _codes(frame["group"])
    person, names = _codes(frame["person"])
    low, high = frame["low"].to_numpy(), frame["high"].to_numpy()
    has_repeats = len(names) < len(frame)
    middle = np.where(np.isfinite(low), (low + high) / 2, high)
    sd = float(np.std(middle))
    if sd == 0:
        raise NotEstimable(
            f"everybody said the same least amount, {high[0]:g} {read.unit}: a spread needs different ones"
        )
    start = [*(float(middle[group == at].mean()) for at in range(len(groups))), np.log(sd)]
    start += [np.log(sd)] if has_repeats else []
    scale = np.array([sd] * len(groups) + [1.0] * (len(start) - len(groups)))

    def loss(point: FloatArray) -> float:
        negative_log_likelihood = -censored_likelihood(point * scale, low, high, group, person, several=has_repeats)
        return negative_log_likelihood if np.isfinite(negative_log_likelihood) else 1e12

    optimum = optimize.minimize(loss, np.array(start) / scale, method="BFGS", options={"gtol": 1e-7})
    optimum = optimize.minimize(
        loss, optimum.x, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000}
    )
    point = optimum.x * scale
    covariance = np.linalg.inv(_second_derivatives(loss, optimum.x)) * np.outer(scale, scale)
    k = len(groups)
    free = float(max(len(names) - k, 1))
    spread = float(np.exp(point[-1]))  # between persons, or of the one answer of each
    total = float(np.sqrt(np.exp(2 * point[k:]).sum()))

    def bounded(value: float, gradient: FloatArray) -> dict[str, float]:
        se = float(np.sqrt(gradient @ covariance @ gradient))
        ends = t_interval(value, se, free, confidence_level, "two-sided")
        return {"se": se, "low": float(ends[0]), "high": float(ends[1])}

    unit = np.eye(len(point))
    log_sd = bounded(float(point[-1]), unit[-1])
    of_sd = {"sd": spread, "sd_se": spread * log_sd["se"], "sd_low": np.exp(log_sd["low"]),
             "sd_high": np.exp(log_sd["high"])}  # fmt: skip
    grow = np.zeros(len(point))
    grow[k:] = np.exp(2 * point[k:]) / total
    rows = []
    for at, name in enumerate(groups):
        for of, size, slope in (("people", spread, spread * unit[-1]), ("decisions", total, grow)):
            for share in shares:
                z = float(special.ndtri(share))
                value = float(point[at] + z * size)
                rows.append({"of": of, "share": share, "group": str(name), "benefit": value,
                             **bounded(value, unit[at] + z * slope)})  # fmt: skip
    pairs = []
    for one, two in combinations(range(k), 2):
        value = float(point[one] - point[two])
        ends = bounded(value, unit[one] - unit[two])
        t = value / ends["se"]
        p = float(2 * special.stdtr(free, -abs(t)))
        pairs.append({"first": str(groups[one]), "second": str(groups[two]), "difference": value, **ends,
                      "statistic": t, "df": free, "p": p})  # fmt: skip
    difference = pd.DataFrame(
        pairs, columns=["first", "second", "difference", "se", "low", "high", "statistic", "df", "p"]
    )
    difference["p_adjusted"] = adjust(difference["p"].to_numpy(dtype=float), "holm").p_adjusted if pairs else []
    each = frame.groupby(["person", "group"]).agg(n=("high", "size"), threshold=("high", "mean")).reset_index()
    curve_grid = np.linspace(float(high.min()) - 2 * total, float(high[np.isfinite(high)].max()) + 2 * total, DRAWN)
    curve = pd.concat(
        [pd.DataFrame({"group": str(name), "benefit": curve_grid,
                       "probability": special.ndtr((curve_grid - point[place]) / total),
                       "low": np.nan, "high": np.nan, "typical": np.nan}) for place, name in enumerate(groups)],
        ignore_index=True,
    )  # fmt: skip
    return Thresholds(
        model="censored",
        people=each.assign(sd=np.nan, accepted=np.nan)[["person", "group", "threshold", "sd", "n", "accepted"]],
        population=pd.DataFrame(
            [
                {"group": str(name), "mean": float(point[place]), **bounded(float(point[place]), unit[place]), **of_sd}
                for place, name in enumerate(groups)
            ]
        ),
        shares=pd.DataFrame(rows),
        difference=difference,
        curve=curve,
        slope=float("nan"),
        n=len(frame),
        accepted=0,
        persons=len(names),
        unanswered=read.unanswered,
        unit=read.unit,
        interaction_p=float("nan"),
        confidence_level=confidence_level,
        caption=read.caption,
        notes=read.notes,
    )


def _codes(column: pd.Series) -> tuple[IntArray, list[str]]:
    codes, levels = pd.factorize(column, sort=True)
    return np.asarray(codes, dtype=np.intp), [str(level) for level in levels]


def _second_derivatives(call: Callable[[FloatArray], float], point: FloatArray, step: float = 1e-4) -> FloatArray:
    """Return the matrix of second differences of a function at its minimum."""
    size = len(point)
    out = np.empty((size, size))
    shift = np.eye(size) * step
    for a in range(size):
        for b in range(a, size):
            corners = [call(point + s * shift[a] + t * shift[b]) for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
            out[a, b] = out[b, a] = (corners[0] - corners[1] - corners[2] + corners[3]) / (4 * step**2)
    return out
