"""One study in many containers: labels, declared missing codes, several tables of a file, and what is damaged."""

from __future__ import annotations

import io
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

from negstats.errors import LogError
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.containers import table_names
from negstats.loaders.files.tabular import LONGEST_NAME, Form, Table

FRAME = pd.DataFrame(
    {"pair": [1, 1, 2, 2], "role": ["buyer", "seller"] * 2, "arm": [1, 1, 2, 2], "points": [5.5, 4.5, 7.0, 3.0]}
)
LABELS: Any = {"arm": {1: "Chat", 2: "Video"}}
ROWS = [("1", "buyer", 5.5), ("1", "seller", 4.5), ("2", "buyer", 7.0), ("2", "seller", 3.0)]


def save_spss(file: Path) -> None:
    pyreadstat.write_sav(FRAME, str(file), variable_value_labels=LABELS)


def save_stata(file: Path) -> None:
    pyreadstat.write_dta(FRAME, str(file), variable_value_labels=LABELS)


def save_database(file: Path, frame: pd.DataFrame = FRAME) -> None:
    with sqlite3.connect(file) as database:
        frame.to_sql('a "quoted" name', database, index=False)
    database.close()


def save_archive(file: Path) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("folder/log.csv", FRAME.to_csv(index=False))


WRITERS: dict[str, Callable[[Path], object]] = {
    "log.sav": save_spss,
    "log.dta": save_stata,
    "log.parquet": FRAME.to_parquet,
    "log.feather": FRAME.to_feather,
    "log.sqlite": save_database,
    "log.zip": save_archive,
}


def table_in(file: Path, form: Form | None = None) -> Table:
    return read_table(file.read_bytes(), file, form or Form())


def cells_of(table: Table, *names: str) -> list[list[str]]:
    return [list(row) for row in zip(*(table.column(name) for name in names), strict=True)]


@pytest.mark.parametrize("name", WRITERS)
def test_each_container_holds_the_same_cells(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name)
    cells = cells_of(table_in(tmp_path / name), "pair", "role", "points")
    assert [(pair, role, float(points)) for pair, role, points in cells] == ROWS


@pytest.mark.parametrize("name", ["log.parquet", "log.feather", "log.sqlite"])
def test_bytes_are_words_or_are_spelled_digit_by_digit(tmp_path: Path, name: str) -> None:
    frame = pd.DataFrame({"pair": [1, 2], "note": ["für 3 €".encode(), b"\xff\xfe\x00"]})
    if name == "log.sqlite":
        save_database(tmp_path / name, frame)
    else:
        getattr(frame, f"to_{name.rpartition('.')[2]}")(tmp_path / name)
    assert list(table_in(tmp_path / name).column("note")) == ["für 3 €", "0xfffe00"]


@pytest.mark.parametrize("name", ["log.sav", "log.dta"])
def test_value_labels_take_the_place_of_codes(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name)
    assert list(table_in(tmp_path / name).column("arm")) == ["Chat", "Chat", "Video", "Video"]


def test_declared_missing_codes_are_empty_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "log.sav"
    frame = pd.DataFrame({"id": [1.0, 2.0, 3.0], "mood": [4.0, 99.0, 2.0]})
    pyreadstat.write_sav(frame, str(file), missing_ranges={"mood": [99]})
    table = table_in(file)
    assert table.column("mood").isna().tolist() == [False, True, False]
    assert table.notes == ("mood: 1 cells with 99 are declared missing",)


@pytest.mark.parametrize("name", WRITERS)
def test_a_cut_file_is_one_clear_error(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name)
    data = (tmp_path / name).read_bytes()
    with pytest.raises(LogError, match="is the file cut"):
        read_table(data[: len(data) // 2], tmp_path / name, Form())


@pytest.mark.parametrize(
    "name", [name for name in WRITERS if name.rpartition(".")[2] in ("parquet", "feather", "sqlite", "zip")]
)
def test_a_header_has_a_row_only_where_names_stand_in_one(tmp_path: Path, name: str) -> None:
    """The name of a column is no row of a database; its first row is the first row of values."""
    long = FRAME.rename(columns={"role": "x" * (LONGEST_NAME + 1)})
    if name == "log.sqlite":
        save_database(tmp_path / name, long)
    elif name == "log.zip":
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("log.csv", long.to_csv(index=False))
    else:
        getattr(long, f"to_{name.rpartition('.')[2]}")(tmp_path / name)
    with pytest.raises(LogError, match="a name of a column has 10,001 characters; the limit is 10,000") as caught:
        table_in(tmp_path / name)
    assert caught.value.row == (1 if name == "log.zip" else None)


def workbook(file: Path, **sheets: pd.DataFrame) -> Path:
    with pd.ExcelWriter(file) as writer:
        for name, frame in sheets.items():
            frame.to_excel(writer, sheet_name=name, index=False)
    return file


def test_equal_sheets_stand_below_each_other_with_their_names(tmp_path: Path) -> None:
    file = workbook(tmp_path / "log.xlsx", Chat=FRAME.head(2), Video=FRAME.tail(2))
    table = table_in(file, Form(sheets=("*",)))
    assert list(table.column("source")) == ["Chat", "Chat", "Video", "Video"]
    assert len(set(table.rows)) == 4
    assert "the tables Chat, Video were put below each other" in table.notes[-1]


def test_files_of_an_archive_are_named_and_hidden_ones_are_none(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in ("b.csv", "a.csv", "__MACOSX/a.csv", ".hidden.csv"):
            archive.writestr(name, FRAME.to_csv(index=False))
    file = tmp_path / "log.zip"
    assert table_names(stream.getvalue(), file) == ["a.csv", "b.csv"]
    with pytest.raises(LogError, match=r"has the files a\.csv, b\.csv; name one"):
        read_table(stream.getvalue(), file, Form())
    stacked = read_table(stream.getvalue(), file, Form(sheets=("*",)))
    assert stacked.column("source").unique().tolist() == ["a", "b"]


def test_a_table_of_a_database_that_is_not_there(tmp_path: Path) -> None:
    save_database(tmp_path / "log.db")
    with pytest.raises(LogError, match="has no table 'people'"):
        table_in(tmp_path / "log.db", Form(sheet="people"))


ZTREE_LINES = (
    "1 globals Period Pie", "1 globals 1 100", "2 globals Period Pie", "2 globals 1 80",
    "1 subjects Period Subject Offer", "1 subjects 1 1 36", "1 subjects 1 2 40",
    "1 clicks Period Subject Click", "1 clicks 1 1 3", "1 clicks 1 1 5",
    "2 subjects Period Subject Offer", "2 subjects 1 1 38",
    "3 subjects Period Subject Age", "3 subjects 1 1 30", "3 subjects 1 2 41",
    "3 session Subject Paid", "3 session 1 5", "3 session 2 6",
)  # fmt: skip
ZTREE = "".join("\t".join(["240301_1000", *line.split(), "\n"]) for line in ZTREE_LINES)


@pytest.mark.parametrize("name", ["240301_1000.xls", "240301_1000.txt"])
def test_tables_of_ztree_stand_beside_its_subjects(name: str) -> None:
    data, file = ZTREE.encode(), Path(name)
    assert table_names(data, file) == ["subjects", "clicks"]
    subjects = read_table(data, file, Form(sheet="subjects"))
    assert subjects.names == ["session", "treatment", "Period", "Subject", "Offer", "Pie", "Age", "Paid"]
    assert cells_of(subjects, *subjects.names[1:]) == [
        ["1", "1", "1", "36", "100", "30", "5"],
        ["1", "1", "2", "40", "100", "41", "6"],
        ["2", "1", "1", "38", "80", "30", "5"],
    ]
    assert "globals (by treatment and Period), subjects 3 (by Subject), session (by Subject)" in subjects.notes[0]


@pytest.mark.parametrize(
    ("name", "column", "cells"), [("globals", "Pie", ["100", "80"]), ("subjects 3", "Age", ["30", "41"])]
)
def test_each_table_of_ztree_can_be_named(name: str, column: str, cells: list[str]) -> None:
    table = read_table(ZTREE.encode(), Path("log.xls"), Form(sheet=name))
    assert table.column(column).tolist() == cells


def test_cells_and_lines_of_ztree_below_no_name_are_counted_with_their_place() -> None:
    lines = [
        "1 clicks 1 1 3",
        "1 subjects Period Subject Offer",
        "1 subjects 1 1 36 7 8",
        "1 subjects 1 2 40",
        "1 clicks 1 2 5",
    ]
    data = "".join("\t".join(["240301_1000", *line.split(), "\n"]) for line in lines).encode()
    subjects = read_table(data, Path("log.xls"), Form())
    assert cells_of(subjects, "Offer") == [["36"], ["40"]]
    assert subjects.notes == (
        "2 cells below no name of a column are not read; the first is '7' in line 3",
        "2 lines below no name of a column are not read; the first is line 1, of clicks",
    )


def test_a_binary_workbook_of_an_old_excel_is_refused_with_what_would_do() -> None:
    with pytest.raises(LogError, match=r"save it as \.xlsx"):
        read_table(b"\xd0\xcf\x11\xe0" + b"\0" * 600, Path("log.xls"), Form())


def test_names_that_stand_twice_are_numbered_and_noted() -> None:
    table = read_table(b"id,Q14,Q14\n1,a,b\n", Path("log.csv"), Form())
    assert table.names == ["id", "Q14", "Q14_2"]
    assert "Q14" in table.notes[0]


@pytest.mark.parametrize(
    ("last", "left"),
    [("Mean,,,5\n", 6), ("Total,,,\n", 6), ("Meaning,,,5\n", 7), ("Mean,chat,1,5\n", 7), ("7,chat,1,5\n", 7)],
)
def test_a_row_of_sums_below_the_data_is_left_out_and_counted(last: str, left: int) -> None:
    body = "pair,arm,deal,price\n" + "".join(f"{pair},chat,1,{pair + 4}\n" for pair in range(1, 7)) + last
    table = read_table(body.encode(), Path("log.csv"), Form())
    assert (len(table.rows), len(table.unread)) == (left, 7 - left)


def test_sessions_of_ztree_in_one_file_have_their_own_tables_beside_them() -> None:
    other = ZTREE.replace("240301_1000", "240302_1400").replace("\t100\t", "\t60\t")
    subjects = read_table((ZTREE + other).encode(), Path("log.xls"), Form(sheet="subjects"))
    assert cells_of(subjects, "session", "Pie", "Paid")[:1] == [["240301_1000", "100", "5"]]
    assert cells_of(subjects, "session", "Pie", "Paid")[3:4] == [["240302_1400", "60", "5"]]
