"""What a part of a mapping must have, and may not have, for its kind of row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from negstats.errors import shown
from negstats.loaders.mapping.fields import Field, Key
from negstats.loaders.mapping.model import Part
from negstats.loaders.mapping.thresholds import responder_of
from negstats.tables import TABLES, OwnMeasure

_Rule = tuple[Key, object, str]


def refuse_incomplete(part: Part, content: Field) -> None:
    """Refuse a part that lacks what its kind of row needs, or has what this does not have."""
    content.refuse(*_needs(part))
    content.refuse(*_rules_of_rows(part))
    content.refuse(*_rules_of_votes(part))
    content.refuse(*_rules_of_answers(part))
    content.refuse(*_rules_of_measures(part))


def _needs(part: Part) -> Iterator[_Rule]:
    sections = part.sections
    for key, is_there, what in (
        (
            "games.game_id",
            "game_id" in sections["games"],
            'the column, or columns, that name the game: game_id = "..."',
        ),
        ("event", part.row != "event" or part.event, 'the column that says what a row is: event = "..."'),
        ("players.player", part.row != "player" or "player" in sections["players"], "the column that names the seat"),
        ("item.name", part.row != "item" or "name" in part.item, 'the column that names the item: name = "issue"'),
        ("messages.text", part.row != "message" or sections["messages"], "the column with what was said"),
    ):
        yield key, not is_there, f"is needed: {what}"


def _rules_of_rows(part: Part) -> Iterator[_Rule]:
    """Yield the fields of a part that its kind of row does not have."""
    is_item = part.row == "item"
    offered = {"to_proposer", "to_responder", "option"} & part.item.keys()
    yield "item", is_item and not offered, "needs to_proposer, to_responder or option: what is offered of the item"
    yield "item", part.item and not is_item, (
        'is for logs with row = "item"; write [items.NAME] for an item\'s columns'
    )  # fmt: skip
    yield "items", part.items and is_item, 'a row is an item here; write [item] with its name = "..."'
    yield "event", part.event and part.row != "event", 'is for logs with row = "event" only'


def _rules_of_votes(part: Part) -> Iterator[_Rule]:
    """Yield votes of which it is not said how many must accept, and a number of votes without votes."""
    offers, needed = part.sections["offers"], part.accepts_needed
    of_seats = next((name for name, seat in part.seats.items() if "vote" in seat["players"]), None)
    no_player = 'is for row = "player"; where a row has the votes of all, write vote in [seats.NAME]'
    for key in ("vote", "voted_on"):
        yield ("offers", key), key in offers and part.row != "player", no_player
    if of_seats is not None:
        yield ("seats", of_seats, "vote"), part.row not in ("offer", "game"), 'is for row = "offer" or "game"'
    is_lone = "voted_on" in offers and "vote" not in offers
    yield "offers.voted_on", is_lone, 'needs vote = "...", the column of the votes'
    has_votes = of_seats is not None or "vote" in offers
    no_votes = 'needs votes: vote = "..." in [offers] (row = "player") or in [seats.NAME]'
    yield "offers.accepts_needed", needed is not None and not (has_votes or part.row == "event"), no_votes
    no_number = 'is needed with votes: how many must accept (including the proposer), or "majority" or "all"'
    yield "offers.accepts_needed", needed is None and has_votes, no_number


def _rules_of_answers(part: Part) -> Iterator[_Rule]:
    """Yield answers of nobody, and least amounts where it is not said who would accept them."""
    sections, people = part.sections, part.sections["players"]
    has_answers = sections["answers"] or sections["person"]
    no_person = "is needed for answers: the column that names the person"
    yield "players.participant_id", has_answers and "participant_id" not in people, no_person
    if not (part.accept_at or "accept_from" in sections["offers"]):
        return
    is_twice = part.accept_at and "accept_from" in sections["offers"]
    yield "offers.accept_at", is_twice, "is given together with accept_from; give only one of them"
    key: tuple[str, ...] = ("players",)
    if part.row != "player":
        seat = responder_of(part)
        if seat is None or seat not in part.seats:
            hint = 'needs row = "player", or a constant proposer or responder and [seats.NAME] for both seats'
            yield "offers.accept_from", True, hint
            return
        people, key = part.seats[seat]["players"], ("seats", seat)
    reason = "is needed: the least acceptable amount is an answer of the responder"
    yield (*key, "participant_id"), "participant_id" not in people, reason


def _rules_of_measures(part: Part) -> Iterator[_Rule]:
    """Yield measures that are factors too, or of nothing that a row has, and answers of a seat's nobody."""
    both = next((name for name in part.sections["measures"] if name in part.sections["factors"]), None)
    yield "measures", both, f"{both} is a factor too; give one of them another name"
    no_player = (
        '"player" is for a log with row = "player" or "message" and players.participant_id; elsewhere a number of a '
        "seat is named in [seats.NAME.answers]"
    )
    for name, own in part.own.items():
        no_offer = f"{shown(name)} is a column of the offers; write it in [offers], or give the measure another name"
        key = ("measures", name, "per")
        yield key, own.per == "player" and not part.has_known_people, no_player
        yield key, own.per == "offer" and name in TABLES["offers"].names, no_offer
    for name, seat in part.seats.items():
        is_nobody = (seat["answers"] or seat["person"]) and "participant_id" not in seat["players"]
        yield ("seats", name, "participant_id"), is_nobody, "is needed for the seat's answers"


def refuse_two_meanings(parts: Sequence[Part], content: Field) -> None:
    """Refuse two parts that say different things of a measure of one name."""
    measures: dict[str, OwnMeasure] = {}
    for part in parts:
        for name, own in part.own.items():
            is_other = measures.setdefault(name, own) != own
            reason = "two parts say that it is different things; say the same in both"
            content.refuse((("measures", name), is_other, reason))
