"""The ledgers: every printed thing once, with a recipe or a reason, and the pages that are made from them."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from negstats import papers
from negstats.cli import app
from negstats.papers import pages
from negstats.papers.entries import entries, locate
from negstats.papers.figures import PAPERS as DRAWN
from negstats.papers.figures import pictures
from negstats.papers.ledger import COLUMNS, JUDGED, KINDS, PAPERS, SOURCE_PAPERS, ledger, row_named
from tests.conftest import ROOT

FOLDER = ROOT / "negstats" / "papers"
COMMANDS = sorted({entry.command for entry in entries(SOURCE_PAPERS, [])})


@pytest.mark.parametrize("paper", PAPERS)
def test_a_ledger_is_read_whole(paper: str) -> None:
    with (FOLDER / paper / "ledger.csv").open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file)
        lines = list(table)
    assert tuple(table.fieldnames or ()) == COLUMNS
    assert [row.id for row in ledger(paper)] == [line["id"] for line in lines]
    assert len({line["id"] for line in lines}) == len(lines)
    for row in ledger(paper):
        assert row.id.startswith(f"{paper}.")
        assert row.entry
        assert row.kind in KINDS
        assert row.of
        assert row.place


@pytest.mark.parametrize("paper", SOURCE_PAPERS)
def test_each_row_has_a_recipe_or_a_reason(paper: str) -> None:
    for row in ledger(paper):
        if row.kind in JUDGED:
            assert row.printed, row.id
            assert row.hook or row.note, row.id
        elif row.kind in ("system", "definition"):
            assert row.text, row.id
            assert all(locate(name) for name in row.code.split()), row.code
        elif row.lacks:
            assert row.note, row.id


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_of_an_entry_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for part in command.replace("datasets/", f"{ROOT.as_posix()}/datasets/").split(" && "):
        program, *words = shlex.split(part)
        if program != "negstats":  # a file of tests or a notebook, which run by themselves
            assert (ROOT / words[-1]).is_file()
        else:
            result = CliRunner().invoke(app, words)
            assert result.exit_code == 0, result.output


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("paper", DRAWN)
def test_the_ledger_names_every_figure_that_is_drawn(paper: str) -> None:
    named = {name for row in pictures(paper) for name in row.hook.split()}
    assert named == {figure.name for figure in DRAWN[paper].figures()}


def test_numbers_keep_their_digits_and_their_relation() -> None:
    assert str(row_named("chawla2023.human.reward").value) == "5.00"
    assert row_named("haim2017.cs.israel").printed == "t(49) = 4.12, p < 0.0001"
    assert row_named("chawla2023.walkaway.loglinear").printed.startswith("G² = 31.1")


def test_the_table_of_a_paper_has_its_numbers() -> None:
    table = papers.printed("haim2017")
    assert len(table) == len(ledger("haim2017"))
    assert table.query("id == 'haim2017.cs.israel'")[["value", "df2"]].to_numpy().tolist() == [[4.12, 49]]


@pytest.mark.slow
@pytest.mark.parametrize("paper", SOURCE_PAPERS)
def test_the_page_is_what_the_ledger_gives(paper: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEGSTATS_DATA", raising=False)
    assert (ROOT / "docs" / "papers" / f"{paper}.md").read_text(encoding="utf-8") == pages.page_text(paper)


@pytest.mark.slow
def test_the_readme_has_the_index() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{pages.START}\n{pages.index_text()}\n{pages.END}" in text
    assert (ROOT / "docs" / "papers" / "index.md").read_text(encoding="utf-8") == pages.overview_text()


@pytest.mark.slow
def test_an_entry_is_whole_where_all_that_is_printed_of_it_is_there() -> None:
    states = {entry.name: entry for entry in entries(["mell2015"], papers.reproduce(["mell2015"]))}
    assert states["Table 4"].state == "works"
    assert states["Figure 5"].state == "partly"  # its means are printed without the SDs
    assert [row.place for row, _ in states["Figure 2"].gaps] == ["Figure 2"]
    assert states["Figure 2"].state == "missing"


@pytest.mark.slow
def test_the_rows_of_one_table_are_printed() -> None:
    result = CliRunner().invoke(app, ["reproduce", "mell2015", "--only", "table 2"])
    assert result.exit_code == 0
    assert "mell2015, Table 2: works" in result.output
    assert "never returned            40" in result.output
    refusal = CliRunner().invoke(app, ["reproduce", "mell2015", "--only", "Tabel 2"])
    assert "did you mean 'Table 2'?" in str(refusal.exception)


def test_links_of_the_pages_lead_somewhere() -> None:
    for page in (ROOT / "docs" / "papers").glob("*.md"):
        for link in page.read_text(encoding="utf-8").split("](")[1:]:
            assert (page.parent / Path(link.partition(")")[0])).exists(), link
