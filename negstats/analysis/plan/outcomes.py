"""Which columns an outcome is made of: what a rule that leaves rows out must not look at unseen."""

from __future__ import annotations

from negstats.analysis.plan.model import Exclusion, Plan

# The columns that measures of games and seats are made of; a column of ``offers`` or ``messages`` is one of all others.
_POINTS = ("players.points",)
_ENDED = ("games.ended",)
MADE_OF: dict[str, tuple[str, ...]] = {
    "points": _POINTS,
    "joint_value": _POINTS,
    "fehr_schmidt_fair": _POINTS,
    "fehr_schmidt_envious": _POINTS,
    "fehr_schmidt_dislikes_being_outdone": _POINTS,
    "agreed": _ENDED,
    "walked_away": _ENDED,
    "rounds": ("games.rounds",),
    "reached_goal": ("players.reached_goal",),
    "ended_with_commitment": ("players.reached_goal", "offers."),
    "duration_s": (*_ENDED, "offers.", "messages."),
}
_TALK = ("offers.", "messages.")


def made_of(plan: Plan, measure: str) -> tuple[str, ...]:
    """Return the columns that a measure is made of; one that ends in a dot stands for all of its table.

    Examples
    --------
    >>> made_of(Plan(), "joint_value"), made_of(Plan(), "utterances")
    (('players.points',), ('offers.', 'messages.'))
    """
    planned_measure = plan.measure(measure)
    if planned_measure.answer is not None:
        return (f"answers.{planned_measure.answer}",)
    scored = _ENDED if planned_measure.without_agreement != "as recorded" else ()
    return (*MADE_OF.get(planned_measure.measure, _TALK), *scored)


def looks_at_outcome(plan: Plan, rule: Exclusion) -> bool:
    """Whether a rule looks at what the outcome of a question is made of.

    Examples
    --------
    >>> from negstats.analysis.plan.model import Question
    >>> plan = Plan(questions={"H1": Question("Do people agree?", "agreed")})
    >>> looks_at_outcome(plan, Exclusion("games.ended", "cut off", value="timeout"))
    True
    """
    columns = {column for question in plan.questions.values() for column in made_of(plan, question.measure)}
    return rule.column in columns or f"{rule.table}." in columns
