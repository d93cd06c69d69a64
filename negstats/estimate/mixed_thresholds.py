"""Thresholds by a mixed model of accepting: means of groups, people's modes, shares of people and of decisions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import NotEstimable
from negstats.estimate._points import ModelPoints, read_points
from negstats.estimate._thresholds import (
    DRAWN,
    Thresholds,
    compare_groups,
    describe_decisions,
    note_extrapolation,
)
from negstats.estimate.people import PersonDecisions, sort_groups
from negstats.stats import mixed
from negstats.stats.models.responses.engine import EngineFit, fit_columns
from negstats.stats.models.responses.fit import NEEDS_BOOTSTRAP
from negstats.stats.models.responses.integral import Clustered
from negstats.stats.models.responses.intervals import REFIT_NAGQ
from negstats.stats.models.responses.population import joint_covariance, means_of_rows
from negstats.stats.models.responses.result import MixedResponses
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray

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
    free = float(max(model.clusters - len(groups), 1))
    compute_interval = partial(_compute_interval, covariance=covariance, free=free, confidence_level=confidence_level)
    sd, slope_of_sd = points.spread()
    log_sd = {"se": np.nan, "low": -np.inf, "high": np.nan}
    if sd > 0:
        log_sd = compute_interval(float(np.log(sd)), slope_of_sd / sd)
    ends = {"sd": sd, "sd_se": log_sd["se"] * sd, "sd_low": np.exp(log_sd["low"]), "sd_high": np.exp(log_sd["high"])}
    means = [(group, *points.mean(at)) for at, group in enumerate(groups)]
    population = [
        {"group": group, "mean": mean, **compute_interval(mean, gradient), **ends} for group, mean, gradient in means
    ]
    of_shares: list[dict[str, Any]] = [
        {"of": of, "share": share, "group": group, "benefit": estimates[0], **compute_interval(*estimates)}
        for at, group in enumerate(groups)
        for of, question in (("people", points.people), ("decisions", points.decisions))
        for share in shares
        for estimates in (question(at, share),)
    ]
    notes = [*person_decisions.notes, *_model_notes(model, seed), *note_extrapolation(of_shares, frame)]
    people, modes = _people_of_model(frame, groups, points)
    if sd > 0:
        share = float(np.var(modes)) / sd**2
        notes.append(f"people's thresholds are shrunken: their variance is {share:.2f} of the population's")
    interaction = _interaction_p(points, notes) if has_groups else float("nan")
    return Thresholds(
        model="mixed",
        people=people,
        population=pd.DataFrame(population),
        shares=pd.DataFrame(of_shares),
        difference=_differences(groups, points, covariance, free, confidence_level),
        curve=_curve(
            points, frame, covariance, free, confidence_level, [float(of_share["benefit"]) for of_share in of_shares]
        ),
        slope=points.slope,
        interaction_p=interaction,
        confidence_level=confidence_level,
        **describe_decisions(person_decisions),
        notes=tuple(notes),
    )


def _model_notes(model: MixedResponses, seed: int) -> list[str]:
    """Return the model's notes; where one asks for a bootstrap, as of few people, its p of the groups instead."""
    notes = [note for note in model.notes if not note.endswith(NEEDS_BOOTSTRAP)]
    if len(notes) == len(model.notes) or "group" not in model.terms:
        return notes
    test = model.bootstrap_test("group", np.random.default_rng(seed), n_resamples=BOOTSTRAP_DRAWS)
    chi2, df, p = (float(np.asarray(one)) for one in (test.statistic, test.df, test.p))
    text = f"χ²({apa.df(df)}) = {apa.number(chi2)}, {apa.p_value(p)} by {BOOTSTRAP_DRAWS} bootstrap draws"
    return [
        *notes,
        f"with {model.clusters} people the t tests of groups are rough; the likelihood ratio of all: {text}",
    ]


def _compute_interval(
    value: float, gradient: FloatArray, *, covariance: FloatArray, free: float, confidence_level: float
) -> dict[str, float]:
    """Return the standard error of a function of the coefficients, by its gradient, and its interval."""
    se = float(np.sqrt(gradient @ covariance @ gradient))
    ends = t_interval(value, se, free, confidence_level)
    return {"se": se, "low": float(ends.low), "high": float(ends.high)}


def _interaction_p(points: ModelPoints, notes: list[str]) -> float:
    """Return p of the likelihood-ratio test that the groups' slopes differ; NaN, with a note, where there is no fit.

    The larger model is fitted with few nodes. What that changes of its maximum is of second order in the likelihood,
    which is the integral's own for both models.
    """
    rows, law, smaller = points.model.rows, points.model.distribution, points.model.fit
    others = [place for place in range(1, rows.x.shape[1]) if place != points.place]
    x = np.column_stack([rows.x, rows.x[:, [points.place]] * rows.x[:, others]])
    try:
        larger = fit_columns(x, rows.y, rows.parts, law, REFIT_NAGQ)
    except NotEstimable as error:
        notes.append(f"whether slopes differ between groups is not estimable: {error}")
        return float("nan")
    clustered = Clustered.of(x, rows.y, rows.parts[0].codes, law)
    gain = _log_likelihood(clustered, larger) - _log_likelihood(points.model.clustered, smaller)
    return float(special.chdtrc(len(others), max(2 * gain, 0.0)))


def _log_likelihood(rows: Clustered, fit: EngineFit) -> float:
    """Return the log-likelihood at a fit with one random effect, by the integral over it."""
    return rows.log_likelihood(rows.x @ fit.beta, float(np.sqrt(fit.random[0][0, 0])))


def _people_of_model(
    frame: pd.DataFrame, groups: tuple[str, ...], points: ModelPoints
) -> tuple[pd.DataFrame, pd.Series]:
    """Return a row for each person in each group that they decided in, and the modes of all people."""
    effects = points.model.random_effects().set_index("level")
    modes, sds = effects["estimate"] / points.slope, effects["sd"] / points.slope
    each = frame.groupby(["person", "group"])["accepted"].agg(n="size", accepted="sum").reset_index()
    means = {group: points.mean(at)[0] for at, group in enumerate(groups)}
    threshold = each["group"].map(means).to_numpy(dtype=float) - modes.reindex(each["person"]).to_numpy(dtype=float)
    each.insert(2, "threshold", threshold)
    each.insert(3, "sd", sds.reindex(each["person"]).to_numpy(dtype=float))
    return each, modes


def _build_quantiles(
    points: ModelPoints, shares: Sequence[float], level_at: dict[str, float], draws: FloatArray
) -> list[dict[str, Any]]:
    """Return at which benefit each share of people, and of decisions, accepts; `draws` are of people's two effects."""
    rows: list[dict[str, Any]] = []
    empty = dict.fromkeys(["se", "low", "high"], np.nan)
    for at, (group, level) in enumerate(level_at.items()):
        thresholds = points.origin - (level + draws[:, 0]) / (points.slope + draws[:, 1])
        for share in shares:
            benefits = {"people": float(np.quantile(thresholds, share)), "decisions": points.decisions(at, share)[0]}
            rows += [
                {"of": of, "share": share, "group": group, "benefit": benefit, **empty}
                for of, benefit in benefits.items()
            ]
    return rows


def _people_with_slopes(
    frame: pd.DataFrame, points: ModelPoints, modes: pd.DataFrame, level_at: dict[str, float]
) -> pd.DataFrame:
    """Return a row for each person in each group, where slopes differ by person; a threshold needs one that rises."""
    each = frame.groupby(["person", "group"])["accepted"].agg(n="size", accepted="sum").reset_index()
    own = modes.reindex(each["person"]).to_numpy()
    steep = points.slope + own[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        threshold = points.origin - (each["group"].map(level_at).to_numpy(dtype=float) + own[:, 0]) / steep
    each.insert(2, "threshold", np.where(steep > 0, threshold, np.nan))
    each.insert(3, "sd", np.nan)
    return each


def _differences(
    groups: tuple[str, ...], points: ModelPoints, covariance: FloatArray, free: float, confidence_level: float
) -> pd.DataFrame:
    rows = []
    for first, second in combinations(range(len(groups)), 2):
        (a, one), (b, two) = points.mean(first), points.mean(second)
        se = float(np.sqrt((one - two) @ covariance @ (one - two)))
        rows.append((groups[first], groups[second], a - b, se))
    return compare_groups(rows, free, confidence_level)


def _curve(
    points: ModelPoints,
    frame: pd.DataFrame,
    covariance: FloatArray,
    free: float,
    confidence_level: float,
    share_benefits: Sequence[float] = (),
) -> pd.DataFrame:
    """Return the curve averaged over people, its interval on the scale of log odds, and a typical person's."""
    ends = [float(frame["benefit"].min()), float(frame["benefit"].max()), *share_benefits]
    at = np.linspace(min(ends), max(ends), DRAWN)
    parts = []
    for place, group in enumerate(points.groups):
        rows = np.stack([points.row(place, benefit) for benefit in at])
        mean, gradient = means_of_rows(points.model, rows, "population")
        probabilities = np.clip(mean, 1e-12, 1 - 1e-12)
        se = np.sqrt(np.einsum("ij,jk,ik->i", gradient, covariance, gradient)) / (probabilities * (1 - probabilities))
        span = t_interval(special.logit(probabilities), se, free, confidence_level)
        low, high = special.expit(span.low), special.expit(span.high)
        columns = {"group": group, "benefit": at, "probability": mean, "low": low, "high": high}
        columns |= {"typical": means_of_rows(points.model, rows, "typical")[0]}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


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
    size, vectors = np.linalg.eigh(model.fit.random[0])
    root = vectors * np.sqrt(np.maximum(size, 0.0))
    u = np.random.default_rng(seed).standard_normal((QUANTILE_DRAWS, 2)) @ root.T
    rising = points.slope + u[:, 1] > 0
    modes = pd.DataFrame(model.fit.modes[0], index=list(model.rows.parts[0].levels))
    level_at = {group: float(points.rows[at] @ points.beta) for at, group in enumerate(groups)}
    rows = _build_quantiles(points, shares, level_at, u[rising])
    empty = dict.fromkeys(["se", "low", "high", "sd", "sd_se", "sd_low", "sd_high"], np.nan)
    note = (
        "slopes differ by person, so that thresholds are a ratio without a mean: quantiles are of 10,000 draws "
        f"({1 - rising.mean():.1%} of them do not rise with benefit), without intervals"
    )
    covariance = joint_covariance(model)
    return Thresholds(
        model="mixed",
        people=_people_with_slopes(frame, points, modes, level_at),
        population=pd.DataFrame([{"group": group, "mean": np.nan, **empty} for group in groups]),
        shares=pd.DataFrame(rows),
        difference=_differences(groups[:1], points, covariance, 1.0, confidence_level),
        curve=_curve(points, frame, covariance, float(max(model.clusters - len(groups), 1)), confidence_level),
        slope=points.slope,
        interaction_p=float("nan"),
        confidence_level=confidence_level,
        **describe_decisions(person_decisions),
        notes=(*person_decisions.notes, *_model_notes(model, seed), *note_extrapolation(rows, frame), note),
    )
