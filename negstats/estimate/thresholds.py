"""Acceptance thresholds by person and their distribution: what people accept, and what decisions.

The model is logit P(person i accepts benefit b) = β₀ + γ′c + βb + u_i with u ~ N(0, σ²). Person i accepts with
probability ½ at T_i = −(β₀ + γ′c + u_i)/β, and in the population T ~ N(μ_T, σ_T²) with μ_T = −(β₀ + γ′c)/β and
σ_T = σ/β. Two questions have two answers: the benefit that a share q **of people** accepts (with p ≥ ½) is
μ_T + z_q σ_T; the benefit at which a share q **of decisions** is acceptance is where the curve averaged over people
reaches q.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from scipy import optimize, special

from negstats.errors import NotEstimable, UsageError, shown
from negstats.estimate._answers import Answers
from negstats.estimate._people import AnswersOf, PersonDecisions, read_decisions
from negstats.estimate.acceptance import fit_acceptance
from negstats.stats import mixed
from negstats.stats.models.responses.engine import MISSING_ENGINE, fit_columns, has_engine
from negstats.stats.models.responses.intervals import REFIT_NAGQ
from negstats.stats.models.responses.population import joint_covariance, means_of_rows
from negstats.stats.models.responses.result import MixedResponses
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import t_interval

__all__ = ["ThresholdModel", "Thresholds", "fit_thresholds", "thresholds"]

ThresholdModel: TypeAlias = Literal["auto", "mixed", "pooled"]
FEWEST_PEOPLE, FEWEST_BOTH = 3, 2
DRAWN = 81
QUANTILE_DRAWS = 10_000
NOT_RISING = "acceptance does not rise with benefit in these offers"


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """Thresholds of people, and of the population.

    Attributes
    ----------
    model : str
        "mixed", "pooled" (one curve for all, which knows no person), or "censored" (least acceptable amounts).
    people : pandas.DataFrame
        A row a person: ``person``, ``group``, ``threshold`` (shrunken to the mean), ``sd`` (given the fit), ``n``,
        ``accepted``. Their spread is less than the population's: see `population`.
    population : pandas.DataFrame
        A row a group: ``group``, ``mean`` with ``se``, ``low``, ``high``, and ``sd`` with ``sd_low``, ``sd_high``.
    shares : pandas.DataFrame
        A row an answer: ``of`` ("people", "decisions"), ``share``, ``group``, ``benefit``, ``se``, ``low``, ``high``.
    difference : pandas.DataFrame
        A row a pair of groups: ``first``, ``second``, ``difference`` of mean thresholds, ``se``, ``low``, ``high``,
        ``statistic``, ``df``, ``p``, ``p_adjusted`` (Holm).
    curve : pandas.DataFrame
        ``group``, ``benefit``, ``probability`` averaged over people with ``low``, ``high``, a ``typical`` person's.
    slope : float
        By how much the log odds of acceptance rise with one unit of benefit; NaN of least acceptable amounts.
    n, accepted, persons, unanswered : int
    unit : str
        Of benefits.
    interaction_p : float
        Of the likelihood-ratio test that slopes of the groups differ; NaN with one group.
    confidence_level : float
        Of all intervals.
    caption : str
    notes : tuple of str
    """

    model: str
    people: pd.DataFrame
    population: pd.DataFrame
    shares: pd.DataFrame
    difference: pd.DataFrame
    curve: pd.DataFrame = field(repr=False)
    slope: float
    n: int
    accepted: int
    persons: int
    unanswered: int
    unit: str
    interaction_p: float
    confidence_level: float
    caption: str
    notes: tuple[str, ...]

    def benefit(self, of: str, share: float, group: str | None = None) -> pd.Series:
        """Return the row of `shares` for a share of "people" or of "decisions".

        Raises
        ------
        UsageError
            If it was not asked for.
        """
        rows = self.shares[(self.shares["of"] == of) & np.isclose(self.shares["share"], share)]
        if group is not None:
            rows = rows[rows["group"] == group]
        if len(rows) != 1:
            raise UsageError(f"there are {len(rows)} rows of {share:g} of {shown(of)} in {shown(group)}; see shares")
        return rows.iloc[0]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a number of the population: ``quantity``, ``group``, ``estimate``, ``low``, ``high``."""
        rows = []
        for one in self.population.to_dict("records"):
            rows.append(("mean threshold", one["group"], one["mean"], one["low"], one["high"]))
            rows.append(("SD of thresholds", one["group"], one["sd"], one["sd_low"], one["sd_high"]))
        rows += [
            (f"{one['share']:.0%} of {one['of']}", one["group"], one["benefit"], one["low"], one["high"])
            for one in self.shares.to_dict("records")
        ]
        frame = pd.DataFrame(rows, columns=["quantity", "group", "estimate", "low", "high"])
        frame.attrs["schema"] = "Thresholds/1"
        return frame

    def apa(self) -> str:
        """Return mean and SD of thresholds of each group, the benefits of 90 %, and the differences of groups."""
        parts = []
        for one in self.population.to_dict("records"):
            lead = f"{one['group']}: " if len(self.population) > 1 else ""
            ends = f"{100 * self.confidence_level:g}% CI [{apa.number(one['low'])}, {apa.number(one['high'])}]"
            parts.append(f"{lead}M = {apa.number(one['mean'])}, {ends}, SD = {apa.number(one['sd'])}")
        for two in self.difference.to_dict("records"):
            test = apa.statistic("t", two["statistic"], (two["df"],), two["p_adjusted"])
            parts.append(f"{two['first']} − {two['second']}: {apa.number(two['difference'])}, {test}")
        return f"{'; '.join(parts)} ({self.unit}; {self.persons} people, {self.n} decisions)"


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
        Of intervals, and of draws (the pooled curve's bootstrap, quantiles with slopes by person).

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
    >>> found = thresholds(datasets.robot().tables)
    >>> found.apa()
    'M = 0.84, 95% CI [0.80, 0.88], SD = 0.08 (points; 66 people, 1569 decisions)'
    >>> found.shares.query("share == .9")[["of", "benefit"]].round(3).to_dict("records")
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
        raise UsageError(f"model is {shown(model)} and slope {shown(slope)}; auto, mixed or pooled, common or person")
    if not all(0 < share < 1 for share in (*shares, confidence_level)):
        raise UsageError(f"shares are {shown(tuple(shares))}; shares and a confidence level between 0 and 1 would do")
    if read.elicited is not None:
        from negstats.estimate._censored import fit_censored

        return fit_censored(read, shares, confidence_level)
    reason = _why_pooled(read.frame)
    if model == "mixed" or (model == "auto" and not reason):
        if reason == f"mixed {MISSING_ENGINE}":
            raise NotEstimable(reason)
        try:
            if slope == "person":
                return _fit_slopes(read, shares, confidence_level, seed)
            return _fit_mixed(read, shares, confidence_level)
        except NotEstimable as error:
            if model == "mixed" or NOT_RISING in str(error):
                raise
            reason = str(error)
    notes = (f"one curve for all people: {reason}",) if model == "auto" else ()
    return _fit_pooled(read, shares, confidence_level, seed, notes)


def _why_pooled(frame: pd.DataFrame) -> str:
    """Return why people's decisions give no model of people; nothing if they do."""
    each = frame.groupby("person")["accepted"].agg(["size", "sum"])
    n_repeated = int((each["size"] >= 2).sum())
    both = int(((each["sum"] > 0) & (each["sum"] < each["size"])).sum())
    if n_repeated < FEWEST_PEOPLE:
        return f"{n_repeated} people made two decisions or more; thresholds by person need at least {FEWEST_PEOPLE}"
    if both < FEWEST_BOTH:
        return f"{both} people both accepted and refused; thresholds by person need at least {FEWEST_BOTH}"
    return "" if has_engine() else f"mixed {MISSING_ENGINE}"


# --- the mixed model -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
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
        (mean, first), (sd, second) = self.mean(group), self.spread()
        return mean + z * sd, first + z * second

    def row(self, group: int, benefit: float) -> FloatArray:
        """Return the columns of a group at a benefit."""
        row: FloatArray = self.rows[group].copy()
        row[self.place] = benefit - self.origin
        return row

    def decisions(self, group: int, share: float) -> tuple[float, FloatArray]:
        """Return the benefit at which a share of decisions is acceptance: dB = −(dP/dθ)/(dP/dB)."""
        centre, sd = self.mean(group)[0], np.hypot(self.sigma, 2.0) / self.slope

        def lack(benefit: float) -> float:
            return float(means_of_rows(self.model, self.row(group, benefit)[None], "population")[0][0]) - share

        reach = 2.0
        while lack(centre - reach * sd) > 0 or lack(centre + reach * sd) < 0:
            reach *= 2
        root = float(optimize.brentq(lack, centre - reach * sd, centre + reach * sd, xtol=1e-11 * sd, rtol=1e-13))
        _, gradient = means_of_rows(self.model, self.row(group, root)[None], "population")
        # The intercept's column is 1: its entry is dP/dη, and η rises by the slope with the benefit.
        return root, -gradient[0] / (gradient[0, 0] * self.slope)


def _fit_mixed(person_decisions: PersonDecisions, shares: Sequence[float], confidence_level: float) -> Thresholds:
    frame = person_decisions.frame
    groups = tuple(sorted(frame["group"].unique()))
    has_groups = len(groups) > 1
    model = mixed(frame, f"accepted ~ benefit{' + group' if has_groups else ''} + (1 | person)", family="binomial")
    points = _points_of(model, groups)
    if not points.slope > 0:
        raise NotEstimable(NOT_RISING)
    covariance = joint_covariance(model)
    free = float(max(model.clusters - len(groups), 1))

    def bounded(value: float, gradient: FloatArray) -> dict[str, float]:
        se = float(np.sqrt(gradient @ covariance @ gradient))
        low, high = (float(end) for end in t_interval(value, se, free, confidence_level, "two-sided"))
        return {"se": se, "low": low, "high": high}

    sd, slope_of_sd = points.spread()
    log_sd = bounded(float(np.log(sd)), slope_of_sd / sd) if sd > 0 else {"se": np.nan, "low": -np.inf, "high": np.nan}
    ends = {"sd": sd, "sd_se": log_sd["se"] * sd, "sd_low": np.exp(log_sd["low"]), "sd_high": np.exp(log_sd["high"])}
    population = [
        {"group": group, "mean": points.mean(at)[0], **bounded(*points.mean(at)), **ends}
        for at, group in enumerate(groups)
    ]
    of_shares = [
        {"of": of, "share": share, "group": group, "benefit": estimates[0], **bounded(*estimates)}
        for at, group in enumerate(groups)
        for of, question in (("people", points.people), ("decisions", points.decisions))
        for share in shares
        for estimates in (question(at, share),)
    ]
    notes = [*person_decisions.notes, *model.notes, *_beyond(of_shares, frame)]
    effects = model.random_effects().set_index("level")
    modes = effects["estimate"] / points.slope
    people = _people_frame(frame, groups, points, modes, effects["sd"] / points.slope)
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
        curve=_curve(points, frame, covariance, free, confidence_level, [one["benefit"] for one in of_shares]),
        slope=points.slope,
        n=len(frame),
        accepted=int(frame["accepted"].sum()),
        persons=int(frame["person"].nunique()),
        unanswered=person_decisions.unanswered,
        unit=person_decisions.unit,
        interaction_p=interaction,
        confidence_level=confidence_level,
        caption=person_decisions.caption,
        notes=tuple(notes),
    )


def _beyond(rows: Sequence[Mapping[str, Any]], frame: pd.DataFrame) -> list[str]:
    """Return a note where benefits lie outside those that people decided about."""
    low, high = float(frame["benefit"].min()), float(frame["benefit"].max())
    values = [float(row["benefit"]) for row in rows]
    n_outside = sum(not low <= value <= high for value in values if np.isfinite(value))
    if not n_outside:
        return []
    return [
        f"{n_outside} of the {len(values)} benefits at which shares accept lie outside the offers that were answered "
        f"({low:.4g} to {high:.4g}): they are extrapolated"
    ]


def _interaction_p(points: _Points, notes: list[str]) -> float:
    """Return p of the likelihood-ratio test that the groups' slopes differ; NaN, with a note, where there is no fit."""
    rows, law = points.model.rows, points.model.distribution
    others = [place for place in range(1, rows.x.shape[1]) if place != points.place]
    larger = np.column_stack([rows.x, rows.x[:, [points.place]] * rows.x[:, others]])
    try:
        fits = [fit_columns(x, rows.y, rows.parts, law, REFIT_NAGQ).log_likelihood for x in (rows.x, larger)]
    except NotEstimable as error:
        notes.append(f"whether slopes differ between groups is not estimable: {error}")
        return float("nan")
    return float(special.chdtrc(len(others), max(2 * (fits[1] - fits[0]), 0.0)))


def _points_of(model: MixedResponses, groups: tuple[str, ...]) -> _Points:
    coding = model.rows.coding
    codes = {"benefit": np.zeros(len(groups))}
    if "group" in coding.levels:
        codes["group"] = np.array([coding.levels["group"].levels.index(group) for group in groups], dtype=float)
    return _Points(model, coding.matrix(codes), coding.parts.index((("benefit", 0),)), groups)


def _people_frame(
    frame: pd.DataFrame, groups: tuple[str, ...], points: _Points, modes: pd.Series, sds: pd.Series
) -> pd.DataFrame:
    """Return a row for each person in each group that they decided in."""
    each = frame.groupby(["person", "group"])["accepted"].agg(n="size", accepted="sum").reset_index()
    means = {group: points.mean(at)[0] for at, group in enumerate(groups)}
    threshold = each["group"].map(means).to_numpy(dtype=float) - modes.reindex(each["person"]).to_numpy(dtype=float)
    each.insert(2, "threshold", threshold)
    each.insert(3, "sd", sds.reindex(each["person"]).to_numpy(dtype=float))
    return each


def _differences(
    groups: tuple[str, ...], points: _Points, covariance: FloatArray, free: float, confidence_level: float
) -> pd.DataFrame:
    rows = []
    for first, second in combinations(range(len(groups)), 2):
        (a, one), (b, two) = points.mean(first), points.mean(second)
        se = float(np.sqrt((one - two) @ covariance @ (one - two)))
        low, high = (float(end) for end in t_interval(a - b, se, free, confidence_level, "two-sided"))
        t = (a - b) / se
        rows.append((groups[first], groups[second], a - b, se, low, high, t, free, 2 * special.stdtr(free, -abs(t))))
    names = ["first", "second", "difference", "se", "low", "high", "statistic", "df", "p"]
    table = pd.DataFrame(rows, columns=names)
    from negstats.stats import adjust

    table["p_adjusted"] = adjust(table["p"].to_numpy(), "holm").p_adjusted if len(table) else []
    return table


def _curve(
    points: _Points,
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
        low, high = t_interval(special.logit(probabilities), se, free, confidence_level, "two-sided")
        columns = {"group": group, "benefit": at, "probability": mean, "low": special.expit(low),
                   "high": special.expit(high), "typical": means_of_rows(points.model, rows, "typical")[0]}  # fmt: skip
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


# --- slopes by person, and one curve ---------------------------------------------------------------------------------


def _fit_slopes(
    person_decisions: PersonDecisions, shares: Sequence[float], confidence_level: float, seed: int
) -> Thresholds:
    """Slopes by person: T = −(β₀ + u₀)/(β + u₁), a ratio without moments; quantiles of draws, and no mean."""
    frame = person_decisions.frame
    groups = tuple(sorted(frame["group"].unique()))
    term = " + group" if len(groups) > 1 else ""
    model = mixed(frame, f"accepted ~ benefit{term} + (1 + benefit | person)", family="binomial")
    points = _points_of(model, groups)
    if not points.slope > 0:
        raise NotEstimable(NOT_RISING)
    size, vectors = np.linalg.eigh(model.fit.random[0])
    root = vectors * np.sqrt(np.maximum(size, 0.0))
    u = np.random.default_rng(seed).standard_normal((QUANTILE_DRAWS, 2)) @ root.T
    rising = points.slope + u[:, 1] > 0
    modes = pd.DataFrame(model.fit.modes[0], index=list(model.rows.parts[0].levels))
    each = frame.groupby(["person", "group"])["accepted"].agg(n="size", accepted="sum").reset_index()
    level_at = {group: float(points.rows[at] @ points.beta) for at, group in enumerate(groups)}
    own = modes.reindex(each["person"]).to_numpy()
    steep = points.slope + own[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        threshold = points.origin - (each["group"].map(level_at).to_numpy(dtype=float) + own[:, 0]) / steep
    each.insert(2, "threshold", np.where(steep > 0, threshold, np.nan))
    each.insert(3, "sd", np.nan)
    rows = []
    for at, group in enumerate(groups):
        draws = points.origin - (level_at[group] + u[rising, 0]) / (points.slope + u[rising, 1])
        for share in shares:
            rows.append({"of": "people", "share": share, "group": group, "benefit": float(np.quantile(draws, share)),
                         "se": np.nan, "low": np.nan, "high": np.nan})  # fmt: skip
            benefit, _ = points.decisions(at, share)
            rows.append({"of": "decisions", "share": share, "group": group, "benefit": benefit, "se": np.nan,
                         "low": np.nan, "high": np.nan})  # fmt: skip
    empty = dict.fromkeys(["se", "low", "high", "sd", "sd_se", "sd_low", "sd_high"], np.nan)
    note = (
        "slopes differ by person, so that thresholds are a ratio without a mean: quantiles are of 10,000 draws "
        f"({1 - rising.mean():.1%} of them do not rise with benefit), without intervals"
    )
    covariance = joint_covariance(model)
    return Thresholds(
        model="mixed",
        people=each,
        population=pd.DataFrame([{"group": group, "mean": np.nan, **empty} for group in groups]),
        shares=pd.DataFrame(rows),
        difference=_differences(groups[:1], points, covariance, 1.0, confidence_level),
        curve=_curve(points, frame, covariance, float(max(model.clusters - len(groups), 1)), confidence_level),
        slope=points.slope,
        n=len(frame),
        accepted=int(frame["accepted"].sum()),
        persons=int(frame["person"].nunique()),
        unanswered=person_decisions.unanswered,
        unit=person_decisions.unit,
        interaction_p=float("nan"),
        confidence_level=confidence_level,
        caption=person_decisions.caption,
        notes=(*person_decisions.notes, *model.notes, *_beyond(rows, frame), note),
    )


def _fit_pooled(
    person_decisions: PersonDecisions,
    shares: Sequence[float],
    confidence_level: float,
    seed: int,
    notes: tuple[str, ...],
) -> Thresholds:
    """Fit one logistic curve a group: what decisions are like, and nothing of people."""
    population, rows, curves = [], [], []
    slopes = []
    for group, part in person_decisions.frame.groupby("group"):
        group_answers = Answers(
            part["benefit"].to_numpy(), part["accepted"].to_numpy(), pd.factorize(part["person"])[0].astype(np.int64),
            unit=person_decisions.unit,
        )  # fmt: skip
        curve = fit_acceptance(
            group_answers, rng=np.random.default_rng(seed), shares=(0.5, *shares), confidence_level=confidence_level
        )
        slopes.append(curve.slope)
        half, *others = curve.points
        population.append({"group": str(group), "mean": half.benefit, "se": np.nan, "low": _nan(half.low),
                           "high": _nan(half.high), "sd": np.nan, "sd_se": np.nan, "sd_low": np.nan,
                           "sd_high": np.nan})  # fmt: skip
        rows += [{"of": "decisions", "share": one.share, "group": str(group), "benefit": one.benefit, "se": np.nan,
                  "low": _nan(one.low), "high": _nan(one.high)} for one in others]  # fmt: skip
        curves.append(curve.band.assign(group=str(group), typical=np.nan))
    empty = pd.DataFrame(columns=["person", "group", "threshold", "sd", "n", "accepted"])
    names = ["first", "second", "difference", "se", "low", "high", "statistic", "df", "p", "p_adjusted"]
    return Thresholds(
        model="pooled",
        people=empty,
        population=pd.DataFrame(population),
        shares=pd.DataFrame(rows),
        difference=pd.DataFrame(columns=names),
        curve=pd.concat(curves, ignore_index=True),
        slope=slopes[0] if len(slopes) == 1 else float("nan"),
        n=len(person_decisions.frame),
        accepted=int(person_decisions.frame["accepted"].sum()),
        persons=int(person_decisions.frame["person"].nunique()),
        unanswered=person_decisions.unanswered,
        unit=person_decisions.unit,
        interaction_p=float("nan"),
        confidence_level=confidence_level,
        caption=person_decisions.caption,
        notes=(*person_decisions.notes, *notes, *_beyond(rows, person_decisions.frame)),
    )


def _nan(value: float | None) -> float:
    return float("nan") if value is None else value
