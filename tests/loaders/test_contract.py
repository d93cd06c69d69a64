"""The contract game's event log: what the simulator writes loads as its very tables, and faults are told by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import negstats
from negstats.errors import LogError
from tests.loaders.event_logs import written

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


def without(event: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name != field}


FAULTS = [
    ([GAME, without(OFFER, "asks")], 2, "'asks': the field is not there"),
    ([GAME, {**OFFER, "asks": {"gray": -1}}], 2, "not a whole number"),
    ([GAME, {**OFFER, "asks": {"gray": 1.5}}], 2, "not a whole number"),
    ([GAME, {**OFFER, "asks": [1]}], 2, "not a JSON object"),
    ([GAME, {**OFFER, "response": "maybe"}], 2, "not one of accepted"),
    ([GAME, {**OFFER, "from": "SP_x"}], 2, "'SP_x' is not one of CS, SP"),
    ([GAME, {**OFFER, "commitment": "yes"}], 2, "not true or false"),
    ([GAME, {**MOVE, "square": [4]}], 2, "not a square"),
    ([GAME, {**END, "points": {"XX": 1}}], 2, "not a player of game"),
    ([GAME, {**END, "points": {"CS": "many"}}], 2, "not a number"),
    ([GAME, {**END, "reached_goal": True}], 2, "not a list of names"),
    ([{**GAME, "factors": {"rounds": 3}}], 1, "no factor"),
    ([{**GAME, "factors": {"country": ["x"]}}], 1, "a text or a number"),
    ([{**GAME, "players": [{"player": "CS"}, {"player": "CS"}]}], 1, "two players"),
    ([{**GAME, "players": []}], 1, "not a list of JSON objects"),
    ([{**GAME, "started_at": "yesterday"}], 1, "not an ISO 8601 time"),
]


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
