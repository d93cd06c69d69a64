"""What the data say of a test's assumptions: measured, not tested, and named only where it is far from them.

| kind | is named where |
|---|---|
| skew | the skewness of the residuals is beyond ±1 |
| band | more than a tenth of the residuals lie outside the 95 % band of a normal sample (where they are not skewed) |
| bound | more than a fifth of the values are the least, or the largest, that occurs |
| spread | SDs of groups differ by more than a factor of 2, their sizes by more than 1.5, and a test pools the SDs |
| influence | one unit moves a difference by more than half its standard error |
| events | a model of yes and no has fewer than ten of the rarer outcome for each predictor |
| curve | the 95 % intervals of three or more of at least five shares over the predictor do not hold the fitted curve |

A test of means is known to be robust to skewed residuals where each group has more than 25 times the squared skewness
(Cochran, 1977, Sampling Techniques, 3rd ed., p. 42). The test itself is never exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from negstats.analysis.methods.records import TestRecord
from negstats.stats import proportion
from negstats.stats.summaries.counts import shares_over

Numbers = npt.NDArray[np.float64]

OF_MEANS = {"welch", "paired", "equivalence", "one_sample", "welch_anova", "anova", "welch_james", "box", "mixed_anova",
            "repeated", "ancova", "dyad", "mixed", "regression"}  # fmt: skip
OWN_SPREADS = {"welch", "welch_anova", "welch_james"}
OF_EVENTS = {"logistic", "logistic_firth", "gee"}
SKEWED, OUTSIDE, PILED, SPREAD, SIZES, MOVED = 1.0, 0.1, 0.2, 2.0, 1.5, 0.5
COCHRAN, ENOUGH, EVENTS = 25.0, 30, 10.0
SHARES, APART = 5, 3
BAND, NEAR = float(special.ndtri(0.975)), 1e-6  # a root so near the limit is computed instead


def assumptions_of(
    data: pd.DataFrame,
    answer: TestRecord,
    *,
    kind: str,
    within: Sequence[str],
    between: Sequence[str],
    numbers: Sequence[str],
) -> list[dict[str, Any]]:
    """Return what is far from the assumptions of the test that answers, one entry each.

    Parameters
    ----------
    data
        One row a value that was tested: ``unit``, ``value``, the factors and numbers.
    answer
        The test.
    kind
        Of the outcome: "interval", "yes/no", ...
    within, between
        Factors that vary within units, and those that do not.
    numbers
        Predictors and covariates.

    Returns
    -------
    list of dict
        ``kind``, ``value``, ``n`` (of the smallest group), ``robust`` (whether the test is known to be robust to it
        at these sizes), and what the kind has besides.
    """
    if kind == "yes/no" and answer.method in OF_EVENTS:
        return [*_events(data, answer, len(numbers)), *_curve(data, answer, numbers, [*within, *between])]
    if kind not in ("interval", "count") or answer.method not in OF_MEANS:
        return []
    frame = data.dropna(subset=["value", *within, *between, *numbers])
    residuals, smallest = _residuals(frame, answer, within, between, numbers)
    if len(residuals) < 3 or residuals.max() == residuals.min():
        return []
    departures = [*_shape(residuals, smallest), *_bound(frame["value"].to_numpy(float), smallest)]
    if between and not within and not numbers:
        departures += _spread(frame, list(between), answer)
    return departures + list(_influence(frame, residuals, answer, between))


def _residuals(
    frame: pd.DataFrame, answer: TestRecord, within: Sequence[str], between: Sequence[str], numbers: Sequence[str]
) -> tuple[Numbers, int]:
    """Return what is left of the values by the model of the test, and the size of its smallest group."""
    factors = [*within, *between]
    if not numbers and len(factors) == 1 and within and answer.method in ("paired", "equivalence"):
        by_level = frame.pivot_table("value", index="unit", columns=within[0], sort=False, observed=True).dropna()
        if by_level.shape[1] == 2:
            differences = (by_level.iloc[:, 0] - by_level.iloc[:, 1]).to_numpy(float)
            return differences - differences.mean() if len(differences) else differences, len(differences)
    values = frame["value"].to_numpy(float)
    group = (
        frame.groupby(factors, sort=False, observed=True).ngroup().to_numpy() if factors else np.zeros(len(frame), int)
    )
    sizes = np.bincount(group) if len(group) else np.zeros(1, int)
    residuals = values - (np.bincount(group, values) / np.maximum(sizes, 1))[group] if len(group) else values
    if numbers and len(group):
        x = frame[list(numbers)].to_numpy(float)
        means = np.stack([np.bincount(group, column) / np.maximum(sizes, 1) for column in x.T], axis=1)
        x = x - means[group]
        residuals = residuals - x @ np.linalg.lstsq(x, residuals, rcond=None)[0]
    return residuals, int(sizes.min())


def _skewness(values: Numbers) -> float:
    """Return the skewness, corrected for the size of the sample (G1)."""
    n, deviations = len(values), values - values.mean()
    squares = deviations**2
    return float((squares * deviations).mean() / squares.mean() ** 1.5 * math.sqrt(n * (n - 1)) / (n - 2))


def _shape(residuals: Numbers, smallest: int) -> Iterator[dict[str, Any]]:
    skewness = _skewness(residuals)
    if abs(skewness) > SKEWED:
        yield {"kind": "skew", "value": skewness, "n": smallest, "robust": smallest > COCHRAN * skewness**2}
        return
    z_scores = np.sort(residuals - residuals.mean()) / residuals.std(ddof=1)
    share_outside = float(np.mean(_is_outside_band(z_scores)))
    if share_outside > OUTSIDE:
        robust = smallest > max(ENOUGH, COCHRAN * skewness**2)
        yield {"kind": "band", "value": share_outside, "n": smallest, "robust": robust}


def _is_outside_band(z_scores: Numbers) -> npt.NDArray[np.bool_]:
    """Return which sorted values lie outside the central 95 % of their places in a normal sample.

    References
    ----------
    Zubkov, A. M., & Serov, A. A. (2013). A complete proof of universal inequalities for the distribution function of
    the binomial law. Theory of Probability & Its Applications, 57(3), 539-544. https://doi.org/10.1137/S0040585X97986138
    """
    n = len(z_scores)
    place = np.arange(1, n + 1)
    # At least `place` of n uniform values lie below u with a chance between the normal tails of these two roots.
    below, above = special.ndtr(z_scores), special.ndtr(-z_scores)
    lower, upper = (_signed_root(count / n, below, above, n) for count in (place - 1, place))
    is_outside = (lower > BAND + NEAR) | (upper < -BAND - NEAR)
    is_open = ~is_outside & ~((upper < BAND - NEAR) & (lower > NEAR - BAND))
    is_open[[0, -1]], is_outside[[0, -1]] = True, False  # the bounds do not hold for the ends
    # What the bounds leave open is computed: the place-th of n uniform values is beta distributed.
    open_places = place[is_open]
    chance = special.betainc(open_places, n + 1 - open_places, below[is_open])
    is_outside[is_open] = (chance < 0.025) | (chance > 0.975)
    return is_outside


def _signed_root(share: Numbers, below: Numbers, above: Numbers, n: int) -> Numbers:
    """Return the signed root of the likelihood ratio of shares of n beside the chances to lie below and above."""
    divergence = special.kl_div(share, below) + special.kl_div(1 - share, above)
    root: Numbers = np.sign(share - below) * np.sqrt(2 * n * np.maximum(divergence, 0))  # rounding takes it below 0
    return root


def _bound(values: Numbers, smallest: int) -> Iterator[dict[str, Any]]:
    if len(np.unique(values)) < 3:
        return
    for which, end in (("least", values.min()), ("largest", values.max())):
        share = float(np.mean(values == end))
        if share > PILED and np.sum(values == end) > 1:  # one value is always the least
            skewness = _skewness(values)
            robust = smallest > max(ENOUGH, COCHRAN * skewness**2)
            yield {"kind": "bound", "value": share, "which": which, "at": float(end), "n": smallest, "robust": robust}


def _spread(frame: pd.DataFrame, between: list[str], answer: TestRecord) -> Iterator[dict[str, Any]]:
    groups = frame.groupby(between, observed=True)["value"].agg(["std", "size"])
    groups = groups[(groups["size"] > 1) & (groups["std"] > 0)]
    if len(groups) < 2:
        return
    ratio, sizes = (float(groups[name].max() / groups[name].min()) for name in ("std", "size"))
    if ratio > SPREAD and sizes > SIZES and answer.method not in OWN_SPREADS:
        yield {"kind": "spread", "value": ratio, "sizes": sizes, "n": int(groups["size"].min()), "robust": False}


def _influence(
    frame: pd.DataFrame, residuals: Numbers, answer: TestRecord, between: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Name a unit that moves a difference of two means far; leaving out a value moves its mean by r / (n - 1)."""
    if answer.method == "paired":
        n = len(residuals)
        largest_shift = np.abs(residuals).max() / (n - 1) / (residuals.std(ddof=1) / math.sqrt(n))
    elif answer.method == "welch" and len(between) == 1:
        group, _ = pd.factorize(frame[between[0]])
        sizes = np.bincount(group)
        if len(sizes) != 2 or sizes.min() < 2:
            return
        variance = np.bincount(group, residuals**2) / (sizes - 1)
        largest_shift = float((np.abs(residuals) / (sizes[group] - 1)).max() / math.sqrt((variance / sizes).sum()))
        n = int(sizes.min())
    else:
        return
    if largest_shift > MOVED:
        yield {"kind": "influence", "value": float(largest_shift), "n": n, "robust": False}


def _events(data: pd.DataFrame, answer: TestRecord, numbers: int) -> Iterator[dict[str, Any]]:
    values = data["value"].dropna().to_numpy(float)
    predictors = max(1, numbers)
    rarer = float(min(values.sum(), len(values) - values.sum()))
    if rarer / predictors < EVENTS:
        yield {"kind": "events", "value": rarer / predictors, "n": len(values), "robust": False,
               "of": answer.method}  # fmt: skip


def _curve(
    data: pd.DataFrame, answer: TestRecord, numbers: Sequence[str], factors: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Name the fitted curve where the shares over its one predictor lie beside it."""
    details = answer.details or {}
    if "fitted_low" not in details or len(numbers) != 1 or factors:
        return
    frame = data.dropna(subset=["value", *numbers])
    x, yes = frame[numbers[0]].to_numpy(float), frame["value"].to_numpy(float)
    low, high = (float(special.logit(details[name])) for name in ("fitted_low", "fitted_high"))
    if not math.isfinite(high - low) or x.min() == x.max():
        return
    fitted = special.expit(low + (high - low) * (x - x.min()) / (x.max() - x.min()))
    shares, tenths = shares_over(x, yes, fitted)
    interval = proportion(shares["yes"].to_numpy(), shares["n"].to_numpy()).confidence_interval()
    apart = (shares["fitted"] < np.asarray(interval.low)) | (shares["fitted"] > np.asarray(interval.high))
    if len(shares) >= SHARES and int(apart.sum()) >= APART:
        largest = float((shares["yes"] / shares["n"] - shares["fitted"]).abs().max())
        yield {"kind": "curve", "value": largest, "apart": int(apart.sum()), "shares": len(shares), "tenths": tenths,
               "n": len(frame), "robust": False}  # fmt: skip
