"""What a report says of methods is what ran: nothing else is named, and nothing that ran is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from negstats.analysis.method import METHODS
from negstats.analysis.preregistration.check import check
from negstats.report.labels import method_phrase
from negstats.report.methods_used import test_sentences as sentences_of_tests
from negstats.report.prose import prose
from negstats.report.sentences import Question
from tests.analysis.methods.designs import BY_ROW, report_of, study_of

ROWS = [row for row, case in BY_ROW.items() if case.test]


def phrase_of(method: str) -> str:
    return str(prose(method_phrase(method)))


def method_text(report: Any) -> str:
    questions = [Question(report.results, at, report.plan) for at in range(len(report.results["questions"]))]
    return " ".join(map(str, sentences_of_tests(report.results, questions, report.plan)))


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS)
def test_the_methods_in_the_prose_are_those_of_the_records_and_no_others(row: int) -> None:
    report = report_of(BY_ROW[row])
    (entry,) = report.results["questions"]
    checked = {check["address"] for check in entry["checks"]}
    ran = {test["method"] for test in entry["tests"] if test["role"] == "answer" or test["address"] in checked}
    text = method_text(report)
    named = {name: str(phrase_of(name)) for name in ran}
    assert not [name for name, phrase in named.items() if phrase.lower() not in text.lower()]
    rest = text.lower()
    for phrase in sorted(named.values(), key=len, reverse=True):
        rest = rest.replace(phrase.lower(), "")
    others = {str(phrase_of(method.test)).lower() for method in METHODS.values()} - {
        one.lower() for one in named.values()
    }
    assert not [phrase for phrase in others if phrase in rest]


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS)
def test_what_a_check_announces_is_what_a_run_makes(row: int) -> None:
    """Each step that a check names gives a record, or a reason of the data; none is made that was not named."""
    case = BY_ROW[row]
    plan = case.plan()
    plan = replace(plan, factors={name: plan.factors[name] for name in plan.questions["Q"].by if name in plan.factors})
    (one,) = check(plan, study_of(case)).questions
    assert one.choice is not None
    choices = (one.choice, *one.others)
    words = {step.words for choice in choices for step in choice.beside(one.came.design.features)}
    tests = report_of(case).results["questions"][0]["tests"]
    tags = {test["address"].partition("#")[2] for test in tests if test["role"] == "beside"}
    assert words or not tags, "nothing is made beside an answer that was not announced"
    for tag, word in (("permutation", "permutation p where a cell has 2–4 units"), ("kendall", "Kendall")):
        assert (tag in tags) == (word in words)
