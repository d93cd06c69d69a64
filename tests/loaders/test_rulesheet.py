"""The event log of rule sheets: what is wrong in a log is said with its row, and so is what contradicts the sheet."""

from __future__ import annotations

import builtins
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

import negstats
from negstats.errors import LogError
from negstats.games.rulesheet import sheet
from negstats.loaders import recognise
from negstats.simulate.rulesheet import Setup, events, sessions_of

Events = list[dict[str, Any]]


@pytest.fixture
def told() -> Events:
    """A game in which a2 accepts at once: sheet, game, three steps, end (rows 1 to 6)."""
    setup = Setup.of(sheet.negotiating_prisoners(3), "own_payoff:last", name="prisoners")
    return list(events(setup, sessions_of(setup, 1, seed=1)))


def write(told: Events, folder: Path) -> Path:
    file = folder / "log.jsonl"
    file.write_bytes(b"".join(orjson.dumps(event) + b"\n" for event in told))
    return file


def test_it_is_known_by_looking(told: Events, tmp_path: Path) -> None:
    known = recognise(write(told, tmp_path))
    assert known is not None
    assert known.name == "rulesheet"
    assert recognise(tmp_path) is not None
    (tmp_path / "log.jsonl").write_text('{"event": "game", "game": "g"}')
    other = recognise(tmp_path)
    assert other is None or other.name != "rulesheet"


def moved(role: str, move: str, step: int) -> Callable[[Events], object]:
    return lambda told: told[1 + step]["moves"].update({role: move})


def changed(place: int, **fields: Any) -> Callable[[Events], object]:
    return lambda told: told[place].update(fields)


CONTRADICTIONS: dict[str, tuple[Callable[[Events], object], int, str, str]] = {
    "an illegal move": (moved("a1", "accept", 1), 3, "moves", "a1 plays 'accept', which is not legal"),
    "a move out of turn": (moved("a2", "(propose d d)", 1), 3, "moves", "not legal; noop would be"),
    "a move against a commitment": (moved("a1", "c", 3), 5, "moves", "a1 plays 'c', which is not legal; d would be"),
    "another payoff": (changed(5, payoffs={"a1": 10, "a2": 8}), 6, "payoffs", "a1 gets 10; the sheet gives 8"),
    "a step after the end": (
        lambda told: told.insert(5, told[4] | {"round": 4}),
        6,
        "round",
        "a step after the end: the sheet says that the game is over",
    ),
    "an end before it": (lambda told: told.pop(4), 5, "payoffs", "the sheet says that the game is not over"),
    "another text": (lambda told: told[0].update(text=told[0]["text"] + " "), 1, "sha256", "another SHA-256"),
    "other roles": (changed(0, roles=["a2", "a1"]), 1, "roles", "the sheet has a1, a2"),
    "an agreement without offers": (
        lambda told: [told[0].pop("text"), told[3].update(moves={"a1": "noop", "a2": "(propose d d)"})],
        6,
        "ended",
        "no offer was accepted",
    ),
    "a wrong sheet": (
        lambda told: told[0].update(text="(role a1", sha256=hashlib.sha256(b"(role a1").hexdigest()),
        1,
        "text",
        "the sheet is wrong: prisoners, line 1",
    ),
}

FAULTS: dict[str, tuple[Callable[[Events], object], int, str, str]] = {
    "an event that is not known": (changed(2, event="jump"), 3, "event", "'jump' is not one of sheet, game, step, end"),
    "a game without sheet": (changed(1, sheet="chess"), 2, "sheet", "no 'sheet' event before"),
    "a game that begins twice": (lambda told: told.insert(2, told[1]), 3, "game", "has begun already"),
    "a step of no game": (changed(2, game="another"), 3, "game", "has not begun"),
    "an event after the end": (lambda told: told.append(told[-1]), 7, "game", "has ended"),
    "players of other roles": (changed(1, players={"a1": "x"}), 2, "players", "the sheet has the roles a1, a2"),
    "a factor that is a column": (changed(1, factors={"ended": "x"}), 2, "factors", "no factor"),
    "a gap in the rounds": (changed(3, round=3), 4, "round", "round 3 comes after round 1"),
    "a role without move": (changed(2, moves={"a1": "noop"}), 3, "moves", "each of a1, a2 makes one"),
    "a move that is none": (changed(2, moves={"a1": 7, "a2": "noop"}), 3, "moves", "which is not a move"),
    "chosen by nobody": (changed(2, chosen_by={"a1": "luck"}), 3, "chosen_by", "not one of player, default, server"),
    "an offer that proposes nothing": (changed(3, offers={"a2": {"units": {}}}), 4, "offers", "proposes nothing"),
    "offers that are not an object": (changed(2, offers=[1]), 3, "offers", "not an object of offers"),
    "a receiver of no role": (
        changed(2, offers={"a1": {"items": [{"item": "pie", "receiver": "a3"}]}}),
        3,
        "offers",
        "'a3' is not a role",
    ),
    "an item twice for one receiver": (
        changed(2, offers={"a1": {"items": [{"item": "pie", "receiver": "a2", "quantity": n} for n in (1, 2)]}}),
        3,
        "offers",
        "'pie' is twice in an offer for the same receiver",
    ),
    "payoffs of no role": (changed(5, payoffs={"a3": 1}), 6, "payoffs", "'a3' is not a role"),
    "an end that is none": (changed(5, ended="happily"), 6, "ended", "'happily' is not one of"),
    "roles twice": (changed(0, roles=["a1", "a1"]), 1, "roles", "each once"),
    "a value of no role": (
        changed(0, values=[{"player": "a3", "item": "x", "value": 1}]),
        1,
        "player",
        "'a3' is not one of a1, a2",
    ),
    "another sheet of the name": (
        lambda told: told.insert(1, {"event": "sheet", "sheet": "prisoners", "sha256": "0", "roles": ["a1", "a2"]}),
        2,
        "sheet",
        "was another before",
    ),
}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("fault", [*CONTRADICTIONS, *FAULTS])
def test_a_fault_is_said_with_its_row(fault: str, told: Events, tmp_path: Path) -> None:
    change, row, column, reason = (CONTRADICTIONS | FAULTS)[fault]
    change(told)
    with pytest.raises(LogError) as caught:
        negstats.load(write(told, tmp_path))
    assert reason in str(caught.value)
    assert (caught.value.row, caught.value.column) == (row, column)


@pytest.mark.slow
def test_without_its_text_a_log_is_not_checked_and_says_so(told: Events, tmp_path: Path) -> None:
    told[0].pop("text")
    told[4]["moves"]["a1"] = "c"
    study = negstats.load(write(told, tmp_path))
    assert study.provenance.notes == ("sheet 'prisoners': moves not checked, its text is not in the log",)


def test_without_clingo_a_log_is_not_checked_and_says_so(
    told: Events, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "clingo":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    study = negstats.load(write(told, tmp_path))
    assert study.provenance.notes == ("sheet 'prisoners': moves not checked, clingo is not installed (negstats[gdl])",)


@pytest.mark.slow
def test_moves_of_the_server_and_open_games_are_noted(told: Events, tmp_path: Path) -> None:
    told[2]["chosen_by"]["a1"] = "server"
    told[3]["chosen_by"]["a2"] = "default"
    study = negstats.load(write(told[:-1], tmp_path))
    assert study.provenance.notes == (
        "1 moves were chosen by the default",
        "1 moves were chosen by the server",
        "1 games have no end event and are kept as ended 'unknown'",
    )
    assert study.games["ended"].tolist() == ["unknown"]
    assert study.players["points"].isna().all()


@pytest.mark.slow
def test_a_cut_line(told: Events, tmp_path: Path) -> None:
    file = write(told, tmp_path)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(LogError, match="is the line cut"):
        negstats.load(file)
