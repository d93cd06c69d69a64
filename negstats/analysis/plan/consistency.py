"""Whether the parts of a plan fit each other, as far as can be known without data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from negstats.analysis import rules
from negstats.analysis.method import METHODS
from negstats.analysis.plan.columns import FIRST, PARTNER
from negstats.analysis.plan.faults import Faults
from negstats.analysis.plan.model import Factor, Plan, Question
from negstats.analysis.plan.predictions import fit, question_levels
from negstats.errors import meant, shown


def without_data(plan: Plan, faults: Faults, ids: Sequence[str]) -> None:
    """Add the faults of a plan that show without data; a record that has faults already is left alone.

    Parameters
    ----------
    plan
        The plan, as far as it could be read.
    faults
        Those found so far.
    ids
        All the questions of the file, those that could not be read too.
    """
    for name, factor in plan.factors.items():
        _factor(name, factor, faults)
    for name, measure in plan.measures.items():
        if measure.answer is None and not faults.inside(("measures", name)):
            _measure(plan, measure.measure, ("measures", name, "measure" if measure.measure != name else ""), faults)
    for name, question in plan.questions.items():
        if not faults.inside(("questions", name)):
            _question(plan, name, question, faults)
    _families(plan, faults, ids)


def _factor(name: str, factor: Factor, faults: Faults) -> None:
    merged: dict[str, str] = {}
    for level, olds in factor.merge.items():
        for old in olds:
            if merged.setdefault(old, level) != level:
                reason = f"{shown(old)} is in {shown(merged[old])} and {shown(level)}; a level goes to one"
                faults.add(("factors", name, "merge"), reason)
    if factor.level is not None and not factor.column.startswith("pair."):
        reason = f"is for pair.…, which counts the seats at it; the column is {factor.column}"
        faults.add(("factors", name, "level"), reason)
    if factor.order is not None and not factor.column.startswith("first."):
        reason = f"is for first.…, and says by which column a game came first; the column is {factor.column}"
        faults.add(("factors", name, "order"), reason)
    if factor.column.startswith("first."):
        for level in (*factor.levels, *(old for olds in factor.merge.values() for old in olds)):
            if level not in factor.merge and not level.endswith(FIRST):
                faults.add(("factors", name, "levels"), f"{shown(level)} is not a level; write {shown(level + FIRST)}")
    for level in factor.labels:
        if factor.levels and level not in factor.levels:
            reason = f"{shown(level)} is not a level; {meant(level, factor.levels, 'levels has')}"
            faults.add(("factors", name, "labels"), reason)


def _measure(plan: Plan, name: str, path: tuple[str, ...], faults: Faults) -> None:
    from negstats.metrics.lookup import is_measure, suggestion

    if not is_measure(name) and (path[0] != "questions" or name not in plan.measures):
        of_logs = f'or measure = "…", such as "games.{name}" for a column of the logs'
        hint = f'give answer = "…", {of_logs}'
        if path[-1]:
            hint = f'{suggestion(name, list(plan.measures))} (an answer needs measures.{name}.answer = "QUESTION")'
        faults.add(tuple(step for step in path if step), f"no measure is called {shown(name)}; {hint}")


def _number(plan: Plan, question: Question, measure: str, path: tuple[str, ...], faults: Faults) -> None:
    """Note a related number that is named twice, or is the outcome or computed from what the outcome is."""
    _measure(plan, measure, path, faults)
    if measure in question.by or (path[-1] == "covariates" and measure in question.with_):
        faults.add(
            path, f"{shown(measure)} is also named in {'by' if measure in question.by else 'with'}; name it once"
        )
    shared = [column for column in _sources(plan, measure) if column in _sources(plan, question.measure)]
    if measure == question.measure:
        faults.add(path, f"{shown(measure)} is the outcome itself; name another measure")
    elif shared:
        reason = f"{shown(measure)} and {shown(question.measure)} are both computed from {', '.join(shared)}"
        faults.add(path, f"{reason}, so that they are related by definition; name another measure")


def _question(plan: Plan, name: str, question: Question, faults: Faults) -> None:
    place = ("questions", name)
    _measure(plan, question.measure, (*place, "measure"), faults)
    for field, measures in (("with", question.with_), ("covariates", question.covariates)):
        for measure in measures:
            _number(plan, question, measure, (*place, field), faults)
    if question.test != "auto" and question.test not in rules.tests():
        faults.add((*place, "test"), f"no test is called {shown(question.test)}; {_find_meant_test(plan, question)}")
    for item in question.items:
        if item in question.by:
            faults.add((*place, "items"), f"{shown(item)} is also named in by; name it once")
    for factor in question.by:
        if plan.factor(factor).column == PARTNER:
            faults.add((*place, "by"), f"{shown(factor)} is a person, and people are a sample; name it in items")
    # A factor has one role, and no name of our own columns.
    lists = (("by", question.by), ("with", question.with_), ("covariates", question.covariates),
             ("items", question.items))  # fmt: skip
    for field, names in lists:
        for own in set(names) & set(rules.OWN):
            faults.add(
                (*place, field), f"{shown(own)} is a column of every analysis; give it another name under [factors]"
            )
    # Terms, contrasts and predictions fit the factors.
    for term in question.effect:
        for part in term.split(":"):
            if part not in question.by:
                has = ", ".join(question.by) or "none"
                faults.add((*place, "effect"), f"{shown(part)} is not in by; by has {has}")
    for contrast in question.contrasts:
        _weights(contrast.name, list(contrast.weights.values()), (*place, "contrasts"), faults)
    for field, reason in fit(question, question_levels(plan, question)):
        faults.add((*place, *field.split(".")), reason)
    for field, reason in _clashes(question):
        faults.add((*place, field), reason)


def _sources(plan: Plan, name: str) -> tuple[str, ...]:
    """Return the numbers that a measure of a plan sums or rescales, as ``table.column``."""
    from negstats.metrics.lookup import computed_from

    measure = plan.measure(name)
    return computed_from(measure.measure) if measure.answer is None else (f"answers.{measure.answer}",)


def _find_meant_test(plan: Plan, question: Question) -> str:
    test_name = question.test.lower().replace("-", "_").replace(" ", "_")
    tests = [method.test for method in METHODS.values() if test_name in method.aliases]
    if tests:
        varies_between = any(plan.factor(name).within is False for name in question.by)
        fitting = [test for test in tests if rules.takes_units_at_one_level(test) == varies_between]
        return f"did you mean {shown((fitting or tests)[0])}?"
    return meant(question.test, ["auto", *rules.tests()])


def _weights(name: str, weights: list[float], path: tuple[str, ...], faults: Faults) -> None:
    total = sum(weights)
    if abs(total) > 1e-9 * max(map(abs, weights), default=1):
        faults.add(path, f"{shown(name)} has weights that sum to {total:g}; they must sum to 0")
    elif not any(weights):
        faults.add(path, f"{shown(name)} has no weight other than 0; give such as {{ CL = 1, FC = -1 }}")


def _clashes(question: Question) -> Iterator[tuple[str, str]]:
    """Yield the fields that cannot be combined, and why."""
    is_against, is_equivalent = question.against is not None, question.equivalent is not None
    is_smallest = question.smallest is not None
    pairs = (  # a field, another that cannot be given with it, and what would do
        ("against", "by", is_against and question.by, "a number is for one group"),
        ("against", "with", is_against and question.with_, "a number is for one group"),
        ("equivalent", "direction", is_equivalent and question.direction, "ask one"),
        ("equivalent", "predicts", is_equivalent and question.predicts, "ask one"),
        ("predicts", "direction", question.predicts and question.direction, "both predict a sign"),
        ("smallest", "equivalent", is_smallest and is_equivalent, "its bounds say it already"),
        ("items", "equivalent", question.items and is_equivalent, "ask one"),
        ("items", "contrasts", question.items and question.contrasts, "name two levels with only"),
        ("effect", "contrasts", question.effect and question.contrasts, "they answer instead"),
    )
    yield from ((field, f"cannot be combined with {other}; {why}") for field, other, clash, why in pairs if clash)
    if question.items and not (question.by or question.with_):
        yield "items", "need a factor; name it with by"
    if question.contrasts and not question.by:
        yield "contrasts", "need a factor; name it with by"


def _families(plan: Plan, faults: Faults, ids: Sequence[str]) -> None:
    known_ids = ", ".join(ids)
    family_of: dict[str, str] = {}
    for name, family in plan.families.items():
        place = ("families", name, "questions")
        if not family.questions:
            faults.add(place, "is empty; name questions")
        members = [plan.questions[member] for member in family.questions if member in plan.questions]
        mixes_explored = len({member.explore for member in members}) > 1
        for member in family.questions:
            if member not in ids:
                faults.add(place, f"no question is called {shown(member)}; there are {known_ids}")
            elif mixes_explored and member in plan.questions and plan.questions[member].explore:
                why = "planned and explored questions are not corrected together"
                faults.add(place, f"{shown(member)} is explored; {why}")
            if family_of.setdefault(member, name) != name:
                faults.add(place, f"{shown(member)} is in {shown(family_of[member])} too; a question is in one family")
