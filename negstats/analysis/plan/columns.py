"""What a plan may name: measures and their other names, columns of who sat with whom, columns of an outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from negstats.analysis.plan.model import Exclusion, Plan
from negstats.errors import shown

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Factor


Place: TypeAlias = tuple[str | int, ...]


def with_registered_names(plan: Plan) -> Plan:
    """Return a plan whose measures have their registered names, and which keeps the aliases that were typed.

    Examples
    --------
    >>> from negstats.analysis.plan.model import Question
    >>> plan = with_registered_names(Plan(questions={"H1": Question("Do they differ?", "MAO", by=("country",))}))
    >>> plan.questions["H1"].measure, dict(plan.aliases)
    ('least_acceptable', {('questions', 'H1', 'measure'): 'MAO'})
    """
    from negstats.metrics.lookup import registered_name

    aliases: dict[Place, str] = {}

    def name_of(typed: str, *place: str) -> str:
        if typed in plan.measures and place[0] == "questions":
            return typed
        name = registered_name(typed)
        if name != typed:
            aliases[place] = typed
        return name

    questions = {
        name: replace(
            question,
            measure=name_of(question.measure, "questions", name, "measure"),
            with_=tuple(name_of(typed, "questions", name, "with") for typed in question.with_),
            covariates=tuple(name_of(typed, "questions", name, "covariates") for typed in question.covariates),
        )
        for name, question in plan.questions.items()
    }
    measures = {
        name: replace(measure, measure=name_of(measure.measure, "measures", name, "measure"))
        for name, measure in plan.measures.items()
    }
    return replace(plan, questions=questions, measures=measures, aliases=aliases) if aliases else plan


def find_clashes(plan: Plan, tables: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Yield the place and a sentence for each alias of a plan that is also the name of a number of the study's own."""
    from negstats.metrics.lookup import registered_name
    from negstats.metrics.own_numbers import own_place

    for path, typed in plan.aliases.items():
        place = own_place(tables, typed)
        if place is not None:
            own, name = ".".join(place), registered_name(typed)
            yield (
                path,
                f"{shown(typed)} is another name of {shown(name)}, and this study has a number of that name; "
                f"write {shown(own)} for the study's, or {shown(name)}",
            )


DERIVED = ("partner", "pair", "order", "first")
PARTNER = "partner.participant_id"  # the person on the other seat, for items only
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
LATER = "later"
COMPOSITION = ("both", "one", "neither")
FIRST = " first"  # after the level that a person met first: "CL first"


def is_derived(column: str) -> bool:
    """Return whether a factor's column is derived from seats or order.

    Examples
    --------
    >>> is_derived("pair.answers.svo"), is_derived("games.condition")
    (True, False)
    """
    return column.partition(".")[0] in DERIVED


def source_of(column: str) -> tuple[str, str]:
    """Return the table and column (of answers: the question) that a factor is read from.

    Examples
    --------
    >>> source_of("pair.answers.svo"), source_of("partner.role"), source_of("order.session"), source_of("games.day")
    (('answers', 'svo'), ('players', 'role'), ('games', 'session'), ('games', 'day'))
    """
    table, _, name = column.partition(".")
    if table in ("order", "first"):
        return "games", name
    if table in ("partner", "pair"):
        return ("answers", name.removeprefix("answers.")) if name.startswith("answers.") else ("players", name)
    return table, name


def of_games(column: str) -> bool:
    """Return whether all seats of a game may stand at one level, so that a measure of games can be compared by it."""
    return column.partition(".")[0] in ("games", "pair", "order", "first")


def in_order_of(column: str, levels: Sequence[str]) -> list[str]:
    """Return levels in the order that they have by themselves: of places and compositions their own, else sorted.

    Examples
    --------
    >>> in_order_of("order.session", ["second", "first"]), in_order_of("pair.agent", ["neither", "both", "one"])
    (['first', 'second'], ['both', 'one', 'neither'])
    """
    own = {"order": (*PLACES, LATER), "pair": COMPOSITION}.get(column.partition(".")[0], ())
    if own and set(levels) <= set(own):
        return sorted(levels, key=own.index)
    return sorted(levels)


def levels_met(factor: Factor) -> list[str]:
    """Return the levels of games that a plan names for what people met first; none if it names none.

    Examples
    --------
    >>> from negstats.analysis.plan.model import Factor
    >>> levels_met(Factor("first.condition", levels=("CL first", "FC first")))
    ['CL', 'FC']
    """
    new_levels = {level: olds for level, olds in factor.merge.items() if level in factor.levels}
    own_levels = [old for level in factor.levels for old in new_levels.get(level, (level,))]
    return [level.removesuffix(FIRST) for level in own_levels]


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
