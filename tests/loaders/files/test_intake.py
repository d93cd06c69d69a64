"""Bounded reading: archives and workbooks that ask for too much, and dicts logged as text."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.utils import get_column_letter

from negstats.errors import LogError
from negstats.loaders.files import intake as reading
from negstats.loaders.files import workbook as _workbook
from negstats.loaders.files.intake import Intake, literal, sheet_names, sheet_rows
from negstats.loaders.files.objects import json_whole
from negstats.loaders.files.workbook import refuse_far_cells

FILE = Path("log.xlsx")
SHEET = "xl/worksheets/sheet1.xml"
HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'


def workbook(cells: str | None = None, *, before: str = "", sheets: tuple[str, ...] = ("Sheet",)) -> bytes:
    """A workbook; with `cells` its first sheet's XML is written by hand, `before` its data."""
    book = openpyxl.Workbook()
    book.remove(book.active)  # type: ignore[arg-type]
    for name in sheets:
        book.create_sheet(name).append(["a", "b"])
    plain, buffer = io.BytesIO(), io.BytesIO()
    book.save(plain)
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename == SHEET and cells is not None:
                content = f"{HEAD}{before}<sheetData>{cells}</sheetData></worksheet>".encode()
            target.writestr(entry.filename, content)
    return buffer.getvalue()


A1 = '<row r="1"><c r="A1"><v>1</v></c></row>'
FAR = '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'


def test_rows_of_the_only_sheet() -> None:
    assert sheet_rows(workbook(), FILE) == [["a", "b"]]
    assert sheet_names(workbook(sheets=("one", "two")), FILE) == ["one", "two"]


@pytest.mark.parametrize(
    ("sheet", "reason"), [(None, "has the sheets one, two; name one"), ("tow", "has no sheet 'tow'; it has one, two")]
)
def test_the_sheet_must_be_named_and_there(sheet: str | None, reason: str) -> None:
    with pytest.raises(LogError, match=reason):
        sheet_rows(workbook(sheets=("one", "two")), FILE, sheet)


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(A1 + FAR, id="plain"),
        pytest.param(FAR, id="alone: the reader would still fill the rows before it"),
        pytest.param(A1 + FAR + '<row r="3"><c r="A3"><v>1</v></c></row>', id="out of order"),
        pytest.param(A1 + "<row r='1048576'><c\n r = 'XFD1048576'><v>2</v></c></row>", id="quoted otherwise"),
        pytest.param(A1 + '<x:row r="1048576"><x:c r="XFD1048576"><v>2</v></x:c></x:row>', id="with a prefix"),
        pytest.param('<row r="1048575"/><row>' + "<c/>" * 16_000 + "<c><v>1</v></c></row>", id="without references"),
        pytest.param(A1 + '<row r="9999"><c r="XFD9999"><v>2</v></c></row>', id="far in the columns only"),
        pytest.param(A1 + '<row r="9"><c r="a1048576"><v>2</v></c><c r="az9"><v>2</v></c></row>', id="in lower case"),
    ],
)
@pytest.mark.parametrize("before", ["", '<dimension ref="A1:B2"/>'], ids=["", "lying"])
def test_a_cell_far_away_is_refused(cells: str, before: str) -> None:
    with pytest.raises(LogError, match=r"claims a cell in row .* more than 4,194,304 cells"):
        sheet_rows(workbook(cells, before=before), FILE)


@pytest.mark.parametrize("before", ["", '<dimension ref="A1:XFD1048576"/>'], ids=["silent", "honest"])
def test_a_sheet_that_does_not_say_it_is_small_is_looked_at_anyway(before: str) -> None:
    with pytest.raises(LogError, match="claims a cell"):
        sheet_rows(workbook(A1 + FAR, before=before), FILE)


@pytest.mark.slow
def test_a_long_sheet_is_no_bomb() -> None:
    cells = A1 + '<row r="200000"><c r="B200000"><v>2</v></c></row>'
    rows = sheet_rows(workbook(cells), FILE)
    assert (len(rows), rows[0][0], rows[-1]) == (200_000, 1.0, ["", 2.0])


@given(rows=st.integers(1, 30), columns=st.integers(1, 30), row=st.integers(1, 2**20), column=st.integers(1, 2**14))
def test_the_extent_is_that_of_the_cells(rows: int, columns: int, row: int, column: int) -> None:
    far = f"{get_column_letter(column)}{row}"
    cells = "".join("<row>" + "<c><v>1</v></c>" * columns + "</row>" for _ in range(rows))
    xml = f'{HEAD}<sheetData>{cells}<row r="{row}"><c r="{far}"><v>1</v></c></row></sheetData></worksheet>'
    assert _workbook.find_extent(xml.encode()) == (max(rows, row), max(columns, column))


def zeros(size: int, name: str = SHEET, compress: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compress) as archive, archive.open(name, "w") as stream:
        for _ in range(size >> 20):
            stream.write(bytes(1 << 20))
    return buffer.getvalue()


@pytest.mark.slow
def test_an_archive_that_unpacks_to_too_much_is_refused() -> None:
    with pytest.raises(LogError, match="unpacks to more than 268,435,456 bytes"):
        sheet_rows(zeros(2**28 + 2**20), FILE)


@pytest.mark.parametrize("comment", [b"", b"so that the directory is not at the end"])
def test_parts_that_overlap_are_refused(comment: bytes) -> None:
    """The same packed bytes listed many times unpack to many times what the archive's size allows."""
    content = bytearray(zeros(2**20))
    at = content.index(b"PK\1\2")
    end = len(content) - 22
    entry = bytes(content[at:end])
    count = 100
    directory = entry * count
    tail = bytearray(content[end:])
    tail[8:12] = count.to_bytes(2, "little") * 2
    tail[12:16] = len(directory).to_bytes(4, "little")
    tail[20:] = len(comment).to_bytes(2, "little") + comment
    with pytest.raises(LogError, match="its parts overlap"):
        refuse_far_cells(bytes(content[:at]) + directory + bytes(tail), FILE)


def test_an_archive_with_a_comment_is_read() -> None:
    def commented(data: bytes) -> bytes:
        buffer = io.BytesIO(data)
        with zipfile.ZipFile(buffer, "a") as archive:
            archive.comment = b"made by a program with something to say"
        return buffer.getvalue()

    assert sheet_rows(commented(workbook()), FILE) == sheet_rows(workbook(), FILE)
    far = commented(workbook(A1 + FAR))
    with pytest.raises(LogError, match="claims a cell"):
        sheet_rows(far, FILE)


@pytest.mark.parametrize("data", [b"", b"PK", b"no archive at all, but long enough to be one", workbook()[:-30]])
def test_what_is_no_archive(data: bytes) -> None:
    with pytest.raises(LogError, match="is not a readable workbook"):
        sheet_rows(data, FILE)


def test_json_faults_name_the_row() -> None:
    with pytest.raises(LogError, match=r"log.json, row 2: is not JSON"):
        json_whole(b'{"a": 1,\n "b": }', Path("log.json"))


def read(text: str) -> dict[str, object]:
    return literal(text, file=FILE, row=7, column="Offer")


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("{'apple': 4, 'season': 'summer'}", {"apple": 4, "season": "summer"}),
        ('{"apple": 4.5}', {"apple": 4.5}),
        ("{}", {}),
        ("{'it\\'s': -1}", {"it's": -1}),
    ],
)
def test_dicts_as_text(text: str, content: dict[str, object]) -> None:
    assert read(text) == content


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('touch {}')",
        "{{'a': open('{}', 'w')}}",
        "{{**{{'a': 1}}, 'b': __import__('pathlib').Path('{}').touch()}}",
        "[[x for x in ().__class__.__bases__[0].__subclasses__()]]",
    ],
)
def test_code_in_a_dict_is_not_run(text: str, tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    with pytest.raises(LogError, match=r"log.xlsx, row 7, column 'Offer': .* is not a dict of names and values"):
        read(text.format(mark))
    assert not mark.exists()


@pytest.mark.parametrize(
    "text",
    ["[" * 10_000_000, "{'a': " * 1500, "-" * 9_999, "{" * 200, "1+" * 4000 + "1", "{'a': [1]}", "{1: 2}", "7"],
    ids=["10 MB", "nested", "signs", "braces", "sum", "list", "number as a name", "number"],
)
def test_what_is_no_dict(text: str) -> None:
    with pytest.raises(LogError, match="is not a dict") as fault:
        read(text)
    assert len(str(fault.value)) < 250


@given(
    st.dictionaries(
        st.text(max_size=9), st.one_of(st.text(max_size=9), st.integers(-(10**12), 10**12), st.floats(-1e9, 1e9))
    )
)
def test_any_dict_of_words_and_numbers_comes_back(content: dict[str, object]) -> None:
    assert read(repr(content)) == content


def test_the_intake_keeps_count(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    file = tmp_path / "deep" / "log.csv"
    file.write_bytes(b"a\n1\n")
    intake = Intake(tmp_path)
    intake.add(file, intake.read(file), 1)
    intake.leave_out(file, 2, "no game")
    provenance = intake.provenance("test", "1")
    assert provenance.sources[0].path == "deep/log.csv"
    assert provenance.sources[0].sha256 == hashlib.sha256(b"a\n1\n").hexdigest()
    assert provenance.reasons() == {"no game": 1}


def test_a_file_that_cannot_be_read_is_a_log_error(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="cannot be read: Is a directory"):
        Intake(tmp_path).read(tmp_path)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST_FILE", 3)
    file = tmp_path / "log.csv"
    file.write_bytes(b"a\n1\n")
    with pytest.raises(LogError, match="has 4 bytes; the limit is 3"):
        Intake(tmp_path).read(file)
    file.write_bytes(b"a\n1")
    assert Intake(tmp_path).read(file) == b"a\n1"


@pytest.mark.parametrize("damage", ["</row>", "</sheetData>", "</worksheet>"])
def test_a_sheet_that_is_cut_is_refused(damage: str) -> None:
    """The workbook reader would give the rows before the fault and say nothing."""
    whole = workbook('<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>')
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as source, zipfile.ZipFile(buffer, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, content.replace(damage.encode(), b"") if name == SHEET else content)
    with pytest.raises(LogError, match="is not a readable workbook"):
        sheet_rows(buffer.getvalue(), FILE)
