"""Each rule answers, or says what the design lacks: a part of the matrix here, the whole of it each night."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.matrix import (
    DEFECTS,
    DESIGNS,
    Cell,
    Defect,
    answer,
    cells,
    differences,
    faults,
    in_turn,
    refusal,
)

CELLS = [(cell.design, cell.levels, cell.defect) for cell in cells()]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("design", "levels", "defect"), CELLS)
def test_a_cell_is_answered_or_refused_by_what_the_design_lacks(design: str, levels: int, defect: Defect) -> None:
    cell = Cell(design, levels, defect)
    assert faults(cell, answer(cell)) == []


@pytest.mark.slow
@pytest.mark.parametrize("defect", DEFECTS)
@pytest.mark.parametrize("design", DESIGNS)
def test_an_engine_gives_the_same_answers_and_refusals(design: str, defect: Defect, tmp_path: Path) -> None:
    cell = in_turn(design, defect)
    entry = answer(cell)
    assert faults(cell, entry) == []
    assert differences(entry, answer(cell, "duckdb", tmp_path)) == []


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("defect", ["constant group", "pure level"])
@pytest.mark.parametrize("design", ["27, 29 shares", "28 few shares", "33 logistic, named", "41, 42 ranks"])
def test_the_clearest_result_is_answered(design: str, defect: str) -> None:
    """A group of which all say the same has a p, whatever effect size it lacks."""
    cell = Cell(design, 2, defect)  # type: ignore[arg-type]
    entry = answer(cell)
    assert not refusal(entry)
    [test] = [test for test in entry["tests"] if test["role"] == "answer"]
    assert test["p"] <= 1
    if defect == "pure level":
        assert test["p"] < 0.05
