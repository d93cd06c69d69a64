"""What a plan will run: the tests, units and cells, and that no outcome is looked at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.analysis.plan import Plan, parse, read
from negstats.analysis.plan.columns import looks_at_outcome
from negstats.analysis.preregistration.check import check
from negstats.analysis.preregistration.draft import draft
from negstats.analysis.preregistration.lock import lock_of, open_lock, register, status
from negstats.analysis.preregistration.study_checks import find_faults
from negstats.analysis.run import run
from negstats.report.results_section import has_figure
from negstats.report.sentences import Question
from negstats.studies.study import Study
from tests.analysis.methods.designs import BY_ROW, report_of, study_of
from tests.analysis.plan.plans import FOLDER, SMALLEST
from tests.analysis.plan.studies import answering, noise, robot
from tests.conftest import ROOT, DataFolder

# The plans, the data, and the test that each question gets (two where only the outcome tells).
TESTS = {
    "robot": ("solver_cl", {"H1": ["paired"], "H2": ["equivalence"], "H3": ["paired"], "E1": ["paired"]}),
    "casino": ("casino", {"H1": ["pearson"], "H2": ["dyad"], "H3": ["logistic"], "E1": ["spearman"]}),
    "contract": (
        "contract_sim",
        {"H1": ["anova"], "H2": ["contrast"], "H3": ["loglinear"], "E1": ["chi_squared", "fisher"]},
    ),
    "dealornodeal": ("dealornodeal", {}),
}
# What the outcomes of the plans, and the numbers beside them, are made of.
OUTCOMES = {
    "robot": {"players.points", "games.rounds", "games.ended"},
    "casino": {"players.points", "games.ended", "answers.satisfaction", "answers.opponent_likeness"},
    "contract": {"players.points", "players.reached_goal", "games.ended"},
    "dealornodeal": {"players.points", "games.ended"},
}


@pytest.fixture(scope="module", params=list(TESTS))
def given(request: pytest.FixtureRequest, real_data: DataFolder) -> tuple[str, Plan, Study]:
    name = request.param
    data = TESTS[name][0]
    folder = ROOT / "datasets" / data / "study" if data == "contract_sim" else real_data(data)
    return name, read(FOLDER / f"{name}.toml"), negstats.load(folder)


@pytest.mark.slow
def test_the_tests_of_the_plans(given: tuple[str, Plan, Study]) -> None:
    name, plan, study = given
    assert find_faults(plan, study) == []
    found = check(plan, study)
    for one in found.questions:
        assert one.choice is not None
        tests = [one.choice.rule.test, *(other.rule.test for other in one.others)]
        assert tests == TESTS[name][1].get(one.id, tests)


@pytest.mark.slow
def test_the_plan_of_dyads_fits_an_export_of_a_platform(real_data: DataFolder) -> None:
    pytest.importorskip("negstats.loaders.otree", reason="this version has no loader for that platform")
    study = negstats.load(real_data("otree_dyads"))
    found = check(read(FOLDER / "otree_dyads.toml"), study)
    rows = {one.id: one.choice.row for one in found.questions if one.choice is not None}
    assert rows == {"H1": 18, "H2": 7, "H3": 26, "E1": 7}
    assert {one.came.design.units for one in found.questions} == {8}
    assert all(question.explore for question in parse(draft(study)).questions.values())


def said(plan: Plan, study: Study) -> list[str]:
    """Return what a check says but for how many values there are in all, and for doubts about the log."""
    found = check(plan, study)
    found = replace(found, questions=tuple(replace(one, complete=None) for one in found.questions), alarms=())
    return [*found.lines(), str(found.to_dict())]


@pytest.fixture(scope="module")
def said_of_given(given: tuple[str, Plan, Study]) -> list[str]:
    return said(given[1], given[2])


@pytest.mark.slow
@pytest.mark.parametrize("how", ["noise", "nothing", "nothing said"])
def test_no_outcome_is_looked_at(given: tuple[str, Plan, Study], said_of_given: list[str], how: str) -> None:
    name, plan, study = given
    other = noise(study, OUTCOMES[name], np.random.default_rng(8) if how == "noise" else None)
    if how == "nothing said":
        empty = {table: getattr(study, table).iloc[:0] for table in ("offers", "items", "messages")}
        other = replace(other, **empty)
    assert said(plan, other) == said_of_given


def lacking(places: list[int]) -> Study:
    """Return a study in which some values of the outcome, and with them some units, are missing."""
    study = robot(20)
    players = study.players.copy()
    agents = players.index[players["kind"] == "agent"]
    players.loc[agents[places], "points"] = float("nan")
    return replace(study, players=players)


@pytest.mark.slow
@pytest.mark.parametrize("engine", [False, True])
def test_the_n_of_the_report_is_said_before(engine: bool, tmp_path: Path) -> None:
    study: Any = lacking([4, 17])
    if engine:
        study = negstats.open_study(study.save(tmp_path / "study"), engine="polars")
    plan = parse(SMALLEST)
    (one,) = check(plan, study).questions
    [question] = run(plan, study).results["questions"]
    assert one.complete is not None
    assert one.complete.units == question["design"]["n_units"] == one.to_dict()["n_analysed"] == 18
    assert one.came.design.units == one.to_dict()["n_units"] == 20
    assert one.lines()[3] == (
        "  with an outcome, over all levels together: 18 people; 2 of 40 seats were excluded (no value of points); "
        "2 people without a value at each level"
    )


@pytest.mark.slow
def test_where_values_are_missing_is_not_said() -> None:
    """As many values are missing, of other units and at other levels: the check says the same."""
    one, other = (
        [*(found := check(parse(SMALLEST), lacking(places))).lines(), str(found.to_dict())]
        for places in ([4, 16], [5, 32])
    )
    assert one == other


@pytest.mark.slow
def test_a_lacking_level_counts() -> None:
    study = robot(20, lacking=2)
    (one,) = check(parse(SMALLEST), study).questions
    assert one.came.cells.to_dict("records") == [{"condition": "CL", "n": 20}, {"condition": "FC", "n": 18}]
    assert one.came.design.incomplete == 2


@pytest.mark.slow
def test_few_units_are_said_and_do_not_stop() -> None:
    study = replace(robot(), games=robot().games.assign(arm=["CL"] * 195 + ["FC"] * 3))
    text = SMALLEST.replace('"condition"', '"arm"')
    lines = check(parse(text), study).lines()
    assert any("note: plan.toml:1: questions.H1: 'FC' has 1 participant; a test needs 2" in line for line in lines)


@pytest.mark.slow
def test_what_has_no_test_says_why() -> None:
    study = answering(robot(), "mood", ["good", "bad", "so so"] * 22)
    text = '[questions.H1]\nasks = "a"\nmeasure = "mood"\nby = "condition"\n'
    text += '[measures.mood]\nanswer = "mood"\nkind = "nominal"\n'
    (one,) = check(parse(text), study).questions
    assert one.choice is None
    assert one.test is None
    assert any("no test: " in line for line in one.lines())


@pytest.mark.slow
def test_a_rule_on_an_outcome_is_marked() -> None:
    rule = '[[leave_out]]\ncolumn = "players.points"\nrelation = "<"\nvalue = 0.5\nreason = "too few"\n'
    plan = parse(SMALLEST + rule)
    assert looks_at_outcome(plan, plan.leave_out[0])
    assert any(line.endswith("(looks at an outcome)") for line in check(plan, robot()).lines() if "too few" in line)
    other = parse(SMALLEST + rule.replace("players.points", "games.rounds"))
    assert not looks_at_outcome(other, other.leave_out[0])


@pytest.mark.slow
def test_what_was_chosen_is_registered(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(SMALLEST, encoding="utf-8")
    study = robot(20)
    register(file, study, resolved=check(read(file), study).resolved)
    lock = open_lock(lock_of(file))
    assert lock is not None
    assert lock.resolved == {"H1": "paired"}
    levels = pd.Series(["CL", None, None] * 10 + ["FC", None, None] * 10, dtype="str")
    apart = replace(study, games=study.games.assign(condition=levels))
    now = status(read(file), lock, resolved=check(read(file), apart).resolved)
    assert [str(change) for change in now.changes] == ['resolved.H1: "paired" → "welch" (changes a number)']


@pytest.mark.slow
@pytest.mark.parametrize("row", [1, 2, 4, 6, 14, 27, 31, 41, 43])
def test_the_check_says_whether_the_report_will_have_the_figure(row: int) -> None:
    case = BY_ROW[row]
    report, plan = report_of(case), replace(case.plan(), factors={})  # the factors name answers that few cases have
    (line,) = (line for line in check(plan, study_of(case)).lines() if line.startswith("  figure: "))
    is_in_report = has_figure(Question(report.results, 0, report.plan))
    assert line.endswith(", in figures/Q.png and in report.docx") is is_in_report
    assert is_in_report is (row in (2, 14, 41, 43))
