"""The terms of a model of related rows: which way an interaction lies, and what its test is called."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from negstats.analysis import Report, run
from negstats.report.results_section import words_of
from tests.analysis.methods.designs import Case, within

# What is expected of a decision, or a count, in each cell: a less b is larger in x than in y.
SHARES = {("a", "x"): 0.8, ("a", "y"): 0.3, ("b", "x"): 0.3, ("b", "y"): 0.5}
SHEET = within({"condition": ["a", "b"], "country": ["x", "y"]}, times=8)
BY = 'by = ["condition", "country"]'


def answer(test: str, kind: str, question: str = "") -> Report:
    row = 35 if kind == "yes/no" else 40
    case = Case(row, test, SHEET, f'{BY}\ntest = "{test}"{question}', kind=kind, n=20)
    study = case.study(np.random.default_rng(3))
    conditions = study.games.set_index("game_id")[["condition", "country"]]
    cells = [tuple(cell) for cell in conditions.reindex(study.players["game_id"]).to_numpy()]
    expected = np.array([SHARES[condition, country] for condition, country in cells])
    rng = np.random.default_rng(5)
    values = rng.random(len(cells)) < expected if kind == "yes/no" else rng.poisson(4 * expected)
    return run(case.plan(), replace(study, players=study.players.assign(points=values.astype(float))))


@pytest.mark.parametrize("kind", ["yes/no", "count"])
@pytest.mark.parametrize("test", ["mixed", "gee"])
def test_an_interaction_of_two_factors_lies_as_its_cells_do(test: str, kind: str) -> None:
    for larger, smaller, verdict in (("x", "y", "supported"), ("y", "x", "not supported")):
        question = f'\neffect = "condition:country"\npredicts = "a - b in {larger} > a - b in {smaller}"'
        (entry,) = answer(test, kind, question).results["questions"]
        assert entry["verdict"].partition(";")[0].partition(" (")[0] == verdict


def test_the_ratio_of_an_interaction_is_that_of_its_cells() -> None:
    (entry,) = answer("mixed", "yes/no", '\neffect = "condition:country"').results["questions"]
    odds = {tuple(cell["levels"].values()): cell["count"] / (cell["n"] - cell["count"]) for cell in entry["cells"]}
    of_cells = (odds["a", "x"] / odds["b", "x"]) / (odds["a", "y"] / odds["b", "y"])
    (test,) = [test for test in entry["tests"] if test["role"] == "answer"]
    assert test["statistic"] > 0
    assert np.log(test["effect"]["value"]) == pytest.approx(np.log(of_cells), rel=0.2)  # of a person, not of all people


@pytest.mark.parametrize("test", ["mixed", "gee"])
def test_a_term_that_the_plan_names_among_several_is_in_the_address_and_the_sentence(test: str) -> None:
    report = answer(test, "yes/no", '\neffect = "condition"')
    (entry,) = report.results["questions"]
    assert [record["address"] for record in entry["tests"] if record["role"] == "answer"] == ["Q/condition"]
    text = words_of(report).text
    assert "differed by country" not in text  # which is what an interaction is said to do
    assert "by condition" in text
