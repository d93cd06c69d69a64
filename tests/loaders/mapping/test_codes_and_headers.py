"""Codes for missing among words, rows that repeat the names of the columns, and labels that nobody set."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.delimited import MixedError, delimited_pieces
from negstats.loaders.files.tabular import Form
from negstats.loaders.mapping import suggest
from negstats.loaders.reading.columns import build_column, text_cells
from negstats.loaders.reading.missing_codes import without_code_words
from tests.loaders.mapping.test_guess import loaded, saved

PEOPLE = 90


def people(words: list[str], codes: dict[int, str], name: str = "condition") -> pd.DataFrame:
    """Return people with a score each, of whom each has a word in turn, and a few a code."""
    rng = np.random.default_rng(11)
    cells = [codes.get(person, words[person % len(words)]) for person in range(PEOPLE)]
    ages, scores = rng.integers(18, 70, PEOPLE), rng.normal(50, 10, PEOPLE).round(1)
    ids = [f"P{person:03d}" for person in range(PEOPLE)]
    return pd.DataFrame({"pid": ids, name: cells, "age": ages, "score": scores})


CODES = {
    "999": (["high", "low"], {3: "999", 50: "999", 61: "999"}, "condition"),
    "-99 and three words": (["gain", "loss", "none given"], {3: "-99", 50: "-99"}, "frame"),
    "several": (["A", "B"], {3: "88", 50: "88", 61: "-99", 70: "99"}, "arm"),
    "negative": (["ctrl", "t1", "t2"], {4: "-8", 9: "-9"}, "treatment"),
    "unnamed": (["blue", "red"], {7: "77"}, "q"),
}


@pytest.mark.parametrize("case", CODES)
def test_codes_among_the_words_of_a_condition_are_no_level(case: str, tmp_path: Path) -> None:
    words, codes, name = CODES[case]
    text, study = loaded(tmp_path, saved(tmp_path, people(words, codes, name)))
    assert tomllib.loads(text)["factors"][name] == {"column": name, "missing": sorted({*codes.values()})}
    assert set(study.games[name].dropna()) == {*words}
    assert int(study.games[name].isna().sum()) == len(codes)


@pytest.mark.parametrize(
    "cells",
    [
        ["high", "low"] * 40 + ["999"] * 35,  # as many as of a word: a level
        ["high", "low"] * 40 + ["7"] * 2,  # no code
        ["high", "low"] * 40 + ["999", "12"],  # not all of them are codes
        ["high"] * 80 + ["999"] * 2,  # one word beside numbers
        [f"word {number}" for number in range(60)] + ["999"],  # a text
        ["1", "2", "999"] * 9,
    ],
)
def test_what_may_be_a_level_stays_one(cells: list[str]) -> None:
    column = build_column("condition", text_cells(cells))
    assert without_code_words(column) is column


@pytest.mark.parametrize(
    "words", [["NA", "N/A", "None"], ["NaN", "NULL", "n/a", "No deal"], ["No deal", "Impasse", "No Agreement"]]
)
def test_numbers_stay_numbers_however_a_missing_one_is_written(words: list[str]) -> None:
    column = build_column("price", text_cells([*map(str, range(60)), *words]))
    assert column.has_numbers
    assert set(words) <= set(column.missing_words)


HEADER = "id,trial,arm,offer\n"
BLOCKS = [
    "".join(f"P{block}{person},{trial},{'xy'[person % 2]},{(person * trial * 7 + block) % 11}\n"
            for person in range(8) for trial in range(1, 5))
    for block in range(4)
]  # fmt: skip


@pytest.mark.parametrize("between", ["", "\n", ",,,\n", "\n\n"])
def test_names_of_columns_that_stand_again_are_left_out_and_counted(between: str, tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text(HEADER + f"{between}{HEADER}".join(BLOCKS))
    text, study = loaded(tmp_path, file)
    assert 'game_id = ["id", "trial"]' in text
    assert len(study.games) == 4 * 8 * 4
    assert study.provenance.reasons()["the names of the columns again"] == 3
    assert study.games["offer"].tolist() == [int(line.split(",")[3]) for line in "".join(BLOCKS).split()]


def test_names_that_stand_again_in_a_sheet(tmp_path: Path) -> None:
    lines = (HEADER + HEADER.join(BLOCKS)).splitlines()
    pd.DataFrame([line.split(",") for line in lines]).to_excel(tmp_path / "log.xlsx", header=False, index=False)
    _, study = loaded(tmp_path, tmp_path / "log.xlsx")
    assert len(study.games) == 4 * 8 * 4
    assert study.provenance.reasons()["the names of the columns again"] == 3


def test_a_row_with_some_names_is_a_row(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    data = b"who,said\nwho,hello\nann,said\nwho,said\nbob,bye\n"
    table = read_table(data, file)
    assert table.rows == [2, 3, 5]
    assert table.unread == ((4, "the names of the columns again"),)
    # Which rows these are does not hang on the columns that are read.
    assert read_table(data, file, columns=["who"]).rows == [2, 3, 5]
    with pytest.raises(MixedError):
        list(delimited_pieces([data], file, Form(), None))


def labelled(rows: int = 320) -> pd.DataFrame:
    """Return decisions of people who saw a colour and a picture each time."""
    rng = np.random.default_rng(12)
    trials = [(f"P{row // 8}", row % 8 + 1, "xy"[row // 8 % 2]) for row in range(rows)]
    frame = pd.DataFrame(trials, columns=["id", "trial", "arm"])
    return frame.assign(
        colour=rng.choice(["red", "blue"], rows), picture=rng.choice(["sky", "sea", "sun"], rows),
        offer=rng.integers(0, 11, rows),
    )  # fmt: skip


def test_labels_that_nobody_set_are_no_measures(tmp_path: Path) -> None:
    file = saved(tmp_path, labelled())
    asked = tomllib.loads(suggest(file))["open"]
    assert next(each for each in asked if each["subject"] == "condition")["options"] == ["colour", "picture"]
    refused = tomllib.loads(suggest(file, answers={"condition": "none"}))
    assert refused["measures"] == {"offer": "offer"}
    assert refused["factors"] == {"arm": "arm"}
    alone = tomllib.loads(
        suggest(saved(tmp_path, labelled().drop(columns="offer"), "alone.csv"), answers={"condition": "none"})
    )
    assert set(alone["measures"]) == {"colour"}, "what people did, where nothing else was measured"


def test_a_label_at_one_level_of_which_nobody_wins_is_what_people_did(tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(13), 160
    frame = pd.DataFrame({"case": np.arange(rows) + 1, "stake": rng.uniform(1, 9, rows).round(2)})
    frame["pace"], frame["move"] = rng.choice(["slow", "fast"], rows), rng.choice(["split", "steal"], rows)
    frame["gain"] = np.where(frame["move"] == "steal", frame["stake"] / 2, 0).round(2)
    file = saved(tmp_path, frame)
    read = tomllib.loads(suggest(file, answers={"condition": "none"}))
    assert "move" in read["measures"]
    assert "pace" not in read["measures"]


def test_rows_of_no_game_say_nothing_of_how_games_ended(tmp_path: Path) -> None:
    rng, games = np.random.default_rng(14), 60
    rows = [
        (
            f"G{game}" if game % 9 else "",
            "AB"[turn % 2],
            turn + 1,
            ("calm", "loud")[game % 2],
            word,
            int(rng.integers(9)),
        )
        for game in range(games)
        for turn, word in enumerate(["no"] * int(rng.integers(1, 4)) + ["yes"])
    ]
    frame = pd.DataFrame(rows, columns=["game", "who", "turn", "tone", "reply", "amount"])
    assert "tone" in tomllib.loads(suggest(saved(tmp_path, frame), answers={"row": "events:game"}))["factors"]


def test_what_a_spreadsheet_could_not_compute_is_empty(tmp_path: Path) -> None:
    frame = people(["high", "low"], {}).astype(object)
    frame.loc[[3, 40], "score"] = "#DIV/0!"
    frame.loc[[5, 41], "score"] = "#VALUE!"
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert tomllib.loads(text)["players"]["points"] == {"column": "score", "missing": ["#DIV/0!", "#VALUE!"]}
    assert int(study.players["points"].isna().sum()) == 4
    assert study.players["points"].sum() == pytest.approx(pd.to_numeric(frame["score"], errors="coerce").sum())


@pytest.mark.parametrize("is_wide", [False, True], ids=["a row for each round", "rounds side by side"])
@pytest.mark.parametrize("words", [("A", "B"), ("cooperate", "defect")], ids=" or ".join)
def test_moves_in_words_are_measured_beside_the_points(words: tuple[str, str], is_wide: bool, tmp_path: Path) -> None:
    rng, rounds = np.random.default_rng(3), 8
    chances = rng.uniform(0.3, 0.9, 40)
    moves = np.where(rng.random((40, rounds)) < chances[:, np.newaxis], *words).astype(object)
    moves[7, 3] = "No Response"
    others = np.where(rng.random((40, rounds)) < 0.5, *words)
    own = {"id": np.arange(1, 41), "group": np.tile(["bot", "human"], 20), "total": rng.integers(50, 99, 40)}
    if is_wide:
        kinds = (("move", moves), ("other_move", others))
        frame = pd.DataFrame(own | {f"{kind}_r{r + 1}": of[:, r] for r in range(rounds) for kind, of in kinds})
    else:
        rows = pd.DataFrame({name: np.repeat(values, rounds) for name, values in own.items()})
        frame = rows.assign(round=np.tile(np.arange(1, rounds + 1), 40), move=moves.ravel(), other_move=others.ravel())
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert study.games["move"].sum() + (moves == words[1]).sum() == 40 * rounds - 1
    assert 'yes = ["' + words[0] in text


def test_many_numbers_of_one_role_alone_are_its_questionnaires_and_no_offers(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    scales = ["Closeness", "Dependence", "Anxiety", "Avoidance", "Symptoms", "Attachment"]
    frame = pd.DataFrame({"Dyad": np.repeat(np.arange(1, 31), 2), "Role": ["T", "P"] * 30})
    frame["ID"] = [f"X{number:03d}" for number in rng.permutation(60)]
    frame["Inherited"] = np.where(frame["Role"] == "T", rng.integers(0, 2, 60), np.nan)
    frame["Age"] = np.where(frame["Role"] == "P", rng.integers(18, 70, 60), np.nan)
    for scale in scales:
        frame[scale] = np.where(frame["Role"] == "P", rng.integers(5, 60, 60), np.nan)
    frame["Alliance"] = rng.integers(20, 84, 60)
    text = suggest(saved(tmp_path, frame))
    assert "is what the one who offers" not in text
