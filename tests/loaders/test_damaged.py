"""Damaged and hostile logs: one clear `LogError`, or the row is left out and counted; nothing is executed."""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from negstats.errors import LogError
from negstats.loaders.mapping import advice, read, read_mapping
from negstats.studies.records import Record
from negstats.studies.study import Study
from tests.effort import Effort
from tests.loaders.files.test_intake import A1, FAR, workbook, zeros

ROWS: list[list[Any]] = [
    ["game", "who", "mine", "bid", "round", "said"],
    *[
        [game, who, 4 + turn, f"{{'apple': {turn}}}", turn, "so"]
        for game in (1, 2)
        for turn, who in enumerate("abab", 1)
    ],
]
MAPPING = """
row = "offer"
games.game_id = "game"
offers = { proposer = "who", units_to_proposer = "mine", items = "bid", items_to = "proposer", round = "round" }
messages.text = "said"
"""
PLAYERS = """
row = "player"
games.game_id = "game"
players = { player = "who", points = "mine" }
"""


HEADER = [str(name) for name in ROWS[0]]


def csv_text(rows: list[list[object]] = ROWS) -> bytes:
    return "".join(",".join(f'"{cell}"' for cell in row) + "\r\n" for row in rows).encode()


def records() -> list[dict[str, object]]:
    return [dict(zip(HEADER, row, strict=True)) for row in ROWS[1:]]


def json_text() -> bytes:
    return json.dumps(records(), indent=1).encode()


def lines_text() -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records()).encode()


def half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def sheet() -> bytes:
    book, buffer = openpyxl.Workbook(), io.BytesIO()
    page = book.active
    assert page is not None
    for row in ROWS:
        page.append(row)
    book.save(buffer)
    return buffer.getvalue()


FORMATS: dict[str, Callable[[], bytes]] = {
    "log.csv": csv_text,
    "log.json": json_text,
    "log.jsonl": lines_text,
    "log.xlsx": sheet,
}


def load(folder: Path, name: str, data: bytes, mapping: str = MAPPING) -> Study:
    (folder / "mapping.toml").write_text(mapping)
    (folder / name).write_bytes(data)
    return read(folder / name, read_mapping(folder / "mapping.toml"))


@pytest.mark.parametrize("name", FORMATS)
def test_the_logs_are_sound_before_they_are_damaged(tmp_path: Path, name: str) -> None:
    study = load(tmp_path, name, FORMATS[name]())
    assert [len(study.games), len(study.players), len(study.offers), len(study.items), len(study.messages)] == [
        2,
        4,
        8,
        8,
        8,
    ]


def changed(row: int, column: str, value: object) -> bytes:
    """The CSV log with another cell; rows are numbered as the file's, the header is row 1."""
    rows = [list(line) for line in ROWS]
    rows[row - 1][HEADER.index(column)] = value
    return csv_text(rows)


@dataclass(frozen=True)
class Damage:
    """A damaged file and what the error must say of it, after the file's name."""

    reason: str
    data: Callable[[], bytes]
    name: str = "log.csv"
    mapping: str = MAPPING


DAMAGES = {
    "cut in a row": Damage("row 5: is not a table in text: unexpected end of data", lambda: half(csv_text())),
    "cut between cells": Damage("row 3: has 3 cells, the header has 6", lambda: b"a,b,c,d,e,f\n1,2,3,4,5,6\n1,2,3"),
    "a workbook cut in half": Damage(r"not a readable workbook: .*is the file cut", lambda: half(sheet()), "log.xlsx"),
    "JSON cut in half": Damage("row .*: is not JSON: .*is the file cut", lambda: half(json_text()), "log.json"),
    "JSON Lines cut in half": Damage("row 8: is not JSON", lambda: lines_text()[:-9], "log.jsonl"),
    "the wrong sheet": Damage(
        "has no sheet 'Session'; it has Sheet", sheet, "log.xlsx", 'sheet = "Session"\n' + MAPPING
    ),
    "a missing column": Damage(
        r"column 'who': the log has no such column; .*\(the mapping's offers.proposer\)",
        lambda: csv_text().replace(b'"who"', b'"name"'),
    ),
    "text in a number column": Damage(
        r"row 4, column 'mine': 'five' is not a number .*\(the mapping's offers.units_to_proposer\)",
        lambda: changed(4, "mine", "five"),
    ),
    "infinity in a number column": Damage(
        "row 4, column 'mine': '1e999' is not a number", lambda: changed(4, "mine", "1e999")
    ),
    "a fraction in a column of whole numbers": Damage(
        "row 4, column 'round': '1.5' is not a whole number", lambda: changed(4, "round", "1.5")
    ),
    "a whole number that is too large": Damage(
        "row 4, column 'round': '99999999999999999999' is not a whole number", lambda: changed(4, "round", "9" * 20)
    ),
    "two rows for one player": Damage(
        "row 4: game_id '1', player 'a' is also in row 2 of log.csv", csv_text, mapping=PLAYERS
    ),
    "two rows for one game": Damage(
        "row 3: game_id '1' is also in row 2 of log.csv",
        csv_text,
        mapping='row = "game"\ngames.game_id = "game"',
    ),
    "two offers at one place": Damage(
        "row 3: game_id '1', place '1.0' is also in row 2",
        lambda: changed(3, "round", 1),
        mapping=MAPPING.replace('round = "round"', 'offer = "round"'),
    ),
    "a seat that is not there": Damage(
        "row 2: 'a' is not a seat of game '1', which has 'b', 'c'",
        csv_text,
        mapping=MAPPING + "seats.b.batna = 1\nseats.c.batna = 1",
    ),
    "a factor that varies in a game": Damage(
        r"row 3, column 'round': '2' here and '1' in row 2 of log.csv: .*\(the mapping's factors.condition\)",
        csv_text,
        mapping=MAPPING + 'factors.condition = "round"',
    ),
    "an unknown level": Damage(
        r"row 2, column 'said': 'so' is spelled in no level \(accepted, rejected, superseded, none\)",
        csv_text,
        mapping=MAPPING.replace('round = "round"', 'response = "said"'),
    ),
    "a date that is none": Damage(
        "row 2, column 'said': 'so' is not a date and time",
        csv_text,
        mapping=MAPPING + 'games.started_at = "said"',
    ),
    "code in a dict": Damage(
        r"row 4, column 'bid': .*is not a dict of names and values.*\(the mapping's offers.items\)",
        lambda: changed(4, "bid", "__import__('os').system('touch executed')"),
    ),
    "code inside a dict": Damage("row 4, column 'bid'", lambda: changed(4, "bid", "{'a': open('executed', 'w')}")),
    "a bomb of brackets": Damage(
        "row 4, column 'bid': .* is not a dict of names and values", lambda: changed(4, "bid", "[" * 10_000_000)
    ),
    "a bomb of brackets in JSON": Damage(
        r"row 1, column 'bid': '\[\[\[.*is not a dict",
        lambda: json.dumps([dict(zip(HEADER, [1, "a", 1, "[" * 10_000_000, 1, "so"], strict=True))]).encode(),
        "log.json",
    ),
    "an infinite quantity": Damage(
        "row 4, column 'bid': .*'apple' is not a number", lambda: changed(4, "bid", "{'apple': 1e999}")
    ),
    "a quantity without end": Damage(
        "row 4, column 'bid': .*'apple' is not a number", lambda: changed(4, "bid", f"{{'apple': {'9' * 400}}}")
    ),
    "more than there is": Damage(
        "row 2: the offer gives 5 and -2 of a total of 3",
        csv_text,
        mapping=MAPPING.replace('round = "round"', "total = 3"),
    ),
    "an empty file": Damage("is empty", lambda: b""),
    "a header only": Damage("no row of a game is left", lambda: csv_text(ROWS[:1])),
    "a picture": Damage("row 1: byte 0x89 is not utf-8", lambda: b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
    "NUL bytes": Damage("row 4: has a NUL character", lambda: changed(4, "said", "s\0o")),
    "NaN for a name": Damage(
        "no row of a game is left: no game: game is empty",
        lambda: b'[{"game": NaN, "who": "a", "mine": 1, "bid": null, "round": 1, "said": "so"}]',
        "log.json",
    ),
    "a key twice": Damage("an object has the key 'game' twice", lambda: b'{"game": 1, "game": 2}\n', "log.jsonl"),
    "a huge whole number": Damage(
        "row 1, column 'round': '1000000000.* is not a number",
        lambda: lines_text().replace(b'"round": 1', b'"round": 1' + b"0" * 400),
        "log.jsonl",
    ),
    "a pickle": Damage("YAML and pickles are not opened", lambda: pickle.dumps({"a": 1}), "log.pkl"),
    "an archive": Damage("no table to read", lambda: zeros(2**20), "log.zip"),
    "a bomb": Damage("unpacks to more than 268,435,456 bytes", lambda: zeros(2**28 + 2**20), "log.xlsx"),
    "a cell far away": Damage("claims a cell in row 1,048,576, column 16,384", lambda: workbook(A1 + FAR), "log.xlsx"),
}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_damage(tmp_path: Path, damage: Damage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Effort() as effort, pytest.raises(LogError, match=damage.reason) as fault:
        load(tmp_path, damage.name, damage.data(), damage.mapping)
    assert str(fault.value).startswith(str(tmp_path / damage.name))
    assert "\n" not in str(fault.value)
    assert len(str(fault.value)) < 600
    assert not (tmp_path / "executed").exists()
    assert effort.millions < 200


@pytest.mark.parametrize(
    ("row", "column", "reason"),
    [(4, "game", "no game: game is empty"), (4, "who", "an offer without a proposer")],
)
def test_a_row_that_belongs_nowhere_is_left_out_and_counted(tmp_path: Path, row: int, column: str, reason: str) -> None:
    study = load(tmp_path, "log.csv", changed(row, column, ""))
    assert len(study.offers) == 7
    assert [(left.path, left.row, left.reason) for left in study.provenance.left_out] == [("log.csv", row, reason)]


def test_an_offer_without_content_is_left_out_and_counted(tmp_path: Path) -> None:
    mapping = MAPPING.replace('messages.text = "said"', "").replace(', items = "bid", items_to = "proposer"', "")
    study = load(tmp_path, "log.csv", changed(4, "mine", " "), mapping)
    (left,) = study.provenance.left_out
    assert (left.row, left.reason, len(study.offers)) == (4, "an offer without quantities or values", 7)


def test_an_offer_in_a_game_that_does_not_exist_is_left_out_and_counted(tmp_path: Path) -> None:
    mapping = """
    [[part]]
    files = "games.csv"
    row = "game"
    games.game_id = "game"
    [[part]]
    files = "log.csv"
    row = "offer"
    games.game_id = "game"
    offers = { proposer = "who", units_to_proposer = "mine" }
    """
    (tmp_path / "mapping.toml").write_text(mapping)
    (tmp_path / "games.csv").write_text("game\n1\n2\n")
    (tmp_path / "log.csv").write_bytes(changed(4, "game", "3"))
    study = read(tmp_path, read_mapping(tmp_path / "mapping.toml"))
    (left,) = study.provenance.left_out
    assert (left.path, left.row, len(study.offers)) == ("log.csv", 4, 7)
    assert left.reason == "a game that the log with one row per game or player does not list"


def test_a_log_that_may_be_cut_in_its_last_value_is_noted(tmp_path: Path) -> None:
    study = load(tmp_path, "log.csv", b"game,who,mine,bid,round,said\n1,a,12,,1,so")
    assert Record("last_line_open", "log.csv") in study.provenance.records
    assert load(tmp_path, "log.csv", b"game,who,mine,bid,round,said\n1,a,12,,1,so\n").provenance.records == ()


def test_formulas_stay_text(tmp_path: Path) -> None:
    formula = "=cmd|' /C calc'!A0"
    study = load(tmp_path, "log.csv", changed(2, "said", formula))
    assert study.messages["text"][0] == formula


@pytest.mark.parametrize("name", ["log.yaml", "log.yml"])
def test_a_pickle_inside_yaml_is_not_opened(tmp_path: Path, name: str) -> None:
    mark = tmp_path / "executed"
    (tmp_path / name).write_text(
        f"who: !!python/object/apply:pathlib.Path.touch [{mark}]\nraw: !!binary gASVIAAAAA==\n"
    )
    (tmp_path / "mapping.toml").write_text(MAPPING)
    for source in (tmp_path / name, tmp_path):
        with pytest.raises(LogError, match="nothing in a log is ever unpickled or executed") as fault:
            read(source, read_mapping(tmp_path / "mapping.toml"))
        assert "negstats reads CSV, TSV, Excel (.xlsx), SPSS (.sav)" in str(fault.value)
    assert "nothing in a log is ever unpickled or executed" in advice(tmp_path / name)[0]
    assert not mark.exists()


def test_folders_without_logs(tmp_path: Path) -> None:
    (tmp_path / "mapping.toml").write_text(MAPPING)
    mapping = read_mapping(tmp_path / "mapping.toml")
    (tmp_path / "empty").mkdir()
    with pytest.raises(LogError, match=r"empty: no table to read \(no files\)"):
        read(tmp_path / "empty", mapping)
    loop = tmp_path / "loop"
    loop.mkdir()
    (loop / "log.csv").symlink_to(loop / "log.csv")
    (loop / "again").symlink_to(loop)
    with pytest.raises(LogError, match="no table to read"):
        read(loop, mapping)
    with pytest.raises(LogError, match="cannot be read: Too many levels of symbolic links"):
        read(loop / "log.csv", mapping)
    (loop / "a.csv").mkdir()
    with pytest.raises(LogError, match="no table to read"):
        read(loop, mapping)


@pytest.mark.parametrize("pattern", ["../*.csv", "/etc/*", "", "**x/*.csv", "nothing-*.csv"])
def test_patterns_stay_inside_the_folder(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "log.csv").write_bytes(csv_text())
    (tmp_path / "mapping.toml").write_text(f"files = '{pattern}'\n{MAPPING}")
    with pytest.raises(LogError):
        read(tmp_path / "inside", read_mapping(tmp_path / "mapping.toml"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are enforced on Linux")
@pytest.mark.parametrize("kind", ["bomb", "far"])
def test_bombs_take_little_memory(tmp_path: Path, kind: str) -> None:
    """In a process that may not have a gigabyte more than it starts with."""
    (tmp_path / "mapping.toml").write_text(MAPPING)
    (tmp_path / "log.xlsx").write_bytes(zeros(2**30) if kind == "bomb" else workbook(A1 + FAR))
    program = """
import resource, sys
from negstats.errors import LogError
from negstats.loaders.mapping import read, read_mapping
import python_calamine, pandas
mapping = read_mapping(sys.argv[2])
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 2**29, size + 2**29))
try:
    read(sys.argv[1], mapping)
except LogError as error:
    print("refused:", error.reason)
"""
    arguments = [sys.executable, "-c", program, str(tmp_path / "log.xlsx"), str(tmp_path / "mapping.toml")]
    root = Path(__file__).resolve().parents[2]
    process = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=root, timeout=60)
    assert process.stdout.startswith("refused: "), process.stderr
