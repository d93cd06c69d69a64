"""`negstats run`: what it prints and writes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from negstats.analysis.entries import schema
from negstats.cli import app
from tests.analysis.plan.plans import SMALLEST

ROOT = Path(__file__).resolve().parents[2]
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
