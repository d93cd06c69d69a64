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
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from negstats.errors import LogError, NegstatsError, SheetError, UsageError, shown
from negstats.loaders.event_log import EventLog, build_tables, factors_of, read_units
from negstats.loaders.files.events import Event, begins_with
from negstats.loaders.files.intake import Intake, Tally
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.format import Evidence, Track, untracked
from negstats.studies.study import Study
from negstats.tables import ENDED

if TYPE_CHECKING:
    from negstats.games.rulesheet import GroundGame

__all__ = ["FORMAT", "load"]

VERSION = "1"
# The events and their fields; any other is refused, for it would be lost.
FIELDS = {
    "sheet": ("sheet", "sha256", "roles", "text", "parameters", "batna", "values"),
    "game": ("sheet", "players", "study", "scenario", "factors", "started_at"),
    "step": ("round", "moves", "chosen_by", "offers"),
    "end": ("ended", "payoffs"),
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
    sheets: dict[str, _Sheet] = {}
    games = read_units(
        files,
        intake,
        track,
        FIELDS,
        lambda event, name: _Game(event, name, sheets),
        shared={"sheet": lambda event: _take_sheet(event, sheets)},
    )
    chosen = sum((game.chosen for game in games), Counter[str]())
    intake.notes[-1:-1] = [  # before the one of games without an end
        *(f"sheet {shown(name)}: moves not checked, {of.unchecked}" for name, of in sheets.items() if not of.game),
        *(Tally(f"{{0}} moves were chosen by the {who}", chosen[who]) for who in sorted(CHOSEN_BY)),
    ]
    return build_tables(games)


@dataclass(slots=True)
class _Sheet:
    """A sheet of the log; `game` plays it, or is None and `unchecked` says why."""

    sha256: str
    roles: tuple[str, ...]
    batna: dict[str, Any]
    worths: list[dict[str, Any]]
    game: GroundGame | None = None
    unchecked: str = "its text is not in the log"


def _take_sheet(event: Event, sheets: dict[str, _Sheet]) -> None:
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
    first_sheet = sheets.setdefault(name, sheet)
    if (first_sheet.sha256, first_sheet.roles) != (sheet.sha256, sheet.roles):
        raise event.fault(f"sheet {shown(name)} was another before; give it a name of its own", "sheet")
    text = event.text("text", None)
    if first_sheet.game is None and text is not None:
        _prepare(event, first_sheet, text, name)


class _Game:
    """A game of the log as far as it was read."""

    def __init__(self, event: Event, name: str, sheets: Mapping[str, _Sheet]) -> None:
        sheet = sheets.get(event.text("sheet"))
        if sheet is None:
            raise event.fault(f"sheet {shown(event.text('sheet'))} has no 'sheet' event before", "sheet")
        players = event.mapping("players")
        if players.keys() != set(sheet.roles):
            raise event.fault(
                f"names the players {shown(sorted(players))}; the sheet has the roles {', '.join(sheet.roles)}",
                "players",
            )
        self.name, self.sheet, self.players = name, sheet, players
        factors = factors_of(event)
        self.row: dict[str, Any] = {key: event.text(key, None) for key in ("study", "scenario")}
        self.row |= {"protocol": event.text("sheet"), "started_at": event.time("started_at"), **factors}
        self.batna = {role: event.within("batna", role, sheet.batna) for role in sheet.roles}
        self.state: Any = None if sheet.game is None else sheet.game.first
        self.steps = 0
        self.ended: str | None = None
        self.points: dict[str, float | None] = {}
        self.chosen: Counter[str] = Counter()
        self.of_events = Gathered()
        for value in sheet.worths:
            self.of_events.add("values", game_id=name, **value)

    def take(self, kind: str, event: Event) -> None:
        """Take one of the game's later events."""
        (self._step if kind == "step" else self._end)(event)

    def rows(self) -> Gathered:
        """Return the rows of the tables."""
        rows = self.of_events
        rows.add("games", game_id=self.name, **self.row, ended=self.ended or "unknown", rounds=self.steps)
        for role in self.sheet.roles:
            player = {"player": role, "role": role, "kind": "agent", "agent": str(self.players[role])}
            rows.add("players", game_id=self.name, **player, batna=self.batna[role], points=self.points.get(role))
        return rows

    def _step(self, event: Event) -> None:
        roles = self.sheet.roles
        number, moves = event.whole("round"), event.mapping("moves")
        if number != self.steps + 1:
            raise event.fault(f"round {number} comes after round {self.steps}", "round")
        if moves.keys() != set(roles):
            raise event.fault(f"moves of {shown(sorted(moves))}; each of {', '.join(roles)} makes one", "moves")
        self.steps = number
        offers = event.fields.get("offers") or {}
        if not isinstance(offers, dict) or not all(isinstance(offer, dict) for offer in offers.values()):
            raise event.fault(f"{shown(offers)} is not an object of offers by role", "offers")
        event.part("offers").refuse_unknown(roles)
        by = _read_map(event, "chosen_by", roles)
        for role in roles:
            if by.get(role, "player") not in CHOSEN_BY:
                raise event.fault(f"{shown(by[role])} is not one of {', '.join(CHOSEN_BY)}", "chosen_by")
            self.chosen.update([by[role]] if by.get(role, "player") != "player" else [])
        _play(event, self, moves)
        for role in roles:
            self._move(event, role, str(moves[role]), offers.get(role))

    def _move(self, event: Event, role: str, move: str, offer: dict[str, Any] | None) -> None:
        name, offers = move.strip("() ").split()[0], self.of_events.rows("offers")
        if name != "noop":
            act = name if name in TALK else f"play:{move}"
            self.of_events.add_next("messages", self.name, sender=role, act=act)
        if name == "accept" and offers:
            offers[-1]["response"] = "accepted"
        if offer is not None and name != "propose":
            raise event.fault(f"{role} plays {shown(move)}, which proposes nothing", "offers")
        if name == "propose":
            if offers and offers[-1]["response"] == "none":
                offers[-1]["response"] = "superseded"
            self._offer(event, role, Event(offer or {}, event.file, event.row))

    def _offer(self, event: Event, role: str, offer: Event) -> None:
        roles = self.sheet.roles
        others = [other for other in roles if other != role]
        offer.refuse_unknown(OFFER)
        units, worths = (
            {seat: offer.within(part, seat, of_seats) for seat in roles}
            for part in ("units", "worth")
            for of_seats in [_read_map(offer, part, roles)]
        )
        seats = (role, others[0] if len(others) == 1 else None)
        row = self.of_events.add_offer(self.name, seats, values=worths, units=units, round=self.steps, response="none")
        received = set()  # what a receiver gets of an item is one row
        for item in offer.parts("items") if offer.fields.get("items") else []:
            item.refuse_unknown(ITEM)
            receiver = item.text("receiver", None)
            if receiver not in (None, *roles):
                raise event.fault(f"{shown(receiver)} is not a role of the sheet", "offers")
            if (key := (item.text("item"), receiver)) in received:
                raise event.fault(f"{shown(key[0])} is twice in an offer for the same receiver", "offers")
            received.add(key)
            quantity, option = item.number("quantity", None), item.text("option", None)
            item_fields = {"item": key[0], "receiver": receiver, "quantity": quantity, "option": option}
            self.of_events.add("items", game_id=self.name, offer=row["offer"], **item_fields)

    def _end(self, event: Event) -> None:
        self.ended = event.choice("ended", ENDED)
        payoffs = _read_map(event, "payoffs", self.sheet.roles)
        has_deal = any(offer["response"] == "accepted" for offer in self.of_events.rows("offers"))
        if self.ended == "agreement" and not has_deal:
            raise event.fault("ended with an agreement, but no offer was accepted", "ended")
        _check_end(event, self, payoffs)
        self.points = {role: event.within("payoffs", role, payoffs) for role in self.sheet.roles}


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
