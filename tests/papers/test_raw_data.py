"""The three studies with raw data: what their logs give."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.papers import lewis2017, solvercl2025
from negstats.papers.ledger import printed_cells
from negstats.papers.verdict import Finding, Verdict
from tests.conftest import DataFolder

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def lewis(real_data: DataFolder) -> dict[str, Finding]:
    rows = {row.id: row.of for row in printed_cells("lewis2017")}
    return {rows[finding.id]: finding for finding in lewis2017.findings(real_data("dealornodeal").parent)}


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
