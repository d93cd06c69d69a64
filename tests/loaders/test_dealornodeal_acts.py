"""The event log of acts: read as it stands, checked against its own acts, every fault told by file and row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import negstats
from negstats.errors import LogError
from negstats.loaders import recognise
from tests.loaders.event_logs import written

COUNTS = {"book": 1, "hat": 3, "ball": 1}
PLAYERS = [
    {"player": "A", "values": {"book": 10, "hat": 0, "ball": 0}},
    {"player": "B", "agent": "r=fair,p=S", "values": {"book": 2, "hat": 1, "ball": 5}, "batna": 1},
]
GAME = {"event": "game", "game": "g", "counts": COUNTS, "players": PLAYERS, "factors": {"reward": "fair"}}
ASKS = {"event": "act", "game": "g", "number": 0, "player": "A", "act": "propose", "units": {"book": 1}}
TAKES = {"event": "act", "game": "g", "number": 1, "player": "B", "act": "accept"}
ENDS = {"event": "end", "game": "g", "ended": "agreement", "points": {"A": 10, "B": 8}}


def changed(event: dict[str, Any], /, **fields: object) -> dict[str, Any]:
    return {name: value for name, value in (event | fields).items() if value is not None}


def test_a_walk_away_and_a_cut_off(tmp_path: Path) -> None:
    asks = [changed(ASKS, number=number, player="AB"[number % 2]) for number in range(20)]
    walk = changed(ASKS, number=2, act="walk", units=None)
    nothing = {"A": 0, "B": 0}
    cut = [changed(event, game="h") for event in (GAME, *asks, changed(ENDS, ended="timeout", points=nothing))]
    study = negstats.load(
        written(tmp_path, GAME, *asks[:2], walk, changed(ENDS, ended="walkaway", points=nothing), *cut)
    )
    assert study.games[["ended", "rounds"]].to_numpy().tolist() == [["walkaway", 3], ["timeout", 20]]
    assert study.offers[study.offers["game_id"] == "g"]["response"].tolist() == ["superseded", "none"]
    assert (study.players["points"] == 0).all()


PLAYER = PLAYERS[0]
FAULTS = [
    ([changed(GAME, counts={})], 1, "nothing is divided"),
    ([changed(GAME, counts={"book": -1})], 1, "not a whole number"),
    ([changed(GAME, players=[PLAYER])], 1, "there are 1 players"),
    ([changed(GAME, players=[PLAYER, PLAYER])], 1, "two players are called 'A'"),
    ([changed(GAME, players=[PLAYER, {"player": "B", "values": {"book": 1}}])], 1, "'B' has no value for 'hat'"),
    ([changed(GAME, first="B")], 1, "'B' is not the first of the players"),
    ([changed(GAME, factors={"rounds": 2})], 1, "no factor"),
    ([GAME, changed(ASKS, number=1)], 2, "the next utterance is 0"),
    ([GAME, changed(ASKS, player="B")], 2, "it is the turn of 'A'"),
    ([GAME, changed(ASKS, player="C")], 2, "'C' is not one of A, B"),
    ([GAME, changed(ASKS, act="insist")], 2, "'insist' is not one of propose, accept, walk"),
    ([GAME, changed(ASKS, units={"hat": 4})], 2, "takes 4 × 'hat'; there are 3"),
    ([GAME, changed(ASKS, units={"cap": 1})], 2, "takes 1 × 'cap'; there are 0"),
    ([GAME, changed(ASKS, units=None)], 2, "'units': the field is not there"),
    ([GAME, changed(TAKES, number=0, player="A")], 2, "there is no proposal to accept"),
    ([GAME, ASKS, changed(TAKES, act="walk")], 3, "before both have had a turn"),
    ([GAME, ASKS, TAKES, changed(ASKS, number=2)], 4, "nothing is said after 'accept'"),
    ([GAME, ASKS, TAKES, changed(ENDS, ended="walkaway")], 4, "the acts give 'agreement'"),
    ([GAME, ASKS, TAKES, changed(ENDS, ended="dormant")], 4, "not one of agreement, walkaway, timeout"),
    ([GAME, ASKS, TAKES, changed(ENDS, points={"A": 10, "B": 7})], 4, "'B' has 7; the acts give 8"),
    ([GAME, ASKS, TAKES, changed(ENDS, points={"A": 10})], 4, "the players are A, B"),
    ([GAME, ASKS, changed(ENDS, ended="timeout")], 3, "is 'timeout' after 1 utterances; 20 are a timeout"),
]


def test_more_than_twenty_utterances_are_a_log_of_another_rule(tmp_path: Path) -> None:
    asks = [changed(ASKS, number=number, player="AB"[number % 2]) for number in range(21)]
    with pytest.raises(LogError, match="row 22"):
        negstats.load(written(tmp_path, GAME, *asks))


def test_other_logs_are_not_taken_for_it(tmp_path: Path) -> None:
    for text in ("", "{}", "plain", json.dumps({"event": "game", "game": "g", "players": []})):
        (tmp_path / "log.jsonl").write_text(text, encoding="utf-8")
        known = recognise(tmp_path / "log.jsonl")
        assert known is None or known.name == "contract"
