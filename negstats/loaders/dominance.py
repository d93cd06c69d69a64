"""The dominance dialogue's event log: JSON Lines, as a lab can write it and `negstats simulate dominance` does.

A log is one file ``*.jsonl`` (or a folder of such files) whose first line is a ``talk`` event. Each line is a JSON
object with ``event`` and ``talk`` (the talk's name, unique in the study). The two seats are A and B. Events of one talk
stand in the order in which they happened; talks may be interleaved. Fields in parentheses may be left out; then the
tables hold a missing value.

``talk``, once, before the talk's other events
    ``domain``: ``{"criteria": {"price": ["cheap", "moderate"], ...}}`` (and ``options``, a list of options, each a list
    with a value for every criterion; all combinations if it is left out). (``relations``: by seat dominant, peer or
    submissive.) (``participants``: by seat the person who sat there; other seats are agents.) (``orders``: by seat and
    criterion all its values, best first: a value's score is how many are worse minus how many are better.) (``scores``:
    by seat, criterion and value, instead of those that follow from the orders; needed where orders are partial.)
    (``study``, ``scenario``, ``protocol``, ``started_at`` as an ISO 8601 time.)
``utterance``
    ``from``: the seat. ``type``: *state* or *ask*, with ``criterion``, ``less`` and ``more`` (values, or ``*`` for
    any); *propose*, *accept* or *reject*, with ``criterion`` and ``value``, or with ``option``; *booking*, with
    ``option``; *leave*. (``text``.) (``time_s`` since the talk began.)
``end``, once, after the talk's other events
    ``ended``: agreement, walkaway, timeout, ... as in the table ``games``. ``option``: what was booked.

Each proposal is an offer; an accepted, rejected or booked thing is what the other side proposed last in these words,
and otherwise the log is refused. Between the two, whatever else follows a proposal supersedes it, and leaving rejects
it. Whoever opens the talk is the factor ``opener``; the number of utterances is ``rounds``. A talk without an ``end``
event is kept as ended ``unknown``. The tables have no place for the options: where these are fewer than the
combinations, a note says that measures of the outcome space take all combinations.

Source of the dialogue: *Agent utterances in dialogue of cooperative negotiation* (a note without author or year).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from negstats.errors import shown
from negstats.loaders.event_log import EventLog, build_tables, read_units
from negstats.loaders.files.events import Event, begins_with
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.format import Evidence, Track, untracked
from negstats.studies.study import Study
from negstats.tables import ENDED

__all__ = ["FORMAT", "load"]

SEATS = ("A", "B")
RELATIONS = ("dominant", "peer", "submissive")
ACTS = ("state", "ask", "propose", "accept", "reject", "booking", "leave")
COMPARING = ("state", "ask")
ANY = "*"
DOMAIN = ("criteria", "options", "topic")

Row: TypeAlias = dict[str, Any]


class Thing(NamedTuple):
    """What an utterance is about, as pairs of criterion and value: `whole` for an option, or one value, or two."""

    parts: tuple[tuple[str, str], ...]
    whole: bool = False


class Talk:
    """One talk, as its events come."""

    def __init__(self, event: Event, name: str) -> None:
        self.name = name
        for field in ("relations", "participants", "orders", "scores"):
            event.part(field).refuse_unknown(SEATS)
        event.part("domain").refuse_unknown(DOMAIN)
        criteria_event = event.part("domain").part("criteria")
        self.criteria = {criterion: tuple(criteria_event.names(criterion) or ()) for criterion in criteria_event.fields}
        if not self.criteria or not all(self.criteria.values()):
            raise event.fault("needs 'criteria', an object with a list of values for each criterion", "domain")
        self.options = self._options(event.part("domain"))
        self.fewer = self.options is not None and len(self.options) < prod(map(len, self.criteria.values()))
        self.relations = self._relations(event)
        people = event.part("participants")
        self.people = {seat: people.text(seat, None) for seat in SEATS}
        self.scores = {seat: self._scores(event, seat) for seat in SEATS}
        self.head = {field: event.text(field, None) for field in ("study", "scenario", "protocol")}
        self.started_at = event.time("started_at")
        self.rows_of_talk = Gathered()
        self.things: list[Thing] = []
        self.booked: Thing | None = None
        self.ended: str | None = None

    def _options(self, domain: Event) -> set[tuple[str, ...]] | None:
        """Return the options; None for all combinations."""
        option_lists = domain.fields.get("options")
        if option_lists is None:
            return None
        if (
            not isinstance(option_lists, list)
            or not option_lists
            or not all(isinstance(option_list, list) for option_list in option_lists)
        ):
            raise domain.fault(f"{shown(option_lists)} is not a list of options", "options")
        for option_list in option_lists:
            if not self._combines(option_list):
                raise domain.fault(
                    f"{shown(option_list)} is not a value for each of {', '.join(self.criteria)}", "options"
                )
        return set(map(tuple, option_lists))

    def _combines(self, option: Sequence[object]) -> bool:
        """Whether these are a value for each criterion."""
        return len(option) == len(self.criteria) and all(
            value in values for value, values in zip(option, self.criteria.values(), strict=True)
        )

    def _relations(self, event: Event) -> dict[str, str | None]:
        relations_event = event.part("relations")
        return {
            seat: relations_event.choice(seat, RELATIONS) if seat in relations_event.fields else None for seat in SEATS
        }

    def _scores(self, event: Event, seat: str) -> dict[tuple[str, str], float]:
        scores, orders = event.part("scores").part(seat), event.part("orders").part(seat)
        for seat_event in (scores, orders):
            seat_event.refuse_unknown(tuple(self.criteria))
        scores_by_value: dict[tuple[str, str], float] = {}
        for criterion, values in self.criteria.items():
            if scores.fields:
                worth = scores.part(criterion)
                worth.refuse_unknown(values)
                scores_by_value |= {(criterion, value): worth.number(value) or 0.0 for value in values}
            elif orders.fields:
                order = orders.names(criterion) or []
                if sorted(order) != sorted(values):
                    raise event.fault(
                        f"seat {seat}: {shown(order)} is not an order of {', '.join(values)}, the values of "
                        f"{shown(criterion)}; a partial order needs 'scores'",
                        "orders",
                    )
                scores_by_value |= {(criterion, value): len(order) - 1.0 - 2 * order.index(value) for value in values}
        return scores_by_value

    def take(self, kind: str, event: Event) -> None:
        """Take one of the talk's later events."""
        (self._hear if kind == "utterance" else self._end)(event)

    def _hear(self, event: Event) -> None:
        sender, act = event.choice("from", SEATS), event.choice("type", ACTS)
        if self.booked is not None:
            raise event.fault(f"something was booked in talk {shown(self.name)} already; that ends it", "type")
        thing = self._thing(event, act)
        if act == "propose":
            self._propose(event, sender, thing)
        elif act in ("accept", "reject"):
            self._find_answered(event, sender, thing)["response"] = f"{act}ed"
        elif act == "booking":
            self._find_answered(event, sender, thing, after_acceptance=True)["response"] = "accepted"
            self.booked = thing
        if act != "propose":
            self._close_offer("rejected" if act == "leave" else "superseded")
        time, text = event.number("time_s", None), event.text("text", None)
        self.rows_of_talk.add_next(
            "messages", self.name, time_s=time, sender=sender, text=text, act=act, labels=_label(thing)
        )

    @property
    def offers(self) -> list[Row]:
        """The proposals so far."""
        return self.rows_of_talk.rows("offers")

    @property
    def messages(self) -> list[Row]:
        """The utterances so far."""
        return self.rows_of_talk.rows("messages")

    def _close_offer(self, response: str) -> None:
        """Give the last proposal its response, if it has none yet."""
        if self.offers and self.offers[-1]["response"] == "none":
            self.offers[-1]["response"] = response

    def _thing(self, event: Event, act: str) -> Thing:
        """Return what an utterance is about."""
        if act == "leave":
            return Thing(())
        if act == "booking" or (act not in COMPARING and "option" in event.fields):
            return self._option(event)
        criterion = event.choice("criterion", tuple(self.criteria))
        values = self.criteria[criterion]
        if act not in COMPARING:
            return Thing(((criterion, event.choice("value", values)),))
        worse_value, more = (event.choice(field, (*values, ANY)) for field in ("less", "more"))
        if worse_value == more and (act == "state" or worse_value != ANY):
            raise event.fault(f"{shown(worse_value)} is compared with itself", "more")
        return Thing(((criterion, worse_value), (criterion, more)))

    def _option(self, event: Event) -> Thing:
        option_values = tuple(event.names("option") or ())
        if not self._combines(option_values) or (self.options is not None and option_values not in self.options):
            raise event.fault(
                f"{shown(list(option_values))} is not one of the options of talk {shown(self.name)}", "option"
            )
        return Thing(tuple(zip(self.criteria, option_values, strict=True)), whole=True)

    def _propose(self, event: Event, sender: str, thing: Thing) -> None:
        self._close_offer("superseded")
        self.things.append(thing)
        self.rows_of_talk.add_offer(
            self.name,
            (sender, SEATS[1 - SEATS.index(sender)]),
            values={seat: self._worth(seat, thing) for seat in SEATS} if thing.whole else {},
            options=dict(thing.parts),
            round=len(self.messages) + 1,
            time_s=event.number("time_s", None),
            response="none",
        )

    def _find_answered(self, event: Event, sender: str, thing: Thing, *, after_acceptance: bool = False) -> Row:
        """Return the other side's latest proposal of a thing; when booking also one's own that was accepted."""
        for offer, proposed_thing in zip(reversed(self.offers), reversed(self.things), strict=True):
            if proposed_thing == thing and (
                offer["proposer"] != sender or (after_acceptance and offer["response"] == "accepted")
            ):
                return offer
        what = " ".join(value for _, value in thing.parts)
        raise event.fault(f"{sender} answers {shown(what)}, which the other side has not proposed", "type")

    def _worth(self, seat: str, thing: Thing) -> float | None:
        scores = self.scores[seat]
        return sum(scores[part] for part in thing.parts) if scores else None

    def _end(self, event: Event) -> None:
        self.ended = event.choice("ended", ENDED)
        booked = self._option(event) if event.fields.get("option") is not None else None
        if (self.ended == "agreement") != (self.booked is not None) or booked != self.booked:
            raise event.fault(
                "an agreement ends with a booking, and no other talk does; 'option' is what was booked", "option"
            )

    def rows(self) -> Gathered:
        """Return the rows of the tables."""
        rows = self.rows_of_talk
        rows.add(
            "games",
            game_id=self.name,
            **self.head,
            started_at=self.started_at,
            ended=self.ended or "unknown",
            rounds=len(self.messages),
            relation_a=self.relations["A"],
            relation_b=self.relations["B"],
            opener=self.messages[0]["sender"] if self.messages else None,
        )
        for seat in SEATS:
            person = self.people[seat]
            kind, agent = ("agent", self.relations[seat]) if person is None else ("human", None)
            points = None if self.booked is None else self._worth(seat, self.booked)
            player = {"player": seat, "kind": kind, "agent": agent, "participant_id": person, "points": points}
            rows.add("players", game_id=self.name, **player)
            rows.add_values(self.name, seat, self.scores[seat])
        return rows


def _label(thing: Thing) -> str:
    """Return what an utterance holds as one annotation: "price: moderate < cheap" for a statement, "" for none."""
    values = [value for _, value in thing.parts]
    if thing.whole or not values:
        return " / ".join(values)
    return f"{thing.parts[0][0]}: {' < '.join(values)}"


VERSION = "1"
# The events and their fields; any other is refused, for it would be lost.
FIELDS: dict[str, tuple[str, ...]] = {
    "talk": (
        *("domain", "relations", "participants", "orders", "scores"),
        *("study", "scenario", "protocol", "started_at"),
    ),
    "utterance": ("from", "type", "criterion", "less", "more", "value", "option", "text", "time_s"),
    "end": ("ended", "option"),
}


def load(path: str | Path, *, track: Track = untracked) -> Study:
    """Load an event log of dominance dialogues.

    Raises
    ------
    LogError
        Naming file and row: a line that is no JSON object, an event that is not known, a field that is not there or of
        another type, a value that the domain does not have, an answer to what was not proposed, a talk that begins
        twice or never, an event after the talk's end.

    Examples
    --------
    >>> import tempfile
    >>> lines = '''{"event": "talk", "talk": "t1", "domain": {"criteria": {"price": ["cheap", "dear"]}}}
    ... {"event": "utterance", "talk": "t1", "from": "A", "type": "propose", "option": ["cheap"]}
    ... {"event": "utterance", "talk": "t1", "from": "B", "type": "booking", "option": ["cheap"]}
    ... {"event": "end", "talk": "t1", "ended": "agreement", "option": ["cheap"]}'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "log.jsonl"
    ...     _ = file.write_text(lines)
    ...     load(file).offers[["proposer", "response"]].values.tolist()
    [['A', 'accepted']]
    """
    return LOG.read(Path(path), track)


def _matches(path: Path) -> Evidence | None:
    return begins_with(path, "talk")


def _read(files: Sequence[Path], intake: Intake, track: Track) -> dict[str, pd.DataFrame]:
    talks = read_units(files, intake, track, FIELDS, Talk)
    intake.count(
        "{0} talks are about fewer options than the combinations of values; measures of the outcome space "
        "take all combinations",
        sum(talk.fewer for talk in talks),
    )
    return build_tables(talks)


LOG = EventLog("dominance", VERSION, "talk", _read)
FORMAT = LOG.describe_format(
    "the dominance dialogue's event log: *.jsonl, one event a line, a 'talk' event first", _matches
)
