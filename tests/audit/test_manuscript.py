"""A manuscript against the results of its plan: the robot study's answers, and texts that report them well or badly."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from negstats.audit import audit_against
from negstats.audit.computed import Computed, Results, forms, read_results
from negstats.audit.manuscript import Manuscript
from negstats.audit.reading import document
from negstats.errors import LogError
from negstats.stats.results import apa

# What says of a value of each kind how probable a larger one is.
TAILS: dict[str, Any] = {
    "t": lambda x, df: 2 * stats.t.sf(abs(x), *df),
    "r": lambda x, df: 2 * stats.t.sf(abs(x) * np.sqrt(df[0] / (1 - x**2)), *df),
    "f": lambda x, df: stats.f.sf(x, *df),
    "z": lambda x, _: 2 * stats.norm.sf(abs(x)),
    "chi2": lambda x, df: stats.chi2.sf(x, *df),
}


@pytest.mark.parametrize(
    ("kind", "value", "df", "printed"),
    [
        ("t", -2.5, (65.0,), ["t", "f", "r"]),
        ("r", 0.3, (65.0,), ["r", "f", "t"]),
        ("r", 1.0, (65.0,), ["r"]),
        ("f", 6.25, (1.0, 65.0), ["f", "t"]),
        ("f", 6.25, (2.0, 65.0), ["f"]),
        ("z", -2.1, (), ["z", "chi2"]),
        ("chi2", 4.4, (1.0,), ["chi2", "z"]),
        ("chi2", 4.4, (2.0,), ["chi2"]),
        ("w", 12.0, (), ["w"]),
    ],
)
def test_forms_that_convert_have_one_p(kind: str, value: float, df: tuple[float, ...], printed: list[str]) -> None:
    found = [*forms(Computed("H1", "H1", "answer", kind, value, df, 0.01, None, True, (), (), "", ""))]
    assert [form.kind for form in found] == printed
    assert [form.converted for form in found] == [False] + [True] * (len(printed) - 1)
    if len(found) > 1:
        np.testing.assert_allclose([TAILS[form.kind](form.value, form.df) for form in found], TAILS[kind](value, df))
        assert all(form.value * value > 0 for form in found if form.kind in "trz" and kind in "tr")


def test(address: str, kind: str, statistic: float, df: list[float], p: float, **more: Any) -> dict[str, Any]:
    role = "beside" if "#" in address else "answer"
    plain: dict[str, Any] = {
        "alternative": "two-sided",
        "p_adjusted": None,
        "estimate": None,
        "effect": None,
        "n": [66],
    }
    line = apa.statistic(kind, statistic, tuple(df), p)
    computed = {"address": address, "role": role, "method": "paired", "kind": kind, "statistic": statistic, "df": df}
    return {**computed, "p": p, "apa": line, **plain, **more}


test.__test__ = False  # type: ignore[attr-defined]


def question(id_: str, measure: str, who: str | None, tests: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    design = {"factors": [{"name": "condition", "lies": "within", "levels": ["CL", "FC"]}]}
    return {"id": id_, "asks": f"{id_}?", "explored": False, "measure": measure, "who": who, "design": design,
            "cells": [], "tests": tests, **more}  # fmt: skip


def effect(name: str, value: float, low: float, high: float) -> dict[str, Any]:
    return {"name": name, "value": value, "low": low, "high": high, "level": 0.95}


CELLS = [
    {"levels": {"condition": "CL"}, "n": 66, "mean": 0.7503787878787879, "sd": 0.06437456859339007},
    {"levels": {"condition": "FC"}, "n": 66, "mean": 0.728030303030303, "sd": 0.07551300849664547},
]
H1 = question(
    "H1",
    "points",
    "agent",
    [
        test("H1", "t", 2.4605359204912265, [65.0], 0.01653914884926653, p_adjusted=0.03307829769853306,
             effect=effect("d_z", 0.30287103506146995, 0.054970304867767085, 0.5485451420026772)),
        test("H1#ranks", "z", 2.149598489138773, [], 0.03158698803597908, method="wilcoxon"),
    ],
    cells=CELLS,
)  # fmt: skip
H2 = question("H2", "points", "human", [test("H2", "t", 3.6311040034532076, [65.0], 0.0002785309070730995,
                                             alternative="greater")])  # fmt: skip
H3 = question("H3", "rounds", None, [test("H3", "t", -1.516861748880692, [65.0], 0.1341502874026907,
                                          p_adjusted=0.1341502874026907)])  # fmt: skip
E1 = question("E1", "concession_rate", "human", [test("E1", "t", 2.1302159884825427, [65.0], 0.03694366551536165)],
              explored=True)  # fmt: skip


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Results:
    file = tmp_path_factory.mktemp("report") / "results.json"
    file.write_text(json.dumps({"schema": "negstats.results/1", "questions": [H1, H2, H3, E1]}))
    return read_results(file)


def against(text: str, results: Results) -> Manuscript:
    return audit_against(document(text), results)


# The twelve cases of the definition: what the text says, the verdict, whose test it is, and what the reason holds.
CASES = [
    ("The agent earned more in CL, t(65) = 2.46, p = .017, d_z = 0.30.", "agrees", "H1", ""),
    ("They differed, t(65) = 2.64, p = .017.", "differs", "H1", "t is 2.46, printed 2.64"),
    ("They differed, t(65) = 2.46, p = .033 (Holm).", "agrees", "H1", "corrected p"),
    ("They differed, t(65) = 2.46, p = .07.", "differs", "H1",
     "p = .017 (corrected = .033), printed p = .07: crosses 0.05"),
    ("Negotiations were shorter in rounds, t(65) = 2.46, p = .017.", "belongs to another question", "H1",
     "H3, which is t(65) = −1.52"),
    ("mean = 37.27 points, t(65) = -1.52, p = .134.", "agrees", "H3", ""),  # a unit behind a number names no question
    ("They differed, t(64) = 2.46, p = .017.", "differs", "H1", "df is 65, printed 64"),
    ("It was so, t(65) = 2, p < .05.", "ambiguous", "H1, E1", ""),
    ("They differed, t(65) = −2.46, p = .017 (FC − CL).", "agrees (sign turned)", "H1", ""),
    ("They differed, F(1, 65) = 6.05, p = .017.", "agrees (converted)", "H1", ""),
    ("They differed, z = 2.15, p = .032.", "agrees", "H1#ranks", ""),
    ("Ratings rose, t(49) = 4.12, p < .001.", "not in the results", "", "nearest"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "verdict", "address", "why"), CASES)
def test_the_worked_cases(robot: Results, text: str, verdict: str, address: str, why: str) -> None:
    (match, *_) = against(text, robot).matches
    assert (match.verdict, match.address) == (verdict, address)
    assert why in match.why


def test_a_question_that_is_not_reported_and_one_that_was_never_planned(robot: Results) -> None:
    comparison = against(
        "The agent earned more, t(65) = 2.46, p = .017. People earned the same, t(65) = 3.63, p < .001. "
        "As predicted, people conceded more, t(65) = 2.13, p = .037.",
        robot,
    )
    assert [(match.verdict, match.address) for match in comparison.matches] == [
        ("agrees", "H1"),
        ("agrees", "H2"),
        ("explored, not planned", "E1"),
        ("planned, not reported", "H3"),
    ]
    assert [match.address for match in comparison.wrong] == ["H3"]
    assert comparison.text().splitlines()[0] == "text: 2 agrees, 1 explored, not planned, 1 planned, not reported"
    assert list(comparison.to_frame()["verdict"]) == [match.verdict for match in comparison.matches]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("People got 2.28 points, 95% CI [2.13, 2.43].", "agrees"),
        ("People got 2.28 points (95\\% CI [2.1, 2.4]).", "agrees"),
        ("People got 2.28 points, 95% CI [2.13, 2.44].", "planned, not reported"),
        ("People got 2.28 points, 90% CI [2.13, 2.43].", "planned, not reported"),
        ("People got points.", "planned, not reported"),
    ],
)
def test_a_question_that_tests_nothing_is_reported_by_its_interval(text: str, verdict: str, tmp_path: Path) -> None:
    mean = effect("mean", 2.28, 2.1337838171679073, 2.4262161828320923)
    mean_test = {**test("H1", "t", 0.0, [], 0.5), "statistic": None, "p": None, "estimate": mean}
    file = tmp_path / "results.json"
    asked = question("H1", "points", "human", [{**mean_test, "apa": "M = 2.28, 95% CI [2.13, 2.43]"}])
    file.write_text(json.dumps({"schema": "negstats.results/1", "questions": [asked]}))
    (match,) = against(text, read_results(file)).matches
    assert (match.verdict, match.address) == (verdict, "H1")


def test_a_predictor_that_is_the_measure_of_another_question_does_not_accuse(tmp_path: Path) -> None:
    asked = question("H4", "joint_value", None, [test("H4/rounds", "t", -2.9912, [111.2], 0.0034)])
    file = tmp_path / "results.json"
    file.write_text(json.dumps({"schema": "negstats.results/1", "questions": [H3, asked]}))
    first, *_ = against("rounds: t(111.20) = -2.99, p = .003.", read_results(file)).matches
    assert (first.verdict, first.address) == ("agrees", "H4/rounds")


def test_what_is_called_explored_is_not_accused(robot: Results) -> None:
    comparison = against("In an exploratory analysis nobody had predicted, it rose, t(65) = 2.13, p = .037.", robot)
    assert comparison.matches[0].verdict == "agrees"


def test_two_results_interchanged_belong_to_each_other(robot: Results) -> None:
    text = "Rounds were fewer, t(65) = 2.46, p = .017. The points of the agent, t(65) = −1.52, p = .134."
    matches = against(text, robot).matches[:2]
    assert [(match.verdict, match.address) for match in matches] == [
        ("belongs to another question", "H1"),
        ("belongs to another question", "H3"),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("The agent in CL, t(65) = 2.46, p = .017, d_z = 0.35.", "d_z is 0.3029, printed 0.35"),
        ("The agent in CL, t(65) = 2.46, p = .017, d_z = 0.30, 95% CI [0.05, 0.65].", "printed [0.05, 0.65]"),
        ("The agent, CL (M = 0.75), FC (M = 0.83), t(65) = 2.46, p = .017.", "M of FC is 0.728, printed 0.83"),
        ("The agent, CL (M = 0.75, SD = 0.09), t(65) = 2.46, p = .017.", "SD of CL is 0.06437, printed 0.09"),
    ],
)
def test_what_stands_around_a_match_is_compared(robot: Results, text: str, why: str) -> None:
    match = against(text, robot).matches[0]
    assert match.verdict == "differs"
    assert why in match.why


@pytest.mark.parametrize(
    "text",
    [
        "The agent, CL (M = 0.75, SD = 0.06), FC (M = 0.73), t(65) = 2.46, p = .017, d_z = 0.30, 95% CI [0.05, 0.55].",
        "The agent earned more, t(65) = 2.46, d_z = .30, p = .017; the effect g = 0.9 of another study is larger.",
        "The agent earned more, t(65) = 2.46, 90% CI [0.1, 0.2], p = .017.",
    ],
)
def test_what_no_word_names_is_left_alone(robot: Results, text: str) -> None:
    assert against(text, robot).matches[0].verdict == "agrees"


def test_a_p_alone_never_accuses(robot: Results) -> None:
    verdicts = [
        against(text, robot).matches[0].verdict
        for text in (
            "Rounds did not differ, ps > .13.",
            "Rounds differed, p = .02.",
            "All ts < 1, ps > .13 for rounds.",
        )
    ]
    assert verdicts == ["agrees (only p printed)", "not compared", "not compared"]


def test_a_further_p_of_a_result_is_its_own(robot: Results) -> None:
    comparison = against("It was higher in CL, t(65) = 2.46, p = .017. Corrected by Holm: p = .033.", robot)
    assert [match.verdict for match in comparison.matches[:2]] == ["agrees", "agrees (only p printed)"]
    comparison = against("It was higher in CL, t(65) = 2.46, p = .017. Corrected by Holm: p = .044.", robot)
    assert comparison.matches[1].verdict == "not compared"


LINES = {one["id"]: one["tests"][0] for one in (H1, H2, H3, E1)}


@given(st.sampled_from(sorted(LINES)), st.integers(0, 12), st.integers(0, 9))
def test_a_changed_digit_is_found_and_an_unchanged_text_agrees(
    robot: Results, name: str, place: int, digit: int
) -> None:
    line = LINES[name]["apa"]
    assert against(f"{name}: {line}.", robot).matches[0].verdict == "agrees"
    # What changes "p < .001" into another bound that holds is not a fault.
    digits = [match.start() for match in re.finditer(r"\d", line.partition("p <")[0])]
    at = digits[place % len(digits)]
    changed = line[:at] + str(digit) + line[at + 1 :]
    assume(changed != line and not changed.startswith("t(0"))
    match = against(f"{name}: {changed}.", robot).matches[0]
    assert (match.verdict, match.address) == ("differs", name), changed


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is not JSON"),
        ("[]", "has no schema"),
        ('{"schema": "negstats.results/2"}', "schema is negstats.results/2; this negstats reads negstats.results/1"),
        ('{"schema": "negstats.results/1"}', "is not what a report writes"),
        ('{"schema": "negstats.results/1", "questions": [3]}', "is not what a report writes"),
        ('{"schema": 3}', "schema is 3"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_what_is_no_results_is_one_line(tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "results.json"
    file.write_text(content)
    with pytest.raises(LogError, match=re.escape(f"{file}: ") + ".*" + re.escape(says)) as error:
        read_results(file)
    assert "\n" not in str(error.value)


def test_a_sentence_that_names_a_question_is_never_held_against_another(robot: Results) -> None:
    text = "H3 was tested on the number of rounds, t(65) = 2.46, p = .134."  # the t is that of H1
    [value] = [match for match in audit_against(document(text), robot).matches if match.reported]
    assert (value.verdict, value.address) == ("differs", "H3")
    assert "t is \u22121.52, printed 2.46" in value.why
