"""What all logs of events have in common: mixed units, folders, ends, and faults of lines told by file and row."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pandas.testing import assert_frame_equal

import negstats
from negstats.errors import LogError
from negstats.loaders import recognise
from tests.loaders import test_contract as contract
from tests.loaders import test_dealornodeal_acts as acts
from tests.loaders import test_dominance as dominance
from tests.loaders import test_favors as favors
from tests.loaders.event_logs import written

Event = dict[str, Any]


@dataclass(frozen=True)
class Log:
    """The events of one unit, what names it, and what an unknown event is said to be none of."""

    unit: str
    events: list[Event]
    known: str

    def of(self, name: str) -> list[Event]:
        return [event | {self.unit: name} for event in self.events]


LOGS = {
    "contract": Log("game", [contract.GAME, contract.OFFER, contract.END], "game, offer, move, message, end"),
    "dominance": Log(
        "talk", [dominance.TALK, dominance.WHOLE, dominance.BOOKED, dominance.END], "talk, utterance, end"
    ),
    "dealornodeal_acts": Log("game", [acts.GAME, acts.ASKS, acts.TAKES, acts.ENDS], "game, act, end"),
    "favors": Log("session", favors.WHOLE, "session, negotiation"),
}
FAULTS: dict[str, list[Any]] = {
    "contract": contract.FAULTS,
    "dominance": dominance.FAULTS,
    "dealornodeal_acts": acts.FAULTS,
}
every_log = pytest.mark.parametrize("name", LOGS)


@every_log
def test_units_that_are_mixed_or_in_files_of_their_own_are_one_study(name: str, tmp_path: Path) -> None:
    one, two = LOGS[name].of("a"), LOGS[name].of("b")
    in_turn = negstats.load(written(tmp_path, *one, *two))
    pairs = [event for both in zip(one, two, strict=True) for event in both]
    mixed = negstats.load(written(tmp_path, *pairs))
    folder = tmp_path / "logs"
    folder.mkdir()
    for called, events in (("a.jsonl", one), ("b.jsonl", two)):
        written(folder, *events, name=called)
    apart = negstats.load(folder)
    assert apart.provenance.rows_read == 2 * len(one)
    for table, frame in in_turn.tables.items():
        assert_frame_equal(mixed.tables[table], frame)
        assert_frame_equal(apart.tables[table], frame)


@every_log
def test_a_unit_without_an_end_is_kept_and_told(name: str, tmp_path: Path) -> None:
    study = negstats.load(written(tmp_path, *LOGS[name].events[:2]))
    assert study.games["ended"].tolist() == ["unknown"]
    assert study.players["points"].isna().all()
    assert any("kept as ended 'unknown'" in note for note in study.provenance.notes)


def line_faults(name: str) -> list[Any]:
    first, second, *_ = events = LOGS[name].events
    whole: list[Any] = [
        ([first, second | {LOGS[name].unit: "another"}], 2, "has not begun"),
        ([first, first], 2, "has begun already"),
        ([first, [1]], 2, "not a JSON object"),
        ([first, "{"], 2, "is not JSON"),
        ([first, second | {"event": "jump"}], 2, f"'jump' is not one of {LOGS[name].known}"),
    ]
    ended = [] if name == "favors" else [([*events, second], len(events) + 1, "has ended already")]
    return [*whole, *ended, *FAULTS.get(name, [])]


@pytest.mark.parametrize(
    ("events", "row", "reason"),
    [pytest.param(*fault, id=f"{name}: {fault[2]}") for name in LOGS for fault in line_faults(name)],
)
def test_a_fault_is_told_by_file_and_row(events: list[object], row: int, reason: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=reason) as caught:
        negstats.load(written(tmp_path, *events))
    assert f"log.jsonl, row {row}" in str(caught.value)


@every_log
def test_it_is_known_by_its_first_line(name: str, tmp_path: Path) -> None:
    known = recognise(written(tmp_path, *LOGS[name].events))
    assert known is not None
    assert known.name == name
    for line in ("", "{}", '{"event": "start"}', "plain", "[1]", LOGS[name].events[1]):
        assert recognise(written(tmp_path, line)) is None
    assert recognise(tmp_path / "nothing.jsonl") is None
