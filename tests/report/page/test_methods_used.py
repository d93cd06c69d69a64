"""What a report says of methods is what ran: nothing else is named, and nothing that ran is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from negstats.analysis.method import METHODS
from negstats.analysis.preregistration.check import check
from negstats.report.answer_tables import sensitivity_table
from negstats.report.labels import method_name
from negstats.report.methods_used import method_sentences
from negstats.report.sentences import Question
from tests.analysis.methods.designs import BY_ROW, report_of, study_of

ROWS = [row for row, case in BY_ROW.items() if case.test]


def names_in(text: str) -> set[str]:
    """Return the names of methods in a text; a name inside a longer one that is there is none of its own."""
    names = sorted({method_name(method.test) for method in METHODS.values()}, key=len, reverse=True)
    found = set()
    for name in names:
        if name in text:
            found.add(name)
            text = text.replace(name, "")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS)
def test_the_methods_in_the_prose_are_those_of_the_records_and_conversely(row: int) -> None:
    report = report_of(BY_ROW[row])
    ran = {method_name(test["method"]) for question in report.results["questions"] for test in question["tests"]
           if test["role"] != "part"}  # fmt: skip
    text = " ".join(map(str, method_sentences(report.results)))
    assert names_in(text) == names_in("; ".join(sorted(ran, key=len, reverse=True)))
    has_exact = any(test["method"] in ("fisher", "mcnemar", "binomial") and test["role"] == "answer"
                    for question in report.results["questions"] for test in question["tests"])  # fmt: skip
    assert ("exact p" in text) == has_exact


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


def fixed(method: str, role: str = "answer") -> dict[str, Any]:
    return {"method": method, "role": role}


@pytest.mark.parametrize(
    ("methods", "says", "never"),
    [
        (["anova"], "takes variances as equal", "does not take"),
        (["welch"], "does not take variances as equal", "exact"),
        (["fisher"], "exact p", "variances"),
        (["pearson"], "Pearson's r", "variances"),
    ],
)
def test_a_sentence_about_variances_or_exact_tests_needs_such_a_test(methods: list[str], says: str, never: str) -> None:
    text = " ".join(map(str, method_sentences({"questions": [{"tests": [fixed(one) for one in methods]}]})))
    assert says in text
    assert never not in text


def test_no_conclusion_is_called_robust_that_no_other_method_was_held_against() -> None:
    """Row 30 has no check; the sentence names no question as one with the same conclusion."""
    report = report_of(BY_ROW[30])
    questions = [Question(report.results, at, report.plan) for at in range(len(report.results["questions"]))]
    if questions[0].entry["checks"]:
        pytest.skip("the design has a check")
    _, sentence = sensitivity_table(questions)
    assert "same conclusion" not in str(sentence)
