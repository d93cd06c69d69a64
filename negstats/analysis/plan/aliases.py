"""Names of measures in a plan: what was typed becomes the registered name, unless the plan or the study has its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from negstats.analysis.plan.model import Plan
from negstats.errors import shown

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
