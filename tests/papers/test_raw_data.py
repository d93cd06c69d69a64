"""The three studies with raw data: what their logs give."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.papers import casino2021, lewis2017, solvercl2025
from negstats.papers.ledger import printed_cells
from negstats.papers.verdict import Finding, Verdict
from tests.conftest import DataFolder

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def solver(real_data: DataFolder) -> dict[str, Finding]:
    return {finding.id: finding for finding in solvercl2025.findings(real_data("solver_cl").parent)}


@pytest.fixture(scope="module")
def lewis(real_data: DataFolder) -> dict[str, Finding]:
    rows = {row.id: row.of for row in printed_cells("lewis2017")}
    return {rows[finding.id]: finding for finding in lewis2017.findings(real_data("dealornodeal").parent)}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("name", "t"),
    [("agent_utility", 2.46), ("human_utility", -0.69), ("rounds", -1.52), ("concession", 2.55)],
)
def test_what_the_subject_table_reproduces(solver: dict[str, Finding], name: str, t: float) -> None:
    finding = solver[f"solvercl2025.{name}"]
    assert finding.recomputed == pytest.approx(t, abs=5e-3)
    assert finding.verdict is Verdict.REPRODUCED


@pytest.mark.parametrize(
    ("name", "t"), [("nice", 0.23), ("fortunate", -1.11), ("unfortunate", -0.25), ("selfish", -1.38)]
)
def test_what_the_subject_table_does_not_give(solver: dict[str, Finding], name: str, t: float) -> None:
    finding = solver[f"solvercl2025.{name}"]
    assert finding.recomputed == pytest.approx(t, abs=5e-3)
    assert finding.verdict is Verdict.DIFFERS
    assert "no neighbour gives it" in finding.why


def test_the_nash_distance_is_not_what_was_printed(solver: dict[str, Finding]) -> None:
    finding = solver["solvercl2025.nash_distance"]
    assert finding.verdict is Verdict.DIFFERS
    assert "product of utilities" in finding.why
    cells = [finding for finding in solver.values() if finding.what.startswith("nash distance")]
    assert len(cells) == 2
    assert all("the best offer ever made" in cell.why for cell in cells)


def test_rounds_are_no_people(solver: dict[str, Finding]) -> None:
    why = solver["solvercl2025.arousal_round"].why
    assert "t(2112) = 20.2 takes 2,114 rounds of 66 people for independent, which they are not" in why
    assert "t(130) = 6.0" in why
    assert "paired t(65) = 5.6" in why


def test_predictions_are_three_a_round(solver: dict[str, Finding]) -> None:
    [row] = [row for row in printed_cells("solvercl2025") if row.of == "round-level predictions"]
    assert solver[row.id].recomputed == 2114
    assert "3 times as many" in solver[row.id].why


def test_sds_have_the_divisor_n_where_only_that_fits(solver: dict[str, Finding]) -> None:
    [row] = [row for row in printed_cells("solvercl2025") if row.of == "agreement rounds" and row.condition == "FC"]
    finding = solver[row.id]
    assert finding.verdict is Verdict.REPRODUCED
    assert "5.0155 with the divisor n" in finding.why


@pytest.mark.slow
def test_another_table_gives_other_numbers(real_data: DataFolder, tmp_path: Path) -> None:
    source = real_data("solver_cl") / "final_dataset"
    target = tmp_path / "solver_cl" / "final_dataset"
    target.mkdir(parents=True)
    shutil.copy(source / "experiment_round_data.csv", target)
    subjects = pd.read_csv(source / "experiment_subject_data.csv")
    swapped = subjects.assign(Condition=subjects["Condition"].map({"CL": "FC", "FC": "CL"}))
    swapped.to_csv(target / "experiment_subject_data.csv", index=False)
    findings_by_id = {finding.id: finding for finding in solvercl2025.findings(tmp_path)}
    finding = findings_by_id["solvercl2025.agent_utility"]
    assert finding.recomputed == pytest.approx(-2.46, abs=5e-3)
    assert finding.verdict is Verdict.DIFFERS
    assert "the other sign gives it" in finding.why


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "value", "verdict"),
    [
        ("dialogues", 5916, Verdict.DIFFERS),
        ("agreed", 80.54, Verdict.DIFFERS),
        ("score", 6.017, Verdict.REPRODUCED),
        ("Pareto optimal", 77.04, Verdict.DIFFERS),
    ],
)
@pytest.mark.slow
def test_deal_or_no_deal(lewis: dict[str, Finding], measure: str, value: float, verdict: Verdict) -> None:
    assert lewis[measure].recomputed == pytest.approx(value, abs=5e-3)
    assert lewis[measure].verdict is verdict


@pytest.mark.slow
def test_turns_words_and_scenarios_are_counted_from_the_lines(lewis: dict[str, Finding], real_data: DataFolder) -> None:
    """The same from the lines of the file, without the loader: each mirrored dialogue is listed twice."""
    talk, values = [], set()
    for line in (real_data("dealornodeal") / "data.txt").read_text(encoding="utf-8").splitlines():
        words = line.split()
        values.add((tuple(words[:6]), tuple(words[-6:])))
        talk.append([turn for turn in " ".join(words[6:]).split("<eos>") if "<selection>" not in turn and ":" in turn])
    scenarios = {tuple(sorted(pair)) for pair in values}
    assert lewis["unique scenarios"].recomputed == len(scenarios)
    # all lines, so lone perspectives too: near the mirrored dialogues' means, not equal
    turns_per_line = float(np.mean([len(turns) for turns in talk]))
    words_per_turn = float(np.mean([len(turn.split()) - 1 for turns in talk for turn in turns]))
    assert lewis["turns per dialogue"].recomputed == pytest.approx(turns_per_line, rel=0.02)
    assert lewis["words per turn"].recomputed == pytest.approx(words_per_turn, rel=0.02)


@pytest.mark.slow
def test_casino_is_reproduced(real_data: DataFolder) -> None:
    result = casino2021.findings(real_data("casino").parent)
    assert [finding.recomputed for finding in result] == [1030, pytest.approx(11.5718, abs=1e-4), 396, 4615]
    assert {finding.verdict for finding in result} == {Verdict.REPRODUCED}
