"""Results in tables: the same table in every container gives the same results, and what is not a result gives none."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import pytest

from negstats.audit import audit_file
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


def markup(page: str, row: str, cell: str) -> Callable[[Rows, Path], Path]:
    """Return what writes a page with rows of cells in it."""

    def write(rows: Rows, file: Path) -> Path:
        body = "".join(row.format("".join(cell.format(escaped(one)) for one in cells)) for cells in rows)
        file.write_text(page.format(body), encoding="utf-8")
        return file

    return write


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
    "page.html": markup("<!DOCTYPE html><p>Results</p><table>{}</table>", "<tr>{}</tr>", "<td>{}</td>"),
    "article.xml": markup(
        "<?xml version='1.0'?><article><body><table-wrap><table>{}</table></table-wrap></body></article>",
        "<tr>{}</tr>",
        "<td><italic>{}</italic></td>",
    ),
    "tei.xml": markup(
        "<?xml version='1.0'?><TEI xmlns='http://www.tei-c.org/ns/1.0'><text><table>{}</table></text></TEI>",
        "<row>{}</row>",
        "<cell>{}</cell>",
    ),
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
