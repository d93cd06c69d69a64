"""The one loop from a method to its records: the answer, what follows it, and what stands beside it."""

from __future__ import annotations

from dataclasses import replace

from negstats.analysis.method import METHODS, Method, function_at
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.methods.shared import if_estimable
from negstats.errors import NotEstimable

# The method of means for each shape of a design of whole units, where rows or shares were averaged first.
OF_MEANS = {"two groups": "welch", "groups": "welch_anova", "factorial": "anova", "pairs": "paired",
            "within": "repeated"}  # fmt: skip


def compute_records(method: Method, case: TestInput) -> list[TestRecord]:
    """Return the records of a test in the order in which they are reported.

    What stands beside an answer is left out where these data cannot give it.
    """
    answers = compute_answers(method, case)
    records = [*answers, *compute_follow_ups(method.key, case, answers)]
    for step in method.beside:
        function = function_at("methods", step.function)
        records += if_estimable(lambda function=function: function(case, answers))  # type: ignore[misc]
    return records


def compute_answers(method: Method, case: TestInput) -> list[TestRecord]:
    """Return the answering records of a test and the parts of its model, without what follows or stands beside."""
    try:
        result = function_at("methods", method.answer)(case)
    except NotEstimable as error:  # of columns that a formula can hold, which no reader knows
        raise NotEstimable(case.in_plan_names(str(error))) from None
    records = [result] if isinstance(result, TestRecord) else list(result)
    return [
        replace(
            one,
            text=case.in_plan_names(one.text) if one.text else one.text,
            why={what: case.in_plan_names(reason) for what, reason in one.why.items()},
        )
        for one in records
    ]


def select_answers(key: str, case: TestInput) -> list[TestRecord]:
    """Return the answering records of the method of that key, for a test that stands beside another."""
    return [one for one in compute_answers(METHODS[key], case) if one.role == "answer"]


def compute_follow_ups(key: str, case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return what follows the answering records of the method of that key."""
    step = METHODS[key].follow_ups
    return [] if step is None else list(function_at("methods", step.function)(case, records))
