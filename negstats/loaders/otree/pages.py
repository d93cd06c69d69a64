"""oTree's chat and page times: which game a message belongs to, and when a game began.

The chat's channel is ``SESSIONKEY-APP-CHANNEL`` with keys of the database, which no other export has. So a message
belongs to the one game whose members all speakers of the channel are, in the app that the channel names, and, where
several rounds fit, between the group's first and last page of the round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from negstats.errors import shown
from negstats.loaders.files.cells import Row
from negstats.loaders.files.intake import Intake
from negstats.loaders.otree.apps import Game

__all__ = ["Window", "messages_of", "stamp", "windows_of"]

_LATEST = 2.0**33  # seconds; beyond it a number is no Unix time


@dataclass(frozen=True, slots=True)
class Window:
    """When a group was in a round: from its first member's page before to its last member's last page."""

    start: float | None
    end: float


def windows_of(pages: Sequence[Row], games: Sequence[Game], intake: Intake) -> dict[str, Window]:
    """Return for each game of which page times tell when it began and ended, in Unix time."""
    if not pages:
        return {}
    steps_by_code: dict[str, list[tuple[float, str, int]]] = defaultdict(list)
    n_timeouts = 0
    for row in pages:
        time = _unix(row, "epoch_time_completed")
        code, app = row.text("participant_code"), row.text("app_name")
        n_timeouts += bool(row.truth("timeout_happened"))
        if time is not None and code is not None:
            steps_by_code[code.strip()].append((time, (app or "").strip(), row.whole("round_number") or 0))
    if n_timeouts:
        intake.notes.append(f"{n_timeouts} pages ended by a timeout")
    windows = {}
    for game in games:
        starts, ends = [], []
        for turn in game.turns.values():
            steps = sorted(steps_by_code.get(turn.code, ()))
            places_in_round = [
                at for at, (_, app, number) in enumerate(steps) if (app, number) == (turn.app, turn.number)
            ]
            if places_in_round:
                ends.append(steps[places_in_round[-1]][0])
                starts += [steps[places_in_round[0] - 1][0]] if places_in_round[0] else []
        if ends:
            windows[game.name] = Window(min(starts) if starts else None, max(ends))
    return windows


def messages_of(
    chat: Sequence[Row], games: Sequence[Game], windows: Mapping[str, Window], began: Mapping[str, Any], intake: Intake
) -> list[dict[str, Any]]:
    """Return the rows of the table of messages; a message of no one game is left out."""
    seats = {(game.name, turn.code): str(seat) for game in games for seat, turn in game.turns.items()}
    of_person: dict[str, list[Game]] = defaultdict(list)
    for game in games:
        for turn in game.turns.values():
            of_person[turn.code].append(game)
    speakers: dict[str, set[str]] = defaultdict(set)
    for row in chat:
        speakers[row.text("channel") or ""].add((row.text("participant_code") or "").strip())
    apps = {game.first.app for game in games}
    messages_by_game: dict[str, list[tuple[float, int, str, str]]] = defaultdict(list)
    for place, row in enumerate(chat):
        time = _unix(row, "timestamp")
        who, channel = (row.text("participant_code") or "").strip(), row.text("channel") or ""
        fits = [game for game in of_person.get(who, ()) if all((game.name, one) in seats for one in speakers[channel])]
        apps_in_channel = {app for app in apps if f"-{app}-" in channel}
        fits = [game for game in fits if not apps_in_channel or game.first.app in apps_in_channel]
        if len(fits) > 1 and time is not None:
            fits = [game for game in fits if game.name in windows and _within(time, windows[game.name])]
        if len(fits) != 1 or time is None:
            intake.leave_out(row.file, row.row, "a chat message of no one game")
            continue
        messages_by_game[fits[0].name].append((time, place, seats[fits[0].name, who], row.text("body") or ""))
    return [
        {
            "game_id": game.name,
            "message": number,
            "time_s": None if began.get(game.name) is None else time - began[game.name].timestamp(),
            "sender": sender,
            "text": text,
        }
        for game in games
        for number, (time, _, sender, text) in enumerate(sorted(messages_by_game.get(game.name, ())), 1)
    ]


def _within(time: float, window: Window) -> bool:
    return (window.start is None or window.start <= time) and time <= window.end


def _unix(row: Row, column: str) -> float | None:
    value = row.number(column)
    if value is not None and not 0 <= value < _LATEST:
        raise row.fault(f"{shown(row.text(column))} is no Unix time in seconds", column)
    return value


def stamp(seconds: float) -> datetime:
    """Return a Unix time as a time."""
    return datetime.fromtimestamp(seconds, UTC)
