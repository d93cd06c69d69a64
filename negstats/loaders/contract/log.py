"""A contract game's log read event by event; each fault names its file and row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from negstats.errors import shown
from negstats.loaders.files.events import Event
from negstats.tables import ENDED, RESPONSES, TABLES, conform

# The events and their fields; any other is refused, for it would be lost.
FIELDS: dict[str, tuple[str, ...]] = {
    "game": ("players", "study", "scenario", "protocol", "started_at", "factors", "chip_points"),
    "offer": ("from", "to", "asks", "gives", "response", "round", "time_s", "commitment"),
    "move": ("player", "square", "paid", "round"),
    "message": ("player", "text", "time_s"),
    "end": ("ended", "rounds", "points", "reached_goal"),
}
FIELDS = {event: ("event", "game", *fields) for event, fields in FIELDS.items()}
PLAYER = ("player", "role", "agent", "participant", "batna")
EVENTS = tuple(FIELDS)


class Log:
    """The rows of the tables, as the events come."""

    def __init__(self) -> None:
        self.games: dict[str, dict[str, Any]] = {}
        self.players: dict[str, dict[str, dict[str, Any]]] = {}
        self.chip_points: dict[str, float | None] = {}
        self.rows: dict[str, list[dict[str, Any]]] = {"offers": [], "items": [], "moves": [], "messages": []}
        self.counts: dict[tuple[str, str], int] = defaultdict(int)

    def add(self, event: Event) -> None:
        """Take one event."""
        kind, game = event.choice("event", EVENTS), event.text("game")
        event.refuse_unknown(FIELDS[kind])
        if kind == "game":
            self._begin(event, game)
            return
        if game not in self.games:
            raise event.fault(f"game {shown(game)} has not begun; its 'game' event comes first", "game")
        if "ended" in self.games[game]:
            raise event.fault(f"game {shown(game)} has ended already", "game")
        {"offer": self._offer, "move": self._move, "message": self._message, "end": self._end}[kind](event, game)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables; games in the order in which they began, everything else by game."""
        games = [{"ended": "unknown", **game} for game in self.games.values()]
        players = [player for game in self.players.values() for player in game.values()]
        order = {game: place for place, game in enumerate(self.games)}
        rows = {
            name: sorted(rows, key=lambda row: order[row["game_id"]])  # stable: their order in a game stays
            for name, rows in self.rows.items()
        }
        return {
            name: _table(name, table_rows) for name, table_rows in {"games": games, "players": players, **rows}.items()
        }

    def _begin(self, event: Event, game: str) -> None:
        if game in self.games:
            raise event.fault(f"game {shown(game)} has begun already; names must be unique in the study", "game")
        factors = event.mapping("factors", {})
        reserved = sorted(set(factors) & set(TABLES["games"].names))
        if reserved:
            raise event.fault(f"{shown(reserved[0])} is a column that every study has and no factor", "factors")
        self.games[game] = {
            "game_id": game,
            **{name: event.text(name, None) for name in ("study", "scenario", "protocol")},
            "started_at": event.time("started_at"),
            **factors,
        }
        self.chip_points[game] = event.number("chip_points", None)
        self.players[game] = {}
        for player in event.parts("players"):
            player.refuse_unknown(PLAYER)
            name, agent = player.text("player"), player.text("agent", None)
            if name in self.players[game]:
                raise event.fault(f"two players are called {shown(name)}", "players")
            self.players[game][name] = {
                "game_id": game,
                "player": name,
                "role": player.text("role", None),
                "kind": "human" if agent is None else "agent",
                "agent": agent,
                "participant_id": player.text("participant", None),
                "batna": player.number("batna", None),
            }

    def _seat(self, event: Event, game: str, field: str) -> str:
        return event.choice(field, tuple(self.players[game]))

    def _next(self, game: str, what: str) -> int:
        self.counts[game, what] += 1
        return self.counts[game, what]

    def _offer(self, event: Event, game: str) -> None:
        number = self._next(game, "offer")
        proposer, responder = self._seat(event, game, "from"), self._seat(event, game, "to")
        asks, items_given = event.counts("asks"), event.counts("gives")
        units, points = (sum(asks.values()), sum(items_given.values())), self.chip_points[game]
        gain = None if points is None else points * (units[0] - units[1])
        self.rows["offers"].append(
            {
                "game_id": game,
                "offer": number,
                "round": event.whole("round", None),
                "time_s": event.number("time_s", None),
                "proposer": proposer,
                "responder": responder,
                "units_to_proposer": units[0],
                "units_to_responder": units[1],
                "value_proposer": gain,
                "value_responder": None if gain is None else -gain,
                "commitment": event.truth("commitment"),
                "response": event.choice("response", RESPONSES),
            }
        )
        for receiver, chips in ((proposer, asks), (responder, items_given)):
            for item, quantity in chips.items():
                row = {"game_id": game, "offer": number, "item": item, "receiver": receiver, "quantity": quantity}
                self.rows["items"].append(row)

    def _move(self, event: Event, game: str) -> None:
        row, column = event.square("square")
        self.rows["moves"].append(
            {
                "game_id": game,
                "move": self._next(game, "move"),
                "round": event.whole("round", None),
                "player": self._seat(event, game, "player"),
                "row": row,
                "column": column,
                "paid": event.text("paid", None),
            }
        )

    def _message(self, event: Event, game: str) -> None:
        self.rows["messages"].append(
            {
                "game_id": game,
                "message": self._next(game, "message"),
                "time_s": event.number("time_s", None),
                "sender": self._seat(event, game, "player"),
                "text": event.text("text"),
            }
        )

    def _end(self, event: Event, game: str) -> None:
        self.games[game]["ended"] = event.choice("ended", ENDED)
        self.games[game]["rounds"] = event.whole("rounds", None)
        points = event.mapping("points", {})
        goal_players = event.names("reached_goal")
        for field, names in (("points", [*points]), ("reached_goal", goal_players or [])):
            unknown = [name for name in names if name not in self.players[game]]
            if unknown:
                raise event.fault(f"{shown(unknown[0])} is not a player of game {shown(game)}", field)
        for name, player in self.players[game].items():
            player["points"] = event.within("points", name, points)
            player["reached_goal"] = None if goal_players is None else name in goal_players


def _table(name: str, rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    names: Iterable[str] = dict.fromkeys(key for row in rows for key in row)
    return conform(name, {column: [row.get(column) for row in rows] for column in names})
