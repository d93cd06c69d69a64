"""The loop from a method to its records: the answer, its follow-ups and its checks."""

from __future__ import annotations

import itertools
from dataclasses import replace

from negstats.analysis.method import METHODS, Method, Step, function_at, label_of
from negstats.analysis.methods.inputs import Omission, Omitted, TestInput
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.methods.shared import holm
from negstats.errors import NotEstimable

# The method of means for each shape of a design of whole units, where rows or shares were averaged first.
OF_MEANS = {"two groups": "welch", "groups": "welch_anova", "factorial": "anova", "pairs": "paired",
            "within": "repeated"}  # fmt: skip


def compute_records(method: Method, case: TestInput) -> list[TestRecord]:
    """Return the records of a test in the order in which they are reported.

    The answer alone can refuse. What these data do not give beside it is recorded in `TestInput.omissions`.
    """
    answers = compute_answers(method, case)
    records = [*answers, *compute_follow_ups(method.key, case, answers)]
    for step in case.choice.beside(case.design.features, method):
        records += _compute_step("check", step, case, answers)
    return [record for record in records if record.role == "answer" or _is_sound(case, record)]


def compute_answers(method: Method, case: TestInput) -> list[TestRecord]:
    """Return the answering records of a test and the parts of its model, without what follows or stands beside."""
    try:
        records = function_at("methods", method.answer)(case)
    except NotEstimable as error:
        record = function_at("methods", "means.exchange_where_nothing_varies")(case)
        if record is None:
            raise
        return answer_instead([record], f"{label_of(method.test)} cannot be computed: {error.statement}")
    return [records] if isinstance(records, TestRecord) else list(records)


def answer_instead(records: list[TestRecord], reason: str) -> list[TestRecord]:
    """Return the records of a test that answers in place of another, and with each answer why the other cannot."""
    return [
        replace(record, text=f"{record.text or record.apa()}; {reason}") if record.role == "answer" else record
        for record in records
    ]


def select_answers(key: str, case: TestInput) -> list[TestRecord]:
    """Return the answering records of the method of that key, for a test that stands beside another."""
    return [answer for answer in compute_answers(METHODS[key], case) if answer.role == "answer"]


def compute_follow_ups(key: str, case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return what follows the answering records of the method of that key."""
    step = METHODS[key].follow_ups
    return [] if step is None else _compute_step("follow-up", step, case, records)


def level_pairs(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return each two levels of the only factor by the method of the answer, fitted to these two alone; Holm."""
    if len(case.factors) != 1 or len(case.levels) < 3 or case.question.with_:
        return []
    return holm(
        [
            replace(answer, tag=" - ".join(pair), says="")
            for pair in itertools.combinations(case.levels, 2)
            for answer in select_answers(case.choice.rule.key, case.of_two(pair))
        ]
    )


def _compute_step(kind: Omitted, step: Step, case: TestInput, answers: list[TestRecord]) -> list[TestRecord]:
    """Return the records of a step, or none and why."""

    def make() -> list[TestRecord]:
        records = function_at("methods", step.function)(case, answers)
        return [records] if isinstance(records, TestRecord) else list(records)

    return case.optional(kind, step.words, make, [])


def _is_sound(case: TestInput, record: TestRecord) -> bool:
    """Whether a record beside the answer has its numbers; one without them is recorded as not computed."""
    if record.sound:
        return True
    kind: Omitted = {"part": "part", "follow-up": "follow-up"}.get(record.role, "check")  # type: ignore[assignment]
    reason = "the values of a group that it compares are all equal"
    omission = Omission(kind, record.part, label_of(record.method), reason)
    if omission not in case.omissions:
        case.omissions.append(omission)
    return False
