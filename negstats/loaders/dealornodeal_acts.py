"""Deal or No Deal at the level of acts: an event log, JSON Lines, as `negstats simulate dealornodeal` writes it.

Source
    Written by this package; a lab that logs acts can write it too. After the design of K. Chawla, I. Wu, Y. Rong,
    G. M. Lucas, J. Gratch: Be Selfish, But Wisely, EMNLP 2023. What the package writes are simulated acts, not the
    paper's bots.
Files
    One file ``*.jsonl`` (or a folder of such files) whose first line is a ``game`` event with ``counts``. Each line is
    a JSON object with ``event`` and ``game`` (the game's name, unique in the study). Events of one game stand in the
    order in which they happened; games may be interleaved. Fields in parentheses may be left out.
``game``, once, before the game's other events
    ``counts``: units of each item, such as ``{"book": 1, "hat": 3, "ball": 1}``. ``players``: two, the first speaks
    first, each ``{"player": "A", "values": {"book": 2, "hat": 1, "ball": 5}}`` with (``agent``; without it a person
    sits there, (``participant``)) and (``batna``, 0 if not given). (``first``: who speaks first, the first player.)
    (``study``, ``scenario``, ``protocol``, ``seed``.) (``factors``: the design, such as ``{"reward": "fair"}``.)
``act``, at most twenty
    ``number``: the utterance, from 0. ``player``: whose turn it is. ``act``: ``propose`` with ``units``, what the
    speaker takes of each item, the rest being the other's; ``accept`` the other's latest proposal; ``walk``.
``end``, once, after the game's other events
    ``ended``: agreement, walkaway or timeout (the twentieth utterance accepts nothing). ``points`` by player.
Game
    `rounds` are utterances, and the round of an offer is the utterance that made it. Made-up people are the agent
    "people".
Offer
    A proposal. The one that is accepted is *accepted*, one that another followed *superseded*, the last of a game
    without agreement *none*.
Message
    One an act, without text; so it is not an utterance in the sense of `negstats.metrics`, which counts plain talk.

A log is checked against its own acts: speakers out of turn, shares that there are not, an end or points that do not
follow from the acts are a LogError with file and row. A game without an ``end`` event is kept as ended ``unknown``,
its points missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from negstats.errors import shown
from negstats.loaders.event_log import EventLog, build_tables, factors_of, players_of, read_units
from negstats.loaders.files.events import Event, begins_with, first_event
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.format import Evidence, Track, untracked
from negstats.studies.study import Study

__all__ = ["FORMAT", "load"]

VERSION = "1"

# The events and their fields; any other is refused, for it would be lost.
FIELDS: dict[str, tuple[str, ...]] = {
    "game": ("counts", "players", "first", "study", "scenario", "protocol", "seed", "factors"),
    "act": ("number", "player", "act", "units"),
    "end": ("ended", "points"),
}
PLAYER = ("player", "values", "agent", "participant", "batna")
CUTOFF = 20  # utterances
ENDS = {"accept": "agreement", "walk": "walkaway", "propose": "timeout"}  # by the last act


def load(path: str | Path, *, track: Track = untracked) -> Study:
    r"""Load an event log of acts.

    Raises
    ------
    LogError
        Naming file and row: a line that is no JSON object, an event that is not known, a field that is not there or of
        another type, a game that begins twice or never, an act out of turn or against the rules, an end or points that
        do not follow from the acts.

    Examples
    --------
    >>> import json, tempfile
    >>> players = [{"player": seat, "values": {"hat": 5}} for seat in "AB"]
    >>> events = [
    ...     {"event": "game", "game": "g", "counts": {"hat": 2}, "players": players},
    ...     {"event": "act", "game": "g", "number": 0, "player": "A", "act": "propose", "units": {"hat": 1}},
    ...     {"event": "act", "game": "g", "number": 1, "player": "B", "act": "accept"},
    ...     {"event": "end", "game": "g", "ended": "agreement", "points": {"A": 5, "B": 5}},
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "log.jsonl"
    ...     _ = file.write_text("\n".join(map(json.dumps, events)))
    ...     load(file).offers[["proposer", "value_responder", "response"]].values.tolist()
    [['A', 5.0, 'accepted']]
    """
    return LOG.read(Path(path), track)


def _matches(path: Path) -> Evidence | None:
    counts = isinstance(first_event(path).get("counts"), dict)
    return begins_with(path, "game") if counts else None


def _read(files: Sequence[Path], intake: Intake, track: Track) -> dict[str, pd.DataFrame]:
    return build_tables(read_units(files, intake, track, FIELDS, _begin))


@dataclass(slots=True)
class _Game:
    """One game as its events tell it."""

    name: str
    told: dict[str, Any]
    counts: dict[str, int]
    players: list[dict[str, Any]]
    worths: dict[str, dict[str, float]]
    acts: list[tuple[str, str, dict[str, int]]] = field(default_factory=list)  # player, act, what each item's taker has
    ended: str | None = None
    points: dict[str, float] = field(default_factory=dict)

    @property
    def seats(self) -> list[str]:
        return [player["player"] for player in self.players]

    def worth(self, seat: str, units: dict[str, int]) -> float:
        return sum(number * self.worths[seat][item] for item, number in units.items())

    def left(self, units: dict[str, int]) -> dict[str, int]:
        return {item: available - units[item] for item, available in self.counts.items()}

    def score(self) -> dict[str, float]:
        """Return the points that follow from the acts."""
        points = dict.fromkeys(self.seats, 0.0)
        if self.acts and self.acts[-1][1] == "accept":
            proposer, _, proposed_units = self.acts[-2]
            for seat in self.seats:
                points[seat] = self.worth(seat, proposed_units if seat == proposer else self.left(proposed_units))
        return points

    def take(self, kind: str, event: Event) -> None:
        """Take one of the game's later events."""
        (_act if kind == "act" else _end)(event, self)

    def rows(self) -> Gathered:
        """Return the rows of the tables."""
        rows = Gathered()
        rows.add("games", game_id=self.name, **self.told, ended=self.ended or "unknown", rounds=len(self.acts))
        for player in self.players:
            seat = player["player"]
            rows.add("players", game_id=self.name, **player, points=self.points.get(seat))
            rows.add_unit_values(self.name, seat, self.worths[seat], self.counts)
        _add_acts(self, rows)
        return rows


def _begin(event: Event, name: str) -> _Game:
    factors = factors_of(event)
    counts = _units(event, "counts")
    if not counts:
        raise event.fault("nothing is divided", "counts")
    event.whole("seed", None)
    players, values = [], {}
    for player, row in players_of(event, PLAYER):
        seat = row["player"]
        worths_by_item = {item: player.within("values", item, player.mapping("values")) for item in counts}
        values[seat] = {item: value for item, value in worths_by_item.items() if value is not None}
        if len(values[seat]) < len(counts):
            unvalued = next(item for item in counts if item not in values[seat])
            raise event.fault(f"{shown(seat)} has no value for {shown(unvalued)}", "values")
        players.append({**row, "batna": player.number("batna", 0.0)})
    if len(players) != 2:
        raise event.fault(f"there are {len(players)} players; two divide the items", "players")
    if event.text("first", players[0]["player"]) != players[0]["player"]:
        raise event.fault(f"{shown(event.text('first'))} is not the first of the players, who speaks first", "first")
    worths_by_item = {part: event.text(part, None) for part in ("study", "scenario", "protocol")}
    return _Game(name, {**worths_by_item, **factors}, counts, players, values)


def _units(event: Event, name: str) -> dict[str, int]:
    """Return counts by item, those of 0 too."""
    units_by_item = event.counts(name)
    return {item: units_by_item.get(item, 0) for item in event.mapping(name)}


def _act(event: Event, game: _Game) -> None:
    number = len(game.acts)
    if event.whole("number") != number:
        raise event.fault(f"is {shown(event.fields['number'])}; the next utterance is {number}", "number")
    player, act = event.choice("player", game.seats), event.choice("act", ("propose", "accept", "walk"))
    if player != game.seats[number % 2]:
        raise event.fault(f"it is the turn of {shown(game.seats[number % 2])}, not of {shown(player)}", "player")
    if game.acts and game.acts[-1][1] != "propose":
        raise event.fault(f"nothing is said after {shown(game.acts[-1][1])}", "act")
    if number == CUTOFF:
        raise event.fault(f"a dialogue ends with its {CUTOFF}th utterance", "number")
    proposed_units: dict[str, int] = {}
    if act == "propose":
        units_in_event = _units(event, "units")
        for item, units in units_in_event.items():
            if units > game.counts.get(item, -1):
                raise event.fault(f"takes {units} × {shown(item)}; there are {game.counts.get(item, 0)}", "units")
        proposed_units = {item: units_in_event.get(item, 0) for item in game.counts}
    elif act == "accept" and not number:
        raise event.fault("there is no proposal to accept", "act")
    elif act == "walk" and number < 2:
        raise event.fault("walks away before both have had a turn", "act")
    game.acts.append((player, act, proposed_units))


def _end(event: Event, game: _Game) -> None:
    end = event.choice("ended", tuple(ENDS.values()))
    follows = ENDS[game.acts[-1][1]] if game.acts else "no end"
    if follows == "timeout" and len(game.acts) < CUTOFF:
        raise event.fault(f"is {shown(end)} after {len(game.acts)} utterances; {CUTOFF} are a timeout", "ended")
    if end != follows:
        raise event.fault(f"is {shown(end)}; the acts give {shown(follows)}", "ended")
    points, score = event.mapping("points"), game.score()
    if set(points) != set(score):
        raise event.fault(f"names {', '.join(map(shown, points))}; the players are {', '.join(game.seats)}", "points")
    for seat, expected_points in score.items():
        if event.within("points", seat, points) != expected_points:
            raise event.fault(f"{shown(seat)} has {points[seat]}; the acts give {expected_points:g}", "points")
    game.ended, game.points = end, score


def _add_acts(game: _Game, rows: Gathered) -> None:
    """Add the rows of a game's acts."""
    last_proposal = max((place for place, (_, act, _) in enumerate(game.acts) if act == "propose"), default=None)
    last_response = "accepted" if game.acts and game.acts[-1][1] == "accept" else "none"
    for place, (player, act, proposer_units) in enumerate(game.acts):
        rows.add_next("messages", game.name, sender=player, act=act)
        if act != "propose":
            continue
        [other] = [seat for seat in game.seats if seat != player]
        shares = {player: proposer_units, other: game.left(proposer_units)}
        rows.add_offer(
            game.name,
            (player, other),
            values={seat: game.worth(seat, units) for seat, units in shares.items()},
            units={seat: sum(units.values()) for seat, units in shares.items()},
            shares=shares,
            round=place + 1,
            response=last_response if place == last_proposal else "superseded",
        )


LOG = EventLog("dealornodeal_acts", VERSION, "game", _read)
FORMAT = LOG.describe_format(
    "Deal or No Deal as acts: *.jsonl, one event a line, a 'game' event with 'counts' first", _matches
)
