"""The benefit from which on every offer is accepted: what SP-RAPD offers (haim2017, 6.3).

**The interval.** Suppose there is a sharp threshold T: offers with a benefit of at least T are accepted, others
refused. Then the greatest refused benefit L and the least accepted one U enclose T for certain, however few the data.
To say more one has to say how offers come about. Where they fall evenly around T, the distances from T to its
neighbours on both sides have the same (exponential) distribution, so T lies evenly between L and U, whatever their
distance; the inner 95 % of the bracket holds T in 95 % of studies. On a scale with steps (chips) the distances are
geometric, T is each of the steps above L up to U alike, and whole steps are left off on both sides: with fewer than 40
steps none, and the interval is the whole bracket, which always holds T. If an offer was refused though a lesser one was
accepted, there is no sharp threshold, and no interval is claimed: see the acceptance curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np
import pandas as pd
from narwhals.typing import IntoFrame

from negstats.errors import NotEstimable, UsageError
from negstats.estimate._answers import Answers, answers, human_offers

__all__ = ["Bracket", "Threshold", "acceptance_threshold", "bracket"]


@dataclass(frozen=True, slots=True)
class Bracket:
    """Where a sharp threshold lies: above `refused`, at most at `accepted`, both seen benefits in points.

    `low` and `high` bound it at the confidence `level`; they are missing, with the `reason`, where answers contradict a
    sharp threshold.
    """

    refused: float
    accepted: float
    low: float | None
    high: float | None
    level: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Threshold:
    """The acceptance threshold and its conditions, in points of benefit to the customer.

    Attributes
    ----------
    answered_always : float or None
        Condition 1 alone: the least benefit that was seen such that all offers with at least it were accepted.
    why_not : str or None
        Why condition 1 gives no number.
    as_generous : float or None
        Condition 2 alone: the benefit of the other providers' mean offer; None if they made none.
    bracket : Bracket or None
        Where a sharp threshold lies by condition 1; None with `why_not`.
    n, accepted, games, unanswered : int
        Answered offers, accepted ones, their games, and offers without an answer of their own, which do not count.
    """

    answered_always: float | None
    why_not: str | None
    as_generous: float | None
    bracket: Bracket | None
    n: int
    accepted: int
    games: int
    unanswered: int

    @property
    def estimable(self) -> bool:
        """Whether both conditions give a number."""
        return self.answered_always is not None and self.as_generous is not None

    @property
    def benefit(self) -> float:
        """The least benefit that meets both conditions.

        Raises
        ------
        NotEstimable
            If a condition gives no number; says why.
        """
        if self.answered_always is None:
            raise NotEstimable(f"the acceptance threshold is not estimable: {self.why_not}")
        if self.as_generous is None:
            raise NotEstimable("the acceptance threshold is not estimable: no other provider made an offer")
        return max(self.answered_always, self.as_generous)

    def to_frame(self) -> pd.DataFrame:
        """Return one row with all numbers."""
        found = self.bracket
        return pd.DataFrame(
            {
                "benefit": [self.benefit if self.estimable else np.nan],
                "answered_always": [np.nan if self.answered_always is None else self.answered_always],
                "as_generous": [np.nan if self.as_generous is None else self.as_generous],
                "low": [np.nan if found is None or found.low is None else found.low],
                "high": [np.nan if found is None or found.high is None else found.high],
                "level": [np.nan if found is None else found.level],
                "n": [self.n],
                "accepted": [self.accepted],
                "games": [self.games],
                "unanswered": [self.unanswered],
            }
        )


def acceptance_threshold(
    offers: IntoFrame,
    players: IntoFrame,
    role: str,
    *,
    points_per_unit: float = 5,
    support: int = 3,
    level: float = 0.95,
) -> Threshold:
    """Estimate a provider's acceptance threshold from human-only games.

    The least benefit b to the customer such that (1) every human offer of the provider with a benefit of at least b was
    accepted, and (2) an offer with it is as generous as the mean human offer of the other providers.

    Source: haim2017, 6.3.

    Parameters
    ----------
    offers
        `game_id`, `offer`, `proposer`, `units_to_proposer`, `units_to_responder`, `response`.
    players
        `game_id`, `player`, `role`, `kind`. Games with a seat that is not known to be a human's do not count.
    role
        The provider's, such as ``"provider_y"``. Other roles that begin with ``"provider"`` are its rivals.
    points_per_unit
        What a chip scores.
    support
        How many accepted offers condition 1 must rest on.
    level
        Of the interval in `Threshold.bracket`.

    Raises
    ------
    UsageError
        If nobody of this role made an offer, or a number makes no sense.
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> net = [2, 4, 6, 8, 10, 12, 14, 8]
    >>> offers = pd.DataFrame({"game_id": "g", "offer": range(1, 9), "proposer": ["Y"] * 7 + ["G"],
    ...     "units_to_proposer": 0, "units_to_responder": net, "response": ["rejected"] * 3 + ["accepted"] * 5})
    >>> players = pd.DataFrame({"game_id": "g", "player": ["CS", "G", "Y"],
    ...     "role": ["customer", "provider_g", "provider_y"], "kind": "human"})
    >>> found = acceptance_threshold(offers, players, "provider_y")
    >>> found.benefit, found.answered_always, found.as_generous
    (40.0, 40.0, 40.0)
    >>> found.bracket.refused, found.bracket.low, found.bracket.high
    (30.0, 35.0, 40.0)
    """
    if support < 1 or not 0 < level < 1:
        raise UsageError(f"support is {support} and level {level}; at least 1, and a level between 0 and 1, are needed")
    made = human_offers(offers, players)
    asked = answers(made, role, points_per_unit)
    rivals = made[made["role"].str.startswith("provider").fillna(False) & (made["role"] != role)]["generosity"].dropna()
    found, why_not = None, None
    try:
        found = bracket(asked, step=points_per_unit, support=support, level=level)
    except NotEstimable as error:
        why_not = str(error)
    return Threshold(
        None if found is None else found.accepted,
        why_not,
        float(rivals.mean()) * points_per_unit if len(rivals) else None,
        found,
        len(asked.benefit),
        int(asked.accepted.sum()),
        asked.games,
        asked.unanswered,
    )


def bracket(asked: Answers, *, step: float | None = None, support: int = 1, level: float = 0.95) -> Bracket:
    """Return the benefits between which a sharp threshold lies.

    Parameters
    ----------
    asked
        Offers and answers.
    step
        The scale's step: benefits are multiples of it. None if they may be any number.
    support
        How many offers must have been accepted beyond the greatest refused one.
    level
        Of the interval.

    Raises
    ------
    NotEstimable
        If all offers were accepted, or refused, or there are too few accepted ones beyond the greatest refused one.
    """
    benefit, accepted = asked.benefit, asked.accepted
    if not len(benefit):
        raise NotEstimable("no offer was answered")
    if accepted.all():
        raise NotEstimable(f"all {len(benefit)} offers were accepted, so it is at most {benefit.min():g} points")
    refused = float(benefit[~accepted].max())
    beyond = benefit[benefit > refused]
    if len(beyond) < support:
        raise NotEstimable(
            f"an offer with a benefit of {refused:g} points was refused, and only {len(beyond)} with more were accepted"
            f"; at least {support} are needed"
        )
    least, overlap = float(beyond.min()), int((accepted & (benefit <= refused)).sum())
    if overlap:
        reason = f"{overlap} offers with at most the greatest refused benefit were accepted: no sharp threshold"
        return Bracket(refused, least, None, None, level, reason)
    low, high = _inner(refused, least, step, level)
    return Bracket(refused, least, low, high, level)


def _inner(refused: float, accepted: float, step: float | None, level: float) -> tuple[float, float]:
    outer = (1 - level) / 2
    if step is None:
        cut = outer * (accepted - refused)
        return refused + cut, accepted - cut
    steps = round((accepted - refused) / step)
    # The tolerance is for 1 - level, which is not exact.
    cut = step * floor(steps * outer + 1e-9)
    return refused + step + cut, accepted - cut
