"""LIONESS' workbooks by a written example: no real file was found."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

import negstats
from negstats.errors import LogError
from negstats.loaders import sightings
from tests.robustness.seeds import LIONESS

Sheets = dict[str, list[list[Any]]]


def written(folder: Path, change: Callable[[Sheets], None] | None = None, name: str = "s1.xlsx") -> Path:
    sheets = copy.deepcopy(LIONESS)
    if change is not None:
        change(sheets)
    book = Workbook()
    book.remove(book.worksheets[0])
    for title, lines in sheets.items():
        page = book.create_sheet(title)
        for line in lines:
            page.append(line)
    book.save(folder / name)
    return folder / name


def setting(sheet: str, row: int, column: str, value: Any) -> Callable[[Sheets], None]:
    def change(sheets: Sheets) -> None:
        sheets[sheet][row][sheets[sheet][0].index(column)] = value

    return change


def test_a_session(tmp_path: Path) -> None:
    file = written(tmp_path)
    assert [(known.name, why.strength) for known, why in sightings(file)] == [("lioness", 2)]
    study = negstats.load(file)
    games = study.games[["game_id", "ended", "period", "pie"]]
    assert games.to_numpy().tolist() == [["s1-1-1", "unknown", 1, "100"], ["s1-2-1", "unknown", 2, "100"]]
    seats = study.players[["player", "role", "participant_id", "points"]].to_numpy().tolist()
    assert seats[:2] == [["1", "buyer", "x1", 60], ["2", "seller", "x2", 40.5]]
    assert study.provenance.reasons() == {"a player without a group": 1}
    answers = study.answers[["participant_id", "game_id", "question", "answer"]].fillna("").to_numpy().tolist()
    assert answers == [
        ["x1", "s1-1-1", "price", "40"],
        ["x2", "s1-1-1", "price", "é"],
        ["x2", "s1-2-1", "price", "30"],
        ["s1-3", "", "price", "7"],
    ]
    everything = " ".join(frame.to_csv() for frame in study.tables.values())
    assert "10.9.8.7" not in everything


def test_settings_that_are_called_like_columns_of_games_are_told_apart(tmp_path: Path) -> None:
    def change(sheets: Sheets) -> None:
        sheets["globals"] += [["period", 9], ["ended", "late"], ["place", "Rome"]]

    games = negstats.load(written(tmp_path, change)).games
    columns = games[["period", "global_period", "ended", "global_ended", "place"]].to_numpy().tolist()
    assert columns == [[1, "9", "unknown", "late", "Rome"], [2, "9", "unknown", "late", "Rome"]]


@pytest.mark.parametrize(
    ("damage", "games"),
    [
        (("core", 2, "leftExperiment", "perhaps"), ["s1-1-2"]),
        (("session", 2, "playerNr", "x"), ["s1-1-2"]),
        (("decisions", 2, "subjectNr", None), ["s1-2-1", "s1-1-2"]),
        (("decisions", 2, "period", None), ["s1-2-1", "s1-1-2"]),
        (("decisions", 2, "payoff", "much"), ["s1-2-1", "s1-1-2"]),
    ],
)
def test_damage_costs_the_games_of_a_row_or_person(
    damage: tuple[str, int, str, Any], games: list[str], tmp_path: Path
) -> None:
    """Two groups play in period 1, one of them once more; a row without a period is of the game that lacks one."""

    def change(sheets: Sheets) -> None:
        sheets["decisions"] += [[4, 2, 1, 1, "20", 30, 1], [5, 2, 2, 1, "", 70, 1]]
        sheets["core"] += [[4, 2, "buyer", 0, 0, ""], [5, 2, "seller", 0, 0, ""]]
        sheets["session"] += [[4, "x4", 1], [5, "x5", 1]]
        setting(*damage)(sheets)

    study = negstats.load(written(tmp_path, change), leave_out_bad_games=True)
    assert study.games["game_id"].tolist() == games
    assert set(study.players["game_id"]) == set(games)


@pytest.mark.parametrize("column", ["leftExperiment", "groupAborted"])
def test_who_leaves_ends_the_groups_last_period(column: str, tmp_path: Path) -> None:
    study = negstats.load(written(tmp_path, setting("core", 2, column, 1)))
    assert study.games["ended"].tolist() == ["unknown", "disconnect"]


def test_a_folder_of_sessions(tmp_path: Path) -> None:
    written(tmp_path)
    written(tmp_path, name="s2.xlsx")
    Workbook().save(tmp_path / "other.xlsx")
    study = negstats.load(tmp_path)
    assert len(study.games) == 4
    assert study.provenance.reasons()["is not a workbook of LIONESS"] == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (setting("decisions", 2, "subjectNr", 1), "subject 1 of this group is row 2 already"),
        (setting("decisions", 2, "playerNr", 1), "player 1 has row 2 in period 1 already"),
        (setting("decisions", 2, "period", None), "column 'period': None is not a number"),
        (setting("decisions", 2, "payoff", "much"), "'much' is not a number"),
        (setting("session", 2, "externalID", "x1"), "two players have one externalID"),
        (setting("core", 2, "leftExperiment", "perhaps"), "'perhaps' is not true or false"),
    ],
)
def test_damage_is_named(change: Callable[[Sheets], None], message: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=message):
        negstats.load(written(tmp_path, change))
