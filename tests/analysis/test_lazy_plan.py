"""A plan run on a study whose rows stay with an engine: the numbers of the run in memory, and no row in silence."""

from __future__ import annotations

import copy
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from typer.testing import CliRunner

import negstats
from negstats import datasets
from negstats.analysis import Report, run
from negstats.analysis.methods import inputs as in_engine
from negstats.analysis.plan.parse import parse, read
from negstats.analysis.power.planned import size_there
from negstats.analysis.preregistration.check import check
from negstats.analysis.preregistration.draft import draft
from negstats.analysis.preregistration.study_checks import find_faults
from negstats.analysis.questions.quality import SAME_GAME, SAME_OFFER
from negstats.cli import app
from negstats.studies.study import Study
from tests.analysis.methods.designs import BY_ROW, CASES, Case, report_of, study_of
from tests.studies.engine_table import counting

runner = CliRunner()
ROOT = Path(__file__).resolve().parents[2]
STUDIES = {
    "robot": datasets.folder("robot") / "study",
    "casino": datasets.folder("casino") / "study",
    "contract": ROOT / "datasets" / "contract_sim" / "study",
}
# Rows of the table whose answer is made of the rows themselves; all others answer from summaries.
OF_ROWS = (11, 12, 14, 15, 21, 33, 35, 40, 44, 45, 46, 49, 50, 51, 52, 53)
# Not looked for where rows stay with an engine.
ALONE = SAME_GAME
LEFT = "Not computed: "

Name = Literal["duckdb", "polars", "pyspark"]


def alike(here: Any, there: Any, where: str = "") -> None:
    """Assert that two JSON values are the same, numbers to nine digits."""
    if isinstance(here, dict) and isinstance(there, dict):
        assert set(here) == set(there), where
        for name in here:
            alike(here[name], there[name], f"{where}/{name}")
    elif isinstance(here, list) and isinstance(there, list):
        assert len(here) == len(there), (where, here, there)
        for place, (one, other) in enumerate(zip(here, there, strict=True)):
            alike(one, other, f"{where}[{place}]")
    elif isinstance(here, float) and isinstance(there, float):
        assert math.isclose(here, there, rel_tol=1e-9, abs_tol=1e-9), (where, here, there)
    else:
        assert here == there, where


def opened(study: Study, folder: Path, engine: Name) -> Any:
    return negstats.open_study(study.save(folder / "study"), engine=engine)


def compared(here: Report, there: Report) -> set[str]:
    """Assert that two reports say the same; return what the second has not, which stands beside answers only."""
    one, other = copy.deepcopy(here.results), copy.deepcopy(there.results)
    one["quality"] = [row for row in one["quality"] if row["what"] not in (ALONE, SAME_OFFER)]
    if other["correlations"] is None:  # of the values of units
        del one["correlations"], other["correlations"]
        one.pop("orders", None)  # of the seats, which stay with the engine too
    gone = set()
    for mine, theirs in zip(one["questions"], other["questions"], strict=True):
        known = {test["address"] for test in theirs["tests"]}
        lost = [test for test in mine["tests"] if test["address"] not in known]
        assert all(test["role"] == "beside" or test["address"].endswith(" of the partner") for test in lost), lost
        notes = [note for note in theirs["notes"] if note.startswith(LEFT) and note not in mine["notes"]]
        theirs["omitted"] = [one for one in theirs["omitted"] if one["reason"]]  # the others need the rows
        assert bool(notes) == bool(lost)
        gone |= {test["method"] for test in lost}
        for name in ("notes", "remarks"):  # the remarks are the notes on the whole answer
            theirs[name] = [note for note in theirs[name] if note not in notes]
        mine["tests"] = [test for test in mine["tests"] if test["address"] in known]
        if theirs["assumptions"] is None:  # they are measured of the values
            del mine["assumptions"], theirs["assumptions"]
        mine["checks"] = [check for check in mine["checks"] if check["address"] in known]
        for ours, engines in zip(mine["variables"], theirs["variables"], strict=True):
            if "partner_r" not in engines:  # the association of two seats, which stay with the engine
                ours.pop("partner_r", None)
        for question in (mine, theirs):  # random arrangements are drawn of rows in another order
            question["tests"] = [test for test in question["tests"] if "random" not in test["apa"]]
            for test in question["tests"]:
                test |= {"effect": None, "apa": ""} if test["method"] == "friedman" else {}
    alike(one, other)
    return gone


# One design a row of the table; a design whose test is that of another row stands there.
SUMMARIES = [case for case in CASES if case.row not in (*OF_ROWS, 22, 23, 48) and case is BY_ROW[case.row]]


@pytest.mark.slow
@pytest.mark.parametrize("case", SUMMARIES, ids=lambda case: f"{case.row}-{case.test}")
def test_each_row_that_takes_a_summary_says_the_same(case: Case, tmp_path: Path) -> None:
    study = study_of(case)
    with counting() as sizes:
        there = run(case.plan(), opened(study, tmp_path, "polars"), max_rows=0)
    compared(report_of(case), there)
    distinct = study.players["points"].nunique()
    ranks = any(test["method"] in RANKS for test in there.results["questions"][0]["tests"])
    assert max(sizes) <= (3 * distinct if ranks else 16)


RANKS = ("mann_whitney", "kruskal_wallis", "relative_effects", "wilcoxon", "brunner_munzel")


@pytest.mark.slow
@pytest.mark.parametrize("row", OF_ROWS)
def test_a_test_of_rows_says_so_by_its_name_and_takes_them_if_it_may(row: int, tmp_path: Path) -> None:
    case = BY_ROW[row]
    study = study_of(case)
    lazy = opened(study, tmp_path, "polars")
    with counting() as sizes:
        [refused] = run(case.plan(), lazy, max_rows=0).results["questions"]
    assert re.search(r"^not tested: .+ needs \d+ rows, which stay with polars; .*max_rows=\d+", refused["verdict"])
    assert refused["tests"] == []
    assert max(sizes) <= len(study.players) // 2
    assert compared(report_of(case), run(case.plan(), lazy)) == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "engine", "beside"),
    [("robot", "duckdb", set()), ("contract", "polars", {"logistic"})],
)
def test_the_plans_of_the_shipped_studies_say_the_same(name: str, engine: Name, beside: set[str]) -> None:
    plan, folder = read(ROOT / "tests" / "plans" / f"{name}.toml"), STUDIES[name]
    here = run(plan, negstats.open_study(folder))
    with counting() as sizes:
        there = run(plan, negstats.open_study(folder, engine=engine), max_rows=0)
    assert compared(here, there) == beside
    assert max(sizes) <= 60  # distinct values of a measure
    assert [answer.figure for answer in there.answers.values()] == [
        {"lines": "cells", "points": "cells"}.get(str(answer.figure), answer.figure) for answer in here.answers.values()
    ]


@pytest.mark.slow
def test_a_plan_of_casino_names_what_needs_rows() -> None:
    plan = read(ROOT / "tests" / "plans" / "casino.toml")
    answers = run(plan, negstats.open_study(STUDIES["casino"], engine="polars"), max_rows=0).answers
    assert {name for name, answer in answers.items() if not answer.estimated} == {"H1", "H3", "E1"}
    assert "logistic regression needs 1,030 rows" in answers["H3"].entry["verdict"]


RULES = """
[[leave_out]]
column = "games.country"
value = "China"
reason = "another session"
[[leave_out]]
column = "players.points"
relation = "<"
value = 60
takes = "person"
reason = "did not try"
[[leave_out]]
column = "offers.round"
relation = "in"
value = [1, 2]
reason = "trial rounds"
[[leave_out]]
column = "games.rounds"
relation = "missing"
reason = "not played"
"""
QUESTIONS = """
[questions.H1]
asks = "Does the reward matter?"
measure = "joint_value"
by = "condition"
only = { condition = ["HvsH", "HvsSP-A"] }
[questions.H2]
asks = "Do people offer more?"
measure = "generosity"
who = "human"
by = "country"
only = { country = ["Israel", "USA"] }
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_what_a_plan_leaves_out_is_counted_the_same(engine: Name) -> None:
    plan = parse(QUESTIONS + RULES)
    here = run(plan, negstats.open_study(STUDIES["contract"]))
    there = run(plan, negstats.open_study(STUDIES["contract"], engine=engine), max_rows=0)
    assert here.results["flow"][0]["games"] > 0
    compared(here, there)
    assert there.study.rows("items") == len(here.study.items)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["robot", "casino", "contract"])
def test_a_plan_is_checked_and_drafted_the_same(name: str) -> None:
    plan = read(ROOT / "tests" / "plans" / f"{name}.toml")
    here, there = negstats.open_study(STUDIES[name]), negstats.open_study(STUDIES[name], engine="polars")
    one, other = check(plan, here), check(plan, there)
    assert other.lines() == one.lines()
    assert other.to_dict() == one.to_dict()
    plans = [[line for line in draft(study).splitlines() if not line.startswith("#")] for study in (here, there)]
    assert plans[1] == plans[0]


@pytest.mark.slow
def test_the_size_for_the_power_of_rows_is_the_same(tmp_path: Path) -> None:
    case = BY_ROW[19]
    expect = 'expect = { cells = [{ svo = "self", mean = 1 }, { svo = "social", mean = 2 }], sd = 2, r = 0.3 }'
    plan = replace(case, question=f'{case.question}\ntest = "dyad"\n{expect}').plan()
    study = case.study(np.random.default_rng(1))
    here, there = (check(plan, one).questions[0] for one in (study, opened(study, tmp_path, "polars")))
    size = size_there(here.question, here.came)
    assert 0 < size < here.came.cells["n"].min()
    assert size_there(there.question, there.came) == size


WRONG = """
[measures.mood]
answer = "mood"
scale = ["m1", "m2"]
[measures.age]
answer = "ages"
[factors.condition]
levels = ["a", "zz"]
[questions.H1]
asks = "Is there a difference?"
measure = "mood"
by = "condition"
[questions.H2]
asks = "Is there a difference?"
measure = "points"
who = "robots"
by = "land"
[questions.H3]
asks = "Is there a difference?"
measure = "potential_realised"
by = "condition"
"""


@pytest.mark.slow
def test_faults_of_a_plan_are_named_the_same(tmp_path: Path) -> None:
    study = BY_ROW[1].study(np.random.default_rng(1))
    plan = parse(WRONG)
    here, there = (
        {str(fault) for fault in find_faults(plan, one)} for one in (study, opened(study, tmp_path, "duckdb"))
    )
    assert len(here) >= 6
    assert {line for line in there ^ here if "potential_realised" not in line} == set()
    assert any("as arrays, which no engine has" in line for line in there)


@pytest.mark.slow
def test_ranks_of_too_many_values_are_named_beside_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = BY_ROW[1]
    monkeypatch.setattr(in_engine, "DISTINCT", 5)
    found = run(case.plan(), opened(case.study(np.random.default_rng(1)), tmp_path, "polars"), max_rows=0)
    [question] = found.results["questions"]
    assert [test["method"] for test in question["tests"]] == ["welch"]
    assert any(note.startswith(f"{LEFT}ranks of values of which nearly all differ") for note in question["notes"])


@pytest.mark.slow
def test_the_report_of_a_lazy_study_is_written(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    asked = 'asks = "Who earns more?"\nmeasure = "points"\nwho = "agent"\nby = "condition"'
    plan.write_text(f"[questions.H1]\n{asked}\n", encoding="utf-8")
    words = ["run", str(plan), str(STUDIES["robot"])]
    answered = runner.invoke(app, [*words, "--engine", "polars", "--out", str(tmp_path / "report")])
    assert answered.exit_code == 0, answered.output
    assert "t(65) = 2.46, p = .017" in answered.output
    assert (tmp_path / "report" / "figures" / "H1.png").exists()
    assert "--max-rows needs --engine" in str(runner.invoke(app, [*words, "--max-rows", "5"]).exception)


@pytest.mark.slow
def test_the_first_games_of_a_lazy_study_are_a_study(tmp_path: Path) -> None:
    some = negstats.open_study(STUDIES["robot"], engine="duckdb").some(10)
    whole = negstats.open_study(STUDIES["robot"])
    ids = sorted(whole.games["game_id"])[:10]
    assert list(some.games["game_id"]) == ids
    assert len(some.offers) == whole.offers["game_id"].isin(ids).sum()


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_no_name_of_a_factor_is_taken_for_a_mark_of_exclusions(engine: Name, tmp_path: Path) -> None:
    study = datasets.robot()
    # The names of the marks themselves; rules are counted in the order of their names, so each leaves out some games.
    longest = {"g0": 14, "g1": 12, "t0": 10, "t1": 8}
    columns = {name: np.where(study.games["rounds"] > end, "long", "short") for name, end in longest.items()}
    study = replace(study, games=study.games.assign(**columns))
    rules = [f'{{ column = "games.{name}", value = "long", reason = "over {end}" }}' for name, end in longest.items()]
    plan = parse(f"""
leave_out = [{{ column = "games.session", value = "Demo", reason = "practice" }}, {", ".join(rules)}]
factors.condition.levels = ["CL", "FC"]
[questions.H1]
asks = "Does the agent earn more?"
measure = "points"
who = "agent"
by = "condition"
""")
    here, there = run(plan, study), run(plan, opened(study, tmp_path, engine), max_rows=0)
    assert here.results["flow"] == there.results["flow"]
    assert all(row["games"] > 0 for row in here.results["flow"])
    compared(here, there)
