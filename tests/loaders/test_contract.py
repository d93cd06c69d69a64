"""The contract game's event log: what the simulator writes loads as its very tables, and faults are told by row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import negstats
from negstats.errors import LogError
from negstats.loaders import recognise

GAME = {"event": "game", "game": "g", "players": [{"player": "CS", "role": "customer"}, {"player": "SP", "agent": "A"}]}
OFFER = {
    "event": "offer",
    "game": "g",
    "from": "SP",
    "to": "CS",
    "asks": {"gray": 11},
    "gives": {"red": 33, "purple": 7, "yellow": 0},
    "response": "accepted",
}
MOVE = {"event": "move", "game": "g", "player": "CS", "square": [4, 5]}
END = {"event": "end", "game": "g", "ended": "goal", "points": {"CS": 300}, "reached_goal": ["CS", "SP"]}


def written(folder: Path, *events: object) -> Path:
    file = folder / "log.jsonl"
    file.write_text("\n".join(json.dumps(event) for event in events), encoding="utf-8")
    return file


def test_a_log_by_hand(tmp_path: Path) -> None:
    study = negstats.load(written(tmp_path, GAME, OFFER, MOVE, END))
    assert study.provenance.loader == "contract"
    assert study.games[["game_id", "ended"]].to_numpy().tolist() == [["g", "goal"]]
    assert study.offers[["units_to_proposer", "units_to_responder"]].to_numpy().tolist() == [[11, 40]]
    assert study.offers["value_proposer"].isna().all()  # no chip_points
    assert study.offers["commitment"].isna().all()
    assert study.items["item"].tolist() == ["gray", "red", "purple"]  # a colour of 0 is not a row
    assert study.players["kind"].tolist() == ["human", "agent"]
    assert study.players["points"].tolist()[0] == 300
    assert study.players["points"].isna().tolist() == [False, True]


def test_interleaved_games_are_put_in_order(tmp_path: Path) -> None:
    def named(event: dict[str, Any], name: str) -> dict[str, Any]:
        return {**event, "game": name}

    lines = [named(GAME, "a"), named(GAME, "b"), named(OFFER, "b"), named(OFFER, "a"), named(OFFER, "b")]
    offers = negstats.load(written(tmp_path, *lines)).offers
    assert offers[["game_id", "offer"]].to_numpy().tolist() == [["a", 1], ["b", 1], ["b", 2]]


def test_a_game_without_an_end_is_kept_and_told(tmp_path: Path) -> None:
    study = negstats.load(written(tmp_path, GAME, OFFER))
    assert study.games["ended"].tolist() == ["unknown"]
    assert any("no end event" in note for note in study.provenance.notes)


def test_a_folder_of_logs_is_one_study(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({**GAME, "game": name}), encoding="utf-8")
    assert negstats.load(tmp_path).games["game_id"].tolist() == ["a", "b"]


def without(event: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name != field}


FAULTS = [
    ([GAME, [1]], 2, "not a JSON object"),
    ([GAME, {**MOVE, "event": "jump"}], 2, "not one of game, offer, move, message, end"),
    ([GAME, without(OFFER, "asks")], 2, "'asks': the field is not there"),
    ([GAME, {**OFFER, "asks": {"gray": -1}}], 2, "not a whole number"),
    ([GAME, {**OFFER, "asks": {"gray": 1.5}}], 2, "not a whole number"),
    ([GAME, {**OFFER, "asks": [1]}], 2, "not a JSON object"),
    ([GAME, {**OFFER, "response": "maybe"}], 2, "not one of accepted"),
    ([GAME, {**OFFER, "from": "SP_x"}], 2, "'SP_x' is not one of CS, SP"),
    ([GAME, {**OFFER, "commitment": "yes"}], 2, "not true or false"),
    ([GAME, {**OFFER, "game": "h"}], 2, "has not begun"),
    ([GAME, {**MOVE, "square": [4]}], 2, "not a square"),
    ([GAME, END, MOVE], 3, "has ended already"),
    ([GAME, GAME], 2, "has begun already"),
    ([GAME, {**END, "points": {"XX": 1}}], 2, "not a player of game"),
    ([GAME, {**END, "points": {"CS": "many"}}], 2, "not a number"),
    ([GAME, {**END, "reached_goal": True}], 2, "not a list of names"),
    ([{**GAME, "factors": {"rounds": 3}}], 1, "no factor"),
    ([{**GAME, "factors": {"country": ["x"]}}], 1, "a text or a number"),
    ([{**GAME, "players": [{"player": "CS"}, {"player": "CS"}]}], 1, "two players"),
    ([{**GAME, "players": []}], 1, "not a list of JSON objects"),
    ([{**GAME, "started_at": "yesterday"}], 1, "not an ISO 8601 time"),
]


@pytest.mark.parametrize(("events", "row", "reason"), FAULTS, ids=[reason for _, _, reason in FAULTS])
def test_a_fault_is_told_by_file_and_row(events: list[object], row: int, reason: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=reason) as caught:
        negstats.load(written(tmp_path, *events))
    assert f"log.jsonl, row {row}" in str(caught.value)


def test_a_cut_line_is_told(tmp_path: Path) -> None:
    file = written(tmp_path, GAME, OFFER)
    file.write_text(file.read_text()[:-5], encoding="utf-8")
    with pytest.raises(LogError, match="row 2: is not JSON"):
        negstats.load(file)


def test_other_files_are_not_taken_for_it(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    for text in ("", "{}", '{"event": "start"}', "plain", "[1]"):
        file.write_text(text, encoding="utf-8")
        assert recognise(file) is None
    assert recognise(tmp_path / "nothing.jsonl") is None


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"square"', '"squares"', "row 3, column 'squares': there is no such field; did you mean 'square'"),
        ('"role"', '"rolle"', "row 1, column 'rolle': there is no such field; did you mean 'role'"),
        ('"ended": ', '"ended": "goal", "ended": ', "row 4: an object has the key 'ended' twice"),
        ('"gray": 11', '"gray": 11, "gray" : 12', "row 2: an object has the key 'gray' twice"),
    ],
)
def test_what_would_be_lost_is_refused(tmp_path: Path, old: str, new: str, reason: str) -> None:
    file = written(tmp_path, GAME, OFFER, MOVE, END)
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(LogError, match=reason):
        negstats.load(file)
