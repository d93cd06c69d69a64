"""Thresholds by a model of accepting: rows at benefit 0, a mixed model of people, or a curve for each group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, special

from negstats.errors import NotEstimable
from negstats.estimate._thresholds import (
    DIFFERENCE,
    DRAWN,
    Thresholds,
    compare_groups,
    describe_decisions,
    note_extrapolation,
)
from negstats.estimate.acceptance import AcceptanceCurve, fit_acceptance
from negstats.estimate.answers import Answers, PersonDecisions, sort_groups
from negstats.stats import mixed
from negstats.stats.models.responses.engine import EngineFit, fit_columns
from negstats.stats.models.responses.fit import NEEDS_BOOTSTRAP
from negstats.stats.models.responses.likelihood import Clustered
from negstats.stats.models.responses.population import joint_covariance, means_of_rows
from negstats.stats.models.responses.result import MixedResponses
from negstats.stats.models.responses.spread import REFIT_NAGQ
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _ModelPoints:
    """Rows of the model's columns at benefit 0 of its origin, one a group, and what thresholds are made of."""

    model: MixedResponses
    rows: FloatArray
    place: int
    groups: tuple[str, ...]

    @property
    def beta(self) -> FloatArray:
        beta: FloatArray = self.model.fit.beta
        return beta

    @property
    def slope(self) -> float:
        return float(self.beta[self.place])

    @property
    def sigma(self) -> float:
        return float(np.sqrt(self.model.fit.random[0][0, 0]))

    @property
    def origin(self) -> float:
        return self.model.rows.origin["benefit"]

    def mean(self, group: int) -> tuple[float, FloatArray]:
        """Return μ_T of a group and its gradient in (β, ln σ)."""
        value = float(self.rows[group] @ self.beta)
        gradient = np.append(-self.rows[group] / self.slope, 0.0)
        gradient[self.place] = value / self.slope**2
        return self.origin - value / self.slope, gradient

    def spread(self) -> tuple[float, FloatArray]:
        """Return σ_T and its gradient."""
        sd = self.sigma / self.slope
        gradient = np.zeros(len(self.beta) + 1)
        gradient[self.place], gradient[-1] = -sd / self.slope, sd
        return sd, gradient

    def people(self, group: int, share: float) -> tuple[float, FloatArray]:
        """Return the benefit that a share of people accepts."""
        z = float(special.ndtri(share))
        (mean, mean_gradient), (sd, sd_gradient) = self.mean(group), self.spread()
        return mean + z * sd, mean_gradient + z * sd_gradient

    def row(self, group: int, benefit: float) -> FloatArray:
        """Return the columns of a group at a benefit."""
        row: FloatArray = self.rows[group].copy()
        row[self.place] = benefit - self.origin
        return row

    def decisions(self, group: int, share: float) -> tuple[float, FloatArray]:
        """Return the benefit at which a share of decisions is acceptance: dB = −(dP/dθ)/(dP/dB)."""
        centre, sd = self.mean(group)[0], np.hypot(self.sigma, 2.0) / self.slope

        def compute_gap(benefit: float) -> float:
            return float(means_of_rows(self.model, self.row(group, benefit)[None], "population")[0][0]) - share

        n_sds = 2.0
        while compute_gap(centre - n_sds * sd) > 0 or compute_gap(centre + n_sds * sd) < 0:
            n_sds *= 2
        root = float(
            optimize.brentq(compute_gap, centre - n_sds * sd, centre + n_sds * sd, xtol=1e-11 * sd, rtol=1e-13)
        )
        _, gradient = means_of_rows(self.model, self.row(group, root)[None], "population")
        # The intercept's column is 1: its entry is dP/dη, and η rises by the slope with the benefit.
        return root, -gradient[0] / (gradient[0, 0] * self.slope)


def read_points(model: MixedResponses, groups: tuple[str, ...]) -> _ModelPoints:
    """Return the rows of the groups at benefit 0 of the model's origin."""
    coding = model.rows.coding
    codes = {"benefit": np.zeros(len(groups))}
    if "group" in coding.levels:
        codes["group"] = np.array([coding.levels["group"].levels.index(group) for group in groups], dtype=float)
    return _ModelPoints(model, coding.matrix(codes), coding.parts.index((("benefit", 0),)), groups)


def _fit_groups(
    person_decisions: PersonDecisions, shares: Sequence[float], confidence_level: float, seed: int
) -> tuple[dict[str, AcceptanceCurve], dict[str, NotEstimable]]:
    """Return the curve of each group, at a half and at `shares`, and why other groups have none."""
    curves: dict[str, AcceptanceCurve] = {}
    reasons: dict[str, NotEstimable] = {}
    rows_by_group = dict(list(person_decisions.frame.groupby("group")))
    for group in sort_groups(person_decisions.frame["group"]):
        rows = rows_by_group[group]
        group_answers = Answers(
            rows["benefit"].to_numpy(), rows["accepted"].to_numpy(), pd.factorize(rows["person"])[0].astype(np.int64),
            unit=person_decisions.unit,
        )  # fmt: skip
        try:
            curves[group] = fit_acceptance(
                group_answers, rng=np.random.default_rng(seed), shares=(0.5, *shares), confidence_level=confidence_level
            )
        except NotEstimable as error:
            reasons[group] = error
    return curves, reasons


def fit_pooled(
    person_decisions: PersonDecisions,
    shares: Sequence[float],
    confidence_level: float,
    seed: int,
    notes: tuple[str, ...],
) -> Thresholds:
    """Fit one logistic curve a group: what decisions are like, and nothing of people."""
    curves, reasons = _fit_groups(person_decisions, shares, confidence_level, seed)
    if not curves:
        raise next(iter(reasons.values()))
    population, rows = [], []
    for group, curve in curves.items():
        # The mean threshold of a logistic curve is where a half is accepted.
        half_point, *share_points = curve.points
        population.append({"group": group, "mean": half_point.benefit, "se": np.nan, "low": _nan(half_point.low),
                           "high": _nan(half_point.high), "sd": np.nan, "sd_se": np.nan, "sd_low": np.nan,
                           "sd_high": np.nan})  # fmt: skip
        rows += [{"of": "decisions", "share": point.share, "group": group, "benefit": point.benefit, "se": np.nan,
                  "low": _nan(point.low), "high": _nan(point.high)} for point in share_points]  # fmt: skip
    slopes = [curve.slope for curve in curves.values()]
    bands = [curve.band.assign(group=group, typical=np.nan) for group, curve in curves.items()]
    no_people = pd.DataFrame(columns=["person", "group", "threshold", "sd", "n", "accepted"])
    return Thresholds(
        model="pooled",
        people=no_people,
        population=pd.DataFrame(population),
        shares=pd.DataFrame(rows),
        difference=pd.DataFrame(columns=DIFFERENCE),
        curve=pd.concat(bands, ignore_index=True),
        slope=slopes[0] if len(slopes) == 1 else float("nan"),
        interaction_p=float("nan"),
        confidence_level=confidence_level,
        **describe_decisions(person_decisions),
        notes=(
            *person_decisions.notes,
            *notes,
            *(f"{group}: {error}" for group, error in reasons.items()),
            *note_extrapolation(rows, person_decisions.frame),
        ),
    )


def _nan(value: float | None) -> float:
    return float("nan") if value is None else value


QUANTILE_DRAWS = 10_000
BOOTSTRAP_DRAWS = 399
NOT_RISING = "acceptance does not rise with benefit in these offers"


def fit_people(
    person_decisions: PersonDecisions, shares: Sequence[float], confidence_level: float, seed: int
) -> Thresholds:
    """Fit one mixed model: a mean for each group, one slope and one spread."""
    frame = person_decisions.frame
    groups = sort_groups(frame["group"])
    has_groups = len(groups) > 1
    model = mixed(frame, f"accepted ~ benefit{' + group' if has_groups else ''} + (1 | person)", family="binomial")
    points = read_points(model, groups)
    if not points.slope > 0:
        raise NotEstimable(NOT_RISING)
    covariance = joint_covariance(model)
    df = float(max(model.clusters - len(groups), 1))
    # Everything that is printed is a function of the coefficients and ln SD: the delta method gives its error.
    compute_interval = partial(_compute_interval, covariance=covariance, df=df, confidence_level=confidence_level)
    sd, sd_columns = _estimate_spread(points, compute_interval)
    means = [(group, *points.mean(index)) for index, group in enumerate(groups)]
    population = [
        {"group": group, "mean": mean, **compute_interval(mean, gradient), **sd_columns}
        for group, mean, gradient in means
    ]
    share_rows = _estimate_shares(points, groups, shares, compute_interval)
    notes = [*person_decisions.notes, *_model_notes(model, seed), *note_extrapolation(share_rows, frame)]
    people, modes = _people_of_model(frame, groups, points)
    # Predicted thresholds vary less than the thresholds of the population.
    if sd > 0:
        share = float(np.var(modes)) / sd**2
        notes.append(f"people's thresholds are shrunken: their variance is {share:.2f} of the population's")
    interaction = _interaction_p(points, notes) if has_groups else float("nan")
    return Thresholds(
        model="mixed",
        people=people,
        population=pd.DataFrame(population),
        shares=pd.DataFrame(share_rows),
        difference=_differences(groups, points, covariance, df, confidence_level),
        curve=_curve(
            points, frame, covariance, df, confidence_level, [float(of_share["benefit"]) for of_share in share_rows]
        ),
        slope=points.slope,
        interaction_p=interaction,
        confidence_level=confidence_level,
        **describe_decisions(person_decisions),
        notes=tuple(notes),
    )


def _estimate_spread(
    points: _ModelPoints, compute_interval: Callable[..., dict[str, float]]
) -> tuple[float, dict[str, float]]:
    """Return the SD of people's thresholds, and its columns; its interval is made on its logarithm."""
    sd, slope_of_sd = points.spread()
    log_sd = {"se": np.nan, "low": -np.inf, "high": np.nan}
    if sd > 0:
        log_sd = compute_interval(float(np.log(sd)), slope_of_sd / sd)
    return sd, {
        "sd": sd,
        "sd_se": log_sd["se"] * sd,
        "sd_low": np.exp(log_sd["low"]),
        "sd_high": np.exp(log_sd["high"]),
    }


def _estimate_shares(
    points: _ModelPoints,
    groups: Sequence[str],
    shares: Sequence[float],
    compute_interval: Callable[..., dict[str, float]],
) -> list[dict[str, Any]]:
    """Return for each group the benefits that shares of its people, and of its decisions, accept."""
    return [
        {"of": subject, "share": share, "group": group, "benefit": estimates[0], **compute_interval(*estimates)}
        for index, group in enumerate(groups)
        for subject, question in (("people", points.people), ("decisions", points.decisions))
        for share in shares
        for estimates in (question(index, share),)
    ]


def _model_notes(model: MixedResponses, seed: int) -> list[str]:
    """Return the model's notes; where one asks for a bootstrap, as of few people, its p of the groups instead."""
    notes = [note for note in model.notes if not note.endswith(NEEDS_BOOTSTRAP)]
    if len(notes) == len(model.notes) or "group" not in model.terms:
        return notes
    test = model.bootstrap_test("group", np.random.default_rng(seed), n_resamples=BOOTSTRAP_DRAWS)
    chi2, df, p = (float(np.asarray(value)) for value in (test.statistic, test.df, test.p))
    text = f"χ²({apa.df(df)}) = {apa.number(chi2)}, {apa.p_value(p)} by {BOOTSTRAP_DRAWS} bootstrap draws"
    return [
        *notes,
        f"with {model.clusters} people the t tests of groups are rough; the likelihood ratio of all: {text}",
    ]


def _compute_interval(
    value: float, gradient: FloatArray, *, covariance: FloatArray, df: float, confidence_level: float
) -> dict[str, float]:
    """Return the standard error of a function of the coefficients, by its gradient, and its interval."""
    se = float(np.sqrt(gradient @ covariance @ gradient))
    interval = t_interval(value, se, df, confidence_level)
    return {"se": se, "low": float(interval.low), "high": float(interval.high)}


def _interaction_p(points: _ModelPoints, notes: list[str]) -> float:
    """Return p of the likelihood-ratio test that the groups' slopes differ; NaN, with a note, where there is no fit.

    The larger model is fitted with few nodes. What that changes of its maximum is of second order in the likelihood,
    which is the integral's own for both models.
    """
    rows, law, smaller = points.model.rows, points.model.distribution, points.model.fit
    other_columns = [column for column in range(1, rows.x.shape[1]) if column != points.place]
    x = np.column_stack([rows.x, rows.x[:, [points.place]] * rows.x[:, other_columns]])
    try:
        larger = fit_columns(x, rows.y, rows.parts, law, REFIT_NAGQ)
    except NotEstimable as error:
        notes.append(f"whether slopes differ between groups is not estimable: {error}")
        return float("nan")
    clustered = Clustered.of(x, rows.y, rows.parts[0].codes, law)
    gain = _log_likelihood(clustered, larger) - _log_likelihood(points.model.clustered, smaller)
    return float(special.chdtrc(len(other_columns), max(2 * gain, 0.0)))


def _log_likelihood(rows: Clustered, fit: EngineFit) -> float:
    """Return the log-likelihood at a fit with one random effect, by the integral over it."""
    return rows.log_likelihood(rows.x @ fit.beta, float(np.sqrt(fit.random[0][0, 0])))


def _people_of_model(
    frame: pd.DataFrame, groups: tuple[str, ...], points: _ModelPoints
) -> tuple[pd.DataFrame, pd.Series]:
    """Return a row for each person in each group that they decided in, and the modes of all people."""
    effects = points.model.random_effects().set_index("level")
    modes, sds = effects["estimate"] / points.slope, effects["sd"] / points.slope
    people = frame.groupby(["person", "group"])["accepted"].agg(n="size", accepted="sum").reset_index()
    means = {group: points.mean(index)[0] for index, group in enumerate(groups)}
    threshold = people["group"].map(means).to_numpy(dtype=float) - modes.reindex(people["person"]).to_numpy(dtype=float)
    people.insert(2, "threshold", threshold)
    people.insert(3, "sd", sds.reindex(people["person"]).to_numpy(dtype=float))
    return people, modes


def _build_quantiles(
    points: _ModelPoints, shares: Sequence[float], level_at: dict[str, float], draws: FloatArray
) -> list[dict[str, Any]]:
    """Return at which benefit each share of people, and of decisions, accepts; `draws` are of people's two effects."""
    rows: list[dict[str, Any]] = []
    no_errors = dict.fromkeys(["se", "low", "high"], np.nan)
    for index, (group, level) in enumerate(level_at.items()):
        thresholds = points.origin - (level + draws[:, 0]) / (points.slope + draws[:, 1])
        for share in shares:
            benefits = {"people": float(np.quantile(thresholds, share)), "decisions": points.decisions(index, share)[0]}
            rows += [
                {"of": subject, "share": share, "group": group, "benefit": benefit, **no_errors}
                for subject, benefit in benefits.items()
            ]
    return rows


def _people_with_slopes(
    frame: pd.DataFrame, points: _ModelPoints, modes: pd.DataFrame, level_at: dict[str, float]
) -> pd.DataFrame:
    """Return a row for each person in each group, where slopes differ by person; a threshold needs one that rises."""
    people = frame.groupby(["person", "group"])["accepted"].agg(n="size", accepted="sum").reset_index()
    own_modes = modes.reindex(people["person"]).to_numpy()
    own_slopes = points.slope + own_modes[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        threshold = points.origin - (people["group"].map(level_at).to_numpy(dtype=float) + own_modes[:, 0]) / own_slopes
    people.insert(2, "threshold", np.where(own_slopes > 0, threshold, np.nan))
    people.insert(3, "sd", np.nan)
    return people


def _differences(
    groups: tuple[str, ...], points: _ModelPoints, covariance: FloatArray, df: float, confidence_level: float
) -> pd.DataFrame:
    rows = []
    for first_index, second_index in combinations(range(len(groups)), 2):
        (first_mean, first_gradient), (second_mean, second_gradient) = (
            points.mean(first_index),
            points.mean(second_index),
        )
        se = float(np.sqrt((first_gradient - second_gradient) @ covariance @ (first_gradient - second_gradient)))
        rows.append((groups[first_index], groups[second_index], first_mean - second_mean, se))
    return compare_groups(rows, df, confidence_level)


def _curve(
    points: _ModelPoints,
    frame: pd.DataFrame,
    covariance: FloatArray,
    df: float,
    confidence_level: float,
    share_benefits: Sequence[float] = (),
) -> pd.DataFrame:
    """Return the curve averaged over people, its interval on the scale of log odds, and a typical person's."""
    benefits_shown = [float(frame["benefit"].min()), float(frame["benefit"].max()), *share_benefits]
    grid = np.linspace(min(benefits_shown), max(benefits_shown), DRAWN)
    curves = []
    for index, group in enumerate(points.groups):
        rows = np.stack([points.row(index, benefit) for benefit in grid])
        mean, gradient = means_of_rows(points.model, rows, "population")
        probabilities = np.clip(mean, 1e-12, 1 - 1e-12)
        se = np.sqrt(np.einsum("ij,jk,ik->i", gradient, covariance, gradient)) / (probabilities * (1 - probabilities))
        interval = t_interval(special.logit(probabilities), se, df, confidence_level)
        low, high = special.expit(interval.low), special.expit(interval.high)
        columns = {"group": group, "benefit": grid, "probability": mean, "low": low, "high": high}
        columns |= {"typical": means_of_rows(points.model, rows, "typical")[0]}
        curves.append(pd.DataFrame(columns))
    return pd.concat(curves, ignore_index=True)


def fit_slopes(
    person_decisions: PersonDecisions, shares: Sequence[float], confidence_level: float, seed: int
) -> Thresholds:
    """Slopes by person: T = −(β₀ + u₀)/(β + u₁), a ratio without moments; quantiles of draws, and no mean."""
    frame = person_decisions.frame
    groups = sort_groups(frame["group"])
    term = " + group" if len(groups) > 1 else ""
    model = mixed(frame, f"accepted ~ benefit{term} + (1 + benefit | person)", family="binomial")
    points = read_points(model, groups)
    if not points.slope > 0:
        raise NotEstimable(NOT_RISING)
    # Draws from the distribution of people: their intercepts and slopes together.
    eigenvalues, vectors = np.linalg.eigh(model.fit.random[0])
    factor = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    effects = np.random.default_rng(seed).standard_normal((QUANTILE_DRAWS, 2)) @ factor.T
    # A person whose acceptance does not rise has no threshold.
    is_rising = points.slope + effects[:, 1] > 0
    modes = pd.DataFrame(model.fit.modes[0], index=list(model.rows.parts[0].levels))
    level_at = {group: float(points.rows[index] @ points.beta) for index, group in enumerate(groups)}
    rows = _build_quantiles(points, shares, level_at, effects[is_rising])
    no_errors = dict.fromkeys(["se", "low", "high", "sd", "sd_se", "sd_low", "sd_high"], np.nan)
    note = (
        "slopes differ by person, so that thresholds are a ratio without a mean: quantiles are of 10,000 draws "
        f"({1 - is_rising.mean():.1%} of them do not rise with benefit), without intervals"
    )
    covariance = joint_covariance(model)
    return Thresholds(
        model="mixed",
        people=_people_with_slopes(frame, points, modes, level_at),
        population=pd.DataFrame([{"group": group, "mean": np.nan, **no_errors} for group in groups]),
        shares=pd.DataFrame(rows),
        difference=_differences(groups[:1], points, covariance, 1.0, confidence_level),
        curve=_curve(points, frame, covariance, float(max(model.clusters - len(groups), 1)), confidence_level),
        slope=points.slope,
        interaction_p=float("nan"),
        confidence_level=confidence_level,
        **describe_decisions(person_decisions),
        notes=(*person_decisions.notes, *_model_notes(model, seed), *note_extrapolation(rows, frame), note),
    )
