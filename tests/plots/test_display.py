"""Figures in notebooks: each cell shows the figure that it makes, not the first cell only."""

from __future__ import annotations

import nbformat
import pytest
from nbclient import NotebookClient

from tests.conftest import ROOT

SETUP = """import pandas as pd
from negstats import plots
values = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]])"""
DRAW = "ax = plots.agent_heat_map(values, label='points')"


@pytest.mark.slow
def test_every_cell_shows_its_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    cells = [nbformat.v4.new_code_cell(source) for source in (SETUP, DRAW, DRAW)]  # type: ignore[no-untyped-call]
    book = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    shown = [["image/png" in output.get("data", {}) for output in cell.outputs] for cell in book.cells]
    assert shown == [[], [True], [True]]
