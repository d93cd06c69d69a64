"""Results in tables: the same table in every container gives the same results, and what is not a result gives none."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import pytest

from negstats.audit import audit_file, audit_text
from negstats.audit.columns import said_in
from negstats.audit.grids import Grid, GridRow
from negstats.audit.office import ODF, ODF_TABLE

Rows = list[list[str]]
# R: pf(4.6, 1, 28, lower = FALSE) is .0408; pf(4.6, 2, 28, lower = FALSE) .0188
TABLE: Rows = [
    ["Effect", "Mean", "df", "F", "p"],
    ["reward", "3.10", "1, 28", "4.60", ".041"],
    ["partner", "2.20", "2, 28", "4.60", ".410"],
    ["culture", "2.20", "2, 28", "31.60", "< .001"],
]
VERDICTS = [
    ("F(1, 28) = 4.60, p = .041", "consistent"),
    ("F(2, 28) = 4.60, p = .410", "decision error"),
    ("F(2, 28) = 31.60, p < .001", "consistent"),
]


def escaped(cell: str) -> str:
    return cell.replace("<", "&lt;")


def html(rows: Rows, file: Path) -> Path:
    body = "".join(f"<tr>{''.join(f'<td>{escaped(cell)}</td>' for cell in row)}</tr>" for row in rows)
    file.write_text(f"<!DOCTYPE html><p>Results</p><table>{body}</table>", encoding="utf-8")
    return file


def jats(rows: Rows, file: Path) -> Path:
    body = "".join(f"<tr>{''.join(f'<td><italic>{escaped(cell)}</italic></td>' for cell in row)}</tr>" for row in rows)
    file.write_text(
        f"<?xml version='1.0'?><article><body><table-wrap><table>{body}</table></table-wrap></body></article>"
    )
    return file


def tei(rows: Rows, file: Path) -> Path:
    body = "".join(f"<row>{''.join(f'<cell>{escaped(cell)}</cell>' for cell in row)}</row>" for row in rows)
    file.write_text(
        f"<?xml version='1.0'?><TEI xmlns='http://www.tei-c.org/ns/1.0'><text><table>{body}</table></text></TEI>"
    )
    return file


def markdown(rows: Rows, file: Path) -> Path:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    file.write_text("\n".join(["# Results", "", lines[0], "|:--" * len(rows[0]) + "|", *lines[1:], "", "So."]))
    return file


def latex(rows: Rows, file: Path) -> Path:
    lines = [" & ".join(cell.replace("<", "$<$") for cell in row) + r" \\" for row in rows]
    head = r"\documentclass{article}\begin{tabular}{l@{ }" + "r" * len(rows[0]) + r"}\toprule"
    file.write_text("\n".join([head, lines[0], r"\cmidrule(lr){2-3}", *lines[1:], r"\bottomrule\end{tabular}"]))
    return file


def word(rows: Rows, file: Path) -> Path:
    document = docx.Document()
    table = document.add_table(rows=len(rows), cols=len(rows[0]))
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    document.save(str(file))
    return file


def opendocument(rows: Rows, file: Path) -> Path:
    cells = [
        "".join(f"<table:table-cell><text:p>{escaped(cell)}</text:p></table:table-cell>" for cell in row)
        for row in rows
    ]
    body = "".join(f"<table:table-row>{row}</table:table-row>" for row in cells)
    office, text, table = "urn:oasis:names:tc:opendocument:xmlns:office:1.0", ODF.strip("{}"), ODF_TABLE.strip("{}")
    names = f'xmlns:o="{office}" xmlns:text="{text}" xmlns:table="{table}"'
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr(
            "content.xml", f"<o:document-content {names}><table:table>{body}</table:table></o:document-content>"
        )
    return file


CONTAINERS: dict[str, Callable[[Rows, Path], Path]] = {
    "page.html": html,
    "article.xml": jats,
    "tei.xml": tei,
    "paper.md": markdown,
    "paper.tex": latex,
    "paper.docx": word,
    "paper.odt": opendocument,
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_table_in_every_container(name: str, tmp_path: Path) -> None:
    audit = audit_file(CONTAINERS[name](TABLE, tmp_path / name))
    assert [(one.reported.raw, one.verdict) for one in audit.results] == VERDICTS
    places = [one.reported.place for one in audit.results]
    assert places == sorted(places)
    assert audit.results[1].reported.sentence == "partner: F(2, 28) = 4.60, p = .410"


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_table_turned_on_its_side(name: str, tmp_path: Path) -> None:
    turned = [list(column) for column in zip(*TABLE, strict=True)]
    audit = audit_file(CONTAINERS[name](turned, tmp_path / name))
    assert [(one.reported.raw, one.verdict) for one in audit.results] == VERDICTS
    assert audit.results[1].reported.sentence == "partner: F(2, 28) = 4.60, p = .410"


def said(*rows: list[str]) -> list[str]:
    return [line for _, _, line in said_in(Grid(tuple(GridRow(tuple(row), 0) for row in rows)))]


@pytest.mark.parametrize(
    ("header", "row", "result"),
    [
        (["", "t", "df", "p"], ["a", "2.20*", "28", ".036*"], "t(28) = 2.20, p = .036"),
        (["", "t (28)", "p-value"], ["a", "2.20", "0.036"], "t(28) = 2.20, p = 0.036"),
        (["", "t(df)", "p"], ["a", "2.20 (28)", ".036"], "t(28) = 2.20, p = .036"),
        (["", "estimate", "SE", "df", "t.ratio", "p.value"], ["a", "1.1", "0.5", "28", "2.20", "0.036"],
         "b = 1.1, SE = 0.5, t(28) = 2.20, p = 0.036"),
        (["", "F", "df1", "df2", "Sig."], ["a", "4.60", "1", "28", ".041"], "F(1, 28) = 4.60, p = .041"),
        (["", "NumDF", "DenDF", "F value", "Pr(>F)"], ["a", "1", "28.4", "4.60", "0.041"],
         "F(1, 28.4) = 4.60, p = 0.041"),
        (["", "χ2", "df", "N", "p"], ["a", "4.67", "1", "94", ".031"], "χ²(1, N = 94) = 4.67, p = .031"),
        (["", "Wald χ²", "df", "p"], ["a", "4.67", "1", "ns"], "χ²(1) = 4.67, n.s."),
        (["", "r", "n", "p"], ["a", ".38", "60", ".003"], "r = .38, p = .003, N = 60"),
        (["", "t", "df", "p (Holm)"], ["a", "2.20", "28", ".109"], "t(28) = 2.20, p (Holm) = .109"),
        (["", "t", "df", "p", "Cohen's d", "95% CI"], ["a", "2.20", "28", ".036", "0.80", "[0.05, 1.55]"],
         "t(28) = 2.20, p = .036, d = 0.80, 95% CI [0.05, 1.55]"),
        (["", "b", "SE", "p"], ["a", "0.50", "0.25", ".046"], "b = 0.50, SE = 0.25, p = .046"),
        (["", "OR", "95% CI", "p"], ["a", "2.50", "1.10, 5.68", ".029"], "OR = 2.50, 95% CI [1.10, 5.68], p = .029"),
        (["", "HR", "LL", "UL", "p"], ["a", "2.50", "1.10", "5.68", ".029"],
         "HR = 2.50, 95% CI [1.10, 5.68], p = .029"),
        (["", "Estimate", "2.5 %", "97.5 %", "p"], ["a", "0.50", "0.10", "0.90", ".014"],
         "b = 0.50, 95% CI [0.10, 0.90], p = .014"),
        (["", "t", "df", "p", "r"], ["a", "2.20", "28", ".036", ".38"], "t(28) = 2.20, p = .036"),
    ],
)  # fmt: skip
def test_headers(header: list[str], row: list[str], result: str) -> None:
    assert said(header, row) == [result]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        (["", "t", "df"], ["a", "2.20***", "28"]),  # stars are not a p
        (["", "time", "df", "p"], ["a", "2.20", "28", ".036"]),
        (["", "t", "F", "df", "p"], ["a", "2.20", "4.84", "28", ".036"]),  # whose p?
        (["", "M", "SD", "p"], ["a", "2.20", "4.84", ".036"]),
        (["", "T1", "df", "p"], ["a", "2.20", "4", ".036"]),
        (["", "t", "df", "p"], ["a", "2.20", "28", "—"]),
        (["", "t", "df", "p"], ["a", "2.20 to 3", "28", ".036"]),
        (["", "t", "df", "p"], ["a", "2.20", "28", "3"]),
        (["", "t", "df", "p"], ["2.20", "28", ".036"]),  # a cell is missing
        (["", "x", "y", "z", "p"], ["a", "48", "38", "18", ".044"]),  # a place in a brain
        (["", "OR", "p"], ["a", "2.50", ".029"]),
        (["F", "M", '"p" values of teams', "r"], ["12", "female", ".1", "x"]),
    ],
)
def test_what_is_no_result_gives_none(header: list[str], row: list[str]) -> None:
    assert said(header, row) == []


def test_estimates_in_tables_are_held_against_p() -> None:
    table = "| | OR | 95% CI | p |\n|---|---|---|---|\n| a | 2.50 | [1.10, 5.68] | .029 |\n"
    table += "| b | 2.50 | [1.10, 5.68] | .0001 |"
    assert [one.grade for one in audit_text(table).further] == ["fits", "differs"]
    table = "| | b | SE | p |\n|---|---|---|---|\n| a | 0.50 | 0.25 | .046 |\n| b | 0.50 | 0.25 | .0001 |"
    assert [one.grade for one in audit_text(table).further] == ["fits", "differs"]


def test_the_error_of_an_analysis_of_variance_has_its_own_row() -> None:
    rows = (
        ["Source", "SS", "df", "MS", "F", "p"],
        ["reward", "12", "1", "12", "4.60", ".041"],
        ["Error (people)", "80", "28", "3", "", ""],
        ["time", "12", "2", "6", "4.60", ".014"],
        ["Residuals", "90", "56", "2", "", ""],
        ["Total", "190", "87", "", "", ""],
    )
    assert said(*rows) == ["F(1, 28) = 4.60, p = .041", "F(2, 56) = 4.60, p = .014"]


def test_several_results_a_row_and_a_header_of_two_rows() -> None:
    rows = (
        ["Effect", "Points", "", "Offers", ""],
        ["", "F(1, 28)", "p", "F(2, 28)", "p"],
        ["reward", "4.60", ".041", "4.60", ".019"],
    )
    assert said(*rows) == ["F(1, 28) = 4.60, p = .041", "F(2, 28) = 4.60, p = .019"]


def test_spans_keep_columns_apart(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<!DOCTYPE html><table><tr><th rowspan=2>Effect<th colspan=3>Points<tr><th>df<th>F<th>p"
        "<tr><td rowspan=2>reward<td>1, 28<td>4.60<sup>2</sup><td>.041<tr><td>2, 28<td>4.60<td>.019</table>"
    )
    assert [one.reported.raw for one in audit_file(page).results] == [
        "F(1, 28) = 4.60, p = .041",
        "F(2, 28) = 4.60, p = .019",
    ]


def test_a_correction_below_the_table_is_known() -> None:
    text = (
        "| | t | df | p |\n|-|-|-|-|\n| a | 2.20 | 28 | .109 |\n\nAll p-values were adjusted for multiple comparisons."
    )
    assert [one.verdict for one in audit_text(text).results] == ["consistent if corrected"]
