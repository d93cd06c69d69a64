"""How acceptance rises with benefit: a logistic and an isotonic curve, and those of the groups of a study.

Intervals of the logistic curve come from a bootstrap that draws whole people, as the decisions of one person are not
independent. They are bias-corrected and accelerated (BCa, as `negstats.stats.bootstrap_interval`): plain percentiles
end too low where few people fix a steep curve. The acceleration wants the curve without each person; that is one step
of Newton's method from the whole curve, with each person's sums of score and information taken away (Pregibon 1981,
Annals of Statistics 9, 705), so that its cost grows with the decisions, not with their square. The isotonic curve has
no interval: the bootstrap of a monotone fit at a point is not consistent (Sen, Banerjee and Woodroofe 2010, Annals of
Statistics 38).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from narwhals.typing import IntoFrame
from scipy.optimize import isotonic_regression
from scipy.special import expit, logit

from negstats.errors import NotEstimable, UsageError, shown
from negstats.estimate.answers import Answers, decisions
from negstats.estimate.logistic import ROOM, Floats, fit_logistic, influence_of_clusters, refit_resamples
from negstats.estimate.threshold import Threshold, threshold_of
from negstats.metrics import goal_rate
from negstats.stats.resampling.bootstrap import bca_interval
from negstats.stats.results.options import check_count, check_share
from negstats.stats.results.result import check_level

FAILED = 0.05  # share of draws without a curve beyond which no interval is given
DRAWN = 81  # benefits at which the curve is drawn


@dataclass(frozen=True, slots=True)
class AcceptancePoint:
    """The benefit at which a share of offers is accepted.

    `low` and `high` bound it at the confidence `confidence_level`; they are missing where too many draws of the
    bootstrap gave no rising curve. `isotonic` is the least benefit that was seen at which the isotonic curve is that
    high; None if it never is.
    """

    share: float
    benefit: float
    low: float | None
    high: float | None
    confidence_level: float
    isotonic: float | None


@dataclass(frozen=True, slots=True, eq=False)
class AcceptanceCurve:
    """The acceptance curve over the benefit. The log odds of acceptance are ``intercept + slope · benefit``.

    Attributes
    ----------
    intercept, slope : float
        Of the logistic curve.
    points : tuple of AcceptancePoint
        Where it reaches the shares that were asked for.
    isotonic : pandas.DataFrame
        A row a benefit that was seen: `benefit`, `n`, `accepted` and the fitted `share`.
    band : pandas.DataFrame
        The logistic curve at equally spaced benefits: `benefit`, `probability`, and the ends `low` and `high` of its
        interval, missing where there is none.
    n, accepted, games, people, unanswered : int
        Decisions, how many accepted, in how many games and by how many people (games, where these are not known), and
        offers without an answer of their own.
    unit : str
        Of benefits: "points", "share of the pie" or "units".
    elicited : bool
        Whether people said the least that they accept (strategy method): each decides about every possible offer.
    n_draws, failed : int
        Draws of the bootstrap, and how many of them gave no rising curve.
    """

    intercept: float
    slope: float
    points: tuple[AcceptancePoint, ...]
    isotonic: pd.DataFrame = field(repr=False)
    band: pd.DataFrame = field(repr=False)
    n: int
    accepted: int
    games: int
    people: int
    unanswered: int
    unit: str
    elicited: bool
    n_draws: int
    failed: int

    def share_at(self, benefit: float) -> float:
        """Return the share of offers with this benefit that the logistic curve has accepted.

        Parameters
        ----------
        benefit
            What an offer gives the responder, in the units of the data.

        Returns
        -------
        float
            The share, from 0 to 1.
        """
        return float(expit(self.intercept + self.slope * benefit))

    def to_frame(self) -> pd.DataFrame:
        """Return a row a point: `share`, `benefit`, `low`, `high`, `level`, `isotonic`.

        Returns
        -------
        DataFrame
            ``low`` and ``high`` are the ends of the interval of the benefit, ``isotonic`` the benefit of the
            monotone fit.
        """
        columns = {name: name for name in ("share", "benefit", "low", "high", "level", "isotonic")}
        columns["level"] = "confidence_level"
        rows = {column: [getattr(point, name) for point in self.points] for column, name in columns.items()}
        return pd.DataFrame(rows).astype(float)

    @property
    def offers(self) -> pd.DataFrame:
        """What was seen, as `negstats.plots.acceptance_curve` draws it: `benefit`, `n` and the share `accepted`."""
        steps = self.isotonic
        return pd.DataFrame({"benefit": steps["benefit"], "n": steps["n"], "accepted": steps["accepted"] / steps["n"]})

    @property
    def curve(self) -> pd.DataFrame:
        """Both curves, as `negstats.plots.acceptance_curve` draws them; `method` tells them apart."""
        steps = pd.DataFrame({"benefit": self.isotonic["benefit"], "probability": self.isotonic["share"]})
        curves = [self.band.assign(method="logistic"), steps.assign(method="isotonic", low=np.nan, high=np.nan)]
        return pd.concat(curves, ignore_index=True)


def acceptance_curve(
    offers: IntoFrame,
    players: IntoFrame,
    role: str | None = None,
    *,
    rng: np.random.Generator,
    answers: IntoFrame | None = None,
    points_per_unit: float | None = None,
    shares: tuple[float, ...] = (0.5, 0.9),
    n_draws: int = 2000,
    confidence_level: float = 0.95,
) -> AcceptanceCurve:
    """Fit how often the offers of a role are accepted in human-only games, by their benefit to the one who is asked.

    Parameters
    ----------
    offers, players, role
        As for `negstats.estimate.acceptance_threshold`.
    rng
        For the bootstrap.
    answers, points_per_unit
        As for `negstats.estimate.acceptance_threshold`.
    shares
        At which shares of acceptance the benefit is wanted.
    n_draws
        Of the bootstrap; 0 for none.
    confidence_level
        Of the intervals.

    Returns
    -------
    AcceptanceCurve
        The fitted curve, and the benefits at which the wanted shares accept.

    Raises
    ------
    NotEstimable
        If all offers got the same answer, accepted and refused offers share one benefit at the most (acceptance jumps:
        see the threshold), or acceptance does not rise with benefit.
    UsageError
        If nobody of this role made an offer.
    DesignError
        If a share or the confidence level is not between 0 and 1, or `n_draws` not a whole number.
    SchemaError
        If a column is not there.
    """
    role_decisions = decisions(offers, players, role, answers=answers, points_per_unit=points_per_unit)
    return fit_acceptance(
        role_decisions.answers, rng=rng, shares=shares, n_draws=n_draws, confidence_level=confidence_level
    )


def fit_acceptance(
    answers: Answers,
    *,
    rng: np.random.Generator,
    shares: tuple[float, ...] = (0.5, 0.9),
    n_draws: int = 2000,
    confidence_level: float = 0.95,
) -> AcceptanceCurve:
    """Fit the curves to offers and answers; parameters and errors as for `acceptance_curve`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> benefit = rng.integers(-20, 30, 300) * 5.0
    >>> accepted = rng.random(300) < expit((benefit - 40) / 15)
    >>> curve = fit_acceptance(Answers(benefit, accepted, np.arange(300) // 3), rng=rng, n_draws=500)
    >>> [round(point.benefit) for point in curve.points]
    [43, 80]
    """
    for share in shares:
        check_share("shares", share, 0.5)
    check_level(confidence_level)
    check_count("n_draws", n_draws, 0)
    intercept, slope = fit_logistic(answers)
    # People are drawn again; a draw whose curve does not rise says nothing of thresholds.
    coefficient_draws = _sample_coefficients(answers, rng, n_draws)
    is_rising = coefficient_draws[:, 1] > 0
    n_failed = int((~is_rising).sum())
    is_sound = n_draws > 0 and n_failed <= FAILED * n_draws
    # What the interval's acceleration needs; too many failed draws leave no interval.
    influence = influence_of_clusters(answers, intercept, slope) if is_sound else np.zeros((0, 2))
    fit = _LogisticFit(intercept, slope, coefficient_draws[is_rising], influence, confidence_level, is_sound)
    steps = _isotonic(answers)
    band = [
        [benefit, *fit.compute_band(benefit)]
        for benefit in np.linspace(answers.benefit.min(), answers.benefit.max(), DRAWN)
    ]
    return AcceptanceCurve(
        intercept=intercept,
        slope=slope,
        points=tuple(fit.compute_point(share, steps) for share in shares),
        isotonic=steps,
        band=pd.DataFrame(band, columns=["benefit", "probability", "low", "high"]),
        n=len(answers.benefit),
        accepted=int(answers.accepted.sum()),
        games=answers.games,
        people=answers.people,
        unanswered=answers.unanswered,
        unit=answers.unit,
        elicited=answers.elicited,
        n_draws=n_draws,
        failed=n_failed,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _LogisticFit:
    """The logistic curve of all answers, the draws of its coefficients that rise, and how each person moves them."""

    intercept: float
    slope: float
    draws: Floats
    influence: Floats
    confidence_level: float
    sound: bool  # whether enough draws rise for an interval

    def compute_point(self, share: float, steps: pd.DataFrame) -> AcceptancePoint:
        """Return the benefit at which a share accepts, with its interval; `steps` is the isotonic curve."""
        dose = float((logit(share) - self.intercept) / self.slope)
        low, high = None, None
        if self.sound:
            # How the dose moves with the two coefficients: d dose = -(d intercept + dose · d slope) / slope.
            dose_influence = -(self.influence[:, 0] + dose * self.influence[:, 1]) / self.slope
            low, high = _bounds(_dose(share, self.draws), dose, dose_influence, self.confidence_level)
        benefits = steps.loc[steps["share"] >= share, "benefit"]
        isotonic = float(benefits.iloc[0]) if len(benefits) else None
        return AcceptancePoint(share, dose, low, high, self.confidence_level, isotonic)

    def compute_band(self, at: float) -> tuple[float, float, float]:
        """Return the logistic curve at a benefit with its interval, computed on the scale of log odds."""
        odds = self.intercept + self.slope * at
        if not self.sound:
            return float(expit(odds)), np.nan, np.nan
        log_odds = self.draws[:, 0] + self.draws[:, 1] * at
        low, high = _bounds(log_odds, odds, self.influence[:, 0] + self.influence[:, 1] * at, self.confidence_level)
        return (float(expit(odds)), *(np.nan if bound is None else float(expit(bound)) for bound in (low, high)))  # type: ignore[return-value]


def _bounds(
    draws: Floats, estimate: float, influence: Floats, confidence_level: float
) -> tuple[float | None, float | None]:
    try:
        interval = bca_interval(draws, estimate, influence, confidence_level)
    except NotEstimable:  # all draws on one side
        return None, None
    return float(interval.low), float(interval.high)


def _dose(share: float, fits: Floats) -> Floats:
    return np.asarray((logit(share) - fits[:, 0]) / fits[:, 1])


def _sample_coefficients(answers: Answers, rng: np.random.Generator, n_draws: int) -> Floats:
    """Return intercept and slope of each draw of people, a portion of the draws at a time."""
    people = answers.people
    batch_size = max(1, ROOM // max(people, len(np.unique(answers.benefit))))

    def draw_batches() -> Iterator[Floats]:
        for size in np.diff([*range(0, n_draws, batch_size), n_draws]):
            counts = rng.multinomial(people, np.full(people, 1 / people), size=size)
            yield refit_resamples(answers, counts)

    return np.concatenate([np.zeros((0, 2)), *draw_batches()])


def _isotonic(answers: Answers) -> pd.DataFrame:
    benefit_groups = pd.DataFrame({"benefit": answers.benefit, "accepted": answers.accepted.astype(int)}).groupby(
        "benefit"
    )
    steps = benefit_groups["accepted"].agg(n="size", accepted="sum").reset_index()
    share = isotonic_regression(steps["accepted"] / steps["n"], weights=steps["n"]).x
    return steps.assign(share=share)


@dataclass(frozen=True, slots=True, eq=False)
class Acceptance:
    """The acceptance of offers in one group.

    `negstats.plots.acceptance_curve` draws it as it is: it has the attributes `offers`, `curve`, `label`,
    `threshold_at`, `threshold_interval` and `caption`.

    Attributes
    ----------
    group : str or None
        The level of the factor; None for the whole study.
    threshold : Threshold
    fitted : AcceptanceCurve or None
        The curves; None where they cannot be fitted.
    no_curve : str or None
        Why not.
    """

    group: str | None
    threshold: Threshold
    fitted: AcceptanceCurve | None
    no_curve: str | None

    @property
    def offers(self) -> pd.DataFrame:
        """What was seen; NotEstimable, with the reason, where there is no curve."""
        return self._curve.offers

    @property
    def curve(self) -> pd.DataFrame:
        """The fitted curves; NotEstimable, with the reason, where there are none."""
        return self._curve.curve

    @property
    def label(self) -> str:
        """The benefit with its unit."""
        return f"benefit to the one who is asked ({self.threshold.unit})"

    @property
    def threshold_at(self) -> float | None:
        """The acceptance threshold; None where it is not estimable."""
        return self.threshold.benefit if self.threshold.estimable else None

    @property
    def threshold_interval(self) -> tuple[float, float] | None:
        """Its interval, where the threshold is sharp."""
        return self.threshold.interval

    @property
    def caption(self) -> str:
        """Whose decisions these are and how they were made."""
        threshold = self.threshold
        offers_words = "all offers" if threshold.role is None else f"offers by {threshold.role}"
        source_text = (
            "least acceptable amounts (strategy method)" if threshold.elicited else f"answers to {offers_words}"
        )
        group_text = "" if self.group is None else f", {self.group}"
        return f"{source_text}{group_text}; {threshold.people} people, {threshold.n} decisions"

    @property
    def _curve(self) -> AcceptanceCurve:
        if self.fitted is None:
            raise NotEstimable(self.no_curve or "there is no curve")
        return self.fitted

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON.

        Returns
        -------
        dict[str, object]
            Numbers are not rounded.
        """
        threshold = self.threshold
        sharp = None if threshold.bracket is None else threshold.bracket.reason
        threshold_record = {
            **threshold.to_frame().to_dict("records")[0],
            "elicited": threshold.elicited,
            "reason": threshold.why_not or sharp,
        }
        curve = None if self.fitted is None else self.fitted.to_frame().to_dict("records")
        return {"group": self.group, "threshold": threshold_record, "curve": curve, "no_curve": self.no_curve}


def acceptance(
    tables: Mapping[str, pd.DataFrame],
    by: str | None = None,
    *,
    seed: int,
    role: str | None = None,
    points_per_unit: float | None = None,
    support: int = 3,
    n_draws: int = 2000,
    confidence_level: float = 0.95,
) -> list[Acceptance]:
    """Estimate the acceptance threshold and curve of a study, separately for each level of a factor.

    Parameters
    ----------
    tables
        The tables of a study by name: ``games``, ``offers``, ``players`` and ``answers`` (least acceptable amounts).
    by
        A factor of the games; None for the whole study.
    seed
        Each group has a generator of its own from it, so that a group's intervals do not depend on the others.
    role, points_per_unit, support
        As for `negstats.estimate.acceptance_threshold`.
    n_draws
        Of the bootstrap of the curve; 0 for none.
    confidence_level
        As for `negstats.estimate.acceptance_threshold`.

    Returns
    -------
    list[Acceptance]
        One estimate a group; one for the whole study where `by` is None.

    Raises
    ------
    UsageError, SchemaError
        As `negstats.estimate.acceptance_threshold`; and if the factor is none.

    Examples
    --------
    >>> from negstats.games.contract import study_game
    >>> from negstats.simulate.contract import as_study, games_of
    >>> study = as_study(games_of("HvsH", "USA", 30, 1))
    >>> (result,) = acceptance(study.tables, seed=1, n_draws=0)
    >>> result.threshold.role, result.threshold.unit
    ('provider_y', 'points')
    """
    estimates = []
    for group, group_tables in parts_of(tables, by):
        role_decisions = decisions(
            group_tables["offers"],
            group_tables["players"],
            role,
            answers=group_tables.get("answers"),
            points_per_unit=points_per_unit,
        )
        threshold = threshold_of(role_decisions, support=support, confidence_level=confidence_level)
        rng, curve, no_curve = np.random.default_rng(seed), None, None
        try:
            curve = fit_acceptance(role_decisions.answers, rng=rng, n_draws=n_draws, confidence_level=confidence_level)
        except NotEstimable as error:
            no_curve = str(error)
        estimates.append(Acceptance(group, threshold, curve, no_curve))
    return estimates


def goals(tables: Mapping[str, pd.DataFrame], by: str | None = None) -> pd.DataFrame:
    """Return pr: the share of customers of human-only games who reached a goal; no row where the study has no goals."""
    players = tables["players"]
    if not (players["role"].eq("customer") & players["reached_goal"].notna()).any():
        return pd.DataFrame(columns=["n", "count", "missing", "rate", "low", "high", "level"])
    factors = [] if by is None else [by]
    return goal_rate(players, tables["games"], factors, role="customer", humans_only=True)


def parts_of(tables: Mapping[str, pd.DataFrame], by: str | None) -> list[tuple[str | None, dict[str, pd.DataFrame]]]:
    """Return the tables of each level of a factor of the games; of the whole study without one."""
    all_tables = {name: tables[name] for name in ("offers", "players", "answers") if name in tables}
    if by is None:
        return [(None, all_tables)]
    games = tables["games"]
    if by not in games.columns:
        raise UsageError(f"by names {shown(by)}, which is not a factor; games has {', '.join(map(str, games.columns))}")
    tables_by_level: list[tuple[str | None, dict[str, pd.DataFrame]]] = []
    for level, rows in games.groupby(by):
        ids = rows["game_id"]
        tables_by_level.append(
            (str(level), {name: frame[frame["game_id"].isin(ids)] for name, frame in all_tables.items()})
        )
    return tables_by_level
