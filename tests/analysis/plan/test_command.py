"""The commands of plans, and what the documentation says of their fields."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from negstats.analysis.plan import parse, read, sha256
from negstats.analysis.plan.schema import known_fields
from tests.analysis.plan.plans import SMALLEST
from tests.conftest import ROOT
from tests.shell import Shell

SAMPLE = str(ROOT / "datasets" / "sample")


@pytest.mark.slow
def test_a_draft_can_be_checked_and_registered_as_it_stands(shell: Shell, tmp_path: Path) -> None:
    code, out, err = shell("plan", SAMPLE)
    assert (code, err) == (0, "")
    file = tmp_path / "plan.toml"
    file.write_text(out, encoding="utf-8")
    code, out, _ = shell("plan", "--check", str(file))
    assert code == 0
    words = " ".join(out.split())
    assert words.startswith(f"{file}: Plan is valid: 2 questions Plan: not registered 36 games of 12 people")
    code, out, _ = shell("plan", "--register", str(file))
    assert code == 0
    assert f"SHA-256 of the plan's meaning: {sha256(read(file))}" in out
    words = " ".join(out.split())
    assert "36 games" in words
    assert "The time stamp comes from this computer's clock" in words
    assert "Plan: registered after the data were there, on 20" in " ".join(
        shell("plan", "--check", str(file))[1].split()
    )
    printed = shell.json("plan", SAMPLE)
    assert printed["plan"].startswith("# Drafted from what the study holds")
    first, second = (question for question in printed["questions"] if question["id"])
    assert (first["id"], first["measure"], first["by"], first["points"]) == ("H1", "points", ["condition"], 8.5)
    assert (second["id"], second["measure"]) == ("H2", "joint_value")


@pytest.mark.slow
def test_a_draft_that_is_put_elsewhere_finds_its_study(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT / "datasets")
    code, out, err = shell("plan", "sample")
    assert (code, err) == (0, "")
    file = tmp_path / "plan.toml"
    file.write_text(out, encoding="utf-8")
    assert shell.json("plan", "--check", str(file))["games"] == 36


@pytest.mark.slow
def test_a_check_of_a_given_study(shell: Shell, plan: Path) -> None:
    found = shell.json("plan", "--check", str(plan), SAMPLE)
    (question,) = found["questions"]
    assert (question["test"], question["row"], question["n_units"]) == ("paired", 2, 12)
    assert question["factors"] == [{"name": "condition", "lies": "within", "levels": ["CL", "FC"]}]
    assert (found["state"], found["games"]) == ("not registered", 36)


@pytest.mark.slow
def test_a_changed_plan_is_registered_with_again_only(shell: Shell, plan: Path) -> None:
    assert shell.json("plan", "--register", str(plan))["data"] is None
    assert shell.json("plan", "--register", str(plan))["written"] is False
    plan.write_text(SMALLEST.replace('"agent"', '"human"'), encoding="utf-8")
    code, _, err = shell("plan", "--register", str(plan))
    assert code == 2
    assert 'questions.H1.who: "agent" → "human" (changes a number)' in err
    words = " ".join(shell("plan", "--check", str(plan), SAMPLE)[1].split())
    assert "Plan: changed since, on 20" in words
    assert 'questions.H1.who: "agent" → "human" (changes a number)' in words
    assert shell("plan", "--register", "--again", str(plan))[0] == 0
    assert len(json.loads(plan.with_suffix(".lock").read_text(encoding="utf-8"))["history"]) == 1
    assert "Plan: as registered" in " ".join(shell("plan", "--check", str(plan), SAMPLE)[1].split())


def test_all_faults_are_lines_of_their_own(shell: Shell, plan: Path) -> None:
    plan.write_text("alpha = 5\n" + SMALLEST + 'test = "ttest"\n', encoding="utf-8")
    code, out, err = shell("plan", "--check", str(plan), SAMPLE)
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        f"negstats: {plan}:1: alpha: is 5; give a number between 0 and 0.5 such as 0.05",
        f"{plan}:7: questions.H1.test: no test is called 'ttest'; did you mean 'paired'?",
    ]


def test_a_folder_for_data_to_come_is_no_data(shell: Shell, plan: Path) -> None:
    (plan.parent / "logs").mkdir()
    plan.write_text(SMALLEST + '[data]\npath = "logs"\n', encoding="utf-8")
    assert shell.json("plan", "--register", str(plan))["data"] is None


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_said(shell: Shell, plan: Path) -> None:
    plan.parent.chmod(0o500)
    code, _, err = shell("plan", "--register", str(plan))
    plan.parent.chmod(0o700)
    assert code == 2
    assert "cannot be written" in err


@pytest.mark.slow
def test_a_check_says_the_power_at_the_units_that_are_there(shell: Shell, plan: Path) -> None:
    cells = '[{ condition = "CL", mean = 0.8 }, { condition = "FC", mean = 0.7 }]'
    expect = f"expect = {{ cells = {cells}, sd = 0.1, r = 0.5 }}\n"
    plan.write_text(SMALLEST + expect, encoding="utf-8")
    out = shell("plan", "--check", str(plan), SAMPLE)[1].splitlines()
    (row,) = shell.json("plan", "--check", str(plan), SAMPLE)["power"]
    assert row["n"] == 12
    assert row["low"] <= row["closed"] <= row["high"]
    assert out[-2:] == [
        "Power at these sizes, if what the plan expects is so",
        f"  H1, n = 12: {row['power']:.3f} [{row['low']:.3f}, {row['high']:.3f}]".replace("0.", "."),
    ]


PAGE = (ROOT / "docs" / "how-to" / "plan.md").read_text(encoding="utf-8")


def test_each_field_is_named_and_no_other() -> None:
    rows = [line.split(" | ")[0] for line in PAGE.splitlines() if line.startswith("| `")]
    named = {word for row in rows for word in re.findall(r"`(\w+)`", row)}
    contrast = {"name", "weights"}  # named beside `contrasts`
    sections = {"data", "leave_out", "factors", "measures", "families", "power"}
    assert named == known_fields() - contrast - sections


def test_the_plan_of_the_page_is_the_smallest() -> None:
    text, *_ = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert sha256(parse(text)) == "bc2fb121ee0a9944598d8f1c62c26ecea03a9f7372da3e24055534d1512f6de3"
