"""Acceptance thresholds by person and their distribution: what people accept, and what decisions.

The model is logit P(person i accepts benefit b) = β₀ + γ′c + βb + u_i with u ~ N(0, σ²). Person i accepts with
probability ½ at T_i = −(β₀ + γ′c + u_i)/β, and in the population T ~ N(μ_T, σ_T²) with μ_T = −(β₀ + γ′c)/β and
σ_T = σ/β. Two questions have two answers: the benefit that a share q **of people** accepts (with p ≥ ½) is
μ_T + z_q σ_T; the benefit at which a share q **of decisions** is acceptance is where the curve averaged over people
reaches q.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from scipy import optimize, special

from negstats.errors import NotEstimable, UsageError, shown
from negstats.estimate._thresholds import DRAWN, Thresholds, compare_groups, describe_decisions
from negstats.estimate.answers import AnswersOf, PersonDecisions, read_decisions
from negstats.stats.models.responses.engine import MISSING_ENGINE, has_engine
from negstats.stats.models.responses.likelihood import hermite
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.frames import IntArray

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
    >>> result = censored_likelihood(np.array([.308329, np.log(.141127)]), least - .1, least, place, who, several=False)
    >>> round(result, 6)
    -21.410043
    """
    mean = point[: int(group.max()) + 1][group]
    sigma = float(np.exp(point[int(group.max()) + 1]))
    if not several:
        return float(_log_probability(low, high, mean, sigma).sum())
    # Several answers of a person share a threshold: it is integrated out by Gauss–Hermite nodes.
    z, weight = hermite(NODES)
    person_sd = float(np.exp(point[-1]))
    log_probabilities = _log_probability(low[:, None], high[:, None], mean[:, None] + person_sd * z, sigma)
    sums = np.zeros((int(person.max()) + 1, NODES))
    np.add.at(sums, person, log_probabilities)
    return float(special.logsumexp(sums + np.log(weight), axis=1).sum())


def _log_probability(low: FloatArray, high: FloatArray, mean: FloatArray, sigma: float) -> FloatArray:
    upper, lower = (high - mean) / sigma, (low - mean) / sigma
    exact = np.broadcast_to(low == high, upper.shape)
    # Both ends on the side where the normal's tail keeps its digits.
    is_upper_half = lower > 0
    larger, smaller = np.where(is_upper_half, -lower, upper), np.where(is_upper_half, -upper, lower)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_interval = special.log_ndtr(larger) + np.log1p(
            -np.exp(special.log_ndtr(smaller) - special.log_ndtr(larger))
        )
    density = -0.5 * upper**2 - np.log(sigma) - 0.5 * np.log(2 * np.pi)
    return np.asarray(np.where(exact, density, log_interval), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Censored:
    """The maximum: means of the groups, ln σ, and with several answers a person ln of the SD between persons."""

    point: FloatArray
    covariance: FloatArray
    groups: Sequence[str]
    df: float
    confidence_level: float

    @property
    def spread(self) -> float:
        """The SD between persons, or of the one answer of each."""
        return float(np.exp(self.point[-1]))

    @property
    def total(self) -> float:
        """The SD of all answers."""
        return float(np.sqrt(np.exp(2 * self.point[len(self.groups) :]).sum()))

    def unit(self, place: int) -> FloatArray:
        """Return the gradient of one entry of the point."""
        return np.asarray(np.eye(len(self.point))[place])

    def bounded(self, value: float, gradient: FloatArray) -> dict[str, float]:
        """Return standard error and interval by the delta method."""
        se = float(np.sqrt(gradient @ self.covariance @ gradient))
        interval = t_interval(value, se, self.df, self.confidence_level)
        return {"se": se, "low": float(interval.low), "high": float(interval.high)}

    def population(self) -> pd.DataFrame:
        """Return mean and SD of each group."""
        log_sd = self.bounded(float(self.point[-1]), self.unit(-1))
        of_sd = {"sd": self.spread, "sd_se": self.spread * log_sd["se"], "sd_low": np.exp(log_sd["low"]),
                 "sd_high": np.exp(log_sd["high"])}  # fmt: skip
        means = [float(value) for value in self.point[: len(self.groups)]]
        return pd.DataFrame(
            [
                {"group": name, "mean": means[at], **self.bounded(means[at], self.unit(at)), **of_sd}
                for at, name in enumerate(self.groups)
            ]
        )

    def shares(self, shares: Sequence[float]) -> pd.DataFrame:
        """Return the benefits that shares of people, and of decisions, accept."""
        total_gradient = np.zeros(len(self.point))
        total_gradient[len(self.groups) :] = np.exp(2 * self.point[len(self.groups) :]) / self.total
        questions = (("people", self.spread, self.spread * self.unit(-1)), ("decisions", self.total, total_gradient))
        rows = []
        for index, name in enumerate(self.groups):
            for subject, size, slope in questions:
                for share in shares:
                    z = float(special.ndtri(share))
                    value = float(self.point[index] + z * size)
                    interval = self.bounded(value, self.unit(index) + z * slope)
                    rows.append({"of": subject, "share": share, "group": name, "benefit": value, **interval})
        return pd.DataFrame(rows)

    def differences(self) -> pd.DataFrame:
        """Return the differences of the groups' means."""
        pairs = []
        for first, second in combinations(range(len(self.groups)), 2):
            value = float(self.point[first] - self.point[second])
            se = self.bounded(value, self.unit(first) - self.unit(second))["se"]
            pairs.append((self.groups[first], self.groups[second], value, se))
        return compare_groups(pairs, self.df, self.confidence_level)

    def curve(self, high: FloatArray) -> pd.DataFrame:
        """Return the share of decisions that accept each benefit around the amounts that were said."""
        range_shown = float(high.min()) - 2 * self.total, float(high[np.isfinite(high)].max()) + 2 * self.total
        grid = np.linspace(*range_shown, DRAWN)
        return pd.concat(
            [pd.DataFrame({"group": name, "benefit": grid,
                           "probability": special.ndtr((grid - self.point[i]) / self.total),
                           "low": np.nan, "high": np.nan, "typical": np.nan}) for i, name in enumerate(self.groups)],
            ignore_index=True,
        )  # fmt: skip


def fit_censored(read: PersonDecisions, shares: Sequence[float], confidence_level: float) -> Thresholds:
    """Fit mean and spread of thresholds to least acceptable amounts."""
    assert read.elicited is not None  # noqa: S101 - the caller has looked
    frame = read.elicited.frame
    persons = int(frame["person"].nunique())
    fit = _maximise(frame, persons, read.unit, confidence_level)
    people = frame.groupby(["person", "group"]).agg(n=("high", "size"), threshold=("high", "mean")).reset_index()
    return Thresholds(
        model="censored",
        people=people.assign(sd=np.nan, accepted=np.nan)[["person", "group", "threshold", "sd", "n", "accepted"]],
        population=fit.population(),
        shares=fit.shares(shares),
        difference=fit.differences(),
        curve=fit.curve(frame["high"].to_numpy()),
        slope=float("nan"),
        interaction_p=float("nan"),
        confidence_level=confidence_level,
        notes=read.notes,
        **{**describe_decisions(read), "n": len(frame), "accepted": 0, "persons": persons},
    )


def _maximise(frame: pd.DataFrame, persons: int, unit: str, confidence_level: float) -> _Censored:
    """Return the maximum of the likelihood, by BFGS and from there by a simplex."""
    group, groups = _codes(frame["group"])
    person = _codes(frame["person"])[0]
    low, high = frame["low"].to_numpy(), frame["high"].to_numpy()
    has_repeats = persons < len(frame)
    midpoints = np.where(np.isfinite(low), (low + high) / 2, high)
    sd = float(np.std(midpoints))
    if sd == 0:
        raise NotEstimable(f"everybody said the same least amount, {high[0]:g} {unit}: a spread needs different ones")
    # Parameters: the mean of each group, ln of the SD and, with several answers a person, of a second one.
    start = [*(float(midpoints[group == index].mean()) for index in range(len(groups))), np.log(sd)]
    start += [np.log(sd)] if has_repeats else []
    scale = np.array([sd] * len(groups) + [1.0] * (len(start) - len(groups)))

    def loss(point: FloatArray) -> float:
        negative_log_likelihood = -censored_likelihood(point * scale, low, high, group, person, several=has_repeats)
        return negative_log_likelihood if np.isfinite(negative_log_likelihood) else 1e12

    # The means are in units of the SD, so that all parameters are of one size.
    optimum = optimize.minimize(loss, np.array(start) / scale, method="BFGS", options={"gtol": 1e-7})
    optimum = optimize.minimize(
        loss, optimum.x, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000}
    )
    covariance = np.linalg.inv(_second_derivatives(loss, optimum.x)) * np.outer(scale, scale)
    df = float(max(persons - len(groups), 1))
    return _Censored(
        np.asarray(optimum.x * scale, dtype=np.float64), np.asarray(covariance), groups, df, confidence_level
    )


def _codes(column: pd.Series) -> tuple[IntArray, list[str]]:
    codes, levels = pd.factorize(column, sort=True)
    return np.asarray(codes, dtype=np.intp), [str(level) for level in levels]


def _second_derivatives(function: Callable[[FloatArray], float], point: FloatArray) -> FloatArray:
    """Return the matrix of second differences of a function at its minimum."""
    size, step = len(point), 1e-4
    matrix = np.empty((size, size))
    shift = np.eye(size) * step
    for a in range(size):
        for b in range(a, size):
            corners = [function(point + s * shift[a] + t * shift[b]) for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
            matrix[a, b] = matrix[b, a] = (corners[0] - corners[1] - corners[2] + corners[3]) / (4 * step**2)
    return matrix


ThresholdModel: TypeAlias = Literal["auto", "mixed", "pooled"]
FEWEST_PEOPLE, FEWEST_BOTH = 3, 2


def thresholds(
    tables: Mapping[str, pd.DataFrame],
    by: str | None = None,
    model: ThresholdModel = "auto",
    answers: AnswersOf = "humans",
    shares: Sequence[float] = (0.5, 0.8, 0.9),
    *,
    role: str | None = None,
    points_per_unit: float | None = None,
    slope: Literal["common", "person"] = "common",
    confidence_level: float = 0.95,
    seed: int = 1,
) -> Thresholds:
    """Estimate people's acceptance thresholds and their distribution from a study's tables.

    Parameters
    ----------
    tables
        ``offers``, ``players``, ``games`` (for `by`) and ``answers`` (least acceptable amounts) by name.
    by
        A factor of the games, such as "country": one model with a common slope and spread, a mean for each level.
    model
        "mixed": people differ. "pooled": one logistic curve. "auto": mixed if at least 3 people made 2 decisions or
        more, at least 2 gave both answers, and the fit is to be had; otherwise pooled, and a note says why.
    answers
        "humans": every decision by a human, whoever offered. "humans-to-humans": of games of humans only.
    shares
        Of people and of decisions, whose benefits are wanted.
    role, points_per_unit
        As for `acceptance_threshold`; without a role all offers count.
    slope
        "person": slopes differ by person too. Then thresholds are a ratio that has no mean: quantiles by 10,000 draws.
    confidence_level, seed
        Of intervals, and of draws (the pooled curve's bootstrap, quantiles with slopes by person, the test of groups
        where there are fewer than 30 people).

    Returns
    -------
    Thresholds
        One threshold a person, in points, and the mean and spread of the population.

    Raises
    ------
    UsageError
        If no offer was answered by a human, or an argument is unknown.
    NotEstimable
        If acceptance does not rise with benefit, or the answers do not give the model that is asked for.

    Notes
    -----
    Intervals by the delta method on (β, ln σ) with t on people less groups; of SDs on their logarithms. Least
    acceptable amounts are censored thresholds on a normal: ℓ = Σ ln[Φ((L − μ)/σ) − Φ((L − h − μ)/σ)].

    Examples
    --------
    >>> from negstats import datasets
    >>> result = thresholds(datasets.robot().tables)
    >>> result.apa()
    'M = 0.84, 95% CI [0.80, 0.88], SD = 0.08 (points; 66 people, 1569 decisions)'
    >>> result.shares.query("share == .9")[["of", "benefit"]].round(3).to_dict("records")
    [{'of': 'people', 'benefit': 0.936}, {'of': 'decisions', 'benefit': 1.022}]
    """
    person_decisions = read_decisions(tables, by, answers, role, points_per_unit)
    return fit_thresholds(person_decisions, model, shares, slope=slope, confidence_level=confidence_level, seed=seed)


def fit_thresholds(
    read: PersonDecisions,
    model: ThresholdModel = "auto",
    shares: Sequence[float] = (0.5, 0.8, 0.9),
    *,
    slope: Literal["common", "person"] = "common",
    confidence_level: float = 0.95,
    seed: int = 1,
) -> Thresholds:
    """Fit decisions that were read; parameters as for `thresholds`."""
    if model not in ("auto", "mixed", "pooled") or slope not in ("common", "person"):
        raise UsageError(
            f"model is {shown(model)} and slope {shown(slope)}; give model 'auto', 'mixed' or 'pooled', and slope "
            "'common' or 'person'"
        )
    if not all(0 < share < 1 for share in (*shares, confidence_level)):
        raise UsageError(f"shares are {shown(tuple(shares))}; give shares and a confidence level between 0 and 1")
    from negstats.estimate.mixed_thresholds import NOT_RISING, fit_people, fit_pooled, fit_slopes  # with mixed models

    if read.elicited is not None:
        return fit_censored(read, shares, confidence_level)
    benefit = read.frame["benefit"]
    if benefit.nunique() == 1:
        raise NotEstimable(f"all offers have a benefit of {benefit.iloc[0]:g}; a curve needs different ones")
    # People are told apart by a mixed model where the rows allow it; else one curve serves all.
    reason = _why_pooled(read.frame)
    if model == "mixed" or (model == "auto" and not reason):
        if reason == f"mixed {MISSING_ENGINE}":
            raise NotEstimable(reason)
        try:
            if slope == "person":
                return fit_slopes(read, shares, confidence_level, seed)
            return fit_people(read, shares, confidence_level, seed)
        except NotEstimable as error:
            if NOT_RISING in str(error):
                raise
            if model == "mixed":
                raise NotEstimable(f"{error}; or model pooled, one curve for all people") from error
            reason = str(error)
    notes = (f"one curve for all people: {reason}",) if model == "auto" else ()
    return fit_pooled(read, shares, confidence_level, seed, notes)


def _why_pooled(frame: pd.DataFrame) -> str:
    """Return why people's decisions give no model of people; nothing if they do."""
    person = pd.factorize(frame["person"])[0]
    n_decided, n_accepted = np.bincount(person), np.bincount(person, weights=frame["accepted"].to_numpy(dtype=float))
    n_repeated = int((n_decided >= 2).sum())
    n_mixed = int(((n_accepted > 0) & (n_accepted < n_decided)).sum())
    if n_repeated < FEWEST_PEOPLE:
        return f"{n_repeated} people made two decisions or more; thresholds by person need at least {FEWEST_PEOPLE}"
    if n_mixed < FEWEST_BOTH:
        return f"{n_mixed} people both accepted and refused; thresholds by person need at least {FEWEST_BOTH}"
    return "" if has_engine() else f"mixed {MISSING_ENGINE}"
