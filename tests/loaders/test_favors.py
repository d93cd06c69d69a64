"""The favor game's event log: what may be left out, sessions that are interleaved, and faults in a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from negstats.errors import LogError
from negstats.loaders import favors, load
from tests.loaders.event_logs import written

HEAD: dict[str, Any] = {
    "event": "session",
    "session": "s",
    "condition": "betraying",
    "language": "favor",
    "returns": "never returned",
}
FIRST: dict[str, Any] = {
    "event": "negotiation",
    "negotiation": 1,
    "proposer": "agent",
    "batna": {"player": 2, "agent": 8},
}
OFFER: dict[str, Any] = {"event": "offer", "from": "agent", "player": 1, "agent": 32}
ANSWER: dict[str, Any] = {"event": "answer", "accepted": True}
END: dict[str, Any] = {"event": "end", "points": {"player": 1, "agent": 32}}
WHOLE = [HEAD, FIRST, OFFER, ANSWER, END]


def test_the_least_that_a_log_must_say(tmp_path: Path) -> None:
    study = load(written(tmp_path, *WHOLE))
    assert study.provenance.loader == "favors"
    game = study.games.iloc[0]
    assert (game["game_id"], game["ended"], game["protocol"]) == ("s n1", "agreement", "ultimatum")
    assert game[["condition", "language", "returns", "session"]].tolist() == [
        "betraying",
        "favor",
        "never returned",
        "s",
    ]
    assert study.offers[["proposer", "responder", "value_proposer", "value_responder"]].values.tolist() == [
        ["agent", "player", 32, 1]
    ]
    assert study.offers["framing"].isna().all()
    assert study.players["participant_id"].isna().all()
    assert study.values[["player", "option", "value"]].values.tolist() == [
        ["player", "1:32", 1],
        ["player", "no deal", 2],
        ["agent", "1:32", 32],
        ["agent", "no deal", 8],
    ]


def test_a_negotiation_without_an_answer_is_kept_and_counted(tmp_path: Path) -> None:
    second = FIRST | {"negotiation": 2}
    study = load(written(tmp_path, *WHOLE[:3], second))
    assert study.games["ended"].tolist() == ["unknown", "unknown"]
    assert study.offers["response"].tolist() == ["none"]
    assert study.players["points"].isna().all()
    assert study.provenance.notes == ("2 negotiations have no answer and are kept as ended 'unknown'",)


def test_deals_that_differ_in_the_last_digit_are_two(tmp_path: Path) -> None:
    deals = [[1234567, 1], [1234568, 1], [0.1, 0.25], [0.1, 0.2500000001]]
    study = load(written(tmp_path, HEAD, FIRST | {"outcomes": deals}))
    values = study.values.query("player == 'agent'")["option"].tolist()
    assert values == ["1234567:1", "1234568:1", "0.1:0.25", "0.1:0.2500000001", "no deal"]


FAULTS: list[tuple[list[Any], int, str, str]] = [
    ([HEAD | {"returns": 1}], 1, "returns", "1 is not text"),
    ([HEAD, OFFER], 2, "event", "'offer' is outside a negotiation"),
    ([*WHOLE, ANSWER], 6, "event", "'answer' is outside a negotiation"),
    ([*WHOLE, FIRST], 6, "negotiation", "1 is no new number"),
    ([HEAD, FIRST | {"negotiation": 0}], 2, "negotiation", "0 is no new number"),
    ([HEAD, FIRST | {"proposer": "me"}], 2, "proposer", "'me' is not one of player, agent"),
    ([HEAD, FIRST | {"batna": {"me": 2}}], 2, "batna", "'me' is not a seat"),
    ([HEAD, FIRST | {"outcomes": [[1]]}], 2, "outcomes", r"\[1\] is not a pair of numbers"),
    ([HEAD, FIRST | {"outcomes": [[1, None]]}], 2, "outcomes", "is not a pair of numbers"),
    ([HEAD, FIRST | {"outcomes": [[1, "2"]]}], 2, "outcomes", "'2' is not a number"),
    ([HEAD, FIRST | {"outcomes": [[1, 2]] * 10_001}], 2, "outcomes", "not a list of at most 10,000 pairs"),
    ([HEAD, FIRST, ANSWER], 3, "event", "there is no offer to answer"),
    ([HEAD, FIRST, OFFER, OFFER], 4, "event", "negotiation 1 has its offer already"),
    ([HEAD, FIRST, OFFER | {"from": "player"}], 3, "from", "the offer is to be from 'agent'"),
    ([HEAD, FIRST, OFFER | {"agent": None}], 3, "agent", "the field is not there"),
    ([HEAD, FIRST, OFFER | {"player": "1"}], 3, "player", "'1' is not a number"),
    ([HEAD, FIRST, OFFER | {"framing": "please"}], 3, "framing", "'please' is not one of favor-request"),
    ([HEAD, FIRST, OFFER, {"event": "answer"}], 4, "accepted", "the field is not there"),
    ([HEAD, FIRST, OFFER, {"event": "answer", "accepted": 1}], 4, "accepted", "1 is not true or false"),
    ([HEAD, FIRST, OFFER, ANSWER, END | {"points": {"me": 1}}], 5, "points", "'me' is not a seat"),
    ([HEAD, FIRST, {"event": "message", "from": "agent"}], 3, "text", "the field is not there"),
]


@pytest.mark.parametrize(("events", "row", "field", "reason"), FAULTS, ids=[f"{r} {f}" for _, r, f, _ in FAULTS])
def test_a_fault_is_named_with_its_row(events: list[Any], row: int, field: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=reason) as caught:
        favors.load(written(tmp_path, *events))
    assert caught.value.row == row
    assert (caught.value.column or "") == field


def test_events_without_a_session_belong_to_one_of_their_own_file(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, WHOLE)))
    (tmp_path / "b.jsonl").write_text(json.dumps(FIRST | {"negotiation": 2}))
    with pytest.raises(LogError, match="session None has not begun"):
        favors.load(tmp_path)


def test_nothing_to_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"holds no \*\.jsonl file"):
        favors.load(tmp_path)
