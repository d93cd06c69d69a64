"""JobInterview: a recruiter and a worker bargain over five issues in a chat (data card below).

Source
    M. Yamaguchi, K. Iwasa, K. Fujita: Dialogue Act-based Breakdown Detection in Negotiation Dialogues, EACL 2021. No
    real file was read here: the shape is the one that the authors' own reader takes.
Known by
    A JSON list of objects with ``id``, ``status``, ``users``, ``comments`` and ``solutions`` (or ``bids``).
Game
    An object. ``scenario`` names the issues.
Player
    Seats recruiter and worker, people. ``participant_id`` is a hash of ``worker_id``; that and ``assignment_id`` are
    dropped (the hash has no salt: de-identify before you share). Points are the accepted solution's.
Offer
    A solution, by ``created_at``; the one that is accepted, superseded ones, none for the last of a game without deal.
Message
    A comment.
Values
    Discrete issues: weight of the issue times weight of the option. Whole numbers: weight times the share of the range
    from least to largest, both included; the recruiter's share falls as the number rises.
Ended
    completed is ``agreement``, aborted ``walkaway``, terminated ``timeout``.

Traps, and what is done about them
    An option's worth may depend on another issue (``relatedTo``): it counts in offers and points, but has no row in
    ``values``; a note says so. The authors' own list of all outcomes leaves out the largest of the whole numbers. Times
    have no zone: taken for UTC.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from negstats.errors import LogError, shown
from negstats.loaders.files.events import Event
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.objects import json_places
from negstats.loaders.files.parts import LISTED
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.files.sniff import first_evidence, head, own_files
from negstats.loaders.format import COLUMNS, Evidence, Format, Strength, Track
from negstats.studies.study import Study

__all__ = ["FORMAT"]

VERSION = "1"
SEATS = ("recruiter", "worker")
_ENDS = {"completed": "agreement", "aborted": "walkaway", "terminated": "timeout"}
_KEYS = (b'"status"', b'"users"', b'"utilities"', b'"recruiter"')
MOST_NUMBERS = 10_000  # options of an issue of whole numbers


def _describe(file: Path) -> tuple[Strength, str] | None:
    start = head(file)
    is_own = start.lstrip()[:1] == b"[" and all(key in start for key in _KEYS)
    return (COLUMNS, "has the keys status and users, with a recruiter") if is_own else None


def _matches(path: Path) -> Evidence | None:
    return first_evidence(path, _describe, ".json")


def _read(path: Path, track: Track) -> Study:
    intake, rows = Intake(path), Gathered()
    related = 0
    files = own_files(path, intake, lambda file: file.suffix.lower() == ".json", "no log of JobInterview")
    names: set[str] = set()
    for file in track(files):
        data = intake.read(file)
        games = [Event(fields, file, place) for place, fields in json_places(data, file)]
        intake.add(file, data, len(games))
        for game in games:
            name = _name(game)
            if name in names:
                raise game.fault(f"{shown(name)} is a second game of this name", "id")
            names.add(name)
            related += _add_game(name, game, rows, intake.notes)
    if not names:
        raise LogError("holds no game of JobInterview", file=path)
    if related:
        intake.notes.append(f"{related} issues are worth what another issue makes them: no rows in values for these")
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **rows.tables())


def _name(game: Event) -> str:
    game_id = game.fields.get("id")
    if isinstance(game_id, bool) or not isinstance(game_id, (str, int)) or not str(game_id).strip():
        raise game.fault(f"{shown(game_id)} is not a name of a game", "id")
    return str(game_id)


class _Utility:
    """What the options of an issue are worth to one seat."""

    def __init__(self, part: Event, seat: str) -> None:
        self.name, kind = part.text("name"), part.choice("type", ("DISCRETE", "INTEGER"))
        self.related = part.text("relatedTo", None)
        weight = part.number("weight") or 0.0
        self.worths: dict[tuple[str, str] | str, float] = {}
        if kind == "INTEGER":
            low, high = part.whole("min") or 0, part.whole("max") or 0
            if not low < high <= low + MOST_NUMBERS:
                raise part.fault(f"{low} to {high} is not a range of whole numbers", "max")
            for number in range(low, high + 1):
                share = (number - low) / (high - low)
                self.worths[str(number)] = weight * (share if seat == "worker" else 1 - share)
            return
        for option in part.parts("options"):
            key: tuple[str, str] | str
            if self.related is None:
                key = option.text("name")
            else:
                both = option.mapping("names")
                key = (str(both.get(self.related)), str(both.get(self.name)))
            if key in self.worths:
                raise option.fault(f"{shown(key)} is in an earlier option as well", "options")
            self.worths[key] = weight * (option.number("weight") or 0.0)

    def worth(self, bid: Mapping[str, str]) -> float | None:
        option = bid.get(self.name)
        if option is None:
            return None
        return self.worths.get(option if self.related is None else (bid.get(self.related, ""), option))


def _users(game: Event) -> dict[str, tuple[str, Event, list[_Utility]]]:
    """Return seat, person and utilities by the user's id."""
    users_by_id = {}
    for user in game.parts("users"):
        seat = user.choice("role", SEATS)
        utilities = [_Utility(part, seat) for part in user.parts("utilities")]
        if len({utility.name for utility in utilities}) < len(utilities):
            raise user.fault("an issue is listed twice", "utilities")
        users_by_id[str(user.fields.get("id"))] = (seat, user, utilities)
    if sorted(seat for seat, _, _ in users_by_id.values()) != list(SEATS):
        raise game.fault("a game needs exactly one recruiter and one worker", "users")
    return users_by_id


def _select_entries(game: Event, field: str, users: Mapping[str, Any]) -> list[tuple[datetime, str, Event]]:
    """Return time, seat and entry of what users did, by time."""
    entries = game.fields.get(field) or []
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise game.fault(f"{shown(entries)} is not a list of JSON objects", field)
    timed_entries = []
    for entry in (Event(fields, game.file, game.row) for fields in entries):
        user = str(entry.fields.get("user_id"))
        if user not in users:
            raise entry.fault(f"{shown(user)} is not a user of the game", "user_id")
        when = entry.time("created_at")
        if when is None:
            raise entry.fault("the field is not there", "created_at")
        timed_entries.append((when, users[user][0], entry))
    return sorted(timed_entries, key=lambda entry: entry[0])


def _bid(entry: Event) -> dict[str, str]:
    body = entry.mapping("body")
    return {issue: _text_of(option) for issue, option in body.items()}


def _text_of(option: object) -> str:
    """Return an option as the scale of whole numbers has it: 25.0 is 25."""
    return str(int(option)) if isinstance(option, float) and option.is_integer() else str(option)


def _strange(bid: Mapping[str, str], worths: Mapping[str, Sequence[_Utility]]) -> str | None:
    """Return what of a bid no seat values: an issue or an option that is misspelt, or is not part of the game."""
    issues = {utility.name for utilities in worths.values() for utility in utilities}
    if unknown := next((issue for issue in bid if issue not in issues), None):
        return f"{shown(unknown)} is not an issue"
    for seat, utilities in worths.items():
        for utility in utilities:
            if {utility.name, utility.related or utility.name} <= bid.keys() and utility.worth(bid) is None:
                return f"{shown(bid[utility.name])} of {utility.name} has no worth for the {seat}"
    return None


def _find_end(game: Event, bids: Sequence[tuple[datetime, str, Event]]) -> tuple[str, int | None]:
    """Return how a game ended, and the place of the solution that was accepted; agreement without one is unknown."""
    end = _ENDS[game.choice("status", tuple(_ENDS))]
    accepted_places = [place for place, (_, _, entry) in enumerate(bids) if entry.truth("accepted")]
    if len(accepted_places) > 1:
        raise game.fault(f"{len(accepted_places)} solutions are accepted; at most one can be", "solutions")
    if end != "agreement":
        return end, None
    return (end, accepted_places[0]) if accepted_places else ("unknown", None)


def _add_player(
    name: str,
    seat: str,
    person: object,
    utilities: Sequence[_Utility],
    deal: Mapping[str, str] | None,
    rows: Gathered,
) -> None:
    """Add a seat's row, and what each option of an issue that stands alone is worth to it."""
    hashed = None if person is None else "p" + hashlib.sha256(str(person).encode()).hexdigest()[:16]
    points = None if deal is None else _worth(utilities, deal)
    rows.add("players", game_id=name, player=seat, role=seat, kind="human", participant_id=hashed, points=points)
    for utility in utilities:
        if utility.related is None:
            rows.add_values(
                name, seat, {(utility.name, str(option)): value for option, value in utility.worths.items()}
            )


def _add_game(name: str, game: Event, rows: Gathered, notes: list[str]) -> int:
    """Add a game's rows; returns how many issues are worth what another one makes them."""
    users = _users(game)
    worths = {seat: utilities for seat, _, utilities in users.values()}
    comments = _select_entries(game, "comments", users)
    bids = _select_entries(game, "solutions" if "solutions" in game.fields else "bids", users)
    end, accepted_place = _find_end(game, bids)
    deal = None if accepted_place is None else _bid(bids[accepted_place][2])
    if deal is not None and any(_worth(worths[seat], deal) is None for seat in SEATS):
        unknown = [issue for issue in deal if issue not in {utility.name for utility in worths["worker"]}]
        what = "the deal has no known worth"
        if unknown:
            what = f"the deal names {shown(unknown[0])}, which is not an issue"
        notes.append(f"game {shown(name)}: {what}; its points are missing")
    start = min((when for when, _, _ in [*comments, *bids]), default=None)
    factors = {"scenario": "+".join(sorted(utility.name for utility in worths["worker"])), "protocol": "chat"}
    rows.add("games", game_id=name, study="job_interview", **factors, ended=end, started_at=start)
    for seat in SEATS:
        person = next(user.fields.get("worker_id") for own, user, _ in users.values() if own == seat)
        _add_player(name, seat, person, worths[seat], deal, rows)
    for when, seat, entry in comments:
        rows.add_next("messages", name, time_s=_since(start, when), sender=seat, text=entry.text("body", None))
    reasons = [(place, why) for place, (_, _, entry) in enumerate(bids, 1) if (why := _strange(_bid(entry), worths))]
    if reasons:
        place, why = reasons[0]
        notes.append(f"game {shown(name)}: {len(reasons)} offers are damaged, the first is offer {place}: {why}")
    for place, (when, seat, entry) in enumerate(bids):
        other, bid = SEATS[1 - SEATS.index(seat)], _bid(entry)
        response = "superseded" if place < len(bids) - 1 else "none"
        rows.add_offer(
            name,
            (seat, other),
            values={of: _worth(worths[of], bid) for of in SEATS},
            options=bid,
            time_s=_since(start, when),
            response="accepted" if place == accepted_place else response,
        )
    return sum(utility.related is not None for utility in worths["worker"])


def _since(start: datetime | None, when: datetime) -> float | None:
    return None if start is None else (when - start).total_seconds()


def _worth(utilities: Sequence[_Utility], bid: Mapping[str, str]) -> float | None:
    """Return what a bid is worth; None if it leaves an issue open, or names an option that is worth nothing known."""
    issue_worths = [utility.worth(bid) for utility in utilities]
    return None if None in issue_worths else math.fsum(worth for worth in issue_worths if worth is not None)


FORMAT = Format(
    "job_interview",
    "JobInterview: a JSON list of games with status, users (a recruiter and a worker), comments and solutions",
    _matches,
    _read,
    parts=LISTED,
)
