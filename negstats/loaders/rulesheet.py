"""The event log of games from rule sheets: JSON Lines, an event a line, as `negstats simulate` writes it.

Source: the games are those of D. de Jonge and D. Zhang, *Using GDL to Represent Domain Knowledge for Automated
Negotiations* (dejonge2016); the paper publishes no logs, and this form is the project's own. Licence: a log is its
owner's. A log is one file ``*.jsonl`` (or a folder of such files) whose first line is a ``sheet`` event. Events of one
game stand in the order in which they happened; games may be interleaved. Fields in parentheses may be left out; then
the tables hold a missing value.

``sheet``, before the games that are played by it
    ``sheet``: its name. ``sha256`` of its text. ``roles``: in the order of the sheet. (``text``: the sheet itself.)
    (``parameters``: the numbers that it was made with.) (``batna``: what each role gets in the equilibrium of the game
    without an agreement.) (``values``: a list of ``{"player", "item", "option", "available", "value"}``.)
``game``, once, before the game's other events
    ``game``: its name. ``sheet``. ``players``: the name of each role's player. (``study``, ``scenario``, ``factors``.)
``step``
    ``round``, counted from 1 without a gap. ``moves``: each role's move as text, such as ``{"a1": "(propose 7)", "a2":
    "noop"}``. (``chosen_by``: for each role player, default or server.) (``offers``: for a role that proposes, what its
    proposal says: ``items``, a list of ``{"item", "receiver", "quantity", "option"}``; ``units`` and ``worth``, numbers
    by role.)
``end``, once
    ``ended``: agreement, timeout, ... as in the table ``games``. (``payoffs`` by role.)

Traps, and what is done about them. A log may contradict its sheet: if the sheet's text is there (and clingo is
installed) every game is played again, and a move that was not legal, a step after the end, an end before it and a
payoff that the sheet does not give are errors that name the row; so is a text with another SHA-256. Without text or
clingo a note says that the moves were not checked. Moves chosen by the server or by default count as the player's, and
a note says how many there are. A move called ``propose`` is an offer; ``accept`` accepts the last one; ``noop`` is left
out of the messages. Any other move is not talk but play, and its act is ``play:`` and the move.

A game without an ``end`` event is kept as ended ``unknown``.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from negstats.errors import LogError, NegstatsError, SheetError, UsageError, shown
from negstats.loaders.event_log import EventLog, factors_of
from negstats.loaders.files.events import Event, begins_with, events_of
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.row_tables import conformed
from negstats.loaders.format import Evidence, Track, untracked
from negstats.studies.study import Study
from negstats.tables import ENDED, TABLES

if TYPE_CHECKING:
    from negstats.games.rulesheet import GroundGame

__all__ = ["FORMAT", "load"]

VERSION = "1"
# The events and their fields; any other is refused, for it would be lost.
FIELDS = {
    "sheet": ("event", "sheet", "sha256", "roles", "text", "parameters", "batna", "values"),
    "game": ("event", "game", "sheet", "players", "study", "scenario", "factors", "started_at"),
    "step": ("event", "game", "round", "moves", "chosen_by", "offers"),
    "end": ("event", "game", "ended", "payoffs"),
}
OFFER = ("items", "units", "worth")
ITEM = ("item", "receiver", "quantity", "option")
VALUE = ("player", "item", "option", "available", "value")
TALK = ("propose", "accept", "setvalue")
CHOSEN_BY = ("player", "default", "server")


def load(path: str | Path, *, track: Track = untracked) -> Study:
    """Load an event log of games from rule sheets.

    Raises
    ------
    LogError
        Naming file and row: a line that is not a JSON object, a field that is not there or of another type, a game or
        sheet that is not known, and whatever contradicts the sheet.

    Examples
    --------
    >>> import tempfile
    >>> lines = '''{"event": "sheet", "sheet": "s", "sha256": "0", "roles": ["a", "b"]}
    ... {"event": "game", "game": "g1", "sheet": "s", "players": {"a": "random", "b": "random"}}
    ... {"event": "step", "game": "g1", "round": 1, "moves": {"a": "(propose 1)", "b": "noop"}}
    ... {"event": "step", "game": "g1", "round": 2, "moves": {"a": "noop", "b": "accept"}}
    ... {"event": "end", "game": "g1", "ended": "agreement", "payoffs": {"a": 1, "b": 9}}'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "log.jsonl"
    ...     _ = file.write_text(lines)
    ...     load(file).offers[["round", "proposer", "response"]].values.tolist()
    [[1, 'a', 'accepted']]
    """
    return LOG.read(Path(path), track)


def _matches(path: Path) -> Evidence | None:
    return begins_with(path, "sheet")


def _read(files: Sequence[Path], intake: Intake, track: Track) -> dict[str, pd.DataFrame]:
    log = _Log()
    for event in events_of(files, intake, track):
        log.add(event)
    log.note(intake)
    return log.tables()


@dataclass(slots=True)
class _Sheet:
    """A sheet of the log; `game` plays it, or is None and `unchecked` says why."""

    sha256: str
    roles: tuple[str, ...]
    batna: dict[str, Any]
    worths: list[dict[str, Any]]
    game: GroundGame | None = None
    unchecked: str = "its text is not in the log"


@dataclass(slots=True)
class _Game:
    """A game of the log as far as it was read."""

    row: dict[str, Any]
    sheet: _Sheet
    players: dict[str, dict[str, Any]]
    state: Any = None
    steps: int = 0
    ended: bool = False
    offers: list[dict[str, Any]] = field(default_factory=list)
    messages: int = 0


class _Log:
    """The rows of the tables, as the events come."""

    def __init__(self) -> None:
        self.sheets: dict[str, _Sheet] = {}
        self.games: dict[str, _Game] = {}
        self.rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.chosen: Counter[str] = Counter()

    def add(self, event: Event) -> None:
        """Take in one event."""
        kind = event.choice("event", tuple(FIELDS))
        event.refuse_unknown(FIELDS[kind])
        if kind in ("sheet", "game"):
            {"sheet": self._sheet, "game": self._game}[kind](event)
            return
        name = event.text("game")
        game = self.games.get(name)
        if game is None or game.ended:
            what = "has ended" if game else "has no 'game' event before"
            raise event.fault(f"game {shown(name)} {what}", "game")
        {"step": self._step, "end": self._end}[kind](event, game)

    def note(self, intake: Intake) -> None:
        """Note what a reader of the study should know."""
        intake.notes += [
            f"sheet {shown(name)}: moves not checked, {sheet.unchecked}"
            for name, sheet in self.sheets.items()
            if not sheet.game
        ]
        for who in sorted(CHOSEN_BY):
            intake.count(f"{{0}} moves were chosen by the {who}", self.chosen[who])
        unended = sum(not game.ended for game in self.games.values())
        intake.count("{0} games have no end event and are kept as ended 'unknown'", unended)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables; games in the order in which they began, everything else by game."""
        order = {name: place for place, name in enumerate(self.games)}
        rows = {name: sorted(rows, key=lambda row: order[row["game_id"]]) for name, rows in self.rows.items()} | {
            "games": [game.row | {"rounds": game.steps} for game in self.games.values()],
            "players": [player for game in self.games.values() for player in game.players.values()],
        }
        return {name: conformed(name, rows.get(name, [])) for name in TABLES}

    def _sheet(self, event: Event) -> None:
        name, roles = event.text("sheet"), event.names("roles")
        if not roles or len(set(roles)) < len(roles):
            raise event.fault(f"{shown(roles)} is not a list of roles, each once", "roles")
        values = event.parts("values") if event.fields.get("values") else []
        sheet = _Sheet(
            event.text("sha256"),
            tuple(roles),
            _read_map(event, "batna", roles),
            [_value(value, roles) for value in values],
        )
        first_sheet = self.sheets.setdefault(name, sheet)
        if (first_sheet.sha256, first_sheet.roles) != (sheet.sha256, sheet.roles):
            raise event.fault(f"sheet {shown(name)} was another before; give it a name of its own", "sheet")
        text = event.text("text", None)
        if first_sheet.game is None and text is not None:
            _prepare(event, first_sheet, text, name)

    def _game(self, event: Event) -> None:
        name, sheet = event.text("game"), self.sheets.get(event.text("sheet"))
        if name in self.games:
            raise event.fault(f"game {shown(name)} begins twice", "game")
        if sheet is None:
            raise event.fault(f"sheet {shown(event.text('sheet'))} has no 'sheet' event before", "sheet")
        players = event.mapping("players")
        if players.keys() != set(sheet.roles):
            raise event.fault(
                f"names the players {shown(sorted(players))}; the sheet has the roles {', '.join(sheet.roles)}",
                "players",
            )
        factors = factors_of(event)
        row = {"game_id": name, **{key: event.text(key, None) for key in ("study", "scenario")}}
        row |= {"protocol": event.text("sheet"), "ended": "unknown", "started_at": event.time("started_at"), **factors}
        seats = {
            role: {
                "game_id": name,
                "player": role,
                "role": role,
                "kind": "agent",
                "agent": str(players[role]),
                "batna": event.within("batna", role, sheet.batna),
            }
            for role in sheet.roles
        }
        self.games[name] = _Game(row, sheet, seats, None if sheet.game is None else sheet.game.first)
        self.rows["values"] += [{"game_id": name, **value} for value in sheet.worths]

    def _step(self, event: Event, game: _Game) -> None:
        number, moves = event.whole("round"), event.mapping("moves")
        if number != game.steps + 1:
            raise event.fault(f"round {number} comes after round {game.steps}", "round")
        if moves.keys() != set(game.sheet.roles):
            raise event.fault(
                f"moves of {shown(sorted(moves))}; each of {', '.join(game.sheet.roles)} makes one", "moves"
            )
        game.steps = number
        offers = event.fields.get("offers") or {}
        if not isinstance(offers, dict) or not all(isinstance(offer, dict) for offer in offers.values()):
            raise event.fault(f"{shown(offers)} is not an object of offers by role", "offers")
        event.part("offers").refuse_unknown(game.sheet.roles)
        by = _read_map(event, "chosen_by", game.sheet.roles)
        for role in game.sheet.roles:
            if by.get(role, "player") not in CHOSEN_BY:
                raise event.fault(f"{shown(by[role])} is not one of {', '.join(CHOSEN_BY)}", "chosen_by")
            self.chosen.update([by[role]] if by.get(role, "player") != "player" else [])
        _play(event, game, moves)
        for role in game.sheet.roles:
            self._move(event, game, role, str(moves[role]), offers.get(role))

    def _move(self, event: Event, game: _Game, role: str, move: str, offer: dict[str, Any] | None) -> None:
        name, identity = move.strip("() ").split()[0], game.row["game_id"]
        if name != "noop":
            game.messages += 1
            act = name if name in TALK else f"play:{move}"
            self.rows["messages"].append({"game_id": identity, "message": game.messages, "sender": role, "act": act})
        if name == "accept" and game.offers:
            game.offers[-1]["response"] = "accepted"
        if offer is not None and name != "propose":
            raise event.fault(f"{role} plays {shown(move)}, which proposes nothing", "offers")
        if name == "propose":
            if game.offers and game.offers[-1]["response"] == "none":
                game.offers[-1]["response"] = "superseded"
            self._offer(event, game, role, Event(offer or {}, event.file, event.row))

    def _offer(self, event: Event, game: _Game, role: str, offer: Event) -> None:
        others = [other for other in game.sheet.roles if other != role]
        partner = others[0] if len(others) == 1 else None
        offer.refuse_unknown(OFFER)
        units, worth = (_read_map(offer, part, game.sheet.roles) for part in ("units", "worth"))
        row = {
            "game_id": game.row["game_id"],
            "offer": len(game.offers) + 1,
            "round": game.steps,
            "proposer": role,
            "responder": partner,
            "units_to_proposer": offer.within("units", role, units),
            "units_to_responder": offer.within("units", partner or "", units),
            "value_proposer": offer.within("worth", role, worth),
            "value_responder": offer.within("worth", partner or "", worth),
            "response": "none",
        }
        game.offers.append(row)
        self.rows["offers"].append(row)
        received = set()  # what a receiver gets of an item is one row
        for item in offer.parts("items") if offer.fields.get("items") else []:
            item.refuse_unknown(ITEM)
            receiver = item.text("receiver", None)
            if receiver not in (None, *game.sheet.roles):
                raise event.fault(f"{shown(receiver)} is not a role of the sheet", "offers")
            if (key := (item.text("item"), receiver)) in received:
                raise event.fault(f"{shown(key[0])} is twice in an offer for the same receiver", "offers")
            received.add(key)
            item_fields = {"item": key[0], "receiver": receiver, "quantity": item.number("quantity", None)}
            self.rows["items"].append(
                {"game_id": row["game_id"], "offer": row["offer"], **item_fields, "option": item.text("option", None)}
            )

    def _end(self, event: Event, game: _Game) -> None:
        game.ended = True
        game.row["ended"] = event.choice("ended", ENDED)
        payoffs = _read_map(event, "payoffs", game.sheet.roles)
        has_deal = any(offer["response"] == "accepted" for offer in game.offers)
        if game.row["ended"] == "agreement" and not has_deal:
            raise event.fault("ended with an agreement, but no offer was accepted", "ended")
        _check_end(event, game, payoffs)
        for role, player in game.players.items():
            player["points"] = event.within("payoffs", role, payoffs)


def _prepare(event: Event, sheet: _Sheet, text: str, name: str) -> None:
    """Make the sheet playable, to check the moves by."""
    from negstats.games.rulesheet import ground, parse

    if hashlib.sha256(text.encode()).hexdigest() != sheet.sha256:
        raise event.fault("the text has another SHA-256", "sha256")
    try:
        rules = parse(text, name=name)
        if rules.roles != sheet.roles:
            raise event.fault(f"roles {', '.join(sheet.roles)}; the sheet has {', '.join(rules.roles)}", "roles")
        sheet.game = ground(rules)
    except SheetError as error:
        raise event.fault(f"the sheet is wrong: {error}", "text") from None
    except UsageError:
        sheet.unchecked = "clingo is not installed (negstats[gdl])"


def _play(event: Event, game: _Game, moves: dict[str, Any]) -> None:
    """Play a step again, if the sheet is there."""
    for role, move in moves.items():
        if not isinstance(move, str) or not move.strip("() "):
            raise event.fault(f"{role} plays {shown(move)}, which is not a move", "moves")
    sheet = game.sheet.game
    if sheet is None:
        return
    try:
        if sheet.over(game.state):
            raise event.fault("a step after the end: the sheet says that the game is over", "round")
        legal = sheet.legal(game.state)
        for role, move in moves.items():
            if move not in legal[role]:
                raise event.fault(
                    f"{role} plays {shown(move)}, which is not legal; {_some(legal[role])} would be", "moves"
                )
        game.state = sheet.next(game.state, moves)
    except LogError:
        raise
    except NegstatsError as error:
        raise event.fault(str(error), "moves") from None


def _check_end(event: Event, game: _Game, payoffs: dict[str, Any]) -> None:
    sheet = game.sheet.game
    if sheet is None:
        return
    if not sheet.over(game.state):
        if payoffs:
            raise event.fault("has payoffs, but the sheet says that the game is not over", "payoffs")
        return
    for role, payoff in sheet.payoffs(game.state).items():
        if role in payoffs and payoffs[role] != payoff:
            raise event.fault(f"{role} gets {shown(payoffs[role])}; the sheet gives {payoff}", "payoffs")


def _some(moves: Sequence[str]) -> str:
    return ", ".join(moves[:3]) + (", ..." if len(moves) > 3 else "")


def _read_map(event: Event, field: str, roles: Sequence[str]) -> dict[str, Any]:
    """Return an object with a value for some of the roles; none where it is not there."""
    values_by_role = event.mapping(field, {})
    strangers = sorted(values_by_role.keys() - set(roles))
    if strangers:
        raise event.fault(f"{shown(strangers[0])} is not a role of the sheet", field)
    return values_by_role


def _value(value: Event, roles: Sequence[str]) -> dict[str, Any]:
    value.refuse_unknown(VALUE)
    return {
        "player": value.choice("player", roles),
        "item": value.text("item"),
        "option": value.text("option", None),
        "available": value.number("available", None),
        "value": value.number("value"),
    }


LOG = EventLog("rulesheet", VERSION, "game", _read, ("sheet",))
FORMAT = LOG.describe_format(
    "games from rule sheets: an event log *.jsonl, one event a line, a 'sheet' event first", _matches
)
