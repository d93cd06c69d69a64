"""oTree's chat and page times: which game a message belongs to, and when a game began.

The chat's channel is ``SESSIONKEY-APP-CHANNEL`` with keys of the database, which no other export has. So a message
belongs to the one game whose members all speakers of the channel are, in the app that the channel names, and, where
several rounds fit, between the group's first and last page of the round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import shown
from negstats.loaders.files.cells import Row
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.row_tables import conformed
from negstats.loaders.otree.groups import Group, Groups
from negstats.loaders.otree.sheets import Sheets
from negstats.tables import empty

_LATEST = 2.0**33  # seconds; beyond it a number is not a Unix time


@dataclass(frozen=True, slots=True)
class Window:
    """When a group was in a round: from its first member's page before to its last member's last page."""

    start: float | None
    end: float


Windows: TypeAlias = Mapping[int, Window]  # by the games' places


def windows_of(sheets: Sheets, groups: Groups, intake: Intake) -> dict[int, Window]:
    """Return for each game of which page times tell when it began and ended, in Unix time."""
    pages = sheets.pages
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
    for game in groups.each():
        starts, ends = [], []
        for code in game.seats:
            steps = sorted(steps_by_code.get(code, ()))
            places_in_round = [
                at for at, (_, app, number) in enumerate(steps) if (app, number) == (game.app, game.number)
            ]
            if places_in_round:
                ends.append(steps[places_in_round[-1]][0])
                starts += [steps[places_in_round[0] - 1][0]] if places_in_round[0] else []
        if ends:
            windows[game.place] = Window(min(starts) if starts else None, max(ends))
    return windows


def messages_of(
    sheets: Sheets, groups: Groups, windows: Windows, began: npt.NDArray[np.datetime64], intake: Intake
) -> pd.DataFrame:
    """Return the table of messages; a message of no one game is left out."""
    if not sheets.chat:
        return empty("messages")
    games, names = list(groups.each()), groups.names.to_pylist()
    of_person: dict[str, list[Group]] = defaultdict(list)
    for game in games:
        for code in game.seats:
            of_person[code].append(game)
    speakers: dict[str, set[str]] = defaultdict(set)
    for row in sheets.chat:
        speakers[row.text("channel") or ""].add((row.text("participant_code") or "").strip())
    apps = {game.app for game in games}
    messages_by_game: dict[int, list[tuple[float, int, str, str]]] = defaultdict(list)
    for place, row in enumerate(sheets.chat):
        time = _unix(row, "timestamp")
        who, channel = (row.text("participant_code") or "").strip(), row.text("channel") or ""
        fits = [game for game in of_person.get(who, ()) if speakers[channel] <= game.seats.keys()]
        apps_in_channel = {app for app in apps if f"-{app}-" in channel}
        fits = [game for game in fits if not apps_in_channel or game.app in apps_in_channel]
        if len(fits) > 1 and time is not None:
            fits = [game for game in fits if game.place in windows and _is_within(time, windows[game.place])]
        if len(fits) != 1 or time is None:
            intake.leave_out(row.file, row.row, "a chat message that belongs to no single game")
            continue
        messages_by_game[fits[0].place].append((time, place, str(fits[0].seats[who]), row.text("body") or ""))
    rows = [
        {
            "game_id": names[game],
            "message": number,
            "time_s": None if np.isnat(began[game]) else time - began[game].astype(np.int64) / 1e6,
            "sender": sender,
            "text": text,
        }
        for game in sorted(messages_by_game)
        for number, (time, _, sender, text) in enumerate(sorted(messages_by_game[game]), 1)
    ]
    return conformed("messages", rows)


def _is_within(time: float, window: Window) -> bool:
    return (window.start is None or window.start <= time) and time <= window.end


def _unix(row: Row, column: str) -> float | None:
    value = row.number(column)
    if value is not None and not 0 <= value < _LATEST:
        raise row.fault(f"{shown(row.text(column))} is not a Unix time in seconds", column)
    return value


def stamp(seconds: float) -> np.datetime64:
    """Return a Unix time as a time."""
    return np.datetime64(datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None), "us")
