"""The sentences of drafted questions."""

from __future__ import annotations

from collections.abc import Sequence

from negstats.analysis.preregistration.draft_factors import DraftFactor
from negstats.analysis.preregistration.draft_outcomes import AMOUNTS, Outcome
from negstats.analysis.roles import is_bare
from negstats.metrics.lookup import noun_of

_HOW_MUCH = {
    "points": "How many points does {owner} get?",
    "agreed": "How often is there {measure}?",
    "rounds": "How many rounds does a game have?",
    "offers": "How many offers does {owner} make?",
}


def word_question(
    outcome: Outcome,
    factors: Sequence[DraftFactor],
    who: str | None,
    related: Outcome | None,
    *,
    answered: bool = False,
) -> str:
    """Return the sentence of a question.

    Parameters
    ----------
    outcome
        What is measured.
    factors
        What is compared.
    who
        Whose values.
    related
        The number beside the outcome.
    answered
        Whether an agreement is the acceptance of one offer.

    Examples
    --------
    >>> arm = DraftFactor("arm", "games.arm", ("chat", "voice"))
    >>> word_question(Outcome("price", "games.price", "game", ()), [arm], None, None)
    'Is there a difference in price between chat and voice?'
    >>> left = DraftFactor("left", "games.left", ("black", "white"), shares_levels=True)
    >>> word_question(Outcome("price", "games.price", "game", ()), [left], None, None)
    'Is there a difference in price between left black and white?'
    >>> word_question(Outcome("points", "points", "player", ()), [], None, None)
    'How many points does a seat get?'
    """
    measure_text = _call(outcome, answered=answered)
    whose = f" {'by' if outcome.name in AMOUNTS else 'of'} the {who}" if who else ""
    if related is not None:
        related_text = noun_of(related.name) or related.name.replace("_", " ")
        return f"Is {measure_text}{whose} related to {related_text}?"
    if not factors:
        return _ask_how_much(outcome, measure_text, who, whose)
    if len(factors) > 1:
        names = " and of ".join(factor.name for factor in factors)
        return f"Is there a difference in {measure_text}{whose} between the levels of {names}, and do the two interact?"
    (factor,) = factors
    short = [factor.label(level) for level in factor.levels]
    of_factor = f"{factor.name} " if factor.shares_levels or all(map(is_bare, short)) else ""
    among = f"{of_factor}{' and '.join(short)}" if len(short) == 2 else f"the levels of {factor.name}"
    return f"Is there a difference in {measure_text}{whose} between {among}?"


def _call(outcome: Outcome, *, answered: bool) -> str:
    """Return what an outcome is called in a sentence."""
    if outcome.name == "agreed" and answered:
        return "acceptance"
    if outcome.name.startswith("labels."):
        return f"the share of messages with the code {outcome.name.removeprefix('labels.')}"
    if outcome.yes_no and outcome.is_own:
        return f"how often {outcome.name} is true"
    return noun_of(outcome.name) or outcome.name.replace("_", " ")


def _ask_how_much(outcome: Outcome, measure_text: str, who: str | None, whose: str) -> str:
    """Return a question about the size of one measure."""
    if outcome.name in _HOW_MUCH:
        return _HOW_MUCH[outcome.name].format(measure=measure_text, owner=f"the {who}" if who else "a seat")
    if measure_text.startswith("the "):
        return f"How large is {measure_text}{whose}?"
    if measure_text.startswith("how often"):
        return f"H{measure_text[1:]}?"
    return f"What is the mean {measure_text}{whose}?"
