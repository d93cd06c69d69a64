"""The notebooks run from a clean kernel and hold against the ledgers, are short, and are committed without outputs."""

from __future__ import annotations

import ast
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from negstats.papers import pages
from tests.conftest import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def read(file: Path) -> nbformat.NotebookNode:
    book: nbformat.NotebookNode = nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]
    return book


@pytest.mark.notebooks
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_from_a_clean_kernel(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    book = read(file)
    client = NotebookClient(
        book, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(file.parent)}}
    )
    client.execute()
    assert all(cell.execution_count for cell in book.cells if cell.cell_type == "code")


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_short_and_narrative(file: Path) -> None:
    book = read(file)
    code = [cell.source for cell in book.cells if cell.cell_type == "code"]
    prose = [cell.source for cell in book.cells if cell.cell_type == "markdown"]
    assert prose[0].startswith("# ")
    assert len(code) <= 20
    for source in code:
        kinds = {type(node) for node in ast.walk(ast.parse(source))}
        assert not kinds & {ast.FunctionDef, ast.ClassDef, ast.Lambda}


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_committed_without_outputs_and_ends_in_checks(file: Path) -> None:
    cells = [cell for cell in read(file).cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in cells)
    checks = ast.parse(read(file).cells[-1].source)
    assert any(isinstance(node, ast.Assert) for node in ast.walk(checks))
    assert "papers." in "".join(cell.source for cell in cells)  # what is printed comes from the ledgers


def test_every_notebook_is_in_the_index() -> None:
    assert sorted(pages.NOTEBOOKS) == [file.stem for file in NOTEBOOKS]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"notebooks/{file.name}" in text for file in NOTEBOOKS)
