"""Acceptance in a study, group by group: the threshold and the curve of each, ready to print and to draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from negstats.errors import NotEstimable, UsageError, shown
from negstats.estimate.acceptance import AcceptanceCurve, fit_acceptance
from negstats.estimate.answers import decisions
from negstats.estimate.threshold import Threshold, threshold_of
from negstats.metrics import goal_rate


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
        how = "least acceptable amounts (strategy method)" if threshold.elicited else f"answers to {offers_words}"
        where = "" if self.group is None else f", {self.group}"
        return f"{how}{where}; {threshold.people} people, {threshold.n} decisions"

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
    return [
        _one(group, part, seed, role, points_per_unit, support, n_draws, confidence_level)
        for group, part in parts_of(tables, by)
    ]


def _one(
    group: str | None,
    part: Mapping[str, pd.DataFrame],
    seed: int,
    role: str | None,
    points_per_unit: float | None,
    support: int,
    n_draws: int,
    confidence_level: float,
) -> Acceptance:
    role_decisions = decisions(
        part["offers"], part["players"], role, answers=part.get("answers"), points_per_unit=points_per_unit
    )
    threshold = threshold_of(role_decisions, support=support, confidence_level=confidence_level)
    try:
        curve = fit_acceptance(
            role_decisions.answers, rng=np.random.default_rng(seed), n_draws=n_draws, confidence_level=confidence_level
        )
    except NotEstimable as error:
        return Acceptance(group, threshold, None, str(error))
    return Acceptance(group, threshold, curve, None)


def goals(tables: Mapping[str, pd.DataFrame], by: str | None = None) -> pd.DataFrame:
    """Return pr: the share of customers of human-only games who reached a goal; no row where the study has no goals."""
    players = tables["players"]
    if not (players["role"].eq("customer") & players["reached_goal"].notna()).any():
        return pd.DataFrame(columns=["n", "count", "missing", "rate", "low", "high", "level"])
    factors = [] if by is None else [by]
    return goal_rate(players, tables["games"], factors, role="customer", humans_only=True)


def parts_of(tables: Mapping[str, pd.DataFrame], by: str | None) -> list[tuple[str | None, dict[str, pd.DataFrame]]]:
    """Return the tables of each level of a factor of the games; of the whole study without one."""
    whole = {name: tables[name] for name in ("offers", "players", "answers") if name in tables}
    if by is None:
        return [(None, whole)]
    games = tables["games"]
    if by not in games.columns:
        raise UsageError(f"by names {shown(by)}, which is not a factor; games has {', '.join(map(str, games.columns))}")
    parts: list[tuple[str | None, dict[str, pd.DataFrame]]] = []
    for level, rows in games.groupby(by):
        ids = rows["game_id"]
        parts.append((str(level), {name: frame[frame["game_id"].isin(ids)] for name, frame in whole.items()}))
    return parts
