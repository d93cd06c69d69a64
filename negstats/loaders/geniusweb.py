"""GeniusWeb: traces of sessions, and tables of tournaments (data card below).

Source
    W. Pasman, C. M. Jonker and others: GeniusWeb, the successor of Genius; sessions as runners of the ANL competitions
    write them. No real file was read here: the shape is that of the program's own classes and of those runners.
Known by
    JSON with the key ``SAOPState``, or with ``connections``, ``partyprofiles`` and ``actions``
    (``session_results_trace.json``); CSV with the columns ``agent_1``, ``utility_1``, ``result`` and ``num_offers``.
Game
    A trace, named by its file (with its folder where names repeat), or a row of a table (``file-row``).
Player
    One for each connection, an agent; ``agent`` is the last part of the party's reference. A table numbers its agents
    through the whole tournament: the columns that are filled in a row are its seats.
Offer
    An action Offer; its bid's options as items, its ``utilities`` as values. An Accept repeats a bid and is no offer:
    it accepts the last offer of another actor, and must be the same bid.
Points
    The utilities of the accepted offer, or the table's.
Ended
    ``agreement``; ``walkaway`` after an EndNegotiation; ``disagreement`` (failed: no acceptance); ``disconnect``
    (ERROR, or a trace without actions), points missing.

Traps, and what is done about them
    Where a session fails, tables have utilities of 0. This is what the parties get only if their profiles have no
    reservation, and profiles are not in the table: such a 0 is missing. Paths of profiles and parties are dropped but
    for their last part. Java and Python versions write Offer and offer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from negstats.errors import LogError, shown
from negstats.loaders.files.events import Event
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.lines import Line, read_lines
from negstats.loaders.files.literals import last_part
from negstats.loaders.files.objects import json_object
from negstats.loaders.files.parallel import WORKERS, each
from negstats.loaders.files.parts import recorded
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.files.sniff import first_evidence, head, header, own_files
from negstats.loaders.format import COLUMNS, SIGNATURE, Evidence, Format, Strength, Track
from negstats.studies.study import Study

__all__ = ["FORMAT"]

VERSION = "1"
STATE = "SAOPState"
INSIDE = ("connections", "partyprofiles", "actions")
TABLE = frozenset({"result", "num_offers"})
_RESULTS = {"agreement": "agreement", "failed": "disagreement", "error": "disconnect"}


def _is_table(names: Sequence[str]) -> bool:
    return set(names) >= TABLE and any(name.startswith("agent_") for name in names)


def _describe(file: Path) -> tuple[Strength, str] | None:
    """Return how strongly a file is known for one of GeniusWeb's, and by what."""
    if file.suffix.lower() == ".csv":
        return (COLUMNS, "has the columns agent_1, num_offers and result") if _is_table(header(file)) else None
    start = head(file)
    if file.suffix.lower() != ".json":
        return None
    if f'"{STATE}"'.encode() in start:
        return SIGNATURE, f"has the key {STATE}"
    has_keys = all(f'"{name}"'.encode() in start for name in INSIDE)
    return (COLUMNS, f"has the keys {', '.join(INSIDE)}") if has_keys else None


def _matches(path: Path) -> Evidence | None:
    return first_evidence(path, _describe, ".json", ".csv", deep=True)


def _trace(file: Path, intake: Intake) -> tuple[Event, list[tuple[str, Event]]]:
    """Return the state of a session, and its actions."""
    data = intake.read(file)
    whole = json_object(data, file)
    state = Event(whole.get(STATE, whole), file, None) if isinstance(whole.get(STATE, whole), dict) else None
    if state is None:
        raise LogError(f"{shown(whole[STATE])} is not a state of a session", file=file, column=STATE)
    actions = _actions(state)
    intake.add(file, data, len(actions))
    return state, actions


def _table(file: Path, intake: Intake) -> tuple[list[str], list[Line]]:
    return read_lines(file, intake, TABLE)


def _read(path: Path, track: Track, *, workers: int = 1) -> Study:
    intake, rows = Intake(path), Gathered()
    files = own_files(path, intake, _describe, "no log of GeniusWeb", deep=True)
    tables, traces = ([file for file in files if file.suffix.lower() == ending] for ending in (".csv", ".json"))
    if not tables and not traces:
        raise LogError("holds no log of GeniusWeb", file=path)
    stems = Counter(file.stem for file in traces)
    for state, actions in each(intake, traces, _trace, track, workers):
        file = state.file
        name = file.stem if stems[file.stem] == 1 else intake.name(file).removesuffix(file.suffix)
        _add_trace(name, state, actions, rows)
    for file, (names, lines) in zip(tables, each(intake, tables, _table, track, workers), strict=True):
        for line in lines:
            _add_row(f"{file.stem}-{line.row}", names, line, rows)
    if not rows.rows("games"):
        raise LogError("holds no session of GeniusWeb", file=path)
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **rows.tables())


def _actions(state: Event) -> list[tuple[str, Event]]:
    """Return the kind and content of each action."""
    action_list = state.fields.get("actions")
    if not isinstance(action_list, list):
        raise state.fault(f"{shown(action_list)} is not a list of actions", "actions")
    actions = []
    for place, action in enumerate(action_list, 1):
        pair = next(iter(action.items())) if isinstance(action, dict) and len(action) == 1 else (None, None)
        if not isinstance(pair[0], str) or not isinstance(pair[1], dict):
            raise LogError(f"{shown(action)} is not an action", file=state.file, row=place, column="actions")
        actions.append((pair[0].casefold(), Event(pair[1], state.file, place)))
    return actions


def _bid(action: Event) -> dict[str, str]:
    values = action.part("bid").fields.get("issuevalues")
    if not isinstance(values, dict) or not all(isinstance(value, (str, int, float)) for value in values.values()):
        raise action.fault(f"{shown(values)} is not an option for each issue", "bid")
    return {issue: str(option) for issue, option in values.items()}


def _seats(state: Event) -> dict[str, str]:
    """Return the seats, and the last part of each party's reference."""
    names = state.names("connections") or []
    profiles = state.part("partyprofiles")
    agents_by_seat = {}
    for name in names or list(profiles.fields):
        reference = profiles.part(name).part("party").text("partyref", None)
        agents_by_seat[name] = last_part(last_part(f"/{reference}")) if reference else None
    if len(agents_by_seat) < 2 or len(agents_by_seat) < len(names):
        raise state.fault(f"{shown(names)} are not two different parties", "connections")
    return {name: agent or name for name, agent in agents_by_seat.items()}


def _worths(action: Event, seats: Mapping[str, str]) -> dict[str, float | None]:
    utilities = action.part("utilities")
    return {seat: utilities.number(seat, None) for seat in seats}


def _add_trace(game: str, state: Event, actions: Sequence[tuple[str, Event]], rows: Gathered) -> None:
    seats = _seats(state)
    offers: list[tuple[str, dict[str, str], dict[str, float | None]]] = []
    end = "disagreement" if actions and not state.fields.get("error") else "disconnect"
    accepted_place: int | None = None
    for kind, action in actions:
        actor = action.choice("actor", list(seats))
        if accepted_place is not None:
            raise action.fault("follows an acceptance", "actor")
        if kind == "offer":
            offers.append((actor, _bid(action), _worths(action, seats)))
        elif kind == "accept":
            accepted_place = next(
                (place for place in range(len(offers) - 1, -1, -1) if offers[place][0] != actor), None
            )
            if accepted_place is None or (action.fields.get("bid") and _bid(action) != offers[accepted_place][1]):
                raise action.fault("accepts a bid that is not the last offer of another actor", "bid")
            end = "agreement"
        elif kind == "endnegotiation":
            end = "walkaway"
    points = offers[accepted_place][2] if accepted_place is not None else dict.fromkeys(seats)
    rows.add("games", game_id=game, study="geniusweb", protocol="stacked alternating offers", ended=end)
    for seat, agent in seats.items():
        rows.add("players", game_id=game, player=seat, kind="agent", agent=agent, points=points[seat])
    for place, (actor, bid, worths) in enumerate(offers):
        others = [seat for seat in seats if seat != actor]
        other = others[0] if len(others) == 1 else None
        response = "accepted" if place == accepted_place else "superseded" if place < len(offers) - 1 else "none"
        rows.add_offer(game, (actor, other), values=worths, options=bid, response=response)


def _add_row(game: str, names: Sequence[str], line: Line, rows: Gathered) -> None:
    word = line.text("result")
    end: Any = _RESULTS.get(word.casefold())
    if end is None:
        raise line.fault(f"{shown(word)} is not one of agreement, failed, ERROR", "result")
    seats = [name for name in names if name.startswith("agent_") and line.told(name) is not None]
    if len(seats) < 2:
        raise line.fault("fewer than two agents are named", "agent_1")
    rows.add("games", game_id=game, study="geniusweb", protocol="stacked alternating offers", ended=end)
    for seat in seats:
        worth = line.finite(f"utility_{seat.removeprefix('agent_')}")
        points = None if end == "disconnect" or (end == "disagreement" and not worth) else worth
        rows.add("players", game_id=game, player=seat, kind="agent", agent=line.told(seat), points=points)


FORMAT = Format(
    "geniusweb",
    "GeniusWeb: session_results_trace.json with the key SAOPState, or a table with agent_1, utility_1 and result",
    _matches,
    _read,
    {"workers": WORKERS},
    parts=recorded(needs="agent_1"),
)
