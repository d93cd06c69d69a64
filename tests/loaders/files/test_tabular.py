"""Reading any table as text: the same table in each file format, and rows as a spreadsheet counts them."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import negstats
from negstats.errors import LogError
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.tabular import Form, Table, refusal


def read(content: str | bytes, name: str = "log.csv", **form: object) -> Table:
    data = content if isinstance(content, bytes) else content.encode()
    return read_table(data, Path(name), Form(**form))  # type: ignore[arg-type]


def sheet(*rows: list[object], title: str = "Sheet") -> bytes:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.title = title
    for row in rows:
        page.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def columns(table: Table) -> dict[str, list[str | None]]:
    return {name: [None if pd.isna(cell) else cell for cell in table.column(name)] for name in table.names}


TABLE = {"game": ["7", "8"], "who": ["A", None], "offer": ["5", "2.5"]}


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("game,who,offer\n7,A,5\n8,,2.5\n", "log.csv"),
        ("game;who;offer\r\n7;A;5\r\n8;;2.5\r\n", "log.csv"),
        ("game\twho\toffer\n7\tA\t5\n8\t\t2.5", "log.tsv"),
        ("game|who|offer\n7|A|5\n8||2.5\n", "log.txt"),
        ("\ufeffgame,who,offer\r7,A,5\r8,,2.5\r", "LOG.CSV"),
        ('"game","who","offer"\n"7","A","5"\n"8","","2.5"\n', "log.csv"),
        ('[{"game": 7, "who": "A", "offer": 5.0}, {"game": 8, "offer": 2.5}]', "log.json"),
        ('{"rows": [{"game": 7, "who": "A", "offer": 5}, {"game": 8, "offer": 2.5}]}', "log.json"),
        ('{"game": 7, "who": "A", "offer": 5}\n\n{"game": 8, "who": null, "offer": 2.5}\n', "log.jsonl"),
        (sheet(["game", "who", "offer"], [7, "A", 5.0], [8, None, 2.5]), "log.xlsx"),
    ],
)
def test_one_table_in_every_format(content: str | bytes, name: str) -> None:
    table = read(content, name)
    assert columns(table) == TABLE


@pytest.mark.parametrize(
    "games",
    [
        '"games": [{"game": 7, "who": "A", "offer": 5}, {"game": 8, "who": null, "offer": 2.5}]',
        '"data": {"games": [{"game": 7, "who": "A", "offer": 5}, {"game": 8, "who": null, "offer": 2.5}]}',
    ],
)
def test_what_a_file_tells_once_stands_beside_each_of_its_rows(games: str) -> None:
    """Words, numbers and settings do; a summary of all games by their names does not."""
    told = '"game": "run 4", "model": "m", "settings": {"heat": 0.5}, "means": {"7": {"offer": 5}}'
    table = read(f"{{{told}, {games}}}", "log.json")
    beside = {"file.game": ["run 4"] * 2, "model": ["m"] * 2, "settings.heat": ["0.5"] * 2}
    beside["settings"] = ['{"heat": 0.5}'] * 2
    assert columns(table) == beside | TABLE


def test_rows_are_numbered_as_a_spreadsheet_shows_them() -> None:
    table = read('a,b\n1,"two\nlines"\n\n3,x\n')
    assert table.rows == [2, 4]
    assert table.column("b").tolist() == ["two\nlines", "x"]
    assert read(sheet(["a"], [1], [None], [3]), "log.xlsx").rows == [2, 4]
    assert read('{"a": 1}\n\n{"a": 2}\n', "log.jsonl").rows == [1, 3]


def test_titles_above_the_header_are_passed_over() -> None:
    table = read("Study 4\nexported,2026\na,b\nThe first,The second\n1,2\n", header=3, first_row=5)
    assert (table.names, list(table.rows)) == (["a", "b"], [5])


def test_columns_without_a_name() -> None:
    assert read(",a\n0,1\n").names == ["column 1", "a"]
    assert read(sheet(["a", None, None], [1, 2, None]), "log.xlsx").names == ["a", "column 2"]


def test_cells_of_a_sheet_are_text() -> None:
    when = dt.datetime(2026, 11, 21, 20, 32, 20)
    result = sheet(["n", "f", "b", "d", "t"], [3.0, 0.1, True, when, dt.time(1, 2, 3)])
    table = read(result, "log.xlsx")
    assert [table.column(name)[0] for name in table.names] == ["3", "0.1", "True", "2026-11-21 20:32:20", "01:02:03"]


def test_objects_inside_a_row_have_columns_too() -> None:
    table = read('{"bid": {"apple": 3, "to": {"A": 1}}, "tags": ["x"]}', "log.jsonl")
    assert table.names == ["bid", "bid.apple", "bid.to", "bid.to.A", "tags"]
    assert table.column("bid")[0] == '{"apple": 3, "to": {"A": 1}}'
    assert table.column("bid.to.A")[0] == "1"


def test_json_numbers_keep_their_digits_and_nan_is_missing() -> None:
    table = read('[{"id": 123456789012345678901234567890, "points": NaN}]', "log.json")
    assert table.column("id")[0] == "123456789012345678901234567890"
    assert table.column("points").isna().all()


def test_text_that_looks_like_a_formula_stays_text() -> None:
    formula = '=HYPERLINK("http://example.org","x")'
    assert read("a\n" + '"' + formula.replace('"', '""') + '"\n').column("a")[0] == formula
    assert read(json.dumps([{"a": formula}]), "log.json").column("a")[0] == formula


@pytest.mark.parametrize(("text", "encoding"), [("prénom\né\n", "cp1252"), ("prénom\né\n", "utf-16")])
def test_other_encodings_on_request(text: str, encoding: str) -> None:
    assert read(text.encode(encoding), encoding=encoding).column("prénom")[0] == "é"


def test_only_the_columns_asked_for_are_kept() -> None:
    table = read_table(b"a,b,c\n1,2,3\n", Path("log.csv"), Form(), {"b", "nowhere"})
    assert (table.names, list(table.cells)) == (["a", "b", "c"], ["b"])
    assert table.cells["b"].to_pylist() == ["2"]


def test_a_file_without_a_last_line_break_is_marked() -> None:
    assert read("a\n1\n").complete
    assert not read("a\n1").complete


def test_rows_that_end_before_empty_cells_are_whole_and_counted() -> None:
    table = read("a,b,c,d\n1,x,2,y\n3,,4\n5\n6,z\n7,,,y\n")
    assert table.column("c").fillna("").tolist() == ["2", "4", "", "", ""]
    assert table.column("d").fillna("").tolist() == ["y", "", "", "", "y"]
    assert "3 rows end before the last column; the cells that they lack are empty" in table.notes


FAULTS = {
    "ragged, beside rows that end in empty cells": ("a,b\n1,2\n3\n4\n5\n6,\n", "log.csv", "row 3: has 1 cells"),
    "ragged, for cells were lost": ("a,b,c\n1,x,2\n3,4\n5,6\n7,y,8\nz,9\n", "log.csv", "row 3: has 2 cells"),
    "ragged, for numbers were lost among numbers": (
        "a,b,c\n1,2,3\n4,6\n7,8,9\n10,12\n13,14\n16,17,18\n",
        "log.csv",
        "row 3: has 2 cells",
    ),
    "ragged, in all rows": ("a,b,c\n1,x\n3,y\n5,z\n", "log.csv", "row 2: has 2 cells"),
    "ragged, and cut": ("a,b,c\n1,x,2\n3,y\n5,z\n7,y,8\n9,u", "log.csv", "row 3: has 2 cells"),
    "ragged, short": ("a,b\n1,2\n3\n", "log.csv", "row 3: has 1 cells, the header has 2"),
    "ragged, long": ("a,b\n1,2,3\n", "log.csv", "row 2: has 3 cells, the header has 2"),
    "ragged, in one row": ("a,b\n1,2\n3,4,\n", "log.csv", "row 3: has 3 cells, the header has 2"),
    "ragged, after a break in quotes": ('a,b\n"1\n2",3\n4\n', "log.csv", "row 3: has 1 cells"),
    "a quote that is not closed": ('a,b\n1,2\n3,"4\n5,6\n', "log.csv", "row 3: is not a table in text: unexpected end"),
    "another encoding": ('a,b\n"x\ny",1\né,2\n'.encode("latin-1"), "log.csv", "row 3: byte 0xe9 is not utf-8.*cp1252"),
    "UTF-16": ("a,b\n".encode("utf-16"), "log.csv", 'row 1: byte 0xff is not utf-8.*encoding = "utf-16"'),
    "NUL": (b"a,b\n1,\x002\n", "log.csv", "row 2: has a NUL character"),
    "empty": (b"", "log.csv", "log.csv: is empty"),
    "white space": (b" \n\n", "log.json", "log.json: is empty"),
    "no header": ("a\n1\n", "log.csv", "has no row 3", {"header": 3}),
    "no header in a sheet": (sheet(["a"]), "log.xlsx", "has no row 2", {"header": 2}),
    "JSON, cut": ('[{"a": 1},\n {"a"', "log.json", "row 2: is not JSON"),
    "JSON Lines, cut": ('{"a": 1}\n{"a": ', "log.jsonl", "row 2: is not JSON"),
    "JSON, a number": ("7", "log.json", "holds 7, not a list of objects"),
    "JSON, no list": ('{"a": 1}', "log.json", "holds one object, not a list of rows"),
    "JSON, no such list": ('{"a": [{}]}', "log.json", "has no 'b'; the lists of rows in it are 'a'", {"sheet": "b"}),
    "JSON, two lists": ('{"a": [{"x": 1}], "b": [{"x": 1}]}', "log.json", "the lists of rows in it are 'a', 'b'"),
    "JSON, no objects": ("[[1], [2]]", "log.json", r"row 1: \[1\] is not an object"),
    "JSON, no rows": ("[]", "log.json", "has no rows"),
    "JSON, a key twice": ('[{"a": 1, "a": 2}]', "log.json", "an object has the key 'a' twice"),
    "JSON, a name twice": ('[{"a.b": 1, "a": {"b": 2}}]', "log.json", "row 1, column 'a.b': two values"),
    "JSON, nested": ("[" * 100_000, "log.json", "is nested too deeply"),
    "JSON, thousands of digits": ('[{"a": ' + "9" * 5000 + "}]", "log.json", "limit"),
    "JSON, half a character": ('[{"a": 1}, {"a": "\\ud800"}]', "log.json", "row 2, column 'a': .* half a character"),
    "YAML": (
        "!!python/object/apply:os.system ['true']",
        "log.yaml",
        "negstats reads CSV, TSV, Excel.*ever unpickled or ex",
    ),
    "an old workbook": (b"\xd0\xcf\x11\xe0", "log.xls", "save it as .xlsx"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "log.csv", "row 1: byte 0x89 is not utf-8"),
    "a workbook in name only": (b"a,b\n1,2\n", "log.xlsx", "is not a readable workbook"),
}


@pytest.mark.parametrize("case", FAULTS.values(), ids=FAULTS.keys())
def test_faults(case: tuple[str | bytes, str, str] | tuple[str | bytes, str, str, dict[str, object]]) -> None:
    content, name, reason, *form = case
    with pytest.raises(LogError, match=reason) as fault:
        columns(read(content, name, **(form[0] if form else {})))
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ([], "no table to read (no files)"),
        (["a.yaml", "b.yaml", "README"], "no table to read (2 x .yaml, 1 x without an ending)"),
    ],
)
def test_refusal(names: list[str], reason: str) -> None:
    assert refusal([Path(name) for name in names]).startswith(reason)


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@given(st.lists(st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=5))
def test_what_is_written_as_csv_is_read_back(rows: list[list[str]]) -> None:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL)
    writer.writerow("abc")
    writer.writerows(rows)
    table = read(buffer.getvalue())
    held = [list(row) for row in zip(*(column.to_pylist() for column in table.cells.values()), strict=True)]
    empty = [row for row, reason in table.unread if reason == "an empty row"]
    assert sorted([*table.rows, *empty]) == list(range(2, len(rows) + 2))
    assert held == [cells for row, cells in enumerate(rows, 2) if row not in empty]
    assert all(not "".join(rows[row - 2]).strip() for row in empty)
    assert ["", "", ""] not in held


DATA: list[list[object]] = [
    ["pair", "arm", "price"],
    *([number, "ab"[number % 2], number * 1.5] for number in range(1, 13)),
]
FOOTER: list[list[object]] = [["Mean", None, 9.75], ["by Ann", None, None]]
GAP: list[object] = [None, None, None]


def written(rows: list[list[object]], kind: str) -> bytes:
    if kind == ".xlsx":
        return sheet(*rows)
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode()


@pytest.mark.parametrize("kind", [".csv", ".xlsx"])
@pytest.mark.parametrize("wanted", [None, ["price"], ["arm", "price"], ["nothing"]])
def test_what_stands_below_the_data_is_left_out_and_quoted(kind: str, wanted: list[str] | None) -> None:
    table = read_table(written([*DATA, GAP, *FOOTER], kind), Path(f"log{kind}"), columns=wanted)
    assert list(table.rows) == list(range(2, 14))
    below = "below the data, behind an empty row: 'Mean', 'by Ann'"
    empty = [(14, "an empty row")] if kind == ".csv" else []
    assert list(table.unread) == [*empty, (15, below), (16, below)]
    assert table.notes == (() if empty else ("1 empty row was passed over between the others",))


@pytest.mark.parametrize("kind", [".csv", ".xlsx"])
@pytest.mark.parametrize(
    "rows",
    [
        [*DATA[:7], GAP, *DATA[7:]],
        [*DATA[:12], GAP, *DATA[12:]],  # one row behind it, as the others
        [*DATA[:12], GAP, [12, None, 18], [13, "b", 19]],  # what lacks an arm is not all that stands behind it
        [*DATA[:7], GAP, *([number, None, 5] for number in range(8, 14))],  # half of the table is no footer
    ],
    ids=["in the middle", "before the last", "mixed", "long"],
)
def test_rows_behind_an_empty_row_are_data(rows: list[list[object]], kind: str) -> None:
    table = read_table(written(rows, kind), Path(f"log{kind}"))
    assert len(table.rows) == len(rows) - 2
    assert columns(table)["pair"] == [str(row[0]) for row in rows[1:] if row != GAP]
    assert [reason for _, reason in table.unread] + list(table.notes) == [
        "an empty row" if kind == ".csv" else "1 empty row was passed over between the others"
    ]


def test_rows_that_are_read_are_those_that_are_used_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_bytes(written([*DATA, GAP, *FOOTER], ".csv"))
    (tmp_path / "map.toml").write_text('row = "game"\n[games]\ngame_id = "pair"\n[factors]\narm = "arm"\n')
    study = negstats.load(tmp_path / "log.csv", mapping=tmp_path / "map.toml")
    (source,) = study.provenance.sources
    assert (source.rows, len(study.games), len(study.provenance.left_out)) == (15, 12, 3)
