"""A plan under the headings that preregistrations ask for, to be filled into their forms."""

from __future__ import annotations

from collections.abc import Iterator

from negstats import metrics
from negstats.analysis.plan.model import Exclusion, Plan, Question
from negstats.analysis.plan.predictions import question_levels, stated
from negstats.analysis.preregistration.check import Check
from negstats.analysis.questions.design import kind_of
from negstats.analysis.rules import DesignFeatures, Shape, choose_rule
from negstats.errors import DesignError

# The questions of an AsPredicted preregistration (aspredicted.org, standard form).
HEADINGS = (
    "1) Have any data been collected for this study already?",
    "2) What's the main question being asked or hypothesis being tested in this study?",
    "3) Describe the key dependent variable(s) specifying how they will be measured.",
    "4) How many and which conditions will participants be assigned to?",
    "5) Specify exactly which analyses you will conduct to examine the main question/hypothesis.",
    "6) Describe exactly how outliers will be defined and handled, and your precise rule(s) for excluding "
    "observations.",
    "7) How many observations will be collected or what will determine sample size?",
    "8) Anything else you would like to pre-register?",
    "9) Give a title for this AsPredicted pre-registration.",
)
AUTO = (
    "the test follows from the design and the kind of outcome by the table of negstats, never from a test of "
    "assumptions on the same data."
)


def aspredicted(plan: Plan, check: Check | None = None) -> str:
    r"""Return the plan's answers to the usual questions of a preregistration, as text.

    Parameters
    ----------
    plan
        The plan.
    check
        What it runs on the study, if that is at hand: then each test is named with its reason.

    Examples
    --------
    >>> from negstats.analysis.plan import parse
    >>> text = aspredicted(parse('[questions.H1]\nasks = "Do people agree?"\nmeasure = "agreed"'))
    >>> text.splitlines()[4]
    'H1. Do people agree?'
    """
    planned = {name: question for name, question in plan.questions.items() if not question.explore}
    answers = (
        _data(plan, check),
        (f"{name}. {question.asks}{_directed(question)}" for name, question in planned.items()),
        _outcomes(plan),
        _conditions(plan, check),
        _analyses(plan, planned, check),
        [*map(_rule, plan.leave_out)] or ["No rule leaves rows out. Rows without a value are counted and said."],
        _size(plan),
        [f"{name}. Explored: {row.asks}" for name, row in plan.questions.items() if row.explore] or ["Nothing."],
        [plan.title or "(no title yet)"],
    )
    parts = ("\n".join([heading, *paragraphs]) for heading, paragraphs in zip(HEADINGS, answers, strict=True))
    return "\n\n".join(parts) + "\n"


def _data(plan: Plan, check: Check | None) -> Iterator[str]:
    if check is not None:
        yield f"Yes: {check.games} games were at hand when this was written."
    elif not plan.known:
        yield "No data were at hand."
    if plan.known:
        yield plan.known


def _directed(question: Question) -> str:
    prediction = stated(question)
    if prediction is not None:
        field, text = prediction
        return f" Predicted: {text} ({'one-sided' if field == 'direction' else 'two-sided'} test)."
    if question.equivalent is not None:
        return f" Predicted: equivalent within {_bound(question)}."
    return ""


def _bound(question: Question) -> str:
    match question.equivalent:
        case (low, high):
            return f"{low:g} to {high:g}"
        case float() | int() as bound:
            return f"±{bound:g}"
        case {"sd": bound}:
            return f"±{bound:g} SD"
    return ""


def _outcomes(plan: Plan) -> Iterator[str]:
    for name in dict.fromkeys(question.measure for question in plan.questions.values() if not question.explore):
        measure = plan.measure(name)
        if measure.answer is not None:
            scale = f" on the scale {', '.join(measure.scale)}" if measure.scale else ""
            description = f"the answer to {measure.answer}{scale}"
        else:
            definition = metrics.measure(measure.measure)
            description = f"{definition.meaning} ({definition.unit})"
        score_rule = measure.without_agreement
        scored = "" if score_rule == "as recorded" else f"; without agreement: {score_rule}"
        yield f"{name}: {description}{scored}."


def _conditions(plan: Plan, check: Check | None) -> Iterator[str]:
    questions = () if check is None else check.questions
    levels = {name: own for question in questions for name, own in question.came.asked.levels.items()}
    names = list(dict.fromkeys(name for question in plan.questions.values() for name in question.by))
    for name in names:
        factor = plan.factor(name)
        level_names = factor.levels or levels.get(name, ())
        levels_text = (
            ", ".join(factor.labels.get(level, level) for level in level_names) or "its levels as the study has them"
        )
        place_phrase = {True: " (within people)", False: " (between people)", None: ""}[factor.within]
        yield f"{name}{place_phrase}: {levels_text}."
    if not names:
        yield "No conditions are compared."


def _analyses(plan: Plan, planned: dict[str, Question], check: Check | None) -> Iterator[str]:
    checks_by_id = {} if check is None else {checked.id: checked for checked in check.questions}
    for name, question in planned.items():
        numbers = f", with {', '.join(question.with_)}" if question.with_ else ""
        covariates_text = f", at equal {', '.join(question.covariates)}" if question.covariates else ""
        by = f" by {' and '.join(question.by)}" if question.by else ""
        owner = f" of {question.who}" if question.who else ""
        checked = checks_by_id.get(name)
        if checked is not None and checked.choice is not None:
            how = f"{checked.choice.rule.test}. {checked.choice.sentence}"
        else:
            how = _possible(plan, question) if question.test == "auto" else f"{question.test}, named in the plan."
        yield f"{name}. {question.measure}{owner}{by}{numbers}{covariates_text}: {how}"
    for name, family in plan.families.items():
        yield f"Family {name}: p values of {', '.join(family.questions)} are corrected together by {family.correction}."
    yield f"The level is {plan.alpha:g}; intervals are at {plan.confidence_level:g}."
    if plan.data.unit == "game":
        yield "Games are taken for independent of each other, though people play several."


def _possible(plan: Plan, question: Question) -> str:
    """Say which tests a question without data can get: for independent groups, and for the same units."""
    measure = plan.measure(question.measure)
    if len(question.by) > 1 or question.with_ or question.covariates:
        return AUTO
    definition = None if measure.answer is not None else metrics.measure(measure.measure)
    kind = measure.kind or kind_of(definition, scale=bool(measure.scale), ends=True)
    levels = next(iter(question_levels(plan, question).values()), None) or ()
    has_several_levels = len(levels) > 2
    shapes: dict[Shape, str] = {"none": ""}
    if question.by:
        shapes = {"groups" if has_several_levels else "two groups": "if no unit has two levels, ",
                  "within" if has_several_levels else "pairs": "if the same units have both levels, "}  # fmt: skip
    sentences = []
    for shape, when in shapes.items():
        try:
            choice = choose_rule(DesignFeatures(kind, shape, asked=question.sought))
        except DesignError:
            return AUTO
        sentences.append(f"{when}{choice.rule.test or 'no test'}: {choice.sentence}")
    return " ".join(sentences)


def _rule(rule: Exclusion) -> str:
    value = "" if rule.value is None else f" {rule.value}"
    if isinstance(rule.value, tuple):
        value = f" {', '.join(map(str, rule.value))}"
    return f"Excluded ({rule.takes}): {rule.column} {rule.relation}{value}: {rule.reason}."


def _size(plan: Plan) -> Iterator[str]:
    yield plan.stop or "(not said yet)"
    if plan.power.n:
        sizes = ", ".join(map(str, plan.power.n))
        yield f"Power is computed at {sizes} units in the smallest cell, for a wished power of {plan.power.wished:g}."
