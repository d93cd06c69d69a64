"""What a report says: verdicts, differences, corrections and counts, from results as they are written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from negstats.analysis import rules
from negstats.report.listed import estimate
from negstats.report.named import METHODS
from negstats.report.words import pieces, words_of
from tests.report.page.reports import synthetic, two_groups


def report(**changes: Any) -> Any:
    made = two_groups(synthetic(40), asks="Do they?")
    entry = made.results["questions"][0]
    # solver_cl's H1: paired differences of 66 people, as the package computes them
    entry["tests"][0] |= {
        "apa": "t(65) = 2.46, p = .017, d_z = 0.30, 95% CI [0.05, 0.55]",
        "p": 0.01653914884926653,
        "p_adjusted": 0.03307829769853306,
        "estimate": {
            "name": "difference",
            "value": 0.02234848484848484,
            "low": 0.004208938128466719,
            "high": 0.04048803156850296,
            "level": 0.95,
        },
    }
    entry["design"]["factors"][0]["levels"] = ["CL", "FC"]
    for cell, level in zip(entry["cells"], ("CL", "FC"), strict=True):
        cell["levels"] = {"condition": level}
    entry["verdict"] = "shown"
    entry |= changes
    return made


def test_an_answer_says_verdict_difference_test_and_corrected_p() -> None:
    [asked] = words_of(report()).planned
    assert asked.verdict == "Shown"
    assert asked.answers == (
        (
            "higher in CL than in FC, CL − FC = 0.022 points, 95% CI [0.004, 0.040].",
            "t(65) = 2.46, p = .017, d_z = 0.30, 95% CI [0.05, 0.55].",
            "Corrected by Holm: p = .033.",
        ),
    )


def test_what_is_not_shown_names_no_direction() -> None:
    [asked] = words_of(report(verdict="not shown")).planned
    assert asked.answers[0][0].startswith("CL − FC = 0.022 points")


def test_an_explored_question_has_no_verdict() -> None:
    [asked] = words_of(report()).explored
    assert asked.verdict == ""
    assert asked.explored


def test_levels_are_called_as_the_plan_calls_them() -> None:
    made = report()
    factor = replace(made.plan.factors["condition"], labels={"CL": "closed"})
    made = replace(made, plan=replace(made.plan, factors={"condition": factor}))
    [asked] = words_of(made).planned
    assert asked.answers[0][0].startswith("higher in closed than in FC, closed − FC")
    assert asked.cells["condition"].tolist() == ["closed", "FC"]


def test_what_the_line_says_is_not_said_twice() -> None:
    made = report()
    made.results["questions"][0]["tests"][0]["apa"] = "t(65) = 2.46, p = .017, difference = 0.02, 95% CI [0.00, 0.04]"
    [asked] = words_of(made).planned
    assert asked.answers[0][:2] == (
        "higher in CL than in FC.",
        "t(65) = 2.46, p = .017, difference = 0.02, 95% CI [0.00, 0.04].",
    )


def test_several_answers_are_named_and_follow_ups_too() -> None:
    made = report()
    entry = made.results["questions"][0]
    test = entry["tests"][0]
    entry["tests"] = [
        {**test, "address": "H1/condition"},
        {**test, "address": "H1/country"},
        {**test, "address": "H1/condition#at country = US", "role": "follow-up"},
    ]
    [asked] = words_of(made).planned
    assert [sentences[0].partition(":")[0] for sentences in asked.answers] == ["condition", "country"]
    assert asked.tests["term"].tolist() == ["condition", "country", "at country = US"]


def test_each_term_of_a_check_has_its_name() -> None:
    made = report()
    entry = made.results["questions"][0]
    test = entry["tests"][0]
    terms = ("condition", "country", "condition:country")
    entry["tests"] = [{**test, "address": f"H1/{term}"} for term in terms]
    robust = {"role": "beside", "method": "regression_cr2"}
    entry["tests"] += [{**test, "address": f"H1/{term}#cluster", **robust} for term in terms]
    entry["tests"].append({**test, "address": "H1/condition#complete"})
    [asked] = words_of(made).planned
    assert asked.tests["term"].tolist() == ["condition", *terms[1:], *terms, "condition, complete"]


def test_a_question_says_how_many_of_the_games_it_looks_at() -> None:
    made = report()
    made.results["questions"][0]["design"]["games"] = 12
    [asked] = words_of(made).planned
    assert ("Games", "12 of 40") in asked.facts


def test_counts_add_up_and_checks_that_found_nothing_stand_together() -> None:
    made = report()
    made.results["flow"] = [{"rule": "r", "reason": "practice", "games": 7, "people": 0, "seats": 14, "also": 0}]
    made.results["quality"] = [
        {"what": "missing: points", "count": 0, "of": 80},
        {"what": "missing: rounds", "count": 0, "of": 40},
        {"what": "duplicated: games", "count": 2, "of": 40},
    ]
    words = words_of(made)
    assert dict(words.counts) == {
        "people": 80,
        "games": 47,
        "games left out": 7,
        "games kept": 40,
        "independent units": 40,
    }
    assert words.clean == "missing: points, rounds"
    assert words.quality["what"].tolist() == ["duplicated: games"]


def test_planned_answers_without_a_family_are_counted() -> None:
    made = report()
    assert words_of(made).uncorrected == ""
    made.results["families"] = []
    assert words_of(made).uncorrected == "1 planned answer not corrected: H1."


def test_a_question_that_cannot_be_estimated_says_why() -> None:
    [asked] = words_of(report(verdict="cannot be estimated: one participant at 'FC'", tests=[])).planned
    assert asked.verdict == "Cannot be estimated: one participant at 'FC'"
    assert asked.answers == ()
    assert isinstance(asked.tests, pd.DataFrame)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-2.211323742983887, 0.30223283389297817, "x = −0.95 points, 95% CI [−2.21, 0.30]"),
        (None, 0.3, "x = −0.95 points, 95% CI [−∞, 0.30]"),
        (None, None, "x = −0.95 points"),
        (-9541.2, 8000.1, "x = −1 points, 95% CI [−9541, 8000]"),
    ],
)
def test_an_estimate_keeps_two_figures_of_its_width(low: float | None, high: float | None, said: str) -> None:
    found = {"value": -0.9545454545454545, "low": low, "high": high, "level": 0.95}
    assert estimate(found, "x", "points") == said


def test_an_interval_never_breaks() -> None:
    text = "difference = −0.01, 90% CI [−0.03, 0.01], inside the bounds [−0.05, 0.05]: equivalent at α = .05."
    assert "[−0.05, 0.05]:" in pieces(text)
    assert " ".join(pieces(text)) == text


def test_each_test_of_the_table_has_a_name_that_readers_know() -> None:
    assert not set(rules.tests()) - METHODS.keys()


def test_a_mean_is_said_once() -> None:
    made = report(verdict=None)
    entry = made.results["questions"][0]["tests"][0]
    entry |= {"apa": "M = 2.28, 95% CI [2.13, 2.43]", "p": None, "p_adjusted": None}
    entry["estimate"]["name"] = "mean"
    [asked] = words_of(made).planned
    assert asked.answers == (("M = 2.28, 95% CI [2.13, 2.43].",),)
