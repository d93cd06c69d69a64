"""Results in Word and OpenDocument files: read as they stand, with raised digits, tables and notes; nothing is run."""

from __future__ import annotations

import zipfile
from pathlib import Path

import docx
import pytest

from negstats.audit import audit_file
from negstats.audit.office import ODF, ODF_TABLE
from negstats.audit.reading import read
from negstats.errors import LogError

OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"


def word(file: Path) -> Path:
    document = docx.Document()
    document.add_heading("Results", 1)
    paragraph = document.add_paragraph("They differed, ")
    paragraph.add_run("t").italic = True
    paragraph.add_run("(49) = 4.12, ")
    paragraph.add_run("p").italic = True
    paragraph.add_run(" < .001. And χ")
    paragraph.add_run("2").font.superscript = True
    paragraph.add_run("(1, N = 94) = 4.67, p = .198.")
    table = document.add_table(rows=2, cols=2)
    for place, text in enumerate(["reward", "F(1, 28) = 4.60, p = .041", "partner", "F(1, 28) = 4.60, p = .41"]):
        table.cell(place // 2, place % 2).text = text
    document.save(str(file))
    return file


def test_word_is_read_in_order_with_its_tables(tmp_path: Path) -> None:
    audit = audit_file(word(tmp_path / "paper.docx"))
    assert [(one.reported.raw, one.verdict) for one in audit.results] == [
        ("t(49) = 4.12, p < .001", "consistent"),
        ("χ²(1, N = 94) = 4.67, p = .198", "decision error"),
        ("F(1, 28) = 4.60, p = .041", "consistent"),
        ("F(1, 28) = 4.60, p = .41", "decision error"),
    ]
    assert [one.reported.place for one in audit.results] == [2, 2, 3, 4]
    assert audit.unit == "paragraph"


def opendocument(file: Path, body: str, name: str = "content.xml") -> Path:
    text, table = ODF.strip("{}"), ODF_TABLE.strip("{}")
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr(
            name,
            f'<o:document-content xmlns:o="{OFFICE}" xmlns:text="{text}" xmlns:table="{table}">'
            f"<o:body><o:text>{body}</o:text></o:body></o:document-content>",
        )
    return file


def test_opendocument_is_read_with_its_tables(tmp_path: Path) -> None:
    body = (
        "<text:h>Results</text:h>"
        "<text:p>They differed, <text:span>t</text:span>(49)<text:s/>= 4.12, p &lt; .001.</text:p>"
        "<table:table><table:table-row><table:table-cell><text:p>reward</text:p></table:table-cell><table:table-cell>"
        "<text:p>F(1, 28) = 4.60, p = .041</text:p></table:table-cell></table:table-row></table:table>"
    )
    audit = audit_file(opendocument(tmp_path / "paper.odt", body))
    assert [one.reported.raw for one in audit.results] == ["t(49) = 4.12, p < .001", "F(1, 28) = 4.60, p = .041"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("", "holds no text"),
        ("<text:p>cut", "cannot be read"),
        ("<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><text:p>&b;</text:p>", "cannot be read"),
    ],
)
def test_what_is_damaged_is_one_line(tmp_path: Path, body: str, says: str) -> None:
    with pytest.raises(LogError, match=says):
        read(opendocument(tmp_path / "paper.odt", body))


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("negstats.audit.office.LARGEST", 10_000)
    with pytest.raises(LogError, match="the limit is 10,000"):
        read(opendocument(tmp_path / "paper.odt", "<text:p>" + "a" * 20_000 + "</text:p>"))


def test_millions_of_empty_paragraphs_are_not_read(tmp_path: Path) -> None:
    body = "<text:p/>" * 2_000_001
    with pytest.raises(LogError, match="has 2,000,007 tags; the limit is 2,000,000"):
        read(opendocument(tmp_path / "paper.odt", body))


def test_a_cut_file_and_a_zip_of_something_else_are_no_papers(tmp_path: Path) -> None:
    whole = word(tmp_path / "paper.docx").read_bytes()
    (tmp_path / "cut.docx").write_bytes(whole[: len(whole) // 2])
    opendocument(tmp_path / "other.zip", "", "readme.txt")
    for name in ("cut.docx", "other.zip"):
        with pytest.raises(LogError, match="is not text but a zip file"):
            read(tmp_path / name)
