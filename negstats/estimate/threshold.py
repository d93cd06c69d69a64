"""The benefit from which on every offer is accepted: what SP-RAPD offers (haim2017, 6.3).

**The interval.** Suppose there is a sharp threshold T: offers with a benefit of at least T are accepted, others
refused. Then the greatest refused benefit L and the least accepted one U enclose T for certain, however few the data.
To say more one has to say how offers come about. Where they fall evenly around T, the distances from T to its
neighbours on both sides have the same (exponential) distribution, so T lies evenly between L and U, whatever their
distance; the inner 95 % of the bracket holds T in 95 % of studies. On a scale with steps (chips) the distances are
geometric, T is each of the steps above L up to U alike, and whole steps are left off on both sides: with fewer than 40
steps none, and the interval is the whole bracket, which always holds T; so it is where it is not known whether there
are steps. If an offer was refused though a lesser one was
accepted, there is no sharp threshold, and no interval is claimed: see the acceptance curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np
import pandas as pd
from narwhals.typing import IntoFrame

from negstats.errors import NotEstimable
from negstats.estimate.answers import Answers, Decisions, Step, decisions
from negstats.stats.results.options import check_count
from negstats.stats.results.result import check_level


@dataclass(frozen=True, slots=True)
class Bracket:
    """Where a sharp threshold lies: above `refused`, at most at `accepted`, both benefits that were seen.

    `low` and `high` bound it at the confidence `confidence_level`; they are missing, with the `reason`, where answers
    contradict a sharp threshold.
    """

    refused: float
    accepted: float
    low: float | None
    high: float | None
    confidence_level: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Threshold:
    """The acceptance threshold and its conditions, in benefit to the one who is asked.

    Attributes
    ----------
    answered_always : float or None
        Condition 1 alone: the least benefit that was seen such that all offers with at least it were accepted.
    why_not : str or None
        Why condition 1 gives no number.
    as_generous : float or None
        Condition 2 alone: the benefit of the rivals' mean offer; None if they made none.
    rivals : bool
        Whether the study has rivals; without them condition 2 does not apply and the threshold is that of condition 1.
    bracket : Bracket or None
        Where a sharp threshold lies by condition 1; None with `why_not`.
    role : str or None
        Whose offers; None for all.
    n, accepted, games, people, unanswered : int
        Decisions, accepted ones, their games, who decided (games, where people are not known), and offers without an
        answer of their own, which do not count.
    unit : str
        Of benefits: "points", "share of the pie" or "units".
    elicited : bool
        Whether people said the least that they accept (strategy method): each decides about every possible offer.
    """

    answered_always: float | None
    why_not: str | None
    as_generous: float | None
    rivals: bool
    bracket: Bracket | None
    role: str | None
    n: int
    accepted: int
    games: int
    people: int
    unanswered: int
    unit: str
    elicited: bool

    @property
    def estimable(self) -> bool:
        """Whether all conditions that apply give a number."""
        return self.answered_always is not None and (self.as_generous is not None or not self.rivals)

    @property
    def benefit(self) -> float:
        """The least benefit that meets all conditions that apply.

        Raises
        ------
        NotEstimable
            If a condition gives no number; says why.
        """
        if self.answered_always is None:
            raise NotEstimable(f"the acceptance threshold is not estimable: {self.why_not}")
        if not self.rivals:
            return self.answered_always
        if self.as_generous is None:
            raise NotEstimable("the acceptance threshold is not estimable: no other provider made an offer")
        return max(self.answered_always, self.as_generous)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends of the bracket's interval; None where no sharp threshold is claimed or condition 2 decides."""
        limits = self.bracket
        if limits is None or limits.low is None or limits.high is None or not self.estimable:
            return None
        return (limits.low, limits.high) if self.benefit == self.answered_always else None

    def to_frame(self) -> pd.DataFrame:
        """Return one row with all numbers.

        Returns
        -------
        DataFrame
            Numbers are not rounded.
        """
        limits = self.bracket
        numbers = {
            "benefit": self.benefit if self.estimable else None,
            "answered_always": self.answered_always,
            "as_generous": self.as_generous,
            "low": None if limits is None else limits.low,
            "high": None if limits is None else limits.high,
            "level": None if limits is None else limits.confidence_level,
        }
        counts = {name: getattr(self, name) for name in ("n", "accepted", "games", "people", "unanswered", "unit")}
        return pd.DataFrame([{**counts, **numbers}]).astype(dict.fromkeys(numbers, "float64"))[[*numbers, *counts]]


def acceptance_threshold(
    offers: IntoFrame,
    players: IntoFrame,
    role: str | None = None,
    *,
    answers: IntoFrame | None = None,
    points_per_unit: float | None = None,
    support: int = 3,
    confidence_level: float = 0.95,
) -> Threshold:
    """Estimate the benefit from which on all offers of a role are accepted in human-only games.

    The least benefit b to the one who is asked such that (1) every human offer of the role with a benefit of at least b
    was accepted, and (2), where others compete with the role, it is as generous as their mean human offer.

    Benefits are the study's own: value to the responder less its BATNA (0 where it is not known), in points; where
    values are not known the share of the pie, and where there is no pie the units won.

    As in Haim et al. (2017, section 6.3).

    Parameters
    ----------
    offers
        `game_id`, `offer`, `proposer`, `response`; `responder`; `value_responder`, or `units_to_proposer` and
        `units_to_responder`.
    players
        `game_id`, `player`, `role`, `kind`; `participant_id` and `batna` where they are known. Offers in games with a
        seat that is not known to be a human's do not count.
    role
        Whose offers, such as ``"provider_y"``. Other roles that begin with ``"provider"`` are its rivals. None: that
        paper's ``"provider_y"`` where there is one, otherwise the one role that made offers.
    answers
        `participant_id`, `game_id`, `question`, `answer`. Where the question ``least_acceptable`` was asked (strategy
        method: the least amount, in units, that a person accepts), each person decides about every possible offer and
        these decisions count.
    points_per_unit
        What a unit scores where units change hands (5 a chip in that paper); None takes the study's own values.
    support
        How many accepted offers condition 1 must rest on.
    confidence_level
        Of the interval in `Threshold.bracket`.

    Returns
    -------
    Threshold
        The threshold, in benefit to the one who is asked, and each of its conditions.

    Raises
    ------
    UsageError
        If nobody of this role made an offer, or several roles did and none is named.
    DesignError
        If `support` is not a whole number of at least 1, or `confidence_level` not between 0 and 1.
    SchemaError
        If a column is not there.

    References
    ----------
    Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
    Artificial Intelligence, 246, 34–52.

    Examples
    --------
    >>> import pandas as pd
    >>> net = [2, 4, 6, 8, 10, 12, 14, 8]
    >>> offers = pd.DataFrame({"game_id": "g", "offer": range(1, 9), "proposer": ["Y"] * 7 + ["G"],
    ...     "units_to_proposer": 0, "units_to_responder": net, "response": ["rejected"] * 3 + ["accepted"] * 5})
    >>> players = pd.DataFrame({"game_id": "g", "player": ["CS", "G", "Y"],
    ...     "role": ["customer", "provider_g", "provider_y"], "kind": "human"})
    >>> result = acceptance_threshold(offers, players, "provider_y", points_per_unit=5)
    >>> result.benefit, result.answered_always, result.as_generous
    (40.0, 40.0, 40.0)
    >>> result.bracket.refused, result.bracket.low, result.bracket.high
    (30.0, 35.0, 40.0)
    """
    check_count("support", support, 1)
    check_level(confidence_level)
    role_decisions = decisions(offers, players, role, answers=answers, points_per_unit=points_per_unit)
    return threshold_of(role_decisions, support=support, confidence_level=confidence_level)


def threshold_of(role_decisions: Decisions, *, support: int, confidence_level: float) -> Threshold:
    """Return the threshold of decisions; parameters as for `acceptance_threshold`."""
    answers, limits, why_not = role_decisions.answers, None, None
    try:
        limits = bracket(answers, step=answers.step, support=support, confidence_level=confidence_level)
    except NotEstimable as error:
        why_not = str(error)
    return Threshold(
        answered_always=None if limits is None else limits.accepted,
        why_not=why_not,
        as_generous=role_decisions.rivals_mean,
        rivals=role_decisions.rivals,
        bracket=limits,
        role=role_decisions.role,
        n=len(answers.benefit),
        accepted=int(answers.accepted.sum()),
        games=answers.games,
        people=answers.people,
        unanswered=answers.unanswered,
        unit=answers.unit,
        elicited=answers.elicited,
    )


def bracket(answers: Answers, *, step: Step = None, support: int = 1, confidence_level: float = 0.95) -> Bracket:
    """Return the benefits between which a sharp threshold lies.

    Parameters
    ----------
    answers
        Offers and answers.
    step
        The scale's step: benefits are multiples of it. None if they may be any number, "unknown" if that is not known.
    support
        How many offers must have been accepted beyond the greatest refused one.
    confidence_level
        Of the interval.

    Raises
    ------
    NotEstimable
        If all offers were accepted, or refused, or there are too few accepted ones beyond the greatest refused one.
    """
    benefit, is_accepted = answers.benefit, answers.accepted
    if not len(benefit):
        raise NotEstimable("no offer was answered")
    if is_accepted.all():
        raise NotEstimable(
            f"all {len(benefit)} offers were accepted, so it is at most {benefit.min():g} {answers.unit}"
        )
    refused_end = float(benefit[~is_accepted].max())
    # A sharp threshold lies above all that was refused, and enough must have been accepted there to say so.
    above_refusals = benefit[benefit > refused_end]
    if len(above_refusals) < support:
        raise NotEstimable(
            f"an offer with a benefit of {refused_end:g} {answers.unit} was refused, and only {len(above_refusals)} "
            f"with more were accepted; at least {support} are needed"
        )
    smallest_accepted, n_overlap = float(above_refusals.min()), int((is_accepted & (benefit <= refused_end)).sum())
    # What was accepted at or below a refused benefit contradicts a sharp threshold.
    if n_overlap:
        reason = f"{n_overlap} offers with at most the greatest refused benefit were accepted: no sharp threshold"
        return Bracket(refused_end, smallest_accepted, None, None, confidence_level, reason)
    low, high = _inner(refused_end, smallest_accepted, step, confidence_level)
    return Bracket(refused_end, smallest_accepted, low, high, confidence_level)


def _inner(highest_refused: float, lowest_accepted: float, step: Step, confidence_level: float) -> tuple[float, float]:
    outer = (1 - confidence_level) / 2
    if isinstance(step, str):
        return highest_refused, lowest_accepted
    if step is None:
        margin = outer * (lowest_accepted - highest_refused)
        return highest_refused + margin, lowest_accepted - margin
    steps = round((lowest_accepted - highest_refused) / step)
    # 1 - level is known to eps, which the steps multiply.
    margin = step * floor(steps * (outer + np.finfo(np.float64).eps))
    return highest_refused + step + margin, lowest_accepted - margin
