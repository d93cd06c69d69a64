"""`reproduce` as a whole: no row left out, the files, the page, and the command."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from negstats import papers
from negstats.cli import app
from negstats.papers.ledger import JUDGED, ledger, printed_cells, results, row_named
from negstats.papers.output import html_page, write
from negstats.papers.sources import SOURCES
from negstats.papers.verdict import Check, Finding, Verdict
from negstats.printed_numbers import printed as as_printed
from tests.conftest import DataFolder

SOURCE_PAPERS = papers.SOURCE_PAPERS


@pytest.fixture(scope="module")
def found() -> list[Finding]:
    return papers.reproduce(data="there-is-no-such-folder")


@pytest.mark.slow
def test_no_printed_row_is_left_out(found: list[Finding]) -> None:
    rows = [row.id for paper in papers.PAPERS for row in ledger(paper) if row.kind in JUDGED]
    assert [finding.id for finding in found] == rows
    assert all(finding.why and finding.printed for finding in found)


@pytest.mark.slow
@pytest.mark.data
def test_every_row_of_the_public_studies_is_checked(real_data: DataFolder) -> None:
    report = papers.reproduce(["solvercl2025", "lewis2017"], data=real_data("solver_cl").parent)
    assert len(report) == 46
    assert Verdict.NOT_CHECKABLE not in {finding.verdict for finding in report}


@pytest.mark.slow
def test_a_finding_without_a_number_is_not_checkable_and_says_what_is_missing(found: list[Finding]) -> None:
    for finding in found:
        if finding.verdict is Verdict.NOT_CHECKABLE:
            assert not finding.checks
            assert finding.why.startswith("needs ")
        elif not finding.checks:  # two statements in words
            assert row_named(finding.id).kind == "contradiction"
            assert finding.verdict is Verdict.CONTRADICTS


@pytest.mark.slow
def test_a_row_stands_exactly_where_all_its_checks_hold(found: list[Finding]) -> None:
    stands = {Verdict.CONSISTENT, Verdict.REPRODUCED}
    for finding in found:
        if finding.checks:
            assert (finding.verdict in stands) == all(check.holds for check in finding.checks)


@pytest.mark.parametrize(
    ("paper", "root"),
    [*((paper, Path("there-is-no-such-folder")) for paper in SOURCES), ("lewis2017", None)],
)
def test_without_data_every_row_says_how_to_get_them(
    paper: str, root: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NEGSTATS_DATA", raising=False)
    report = papers.reproduce([paper], data=root)
    assert len(report) == len(results(paper)) + len(printed_cells(paper))
    for finding in report:
        assert finding.verdict is Verdict.NOT_CHECKABLE
        assert f"https://github.com/{SOURCES[paper].repository}" in finding.why
        assert "NEGSTATS_DATA" in finding.why


@pytest.mark.slow
@pytest.mark.parametrize("paper", [name for name, source in SOURCES.items() if source.shipped])
def test_without_raw_data_the_studies_that_ship_give_the_same_findings(
    paper: str, monkeypatch: pytest.MonkeyPatch, real_data: DataFolder
) -> None:
    monkeypatch.delenv("NEGSTATS_DATA", raising=False)
    shipped, raw = papers.reproduce([paper]), papers.reproduce([paper], data=real_data(SOURCES[paper].folder).parent)
    assert [(row.id, row.verdict, row.why) for row in shipped] == [(row.id, row.verdict, row.why) for row in raw]
    # People stand in another order, so sums round otherwise.
    assert [row.recomputed for row in shipped] == pytest.approx([row.recomputed for row in raw], rel=1e-12)


@pytest.mark.parametrize("paper", SOURCES)
def test_part_of_the_data_is_no_data(paper: str, tmp_path: Path) -> None:
    source = SOURCES[paper]
    for name in source.needs[:-1]:
        path = tmp_path / source.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[]", encoding="utf-8")
    assert {finding.verdict for finding in papers.reproduce([paper], data=tmp_path)} == {Verdict.NOT_CHECKABLE}


@pytest.mark.slow
def test_one_paper_at_a_time_in_the_order_asked() -> None:
    report = papers.reproduce(["mell2015", "chawla2023", "mell2015"])
    assert list(dict.fromkeys(finding.paper for finding in report)) == ["mell2015", "chawla2023"]
    assert len(report) == sum(row.kind in JUDGED for name in ("mell2015", "chawla2023") for row in ledger(name))


@pytest.mark.slow
def test_counts_add_up(found: list[Finding]) -> None:
    table = papers.counted(found).set_index("paper")
    assert table.loc["all", "rows"] == len(found)
    assert (table.drop(columns="rows").sum(axis=1) == table["rows"]).all()


@pytest.mark.slow
def test_the_files_hold_every_finding(found: list[Finding], tmp_path: Path) -> None:
    names = {path.name: path for path in write(found, tmp_path / "out")}
    assert set(names) == {
        "findings.csv", "findings.md", "findings.tex", "findings.docx", "findings.html", "verdicts.csv",
    }  # fmt: skip
    with names["findings.csv"].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [finding.id for finding in found]
    assert float(next(row["recomputed"] for row in rows if row["recomputed"])) == next(
        finding.recomputed for finding in found if finding.checks
    )
    assert names["findings.md"].read_text(encoding="utf-8").count("\n| ") == len(found) + 1
    assert names["findings.tex"].read_text(encoding="utf-8").count(r" \\") == len(found) + 2
    page = names["findings.html"].read_text(encoding="utf-8")
    for finding in found:
        assert f">{finding.id}</span>" in page


def test_the_page_escapes_and_needs_nothing_else() -> None:
    check = Check.exact("t", as_printed("2.46"), 2.46)
    evil = Finding("mell2015", "x", "<b>", "<script>alert(1)</script>", "p < .05", (check,), Verdict.DIFFERS, "a & b")
    page = html_page([evil])
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "a &amp; b" in page
    assert not re.search(r"(?:src|href)=", page)


@pytest.mark.slow
def test_the_command_prints_a_verdict_for_every_row() -> None:
    result = CliRunner().invoke(app, ["reproduce", *SOURCE_PAPERS, "--json"], env={"NEGSTATS_DATA": ""})
    assert result.exit_code == 0
    rows = json.loads(result.stdout)["findings"]
    assert len(rows) == sum(row.kind in JUDGED for name in SOURCE_PAPERS for row in ledger(name))
    assert {row["verdict"] for row in rows} <= {verdict.value for verdict in Verdict}


def test_a_narrow_terminal_cuts_no_word_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = CliRunner().invoke(app, ["reproduce", "lewis2017", "--all"], env={"NEGSTATS_DATA": ""})
    assert result.exit_code == 0
    assert "…" not in result.output
    assert SOURCES["lewis2017"].repository in result.output
