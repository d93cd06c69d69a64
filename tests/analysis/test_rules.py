"""The table of auto: every row has a design that forces it, and no outcome's values choose a row."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
import scipy.stats

from negstats.analysis import run
from negstats.analysis.entries import schema
from negstats.analysis.rules import LEADING, RULES, DesignFeatures, choose_rule, markdown
from negstats.errors import DesignError
from negstats.studies.study import Study
from tests.analysis.methods.designs import BY_ROW, CASES, Case, report_of

VALID = jsonschema.Draft202012Validator(schema())


def rule_of(case: Case, study: Study) -> tuple[int, list[int]]:
    rule = run(case.plan(), study).results["questions"][0]["rule"]
    return rule["row"], rule.get("then", [])


# p of a statistic and its degrees of freedom. A sum of ranks and τ have none: their p is exact, or that of z.
TAILS: dict[str, Callable[..., Any]] = {
    "z": lambda x: 2 * scipy.stats.norm.sf(abs(x)),
    "t": lambda x, df: 2 * scipy.stats.t.sf(abs(x), df),
    "f": scipy.stats.f.sf,
    **dict.fromkeys(("chi2", "g2", "h", "q"), scipy.stats.chi2.sf),
}


def has_p_of_its_statistic(test: dict[str, Any]) -> bool:
    """Whether p follows from the statistic beside it, is said to be exact, or is of no distribution of it."""
    is_of_another = test["method"] == "games_howell" or test["alternative"] != "two-sided" or test["kind"] not in TAILS
    if test["statistic"] is None or test.get("exact") or is_of_another:
        return True
    return bool(TAILS[test["kind"]](test["statistic"], *test["df"]) == pytest.approx(test["p"], rel=1e-6, abs=1e-12))


def test_there_is_a_design_for_each_of_the_rows() -> None:
    rows = sorted({rule.row for rule in (*RULES, *LEADING)})
    assert sorted(BY_ROW) == rows == [*range(1, len(rows) + 1)]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.row))
def test_a_design_forces_its_row_and_test(case: Case) -> None:
    report = report_of(case)
    (entry,) = report.results["questions"]
    VALID.validate(json.loads(json.dumps(report.results, allow_nan=False)))
    addresses = [test["address"] for test in entry["tests"]]
    assert len(set(addresses)) == len(addresses), "an address stands for one test"
    assert entry["rule"]["row"] == case.row
    if not case.test:
        assert entry["verdict"].startswith("not tested: ")
        assert entry["tests"] == []
        return
    last = entry["rule"].get("then", [case.row])[-1]
    assert next(rule for rule in RULES if rule.row == last).test == case.test
    assert not entry["verdict"].startswith("cannot"), entry["verdict"]
    answers = [test for test in entry["tests"] if test["role"] == "answer"]
    assert answers
    assert all(0 < test["p"] <= 1 for test in answers)
    assert [test["address"] for test in entry["tests"] if not has_p_of_its_statistic(test)] == []
    assert report.questions["Q"].result is not None


@pytest.mark.slow
@pytest.mark.parametrize("row", [1, 17, 19, 21, 24, 27, 28, 31, 34, 35, 37, 39, 40, 41, 47])
def test_no_row_is_reached_by_changing_outcomes_alone(row: int) -> None:
    case = BY_ROW[row]
    study = case.study(np.random.default_rng(5))
    rng = np.random.default_rng(row)
    players = study.players.assign(points=rng.permutation(study.players["points"].to_numpy()))
    answers = study.answers.copy()
    mood = (answers["question"] == "mood").to_numpy()
    answers.loc[mood, "answer"] = rng.permutation(answers.loc[mood, "answer"].to_numpy())
    assert rule_of(case, replace(study, players=players, answers=answers)) == rule_of(case, study)


@pytest.mark.slow
@pytest.mark.parametrize("row", [1, 2, 6, 17, 20, 22, 41])
def test_the_size_and_shape_of_values_choose_no_row(row: int) -> None:
    """Skewed, heavy-tailed, unequal in spread: a test of assumptions would choose; the design does not."""
    case = BY_ROW[row]
    study = case.study(np.random.default_rng(6))
    wild = np.exp(3 * study.players["points"].to_numpy())
    assert rule_of(case, replace(study, players=study.players.assign(points=wild))) == rule_of(case, study)


def test_a_row_of_every_test_is_reached_by_its_name() -> None:
    for rule in RULES:
        if rule.test:
            facts = DesignFeatures(**{name: values[0] for name, values in rule.conditions.items()})  # type: ignore[arg-type]
            assert choose_rule(facts, rule.test).rule.test == rule.test


@pytest.mark.slow
def test_whatever_the_facts_a_row_is_found_or_the_design_is_named() -> None:
    fields = {field.name: field for field in dataclasses.fields(DesignFeatures)}
    kinds = ("interval", "yes/no", "count", "ordered", "nominal", "time")
    shapes = ("none", "two groups", "groups", "factorial", "pairs", "within", "two within", "2 x 2 mixed", "mixed")
    extras = ("none", "covariate", "number", "numbers", "number and factor")
    assert {"kind", "shape", "extra"} < set(fields)
    refused = tried = 0
    for kind, shape, extra, inside in product(kinds, shapes, extras, (False, True)):
        tried += 1
        try:
            choose_rule(DesignFeatures(kind, shape, extra, inside=inside, linked="pairs" if inside else "alone"))  # type: ignore[arg-type]
        except DesignError as error:
            refused += kind in str(error)
        else:
            refused += 1
    assert refused == tried


def test_ordered_answers_may_be_taken_for_numbers_by_name() -> None:
    assert choose_rule(DesignFeatures("ordered", "two groups"), "welch").row == 1
    assert choose_rule(DesignFeatures("interval", "two groups"), "brunner_munzel").row == 41
    assert choose_rule(DesignFeatures("yes/no", "two groups", small=True), "chi_squared").row == 27


def test_the_table_of_the_documentation_is_the_table() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "run.md"
    assert markdown() in page.read_text(encoding="utf-8")
    lines = markdown().splitlines()
    assert len(lines) == 2 + len(RULES) + len(LEADING)
    assert lines[2].startswith("| 1 | interval · two groups | `welch` | difference, g |")


@pytest.mark.slow
@pytest.mark.parametrize("row", [4, 17, 20])
def test_the_same_plan_has_the_same_bits_each_time(row: int) -> None:
    """Threads that add up a group's numbers as they finish changed the last digit in one run of ten."""
    case = BY_ROW[row]
    study = case.study(np.random.default_rng(row))
    assert len({json.dumps(run(case.plan(), study).results) for _ in range(15)}) == 1
