"""How files are written, found by looking: encoding, delimiter, decimal sign, thousands, rows above the names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from negstats.errors import LogError, UsageError
from negstats.loaders.mapping import read, read_mapping, suggest
from negstats.studies.study import Study

REPLIES, CITIES = ("ja", "nein"), ("Köln", "Wien")
ROWS = "".join(
    f"s{person};{turn};1.{turn + 1}{person}0,5{turn};{REPLIES[(turn + person) % 2]};{CITIES[person % 2]}\n"
    for person in range(6)
    for turn in range(1, 5)
)
HEADER = "Vp;Runde;Angebot;Angenommen;Land\n"


def loaded(folder: Path, file: Path, **how: Any) -> tuple[str, Study]:
    text = suggest(file, **how)
    (folder / "mapping.toml").write_text(text, encoding="utf-8")
    return text, read(file, read_mapping(folder / "mapping.toml"))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-8-sig", "utf-16"])
def test_a_german_table(encoding: str, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_bytes((HEADER + ROWS).encode(encoding))
    text, study = loaded(tmp_path, log)
    assert (f'encoding = "{encoding}"' in text) == (encoding in ("cp1252", "utf-16"))
    assert 'decimal = ","  # as 1.200,51 in Angebot' in text
    assert 'thousands = "."  # as 1.200,51 in Angebot: QUESTION: are these thousands?' in text
    assert study.offers["units_to_responder"][:2].tolist() == [1200.51, 1300.52]
    assert set(study.games["Land"]) == {"Köln", "Wien"}


def test_what_a_person_says_goes_first(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_bytes((HEADER + ROWS).encode("cp1252"))
    text, study = loaded(tmp_path, log, encoding="latin-1", delimiter=";", decimal=",")
    assert {'encoding = "latin-1"  # as it was said', 'delimiter = ";"  # as it was said'} <= set(text.splitlines())
    assert set(study.games["Land"]) == {"Köln", "Wien"}


@pytest.mark.parametrize(
    ("how", "message", "kind"),
    [
        ({"encoding": "utf-8"}, "row 2: byte 0xf6 is not utf-8; without --encoding it is found by looking", LogError),
        ({"encoding": "klingon"}, "encoding 'klingon': no encoding has this name", UsageError),
        ({"delimiter": "|"}, r"row 1: '|' is in none of its first lines; ';' does", LogError),
        ({"delimiter": "||"}, r"delimiter '||': it is one character", UsageError),
        ({"decimal": ";"}, "decimal ';': it is . or ,", UsageError),
    ],
)
def test_what_is_said_wrongly_is_one_clear_error(
    how: dict[str, Any], message: str, kind: type[Exception], tmp_path: Path
) -> None:
    log = tmp_path / "log.csv"
    log.write_bytes((HEADER + ROWS).encode("cp1252"))
    with pytest.raises(kind, match=re.escape(message)):
        suggest(log, **how)


def test_a_decimal_comma_that_is_not_there(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("subject,trial,offer,choice\ns1,1,3.5,accept\ns1,2,2.5,reject\n")
    with pytest.raises(LogError, match=re.escape("no column has numbers with a decimal comma")):
        suggest(log, decimal=",")


def test_english_thousands(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    lines = [f'p{n},{t},"1,{100 + n * t}.50",{("yes", "no")[(n + t) % 2]}' for n in range(5) for t in range(4)]
    log.write_text("\n".join(["subject,round,offer,accepted", *lines]) + "\n")
    text, study = loaded(tmp_path, log)
    assert 'thousands = ","' in text
    assert "decimal =" not in text
    assert study.offers["units_to_responder"][5] == 1101.5


def test_titles_above_the_names(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text(f"Study 1;;;;\n;;;;\n{HEADER}{ROWS}", encoding="utf-8")
    text, study = loaded(tmp_path, log)
    assert "header = 3" in text
    assert len(study.offers) == 24


@pytest.mark.slow
def test_merged_cells_above_the_names(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["subject", "Round 1", None, "Round 2", None])
    sheet.append([None, "offer", "accepted", "offer", "accepted"])
    for person in range(8):
        sheet.append(
            [f"s{person}", person % 4 + 1, ("yes", "no")[person % 2], person % 3 + 1, ("no", "yes")[person % 2]]
        )
    sheet.merge_cells("B1:C1")
    sheet.merge_cells("D1:E1")
    book.save(tmp_path / "log.xlsx")
    text, study = loaded(tmp_path, tmp_path / "log.xlsx")
    assert {"header = 2", "group_row = 1"} <= {line.partition("  #")[0] for line in text.splitlines()}
    assert '"Round {round} offer"' in text
    assert len(study.offers) == 16
    assert study.offers["units_to_responder"].sum() == sum(n % 4 + 1 + n % 3 + 1 for n in range(8))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('thousands = "x"', "thousands: 'x' is not one of"),
        ('thousands = "."', "thousands: '.' is the decimal sign"),
        ("group_row = 2\nheader = 2", "group_row: is a row above header"),
    ],
)
def test_faults_in_a_mapping(lines: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "mapping.toml").write_text(f'row = "offer"\n{lines}\ngames.game_id = "g"\n')
    with pytest.raises(LogError, match=re.escape(message)):
        read_mapping(tmp_path / "mapping.toml")


def test_a_number_that_is_parted_wrongly_is_no_number(tmp_path: Path) -> None:
    (tmp_path / "mapping.toml").write_text(
        'row = "offer"\nthousands = ","\ngames.game_id = "g"\nplayers.player = "w"\noffers.units_to_proposer = "x"\n'
    )
    (tmp_path / "log.csv").write_text('g,w,x\n1,A,"1,200"\n1,B,"12,00"\n')
    with pytest.raises(LogError, match=r"row 3, column 'x': '12,00' is not a number"):
        read(tmp_path / "log.csv", read_mapping(tmp_path / "mapping.toml"))


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_questions_below_the_names_are_no_data(ending: str, tmp_path: Path) -> None:
    people = [(f"a{place:03}", "ab"[place % 2], place * 7 % 21, 20 + place % 9) for place in range(40)]
    asked = ("Your code", "The frame that was shown", "How much do you give?", "How old are you?")
    frame = pd.DataFrame([asked, *people], columns=["subject", "frame", "give", "age"])
    if ending == ".csv":
        frame.to_csv(tmp_path / "log.csv", index=False)
    else:
        frame.to_excel(tmp_path / "log.xlsx", index=False)
    text, study = loaded(tmp_path, tmp_path / f"log{ending}")
    assert "header_rows = 2" in text
    assert len(study.games) == 40
    assert '"give"' in text
    assert not any(word in text for word in asked)


def test_what_stands_for_a_missing_number_in_the_first_row_is_no_question(tmp_path: Path) -> None:
    others = [(f"a{place}", "xy"[place % 2], place % 7, place % 5) for place in range(1, 40)]
    rows = [("a0", "x", "none", "none"), *others]
    frame = pd.DataFrame(rows, columns=["subject", "frame", "give", "take"])
    frame.loc[7, ["give", "take"]] = "none"
    frame.to_csv(tmp_path / "log.csv", index=False)
    text, study = loaded(tmp_path, tmp_path / "log.csv")
    assert "header_rows" not in text
    assert len(study.games) == 40
