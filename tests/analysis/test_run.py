"""A plan is run: results, and the command that writes them."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from typer.testing import CliRunner

import negstats
from negstats.analysis import Report, run
from negstats.analysis.entries import schema
from negstats.analysis.plan.parse import parse, read
from negstats.analysis.questions.exclusions import apply_exclusions
from negstats.cli import app
from tests.analysis.methods.designs import BY_ROW
from tests.analysis.plan.plans import SMALLEST
from tests.conftest import DataFolder

ROOT = Path(__file__).resolve().parents[2]
PLANS = ROOT / "tests" / "plans"
EXACT = 1e-12


@cache
def reported(plan: str, data: str) -> Report:
    return run(read(PLANS / f"{plan}.toml"), negstats.load(data))


@pytest.fixture(scope="module")
def robot(real_data: DataFolder) -> Report:
    return reported("robot", str(real_data("solver_cl")))


@pytest.fixture(scope="module")
def casino(real_data: DataFolder) -> Report:
    return reported("casino", str(real_data("casino")))


@pytest.fixture(scope="module")
def contract() -> Report:
    return reported("contract", str(ROOT / "datasets" / "contract_sim" / "study"))


def entry(report: Report, question: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in report.results["questions"] if one["id"] == question)
    return found


def test_of(report: Report, address: str) -> dict[str, Any]:
    tests: list[dict[str, Any]] = [
        test for one in report.results["questions"] for test in one["tests"] if test["address"] == address
    ]
    assert len(tests) == 1, f"{address}: {[t['address'] for q in report.results['questions'] for t in q['tests']]}"
    return tests[0]


test_of.__test__ = False  # type: ignore[attr-defined]


# Of each test its statistic and p, computed by hand; the whole of the results is frozen (`tests.nets.plans`).
ROBOT = {
    "H1": (2.4605359204912265, 0.01653914884926653),
    "H1#ranks": (2.1540490036090394, 0.0312363291537207),
    "H2": (3.6311040034532076, 0.0002785309070730995),
    "H3": (-1.516861748880692, 0.1341502874026907),
    "E1": (2.1302159884825427, 0.03694366551536165),
}


@pytest.mark.slow
def test_the_robot_study_says_what_was_computed_by_hand(robot: Report) -> None:
    for address, expected in ROBOT.items():
        test = test_of(robot, address)
        assert (test["statistic"], test["p"]) == pytest.approx(expected, rel=EXACT), address
    answer = test_of(robot, "H1")
    assert answer["p_adjusted"] == pytest.approx(0.03307829769853306, rel=EXACT)
    difference, effect = ([answer[part][end] for end in ("value", "low", "high")] for part in ("estimate", "effect"))
    assert difference == pytest.approx([0.02234848484848484, 0.004208938128466719, 0.04048803156850296], rel=EXACT)
    assert effect == pytest.approx([0.30287103506146995, 0.054970304867767085, 0.5485451420026772], rel=1e-9)
    assert [cell["sd"] for cell in entry(robot, "H1")["cells"]] == pytest.approx(
        [0.06437456859339007, 0.07551300849664547], rel=EXACT
    )
    versions = {name: metadata.version(name) for name in ("numpy", "scipy", "pandas")}
    assert robot.results["study"]["versions"] == versions | {"python": platform.python_version()}


@pytest.mark.slow
def test_an_answer_holds_the_result_and_the_values_that_are_drawn(robot: Report) -> None:
    answer = robot.questions["H1"]
    assert isinstance(answer.result, negstats.stats.TTest)
    assert (answer.figure, list(answer.values.columns)) == ("lines", ["unit", "condition", "value"])
    assert len(answer.values) == 132
    assert list(answer.beside) == ["#ranks"]


@pytest.mark.slow
def test_points_and_satisfaction_in_casino_before_anybody_is_left_out(real_data: DataFolder) -> None:
    plan = read(PLANS / "casino.toml")
    question = replace(plan.questions["H1"], direction=None)
    report = run(replace(plan, leave_out=(), questions={"H1": question}), negstats.load(real_data("casino")))
    answer = test_of(report, "H1")
    assert answer["n"] == [2060]
    assert answer["statistic"] == pytest.approx(0.376, abs=5e-4)
    assert [answer["estimate"]["low"], answer["estimate"]["high"]] == pytest.approx([0.317, 0.433], abs=1e-3)
    assert answer["why"]["df"]


@pytest.mark.slow
def test_the_contract_study_crosses_condition_and_country(contract: Report) -> None:
    study = negstats.load(ROOT / "datasets" / "contract_sim" / "study")
    seats = study.players[study.players["player"] == "SP_y"].merge(study.games, on="game_id")
    kept = seats[seats["condition"].isin(["HvsH", "HvsSP-A", "HvsSP-RAP"])]
    tests = negstats.stats.robust_anova(kept, "points", ["condition", "country"], method="welch-james")
    by_hand = tests.effect("condition")
    assert test_of(contract, "H1/condition")["statistic"] == pytest.approx(by_hand.statistic, rel=EXACT)
    assert test_of(contract, "H1/condition")["p"] == pytest.approx(by_hand.p, rel=EXACT)


@pytest.fixture(scope="module")
def sample() -> negstats.Study:
    return negstats.load(ROOT / "datasets" / "sample")


@pytest.mark.slow
def test_a_question_that_cannot_be_answered_says_why_and_the_others_run(sample: negstats.Study) -> None:
    text = SMALLEST + SMALLEST.replace("H1", "H2") + 'test = "welch"\n'
    report = run(parse(text), sample)
    assert entry(report, "H1")["tests"]
    refused = entry(report, "H2")
    assert refused["verdict"] == ("not tested: 'welch' is not for an interval outcome in pairs; give 'paired'")
    assert refused["tests"] == []
    assert report.questions["H2"].result is None
    assert not report.questions["H2"].estimated


@pytest.mark.slow
def test_a_direction_makes_p_one_sided_and_the_interval_ninety_percent(sample: negstats.Study) -> None:
    both = test_of(run(parse(SMALLEST), sample), "H1")
    above = test_of(run(parse(SMALLEST + 'direction = "CL > FC"\n'), sample), "H1")
    below = run(parse(SMALLEST + 'direction = "FC > CL"\n'), sample)
    assert above["statistic"] == both["statistic"]
    assert above["p"] + test_of(below, "H1")["p"] == pytest.approx(1, rel=EXACT)
    assert min(above["p"], test_of(below, "H1")["p"]) == pytest.approx(both["p"] / 2, rel=EXACT)
    assert (above["alternative"], test_of(below, "H1")["alternative"]) == ("greater", "less")
    assert above["estimate"]["level"] == pytest.approx(0.9)
    assert "(one-sided)" in above["apa"]


@pytest.mark.slow
def test_data_that_lean_the_other_way_are_said_to() -> None:
    study = BY_ROW[1].study(np.random.default_rng(1))
    high = study.games.set_index("game_id")["condition"].eq("a").reindex(study.players["game_id"]).to_numpy()
    study = replace(study, players=study.players.assign(points=study.players["points"] + 5.0 * high))
    plan = BY_ROW[1].plan()
    for direction, verdict in (
        ("a > b", "supported"),
        ("b > a", "not supported; the difference lies in the opposite direction"),
    ):
        asked = replace(plan, questions={"Q": replace(plan.questions["Q"], direction=direction)})
        assert entry(run(asked, study), "Q")["verdict"] == verdict


@pytest.mark.slow
@pytest.mark.parametrize(("correction", "expected"), [("holm", 0.04), ("bonferroni", 0.04), ("none", 0.02)])
def test_a_family_corrects_each_answer(correction: str, expected: float, sample: negstats.Study) -> None:
    text = SMALLEST + '[questions.H2]\nasks = "?"\nmeasure = "rounds"\nby = "condition"\n'
    text += f'[families.main]\nquestions = ["H1", "H2"]\ncorrection = "{correction}"\n'
    report = run(parse(text), sample)
    p = [test_of(report, name)["p"] for name in ("H1", "H2")]
    least = int(np.argmin(p))
    factor = expected / 0.02
    assert test_of(report, f"H{least + 1}")["p_adjusted"] == pytest.approx(min(1, factor * p[least]))
    assert test_of(report, "H1")["correction"] == correction


@pytest.mark.slow
def test_rows_that_two_rules_take_are_counted_under_the_first(sample: negstats.Study) -> None:
    rules = """
leave_out = [
  { column = "games.session", value = "Demo", reason = "practice" },
  { column = "games.condition", relation = "missing", reason = "no condition" },
]
"""
    flow = run(parse(rules + SMALLEST), sample).results["flow"]
    assert sum(row["games"] for row in flow) == 12
    assert [row["also"] for row in flow] == [24, 24]


def test_the_check_and_the_answers_leave_rows_out_once() -> None:
    plan = read(ROOT / "tests/plans/robot.toml")
    study = negstats.load(ROOT / "datasets/robot/study").with_frames()
    remaining = apply_exclusions(study, plan.leave_out)
    assert apply_exclusions(study, plan.leave_out) is remaining
    assert not remaining.study.remaining_rows, "what is left has no rows left out of its own"
    as_text = replace(plan, leave_out=(replace(plan.leave_out[0], column="players.player", value="nobody"),))
    assert apply_exclusions(study, as_text.leave_out).flow != remaining.flow
    assert len(study.remaining_rows) == 2


@pytest.mark.slow
def test_leaving_people_out_takes_the_games_in_which_nobody_is_left() -> None:
    study = BY_ROW[2].study(np.random.default_rng(1))
    first = study.players["participant_id"].iloc[0]
    text = f'leave_out = [{{ column = "players.participant_id", value = "{first}", takes = "person", reason = "r" }}]\n'
    plan = replace(BY_ROW[2].plan(), leave_out=parse(text + SMALLEST).leave_out)
    report = run(plan, study)
    assert report.results["flow"] == [
        {"rule": f"players.participant_id = {first}", "reason": "r", "games": 2, "seats": 2, "people": 1, "also": 0}
    ]
    assert len(report.study.games) == len(study.games) - 2
    assert entry(report, "Q")["design"]["n_units"] == 23


@pytest.mark.slow
def test_games_taken_for_independent_are_said_to_be() -> None:
    case = BY_ROW[23]
    study = case.study(np.random.default_rng(1))
    refused = entry(run(case.plan(), study), "Q")
    assert refused["rule"]["row"] == 23
    plan = replace(case.plan(), data=replace(case.plan().data, unit="game"))
    taken = entry(run(plan, study), "Q")
    assert taken["tests"]
    assert any("taken to be independent" in note for note in taken["notes"])


@pytest.mark.slow
def test_every_file_is_valid_and_holds_no_number_that_is_none(robot: Report, casino: Report, contract: Report) -> None:
    validator = jsonschema.Draft202012Validator(schema())
    validator.check_schema(schema())
    for report in (robot, casino, contract):
        text = json.dumps(report.results, allow_nan=False)
        assert json.loads(text) == report.results  # floats read back bit for bit
        validator.validate(json.loads(text))
        assert not set(report.results) - set(schema()["properties"]), "the schema names each part"
        addresses = [test["address"] for one in report.results["questions"] for test in one["tests"]]
        assert len(set(addresses)) == len(addresses), "an address stands for one test"


RUN = """
import json, sys, negstats
from negstats.analysis import run
from negstats.analysis.plan.parse import read
report = run(read(sys.argv[1]), negstats.load(sys.argv[2]))
sys.stdout.write(json.dumps(report.results))
"""


@pytest.mark.slow
def test_the_same_bytes_in_another_folder_process_and_time_zone(contract: Report, tmp_path: Path) -> None:
    plan, study = tmp_path / "elsewhere.toml", ROOT / "datasets" / "contract_sim" / "study"
    plan.write_bytes((PLANS / "contract.toml").read_bytes())
    env = os.environ | {"TZ": "Asia/Kathmandu", "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"}
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(plan), str(study)], cwd=tmp_path, env=env, capture_output=True, check=True
    )
    assert done.stdout.decode() == json.dumps(contract.results)


SAMPLE = str(ROOT / "datasets" / "sample")

PLAN = f"""
{SMALLEST}predicts = "CL > FC"

[questions.E1]
asks = "Are negotiations shorter?"
measure = "rounds"
by = "condition"
explore = true
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    file = tmp_path / "plan.toml"
    file.write_text(PLAN, encoding="utf-8")
    return file


@pytest.mark.slow
def test_it_prints_results_as_json_valid_by_the_schema(plan: Path) -> None:
    import jsonschema

    done = CliRunner().invoke(app, ["run", str(plan), SAMPLE, "--json"])
    jsonschema.validate(json.loads(done.output), schema())


@pytest.mark.slow
def test_it_writes_the_report_with_the_plan_and_its_lock(plan: Path, tmp_path: Path) -> None:
    runner, out = CliRunner(), tmp_path / "report"
    assert runner.invoke(app, ["plan", "--register", str(plan)]).exit_code == 0
    done = runner.invoke(app, ["run", str(plan), SAMPLE, "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert {"report.html", "results.json", "plan.toml", "plan.lock"} <= {file.name for file in out.iterdir()}
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert results["plan"]["state"] == "as registered"
    assert (out / "plan.toml").read_bytes() == plan.read_bytes()
    shutil.rmtree(out)


@pytest.mark.slow
def test_a_change_after_registering_is_listed(plan: Path) -> None:
    runner = CliRunner()
    runner.invoke(app, ["plan", "--register", str(plan)])
    plan.write_text(PLAN.replace('who = "agent"', 'who = "human"', 1), encoding="utf-8")
    done = runner.invoke(app, ["run", str(plan), SAMPLE, "--json"])
    told = json.loads(done.output)["plan"]
    assert told["state"] == "changed since"
    assert told["changes"] == ['questions.H1.who: "agent" → "human" (changes a number)']


@pytest.mark.slow
def test_a_plan_that_does_not_fit_is_refused_with_its_lines(plan: Path) -> None:
    plan.write_text(PLAN.replace('"condition"', '"contition"', 1), encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(plan), SAMPLE])
    assert done.exit_code != 0
    assert "no factor is called 'contition'; did you mean 'condition'?" in str(done.exception)
