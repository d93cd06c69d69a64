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
from typing import Any, TypeAlias

from negstats.errors import shown
from negstats.loaders.files.cells import Row
from negstats.loaders.files.intake import Intake
from negstats.loaders.otree.sheets import Sheets

_LATEST = 2.0**33  # seconds; beyond it a number is not a Unix time


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A game: its name, its app and the round, and its members' seats by their codes."""

    name: str
    app: str
    round: int
    seats: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Window:
    """When a group was in a round: from its first member's page before to its last member's last page."""

    start: float | None
    end: float

    @property
    def began(self) -> datetime | None:
        """When the round began."""
        return None if self.start is None else datetime.fromtimestamp(self.start, UTC)

    def holds(self, time: float) -> bool:
        """Whether a time is in it."""
        return (self.start is None or self.start <= time) and time <= self.end


Windows: TypeAlias = Mapping[Group, Window]


def windows_of(sheets: Sheets, groups: Sequence[Group], intake: Intake) -> dict[Group, Window]:
    """Return for each game of which page times tell when it began and ended, in Unix time."""
    steps_by_code: dict[str, list[tuple[float, str, int]]] = defaultdict(list)
    n_timeouts = 0
    for row in sheets.pages:
        time = _unix(row, "epoch_time_completed")
        code, app = row.text("participant_code"), row.text("app_name")
        n_timeouts += bool(row.truth("timeout_happened"))
        if time is not None and code is not None:
            steps_by_code[code.strip()].append((time, (app or "").strip(), row.whole("round_number") or 0))
    if n_timeouts:
        intake.notes.append(f"{n_timeouts} pages ended by a timeout")
    sorted_steps = {code: sorted(steps) for code, steps in steps_by_code.items()}
    windows = {}
    for group in groups if sorted_steps else ():
        starts, ends = [], []
        for person in group.seats:
            steps = sorted_steps.get(person, [])
            in_round = [at for at, step in enumerate(steps) if step[1:] == (group.app, group.round)]
            if in_round:
                ends.append(steps[in_round[-1]][0])
                starts += [steps[in_round[0] - 1][0]] if in_round[0] else []
        if ends:
            windows[group] = Window(min(starts) if starts else None, max(ends))
    return windows


def messages_of(
    sheets: Sheets, groups: Sequence[Group], windows: Windows, began: Mapping[str, datetime], intake: Intake
) -> list[dict[str, Any]]:
    """Return the rows of messages; a message of no one game is left out."""
    groups_by_person: dict[str, list[Group]] = defaultdict(list)
    for group in groups if sheets.chat else ():
        for person in group.seats:
            groups_by_person[person].append(group)
    speakers: dict[str, set[str]] = defaultdict(set)
    for row in sheets.chat:
        speakers[row.text("channel") or ""].add((row.text("participant_code") or "").strip())
    apps = {group.app for group in groups}
    said: dict[Group, list[tuple[float, int, str, str]]] = defaultdict(list)
    for place, row in enumerate(sheets.chat):
        time = _unix(row, "timestamp")
        who, channel = (row.text("participant_code") or "").strip(), row.text("channel") or ""
        fits = [group for group in groups_by_person.get(who, ()) if speakers[channel] <= group.seats.keys()]
        apps_in_channel = {app for app in apps if f"-{app}-" in channel}
        fits = [group for group in fits if not apps_in_channel or group.app in apps_in_channel]
        if len(fits) > 1 and time is not None:
            fits = [group for group in fits if group in windows and windows[group].holds(time)]
        if len(fits) != 1 or time is None:
            intake.leave_out(row.file, row.row, "a chat message that belongs to no single game")
            continue
        said[fits[0]].append((time, place, str(fits[0].seats[who]), row.text("body") or ""))
    return [
        {
            "game_id": group.name,
            "message": number,
            "time_s": time - began[group.name].timestamp() if group.name in began else None,
            "sender": sender,
            "text": text,
        }
        for group in groups
        for number, (time, _, sender, text) in enumerate(sorted(said.get(group, ())), 1)
    ]


def _unix(row: Row, column: str) -> float | None:
    value = row.number(column)
    if value is not None and not 0 <= value < _LATEST:
        raise row.fault(f"{shown(row.text(column))} is not a Unix time in seconds", column)
    return value
