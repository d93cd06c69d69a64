"""The contract game's event log in JSON Lines, an event in each line, as `negstats simulate` or a lab writes it.

A log is one file ``*.jsonl`` (or a folder of such files) whose first line is a ``game`` event. Each line is a JSON
object with ``event`` and ``game`` (the game's name, unique in the study). Events of one game stand in the order in
which they happened; games may be interleaved. Fields in parentheses may be left out; then the tables hold a missing
value.

``game``, once, before the game's other events
    ``players``: a list of ``{"player": "CS", "role": "customer", "agent": "CS-A"}``; instead of ``agent`` a person has
    (``participant``). (``batna`` of a player, in points.) (``study``, ``scenario``, ``protocol``, ``started_at`` as an
    ISO 8601 time.) (``factors``: the design, such as ``{"condition": "HvsH", "country": "Israel"}``.) (``chip_points``:
    what a chip scores; without it the values of offers are missing.)
``offer``
    ``from`` and ``to``: the seats. ``asks`` and ``gives``: chips by colour for the one who offers and for the other,
    such as ``{"red": 14, "purple": 7}``; a colour of which none travels is left out. ``response``: accepted, rejected,
    superseded or none. (``round``, counted from 1.) (``time_s`` since the game began.) (``commitment``: true or false,
    haim2017, Definition 4.)
``move``
    ``player``, ``square``: ``[row, column]`` entered, row 0 on top. (``paid``: the chip's colour.) (``round``.)
``message``
    ``player``, ``text``. (``time_s``.)
``end``, once, after the game's other events
    ``ended``: goal, dormant, timeout, disconnect, ... as in the table ``games``. (``rounds``.) (``points`` by seat.)
    (``reached_goal``: the seats that reached their goal, ``[]`` for none: the customer, and the provider whose goal it
    is.)

A game without an ``end`` event is kept as ended ``unknown``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from negstats.errors import shown
from negstats.loaders.event_log import EventLog, build_tables, factors_of, players_of, read_units
from negstats.loaders.files.events import Event, begins_with
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.format import COLUMNS, Evidence, Track, untracked
from negstats.studies.study import Study
from negstats.tables import ENDED, RESPONSES

__all__ = ["FORMAT", "load"]

VERSION = "1"

# The events and their fields; any other is refused, for it would be lost.
FIELDS: dict[str, tuple[str, ...]] = {
    "game": ("players", "study", "scenario", "protocol", "started_at", "factors", "chip_points"),
    "offer": ("from", "to", "asks", "gives", "response", "round", "time_s", "commitment"),
    "move": ("player", "square", "paid", "round"),
    "message": ("player", "text", "time_s"),
    "end": ("ended", "rounds", "points", "reached_goal"),
}
PLAYER = ("player", "role", "agent", "participant", "batna")


def load(path: str | Path, *, track: Track = untracked) -> Study:
    """Load a contract game event log.

    Raises
    ------
    LogError
        Naming file and row: a line that is no JSON object, an event that is not known, a field that is not there or of
        another type, a game that begins twice or never, an event after the game's end.

    Examples
    --------
    >>> import tempfile
    >>> lines = '''{"event": "game", "game": "g1", "players": [{"player": "CS", "role": "customer"}]}
    ... {"event": "move", "game": "g1", "player": "CS", "square": [4, 5], "paid": "yellow"}
    ... {"event": "end", "game": "g1", "ended": "dormant", "points": {"CS": 115}, "reached_goal": []}'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "log.jsonl"
    ...     _ = file.write_text(lines)
    ...     load(file).players[["player", "role", "points", "reached_goal"]].values.tolist()
    [['CS', 'customer', 115.0, False]]
    """
    return LOG.read(Path(path), track)


def _matches(path: Path) -> Evidence | None:
    return begins_with(path, "game", COLUMNS)


def _read(files: Sequence[Path], intake: Intake, track: Track) -> dict[str, pd.DataFrame]:
    return build_tables(read_units(files, intake, track, FIELDS, _Game))


class _Game:
    """One game, as its events come."""

    def __init__(self, event: Event, name: str) -> None:
        factors = factors_of(event)
        heads = {field: event.text(field, None) for field in ("study", "scenario", "protocol")}
        self.row: dict[str, Any] = {"game_id": name, **heads, "started_at": event.time("started_at"), **factors}
        self.chip_points = event.number("chip_points", None)
        self.players: dict[str, dict[str, Any]] = {}
        self.ended: str | None = None
        self.name, self.of_events = name, Gathered()
        for player, row in players_of(event, PLAYER):
            role, batna = player.text("role", None), player.number("batna", None)
            self.players[row["player"]] = {"game_id": name, **row, "role": role, "batna": batna}

    def take(self, kind: str, event: Event) -> None:
        """Take one event."""
        {"offer": self._offer, "move": self._move, "message": self._message, "end": self._end}[kind](event)

    def rows(self) -> Gathered:
        """Return the rows of the tables."""
        self.of_events.add("games", **self.row, ended=self.ended or "unknown")
        for player in self.players.values():
            self.of_events.add("players", **player)
        return self.of_events

    def _seat(self, event: Event, field: str) -> str:
        return event.choice(field, tuple(self.players))

    def _offer(self, event: Event) -> None:
        proposer = self._seat(event, "from")
        responder = event.choice("to", tuple(seat for seat in self.players if seat != proposer))
        asks, items_given = event.counts("asks"), event.counts("gives")
        units, points = (sum(asks.values()), sum(items_given.values())), self.chip_points
        gain = None if points is None else points * (units[0] - units[1])
        self.of_events.add_offer(
            self.name,
            (proposer, responder),
            units={proposer: units[0], responder: units[1]},
            values={} if gain is None else {proposer: gain, responder: -gain},
            shares={proposer: asks, responder: items_given},
            round=event.whole("round", None),
            time_s=event.number("time_s", None),
            commitment=event.truth("commitment"),
            response=event.choice("response", RESPONSES),
        )

    def _move(self, event: Event) -> None:
        row, column = event.square("square")
        round_number, player = event.whole("round", None), self._seat(event, "player")
        paid = event.text("paid", None)
        self.of_events.add_next(
            "moves", self.name, round=round_number, player=player, row=row, column=column, paid=paid
        )

    def _message(self, event: Event) -> None:
        time, sender = event.number("time_s", None), self._seat(event, "player")
        self.of_events.add_next("messages", self.name, time_s=time, sender=sender, text=event.text("text"))

    def _end(self, event: Event) -> None:
        self.ended = event.choice("ended", ENDED)
        self.row["rounds"] = event.whole("rounds", None)
        points = event.mapping("points", {})
        goal_players = event.names("reached_goal")
        for field, names in (("points", [*points]), ("reached_goal", goal_players or [])):
            unknown = [name for name in names if name not in self.players]
            if unknown:
                raise event.fault(f"{shown(unknown[0])} is not a player of game {shown(self.name)}", field)
        for name, player in self.players.items():
            player["points"] = event.within("points", name, points)
            player["reached_goal"] = None if goal_players is None else name in goal_players


LOG = EventLog("contract", VERSION, "game", _read)
FORMAT = LOG.describe_format("the contract game's event log: *.jsonl, one event a line, a 'game' event first", _matches)
